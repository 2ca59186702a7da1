"""Race the emulator against tinygrad's on the same code objects, each pinned to one core, in one run.

    python bench/emulator_vs_tinygrad.py PATH_OF_A_TINYGRAD_CHECKOUT [--core 0] [--repeat 3]

Two kernels that clang compiles for gfx950 from the C below: a bf16 GEMM of 64 workgroups that loads its operands from
memory to registers and multiplies with v_mfma_f32_16x16x32_bf16 (direct-to-LDS loads would be wrong on an unpatched
tinygrad), and an elementwise kernel. hkasm runs strict with all checks, in `exact` arithmetic, then with no checks.

Each side is a process of its own with one core and one BLAS thread; what counts is the processor time of a launch of
code that has been launched before, the best of the repeats, since others may use the machine. Both results are
compared with NumPy. Wave-instructions are hkasm's count for both. Exit code 1 when hkasm is less than 3 times as fast,
or strict takes more than 2.5 times as long as unchecked.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ROOT = Path(__file__).resolve().parents[1]
SOURCE = r"""
typedef __bf16 b8 __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256))) void

// C = A B^T, A [1024][K], B [1024][K], C [1024][1024]: four waves a workgroup, 64 x 64 of C a wave.
KERNEL gemm(GLOBAL const __bf16 *a, GLOBAL const __bf16 *b, GLOBAL float *c, int k_size) {
  int lane = __builtin_amdgcn_workitem_id_x() & 63, wave = __builtin_amdgcn_workitem_id_x() >> 6;
  int row0 = __builtin_amdgcn_workgroup_id_x() * 128 + (wave >> 1) * 64;
  int col0 = __builtin_amdgcn_workgroup_id_y() * 128 + (wave & 1) * 64;
  GLOBAL const __bf16 *pa = a + (row0 + (lane & 15)) * k_size + (lane >> 4) * 8;
  GLOBAL const __bf16 *pb = b + (col0 + (lane & 15)) * k_size + (lane >> 4) * 8;
  f4 acc[4][4] = {};
  for (int k = 0; k < k_size; k += 32) {
    b8 va[4], vb[4];
    for (int i = 0; i < 4; i++) va[i] = *(GLOBAL const b8 *)(pa + i * 16 * k_size + k);
    for (int i = 0; i < 4; i++) vb[i] = *(GLOBAL const b8 *)(pb + i * 16 * k_size + k);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) acc[i][j] = __builtin_amdgcn_mfma_f32_16x16x32_bf16(va[i], vb[j], acc[i][j], 0, 0, 0);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int r = 0; r < 4; r++)
        c[(row0 + i * 16 + (lane >> 4) * 4 + r) * 1024 + col0 + j * 16 + (lane & 15)] = acc[i][j][r];
}

// y = (x * a + b) * x + y, with a clamp: four floats a lane.
KERNEL elementwise(GLOBAL float *y, GLOBAL const float *x, float a, float b, int n) {
  int i = (__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x()) * 4;
  if (i >= n) return;
  f4 vx = *(GLOBAL const f4 *)(x + i), vy = *(GLOBAL f4 *)(y + i);
  for (int e = 0; e < 4; e++) {
    float t = __builtin_fmaf(vx[e], a, b);
    t = __builtin_fmaf(t, vx[e], vy[e]);
    vy[e] = t < 0.0f ? t * a : t;
  }
  *(GLOBAL f4 *)(y + i) = vy;
}
"""
K_SIZE = 512
ELEMENTS = 1 << 21
GRIDS = {"gemm": (8, 8, 1), "elementwise": (ELEMENTS // 1024, 1, 1)}


def inputs(kernel: str) -> tuple[list[Any], Any]:
    """Return the kernel's arguments (the output first zeroed or given) and what the output should hold."""
    import ml_dtypes
    import numpy as np

    rng = np.random.default_rng(0)
    if kernel == "gemm":
        a, b = (rng.standard_normal((1024, K_SIZE)).astype(ml_dtypes.bfloat16) for _ in range(2))
        c = np.zeros((1024, 1024), dtype=np.float32)
        return [a, b, c, np.int32(K_SIZE)], a.astype(np.float64) @ b.astype(np.float64).T
    x, y = (rng.standard_normal(ELEMENTS).astype(np.float32) for _ in range(2))
    scale, shift = np.float32(0.5), np.float32(0.25)
    t = (x.astype(np.float64) * 0.5 + 0.25) * x + y
    return [y, x, scale, shift, np.int32(ELEMENTS)], np.where(t < 0, t * 0.5, t)


def check(kernel: str, got: Any, expected: Any) -> None:
    """Exit when a result is wrong, for then its time means nothing."""
    import numpy as np

    worst = float(np.abs(got - expected).max())
    if not worst < (1e-3 if kernel == "gemm" else 1e-5):
        raise SystemExit(f"{kernel}: off by {worst}")


def output(kernel: str, args: list[Any]) -> Any:
    """The argument that the kernel writes."""
    return args[2 if kernel == "gemm" else 0]


def run_hkasm(path: Path, kernel: str, repeat: int, strict: bool) -> dict[str, float]:
    """Processor seconds of each launch; all checks, or none."""
    import hkasm
    from hkasm.emulator.options import Options

    device = hkasm.device("emulator")
    function = device.load(path).kernels[kernel]
    options = Options() if strict else Options(checks=())
    spent, instructions = [], 0
    for _ in range(repeat + 1):
        args, expected = inputs(kernel)
        buffers = [device.buffer(arg) if getattr(arg, "ndim", 0) else arg for arg in args]
        began = time.process_time()
        report = function.launch(grid=GRIDS[kernel], block=(256, 1, 1), args=buffers, options=options)
        spent.append(time.process_time() - began)
        instructions = report.instructions
        check(kernel, output(kernel, buffers).numpy(), expected)
        for buffer in buffers:
            if hasattr(buffer, "free"):
                buffer.free()
    return {"seconds": min(spent[1:]), "instructions": instructions, "mfma": report.counters.get("SQ_INSTS_MFMA", 0)}


def run_tinygrad(path: Path, kernel: str, repeat: int) -> dict[str, float]:
    """Processor seconds of each launch on tinygrad's CDNA emulator, unchanged."""
    import ctypes
    import importlib
    import types

    import numpy as np

    package = types.ModuleType("test")  # Python's own package of that name would be found first
    package.__path__ = [str(Path(os.environ["TINYGRAD"]) / "test")]
    sys.modules["test"] = package
    emu = importlib.import_module("test.mockgpu.amd.emu")
    from hkasm.asm.codeobject import CodeObject

    image = CodeObject.from_path(path).kernels[kernel]
    layout = [(entry.name, entry.count) for entry in image.descriptor.sgpr_layout()]
    code = ctypes.create_string_buffer(bytes(image.code) + bytes(256))
    spent = []
    for _ in range(repeat + 1):
        args, expected = inputs(kernel)
        segment = bytearray(image.descriptor.kernarg_bytes + 256)
        for arg, place in zip(args, image.args, strict=False):
            word = arg.ctypes.data if getattr(arg, "ndim", 0) else arg
            data = np.uint64(word).tobytes() if getattr(arg, "ndim", 0) else np.asarray(arg).tobytes()
            segment[place.offset : place.offset + len(data)] = data
        kernarg = ctypes.create_string_buffer(bytes(segment))
        address = ctypes.addressof(kernarg)
        user: list[int] = []
        for name, count in layout:
            if name == "kernarg_ptr":
                user += [address & 0xFFFFFFFF, address >> 32]
            elif name == "kernarg_preload":
                first = 4 * image.descriptor.preload_offset_dwords
                user += list(np.frombuffer(bytes(segment), np.uint32, count, first))
            elif not name.startswith("workgroup_id_"):
                user += [0] * count
        d = image.descriptor
        rsrc2 = len(user) << 1 | d.workgroup_id_x << 7 | d.workgroup_id_y << 8 | d.workgroup_id_z << 9
        began = time.process_time()
        emu.run_asm(
            ctypes.addressof(code),
            len(code),
            *GRIDS[kernel],
            256,
            1,
            1,
            address,
            rsrc2,
            0,
            "cdna",
            [int(w) for w in user],
        )
        spent.append(time.process_time() - began)
        check(kernel, output(kernel, args), expected)
    return {"seconds": min(spent[1:])}


def compile_kernels(folder: Path) -> Path:
    """Compile the C kernels for gfx950."""
    clang = next((name for name in ("clang-22", "clang") if shutil.which(name)), None)
    if clang is None:
        raise SystemExit("no clang found: install clang-22 and lld-22")
    (folder / "kernels.c").write_text(SOURCE, encoding="utf-8")
    words = [clang, "-x", "c", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-O2", "-nogpulib", "-ffreestanding"]
    subprocess.run([*words, "kernels.c", "-o", "kernels.hsaco"], check=True, cwd=folder)
    if not shutil.which("clang"):
        (folder / "clang").symlink_to(shutil.which(clang) or clang)  # tinygrad calls it by this name
    return folder / "kernels.hsaco"


def child(side: str, tinygrad: Path, hsaco: Path, kernel: str, core: int, repeat: int) -> dict[str, float]:
    """Run one side in a process of its own."""
    paths = [str(ROOT), *([str(tinygrad)] if side == "tinygrad" else [])]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(paths), "TINYGRAD": str(tinygrad)}
    environment["PATH"] = os.pathsep.join([str(hsaco.parent), environment.get("PATH", "")])
    words = [sys.executable, __file__, str(tinygrad), "--side", side, "--hsaco", str(hsaco), "--kernel", kernel]
    words += ["--core", str(core), "--repeat", str(repeat)]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{side}, {kernel}: {done.stderr.strip() or done.stdout.strip()}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Race both kernels and print rates and ratios."""
    parser = argparse.ArgumentParser(description="hkasm's emulator against tinygrad's, one core each")
    parser.add_argument("tinygrad", type=Path, help="a checkout of tinygrad/tinygrad")
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--side", choices=("hkasm", "unchecked", "tinygrad"), help=argparse.SUPPRESS)
    parser.add_argument("--hsaco", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--kernel", choices=tuple(GRIDS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {options.core})
        if options.side == "tinygrad":
            result = run_tinygrad(options.hsaco, options.kernel, options.repeat)
        else:
            result = run_hkasm(options.hsaco, options.kernel, options.repeat, options.side == "hkasm")
        print(json.dumps(result))
        return 0
    if not (options.tinygrad / "test" / "mockgpu" / "amd" / "emu.py").exists():
        print(f"{options.tinygrad} is no checkout of tinygrad: git clone https://github.com/tinygrad/tinygrad")
        return 2
    good = True
    with tempfile.TemporaryDirectory(prefix="race") as folder:
        hsaco = compile_kernels(Path(folder))
        for kernel in GRIDS:
            strict, unchecked, theirs = (
                child(side, options.tinygrad.resolve(), hsaco, kernel, options.core, options.repeat)
                for side in ("hkasm", "unchecked", "tinygrad")
            )
            count = strict["instructions"]
            ratio = theirs["seconds"] / strict["seconds"]
            price = strict["seconds"] / unchecked["seconds"]
            print(f"{kernel}: {count:.0f} wave-instructions ({strict['mfma']:.0f} MFMA)")
            for name, side in (("hkasm strict", strict), ("hkasm unchecked", unchecked), ("tinygrad", theirs)):
                print(
                    f"  {name:16} {side['seconds']:8.3f} s {count / side['seconds'] / 1e6:8.3f} M wave-instructions/s"
                )
            print(
                f"  hkasm strict is {ratio:.2f} times as fast as tinygrad (goal 3), "
                f"strict / unchecked {price:.2f} (limit 2.5)"
            )
            good &= ratio >= 3 and price <= 2.5
    print("PASS" if good else "FAIL")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())

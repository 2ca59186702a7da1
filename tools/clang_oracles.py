"""Compile plain C kernels with clang for gfx942 and gfx950, as oracles for the emulator.

Run from the repository root; needs a clang and lld that know gfx950 (22 or newer), no ROCm:

    python tools/clang_oracles.py OUT              # every source, level and arch
    python tools/clang_oracles.py tests/data/clang --fixtures

Writes one .hsaco for each source, level and arch, and manifest.json in the format of
``tools/triton_oracles.py``: one record for each kernel in each code object.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ARCHES = ("gfx942", "gfx950")
LEVELS = ("O0", "O1", "O2", "O3", "Os")
FIXTURES = (
    ("vector", "O0", "gfx942"),
    ("vector", "O2", "gfx942"),
    ("vector", "O2", "gfx950"),
    ("matrix", "O2", "gfx942"),
    ("matrix", "O2", "gfx950"),
)
"""(source, level, arch) of the code objects that are kept in the repository."""

SOURCES = Path("tests/data/clang")
NOTE = "Compiled by clang from the C sources beside; made by tools/clang_oracles.py, do not edit."


@dataclass(frozen=True)
class Kernel:
    """One kernel of a source with the launch and the reference that test it."""

    source: str
    name: str
    args: tuple[dict[str, object], ...]
    grid: int = 1
    block: int = 256
    reference: str = ""
    rtol: float = 0.0
    atol: float = 0.0
    archs: tuple[str, ...] = ARCHES


def pointer(name: str, dtype: str, *shape: int, fill: str = "normal", role: str = "in") -> dict[str, object]:
    """A buffer argument of the manifest."""
    return {
        "name": name,
        "kind": "pointer",
        "dtype": dtype,
        "shape": list(shape),
        "fill": "zeros" if role == "out" else fill,
        "role": role,
    }


def i32(name: str, value: int) -> dict[str, object]:
    """A 32-bit integer argument of the manifest."""
    return {"name": name, "kind": "value", "dtype": "int32", "value": value}


def _vector() -> Iterator[Kernel]:
    n = 600
    count = i32("n", n)
    ints = "int:-2147483647:2147483648"

    def binary(name: str, dtype: str, fill_a: str, fill_b: str, outs: int) -> Kernel:
        args = (
            pointer("a", dtype, n, fill=fill_a),
            pointer("b", dtype, n, fill=fill_b),
            pointer("out", dtype, outs, n, role="out"),
            count,
        )
        return Kernel("vector", name, args, grid=3, reference=name)

    yield Kernel(
        "vector",
        "vector_add",
        (pointer("a", "float32", n), pointer("b", "float32", n), pointer("c", "float32", n, role="out"), count),
        grid=3,
        reference="vector_add",
    )
    yield Kernel("vector", "fill_ids", (pointer("out", "uint32", n, role="out"), count), grid=3, reference="fill_ids")
    yield binary("integer_ops", "int32", ints, "divisor:100000", 18)
    yield binary("integer64_ops", "int64", "int:-4611686018427387904:4611686018427387904", "divisor:1000000000000", 11)
    yield binary("float_ops", "float32", "normal:1000", "normal:1000", 16)
    yield binary("double_ops", "float64", "normal:1000", "normal:1000", 9)
    yield Kernel(
        "vector",
        "narrow",
        (
            pointer("a", "float32", n, fill="normal:10"),
            pointer("b", "bfloat16", n, role="out"),
            pointer("h", "float16", n, role="out"),
            pointer("back", "float32", 3, n, role="out"),
            count,
        ),
        grid=3,
        reference="narrow",
    )
    yield Kernel(
        "vector",
        "reduce",
        (pointer("a", "float32", n), pointer("out", "float32", 3, role="out"), count),
        grid=3,
        reference="reduce_blocks",
        rtol=1e-5,
        atol=1e-5,
    )
    yield Kernel(
        "vector",
        "scan",
        (pointer("a", "uint32", 2, 256, fill="int:0:4294967296"), pointer("out", "uint32", 2, 256, role="out")),
        grid=2,
        reference="scan_rows",
    )
    yield Kernel(
        "vector",
        "divergent",
        (
            pointer("a", "uint32", 150, fill="int:1:27"),
            pointer("out", "uint32", 150, role="out"),
            i32("n", 150),
        ),
        reference="divergent_steps",
    )
    yield Kernel(
        "vector",
        "private_sort",
        (
            pointer("a", "int32", 200, 8, fill="int:-99999:99999"),
            pointer("out", "int32", 200, 8, role="out"),
            i32("n", 200),
        ),
        reference="private_sort",
    )
    yield Kernel(
        "vector",
        "lanes",
        (pointer("a", "int32", 512, fill="int:-1000:1000"), pointer("out", "int32", 7, 512, role="out")),
        grid=2,
        reference="lanes",
    )
    yield Kernel(
        "vector",
        "atomics",
        (
            pointer("a", "uint32", n, fill="int:0:100000"),
            pointer("bins", "uint32", 16, fill="zeros", role="inout"),
            pointer("top", "uint32", 1, fill="zeros", role="inout"),
            pointer("total", "float32", 1, fill="zeros", role="inout"),
            count,
        ),
        grid=3,
        reference="lds_atomics",
    )


def _matrix() -> Iterator[Kernel]:
    def mfma(
        name: str,
        m: int,
        k: int,
        dtype: str,
        acc: str = "float32",
        *,
        fill: str = "normal",
        archs: tuple[str, ...] = ARCHES,
        rtol: float = 1e-6,
        atol: float = 1e-6,
    ) -> Kernel:
        args = (
            pointer("a", dtype, m, k, fill=fill),
            pointer("b", dtype, m, k, fill=fill),
            pointer("c", acc, m, m, fill="int:-50:50" if acc == "int32" else "normal"),
            pointer("d", acc, m, m, role="out"),
        )
        return Kernel("matrix", name, args, block=64, reference="mfma", rtol=rtol, atol=atol, archs=archs)

    yield mfma("mfma_f32_16x16x16_bf16", 16, 16, "bfloat16")
    yield mfma("mfma_f32_32x32x8_f16", 32, 8, "float16")
    yield mfma("mfma_i32_16x16x32_i8", 16, 32, "int8", "int32", fill="int:-128:128", rtol=0.0, atol=0.0)
    yield mfma("mfma_f64_16x16x4_f64", 16, 4, "float64", "float64", rtol=1e-15, atol=1e-14)
    yield mfma("mfma_f32_16x16x32_fp8", 16, 32, "float8_e4m3fnuz", archs=("gfx942",))
    yield mfma("mfma_f32_16x16x32_fp8", 16, 32, "float8_e4m3fn", archs=("gfx950",))
    yield mfma("mfma_f32_16x16x32_bf16", 16, 32, "bfloat16", archs=("gfx950",))
    yield mfma("mfma_f32_32x32x16_f16", 32, 16, "float16", archs=("gfx950",))
    yield Kernel(
        "matrix",
        "mfma_scale_f32_16x16x128_fp4",
        (
            pointer("a", "uint8", 16, 64, fill="bytes"),
            pointer("b", "uint8", 16, 64, fill="bytes"),
            pointer("sa", "uint8", 16, 4, fill="int:120:134"),
            pointer("sb", "uint8", 16, 4, fill="int:120:134"),
            pointer("c", "float32", 16, 16),
            pointer("d", "float32", 16, 16, role="out"),
        ),
        block=64,
        reference="mfma_scaled_fp4",
        rtol=1e-6,
        atol=1e-4,
        archs=("gfx950",),
    )


def kernels() -> list[Kernel]:
    """Every kernel of both sources, with its launch."""
    return [*_vector(), *_matrix()]


def find_clang(wanted: str | None) -> str:
    """Path of a clang; exits with one line when there is none."""
    for name in (wanted, "clang-22", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise SystemExit("no clang found: install clang-22 and lld-22, or give --clang PATH")


def compile_source(clang: str, source: Path, level: str, arch: str, target: Path) -> list[str]:
    """Compile and link one source; returns the options that matter for the result."""
    options = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", f"-{level}", "-ffp-contract=off"]
    subprocess.run([clang, *options, source.name, "-o", str(target)], check=True, cwd=source.parent)
    target.chmod(0o644)
    return options


def record(kernel: Kernel, level: str, arch: str, file: str, options: list[str]) -> dict[str, object]:
    """The manifest's record of one kernel in one code object."""
    return {
        "label": f"{kernel.name}_{level}_{arch}",
        "file": file,
        "kernel": kernel.name,
        "arch": arch,
        "grid": [kernel.grid, 1, 1],
        "block": [kernel.block, 1, 1],
        "lds_bytes": 0,
        "reference": kernel.reference,
        "tolerance": {"rtol": kernel.rtol, "atol": kernel.atol},
        "args": list(kernel.args),
        "trailing_pointers": 0,
        "options": {"clang": options},
    }


def main() -> int:
    """Compile the chosen code objects into a folder."""
    parser = argparse.ArgumentParser(description="compile C kernels with clang, oracles for the emulator")
    parser.add_argument("out", type=Path, help="folder for .hsaco files and manifest.json")
    parser.add_argument("--fixtures", action="store_true", help="only the set kept in the repository")
    parser.add_argument("--clang", help="the clang to use")
    chosen = parser.parse_args()

    clang = find_clang(chosen.clang)
    version = subprocess.run([clang, "--version"], check=True, capture_output=True, text=True).stdout
    number = re.search(r"clang version (\d+\.\d+\.\d+)", version)
    out = chosen.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).resolve().parents[1]
    entries: list[dict[str, object]] = []
    for source in ("vector", "matrix"):
        for level in LEVELS:
            for arch in ARCHES:
                if chosen.fixtures and (source, level, arch) not in FIXTURES:
                    continue
                file = f"{source}_{level}_{arch}.hsaco"
                options = compile_source(clang, root / SOURCES / f"{source}.c", level, arch, out / file)
                entries += [
                    record(kernel, level, arch, file, options)
                    for kernel in kernels()
                    if kernel.source == source and arch in kernel.archs
                ]
                print(f"{file}: {(out / file).stat().st_size} bytes")
    manifest = {
        "note": NOTE,
        "generator": "tools/clang_oracles.py",
        "source": SOURCES.as_posix(),
        "compiler": f"clang {number[1] if number else 'unknown'}",
        "kernels": entries,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(f"{len(entries)} kernels")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

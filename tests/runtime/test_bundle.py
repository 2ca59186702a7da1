"""Bundles: the C structure is the metadata's byte by byte; the C example and the Python loader launch right."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.hip import FakeRocm, build_fake, held

from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.program import KernelArg, Program
from hkasm.cli import main
from hkasm.errors import UsageError
from hkasm.runtime.arguments import pack_arguments
from hkasm.runtime.bundle import Example, bundle_files, c_name, c_struct

DTYPES = {"u8": 1, "i16": 2, "bf16": 2, "f16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "f64": 8}


def _args(kinds: list[str]) -> list[KernelArg]:
    found: list[KernelArg] = []
    end = 0
    for number, kind in enumerate(kinds):
        size = 8 if kind == "pointer" else DTYPES[kind]
        offset = -(-end // size) * size
        dtype = "f32" if kind == "pointer" else kind
        found.append(KernelArg(f"x{number}", "pointer" if kind == "pointer" else "value", dtype, offset, size))
        end = offset + size
    return found


@given(st.lists(st.sampled_from(["pointer", *DTYPES]), min_size=1, max_size=12))
def test_holes_are_what_a_compiler_would_leave(kinds: list[str]) -> None:
    """Every field stands where C's own alignment puts it, so that the text may be read without `packed`."""
    args = _args(kinds)
    text = c_struct("k", args)
    fields = []
    for line in text.splitlines()[1:-1]:
        kind, name = line.strip().rstrip(";").rsplit(" ", 1)
        if name.startswith("hole"):
            fields.append((name.partition("[")[0], ctypes.c_uint8 * int(name.partition("[")[2][:-1])))
        else:
            plain = {"float": "c_float", "double": "c_double"}.get(kind, "c_" + kind.removesuffix("_t"))
            fields.append((name.lstrip("*"), ctypes.c_void_p if "*" in name else getattr(ctypes, plain)))
    structure = type("Structure", (ctypes.Structure,), {"_fields_": fields})
    for arg in args:
        assert getattr(structure, arg.name).offset == arg.offset
    assert ctypes.sizeof(structure) == -(-(args[-1].offset + args[-1].size) // 8) * 8


def test_names_are_made_fit_for_c() -> None:
    assert [c_name(name) for name in ("gemm", "int", "a.b", "8wave")] == ["gemm", "int_", "a_b", "_8wave"]


def _program(arch: str) -> Program:
    k = Builder(arch, "mixed", block=(16, 8, 1))
    k.arg("y", "f32", pointer=True, rank=1, access="write")
    k.arg("x", "f32", pointer=True, rank=1)
    k.arg("a", "f32")
    k.arg("flag", "u8")
    k.arg("N", "u64")
    k.arg("b", "f16")
    k.s_endpgm()
    return k.finish()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, toolchain: object) -> Path:
    from hkasm.asm.toolchain import build_hsaco

    built = {arch: (program := _program(arch), build_hsaco(program)) for arch in ("gfx942", "gfx950")}
    example = Example((3, 5, 1), ("y", "x", 1.5, 7, 1 << 40, 0), {"x": 400, "y": 400}, "n=5")
    target = tmp_path_factory.mktemp("bundle")
    for name, data in bundle_files(built, ("ceil(n / 128)", "2 * n", "1"), example).items():
        (target / name).write_bytes(data)
    return target


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> FakeRocm:
    return build_fake(tmp_path_factory.mktemp("rocm"))


def _compiler() -> str:
    found = next((path for path in (shutil.which(name) for name in ("cc", "gcc", "clang")) if path), None)
    if found is None:
        pytest.skip("no C compiler")
    return found


def _packed(folder: Path, arch: str, y: int, x: int) -> bytes:
    kernel = CodeObject.from_path(folder / f"mixed.{arch}.hsaco").kernels["mixed"]
    raw = pack_arguments(kernel, [y, x, 1.5, 7, 1 << 40, 0.0])
    return raw + bytes(-len(raw) % 8)


def test_the_c_example_launches_with_the_kernels_own_bytes(folder: Path, rocm: FakeRocm) -> None:
    program = folder / "example"
    warnings = ("-std=c11", "-Wall", "-Wextra", "-Werror")
    library = rocm.root / "lib"
    subprocess.run(
        [_compiler(), *warnings, "example.c", "-o", str(program), f"-L{library}", "-lamdhip64"], cwd=folder, check=True
    )
    log = rocm.root / "example.log"
    environment = os.environ | {"LD_LIBRARY_PATH": str(library), "FAKE_HIP_LOG": str(log)}
    done = subprocess.run([str(program)], env=environment, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "launched mixed\n"
    calls = log.read_text().splitlines()
    (launch,) = (call for call in calls if call.startswith("hipModuleLaunchKernel"))
    words = dict(word.split("=") for word in launch.split()[1:])
    assert (words["grid"], words["block"], words["lds"]) == ("3,5,1", "16,8,1", "0")
    x, y = (int(call.split()[-1], 16) for call in calls if call.startswith("hipMalloc"))
    assert bytes.fromhex(words["kernarg"]) == _packed(folder, "gfx942", y, x)
    assert held(calls) == {}
    failed = subprocess.run(
        [str(program)], env=environment | {"FAKE_HIP_FAIL": "hipMalloc:2"}, capture_output=True, text=True, check=False
    )
    assert failed.returncode == 1
    assert "out of memory" in failed.stderr


def test_the_grid_function_follows_the_rule(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "grid.c").write_text(
        '#include "mixed.h"\n#include <stdio.h>\n'
        "int main(void) { struct mixed_args a = {.N = 129}; unsigned g[3]; mixed_grid(&a, g);\n"
        'printf("%u %u %u", g[0], g[1], g[2]); return 0; }\n'
    )
    compiler = [_compiler(), "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder}"]
    subprocess.run([*compiler, "grid.c", "-o", "grid"], cwd=tmp_path, check=True)
    assert subprocess.run([str(tmp_path / "grid")], capture_output=True, check=True).stdout == b"2 258 1"


LOADER = """
import json, sys
sys.path.insert(0, sys.argv[1])
assert not any(name.startswith("hkasm") for name in sys.modules)
from loader import Bundle, HipError

class Tensor:
    def data_ptr(self):
        return 0x2000

said = {}
with Bundle() as kernel:
    kernel.launch((3, 5), [0x1000, Tensor(), 1.5, 7, 1 << 40, 0.0], stream=0x55)
    kernel.synchronize()
    said["arch"] = kernel.arch
    for args in ([1], [0, 0, 0.0, 300, 0, 0.0]):
        try:
            kernel.launch((1,), args)
        except (TypeError, OverflowError) as error:
            said.setdefault("errors", []).append(str(error))
assert not any(name.startswith("hkasm") for name in sys.modules)
print(json.dumps(said))
"""


def test_the_python_loader_needs_nothing_and_launches_the_same(folder: Path, rocm: FakeRocm) -> None:
    done = rocm.python(LOADER, str(folder))
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.said["arch"] == "gfx950"
    assert done.said["errors"] == [
        "6 arguments: y, x, a, flag, N, b; got 1",
        "flag: 300 does not fit 1 bytes",
    ]
    (launch,) = done.named("hipModuleLaunchKernel")
    words = dict(word.split("=") for word in launch.split()[1:])
    assert (words["grid"], words["block"], words["stream"]) == ("3,5,1", "16,8,1", "0x55")
    assert bytes.fromhex(words["kernarg"]) == _packed(folder, "gfx950", 0x1000, 0x2000)
    assert held(done.calls) == {}
    other = rocm.python(LOADER, str(folder), FAKE_HIP_ARCH="gfx90a")
    assert "HipError: GPU 0 is gfx90a; there is code for gfx942, gfx950" in other.stderr


def test_archs_with_other_arguments_do_not_share_a_header() -> None:
    one = _program("gfx942")
    other = replace(_program("gfx950"), block=(64, 1, 1))
    with pytest.raises(UsageError, match="mixed for gfx950 takes other arguments or another block"):
        bundle_files({"gfx942": (one, b""), "gfx950": (other, b"")}, ("1", "1", "1"), Example((1,), (), {}, ""))


def test_the_command_writes_the_folder(tmp_path: Path, toolchain: object) -> None:
    command = [
        sys.executable,
        "-m",
        "hkasm",
        "bundle",
        "gemm",
        "--arch",
        "gfx950",
        "-o",
        str(tmp_path / "out"),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["archs"] == ["gfx950"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["objects"]["gfx950"]["file"] == "gemm.gfx950.hsaco"
    assert manifest["grid"]["x"].startswith("ceil(n /")
    assert np.array(manifest["block"]).prod() == 512


def test_the_command_names_the_kernel_that_finishes_the_job(tmp_path: Path, toolchain: object) -> None:
    words = ["bundle", "decode", "--arch", "gfx950", "-p", "d=64", "-o", str(tmp_path)]
    said = CliRunner().invoke(main, words, prog_name="hkasm").stdout.splitlines()
    line = "then    decode_combine finishes what it leaves: hkasm bundle decode_combine -p dtype=bf16 -p d=64"
    assert said[-1] == line
    whole = CliRunner().invoke(main, [*words, "-p", "splits=1"], prog_name="hkasm").stdout.splitlines()
    assert whole[-1].startswith("wrote ")

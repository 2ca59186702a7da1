"""`hkasm emulate FILE`: foreign kernels from the command line, with their findings, files and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from click.testing import Result
from support.foreign import foreign_text
from support.oracles import DATA

Hkasm = Callable[..., Result]
AXPY = DATA / "triton" / "axpy_gfx950.hsaco"
GEMM = DATA / "triton" / "gemm_bf16_nt_128x128x64_w4_gfx942.hsaco"
LINES = foreign_text(
    """
    s_load_dwordx2 s[4:5], s[0:1], 0
    s_load_dword s6, s[0:1], 16
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    WAIT
    v_mul_f32 v2, s6, v2
    global_store_dword v1, v2, s[4:5]
    s_endpgm
    """,
    name="twice", next_free_vgpr=3, next_free_sgpr=8, accum_offset=4, user_sgpr_kernarg_segment_ptr=1,
)  # fmt: skip


def axpy(n: int = 1000) -> tuple[str, ...]:
    words = ("x:ptr:f32[1024]=normal:2", "y:ptr:f32[1024]=normal:1", "f32=2.5", f"i32={n}", "ptr=0", "ptr=0")
    return tuple(part for word in words for part in ("--arg", word))


@pytest.fixture
def twice(toolchain: None, tmp_path: Path) -> Callable[[str], Path]:
    """Write the hand-written kernel, with slots of 16 bytes and no metadata, as a .s file."""

    def write(wait: str) -> Path:
        path = tmp_path / "twice.s"
        path.write_text(LINES.replace("WAIT", wait))
        return path

    return write


def test_a_foreign_gemm(hkasm: Hkasm, tmp_path: Path) -> None:
    words = ["a:ptr:bf16[200x160]=normal:1", "b:ptr:bf16[144x160]=normal:2", "c:ptr:bf16[200x144]=nan"]
    words += [f"i32={n}" for n in (200, 144, 160, 160, 160, 144)] + ["ptr=0", "ptr=0"]
    args = [part for word in words for part in ("--arg", word)]
    out = tmp_path / "c.npy"
    result = hkasm("emulate", GEMM, "--grid", "2,2", "--block", "256", "--lds", 32768, *args, "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:2] == ["kernel  gemm for gfx942", "launch  grid 2x2x1, block 256x1x1, 32768 bytes of dynamic LDS"]
    assert lines[3] == f"wrote   {out}"
    assert ["SQ_INSTS_MFMA", "3,072"] in [line.split() for line in lines]
    assert lines[-1] == "no findings"
    a, b = (
        np.random.default_rng(seed).standard_normal(shape, np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
        for seed, shape in ((1, (200, 160)), (2, (144, 160)))
    )
    got = np.load(out).view(ml_dtypes.bfloat16).astype(np.float64)
    assert np.abs(got - a @ b.T).max() < 0.2


def test_json_says_the_same(hkasm: Hkasm) -> None:
    result = hkasm("emulate", AXPY, "--grid", 1, "--block", "256", *axpy(), "--json")
    said = json.loads(result.stdout)
    assert (result.exit_code, said["passed"], said["kernel"], said["findings"]) == (0, True, "axpy", [])
    assert [buffer["name"] for buffer in said["buffers"]] == ["x", "y"]
    again = json.loads(hkasm("emulate", AXPY, "--grid", 1, "--block", "256", *axpy(), "--json").stdout)
    assert again["buffers"] == said["buffers"]
    assert said["counters"]["SQ_INSTS_VALU"] > 0


def test_findings_are_listed_and_fail(hkasm: Hkasm) -> None:
    result = hkasm("emulate", AXPY, "--grid", "2", "--block", "256", *axpy(4096))
    assert result.exit_code == 1
    assert "1. error memory-bounds: tools/triton_kernels.py" in result.stdout
    assert "behind the end of x (4096 bytes)" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("findings")
    said = json.loads(hkasm("emulate", AXPY, "--grid", "2", "--block", "256", *axpy(4096), "--json").stdout)
    assert said["findings"][0]["rule"] == "memory-bounds"
    first = hkasm("emulate", AXPY, "--grid", "2", "--block", "256", *axpy(4096), "--strict")
    assert first.exit_code == 1
    assert first.stdout.splitlines()[-1] == "1 finding; the launch did not come to its end"
    none = hkasm("emulate", AXPY, "--grid", "2", "--block", "256", *axpy(4096), "--checks", "none")
    assert (none.exit_code, none.stdout.splitlines()[-1]) == (0, "no findings")


def test_jobs_change_nothing(hkasm: Hkasm) -> None:
    words = ("--grid", "2", "--block", "256", *axpy(), "--json")
    one, two = (json.loads(hkasm("emulate", AXPY, *words, "--jobs", jobs).stdout) for jobs in (1, 2))
    assert {**one, "seconds": 0} == {**two, "seconds": 0}


def test_assembly_without_metadata_and_slots_of_16_bytes(hkasm: Hkasm, twice: Callable[[str], Path]) -> None:
    words = ("--grid", 1, "--block", 64, "--kernarg-slot", 16, "--arg", "x:ptr:f32[64]=arange", "--arg", "f32=2")
    source = twice("s_waitcnt vmcnt(0)")
    out = source.parent / "x.npy"
    result = hkasm("emulate", source, *words, "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert np.load(out).tolist() == [2.0 * n for n in range(64)]
    result = hkasm("emulate", twice("s_nop 0"), *words)
    assert result.exit_code == 1
    assert "register-in-flight" in result.stdout
    assert "is still in flight (vmcnt)" in result.stdout
    assert "1. error register-in-flight: twice.s:13: v_mul_f32" in result.stdout
    stopped = hkasm("emulate", twice("s_waitcnt vmcnt(0)"), *words, "--break", "twice.s:13", "--print", "v2:f32")
    assert stopped.stdout.startswith("stop 1: twice.s:13: v_mul_f32")
    assert "lane  8:  8  9 10 11 12 13 14 15" in stopped.stdout
    wrong = hkasm("emulate", twice("v_no_such v1"), *words)
    assert (wrong.exit_code, "twice.s:12" in wrong.stderr) == (2, True)


def test_a_run_has_limits(hkasm: Hkasm, twice: Callable[[str], Path]) -> None:
    endless = twice("s_branch twice")
    words = ("--grid", 1, "--block", 64, "--arg", "ptr:f32[64]=zeros", "--max-instructions", 500)
    result = hkasm("emulate", endless, *words, "--kernarg-slot", 16, "--checks", "none")
    assert result.exit_code == 1
    assert "wave-instructions (limit 500)" in result.stderr
    assert result.stdout.splitlines()[-1] == "no findings; the launch did not come to its end"


REFUSALS = {
    ("--block", "64"): "--grid is missing; --grid X,Y,Z",
    ("--grid", "1"): "--block is missing; --block X,Y,Z",
    ("--grid", "1,2,3,4", "--block", "64"): "--grid '1,2,3,4' is not one to three whole numbers",
    ("--grid", "0", "--block", "64"): "grid (0, 1, 1) is not one to three numbers of workgroups",
    ("--grid", "1", "--block", "2048"): "block (2048, 1, 1) is not one to three numbers of work-items",
    ("--grid", "1", "--block", "256", "--order", "odd"): "unknown order 'odd'",
    ("--grid", "1", "--block", "256", "--checks", "lds,regs"): "unknown check 'regs'",
    ("--grid", "1", "--block", "256", "--out", "z.npy"): "no argument 'z' has a buffer; those with one: x, y",
    ("--grid", "1", "--block", "256", "--out", "x.txt"): "--out 'x.txt' is no .npy file",
    ("--grid", "1", "--block", "256", "--kernel", "axpi"): "holds no kernel 'axpi'; did you mean 'axpy'?",
    ("--grid", "1", "--block", "256", "--arch", "gfx942"): "gfx950",
}


@pytest.mark.parametrize("words", REFUSALS)
def test_what_cannot_be_launched_is_one_line(hkasm: Hkasm, words: tuple[str, ...]) -> None:
    result = hkasm("emulate", AXPY, *words, *axpy())
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert REFUSALS[words] in result.stderr


def test_what_is_no_input_is_one_line(hkasm: Hkasm, tmp_path: Path) -> None:
    (tmp_path / "text.hsaco").write_text("no object")
    for words, text in (
        ((), "wants a code object, or --replay"),
        ((AXPY, "--replay", tmp_path), "wants a code object, or --replay"),
        (("--replay", tmp_path, "--grid", "1"), "a recorded launch has its own kernel, grid and arguments"),
        ((tmp_path / "text.hsaco",), "text.hsaco"),
        ((tmp_path / "none.hsaco",), "cannot be read"),
        (
            ("axpy.py:axpy",),
            "is Python, no code object; build it first: hkasm build axpy.py:axpy -o out writes out/axpy.hsaco",
        ),
        ((AXPY, "--grid", "1", "--block", "256"), "axpy takes 6 arguments, got 0"),
    ):
        result = hkasm("emulate", *words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), words
        assert text in result.stderr

"""`hkasm show lds`: kernels of the library with their launch, files with one that is given, and without."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Hkasm = Callable[..., Result]
GEMM = Path(__file__).parents[1] / "data" / "triton" / "gemm_bf16_nt_128x128x64_w4_gfx942.hsaco"
SMALL = ("-p", "m=40", "-p", "n=24", "-p", "k=200")


def test_a_kernel_of_the_library_with_its_launch(hkasm: Hkasm, toolchain: None) -> None:
    result = hkasm("show", "lds", "gemm", "--arch", "gfx950", *SMALL, "--width", "80")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (row,) = (line for line in lines if line.startswith("A0[0] ") and "W" in line)
    assert row.index("W") < row.rindex("R")
    assert any(line.split()[:4] == ["B1[0]", "read", "read", "B1"] for line in lines)
    assert any(line.startswith("banks: 0 of ") for line in lines)
    assert "measured: HipKittens phase solver, MI355X" in lines


def test_as_json(hkasm: Hkasm, toolchain: None) -> None:
    said = json.loads(hkasm("show", "lds", "gemm", "--arch", "gfx942", *SMALL, "--json").stdout)
    assert (said["arch"], said["run"]) == ("gfx942", True)
    assert sum(one["bytes"] for one in said["regions"]) == said["lds_bytes"]
    assert {act for one in said["regions"] for _, act in one["acts"]} == {"write", "read"}
    assert all(one["clk"] - one["free"] == one["lost"] for one in said["banks"])


def test_a_file_with_a_launch_and_without(hkasm: Hkasm) -> None:
    alone = hkasm("show", "lds", GEMM)
    assert (alone.exit_code, alone.stderr) == (0, "")
    assert "run     none" in alone.stdout
    words = ["a:ptr:bf16[128x128]=normal:1", "b:ptr:bf16[128x128]=normal:2", "c:ptr:bf16[128x128]=nan"]
    words += [f"i32={n}" for n in (128, 128, 128, 128, 128, 128)] + ["ptr=0", "ptr=0"]
    args = [part for word in words for part in ("--arg", word)]
    result = hkasm("show", "lds", GEMM, "--grid", "1", "--block", "256", "--lds", 32768, *args)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "LDS     32768 of 65536 bytes" in result.stdout
    assert any(line.startswith("all bytes  write") for line in result.stdout.splitlines())
    assert "ds_read" in result.stdout
    assert " clk lost to conflicts" in result.stdout


def test_launch_words_are_for_files(hkasm: Hkasm) -> None:
    result = hkasm("show", "lds", "gemm", "--arch", "gfx950", "--grid", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "hkasm: gemm: --grid, --block, --arg, --lds and --kernarg-slot are for files\n"

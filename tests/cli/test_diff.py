"""`hkasm diff` and `hkasm show code`: loops side by side, code beside Python lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Hkasm = Callable[..., Result]
TRITON = Path(__file__).parents[1] / "data" / "triton" / "gemm_bf16_nt_256x256x64_w8_gfx950.hsaco"


def test_a_foreign_loop_stands_beside_a_builders(hkasm: Hkasm) -> None:
    result = hkasm("diff", "gemm:acc=vgpr", str(TRITON), "--arch", "gfx950", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = json.loads(result.stdout)["rows"]
    assert rows["MFMA"] == ["128", "64"]
    assert float(rows["per MFMA"][0]) < 2.05 < float(rows["per MFMA"][1])
    assert rows["accvgpr copy"][0] == ""


def test_rows_that_are_alike_are_left_out(hkasm: Hkasm) -> None:
    assert hkasm("diff", "gemm", "gemm", "--arch", "gfx950").stdout == "alike in everything that is counted\n"
    shown = hkasm("diff", "gemm", "gemm:acc=vgpr", "--arch", "gfx950").stdout
    assert "VGPRs" in shown
    assert "MFMA" not in shown
    assert "MFMA" in hkasm("diff", "gemm", "gemm:acc=vgpr", "--arch", "gfx950", "--all").stdout


def test_one_program_is_too_few(hkasm: Hkasm) -> None:
    result = hkasm("diff", "gemm", "--arch", "gfx950")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "hkasm: diff compares two or more programs, got 1; hkasm diff gemm other.hsaco\n"


def test_code_of_the_hot_loop(hkasm: Hkasm) -> None:
    shown = hkasm("show", "code", "gemm", "--arch", "gfx950", "--hot").stdout
    assert "per MFMA" in shown
    assert "compute C00" in shown
    assert "hkasm/kernels/gemm/" in shown
    counts = hkasm("show", "code", str(TRITON), "--counts").stdout
    assert "no path leads here" in counts
    assert "v_mfma" not in counts


def test_predictions_stand_side_by_side(hkasm: Hkasm, toolchain: None) -> None:
    small = ("-p", "m=256", "-p", "n=256", "-p", "k=512")
    words = ("diff", "gemm:schedule=simple", "gemm:schedule=pingpong", "--predict", *small)
    result = hkasm(*words, "--chip", "mi355x", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    said = json.loads(result.stdout)
    assert said["chips"] == ["mi355x", "mi355x"]
    for name, place in (("simple", 0), ("pingpong", 1)):
        alone = json.loads(
            hkasm("predict", "gemm", "-p", f"schedule={name}", *small, "--chip", "mi355x", "--json").stdout
        )
        assert said["rows"]["TFLOPS"][place] == alone["performance"]["tflops"]
        assert said["rows"]["stall: barrier"][place] == alone["reasons"]["barrier"]
    assert said["rows"]["TFLOPS"][0] != said["rows"]["TFLOPS"][1]
    lines = hkasm(*words, "--chip", "mi300x", "--chip", "mi355x", "--width", "100").stdout.splitlines()
    assert lines[1].split() == ["chip", "mi300x", "mi355x"]


def test_predictions_want_kernels_of_the_library_and_chips_that_fit(hkasm: Hkasm) -> None:
    chips = ("--chip", "mi355x") * 3
    for words, line in (
        (("gemm", "x.hsaco", "--predict"),
         "x.hsaco: --predict is for kernels of the library; hkasm predict takes a launch"),
        (("gemm", "gemm", "--chip", "mi355x"), "--chip is for --predict"),
        (("gemm", "gemm", "--predict", *chips), "3 chips for 2 kernels; --chip once for all, or once for each"),
    ):  # fmt: skip
        result = hkasm("diff", *words)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")

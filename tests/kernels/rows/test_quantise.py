"""MXFP6 and MXFP4: rounding, scales, what is no number, every span, and the way into the GEMM."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from support.rows_runs import Values, built, run

import hkasm
from hkasm.asm.toolchain import Toolchain, build_hsaco
from hkasm.errors import UsageError
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.scales import decoded
from hkasm.kernels.rows.quantise import SMALL
from hkasm.kernels.rows.spans import SPANS

FINEST = {"fp6": 0.125, "bf6": 0.0625, "fp4": 0.5}
"""Distance of the smallest numbers."""
MOST = {"fp6": 7.5, "bf6": 28.0, "fp4": 6.0}


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("out", SMALL)
def test_a_last_block_is_short_and_blocks_have_scales_of_their_own(out: str, dtype: str, toolchain: Toolchain) -> None:
    values: Values = {"n": 2021, "rows": 3, "dtype": dtype, "out": out, "per": "block", "ldy": 2032}
    inputs = get_kernel("quantise").problem(**values).inputs(5)
    x = inputs["X"].reshape(3, 2021)
    x[:, :2016] *= np.exp2(np.arange(63) % 20 - 10).repeat(32).astype(x.dtype)
    x[1, 64:96] = 0
    _, comparisons, outputs = run("quantise", "gfx950", values, inputs=inputs)
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    assert outputs["S"].reshape(3, 64)[1, 2] == 0


@pytest.mark.parametrize("out", SMALL)
def test_ties_go_to_even_and_too_large_is_saturated(out: str, toolchain: Toolchain) -> None:
    """Halves of the finest step, with a largest element that makes the scale 1."""
    step, most = FINEST[out], MOST[out]
    largest = 2.0 ** np.floor(np.log2(most))
    x = np.zeros((1, 64), np.float32)
    x[0, :7] = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.5 + 2**-20, 1]) * step
    x[0, 7], x[0, 8], x[0, 32] = largest * (2 - 2**-22), -largest * (2 - 2**-22), largest
    values: Values = {"n": 64, "rows": 1, "dtype": "f32", "out": out, "per": "block"}
    _, comparisons, outputs = run("quantise", "gfx950", values, inputs={"X": x.ravel()})
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    assert outputs["S"].tolist() == [127, 127]
    y = decoded(outputs["Y"].reshape(1, -1), f"mx{out}")[0]
    assert (y[:7] / step).tolist() == [0, 2, 2, 0, -2, 1, 1]
    assert (y[7], y[8], y[32]) == (most, -most, largest)


@pytest.mark.parametrize("out", SMALL)
def test_a_block_that_is_no_number_has_the_scale_nan_and_others_are_not_touched(out: str, toolchain: Toolchain) -> None:
    x = np.ones((2, 96), np.float32)
    x[0, 5], x[0, 70], x[1, 95], x[1, 32:64] = np.nan, -np.inf, -np.nan, 2.0**-140
    values: Values = {"n": 96, "rows": 2, "dtype": "f32", "out": out, "per": "block"}
    _, comparisons, outputs = run("quantise", "gfx950", values, inputs={"X": x.ravel()})
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    one = 127 - {"fp6": 2, "bf6": 4, "fp4": 2}[out]
    assert outputs["S"].reshape(2, 3).tolist() == [[255, one, 255], [one, 0, 255]]
    y = decoded(outputs["Y"].reshape(2, -1), f"mx{out}")
    assert (y[0, 32:64] == 2.0 ** (127 - one)).all()


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("out", SMALL)
def test_each_byte_is_moved_once_in_whole_segments(out: str, dtype: str, toolchain: Toolchain) -> None:
    values: Values = {"n": 4096, "rows": 4, "dtype": dtype, "out": out, "per": "block"}
    report, comparisons, _ = run("quantise", "gfx950", values)
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    read, written = get_kernel("quantise").problem(**values).least_bytes
    assert (report.counters["load_bytes"], report.counters["store_bytes"]) == (read, written + 4 * 128)
    assert 64 * report.counters["load_segments"] <= 1.02 * read
    # A wave's piece of fp4 is 256 or 128 bytes, of 6 bits 384 or 192: whole segments all of them; scales apart.
    assert report.counters["store_segments_whole"] * 64 == written


@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("out", SMALL)
def test_there_is_code_for_every_span(out: str, dtype: str, span: str) -> None:
    program = get_kernel("quantise").build("gfx950", dtype=dtype, out=out, per="block", span=span, n=int(span))
    assert program.config["span"] == span


@pytest.mark.parametrize("out", SMALL)
def test_the_gemm_takes_what_was_quantised(out: str, toolchain: Toolchain) -> None:
    """A and B quantised, their scales brought into the GEMM's layout, multiplied: five launches in a row."""
    device, kernels = hkasm.device("emulator"), {}
    gemm = get_kernel("gemm").problem(dtype=f"mx{out}", m=70, n=48, k=288, tile="256x256" if out != "fp4" else "64x64")
    before, after = gemm.inputs(), gemm.outputs()
    sides = {"A": 70, "B": 48}
    buffers = {name: device.buffer(array, name) for name, array in (before | after).items()}

    def launch(name: str, problem: object, given: dict[str, object], code: bytes) -> None:
        start = problem.launch()  # type: ignore[attr-defined]
        entry = kernels.setdefault(name, device.load(code).kernels[name])
        entry.launch(start.grid, start.block, [given[one] if isinstance(one, str) else one for one in start.args])

    for side, rows in sides.items():
        quantise = get_kernel("quantise").problem(rows=rows, n=288, out=out, per="block", dtype="bf16")
        scales = get_kernel("mx_scales").problem(rows=rows, blocks=9)
        x = quantise.inputs(ord(side))["X"]
        rows_of_scales = device.buffer(quantise.outputs()["S"])
        given = {"Y": buffers[side], "X": device.buffer(x), "S": rows_of_scales}
        launch("quantise", quantise, given, built("quantise", "gfx950", quantise))
        units = {"U": buffers[f"scale_{side.lower()}"], "S": rows_of_scales}
        launch("mx_scales", scales, units, build_hsaco(get_kernel("mx_scales").build("gfx950")))
        before[side], before[f"scale_{side.lower()}"] = given["Y"].numpy(), units["U"].numpy()
        wide = x.astype(np.float64).reshape(rows, 288)
        again = gemm.operand(side, before[side]) * gemm._scales(before[f"scale_{side.lower()}"], rows, 0)
        assert np.abs(again - wide).max() <= np.abs(wide).max() / 4
    code = build_hsaco(get_kernel("gemm").build("gfx950", dtype=gemm.dtype, tile=gemm.tile))
    launch("gemm", gemm, dict(buffers), code)
    comparisons = gemm.check(before, {"C": buffers["C"].numpy()})
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    assert np.abs(buffers["C"].numpy().astype(np.float32)).max() > 1


def test_what_is_not_declared_is_refused() -> None:
    quantise = get_kernel("quantise")
    with pytest.raises(UsageError, match=r"out=fp4 with per=row: not declared\n  hint: MX types are scaled by block"):
        quantise.build("gfx950", out="fp4")
    with pytest.raises(UsageError, match="per=block is not declared for gfx942"):
        quantise.build("gfx942", out="fp6", per="block")
    with pytest.raises(UsageError, match=r"ldy=1002: rows of fp6 would begin within a byte\n  hint: a multiple of 4"):
        quantise.problem(out="fp6", per="block", n=1000, ldy=1002)
    assert ml_dtypes.float4_e2m1fn is SMALL["fp4"]

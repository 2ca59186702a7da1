"""Cases of the conversions: every pair of dtypes, roundings, scales, saturation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.elementwise import LAYOUTS, size_of
from support.tilesweep.numbers import differences, to_codes, to_values
from support.tilesweep.runner import Bench, Case

from hkasm.tiles.layout import DTYPE_BITS, base_shape
from hkasm.tiles.ops.convert import convert

Array = npt.NDArray[Any]

DTYPES = ("f32", "f16", "bf16", "fp8", "bf8", "fp6", "bf6", "fp4", "i32", "i8", "f64")
FORMS = ("rne", "saturate", "sr", "scale", "scale by lane")
WHOLE = {"i32": (-(2.0**31), 2.0**31 - 1), "i8": (-128.0, 127.0)}
NO_NAN = ("fp6", "bf6", "fp4")


def run(k: Bench, case: Case) -> None:
    """`dtype` is ``source>target``; `form` the mode."""
    source, target = case.dtype.split(">")
    arch, shape = k.arch.name, base_shape(case.shape)
    wide = source if DTYPE_BITS[source] >= DTYPE_BITS[target] else target
    rows, cols = size_of(Case("", "", arch, wide, case.shape, case.layout, ""), 2)
    chosen: Any = shape
    s = k.tile("s", source, rows, cols, chosen, case.layout, case.file)
    codes = k.data("s", source, rows, cols)
    k.fill(s, codes)
    values = to_values(codes, source, arch).astype(np.float64)
    d = k.tile("d", target, rows, cols, chosen, case.layout, case.file)
    noise, scale, exponent = None, None, np.zeros((1, 1, 1))
    if case.form == "sr":
        noise = k.vgpr("noise")
        k.load_words(
            [noise], k.rng("noise").integers(0, 1 << 32, (codes.shape[0], 1, 64), dtype=np.uint64).astype(np.uint32)
        )
    if case.form == "scale":
        scale, exponent = 0.25, np.full((1, 1, 1), -2)
    if case.form == "scale by lane":
        scale = k.vgpr("scale")
        lanes = k.rng("scale").integers(-3, 4, (codes.shape[0], 1, 64))
        k.load_words([scale], to_codes(2.0**lanes, "f32", arch))
        row, col = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
        lane, _ = shape.lane_slot(case.layout, row % shape.rows, col % shape.cols)
        exponent = lanes[:, 0, lane]
    k.ready()
    convert(
        k,
        d,
        s,
        rounding="sr" if case.form == "sr" else "rne",
        noise=noise,
        scale=scale,
        saturate=case.form == "saturate",
    )
    with np.errstate(all="ignore"):
        to_small = DTYPE_BITS[target] <= 8 and target != "i8"
        scaled = values * 2.0 ** (-exponent if to_small else exponent)
        want = _want(scaled, target, arch, case.form)
    if case.form != "sr":
        k.expect(d, want)
        return
    k.expect(d, want, judge=lambda got, wanted: _off_by_more(got, wanted, scaled, target, arch))


def _want(values: Array, target: str, arch: str, form: str) -> Array:
    """Return the codes of values rounded to nearest even, by ml_dtypes where it has the format."""
    if target in WHOLE:
        low, high = WHOLE[target]
        whole = np.where(np.isnan(values), 0.0 if target == "i32" else low, np.clip(np.rint(values), low, high))
        return to_codes(whole.astype(np.int64).astype(np.int32 if target == "i32" else np.int8), target, arch)
    if target in NO_NAN:
        largest = float(to_values(np.array([_top(target)]), target, arch)[0])
        values = np.where(np.isnan(values), np.copysign(largest, values), np.clip(values, -largest, largest))
    if form == "saturate":
        top = SATURATED.get((arch, target)) or SATURATED["", target]
        values = np.where(np.isnan(values), -top, np.clip(values, -top, top))
    if target in ("f16", "bf16", "fp8", "bf8") or target in NO_NAN:
        return (
            to_codes(values.astype(np.float32), target, arch) if _fits_f32(values) else to_codes(values, target, arch)
        )
    return to_codes(values, target, arch)


def _fits_f32(values: Array) -> bool:
    """Tell whether float32 holds all values, so that rounding to it first changes nothing."""
    return bool(np.all((values.astype(np.float32) == values) | np.isnan(values)))


def _top(dtype: str) -> int:
    return {"fp6": 0x1F, "bf6": 0x1F, "fp4": 0x07}[dtype]


def _off_by_more(got: Array, want: Array, values: Array, target: str, arch: str) -> Array:
    """Tell where a stochastic rounding is neither neighbour of the value, or no value at all."""
    exact = to_values(want, target, arch) == values
    finite = np.isfinite(values) & (np.abs(values) < LARGEST.get(target, np.inf))
    return np.asarray(
        finite & differences(got, want, target, arch, 1) | (exact & differences(got, want, target, arch, 0))
    )


SATURATED = {
    ("", "f16"): 65504.0, ("", "bf16"): float.fromhex("0x1.fep127"), ("", "bf8"): 57344.0, ("gfx942", "fp8"): 240.0,
    ("gfx950", "fp8"): 448.0,
}  # fmt: skip
LARGEST = {"f16": 65504.0, "bf16": 3.38e38, "fp8": 240.0, "bf8": 57344.0}
"""Beyond these a step up may leave the format (the smaller one of both archs)."""
SMALL = ("fp8", "bf8", "fp6", "bf6", "fp4")


def legal(case: Case) -> bool:
    """Say what must be legal."""
    source, target = case.dtype.split(">")
    old = case.arch == "gfx942"
    six = {"fp6", "bf6"} & {source, target}
    small = {source, target} & set(SMALL)
    if source == target or (old and small & {"fp6", "bf6", "fp4"}):
        return False
    if six and base_shape(case.shape).elements % 32:
        return False
    floats = ("f32", "f16", "bf16", *SMALL)
    pair = (source, target)
    plain = (source in floats and target in floats) or pair in (
        ("f32", "i32"), ("i32", "f32"), ("f32", "f64"), ("f64", "f32"), ("f32", "i8"), ("f16", "i8"), ("bf16", "i8"),
        ("i8", "f32"), ("i8", "f16"), ("i8", "bf16"),
    )  # fmt: skip
    if case.form == "rne":
        return plain
    if case.form == "saturate":
        return source == "f32" and target in ("f16", "bf16", "fp8", "bf8")
    if case.form == "sr":
        return source == "f32" and target in ((*SMALL, "f16", "bf16") if not old else ("fp8", "bf8"))
    return (
        not old
        and plain
        and len({source, target} & set(SMALL)) == 1
        and bool({source, target} & {"f32", "f16", "bf16"})
    )


def cases(arch: str, shapes: Any) -> Iterator[Case]:
    for source in DTYPES:
        for target in DTYPES:
            for shape in shapes:
                for layout in LAYOUTS.get(shape, ("row", "col")):
                    for form in FORMS:
                        yield Case("convert", "convert", arch, f"{source}>{target}", shape, layout, "v", form)

"""Cases of the reductions: rows and columns, with and without an accumulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.elementwise import FEW, WRONG_DTYPES, size_of
from support.tilesweep.numbers import to_codes, to_values
from support.tilesweep.runner import Bench, Case, vector_index

from hkasm.tiles.layout import base_shape
from hkasm.tiles.ops.reduce import REDUCTIONS, reduce, reduce_vector
from hkasm.tiles.register import RegVec

Array = npt.NDArray[Any]
FORMS = ("plain", "acc", "acc in place")
RARE_SHAPES = ("rt_8x32", "rt_16x8", "rt_32x8", "rt_64x4", "rt_64x32_4")
"""Lines of 8 lanes, of 4, and none: sets of lane bits that HipKittens' shapes do not have."""
LARGEST = float(np.finfo(np.float32).max)


def run(k: Bench, case: Case) -> None:
    along, name = case.op.split("_")
    shape: Any = base_shape(case.shape)
    rows, cols = size_of(case, 2)
    tile = k.tile("tile", case.dtype, rows, cols, shape, case.layout, case.file)
    make = RegVec.for_rows if along == "row" else RegVec.for_cols
    vec = make(k, "vec", tile, file=case.file)
    codes = k.data("tile", case.dtype, rows, cols)
    k.fill(tile, codes)
    values = to_values(codes, case.dtype, k.arch.name).astype(np.float64)
    lines = values if along == "row" else values.swapaxes(1, 2)
    acc = None
    if case.form != "plain":
        acc = vec if case.form == "acc in place" else make(k, "acc", tile, file=case.file)
        started = k.data("acc", "f32", acc.length)
        k.fill(acc, started)
        lines = np.concatenate((lines, to_values(started, "f32", k.arch.name)[:, :, None]), axis=2)
    k.ready()
    reduce(k, name, along, vec, tile, acc)
    _expect(k, name, vec, lines)


def _expect(k: Bench, name: str, vec: RegVec, lines: Array) -> None:
    """Expect the reduction of the last axis of `lines` [waves, length, n] in every lane that holds a copy."""
    index = vector_index(vec).reshape(-1, 64)
    with np.errstate(all="ignore"):
        want = REDUCTIONS[name].reference(lines)
    if name in ("max", "min"):
        k.expect(vec, to_codes(want.astype(np.float32), "f32", k.arch.name)[:, index])
        return
    allowed, known = _tolerance(name, lines, want)
    wanted = want[:, index]

    def judge(got: Array, _: Array) -> Array:
        found = to_values(got, "f32", k.arch.name).astype(np.float64)
        with np.errstate(all="ignore"):
            near = np.abs(found - wanted) <= allowed[:, index]
        same = (np.isnan(found) & np.isnan(wanted)) | (found == wanted) | near
        return np.asarray(~same & known[:, index])

    k.expect(vec, want, judge=judge)


def _tolerance(name: str, lines: Array, want: Array) -> tuple[Array, Array]:
    """Return how far f32 sums or products in any order may be off, and where their order does not decide the result."""
    count = lines.shape[-1]
    with np.errstate(all="ignore"):
        if name == "sum":
            size = np.sum(np.abs(np.where(np.isfinite(lines), lines, 0)), axis=-1)
            known = (size < LARGEST) | np.isnan(lines).any(axis=-1)
            return size * count * 2.0**-24, known
        logs = np.log2(np.abs(lines))
        up, down = np.sum(np.maximum(logs, 0), axis=-1), np.sum(np.minimum(logs, 0), axis=-1)
        known = ((up < 127) & (down > -126)) | np.isnan(lines).any(axis=-1)
        return np.abs(want) * count * 2.0**-24, known


def run_vector(k: Bench, case: Case) -> None:
    along, name = case.form, case.op.split("_")[1]
    shape: Any = base_shape(case.shape)
    tile = k.tile("tile", case.dtype, 2 * shape.rows, 2 * shape.cols, shape, case.layout)
    vec = (RegVec.for_rows if along == "row" else RegVec.for_cols)(k, "vec", tile, file=case.file)
    codes = k.data("vec", "f32", vec.length)
    k.fill(vec, codes)
    result = RegVec.naive(k, "result", 64)
    k.ready()
    reduce_vector(k, name, result[0], vec)
    values = to_values(codes, "f32", k.arch.name).astype(np.float64)
    _expect_all(k, name, result, values)


def _expect_all(k: Bench, name: str, result: RegVec, values: Array) -> None:
    lines = np.broadcast_to(values[:, None, :], (values.shape[0], result.length, values.shape[1]))
    _expect(k, name, result, lines)


def cases(arch: str, dtypes: Any, shapes: Any) -> Iterator[Case]:
    for along in ("row", "col"):
        for name in REDUCTIONS:
            for dtype in (*dtypes, *WRONG_DTYPES):
                more = RARE_SHAPES if dtype == "f32" else ()
                for shape in (*shapes, *more) if dtype in dtypes and dtype != "bf8" else FEW:
                    for layout in ("row", "col"):
                        for form in FORMS:
                            yield Case("reduce", f"{along}_{name}", arch, dtype, shape, layout, "v", form)
                        yield Case("reduce", f"{along}_{name}", arch, dtype, shape, layout, "a", "plain")


def vector_cases(arch: str, shapes: Any) -> Iterator[Case]:
    for name in REDUCTIONS:
        for shape in (*shapes, *RARE_SHAPES):
            for layout in ("row", "col"):
                for form in ("row", "col"):
                    yield Case("reduce vector", f"vec_{name}", arch, "f32", shape, layout, "v", form)

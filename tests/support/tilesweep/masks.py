"""Cases of masks, fills and copies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from support.tilesweep.elementwise import FEW, LAYOUTS, size_of
from support.tilesweep.numbers import numpy_type, to_codes
from support.tilesweep.runner import WAVES, Bench, Case

from hkasm.tiles.layout import base_shape
from hkasm.tiles.ops.fill import copy, fill
from hkasm.tiles.ops.masks import MASKS, apply_mask

LIMITS = (-5, 0, 3, 17)
DTYPES = ("f32", "f16", "bf16", "fp8", "bf8", "i32", "i8", "f64", "fp4", "fp6")
REFERENCES: dict[str, Any] = {
    "tril": lambda r, c, limit: c <= r + limit,
    "triu": lambda r, c, limit: c >= r + limit,
    "left_fill": lambda r, c, limit: c >= limit,
    "right_fill": lambda r, c, limit: c < limit,
    "upper_fill": lambda r, c, limit: r >= limit,
    "lower_fill": lambda r, c, limit: r < limit,
}


def run(k: Bench, case: Case) -> None:
    """`form` is ``number in place`` and the like: how the limit is given, and whether d is s."""
    kind, where = case.form.split()
    limit = LIMITS[case.seed % len(LIMITS)]
    shape: Any = base_shape(case.shape)
    rows, cols = size_of(case, 2)
    s = k.tile("s", case.dtype, rows, cols, shape, case.layout, case.file)
    codes = k.data("s", case.dtype, rows, cols)
    k.fill(s, codes)
    d = s if where == "in-place" else k.tile("d", case.dtype, rows, cols, shape, case.layout, case.file)
    given: Any = limit
    if kind == "sgpr":
        given = k.sgpr("limit")
        k.s_mov_b32(given, limit)
    k.ready()
    value = 0.0 if case.seed & 8 else -3.0
    apply_mask(k, case.op, d, s, given, value)
    row, col = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
    typed = np.array([value]).astype(numpy_type(case.dtype, k.arch.name))
    filled = to_codes(typed, case.dtype, k.arch.name)[0]
    k.expect(d, np.where(REFERENCES[case.op](row, col, limit), codes, filled))


def legal(case: Case) -> bool:
    if case.group == "mask":
        return case.dtype not in ("fp4", "fp6") and case.file == "v"
    return True


def run_fill(k: Bench, case: Case) -> None:
    """Fill a tile in either file, or copy between files (`form`: the source's file)."""
    shape: Any = base_shape(case.shape)
    rows, cols = size_of(case, 2)
    d = k.tile("d", case.dtype, rows, cols, shape, case.layout, case.file)
    if case.op == "copy":
        s = k.tile("s", case.dtype, rows, cols, shape, case.layout, case.form)
        codes = k.data("s", case.dtype, rows, cols)
        k.fill(s, codes)
        k.ready()
        copy(k, d, s)
        k.expect(d, codes)
        return
    value = float(case.form)
    fill(k, d, value)
    typed = np.array([value]).astype(numpy_type(case.dtype, k.arch.name))
    k.expect(d, np.broadcast_to(to_codes(typed, case.dtype, k.arch.name), (WAVES, rows, cols)))


FLOATS = ("f32", "bf16", "f16", "fp8")


def _step(shape: str) -> int:
    """Take every form for some shapes, a number apart and an SGPR apart for the others."""
    return 1 if shape in FEW else 2


def cases(arch: str, dtypes: Any, shapes: Any) -> Iterator[Case]:
    for name in MASKS:
        for dtype in dtypes:
            for shape in shapes if dtype in FLOATS else FEW:
                for layout in LAYOUTS.get(shape, ("row", "col")):
                    for form in ("number apart", "number in-place", "sgpr apart", "sgpr in-place")[:: _step(shape)]:
                        yield Case("mask", name, arch, dtype, shape, layout, "v", form)


def fill_cases(arch: str, dtypes: Any, shapes: Any) -> Iterator[Case]:
    for dtype in dtypes:
        for shape in shapes if dtype in FLOATS else FEW:
            for layout in LAYOUTS.get(shape, ("row", "col")):
                for file in "va":
                    for value in ("0", "1", "-2", "inf"):
                        yield Case("fill", "fill", arch, dtype, shape, layout, file, value)
                    for source in "va":
                        yield Case("copy", "copy", arch, dtype, shape, layout, file, source)


def legal_fill(case: Case) -> bool:
    """Infinity is no value of integers, of small floats without one, and of gfx942's 8-bit floats."""
    if case.form != "inf":
        return True
    return case.dtype in ("f64", "f32", "f16", "bf16") or (case.dtype == "bf8" and case.arch == "gfx950")

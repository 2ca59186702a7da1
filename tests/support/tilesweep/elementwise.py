"""Cases of the elementwise operations: sources of every kind, in place and not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.numbers import to_codes, to_values
from support.tilesweep.runner import WAVES, Bench, Case, vector_index

from hkasm.tiles.layout import base_shape
from hkasm.tiles.ops.apply import apply
from hkasm.tiles.ops.elementwise import OPERATIONS
from hkasm.tiles.register import RegVec

Array = npt.NDArray[Any]
NUMBER = 1.7
"""No dtype holds it exactly."""
BUDGET = 96
"""VGPRs for the tiles of a case."""
FORMS = {
    1: ("tile", "in place"),
    2: ("tile tile", "tile row", "tile col", "tile sgpr", "tile number", "number tile", "in place", "in place row"),
    3: ("tile tile tile", "tile row tile", "tile tile col", "tile sgpr tile", "tile tile number"),
}


def size_of(case: Case, tiles: int) -> tuple[int, int]:
    """Return rows and columns: as many base tiles as fit, four at most."""
    shape = base_shape(case.shape)
    registers = shape.registers(case.dtype) * tiles
    count = 4 if registers * 4 <= BUDGET else 2 if registers * 2 <= BUDGET else 1
    down, across = {4: (2, 2), 2: ((2, 1), (1, 2))[case.seed & 1], 1: (1, 1)}[count]
    return shape.rows * down, shape.cols * across


def run(k: Bench, case: Case) -> None:
    """Emit one case and what it must give."""
    op, arch = OPERATIONS[case.op], k.arch.name
    in_place = case.form.startswith("in place")
    kinds = {"in place": ["tile"] * op.arity, "in place row": ["tile", "row"]}.get(case.form) or case.form.split()
    rows, cols = size_of(case, kinds.count("tile") + (not in_place))
    sources: list[Any] = []
    values: list[Array] = []
    shape: Any = base_shape(case.shape)
    first = k.tile("first", case.dtype, rows, cols, shape, case.layout, case.file)
    used = False
    for number, kind in enumerate(kinds):
        name = f"source {number}"
        if kind == "tile":
            tile = first if not used else k.tile(name, case.dtype, rows, cols, shape, case.layout, case.file)
            used = True
            codes = k.data(name, case.dtype, rows, cols)
            k.fill(tile, codes)
            sources.append(tile)
            values.append(to_values(codes, case.dtype, arch))
        elif kind in ("row", "col"):
            vec = (RegVec.for_rows if kind == "row" else RegVec.for_cols)(k, name, first, file=case.file)
            codes = k.data(name, "f32", vec.length)
            k.fill(vec, codes)
            sources.append(vec)
            value = to_values(codes, "f32", arch)
            values.append(value[:, :, None] if kind == "row" else value[:, None, :])
        else:
            held = "f16" if case.dtype == "f16" else "f32"
            value = to_values(to_codes(np.array([NUMBER]), held, arch), held, arch)
            values.append(value.reshape(1, 1, 1))
            if kind == "number":
                sources.append(NUMBER)
            else:
                register = k.sgpr("scalar")
                k.s_mov_b32(register, int(to_codes(np.array([NUMBER]), held, arch)[0]))
                sources.append(register)
    target = first if in_place else k.tile("target", case.dtype, rows, cols, shape, case.layout, case.file)
    k.ready()
    apply(k, case.op, target, *sources)
    shaped = [np.broadcast_to(value, (WAVES, rows, cols)) for value in values]
    with np.errstate(all="ignore"):
        reference = op.bf16_reference if case.dtype == "bf16" and op.bf16_reference else op.reference
        result = np.broadcast_to(reference(*shaped), shaped[0].shape)
    k.expect(target, to_codes(result, case.dtype, arch), ulp=_tolerance(case))


def _tolerance(case: Case) -> int:
    """Return the units of the last place that a result may be off: f32's in small dtypes are less than one of
    theirs."""
    ulp = OPERATIONS[case.op].ulp
    if case.dtype == "f16" and ("row" in case.form or "col" in case.form or case.op == "div"):
        return max(ulp, 1)  # mixed instructions round to f32 and then to f16
    return ulp if case.dtype == "f32" else min(ulp, 1)


LAYOUTS = {"rt_16x128": ("row",), "rt_128x16": ("col",)}
"""Shapes that have one layout."""
FEW = ("rt_16x16", "rt_32x32", "rt_16x32")
"""Shapes that run in every form."""
FORMS_OF_BYTES = ("tile", "tile tile", "tile row", "tile tile tile")
RARE = ("number tile", "tile number", "tile tile number")
"""Forms that say little more than their neighbours."""
WRONG_DTYPES = ("i32", "i8", "f64", "fp6", "bf6", "fp4")


def legal(case: Case) -> bool:
    """Floats of 8 bits and more in VGPRs, in every layout that the shape has."""
    if case.dtype not in ("f32", "f16", "bf16", "fp8", "bf8") or case.file != "v":
        return False
    shape = base_shape(case.shape)
    lines, along = (shape.rows, shape.cols) if case.layout == "row" else (shape.cols, shape.rows)
    return 64 % lines == 0 and along % (shape.stride * 64 // lines) == 0


def cases(arch: str, dtypes: Any, shapes: Any) -> Iterator[Case]:
    """Yield every operation, dtype, shape and layout; forms in part for small floats and shapes of one kind."""
    for op in OPERATIONS.values():
        for layout in ("row", "col"):
            for dtype in dtypes:
                small = dtype in ("fp8", "bf8")
                for shape in FEW if dtype == "bf8" else shapes:
                    for form in FORMS[op.arity]:
                        rare = form.startswith("in") or form in RARE
                        if (small and form not in FORMS_OF_BYTES) or (rare and shape not in FEW):
                            continue
                        yield Case("elementwise", op.name, arch, dtype, shape, layout, "v", form)
            for dtype in dtypes:
                yield Case("elementwise", op.name, arch, dtype, "rt_16x16", layout, "a", FORMS[op.arity][0])
            for dtype in WRONG_DTYPES:
                yield Case("elementwise", op.name, arch, dtype, "rt_16x32", layout, "v", FORMS[op.arity][0])


def run_vector(k: Bench, case: Case) -> None:
    """Emit an operation on vectors alone: `form` says whose, rows' or columns', and whether the last is a number."""
    op, (along, last) = OPERATIONS[case.op], case.form.split()
    shape: Any = base_shape(case.shape)
    tile = k.tile("tile", "f32", 2 * shape.rows, 2 * shape.cols, shape, case.layout)
    make = RegVec.for_rows if along == "row" else RegVec.for_cols
    sources: list[Any] = []
    values: list[Array] = []
    for number in range(op.arity - (last == "number")):
        vec = make(k, f"source {number}", tile)
        codes = k.data(f"source {number}", "f32", vec.length)
        k.fill(vec, codes)
        sources.append(vec)
        values.append(to_values(codes, "f32", k.arch.name))
    if last == "number":
        sources.append(NUMBER)
        values.append(np.full_like(values[0], NUMBER))
    target = make(k, "target", tile)
    k.ready()
    apply(k, case.op, target, *sources)
    with np.errstate(all="ignore"):
        result = to_codes(op.reference(*values), "f32", k.arch.name)
    k.expect(target, result[:, vector_index(target).reshape(-1, 64)], ulp=op.ulp)


def vector_cases(arch: str) -> Iterator[Case]:
    for op in OPERATIONS.values():
        for shape in FEW:
            for layout in ("row", "col"):
                for along in ("row", "col"):
                    for last in ("vector",) if op.arity == 1 else ("vector", "number"):
                        yield Case("vectors", op.name, arch, "f32", shape, layout, "v", f"{along} {last}")

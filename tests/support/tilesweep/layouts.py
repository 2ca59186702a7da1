"""Cases of layout changes: in registers, through LDS, refused."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.runner import Bench, Case

from hkasm.tiles.access import legal_instructions
from hkasm.tiles.layout import DTYPE_BITS, TileForm, base_shape
from hkasm.tiles.ops.layouts import swap_layout
from hkasm.tiles.shared import SharedShape, SharedTile

Array = npt.NDArray[Any]
LDS_BYTES = 32 << 10
TARGETS = (
    ("rt_16x16", "rt_16x32"), ("rt_16x16", "rt_16x16"), ("rt_32x32", "rt_32x32_8"), ("rt_32x32", "rt_32x16"),
    ("rt_16x32", "rt_16x32"), ("rt_16x32_4", "rt_16x32"), ("rt_32x16_4", "rt_32x16"), ("rt_32x16", "rt_32x32"),
    ("rt_16x32", "rt_32x16"), ("rt_32x32", "rt_16x32_4"),
)  # fmt: skip

MORE = {
    "f32": (("rt_32x32", "rt_32x64_32"), ("rt_16x16", "rt_16x128_32")),
    "fp6": (("rt_16x128_32", "rt_32x64_32"), ("rt_32x64_32", "rt_32x32_16"), ("rt_16x64_16", "rt_16x128_32")),
    "fp4": (("rt_16x128_32", "rt_32x64_32"), ("rt_16x16", "rt_16x32_4")),
    "f64": (("rt_16x16_1", "rt_16x4"), ("rt_16x4", "rt_16x16_4")),
}  # fmt: skip
"""Changes of single dtypes: accumulators to runs of 32, small elements in registers or less, pairs of registers."""


def run(k: Bench, case: Case) -> None:
    """`shape` is ``source>target``, `layout` likewise; `form` the way."""
    source, target = (base_shape(name) for name in case.shape.split(">"))
    old, new = case.layout.split(">")
    rows, cols = int(np.lcm(source.rows, target.rows)), 2 * int(np.lcm(source.cols, target.cols))
    kinds: Any = (old, new)
    s = k.tile("s", case.dtype, rows, cols, source, kinds[0])
    d = k.tile("d", case.dtype, rows, cols, target, kinds[1])
    codes = k.data("codes", case.dtype, rows, cols)
    k.fill(s, codes)
    through = None
    if case.form == "lds":
        if not hasattr(k, "region"):
            k.region = k.lds("all", LDS_BYTES)  # type: ignore[attr-defined]
        through = _through(case, k.region.offset)  # type: ignore[attr-defined]
    k.ready()
    swap_layout(k, d, s, through)
    k.wait(*d.pieces)
    k.expect(d, codes)


def _through(case: Case, offset: int) -> SharedTile:
    """Return plain rows in LDS for a case's elements."""
    source, target = (base_shape(name) for name in case.shape.split(">"))
    rows, cols = int(np.lcm(source.rows, target.rows)), 2 * int(np.lcm(source.cols, target.cols))
    return SharedTile(
        "through", case.dtype, rows, cols, SharedShape("rows", rows, cols, DTYPE_BITS[case.dtype]), offset
    )


def legal(case: Case) -> bool:
    """Through LDS everything that its instructions move both ways, which is all from 8 bits up (see test_access.py); in
    registers what keeps dwords whole and moves them between rows of 16 lanes at most.

    gfx942 cannot move between rows without LDS.
    """
    if case.form == "lds" and DTYPE_BITS[case.dtype] < 8:
        through = _through(case, 0)
        forms = [
            TileForm(case.dtype, through.rows, through.cols, base_shape(name), layout)  # type: ignore[arg-type]
            for name, layout in zip(case.shape.split(">"), case.layout.split(">"), strict=True)
        ]
        ways = [legal_instructions(case.arch, through, form, write=not number) for number, form in enumerate(forms)]
        return all(ways) or _in_registers(case)
    return case.form == "lds" or _in_registers(case)


def _in_registers(case: Case) -> bool:
    (old_lane, old_slot), (new_lane, new_slot) = (_where(case, number) for number in (0, 1))
    bits = DTYPE_BITS[case.dtype]
    inside = 32 // gcd(bits, 32)
    if any(base_shape(name).elements % inside for name in case.shape.split(">")):
        return case.shape.split(">")[0] == case.shape.split(">")[1] and len(set(case.layout.split(">"))) == 1
    rows = 16 if case.arch == "gfx950" else 64
    if (old_lane % rows != new_lane % rows).any() or (old_slot % inside != new_slot % inside).any():
        return False
    old, new = old_lane * 4096 + old_slot // inside, new_lane * 4096 + new_slot // inside
    return len(np.unique(np.stack((old, new)).reshape(2, -1), axis=1).T) == len(np.unique(old))


def _where(case: Case, number: int) -> tuple[Array, Array]:
    """Return lane and slot (counted over the whole tile) of every element of the source (0) or the target (1)."""
    shapes = [base_shape(name) for name in case.shape.split(">")]
    rows, cols = int(np.lcm(shapes[0].rows, shapes[1].rows)), 2 * int(np.lcm(shapes[0].cols, shapes[1].cols))
    layout: Any = case.layout.split(">")[number]
    shape = shapes[number]
    row, col = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
    lane, slot = shape.lane_slot(layout, row % shape.rows, col % shape.cols)
    piece = row // shape.rows * (cols // shape.cols) + col // shape.cols
    return np.asarray(lane), np.asarray(slot + piece * shape.elements)


def cases(arch: str, dtypes: Any) -> Iterator[Case]:
    for dtype in dict.fromkeys((*dtypes, *MORE)):
        for source, target in (*TARGETS, *MORE.get(dtype, ())) if dtype in dtypes else MORE[dtype]:
            for old in ("row", "col"):
                for new in ("row", "col"):
                    if not (base_shape(source)._fits(old) and base_shape(target)._fits(new)):
                        continue
                    for form in ("registers", "lds"):
                        yield Case("layout", "swap", arch, dtype, f"{source}>{target}", f"{old}>{new}", "v", form)

"""Cases of layout changes: in registers, through LDS, refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.runner import Bench, Case

from hkasm.tiles.layout import DTYPE_BITS, base_shape
from hkasm.tiles.ops.layouts import swap_layout
from hkasm.tiles.shared import SharedShape, SharedTile

Array = npt.NDArray[Any]
LDS_BYTES = 32 << 10
TARGETS = (
    ("rt_16x16", "rt_16x32"), ("rt_16x16", "rt_16x16"), ("rt_32x32", "rt_32x32_8"), ("rt_32x32", "rt_32x16"),
    ("rt_16x32", "rt_16x32"), ("rt_16x32_4", "rt_16x32"), ("rt_32x16_4", "rt_32x16"), ("rt_32x16", "rt_32x32"),
    ("rt_16x32", "rt_32x16"), ("rt_32x32", "rt_16x32_4"),
)  # fmt: skip


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
        shape = SharedShape("rows", rows, cols, DTYPE_BITS[case.dtype])
        through = SharedTile("through", case.dtype, rows, cols, shape, k.region.offset)  # type: ignore[attr-defined]
    k.ready()
    swap_layout(k, d, s, through)
    k.wait(*d.pieces)
    k.expect(d, codes)


def legal(case: Case) -> bool:
    """Through LDS everything; in registers what keeps each dword whole and moves it between rows of 16 lanes at most.

    gfx942 cannot move between rows without LDS.
    """
    if case.form == "lds":
        return True
    (old_lane, old_slot), (new_lane, new_slot) = (_where(case, number) for number in (0, 1))
    inside = 32 // DTYPE_BITS[case.dtype]
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
    for dtype in dtypes:
        for source, target in TARGETS:
            for old in ("row", "col"):
                for new in ("row", "col"):
                    for form in ("registers", "lds"):
                        yield Case("layout", "swap", arch, dtype, f"{source}>{target}", f"{old}>{new}", "v", form)

"""Decode's launch and that of the combination behind it: the arguments in their order, from shapes and strides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hkasm.kernels.decode.declared import ARGUMENTS, ROWS, WAVES
from hkasm.kernels.kernel import Launch
from hkasm.tiles.layout import LANES

Strides = tuple[int, int, int]
"""Elements from sequence (or block of the cache) to sequence, head to head, row to row."""


@dataclass(frozen=True)
class Shape:
    """Sizes of one call. `pages` and `page` are the cache's blocks and the keys of one, 0 where it is not paged.

    `room` are the block table's entries of a sequence, or the keys of a sequence that there is room for.
    """

    batch: int
    hq: int
    hkv: int
    q: int
    room: int
    pages: int = 0
    page: int = 0

    @property
    def row_blocks(self) -> int:
        """Return the workgroups that share the rows of a key head."""
        return -(-self.q * (self.hq // self.hkv) // ROWS)

    @property
    def work(self) -> int:
        """Return the pieces of work that keys are not dealt among."""
        return self.batch * self.hkv * self.row_blocks


def inverse(n: int) -> int:
    """Return 2^32 / n, rounded up, and 0 for 1: the high half of a number times it is the number over n."""
    return -(-(1 << 32) // n) % (1 << 32)


def make_launch(
    shape: Shape,
    strides: Mapping[str, Strides],
    lse: tuple[int, int],
    scale: float,
    window: int,
    splits: int,
    parts: tuple[int, int] | None,
) -> Launch:
    """Return grid, block and arguments.

    `strides` are those of ``Q``, ``K``, ``V``, ``O``; `lse` the elements from sequence to sequence and head to head;
    `parts` the elements from split to split of partial O and LSE (``P`` and ``L``), None where results are whole.
    """
    group = shape.hq // shape.hkv
    numbers = {
        "q": shape.q, "rows": shape.q * group, "group": group, "group_inverse": inverse(group),
        "splits": splits, "splits_inverse": inverse(splits), "window": window,
        "pages": shape.pages, "page_shift": max(shape.page, 1).bit_length() - 1, "table_row": shape.room,
        "lse_batch": lse[0], "lse_head": lse[1], "o_split": 0, "lse_split": 0,
    }  # fmt: skip
    if parts is not None:
        numbers |= {"o_split": parts[0], "lse_split": parts[1]}
    for name, steps in strides.items():
        for axis, step in zip(("batch", "head", "row"), steps, strict=True):
            numbers[f"{name.lower()}_{axis}"] = step
    grid = (shape.row_blocks * splits, shape.hkv, shape.batch)
    answers = ("O", "LSE") if parts is None else ("P", "L")
    table = ("table",) if shape.page else ()
    values = [numbers[name] for name in ARGUMENTS]
    return Launch(grid, (WAVES * LANES, 1, 1), (*answers, "Q", "K", "V", "lengths", *table, *values, scale))


def combine_launch(shape: Shape, splits: int, strides: Strides) -> Launch:
    """Return grid, block and arguments of the combination: one wave a row of O, whose `strides` are given."""
    numbers = (splits, shape.q, shape.hq, shape.batch * shape.hq * shape.q, *strides)
    return Launch((shape.q, shape.hq, shape.batch), (LANES, 1, 1), ("O", "LSE", "P", "L", *numbers))

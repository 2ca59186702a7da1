"""Attention's launch: the arguments in their order, from shapes and strides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hkasm.kernels.attention.declared import ARGUMENTS, QUERIES
from hkasm.kernels.kernel import Launch
from hkasm.tiles.layout import LANES

Strides = tuple[int, int, int]
"""Elements from sequence to sequence, head to head, row to row."""


@dataclass(frozen=True)
class Shape:
    """Sizes of one call: `q` and `kv` are lengths, the longest where sequences are packed."""

    batch: int
    hq: int
    hkv: int
    q: int
    kv: int


def make_launch(
    shape: Shape,
    strides: Mapping[str, Strides],
    lse: tuple[int, int],
    scale: float,
    window: int,
    starts: tuple[str, ...] = (),
    *,
    waves: int,
) -> Launch:
    """Return grid, block and arguments: one workgroup a block of queries of one head, heads first.

    `waves` are those of a workgroup, `strides` those of ``Q``, ``K``, ``V``, ``O``; `lse` the elements from sequence to
    sequence and head to head; `starts` names the arrays of first rows of packed sequences.
    """
    group = shape.hq // shape.hkv
    numbers = {
        "q": shape.q, "kv": shape.kv, "window": window, "group_inverse": -(-(1 << 32) // group) % (1 << 32),
        "lse_batch": lse[0], "lse_head": lse[1],
    }  # fmt: skip
    for name, steps in strides.items():
        for axis, step in zip(("batch", "head", "row"), steps, strict=True):
            numbers[f"{name.lower()}_{axis}"] = step
    grid = (shape.hq, -(-shape.q // (waves * QUERIES)), shape.batch)
    values = [numbers[name] for name in ARGUMENTS]
    return Launch(grid, (waves * LANES, 1, 1), ("O", "Q", "K", "V", "LSE", *starts, *values, scale))

"""Attention's launch: the arguments in their order, from shapes and strides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hkasm.grids.order import divisor
from hkasm.kernels.attention.declared import ARGUMENTS, BLOCK_KV, AttentionConfig
from hkasm.kernels.kernel import Launch
from hkasm.tiles.layout import LANES

if TYPE_CHECKING:
    from hkasm.grids.order import Order
    from hkasm.grids.planner import Dealing
    from hkasm.grids.reuse import Clusters
    from hkasm.model.chips import Chip

ELEMENT = 2
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


def clusters(config: AttentionConfig, shape: Shape) -> Clusters:
    """Return what workgroups share: keys and values of a key head, which all blocks of its query heads read."""
    from hkasm.grids.reuse import Clusters  # not for builds

    blocks = -(-shape.q // config.block_q) * (shape.hq // shape.hkv)
    step_bytes = 2 * BLOCK_KV * config.d * ELEMENT
    return Clusters(shape.batch * shape.hkv, blocks, -(-shape.kv // BLOCK_KV), step_bytes, config.mask == "causal")


def order_name(config: AttentionConfig) -> str:
    """Return the name of the order: under a causal mask the blocks with most keys come first."""
    return f"{config.grid}causal" if config.mask == "causal" and config.grid.startswith("head") else config.grid


def dealing(config: AttentionConfig, chip: Chip) -> Dealing:
    """Return how workgroups are dealt to XCDs, as the planner wants to know it."""
    from hkasm.grids.planner import Dealing  # not for builds: it needs the cache model

    return Dealing(config.weights_on(chip), reserved=config.reserve)


def order_of(config: AttentionConfig, shape: Shape, arch: str) -> Order:
    """Return the order of the workgroups on the configuration's chip."""
    from hkasm.grids.planner import choose  # not for builds: it needs the cache model

    chip = config.chip_on(arch)
    return choose(chip, clusters(config, shape), order_name(config), dealing(config, chip))


def make_launch(
    config: AttentionConfig,
    shape: Shape,
    strides: Mapping[str, Strides],
    lse: tuple[int, int],
    scale: float,
    window: int,
    starts: tuple[str, ...] = (),
    *,
    arch: str,
) -> Launch:
    """Return grid, block and arguments: one workgroup a block of queries of one head, behind reserved ones.

    `strides` are those of ``Q``, ``K``, ``V``, ``O``; `lse` the elements from sequence to sequence and head to head;
    `starts` names the arrays of first rows of packed sequences. The order is one for the configuration's chip: rows
    are the key heads of all sequences, columns blocks of queries, those of a key head's query heads together.
    """
    group = shape.hq // shape.hkv
    numbers = {
        "q": shape.q, "kv": shape.kv, "window": window, "group_inverse": -(-(1 << 32) // group) % (1 << 32),
        "lse_batch": lse[0], "lse_head": lse[1],
    }  # fmt: skip
    for name, steps in strides.items():
        for axis, step in zip(("batch", "head", "row"), steps, strict=True):
            numbers[f"{name.lower()}_{axis}"] = step
    grid = (shape.hq, -(-shape.q // config.block_q), shape.batch)
    values: list[int | float] = [*(numbers[name] for name in ARGUMENTS), scale]
    if config.grid != "plain":
        order = order_of(config, shape, arch)
        grid = (order.workgroups, 1, 1)
        values += [shape.hkv, *divisor(shape.hkv), group, *divisor(group), *order.numbers().values()]
        values += order.share_table() if config.uneven else []
    return Launch(grid, (config.waves * LANES, 1, 1), ("O", "Q", "K", "V", "LSE", *starts, *values))

"""Batches of products: the matrix instructions of several blocks, and which of their blocks may meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hkasm.isa.mfma import MFMA_TABLE, MfmaSpec, block_sources
from hkasm.tiles.layout import BaseShape, mfma_operand
from hkasm.tiles.ops.common import refuse

Blocks = tuple[Sequence[int] | None, Sequence[int] | None]
"""For each block of D the block of A and that of B which it multiplies; None for its own."""


@dataclass(frozen=True)
class Batch:
    """`blocks` products of `lines` x `lines` at once, stacked along the rows or columns of D (`row`, `col`)."""

    lines: int
    blocks: int = 1
    stacked: str = ""

    def __str__(self) -> str:
        return f"{self.lines} lines" if self.blocks == 1 else f"{self.blocks} blocks of {self.lines}x{self.lines}"


@cache
def batch_shapes() -> Mapping[BaseShape, Batch]:
    """Return what each shape of D with several blocks holds."""
    found: dict[BaseShape, Batch] = {}
    for spec in MFMA_TABLE.values():
        if spec.blocks > 1:
            d = mfma_operand(spec, "D")
            found[d.shape] = Batch(spec.m, spec.blocks, d.stacked)
    return found


def batch_of(shape: BaseShape) -> Batch | None:
    """Return what a D of this base shape holds if that is several blocks."""
    return batch_shapes().get(shape)


def d_size(batch: Batch | None, a_lines: int, b_lines: int) -> tuple[int, int]:
    """Return the rows and columns of D for so many lines of A and B; (0, 0) for a batch of unequal lines."""
    if batch is None:
        return a_lines, b_lines
    if a_lines != b_lines:
        return 0, 0
    return (a_lines, batch.lines) if batch.stacked == "row" else (batch.lines, a_lines)


def block_controls(form: str, spec: MfmaSpec, blocks: Blocks | None) -> dict[str, int]:
    """Return the modifiers by which the wanted blocks meet. Raises UsageError, naming those that can."""
    found: dict[str, int] = {}
    given: Sequence[object] = blocks or (None, None)
    if len(given) != 2 or not all(one is None or isinstance(one, Sequence) for one in given):
        raise refuse(f"mma {form}", f"blocks {given}", "one list for A and one for B, or None for its own blocks")
    for operand, wanted in zip("AB", blocks or (None, None), strict=True):
        if wanted is None:
            continue
        known = block_sources(spec, operand)
        if tuple(wanted) not in known:
            raise refuse(
                f"mma {form}",
                f"blocks {', '.join(map(str, wanted))} of {operand} by {spec.mnemonic}",
                _legal_blocks(spec, operand, list(known)),
            )
        found |= known[tuple(wanted)]
    return found


def _legal_blocks(spec: MfmaSpec, operand: str, known: Sequence[tuple[int, ...]]) -> str:
    """Return in words which blocks an instruction can take."""
    if len(known) == 1:
        return f"none to choose; {spec.mnemonic} takes every block as it stands"
    lists = [", ".join(map(str, blocks)) for blocks in known]
    if operand == "A":
        sizes = " or ".join(str(1 << power) for power in range(1, spec.blocks.bit_length()))
        return f"one block for each run of {sizes}, at the same place in every run, such as {lists[1]}"
    return "; ".join(lists)

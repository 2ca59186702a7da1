"""Find the swizzle of a shared tile that serves given accesses without bank conflicts, or show that there is none.

The family: exclusive ors of higher or lower bits of a subtile's byte offset into the bits that choose a bank, where no
bit is both read and changed and chunks as long as the widest access stay whole. All of it is searched.

Why that is quick: within a phase the lanes are a coset of a subspace of the lane numbers' bits, and the linear offsets
of an access are exclusive ors of a part for each of these bits; so is every swizzled one. Then as many lanes of a phase
share a bank (each wanting another dword) as there are combinations of the subspace's bits that change the dword and not
the bank, and one. A combination's condition is one on each changed bit alone, so that the condition of all swizzles
with the same changed bits is an outer product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import lcm

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import UsageError
from hkasm.isa.banks import BANK_BYTES, BankRow, bank_row
from hkasm.tiles.access import LDS_READS, LDS_WRITES, lds_accesses
from hkasm.tiles.conflicts import Conflicts, conflicts
from hkasm.tiles.lanes import bit_columns
from hkasm.tiles.layout import BaseShape, Layout, TileForm, base_shape, dtype_bits
from hkasm.tiles.shared import SharedShape, SharedTile
from hkasm.tiles.swizzle import LINEAR, Swizzle

__all__ = ["Need", "Solution", "solve"]

MOST_SWIZZLES = 1 << 24
"""The largest family that is searched: some seconds."""


@dataclass(frozen=True)
class Need:
    """An access that a shared tile must serve: register tile shape, layout and LDS instruction."""

    shape: str | BaseShape
    layout: Layout
    instruction: str

    def __str__(self) -> str:
        return f"{self.instruction} of {base_shape(self.shape).name} {self.layout} layout"


@dataclass(frozen=True, eq=False)
class Solution:
    """The best swizzle of the family, what it costs, and how many were compared."""

    shape: SharedShape
    needs: tuple[Need, ...]
    costs: tuple[Conflicts, ...]
    searched: int
    chunk_bytes: int

    @property
    def free(self) -> bool:
        """Tell whether no access has conflicts; if not, no swizzle of the family is free of them."""
        return not any(cost.lost for cost in self.costs)

    def __str__(self) -> str:
        shape = self.shape
        what = f"{shape.rows}x{shape.cols} elements of {shape.bits} bits in chunks of {self.chunk_bytes} bytes"
        head = (
            f"{shape.swizzle.formula} serves {what} without conflicts"
            if self.free
            else f"none of {self.searched} XOR swizzles serves {what} without conflicts; best: {shape.swizzle.formula}"
        )
        return "\n".join([head, *(f"  {need}: {cost}" for need, cost in zip(self.needs, self.costs, strict=True))])


def solve(
    arch: str, dtype: str, rows: int, cols: int, needs: Iterable[Need], *, chunk_bytes: int = 0, name: str = "solved"
) -> Solution:
    """Return the best swizzle for a subtile of `rows` x `cols` elements; with equal cost, the one of fewest terms.

    `chunk_bytes` asks for chunks at least so long (16 for direct loads of 16 bytes a lane). Raises UsageError for a
    subtile that is no power of two, accesses with two addresses a lane, and families that are too large.
    """
    needs = tuple(needs)
    linear = SharedShape(name, rows, cols, dtype_bits(dtype), LINEAR, chunked=dtype_bits(dtype) == 6)
    if linear.bytes & (linear.bytes - 1) or linear.row_bytes & (linear.row_bytes - 1):
        raise UsageError(
            f"{rows}x{cols} of {dtype}: rows of {linear.row_bytes} bytes",
            hint="swizzles are for powers of two of rows and of bytes in a row",
        )
    if not needs:
        raise UsageError("a swizzle for no access", hint="name at least one")
    questions = [_question(arch, linear, dtype, need) for need in needs]
    chunk = max(chunk_bytes, *(question.chunk for question in questions))
    low, top = chunk.bit_length() - 1, max(question.top for question in questions)
    best: tuple[tuple[int, int, int], Swizzle] = ((_lost_linear(questions), 0, 0), LINEAR)
    searched = 1
    for targets, sources in _families(low, top, linear.bytes.bit_length() - 1):
        lost = _lost(questions, targets, sources)
        searched += lost.size
        found = _best_of(lost, targets, sources)
        best = min(best, found, key=lambda one: one[0])
    shape = replace(linear, swizzle=best[1])
    costs = tuple(_judge(arch, shape, dtype, need) for need in needs)
    return Solution(shape, needs, costs, searched, chunk)


# ---- accesses as bits ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """One access: the offsets that combinations of a phase's lane bits change, and what one degree costs.

    `moves` are the changes of the linear offset that change the dword; `shared` is how many combinations do not, and
    one. `banks` is the mask of offset bits that choose a bank (or a group of them, for wide accesses).
    """

    moves: tuple[int, ...]
    shared: int
    banks: int
    weight: int
    chunk: int

    @property
    def top(self) -> int:
        """Return the number of the first bit above those that choose a bank."""
        return self.banks.bit_length()


def _tile(shape: SharedShape, dtype: str, need: Need) -> tuple[SharedTile, TileForm]:
    base = base_shape(need.shape)
    rows, cols = lcm(shape.rows, base.rows), lcm(shape.cols, base.cols)
    return SharedTile(shape.name, dtype, rows, cols, shape), TileForm(dtype, rows, cols, base, need.layout)


def _judge(arch: str, shape: SharedShape, dtype: str, need: Need) -> Conflicts:
    return conflicts(arch, *_tile(shape, dtype, need), need.instruction)


def _question(arch: str, linear: SharedShape, dtype: str, need: Need) -> _Question:
    row = bank_row(arch, need.instruction)
    one = LDS_READS.get(need.instruction) or LDS_WRITES.get(need.instruction)
    if one is None or one.pair:
        raise UsageError(f"{need}: two addresses a lane", hint="swizzles are solved for one-address accesses")
    accesses = lds_accesses(*_tile(linear, dtype, need), need.instruction)
    width = 16 if row.dwords == 3 else row.dwords * BANK_BYTES
    moves: set[tuple[int, ...]] = set()
    for access in accesses:
        found = bit_columns(access.address)
        if found is None or (access.address % (width if row.dwords > 1 else 1)).any():
            raise UsageError(f"{need}: its lane addresses are no exclusive or of lane bits")
        moves.add(tuple(sorted(_span(_phase_bits(row), found[1]))))
    if len(moves) != 1:
        raise UsageError(f"{need}: its accesses differ in more than a constant")
    changes = moves.pop()
    changing = tuple(move for move in changes if move // BANK_BYTES)
    shared = len(changes) - len(changing) + 1
    return _Question(changing, shared, row.banks * BANK_BYTES - width, len(accesses) * len(row.phases), width)


def _phase_bits(row: BankRow) -> tuple[int, ...]:
    """Return a basis of the lane bits of a phase. Raises UsageError for phases that are no cosets of one subspace."""
    first = {lane ^ row.phases[0][0] for lane in row.phases[0]}
    if any({lane ^ phase[0] for lane in phase} != first for phase in row.phases):
        raise UsageError(f"{row.access} on {row.arch}: phases that are not alike")
    basis: list[int] = []
    for lane in sorted(first):
        if lane not in {0, *_combined(basis)}:
            basis.append(lane)
    if len(first) != 1 << len(basis):
        raise UsageError(f"{row.access} on {row.arch}: a phase that is no coset of lane bits")
    return tuple(basis)


def _combined(vectors: Sequence[int]) -> Iterator[int]:
    """Yield the exclusive or of every choice of vectors but none."""
    for choice in range(1, 1 << len(vectors)):
        value = 0
        for number, vector in enumerate(vectors):
            if choice >> number & 1:
                value ^= vector
        yield value


def _span(basis: Sequence[int], columns: Sequence[int]) -> Iterator[int]:
    """Yield what every combination of a phase's lane bits changes in the offset."""
    for lanes in _combined(basis):
        value = 0
        for bit, column in enumerate(columns):
            if lanes >> bit & 1:
                value ^= column
        yield value


# ---- the family ----------------------------------------------------------------------------------------------------


def _families(low: int, top: int, size: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every choice of changed bits among ``[low, top)``, with all other bits from `low` to `size` to read.

    Raises UsageError where all of them together are more than can be searched.
    """
    found = []
    for count in range(1, top - low + 1):
        for targets in combinations(range(low, min(top, size)), count):
            sources = tuple(bit for bit in range(low, size) if bit not in targets)
            if sources:
                found.append((targets, sources))
    total = sum(1 << len(targets) * len(sources) for targets, sources in found)
    if total > MOST_SWIZZLES:
        raise UsageError(
            f"{total} swizzles are too many to search (at most {MOST_SWIZZLES})",
            hint="a smaller subtile, or larger chunks with chunk_bytes",
        )
    yield from found


def _lost(questions: Sequence[_Question], targets: tuple[int, ...], sources: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the lost cycles of every swizzle: one axis a changed bit, its index the set of bits it reads."""
    choices = 1 << len(sources)
    reads = np.arange(choices)
    shape = (choices,) * len(targets)
    total = np.zeros(shape, np.int64)
    changed = sum(1 << bit for bit in targets)
    for question in questions:
        alike = np.full(shape, question.shared, np.int64)
        for move in question.moves:
            if move & question.banks & ~changed:
                continue
            read = sum((move >> bit & 1) << number for number, bit in enumerate(sources))
            parity = _parity(reads & read)
            product = np.ones((1,) * len(targets), bool)
            for axis, bit in enumerate(targets):
                if question.banks >> bit & 1:
                    stays = parity == (move >> bit & 1)
                    product = product & stays.reshape([-1 if i == axis else 1 for i in range(len(targets))])
            alike += product
        total += question.weight * (alike // question.shared - 1)
    return total


def _lost_linear(questions: Sequence[_Question]) -> int:
    """Return the lost cycles without a swizzle."""
    total = 0
    for question in questions:
        alike = question.shared + sum(not move & question.banks for move in question.moves)
        total += question.weight * (alike // question.shared - 1)
    return total


def _parity(values: NDArray[np.int64]) -> NDArray[np.int64]:
    for shift in (8, 4, 2, 1):
        values = values ^ (values >> shift)
    return values & 1


def _best_of(
    lost: NDArray[np.int64], targets: tuple[int, ...], sources: tuple[int, ...]
) -> tuple[tuple[int, int, int], Swizzle]:
    """Return the least cost with the fewest pairs, and its swizzle; ties go to the lowest changed bits."""
    least = int(lost.min())
    places = np.argwhere(lost == least)
    bits = np.array([bin(value).count("1") for value in range(1 << len(sources))])
    counts = bits[places].sum(axis=1)
    place = places[int(counts.argmin())]
    pairs = frozenset(
        (source, target)
        for target, reads in zip(targets, place.tolist(), strict=True)
        for number, source in enumerate(sources)
        if reads >> number & 1
    )
    return (least, int(counts.min()), sum(1 << bit for bit in targets)), Swizzle.of_pairs(pairs)

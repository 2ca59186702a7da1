"""Swizzles: where a byte of a tile lies in LDS. Pure index maps, on numbers and on arrays alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hkasm.errors import UsageError

__all__ = ["LINEAR", "Index", "Swizzle"]

Index = TypeVar("Index", int, npt.NDArray[np.int64])


@dataclass(frozen=True)
class Swizzle:
    """Exclusive or of higher bits of a byte offset into lower ones.

    Term (low, bits, to) is ``o ^ (((o % 2**(low + bits)) >> low) << to)``; all terms read the offset as it came in. No
    bit is both read and changed, so the map is its own inverse: applied to the linear place of a byte in LDS it tells
    the element to fetch, applied to an element's linear offset the place. Raises UsageError where a bit would be both.
    """

    terms: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        if any(low < 0 or bits < 1 or to < 0 for low, bits, to in self.terms):
            raise UsageError(f"swizzle terms {self.terms}: bits count from 0, a term moves at least one")
        both = self.sources & self.targets
        if both:
            raise UsageError(
                f"swizzle {self.terms} changes bit {(both & -both).bit_length() - 1}, which it also reads",
                hint="read bits above all those that are changed",
            )

    def __call__(self, offset: Index) -> Index:
        """Return where the byte at a linear offset lies (and the other way round)."""
        moved = offset
        for low, bits, to in self.terms:
            moved = moved ^ (((offset >> low) & ((1 << bits) - 1)) << to)
        return moved

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def sources(self) -> int:
        """Return the mask of the bits that are read."""
        return _mask((low, bits) for low, bits, _ in self.terms)

    @property
    def targets(self) -> int:
        """Return the mask of the bits that are changed."""
        return _mask((to, bits) for _, bits, to in self.terms)

    @property
    def chunk_bytes(self) -> int:
        """Return the bytes that stay together; 0 where all do."""
        targets = self.targets
        return targets & -targets

    @property
    def period(self) -> int:
        """Return the bytes after which the pattern begins again (1 where there is none)."""
        return 1 << max(self.sources, self.targets).bit_length()

    @property
    def formula(self) -> str:
        """Return the map as an expression of the byte offset o."""
        parts = [f"(((o % {1 << (low + bits)}) >> {low}) << {to})" for low, bits, to in self.terms]
        return " ^ ".join(["o", *parts])

    @staticmethod
    def of_pairs(pairs: frozenset[tuple[int, int]]) -> Swizzle:
        """Return the swizzle that flips bit `to` by bit `source`, for each (source, to); runs become one term."""
        terms = []
        left = set(pairs)
        while left:
            low, to = min(left, key=lambda pair: (pair[0] - pair[1], pair[0]))
            bits = 0
            while (low + bits, to + bits) in left:
                left.remove((low + bits, to + bits))
                bits += 1
            terms.append((low, bits, to))
        return Swizzle(tuple(sorted(terms, key=lambda term: (-term[2], term[0]))))

    @property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """Return every (source, to) that is flipped an odd number of times."""
        found: set[tuple[int, int]] = set()
        for low, bits, to in self.terms:
            for bit in range(bits):
                found ^= {(low + bit, to + bit)}
        return frozenset(found)


def _mask(runs: Iterable[tuple[int, int]]) -> int:
    mask = 0
    for low, bits in runs:
        mask |= ((1 << bits) - 1) << low
    return mask


LINEAR = Swizzle()
"""No swizzle."""

"""Bank conflicts of tiles on paper: any shared tile, register tile and LDS instruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.isa.banks import BankRow, bank_cycles, bank_row
from hkasm.tiles.access import LdsAccess, lds_accesses
from hkasm.tiles.layout import TileForm
from hkasm.tiles.shared import SharedTile

__all__ = ["Conflicts", "conflicts", "conflicts_of"]


@dataclass(frozen=True, eq=False)
class Conflicts:
    """The bank side of the accesses of a tile: `degree` is [accesses, phases], at least 1 each.

    `cycles` is their sum, `free_cycles` what it would be without conflicts; `row` says how the phases are known.
    """

    row: BankRow
    accesses: tuple[LdsAccess, ...]
    degree: NDArray[np.int64]

    @property
    def worst(self) -> int:
        """Return the largest degree of any phase: 1 is free of conflicts."""
        return int(self.degree.max())

    @property
    def cycles(self) -> int:
        """Return the cycles of all accesses on the bank side."""
        return int(self.degree.sum())

    @property
    def free_cycles(self) -> int:
        """Return the cycles of all accesses were there no conflicts."""
        return self.degree.size

    @property
    def lost(self) -> int:
        """Return the cycles lost to conflicts."""
        return self.cycles - self.free_cycles

    def __str__(self) -> str:
        count = f"{self.lost} conflicts"
        return f"{count}, worst {self.worst}-way ({self.row.mark}: {self.row.source})"

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "access": self.row.access, "arch": self.row.arch, "banks": self.row.banks, "phases": len(self.row.phases),
            "accesses": len(self.accesses), "conflicts": self.lost, "cycles": self.cycles,
            "free_cycles": self.free_cycles, "worst": self.worst, "mark": self.row.mark, "source": self.row.source,
        }  # fmt: skip


def conflicts(arch: str, shared: SharedTile, form: TileForm, instruction: str) -> Conflicts:
    """Return the bank conflicts of moving a register tile from or to a shared tile by an instruction.

    Raises UsageError where the instruction is not legal for the two, or the chip has no such access.
    """
    row = bank_row(arch, instruction)
    return conflicts_of(row, lds_accesses(shared, form, instruction))


def conflicts_of(row: BankRow, accesses: tuple[LdsAccess, ...]) -> Conflicts:
    """Return the bank conflicts of accesses that one row of the table serves."""
    addresses = np.stack([access.address for access in accesses])
    pairs = [access.second for access in accesses if access.second is not None]
    second = np.stack(pairs) if pairs else None
    return Conflicts(row, accesses, bank_cycles(row.arch, row.access, addresses, second=second).degree)

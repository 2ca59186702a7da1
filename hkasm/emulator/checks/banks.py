"""LDS bank conflicts from real addresses, by the measured phases of `hkasm.isa.banks`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import I64, Listener, Mask
from hkasm.emulator.report import RunReport
from hkasm.emulator.run import Run
from hkasm.emulator.scoreboard import Pending
from hkasm.errors import UsageError
from hkasm.isa.banks import bank_cycles

__all__ = ["BankCounter"]

PERIOD = 256
"""Bytes after which banks repeat on every chip: a pattern moved by a multiple of it conflicts alike."""


class _Known:
    """The last pattern of an instruction and what it cost, [W]."""

    __slots__ = ("conflicts", "lanes", "local")

    def __init__(self, local: I64, lanes: Mask | None, conflicts: NDArray[np.int64]) -> None:
        self.local, self.lanes, self.conflicts = local, lanes, conflicts

    def fits(self, local: I64, lanes: Mask | None) -> bool:
        if lanes is not None or self.lanes is not None or local.shape != self.local.shape:
            return False
        moved = local - self.local
        first = moved[:, :1]
        return not (first & (PERIOD - 1)).any() and bool((moved == first).all())


class BankCounter(Listener):
    """Count the LDS cycles that are lost to bank conflicts, and the cycles of all LDS accesses."""

    name = "banks"

    def __init__(self) -> None:
        self.conflicts = 0
        self.accesses = 0
        self.unknown = 0
        self.by_place: dict[int, int] = {}

    def start(self, run: Run) -> None:
        self._known: dict[int, _Known] = {}
        self._halves: dict[int, tuple[Pending, I64]] = {}
        self._arch = run.code.arch.name

    def lds_read(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        self._count(batch, pending, index - batch.lds_base, lanes)

    def lds_write(
        self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None, atomic: bool
    ) -> None:
        self._count(batch, pending, index - batch.lds_base, lanes)

    def _count(self, batch: Batch, pending: Pending, local: I64, lanes: Mask | None) -> None:
        op = pending.op
        memory = op.inst.spec.memory
        if memory is None or memory.space != "lds":
            return
        second = None
        if memory.pair:
            waiting = self._halves.pop(op.index, None)
            if waiting is None or waiting[0] is not pending:
                self._halves[op.index] = (pending, local)
                return
            local, second = waiting[1], local
        self.accesses += batch.waves
        known = self._known.get(op.index) if second is None else None
        if known is None or not known.fits(local, lanes):
            try:
                cost = bank_cycles(self._arch, memory, local, lanes, second=second)
            except UsageError:
                self.unknown += batch.waves
                return
            known = self._known[op.index] = _Known(local, lanes, cost.conflicts)
        lost = int(known.conflicts.sum())
        if lost:
            self.conflicts += lost
            self.by_place[op.index] = self.by_place.get(op.index, 0) + lost

    def finish(self, report: RunReport) -> None:
        report.count("SQ_LDS_BANK_CONFLICT", self.conflicts)
        report.count("lds_accesses", self.accesses)
        if self.unknown:
            report.count("lds_accesses_without_bank_model", self.unknown)

"""The order of instructions: which batch ran what, step by step."""

from __future__ import annotations

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import Op
from hkasm.emulator.report import TraceEntry
from hkasm.emulator.run import Run

__all__ = ["Trace"]


class Trace(Listener):
    """Record every instruction of every batch in the order in which they run.

    Under the option order='lockstep' batches advance one instruction in turn; the entries of one round follow each
    other.
    """

    name = "trace"

    def start(self, run: Run) -> None:
        self.entries = run.reporter.report.trace
        self._waves: dict[int, tuple[Batch, tuple[tuple[int, int], ...]]] = {}

    def issue(self, batch: Batch, op: Op) -> None:
        known = self._waves.get(id(batch))
        if known is None or known[0] is not batch:
            run = batch.run
            numbers = run.group_numbers()[batch.group]
            waves = tuple((int(g), int(w)) for g, w in zip(numbers, batch.wave, strict=True))
            known = self._waves[id(batch)] = (batch, waves)
        self.entries.append(TraceEntry(len(self.entries), op.index, op.inst.mnemonic, known[1]))

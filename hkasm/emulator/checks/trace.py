"""The order of instructions: which batch ran what, step by step."""

from __future__ import annotations

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import Op
from hkasm.emulator.report import RunReport, TraceEntry
from hkasm.emulator.run import Run

__all__ = ["Trace"]


class Trace(Listener):
    """Record every instruction of every batch in the order in which they run.

    Under the option order='lockstep' batches advance one instruction in turn; the entries of one round follow each
    other.
    """

    name = "trace"

    def __init__(self) -> None:
        self.entries: list[TraceEntry] = []
        self._waves: dict[int, tuple[Batch, tuple[tuple[int, int], ...]]] = {}

    def start(self, run: Run) -> None:
        self._waves.clear()

    def issue(self, batch: Batch, op: Op) -> None:
        known = self._waves.get(id(batch))
        if known is None or known[0] is not batch:
            run = batch.run
            numbers = [run.launch.group_number(group) for group in run.group_ids]
            waves = tuple((numbers[int(g)], int(w)) for g, w in zip(batch.group, batch.wave, strict=True))
            known = self._waves[id(batch)] = (batch, waves)
        self.entries.append(TraceEntry(len(self.entries), op.index, op.inst.mnemonic, known[1]))

    def finish(self, report: RunReport) -> None:
        report.trace = self.entries

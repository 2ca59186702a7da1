"""Barriers that the waves of a workgroup do not share.

The hardware counts arrivals: whichever s_barrier a wave is at, and waves that have ended are waited for no more. So a
wave that ends early is legal (a remark), and so are waves that meet at different barriers, as ping-pong kernels do. But
where waves have met at different barriers and then do not end with as many, barriers were paired that do not belong
together, which is an error. EXEC plays no part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hkasm.analysis.finding import Finding
from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.run import Run

__all__ = ["BarrierCheck"]

I64 = NDArray[np.int64]


class BarrierCheck(Listener):
    """Tell of barriers that waves of the workgroup which have ended never came by."""

    name = "barriers"

    def start(self, run: Run) -> None:
        # For each workgroup: its last release, where one of its waves went on there, and how many waves have ended.
        self.release: I64 = np.zeros(run.groups, dtype=np.int64)
        self.place: I64 = np.zeros(run.groups, dtype=np.int64)
        self.gone: I64 = np.zeros(run.groups, dtype=np.int64)
        self.first_gone: dict[int, tuple[int, int]] = {}
        self.mixed: dict[int, tuple[int, int]] = {}

    def barrier(self, batch: Batch) -> None:
        groups, release = batch.group, batch.run.releases
        other = (self.release[groups] == release) & (self.place[groups] != batch.pc)
        if other.any():
            for group in np.unique(groups[other]):
                self.mixed.setdefault(int(group), (int(self.place[group]), batch.pc))
        self.release[groups] = release
        self.place[groups] = batch.pc
        alone = np.flatnonzero(self.gone[groups])
        if len(alone):
            self._tell(batch, int(alone[0]))

    def ended(self, batch: Batch) -> None:
        np.add.at(self.gone, batch.group, 1)
        for group, wave in zip(batch.group, batch.wave, strict=True):
            self.first_gone.setdefault(int(group), (int(wave), batch.pc - 4))

    def _tell(self, batch: Batch, number: int) -> None:
        run, group = batch.run, int(batch.group[number])
        barrier = run.code.op(batch.pc - 4)
        pair = self.mixed.get(group)
        severity = "remark" if pair is None else "error"
        if run.reporter.is_known("barrier-divergent", barrier.index, severity):
            return
        wave, place = self.first_gone[group]
        message = f"wave {wave}, which ended at {run.code.op(place).inst.origin}, never came by this barrier"
        hint = ""
        if pair is not None:
            met = " and ".join(str(run.code.op(at - 4).inst.origin) for at in pair)
            message += f"; waves of this workgroup met at different barriers before: {met}"
            hint = "every wave must come by the same number of barriers"
        run.reporter.add(
            Finding(
                "barrier-divergent",
                message,
                where=barrier.inst.origin,
                instruction=str(barrier.inst),
                workgroup=run.group_id(batch, number),
                wave=int(batch.wave[number]),
                hint=hint,
                severity=severity,
            ),
            barrier.index,
            severity,
        )

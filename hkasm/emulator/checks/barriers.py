"""Barriers that some waves of a workgroup never reach: legal on the hardware, seldom meant."""

from __future__ import annotations

from hkasm.analysis.finding import Finding
from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener

__all__ = ["BarrierCheck"]


class BarrierCheck(Listener):
    """Remark on waves that end while others of their workgroup wait at a barrier."""

    name = "barriers"

    def ended(self, batch: Batch) -> None:
        run = batch.run
        if not run.waiting or run.reporter.is_known("barrier-divergent", batch.pc):
            return
        groups = {int(group) for group in batch.group}
        for other in run.waiting:
            for number, group in enumerate(other.group):
                if int(group) not in groups:
                    continue
                op = run.code.op(other.pc)
                run.reporter.add(
                    Finding(
                        "barrier-divergent",
                        f"wave {int(batch.wave[0])} ends while wave {int(other.wave[number])} waits at the barrier "
                        f"before {op.inst.origin}",
                        workgroup=run.group_id(other, number),
                        wave=int(other.wave[number]),
                        severity="remark",
                    ),
                    batch.pc,
                )
                return

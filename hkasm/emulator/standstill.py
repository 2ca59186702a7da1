"""Finds launches in which no wave can go on: everybody waits or spins, and nobody can change what they wait for.

Looked at once a round of turns, which is long against any loop that waits. If no memory was written since and every
batch is where it was with the same registers and the same operations in flight, then the waves, which see nothing but
their registers and memory, will come by here for ever. One earlier state is kept, at rounds 1, 2, 4, 8 ... (Brent's
way to find cycles), so that it does not matter how many rounds pass between two equal states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hkasm.analysis.finding import Finding

if TYPE_CHECKING:
    from hkasm.emulator.batch import Batch
    from hkasm.emulator.run import Run

__all__ = ["Standstill"]

State = tuple[object, ...]


class Standstill:
    """Watches the runs of one launch; `look` is called after each round in which none of them ended or began."""

    def __init__(self) -> None:
        self._version = -1
        self._kept: State | None = None
        self._round = self._keep_at = 1

    def look(self, runs: Sequence[Run]) -> Finding | None:
        """Return the finding that names who waits where, if the runs have come to a standstill."""
        if any(run.is_random for run in runs):
            return None  # another order might go on
        version = _version(runs)
        if version != self._version:
            self._version, self._kept, self._round, self._keep_at = version, None, 1, 1
            return None
        state = tuple(_state(batch) for run in runs for batch in (*run.ready, *run.waiting))
        if state == self._kept:
            return _finding(runs)
        if self._round == self._keep_at:
            self._kept = state
            self._keep_at *= 2
        self._round += 1
        return None


def _version(runs: Sequence[Run]) -> int:
    """Return a number that grows with every write that changes memory."""
    shared = sum(buffer.version for buffer in runs[0].memory.buffers) if runs else 0
    return shared + sum(run.lds.version + run.scratch.version for run in runs)


def _state(batch: Batch) -> State:
    registers = (batch.s.tobytes(), batch.scc.tobytes(), batch.mode.tobytes(), hash(batch.v.tobytes()))
    flying = tuple((pending.op.index, pending.landed) for pending in batch.board)
    return batch.pc, batch.state, batch.wave.tobytes(), batch.group.tobytes(), flying, registers


def _finding(runs: Sequence[Run]) -> Finding:
    run = max(runs, key=lambda each: len(each.waiting))
    batch = (run.waiting or run.ready)[0]
    spinning = sum(batch.waves for each in runs for batch in each.ready)
    waiting = sum(batch.waves for each in runs for batch in each.waiting)
    doing = f"{spinning} waves loop without end" + (f" and {waiting} wait at barriers" if waiting else "")
    where = "\n".join(each.whereabouts() for each in runs)
    return Finding(
        "deadlock",
        f"no wave can go on: {doing}, and nothing that they read will change\n{where}",
        where=run.code.op(batch.pc).inst.origin,
        workgroup=run.group_id(batch, 0),
        wave=int(batch.wave[0]),
        hint="what they wait for must be written, or come to its barrier, before the writer waits for them",
    )

"""Whether data that workgroups pass on gets out of one's caches and not from the other's stale ones.

LLVM's memory model for gfx942, which clang follows for gfx950 too: every XCD has an L2 of its own, every CU an L1. What
a workgroup stored plainly (no sc1) another one sees once `buffer_wbl2 sc1` has written it back, proven by a wait,
before the atomic or sc1 store that tells of it. What it loads plainly is fresh only behind a `buffer_inv sc1`, after
the atomic or sc1 load that told it. Order is the race check's business, which asks here about what is in order.

What can be missed: a write-back counts for all that its workgroup had stored by then, an invalidation from its issue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hkasm.emulator.listener import I64, Mask

if TYPE_CHECKING:
    from hkasm.emulator.op import Op

__all__ = ["STALE", "UNWRITTEN", "Visibility"]

UNWRITTEN = (
    "in order, but nothing has written it back from that workgroup's L2",
    "buffer_wbl2 sc1, then s_waitcnt vmcnt(0), before the atomic or sc1 store there",
)
STALE = (
    "in order, but this workgroup's caches may hold what was there before",
    "buffer_inv sc1 behind the atomic or sc1 load that tells of it, before this line",
)
"""What is wrong with a read, and what mends it."""


class Visibility:
    """What each workgroup has written back, and what each has made its caches forget.

    Times are the race check's. `written_back` [workgroups] is the time up to which a group's stores are out;
    `forgotten` holds for a group, by wave of the launch, the time up to which stores that it knew of at its last
    invalidation are read afresh.
    """

    def __init__(self, groups: int) -> None:
        self.written_back: I64 = np.zeros(groups, dtype=np.int64)
        self._forgotten: dict[int, I64] = {}

    def write_back(self, groups: I64, time: int) -> None:
        """Workgroups have written back what they stored up to a time."""
        self.written_back[groups] = np.maximum(self.written_back[groups], time)

    def invalidate(self, group: int, known: I64) -> None:
        """A workgroup makes its caches forget; it knows of stores up to these times, by wave."""
        before = self._forgotten.get(group)
        self._forgotten[group] = known.copy() if before is None else np.maximum(before, known)

    def is_stale(self, group: int, who: I64, when: I64) -> Mask:
        """Tell which stores, of waves `who` at times `when`, the group's caches may not show."""
        known = self._forgotten.get(group)
        return np.asarray(when > (-1 if known is None else known.take(who)))


def reaches_device(op: Op, what: str) -> bool:
    """Tell whether an instruction is the cache control `what` (buffer_wbl2, buffer_inv) in agent or system scope."""
    return op.inst.mnemonic == what and bool(op.inst.mods.get("sc1"))

"""Wave specialisation: some waves only fetch, the others only read and multiply; they meet at barriers.

Every wave of a workgroup has as many registers as the one that needs most, so that the producers' accumulators and
fragments lie idle and the largest tile is smaller than with waves that do both (HipKittens paper, section 3.3, and its
table of schedules). It is here for comparison and for work that one kind of wave has more of than the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hkasm.schedules.phase import Phase, Schedule


@dataclass(frozen=True)
class Specialised(Schedule):
    """Producers fill `depth` buffers ahead of consumers that read half a K step ahead of their products."""

    name = "specialised"
    woven = True
    producers = frozenset(("fetch", "commit"))
    depth: int = 2
    slack: int = 6

    def steady(self, k: int) -> Iterator[Phase]:
        far = k + self.depth
        yield Phase(read=("B1",), fetch=("A0", far), compute="C00")
        yield Phase(read=("A1",), fetch=("B0", far), compute="C01")
        yield Phase(read=(("A0", k + 1),), fetch=("B1", far), compute="C10")
        yield Phase(read=(("B0", k + 1),), fetch=("A1", far), compute="C11")


class SpecialisedStaged(Schedule):
    """One LDS buffer, filled by producers through registers: theirs hold the step after the one that they commit.

    For gfx942, whose direct loads bring a dword a lane only, and for K-strided memory that is turned in registers.
    """

    name = "specialised-staged"
    woven = True
    producers = frozenset(("fetch", "commit"))
    slack = 6

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B1",), compute="C00")
        yield Phase(read=("A1",), compute="C01")
        yield Phase(commit=("A", "B"), fetch=(("A", k + 2), ("B", k + 2)), compute="C10")
        yield Phase(read=(("B0", k + 1), ("A0", k + 1)), compute="C11")

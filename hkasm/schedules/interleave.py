"""The 4-wave interleave: one wave a SIMD, and every few matrix products carry the next load, LDS read or scalar.

The orders are those of 256x256 tiles in four quadrants, as in HipKittens' 4-wave kernels (kernels/gemm/fp8fp32,
do_interleaved_cluster): reads work half a K step ahead, loads two K steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hkasm.schedules.phase import Phase, Schedule

_SLACK = 6
"""Products at the end of a phase without a read between them: 16 cycles each, about an LDS read's latency."""


@dataclass(frozen=True)
class Interleave(Schedule):
    """Two waits and two barriers a K step; A0 and B1 need two sets of registers, chosen by the buffer."""

    name = "interleave"
    woven = True
    depth: int = 2
    slack: int = _SLACK

    def steady(self, k: int) -> Iterator[Phase]:
        far = k + self.depth
        yield Phase(read=("A1",), fetch=("A0", far), compute="C00")
        yield Phase(read=(("A0", k + 1),), fetch=("B0", far), compute="C01")
        yield Phase(read=(("B1", k + 1),), fetch=("B1", far), compute="C10")
        yield Phase(read=(("B0", k + 1),), fetch=("A1", far), compute="C11")


@dataclass(frozen=True)
class InterleaveLean(Schedule):
    """One set of registers for each half of A and B, at the price of a third wait a K step."""

    name = "interleave-lean"
    woven = True
    depth: int = 2
    slack: int = _SLACK

    def steady(self, k: int) -> Iterator[Phase]:
        far = k + self.depth
        yield Phase(read=("B1",), fetch=("A0", far), compute="C00")
        yield Phase(read=("A1",), fetch=("B0", far), compute="C01")
        yield Phase(read=(("A0", k + 1),), fetch=("B1", far), compute="C10")
        yield Phase(read=(("B0", k + 1),), fetch=("A1", far), compute="C11")


@dataclass(frozen=True)
class InterleaveStaged(Schedule):
    """One LDS buffer, filled from registers: each half is committed as soon as its last read is over."""

    name = "interleave-staged"
    woven = True
    slack: int = _SLACK

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B1",), fetch=("A", k + 1), compute="C00")
        yield Phase(read=("A1",), fetch=("B", k + 1), compute="C01")
        yield Phase(commit=("A", "B"), compute="C10")
        yield Phase(read=(("B0", k + 1), ("A0", k + 1)), compute="C11")

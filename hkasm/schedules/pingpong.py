"""The 8-wave ping-pong: two groups of four waves share each SIMD; one moves data while the other multiplies.

The second group runs one section late (a conditional ``s_barrier`` before its first section). Source: HipKittens paper,
section 3.3 and appendix E; the orders below are the ones whose proof `hkasm.schedules.plan` derives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hkasm.schedules.phase import Phase, Schedule


@dataclass(frozen=True)
class PingPong(Schedule):
    """Ping-pong with direct-to-LDS loads into `depth` buffers, the groups `apart` sections from each other.

    With two buffers up to three half tiles are in flight over every barrier; each more adds four.
    """

    name = "pingpong"
    groups, priority = 2, 1
    depth: int = 2
    apart: int = 1

    def steady(self, k: int) -> Iterator[Phase]:
        shift = self.apart // 2 + 1  # phases until both groups have read what a fetch overwrites

        def fetch(phase: int) -> tuple[str, int]:
            """Return the fetch of a phase: the halves come in the order in which they are read."""
            return ("B0", "A0", "B1", "A1")[(phase - shift) % 4], k + self.depth - (phase < shift)

        yield Phase(read=("B0", "A0"), fetch=fetch(0), compute="C00")
        yield Phase(read=("B1",), fetch=fetch(1), compute="C01")
        yield Phase(read=("A1",), fetch=fetch(2), compute="C10")
        yield Phase(fetch=fetch(3), compute="C11")


class PingPongStaged(Schedule):
    """Ping-pong with one LDS buffer: the next K step waits in registers and is committed when the last read is done.

    For gfx942, whose 64 KiB LDS holds one 256x256x64 step, and for rows that direct-to-LDS loads cannot read.
    """

    name = "pingpong-staged"
    groups, depth, priority = 2, 1, 1

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B0", "A0"), fetch=("A", k + 1), compute="C00")
        yield Phase(read=("B1",), fetch=("B", k + 1), compute="C01")
        yield Phase(read=("A1",), compute="C10")
        yield Phase(commit=("A", "B"), compute="C11")


class PingPongPacked(Schedule):
    """The staged ping-pong for elements that arrive one to a register: A is packed before B takes the room."""

    name = "pingpong-packed"
    groups, depth, priority = 2, 1, 1

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B0", "A0"), fetch=("A", k + 1), compute="C00")
        yield Phase(read=("B1",), commit=("pack A",), fetch=("B", k + 1), compute="C01")
        yield Phase(read=("A1",), compute="C10")
        yield Phase(commit=("A", "B"), compute="C11")

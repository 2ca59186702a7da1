"""Attention's orders: two products for every block of keys, a softmax between them.

Ping-pong: one group of four waves multiplies while the other reads, fetches and makes the weights, each of both
products a section (HipKittens has the same four: facts/hipkittens 3.7). K and V come a whole step before they are read.

In step: four waves, each alone on its SIMD or beside a wave of another workgroup; loads one block ahead.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkasm.schedules.phase import Phase, Schedule

_SLACK = 12
"""Instructions of the weights behind the last read of V, about an LDS read's latency."""


class PingPongDirect(Schedule):
    """Attention by two groups of waves; two LDS buffers, filled by direct-to-LDS loads."""

    name = "attention-pingpong"
    groups, depth, priority, slack = 2, 2, 1, _SLACK

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("K",), fetch=("V", k + 1), compute="S")
        yield Phase(read=("V",), fetch=("K", k + 2), beside=("maximum", "weights"), compute="O")


class PingPongStaged(Schedule):
    """Attention by two groups; one LDS buffer: K and V wait in registers until both have read the block before."""

    name = "attention-pingpong-staged"
    groups, priority, slack = 2, 1, _SLACK

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("K",), commit=("V",), fetch=("V", k + 1), compute="S")
        yield Phase(read=("V",), commit=("K",), fetch=("K", k + 2), beside=("maximum", "weights"), compute="O")


class InStepDirect(Schedule):
    """Attention by waves in step; two LDS buffers, whose direct-to-LDS loads are dealt out over the step.

    K and V are read in halves of a block's keys: V's halves take the registers of K's, as soon as the first product has
    used them, so that they arrive while the softmax runs.
    """

    name = "attention-in-step"
    depth = 2

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("K0", "K1"), fetch=("K0", k + 1), compute="S0")
        yield Phase(read=("V0",), fetch=("K1", k + 1), compute="S1")
        yield Phase(read=("V1",), fetch=(("V0", k + 1), ("V1", k + 1)), beside=("maximum",), compute="weights")
        yield Phase(compute="O0")
        yield Phase(compute="O1")


class InStepStaged(Schedule):
    """Attention by waves in step; one LDS buffer: the next block waits in registers until this one is read."""

    name = "attention-in-step-staged"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("K0", "K1"), fetch=(("K", k + 1), ("V", k + 1)), compute="S0")
        yield Phase(read=("V0",), compute="S1")
        yield Phase(read=("V1",), beside=("maximum",), compute="weights")
        yield Phase(compute="O0")
        yield Phase(commit=("K", "V"), compute="O1")


SCHEDULES: dict[tuple[str, bool], type[Schedule]] = {
    ("pingpong", True): PingPongDirect,
    ("pingpong", False): PingPongStaged,
    ("in-step", True): InStepDirect,
    ("in-step", False): InStepStaged,
}
"""The order of each kind, by whether loads go to LDS without registers."""

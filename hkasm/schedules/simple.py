"""Fetch, commit, read, compute, one after the other: for a remainder, for comparison, and for debugging."""

from __future__ import annotations

from collections.abc import Iterator

from hkasm.schedules.phase import Phase, Schedule


class Simple(Schedule):
    """All waves in step, one LDS buffer, nothing in flight over a barrier."""

    name = "simple"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(fetch=(("A", k), ("B", k)))
        yield Phase(commit=("A", "B"))
        yield Phase(read=("B0", "A0"), compute="C00")
        yield Phase(read=("B1",), compute="C01")
        yield Phase(read=("A1",), compute="C10")
        yield Phase(compute="C11")


class SimpleDirect(Schedule):
    """The simple schedule for loads that go to LDS without registers."""

    name = "simple-direct"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(fetch=(("A0", k), ("A1", k), ("B0", k), ("B1", k)))
        yield Phase(read=("B0", "A0"), compute="C00")
        yield Phase(read=("B1",), compute="C01")
        yield Phase(read=("A1",), compute="C10")
        yield Phase(compute="C11")


class Gather(Schedule):
    """The simple schedule for sides that take the same registers in turn on their way to LDS."""

    name = "gather"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(fetch=("A", k))
        yield Phase(commit=("A",))
        yield Phase(fetch=("B", k))
        yield Phase(commit=("B",))
        yield Phase(read=("B0", "A0"), compute="C00")
        yield Phase(read=("B1",), compute="C01")
        yield Phase(read=("A1",), compute="C10")
        yield Phase(compute="C11")

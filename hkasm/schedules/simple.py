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

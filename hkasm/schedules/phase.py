"""Schedules as data: phases that name steps, and the class that yields them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from hkasm.errors import ScheduleError

Fetch = tuple[str, int]
"""A fetch step's name and how many K steps ahead of the running one it fetches."""


@dataclass(frozen=True)
class Phase:
    """What happens together: a memory section (reads, commits, fetches in this order), then a compute section.

    ``fetch`` is one ``(name, ahead)`` or a tuple of them.
    """

    read: tuple[str, ...] = ()
    commit: tuple[str, ...] = ()
    fetch: Fetch | tuple[Fetch, ...] = ()
    compute: str = ""

    @property
    def fetches(self) -> tuple[Fetch, ...]:
        """Return the fetches as a tuple of pairs."""
        if len(self.fetch) == 2 and isinstance(self.fetch[0], str):
            return (_pair(self.fetch),)
        return tuple(_pair(one) for one in self.fetch)


def _pair(fetch: object) -> Fetch:
    match fetch:
        case (str() as name, int() as ahead):
            return name, ahead
    raise ScheduleError(f"fetch wants (name, step) pairs, got {fetch!r}", hint='fetch=("A0", k + 1)')


class Schedule(ABC):
    """The order of a kernel's steps in the steady state, and nothing about what they do.

    ``groups`` is 1 (all waves in step) or 2 (the second group one section late); ``depth`` is the number of LDS buffers
    that the steps rotate through; ``priority`` is what ``s_setprio`` gives a wave while it computes.
    """

    name: ClassVar[str]
    groups: ClassVar[int] = 1
    depth: ClassVar[int] = 1
    priority: ClassVar[int] = 0

    _known: ClassVar[dict[str, type[Schedule]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.name in Schedule._known:
            raise ScheduleError(f"two schedules are called {cls.name!r}", where=cls.__module__)
        Schedule._known[cls.name] = cls

    @abstractmethod
    def steady(self, k: int) -> Iterator[Phase]:
        """Yield the phases of K step `k` in the steady state; a fetch may name step ``k + 1``, ``k + 2`` ..."""

    def phases(self) -> tuple[Phase, ...]:
        """Return one K step's phases, fetches relative to it."""
        return tuple(self.steady(0))

    def as_dict(self) -> dict[str, Any]:
        """Return the schedule as plain data (for JSON, diffs and plots)."""
        phases = [asdict(phase) | {"fetch": [list(fetch) for fetch in phase.fetches]} for phase in self.phases()]
        return {"name": self.name, "groups": self.groups, "depth": self.depth, "phases": phases}

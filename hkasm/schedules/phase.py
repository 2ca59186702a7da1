"""Schedules as data: phases that name steps, the class that yields them, and their forms as text and JSON."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from hkasm.errors import ScheduleError, UsageError, did_you_mean

Fetch = tuple[str, int]
"""A step's name and how many K steps ahead of the running one it works."""


@dataclass(frozen=True)
class Phase:
    """What happens together.

    Without `woven` in the schedule: a memory section (reads, commits, fetches in this order), then a compute section.
    With it, one section: the compute's instructions carry those of the others between them.

    ``fetch`` is one ``(name, ahead)`` or a tuple of them. ``read`` names steps of the running K step, or gives pairs
    too. ``beside`` names computes of the memory section, such as a softmax: with two groups they run while the other
    group multiplies. They come behind the commits, and the last of them carries the section's reads and fetches
    between its instructions. ``finish`` names what is finished in this phase of the last K step. ``slots`` tells for
    acts (``"read A1"``) behind which of a woven compute's instructions theirs stand; the others are dealt out evenly.
    ``wait`` names LDS regions that are waited for before this phase's compute, not at the latest place that is legal.
    """

    read: tuple[str | Fetch, ...] = ()
    commit: tuple[str, ...] = ()
    fetch: Fetch | tuple[Fetch, ...] = ()
    beside: tuple[str, ...] = ()
    compute: str = ""
    finish: tuple[str, ...] = ()
    slots: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    wait: tuple[str, ...] = ()

    @property
    def fetches(self) -> tuple[Fetch, ...]:
        """Return the fetches as a tuple of pairs."""
        if len(self.fetch) == 2 and isinstance(self.fetch[0], str):
            return (_pair("fetch", self.fetch),)
        return tuple(_pair("fetch", one) for one in self.fetch)

    @property
    def computes(self) -> tuple[str, ...]:
        """Return all computes, in order."""
        return (*self.beside, *((self.compute,) if self.compute else ()))

    @property
    def reads(self) -> tuple[Fetch, ...]:
        """Return the reads as a tuple of pairs."""
        return tuple((one, 0) if isinstance(one, str) else _pair("read", one) for one in self.read)

    def as_dict(self) -> dict[str, Any]:
        """Return what is not empty as plain data."""
        data: dict[str, Any] = {
            "read": [name if ahead == 0 else [name, ahead] for name, ahead in self.reads],
            "commit": list(self.commit),
            "fetch": [list(fetch) for fetch in self.fetches],
            "beside": list(self.beside),
            "compute": self.compute,
            "finish": list(self.finish),
            "slots": {act: list(slots) for act, slots in sorted(self.slots.items())},
            "wait": list(self.wait),
        }
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Phase:
        """Return the phase that `as_dict` wrote. Raises ScheduleError for anything else."""
        known = {one.name for one in fields(cls)}
        if unknown := sorted(data.keys() - known):
            raise ScheduleError(f"a phase has no {unknown[0]!r}", hint=did_you_mean(unknown[0], known))
        read = tuple(one if isinstance(one, str) else _pair("read", tuple(one)) for one in data.get("read", ()))
        fetches = tuple(_pair("fetch", tuple(one)) for one in data.get("fetch", ()))
        return cls(
            read=read,
            commit=tuple(data.get("commit", ())),
            fetch=fetches[0] if len(fetches) == 1 else fetches,
            beside=tuple(data.get("beside", ())),
            compute=str(data.get("compute", "")),
            finish=tuple(data.get("finish", ())),
            slots={act: tuple(map(int, slots)) for act, slots in data.get("slots", {}).items()},
            wait=tuple(data.get("wait", ())),
        )


def _pair(kind: str, one: object) -> Fetch:
    match one:
        case (str() as name, int() as ahead):
            return name, ahead
    raise ScheduleError(f"{kind} wants (name, step) pairs, got {one!r}", hint=f'{kind}=("A0", k + 1)')


def told_waits(phases: Sequence[Phase], schedule: str) -> dict[str, int]:
    """Return by region the phase that waits for it, where the author tells one. Raises ScheduleError for two."""
    found: dict[str, int] = {}
    for p, phase in enumerate(phases):
        for region in phase.wait:
            if found.setdefault(region, p) != p:
                raise ScheduleError(
                    f"phases {found[region]} and {p} both wait for {region!r}", where=f"schedule {schedule}"
                )
    return found


def told_place(region: str, phase: int, span: tuple[int, int], period: int, at: int, schedule: str) -> int:
    """Return the latest place of a span (first, last) that is `at` modulo the K step's `period`.

    Raises:
        ScheduleError: there is none, so that the region would be waited for before it is filled or behind its read.
    """
    first, last = span
    place = last - (last - at) % period
    if place < first:
        raise ScheduleError(
            f"phase {phase} cannot wait for {region!r}: between its fill and its read there is no such place",
            where=f"schedule {schedule}",
            hint="wait in another phase, or leave the place to the schedule",
        )
    return place


class Schedule(ABC):
    """The order of a kernel's steps in the steady state, and nothing about what they do.

    ``groups`` is 1 (all waves in step) or 2 (the second group `apart` sections late, a section being half a phase);
    ``depth`` is the number of LDS buffers that the steps rotate through; ``priority`` is what ``s_setprio`` gives a
    wave while it computes; ``woven`` says that a phase's instructions are interleaved, ``slack`` how many instructions
    of a compute that carries reads stand at the end with none between them. ``producers`` are the kinds of steps that
    run only in waves of their own.

    A subclass that is a frozen dataclass has its fields as parameters.
    """

    name: str
    groups: int = 1
    apart: int = 1
    depth: int = 1
    priority: int = 0
    woven: bool = False
    slack: int = 0
    producers: frozenset[str] = frozenset()

    _known: ClassVar[dict[str, type[Schedule]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        name = cls.__dict__.get("name")
        if not isinstance(name, str):
            return
        if name in Schedule._known:
            raise ScheduleError(f"two schedules are called {name!r}", where=cls.__module__)
        Schedule._known[name] = cls

    @abstractmethod
    def steady(self, k: int) -> Iterator[Phase]:
        """Yield the phases of K step `k` in the steady state; a step may be named for ``k + 1``, ``k + 2`` ..."""

    def phases(self) -> tuple[Phase, ...]:
        """Return one K step's phases, steps ahead relative to it."""
        return tuple(self.steady(0))

    @classmethod
    def defaults(cls) -> dict[str, int]:
        """Return the parameters of the class with their defaults."""
        found: dict[str, int] = {}
        for name, one in getattr(cls, "__dataclass_fields__", {}).items():
            found[name] = one.default
        return found

    @property
    def parameters(self) -> dict[str, int]:
        """Return the parameters with their values."""
        return {name: getattr(self, name) for name in self.defaults()}

    @property
    def label(self) -> str:
        """Return the name with the parameters that are not the defaults: `interleave:depth=3`."""
        changed = [f"{name}={value}" for name, value in self.parameters.items() if value != self.defaults()[name]]
        return ":".join([self.name, ",".join(changed)]) if changed else self.name

    def as_dict(self) -> dict[str, Any]:
        """Return the schedule as plain data (for JSON, diffs and plots); `RecordedSchedule` reads it."""
        return {
            "name": self.name,
            "parameters": self.parameters,
            **{name: getattr(self, name) for name in _SCALARS},
            "producers": sorted(self.producers),
            "phases": [phase.as_dict() for phase in self.phases()],
        }


_SCALARS = ("groups", "apart", "depth", "priority", "woven", "slack")


class RecordedSchedule(Schedule):
    """A schedule that was read from data: what it says is what it does, whatever the class of its name does today."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Read what `as_dict` wrote. Raises ScheduleError for anything else."""
        if not isinstance(data, Mapping):
            raise ScheduleError(f"a schedule is an object with a name and phases, got {type(data).__name__}")
        known = {"name", "parameters", "producers", "phases", *_SCALARS}
        if unknown := sorted(data.keys() - known):
            raise ScheduleError(f"a schedule has no {unknown[0]!r}", hint=did_you_mean(unknown[0], known))
        if not isinstance(data.get("name"), str) or not isinstance(data.get("phases"), list):
            raise ScheduleError("a schedule wants a name and a list of phases")
        self.name = data["name"]
        try:
            for name in _SCALARS:
                setattr(self, name, type(getattr(Schedule, name))(data.get(name, getattr(Schedule, name))))
            self.producers = frozenset(data.get("producers", ()))
            self._parameters = dict(data.get("parameters", {}))
            self._phases = tuple(Phase.from_dict(phase) for phase in data["phases"])
        except (AttributeError, TypeError, ValueError) as error:
            raise ScheduleError(f"schedule {self.name}: {error}", hint="it is no data of a schedule") from None
        _check_parameters(self.name, {name: getattr(self, name) for name in _SCALARS})

    def steady(self, k: int) -> Iterator[Phase]:
        yield from self._phases

    @property
    def parameters(self) -> dict[str, int]:
        return self._parameters

    @property
    def label(self) -> str:
        return self.name


def make_schedule(text: str, known: Mapping[str, type[Schedule]], **parameters: int) -> Schedule:
    """Return the schedule that `text` names: `interleave` or `interleave:depth=3,slack=4`.

    Raises:
        UsageError: no such schedule or parameter, or a value that is no number.
    """
    name, _, rest = text.partition(":")
    if name not in known:
        hint = did_you_mean(name, known) or f"schedules: {', '.join(sorted(known))}"
        raise UsageError(f"unknown schedule {name!r}", hint=hint)
    cls = known[name]
    given: dict[str, int] = dict(parameters)
    for one in filter(None, rest.split(",")):
        key, _, value = one.partition("=")
        if not _NUMBER.fullmatch(value):
            raise UsageError(f"schedule {name}: {one!r} is not parameter=number")
        given[key] = int(value)
    defaults = cls.defaults()
    for key in given:
        if key not in defaults:
            hint = did_you_mean(key, defaults) or f"parameters: {', '.join(defaults) or 'none'}"
            raise UsageError(f"schedule {name} has no parameter {key!r}", hint=hint)
    _check_parameters(name, given)
    return cls(**given)


_NUMBER = re.compile(r"-?[0-9]{1,9}")
_MOST = 4096


def _check_parameters(name: str, values: Mapping[str, int]) -> None:
    """Refuse what no schedule can be: no buffer or group, or fewer. Raises UsageError."""
    for key, value in values.items():
        low = 1 if key in ("depth", "groups") else 0
        if not low <= value <= _MOST:
            raise UsageError(f"schedule {name}: {key}={value} is out of range", hint=f"{low} to {_MOST}")


def diff_schedules(before: Schedule, after: Schedule) -> list[str]:
    """Return one line for everything that differs: `phases[1].fetch: [["B0", 2]] -> [["B0", 3]]`."""
    return list(_differences("", before.as_dict(), after.as_dict()))


def _differences(path: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _differences(f"{path}.{key}".lstrip("."), before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and path == "phases":
        for index in range(max(len(before), len(after))):
            pair = [phases[index] if index < len(phases) else None for phases in (before, after)]
            yield from _differences(f"{path}[{index}]", *pair)
    elif before != after:
        yield f"{path}: {before} -> {after}"

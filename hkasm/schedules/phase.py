"""Schedules as data: phases that name steps, the class that yields them, and their forms as text and JSON."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from hkasm.errors import ScheduleError, UsageError, did_you_mean
from hkasm.schedules.step import KINDS

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
    def from_dict(cls, data: Mapping[str, Any], *, where: str = "a phase") -> Phase:
        """Return the phase that `as_dict` wrote; `where` says what it is. Raises ScheduleError for anything else."""
        known = {one.name for one in fields(cls)}
        if not isinstance(data, Mapping):
            raise ScheduleError(f"a phase is an object, got {data!r:.60}", where=where, hint='{"compute": "C00"}')
        if unknown := sorted(map(str, data.keys() - known)):
            raise ScheduleError(f"a phase has no {unknown[0]!r}", where=where, hint=did_you_mean(unknown[0], known))
        slots = data.get("slots", {})
        if not isinstance(slots, Mapping):
            raise ScheduleError(f"wants an object, got {slots!r:.60}", where=f"{where}.slots", hint='{"read A1": [0]}')
        pairs: dict[str, list[Any]] = {}
        for key in ("read", "fetch"):
            pairs[key] = [
                one if key == "read" and isinstance(one, str) else _pair(key, _plain(one), f"{where}.{key}[{place}]")
                for place, one in enumerate(_listed(data.get(key, ()), f"{where}.{key}"))
            ]
        compute = data.get("compute", "")
        if not isinstance(compute, str):
            raise ScheduleError(f"wants the name of a step, got {compute!r:.60}", where=f"{where}.compute")
        names = {key: _names(data.get(key, ()), f"{where}.{key}") for key in ("commit", "beside", "finish", "wait")}
        fetches = pairs["fetch"]
        return cls(
            read=tuple(pairs["read"]),
            fetch=fetches[0] if len(fetches) == 1 else tuple(fetches),
            compute=compute,
            slots={
                act: tuple(_whole(one, f"{where}.slots[{act!r}]") for one in _listed(own, f"{where}.slots[{act!r}]"))
                for act, own in slots.items()
            },
            **names,
        )


def _pair(kind: str, one: object, where: str | None = None) -> Fetch:
    match one:
        case (str() as name, int() as ahead) if not isinstance(ahead, bool):
            return name, ahead
    raise ScheduleError(f"{kind} wants (name, step) pairs, got {one!r:.60}", where=where, hint=f'{kind}=("A0", k + 1)')


def _plain(one: object) -> object:
    """Return JSON's lists as the tuples that they stand for."""
    return tuple(one) if isinstance(one, list) else one


def _listed(value: object, where: str) -> Sequence[Any]:
    if isinstance(value, list | tuple):
        return value
    raise ScheduleError(f"wants a list, got {value!r:.60}", where=where)


def _names(value: object, where: str) -> tuple[str, ...]:
    for one in _listed(value, where):
        if not isinstance(one, str):
            raise ScheduleError(f"wants a list of names, got {one!r:.60} in it", where=where)
    return tuple(_listed(value, where))


def _whole(value: object, where: str) -> int:
    if type(value) is int:
        return value
    raise ScheduleError(f"wants a whole number, got {value!r:.60}", where=where)


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

    def __init__(self, data: Mapping[str, Any], *, where: str = "a schedule") -> None:
        """Read what `as_dict` wrote; `where` says what it is, such as its file.

        Raises:
            ScheduleError: anything else.
        """
        if not isinstance(data, Mapping):
            raise ScheduleError(
                f"a schedule is an object with a name and phases, got {type(data).__name__}",
                where=where,
                hint="hkasm show schedule pingpong --json writes one",
            )
        known = {"name", "parameters", "producers", "phases", *_SCALARS}
        if unknown := sorted(map(str, data.keys() - known)):
            raise ScheduleError(f"a schedule has no {unknown[0]!r}", where=where, hint=did_you_mean(unknown[0], known))
        name, phases, parameters = data.get("name"), data.get("phases"), data.get("parameters", {})
        if not isinstance(name, str) or not isinstance(phases, list) or not phases:
            raise ScheduleError(
                "a schedule wants a name and a list of phases", where=where, hint='{"name": "mine", "phases": [...]}'
            )
        self.name = name
        for key in _SCALARS:
            setattr(self, key, _scalar(key, data.get(key, getattr(Schedule, key)), where))
        self.producers = frozenset(_names(data.get("producers", ()), f"{where}: producers"))
        if strange := sorted(self.producers - {*KINDS}):
            raise ScheduleError(
                f"no step is of the kind {strange[0]!r}",
                where=f"{where}: producers",
                hint=did_you_mean(strange[0], KINDS) or f"kinds: {', '.join(KINDS)}",
            )
        if not isinstance(parameters, Mapping):
            raise ScheduleError(f"wants an object, got {parameters!r:.60}", where=f"{where}: parameters")
        self._parameters = {key: _whole(value, f"{where}: parameters.{key}") for key, value in parameters.items()}
        self._phases = tuple(
            Phase.from_dict(phase, where=f"{where}: phases[{place}]") for place, phase in enumerate(phases)
        )

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
_RANGES = {"groups": (1, 2), "depth": (1, 4096), "priority": (0, 3), "apart": (0, 4096), "slack": (0, 4096)}


def _scalar(key: str, value: object, where: str) -> int | bool:
    """Return what a schedule's field is told to be. Raises ScheduleError for what it cannot be."""
    if key == "woven":
        if isinstance(value, bool):
            return value
        raise ScheduleError(f"wants true or false, got {value!r:.60}", where=f"{where}: {key}")
    number, (low, high) = _whole(value, f"{where}: {key}"), _RANGES[key]
    if not low <= number <= high:
        raise ScheduleError(f"{number!r:.60} is out of range", where=f"{where}: {key}", hint=f"{low} to {high}")
    return number


def _check_parameters(name: str, values: Mapping[str, int]) -> None:
    """Refuse what no schedule can be: no buffer or group, or fewer. Raises UsageError."""
    for key, value in values.items():
        low, high = _RANGES.get(key, (0, 4096))
        if not low <= value <= high:
            raise UsageError(f"schedule {name}: {key}={value} is out of range", hint=f"{low} to {high}")


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

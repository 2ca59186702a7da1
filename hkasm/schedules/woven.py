"""Plan a woven schedule: one section a phase, whose compute carries the instructions of reads, commits and fetches.

Sections are numbered through the K steps; boundary s stands before section s, and is where a wait and then
``s_barrier`` may be. Reads may work ahead, so that a compute finds its registers filled by an earlier section. All
waves run the same sections at the same time, apart from wave specialisation: then each role runs its own acts of every
section, and both meet at the same boundaries. For the data of one K step:

- what is filled in section f and read in section r needs a boundary from f + 1 to r where the filling waves wait;
- what is read in section r and filled anew in section f needs one from r + 1 to f, at or behind the wait of the reading
  waves: the one of the compute that takes the registers, or a guard put in for this purpose.

A boundary serves several of these spans; the fewest that serve all are chosen, then the latest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

from hkasm.errors import ScheduleError
from hkasm.schedules.items import Act, Advance, Barrier, Item, Prepare, Priority, Thread, Wait, Woven
from hkasm.schedules.phase import Fetch, Phase, Schedule, told_place, told_waits
from hkasm.schedules.step import KINDS, Atom, Facts, Kind

Role = Literal["all", "producer", "consumer"]
FactKey = tuple[Kind, str, int]
Runs = Callable[[int], bool]
"""Tells whether acts so many K steps ahead are run here."""
_MOST_SECTIONS = 12
"""Sections up to which every choice of boundaries is tried."""


class _Span(NamedTuple):
    """Where a boundary is needed, in sections relative to the K step whose data is meant.

    `region` arrives, or reads `reader` of it in the step before in this buffer are over, waited for where a compute
    takes them from section `waited` on.
    """

    first: int
    last: int
    region: str
    reader: str = ""
    waited: int = 0


@dataclass(frozen=True)
class _Duty:
    """What a boundary does for the K step `ahead` of the one it stands in."""

    span: _Span
    ahead: int
    guards: bool


class WovenPlan:
    """A woven schedule applied to a kernel's steps; `facts` by (kind, name, slot).

    Raises ScheduleError when the order cannot be lowered, saying which acts collide.
    """

    lag = 0
    guarded = False

    def __init__(
        self,
        schedule: Schedule,
        facts: Mapping[FactKey, Facts],
        prepared: Iterable[str] = (),
        role: Role = "all",
    ) -> None:
        self.schedule, self.role = schedule, role
        self.phases = schedule.phases()
        self.slots = schedule.depth
        self.sections = len(self.phases)
        self._facts = facts
        self._prepared = frozenset(prepared)
        if apart := next((name for phase in self.phases for name in phase.beside), None):
            raise self._error(f"compute {apart!r} stands beside another", "only schedules with sections: woven = False")
        works = [ahead for phase in self.phases for _, ahead in (*phase.fetches, *phase.reads)]
        self.ahead = max(works, default=0)
        self._last_fetches = self._check_order()
        self._commit_ahead: dict[str, int] = {}
        self._follow_commits()
        self._takers = self._follow_registers()
        self._duties: dict[int, list[_Duty]] = {}
        self._place()

    # What the caller lowers.

    def prologue(self, trips: int | None = None) -> list[Item]:
        """Return what comes before K step 0: the acts of the steps before it that work ahead.

        `trips` is the number of K steps if it is smaller than `ahead`; None means at least `ahead`.
        """
        items: list[Item] = []
        for step in range(-self.ahead, 0):
            remaining = None if trips is None else trips - 1 - step
            for p, phase in enumerate(self.phases):
                items += self._section(p, phase, step, remaining, step)
        return items

    def step(self, slot: int, remaining: int | None = None, index: int | None = None) -> list[Item]:
        """Return one K step that runs in buffer `slot`.

        `remaining` is the number of steps behind it if it is less than `ahead`, None in the steady loop; `index` is the
        step's number where it is known.
        """
        items: list[Item] = []
        for p, phase in enumerate(self.phases):
            items += self._section(p, phase, slot, remaining, index)
        return items

    @property
    def finished(self) -> frozenset[str]:
        """Return the finish steps that stand in phases."""
        return frozenset(name for phase in self.phases for name in phase.finish) if self.ahead else frozenset()

    # Sections.

    def _plays(self, kind: Kind) -> bool:
        if self.role == "all":
            return True
        return (kind in self.schedule.producers) == (self.role == "producer")

    def _section(self, p: int, phase: Phase, step: int, remaining: int | None, index: int | None) -> Iterator[Item]:
        """Yield a boundary and its section, of any step congruent to the running one (negative before step 0)."""
        early = index is not None and index < 0

        def runs(ahead: int) -> bool:
            return (not early or step + ahead >= 0) and (remaining is None or ahead <= remaining)

        computes = bool(phase.compute) and not early and self._plays("compute")
        commits = [name for name in phase.commit if self._plays("commit") and runs(self._commit_ahead[name])]
        needs = self._needs(phase.compute, step) if computes else frozenset[Atom]()
        yield from self._boundary(p, step, runs, index, needs, commits)
        threads = [
            *self._thread(phase, (Act("read", n, (step + a) % self.slots) for n, a in phase.reads if runs(a)), "read"),
            *self._thread(
                phase, (Act("commit", n, (step + self._commit_ahead[n]) % self.slots) for n in commits), "commit"
            ),
            *self._thread(phase, self._fetches(phase, step, runs), "fetch"),
        ]
        if remaining == 0 and self.ahead:
            threads += self._thread(phase, (Act("finish", name, 0) for name in phase.finish), "finish")
        compute = Act("compute", phase.compute, step % self.slots) if computes else None
        if compute is None and not threads:
            return
        if compute is not None and self.schedule.priority:
            yield Priority(self.schedule.priority)
        yield Woven(compute, tuple(threads))
        if compute is not None and self.schedule.priority:
            yield Priority(0)

    def _thread(self, phase: Phase, acts: Iterable[Act | Prepare | Advance], kind: Kind) -> Iterator[Thread]:
        """Yield the acts of one kind as a thread, those with slots of their own each as one."""
        if not self._plays(kind):
            return
        slack = self.schedule.slack if kind == "read" else 0
        rest: list[Act | Prepare | Advance] = []
        for act in acts:
            slots = phase.slots.get(f"{act.kind} {act.name}") if isinstance(act, Act) else None
            if slots is None:
                rest.append(act)
            else:
                yield Thread((act,), tuple(slots))
        if rest:
            yield Thread(tuple(rest), slack=slack)

    def _fetches(self, phase: Phase, step: int, runs: Runs) -> Iterator[Act | Prepare | Advance]:
        for name, ahead in phase.fetches:
            if not runs(ahead):
                continue
            slot = (step + ahead) % self.slots
            if name in self._prepared:
                yield Prepare(name, slot)
            yield Act("fetch", name, slot)
            if (name, ahead) in self._last_fetches and runs(ahead + 1):
                yield Advance()

    def _boundary(
        self, p: int, step: int, runs: Runs, index: int | None, needs: frozenset[Atom], commits: list[str]
    ) -> Iterator[Item]:
        """Yield what must be waited for before a section, and the barrier if the sections behind need one."""
        duties = [
            duty
            for duty in self._duties.get(p, ())
            if runs(duty.ahead) and not (duty.guards and index is not None and index + duty.ahead < self.slots)
        ]
        registers, regions, reasons = set(needs), list[tuple[str, int]](), list[str]()
        for name in commits:
            registers |= self._staged(name)
            reasons.append(f"commit {name}")
        for duty in duties:
            span, slot = duty.span, (step + duty.ahead) % self.slots
            if not duty.guards and (self._plays("fetch") or self._plays("commit")):
                regions.append((span.region, slot))
                reasons.append(span.region)
            elif duty.guards and self._plays("read"):
                place = p - duty.ahead * self.sections
                if span.waited > place:
                    reasons.append(f"reads of {span.reader} done")
                    registers |= self._loads("read", span.reader, slot)
        if needs:
            reasons.append(f"compute {self.phases[p].compute}")
        if registers or regions:
            yield Wait(frozenset(registers), tuple(dict.fromkeys(regions)), ", ".join(dict.fromkeys(reasons)))
        if duties:
            what = (f"{one.span.region} {'is free' if one.guards else 'arrives'}" for one in duties)
            yield Barrier(", ".join(dict.fromkeys(what)))

    # Registers.

    def _loads(self, kind: Kind, name: str, slot: int) -> frozenset[Atom]:
        return self._facts[kind, name, slot % self.slots].loads

    def _needs(self, compute: str, step: int) -> frozenset[Atom]:
        """Return what a compute takes of that which reads bring."""
        slot = step % self.slots
        brought = frozenset[Atom]().union(
            *(self._loads("read", name, at) for _, name, _ in self._each("read") for at in range(self.slots))
        )
        return self._facts["compute", compute, slot].reads & brought

    def _staged(self, commit: str) -> frozenset[Atom]:
        fetched = frozenset[Atom]().union(*(self._loads("fetch", name, 0) for _, name, _ in self._each("fetch")))
        return self._facts["commit", commit, 0].reads & fetched

    def _each(self, kind: Kind) -> Iterator[tuple[int, str, int]]:
        """Yield phase, name and steps ahead of every act of one kind, in order."""
        for p, phase in enumerate(self.phases):
            match kind:
                case "read":
                    acts: tuple[Fetch, ...] = phase.reads
                case "fetch":
                    acts = phase.fetches
                case "commit":
                    acts = tuple((name, self._commit_ahead.get(name, 0)) for name in phase.commit)
                case "compute":
                    acts = ((phase.compute, 0),) if phase.compute else ()
                case "finish":
                    acts = tuple((name, 0) for name in phase.finish)
            for name, ahead in acts:
                yield p, name, ahead

    def _check_order(self) -> set[Fetch]:
        """Return behind which fetches the cursor advances; fetches must go through the K steps in order."""
        for kind in KINDS[:3]:
            names = [name for phase in self.phases for name in _names(phase, kind)]
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise self._error(f"{kind} {twice!r} stands twice in one K step")
        order = [fetch for phase in self.phases for fetch in phase.fetches]
        last = set()
        following = [*order[1:], (order[0][0], order[0][1] + 1)] if order else []
        for (name, ahead), (after, ahead_after) in zip(order, following, strict=True):
            if not 0 <= ahead_after - ahead <= 1:
                raise self._error(
                    f"fetch {after!r} of step k + {ahead_after} follows fetch {name!r} of step k + {ahead}",
                    "fetches go through the K steps in order",
                )
            if ahead_after > ahead:
                last.add((name, ahead))
        return last

    def _follow_commits(self) -> None:
        """Find how far ahead each commit works: as far as the fetches whose registers it takes.

        Within a section commits come before fetches, so that they take what earlier sections fetched.
        """
        holds: dict[Atom, int] = {}
        for step in range(self.ahead + 2):
            for phase in self.phases:
                for name in phase.commit if step > self.ahead else ():
                    steps = {holds.get(atom) for atom in self._staged(name)}
                    ahead = steps.pop() if len(steps) == 1 else None
                    if ahead is None:
                        raise self._error(f"commit {name!r} does not find the registers of one K step's fetch")
                    self._commit_ahead[name] = ahead - step
                for name, ahead in phase.fetches:
                    holds.update(dict.fromkeys(self._loads("fetch", name, 0), step + ahead))

    def _follow_registers(self) -> dict[str, int]:
        """Return by which section the computes have waited for all that a read of the K step brings.

        Follows what every register holds through a few K steps: a compute must find its own step's data, brought by an
        earlier section.
        """
        first, last = -self.ahead, 2 * self.slots + self.ahead
        holds: dict[Atom, tuple[str, int]] = {}
        waits: dict[tuple[str, int], dict[Atom, int]] = {}
        for step in range(first, last):
            for p, phase in enumerate(self.phases):
                if phase.compute and step >= 0:
                    for atom in sorted(self._needs(phase.compute, step)):
                        reader, of = holds.get(atom, ("", step))
                        if not reader or of < step:
                            raise self._error(
                                f"compute {phase.compute!r} of phase {p} comes before the read of its step",
                                "put the read into an earlier phase",
                            )
                        if of > step:
                            raise self._error(
                                f"read {reader!r} of step k + {of - step} overwrites what compute {phase.compute!r} of "
                                f"phase {p} takes",
                                "read it a phase later, or into a register set of its own",
                            )
                        waits[reader, of].setdefault(atom, step * self.sections + p)
                for name, ahead in phase.reads:
                    if step + ahead >= 0:
                        loads = self._loads("read", name, step + ahead)
                        holds.update(dict.fromkeys(loads, (name, step + ahead)))
                        waits[name, step + ahead] = {}
        takers: dict[str, int] = {}
        for _, name, _ in self._each("read"):
            of = self.slots
            taken = waits.get((name, of), {})
            if not taken or self._loads("read", name, of) - taken.keys():
                raise self._error(f"nothing computes with all that read {name!r} brings")
            takers[name] = max(taken.values()) - of * self.sections
        return takers

    # Boundaries.

    def _place(self) -> None:
        """Choose the boundaries that serve all spans, and give each its duties."""
        spans = list(self._spans())
        chosen = self._choose(spans)
        for span in spans:
            place = self._latest(span, chosen)
            assert place is not None
            ahead, boundary = -(place // self.sections), place % self.sections
            self._duties.setdefault(boundary, []).append(_Duty(span, ahead, bool(span.reader)))

    def _spans(self) -> Iterator[_Span]:
        fills: dict[str, tuple[int, str, int]] = {}
        for kind in ("commit", "fetch"):
            for p, name, ahead in self._each(kind):
                for region in self._facts[kind, name, 0].regions:
                    if region in fills:
                        raise self._error(f"{kind} {name!r} and {fills[region][1]} both fill {region!r}")
                    fills[region] = p - ahead * self.sections, f"{kind} {name!r}", ahead
        readers: dict[str, list[tuple[int, str]]] = {}
        for p, name, ahead in self._each("read"):
            for region in self._facts["read", name, 0].regions:
                readers.setdefault(region, []).append((p - ahead * self.sections, name))
        if unfilled := sorted(readers.keys() - fills.keys()):
            raise self._error(f"nothing fills {', '.join(unfilled)}")
        if idle := next((region for region in fills if region not in readers), None):
            by = fills[idle][1]
            raise self._error(
                f"{by} fills {idle!r}, and no phase reads it",
                f"name the read of {idle!r} in a phase, or leave {by} out",
            )
        age = self.slots * self.sections
        told = told_waits(self.phases, self.schedule.name)
        if unread := sorted(told.keys() - readers.keys()):
            raise self._error(f"nothing reads {unread[0]!r}, which phase {told[unread[0]]} waits for")
        for region, reads in readers.items():
            fill, by, ahead = fills[region]
            read, reader = min(reads)
            if read <= fill:
                raise self._error(
                    f"{by} of step k + {ahead} comes too late: read {reader!r} of that step takes {region!r}",
                    "a wait and a barrier of every wave must lie between: fill it a phase earlier",
                )
            span = fill + 1, read
            if region in told:
                phase = told[region]
                span = (told_place(region, phase, span, self.sections, phase, self.schedule.name),) * 2
            yield _Span(*span, region)
            for read, reader in reads:
                if fill <= read - age:
                    depth = (read - fill) // self.sections + 1
                    raise self._error(
                        f"{by} of step k + {ahead} overwrites {region!r} too early: read {reader!r} may still be under "
                        "way in another wave",
                        f"fetch it a phase later, or one step less ahead, or into a buffer more: depth = {depth}",
                    )
                yield _Span(read - age + 1, fill, region, reader, self._takers[reader] - age)

    def _latest(self, span: _Span, chosen: Iterable[int]) -> int | None:
        """Return the latest boundary of a span that is one of those chosen."""
        places = (span.last - (span.last - boundary) % self.sections for boundary in chosen)
        return max((place for place in places if place >= span.first), default=None)

    def _choose(self, spans: list[_Span]) -> tuple[int, ...]:
        """Return the boundaries (phases) that serve all spans: the fewest, then the latest in their spans."""
        if self.sections > _MOST_SECTIONS:
            raise self._error(f"{self.sections} phases in a K step", f"at most {_MOST_SECTIONS}")
        for count in range(self.sections + 1):
            best: tuple[int, tuple[int, ...]] | None = None
            for chosen in combinations(range(self.sections), count):
                places = [place for span in spans if (place := self._latest(span, chosen)) is not None]
                if len(places) < len(spans):
                    continue
                guards = sum(s.waited > p for s, p in zip(spans, places, strict=True) if s.reader)
                early = sum(s.last - p for s, p in zip(spans, places, strict=True))
                if best is None or (guards * self.sections + early, chosen) < best:
                    best = guards * self.sections + early, chosen
            if best is not None:
                return best[1]
        return tuple(range(self.sections))

    def _error(self, message: str, hint: str | None = None) -> ScheduleError:
        return ScheduleError(message, where=f"schedule {self.schedule.name}", hint=hint)


def _names(phase: Phase, kind: Kind) -> tuple[str, ...]:
    if kind == "read":
        return tuple(name for name, _ in phase.reads)
    return phase.commit if kind == "commit" else tuple(name for name, _ in phase.fetches)

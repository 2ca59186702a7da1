"""Plan a schedule: where data arrives, where a buffer may be overwritten, what each K step and the prologue hold.

Sections are numbered through a K step, memory 2p and compute 2p + 1 of phase p; a *boundary* is the end of a section,
where a wait and then ``s_barrier`` may stand. With two groups every boundary has a barrier and the second group runs
section j in time slot j + `lag`, so that between two waves of different groups that many boundaries more must lie. For
a region of which each group touches a part of its own (`Step.grouped`) `lag` counts as 0:

- data that a fetch or commit writes may be read in section r if every wave has waited for its part at a boundary no
  later than r - 1 - lag;
- a buffer may be overwritten in section f if every wave has its reads of the old content behind it at a boundary no
  later than f - 1 - lag. A read is behind it where a wait says so: the one that the consuming compute needs anyway (in
  section 2p + 1, or 2p if it is computed beside, so at that section's boundary), or a *guard* put in for this purpose.

Waits go to the latest place that these rules allow, or to the phase that names them (`Phase.wait`). One for a region of
which each group has a part joins a wait that stands up to `lag` before it, or stands at the end of the memory section
before it, where it is as loose and keeps no group from multiplying. With one group there are barriers only where the
rules need one.
Nothing here emits: a plan is data, and the same whatever a step consists of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from hkasm.errors import ScheduleError
from hkasm.schedules.items import Act, Advance, Barrier, Item, Prepare, Priority, Thread, Wait, Woven
from hkasm.schedules.phase import Fetch, Phase, Schedule, told_place, told_waits
from hkasm.schedules.step import Atom, Facts, Kind

PACE = "paces the groups"
"""Why a barrier stands without which nothing collides: one group moves data while the other multiplies."""


class _Arrival(NamedTuple):
    """A wait at a boundary for a region of the K step `ahead` of the running one."""

    region: str
    ahead: int


class _Guard(NamedTuple):
    """Reads that must be behind a boundary because the fill of the K step `ahead` overwrites what they read.

    Without `registers` the wait is another's and only the barrier is needed.
    """

    reader: str
    registers: frozenset[Atom]
    ahead: int


class _Fill(NamedTuple):
    region: str
    by: str
    phase: int
    ahead: int


class Plan:
    """A schedule applied to a kernel's steps; `facts` by (kind, name).

    Raises ScheduleError when the order cannot be lowered: a region filled too late or overwritten too early, a compute
    before its reads, fetches out of order.
    """

    def __init__(
        self, schedule: Schedule, facts: Mapping[tuple[Kind, str], Facts], prepared: Iterable[str] = ()
    ) -> None:
        self.schedule = schedule
        self.phases = schedule.phases()
        self.slots = schedule.depth
        self.lag = schedule.apart if schedule.groups > 1 else 0
        self.sections = 2 * len(self.phases)
        self._facts = facts
        self._prepared = frozenset(prepared)
        if early := next((name for phase in self.phases for name, ahead in phase.reads if ahead), None):
            raise self._error(f"read {early!r} works ahead", "only woven schedules read ahead: woven = True")
        self.ahead = max((ahead for phase in self.phases for _, ahead in phase.fetches), default=0)
        self._loaded = self._loads("read")
        self._fetched = self._loads("fetch")
        self._needed: dict[str, frozenset[Atom]] = {}
        self._commit_ahead = self._commit_sources()
        self._check_straight()
        self._check_order()
        self._consumers = self._find_consumers()
        self._arrivals: dict[int, list[_Arrival]] = {}
        self._guards: dict[int, list[_Guard]] = {}
        self._fences = set(range(self.sections)) if self.lag else set()
        self._orders: dict[int, list[tuple[str, int]]] = {}
        self._place_waits()

    # What the caller lowers.

    def prologue(self, trips: int | None = None) -> list[Item]:
        """Return what fills the buffers before K step 0: the fetches of the steps before it, in steady order.

        `trips` is the number of K steps if it is known or smaller than `ahead`; None means at least `ahead`.
        """
        items: list[Item] = []
        for step in range(-self.ahead, 0):
            for phase in self.phases:
                items += self._memory(phase, step, None if trips is None else trips - 1 - step, reads=False)
        first = tuple(
            (arrival.region, step % self.slots)
            for arrivals in self._arrivals.values()
            for arrival in arrivals
            for step in range(arrival.ahead if trips is None else min(arrival.ahead, trips))
        )
        return [*items, Wait(regions=first, reason="first step"), Barrier("first step")] if first else items

    def step(self, slot: int, remaining: int | None = None, index: int | None = None) -> list[Item]:
        """Return one K step that runs in buffer `slot`.

        `remaining` is the number of steps behind it if it is less than `ahead`, None in the steady loop; `index` is the
        step's number where it is known.
        """
        items: list[Item] = []
        for p, phase in enumerate(self.phases):
            items += self._memory(phase, slot, remaining, reads=True)
            items += self._boundary(2 * p, slot, remaining, index)
            items += self._compute(phase.compute)
            if remaining == 0 and self.ahead:
                items += [Act("finish", name, 0) for name in phase.finish]
            items += self._boundary(2 * p + 1, slot, remaining, index)
        return items

    @property
    def finished(self) -> frozenset[str]:
        """Return the finish steps that stand in phases."""
        return frozenset(name for _, name in self._each("finish")) if self.ahead else frozenset()

    @property
    def guarded(self) -> bool:
        """Tell whether all waves meet in the first K step, of a number that is not known, before LDS is filled."""
        return self.ahead == 0 and all(guard.ahead == 0 for guards in self._guards.values() for guard in guards)

    # Sections.

    def _memory(self, phase: Phase, step: int, remaining: int | None, reads: bool) -> Iterator[Item]:
        """Yield a memory section of `step` (any number congruent to it modulo the slots, negative before step 0)."""

        def runs(ahead: int) -> bool:
            return step + ahead >= 0 and (remaining is None or ahead <= remaining)

        readers = [Act("read", name, step % self.slots) for name, _ in phase.reads] if reads else []
        fetches: list[Act | Prepare | Advance] = []
        for name, ahead in phase.fetches:
            if runs(ahead):
                slot = (step + ahead) % self.slots
                fetches += [Prepare(name, slot)] if name in self._prepared else []
                fetches.append(Act("fetch", name, slot))
                fetches += [Advance()] if (name, ahead) in self._last_fetches and runs(ahead + 1) else []
        if not phase.beside:
            if sum(isinstance(one, Act) for one in fetches) == 1 and isinstance(fetches[0], Prepare):
                yield fetches.pop(0)
            yield from readers
        for name in phase.commit:
            ahead = self._commit_ahead[name]
            if runs(ahead):
                yield Wait(self._staged(name), reason=f"commit {name}")
                yield Act("commit", name, (step + ahead) % self.slots)
        if phase.beside and reads:
            yield from self._beside(phase.beside, readers, fetches)
        else:
            yield from fetches

    def _beside(
        self, computes: tuple[str, ...], readers: list[Act], fetches: list[Act | Prepare | Advance]
    ) -> Iterator[Item]:
        """Yield the computes of a memory section; the last carries its reads and fetches."""
        for name in computes:
            yield from self._needed_by(name)
            act = Act("compute", name, 0)
            if name != computes[-1]:
                yield act
                continue
            threads = [Thread(tuple(readers), slack=self.schedule.slack)] if readers else []
            threads += [Thread(tuple(fetches))] if fetches else []
            yield Woven(act, tuple(threads)) if threads else act

    def _compute(self, name: str) -> Iterator[Item]:
        if not name:
            return
        yield from self._needed_by(name)
        yield Act("compute", name, 0)

    def _needed_by(self, compute: str) -> Iterator[Item]:
        if needs := self._needs(compute):
            yield Wait(needs, reason=f"compute {compute}")

    def _boundary(self, boundary: int, slot: int, remaining: int | None, index: int | None) -> Iterator[Item]:
        """Yield the waits and the barrier at the end of a section, as far as a later step still needs them."""

        def needed(ahead: int) -> bool:
            return remaining is None or ahead <= remaining

        arrivals = [a for a in self._arrivals.get(boundary, ()) if needed(a.ahead)]
        guards = [
            g
            for g in self._guards.get(boundary, ())
            if needed(g.ahead) and (index is None or index + g.ahead >= self.slots)
        ]
        if computes := self._priority(boundary):
            yield Priority(self.schedule.priority)
        registers = frozenset[Atom]().union(*(g.registers for g in guards))
        regions = tuple((a.region, (slot + a.ahead) % self.slots) for a in arrivals)
        if registers or regions:
            readers = sorted({g.reader for g in guards if g.registers})
            reason = " and ".join([*(f"reads of {name} done" for name in readers), *(name for name, _ in regions)])
            yield Wait(registers, regions, reason)
        if self.lag or (boundary in self._fences and (arrivals or guards)):
            what = (one for one, ahead in self._orders.get(boundary, ()) if needed(ahead))
            yield Barrier(", ".join(dict.fromkeys(what)) or PACE)
        if not computes and self._priority(boundary - 1):
            yield Priority(0)

    def _priority(self, boundary: int) -> bool:
        """Tell whether the products behind a boundary run with a priority of their own.

        It is raised before the barrier that lets them begin and lowered behind the one that ends them: between a
        barrier and the last product of one group and the first of the other stands nothing that need not.
        """
        return self.schedule.priority > 0 and boundary % 2 == 0 and bool(self.phases[boundary // 2].compute)

    # Order.

    def _each(self, kind: Kind) -> Iterator[tuple[int, str]]:
        """Yield (phase, name) of every step of one kind, in order."""
        for p, phase in enumerate(self.phases):
            match kind:
                case "read":
                    names = tuple(name for name, _ in phase.reads)
                case "commit":
                    names = phase.commit
                case "fetch":
                    names = tuple(name for name, _ in phase.fetches)
                case "compute":
                    names = phase.computes
                case "finish":
                    names = phase.finish
            for name in names:
                yield p, name

    def _commit_sources(self) -> dict[str, int]:
        """Return how far ahead each commit works: as far as the fetches whose registers it takes.

        Found by following the registers through two K steps.
        """
        holds: dict[Atom, int] = {}
        found: dict[str, int] = {}
        for step in range(2):
            for phase in self.phases:
                for name, _ in phase.reads:
                    for atom in self._facts["read", name].loads:
                        holds.pop(atom, None)
                for name in phase.commit if step else ():
                    steps = {holds.get(atom) for atom in self._facts["commit", name].reads & self._fetched}
                    ahead = steps.pop() if len(steps) == 1 else None
                    if ahead is None:
                        raise self._error(f"commit {name!r} does not find the registers of one K step's fetch")
                    found[name] = ahead - step
                for name, ahead in phase.fetches:
                    holds.update(dict.fromkeys(self._facts["fetch", name].loads, step + ahead))
        return found

    def _check_straight(self) -> None:
        """Find computes that take registers of a fetch as they are, of another K step than their own."""
        straight = self._fetched - self._loaded
        holds: dict[Atom, int] = {}
        for step in range(self.ahead + 1):
            for phase in self.phases:
                for section in (phase.beside, (phase.compute,) if phase.compute else ()):
                    needs = {compute: self._facts["compute", compute].reads & straight for compute in section}
                    wrong = (name for name, found in needs.items() if any(holds.get(atom) != step for atom in found))
                    if step == self.ahead and (compute := next(wrong, "")):
                        raise self._error(
                            f"compute {compute!r} does not find what a fetch brings for its step",
                            "fetch it before, and what comes after it behind the compute",
                        )
                    for name, ahead in phase.fetches:
                        holds.update(dict.fromkeys(self._facts["fetch", name].loads, step + ahead))

    def _staged(self, commit: str) -> frozenset[Atom]:
        return self._facts["commit", commit].reads & self._fetched

    def _needs(self, compute: str) -> frozenset[Atom]:
        """Return what a compute takes of that which reads and fetches bring; the same object each time."""
        if compute not in self._needed:
            self._needed[compute] = self._facts["compute", compute].reads & (self._loaded | self._fetched)
        return self._needed[compute]

    def _loads(self, kind: Kind) -> frozenset[Atom]:
        return frozenset[Atom]().union(*(self._facts[kind, name].loads for _, name in self._each(kind)))

    def _check_order(self) -> None:
        """Find the places where the fetch cursor advances; fetches must go through the K steps in order."""
        order = [(name, ahead) for phase in self.phases for name, ahead in phase.fetches]
        names = [name for name, _ in order]
        if len(set(names)) != len(names):
            raise self._error("a step is fetched twice in one K step")
        following = [*order[1:], (order[0][0], order[0][1] + 1)] if order else []
        self._last_fetches: set[Fetch] = set()
        for (name, ahead), (after, ahead_after) in zip(order, following, strict=True):
            if not 0 <= ahead_after - ahead <= 1:
                raise self._error(
                    f"fetch {after!r} of step k + {ahead_after} follows fetch {name!r} of step k + {ahead}",
                    "fetches go through the K steps in order",
                )
            if ahead_after > ahead:
                self._last_fetches.add((name, ahead))

    def _find_consumers(self) -> dict[str, int]:
        """Map each read to the section by which computes have taken all its registers; computes must come after."""
        consumers: dict[str, int] = {}
        holder: dict[Atom, str] = {}
        pending: dict[str, set[Atom]] = {}
        for p, phase in enumerate(self.phases):
            for section, computes in enumerate((phase.beside, phase.computes[len(phase.beside) :])):
                for compute in computes:
                    needs = self._needs(compute) & self._loaded
                    if missing := needs - holder.keys():
                        late = sorted({n for _, n in self._each("read") if self._facts["read", n].loads & missing})
                        raise self._error(f"compute {compute!r} comes before read {', '.join(late)} of its step")
                    for name, left in pending.items():
                        left -= {atom for atom in needs if holder[atom] == name}
                        if not left:
                            consumers.setdefault(name, 2 * p + section)
                for name, _ in phase.reads if section == 0 else ():
                    loads = self._facts["read", name].loads
                    holder.update(dict.fromkeys(loads, name))
                    pending[name] = set(loads)
        if unused := sorted(pending.keys() - consumers.keys()):
            raise self._error(f"nothing computes with all that read {', '.join(unused)} brings")
        return consumers

    # Waits and barriers.

    def _fills(self) -> Iterator[_Fill]:
        for p, phase in enumerate(self.phases):
            for name in phase.commit:
                for region in self._facts["commit", name].regions:
                    yield _Fill(region, f"commit {name}", p, self._commit_ahead[name])
            for name, ahead in phase.fetches:
                for region in self._facts["fetch", name].regions:
                    yield _Fill(region, f"fetch {name}", p, ahead)

    def _place_waits(self) -> None:
        readers: dict[str, list[tuple[int, str]]] = {}
        for p, name in self._each("read"):
            for region in self._facts["read", name].regions:
                readers.setdefault(region, []).append((p, name))
        fills = {fill.region: fill for fill in self._fills()}
        if unfilled := sorted(readers.keys() - fills.keys()):
            raise self._error(f"nothing fills {', '.join(unfilled)}")
        if idle := next((region for region in fills if region not in readers), None):
            raise self._error(
                f"{fills[idle].by!r} fills {idle!r}, and no phase reads it",
                f"name the read of {idle!r} in a phase, or leave {fills[idle].by!r} out",
            )
        # Sections here are relative to the K step whose data is meant. Short spans first: they leave no choice.
        lags = {region: self._lag_of(fill, readers[region]) for region, fill in fills.items()}
        arrivals = [
            (fill.phase * 2 - fill.ahead * self.sections, readers[region][0][0] * 2 - 1 - lags[region], region)
            for region, fill in fills.items()
        ]
        told = told_waits(self.phases, self.schedule.name)
        if unread := sorted(told.keys() - {region for _, _, region in arrivals}):
            raise self._error(f"nothing reads {unread[0]!r}, which phase {told[unread[0]]} waits for")
        places: dict[str, int] = {}
        for first, last, region in sorted(
            arrivals, key=lambda span: (span[2] not in told, lags[span[2]] < self.lag, span[1] - span[0])
        ):
            if first > last:
                fill = fills[region]
                raise self._error(
                    f"{fill.by!r} of step k + {fill.ahead} comes too late: phase {readers[region][0][0]} of that step "
                    f"reads {region!r}",
                    "a wait and a barrier of every wave must lie between: fill it a phase earlier",
                )
            if region in told:
                phase = told[region]
                place = told_place(region, phase, (first, last), self.sections, 2 * phase, self.schedule.name)
                self._fences.add(place % self.sections)
            else:
                place = self._join(first, last) if lags[region] < self.lag else self._fence(first, last)
            places[region] = place
            ahead, boundary = -(place // self.sections), place % self.sections
            self._arrivals.setdefault(boundary, []).append(_Arrival(region, ahead))
        for _, last, region in arrivals:
            self._explain(self._known(region, fills, places), last, lags[region], f"{region} arrives")
        for region, fill in fills.items():
            for phase, name in readers[region]:
                self._guard(fill, phase, name, lags[region])

    def _lag_of(self, fill: _Fill, readers: Iterable[tuple[int, str]]) -> int:
        """Return how many sections apart those may be who meet in a region: none where each group has its own part."""
        acts = [fill.by, *(f"read {reader}" for _, reader in readers)]
        grouped = {f"{kind} {name}": facts.grouped for (kind, name), facts in self._facts.items()}
        if len({grouped[act] for act in acts}) > 1:
            one, other = (next(act for act in acts if grouped[act] is which) for which in (True, False))
            raise self._error(
                f"{one!r} is grouped, {other!r} is not, and both touch {fill.region!r}",
                "grouped steps for both, or none",
            )
        return 0 if grouped[fill.by] else self.lag

    def _guard(self, fill: _Fill, phase: int, reader: str, lag: int) -> None:
        """Keep `fill` off a buffer until the reads of its last content are behind every wave."""
        age = self.slots * self.sections
        read = 2 * phase - age
        waited = self._consumers[reader] - age
        last = 2 * fill.phase - fill.ahead * self.sections - 1 - lag
        if last < read:
            depth = -((last - 2 * phase) // self.sections)
            raise self._error(
                f"{fill.by!r} of step k + {fill.ahead} overwrites {fill.region!r} too early: read {reader!r} of phase "
                f"{phase} may still be under way in another wave",
                f"fetch it a phase later, or one step less ahead, or into a buffer more: depth = {depth}",
            )
        guarded = waited > last
        place = self._fence(read if guarded else waited, last)
        ahead, boundary = -(place // self.sections), place % self.sections
        registers = self._facts["read", reader].loads if guarded else frozenset[Atom]()
        self._guards.setdefault(boundary, []).append(_Guard(reader, registers, ahead))
        self._explain(place if guarded else waited, last, lag, f"{fill.region} is free")

    def _known(self, region: str, fills: Mapping[str, _Fill], places: Mapping[str, int]) -> int:
        """Return where a region is known to have arrived: a wait for what is filled later in the same order says so."""
        acts = list(dict.fromkeys(fill.by for fill in fills.values()))

        def begun(one: str, step: int) -> tuple[int, int]:
            return 2 * fills[one].phase + (step - fills[one].ahead) * self.sections, acts.index(fills[one].by)

        return min(
            place + step * self.sections
            for one, place in places.items()
            for step in range(-self.ahead, self.ahead + 1)
            if fills[one].by.split()[0] == fills[region].by.split()[0] and begun(one, step) >= begun(region, 0)
        )

    def _explain(self, place: int, last: int, lag: int, what: str) -> None:
        """Note what each of the barriers from a wait to its last place is for, if none of them may be missing."""
        for boundary in range(place, place + lag + 1) if place == last else ():
            self._orders.setdefault(boundary % self.sections, []).append((what, -(boundary // self.sections)))

    def _join(self, first: int, last: int) -> int:
        """Return the latest place up to `lag` before `last` with a wait for a region, else a memory section's end."""
        places = range(last, max(first, last - self.lag) - 1, -1)
        waited = (place for place in places if place % self.sections in self._arrivals)
        return next(waited, next((place for place in places if place % 2 == 0), last))

    def _fence(self, first: int, last: int) -> int:
        """Return the latest boundary from `first` to `last` that has a barrier; if none has, give `last` one."""
        for place in range(last, first - 1, -1):
            if place % self.sections in self._fences:
                return place
        self._fences.add(last % self.sections)
        return last

    def _error(self, message: str, hint: str | None = None) -> ScheduleError:
        return ScheduleError(message, where=f"schedule {self.schedule.name}", hint=hint)

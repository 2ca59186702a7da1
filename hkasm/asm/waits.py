"""Waits by what must be there: markers in the program, resolved to counts over the whole control flow.

A marker names registers and tokens (an LDS region that a fetch fills). For every marker the resolver finds, over all
paths that lead to it, the fewest operations of each counter that were issued after the last one the marker needs; that
number is the loosest legal count. VMEM and LDS operations drain in order; a scalar load drains in any order, so that
while one is needed, or may be among those counted, only lgkmcnt(0) is right. Markers that need nothing vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat

from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.errors import WaitError
from hkasm.isa.arch import Arch
from hkasm.isa.counters import COUNTERS, counter_max, pack_waitcnt, unpack_waitcnt
from hkasm.isa.registers import Register
from hkasm.isa.spec import get_spec

Key = tuple[object, ...]


@dataclass(slots=True, eq=False)
class WaitMarker:
    """A wait for values: registers as dwords and tokens; `everything` waits for all that is outstanding."""

    keys: frozenset[Key]
    origin: Origin | None
    reason: str = ""
    everything: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    tag: str = ""


Item = Instruction | Label | WaitMarker


def register_keys(register: Register) -> Iterable[Key]:
    return zip(repeat(register.file), range(register.index, register.end))


def token_key(token: object) -> Key:
    return ("token", token)


def counters_of(inst: Instruction) -> tuple[str, ...]:
    """Counters that the instruction raises."""
    counter = inst.spec.counter
    if counter is None:
        return ()
    return COUNTERS if counter == "both" else (counter,)


def landing_keys(inst: Instruction) -> frozenset[Key]:
    """What a wait can ask for after this memory instruction: the registers it fills and its tokens."""
    keys: set[Key] = {token_key(token) for token in inst.tokens}
    for register in inst.writes():
        if not (register.file == "s" and register.index >= 251):
            keys.update(register_keys(register))
    return frozenset(keys)


class _State:
    """What may be in flight: per counter, when each key was last issued on a clock that counts operations.

    ``clock - stamp`` is the least number of operations issued after the key's own. ``pending`` is the most operations
    that may be outstanding, ``scalar`` the keys that scalar loads have in flight.
    """

    __slots__ = ("clock", "pending", "scalar", "stamps")

    def __init__(self) -> None:
        self.clock = dict.fromkeys(COUNTERS, 0)
        self.stamps: dict[str, dict[Key, int]] = {name: {} for name in COUNTERS}
        self.pending = dict.fromkeys(COUNTERS, 0)
        self.scalar: frozenset[Key] = frozenset()

    def copy(self) -> _State:
        other = _State()
        other.clock = dict(self.clock)
        other.stamps = {name: dict(stamps) for name, stamps in self.stamps.items()}
        other.pending = dict(self.pending)
        other.scalar = self.scalar
        return other

    def merge(self, other: _State) -> bool:
        """Take in what another path brings; true when that told anything new."""
        changed = False
        for name, theirs in other.stamps.items():
            mine, shift = self.stamps[name], self.clock[name] - other.clock[name]
            oldest = self.clock[name] - _CAP
            for key, stamp in theirs.items():
                here = max(stamp + shift, oldest)
                if mine.get(key, oldest - 1) < here:
                    mine[key] = here
                    changed = True
            if other.pending[name] > self.pending[name]:
                self.pending[name] = other.pending[name]
                changed = True
        if not other.scalar <= self.scalar:
            self.scalar |= other.scalar
            changed = True
        return changed

    def issue(self, event: _Event) -> None:
        for name in event.counters:
            self.clock[name] += 1
            now = self.clock[name]
            stamps = self.stamps[name]
            for key in event.keys:
                stamps[key] = now
            self.pending[name] = min(self.pending[name] + 1, _CAP)
        if event.unordered:
            self.scalar |= event.keys

    def wait(self, name: str, count: int) -> None:
        if name == "lgkmcnt" and self.scalar and count > 0:
            return  # scalar loads return out of order: a partial count tells nothing about any of them
        if count == 0:
            self.stamps[name] = {}
        else:
            limit = self.clock[name] - count
            self.stamps[name] = {key: stamp for key, stamp in self.stamps[name].items() if stamp > limit}
        self.pending[name] = min(self.pending[name], count)
        if name == "lgkmcnt" and count == 0:
            self.scalar = frozenset()


_CAP = 64
"""Above every counter's maximum: more outstanding operations than that make no difference."""


def resolve_waits(items: Sequence[Item], arch: Arch) -> list[Instruction | Label]:
    """Replace every marker by the loosest ``s_waitcnt``, or by nothing when nothing needs waiting for.

    The first pass over the control flow may see more in flight than a later, stronger wait leaves; counts are therefore
    recomputed with the waits of the pass before until they are stable, and a looser set is taken only when it is proved
    by a pass of its own.
    """
    flow = _Flow(items, arch)
    counts = flow.counts(None)
    for _ in range(_REFINEMENTS):
        refined = flow.counts(counts)
        if refined == counts:
            break
        proved = flow.counts(refined)
        if not all(_at_least(proved[marker], refined[marker]) for marker in refined):
            break
        counts = refined
    return _emit(items, counts, arch)


_REFINEMENTS = 4
Counts = dict[int, dict[str, int]]


def _at_least(needed: dict[str, int], given: dict[str, int]) -> bool:
    return all(name in given and given[name] <= count for name, count in needed.items())


def _emit(items: Sequence[Item], counts: Counts, arch: Arch) -> list[Instruction | Label]:
    spec = get_spec("s_waitcnt", arch)
    out: list[Instruction | Label] = []
    for index, item in enumerate(items):
        if not isinstance(item, WaitMarker):
            out.append(item)
        elif counts.get(index):
            found = counts[index]
            simm16 = pack_waitcnt(arch, found.get("vmcnt"), found.get("lgkmcnt"))
            out.append(
                Instruction(spec, spec.encodings[0], (simm16,), {}, item.origin, comment=item.reason, tag=item.tag)
            )
    return out


@dataclass(slots=True)
class _Event:
    """What one item does to the counters: a marker, an explicit wait, or an operation that is issued."""

    index: int
    marker: WaitMarker | None = None
    waits: dict[str, int] = field(default_factory=dict)
    counters: tuple[str, ...] = ()
    keys: frozenset[Key] = frozenset()
    unordered: bool = False


class _Flow:
    """The control flow of a program with only what matters to the counters in it."""

    def __init__(self, items: Sequence[Item], arch: Arch) -> None:
        self._limits = {name: counter_max(arch, name) for name in COUNTERS}
        labels = {item.name: index for index, item in enumerate(items) if isinstance(item, Label)}
        blocks = _blocks(items)
        self.starts = [start for start, _ in blocks]
        self.successors = {start: _successors(items, end, labels) for start, end in blocks}
        self.events: dict[int, list[_Event]] = {}
        for start, end in blocks:
            found = (self._event(index, items[index]) for index in range(start, end))
            self.events[start] = [event for event in found if event is not None]

    def counts(self, fixed: Counts | None) -> Counts:
        """Counts that the markers need, each in the states that reach it.

        Markers wait for what they need in the state so far, or for the `fixed` counts when given.
        """
        found: Counts = {}
        for start, state in self._states(fixed).items():
            self._run(state, start, fixed, found)
        return found

    def _states(self, fixed: Counts | None) -> dict[int, _State]:
        """States at block entries, by iteration to the fixed point (stamps only get younger, sets only grow)."""
        states: dict[int, _State] = {0: _State()} if self.starts else {}
        work = set(states)
        while work:
            start = min(work)
            work.remove(start)
            state = states[start].copy()
            self._run(state, start, fixed, None)
            for target in self.successors[start]:
                if target not in states:
                    states[target] = state.copy()
                    work.add(target)
                elif states[target].merge(state):
                    work.add(target)
        return states

    def _run(self, state: _State, start: int, fixed: Counts | None, found: Counts | None) -> None:
        for event in self.events[start]:
            if event.marker is not None:
                needed = self._needed(event.marker, state)
                if found is not None:
                    found[event.index] = needed
                for name, count in (needed if fixed is None else fixed.get(event.index, {})).items():
                    state.wait(name, count)
            elif event.counters:
                state.issue(event)
            else:
                for name, count in event.waits.items():
                    state.wait(name, count)

    def _event(self, index: int, item: Item) -> _Event | None:
        if isinstance(item, WaitMarker):
            return _Event(index, marker=item)
        if isinstance(item, Label):
            return None
        if item.spec.key == "s_waitcnt":
            simm16 = item.operands[0]
            if not isinstance(simm16, int):
                raise WaitError("s_waitcnt wants a number", where=item.origin)
            fields = unpack_waitcnt(simm16)
            waits = {name: fields.get(name) for name, limit in self._limits.items() if fields.get(name) < limit}
            return _Event(index, waits=waits)
        if item.spec.counter is None:
            return None
        return _Event(index, counters=counters_of(item), keys=landing_keys(item), unordered=item.spec.unit == "SMEM")

    def _needed(self, marker: WaitMarker, state: _State) -> dict[str, int]:
        counts: dict[str, int] = {}
        for name, limit in self._limits.items():
            if name in marker.everything and state.pending[name]:
                counts[name] = 0
                continue
            stamps = state.stamps[name]
            ages = [state.clock[name] - stamps[key] for key in marker.keys if key in stamps]
            if not ages:
                continue
            count = 0 if name == "lgkmcnt" and state.scalar else min(min(ages), limit - 1)
            if count < state.pending[name]:
                counts[name] = count
        return counts


def _blocks(items: Sequence[Item]) -> list[tuple[int, int]]:
    starts = {0}
    for index, item in enumerate(items):
        if isinstance(item, Label):
            starts.add(index)
        elif isinstance(item, Instruction) and item.spec.control in ("branch", "cbranch", "end", "jump"):
            starts.add(index + 1)
    ordered = sorted(start for start in starts if start < len(items))
    return [(start, end) for start, end in zip(ordered, [*ordered[1:], len(items)], strict=True)]


def _successors(items: Sequence[Item], end: int, labels: dict[str, int]) -> list[int]:
    last = items[end - 1]
    targets: list[int] = []
    falls = True
    if isinstance(last, Instruction):
        if last.spec.control in ("branch", "cbranch"):
            label = last.operands[-1]
            if isinstance(label, Label) and label.name in labels:
                targets.append(labels[label.name])
        falls = last.spec.control not in ("branch", "end", "jump")
    if falls and end < len(items):
        targets.append(end)
    return targets

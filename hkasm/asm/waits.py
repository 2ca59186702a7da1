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
from hkasm.asm.wait_check import Entry, check_landed
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

    def issue(self, run: _Run) -> None:
        for name, count in run.counts.items():
            clock, stamps = self.clock[name], self.stamps[name]
            for key, place in run.places[name].items():
                stamps[key] = clock + place
            self.clock[name] = clock + count
            self.pending[name] = min(self.pending[name] + count, _CAP)
        if run.unordered:
            self.scalar |= run.unordered

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


def resolve_waits(items: Sequence[Item], arch: Arch, *, checked: bool = False) -> list[Instruction | Label]:
    """Replace every marker by the loosest ``s_waitcnt``, or by nothing when nothing needs waiting for.

    The first pass over the control flow may see more in flight than a later, stronger wait leaves; counts are therefore
    recomputed with the waits of the pass before until they are stable, and a looser set is taken only when it is proved
    by a pass of its own.

    Raises:
        WaitError: `checked`, and a register is used while a load into it may be in flight.
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
    if checked:
        flow.check(items, counts)
    return _emit(items, counts, arch)


_REFINEMENTS = 4
Counts = dict[int, dict[str, int]]


def _at_least(needed: dict[str, int], given: dict[str, int]) -> bool:
    return all(name in given and given[name] <= count for name, count in needed.items())


def _emit(items: Sequence[Item], counts: Counts, arch: Arch) -> list[Instruction | Label]:
    spec = get_spec("s_waitcnt", arch)
    encoding, mods = spec.encodings[0], dict[str, int]()
    operands: dict[int, tuple[int]] = {}
    out: list[Instruction | Label] = []
    for index, item in enumerate(items):
        if not isinstance(item, WaitMarker):
            out.append(item)
        elif counts.get(index):
            found = counts[index]
            simm16 = pack_waitcnt(arch, found.get("vmcnt"), found.get("lgkmcnt"))
            values = operands.setdefault(simm16, (simm16,))
            out.append(Instruction(spec, encoding, values, mods, item.origin, item.reason, tag=item.tag))
    return out


class _Run:
    """Operations in a row: how many of each counter, and at which of them each key is issued last (from 1)."""

    __slots__ = ("counts", "places", "unordered")

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.places: dict[str, dict[Key, int]] = {}
        self.unordered: set[Key] = set()

    def add(self, inst: Instruction, keys: frozenset[Key]) -> None:
        for name in counters_of(inst):
            place = self.counts[name] = self.counts.get(name, 0) + 1
            self.places.setdefault(name, {}).update(dict.fromkeys(keys, place))
        if inst.spec.unit == "SMEM":
            self.unordered |= keys


@dataclass(slots=True)
class _Event:
    """What happens to the counters: operations, a marker (with its place in the program), or an explicit wait."""

    run: _Run | None = None
    marker: WaitMarker | None = None
    index: int = -1
    waits: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Block:
    """Items that are entered at the first and left behind the last: their events, and which blocks follow."""

    events: list[_Event] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)
    last: Instruction | None = None
    start: int = 0
    empty: bool = True

    @property
    def falls(self) -> bool:
        """Tell whether control may go on behind the last item."""
        return self.last is None or self.last.spec.control not in ("branch", "end", "jump")


class _Flow:
    """The control flow of a program with only what matters to the counters in it."""

    def __init__(self, items: Sequence[Item], arch: Arch) -> None:
        self._limits = {name: counter_max(arch, name) for name in COUNTERS}
        self._landing: dict[tuple[int, int, tuple[object, ...]], frozenset[Key]] = {}
        self._explicit_waits: dict[int, dict[str, int]] = {}
        self._entries: dict[int, _State] = {}
        self._settled: Counts | None = None
        self.blocks = [_Block()]
        labels: dict[str, int] = {}
        for index, item in enumerate(items):
            block = self.blocks[-1]
            if isinstance(item, Label):
                if not block.empty:
                    self.blocks.append(_Block(start=index))
                labels[item.name] = len(self.blocks) - 1
                continue
            block.empty = False
            if isinstance(item, WaitMarker):
                block.events.append(_Event(marker=item, index=index))
            elif item.spec.counter is not None:
                self._issue(block, item)
            elif item.spec.key == "s_waitcnt":
                waits = self._explicit_waits[index] = self._explicit(item)
                block.events.append(_Event(waits=waits))
            elif item.spec.control in _BLOCK_ENDS:
                block.last = item
                self.blocks.append(_Block(start=index + 1))
        for number, block in enumerate(self.blocks):
            if block.last is not None and block.last.spec.control in ("branch", "cbranch"):
                label = block.last.operands[-1]
                if isinstance(label, Label) and label.name in labels:
                    block.successors.append(labels[label.name])
            if block.falls and number + 1 < len(self.blocks):
                block.successors.append(number + 1)

    def _issue(self, block: _Block, inst: Instruction) -> None:
        """Add an operation to the block, to those right before it if there are any."""
        # Instructions that stand again share their operands.
        key = id(inst.spec), id(inst.operands), inst.tokens
        keys = self._landing.get(key)
        if keys is None:
            keys = self._landing[key] = landing_keys(inst)
        run = block.events[-1].run if block.events else None
        if run is None:
            run = _Run()
            block.events.append(_Event(run))
        run.add(inst, keys)

    def _explicit(self, inst: Instruction) -> dict[str, int]:
        simm16 = inst.operands[0]
        if not isinstance(simm16, int):
            raise WaitError("s_waitcnt wants a number", where=inst.origin)
        fields = unpack_waitcnt(simm16)
        return {name: fields.get(name) for name, limit in self._limits.items() if fields.get(name) < limit}

    def counts(self, fixed: Counts | None) -> Counts:
        """Counts that the markers need, each in the states that reach it.

        Markers wait for what they need in the state so far, or for the `fixed` counts when given. Found by iteration to
        the fixed point: stamps only get younger and sets only grow, and the last visit of a block tells.
        """
        found: Counts = {}
        states = {0: _State()}
        work = {0}
        while work:
            number = min(work)
            work.remove(number)
            state = states[number].copy()
            self._run(state, self.blocks[number].events, fixed, found)
            for target in self.blocks[number].successors:
                if target not in states:
                    states[target] = state.copy()
                    work.add(target)
                elif states[target].merge(state):
                    work.add(target)
        self._entries, self._settled = states, fixed
        return found

    def check(self, items: Sequence[Item], counts: Counts) -> None:
        """Refuse registers that are used while a load into them may be in flight, with these counts waited for."""
        if self._settled is not counts:
            self.counts(counts)
        stops = [*(block.start for block in self.blocks[1:]), len(items)]
        entries = [
            Entry(self.blocks[number].start, stops[number], state.clock, state.stamps, bool(state.scalar))
            for number, state in sorted(self._entries.items())
        ]
        check_landed(items, entries, self._explicit_waits | counts)

    def _run(self, state: _State, events: list[_Event], fixed: Counts | None, found: Counts) -> None:
        for event in events:
            if event.run is not None:
                state.issue(event.run)
                continue
            waits = event.waits
            if event.marker is not None:
                needed = found[event.index] = self._needed(event.marker, state)
                waits = needed if fixed is None else fixed.get(event.index, {})
            for name, count in waits.items():
                state.wait(name, count)

    def _needed(self, marker: WaitMarker, state: _State) -> dict[str, int]:
        counts: dict[str, int] = {}
        for name, limit in self._limits.items():
            if name in marker.everything and state.pending[name]:
                counts[name] = 0
                continue
            stamps = state.stamps[name]
            flying = marker.keys & stamps.keys() if stamps else ()
            if not flying:
                continue
            age = state.clock[name] - max(map(stamps.__getitem__, flying))
            count = 0 if name == "lgkmcnt" and state.scalar else min(age, limit - 1)
            if count < state.pending[name]:
                counts[name] = count
        return counts


_BLOCK_ENDS = frozenset(("branch", "cbranch", "end", "jump"))

"""Waits by what must be there: markers in the program, resolved to counts over the whole control flow.

A marker names registers and tokens (an LDS region that a fetch fills). For every marker the resolver finds, over all
paths that lead to it, the fewest operations of each counter that were issued after the last one the marker needs; that
number is the loosest legal count. VMEM and LDS operations drain in order; a scalar load drains in any order, so that
while one is needed, or may be among those counted, only lgkmcnt(0) is right. Markers that need nothing vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.errors import WaitError
from hkasm.isa.arch import Arch
from hkasm.isa.counters import COUNTERS, WaitCounts, counter_max, pack_waitcnt, unpack_waitcnt
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
    return ((register.file, number) for number in range(register.index, register.end))


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


def is_unordered(inst: Instruction) -> bool:
    return inst.spec.unit == "SMEM"


@dataclass(slots=True)
class _State:
    """Per counter: the least number of later operations for each key; for scalar loads, the keys in flight."""

    distance: dict[str, dict[Key, int]]
    scalar: frozenset[Key]
    pending: dict[str, int]
    """Most operations that may be outstanding, capped at the counter's size."""

    def copy(self) -> _State:
        return _State({name: dict(keys) for name, keys in self.distance.items()}, self.scalar, dict(self.pending))

    def merge(self, other: _State) -> bool:
        changed = False
        for name, keys in other.distance.items():
            mine = self.distance[name]
            for key, distance in keys.items():
                if key not in mine or distance < mine[key]:
                    mine[key] = distance
                    changed = True
            if other.pending[name] > self.pending[name]:
                self.pending[name] = other.pending[name]
                changed = True
        if not other.scalar <= self.scalar:
            self.scalar |= other.scalar
            changed = True
        return changed

    def issue(self, inst: Instruction) -> None:
        keys = landing_keys(inst)
        for name in counters_of(inst):
            mine = self.distance[name]
            for key in mine:
                mine[key] = min(mine[key] + 1, _CAP)
            for key in keys:
                mine[key] = 0
            self.pending[name] = min(self.pending[name] + 1, _CAP)
        if is_unordered(inst):
            self.scalar |= keys

    def wait(self, name: str, count: int) -> None:
        mine = self.distance[name]
        if name == "lgkmcnt" and self.scalar and count > 0:
            return  # scalar loads return out of order: a partial count tells nothing about any of them
        self.distance[name] = {key: distance for key, distance in mine.items() if distance < count}
        self.pending[name] = min(self.pending[name], count)
        if name == "lgkmcnt" and count == 0:
            self.scalar = frozenset()


_CAP = 64
"""Above every counter's maximum: more outstanding operations than that make no difference."""


def _empty() -> _State:
    return _State({name: {} for name in COUNTERS}, frozenset(), dict.fromkeys(COUNTERS, 0))


def resolve_waits(items: Sequence[Item], arch: Arch) -> list[Instruction | Label]:
    """Replace every marker by the loosest ``s_waitcnt``, or by nothing when nothing needs waiting for.

    The first pass over the control flow may see more in flight than a later, stronger wait leaves; counts are therefore
    recomputed with the waits of the pass before until they are stable, and a looser set is taken only when it is proved
    by a pass of its own.
    """
    blocks = _blocks(items)
    states = _flow(items, blocks, arch, None)
    counts = _counts_at(items, blocks, states, arch, None)
    for _ in range(_REFINEMENTS):
        refined = _counts_at(items, blocks, _flow(items, blocks, arch, counts), arch, counts)
        if refined == counts:
            break
        proved = _counts_at(items, blocks, _flow(items, blocks, arch, refined), arch, refined)
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


def _counts_at(
    items: Sequence[Item], blocks: list[tuple[int, int]], states: dict[int, _State], arch: Arch, fixed: Counts | None
) -> Counts:
    counts: Counts = {}
    for start, end in blocks:
        if start not in states:
            continue
        state = states[start].copy()
        for index in range(start, end):
            item = items[index]
            if isinstance(item, WaitMarker):
                counts[index] = _marker_counts(item, state, arch)
                _wait_all(state, counts[index] if fixed is None else fixed.get(index, {}))
            elif isinstance(item, Instruction):
                _apply(state, item, arch)
    return counts


def _wait_all(state: _State, counts: dict[str, int]) -> None:
    for name, count in counts.items():
        state.wait(name, count)


def _apply(state: _State, inst: Instruction, arch: Arch) -> None:
    if inst.spec.key == "s_waitcnt":
        simm16 = inst.operands[0]
        if not isinstance(simm16, int):
            raise WaitError("s_waitcnt wants a number", where=inst.origin)
        counts: WaitCounts = unpack_waitcnt(simm16)
        for name in COUNTERS:
            if counts.get(name) < counter_max(arch, name):
                state.wait(name, counts.get(name))
    elif inst.spec.counter is not None:
        state.issue(inst)


def _marker_counts(marker: WaitMarker, state: _State, arch: Arch) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in COUNTERS:
        if name in marker.everything and state.pending[name]:
            counts[name] = 0
            continue
        needed = [distance for key, distance in state.distance[name].items() if key in marker.keys]
        if not needed:
            continue
        count = min(min(needed), counter_max(arch, name) - 1)
        if name == "lgkmcnt" and state.scalar:
            count = 0
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


def _successors(items: Sequence[Item], start: int, end: int, labels: dict[str, int]) -> list[int]:
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


def _flow(items: Sequence[Item], blocks: list[tuple[int, int]], arch: Arch, fixed: Counts | None) -> dict[int, _State]:
    """States at block entries, by iteration to the fixed point (distances only fall, sets only grow).

    Markers wait for what they need in the state so far, or for the `fixed` counts when given.
    """
    labels = {item.name: index for index, item in enumerate(items) if isinstance(item, Label)}
    ends = dict(blocks)
    states: dict[int, _State] = {0: _empty()} if blocks else {}
    work = [0] if blocks else []
    while work:
        start = work.pop()
        state = states[start].copy()
        for index in range(start, ends[start]):
            item = items[index]
            if isinstance(item, WaitMarker):
                _wait_all(state, _marker_counts(item, state, arch) if fixed is None else fixed.get(index, {}))
            elif isinstance(item, Instruction):
                _apply(state, item, arch)
        for target in _successors(items, start, ends[start], labels):
            if target not in states:
                states[target] = state.copy()
                work.append(target)
            elif states[target].merge(state):
                work.append(target)
    return states

"""The interleaver: streams of instructions dealt into one, every dependence kept.

The streams, one behind the other in the order given, say what the result must do. One of them, the *carrier* (usually
the matrix products), sets the pace: slot s is the place behind its s-th instruction. The others are dealt into the
slots, by rule or by explicit numbers, and keep their own order. Two instructions of different streams may change places
only if neither writes a register that the other touches (EXEC, VCC, SCC and M0 are registers like any) and they do not
meet in memory. So an M0 write stays before its direct-to-LDS loads, and no other M0 write comes between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hkasm.asm.hazards import find_hazards
from hkasm.asm.instruction import Instruction
from hkasm.errors import ScheduleError
from hkasm.isa.arch import Arch
from hkasm.isa.registers import Register
from hkasm.isa.spec import MemSpec

__all__ = ["Stream", "weave"]


@dataclass(frozen=True)
class Stream:
    """Instructions that keep their order.

    ``touches`` names what its memory instructions touch: streams whose names differ do not meet there; None may meet
    anything. With explicit ``slots`` (one for each instruction, not falling) every instruction must be able to stand
    where it is told. Without, instruction i of n goes to the slot ``start + (i + 1/2) (slots - start - slack) / n``, or
    with a ``rate`` (slots an instruction) to ``start + i rate``, or to the next slot in which it may stand.
    """

    name: str
    instructions: tuple[Instruction, ...]
    touches: frozenset[object] | None = None
    slots: tuple[int, ...] | None = None
    start: int = 0
    slack: int = 0
    rate: float | None = None

    def due(self, slots: int) -> tuple[int, ...]:
        """Return the slot that each instruction is due in, of those of a carrier with `slots` instructions."""
        count = len(self.instructions)
        if self.slots is not None:
            if len(self.slots) != count:
                raise ScheduleError(f"{self.name}: {len(self.slots)} slots for {count} instructions")
            if list(self.slots) != sorted(self.slots) or not all(0 <= slot <= slots for slot in self.slots):
                raise ScheduleError(
                    f"{self.name}: slots {', '.join(map(str, self.slots))}", hint=f"rising numbers, 0 to {slots}"
                )
            return self.slots
        if self.rate is not None:
            return tuple(min(slots, self.start + int(i * self.rate)) for i in range(count))
        room = max(slots - self.start - self.slack, 1)
        return tuple(min(slots, self.start + (2 * i + 1) * room // (2 * count)) for i in range(count))


@dataclass(slots=True, eq=False)
class _Node:
    """An instruction with what must stand before it: each earlier node and the reason."""

    inst: Instruction
    stream: int
    due: int = 0
    strict: bool = False
    before: list[tuple[_Node, str]] = field(default_factory=list)
    done: bool = False

    def blocker(self) -> tuple[_Node, str] | None:
        return next(((node, why) for node, why in self.before if not node.done), None)


def weave(streams: Sequence[Stream], arch: Arch, carrier: int = 0) -> list[Instruction]:
    """Return one legal order of all instructions.

    Raises:
        ScheduleError: an explicit slot would break a dependence, or a stream holds an instruction that nothing may pass
            (waits, barriers, branches, nops).
    """
    threads = _dependences(streams)
    slots = len(threads[carrier])
    for number, (stream, thread) in enumerate(zip(streams, threads, strict=True)):
        if number != carrier:
            for node, due in zip(thread, stream.due(slots), strict=True):
                node.due, node.strict = due, stream.slots is not None
    return _Dealer(threads, carrier, arch).run()


class _Dealer:
    def __init__(self, threads: list[list[_Node]], carrier: int, arch: Arch) -> None:
        self.threads, self.carrier, self.arch = threads, carrier, arch
        self.heads = [0] * len(threads)
        self.out: list[Instruction] = []
        self.gaps: dict[tuple[int, int], bool] = {}

    def run(self) -> list[Instruction]:
        beat = self.threads[self.carrier]
        for slot in range(len(beat) + 1):
            self._deal(slot, last=slot == len(beat))
            if slot < len(beat):
                self._force(beat[slot], slot)
        return self.out

    def _deal(self, slot: int, last: bool) -> None:
        """Emit what is due and may stand here; stream by stream, until nothing more can go."""
        fresh: set[int] = set()
        while True:
            before = len(self.out)
            for number in range(len(self.threads)):
                node = self._head(number)
                while node is not None and number != self.carrier and (last or node.due <= slot):
                    blocker = node.blocker()
                    if blocker is not None or not (last or node.strict or self._is_clear(node, fresh)):
                        break
                    fresh.add(id(node))
                    self._emit(number)
                    node = self._head(number)
            if len(self.out) == before:
                break
        for number in range(len(self.threads)):
            node = self._head(number)
            if node is not None and node.strict and node.due <= slot and (blocker := node.blocker()) is not None:
                raise _refusal(node, slot, "before", blocker)

    def _is_clear(self, node: _Node, fresh: set[int]) -> bool:
        """Tell whether no wait state is missing between this and what it needs of the same slot."""
        own = self.threads[node.stream][self.heads[node.stream] - 1] if self.heads[node.stream] else None
        near = [earlier for earlier, _ in node.before] + ([own] if own is not None else [])
        return not any(id(earlier) in fresh and self._needs_gap(earlier.inst, node.inst) for earlier in near)

    def _needs_gap(self, first: Instruction, second: Instruction) -> bool:
        key = id(first), id(second)
        if key not in self.gaps:
            self.gaps[key] = bool(find_hazards([first, second], self.arch))
        return self.gaps[key]

    def _force(self, node: _Node, slot: int) -> None:
        """Emit a node, and first everything that must stand before it."""
        for earlier, why in node.before:
            while not earlier.done:
                head = self._head(earlier.stream)
                assert head is not None
                if head.strict and head.due > slot:
                    raise _refusal(head, head.due, "after", (node, why))
                self._force(head, slot)
        if not node.done:
            self._emit(node.stream)

    def _head(self, number: int) -> _Node | None:
        thread, head = self.threads[number], self.heads[number]
        return thread[head] if head < len(thread) else None

    def _emit(self, number: int) -> None:
        node = self.threads[number][self.heads[number]]
        self.heads[number] += 1
        node.done = True
        self.out.append(node.inst)


def _refusal(node: _Node, slot: int, side: str, other: tuple[_Node, str]) -> ScheduleError:
    blocker, why = other
    place = f" of {blocker.inst.origin}" if blocker.inst.origin is not None else ""
    return ScheduleError(
        f"{node.inst} cannot stand in slot {slot}, {side} {blocker.inst}{place}: {why}",
        where=node.inst.origin,
        hint="give it a later slot" if side == "before" else "give it an earlier slot",
    )


# Dependences.


@dataclass(slots=True)
class _Use:
    """Who wrote a register last, and who has read it since."""

    writer: _Node | None = None
    readers: list[_Node] = field(default_factory=list)


def _dependences(streams: Sequence[Stream]) -> list[list[_Node]]:
    """Return the nodes of every stream, each knowing those of other streams that must stand before it."""
    uses: dict[tuple[str, int], _Use] = {}
    memory: list[tuple[_Node, MemSpec, frozenset[object] | None]] = []
    threads: list[list[_Node]] = []
    for number, stream in enumerate(streams):
        thread: list[_Node] = []
        for inst in stream.instructions:
            if inst.spec.control is not None and inst.spec.control not in _PASSABLE:
                raise ScheduleError(
                    f"stream {stream.name}: {inst} cannot be interleaved",
                    where=inst.origin,
                    hint="waits, barriers and branches stand between interleaved parts",
                )
            node = _Node(inst, number)
            _depend_on_registers(node, uses)
            if inst.spec.memory is not None:
                _depend_on_memory(node, inst.spec.memory, stream.touches, memory)
            thread.append(node)
        threads.append(thread)
    return threads


_PASSABLE = frozenset(("prio",))


def _depend_on_registers(node: _Node, uses: dict[tuple[str, int], _Use]) -> None:
    inst, found = node.inst, {}
    reads = [(atom, register) for register in inst.reads() for atom in _atoms(register)]
    writes = [(atom, register) for register in inst.writes() for atom in _atoms(register)]
    for atom, register in reads:
        writer = uses.setdefault(atom, _Use()).writer
        if writer is not None and writer.stream != node.stream:
            _refuse_late(writer.inst, inst, register)
            found[id(writer)] = (writer, f"it reads {register}, which that writes")
    for atom, register in writes:
        use = uses.setdefault(atom, _Use())
        for reader in use.readers:
            if reader.stream != node.stream:
                found.setdefault(id(reader), (reader, f"it overwrites {register}, which that reads"))
        if use.writer is not None and use.writer.stream != node.stream:
            _refuse_late(use.writer.inst, inst, register)
            found.setdefault(id(use.writer), (use.writer, f"both write {register}"))
    node.before += found.values()
    for atom, _ in reads:
        uses[atom].readers.append(node)
    for atom, _ in writes:
        uses[atom].writer, uses[atom].readers = node, []


def _refuse_late(load: Instruction, user: Instruction, register: Register) -> None:
    """Refuse to weave a load with what touches its result: no wait can stand between them."""
    if load.spec.counter is not None:
        raise ScheduleError(
            f"{user} touches {register}, which {load} brings: a wait must stand between them",
            where=user.origin,
            hint="put the load into an earlier phase",
        )


def _depend_on_memory(
    node: _Node,
    spec: MemSpec,
    touches: frozenset[object] | None,
    memory: list[tuple[_Node, MemSpec, frozenset[object] | None]],
) -> None:
    for earlier, other, touched in memory:
        if earlier.stream == node.stream or not (_changes(spec) or _changes(other)) or not _spaces(spec, other):
            continue
        if touches is None or touched is None or touches & touched:
            node.before.append((earlier, "they may touch the same memory and one writes"))
    memory.append((node, spec, touches))


def _changes(spec: MemSpec) -> bool:
    return spec.to_lds or spec.op not in ("load", "load_format", "load_addtid", "permute", "bpermute", "swizzle")


def _spaces(one: MemSpec, other: MemSpec) -> bool:
    """Tell whether two instructions may change the same memory: LDS, or any other."""

    def written(spec: MemSpec) -> set[str]:
        return {"lds" if spec.to_lds or spec.space == "lds" else "global"} if _changes(spec) else set()

    def touched(spec: MemSpec) -> set[str]:
        if spec.space == "flat":
            return {"lds", "global"}
        return {"lds"} if spec.space == "lds" else {"lds", "global"} if spec.to_lds else {"global"}

    return bool(written(one) & touched(other) or written(other) & touched(one))


def _atoms(register: Register) -> Iterator[tuple[str, int]]:
    for index in range(register.index, register.end):
        yield register.file, index

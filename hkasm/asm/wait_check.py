"""Registers used while a load into them is in flight: the waits that a program lacks.

The resolver (`hkasm.asm.waits`) knows, for the start of every block, which loads may be outstanding on any path; from
there each block is walked once, instruction by instruction, with registers as bits. Waits that the author wrote as
``s_waitcnt`` count like derived ones. LDS bytes that a fetch fills are the emulator's to watch: addresses are not known
here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hkasm.asm.instruction import Instruction
from hkasm.errors import WaitError
from hkasm.isa.counters import COUNTERS
from hkasm.isa.hazards import register_mask
from hkasm.isa.registers import Register

__all__ = ["Entry", "check_landed"]

Stamps = Mapping[tuple[object, ...], int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A block's items (``start`` to ``stop``) and what may be in flight before them: by counter, clock and stamps."""

    start: int
    stop: int
    clocks: Mapping[str, int]
    stamps: Mapping[str, Stamps]
    scalar: bool


class _Flying:
    """The registers in flight by one counter: masks by the operation that fills them, oldest first."""

    __slots__ = ("clock", "loads", "mask")

    def __init__(self, clock: int, stamps: Stamps) -> None:
        self.clock = clock
        by_stamp: dict[int, int] = {}
        for (file, index), stamp in (item for item in stamps.items() if item[0][0] != "token"):
            by_stamp[stamp] = by_stamp.get(stamp, 0) | register_mask(Register(str(file), int(str(index)), 1))
        self.loads = sorted(by_stamp.items())
        self._sum()

    def _sum(self) -> None:
        self.mask = 0
        for _, mask in self.loads:
            self.mask |= mask

    def issue(self, mask: int) -> None:
        self.clock += 1
        if mask:
            self.loads.append((self.clock, mask))
            self.mask |= mask

    def wait(self, count: int) -> None:
        limit = self.clock - count
        if self.loads and self.loads[0][0] <= limit:
            self.loads = [load for load in self.loads if load[0] > limit]
            self._sum()


def check_landed(
    items: Sequence[object],
    entries: Sequence[Entry],
    waits: Mapping[int, Mapping[str, int]],
) -> None:
    """Refuse a program that uses a register while a load into it may be in flight.

    `waits` are the counts waited for, by item. Loads by one counter fill registers in order, so that one may be loaded
    over another; scalar loads do not.

    Raises:
        WaitError: the first such instruction, with the load and the register.
    """
    # Instructions that stand again share their operands.
    masks: dict[tuple[int, int], tuple[int, int]] = {}
    for entry in entries:
        flying = {name: _Flying(clock, entry.stamps[name]) for name, clock in entry.clocks.items()}
        scalar, any_mask = entry.scalar, _any(flying)
        for index in range(entry.start, entry.stop):
            item = items[index]
            if index in waits:
                for name, count in waits[index].items():
                    if name != "lgkmcnt" or count == 0 or not scalar:
                        flying[name].wait(count)
                    if name == "lgkmcnt" and count == 0:
                        scalar = False
                any_mask = _any(flying)
                continue
            if not isinstance(item, Instruction) or (not any_mask and item.spec.counter is None):
                continue
            key = id(item.spec), id(item.operands)
            known = masks.get(key)
            if known is None:
                known = masks[key] = _mask(item.reads()), _mask(item.writes())
            reads, writes = known
            memory = item.spec.memory
            if memory is not None and memory.d16 and memory.op == "load":
                reads &= ~writes  # the half that it keeps is merged when it lands
            counter = item.spec.counter
            raised = () if counter is None else COUNTERS if counter == "both" else (counter,)
            is_scalar = item.spec.unit == "SMEM"
            if any_mask & (reads | writes):
                used = {
                    name: one.mask & (reads if name in raised and not is_scalar else reads | writes)
                    for name, one in flying.items()
                }
                if any(used.values()):
                    raise _error(items, index, item, used)
            for name in raised:
                flying[name].issue(writes)
            if raised:
                scalar, any_mask = scalar or is_scalar, any_mask | writes


def _any(flying: Mapping[str, _Flying]) -> int:
    mask = 0
    for one in flying.values():
        mask |= one.mask
    return mask


def _mask(registers: list[Register]) -> int:
    mask = 0
    for register in registers:
        if not (register.file == "s" and register.index >= _FIRST_FLAG):
            mask |= register_mask(register)
    return mask


_FIRST_FLAG = 251
"""SCC and the like are no registers that a load fills."""


def _error(items: Sequence[object], index: int, user: Instruction, used: Mapping[str, int]) -> WaitError:
    """Name the first register in flight and its load; the hint waits for all that the instruction uses.

    `used` are the registers in flight that it uses, by counter. The load is the nearest one before the user that fills
    the register (behind it where only a loop brings it).
    """
    mask = 0
    for one in used.values():
        mask |= one
    reads = [register for register in user.reads() if _mask([register]) & mask]
    early = sorted(reads, key=lambda register: _place(user, register)) + [
        register for register in user.writes() if _mask([register]) & mask and register not in reads
    ]
    part = next(one for one in early[0] if _mask([one]) & mask)
    filled = _mask([part])
    order = [*range(index - 1, -1, -1), *range(len(items) - 1, index - 1, -1)]
    load = next(
        item
        for item in (items[place] for place in order)
        if isinstance(item, Instruction) and item.spec.counter is not None and _mask(item.writes()) & filled
    )
    counter = next(name for name, one in used.items() if one & filled)
    of = f" of {load.origin}" if load.origin is not None else ""
    named = f"{part.text} ({part.name})" if part.name else part.text
    waits = dict.fromkeys(_PART.sub("", register.name) or register.text for register in early)
    return WaitError(
        f"{user.mnemonic}: {'reads' if reads else 'overwrites'} {named} while {load}{of} may be in flight ({counter})",
        where=user.origin,
        hint=f"k.wait({', '.join(waits)}) before this line",
    )


_PART = re.compile(r"(\[[^\]]*\])+$")
"""What slicing puts behind the name of an allocation."""


def _place(user: Instruction, register: Register) -> int:
    """Return where a register stands among the operands; implicit ones come last."""
    return user.operands.index(register) if register in user.operands else len(user.operands)

"""The register map: who holds which registers from when to when, where the pressure is greatest, and who holds idly.

Programs that hkasm built carry the owners' names; in anybody else's a holding is a run of registers that are first and
last touched by the same instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hkasm.analysis.flow import Liveness, liveness, mask_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import OwnerRange, Program
from hkasm.isa.registers import FIRST_SPECIAL, Register

__all__ = ["FileMap", "Idle", "RegisterMap", "activity", "register_map"]

FILES = ("v", "a", "s")
_NAMES = {"v": "VGPR", "a": "AGPR", "s": "SGPR"}
_LONG_IDLE = 16
"""Instructions behind an owner's last use from which on it is told: a shorter wait is a schedule's slack."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Registers that `held` keeps from instruction `since` on although no instruction there touches or needs them.

    `at_peak` tells whether they are idle where most registers of the file are held: freeing them lowers the peak.
    """

    held: OwnerRange
    since: int
    at_peak: bool

    @property
    def instructions(self) -> int:
        return self.held.last - self.since

    def as_dict(self) -> dict[str, object]:
        """Return the facts as plain data."""
        return {
            "registers": self.held.register.text,
            "count": self.held.register.count,
            "owner": self.held.name,
            "where": self.held.where,
            "since": self.since,
            "last": self.held.last,
            "at_peak": self.at_peak,
        }


@dataclass(frozen=True, slots=True)
class FileMap:
    """One register file: its holdings by register, how many registers are used, and the peaks of those held and live.

    `peak_at` is the index of the first instruction with `peak` registers held, `peak_where` its Python line; `live`,
    `live_at` and `live_where` say the same of registers whose value is still read. `idle` are holdings behind their
    last use, those that cost most first.
    """

    letter: str
    holdings: tuple[OwnerRange, ...]
    used: int
    peak: int
    peak_at: int
    peak_where: str
    live: int
    live_at: int
    live_where: str
    idle: tuple[Idle, ...]

    @property
    def name(self) -> str:
        return _NAMES[self.letter]


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """The three files of a program of `count` instructions; `named` tells owners from mere uses."""

    count: int
    named: bool
    files: tuple[FileMap, ...]

    def at(self, index: int) -> RegisterMap:
        """Return the map with only what is held at instruction `index`."""
        files = (
            replace(file, holdings=tuple(held for held in file.holdings if held.first <= index < held.last))
            for file in self.files
        )
        return replace(self, files=tuple(files))

    def as_dict(self) -> dict[str, object]:
        """Return the map as plain data; instruction ranges include `first` and exclude `last`."""
        return {
            "instructions": self.count,
            "named": self.named,
            "files": {
                file.name: {
                    "used": file.used,
                    "peak": {"registers": file.peak, "instruction": file.peak_at, "where": file.peak_where},
                    "live_peak": {"registers": file.live, "instruction": file.live_at, "where": file.live_where},
                    "idle": [one.as_dict() for one in file.idle],
                    "holdings": [
                        {
                            "registers": held.register.text,
                            "index": held.register.index,
                            "count": held.register.count,
                            "owner": held.name,
                            "first": held.first,
                            "last": held.last,
                            "where": held.where,
                        }
                        for held in file.holdings
                    ],
                }
                for file in self.files
            },
        }


def register_map(program: Program) -> RegisterMap:
    """Return who holds what; a program without owners is mapped by its uses."""
    instructions = program.instructions
    live = liveness(program)
    busy = [before | mask_of((*i.reads(), *i.writes())) for before, i in zip(live.before, instructions, strict=True)]
    holdings = program.owners or _uses(instructions)
    used = {"v": program.vgprs, "a": program.agprs, "s": program.sgprs}
    files = tuple(
        _file_map(letter, [h for h in holdings if h.register.file == letter], used[letter], instructions, live, busy)
        for letter in FILES
    )
    return RegisterMap(len(instructions), bool(program.owners), files)


def _file_map(
    letter: str,
    held: Sequence[OwnerRange],
    used: int,
    instructions: Sequence[Instruction],
    live: Liveness,
    busy: Sequence[int],
) -> FileMap:
    change = [0] * (len(instructions) + 1)
    for one in held:
        change[min(one.first, len(instructions))] += one.register.count
        change[min(one.last, len(instructions))] -= one.register.count
    counts, now = [], 0
    for difference in change[:-1]:
        now += difference
        counts.append(now)
    peak, at, where = _peak(counts, instructions)
    ordered = tuple(sorted(held, key=lambda one: (one.register.index, one.first, one.register.count)))
    idle = [
        Idle(one, since, since <= at < one.last)
        for one in ordered
        if one.last - (since := _last_use(one, busy) + 1) >= _LONG_IDLE
    ]
    idle.sort(key=lambda one: (not one.at_peak, -one.held.register.count * one.instructions))
    return FileMap(letter, ordered, used, peak, at, where, *_peak(live.counts(letter), instructions), tuple(idle))


def _peak(counts: Sequence[int], instructions: Sequence[Instruction]) -> tuple[int, int, str]:
    """Return the most of `counts`, the first instruction that has it, and its Python line."""
    peak = max(counts, default=0)
    at = counts.index(peak) if counts else 0
    origin = instructions[at].origin if instructions else None
    return peak, at, "" if origin is None else str(origin)


def _last_use(held: OwnerRange, busy: Sequence[int]) -> int:
    """Return the last instruction of a holding that touches it or has it live; the one before it, if none does."""
    mask = mask_of((held.register,))
    return next((i for i in range(min(held.last, len(busy)) - 1, held.first - 1, -1) if busy[i] & mask), held.first - 1)


def _uses(instructions: Iterable[Instruction]) -> tuple[OwnerRange, ...]:
    """Group neighbouring registers that are first and last touched by the same instructions."""
    spans: dict[tuple[str, int], tuple[int, int]] = {}
    for index, inst in enumerate(instructions):
        for register in (*inst.reads(), *inst.writes()):
            if register.file == "s" and register.index >= FIRST_SPECIAL:
                continue
            for number in range(register.index, register.end):
                first, _ = spans.get((register.file, number), (index, index))
                spans[register.file, number] = (first, index + 1)
    groups: list[OwnerRange] = []
    for (file, number), span in sorted(spans.items()):
        before = groups[-1] if groups else None
        if (
            before
            and before.register.file == file
            and before.register.end == number
            and (before.first, before.last) == span
        ):
            groups[-1] = OwnerRange("", Register(file, before.register.index, before.register.count + 1), *span)
        else:
            groups.append(OwnerRange("", Register(file, number), *span))
    return tuple(groups)


def activity(program: Program, holdings: Sequence[OwnerRange], width: int) -> list[str]:
    """Draw each holding over the program on `width` characters: `█` used, `░` held, `·` neither.

    A character stands for `count / width` instructions.
    """
    instructions = program.instructions
    count = max(len(instructions), 1)
    used: dict[tuple[str, int], int] = {}
    for index, inst in enumerate(instructions):
        bit = 1 << index * width // count
        for register in (*inst.reads(), *inst.writes()):
            for number in range(register.index, register.end):
                key = register.file, number
                used[key] = used.get(key, 0) | bit
    return [_strip(held, used, count, width) for held in holdings]


def _strip(held: OwnerRange, used: dict[tuple[str, int], int], count: int, width: int) -> str:
    register = held.register
    touched = 0
    for number in range(register.index, register.end):
        touched |= used.get((register.file, number), 0)
    first, last = held.first * width // count, max(held.last - 1, held.first) * width // count
    return "".join("·" if not first <= i <= last else "█" if touched >> i & 1 else "░" for i in range(width))

"""Register files: who owns which registers, from when to when.

A file hands out named, aligned slices, pins them at given numbers, takes them back, refuses overlap and knows the
pressure. Owners are kept with the instruction range in which they held their registers, so that maps and messages have
names afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from hkasm.errors import RegisterError
from hkasm.isa.registers import FILES, Register


@dataclass(slots=True)
class Owner:
    """Who held a register slice: instruction indices ``first`` to ``last`` (exclusive; -1 while still held).

    ``where`` is the line that asked for it, ``freed`` the one that gave it back.
    """

    name: str
    register: Register
    first: int
    last: int
    where: str
    freed: str = ""


class RegisterFile:
    """One file (``s``, ``v`` or ``a``) of ``size`` registers."""

    def __init__(self, letter: str, size: int) -> None:
        self.letter = letter
        self.size = size
        self.peak = 0
        self.history: list[Owner] = []
        self._slots: list[Owner | None] = [None] * size

    @property
    def in_use(self) -> int:
        return sum(slot is not None for slot in self._slots)

    def owner_of(self, index: int) -> Owner | None:
        return self._slots[index]

    def allocate(self, name: str, count: int, *, align: int, now: int, where: str, pin: int | None = None) -> Register:
        """Hand out ``count`` registers at the lowest aligned place, or at ``pin``.

        Raises:
            RegisterError: no room, out of the file, misaligned pin, or somebody else's registers.
        """
        if count < 1:
            raise RegisterError(f"{name}: {count} registers asked for", hint="ask for at least one")
        start = self._find(name, count, align) if pin is None else self._check_pin(name, count, align, pin)
        owner = Owner(name, Register(self.letter, start, count, name), now, -1, where)
        self._slots[start : start + count] = [owner] * count
        self.history.append(owner)
        self.peak = max(self.peak, start + count)
        return owner.register

    def free(self, register: Register, now: int, where: str = "") -> None:
        """Take a whole allocation back.

        Raises:
            RegisterError: the slice is not one allocation that is still held.
        """
        owner = self._slots[register.index] if register.index < self.size else None
        if owner is None or owner.register != register:
            raise RegisterError(
                f"cannot free {register}: it is not an allocation in use",
                hint="free the register that the builder handed out, once and whole",
            )
        owner.last, owner.freed = now, where
        self._slots[register.index : register.end] = [None] * register.count

    def _find(self, name: str, count: int, align: int) -> int:
        start = 0
        while start + count <= self.size:
            if self._slots[start : start + count].count(None) == count:
                return start
            taken = next(i for i in range(start + count - 1, start - 1, -1) if self._slots[i] is not None)
            start = -(-(taken + 1) // align) * align
        largest = max((slot for slot in self._slots if slot is not None), key=lambda o: o.register.count, default=None)
        held = f", most of them by {largest.register} (allocated at {largest.where})" if largest else ""
        raise RegisterError(
            f"{name}: no {count} free {FILES[self.letter]}s in a row (aligned to {align}); "
            f"{self.in_use} of {self.size} in use{held}",
            hint=f"free one of them; {self.letter}: {self.map_text()}",
        )

    def _check_pin(self, name: str, count: int, align: int, pin: int) -> int:
        if pin < 0 or pin + count > self.size:
            raise RegisterError(
                f"{name}: {self.letter}[{pin}:{pin + count - 1}] is outside the file "
                f"({self.size} {FILES[self.letter]}s)",
                hint=f"pin between {self.letter}0 and {self.letter}{self.size - count}",
            )
        if pin % align:
            raise RegisterError(
                f"{name}: {self.letter}{pin} is not aligned to {align}", hint=f"pin at a multiple of {align}"
            )
        for index in range(pin, pin + count):
            owner = self._slots[index]
            if owner is not None:
                raise RegisterError(
                    f"{name}: {self.letter}{index} belongs to {owner.register} (allocated at {owner.where})",
                    hint=f"pin elsewhere, or free it first; {self.letter}: {self.map_text()}",
                )
        return pin

    def map_text(self) -> str:
        """Return who holds what, in order of numbers: ``0 workitem, 1 free, 2-65 A, 66-255 free``."""
        parts = []
        for owner, run in groupby(range(self.size), key=self._slots.__getitem__):
            numbers = list(run)
            first, last = numbers[0], numbers[-1]
            place = str(first) if first == last else f"{first}-{last}"
            parts.append(f"{place} {owner.name if owner else 'free'}")
        return ", ".join(parts)

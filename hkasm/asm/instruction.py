"""One instruction of a program, wherever it came from: the builder, an assembly file or machine code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from hkasm.isa.constants import Const
from hkasm.isa.registers import EXEC, Register
from hkasm.isa.spec import Encoding, InstSpec


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an instruction was written: a Python line, or symbol+offset in foreign code."""

    file: str
    line: int
    symbol: str = ""
    offset: int = -1

    def __str__(self) -> str:
        if self.file:
            return f"{self.file}:{self.line}"
        return f"{self.symbol}+{self.offset:#x}"


@dataclass(frozen=True, slots=True)
class Label:
    """A place in the program; branches name it."""

    name: str
    kind: ClassVar[tuple[object, ...]] = ("label",)

    def __str__(self) -> str:
        return self.name


OperandValue = Register | Const | Label | int | None

GROUPED = "grouped"
"""Stands third in a region, after name and buffer, of which each group of waves touches a part of its own."""


@dataclass(slots=True, eq=False)
class Instruction:
    """A spec with operand values: one value per explicit operand, in assembler order.

    ``mods`` holds only what differs from the default. ``offset`` is the byte offset in the kernel once laid out.
    ``tag`` is what a schedule says about the instruction (a step's name); ``tokens`` name the LDS regions that it
    fills, so that waits can ask for them; ``regions`` those that it fills or reads, for the verifier.
    """

    spec: InstSpec
    encoding: Encoding
    operands: tuple[OperandValue, ...]
    mods: dict[str, int] = field(default_factory=dict)
    origin: Origin | None = None
    comment: str = ""
    offset: int = -1
    size: int = 0
    tag: str = ""
    tokens: tuple[object, ...] = ()
    regions: tuple[object, ...] = ()

    @property
    def mnemonic(self) -> str:
        return self.spec.mnemonic

    def again(self, tag: str) -> Instruction:
        """The same instruction for another place in a program, where it has another tag."""
        return Instruction(
            self.spec,
            self.encoding,
            self.operands,
            self.mods,
            self.origin,
            self.comment,
            -1,
            0,
            tag,
            self.tokens,
            self.regions,
        )

    def operand(self, name: str) -> OperandValue:
        """Value of an operand by field name, fixed registers included; KeyError when there is none."""
        for operand, value in zip(self.spec.explicit, self.operands, strict=True):
            if operand.name == name:
                return value
        for operand in self.spec.operands:
            if operand.fixed is not None and operand.name == name:
                return operand.fixed
        raise KeyError(name)

    def reads(self) -> list[Register]:
        """Registers read, implicit ones included, at their true widths."""
        return self._registers(_roles(self.spec).reads)

    def writes(self) -> list[Register]:
        """Registers written, implicit ones included, at their true widths."""
        return self._registers(_roles(self.spec).writes)

    def _registers(self, role: _Role) -> list[Register]:
        operands = self.operands
        found = [value for value in [operands[place] for place in role.places] if isinstance(value, Register)]
        return found + role.implicit if role.implicit else found

    def __str__(self) -> str:
        from hkasm.asm.printer import instruction_text

        return instruction_text(self)


class _Role(NamedTuple):
    """Which of an instruction's registers it reads, or writes: places among its operands, and implicit registers."""

    places: tuple[int, ...]
    implicit: list[Register]


class _Roles(NamedTuple):
    spec: InstSpec
    reads: _Role
    writes: _Role


_known_roles: dict[str, _Roles] = {}


def _roles(spec: InstSpec) -> _Roles:
    found = _known_roles.get(spec.key)
    if found is None or found.spec is not spec:
        reads, writes = _role(spec, "r"), _role(spec, "w")
        if spec.unit in ("VALU", "TRANS", "VMEM", "LDS") and "no_exec" not in spec.flags:
            reads.implicit.append(EXEC)
        found = _known_roles[spec.key] = _Roles(spec, reads, writes)
    return found


def _role(spec: InstSpec, access: str) -> _Role:
    places = tuple(place for place, operand in enumerate(spec.explicit) if access in operand.access)
    return _Role(places, [op.fixed for op in spec.operands if op.fixed is not None and access in op.access])

"""f32 arithmetic on lists of registers, element by element: packed instructions wherever two elements lie in pairs.

A packed f32 instruction works on even pairs; `op_sel` lets it read one register of a pair for both elements, so that a
row's statistic or an SGPR serves two elements at once. Numbers go to SGPRs for packed instructions, which take no
literal, and stand in the instruction elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from hkasm.asm.builder import Builder
from hkasm.isa.constants import Const
from hkasm.isa.registers import Register
from hkasm.tiles.ops.common import f32_bits, pair_of

Values = Sequence[Register]
"""One register an element."""
Operand = Values | float | Register
"""Registers by element, or one number or register for all."""


@dataclass
class Lanes:
    """Emits f32 arithmetic; `readable` are the VGPRs whose neighbours may be read along with them."""

    k: Builder
    readable: frozenset[int] = frozenset()
    _constants: dict[int, Register] = field(default_factory=dict)

    def constant(self, value: float) -> Register:
        """Return an SGPR that holds a number as f32, written once an operation."""
        return self.dword(f32_bits(value))

    def dword(self, bits: int) -> Register:
        """Return an SGPR that holds these bits."""
        if bits not in self._constants:
            register = self.k.sgpr("constant")
            self._constants[bits] = register
            self.k.s_mov_b32(register, bits)
        return self._constants[bits]

    def release(self) -> None:
        """Give the constants' registers back."""
        self.k.free(*self._constants.values())
        self._constants.clear()

    # Packed where it can be.

    def add(self, d: Values, x: Operand, y: Operand) -> None:
        """d = x + y."""
        self._packed(self.k.v_pk_add_f32, self.k.v_add_f32, d, (x, y))

    def sub(self, d: Values, x: Operand, y: Operand) -> None:
        """d = x - y."""
        if isinstance(y, (int, float)):
            self.add(d, x, -y)
            return
        self._packed(self.k.v_pk_add_f32, self.k.v_sub_f32, d, (x, y), neg_lo=2, neg_hi=2)

    def mul(self, d: Values, x: Operand, y: Operand) -> None:
        """d = x * y."""
        self._packed(self.k.v_pk_mul_f32, self.k.v_mul_f32, d, (x, y))

    def fma(self, d: Values, x: Operand, y: Operand, z: Operand) -> None:
        """d = x * y + z, rounded once."""
        self._packed(self.k.v_pk_fma_f32, self.k.v_fma_f32, d, (x, y, z))

    # One element at a time.

    def each(self, emit: Callable[..., object], d: Values, *operands: Operand) -> None:
        """Emit an instruction for every element; numbers and SGPRs of commutative ones stand first."""
        for number, target in enumerate(d):
            self._single(emit, target, [_element(operand, number) for operand in operands])

    def _packed(
        self,
        packed: Callable[..., object],
        single: Callable[..., object],
        d: Values,
        operands: tuple[Operand, ...],
        **signs: int,
    ) -> None:
        number = 0
        while number < len(d):
            if number + 1 < len(d):
                found = self._pairs(d[number], d[number + 1], operands, number)
                if found is not None:
                    target, sources, op_sel, op_sel_hi = found
                    packed(target, *sources, op_sel=op_sel, op_sel_hi=op_sel_hi, **signs)
                    number += 2
                    continue
            self._single(single, d[number], [_element(operand, number) for operand in operands])
            number += 1

    def _pairs(
        self, low: Register, high: Register, operands: tuple[Operand, ...], number: int
    ) -> tuple[Register, list[Register], int, int] | None:
        if low.index & 1 or high.index != low.index + 1:
            return None
        sources: list[Register] = []
        op_sel = op_sel_hi = 0
        for place, operand in enumerate(operands):
            values = [_element(operand, number + half) for half in (0, 1)]
            registers = [self.constant(value) if not isinstance(value, Register) else value for value in values]
            pair = pair_of(registers[0], registers[1], self.readable)
            if pair is None:
                return None
            sources.append(pair[0])
            op_sel |= pair[1] << place
            op_sel_hi |= pair[2] << place
        if len({source.index for source in sources if source.file == "s"}) > 1:
            return None
        # The low element is written first as far as anybody knows: the high one may not read it.
        if any(
            source.file == "v" and source.index == low.index and not (op_sel_hi >> place & 1)
            for place, source in enumerate(sources)
        ):
            return None
        return Register(low.file, low.index, 2, low.name), sources, op_sel, op_sel_hi

    def _single(self, emit: Callable[..., object], target: Register, values: list[Register | float]) -> None:
        """Emit one instruction; a literal stands first, or in an SGPR where the encoding takes none."""
        if len(values) == 3:
            emit(target, *(self._short(value) for value in values))
            return
        chosen = [value if isinstance(value, Register) else f32_bits(value) for value in values]
        if len(chosen) == 2 and not _is_vgpr(chosen[1]):
            chosen.reverse()
            emit = self.k.v_subrev_f32 if emit is self.k.v_sub_f32 else emit
        emit(target, *chosen)

    def _short(self, value: Register | float) -> Register | int:
        """Return an operand that needs no literal."""
        if isinstance(value, Register):
            return value
        bits = f32_bits(value)
        return bits if is_inline(bits) else self.constant(value)


@contextmanager
def lanes(k: Builder, *readable: Register) -> Iterator[Lanes]:
    """Lend f32 arithmetic for one operation and give its constants' registers back behind it."""
    made = Lanes(k, frozenset(number for register in readable for number in range(register.index, register.end)))
    try:
        yield made
    finally:
        made.release()


def is_inline(bits: int) -> bool:
    """Tell whether an f32 of these bits is an inline constant."""
    return not Const.of(bits, "f32").is_literal


def _element(operand: Operand, number: int) -> Register | float:
    if isinstance(operand, (Register, int, float)):
        return operand
    return operand[number]


def _is_vgpr(value: Register | float) -> bool:
    return isinstance(value, Register) and value.file == "v"

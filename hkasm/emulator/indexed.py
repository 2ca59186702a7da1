"""Registers named at run time: indexed VGPR and AGPR access (s_set_gpr_idx_on), relative SGPR moves (s_movrel).

While indexing is on, M0[15:12] says which operands of a vector instruction (SRC0, SRC1, SRC2, DST) are moved by
M0[7:0], for each wave its own. Such an instruction is compiled for registers behind the end of the file; what it reads
is copied there first, what it writes is copied back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import Instruction, OperandValue
from hkasm.emulator.batch import HIDDEN_REGISTERS, Batch
from hkasm.emulator.guard import attend
from hkasm.emulator.op import VECTOR_BASE, Op, RegisterMap, bits_of
from hkasm.errors import EmulatorError
from hkasm.isa.constants import Const
from hkasm.isa.registers import M0, Register
from hkasm.isa.spec import Operand

if TYPE_CHECKING:
    from hkasm.emulator.code import Code, Compile

__all__ = ["compile_indexed", "compile_move_relative", "has_vector_operands"]

DESTINATION = 3


class _Window:
    """An operand that moves: its first physical register, that of its file's first, its bit of M0[15:12].

    `hidden` is its place behind all registers.
    """

    __slots__ = ("bit", "count", "file", "first", "hidden", "reads", "start", "writes")

    def __init__(self, bit: int, register: Register, registers: RegisterMap, hidden: int, operand: Operand) -> None:
        self.bit, self.count, self.file, self.hidden = bit, register.count, register.file, hidden
        self.first = registers.physical(register)
        self.start = self.first - register.index
        self.reads, self.writes = operand.is_read, operand.is_written

    def rows(self, b: Batch) -> NDArray[np.intp]:
        """Return the physical number of the first register, [W]."""
        m0 = b.s[M0.index]
        enabled = (m0 >> np.uint32(12 + self.bit) & np.uint32(1)).astype(np.intp)
        rows: NDArray[np.intp] = self.first + enabled * (m0 & np.uint32(0xFF)).astype(np.intp)
        return rows

    def mask(self, rows: NDArray[np.intp]) -> int:
        bits = 0
        for row in np.unique(rows):
            bits |= bits_of(VECTOR_BASE + int(row), self.count)
        return bits


def has_vector_operands(op: Op) -> bool:
    """Tell whether an instruction names VGPRs or AGPRs."""
    return any(isinstance(value, Register) and value.file != "s" for value in op.inst.operands)


def compile_indexed(code: Code, op: Op, compile_plain: Compile) -> None:
    """Compile a vector instruction that runs while VGPR indexing is on."""
    total = code.registers.total
    windows: list[_Window] = []
    operands: list[OperandValue] = []
    hidden = total
    for operand, value in zip(op.inst.spec.explicit, op.inst.operands, strict=True):
        if not isinstance(value, Register) or value.file == "s":
            operands.append(value)
            continue
        bit = int(operand.name[3]) if operand.name in ("src0", "src1", "src2") else DESTINATION
        windows.append(_Window(bit, value, code.registers, hidden, operand))
        operands.append(Register("v", hidden, value.count))
        hidden += value.count
    if hidden > total + HIDDEN_REGISTERS:
        raise EmulatorError(f"{op.inst.mnemonic} with indexed registers is not emulated")
    behind = RegisterMap(total + HIDDEN_REGISTERS, total + HIDDEN_REGISTERS)
    inst: Instruction = replace(op.inst, operands=tuple(operands))
    plain = Op(inst, op.index, behind)
    compile_plain(code.with_registers(behind), plain)
    execute_plain = plain.execute
    if execute_plain is None:
        raise EmulatorError(f"{op.inst.mnemonic} with indexed registers is not emulated")
    scalar_reads = op.reads & (bits_of(0, VECTOR_BASE))
    scalar_writes = op.writes & (bits_of(0, VECTOR_BASE))
    op.whole = False

    def execute(b: Batch) -> None:
        waves = np.arange(b.waves)
        places = [window.rows(b) for window in windows]
        for window, rows in zip(windows, places, strict=True):
            for number in range(window.count):
                b.v[window.hidden + number] = b.v[rows + number, waves]
        execute_plain(b)
        for window, rows in zip(windows, places, strict=True):
            if window.writes:
                for number in range(window.count):
                    b.v[rows + number, waves] = b.v[window.hidden + number]

    op.execute = execute

    def run(b: Batch) -> None:
        op.reads, op.writes = scalar_reads, scalar_writes
        for window in windows:
            rows = window.rows(b)
            farthest = Register(window.file, int(rows.max()) - window.start, window.count)
            try:
                code.registers.physical(farthest)
            except EmulatorError as error:
                raise EmulatorError(
                    f"{op.inst}: M0 moves an operand to {farthest.file}{farthest.index}: {error.message}",
                    where=op.inst.origin,
                ) from None
            bits = window.mask(rows)
            op.reads |= bits  # a destination is kept where EXEC turns lanes off, or where other waves index elsewhere
            op.writes |= bits if window.writes else 0
        op.mask = op.reads | op.writes
        if b.watch & op.mask and attend(b, op):
            return
        execute(b)

    op.run = run


def compile_move_relative(code: Code, op: Op) -> None:
    """Compile s_movrels (source moved by M0) and s_movreld (destination moved)."""
    target, source = op.inst.operands
    moves_source = op.inst.spec.control == "movrels"
    if not isinstance(target, Register) or not isinstance(source, (Register, Const)):
        raise EmulatorError("only SGPRs can be moved by M0")
    constant: int | None = None
    if isinstance(source, Const):
        constant = source.bits("b64" if target.count == 2 else "b32")
        source = target
    count = target.count
    m0_bit = 1 << M0.index
    op.whole = moves_source

    def places(b: Batch, register: Register, moved: bool) -> NDArray[np.intp]:
        offset = b.s[M0.index].astype(np.int64) if moved else np.zeros(b.waves, dtype=np.int64)
        rows = register.index + offset
        if int(rows.max()) + count > 104:
            raise EmulatorError(f"{op.inst}: M0 moves an operand beyond the SGPRs", where=op.inst.origin)
        return rows.astype(np.intp)

    def execute(b: Batch) -> None:
        waves = np.arange(b.waves)
        rows_from, rows_to = places(b, source, moves_source), places(b, target, not moves_source)
        if constant is None:
            values = [b.s[rows_from + number, waves] for number in range(count)]
        else:
            words = (constant >> 32 * number & 0xFFFFFFFF for number in range(count))
            values = [np.full(b.waves, word, dtype=np.uint32) for word in words]
        for number, value in enumerate(values):
            b.s[rows_to + number, waves] = value

    op.execute = execute

    def run(b: Batch) -> None:
        reads, writes = m0_bit, 0
        for row in np.unique(places(b, source, moves_source)) if constant is None else ():
            reads |= bits_of(int(row), count)
        for row in np.unique(places(b, target, not moves_source)):
            writes |= bits_of(int(row), count)
        op.reads, op.writes = reads | (0 if moves_source else writes), writes
        op.mask = op.reads | op.writes
        if b.watch & op.mask and attend(b, op):
            return
        execute(b)

    op.run = run

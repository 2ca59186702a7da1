"""A compiled instruction, and the numbering of registers that its masks use.

Sets of registers are Python integers: bit i for scalar operand code i (VCC, M0 and EXEC among them), bit 128 for SCC,
bit 129 + p for physical vector register p (AGPRs follow the VGPRs from the accum offset on, as in the unified file).
One AND then tells whether an instruction touches anything that is in flight, undefined or cached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hkasm.asm.instruction import Instruction
from hkasm.errors import EmulatorError
from hkasm.isa.registers import EXEC, M0, SCC, Register

if TYPE_CHECKING:
    from hkasm.emulator.batch import Batch

__all__ = ["EXEC_BITS", "M0_BIT", "Op", "RegisterMap", "SCC_BIT", "SCC_INDEX", "VECTOR_BASE", "bits_of", "Execute"]

Execute = Callable[["Batch"], None]

SCC_INDEX = 128
VECTOR_BASE = 129
SCC_BIT = 1 << SCC_INDEX
EXEC_BITS = 3 << EXEC.index
M0_BIT = 1 << M0.index


def bits_of(first: int, count: int) -> int:
    """Return `count` bits from bit `first` on."""
    return ((1 << count) - 1) << first


class RegisterMap:
    """Where registers live: VGPRs from 0, AGPRs from `accum_offset`, `total` in all.

    A kernel that has no use for AGPRs may let its VGPRs run on past `accum_offset`, to the end of what it allocates, as
    AMD's own attention kernels do (`fmha_fwd_hd128_bf16` of AITER: ACCUM_OFFSET 160 and VGPRs up to v235).
    """

    def __init__(self, accum_offset: int, total: int) -> None:
        self.accum_offset, self.total = accum_offset, total
        self._upper = ""  # the file whose registers lie from accum_offset on, once an instruction has shown it

    def physical(self, register: Register) -> int:
        """Return the physical number of a vector register.

        Raises:
            EmulatorError: the register is beyond what the kernel's descriptor allocates, or is a VGPR among the AGPRs
                of a kernel that uses these too.
        """
        first = register.index + (self.accum_offset if register.file == "a" else 0)
        if first + register.count > self.total:
            raise EmulatorError(
                f"{register.text} is beyond the registers that the kernel's descriptor allocates "
                f"({self.accum_offset} VGPRs before the AGPRs, {self.total} in all)"
            )
        if first + register.count > self.accum_offset and self._upper != register.file:
            if self._upper:
                raise EmulatorError(
                    f"{register.text}: the kernel uses AGPRs and VGPRs beyond v{self.accum_offset - 1}, which are the "
                    f"same registers by its descriptor (AGPRs from {self.accum_offset} on, {self.total} in all)"
                )
            self._upper = register.file
        return first

    def mask(self, register: Register) -> int:
        """Return the bits of a register; read-only specials other than SCC have none."""
        if register.file != "s":
            return bits_of(VECTOR_BASE + self.physical(register), register.count)
        if register.index == SCC.index:
            return SCC_BIT
        if register.index == 251:  # VCCZ
            return bits_of(106, 2)
        if register.index == 252:  # EXECZ
            return EXEC_BITS
        return bits_of(register.index, register.count) if register.index < SCC_INDEX else 0

    def register(self, bit: int) -> Register:
        """Return the register of one bit number."""
        if bit == SCC_INDEX:
            return SCC
        if bit < SCC_INDEX:
            return Register("s", bit)
        number = bit - VECTOR_BASE
        if number < self.accum_offset or self._upper == "v":
            return Register("v", number)
        return Register("a", number - self.accum_offset)


class Op:
    """One instruction of a kernel, compiled.

    `run` executes it on a batch, checks included. `execute` is the bare effect of an instruction that only moves
    registers (None for memory and control). `reads` has the bits that matter for undefined values (a destination that
    is written in part is among them), `writes` those written, `mask` all of them. `whole` says that every bit of the
    destination is written in the lanes that take part. `queue` is `vm` or `lds` for loads that drain in order.
    `alignment` is what an LDS address is wanted to be a multiple of.
    `fetches` give the operands of a comparison as its meaning gets them.
    """

    __slots__ = (
        "alignment",
        "compiled",
        "execute",
        "fetches",
        "index",
        "inst",
        "mask",
        "queue",
        "reads",
        "run",
        "vector_exec",
        "whole",
        "writes",
    )

    def __init__(self, inst: Instruction, index: int, registers: RegisterMap) -> None:
        self.inst = inst
        self.index = index
        self.reads = self.writes = 0
        for register in inst.reads():
            self.reads |= registers.mask(register)
        for register in inst.writes():
            self.writes |= registers.mask(register)
        self.mask = self.reads | self.writes
        self.whole = True
        self.queue = ""
        self.alignment = _lds_alignment(inst)
        self.vector_exec = inst.spec.unit in ("VALU", "TRANS") and "no_exec" not in inst.spec.flags
        self.execute: Execute | None = None
        self.fetches: tuple[Callable[[Batch], Any], ...] = ()
        self.run: Execute = _uncompiled
        self.compiled = False

    def __repr__(self) -> str:
        return f"<{self.index}: {self.inst}>"

    @property
    def title(self) -> str:
        """Short text for messages about the other instruction: mnemonic and first operand."""
        text = str(self.inst)
        head, comma, _ = text.partition(",")
        while comma and head.count("[") > head.count("]"):
            more, comma, _ = text[len(head) + 1 :].partition(",")
            head = f"{head},{more}"
        return head


def _lds_alignment(inst: Instruction) -> int:
    """Return the natural alignment of an LDS access: one part's size of pairs; 16 bytes for 96 bits.

    ds_read_b96_tr_b6 faults below that, as AMD's rocRoller found ("requires 128b-aligned addresses").
    """
    memory = inst.spec.memory
    if memory is None or memory.space != "lds":
        return 1
    size = max(memory.bytes // (2 if memory.pair else 1), 1)
    return 16 if size == 12 else size


def _uncompiled(batch: Batch) -> None:
    raise EmulatorError("an instruction was run before it was compiled")

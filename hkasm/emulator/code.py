"""A kernel's machine code as compiled instructions: decoded and compiled when first reached, cut into blocks.

Places are byte offsets from the kernel's first instruction; a jump may lead anywhere in the code object.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property

from hkasm.asm.codeobject import KernelImage
from hkasm.asm.decoder import decode_instruction
from hkasm.asm.descriptor import PRELOAD_PROLOGUE_BYTES
from hkasm.asm.instruction import Instruction, Origin
from hkasm.asm.program import OwnerRange
from hkasm.emulator.op import Execute, Op, RegisterMap
from hkasm.errors import EmulatorError, HkasmError
from hkasm.isa.registers import Register

__all__ = ["GPR_INDEXING", "MODE_KEY", "VSKIP", "Block", "Code", "Compile", "branch_target"]

Compile = Callable[["Code", Op], None]

ROUNDING = 0xF
GPR_INDEXING, VSKIP = 1 << 27, 1 << 28
MODE_KEY = ROUNDING | 0xF0 | 1 << 8 | 1 << 23 | GPR_INDEXING | VSKIP
"""Bits of MODE that code is compiled for: rounding, denormals, DX10_CLAMP, FP16_OVFL, indexed VGPRs, VSKIP."""


class Block:
    """A straight run of instructions: `steps` in order, then `tail` if it ends in control flow, else on to `end`."""

    __slots__ = ("count", "end", "executed", "ops", "start", "steps", "tail")

    def __init__(self, start: int, ops: list[Op], end: int) -> None:
        self.start, self.ops, self.end = start, ops, end
        has_tail = bool(ops) and is_control(ops[-1])
        self.steps: list[Execute] = [op.run for op in (ops[:-1] if has_tail else ops)]
        self.tail: Execute | None = ops[-1].run if has_tail else None
        self.count = len(ops)
        self.executed = 0


_ENDS_BLOCK = frozenset(
    {
        "branch", "cbranch", "end", "barrier", "jump", "call", "sleep", "trap", "kill", "setreg", "vskip", "gpr_idx_on",
        "gpr_idx_off", "gpr_idx_mode",
    }
)  # fmt: skip


def is_control(op: Op) -> bool:
    """Tell whether an instruction sets the next place itself."""
    return op.inst.spec.control in _ENDS_BLOCK


def branch_target(op: Op) -> int | None:
    """Return where a direct branch goes, None for other instructions."""
    if op.inst.spec.control not in ("branch", "cbranch"):
        return None
    distance = next((value for value in op.inst.operands if isinstance(value, int)), None)
    if distance is None:
        raise EmulatorError("a branch has no distance", where=op.inst.origin)
    distance &= 0xFFFF
    return op.index + op.inst.size + 4 * (distance - 0x10000 if distance & 0x8000 else distance)


class Code:
    """The code of one kernel, ready to run.

    `image` is the loaded code object and `base` the kernel's place in it; `compile_op` gives an instruction its `run`.
    """

    def __init__(
        self, kernel: KernelImage, image: bytes, compile_op: Compile, mode: int, *, arithmetic: str = "exact"
    ) -> None:
        self.kernel = kernel
        self.arch = kernel.arch
        self.image = image
        self.base = kernel.vaddr
        self.mode = mode
        self.arithmetic = arithmetic
        descriptor = kernel.descriptor
        total = descriptor.vgprs
        self.registers = RegisterMap(min(descriptor.accum_offset, total), total)
        self.entry = PRELOAD_PROLOGUE_BYTES if descriptor.preload_dwords else 0
        self._compile = compile_op
        self._family: dict[int, Code] = {mode & MODE_KEY: self}
        self._ops: dict[int, Op] = {}
        self._leaders: set[int] = {self.entry}
        self._sources: dict[int, Origin | None] = {}
        self._order: dict[int, int] | None = None
        self._blocks: dict[tuple[int, bool], Block] = {}
        self.kept: dict[str, object] = {}
        """What checks keep about the code from launch to launch, by their names."""

    # ---- modes ------------------------------------------------------------------------------------------------------

    def with_mode(self, mode: int) -> Code:
        """Return the same code compiled for another MODE; only the bits that change what instructions do count."""
        key = mode & MODE_KEY
        found = self._family.get(key)
        if found is None:
            found = Code(self.kernel, self.image, self._compile, key, arithmetic=self.arithmetic)
            found._family, found.registers = self._family, self.registers
            self._family[key] = found
        return found

    def with_registers(self, registers: RegisterMap) -> Code:
        """Return the same code for another numbering of registers, to compile single instructions with."""
        found = copy(self)
        found.registers = registers
        found.mode = self.mode & ~GPR_INDEXING
        return found

    @property
    def family(self) -> list[Code]:
        """The code for every MODE that it has run in."""
        return list(self._family.values())

    # ---- instructions -----------------------------------------------------------------------------------------------

    def _decode(self, offset: int) -> Op:
        where = self.kernel.origin(offset)
        inst = self._instruction(offset, where)
        try:
            op = Op(inst, offset, self.registers)
        except HkasmError as error:
            raise EmulatorError(f"{inst}: {error.message}", where=where) from None
        self._ops[offset] = op
        target = branch_target(op)
        if target is not None:
            self._leaders.add(target)
            self._sources.setdefault(target, where)
        if is_control(op):
            self._leaders.add(offset + inst.size)
        return op

    def _instruction(self, offset: int, where: Origin | None = None) -> Instruction:
        start = self.base + offset
        if start < 0 or start + 4 > len(self.image) or offset % 4:
            raise EmulatorError(
                f"a branch leaves the code object (byte {offset:#x} of {self.kernel.name})",
                where=self._sources.get(offset),
            )
        inst = decode_instruction(self.arch.name, self.image[start : start + 20], 0, where)
        inst.offset = offset
        return inst

    def op(self, offset: int) -> Op:
        """Return the instruction at a byte offset, compiled."""
        op = self._ops.get(offset) or self._decode(offset)
        if not op.compiled:
            op.compiled = True
            self._compile(self, op)
        return op

    @property
    def blocks(self) -> list[Block]:
        """The blocks made so far."""
        return list(self._blocks.values())

    def block(self, start: int, single: bool = False) -> Block:
        """Return the block that begins at a place; `single`: one instruction."""
        key = (start, single)
        found = self._blocks.get(key)
        if found is None:
            found = self._blocks[key] = self._make_block(start, single)
        return found

    def _make_block(self, start: int, single: bool) -> Block:
        ops: list[Op] = []
        offset = start
        while True:
            op = self.op(offset)
            ops.append(op)
            offset += op.inst.size
            if single or is_control(op) or offset in self._leaders:
                return Block(start, ops, offset)

    # ---- names ------------------------------------------------------------------------------------------------------

    def number(self, offset: int) -> int:
        """Return the count of instructions before a place, -1 if it is not in the kernel's straight line."""
        if self._order is None:
            self._order = {inst.offset: number for number, inst in enumerate(self.straight_line)}
        return self._order.get(offset, -1)

    @cached_property
    def straight_line(self) -> tuple[Instruction, ...]:
        """The kernel's instructions in the order of their places."""
        found: list[Instruction] = []
        place = 0
        while place < len(self.kernel.code):
            try:
                found.append(self._instruction(place, self.kernel.origin(place)))
            except HkasmError:
                break  # padding or data behind the code
            place += found[-1].size
        return tuple(found)

    def owner(self, register: Register, offset: int) -> str:
        """Return the name of who holds a register at an instruction (`xs[0]`), or an empty string."""
        names = self.kernel.hkasm
        number = self.number(offset)
        if names is None or number < 0:
            return ""
        held: OwnerRange | None = None
        for owner in names["owners"]:
            if owner.first <= number < owner.last and owner.register.overlaps(register):
                held = owner
        if held is None:
            return ""
        if held.register.count == 1:
            return held.name
        first = max(register.index, held.register.index) - held.register.index
        last = min(register.end, held.register.end) - held.register.index
        if first == 0 and last == held.register.count:
            return held.name
        return f"{held.name}[{first}]" if last - first == 1 else f"{held.name}[{first}:{last}]"

    def mark(self, offset: int, kind: str) -> str:
        """Return the name of the mark of a kind (`step`) that holds an instruction, or an empty string."""
        names = self.kernel.hkasm
        number = self.number(offset)
        if names is None or number < 0:
            return ""
        return next((m.name for m in names["marks"] if m.kind == kind and m.first <= number < m.last), "")

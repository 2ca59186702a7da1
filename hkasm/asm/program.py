"""A program: instructions with labels, resources, arguments, and the names that survive into the code object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hkasm.asm.collector import no_collection
from hkasm.asm.decoder import decode_instruction
from hkasm.asm.encoder import encode_instruction, instruction_size
from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.errors import EncodingError
from hkasm.isa.arch import Arch, get_arch
from hkasm.isa.registers import Register

ACCESSES = ("read", "write", "readwrite")


@dataclass(frozen=True, slots=True)
class KernelArg:
    """One kernel argument: byte offset and size in the kernarg segment.

    ``kind`` is ``pointer`` or ``value``; ``dtype`` the element type behind a pointer, or the value's type; ``rank`` the
    dimensions of the tensor behind a pointer; ``access`` ``read``, ``write`` or ``readwrite``.
    """

    name: str
    kind: str
    dtype: str
    offset: int
    size: int
    rank: int = 0
    access: str = "read"


@dataclass(frozen=True, slots=True)
class OwnerRange:
    """A register slice with its owner for the instructions ``first`` to ``last`` (exclusive)."""

    name: str
    register: Register
    first: int
    last: int
    where: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A named run of instructions, ``first`` to ``last`` (exclusive): a step, a section, a loop, a derived wait."""

    kind: str
    name: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LdsRegion:
    """A named range of LDS bytes."""

    name: str
    offset: int
    bytes: int


@dataclass(slots=True, repr=False)
class Program:
    """Everything that becomes one kernel. Register counts are of the files' used prefixes; `text` is the assembly."""

    arch: Arch
    name: str
    body: list[Instruction | Label]
    args: tuple[KernelArg, ...] = ()
    kernarg_bytes: int = 0
    lds_bytes: int = 0
    block: tuple[int, int, int] = (64, 1, 1)
    workgroup_ids: tuple[bool, bool, bool] = (True, True, True)
    workitem_dims: int = 1
    vgprs: int = 0
    agprs: int = 0
    sgprs: int = 0
    owners: tuple[OwnerRange, ...] = ()
    marks: tuple[Mark, ...] = ()
    lds_map: tuple[LdsRegion, ...] = ()
    config: dict[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Program {self.name} for {self.arch.name}, {len(self.instructions)} instructions>"

    @property
    def instructions(self) -> list[Instruction]:
        return [item for item in self.body if isinstance(item, Instruction)]

    @property
    def labels(self) -> dict[str, int]:
        """Index into `instructions` of what follows each label."""
        found, index = {}, 0
        for item in self.body:
            if isinstance(item, Label):
                found[item.name] = index
            else:
                index += 1
        return found

    @property
    def accum_offset(self) -> int:
        """First AGPR in the unified file: a multiple of 4, at least 4, at most 256."""
        granule = self.arch.accum_granule
        return min(max(-(-self.vgprs // granule) * granule, granule), 256)

    @property
    def total_vgprs(self) -> int:
        return self.arch.total_vgprs(self.vgprs, self.agprs)

    @property
    def waves_per_workgroup(self) -> int:
        x, y, z = self.block
        return -(-x * y * z // self.arch.wave_size)

    def count_registers(self) -> None:
        """Set vgprs, agprs and sgprs from the registers that the instructions name."""
        top = {"v": 0, "a": 0, "s": 0}
        # Instructions that stand again share their operands.
        for operands in {id(inst.operands): inst.operands for inst in self.instructions}.values():
            for value in operands:
                if isinstance(value, Register) and value.end > top[value.file] and not value.is_special:
                    top[value.file] = value.end
        self.vgprs, self.agprs = max(self.vgprs, top["v"]), max(self.agprs, top["a"])
        self.sgprs = max(self.sgprs, top["s"])

    def layout(self) -> int:
        """Give every instruction its byte offset and size; returns the size of the code."""
        offset = 0
        for inst in self.instructions:
            inst.offset, inst.size = offset, instruction_size(inst)
            offset += inst.size
        return offset

    def encode(self) -> bytes:
        """Machine code of the body, the same bytes that clang makes of the text."""
        end = self.layout()
        instructions = self.instructions
        targets = {
            name: instructions[index].offset if index < len(instructions) else end
            for name, index in self.labels.items()
        }
        chunks = []
        for inst in instructions:
            label = next((value for value in inst.operands if isinstance(value, Label)), None)
            target = None
            if label is not None:
                if label.name not in targets:
                    raise EncodingError(f"{inst.mnemonic}: no label {label.name!r} in {self.name}", where=inst.origin)
                target = targets[label.name]
            chunks.append(encode_instruction(inst, self.arch.name, target))
        return b"".join(chunks)

    @staticmethod
    def decode(
        arch: Arch | str, code: bytes, name: str = "code", origin_of: Callable[[int], Origin | None] | None = None
    ) -> Program:
        """Decode machine code from its first byte to its last.

        Branch operands stay numbers (signed dword distance is in simm16). `origin_of` gives the source place of a byte
        offset. Raises DecodeError at the first word that is no instruction.
        """
        arch = get_arch(arch)
        body: list[Instruction | Label] = []
        offset = 0
        while offset < len(code):
            origin = origin_of(offset) if origin_of is not None else None
            inst = decode_instruction(arch.name, code, offset, origin or Origin("", 0, name, offset))
            body.append(inst)
            offset += inst.size
        program = Program(arch, name, body)
        program.count_registers()
        return program

    def text(self) -> str:
        """The whole assembly file: directives, code with line information, descriptor, metadata, `.hkasm` section."""
        return self.text_with_origins()[0]

    def text_with_origins(self) -> tuple[str, list[Origin | None]]:
        """The assembly file and, for each of its lines, the Python line that wrote it."""
        from hkasm.asm.assembly import program_text

        with no_collection():
            return program_text(self)

    def with_body(self, body: Sequence[Instruction | Label]) -> Program:
        """The same program with another body (marks and owners are kept as they are)."""
        return replace(self, body=list(body))

"""Code objects: HSACO files, hkasm's own and anybody else's, as kernels with machine code, descriptor and names.

A file is not trusted: whatever does not fit it is a CodeObjectError of one line, never a crash.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Final

from hkasm.asm.descriptor import DESCRIPTOR_BYTES, Descriptor
from hkasm.asm.elf import MAX_FILE_BYTES, ElfFile, Section, Symbol
from hkasm.asm.instruction import Origin
from hkasm.asm.linetable import LineRow, LineTable, read_line_table
from hkasm.asm.metadata import MAX_KERNARG_BYTES, kernel_args, read_metadata
from hkasm.asm.names import SECTION_NAME, KernelNames, unpack_names
from hkasm.asm.program import KernelArg
from hkasm.errors import CodeObjectError
from hkasm.isa.arch import ARCHES, Arch

__all__ = ["CodeObject", "KernelImage", "LoadedSegment"]

MAX_IMAGE_BYTES: Final = 256 << 20

_MACH_MASK: Final = 0xFF  # EF_AMDGPU_MACH
_FUNCTION: Final = 2  # STT_FUNC
_EXECUTABLE, _WRITABLE = 1, 2  # PF_X, PF_W
# Relocations that lld leaves to the loader: (bytes, adds the load address), by R_AMDGPU_*.
_RELOCATIONS: Final = {3: (8, True), 6: (4, True), 13: (8, True)}  # ABS64, ABS32, RELATIVE64


@dataclass(frozen=True, slots=True)
class LoadedSegment:
    """A run of loaded memory: where it goes (relative to the load address) and what stands there, zeros behind it."""

    vaddr: int
    data: bytes
    memory_bytes: int
    writable: bool
    executable: bool


class KernelImage:
    """One kernel of a code object.

    `code` is the machine code from its first instruction to its symbol's end, `vaddr` its address in the loaded image,
    `offset` its place in the file. `args` come from hkasm's own section where there is one, else from the metadata.
    `names` is that section's word on this kernel, or None.
    """

    def __init__(
        self,
        name: str,
        code: bytes,
        vaddr: int,
        offset: int,
        descriptor: Descriptor,
        metadata: Mapping[str, object],
        names: KernelNames | None,
        owner: CodeObject,
    ) -> None:
        self.name = name
        self.code = code
        self.vaddr = vaddr
        self.offset = offset
        self.descriptor = descriptor
        self.metadata = metadata
        self.hkasm = names
        self.args: tuple[KernelArg, ...] = names["args"] if names else kernel_args(metadata)
        self._owner = owner

    def __repr__(self) -> str:
        return f"<KernelImage {self.name}: {len(self.code)} bytes for {self._owner.arch.name}>"

    @property
    def arch(self) -> Arch:
        return self._owner.arch

    @property
    def kernarg_bytes(self) -> int:
        """Bytes of the kernarg segment: the descriptor's word, or the metadata's where the descriptor says 0."""
        stated = self.metadata.get(".kernarg_segment_size")
        return self.descriptor.kernarg_bytes or (
            stated if isinstance(stated, int) and 0 <= stated <= MAX_KERNARG_BYTES else 0
        )

    @cached_property
    def lines(self) -> list[tuple[int, str, int]]:
        """(byte offset in the code, file, line) from which on that line holds; line 0 says that none is known."""
        rows: list[LineRow] = self._owner.line_table.between(self.vaddr, self.vaddr + len(self.code))
        return [(row.address - self.vaddr, row.file, row.line) for row in rows]

    def origin(self, offset: int) -> Origin:
        """Return the source line of the instruction at a byte offset, or the kernel's name with that offset."""
        index = bisect_right(self._line_offsets, offset) - 1
        _, file, line = self.lines[index] if index >= 0 else (0, "", 0)
        return Origin(file if line else "", line, self.name, offset)

    @cached_property
    def _line_offsets(self) -> list[int]:
        return [offset for offset, _, _ in self.lines]


class CodeObject:
    """An HSACO: the architecture it was made for, its kernels by name, and the memory that a loader lays out.

    Raises CodeObjectError when it is built from something that is no linked AMDGPU code object, was made for an
    architecture that hkasm does not know, or is damaged.
    """

    def __init__(self, data: bytes, path: str = "") -> None:
        self.data = data
        self.path = path
        self._elf = ElfFile(data, path)
        self.arch = self._read_arch()
        try:
            self.kernels = self._read_kernels()
        except CodeObjectError as error:
            if error.where is None and path:
                raise CodeObjectError(error.message, where=path, hint=error.hint) from None
            raise

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> CodeObject:
        """Read a code object from memory."""
        return cls(bytes(data))

    @classmethod
    def from_path(cls, path: str | Path) -> CodeObject:
        """Read a code object from a file; a file that cannot be read is a CodeObjectError too."""
        try:
            with Path(path).open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise CodeObjectError(f"cannot be read: {reason}", where=str(path)) from None
        return cls(data, str(path))

    @cached_property
    def line_table(self) -> LineTable:
        """The rows of `.debug_line`; none if the object has no such section or it makes no sense."""
        return read_line_table(*(self._debug_bytes(name) for name in (".debug_line", ".debug_line_str", ".debug_str")))

    @cached_property
    def segments(self) -> tuple[LoadedSegment, ...]:
        """The loaded segments as the file has them, before relocation, by address."""
        elf = self._elf
        return tuple(
            LoadedSegment(
                s.vaddr,
                elf.bytes_at(s.offset, s.file_bytes, "a segment"),
                s.memory_bytes,
                bool(s.flags & _WRITABLE),
                bool(s.flags & _EXECUTABLE),
            )
            for s in sorted(elf.segments, key=attrgetter("vaddr"))
            if s.type == "PT_LOAD" and s.memory_bytes
        )

    def load_image(self, address: int) -> bytearray:
        """Return the memory image for a load at `address`, relocated, from virtual address 0 on.

        A kernel's code stands at `address + kernel.vaddr`. Raises CodeObjectError for an image of more than 256 MiB or
        a relocation that hkasm does not know.
        """
        end = max((s.vaddr + s.memory_bytes for s in self.segments), default=0)
        if end > MAX_IMAGE_BYTES:
            raise self._elf.error(f"wants {end} bytes of memory, at most {MAX_IMAGE_BYTES} are loaded")
        image = bytearray(end)
        for segment in self.segments:
            image[segment.vaddr : segment.vaddr + len(segment.data)] = segment.data
        for relocation in self._elf.relocations():
            size, relative = _RELOCATIONS.get(relocation.type, (0, False))
            if not size:
                raise self._elf.error(f"has relocations of type {relocation.type}, which hkasm does not know")
            if relocation.vaddr + size > end:
                raise self._elf.error("a relocation lies outside the loaded memory (damaged)")
            value = relocation.symbol_value + relocation.addend + (address if relative else 0)
            struct.pack_into("<Q" if size == 8 else "<I", image, relocation.vaddr, value & (1 << 8 * size) - 1)
        return image

    def _read_arch(self) -> Arch:
        elf = self._elf
        if elf.machine != "EM_AMDGPU":
            raise elf.error(f"is made for {elf.machine}, not for AMDGPU")
        if elf.type == "ET_REL":
            raise elf.error("is a relocatable object", "link it: ld.lld -shared x.o -o x.hsaco")
        if elf.type != "ET_DYN":
            raise elf.error(f"is no shared object but {elf.type}, which no loader takes")
        mach = elf.flags & _MACH_MASK
        for arch in ARCHES.values():
            if arch.e_flags_mach == mach:
                return arch
        raise elf.error(f"is made for AMDGPU machine {mach:#04x}; hkasm knows {', '.join(ARCHES)}")

    def _read_kernels(self) -> dict[str, KernelImage]:
        elf = self._elf
        symbols = elf.symbols()
        metadata = read_metadata(elf.notes())
        section = elf.section(SECTION_NAME)
        names = unpack_names(elf.section_bytes(section)) if section else {}
        functions = {symbol.value: symbol for symbol in symbols if symbol.type == _FUNCTION and symbol.size}
        found: dict[str, KernelImage] = {}
        for symbol in symbols:
            if not symbol.name.endswith(".kd") or not symbol.section:
                continue
            name = symbol.name.removesuffix(".kd")
            # Names are printed in messages and tables: one line, no control characters.
            if not name.isprintable() or not name:
                raise elf.error(f"has a kernel with the name {name!r} (damaged)")
            where = f"the descriptor of kernel {name}"
            descriptor = Descriptor.from_bytes(elf.memory_bytes(symbol.value, DESCRIPTOR_BYTES, where))
            if descriptor.lds_bytes > self.arch.lds_bytes:
                asked, had = descriptor.lds_bytes, self.arch.lds_bytes
                raise elf.error(f"kernel {name} wants {asked} bytes of LDS, {self.arch.name} has {had}")
            if descriptor.kernarg_bytes > MAX_KERNARG_BYTES:
                raise elf.error(f"kernel {name} wants {descriptor.kernarg_bytes} bytes of kernel arguments (damaged)")
            entry = symbol.value + descriptor.entry_offset
            code, offset = self._code_at(entry, functions.get(entry), name)
            found[name] = KernelImage(
                name, code, entry, offset, descriptor, metadata.get(name, {}), names.get(name), self
            )
        if not found:
            raise elf.error("holds no kernel (no symbol NAME.kd)")
        return found

    def _code_at(self, entry: int, function: Symbol | None, name: str) -> tuple[bytes, int]:
        """Return the code from `entry` to its function's end, or its section's, and where it stands in the file."""
        elf = self._elf
        section = self._code_section(entry)
        if section is None or entry % 4:
            raise elf.error(f"kernel {name} begins at {entry:#x}, where there is no code (damaged)")
        size = section.addr + section.size - entry
        if function is not None:
            size = min(size, function.size)
        offset = section.offset + entry - section.addr
        return elf.bytes_at(offset, size // 4 * 4, f"the code of kernel {name}"), offset

    def _code_section(self, entry: int) -> Section | None:
        for section in self._elf.sections:
            if section.type == "SHT_PROGBITS" and section.flags & 4 and 0 <= entry - section.addr < section.size:
                return section
        return None

    def _debug_bytes(self, name: str) -> bytes:
        section = self._elf.section(name)
        if section is None:
            return b""
        try:
            return self._elf.section_bytes(section)
        except CodeObjectError:
            return b""

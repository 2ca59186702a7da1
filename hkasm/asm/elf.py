"""Read ELF files made by anybody: sections, segments, symbols, notes, relocations.

pyelftools knows the layout of the records; the walk over them is hkasm's, since the file is not to be trusted: every
count, offset and size is held against the file before it is used, and whatever does not fit is a CodeObjectError.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import Any, Final

from elftools.common.exceptions import ELFError
from elftools.common.utils import struct_parse
from elftools.elf.structs import ELFStructs

from hkasm.errors import CodeObjectError

__all__ = ["ElfFile", "Note", "Relocation", "Section", "Segment", "Symbol"]

MAX_FILE_BYTES: Final = 1 << 30
MAX_SECTIONS: Final = 4096
MAX_SEGMENTS: Final = 256
MAX_SYMBOLS: Final = 1 << 20
MAX_RELOCATIONS: Final = 1 << 20
MAX_NOTES: Final = 1024
MAX_NAME_BYTES: Final = 4096

_EHDR_BYTES, _SHDR_BYTES, _PHDR_BYTES = 64, 64, 56
_SYMBOL = struct.Struct("<IBBHQQ")
_RELA = struct.Struct("<QQq")
_NOTE = struct.Struct("<III")
_COMPRESSED = 0x800  # SHF_COMPRESSED
_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"


@dataclass(frozen=True, slots=True)
class Section:
    """One section header; `type` is pyelftools' name for it (`SHT_PROGBITS`) or the bare number."""

    name: str
    type: str | int
    flags: int
    addr: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True, slots=True)
class Segment:
    """One program header; `type` is pyelftools' name for it (`PT_LOAD`) or the bare number."""

    type: str | int
    flags: int
    offset: int
    vaddr: int
    file_bytes: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol; `type` is ELF's number (1 object, 2 function), `section` the index of the section that defines it."""

    name: str
    type: int
    section: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class Note:
    """One note: its owner's name, its type and its bytes."""

    owner: str
    type: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Relocation:
    """One dynamic relocation: what to store at `vaddr` (`type` is the processor's own number)."""

    vaddr: int
    type: int
    symbol_value: int
    addend: int


class ElfFile:
    """A 64-bit little-endian ELF file, checked as it is read. `path` is only named in errors."""

    def __init__(self, data: bytes, path: str = "") -> None:
        self.data = data
        self.path = path
        self._check_identity()
        layout = ELFStructs(little_endian=True, elfclass=64)
        layout.create_basic_structs()
        layout.create_advanced_structs()
        self._layout = layout
        header = self._record(layout.Elf_Ehdr, 0, _EHDR_BYTES)
        self.type: str | int = header["e_type"]
        self.machine: str | int = header["e_machine"]
        self.flags: int = header["e_flags"]
        self.abi_version: int = header["e_ident"]["EI_ABIVERSION"]
        self.sections = self._read_sections(header)
        self.segments = self._read_segments(header)

    def error(self, message: str, hint: str | None = None) -> CodeObjectError:
        """Return an error about this file, to be raised."""
        return CodeObjectError(message, where=self.path or None, hint=hint)

    def bytes_at(self, offset: int, size: int, what: str) -> bytes:
        """Return `size` bytes of the file; raises CodeObjectError if it ends before them."""
        if offset < 0 or size < 0 or offset + size > len(self.data):
            raise self.error(f"{what} lies outside the file (truncated or damaged)")
        return self.data[offset : offset + size]

    def section(self, name: str) -> Section | None:
        """Return the first section of that name that has bytes in the file."""
        return next((s for s in self.sections if s.name == name and s.type not in ("SHT_NULL", "SHT_NOBITS")), None)

    def section_bytes(self, section: Section) -> bytes:
        """Return a section's bytes. Raises CodeObjectError if it is compressed or not wholly there."""
        if section.flags & _COMPRESSED:
            raise self.error(f"section {section.name!r} is compressed, which no AMDGPU loader reads")
        return self.bytes_at(section.offset, section.size, f"section {section.name!r}")

    def memory_bytes(self, vaddr: int, size: int, what: str) -> bytes:
        """Return bytes of a loaded segment by their virtual address; what the file does not hold is zero."""
        for segment in self.segments:
            at = vaddr - segment.vaddr
            if segment.type == "PT_LOAD" and at >= 0 and at + size <= segment.memory_bytes:
                held = max(0, min(size, segment.file_bytes - at))
                return self.bytes_at(segment.offset + at, held, what) + bytes(size - held)
        raise self.error(f"{what} at {vaddr:#x} lies in no loaded segment")

    def symbols(self) -> list[Symbol]:
        """Return the symbols of the full table, or of the dynamic one in a stripped file."""
        for kind in ("SHT_SYMTAB", "SHT_DYNSYM"):
            for section in self.sections:
                if section.type == kind:
                    return self._read_symbols(section)
        return []

    def notes(self) -> list[Note]:
        """Return the notes of all note segments, or of the note sections in a file without such segments."""
        runs = [(s.offset, s.file_bytes) for s in self.segments if s.type == "PT_NOTE"]
        runs = runs or [(s.offset, s.size) for s in self.sections if s.type == "SHT_NOTE"]
        found: list[Note] = []
        for offset, size in runs:
            data = self.bytes_at(offset, size, "a note")
            at = 0
            while at + _NOTE.size <= len(data) and len(found) < MAX_NOTES:
                name_bytes, desc_bytes, kind = _NOTE.unpack_from(data, at)
                name_at = at + _NOTE.size
                desc_at = name_at + _align4(name_bytes)
                at = desc_at + _align4(desc_bytes)
                if desc_at + desc_bytes > len(data):
                    raise self.error("a note is longer than its segment (truncated or damaged)")
                owner = data[name_at : name_at + name_bytes].rstrip(b"\0").decode("ascii", "replace")
                found.append(Note(owner, kind, data[desc_at : desc_at + desc_bytes]))
        return found

    def relocations(self) -> list[Relocation]:
        """Return the relocations that a loader applies (those against loaded memory)."""
        found: list[Relocation] = []
        for section in self.sections:
            if section.type != "SHT_RELA" or not section.flags & 2:
                continue
            symbols = self._symbols_of(section.link)
            data = self.section_bytes(section)
            if len(data) // _RELA.size > MAX_RELOCATIONS:
                raise self.error(f"more than {MAX_RELOCATIONS} relocations")
            for vaddr, info, addend in _RELA.iter_unpack(data[: len(data) // _RELA.size * _RELA.size]):
                index = info >> 32
                if index and index >= len(symbols):
                    raise self.error(f"a relocation names symbol {index} of {len(symbols)} (damaged)")
                found.append(Relocation(vaddr, info & 0xFFFFFFFF, symbols[index].value if index else 0, addend))
        return found

    def _check_identity(self) -> None:
        data = self.data
        if len(data) > MAX_FILE_BYTES:
            raise self.error(f"has {len(data)} bytes, at most {MAX_FILE_BYTES} are read")
        if data.startswith(_BUNDLE):
            hint = "take one target's object out of it with clang-offload-bundler --unbundle"
            raise self.error("is an offload bundle, not a code object", hint)
        if not data:
            raise self.error("is empty, not a code object")
        if data[:4] != b"\x7fELF":
            raise self.error(f"is not an ELF file: it begins with {data[:4].hex(' ')}")
        if len(data) < _EHDR_BYTES:
            raise self.error("ends within the ELF header (truncated)")
        if data[4:6] != b"\x02\x01":
            raise self.error("is not a 64-bit little-endian ELF file")

    def _record(self, layout: Any, offset: int, size: int) -> Any:
        data = self.bytes_at(offset, size, "a header")
        try:
            return struct_parse(layout, io.BytesIO(data), 0)
        except (ELFError, ValueError, KeyError) as error:
            raise self.error(f"a header cannot be read: {error}") from None

    def _read_sections(self, header: Any) -> tuple[Section, ...]:
        start, count = header["e_shoff"], header["e_shnum"]
        if count > MAX_SECTIONS or (start and not count):
            raise self.error(f"claims {count or 'more than 65279'} sections, at most {MAX_SECTIONS} are read")
        if count and header["e_shentsize"] != _SHDR_BYTES:
            raise self.error(f"has section headers of {header['e_shentsize']} bytes, not {_SHDR_BYTES} (damaged)")
        self.bytes_at(start, count * _SHDR_BYTES, "the section table")
        raw = [self._record(self._layout.Elf_Shdr, start + i * _SHDR_BYTES, _SHDR_BYTES) for i in range(count)]
        names_at, names_bytes = 0, 0
        if isinstance(header["e_shstrndx"], int) and 0 < header["e_shstrndx"] < count:
            names = raw[header["e_shstrndx"]]
            names_at, names_bytes = names["sh_offset"], names["sh_size"]
        names_data = self.bytes_at(names_at, names_bytes, "the table of section names")
        return tuple(
            Section(
                _cstring(names_data, entry["sh_name"]),
                entry["sh_type"],
                entry["sh_flags"],
                entry["sh_addr"],
                entry["sh_offset"],
                entry["sh_size"],
                entry["sh_link"],
            )
            for entry in raw
        )

    def _read_segments(self, header: Any) -> tuple[Segment, ...]:
        start, count = header["e_phoff"], header["e_phnum"]
        if count > MAX_SEGMENTS:
            raise self.error(f"claims {count} segments, at most {MAX_SEGMENTS} are read")
        if count and header["e_phentsize"] != _PHDR_BYTES:
            raise self.error(f"has segment headers of {header['e_phentsize']} bytes, not {_PHDR_BYTES} (damaged)")
        found = []
        for index in range(count):
            entry = self._record(self._layout.Elf_Phdr, start + index * _PHDR_BYTES, _PHDR_BYTES)
            segment = Segment(
                entry["p_type"],
                entry["p_flags"],
                entry["p_offset"],
                entry["p_vaddr"],
                entry["p_filesz"],
                entry["p_memsz"],
            )
            if segment.type == "PT_LOAD":
                if segment.file_bytes > segment.memory_bytes:
                    raise self.error(f"segment {index} has more bytes in the file than in memory (damaged)")
                self.bytes_at(segment.offset, segment.file_bytes, f"segment {index}")
            found.append(segment)
        return tuple(found)

    def _symbols_of(self, index: int) -> list[Symbol]:
        if not 0 < index < len(self.sections) or self.sections[index].type not in ("SHT_SYMTAB", "SHT_DYNSYM"):
            return []
        return self._read_symbols(self.sections[index])

    def _read_symbols(self, section: Section) -> list[Symbol]:
        data = self.section_bytes(section)
        count = len(data) // _SYMBOL.size
        if count > MAX_SYMBOLS:
            raise self.error(f"has {count} symbols, at most {MAX_SYMBOLS} are read")
        if not 0 < section.link < len(self.sections):
            raise self.error("a symbol table has no table of names (damaged)")
        names = self.section_bytes(self.sections[section.link])
        return [
            Symbol(_cstring(names, name), info & 15, index, value, size)
            for name, info, _, index, value, size in _SYMBOL.iter_unpack(data[: count * _SYMBOL.size])
        ]


def _cstring(data: bytes, start: int) -> str:
    """Return the zero-ended string at `start`, or an empty one where there is none of a sane length."""
    end = data.find(b"\0", start, start + MAX_NAME_BYTES)
    return data[start:end].decode("utf-8", "replace") if end >= 0 else ""


def _align4(size: int) -> int:
    return -(-size // 4) * 4

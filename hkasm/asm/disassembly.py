"""Machine code as text, line for line as ``llvm-objdump -d`` writes it, of code objects and of bare bytes.

What is no instruction becomes ``.long``; runs of zeros are skipped, as objdump skips them.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.elf import ElfFile, Section
from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.printer import instruction_text
from hkasm.errors import CodeObjectError, DecodeError
from hkasm.isa.arch import ARCHES, Arch, get_arch

__all__ = ["CodeLine", "disassemble_bytes", "disassemble_file", "disassemble_object"]

_EXECUTABLE: Final = 4  # SHF_EXECINSTR
_MACH_MASK: Final = 0xFF  # EF_AMDGPU_MACH
_TEXT_COLUMNS: Final = 60
_LEAST_ZEROS: Final = 8
_NO_TYPE, _FUNCTION = 0, 2
_ZEROS: Final = re.compile(rb"\0+")


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a listing: an instruction, or data where there is none (then `instruction` is None).

    `address` counts from the section's load address (0 for bare bytes). `target` is ``symbol+0x40`` of a branch, or "".
    A run of zeros that is skipped has the text ``...``.
    """

    address: int
    code: bytes
    text: str
    instruction: Instruction | None = None
    target: str = ""

    def __str__(self) -> str:
        """The whole line as llvm-objdump writes it: text, address, dwords, branch target."""
        if self.text == "...":
            return "\t\t..."
        words = [self.code[at : at + 4] for at in range(0, len(self.code), 4)]
        if len(self.code) >= 4:
            shown = " ".join(f"{struct.unpack('<I', word)[0]:08X}" for word in words if len(word) == 4)
        else:
            shown = " ".join(f"{byte:02X}" for byte in self.code)
        tail = f" <{self.target}>" if self.target else ""
        text = f"\t{self.text}"
        return f"{text:<{_TEXT_COLUMNS}}// {self.address:012X}: {shown}{tail}"


def disassemble_bytes(
    code: bytes,
    arch: Arch | str,
    address: int = 0,
    names: Sequence[tuple[int, str]] = (),
    labels: Mapping[int, str] | None = None,
) -> Iterator[CodeLine]:
    """Disassemble bare machine code from its first byte to its last.

    `address` is where it stands, `names` are (address, symbol) in ascending order, for branch targets. A branch to one
    of the `labels` (by address) is written with the label instead of a distance.
    """
    arch_name = get_arch(arch).name
    starts = [start for start, _ in names]
    at = 0
    while at < len(code):
        zeros = _zeros(code, at)
        if zeros >= _LEAST_ZEROS:
            zeros &= ~3
            yield CodeLine(address + at, code[at : at + zeros], "...")
            at += zeros
            continue
        try:
            inst = decode_instruction(arch_name, code, at)
        except DecodeError:
            piece = code[at : at + 4]
            yield CodeLine(address + at, piece, _data_text(piece))
            at += len(piece)
            continue
        piece = code[at : at + inst.size]
        place = _branch_place(inst, address)
        label = labels.get(place) if labels and place is not None else None
        if label is not None:
            named = replace(inst, operands=(*inst.operands[:-1], Label(label)))
            yield CodeLine(address + at, piece, instruction_text(named), inst)
        else:
            yield CodeLine(address + at, piece, instruction_text(inst), inst, _target(place, starts, names))
        at += inst.size


def disassemble_object(data: bytes, path: str = "", expected: Arch | str | None = None) -> list[str]:
    """Return the lines that ``llvm-objdump -d PATH`` prints of an AMDGPU object.

    Raises:
        CodeObjectError: it is none, it is damaged, or it is for an arch that hkasm does not know or that is not the
            one expected.
    """
    elf = ElfFile(data, path)
    arch = _arch_of(elf)
    check_arch(arch, expected, path)
    lines = ["", f"{path}:\tfile format elf64-amdgpu"]
    for index, section in enumerate(elf.sections):
        if section.type != "SHT_PROGBITS" or not section.flags & _EXECUTABLE:
            continue
        lines += ["", f"Disassembly of section {section.name}:", *_section_lines(elf, index, section, arch)]
    return lines


def disassemble_file(data: bytes, *, path: str = "", arch: Arch | str | None = None, raw: bool = False) -> list[str]:
    """Return the listing of a file's bytes: an object's, or with `raw` bare machine code of `arch`.

    Raises:
        CodeObjectError: it is no object, or `raw` without an arch.
    """
    if not raw:
        return disassemble_object(data, path)
    if arch is None:
        raise CodeObjectError(
            "bare machine code does not say its arch", where=path or None, hint="--arch gfx942 or gfx950"
        )
    return [str(line) for line in disassemble_bytes(data, arch)]


def check_arch(arch: Arch, expected: Arch | str | None, path: str) -> None:
    """Raise CodeObjectError if an object's arch is not the one that was named."""
    if expected is not None and arch != get_arch(expected):
        raise CodeObjectError(f"is for {arch.name}, not {get_arch(expected).name}", where=path or None)


def _arch_of(elf: ElfFile) -> Arch:
    mach = elf.flags & _MACH_MASK
    for arch in ARCHES.values():
        if elf.machine == "EM_AMDGPU" and arch.e_flags_mach == mach:
            return arch
    raise elf.error(f"is made for {elf.machine} {mach:#04x}; hkasm knows {', '.join(ARCHES)}")


def _section_lines(elf: ElfFile, index: int, section: Section, arch: Arch) -> Iterable[str]:
    found = [symbol for symbol in elf.symbols() if symbol.section == index and symbol.name]
    names = sorted({(symbol.value, symbol.name) for symbol in found if symbol.type in (_NO_TYPE, _FUNCTION)})
    # Of two labels at one place a branch has the name that sorts first, the heading the one that sorts last.
    labels = {
        symbol.value: symbol.name
        for symbol in sorted(found, key=attrgetter("name"), reverse=True)
        if symbol.type == _NO_TYPE
    }
    code = elf.section_bytes(section)
    end = section.addr + section.size
    bounds = [start for start, _ in names if section.addr <= start < end]
    starts = sorted({section.addr, *bounds})
    by_start = dict(names)
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        yield ""
        yield f"{start:016x} <{by_start.get(start, section.name)}>:"
        piece = code[start - section.addr : stop - section.addr]
        yield from map(str, disassemble_bytes(piece, arch, start, names, labels))


def _zeros(code: bytes, at: int) -> int:
    run = _ZEROS.match(code, at)
    return run.end() - at if run else 0


def _data_text(piece: bytes) -> str:
    if len(piece) == 4:
        return f".long 0x{struct.unpack('<I', piece)[0]:08x}"
    return ".byte " + ", ".join(f"0x{byte:02x}" for byte in piece)


def _branch_place(inst: Instruction, address: int) -> int | None:
    """Return the address that a branch goes to, in code that begins at `address`; None for other instructions."""
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        if operand.type == "label" and isinstance(value, int):
            distance = value - 0x10000 if value & 0x8000 else value
            return address + inst.offset + inst.size + 4 * distance
    return None


def _target(place: int | None, starts: list[int], names: Sequence[tuple[int, str]]) -> str:
    """Return ``symbol+0x40`` of a place that a branch goes to; "" for none, or where no symbol lies before it."""
    index = bisect_right(starts, place) - 1 if place is not None else -1
    if place is None or index < 0:
        return ""
    start, name = names[index]
    return name if start == place else f"{name}+{place - start:#x}"

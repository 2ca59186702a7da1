"""The whole assembly file of a program, line by line with the Python line behind each.

``.loc`` lines give the code object a line table, so that a debugger or a profiler shows the Python that wrote an
instruction. File numbers follow the order of first use, paths are relative: two builds give the same bytes.
"""

from __future__ import annotations

from itertools import repeat

from hkasm.asm.directives import footer, header
from hkasm.asm.instruction import Label, Origin
from hkasm.asm.printer import Printer
from hkasm.asm.program import Program

_TAG_COMPILE_UNIT = 0x11
_LANGUAGE_ASSEMBLER = 0x8001
"""What assemblers state: no language of DWARF's own list is AMDGCN assembly."""


def program_text(program: Program) -> tuple[str, list[Origin | None]]:
    """Directives, code with comments and line information, descriptor, metadata and the `.hkasm` section.

    Returns the text and, for each of its lines, the Python line that wrote it.
    """
    lines = header(program)
    # Files are numbered in the order of their first use; their lines are put here when all are known.
    files: dict[str, int] = {}
    titles: dict[int, list[str]] = {}
    for mark in program.marks:
        if mark.kind in ("section", "loop"):
            titles.setdefault(mark.first, []).append(f"  ; {mark.kind} {mark.name}")
    code, origins = _code_lines(program, titles, files)
    lines += [f'  .file {number} "{name}"' for name, number in files.items()]
    before, behind = len(lines), footer(program) + (_compile_unit(program.name) if files else [])
    text = "\n".join([*lines, *code, *behind, ""])
    return text, [*repeat(None, before), *origins, *repeat(None, len(behind))]


def _code_lines(
    program: Program, titles: dict[int, list[str]], files: dict[str, int]
) -> tuple[list[str], list[Origin | None]]:
    """Return the lines of the code with their origins; adds to `files` the files that they name."""
    lines: list[str] = []
    origins: list[Origin | None] = []
    printer = Printer()
    texts: dict[tuple[int, int, int], str] = {}
    index, last = 0, None
    for item in program.body:
        if isinstance(item, Label):
            lines.append(f"{item.name}:")
            origins.append(None)
            continue
        if index in titles:
            lines += titles[index]
            origins += repeat(None, len(titles[index]))
        origin = item.origin
        if origin is not last and origin is not None and origin.file:
            if origin != last:
                number = files.setdefault(origin.file, len(files) + 1)
                lines.append(f"  .loc {number} {origin.line} 0")
                origins.append(None)
            last = origin
        # Instructions that stand again share these objects.
        key = id(item.encoding), id(item.operands), id(item.mods)
        text = texts.get(key)
        if text is None:
            text = texts[key] = f"  {printer.text(item)}"
        lines.append(f"{text:<72}; {item.comment}" if item.comment else text)
        origins.append(origin)
        index += 1
    return lines, origins


def _compile_unit(name: str) -> list[str]:
    """Return the smallest DWARF 5 unit over the kernel's code: debuggers look for a line table through one.

    DWARF 5, sections 7.5.1.1 and 3.1.1. Producer, language, name, line table, folder, code range.
    """
    abbreviation = (
        (1, _TAG_COMPILE_UNIT, 0),
        *((attribute, form) for attribute, form, _ in _unit_attributes(name)),
        (0, 0, 0),
    )
    numbers = ", ".join(str(number) for group in abbreviation for number in group)
    return [
        "",
        '.section .debug_abbrev,"",@progbits',
        f"  .byte {numbers}",
        '.section .debug_info,"",@progbits',
        f"  .long .L{name}_unit_end-.L{name}_unit",
        f".L{name}_unit:",
        "  .short 5",
        "  .byte 1, 8",
        "  .long .debug_abbrev",
        "  .byte 1",
        *(f"  {value}" for _, _, value in _unit_attributes(name)),
        f".L{name}_unit_end:",
    ]


def _unit_attributes(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return attribute, form and value of the compile unit's attributes (DWARF 5, tables 7.5 and 7.6)."""
    address, four_bytes, two_bytes, text, offset = 0x01, 0x06, 0x05, 0x08, 0x17
    return (
        (0x25, text, '.asciz "hkasm"'),
        (0x13, two_bytes, f".short {_LANGUAGE_ASSEMBLER}"),
        (0x03, text, f'.asciz "{name}"'),
        (0x10, offset, ".long .debug_line"),
        (0x1B, text, '.asciz "."'),
        (0x11, address, f".quad {name}"),
        (0x12, four_bytes, f".long .L{name}_end-{name}"),
    )

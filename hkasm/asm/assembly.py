"""The whole assembly file of a program, line by line with the Python line behind each.

``.loc`` lines give the code object a line table, so that a debugger or a profiler shows the Python that wrote an
instruction. File numbers follow the order of first use, paths are relative: two builds give the same bytes.
"""

from __future__ import annotations

from hkasm.asm.directives import footer, header
from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.asm.printer import instruction_text
from hkasm.asm.program import Program


def program_lines(program: Program) -> list[tuple[str, Origin | None]]:
    """Directives, code with comments and line information, descriptor, metadata and the `.hkasm` section."""
    files: dict[str, int] = {}
    for inst in program.instructions:
        if inst.origin is not None and inst.origin.file:
            files.setdefault(inst.origin.file, len(files) + 1)
    lines: list[tuple[str, Origin | None]] = [(line, None) for line in header(program)]
    lines += [(f'  .file {number} "{name}"', None) for name, number in files.items()]
    titles: dict[int, list[str]] = {}
    for mark in program.marks:
        if mark.kind in ("section", "loop"):
            titles.setdefault(mark.first, []).append(f"{mark.kind} {mark.name}")
    index, last = 0, None
    for item in program.body:
        if isinstance(item, Label):
            lines.append((f"{item.name}:", None))
            continue
        lines += [(f"  ; {title}", None) for title in titles.get(index, ())]
        if item.origin is not None and item.origin.file and item.origin != last:
            lines.append((f"  .loc {files[item.origin.file]} {item.origin.line} 0", None))
            last = item.origin
        lines.append((_code_line(item), item.origin))
        index += 1
    return lines + [(line, None) for line in footer(program)]


def _code_line(inst: Instruction) -> str:
    text = f"  {instruction_text(inst)}"
    return f"{text:<72}; {inst.comment}" if inst.comment else text

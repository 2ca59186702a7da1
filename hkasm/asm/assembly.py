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
    before, behind = len(lines), footer(program)
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

"""`hkasm disasm`: machine code as assembly, as `llvm-objdump -d` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hkasm.cli.options import arch_option, chosen_arch, clang_option, json_option
from hkasm.cli.output import print_json
from hkasm.cli.subject import load_object, names_assembly, read_bytes
from hkasm.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hkasm.asm.codeobject import CodeObject
    from hkasm.asm.disassembly import CodeLine

MAX_FILE_BYTES = 256 << 20


@click.command("disasm", short_help="Print machine code as assembly.")
@click.argument("path", metavar="FILE")
@click.option("--raw", is_flag=True, help="FILE is bare machine code for --arch.")
@arch_option
@clang_option
@json_option
def command(path: str, raw: bool, arch: str | None, clang: str | None, as_json: bool) -> None:
    """Print the machine code of FILE, an object or a .s file, as assembly.

    Lines are those of llvm-objdump -d. A word that is no instruction hkasm
    knows is printed as .long.

    \b
    hkasm disasm gemm.hsaco
    hkasm disasm code.bin --raw --arch gfx942
    """
    from hkasm.asm.disassembly import disassemble_bytes, disassemble_object

    if raw:
        name = chosen_arch(arch, Settings.from_environment())
        listed = list(disassemble_bytes(read_bytes(path, MAX_FILE_BYTES), name))
        if as_json:
            print_json({"arch": name, "instructions": _rows(listed)})
        else:
            click.echo("\n".join(map(str, listed)))
        return
    if as_json:
        print_json(_as_dict(load_object(path, arch=arch, clang=clang)))
        return
    # Relocatable objects and functions that are no kernels have machine code too, but no place in a CodeObject.
    assembled = names_assembly(path)
    data = load_object(path, arch=arch, clang=clang).data if assembled else read_bytes(path, MAX_FILE_BYTES)
    click.echo("\n".join(disassemble_object(data, path, arch)))


def _as_dict(code: CodeObject) -> dict[str, object]:
    from hkasm.asm.disassembly import disassemble_bytes

    names = sorted((image.vaddr, image.name) for image in code.kernels.values())
    kernels = [
        {"name": image.name, "instructions": _rows(disassemble_bytes(image.code, code.arch, image.vaddr, names))}
        for image in code.kernels.values()
    ]
    return {"arch": code.arch.name, "kernels": kernels}


def _rows(lines: Iterable[CodeLine]) -> list[dict[str, object]]:
    return [
        {"address": line.address, "code": line.code.hex(), "text": line.text}
        | ({"target": line.target} if line.target else {})
        for line in lines
    ]

"""`hkasm show args`: what a kernel wants to be given, where it lies in the kernarg segment, and the word for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hkasm.cli.options import table_options
from hkasm.cli.output import print_facts, print_json, print_table
from hkasm.cli.subject import Choices, load_program, subject_options

if TYPE_CHECKING:
    from hkasm.asm.program import KernelArg, Program

_HIDDEN = "hidden_"
_PADDING = "pad"
"""What AMD's hand-written kernels call the bytes between two arguments."""


@click.command("args", short_help="Arguments: name, offset, type.")
@click.argument("subject", metavar="X")
@subject_options
@table_options
def command(subject: str, choices: Choices, as_json: bool) -> None:
    """Print the arguments of X in their order: name, byte in the kernarg segment,
    size, type and access, and the word that gives one to 'hkasm emulate'.

    Element types, dimensions and names are hkasm's own; other compilers' objects
    tell offsets, sizes and which are pointers. What the launch fills in itself is
    told apart. Where an object names its padding, as AMD's hand-written kernels
    do, that is left out, and --kernarg-slot of 'hkasm emulate' stands for it.

    \b
    hkasm show args gemm --arch gfx950
    hkasm show args triton.hsaco
    """
    program = load_program(subject, choices)
    if as_json:
        print_json(_as_dict(program))
        return
    given = [arg for arg in program.args if not arg.kind.startswith(_HIDDEN)]
    hidden = [arg for arg in program.args if arg.kind.startswith(_HIDDEN)]
    slot = _slot(given)
    if slot:
        given = [arg for arg in given if arg.name != _PADDING]
    filled = ", ".join(arg.kind.removeprefix(_HIDDEN) for arg in hidden)
    print_facts(
        {
            "kernel": f"{program.name} for {program.arch.name}",
            "kernarg": f"{program.kernarg_bytes} bytes",
            "arguments": f"{len(given)}" if program.args else "none are told",
            "slots": f"{slot} bytes each: --kernarg-slot {slot}" if slot else "",
            "workgroup": "x".join(map(str, program.block)),
            "filled in": f"from byte {hidden[0].offset} on: {filled}" if hidden else "",
        }
    )
    if given:
        click.echo("")
        print_table(("argument", ">byte", ">bytes", "type", "access", "--arg"), [_row(arg) for arg in given])


def _slot(args: list[KernelArg]) -> int:
    """Return the bytes of each argument's place where padding is named and every place is of one size, else 0."""
    kept = [arg.offset for arg in args if arg.name != _PADDING]
    if len(kept) == len(args) or len(kept) < 2:
        return 0
    slot = kept[1] - kept[0]
    return slot if kept == [slot * number for number in range(len(kept))] else 0


def _row(arg: KernelArg) -> tuple[object, ...]:
    return arg.name, arg.offset, arg.size, _type(arg), arg.access, _word(arg)


def _type(arg: KernelArg) -> str:
    if arg.kind != "pointer":
        return arg.dtype or "value"
    dimensions = f", {arg.rank} dimension{'s' if arg.rank > 1 else ''}" if arg.rank else ""
    return f"pointer to {arg.dtype}{dimensions}" if arg.dtype else "pointer"


def _word(arg: KernelArg) -> str:
    """Return what `--arg` takes for it, with a `?` wherever the user has to choose."""
    if arg.kind == "pointer":
        shape = "x".join("?" * max(arg.rank, 1))
        return f"{arg.name}:ptr:{arg.dtype or '?'}[{shape}]={'zeros' if arg.access == 'write' else 'normal:1'}"
    if arg.dtype:
        return f"{arg.name}:{arg.dtype}=?"
    if arg.size not in (1, 2, 4, 8):
        return f"{arg.name}:raw=?"
    bits = 8 * arg.size
    return f"{arg.name}:i{bits}=?" + (f" or f{bits}=?" if arg.size > 1 else "")


def _as_dict(program: Program) -> dict[str, object]:
    return {
        "kernel": program.name,
        "arch": program.arch.name,
        "kernarg_bytes": program.kernarg_bytes,
        "block": list(program.block),
        "args": [
            {
                "name": arg.name, "offset": arg.offset, "size": arg.size, "kind": arg.kind,
                "dtype": arg.dtype, "rank": arg.rank, "access": arg.access,
            }
            for arg in program.args
        ],
    }  # fmt: skip

"""`hkasm build`: a kernel's assembly, code object and manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hkasm.asm.collector import no_collection
from hkasm.cli.options import (
    arch_option,
    chosen_arch,
    chosen_clang,
    clang_option,
    json_option,
    parameter_option,
    parse_parameters,
)
from hkasm.cli.output import print_facts, print_json, write_files
from hkasm.cli.script import names_a_script, script_program
from hkasm.cli.subject import assemble
from hkasm.settings import Settings


@click.command("build", short_help="Write a kernel's .s, .hsaco and .json.")
@click.argument("kernel")
@arch_option
@parameter_option
@click.option(
    "-o",
    "--out",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path(),
    help="Write there, not here.",
)
@clang_option
@json_option
def command(
    kernel: str, arch: str | None, pairs: tuple[str, ...], folder: Path, clang: str | None, as_json: bool
) -> None:
    """Build KERNEL and write KERNEL.s, KERNEL.hsaco and KERNEL.json.

    KERNEL is one of the library's, or FILE.py:FUNCTION, a function of yours that
    takes a builder; its one parameter is block, the work-items of a workgroup.

    The JSON holds the configuration, the kernel's arguments with their offsets,
    grid and block, register and LDS use, occupancy, and versions.

    \b
    hkasm build gemm --arch gfx950 -o out
    hkasm build axpy.py:axpy --arch gfx950 -o out -p block=64
    """
    with no_collection():
        _build(kernel, arch, pairs, folder, clang, as_json)


def _build(kernel: str, arch: str | None, pairs: Sequence[str], folder: Path, clang: str | None, as_json: bool) -> None:
    import json

    from hkasm.inspect.manifest import manifest
    from hkasm.inspect.resources import resources_of
    from hkasm.kernels import get_kernel

    settings = Settings.from_environment()
    values = parse_parameters(pairs)
    name = chosen_arch(arch, settings, values)
    grid_rule: Sequence[str] = ()
    if names_a_script(kernel):
        program = script_program(kernel, name, values)
    else:
        chosen = get_kernel(kernel)
        program = chosen.build(name, **values)
        grid_rule = chosen.grid_rule_of(program)
    text, origins = program.text_with_origins()
    code, toolchain = assemble(text, origins, name, chosen_clang(clang, settings), settings)
    document = manifest(program, grid_rule, toolchain)
    files = {"s": text.encode(), "hsaco": code, "json": f"{json.dumps(document, indent=2)}\n".encode()}
    paths = write_files(folder, {f"{program.name}.{suffix}": content for suffix, content in files.items()})
    if as_json:
        print_json(document | {"files": [str(path) for path in paths]})
        return
    print_facts(
        {
            "kernel": f"{program.name} for {name}, {len(program.instructions)} instructions",
            **resources_of(program).facts(),
            "wrote": ", ".join(str(path) for path in paths),
        }
    )

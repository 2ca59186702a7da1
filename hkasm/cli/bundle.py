"""`hkasm bundle`: a kernel for machines without hkasm."""

from __future__ import annotations

from pathlib import Path

import click

from hkasm.cli.options import (
    chosen_arch,
    chosen_clang,
    clang_option,
    json_option,
    parameter_option,
    parse_parameters,
)
from hkasm.cli.output import print_facts, print_json, write_files
from hkasm.cli.subject import assemble
from hkasm.settings import Settings


@click.command("bundle", short_help="Write a kernel for use without hkasm.")
@click.argument("kernel")
@click.option("--arch", "archs", metavar="ARCH", multiple=True, help="For this one; several times for several [all].")
@parameter_option
@click.option(
    "-o", "--out", "folder", metavar="DIR", type=click.Path(path_type=Path), required=True, help="Write there."
)
@clang_option
@json_option
def command(
    kernel: str, archs: tuple[str, ...], pairs: tuple[str, ...], folder: Path, clang: str | None, as_json: bool
) -> None:
    """Write KERNEL as a folder that needs no hkasm.

    A code object for each architecture, a C header with the argument structure,
    a C example that launches it with hipModuleLaunchKernel, a Python loader that
    uses the standard library alone, and a manifest.

    \b
    hkasm bundle gemm --arch gfx942 --arch gfx950 -o gemm_kernel
    """
    from hkasm.kernels import get_kernel
    from hkasm.runtime.bundle import Example, bundle_files

    settings = Settings.from_environment()
    chosen, values = get_kernel(kernel), parse_parameters(pairs)
    built = {}
    for arch in archs or chosen.archs:
        name = chosen_arch(arch, settings)
        program = chosen.build(name, **values)
        text, origins = program.text_with_origins()
        built[name] = (program, assemble(text, origins, name, chosen_clang(clang, settings), settings)[0])
    problem = chosen.problem_on(name, values)
    launch = problem.launch()
    arrays = problem.inputs() | problem.outputs()
    sizes = {label: array.nbytes for label, array in arrays.items()}
    files = bundle_files(built, chosen.grid_rule_of(program), Example(launch.grid, launch.args, sizes, problem.label))
    paths = write_files(folder, files)
    if as_json:
        print_json({"kernel": kernel, "archs": list(built), "files": [str(path) for path in paths]})
        return
    after = problem.follow_up()
    words = " ".join(f"-p {name}={value}" for name, value in after.values.items()) if after is not None else ""
    print_facts(
        {
            "kernel": f"{kernel} for {', '.join(built)}",
            "wrote": ", ".join(str(path) for path in paths),
            "then": f"{after.kernel} finishes what it leaves: hkasm bundle {after.kernel} {words}" if after else "",
        }
    )

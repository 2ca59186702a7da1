"""`hkasm report`: one HTML page about a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.output import write_files
from hkasm.cli.script import names_a_script
from hkasm.cli.show_schedule import played_cycles
from hkasm.cli.subject import Choices, load_object, load_program, names_a_file, subject_options
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.asm.program import Program


@click.command("report", short_help="Write an HTML page about a program.")
@click.argument("subject", metavar="X")
@click.option(
    "-o", "--out", "path", metavar="FILE", required=True, type=click.Path(path_type=Path), help="Write the page there."
)
@click.option(
    "--trace",
    "trace",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Run the first workgroup of a kernel of the library on the emulator, and write its trace for Perfetto.",
)
@subject_options
def command(subject: str, path: Path, trace: Path | None, choices: Choices) -> None:
    """Write one page about X, a kernel's name, a .hsaco or a .s file: resources,
    loops as timelines of wave groups and units, registers over the program, LDS,
    findings of the static checks, and the code.

    The loop of a kernel of the library is drawn with the clocks and stalls of the
    cycle model, if its problem has turns enough (-p k=4096); other loops with
    issue slots. The page needs no network and no other file; it is for screens, light or
    dark, and for printers.

    \b
    hkasm report gemm --arch gfx950 -o gemm.html --trace gemm.json
    """
    from hkasm.analysis.check import check_program
    from hkasm.asm.directives import kernel_descriptor
    from hkasm.inspect.load import choose_kernel, program_of
    from hkasm.inspect.report import report_page

    if names_a_file(subject) and not choices.pairs:
        image = choose_kernel(load_object(subject, arch=choices.arch, clang=choices.clang), choices.kernel)
        program, descriptor = program_of(image), image.descriptor
        level = "llvm" if image.hkasm is not None else "cycles"
    else:
        program = load_program(subject, choices)
        descriptor, level = kernel_descriptor(program), "llvm"
    files = {}
    if trace is not None:
        if names_a_file(subject):
            raise UsageError("--trace launches kernels of the library", where=subject)
        files[trace] = json.dumps(_trace(subject, program, choices)).encode()
    cycles = None if names_a_file(subject) or names_a_script(subject) else played_cycles(subject, program, choices)
    page = report_page(program, check_program(program, descriptor, level), cycles=cycles)
    files[path] = page.encode()
    for target, content in files.items():
        write_files(target.parent, {target.name: content})
    click.echo(f"wrote {', '.join(map(str, reversed(files)))}")


def _trace(name: str, program: Program, choices: Choices) -> dict[str, object]:
    from hkasm.cli.launch import trace_problem
    from hkasm.inspect.trace import chrome_trace
    from hkasm.kernels import get_kernel

    problem = get_kernel(name).problem_on(program.arch.name, choices.parameters)
    return chrome_trace(program, trace_problem(program, problem, choices.clang).waves)

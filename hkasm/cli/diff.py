"""`hkasm diff`: two or more programs' hot loops and resources side by side."""

from __future__ import annotations

from pathlib import Path

import click

from hkasm.cli.options import arch_option, clang_option, json_option, parameter_option, width_option
from hkasm.cli.output import print_json, print_table
from hkasm.cli.subject import load_program, names_a_file, split_subject
from hkasm.errors import UsageError


@click.command("diff", short_help="Compare the hot loops of programs.")
@click.argument("subjects", metavar="A B...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Rows that are alike too.")
@click.option("--kernel", "kernel", metavar="NAME", help="The kernel, where a file holds several.")
@arch_option
@parameter_option
@clang_option
@width_option
@json_option
def command(
    subjects: tuple[str, ...],
    everything: bool,
    kernel: str | None,
    arch: str | None,
    pairs: tuple[str, ...],
    clang: str | None,
    as_json: bool,
) -> None:
    """Print the hot loops of A, B ... side by side: instructions by class, per
    MFMA, registers, LDS, occupancy.

    A and B are kernels' names, .hsaco or .s files, hkasm's or anybody's. The hot
    loop is the innermost one with the most matrix instructions. A kernel's own
    parameters stand behind a colon; -p is for all kernels of the library.

    \b
    hkasm diff gemm triton.hsaco --arch gfx950
    hkasm diff gemm gemm:acc=vgpr --arch gfx950
    """
    from hkasm.inspect.code import compare_programs

    if len(subjects) < 2:
        raise UsageError(f"diff compares two or more programs, got {len(subjects)}", hint="hkasm diff gemm other.hsaco")
    programs = []
    for subject in subjects:
        name, own = split_subject(subject)
        given = (*pairs, *own) if not names_a_file(name) else own
        programs.append(load_program(name, arch=arch, pairs=given, clang=clang, kernel=kernel))
    rows = compare_programs(programs)
    if as_json:
        print_json({"programs": list(subjects), "rows": {row.name.strip(): list(row.values) for row in rows}})
        return
    shown = [row for row in rows if everything or row.differs]
    if not shown:
        click.echo("alike in everything that is counted")
        return
    titles = (Path(subject).name if names_a_file(subject) else subject for subject in subjects)
    print_table(("", *(f">{title}" for title in titles)), [(row.name, *row.values) for row in shown])

"""`hkasm diff`: two or more programs' hot loops and resources side by side, or what a chip would make of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from hkasm.cli.options import parse_parameters, table_options
from hkasm.cli.output import print_json, print_table
from hkasm.cli.progress import Progress
from hkasm.cli.script import names_a_script
from hkasm.cli.subject import Choices, load_program, names_a_file, split_subject, subject_options
from hkasm.errors import UsageError
from hkasm.settings import Settings


@click.command("diff", short_help="Compare the hot loops of programs.")
@click.argument("subjects", metavar="A B...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Rows that are alike too.")
@click.option("--predict", "predict", is_flag=True, help="Predictions side by side; kernels of the library.")
@click.option(
    "--chip",
    "chips",
    metavar="NAME",
    multiple=True,
    help="The chip of --predict; given once for all, or once for each.",
)
@subject_options
@table_options
def command(
    subjects: tuple[str, ...],
    everything: bool,
    predict: bool,
    chips: tuple[str, ...],
    choices: Choices,
    as_json: bool,
) -> None:
    """Print the hot loops of A, B ... side by side: instructions by class, per
    MFMA, registers, LDS, occupancy.

    A and B are kernels' names, .hsaco or .s files, hkasm's or anybody's. The hot
    loop is the innermost one with the most matrix instructions. A kernel's own
    parameters stand behind a colon, as does which kernel of a file is meant; -p
    is for all kernels of the library, --kernel for all files.
    With --predict the figures of 'hkasm predict' stand there: speed, clocks, and
    the clocks that waves are stalled, by reason.

    \b
    hkasm diff gemm triton.hsaco --arch gfx950
    hkasm diff gemm gemm:acc=vgpr --arch gfx950
    hkasm diff old.hsaco:kernel=first new.hsaco:kernel=second
    hkasm diff gemm gemm:schedule=interleave --predict --chip mi355x -p m=8192
    """
    from hkasm.inspect.code import compare_programs

    if len(subjects) < 2:
        raise UsageError(f"diff compares two or more programs, got {len(subjects)}", hint="hkasm diff gemm other.hsaco")
    if predict:
        _predict(subjects, chips, choices, as_json)
        return
    if chips:
        raise UsageError("--chip is for --predict")
    programs = []
    for subject in subjects:
        name, own = split_subject(subject)
        if names_a_file(name):
            named = parse_parameters(own).get("kernel", choices.kernel)
            programs.append(load_program(name, replace(choices, pairs=(), kernel=named)))
        else:
            programs.append(load_program(name, replace(choices, pairs=(*choices.pairs, *own), kernel=None)))
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


def _predict(subjects: tuple[str, ...], chips: tuple[str, ...], choices: Choices, as_json: bool) -> None:
    """Print what predictions of kernels say, side by side."""
    from hkasm.cli.predict import chosen_chip
    from hkasm.isa.arch import get_arch
    from hkasm.ops.predict import compare_predictions, predict_kernel

    if len(chips) not in (0, 1, len(subjects)):
        raise UsageError(
            f"{len(chips)} chips for {len(subjects)} kernels", hint="--chip once for all, or once for each"
        )
    named = chips * len(subjects) if len(chips) == 1 else chips or (None,) * len(subjects)
    target = get_arch(choices.arch or Settings.from_environment().arch or "gfx950").name
    kernels = []
    for subject, chip in zip(subjects, named, strict=True):
        name, own = split_subject(subject)
        if names_a_file(name) or names_a_script(name):
            raise UsageError("--predict is for kernels of the library", where=name, hint="hkasm predict takes a launch")
        values = parse_parameters((*choices.pairs, *own))
        on = chosen_chip(chip, values, target)
        if choices.arch and on.arch != target:
            raise UsageError(f"{on.name} is {on.arch}, not {target}", where=subject, hint="leave --arch out")
        kernels.append((name, on, values))
    found = []
    with Progress(f"predicting {subjects[0]}") as progress:
        for (name, on, values), subject in zip(kernels, subjects, strict=True):
            progress.step(f"predicting {subject}")
            found.append(predict_kernel(name, on, **values))
    rows = compare_predictions(found)
    if as_json:
        print_json({"programs": list(subjects), "chips": [one.chip.name for one in found], "rows": rows})
        return
    head = ("chip", *(one.chip.name for one in found))
    print_table(
        ("", *(f">{subject}" for subject in subjects)),
        [head, *((name, *map(_figure, values)) for name, values in rows.items())],
    )


def _figure(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"

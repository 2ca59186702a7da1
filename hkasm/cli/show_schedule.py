"""`hkasm show schedule`: what the loops of a program do when, or a schedule's phases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.options import table_options
from hkasm.cli.output import print_facts, print_json, print_line, print_table, terminal_width, write_files
from hkasm.cli.progress import Progress
from hkasm.cli.script import names_a_script
from hkasm.cli.subject import MAX_SOURCE_BYTES, Choices, load_program, names_a_file, read_bytes, subject_options
from hkasm.errors import HkasmError, UsageError

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.inspect.schedule import Loop
    from hkasm.inspect.timeline import Bar, Slack, Timeline
    from hkasm.model.cycles import Cycles
    from hkasm.schedules import Schedule

_LANES_WIDTH = (40, 160)
"""Fewest and most characters that a loop's turn is drawn on."""
_SHOWN_STALLS = 10


@click.command("schedule", short_help="What each section of the loops does, or a schedule's phases.")
@click.argument("subject", metavar="X")
@click.option("--diff", "other", metavar="SCHEDULE", help="What differs between the schedule X and another.")
@click.option("--all", "everything", is_flag=True, help="What stands before, between and behind the loops too.")
@click.option("--cycles", "with_cycles", is_flag=True, help="Clocks and stalls of the cycle model.")
@click.option("-o", "--out", "path", metavar="FILE", type=click.Path(path_type=Path), help="Draw the hot loop as SVG.")
@subject_options
@table_options
def command(
    subject: str,
    other: str | None,
    everything: bool,
    with_cycles: bool,
    path: Path | None,
    choices: Choices,
    as_json: bool,
) -> None:
    """Print the innermost loops of X, one line for each section between barriers.

    A line counts instructions by unit and names steps, waits, priorities and what
    barriers are for in their order. Steps have names in hkasm's own objects only.
    A turn of the hot loop is drawn over time, a lane a unit, wave group under wave
    group, with its loads, the waits that prove them done, and their slack. Time is
    issue slots of 4 cycles; with --cycles, for a kernel of the library with turns
    enough (-p k=4096), the clocks and stalls of the cycle model.
    If X is a schedule's name, or a .json file that --json wrote for one, its
    phases are printed: what they compute, read, commit and fetch, and for which K
    step.

    \b
    hkasm show schedule gemm --arch gfx950
    hkasm show schedule gemm --arch gfx950 -p k=4096 --cycles -o loop.svg
    hkasm show schedule interleave:depth=3 --diff interleave
    """
    from hkasm.schedules import list_schedules

    if other is not None or subject.endswith(".json") or subject.partition(":")[0] in list_schedules():
        if everything or with_cycles or path is not None:
            raise UsageError("--all, --cycles and -o are for programs, not for schedules", where=subject)
        _print_schedule(subject, other, as_json)
        return
    from hkasm.analysis.flow import flow_of
    from hkasm.inspect.schedule import loops_of, parts_of
    from hkasm.inspect.statistics import hot_loop
    from hkasm.inspect.timeline import loads_of, shown_timeline, slack_of

    if with_cycles and (names_a_file(subject) or names_a_script(subject)):
        raise UsageError("--cycles plays kernels of the library", where=subject, hint="hkasm predict takes a launch")
    program = load_program(subject, choices)
    program.layout()
    span = hot_loop(program)
    if span is None and (with_cycles or path is not None):
        raise UsageError(f"{program.name} has no loop", hint="leave out --cycles and -o")
    cycles = played_cycles(subject, program, choices) if with_cycles else None
    parts = parts_of(program) if everything else loops_of(program)
    shown = shown_timeline(program, span, flow_of(program), cycles) if span else None
    slack = slack_of(program, loads_of(program, span)) if span else []
    if with_cycles and shown is not None and not shown.waves:
        raise UsageError(
            f"the cycle model played no steady turn of {program.name}'s hot loop",
            hint="a problem with more turns, such as -p k=4096, or leave out --cycles",
        )
    if path is not None and span is not None:
        from hkasm.inspect.report import loop_svg

        write_files(path.parent, {path.name: loop_svg(program, span, cycles).encode()})
    if as_json:
        print_json(_as_dict(program, parts, shown, slack))
        return
    count = len(program.instructions)
    click.echo(f"{program.name} for {program.arch.name}, {count} instructions" + ("" if span else ", no loop"))
    for part in parts:
        _print_part(part)
    if shown is not None:
        _print_lanes(program, shown)
        _print_slack(program, slack)
    if path is not None:
        click.echo(f"\nwrote {path}")


def played_cycles(name: str, program: Program, choices: Choices) -> Cycles | None:
    """Return what the cycle model says of a kernel of the library; None where it cannot play it."""
    from hkasm.model.chips import DEFAULT_CHIP, get_chip
    from hkasm.ops.predict import predict_kernel

    with Progress(f"playing {name} on the cycle model"):
        try:
            return predict_kernel(name, get_chip(DEFAULT_CHIP[program.arch.name]), **choices.parameters).cycles
        except HkasmError:
            return None


def _print_part(part: Loop) -> None:
    from hkasm.inspect.schedule import COLUMNS

    counts = part.counts
    total = ", ".join(f"{counts[unit]} {unit}" for unit in COLUMNS if unit in counts)
    click.echo("")
    print_line(f"{part.title}: instructions {part.first} to {part.last - 1}" + (f", {total}" if total else ""))
    rows = [
        (section.first, *(section.counts.get(unit, "") for unit in COLUMNS), "; ".join(section.acts))
        for section in part.sections
    ]
    print_table((">from", *(f">{unit}" for unit in COLUMNS), "what"), rows)


def _print_lanes(program: Program, shown: Timeline) -> None:
    from hkasm.inspect.lanes import lane_rows, scale_row

    taken = len("  barrier  ")
    width = min(max(terminal_width() - taken, _LANES_WIDTH[0]), _LANES_WIDTH[1])
    first, last = shown.span
    clock = "clk by the cycle model" if shown.waves else "cycles by issue slots, matrix pipe and barriers"
    click.echo(f"\na turn of the hot loop, instructions {first} to {last - 1}")
    click.echo(f"{shown.cycles} {clock}; matrix pipe held {100 * shown.matrix_share():.0f} %")
    for name, row in lane_rows(shown, width):
        click.echo(f"{name:<{taken}}{row}".rstrip())
    click.echo(f"{'cycles':<{taken}}{scale_row(shown, width)}")
    click.echo("█ held at least half of the time, ▒ less, · not")
    stalls = _stalls(program, shown)
    if stalls:
        click.echo("")
        print_table(("stalled", ">at", "clk of a turn, and why", "line", "instruction"), stalls[:_SHOWN_STALLS])
        if len(stalls) > _SHOWN_STALLS:
            click.echo(f"{len(stalls) - _SHOWN_STALLS} more, see --json")


def _stalls(program: Program, shown: Timeline) -> list[tuple[str, int, str, str, str]]:
    """Return the instructions at which waves stall, most clocks first."""
    held = sorted((bar for bar in shown.bars if bar.stall), key=lambda bar: (-_clk(bar), bar.group, bar.index))
    return [
        (
            f"wave {shown.waves[bar.group]}",
            bar.index,
            bar.stall,
            str(program.instructions[bar.index].origin or "").rpartition("/")[2],
            str(program.instructions[bar.index]),
        )
        for bar in held
    ]


def _clk(bar: Bar) -> int:
    return sum(int(one.rpartition(" ")[2]) for one in bar.stall.split(", "))


def _print_slack(program: Program, slack: list[Slack]) -> None:
    if not slack:
        return
    click.echo("\nloads, the waits that prove them done, and the slack: instructions in between,")
    click.echo("and how long those hold the matrix pipe")
    rows = [
        (
            one.mnemonic,
            one.loads,
            one.waited,
            *(("", "") if one.wait is None else (one.instructions, one.matrix_cycles)),
        )
        for one in slack
    ]
    print_table(("load", "at", "waited for by", ">between", ">MFMA clk"), rows)


def _as_dict(program: Program, parts: list[Loop], shown: Timeline | None, slack: list[Slack]) -> dict[str, object]:
    return {
        "kernel": program.name,
        "arch": program.arch.name,
        "loops": [part.as_dict() for part in parts],
        "turn": None if shown is None else shown.as_dict(),
        "loads": [one.as_dict() for one in slack],
    }


def _print_schedule(label: str, other: str | None, as_json: bool) -> None:
    """Print a schedule's phases, or what another one does differently."""
    from hkasm.inspect.schedule import phase_rows
    from hkasm.schedules import diff_schedules

    found = _schedule(label)
    if other is not None:
        lines = diff_schedules(_schedule(other), found)
        if as_json:
            print_json({"schedule": found.label, "diff": other, "lines": lines})
        else:
            click.echo("\n".join(lines) or f"{found.label} and {other} do the same")
        return
    if as_json:
        print_json(found.as_dict())
        return
    facts = {
        "schedule": found.label,
        "parameters": ", ".join(f"{name} {value}" for name, value in found.parameters.items()) or "none",
        "LDS buffers": found.depth,
        "groups": f"2, {found.apart} sections apart" if found.groups > 1 else "1",
        "order": "interleaved" if found.woven else "sections",
    }
    if found.producers:
        facts["producers"] = ", ".join(sorted(found.producers))
    print_facts(facts)
    click.echo("")
    rows = [(number, *row) for number, row in enumerate(phase_rows(found))]
    columns = [">phase", "compute", "read", "commit", "fetch", "wait"]
    shown = columns if any(phase.wait for phase in found.phases()) else columns[:-1]
    print_table(shown, [row[: len(shown)] for row in rows])


def _schedule(label: str) -> Schedule:
    """Return the schedule of a label, or of a file that holds one. Raises UsageError or ScheduleError for neither."""
    from hkasm.schedules import RecordedSchedule, get_schedule

    if not label.endswith(".json"):
        return get_schedule(label)
    try:
        data = json.loads(read_bytes(label, MAX_SOURCE_BYTES))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"no JSON: {error}", where=label, hint="hkasm show schedule NAME --json writes one") from None
    return RecordedSchedule(data, where=label)

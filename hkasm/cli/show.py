"""`hkasm show`: pictures of a program that people would rather look at than read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hkasm.cli.app import Group
from hkasm.cli.options import table_options
from hkasm.cli.output import print_facts, print_json, print_table, terminal_width
from hkasm.cli.show_grid import command as grid_command
from hkasm.cli.show_lds import command as lds_command
from hkasm.cli.subject import Choices, load_program, subject_options
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.asm.program import OwnerRange, Program
    from hkasm.inspect.registers import RegisterMap
    from hkasm.inspect.resources import Resources

_STRIP_WIDTH = (8, 48)
"""Fewest and most characters that a register's use is drawn on."""

_SHOWN_IDLE = 4
"""Holdings behind their last use that are told of a register file."""


@click.group("show", cls=Group, invoke_without_command=True, short_help="Show a program's registers, schedule or grid.")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show one side of a program: X is a kernel's name, a .hsaco or a .s file."""
    if ctx.invoked_subcommand is None:
        raise UsageError("show wants to know what", hint=f"one of {', '.join(command.list_commands(ctx))}")


command.add_command(grid_command)
command.add_command(lds_command)


@command.command("registers", short_help="Who owns which registers, from when to when.")
@click.argument("subject", metavar="X")
@click.option("--at", "at", metavar="INDEX", type=click.IntRange(min=0), help="Only what is held at instruction INDEX.")
@subject_options
@table_options
def registers(
    subject: str,
    at: int | None,
    choices: Choices,
    as_json: bool,
) -> None:
    """Print who owns which VGPRs, AGPRs and SGPRs of X, and when.

    Ranges count instructions from the kernel's first. In objects that are not
    hkasm's a range runs from a register's first use to its last. Registers are
    live while their value is still read; owners that hold registers long after
    that are told with the line that allocated them.

    \b
    hkasm show registers gemm --arch gfx950
    hkasm show registers gemm.hsaco --at 120
    """
    from hkasm.inspect.registers import register_map
    from hkasm.inspect.resources import resources_of

    program = load_program(subject, choices)
    found, resources = register_map(program), resources_of(program)
    if at is not None and at >= found.count:
        raise UsageError(f"--at {at}: {program.name} has {found.count} instructions", hint=f"0 to {found.count - 1}")
    if at is not None:
        found = found.at(at)
    if as_json:
        head = {"kernel": program.name, "arch": program.arch.name}
        print_json({**head, **found.as_dict(), "resources": resources.as_dict()})
        return
    print_facts({"kernel": _title(program), **resources.facts(), "one more": resources.one_more})
    _print_map(program, found, resources)


def _title(program: Program) -> str:
    return f"{program.name} for {program.arch.name}, {len(program.instructions)} instructions"


def _print_map(program: Program, found: RegisterMap, resources: Resources) -> None:
    from hkasm.inspect.registers import activity

    available = {"v": resources.arch.max_vgpr, "a": resources.arch.max_agpr, "s": resources.arch.max_sgpr}
    for file in found.files:
        if not file.holdings:
            continue
        click.echo(f"\n{file.name}: {file.used} of {available[file.letter]} used")
        for count, what, at, where in (
            (file.peak, "held", file.peak_at, file.peak_where),
            (file.live, "live", file.live_at, file.live_where),
        ):
            line = f" ({where.rpartition('/')[2]})" if where else ""
            click.echo(f"  at most {count} {what} at once, first at instruction {at}{line}")
        for one in file.idle[:_SHOWN_IDLE]:
            held, peak = one.held, "; idle where most are held" if one.at_peak else ""
            click.echo(
                f"  idle: {held.name} {held.register.text} from instruction {one.since} on, held to {held.last - 1}"
            )
            click.echo(f"    allocated at {held.where}{peak}")
        if len(file.idle) > _SHOWN_IDLE:
            click.echo(f"  idle: {len(file.idle) - _SHOWN_IDLE} more, see --json")
        names = (
            ("registers", "owner", ">first", ">last", "allocated at")
            if found.named
            else ("registers", ">first", ">last")
        )
        rows = [_row(held, found.named) for held in file.holdings]
        taken = sum(max(len(str(row[i])) for row in [names, *rows]) + 2 for i in range(len(names)))
        width = min(max(terminal_width() - taken, _STRIP_WIDTH[0]), _STRIP_WIDTH[1])
        strips = activity(program, file.holdings, width)
        print_table((*names, "use"), [(*row, strip) for row, strip in zip(rows, strips, strict=True)])
    click.echo("\nuse: from the first instruction to the last; █ used, ░ held, · neither")


def _row(held: OwnerRange, named: bool) -> tuple[object, ...]:
    where = held.where.rpartition("/")[2]
    last = max(held.last - 1, held.first)
    return (held.register.text, held.name, held.first, last, where) if named else (held.register.text, held.first, last)


@command.command("schedule", short_help="What each section of the loops does, or a schedule's phases.")
@click.argument("subject", metavar="X")
@click.option("--diff", "other", metavar="SCHEDULE", help="What differs between the schedule X and another.")
@subject_options
@table_options
def schedule(
    subject: str,
    other: str | None,
    choices: Choices,
    as_json: bool,
) -> None:
    """Print the innermost loops of X, one line for each section between barriers.

    A line counts instructions by unit and names steps, waits, priorities and what
    barriers are for in their order. Steps have names in hkasm's own objects only.
    If X is a schedule's name its phases are printed: what they compute, read,
    commit and fetch, and for which K step.

    \b
    hkasm show schedule gemm --arch gfx950
    hkasm show schedule interleave:depth=3 --diff interleave
    """
    from hkasm.inspect.schedule import COLUMNS, loops_of
    from hkasm.schedules import list_schedules

    if other is not None or subject.partition(":")[0] in list_schedules():
        _print_schedule(subject, other, as_json)
        return
    program = load_program(subject, choices)
    loops = loops_of(program)
    if as_json:
        print_json({"kernel": program.name, "arch": program.arch.name, "loops": [loop.as_dict() for loop in loops]})
        return
    click.echo(_title(program) + ("" if loops else ", no loop"))
    for loop in loops:
        counts = loop.counts
        total = ", ".join(f"{counts[unit]} {unit}" for unit in COLUMNS if unit in counts)
        name = f"loop {loop.name}" if loop.name else "loop"
        click.echo(f"\n{name}: instructions {loop.first} to {loop.last - 1}, {total}")
        rows = [
            (section.first, *(section.counts.get(unit, "") for unit in COLUMNS), "; ".join(section.acts))
            for section in loop.sections
        ]
        print_table((">from", *(f">{unit}" for unit in COLUMNS), "what"), rows)


def _print_schedule(label: str, other: str | None, as_json: bool) -> None:
    """Print a schedule's phases, or what another one does differently."""
    from hkasm.inspect.schedule import phase_rows
    from hkasm.schedules import diff_schedules, get_schedule

    found = get_schedule(label)
    if other is not None:
        lines = diff_schedules(get_schedule(other), found)
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
    print_table((">phase", "compute", "read", "commit", "fetch"), rows)


@command.command("code", short_help="Assembly beside the Python lines that wrote it.")
@click.argument("subject", metavar="X")
@click.option("--hot", is_flag=True, help="Only the hottest loop.")
@click.option("--counts", "only_counts", is_flag=True, help="Only the blocks and what they are made of.")
@subject_options
@table_options
def code(
    subject: str,
    hot: bool,
    only_counts: bool,
    choices: Choices,
    as_json: bool,
) -> None:
    """Print the assembly of X beside the Python lines that wrote it.

    Each basic block has a heading with its counts by class, the blocks that
    follow it, and a word if no path leads to it. Steps have names in hkasm's own
    objects only.

    \b
    hkasm show code gemm --arch gfx950 --hot
    """
    from hkasm.inspect.code import code_blocks
    from hkasm.inspect.statistics import hot_loop

    program = load_program(subject, choices)
    span = hot_loop(program) if hot else None
    if hot and span is None:
        raise UsageError(f"{program.name} has no loop", hint="leave out --hot")
    blocks = code_blocks(program, span)
    if as_json:
        print_json({"kernel": program.name, "arch": program.arch.name, "blocks": [one.as_dict() for one in blocks]})
        return
    click.echo(_title(program) + (f", hot loop {span[0]} to {span[1] - 1}" if span else ""))
    for block in blocks:
        counted = block.statistics
        made_of = ", ".join(f"{count} {name}" for name, count in counted.counts.items())
        per_mfma = f", {counted.per_mfma:.2f} per MFMA" if counted.per_mfma else ""
        follows = ", ".join(map(str, block.successors)) or "the end"
        reached = "" if block.reached else ", no path leads here"
        click.echo(f"\nblock {block.number}: {counted.instructions} instructions{per_mfma}, then {follows}{reached}")
        click.echo(f"  {made_of}")
        if only_counts:
            continue
        width = max(len(line.text) for line in block.lines)
        before = ""
        for line in block.lines:
            where = line.where if line.where != before else ""
            beside = f"  {where:<36}  {line.step}".rstrip() if where or line.step else ""
            click.echo(f"{line.index:>6}  {line.text:<{width}}{beside}".rstrip())
            before = line.where

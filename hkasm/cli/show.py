"""`hkasm show`: pictures of a program that people would rather look at than read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hkasm.cli.app import Group
from hkasm.cli.options import table_options
from hkasm.cli.output import folds, print_facts, print_json, print_line, print_table, terminal_width
from hkasm.cli.show_args import command as args_command
from hkasm.cli.show_grid import command as grid_command
from hkasm.cli.show_lds import command as lds_command
from hkasm.cli.show_schedule import command as schedule_command
from hkasm.cli.subject import Choices, load_program, subject_options
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.asm.program import OwnerRange, Program
    from hkasm.inspect.code import CodeLine
    from hkasm.inspect.registers import RegisterMap
    from hkasm.inspect.resources import Resources

_STRIP_WIDTH = (8, 48)
"""Fewest and most characters that a register's use is drawn on."""

_INDEX_WIDTH = 8
"""Columns in front of an instruction's text."""
_SHOWN_IDLE = 4
"""Holdings behind their last use that are told of a register file."""


@click.group("show", cls=Group, invoke_without_command=True, short_help="Show a program's registers, schedule or grid.")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show one side of a program: X is a kernel's name, a .hsaco or a .s file."""
    if ctx.invoked_subcommand is None:
        raise UsageError("show wants to know what", hint=f"one of {', '.join(command.list_commands(ctx))}")


command.add_command(args_command)
command.add_command(grid_command)
command.add_command(lds_command)
command.add_command(schedule_command)


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
        click.echo("")
        print_line(f"block {block.number}: {counted.instructions} instructions{per_mfma}, then {follows}{reached}")
        print_line(f"  {made_of}")
        if only_counts:
            continue
        _print_lines(block.lines)


def _print_lines(lines: Sequence[CodeLine]) -> None:
    """Print instructions with the place that wrote them, and their step, beside them where either changes.

    Where lines are folded a place is its file's name, and stands on a line of its own if there is no room beside.
    """
    narrow = folds()
    before = ""
    rows: list[tuple[CodeLine, str]] = []
    for line in lines:
        where = "" if line.where == before else line.where
        if narrow:
            rows.append((line, f"{where.rpartition('/')[2]}  {line.step}".strip()))
        else:
            rows.append((line, f"{where:<36}  {line.step}".rstrip()))
        before = line.where
    width = max(len(line.text) for line, _ in rows)
    if narrow:
        width = min(width, terminal_width() - _INDEX_WIDTH - 2 - max(len(beside) for _, beside in rows))
    for line, beside in rows:
        row = f"{line.index:>6}  {line.text}"
        if beside.strip() and len(line.text) > width:
            click.echo(row)
            row = ""
        click.echo(f"{row:<{_INDEX_WIDTH + width}}  {beside}".rstrip())

"""`hkasm show lds`: what lives in which bytes of LDS and when, and what each access costs at the banks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import click

from hkasm.cli.file_launch import LaunchWords, launch_options, prepare_launch
from hkasm.cli.options import table_options
from hkasm.cli.output import print_facts, print_json, print_table, terminal_width
from hkasm.cli.script import names_a_script
from hkasm.cli.subject import Choices, load_object, load_program, names_a_file, subject_options

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.emulator.checks.wave_trace import WaveTrace
    from hkasm.inspect.lds import BankUse, LdsView, Touch

_STRIP_WIDTH = (16, 64)
"""Fewest and most characters that a region's course is drawn on."""
_SHOWN_RANGES = 3


@click.command("lds", short_help="What is in LDS when, and bank conflicts.")
@click.argument("subject", metavar="X")
@launch_options
@subject_options
@table_options
def command(subject: str, launch: LaunchWords, choices: Choices, as_json: bool) -> None:
    """Print which steps write and read which bytes of X's LDS, in the code and
    over time, and what its LDS instructions lose to bank conflicts.

    Of a kernel of the library the first workgroup is run on the emulator, a file if
    it is given a launch, as for 'hkasm emulate'; it is told what the first
    workgroup touched. Without a run there is the map, with the instructions that
    name a region. Bank cycles are of the addresses of the run, by a table whose
    rows are measured or assumed.

    \b
    hkasm show lds gemm --arch gfx950
    hkasm show lds triton.hsaco --grid 2,2 --lds 32768 --arg ...
    """
    from hkasm.inspect.lds import lds_view

    program, trace = _subject(subject, choices, launch)
    found = lds_view(program, None if trace is None else trace.waves, program.lds_bytes + launch.lds)
    if as_json:
        print_json({"kernel": program.name, "arch": program.arch.name, "run": trace is not None, **found.as_dict()})
        return
    _print(program, found)


def _subject(subject: str, choices: Choices, launch: LaunchWords) -> tuple[Program, WaveTrace | None]:
    """Return the program and what its first workgroup did; None where nothing is launched."""
    if not names_a_file(subject):
        launch.refuse(subject)
    if launch:
        from hkasm.emulator.checks.wave_trace import WaveTrace
        from hkasm.emulator.options import Options
        from hkasm.emulator.report import RunReport
        from hkasm.inspect.load import choose_kernel, program_of

        code = load_object(subject, arch=choices.arch, clang=choices.clang, lines=True)
        image = choose_kernel(code, choices.kernel)
        trace, options = WaveTrace(), Options(checks=(), arithmetic="fast")
        prepare_launch(code, image, launch).run(options, RunReport(), listeners=[trace])
        return program_of(image), trace
    program = load_program(subject, choices)
    if names_a_file(subject) or names_a_script(subject):
        return program, None
    from hkasm.cli.launch import trace_problem
    from hkasm.kernels import get_kernel

    problem = get_kernel(subject).problem_on(program.arch.name, choices.parameters)
    return program, trace_problem(program, problem, choices.clang)


def _print(program: Program, found: LdsView) -> None:
    print_facts(
        {
            "kernel": f"{program.name} for {program.arch.name}",
            "LDS": f"{found.total} of {program.arch.lds_bytes} bytes",
            "run": f"{found.steps} steps of the first workgroup's waves" if found.steps else "none",
        }
    )
    if not found.regions:
        return
    click.echo("")
    heads = [(one.region.name, one.region.offset, one.region.bytes) for one in found.regions]
    if found.steps:
        taken = sum(max(len(str(row[i])) for row in [("region", ">first", ">bytes"), *heads]) + 2 for i in range(3))
        width = min(max(terminal_width() - taken, _STRIP_WIDTH[0]), _STRIP_WIDTH[1])
        rows = [(*head, one.strip(found.steps, width)) for head, one in zip(heads, found.regions, strict=True)]
        print_table(("region", ">first", ">bytes", "over the run"), rows)
        click.echo("\nW written, R read, X both; ░ what was written waits to be read, · neither")
    else:
        print_table(("region", ">first", ">bytes"), heads)
    touches = [(one.region.name, touch) for one in found.regions for touch in one.touches]
    if touches:
        click.echo("")
        print_table(
            ("region", "act", "step", ">times", "instructions"),
            [(name, touch.act, touch.step, touch.runs or "", _ranges(touch)) for name, touch in touches],
        )
    if found.banks:
        _print_banks(found.banks)


def _ranges(touch: Touch) -> str:
    shown = [f"{first}-{last}" if first != last else str(first) for first, last in touch.ranges[:_SHOWN_RANGES]]
    more = len(touch.ranges) - len(shown)
    return ", ".join(shown) + (f", {more} more" if more else "")


def _print_banks(banks: tuple[BankUse, ...]) -> None:
    """Print a row for the instructions of one Python line that cost the same; most lost first."""
    groups: dict[tuple[str, str, float, int, str], list[BankUse]] = defaultdict(list)
    for one in banks:
        mnemonic = one.instruction.partition(" ")[0]
        groups[mnemonic, one.where, one.clk / one.runs, one.degree, one.mark].append(one)
    rows = []
    for (mnemonic, where, clk, degree, mark), some in groups.items():
        first = f"{some[0].index}" + (f" and {len(some) - 1} more" if len(some) > 1 else "")
        runs, lost = sum(one.runs for one in some), sum(one.lost for one in some)
        free = some[0].free / some[0].runs
        rows.append((lost, (mnemonic, first, where.rpartition("/")[2], runs, f"{clk:g}", f"{free:g}", degree, mark)))
    rows.sort(key=lambda row: -row[0])
    lost = sum(row[0] for row in rows)
    click.echo(f"\nbanks: {lost} of {sum(one.clk for one in banks)} clk lost to conflicts")
    print_table(("access", "at", "line", ">times", ">clk", ">free", ">degree", "known"), [row for _, row in rows])
    sources = dict.fromkeys(f"{one.mark}: {one.source}" for one in banks)
    click.echo("\n" + "\n".join(sources))

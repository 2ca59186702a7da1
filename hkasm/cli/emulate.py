"""`hkasm emulate`: run a recorded launch again, on the emulator."""

from __future__ import annotations

from pathlib import Path

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.options import json_option
from hkasm.cli.output import print_facts, print_json
from hkasm.cli.progress import Progress


@click.command("emulate", short_help="Run a recorded launch on the emulator.")
@click.option(
    "--replay",
    "folder",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="A launch kept by launch(..., record=DIR).",
)
@json_option
@click.pass_context
def command(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Run a launch that launch(..., record=DIR) kept, and compare its memory.

    Exit code 1: the emulator found a fault in the kernel, or the memory is not,
    bit by bit, what the recorded launch left.
    """
    from hkasm.errors import EmulatorError, HazardError, HkasmError, RaceError, WaitError
    from hkasm.runtime.record import replay

    fault: HkasmError | None = None
    done = None
    with Progress(f"running {folder} on the emulator"):
        try:
            done = replay(folder)
        except (WaitError, RaceError, HazardError, EmulatorError) as error:
            fault = error
    passed = done is not None and all(one.equal for one in done.differences)
    if as_json:
        print_json(
            {
                "passed": passed,
                "fault": None if fault is None else str(fault),
                "kernel": done.kernel if done else None,
                "arch": done.arch if done else None,
                "recorded_on": done.device if done else None,
                "ended": done.ended if done else None,
                "memory": [
                    {"name": one.name, "elements": one.count, "wrong": one.wrong, "max_abs": one.max_abs}
                    for one in (done.differences if done else ())
                ],
                "counters": done.report.counters if done else {},
            }
        )
    elif done is not None:
        print_facts(
            {
                "kernel": f"{done.kernel} for {done.arch}",
                "launch": f"grid {'x'.join(map(str, done.grid))}, block {'x'.join(map(str, done.block))}",
                "recorded": f"on {done.device}" + ("" if done.ended else ", where it did not come to its end"),
            }
        )
        for one in done.differences:
            click.echo(str(one))
        if not done.ended:
            click.echo("no fault found here; there is nothing to compare with")
    if fault is not None:
        click.echo(f"hkasm: {fault}", err=True)
    if not passed:
        ctx.exit(EXIT_FAILED)

"""`hkasm selftest`: kernels and probes on a device, side by side with the emulator, as one JSON to send home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.options import arch_option, chosen_clang, clang_option, device_option, json_option, open_device
from hkasm.cli.output import print_json, print_table, write_files
from hkasm.cli.progress import Progress
from hkasm.cli.subject import assemble
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.ops.selftest import Report


@click.command("selftest", short_help="Hold a device against the emulator.")
@arch_option
@device_option
@click.option("-o", "--out", "path", metavar="FILE", type=click.Path(path_type=Path), help="Write the report there.")
@clang_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, arch: str | None, device: str | None, path: Path | None, clang: str | None, as_json: bool
) -> None:
    """Run every kernel and every probe on a device and on the emulator.

    Kernels are held against their references and, bit by bit, against the
    emulator. Probes ask what documents leave open; the report holds the dwords
    that the device gave. On the emulator the report says what hkasm assumes.

    Exit code 1: a kernel is wrong, or a probe did not run.

    \b
    hkasm selftest --device hip:0 -o report.json
    """
    from hkasm.isa.arch import get_arch
    from hkasm.ops.launcher import EMULATED_ARCH
    from hkasm.ops.selftest import selftest

    settings = Settings.from_environment()
    wanted = arch or settings.arch
    target = open_device(device, get_arch(wanted).name if wanted else "", settings)
    name = get_arch(wanted or str(getattr(target, "arch", EMULATED_ARCH))).name

    def build(program: Program) -> bytes:
        text, origins = program.text_with_origins()
        return assemble(text, origins, name, chosen_clang(clang, settings), settings)[0]

    with target, Progress(f"running on {target.name}") as progress:
        report = selftest(target, name, build, lambda what: progress.step(f"{what} on {target.name}"))
    if path is not None:
        write_files(path.parent, {path.name: f"{json.dumps(report.document())}\n".encode()})
    if as_json:
        print_json(report.document())
    else:
        _print(report, path)
    if not report.passed:
        ctx.exit(EXIT_FAILED)


def _print(report: Report, path: Path | None) -> None:
    click.echo(f"{report.device} as {report.arch}")
    rows = [
        (
            one.name,
            "right" if one.passed else "WRONG",
            one.error or f"{one.other_bits} of {one.elements} elements differ",
        )
        for one in report.kernels
    ]
    print_table(("kernel", "", "from the emulator's bits"), rows)
    click.echo()
    answers = [(one.name, one.status, one.error.partition("\n")[0] or one.assumed) for one in report.probes]
    print_table(("probe", "", "what hkasm assumes"), answers)
    if path is not None:
        click.echo(f"\nwrote {path}")

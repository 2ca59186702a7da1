"""`hkasm bench`: a kernel's speed on a GPU, or the emulator's counters; never of a wrong answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.options import (
    arch_option,
    chosen_clang,
    clang_option,
    device_option,
    json_option,
    open_device,
    parameter_option,
    parse_parameters,
)
from hkasm.cli.output import print_facts, print_json
from hkasm.cli.progress import Progress
from hkasm.cli.subject import assemble
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.ops.measure import Measurement
    from hkasm.ops.peers import Peer


@click.command("bench", short_help="Measure a kernel on a GPU.")
@click.argument("kernel")
@arch_option
@parameter_option
@device_option
@click.option("--warmup", type=click.IntRange(0, 100_000), default=10, metavar="N", help="Launches before [10].")
@click.option("--samples", type=click.IntRange(1, 10_000), default=20, metavar="N", help="Times taken [20].")
@click.option("--batch", type=click.IntRange(1, 10_000), default=10, metavar="N", help="Launches a time [10].")
@click.option("--cold", is_flag=True, help="Take buffers in turn, more than the caches hold.")
@click.option("--peers/--no-peers", default=True, help="Time torch and hipBLASLt too, where installed [on].")
@clang_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    kernel: str,
    arch: str | None,
    pairs: tuple[str, ...],
    device: str | None,
    warmup: int,
    samples: int,
    batch: int,
    cold: bool,
    peers: bool,
    clang: str | None,
    as_json: bool,
) -> None:
    """Measure KERNEL: time a launch, TFLOPS and GB/s, against the chip's peak.

    The answer is checked first; of a wrong one no time is told (exit code 1).
    The emulator has no time: there it prints what it counted.

    \b
    hkasm bench gemm --device hip:0 -p m=4096 -p n=4096 -p k=4096
    """
    from hkasm.isa.arch import get_arch
    from hkasm.kernels import get_kernel
    from hkasm.ops.launcher import EMULATED_ARCH
    from hkasm.ops.measure import measure

    settings = Settings.from_environment()
    chosen, values = get_kernel(kernel), parse_parameters(pairs)
    chosen.problem(**values)
    wanted = arch or settings.arch
    target = open_device(device, get_arch(wanted).name if wanted else "", settings)
    name = get_arch(wanted or str(getattr(target, "arch", EMULATED_ARCH))).name

    def build(program: Program) -> bytes:
        text, origins = program.text_with_origins()
        return assemble(text, origins, name, chosen_clang(clang, settings), settings)[0]

    with target, Progress(f"measuring {kernel} on {target.name}"):
        row = measure(
            target, chosen, name, values, build, warmup=warmup, samples=samples, batch=batch, cold=cold, peers=peers
        )
    if as_json:
        print_json(row.document())
    else:
        _print(row)
    if not row.passed:
        ctx.exit(EXIT_FAILED)


def _print(row: Measurement) -> None:
    measured = f", {row.measured_mhz:.0f} MHz measured" if row.measured_mhz else ""
    chip = f"{row.device} ({row.chip}, {row.clock_mhz:.0f} MHz stated{measured})" if row.chip else row.device
    facts: dict[str, object] = {"kernel": f"{row.kernel} for {row.arch}, {row.problem}", "device": chip}
    facts["then"] = f"{row.then}, counted in" if row.then else ""
    if row.seconds:
        median, low, high = (1e6 * row.seconds[name] for name in ("median", "low", "high"))
        facts["time"] = f"{median:.2f} us a launch ({low:.2f} to {high:.2f}, {row.launches} launches)"
        facts["caches"] = "cold" if row.cold else "warm"
        facts["rate"] = f"{row.flops / median / 1e6:.1f} TFLOPS{_share(row, 'flops')}" if row.flops else ""
        facts["memory"] = f"{row.nbytes / median / 1e3:.1f} GB/s{_share(row, 'memory')}"
        facts |= {peer.name: _beside(row, peer) for peer in row.peers}
    print_facts(facts)
    for one in row.comparisons:
        click.echo(str(one))
    if not row.passed:
        click.echo("WRONG: no time is told")
    elif not row.seconds:
        click.echo("the emulator tells no time; it counted")
        print_facts({f"  {name}": count for name, count in sorted(row.counters.items())})


def _beside(row: Measurement, peer: Peer) -> str:
    if not peer.seconds:
        return f"not timed: {peer.missing}"
    median, low, high = (1e6 * peer.seconds[name] for name in ("median", "low", "high"))
    ratio = peer.seconds["median"] / row.seconds["median"]
    return f"{median:.2f} us ({low:.2f} to {high:.2f}), {ratio:.2f} times {row.kernel}'s time ({peer.version})"


def _share(row: Measurement, name: str) -> str:
    return f", {100 * row.peak[name]:.1f} % of the chip's" if name in row.peak else ""

"""`hkasm run`: build a kernel, launch it, and hold its answer against a float64 reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.memory import gibibytes, memory_bytes
from hkasm.cli.options import (
    arch_option,
    chosen_arch,
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
from hkasm.errors import EmulatorError, HazardError, HkasmError, RaceError, UsageError, WaitError
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.kernels import Comparison, FollowUp, Launch, Problem
    from hkasm.runtime import Device
    from hkasm.runtime import Kernel as LoadedKernel

_MAX_SEED = (1 << 32) - 1
# What a run holds beside the arrays themselves: the device's copies, and the float64 reference with its errors.
_BYTES_PER_ARRAY_BYTE = 16


@dataclass
class _Trial:
    """One verified launch: what is launched with what, and how it went."""

    problem: Problem
    program: Program
    launch: Launch
    device: str
    seed: int
    follow_up: FollowUp | None = None
    comparisons: list[Comparison] = field(default_factory=list)
    fault: HkasmError | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.fault is None and all(one.passed for one in self.comparisons)


@click.command("run", short_help="Build, launch and verify a kernel.")
@click.argument("kernel")
@arch_option
@parameter_option
@device_option
@click.option("--record", metavar="DIR", help="Keep the launch there; see 'hkasm emulate -h'.")
@click.option("--seed", type=click.IntRange(0, _MAX_SEED), default=0, metavar="N", help="Seed of the inputs [0].")
@clang_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    kernel: str,
    arch: str | None,
    pairs: tuple[str, ...],
    device: str | None,
    record: str | None,
    seed: int,
    clang: str | None,
    as_json: bool,
) -> None:
    """Build KERNEL, launch it and compare its output with a float64 reference.

    Prints the errors against the stated tolerance, then PASS (exit code 0) or
    FAIL (exit code 1). A fault that the emulator finds in the kernel is a FAIL.
    Where the answer takes a second kernel, that is run and checked behind it
    (--record keeps the first).

    \b
    hkasm run gemm --arch gfx950 -p m=512 -p n=768 -p k=320
    """
    from hkasm.kernels import get_kernel
    from hkasm.ops.launcher import values_on

    settings = Settings.from_environment()
    chosen, values = get_kernel(kernel), parse_parameters(pairs)
    name = chosen_arch(arch, settings, values)
    _refuse_what_does_not_fit(chosen.problem_on(name, values))
    target = open_device(device, name, settings)
    on_target = values_on(target, chosen, name, values)
    problem = chosen.problem_on(name, on_target)
    with Progress(f"building {kernel} for {name}") as progress:
        started = perf_counter()
        program, after = chosen.build(name, **on_target), problem.follow_up()
        programs = [program, *([get_kernel(after.kernel).build(name, **after.values)] if after is not None else [])]
        entries = []
        for one in programs:
            text, origins = one.text_with_origins()
            code, _ = assemble(text, origins, name, chosen_clang(clang, settings), settings)
            entries.append(target.load(code).kernels[one.name])
        seconds = {"build": perf_counter() - started}
        trial = _Trial(problem, program, problem.launch(), target.name, seed, after, seconds=seconds)
        progress.step(f"running {kernel} on {target.name}")
        _launch(trial, target, entries, record)
    if as_json:
        print_json(_as_dict(trial))
    else:
        _print(trial)
    if not trial.passed:
        ctx.exit(EXIT_FAILED)


def _launch(trial: _Trial, target: Device, entries: Sequence[LoadedKernel], record: str | None) -> None:
    """Launch what was built and compare the outputs; a fault that the device finds is kept, not raised."""
    problem, after = trial.problem, trial.follow_up
    inputs, outputs = problem.inputs(trial.seed), problem.outputs()
    launches = [trial.launch]
    if after is not None:
        outputs |= after.outputs
        launches.append(after.launch)
    buffers = {label: target.buffer(array) for label, array in (inputs | outputs).items()}
    started = perf_counter()
    try:
        for number, (entry, launch) in enumerate(zip(entries, launches, strict=True)):
            args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
            entry.launch(grid=launch.grid, block=launch.block, args=args, record=None if number else record)
    except (WaitError, RaceError, HazardError, EmulatorError) as error:
        trial.fault = error
    launched = perf_counter()
    trial.seconds["launch"] = launched - started
    if trial.fault is None:
        found = {label: buffers[label].numpy() for label in outputs}
        trial.comparisons = problem.check(inputs, found)
        if after is not None:
            trial.comparisons += after.check(inputs, found)
        trial.seconds["check"] = perf_counter() - launched


def _print(trial: _Trial) -> None:
    print_facts(
        {
            "kernel": f"{trial.program.name} for {trial.program.arch.name}, {trial.problem.label}",
            "launch": f"grid {_extent(trial.launch.grid)}, block {_extent(trial.launch.block)} on {trial.device}, "
            f"seed {trial.seed}",
            "then": _described(trial.follow_up),
            "workspace": f"{trial.launch.workspace_bytes} bytes" if trial.launch.workspace_bytes else "",
            "took": ", ".join(f"{part} {seconds:.2f} s" for part, seconds in trial.seconds.items()),
        }
    )
    if trial.fault is not None:
        click.echo(f"hkasm: {trial.fault}", err=True)
    for one in trial.comparisons:
        click.echo(str(one))
    click.echo("PASS" if trial.passed else "FAIL")


def _as_dict(trial: _Trial) -> dict[str, object]:
    return {
        "kernel": trial.program.name,
        "arch": trial.program.arch.name,
        "device": trial.device,
        "seed": trial.seed,
        "problem": {one.name: getattr(trial.problem, one.name) for one in trial.problem.parameters()},
        "config": dict(trial.program.config),
        "grid": list(trial.launch.grid),
        "block": list(trial.launch.block),
        "workspace_bytes": trial.launch.workspace_bytes,
        "then": None if trial.follow_up is None else _then(trial.follow_up),
        "comparisons": [asdict(one) | {"passed": one.passed} for one in trial.comparisons],
        "fault": None if trial.fault is None else str(trial.fault),
        "seconds": {part: round(seconds, 3) for part, seconds in trial.seconds.items()},
        "passed": trial.passed,
    }


def _described(after: FollowUp | None) -> str:
    if after is None:
        return ""
    return f"{after.kernel}, grid {_extent(after.launch.grid)}, block {_extent(after.launch.block)}"


def _then(after: FollowUp) -> dict[str, object]:
    return {"kernel": after.kernel, "grid": list(after.launch.grid), "block": list(after.launch.block)}


def _extent(extent: Sequence[int]) -> str:
    return "x".join(map(str, extent))


def _refuse_what_does_not_fit(problem: Problem) -> None:
    """Raise UsageError for a problem that this machine's memory cannot hold with its reference."""
    wanted, there = problem.bytes * _BYTES_PER_ARRAY_BYTE, memory_bytes()
    if wanted > there:
        raise UsageError(
            f"{problem.label} needs about {gibibytes(wanted)} of memory, this machine has {gibibytes(there)}",
            hint="choose a smaller problem",
        )

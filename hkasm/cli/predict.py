"""`hkasm predict`: how long a kernel would take on a chip, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from hkasm.cli.file_launch import LaunchWords, launch_options, prepare_launch
from hkasm.cli.options import chip_option, clang_option, json_option, parameter_option, parse_parameters
from hkasm.cli.output import print_facts, print_json, print_table
from hkasm.cli.progress import Bar, Progress
from hkasm.cli.script import refuse_script
from hkasm.cli.subject import load_object, names_a_file
from hkasm.errors import UsageError
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.grids.planner import Plan
    from hkasm.model.chips import Chip
    from hkasm.ops.predict import Point, Prediction

MAX_POINTS = 100_000
_SWEEP_COLUMNS = ("loop %", "L2 %", "LLC %", "TFLOPS", "low", "high", "bound")


@click.command("predict", short_help="Say how long a kernel would take, and why.")
@click.argument("subject", metavar="X")
@chip_option
@click.option("--order", metavar="NAME", help="Another grid order: auto, rows, w8c64 ...")
@click.option("--sweep", "sweeps", metavar="NAME=A,B,..", multiple=True, help="All values of a parameter, in a table.")
@click.option("--stalls", "shown", metavar="N", type=click.IntRange(0, 400), default=8, help="Stalls to list [8].")
@click.option("--kernel", metavar="NAME", help="The kernel, where a file holds several.")
@launch_options
@parameter_option
@clang_option
@json_option
def command(
    subject: str,
    chip_name: str | None,
    order: str | None,
    sweeps: tuple[str, ...],
    shown: int,
    kernel: str | None,
    launch: LaunchWords,
    pairs: tuple[str, ...],
    clang: str | None,
    as_json: bool,
) -> None:
    """Predict X, a kernel of the library or a code object: cycles, stalls, hit
    rates, TFLOPS with their range, and what bounds it.

    One workgroup is traced on the emulator and played on a model of a compute
    unit. A code object wants its launch, as 'hkasm emulate' does.

    \b
    hkasm predict gemm -p m=8192 -p n=8192 -p k=8192 --chip mi355x
    hkasm predict gemm --sweep m=1024,2048,4096 --sweep k=1024,8192
    hkasm predict triton.hsaco --grid 64 --arg ptr:bf16[512x512]=zeros ...
    """
    refuse_script(subject)
    if names_a_file(subject):
        if sweeps or order or pairs:
            raise UsageError("--sweep, --order and -p are for kernels of the library", where=subject)
        prediction = _predict_file(subject, chip_name, kernel, launch, clang)
    elif kernel is not None or launch:
        raise UsageError("--kernel, --grid, --block, --arg, --lds and --kernarg-slot are for files", where=subject)
    elif sweeps:
        _sweep(subject, chip_name, order, pairs, sweeps, as_json)
        return
    else:
        from hkasm.kernels import get_kernel
        from hkasm.kernels.parameters import check_names
        from hkasm.ops.predict import predict_kernel

        values = parse_parameters(pairs)
        check_names(values, get_kernel(subject).parameters())
        chip = chosen_chip(chip_name, values)
        with Progress(f"predicting {subject}"):
            prediction = predict_kernel(subject, chip, order=order, **values)
        prediction = replace(prediction, problem=_title(subject, chip, values))
    if as_json:
        print_json(prediction.as_dict())
        return
    _print(prediction, shown, is_file=names_a_file(subject))


def chosen_chip(name: str | None, values: Mapping[str, object], arch: str | None = None) -> Chip:
    """Return the chip that is named, or the one among a kernel's parameters, or the usual one of an arch.

    Without an arch that is the user's setting, else gfx950.

    Raises:
        UsageError: an unknown chip.
        ArchError: an unknown arch.
    """
    from hkasm.isa.arch import get_arch
    from hkasm.model.chips import AUTO, DEFAULT_CHIP, get_chip

    given = str(values.get("chip", AUTO)) if name is None else name
    if given != AUTO:
        return get_chip(given)
    return get_chip(DEFAULT_CHIP[get_arch(arch or Settings.from_environment().arch or "gfx950").name])


def _title(name: str, chip: Chip, values: Mapping[str, object]) -> str:
    """Return what is predicted, with the sizes and the type that are defaults too."""
    from hkasm.kernels import get_kernel

    kernel = get_kernel(name)
    return str(kernel.problem_on(chip.arch, kernel.values_on(chip, values)).title)


def _predict_file(
    path: str, chip_name: str | None, kernel: str | None, launch: LaunchWords, clang: str | None
) -> Prediction:
    from hkasm.inspect.load import choose_kernel
    from hkasm.ops.predict import predict_launch

    code = load_object(path, clang=clang)
    image = choose_kernel(code, kernel)
    ready = prepare_launch(code, image, launch)
    with Progress(f"predicting {image.name}"):
        chip = chosen_chip(chip_name, {}, image.arch.name)
        segment = ready.prepared.segment
        size = sum(buffer.nbytes for buffer in ready.prepared.buffers.values())
        return predict_launch(
            ready.machine, image, chip, ready.grid, ready.block, segment, lds_bytes=launch.lds, buffer_bytes=size
        )


def _print(prediction: Prediction, shown: int, *, is_file: bool) -> None:
    cycles, performance = prediction.cycles, prediction.performance
    low, high = performance.tflops_range
    loop_low, loop_high = cycles.loop_efficiency_range
    before = cycles.middle.prologue
    behind = performance.workgroup_clk - prediction.iterations * cycles.period - before
    facts: dict[str, object] = {
        "kernel": f"{prediction.program.name} for {prediction.chip.name} ({prediction.program.arch.name})",
        "problem": prediction.problem,
        "speed": (f"{performance.tflops:.0f} TFLOPS ({low:.0f} to {high:.0f}), " if performance.efficiency else "")
        + f"{performance.seconds * 1e6:.1f} us",
        "bound by": _bound(prediction),
        "clock": f"{performance.clock_mhz:.0f} MHz, by the clock law",
        "workgroups": f"{prediction.workgroups}, {prediction.resident} a CU at once, {performance.rounds} rounds",
        **prediction.reasons,
        "a workgroup": f"{performance.workgroup_clk:.0f} clk, matrix units busy {100 * performance.efficiency:.1f} %",
        "loop": f"{prediction.iterations} x {cycles.period:.0f} clk, matrix units busy "
        f"{100 * loop_low:.1f} to {100 * loop_high:.1f} %" if cycles.head >= 0 else "none",
        "around it": f"{before} clk before, {max(round(behind), 0)} clk behind",
    }  # fmt: skip
    if prediction.plan is None and performance.bytes:
        count = f"{performance.bytes / 1e6:.3g} MB, {performance.gigabytes_s:.0f} GB/s"
        facts["memory"] = f"{count}; caches are not modelled for a file" if is_file else f"{count}, each byte once"
    if prediction.plan is not None:
        traffic = prediction.plan.traffic
        facts["grid order"] = prediction.plan.order.name
        facts["shares"] = shares_of(prediction.plan) if prediction.plan.how != "even" else ""
        facts["reserved"] = reserved_of(prediction.plan)
        facts["hits"] = f"L2 {100 * traffic.l2_hit:.0f} %, LLC {100 * traffic.llc_hit:.0f} %"
    print_facts(facts)
    reasons = cycles.reasons()
    if reasons:
        middle = cycles.middle
        played = middle.total - (middle.iterations - middle.played) * middle.period
        turns = f", {middle.played} turns of the loop" if middle.played else ""
        click.echo(f"\nstalled clk a wave, in the {played:.0f} clk that were played{turns}:")
        print_table(("reason", ">clk"), [(reason, f"{clk:.0f}") for reason, clk in reasons.items()])
    if shown:
        rows = [
            (stall["index"], stall["clk"], stall["reason"], stall["origin"], stall["instruction"])
            for stall in prediction.stalls(shown)
        ]
        click.echo()
        print_table((">at", ">clk", "reason", "line", "instruction"), rows)


def shares_of(plan: Plan) -> str:
    """Say how XCDs get their shares of a grid."""
    shares = plan.order.shares
    each = " and ".join(str(one) for one in dict.fromkeys((max(shares), min(shares)))) if shares else ""
    return {
        "even": "even",
        "padded": f"padded: {each} tiles an XCD, workgroups without a tile fill the smaller shares",
        "tickets": f"tickets: workgroups stay, {each} tiles an XCD are its own",
    }[plan.how]


def reserved_of(plan: Plan) -> str:
    """Say which compute units are kept for communication; nothing where none are."""
    return f"{plan.reserved} CUs of each XCD" if plan.reserved else ""


def _bound(prediction: Prediction) -> str:
    performance = prediction.performance
    said = ", ".join(f"{name} {seconds * 1e6:.1f} us" for name, seconds in performance.seconds_by.items())
    hbm = "memory" if prediction.plan is None else "HBM"
    word = {"compute": "compute units", "l2": "L2", "llc": "LLC", "hbm": hbm}[performance.bound]
    return f"{word} ({said})"


def _sweep(
    name: str, chip_name: str | None, order: str | None, pairs: tuple[str, ...], sweeps: tuple[str, ...], as_json: bool
) -> None:
    from hkasm.kernels import get_kernel
    from hkasm.kernels.parameters import check_names
    from hkasm.ops.predict import predict_many

    fixed = parse_parameters(pairs)
    axes = {axis: values.split(",") for axis, values in parse_parameters(sweeps).items()}
    check_names({**fixed, **axes}, get_kernel(name).parameters())
    if twice := sorted(fixed.keys() & axes.keys()):
        raise UsageError(f"{twice[0]!r} is set by -p and by --sweep", hint="leave out one of them")
    count = math.prod(map(len, axes.values()))
    if count > MAX_POINTS:
        raise UsageError(f"{count} points, at most {MAX_POINTS}")
    combinations = list(product(*axes.values()))
    settings: list[dict[str, object]] = [{**fixed, **dict(zip(axes, values, strict=True))} for values in combinations]
    points: list[Point] = [(name, chosen_chip(chip_name, one).name, order, one) for one in settings]
    with Bar(f"predicting {name}", len(points), "points", rate="points/s") as bar:
        found = predict_many(points, done=lambda count: bar.update(count, count))
    if all("error" in point for point in found):
        first = str(found[0]["error"]).splitlines()[0]
        raise UsageError(f"no point of the sweep can be predicted; the first: {first}")
    if as_json:
        chips = sorted({chip for _, chip, _, _ in points})
        print_json({"kernel": name, "chip": chips[0] if len(chips) == 1 else chips, "points": found})
        return
    rows = [(*values, *_sweep_cells(point)) for values, point in zip(combinations, found, strict=True)]
    print_table((*(f">{axis}" for axis in axes), *(f">{column}" for column in _SWEEP_COLUMNS[:-1]), "bound"), rows)


def _sweep_cells(point: dict[str, Any]) -> tuple[str, ...]:
    if "error" in point:
        return ("",) * (len(_SWEEP_COLUMNS) - 1) + (str(point["error"]).splitlines()[0],)
    performance, grid = point["performance"], point.get("grid")
    hits = (f"{100 * grid['l2_hit']:.0f}", f"{100 * grid['llc_hit']:.0f}") if grid else ("", "")
    low, high = performance["tflops_range"]
    return (
        f"{100 * point['loop']['efficiency']:.1f}", *hits, f"{performance['tflops']:.0f}", f"{low:.0f}", f"{high:.0f}",
        performance["bound"],
    )  # fmt: skip

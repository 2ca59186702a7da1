"""Predictions of kernels: a short launch is traced on the emulator, played by the cycle model, scaled to the problem.

Only one workgroup is traced, of a problem with the same tile, alignment and tail of K (of keys, for attention) but few
steps; the loop's other iterations take what the steady ones take. Workgroups that go over fewer keys than others, under
a causal mask, are taken to be dealt out evenly: each has the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from hkasm.asm.codeobject import KernelImage
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.machine import Machine
from hkasm.errors import ArchError, UsageError
from hkasm.grids.planner import Plan, plan
from hkasm.inspect.load import program_of
from hkasm.kernels import get_kernel
from hkasm.kernels.kernel import Problem
from hkasm.model.chips import Chip, get_chip
from hkasm.model.cycles import Cycles, play
from hkasm.model.latencies import REFERENCE_HITS
from hkasm.model.performance import Performance, performance
from hkasm.model.traces import memory_bytes, trace_group, trace_streams
from hkasm.runtime.arguments import bind
from hkasm.runtime.emulated import EmulatorDevice

__all__ = ["Prediction", "compare_predictions", "predict_kernel", "predict_launch", "predict_many"]

SHORT_SIDE, SHORT_K = 256, 1024
"""Rows and columns, and K, that are traced of larger problems, besides what is left of these after whole tiles."""
K_TAIL = 128
SHOWN_STALLS = 400


@dataclass(frozen=True)
class Prediction:
    """What a launch is expected to take. `plan` is None where nobody said what the tiles share.

    `reasons` is what the kernel chose by itself, and why.
    """

    program: Program
    chip: Chip
    problem: str
    cycles: Cycles
    performance: Performance
    plan: Plan | None
    iterations: int
    resident: int
    workgroups: int
    reasons: Mapping[str, str] = field(default_factory=dict)

    def stalls(self, count: int = SHOWN_STALLS) -> list[dict[str, object]]:
        """Return the instructions at which waves lost most clocks: index, text, Python line, reason, clk a wave."""
        instructions = self.program.instructions
        return [
            {
                "index": stall.index, "instruction": str(instructions[stall.index]),
                "origin": str(instructions[stall.index].origin or ""),
                "reason": stall.reason, "clk": round(stall.clk, 1), "by_wave": list(stall.by_wave),
            }
            for stall in self.cycles.middle.stalls[:count]
        ]  # fmt: skip

    def as_dict(self, *, stalls: bool = True) -> dict[str, Any]:
        """Return everything as plain data."""
        cycles, middle = self.cycles, self.cycles.middle
        head = self.program.instructions[cycles.head] if cycles.head >= 0 else None
        found: dict[str, Any] = {
            "kernel": self.program.name, "arch": self.program.arch.name, "chip": self.chip.name,
            "problem": self.problem, "workgroups": self.workgroups, "workgroups_per_cu": self.resident,
            "performance": asdict(self.performance), "chosen": dict(self.reasons),
            "loop": {
                "head": cycles.head, "origin": str(head.origin or "") if head else "", "iterations": self.iterations,
                "clk": middle.period, "efficiency": cycles.loop_efficiency,
                "efficiency_range": list(cycles.loop_efficiency_range),
            },
            "prologue_clk": middle.prologue, "epilogue_clk": middle.epilogue, "reasons": cycles.reasons(),
        }  # fmt: skip
        if self.plan is not None:
            traffic = self.plan.traffic
            found["grid"] = {
                "order": self.plan.order.name, "l2_hit": traffic.l2_hit, "llc_hit": traffic.llc_hit,
                "bytes": {"l2": traffic.requested, "llc": traffic.l2_missed, "hbm": traffic.llc_missed},
                "counters": traffic.counters, "balance": traffic.balance,
            }  # fmt: skip
        if stalls:
            found["stalls"] = self.stalls()
            found["waves"] = cycles.wave_reasons()
        return found


def compare_predictions(predictions: Sequence[Prediction]) -> dict[str, list[float]]:
    """Return the figures of several predictions side by side, by name; stalls are clk of a wave."""
    rows: dict[str, list[float]] = {
        "TFLOPS": [one.performance.tflops for one in predictions],
        "us": [one.performance.seconds * 1e6 for one in predictions],
        "clk of a workgroup": [one.performance.workgroup_clk for one in predictions],
        "clk of an iteration": [one.cycles.period for one in predictions],
        "loop efficiency": [one.cycles.loop_efficiency for one in predictions],
        "clock MHz": [one.performance.clock_mhz for one in predictions],
    }
    reasons = [one.cycles.reasons() for one in predictions]
    for reason in sorted({reason for found in reasons for reason in found}):
        rows[f"stall: {reason}"] = [found.get(reason, 0.0) for found in reasons]
    return rows


def predict_kernel(name: str, chip: Chip, *, order: str | None = None, **values: object) -> Prediction:
    """Predict a kernel of the library on a chip; `values` are its parameters, `order` another grid order than its own.

    Raises:
        UsageError: an unknown kernel, parameter or order.
        ArchError: the kernel has no code for the chip.
    """
    kernel = get_kernel(name)
    config, problem = kernel.config(**values), kernel.problem_on(chip.arch, values)
    program = kernel.build(chip.arch, **values)
    reuse = kernel.reuse(chip.arch, config, problem)
    found = None
    if reuse is not None:
        found = plan(chip, reuse, order or problem.order_name)
    elif order is not None:
        raise UsageError(f"{name}: nobody said what its tiles share, so that no order can be chosen")
    short = _shortened(problem).traced()
    launch = short.launch()
    workgroups = problem.workgroups
    with EmulatorDevice() as device:
        machine = device.load(build_hsaco(program)).machine
        image = machine.kernel(program.name)
        arrays = {**short.inputs(), **short.outputs()}
        buffers = {key: device.buffer(array, key) for key, array in arrays.items()}
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        with bind(image, args, device, allow_aliasing=True) as bound:
            cycles, resident, _ = _played(
                program,
                machine,
                image,
                launch.grid,
                launch.block,
                bound.segment,
                0,
                (found.traffic.l2_hit, found.traffic.llc_hit) if found else REFERENCE_HITS,
                -(-workgroups // chip.cus),  # the dispatcher fills all compute units before it doubles up
            )
    iterations = cycles.middle.iterations + _more_iterations(cycles, problem, short)
    result = performance(
        chip, cycles, iterations=iterations, workgroups=workgroups, resident=resident, flops=problem.flops,
        traffic=found.traffic if found else None, moved=problem.bytes,
    )  # fmt: skip
    reasons = kernel.reasons(config, {**values, "arch": chip.arch})
    return Prediction(program, chip, problem.label, cycles, result, found, iterations, resident, workgroups, reasons)


def predict_launch(
    machine: Machine,
    image: KernelImage,
    chip: Chip,
    grid: Sequence[int],
    block: Sequence[int],
    segment: bytes,
    *,
    lds_bytes: int = 0,
    buffer_bytes: int | None = None,
) -> Prediction:
    """Predict a launch of any code object; its matrix instructions are counted as its operations.

    Caches are not modelled: HBM moves what every workgroup reads and writes, if they are all like the traced one, each
    way at most `buffer_bytes` (all buffers together, None: not known), for what workgroups share is moved once.

    Raises:
        ArchError: the object is for another arch than the chip's.
        HkasmError: the traced workgroup cannot run on its own.
    """
    if image.arch.name != chip.arch:
        raise ArchError(f"{image.name} is for {image.arch}, {chip.name} has {chip.arch}")
    program = program_of(image)
    extent = [*grid, 1, 1][:3]
    workgroups = extent[0] * extent[1] * extent[2]
    most = -(-workgroups // chip.cus)
    cycles, resident, touched = _played(program, machine, image, grid, block, segment, lds_bytes, REFERENCE_HITS, most)
    iterations = cycles.middle.iterations
    flops = cycles.flops / resident * workgroups
    ways = [one * workgroups for one in touched]
    moved = sum(ways) if buffer_bytes is None else sum(min(one, buffer_bytes) for one in ways)
    result = performance(
        chip, cycles, iterations=iterations, workgroups=workgroups, resident=resident, flops=flops, traffic=None,
        moved=moved,
    )  # fmt: skip
    said = f"grid {extent[0]}x{extent[1]}x{extent[2]}" + (f", {flops:.4g} matrix operations" if flops else "")
    return Prediction(program, chip, said, cycles, result, None, iterations, resident, workgroups)


def _played(
    program: Program,
    machine: Machine,
    image: KernelImage,
    grid: Sequence[int],
    block: Sequence[int],
    segment: bytes,
    lds_bytes: int,
    hits: tuple[float, float],
    most: int,
) -> tuple[Cycles, int, tuple[int, int]]:
    """Trace the first workgroup and play as many of it as share a CU, `most` at most.

    Returns also the bytes that it reads and writes.
    """
    trace = trace_group(machine, image.name, grid, block, segment, lds_bytes=lds_bytes)
    streams = trace_streams(program, trace)
    arch = program.arch
    waves = len(streams)
    occupancy = arch.occupancy(program.vgprs, program.agprs, program.sgprs, program.lds_bytes + lds_bytes, waves)
    resident = max(occupancy.waves_per_simd * arch.simds_per_cu // waves, 1)
    groups = grid[0] * (grid[1] if len(grid) > 1 else 1) * (grid[2] if len(grid) > 2 else 1)
    resident = min(resident, groups, most)
    return play(arch.name, [streams] * resident, hits=hits), resident, memory_bytes(trace)


def _shortened(problem: Problem) -> Problem:
    """Return a problem of few tiles and K steps with the same rest behind whole ones."""
    limits = {"m": (SHORT_SIDE, SHORT_SIDE), "n": (SHORT_SIDE, SHORT_SIDE), "k": (SHORT_K, K_TAIL)}
    changes: dict[str, Any] = {}
    for name, (whole, unit) in limits.items():
        value = getattr(problem, name, 0)
        if isinstance(value, int) and value > 2 * whole:
            changes[name] = whole + value % unit
    # Not made anew: what the whole problem decided, such as the tile, holds for the short one.
    return replace(problem, **changes)


def _more_iterations(cycles: Cycles, problem: Problem, short: Problem) -> int:
    """Return the iterations that the problem's loop makes beyond the traced ones."""
    k, traced = problem.walk, short.walk
    if not traced or not cycles.loop_flops or k == traced:
        return 0
    return round(cycles.flops * (k / traced - 1) / cycles.loop_flops)


Point = tuple[str, str, str | None, dict[str, object]]
"""Kernel, chip, order and parameters of one prediction of a sweep."""


def predict_many(
    points: Iterable[Point], *, executor: Executor | None = None, done: Callable[[int], None] | None = None
) -> list[dict[str, Any]]:
    """Predict many points with a pool of processes, or whatever `executor` has; results are in their order.

    Anything with `submit` that returns futures will do (Dask's, Ray's and MPI's pools have it); `done` is told after
    each point how many there are. A point that cannot be predicted gives `{"error": text}`.
    """
    if executor is None:
        with ProcessPoolExecutor() as pool:
            return predict_many(points, executor=pool, done=done)
    futures = [executor.submit(_point, point) for point in points]
    found = []
    for number, future in enumerate(futures, 1):
        found.append(future.result())
        if done is not None:
            done(number)
    return found


def _point(point: Point) -> dict[str, Any]:
    from hkasm.errors import HkasmError

    name, chip, order, values = point
    head: Mapping[str, Any] = {"parameters": values}
    try:
        prediction = predict_kernel(name, get_chip(chip), order=order, **values)
    except HkasmError as error:
        return {**head, "error": str(error)}
    return {**head, **prediction.as_dict(stalls=False)}

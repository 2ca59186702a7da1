"""Predictions of kernels: a short launch is traced on the emulator, played by the cycle model, scaled to the problem.

Only one workgroup is traced, of a problem with the same tile, alignment and tail of K (of keys, for attention) but few
steps; the loop's other iterations take what the steady ones take. Workgroups that go over fewer keys than others, under
a causal mask, are taken to be dealt out evenly: each has the mean.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from hkasm.asm.codeobject import KernelImage
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.machine import Machine
from hkasm.errors import ArchError, UsageError
from hkasm.grids.planner import Plan
from hkasm.inspect.load import program_of
from hkasm.kernels import get_kernel
from hkasm.kernels.kernel import Problem
from hkasm.kernels.parameters import ParameterSet
from hkasm.model.chips import Chip, get_chip
from hkasm.model.constants import timing
from hkasm.model.cycles import Cycles, play
from hkasm.model.latencies import REFERENCE_HITS, loaded_latency
from hkasm.model.performance import Performance, performance
from hkasm.model.traces import memory_bytes, trace_group, trace_streams
from hkasm.model.uops import Uop
from hkasm.runtime.arguments import bind
from hkasm.runtime.emulated import EmulatorDevice

__all__ = ["Prediction", "compare_predictions", "predict_kernel", "predict_launch", "predict_many"]

SHORT_SIDE, SHORT_K, SHORT_STEPS = 256, 1024, 8
"""Rows and columns, and K (that of so many steps at least), that are traced of larger problems, besides what is left of
these after whole tiles."""
K_TAIL = 128
END_BYTES = 16
"""Bytes of a tile of C that leave a compute unit a clock at the tile's end, as the model plays the GEMM's tiles."""
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
                "reserved": self.plan.reserved * len(self.chip.xcds),
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


def predict_kernel(name: str, chip: Chip, /, *, order: str | None = None, **values: object) -> Prediction:
    """Predict a kernel of the library on a chip; `values` are its parameters, `order` another grid order than its own.

    Raises:
        UsageError: an unknown kernel, parameter or order.
        ArchError: the kernel has no code for the chip.
    """
    kernel = get_kernel(name)
    values = kernel.values_on(chip, values)
    config, problem = kernel.config(**values), kernel.problem_on(chip.arch, values)
    settled = kernel.settled(config, {**values, "arch": chip.arch})
    found = problem.plan(order)
    if found is None and order is not None:
        raise UsageError(f"{name}: nobody said what its tiles share, so that no order can be chosen")
    used = found.chip if found else chip
    short = _shortened(problem)
    workgroups = problem.workgroups
    cycles, resident = _played(
        _traced(name, chip.arch, settled, short),
        (found.traffic.l2_hit, found.traffic.llc_hit) if found else REFERENCE_HITS,
        -(-workgroups // used.cus),  # the dispatcher fills all compute units before it doubles up
    )
    iterations = cycles.middle.iterations + _more_iterations(cycles, problem, short)
    result = performance(
        used, cycles, iterations=iterations, workgroups=workgroups, resident=resident, flops=problem.flops,
        traffic=found.traffic if found else None, moved=problem.bytes, written=problem.written,
        shares=_shares(found, workgroups), takers=problem.takers, around=_around(cycles, problem, short),
    )  # fmt: skip
    reasons = kernel.reasons(config, {**values, "arch": chip.arch})
    program = _built(name, chip.arch, settled)
    return Prediction(program, used, problem.label, cycles, result, found, iterations, resident, workgroups, reasons)


def _shares(found: Plan | None, workgroups: int) -> Sequence[int] | None:
    """Return the workgroups of each XCD, as `performance` wants them; an order is of one product of a batch."""
    if found is None or found.how == "even":
        return ()
    return found.shares and [share * (workgroups // found.order.count) for share in found.shares]


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
    traced = _trace(program, machine, image, grid, block, segment, lds_bytes=lds_bytes)
    cycles, resident = _played(traced, REFERENCE_HITS, most)
    iterations = cycles.middle.iterations
    flops = cycles.flops / resident * workgroups
    ways = [one * workgroups for one in traced.touched]
    moved = sum(ways) if buffer_bytes is None else sum(min(one, buffer_bytes) for one in ways)
    result = performance(
        chip, cycles, iterations=iterations, workgroups=workgroups, resident=resident, flops=flops, traffic=None,
        moved=moved,
    )  # fmt: skip
    said = f"grid {extent[0]}x{extent[1]}x{extent[2]}" + (f", {flops:.4g} matrix operations" if flops else "")
    return Prediction(program, chip, said, cycles, result, None, iterations, resident, workgroups)


@dataclass(frozen=True)
class _Traced:
    """One workgroup as the cycle model plays it, how many share a CU at most, the bytes that it reads and writes."""

    arch: str
    streams: list[list[Uop]]
    resident: int
    touched: tuple[int, int]


@lru_cache(maxsize=8)
def _built(name: str, arch: str, config: ParameterSet) -> Program:
    return get_kernel(name).played(arch, config)


@lru_cache(maxsize=8)
def _traced(name: str, arch: str, config: ParameterSet, problem: Problem) -> _Traced:
    """Trace the first workgroup that computes; what points of a sweep have in common is traced once."""
    program, launch = _built(name, arch, config), problem.launch()
    with EmulatorDevice() as device:
        machine = device.load(build_hsaco(program)).machine
        arrays = problem.traced_arrays()
        buffers = {key: device.buffer(array, key) for key, array in arrays.items()}
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        image = machine.kernel(program.name)
        with bind(image, args, device, allow_aliasing=True) as bound:
            return _trace(
                program, machine, image, launch.grid, launch.block, bound.segment, group=problem.first_workgroup
            )


def _trace(
    program: Program,
    machine: Machine,
    image: KernelImage,
    grid: Sequence[int],
    block: Sequence[int],
    segment: bytes,
    *,
    group: int = 0,
    lds_bytes: int = 0,
) -> _Traced:
    """Trace one workgroup of a launch."""
    trace = trace_group(machine, image.name, grid, block, segment, group=group, lds_bytes=lds_bytes)
    streams = trace_streams(program, trace)
    arch, waves = program.arch, len(streams)
    occupancy = arch.occupancy(program.vgprs, program.agprs, program.sgprs, program.lds_bytes + lds_bytes, waves)
    resident = max(occupancy.waves_per_simd * arch.simds_per_cu // waves, 1)
    groups = grid[0] * (grid[1] if len(grid) > 1 else 1) * (grid[2] if len(grid) > 2 else 1)
    return _Traced(arch.name, streams, min(resident, groups), memory_bytes(trace))


def _played(traced: _Traced, hits: tuple[float, float], most: int) -> tuple[Cycles, int]:
    """Play as many of a workgroup as share a CU, `most` at most; returns also how many they are."""
    resident = min(traced.resident, most)
    return play(traced.arch, [traced.streams] * resident, hits=hits), resident


def _shortened(problem: Problem) -> Problem:
    """Return a problem of few tiles and K steps with the same rest behind whole ones."""
    steps = SHORT_STEPS * problem.step
    limits = {"m": (SHORT_SIDE, SHORT_SIDE), "n": (SHORT_SIDE, SHORT_SIDE), "k": (max(SHORT_K, steps), K_TAIL)}
    while True:
        changes: dict[str, Any] = {}
        for name, (whole, unit) in limits.items():
            value = getattr(problem, name, 0) if name in problem.cut else 0
            if isinstance(value, int) and value > 2 * whole:
                changes[name] = whole + value % max(unit, problem.step)
        # Not made anew: what the whole problem decided, such as the tile, holds for the short one.
        short = replace(problem, **changes).traced()
        if "k" not in changes or short.walk >= steps:
            return short
        limits["k"] = 2 * limits["k"][0], K_TAIL


def _more_iterations(cycles: Cycles, problem: Problem, short: Problem) -> int:
    """Return the iterations that the problem's loop makes beyond the traced ones."""
    k, traced = problem.walk, short.walk
    if not traced or k == traced or not cycles.flops:
        return 0
    if not cycles.loop_flops:
        if getattr(problem, "k", 0) == getattr(short, "k", 0):
            return 0
        raise UsageError(
            f"{problem.label}: no loop repeats in K = {traced}, which is played for K = {k}",
            hint=f"a K of at most {2 * SHORT_K} is played whole",
        )
    return round(cycles.flops * (k / traced - 1) / cycles.loop_flops)


def _around(cycles: Cycles, problem: Problem, short: Problem) -> float:
    """Return the clocks of the segments that the problem's longest workgroup does beyond the traced ones.

    Each has a begin and an end of its own; the sum of partial tiles, which the traced end has, comes once and may be of
    more parts. Where no loop repeats in what was traced, all of that stands for each, and the matrix instructions of
    further steps come on top.
    """
    middle = cycles.middle
    if not problem.step or not short.walk:
        return 0.0
    if cycles.loop_flops:
        t = timing(cycles.arch)
        end = min(middle.epilogue, problem.tile_bytes / END_BYTES + t.store_latency.value)
        summed = (problem.part_bytes - short.part_bytes) * loaded_latency(cycles.arch) / t.inflight_bytes.value
        return float(max(problem.segments - short.segments, 0) * (middle.prologue + end) + max(summed, 0.0))
    more = problem.segments / short.segments
    steps = (problem.walk - more * short.walk) / short.walk
    return max(cycles.total * (more - 1) + max(steps, 0.0) * middle.matrix_clk / cycles.simds, 0.0)


Point = tuple[str, str, str | None, dict[str, object]]
"""Kernel, chip, order and parameters of one prediction of a sweep."""


def predict_many(
    points: Iterable[Point], *, executor: Executor | None = None, done: Callable[[int], None] | None = None
) -> list[dict[str, Any]]:
    """Predict many points with a process a core, or whatever `executor` has; results are in their order.

    Anything with `submit` that returns futures with `result` will do: docs/howto/tune.md has Dask, MPI and Ray. `done`
    is told after each point how many there are. A point that cannot be predicted gives `{"error": text}`, whatever
    went wrong, and the others go on: without an executor also those that a killed process takes along, with one if it
    goes on. What is interrupted (Ctrl-C) starts no further point.

    Raises:
        UsageError: an executor without `submit`, or a point that is none.
    """
    asked = [_asked(number, point) for number, point in enumerate(points, 1)]
    found: dict[int, dict[str, Any]] = {}

    def take(number: int, future: Future[dict[str, Any]]) -> None:
        found[number] = _result(asked[number], future)
        if done is not None:
            done(len(found))

    if executor is None:
        with _one_interrupt():
            _run_in_processes(asked, take)
    elif callable(getattr(executor, "submit", None)):
        _run(executor, dict(enumerate(asked)), take)
    else:
        raise UsageError(
            f"predict_many: an executor has 'submit', {type(executor).__name__} has not",
            hint="executor=concurrent.futures.ProcessPoolExecutor(), or none",
        )
    return [found[number] for number in range(len(asked))]


def _asked(number: int, point: object) -> Point:
    match point:
        case (str() as name, str() as chip, None | str() as order, Mapping() as values):
            if all(isinstance(key, str) for key in values):
                return name, chip, order, dict(values)
    raise UsageError(
        f"predict_many: point {number} is no (kernel, chip, order, parameters): {point!r:.200}",
        hint='("gemm", "mi355x", None, {"m": 512})',
    )


def _run(executor: Executor, points: Mapping[int, Point], take: Callable[[int, Future[dict[str, Any]]], None]) -> None:
    """Give an executor points, and `take` their futures, in order."""
    futures: dict[int, Future[dict[str, Any]]] = {}
    try:
        for number, point in points.items():
            futures[number] = _submitted(executor, point)
        for number, future in futures.items():
            take(number, future)
    except BaseException:
        for future in futures.values():
            if hasattr(future, "cancel"):
                future.cancel()
        raise


def _submitted(executor: Executor, point: Point) -> Future[dict[str, Any]]:
    try:
        return executor.submit(_point, point)
    except Exception as error:  # others may be taken, or were
        failed: Future[dict[str, Any]] = Future()
        failed.set_exception(error)
        return failed


def _run_in_processes(asked: Sequence[Point], take: Callable[[int, Future[dict[str, Any]]], None]) -> None:
    """Run points with a process a core; those that a killed process took along run again.

    Points are begun in their order, so that the one whose process was killed is among the first of those that are
    lost, as many as there are processes. Each of these runs alone; who then loses its process again has an error.
    """
    cores, left = os.cpu_count() or 1, dict(enumerate(asked))
    while left:
        lost: list[int] = []

        def take_or_lose(number: int, future: Future[dict[str, Any]], lost: list[int] = lost) -> None:
            if isinstance(future.exception(), BrokenProcessPool):
                lost.append(number)
            else:
                take(number, future)

        with _processes(min(cores, len(left))) as pool:
            _run(pool, left, take_or_lose)
        for number in lost[:cores]:
            with _processes(1) as pool:
                _run(pool, {number: asked[number]}, take)
        left = {number: asked[number] for number in lost[cores:]}


@contextmanager
def _processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool whose processes leave Ctrl-C to this one, and are ended if an error or Ctrl-C ends this."""
    pool = ProcessPoolExecutor(count, initializer=_leave_interrupts)
    try:
        # They begin at the first call, and with what is blocked here: none sees Ctrl-C before it ignores it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool.submit(int)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the one that has the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Let one Ctrl-C through, and no other while what it ends is put away."""

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield  # Ctrl-C is another's business
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _result(point: Point, future: Future[dict[str, Any]]) -> dict[str, Any]:
    try:
        found: object = future.result()
    except Exception as error:  # a fault of hkasm's own, or a worker that is gone: the other points are worth having
        return {"parameters": point[3], "error": f"{type(error).__name__}: {error}"}
    if isinstance(found, dict):
        return found
    return {"parameters": point[3], "error": f"the executor gave {type(found).__name__}, no prediction"}


def _point(point: Point) -> dict[str, Any]:
    from hkasm.errors import HkasmError

    name, chip, order, values = point
    head: Mapping[str, Any] = {"parameters": values}
    try:
        prediction = predict_kernel(name, get_chip(chip), order=order, **values)
    except HkasmError as error:
        return {**head, "error": str(error)}
    return {**head, **prediction.as_dict(stalls=False)}

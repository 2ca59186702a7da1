"""How fast a kernel runs on a GPU: events round batches of launches, after the answer was found right."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import hkasm
from hkasm.asm.program import Program
from hkasm.errors import DeviceError, UsageError
from hkasm.kernels import Comparison, Kernel, Problem, get_kernel
from hkasm.ops.clock import ClockProbe
from hkasm.ops.launcher import values_on
from hkasm.ops.peers import Peer, measure_peers
from hkasm.runtime import Device
from hkasm.runtime.arguments import pack_arguments
from hkasm.runtime.hip_device import HipDevice, HipProperties

__all__ = ["Measurement", "measure", "peak_flops", "peak_memory_bytes"]

COLD_BYTES: Final = 2 * (256 << 20)
"""Twice the Infinity Cache: buffers of so many bytes in turn find nothing of their last use in a cache."""
_MOST_COPIES: Final = 256
_FLOPS_PER_CLOCK: Final = {
    ("gfx942", "f16"): 2048,
    ("gfx942", "bf16"): 2048,
    ("gfx942", "f8"): 4096,
    ("gfx950", "f16"): 4096,
    ("gfx950", "bf16"): 4096,
    ("gfx950", "f8"): 8192,
}
"""Dense matrix FLOP a clock and compute unit (AMD CDNA3 and CDNA4 white papers): MI300X has 304 * 2048 * 2.1 GHz."""

Assemble = Callable[[Program], bytes]


@dataclass(frozen=True)
class Measurement:
    """One row: what ran where, whether it was right, and its time a launch in seconds, or the emulator's counters.

    `seconds` holds `median`, `low` and `high` over the samples; `peak` the share that the median reaches of the chip's
    `flops` and `memory` at the clocks that HIP states; `measured_mhz` is the clock that a probe saw right behind the
    last sample (0: it saw none). `then` is the second kernel of each launch, if there is one.
    """

    kernel: str
    arch: str
    device: str
    chip: str
    problem: str
    config: dict[str, object]
    comparisons: list[Comparison]
    flops: int
    nbytes: int
    cold: bool
    then: str = ""
    launches: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    peak: dict[str, float] = field(default_factory=dict)
    clock_mhz: float = 0.0
    measured_mhz: float = 0.0
    peers: list[Peer] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return all(one.passed for one in self.comparisons)

    def document(self) -> dict[str, object]:
        """Return the row as what JSON can hold."""
        median = self.seconds.get("median", 0.0)
        return {
            "kernel": self.kernel,
            "arch": self.arch,
            "device": self.device,
            "chip": self.chip,
            "problem": self.problem,
            "config": self.config,
            "passed": self.passed,
            "cold": self.cold,
            "then": self.then,
            "launches": self.launches,
            "seconds": self.seconds,
            "tflops": self.flops / median / 1e12 if median else None,
            "gb_per_s": self.nbytes / median / 1e9 if median else None,
            "share_of_peak": self.peak,
            "clock_mhz": self.clock_mhz,
            "measured_mhz": self.measured_mhz,
            "peers": [asdict(peer) for peer in self.peers],
            "counters": self.counters,
            "hkasm": hkasm.__version__,
        }


def measure(
    target: Device,
    kernel: Kernel[Any, Any],
    arch: str,
    values: Mapping[str, object],
    assemble: Assemble,
    *,
    warmup: int = 10,
    samples: int = 20,
    batch: int = 10,
    cold: bool = False,
    peers: bool = False,
) -> Measurement:
    """Check a kernel's answer, then time it: `samples` times `batch` launches in a row, after `warmup` launches.

    `cold` takes other buffers for each launch, more than the caches hold. A wrong answer is not timed. On the emulator
    nothing is timed; its counters are returned. A second kernel that the answer takes is launched behind each launch
    and is part of the time and of the counters. `peers` times torch and hipBLASLt on the same inputs too.

    Raises:
        HkasmError: what building and launching raise.
    """
    values = values_on(target, kernel, arch, values)
    program = kernel.build(arch, **values)
    problem = kernel.problem_on(arch, values)
    inputs, outputs, after = problem.inputs(), problem.outputs(), problem.follow_up()
    programs, launches = [program], [problem.launch()]
    if after is not None:
        outputs |= after.outputs
        programs.append(get_kernel(after.kernel).build(arch, **after.values))
        launches.append(after.launch)
    entries: list[Any] = [target.load(assemble(one)).kernels[one.name] for one in programs]
    arrays = {label: target.buffer(array) for label, array in (inputs | outputs).items()}
    counters: Counter[str] = Counter()
    for entry, launch in zip(entries, launches, strict=True):
        args = [arrays[arg] if isinstance(arg, str) else arg for arg in launch.args]
        counters.update(entry.launch(launch.grid, launch.block, args).counters)
    found = {label: arrays[label].numpy() for label in outputs}
    row: dict[str, Any] = {
        "kernel": kernel.name,
        "arch": arch,
        "device": target.name,
        "chip": "",
        "problem": problem.label,
        "config": dict(program.config),
        "comparisons": problem.check(inputs, found) + (after.check(inputs, found) if after is not None else []),
        "flops": problem.flops,
        "nbytes": problem.bytes,
        "cold": cold,
        "then": after.kernel if after is not None else "",
        "counters": dict(counters),
    }
    if not isinstance(target, HipDevice):
        return Measurement(**row)
    row["chip"], row["clock_mhz"] = target.properties.name, target.properties.clock_mhz
    if not Measurement(**row).passed:
        return Measurement(**row)
    more = _copies(problem) - 1 if cold else 0
    copies = [{label: target.buffer(array) for label, array in (inputs | outputs).items()} for _ in range(more)]
    sets: list[dict[str, Any]] = [arrays, *copies]
    segments = [
        [
            (entry, launch, pack_arguments(entry.image, [one[a] if isinstance(a, str) else a for a in launch.args]))
            for entry, launch in zip(entries, launches, strict=True)
        ]
        for one in sets
    ]
    number = 0

    def enqueue(times: int) -> None:
        nonlocal number
        for _ in range(times):
            for entry, launch, segment in segments[number % len(segments)]:
                entry.enqueue(launch.grid, launch.block, kernarg=segment)
            number += 1

    with target.event() as start, target.event() as stop:
        enqueue(warmup)
        taken = []
        for _ in range(samples):
            start.record()
            enqueue(batch)
            stop.record()
            stop.synchronize()
            taken.append(stop.seconds_since(start) / batch)
        clock = ClockProbe.load(target, assemble)
        enqueue(batch)
        clock.enqueue()
        target.synchronize()
    median = statistics.median(taken)
    if median <= 0:
        raise DeviceError(f"{kernel.name}: the GPU's events say that no time passed")
    seconds = {"median": median, "low": min(taken), "high": max(taken)}
    peak = _shares(problem, median, target.properties, program)
    others = (
        measure_peers(
            target.number, kernel, problem, inputs, warmup=warmup, samples=samples, batch=batch, copies=len(sets)
        )
        if peers
        else []
    )
    return Measurement(
        **row, launches=samples * batch, seconds=seconds, peak=peak, measured_mhz=clock.mhz(), peers=others
    )


def peak_flops(properties: HipProperties, dtype: str) -> float:
    """Return the chip's dense matrix FLOP a second for an element type, or 0 where hkasm has no number."""
    rate = _FLOPS_PER_CLOCK.get((properties.arch, "f8" if dtype.startswith("f8") else dtype), 0)
    return rate * properties.compute_units * properties.clock_mhz * 1e6


def peak_memory_bytes(properties: HipProperties) -> float:
    """Return the memory's bytes a second: two transfers a clock over the whole bus."""
    return 2 * properties.memory_clock_mhz * 1e6 * properties.memory_bits / 8


def _shares(problem: Problem, seconds: float, properties: HipProperties, program: Program) -> dict[str, float]:
    dtype = next((arg.dtype for arg in program.args if arg.kind == "pointer" and arg.access == "read"), "")
    peaks = {
        "flops": (problem.flops, peak_flops(properties, dtype)),
        "memory": (problem.bytes, peak_memory_bytes(properties)),
    }
    return {name: done / seconds / most for name, (done, most) in peaks.items() if most and done}


def _copies(problem: Problem) -> int:
    if problem.bytes <= 0:
        raise UsageError(f"{problem.label}: there are no bytes to take turns with", hint="leave out --cold")
    return min(-(-COLD_BYTES // problem.bytes), _MOST_COPIES)

"""The library's attention of one workgroup under one of its schedules, for mutants: the interface of `TileGemm`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import hkasm
from hkasm.analysis.verifier import Course
from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.kernels.attention.body import Attention
from hkasm.kernels.attention.declared import BLOCK_KV
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.schedules import Schedule
from hkasm.schedules.attention import SCHEDULES

ARCHS = {True: "gfx950", False: "gfx942"}
"""The arch whose loads go to LDS without registers, and the other."""
LABELS = tuple(cls.name for cls in SCHEDULES.values())


@dataclass(frozen=True)
class TileAttention:
    """The kernel for one block of queries of one head, keys of `d` elements; a K step is a block of keys."""

    schedule: Schedule
    order: str
    direct: bool
    d: int = 64

    @classmethod
    def of(cls, label: str, d: int = 64) -> TileAttention:
        """Return the kernel under the schedule of a name, which says the arch as well."""
        (order, direct), schedule = next(item for item in SCHEDULES.items() if item[1].name == label)
        return cls(schedule(), order, direct, d)

    def problem(self, trips: int) -> AttentionProblem:
        """Return a problem of so many blocks of keys, the last of them cut; row maxima grow late."""
        short = AttentionProblem(d=self.d, schedule=self.order, hq=1, hkv=1, data="late")
        return replace(short, q=short.block_q, kv=max(BLOCK_KV * trips - 1, 1))

    @cached_property
    def program(self) -> Program:
        problem = self.problem(1)
        k = Builder(ARCHS[self.direct], "attention", block=64 * problem.waves)
        attention = Attention(k, problem)
        attention.schedule = self.schedule
        attention.write()
        k.fix_hazards()
        return k.finish()

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """A device and the kernel on it."""
        device = hkasm.device("emulator")
        return device, device.load(build_hsaco(self.program)).kernels["attention"]

    @property
    def span(self) -> range:
        """All instructions: waits and barriers around the pipeline are mutated too."""
        return range(len(self.program.instructions))

    def with_program(self, program: Program) -> TileAttention:
        """The same kernel with another program."""
        other = replace(self)
        other.__dict__["program"] = program
        return other

    def with_schedule(self, schedule: Schedule) -> TileAttention:
        """The same kernel under another schedule."""
        return replace(self, schedule=schedule)

    def course(self, trips: int) -> Course:
        """What the waves execute and touch in a launch, for the verifier; the launch itself is not checked."""
        trace = WaveTrace()
        self.launch(trips, Options(checks=(), strict=False), [trace])
        return Course(self.program, {wave: steps for (_, wave), steps in trace.waves.items()})

    def launch(
        self, trips: int, options: Options | None = None, probes: Sequence[Listener] = ()
    ) -> tuple[RunReport, np.ndarray]:
        """Launch with a number of blocks of keys; returns the report, and the bits of O and LSE."""
        problem = self.problem(trips)
        inputs, outputs = problem.inputs(trips), problem.outputs()
        device, kernel = self._loaded
        buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
        launch = problem.launch()
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        report = kernel.launch(launch.grid, launch.block, args, options=options, probes=probes)
        return report, np.concatenate([buffers[name].numpy().view(np.uint8) for name in outputs])

    def run(self, trips: int, options: Options | None = None) -> tuple[RunReport, np.ndarray, np.ndarray]:
        """Launch; returns the report, the bits of O and LSE, and those of the kernel without changes."""
        report, got = self.launch(trips, options)
        return report, got, _right(self.order, self.direct, self.d, trips)


_RIGHT: dict[tuple[str, bool, int, int], np.ndarray] = {}


def _right(order: str, direct: bool, d: int, trips: int) -> np.ndarray:
    key = order, direct, d, trips
    if key not in _RIGHT:
        whole = TileAttention.of(SCHEDULES[order, direct].name, d)
        _RIGHT[key] = whole.launch(trips)[1]
    return _RIGHT[key]

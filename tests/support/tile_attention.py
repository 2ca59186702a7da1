"""The library's attention of one workgroup under one of its schedules, for mutants: the interface of `TileGemm`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from support.tile_gemm import changed

import hkasm
from hkasm.analysis.verifier import Course
from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.kernels.attention.body import Attention
from hkasm.kernels.attention.declared import BLOCK_KV
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.kernels.attention.schedule import SCHEDULES
from hkasm.schedules import Schedule

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
    def hsaco(self) -> bytes:
        return build_hsaco(self.program)

    def with_changes(self, changes: Mapping[int, Instruction | None]) -> TileAttention:
        """The same kernel with other instructions in place of some, by index, or without them."""
        other = replace(self)
        other.__dict__["program"] = changed(self.program, changes)
        return other

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
        device = hkasm.device("emulator")
        buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
        launch = problem.launch()
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        kernel = device.load(self.hsaco).kernels["attention"]
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

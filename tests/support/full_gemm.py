"""The library's GEMM at a full-size tile, as a carrier of mutants: one tile, any number of K steps.

Mutated is the pipeline for one alignment of rows. Small integers and f32 or i32 results, so that every right answer is
exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from support.gemm_runs import PITCHES

import hkasm
from hkasm.analysis.verifier import Course
from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.body import Gemm
from hkasm.kernels.gemm.declared import GemmConfig, plan_of
from hkasm.kernels.gemm.entry import Entry
from hkasm.kernels.gemm.fetch import Mover
from hkasm.kernels.gemm.problem import GemmProblem
from hkasm.schedules import Pipeline, Schedule, Steps

UNITS = {"wide": 16, "words": 4, "elements": 2}
"""Bytes of the loads of each pipeline."""


@dataclass(frozen=True)
class FullGemm:
    """A configuration on an arch, as ``dtype=fp8,schedule=pingpong``.

    `order` stands in place of the schedule that the configuration names. With `late_columns` the second group are the
    waves of the right half of the tile, whose rows of A the first group fetches and reads too.
    """

    arch: str
    label: str
    order: Schedule | None = None
    late_columns: bool = False
    pipeline: str = "wide"

    @cached_property
    def config(self) -> GemmConfig:
        values = dict(one.split("=") for one in self.label.split(","))
        out = "i32" if values.get("dtype") == "i8" else "f32"
        return GemmConfig.of({"out": out, **values})

    @cached_property
    def _written(self) -> _Written:
        return _Written(self)

    @property
    def schedule(self) -> Schedule:
        return self.order or self._written.gemm._schedule(UNITS[self.pipeline])

    @cached_property
    def program(self) -> Program:
        return self._written.program

    @property
    def span(self) -> range:
        """The instructions of the pipeline."""
        mark = next(mark for mark in self.program.marks if (mark.kind, mark.name) == ("section", self.pipeline))
        return range(mark.first, mark.last)

    def with_program(self, program: Program) -> FullGemm:
        """The same kernel with another program."""
        other = replace(self)
        other.__dict__["program"] = program
        return other

    def with_schedule(self, schedule: Schedule) -> FullGemm:
        """The same kernel under another schedule."""
        return replace(self, order=schedule)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """A device and the kernel on it."""
        device = hkasm.device("emulator")
        return device, device.load(build_hsaco(self.program)).kernels["gemm"]

    def _problem(self, trips: int) -> GemmProblem:
        rows, columns = map(int, self.config.tile.split("x"))
        values = {one.name: getattr(self.config, one.name) for one in self.config.parameters()}
        k = trips * plan_of(self.arch, self.config).depth
        pitch = k + PITCHES[self.pipeline]
        shape = {"m": rows, "n": columns, "k": k, "lda": pitch, "ldb": pitch}
        return GemmProblem.of({**values, **shape, "data": "integers", "arch": self.arch})

    def course(self, trips: int) -> Course:
        """What the waves execute and touch in a launch; the launch itself is not checked."""
        trace = WaveTrace()
        self.run(trips, Options(checks=(), strict=False), probes=[trace])
        return Course(self.program, {wave: steps for (_, wave), steps in trace.waves.items()})

    def run(
        self, trips: int, options: Options | None = None, probes: Sequence[Listener] = ()
    ) -> tuple[RunReport, np.ndarray, np.ndarray]:
        """Launch with a number of K steps; returns the report, C, and the right C."""
        problem, (device, kernel) = self._problem(trips), self._loaded
        inputs = problem.inputs(trips)
        arrays = inputs | problem.outputs()
        buffers = {name: device.buffer(array, name) for name, array in arrays.items()}
        launch = problem.launch()
        args = [buffers[arg].address if isinstance(arg, str) else arg for arg in launch.args]
        report = kernel.launch(launch.grid, launch.block, args, options=options, probes=probes)
        return report, problem.matrix("C", buffers["C"].numpy()), problem.reference(inputs)


class _LateColumns(Entry):
    """An entry after which the waves of every second column are the late group."""

    def _place_lane(self) -> None:
        super()._place_lane()
        late = self.r.scalars.late
        self.k.s_lshr_b32(late, self.r.scalars.wave, 1)
        self.k.s_and_b32(late, late, 1)


class _Written:
    """The kernel's writer, with the order and the groups that are asked for."""

    def __init__(self, full: FullGemm) -> None:
        class Ordered(Gemm):
            def _schedule(self, unit: int) -> Schedule:
                ordered = full.order is not None and unit == UNITS[full.pipeline]
                return full.order if ordered else super()._schedule(unit)

            def _pipeline(self, movers: list[Mover], schedule: Schedule) -> Pipeline:
                made = super()._pipeline(movers, schedule)
                if not full.late_columns:
                    return made
                return replace(made, steps=Steps(replace(step, grouped=False) for step in made.steps))

        plan = plan_of(full.arch, full.config)
        k = Builder(full.arch, get_kernel("gemm").name, block=plan.threads)
        self.gemm = gemm = Ordered(k, full.config, plan)
        if full.late_columns:
            gemm.entry = _LateColumns(k, gemm.config, plan, gemm.r, gemm.arguments, gemm.finish, gemm.stream)
        self.gemm.write()
        k.fix_hazards()
        self.program = k.finish()

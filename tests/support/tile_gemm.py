"""A GEMM of one 128x128 tile, small enough to be run under every schedule with every number of K steps.

C = A B^T in f32 with bf16 rows of 32 K elements a step (64 bytes), no padding and no edges. Four waves multiply, two by
two; with `producers` four more waves fetch. A0 and B1 have a set of registers for each buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import ml_dtypes
import numpy as np

import hkasm
from hkasm.analysis.verifier import Course
from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.isa.registers import M0, Register
from hkasm.schedules import Pipeline, Schedule, Step, Steps

TILE, ROW_BYTES, HALF_ROWS = 128, 64, 64
HALF_BYTES = HALF_ROWS * ROW_BYTES
WAVE_FETCH = HALF_BYTES // 4
WAVES = 4
FRAGMENT_BYTES = 16 * ROW_BYTES
REGIONS = ("A0", "A1", "B0", "B1")
STAGED = ("simple", "gather", "pingpong-staged", "interleave-staged", "specialised-staged")


@dataclass(frozen=True)
class TileGemm:
    """The kernel under one schedule; `trips` is the number of K steps if the code may know it."""

    schedule: Schedule
    trips: int | None = None
    arch: str = "gfx950"
    finishes: bool = True
    late_shift: int = 1
    """The bit of a wave's number that says it is in the late group: 1 for the rows of C, 0 for the columns."""

    @property
    def staged(self) -> bool:
        return self.schedule.name in STAGED

    @property
    def waves(self) -> int:
        return WAVES * (2 if self.schedule.producers else 1)

    @cached_property
    def program(self) -> Program:
        return _Writer(self).program

    @cached_property
    def pipeline(self) -> tuple[Builder, Pipeline]:
        writer = _Writer(self)
        return writer.k, writer.pipeline

    @cached_property
    def hsaco(self) -> bytes:
        return build_hsaco(self.program)

    @property
    def span(self) -> range:
        """The instructions of the pipeline, which is all there is."""
        return range(len(self.program.instructions))

    def with_program(self, program: Program) -> TileGemm:
        """The same kernel with another program."""
        other = replace(self)
        other.__dict__["program"] = program
        return other

    def with_schedule(self, schedule: Schedule) -> TileGemm:
        """The same kernel under another schedule."""
        return replace(self, schedule=schedule)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """A device and the kernel on it."""
        device = hkasm.device("emulator")
        return device, device.load(self.hsaco).kernels["tile_gemm"]

    def course(self, trips: int) -> Course:
        """What the waves execute and touch in a launch, for the verifier; the launch itself is not checked."""
        trace = WaveTrace()
        self.run(trips, Options(checks=(), strict=False), probes=[trace])
        return Course(self.program, {wave: steps for (_, wave), steps in trace.waves.items()})

    def run(
        self, trips: int, options: Options | None = None, *, normal: bool = False, probes: Sequence[Listener] = ()
    ) -> tuple[RunReport, np.ndarray, np.ndarray]:
        """Launch with a number of K steps, on small integers or N(0, 1); returns the report, C, and the right C."""
        a, b, want = _case(trips, normal)
        device, kernel = self._loaded
        c = device.buffer(np.full((TILE, TILE), np.nan, np.float32), "C")
        buffers = [device.buffer(x, name) for x, name in ((a, "A"), (b, "B"))]
        args = [c.address, *(buffer.address for buffer in buffers), trips]
        report = kernel.launch((1, 1, 1), (64 * self.waves, 1, 1), args, options=options, probes=probes)
        return report, c.numpy(), want


@lru_cache(maxsize=64)
def _case(trips: int, normal: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B and the right C of a number of K steps."""
    random = np.random.default_rng(trips)
    k = max(trips, 1) * 32
    draw = random.standard_normal if normal else lambda shape: random.integers(-4, 5, shape)
    a, b = (draw((TILE, k)).astype(np.float32) for _ in "AB")
    if trips == 0:
        a[:] = 0
    return a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16), a.astype(np.float64) @ b.T.astype(np.float64)


def changed(program: Program, changes: Mapping[int, Instruction | None]) -> Program:
    """The program with other instructions in place of some, by index, or without them."""
    body: list[Instruction | Label] = []
    index = 0
    for item in program.body:
        put: Instruction | Label | None = item
        if isinstance(item, Instruction):
            put = changes.get(index, item)
            index += 1
        if put is not None:
            body.append(put)
    return program.with_body(body)


class _Writer:
    def __init__(self, gemm: TileGemm) -> None:
        self.gemm, self.schedule = gemm, gemm.schedule
        self.k = k = Builder(gemm.arch, "tile_gemm", block=64 * gemm.waves)
        self.depth = self.schedule.depth
        for name in REGIONS:
            for slot in range(self.depth):
                k.lds(f"{name}[{slot}]", HALF_BYTES)
        self.views = {name: k.sgpr(f"view {name}", 4) for name in "CAB"}
        self.trips, self.cursor, self.wave = k.sgpr("trips"), k.sgpr("cursor"), k.sgpr("wave")
        self.late, self.fetch_base, self.temporary = k.sgpr("late"), k.sgpr("fetch base"), k.sgpr("temporary", 2)
        self.pointers = k.sgpr("pointers", 8)
        sets = self.depth if self.schedule.woven or self.schedule.producers else 1
        self.fragments = {
            name: [k.vgpr(f"{name} set {i}", 8) for i in range(sets if name in ("A0", "B1") else 1)] for name in REGIONS
        }
        self.accumulators = k.agpr("accumulators", 64)
        self.offsets, self.bases = k.vgpr("offsets", 4), k.vgpr("bases", 2)
        self.staging = {"A": k.vgpr("staged A", 8), "B": k.vgpr("staged B", 8)}
        self.commit_base, self.result = k.vgpr("commit base"), k.vgpr("result", 4)
        self.row, self.store = k.vgpr("row"), k.vgpr("store")
        self._entry()
        self.pipeline = Pipeline(self.schedule, Steps(self._steps()), self._advance)
        split = self.schedule.groups > 1 or bool(self.schedule.producers)
        self.pipeline.lower(
            k, self.trips if gemm.trips is None else gemm.trips, late=self.late if split else None, name="tile"
        )
        if not gemm.finishes:
            for step in self._finishes():
                step.emit(k, 0)
        k.s_endpgm()
        k.fix_hazards()
        self.program = k.finish()

    def grouped(self, name: str) -> bool:
        """Tell whether a group of waves reads of this side what it fetched itself: A, if the groups divide the rows."""
        return name[0] == "A" and self.gemm.late_shift == 1

    def start(self, name: str, slot: int) -> int:
        return (REGIONS.index(name) * self.depth + slot) * HALF_BYTES

    def _entry(self) -> None:
        k = self.k
        for name in "CAB":
            k.arg(
                name, "f32" if name == "C" else "bf16", pointer=True, rank=2, access="write" if name == "C" else "read"
            )
        k.arg("trips", "u32")
        k.s_load_dwordx8(self.pointers, k.kernarg, 0)
        k.wait(self.pointers)
        k.s_mov_b32(self.trips, self.pointers[6])
        for index, name in enumerate("CAB"):
            view = self.views[name]
            k.s_mov_b32(view[0], self.pointers[2 * index])
            k.s_mov_b32(view[1], self.pointers[2 * index + 1])
            k.s_lshl_b32(view[2], self.trips, 13)  # 128 rows of 64 bytes a step
            if name == "C":
                k.s_mov_b32(view[2], TILE * TILE * 4)
            k.s_mov_b32(view[3], 0x00020000)
        row, store = self.row, self.store
        k.v_lshrrev_b32(row, 6, k.lane)
        k.v_readfirstlane_b32(self.wave, row)
        k.v_and_b32(k.lane, 63, k.lane)
        if self.schedule.producers:
            k.s_lshr_b32(self.late, self.wave, 2)
            k.s_and_b32(self.wave, self.wave, 3)
        else:
            k.s_lshr_b32(self.late, self.wave, self.gemm.late_shift)
            k.s_and_b32(self.late, self.late, 1)
        # Fetching: lane i of wave w brings chunk i % 4 of row 16 w + i / 4.
        k.s_lshl_b32(self.fetch_base, self.wave, 10)
        k.s_lshl_b32(self.temporary[0], self.wave, 4)
        k.s_lshl_b32(self.temporary[1], self.trips, 6)
        k.v_lshrrev_b32(row, 2, k.lane)
        k.v_add_u32(row, self.temporary[0], row)
        k.v_mul_lo_u32(row, row, self.temporary[1])
        k.v_and_b32(store, 3, k.lane)
        k.v_lshl_add_u32(self.offsets[0], store, 4, row)
        k.s_lshl_b32(self.temporary[1], self.temporary[1], 6)
        k.v_add_u32(self.offsets[1], self.temporary[1], self.offsets[0])
        k.v_lshl_add_u32(self.commit_base, k.lane, 4, self.fetch_base)
        # Reading: lane i takes chunk i / 16 of row i % 16 of a fragment.
        k.v_and_b32(row, 15, k.lane)
        k.v_lshrrev_b32(store, 4, k.lane)
        k.v_lshlrev_b32(store, 4, store)
        k.v_lshl_or_b32(store, row, 6, store)
        k.s_lshr_b32(self.temporary[0], self.wave, 1)
        k.s_and_b32(self.temporary[1], self.wave, 1)
        for index in (0, 1):
            k.s_lshl_b32(self.temporary[index], self.temporary[index], 5)  # rows of the wave: 32
            k.s_lshl_b32(M0, self.temporary[index], 6)
            k.v_add_u32(self.bases[index], M0, store)
        # Storing: lane i has column i % 16 and rows 4 (i / 16) to + 3 of a fragment.
        k.v_add_u32(row, self.temporary[1], row)
        k.v_lshrrev_b32(store, 4, k.lane)
        k.v_lshl_add_u32(store, store, 2, self.temporary[0])
        k.v_lshl_add_u32(store, store, 7, row)
        k.v_lshlrev_b32(store, 2, store)
        for register in self.accumulators:
            k.v_accvgpr_write_b32(register, 0)
        k.s_mov_b32(self.cursor, 0)

    def _advance(self, k: Builder, slot: int) -> None:
        k.s_add_u32(self.cursor, self.cursor, ROW_BYTES)

    # Steps.

    def _steps(self) -> list[Step]:
        steps = [self._read(name) for name in REGIONS]
        steps += [self._compute(a, b) for a in (0, 1) for b in (0, 1)]
        if self.gemm.staged:
            for name in "AB":
                steps += [self._fetch_staged(name), self._commit(name)]
        else:
            steps += [self._fetch(name) for name in REGIONS]
        return steps + (list(self._finishes()) if self.gemm.finishes else [])

    def fragment(self, name: str, slot: int, index: int) -> Register:
        sets = self.fragments[name]
        return sets[slot % len(sets)][4 * index : 4 * index + 4]

    def _read(self, name: str) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for i in (0, 1):
                base = self.bases["AB".index(name[0])]
                k.ds_read_b128(self.fragment(name, slot, i), base, offset=self.start(name, slot) + i * FRAGMENT_BYTES)

        return Step(name, "read", emit, regions=(name,), grouped=self.grouped(name))

    def _accumulator(self, a: int, b: int, i: int, j: int) -> Register:
        first = 4 * (((a * 2 + b) * 2 + i) * 2 + j)
        return self.accumulators[first : first + 4]

    def _compute(self, a: int, b: int) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for i in (0, 1):
                for j in (0, 1):
                    target = self._accumulator(a, b, i, j)
                    rows, columns = self.fragment(f"A{a}", slot, i), self.fragment(f"B{b}", slot, j)
                    if self.gemm.arch == "gfx950":
                        k.v_mfma_f32_16x16x32_bf16(target, rows, columns, target)
                        continue
                    for part in (0, 2):
                        k.v_mfma_f32_16x16x16_bf16(target, rows[part : part + 2], columns[part : part + 2], target)

        return Step(f"C{a}{b}", "compute", emit)

    def _fetch(self, name: str) -> Step:
        def prepare(k: Builder, slot: int) -> None:
            k.s_add_u32(M0, self.fetch_base, self.start(name, slot))

        def emit(k: Builder, slot: int) -> None:
            k.buffer_load_dwordx4(self.offsets[int(name[1])], self.views[name[0]], self.cursor, lds=True)

        return Step(name, "fetch", emit, regions=(name,), prepare=prepare, grouped=self.grouped(name))

    def _fetch_staged(self, name: str) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for half in (0, 1):
                target = self.staging[name][4 * half : 4 * half + 4]
                k.buffer_load_dwordx4(target, self.offsets[half], self.views[name], self.cursor)

        return Step(name, "fetch", emit)

    def _commit(self, name: str) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for half in (0, 1):
                source = self.staging[name][4 * half : 4 * half + 4]
                k.ds_write_b128(self.commit_base, source, offset=self.start(f"{name}{half}", slot))

        return Step(name, "commit", emit, regions=(f"{name}0", f"{name}1"), grouped=self.grouped(name))

    def _finishes(self) -> Iterator[Step]:
        for a in (0, 1):
            for b in (0, 1):
                yield self._finish(a, b)

    def _finish(self, a: int, b: int) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for i in (0, 1):
                for j in (0, 1):
                    quad = self._accumulator(a, b, i, j)
                    k.s_mov_b32(self.temporary[0], ((a * HALF_ROWS + i * 16) * TILE + b * HALF_ROWS + j * 16) * 4)
                    for e in range(4):
                        k.v_accvgpr_read_b32(self.result[e], quad[e])
                        k.buffer_store_dword(
                            self.result[e], self.store, self.views["C"], self.temporary[0], offset=e * TILE * 4
                        )

        return Step(f"C{a}{b}", "finish", emit)

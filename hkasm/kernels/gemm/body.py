"""The GEMM's body: behind the entry the pipelines by alignment, the rest of K, the end.

One code object serves every shape. What a launch needs is decided with scalar branches: which way to fetch (by the
alignment of lines in memory), whether a rest of K is left, how to store.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.isa.registers import EXEC, Register
from hkasm.kernels.communication import Communication, Reserved
from hkasm.kernels.gemm.arguments import Arguments
from hkasm.kernels.gemm.declared import GemmConfig, resolved
from hkasm.kernels.gemm.entry import Entry
from hkasm.kernels.gemm.fetch import Direct, Gather, Mover, Packed, Staged, Transposed
from hkasm.kernels.gemm.finish import Finish, Function
from hkasm.kernels.gemm.plan import (
    CHUNK_BYTES,
    DWORD_BYTES,
    HALVES,
    SCALE_BYTES,
    SCALE_DEPTH,
    WAVE_SIZE,
    TilePlan,
    log2,
)
from hkasm.kernels.gemm.registers import Registers, allocate
from hkasm.kernels.gemm.steps import shared_steps
from hkasm.kernels.gemm.store import Store
from hkasm.kernels.gemm.stream import Stream
from hkasm.schedules import Pipeline, Schedule, Steps, get_schedule


class Gemm:
    """Writes one GEMM kernel."""

    def __init__(
        self,
        k: Builder,
        config: GemmConfig,
        plan: TilePlan,
        function: Function | None = None,
        communication: Communication | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        self.k, self.config, self.plan, self.schedule = k, resolved(config), plan, schedule
        for side in plan.sides:
            for slot in range(plan.slots):
                for half in HALVES:
                    k.lds(f"{side.name}{half}[{slot}]", side.half_bytes)
        self.r: Registers = allocate(k, plan, config.acc)
        self.arguments = Arguments(k, config)
        xcds = self.config.xcds if self.config.ordered else None
        self.stream = Stream(k, self.r, self.arguments, xcds) if config.work == "stream" else None
        number = self.stream.product if self.stream else k.group_ids[2]
        self.finish = Finish(k, self.r, config, self.arguments, number, function)
        self.store = Store(k, self.r, config, self.finish)
        # One object for each step that all pipelines share, so that it is written once.
        self.shared_steps = shared_steps(self.r)
        self.reserved: Reserved | None = None
        if communication is not None:
            batched = config.batch != "none"
            self.reserved = Reserved(k, config.reserve, communication, xcds=config.xcds, batched=batched)
        self.entry = Entry(k, self.config, plan, self.r, self.arguments, self.finish, self.stream)

    def write(self) -> None:
        """Write the kernel from its first instruction to its last."""
        k = self.k
        if self.reserved:
            self.reserved.begin()
        tickets = self.entry.write()
        rest = k.label("rest_of_k")
        self._write_pipelines(rest)
        k.place(rest)
        self._idle_producers()
        self._write_rest()
        if self.stream:
            self.stream.write_sum()
        self.finish.write()
        self.store.write()
        if self.stream:
            self.stream.write_next()
        if tickets:
            with k.mark("section", "tickets"):
                k.s_mov_b64(EXEC, -1)
                tickets.end()
        if self.entry.no_tile is not None:
            k.place(self.entry.no_tile)
        k.s_endpgm()
        if self.reserved:
            self.reserved.end()

    def _write_pipelines(self, rest: Label) -> None:
        """Write a pipeline for each alignment of lines and choose one by the lowest bits of pointers and pitches."""
        k, s = self.k, self.r.scalars
        k.s_or_b32(s.temporary, s.a[0], s.b[0])
        for name in "AB":
            k.s_or_b32(s.temporary, s.temporary, s.pitch(name))
        self._write_if_aligned("wide", CHUNK_BYTES, rest)
        if self.plan.words:
            self._write_if_aligned("words", DWORD_BYTES, rest)
        if self.plan.packs:
            self._write_pipeline("elements", 2)
        else:
            k.s_mov_b32(s.trips, 0)

    def _write_if_aligned(self, name: str, unit: int, rest: Label) -> None:
        k, s = self.k, self.r.scalars
        other = k.label(f"not_{name}")
        k.s_and_b32(s.other, s.temporary, unit - 1)
        k.s_cbranch_scc1(other)
        for side in self.plan.sides:
            if side.along_k:  # offsets of later lines would be negative
                k.s_cmp_lt_u32(s.pitch(side.name), side.line_bytes)
                k.s_cbranch_scc1(other)
        self._write_pipeline(name, unit)
        k.s_branch(rest)
        k.place(other)

    def _write_pipeline(self, name: str, unit: int) -> None:
        k, movers = self.k, self._movers(unit)
        for mover in movers:
            mover.setup()
        pipeline = self._pipeline(movers, self._schedule(unit))
        if self.config.work in ("stream", "tickets") and not pipeline.plan(k).guarded:
            # Other waves may be in the rest of the tile before, whose reads of LDS come last, or read their rank there.
            k.s_barrier(comment="LDS is free")
        pipeline.lower(k, self.r.scalars.trips, late=self.r.scalars.late, name=name)

    def _movers(self, unit: int) -> list[Mover]:
        """Return what fetches both sides with loads of `unit` bytes."""
        k, r, room = self.k, self.r, 0
        found: list[Mover] = []
        turned = None
        if not self.plan.direct and any(side.strided for side in self.plan.sides):
            turned = r.staging[r.staging.count - 16 : r.staging.count].named("turned")
        for side in self.plan.sides:
            mover: Mover
            if self.plan.direct and unit >= DWORD_BYTES:
                mover = Direct(k, r, side, unit // DWORD_BYTES, room)
                room += len(HALVES) * side.loaded_bytes // (WAVE_SIZE * unit)
            elif unit == 2:
                mover = Packed(k, r, side, room)
                room += 4 * mover.chunks
            elif side.strided:
                assert turned is not None
                mover = Transposed(k, r, side, room, turned)
                room += 4 * mover.chunks
            else:
                mover = Staged(k, r, side, unit, room)
                room += 4 * mover.chunks
            found.append(mover)
        return found

    def _schedule(self, unit: int) -> Schedule:
        """Return the order for loads of `unit` bytes: the author's own, or that of the configuration."""
        if self.schedule is not None and unit >= DWORD_BYTES:
            return self.schedule
        return declared_schedule(self.config, self.plan, unit)

    def _idle_producers(self) -> None:
        """Let the waves that only fetch go on without lanes: they meet the others at every barrier."""
        if isinstance(self.r.everyone, Register):
            self.k.s_mov_b64(EXEC, self.r.everyone)

    def _write_rest(self) -> None:
        """Write the steps for what the pipelines have left of K.

        They need no barrier before them: their plan is guarded, and where their number is known two groups of waves
        have left LDS free.
        """
        k, s = self.k, self.r.scalars
        done = k.label("summed")
        k.s_lshl_b32(s.temporary, s.trips, log2(self.plan.depth))
        if self.stream:
            k.s_add_u32(s.temporary, s.temporary, self.stream.first)
        k.s_sub_u32(s.rest, self.entry.k_end, s.temporary)
        k.s_cmp_eq_u32(s.rest, 0)
        k.s_cbranch_scc1(done)
        with k.mark("section", "rest setup"):
            k.s_mov_b32(s.mask[0], s.temporary)
            self.entry.place_cursors(s.mask[0])
            for side in self.plan.sides:
                if side.strided:
                    self.entry.place_strided(side, s.mask[0])
            k.s_add_u32(s.trips, s.rest, self.plan.depth - 1)
            k.s_lshr_b32(s.trips, s.trips, log2(self.plan.depth))
            movers: list[Mover] = [Gather(k, self.r, side) for side in self.plan.sides]
            for mover in movers:
                mover.setup()
            self._limit_rest(k)
        steps = Steps([*(step for mover in movers for step in mover.steps()), *self.shared_steps])
        # Where every alignment has a pipeline, less than a K step is left.
        trips = 1 if self.plan.packs else s.trips
        Pipeline(get_schedule("gather"), steps, self._advance_rest).lower(k, trips, name="rest")
        k.place(done)

    def _limit_rest(self, k: Builder) -> None:
        for side in self.plan.sides:
            if side.strided:
                self.entry.limit_strided(side, whole=False)

    def _pipeline(self, movers: list[Mover], schedule: Schedule) -> Pipeline:
        steps = Steps([*(step for mover in movers for step in mover.steps()), *self.shared_steps])
        return Pipeline(schedule, steps, self._advance)

    def _advance(self, k: Builder, slot: int) -> None:
        s = self.r.scalars
        if not all(side.strided for side in self.plan.sides):
            for side in self.plan.sides[: s.cursors.count]:
                k.s_add_u32(s.cursor(side), s.cursor(side), side.depth * side.bits // 8)
        if self.r.scales is not None:
            step = self.plan.depth * SCALE_BYTES // SCALE_DEPTH
            k.s_add_u32(self.r.scales.cursor, self.r.scales.cursor, step)
        for side in self.plan.sides:
            if side.strided:
                k.s_lshl_b32(s.temporary, s.pitch(side.name), log2(side.depth))
                self.r.view(side.name).move(k, s.temporary)

    def _advance_rest(self, k: Builder, slot: int) -> None:
        s = self.r.scalars
        self._advance(k, slot)
        k.s_sub_u32(s.rest, s.rest, self.plan.depth)
        self._limit_rest(k)


def declared_schedule(config: GemmConfig, plan: TilePlan, unit: int = CHUNK_BYTES) -> Schedule:
    """Return the schedule of a resolved configuration for loads of `unit` bytes."""
    direct, depth = plan.direct and unit >= DWORD_BYTES, {"depth": plan.slots}
    if config.schedule == "simple":
        return get_schedule("simple-direct" if direct else "simple")
    if config.schedule == "specialised":
        return get_schedule("specialised", **depth) if direct else get_schedule("specialised-staged")
    if config.schedule.startswith("interleave"):
        return get_schedule(config.schedule, **depth) if direct else get_schedule("interleave-staged")
    if direct:
        return get_schedule("pingpong", **depth)
    return get_schedule("pingpong-packed" if unit == 2 else "pingpong-staged")

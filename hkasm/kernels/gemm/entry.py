"""The GEMM's entry: arguments, which tile, where its operands and this lane are, how many K steps."""

from __future__ import annotations

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.grids.emit import emit_order, emit_shares, emit_tile
from hkasm.grids.row_major import tile_origin
from hkasm.grids.tickets import TicketLoop, counters
from hkasm.isa.registers import Register
from hkasm.kernels.gemm.arguments import Arguments
from hkasm.kernels.gemm.declared import GemmConfig
from hkasm.kernels.gemm.fetch import to_bytes
from hkasm.kernels.gemm.finish import Finish
from hkasm.kernels.gemm.plan import (
    CHUNK_BYTES,
    DWORD_BYTES,
    SCALE_BYTES,
    SCALE_DEPTH,
    SCALE_ROWS,
    WAVE_SIZE,
    Side,
    TilePlan,
    log2,
)
from hkasm.kernels.gemm.registers import Registers
from hkasm.kernels.gemm.stream import Stream
from hkasm.tiles.lanes import write_table

ARGUMENT_BYTES = 32
"""Three pointers, M and N stand in front of K and the pitches."""


class Entry:
    """Writes what a workgroup does before its first K step; views of K-strided sides move on in the rest of K too.

    `k_end` is where this workgroup's part of K ends, `no_tile` the label where it goes if it has none.
    """

    def __init__(
        self,
        k: Builder,
        config: GemmConfig,
        plan: TilePlan,
        registers: Registers,
        arguments: Arguments,
        finish: Finish,
        stream: Stream | None,
    ) -> None:
        self.k, self.config, self.plan, self.r = k, config, plan, registers
        self.arguments, self.finish, self.stream = arguments, finish, stream
        self.number = stream.product if stream else k.group_ids[2]
        self.k_end = stream.end if stream else registers.scalars.k
        self.no_tile: Label | None = None

    def write(self) -> TicketLoop | None:
        """Write the entry; returns the loop over tickets that it began, if workgroups stay."""
        tickets = self._begin_tickets()
        with self.k.mark("section", "entry"):
            if self.stream:
                self._place_lane()
                self.stream.start()
            self._load_arguments(tickets)
            self._place_batch()
            self._place_views()
            if not self.stream:
                self._place_lane()
            self._place_scales()
            self._clear_accumulators()
            self._count_steps()
        return tickets

    def _begin_tickets(self) -> TicketLoop | None:
        """Begin the loop over tickets, where workgroups stay; products of a batch have a table each."""
        if self.config.work != "tickets":
            return None
        k = self.k
        with k.mark("section", "tickets"):
            (table,) = self.arguments.load("tickets")
            temporaries = k.sgpr("ticket", 3)
            if self.config.batch != "none":
                k.s_mul_i32(temporaries[0], self.number, counters(self.config.xcds) * DWORD_BYTES)
                k.s_add_u32(table[0], table[0], temporaries[0])
                k.s_addc_u32(table[1], table[1], 0)
            rank, die = k.sgpr("rank"), k.sgpr("XCD")
            loop = TicketLoop(
                k, table, k.kernarg, rank, die, temporaries, self.r.temporaries[0:3],
                offset=self.arguments.shares_offset, xcds=self.config.xcds,
            )  # fmt: skip
            loop.begin()
        return loop

    def _load_arguments(self, tickets: TicketLoop | None) -> None:
        k, s = self.k, self.r.scalars
        k.s_load_dwordx8(s.pointers, k.kernarg, 0)
        k.s_load_dwordx4(s.sizes, k.kernarg, ARGUMENT_BYTES)
        numbers = self.arguments.load_grid() if self.config.ordered else None
        k.wait(s.pointers, s.sizes, *([] if numbers is None else [numbers]), reason="arguments")
        self._find_tile(numbers, tickets)
        for name in "ABC":
            to_bytes(k, s.pitch(name), s.pitch(name), self.config.bits(name))

    def _find_tile(self, numbers: Register | None, tickets: TicketLoop | None) -> None:
        """Write the first row and column of this workgroup's tile, by the numbers of an order if there is one."""
        k, s, plan = self.k, self.r.scalars, self.plan
        if self.stream:
            self.stream.find_tile(numbers)
            return
        if numbers is None:
            tile_origin(k, s.row, s.column, plan.a.rows, plan.b.rows)
            return
        temporaries = k.sgpr("tile of the grid", 4)
        if tickets is None:
            self._find_own_tile(numbers, temporaries)
        else:
            emit_tile(k, tickets.rank, numbers, s.row, s.column, temporaries)
        k.s_mul_i32(s.row, s.row, plan.a.rows)
        k.s_mul_i32(s.column, s.column, plan.b.rows)
        k.free(numbers, temporaries)

    def _find_own_tile(self, numbers: Register, temporaries: Register) -> None:
        """Write row and column of the tile that this workgroup alone computes, or go to the end: it pads a share."""
        k, s, xcds = self.k, self.r.scalars, self.config.xcds
        if not self.config.padded:
            emit_order(k, k.group_id, numbers, s.row, s.column, temporaries, xcds=xcds)
            return
        self.no_tile = k.label("no_tile")
        emit_shares(
            k, k.group_id, k.kernarg, numbers, s.row, s.column, temporaries, self.no_tile,
            offset=self.arguments.shares_offset, xcds=xcds,
        )  # fmt: skip

    def _place_batch(self) -> None:
        """Move the pointers to this workgroup's product, 64-bit strides of bytes."""
        if self.config.batch == "none":
            return
        k, s, number = self.k, self.r.scalars, self.number
        strides = self.arguments.load("stride_a", "stride_b", "stride_c")
        for pointer, stride in zip((s.a, s.b, s.c), strides, strict=True):
            s.move_pointer(k, pointer, stride, number)
        if self.config.batch == "split":
            (length,) = self.arguments.load("slice")
            k.s_mul_i32(s.temporary, length, number)
            k.s_sub_u32(s.k, s.k, s.temporary)
            k.s_min_u32(s.k, s.k, length)
            k.free(length)
        k.free(strides[0], strides[1])
        self.finish.stride_c = strides[2]

    def _place_views(self) -> None:
        """Point the buffers at this workgroup's rows of A and B and at its tile of C."""
        k, s, r = self.k, self.r.scalars, self.r
        for count, size, first, side in ((s.rows, s.m, s.row, self.plan.a), (s.columns, s.n, s.column, self.plan.b)):
            k.s_sub_u32(count, size, first)
            k.s_min_u32(count, count, side.rows)
        for side in self.plan.sides:
            if side.strided:
                k.s_mov_b32(s.mask[0], self.stream.first if self.stream else 0)
                self.place_strided(side, s.mask[0])
                self.limit_strided(side, whole=True)
                continue
            pointer, first, rows = (s.a, s.row, s.rows) if side.name == "A" else (s.b, s.column, s.columns)
            view = r.view(side.name)
            view.place(k, pointer, first, s.pitch(side.name), s.temporary)
            to_bytes(k, s.other, self.k_end, side.bits)
            view.limit(k, rows, s.pitch(side.name), s.other, s.temporary)
            if side.scaled:  # loads to LDS leave room for scales in front: their offsets start with it
                k.s_sub_u32(view.descriptor[0], view.descriptor[0], side.scale_bytes)
                k.s_subb_u32(view.descriptor[1], view.descriptor[1], 0)
                k.s_add_u32(view.descriptor[2], view.descriptor[2], side.scale_bytes)
        r.c.place(k, s.c, s.row, s.pitch("C"), s.temporary)
        to_bytes(k, s.temporary, s.column, self.config.bits("C"))
        r.c.move(k, s.temporary)
        to_bytes(k, s.other, s.columns, self.config.bits("C"))
        r.c.limit(k, s.rows, s.pitch("C"), s.other, s.temporary)

    def place_strided(self, side: Side, line: Register) -> None:
        """Start the view of a K-strided side at k `line` and this tile's first row; it moves on with every K step."""
        k, s = self.k, self.r.scalars
        pointer, first = (s.a, s.row) if side.name == "A" else (s.b, s.column)
        view = self.r.view(side.name)
        view.place(k, pointer, line, s.pitch(side.name), s.temporary)
        to_bytes(k, s.temporary, first, side.bits)
        view.move(k, s.temporary)

    def limit_strided(self, side: Side, *, whole: bool) -> None:
        """End the view of a K-strided side behind one K step, or behind the last line that is left.

        For whole steps the last line ends with a whole chunk: steps that reach the last line of a ragged matrix are
        left to the rest (`_count_steps`).
        """
        k, s = self.k, self.r.scalars
        to_bytes(k, s.other, s.rows if side.name == "A" else s.columns, side.bits)
        lines = side.depth
        if whole:
            k.s_add_u32(s.other, s.other, CHUNK_BYTES - 1)
            k.s_and_b32(s.other, s.other, -CHUNK_BYTES)
            k.s_movk_i32(s.mask[0], lines)
        else:
            k.s_min_u32(s.mask[0], s.rest, lines)
        self.r.view(side.name).limit(k, s.mask[0], s.pitch(side.name), s.other, s.temporary)

    def _place_lane(self) -> None:
        """Write where a wave and a lane stand: the wave and its group, where it fetches, where it reads."""
        k, s, r = self.k, self.r.scalars, self.r
        number = r.temporaries[0]
        k.v_lshrrev_b32(number, log2(WAVE_SIZE), r.thread)
        k.v_readfirstlane_b32(s.wave, number)
        if self.plan.producers:
            k.s_lshr_b32(s.late, s.wave, log2(self.plan.waves))
            k.s_and_b32(s.wave, s.wave, self.plan.waves - 1)
            self._prepare_idling()
        else:
            k.s_lshr_b32(s.late, s.wave, log2(self.plan.waves // 2))
        for side in self.plan.sides:
            k.s_mul_i32(s.fetch_base(side.name), s.wave, side.wave_stride)
            for base in range(side.bases):
                self._write_base(side, base)

    def _write_base(self, side: Side, base: int) -> None:
        """Write where a lane reads: from the lane, and where strides are no powers of two from the wave in addition."""
        k, r, (part, free) = self.k, self.r, self.r.temporaries[0:2]
        target = r.bases[side.name][(base,)]
        if not side.scaled:
            write_table(k, target, r.thread, side.first_byte + side.read_base(base), free)
            return
        lines = side.line_start(side.read_row())
        if side.rotates:  # in a line: (24 group + 8 base + 16 (row / 8)) % 96
            lane = np.arange(WAVE_SIZE)
            write_table(k, target, r.thread, lane // 16 * 24 + base * 8 + lane % 16 // 8 * CHUNK_BYTES, free)
            k.v_subrev_u32(part, side.line_bytes, target)
            k.v_min_u32(target, target, part)
        else:
            write_table(k, target, r.thread, (side.read_base(base) - lines)[:WAVE_SIZE], free)
        write_table(k, part, r.thread, side.first_byte + lines, free)
        k.v_add_u32(target, part, target)

    def _place_scales(self) -> None:
        """Point views at the units of this tile's rows, and write where a lane fetches, commits and reads scales."""
        scales, k, s, r = self.r.scales, self.k, self.r.scalars, self.r
        if scales is None:
            return
        k.s_add_u32(s.temporary, s.k, 2 * SCALE_DEPTH - 1)
        k.s_lshr_b32(s.temporary, s.temporary, log2(2 * SCALE_DEPTH))
        k.s_lshl_b32(scales.pitch, s.temporary, log2(2 * SCALE_BYTES))
        pointers = self.arguments.load("scale_a", "scale_b")
        if self.config.batch != "none":
            for pointer, size in zip(pointers, (s.m, s.n), strict=True):
                k.s_add_u32(s.temporary, size, SCALE_ROWS - 1)
                k.s_lshr_b32(s.temporary, s.temporary, log2(SCALE_ROWS))
                k.s_mul_i32(s.temporary, s.temporary, scales.pitch)
                k.s_mul_hi_u32(s.other, s.temporary, self.number)
                k.s_mul_i32(s.temporary, s.temporary, self.number)
                k.s_add_u32(pointer[0], pointer[0], s.temporary)
                k.s_addc_u32(pointer[1], pointer[1], s.other)
        part, free = r.temporaries[0:2]
        thread = np.arange(self.plan.waves * WAVE_SIZE)
        wave, lane = thread // WAVE_SIZE, thread % WAVE_SIZE
        places = ((s.row, s.rows), (s.column, s.columns))
        for side, pointer, (first, count) in zip(self.plan.sides, pointers, places, strict=True):
            view = scales.views[side.name]
            k.s_lshr_b32(s.other, first, log2(SCALE_ROWS))
            view.place(k, pointer, s.other, scales.pitch, s.temporary)
            k.s_add_u32(s.other, count, SCALE_ROWS - 1)
            k.s_lshr_b32(s.other, s.other, log2(SCALE_ROWS))
            view.limit(k, s.other, scales.pitch, scales.pitch, s.temporary)
            unit = wave % side.scale_units
            offset, second = scales.offsets[side.name]
            write_table(k, part, r.thread, unit // side.scale_slices, free)
            k.v_mul_lo_u32(part, part, scales.pitch)
            write_table(k, offset, r.thread, unit % side.scale_slices * SCALE_BYTES + lane * DWORD_BYTES, free)
            k.v_add_u32(offset, part, offset)
            k.s_mul_i32(s.temporary, scales.pitch, side.half // SCALE_ROWS)
            k.v_add_u32(second, s.temporary, offset)
            base = scales.bases[side.name]
            write_table(k, base, r.thread, side.first_byte + side.scale_read(), free)
        k.free(*pointers)

    def _prepare_idling(self) -> None:
        """Write the lanes that take part behind the pipeline, and what producers multiply there: zeros."""
        k, s = self.k, self.r.scalars
        assert isinstance(self.r.everyone, Register)
        for half in self.r.everyone:
            k.s_sub_u32(half, s.late, 1)
        for register in (*self.r.fragments, *self.r.staging):
            k.v_mov_b32(register, 0)
        for register in self.r.operands or ():
            k.v_accvgpr_write_b32(register, 0)

    def _clear_accumulators(self) -> None:
        clear = self.k.v_accvgpr_write_b32 if self.r.accumulators.register.file == "a" else self.k.v_mov_b32
        for register in self.r.accumulators.register:
            clear(register, 0)

    def _count_steps(self) -> None:
        """Count the whole K steps; the last line of a K-strided matrix whose rows are no whole chunks is left out."""
        k, s = self.k, self.r.scalars
        sizes = [(s.m, self.plan.a), (s.n, self.plan.b)]
        ragged = [(size, side) for size, side in sizes if side.strided]
        if ragged:
            k.s_mov_b32(s.temporary, 0)
            for size, side in ragged:
                to_bytes(k, s.other, size, side.bits)
                k.s_or_b32(s.temporary, s.temporary, s.other)
            if self.stream:  # a segment that ends before the last line may read all of its lines
                k.s_cmp_eq_u32(self.k_end, s.k)
                k.s_cselect_b32(s.temporary, s.temporary, 0)
            k.s_and_b32(s.temporary, s.temporary, CHUNK_BYTES - 1)
            k.s_subb_u32(s.trips, self.k_end, 0)
            if self.stream:
                k.s_sub_u32(s.trips, s.trips, self.stream.first)
            k.s_lshr_b32(s.trips, s.trips, log2(self.plan.depth))
        elif self.stream:
            k.s_sub_u32(s.trips, self.k_end, self.stream.first)
            k.s_lshr_b32(s.trips, s.trips, log2(self.plan.depth))
        else:
            k.s_lshr_b32(s.trips, s.k, log2(self.plan.depth))
        self.place_cursors(self.stream.first if self.stream else None)

    def place_cursors(self, first: Register | None) -> None:
        """Start fetching at k `first`, or at 0."""
        k, s, scales = self.k, self.r.scalars, self.r.scales
        if first is None:
            for cursor in (*s.cursors, *([] if scales is None else [scales.cursor])):
                k.s_mov_b32(cursor, 0)
            return
        for side in self.plan.sides[: s.cursors.count]:
            to_bytes(k, s.cursor(side), first, side.bits)
        if scales is not None:
            k.s_lshl_b32(scales.cursor, first, log2(SCALE_BYTES // SCALE_DEPTH))

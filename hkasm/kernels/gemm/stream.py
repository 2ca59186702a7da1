"""Stream-K as code: a workgroup's walk through its share of all K steps, partial tiles, and their sum.

What it does and why it is right is said in `hkasm.kernels.gemm.shares`. Waves are on their own here: wave i of every
workgroup has the same part of a tile, so that only waves of one number meet, at a counter of their own. What orders
them is LLVM's memory model for gfx942 in agent scope: ``buffer_wbl2 sc1`` and a wait before the atomic make a wave's
stores seen, ``buffer_inv sc1`` behind the last arrival's makes it see those of the others.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.grids.emit import emit_rank, emit_tile
from hkasm.isa.registers import EXEC, Register
from hkasm.kernels.gemm.arguments import Arguments
from hkasm.kernels.gemm.plan import DWORD_BYTES, LOAD_BYTES, QUAD, WAVE_SIZE, log2
from hkasm.kernels.gemm.registers import Registers
from hkasm.tiles.buffer import BufferView

QUADS_A_BASE = 4
"""Accesses of 16 bytes a lane that the 12 bits of an instruction's own offset reach."""


class Stream:
    """Writes the walk of one workgroup. `first` and `end` are the K range of a segment, `product` its product.

    `xcds` is the number of XCDs that an order deals shares and tiles to, None without an order.
    """

    def __init__(self, k: Builder, registers: Registers, arguments: Arguments, xcds: int | None) -> None:
        self.k, self.r, self.plan, self.arguments, self.xcds = k, registers, registers.plan, arguments, xcds
        self.unit, self.left, self.count = (k.sgpr(f"units {name}") for name in ("begun", "left", "of segment"))
        self.tile, self.product = k.sgpr("tile"), k.sgpr("product")
        self.first, self.end = k.sgpr("K begun"), k.sgpr("K end")
        self.next = k.label("next_segment")

    def start(self) -> None:
        """Write the first unit of this workgroup and how many it has."""
        k = self.k
        units, share = self.arguments.load("units", "share")
        number = k.group_id
        if self.xcds is not None:
            number = self.tile
            numbers, temporaries = self.arguments.load_grid(), k.sgpr("share of the grid", 4)
            k.wait(numbers, reason="arguments")
            emit_rank(k, k.group_id, numbers, number, temporaries, xcds=self.xcds)
            k.free(numbers, temporaries)
        k.s_mul_i32(self.unit, number, share)
        k.s_sub_u32(self.left, units, self.unit)
        k.s_min_u32(self.left, self.left, share)
        k.free(units, share)
        self.head = k.place(k.label("segment"))

    def find_tile(self, order: Register | None) -> None:
        """Write the next segment: its tile's first row and column, its product, its range of K.

        Tiles of a product come by the numbers of an `order`, or row by row.
        """
        k, s, plan, sides = self.k, self.r.scalars, self.plan, self.plan.sides
        names = ["steps", "tiles", *(["columns"] if order is None else [])]
        numbers = self.arguments.load(*(f"{name}{part}" for name in names for part in ("", "_magic", "_shift")))
        steps, tiles, columns = (numbers[3 * i : 3 * i + 3] for i in range(3))
        self._divide(self.tile, self.unit, steps)
        k.s_mul_i32(self.first, self.tile, steps[0])
        k.s_sub_u32(self.first, self.unit, self.first)
        k.s_sub_u32(self.count, steps[0], self.first)
        k.s_min_u32(self.count, self.count, self.left)
        k.s_add_u32(self.end, self.first, self.count)
        for bound in (self.first, self.end):
            k.s_lshl_b32(bound, bound, log2(plan.depth))
        k.s_min_u32(self.end, self.end, s.k)
        self._divide(self.product, self.tile, tiles)
        k.s_mul_i32(s.other, self.product, tiles[0])
        k.s_sub_u32(s.other, self.tile, s.other)
        if order is None:
            self._divide(s.row, s.other, columns)
            k.s_mul_i32(s.column, s.row, columns[0])
            k.s_sub_u32(s.column, s.other, s.column)
        else:
            temporaries = k.sgpr("tile of the grid", 4)
            emit_tile(k, s.other, order, s.row, s.column, temporaries)
            k.free(order, temporaries)
        for first, side in zip((s.row, s.column), sides, strict=True):
            k.s_mul_i32(first, first, side.rows)
        k.free(*numbers)

    def _divide(self, target: Register, value: Register, by: list[Register]) -> None:
        """Divide by a number that came with its multiplier and shift (`hkasm.grids.order.divisor`)."""
        k, (_, magic, shift) = self.k, by
        k.s_lshl_b32(target, value, 1)
        k.s_mul_hi_u32(target, target, magic)
        k.s_lshr_b32(target, target, shift)

    # Behind the pipelines.

    def write_sum(self) -> None:
        """Write what becomes of a segment's accumulators; falls through with those of a whole tile, else goes on."""
        k, s = self.k, self.r.scalars
        whole = k.label("whole_tile")
        with k.mark("section", "partial tile"):
            if self.plan.producers:
                k.s_cmp_eq_u32(s.late, 1)
                k.s_cbranch_scc1(self.next)
            share = self.arguments.load("share", "share_magic", "share_shift", "steps")
            k.s_cmp_eq_u32(self.count, share[3])
            k.s_cbranch_scc1(whole)
            # `first` and `more` are the first part of the tile and how many come behind it, by share, then by slot.
            first, more, slot, split = (k.sgpr(name) for name in ("first part", "more parts", "slot", "split tile"))
            k.s_mul_i32(s.temporary, self.tile, share[3])
            self._divide(first, s.temporary, share[0:3])
            k.s_add_u32(s.temporary, s.temporary, share[3])
            k.s_sub_u32(s.temporary, s.temporary, 1)
            self._divide(more, s.temporary, share[0:3])
            k.s_sub_u32(more, more, first)
            self._divide(slot, self.unit, share[0:3])
            k.s_sub_u32(slot, slot, first)
            k.free(*share)
            self._place_parts(first, split)
            k.s_add_u32(slot, slot, first)
            self._place_workspace()
            self._place_slot(slot)
            accumulators = self.r.accumulators.register
            self._move(k.buffer_store_dwordx4, accumulators, 0)
            self._arrive(split, more)
            with k.mark("section", "sum of parts"):
                k.buffer_inv(sc1=1)
                self._place_slot(first)
                self._move(k.buffer_load_dwordx4, accumulators, 0)
                head = k.place(k.label("part"))
                k.s_add_u32(first, first, 1)
                self._place_slot(first)
                self._add_slot()
                k.s_sub_u32(more, more, 1)
                k.s_cmp_lg_u32(more, 0)
                k.s_cbranch_scc1(head)
            k.free(first, more, slot, split, self.pointer, self.pitch, self.view.descriptor)
        k.place(whole)

    def _place_parts(self, first: Register, split: Register) -> None:
        """Turn the first share of a tile into the slot of its first part, and number the tiles that are split.

        `Shares.slot_of` says how.
        """
        k, s = self.k, self.r.scalars
        meets = self.arguments.load("meets", "meets_magic", "meets_shift")
        self._divide(s.temporary, first, meets)
        k.s_sub_u32(first, first, s.temporary)
        k.s_min_u32(split, self.tile, first)
        k.s_add_u32(first, first, split)
        k.free(*meets)

    def write_next(self) -> None:
        """Go on with the next segment, if there is one."""
        k, done = self.k, self.k.label("share_done")
        k.place(self.next)
        k.s_add_u32(self.unit, self.unit, self.count)
        k.s_sub_u32(self.left, self.left, self.count)
        k.s_cmp_eq_u32(self.left, 0)
        k.s_cbranch_scc1(done)
        k.s_mov_b64(EXEC, -1)
        k.s_branch(self.head)
        k.place(done)

    # Slots of the workspace: wave by wave, each 16 bytes a lane for four accumulators at a time.

    def _place_workspace(self) -> None:
        k, lane = self.k, self.r.temporaries[0]
        (self.pointer,) = self.arguments.load("workspace")
        self.view, self.pitch = BufferView(k.sgpr("buffer workspace", 4)), k.sgpr("bytes of a part")
        k.s_mov_b32(self.pitch, self.plan.accumulators * WAVE_SIZE * DWORD_BYTES)
        k.v_and_b32(lane, WAVE_SIZE - 1, self.r.thread)
        k.v_lshlrev_b32(lane, log2(QUAD * DWORD_BYTES), lane)

    def _place_slot(self, slot: Register) -> None:
        """Point the view at this wave's part of a slot."""
        k, s = self.k, self.r.scalars
        k.s_mul_i32(s.other, slot, self.plan.waves)
        k.s_add_u32(s.other, s.other, s.wave)
        self.view.place(k, self.pointer, s.other, self.pitch, s.temporary)
        k.s_mov_b32(s.other, 1)
        self.view.limit(k, s.other, self.pitch, self.pitch, s.temporary)

    def _move(self, access: object, registers: Register, start: int) -> None:
        """Load or store registers from or to the slot, from accumulator number `start` on."""
        assert callable(access)
        base = -1
        for number in range(0, registers.count, QUAD):
            at, within = divmod((start + number) // QUAD, QUADS_A_BASE)
            if at != base:
                base = at
                self.k.s_mov_b32(self.r.scalars.temporary, at * QUADS_A_BASE * LOAD_BYTES)
            quad = registers[number : number + QUAD]
            access(
                quad, self.r.temporaries[0], self.view.descriptor, self.r.scalars.temporary, offset=within * LOAD_BYTES
            )

    def _arrive(self, split: Register, more: Register) -> None:
        """Let the others see this wave's part, count it, and go on with the next segment unless it is the last one."""
        k, s, (offset, bound, old) = self.k, self.r.scalars, self.r.temporaries[1:4]
        (counters,) = self.arguments.load("counters")
        k.buffer_wbl2(sc1=1)
        k.s_mul_i32(s.temporary, split, self.plan.waves)
        k.s_add_u32(s.temporary, s.temporary, s.wave)
        k.s_lshl_b32(s.temporary, s.temporary, log2(DWORD_BYTES))
        k.v_mov_b32(offset, s.temporary)
        k.v_mov_b32(bound, more)
        k.wait(reason="part stored")
        k.s_mov_b64(EXEC, 1)
        k.global_atomic_inc(old, offset, bound, counters, sc0=1)
        k.wait(old, reason="parts before")
        k.s_mov_b64(EXEC, -1)
        k.v_readfirstlane_b32(s.temporary, old)
        k.s_cmp_lg_u32(s.temporary, more)
        k.s_cbranch_scc1(self.next)
        k.free(counters)

    def _add_slot(self) -> None:
        """Add a part to the accumulators."""
        k, accumulators = self.k, self.r.accumulators.register
        room = self.r.fragments[0 : self.r.fragments.count // QUAD * QUAD]
        add = k.v_add_u32 if self.plan.multiply.c_type == "i32" else k.v_add_f32
        held = self.r.temporaries[4:8]
        for start in range(0, accumulators.count, room.count):
            sums = accumulators[start : min(start + room.count, accumulators.count)]
            parts = room[0 : sums.count]
            self._move(k.buffer_load_dwordx4, parts, start)
            k.wait(parts, sums, reason="part")
            for number in range(0, sums.count, QUAD):
                quad, part = sums[number : number + QUAD], parts[number : number + QUAD]
                if quad.file == "v":
                    for total, one in zip(quad, part, strict=True):
                        add(total, total, one)
                    continue
                for target, total in zip(held, quad, strict=True):
                    k.v_accvgpr_read_b32(target, total)
                for target, one in zip(held, part, strict=True):
                    add(one, target, one)
                for total, one in zip(quad, part, strict=True):
                    k.v_accvgpr_write_b32(total, one)

"""Decode's body: a workgroup owns 16 rows (queries of the heads of one key head) and a share of the keys, a wave 32
keys of every 128.

S^T = K Q^T and O^T = V^T P^T on 16x16 instructions: a lane owns a row, its weights are the second product's operand as
they are, and K's fragments are what loads of 64 bytes of 16 keys bring. V's are turned in registers: a lane loads four
keys of its columns, and a byte permutation pairs them. So no LDS stands between memory and products, and the waves
meet once, at the end, to add up what each found.
"""

from __future__ import annotations

from dataclasses import replace

from hkasm.asm.builder import Builder
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.attention.declared import WIDE_HEAD
from hkasm.kernels.attention.movers import LOW_HALVES
from hkasm.kernels.attention.softmax import HIGH_HALVES
from hkasm.kernels.decode.cache import Cache
from hkasm.kernels.decode.declared import ARGUMENTS, ROWS, STEP, STRIDE, TILES, DecodeConfig
from hkasm.kernels.decode.finish import Finish
from hkasm.kernels.decode.rows import RowPlaces
from hkasm.kernels.decode.schedule import Paged, Streamed
from hkasm.kernels.decode.softmax import Limits, Softmax
from hkasm.schedules import Pipeline, Schedule, Step, Steps
from hkasm.tiles.layout import LANES
from hkasm.tiles.memory import OUT_OF_RANGE_OPERAND
from hkasm.tiles.ops.packing import rounder
from hkasm.tiles.register import RegTile

ELEMENT = 2
DEPTH = 32
"""Head elements of a fragment of K and Q: 8 in a lane."""
PIECE_SHIFT = (DEPTH // 4 * ELEMENT).bit_length() - 1
QUAD = 4
"""Keys of a lane in a tile, and registers of an accumulator."""


class Decode:
    """Writes one decode kernel."""

    def __init__(self, k: Builder, config: DecodeConfig) -> None:
        self.k, self.config, self.size = k, config, config.padded
        self.paged, self.partial = config.cache == "paged", config.parts == "yes"
        self.schedule: Schedule = Paged() if self.paged else Streamed()
        answers = (("P", "f32", 5), ("L", "f32", 4)) if self.partial else (("O", config.dtype, 4), ("LSE", "f32", 3))
        for name, dtype, rank in answers:
            k.arg(name, dtype, pointer=True, rank=rank, access="write")
        for name in "QKV":
            k.arg(name, config.dtype, pointer=True, rank=4)
        k.arg("lengths", "i32", pointer=True, rank=1)
        if self.paged:
            k.arg("table", "i32", pointer=True, rank=2)
        for name in ARGUMENTS:
            k.arg(name, "u32")
        k.arg("scale", "f32")

    def write(self) -> None:
        """Write the kernel from its first instruction to its last."""
        k = self.k
        with k.mark("section", "entry"):
            self._load_arguments()
            self._place_lanes()
            self._load_queries()
            self._find_keys()
            self._allocate()
            self.cache = Cache(k, self.config, self.pointers, self.numbers, self.key_head, self.length, self.position)
            self.softmax = Softmax(k, self.config.mask, self.scores, self.output, self.limits, self.numbers["scale"])
            self._write_offsets()
        with rounder(k, "weights", self.config.dtype) as self.rounding:
            Pipeline(self.schedule, Steps(self._steps()), self.cache.advance).lower(k, self.trips, name="keys")
        k.free(*self.values, *self.fragments)
        self.keys.free(k)
        with k.mark("section", "end"):
            self.softmax.sum_up(k)
            Finish(self).write()
        k.s_endpgm()

    # Entry.

    def _load_arguments(self) -> None:
        k = self.k
        self.pointers: dict[str, Register] = {}
        self.numbers: dict[str, Register] = {}
        for arg in k.args:
            register = k.sgpr(arg.name, arg.size // 4)
            (k.s_load_dwordx2 if arg.kind == "pointer" else k.s_load_dword)(register, k.kernarg, arg.offset)
            (self.pointers if arg.kind == "pointer" else self.numbers)[arg.name] = register
        k.wait(*self.pointers.values(), *self.numbers.values(), reason="arguments")
        self.length, place = k.sgpr("keys"), k.sgpr("place of the length")
        k.s_lshl_b32(place, k.group_ids[2], 2)
        k.s_load_dword(self.length, self.pointers["lengths"], place)
        k.free(place)

    def _place_lanes(self) -> None:
        """Write the wave's number, a lane's row and quarter, and which rows and split the workgroup has."""
        k, n = self.k, self.numbers
        block, self.key_head, self.batch = k.group_ids
        self.wave, self.split, self.first_row = k.sgpr("wave"), k.sgpr("split"), k.sgpr("first row")
        self.lane, self.row, self.quarter = k.vgpr("lane"), k.vgpr("row"), k.vgpr("quarter")
        k.v_lshrrev_b32(self.row, LANES.bit_length() - 1, k.lane)
        k.v_readfirstlane_b32(self.wave, self.row)
        k.v_and_b32(self.lane, LANES - 1, k.lane)
        k.v_and_b32(self.row, ROWS - 1, self.lane)
        k.v_lshrrev_b32(self.quarter, ROWS.bit_length() - 1, self.lane)
        k.s_mul_hi_u32(self.first_row, block, n["splits_inverse"])
        k.s_cmp_eq_u32(n["splits_inverse"], 0)
        k.s_cselect_b32(self.first_row, block, self.first_row)
        k.s_mul_i32(self.split, self.first_row, n["splits"])
        k.s_sub_u32(self.split, block, self.split)
        k.s_lshl_b32(self.first_row, self.first_row, ROWS.bit_length() - 1)
        self.rows = RowPlaces(k, self.numbers, self.first_row, self.key_head)

    def _load_queries(self) -> None:
        """Load a lane's row straight into the operand's layout; elements behind the head size are zero."""
        k, d = self.k, self.config.d
        file = "a" if self.size == WIDE_HEAD else "v"
        self.queries = RegTile.allocate(k, "Q", self.config.dtype, ROWS, self.size, "rt_16x32", "row", file=file)
        view = self.rows.view("Q", self.pointers["Q"], self.batch, d, ELEMENT)
        offset, cut, self.query = k.vgpr("Q offset"), k.vgpr("Q offset, cut"), k.vgpr("query")
        self.rows.write_offset(offset, self.query, self.row, "q", ELEMENT)
        k.v_lshl_add_u32(offset, self.quarter, PIECE_SHIFT, offset)
        self._cut(cut, offset, d % DEPTH // 8)
        for number, piece in enumerate(self.queries.pieces[: -(-d // DEPTH)]):
            where = cut if (number + 1) * DEPTH > d else offset
            k.buffer_load_dwordx4(piece, where, view, 0, offset=number * DEPTH * ELEMENT)
        k.free(offset, cut, view)

    def _cut(self, target: Register, offset: Register, quarters: int) -> None:
        """Write a lane offset that is out of range from quarter number `quarters` on."""
        k = self.k
        k.v_cmp_gt_u32(VCC, quarters, self.quarter)
        k.v_cndmask_b32(target, OUT_OF_RANGE_OPERAND, offset, VCC)

    def _find_keys(self) -> None:
        """Write the keys of this split and wave, and which of them each row sees."""
        k, n, mask = self.k, self.numbers, self.config.mask
        self.position, self.trips = k.sgpr("first key"), k.sgpr("steps")
        below, end, first, last = k.sgpr("all below"), k.sgpr("end"), k.sgpr("first query"), k.sgpr("last query")
        start = k.sgpr("all from") if mask == "window" else None
        below_lane, start_lane = k.vgpr("keys below"), k.vgpr("keys from") if mask == "window" else None
        room, apart = first, k.sgpr("keys less queries")
        k.s_mov_b32(room, n["table_row"])
        if self.paged:
            k.s_lshl_b32(room, room, n["page_shift"])
        k.wait(self.length, reason="the sequence's keys")
        k.s_max_i32(self.length, self.length, 0)
        k.s_min_u32(self.length, self.length, room)
        k.s_mov_b32(self.position, 0)
        k.s_mov_b32(end, self.length)
        k.s_sub_u32(apart, self.length, n["q"])
        k.s_add_u32(apart, apart, 1)
        if mask == "full":
            k.v_mov_b32(below_lane, self.length)
            k.s_mov_b32(below, self.length)
        else:
            self.rows.query_of(first, self.first_row)
            k.s_add_u32(last, self.first_row, ROWS)
            k.s_min_u32(last, last, n["rows"])
            k.s_sub_u32(last, last, 1)
            self.rows.query_of(last, last)
            k.s_add_u32(first, first, apart)
            k.s_add_u32(last, last, apart)
            k.s_max_i32(end, last, 0)
            k.s_mov_b32(below, first)
            k.v_add_u32(below_lane, apart, self.query)
        if start is not None:
            assert start_lane is not None
            k.v_subrev_u32(start_lane, n["window"], below_lane)
            k.s_sub_u32(start, last, n["window"])
            k.s_sub_u32(self.position, first, n["window"])
            k.s_max_i32(self.position, self.position, 0)
            k.s_and_b32(self.position, self.position, -STEP)
        own = k.vgpr("first key of a lane")
        k.v_lshlrev_b32(own, QUAD.bit_length() - 1, self.quarter)
        for bound in (below_lane, start_lane):
            if bound is not None:
                k.v_sub_u32(bound, bound, own)
        k.free(own)
        k.s_sub_u32(below, below, STEP)
        self._deal(end, apart)
        self.limits = Limits(self.position, below, start, below_lane, start_lane)
        k.free(end, first, last, apart)

    def _deal(self, end: Register, steps: Register) -> None:
        """Cut the keys from `position` to `end` into splits, and the split's into the waves' steps."""
        k, n = self.k, self.numbers
        k.s_sub_u32(steps, end, self.position)
        k.s_add_u32(steps, steps, STRIDE - 1)
        k.s_ashr_i32(steps, steps, STRIDE.bit_length() - 1)
        k.s_max_i32(steps, steps, 0)
        k.s_add_u32(steps, steps, n["splits"])
        k.s_sub_u32(steps, steps, 1)
        k.s_mul_hi_u32(self.trips, steps, n["splits_inverse"])
        k.s_cmp_eq_u32(n["splits_inverse"], 0)
        k.s_cselect_b32(steps, steps, self.trips)
        k.s_lshl_b32(steps, steps, STRIDE.bit_length() - 1)
        k.s_mul_i32(self.trips, steps, self.split)
        k.s_add_u32(self.position, self.position, self.trips)
        k.s_add_u32(steps, self.position, steps)
        k.s_min_i32(end, end, steps)
        k.s_lshl_b32(steps, self.wave, STEP.bit_length() - 1)
        k.s_add_u32(self.position, self.position, steps)
        k.s_sub_u32(self.trips, end, self.position)
        k.s_add_u32(self.trips, self.trips, STRIDE - 1)
        k.s_ashr_i32(self.trips, self.trips, STRIDE.bit_length() - 1)
        k.s_max_i32(self.trips, self.trips, 0)

    def _allocate(self) -> None:
        """Allocate fragments, what V is loaded to, scores and accumulators."""
        k, size = self.k, self.size
        self.chunk = 4 if size == 64 else 8
        """Elements of V's columns that a lane loads at a time."""
        self.halves = -(-size // 128)
        file = "a" if size == WIDE_HEAD else "v"
        self.keys = RegTile.allocate(k, "K", self.config.dtype, STEP, size, "rt_16x32", "row", file=file)
        words = self.chunk // 2
        self.values = [k.vgpr(f"V tile {t}", QUAD * self.halves * words) for t in range(TILES)]
        self.fragments = [k.vgpr(f"V fragment {n}", 2 * TILES) for n in (0, 1)]
        self.scores = k.vgpr("S", QUAD * TILES)
        self.output = k.vgpr("O", QUAD * self.halves * self.chunk)
        for register in self.output:
            k.v_mov_b32(register, 0)

    def _write_offsets(self) -> None:
        """Write the lane offsets of a tile of K and of the four keys of a lane in a tile of V."""
        k, d, rows = self.k, self.config.d, self.cache.row_bytes
        self.key_offset, self.key_cut = k.vgpr("K offset"), k.vgpr("K offset, cut") if d % DEPTH else None
        k.v_mul_lo_u32(self.key_offset, self.row, rows["K"])
        k.v_lshl_add_u32(self.key_offset, self.quarter, PIECE_SHIFT, self.key_offset)
        if self.key_cut is not None:
            self._cut(self.key_cut, self.key_offset, d % DEPTH // 8)
        self.value_offsets = [k.vgpr(f"V offset {n}", QUAD) for n in range(self.halves)]
        self.low, self.high = k.sgpr("low halves"), k.sgpr("high halves")
        k.s_mov_b32(self.low, LOW_HALVES)
        k.s_mov_b32(self.high, HIGH_HALVES)
        column, key = self.row, self.quarter
        for half, offsets in enumerate(self.value_offsets):
            for number, offset in enumerate(offsets):
                k.v_lshl_add_u32(offset, key, 2, number)
                k.v_mul_lo_u32(offset, offset, rows["V"])
                k.v_lshl_add_u32(offset, column, (self.chunk * ELEMENT).bit_length() - 1, offset)
                if half:
                    k.v_add_u32(offset, half * 128 * ELEMENT, offset)
            here = max(min(d - 128 * half, ROWS * self.chunk), 0) // self.chunk
            if here < ROWS:
                k.v_cmp_gt_u32(VCC, here, column)
                for offset in offsets:
                    k.v_cndmask_b32(offset, OUT_OF_RANGE_OPERAND, offset, VCC)

    # Steps.

    def _steps(self) -> list[Step]:
        prepare = None if self.paged else self.cache.describe
        steps = [
            Step("K", "fetch", self._fetch_keys, prepare=prepare),
            Step("V", "fetch", self._fetch_values),
            Step("S", "compute", self._multiply_keys),
            Step("softmax", "compute", self._weigh),
            Step("O", "compute", self._multiply_values),
        ]
        if self.paged:
            steps.append(Step("table", "fetch", self.cache.fetch_entries))
            steps.append(Step("table", "commit", self.cache.describe))
        return steps

    def _fetch_keys(self, k: Builder, slot: int) -> None:
        for tile in range(TILES):
            for j in range(-(-self.config.d // DEPTH)):
                where = (
                    self.key_cut if self.key_cut is not None and (j + 1) * DEPTH > self.config.d else self.key_offset
                )
                view = self.cache.views["K"][tile]
                k.buffer_load_dwordx4(self.keys[tile, j], where, view, 0, offset=j * DEPTH * ELEMENT)

    def _fetch_values(self, k: Builder, slot: int) -> None:
        load = k.buffer_load_dwordx4 if self.chunk == 8 else k.buffer_load_dwordx2
        for tile in range(TILES):
            for half, offsets in enumerate(self.value_offsets):
                for number, offset in enumerate(offsets):
                    load(self._loaded(tile, half, number), offset, self.cache.views["V"][tile], 0)

    def _loaded(self, tile: int, half: int, number: int) -> Register:
        """Return the registers that a lane's key `number` of a tile of V is loaded to."""
        words = self.chunk // 2
        first = (half * QUAD + number) * words
        return self.values[tile][first : first + words]

    def _multiply_keys(self, k: Builder, slot: int) -> None:
        for j in range(-(-self.config.d // DEPTH)):
            for tile in range(TILES):
                target = self.scores[QUAD * tile : QUAD * (tile + 1)]
                self._multiply(k, target, self.keys[tile, j], self.queries[0, j], fresh=j == 0)

    def _weigh(self, k: Builder, slot: int) -> None:
        self.softmax.emit(k)
        rounding = replace(self.rounding, k=k)
        for pair in range(2 * TILES):
            rounding.pack(self.scores[pair], list(self.scores[2 * pair : 2 * pair + 2]))

    def _multiply_values(self, k: Builder, slot: int) -> None:
        weights = self.scores[0 : 2 * TILES]
        for half in range(self.halves):
            for element in range(self.chunk):
                number = half * self.chunk + element
                fragment = self.fragments[number % 2]
                for tile in range(TILES):
                    rows = [self._loaded(tile, half, row)[element // 2] for row in range(QUAD)]
                    for pair in (0, 1):
                        picked = self.high if element % 2 else self.low
                        k.v_perm_b32(fragment[2 * tile + pair], rows[2 * pair + 1], rows[2 * pair], picked)
                self._multiply(k, self.output[QUAD * number : QUAD * (number + 1)], fragment, weights)

    def _multiply(self, k: Builder, target: Register, a: Register, b: Register, *, fresh: bool = False) -> None:
        """Emit a 16x16x32 product of fragments, or both its halves; which k a slot stands for is the same in both."""
        dtype = self.config.dtype
        if k.arch.name == "gfx950":
            getattr(k, f"v_mfma_f32_16x16x32_{dtype}")(target, a, b, 0 if fresh else target)
            return
        product = getattr(k, f"v_mfma_f32_16x16x16_{dtype}")
        product(target, a[0:2], b[0:2], 0 if fresh else target)
        product(target, a[2:4], b[2:4], target)

"""Attention's body: a workgroup owns 128 or 256 queries of one head, a wave 32 of them and the whole head size.

S^T = K Q^T, so that a lane owns a query: its statistics are one register each, and the weights, packed in place, are
the second product's operand with the keys where V^T's fragments have them (facts/hipkittens 3.7).
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.grids.emit import emit_order, emit_shares
from hkasm.grids.order import NUMBER_NAMES
from hkasm.isa.registers import EXEC, Register
from hkasm.kernels.attention.declared import (
    ARGUMENTS,
    BLOCK_KV,
    ORDER_ARGUMENTS,
    QUERIES,
    WIDE_HEAD,
    AttentionConfig,
)
from hkasm.kernels.attention.movers import Mover, TileMover, TransposedMover
from hkasm.kernels.attention.softmax import Limits, Softmax
from hkasm.kernels.chips import share_names
from hkasm.kernels.communication import Communication, Reserved
from hkasm.schedules import Pipeline, Schedule, Step, Steps
from hkasm.schedules.attention import SCHEDULES
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER
from hkasm.tiles.layout import LANES
from hkasm.tiles.memory import OUT_OF_RANGE, TileView
from hkasm.tiles.register import RegTile
from hkasm.tiles.shared import SharedTile

ELEMENT = 2
DEPTH = 16
"""Head elements of a fragment: 8 in a lane."""
ACCUMULATORS = 16
POINTERS = ("O", "Q", "K", "V")
STARTS = ("cu_q", "cu_k")


class Attention:
    """Writes one attention kernel."""

    def __init__(self, k: Builder, config: AttentionConfig, communication: Communication | None = None) -> None:
        self.k, self.config, self.size = k, config, config.padded
        self.direct = k.arch.name == "gfx950"
        self.schedule: Schedule = SCHEDULES[config.order, self.direct]()
        self.pingpong = self.schedule.groups > 1
        for name in POINTERS:
            k.arg(name, config.dtype, pointer=True, rank=4, access="write" if name == "O" else "read")
        k.arg("LSE", "f32", pointer=True, rank=3, access="write")
        self.packed = config.lengths == "cu_seqlens"
        for name in STARTS if self.packed else ():
            k.arg(name, "i32", pointer=True, rank=1)
        for name in ARGUMENTS:
            k.arg(name, "u32")
        k.arg("scale", "f32")
        self.ordered = config.grid != "plain"
        for name in (*ORDER_ARGUMENTS, *(f"grid_{name}" for name in NUMBER_NAMES)) if self.ordered else ():
            k.arg(name, "u32")
        for name in share_names(config.xcds) if config.uneven else ():
            k.arg(name, "u32")
        self.end = k.label("done")
        self.reserved = Reserved(k, config.reserve, communication, xcds=config.xcds) if communication else None

    def write(self) -> None:
        """Write the kernel from its first instruction to its last."""
        k = self.k
        if self.reserved:
            self.reserved.begin()
        with k.mark("section", "entry"):
            self._load_arguments()
            self._place_wave()
            self._place_views()
            self._allocate_tiles()
            self._load_queries()
            self._find_limits()
            self.softmax = Softmax(k, self.config, self.scores, self.output, self.limits, self.scale)
            self.movers = {"K": self._keys(), "V": self._values()}
            for register in self.output:
                k.v_mov_b32(register, 0)
        Pipeline(self.schedule, Steps(self._steps()), self._advance).lower(k, self.trips, late=self.late, name="blocks")
        with k.mark("section", "end"):
            self._store()
        k.place(self.end)
        k.s_endpgm()
        if self.reserved:
            self.reserved.end()

    # Entry.

    def _load_arguments(self) -> None:
        k = self.k
        offsets = {arg.name: arg.offset for arg in k.args}
        pointers, self.lse = k.sgpr("pointers", 8), k.sgpr("LSE", 2)
        first, rest, self.scale = k.sgpr("numbers", 16), k.sgpr("more numbers", 2), k.sgpr("scale")
        k.s_load_dwordx8(pointers, k.kernarg, 0)
        k.s_load_dwordx2(self.lse, k.kernarg, offsets["LSE"])
        k.s_load_dwordx16(first, k.kernarg, offsets[ARGUMENTS[0]])
        k.s_load_dwordx2(rest, k.kernarg, offsets[ARGUMENTS[16]])
        k.s_load_dword(self.scale, k.kernarg, offsets["scale"])
        loaded = [pointers, self.lse, first, rest, self.scale]
        starts = k.sgpr("starts", 4) if self.packed else None
        if starts is not None:
            k.s_load_dwordx4(starts, k.kernarg, offsets[STARTS[0]])
            loaded.append(starts)
        order = self._load_order(offsets) if self.ordered else ()
        k.wait(*loaded, *order, reason="arguments")
        self.pointers = {name: pointers[2 * n : 2 * n + 2] for n, name in enumerate(POINTERS)}
        self.numbers = dict(zip(ARGUMENTS, (*first, *rest), strict=True))
        if order:
            self._find_place(*order)
        else:
            self.head, _, self.batch = k.group_ids
            self.block, self.key_head = self._order_blocks(), k.sgpr("key head")
            k.s_mul_hi_u32(self.key_head, self.head, self.numbers["group_inverse"])
            k.s_cmp_eq_u32(self.numbers["group_inverse"], 0)
            k.s_cselect_b32(self.key_head, self.head, self.key_head)
        self.starts: dict[str, Register] = {}
        if starts is not None:
            self._find_sequence(starts)

    def _load_order(self, offsets: dict[str, int]) -> tuple[Register, Register, Register]:
        """Load key heads, query heads of each and the numbers of the order, with what divides by them."""
        k = self.k
        heads, group, order = k.sgpr("key heads", 3), k.sgpr("group", 3), k.sgpr("grid order", len(NUMBER_NAMES))
        for register, name in zip((*heads, *group), ORDER_ARGUMENTS, strict=True):
            k.s_load_dword(register, k.kernarg, offsets[name])
        k.s_load_dwordx16(order, k.kernarg, offsets[f"grid_{NUMBER_NAMES[0]}"])
        return heads, group, order

    def _find_place(self, heads: Register, group: Register, order: Register) -> None:
        """Write which sequence, head, key head and block of queries are this workgroup's, by the numbers of an order.

        Rows of the order are key heads of all sequences, columns ``block x group + query head of the group``.
        """
        k = self.k
        self.head, self.block, self.batch = k.sgpr("head"), k.sgpr("block of queries"), k.sgpr("sequence")
        self.key_head, temporaries = k.sgpr("key head"), k.sgpr("place", 4)
        xcds, longest_first = self.config.xcds, self.config.mask == "causal"
        if self.config.uneven:
            offset = next(arg.offset for arg in k.args if arg.name == share_names(xcds)[0])
            emit_shares(
                k, k.group_id, k.kernarg, order, self.key_head, self.head, temporaries, self.end,
                offset=offset, xcds=xcds, longest_first=longest_first,
            )  # fmt: skip
        else:
            emit_order(
                k, k.group_id, order, self.key_head, self.head, temporaries, xcds=xcds, longest_first=longest_first
            )
        for whole, part, (count, magic, shift) in (
            (self.batch, self.key_head, heads),
            (self.block, self.head, group),
        ):
            k.s_lshl_b32(whole, part, 1)
            k.s_mul_hi_u32(whole, whole, magic)
            k.s_lshr_b32(whole, whole, shift)
            k.s_mul_i32(temporaries[0], whole, count)
            k.s_sub_u32(part, part, temporaries[0])
        k.s_mul_i32(temporaries[0], self.key_head, group[0])
        k.s_add_u32(self.head, self.head, temporaries[0])
        k.free(heads, group, order, temporaries)

    def _order_blocks(self) -> Register:
        """Return the block of queries; under a causal mask the last come first, which go over the most keys.

        Workgroups start in the order of their numbers, so that the short ones fill what the long ones leave.
        """
        k, number = self.k, self.k.group_ids[1]
        if self.config.mask != "causal":
            return number
        block = k.sgpr("block of queries")
        k.s_add_u32(block, self.numbers["q"], self.config.block_q - 1)
        k.s_lshr_b32(block, block, self.config.block_q.bit_length() - 1)
        k.s_sub_u32(block, block, number)
        k.s_sub_u32(block, block, 1)
        return block

    def _find_sequence(self, starts: Register) -> None:
        """Write the lengths of this workgroup's sequence; `starts` (two pointers) becomes its rows and those behind."""
        k = self.k
        offset = k.sgpr("sequence offset")
        k.s_lshl_b32(offset, self.batch, 2)
        for name, pointer in (("q", starts[0:2]), ("kv", starts[2:4])):
            k.s_add_u32(pointer[0], pointer[0], offset)
            k.s_addc_u32(pointer[1], pointer[1], 0)
            k.s_load_dwordx2(pointer, pointer, 0)
            self.starts[name] = pointer[0]
        k.wait(starts, reason="the sequence")
        k.s_sub_u32(self.numbers["q"], starts[1], starts[0])
        k.s_sub_u32(self.numbers["kv"], starts[3], starts[2])

    def _place_wave(self) -> None:
        """Write the wave's first query and each lane's."""
        k, n = self.k, self.numbers
        self.t = k.sgpr("temporaries", 4)
        self.first_query, self.wave_query = k.sgpr("first query"), k.sgpr("wave query")
        self.lane, self.row, self.half = k.vgpr("lane"), k.vgpr("query"), k.vgpr("upper lanes")
        k.v_lshrrev_b32(self.row, LANES.bit_length() - 1, k.lane)
        k.v_readfirstlane_b32(self.wave_query, self.row)
        self.late = k.sgpr("late group") if self.pingpong else None
        if self.late is not None:
            k.s_lshr_b32(self.late, self.wave_query, (self.config.waves // 2).bit_length() - 1)
        k.s_mul_i32(self.first_query, self.block, self.config.block_q)
        k.s_mul_i32(self.wave_query, self.wave_query, QUERIES)
        k.s_add_u32(self.wave_query, self.wave_query, self.first_query)
        if self.packed:  # the grid is as high as the longest sequence
            k.s_cmp_ge_u32(self.first_query, n["q"])
            k.s_cbranch_scc1(self.end)
        k.v_and_b32(self.lane, LANES - 1, k.lane)
        k.v_and_b32(self.row, QUERIES - 1, k.lane)
        k.v_add_u32(self.row, self.wave_query, self.row)
        k.v_bfe_u32(self.half, k.lane, 5, 1)

    def _place_views(self) -> None:
        """Point a descriptor at this workgroup's head of every tensor; rows become bytes."""
        k, n, low = self.k, self.numbers, self.t[0]
        self.views: dict[str, Register] = {}
        for name in POINTERS:
            view = self.views[name] = k.sgpr(f"{name} descriptor", 4)
            batch, head, row = (n[f"{name.lower()}_{axis}"] for axis in ("batch", "head", "row"))
            keys = name in "KV"
            start = self.starts.get("kv" if keys else "q")
            number = self.key_head if keys else self.head
            self._place(view, self.pointers[name], (batch, head, row), number, start, ELEMENT)
            k.s_lshl_b32(row, row, 1)
            k.s_sub_u32(low, n["kv"] if name in "KV" else n["q"], 1)
            k.s_mul_i32(low, low, row)
            k.s_add_u32(view[2], low, self.config.d * ELEMENT)
        view = self.views["LSE"] = k.sgpr("LSE descriptor", 4)
        self._place(view, self.lse, (n["lse_batch"], n["lse_head"], 1), self.head, self.starts.get("q"), 4)
        k.s_lshl_b32(view[2], n["q"], 2)

    def _place(
        self,
        view: Register,
        pointer: Register,
        strides: tuple[Register, Register, Register | int],
        number: Register,
        start: Register | None,
        element: int,
    ) -> None:
        """Start a view at head `number` of the sequence, which starts at row `start`; strides are elements."""
        k, t, (batch, head, row) = self.k, self.t, strides
        k.s_mul_i32(t[0], batch, self.batch)
        k.s_mul_hi_u32(t[1], batch, self.batch)
        k.s_mul_i32(t[2], head, number)
        k.s_mul_hi_u32(t[3], head, number)
        k.s_add_u32(t[0], t[0], t[2])
        k.s_addc_u32(t[1], t[1], t[3])
        if start is not None:
            k.s_mul_i32(t[2], start, row)
            k.s_mul_hi_u32(t[3], start, row)
            k.s_add_u32(t[0], t[0], t[2])
            k.s_addc_u32(t[1], t[1], t[3])
        k.s_lshl_b64(t[0:2], t[0:2], element.bit_length() - 1)
        k.s_add_u32(view[0], pointer[0], t[0])
        k.s_addc_u32(view[1], pointer[1], t[1])
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[3], RAW_BUFFER)

    def _allocate_tiles(self) -> None:
        """Allocate fragments and accumulators; a half block of V takes the registers of one of K."""
        k, size, dtype = self.k, self.size, self.config.dtype
        file = "a" if size == WIDE_HEAD else "v"  # O, S and the rest fill the VGPRs of a wide head
        self.output = k.vgpr("O", size // 2)
        self.scores = k.vgpr("S", 2 * ACCUMULATORS)
        self.queries = RegTile.allocate(k, "Q", dtype, QUERIES, size, "rt_32x16", "row", file=file)
        allocate = k.agpr if file == "a" else k.vgpr
        halves = allocate("K and V", size // 2)
        self.keys = RegTile.over("K", halves, dtype, BLOCK_KV, size, "rt_32x16", "row")
        self.values = RegTile.over("V", halves, dtype, BLOCK_KV, size, "rt_16x32_4", "col")

    def _load_queries(self) -> None:
        """Load a lane's query straight into the operand's layout; elements behind the head size are zero."""
        k, d = self.k, self.config.d
        offset, cut = k.vgpr("Q offset"), k.vgpr("Q offset, lower lanes")
        k.v_mul_lo_u32(offset, self.row, self.numbers["q_row"])
        k.v_lshl_add_u32(offset, self.half, 4, offset)
        if d % DEPTH:
            k.v_mul_u32_u24(cut, OUT_OF_RANGE >> 8, self.half)
            k.v_lshl_or_b32(cut, cut, 8, offset)
        for number, piece in enumerate(self.queries.pieces):
            first = number * DEPTH
            if first >= d:
                for register in piece:
                    (k.v_accvgpr_write_b32 if register.file == "a" else k.v_mov_b32)(register, 0)
                continue
            where = cut if first + DEPTH > d else offset
            k.buffer_load_dwordx4(piece, where, self.views["Q"], 0, offset=first * ELEMENT)
        k.free(offset, cut)

    def _find_limits(self) -> None:
        """Write the blocks of keys of this workgroup, and what of them each wave and lane sees."""
        k, n, t = self.k, self.numbers, self.t
        position, self.trips = k.sgpr("first key"), k.sgpr("blocks")
        below, start = k.sgpr("all below"), k.sgpr("all from")
        below_lane = k.vgpr("keys below")
        start_lane = k.vgpr("keys from") if self.config.mask == "window" else None
        apart, end = t[0], t[1]
        k.s_mov_b32(position, 0)
        k.s_mov_b32(end, n["kv"])
        k.s_mov_b32(below, n["kv"])
        k.v_lshlrev_b32(self.half, 2, self.half)
        if self.config.mask == "full":
            k.v_sub_u32(below_lane, below, self.half)
        else:
            k.s_sub_u32(apart, n["kv"], n["q"])
            k.s_add_u32(end, self.first_query, self.config.block_q)
            k.s_min_u32(end, end, n["q"])
            k.s_add_u32(end, end, apart)
            k.s_max_i32(end, end, 0)
            k.s_add_u32(t[2], self.wave_query, apart)
            k.s_add_u32(t[2], t[2], 1)
            k.s_min_i32(below, below, t[2])
            k.v_sub_u32(below_lane, self.row, self.half)
            k.v_add_u32(below_lane, apart, below_lane)
            k.v_add_u32(below_lane, 1, below_lane)
        if start_lane is not None:
            k.v_subrev_u32(start_lane, n["window"], below_lane)
            k.v_add_u32(start_lane, BLOCK_KV, start_lane)
            k.s_sub_u32(t[2], t[2], n["window"])
            k.s_add_u32(start, t[2], QUERIES - 1 + BLOCK_KV)
            k.s_add_u32(position, self.first_query, apart)
            k.s_add_u32(position, position, 1)
            k.s_sub_u32(position, position, n["window"])
            k.s_max_i32(position, position, 0)
            k.s_and_b32(position, position, -BLOCK_KV)
        k.v_add_u32(below_lane, BLOCK_KV, below_lane)
        k.s_sub_u32(self.trips, end, position)
        k.s_add_u32(self.trips, self.trips, BLOCK_KV - 1)
        k.s_ashr_i32(self.trips, self.trips, BLOCK_KV.bit_length() - 1)
        k.s_max_i32(self.trips, self.trips, 0)
        self.cursors, self.strides = {}, {}
        for name in "KV":
            cursor, stride = self.cursors[name], self.strides[name] = k.sgpr(f"{name} cursor"), k.sgpr(f"{name} block")
            row = n[f"{name.lower()}_row"]
            k.s_mul_i32(cursor, position, row)
            k.s_mul_i32(stride, row, BLOCK_KV)
        self.limits = Limits(position, below, start, below_lane, start_lane)

    def _view(self, name: str) -> TileView:
        pitch = self.numbers[f"{name.lower()}_row"]
        return TileView(self.views[name], self.config.dtype, BLOCK_KV, self.size, pitch, self.config.d, 8)

    def _keys(self) -> Mover:
        shape = "st_32x32" if self.direct else "st_32x16"
        shared = SharedTile.allocate(
            self.k, "K", self.config.dtype, BLOCK_KV, self.size, shape, slots=self.schedule.depth
        )
        return TileMover(self.k, shared, self._view("K"), self.keys, self.lane, self.config.waves, direct=self.direct)

    def _values(self) -> Mover:
        k, dtype = self.k, self.config.dtype
        if self.direct:
            shared = SharedTile.allocate(k, "V", dtype, BLOCK_KV, self.size, "st_32x32", slots=self.schedule.depth)
            return TileMover(k, shared, self._view("V"), self.values, self.lane, self.config.waves, direct=True)
        region = k.lds("V", BLOCK_KV * self.size * ELEMENT)
        free = self.scores[ACCUMULATORS : ACCUMULATORS + 8]  # weights are packed into the first half
        return TransposedMover(
            k, region.offset, self.size, self._view("V"), self.values, self.lane, self.config.waves, free
        )

    # Steps.

    def _advance(self, k: Builder, slot: int) -> None:
        for name, cursor in self.cursors.items():
            k.s_add_u32(cursor, cursor, self.strides[name])

    def _steps(self) -> list[Step]:
        steps = [Step(act.__name__, "compute", act) for act in (self.softmax.maximum, self.softmax.weights)]
        parts = [""] if self.pingpong else ["0", "1"]
        for name, mover in self.movers.items():
            if self.direct:
                steps += [self._fetch(name, mover, part, filled=True) for part in parts]
            else:
                regions = tuple(name + part for part in parts)
                steps += [
                    self._fetch(name, mover, "", filled=False), Step(name, "commit", mover.commit, regions=regions)
                ]  # fmt: skip
            steps += [self._read(name, mover, part) for part in parts]
        for part in parts:
            steps += [self._scores(part), self._outputs(part)]
        return steps

    def _fetch(self, name: str, mover: Mover, part: str, *, filled: bool) -> Step:
        """Return the fetch of a whole block, or of half its keys; `filled` says that it goes to LDS."""

        def emit(k: Builder, slot: int) -> None:
            mover.fetch(k, slot, self.cursors[name], int(part) if part else None)

        return Step(name + part, "fetch", emit, regions=(name + part,) if filled else ())

    def _read(self, name: str, mover: Mover, part: str) -> Step:
        rows = _share((self.keys if name == "K" else self.values).height, part)

        def emit(k: Builder, slot: int) -> None:
            mover.read(k, slot, rows.start, rows.stop)

        return Step(name + part, "read", emit, regions=(name + part,))

    def _scores(self, part: str) -> Step:
        """Return the first product; the accumulators take turns, so that none waits for the product before."""

        def emit(k: Builder, slot: int) -> None:
            for j, query in enumerate(self.queries.pieces):
                for i in _share(self.keys.height, part):
                    target = self.scores[i * ACCUMULATORS : (i + 1) * ACCUMULATORS]
                    self._multiply(k, target, self.keys[i, j], query, fresh=j == 0)

        return Step("S" + part, "compute", emit)

    def _outputs(self, part: str) -> Step:
        """Return the second product; it carries what is left to do of the weights."""
        width = self.values.width

        def emit(k: Builder, slot: int) -> None:
            for i in _share(self.values.height, part):
                weights, left = self.scores[4 * i : 4 * i + 4], self.softmax.left(i)
                for j in range(width):
                    target = self.output[j * ACCUMULATORS : (j + 1) * ACCUMULATORS]
                    self._multiply(k, target, self.values[i, j], weights)
                    for act in left[j * len(left) // width : (j + 1) * len(left) // width]:
                        act(k)

        return Step("O" + part, "compute", emit)

    def _multiply(self, k: Builder, target: Register, a: Register, b: Register, *, fresh: bool = False) -> None:
        """Emit a 32x32x16 product of fragments, or both its halves; which k a slot stands for is the same in both."""
        if self.direct:
            getattr(k, f"v_mfma_f32_32x32x16_{self.config.dtype}")(target, a, b, 0 if fresh else target)
            return
        product = getattr(k, f"v_mfma_f32_32x32x8_{self.config.dtype}")
        product(target, a[0:2], b[0:2], 0 if fresh else target)
        product(target, a[2:4], b[2:4], target)

    # End.

    def _store(self) -> None:
        """Store O, eight bytes a lane, and the log-sum-exp from the lower lanes."""
        k, d = self.k, self.config.d
        self.softmax.finish(k)
        self.softmax.pack_output(k)
        offset = self.softmax.bound
        k.v_mul_lo_u32(offset, self.row, self.numbers["o_row"])
        k.v_lshl_add_u32(offset, self.half, 1, offset)
        for first in range(0, d, 8):
            k.buffer_store_dwordx2(
                self.output[first // 4 : first // 4 + 2], offset, self.views["O"], 0, offset=first * ELEMENT
            )
        k.s_mov_b32(EXEC[1], 0)
        k.v_lshlrev_b32(self.row, 2, self.row)
        k.buffer_store_dword(self.softmax.work[0], self.row, self.views["LSE"], 0)


def _share(count: int, part: str) -> range:
    """Return the numbers below `count`, or their first (``0``) or second (``1``) half."""
    first = int(part or 0) * count // 2
    return range(first, first + (count // 2 if part else count))

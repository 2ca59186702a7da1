"""The engine of all kernels on rows: descriptors, loads, stores and reductions of rows that lie in registers.

Lane t of a row holds chunks of consecutive elements, as many as make 16 bytes of the kernel's input type: chunk c
begins at element (c * lanes + t) * chunk. So one load of a wave covers consecutive bytes. Elements are f32 in
registers. A buffer descriptor ends with the row: lanes past it read zero and their stores are dropped, nothing outside
a row is touched. Buffer accesses want dword alignment: where a base, a pitch or a row is no whole number of dwords, a
scalar branch takes a path that moves element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.gemm.arguments import array_type
from hkasm.kernels.rows.spans import ACCESS_BYTES, BITS, WAVE_SIZE, RowsConfig, Span, Tensor
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView
from hkasm.tiles.ops.common import temporaries
from hkasm.tiles.ops.crosslane import Combine, reduce_lanes, temporaries_for
from hkasm.tiles.ops.packing import rounder, widen

WAVE_BITS = tuple(range(6))
"""Bits of the lane number."""
NEGATIVE_INFINITY = 0xFF80_0000


@dataclass
class Rows:
    """Writes a kernel on rows; `start` first, `end` last.

    Arguments are the tensors' pointers, the rows, the row's length `n`, a pitch in elements for every tensor that has
    one, and the configuration's extras.
    """

    k: Builder
    config: RowsConfig
    values: dict[str, Register] = field(default_factory=dict)
    """Arguments by name, with ``rows`` and ``n``."""
    views: dict[str, Register] = field(default_factory=dict)
    """Descriptors by tensor."""
    _offsets: dict[int, Register] = field(default_factory=dict)

    @property
    def span(self) -> Span:
        """Return how a row is held."""
        return self.config.held()

    @property
    def chunk(self) -> int:
        """Return the elements of a chunk: 16 bytes of the input type."""
        return ACCESS_BYTES * 8 // BITS[self.config.dtype]

    @property
    def chunks(self) -> int:
        """Return the chunks of a lane."""
        return self.span.per_lane // self.chunk

    # -- begin and end -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Declare and load arguments, find the row, make descriptors and offsets. A wave without a row ends."""
        k = self.k
        self._arguments()
        self.row = k.sgpr("row")
        self.column = k.vgpr("first column")
        if self.span.shared:
            wave = k.vgpr("wave")
            k.v_lshrrev_b32(wave, 6, k.lane)
            k.v_readfirstlane_b32(self.row, wave)
            first = k.sgpr("first row")
            k.s_lshl_b32(first, k.group_id, self.span.rows.bit_length() - 1)
            k.s_add_u32(self.row, self.row, first)
            k.free(wave, first)
            here = k.label("row_exists")
            k.s_cmp_lt_u32(self.row, self.values["tokens" if self.config.walked else "rows"])
            k.s_cbranch_scc1(here)
            k.s_endpgm()
            k.place(here)
            k.v_and_b32(self.column, WAVE_SIZE - 1, k.lane)
        else:
            k.s_mov_b32(self.row, k.group_id)
            k.v_mov_b32(self.column, k.lane)
        k.v_lshlrev_b32(self.column, self.chunk.bit_length() - 1, self.column)
        self.left = k.sgpr("elements left")
        """Elements from the workgroup's first to the end of the row."""
        k.s_mov_b32(self.left, self.values["n"])
        if self.config.blocks:
            self._first = k.sgpr("first element")
            share = self.values["share"] if self.config.walked else self.span.elements
            k.s_mul_i32(self._first, k.group_ids[1], share)
            k.s_sub_u32(self.left, self.left, self._first)
        if self.config.walked:
            self._begin_walk()
        for tensor in self.config.tensors:
            self.views[tensor.name] = k.sgpr(f"buffer {tensor.name}", 4)
            if tensor.pitched:
                pitch = self.values[f"pitch_{tensor.name}"]
                self._bytes(tensor, pitch, pitch)
        self._odd = k.sgpr("odd")
        self._descriptors()
        self.behind = k.vgpr("elements from here")
        """Elements from the lane's first to the end of the row; negative behind the end."""
        k.v_sub_u32(self.behind, self.left, self.column)
        for bits in sorted({tensor.bits for tensor in self.config.tensors}):
            self._offsets[bits] = k.vgpr(f"offset of {bits} bits")
        self._find_offsets()
        self.place = k.vgpr("place")

    def _find_offsets(self) -> None:
        """Set a lane's offsets to its place in a row."""
        k = self.k
        for bits, offset in self._offsets.items():
            if bits >= 8:
                k.v_lshlrev_b32(offset, bits.bit_length() - 4, self.column)
            else:
                k.v_mul_u32_u24(offset, bits, self.column)
                k.v_lshrrev_b32(offset, 3, offset)

    def _begin_walk(self) -> None:
        """Keep the token, go to its row among the workgroup's, and cut the row to the wave's share."""
        k = self.k
        self.token, self._remaining = k.sgpr("token"), k.sgpr("elements to walk")
        k.s_mov_b32(self.token, self.row)
        k.s_mul_i32(self._remaining, k.group_ids[2], self.values["tokens"])
        k.s_add_u32(self.row, self.row, self._remaining)
        k.s_min_u32(self.left, self.left, self.values["share"])
        k.s_mov_b32(self._remaining, self.left)

    def walk(self, done: Label) -> None:
        """Go on to the next elements of the share, to those of the token's next row, or to `done`."""
        k = self.k
        same, here = k.label("same_row"), k.label("next_place")
        k.s_sub_u32(self._remaining, self._remaining, self.span.elements)
        k.s_cmp_gt_i32(self._remaining, 0)
        k.s_cbranch_scc1(same)
        k.s_add_u32(self.row, self.row, self.values["skip"])
        k.s_cmp_lt_u32(self.row, self.values["rows"])
        k.s_cbranch_scc0(done)
        k.s_mov_b32(self._remaining, self.left)
        self._descriptors()
        self._find_offsets()
        k.s_branch(here)
        k.place(same)
        for bits, offset in self._offsets.items():
            k.v_add_u32(offset, self.span.elements * bits // 8, offset)
        k.place(here)

    def _arguments(self) -> None:
        k = self.k
        arguments = [
            k.arg(
                one.name,
                array_type(one.dtype, k.arch.name) if one.bits >= 8 else "u8",
                pointer=True,
                rank=2 if one.pitched else 1,
                access=one.access,
            )
            for one in self.config.tensors
        ]
        arguments += [k.arg(name, "u32") for name in ("rows", "n")]
        arguments += [k.arg(f"pitch_{one.name}", "u32") for one in self.config.tensors if one.pitched]
        arguments += [
            k.arg(one.name, one.dtype, pointer=one.rank > 0, rank=one.rank, access=one.access)
            for one in self.config.extras
        ]
        for argument in arguments:
            register = k.sgpr(argument.name, argument.size // 4)
            (k.s_load_dwordx2 if argument.size == 8 else k.s_load_dword)(register, k.kernarg, argument.offset)
            self.values[argument.name] = register
        k.wait(*self.values.values(), reason="arguments")

    def _descriptors(self) -> None:
        """Set the descriptors to the row of every tensor, and OR together all that must be whole dwords."""
        k = self.k
        temporary, first = k.sgpr("temporary"), k.sgpr("row of a vector")
        k.s_mov_b32(self._odd, 0)
        k.s_mov_b32(first, 0)
        for tensor in self.config.tensors:
            pointer, view = self.values[tensor.name], self.views[tensor.name]
            pitch = self.values[f"pitch_{tensor.name}"] if tensor.pitched else first
            BufferView(view).place(k, pointer, self.row if tensor.pitched else first, pitch, temporary)
            if self.config.blocks:
                self._bytes(tensor, temporary, self._first)
                BufferView(view).move(k, temporary)
            k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
            self._bytes(tensor, view[2], self.left)
            k.s_mov_b32(view[3], RAW_BUFFER)
            if tensor.bits < 32:
                for word in (view[0], view[2]):
                    k.s_or_b32(self._odd, self._odd, word)
        k.s_and_b32(self._odd, self._odd, 3)
        k.free(temporary, first)

    def _bytes(self, tensor: Tensor, target: Register, elements: Register) -> None:
        """Write the bytes that elements take, rounded up."""
        k = self.k
        if tensor.bits >= 8:
            if tensor.bits > 8 or target != elements:
                k.s_lshl_b32(target, elements, tensor.bits.bit_length() - 4)
            return
        k.s_mul_i32(target, elements, tensor.bits)
        k.s_add_u32(target, target, 7)
        k.s_lshr_b32(target, target, 3)

    def end(self) -> None:
        """End the program."""
        self.k.s_endpgm()
        self.k.fix_hazards()

    # -- memory --------------------------------------------------------------------------------------------------

    def new(self, name: str) -> list[Register]:
        """Return registers for a row, one tuple for every chunk."""
        row = self.k.vgpr(name, self.span.per_lane, align=4)
        return [row[c * self.chunk : (c + 1) * self.chunk] for c in range(self.chunks)]

    def whole(self, name: str, row: Sequence[Register]) -> list[tuple[str, int, Register]]:
        """Return what `load` takes for all chunks of a tensor."""
        return [(name, c, chunk) for c, chunk in enumerate(row)]

    def load(self, *moves: tuple[str, int, Register]) -> None:
        """Load chunks as f32, all in flight at once: the tensor, the number of the chunk, and where it goes."""
        k = self.k
        wanted = [(self.tensor(name), c, target) for name, c, target in moves]

        def aligned() -> None:
            for tensor, c, target in wanted:
                self.seek(tensor, c)
                _wide(k, "load", tensor.words(target))(tensor.words(target), self.place, self.views[tensor.name], 0)
            for tensor, _, target in wanted:
                words = tensor.words(target)
                if tensor.dtype != "f32":
                    k.wait(words)
                    for number, word in enumerate(words):
                        widen(k, tensor.dtype, word, list(target[2 * number : 2 * number + 2]))
            if late := [target for tensor, _, target in wanted if tensor.dtype == "f32"]:
                k.wait(*late)

        def single() -> None:
            for tensor, c, target in wanted:
                self.seek(tensor, c)
                view, load = self.views[tensor.name], k.buffer_load_ushort if tensor.bits == 16 else k.buffer_load_dword
                for number, value in enumerate(target):
                    load(value, self.place, view, 0, offset=number * tensor.bits // 8)
            for tensor, _, target in wanted:
                k.wait(target)
                for value in target if tensor.bits == 16 else ():
                    if tensor.dtype == "bf16":
                        k.v_lshlrev_b32(value, 16, value)
                    else:
                        k.v_cvt_f32_f16(value, value)

        self.either(any(tensor.bits < 32 for tensor, _, _ in wanted), aligned, single)

    def store(self, name: str, c: int, source: Register) -> None:
        """Round a chunk of f32 values to the tensor's type and store it; the values stay."""
        k, tensor = self.k, self.tensor(name)
        view, packed = self.views[name], source
        self.seek(tensor, c)
        if tensor.bits < 32:
            packed = self.packed[0 : len(tensor.words(source))]
            each = 32 // tensor.bits
            with rounder(k, "rows", tensor.dtype) as rounding:
                for number, word in enumerate(packed):
                    rounding.pack(word, list(source[each * number : each * (number + 1)]))

        def aligned() -> None:
            _wide(k, "store", packed)(packed, self.place, view, 0)

        def single() -> None:
            if tensor.bits == 8:
                self.store_bytes(view, packed, self.chunk)
                return
            for number, word in enumerate(packed):
                for half, emit in enumerate((k.buffer_store_short, k.buffer_store_short_d16_hi)):
                    emit(word, self.place, view, 0, offset=4 * number + 2 * half)

        self.either(tensor.bits < 32, aligned, single)

    def store_bytes(self, view: Register, packed: Register, count: int) -> None:
        """Store the first bytes of registers one by one where the lane's chunk begins; the registers are lost."""
        k = self.k
        for odd in (0, 1):
            for place in range(odd, count, 2):
                word, half = packed[place // 4], place % 4 // 2
                emit = k.buffer_store_byte_d16_hi if half else k.buffer_store_byte
                emit(word, self.place, view, 0, offset=place)
            for word in packed if not odd else ():
                k.v_lshrrev_b32(word, 8, word)

    @cached_property
    def packed(self) -> Register:
        """Registers for a chunk that is stored."""
        return self.k.vgpr("packed", 4)

    def tensor(self, name: str) -> Tensor:
        """Return a tensor of the kernel by name."""
        return next(one for one in self.config.tensors if one.name == name)

    def first(self, c: int) -> int:
        """Return how many elements behind the lane's first column chunk `c` begins."""
        return c * self.span.lanes * self.chunk

    def seek(self, tensor: Tensor, c: int) -> None:
        """Set `place` to the byte where the lane's chunk begins."""
        distance = self.first(c) * tensor.bits // 8
        self.k.v_add_u32(self.place, distance, self._offsets[tensor.bits])

    def either(self, divided: bool, aligned: Callable[[], None], single: Callable[[], None]) -> None:
        """Write both paths behind a scalar branch, or the aligned one alone."""
        if not divided:
            aligned()
            return
        k = self.k
        odd, done = k.label("single"), k.label("together")
        k.s_cmp_lg_u32(self._odd, 0)
        k.s_cbranch_scc1(odd)
        aligned()
        k.s_branch(done)
        k.place(odd)
        single()
        k.place(done)

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def fill_tail(self, row: Sequence[Register], value: int) -> None:
        """Give the elements behind the row's end a value: the bits of an f32."""
        k = self.k
        with temporaries(k, "tail", 1) as filler:
            k.v_mov_b32(filler, value)
            for c, chunk in enumerate(row):
                for number, element in enumerate(chunk):
                    k.v_cmp_lt_i32(VCC, self.first(c) + number, self.behind)
                    k.v_cndmask_b32(element, filler, element, VCC)

    def fold(self, name: str, combine: Callable[..., object], elements: Sequence[Register]) -> Register:
        """Return a new register with the reduction of a lane's elements."""
        found = self.k.vgpr(name)
        combine(found, elements[0], elements[1])
        for element in elements[2:]:
            combine(found, found, element)
        return found

    def reduce(self, combine: Combine, value: Register) -> None:
        """Replace a lane's value by the reduction over all lanes of the row, the same bits in each of them."""
        k, waves = self.k, 1 if self.span.shared else self.span.waves
        count = temporaries_for(k.arch.name, 1, WAVE_BITS)
        with temporaries(k, "reduction", count) as work:
            reduce_lanes(k, combine, [value], WAVE_BITS, work)
        if waves == 1:
            return
        region = k.lds(f"reduction {len(k.lds_map)}", waves * 4)
        with temporaries(k, "reduction", 1) as place:
            k.v_lshrrev_b32(place, 4, k.lane)
            k.v_and_b32(place, -4, place)
            k.ds_write_b32(place, value, offset=region.offset, tokens=(region.name,))
            k.wait(region.name, reason="the wave's part")
            k.s_barrier()
            k.v_and_b32(place, waves - 1, k.lane)
            k.v_lshlrev_b32(place, 2, place)
            k.ds_read_b32(value, place, offset=region.offset)
            k.wait(value, reason="all waves' parts")
        reduce_lanes(k, combine, [value], range(waves.bit_length() - 1), None)


def _wide(k: Builder, what: str, registers: Register) -> Callable[..., object]:
    suffix = {1: "dword", 2: "dwordx2", 4: "dwordx4"}[len(registers)]
    emit: Callable[..., object] = getattr(k, f"buffer_{what}_{suffix}")
    return emit

"""Transposition of matrices by tiles of 64 x 64 through LDS.

Whole tiles of aligned matrices move 16 bytes a lane on both sides. Tiles at an edge, and all tiles where a base or a
pitch is no whole number of dwords, move element by element: a lane without an element is sent outside the buffer, so
that it reads zero and stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.gemm.formats import format_of
from hkasm.kernels.kernel import Array, Arrays, Comparison, Kernel, Launch, Problem, compare
from hkasm.kernels.parameters import ParameterSet, parameter
from hkasm.kernels.rows.spans import ACCESS_BYTES, BITS, DTYPES
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView

TILE = 64
THREADS = 256
MAX_PITCH = 1 << 22
"""Elements: 64 rows of it stay below `EVERYTHING`."""
EVERYTHING = 0x7FFF_FFFF
"""Bytes of a buffer whose lanes are masked by their offsets."""
OUTSIDE = -1


@dataclass(frozen=True)
class TransposeConfig(ParameterSet):
    """What changes the code."""

    dtype: str = parameter("bf16", "element type; bits are moved as they are", choices=DTYPES)


@dataclass(frozen=True)
class TransposeProblem(TransposeConfig, Problem):
    """Y[n, rows] = X[rows, n] transposed; lines `ldx` and `ldy` elements apart (0: no space between)."""

    rows: int = parameter(192, "rows of X", low=1, high=MAX_PITCH)
    n: int = parameter(256, "columns of X", low=1, high=MAX_PITCH)
    ldx: int = parameter(0, "elements from row to row of X, 0 for no space", low=0, high=MAX_PITCH)
    ldy: int = parameter(0, "elements from row to row of Y, 0 for no space", low=0, high=MAX_PITCH)

    def __post_init__(self) -> None:
        for name, pitch, least in (("ldx", self.ldx, self.n), ("ldy", self.ldy, self.rows)):
            if pitch and pitch < least:
                raise UsageError(f"{name}={pitch}: shorter than a row", hint=f"at least {least}")

    def _matrix(self, name: str, flat: Array) -> Array:
        shape = (self.rows, self.n) if name == "X" else (self.n, self.rows)
        strides = (self._pitch(name) * flat.itemsize, flat.itemsize)
        return np.lib.stride_tricks.as_strided(flat, shape, strides)

    def _pitch(self, name: str) -> int:
        return (self.ldx or self.n) if name == "X" else (self.ldy or self.rows)

    def _blank(self, name: str) -> Array:
        kept = format_of(self.dtype, "gfx950")
        lines, length = (self.rows, self.n) if name == "X" else (self.n, self.rows)
        count = (lines - 1) * self._pitch(name) + length
        return np.full(count, kept.blank, f"u{np.dtype(kept.array).itemsize}").view(kept.array)

    def inputs(self, seed: int = 0) -> Arrays:
        """Return normally distributed X; what lies between rows is NaN."""
        flat = self._blank("X")
        values = self._matrix("X", flat)
        values[:] = np.random.default_rng(seed).standard_normal(values.shape, dtype=np.float32).astype(flat.dtype)
        return {"X": flat}

    def outputs(self) -> Arrays:
        """Return Y, filled with a NaN."""
        return {"Y": self._blank("Y")}

    def launch(self) -> Launch:
        """Return one workgroup a tile."""
        grid = (-(-self.n // TILE), -(-self.rows // TILE), 1)
        return Launch(grid, (THREADS, 1, 1), ("Y", "X", self.rows, self.n, self._pitch("Y"), self._pitch("X")))

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare all bits of Y, what lies between its rows included."""
        want = self._blank("Y")
        self._matrix("Y", want)[:] = self._matrix("X", inputs["X"]).T
        bits = f"u{want.itemsize}"
        right = want.view(bits).astype(np.float64)
        return [compare("Y", outputs["Y"].view(bits), right, np.zeros(right.shape), "no change of bits")]

    @property
    def least_bytes(self) -> tuple[int, int]:
        """Return the bytes that must be read and written."""
        one = self.rows * self.n * BITS[self.dtype] // 8
        return one, one

    @property
    def bytes(self) -> int:
        return (self.rows * self._pitch("X") + self.n * self._pitch("Y")) * BITS[self.dtype] // 8

    @property
    def flops(self) -> int:
        return 0


class TransposeKernel(Kernel[TransposeConfig, TransposeProblem]):
    """Y = X transposed: matrices of any size, pitch and alignment, each element read once and written once."""

    name = "transpose"
    archs = ("gfx942", "gfx950")
    grid_rule = (f"ceil(n / {TILE})", f"ceil(rows / {TILE})", "1")
    config_type = TransposeConfig
    problem_type = TransposeProblem

    def write(self, arch: str, config: TransposeConfig) -> Program:
        """Write the program: both paths in, one way through LDS, both paths out."""
        k = Builder(arch, self.name, block=THREADS)
        k.config.update(config=config.label)
        _Tile(k, config.dtype).write()
        k.fix_hazards()
        return k.finish()


class _Tile:
    """One tile: lane t holds a chunk of 16 bytes of row t // lanes, and of the rows below it pass by pass."""

    def __init__(self, k: Builder, dtype: str) -> None:
        self.k, self.dtype = k, dtype
        self.bytes = BITS[dtype] // 8
        self.chunk = ACCESS_BYTES // self.bytes
        self.lanes = TILE // self.chunk
        self.step = THREADS // self.lanes
        """Rows of a pass."""
        self.passes = TILE // self.step
        self.pitch = TILE + self.chunk
        """Elements from row to row in LDS: rows stay 16-byte aligned and begin at different banks."""

    def write(self) -> None:
        """Write the whole program."""
        k = self.k
        for name, access in (("Y", "write"), ("X", "read")):
            k.arg(name, self.dtype, pointer=True, rank=2, access=access)
        for name in ("rows", "n", "pitch_Y", "pitch_X"):
            k.arg(name, "u32")
        pointers, sizes = k.sgpr("Y,X", 4), k.sgpr("rows,n,pitches", 4)
        k.s_load_dwordx4(pointers, k.kernarg, 0)
        k.s_load_dwordx4(sizes, k.kernarg, 16)
        k.wait(pointers, sizes, reason="arguments")
        first_row, first_column = k.sgpr("first row"), k.sgpr("first column")
        k.s_lshl_b32(first_row, k.group_ids[1], TILE.bit_length() - 1)
        k.s_lshl_b32(first_column, k.group_ids[0], TILE.bit_length() - 1)
        rows, columns = sizes[0], sizes[1]
        k.s_sub_u32(rows, rows, first_row)
        k.s_sub_u32(columns, columns, first_column)
        shift = self.bytes.bit_length() - 1
        k.s_lshl_b32(sizes[2], sizes[2], shift)
        k.s_lshl_b32(sizes[3], sizes[3], shift)
        source = self._view("X", pointers[2:4], first_row, first_column, sizes[3])
        target = self._view("Y", pointers[0:2], first_column, first_row, sizes[2])
        self._slow = k.sgpr("element by element")
        temporary = k.sgpr("temporary")
        k.s_or_b32(self._slow, source[0], target[0])
        for pitch in sizes[2:4]:
            k.s_or_b32(self._slow, self._slow, pitch)
        k.s_and_b32(self._slow, self._slow, 3)
        k.s_min_u32(temporary, rows, columns)
        k.s_cmp_lt_u32(temporary, TILE)
        k.s_cselect_b32(self._slow, 1, self._slow)
        self.row, self.column = k.vgpr("row"), k.vgpr("column")
        k.v_lshrrev_b32(self.row, self.lanes.bit_length() - 1, k.lane)
        k.v_and_b32(self.column, self.lanes - 1, k.lane)
        k.v_lshlrev_b32(self.column, self.chunk.bit_length() - 1, self.column)
        self.place, self.single = k.vgpr("place"), k.vgpr("place of an element")
        self.inside = k.sgpr("row is inside", 2)
        self._through_lds(source, sizes[3], target, sizes[2], rows, columns)
        k.s_endpgm()

    def _through_lds(
        self,
        source: Register,
        pitch_in: Register,
        target: Register,
        pitch_out: Register,
        rows: Register,
        columns: Register,
    ) -> None:
        k, region = self.k, self.k.lds("tile", TILE * self.pitch * self.bytes)
        address, data = k.vgpr("LDS address"), k.vgpr("data", 4 * self.passes)
        elements = k.vgpr("elements", self.chunk)
        chunks = [data[4 * p : 4 * p + 4] for p in range(self.passes)]
        self._lds_address(address, self.column, self.row)

        def fast_in() -> None:
            for _, chunk in zip(self._passes(pitch_in), chunks, strict=True):
                k.buffer_load_dwordx4(chunk, self.place, source, 0)
            for p, chunk in enumerate(chunks):
                k.wait(chunk)
                for number, (word, high) in enumerate(self._items(chunk)):
                    self._to_lds(address, word, high, number, p)

        def slow_in() -> None:
            load = k.buffer_load_dword if self.bytes == 4 else k.buffer_load_ushort
            for p in self._passes(pitch_in):
                for number in self._singles(p, rows, columns):
                    load(elements[number], self.single, source, 0)
                k.wait(elements)
                for number, element in enumerate(elements):
                    self._to_lds(address, element, False, number, p)

        def fast_out() -> None:
            for _, chunk in zip(self._passes(pitch_out), chunks, strict=True):
                k.wait(chunk)
                k.buffer_store_dwordx4(chunk, self.place, target, 0)

        def slow_out() -> None:
            k.wait(data)
            for p in self._passes(pitch_out):
                items = self._items(chunks[p])
                for number in self._singles(p, columns, rows):
                    word, high = items[number]
                    store = k.buffer_store_short_d16_hi if high else k.buffer_store_short
                    (k.buffer_store_dword if self.bytes == 4 else store)(word, self.single, target, 0)

        self._either(fast_in, slow_in)
        k.wait("tile", reason="the tile's elements of this wave")
        k.s_barrier()
        self._lds_address(address, self.row, self.column)
        for p, chunk in enumerate(chunks):
            offset = region.offset + p * self.step * self.pitch * self.bytes
            k.ds_read_b128(chunk, address, offset=offset)
        self._either(fast_out, slow_out)

    def _view(self, name: str, pointer: Register, row: Register, column: Register, pitch: Register) -> Register:
        k, view = self.k, self.k.sgpr(f"buffer {name}", 4)
        temporary = k.sgpr("temporary")
        BufferView(view).place(k, pointer, row, pitch, temporary)
        k.s_lshl_b32(temporary, column, self.bytes.bit_length() - 1)
        BufferView(view).move(k, temporary)
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[2], EVERYTHING)
        k.s_mov_b32(view[3], RAW_BUFFER)
        k.free(temporary)
        return view

    def _lds_address(self, address: Register, row: Register, column: Register) -> None:
        k = self.k
        k.v_mul_u32_u24(address, self.pitch, row)
        k.v_add_u32(address, address, column)
        k.v_lshlrev_b32(address, self.bytes.bit_length() - 1, address)

    def _to_lds(self, address: Register, word: Register, high: bool, number: int, p: int) -> None:
        """Write element `number` of a chunk of pass `p` to its column's row."""
        k = self.k
        offset = (number * self.pitch + p * self.step) * self.bytes
        store = k.ds_write_b16_d16_hi if high else k.ds_write_b16
        (k.ds_write_b32 if self.bytes == 4 else store)(address, word, offset=offset, tokens=("tile",))

    def _items(self, chunk: Register) -> list[tuple[Register, bool]]:
        """Return where each element of a chunk lies: its register, and whether in the upper half."""
        return [(word, half == 1) for word in chunk for half in range(4 // self.bytes)]

    def _passes(self, pitch: Register) -> Iterator[int]:
        """Set `place` to the lane's chunk, pass after pass."""
        k, rise = self.k, self.k.sgpr("bytes of a pass")
        k.v_mul_lo_u32(self.place, self.row, pitch)
        k.v_lshlrev_b32(self.single, self.bytes.bit_length() - 1, self.column)
        k.v_add_u32(self.place, self.place, self.single)
        k.s_lshl_b32(rise, pitch, self.step.bit_length() - 1)
        for p in range(self.passes):
            if p:
                k.v_add_u32(self.place, rise, self.place)
            yield p
        k.free(rise)

    def _singles(self, p: int, rows: Register, columns: Register) -> Iterator[int]:
        """Set `single` to each element of the lane's chunk in turn, outside of the buffer where there is none."""
        k, number = self.k, self.k.vgpr("row or column")
        k.v_add_u32(number, p * self.step, self.row)
        k.v_cmp_gt_u32(self.inside, rows, number)
        for element in range(self.chunk):
            k.v_add_u32(number, element, self.column)
            k.v_cmp_gt_u32(VCC, columns, number)
            k.s_and_b64(VCC, VCC, self.inside)
            k.v_add_u32(self.single, element * self.bytes, self.place)
            k.v_cndmask_b32(self.single, OUTSIDE, self.single, VCC)
            yield element
        k.free(number)

    def _either(self, fast: Callable[[], None], slow: Callable[[], None]) -> None:
        k = self.k
        single, done = k.label("single"), k.label("together")
        k.s_cmp_lg_u32(self._slow, 0)
        k.s_cbranch_scc1(single)
        fast()
        k.s_branch(done)
        k.place(single)
        slow()
        k.place(done)

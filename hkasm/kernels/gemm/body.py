"""The GEMM's body: entry, the pipelines by alignment, the rest of K, the store.

One code object serves every shape. What a launch needs is decided with scalar branches: which way to fetch (by the
alignment of rows), whether a rest of K is left, how to store.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.grids.row_major import tile_origin
from hkasm.isa.registers import Register
from hkasm.kernels.gemm import layout
from hkasm.kernels.gemm.fetch import DirectFetch, Fetch, MaskedFetch, StagedFetch
from hkasm.kernels.gemm.registers import Registers, allocate
from hkasm.kernels.gemm.store import Store
from hkasm.schedules import Pipeline, Step, Steps
from hkasm.tiles.buffer import BufferView

ARGUMENTS = (("C", "write"), ("A", "read"), ("B", "read"))
SIZES = ("M", "N", "K", "lda", "ldb", "ldc")
MATRIX_DWORDS = {"gfx942": 2, "gfx950": 4}
"""Operand registers of the 16x16 bf16 instruction: K = 16 on gfx942, K = 32 on gfx950."""


class Gemm:
    """Writes one GEMM kernel."""

    def __init__(self, k: Builder, accumulators: str) -> None:
        self.k = k
        self.slots = 2 if k.arch.name == "gfx950" else 1
        self.tiles = layout.shared_tiles(self.slots)
        for operand in "AB":
            for slot in range(self.slots):
                for half in (0, 1):
                    k.lds(f"{operand}{half}[{slot}]", layout.HALF_BYTES)
        self.r: Registers = allocate(k, accumulators)
        self.store = Store(k, self.r)
        # One object for each step that all pipelines share, so that it is written once.
        self.shared_steps = [*self._reads(), *self._computes()]

    def write(self) -> None:
        """Write the kernel from its first instruction to its last."""
        k, s = self.k, self.r.scalars
        with k.mark("section", "entry"):
            self._load_arguments()
            self._place_views()
            self._place_lane()
            self._clear_accumulators()
            k.s_lshr_b32(s.trips, s.k_bytes, layout.log2(layout.ROW_BYTES))
            k.s_lshr_b32(s.rest, s.k_bytes, 1)
            k.s_and_b32(s.rest, s.rest, layout.TILE_K - 1)
            k.s_mov_b32(s.cursor, 0)
        rest = k.label("rest_of_k")
        self._write_pipelines(rest)
        k.place(rest)
        self._write_rest()
        self.store.write()
        k.s_endpgm()

    # Entry.

    def _load_arguments(self) -> None:
        k, s = self.k, self.r.scalars
        for name, access in ARGUMENTS:
            k.arg(name, "bf16", pointer=True, rank=2, access=access)
        for name in SIZES:
            k.arg(name, "u32")
        k.s_load_dwordx8(s.pointers, k.kernarg, 0)
        k.s_load_dwordx4(s.sizes, k.kernarg, 32)
        k.wait(s.pointers, s.sizes, reason="arguments")
        tile_origin(k, s.row, s.column, layout.TILE_M, layout.TILE_N)
        for size in s.sizes:
            k.s_lshl_b32(size, size, 1)  # elements to bytes

    def _place_views(self) -> None:
        """Point the buffers at this workgroup's rows of A and B and at its tile of C."""
        k, s, r = self.k, self.r.scalars, self.r
        for count, size, first, most in (
            (s.rows, s.m, s.row, layout.TILE_M),
            (s.columns, s.n, s.column, layout.TILE_N),
        ):
            k.s_sub_u32(count, size, first)
            k.s_min_u32(count, count, most)
        views: tuple[tuple[BufferView, Register, Register, Register, Register], ...] = (
            (r.a, s.a, s.row, s.rows, s.pitch("A")),
            (r.b, s.b, s.column, s.columns, s.pitch("B")),
        )
        for view, pointer, first, rows, pitch in views:
            view.place(k, pointer, first, pitch, s.temporary)
            view.limit(k, rows, pitch, s.k_bytes, s.temporary)
        r.c.place(k, s.c, s.row, s.pitch("C"), s.temporary)
        k.s_lshl_b32(s.temporary, s.column, 1)
        r.c.move(k, s.temporary)
        k.s_lshl_b32(s.other, s.columns, 1)
        r.c.limit(k, s.rows, s.pitch("C"), s.other, s.temporary)

    def _place_lane(self) -> None:
        """Write where a wave and a lane stand: wave row and column, LDS bases for fetching, reading and committing."""
        k, s, r = self.k, self.r.scalars, self.r
        row, chunk, byte = r.temporaries[0:3]
        k.v_lshrrev_b32(row, layout.log2(layout.WAVE_SIZE), r.lane)
        k.v_readfirstlane_b32(s.wave, row)
        k.v_and_b32(r.lane, layout.WAVE_SIZE - 1, r.lane)
        k.s_lshr_b32(s.wave_row, s.wave, layout.log2(layout.WAVES_N))
        k.s_and_b32(s.wave_column, s.wave, layout.WAVES_N - 1)
        k.s_mul_i32(s.fetch_base, s.wave, layout.WAVE_FETCH_BYTES)
        # Reading: row lane % 16, chunk (lane / 16) ^ (row % 8); the second K slice is four chunks on, an exclusive or.
        k.v_and_b32(row, layout.FRAGMENT - 1, r.lane)
        k.v_and_b32(chunk, layout.SWIZZLE_ROWS - 1, r.lane)
        k.v_lshrrev_b32(byte, layout.log2(layout.FRAGMENT), r.lane)
        k.v_xor_b32(chunk, chunk, byte)
        k.v_lshlrev_b32(chunk, layout.log2(layout.CHUNK_BYTES), chunk)
        k.v_lshl_or_b32(byte, row, layout.log2(layout.ROW_BYTES), chunk)
        slice_bytes = layout.fragment_chunk(1, 0) * layout.CHUNK_BYTES
        for operand, (wave, fragments) in enumerate(
            ((s.wave_row, layout.A_FRAGMENTS), (s.wave_column, layout.B_FRAGMENTS))
        ):
            k.s_mul_i32(s.temporary, wave, fragments * layout.FRAGMENT_BYTES)
            if operand:
                k.s_add_u32(s.temporary, s.temporary, self.tiles["B0"].start(0))
            k.v_add_u32(r.bases[operand, 0], s.temporary, byte)
            k.v_xor_b32(r.bases[operand, 1], slice_bytes, r.bases[operand, 0])
        # Committing: lane i of a wave writes chunk i of the wave's rows.
        k.v_lshl_add_u32(r.commit_base[0], r.lane, layout.log2(layout.CHUNK_BYTES), s.fetch_base)
        k.v_add_u32(r.commit_base[1], self.tiles["B0"].start(0), r.commit_base[0])

    def _clear_accumulators(self) -> None:
        clear = self.k.v_accvgpr_write_b32 if self.r.accumulators.register.file == "a" else self.k.v_mov_b32
        for register in self.r.accumulators.register:
            clear(register, 0)

    # Pipelines.

    def _write_pipelines(self, rest: Label) -> None:
        """Write a pipeline for each alignment of rows and choose one by the lowest bits of pointers and pitches."""
        k, s, r = self.k, self.r.scalars, self.r
        direct = self.slots == 2
        wide: Fetch = DirectFetch(k, r, self.tiles, 4) if direct else StagedFetch(k, r, self.tiles, 16)
        words: Fetch = DirectFetch(k, r, self.tiles, 1) if direct else StagedFetch(k, r, self.tiles, 4)
        elements = StagedFetch(k, r, self.tiles, layout.ELEMENT_BYTES)
        not_wide, odd = k.label("not_wide"), k.label("odd")
        k.s_or_b32(s.temporary, s.a[0], s.b[0])
        for name in "AB":
            k.s_or_b32(s.temporary, s.temporary, s.pitch(name))
        k.s_and_b32(s.other, s.temporary, layout.CHUNK_BYTES - 1)
        k.s_cbranch_scc1(not_wide)
        self._write_pipeline(wide, "wide")
        k.s_branch(rest)
        k.place(not_wide)
        k.s_and_b32(s.other, s.temporary, layout.DWORD_BYTES - 1)
        k.s_cbranch_scc1(odd)
        self._write_pipeline(words, "words")
        k.s_branch(rest)
        k.place(odd)
        self._write_pipeline(elements, "elements")

    def _write_pipeline(self, fetch: Fetch, name: str) -> None:
        fetch.setup()
        self._pipeline(fetch).lower(self.k, self.r.scalars.trips, late=self.r.scalars.wave_row, name=name)

    def _write_rest(self) -> None:
        """Write the step for the last K % 64 columns; every LDS buffer is free when it starts."""
        k, s = self.k, self.r.scalars
        store = k.label("store")
        k.s_cmp_eq_u32(s.rest, 0)
        k.s_cbranch_scc1(store)
        fetch = MaskedFetch(k, self.r, self.tiles)
        fetch.setup()
        self._pipeline(fetch).lower(k, 1, name="rest")
        k.place(store)

    def _pipeline(self, fetch: Fetch) -> Pipeline:
        steps = Steps([*fetch.steps(), *self.shared_steps])
        return Pipeline(fetch.schedule, steps, self._advance)

    def _advance(self, k: Builder, slot: int) -> None:
        k.s_add_u32(self.r.scalars.cursor, self.r.scalars.cursor, layout.ROW_BYTES)

    # Steps that all pipelines share.

    def _reads(self) -> list[Step]:
        return [self._read(name) for name in layout.REGIONS]

    def _read(self, name: str) -> Step:
        operand, half = "AB".index(name[0]), int(name[1])
        fragments = self.r.a_fragments if operand == 0 else self.r.b_fragments(half)
        base = self.tiles[f"{name[0]}0"].start(0)

        def emit(k: Builder, slot: int) -> None:
            for k_slice in range(layout.K_SLICES):
                for i in range(fragments.shape[0]):
                    offset = self.tiles[name].start(slot) - base + i * layout.FRAGMENT_BYTES
                    k.ds_read_b128(fragments[i, k_slice], self.r.bases[operand, k_slice], offset=offset)

        return Step(name, "read", emit, regions=(name,))

    def _computes(self) -> list[Step]:
        return [self._compute(a_half, b_half) for a_half in (0, 1) for b_half in (0, 1)]

    def _compute(self, a_half: int, b_half: int) -> Step:
        a, b = self.r.a_fragments, self.r.b_fragments(b_half)
        width = MATRIX_DWORDS[self.k.arch.name]

        def emit(k: Builder, slot: int) -> None:
            multiply = k.v_mfma_f32_16x16x32_bf16 if width == 4 else k.v_mfma_f32_16x16x16_bf16
            for k_slice in range(layout.K_SLICES):
                for part in range(0, 4, width):
                    for i in range(layout.A_FRAGMENTS):
                        for j in range(layout.B_FRAGMENTS):
                            # B first: a lane then holds one row of C and four of its columns (layout.b_column).
                            target = self.r.accumulators[a_half, b_half, i, j]
                            rows = b[j, k_slice][part : part + width]
                            columns = a[i, k_slice][part : part + width]
                            multiply(target, rows, columns, target)

        return Step(f"C{a_half}{b_half}", "compute", emit)

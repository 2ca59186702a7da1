"""The registers of the GEMM, allocated once, by what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.kernels.gemm import layout
from hkasm.tiles.array import RegArray
from hkasm.tiles.buffer import BufferView

FETCH_PARTS = 2
"""Chunks that a lane fetches of each half tile: WAVE_FETCH_BYTES / (64 lanes of 16 bytes)."""
STAGING = 48
"""Registers for data on its way to LDS: A packed (16) and B with one element a register (32), or A alone (32)."""


@dataclass(frozen=True)
class Scalars:
    """SGPRs. Pitches are bytes a row; `rows` and `columns` are those of this workgroup's tile (1 to 256)."""

    pointers: Register
    sizes: Register
    row: Register
    column: Register
    rows: Register
    columns: Register
    wave: Register
    wave_row: Register
    wave_column: Register
    cursor: Register
    trips: Register
    rest: Register
    fetch_base: Register
    scratch: Register
    mask: Register

    @cached_property
    def c(self) -> Register:
        return self.pointers[0:2].named("C")

    @cached_property
    def a(self) -> Register:
        return self.pointers[2:4].named("A")

    @cached_property
    def b(self) -> Register:
        return self.pointers[4:6].named("B")

    @cached_property
    def m(self) -> Register:
        return self.pointers[6].named("M")

    @cached_property
    def n(self) -> Register:
        return self.pointers[7].named("N")

    @cached_property
    def temporary(self) -> Register:
        return self.scratch[0].named("temporary")

    @cached_property
    def other(self) -> Register:
        return self.scratch[1].named("other")

    @cached_property
    def k_bytes(self) -> Register:
        return self.sizes[0].named("K bytes")

    def pitch(self, tensor: str) -> Register:
        """Return the bytes a row of ``A``, ``B`` or ``C``."""
        return self.sizes[1 + "ABC".index(tensor)].named(f"pitch {tensor}")


@dataclass(frozen=True)
class Registers:
    """All registers of the GEMM.

    ``fragments`` holds A (32 registers), B0 and B1 (16 each), and at the end the packed output. ``offsets`` are the
    byte offsets at which a lane fetches, by operand, half and part.
    """

    scalars: Scalars
    a: BufferView
    b: BufferView
    c: BufferView
    lane: Register
    accumulators: RegArray
    fragments: Register
    staging: Register
    offsets: RegArray
    bases: RegArray
    commit_base: Register

    @cached_property
    def a_fragments(self) -> RegArray:
        """Fragment (i, K slice) of the half of A at hand."""
        return RegArray(self.fragments[0:32].named("A"), (layout.A_FRAGMENTS, layout.K_SLICES), 4)

    def b_fragments(self, half: int) -> RegArray:
        """Fragment (j, K slice) of a half of B."""
        first = 32 + 16 * half
        return RegArray(self.fragments[first : first + 16].named(f"B{half}"), (layout.B_FRAGMENTS, layout.K_SLICES), 4)

    @cached_property
    def output(self) -> RegArray:
        """Eight packed bf16 of a row, by half of A, half of B and fragment of A."""
        return RegArray(self.fragments.named("output"), (2, 2, layout.A_FRAGMENTS), 4)

    @cached_property
    def temporaries(self) -> Register:
        """Eight registers that nothing holds before a pipeline, between pipelines and behind the last."""
        return self.staging[STAGING - 8 : STAGING].named("temporary")


def allocate(k: Builder, accumulators_in: str) -> Registers:
    """Allocate every register of the kernel; accumulators in ``agpr`` or ``vgpr``."""
    pointers, sizes = k.sgpr("C,A,B,M,N", 8), k.sgpr("K,pitches", 4)
    views = [BufferView(k.sgpr(f"buffer {name}", 4)) for name in "ABC"]
    scalars = Scalars(
        pointers=pointers,
        sizes=sizes,
        row=k.sgpr("first row"),
        column=k.sgpr("first column"),
        rows=k.sgpr("rows"),
        columns=k.sgpr("columns"),
        wave=k.sgpr("wave"),
        wave_row=k.sgpr("wave row"),
        wave_column=k.sgpr("wave column"),
        cursor=k.sgpr("fetch cursor"),
        trips=k.sgpr("K steps"),
        rest=k.sgpr("K rest"),
        fetch_base=k.sgpr("fetch base"),
        scratch=k.sgpr("scratch", 2),
        mask=k.sgpr("mask", 2),
    )
    tiles = 2 * 2 * layout.A_FRAGMENTS * layout.B_FRAGMENTS
    allocate_accumulators = k.agpr if accumulators_in == "agpr" else k.vgpr
    return Registers(
        scalars=scalars,
        a=views[0],
        b=views[1],
        c=views[2],
        lane=k.lane,
        fragments=k.vgpr("fragments", 64),
        staging=k.vgpr("staging", STAGING),
        offsets=RegArray(k.vgpr("fetch offsets", 8), (2, 2, FETCH_PARTS), 1),
        bases=RegArray(k.vgpr("read bases", 4), (2, layout.K_SLICES), 1),
        commit_base=k.vgpr("commit base", 2),
        accumulators=RegArray(
            allocate_accumulators("accumulators", 4 * tiles), (2, 2, layout.A_FRAGMENTS, layout.B_FRAGMENTS), 4
        ),
    )

"""The plain grid: x counts tiles along a row of the output, y the rows of tiles."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register


def grid_shape(m: int, n: int, tile_m: int, tile_n: int) -> tuple[int, int, int]:
    """Return the grid in workgroups for an m x n output."""
    return -(-n // tile_n), -(-m // tile_m), 1


def tile_origin(k: Builder, row: Register, column: Register, tile_m: int, tile_n: int) -> None:
    """Write the first row and column of this workgroup's tile into two SGPRs."""
    k.s_mul_i32(column, k.group_ids[0], tile_n)
    k.s_mul_i32(row, k.group_ids[1], tile_m)

"""Where everything of the 256x256x64 tile lies: rows, columns and k of LDS, fragments and accumulators.

Pure index maps; the emitters compute the same addresses with instructions, the tests compare the two.
"""

from __future__ import annotations

from hkasm.tiles.shared import SharedShape, SharedTile
from hkasm.tiles.swizzle import Index, Swizzle

ELEMENT_BYTES = 2
DWORD_BYTES = 4
TILE_M, TILE_N, TILE_K = 256, 256, 64
WAVES_M, WAVES_N = 2, 4
WAVES = WAVES_M * WAVES_N
WAVE_SIZE = 64

HALF = 128
"""Rows of a half tile: A0 and A1, B0 and B1, the unit of fetching and reading."""
ROW_BYTES = TILE_K * ELEMENT_BYTES
HALF_BYTES = HALF * ROW_BYTES
CHUNK_BYTES = 16
CHUNK_ELEMENTS = CHUNK_BYTES // ELEMENT_BYTES
WAVE_ROWS = HALF // WAVES
"""Rows of a half tile that one wave fetches."""
WAVE_FETCH_BYTES = WAVE_ROWS * ROW_BYTES

FRAGMENT = 16
"""Rows and columns of one matrix instruction."""
A_FRAGMENTS = HALF // WAVES_M // FRAGMENT
B_FRAGMENTS = HALF // WAVES_N // FRAGMENT
K_SLICES = ROW_BYTES // (WAVE_SIZE // FRAGMENT * CHUNK_BYTES)
"""16-byte chunks a lane reads of a row: the K slices of the tile, 32 elements each."""
FRAGMENT_BYTES = FRAGMENT * ROW_BYTES

SWIZZLE_ROWS = 8
SHAPE = SharedShape("rows of 128 bytes", SWIZZLE_ROWS, TILE_K, 8 * ELEMENT_BYTES, Swizzle(((7, 3, 4),)))
"""Chunk c of row r is stored as chunk ``c ^ (r % 8)``: a column of chunks meets every bank group once in 8 rows."""
REGIONS = ("A0", "A1", "B0", "B1")


def log2(size: int) -> int:
    """Return the shift that multiplies or divides by a power of two."""
    return size.bit_length() - 1


def shared_tiles(slots: int) -> dict[str, SharedTile]:
    """Return the half tiles in LDS: all buffers of A, then all of B, so that one base register reaches every buffer."""
    stride = 2 * HALF_BYTES
    return {
        name: SharedTile(name, "bf16", HALF, TILE_K, SHAPE, operand * slots * stride + half * HALF_BYTES, slots, stride)
        for name, operand, half in (("A0", 0, 0), ("A1", 0, 1), ("B0", 1, 0), ("B1", 1, 1))
    }


def b_column(row: Index) -> Index:
    """Return the column of the output, within a half tile, that LDS row `row` of B holds.

    Rows are permuted within blocks of 32: row 16 j + r holds column 8 (r / 4) + 4 j + r % 4. A lane's four accumulators
    of fragment j = 0 and the four of j = 1 are then eight consecutive columns: one 16-byte store.
    """
    block, j, r = row // 32, row // FRAGMENT % 2, row % FRAGMENT
    return block * 32 + r // 4 * 8 + j * 4 + r % 4


def a_fragment_row(wave_row: int, i: int, lane: Index) -> Index:
    """Return the row of a half tile of A that a lane holds in fragment `i`."""
    return wave_row * A_FRAGMENTS * FRAGMENT + i * FRAGMENT + lane % FRAGMENT


def b_fragment_row(wave_column: int, j: int, lane: Index) -> Index:
    """Return the LDS row of a half tile of B that a lane holds in fragment `j`."""
    return wave_column * B_FRAGMENTS * FRAGMENT + j * FRAGMENT + lane % FRAGMENT


def fragment_chunk(k_slice: int, lane: Index) -> Index:
    """Return which 16-byte chunk of its row a lane reads for a K slice."""
    return k_slice * (WAVE_SIZE // FRAGMENT) + lane // FRAGMENT

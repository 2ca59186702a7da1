"""Block scales of MX operands in the layout that the GEMM reads, and elements of less than 8 bits packed in bytes.

The layout: rows are padded to whole units of 64, K to 256, with 1.0 (code 127). A unit is 64 rows by 128 k, 256 bytes;
units lie row by row, K first. In a unit, dword 16 b + r holds the four scales of block b (32 k) for the rows
32 (i / 2) + 8 (r / 4) + 4 (i % 2) + r % 4 in bytes i = 0 to 3: what lane 16 b + r of a wave needs for four fragments,
as the scaled matrix instruction wants them (`hkasm.isa.mfma.layout.gather_scales`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hkasm.isa.numerics import decode, format_of
from hkasm.kernels.gemm.declared import number_format
from hkasm.kernels.gemm.plan import SCALE_DEPTH, SCALE_ROWS

Codes = npt.NDArray[np.uint8]
BLOCKS_A_UNIT = SCALE_DEPTH // 32
ONE = 127


def padded(rows: int, blocks: int) -> tuple[int, int]:
    """Return rows and blocks of K of the whole units that hold this many."""
    return -(-rows // SCALE_ROWS) * SCALE_ROWS, -(-blocks // (2 * BLOCKS_A_UNIT)) * 2 * BLOCKS_A_UNIT


def shuffle_scales(scales: Codes) -> Codes:
    """Return E8M0 codes [..., rows, K / 32] in the GEMM's layout, flat."""
    *batch, rows, blocks = scales.shape
    all_rows, all_blocks = padded(rows, blocks)
    whole = np.full((*batch, all_rows, all_blocks), ONE, np.uint8)
    whole[..., :rows, :blocks] = scales
    # row = (unit, i / 2, r / 4, i % 2, r % 4), block = (unit, b)
    split = whole.reshape(-1, all_rows // SCALE_ROWS, 2, 4, 2, 4, all_blocks // BLOCKS_A_UNIT, BLOCKS_A_UNIT)
    return np.ascontiguousarray(split.transpose(0, 1, 6, 7, 3, 5, 2, 4)).reshape(-1)


def unshuffle_scales(shuffled: Codes, count: int, rows: int, blocks: int) -> Codes:
    """Return the codes [count, rows, blocks] that `shuffle_scales` was given."""
    all_rows, all_blocks = padded(rows, blocks)
    split = shuffled.reshape(count, all_rows // SCALE_ROWS, all_blocks // BLOCKS_A_UNIT, BLOCKS_A_UNIT, 4, 4, 2, 2)
    whole = split.transpose(0, 1, 6, 4, 7, 5, 2, 3).reshape(count, all_rows, all_blocks)
    return np.ascontiguousarray(whole[:, :rows, :blocks])


def _values(dtype: str) -> npt.NDArray[np.float64]:
    """Return every value of an element type by its code."""
    fmt = format_of(number_format(dtype), "gfx950")
    values: npt.NDArray[np.float64] = decode(np.arange(1 << fmt.bits, dtype=np.uint8), fmt, np.float64)
    return values


def drawn_codes(random: np.random.Generator, shape: tuple[int, int], dtype: str, most: int | None) -> Codes:
    """Return random elements packed in bytes, of all values or of the integers up to `most`."""
    values = _values(dtype)
    codes = np.arange(len(values))
    if most is not None:
        codes = codes[(values == np.rint(values)) & (np.abs(values) <= most)]
    bits = len(values).bit_length() - 1
    drawn = random.choice(codes, shape).astype(np.uint8)
    return packed_codes(drawn, bits)


def packed_codes(codes: Codes, bits: int) -> Codes:
    """Return codes [rows, columns] as bytes [rows, columns * bits / 8], the first element in the lowest bits."""
    planes = np.unpackbits(codes[..., None], axis=-1, bitorder="little")[..., :bits]
    return np.packbits(planes.reshape(codes.shape[0], -1), axis=-1, bitorder="little")


def decoded(packed: Any, dtype: str) -> npt.NDArray[np.float64]:
    """Return the values of elements packed in bytes, [rows, bytes] to [rows, elements]."""
    values = _values(dtype)
    bits = len(values).bit_length() - 1
    planes = np.unpackbits(np.ascontiguousarray(packed), axis=-1, bitorder="little")
    planes = planes.reshape(packed.shape[0], -1, bits)
    found: npt.NDArray[np.float64] = values[(planes << np.arange(bits, dtype=np.uint8)).sum(axis=-1, dtype=np.uint8)]
    return found

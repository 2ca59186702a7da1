"""Swizzles: where a byte of a row-major tile lies in LDS. Pure index maps, on numbers and on arrays alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Index = TypeVar("Index", int, npt.NDArray[np.int64])


@dataclass(frozen=True)
class ChunkSwizzle:
    """Chunk c of row r is stored as chunk ``c ^ (r % rows)`` of that row; its own inverse.

    With 128-byte rows, 16-byte chunks and 8 rows a column of chunks meets every bank group once in 8 rows, so that
    ``ds_read_b128`` of 16x16 fragments is free of conflicts by the phases of both gfx942 and gfx950, and each row stays
    one 128-byte line.
    """

    row_bytes: int = 128
    chunk_bytes: int = 16
    rows: int = 8

    def chunk(self, row: Index, chunk: Index) -> Index:
        """Return the chunk at which chunk `chunk` of row `row` is stored (and the other way round)."""
        return chunk ^ (row % self.rows)

    def address(self, row: Index, byte: Index) -> Index:
        """Return the byte offset, from the tile's start, of byte `byte` of row `row`."""
        return (
            row * self.row_bytes
            + self.chunk(row, byte // self.chunk_bytes) * self.chunk_bytes
            + byte % self.chunk_bytes
        )

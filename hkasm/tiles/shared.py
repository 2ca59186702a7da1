"""Tiles in LDS."""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.tiles.swizzle import ChunkSwizzle, Index


@dataclass(frozen=True)
class SharedTile:
    """A row-major tile in LDS: `rows` rows of the swizzle's length at byte `offset`, `slots` times, `stride` apart."""

    name: str
    offset: int
    rows: int
    swizzle: ChunkSwizzle
    slots: int
    stride: int

    @property
    def bytes(self) -> int:
        """Bytes of one buffer."""
        return self.rows * self.swizzle.row_bytes

    def start(self, slot: int) -> int:
        """Return the byte at which a buffer starts."""
        return self.offset + slot * self.stride

    def address(self, slot: int, row: Index, byte: Index) -> Index:
        """Return the LDS byte of byte `byte` of row `row`."""
        return self.swizzle.address(row, byte) + self.start(slot)

"""Tiles: typed views of registers, LDS and global memory; layouts and swizzles as pure index maps."""

from hkasm.tiles.array import RegArray
from hkasm.tiles.buffer import BufferView
from hkasm.tiles.register import RegTile, RegVec
from hkasm.tiles.shared import SharedTile
from hkasm.tiles.swizzle import ChunkSwizzle

__all__ = ["BufferView", "ChunkSwizzle", "RegArray", "RegTile", "RegVec", "SharedTile"]

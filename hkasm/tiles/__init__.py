"""Tiles: typed views of registers, LDS and global memory; layouts and swizzles as pure index maps."""

from hkasm.tiles.buffer import BufferView
from hkasm.tiles.register import RegTile
from hkasm.tiles.shared import SharedTile
from hkasm.tiles.swizzle import ChunkSwizzle

__all__ = ["BufferView", "ChunkSwizzle", "RegTile", "SharedTile"]

"""Tiles: typed views of registers, LDS and global memory; layouts and swizzles as pure index maps."""

from hkasm.tiles.array import RegArray
from hkasm.tiles.buffer import BufferView
from hkasm.tiles.layout import BaseShape, TileForm, base_shape, mfma_operand
from hkasm.tiles.register import RegTile, RegVec
from hkasm.tiles.shared import SharedShape, SharedTile, shared_shape
from hkasm.tiles.swizzle import Swizzle

__all__ = [
    "BaseShape",
    "BufferView",
    "RegArray",
    "RegTile",
    "RegVec",
    "SharedShape",
    "SharedTile",
    "Swizzle",
    "TileForm",
    "base_shape",
    "mfma_operand",
    "shared_shape",
]

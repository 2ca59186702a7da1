"""Rows that buffer, global, flat and scratch instructions share.

A row: end of the mnemonic, opcode, element type in memory, how many of them, and the half of the register that a
16-bit form uses.
"""

from __future__ import annotations

from typing import Final

from hkasm.isa.families._shapes import GFX950_ONLY
from hkasm.isa.spec import ALL

WIDTH: Final = {1: "b32", 2: "b64", 3: "b96", 4: "b128"}
"""Type of an operand of so many dwords."""

VECTOR_LOADS: Final = (
    ("ubyte", 0x10, "u8", 1, ""),
    ("sbyte", 0x11, "i8", 1, ""),
    ("ushort", 0x12, "u16", 1, ""),
    ("sshort", 0x13, "i16", 1, ""),
    ("dword", 0x14, "b32", 1, ""),
    ("dwordx2", 0x15, "b32", 2, ""),
    ("dwordx3", 0x16, "b32", 3, ""),
    ("dwordx4", 0x17, "b32", 4, ""),
    ("ubyte_d16", 0x20, "u8", 1, "lo"),
    ("ubyte_d16_hi", 0x21, "u8", 1, "hi"),
    ("sbyte_d16", 0x22, "i8", 1, "lo"),
    ("sbyte_d16_hi", 0x23, "i8", 1, "hi"),
    ("short_d16", 0x24, "b16", 1, "lo"),
    ("short_d16_hi", 0x25, "b16", 1, "hi"),
)
VECTOR_STORES: Final = (
    ("byte", 0x18, "u8", 1, ""),
    ("byte_d16_hi", 0x19, "u8", 1, "hi"),
    ("short", 0x1A, "b16", 1, ""),
    ("short_d16_hi", 0x1B, "b16", 1, "hi"),
    ("dword", 0x1C, "b32", 1, ""),
    ("dwordx2", 0x1D, "b32", 2, ""),
    ("dwordx3", 0x1E, "b32", 3, ""),
    ("dwordx4", 0x1F, "b32", 4, ""),
)
DIRECT_LOADS: Final = (
    # buffer loads with `lds`: the opcode of the plain load
    ("ubyte", 0x10, "u8", 1, ALL),
    ("sbyte", 0x11, "i8", 1, ALL),
    ("ushort", 0x12, "u16", 1, ALL),
    ("sshort", 0x13, "i16", 1, ALL),
    ("dword", 0x14, "b32", 1, ALL),
    ("dwordx3", 0x16, "b32", 3, GFX950_ONLY),
    ("dwordx4", 0x17, "b32", 4, GFX950_ONLY),
)

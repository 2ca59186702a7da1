"""Dot products of packed elements. Packed sources are arrays [..., 2]; bytes and nibbles come as whole dwords.

Sources: CDNA3 and CDNA4 ISA documents. The float ones ignore MODE and flush denormals.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._types import Array
from hkasm.isa.numerics import bf16_to_f32, flush_denormals


def _dot2(a: Array, b: Array, c: Array) -> Array:
    """Add both products and C in float64 (the products are exact there) and round once."""
    products = a.astype(np.float64) * b
    total = products[..., 0] + products[..., 1] + flush_denormals(c)
    return flush_denormals(total.astype(np.float32))


def dot2_f16(a: Array, b: Array, c: Array) -> Array:
    return _dot2(flush_denormals(a), flush_denormals(b), c)


def dot2_bf16(a: Array, b: Array, c: Array) -> Array:
    return _dot2(flush_denormals(bf16_to_f32(a)), flush_denormals(bf16_to_f32(b)), c)


def dot2_int(a: Array, b: Array, c: Array) -> Array:
    """Products of 16-bit elements, summed with C modulo 2**32 (exactly where the arrays are int64)."""
    wide = c.dtype if c.dtype.itemsize == 8 else np.dtype(f"{a.dtype.kind}4")
    products = a.astype(wide) * b.astype(wide)
    result: Array = products[..., 0] + products[..., 1] + c
    return result


def _signed(a: Array, shift: int, bits: int) -> Array:
    sign = 1 << (bits - 1)
    return (((a >> shift) & ((1 << bits) - 1)) ^ sign) - sign


def dot4_signed(a: Array, b: Array, c: Array) -> Array:
    return c + sum(_signed(a, shift, 8) * _signed(b, shift, 8) for shift in range(0, 32, 8))


def dot8_signed(a: Array, b: Array, c: Array) -> Array:
    return c + sum(_signed(a, shift, 4) * _signed(b, shift, 4) for shift in range(0, 32, 4))


def dot4_unsigned(a: Array, b: Array, c: Array) -> Array:
    return c + sum(((a >> shift) & 0xFF) * ((b >> shift) & 0xFF) for shift in range(0, 32, 8))


def dot8_unsigned(a: Array, b: Array, c: Array) -> Array:
    return c + sum(((a >> shift) & 0xF) * ((b >> shift) & 0xF) for shift in range(0, 32, 4))

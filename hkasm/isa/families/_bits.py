"""Counting and reversing bits of unsigned arrays, for scalar and vector instructions alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hkasm.isa.families._types import Array

_I32 = np.int32


def count_ones(a: Array) -> NDArray[np.int32]:
    """Return the number of ones of each uint32 or uint64, as int32."""
    dtype = a.dtype.type
    if a.dtype.itemsize == 8:
        return count_ones((a & dtype(0xFFFFFFFF)).astype(np.uint32)) + count_ones((a >> dtype(32)).astype(np.uint32))
    pairs = a - ((a >> dtype(1)) & dtype(0x55555555))
    nibbles = (pairs & dtype(0x33333333)) + ((pairs >> dtype(2)) & dtype(0x33333333))
    octets = (nibbles + (nibbles >> dtype(4))) & dtype(0x0F0F0F0F)
    total: NDArray[np.int32] = ((octets * dtype(0x01010101)) >> dtype(24)).astype(_I32)
    return total


def first_one(a: Array) -> NDArray[np.int32]:
    """Return the place of the lowest one of each uint32 or uint64, -1 where there is none."""
    dtype = a.dtype.type
    below = (a & (~a + dtype(1))) - dtype(1)
    return np.where(a == 0, _I32(-1), count_ones(below))


def leading_zeros(a: Array) -> NDArray[np.int32]:
    """Return how many zeros stand above the highest one of each uint32 or uint64, -1 where there is none."""
    dtype = a.dtype.type
    filled = a
    for shift in (1, 2, 4, 8, 16, 32)[: 5 + (a.dtype.itemsize == 8)]:
        filled = filled | (filled >> dtype(shift))
    return np.where(a == 0, _I32(-1), count_ones(~filled))


def sign_run(a: Array) -> NDArray[np.int32]:
    """Return how many bits from the top equal the sign of each int32 or int64, -1 where all do."""
    bits = np.ascontiguousarray(a ^ (a >> a.dtype.type(8 * a.dtype.itemsize - 1)))
    return leading_zeros(bits.view(f"u{a.dtype.itemsize}"))


def reverse_bits(a: Array) -> Array:
    """Return each uint32 or uint64 with its bits in reverse order."""
    dtype = a.dtype.type
    result = a
    top = (1 << 8 * a.dtype.itemsize) - 1
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        keep = dtype(mask & top)
        result = ((result >> dtype(shift)) & keep) | ((result & keep) << dtype(shift))
    return np.ascontiguousarray(result).byteswap()

"""Integer arithmetic of the vector ALU on whole arrays, as plain arithmetic.

Functions work on the operand's own width and on int64 alike, so that the emulator can evaluate them without overflow
and saturate the result for `clamp`.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._types import Array, Function


def low24_signed(a: Array) -> Array:
    """Return the low 24 bits as a signed number, in the type of the array."""
    return ((a & 0xFFFFFF) ^ 0x800000) - 0x800000


def mul24_signed(a: Array, b: Array) -> Array:
    return low24_signed(a) * low24_signed(b)


def mul24_unsigned(a: Array, b: Array) -> Array:
    return (a & 0xFFFFFF) * (b & 0xFFFFFF)


def high_product(multiply: Function) -> Function:
    """Return the high dword of a product that is evaluated in int64."""

    def meaning(a: Array, b: Array) -> Array:
        wide: Array = multiply(a.astype(np.int64), b.astype(np.int64))
        return (wide >> np.int64(32)).astype(a.dtype)

    return meaning


def high_unsigned(a: Array, b: Array) -> Array:
    return ((a.astype(np.uint64) * b) >> np.uint64(32)).astype(a.dtype)


def high_signed(a: Array, b: Array) -> Array:
    return ((a.astype(np.int64) * b) >> np.int64(32)).astype(a.dtype)


def median(a: Array, b: Array, c: Array) -> Array:
    return np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))


def extract_unsigned(a: Array, offset: Array, width: Array) -> Array:
    """Return `width` bits of uint32 from bit `offset` on; both count modulo 32."""
    one = np.uint32(1)
    return (a >> (offset & 31)) & ((one << (width & 31)) - one)


def extract_signed(a: Array, offset: Array, width: Array) -> Array:
    """Return a signed field of int32; both offset and width count modulo 32."""
    size = (width & 31).astype(np.int32)
    moved = a >> (offset & 31).astype(np.int32)
    up = (32 - size) & 31
    return np.where(size == 0, np.int32(0), (moved << up) >> up)


def permute_bytes(high: Array, low: Array, selector: Array) -> Array:
    """Pick four bytes: 0-3 from `low`, 4-7 from `high`; 8-11 are sign bytes, 12 is 0x00, 13 and above 0xff."""
    first = int(selector.flat[0])
    if selector.size <= 64 and (selector == first).all():
        return _permute_alike(high, low, first)
    both = high.astype(np.uint64) << np.uint64(32) | low
    shape = np.broadcast(both, selector).shape
    # Entry n of this table of bytes is what selector n gives; there are 14 different ones.
    choices = np.empty((14, *shape), dtype=np.uint8)
    octets = np.ascontiguousarray(np.broadcast_to(both, shape)).view(np.uint8).reshape(*shape, 8)
    for number in range(8):
        choices[number] = octets[..., number]
    for number in range(4):
        choices[8 + number] = (octets[..., 2 * number + 1] >> 7) * np.uint8(255)
    choices[12], choices[13] = 0, 255
    picks = np.ascontiguousarray(np.broadcast_to(selector, shape)).view(np.uint8).reshape(*shape, 4)
    picks = np.minimum(picks, 13)
    result = np.empty((*shape, 4), dtype=np.uint8)
    for position in range(4):
        result[..., position] = np.take_along_axis(choices, picks[None, ..., position].astype(np.intp), axis=0)[0]
    return result.view(np.uint32)[..., 0]


def _permute_alike(high: Array, low: Array, selector: int) -> Array:
    """Pick the same four bytes in every lane, as compilers do: the selector comes from an SGPR."""
    dtype = np.uint32
    result = np.zeros(np.broadcast(high, low).shape, dtype=dtype)
    for position in range(4):
        pick = selector >> 8 * position & 0xFF
        if pick < 8:
            source = low if pick < 4 else high
            byte = (source >> dtype(8 * (pick & 3))) & dtype(0xFF)
        elif pick < 12:
            source = low if pick < 10 else high
            byte = ((source >> dtype(15 + 16 * (pick & 1))) & dtype(1)) * dtype(0xFF)
        else:
            byte = dtype(0 if pick == 12 else 0xFF)
        result |= byte << dtype(8 * position)
    return result


def align_bits(high: Array, low: Array, amount: Array) -> Array:
    """Return the low dword of {high, low} >> amount (0 to 31)."""
    both = high.astype(np.uint64) << np.uint64(32) | low
    return (both >> amount.astype(np.uint64)).astype(np.uint32)


def average_bytes(a: Array, b: Array, round_up: Array) -> Array:
    """Return the four averages of bytes; bit 0 of the third's byte rounds up."""
    low7 = np.uint32(0x7F7F7F7F)
    carry = ((a & b) | ((a ^ b) & round_up)) & np.uint32(0x01010101)
    return ((a >> np.uint32(1)) & low7) + ((b >> np.uint32(1)) & low7) + carry


def _absolute_difference(a: Array, b: Array) -> Array:
    return np.maximum(a, b) - np.minimum(a, b)


def sad_bytes(a: Array, b: Array, c: Array) -> Array:
    """Return C plus the four absolute differences of bytes."""
    total = c
    for shift in (0, 8, 16, 24):
        total = total + _absolute_difference((a >> shift) & 0xFF, (b >> shift) & 0xFF)
    return total


def sad_bytes_high(a: Array, b: Array, c: Array) -> Array:
    return (sad_bytes(a, b, c - c) << 16) + c


def sad_words(a: Array, b: Array, c: Array) -> Array:
    low = _absolute_difference(a & 0xFFFF, b & 0xFFFF)
    return c + low + _absolute_difference((a >> 16) & 0xFFFF, (b >> 16) & 0xFFFF)


def sad_dwords(a: Array, b: Array, c: Array) -> Array:
    return _absolute_difference(a, b) + c


def masked_sad_bytes(a: Array, b: Array, c: Array) -> Array:
    """As `sad_bytes`, without the bytes whose reference B is 0."""
    total = c
    for shift in (0, 8, 16, 24):
        reference = (b >> shift) & 0xFF
        total = total + np.where(reference == 0, 0, _absolute_difference((a >> shift) & 0xFF, reference)).astype(
            a.dtype
        )
    return total


def four_sads(sad: Function, a: Array, b: Array) -> list[Array]:
    """Return the sums for the four windows of four bytes that start at bytes 0 to 3 of the 64-bit A."""
    windows = [(a >> np.uint64(8 * start)).astype(np.uint32) for start in range(4)]
    return [sad(window, b, np.uint32(0) * b) for window in windows]


def quad_sad(sad: Function) -> Function:
    """Add four sums to the four 16-bit elements of C, each modulo 2**16."""

    def meaning(a: Array, b: Array, c: Array) -> Array:
        result = np.zeros(np.broadcast(a, b, c).shape, dtype=np.uint64)
        for number, total in enumerate(four_sads(sad, a, b)):
            shift = np.uint64(16 * number)
            element = ((c >> shift) + total) & np.uint64(0xFFFF)
            result |= element << shift
        return result

    return meaning


def quad_sad_dwords(a: Array, b: Array, c: Array) -> Array:
    """Add four masked sums to the four dwords of C [..., 4]."""
    sums = np.stack(np.broadcast_arrays(*four_sads(masked_sad_bytes, a, b)), axis=-1)
    return c + sums

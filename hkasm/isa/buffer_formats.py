"""Buffer formats: what a typed buffer instruction makes of the bits in memory, and the other way round.

A data format (DFMT) says how many bits each component has, a number format (NFMT) what they mean. Names list components
from the highest bits down, so 2_10_10_10 has ten bits of X lowest (Mesa's use of the same hardware formats). Sources:
CDNA3 ISA, chapter on vector memory buffer instructions; LLVM's SIDefines.h for the numbers. Where the ISA is silent:
a stored integer too large for its field becomes the largest, a 16-bit result of integer formats has the low bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import EmulatorError

__all__ = ["DATA_FORMATS", "NUMBER_FORMATS", "format_bytes", "pack_components", "unpack_components"]

U32 = NDArray[np.uint32]
Array = NDArray[Any]

# By number: name and the bits of X, Y, Z, W, X lowest.
DATA_FORMATS: Final[dict[int, tuple[str, tuple[int, ...]]]] = {
    1: ("8", (8,)), 2: ("16", (16,)), 3: ("8_8", (8, 8)), 4: ("32", (32,)), 5: ("16_16", (16, 16)),
    6: ("10_11_11", (11, 11, 10)), 7: ("11_11_10", (10, 11, 11)), 8: ("10_10_10_2", (2, 10, 10, 10)),
    9: ("2_10_10_10", (10, 10, 10, 2)), 10: ("8_8_8_8", (8, 8, 8, 8)), 11: ("32_32", (32, 32)),
    12: ("16_16_16_16", (16, 16, 16, 16)), 13: ("32_32_32", (32, 32, 32)), 14: ("32_32_32_32", (32, 32, 32, 32)),
}  # fmt: skip
NUMBER_FORMATS: Final = {0: "UNORM", 1: "SNORM", 2: "USCALED", 3: "SSCALED", 4: "UINT", 5: "SINT", 7: "FLOAT"}
_FLOAT_FIELDS: Final = {10: (5, 5), 11: (5, 6), 16: (5, 10), 32: (8, 23)}
_NUMBER_OF_FLOAT: Final = 7


def _check(dfmt: int, nfmt: int) -> tuple[int, ...]:
    """Return the bits of the components.

    Raises:
        EmulatorError: there is no such format.
    """
    if dfmt not in DATA_FORMATS or nfmt not in NUMBER_FORMATS:
        raise EmulatorError(f"buffer data format {dfmt} with number format {nfmt} does not exist")
    name, bits = DATA_FORMATS[dfmt]
    number = NUMBER_FORMATS[nfmt]
    is_float = nfmt == _NUMBER_OF_FLOAT
    if (max(bits) == 32 and nfmt < 4) or (is_float and not set(bits) <= _FLOAT_FIELDS.keys()):
        raise EmulatorError(f"buffer data format {name} has no number format {number}")
    return bits


def format_bytes(dfmt: int, nfmt: int) -> int:
    """Return how many bytes an element of a format takes."""
    return sum(_check(dfmt, nfmt)) // 8


def unpack_components(dfmt: int, nfmt: int, words: U32) -> list[U32]:
    """Return the components of elements: words [dwords, ...] -> X, Y ... as uint32 [...], float32 bits or integers."""
    found = []
    place = 0
    for bits in _check(dfmt, nfmt):
        field = words[place // 32] >> np.uint32(place % 32)
        if bits < 32:
            field = field & np.uint32((1 << bits) - 1)
        found.append(_decode(field, bits, nfmt))
        place += bits
    return found


def _decode(field: U32, bits: int, nfmt: int) -> U32:
    signed = field.view(np.int32) if bits == 32 else (field << np.uint32(32 - bits)).view(np.int32) >> (32 - bits)
    number = NUMBER_FORMATS[nfmt]
    if number == "UINT":
        return field
    if number == "SINT":
        return signed.view(np.uint32)
    if number == "FLOAT":
        return _float_bits(field, bits)
    if number == "UNORM":
        value = field.astype(np.float64) / ((1 << bits) - 1)
    elif number == "SNORM":
        value = np.maximum(signed.astype(np.float64) / ((1 << (bits - 1)) - 1), -1.0)
    else:
        value = (field if number == "USCALED" else signed).astype(np.float64)
    return value.astype(np.float32).view(np.uint32)


def _float_bits(field: U32, bits: int) -> U32:
    if bits == 32:
        return field
    if bits == 16:
        return field.astype(np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    # Floats without a sign: the same exponent as binary16, fewer fraction bits.
    half = (field << np.uint32(10 - _FLOAT_FIELDS[bits][1])).astype(np.uint16)
    return half.view(np.float16).astype(np.float32).view(np.uint32)


def pack_components(dfmt: int, nfmt: int, components: list[U32]) -> U32:
    """Return elements [dwords, ...] of a format from components; missing ones are zero."""
    bits_of = _check(dfmt, nfmt)
    words = np.zeros((-(-sum(bits_of) // 32), *components[0].shape), dtype=np.uint32)
    place = 0
    for bits, value in zip(bits_of, components, strict=False):
        words[place // 32] |= _encode(value, bits, nfmt) << np.uint32(place % 32)
        place += bits
    return words


def _encode(value: U32, bits: int, nfmt: int) -> U32:
    number = NUMBER_FORMATS[nfmt]
    mask = np.uint32((1 << bits) - 1)
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    whole: Array
    if number == "UINT":
        whole = np.minimum(value, mask)
    elif number == "SINT":
        whole = np.clip(value.view(np.int32), low, high)
    elif number == "FLOAT":
        whole = _encode_float(value.view(np.float32), value, bits)
    else:
        real = value.view(np.float32).astype(np.float64)
        real = np.where(np.isnan(real), 0.0, real)
        limits = {"UNORM": (0, 1), "SNORM": (-1, 1), "USCALED": (0, int(mask)), "SSCALED": (low, high)}[number]
        scale = {"UNORM": int(mask), "SNORM": high}.get(number, 1)
        scaled = np.clip(real, *limits) * scale
        whole = (np.rint(scaled) if number.endswith("NORM") else np.trunc(scaled)).astype(np.int64)
    result: U32 = whole.astype(np.uint32) & mask
    return result


def _encode_float(real: Array, raw: U32, bits: int) -> U32:
    if bits == 32:
        return raw
    half = real.astype(np.float16)
    if bits == 16:
        return half.view(np.uint16).astype(np.uint32)
    drop = 10 - _FLOAT_FIELDS[bits][1]
    positive = np.where(np.signbit(half), np.float16(0), half)
    kept = positive.view(np.uint16).astype(np.uint32) >> np.uint32(drop)
    return np.where(np.isnan(real), np.uint32((1 << bits) - 1), kept)

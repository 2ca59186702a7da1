"""Number formats of CDNA3 and CDNA4 as bits: exact conversion to and from float32 and float64.

Raw values are unsigned integers (`uint8` for 8 bits and fewer, `uint16` for 16 bits), one element each, right
aligned. Decoding is exact. Encoding rounds once, from the source as it stands, so float64 sources see no double
rounding. What a format lacks (infinity, NaN, negative zero, sign) is part of its row in `FORMATS`.

Sources: OCP OFP8 and MX specifications for the gfx950 formats; the FNUZ encodings of gfx942 (bias 8 and 16, one
NaN 0x80, no infinity, no negative zero) as ml_dtypes defines them; CDNA3 ISA 3.5 (MODE.FP16_OVFL).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hkasm.errors import UsageError, did_you_mean

__all__ = [
    "FORMATS",
    "ROUNDINGS",
    "NumberFormat",
    "bf16_to_f32",
    "decode",
    "encode",
    "f16_to_f32",
    "f32_to_bf16",
    "f32_to_f16",
    "flush_denormals",
    "format_of",
    "pack_bits",
    "unpack_bf16",
    "unpack_bits",
]

Bits = NDArray[Any]
Floats = NDArray[Any]

ROUNDINGS = ("rne", "rtz", "rtp", "rtn", "sr")


@dataclass(frozen=True)
class NumberFormat:
    """Describe one binary floating-point format of at most 16 bits.

    `max_code` is the largest finite magnitude as a code without sign. `inf_code` and `nan_code` are codes without
    sign, or -1 where the format has none; a FNUZ format's NaN is `negative zero`, so its code holds the sign bit.
    """

    name: str
    bits: int
    exponent_bits: int
    mantissa_bits: int
    bias: int
    max_code: int
    inf_code: int
    nan_code: int
    signed: bool = True
    fnuz: bool = False

    @property
    def min_exponent(self) -> int:
        """Return the exponent of the smallest normal number."""
        return 1 - self.bias if self.mantissa_bits else -self.bias

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        """Return the NumPy type that holds a raw value."""
        return np.uint8 if self.bits <= 8 else np.uint16

    @property
    def sign_bit(self) -> int:
        """Return the mask of the sign, 0 where there is none."""
        return 1 << (self.bits - 1) if self.signed else 0

    @property
    def max_value(self) -> float:
        """Return the largest finite value."""
        return float(_decode_table(self.name)[self.max_code])


# name, bits, exponent bits, mantissa bits, bias, largest finite, infinity, NaN (codes without sign)
_ROWS = (
    NumberFormat("bf16", 16, 8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0),
    NumberFormat("f16", 16, 5, 10, 15, 0x7BFF, 0x7C00, 0x7E00),
    NumberFormat("e4m3fnuz", 8, 4, 3, 8, 0x7F, -1, 0x80, fnuz=True),
    NumberFormat("e5m2fnuz", 8, 5, 2, 16, 0x7F, -1, 0x80, fnuz=True),
    NumberFormat("e4m3", 8, 4, 3, 7, 0x7E, -1, 0x7F),
    NumberFormat("e5m2", 8, 5, 2, 15, 0x7B, 0x7C, 0x7E),
    NumberFormat("e2m3", 6, 2, 3, 1, 0x1F, -1, -1),
    NumberFormat("e3m2", 6, 3, 2, 3, 0x1F, -1, -1),
    NumberFormat("e2m1", 4, 2, 1, 1, 0x07, -1, -1),
    NumberFormat("e8m0", 8, 8, 0, 127, 0xFE, -1, 0xFF, signed=False),
)
FORMATS: dict[str, NumberFormat] = {row.name: row for row in _ROWS}

# The ISA's names for element types; the 8-bit ones depend on the chip.
_ISA_NAMES = {"fp6": "e2m3", "bf6": "e3m2", "fp4": "e2m1"}
_FP8_NAMES = {
    "gfx942": {"fp8": "e4m3fnuz", "bf8": "e5m2fnuz"},
    "gfx950": {"fp8": "e4m3", "bf8": "e5m2"},
}


def format_of(name: str, arch: str | None = None) -> NumberFormat:
    """Return the format called `name`, a key of `FORMATS` or the ISA's `fp8`, `bf8`, `fp6`, `bf6`, `fp4`.

    `fp8` and `bf8` need `arch`: FNUZ on gfx942, OCP on gfx950. Raises UsageError for an unknown name.
    """
    if name in FORMATS:
        return FORMATS[name]
    if name in _ISA_NAMES:
        return FORMATS[_ISA_NAMES[name]]
    if name in ("fp8", "bf8"):
        if arch not in _FP8_NAMES:
            raise UsageError(
                f"number format '{name}' depends on the chip, got arch {arch!r}",
                hint=f"name one of {', '.join(_FP8_NAMES)}",
            )
        return FORMATS[_FP8_NAMES[arch][name]]
    known = [*FORMATS, *_ISA_NAMES, "fp8", "bf8"]
    raise UsageError(
        f"unknown number format '{name}'",
        hint=did_you_mean(name, known) or f"formats: {', '.join(known)}",
    )


# ---- decode ----------------------------------------------------------------------------------------------------


@cache
def _decode_table(name: str) -> Floats:
    """Return every value of a format as float32, indexed by raw code (all of them are exact in float32)."""
    fmt = FORMATS[name]
    codes = np.arange(1 << fmt.bits, dtype=np.int64)
    magnitude = codes & ~fmt.sign_bit
    exponent = magnitude >> fmt.mantissa_bits
    fraction = magnitude & ((1 << fmt.mantissa_bits) - 1)
    if fmt.mantissa_bits:
        normal = exponent > 0
        significand = fraction + (normal.astype(np.int64) << fmt.mantissa_bits)
        scale = np.where(normal, exponent, 1) - fmt.bias - fmt.mantissa_bits
    else:
        significand, scale = np.ones_like(codes), exponent - fmt.bias
    values = np.ldexp(significand.astype(np.float64), scale.astype(np.int32))
    values[magnitude > fmt.max_code] = np.nan
    if fmt.inf_code >= 0:
        values[magnitude == fmt.inf_code] = np.inf
    if fmt.fnuz:
        values[codes == fmt.nan_code] = np.nan
    values = np.where(codes & fmt.sign_bit, -values, values)
    table = values.astype(np.float32)
    table.flags.writeable = False
    return table


def decode(raw: ArrayLike, fmt: NumberFormat, dtype: type[np.floating[Any]] = np.float32) -> Floats:
    """Return the values of raw codes, any shape, as float32 (exact) or the given float type.

    Bits above the format's width are ignored. bf16 and f16 keep NaN payloads where the type can hold them.
    """
    codes = np.asarray(raw)
    values: Floats
    if fmt.bits == 16:
        values = bf16_to_f32(codes) if fmt.name == "bf16" else f16_to_f32(codes)
        with np.errstate(invalid="ignore"):  # a signalling NaN
            return values.astype(dtype, copy=False)
    mask = (1 << fmt.bits) - 1
    table: Floats = _decode_table(fmt.name).astype(dtype, copy=False)
    if fmt.bits == 8 and codes.dtype == np.uint8:
        values = table[codes]
    else:
        values = table[np.bitwise_and(codes, codes.dtype.type(mask))]
    return values


def bf16_to_f32(raw: ArrayLike) -> NDArray[np.float32]:
    """Widen bfloat16 codes to float32, exactly."""
    wide = np.asarray(raw).astype(np.uint32)
    wide <<= np.uint32(16)
    return wide.view(np.float32)


def unpack_bf16(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Split dwords [...] into their two bfloat16 halves as float32 [..., 2], low half first."""
    pair = np.empty((*words.shape, 2), dtype=np.uint32)
    np.left_shift(words, np.uint32(16), out=pair[..., 0])
    np.bitwise_and(words, np.uint32(0xFFFF0000), out=pair[..., 1])
    return pair.view(np.float32)


def f16_to_f32(raw: ArrayLike) -> NDArray[np.float32]:
    """Widen binary16 codes to float32, exactly."""
    halves = np.asarray(raw).astype(np.uint16, copy=False).view(np.float16)
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return halves.astype(np.float32)


# ---- encode ----------------------------------------------------------------------------------------------------


def f32_to_bf16(values: ArrayLike, *, saturate: bool = False) -> NDArray[np.uint16]:
    """Round float32 to bfloat16 codes, to nearest even; NaN stays NaN (quieted, sign and high payload kept)."""
    source = np.asarray(values, dtype=np.float32)
    bits = source.view(np.uint32)
    rounded = bits >> np.uint32(16)
    rounded &= np.uint32(1)
    rounded += np.uint32(0x7FFF)
    rounded += bits
    rounded >>= np.uint32(16)
    result: NDArray[np.uint16] = rounded.astype(np.uint16)
    special = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    if special.any():
        quiet = (bits >> np.uint32(16)).astype(np.uint16) | np.uint16(0x0040)
        result = np.where(special, quiet, result)
    if saturate:
        result = _clamp_overflow(result, np.isinf(source), FORMATS["bf16"])
    return result


def f32_to_f16(values: ArrayLike, *, saturate: bool = False) -> NDArray[np.uint16]:
    """Round float32 or float64 to binary16 codes, to nearest even; `saturate` is MODE.FP16_OVFL."""
    source = np.asarray(values)
    with np.errstate(all="ignore"):
        result = source.astype(np.float16).view(np.uint16)
    if saturate:
        result = _clamp_overflow(result, np.isinf(source), FORMATS["f16"])
    return result


def _clamp_overflow(codes: Bits, was_infinite: NDArray[np.bool_], fmt: NumberFormat) -> Bits:
    """Replace infinities that came from finite sources by the largest finite magnitude."""
    sign = codes & codes.dtype.type(fmt.sign_bit)
    overflowed = ((codes ^ sign) == fmt.inf_code) & ~was_infinite
    return np.where(overflowed, sign | codes.dtype.type(fmt.max_code), codes)


def encode(
    values: ArrayLike,
    fmt: NumberFormat,
    *,
    saturate: bool = False,
    rounding: str = "rne",
    noise: ArrayLike | None = None,
) -> Bits:
    """Round float32 or float64 values, any shape, to raw codes of `fmt`.

    `rounding`: `rne` nearest even, `rtz` to zero, `rtp` up, `rtn` down, `sr` stochastic: `noise` (uint32, same shape
    or broadcastable) is added as a fraction noise/2**32 of the last place, then the rest is dropped; for a normal
    result from float32 that is the ISA's use of the high bits of the source's random dword.

    Overflow of a finite value (beyond the largest finite code after rounding) gives infinity, or NaN where the
    format has no infinity; with `saturate` (MODE.FP16_OVFL = 1) the largest finite value. A true infinity gives
    infinity, else NaN, saturating or not. fp6 and fp4 have neither and always saturate; NaN gives their largest
    magnitude with the sign (what Composable Kernel's software conversion does; the hardware's answer is not public).
    e8m0 has no sign and no zero: negative values and NaN give NaN, zero and all too small 2**-127, ties go up.
    """
    if rounding not in ROUNDINGS:
        raise UsageError(
            f"unknown rounding '{rounding}'",
            hint=did_you_mean(rounding, ROUNDINGS) or f"roundings: {', '.join(ROUNDINGS)}",
        )
    if (rounding == "sr") != (noise is not None):
        raise UsageError(
            "stochastic rounding needs noise, and no other rounding takes it",
            hint="encode(..., rounding='sr', noise=bits)",
        )
    source = np.asarray(values)
    if rounding == "rne":
        if fmt.name == "bf16" and source.dtype == np.float32:
            return f32_to_bf16(source, saturate=saturate)
        if fmt.name == "f16" and source.dtype.kind == "f":
            return f32_to_f16(source, saturate=saturate)
    with np.errstate(invalid="ignore"):  # a signalling NaN
        wide = source.astype(np.float64)
    bits = wide.view(np.uint64)
    negative = (bits >> np.uint64(63)) != 0
    magnitude = _round_magnitude(bits, negative, fmt, rounding, noise)
    magnitude = _apply_limits(magnitude, wide, negative, fmt, saturate, rounding)
    if fmt.signed:
        keep_sign = negative & ~((magnitude == 0) & fmt.fnuz)
        magnitude |= np.where(keep_sign, np.int64(fmt.sign_bit), np.int64(0))
    return magnitude.astype(fmt.dtype)


def _round_magnitude(
    bits: NDArray[np.uint64],
    negative: NDArray[np.bool_],
    fmt: NumberFormat,
    rounding: str,
    noise: ArrayLike | None,
) -> NDArray[np.int64]:
    """Return the rounded codes without sign, as if exponents were unbounded above.

    code = (significand >> shift) + (max(exponent, min_exponent) - min_exponent) << mantissa_bits: a carry out of the
    significand runs into the exponent field as it should.
    """
    exponent = ((bits >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64)
    fraction = (bits & np.uint64((1 << 52) - 1)).astype(np.int64)
    significand = np.where(exponent > 0, fraction | (1 << 52), fraction)
    exponent = np.maximum(exponent, 1) - 1023
    below = np.maximum(fmt.min_exponent - exponent, 0)
    # 62 is far past the last bit of a 53-bit significand, so all of it is remainder.
    shift = np.minimum(52 - fmt.mantissa_bits + below, 62)
    kept = significand >> shift
    rest = significand - (kept << shift)
    if rounding == "rne":
        half = np.int64(1) << (shift - 1)
        up = (rest > half) | ((rest == half) & ((kept & 1) == 1))
    elif rounding == "rtz":
        up = np.zeros_like(negative)
    elif rounding == "sr":
        random = np.asarray(noise, dtype=np.uint32).astype(np.int64)
        aligned = np.where(shift >= 32, random << np.maximum(shift - 32, 0), random >> np.maximum(32 - shift, 0))
        up = (rest + aligned) >> shift > 0
    else:
        up = (rest > 0) & (negative == (rounding == "rtn"))
    base = np.maximum(exponent - fmt.min_exponent, 0) << fmt.mantissa_bits
    code: NDArray[np.int64] = kept + up + base
    if not fmt.mantissa_bits:
        # Without a fraction there is no zero: code 0 is 2**-bias, reached by everything at or below it.
        code = np.maximum(code - 1, 0)
    return code


def _apply_limits(
    code: NDArray[np.int64],
    wide: Floats,
    negative: NDArray[np.bool_],
    fmt: NumberFormat,
    saturate: bool,
    rounding: str,
) -> NDArray[np.int64]:
    """Put overflow, infinity and NaN of the sources in place of the rounded codes."""
    infinite, nan = np.isinf(wide), np.isnan(wide)
    no_specials = fmt.nan_code < 0
    if no_specials:
        return np.where((code > fmt.max_code) | infinite | nan, np.int64(fmt.max_code), code)
    beyond = fmt.inf_code if fmt.inf_code >= 0 else fmt.nan_code
    # Directed rounding never rounds a finite value to infinity on the side it moves away from.
    stops = (
        np.full_like(negative, saturate or rounding == "rtz")
        | (negative & (rounding == "rtp"))
        | (~negative & (rounding == "rtn"))
    )
    limit = np.where(stops, np.int64(fmt.max_code), np.int64(beyond))
    code = np.where(code > fmt.max_code, limit, code)
    code = np.where(infinite, np.int64(beyond), code)
    if not fmt.signed:
        nan = nan | (negative & (wide != 0))
    return np.where(nan, np.int64(fmt.nan_code), code)


# ---- packing ---------------------------------------------------------------------------------------------------


def unpack_bits(words: NDArray[np.uint32], width: int, axis: int = 0) -> Bits:
    """Split dwords into elements of `width` bits, little endian, elements crossing dwords included.

    `axis` counts the dwords of a lane and becomes the axis of its elements (dwords * 32 // width of them); the
    others stay. Returns uint8 for widths up to 8, uint16, uint32, or uint64 (`width` 64: low dword first).
    """
    lanes = np.moveaxis(np.ascontiguousarray(words, dtype=np.uint32), axis, -1)
    count = lanes.shape[-1] * 32 // width
    if width == 32:
        elements: Bits = lanes
    elif width in (8, 16, 64):
        kind = {8: np.uint8, 16: np.uint16, 64: np.uint64}[width]
        elements = np.ascontiguousarray(lanes).view(np.dtype(kind).newbyteorder("<")).astype(kind, copy=False)
    elif width == 4:
        pairs = np.ascontiguousarray(lanes).view(np.uint8)
        elements = np.empty((*pairs.shape, 2), dtype=np.uint8)
        np.bitwise_and(pairs, np.uint8(15), out=elements[..., 0])
        np.right_shift(pairs, np.uint8(4), out=elements[..., 1])
        elements = elements.reshape(*pairs.shape[:-1], count)
    else:
        start = np.arange(count) * width
        low, offset = start // 32, (start % 32).astype(np.uint64)
        wide = lanes.astype(np.uint64)
        high = np.minimum(low + 1, lanes.shape[-1] - 1)
        both = wide[..., low] | (wide[..., high] << np.uint64(32))
        elements = ((both >> offset) & np.uint64((1 << width) - 1)).astype(np.uint8 if width <= 8 else np.uint16)
    return np.moveaxis(elements, -1, axis)


def pack_bits(elements: Bits, width: int, axis: int = 0) -> NDArray[np.uint32]:
    """Join elements of `width` bits along `axis` into dwords, the inverse of `unpack_bits`."""
    lanes = np.moveaxis(np.asarray(elements), axis, -1)
    if width == 64:
        words = np.ascontiguousarray(lanes, dtype=np.dtype("<u8")).view(np.dtype("<u4"))
        return np.moveaxis(words.astype(np.uint32, copy=False), -1, axis)
    count = lanes.shape[-1]
    if count * width % 32:
        raise UsageError(f"{count} elements of {width} bits do not fill whole dwords")
    flags = (lanes[..., None].astype(np.uint64) >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    stream = flags.astype(np.uint8).reshape(*lanes.shape[:-1], count * width)
    octets = np.packbits(stream, axis=-1, bitorder="little")
    words = np.ascontiguousarray(octets).view(np.dtype("<u4")).astype(np.uint32, copy=False)
    return np.moveaxis(words, -1, axis)


def flush_denormals(values: Floats) -> Floats:
    """Replace denormal numbers by zero of the same sign; float16, float32 or float64, any shape."""
    tiny = np.finfo(values.dtype).smallest_normal
    small = np.abs(values) < tiny
    if not small.any():
        return values
    return np.where(small, np.copysign(values.dtype.type(0), values), values)

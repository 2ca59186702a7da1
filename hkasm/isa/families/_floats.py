"""Float arithmetic that NumPy lacks or does otherwise: minimum and maximum numbers, scaling, classes, division steps.

Everything works element by element on float16, float32 or float64 arrays that broadcast. The caller sets
``np.errstate(all="ignore")``. Sources: CDNA3 and CDNA4 ISA documents, chapter "Instructions"; LLVM's lowering of square
root, reciprocal and exponential tells which instructions see denormals as zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.isa.families._types import Array
from hkasm.isa.fma import fma32, fma64
from hkasm.isa.numerics import flush_denormals
from hkasm.isa.rounding import rounds

_UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}
_MANTISSA = {2: 10, 4: 23, 8: 52}
_BIAS = {2: 15, 4: 127, 8: 1023}


def bits_of(a: Array) -> Array:
    """Return the bit patterns of a float array."""
    return np.ascontiguousarray(a).view(_UNSIGNED[a.dtype.itemsize])


def quieted(a: Array) -> Array:
    """Return the array with its NaNs made quiet."""
    bits = bits_of(a)
    quiet = bits.dtype.type(1 << (_MANTISSA[a.dtype.itemsize] - 1))
    return np.where(np.isnan(a), bits | quiet, bits).view(a.dtype)


def is_signalling(a: Array) -> Array:
    """Tell which elements are signalling NaNs."""
    quiet = 1 << (_MANTISSA[a.dtype.itemsize] - 1)
    return np.isnan(a) & ((bits_of(a) & bits_of(a).dtype.type(quiet)) == 0)


def min_number(a: Array, b: Array) -> Array:
    """Return the smaller; a NaN loses to a number, -0 is below +0, a signalling NaN comes out quiet (MODE.IEEE)."""
    less = a < b
    result: Array = np.where(less, a, b)
    if (less | (a > b)).all():
        return result
    return _unusual(a, b, np.where(a == b, (bits_of(a) | bits_of(b)).view(result.dtype), result))


def max_number(a: Array, b: Array) -> Array:
    """Return the larger; a NaN loses to a number, -0 is below +0, a signalling NaN comes out quiet (MODE.IEEE)."""
    more = a > b
    result: Array = np.where(more, a, b)
    if (more | (a < b)).all():
        return result
    return _unusual(a, b, np.where(a == b, (bits_of(a) & bits_of(b)).view(result.dtype), result))


def _unusual(a: Array, b: Array, result: Array) -> Array:
    """Put NaN's rules over a minimum or maximum."""
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    if not (nan_a | nan_b).any():
        return result
    result = np.where(nan_a, b, np.where(nan_b, a, result))
    result = np.where(is_signalling(b), quieted(b), result)
    quiet: Array = np.where(is_signalling(a), quieted(a), result)
    return quiet


def minimum(a: Array, b: Array) -> Array:
    """Return the smaller with IEEE 754-2019 minimum's rules: any NaN gives a quiet NaN, -0 is below +0."""
    return np.where(np.isnan(a) | np.isnan(b), quieted(np.asarray(a + b)), min_number(a, b))


def maximum(a: Array, b: Array) -> Array:
    """Return the larger with IEEE 754-2019 maximum's rules: any NaN gives a quiet NaN, -0 is below +0."""
    return np.where(np.isnan(a) | np.isnan(b), quieted(np.asarray(a + b)), max_number(a, b))


def median(a: Array, b: Array, c: Array) -> Array:
    """Return the middle of three; with a NaN among them the minimum of the rest."""
    middle = max_number(min_number(a, b), min_number(max_number(a, b), c))
    return np.where(np.isnan(a) | np.isnan(b) | np.isnan(c), min_number(min_number(a, b), c), middle)


@rounds("subrev")
def subtract_from(a: Array, b: Array) -> Array:
    """Return b - a."""
    return b - a


@rounds("mul")
def multiply_legacy(a: Array, b: Array) -> Array:
    """Return a * b, 0 where either is 0."""
    return np.where((a == 0) | (b == 0), a.dtype.type(0), a * b)


@rounds("twice, addend last")
def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c rounded twice."""
    return a * b + c


@rounds("twice, addend first")
def multiply_accumulate(d: Array, a: Array, b: Array) -> Array:
    """Return a * b + d rounded twice."""
    return a * b + d


@rounds("accumulate")
def accumulate(d: Array, a: Array, b: Array) -> Array:
    """Return a * b + d rounded once."""
    return fma(a, b, d)


@rounds("fma")
def fma(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c rounded once, in the type of the arrays."""
    if a.dtype == np.float32:
        return fma32(a, b, c)
    if a.dtype == np.float64:
        return fma64(a, b, c)
    # The product of two binary16 is exact in float64, and so is every sum that could decide a rounding to binary16.
    return (a.astype(np.float64) * b + c).astype(np.float16)


@rounds("scale")
def scaled(a: Array, exponent: Array) -> Array:
    """Return a * 2**exponent rounded once; the exponent is any integer type."""
    wide = 1 if a.dtype == np.float64 else 0
    steps = np.clip(exponent, -2200, 2200).astype(np.int32)
    result: Array = np.ldexp(a if wide else a.astype(np.float64), steps)
    return result.astype(a.dtype)


def fraction(a: Array) -> Array:
    """Return a - floor(a), below 1."""
    below_one = np.nextafter(a.dtype.type(1), a.dtype.type(0))
    return np.minimum(a - np.floor(a), below_one)


def exponent_of(a: Array) -> NDArray[np.int32]:
    """Return the exponent of a as a fraction in [0.5, 1) times a power of two; 0 for zero, infinity and NaN."""
    found = np.frexp(a)[1].astype(np.int32)
    return np.where(np.isfinite(a), found, np.int32(0))


def mantissa_of(a: Array) -> Array:
    """Return the signed fraction in [0.5, 1); zero, infinity and NaN as they are."""
    found: Array = np.frexp(a)[0]
    return np.where(np.isfinite(a), found, a)


def raw_exponent(a: Array) -> NDArray[np.int32]:
    """Return the exponent field."""
    size = a.dtype.itemsize
    bits = bits_of(a) >> bits_of(a).dtype.type(_MANTISSA[size])
    field: NDArray[np.int32] = bits.astype(np.int32) & np.int32(2 * _BIAS[size] + 1)
    return field


def is_denormal(a: Array) -> Array:
    """Tell which elements are denormal (and not zero)."""
    return (a != 0) & (np.abs(a) < np.finfo(a.dtype).smallest_normal)


def class_bits(a: Array) -> NDArray[np.uint32]:
    """Return one bit a class: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf."""
    negative = np.signbit(a)
    nan, signalling = np.isnan(a), is_signalling(a)
    kind = np.where(np.isinf(a), 0, np.where(a == 0, 3, np.where(is_denormal(a), 2, 1)))
    place = np.where(negative, 2 + kind, 9 - kind)
    place = np.where(nan, np.where(signalling, 0, 1), place)
    return np.uint32(1) << place.astype(np.uint32)


def to_int(a: Array, dtype: type) -> Array:
    """Round towards zero to an integer type; beyond its range the nearest end, NaN gives 0."""
    info = np.iinfo(dtype)
    whole = np.trunc(a.astype(np.float64))
    whole = np.where(np.isnan(whole), 0.0, np.clip(whole, float(info.min), float(info.max)))
    return whole.astype(dtype)


def through_f64(function: Any, *, flush: bool = False) -> Any:
    """Evaluate a function in float64 and round to the argument's type; `flush` sees and gives no denormals."""

    def meaning(a: Array) -> Array:
        source = flush_denormals(a) if flush else a
        result: Array = np.asarray(function(source.astype(np.float64))).astype(a.dtype)
        return flush_denormals(result) if flush else result

    return meaning


def sine_of_turns(a: Array) -> Array:
    """Return sin(2*pi*a), 0 beyond 256 turns."""
    turned = np.sin((a - np.rint(a)) * (2 * np.pi))
    # Exact at the quarter turns, as a table-driven unit is.
    turned = np.where((a * 2) == np.rint(a * 2), np.copysign(0.0, a), turned)
    return np.where(np.abs(a) > 256, 0.0, turned)


def cosine_of_turns(a: Array) -> Array:
    """Return cos(2*pi*a), 1 beyond 256 turns."""
    turned = np.cos((a - np.rint(a)) * (2 * np.pi))
    turned = np.where(np.abs(a - np.rint(a)) == 0.25, 0.0, turned)
    return np.where(np.abs(a) > 256, 1.0, turned)


# ---- division ------------------------------------------------------------------------------------------------------

_SCALE = {4: (96, 64, 23), 8: (768, 128, 53)}
"""Exponent distance at which a quotient is near overflow, the scale, and the exponent below which a numerator is tiny."""


def div_scale(s0: Array, s1: Array, s2: Array) -> tuple[Array, Array]:
    """Scale S0 (denominator S1 or numerator S2) so that S2 / S1 can be computed without over- or underflow.

    The mask says where the result must be scaled back (by `div_fmas`).
    """
    s0, s1, s2 = np.broadcast_arrays(s0, s1, s2)
    far, step, tiny = _SCALE[s0.dtype.itemsize]
    up, down = scaled(s0, np.int32(step)), scaled(s0, np.int32(-step))
    is_denominator, is_numerator = s0 == s1, s0 == s2
    near_overflow = raw_exponent(s2) - raw_exponent(s1) >= far
    small_reciprocal = is_denormal(s0.dtype.type(1) / s1)
    quotient = s2 / s1
    # A quotient that vanishes altogether is tiny too.
    small_quotient = (np.abs(quotient) < np.finfo(s0.dtype).smallest_normal) & (s2 != 0)
    cases = (
        ((s2 == 0) | (s1 == 0), np.full_like(s0, np.nan), False),
        (near_overflow, np.where(is_denominator, up, s0), True),
        (is_denormal(s1), up, False),
        # The ISA's text scales up here too, which overflows; only down keeps the quotient right.
        (small_reciprocal & small_quotient, np.where(is_denominator, down, s0), True),
        (small_reciprocal, down, False),
        (small_quotient, np.where(is_numerator, up, s0), True),
        (raw_exponent(s2) <= tiny, up, False),
    )
    result = np.select([case[0] for case in cases], [case[1] for case in cases], s0)
    mask = np.select([case[0] for case in cases], [np.bool_(case[2]) for case in cases], np.bool_(False))
    return result, mask


def div_fmas(s0: Array, s1: Array, s2: Array, mask: Array) -> Array:
    """Return S0 * S1 + S2, in the lanes of the mask scaled back by 2**64 (2**128 for f64), rounded once.

    Up where the quotient S2 is 2 or more (the denominator was scaled up), else down. The ISA's text names half the
    exponent and one direction, with which no quotient near the ends of the range comes out right.
    """
    plain = fma(s0, s1, s2)
    step = 128 if plain.dtype == np.float64 else 64
    back = np.where(raw_exponent(s2) > _BIAS[plain.dtype.itemsize], np.int32(step), np.int32(-step))
    result = scaled(plain, back)
    # Rounded to a denormal a second time: what the first rounding dropped decides a tie.
    unit = plain.dtype.type(np.ldexp(np.finfo(plain.dtype).smallest_subnormal.astype(np.float64), step))
    dropped = plain - scaled(result, -back)
    tie = mask & (back < 0) & (np.abs(dropped) == unit / 2)
    if tie.any():
        rest = fma(s0, s1, s2 - plain)
        toward = np.where(rest > 0, dropped > 0, np.where(rest < 0, dropped < 0, False))
        result = np.where(tie & toward, scaled(plain + dropped, back), result)
    return np.where(mask, result, plain)


def div_fixup(s0: Array, s1: Array, s2: Array) -> Array:
    """Give the quotient S0 of S2 / S1 its sign and IEEE's special results."""
    dtype = s0.dtype.type
    negative = np.signbit(s1) ^ np.signbit(s2)
    zero, infinity = np.where(negative, dtype(-0.0), dtype(0.0)), np.where(negative, dtype(-np.inf), dtype(np.inf))
    undefined = ((s1 == 0) & (s2 == 0)) | (np.isinf(s1) & np.isinf(s2))
    conditions = [
        np.isnan(s2),
        np.isnan(s1),
        undefined,
        (s1 == 0) | np.isinf(s2),
        np.isinf(s1) | (s2 == 0),
    ]
    results: list[Array] = [quieted(s2), quieted(s1), np.full_like(zero, -dtype(np.nan)), infinity, zero]
    if s0.dtype.itemsize > 2:
        conditions.append(np.isnan(s0))  # the quotient overflowed on the way
        results.append(infinity)
    if s0.dtype.itemsize > 2:
        lowest = {4: -150, 8: -1075}[s0.dtype.itemsize]
        conditions.append(raw_exponent(s2) - raw_exponent(s1) < lowest)
        results.append(zero)
    return np.select(conditions, results, np.where(negative, -np.abs(s0), np.abs(s0)))

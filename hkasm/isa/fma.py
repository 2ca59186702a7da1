"""Fused multiply-add with one rounding, in float32 and float64, vectorised over NumPy arrays.

NumPy has no fma. float32 needs only a float64 product (exact) and one addition rounded to odd. float64 uses
error-free transformations (Dekker's product, Knuth's sum) and Boldo and Melquiond's rounding to odd; elements whose
exponents leave the range where these are exact are computed one by one with integers.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isfinite, isinf, isnan

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["fma32", "fma64"]

F64 = NDArray[np.float64]
_SPLIT = float((1 << 27) + 1)
_BELOW_F32, _HALF_F32 = np.int64((1 << 29) - 1), np.int64(1 << 28)
_NORMAL_F32 = 2.0**-126
"""float64 keeps 29 fraction bits more than float32; a float32 denormal has fewer, so those always take the long way."""


def fma32(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> NDArray[np.float32]:
    """Return a * b + c rounded once to float32, for float32 arrays that broadcast; denormals kept.

    The product is exact in float64. Rounding the float64 sum again goes wrong only where that sum is a tie between two
    float32 numbers and inexact: then all bits below are looked at.
    """
    with np.errstate(all="ignore"):
        product = np.multiply(np.asarray(a, np.float32), np.asarray(b, np.float32), dtype=np.float64)
        addend = np.asarray(c, np.float32)
        total: F64 = np.atleast_1d(product + addend)
        bits = np.ascontiguousarray(total).view(np.int64)
        doubtful = (bits & _BELOW_F32) == _HALF_F32
        small = np.abs(total) < _NORMAL_F32
        if small.any():
            doubtful |= small & (total != 0)
        result = total.astype(np.float32)
        places = np.flatnonzero(doubtful)
        if places.size:
            high, low = (np.broadcast_to(part, total.shape).reshape(-1)[places] for part in (product, addend))
            result.reshape(-1)[places] = _to_odd(*_two_sum(high, low.astype(np.float64))).astype(np.float32)
        return result.reshape(np.broadcast_shapes(product.shape, addend.shape))


def fma64(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> F64:
    """Return a * b + c rounded once to float64, for float64 arrays that broadcast; denormals kept."""
    x, y, z = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in (a, b, c)))
    with np.errstate(all="ignore"):
        high, low = _two_product(x, y)
        carry_high, carry_low = _two_sum(z, low)
        total, rest = _two_sum(high, carry_high)
        odd = _to_odd(*_two_sum(rest, carry_low))
        result: F64 = total + odd
        plain = x * y + z
        settled = (x == 0) | (y == 0) | ~np.isfinite(x) | ~np.isfinite(y)  # the product is exact, or no number
        result = np.where(settled, plain, result)
    exact = settled | _in_safe_range(x, y, z, result)
    if exact.all():
        return result
    for found in np.argwhere(~exact):
        place = tuple(found)
        result[place] = _fma_one(float(x[place]), float(y[place]), float(z[place]), float(plain[place]))
    return result


def _two_sum(a: F64, b: F64) -> tuple[F64, F64]:
    """Return the rounded sum and its exact error."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def _two_product(a: F64, b: F64) -> tuple[F64, F64]:
    """Return the rounded product and its exact error."""
    product = a * b
    scaled_a, scaled_b = a * _SPLIT, b * _SPLIT
    high_a, high_b = scaled_a - (scaled_a - a), scaled_b - (scaled_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


def _to_odd(total: F64, error: F64) -> F64:
    """Return a rounded sum moved to the neighbour with an odd last bit on the side of its error, if inexact."""
    bits = np.ascontiguousarray(total).view(np.int64)
    inexact = (error != 0) & np.isfinite(error) & ((bits & 1) == 0)
    # Away from zero if the error has the sum's sign, else towards zero; bits grow with magnitude.
    step = np.where((error > 0) == (total > 0), 1, -1)
    moved: NDArray[np.int64] = np.where(inexact, bits + step, bits)
    result: F64 = moved.view(np.float64).reshape(np.shape(total))
    return result


def _in_safe_range(x: F64, y: F64, z: F64, result: F64) -> NDArray[np.bool_]:
    """Tell where no intermediate over- or underflows, so that the error-free transformations hold.

    Then a result of zero is an exact cancellation.
    """
    low, high = 2.0**-400, 2.0**400
    size = [np.abs(value) for value in (x, y, z)]
    factors = (size[0] > low) & (size[0] < high) & (size[1] > low) & (size[1] < high)
    addend = (size[2] == 0) | ((size[2] > 2.0**-900) & (size[2] < 2.0**900))
    size_of_result = np.abs(result)
    within = (size_of_result == 0) | ((size_of_result > 2.0**-900) & (size_of_result < 2.0**900))
    safe: NDArray[np.bool_] = factors & addend & within
    return safe


def _fma_one(a: float, b: float, c: float, plain: float) -> float:
    """Return one fused multiply-add by exact rational arithmetic; `plain` is a * b + c for the special cases."""
    if not (isfinite(a) and isfinite(b)) or isnan(c):
        return plain
    if isinf(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        # Signs of zeros, and of an exact cancellation, are IEEE's in the plain sum of a product that is 0 or exact.
        product_sign = copysign(1.0, a) * copysign(1.0, b)
        both_zero = (a == 0 or b == 0) and c == 0
        return copysign(0.0, product_sign) if both_zero and product_sign == copysign(1.0, c) else 0.0
    try:
        return exact.numerator / exact.denominator  # CPython's integer division rounds correctly, denormals too
    except OverflowError:
        return inf if exact > 0 else -inf

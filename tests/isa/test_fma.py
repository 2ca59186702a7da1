"""Fused multiply-add against exact rational arithmetic."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hkasm.isa.fma import fma32, fma64

finite64 = st.floats(allow_nan=False, allow_infinity=False)
finite32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


def nearest32(exact: Fraction) -> float:
    """Round a rational to float32, to nearest even, by comparing neighbours."""
    guess = (
        np.float32(float(exact)) if abs(exact) < Fraction(2) ** 128 else np.float32(np.inf if exact > 0 else -np.inf)
    )
    limit = (Fraction(2) - Fraction(1, 2**24)) * Fraction(2) ** 127
    if abs(exact) >= limit:
        return float("inf") if exact > 0 else float("-inf")
    if np.isinf(guess):
        guess = np.copysign(np.finfo(np.float32).max, guess)
    with np.errstate(over="ignore"):  # the largest number's neighbour is infinite
        candidates = [guess, np.nextafter(guess, np.float32(-np.inf)), np.nextafter(guess, np.float32(np.inf))]
    finite = [value for value in candidates if np.isfinite(value)]
    return float(
        min(finite, key=lambda v: (abs(Fraction(float(v)) - exact), struct.unpack("<I", struct.pack("<f", v))[0] & 1))
    )


@given(finite32, finite32, finite32)
def test_fma32_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    assert fma32(a, b, c) == nearest32(exact)


@given(finite64, finite64, finite64)
def test_fma64_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        expected = float(exact)
    except OverflowError:
        expected = np.inf if exact > 0 else -np.inf
    assert fma64(a, b, c) == expected


def test_fma_near_midpoints() -> None:
    """Products whose low parts decide: random 53-bit factors, addends that cancel most of the product."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 4000)) * 2.0 ** rng.integers(-30, 30, (2, 4000))
    c = -(a * b) * (1 + rng.integers(-4, 5, 4000) * 2.0**-52) + np.where(rng.random(4000) < 0.5, 0, a)
    expected = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(fma64(a, b, c), expected)
    x, y, z = (value.astype(np.float32) for value in (a, b, c))
    near = [
        nearest32(Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r))) for p, q, r in zip(x, y, z, strict=True)
    ]
    np.testing.assert_array_equal(fma32(x, y, z), np.array(near, np.float32))


def test_special_values_and_broadcasting() -> None:
    inf, nan = np.inf, np.nan
    cases = [
        (inf, 1.0, 1.0, inf), (inf, 0.0, 1.0, nan), (1.0, 1.0, -inf, -inf), (inf, 1.0, -inf, nan), (nan, 1.0, 1.0, nan),
        (1e300, 1e300, -inf, -inf), (1e300, 1e300, 1.0, inf), (-1e300, 1e300, 1.0, -inf), (0.0, 5.0, -0.0, 0.0),
        (-0.0, 5.0, -0.0, -0.0), (1.0, 1.0, -1.0, 0.0), (1e-300, 1e-300, 0.0, 0.0), (5e-324, 0.5, 5e-324, 1e-323),
        (1e300, 1e300, -1e308, inf), (1e-200, 1e200, -1.0, float(Fraction(1e-200) * Fraction(1e200) - 1)),
    ]  # fmt: skip
    for a, b, c, expected in cases:
        got = float(fma64(a, b, c))
        np.testing.assert_array_equal(got, expected)
        assert np.signbit(got) == np.signbit(expected) or np.isnan(expected)
    assert np.isnan(fma32(inf, 0.0, 1.0))
    assert fma32(1e38, 10.0, -np.inf) == -np.inf
    assert fma64(np.ones((3, 1)), np.ones((1, 4)), 2.0).shape == (3, 4)
    assert fma32(np.ones((3, 1), np.float32), np.ones((1, 4), np.float32), np.float32(2.0)).dtype == np.float32


def test_fma32_where_rounding_twice_fails() -> None:
    """1 + 2**-24 is a midpoint; a product term of 2**-60 beside it decides and a float64 sum would lose it."""
    one_and_half_ulp = np.float32(1 + 2.0**-23)
    assert fma32(2.0**-30, 2.0**-30, np.float32(1)) == 1
    assert fma32(np.float32(2.0**-12), np.float32(2.0**-12 * (1 + 2.0**-23)), np.float32(1)) == one_and_half_ulp
    assert fma32(np.float32(2.0**-12), np.float32(2.0**-12), np.float32(1)) == 1  # exactly the midpoint: even

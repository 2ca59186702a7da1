"""Directed rounding: against the host's own arithmetic in each mode, and against exact fractions."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hkasm.isa import SPECS
from hkasm.isa.rounding import DOWN, NEAREST, ROUNDINGS, UP, ZERO, directed

Array = npt.NDArray[Any]
_FENV = {NEAREST: 0, DOWN: 0x400, UP: 0x800, ZERO: 0xC00}
"""Rounding modes of x86-64's fenv.h."""
MODES = (UP, DOWN, ZERO)


@contextmanager
def _host_rounding(mode: int) -> Iterator[None]:
    name = ctypes.util.find_library("m")
    library = ctypes.CDLL(name) if name else None
    if library is None or library.fesetround(_FENV[mode]) != 0:
        pytest.skip("the host has no such rounding modes")
    try:
        yield
    finally:
        library.fesetround(0)


def _numbers(dtype: Any, count: int, seed: int) -> Array:
    """Bit patterns of every kind, many of them near 1 and special ones."""
    random = np.random.default_rng(seed)
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    bits = random.integers(0, 1 << (8 * unsigned.itemsize), count, dtype=unsigned).view(dtype)
    near = random.uniform(-4, 4, count).astype(dtype)
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    tiny = np.finfo(dtype).smallest_subnormal * random.integers(1, 9, count).astype(dtype)
    chosen = np.stack((bits, near, tiny, np.resize(special, count)))
    return chosen[random.integers(0, 4, count), np.arange(count)]


def _same(got: Array, wanted: Array) -> None:
    bits = np.dtype(f"u{got.dtype.itemsize}")
    equal = (got.view(bits) == wanted.view(bits)) | (np.isnan(got) & np.isnan(wanted))
    assert equal.all(), np.flatnonzero(~equal)[:5]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [np.add, np.subtract, np.multiply])
def test_sums_and_products_as_the_host_rounds_them(function: Callable[..., Array], dtype: Any, mode: int) -> None:
    count = 20000 if dtype == np.float32 else 4000
    a, b = _numbers(dtype, count, 1), _numbers(dtype, count, 2)
    b[: count // 8] = -a[: count // 8]
    with np.errstate(all="ignore"):
        with _host_rounding(mode):
            wanted = function(a, b)
        _same(directed(function, ROUNDINGS[function], mode)(a, b), wanted)


@pytest.mark.parametrize("mode", MODES)
def test_conversions_as_the_host_rounds_them(mode: int) -> None:
    wide, whole = _numbers(np.float64, 20000, 3), np.random.default_rng(4).integers(-(1 << 31), 1 << 31, 20000)
    with np.errstate(all="ignore"):
        with _host_rounding(mode):
            wanted, wanted_whole = wide.astype(np.float32), whole.astype(np.int32).astype(np.float32)
        for key, source, expected in (
            ("v_cvt_f32_f64", wide, wanted), ("v_cvt_f32_i32", whole.astype(np.int32), wanted_whole),
        ):  # fmt: skip
            meaning = SPECS[key].meaning
            assert meaning is not None
            _same(directed(meaning, ROUNDINGS[meaning], mode)(source), expected)


def _fits(result: float, step_down: float, step_up: float, exact: Fraction, mode: int) -> bool:
    """Tell whether a result is the number next to `exact` on the mode's side (or exact itself)."""
    if result in (float("inf"), float("-inf")):
        limit = Fraction(step_down if result > 0 else step_up)
        return exact > limit and mode == UP if result > 0 else exact < limit and mode == DOWN
    got = Fraction(result)
    if mode == ZERO:
        mode = DOWN if exact > 0 else UP
    if mode == UP:
        return got >= exact and (step_down == float("-inf") or Fraction(step_down) < exact)
    return got <= exact and (step_up == float("inf") or Fraction(step_up) > exact)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key", ["v_fma_f32", "v_fma_f16", "v_fma_f64", "v_fmac_f32", "v_fma_mixlo_f16", "v_add_f16"])
def test_results_stand_next_to_the_exact_one(key: str, mode: int) -> None:
    spec = SPECS[key]
    meaning = spec.meaning
    assert meaning is not None
    kinds = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    sources = [_numbers(kinds[operand.type], 600, 5 + number) for number, operand in enumerate(spec.reads)]
    with np.errstate(all="ignore"):
        got = directed(meaning, ROUNDINGS[meaning], mode)(*sources)
    assert got.dtype == kinds[spec.writes[0].type]
    judged = 0
    for place in range(600):
        values = [float(source[place]) for source in sources]
        if not np.isfinite(values).all():
            continue
        exact_values = [Fraction(value) for value in values]
        if key.startswith("v_fmac"):
            exact_values = [*exact_values[1:], exact_values[0]]
        a, b, *c = exact_values
        exact = a * b + c[0] if c else a + b
        with np.errstate(all="ignore"):
            below, above = (float(np.nextafter(got[place], got.dtype.type(end))) for end in (-np.inf, np.inf))
        assert _fits(float(got[place]), below, above, exact, mode), (values, got[place])
        judged += 1
    assert judged > 200


def test_an_exact_zero_is_negative_only_when_rounding_down() -> None:
    one = np.ones(1, np.float32)
    for mode, negative in ((UP, False), (DOWN, True), (ZERO, False)):
        assert bool(np.signbit(directed(np.subtract, "sub", mode)(one, one))[0]) is negative
        assert not np.signbit(directed(np.add, "add", mode)(0 * one, 0 * one))[0]
        assert bool(np.signbit(directed(np.multiply, "mul", mode)(0 * one, -one))[0])


def test_what_is_rounded_twice_is_directed_twice() -> None:
    meaning = SPECS["v_mad_f16"].meaning
    assert meaning is not None
    a, b, c = (np.float16([value]) for value in (1.001, 1.001, 2.0**-13))
    up = directed(meaning, ROUNDINGS[meaning], UP)(a, b, c)
    product = directed(np.multiply, "mul", UP)(a, b)
    assert up[0] == directed(np.add, "add", UP)(product, c)[0]

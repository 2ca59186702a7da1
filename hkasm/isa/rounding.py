"""Rounding other than to nearest even: towards +infinity, -infinity and zero, from MODE's FP_ROUND fields.

A meaning rounds to nearest even, as NumPy does. What it would give in another direction differs by at most one step,
and which way is told by the sign of what rounding left out. So the exact result is worked out as the sum of two
float64 numbers (as a fraction where float64 itself is rounded), for the few formulas that round at all: `ROUNDINGS` has
the formula of a meaning. Meanings that are not in it give exact results, or do not obey MODE (matrix, dot and
transcendental instructions, conversions with a rounding of their own; CDNA3 ISA, chapter on float modes), or are the
division's steps, which compilers run to nearest even.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["MODES", "NEAREST", "ROUNDINGS", "directed", "rounds"]

Array = NDArray[Any]
Meaning = Callable[..., Any]
Terms = tuple[Array, Array | None, Array]

NEAREST, UP, DOWN, ZERO = range(4)
MODES: Final = {NEAREST: "to nearest even", UP: "up", DOWN: "down", ZERO: "towards zero"}
ROUNDINGS: dict[Meaning, str] = {np.add: "add", np.subtract: "sub", np.multiply: "mul"}
"""Meaning -> its formula: one of `_TERMS`, or `twice, addend first` or `twice, addend last` where a product is rounded
before the sum is."""


def rounds(formula: str) -> Callable[[Meaning], Meaning]:
    """Declare the formula by which a meaning's result is rounded."""

    def note(meaning: Meaning) -> Meaning:
        ROUNDINGS[meaning] = formula
        return meaning

    return note


def directed(meaning: Meaning, formula: str, mode: int) -> Meaning:
    """Return a meaning that rounds by a mode; `formula` is its own (`ROUNDINGS`)."""
    if formula.startswith("twice"):
        product, total = directed(np.multiply, "mul", mode), directed(np.add, "add", mode)
        if formula == "twice, addend first":
            return lambda d, a, b: total(product(a, b), d)
        return lambda a, b, c: total(product(a, b), c)

    def rounded(*operands: Any, **keywords: Any) -> Array:
        result: Array = np.asarray(meaning(*operands, **keywords))
        terms = _TERMS[formula](*operands)
        return _moved(result, terms, mode)

    return rounded


def _moved(nearest: Array, terms: Terms, mode: int) -> Array:
    """Return results moved one step where the mode wants that; terms are two factors (or one, None) and an addend."""
    rest = _rest(nearest, terms)
    is_up = mode == UP
    if mode == ZERO:
        step_down = (rest < 0) & (nearest > 0)
        step_up = (rest > 0) & (nearest < 0)
    else:
        step_down, step_up = (rest < 0) & (not is_up), (rest > 0) & is_up
    below, above = (np.nextafter(nearest, nearest.dtype.type(end)) for end in (-np.inf, np.inf))
    moved = np.where(step_down, below, np.where(step_up, above, nearest))
    if mode == DOWN:
        moved = np.where(_cancels(nearest, rest, terms), nearest.dtype.type(-0.0), moved)
    return moved.astype(nearest.dtype)


def _cancels(nearest: Array, rest: Array, terms: Terms) -> Array:
    """Tell where a sum of numbers of different signs is exactly zero, which rounds down to -0."""
    first, second, addend = terms
    negative = np.signbit(first) if second is None else np.signbit(first) ^ np.signbit(second)
    result: Array = (nearest == 0) & (rest == 0) & (negative != np.signbit(addend))
    return result


def _rest(nearest: Array, terms: Terms) -> Array:
    """Return a number with the sign of the exact result less the nearest one; 0 where either is not finite.

    An overflow to infinity has the sign that leads back.
    """
    first, second, addend = terms
    finite = np.isfinite(first) & np.isfinite(addend) & (True if second is None else np.isfinite(second))
    wide = nearest.dtype == np.float64
    if wide and (second is not None or (np.asarray(first).dtype != np.float64)):
        rest = _rest_by_fractions(nearest, terms, finite)
    else:
        product = first.astype(np.float64) if second is None else first.astype(np.float64) * second
        other = addend.astype(np.float64)
        total = product + other
        part = total - product
        error = (product - (total - part)) + (other - part)
        left = total - nearest.astype(np.float64)
        rest = np.where(left != 0, left, error)
    overflow = np.where(np.signbit(nearest), 1.0, -1.0)
    rest = np.where(np.isinf(nearest), overflow, rest)
    result: Array = np.where(finite & ~np.isnan(nearest), rest, 0.0)
    return result


def _rest_by_fractions(nearest: Array, terms: Terms, finite: Array) -> Array:
    first, second, addend = terms
    one = np.ones(1) if second is None else second
    a, b, c, n, known = np.broadcast_arrays(first, one, addend, nearest, finite & np.isfinite(nearest))
    rest = np.zeros(n.shape)
    for found in np.argwhere(known):
        place = tuple(found)
        exact = Fraction(a[place].item()) * Fraction(b[place].item()) + Fraction(c[place].item())
        exact -= Fraction(n[place].item())
        rest[place] = (exact > 0) - (exact < 0)
    return rest


_NO_ADDEND: Final = np.zeros(1)


def _product(a: Array, b: Array) -> Terms:
    # A zero of the product's sign, so that nothing seems to cancel.
    return a, b, np.where(np.signbit(a) ^ np.signbit(b), -0.0, 0.0)


def _single(a: Array, *_: Any) -> Terms:
    value = a.astype(np.float64)
    return value, None, np.where(np.signbit(value), -0.0, 0.0)


def _scaled(a: Array, exponent: Array) -> Terms:
    if a.dtype == np.float64:
        # Two steps, each exact by a fraction's arithmetic.
        return _product(a, np.ldexp(1.0, np.clip(exponent, -1022, 1023).astype(np.int32)))
    return _single(np.ldexp(a.astype(np.float64), np.clip(exponent, -800, 800).astype(np.int32)))


_TERMS: Final[dict[str, Callable[..., Terms]]] = {
    "add": lambda a, b: (a, None, b),
    "sub": lambda a, b: (a, None, -b),
    "subrev": lambda a, b: (b, None, -a),
    "mul": _product,
    "fma": lambda a, b, c: (a, b, c),
    "accumulate": lambda d, a, b: (a, b, d),
    "convert": _single,
    "scale": _scaled,
}
"""Formula -> the terms whose sum is the exact result: a factor, another or None, an addend."""

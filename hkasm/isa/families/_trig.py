"""Argument reduction for trigonometry in double precision, and the faces of cube maps."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from hkasm.isa.families._floats import raw_exponent, scaled
from hkasm.isa.families._types import Array

_FRACTION_BITS = 1201
_SEGMENT = 53


@cache
def _two_over_pi() -> int:
    """Return the first 1201 fraction bits of 2/pi, from Machin's formula in integers."""
    guard = 64
    one = 1 << (_FRACTION_BITS + guard)

    def inverse_tangent(divisor: int) -> int:
        power, total, sign, number = one // divisor, 0, 1, 1
        while power:
            total += sign * (power // number)
            power //= divisor * divisor
            sign, number = -sign, number + 2
        return total

    pi = 4 * (4 * inverse_tangent(5) - inverse_tangent(239))
    return (2 * one * one // pi) >> guard


def preop(a: Array, segment: Array) -> Array:
    """Return 53 bits of 2/pi, scaled: those that matter for the given segment of an argument of A's size."""
    a, segment = np.broadcast_arrays(a, segment)
    exponent = raw_exponent(a)
    shift = (segment & np.uint32(31)).astype(np.int32) * _SEGMENT + np.maximum(exponent - 1077, 0)
    table = _two_over_pi()
    mask = (1 << _SEGMENT) - 1
    top = _FRACTION_BITS - _SEGMENT
    found = {
        int(s): (table >> (top - int(s)) if s <= top else table << (int(s) - top)) & mask for s in np.unique(shift)
    }
    whole = np.vectorize(found.__getitem__, otypes=[np.float64])(shift)
    scale = -_SEGMENT - shift + np.where(exponent >= 1968, 128, 0)
    return scaled(whole, scale)


def _major(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    """Tell where z is the major axis, and where y is (else x)."""
    along_z = (np.abs(z) >= np.abs(x)) & (np.abs(z) >= np.abs(y))
    return along_z, ~along_z & (np.abs(y) >= np.abs(x))


def _pick(x: Array, y: Array, z: Array, by_z: Any, by_y: Any, by_x: Any) -> Array:
    along_z, along_y = _major(x, y, z)
    return np.where(along_z, by_z, np.where(along_y, by_y, by_x)).astype(x.dtype)


def cube_face(x: Array, y: Array, z: Array) -> Array:
    return _pick(x, y, z, np.where(z < 0, 5.0, 4.0), np.where(y < 0, 3.0, 2.0), np.where(x < 0, 1.0, 0.0))


def cube_s(x: Array, y: Array, z: Array) -> Array:
    return _pick(x, y, z, np.where(z < 0, -x, x), x, np.where(x < 0, z, -z))


def cube_t(x: Array, y: Array, z: Array) -> Array:
    return _pick(x, y, z, -y, np.where(y < 0, -z, z), -y)


def cube_axis(x: Array, y: Array, z: Array) -> Array:
    two = x.dtype.type(2)
    return _pick(x, y, z, z * two, y * two, x * two)

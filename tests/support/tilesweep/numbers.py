"""Element types of the references, by ml_dtypes (an outside source), and data that looks for trouble."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from hkasm.tiles.layout import DTYPE_BITS

Array = npt.NDArray[Any]

_ANY_ARCH: dict[str, Any] = {
    "f64": np.float64, "f32": np.float32, "xf32": np.float32, "i32": np.int32, "i8": np.int8, "f16": np.float16,
    "bf16": ml_dtypes.bfloat16, "fp6": ml_dtypes.float6_e2m3fn, "bf6": ml_dtypes.float6_e3m2fn,
    "fp4": ml_dtypes.float4_e2m1fn, "e8m0": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip
_EIGHT_BITS: dict[str, dict[str, Any]] = {
    "gfx942": {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz},
    "gfx950": {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2},
}
FLOATS = ("f32", "f16", "bf16", "fp8", "bf8", "fp6", "bf6", "fp4")


def numpy_type(dtype: str, arch: str) -> Any:
    """Return the NumPy type of a tile's dtype."""
    return _EIGHT_BITS[arch][dtype] if dtype in ("fp8", "bf8") else _ANY_ARCH[dtype]


def code_type(dtype: str) -> Any:
    bits = DTYPE_BITS[dtype]
    return {64: np.uint64, 32: np.uint32, 16: np.uint16}.get(bits, np.uint8)


def to_codes(values: Array, dtype: str, arch: str) -> Array:
    """Round values to a dtype, to nearest even, and return the bits; 8 bits and less overflow as ml_dtypes says."""
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(values.astype(numpy_type(dtype, arch))).view(code_type(dtype))


def to_values(codes: Array, dtype: str, arch: str) -> Array:
    """Return the values of codes: float32 (exact), or the type itself for f64 and integers."""
    typed = np.ascontiguousarray(codes.astype(code_type(dtype))).view(numpy_type(dtype, arch))
    if dtype in ("f64", "i32", "i8"):
        return typed
    with np.errstate(all="ignore"):
        return np.asarray(typed.astype(np.float32))


SPECIALS = (
    0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 2.0**-126, -(2.0**-126), 3.4e38, -3.4e38, 65504.0,
    6e-8, 448.0, 240.0, -57344.0, 1.5, 0.1,
)  # fmt: skip
FLAVOURS = ("plain", "special", "wide")


def draw(rng: np.random.Generator, flavour: str, dtype: str, arch: str, shape: tuple[int, ...]) -> Array:
    """Return codes of random values: around one; mixed with special ones; over all of the dtype's codes."""
    bits = DTYPE_BITS[dtype]
    if dtype in ("i32", "i8"):
        return rng.integers(0, 1 << bits, shape, dtype=np.uint64).astype(code_type(dtype))
    values = rng.standard_normal(shape).astype(np.float32)
    if flavour == "wide" and bits < 64:
        codes = rng.integers(0, 1 << bits, shape, dtype=np.uint64).astype(code_type(dtype))
        # A signalling NaN comes out of any instruction as a quiet one, which max and min then take for the result.
        quiet = {32: 1 << 22, 16: 1 << 9 if dtype == "f16" else 1 << 6}.get(bits, 0)
        return np.where(np.isnan(to_values(codes, dtype, arch)), codes | codes.dtype.type(quiet), codes)
    if flavour == "special":
        picks = np.array(SPECIALS, np.float64)[rng.integers(0, len(SPECIALS), shape)]
        with np.errstate(all="ignore"):
            values = np.where(rng.random(shape) < 0.5, picks, values).astype(np.float64)
    return to_codes(values, dtype, arch)


def differences(got: Array, want: Array, dtype: str, arch: str, ulp: int) -> Array:
    """Return where codes differ from the reference's: NaN equals NaN, else by at most `ulp` steps of the dtype.

    With `ulp` 0 signs of zero count.
    """
    if dtype in ("i32", "i8"):
        return np.asarray(got != want)
    a, b = to_values(got, dtype, arch), to_values(want, dtype, arch)
    both_nan = np.isnan(a) & np.isnan(b)
    if not ulp:
        return np.asarray((got != want) & ~both_nan)
    steps = np.abs(_order(got, dtype, arch) - _order(want, dtype, arch))
    return np.asarray(~both_nan & ((steps > ulp) | (np.isnan(a) != np.isnan(b))))


def _order(codes: Array, dtype: str, arch: str) -> Array:
    """Number the codes of a float type in the order of their values; both zeros are 0."""
    sign = 1 << (DTYPE_BITS[dtype] - 1)
    wide = codes.astype(np.int64)
    return np.where(wide & sign, -(wide & (sign - 1)), wide)

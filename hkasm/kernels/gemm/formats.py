"""How element types of kernels are kept in NumPy and round, and activations in float64 with the error of f32."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

F32_STEP = 2.0**-23
"""One f32 addition or multiplication, truncated."""


class Format(NamedTuple):
    """How an element type is kept: NumPy's type, half a step relative, half the smallest step, what nobody wrote.

    ``blank`` is a NaN with a payload, where there is one: what outputs and the space behind rows hold before a launch.
    """

    array: Any
    unit: float
    tiny: float
    blank: int
    largest: float = np.inf


_EIGHT = {
    ("fp8", "gfx950"): Format(ml_dtypes.float8_e4m3fn, 2.0**-4, 2.0**-10, 0x7F, 448),
    ("bf8", "gfx950"): Format(ml_dtypes.float8_e5m2, 2.0**-3, 2.0**-17, 0x7F, 57344),
    ("fp8", "gfx942"): Format(ml_dtypes.float8_e4m3fnuz, 2.0**-4, 2.0**-11, 0x80, 240),
    ("bf8", "gfx942"): Format(ml_dtypes.float8_e5m2fnuz, 2.0**-3, 2.0**-18, 0x80, 57344),
}
_FORMATS = {
    "bf16": Format(ml_dtypes.bfloat16, 2.0**-8, 0.0, 0x7FE5),
    "f16": Format(np.float16, 2.0**-11, 2.0**-25, 0x7E55),
    "f32": Format(np.float32, 0.0, 0.0, 0x7FC0_5A5A),
    "xf32": Format(np.float32, 0.0, 0.0, 0x7FC0_5A5A),
    "mxfp8": Format(ml_dtypes.float8_e4m3fn, 0.0, 0.0, 0x7F),
    "mxbf8": Format(ml_dtypes.float8_e5m2, 0.0, 0.0, 0x7F),
    "mxfp6": Format(np.uint8, 0.0, 0.0, 0x5A),
    "mxbf6": Format(np.uint8, 0.0, 0.0, 0x5A),
    "mxfp4": Format(np.uint8, 0.0, 0.0, 0x5A),
    "i8": Format(np.int8, 0.0, 0.0, 0x5A),
    "i32": Format(np.int32, 0.0, 0.0, 0x5A5A_5A5A),
}


def format_of(dtype: str, arch: str) -> Format:
    """Return how an element type of the GEMM is kept on an arch."""
    return _FORMATS.get(dtype) or _EIGHT[dtype, arch]


def _silu(x: Floats) -> Floats:
    found: Floats = x / (1 + np.exp(-x))
    return found


def _gelu(x: Floats) -> Floats:
    found: Floats = x / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return found


def _relu(x: Floats) -> Floats:
    found: Floats = np.fmax(x, 0)
    return found


_ACTIVATIONS = {"relu": _relu, "silu": _silu, "gelu": _gelu}


def activated(act: str, x: Floats, error: Floats | float = 0.0) -> tuple[Floats, Any]:
    """Return an activation of float64 values, and the bound of its error in f32 where `x` is off by `error`."""
    if act == "none":
        return x, error
    if act in ("gelu", "silu"):  # slopes are below 1.13; exp2 and rcp are good to a step each
        error = 1.13 * error + 16 * F32_STEP * np.abs(x) * (1 + np.abs(x))
    with np.errstate(over="ignore"):
        return _ACTIVATIONS[act](x), error

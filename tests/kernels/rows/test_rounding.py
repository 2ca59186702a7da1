"""Errors beside those of the same algorithm in NumPy, in f32 with the result rounded as the kernel rounds it."""

from __future__ import annotations

import numpy as np
import pytest
from support.rows_runs import ARCHS, run

from hkasm.kernels import get_kernel
from hkasm.kernels.kernel import Array

ROWS, LENGTH = 4, 1000
EPS = 1e-5
FACTOR = 1.5


def softmax(x: Array) -> Array:
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def layernorm(x: Array, w: Array) -> Array:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + x.dtype.type(EPS)) * w


def rmsnorm(x: Array, w: Array) -> Array:
    return x / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + x.dtype.type(EPS)) * w


def silu_mul(g: Array, u: Array) -> Array:
    return g / (1 + np.exp(-g)) * u


def gelu_mul(g: Array, u: Array) -> Array:
    inner = g.dtype.type(np.sqrt(2 / np.pi)) * (g + g.dtype.type(0.044715) * g * g * g)
    return g / (1 + np.exp(-2 * inner)) * u


ALGORITHMS = {
    "softmax": softmax,
    "layernorm": layernorm,
    "rmsnorm": rmsnorm,
    "silu_mul": silu_mul,
    "gelu_mul": gelu_mul,
}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_errors_are_those_of_the_same_algorithm_in_numpy(name: str, dtype: str, arch: str) -> None:
    """Root mean squares of the errors against float64, over all elements, differ by less than 1.5 times."""
    case = {"rows": ROWS, "n": LENGTH, "dtype": dtype}
    inputs = get_kernel(name).problem_on(arch, case).inputs(3)
    got = run(name, arch, case, inputs=inputs)[2]["Y"]
    wide = [array.astype(np.float64).reshape(-1, LENGTH) for array in inputs.values()]
    want = ALGORITHMS[name](*wide)
    same = ALGORITHMS[name](*(array.astype(np.float32) for array in wide)).astype(got.dtype)
    own, other = (np.sqrt(np.square(one.astype(np.float64).reshape(want.shape) - want).mean()) for one in (got, same))
    assert 0 < own <= FACTOR * other

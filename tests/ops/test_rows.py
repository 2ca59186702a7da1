"""Operators on rows of NumPy arrays: answers, strides, and one clear error for what does not fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import hkasm.ops as ops
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import LaunchError, UsageError
from hkasm.runtime import auto

RANDOM = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, toolchain: Toolchain) -> None:
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setattr("hkasm.runtime.cache.default_folder", lambda: folder)
    monkeypatch.setattr(auto, "_said", {"hkasm's operators run on the emulator here: right, checked, and slow"})


def _draw(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape, dtype=np.float32)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_softmax_of_rows_that_lie_apart(arch: str) -> None:
    x = _draw(6, 80)[:, 10:43]
    got = ops.softmax(x, device="emulator", arch=arch)
    want = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_norms_with_residual_and_another_eps() -> None:
    x, r, w, b = _draw(2, 3, 50), _draw(2, 3, 50), _draw(50), _draw(50)
    got, total = ops.layernorm(x, w, b, residual=r, eps=0.125, device="emulator")
    np.testing.assert_array_equal(total, x + r)
    wide = (x + r).astype(np.float64)
    apart = wide - wide.mean(-1, keepdims=True)
    np.testing.assert_allclose(got, apart / np.sqrt(wide.var(-1, keepdims=True) + 0.125) * w + b, rtol=1e-4, atol=1e-5)
    plain = ops.rmsnorm(x, device="emulator")
    np.testing.assert_allclose(plain, x / np.sqrt(np.square(x).mean(-1, keepdims=True) + 1e-5), rtol=1e-5)


def test_nothing_in_gives_nothing() -> None:
    assert ops.softmax(_draw(0, 5), device="emulator").shape == (0, 5)


ERRORS: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: ops.softmax([1.0]), "softmax: X is a list, no array"),
    (lambda: ops.softmax(np.zeros((2, 3), np.float64)), "softmax: X is f64, the kernel takes f32, f16, bf16"),
    (lambda: ops.softmax(np.zeros((4, 6), np.float32)[:, ::2]), "do not follow each other"),
    (lambda: ops.softmax(np.zeros((2, 70000), np.float32)), "n=70000"),
    (lambda: ops.layernorm(_draw(2, 4), bias=_draw(4)), "layernorm: a bias without a weight"),
    (lambda: ops.layernorm(_draw(2, 4), _draw(5)), "layernorm: W is [5], wanted [4]"),
    (lambda: ops.rmsnorm(_draw(2, 4), eps=0.0), "rmsnorm: eps is 0.0"),
    (lambda: ops.silu_mul(_draw(2, 4), _draw(2, 5)), "silu_mul: U is [2, 5], wanted [2, 4]"),
)


@pytest.mark.parametrize(("attempt", "said"), ERRORS, ids=[said for _, said in ERRORS])
def test_what_does_not_fit_is_one_clear_error(attempt: Callable[[], object], said: str) -> None:
    with pytest.raises((LaunchError, UsageError)) as caught:
        attempt()
    assert said in caught.value.message

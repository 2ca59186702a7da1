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
    assert ops.transpose(_draw(0, 5), device="emulator").shape == (5, 0)
    y, scales = ops.quantise(_draw(0, 64), "fp4", per="block", device="emulator")
    assert (y.shape, scales.shape) == ((0, 32), (0, 2))


def _angles() -> tuple[np.ndarray, np.ndarray]:
    angle = np.arange(9)[:, None] * 100.0 ** (-np.arange(32) / 32)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


@pytest.mark.parametrize("pairs", ["half", "interleaved"])
def test_rope_of_heads_in_place_or_not(pairs: str) -> None:
    x, (cos, sin) = _draw(2, 5, 3, 64), _angles()
    split = x.reshape(2, 5, 3, 2, 32).swapaxes(3, 4) if pairs == "half" else x.reshape(2, 5, 3, 32, 2)
    c, s = (table[2 : 2 + 5, None, :] for table in (cos, sin))
    turned = np.stack([split[..., 0] * c - split[..., 1] * s, split[..., 1] * c + split[..., 0] * s], axis=-1)
    want = (turned.swapaxes(3, 4) if pairs == "half" else turned).reshape(x.shape)
    got = ops.rope(x, cos, sin, pairs=pairs, offset=2, device="emulator")
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    places = np.arange(2, 7, dtype=np.uint32)
    np.testing.assert_array_equal(ops.rope(x, cos, sin, places, pairs=pairs, device="emulator"), got)
    places = places[None].repeat(2, axis=0)
    assert ops.rope(x, cos, sin, places, pairs=pairs, out=x, device="emulator", arch="gfx942") is x
    np.testing.assert_allclose(x, want, rtol=1e-5, atol=1e-6)


def test_transpose_of_rows_that_lie_apart() -> None:
    x = _draw(70, 90)[:, 5:71]
    np.testing.assert_array_equal(ops.transpose(x, device="emulator"), x.T)
    out = np.zeros((66, 80), np.float32)[:, :70]
    ops.transpose(x, out, device="emulator")
    np.testing.assert_array_equal(out, x.T)


@pytest.mark.parametrize(
    ("arch", "to", "kind"), [("gfx942", "fp8", "float8_e4m3fnuz"), ("gfx950", "bf8", "float8_e5m2")]
)
def test_quantise_by_row_and_by_a_factor(arch: str, to: str, kind: str) -> None:
    x = _draw(2, 3, 50)
    y, scales = ops.quantise(x, to, device="emulator", arch=arch)
    assert (y.dtype.name, y.shape, scales.shape) == (kind, x.shape, (2, 3))
    np.testing.assert_allclose(y.astype(np.float32) * scales[..., None], x, rtol=2**-3, atol=0.02)
    once = ops.quantise(x, to, per="tensor", factor=0.5, device="emulator", arch=arch)
    np.testing.assert_array_equal(once.astype(np.float32), (x * np.float32(0.5)).astype(once.dtype).astype(np.float32))


def test_quantise_by_block_packs_small_floats() -> None:
    x = np.arange(1, 65, dtype=np.float32)[None].repeat(2, axis=0)
    y, codes = ops.quantise(x, "fp4", per="block", device="emulator")
    assert (y.dtype, y.shape, codes.tolist()) == (np.uint8, (2, 32), [[127 + 3, 127 + 4]] * 2)
    assert y[0, 0] == 0x00  # 1 / 8 and 2 / 8, a tie, round to 0
    assert y[0, 15] == 0x66  # 31 / 8 and 32 / 8 round to 4


ERRORS: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: ops.softmax([1.0]), "softmax: X is a list, no array"),
    (lambda: ops.softmax(np.zeros((2, 3), np.float64)), "softmax: X is f64, the kernel takes f32, f16, bf16"),
    (lambda: ops.softmax(np.zeros((4, 6), np.float32)[:, ::2]), "do not follow each other"),
    (lambda: ops.softmax(np.zeros((2, 70000), np.float32)), "n=70000"),
    (lambda: ops.layernorm(_draw(2, 4), bias=_draw(4)), "layernorm: a bias without a weight"),
    (lambda: ops.layernorm(_draw(2, 4), _draw(5)), "layernorm: W is [5], wanted [4]"),
    (lambda: ops.rmsnorm(_draw(2, 4), eps=0.0), "rmsnorm: eps is 0.0"),
    (lambda: ops.silu_mul(_draw(2, 4), _draw(2, 5)), "silu_mul: U is [2, 5], wanted [2, 4]"),
    (lambda: ops.rope(_draw(5, 3, 64), *_angles(), offset=5), "rope: position 9, the tables have 9 rows"),
    (lambda: ops.rope(_draw(5, 3, 64), *_angles(), np.full(5, -1, np.int32)), "rope: position -1, the tables have"),
    (lambda: ops.rope(_draw(5, 3, 128), *_angles()), "rope: tables [9, 32] and [9, 32]"),
    (lambda: ops.rope(_draw(5, 3, 48), *_angles()), "head=48: not a choice"),
    (lambda: ops.rope(_draw(5, 6, 64)[:, ::2], *_angles()), "the heads of X do not follow each other"),
    (lambda: ops.rope(_draw(5, 3, 64), *_angles(), np.zeros(4, np.int32)), "positions are [4], the tokens [5]"),
    (lambda: ops.transpose(_draw(2, 3, 4)), "transpose: X has 3 dimensions, not 2"),
    (lambda: ops.transpose(_draw(2, 3), _draw(2, 3)), "transpose: out is [2, 3], wanted [3, 2]"),
    (lambda: ops.quantise(_draw(2, 64), "fp4"), "out=fp4 with per=row: not declared"),
    (lambda: ops.quantise(_draw(2, 63), "fp4", per="block"), "quantise: rows of 63 fp4 are no whole bytes"),
    (lambda: ops.quantise(_draw(2, 64), per="tensor"), "quantise: factor None with per=tensor"),
    (lambda: ops.quantise(_draw(2, 64), factor=2.0), "quantise: factor 2.0 with per=row"),
    (lambda: ops.quantise(_draw(2, 64), "fp6", per="block", arch="gfx942"), "per=block is not declared for gfx942"),
)


@pytest.mark.parametrize(("attempt", "said"), ERRORS, ids=[said for _, said in ERRORS])
def test_what_does_not_fit_is_one_clear_error(attempt: Callable[[], object], said: str) -> None:
    with pytest.raises((LaunchError, UsageError)) as caught:
        attempt()
    assert said in caught.value.message

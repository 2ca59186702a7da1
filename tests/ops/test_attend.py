"""attention on arrays: layouts, strides, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hkasm.asm.toolchain import Toolchain
from hkasm.errors import HkasmError
from hkasm.ops import attention
from hkasm.runtime import auto

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is touched."""
    folder: Path = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setattr("hkasm.runtime.cache.default_folder", lambda: folder)
    monkeypatch.setattr(auto, "_said", {"hkasm's operators run on the emulator here: right, checked, and slow"})


def drawn(*shape: int, seed: int = 0, dtype: Any = ml_dtypes.bfloat16) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def plain(q: Array, k: Array, v: Array, scale: float, last: int) -> tuple[Array, Array]:
    """Return attention and log-sum-exp of [batch, heads, length, d] in float64, each query seeing `last` keys more."""
    q, k, v = (one.astype(np.float64) for one in (q, k, v))
    k, v = (np.repeat(one, q.shape[1] // one.shape[1], axis=1) for one in (k, v))
    scores = scale * q @ k.swapaxes(2, 3)
    seen = np.arange(k.shape[2])[None, :] <= np.arange(q.shape[2])[:, None] + last
    weights = np.exp(np.where(seen, scores, -np.inf))
    return weights / weights.sum(-1, keepdims=True) @ v, np.log(weights.sum(-1))


def test_causal_attention_of_grouped_heads(toolchain: Toolchain) -> None:
    q, k, v = drawn(2, 20, 4, 64), drawn(2, 33, 2, 64, seed=1), drawn(2, 33, 2, 64, seed=2)
    got, lse = attention(q, k, v, mask="causal", lse=True, device="emulator")
    want, sums = plain(*(one.swapaxes(1, 2) for one in (q, k, v)), 0.125, 13)
    assert (got.dtype, got.shape, lse.shape) == (q.dtype, q.shape, (2, 4, 20))
    np.testing.assert_allclose(got.astype(np.float64), want.swapaxes(1, 2), rtol=2**-7, atol=2**-7)
    np.testing.assert_allclose(lse, sums, rtol=1e-5, atol=1e-5)


def test_heads_first_with_rows_apart_and_a_scale(toolchain: Toolchain) -> None:
    q, k, v = (drawn(1, 2, 40, 96, seed=seed, dtype=np.float16)[..., 16:80] for seed in range(3))
    got = attention(q, k, v, layout="bhsd", scale=0.5, device="emulator", arch="gfx942")
    want, _ = plain(q, k, v, 0.5, 40)
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=2**-10, atol=2**-9)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"q": drawn(1, 8, 3, 64)}, "heads that divide"),
        ({"k": drawn(1, 9, 2, 64)}, "k and v alike"),
        ({"q": drawn(2, 8, 2, 64)}, "batch and head size of q"),
        ({"q": drawn(1, 8, 2, 64).astype(np.float32)}, "q is f32|Q is f32"),
        ({"q": drawn(1, 8, 2, 65)[..., 1:]}, "multiples of 16 bytes"),
        ({"q": drawn(1, 8, 64)}, "four dimensions"),
        ({"q": drawn(1, 8, 2, 64, dtype=np.float16)}, "one type for all"),
        ({"mask": "alibi"}, "mask=alibi"),
        ({"scale": -1.0}, "a positive number"),
        ({"layout": "sbhd"}, "no layout"),
        ({"mask": "window", "window": 0}, "at least 1 key"),
        ({"q": 3}, "no array"),
        ({"reserve": 2}, "attention takes no 'reserve'\n  hint: it takes q, k, v, mask, window, scale, layout"),
        ({"causal": True}, "attention takes no 'causal'\n  hint: it takes q, k, v, mask, "),
        (
            {name: drawn(1, heads, 8, 64) for name, heads in (("k", 2), ("v", 2))} | {"q": drawn(1, 4, 9, 64)},
            'as layout="bhsd" they fit',
        ),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], text: str) -> None:
    given: dict[str, Any] = {"q": drawn(1, 8, 2, 64), "k": drawn(1, 8, 2, 64), "v": drawn(1, 8, 2, 64)}
    with pytest.raises(HkasmError, match=text):
        attention(**given | change, device="emulator")

"""decode on arrays: plain and paged caches, splits, strides, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hkasm.asm.toolchain import Toolchain
from hkasm.errors import HkasmError
from hkasm.ops import decode
from hkasm.runtime import auto

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is touched."""
    folder: Path = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setattr("hkasm.runtime.cache.default_folder", lambda: folder)
    monkeypatch.setattr(auto, "_said", {"hkasm's operators run on the emulator here: right, checked, and slow"})


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def plain(q: Array, k: Array, v: Array, length: int) -> tuple[Array, Array]:
    """Return one sequence's answer in float64: q [queries, heads, d], k and v [keys, key heads, d]."""
    k, v = (np.repeat(one[:length].astype(np.float64), q.shape[1] // one.shape[1], axis=1) for one in (k, v))
    scores = np.einsum("qhd,khd->hqk", q.astype(np.float64), k) * q.shape[2] ** -0.5
    seen = np.arange(length)[None, :] <= np.arange(len(q))[:, None] + length - len(q)
    weights = np.exp(np.where(seen, scores, -np.inf))
    total = np.maximum(weights.sum(-1), 1e-300)
    with np.errstate(divide="ignore"):
        return np.einsum("hqk,khd->qhd", weights / total[..., None], v), np.log(weights.sum(-1))


@pytest.mark.parametrize("splits", [1, 3])
def test_a_paged_cache(splits: int, toolchain: Toolchain) -> None:
    q, k, v = drawn(2, 2, 4, 64), drawn(30, 16, 2, 64, seed=1), drawn(30, 16, 2, 64, seed=2)
    lengths = np.array([237, 77], np.int32)
    table = np.random.default_rng(3).permutation(30).astype(np.int32)[: 2 * 15].reshape(2, 15)
    table = np.concatenate([table, np.full((2, 1), -1, np.int32)], axis=1)
    got, sums = decode(q, k, v, lengths, table, lse=True, splits=splits, device="emulator", arch="gfx942")
    assert (got.shape, sums.shape) == (q.shape, (2, 4, 2))
    for number, length in enumerate(lengths):
        keys, values = (one[table[number, :15]].reshape(-1, 2, 64) for one in (k, v))
        want, want_sums = plain(q[number], keys, values, int(length))
        np.testing.assert_allclose(got[number].astype(np.float64), want, rtol=2**-9, atol=2**-9)
        np.testing.assert_allclose(sums[number], want_sums, rtol=1e-5, atol=1e-5)


def test_a_plain_cache_with_heads_first_and_rows_apart(toolchain: Toolchain) -> None:
    q = drawn(1, 8, 1, 96)[..., 16:80]
    k, v = (drawn(1, 1, 300, 96, seed=seed)[..., 16:80] for seed in (1, 2))
    got = decode(q, k, v, np.array([299], np.int32), layout="bhsd", device="emulator", longest=10)
    want, _ = plain(q[0].swapaxes(0, 1), k[0].swapaxes(0, 1), v[0].swapaxes(0, 1), 299)
    np.testing.assert_allclose(got[0].swapaxes(0, 1).astype(np.float64), want, rtol=2**-9, atol=2**-9)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"q": drawn(2, 1, 3, 64)}, "heads that divide"),
        ({"v": drawn(9, 16, 2, 64)}, "k and v alike"),
        ({"q": drawn(3, 1, 2, 64)}, "lengths is of 2 sequences, q of 3"),
        ({"table": np.zeros((3, 4), np.int32)}, "table is of 3 sequences, q of 2"),
        ({"table": np.zeros((2, 8), np.int32)[:, ::2]}, r"table has strides of \[32, 8\] bytes"),
        ({"lengths": np.zeros(2, np.int64)}, "lengths is i64, the kernel takes i32"),
        ({"k": drawn(8, 24, 2, 64), "v": drawn(8, 24, 2, 64)}, "blocks of 24 keys"),
        ({"table": None}, "k is of 8 sequences, q of 2"),
        ({"splits": 0}, "splits 0"),
        ({"scale": 0.0}, "scale 0.0"),
        ({"layout": "sbhd"}, "no layout"),
        ({"mask": "alibi"}, "mask=alibi"),
        ({"mask": "window", "window": 0}, "window 0"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], text: str) -> None:
    given: dict[str, Any] = {"q": drawn(2, 1, 2, 64), "k": drawn(8, 16, 2, 64), "v": drawn(8, 16, 2, 64)}
    given |= {"lengths": np.array([20, 40], np.int32), "table": np.zeros((2, 4), np.int32)}
    with pytest.raises(HkasmError, match=text):
        decode(**given | change, device="emulator")


def test_lengths_beyond_the_room_count_as_full_and_negative_ones_as_none(toolchain: Toolchain) -> None:
    q, k, v = drawn(2, 1, 2, 64), drawn(8, 16, 2, 64, seed=1), drawn(8, 16, 2, 64, seed=2)
    table = np.arange(6, dtype=np.int32).reshape(2, 3)
    full, sums = decode(q, k, v, np.array([48, 0], np.int32), table, lse=True, device="emulator")
    got, again = decode(q, k, v, np.array([1 << 30, -5], np.int32), table, lse=True, device="emulator")
    np.testing.assert_array_equal(got, full)
    np.testing.assert_array_equal(again, sums)
    assert not got[1].any()
    assert np.isneginf(again[1]).all()
    nothing = decode(q, k, v, np.array([48, 48], np.int32), table[:, :0], device="emulator")
    assert not nothing.any()

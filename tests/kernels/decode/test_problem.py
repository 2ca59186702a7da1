"""Decode's problems: what they refuse, splits by shape and chip, tables, and the reference against other formulas."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.errors import UsageError
from hkasm.kernels import get_kernel, list_kernels
from hkasm.kernels.decode import DecodeProblem
from hkasm.kernels.decode.declared import STRIDE, choose_splits


def problem(**values: object) -> DecodeProblem:
    """Make a problem."""
    found = get_kernel("decode").problem(**values)
    assert isinstance(found, DecodeProblem)
    return found


def test_the_library_lists_both_kernels() -> None:
    assert {"decode", "decode_combine"} <= set(list_kernels())


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"d": 60}, "d=60: no multiple of 8"),
        ({"d": 264}, "d=264: out of range"),
        ({"hq": 6, "hkv": 4}, "hq=6: no multiple of hkv=4"),
        ({"gap": 4}, "gap=4: no multiple of 8"),
        ({"page": 8}, "page=8: out of range"),
        ({"page": 48}, "page=48: no power of two"),
        ({"splits": 1025}, "splits=1025: out of range"),
        ({"splits": 2, "parts": "no"}, "splits=2 with parts=no"),
        ({"dtype": "f32"}, "dtype=f32"),
        ({"q": 4096, "hq": 2048, "hkv": 1, "d": 256}, "rows of one key head span"),
    ],
)
def test_what_is_not_declared_is_refused(values: dict[str, object], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        problem(**values)


@pytest.mark.parametrize("cus", [1, 80, 256, 304])
def test_splits_fill_the_chip_and_leave_no_workgroup_without_keys(cus: int) -> None:
    for work in (1, 2, 7, 64, 1000):
        for keys in (0, 1, 128, 129, 4096, 100_000):
            splits, steps = choose_splits(work, keys, cus), max(-(-keys // STRIDE), 1)
            assert 1 <= splits <= steps
            assert (splits - 1) * -(-steps // splits) < steps
    assert choose_splits(2 * cus, 1 << 20, cus) == 1
    assert choose_splits(1, 1 << 20, cus) >= min(cus, 200)


def test_splits_fill_the_device_that_is_named() -> None:
    sizes = {"batch": 1, "hq": 8, "hkv": 1, "kv": 100_000}
    whole, part, other = (problem(chip=chip, **sizes) for chip in ("auto", "mi355x-cpx", "mi300x-38:38"))
    assert whole.split_count > part.split_count > 1
    assert (part.arch, other.arch) == ("gfx950", "gfx942")
    assert other.split_count == choose_splits(other.shape.work, 100_000, 76)


def test_more_splits_than_chosen_are_taken_and_none_gives_whole_results() -> None:
    assert problem(splits=70, kv=100).split_count == 70
    assert problem(splits=1).partial is False
    assert set(problem(splits=3).outputs()) == {"P", "L"}
    small, large = problem(batch=1, hkv=1, hq=1, kv=200_000), problem(batch=256, hkv=8, hq=8, kv=200)
    assert small.partial
    assert not large.partial


def test_the_table_names_blocks_in_no_order_some_twice_some_never() -> None:
    for kind in ("shuffled", "repeated", "broken"):
        one = problem(kv=1000, page=16, table=kind, lengths="mixed", batch=3)
        table = one.inputs(1)["table"].reshape(3, one.table_row)
        named = [table[n, : -(-count // 16)] for n, count in enumerate(one.keys)]
        every = np.concatenate(named)
        outside = (every < 0) | (every >= one.pages)
        assert bool(outside.any()) == (kind == "broken")
        assert (len(set(every.tolist())) < len(every)) == (kind == "repeated")
        assert (np.diff(named[0]) < 0).any()
        assert one.keys == (1000, 0, 333)
        assert (table[1] == 0x7FFF_FFFF).all()


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
@pytest.mark.parametrize("q", [1, 6])
def test_splits_share_out_exactly_the_keys_that_are_seen(mask: str, q: int) -> None:
    for splits in (1, 2, 3, 8):
        one = problem(mask=mask, q=q, hq=12, hkv=1, kv=900, window=300, splits=splits, batch=1)
        seen = one.visible(0)
        for block in range(one.shape.row_blocks):
            shares = one.shares(0, block)
            keys = [key for share in shares for key in range(share.start, share.stop)]
            assert keys == list(range(keys[0], keys[-1] + 1))
            rows = [row // 12 for row in range(16 * block, min(16 * block + 16, 12 * q))]
            assert set(np.flatnonzero(seen[rows].any(axis=0)).tolist()) <= set(keys)


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
def test_the_reference_is_that_of_torch(mask: str) -> None:
    torch = pytest.importorskip("torch")
    one = problem(
        d=72, hq=14, hkv=2, q=5, kv=150, mask=mask, window=40, gap=8, page=16, table="repeated", splits=1, batch=3
    )
    inputs, outputs = one.inputs(1), one.outputs()
    sums = outputs["LSE"].reshape(3, 14, 5)
    for number in range(3):
        q = one.part("Q", inputs["Q"], number).astype(np.float64)
        k, v = one.sequence("K", inputs, number), one.sequence("V", inputs, number)
        want = torch.nn.functional.scaled_dot_product_attention(
            *(torch.tensor(x)[None] for x in (q, k, v)),
            attn_mask=torch.tensor(one.visible(number)), scale=one.scale, enable_gqa=True,
        )[0].numpy()  # fmt: skip
        one.part("O", outputs["O"], number)[:] = want.astype(outputs["O"].dtype)
        scores = np.where(one.visible(number), np.einsum("hqd,hkd->hqk", q, np.repeat(k, 7, 0)) * one.scale, -np.inf)
        sums[number] = np.log(np.exp(scores).sum(-1))
    assert all(result.passed for result in one.check(inputs, outputs))
    view = one.part("O", outputs["O"], 1)
    largest = np.unravel_index(np.abs(view.astype(np.float64)).argmax(), view.shape)
    view[largest] = float(view[largest]) * 1.04
    sums[2, 3, 1] += 1e-3
    assert [result.wrong for result in one.check(inputs, outputs)] == [1, 1, 0]

"""Attention's problems: what they refuse, what they see as right, and the masks against a definition of their own."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.errors import UsageError
from hkasm.kernels import get_kernel, list_kernels


def test_the_library_lists_it() -> None:
    assert "attention" in list_kernels()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"d": 60}, "d=60: no multiple of 8"),
        ({"d": 264}, "d=264: out of range"),
        ({"hq": 6, "hkv": 4}, "hq=6: no multiple of hkv=4"),
        ({"gap": 4}, "gap=4: no multiple of 8"),
        ({"kv": 1 << 22, "hq": 8, "hkv": 8}, "one head of K spans"),
        ({"dtype": "f32"}, "dtype=f32"),
        ({"mask": "alibi"}, "mask=alibi"),
        ({"schedule": "interleave"}, "schedule=interleave"),
        ({"schedule": "pingpong", "d": 200}, "d=200 with schedule=pingpong: O, Q and a block of K do not fit"),
    ],
)
def test_what_is_not_declared_is_refused(values: dict[str, object], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        get_kernel("attention").problem(**values)


@pytest.mark.parametrize(
    ("d", "q", "schedule", "queries"),
    [
        (64, 300, "auto", 256),
        (64, 300, "in-step", 128),
        (64, 128, "auto", 128),
        (64, 128, "pingpong", 256),
        (256, 300, "auto", 128),
    ],
)
def test_grid_and_block_are_those_of_the_schedule(d: int, q: int, schedule: str, queries: int) -> None:
    """Few queries are done by four waves: half of eight would have none."""
    kernel = get_kernel("attention")
    launch = kernel.problem(d=d, schedule=schedule, q=q, hq=6, batch=2, grid="plain").launch()
    assert launch.grid == (6, -(-q // queries), 2)
    program = kernel.build("gfx950", d=d, schedule=schedule, q=q, grid="plain")
    assert kernel.grid_rule_of(program) == ("hq", f"ceil(q / {queries})", "batch")
    assert launch.block == (2 * queries, 1, 1)


def test_predictions_trace_few_blocks_and_know_the_keys_of_a_workgroup() -> None:
    kernel = get_kernel("attention")
    whole = kernel.problem(q=5000, kv=9001, hq=64, hkv=16, batch=7, mask="causal")
    short = whole.traced()
    assert (short.q, short.kv, short.hq, short.hkv, short.batch) == (256 + 136, 2048 + 41, 32, 8, 1)
    assert (whole.schedule, whole.mask) == (short.schedule, short.mask)
    for mask, keys in (("full", 512), ("causal", (256 + 512) // 2), ("window", (256 + 6 * 64) // 2)):
        assert kernel.problem(q=512, kv=512, mask=mask, window=100).walk == keys


@pytest.mark.parametrize(("q", "kv"), [(5, 9), (9, 5), (6, 6)])
def test_masks_say_which_keys_a_query_sees(q: int, kv: int) -> None:
    for mask in ("full", "causal", "window"):
        seen = get_kernel("attention").problem(mask=mask, q=q, kv=kv, window=3).visible()
        for row in range(q):
            last = row + kv - q
            want = {"full": range(kv), "causal": range(last + 1), "window": range(max(last - 2, 0), last + 1)}[mask]
            assert np.flatnonzero(seen[row]).tolist() == [key for key in want if key < kv]


def test_the_reference_is_the_plain_formula_and_an_error_of_two_steps_is_found() -> None:
    problem = get_kernel("attention").problem(d=64, hq=2, hkv=1, q=20, kv=30, mask="causal")
    inputs = problem.inputs(3)
    q, k, v = (problem.sequence(name, inputs[name], 0).astype(np.float64) for name in "QKV")
    outputs = problem.outputs()
    for head in (0, 1):
        scores = np.where(problem.visible(), q[head] @ k[0].T * problem.scale, -np.inf)
        weights = np.exp(scores)
        problem.sequence("O", outputs["O"], 0)[head] = (weights / weights.sum(1, keepdims=True) @ v[0]).astype(
            outputs["O"].dtype
        )
        outputs["LSE"].reshape(2, 20)[head] = np.log(weights.sum(1))
    assert all(one.passed for one in problem.check(inputs, outputs))
    view = problem.sequence("O", outputs["O"], 0)
    largest = np.unravel_index(np.abs(view.astype(np.float64)).argmax(), view.shape)
    view[largest] = float(view[largest]) * 1.04
    assert [one.wrong for one in problem.check(inputs, outputs)] == [1, 0]
    outputs["LSE"][7] += 1e-3
    assert problem.check(inputs, outputs)[1].wrong == 1


@pytest.mark.parametrize("lengths", ["equal", "cu_seqlens"])
@pytest.mark.parametrize("layout", ["bshd", "bhsd"])
def test_strides_reach_every_element_once(layout: str, lengths: str) -> None:
    problem = get_kernel("attention").problem(
        d=32, hq=3, hkv=1, q=4, kv=5, batch=2, layout=layout, gap=8, lengths=lengths
    )
    flat = np.zeros(problem.size("Q"), np.float16)
    for number, length in enumerate(problem.rows("Q")):
        view = problem.sequence("Q", flat, number)
        assert view.shape == (3, length, 32)
        view[:] = view + 1
    assert flat.max() == 1
    assert int(flat.sum(dtype=np.int64)) == sum(problem.rows("Q")) * 3 * 32


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
def test_the_reference_is_that_of_torch(mask: str) -> None:
    torch = pytest.importorskip("torch")
    problem = get_kernel("attention").problem(d=72, hq=6, hkv=2, q=21, kv=40, batch=2, mask=mask, window=7, gap=8)
    inputs = problem.inputs(1)
    for number in range(2):
        q, k, v = (
            torch.tensor(problem.sequence(name, inputs[name], number).astype(np.float64))[None] for name in "QKV"
        )
        seen = torch.tensor(problem.visible(number))
        want = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=seen, scale=problem.scale, enable_gqa=True
        )[0].numpy()
        for head in range(6):
            got, _, bound, _ = problem.reference(inputs, number, head)
            np.testing.assert_allclose(got, want[head], rtol=1e-12, atol=1e-12)
            assert (bound > 0).all()
            assert bound.max() < 0.1

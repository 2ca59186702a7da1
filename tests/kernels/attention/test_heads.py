"""Arrays of heads: views by strides, masks by hand, and a store between rows is seen."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.kernels.attention.heads import check_between, view_part, visible_keys
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.kernels.decode import DecodeProblem


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_a_view_is_heads_by_rows(dtype: type) -> None:
    flat = np.arange(40, dtype=dtype)
    part = view_part(flat, 1, (2, 3, 4), head=4, row=9)
    assert part[1, 2].tolist() == [23, 24, 25, 26]
    part[:] = 0
    assert [int(flat[place]) for place in (0, 8, 9, 10, 26, 27)] == [0, 0, 9, 0, 0, 27]


@pytest.mark.parametrize(
    ("mask", "seen"),
    [("full", ["1111", "1111"]), ("causal", ["1110", "1111"]), ("window", ["0110", "0011"])],
)
def test_the_last_query_sees_the_last_key(mask: str, seen: list[str]) -> None:
    assert ["".join(map(str, row)) for row in visible_keys(mask, 2, 4, 2).astype(int)] == seen


@pytest.mark.parametrize("kind", [AttentionProblem, DecodeProblem])
def test_what_is_written_between_rows_is_seen(kind: type[AttentionProblem | DecodeProblem]) -> None:
    problem = kind(batch=2, hq=2, hkv=1, q=3, kv=40, gap=8)
    o = problem._blank("O")
    views = problem.sequence if isinstance(problem, AttentionProblem) else problem.part

    def parts(array: np.ndarray) -> list[np.ndarray]:
        return [views("O", array, number) for number in range(2)]

    for part in parts(o):
        part[:] = 1
    assert check_between(o, problem.dtype, parts).passed
    o[problem.d] = 1  # right behind the first row
    found = check_between(o, problem.dtype, parts)
    assert (found.name, found.wrong, found.passed) == ("between rows of O", 1, False)

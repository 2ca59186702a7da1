"""The GEMM's problems: inputs, reference, tolerance, and what is refused."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from hkasm.errors import UsageError
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.kernel import GemmProblem

bfloat16 = ml_dtypes.bfloat16
PROBLEM = GemmProblem(m=5, n=7, k=9, lda=10, ldb=12, ldc=8)


def right(problem: GemmProblem, seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Inputs and outputs with the reference, rounded."""
    inputs, outputs = problem.inputs(seed), problem.outputs()
    problem.matrix("C", outputs["C"])[:] = problem.reference(inputs).astype(bfloat16)
    return inputs, outputs


def test_arrays_end_with_their_last_element_and_hold_nan_between_rows() -> None:
    inputs = PROBLEM.inputs()
    assert {name: array.size for name, array in inputs.items()} == {"A": 4 * 10 + 9, "B": 6 * 12 + 9}
    between = inputs["A"][: 4 * 10].reshape(4, 10)[:, 9]
    assert np.isnan(between.astype(np.float32)).all()
    assert not np.isnan(PROBLEM.matrix("A", inputs["A"]).astype(np.float32)).any()
    assert PROBLEM.bytes == 2 * (49 + 81 + 4 * 8 + 7)
    assert PROBLEM.flops == 2 * 5 * 7 * 9


def test_inputs_depend_on_the_seed_alone() -> None:
    first, again, other = PROBLEM.inputs(1)["A"], PROBLEM.inputs(1)["A"], PROBLEM.inputs(2)["A"]
    assert (first.view(np.uint16) == again.view(np.uint16)).all()
    assert (first.view(np.uint16) != other.view(np.uint16)).any()


@pytest.mark.parametrize("data", ["normal", "integers"])
def test_the_rounded_reference_passes(data: str) -> None:
    problem = GemmProblem(m=20, n=30, k=200, data=data)
    (comparison,) = problem.check(*right(problem))
    assert comparison.passed
    assert comparison.exact


def test_an_element_off_by_two_steps_fails() -> None:
    problem = GemmProblem(m=20, n=30, k=4)
    inputs, outputs = right(problem)
    outputs["C"].view(np.uint16)[17] += 2
    (comparison,) = problem.check(inputs, outputs)
    assert not comparison.passed
    assert comparison.wrong == 1


def test_an_output_that_nobody_wrote_fails() -> None:
    problem = GemmProblem(m=2, n=2, k=4)
    assert not problem.check(problem.inputs(), problem.outputs())[0].passed


def test_a_store_between_rows_fails() -> None:
    inputs, outputs = right(PROBLEM)
    assert all(one.passed for one in PROBLEM.check(inputs, outputs))
    outputs["C"][7] = 0
    assert [one.passed for one in PROBLEM.check(inputs, outputs)] == [True, False]


def test_the_launch_has_a_workgroup_a_tile() -> None:
    launch = GemmProblem(m=257, n=1000, k=3, ldc=1024, grid="rows").launch()
    assert (launch.grid, launch.block) == ((4, 2, 1), (512, 1, 1))
    small = GemmProblem(m=257, n=1000, k=3, tile="128x128", schedule="simple").launch()
    assert (small.grid, small.block) == ((24, 1, 1), (256, 1, 1))
    assert launch.args == ("C", "A", "B", 257, 1000, 3, 3, 3, 1024)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k": 8, "lda": 7}, "lda=7: shorter than a row of A"),
        ({"k": 8, "ldb": 1}, "ldb=1: shorter than a row of B"),
        ({"n": 8, "ldc": 2}, "ldc=2: shorter than a row of C"),
        ({"n": 1 << 23}, "rows of C of 8388608 elements are too long"),
        ({"m": 0}, "m=0: out of range"),
        ({"k": (1 << 22) + 1}, "rows of A of 4194305 elements are too long"),
        ({"count": 2}, "count=2: there is no batch"),
    ],
)
def test_impossible_problems_are_refused(values: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        get_kernel("gemm").problem(**values)


def test_labels_round_trip() -> None:
    assert PROBLEM.label == "m=5,n=7,k=9,lda=10,ldb=12,ldc=8"
    settled = GemmProblem.from_label(PROBLEM.label)
    assert settled.label == "tile=64x64,m=5,n=7,k=9,lda=10,ldb=12,ldc=8"
    assert GemmProblem.from_label(settled.label) == settled

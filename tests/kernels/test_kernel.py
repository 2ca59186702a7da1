"""Kernels are found, named and compared with their references."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.errors import ArchError, UsageError
from hkasm.kernels import get_kernel, list_kernels
from hkasm.kernels.gemm.kernel import GemmKernel
from hkasm.kernels.kernel import compare


def test_kernels_are_found() -> None:
    assert "gemm" in list_kernels()
    kernel = get_kernel("gemm")
    assert isinstance(kernel, GemmKernel)
    assert kernel.doc.endswith(".")
    names = [one.name for one in kernel.parameters()]
    assert names[:6] == ["m", "n", "k", "lda", "ldb", "ldc"]
    assert {"dtype", "tile", "schedule", "acc"} <= set(names)
    assert len(names) == len(set(names))


def test_an_unknown_kernel_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown kernel 'gem'\n  hint: did you mean 'gemm'"):
        get_kernel("gem")


def test_two_kernels_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two kernels are called 'gemm'"):
        type("Again", (GemmKernel,), {"name": "gemm"})


def test_an_unknown_parameter_or_arch_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown parameter 'mm'"):
        get_kernel("gemm").build("gfx950", mm=1)
    with pytest.raises(ArchError, match="gfx90a"):
        get_kernel("gemm").build("gfx90a")


def test_a_comparison_measures_errors() -> None:
    want = np.array([1.0, 2.0, np.nan, np.inf, 0.0])
    right = compare("x", want.astype(np.float32), want, np.full(5, 0.1), "0.1")
    assert right.passed
    assert right.exact
    assert right.max_abs == right.max_rel == right.worst == 0
    close = compare("x", (want + np.array([0.05, 0, 0, 0, 0])).astype(np.float32), want, np.full(5, 0.1), "0.1")
    assert close.passed
    assert not close.exact
    assert close.worst == pytest.approx(0.5, rel=1e-4)
    assert "within 0.1" in str(close)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.5])
def test_a_wrong_element_fails(value: float) -> None:
    want = np.zeros(3)
    got = np.array([0.0, value, 0.0], np.float32)
    result = compare("x", got, want, np.full(3, 0.1), "0.1")
    assert not result.passed
    assert result.wrong == 1
    assert "1 of 3 elements outside" in str(result)


def test_nan_where_a_number_belongs_fails_and_back() -> None:
    assert not compare("x", np.zeros(1, np.float32), np.array([np.nan]), np.full(1, 0.1), "0.1").passed
    assert not compare("x", np.zeros(1, np.float32), np.array([np.inf]), np.full(1, 0.1), "0.1").passed

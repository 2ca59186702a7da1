"""Kernels that clang compiled from C run on the emulator and give NumPy's results."""

from __future__ import annotations

import pytest
from support.oracles import Oracle, load_oracles

import hkasm

ORACLES = load_oracles("clang")


@pytest.mark.parametrize("oracle", ORACLES, ids=[oracle.label for oracle in ORACLES])
def test_clang_kernel_gives_the_reference_result(oracle: Oracle) -> None:
    before = oracle.arrays()
    after, report = oracle.launch(hkasm.device("emulator"), before)
    oracle.check(before, after)
    assert not report.findings

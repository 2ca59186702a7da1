"""Kernels that Triton compiled run on the emulator and give NumPy's results."""

from __future__ import annotations

import pytest
from support.oracles import Oracle, load_oracles

import hkasm

ORACLES = load_oracles("triton")


@pytest.mark.parametrize("oracle", ORACLES, ids=[oracle.label for oracle in ORACLES])
def test_triton_kernel_gives_the_reference_result(oracle: Oracle) -> None:
    before = oracle.arrays()
    after = oracle.run(hkasm.device("emulator"), before)
    oracle.check(before, after)

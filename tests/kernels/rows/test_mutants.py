"""Waits and barriers of the kernels on rows: a seeded sample of mutants; `bench/kernel_mutations.py` tries all."""

from __future__ import annotations

import pytest
from support.kernel_mutants import ARCHS, ROWS, labels, sample, subject

EACH = 1


@pytest.mark.parametrize("kernel", ROWS)
@pytest.mark.parametrize("arch", ARCHS)
def test_a_sample_of_wait_and_barrier_mutants_is_reported(arch: str, kernel: str) -> None:
    """The archs take turns at a kernel's codes."""
    codes = [one for one in labels(arch) if one.split()[0] == kernel]
    for label in codes[ARCHS.index(arch) :: 2] or codes:
        one = subject(label, arch)
        assert one.verdict(one.hsaco) == "missed"  # there is nothing to find
        mutants = sample(one, EACH, seed=3)
        assert mutants
        for kind, name, hsaco in mutants:
            assert one.verdict(hsaco) == "reported", f"{label}: {kind}: {name}"

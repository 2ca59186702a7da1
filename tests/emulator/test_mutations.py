"""What the emulator sees of mutated machine code: a seeded sample of bench/mutations.py here, all of it when slow."""

from __future__ import annotations

import pytest
from support.mutants import CLASSES, SUBJECTS, judge, mutants_of, sample, subject

SMALL = ("axpy gfx950", "scan_O2_gfx942", "softmax_bf16_w8_gfx942", "gemm_bf16_nt_128x128x64_w4_gfx950")
DIRECT = ("gemm_bf16_nt_128x128x64_w4_gfx950", "attention_bf16_d64_gfx950", "GEMM gfx950")
"""Kernels that load direct to LDS."""
EACH = 3
FEW_RUNS, MORE_RUNS = 4, 20


def missed(name: str, each: int, runs: int, kinds: tuple[str, ...] = CLASSES) -> list[str]:
    """The mutants of a kernel that nothing found out and nothing explains."""
    kernel = subject(name)
    mutants = [mutant for mutant in mutants_of(kernel) if mutant.kind in kinds]
    assert mutants
    verdicts = [judge(kernel, mutant, runs) for mutant in sample(mutants, each, seed=1)]
    return [f"{verdict.mutant}: {verdict.detail}" for verdict in verdicts if verdict.outcome == "missed"]


@pytest.mark.parametrize("name", SMALL)
def test_no_mutant_of_a_sample_is_missed(name: str) -> None:
    assert missed(name, EACH, FEW_RUNS) == []


def test_the_unmutated_kernels_have_no_findings() -> None:
    for name in SMALL:
        kernel = subject(name)
        assert kernel.journals  # raises at a finding, a wrong result or a fault of the replay
        assert kernel.unmutated_hazards == 0


def test_a_mutant_is_one_changed_instruction_or_two_that_change_places() -> None:
    for name in SMALL:
        kernel = subject(name)
        old = kernel.program.instructions
        start = kernel.code_start
        for mutant in mutants_of(kernel):
            end = mutant.offset + len(mutant.code)
            before = b"".join(
                kernel.hsaco[start + i.offset : start + i.offset + i.size]
                for i in old
                if mutant.offset <= i.offset < end
            )
            assert len(before) == len(mutant.code)
            assert before != mutant.code


def test_a_wait_that_never_waits_is_equivalent_and_says_so() -> None:
    kernel = subject("scan_O2_gfx942")
    verdicts = [
        judge(kernel, mutant, FEW_RUNS)
        for mutant in mutants_of(kernel)
        if mutant.offset == 0x74 and mutant.kind == "wait"
    ]
    assert {verdict.outcome for verdict in verdicts} == {"equivalent"}
    assert all(verdict.detail.startswith("nothing was outstanding") for verdict in verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("name", DIRECT)
def test_every_loosened_wait_for_a_direct_to_lds_load_is_caught_or_explained(name: str) -> None:
    assert missed(name, 0, MORE_RUNS, ("direct-to-LDS wait", "M0")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_no_mutant_is_missed(name: str) -> None:
    """All of them, and of the GEMMs' thousands a larger sample; bench/mutations.py has 200 runs for each."""
    assert missed(name, 30 if name.startswith("GEMM") else 0, MORE_RUNS) == []

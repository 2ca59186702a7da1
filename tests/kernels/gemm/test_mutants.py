"""Every wait of the GEMM is needed: a mutant without it is reported. A seeded sample here, all of them when slow."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import pytest
from support.gemm_runs import Gemm, Mutant, built_gemm

from hkasm.asm.toolchain import Toolchain

SAMPLE = 6


@pytest.fixture(scope="module", params=["gfx942", "gfx950"])
def gemm(request: pytest.FixtureRequest, toolchain: Toolchain) -> Gemm:
    return built_gemm(request.param)


def missed(gemm: Gemm, mutants: Iterable[Mutant]) -> list[str]:
    return [mutant.name for mutant in mutants if gemm.verdict(mutant) != "reported"]


def sample(mutants: Iterator[Mutant], seed: int) -> list[Mutant]:
    return random.Random(seed).sample(list(mutants), SAMPLE)


def test_a_wait_that_is_missing_is_reported(gemm: Gemm) -> None:
    assert missed(gemm, sample(gemm.without_waits(), 1)) == []


def test_a_wait_that_is_looser_by_one_is_reported(gemm: Gemm) -> None:
    assert missed(gemm, sample(gemm.loosened(), 2)) == []


@pytest.mark.slow
def test_every_wait_that_is_missing_is_reported(gemm: Gemm) -> None:
    assert missed(gemm, gemm.without_waits()) == []


@pytest.mark.slow
def test_every_wait_that_is_looser_by_one_is_reported(gemm: Gemm) -> None:
    assert missed(gemm, gemm.loosened()) == []

"""Random C programs give the same bits on the emulator as on the host, and no check finds anything in them.

A sample of `bench/clang_differential.py`.
"""

from __future__ import annotations

import pytest
from support.clangdiff.generator import generate
from support.clangdiff.model import Program, Statement
from support.clangdiff.runner import find_clang, run_host, run_unit
from support.clangdiff.shrink import shrink

CLANG = find_clang()
needs_clang = pytest.mark.skipif(CLANG is None, reason="no clang that knows gfx950")
SAMPLE = ((1000, "O0"), (1010, "O2"), (1020, "Os"))
"""First seed of ten programs, and their level."""


@pytest.mark.llvm
@needs_clang
@pytest.mark.parametrize(("first", "level"), SAMPLE)
def test_programs_give_the_host_s_bits(first: int, level: str) -> None:
    assert CLANG is not None
    programs = [generate(seed, f"p{seed}") for seed in range(first, first + 10)]
    archs = ("gfx942", "gfx950")
    expected = run_host(CLANG, programs, archs)
    failed = [
        f"seed {outcome.seed} {arch} {level}: {outcome.kind} {outcome.detail}"
        for arch in archs
        for outcome in run_unit(CLANG, programs, arch, level, expected[arch])
        if outcome.kind != "ok"
    ]
    assert not failed


def test_a_seed_says_everything() -> None:
    assert generate(7, "p").text() == generate(7, "p").text()
    assert generate(7, "p").text() != generate(8, "p").text()


def test_shrinking_keeps_what_fails() -> None:
    program = generate(3, "p")
    guilty = Statement("v0_u32 = 12345u;")
    nested = Statement("if (k0 > 3u)", (Statement("v1_u32 = 1u;"), guilty))
    whole = program.but((*program.statements, nested))

    def fails(candidate: Program) -> bool:
        return guilty.head in candidate.text()

    assert shrink(whole, fails, seconds=20.0).statements == (guilty,)

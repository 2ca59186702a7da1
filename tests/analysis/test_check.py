"""The static checks together, on hostile code."""

from __future__ import annotations

from collections import Counter

from hkasm.analysis.check import check_program
from hkasm.asm.builder import Builder
from hkasm.asm.directives import kernel_descriptor

STRAYS = 20_000
"""So many that looking through all of them for each one would take minutes."""


def test_many_branches_out_of_the_code_are_each_told_of() -> None:
    k = Builder("gfx950", "strays")
    for _ in range(STRAYS):
        k.s_cbranch_scc0(0x7FFF)
    k.s_endpgm()
    program = k.finish()
    found = check_program(program, kernel_descriptor(program))
    assert Counter(one.rule for one in found) == {"branch-target": STRAYS}
    assert all("outside the code" in one.message for one in found)

"""What the static checks say of scalars that nothing sets, and of kernel arguments that nobody declared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hkasm.analysis.check import check_program
from hkasm.asm.builder import Builder
from hkasm.asm.directives import kernel_descriptor
from hkasm.isa.registers import s, v

CURE = "declare it: k.arg(name, dtype)"


def _rules(k: Builder) -> list[str]:
    k.s_endpgm()
    program = k.finish()
    found = check_program(program, kernel_descriptor(program))
    return [f"{one.rule}: {one.message.partition(',')[0]}" for one in found]


def test_a_packed_source_is_read_by_the_halves_that_it_selects() -> None:
    k = Builder("gfx950", "halves")
    k.s_mov_b32(s[22], 1.0)
    k.v_mov_b64(v[2:4], 0)
    k.v_pk_add_f32(v[2:4], v[2:4], s[22:24], op_sel_hi=1)  # the low half of the SGPRs for both
    assert _rules(k) == []


def test_the_other_half_is_missed_where_it_is_read() -> None:
    k = Builder("gfx950", "both")
    k.s_mov_b32(s[22], 1.0)
    k.v_mov_b64(v[2:4], 0)
    k.v_pk_add_f32(v[2:4], v[2:4], s[22:24])
    assert _rules(k) == ["sgpr-unset: reads s23"]


@pytest.mark.parametrize(("declared", "offset", "said"), [(0, 0, "byte 4, the segment has 0"), (1, 0, ""),
                                                          (1, 8, "byte 12, the segment has 8")])  # fmt: skip
def test_an_argument_that_is_read_is_one_that_was_declared(declared: int, offset: int, said: str) -> None:
    k = Builder("gfx950", "reads")
    for number in range(declared):
        k.arg(f"x{number}", "u32", pointer=True)
    k.s_load_dword(k.sgpr("x"), k.kernarg, offset)
    k.s_endpgm()
    program = k.finish()
    found = check_program(program, kernel_descriptor(program))
    assert [(one.rule, one.message, one.hint) for one in found] == (
        [("kernarg-size", f"reads kernel arguments up to {said}", CURE)] if said else []
    )
    # Of code by others 0 bytes are a size that nobody stated.
    foreign = replace(program, owners=())
    assert bool(check_program(foreign, kernel_descriptor(program))) == bool(said and declared)

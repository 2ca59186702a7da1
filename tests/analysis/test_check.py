"""What the static checks say of scalars that nothing sets."""

from __future__ import annotations

from hkasm.analysis.check import check_program
from hkasm.asm.builder import Builder
from hkasm.asm.directives import kernel_descriptor
from hkasm.isa.registers import s, v


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

"""Counts of a loop: every instruction in one class, and the ratios that loops are compared by."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.inspect.code import code_blocks, compare_programs
from hkasm.inspect.statistics import CLASSES, class_of, hot_loop, statistics
from hkasm.isa import VARIANTS
from hkasm.isa.registers import M0, a, s, v


def _program() -> Program:
    k = Builder("gfx950", "two_loops")
    head = k.place("first")
    for _ in range(5):
        k.ds_read_b128(v[4:8], v[0])
    k.s_cbranch_scc1(head)
    head = k.place("second")
    with k.mark("step", "compute"):
        k.v_mfma_f32_16x16x32_bf16(a[0:4], v[12:16], v[8:12], a[0:4])
        k.v_mfma_f32_32x32x16_bf16(a[4:20], v[12:16], v[8:12], a[4:20])
    k.s_mov_b32(M0, 64)
    k.s_nop(0)
    k.buffer_load_dwordx4(v[0], s[4:8], 0, offen=True, lds=True)
    k.wait_counts(vmcnt=0)
    k.s_barrier()
    k.s_cbranch_scc1(head)
    k.s_endpgm()
    k.fix_hazards()
    return k.finish()


def test_the_loop_with_the_matrix_instructions_is_the_hot_one() -> None:
    program = _program()
    span = hot_loop(program)
    assert span is not None
    program.layout()
    found = statistics(program.instructions[slice(*span)], program.arch, span[0])
    assert found.counts == {
        "MFMA": 2, "direct to LDS": 1, "M0 write": 1, "wait": 1, "barrier": 1, "nop": 1, "branch": 1,
    }  # fmt: skip
    # 4 passes and 8 passes of 4 cycles.
    assert (found.instructions, found.matrix_cycles) == (8, 48)
    assert found.per_mfma == 4
    assert found.others_per_16_cycles == pytest.approx(6 * 16 / 48)


def test_without_matrix_instructions_there_are_no_ratios() -> None:
    k = Builder("gfx950", "plain")
    k.s_endpgm()
    program = k.finish()
    program.layout()
    assert hot_loop(program) is None
    found = statistics(program.instructions, program.arch)
    assert (found.per_mfma, found.others_per_16_cycles) == (None, None)
    assert {row.name: row.values for row in compare_programs([program])}["instructions"] == ("1",)


def test_every_instruction_has_a_class() -> None:
    class Alone:
        def __init__(self, spec: object) -> None:
            self.spec = spec

        def writes(self) -> list[object]:
            return []

    classes = {class_of(Alone(spec)) for variants in VARIANTS.values() for spec in variants}  # type: ignore[arg-type]
    assert classes == set(CLASSES) - {"M0 write"}


def test_blocks_say_what_follows_and_which_step_a_line_is_of() -> None:
    first, second, third = code_blocks(_program())
    assert (first.successors, second.successors, third.successors) == ((0, 1), (1, 2), ())
    assert all(block.reached for block in (first, second, third))
    assert [line.step for line in second.lines[:3]] == ["compute", "compute", ""]
    assert second.lines[-1].text.endswith("-> block 1")
    assert Path(__file__).name in second.lines[0].where

"""Timelines: matrix cycles and barriers set the scale, groups are apart by their stagger, loads meet their waits."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from hkasm.analysis.flow import flow_of
from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.program import Program
from hkasm.inspect.lanes import lane_rows, scale_row
from hkasm.inspect.load import program_of
from hkasm.inspect.statistics import hot_loop
from hkasm.inspect.timeline import loads_of, played_timeline, slack_of, timeline
from hkasm.isa.registers import a, s, v
from hkasm.kernels import get_kernel
from hkasm.model.cycles import play
from hkasm.model.traces import program_stream

TRITON = Path(__file__).parents[1] / "data" / "triton" / "gemm_bf16_nt_256x256x64_w8_gfx950.hsaco"


def _two_sections(*, staggered: bool) -> Program:
    k = Builder("gfx950", "two")
    if staggered:
        together = k.label("together")
        k.s_cmp_eq_u32(s[8], 0)
        k.s_cbranch_scc1(together)
        k.s_barrier()
        k.place(together)
    head = k.place("head")
    for part in range(3):
        k.ds_read_b128(v[4 * part + 4 : 4 * part + 8], v[0], offset=16 * part)
    k.wait_counts(lgkmcnt=1)
    k.s_barrier()
    k.v_mfma_f32_32x32x16_bf16(a[0:16], v[4:8], v[8:12], a[0:16])
    k.v_mfma_f32_16x16x32_bf16(a[16:20], v[4:8], v[8:12], a[16:20])
    k.wait_counts(lgkmcnt=0)
    k.s_barrier()
    k.s_cbranch_scc1(head)
    k.s_endpgm()
    k.fix_hazards()
    program = k.finish()
    program.layout()
    return program


def test_a_section_lasts_as_long_as_its_slots_and_its_matrix_pipe() -> None:
    program = _two_sections(staggered=False)
    span = hot_loop(program)
    assert span is not None
    shown = timeline(program, span)
    assert (shown.lag, shown.groups) == (0, 1)
    # Branch, three reads, wait, barrier: six slots. Then 8 + 4 passes of 4 cycles, while wait and barrier issue.
    assert [(section.start, section.cycles) for section in shown.sections] == [(0, 24), (24, 48)]
    assert [(bar.start, bar.cycles) for bar in shown.bars if bar.lane == "MFMA"] == [(24, 32), (56, 16)]
    assert shown.matrix_share() == pytest.approx(48 / 72)


def test_a_barrier_that_one_group_jumps_over_puts_it_a_section_behind() -> None:
    program = _two_sections(staggered=True)
    span = hot_loop(program)
    assert span is not None
    shown = timeline(program, span)
    assert (shown.lag, shown.groups, shown.cycles) == (1, 2, 96)
    firsts = [(section.group, section.first) for section in shown.sections]
    assert firsts[0][1] == firsts[3][1]
    assert firsts[1][1] == firsts[2][1]
    # One group multiplies while the other reads, always.
    busy = {
        group: {bar.start // 48 for bar in shown.bars if bar.lane == "MFMA" and bar.group == group} for group in (0, 1)
    }
    assert busy == {0: {1}, 1: {0}}


def test_loads_meet_the_wait_that_retires_them() -> None:
    program = _two_sections(staggered=False)
    span = hot_loop(program)
    assert span is not None
    first = span[0]
    found = loads_of(program, span)
    assert [(load.index - first, load.counter, load.wait - first if load.wait else None) for load in found] == [
        (0, "lgkmcnt", 3), (1, "lgkmcnt", 3), (2, "lgkmcnt", 7),
    ]  # fmt: skip
    assert [(load.instructions, load.matrix_cycles, load.turns) for load in found] == [(3, 0, 0), (2, 0, 0), (5, 48, 0)]


def test_loads_are_gathered_by_the_wait_that_they_share() -> None:
    program = _two_sections(staggered=False)
    span = hot_loop(program)
    assert span is not None
    found = slack_of(program, loads_of(program, span))
    assert [(one.loads, one.waited, one.instructions, one.matrix_cycles) for one in found] == [
        (f"{span[0]}-{span[0] + 1} (2)", f"lgkmcnt at {span[0] + 3}", "2 to 3", 0),
        (f"{span[0] + 2}", f"lgkmcnt at {span[0] + 7}", "5", 48),
    ]


def test_loads_behind_a_full_counter_wait_for_no_instruction() -> None:
    k = Builder("gfx950", "many")
    head = k.place("head")
    for part in range(18):
        k.ds_read_b32(v[part + 1], v[0], offset=4 * part)
    k.wait_counts(lgkmcnt=0)
    k.s_cbranch_scc1(head)
    k.s_endpgm()
    program = k.finish(checked=False)
    program.layout()
    found = slack_of(program, loads_of(program, (0, 20)))
    assert [(one.loads, one.waited, one.instructions) for one in found] == [
        ("0-2 (3)", "lgkmcnt full", "15"),
        ("3-17 (15)", "lgkmcnt at 18", "1 to 15"),
    ]


def test_a_turn_in_characters() -> None:
    program = _two_sections(staggered=False)
    span = hot_loop(program)
    assert span is not None
    # 72 cycles on 36 characters: reads from 4 to 16, products from 24 to 56 and from 56 to 72.
    shown = timeline(program, span)
    rows = dict(lane_rows(shown, 36))
    assert list(rows) == ["waves", "  MFMA", "  SALU", "  LDS", "  wait", "  barrier"]
    assert rows["  MFMA"] == "·" * 12 + "█" * 24
    assert rows["  LDS"] == "·" * 2 + "█" * 6 + "·" * 28
    assert rows["waves"] == "|" + " " * 11 + "|"
    assert scale_row(shown, 36).split() == ["0", "14", "28", "43", "57"]


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_the_gemm_alternates(arch: str) -> None:
    program = get_kernel("gemm").build(arch)
    program.layout()
    shown = timeline(program, flow_of(program).loops[0])
    assert shown.groups == 2
    assert shown.matrix_share() > 0.9
    # Two matrix instructions of different groups never overlap.
    bars = sorted((bar.start, bar.start + bar.cycles, bar.group) for bar in shown.bars if bar.lane == "MFMA")
    assert all(before[1] <= after[0] for before, after in pairwise(bars))


def test_somebody_elses_loop_is_one_group() -> None:
    (image,) = CodeObject.from_path(TRITON).kernels.values()
    program = program_of(image)
    span = hot_loop(program)
    assert span is not None
    shown = timeline(program, span)
    assert (shown.lag, len(shown.bars)) == (0, span[1] - span[0])
    assert all(load.wait is not None for load in loads_of(program, span))


def test_a_played_turn_has_the_models_clocks_and_stalls() -> None:
    program = _two_sections(staggered=False)
    span = hot_loop(program)
    assert span is not None
    cycles = play("gfx950", [[program_stream(program, {"head": 16})] * 8])
    shown = played_timeline(program, span, cycles)
    assert shown is not None
    assert (shown.waves, shown.groups) == ((0, 4), 2)
    assert shown.cycles == pytest.approx(cycles.period, rel=0.2)
    # Each instruction of the loop once a turn, in the order of the code from where the turn begins.
    first = [bar.index for bar in shown.bars if bar.group == 0]
    assert sorted(first) == list(range(*span))
    # Waves of one SIMD share its matrix pipe: no two matrix instructions overlap.
    matrix = sorted((bar.start, bar.start + bar.cycles) for bar in shown.bars if bar.lane == "MFMA")
    assert len(matrix) == 4
    assert all(before[1] <= after[0] for before, after in pairwise(matrix))
    stalls = {bar.index: bar.stall for bar in shown.bars if bar.group == 0 and bar.stall}
    waits = [index for index in range(*span) if program.instructions[index].mnemonic == "s_waitcnt"]
    assert stalls[waits[0]].startswith("lgkmcnt ")
    assert all(0 <= bar.start < shown.cycles for bar in shown.bars)


def test_a_turn_of_another_loop_is_not_drawn() -> None:
    program = _two_sections(staggered=False)
    span = hot_loop(program)
    assert span is not None
    cycles = play("gfx950", [[program_stream(program, {"head": 16})] * 4])
    assert played_timeline(program, (0, 1), cycles) is None
    assert played_timeline(program, span, play("gfx950", [[program_stream(program)] * 4])) is None

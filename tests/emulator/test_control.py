"""Control: divergence of waves, barriers, limits, and what ends badly."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import Op
from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError, UsageError
from hkasm.isa.registers import EXEC, VCC


def _wave(k: Kit) -> object:
    wave = k.sgpr("wave")
    k.v_readfirstlane_b32(wave, k.lane)
    k.s_lshr_b32(wave, wave, 6)
    return wave


def _count_down(k: Kit) -> None:
    """Wave w loops w + 1 times, adding its counter."""
    (out,) = k.pointers("out")
    wave, total, loop = k.sgpr("n"), k.sgpr("total"), k.label("loop")
    k.v_readfirstlane_b32(wave, k.lane)
    k.s_lshr_b32(wave, wave, 6)
    k.s_add_u32(wave, wave, 1)
    k.s_mov_b32(total, 0)
    k.place(loop)
    k.s_add_u32(total, total, wave)
    k.s_sub_u32(wave, wave, 1)
    k.s_cmp_lg_u32(wave, 0)
    k.s_cbranch_scc1(loop)
    k.store(total, out)


class _Steps(Listener):
    """Counts the steps of an instruction, each of one batch."""

    name = "steps"

    def __init__(self, mnemonic: str) -> None:
        self.mnemonic, self.waves = mnemonic, []

    def issue(self, batch: Batch, op: Op) -> None:
        if op.inst.mnemonic == self.mnemonic:
            self.waves.append(batch.waves)


@pytest.mark.parametrize("order", ["batch", "reversed", "random", "lockstep"])
def test_waves_that_loop_differently_meet_again(order: str) -> None:
    steps = _Steps("global_store_dword")
    outcome = run(_count_down, {"out": zeros(512)}, block=512, options=Options(order=order), listeners=[steps])
    n = np.arange(512) // 64 + 1
    assert np.array_equal(outcome.arrays["out"], n * (n + 1) // 2)
    if order == "batch":
        assert steps.waves == [8]
    assert sum(steps.waves) == 8


class _Spans(Listener):
    """Looks at how many pieces the places of loads in flight are in."""

    name = "spans"

    def __init__(self) -> None:
        self.most = 0

    def issue(self, batch: Batch, op: Op) -> None:
        self.most = max([self.most, *(len(pending.spans or ()) for pending in batch.board)])


def test_a_load_in_flight_stays_in_one_piece_while_waves_part_and_meet() -> None:
    """The pieces doubled with each meeting: 12 turns made 4096 of them, 40 would never have ended."""

    def body(k: Kit) -> None:
        data, out = k.pointers("data", "out")
        turns, parity, x, offset = k.sgpr("turns"), k.sgpr("parity"), k.vgpr("x"), k.lane_bytes()
        wave, loop, odd, meet = _wave(k), k.label("loop"), k.label("odd"), k.label("meet")
        k.global_load_dword(x, offset, data)
        k.s_mov_b32(turns, 12)
        k.place(loop)
        k.s_add_u32(parity, wave, turns)
        k.s_bitcmp1_b32(parity, 0)
        k.s_cbranch_scc1(odd)
        k.s_branch(meet)
        k.place(odd)
        k.s_nop(0)
        k.place(meet)
        k.s_sub_u32(turns, turns, 1)
        k.s_cmp_lg_u32(turns, 0)
        k.s_cbranch_scc1(loop)
        k.wait(x)
        k.store(x, out, offset)

    spans, data = _Spans(), np.arange(256, dtype=np.uint32)
    outcome = run(body, {"data": data, "out": zeros(256)}, block=256, listeners=[spans])
    assert np.array_equal(outcome.arrays["out"], data)
    assert spans.most == 1


def test_a_batch_holds_the_waves_of_all_workgroups() -> None:
    steps = _Steps("v_mov_b32")

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.store(k.group_id, out)

    run(body, {"out": zeros(128)}, grid=(3, 2), block=128, listeners=[steps], options=COLLECT)
    assert steps.waves == [12]


def test_lanes_diverge_by_exec() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, saved, done = k.vgpr("x"), k.sgpr("saved", 2), k.label("done")
        k.v_mov_b32(x, 1)
        k.v_cmp_lt_u32(VCC, 40, k.lane)
        k.s_and_saveexec_b64(saved, VCC)
        k.s_cbranch_execz(done)
        k.v_mov_b32(x, 2)
        k.place(done)
        k.s_or_b64(EXEC, EXEC, saved)
        k.store(x, out)

    out = run(body, {"out": zeros()}).arrays["out"]
    assert np.array_equal(out, np.where(np.arange(64) > 40, 2, 1))


def test_barriers_are_counted_by_workgroup_whatever_the_instruction() -> None:
    """Waves of one workgroup wait at different barriers, as ping-pong kernels do."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        wave, other, end = _wave(k), k.label("other"), k.label("end")
        k.s_cmp_eq_u32(wave, 0)
        k.s_cbranch_scc1(other)
        k.s_barrier()
        k.s_branch(end)
        k.place(other)
        k.s_nop(0)
        k.s_barrier()
        k.place(end)
        k.store(wave, out)

    out = run(body, {"out": zeros(256)}, block=256).arrays["out"]
    assert np.array_equal(out, np.arange(256) // 64)


def test_a_wave_that_ends_while_others_wait_is_remarked() -> None:
    def body(k: Kit) -> None:
        wave, end = _wave(k), k.label("end")
        k.s_cmp_eq_u32(wave, 0)
        k.s_cbranch_scc1(end)
        k.s_barrier()
        k.place(end)

    report = run(body, {}, block=128).report
    assert [finding.rule for finding in report.findings] == ["barrier-divergent"]
    assert report.errors == []
    text = str(report.findings[0])
    assert "test_control.py:" in text
    assert "s_barrier" in text
    assert "wave 0, which ended at emulate.py:" in text
    assert "never came by this barrier" in text
    assert "at wave 1 of workgroup (0, 0, 0)" in text


def test_waves_that_met_at_different_barriers_must_end_with_as_many() -> None:
    def body(k: Kit, *, paired: bool) -> None:
        wave, other, end = _wave(k), k.label("other"), k.label("end")
        k.s_cmp_eq_u32(wave, 0)
        k.s_cbranch_scc1(other)
        k.s_barrier()
        k.s_barrier()
        k.s_branch(end)
        k.place(other)
        k.s_barrier()
        if paired:
            k.s_barrier()
        k.place(end)

    assert run(lambda k: body(k, paired=True), {}, grid=(3,), block=256).rules == []
    with pytest.raises(EmulatorError) as caught:
        run(lambda k: body(k, paired=False), {}, grid=(3,), block=256)
    text = str(caught.value)
    assert "wave 0, which ended at emulate.py:" in text
    assert "waves of this workgroup met at different barriers before: test_control.py:" in text
    assert run(lambda k: body(k, paired=False), {}, block=256, options=Options(checks=())).rules == []


def test_barriers_under_an_empty_exec_count() -> None:
    def body(k: Kit) -> None:
        k.s_mov_b64(EXEC, 0)
        k.s_barrier()

    assert run(body, {}, block=256).rules == []


def _count_for_ever(k: Kit) -> None:
    loop, n = k.label("loop"), k.sgpr("n")
    k.s_mov_b32(n, 0)
    k.place(loop)
    k.s_add_u32(n, n, 1)
    k.s_branch(loop)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (Options(max_instructions=5000), "stopped after"),
        (Options(max_seconds=0.2), "stopped after 0.2 seconds"),
        (Options(max_wave_instructions=5000), r"a wave has executed \d+ instructions \(limit 5000\)"),
    ],
)
def test_a_loop_that_does_not_end_is_stopped_and_told_where(options: Options, says: str) -> None:
    with pytest.raises(EmulatorError, match=says) as caught:
        run(_count_for_ever, {}, block=128, options=options)
    assert "waves 0 to 1 of workgroup (0, 0, 0) at test_control.py:" in str(caught.value)


@pytest.mark.slow
def test_the_instructions_of_a_wave_are_limited_unless_told_otherwise() -> None:
    with pytest.raises(EmulatorError, match="limit 10000000"):
        run(_count_for_ever, {}, options=Options(checks=()))


@pytest.mark.parametrize("order", ["batch", "reversed", "lockstep"])
def test_a_standstill_is_a_deadlock_that_names_who_waits_where(order: str) -> None:
    """Wave 0 spins on a flag that wave 1 would set behind a barrier at which wave 0 never arrives."""

    def body(k: Kit) -> None:
        (flag,) = k.pointers("flag")
        wave, spin, other, end = _wave(k), k.label("spin"), k.label("other"), k.label("end")
        zero, x, seen = k.vgpr("zero"), k.vgpr("x"), k.sgpr("seen")
        k.v_mov_b32(zero, 0)
        k.s_cmp_lg_u32(wave, 0)
        k.s_cbranch_scc1(other)
        k.place(spin)
        k.s_sleep(1)
        k.global_load_dword(x, zero, flag, sc0=1, sc1=1)
        k.wait(x)
        k.v_readfirstlane_b32(seen, x)
        k.s_cmp_eq_u32(seen, 0)
        k.s_cbranch_scc1(spin)
        k.s_branch(end)
        k.place(other)
        k.s_barrier()
        k.v_mov_b32(x, 1)
        k.global_store_dword(zero, x, flag, sc0=1, sc1=1)
        k.place(end)

    with pytest.raises(EmulatorError) as caught:
        run(body, {"flag": np.zeros(1, np.uint32)}, block=128, options=Options(order=order))
    text = str(caught.value)
    assert "no wave can go on: 1 waves loop without end and 1 wait at barriers" in text
    assert "wave 0 of workgroup (0, 0, 0) at test_control.py:" in text
    assert "wave 1 of workgroup (0, 0, 0) wait at a barrier" in text


def test_waiting_for_another_waves_store_in_a_loop_ends() -> None:
    """The waiting wave comes first in the code: whoever is furthest back must not run alone for ever."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("flag")
        wave, spin, set_flag, done = _wave(k), k.label("spin"), k.label("set"), k.label("done")
        zero, x, seen = k.vgpr("zero"), k.vgpr("x"), k.sgpr("seen")
        k.v_mov_b32(zero, 0)
        k.s_cmp_lg_u32(wave, 0)
        k.s_cbranch_scc1(set_flag)
        k.place(spin)
        k.global_load_dword(x, zero, out, sc0=1, sc1=1)
        k.wait(x)
        k.v_readfirstlane_b32(seen, x)
        k.s_cmp_eq_u32(seen, 0)
        k.s_cbranch_scc1(spin)
        k.s_branch(done)
        k.place(set_flag)
        k.v_mov_b32(x, 1)
        k.global_store_dword(zero, x, out, sc0=1, sc1=1)
        k.place(done)

    run(body, {"flag": np.zeros(1, np.uint32)}, block=128, options=Options(max_seconds=20))


def test_a_trap_is_an_error_that_names_the_wave() -> None:
    with pytest.raises(EmulatorError, match=r"wave 0 of workgroup \(0, 0, 0\) traps"):
        run(lambda k: k.s_trap(2), {})


def test_what_cannot_be_emulated_is_an_error_only_when_reached() -> None:
    def body(k: Kit, *, skip: bool) -> None:
        over = k.label("over")
        if skip:
            k.s_branch(over)
        k.s_rfe_b64(k.sgpr("x", 2))
        k.place(over)

    run(lambda k: body(k, skip=True), {})
    with pytest.raises(EmulatorError, match=r"s_rfe_b64 .*is not emulated"):
        run(lambda k: body(k, skip=False), {})


def test_calls_and_returns_follow_addresses() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        link, x, function, after = k.sgpr("link", 2), k.vgpr("x"), k.label("function"), k.label("after")
        k.v_mov_b32(x, 1)
        k.s_call_b64(link, function)
        k.s_branch(after)
        k.place(function)
        k.v_mov_b32(x, 2)
        k.s_setpc_b64(link)
        k.place(after)
        k.store(x, out)

    assert np.array_equal(run(body, {"out": zeros()}).arrays["out"], np.full(64, 2))


def test_a_jump_outside_the_code_is_an_error() -> None:
    def body(k: Kit) -> None:
        link = k.sgpr("link", 2)
        k.s_mov_b64(link, 64)
        k.s_setpc_b64(link)

    with pytest.raises(EmulatorError, match="leaves the code object"):
        run(body, {})


def test_lockstep_advances_batches_in_turn() -> None:
    def body(k: Kit) -> None:
        wave, other, end, x = _wave(k), k.label("other"), k.label("end"), k.vgpr("x")
        k.s_cmp_eq_u32(wave, 0)
        k.s_cbranch_scc1(other)
        for _ in range(6):
            k.v_mov_b32(x, 1)
        k.s_branch(end)
        k.place(other)
        for _ in range(6):
            k.v_mov_b32(x, 2)
        k.place(end)

    report = run(body, {}, block=128, options=Options(order="lockstep", trace=True)).report
    moves = [entry.waves for entry in report.trace if entry.mnemonic == "v_mov_b32"]
    assert len(moves) == 12
    assert all(first != second for first, second in pairwise(moves))
    assert set(moves) == {((0, 0),), ((0, 1),)}


def test_unknown_options_get_a_hint() -> None:
    with pytest.raises(UsageError, match="did you mean 'lockstep'"):
        Options(order="lock-step")
    with pytest.raises(UsageError, match="did you mean 'uninitialised'"):
        Options(checks=("uninitialized",))
    with pytest.raises(UsageError, match="did you mean 'landing'"):
        COLLECT.but(landings="late")


def test_a_branch_out_of_the_code_is_told_with_its_line() -> None:
    with pytest.raises(EmulatorError, match=r"test_control\.py:\d+: a branch leaves the code object"):
        run(lambda k: k.s_branch(30000), {})

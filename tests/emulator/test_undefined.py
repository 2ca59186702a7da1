"""Undefined values: followed to the bit, told only where they come to matter."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError
from hkasm.isa.registers import EXEC, M0, VCC


def _rules(body: object, **arrays: object) -> list[str]:
    return run(body, {"out": zeros(), **arrays}, options=COLLECT).rules  # type: ignore[arg-type]


def test_a_register_that_nobody_wrote_must_not_be_stored() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.store(k.vgpr("x"), out)

    with pytest.raises(EmulatorError) as caught:
        run(body, {"out": zeros()})
    text = str(caught.value)
    assert "global_store_dword" in text
    assert "v1 (x) decides a store, but nobody wrote it" in text
    assert "lane 0" in text


def test_reading_an_undefined_register_is_no_fault_in_itself() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.vgpr("y")
        k.v_add_u32(y, x, x)
        k.v_and_b32(y, 0, y)
        k.store(y, out)

    outcome = run(body, {"out": zeros()})
    assert np.array_equal(outcome.arrays["out"], np.zeros(64))


def test_undefined_bits_that_are_masked_away_do_not_matter() -> None:
    def body(k: Kit, keep: int) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.vgpr("y")
        k.v_lshlrev_b32(y, 8, x)  # low 8 bits are defined zeros
        k.v_and_b32(y, keep, y)
        k.store(y, out)

    assert _rules(lambda k: body(k, 0xFF)) == []
    assert _rules(lambda k: body(k, 0x1FF)) == ["uninitialised"]


def test_arithmetic_spreads_it() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.vgpr("y")
        k.v_mul_f32(y, 2.0, x)
        k.v_add_f32(y, 1.0, y)
        k.v_max_f32(y, 0, y)
        k.store(y, out)

    assert _rules(body) == ["uninitialised"]


def test_lanes_are_told_apart() -> None:
    def body(k: Kit, *, restore: bool) -> None:
        (out,) = k.pointers("out")
        x, saved = k.vgpr("x"), k.sgpr("saved", 2)
        k.v_cmp_gt_u32(VCC, 10, k.lane)
        k.s_and_saveexec_b64(saved, VCC)
        k.v_mov_b32(x, 1)
        if restore:
            k.s_mov_b64(EXEC, saved)
        k.store(x, out)

    assert _rules(lambda k: body(k, restore=False)) == []
    outcome = run(lambda k: body(k, restore=True), {"out": zeros()}, options=COLLECT)
    assert outcome.rules == ["uninitialised"]
    assert outcome.report.findings[0].lane == 10


def test_lanes_move_with_dpp() -> None:
    def body(k: Kit, shift: int) -> None:
        (out,) = k.pointers("out")
        x, y, saved = k.vgpr("x"), k.vgpr("y"), k.sgpr("saved", 2)
        k.v_mov_b32(y, 0)
        k.v_cmp_ne_u32(VCC, 3, k.lane)
        k.s_and_saveexec_b64(saved, VCC)
        k.v_mov_b32(x, 1)
        k.s_mov_b64(EXEC, saved)
        k.v_mov_b32(y, x, dpp_ctrl=0x110 | shift, row_mask=15, bank_mask=15)
        k.v_cmp_eq_u32(VCC, 4, k.lane)
        k.s_and_b64(EXEC, EXEC, VCC)
        k.store(y, out)

    assert _rules(lambda k: body(k, 1)) == ["uninitialised"]
    assert _rules(lambda k: body(k, 2)) == []


def _halves(k: Kit, *, both: bool, low_only: bool = False) -> None:
    source, out = k.pointers("source", "out")
    x, offset = k.vgpr("x"), k.lane_bytes(2)
    k.global_load_short_d16(x, offset, source)
    if both:
        k.global_load_short_d16_hi(x, offset, source, offset=128)
    k.wait(x)
    if low_only:
        k.v_and_b32(x, 0xFFFF, x)
    k.store(x, out)


def test_a_d16_load_leaves_the_other_half_undefined() -> None:
    """SRAM ECC: LLVM never relies on the other half (GCNSubtarget's d16PreservesUnusedBits)."""
    source = np.arange(128, dtype=np.uint16)
    arrays = {"source": source, "out": zeros()}
    for both in (False, True):
        assert run(lambda k, both=both: _halves(k, both=both), arrays, options=COLLECT).rules == ["uninitialised"]
    unchecked = run(lambda k: _halves(k, both=True), arrays, options=Options(checks=()))
    halves = unchecked.arrays["out"].view(np.uint16).reshape(64, 2)
    assert not (halves[:, 0] == source[:64]).any()
    assert np.array_equal(halves[:, 1], source[64:])
    assert np.array_equal(run(lambda k: _halves(k, both=False, low_only=True), arrays).arrays["out"], source[:64])


def test_halves_of_a_register_are_told_apart_where_d16_loads_keep_them() -> None:
    source = np.arange(128, dtype=np.uint16)
    arrays = {"source": source, "out": zeros()}
    keeping = Options(strict=False, d16_keeps=True)
    assert run(lambda k: _halves(k, both=False), arrays, options=keeping).rules == ["uninitialised"]
    outcome = run(lambda k: _halves(k, both=True), arrays, options=Options(d16_keeps=True))
    assert np.array_equal(outcome.arrays["out"].view(np.uint16).reshape(64, 2).T.reshape(-1), source)


def test_an_undefined_address_is_told() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.store(k.lane, out, k.vgpr("where"))

    outcome = run(body, {"out": zeros()}, options=COLLECT)
    assert outcome.rules[0] == "uninitialised"
    assert "decides an address" in outcome.report.findings[0].message


def test_an_undefined_condition_is_told() -> None:
    def branch(k: Kit) -> None:
        skip, x = k.label("skip"), k.sgpr("x")
        k.s_cmp_eq_u32(x, 5)
        k.s_cbranch_scc1(skip)
        k.place(skip)

    def mask(k: Kit) -> None:
        k.v_cmp_eq_u32(VCC, 5, k.vgpr("x"))
        k.s_and_b64(EXEC, EXEC, VCC)

    def m0(k: Kit) -> None:
        k.s_add_u32(M0, k.sgpr("x"), 4)

    for body, use in ((branch, "a branch"), (mask, "EXEC"), (m0, "M0")):
        outcome = run(body, {}, options=COLLECT)
        assert outcome.rules == ["uninitialised"], use
        assert f"decides {use}" in outcome.report.findings[0].message


def test_a_comparison_that_agrees_for_all_values_seen_is_still_undefined() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x = k.vgpr("x")
        k.v_cmp_eq_u32(VCC, 77, k.vgpr("y"))
        k.v_cndmask_b32(x, 0, 1, VCC)
        k.store(x, out)

    assert _rules(body) == ["uninitialised"]


def test_selecting_a_defined_value_is_fine() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.vgpr("y")
        k.v_cmp_lt_u32(VCC, 100, k.lane)  # never
        k.v_cndmask_b32(x, k.lane, y, VCC)
        k.store(x, out)

    assert np.array_equal(run(body, {"out": zeros()}).arrays["out"], np.arange(64))


def test_undefined_values_travel_through_lds() -> None:
    def body(k: Kit, *, masked: bool) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 256)
        offset, x, y = k.lane_bytes(), k.vgpr("x"), k.vgpr("y")
        k.v_lshlrev_b32(x, 4, x)
        k.ds_write_b32(offset, x)
        k.ds_read_b32(y, offset)
        k.wait(y)
        if masked:
            k.v_and_b32(y, 15, y)
        k.store(y, out, offset)

    assert _rules(lambda k: body(k, masked=False)) == ["uninitialised"]
    assert _rules(lambda k: body(k, masked=True)) == []


def test_matrix_instructions_spread_it_to_rows_and_columns() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        a, b, c = k.vgpr("a", 4), k.vgpr("b", 4), k.vgpr("c", 4)
        for register in (*a, *b, *c):
            k.v_mov_b32(register, 0)
        undefined, saved = k.vgpr("undefined"), k.sgpr("saved", 2)
        k.v_cmp_eq_u32(VCC, 5, k.lane)
        k.s_and_saveexec_b64(saved, VCC)
        k.v_mov_b32(b[0], undefined)  # lane 5 of B: column 5
        k.s_mov_b64(EXEC, saved)
        k.v_mfma_f32_16x16x32_bf16(c, a, b, c)
        k.s_nop(15)
        k.store(c[1], out)

    outcome = run(body, {"out": zeros()}, options=COLLECT)
    assert outcome.rules == ["uninitialised"]
    assert outcome.report.findings[0].lane == 5


def test_the_check_can_be_switched_off() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.store(k.vgpr("x"), out)

    run(body, {"out": zeros()}, options=Options(checks=("registers", "lds", "bounds")))

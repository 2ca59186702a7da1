"""Memory is late: values land at the wait that asks for them, and touching a register before is found."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.options import Options
from hkasm.errors import WaitError
from hkasm.isa.registers import EXEC, SHARED_BASE, VCC

SOURCE = np.arange(64, dtype=np.uint32) + 100


def _load_and_store(k: Kit, *, waits: bool = True) -> None:
    source, out = k.pointers("source", "out")
    offset, x = k.lane_bytes(), k.vgpr("x")
    k.global_load_dword(x, offset, source)
    if waits:
        k.wait(x)
    k.v_add_u32(x, 1, x)
    k.store(x, out, offset)


def test_a_load_gives_its_value_after_the_wait() -> None:
    out = run(_load_and_store, {"source": SOURCE, "out": zeros()}).arrays["out"]
    assert np.array_equal(out, SOURCE + 1)


def test_a_missing_wait_is_an_error_that_names_both_lines_and_the_wait() -> None:
    with pytest.raises(WaitError) as caught:
        run(lambda k: _load_and_store(k, waits=False), {"source": SOURCE, "out": zeros()})
    text = str(caught.value)
    assert "v_add_u32" in text
    assert "reads v2 (x) while global_load_dword v2 of test_flight.py:" in text
    assert "is still in flight (vmcnt)" in text
    assert "at wave 0 of workgroup (0, 0, 0), lane 0" in text
    assert "hint: k.wait(x) before this line" in text


@pytest.mark.parametrize("landing", ["late", "eager", "random"])
def test_the_check_judges_by_waits_whatever_the_landing(landing: str) -> None:
    options = COLLECT.but(landing=landing)
    outcome = run(lambda k: _load_and_store(k, waits=False), {"source": SOURCE, "out": zeros()}, options=options)
    assert outcome.rules == ["register-in-flight"]


def test_without_the_check_late_memory_gives_the_old_value() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x, y = k.lane_bytes(), k.vgpr("x"), k.vgpr("y")
        k.v_mov_b32(x, 7)
        k.global_load_dword(x, offset, source)
        k.v_mov_b32(y, x)
        k.wait(x)
        k.store(y, out, offset)

    arrays = {"source": SOURCE, "out": zeros()}
    unchecked = Options(checks=())
    assert np.array_equal(run(body, arrays, options=unchecked).arrays["out"], np.full(64, 7))
    eager = unchecked.but(landing="eager")
    assert np.array_equal(run(body, arrays, options=eager).arrays["out"], SOURCE)


def test_a_partial_wait_lands_the_older_loads_only() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x, y = k.lane_bytes(), k.vgpr("x"), k.vgpr("y")
        k.global_load_dword(x, offset, source)
        k.global_load_dword(y, offset, source)
        k.wait_counts(vmcnt=1)
        k.v_mov_b32(x, x)
        k.v_mov_b32(y, y)
        k.store(x, out, offset)

    outcome = run(body, {"source": SOURCE, "out": zeros()}, options=COLLECT)
    assert outcome.rules == ["register-in-flight"]
    assert "reads v3 (y)" in outcome.report.findings[0].message


def test_a_wait_at_the_fields_maximum_waits_for_nothing() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.global_load_dword(x, offset, source)
        k.wait_counts(vmcnt=63, lgkmcnt=15)
        k.store(x, out, offset)

    assert run(body, {"source": SOURCE, "out": zeros()}, options=COLLECT).rules == ["register-in-flight"]


@pytest.mark.parametrize(("counter", "most"), [("vmcnt", 63), ("lgkmcnt", 15)])
@pytest.mark.parametrize("landing", ["late", "random"])
def test_a_full_counter_holds_the_next_operation_up(counter: str, most: int, landing: str) -> None:
    """As AMD's own checker takes it (ROCm/rocm-systems, issue 11202): behind 15 younger LDS reads, or 63 loads, a
    read cannot be in flight; behind one fewer it can."""

    def body(k: Kit, younger: int) -> None:
        source, out = k.pointers("source", "out")
        offset, x, y = k.lane_bytes(), k.vgpr("x"), k.vgpr("y")
        k.ds_write_b32(offset, offset)
        k.wait()
        for register in (x, *[y] * younger):
            if counter == "vmcnt":
                k.global_load_dword(register, offset, source)
            else:
                k.ds_read_b32(register, offset)
        k.v_add_u32(x, 1, x)
        k.wait()
        k.store(x, out, offset)

    arrays, options = {"source": SOURCE, "out": zeros()}, COLLECT.but(landing=landing)
    full = run(lambda k: body(k, most), arrays, lds_bytes=256, options=options)
    assert full.rules == []
    assert np.array_equal(full.arrays["out"], 1 + (SOURCE if counter == "vmcnt" else 4 * np.arange(64)))
    assert run(lambda k: body(k, most - 1), arrays, lds_bytes=256, options=options).rules == ["register-in-flight"]


def test_scalar_loads_do_not_push_lds_reads_out_of_a_full_counter() -> None:
    """They come in any order: the full counter may have waited for one of them."""

    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.ds_write_b32(offset, offset)
        k.wait()
        k.ds_read_b32(x, offset)
        for number in range(20):
            k.s_load_dword(k.sgpr(f"s{number}"), source, 0)
        k.v_add_u32(x, 1, x)
        k.wait()
        k.store(x, out, offset)

    arrays = {"source": SOURCE, "out": zeros()}
    assert run(body, arrays, lds_bytes=256, options=COLLECT).rules == ["register-in-flight"]


def test_overwriting_a_destination_in_flight_is_found() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.global_load_dword(x, offset, source)
        k.v_mov_b32(x, 0)
        k.wait(x)
        k.store(x, out, offset)

    outcome = run(body, {"source": SOURCE, "out": zeros()}, options=COLLECT)
    assert outcome.rules == ["register-overwritten"]
    assert "writes v2 (x) while global_load_dword v2" in outcome.report.findings[0].message


def test_data_of_a_store_may_be_reused_at_once() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.v_mov_b32(x, 5)
        k.store(x, out, offset)
        k.v_mov_b32(x, 6)
        k.v_mov_b32(offset, 0)

    assert np.array_equal(run(body, {"out": zeros()}).arrays["out"], np.full(64, 5))


def test_scalar_loads_come_in_any_order_so_that_only_zero_helps() -> None:
    def body(k: Kit, count: int) -> None:
        first, second = k.sgpr("first", 2), k.sgpr("second", 2)
        k.arg("out", "u32", pointer=True, access="write")
        k.s_load_dwordx2(first, k.kernarg, 0)
        k.s_load_dwordx2(second, k.kernarg, 0)
        k.wait_counts(lgkmcnt=count)
        k.v_mov_b32(k.vgpr("x"), first[0])

    assert run(lambda k: body(k, 1), {"out": zeros()}, options=COLLECT).rules == ["register-in-flight"]
    assert run(lambda k: body(k, 0), {"out": zeros()}, options=COLLECT).rules == []


def test_lds_reads_keep_their_order_beside_scalar_loads() -> None:
    def body(k: Kit, count: int) -> None:
        (out,) = k.pointers("out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.lds("buffer", 256)
        k.ds_write_b32(offset, k.lane)
        k.ds_read_b32(x, offset)
        k.s_load_dwordx2(k.sgpr("later", 2), k.kernarg, 0)
        k.wait_counts(lgkmcnt=count)
        k.store(x, out, offset)
        k.wait_counts(lgkmcnt=0)

    # One LDS operation and one scalar load in flight: a count of 1 may be either's.
    assert run(lambda k: body(k, 1), {"out": zeros()}, options=COLLECT).rules == ["register-in-flight"]
    assert run(lambda k: body(k, 0), {"out": zeros()}, options=COLLECT).rules == []


def test_a_load_sees_memory_as_late_as_its_wait_but_not_behind_its_own_stores() -> None:
    def body(k: Kit) -> None:
        data, out = k.pointers("data", "out")
        offset, x, y = k.lane_bytes(), k.vgpr("x"), k.vgpr("y")
        k.v_mov_b32(y, 1)
        k.global_load_dword(x, offset, data)
        k.global_store_dword(offset, y, data)
        k.wait(x)
        k.store(x, out, offset)

    outcome = run(body, {"data": SOURCE, "out": zeros()})
    assert np.array_equal(outcome.arrays["out"], SOURCE)
    assert np.array_equal(outcome.arrays["data"], np.ones(64))


@pytest.mark.parametrize(
    ("lds_lanes", "vmcnt", "lgkmcnt", "enough"),
    [
        (0, 0, None, True), (0, None, 0, False), (0, 0, 0, True),
        (64, 0, None, False), (64, None, 0, True), (64, 0, 0, True),
        (32, 0, None, False), (32, None, 0, False), (32, 0, 0, True),
    ],
)  # fmt: skip
def test_flat_loads_are_proven_by_the_counters_of_where_their_lanes_go(
    lds_lanes: int, vmcnt: int | None, lgkmcnt: int | None, enough: bool
) -> None:
    """LLVM waits for vmcnt alone where it knows that a flat address is private or global."""

    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, address, x = k.lane_bytes(), k.vgpr("address", 2), k.vgpr("x")
        k.lds("bytes", 256)
        k.v_add_co_u32(address[0], VCC, source[0], offset)
        k.v_mov_b32(address[1], source[1])
        k.v_addc_co_u32(address[1], VCC, address[1], 0, VCC, e64=True)
        k.v_add_u32(x, 7, offset)
        k.ds_write_b32(offset, x)
        k.wait_counts(lgkmcnt=0)
        base = k.sgpr("base", 2)
        k.s_mov_b64(base, SHARED_BASE)
        lanes = k.sgpr("lanes")
        k.s_mov_b32(lanes, lds_lanes)
        k.v_cmp_gt_u32(VCC, lanes, k.lane)
        high = k.vgpr("high")
        k.v_mov_b32(high, base[1])
        k.v_cndmask_b32(address[0], address[0], offset, VCC)
        k.v_cndmask_b32(address[1], address[1], high, VCC)
        k.flat_load_dword(x, address)
        k.wait_counts(vmcnt=vmcnt, lgkmcnt=lgkmcnt)
        k.store(x, out, offset)

    arrays = {"source": SOURCE, "out": zeros()}
    outcome = run(body, arrays, options=COLLECT)
    assert outcome.rules == ([] if enough else ["register-in-flight"])
    expected = np.where(np.arange(64) < lds_lanes, 4 * np.arange(64) + 7, SOURCE)
    assert np.array_equal(outcome.arrays["out"], expected)


def test_lanes_that_a_load_does_not_fill_may_be_written_meanwhile() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        saved = k.sgpr("saved", 2)
        k.v_cmp_gt_u32(VCC, 32, k.lane)
        k.s_and_saveexec_b64(saved, VCC)
        k.global_load_dword(x, offset, source)
        k.s_xor_b64(EXEC, EXEC, saved)
        k.v_mov_b32(x, 3)
        k.s_mov_b64(EXEC, saved)
        k.wait(x)
        k.store(x, out, offset)

    out = run(body, {"source": SOURCE, "out": zeros()}).arrays["out"]
    assert np.array_equal(out, np.where(np.arange(64) < 32, SOURCE, 3))


@pytest.mark.parametrize("landing", ["late", "eager", "random"])
def test_a_flat_load_that_vmcnt_proves_done_has_read_its_value(landing: str) -> None:
    """As clang waits for a volatile load before a store to the same byte: lgkmcnt comes later."""

    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x, address = k.lane_bytes(), k.vgpr("x"), k.vgpr("address", 2)
        k.v_mov_b32(address[1], source[1])
        k.v_add_co_u32(address[0], VCC, source[0], offset)
        k.v_addc_co_u32(address[1], VCC, address[1], 0, VCC, e64=True)
        k.flat_load_dword(x, address)
        k.wait_counts(vmcnt=0)
        k.global_store_dword(offset, offset, source)
        k.wait_counts(lgkmcnt=0)
        k.store(x, out, offset)

    after = run(body, {"source": SOURCE.copy(), "out": zeros()}, options=Options(landing=landing)).arrays
    assert np.array_equal(after["out"], SOURCE)
    assert np.array_equal(after["source"], 4 * np.arange(64))

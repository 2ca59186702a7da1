"""Races in global memory, between waves of a workgroup and between workgroups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.clangdiff.runner import compile_device, find_clang
from support.emulate import COLLECT, Kit, run, zeros

import hkasm
from hkasm.emulator.options import CHECKS, Options
from hkasm.errors import RaceError
from hkasm.isa.registers import EXEC, M0, Register

APART = {"WORKING_BYTES": 1, "WORKING_WAVES": 1}


def _wave(k: Kit) -> Register:
    wave = k.sgpr("wave")
    k.v_readfirstlane_b32(wave, k.lane)
    k.s_lshr_b32(wave, wave, 6)
    return wave


def _lane_in_wave(k: Kit) -> Register:
    offset = k.vgpr("offset")
    k.v_and_b32(offset, 63, k.lane)
    k.v_lshlrev_b32(offset, 2, offset)
    return offset


def _everybody_stores(k: Kit, *, same: bool) -> None:
    """Each workgroup stores to the same 64 dwords."""
    (out,) = k.pointers("out")
    x = k.vgpr("x")
    k.v_mov_b32(x, 7 if same else k.group_id)
    k.store(x, out)


@pytest.mark.parametrize("apart", [False, True])
def test_two_workgroups_that_store_to_the_same_bytes_race(apart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in APART.items() if apart else ():
        monkeypatch.setattr(f"hkasm.emulator.machine.{name}", value)
    with pytest.raises(RaceError) as caught:
        run(lambda k: _everybody_stores(k, same=False), {"out": zeros()}, grid=(2,))
    text = str(caught.value)
    assert "emulate.py" in text
    assert "global_store_dword" in text
    assert "byte 0 of out (256 bytes)" in text
    assert "of workgroup (0, 0, 0)) wrote" in text or "of workgroup (1, 0, 0)) wrote" in text
    assert "lane 0" in text


@pytest.mark.parametrize("reader", [1, 2])
def test_reads_by_workgroups_of_either_parity_are_remembered(reader: int) -> None:
    """Workgroup 0 stores to what workgroup `reader` alone has read since the first store."""

    def body(k: Kit) -> None:
        data, out = k.pointers("data", "out")
        x, offset, over, end = k.vgpr("x"), k.lane_bytes(), k.label("over"), k.label("end")
        for group in (reader, 0):  # behind a store of its own, for reads of what nobody wrote are put off
            k.s_cmp_lg_u32(k.group_id, group)
            k.s_cbranch_scc1(over if group else end)
            if group:
                k.global_store_dword(offset, offset, data, offset=256)
                k.global_load_dword(x, offset, data)
                k.wait(x)
                k.store(x, out)
                k.place(over)
            else:
                k.global_store_dword(offset, offset, data)
        k.place(end)

    found = run(body, {"data": zeros(128), "out": zeros()}, grid=(3,), options=COLLECT)
    assert found.rules == ["global-race"]
    assert f"of workgroup ({reader}, 0, 0)) reads" in found.report.findings[0].message


def test_the_same_value_twice_is_a_remark() -> None:
    found = run(lambda k: _everybody_stores(k, same=True), {"out": zeros()}, grid=(2,)).report.findings
    assert [(finding.rule, finding.severity) for finding in found] == [("global-race", "remark")]
    assert "it is the same value" in found[0].message


def test_the_check_can_be_switched_off() -> None:
    rest = tuple(check for check in Options().checks if check != "races")
    outcome = run(lambda k: _everybody_stores(k, same=False), {"out": zeros()}, grid=(2,), options=Options(checks=rest))
    assert outcome.rules == []


def test_neighbouring_bytes_do_not_race() -> None:
    """Every wave stores bytes of its own, four waves to a dword."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        wave, x, where = _wave(k), k.vgpr("x"), _lane_in_wave(k)
        k.v_mov_b32(x, wave)
        k.v_add_u32(where, wave, where)
        k.global_store_byte(where, x, out)

    out = run(body, {"out": zeros()}, block=256).arrays["out"]
    assert (out == 0x03020100).all()


def _exchange(k: Kit, *, wait: bool = True, barrier: bool = True, back: bool = False) -> None:
    """Wave w stores a row; wave w + 1 of two reads it behind a barrier (`back`: and its owner writes it again)."""
    (out,) = k.pointers("out")
    wave, x, y, where, other = _wave(k), k.vgpr("x"), k.vgpr("y"), _lane_in_wave(k), k.vgpr("other")
    k.s_lshl_b32(wave, wave, 8)
    k.v_mov_b32(x, wave)
    k.v_add_u32(where, wave, where)
    k.v_xor_b32(other, 256, where)
    k.global_store_dword(where, x, out)
    if wait:
        k.wait_counts(vmcnt=0)
    if barrier:
        k.s_barrier()
    k.global_load_dword(y, other, out)
    if not back:
        k.wait(y)
    k.s_barrier()
    if back:
        k.v_add_u32(x, 1, x)
        k.global_store_dword(where, x, out)
    k.wait(y)
    k.global_store_dword(where, y, out, offset=512)


def test_waves_are_ordered_by_a_wait_and_a_barrier() -> None:
    arrays = {"out": zeros(256)}
    assert run(_exchange, arrays, block=128).rules == []
    for broken in ({"wait": False}, {"barrier": False}):
        with pytest.raises(RaceError, match=r"reads byte \d+ of out .* \(wave [01]\) wrote") as caught:
            run(lambda k, broken=broken: _exchange(k, **broken), arrays, block=128)
        assert "s_waitcnt vmcnt(0)), then s_barrier" in str(caught.value)


def test_a_read_in_flight_is_not_over_at_the_barrier() -> None:
    with pytest.raises(RaceError, match=r"writes byte \d+ of out .* \(wave [01]\) reads"):
        run(lambda k: _exchange(k, back=True), {"out": zeros(256)}, block=128)


def _hand_over(
    k: Kit,
    *,
    wait: bool = True,
    plain: bool = False,
    waves: int = 1,
    barrier: bool = True,
    write_back: str = "sc1",
    invalidate: str = "behind",
    data_sc1: int = 0,
) -> None:
    """Workgroup 0 stores data, then sets a flag; workgroup 1 waits for the flag and reads the data."""
    data, flag, out = k.pointers("data", "flag", "out")
    one, zero, x, seen = k.vgpr("one"), k.vgpr("zero"), k.vgpr("x"), k.sgpr("seen")
    spin, reader, end, skip = (k.label(name) for name in ("spin", "reader", "end", "skip"))
    where = k.lane_bytes()
    wave = _wave(k)
    k.v_mov_b32(one, 1)
    k.v_mov_b32(zero, 0)
    k.s_cmp_lg_u32(k.group_id, 0)
    k.s_cbranch_scc1(reader)
    k.global_store_dword(where, one, data, sc1=data_sc1)
    if write_back:
        k.buffer_wbl2(**{write_back: 1})
    if wait:
        k.wait_counts(vmcnt=0)
    if barrier and waves > 1:
        k.s_barrier()
    k.s_cmp_lg_u32(wave, 0)
    k.s_cbranch_scc1(skip)
    k.s_mov_b64(EXEC, 1)
    if plain:
        k.global_store_dword(zero, one, flag)
    else:
        k.global_atomic_add(zero, one, flag)
    k.s_branch(end)
    k.place(reader)
    if invalidate == "before":
        k.buffer_inv(sc1=1)
    k.place(spin)
    k.s_sleep(1)
    k.global_load_dword(x, zero, flag, sc1=1)
    k.wait(x)
    k.v_readfirstlane_b32(seen, x)
    k.s_cmp_eq_u32(seen, 0)
    k.s_cbranch_scc1(spin)
    if invalidate in ("behind", "of the workgroup"):
        k.buffer_inv(**{"sc1" if invalidate == "behind" else "sc0": 1})
    k.global_load_dword(x, where, data, sc1=data_sc1)
    k.wait(x)
    k.global_store_dword(where, x, out)
    k.place(skip)
    k.place(end)


def _flagged(waves: int, *, checks: tuple[str, ...] = CHECKS, **how: Any) -> Any:
    size = 64 * waves
    arrays = {"data": zeros(size), "flag": np.zeros(1, np.uint32), "out": zeros(size)}
    return run(
        lambda k: _hand_over(k, waves=waves, **how),
        arrays,
        grid=(2,),
        block=size,
        options=Options(max_seconds=60, checks=checks),
    )


@pytest.mark.parametrize("waves", [1, 4])
def test_an_atomic_hands_data_over_to_another_workgroup(waves: int) -> None:
    outcome = _flagged(waves)
    assert outcome.rules == []
    assert (outcome.arrays["out"] == 1).all()
    with pytest.raises(RaceError, match=r"reads byte \d+ of data .* of workgroup \(0, 0, 0\)\) wrote"):
        _flagged(waves, wait=False)
    with pytest.raises(RaceError, match=r"byte 0 of flag"):
        _flagged(waves, plain=True)


@pytest.mark.parametrize("waves", [1, 4])
def test_what_another_workgroup_wrote_must_get_through_both_caches(waves: int) -> None:
    """The sequences of LLVM's memory model for gfx942, as clang 22 writes them for release and acquire."""
    unwritten = r"data .* of workgroup \(0, 0, 0\)\) wrote: in order, but nothing has written it back"
    for write_back in ("", "sc0"):
        with pytest.raises(RaceError, match=unwritten) as caught:
            _flagged(waves, write_back=write_back)
        assert "hint: buffer_wbl2 sc1, then s_waitcnt vmcnt(0)" in str(caught.value)
    for invalidate in ("", "before", "of the workgroup"):
        with pytest.raises(RaceError, match=r"in order, but this workgroup's caches may hold what was there") as caught:
            _flagged(waves, invalidate=invalidate)
        assert "hint: buffer_inv sc1 behind the atomic" in str(caught.value)
    assert _flagged(waves, write_back="", invalidate="", data_sc1=1).rules == []
    rest = tuple(check for check in Options().checks if check != "visibility")
    assert _flagged(waves, write_back="", invalidate="", checks=rest).rules == []


HANDED_OVER = """
typedef unsigned u32;
#define GLOBAL __attribute__((address_space(1)))
__attribute__((amdgpu_kernel)) void hand_over(GLOBAL u32 *data, GLOBAL u32 *flag, GLOBAL u32 *out) {
  u32 lane = __builtin_amdgcn_workitem_id_x();
  if (__builtin_amdgcn_workgroup_id_x() == 0) {
    data[lane] = lane + 1;
    __scoped_atomic_fetch_add((u32 *)flag, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  } else {
    while (__scoped_atomic_load_n((u32 *)flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) != 64) {
    }
    out[lane] = data[lane];
  }
}
"""


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_clang_s_release_and_acquire_get_through_both_caches(arch: str) -> None:
    clang = find_clang()
    if clang is None:
        pytest.skip("no clang that knows gfx950")
    device = hkasm.device("emulator")
    buffers = [device.buffer(np.zeros(size, np.uint32)) for size in (64, 1, 64)]
    code = compile_device(clang, HANDED_OVER, arch, "O2")
    report = device.load(code).kernels["hand_over"].launch((2,), (64,), buffers, options=Options(max_seconds=60))
    assert report.findings == []
    assert (buffers[2].numpy() == np.arange(1, 65)).all()


def test_the_wave_that_sets_the_flag_must_wait_for_its_mates() -> None:
    with pytest.raises(RaceError, match=r"byte \d+ of data .*\(wave [123] of workgroup \(0, 0, 0\)\) wrote"):
        _flagged(4, barrier=False)


def test_atomics_do_not_race() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        one = k.vgpr("one")
        k.v_mov_b32(one, 1)
        k.global_atomic_add(_lane_in_wave(k), one, out)

    outcome = run(body, {"out": np.zeros(64, np.uint32)}, grid=(5,), block=256)
    assert (outcome.arrays["out"] == 20).all()
    assert outcome.rules == []


def test_an_atomic_races_with_a_plain_load() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        one, x, where = k.vgpr("one"), k.vgpr("x"), _lane_in_wave(k)
        k.v_mov_b32(one, 1)
        k.global_load_dword(x, where, out)
        k.wait(x)
        k.global_atomic_add(where, one, out)

    assert "global-race" in run(body, {"out": zeros()}, grid=(2,), options=COLLECT).rules


def test_a_scalar_load_races_with_a_store() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.sgpr("y")
        k.s_load_dword(y, out, 64)
        k.wait(y)
        k.v_mov_b32(x, k.group_id)
        k.s_cmp_eq_u32(k.group_id, 0)
        done = k.label("done")
        k.s_cbranch_scc1(done)
        k.store(x, out)
        k.place(done)

    with pytest.raises(RaceError, match=r"writes byte 64 of out .* s_load_dword s\d+ of .* reads"):
        run(body, {"out": zeros()}, grid=(2,))


def test_launches_are_ordered() -> None:
    """A second launch overwrites what the first read and wrote."""
    for _ in range(2):
        assert run(lambda k: _everybody_stores(k, same=False), {"out": zeros()}, grid=(1,)).rules == []


def test_bytes_that_a_direct_load_has_yet_to_read_must_not_be_written() -> None:
    """Both waves fetch a row to LDS; wave 1 overwrites wave 0's row in memory behind a barrier."""

    def body(k: Kit, *, wait: bool) -> None:
        (data,) = k.pointers("data")
        lds = k.lds("rows", 512)
        wave, x, where = _wave(k), k.vgpr("x"), k.vgpr("where")
        k.s_lshl_b32(wave, wave, 8)
        k.s_add_u32(M0, wave, lds.offset)
        k.v_add_u32(where, wave, _lane_in_wave(k))
        k.global_load_lds_dword(where, data)
        if wait:
            k.wait_counts(vmcnt=0)
        k.s_barrier()
        k.v_xor_b32(where, 256, where)
        k.v_mov_b32(x, 1)
        k.global_store_dword(where, x, data)

    arrays = {"data": zeros(128)}
    assert run(lambda k: body(k, wait=True), arrays, block=128).rules == []
    with pytest.raises(RaceError, match=r"which global_load_lds_dword v\d+ of .* reads"):
        run(lambda k: body(k, wait=False), arrays, block=128)


def test_a_barrier_of_the_whole_grid_orders_everybody() -> None:
    """Each workgroup stores a row, adds itself to a counter, waits until all have, and reads its neighbour's row."""

    def body(k: Kit, groups: int, *, early: bool) -> None:
        data, counter, out = k.pointers("data", "counter", "out")
        one, zero, x, seen, where = k.vgpr("one"), k.vgpr("zero"), k.vgpr("x"), k.sgpr("seen"), k.lane_bytes()
        row, next_row, spin, saved = k.sgpr("row"), k.sgpr("next row"), k.label("spin"), k.sgpr("saved", 2)
        k.v_mov_b32(one, 1)
        k.v_mov_b32(zero, 0)
        k.s_lshl_b32(row, k.group_id, 9)
        k.s_add_u32(next_row, row, 512)
        k.s_cmp_eq_u32(next_row, 512 * groups)
        k.s_cselect_b32(next_row, 0, next_row)
        k.v_mov_b32(x, k.group_id)
        k.v_add_u32(one, row, where)
        k.global_store_dword(one, x, data)
        k.buffer_wbl2(sc1=1)
        k.v_mov_b32(one, 1)
        k.wait_counts(vmcnt=0)
        k.s_barrier()
        k.v_readfirstlane_b32(seen, k.lane)
        k.s_cmp_lg_u32(seen, 0)
        k.s_mov_b64(saved, EXEC)
        k.s_cselect_b32(seen, 0, 1)
        k.s_mov_b32(EXEC[0], seen)
        k.s_mov_b32(EXEC[1], 0)
        k.global_atomic_add(zero, one, counter)
        k.s_mov_b64(EXEC, saved)
        if not early:
            k.place(spin)
            k.s_sleep(1)
            k.global_load_dword(x, zero, counter, sc1=1)
            k.wait(x)
            k.v_readfirstlane_b32(seen, x)
            k.s_cmp_lt_u32(seen, groups)
            k.s_cbranch_scc1(spin)
            k.buffer_inv(sc1=1)
            k.s_barrier()
        k.v_add_u32(one, next_row, where)
        k.global_load_dword(x, one, data)
        k.wait(x)
        k.v_add_u32(one, row, where)
        k.global_store_dword(one, x, out)

    def launch(*, early: bool) -> Any:
        groups = 5
        arrays = {"data": zeros(128 * groups), "counter": np.zeros(1, np.uint32), "out": zeros(128 * groups)}
        limits = Options(max_seconds=60)
        return run(lambda k: body(k, groups, early=early), arrays, grid=(groups,), block=128, options=limits)

    outcome = launch(early=False)
    assert outcome.rules == []
    assert np.array_equal(outcome.arrays["out"], np.repeat([1, 2, 3, 4, 0], 128))
    with pytest.raises(RaceError, match=r"byte \d+ of data"):
        launch(early=True)

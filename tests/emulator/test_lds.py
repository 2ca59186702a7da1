"""LDS: values in its own order, direct-to-LDS loads, and races told from order."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, assemble, run, zeros
from support.foreign import foreign_text

from hkasm.asm.codeobject import CodeObject
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError, RaceError, WaitError
from hkasm.isa.numerics import pack_bits, unpack_bits
from hkasm.isa.registers import M0, Register

TWO_WAVES = 128
SOURCE = np.arange(256, dtype=np.uint32) + 1000


def _partner(k: Kit, offset: Register) -> Register:
    """Return the LDS offset of the same lane in the other of two waves."""
    other = k.vgpr("other wave's bytes")
    k.v_xor_b32(other, 256, offset)
    return other


def _exchange(k: Kit, *, wait: bool = True, barrier: bool = True) -> None:
    (out,) = k.pointers("out")
    k.lds("buffer", 512)
    offset, x = k.lane_bytes(), k.vgpr("x")
    other = _partner(k, offset)
    k.ds_write_b32(offset, k.lane)
    if wait:
        k.wait_counts(lgkmcnt=0)
    if barrier:
        k.s_barrier()
    k.ds_read_b32(x, other)
    k.wait(x)
    k.store(x, out, offset)


def test_waves_exchange_values_through_lds() -> None:
    out = run(_exchange, {"out": zeros(128)}, block=TWO_WAVES, grid=(1,)).arrays["out"]
    assert np.array_equal(out, np.arange(128) ^ 64)


def test_a_missing_barrier_is_a_race_that_names_both_lines() -> None:
    with pytest.raises(RaceError) as caught:
        run(lambda k: _exchange(k, barrier=False), {"out": zeros(128)}, block=TWO_WAVES)
    text = str(caught.value)
    assert "ds_read_b32" in text
    assert "reads LDS byte 0x100 (buffer + 0x100), which ds_write_b32 v1 of test_lds.py:" in text
    assert "(wave 1) wrote, with no wait and barrier between" in text


def test_a_missing_wait_before_the_barrier_is_a_race_too() -> None:
    outcome = run(lambda k: _exchange(k, wait=False), {"out": zeros(128)}, block=TWO_WAVES, options=COLLECT)
    assert outcome.rules == ["lds-race"]


def test_one_wave_needs_no_barrier_for_its_own_bytes() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 512)
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.ds_write_b32(offset, k.lane)
        k.ds_read_b32(x, offset)
        k.ds_write_b32(offset, offset)
        k.wait(x)
        k.store(x, out, offset)

    out = run(body, {"out": zeros(128)}, block=TWO_WAVES).arrays["out"]
    assert np.array_equal(out, np.arange(128))


def test_overwriting_what_another_wave_reads_needs_its_wait_and_a_barrier() -> None:
    def body(k: Kit, *, wait_first: bool, barrier: bool) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 512)
        offset, x = k.lane_bytes(), k.vgpr("x")
        other = _partner(k, offset)
        k.ds_write_b32(offset, k.lane)
        k.wait_counts(lgkmcnt=0)
        k.s_barrier()
        k.ds_read_b32(x, other)
        if wait_first:
            k.wait(x)
        if barrier:
            k.s_barrier()
        k.ds_write_b32(offset, offset)
        k.wait(x)
        k.store(x, out, offset)

    arrays = {"out": zeros(128)}
    right = run(lambda k: body(k, wait_first=True, barrier=True), arrays, block=TWO_WAVES, options=COLLECT)
    assert right.rules == []
    for wait_first, barrier in ((True, False), (False, True)):
        wrong = run(
            lambda k, w=wait_first, b=barrier: body(k, wait_first=w, barrier=b),
            arrays,
            block=TWO_WAVES,
            options=COLLECT,
        )
        assert wrong.rules == ["lds-read-pending"]


def test_two_writers_of_one_place_race() -> None:
    def body(k: Kit) -> None:
        k.lds("buffer", 512)
        where = k.vgpr("where")
        k.v_and_b32(where, 63, k.lane)
        k.v_lshlrev_b32(where, 2, where)
        k.ds_write_b32(where, k.lane)

    outcome = run(body, {"out": zeros()}, block=TWO_WAVES, options=COLLECT)
    # Both waves write in one instruction: who comes last is not known.
    assert outcome.rules == ["lds-race"]


def test_atomics_do_not_race_with_each_other() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 16)
        zero, one, x = k.vgpr("zero"), k.vgpr("one"), k.vgpr("x")
        k.v_mov_b32(zero, 0)
        k.v_mov_b32(one, 1)
        wave, skip = k.sgpr("wave"), k.label("skip")
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_cmp_lg_u32(wave, 0)
        k.s_cbranch_scc1(skip)
        k.ds_write_b32(zero, zero)
        k.wait_counts(lgkmcnt=0)
        k.place(skip)
        k.s_barrier()
        k.ds_add_u32(zero, one)
        k.wait_counts(lgkmcnt=0)
        k.s_barrier()
        k.ds_read_b32(x, zero)
        k.wait(x)
        k.store(x, out)

    out = run(body, {"out": zeros(128)}, block=TWO_WAVES).arrays["out"]
    assert np.array_equal(out, np.full(128, 128))


def test_reading_what_nobody_wrote_is_an_error() -> None:
    def body(k: Kit) -> None:
        k.lds("buffer", 512)
        k.ds_read_b32(k.vgpr("x"), k.lane_bytes())
        k.wait_counts(lgkmcnt=0)

    with pytest.raises(EmulatorError, match=r"reads LDS byte 0x0 \(buffer \+ 0x0\), which nobody wrote"):
        run(body, {"out": zeros()})


def _foreign(body: str, lds_bytes: int = 1024) -> Machine:
    """A kernel of others: s[2:3] is its only pointer, v1 four times the lane."""
    text = foreign_text(
        f"""
        s_load_dwordx2 s[2:3], s[0:1], 0x0
        v_lshlrev_b32_e32 v1, 2, v0
        {body}
        s_endpgm
        """,
        next_free_vgpr=64, next_free_sgpr=16, accum_offset=64, group_segment_fixed_size=lds_bytes,
        user_sgpr_kernarg_segment_ptr=1, kernarg_size=8,
    )  # fmt: skip
    return Machine(CodeObject.from_bytes(assemble(text, "gfx942")))


_HALF_WRITTEN = """
  s_mov_b64 s[4:5], exec
  s_mov_b32 exec_hi, 0
  ds_write_b32 v1, v0
  s_mov_b64 exec, s[4:5]
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v2, 5, v2
"""


def test_kernels_of_others_may_read_what_nobody_wrote_and_drop_it() -> None:
    """As AITER's MLA for 8 heads reads a tile of 16 rows; what is stored depends on no such byte."""
    machine = _foreign(_HALF_WRITTEN + "s_mov_b32 exec_hi, 0\nglobal_store_dword v1, v2, s[2:3]")
    out = machine.memory.allocate(256, "out")
    machine.launch("kernel", (1,), (64,), out.address.to_bytes(8, "little"))
    assert np.array_equal(out.u32[:32], np.arange(32) + 5)


def test_lds_that_nobody_wrote_is_told_of_where_it_matters() -> None:
    machine = _foreign(_HALF_WRITTEN + "global_store_dword v1, v2, s[2:3]")
    out = machine.memory.allocate(256, "out")
    with pytest.raises(EmulatorError, match="v2 decides a store, but nobody wrote it") as caught:
        machine.launch("kernel", (1,), (64,), out.address.to_bytes(8, "little"))
    assert "lane 32" in str(caught.value)


@pytest.mark.parametrize(("place", "severity"), [(0x80000000, "remark"), (0x4000, "error")])
def test_kernels_of_others_may_send_lanes_nowhere(place: int, severity: str) -> None:
    """As hipBLASLt's products do in lanes that have no element: such reads give 0, such writes are dropped."""
    body = f"""
      v_mov_b32_e32 v3, {place:#x}
      v_cmp_gt_u32_e32 vcc, 32, v0
      v_cndmask_b32_e32 v3, v3, v1, vcc
      v_add_u32_e32 v2, 9, v0
      ds_write_b32 v3, v2
      ds_read_b32 v4, v3
      s_waitcnt lgkmcnt(0)
      global_store_dword v1, v4, s[2:3]
    """
    machine = _foreign(body)
    out = machine.memory.allocate(256, "out")
    kernarg = out.address.to_bytes(8, "little")
    report = machine.launch("kernel", (1,), (64,), kernarg, options=COLLECT)
    assert [(finding.rule, finding.severity) for finding in report.findings] == [("lds-bounds", severity)] * 2
    assert np.array_equal(out.u32, np.where(np.arange(64) < 32, np.arange(64) + 9, 0))


def test_hints_name_counts_that_the_counter_has() -> None:
    """Of 15 LDS reads the first is used: the counter holds no more, and waits for nothing at 15."""
    reads = "\n".join(f"ds_read_b32 v{number}, v1 offset:{number}" for number in range(2, 17))
    machine = _foreign(f"ds_write_b32 v1, v0\n{reads}\nv_mov_b32_e32 v30, v2\ns_waitcnt lgkmcnt(0)")
    report = machine.launch("kernel", (1,), (64,), bytes(8), options=Options(strict=False, checks=("registers", "lds")))
    (finding,) = (found for found in report.findings if found.rule == "register-in-flight")
    assert finding.hint == "s_waitcnt lgkmcnt(14) before this instruction"


def test_bytes_of_one_dword_are_apart() -> None:
    """Two waves write neighbouring halves of dwords: no race."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 256)
        where, x = k.vgpr("where"), k.vgpr("x")
        k.v_and_b32(where, 63, k.lane)
        k.v_lshlrev_b32(where, 2, where)
        k.v_lshrrev_b32(x, 6, k.lane)
        k.v_lshl_add_u32(x, x, 1, where)
        k.ds_write_b16(x, k.lane)
        k.wait_counts(lgkmcnt=0)
        k.s_barrier()
        k.ds_read_b32(x, where)
        k.wait(x)
        k.store(x, out)

    lane = np.arange(64)
    out = run(body, {"out": zeros(128)}, block=TWO_WAVES).arrays["out"]
    assert np.array_equal(out, np.tile(lane | (lane + 64) << 16, 2))


def test_an_address_outside_the_allocation_is_an_error_and_reads_zero() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 256)
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.ds_write_b32(offset, k.lane)
        k.ds_read_b32(x, offset, offset=128)
        k.wait(x)
        k.store(x, out, offset)

    arrays = {"out": zeros()}
    with pytest.raises(EmulatorError, match="touches 4 bytes of LDS at 0x100, the workgroup has 0x100"):
        run(body, arrays)
    out = run(body, arrays, options=COLLECT).arrays["out"]
    assert np.array_equal(out, np.where(np.arange(64) < 32, np.arange(64) + 32, 0))


def test_a_kernel_that_declares_no_lds_is_told_of_what_a_launch_adds() -> None:
    def body(k: Kit) -> None:
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.ds_read_b32(x, offset)
        k.wait(x)

    with pytest.raises(EmulatorError, match=r"the workgroup has 0x0[^$]*for LDS that a launch adds give --lds BYTES"):
        run(body, {})


# ---- direct to LDS --------------------------------------------------------------------------------------------------


def _descriptor(k: Kit, pointer: Register, size: int) -> Register:
    buffer = k.sgpr("buffer", 4)
    k.s_mov_b64(buffer[0:2], pointer)
    k.s_mov_b32(buffer[2], size)
    k.s_mov_b32(buffer[3], 0x20000)
    return buffer


def _direct(
    k: Kit,
    *,
    size: int = 1024,
    wait: bool = True,
    barrier: bool = True,
    read_other: bool = True,
    inst_offset: int = 0,
) -> None:
    """Each of two waves loads 64 dwords straight to LDS, then reads the other's (or its own)."""
    source, out = k.pointers("source", "out")
    k.lds("tile", 512)
    buffer = _descriptor(k, source, size)
    offset, x, wave = k.lane_bytes(), k.vgpr("x"), k.sgpr("wave")
    other = _partner(k, offset)
    k.v_readfirstlane_b32(wave, k.lane)
    k.s_lshl_b32(wave, wave, 2)
    k.s_sub_u32(M0, wave, inst_offset)
    k.v_subrev_u32(x, inst_offset, offset)
    k.s_nop(0)
    k.buffer_load_dword(x, buffer, offen=1, offset=inst_offset, lds=1)
    if wait:
        k.wait_counts(vmcnt=0)
    if barrier:
        k.s_barrier()
    k.ds_read_b32(x, other if read_other else offset)
    k.wait_counts(vmcnt=0, lgkmcnt=0)
    k.store(x, out, offset)


def test_a_direct_load_fills_lds() -> None:
    out = run(_direct, {"source": SOURCE, "out": zeros(128)}, block=TWO_WAVES).arrays["out"]
    assert np.array_equal(out, SOURCE[np.arange(128) ^ 64])


def test_the_instruction_offset_moves_both_addresses() -> None:
    """The first 64 bytes lie before M0's wrap: only the second wave's part can be compared."""

    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        k.lds("tile", 512)
        buffer = _descriptor(k, source, 1024)
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.s_mov_b32(M0, 128)
        k.s_nop(0)
        k.buffer_load_dword(offset, buffer, offen=1, offset=128, lds=1)
        k.wait_counts(vmcnt=0)
        k.ds_read_b32(x, offset, offset=256)
        k.wait(x)
        k.store(x, out, offset)

    out = run(body, {"source": SOURCE, "out": zeros()}).arrays["out"]
    assert np.array_equal(out, SOURCE[32:96])


def test_lanes_out_of_range_write_zeros_and_inactive_lanes_nothing() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        k.lds("tile", 256)
        buffer = _descriptor(k, source, 4 * 40)
        offset, x, saved = k.lane_bytes(), k.vgpr("x"), k.sgpr("saved", 2)
        k.v_mov_b32(x, -1)
        k.ds_write_b32(offset, x)
        k.wait_counts(lgkmcnt=0)
        k.s_mov_b32(M0, 0)
        k.v_cmp_gt_u32(saved, 50, k.lane)
        k.s_and_saveexec_b64(saved, saved)
        k.buffer_load_dword(offset, buffer, offen=1, lds=1)
        k.s_mov_b64(Register("s", 126, 2), saved)
        k.wait_counts(vmcnt=0)
        k.ds_read_b32(x, offset)
        k.wait(x)
        k.store(x, out, offset)

    lane = np.arange(64)
    out = run(body, {"source": SOURCE, "out": zeros()}).arrays["out"]
    assert np.array_equal(out, np.where(lane < 40, SOURCE[:64], np.where(lane < 50, 0, 0xFFFFFFFF)))


@pytest.mark.parametrize("read_other", [True, False])
def test_reading_before_the_direct_load_landed_is_found(read_other: bool) -> None:
    arrays = {"source": SOURCE, "out": zeros(128)}
    with pytest.raises(WaitError, match=r"reads LDS byte .* while buffer_load_dword .* is still on its way there"):
        run(lambda k: _direct(k, wait=False, read_other=read_other), arrays, block=TWO_WAVES)


def test_the_wait_alone_does_not_order_other_waves() -> None:
    outcome = run(
        lambda k: _direct(k, barrier=False), {"source": SOURCE, "out": zeros(128)}, block=TWO_WAVES, options=COLLECT
    )
    assert outcome.rules == ["lds-race"]
    own = run(
        lambda k: _direct(k, barrier=False, read_other=False),
        {"source": SOURCE, "out": zeros(128)},
        block=TWO_WAVES,
        options=COLLECT,
    )
    assert own.rules == []


@pytest.mark.parametrize("form", ["ds_read_b32", "ds_read2_b32", "ds_read_u8_d16_hi"])
def test_random_landings_let_a_direct_load_change_what_a_pending_read_gives(form: str) -> None:
    """The evidence for the finding below; where the wave waits for the read first, no landing can change it."""

    def body(k: Kit, *, wait: bool) -> None:
        source, out = k.pointers("source", "out")
        k.lds("tile", 256)
        buffer = _descriptor(k, source, 256)
        offset, x, got = k.lane_bytes(), k.vgpr("x"), k.vgpr("got", 2, align=2)
        k.v_mov_b32(got[0], 0)
        k.v_mov_b32(got[1], 0)
        k.v_mov_b32(x, 0x5050505)
        k.ds_write_b32(offset, x)
        k.wait_counts(lgkmcnt=0)
        k.s_mov_b32(M0, 0)
        if form == "ds_read2_b32":
            k.ds_read2_b32(got, offset, offset0=0, offset1=0)
        else:
            getattr(k, form)(got[0], offset)
        if wait:
            k.wait_counts(lgkmcnt=0)
        k.buffer_load_dword(offset, buffer, offen=1, lds=1)
        for _ in range(6):
            k.s_nop(0)
        k.wait_counts(vmcnt=0, lgkmcnt=0)
        k.v_and_b32(got[0], 0xFF0000 if form == "ds_read_u8_d16_hi" else -1, got[0])
        k.store(got[1] if form == "ds_read2_b32" else got[0], out, offset)

    arrays = {"source": np.full(64, 0x9090909, np.uint32), "out": zeros()}
    seen = {True: set(), False: set()}
    for wait, values in seen.items():
        for seed in range(12):
            options = Options(landing="random", seed=seed, checks=())
            values.add(int(run(lambda k, wait=wait: body(k, wait=wait), arrays, options=options).arrays["out"][5]))
    before, after = (0x50000, 0x90000) if form == "ds_read_u8_d16_hi" else (0x5050505, 0x9090909)
    assert seen == {True: {before}, False: {before, after}}


@pytest.mark.parametrize("atomic", [False, True])
def test_a_pending_read_comes_before_the_writes_behind_it_at_any_landing(atomic: bool) -> None:
    """LDS operations of a wave are in order."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("tile", 256)
        offset, x, got = k.lane_bytes(), k.vgpr("x"), k.vgpr("got")
        k.v_mov_b32(x, 5)
        k.ds_write_b32(offset, x)
        k.ds_read_b32(got, offset)
        if atomic:
            k.ds_add_u32(offset, x)
        else:
            k.ds_write_b32(offset, offset)
        for _ in range(4):
            k.s_nop(0)
        k.wait_counts(lgkmcnt=0)
        k.store(got, out, offset)

    for seed in range(8):
        out = run(body, {"out": zeros()}, options=Options(landing="random", seed=seed)).arrays["out"]
        assert (out == 5).all()


def test_a_direct_load_over_bytes_that_are_still_read_is_found() -> None:
    def body(k: Kit, *, wait: bool) -> None:
        source, out = k.pointers("source", "out")
        k.lds("tile", 256)
        buffer = _descriptor(k, source, 256)
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.ds_write_b32(offset, k.lane)
        k.wait_counts(lgkmcnt=0)
        k.s_mov_b32(M0, 0)
        k.ds_read_b32(x, offset)
        if wait:
            k.wait(x)
        k.buffer_load_dword(offset, buffer, offen=1, lds=1)
        k.wait_counts(vmcnt=0, lgkmcnt=0)
        k.store(x, out, offset)

    arrays = {"source": SOURCE, "out": zeros()}
    assert run(lambda k: body(k, wait=True), arrays, options=COLLECT).rules == []
    assert run(lambda k: body(k, wait=False), arrays, options=COLLECT).rules == ["lds-read-pending"]


def test_two_direct_loads_to_one_place_are_found() -> None:
    def body(k: Kit, *, wait: bool) -> None:
        (source,) = k.pointers("source")
        k.lds("tile", 256)
        buffer = _descriptor(k, source, 256)
        offset = k.lane_bytes()
        k.s_mov_b32(M0, 0)
        k.s_nop(0)
        k.buffer_load_dword(offset, buffer, offen=1, lds=1)
        if wait:
            k.wait_counts(vmcnt=0)
        k.buffer_load_dword(offset, buffer, offen=1, lds=1)
        k.wait_counts(vmcnt=0)

    assert run(lambda k: body(k, wait=True), {"source": SOURCE}, options=COLLECT).rules == []
    assert run(lambda k: body(k, wait=False), {"source": SOURCE}, options=COLLECT).rules == ["lds-in-flight"]


@pytest.mark.parametrize(("apart", "severity"), [(False, "remark"), (True, "error")])
def test_waves_may_fetch_the_same_bytes_to_one_place(apart: bool, severity: str) -> None:
    """As AITER's backward attention fetches rows' sums: every wave all of them."""

    def body(k: Kit) -> None:
        (source,) = k.pointers("source")
        k.lds("tile", 256)
        buffer = _descriptor(k, source, 512)
        offset = k.lane_bytes()
        if not apart:
            k.v_and_b32(offset, 255, offset)
        k.s_mov_b32(M0, 0)
        k.s_nop(0)
        k.buffer_load_dword(offset, buffer, offen=1, lds=1)
        k.wait_counts(vmcnt=0)

    (finding,) = run(body, {"source": SOURCE}, block=TWO_WAVES, options=COLLECT).report.findings
    assert (finding.rule, finding.severity) == ("lds-race", severity)
    assert finding.message.endswith("they are the same bytes") is (severity == "remark")


def test_many_workgroups_keep_their_own_lds() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("buffer", 256)
        offset, x, base = k.lane_bytes(), k.vgpr("x"), k.sgpr("base")
        k.v_mov_b32(x, k.group_id)
        k.ds_write_b32(offset, x)
        k.wait_counts(lgkmcnt=0)
        k.s_barrier()
        k.ds_read_b32(x, offset)
        k.s_lshl_b32(base, k.group_id, 8)
        k.v_add_u32(offset, base, offset)
        k.wait(x)
        k.store(x, out, offset)

    out = run(body, {"out": zeros(64 * 5)}, grid=(5,)).arrays["out"]
    assert np.array_equal(out, np.repeat(np.arange(5), 64))


def test_bank_conflicts_are_counted() -> None:
    def body(k: Kit, shift: int) -> None:
        k.lds("buffer", 64 << shift)
        offset, x = k.vgpr("offset"), k.vgpr("x")
        k.v_lshlrev_b32(offset, shift, k.lane)
        k.ds_write_b32(offset, k.lane)
        k.ds_read_b32(x, offset)
        k.wait_counts(lgkmcnt=0)

    free = run(lambda k: body(k, 2), {}, arch="gfx942").report.counters
    assert free["SQ_LDS_BANK_CONFLICT"] == 0
    assert free["lds_accesses"] == 2
    # Every lane of a phase of 32 in one bank: 31 cycles lost in each of two phases, for both instructions.
    conflicted = run(lambda k: body(k, 7), {}, arch="gfx942").report.counters
    assert conflicted["SQ_LDS_BANK_CONFLICT"] == 2 * 2 * 31


# ---- transposing reads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [16, 8, 6, 4])
def test_transposing_reads_do_what_amd_tests_on_its_machines(bits: int) -> None:
    """The layout that rocRoller's GPU test of gfx950 expects (TransposeLoadsTest.cpp, 16 x K elements, two reads)."""
    read = {6: "ds_read_b96_tr_b6"}.get(bits, f"ds_read_b64_tr_b{bits}")
    dwords = 3 if bits == 6 else 2
    step = 16 if bits == 6 else 8  # bytes of a lane's piece in LDS; 96 bits are padded to 128
    data = np.random.default_rng(bits).integers(0, 1 << bits, 2 * 64 * 32 * dwords // bits).astype(np.uint32)
    words = pack_bits(data, bits).reshape(64, 2, dwords)

    def body(k: Kit) -> None:
        out, inputs = k.pointers("out", "inputs")
        k.lds("tile", 2 * 64 * step)
        given, found = k.vgpr("given", 4), [k.vgpr("first", dwords, align=2), k.vgpr("second", dwords, align=2)]
        offset, address, free = k.lane_bytes(), k.vgpr("address"), k.vgpr("free")
        for piece in (0, 1):
            for word in range(dwords):
                k.global_load_dword(given[word], offset, inputs, offset=256 * (piece * dwords + word))
            k.wait(given)
            k.v_mul_u32_u24(address, 2 * step, k.lane)
            getattr(k, f"ds_write_b{32 * dwords}")(address, given[0:dwords], offset=piece * step)
        k.v_and_b32(address, 15, k.lane)
        k.v_lshrrev_b32(free, 4, k.lane)
        k.v_lshl_or_b32(address, free, 5, address)
        k.v_mul_u32_u24(address, step, address)
        for number, target in enumerate(found):
            getattr(k, read)(target, address, offset=16 * step * number)
        k.wait(*found)
        for number, register in enumerate([register for target in found for register in target]):
            k.global_store_dword(offset, register, out, offset=256 * number)

    arrays = {"out": zeros(2 * dwords * 64), "inputs": np.ascontiguousarray(words.transpose(1, 2, 0)).reshape(-1)}
    registers = run(body, arrays).arrays["out"].reshape(2, dwords, 64)
    lane = np.arange(64)
    for number in (0, 1):
        if bits == 6:  # 16 lanes exchange 16 x 16 elements
            got = unpack_bits(registers[number], 6)
            first = (2 * (lane // 16) + number) * 256
        else:
            got = unpack_bits(registers[number], bits).reshape(2, -1, 64)
            inside = 32 // bits
            first = (4 * (lane // 16) + 2 * number + np.arange(2)[:, None, None]) * 16 * inside
        element = np.arange(got.shape[-2])[:, None]
        np.testing.assert_array_equal(got, data[first + 16 * element + lane % 16])

"""What waves find when they start: ids, arguments, EXEC of a wave that is not full; and launches that make no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, assemble, run, write, zeros
from support.foreign import foreign_text

from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.emulator.machine import Machine
from hkasm.emulator.memory import Memory
from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError, LaunchError


def _ids(k: Kit) -> None:
    """Store x | y << 8 | z << 16 of the workgroup where the workgroup's number says."""
    (out,) = k.pointers("out")
    x, y, z = k.group_ids
    value, place, stored, where = k.sgpr("value"), k.sgpr("place"), k.vgpr("stored"), k.vgpr("where")
    k.s_lshl_b32(value, y, 8)
    k.s_or_b32(value, value, x)
    k.s_lshl_b32(place, z, 16)
    k.s_or_b32(value, value, place)
    k.s_mul_i32(place, z, 3)
    k.s_add_u32(place, place, y)
    k.s_mul_i32(place, place, 2)
    k.s_add_u32(place, place, x)
    k.s_lshl_b32(place, place, 2)
    k.v_mov_b32(stored, value)
    k.v_mov_b32(where, place)
    k.global_store_dword(where, stored, out)


@pytest.mark.parametrize("resident", [1 << 30, 1])
def test_workgroup_ids_run_over_the_grid_however_many_are_resident(resident: int) -> None:
    out = run(_ids, {"out": zeros(24)}, grid=(2, 3, 4), options=Options(resident_bytes=resident)).arrays["out"]
    z, y, x = np.meshgrid(np.arange(4), np.arange(3), np.arange(2), indexing="ij")
    assert np.array_equal(out, (x | y << 8 | z << 16).reshape(-1))


def test_work_item_ids_are_packed_and_a_last_wave_may_be_part_full() -> None:
    k = Builder("gfx950", "kernel", block=(5, 6, 3))
    out, x, y, where = k.sgpr("out", 2), k.vgpr("x"), k.vgpr("y"), k.vgpr("where")
    k.arg("out", "u32", pointer=True, access="write")
    k.s_load_dwordx2(out, k.kernarg, 0)
    k.v_bfe_u32(x, k.lane, 10, 10)
    k.v_lshrrev_b32(y, 20, k.lane)
    k.v_mul_lo_u32(y, y, 6)
    k.v_add_u32(x, x, y)
    k.v_mul_lo_u32(x, x, 5)
    k.v_and_b32(y, 0x3FF, k.lane)
    k.v_add_lshl_u32(where, x, y, 2)
    k.wait(out)
    k.global_store_dword(where, k.lane, out)
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    machine = Machine(CodeObject.from_bytes(assemble(text, "gfx950", tuple(origins))))
    buffer = machine.memory.allocate(4 * 128, "out")
    machine.launch("kernel", (1,), (5, 6, 3), buffer.address.to_bytes(8, "little"))
    z, y_, x_ = np.meshgrid(np.arange(3), np.arange(6), np.arange(5), indexing="ij")
    assert np.array_equal(buffer.u32[:90], (x_ | y_ << 10 | z << 20).reshape(-1))
    assert not buffer.u32[90:].any()


def test_dynamic_lds_comes_behind_the_static_bytes() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("static", 256)
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.ds_write_b32(offset, k.lane, offset=256)
        k.ds_read_b32(x, offset, offset=256)
        k.wait(x)
        k.store(x, out, offset)

    with pytest.raises(EmulatorError, match="touches 4 bytes of LDS"):
        run(body, {"out": zeros()})
    assert np.array_equal(run(body, {"out": zeros()}, lds_bytes=256).arrays["out"], np.arange(64))


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine(CodeObject.from_bytes(write(lambda k: None)))


@pytest.mark.parametrize(
    ("grid", "block", "lds", "message"),
    [
        ((0,), (64,), 0, r"grid \(0,\) is not one to three numbers of workgroups"),
        ((1, 2, 3, 4), (64,), 0, r"grid \(1, 2, 3, 4\)"),
        ((), (64,), 0, r"grid \(\) is not one to three numbers"),
        (1, (64,), 0, r"grid wants one to three numbers of workgroups, got 1"),
        ((1 << 26,), (64,), 0, r"67108864 workgroups of 64 along x, fewer than 4294967296 work-items"),
        ((1,), (128,), 0, r"is made for a block of \[64, 1, 1\], got \[128, 1, 1\]"),
        ((1,), (32, 2), 0, r"is made for a block of \[64, 1, 1\], got \[32, 2, 1\]"),
        ((1,), (64,), "x", r"lds_bytes is a number of bytes, got 'x'"),
        ((1,), (2.5,), 0, r"block \(2.5,\)"),
        ((1,), (64, 32), 0, r"a block of 2048 work-items, at most 1024 fit"),
        ((1,), (64,), 1 << 20, r"wants 1048576 bytes of LDS a workgroup, gfx950 has 163840"),
        ((1,), (64,), -4, r"wants -4 bytes of LDS"),
    ],
)
def test_launches_that_make_no_sense_are_refused(
    machine: Machine, grid: Any, block: tuple[int, ...], lds: Any, message: str
) -> None:
    with pytest.raises(LaunchError, match=message):
        machine.launch("kernel", grid, block, lds_bytes=lds)


def test_an_unknown_kernel_gets_a_hint(machine: Machine) -> None:
    with pytest.raises(LaunchError, match=r"no kernel 'kernal'\n  hint: did you mean 'kernel'\?"):
        machine.launch("kernal", (1,), (64,))


def test_machines_share_one_memory_and_launches_follow_each_other() -> None:
    def body(k: Kit) -> None:
        (data,) = k.pointers("data")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.global_load_dword(x, offset, data)
        k.wait(x)
        k.v_add_u32(x, 1, x)
        k.store(x, data, offset)

    memory = Memory()
    machines = [Machine(CodeObject.from_bytes(write(body)), memory) for _ in range(2)]
    data = memory.allocate(256, "data")
    for machine in machines * 2:
        machine.launch("kernel", (1,), (64,), data.address.to_bytes(8, "little"))
    assert (data.u32 == 4).all()
    assert not any("kernel arguments" in buffer.name for buffer in memory.buffers)


def test_counters_are_of_one_launch_and_named_as_the_profiler_names_them() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.store(k.lane, out)

    report = run(body, {"out": zeros(128)}, block=128).report
    assert report.counters["SQ_INSTS_VALU"] == 2
    assert report.counters["SQ_INSTS_SMEM"] == 2
    assert report.counters["SQ_INSTS_VMEM"] == 2
    assert report.counters["store_bytes"] == 512
    assert report.counters["store_segments"] == report.counters["store_segments_whole"] == 8
    assert report.instructions == report.counters["SQ_INSTS"]


def test_strided_stores_fill_no_segment() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.store(k.lane, out, k.lane_bytes(8))

    counters = run(body, {"out": zeros(128)}).report.counters
    assert counters["store_segments"] == 8
    assert counters["store_segments_whole"] == 0


def test_a_workgroup_may_wait_for_one_that_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all workgroups run at once; those that make no end let later ones begin beside them."""

    def body(k: Kit) -> None:
        (flag,) = k.pointers("flag")
        zero, x, seen = k.vgpr("zero"), k.vgpr("x"), k.sgpr("seen")
        spin, last, done = k.label("spin"), k.label("last"), k.label("done")
        k.v_mov_b32(zero, 0)
        k.s_cmp_eq_u32(k.group_id, 2)
        k.s_cbranch_scc1(last)
        k.place(spin)
        k.s_sleep(1)
        k.global_load_dword(x, zero, flag, sc0=1, sc1=1)
        k.wait(x)
        k.v_readfirstlane_b32(seen, x)
        k.s_cmp_eq_u32(seen, 0)
        k.s_cbranch_scc1(spin)
        k.s_branch(done)
        k.place(last)
        k.v_mov_b32(x, 1)
        k.global_store_dword(zero, x, flag, sc0=1, sc1=1)
        k.place(done)

    monkeypatch.setattr("hkasm.emulator.machine.WORKING_BYTES", 1)
    monkeypatch.setattr("hkasm.emulator.machine.WORKING_WAVES", 1)
    run(body, {"flag": np.zeros(1, np.uint32)}, grid=(3,), options=Options(max_seconds=30))


def test_a_scalar_load_may_pass_the_last_argument_up_to_sixteen_bytes() -> None:
    """LLVM widens a load of three dwords to four where it cannot leave the 16 bytes."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        for number in range(5):
            k.arg(f"a{number}", "u32")
        four = k.sgpr("four", 4, align=4)
        k.s_load_dwordx4(four, k.kernarg, 16)
        k.wait(four)
        k.store(four[0], out)

    machine = Machine(CodeObject.from_bytes(write(body)))
    out = machine.memory.allocate(256, "out")
    kernarg = int(out.address).to_bytes(8, "little") + bytes(8) + (7).to_bytes(4, "little") + bytes(8)
    assert len(kernarg) == 28
    machine.launch("kernel", (1,), (64,), kernarg)
    assert (out.u8[:256].view(np.uint32) == 7).all()


@pytest.mark.parametrize("kernarg", ["abc", 8, None])
def test_kernel_arguments_are_bytes(kernarg: object) -> None:
    machine = Machine(CodeObject.from_bytes(write(lambda k: None)))
    with pytest.raises(LaunchError, match="kernel: kernel arguments are bytes, got"):
        machine.launch("kernel", (1,), (64,), kernarg)  # type: ignore[arg-type]


def _beyond_accum_offset(extra: str = "") -> bytes:
    """A kernel with room for 32 registers and AGPRs from 8 on, that stores what it puts into v20."""
    text = foreign_text(
        f"""
        s_load_dwordx2 s[2:3], s[0:1], 0x0
        v_lshlrev_b32_e32 v1, 2, v0
        v_add_u32_e32 v20, 7, v0
        {extra}
        s_waitcnt lgkmcnt(0)
        global_store_dword v1, v20, s[2:3]
        s_endpgm
        """,
        next_free_vgpr=32, next_free_sgpr=16, accum_offset=8, user_sgpr_kernarg_segment_ptr=1, kernarg_size=8,
    )  # fmt: skip
    return assemble(text, "gfx942")


def test_vgprs_may_run_on_where_agprs_would_be() -> None:
    """As AITER's attention kernels have it: ACCUM_OFFSET 160, no AGPRs, and v235."""
    machine = Machine(CodeObject.from_bytes(_beyond_accum_offset()))
    out = machine.memory.allocate(256, "out")
    machine.launch("kernel", (1,), (64,), out.address.to_bytes(8, "little"))
    assert np.array_equal(out.u32, np.arange(64) + 7)


def test_vgprs_and_agprs_are_not_the_same_registers() -> None:
    machine = Machine(CodeObject.from_bytes(_beyond_accum_offset("v_accvgpr_write_b32 a0, v0")))
    with pytest.raises(EmulatorError, match=r"a0: the kernel uses AGPRs and VGPRs beyond v7, which are the same"):
        machine.launch("kernel", (1,), (64,), bytes(8))


def test_registers_end_where_the_descriptor_says() -> None:
    machine = Machine(CodeObject.from_bytes(_beyond_accum_offset("v_mov_b32_e32 v32, 0")))
    with pytest.raises(EmulatorError, match=r"v32 is beyond the registers that the kernel's descriptor allocates"):
        machine.launch("kernel", (1,), (64,), bytes(8))

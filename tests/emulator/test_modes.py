"""MODE while a kernel runs: denormals, indexed VGPRs, relative SGPR moves, skipped vector instructions."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, assemble, run, zeros

from hkasm.asm.codeobject import CodeObject
from hkasm.emulator.machine import Machine
from hkasm.errors import EmulatorError
from hkasm.isa.registers import M0

DENORMAL = 0x00000123
MODE_DENORM_32 = 1 | 4 << 6 | 1 << 11
"""hwreg(HW_REG_MODE, 4, 2)."""
MODE_ROUND_32 = 1 | 0 << 6 | 1 << 11
"""hwreg(HW_REG_MODE, 0, 2)."""


def test_the_kernel_starts_with_its_descriptors_denormal_rule_and_may_change_it() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y, offset = k.vgpr("x"), k.vgpr("y"), k.lane_bytes()
        k.v_mov_b32(x, DENORMAL)
        k.s_setreg_imm32_b32(MODE_DENORM_32, 0)
        k.v_add_f32(y, 0, x)
        k.store(y, out, offset)
        k.s_setreg_imm32_b32(MODE_DENORM_32, 3)
        k.v_add_f32(y, 0, x)
        k.global_store_dword(offset, y, out, offset=256)

    out = run(body, {"out": zeros(128)}).arrays["out"]
    assert np.array_equal(out, np.repeat([0, DENORMAL], 64))


@pytest.mark.parametrize(("mode", "steps"), [(0, 0), (1, 1), (2, 0), (3, 0)])
def test_a_kernel_may_change_how_results_round(mode: int, steps: int) -> None:
    """1 + 2**-30 rounds to 1, or up to the next number."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.vgpr("y")
        k.v_mov_b32(x, 0x30800000)
        k.s_setreg_imm32_b32(MODE_ROUND_32, mode)
        k.v_add_f32(y, 1.0, x)
        k.store(y, out)

    out = run(body, {"out": zeros()}).arrays["out"]
    assert (out == 0x3F800000 + steps).all()


def test_waves_may_differ_in_rounding() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        wave, x, y = k.sgpr("wave"), k.vgpr("x"), k.vgpr("y")
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_lshr_b32(wave, wave, 6)
        k.s_setreg_b32(MODE_ROUND_32, wave)
        k.v_mov_b32(x, 0xB0800000)
        k.v_sub_f32(y, -1.0, x)
        k.store(y, out)

    out = run(body, {"out": zeros(256)}, block=256).arrays["out"]
    assert np.array_equal(out, np.repeat([0xBF800000, 0xBF7FFFFF, 0xBF800000, 0xBF7FFFFF], 64))


@pytest.mark.parametrize("mode", range(4))
def test_the_descriptor_says_how_results_round_at_first(mode: int) -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, y = k.vgpr("x"), k.vgpr("y")
        k.v_mov_b32(x, 0x30800000)
        k.v_add_f32(y, 1.0, x)
        k.store(y, out)

    k = Kit("gfx950", "kernel", block=64)
    body(k)
    k.s_endpgm()
    text = (
        k.finish()
        .text_with_origins()[0]
        .replace("  .amdhsa_dx10_clamp 1", f"  .amdhsa_float_round_mode_32 {mode}\n  .amdhsa_dx10_clamp 1")
    )
    machine = Machine(CodeObject.from_bytes(assemble(text, "gfx950")))
    out = machine.memory.allocate(256, "out")
    machine.launch("kernel", (1,), (64,), int(out.address).to_bytes(8, "little"))
    assert (out.u32 == 0x3F800000 + (mode == 1)).all()


def test_waves_may_differ_in_mode() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        wave, x, y = k.sgpr("wave"), k.vgpr("x"), k.vgpr("y")
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_lshr_b32(wave, wave, 6)
        k.s_mul_i32(wave, wave, 3)
        k.s_setreg_b32(MODE_DENORM_32, wave)
        k.v_mov_b32(x, DENORMAL)
        k.v_add_f32(y, 0, x)
        k.store(y, out)

    out = run(body, {"out": zeros(128)}, block=128).arrays["out"]
    assert np.array_equal(out, np.repeat([0, DENORMAL], 64))


def test_indexed_sources_and_destinations() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        table, picked, offset = k.vgpr("table", 4), k.vgpr("picked", 4), k.lane_bytes()
        index = k.sgpr("index")
        for number, register in enumerate(table):
            k.v_mov_b32(register, 10 + number)
        for register in picked:
            k.v_mov_b32(register, 0)
        k.s_mov_b32(index, 2)
        k.s_set_gpr_idx_on(index, 1)  # SRC0
        k.v_mov_b32(picked[0], table[0])
        k.s_set_gpr_idx_off()
        k.s_set_gpr_idx_on(index, 8)  # DST
        k.v_mov_b32(picked[1], 77)
        k.s_set_gpr_idx_off()
        for number in range(4):
            k.global_store_dword(offset, picked[number], out, offset=256 * number)

    out = run(body, {"out": zeros(256)}).arrays["out"].reshape(4, 64)
    assert np.array_equal(out[:, 0], [12, 0, 0, 77])
    assert (out == out[:, :1]).all()


def test_each_wave_has_its_own_index() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        table, x, wave = k.vgpr("table", 4), k.vgpr("x"), k.sgpr("wave")
        for number, register in enumerate(table):
            k.v_mov_b32(register, 10 + number)
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_lshr_b32(wave, wave, 6)
        k.s_set_gpr_idx_on(wave, 1)
        k.v_mov_b32(x, table[0])
        k.s_set_gpr_idx_off()
        k.store(x, out)

    out = run(body, {"out": zeros(256)}, block=256).arrays["out"]
    assert np.array_equal(out, 10 + np.arange(256) // 64)


@pytest.mark.parametrize("each", [False, True], ids=["one index", "an index a wave"])
def test_accumulation_registers_are_indexed_too(each: bool) -> None:
    """AITER's gfx950 f4gemm walks over its accumulators so: v_accvgpr_read_b32 with SRC0 moved."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        table, picked, index, offset = k.agpr("table", 6), k.vgpr("picked", 2), k.sgpr("index"), k.lane_bytes()
        for number, register in enumerate(table):
            k.v_accvgpr_write_b32(register, 10 + number)
        k.v_readfirstlane_b32(index, k.lane)
        k.s_lshr_b32(index, index, 6)
        if not each:
            k.s_mov_b32(index, 3)
        k.s_set_gpr_idx_on(index, 1)  # SRC0
        k.v_accvgpr_read_b32(picked[0], table[1])
        k.s_set_gpr_idx_off()
        k.s_set_gpr_idx_on(index, 8)  # DST
        k.v_accvgpr_write_b32(table[0], 30)
        k.s_set_gpr_idx_off()
        k.v_accvgpr_read_b32(picked[1], table[3])
        k.global_store_dword(offset, picked[0], out)
        k.global_store_dword(offset, picked[1], out, offset=1024)

    out = run(body, {"out": zeros(512)}, block=256).arrays["out"].reshape(2, 4, 64)[:, :, 0]
    assert out[0].tolist() == ([11, 12, 13, 14] if each else [14] * 4)
    assert out[1].tolist() == ([13, 13, 13, 30] if each else [30] * 4)


def test_an_index_out_of_the_accumulation_registers_is_an_error() -> None:
    def body(k: Kit) -> None:
        index, x, table = k.sgpr("index"), k.vgpr("x"), k.agpr("table", 4)
        k.v_accvgpr_write_b32(table[0], 0)
        k.s_mov_b32(index, 200)
        k.s_set_gpr_idx_on(index, 1)
        k.v_accvgpr_read_b32(x, table[1])

    with pytest.raises(EmulatorError, match=r"M0 moves an operand to a201: a201 is beyond"):
        run(body, {})


def test_an_index_out_of_the_file_is_an_error() -> None:
    def body(k: Kit) -> None:
        index, x = k.sgpr("index"), k.vgpr("x")
        k.s_mov_b32(index, 200)
        k.s_set_gpr_idx_on(index, 1)
        k.v_mov_b32(x, k.lane)

    with pytest.raises(EmulatorError, match=r"M0 moves an operand to v200"):
        run(body, {})


def test_indexed_access_to_a_register_in_flight_is_found() -> None:
    def body(k: Kit, number: int) -> None:
        source, _ = k.pointers("source", "out")
        table, x, index = k.vgpr("table", 2), k.vgpr("x"), k.sgpr("index")
        k.v_mov_b32(table[0], 1)
        k.global_load_dword(table[1], k.lane_bytes(), source)
        k.s_mov_b32(index, number)
        k.s_set_gpr_idx_on(index, 1)
        k.v_mov_b32(x, table[0])
        k.s_set_gpr_idx_off()

    arrays = {"source": zeros(), "out": zeros()}
    assert run(lambda k: body(k, 0), arrays, options=COLLECT).rules == []
    assert run(lambda k: body(k, 1), arrays, options=COLLECT).rules == ["register-in-flight"]


def test_relative_scalar_moves() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        table, x, offset = k.sgpr("table", 4), k.sgpr("x"), k.lane_bytes()
        for number, register in enumerate(table):
            k.s_mov_b32(register, 20 + number)
        k.s_mov_b32(M0, 3)
        k.s_nop(0)
        k.s_movrels_b32(x, table[0])
        k.store(x, out, offset)
        k.s_mov_b32(M0, 1)
        k.s_nop(0)
        k.s_movreld_b32(table[0], 5)
        k.s_add_u32(x, table[0], table[1])
        copy = k.vgpr("copy")
        k.v_mov_b32(copy, x)
        k.global_store_dword(offset, copy, out, offset=256)

    out = run(body, {"out": zeros(128)}).arrays["out"]
    assert np.array_equal(out, np.repeat([23, 25], 64))


def test_vector_instructions_are_skipped_under_vskip() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        wave, x = k.sgpr("wave"), k.vgpr("x")
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_lshr_b32(wave, wave, 6)
        k.v_mov_b32(x, 1)
        k.s_setvskip(wave, 0)
        k.v_mov_b32(x, 2)
        k.s_setvskip(0, 0)
        k.store(x, out)

    out = run(body, {"out": zeros(128)}, block=128).arrays["out"]
    assert np.array_equal(out, np.repeat([2, 1], 64))

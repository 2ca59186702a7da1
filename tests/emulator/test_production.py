"""Rare instructions that production kernels use and no other test runs: results worked out by hand."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from support.emulate import Kit, run, zeros
from support.hand import vector

from hkasm.isa.registers import VCC, Register


def _lane_adds(k: Kit, form: str, name: str, bits: int) -> None:
    """Every lane adds `bits` to the dword of lane % 4."""
    (out,) = k.pointers("out")
    x, where = k.vgpr("x"), k.vgpr("where")
    k.v_mov_b32(x, bits)
    k.v_and_b32(where, 3, k.lane)
    k.v_lshlrev_b32(where, 2, where)
    if form == "global":
        getattr(k, f"global_atomic_{name}")(where, x, out)
        return
    buffer = k.sgpr("buffer", 4, align=4)
    k.s_mov_b64(buffer[0:2], out)
    k.s_mov_b32(buffer[2], 12)  # the fourth dword is out of range
    k.s_mov_b32(buffer[3], 0)
    getattr(k, f"buffer_atomic_{name}")(x, where, buffer, 0, offen=1)


def _pair(dtype: object, low: float, high: float) -> int:
    return int(np.array([low, high], dtype).view(np.uint32)[0])  # type: ignore[call-overload]


@pytest.mark.parametrize("form", ["global", "buffer"])
@pytest.mark.parametrize(
    ("name", "bits", "after"),
    [
        ("add_f32", int(np.float32(1.5).view(np.uint32)), int(np.float32(24.0).view(np.uint32))),
        ("pk_add_f16", _pair(np.float16, 0.5, -2.0), _pair(np.float16, 8.0, -32.0)),
        ("pk_add_bf16", _pair(ml_dtypes.bfloat16, 0.5, -2.0), _pair(ml_dtypes.bfloat16, 8.0, -32.0)),
    ],
)
def test_float_atomics_add_up_sixteen_lanes(form: str, name: str, bits: int, after: int) -> None:
    out = run(lambda k: _lane_adds(k, form, name, bits), {"out": np.zeros(64, np.uint32)}).arrays["out"]
    assert list(out[:4]) == [after, after, after, after if form == "global" else 0]
    assert not out[4:].any()


def test_compare_and_swap_of_64_bits() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        data, where = k.vgpr("data", 4, align=2), k.lane_bytes(8)
        for register, value in zip(data, (7, 8, 5, 6), strict=True):  # new value, then what is compared
            k.v_mov_b32(register, value)
        k.global_atomic_cmpswap_x2(where, data, out)

    before = np.zeros((64, 2), np.uint32)
    before[::2] = (5, 6)
    after = run(body, {"out": before}).arrays["out"]
    assert (after[::2] == (7, 8)).all()
    assert (after[1::2] == 0).all()


def test_a_semaphore_in_scalar_memory() -> None:
    """Split-K's countdown: a scalar store sets it, four waves take one each, the one that finds 0 knows it is last."""

    def body(k: Kit) -> None:
        counter, out = k.pointers("counter", "out")
        count, one, wave = k.sgpr("count"), k.sgpr("one"), k.sgpr("wave")
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_lshr_b32(wave, wave, 6)
        k.s_mov_b32(one, 3)  # wraps to 3 from 0
        k.s_atomic_dec(one, counter, 0, glc=1)
        k.wait()
        k.s_mov_b32(count, 77)
        k.s_lshl_b32(wave, wave, 2)
        k.s_store_dword(one, out, wave)
        k.wait()

    arrays = {"counter": np.full(1, 3, np.uint32), "out": zeros(4)}
    after = run(body, arrays, block=256).arrays
    assert sorted(after["out"]) == [0, 1, 2, 3]
    assert int(after["counter"][0]) == 3


def test_or_in_lds() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        cell, bit, where = k.lds("cell", 4), k.vgpr("bit"), k.vgpr("where")
        k.v_mov_b32(where, cell.offset)
        k.v_mov_b32(bit, 0)
        k.ds_write_b32(where, bit)
        k.v_and_b32(bit, 7, k.lane)
        k.v_lshlrev_b32(bit, bit, 1)
        k.ds_or_b32(where, bit)
        k.ds_read_b32(bit, where)
        k.wait(bit)
        k.store(bit, out)

    assert (run(body, {"out": zeros()}).arrays["out"] == 0xFF).all()


def test_a_buffer_load_into_half_a_register() -> None:
    def body(k: Kit) -> None:
        data, out = k.pointers("data", "out")
        buffer, x = k.sgpr("buffer", 4, align=4), k.vgpr("x")
        k.s_mov_b64(buffer[0:2], data)
        k.s_mov_b32(buffer[2], 128)
        k.s_mov_b32(buffer[3], 0)
        k.buffer_load_short_d16(x, k.lane_bytes(2), buffer, 0, offen=1)
        k.wait(x)
        k.v_and_b32(x, 0xFFFF, x)
        k.store(x, out)

    data = np.arange(64, dtype=np.uint16) * 1000
    assert np.array_equal(run(body, {"data": data, "out": zeros()}).arrays["out"], data)


def test_priorities_sleeps_and_nops_change_nothing() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.s_setprio(3)
        k.s_sleep(2)
        k.s_nop(7)
        k.s_setprio(0)
        k.store(k.lane, out)

    assert np.array_equal(run(body, {"out": zeros()}).arrays["out"], np.arange(64))


@pytest.mark.parametrize(("arch", "kind"), [("gfx942", ml_dtypes.float8_e4m3fnuz), ("gfx950", ml_dtypes.float8_e4m3fn)])
def test_pairs_of_eight_bit_floats(arch: str, kind: object) -> None:
    codes = np.array([0x38, 0xB4], np.uint8)

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        x, pair, where = k.vgpr("x"), k.vgpr("pair", 2, align=2), k.lane_bytes(8)
        k.v_mov_b32(x, 0xB438)
        k.v_cvt_pk_f32_fp8(pair, x)
        k.global_store_dwordx2(where, pair, out)

    out = run(body, {"out": zeros(128)}, arch=arch).arrays["out"].view(np.float32).reshape(64, 2)
    assert (out == codes.view(kind).astype(np.float32)).all()  # type: ignore[call-overload]


def test_scaled_conversions_to_four_bits_and_from_eight() -> None:
    """1.0 and -3.0 over the scale 2 are 0.5 and -1.5: codes 1 and 0xB; code 0x38 of e4m3 is 1.0, times 4."""

    def to_fp4(k: Kit, d: Register, s: object) -> None:
        k.v_cvt_scalef32_pk_fp4_f32(d, s[0], s[1], s[2])  # type: ignore[index]

    one, minus_three, two, four = (int(np.float32(value).view(np.uint32)) for value in (1.0, -3.0, 2.0, 4.0))
    (word,) = vector(to_fp4, one, minus_three, two, old=0)
    assert word & 0xFF == 0xB1

    def from_fp8(k: Kit, d: Register, s: object) -> None:
        k.v_cvt_scalef32_pk_bf16_fp8(d, s[0], s[1])  # type: ignore[index]

    (word,) = vector(from_fp8, 0xB838, four)
    assert word == _pair(ml_dtypes.bfloat16, 4.0, -4.0)


def test_a_sparse_product_of_eight_bit_floats() -> None:
    """All of A's kept elements 1, all of B 2, C 3: 64 of 128 products are kept, each 2."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        a, b, d, index = k.vgpr("a", 4, align=4), k.vgpr("b", 8, align=4), k.vgpr("d", 4, align=4), k.vgpr("index")
        for register in a:
            k.v_mov_b32(register, 0x38383838)
        for register in b:
            k.v_mov_b32(register, 0x40404040)
        for register in d:
            k.v_mov_b32(register, int(np.float32(3.0).view(np.uint32)))
        k.v_mov_b32(index, 0x44444444)  # the first and the second of every four
        k.v_smfmac_f32_16x16x128_fp8_fp8(d, a, b, index)
        for number in range(4):
            k.global_store_dword(k.lane_bytes(), d[number], out, offset=256 * number)

    out = run(body, {"out": zeros(256)}).arrays["out"].view(np.float32)
    assert (out == 3.0 + 64 * 2.0).all()


def test_a_sparse_product_sums_what_pairs_of_lane_groups_hold() -> None:
    """As AITER's fmha_v4_fwd for gfx950 has it: row 4g + 0 of A keeps places 0 and 1 of every four, row 4g + 1 places 2
    and 3; of a lane's eight quads the first four in rows of even g, the last four in those of odd g. Their sum is what
    lanes l % 16 of groups g and g + 2 hold, which are one column of the 32x32 product that they come from.
    """
    weights = np.random.default_rng(5).integers(0, 4, (64, 32)).astype(np.float32)  # [lane, element]
    codes = weights.astype(ml_dtypes.float8_e4m3fn).view(np.uint32)

    def body(k: Kit) -> None:
        b_from, out = k.pointers("b", "out")
        a, b, d = k.vgpr("a", 4, align=4), k.vgpr("b", 8, align=4), k.vgpr("d", 4, align=4)
        place, half, ones, index, where = (k.vgpr(name) for name in ("place", "half", "ones", "index", "where"))
        k.v_lshlrev_b32(where, 5, k.lane)
        k.global_load_dwordx4(b[0:4], where, b_from)
        k.global_load_dwordx4(b[4:8], where, b_from, offset=16)
        k.v_and_b32(place, 3, k.lane)
        k.v_and_b32(half, 4, k.lane)
        k.v_mov_b32(ones, 0x38383838)
        k.v_cmp_gt_u32(VCC, 2, place)
        k.v_cndmask_b32(ones, 0, ones, VCC)
        k.v_cmp_eq_u32(VCC, 0, half)
        for register in a[0:2]:
            k.v_cndmask_b32(register, 0, ones, VCC)
        k.v_cmp_ne_u32(VCC, 0, half)
        for register in a[2:4]:
            k.v_cndmask_b32(register, 0, ones, VCC)
        k.v_mov_b32(index, 0x44444444)
        k.v_mov_b32(half, 0xEEEEEEEE)
        k.v_cmp_eq_u32(VCC, 1, place)
        k.v_cndmask_b32(index, index, half, VCC)
        for register in d:
            k.v_mov_b32(register, 0)
        k.wait()
        k.v_smfmac_f32_16x16x128_fp8_fp8(d, a, b, index)
        k.v_add_f32(d[0], d[0], d[1])
        k.store(d[0], out)

    out = run(body, {"b": codes, "out": zeros()}).arrays["out"].view(np.float32)
    sums = weights.sum(axis=1)
    assert np.array_equal(out, np.tile(sums[:32] + sums[32:], 2))

"""More instructions that clang's code does not reach, on the machine with the modifiers that each takes.

Results are worked out by hand from the CDNA3 and CDNA4 ISA documents' pseudocode.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import pytest
from support.emulate import Kit, run, zeros
from support.hand import lds, scalar, vector

from hkasm.isa.registers import VCC, Register

ONE, ONE_HALF, TWO, THREE, FOUR = 0x3C00, 0x3E00, 0x4000, 0x4200, 0x4400
"""f16: 1, 1.5, 2, 3, 4."""


def f32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def f64(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


@pytest.mark.parametrize(
    ("mnemonic", "mods", "expected"),
    [
        ("v_max3_f16", {}, TWO),  # of 1.0, 1.5, 2.0
        ("v_max3_f16", {"neg": 4}, ONE_HALF),  # of 1.0, 1.5, -2.0
        ("v_max3_f16", {"neg": 7}, 0xBC00),  # of -1.0, -1.5, -2.0
        ("v_max3_f16", {"neg": 7, "abs": 7}, 0xBC00),
        ("v_max3_f16", {"clamp": 1}, ONE),
        ("v_max3_f16", {"op_sel": 1}, FOUR),  # of 4.0, 1.5, 2.0
        ("v_min3_f16", {}, ONE),
        ("v_min3_f16", {"neg": 4}, 0xC000),
        ("v_min3_f16", {"abs": 4}, ONE),
        ("v_min3_f16", {"neg": 1, "clamp": 1}, 0x0000),  # -1.0, clamped
        ("v_min3_f16", {"op_sel": 1}, ONE_HALF),
    ],
)
def test_extremes_of_three_halves(mnemonic: str, mods: dict[str, int], expected: int) -> None:
    (got,) = vector(lambda k, d, x: getattr(k, mnemonic)(d, *x, **mods), FOUR << 16 | ONE, ONE_HALF, TWO)
    assert got & 0xFFFF == expected


def test_extremes_of_three_halves_into_the_high_half() -> None:
    got = vector(lambda k, d, x: k.v_max3_f16(d, *x, op_sel=8), ONE, ONE_HALF, TWO, old=0x12345678)
    assert got == [TWO << 16 | 0x5678]


def test_a_nan_is_left_out_of_three() -> None:
    for mnemonic, expected in (("v_max3_f16", TWO), ("v_min3_f16", ONE)):
        (got,) = vector(lambda k, d, x, m=mnemonic: getattr(k, m)(d, *x), 0x7E00, ONE, TWO)  # type: ignore[misc]
        assert got & 0xFFFF == expected


@pytest.mark.parametrize(
    ("mods", "expected"),
    [
        ({}, TWO),  # 3.0 - 1.0
        ({"e64": True}, TWO),
        ({"e64": True, "neg": 1}, FOUR),
        ({"e64": True, "neg": 2}, 0xC400),
        ({"e64": True, "neg": 3, "abs": 1}, 0xC000),  # -3.0 - -1.0
        ({"e64": True, "clamp": 1}, ONE),
    ],
)
def test_reversed_difference_of_halves(mods: dict[str, int], expected: int) -> None:
    (got,) = vector(lambda k, d, x: k.v_subrev_f16(d, x[0], x[1], **mods), ONE, THREE)
    assert got & 0xFFFF == expected


HALVES = (THREE << 16 | TWO, TWO << 16 | ONE_HALF)
"""f16 pairs: (2, 3) and (1.5, 2), low half first."""
BFLOATS = (0x40404000, 0x40003FC0)
"""The same in bf16."""


@pytest.mark.parametrize(
    ("mods", "expected"),
    [
        ({}, 9.5),  # 2 * 1.5 + 3 * 2 + 0.5
        ({"neg_lo": 1}, 3.5),
        ({"neg_hi": 2}, -2.5),
        ({"neg_lo": 4}, 8.5),
        ({"clamp": 1}, 1.0),
    ],
)
def test_dot_products_of_two(mods: dict[str, int], expected: float) -> None:
    for mnemonic, pairs in (("v_dot2_f32_f16", HALVES), ("v_dot2_f32_bf16", BFLOATS)):
        got = vector(
            lambda k, d, x, m=mnemonic: getattr(k, m)(d, *x, **mods),
            *pairs,
            f32(0.5),  # type: ignore[misc]
        )
        assert got == [f32(expected)], mnemonic


def test_dot_product_of_two_onto_the_destination() -> None:
    assert vector(lambda k, d, x: k.v_dot2c_f32_bf16(d, *x), *BFLOATS, old=f32(0.5)) == [f32(9.5)]


def test_packed_multiply_add_onto_the_destination() -> None:
    got = vector(lambda k, d, x: k.v_pk_fmac_f16(d, *x), *HALVES, old=0xBC00_3C00)  # 2*1.5+1, 3*2-1
    assert got == [0x4500_4400]


def test_bfloat16_to_float() -> None:
    assert vector(lambda k, d, x: k.v_cvt_f32_bf16(d, x[0]), 0xDEAD4049) == [0x40490000]
    assert vector(lambda k, d, x: k.v_cvt_f32_bf16(d, x[0]), 0xDEADFF80) == [0xFF800000]


@pytest.mark.parametrize(("source", "expected"), [(0x012CFFFF, 0xFF00), (0x00FF0100, 0xFFFF), (0x8000007F, 0x007F)])
def test_two_words_to_saturated_bytes(source: int, expected: int) -> None:
    assert vector(lambda k, d, x: k.v_sat_pk_u8_i16(d, x[0]), source) == [expected]


def test_high_half_of_a_24_bit_product() -> None:
    for mods in ({}, {"e64": True}):
        got = vector(lambda k, d, x, m=mods: k.v_mul_hi_u32_u24(d, *x, **m), 0xAAFFFFFF, 0xBBFFFFFF)  # type: ignore[misc]
        assert got == [0xFFFFFF * 0xFFFFFF >> 32]


def test_swap_and_accumulator_move() -> None:
    def swapped(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.v_mov_b32(d, x[1])
        k.v_swap_b32(d, x[0])
        k.v_lshl_or_b32(d, d, 16, x[0])

    assert vector(swapped, 0x1111, 0x2222) == [0x1111_2222]

    def moved(k: Kit, d: Register, x: Sequence[Register]) -> None:
        one, two = k.agpr("one"), k.agpr("two")
        k.v_accvgpr_write_b32(one, x[0])
        k.s_nop(5)
        k.v_accvgpr_mov_b32(two, one)
        k.s_nop(5)
        k.v_accvgpr_read_b32(d, two)

    assert vector(moved, 0xCAFE) == [0xCAFE]


TWO_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561
"""The first 256 bits of 2 / pi behind the point (the table of fdlibm's argument reduction)."""


@pytest.mark.parametrize(("segment", "exponent", "shift"), [(0, 0, 0), (1, 0, 53), (2, 0, 106), (0, 1100 - 1023, 23)])
def test_segments_of_two_over_pi(segment: int, exponent: int, shift: int) -> None:
    """53 bits of 2 / pi from bit 53 * S1, further on by what S0's exponent is over 1077."""
    bits = TWO_OVER_PI >> (256 - 53 - shift) & (1 << 53) - 1
    expected = f64(float(bits) * 2.0 ** (-53 - shift))
    source = f64(2.0**exponent)

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        pair = k.vgpr("pair", 2)
        k.v_mov_b32(pair[0], x[0])
        k.v_mov_b32(pair[1], x[1])
        k.v_trig_preop_f64(d, pair, x[2])

    low, high = vector(emit, source & 0xFFFFFFFF, source >> 32, segment, width=2)
    assert high << 32 | low == expected


# ---- scalar ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "expected"),
    [
        ("s_bfm_b32", 5, 3, 0xF8),  # five ones from bit 3
        ("s_bfm_b32", 0, 31, 0),
        ("s_pack_hh_b32_b16", 0x12345678, 0x9ABCDEF0, 0x9ABC1234),
    ],
)
def test_scalar_pairs_of_32_bits(mnemonic: str, a: int, b: int, expected: int) -> None:
    got = scalar(lambda k, d, x: getattr(k, mnemonic)(d, x[0][0], x[1][0]), a, b, width=1)
    assert got == [expected, 1]  # SCC stays


def test_scalar_mask_of_64_bits() -> None:
    low, high, scc = scalar(lambda k, d, x: k.s_bfm_b64(d, x[0][0], x[1][0]), 40, 4)
    assert (high << 32 | low, scc) == (((1 << 40) - 1) << 4, 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 0xFFFFFFFF), ((1 << 64) - 1, 0xFFFFFFFF), (1, 63), (-2 & (1 << 64) - 1, 63), (1 << 62, 1)],
)
def test_leading_bits_that_equal_the_sign(value: int, expected: int) -> None:
    assert scalar(lambda k, d, x: k.s_flbit_i32_i64(d, x[0]), value, width=1)[0] == expected


def test_a_field_of_mode_is_read_back() -> None:
    denormals = 1 | 4 << 6 | 3 << 11  # MODE, four bits from bit 4

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.s_setreg_imm32_b32(denormals, 5)
        k.s_nop(1)
        k.s_getreg_b32(d, denormals)

    assert scalar(emit, width=1)[0] == 5


# ---- LDS -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mnemonic", "operand", "after"),
    [
        ("ds_min_rtn_i64", -5 & (1 << 64) - 1, -5 & (1 << 64) - 1),
        ("ds_min_rtn_i64", 1 << 62, None),
        ("ds_min_rtn_u64", -5 & (1 << 64) - 1, None),
        ("ds_min_rtn_u64", 7, 7),
    ],
)
def test_minima_of_64_bits_in_lds(mnemonic: str, operand: int, after: int | None) -> None:
    word = 0x00000064  # its complement stands above: 0xFFFFFF9B, negative as i64
    old = (~word & 0xFFFFFFFF) << 32 | word
    signed = old - (1 << 64)
    wanted = operand if after is not None else old
    if mnemonic.endswith("i64"):
        number = operand - (1 << 64) if operand >> 63 else operand
        wanted = min(signed, number) & (1 << 64) - 1

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        data = k.vgpr("operand", 2)
        k.v_mov_b32(data[0], operand & 0xFFFFFFFF)
        k.v_mov_b32(data[1], operand >> 32)
        getattr(k, mnemonic)(d[0:2], x[0], data)
        k.ds_read_b64(d[2:4], x[0])

    words = lds(emit, word, 0, width=4)
    assert words[1] << 32 | words[0] == old
    assert words[3] << 32 | words[2] == wanted


def test_packed_bfloat16_sums_in_lds() -> None:
    """(2, 1) + (1, 3), twice: without and with the old value."""

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        data = k.vgpr("operand")
        k.v_mov_b32(data, 0x40403F80)
        k.ds_pk_add_bf16(x[0], data)
        k.ds_pk_add_rtn_bf16(d[0], x[0], data)
        k.ds_read_b32(d[1], x[0])

    assert lds(emit, 0x3F804000, 0, width=2) == [0x40804040, 0x40E04080]  # (3, 4), then (4, 7)


def test_pairs_64_elements_apart_in_lds() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("all", 4096)
        at, one, two, back = k.lane_bytes(8), k.vgpr("one", 2), k.vgpr("two", 2), k.vgpr("back", 4)
        for number, part in enumerate((*one, *two)):
            k.v_add_u32(part, 1000 * number, k.lane)
        k.ds_write2st64_b64(at, one, two, offset0=1, offset1=3)  # 64 * 8 and 3 * 64 * 8 bytes on
        k.ds_read2st64_b64(back, at, offset0=3, offset1=1)
        k.wait(back)
        for number, part in enumerate(back):
            place = k.vgpr("place")
            k.v_add_u32(place, 256 * number, k.lane_bytes())
            k.store(part, out, place)

    words = run(body, {"out": zeros(256)}).arrays["out"].reshape(4, 64)
    assert (words == np.arange(64) + np.array([[2000], [3000], [0], [1000]])).all()


# ---- conversions to 6 and 4 bits by a random seed --------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "expected"), [(0, 1.0), (0xFFFFFFFF, 1.125)])
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
def test_thirty_two_numbers_to_fp6_by_a_seed(kind: str, seed: int, expected: float) -> None:
    """A number between two of fp6 becomes the lower one by the least seed, the first one the upper by the greatest."""
    value = {"f32": f32(1.0625), "f16": 0x3C40_3C40, "bf16": 0x3F88_3F88}[kind]
    code = {1.0: 0b001000, 1.125: 0b001001}[expected]  # e2m3: bias 1
    count = 32 if kind == "f32" else 16

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        numbers = k.vgpr("numbers", count)
        for part in numbers:
            k.v_mov_b32(part, x[0])
        getattr(k, f"v_cvt_scalef32_sr_pk32_fp6_{kind}")(d, numbers, x[1], x[2])

    words = vector(emit, value, seed, f32(1.0), width=6)
    packed = sum(word << 32 * number for number, word in enumerate(words))
    found = [packed >> 6 * number & 63 for number in range(32)]
    assert found[0] == code
    assert (
        set(found) == {0b001000} if seed == 0 else set(found) <= {0b001000, 0b001001}
    )  # others draw seeds of their own


def test_a_carry_chain_s_flag_of_halves() -> None:
    """v_cmp_lg_f16 by its short form: 1 if the numbers differ and neither is a NaN."""
    for other, expected in ((ONE, 0), (TWO, 1), (0x7E00, 0)):

        def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
            k.v_cmp_lg_f16(VCC, x[0], x[1])
            k.s_nop(4)
            k.v_cndmask_b32(d, 0, 1, VCC, e64=True)

        assert vector(emit, ONE, other) == [expected]

"""Instructions that random C programs do not reach: operands and results worked out by hand from the ISA's text.

`bench/clang_differential.py --coverage` names what clang's code does not reach; what other tests do not hold stands
here, with the modifiers that each takes.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.emulate import Kit
from support.hand import lds, scalar, vector

from hkasm.isa.registers import VCC, Register

# ---- 16 bits: (a, b, c) with other halves that must not matter ------------------------------------------------------

A, B, C = 0x7FFF0005, 0x8000FFFD, 0x00090002
"""i16: 5, -3, 2 in the low halves and 32767, -32768, 9 in the high ones."""


@pytest.mark.parametrize(
    ("mnemonic", "mods", "expected"),
    [
        ("v_mad_i16", {}, 0xFFF3),  # 5 * -3 + 2 = -13
        ("v_mad_u16", {}, 0xFFF3),  # the same modulo 2**16
        ("v_mad_i16", {"op_sel": 4}, 0xFFFA),  # 5 * -3 + 9 = -6
        ("v_mad_i16", {"op_sel": 1}, 0x8005),  # 32767 * -3 + 2 = -98299 = 0x8005 modulo 2**16
        ("v_mad_u16", {"clamp": 1}, 0xFFFF),  # 5 * 65533 + 2 is too large
        ("v_max3_i16", {}, 0x0005),
        ("v_max3_u16", {}, 0xFFFD),
        ("v_max3_u16", {"op_sel": 2}, 0x8000),
        ("v_min3_i16", {}, 0xFFFD),
        ("v_min3_u16", {}, 0x0002),
        ("v_min3_i16", {"op_sel": 2}, 0x8000),
        ("v_med3_i16", {}, 0x0002),
        ("v_med3_u16", {}, 0x0005),
        ("v_med3_u16", {"op_sel": 7}, 0x7FFF),  # of 32767, 32768 and 9
    ],
)
def test_three_sources_of_16_bits(mnemonic: str, mods: dict[str, int], expected: int) -> None:
    (got,) = vector(lambda k, d, x: getattr(k, mnemonic)(d, *x, **mods), A, B, C)
    assert got & 0xFFFF == expected


def test_op_sel_writes_the_high_half_and_keeps_the_low() -> None:
    (got,) = vector(lambda k, d, x: k.v_mad_i16(d, *x, op_sel=8), A, B, C, old=0x12345678)
    assert got == 0xFFF35678


@pytest.mark.parametrize(
    ("mods", "expected"),
    [
        ({}, 0x3E00),  # of 1.0, 1.5, 2.0
        ({"neg": 4}, 0x3C00),  # of 1.0, 1.5, -2.0
        ({"neg": 3, "abs": 2}, 0xBC00),  # of -1.0, -1.5, 2.0
        ({"clamp": 1}, 0x3C00),
    ],
)
def test_med3_f16(mods: dict[str, int], expected: int) -> None:
    (got,) = vector(lambda k, d, x: k.v_med3_f16(d, *x, **mods), 0x3C00, 0x3E00, 0x4000)
    assert got & 0xFFFF == expected


def test_wider_sums_of_16_bit_products() -> None:
    assert vector(lambda k, d, x: k.v_mad_i32_i16(d, *x), A, B, 100) == [85]  # 5 * -3 + 100
    assert vector(lambda k, d, x: k.v_mad_i32_i16(d, *x, op_sel=3), A, B, 0) == [0xC0008000]  # -32767 * 32768
    assert vector(lambda k, d, x: k.v_mad_u32_u16(d, *x), A, B, 1) == [5 * 0xFFFD + 1]
    assert vector(lambda k, d, x: k.v_mad_u32_u16(d, *x, op_sel=3), A, B, 0) == [0x7FFF * 0x8000]


def test_pk_mad_i16() -> None:
    low, high = (5 * -3 + 2) & 0xFFFF, (0x7FFF * 0x8000 + 9) & 0xFFFF
    assert vector(lambda k, d, x: k.v_pk_mad_i16(d, *x), A, B, C) == [high << 16 | low]
    swapped = (5 * -3 + 9) & 0xFFFF, (0x7FFF * 0x8000 + 2) & 0xFFFF
    got = vector(lambda k, d, x: k.v_pk_mad_i16(d, *x, op_sel=4, op_sel_hi=3), A, B, C)
    assert got == [swapped[1] << 16 | swapped[0]]


# ---- floats ---------------------------------------------------------------------------------------------------------


def test_fma_mix_takes_halves_and_writes_the_high_one() -> None:
    one_and_two, three = 0x40003C00, 0x40400000  # f16 1.0, 2.0; f32 3.0

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.v_fma_mixhi_f16(d, x[0], x[1], x[0], op_sel=1, op_sel_hi=5)  # 2.0 * 3.0 + 1.0

    assert vector(emit, one_and_two, three, old=0x1234) == [0x47001234]

    def negated(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.v_fma_mix_f32(d, x[0], x[1], x[0], op_sel=1, op_sel_hi=5, neg_lo=1, neg_hi=0)  # -2.0 * 3.0 + 1.0

    assert vector(negated, one_and_two, three) == [0xC0A00000]


@pytest.mark.parametrize(
    ("mnemonic", "mods", "expected"),
    [
        ("v_cmp_lg_f16_e64", {}, False),
        ("v_cmp_nlg_f16_e64", {}, True),
        ("v_cmp_lg_f16_e64", {"neg": 1}, True),
        ("v_cmp_lg_f16_e64", {"neg": 1, "abs": 1}, True),
        ("v_cmp_lg_f16_e64", {"abs": 1}, False),
    ],
)
def test_comparisons_of_halves(mnemonic: str, mods: dict[str, int], expected: bool) -> None:
    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        getattr(k, mnemonic.removesuffix("_e64"))(VCC, x[0], x[1], e64=True, **mods)
        k.s_nop(4)
        k.v_cndmask_b32(d, 0, 1, VCC, e64=True)

    assert vector(emit, 0x3C00, 0x3C00) == [int(expected)]


def test_a_comparison_with_nan_is_neither_less_nor_greater() -> None:
    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.v_cmp_lg_f16(VCC, x[0], x[1], e64=True)
        k.s_nop(4)
        k.v_cndmask_b32(d, 0, 1, VCC, e64=True)

    assert vector(emit, 0x7E00, 0x3C00) == [0]


# ---- scalar ---------------------------------------------------------------------------------------------------------


def test_scalar_fields_of_64_bits() -> None:
    value = 0xFEDCBA9876543210
    # Offset 20, width 36: bits 20 to 55.
    field = value >> 20 & (1 << 36) - 1
    got = scalar(lambda k, d, x: k.s_bfe_u64(d, x[0], x[1][0]), value, 36 << 16 | 20)
    assert got == [field & 0xFFFFFFFF, field >> 32, 1]
    assert scalar(lambda k, d, x: k.s_bfe_u64(d, x[0], x[1][0]), value, 20) == [0, 0, 0]  # width 0


@pytest.mark.parametrize(
    ("bit", "is_set"), [(0, False), (4, True), (63, True), (62, True), (32 + 3, True), (32, False)]
)
def test_bit_tests_of_64_bits(bit: int, is_set: bool) -> None:
    value = 0xFEDCBA9876543210

    def emit_one(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.s_bitcmp1_b64(x[0], x[1][0])

    def emit_zero(k: Kit, d: Register, x: Sequence[Register]) -> None:
        k.s_bitcmp0_b64(x[0], x[1][0])

    assert scalar(emit_one, value, bit)[-1] == is_set == bool(value >> bit & 1)
    assert scalar(emit_zero, value, bit)[-1] == (not is_set)


def test_bits_set_and_cleared_in_64_bits() -> None:
    assert scalar(lambda k, d, x: k.s_bitset1_b64(d, x[0][0]), 37, old=0)[:2] == [0, 1 << 5]
    assert scalar(lambda k, d, x: k.s_bitset0_b64(d, x[0][0]), 64 + 1, old=0xFFFFFFFF)[:2] == [0xFFFFFFFD, 0xFFFFFFFF]


@pytest.mark.parametrize(
    ("mnemonic", "value", "constant", "expected"),
    [
        ("s_cmpk_ge_i32", 0xFFFFFFFF, 0xFFFF, True),  # -1 >= -1: the constant is sign-extended
        ("s_cmpk_ge_i32", 0x80000000, 0, False),
        ("s_cmpk_le_i32", 0x80000000, 0, True),
        ("s_cmpk_ge_u32", 0xFFFF, 0xFFFF, True),  # zero-extended
        ("s_cmpk_ge_u32", 0xFFFE, 0xFFFF, False),
        ("s_cmpk_le_u32", 0xFFFFFFFF, 0xFFFF, False),
        ("s_cmpk_lg_u32", 0xFFFFFFFF, 0xFFFF, True),
        ("s_cmpk_eq_u32", 0xFFFF, 0xFFFF, True),
    ],
)
def test_comparisons_with_short_constants(mnemonic: str, value: int, constant: int, expected: bool) -> None:
    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        getattr(k, mnemonic)(x[0][0], constant)

    assert scalar(emit, value)[-1] == expected


# ---- LDS ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mnemonic", "expected"),
    [
        ("ds_read_u8_d16", 0x0081),
        ("ds_read_u8_d16_hi", 0x0081),
        ("ds_read_i8_d16", 0xFF81),
        ("ds_read_i8_d16_hi", 0xFF81),
        ("ds_read_u16_d16", 0xF281),
        ("ds_read_u16_d16_hi", 0xF281),
    ],
)
def test_loads_into_half_a_register(mnemonic: str, expected: int) -> None:
    """The other half counts as undefined: chips with ECC do not keep it."""

    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        getattr(k, mnemonic)(d, x[0])
        k.wait(d)
        k.v_bfe_u32(d, d, 16 if mnemonic.endswith("_hi") else 0, 16)

    assert lds(emit, 0x1234F281, 0xAAAAAAAA) == [expected]


def test_reverse_subtraction_in_lds() -> None:
    def emit(k: Kit, d: Register, x: Sequence[Register]) -> None:
        seven, after = k.vgpr("seven"), k.vgpr("after")
        k.v_mov_b32(seven, 7)
        k.ds_rsub_rtn_u32(d, x[0], seven)
        k.ds_read_b32(after, x[0])
        k.wait(d, after)
        k.v_sub_u32(d, after, d)  # (7 - 100) - 100

    assert lds(emit, 100, 0) == [(7 - 200) & 0xFFFFFFFF]

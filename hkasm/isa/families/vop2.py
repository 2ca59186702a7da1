"""Vector ALU with two sources: VOP2.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents. A vector
value is an array [waves, 64]. Integer meanings are plain arithmetic, so that the emulator can run them on wider
integers and saturate for `clamp`.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families import _dots, _floats
from hkasm.isa.families._integers import high_product, mul24_signed, mul24_unsigned
from hkasm.isa.families._shapes import GFX950_ONLY, vop2
from hkasm.isa.families._types import Array, Function
from hkasm.isa.spec import declare

U32, I32, U64 = np.uint32, np.int32, np.uint64


def _two(type_name: str) -> str:
    return f"=vdst:{type_name} src0:{type_name} src1:{type_name}"


_MASKED = "=vdst:b32 src0:b32 src1:b32 src2:mask/s"
vop2(
    "v_cndmask_b32",
    0x00,
    _MASKED,
    lambda a, b, mask: np.where(mask, b, a),
    "D = lane bit of VCC (or S2) ? S1 : S0",
    flags=["signs"],
)

# ---- float ---------------------------------------------------------------------------------------------------------

_FLOAT_ROWS: tuple[tuple[str, Function, str, int, int], ...] = (
    ("add", np.add, "S0 + S1", 0x01, 0x1F),
    ("sub", np.subtract, "S0 - S1", 0x02, 0x20),
    ("subrev", _floats.subtract_from, "S1 - S0", 0x03, 0x21),
    ("mul", np.multiply, "S0 * S1", 0x05, 0x22),
    ("min", _floats.min_number, "min(S0, S1); a NaN loses to a number", 0x0A, 0x2E),
    ("max", _floats.max_number, "max(S0, S1); a NaN loses to a number", 0x0B, 0x2D),
)
for _name, _function, _text, _op32, _op16 in _FLOAT_ROWS:
    vop2(f"v_{_name}_f32", _op32, _two("f32"), _function, f"D = {_text}")
    vop2(f"v_{_name}_f16", _op16, _two("f16"), _function, f"D = {_text}")
vop2("v_ldexp_f16", 0x33, "=vdst:f16 src0:f16 src1:i16", _floats.scaled, "D = S0 * 2**S1")


vop2(
    "v_fmac_f32",
    0x3B,
    "+vdst:f32 src0:f32 src1:f32",
    _floats.accumulate,
    "D = S0 * S1 + D, rounded once",
    forms="e32 e64 dpp",
)
vop2(
    "v_fmac_f64",
    0x04,
    "+vdst:f64 src0:f64 src1:f64",
    _floats.accumulate,
    "D = S0 * S1 + D, rounded once",
    forms="e32 e64 dpp",
)
vop2(
    "v_mac_f16",
    0x23,
    "+vdst:f16 src0:f16 src1:f16",
    _floats.multiply_accumulate,
    "D = S0 * S1 + D, rounded twice",
    forms="e32 e64 dpp",
    flags=["keeps_high"],
)
vop2(
    "v_pk_fmac_f16",
    0x3C,
    "+vdst:pkf16 src0:pkf16 src1:pkf16",
    _floats.accumulate,
    "D = S0 * S1 + D in both halves, rounded once",
)
declare(
    "v_fmamk_f32",
    "=vdst:f32 src0:f32 k:f32 src1:f32/v",
    [("VOP2K", 0x17)],
    unit="VALU",
    doc="D = S0 * K + S1, rounded once",
    meaning=_floats.fma,
)
declare(
    "v_fmaak_f32",
    "=vdst:f32 src0:f32 src1:f32/v k:f32",
    [("VOP2K", 0x18)],
    unit="VALU",
    doc="D = S0 * S1 + K, rounded once",
    meaning=_floats.fma,
)
declare(
    "v_madmk_f16",
    "=vdst:f16 src0:f16 k:f16 src1:f16/v",
    [("VOP2K", 0x24)],
    unit="VALU",
    doc="D = S0 * K + S1, rounded twice",
    meaning=_floats.multiply_add,
    flags=["keeps_high"],
)
declare(
    "v_madak_f16",
    "=vdst:f16 src0:f16 src1:f16/v k:f16",
    [("VOP2K", 0x25)],
    unit="VALU",
    doc="D = S0 * S1 + K, rounded twice",
    meaning=_floats.multiply_add,
    flags=["keeps_high"],
)

# ---- dot products --------------------------------------------------------------------------------------------------

_DOT = "D = D + sum of products of {}"
vop2(
    "v_dot2c_f32_bf16",
    0x16,
    "+vdst:f32 src0:pkbf16 src1:pkbf16",
    lambda d, a, b: _dots.dot2_bf16(a, b, d),
    _DOT.format("2 bf16"),
    archs=GFX950_ONLY,
    forms="e32 e64 dpp",
)
vop2(
    "v_dot2c_f32_f16",
    0x37,
    "+vdst:f32 src0:pkf16 src1:pkf16",
    lambda d, a, b: _dots.dot2_f16(a, b, d),
    _DOT.format("2 f16"),
    forms="e32 e64 dpp",
)
for _name, _op, _type, _function, _text in (
    ("v_dot2c_i32_i16", 0x38, "pki16", lambda d, a, b: _dots.dot2_int(a, b, d), "2 i16"),
    ("v_dot4c_i32_i8", 0x39, "i32", lambda d, a, b: _dots.dot4_signed(a, b, d), "4 i8"),
    ("v_dot8c_i32_i4", 0x3A, "i32", lambda d, a, b: _dots.dot8_signed(a, b, d), "8 i4"),
):
    vop2(
        _name,
        _op,
        f"+vdst:i32 src0:{_type} src1:{_type}",
        _function,
        _DOT.format(_text),
        forms="e32 e64 dpp",
        flags=["clamps"],
    )

# ---- integer -------------------------------------------------------------------------------------------------------

vop2("v_mul_i32_i24", 0x06, _two("i32"), mul24_signed, "D = S0[23:0] * S1[23:0], signed", flags=["clamps"])
vop2("v_mul_hi_i32_i24", 0x07, _two("i32"), high_product(mul24_signed), "D = high dword of S0[23:0] * S1[23:0], signed")
vop2("v_mul_u32_u24", 0x08, _two("u32"), mul24_unsigned, "D = S0[23:0] * S1[23:0]", flags=["clamps"])
vop2("v_mul_hi_u32_u24", 0x09, _two("u32"), high_product(mul24_unsigned), "D = high dword of S0[23:0] * S1[23:0]")
for _name, _op, _type, _function in (
    ("min_i32", 0x0C, "i32", np.minimum),
    ("max_i32", 0x0D, "i32", np.maximum),
    ("min_u32", 0x0E, "u32", np.minimum),
    ("max_u32", 0x0F, "u32", np.maximum),
    ("max_u16", 0x2F, "u16", np.maximum),
    ("max_i16", 0x30, "i16", np.maximum),
    ("min_u16", 0x31, "u16", np.minimum),
    ("min_i16", 0x32, "i16", np.minimum),
):
    vop2(f"v_{_name}", _op, _two(_type), _function, f"D = {_name[:3]}(S0, S1)")


def _shift_left(amount: Array, value: Array) -> Array:
    return value << (amount & amount.dtype.type(8 * value.dtype.itemsize - 1)).astype(value.dtype)


def _shift_right(amount: Array, value: Array) -> Array:
    return value >> (amount & amount.dtype.type(8 * value.dtype.itemsize - 1)).astype(value.dtype)


vop2("v_lshrrev_b32", 0x10, _two("b32"), lambda a, b: b >> (a & 31), "D = S1 >> S0[4:0]")
vop2("v_ashrrev_i32", 0x11, "=vdst:i32 src0:u32 src1:i32", _shift_right, "D = S1 >> S0[4:0] with sign")
vop2("v_lshlrev_b32", 0x12, _two("b32"), lambda a, b: b << (a & 31), "D = S1 << S0[4:0]")
vop2("v_lshlrev_b16", 0x2A, _two("u16"), _shift_left, "D = S1 << S0[3:0]")
vop2("v_lshrrev_b16", 0x2B, _two("u16"), _shift_right, "D = S1 >> S0[3:0]")
vop2("v_ashrrev_i16", 0x2C, "=vdst:i16 src0:u16 src1:i16", _shift_right, "D = S1 >> S0[3:0] with sign")
vop2("v_and_b32", 0x13, _two("b32"), np.bitwise_and, "D = S0 & S1")
vop2("v_or_b32", 0x14, _two("b32"), np.bitwise_or, "D = S0 | S1")
vop2("v_xor_b32", 0x15, _two("b32"), np.bitwise_xor, "D = S0 ^ S1")
vop2("v_xnor_b32", 0x3D, _two("b32"), lambda a, b: ~(a ^ b), "D = ~(S0 ^ S1)")


def _add_co(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    return total, total < a


def _sub_co(a: Array, b: Array) -> tuple[Array, Array]:
    return a - b, a < b


def _addc_co(a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
    total = a.astype(U64) + b + carry
    return total.astype(U32), total > 0xFFFFFFFF


def _subb_co(a: Array, b: Array, borrow: Array) -> tuple[Array, Array]:
    taken = b.astype(U64) + borrow
    return (a - taken).astype(U32), a < taken


_CARRY_OUT = "=vdst:u32 =sdst:mask src0:u32 src1:u32"
_CARRY_IN = "=vdst:u32 =sdst:mask src0:u32 src1:u32 src2:mask/s"
_TO = "to VCC (or the SGPR pair)"
vop2("v_add_co_u32", 0x19, _CARRY_OUT, _add_co, f"D = S0 + S1; carry out {_TO}", flags=["clamps"])
vop2("v_sub_co_u32", 0x1A, _CARRY_OUT, _sub_co, f"D = S0 - S1; borrow {_TO}", flags=["clamps"])
vop2("v_subrev_co_u32", 0x1B, _CARRY_OUT, lambda a, b: _sub_co(b, a), f"D = S1 - S0; borrow {_TO}", flags=["clamps"])
vop2("v_addc_co_u32", 0x1C, _CARRY_IN, _addc_co, f"D = S0 + S1 + carry in; carry out {_TO}", flags=["clamps"])
vop2("v_subb_co_u32", 0x1D, _CARRY_IN, _subb_co, f"D = S0 - S1 - borrow in; borrow {_TO}", flags=["clamps"])
vop2(
    "v_subbrev_co_u32",
    0x1E,
    _CARRY_IN,
    lambda a, b, c: _subb_co(b, a, c),
    f"D = S1 - S0 - borrow in; borrow {_TO}",
    flags=["clamps"],
)
_INTEGER_ROWS: tuple[tuple[str, Function, str, int, int], ...] = (
    ("add", np.add, "S0 + S1", 0x34, 0x26),
    ("sub", np.subtract, "S0 - S1", 0x35, 0x27),
    ("subrev", lambda a, b: b - a, "S1 - S0", 0x36, 0x28),
)
for _name, _function, _text, _op32, _op16 in _INTEGER_ROWS:
    vop2(f"v_{_name}_u32", _op32, _two("u32"), _function, f"D = {_text}", flags=["clamps"])
    vop2(f"v_{_name}_u16", _op16, _two("u16"), _function, f"D = {_text}", flags=["clamps"])
vop2("v_mul_lo_u16", 0x29, _two("u16"), np.multiply, "D = low 16 bits of S0 * S1")

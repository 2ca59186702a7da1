"""Vector ALU with three sources, and what has no shorter form: VOP3.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents. A vector
value is an array [waves, 64]. Integer meanings are plain arithmetic, so that the emulator can run them on wider
integers and saturate for `clamp`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hkasm.isa.families import _floats, _integers, _trig
from hkasm.isa.families._bits import count_ones
from hkasm.isa.families._shapes import GFX950_ONLY, vop3
from hkasm.isa.families._types import Array, Function

U32, I32, U64, I64 = np.uint32, np.int32, np.uint64, np.int64


def _two(type_name: str) -> str:
    return f"=vdst:{type_name} src0:{type_name} src1:{type_name}"


def _three(type_name: str) -> str:
    return f"{_two(type_name)} src2:{type_name}"


# ---- float ---------------------------------------------------------------------------------------------------------

for _type, _op in (("f32", 0x1CB), ("f64", 0x1CC), ("f16", 0x206)):
    vop3(
        f"v_fma_{_type}",
        _op,
        _three(_type),
        _floats.fma,
        "D = S0 * S1 + S2, rounded once",
        flags=["halves"] if _type == "f16" else [],
    )
vop3("v_fma_legacy_f16", 0x1EE, _three("f16"), _floats.fma, "D = S0 * S1 + S2, rounded once")
vop3("v_mad_f16", 0x203, _three("f16"), _floats.multiply_add, "D = S0 * S1 + S2, rounded twice", flags=["halves"])
vop3("v_mad_legacy_f16", 0x1EA, _three("f16"), _floats.multiply_add, "D = S0 * S1 + S2, rounded twice")
_WIDE_ROWS: tuple[tuple[str, int, Function, str], ...] = (
    ("add", 0x280, np.add, "S0 + S1"),
    ("mul", 0x281, np.multiply, "S0 * S1"),
    ("min", 0x282, _floats.min_number, "min(S0, S1)"),
    ("max", 0x283, _floats.max_number, "max(S0, S1)"),
)
for _name, _op, _function, _text in _WIDE_ROWS:
    vop3(f"v_{_name}_f64", _op, _two("f64"), _function, f"D = {_text}")
vop3(
    "v_mul_legacy_f32",
    0x2A1,
    _two("f32"),
    _floats.multiply_legacy,
    "D = S0 * S1, 0 when either is 0",
)
vop3("v_ldexp_f32", 0x288, "=vdst:f32 src0:f32 src1:i32", _floats.scaled, "D = S0 * 2**S1")
vop3("v_ldexp_f64", 0x284, "=vdst:f64 src0:f64 src1:i32", _floats.scaled, "D = S0 * 2**S1")
for _type, _op in (("f32", 0x1E0), ("f64", 0x1E1)):
    _scale = f"=vdst:{_type} =sdst:mask src0:{_type} src1:{_type} src2:{_type}"
    _doc = "D = S0 scaled so that S2 / S1 is safe; mask = scale the quotient back"
    vop3(f"v_div_scale_{_type}", _op, _scale, _floats.div_scale, _doc)
    _step = 64 if _type == "f32" else 128
    vop3(
        f"v_div_fmas_{_type}",
        _op + 2,
        f"{_three(_type)} [vcc]:mask",
        _floats.div_fmas,
        f"D = S0 * S1 + S2, in VCC's lanes scaled back by 2**{_step}",
    )
for _type, _op in (("f32", 0x1DE), ("f64", 0x1DF), ("f16", 0x207), ("legacy_f16", 0x1EF)):
    _doc = "D = S0 with the sign and the special cases of S2 / S1"
    _flags: tuple[str, ...] = ("halves",) if _type == "f16" else ()
    vop3(f"v_div_fixup_{_type}", _op, _three(_type.removeprefix("legacy_")), _floats.div_fixup, _doc, flags=_flags)
vop3(
    "v_trig_preop_f64",
    0x292,
    "=vdst:f64 src0:f64 src1:u32",
    _trig.preop,
    "D = segment S1[4:0] of 2/pi for the size of S0",
)


def _of_three(function: Any) -> Any:
    return lambda a, b, c: function(function(a, b), c)


for _type, _min, _ops in (
    ("f32", _floats.min_number, (0x1D0, 0x1D3, 0x1D6)),
    ("i32", np.minimum, (0x1D1, 0x1D4, 0x1D7)),
    ("u32", np.minimum, (0x1D2, 0x1D5, 0x1D8)),
    ("f16", _floats.min_number, (0x1F4, 0x1F7, 0x1FA)),
    ("i16", np.minimum, (0x1F5, 0x1F8, 0x1FB)),
    ("u16", np.minimum, (0x1F6, 0x1F9, 0x1FC)),
):
    _max = _floats.max_number if _type[0] == "f" else np.maximum
    _median = _floats.median if _type[0] == "f" else _integers.median
    _flags = () if _type[1:] == "32" else ("halves",) if _type == "f16" else ("clamps", "halves")
    vop3(f"v_min3_{_type}", _ops[0], _three(_type), _of_three(_min), "D = min(S0, S1, S2)", flags=_flags)
    vop3(f"v_max3_{_type}", _ops[1], _three(_type), _of_three(_max), "D = max(S0, S1, S2)", flags=_flags)
    vop3(f"v_med3_{_type}", _ops[2], _three(_type), _median, "D = the middle one of S0, S1, S2", flags=_flags)
for _name, _op, _function in (("minimum3", 0x2A8, _floats.minimum), ("maximum3", 0x2A9, _floats.maximum)):
    _doc = f"D = {_name[:3]}(S0, S1, S2), NaN when any is NaN"
    vop3(f"v_{_name}_f32", _op, _three("f32"), _of_three(_function), _doc, archs=GFX950_ONLY)
for _name, _op, _function, _text in (
    ("id", 0x1C4, _trig.cube_face, "number of the cube's face that (S0, S1, S2) points at"),
    ("sc", 0x1C5, _trig.cube_s, "S coordinate on the cube's face"),
    ("tc", 0x1C6, _trig.cube_t, "T coordinate on the cube's face"),
    ("ma", 0x1C7, _trig.cube_axis, "twice the coordinate along the major axis"),
):
    vop3(f"v_cube{_name}_f32", _op, _three("f32"), _function, f"D = {_text}")

# ---- integer -------------------------------------------------------------------------------------------------------

_BOTH = ("clamps", "halves")


def _mad(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


_MAD_24 = "D = S0[23:0] * S1[23:0] + S2"
vop3(
    "v_mad_i32_i24",
    0x1C2,
    _three("i32"),
    lambda a, b, c: _integers.mul24_signed(a, b) + c,
    f"{_MAD_24}, signed",
    flags=["clamps"],
)
vop3(
    "v_mad_u32_u24", 0x1C3, _three("u32"), lambda a, b, c: _integers.mul24_unsigned(a, b) + c, _MAD_24, flags=["clamps"]
)


def _multiply_add_words(a: Array, b: Array, c: Array) -> Array:
    wide = c.dtype
    return a.astype(wide) * b.astype(wide) + c


for _type, _kind in (("u32", "u16"), ("i32", "i16")):
    _op = 0x1F1 if _type == "u32" else 0x1F2
    _signature = f"=vdst:{_type} src0:{_kind} src1:{_kind} src2:{_type}"
    vop3(f"v_mad_{_type}_{_kind}", _op, _signature, _multiply_add_words, "D = S0[15:0] * S1[15:0] + S2", flags=_BOTH)
for _type, _op, _legacy in (("u16", 0x204, 0x1EB), ("i16", 0x205, 0x1EC)):
    _doc = "D = low 16 bits of S0 * S1 + S2"
    vop3(f"v_mad_{_type}", _op, _three(_type), _mad, _doc, flags=_BOTH)
    vop3(f"v_mad_legacy_{_type}", _legacy, _three(_type), _mad, _doc, flags=["clamps"])


def _mad_u64(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    total = a.astype(U64) * b + c
    return total, total < c


def _mad_i64(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """The mask is bit 64 of the 65-bit sum."""
    product = a.astype(I64) * b
    total = product + c
    overflow = ((product ^ total) & (c ^ total)) < 0
    return total, (total < 0) ^ overflow


_WIDE = "=vdst:{0}64 =sdst:mask src0:{0}32 src1:{0}32 src2:{0}64"
vop3("v_mad_u64_u32", 0x1E8, _WIDE.format("u"), _mad_u64, "D = S0 * S1 + S2; mask = carry out", flags=["clamps"])
vop3(
    "v_mad_i64_i32", 0x1E9, _WIDE.format("i"), _mad_i64, "D = S0 * S1 + S2; mask = bit 64 of the sum", flags=["clamps"]
)
vop3("v_mul_lo_u32", 0x285, _two("u32"), np.multiply, "D = low dword of S0 * S1")
vop3("v_mul_hi_u32", 0x286, _two("u32"), _integers.high_unsigned, "D = high dword of S0 * S1, unsigned")
vop3("v_mul_hi_i32", 0x287, _two("i32"), _integers.high_signed, "D = high dword of S0 * S1, signed")
vop3("v_add_i32", 0x29C, _two("i32"), np.add, "D = S0 + S1", flags=["clamps"])
vop3("v_sub_i32", 0x29D, _two("i32"), np.subtract, "D = S0 - S1", flags=["clamps"])
vop3("v_add_i16", 0x29E, _two("i16"), np.add, "D = S0 + S1", flags=_BOTH)
vop3("v_sub_i16", 0x29F, _two("i16"), np.subtract, "D = S0 - S1", flags=_BOTH)
vop3("v_bfe_u32", 0x1C8, _three("u32"), _integers.extract_unsigned, "D = S2[4:0] bits of S0 from bit S1[4:0] on")
vop3(
    "v_bfe_i32",
    0x1C9,
    "=vdst:i32 src0:i32 src1:u32 src2:u32",
    _integers.extract_signed,
    "D = S2[4:0] bits of S0 from bit S1[4:0] on, sign-extended",
)
vop3("v_bfi_b32", 0x1CA, _three("b32"), lambda a, b, c: (a & b) | (~a & c), "D = S0 ? S1 : S2, bit by bit")
vop3(
    "v_bfm_b32",
    0x293,
    _two("b32"),
    lambda a, b: ((U32(1) << (a & 31)) - U32(1)) << (b & 31),
    "D = ((1 << S0[4:0]) - 1) << S1[4:0]",
)
vop3("v_lshl_add_u32", 0x1FD, _three("u32"), lambda a, b, c: (a << (b & 31)) + c, "D = (S0 << S1[4:0]) + S2")
vop3("v_add_lshl_u32", 0x1FE, _three("u32"), lambda a, b, c: (a + b) << (c & 31), "D = (S0 + S1) << S2[4:0]")
vop3("v_add3_u32", 0x1FF, _three("u32"), lambda a, b, c: a + b + c, "D = S0 + S1 + S2")
vop3("v_lshl_or_b32", 0x200, _three("b32"), lambda a, b, c: (a << (b & 31)) | c, "D = (S0 << S1[4:0]) | S2")
vop3("v_and_or_b32", 0x201, _three("b32"), lambda a, b, c: (a & b) | c, "D = (S0 & S1) | S2")
vop3("v_or3_b32", 0x202, _three("b32"), lambda a, b, c: a | b | c, "D = S0 | S1 | S2")
vop3("v_xad_u32", 0x1F3, _three("u32"), lambda a, b, c: (a ^ b) + c, "D = (S0 ^ S1) + S2")
vop3(
    "v_lshl_add_u64",
    0x208,
    "=vdst:u64 src0:u64 src1:u32 src2:u64",
    lambda a, b, c: (a << (b & 7).astype(U64)) + c,
    "D = (S0 << S1[2:0]) + S2",
)
vop3(
    "v_lshlrev_b64",
    0x28F,
    "=vdst:u64 src0:u32 src1:u64",
    lambda a, b: b << (a & 63).astype(U64),
    "D = S1 << S0[5:0]",
)
vop3(
    "v_lshrrev_b64",
    0x290,
    "=vdst:u64 src0:u32 src1:u64",
    lambda a, b: b >> (a & 63).astype(U64),
    "D = S1 >> S0[5:0]",
)
vop3(
    "v_ashrrev_i64",
    0x291,
    "=vdst:i64 src0:u32 src1:i64",
    lambda a, b: b >> (a & 63).astype(I64),
    "D = S1 >> S0[5:0] with sign",
)
vop3(
    "v_perm_b32",
    0x1ED,
    _three("b32"),
    _integers.permute_bytes,
    "D = four bytes picked from {S0, S1} by the bytes of S2",
)
vop3(
    "v_alignbit_b32",
    0x1CE,
    _three("b32"),
    lambda a, b, c: _integers.align_bits(a, b, c & 31),
    "D = low dword of {S0, S1} >> S2[4:0]",
    flags=_BOTH,
)
vop3(
    "v_alignbyte_b32",
    0x1CF,
    _three("b32"),
    lambda a, b, c: _integers.align_bits(a, b, (c & 3) * 8),
    "D = low dword of {S0, S1} >> 8 * S2[1:0]",
    flags=_BOTH,
)
vop3("v_lerp_u8", 0x1CD, _three("b32"), _integers.average_bytes, "D = (S0 + S1 + S2[0]) >> 1 in each byte")
_SAD = "D = S2 + sum of |S0 - S1| over {}"
vop3("v_sad_u8", 0x1D9, _three("u32"), _integers.sad_bytes, _SAD.format("bytes"), flags=["clamps"])
vop3(
    "v_sad_hi_u8",
    0x1DA,
    _three("u32"),
    _integers.sad_bytes_high,
    "D = S2 + (sum of |S0 - S1| over bytes << 16)",
    flags=["clamps"],
)
vop3("v_sad_u16", 0x1DB, _three("u32"), _integers.sad_words, _SAD.format("16-bit halves"), flags=["clamps"])
vop3("v_sad_u32", 0x1DC, _three("u32"), _integers.sad_dwords, "D = S2 + |S0 - S1|, unsigned", flags=["clamps"])
vop3(
    "v_msad_u8",
    0x1E4,
    _three("u32"),
    _integers.masked_sad_bytes,
    _SAD.format("bytes where S1 is not 0"),
    flags=["clamps"],
)
_QUAD = "=vdst:u64 src0:u64 src1:u32 src2:u64"
_WINDOWS = "for the four windows of S0 that start at bytes 0 to 3"
vop3(
    "v_qsad_pk_u16_u8",
    0x1E5,
    _QUAD,
    _integers.quad_sad(_integers.sad_bytes),
    f"D = S2 + byte SADs with S1, 16 bits each, {_WINDOWS}",
    flags=["clamps", "separate_vdst"],
)
vop3(
    "v_mqsad_pk_u16_u8",
    0x1E6,
    _QUAD,
    _integers.quad_sad(_integers.masked_sad_bytes),
    f"D = S2 + masked byte SADs with S1, 16 bits each, {_WINDOWS}",
    flags=["clamps", "separate_vdst"],
)
vop3(
    "v_mqsad_u32_u8",
    0x1E7,
    "=vdst:b128 src0:u64 src1:u32 src2:b128/v",
    _integers.quad_sad_dwords,
    f"D = S2 + masked byte SADs with S1, 32 bits each, {_WINDOWS}",
    flags=["clamps", "separate_vdst"],
)


def _bitop3(a: Array, b: Array, c: Array, *, bitop3: int) -> Array:
    """Look the three bits up in an 8-bit truth table; bit 4*a + 2*b + c of the table is the answer."""
    result = np.zeros(np.broadcast(a, b, c).shape, dtype=a.dtype)
    for row in range(8):
        if bitop3 >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result


_TABLE = "D = truth table bitop3 of the bits of S0, S1, S2"
vop3("v_bitop3_b32", 0x234, _three("b32"), _bitop3, _TABLE, archs=GFX950_ONLY, flags=["bitop3"])
vop3("v_bitop3_b16", 0x233, _three("b16"), _bitop3, _TABLE, archs=GFX950_ONLY, flags=["bitop3", "halves"])

# ---- lanes and counts ----------------------------------------------------------------------------------------------

_LANE = np.arange(64)
_BELOW_LOW = np.array([min((1 << lane) - 1, 0xFFFFFFFF) for lane in range(64)], dtype=np.uint32)
_BELOW_HIGH = np.array([((1 << lane) - 1) >> 32 for lane in range(64)], dtype=np.uint32)


def _count(a: Array, b: Array) -> Array:
    return count_ones(a).astype(U32) + b


def _read_lane(a: Array, lane: Array) -> Array:
    a, lane = np.broadcast_arrays(a, lane)
    return np.take_along_axis(a, (lane[:, :1] & U32(63)).astype(np.intp), axis=1)[:, 0]


def _write_lane(old: Array, value: Array, lane: Array) -> Array:
    return np.where((lane & U32(63)) == _LANE, value, old)


vop3("v_bcnt_u32_b32", 0x28B, "=vdst:u32 src0:b32 src1:u32", _count, "D = number of ones in S0, plus S1")
vop3(
    "v_mbcnt_lo_u32_b32",
    0x28C,
    "=vdst:u32 src0:b32 src1:u32",
    lambda a, b: _count(a & _BELOW_LOW, b),
    "D = ones of S0 below this lane (lanes 0 to 31), plus S1",
)
vop3(
    "v_mbcnt_hi_u32_b32",
    0x28D,
    "=vdst:u32 src0:b32 src1:u32",
    lambda a, b: _count(a & _BELOW_HIGH, b),
    "D = ones of S0 below this lane (lanes 32 to 63), plus S1",
)
vop3(
    "v_readlane_b32",
    0x289,
    "=sdst:b32 src0:b32/v src1:u32/sc",
    _read_lane,
    "D = S0 of lane S1[5:0], active or not",
    flags=["lanes", "no_exec"],
)
vop3(
    "v_writelane_b32",
    0x28A,
    "+vdst:b32 src0:b32/sc src1:u32/sc",
    _write_lane,
    "D of lane S1[5:0] = S0, active or not",
    flags=["lanes", "no_exec"],
)

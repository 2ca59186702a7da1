"""Packed math, mixed precision and dot products: VOP3P.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents. A packed
value is an array [waves, 64, 2]; op_sel, op_sel_hi, neg_lo and neg_hi are applied by the emulator before the meaning.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families import _dots, _floats
from hkasm.isa.families._shapes import GFX950_ONLY, vop3p
from hkasm.isa.families._types import Array, Function
from hkasm.isa.rounding import rounds


def _signature(type_name: str, sources: int) -> str:
    return f"=vdst:{type_name} " + " ".join(f"src{i}:{type_name}" for i in range(sources))


def _shift_left(amount: Array, value: Array) -> Array:
    return value << (amount & 15)


def _shift_right(amount: Array, value: Array) -> Array:
    return value >> (amount & 15)


def _mad(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


def _of_three(function: Function) -> Function:
    return lambda a, b, c: function(function(a, b), c)


_ROWS: tuple[tuple[str, int, str, int, Function, str], ...] = (
    ("mad_i16", 0x00, "pki16", 3, _mad, "S0 * S1 + S2"),
    ("mul_lo_u16", 0x01, "pku16", 2, np.multiply, "low 16 bits of S0 * S1"),
    ("add_i16", 0x02, "pki16", 2, np.add, "S0 + S1"),
    ("sub_i16", 0x03, "pki16", 2, np.subtract, "S0 - S1"),
    ("lshlrev_b16", 0x04, "pku16", 2, _shift_left, "S1 << S0[3:0]"),
    ("lshrrev_b16", 0x05, "pku16", 2, _shift_right, "S1 >> S0[3:0]"),
    ("ashrrev_i16", 0x06, "pki16", 2, _shift_right, "S1 >> S0[3:0] with sign"),
    ("max_i16", 0x07, "pki16", 2, np.maximum, "max(S0, S1)"),
    ("min_i16", 0x08, "pki16", 2, np.minimum, "min(S0, S1)"),
    ("mad_u16", 0x09, "pku16", 3, _mad, "S0 * S1 + S2"),
    ("add_u16", 0x0A, "pku16", 2, np.add, "S0 + S1"),
    ("sub_u16", 0x0B, "pku16", 2, np.subtract, "S0 - S1"),
    ("max_u16", 0x0C, "pku16", 2, np.maximum, "max(S0, S1)"),
    ("min_u16", 0x0D, "pku16", 2, np.minimum, "min(S0, S1)"),
    ("fma_f16", 0x0E, "pkf16", 3, _floats.fma, "S0 * S1 + S2, rounded once"),
    ("add_f16", 0x0F, "pkf16", 2, np.add, "S0 + S1"),
    ("mul_f16", 0x10, "pkf16", 2, np.multiply, "S0 * S1"),
    ("min_f16", 0x11, "pkf16", 2, _floats.min_number, "min(S0, S1)"),
    ("max_f16", 0x12, "pkf16", 2, _floats.max_number, "max(S0, S1)"),
    ("fma_f32", 0x30, "pkf32", 3, _floats.fma, "S0 * S1 + S2, rounded once"),
    ("mul_f32", 0x31, "pkf32", 2, np.multiply, "S0 * S1"),
    ("add_f32", 0x32, "pkf32", 2, np.add, "S0 + S1"),
)
for _name, _op, _type, _sources, _function, _text in _ROWS:
    vop3p(f"v_pk_{_name}", _op, _signature(_type, _sources), _function, f"D = {_text}, both elements")
for _name, _op, _function in (("minimum3", 0x1B, _floats.minimum), ("maximum3", 0x1C, _floats.maximum)):
    _doc = f"D = {_name[:3]}(S0, S1, S2), NaN when any is NaN, both elements"
    vop3p(f"v_pk_{_name}_f16", _op, _signature("pkf16", 3), _of_three(_function), _doc, archs=GFX950_ONLY)


def _move(a: Array, b: Array, *, op_sel: int) -> Array:
    """Low element from S0, high one from S1; op_sel[0] and op_sel[1] pick the dword of the pair."""
    return np.stack(np.broadcast_arrays(a[..., op_sel & 1], b[..., op_sel >> 1 & 1]), axis=-1)


vop3p(
    "v_pk_mov_b32",
    0x33,
    _signature("pkb32", 2),
    _move,
    "D = {S1's dword op_sel[1], S0's dword op_sel[0]}",
    flags=["op_sel"],
)
_MIX = "src0:f32 src1:f32 src2:f32"
vop3p("v_fma_mix_f32", 0x20, f"=vdst:f32 {_MIX}", _floats.fma, "D = S0 * S1 + S2, each f32 or f16", flags=["mix"])


@rounds("fma")
def _mix_half(a: Array, b: Array, c: Array) -> Array:
    return _floats.fma(a, b, c).astype(np.float16)


for _half, _op in (("lo", 0x21), ("hi", 0x22)):
    vop3p(
        f"v_fma_mix{_half}_f16",
        _op,
        f"=vdst:f16 {_MIX}",
        _mix_half,
        f"{_half} half of D = f16(S0 * S1 + S2), each f32 or f16",
        flags=["mix", "keeps_high", *(["writes_high"] if _half == "hi" else [])],
    )
_DOT = "D = S2 + sum of products of {}"
vop3p(
    "v_dot2_f32_bf16",
    0x1A,
    "=vdst:f32 src0:pkbf16 src1:pkbf16 src2:f32",
    _dots.dot2_bf16,
    _DOT.format("2 bf16"),
    archs=GFX950_ONLY,
)
vop3p("v_dot2_f32_f16", 0x23, "=vdst:f32 src0:pkf16 src1:pkf16 src2:f32", _dots.dot2_f16, _DOT.format("2 f16"))
for _name, _op, _type, _source, _function, _text in (
    ("dot2_i32_i16", 0x26, "i32", "pki16", _dots.dot2_int, "2 i16"),
    ("dot2_u32_u16", 0x27, "u32", "pku16", _dots.dot2_int, "2 u16"),
    ("dot4_i32_i8", 0x28, "i32", "i32", _dots.dot4_signed, "4 i8"),
    ("dot4_u32_u8", 0x29, "u32", "u32", _dots.dot4_unsigned, "4 u8"),
    ("dot8_i32_i4", 0x2A, "i32", "i32", _dots.dot8_signed, "8 i4"),
    ("dot8_u32_u4", 0x2B, "u32", "u32", _dots.dot8_unsigned, "8 u4"),
):
    vop3p(f"v_{_name}", _op, f"=vdst:{_type} src0:{_source} src1:{_source} src2:{_type}", _function, _DOT.format(_text))

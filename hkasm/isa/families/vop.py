"""Vector ALU: VOP1, VOP2, VOP3, VOPC and the accumulator moves.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents. A vector
value is an array [waves, 64]; modifiers, SDWA, DPP and the EXEC blend are put round the meaning by the emulator.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._shapes import GFX950_ONLY, vop1, vop2, vop3, vopc
from hkasm.isa.numerics import f32_to_bf16
from hkasm.isa.spec import declare

_F = "=vdst:f32 src0:f32 src1:f32"
_U = "=vdst:u32 src0:u32 src1:u32"
_B = "=vdst:b32 src0:b32 src1:b32"


def _wide(function):
    """Integer arithmetic in 64 bits, the low dword of the result."""
    return lambda *sources: function(*(source.astype(np.uint64) for source in sources)).astype(np.uint32)


def _carry_add(a, b):
    total = a + b
    return total, total < a


vop1("v_mov_b32", 0x01, "=vdst:b32 src0:b32", lambda a: a, "D = S0")
declare("v_readfirstlane_b32", "=sdst:b32 src0:b32/v", [("VOP1S", 0x02)], unit="VALU", doc="D = S0 of the first active lane (lane 0 when none)", control="readfirstlane")
vop1("v_cvt_f32_u32", 0x06, "=vdst:f32 src0:u32", lambda a: a.astype(np.float32), "D = float(S0), unsigned")
vop1("v_cvt_f32_i32", 0x05, "=vdst:f32 src0:i32", lambda a: a.astype(np.float32), "D = float(S0), signed")
vop1("v_not_b32", 0x2B, "=vdst:b32 src0:b32", np.invert, "D = ~S0")

vop2("v_cndmask_b32", 0x00, "=vdst:b32 src0:b32 src1:b32 src2:mask/s", lambda a, b, m: np.where(m, b, a), "D = VCC (or S2) lane bit ? S1 : S0")
vop2("v_add_f32", 0x01, _F, np.add, "D = S0 + S1")
vop2("v_sub_f32", 0x02, _F, np.subtract, "D = S0 - S1")
vop2("v_subrev_f32", 0x03, _F, lambda a, b: b - a, "D = S1 - S0")
vop2("v_mul_f32", 0x05, _F, np.multiply, "D = S0 * S1")
vop2("v_min_f32", 0x0A, _F, np.fmin, "D = min(S0, S1)")
vop2("v_max_f32", 0x0B, _F, np.fmax, "D = max(S0, S1)")
vop2("v_lshrrev_b32", 0x10, _B, lambda a, b: b >> (a & 31), "D = S1 >> S0[4:0]")
vop2("v_ashrrev_i32", 0x11, "=vdst:i32 src0:u32 src1:i32", lambda a, b: b >> (a & 31).astype(np.int32), "D = S1 >> S0[4:0] with sign")
vop2("v_lshlrev_b32", 0x12, _B, lambda a, b: b << (a & 31), "D = S1 << S0[4:0]")
vop2("v_and_b32", 0x13, _B, np.bitwise_and, "D = S0 & S1")
vop2("v_or_b32", 0x14, _B, np.bitwise_or, "D = S0 | S1")
vop2("v_xor_b32", 0x15, _B, np.bitwise_xor, "D = S0 ^ S1")
vop2("v_add_co_u32", 0x19, "=vdst:u32 =sdst:mask src0:u32 src1:u32", _carry_add, "D = S0 + S1; carry out to VCC (or the SGPR pair)")
vop2("v_add_u32", 0x34, _U, np.add, "D = S0 + S1")
vop2("v_sub_u32", 0x35, _U, np.subtract, "D = S0 - S1")
vop2("v_subrev_u32", 0x36, _U, lambda a, b: b - a, "D = S1 - S0")


def fma_f32(a, b, c):
    """a * b + c rounded once: exact product and sum in float64 save where it needs more bits (see isa.fma)."""
    from hkasm.isa.fma import fma32

    return fma32(a, b, c)


vop2("v_fmac_f32", 0x3B, "+vdst:f32 src0:f32 src1:f32", lambda d, a, b: fma_f32(a, b, d), "D = S0 * S1 + D, rounded once")

_T = "=vdst:u32 src0:u32 src1:u32 src2:u32"
vop3("v_fma_f32", 0x1CB, "=vdst:f32 src0:f32 src1:f32 src2:f32", fma_f32, "D = S0 * S1 + S2, rounded once")
vop3("v_bfe_u32", 0x1C8, _T, lambda a, b, c: (a >> (b & 31)) & ((np.uint32(1) << (c & 31)) - np.uint32(1)), "D = S0[S1 +: S2], zero-extended")
vop3("v_bfi_b32", 0x1CA, _T, lambda a, b, c: (a & b) | (~a & c), "D = S0 ? S1 : S2, bit by bit")
vop3("v_lshl_add_u32", 0x1FD, _T, lambda a, b, c: (a << (b & 31)) + c, "D = (S0 << S1[4:0]) + S2")
vop3("v_add_lshl_u32", 0x1FE, _T, lambda a, b, c: (a + b) << (c & 31), "D = (S0 + S1) << S2[4:0]")
vop3("v_add3_u32", 0x1FF, _T, lambda a, b, c: a + b + c, "D = S0 + S1 + S2")
vop3("v_lshl_or_b32", 0x200, _T, lambda a, b, c: (a << (b & 31)) | c, "D = (S0 << S1[4:0]) | S2")
vop3("v_and_or_b32", 0x201, _T, lambda a, b, c: (a & b) | c, "D = (S0 & S1) | S2")
vop3("v_or3_b32", 0x202, _T, lambda a, b, c: a | b | c, "D = S0 | S1 | S2")
vop3("v_mul_lo_u32", 0x285, _U, np.multiply, "D = low 32 bits of S0 * S1")
vop3("v_mad_u32_u24", 0x1C3, _T, lambda a, b, c: _wide(lambda x, y, z: (x & np.uint64(0xFFFFFF)) * (y & np.uint64(0xFFFFFF)) + z)(a, b, c), "D = S0[23:0] * S1[23:0] + S2")


def _permute_bytes(high, low, selector):
    """Bytes 0-3 come from S1, 4-7 from S0; 8-11 are sign bytes, 12 is 0x00, 13 and up 0xff."""
    both = high.astype(np.uint64) << np.uint64(32) | low
    result = np.zeros(np.broadcast(both, selector).shape, np.uint32)
    for position in range(4):
        select = selector >> np.uint32(8 * position) & np.uint32(0xFF)
        byte = (both >> (np.minimum(select, 7).astype(np.uint64) << np.uint64(3))).astype(np.uint32) & np.uint32(0xFF)
        sign_shift = ((select.astype(np.int64) - 8).clip(0, 3) * 16 + 15).astype(np.uint64)
        sign = np.where((both >> sign_shift & np.uint64(1)) != 0, np.uint32(0xFF), np.uint32(0))
        byte = np.where(select < 8, byte, np.where(select < 12, sign, np.where(select == 12, np.uint32(0), np.uint32(0xFF))))
        result |= byte << np.uint32(8 * position)
    return result


vop3("v_perm_b32", 0x1ED, _T, _permute_bytes, "D = four bytes picked from {S0, S1} by the bytes of S2")
vop3("v_cvt_pk_bf16_f32", 0x268, "=vdst:b32 src0:f32 src1:f32", lambda a, b: f32_to_bf16(a).astype(np.uint32) | f32_to_bf16(b).astype(np.uint32) << np.uint32(16), "D = {bf16(S1), bf16(S0)}, round to nearest even", archs=GFX950_ONLY)

_COMPARES = {"f": None, "lt": np.less, "eq": np.equal, "le": np.less_equal, "gt": np.greater, "ne": np.not_equal, "ge": np.greater_equal}
for _type, _base in (("i32", 0xC0), ("u32", 0xC8)):
    for _index, (_word, _function) in enumerate(_COMPARES.items()):
        if _function is not None:
            vopc(f"v_cmp_{_word}_{_type}", _base + _index, f"=sdst:mask src0:{_type} src1:{_type}", _function, f"D lane bit = S0 {_word} S1")
_FLOAT = {"lt": (1, np.less), "eq": (2, np.equal), "le": (3, np.less_equal), "gt": (4, np.greater), "ge": (6, np.greater_equal), "o": (7, lambda a, b: ~(np.isnan(a) | np.isnan(b))), "u": (8, lambda a, b: np.isnan(a) | np.isnan(b))}
for _word, (_index, _function) in _FLOAT.items():
    vopc(f"v_cmp_{_word}_f32", 0x40 + _index, "=sdst:mask src0:f32 src1:f32", _function, f"D lane bit = S0 {_word} S1")

declare("v_accvgpr_read_b32", "=vdst:b32 src0:b32/a", [("ACCREAD", 0x58)], unit="VALU", doc="D (VGPR) = S0 (AGPR)", meaning=lambda a: a)
declare("v_accvgpr_write_b32", "=vdst:b32/a src0:b32/vc", [("ACCWRITE", 0x59)], unit="VALU", doc="D (AGPR) = S0 (VGPR or inline constant)", meaning=lambda a: a)
declare("v_accvgpr_mov_b32", "=vdst:b32/a src0:b32/a", [("VOP1A", 0x52)], unit="VALU", doc="D (AGPR) = S0 (AGPR)", meaning=lambda a: a)

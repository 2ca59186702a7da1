"""Scalar compares and scalar ALU with a 16-bit constant: SOPC and SOPK.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents, chapter
"Instructions". A scalar value is an array [waves]; SCC is a bool array [waves]; simm16 is a uint32 array [1].
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._shapes import sopc, sopk
from hkasm.isa.families._types import Array, Function
from hkasm.isa.spec import declare

U32, I32, U64 = np.uint32, np.int32, np.uint64
MODE_GPR_IDX_EN = 27
_COMPARES: tuple[tuple[str, Function, str], ...] = (
    ("eq", np.equal, "=="),
    ("lg", np.not_equal, "!="),
    ("gt", np.greater, ">"),
    ("ge", np.greater_equal, ">="),
    ("lt", np.less, "<"),
    ("le", np.less_equal, "<="),
)


def sign_extended(simm16: Array) -> Array:
    """Return the 16-bit constant as int32."""
    return np.asarray(simm16).astype(np.int16).astype(I32)


def zero_extended(simm16: Array) -> Array:
    """Return the 16-bit constant as uint32."""
    return np.asarray(simm16).astype(np.uint16).astype(U32)


def _compare_constant(function: Function, extend: Function) -> Function:
    return lambda a, simm16: function(a, extend(simm16))


def _bit_is(value: int) -> Function:
    def meaning(a: Array, place: Array) -> Array:
        dtype = a.dtype.type
        bit = (a >> (place & U32(8 * a.dtype.itemsize - 1)).astype(dtype)) & dtype(1)
        return bit == dtype(value)

    return meaning


for _index, (_name, _function, _sign) in enumerate(_COMPARES):
    for _type, _first, _word, _extend in (("i32", 0, "signed", sign_extended), ("u32", 6, "unsigned", zero_extended)):
        sopc(
            f"s_cmp_{_name}_{_type}",
            _first + _index,
            f"src0:{_type} src1:{_type}",
            _function,
            f"SCC = S0 {_sign} S1, {_word}",
        )
        sopk(
            f"s_cmpk_{_name}_{_type}",
            2 + _first + _index,
            f"sdst:{_type} simm16:imm16 =[scc]:bool",
            _compare_constant(_function, _extend),
            f"SCC = S0 {_sign} simm16, {_word}",
            flags=("unsigned",) if _type == "u32" else (),
        )
sopc("s_bitcmp0_b32", 0x0C, "src0:b32 src1:u32", _bit_is(0), "SCC = S0[S1[4:0]] is 0")
sopc("s_bitcmp1_b32", 0x0D, "src0:b32 src1:u32", _bit_is(1), "SCC = S0[S1[4:0]] is 1")
sopc("s_bitcmp0_b64", 0x0E, "src0:b64 src1:u32", _bit_is(0), "SCC = S0[S1[5:0]] is 0")
sopc("s_bitcmp1_b64", 0x0F, "src0:b64 src1:u32", _bit_is(1), "SCC = S0[S1[5:0]] is 1")
sopc("s_cmp_eq_u64", 0x12, "src0:u64 src1:u64", np.equal, "SCC = S0 == S1")
sopc("s_cmp_lg_u64", 0x13, "src0:u64 src1:u64", np.not_equal, "SCC = S0 != S1")
declare(
    "s_setvskip",
    "src0:b32 src1:u32",
    [("SOPC", 0x10)],
    unit="SALU",
    doc="vector instructions are skipped while S0[S1[4:0]] is 1",
    control="vskip",
)


def _index_on(a: Array, kinds: Array, m0: Array, mode: Array) -> tuple[Array, Array]:
    index = (m0 & ~U32(0xF0FF)) | (a & U32(0xFF)) | ((kinds & U32(15)) << U32(12))
    return index, mode | U32(1 << MODE_GPR_IDX_EN)


declare(
    "s_set_gpr_idx_on",
    "src0:b32 kinds:imm4 +[m0]:b32 +[mode]:b32",
    [("SOPCI", 0x11)],
    unit="SALU",
    doc="indexed VGPR access on: M0[7:0] = S0[7:0], M0[15:12] = which operands (SRC0 SRC1 SRC2 DST)",
    meaning=_index_on,
    control="gpr_idx_on",
)

sopk("s_movk_i32", 0x00, "=sdst:i32 simm16:imm16", sign_extended, "D = sign-extended simm16")
sopk(
    "s_cmovk_i32",
    0x01,
    "+sdst:i32 simm16:imm16 [scc]:bool",
    lambda old, k, scc: np.where(scc, sign_extended(k), old),
    "if SCC: D = sign-extended simm16",
)


def _add_constant(old: Array, simm16: int) -> tuple[Array, Array]:
    constant = sign_extended(simm16)
    total = old + constant
    return total, ((old ^ total) & (constant ^ total)) < 0


sopk("s_addk_i32", 0x0E, "+sdst:i32 simm16:imm16 =[scc]:bool", _add_constant, "D = D + simm16; SCC = signed overflow")
sopk("s_mulk_i32", 0x0F, "+sdst:i32 simm16:imm16", lambda old, k: old * sign_extended(k), "D = D * simm16")
sopk(
    "s_cbranch_i_fork",
    0x10,
    "sdst:b64 simm16:label [exec]:b64 =[exec]:b64",
    None,
    "fork on a mask S0 to a label, the smaller half first (legacy divergence stack)",
    control="fork",
)
sopk(
    "s_getreg_b32",
    0x11,
    "=sdst:b32 simm16:imm16 [mode]:b32",
    None,
    "D = field of a hardware register",
    control="getreg",
    flags=["hwreg"],
)
sopk(
    "s_setreg_b32",
    0x12,
    "simm16:imm16 sdst:b32 +[mode]:b32",
    None,
    "field of a hardware register = S0",
    control="setreg",
    flags=["hwreg"],
)
declare(
    "s_setreg_imm32_b32",
    "simm16:imm16 imm32:b32 +[mode]:b32",
    [("SOPKL", 0x14)],
    unit="SALU",
    doc="field of a hardware register = imm32",
    control="setreg",
    flags=["hwreg"],
)
sopk("s_call_b64", 0x15, "=sdst:b64 simm16:label", None, "D = address of the next instruction; branch", control="call")

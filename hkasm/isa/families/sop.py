"""Scalar ALU, scalar control flow and program control: SOP1, SOP2, SOPK, SOPC, SOPP.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents, chapter
"Instructions". A scalar value is an array [waves]; SCC is a bool array [waves].
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._shapes import sop1, sop2, sopc, sopk, sopp

U64 = np.uint64
_b32, _b64 = "=sdst:b32 src0:b32 src1:b32 =[scc]:bool", "=sdst:b64 src0:b64 src1:b64 =[scc]:bool"
_u32 = "=sdst:u32 src0:u32 src1:u32 =[scc]:bool"
_i32 = "=sdst:i32 src0:i32 src1:i32 =[scc]:bool"


def _nonzero(value):
    return value, value != 0


def _add_u32(a, b):
    total = a + b
    return total, total < a


def _add_i32(a, b):
    total = a + b
    return total, ((a ^ total) & (b ^ total)) < 0


def _addc(a, b, scc):
    total = a.astype(U64) + b + scc
    return total.astype(np.uint32), total > 0xFFFFFFFF


def _sub_u32(a, b):
    return a - b, a < b


def _sub_i32(a, b):
    total = a - b
    return total, ((a ^ b) & (a ^ total)) < 0


def _subb(a, b, scc):
    return (a - b - scc).astype(np.uint32), a.astype(U64) < b.astype(U64) + scc


sop2("s_add_u32", 0x00, _u32, _add_u32, "D = S0 + S1; SCC = carry out")
sop2("s_sub_u32", 0x01, _u32, _sub_u32, "D = S0 - S1; SCC = borrow")
sop2("s_add_i32", 0x02, _i32, _add_i32, "D = S0 + S1; SCC = signed overflow")
sop2("s_sub_i32", 0x03, _i32, _sub_i32, "D = S0 - S1; SCC = signed overflow")
sop2("s_addc_u32", 0x04, "=sdst:u32 src0:u32 src1:u32 [scc]:bool =[scc]:bool", _addc, "D = S0 + S1 + SCC; SCC = carry out")
sop2("s_subb_u32", 0x05, "=sdst:u32 src0:u32 src1:u32 [scc]:bool =[scc]:bool", _subb, "D = S0 - S1 - SCC; SCC = borrow")
sop2("s_min_i32", 0x06, _i32, lambda a, b: (np.minimum(a, b), a < b), "D = min(S0, S1) signed; SCC = S0 is the minimum")
sop2("s_min_u32", 0x07, _u32, lambda a, b: (np.minimum(a, b), a < b), "D = min(S0, S1) unsigned; SCC = S0 is the minimum")
sop2("s_max_i32", 0x08, _i32, lambda a, b: (np.maximum(a, b), a > b), "D = max(S0, S1) signed; SCC = S0 is the maximum")
sop2("s_max_u32", 0x09, _u32, lambda a, b: (np.maximum(a, b), a > b), "D = max(S0, S1) unsigned; SCC = S0 is the maximum")
sop2("s_cselect_b32", 0x0A, "=sdst:b32 src0:b32 src1:b32 [scc]:bool", lambda a, b, scc: np.where(scc, a, b), "D = SCC ? S0 : S1")
sop2("s_cselect_b64", 0x0B, "=sdst:b64 src0:b64 src1:b64 [scc]:bool", lambda a, b, scc: np.where(scc, a, b), "D = SCC ? S0 : S1")
sop2("s_and_b32", 0x0C, _b32, lambda a, b: _nonzero(a & b), "D = S0 & S1; SCC = D != 0")
sop2("s_and_b64", 0x0D, _b64, lambda a, b: _nonzero(a & b), "D = S0 & S1; SCC = D != 0")
sop2("s_or_b32", 0x0E, _b32, lambda a, b: _nonzero(a | b), "D = S0 | S1; SCC = D != 0")
sop2("s_or_b64", 0x0F, _b64, lambda a, b: _nonzero(a | b), "D = S0 | S1; SCC = D != 0")
sop2("s_xor_b32", 0x10, _b32, lambda a, b: _nonzero(a ^ b), "D = S0 ^ S1; SCC = D != 0")
sop2("s_xor_b64", 0x11, _b64, lambda a, b: _nonzero(a ^ b), "D = S0 ^ S1; SCC = D != 0")
sop2("s_andn2_b32", 0x12, _b32, lambda a, b: _nonzero(a & ~b), "D = S0 & ~S1; SCC = D != 0")
sop2("s_andn2_b64", 0x13, _b64, lambda a, b: _nonzero(a & ~b), "D = S0 & ~S1; SCC = D != 0")
sop2("s_lshl_b32", 0x1C, _b32, lambda a, b: _nonzero(a << (b & 31)), "D = S0 << S1[4:0]; SCC = D != 0")
sop2("s_lshl_b64", 0x1D, "=sdst:b64 src0:b64 src1:u32 =[scc]:bool", lambda a, b: _nonzero(a << (b & 63).astype(U64)), "D = S0 << S1[5:0]; SCC = D != 0")
sop2("s_lshr_b32", 0x1E, _b32, lambda a, b: _nonzero(a >> (b & 31)), "D = S0 >> S1[4:0]; SCC = D != 0")
sop2("s_lshr_b64", 0x1F, "=sdst:b64 src0:b64 src1:u32 =[scc]:bool", lambda a, b: _nonzero(a >> (b & 63).astype(U64)), "D = S0 >> S1[5:0]; SCC = D != 0")
sop2("s_ashr_i32", 0x20, "=sdst:i32 src0:i32 src1:u32 =[scc]:bool", lambda a, b: _nonzero(a >> (b & 31).astype(np.int32)), "D = S0 >> S1[4:0] with sign; SCC = D != 0")
sop2("s_mul_i32", 0x24, "=sdst:i32 src0:i32 src1:i32", lambda a, b: a * b, "D = low 32 bits of S0 * S1")
sop2("s_mul_hi_u32", 0x2C, "=sdst:u32 src0:u32 src1:u32", lambda a, b: (a.astype(U64) * b >> U64(32)).astype(np.uint32), "D = high 32 bits of the unsigned product")

sop1("s_mov_b32", 0x00, "=sdst:b32 src0:b32", lambda a: a, "D = S0")
sop1("s_mov_b64", 0x01, "=sdst:b64 src0:b64", lambda a: a, "D = S0")
sop1("s_not_b32", 0x04, "=sdst:b32 src0:b32 =[scc]:bool", lambda a: _nonzero(~a), "D = ~S0; SCC = D != 0")
sop1("s_not_b64", 0x05, "=sdst:b64 src0:b64 =[scc]:bool", lambda a: _nonzero(~a), "D = ~S0; SCC = D != 0")


def _saveexec(function):
    def meaning(source, old):
        result = function(source, old)
        return old, result, result != 0

    return meaning


_SAVE = "=sdst:b64 src0:b64 [exec]:b64 =[exec]:b64 =[scc]:bool"
sop1("s_and_saveexec_b64", 0x20, _SAVE, _saveexec(lambda s, e: s & e), "D = EXEC; EXEC = S0 & EXEC; SCC = EXEC != 0")
sop1("s_or_saveexec_b64", 0x21, _SAVE, _saveexec(lambda s, e: s | e), "D = EXEC; EXEC = S0 | EXEC; SCC = EXEC != 0")

sopc("s_cmp_eq_i32", 0x00, "src0:i32 src1:i32", np.equal, "SCC = S0 == S1")
sopc("s_cmp_lg_i32", 0x01, "src0:i32 src1:i32", np.not_equal, "SCC = S0 != S1")
sopc("s_cmp_gt_i32", 0x02, "src0:i32 src1:i32", np.greater, "SCC = S0 > S1 signed")
sopc("s_cmp_ge_i32", 0x03, "src0:i32 src1:i32", np.greater_equal, "SCC = S0 >= S1 signed")
sopc("s_cmp_lt_i32", 0x04, "src0:i32 src1:i32", np.less, "SCC = S0 < S1 signed")
sopc("s_cmp_le_i32", 0x05, "src0:i32 src1:i32", np.less_equal, "SCC = S0 <= S1 signed")
sopc("s_cmp_eq_u32", 0x06, "src0:u32 src1:u32", np.equal, "SCC = S0 == S1")
sopc("s_cmp_lg_u32", 0x07, "src0:u32 src1:u32", np.not_equal, "SCC = S0 != S1")
sopc("s_cmp_gt_u32", 0x08, "src0:u32 src1:u32", np.greater, "SCC = S0 > S1 unsigned")
sopc("s_cmp_ge_u32", 0x09, "src0:u32 src1:u32", np.greater_equal, "SCC = S0 >= S1 unsigned")
sopc("s_cmp_lt_u32", 0x0A, "src0:u32 src1:u32", np.less, "SCC = S0 < S1 unsigned")
sopc("s_cmp_le_u32", 0x0B, "src0:u32 src1:u32", np.less_equal, "SCC = S0 <= S1 unsigned")
sopc("s_bitcmp1_b32", 0x0D, "src0:b32 src1:u32", lambda a, b: (a >> (b & 31) & 1) != 0, "SCC = S0[S1[4:0]]")

sopk("s_movk_i32", 0x00, "=sdst:i32 simm16:imm16", lambda k: k.astype(np.int16).astype(np.int32), "D = sign-extended simm16")

sopp("s_nop", 0x00, "simm16:imm16", "nop", "do nothing for simm16[3:0] + 1 wait states", unit="SALU")
sopp("s_endpgm", 0x01, "", "end", "end of the program")
sopp("s_branch", 0x02, "simm16:label", "branch", "PC = PC + 4 + 4 * simm16")
sopp("s_cbranch_scc0", 0x04, "simm16:label [scc]:bool", "cbranch", "branch when SCC is 0", meaning=np.logical_not)
sopp("s_cbranch_scc1", 0x05, "simm16:label [scc]:bool", "cbranch", "branch when SCC is 1", meaning=lambda scc: scc)
sopp("s_cbranch_vccz", 0x06, "simm16:label [vcc]:b64", "cbranch", "branch when VCC is 0", meaning=lambda vcc: vcc == 0)
sopp("s_cbranch_vccnz", 0x07, "simm16:label [vcc]:b64", "cbranch", "branch when VCC is not 0", meaning=lambda vcc: vcc != 0)
sopp("s_cbranch_execz", 0x08, "simm16:label [exec]:b64", "cbranch", "branch when EXEC is 0", meaning=lambda mask: mask == 0)
sopp("s_cbranch_execnz", 0x09, "simm16:label [exec]:b64", "cbranch", "branch when EXEC is not 0", meaning=lambda mask: mask != 0)
sopp("s_barrier", 0x0A, "", "barrier", "wait until all waves of the workgroup are here", unit="MSG")
sopp("s_waitcnt", 0x0C, "simm16:imm16", "wait", "wait until the counters are at or below the given counts", unit="SALU")
sopp("s_sleep", 0x0E, "simm16:imm16", "sleep", "sleep for about 64 * simm16[6:0] clocks", unit="MSG")
sopp("s_setprio", 0x0F, "simm16:imm16", "prio", "set the wave's priority to simm16[1:0]", unit="MSG")

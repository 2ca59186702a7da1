"""Ask LLVM's hazard recogniser how many wait states pairs and sequences of instructions need; write the test fixture.

`llc-22 -run-pass post-RA-hazard-rec` puts in the S_NOPs that LLVM believes necessary. Every template below is one
instruction as assembler text and as MIR; producers and consumers are laid out so that each of the consumer's operands
in turn overlaps each of the producer's, wholly and in part, and not at all. The fixture holds machine code from
llvm-mc-22, so that the test sees exactly what LLVM saw.

    python tools/hazard_oracle.py tests/data/hazards_llvm.npz
"""

# ruff: noqa: E501 (templates are rows of a table, one instruction a line)

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ARCHS = ("gfx942", "gfx950")
SEQUENCES, SEQUENCE_LENGTH = 800, 8
BATCH = 4000


@dataclass(frozen=True)
class Template:
    """One instruction: operand slots are `{name}` in both texts; `slots` gives file and width of each."""

    asm: str
    mir: str
    slots: dict[str, tuple[str, int]]
    archs: tuple[str, ...] = ARCHS

    def render(self, where: dict[str, int]) -> tuple[str, str]:
        """Return assembler text and MIR with each slot at the given first register."""
        asm, mir = {}, {}
        for name, (file, width) in self.slots.items():
            first = where[name]
            asm[name] = f"{file}{first}" if width == 1 else f"{file}[{first}:{first + width - 1}]"
            long = {"v": "vgpr", "a": "agpr", "s": "sgpr"}[file]
            mir[name] = "$" + "_".join(f"{long}{first + i}" for i in range(width))
        return self.asm.format(**asm), self.mir.format(**mir)


def _parse(rows: str, archs: tuple[str, ...] = ARCHS) -> list[Template]:
    """Read rows `asm | MIR | slot=file width ...`; ` EXEC` in MIR stands for the implicit operands of a VALU."""
    templates = []
    for row in rows.strip().splitlines():
        asm, mir, slots = (part.strip() for part in row.split("|"))
        mir = mir.replace(" EXECMODE", ", implicit $mode, implicit $exec").replace(" EXEC", ", implicit $exec")
        parsed = {name: (text[0], int(text[1:])) for name, text in (slot.split("=") for slot in slots.split())}
        templates.append(Template(asm, mir, parsed, archs))
    return templates


def _mfma(name: str, opcode: str, a: int, b: int, d: int, archs: tuple[str, ...] = ARCHS) -> list[Template]:
    """Return the VGPR and the AGPR form of one dense matrix instruction."""
    tail = "0, 0, 0, implicit $mode, implicit $exec"
    return [
        Template(
            f"{name} {{D}}, {{A}}, {{B}}, {{C}}",
            f"{{D}} = {opcode}{form}_e64 {{A}}, {{B}}, {{C}}, {tail}",
            {"D": (file, d), "A": ("v", a), "B": ("v", b), "C": (file, d)},
            archs,
        )
        for file, form in (("v", "_vgprcd"), ("a", ""))
    ]


def _f8f6f4(shape: str, d: int, a: str, b: str, scaled: bool) -> Template:
    widths = {"f8": 8, "f6": 6, "f4": 4}
    codes = {"f8": 0, "f6": 2, "f4": 4}
    cbsz, blgp = codes[a], codes[b]
    text = "".join(f" {name}:{value}" for name, value in (("cbsz", cbsz), ("blgp", blgp)) if value)
    name = f"v_mfma_{'scale_' if scaled else ''}f32_{shape}_f8f6f4"
    opcode = f"V_MFMA_{'SCALE_' if scaled else ''}F32_{shape.upper()}_F8F6F4_{a}_{b}_vgprcd_e64"
    slots = {"D": ("v", d), "A": ("v", widths[a]), "B": ("v", widths[b]), "C": ("v", d)}
    if not scaled:
        mir = f"{{D}} = {opcode} {{A}}, {{B}}, {{C}}, {cbsz}, {blgp}, implicit $mode, implicit $exec"
        return Template(f"{name} {{D}}, {{A}}, {{B}}, {{C}}{text}", mir, slots, ("gfx950",))
    slots |= {"S": ("v", 1), "T": ("v", 1)}
    mir = f"{{D}} = {opcode} {{A}}, {{B}}, {{C}}, {cbsz}, {blgp}, {{S}}, {{T}}, 0, 0, implicit $mode, implicit $exec"
    asm = f"{name} {{D}}, {{A}}, {{B}}, {{C}}, {{S}}, {{T}} op_sel_hi:[0,0,0]{text}"
    return Template(asm, mir, slots, ("gfx950",))


_MATRIX = [
    *_mfma("v_mfma_f32_4x4x1_16b_f32", "V_MFMA_F32_4X4X1F32", 1, 1, 4),
    *_mfma("v_mfma_f32_16x16x4_f32", "V_MFMA_F32_16X16X4F32", 1, 1, 4),
    *_mfma("v_mfma_f32_32x32x2_f32", "V_MFMA_F32_32X32X2F32", 1, 1, 16),
    *_mfma("v_mfma_f32_4x4x4_16b_f16", "V_MFMA_F32_4X4X4F16", 2, 2, 4),
    *_mfma("v_mfma_f32_16x16x16_f16", "V_MFMA_F32_16X16X16F16", 2, 2, 4),
    *_mfma("v_mfma_f32_32x32x8_f16", "V_MFMA_F32_32X32X8F16", 2, 2, 16),
    *_mfma("v_mfma_f32_16x16x32_fp8_fp8", "V_MFMA_F32_16X16X32_FP8_FP8", 2, 2, 4),
    *_mfma("v_mfma_i32_32x32x16_i8", "V_MFMA_I32_32X32X16I8", 2, 2, 16),
    *_mfma("v_mfma_f64_4x4x4_4b_f64", "V_MFMA_F64_4X4X4F64", 2, 2, 2),
    *_mfma("v_mfma_f64_16x16x4_f64", "V_MFMA_F64_16X16X4F64", 2, 2, 8),
    *_mfma("v_mfma_f32_16x16x8_xf32", "V_MFMA_F32_16X16X8XF32", 2, 2, 4, ("gfx942",)),
    *_mfma("v_mfma_f32_16x16x32_bf16", "V_MFMA_F32_16X16X32_BF16", 4, 4, 4, ("gfx950",)),
    *_mfma("v_mfma_f32_32x32x16_bf16", "V_MFMA_F32_32X32X16_BF16", 4, 4, 16, ("gfx950",)),
    _f8f6f4("16x16x128", 4, "f8", "f4", False),
    _f8f6f4("16x16x128", 4, "f4", "f4", False),
    _f8f6f4("32x32x64", 16, "f8", "f8", True),
    _f8f6f4("16x16x128", 4, "f6", "f4", True),
    Template(
        "v_smfmac_f32_16x16x32_f16 {D}, {A}, {B}, {I}",
        "{D} = V_SMFMAC_F32_16X16X32_F16_e64 {A}, {B}, {I}, 0, 0, {D}, implicit $mode, implicit $exec",
        {"D": ("v", 4), "A": ("v", 2), "B": ("v", 4), "I": ("v", 1)},
    ),
]

_OTHERS = _parse(
    """
v_mov_b32_e32 {D}, {A} | {D} = V_MOV_B32_e32 {A} EXEC | D=v1 A=v1
v_add_f32_e32 {D}, {A}, {B} | {D} = V_ADD_F32_e32 {A}, {B} EXECMODE | D=v1 A=v1 B=v1
v_fma_f32 {D}, {A}, {B}, {C} | {D} = V_FMA_F32_e64 0, {A}, 0, {B}, 0, {C}, 0, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_fmac_f32_e32 {D}, {A}, {B} | {D} = V_FMAC_F32_e32 {A}, {B}, {D} EXECMODE | D=v1 A=v1 B=v1
v_pk_add_f32 {D}, {A}, {B} op_sel_hi:[0,1] | {D} = V_PK_ADD_F32 0, {A}, 8, {B}, 0, 0, 0, 0, 0 EXECMODE | D=v2 A=v2 B=v2
v_pk_fma_f32 {D}, {A}, {B}, {C} | {D} = V_PK_FMA_F32 8, {A}, 8, {B}, 8, {C}, 0, 0, 0, 0, 0 EXECMODE | D=v2 A=v2 B=v2 C=v2
v_pk_mul_f16 {D}, {A}, {B} | {D} = V_PK_MUL_F16 8, {A}, 8, {B}, 0, 0, 0, 0, 0 EXECMODE | D=v1 A=v1 B=v1
v_pk_mov_b32 {D}, {A}, {B} | {D} = V_PK_MOV_B32 8, {A}, 8, {B}, 0, 0, 0, 0, 0 EXEC | D=v2 A=v2 B=v2
v_fma_mix_f32 {D}, {A}, {B}, {C} | {D} = V_FMA_MIX_F32 0, {A}, 0, {B}, 0, {C}, 0, 0, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_fma_mix_f32 {D}, {A}, {B}, {C} op_sel_hi:[1,0,0] | {D} = V_FMA_MIX_F32 8, {A}, 0, {B}, 0, {C}, 0, 0, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_mad_u16 {D}, {A}, {B}, {C} op_sel:[0,0,0,1] | {D} = V_MAD_U16_gfx9_e64 8, {A}, 0, {B}, 0, {C}, 0, 0 EXEC | D=v1 A=v1 B=v1 C=v1
v_mad_u16 {D}, {A}, {B}, {C} op_sel:[1,0,0,0] | {D} = V_MAD_U16_gfx9_e64 4, {A}, 0, {B}, 0, {C}, 0, 0 EXEC | D=v1 A=v1 B=v1 C=v1
v_pk_add_f32 {D}, {A}, {B} | {D} = V_PK_ADD_F32 8, {A}, 8, {B}, 0, 0, 0, 0, 0 EXECMODE | D=v2 A=v2 B=v2
v_fma_f64 {D}, {A}, {B}, {C} | {D} = V_FMA_F64_e64 0, {A}, 0, {B}, 0, {C}, 0, 0 EXECMODE | D=v2 A=v2 B=v2 C=v2
v_mul_f64 {D}, {A}, {B} | {D} = V_MUL_F64_e64 0, {A}, 0, {B}, 0, 0 EXECMODE | D=v2 A=v2 B=v2
v_exp_f32_e32 {D}, {A} | {D} = V_EXP_F32_e32 {A} EXECMODE | D=v1 A=v1
v_rcp_f64_e32 {D}, {A} | {D} = V_RCP_F64_e32 {A} EXECMODE | D=v2 A=v2
v_accvgpr_write_b32 {D}, {A} | {D} = V_ACCVGPR_WRITE_B32_e64 {A} EXEC | D=a1 A=v1
v_accvgpr_read_b32 {D}, {A} | {D} = V_ACCVGPR_READ_B32_e64 {A} EXEC | D=v1 A=a1
v_dot2_f32_f16 {D}, {A}, {B}, {C} | {D} = V_DOT2_F32_F16 8, {A}, 8, {B}, 8, {C}, 0, 0, 0, 0, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_dot4_i32_i8 {D}, {A}, {B}, {C} | {D} = V_DOT4_I32_I8 8, {A}, 8, {B}, 8, {C}, 0, 0, 0 EXEC | D=v1 A=v1 B=v1 C=v1
v_dot2c_f32_f16_e32 {D}, {A}, {B} | {D} = V_DOT2C_F32_F16_e32 {A}, {B}, {D} EXECMODE | D=v1 A=v1 B=v1
v_mov_b32_dpp {D}, {A} quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf | {D} = V_MOV_B32_dpp {D}, {A}, 177, 15, 15, 0 EXEC | D=v1 A=v1
v_add_f32_dpp {D}, {A}, {B} row_shr:1 row_mask:0xf bank_mask:0xf | {D} = V_ADD_F32_dpp {D}, 0, {A}, 0, {B}, 273, 15, 15, 0 EXECMODE | D=v1 A=v1 B=v1
v_add_f16_sdwa {D}, {A}, {B} dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD | {D} = V_ADD_F16_sdwa 0, {A}, 0, {B}, 0, 0, 5, 0, 6, 6 EXECMODE | D=v1 A=v1 B=v1
v_add_f16_sdwa {D}, {A}, {B} dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD | {D} = V_ADD_F16_sdwa 0, {A}, 0, {B}, 0, 0, 6, 0, 5, 6 EXECMODE | D=v1 A=v1 B=v1
v_cvt_sr_fp8_f32 {D}, {A}, {B} | {D} = V_CVT_SR_FP8_F32_e64 0, {A}, 0, {B}, 0, {D}, 0 EXECMODE | D=v1 A=v1 B=v1
v_cvt_sr_fp8_f32 {D}, {A}, {B} op_sel:[0,0,1,0] | {D} = V_CVT_SR_FP8_F32_e64 0, {A}, 0, {B}, 4, {D}, 0 EXECMODE | D=v1 A=v1 B=v1
v_cvt_sr_fp8_f32 {D}, {A}, {B} op_sel:[0,0,0,1] | {D} = V_CVT_SR_FP8_F32_e64 8, {A}, 0, {B}, 0, {D}, 0 EXECMODE | D=v1 A=v1 B=v1
v_cvt_sr_bf8_f32 {D}, {A}, {B} op_sel:[0,0,1,0] | {D} = V_CVT_SR_BF8_F32_e64 0, {A}, 0, {B}, 4, {D}, 0 EXECMODE | D=v1 A=v1 B=v1
v_cvt_pk_fp8_f32 {D}, {A}, {B} | {D} = V_CVT_PK_FP8_F32_e64 0, {A}, 0, {B}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1
v_cvt_pk_fp8_f32 {D}, {A}, {B} op_sel:[0,0,1] | {D} = V_CVT_PK_FP8_F32_e64 8, {A}, 0, {B}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1
v_readfirstlane_b32 {S}, {A} | {S} = V_READFIRSTLANE_B32 {A} EXEC | S=s1 A=v1
v_readlane_b32 {S}, {A}, {L} | {S} = V_READLANE_B32 {A}, {L} | S=s1 A=v1 L=s1
v_writelane_b32 {D}, 1, {L} | {D} = V_WRITELANE_B32 1, {L}, {D} | D=v1 L=s1
v_writelane_b32 {D}, {X}, 3 | {D} = V_WRITELANE_B32 {X}, 3, {D} | D=v1 X=s1
v_mov_b32_e32 {D}, {S} | {D} = V_MOV_B32_e32 {S} EXEC | D=v1 S=s1
v_cmp_gt_u32_e64 {M}, {A}, {B} | {M} = V_CMP_GT_U32_e64 {A}, {B} EXEC | M=s2 A=v1 B=v1
v_cmp_gt_u32_e32 vcc, {A}, {B} | V_CMP_GT_U32_e32 {A}, {B}, implicit-def $vcc EXEC | A=v1 B=v1
v_cmpx_gt_u32_e32 vcc, {A}, {B} | V_CMPX_GT_U32_e32 {A}, {B}, implicit-def $exec, implicit-def $vcc EXEC | A=v1 B=v1
v_cndmask_b32_e64 {D}, {A}, {B}, {M} | {D} = V_CNDMASK_B32_e64 0, {A}, 0, {B}, {M} EXEC | D=v1 A=v1 B=v1 M=s2
v_cndmask_b32_e32 {D}, {A}, {B}, vcc | {D} = V_CNDMASK_B32_e32 {A}, {B}, implicit $vcc EXEC | D=v1 A=v1 B=v1
v_add_co_u32_e64 {D}, {M}, {A}, {B} | {D}, {M} = V_ADD_CO_U32_e64 {A}, {B}, 0 EXEC | D=v1 M=s2 A=v1 B=v1
v_addc_co_u32_e64 {D}, {M}, {A}, {B}, {N} | {D}, {M} = V_ADDC_U32_e64 {A}, {B}, {N}, 0 EXEC | D=v1 M=s2 A=v1 B=v1 N=s2
v_div_fmas_f32 {D}, {A}, {B}, {C} | {D} = V_DIV_FMAS_F32_e64 0, {A}, 0, {B}, 0, {C}, 0, 0, implicit $vcc EXECMODE | D=v1 A=v1 B=v1 C=v1
s_mov_b32 {S}, {T} | {S} = S_MOV_B32 {T} | S=s1 T=s1
s_mov_b32 m0, {T} | $m0 = S_MOV_B32 {T} | T=s1
s_mov_b64 exec, {M} | $exec = S_MOV_B64 {M} | M=s2
s_mov_b64 vcc, {M} | $vcc = S_MOV_B64 {M} | M=s2
s_add_u32 {S}, {T}, {U} | {S} = S_ADD_U32 {T}, {U}, implicit-def $scc | S=s1 T=s1 U=s1
s_nop 1 | S_NOP 1 |
s_waitcnt lgkmcnt(0) | S_WAITCNT 49279 |
s_movrels_b32 {S}, {T} | {S} = S_MOVRELS_B32 {T}, implicit $m0 | S=s1 T=s1
s_setreg_b32 hwreg(HW_REG_MODE, 0, 16), {S} | S_SETREG_B32 {S}, 30721, implicit-def $mode, implicit $mode | S=s1
s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 16), 5 | S_SETREG_IMM32_B32 5, 30723, implicit-def $mode, implicit $mode |
s_getreg_b32 {S}, hwreg(HW_REG_MODE, 0, 16) | {S} = S_GETREG_B32 30721, implicit $mode | S=s1
s_getreg_b32 {S}, hwreg(HW_REG_TRAPSTS, 0, 16) | {S} = S_GETREG_B32 30723, implicit $mode | S=s1
s_rfe_b64 {M} | S_RFE_B64 {M} | M=s2
s_load_dword {S}, {M}, 0x0 | {S} = S_LOAD_DWORD_IMM {M}, 0, 0 | S=s1 M=s2
global_load_dword {D}, {A}, off | {D} = GLOBAL_LOAD_DWORD {A}, 0, 0 EXEC | D=v1 A=v2
global_load_dwordx4 {D}, {A}, {M} | {D} = GLOBAL_LOAD_DWORDX4_SADDR {M}, {A}, 0, 0 EXEC | D=v4 A=v1 M=s2
global_store_dword {A}, {D}, off | GLOBAL_STORE_DWORD {A}, {D}, 0, 0 EXEC | A=v2 D=v1
global_store_dwordx2 {A}, {D}, off | GLOBAL_STORE_DWORDX2 {A}, {D}, 0, 0 EXEC | A=v2 D=v2
global_store_dwordx3 {A}, {D}, off | GLOBAL_STORE_DWORDX3 {A}, {D}, 0, 0 EXEC | A=v2 D=v3
global_store_dwordx4 {A}, {D}, {M} | GLOBAL_STORE_DWORDX4_SADDR {A}, {D}, {M}, 0, 0 EXEC | A=v1 D=v4 M=s2
buffer_load_dword {D}, {A}, {R}, 0 offen | {D} = BUFFER_LOAD_DWORD_OFFEN {A}, {R}, 0, 0, 0, 0 EXEC | D=v1 A=v1 R=s4
buffer_load_dwordx4 {D}, off, {R}, {O} | {D} = BUFFER_LOAD_DWORDX4_OFFSET {R}, {O}, 0, 0, 0 EXEC | D=v4 R=s4 O=s1
buffer_load_dword {A}, {R}, {O} offen lds | BUFFER_LOAD_DWORD_LDS_OFFEN {A}, {R}, {O}, 0, 0, 0, implicit $m0 EXEC | A=v1 R=s4 O=s1
buffer_store_dwordx4 {D}, {A}, {R}, 0 offen | BUFFER_STORE_DWORDX4_OFFEN {D}, {A}, {R}, 0, 0, 0, 0 EXEC | D=v4 A=v1 R=s4
buffer_store_dwordx4 {D}, {A}, {R}, {O} offen | BUFFER_STORE_DWORDX4_OFFEN {D}, {A}, {R}, {O}, 0, 0, 0 EXEC | D=v4 A=v1 R=s4 O=s1
ds_read_b32 {D}, {A} | {D} = DS_READ_B32_gfx9 {A}, 0, 0 EXEC | D=v1 A=v1
ds_read_b128 {D}, {A} | {D} = DS_READ_B128_gfx9 {A}, 0, 0 EXEC | D=v4 A=v1
ds_write_b32 {A}, {D} | DS_WRITE_B32_gfx9 {A}, {D}, 0, 0 EXEC | A=v1 D=v1
ds_write_b128 {A}, {D} | DS_WRITE_B128_gfx9 {A}, {D}, 0, 0 EXEC | A=v1 D=v4
ds_read_addtid_b32 {D} | {D} = DS_READ_ADDTID_B32 0, 0, implicit $m0 EXEC | D=v1
"""
)

_ON_GFX950 = _parse(
    """
v_permlane32_swap_b32_e32 {D}, {A} | {D}, {A} = V_PERMLANE32_SWAP_B32_e32 {D}, {A} EXEC | D=v1 A=v1
v_cvt_pk_bf16_f32 {D}, {A}, {B} | {D} = V_CVT_PK_BF16_F32_e64 0, {A}, 0, {B}, 0, 0 EXECMODE | D=v1 A=v1 B=v1
v_dot2c_f32_bf16_e32 {D}, {A}, {B} | {D} = V_DOT2C_F32_BF16_e32 {A}, {B}, {D} EXECMODE | D=v1 A=v1 B=v1
v_cvt_scalef32_pk_fp4_f32 {D}, {A}, {B}, {C} | {D} = V_CVT_SCALEF32_PK_FP4_F32_e64 0, {A}, 0, {B}, 0, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_pk_fp4_f32 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_PK_FP4_F32_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_pk_fp8_f32 {D}, {A}, {B}, {C} op_sel:[0,0,0,1] | {D} = V_CVT_SCALEF32_PK_FP8_F32_e64 8, {A}, 0, {B}, 0, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_fp8_f32 {D}, {A}, {B}, {C} | {D} = V_CVT_SCALEF32_SR_FP8_F32_e64 0, {A}, 0, {B}, 0, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_fp8_f32 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_SR_FP8_F32_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_pk_fp4_f32 {D}, {A}, {B}, {C} | early-clobber {D} = V_CVT_SCALEF32_SR_PK_FP4_F32_e64 0, {A}, 0, {B}, 0, {C}, {D}, 0 EXECMODE | D=v1 A=v2 B=v1 C=v1
v_cvt_scalef32_pk_fp4_f16 {D}, {A}, {C} | {D} = V_CVT_SCALEF32_PK_FP4_F16_e64 0, {A}, 0, {C}, 0, {D}, 0 EXECMODE | D=v1 A=v1 C=v1
v_cvt_scalef32_pk_fp4_f16 {D}, {A}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_PK_FP4_F16_e64 0, {A}, 0, {C}, 4, {D}, 0 EXECMODE | D=v1 A=v1 C=v1
v_cvt_scalef32_sr_pk_fp4_f16 {D}, {A}, {B}, {C} | early-clobber {D} = V_CVT_SCALEF32_SR_PK_FP4_F16_e64 0, {A}, 0, {B}, 0, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_pk_fp4_bf16 {D}, {A}, {C} | {D} = V_CVT_SCALEF32_PK_FP4_BF16_e64 0, {A}, 0, {C}, 0, {D}, 0 EXECMODE | D=v1 A=v1 C=v1
v_cvt_scalef32_pk_fp4_bf16 {D}, {A}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_PK_FP4_BF16_e64 0, {A}, 0, {C}, 4, {D}, 0 EXECMODE | D=v1 A=v1 C=v1
v_cvt_scalef32_sr_pk_fp4_bf16 {D}, {A}, {B}, {C} | early-clobber {D} = V_CVT_SCALEF32_SR_PK_FP4_BF16_e64 0, {A}, 0, {B}, 0, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_fp8_f16 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_SR_FP8_F16_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_fp8_bf16 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_SR_FP8_BF16_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_bf8_f32 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_SR_BF8_F32_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_bf8_f16 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_SR_BF8_F16_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
v_cvt_scalef32_sr_bf8_bf16 {D}, {A}, {B}, {C} op_sel:[0,0,1,0] | {D} = V_CVT_SCALEF32_SR_BF8_BF16_e64 0, {A}, 0, {B}, 4, {C}, {D}, 0 EXECMODE | D=v1 A=v1 B=v1 C=v1
""",
    ("gfx950",),
)


def templates(arch: str) -> list[Template]:
    """Return the templates that a chip has."""
    return [template for template in (*_MATRIX, *_OTHERS, *_ON_GFX950) if arch in template.archs]


# ---- LLVM ------------------------------------------------------------------------------------------------------


def wait_states(arch: str, programs: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return, for every program (MIR lines), the wait states that llc puts before each of its instructions."""
    found: list[list[int]] = []
    for first in range(0, len(programs), BATCH):
        batch = programs[first : first + BATCH]
        found += _run_llc(arch, batch)
    return found


def _run_llc(arch: str, programs: Sequence[Sequence[str]]) -> list[list[int]]:
    text = "".join(
        f"---\nname: f{number}\nbody: |\n  bb.0:\n"
        + "".join(f"    {line}\n" for line in lines)
        + "    S_ENDPGM 0\n...\n"
        for number, lines in enumerate(programs)
    )
    # Without XNACK: replayed loads would want other nops still, between loads that share registers.
    command = [
        "llc-22",
        "-mtriple=amdgcn-amd-amdhsa",
        f"-mcpu={arch}",
        "-mattr=-xnack",
        "-run-pass",
        "post-RA-hazard-rec",
    ]
    run = subprocess.run(
        [*command, "-x", "mir", "-", "-o", "-"], input=text, capture_output=True, text=True, check=False
    )
    if run.returncode:
        sys.exit(f"llc-22 failed:\n{run.stderr[:2000]}")
    bodies = re.split(r"^name:", run.stdout, flags=re.M)[1:]
    return [_count_nops(lines, body) for lines, body in zip(programs, bodies, strict=True)]


def _count_nops(program: Sequence[str], body: str) -> list[int]:
    """Return the wait states put in before each line of a program; nothing is ever put before an S_NOP of its own."""
    lines = [line.strip() for line in body.split("body:", 1)[1].splitlines()[1:]]
    expected = [*program, "S_ENDPGM 0"]
    counts: list[int] = []
    pending = 0
    for line in (line for line in lines if line and not line.startswith(("bb.", "...", "---"))):
        own = expected[len(counts)].startswith("S_NOP")
        if line.startswith("S_NOP") and not own:
            pending += int(line.split()[1]) + 1
            continue
        counts.append(pending)
        pending = 0
    if len(counts) != len(expected):
        sys.exit(f"llc-22 changed more than nops: {program} -> {body}")
    return counts[:-1]


def assemble(arch: str, texts: Sequence[str]) -> list[str]:
    """Return the machine code of each line as hex."""
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-show-encoding"]
    run = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"llvm-mc-22 failed:\n{run.stderr[:2000]}")
    found = re.findall(r"encoding: \[([^\]]*)\]", run.stdout)
    if len(found) != len(texts):
        sys.exit(f"llvm-mc-22 gave {len(found)} encodings for {len(texts)} lines")
    return ["".join(byte[2:] for byte in encoding.split(",")) for encoding in found]


# ---- pairs and sequences ---------------------------------------------------------------------------------------


def _spread(template: Template, base: dict[str, int]) -> dict[str, int]:
    """Give every slot registers of its own, from a base for each file, aligned to 4."""
    where, next_free = {}, dict(base)
    for name, (file, width) in template.slots.items():
        where[name] = next_free[file]
        next_free[file] += -(-width // 4) * 4
    return where


def placements(producer: Template, consumer: Template) -> Iterable[tuple[dict[str, int], dict[str, int]]]:
    """Lay out a pair: apart, then each of the consumer's slots on each of the producer's of the same file."""
    before = _spread(producer, {"v": 0, "a": 0, "s": 0})
    after = _spread(consumer, {"v": 128, "a": 128, "s": 48})
    yield before, after
    for name, (file, width) in producer.slots.items():
        for other, (other_file, other_width) in consumer.slots.items():
            if file != other_file:
                continue
            steps = {0}
            if width > 2 and width > other_width:
                steps.add(width - max(other_width, 1) - (width - other_width) % 2)
            elif width == other_width and width > 2:
                steps.add(2)
            align = 1 if other_width == 1 else other_width & -other_width if file == "s" else 2
            for step in sorted(steps):
                if (before[name] + step) % align == 0:
                    yield before, {**after, other: before[name] + step}


class Table:
    """Instructions by number, each text once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.mir: list[str] = []

    def add(self, template: Template, where: dict[str, int]) -> int:
        """Return the number of an instruction, new or known."""
        asm, mir = template.render(where)
        if asm not in self.texts:
            self.texts[asm] = len(self.texts)
            self.mir.append(mir)
        return self.texts[asm]


def build(arch: str) -> dict[str, np.ndarray]:
    """Return the fixture of one chip: machine code, pairs with wait states, sequences with wait states."""
    table, known = Table(), templates(arch)
    pairs = [
        (table.add(producer, before), table.add(consumer, after))
        for producer in known
        for consumer in known
        for before, after in placements(producer, consumer)
    ]
    rng = np.random.default_rng(20)
    straight = [template for template in known if not template.asm.startswith("s_rfe")]
    sequences = []
    for _ in range(SEQUENCES):
        chosen = [straight[i] for i in rng.integers(0, len(straight), SEQUENCE_LENGTH)]
        sequences.append([table.add(template, _crowd(template, rng)) for template in chosen])
    pair_states = wait_states(arch, [[table.mir[a], table.mir[b]] for a, b in pairs])
    sequence_states = wait_states(arch, [[table.mir[i] for i in sequence] for sequence in sequences])
    texts = list(table.texts)
    return {
        "code": np.array(assemble(arch, texts)),
        "pairs": np.array(
            [(a, b, states[1]) for (a, b), states in zip(pairs, pair_states, strict=True)], dtype=np.int16
        ),
        "sequences": np.array(sequences, dtype=np.int16),
        "sequence_states": np.array(sequence_states, dtype=np.int8),
    }


def _crowd(template: Template, rng: np.random.Generator) -> dict[str, int]:
    """Put every slot into a small part of its file, so that instructions of a sequence meet often."""
    room = {"v": 16, "a": 8, "s": 8}
    where = {
        name: 4 * int(rng.integers(0, max(room[file] // 4, 1))) if width > 1 else int(rng.integers(0, room[file]))
        for name, (file, width) in template.slots.items()
    }
    if template in _MATRIX and "C" in where and abs(where["C"] - where["D"]) < template.slots["D"][1]:
        where["C"] = where["D"]  # a C that overlaps D in part is no instruction
    return where


def main(target: Path) -> None:
    """Write the fixture of both chips."""
    arrays = {f"{arch}/{name}": array for arch in ARCHS for name, array in build(arch).items()}
    np.savez_compressed(target, **arrays)  # type: ignore[arg-type]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", type=Path, help="the fixture's file")
    main(parser.parse_args().target)

"""Instructions read from text: every form that LLVM writes, other spellings that it takes, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction_parser import instruction_from_text
from hkasm.errors import ArchError, HkasmError
from hkasm.isa import ARCHES

DATA = Path(__file__).parent.parent / "data" / "llvm"


@pytest.mark.parametrize("arch", ARCHES)
def test_every_form_that_llvm_writes_reads_back_to_the_same_bytes(arch: str) -> None:
    pairs = json.loads(gzip.decompress((DATA / f"{arch}_forms.json.gz").read_bytes()))["data"]
    assert len(pairs) > 4000
    for text, code in pairs:
        inst = instruction_from_text(text, arch)
        assert str(inst) == text
        assert encode_instruction(inst, arch).hex() == code, text


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("s_mov_b32 s0, (1 << 6) + 100", "s_mov_b32 s0, 0xa4"),
        ("s_mov_b32 s0, 010", "s_mov_b32 s0, 8"),
        ("s_mov_b32 s0, 0b101", "s_mov_b32 s0, 5"),
        ("s_mov_b32 s0, scc", "s_mov_b32 s0, src_scc"),
        ("v_mov_b32 v[5], v[3:3]", "v_mov_b32_e32 v5, v3"),
        ("v_mov_b32 v0, lit(0x1)", "v_mov_b32_e32 v0, lit(0x1)"),
        ("v_mov_b32 v0, 0x3f800000", "v_mov_b32_e32 v0, 1.0"),
        ("v_cvt_f32_f64 v0, 0x40100000", "v_cvt_f32_f64_e32 v0, 4.0"),
        ("v_add_f64 [v0,v1], v[2:3], [v4,v5]", "v_add_f64 v[0:1], v[2:3], v[4:5]"),
        ("v_add_f32 v0, neg(abs(v1)), - v2", "v_add_f32_e64 v0, -|v1|, -v2"),
        ("v_add_f16 v0, 1.5, v1", "v_add_f16_e32 v0, 0x3e00, v1"),
        ("v_cmp_eq_f32 vcc, v0, v1", "v_cmp_eq_f32_e32 vcc, v0, v1"),
        ("v_cmp_eq_f32 s[0:1], v0, v1", "v_cmp_eq_f32_e64 s[0:1], v0, v1"),
        (
            "v_mov_b32 v0, v1 row_shr:1 bound_ctrl:0",
            "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
        ),
        (
            "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_0",
            "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
        ),
        ("v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]", "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[0:3]"),
        (
            "v_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[2:3], a[0:15]",
            "v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]",
        ),
        ("s_waitcnt vmcnt(0) & lgkmcnt(1)", "s_waitcnt vmcnt(0) lgkmcnt(1)"),
        ("s_waitcnt vmcnt_sat(99), expcnt(2)", "s_waitcnt expcnt(2)"),
        ("s_getreg_b32 s0, 0x1881", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 2, 4)"),
        ("s_load_dword s0, s[2:3], s4 offset:0", "s_load_dword s0, s[2:3], s4 offset:0x0"),
        ("s_load_dword s0, s[2:3], -4", "s_load_dword s0, s[2:3], -0x4"),
        ("ds_swizzle_b32 v0, v1 offset:0x8039", "ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,1,2,3,0)"),
        (
            'ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM, "p0i01")',
            'ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"p0i01")',
        ),
        (
            "tbuffer_load_format_x v0, off, s[0:3], 0 format:116 offset:8",
            "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offset:8",
        ),
        ("tbuffer_load_format_x v0, off, s[0:3], 0 format:1", "tbuffer_load_format_x v0, off, s[0:3], 0"),
        (
            "buffer_load_dword v0, v1, s[0:3], 0 offset:4, offen nt",
            "buffer_load_dword v0, v1, s[0:3], 0 offen offset:4 nt",
        ),
        ("global_atomic_add v1, v[2:3], v4, off sc0", "global_atomic_add v1, v[2:3], v4, off sc0"),
    ],
)
def test_other_spellings(written: str, canonical: str) -> None:
    assert str(instruction_from_text(written, "gfx942")) == canonical
    assert str(instruction_from_text(canonical, "gfx942")) == canonical


def test_the_comment_is_kept() -> None:
    assert instruction_from_text("s_nop 1 ; twice // more", "gfx950").comment == "twice // more"
    assert instruction_from_text("s_nop 1 // once", "gfx950").comment == "once"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v_ad_f32 v0, v1, v2", "unknown instruction 'v_ad_f32'\n  hint: did you mean 'v_add_f32'?"),
        ("ds_read_b64_tr_b16 v[0:1], v2", "ds_read_b64_tr_b16 does not exist on gfx942\n  hint: it is on gfx950"),
        ("v_add_f32 v0, v1", "v_add_f32: wants 3 operands, got 2"),
        ("v_add_f32 v0, v1, v2, v3", "v_add_f32: wants 3 operands, got 4"),
        ("v_add_f32 v0, v1, v256", "register v256 does not exist\n  hint: v0 to v255"),
        ("v_mov_b32 v0, foo", "symbol 'foo' is not set"),
        ("v_mov_b32 v0, 09", "'09' is no number (a leading 0 says octal)"),
        ("v_mov_b32 v0, v1 row_shl:16", "row_shl:16 does not exist"),
        ("v_mov_b32_sdwa v0, v1 dst_sel:BYTE_9", "dst_sel:BYTE_9 does not exist"),
        ("ds_read_b32 v0, v1 offset:65536", "ds_read_b32: offset:65536 is out of range (0 to 65535)"),
        ("ds_read_b32 v0, v1 gds", "ds_read_b32: there is no GDS on these archs"),
        ("ds_gws_barrier v0", "ds_gws_barrier: gds is missing behind the operands"),
        ("ds_gws_barrier v1 gds", "ds_gws_barrier: operand 'data0' wants an even register, got v1"),
        ("ds_write2_b32 v0, v1, a2", "ds_write2_b32: data0 and data1 are both in VGPRs or both in AGPRs"),
        (
            "buffer_load_dword v0, off, s[0:3], 0 offset:4096",
            "buffer_load_dword: offset:4096 is out of range (0 to 4095)",
        ),
        ("buffer_load_dword v0, v1, s[0:3], 0", "buffer_load_dword: a VGPR address wants offen or idxen"),
        (
            "buffer_load_dword v0, off, s[0:3], 0 offen",
            "buffer_load_dword: offen and idxen want an address, got vaddr off",
        ),
        ("buffer_load_dword v0, off, s[0:3], 0 nt nt", "buffer_load_dword: nt is written twice"),
        ("buffer_load_dwordx4 off, s[0:3], 0 lds", "buffer_load_dwordx4 has no direct-to-LDS form here"),
        ("buffer_inv sc1 nt", "buffer_inv: takes no nt in the MUBUF_CACHE form"),
        ("flat_load_dword v0, v[2:3] offset:4096", "flat_load_dword: offset:4096 is out of range (0 to 4095)"),
        (
            "global_load_dword v0, v[2:3], off offset:-4097",
            "global_load_dword: offset:-4097 is out of range (-4096 to 4095)",
        ),
        ("global_load_dword v0, v[3:4], off", "global_load_dword: operand 'vaddr' wants an aligned tuple, got v[3:4]"),
        ("global_load_dword v0, v1, exec", "global_load_dword: operand 'saddr' cannot be exec"),
        ("s_load_dword m0, s[0:1], 0", "s_load_dword: operand 'sdata' cannot be m0"),
        ("s_load_dword s0, s[0:1], 0x100000", "s_load_dword: offset:1048576 is out of range (-1048576 to 1048575)"),
        ("s_buffer_load_dword s0, s[0:3], -4", "s_buffer_load_dword: offset:-4 is out of range (0 to 1048575)"),
        ("s_waitcnt vmcnt(64)", "s_waitcnt: vmcnt(64) is out of range (0 to 63), or named twice"),
        ("s_setprio 4", "s_setprio: operand 'simm16'=4 is out of range (0 to 3)"),
        (
            "global_atomic_add_f64 a[0:1], v[2:3], a[4:5], off sc0 sc1",
            "global_atomic_add_f64: LLVM has no form with AGPRs and sc1",
        ),
        ("v_add_f32 v0, v1, |v2", "'v0, v1, |v2' has a bracket, bar or quote that does not close"),
    ],
)
def test_what_is_refused_and_how(text: str, message: str) -> None:
    with pytest.raises(HkasmError) as caught:
        instruction_from_text(text, "gfx942")
    lines = [line for line in str(caught.value).splitlines() if not line.startswith("  form:")]
    assert "\n".join(lines).startswith(message)


def test_an_unknown_instruction_is_an_arch_error() -> None:
    with pytest.raises(ArchError):
        instruction_from_text("s_frobnicate", "gfx950")

"""The builder's instruction methods, one a mnemonic, written by tools/make_stubs.py from declarations."""

from collections.abc import Hashable
from typing import TypedDict, overload

from typing_extensions import Unpack

from hkasm.asm.instruction import Instruction, Label
from hkasm.isa.constants import Const
from hkasm.isa.registers import Register

Value = Register | Const | int | float
Target = Label | str | int

class Common(TypedDict, total=False):
    comment: str
    tokens: tuple[Hashable, ...]

class BufferAtomicAdd(Common, total=False):
    offset: int
    offen: int
    idxen: int
    sc0: int
    sc1: int
    nt: int

class BufferInv(Common, total=False):
    sc0: int
    sc1: int

class BufferLoadDword(Common, total=False):
    offset: int
    offen: int
    idxen: int
    sc0: int
    sc1: int
    nt: int
    lds: int

class DsAddF32(Common, total=False):
    offset: int

class DsRead2B32(Common, total=False):
    offset0: int
    offset1: int

class FlatAtomicAdd(Common, total=False):
    offset: int
    sc0: int
    nt: int
    sc1: int

class SAtomicAdd(Common, total=False):
    offset: int
    glc: int

class TbufferLoadFormatD16X(Common, total=False):
    offset: int
    offen: int
    idxen: int
    sc0: int
    format: int
    sc1: int
    nt: int

class VAdd3U32(Common, total=False):
    e64: bool

class VAddCoU32(Common, total=False):
    clamp: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_sel: int
    src1_sel: int
    dst_sel: int
    dst_unused: int
    src0_sext: int
    src1_sext: int
    e64: bool

class VAddF16(Common, total=False):
    neg: int
    abs: int
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    src1_neg: int
    src1_abs: int
    src0_sel: int
    src1_sel: int
    dst_sel: int
    dst_unused: int
    e64: bool

class VAddF64(Common, total=False):
    neg: int
    abs: int
    clamp: int
    omod: int
    e64: bool

class VAddI16(Common, total=False):
    op_sel: int
    clamp: int
    e64: bool

class VAddI32(Common, total=False):
    clamp: int
    e64: bool

class VAndB32(Common, total=False):
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_sel: int
    src1_sel: int
    clamp: int
    dst_sel: int
    dst_unused: int
    src0_sext: int
    src1_sext: int
    e64: bool

class VAshrPkI8I32(Common, total=False):
    op_sel: int
    e64: bool

class VBfrevB32(Common, total=False):
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_sel: int
    clamp: int
    dst_sel: int
    dst_unused: int
    src0_sext: int
    e64: bool

class VBitop3B16(Common, total=False):
    bitop3: int
    op_sel: int
    e64: bool

class VBitop3B32(Common, total=False):
    bitop3: int
    e64: bool

class VCeilF16(Common, total=False):
    neg: int
    abs: int
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    src0_sel: int
    dst_sel: int
    dst_unused: int
    e64: bool

class VCeilF64(Common, total=False):
    neg: int
    abs: int
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    e64: bool

class VCmpClassF16(Common, total=False):
    neg: int
    abs: int
    src0_sel: int
    src1_sel: int
    src0_neg: int
    src0_abs: int
    src1_sext: int
    e64: bool

class VCmpClassF64(Common, total=False):
    neg: int
    abs: int
    e64: bool

class VCmpEqF16(Common, total=False):
    neg: int
    abs: int
    clamp: int
    src0_sel: int
    src1_sel: int
    src0_neg: int
    src0_abs: int
    src1_neg: int
    src1_abs: int
    e64: bool

class VCmpEqF64(Common, total=False):
    neg: int
    abs: int
    clamp: int
    e64: bool

class VCmpEqI16(Common, total=False):
    src0_sel: int
    src1_sel: int
    src0_sext: int
    src1_sext: int
    e64: bool

class VCndmaskB32(Common, total=False):
    neg: int
    abs: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    src1_neg: int
    src1_abs: int
    src0_sel: int
    src1_sel: int
    clamp: int
    dst_sel: int
    dst_unused: int
    e64: bool

class VCvtF16I16(Common, total=False):
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_sel: int
    dst_sel: int
    dst_unused: int
    src0_sext: int
    e64: bool

class VCvtF32Bf8(Common, total=False):
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_sel: int
    e64: bool

class VCvtF64I32(Common, total=False):
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    e64: bool

class VCvtFlrI32F32(Common, total=False):
    neg: int
    abs: int
    clamp: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    src0_sel: int
    dst_sel: int
    dst_unused: int
    e64: bool

class VCvtPkBf8F32(Common, total=False):
    neg: int
    abs: int
    op_sel: int
    e64: bool

class VCvtPknormI16F16(Common, total=False):
    neg: int
    abs: int
    op_sel: int
    clamp: int
    e64: bool

class VDivFixupF16(Common, total=False):
    neg: int
    abs: int
    op_sel: int
    clamp: int
    omod: int
    e64: bool

class VDivScaleF32(Common, total=False):
    neg: int
    clamp: int
    omod: int
    e64: bool

class VDot2F32Bf16(Common, total=False):
    neg_lo: int
    neg_hi: int
    clamp: int
    op_sel: int
    op_sel_hi: int

class VDot2cF32Bf16(Common, total=False):
    neg: int
    abs: int
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    src1_neg: int
    src1_abs: int
    e64: bool

class VDot2cI32I16(Common, total=False):
    clamp: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    e64: bool

class VDot4I32I8(Common, total=False):
    neg_lo: int
    neg_hi: int
    clamp: int

class VLdexpF16(Common, total=False):
    neg: int
    abs: int
    clamp: int
    omod: int
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    src0_neg: int
    src0_abs: int
    src0_sel: int
    src1_sel: int
    dst_sel: int
    dst_unused: int
    src1_sext: int
    e64: bool

class VMfmaF3216x16x128F8f6f4(Common, total=False):
    cbsz: int
    blgp: int

class VMfmaF3216x16x16Bf16(Common, total=False):
    cbsz: int
    abid: int
    blgp: int

class VMfmaLdScaleB32(Common, total=False):
    op_sel: int
    op_sel_hi: int

class VMfmaScaleF3216x16x128F8f6f4(Common, total=False):
    cbsz: int
    blgp: int
    op_sel: int
    op_sel_hi: int

class VMovB64(Common, total=False):
    dpp_ctrl: int
    row_mask: int
    bank_mask: int
    bound_ctrl: int
    e64: bool

class VPermlane16SwapB32(Common, total=False):
    bound_ctrl: int
    fi: int
    e64: bool

class VSmfmacF3216x16x128Bf8Bf8(Common, total=False):
    cbsz: int
    abid: int

class Mnemonics:
    def buffer_atomic_add(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in the buffer.

        buffer_atomic_add vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_add vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_add_f32(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in the buffer.

        buffer_atomic_add_f32 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_add_f32 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_add_f64(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in the buffer.

        buffer_atomic_add_f64 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_add_f64 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_add_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in the buffer.

        buffer_atomic_add_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_add_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_and(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM & DATA in the buffer.

        buffer_atomic_and vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_and vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_and_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM & DATA in the buffer.

        buffer_atomic_and_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_and_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_cmpswap(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in the buffer.

        buffer_atomic_cmpswap vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_cmpswap vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_cmpswap_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in the buffer.

        buffer_atomic_cmpswap_x2 vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_cmpswap_x2 vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_dec(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in the buffer.

        buffer_atomic_dec vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_dec vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_dec_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in the buffer.

        buffer_atomic_dec_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_dec_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_inc(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in the buffer.

        buffer_atomic_inc vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_inc vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_inc_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in the buffer.

        buffer_atomic_inc_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_inc_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_max_f64(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) in the buffer.

        buffer_atomic_max_f64 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_max_f64 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_min_f64(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) in the buffer.

        buffer_atomic_min_f64 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_min_f64 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_or(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM | DATA in the buffer.

        buffer_atomic_or vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_or vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_or_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM | DATA in the buffer.

        buffer_atomic_or_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_or_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_pk_add_bf16(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA, two bf16 in the buffer.

        buffer_atomic_pk_add_bf16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const (gfx950)
        buffer_atomic_pk_add_bf16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const (gfx950)
        """

    def buffer_atomic_pk_add_f16(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA, two f16 in the buffer.

        buffer_atomic_pk_add_f16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_pk_add_f16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_smax(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in the buffer.

        buffer_atomic_smax vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_smax vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_smax_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in the buffer.

        buffer_atomic_smax_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_smax_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_smin(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in the buffer.

        buffer_atomic_smin vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_smin vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_smin_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in the buffer.

        buffer_atomic_smin_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_smin_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_sub(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM - DATA in the buffer.

        buffer_atomic_sub vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_sub vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_sub_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM - DATA in the buffer.

        buffer_atomic_sub_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_sub_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_swap(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = DATA in the buffer.

        buffer_atomic_swap vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_swap vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_swap_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = DATA in the buffer.

        buffer_atomic_swap_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_swap_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_umax(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in the buffer.

        buffer_atomic_umax vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_umax vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_umax_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in the buffer.

        buffer_atomic_umax_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_umax_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_umin(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in the buffer.

        buffer_atomic_umin vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_umin vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_umin_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in the buffer.

        buffer_atomic_umin_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        buffer_atomic_umin_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_atomic_xor(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM ^ DATA in the buffer.

        buffer_atomic_xor vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_xor vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_atomic_xor_x2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """MEM = MEM ^ DATA in the buffer.

        buffer_atomic_xor_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_atomic_xor_x2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_inv(self, **mods: Unpack[BufferInv]) -> Instruction:
        """Make caches forget lines that others may have written, in the scope of sc1 sc0.

        buffer_inv
        """

    @overload
    def buffer_load_dword(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_dword(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 1 x b32 of the buffer.

        buffer_load_dword vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_dword vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_load_dwordx2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 2 x b32 of the buffer.

        buffer_load_dwordx2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    @overload
    def buffer_load_dwordx3(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_dwordx3(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 3 x b32 of the buffer.

        buffer_load_dwordx3 vdata: v[3]|a[3], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_dwordx3 vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const (gfx950)
        """

    @overload
    def buffer_load_dwordx4(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_dwordx4(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 4 x b32 of the buffer.

        buffer_load_dwordx4 vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_dwordx4 vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const (gfx950)
        """

    def buffer_load_format_d16_hi_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load a component, converted by the descriptor's format, into the high half.

        buffer_load_format_d16_hi_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_format_d16_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 1 components, converted by the descriptor's format, two in a register.

        buffer_load_format_d16_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_format_d16_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 2 components, converted by the descriptor's format, two in a register.

        buffer_load_format_d16_xy vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_format_d16_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 3 components, converted by the descriptor's format, two in a register.

        buffer_load_format_d16_xyz vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_format_d16_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 4 components, converted by the descriptor's format, two in a register.

        buffer_load_format_d16_xyzw vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    @overload
    def buffer_load_format_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_format_x(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """Load 1 components, converted by the descriptor's format.

        buffer_load_format_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_format_x vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_load_format_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 2 components, converted by the descriptor's format.

        buffer_load_format_xy vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_format_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 3 components, converted by the descriptor's format.

        buffer_load_format_xyz vdata: v[3]|a[3], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_format_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Load 4 components, converted by the descriptor's format.

        buffer_load_format_xyzw vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    @overload
    def buffer_load_sbyte(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_sbyte(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 1 x i8 of the buffer.

        buffer_load_sbyte vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_sbyte vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_load_sbyte_d16(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 1 x i8 of the buffer.

        buffer_load_sbyte_d16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_sbyte_d16_hi(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 1 x i8 of the buffer.

        buffer_load_sbyte_d16_hi vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_short_d16(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 1 x b16 of the buffer.

        buffer_load_short_d16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_short_d16_hi(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 1 x b16 of the buffer.

        buffer_load_short_d16_hi vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    @overload
    def buffer_load_sshort(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_sshort(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 1 x i16 of the buffer.

        buffer_load_sshort vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_sshort vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    @overload
    def buffer_load_ubyte(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_ubyte(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 1 x u8 of the buffer.

        buffer_load_ubyte vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_ubyte vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_load_ubyte_d16(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 1 x u8 of the buffer.

        buffer_load_ubyte_d16 vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_load_ubyte_d16_hi(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """D = 1 x u8 of the buffer.

        buffer_load_ubyte_d16_hi vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    @overload
    def buffer_load_ushort(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferLoadDword],
    ) -> Instruction: ...
    @overload
    def buffer_load_ushort(
        self, vaddr: Register | None, srsrc: Register, soffset: Value = ..., /, **mods: Unpack[BufferLoadDword]
    ) -> Instruction:
        """D = 1 x u16 of the buffer.

        buffer_load_ushort vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        buffer_load_ushort vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_byte(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """1 x u8 of the buffer = D.

        buffer_store_byte vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_byte_d16_hi(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """1 x u8 of the buffer = D.

        buffer_store_byte_d16_hi vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_dword(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """1 x b32 of the buffer = D.

        buffer_store_dword vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_dwordx2(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """2 x b32 of the buffer = D.

        buffer_store_dwordx2 vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_dwordx3(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """3 x b32 of the buffer = D.

        buffer_store_dwordx3 vdata: v[3]|a[3], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_dwordx4(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """4 x b32 of the buffer = D.

        buffer_store_dwordx4 vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_format_d16_hi_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store the high half as a component, converted by the descriptor's format.

        buffer_store_format_d16_hi_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_d16_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 1 components, converted by the descriptor's format, two in a register.

        buffer_store_format_d16_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_d16_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 2 components, converted by the descriptor's format, two in a register.

        buffer_store_format_d16_xy vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_d16_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 3 components, converted by the descriptor's format, two in a register.

        buffer_store_format_d16_xyz vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_d16_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 4 components, converted by the descriptor's format, two in a register.

        buffer_store_format_d16_xyzw vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 1 components, converted by the descriptor's format.

        buffer_store_format_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 2 components, converted by the descriptor's format.

        buffer_store_format_xy vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 3 components, converted by the descriptor's format.

        buffer_store_format_xyz vdata: v[3]|a[3], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_format_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """Store 4 components, converted by the descriptor's format.

        buffer_store_format_xyzw vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_store_short(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """1 x b16 of the buffer = D.

        buffer_store_short vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
        """

    def buffer_store_short_d16_hi(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[BufferAtomicAdd],
    ) -> Instruction:
        """1 x b16 of the buffer = D.

        buffer_store_short_d16_hi vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def buffer_wbl2(self, **mods: Unpack[BufferInv]) -> Instruction:
        """Write dirty L2 lines back, in the scope of sc1 sc0.

        buffer_wbl2
        """

    def ds_add_f32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS + DATA.

        ds_add_f32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_add_f64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS + DATA.

        ds_add_f64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_add_rtn_f32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS + DATA; D = the old value.

        ds_add_rtn_f32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_add_rtn_f64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS + DATA; D = the old value.

        ds_add_rtn_f64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_add_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS + DATA; D = the old value.

        ds_add_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_add_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS + DATA; D = the old value.

        ds_add_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_add_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS + DATA.

        ds_add_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_add_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS + DATA.

        ds_add_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_and_b32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS & DATA.

        ds_and_b32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_and_b64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS & DATA.

        ds_and_b64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_and_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS & DATA; D = the old value.

        ds_and_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_and_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS & DATA; D = the old value.

        ds_and_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_append(self, vdst: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[M0[15:0] + offset], then that plus the number of active lanes.

        ds_append vdst: v[1]|a[1]
        """

    def ds_bpermute_b32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """D = DATA of lane ADDR / 4.

        ds_bpermute_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_cmpst_b32(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS.

        ds_cmpst_b32 addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_cmpst_b64(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS.

        ds_cmpst_b64 addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_cmpst_f32(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS, compared as floats.

        ds_cmpst_f32 addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_cmpst_f64(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS, compared as floats.

        ds_cmpst_f64 addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_cmpst_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS; D = the old value.

        ds_cmpst_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_cmpst_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS; D = the old value.

        ds_cmpst_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_cmpst_rtn_f32(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS, compared as floats; D = the old value.

        ds_cmpst_rtn_f32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_cmpst_rtn_f64(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == DATA0 ? DATA1 : LDS, compared as floats; D = the old value.

        ds_cmpst_rtn_f64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_condxchg32_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """Each dword: LDS = DATA[31] ? DATA[30:0] : LDS; D = the old value.

        ds_condxchg32_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_consume(self, vdst: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[M0[15:0] + offset], then that minus the number of active lanes.

        ds_consume vdst: v[1]|a[1]
        """

    def ds_dec_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == 0 or LDS > DATA ? DATA : LDS - 1; D = the old value.

        ds_dec_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_dec_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS == 0 or LDS > DATA ? DATA : LDS - 1; D = the old value.

        ds_dec_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_dec_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS == 0 or LDS > DATA ? DATA : LDS - 1.

        ds_dec_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_dec_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS == 0 or LDS > DATA ? DATA : LDS - 1.

        ds_dec_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_gws_barrier(self, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """Wait until DATA + 1 waves are at the barrier.

        ds_gws_barrier data0: v[1]|a[1]
        """

    def ds_gws_init(self, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """Set the barrier or semaphore to DATA of the first active lane.

        ds_gws_init data0: v[1]|a[1]
        """

    def ds_gws_sema_br(self, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """Raise the semaphore by DATA of the first active lane.

        ds_gws_sema_br data0: v[1]|a[1]
        """

    def ds_gws_sema_p(self, **mods: Unpack[DsAddF32]) -> Instruction:
        """Wait until the semaphore is above zero, lower it by one.

        ds_gws_sema_p
        """

    def ds_gws_sema_release_all(self, **mods: Unpack[DsAddF32]) -> Instruction:
        """Wake all waves that wait for the semaphore.

        ds_gws_sema_release_all
        """

    def ds_gws_sema_v(self, **mods: Unpack[DsAddF32]) -> Instruction:
        """Raise the semaphore by one.

        ds_gws_sema_v
        """

    def ds_inc_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS >= DATA ? 0 : LDS + 1; D = the old value.

        ds_inc_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_inc_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS >= DATA ? 0 : LDS + 1; D = the old value.

        ds_inc_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_inc_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS >= DATA ? 0 : LDS + 1.

        ds_inc_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_inc_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS >= DATA ? 0 : LDS + 1.

        ds_inc_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_max_f32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = max(LDS, DATA).

        ds_max_f32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_max_f64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = max(LDS, DATA).

        ds_max_f64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_max_i32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = max(LDS, DATA) signed.

        ds_max_i32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_max_i64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = max(LDS, DATA) signed.

        ds_max_i64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_max_rtn_f32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = max(LDS, DATA); D = the old value.

        ds_max_rtn_f32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_max_rtn_f64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = max(LDS, DATA); D = the old value.

        ds_max_rtn_f64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_max_rtn_i32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = max(LDS, DATA) signed; D = the old value.

        ds_max_rtn_i32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_max_rtn_i64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = max(LDS, DATA) signed; D = the old value.

        ds_max_rtn_i64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_max_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = max(LDS, DATA) unsigned; D = the old value.

        ds_max_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_max_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = max(LDS, DATA) unsigned; D = the old value.

        ds_max_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_max_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = max(LDS, DATA) unsigned.

        ds_max_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_max_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = max(LDS, DATA) unsigned.

        ds_max_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_min_f32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = min(LDS, DATA).

        ds_min_f32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_min_f64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = min(LDS, DATA).

        ds_min_f64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_min_i32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = min(LDS, DATA) signed.

        ds_min_i32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_min_i64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = min(LDS, DATA) signed.

        ds_min_i64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_min_rtn_f32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = min(LDS, DATA); D = the old value.

        ds_min_rtn_f32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_min_rtn_f64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = min(LDS, DATA); D = the old value.

        ds_min_rtn_f64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_min_rtn_i32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = min(LDS, DATA) signed; D = the old value.

        ds_min_rtn_i32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_min_rtn_i64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = min(LDS, DATA) signed; D = the old value.

        ds_min_rtn_i64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_min_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = min(LDS, DATA) unsigned; D = the old value.

        ds_min_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_min_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = min(LDS, DATA) unsigned; D = the old value.

        ds_min_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_min_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = min(LDS, DATA) unsigned.

        ds_min_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_min_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = min(LDS, DATA) unsigned.

        ds_min_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_mskor_b32(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = (LDS & ~DATA0) | DATA1.

        ds_mskor_b32 addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_mskor_b64(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = (LDS & ~DATA0) | DATA1.

        ds_mskor_b64 addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_mskor_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = (LDS & ~DATA0) | DATA1; D = the old value.

        ds_mskor_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_mskor_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = (LDS & ~DATA0) | DATA1; D = the old value.

        ds_mskor_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_nop(self, **mods: Unpack[Common]) -> Instruction:
        """Do nothing.

        ds_nop
        """

    def ds_or_b32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS | DATA.

        ds_or_b32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_or_b64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS | DATA.

        ds_or_b64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_or_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS | DATA; D = the old value.

        ds_or_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_or_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS | DATA; D = the old value.

        ds_or_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_permute_b32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """Lane ADDR / 4 gets DATA of this lane.

        ds_permute_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_pk_add_bf16(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS + DATA, two bf16.

        ds_pk_add_bf16 addr: v[1], data0: v[1]|a[1]
        """

    def ds_pk_add_f16(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS + DATA, two f16.

        ds_pk_add_f16 addr: v[1], data0: v[1]|a[1]
        """

    def ds_pk_add_rtn_bf16(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS + DATA, two bf16; D = the old value.

        ds_pk_add_rtn_bf16 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_pk_add_rtn_f16(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS + DATA, two f16; D = the old value.

        ds_pk_add_rtn_f16 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_read2_b32(self, vdst: Register, addr: Register, /, **mods: Unpack[DsRead2B32]) -> Instruction:
        """D = two b32 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 4 bytes).

        ds_read2_b32 vdst: v[2]|a[2], addr: v[1]
        """

    def ds_read2_b64(self, vdst: Register, addr: Register, /, **mods: Unpack[DsRead2B32]) -> Instruction:
        """D = two b64 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 8 bytes).

        ds_read2_b64 vdst: v[4]|a[4], addr: v[1]
        """

    def ds_read2st64_b32(self, vdst: Register, addr: Register, /, **mods: Unpack[DsRead2B32]) -> Instruction:
        """D = two b32 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 256 bytes).

        ds_read2st64_b32 vdst: v[2]|a[2], addr: v[1]
        """

    def ds_read2st64_b64(self, vdst: Register, addr: Register, /, **mods: Unpack[DsRead2B32]) -> Instruction:
        """D = two b64 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 512 bytes).

        ds_read2st64_b64 vdst: v[4]|a[4], addr: v[1]
        """

    def ds_read_addtid_b32(self, vdst: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[M0 + offset + lane * 4].

        ds_read_addtid_b32 vdst: v[1]|a[1]
        """

    def ds_read_b128(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 4 x b32 of LDS[ADDR + offset].

        ds_read_b128 vdst: v[4]|a[4], addr: v[1]
        """

    def ds_read_b32(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x b32 of LDS[ADDR + offset].

        ds_read_b32 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_b64(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 2 x b32 of LDS[ADDR + offset].

        ds_read_b64 vdst: v[2]|a[2], addr: v[1]
        """

    def ds_read_b64_tr_b16(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[ADDR + offset], 16-bit elements transposed in groups of 16 lanes.

        ds_read_b64_tr_b16 vdst: v[2]|a[2], addr: v[1] (gfx950)
        """

    def ds_read_b64_tr_b4(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[ADDR + offset], 4-bit elements transposed in groups of 16 lanes.

        ds_read_b64_tr_b4 vdst: v[2]|a[2], addr: v[1] (gfx950)
        """

    def ds_read_b64_tr_b8(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[ADDR + offset], 8-bit elements transposed in groups of 16 lanes.

        ds_read_b64_tr_b8 vdst: v[2]|a[2], addr: v[1] (gfx950)
        """

    def ds_read_b96(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 3 x b32 of LDS[ADDR + offset].

        ds_read_b96 vdst: v[3]|a[3], addr: v[1]
        """

    def ds_read_b96_tr_b6(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = LDS[ADDR + offset], 6-bit elements transposed in groups of 16 lanes.

        ds_read_b96_tr_b6 vdst: v[3]|a[3], addr: v[1] (gfx950)
        """

    def ds_read_i16(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x i16 of LDS[ADDR + offset].

        ds_read_i16 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_i8(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x i8 of LDS[ADDR + offset].

        ds_read_i8 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_i8_d16(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x i8 of LDS[ADDR + offset].

        ds_read_i8_d16 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_i8_d16_hi(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x i8 of LDS[ADDR + offset].

        ds_read_i8_d16_hi vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_u16(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x u16 of LDS[ADDR + offset].

        ds_read_u16 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_u16_d16(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x b16 of LDS[ADDR + offset].

        ds_read_u16_d16 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_u16_d16_hi(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x b16 of LDS[ADDR + offset].

        ds_read_u16_d16_hi vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_u8(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x u8 of LDS[ADDR + offset].

        ds_read_u8 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_u8_d16(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x u8 of LDS[ADDR + offset].

        ds_read_u8_d16 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_read_u8_d16_hi(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = 1 x u8 of LDS[ADDR + offset].

        ds_read_u8_d16_hi vdst: v[1]|a[1], addr: v[1]
        """

    def ds_rsub_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = DATA - LDS; D = the old value.

        ds_rsub_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_rsub_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = DATA - LDS; D = the old value.

        ds_rsub_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_rsub_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = DATA - LDS.

        ds_rsub_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_rsub_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = DATA - LDS.

        ds_rsub_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_sub_rtn_u32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS - DATA; D = the old value.

        ds_sub_rtn_u32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_sub_rtn_u64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS - DATA; D = the old value.

        ds_sub_rtn_u64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_sub_u32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS - DATA.

        ds_sub_u32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_sub_u64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS - DATA.

        ds_sub_u64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_swizzle_b32(self, vdst: Register, addr: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """D = ADDR of another lane, which the offset's pattern names.

        ds_swizzle_b32 vdst: v[1]|a[1], addr: v[1]
        """

    def ds_wrap_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS >= DATA0 ? LDS - DATA0 : LDS + DATA1; D = the old value.

        ds_wrap_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_write2_b32(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b32 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 4 bytes), = DATA0, DATA1.

        ds_write2_b32 addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_write2_b64(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b64 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 8 bytes), = DATA0, DATA1.

        ds_write2_b64 addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_write2st64_b32(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b32 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 256 bytes), = DATA0, DATA1.

        ds_write2st64_b32 addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_write2st64_b64(
        self, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b64 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 512 bytes), = DATA0, DATA1.

        ds_write2st64_b64 addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_write_addtid_b32(self, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS[M0 + offset + lane * 4] = DATA.

        ds_write_addtid_b32 data0: v[1]|a[1]
        """

    def ds_write_b128(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """4 x b32 of LDS[ADDR + offset] = DATA.

        ds_write_b128 addr: v[1], data0: v[4]|a[4]
        """

    def ds_write_b16(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """1 x b16 of LDS[ADDR + offset] = DATA.

        ds_write_b16 addr: v[1], data0: v[1]|a[1]
        """

    def ds_write_b16_d16_hi(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """1 x b16 of LDS[ADDR + offset] = DATA.

        ds_write_b16_d16_hi addr: v[1], data0: v[1]|a[1]
        """

    def ds_write_b32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """1 x b32 of LDS[ADDR + offset] = DATA.

        ds_write_b32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_write_b64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """2 x b32 of LDS[ADDR + offset] = DATA.

        ds_write_b64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_write_b8(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """1 x u8 of LDS[ADDR + offset] = DATA.

        ds_write_b8 addr: v[1], data0: v[1]|a[1]
        """

    def ds_write_b8_d16_hi(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """1 x u8 of LDS[ADDR + offset] = DATA.

        ds_write_b8_d16_hi addr: v[1], data0: v[1]|a[1]
        """

    def ds_write_b96(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """3 x b32 of LDS[ADDR + offset] = DATA.

        ds_write_b96 addr: v[1], data0: v[3]|a[3]
        """

    def ds_wrxchg2_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b32 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 4 bytes), = DATA0, DATA1; D = the old
        values.

        ds_wrxchg2_rtn_b32 vdst: v[2]|a[2], addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_wrxchg2_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b64 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 8 bytes), = DATA0, DATA1; D = the old
        values.

        ds_wrxchg2_rtn_b64 vdst: v[4]|a[4], addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_wrxchg2st64_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b32 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 256 bytes), = DATA0, DATA1; D = the old
        values.

        ds_wrxchg2st64_rtn_b32 vdst: v[2]|a[2], addr: v[1], data0: v[1]|a[1], data1: v[1]|a[1]
        """

    def ds_wrxchg2st64_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, data1: Register, /, **mods: Unpack[DsRead2B32]
    ) -> Instruction:
        """Two b64 of LDS, at ADDR + offset0 and at ADDR + offset1 (units of 512 bytes), = DATA0, DATA1; D = the old
        values.

        ds_wrxchg2st64_rtn_b64 vdst: v[4]|a[4], addr: v[1], data0: v[2]|a[2], data1: v[2]|a[2]
        """

    def ds_wrxchg_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = DATA; D = the old value.

        ds_wrxchg_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_wrxchg_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = DATA; D = the old value.

        ds_wrxchg_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    def ds_xor_b32(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS ^ DATA.

        ds_xor_b32 addr: v[1], data0: v[1]|a[1]
        """

    def ds_xor_b64(self, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]) -> Instruction:
        """LDS = LDS ^ DATA.

        ds_xor_b64 addr: v[1], data0: v[2]|a[2]
        """

    def ds_xor_rtn_b32(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS ^ DATA; D = the old value.

        ds_xor_rtn_b32 vdst: v[1]|a[1], addr: v[1], data0: v[1]|a[1]
        """

    def ds_xor_rtn_b64(
        self, vdst: Register, addr: Register, data0: Register, /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """LDS = LDS ^ DATA; D = the old value.

        ds_xor_rtn_b64 vdst: v[2]|a[2], addr: v[1], data0: v[2]|a[2]
        """

    @overload
    def flat_atomic_add(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_add(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in flat memory.

        flat_atomic_add vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_add vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_add_f32(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_add_f32(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in flat memory.

        flat_atomic_add_f32 vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_add_f32 vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_add_f64(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_add_f64(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in flat memory.

        flat_atomic_add_f64 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_add_f64 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_add_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_add_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in flat memory.

        flat_atomic_add_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_add_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_and(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_and(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM & DATA in flat memory.

        flat_atomic_and vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_and vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_and_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_and_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM & DATA in flat memory.

        flat_atomic_and_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_and_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_cmpswap(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_cmpswap(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in flat memory.

        flat_atomic_cmpswap vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_cmpswap vdst: v[1]|a[1], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_cmpswap_x2(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_cmpswap_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in flat memory.

        flat_atomic_cmpswap_x2 vaddr: v[2], vdata: v[4]|a[4]
        flat_atomic_cmpswap_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[4]|a[4]
        """

    @overload
    def flat_atomic_dec(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_dec(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in flat memory.

        flat_atomic_dec vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_dec vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_dec_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_dec_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in flat memory.

        flat_atomic_dec_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_dec_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_inc(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_inc(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in flat memory.

        flat_atomic_inc vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_inc vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_inc_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_inc_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in flat memory.

        flat_atomic_inc_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_inc_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_max_f64(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_max_f64(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) in flat memory.

        flat_atomic_max_f64 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_max_f64 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_min_f64(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_min_f64(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) in flat memory.

        flat_atomic_min_f64 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_min_f64 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_or(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_or(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM | DATA in flat memory.

        flat_atomic_or vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_or vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_or_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_or_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM | DATA in flat memory.

        flat_atomic_or_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_or_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_pk_add_bf16(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_pk_add_bf16(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA, two bf16 in flat memory.

        flat_atomic_pk_add_bf16 vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_pk_add_bf16 vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_pk_add_f16(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_pk_add_f16(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA, two f16 in flat memory.

        flat_atomic_pk_add_f16 vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_pk_add_f16 vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_smax(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_smax(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in flat memory.

        flat_atomic_smax vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_smax vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_smax_x2(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_smax_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in flat memory.

        flat_atomic_smax_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_smax_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_smin(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_smin(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in flat memory.

        flat_atomic_smin vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_smin vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_smin_x2(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_smin_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in flat memory.

        flat_atomic_smin_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_smin_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_sub(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_sub(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM - DATA in flat memory.

        flat_atomic_sub vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_sub vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_sub_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_sub_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM - DATA in flat memory.

        flat_atomic_sub_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_sub_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_swap(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_swap(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = DATA in flat memory.

        flat_atomic_swap vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_swap vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_swap_x2(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_swap_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = DATA in flat memory.

        flat_atomic_swap_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_swap_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_umax(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_umax(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in flat memory.

        flat_atomic_umax vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_umax vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_umax_x2(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_umax_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in flat memory.

        flat_atomic_umax_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_umax_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_umin(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_umin(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in flat memory.

        flat_atomic_umin vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_umin vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_umin_x2(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def flat_atomic_umin_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in flat memory.

        flat_atomic_umin_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_umin_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    @overload
    def flat_atomic_xor(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_xor(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM ^ DATA in flat memory.

        flat_atomic_xor vaddr: v[2], vdata: v[1]|a[1]
        flat_atomic_xor vdst: v[1]|a[1], vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def flat_atomic_xor_x2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction: ...
    @overload
    def flat_atomic_xor_x2(
        self, vdst: Register, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """MEM = MEM ^ DATA in flat memory.

        flat_atomic_xor_x2 vaddr: v[2], vdata: v[2]|a[2]
        flat_atomic_xor_x2 vdst: v[2]|a[2], vaddr: v[2], vdata: v[2]|a[2]
        """

    def flat_load_dword(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x b32 of flat memory.

        flat_load_dword vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_dwordx2(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 2 x b32 of flat memory.

        flat_load_dwordx2 vdst: v[2]|a[2], vaddr: v[2]
        """

    def flat_load_dwordx3(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 3 x b32 of flat memory.

        flat_load_dwordx3 vdst: v[3]|a[3], vaddr: v[2]
        """

    def flat_load_dwordx4(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 4 x b32 of flat memory.

        flat_load_dwordx4 vdst: v[4]|a[4], vaddr: v[2]
        """

    def flat_load_sbyte(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x i8 of flat memory.

        flat_load_sbyte vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_sbyte_d16(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x i8 of flat memory.

        flat_load_sbyte_d16 vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_sbyte_d16_hi(
        self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of flat memory.

        flat_load_sbyte_d16_hi vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_short_d16(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x b16 of flat memory.

        flat_load_short_d16 vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_short_d16_hi(
        self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b16 of flat memory.

        flat_load_short_d16_hi vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_sshort(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x i16 of flat memory.

        flat_load_sshort vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_ubyte(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x u8 of flat memory.

        flat_load_ubyte vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_ubyte_d16(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x u8 of flat memory.

        flat_load_ubyte_d16 vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_ubyte_d16_hi(
        self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of flat memory.

        flat_load_ubyte_d16_hi vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_load_ushort(self, vdst: Register, vaddr: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """D = 1 x u16 of flat memory.

        flat_load_ushort vdst: v[1]|a[1], vaddr: v[2]
        """

    def flat_store_byte(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """1 x u8 of flat memory = D.

        flat_store_byte vaddr: v[2], vdata: v[1]|a[1]
        """

    def flat_store_byte_d16_hi(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x u8 of flat memory = D.

        flat_store_byte_d16_hi vaddr: v[2], vdata: v[1]|a[1]
        """

    def flat_store_dword(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """1 x b32 of flat memory = D.

        flat_store_dword vaddr: v[2], vdata: v[1]|a[1]
        """

    def flat_store_dwordx2(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """2 x b32 of flat memory = D.

        flat_store_dwordx2 vaddr: v[2], vdata: v[2]|a[2]
        """

    def flat_store_dwordx3(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """3 x b32 of flat memory = D.

        flat_store_dwordx3 vaddr: v[2], vdata: v[3]|a[3]
        """

    def flat_store_dwordx4(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """4 x b32 of flat memory = D.

        flat_store_dwordx4 vaddr: v[2], vdata: v[4]|a[4]
        """

    def flat_store_short(self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]) -> Instruction:
        """1 x b16 of flat memory = D.

        flat_store_short vaddr: v[2], vdata: v[1]|a[1]
        """

    def flat_store_short_d16_hi(
        self, vaddr: Register, vdata: Register, /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b16 of flat memory = D.

        flat_store_short_d16_hi vaddr: v[2], vdata: v[1]|a[1]
        """

    @overload
    def global_atomic_add(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_add(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in global memory.

        global_atomic_add vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_add vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_add_f32(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_add_f32(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in global memory.

        global_atomic_add_f32 vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_add_f32 vdst: v[1], vaddr: v[2] (v[1] with saddr), vdata: v[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_add_f64(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_add_f64(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in global memory.

        global_atomic_add_f64 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_add_f64 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_add_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_add_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA in global memory.

        global_atomic_add_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_add_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_and(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_and(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM & DATA in global memory.

        global_atomic_and vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_and vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_and_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_and_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM & DATA in global memory.

        global_atomic_and_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_and_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_cmpswap(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_cmpswap(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in global memory.

        global_atomic_cmpswap vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_cmpswap vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_cmpswap_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_cmpswap_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in global memory.

        global_atomic_cmpswap_x2 vaddr: v[2] (v[1] with saddr), vdata: v[4]|a[4], saddr: s[2]|off
        global_atomic_cmpswap_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[4]|a[4], saddr: s[2]|off
        """

    @overload
    def global_atomic_dec(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_dec(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in global memory.

        global_atomic_dec vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_dec vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_dec_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_dec_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in global memory.

        global_atomic_dec_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_dec_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_inc(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_inc(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in global memory.

        global_atomic_inc vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_inc vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_inc_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_inc_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in global memory.

        global_atomic_inc_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_inc_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_max_f64(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_max_f64(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) in global memory.

        global_atomic_max_f64 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_max_f64 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_min_f64(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_min_f64(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) in global memory.

        global_atomic_min_f64 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_min_f64 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_or(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_or(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM | DATA in global memory.

        global_atomic_or vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_or vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_or_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_or_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM | DATA in global memory.

        global_atomic_or_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_or_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_pk_add_bf16(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_pk_add_bf16(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA, two bf16 in global memory.

        global_atomic_pk_add_bf16 vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_pk_add_bf16 vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_pk_add_f16(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_pk_add_f16(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM + DATA, two f16 in global memory.

        global_atomic_pk_add_f16 vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_pk_add_f16 vdst: v[1], vaddr: v[2] (v[1] with saddr), vdata: v[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_smax(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_smax(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in global memory.

        global_atomic_smax vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_smax vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_smax_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_smax_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in global memory.

        global_atomic_smax_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_smax_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_smin(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_smin(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in global memory.

        global_atomic_smin vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_smin vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_smin_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_smin_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in global memory.

        global_atomic_smin_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_smin_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_sub(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_sub(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM - DATA in global memory.

        global_atomic_sub vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_sub vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_sub_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_sub_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM - DATA in global memory.

        global_atomic_sub_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_sub_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_swap(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_swap(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = DATA in global memory.

        global_atomic_swap vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_swap vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_swap_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_swap_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = DATA in global memory.

        global_atomic_swap_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_swap_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_umax(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_umax(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in global memory.

        global_atomic_umax vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_umax vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_umax_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_umax_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in global memory.

        global_atomic_umax_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_umax_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_umin(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_umin(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in global memory.

        global_atomic_umin vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_umin vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_umin_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_umin_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in global memory.

        global_atomic_umin_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_umin_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    @overload
    def global_atomic_xor(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_xor(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM ^ DATA in global memory.

        global_atomic_xor vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        global_atomic_xor vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    @overload
    def global_atomic_xor_x2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction: ...
    @overload
    def global_atomic_xor_x2(
        self,
        vdst: Register,
        vaddr: Register,
        vdata: Register,
        saddr: Register | None = ...,
        /,
        **mods: Unpack[FlatAtomicAdd],
    ) -> Instruction:
        """MEM = MEM ^ DATA in global memory.

        global_atomic_xor_x2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        global_atomic_xor_x2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    def global_load_dword(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b32 of global memory.

        global_load_dword vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_dwordx2(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 2 x b32 of global memory.

        global_load_dwordx2 vdst: v[2]|a[2], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_dwordx3(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 3 x b32 of global memory.

        global_load_dwordx3 vdst: v[3]|a[3], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_dwordx4(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 4 x b32 of global memory.

        global_load_dwordx4 vdst: v[4]|a[4], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_lds_dword(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x b32 of global memory.

        global_load_lds_dword vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_lds_dwordx3(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 12] = 3 x b32 of global memory.

        global_load_lds_dwordx3 vaddr: v[2] (v[1] with saddr), saddr: s[2]|off (gfx950)
        """

    def global_load_lds_dwordx4(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 16] = 4 x b32 of global memory.

        global_load_lds_dwordx4 vaddr: v[2] (v[1] with saddr), saddr: s[2]|off (gfx950)
        """

    def global_load_lds_sbyte(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x i8 of global memory.

        global_load_lds_sbyte vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_lds_sshort(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x i16 of global memory.

        global_load_lds_sshort vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_lds_ubyte(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x u8 of global memory.

        global_load_lds_ubyte vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_lds_ushort(
        self, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x u16 of global memory.

        global_load_lds_ushort vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_sbyte(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of global memory.

        global_load_sbyte vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_sbyte_d16(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of global memory.

        global_load_sbyte_d16 vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_sbyte_d16_hi(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of global memory.

        global_load_sbyte_d16_hi vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_short_d16(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b16 of global memory.

        global_load_short_d16 vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_short_d16_hi(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b16 of global memory.

        global_load_short_d16_hi vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_sshort(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i16 of global memory.

        global_load_sshort vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_ubyte(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of global memory.

        global_load_ubyte vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_ubyte_d16(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of global memory.

        global_load_ubyte_d16 vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_ubyte_d16_hi(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of global memory.

        global_load_ubyte_d16_hi vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_load_ushort(
        self, vdst: Register, vaddr: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u16 of global memory.

        global_load_ushort vdst: v[1]|a[1], vaddr: v[2] (v[1] with saddr), saddr: s[2]|off
        """

    def global_store_byte(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x u8 of global memory = D.

        global_store_byte vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    def global_store_byte_d16_hi(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x u8 of global memory = D.

        global_store_byte_d16_hi vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    def global_store_dword(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b32 of global memory = D.

        global_store_dword vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    def global_store_dwordx2(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """2 x b32 of global memory = D.

        global_store_dwordx2 vaddr: v[2] (v[1] with saddr), vdata: v[2]|a[2], saddr: s[2]|off
        """

    def global_store_dwordx3(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """3 x b32 of global memory = D.

        global_store_dwordx3 vaddr: v[2] (v[1] with saddr), vdata: v[3]|a[3], saddr: s[2]|off
        """

    def global_store_dwordx4(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """4 x b32 of global memory = D.

        global_store_dwordx4 vaddr: v[2] (v[1] with saddr), vdata: v[4]|a[4], saddr: s[2]|off
        """

    def global_store_short(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b16 of global memory = D.

        global_store_short vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    def global_store_short_d16_hi(
        self, vaddr: Register, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b16 of global memory = D.

        global_store_short_d16_hi vaddr: v[2] (v[1] with saddr), vdata: v[1]|a[1], saddr: s[2]|off
        """

    def s_abs_i32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = |S0|; SCC = D != 0.

        s_abs_i32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_absdiff_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = |S0 - S1|; SCC = D != 0.

        s_absdiff_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_add_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 + S1; SCC = signed overflow.

        s_add_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_add_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 + S1; SCC = carry out.

        s_add_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_addc_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 + S1 + SCC; SCC = carry out.

        s_addc_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_addk_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """D = D + simm16; SCC = signed overflow.

        s_addk_i32 sdst: s[1], simm16: imm16
        """

    def s_and_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 & S1; SCC = D != 0.

        s_and_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_and_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 & S1; SCC = D != 0.

        s_and_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_and_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = S0 & EXEC; SCC = EXEC != 0.

        s_and_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_andn1_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = ~S0 & EXEC; SCC = EXEC != 0.

        s_andn1_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_andn1_wrexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC = ~S0 & EXEC; SCC = EXEC != 0.

        s_andn1_wrexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_andn2_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 & ~S1; SCC = D != 0.

        s_andn2_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_andn2_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 & ~S1; SCC = D != 0.

        s_andn2_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_andn2_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = S0 & ~EXEC; SCC = EXEC != 0.

        s_andn2_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_andn2_wrexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC = S0 & ~EXEC; SCC = EXEC != 0.

        s_andn2_wrexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_ashr_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 >> S1[4:0] with sign; SCC = D != 0.

        s_ashr_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_ashr_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 >> S1[5:0] with sign; SCC = D != 0.

        s_ashr_i64 sdst: s[2], src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_atc_probe(
        self, probe: int, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """Fetch the address translation of SBASE + offset ahead of its use.

        s_atc_probe probe: imm7, sbase: s[2], soffset: s[1]|off
        """

    def s_atc_probe_buffer(
        self, probe: int, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """Fetch the address translation of SBASE + offset ahead of its use.

        s_atc_probe_buffer probe: imm7, sbase: s[4], soffset: s[1]|off
        """

    def s_atomic_add(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in memory at SBASE + offset.

        s_atomic_add sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_add sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_add_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in memory at SBASE + offset.

        s_atomic_add_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_add_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_and(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM & DATA in memory at SBASE + offset.

        s_atomic_and sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_and sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_and_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM & DATA in memory at SBASE + offset.

        s_atomic_and_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_and_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_cmpswap(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in memory at SBASE + offset.

        s_atomic_cmpswap sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_cmpswap sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_cmpswap_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in memory at SBASE + offset.

        s_atomic_cmpswap_x2 sdata: s[4], sbase: s[2], soffset: s[1]|off
        s_atomic_cmpswap_x2 sdata: s[4], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_dec(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in memory at SBASE + offset.

        s_atomic_dec sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_dec sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_dec_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in memory at SBASE + offset.

        s_atomic_dec_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_dec_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_inc(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in memory at SBASE + offset.

        s_atomic_inc sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_inc sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_inc_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in memory at SBASE + offset.

        s_atomic_inc_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_inc_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_or(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM | DATA in memory at SBASE + offset.

        s_atomic_or sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_or sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_or_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM | DATA in memory at SBASE + offset.

        s_atomic_or_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_or_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_smax(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in memory at SBASE + offset.

        s_atomic_smax sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_smax sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_smax_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in memory at SBASE + offset.

        s_atomic_smax_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_smax_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_smin(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in memory at SBASE + offset.

        s_atomic_smin sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_smin sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_smin_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in memory at SBASE + offset.

        s_atomic_smin_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_smin_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_sub(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM - DATA in memory at SBASE + offset.

        s_atomic_sub sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_sub sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_sub_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM - DATA in memory at SBASE + offset.

        s_atomic_sub_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_sub_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_swap(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = DATA in memory at SBASE + offset.

        s_atomic_swap sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_swap sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_swap_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = DATA in memory at SBASE + offset.

        s_atomic_swap_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_swap_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_umax(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in memory at SBASE + offset.

        s_atomic_umax sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_umax sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_umax_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in memory at SBASE + offset.

        s_atomic_umax_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_umax_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_umin(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in memory at SBASE + offset.

        s_atomic_umin sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_umin sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_umin_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in memory at SBASE + offset.

        s_atomic_umin_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_umin_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_xor(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM ^ DATA in memory at SBASE + offset.

        s_atomic_xor sdata: s[1], sbase: s[2], soffset: s[1]|off
        s_atomic_xor sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_atomic_xor_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM ^ DATA in memory at SBASE + offset.

        s_atomic_xor_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        s_atomic_xor_x2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_barrier(self, **mods: Unpack[Common]) -> Instruction:
        """Wait until all waves of the workgroup are here.

        s_barrier
        """

    def s_bcnt0_i32_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = number of zeros in S0; SCC = D != 0.

        s_bcnt0_i32_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_bcnt0_i32_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = number of zeros in S0; SCC = D != 0.

        s_bcnt0_i32_b64 sdst: s[1], src0: s[2]|const|literal
        """

    def s_bcnt1_i32_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = number of ones in S0; SCC = D != 0.

        s_bcnt1_i32_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_bcnt1_i32_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = number of ones in S0; SCC = D != 0.

        s_bcnt1_i32_b64 sdst: s[1], src0: s[2]|const|literal
        """

    def s_bfe_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = sign-extended bits S1[22:16] wide at S1[4:0] of S0; SCC = D != 0.

        s_bfe_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_bfe_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = sign-extended bits S1[22:16] wide at S1[5:0] of S0; SCC = D != 0.

        s_bfe_i64 sdst: s[2], src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_bfe_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = bits S1[22:16] wide at S1[4:0] of S0; SCC = D != 0.

        s_bfe_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_bfe_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = bits S1[22:16] wide at S1[5:0] of S0; SCC = D != 0.

        s_bfe_u64 sdst: s[2], src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_bfm_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ((1 << S0[4:0]) - 1) << S1[4:0].

        s_bfm_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_bfm_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ((1 << S0[5:0]) - 1) << S1[5:0].

        s_bfm_b64 sdst: s[2], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_bitcmp0_b32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0[S1[4:0]] is 0.

        s_bitcmp0_b32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_bitcmp0_b64(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0[S1[5:0]] is 0.

        s_bitcmp0_b64 src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_bitcmp1_b32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0[S1[4:0]] is 1.

        s_bitcmp1_b32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_bitcmp1_b64(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0[S1[5:0]] is 1.

        s_bitcmp1_b64 src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_bitreplicate_b64_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[2i+1:2i] = S0[i] twice.

        s_bitreplicate_b64_b32 sdst: s[2], src0: s[1]|const|literal
        """

    def s_bitset0_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[S0[4:0]] = 0.

        s_bitset0_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_bitset0_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[S0[5:0]] = 0.

        s_bitset0_b64 sdst: s[2], src0: s[1]|const|literal
        """

    def s_bitset1_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[S0[4:0]] = 1.

        s_bitset1_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_bitset1_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[S0[5:0]] = 1.

        s_bitset1_b64 sdst: s[2], src0: s[1]|const|literal
        """

    def s_branch(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """PC = PC + 4 + 4 * simm16.

        s_branch simm16: label
        """

    def s_brev_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = bits of S0 in reverse order.

        s_brev_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_brev_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = bits of S0 in reverse order.

        s_brev_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_buffer_atomic_add(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in the buffer SBASE + offset.

        s_buffer_atomic_add sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_add sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_add_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM + DATA in the buffer SBASE + offset.

        s_buffer_atomic_add_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_add_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_and(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM & DATA in the buffer SBASE + offset.

        s_buffer_atomic_and sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_and sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_and_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM & DATA in the buffer SBASE + offset.

        s_buffer_atomic_and_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_and_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_cmpswap(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in the buffer SBASE + offset.

        s_buffer_atomic_cmpswap sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_cmpswap sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_cmpswap_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == DATA[1] ? DATA[0] : MEM in the buffer SBASE + offset.

        s_buffer_atomic_cmpswap_x2 sdata: s[4], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_cmpswap_x2 sdata: s[4], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_dec(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in the buffer SBASE + offset.

        s_buffer_atomic_dec sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_dec sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_dec_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1 in the buffer SBASE + offset.

        s_buffer_atomic_dec_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_dec_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_inc(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in the buffer SBASE + offset.

        s_buffer_atomic_inc sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_inc sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_inc_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM >= DATA ? 0 : MEM + 1 in the buffer SBASE + offset.

        s_buffer_atomic_inc_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_inc_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_or(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM | DATA in the buffer SBASE + offset.

        s_buffer_atomic_or sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_or sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_or_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM | DATA in the buffer SBASE + offset.

        s_buffer_atomic_or_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_or_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_smax(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in the buffer SBASE + offset.

        s_buffer_atomic_smax sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_smax sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_smax_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) signed in the buffer SBASE + offset.

        s_buffer_atomic_smax_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_smax_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_smin(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in the buffer SBASE + offset.

        s_buffer_atomic_smin sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_smin sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_smin_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) signed in the buffer SBASE + offset.

        s_buffer_atomic_smin_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_smin_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_sub(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM - DATA in the buffer SBASE + offset.

        s_buffer_atomic_sub sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_sub sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_sub_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM - DATA in the buffer SBASE + offset.

        s_buffer_atomic_sub_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_sub_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_swap(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = DATA in the buffer SBASE + offset.

        s_buffer_atomic_swap sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_swap sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_swap_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = DATA in the buffer SBASE + offset.

        s_buffer_atomic_swap_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_swap_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_umax(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in the buffer SBASE + offset.

        s_buffer_atomic_umax sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_umax sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_umax_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = max(MEM, DATA) unsigned in the buffer SBASE + offset.

        s_buffer_atomic_umax_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_umax_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_umin(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in the buffer SBASE + offset.

        s_buffer_atomic_umin sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_umin sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_umin_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = min(MEM, DATA) unsigned in the buffer SBASE + offset.

        s_buffer_atomic_umin_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_umin_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_xor(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM ^ DATA in the buffer SBASE + offset.

        s_buffer_atomic_xor sdata: s[1], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_xor sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_atomic_xor_x2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """MEM = MEM ^ DATA in the buffer SBASE + offset.

        s_buffer_atomic_xor_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        s_buffer_atomic_xor_x2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_load_dword(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 1 dwords of the buffer SBASE + offset.

        s_buffer_load_dword sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_load_dwordx16(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 16 dwords of the buffer SBASE + offset.

        s_buffer_load_dwordx16 sdata: s[16], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_load_dwordx2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 2 dwords of the buffer SBASE + offset.

        s_buffer_load_dwordx2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_load_dwordx4(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 4 dwords of the buffer SBASE + offset.

        s_buffer_load_dwordx4 sdata: s[4], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_load_dwordx8(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 8 dwords of the buffer SBASE + offset.

        s_buffer_load_dwordx8 sdata: s[8], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_store_dword(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """1 dwords of the buffer SBASE + offset = D.

        s_buffer_store_dword sdata: s[1], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_store_dwordx2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """2 dwords of the buffer SBASE + offset = D.

        s_buffer_store_dwordx2 sdata: s[2], sbase: s[4], soffset: s[1]|off
        """

    def s_buffer_store_dwordx4(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """4 dwords of the buffer SBASE + offset = D.

        s_buffer_store_dwordx4 sdata: s[4], sbase: s[4], soffset: s[1]|off
        """

    def s_call_b64(self, sdst: Register, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """D = address of the next instruction; branch.

        s_call_b64 sdst: s[2], simm16: label
        """

    def s_cbranch_cdbgsys(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when the system conditional-debug flag is set (never outside a debugger).

        s_cbranch_cdbgsys simm16: label
        """

    def s_cbranch_cdbgsys_and_user(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when the system and user conditional-debug flag is set (never outside a debugger).

        s_cbranch_cdbgsys_and_user simm16: label
        """

    def s_cbranch_cdbgsys_or_user(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when the system or user conditional-debug flag is set (never outside a debugger).

        s_cbranch_cdbgsys_or_user simm16: label
        """

    def s_cbranch_cdbguser(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when the user conditional-debug flag is set (never outside a debugger).

        s_cbranch_cdbguser simm16: label
        """

    def s_cbranch_execnz(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when EXEC is not 0.

        s_cbranch_execnz simm16: label
        """

    def s_cbranch_execz(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when EXEC is 0.

        s_cbranch_execz simm16: label
        """

    def s_cbranch_g_fork(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """Fork on a mask S0 to the address S1, the smaller half first (legacy divergence stack).

        s_cbranch_g_fork src0: s[2]|const, src1: s[2]|const
        """

    def s_cbranch_i_fork(self, sdst: Register, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Fork on a mask S0 to a label, the smaller half first (legacy divergence stack).

        s_cbranch_i_fork sdst: s[2], simm16: label
        """

    def s_cbranch_join(self, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """Join of a fork: go on when the stack is at S0, else take the other side (legacy divergence stack).

        s_cbranch_join src0: s[1]
        """

    def s_cbranch_scc0(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when SCC is 0.

        s_cbranch_scc0 simm16: label
        """

    def s_cbranch_scc1(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when SCC is 1.

        s_cbranch_scc1 simm16: label
        """

    def s_cbranch_vccnz(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when VCC is not 0.

        s_cbranch_vccnz simm16: label
        """

    def s_cbranch_vccz(self, simm16: Target, /, **mods: Unpack[Common]) -> Instruction:
        """Branch when VCC is 0.

        s_cbranch_vccz simm16: label
        """

    def s_cmov_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """If SCC: D = S0.

        s_cmov_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_cmov_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """If SCC: D = S0.

        s_cmov_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_cmovk_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """If SCC: D = sign-extended simm16.

        s_cmovk_i32 sdst: s[1], simm16: imm16
        """

    def s_cmp_eq_i32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 == S1, signed.

        s_cmp_eq_i32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_eq_u32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 == S1, unsigned.

        s_cmp_eq_u32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_eq_u64(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 == S1.

        s_cmp_eq_u64 src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_cmp_ge_i32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 >= S1, signed.

        s_cmp_ge_i32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_ge_u32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 >= S1, unsigned.

        s_cmp_ge_u32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_gt_i32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 > S1, signed.

        s_cmp_gt_i32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_gt_u32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 > S1, unsigned.

        s_cmp_gt_u32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_le_i32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 <= S1, signed.

        s_cmp_le_i32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_le_u32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 <= S1, unsigned.

        s_cmp_le_u32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_lg_i32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 != S1, signed.

        s_cmp_lg_i32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_lg_u32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 != S1, unsigned.

        s_cmp_lg_u32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_lg_u64(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 != S1.

        s_cmp_lg_u64 src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_cmp_lt_i32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 < S1, signed.

        s_cmp_lt_i32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmp_lt_u32(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 < S1, unsigned.

        s_cmp_lt_u32 src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cmpk_eq_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 == simm16, signed.

        s_cmpk_eq_i32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_eq_u32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 == simm16, unsigned.

        s_cmpk_eq_u32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_ge_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 >= simm16, signed.

        s_cmpk_ge_i32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_ge_u32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 >= simm16, unsigned.

        s_cmpk_ge_u32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_gt_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 > simm16, signed.

        s_cmpk_gt_i32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_gt_u32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 > simm16, unsigned.

        s_cmpk_gt_u32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_le_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 <= simm16, signed.

        s_cmpk_le_i32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_le_u32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 <= simm16, unsigned.

        s_cmpk_le_u32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_lg_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 != simm16, signed.

        s_cmpk_lg_i32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_lg_u32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 != simm16, unsigned.

        s_cmpk_lg_u32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_lt_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 < simm16, signed.

        s_cmpk_lt_i32 sdst: s[1], simm16: imm16
        """

    def s_cmpk_lt_u32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """SCC = S0 < simm16, unsigned.

        s_cmpk_lt_u32 sdst: s[1], simm16: imm16
        """

    def s_cselect_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = SCC ? S0 : S1.

        s_cselect_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_cselect_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = SCC ? S0 : S1.

        s_cselect_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_dcache_discard(
        self, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """Drop the dirty line of 64 bytes at SBASE + offset.

        s_dcache_discard sbase: s[2], soffset: s[1]|off
        """

    def s_dcache_discard_x2(
        self, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[DsAddF32]
    ) -> Instruction:
        """Drop the dirty two lines of 64 bytes at SBASE + offset.

        s_dcache_discard_x2 sbase: s[2], soffset: s[1]|off
        """

    def s_dcache_inv(self, **mods: Unpack[Common]) -> Instruction:
        """Make the scalar data cache forget its lines.

        s_dcache_inv
        """

    def s_dcache_inv_vol(self, **mods: Unpack[Common]) -> Instruction:
        """Make the scalar data cache forget its volatile lines.

        s_dcache_inv_vol
        """

    def s_dcache_wb(self, **mods: Unpack[Common]) -> Instruction:
        """Write the scalar data cache's dirty lines back.

        s_dcache_wb
        """

    def s_dcache_wb_vol(self, **mods: Unpack[Common]) -> Instruction:
        """Write the scalar data cache's dirty volatile lines back.

        s_dcache_wb_vol
        """

    def s_decperflevel(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Count performance level simm16[3:0] down.

        s_decperflevel simm16: imm4
        """

    def s_endpgm(self, simm16: int = ..., /, **mods: Unpack[Common]) -> Instruction:
        """End of the program.

        s_endpgm simm16: imm16
        """

    def s_endpgm_ordered_ps_done(self, **mods: Unpack[Common]) -> Instruction:
        """End of a pixel shader of ordered waves.

        s_endpgm_ordered_ps_done
        """

    def s_endpgm_saved(self, **mods: Unpack[Common]) -> Instruction:
        """End of a program whose state a trap handler has saved.

        s_endpgm_saved
        """

    def s_ff0_i32_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = place of the lowest zero of S0, -1 when none.

        s_ff0_i32_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_ff0_i32_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = place of the lowest zero of S0, -1 when none.

        s_ff0_i32_b64 sdst: s[1], src0: s[2]|const|literal
        """

    def s_ff1_i32_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = place of the lowest one of S0, -1 when none.

        s_ff1_i32_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_ff1_i32_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = place of the lowest one of S0, -1 when none.

        s_ff1_i32_b64 sdst: s[1], src0: s[2]|const|literal
        """

    def s_flbit_i32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = copies of the sign from the top, -1 when all bits agree.

        s_flbit_i32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_flbit_i32_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = zeros above the highest one, -1 when none.

        s_flbit_i32_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_flbit_i32_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = zeros above the highest one, -1 when none.

        s_flbit_i32_b64 sdst: s[1], src0: s[2]|const|literal
        """

    def s_flbit_i32_i64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = copies of the sign from the top, -1 when all bits agree.

        s_flbit_i32_i64 sdst: s[1], src0: s[2]|const|literal
        """

    def s_getpc_b64(self, sdst: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D = address of the next instruction.

        s_getpc_b64 sdst: s[2]
        """

    def s_getreg_b32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """D = field of a hardware register.

        s_getreg_b32 sdst: s[1], simm16: imm16
        """

    def s_icache_inv(self, **mods: Unpack[Common]) -> Instruction:
        """Invalidate the instruction cache.

        s_icache_inv
        """

    def s_incperflevel(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Count performance level simm16[3:0] up.

        s_incperflevel simm16: imm4
        """

    def s_load_dword(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 1 dwords of memory at SBASE + offset.

        s_load_dword sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_load_dwordx16(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 16 dwords of memory at SBASE + offset.

        s_load_dwordx16 sdata: s[16], sbase: s[2], soffset: s[1]|off
        """

    def s_load_dwordx2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 2 dwords of memory at SBASE + offset.

        s_load_dwordx2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_load_dwordx4(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 4 dwords of memory at SBASE + offset.

        s_load_dwordx4 sdata: s[4], sbase: s[2], soffset: s[1]|off
        """

    def s_load_dwordx8(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 8 dwords of memory at SBASE + offset.

        s_load_dwordx8 sdata: s[8], sbase: s[2], soffset: s[1]|off
        """

    def s_lshl1_add_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = (S0 << 1) + S1; SCC = carry out of 32 bits.

        s_lshl1_add_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_lshl2_add_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = (S0 << 2) + S1; SCC = carry out of 32 bits.

        s_lshl2_add_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_lshl3_add_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = (S0 << 3) + S1; SCC = carry out of 32 bits.

        s_lshl3_add_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_lshl4_add_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = (S0 << 4) + S1; SCC = carry out of 32 bits.

        s_lshl4_add_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_lshl_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 << S1[4:0]; SCC = D != 0.

        s_lshl_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_lshl_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 << S1[5:0]; SCC = D != 0.

        s_lshl_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_lshr_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 >> S1[4:0]; SCC = D != 0.

        s_lshr_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_lshr_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 >> S1[5:0]; SCC = D != 0.

        s_lshr_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_max_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = max(S0, S1) signed; SCC = S0 >= S1.

        s_max_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_max_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = max(S0, S1) unsigned; SCC = S0 >= S1.

        s_max_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_memrealtime(self, sdata: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D = the count of the clock of constant frequency.

        s_memrealtime sdata: s[2]
        """

    def s_memtime(self, sdata: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D = the shader clock's count of cycles.

        s_memtime sdata: s[2]
        """

    def s_min_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = min(S0, S1) signed; SCC = S0 < S1.

        s_min_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_min_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = min(S0, S1) unsigned; SCC = S0 < S1.

        s_min_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_mov_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0.

        s_mov_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_mov_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0.

        s_mov_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_movk_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """D = sign-extended simm16.

        s_movk_i32 sdst: s[1], simm16: imm16
        """

    def s_movreld_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SGPR[D's number + M0] = S0.

        s_movreld_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_movreld_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """SGPR[D's number + M0] = S0.

        s_movreld_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_movrels_b32(self, sdst: Register, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D = SGPR[S0's number + M0].

        s_movrels_b32 sdst: s[1], src0: s[1]
        """

    def s_movrels_b64(self, sdst: Register, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D = SGPR[S0's number + M0].

        s_movrels_b64 sdst: s[2], src0: s[2]
        """

    def s_mul_hi_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = high 32 bits of the signed product.

        s_mul_hi_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_mul_hi_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = high 32 bits of the unsigned product.

        s_mul_hi_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_mul_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = low 32 bits of S0 * S1.

        s_mul_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_mulk_i32(self, sdst: Register, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """D = D * simm16.

        s_mulk_i32 sdst: s[1], simm16: imm16
        """

    def s_nand_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~(S0 & S1); SCC = D != 0.

        s_nand_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_nand_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~(S0 & S1); SCC = D != 0.

        s_nand_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_nand_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = ~(S0 & EXEC); SCC = EXEC != 0.

        s_nand_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_nop(self, simm16: int = ..., /, **mods: Unpack[Common]) -> Instruction:
        """Do nothing for simm16[3:0] + 1 wait states.

        s_nop simm16: imm4
        """

    def s_nor_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~(S0 | S1); SCC = D != 0.

        s_nor_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_nor_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~(S0 | S1); SCC = D != 0.

        s_nor_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_nor_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = ~(S0 | EXEC); SCC = EXEC != 0.

        s_nor_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_not_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~S0; SCC = D != 0.

        s_not_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_not_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~S0; SCC = D != 0.

        s_not_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_or_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 | S1; SCC = D != 0.

        s_or_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_or_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 | S1; SCC = D != 0.

        s_or_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_or_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = S0 | EXEC; SCC = EXEC != 0.

        s_or_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_orn1_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = ~S0 | EXEC; SCC = EXEC != 0.

        s_orn1_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_orn2_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 | ~S1; SCC = D != 0.

        s_orn2_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_orn2_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 | ~S1; SCC = D != 0.

        s_orn2_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_orn2_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = S0 | ~EXEC; SCC = EXEC != 0.

        s_orn2_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_pack_hh_b32_b16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = {S1.high, S0.high}, 16 bits each.

        s_pack_hh_b32_b16 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_pack_lh_b32_b16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = {S1.high, S0.low}, 16 bits each.

        s_pack_lh_b32_b16 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_pack_ll_b32_b16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = {S1.low, S0.low}, 16 bits each.

        s_pack_ll_b32_b16 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_quadmask_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[i] = any of S0[4i+3:4i]; SCC = D != 0.

        s_quadmask_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_quadmask_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D[i] = any of S0[4i+3:4i]; SCC = D != 0.

        s_quadmask_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_rfe_b64(self, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """Return from the trap handler: PC = S0, PRIV = 0.

        s_rfe_b64 src0: s[2]
        """

    def s_rfe_restore_b64(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """Return from the trap handler to S0 and restore STATUS.INST_ATC (trap handlers only).

        s_rfe_restore_b64 src0: s[2]|const|literal, src1: s[1]|const|literal
        """

    def s_scratch_load_dword(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 1 dwords of scratch at SBASE + offset.

        s_scratch_load_dword sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_scratch_load_dwordx2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 2 dwords of scratch at SBASE + offset.

        s_scratch_load_dwordx2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_scratch_load_dwordx4(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """D = 4 dwords of scratch at SBASE + offset.

        s_scratch_load_dwordx4 sdata: s[4], sbase: s[2], soffset: s[1]|off
        """

    def s_scratch_store_dword(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """1 dwords of scratch at SBASE + offset = D.

        s_scratch_store_dword sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_scratch_store_dwordx2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """2 dwords of scratch at SBASE + offset = D.

        s_scratch_store_dwordx2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_scratch_store_dwordx4(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """4 dwords of scratch at SBASE + offset = D.

        s_scratch_store_dwordx4 sdata: s[4], sbase: s[2], soffset: s[1]|off
        """

    def s_sendmsg(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Send the message simm16 with M0 to the host.

        s_sendmsg simm16: imm16
        """

    def s_sendmsghalt(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Send the message simm16 and halt.

        s_sendmsghalt simm16: imm16
        """

    def s_set_gpr_idx_idx(self, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """M0[7:0] = S0[7:0], the index of indexed VGPR access.

        s_set_gpr_idx_idx src0: s[1]|const|literal
        """

    def s_set_gpr_idx_mode(self, kinds: int, /, **mods: Unpack[Common]) -> Instruction:
        """M0[15:12] = which operands are indexed (SRC0 SRC1 SRC2 DST).

        s_set_gpr_idx_mode kinds: imm4
        """

    def s_set_gpr_idx_off(self, **mods: Unpack[Common]) -> Instruction:
        """Indexed VGPR access off.

        s_set_gpr_idx_off
        """

    def s_set_gpr_idx_on(self, src0: Value, kinds: int, /, **mods: Unpack[Common]) -> Instruction:
        """Indexed VGPR access on: M0[7:0] = S0[7:0], M0[15:12] = which operands (SRC0 SRC1 SRC2 DST).

        s_set_gpr_idx_on src0: s[1]|const|literal, kinds: imm4
        """

    def s_sethalt(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Halt the wave when simm16[0] is 1.

        s_sethalt simm16: imm16
        """

    def s_setkill(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """End the wave when simm16[0] is 1.

        s_setkill simm16: imm16
        """

    def s_setpc_b64(self, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """PC = S0.

        s_setpc_b64 src0: s[2]
        """

    def s_setprio(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Set the wave's priority to simm16[1:0].

        s_setprio simm16: imm2
        """

    def s_setreg_b32(self, simm16: int, sdst: Register, /, **mods: Unpack[Common]) -> Instruction:
        """Field of a hardware register = S0.

        s_setreg_b32 simm16: imm16, sdst: s[1]
        """

    def s_setreg_imm32_b32(self, simm16: int, imm32: int, /, **mods: Unpack[Common]) -> Instruction:
        """Field of a hardware register = imm32.

        s_setreg_imm32_b32 simm16: imm16, imm32: b32
        """

    def s_setvskip(self, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """Vector instructions are skipped while S0[S1[4:0]] is 1.

        s_setvskip src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_sext_i32_i16(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = sign-extended S0[15:0].

        s_sext_i32_i16 sdst: s[1], src0: s[1]|const|literal
        """

    def s_sext_i32_i8(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = sign-extended S0[7:0].

        s_sext_i32_i8 sdst: s[1], src0: s[1]|const|literal
        """

    def s_sleep(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Sleep for about 64 * simm16[6:0] clocks.

        s_sleep simm16: imm7
        """

    def s_store_dword(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """1 dwords of memory at SBASE + offset = D.

        s_store_dword sdata: s[1], sbase: s[2], soffset: s[1]|off
        """

    def s_store_dwordx2(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """2 dwords of memory at SBASE + offset = D.

        s_store_dwordx2 sdata: s[2], sbase: s[2], soffset: s[1]|off
        """

    def s_store_dwordx4(
        self, sdata: Register, sbase: Register, soffset: Value | None = ..., /, **mods: Unpack[SAtomicAdd]
    ) -> Instruction:
        """4 dwords of memory at SBASE + offset = D.

        s_store_dwordx4 sdata: s[4], sbase: s[2], soffset: s[1]|off
        """

    def s_sub_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 - S1; SCC = signed overflow.

        s_sub_i32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_sub_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 - S1; SCC = borrow.

        s_sub_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_subb_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 - S1 - SCC; SCC = borrow.

        s_subb_u32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_swappc_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = address of the next instruction; PC = S0.

        s_swappc_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_trap(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Enter the trap handler with the number simm16[7:0].

        s_trap simm16: imm8
        """

    def s_ttracedata(self, **mods: Unpack[Common]) -> Instruction:
        """Put M0 into the thread trace.

        s_ttracedata
        """

    def s_waitcnt(self, simm16: int, /, **mods: Unpack[Common]) -> Instruction:
        """Wait until the counters are at or below the given counts.

        s_waitcnt simm16: imm16
        """

    def s_wakeup(self, **mods: Unpack[Common]) -> Instruction:
        """Wake the workgroup's sleeping waves.

        s_wakeup
        """

    def s_wqm_b32(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = each group of 4 bits all ones when any of S0's is set; SCC = D != 0.

        s_wqm_b32 sdst: s[1], src0: s[1]|const|literal
        """

    def s_wqm_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = each group of 4 bits all ones when any of S0's is set; SCC = D != 0.

        s_wqm_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_xnor_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~(S0 ^ S1); SCC = D != 0.

        s_xnor_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_xnor_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = ~(S0 ^ S1); SCC = D != 0.

        s_xnor_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_xnor_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = ~(S0 ^ EXEC); SCC = EXEC != 0.

        s_xnor_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def s_xor_b32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 ^ S1; SCC = D != 0.

        s_xor_b32 sdst: s[1], src0: s[1]|const|literal, src1: s[1]|const|literal
        """

    def s_xor_b64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 ^ S1; SCC = D != 0.

        s_xor_b64 sdst: s[2], src0: s[2]|const|literal, src1: s[2]|const|literal
        """

    def s_xor_saveexec_b64(self, sdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D = EXEC; EXEC = S0 ^ EXEC; SCC = EXEC != 0.

        s_xor_saveexec_b64 sdst: s[2], src0: s[2]|const|literal
        """

    def scratch_load_dword(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b32 of scratch memory.

        scratch_load_dword vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_dwordx2(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 2 x b32 of scratch memory.

        scratch_load_dwordx2 vdst: v[2]|a[2], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_dwordx3(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 3 x b32 of scratch memory.

        scratch_load_dwordx3 vdst: v[3]|a[3], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_dwordx4(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 4 x b32 of scratch memory.

        scratch_load_dwordx4 vdst: v[4]|a[4], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_lds_dword(
        self, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x b32 of scratch memory.

        scratch_load_lds_dword vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_lds_sbyte(
        self, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x i8 of scratch memory.

        scratch_load_lds_sbyte vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_lds_sshort(
        self, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x i16 of scratch memory.

        scratch_load_lds_sshort vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_lds_ubyte(
        self, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x u8 of scratch memory.

        scratch_load_lds_ubyte vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_lds_ushort(
        self, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """LDS[M0 + offset + lane * 4] = 1 x u16 of scratch memory.

        scratch_load_lds_ushort vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_sbyte(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of scratch memory.

        scratch_load_sbyte vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_sbyte_d16(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of scratch memory.

        scratch_load_sbyte_d16 vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_sbyte_d16_hi(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i8 of scratch memory.

        scratch_load_sbyte_d16_hi vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_short_d16(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b16 of scratch memory.

        scratch_load_short_d16 vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_short_d16_hi(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x b16 of scratch memory.

        scratch_load_short_d16_hi vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_sshort(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x i16 of scratch memory.

        scratch_load_sshort vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_ubyte(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of scratch memory.

        scratch_load_ubyte vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_ubyte_d16(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of scratch memory.

        scratch_load_ubyte_d16 vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_ubyte_d16_hi(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u8 of scratch memory.

        scratch_load_ubyte_d16_hi vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_load_ushort(
        self, vdst: Register, vaddr: Register | None, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """D = 1 x u16 of scratch memory.

        scratch_load_ushort vdst: v[1]|a[1], vaddr: v[1]|off, saddr: s[1]|off
        """

    def scratch_store_byte(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x u8 of scratch memory = D.

        scratch_store_byte vaddr: v[1]|off, vdata: v[1]|a[1], saddr: s[1]|off
        """

    def scratch_store_byte_d16_hi(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x u8 of scratch memory = D.

        scratch_store_byte_d16_hi vaddr: v[1]|off, vdata: v[1]|a[1], saddr: s[1]|off
        """

    def scratch_store_dword(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b32 of scratch memory = D.

        scratch_store_dword vaddr: v[1]|off, vdata: v[1]|a[1], saddr: s[1]|off
        """

    def scratch_store_dwordx2(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """2 x b32 of scratch memory = D.

        scratch_store_dwordx2 vaddr: v[1]|off, vdata: v[2]|a[2], saddr: s[1]|off
        """

    def scratch_store_dwordx3(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """3 x b32 of scratch memory = D.

        scratch_store_dwordx3 vaddr: v[1]|off, vdata: v[3]|a[3], saddr: s[1]|off
        """

    def scratch_store_dwordx4(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """4 x b32 of scratch memory = D.

        scratch_store_dwordx4 vaddr: v[1]|off, vdata: v[4]|a[4], saddr: s[1]|off
        """

    def scratch_store_short(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b16 of scratch memory = D.

        scratch_store_short vaddr: v[1]|off, vdata: v[1]|a[1], saddr: s[1]|off
        """

    def scratch_store_short_d16_hi(
        self, vaddr: Register | None, vdata: Register, saddr: Register | None = ..., /, **mods: Unpack[FlatAtomicAdd]
    ) -> Instruction:
        """1 x b16 of scratch memory = D.

        scratch_store_short_d16_hi vaddr: v[1]|off, vdata: v[1]|a[1], saddr: s[1]|off
        """

    def tbuffer_load_format_d16_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 1 components, converted by the instruction's format, two in a register.

        tbuffer_load_format_d16_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_d16_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 2 components, converted by the instruction's format, two in a register.

        tbuffer_load_format_d16_xy vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_d16_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 3 components, converted by the instruction's format, two in a register.

        tbuffer_load_format_d16_xyz vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_d16_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 4 components, converted by the instruction's format, two in a register.

        tbuffer_load_format_d16_xyzw vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 1 components, converted by the instruction's format.

        tbuffer_load_format_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 2 components, converted by the instruction's format.

        tbuffer_load_format_xy vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 3 components, converted by the instruction's format.

        tbuffer_load_format_xyz vdata: v[3]|a[3], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_load_format_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Load 4 components, converted by the instruction's format.

        tbuffer_load_format_xyzw vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_d16_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 1 components, converted by the instruction's format, two in a register.

        tbuffer_store_format_d16_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_d16_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 2 components, converted by the instruction's format, two in a register.

        tbuffer_store_format_d16_xy vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_d16_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 3 components, converted by the instruction's format, two in a register.

        tbuffer_store_format_d16_xyz vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_d16_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 4 components, converted by the instruction's format, two in a register.

        tbuffer_store_format_d16_xyzw vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_x(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 1 components, converted by the instruction's format.

        tbuffer_store_format_x vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_xy(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 2 components, converted by the instruction's format.

        tbuffer_store_format_xy vdata: v[2]|a[2], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_xyz(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 3 components, converted by the instruction's format.

        tbuffer_store_format_xyz vdata: v[3]|a[3], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def tbuffer_store_format_xyzw(
        self,
        vdata: Register,
        vaddr: Register | None,
        srsrc: Register,
        soffset: Value = ...,
        /,
        **mods: Unpack[TbufferLoadFormatD16X],
    ) -> Instruction:
        """Store 4 components, converted by the instruction's format.

        tbuffer_store_format_xyzw vdata: v[4]|a[4], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset:
            s[1]|const
        """

    def v_accvgpr_mov_b32(self, vdst: Register, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D (AGPR) = S0 (AGPR).

        v_accvgpr_mov_b32 vdst: a[1], src0: a[1]
        """

    def v_accvgpr_read_b32(self, vdst: Register, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D (VGPR) = S0 (AGPR).

        v_accvgpr_read_b32 vdst: v[1], src0: a[1]
        """

    def v_accvgpr_write_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[Common]) -> Instruction:
        """D (AGPR) = S0.

        v_accvgpr_write_b32 vdst: a[1], src0: s[1]|v[1]|const
        """

    def v_add3_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = S0 + S1 + S2.

        v_add3_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_add_co_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]
    ) -> Instruction:
        """D = S0 + S1; carry out to VCC (or the SGPR pair).

        v_add_co_u32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp
            sdwa]
        """

    def v_add_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 + S1.

        v_add_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_add_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 + S1.

        v_add_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_add_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = S0 + S1.

        v_add_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_add_i16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddI16]) -> Instruction:
        """D = S0 + S1.

        v_add_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_add_i32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddI32]) -> Instruction:
        """D = S0 + S1.

        v_add_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_add_lshl_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 + S1) << S2[4:0].

        v_add_lshl_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_add_u16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S0 + S1.

        v_add_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_add_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S0 + S1.

        v_add_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_addc_co_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Register, /, **mods: Unpack[VAddCoU32]
    ) -> Instruction:
        """D = S0 + S1 + carry in; carry out to VCC (or the SGPR pair).

        v_addc_co_u32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2: s[2]
            [e32 e64 dpp sdwa]
        """

    def v_alignbit_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = low dword of {S0, S1} >> S2[4:0].

        v_alignbit_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_alignbyte_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = low dword of {S0, S1} >> 8 * S2[1:0].

        v_alignbyte_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_and_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S0 & S1.

        v_and_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_and_or_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 & S1) | S2.

        v_and_or_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_ashr_pk_i8_i32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAshrPkI8I32]
    ) -> Instruction:
        """Half op_sel[3] of D = {S1, S0} >> S2[4:0], saturated to i8.

        v_ashr_pk_i8_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_ashr_pk_u8_i32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAshrPkI8I32]
    ) -> Instruction:
        """Half op_sel[3] of D = {S1, S0} >> S2[4:0], saturated to u8.

        v_ashr_pk_u8_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_ashrrev_i16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S1 >> S0[3:0] with sign.

        v_ashrrev_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ashrrev_i32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S1 >> S0[4:0] with sign.

        v_ashrrev_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ashrrev_i64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = S1 >> S0[5:0] with sign.

        v_ashrrev_i64 vdst: v[2], src0: s[1]|v[1]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_bcnt_u32_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = number of ones in S0, plus S1.

        v_bcnt_u32_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_bfe_i32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = S2[4:0] bits of S0 from bit S1[4:0] on, sign-extended.

        v_bfe_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_bfe_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = S2[4:0] bits of S0 from bit S1[4:0] on.

        v_bfe_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_bfi_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = S0 ? S1 : S2, bit by bit.

        v_bfi_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_bfm_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = ((1 << S0[4:0]) - 1) << S1[4:0].

        v_bfm_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_bfrev_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = bits of S0 in reverse order.

        v_bfrev_b32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_bitop3_b16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VBitop3B16]
    ) -> Instruction:
        """D = truth table bitop3 of the bits of S0, S1, S2.

        v_bitop3_b16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_bitop3_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VBitop3B32]
    ) -> Instruction:
        """D = truth table bitop3 of the bits of S0, S1, S2.

        v_bitop3_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_ceil_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded up.

        v_ceil_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ceil_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded up.

        v_ceil_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ceil_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 rounded up.

        v_ceil_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_clrexcp(self, **mods: Unpack[VAdd3U32]) -> Instruction:
        """Clear the wave's exception flags.

        v_clrexcp
        """

    def v_cmp_class_f16(
        self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpClassF16]
    ) -> Instruction:
        """D lane bit = S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal,
        +normal, +inf).

        v_cmp_class_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_class_f32(
        self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpClassF16]
    ) -> Instruction:
        """D lane bit = S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal,
        +normal, +inf).

        v_cmp_class_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_class_f64(
        self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpClassF64]
    ) -> Instruction:
        """D lane bit = S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal,
        +normal, +inf).

        v_cmp_class_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64]
        """

    def v_cmp_eq_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_eq_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_eq_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_eq_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_eq_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_eq_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_eq_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_eq_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_eq_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 == S1.

        v_cmp_eq_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_f_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_f_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_f_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_f_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_f_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_f_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_f_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_f_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_f_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = false.

        v_cmp_f_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_ge_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ge_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ge_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_ge_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ge_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ge_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_ge_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ge_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ge_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 >= S1.

        v_cmp_ge_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_gt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_gt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_gt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_gt_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_gt_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_gt_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_gt_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_gt_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_gt_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 > S1.

        v_cmp_gt_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_le_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_le_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_le_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_le_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_le_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_le_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_le_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_le_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_le_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 <= S1.

        v_cmp_le_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_lg_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 < S1 or S0 > S1.

        v_cmp_lg_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lg_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 < S1 or S0 > S1.

        v_cmp_lg_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lg_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 < S1 or S0 > S1.

        v_cmp_lg_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_lt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_lt_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lt_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lt_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_lt_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lt_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_lt_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 < S1.

        v_cmp_lt_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_ne_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 != S1.

        v_cmp_ne_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ne_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 != S1.

        v_cmp_ne_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ne_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 != S1.

        v_cmp_ne_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_ne_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 != S1.

        v_cmp_ne_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ne_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = S0 != S1.

        v_cmp_ne_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ne_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = S0 != S1.

        v_cmp_ne_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_neq_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 == S1.

        v_cmp_neq_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_neq_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 == S1.

        v_cmp_neq_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_neq_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = not S0 == S1.

        v_cmp_neq_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_nge_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 >= S1.

        v_cmp_nge_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nge_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 >= S1.

        v_cmp_nge_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nge_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = not S0 >= S1.

        v_cmp_nge_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_ngt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 > S1.

        v_cmp_ngt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ngt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 > S1.

        v_cmp_ngt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_ngt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = not S0 > S1.

        v_cmp_ngt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_nle_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 <= S1.

        v_cmp_nle_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nle_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 <= S1.

        v_cmp_nle_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nle_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = not S0 <= S1.

        v_cmp_nle_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_nlg_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not (S0 < S1 or S0 > S1).

        v_cmp_nlg_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nlg_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not (S0 < S1 or S0 > S1).

        v_cmp_nlg_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nlg_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = not (S0 < S1 or S0 > S1).

        v_cmp_nlg_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_nlt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 < S1.

        v_cmp_nlt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nlt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = not S0 < S1.

        v_cmp_nlt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_nlt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = not S0 < S1.

        v_cmp_nlt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_o_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = neither is NaN.

        v_cmp_o_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_o_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = neither is NaN.

        v_cmp_o_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_o_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = neither is NaN.

        v_cmp_o_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_t_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = true.

        v_cmp_t_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_t_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = true.

        v_cmp_t_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_t_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = true.

        v_cmp_t_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_t_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = true.

        v_cmp_t_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_t_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit = true.

        v_cmp_t_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_t_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit = true.

        v_cmp_t_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_tru_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = true.

        v_cmp_tru_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_tru_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = true.

        v_cmp_tru_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_tru_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = true.

        v_cmp_tru_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmp_u_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 or S1 is NaN.

        v_cmp_u_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_u_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit = S0 or S1 is NaN.

        v_cmp_u_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmp_u_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit = S0 or S1 is NaN.

        v_cmp_u_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_class_f16(
        self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpClassF16]
    ) -> Instruction:
        """D lane bit, EXEC lane bit = S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0,
        +denormal, +normal, +inf).

        v_cmpx_class_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_class_f32(
        self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpClassF16]
    ) -> Instruction:
        """D lane bit, EXEC lane bit = S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0,
        +denormal, +normal, +inf).

        v_cmpx_class_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_class_f64(
        self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpClassF64]
    ) -> Instruction:
        """D lane bit, EXEC lane bit = S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0,
        +denormal, +normal, +inf).

        v_cmpx_class_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64]
        """

    def v_cmpx_eq_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_eq_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_eq_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_eq_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_eq_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_eq_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_eq_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_eq_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_eq_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 == S1.

        v_cmpx_eq_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_f_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_f_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_f_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_f_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_f_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_f_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_f_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_f_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_f_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = false.

        v_cmpx_f_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_ge_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ge_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ge_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_ge_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ge_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ge_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_ge_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ge_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ge_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 >= S1.

        v_cmpx_ge_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_gt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_gt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_gt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_gt_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_gt_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_gt_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_gt_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_gt_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_gt_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 > S1.

        v_cmpx_gt_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_le_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_le_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_le_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_le_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_le_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_le_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_le_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_le_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_le_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 <= S1.

        v_cmpx_le_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_lg_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1 or S0 > S1.

        v_cmpx_lg_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lg_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1 or S0 > S1.

        v_cmpx_lg_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lg_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1 or S0 > S1.

        v_cmpx_lg_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_lt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_lt_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lt_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lt_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_lt_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lt_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_lt_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 < S1.

        v_cmpx_lt_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_ne_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 != S1.

        v_cmpx_ne_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ne_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 != S1.

        v_cmpx_ne_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ne_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 != S1.

        v_cmpx_ne_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_ne_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 != S1.

        v_cmpx_ne_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ne_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 != S1.

        v_cmpx_ne_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ne_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 != S1.

        v_cmpx_ne_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_neq_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 == S1.

        v_cmpx_neq_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_neq_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 == S1.

        v_cmpx_neq_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_neq_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 == S1.

        v_cmpx_neq_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_nge_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 >= S1.

        v_cmpx_nge_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nge_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 >= S1.

        v_cmpx_nge_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nge_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 >= S1.

        v_cmpx_nge_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_ngt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 > S1.

        v_cmpx_ngt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ngt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 > S1.

        v_cmpx_ngt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_ngt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 > S1.

        v_cmpx_ngt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_nle_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 <= S1.

        v_cmpx_nle_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nle_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 <= S1.

        v_cmpx_nle_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nle_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 <= S1.

        v_cmpx_nle_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_nlg_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not (S0 < S1 or S0 > S1).

        v_cmpx_nlg_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nlg_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not (S0 < S1 or S0 > S1).

        v_cmpx_nlg_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nlg_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = not (S0 < S1 or S0 > S1).

        v_cmpx_nlg_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_nlt_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 < S1.

        v_cmpx_nlt_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nlt_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 < S1.

        v_cmpx_nlt_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_nlt_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = not S0 < S1.

        v_cmpx_nlt_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_o_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = neither is NaN.

        v_cmpx_o_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_o_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = neither is NaN.

        v_cmpx_o_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_o_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = neither is NaN.

        v_cmpx_o_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_t_i16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_t_i16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_t_i32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_t_i32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_t_i64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_t_i64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_t_u16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_t_u16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_t_u32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqI16]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_t_u32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_t_u64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_t_u64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_tru_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_tru_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_tru_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_tru_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_tru_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = true.

        v_cmpx_tru_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cmpx_u_f16(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 or S1 is NaN.

        v_cmpx_u_f16 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_u_f32(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF16]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 or S1 is NaN.

        v_cmpx_u_f32 sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 sdwa]
        """

    def v_cmpx_u_f64(self, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]) -> Instruction:
        """D lane bit, EXEC lane bit = S0 or S1 is NaN.

        v_cmpx_u_f64 sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64]
        """

    def v_cndmask_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Register, /, **mods: Unpack[VCndmaskB32]
    ) -> Instruction:
        """D = lane bit of VCC (or S2) ? S1 : S0.

        v_cndmask_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2: s[2] [e32 e64 dpp
            sdwa]
        """

    def v_cos_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = cos(2 * pi * S0), S0 within 256 turns.

        v_cos_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cos_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = cos(2 * pi * S0), S0 within 256 turns, within 1 ulp.

        v_cos_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cubeid_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = number of the cube's face that (S0, S1, S2) points at.

        v_cubeid_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_cubema_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = twice the coordinate along the major axis.

        v_cubema_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_cubesc_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S coordinate on the cube's face.

        v_cubesc_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_cubetc_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = T coordinate on the cube's face.

        v_cubetc_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_cvt_f16_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded to f16.

        v_cvt_f16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f16_i16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0).

        v_cvt_f16_i16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f16_u16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0).

        v_cvt_f16_u16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_bf16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0.

        v_cvt_f32_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa] (gfx950)
        """

    def v_cvt_f32_bf8(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF32Bf8]) -> Instruction:
        """D = bf8 in S0[7:0] (SDWA selects the byte).

        v_cvt_f32_bf8 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0.

        v_cvt_f32_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 rounded to f32.

        v_cvt_f32_f64 vdst: v[1], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_cvt_f32_fp8(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF32Bf8]) -> Instruction:
        """D = fp8 in S0[7:0] (SDWA selects the byte).

        v_cvt_f32_fp8 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_i32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0).

        v_cvt_f32_i32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_u32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0).

        v_cvt_f32_u32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_ubyte0(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0[7:0]).

        v_cvt_f32_ubyte0 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_ubyte1(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0[15:8]).

        v_cvt_f32_ubyte1 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_ubyte2(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0[23:16]).

        v_cvt_f32_ubyte2 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f32_ubyte3(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = float(S0[31:24]).

        v_cvt_f32_ubyte3 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_f64_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0.

        v_cvt_f64_f32 vdst: v[2], src0: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_cvt_f64_i32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF64I32]) -> Instruction:
        """D = float(S0).

        v_cvt_f64_i32 vdst: v[2], src0: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_cvt_f64_u32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF64I32]) -> Instruction:
        """D = float(S0).

        v_cvt_f64_u32 vdst: v[2], src0: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_cvt_flr_i32_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtFlrI32F32]) -> Instruction:
        """D = int(floor(S0)).

        v_cvt_flr_i32_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_i16_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = int(S0), towards zero, saturated, NaN is 0.

        v_cvt_i16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_i32_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = int(S0), towards zero, saturated, NaN is 0.

        v_cvt_i32_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_i32_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = int(S0), towards zero, saturated, NaN is 0.

        v_cvt_i32_f64 vdst: v[1], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_cvt_norm_i16_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 clamped to -1..1, times 32767, rounded.

        v_cvt_norm_i16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_norm_u16_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 clamped to 0..1, times 65535, rounded.

        v_cvt_norm_u16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_off_f32_i4(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF16I16]) -> Instruction:
        """D = S0[3:0] as a signed number / 16.

        v_cvt_off_f32_i4 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_pk_bf16_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = {S1, S0} rounded to bf16.

        v_cvt_pk_bf16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_pk_bf8_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = {S1, S0} rounded to bf8.

        v_cvt_pk_bf8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pk_f16_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = {S1, S0} rounded to f16.

        v_cvt_pk_f16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_pk_f32_bf8(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF32Bf8]) -> Instruction:
        """D = the two bf8 in S0[15:0] (SDWA selects the half).

        v_cvt_pk_f32_bf8 vdst: v[2], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_pk_f32_fp8(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtF32Bf8]) -> Instruction:
        """D = the two fp8 in S0[15:0] (SDWA selects the half).

        v_cvt_pk_f32_fp8 vdst: v[2], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_pk_fp8_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = {S1, S0} rounded to fp8.

        v_cvt_pk_fp8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pk_i16_i32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = {S1, S0} saturated to i16.

        v_cvt_pk_i16_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pk_u16_u32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = {S1, S0} saturated to u16.

        v_cvt_pk_u16_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pk_u8_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCmpEqF64]
    ) -> Instruction:
        """D = S2 with byte S1[1:0] = u8(S0), rounded and saturated.

        v_cvt_pk_u8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_cvt_pkaccum_u8_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]
    ) -> Instruction:
        """Byte S1[1:0] of D = u8(S0), rounded and saturated.

        v_cvt_pkaccum_u8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pknorm_i16_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPknormI16F16]
    ) -> Instruction:
        """D = {S1, S0} clamped to -1..1, times 32767, rounded.

        v_cvt_pknorm_i16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pknorm_i16_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]
    ) -> Instruction:
        """D = {S1, S0} clamped to -1..1, times 32767, rounded.

        v_cvt_pknorm_i16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pknorm_u16_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPknormI16F16]
    ) -> Instruction:
        """D = {S1, S0} clamped to 0..1, times 65535, rounded.

        v_cvt_pknorm_u16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pknorm_u16_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCmpEqF64]
    ) -> Instruction:
        """D = {S1, S0} clamped to 0..1, times 65535, rounded.

        v_cvt_pknorm_u16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_pkrtz_f16_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = {S1, S0} rounded to f16 towards zero.

        v_cvt_pkrtz_f16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_rpi_i32_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtFlrI32F32]) -> Instruction:
        """D = int(floor(S0 + 0.5)).

        v_cvt_rpi_i32_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_scalef32_2xpk16_bf6_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = elements of S0, S1 in turn / scale to bf6.

        v_cvt_scalef32_2xpk16_bf6_f32 vdst: v[6], src0: v[16], src1: v[16], src2: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_2xpk16_fp6_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = elements of S0, S1 in turn / scale to fp6.

        v_cvt_scalef32_2xpk16_fp6_f32 vdst: v[6], src0: v[16], src1: v[16], src2: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_f16_bf8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = bf8 in byte op_sel[1:0] of S0 * scale.

        v_cvt_scalef32_f16_bf8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_f16_fp8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = fp8 in byte op_sel[1:0] of S0 * scale.

        v_cvt_scalef32_f16_fp8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_f32_bf8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = bf8 in byte op_sel[1:0] of S0 * scale.

        v_cvt_scalef32_f32_bf8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_f32_fp8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = fp8 in byte op_sel[1:0] of S0 * scale.

        v_cvt_scalef32_f32_fp8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_bf16_bf6(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 bf6 of S0 * scale as bf16.

        v_cvt_scalef32_pk32_bf16_bf6 vdst: v[16], src0: v[6], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_bf16_fp6(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 fp6 of S0 * scale as bf16.

        v_cvt_scalef32_pk32_bf16_fp6 vdst: v[16], src0: v[6], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_bf6_bf16(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to bf6.

        v_cvt_scalef32_pk32_bf6_bf16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_bf6_f16(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to bf6.

        v_cvt_scalef32_pk32_bf6_f16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_f16_bf6(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 bf6 of S0 * scale as f16.

        v_cvt_scalef32_pk32_f16_bf6 vdst: v[16], src0: v[6], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_f16_fp6(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 fp6 of S0 * scale as f16.

        v_cvt_scalef32_pk32_f16_fp6 vdst: v[16], src0: v[6], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_f32_bf6(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 bf6 of S0 * scale as f32.

        v_cvt_scalef32_pk32_f32_bf6 vdst: v[32], src0: v[6], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_f32_fp6(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 fp6 of S0 * scale as f32.

        v_cvt_scalef32_pk32_f32_fp6 vdst: v[32], src0: v[6], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_fp6_bf16(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to fp6.

        v_cvt_scalef32_pk32_fp6_bf16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk32_fp6_f16(
        self, vdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to fp6.

        v_cvt_scalef32_pk32_fp6_f16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_bf16_bf8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two bf8 in half op_sel[0] of S0 * scale as bf16.

        v_cvt_scalef32_pk_bf16_bf8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_bf16_fp4(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two fp4 in byte op_sel[1:0] of S0 * scale as bf16.

        v_cvt_scalef32_pk_bf16_fp4 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_bf16_fp8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two fp8 in half op_sel[0] of S0 * scale as bf16.

        v_cvt_scalef32_pk_bf16_fp8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_bf8_bf16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = two bf16 / scale to bf8.

        v_cvt_scalef32_pk_bf8_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_bf8_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = two f16 / scale to bf8.

        v_cvt_scalef32_pk_bf8_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_bf8_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = two f32 / scale to bf8.

        v_cvt_scalef32_pk_bf8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_f16_bf8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two bf8 in half op_sel[0] of S0 * scale as f16.

        v_cvt_scalef32_pk_f16_bf8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_f16_fp4(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two fp4 in byte op_sel[1:0] of S0 * scale as f16.

        v_cvt_scalef32_pk_f16_fp4 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_f16_fp8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two fp8 in half op_sel[0] of S0 * scale as f16.

        v_cvt_scalef32_pk_f16_fp8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_f32_bf8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two bf8 in half op_sel[0] of S0 * scale as f32.

        v_cvt_scalef32_pk_f32_bf8 vdst: v[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_f32_fp4(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two fp4 in byte op_sel[1:0] of S0 * scale as f32.

        v_cvt_scalef32_pk_f32_fp4 vdst: v[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_f32_fp8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """D = two fp8 in half op_sel[0] of S0 * scale as f32.

        v_cvt_scalef32_pk_f32_fp8 vdst: v[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_fp4_bf16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = two bf16 / scale to fp4.

        v_cvt_scalef32_pk_fp4_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_fp4_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = two f16 / scale to fp4.

        v_cvt_scalef32_pk_fp4_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_fp4_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = two f32 / scale to fp4.

        v_cvt_scalef32_pk_fp4_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_fp8_bf16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = two bf16 / scale to fp8.

        v_cvt_scalef32_pk_fp8_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_fp8_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = two f16 / scale to fp8.

        v_cvt_scalef32_pk_fp8_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_pk_fp8_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = two f32 / scale to fp8.

        v_cvt_scalef32_pk_fp8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_bf8_bf16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 / scale to bf8, stochastically by S1.

        v_cvt_scalef32_sr_bf8_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_bf8_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 / scale to bf8, stochastically by S1.

        v_cvt_scalef32_sr_bf8_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_bf8_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 / scale to bf8, stochastically by S1.

        v_cvt_scalef32_sr_bf8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_fp8_bf16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 / scale to fp8, stochastically by S1.

        v_cvt_scalef32_sr_fp8_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_fp8_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 / scale to fp8, stochastically by S1.

        v_cvt_scalef32_sr_fp8_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_fp8_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 / scale to fp8, stochastically by S1.

        v_cvt_scalef32_sr_fp8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk32_bf6_bf16(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to bf6, stochastically by S1.

        v_cvt_scalef32_sr_pk32_bf6_bf16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk32_bf6_f16(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to bf6, stochastically by S1.

        v_cvt_scalef32_sr_pk32_bf6_f16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk32_bf6_f32(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to bf6, stochastically by S1.

        v_cvt_scalef32_sr_pk32_bf6_f32 vdst: v[6], src0: v[32], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk32_fp6_bf16(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to fp6, stochastically by S1.

        v_cvt_scalef32_sr_pk32_fp6_bf16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk32_fp6_f16(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to fp6, stochastically by S1.

        v_cvt_scalef32_sr_pk32_fp6_f16 vdst: v[6], src0: v[16], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk32_fp6_f32(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = 32 elements of S0 / scale to fp6, stochastically by S1.

        v_cvt_scalef32_sr_pk32_fp6_f32 vdst: v[6], src0: v[32], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk_fp4_bf16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = two bf16 / scale to fp4, stochastically by S1.

        v_cvt_scalef32_sr_pk_fp4_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk_fp4_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = two f16 / scale to fp4, stochastically by S1.

        v_cvt_scalef32_sr_pk_fp4_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_scalef32_sr_pk_fp4_f32(
        self, vdst: Register, src0: Register, src1: Value, src2: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = two f32 / scale to fp4, stochastically by S1.

        v_cvt_scalef32_sr_pk_fp4_f32 vdst: v[1], src0: v[2], src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_sr_bf16_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = S0 to bf16, rounded stochastically by S1.

        v_cvt_sr_bf16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_sr_bf8_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 to bf8, rounded stochastically by S1.

        v_cvt_sr_bf8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_sr_f16_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Half op_sel[3] of D = S0 to f16, rounded stochastically by S1.

        v_cvt_sr_f16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal (gfx950)
        """

    def v_cvt_sr_fp8_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPkBf8F32]
    ) -> Instruction:
        """Byte op_sel[3:2] of D = S0 to fp8, rounded stochastically by S1.

        v_cvt_sr_fp8_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_cvt_u16_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = int(S0), towards zero, saturated, NaN is 0.

        v_cvt_u16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_u32_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = int(S0), towards zero, saturated, NaN is 0.

        v_cvt_u32_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_cvt_u32_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = int(S0), towards zero, saturated, NaN is 0.

        v_cvt_u32_f64 vdst: v[1], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_div_fixup_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivFixupF16]
    ) -> Instruction:
        """D = S0 with the sign and the special cases of S2 / S1.

        v_div_fixup_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_div_fixup_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 with the sign and the special cases of S2 / S1.

        v_div_fixup_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_div_fixup_f64(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 with the sign and the special cases of S2 / S1.

        v_div_fixup_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_div_fixup_legacy_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 with the sign and the special cases of S2 / S1.

        v_div_fixup_legacy_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_div_fmas_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 * S1 + S2, in VCC's lanes scaled back by 2**64.

        v_div_fmas_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_div_fmas_f64(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 * S1 + S2, in VCC's lanes scaled back by 2**128.

        v_div_fmas_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_div_scale_f32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivScaleF32]
    ) -> Instruction:
        """D = S0 scaled so that S2 / S1 is safe; mask = scale the quotient back.

        v_div_scale_f32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_div_scale_f64(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivScaleF32]
    ) -> Instruction:
        """D = S0 scaled so that S2 / S1 is safe; mask = scale the quotient back.

        v_div_scale_f64 vdst: v[2], sdst: s[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_dot2_f32_bf16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S2 + sum of products of 2 bf16.

        v_dot2_f32_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_dot2_f32_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S2 + sum of products of 2 f16.

        v_dot2_f32_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot2_i32_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S2 + sum of products of 2 i16.

        v_dot2_i32_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot2_u32_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S2 + sum of products of 2 u16.

        v_dot2_u32_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot2c_f32_bf16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cF32Bf16]
    ) -> Instruction:
        """D = D + sum of products of 2 bf16.

        v_dot2c_f32_bf16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp] (gfx950)
        """

    def v_dot2c_f32_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cF32Bf16]
    ) -> Instruction:
        """D = D + sum of products of 2 f16.

        v_dot2c_f32_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_dot2c_i32_i16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cI32I16]
    ) -> Instruction:
        """D = D + sum of products of 2 i16.

        v_dot2c_i32_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_dot4_i32_i8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot4I32I8]
    ) -> Instruction:
        """D = S2 + sum of products of 4 i8.

        v_dot4_i32_i8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot4_u32_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot4I32I8]
    ) -> Instruction:
        """D = S2 + sum of products of 4 u8.

        v_dot4_u32_u8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot4c_i32_i8(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cI32I16]
    ) -> Instruction:
        """D = D + sum of products of 4 i8.

        v_dot4c_i32_i8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_dot8_i32_i4(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot4I32I8]
    ) -> Instruction:
        """D = S2 + sum of products of 8 i4.

        v_dot8_i32_i4 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot8_u32_u4(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot4I32I8]
    ) -> Instruction:
        """D = S2 + sum of products of 8 u4.

        v_dot8_u32_u4 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_dot8c_i32_i4(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cI32I16]
    ) -> Instruction:
        """D = D + sum of products of 8 i4.

        v_dot8c_i32_i4 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_exp_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 2**S0.

        v_exp_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_exp_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 2**S0, within 1 ulp.

        v_exp_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_exp_legacy_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 2**S0, the older unit's.

        v_exp_legacy_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ffbh_i32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = copies of the sign from the top, -1 when all bits agree.

        v_ffbh_i32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ffbh_u32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = zeros above the highest one of S0, -1 when none.

        v_ffbh_u32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ffbl_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = place of the lowest one of S0, -1 when none.

        v_ffbl_b32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_floor_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded down.

        v_floor_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_floor_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded down.

        v_floor_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_floor_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 rounded down.

        v_floor_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_fma_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivFixupF16]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded once.

        v_fma_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_fma_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded once.

        v_fma_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_fma_f64(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded once.

        v_fma_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_fma_legacy_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded once.

        v_fma_legacy_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_fma_mix_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1 + S2, each f32 or f16.

        v_fma_mix_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_fma_mixhi_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """Hi half of D = f16(S0 * S1 + S2), each f32 or f16.

        v_fma_mixhi_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_fma_mixlo_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """Lo half of D = f16(S0 * S1 + S2), each f32 or f16.

        v_fma_mixlo_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_fmaak_f32(
        self, vdst: Register, src0: Value, src1: Register, k: Value, /, **mods: Unpack[Common]
    ) -> Instruction:
        """D = S0 * S1 + K, rounded once.

        v_fmaak_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: v[1], k: literal
        """

    def v_fmac_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cF32Bf16]) -> Instruction:
        """D = S0 * S1 + D, rounded once.

        v_fmac_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_fmac_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cF32Bf16]) -> Instruction:
        """D = S0 * S1 + D, rounded once.

        v_fmac_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_fmamk_f32(
        self, vdst: Register, src0: Value, k: Value, src1: Register, /, **mods: Unpack[Common]
    ) -> Instruction:
        """D = S0 * K + S1, rounded once.

        v_fmamk_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, k: literal, src1: v[1]
        """

    def v_fract_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 - floor(S0).

        v_fract_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_fract_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 - floor(S0).

        v_fract_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_fract_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 - floor(S0).

        v_fract_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_frexp_exp_i16_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = exponent of S0 = fraction * 2**D.

        v_frexp_exp_i16_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_frexp_exp_i32_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCvtFlrI32F32]) -> Instruction:
        """D = exponent of S0 = fraction * 2**D.

        v_frexp_exp_i32_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_frexp_exp_i32_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = exponent of S0.

        v_frexp_exp_i32_f64 vdst: v[1], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_frexp_mant_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = fraction of S0 in [0.5, 1).

        v_frexp_mant_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_frexp_mant_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = fraction of S0 in [0.5, 1).

        v_frexp_mant_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_frexp_mant_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 in [0.5, 1).

        v_frexp_mant_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_ldexp_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VLdexpF16]) -> Instruction:
        """D = S0 * 2**S1.

        v_ldexp_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_ldexp_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = S0 * 2**S1.

        v_ldexp_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_ldexp_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = S0 * 2**S1.

        v_ldexp_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_lerp_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 + S1 + S2[0]) >> 1 in each byte.

        v_lerp_u8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_log_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = log2(S0).

        v_log_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_log_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = log2(S0), within 1 ulp.

        v_log_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_log_legacy_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = log2(S0), the older unit's.

        v_log_legacy_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_lshl_add_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 << S1[4:0]) + S2.

        v_lshl_add_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_lshl_add_u64(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 << S1[2:0]) + S2.

        v_lshl_add_u64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_lshl_or_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 << S1[4:0]) | S2.

        v_lshl_or_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_lshlrev_b16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S1 << S0[3:0].

        v_lshlrev_b16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_lshlrev_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S1 << S0[4:0].

        v_lshlrev_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_lshlrev_b64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = S1 << S0[5:0].

        v_lshlrev_b64 vdst: v[2], src0: s[1]|v[1]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_lshrrev_b16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S1 >> S0[3:0].

        v_lshrrev_b16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_lshrrev_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S1 >> S0[4:0].

        v_lshrrev_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_lshrrev_b64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = S1 >> S0[5:0].

        v_lshrrev_b64 vdst: v[2], src0: s[1]|v[1]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_mac_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2cF32Bf16]) -> Instruction:
        """D = S0 * S1 + D, rounded twice.

        v_mac_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp]
        """

    def v_mad_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivFixupF16]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded twice.

        v_mad_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = low 16 bits of S0 * S1 + S2.

        v_mad_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_i32_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = S0[15:0] * S1[15:0] + S2.

        v_mad_i32_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_i32_i24(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S0[23:0] * S1[23:0] + S2, signed.

        v_mad_i32_i24 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_i64_i32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S0 * S1 + S2; mask = bit 64 of the sum.

        v_mad_i64_i32 vdst: v[2], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_mad_legacy_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded twice.

        v_mad_legacy_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_legacy_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = low 16 bits of S0 * S1 + S2.

        v_mad_legacy_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_legacy_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = low 16 bits of S0 * S1 + S2.

        v_mad_legacy_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = low 16 bits of S0 * S1 + S2.

        v_mad_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_u32_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = S0[15:0] * S1[15:0] + S2.

        v_mad_u32_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_u32_u24(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S0[23:0] * S1[23:0] + S2.

        v_mad_u32_u24 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mad_u64_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S0 * S1 + S2; mask = carry out.

        v_mad_u64_u32 vdst: v[2], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_madak_f16(
        self, vdst: Register, src0: Value, src1: Register, k: Value, /, **mods: Unpack[Common]
    ) -> Instruction:
        """D = S0 * S1 + K, rounded twice.

        v_madak_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: v[1], k: literal
        """

    def v_madmk_f16(
        self, vdst: Register, src0: Value, k: Value, src1: Register, /, **mods: Unpack[Common]
    ) -> Instruction:
        """D = S0 * K + S1, rounded twice.

        v_madmk_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, k: literal, src1: v[1]
        """

    def v_max3_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivFixupF16]
    ) -> Instruction:
        """D = max(S0, S1, S2).

        v_max3_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_max3_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = max(S0, S1, S2).

        v_max3_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_max3_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = max(S0, S1, S2).

        v_max3_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_max3_i32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = max(S0, S1, S2).

        v_max3_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_max3_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = max(S0, S1, S2).

        v_max3_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_max3_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = max(S0, S1, S2).

        v_max3_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_max_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = max(S0, S1); a NaN loses to a number.

        v_max_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_max_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = max(S0, S1); a NaN loses to a number.

        v_max_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_max_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = max(S0, S1).

        v_max_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_max_i16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = max(S0, S1).

        v_max_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_max_i32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = max(S0, S1).

        v_max_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_max_u16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = max(S0, S1).

        v_max_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_max_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = max(S0, S1).

        v_max_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_maximum3_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = max(S0, S1, S2), NaN when any is NaN.

        v_maximum3_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_mbcnt_hi_u32_b32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = ones of S0 below this lane (lanes 32 to 63), plus S1.

        v_mbcnt_hi_u32_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_mbcnt_lo_u32_b32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = ones of S0 below this lane (lanes 0 to 31), plus S1.

        v_mbcnt_lo_u32_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_med3_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivFixupF16]
    ) -> Instruction:
        """D = the middle one of S0, S1, S2.

        v_med3_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_med3_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = the middle one of S0, S1, S2.

        v_med3_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_med3_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = the middle one of S0, S1, S2.

        v_med3_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_med3_i32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = the middle one of S0, S1, S2.

        v_med3_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_med3_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = the middle one of S0, S1, S2.

        v_med3_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_med3_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = the middle one of S0, S1, S2.

        v_med3_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mfma_f32_16x16x128_f8f6f4(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x128F8f6f4]
    ) -> Instruction:
        """D = A * B + C, 16x16x128, f8f6f4 by f8f6f4 into f32.

        v_mfma_f32_16x16x128_f8f6f4 vdst: v[4]|a[4], src0: v[8]|a[8] (6 or 4 by cbsz), src1: v[8]|a[8] (6 or 4 by blgp),
            src2: v[4]|a[4]|const (gfx950)
        """

    def v_mfma_f32_16x16x16_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x16, bf16 by bf16 into f32.

        v_mfma_f32_16x16x16_bf16 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x16_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x16, f16 by f16 into f32.

        v_mfma_f32_16x16x16_f16 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x1_4b_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x1, 4 blocks, f32 by f32 into f32.

        v_mfma_f32_16x16x1_4b_f32 vdst: v[16]|a[16], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_16x16x32_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, bf16 by bf16 into f32.

        v_mfma_f32_16x16x32_bf16 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[4]|a[4], src2: v[4]|a[4]|const (gfx950)
        """

    def v_mfma_f32_16x16x32_bf8_bf8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, bf8 by bf8 into f32.

        v_mfma_f32_16x16x32_bf8_bf8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x32_bf8_fp8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, bf8 by fp8 into f32.

        v_mfma_f32_16x16x32_bf8_fp8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x32_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, f16 by f16 into f32.

        v_mfma_f32_16x16x32_f16 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[4]|a[4], src2: v[4]|a[4]|const (gfx950)
        """

    def v_mfma_f32_16x16x32_fp8_bf8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, fp8 by bf8 into f32.

        v_mfma_f32_16x16x32_fp8_bf8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x32_fp8_fp8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, fp8 by fp8 into f32.

        v_mfma_f32_16x16x32_fp8_fp8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x4_4b_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x4, 4 blocks, bf16 by bf16 into f32.

        v_mfma_f32_16x16x4_4b_bf16 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_16x16x4_4b_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x4, 4 blocks, f16 by f16 into f32.

        v_mfma_f32_16x16x4_4b_f16 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_16x16x4_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x4, f32 by f32 into f32.

        v_mfma_f32_16x16x4_f32 vdst: v[4]|a[4], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_16x16x8_xf32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x8, xf32 by xf32 into f32.

        v_mfma_f32_16x16x8_xf32 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const (gfx942)
        """

    def v_mfma_f32_32x32x16_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, bf16 by bf16 into f32.

        v_mfma_f32_32x32x16_bf16 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[4]|a[4], src2: v[16]|a[16]|const (gfx950)
        """

    def v_mfma_f32_32x32x16_bf8_bf8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, bf8 by bf8 into f32.

        v_mfma_f32_32x32x16_bf8_bf8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_32x32x16_bf8_fp8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, bf8 by fp8 into f32.

        v_mfma_f32_32x32x16_bf8_fp8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_32x32x16_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, f16 by f16 into f32.

        v_mfma_f32_32x32x16_f16 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[4]|a[4], src2: v[16]|a[16]|const (gfx950)
        """

    def v_mfma_f32_32x32x16_fp8_bf8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, fp8 by bf8 into f32.

        v_mfma_f32_32x32x16_fp8_bf8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_32x32x16_fp8_fp8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, fp8 by fp8 into f32.

        v_mfma_f32_32x32x16_fp8_fp8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_32x32x1_2b_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x1, 2 blocks, f32 by f32 into f32.

        v_mfma_f32_32x32x1_2b_f32 vdst: v[32]|a[32], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[32]|a[32]|const
        """

    def v_mfma_f32_32x32x2_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x2, f32 by f32 into f32.

        v_mfma_f32_32x32x2_f32 vdst: v[16]|a[16], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_32x32x4_2b_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x4, 2 blocks, bf16 by bf16 into f32.

        v_mfma_f32_32x32x4_2b_bf16 vdst: v[32]|a[32], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[32]|a[32]|const
        """

    def v_mfma_f32_32x32x4_2b_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x4, 2 blocks, f16 by f16 into f32.

        v_mfma_f32_32x32x4_2b_f16 vdst: v[32]|a[32], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[32]|a[32]|const
        """

    def v_mfma_f32_32x32x4_xf32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x4, xf32 by xf32 into f32.

        v_mfma_f32_32x32x4_xf32 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const (gfx942)
        """

    def v_mfma_f32_32x32x64_f8f6f4(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x128F8f6f4]
    ) -> Instruction:
        """D = A * B + C, 32x32x64, f8f6f4 by f8f6f4 into f32.

        v_mfma_f32_32x32x64_f8f6f4 vdst: v[16]|a[16], src0: v[8]|a[8] (6 or 4 by cbsz), src1: v[8]|a[8] (6 or 4 by
            blgp), src2: v[16]|a[16]|const (gfx950)
        """

    def v_mfma_f32_32x32x8_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x8, bf16 by bf16 into f32.

        v_mfma_f32_32x32x8_bf16 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_32x32x8_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x8, f16 by f16 into f32.

        v_mfma_f32_32x32x8_f16 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_f32_4x4x1_16b_f32(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 4x4x1, 16 blocks, f32 by f32 into f32.

        v_mfma_f32_4x4x1_16b_f32 vdst: v[4]|a[4], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_4x4x4_16b_bf16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 4x4x4, 16 blocks, bf16 by bf16 into f32.

        v_mfma_f32_4x4x4_16b_bf16 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f32_4x4x4_16b_f16(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 4x4x4, 16 blocks, f16 by f16 into f32.

        v_mfma_f32_4x4x4_16b_f16 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_f64_16x16x4_f64(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x4, f64 by f64 into f64.

        v_mfma_f64_16x16x4_f64 vdst: v[8]|a[8], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[8]|a[8]|const
        """

    def v_mfma_f64_4x4x4_4b_f64(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 4x4x4, 4 blocks, f64 by f64 into f64.

        v_mfma_f64_4x4x4_4b_f64 vdst: v[2]|a[2], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[2]|a[2]|const
        """

    def v_mfma_i32_16x16x32_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x32, i8 by i8 into i32.

        v_mfma_i32_16x16x32_i8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[4]|a[4]|const
        """

    def v_mfma_i32_16x16x4_4b_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x4, 4 blocks, i8 by i8 into i32.

        v_mfma_i32_16x16x4_4b_i8 vdst: v[16]|a[16], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[16]|a[16]|const
        """

    def v_mfma_i32_16x16x64_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 16x16x64, i8 by i8 into i32.

        v_mfma_i32_16x16x64_i8 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[4]|a[4], src2: v[4]|a[4]|const (gfx950)
        """

    def v_mfma_i32_32x32x16_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x16, i8 by i8 into i32.

        v_mfma_i32_32x32x16_i8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[2]|a[2], src2: v[16]|a[16]|const
        """

    def v_mfma_i32_32x32x32_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x32, i8 by i8 into i32.

        v_mfma_i32_32x32x32_i8 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[4]|a[4], src2: v[16]|a[16]|const (gfx950)
        """

    def v_mfma_i32_32x32x4_2b_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 32x32x4, 2 blocks, i8 by i8 into i32.

        v_mfma_i32_32x32x4_2b_i8 vdst: v[32]|a[32], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[32]|a[32]|const
        """

    def v_mfma_i32_4x4x4_16b_i8(
        self, vdst: Register, src0: Register, src1: Register, src2: Value, /, **mods: Unpack[VMfmaF3216x16x16Bf16]
    ) -> Instruction:
        """D = A * B + C, 4x4x4, 16 blocks, i8 by i8 into i32.

        v_mfma_i32_4x4x4_16b_i8 vdst: v[4]|a[4], src0: v[1]|a[1], src1: v[1]|a[1], src2: v[4]|a[4]|const
        """

    def v_mfma_ld_scale_b32(self, src0: Value, src1: Value, /, **mods: Unpack[VMfmaLdScaleB32]) -> Instruction:
        """Scales of A and B for the scaled matrix instruction behind it (the first half of its 16 bytes, alone).

        v_mfma_ld_scale_b32 src0: s[1]|v[1]|const, src1: s[1]|v[1]|const (gfx950)
        """

    def v_mfma_scale_f32_16x16x128_f8f6f4(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Value,
        scale0: Register,
        scale1: Register,
        /,
        **mods: Unpack[VMfmaScaleF3216x16x128F8f6f4],
    ) -> Instruction:
        """D = A * B + C, 16x16x128, f8f6f4 by f8f6f4 into f32.

        v_mfma_scale_f32_16x16x128_f8f6f4 vdst: v[4]|a[4], src0: v[8]|a[8] (6 or 4 by cbsz), src1: v[8]|a[8] (6 or 4 by
            blgp), src2: v[4]|a[4]|const, scale0: v[1], scale1: v[1] (gfx950)
        """

    def v_mfma_scale_f32_32x32x64_f8f6f4(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Value,
        scale0: Register,
        scale1: Register,
        /,
        **mods: Unpack[VMfmaScaleF3216x16x128F8f6f4],
    ) -> Instruction:
        """D = A * B + C, 32x32x64, f8f6f4 by f8f6f4 into f32.

        v_mfma_scale_f32_32x32x64_f8f6f4 vdst: v[16]|a[16], src0: v[8]|a[8] (6 or 4 by cbsz), src1: v[8]|a[8] (6 or 4 by
            blgp), src2: v[16]|a[16]|const, scale0: v[1], scale1: v[1] (gfx950)
        """

    def v_min3_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDivFixupF16]
    ) -> Instruction:
        """D = min(S0, S1, S2).

        v_min3_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_min3_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = min(S0, S1, S2).

        v_min3_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_min3_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = min(S0, S1, S2).

        v_min3_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_min3_i32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = min(S0, S1, S2).

        v_min3_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_min3_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI16]
    ) -> Instruction:
        """D = min(S0, S1, S2).

        v_min3_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_min3_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = min(S0, S1, S2).

        v_min3_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_min_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = min(S0, S1); a NaN loses to a number.

        v_min_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_min_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = min(S0, S1); a NaN loses to a number.

        v_min_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_min_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = min(S0, S1).

        v_min_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_min_i16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = min(S0, S1).

        v_min_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_min_i32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = min(S0, S1).

        v_min_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_min_u16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = min(S0, S1).

        v_min_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_min_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = min(S0, S1).

        v_min_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_minimum3_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddF64]
    ) -> Instruction:
        """D = min(S0, S1, S2), NaN when any is NaN.

        v_minimum3_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_mov_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = S0.

        v_mov_b32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mov_b64(self, vdst: Register, src0: Value, /, **mods: Unpack[VMovB64]) -> Instruction:
        """D = S0.

        v_mov_b64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_mqsad_pk_u16_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + masked byte SADs with S1, 16 bits each, for the four windows of S0 that start at bytes 0 to 3.

        v_mqsad_pk_u16_u8 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_mqsad_u32_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Register, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + masked byte SADs with S1, 32 bits each, for the four windows of S0 that start at bytes 0 to 3.

        v_mqsad_u32_u8 vdst: v[4], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal, src2: v[4]
        """

    def v_msad_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + sum of |S0 - S1| over bytes where S1 is not 0.

        v_msad_u8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_mul_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 * S1.

        v_mul_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mul_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 * S1.

        v_mul_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mul_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = S0 * S1.

        v_mul_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_mul_hi_i32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = high dword of S0 * S1, signed.

        v_mul_hi_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_mul_hi_i32_i24(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = high dword of S0[23:0] * S1[23:0], signed.

        v_mul_hi_i32_i24 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mul_hi_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = high dword of S0 * S1, unsigned.

        v_mul_hi_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_mul_hi_u32_u24(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = high dword of S0[23:0] * S1[23:0].

        v_mul_hi_u32_u24 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mul_i32_i24(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S0[23:0] * S1[23:0], signed.

        v_mul_i32_i24 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mul_legacy_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = S0 * S1, 0 when either is 0.

        v_mul_legacy_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_mul_lo_u16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = low 16 bits of S0 * S1.

        v_mul_lo_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_mul_lo_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D = low dword of S0 * S1.

        v_mul_lo_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_mul_u32_u24(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S0[23:0] * S1[23:0].

        v_mul_u32_u24 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_nop(self, **mods: Unpack[VMovB64]) -> Instruction:
        """Do nothing.

        v_nop
        """

    def v_not_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = ~S0.

        v_not_b32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_or3_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = S0 | S1 | S2.

        v_or3_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_or_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S0 | S1.

        v_or_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_pack_b32_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VCvtPknormI16F16]
    ) -> Instruction:
        """D = {S1, S0}, 16 bits each.

        v_pack_b32_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_perm_b32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = four bytes picked from {S0, S1} by the bytes of S2.

        v_perm_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_permlane16_swap_b32(
        self, vdst: Register, src0: Register, /, **mods: Unpack[VPermlane16SwapB32]
    ) -> Instruction:
        """Odd rows of 16 lanes of D change places with the even rows of S0.

        v_permlane16_swap_b32 vdst: v[1], src0: v[1] [e32 e64] (gfx950)
        """

    def v_permlane32_swap_b32(
        self, vdst: Register, src0: Register, /, **mods: Unpack[VPermlane16SwapB32]
    ) -> Instruction:
        """Odd rows of 32 lanes of D change places with the even rows of S0.

        v_permlane32_swap_b32 vdst: v[1], src0: v[1] [e32 e64] (gfx950)
        """

    def v_pk_add_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 + S1, both elements.

        v_pk_add_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_add_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 + S1, both elements.

        v_pk_add_f32 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_pk_add_i16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 + S1, both elements.

        v_pk_add_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_add_u16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 + S1, both elements.

        v_pk_add_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_ashrrev_i16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S1 >> S0[3:0] with sign, both elements.

        v_pk_ashrrev_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_fma_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded once, both elements.

        v_pk_fma_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_pk_fma_f32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1 + S2, rounded once, both elements.

        v_pk_fma_f32 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_pk_fmac_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 * S1 + D in both halves, rounded once.

        v_pk_fmac_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_pk_lshlrev_b16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S1 << S0[3:0], both elements.

        v_pk_lshlrev_b16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_lshrrev_b16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S1 >> S0[3:0], both elements.

        v_pk_lshrrev_b16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_mad_i16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1 + S2, both elements.

        v_pk_mad_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_pk_mad_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1 + S2, both elements.

        v_pk_mad_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_pk_max_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = max(S0, S1), both elements.

        v_pk_max_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_max_i16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = max(S0, S1), both elements.

        v_pk_max_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_max_u16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = max(S0, S1), both elements.

        v_pk_max_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_maximum3_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = max(S0, S1, S2), NaN when any is NaN, both elements.

        v_pk_maximum3_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_pk_min_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = min(S0, S1), both elements.

        v_pk_min_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_min_i16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = min(S0, S1), both elements.

        v_pk_min_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_min_u16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = min(S0, S1), both elements.

        v_pk_min_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_minimum3_f16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = min(S0, S1, S2), NaN when any is NaN, both elements.

        v_pk_minimum3_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal (gfx950)
        """

    def v_pk_mov_b32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = {S1's dword op_sel[1], S0's dword op_sel[0]}.

        v_pk_mov_b32 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_pk_mul_f16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1, both elements.

        v_pk_mul_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_mul_f32(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 * S1, both elements.

        v_pk_mul_f32 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[2]|v[2]|const|literal
        """

    def v_pk_mul_lo_u16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = low 16 bits of S0 * S1, both elements.

        v_pk_mul_lo_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_sub_i16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 - S1, both elements.

        v_pk_sub_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_pk_sub_u16(
        self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VDot2F32Bf16]
    ) -> Instruction:
        """D = S0 - S1, both elements.

        v_pk_sub_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_prng_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = (S0 << 1) ^ (S0[31] ? 197 : 0).

        v_prng_b32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa] (gfx950)
        """

    def v_qsad_pk_u16_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + byte SADs with S1, 16 bits each, for the four windows of S0 that start at bytes 0 to 3.

        v_qsad_pk_u16_u8 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[2]|v[2]|const|literal
        """

    def v_rcp_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 1 / S0.

        v_rcp_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_rcp_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 1 / S0, within 1 ulp.

        v_rcp_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_rcp_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = 1 / S0; the chip's own result is an approximation, to be refined.

        v_rcp_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_rcp_iflag_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 1 / S0, for integer division (raises integer division by zero only).

        v_rcp_iflag_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_readfirstlane_b32(self, sdst: Register, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D = S0 of the first active lane (lane 0 when none).

        v_readfirstlane_b32 sdst: s[1], src0: v[1]
        """

    def v_readlane_b32(
        self, sdst: Register, src0: Register, src1: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = S0 of lane S1[5:0], active or not.

        v_readlane_b32 sdst: s[1], src0: v[1], src1: s[1]|const
        """

    def v_rndne_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded to the nearest integer, ties to even.

        v_rndne_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_rndne_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded to the nearest integer, ties to even.

        v_rndne_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_rndne_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 rounded to the nearest integer, ties to even.

        v_rndne_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_rsq_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 1 / sqrt(S0).

        v_rsq_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_rsq_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = 1 / sqrt(S0), within 1 ulp.

        v_rsq_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_rsq_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = 1 / sqrt(S0); the chip's own result is an approximation, to be refined.

        v_rsq_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_sad_hi_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + (sum of |S0 - S1| over bytes << 16).

        v_sad_hi_u8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_sad_u16(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + sum of |S0 - S1| over 16-bit halves.

        v_sad_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_sad_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + |S0 - S1|, unsigned.

        v_sad_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_sad_u8(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAddI32]
    ) -> Instruction:
        """D = S2 + sum of |S0 - S1| over bytes.

        v_sad_u8 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2: s[1]|v[1]|const|literal
        """

    def v_sat_pk_u8_i16(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = {S0[31:16], S0[15:0]} saturated to u8.

        v_sat_pk_u8_i16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_screen_partition_4se_b32(self, vdst: Register, src0: Value, /, **mods: Unpack[VBfrevB32]) -> Instruction:
        """D = shader engine masks of the pixel S0 (graphics).

        v_screen_partition_4se_b32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sin_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = sin(2 * pi * S0), S0 within 256 turns.

        v_sin_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sin_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = sin(2 * pi * S0), S0 within 256 turns, within 1 ulp.

        v_sin_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_smfmac_f32_16x16x128_bf8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x128, bf8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x128_bf8_bf8 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_16x16x128_bf8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x128, bf8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x128_bf8_fp8 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_16x16x128_fp8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x128, fp8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x128_fp8_bf8 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_16x16x128_fp8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x128, fp8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x128_fp8_fp8 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_16x16x32_bf16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x32, bf16 by bf16 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x32_bf16 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_16x16x32_f16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x32, f16 by f16 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x32_f16 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_16x16x64_bf16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, bf16 by bf16 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x64_bf16 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_16x16x64_bf8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, bf8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x64_bf8_bf8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_16x16x64_bf8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, bf8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x64_bf8_fp8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_16x16x64_f16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, f16 by f16 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x64_f16 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_16x16x64_fp8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, fp8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x64_fp8_bf8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_16x16x64_fp8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, fp8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_16x16x64_fp8_fp8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x16_bf16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x16, bf16 by bf16 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x16_bf16 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x16_f16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x16, f16 by f16 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x16_f16 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x32_bf16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, bf16 by bf16 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x32_bf16 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_32x32x32_bf8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, bf8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x32_bf8_bf8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x32_bf8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, bf8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x32_bf8_fp8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x32_f16(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, f16 by f16 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x32_f16 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_32x32x32_fp8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, fp8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x32_fp8_bf8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x32_fp8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, fp8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x32_fp8_fp8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_f32_32x32x64_bf8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x64, bf8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x64_bf8_bf8 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_32x32x64_bf8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x64, bf8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x64_bf8_fp8 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_32x32x64_fp8_bf8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x64, fp8 by bf8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x64_fp8_bf8 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_f32_32x32x64_fp8_fp8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x64, fp8 by fp8 into f32, A 4:2 sparse.

        v_smfmac_f32_32x32x64_fp8_fp8 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_i32_16x16x128_i8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x128, i8 by i8 into i32, A 4:2 sparse.

        v_smfmac_i32_16x16x128_i8 vdst: v[4]|a[4], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_smfmac_i32_16x16x64_i8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 16x16x64, i8 by i8 into i32, A 4:2 sparse.

        v_smfmac_i32_16x16x64_i8 vdst: v[4]|a[4], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_i32_32x32x32_i8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x32, i8 by i8 into i32, A 4:2 sparse.

        v_smfmac_i32_32x32x32_i8 vdst: v[16]|a[16], src0: v[2]|a[2], src1: v[4]|a[4], src2: v[1]
        """

    def v_smfmac_i32_32x32x64_i8(
        self,
        vdst: Register,
        src0: Register,
        src1: Register,
        src2: Register,
        /,
        **mods: Unpack[VSmfmacF3216x16x128Bf8Bf8],
    ) -> Instruction:
        """D = A * B + C, 32x32x64, i8 by i8 into i32, A 4:2 sparse.

        v_smfmac_i32_32x32x64_i8 vdst: v[16]|a[16], src0: v[4]|a[4], src1: v[8]|a[8], src2: v[1] (gfx950)
        """

    def v_sqrt_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = sqrt(S0).

        v_sqrt_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sqrt_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = sqrt(S0), within 1 ulp.

        v_sqrt_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sqrt_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = sqrt(S0); the chip's own result is an approximation, to be refined.

        v_sqrt_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_sub_co_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]
    ) -> Instruction:
        """D = S0 - S1; borrow to VCC (or the SGPR pair).

        v_sub_co_u32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp
            sdwa]
        """

    def v_sub_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 - S1.

        v_sub_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sub_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S0 - S1.

        v_sub_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sub_i16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddI16]) -> Instruction:
        """D = S0 - S1.

        v_sub_i16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_sub_i32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddI32]) -> Instruction:
        """D = S0 - S1.

        v_sub_i32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_sub_u16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S0 - S1.

        v_sub_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_sub_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S0 - S1.

        v_sub_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_subb_co_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Register, /, **mods: Unpack[VAddCoU32]
    ) -> Instruction:
        """D = S0 - S1 - borrow in; borrow to VCC (or the SGPR pair).

        v_subb_co_u32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2: s[2]
            [e32 e64 dpp sdwa]
        """

    def v_subbrev_co_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, src2: Register, /, **mods: Unpack[VAddCoU32]
    ) -> Instruction:
        """D = S1 - S0 - borrow in; borrow to VCC (or the SGPR pair).

        v_subbrev_co_u32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[2] [e32 e64 dpp sdwa]
        """

    def v_subrev_co_u32(
        self, vdst: Register, sdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]
    ) -> Instruction:
        """D = S1 - S0; borrow to VCC (or the SGPR pair).

        v_subrev_co_u32 vdst: v[1], sdst: s[2], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64
            dpp sdwa]
        """

    def v_subrev_f16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S1 - S0.

        v_subrev_f16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_subrev_f32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF16]) -> Instruction:
        """D = S1 - S0.

        v_subrev_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_subrev_u16(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S1 - S0.

        v_subrev_u16 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_subrev_u32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddCoU32]) -> Instruction:
        """D = S1 - S0.

        v_subrev_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_swap_b32(self, vdst: Register, src0: Register, /, **mods: Unpack[Common]) -> Instruction:
        """D and S0 change places.

        v_swap_b32 vdst: v[1], src0: v[1]
        """

    def v_trig_preop_f64(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAddF64]) -> Instruction:
        """D = segment S1[4:0] of 2/pi for the size of S0.

        v_trig_preop_f64 vdst: v[2], src0: s[2]|v[2]|const|literal, src1: s[1]|v[1]|const|literal
        """

    def v_trunc_f16(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded towards zero.

        v_trunc_f16 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_trunc_f32(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF16]) -> Instruction:
        """D = S0 rounded towards zero.

        v_trunc_f32 vdst: v[1], src0: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_trunc_f64(self, vdst: Register, src0: Value, /, **mods: Unpack[VCeilF64]) -> Instruction:
        """D = S0 rounded towards zero.

        v_trunc_f64 vdst: v[2], src0: s[2]|v[2]|const|literal [e32 e64 dpp]
        """

    def v_writelane_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAdd3U32]) -> Instruction:
        """D of lane S1[5:0] = S0, active or not.

        v_writelane_b32 vdst: v[1], src0: s[1]|const, src1: s[1]|const
        """

    def v_xad_u32(
        self, vdst: Register, src0: Value, src1: Value, src2: Value, /, **mods: Unpack[VAdd3U32]
    ) -> Instruction:
        """D = (S0 ^ S1) + S2.

        v_xad_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal, src2:
            s[1]|v[1]|const|literal
        """

    def v_xnor_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = ~(S0 ^ S1).

        v_xnor_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

    def v_xor_b32(self, vdst: Register, src0: Value, src1: Value, /, **mods: Unpack[VAndB32]) -> Instruction:
        """D = S0 ^ S1.

        v_xor_b32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal [e32 e64 dpp sdwa]
        """

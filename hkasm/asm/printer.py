"""Assembly text of instructions, as llvm-objdump prints it and llvm-mc accepts it."""

from __future__ import annotations

from collections.abc import Callable

from hkasm.asm.instruction import Instruction, Label, OperandValue
from hkasm.isa.constants import Const
from hkasm.isa.counters import unpack_waitcnt
from hkasm.isa.formats import FORMATS
from hkasm.isa.registers import Register
from hkasm.isa.spec import Operand

_SEL = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
HWREGS = {
    1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID", 5: "HW_REG_GPR_ALLOC",
    6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS", 15: "HW_REG_SH_MEM_BASES", 16: "HW_REG_TBA_LO", 17: "HW_REG_TBA_HI",
    18: "HW_REG_TMA_LO", 19: "HW_REG_TMA_HI", 20: "HW_REG_XCC_ID", 21: "HW_REG_SQ_PERF_SNAPSHOT_DATA",
    22: "HW_REG_SQ_PERF_SNAPSHOT_DATA1", 23: "HW_REG_SQ_PERF_SNAPSHOT_PC_LO", 24: "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
}  # fmt: skip


def instruction_text(inst: Instruction) -> str:
    """Mnemonic with its encoding suffix, operands, modifiers: ``v_add_f32_e64 v0, -v1, |v2| clamp``."""
    fmt = FORMATS[inst.encoding.format]
    spec = inst.spec
    name = spec.mnemonic + (fmt.suffix if spec.has_suffix else "")
    custom = _CUSTOM.get(fmt.name)
    operands = custom(inst) if custom else _operands(inst)
    if spec.key == "s_waitcnt":
        operands = [waitcnt_text(_number(inst.operands[0]))]
    text = f"{name} {', '.join(operands)}" if operands else name
    mods = _MODS.get(fmt.name)
    if mods is not None:
        text += "".join(f" {word}" for word in mods(inst))
    return text


def waitcnt_text(simm16: int) -> str:
    """``vmcnt(0) lgkmcnt(0)``: fields below their maximum, or all when none is."""
    counts = unpack_waitcnt(simm16)
    fields = [("vmcnt", counts.vmcnt, 63), ("expcnt", counts.expcnt, 7), ("lgkmcnt", counts.lgkmcnt, 15)]
    shown = [(name, value) for name, value, top in fields if value != top] or [(name, value) for name, value, _ in fields]
    return " ".join(f"{name}({value})" for name, value in shown)


def _number(value: OperandValue) -> int:
    return value if isinstance(value, int) else 0


def operand_text(operand: Operand, value: OperandValue) -> str:
    if value is None:
        return "off"
    if isinstance(value, Register):
        return value.text
    if isinstance(value, Const):
        return value.text(operand.type)
    if isinstance(value, Label):
        return value.name
    if operand.name == "imm32" or operand.type == "imm16" and operand.access == "r" and operand.files == "ix":
        return hex(value & 0xFFFFFFFF)
    return str(value)


def _operands(inst: Instruction) -> list[str]:
    texts = []
    neg = inst.mods.get("neg", 0) if inst.encoding.format in ("VOP3", "VOP3B", "VOP3S") else 0
    absolute = inst.mods.get("abs", 0)
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        text = operand_text(operand, value)
        if operand.name in _SOURCE_INDEX:
            index = _SOURCE_INDEX[operand.name]
            text = _modified(inst, text, operand.name, bool(neg >> index & 1), bool(absolute >> index & 1))
        texts.append(text)
    return texts


_SOURCE_INDEX = {"src0": 0, "src1": 1, "src2": 2}


def _modified(inst: Instruction, text: str, name: str, neg: bool, absolute: bool) -> str:
    neg = neg or bool(inst.mods.get(f"{name}_neg"))
    if inst.mods.get(f"{name}_sext"):
        text = f"sext({text})"
    if absolute or inst.mods.get(f"{name}_abs"):
        text = f"|{text}|"
    return f"-{text}" if neg else text


def _smem_operands(inst: Instruction) -> list[str]:
    texts = []
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        if operand.name == "soffset":
            texts.append(value.text if isinstance(value, Register) else hex_signed(inst.mods.get("offset", 0)))
        else:
            texts.append(operand_text(operand, value))
    return texts


def hex_signed(value: int) -> str:
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"


def _sopk_operands(inst: Instruction) -> list[str]:
    texts = []
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        if operand.name == "simm16" and isinstance(value, int):
            texts.append(hwreg_text(value) if "hwreg" in inst.spec.flags else hex(value & 0xFFFF))
        elif operand.name == "imm32" and isinstance(value, int):
            texts.append(hex(value & 0xFFFFFFFF))
        else:
            texts.append(operand_text(operand, value))
    return texts


def hwreg_text(simm16: int) -> str:
    """``hwreg(HW_REG_MODE, 4, 2)``: register, offset, width; the whole register is written alone."""
    number, offset, width = simm16 & 0x3F, simm16 >> 6 & 0x1F, (simm16 >> 11 & 0x1F) + 1
    name = HWREGS.get(number, str(number))
    return f"hwreg({name})" if (offset, width) == (0, 32) else f"hwreg({name}, {offset}, {width})"


def _bit_list(value: int, count: int) -> str:
    return "[" + ",".join(str(value >> i & 1) for i in range(count)) + "]"


def _source_count(inst: Instruction) -> int:
    return sum(op.name in _SOURCE_INDEX for op in inst.spec.explicit)


def _vop3_mods(inst: Instruction) -> list[str]:
    words = []
    op_sel = inst.mods.get("op_sel", 0)
    if op_sel:
        count = _source_count(inst)
        shown = (op_sel & ((1 << count) - 1)) | (op_sel >> 3 & 1) << count
        words.append(f"op_sel:{_bit_list(shown, count + 1)}")
    if inst.mods.get("bitop3"):
        words.append(f"bitop3:{inst.mods['bitop3']:#x}")
    if inst.mods.get("clamp"):
        words.append("clamp")
    words += _omod(inst)
    return words


def _omod(inst: Instruction) -> list[str]:
    omod = inst.mods.get("omod", 0)
    return [("", "mul:2", "mul:4", "div:2")[omod]] if omod else []


def _vop3p_mods(inst: Instruction) -> list[str]:
    words = []
    count = _source_count(inst)
    full = (1 << count) - 1
    mixed = "mix" in inst.spec.flags
    op_sel, op_sel_hi = inst.mods.get("op_sel", 0), inst.mods.get("op_sel_hi", 0 if mixed else full)
    if op_sel & full:
        words.append(f"op_sel:{_bit_list(op_sel, count)}")
    if op_sel_hi & full != (0 if mixed else full):
        words.append(f"op_sel_hi:{_bit_list(op_sel_hi, count)}")
    for name in ("neg_lo", "neg_hi"):
        if inst.mods.get(name):
            words.append(f"{name}:{_bit_list(inst.mods[name], count)}")
    if inst.mods.get("clamp"):
        words.append("clamp")
    return words


def _mai_mods(inst: Instruction) -> list[str]:
    words = []
    if inst.encoding.format == "MAIX":
        for name, default in (("op_sel", 0), ("op_sel_hi", 0)):
            value = inst.mods.get(name, default)
            if value or name == "op_sel_hi":
                words.append(f"{name}:{_bit_list(value, 2)}")
    f64 = inst.spec.mfma is not None and inst.spec.mfma.a == "f64"
    for name in ("cbsz", "abid", "blgp"):
        value = inst.mods.get(name, 0)
        if value and not (f64 and name == "blgp"):
            words.append(f"{name}:{value}")
    if f64 and inst.mods.get("blgp"):
        words.append(f"neg:{_bit_list(inst.mods['blgp'], 3)}")
    return words


def _ds_mods(inst: Instruction) -> list[str]:
    words = [f"{name}:{inst.mods[name]}" for name in ("offset", "offset0", "offset1") if inst.mods.get(name)]
    return words + (["gds"] if inst.mods.get("gds") else [])


def _cache_words(inst: Instruction) -> list[str]:
    return [name for name in ("sc0", "nt", "sc1") if inst.mods.get(name)]


def _mubuf_mods(inst: Instruction) -> list[str]:
    words = [name for name in ("idxen", "offen") if inst.mods.get(name)]
    if inst.mods.get("offset"):
        words.append(f"offset:{inst.mods['offset']}")
    return words + _cache_words(inst) + (["lds"] if inst.mods.get("lds") else [])


def _flat_mods(inst: Instruction) -> list[str]:
    words = [f"offset:{inst.mods['offset']}"] if inst.mods.get("offset") else []
    return words + _cache_words(inst)


def _smem_mods(inst: Instruction) -> list[str]:
    words = []
    if any(op.name == "soffset" for op in inst.spec.explicit) and isinstance(inst.operand("soffset"), Register) and "offset" in inst.mods:
        words.append(f"offset:{hex_signed(inst.mods['offset'])}")
    return words + (["glc"] if inst.mods.get("glc") else [])


def _dpp_mods(inst: Instruction) -> list[str]:
    mods = inst.mods
    words = [dpp_text(mods.get("dpp_ctrl", 0xE4)), f"row_mask:{mods.get('row_mask', 15):#x}", f"bank_mask:{mods.get('bank_mask', 15):#x}"]
    return words + (["bound_ctrl:1"] if mods.get("bound_ctrl") else [])


def dpp_text(ctrl: int) -> str:
    """``quad_perm:[1,0,3,2]``, ``row_shr:1``, ``row_bcast:15`` ... for a dpp_ctrl value."""
    if ctrl < 0x100:
        return f"quad_perm:[{','.join(str(ctrl >> 2 * i & 3) for i in range(4))}]"
    for base, name in ((0x100, "row_shl"), (0x110, "row_shr"), (0x120, "row_ror"), (0x150, "row_newbcast")):
        if base <= ctrl < base + 16 and (ctrl > base or base == 0x150):
            return f"{name}:{ctrl - base}"
    named = {
        0x130: "wave_shl:1", 0x134: "wave_rol:1", 0x138: "wave_shr:1", 0x13C: "wave_ror:1", 0x140: "row_mirror",
        0x141: "row_half_mirror", 0x142: "row_bcast:15", 0x143: "row_bcast:31",
    }  # fmt: skip
    return named.get(ctrl, f"dpp_ctrl:{ctrl:#x}")


def _sdwa_mods(inst: Instruction) -> list[str]:
    mods, words = inst.mods, []
    if mods.get("clamp"):
        words.append("clamp")
    words += _omod(inst)
    names = {op.name for op in inst.spec.explicit}
    if "vdst" in names:
        words += [f"dst_sel:{_SEL[mods.get('dst_sel', 6)]}", f"dst_unused:{_UNUSED[mods.get('dst_unused', 0)]}"]
    words += [f"{name}_sel:{_SEL[mods.get(f'{name}_sel', 6)]}" for name in ("src0", "src1") if name in names]
    return words


Mods = Callable[[Instruction], list[str]]
_MODS: dict[str, Mods] = {
    "VOP3": _vop3_mods, "VOP3T": _vop3_mods, "VOP3S": _vop3_mods, "VOP3B": _vop3_mods, "VOP3P": _vop3p_mods, "MAI": _mai_mods, "MAIX": _mai_mods,
    "DS": _ds_mods, "MUBUF": _mubuf_mods, "FLAT": _flat_mods, "GLOBAL": _flat_mods, "SCRATCH": _flat_mods, "SMEM": _smem_mods,
    "VOP1_DPP": _dpp_mods, "VOP2_DPP": _dpp_mods, "VOPC_DPP": _dpp_mods, "VOP1_SDWA": _sdwa_mods, "VOP2_SDWA": _sdwa_mods,
    "VOPC_SDWA": _sdwa_mods,
}  # fmt: skip
_CUSTOM: dict[str, Mods] = {"SMEM": _smem_operands, "SOPK": _sopk_operands, "SOPKL": _sopk_operands}

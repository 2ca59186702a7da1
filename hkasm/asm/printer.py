"""Assembly text of instructions, as llvm-objdump prints it and llvm-mc accepts it."""

from __future__ import annotations

from collections.abc import Callable

from hkasm.asm.instruction import Instruction, Label, OperandValue
from hkasm.asm.memory_text import MEMORY_WORDS, scalar_address
from hkasm.isa.constants import Const
from hkasm.isa.counters import unpack_waitcnt
from hkasm.isa.formats import FORMATS
from hkasm.isa.hwregs import hwreg_text
from hkasm.isa.messages import message_text
from hkasm.isa.modifiers import source_count
from hkasm.isa.registers import Register
from hkasm.isa.spec import Operand

_SEL = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
_GPR_INDEX = ("SRC0", "SRC1", "SRC2", "DST")


def instruction_text(inst: Instruction) -> str:
    """Mnemonic with its encoding suffix, operands, modifiers: ``v_add_f32_e64 v0, -v1, |v2| clamp``."""
    fmt = FORMATS[inst.encoding.format]
    spec = inst.spec
    name = spec.mnemonic + (fmt.suffix if spec.has_suffix else "")
    operands = _OPERANDS.get(fmt.name, _operands)(inst)
    text = f"{name} {', '.join(operands)}" if operands else name
    mods = _MODS.get(fmt.name)
    if mods is not None:
        text += "".join(f" {word}" for word in mods(inst))
    return text


def waitcnt_text(simm16: int) -> str:
    """``vmcnt(0) lgkmcnt(0)``: fields below their maximum, or all when none is."""
    counts = unpack_waitcnt(simm16)
    fields = [("vmcnt", counts.vmcnt, 63), ("expcnt", counts.expcnt, 7), ("lgkmcnt", counts.lgkmcnt, 15)]
    shown = [(name, value) for name, value, top in fields if value != top] or [
        (name, value) for name, value, _ in fields
    ]
    return " ".join(f"{name}({value})" for name, value in shown)


def _number(value: OperandValue) -> int:
    return value if isinstance(value, int) else 0


def operand_text(operand: Operand, value: OperandValue) -> str:
    if value is None:
        return "off"
    if isinstance(value, Register):
        return value.text
    if isinstance(value, Const):
        if operand.name == "k":
            return hex(value.literal)
        return value.text(operand.type)
    if isinstance(value, Label):
        return value.name
    return number_text(value, 32)


def _operands(inst: Instruction) -> list[str]:
    return [operand_text(operand, value) for operand, value in zip(inst.spec.explicit, inst.operands, strict=True)]


def _matrix_operands(inst: Instruction) -> list[str]:
    """C may be one constant for all elements, written in their type."""
    texts = _operands(inst)
    mfma = inst.spec.mfma
    value = inst.operands[-1]
    if mfma is not None and mfma.a == "f64" and isinstance(value, Const):
        texts[-1] = value.text("f64")
    return texts


_SOURCE_INDEX = {"src0": 0, "src1": 1, "src2": 2}


def _vector_operands(inst: Instruction) -> list[str]:
    """Sources carry neg, abs and sext; mixed-precision forms keep neg and abs in the bits of neg_lo and neg_hi."""
    mods = inst.mods
    mixed = "mix" in inst.spec.flags
    neg, absolute = mods.get("neg_lo" if mixed else "neg", 0), mods.get("neg_hi" if mixed else "abs", 0)
    if not (neg or absolute or inst.encoding.format.endswith(_SIGNED_BY_NAME)):
        return _operands(inst)
    texts = []
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        text = operand_text(operand, value)
        index = _SOURCE_INDEX.get(operand.name)
        if index is not None:
            is_neg = bool(neg >> index & 1 or mods.get(f"{operand.name}_neg"))
            is_abs = bool(absolute >> index & 1 or mods.get(f"{operand.name}_abs"))
            if mods.get(f"{operand.name}_sext"):
                text = f"sext({text})"
            text = _signed(text, is_neg, is_abs, isinstance(value, Const))
        texts.append(text)
    return texts


_SIGNED_BY_NAME = ("_DPP", "_SDWA")


def _signed(text: str, neg: bool, absolute: bool, constant: bool) -> str:
    """``-v1``, ``|v1|``, ``-|v1|``; a constant is ``neg(1)``, for ``-1`` would be another constant."""
    if absolute:
        text = f"|{text}|"
    elif neg and constant:
        return f"neg({text})"
    return f"-{text}" if neg else text


def _smem_operands(inst: Instruction) -> list[str]:
    return [
        scalar_address(inst) if operand.name == "soffset" else operand_text(operand, value)
        for operand, value in zip(inst.spec.explicit, inst.operands, strict=True)
    ]


def _sopk_operands(inst: Instruction) -> list[str]:
    texts = []
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        if operand.name == "simm16" and isinstance(value, int):
            named = hwreg_text(value) if "hwreg" in inst.spec.flags else hex(value & 0xFFFF)
            texts.append(str(value) if operand.type == "label" else named)
        elif operand.name == "imm32" and isinstance(value, int):
            texts.append(_inline_text(value & 0xFFFF_FFFF))
        else:
            texts.append(operand_text(operand, value))
    return texts


def _inline_text(value: int) -> str:
    """Text of a dword as llvm-objdump writes it where it could be an inline constant: ``-1.0``, ``64``, ``0x41``."""
    const = Const.of(value, "b32")
    return hex(value) if const.is_literal else const.text("b32")


def number_text(value: int, width: int) -> str:
    """Decimal where the number could be an inline constant of this width (-16 to 64), else hexadecimal."""
    signed = value - (1 << width) if value >> (width - 1) & 1 else value
    return str(signed) if -16 <= signed <= 64 else hex(value)


def _sopp_operands(inst: Instruction) -> list[str]:
    if not inst.operands:
        return []
    (value,) = inst.operands
    if not isinstance(value, int):
        return [str(value)]
    flags = inst.spec.flags
    if inst.spec.key == "s_waitcnt":
        return [waitcnt_text(value)]
    if "message" in flags:
        return [message_text(value)]
    if inst.spec.explicit[0].name == "kinds":
        return [gpr_index_text(value)]
    if "optional" in flags:
        return [str(value)] if value else []
    return [str(value) if inst.spec.explicit[0].type == "label" else number_text(value, 32)]


def _indexed_operands(inst: Instruction) -> list[str]:
    source, kinds = zip(inst.spec.explicit, inst.operands, strict=True)
    return [operand_text(*source), gpr_index_text(_number(kinds[1]))]


def gpr_index_text(kinds: int) -> str:
    """``gpr_idx(SRC0,DST)``: which operands of vector instructions are indexed."""
    if kinds >> len(_GPR_INDEX):
        return hex(kinds)
    return f"gpr_idx({','.join(name for place, name in enumerate(_GPR_INDEX) if kinds >> place & 1)})"


def _bit_list(value: int, count: int) -> str:
    return "[" + ",".join(str(value >> i & 1) for i in range(count)) + "]"


def _vop3_mods(inst: Instruction) -> list[str]:
    words = []
    if inst.mods.get("bitop3"):
        table = inst.mods["bitop3"]
        words.append(f"bitop3:{table}" if table <= 10 else f"bitop3:{table:#x}")
    op_sel = inst.mods.get("op_sel", 0)
    if op_sel:
        # The sources' bits, then the destination's; where a byte of the destination is selected, both of its bits.
        count = source_count(inst.spec) + ("byte_sel" in inst.spec.flags)
        shown = (op_sel & ((1 << count) - 1)) | (op_sel >> 3 & 1) << count
        words.append(f"op_sel:{_bit_list(shown, count + 1)}")
    if inst.mods.get("clamp"):
        words.append("clamp")
    words += _omod(inst)
    return words + [f"{name}:1" for name in ("bound_ctrl", "fi") if inst.mods.get(name)]


def _omod(inst: Instruction) -> list[str]:
    omod = inst.mods.get("omod", 0)
    return [("", "mul:2", "mul:4", "div:2")[omod]] if omod else []


def _vop3p_mods(inst: Instruction) -> list[str]:
    words = []
    count = source_count(inst.spec)
    full = (1 << count) - 1
    mixed = "mix" in inst.spec.flags
    op_sel, op_sel_hi = inst.mods.get("op_sel", 0), inst.mods.get("op_sel_hi", 0 if mixed else full)
    if op_sel & full:
        words.append(f"op_sel:{_bit_list(op_sel, count)}")
    if op_sel_hi & full != (0 if mixed else full):
        words.append(f"op_sel_hi:{_bit_list(op_sel_hi, count)}")
    signs = () if mixed else ("neg_lo", "neg_hi")
    words += [f"{name}:{_bit_list(inst.mods[name], count)}" for name in signs if inst.mods.get(name)]
    if inst.mods.get("clamp"):
        words.append("clamp")
    return words


def _scale_mods(inst: Instruction) -> list[str]:
    op_sel, op_sel_hi = inst.mods.get("op_sel", 0), inst.mods["op_sel_hi"]
    words = [f"op_sel:{_bit_list(op_sel, 2)}"] if op_sel else []
    return [*words, f"op_sel_hi:{_bit_list(op_sel_hi, 2)}"] if op_sel_hi != 3 else words


def _mai_mods(inst: Instruction) -> list[str]:
    words = []
    if inst.encoding.format == "MAIX":
        if inst.mods.get("op_sel"):
            words.append(f"op_sel:{_bit_list(inst.mods['op_sel'], 3)}")
        words.append(f"op_sel_hi:{_bit_list(inst.mods.get('op_sel_hi', 0), 3)}")
    f64 = inst.spec.mfma is not None and inst.spec.mfma.a == "f64"
    for name in ("cbsz", "abid", "blgp"):
        value = inst.mods.get(name, 0)
        if value and not (f64 and name == "blgp"):
            words.append(f"{name}:{value}")
    if f64 and inst.mods.get("blgp"):
        words.append(f"neg:{_bit_list(inst.mods['blgp'], 3)}")
    return words


def _dpp_mods(inst: Instruction) -> list[str]:
    mods = inst.mods
    words = [
        dpp_text(mods.get("dpp_ctrl", 0xE4)),
        f"row_mask:{mods.get('row_mask', 15):#x}",
        f"bank_mask:{mods.get('bank_mask', 15):#x}",
    ]
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
    if "dst_sel" in mods:
        words += [f"dst_sel:{_SEL[mods['dst_sel']]}", f"dst_unused:{_UNUSED[mods.get('dst_unused', 0)]}"]
    return words + [f"{name}:{_SEL[mods[name]]}" for name in ("src0_sel", "src1_sel") if name in mods]


Words = Callable[[Instruction], list[str]]
_MODS: dict[str, Words] = {
    **dict.fromkeys(("VOP3", "VOP3B", "VOP3L", "VOP3S", "VOP3T"), _vop3_mods),
    "VOP3P": _vop3p_mods, "MAI": _mai_mods, "MAIX": _mai_mods, "SMFMAC": _mai_mods, "MAILD": _scale_mods,
    **MEMORY_WORDS,
    **dict.fromkeys(("VOP1_DPP", "VOP2_DPP"), _dpp_mods),
    **dict.fromkeys(("VOP1_SDWA", "VOP1_SDWA8", "VOP2_SDWA", "VOPC_SDWA"), _sdwa_mods),
}  # fmt: skip
_OPERANDS: dict[str, Words] = {
    "SMEM": _smem_operands, "SMEM_PROBE": _smem_operands, "SOPK": _sopk_operands, "SOPKL": _sopk_operands,
    "SOPP": _sopp_operands, "SOPCI": _indexed_operands, "MAI": _matrix_operands,
    **dict.fromkeys(("VOP3", "VOP3B", "VOP3S", "VOP3P", "VOP1_DPP", "VOP2_DPP"), _vector_operands),
    **dict.fromkeys(("VOP1_SDWA", "VOP1_SDWA8", "VOP2_SDWA", "VOPC_SDWA"), _vector_operands),
}  # fmt: skip

_TAIL_OF_OPERANDS = frozenset(("SMEM", "SMEM_PROBE"))
"""Formats whose words behind the operands depend on the operands."""


class Printer:
    """Writes the text of many instructions; what several share (names, registers, modifiers) is written once."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[str, Words | None, Words | None]] = {}
        self._registers: dict[int, str] = {}
        self._tails: dict[tuple[int, int], str] = {}

    def text(self, inst: Instruction) -> str:
        """Return the same as `instruction_text`; the instruction must live as long as the printer."""
        name, operands, tail = self._names.get(id(inst.encoding)) or self._name(inst)
        if operands is None or (operands is _vector_operands and not inst.mods):
            known = self._registers
            words: list[str] = []
            for value in inst.operands:
                word = known.get(id(value))
                if word is None:
                    word = operand_text(inst.spec.explicit[len(words)], value)
                    if isinstance(value, Register):
                        known[id(value)] = word
                words.append(word)
        else:
            words = operands(inst)
        text = f"{name} {', '.join(words)}" if words else name
        return text + self._tail(inst, tail) if tail is not None else text

    def _name(self, inst: Instruction) -> tuple[str, Words | None, Words | None]:
        fmt = FORMATS[inst.encoding.format]
        name = inst.spec.mnemonic + (fmt.suffix if inst.spec.has_suffix else "")
        found = self._names[id(inst.encoding)] = name, _OPERANDS.get(fmt.name), _MODS.get(fmt.name)
        return found

    def _tail(self, inst: Instruction, words: Words) -> str:
        key = id(inst.encoding), id(inst.mods)
        found = self._tails.get(key)
        if found is None:
            found = "".join(f" {word}" for word in words(inst))
            if inst.encoding.format not in _TAIL_OF_OPERANDS:
                self._tails[key] = found
        return found

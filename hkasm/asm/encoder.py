"""Machine code from instructions, by the bit fields of `hkasm.isa.formats`."""

from __future__ import annotations

from hkasm.asm.instruction import Instruction, Label, OperandValue
from hkasm.errors import EncodingError
from hkasm.isa.constants import Const
from hkasm.isa.formats import FORMATS, Format, OperandField, bits_width
from hkasm.isa.modifiers import source_count
from hkasm.isa.registers import VCC, Register
from hkasm.isa.spec import Operand

OFF_SADDR = 0x7F


def instruction_size(inst: Instruction) -> int:
    """Bytes that the instruction takes, its literal included."""
    fmt = FORMATS[inst.encoding.format]
    if fmt.literal and any(isinstance(value, Const) and value.is_literal for value in inst.operands):
        return fmt.size + 4
    return fmt.size


def encode_instruction(inst: Instruction, arch: str, branch_target: int | None = None) -> bytes:
    """Encode one instruction; `branch_target` is the byte offset that a label operand stands for.

    Raises:
        EncodingError: the arch lacks the encoding, a number does not fit its field, or a branch is out of range.
    """
    fmt = FORMATS[inst.encoding.format]
    opcode = inst.encoding.opcode(arch)
    if opcode is None:
        raise EncodingError(f"{inst.mnemonic} does not exist on {arch}", where=inst.origin)
    word = fmt.match_value | fmt.implied | opcode << fmt.opcode[1]
    literal: int | None = None
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        place = fmt.operands.get(operand.name)
        if place is None:
            continue
        if fmt.literal and isinstance(value, Const) and value.is_literal and place.coding in ("src9", "src8"):
            literal = value.literal
        word |= _operand_bits(inst, operand, place, value, branch_target)
    for name, number in inst.mods.items():
        word |= _mod_bits(inst, fmt, name, number)
    word |= _implied_bits(inst, fmt)
    data = word.to_bytes(fmt.size, "little")
    return data if literal is None else data + literal.to_bytes(4, "little")


def _operand_bits(
    inst: Instruction, operand: Operand, place: OperandField, value: OperandValue, branch_target: int | None
) -> int:
    low = place.bits[1]
    if operand.name == "soffset" and place.coding == "sdst7" and "offset" not in inst.mods:
        low = 32  # SMEM without an immediate keeps the SGPR's number in the offset field
    limit = 1 << bits_width(place.bits)
    if isinstance(value, Register):
        return _register_bits(inst, operand, place, value, low)
    if value is None:
        return (OFF_SADDR if place.coding == "saddr7" else 0) << low
    if isinstance(value, Const):
        if place.coding == "imm":
            return value.bits("b32") << low
        if place.coding == "sdwa8" and place.acc is not None:
            return value.code << low | 1 << place.acc
        if place.coding not in ("src9", "src8"):
            raise EncodingError(f"{inst.mnemonic}: {operand.name} takes no constant", where=inst.origin)
        return value.code << low
    if isinstance(value, Label):
        if branch_target is None:
            raise EncodingError(f"{inst.mnemonic}: label {value} has no place in the program", where=inst.origin)
        distance = (branch_target - inst.offset - 4) // 4
        if not -0x8000 <= distance <= 0x7FFF:
            raise EncodingError(
                f"{inst.mnemonic}: {value} is {distance} dwords away, the branch reaches 32767", where=inst.origin
            )
        return (distance & 0xFFFF) << low
    if not -(limit >> 1) <= value < limit:
        raise EncodingError(
            f"{inst.mnemonic}: {operand.name}={value} does not fit {limit.bit_length() - 1} bits", where=inst.origin
        )
    return (value & (limit - 1)) << low


def _register_bits(inst: Instruction, operand: Operand, place: OperandField, register: Register, low: int) -> int:
    number, acc = register.index, 0
    match place.coding:
        case "src9":
            if register.file != "s":
                number += 256
        case "agpr8":
            return number << low
        case "agpr9":
            return (number + 256) << low
        case "pair6":
            number >>= 1
        case "quad5":
            number >>= 2
        case "sdst7" if place.acc is not None and register == VCC:
            return 0
        case "sdwa8" | "sdst7" if place.acc is not None and register.file == "s":
            acc = 1 << place.acc
        case _:
            pass
    if register.file == "a":
        if place.acc is None:
            raise EncodingError(f"{inst.mnemonic}: {operand.name} cannot be an AGPR", where=inst.origin)
        acc = 1 << place.acc
    return number << low | acc


def _mod_bits(inst: Instruction, fmt: Format, name: str, number: int) -> int:
    if name not in fmt.mods:
        raise EncodingError(f"{inst.mnemonic} has no {name} in its {fmt.name} form", where=inst.origin)
    limit = 1 << fmt.mod_width(name)
    low, high = (-limit // 2, limit // 2) if name in fmt.signed_mods else (0, limit)
    if not low <= number < high:
        raise EncodingError(f"{inst.mnemonic}: {name}:{number} is out of range", where=inst.origin)
    return fmt.put_mod(name, number & (limit - 1))


def _implied_bits(inst: Instruction, fmt: Format) -> int:
    """Bits that no operand or modifier holds: defaults of packed math, SMEM's address mode, scaled MFMA, SDWA."""
    spec = inst.spec
    if fmt.name == "VOP3P":
        if "mix" in spec.flags:
            return 0
        absent = 7 & -1 << source_count(spec)
        return fmt.put_mod("op_sel_hi", absent if "op_sel_hi" in inst.mods else 7)
    if fmt.name in ("SMEM", "SMEM_PROBE"):
        if not any(op.name == "sbase" for op in spec.explicit):
            return 0
        if inst.operand("soffset") is None:
            return 1 << fmt.mods["imm"][1]
        if "offset" in inst.mods:
            return 1 << fmt.mods["soffset_en"][1] | 1 << fmt.mods["imm"][1]
        return 0
    if fmt.name == "SCRATCH" and inst.operand("vaddr") is not None:
        return 1 << fmt.mods["sve"][1]
    if fmt.name == "FLAT":
        return OFF_SADDR << fmt.operands["saddr"].bits[1] if "flat_saddr_off" in spec.flags else 0
    return 0

"""Instructions from machine code, by the same bit fields that encode them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import hkasm.isa
from hkasm.asm.instruction import Instruction, OperandValue, Origin
from hkasm.errors import DecodeError
from hkasm.isa.constants import LITERAL, Const
from hkasm.isa.formats import FORMATS, Bits, Format, OperandField, bits_width, get_bits
from hkasm.isa.registers import EXECZ, M0, SCC, VCC, VCCZ, Register
from hkasm.isa.spec import Encoding, InstSpec, Operand

Candidate = tuple[InstSpec, Encoding, Format]


@dataclass(frozen=True, slots=True)
class _Group:
    """Formats that share their fixed bits; the opcode field tells the instructions apart."""

    mask: int
    value: int
    opcode: Bits
    table: dict[int, list[Candidate]]


@lru_cache(maxsize=None)
def _groups(arch: str) -> tuple[_Group, ...]:
    found: dict[tuple[int, int, Bits], dict[int, list[Candidate]]] = {}
    for spec in hkasm.isa.SPECS.values():
        for encoding in spec.encodings:
            opcode = encoding.opcode(arch)
            if opcode is None:
                continue
            fmt = FORMATS[encoding.format]
            table = found.setdefault((fmt.match_mask, fmt.match_value, fmt.opcode), {})
            table.setdefault(opcode, []).append((spec, encoding, fmt))
    groups = [_Group(mask, value, opcode, table) for (mask, value, opcode), table in found.items()]
    return tuple(sorted(groups, key=lambda group: -group.mask.bit_count()))


def decode_instruction(arch: str, code: bytes, offset: int = 0, origin: Origin | None = None) -> Instruction:
    """Decode the instruction at `offset`.

    Raises:
        DecodeError: the bytes end too early or are no instruction of the arch.
    """
    window = code[offset : offset + 16]
    if len(window) < 4:
        raise DecodeError(f"code ends inside an instruction at {offset:#x}", where=origin)
    word = int.from_bytes(window, "little")
    for group in _groups(arch):
        if word & group.mask != group.value:
            continue
        for spec, encoding, fmt in group.table.get(get_bits(word, group.opcode), ()):
            if not _variant_matches(spec, fmt, word):
                continue
            inst = _decode_fields(spec, encoding, fmt, word, len(window))
            if inst is not None:
                inst.offset, inst.origin = offset, origin
                return inst
    raise DecodeError(f"no {arch} instruction has the encoding {word & 0xFFFFFFFF:#010x} (at offset {offset:#x})", where=origin)


def decode_stream(arch: str, code: bytes) -> Iterator[Instruction]:
    """Decode from the first byte to the last, one instruction after the other."""
    offset = 0
    while offset < len(code):
        inst = decode_instruction(arch, code, offset)
        yield inst
        offset += inst.size


def _variant_matches(spec: InstSpec, fmt: Format, word: int) -> bool:
    memory = spec.memory
    if memory is None:
        return True
    if "lds" in fmt.mods and memory.to_lds != bool(get_bits(word, fmt.mods["lds"])):
        return False
    if memory.op == "atomic" and "sc0" in fmt.mods:
        return memory.returns == bool(get_bits(word, fmt.mods["sc0"]))
    if memory.op == "atomic" and "glc" in fmt.mods:
        return memory.returns == bool(get_bits(word, fmt.mods["glc"]))
    return True


def _decode_fields(spec: InstSpec, encoding: Encoding, fmt: Format, word: int, available: int) -> Instruction | None:
    size = fmt.size
    literal = 0
    if fmt.literal and any(
        place.coding in ("src9", "src8") and get_bits(word, place.bits) == LITERAL
        for name, place in fmt.operands.items()
        if any(op.name == name for op in spec.explicit)
    ):
        literal = word >> 8 * size & 0xFFFFFFFF
        size += 4
    if size > available:
        return None
    mods = _decode_mods(spec, fmt, word)
    operands: list[OperandValue] = []
    for operand in spec.explicit:
        place = fmt.operands.get(operand.name)
        operands.append(VCC if place is None else _operand_value(spec, fmt, operand, place, word, literal, mods))
    if fmt.name in ("SMEM", "SMEM_PROBE"):
        _fix_smem(spec, fmt, word, operands, mods)
    return Instruction(spec, encoding, tuple(operands), mods, size=size)


def _decode_mods(spec: InstSpec, fmt: Format, word: int) -> dict[str, int]:
    mods: dict[str, int] = {}
    paired = spec.memory is not None and spec.memory.pair
    unused_ds_offsets = ("offset",) if paired else ("offset0", "offset1")
    for name, bits in fmt.mods.items():
        if name in _HIDDEN_MODS or (fmt.name == "DS" and name in unused_ds_offsets):
            continue
        number = fmt.get_mod(name, word)
        if name in fmt.signed_mods and number >> (bits[0] - bits[1]):
            number -= 1 << bits_width(bits)
        if name == "op_sel_hi" and fmt.name == "VOP3P":
            sources = sum(op.name.startswith("src") for op in spec.explicit)
            if number & ((1 << sources) - 1) != (1 << sources) - 1:
                mods[name] = number
            continue
        if number or name in _ALWAYS.get(fmt.name, ()):
            mods[name] = number
    return mods


_HIDDEN_MODS = frozenset({"imm", "soffset_en", "nv", "scaled", "sve"})
_ALWAYS = {
    "VOP1_DPP": ("dpp_ctrl", "row_mask", "bank_mask"), "VOP2_DPP": ("dpp_ctrl", "row_mask", "bank_mask"),
    "VOPC_DPP": ("dpp_ctrl", "row_mask", "bank_mask"), "VOP1_SDWA": ("dst_sel", "src0_sel"),
    "VOP2_SDWA": ("dst_sel", "src0_sel", "src1_sel"), "VOPC_SDWA": ("src0_sel", "src1_sel"),
}  # fmt: skip


def _operand_value(
    spec: InstSpec, fmt: Format, operand: Operand, place: OperandField, word: int, literal: int, mods: dict[str, int]
) -> OperandValue:
    number = get_bits(word, place.bits)
    acc = place.acc is not None and word >> place.acc & 1
    count = operand_dwords(spec, fmt, operand, word, mods)
    match place.coding:
        case "src9":
            if number >= 256:
                file = "a" if acc else "v"
                return Register(file, number - 256, count)
            return scalar_source(number, count, literal)
        case "src8":
            return scalar_source(number, count, literal)
        case "sdwa8":
            return scalar_source(number, count, literal) if acc else Register("v", number, count)
        case "sdst7":
            if place.acc is not None and not acc:
                return VCC
            return Register("s", number, count)
        case "vgpr8":
            if operand.name == "vaddr" and _address_is_off(fmt, word):
                return None
            return Register("a" if acc else "v", number, count)
        case "agpr8" | "agpr9":
            return Register("a", number & 0xFF, count)
        case "pair6":
            return Register("s", number * 2, count)
        case "quad5":
            return Register("s", number * 4, count)
        case "saddr7":
            return None if number == 0x7F else Register("s", number, count)
        case _:
            if "k" == operand.name:
                return Const(LITERAL, number)
            return number


def _address_is_off(fmt: Format, word: int) -> bool:
    if fmt.name in ("MUBUF", "MTBUF"):
        return not (get_bits(word, fmt.mods["offen"]) or get_bits(word, fmt.mods["idxen"]))
    return fmt.name == "SCRATCH" and not get_bits(word, fmt.mods["sve"])


def operand_dwords(spec: InstSpec, fmt: Format, operand: Operand, word: int, mods: dict[str, int]) -> int:
    """Registers of an operand in this very instruction: addresses depend on modes, f8f6f4 operands on formats."""
    if operand.name == "vaddr":
        if fmt.name in ("MUBUF", "MTBUF"):
            return 2 if mods.get("offen") and mods.get("idxen") else 1
        if fmt.name == "GLOBAL":
            return 2 if get_bits(word, fmt.operands["saddr"].bits) == 0x7F else 1
        return 1 if fmt.name == "SCRATCH" else 2
    if operand.name == "saddr":
        return 1 if fmt.name == "SCRATCH" else 2
    if "f8f6f4" in spec.flags and operand.name in ("src0", "src1"):
        return F8F6F4_DWORDS[mods.get("cbsz" if operand.name == "src0" else "blgp", 0)]
    return operand.dwords


F8F6F4_DWORDS = {0: 8, 1: 8, 2: 6, 3: 6, 4: 4}


def scalar_source(code: int, count: int, literal: int) -> OperandValue:
    """Value of an 8-bit scalar source code: a register, a special, a constant or the literal."""
    if 128 <= code <= 208 or 240 <= code <= 248:
        return Const(code)
    if code == LITERAL:
        return Const(LITERAL, literal)
    if code in (VCCZ.index, EXECZ.index, SCC.index, M0.index):
        return Register("s", code)
    return Register("s", code, count)


def _fix_smem(spec: InstSpec, fmt: Format, word: int, operands: list[OperandValue], mods: dict[str, int]) -> None:
    """SMEM has three address forms: immediate, SGPR in the offset field, SGPR with an immediate."""
    for index, operand in enumerate(spec.explicit):
        if operand.name != "soffset":
            continue
        if get_bits(word, fmt.mods["soffset_en"]):
            if not get_bits(word, fmt.mods["imm"]):
                mods.pop("offset", None)
            else:
                mods.setdefault("offset", 0)
        elif get_bits(word, fmt.mods["imm"]):
            operands[index] = None
        else:
            operands[index] = Register("s", get_bits(word, (38, 32)))
            mods.pop("offset", None)


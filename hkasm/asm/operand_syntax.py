"""Operands and modifiers read from text: the inverse of the printer, and other spellings that LLVM takes."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Final

from hkasm.asm.expressions import SymbolTable, parse_number
from hkasm.asm.instruction import Label
from hkasm.asm.line_syntax import split_commas
from hkasm.asm.memory_text import parse_buffer_format, parse_swizzle
from hkasm.asm.operands import RawOperand
from hkasm.errors import OperandError, did_you_mean
from hkasm.isa.arch import Arch
from hkasm.isa.constants import HALF_INTEGERS, INLINE_FLOATS, LITERAL, TYPE_BITS, Const
from hkasm.isa.counters import counter_max, pack_waitcnt
from hkasm.isa.formats import MTBUF_DEFAULT_FORMAT
from hkasm.isa.hwregs import hwreg
from hkasm.isa.messages import sendmsg
from hkasm.isa.registers import TTMP_FIRST, TTMP_LAST, Register, special_register
from hkasm.isa.spec import InstSpec, Operand

__all__ = ["Source", "join_format", "read_modifier", "read_operand", "read_waitcnt"]

_REGISTER: Final = re.compile(r"(v|s|acc|a|ttmp)(?:(\d+)|\[\s*([^:\]]+?)\s*(?::\s*([^:\]]+?)\s*)?\])")
_FLOAT: Final = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_.$][\w.$]*")
_CALL: Final = re.compile(r"([a-z_]+)\(\s*(.*?)\s*\)", re.DOTALL)
_FILE_SIZES: Final = {"v": 256, "a": 256, "s": 102, "ttmp": TTMP_LAST - TTMP_FIRST + 1}
_FIRST_VALUE, _FIRST_FLAG = 235, 251  # src_shared_base and the like have 64 bits, src_vccz and the like one
_COUNTERS: Final = ("vmcnt", "expcnt", "lgkmcnt")
_GPR_INDEX: Final = ("SRC0", "SRC1", "SRC2", "DST")


@dataclass(frozen=True, slots=True)
class Source:
    """An operand as written: its value, and the modifiers round it."""

    value: RawOperand
    neg: bool = False
    absolute: bool = False
    sext: bool = False


def read_operand(spec: InstSpec, operand: Operand, text: str, symbols: SymbolTable) -> Source:
    """Read one operand.

    Raises:
        OperandError: text that is none. UsageError: a symbol that is not set.
    """
    neg = absolute = sext = False
    body = text.strip()
    while True:
        call = _CALL.fullmatch(body)
        if call and call[1] in ("neg", "abs", "sext"):
            neg, absolute, sext = neg or call[1] == "neg", absolute or call[1] == "abs", sext or call[1] == "sext"
            body = call[2]
        elif len(body) > 2 and body[0] == body[-1] == "|":
            absolute, body = True, body[1:-1].strip()
        elif body.startswith("-") and re.match(r"-\s*[A-Za-z|\[]", body):
            neg, body = True, body[1:].strip()
        else:
            break
    return Source(_read_value(spec, operand, body, symbols), neg, absolute, sext)


def _read_value(spec: InstSpec, operand: Operand, text: str, symbols: SymbolTable) -> RawOperand:
    register = _read_register(text, symbols)
    if register is not None:
        if register.file == "s" and register.index >= _FIRST_VALUE:
            return Register("s", register.index, min(operand.dwords, 2) if register.index < _FIRST_FLAG else 1)
        return register
    if text == "off":
        return None
    if operand.type == "label" and _IDENTIFIER.fullmatch(text):
        return symbols.evaluate(text) if text in symbols else Label(text)
    call = _CALL.fullmatch(text)
    if call:
        special = _read_call(spec, operand, call[1], call[2], symbols)
        if special is not None:
            return special
    if _FLOAT.fullmatch(text) and parse_number(text) is None:
        if operand.name == "imm32":
            return int(struct.unpack("<I", struct.pack("<f", float(text)))[0])
        return _checked_float(spec, operand, float(text))
    if "hwreg" in spec.flags and text.startswith("{") and text.endswith("}"):
        return _read_hwreg_fields(text[1:-1], symbols)
    value = parse_number(text)
    if value is None:
        value = symbols.evaluate(text)
    if 1 << 63 <= value < 1 << 64:
        value -= 1 << 64  # expressions are signed 64-bit numbers
    if operand.type == "f64" and "l" in operand.files and not -16 <= value <= 64 and 0 <= value < 1 << 32:
        # A whole number for a 64-bit float is its high half.
        return Const.of(struct.unpack("<d", (value << 32).to_bytes(8, "little"))[0], "f64")
    return value


def _read_hwreg_fields(inside: str, symbols: SymbolTable) -> int:
    """Read ``{id: 1, offset: 0, size: 4}``, each part with hwreg(...)'s default."""
    fields: dict[str, int] = {}
    for part in split_commas(inside):
        name, _, text = (piece.strip() for piece in part.partition(":"))
        if name not in ("id", "offset", "size") or name in fields:
            what = "is written twice" if name in fields else "is no field of a hardware register"
            raise OperandError(f"{name!r} {what}", hint="fields: id, offset, size")
        fields[name] = symbols.evaluate(text)
    return hwreg(fields.get("id", 0), fields.get("offset", 0), fields.get("size", 32))


def _checked_float(spec: InstSpec, operand: Operand, value: float) -> float | Const:
    if operand.type in HALF_INTEGERS and value in INLINE_FLOATS:
        return Const(INLINE_FLOATS[value])  # as LLVM; a builder writes the literal, which the text stands for
    if operand.type in ("b64", "u64", "i64") and Const.of(value, operand.type).is_literal:
        raise OperandError(
            f"{spec.mnemonic}: operand '{operand.name}' takes no float but the inline ones", form=spec.form
        )
    return value


def _literal_float(spec: InstSpec, operand: Operand, value: float) -> int:
    """Return the dword of ``lit(1.0)``: the high half of a double, else the value's bits in the operand's format."""
    if operand.type == "f64":
        return int.from_bytes(struct.pack("<d", value), "little") >> 32
    if TYPE_BITS[operand.type] != 32 or operand.type.startswith("pk"):
        raise OperandError(f"{spec.mnemonic}: operand '{operand.name}' takes no float in lit()", form=spec.form)
    return int.from_bytes(struct.pack("<f", value), "little")


def _read_call(spec: InstSpec, operand: Operand, name: str, inside: str, symbols: SymbolTable) -> RawOperand | None:
    """Read ``lit(...)``, ``hwreg(...)``, ``sendmsg(...)``, ``gpr_idx(...)``; None when it is a plain function."""
    parts = split_commas(inside)
    if name in ("lit", "lit64"):
        if _FLOAT.fullmatch(inside) and parse_number(inside) is None:
            return Const(LITERAL, _literal_float(spec, operand, float(inside)))
        return Const(LITERAL, symbols.evaluate(inside) & 0xFFFF_FFFF)
    if name == "hwreg":
        first, *rest = parts or [""]
        return hwreg(_name_or_number(first, symbols), *(symbols.evaluate(part) for part in rest))
    if name == "sendmsg":
        if not 1 <= len(parts) <= 3:
            raise OperandError(f"{spec.mnemonic}: sendmsg takes a message, an operation and a stream")
        message, operation, stream = (*parts, "0", "0")[:3]
        return sendmsg(_name_or_number(message, symbols), _name_or_number(operation, symbols), symbols.evaluate(stream))
    if name == "gpr_idx":
        unknown = [part for part in parts if part not in _GPR_INDEX]
        if unknown:
            raise OperandError(
                f"{spec.mnemonic}: unknown operand kind {unknown[0]!r}", hint=f"kinds: {', '.join(_GPR_INDEX)}"
            )
        return sum(1 << _GPR_INDEX.index(part) for part in parts)
    return None


def _name_or_number(text: str, symbols: SymbolTable) -> int | str:
    if _IDENTIFIER.fullmatch(text) and text not in symbols:
        return text
    return symbols.evaluate(text)


def _read_register(text: str, symbols: SymbolTable) -> Register | None:
    match = _REGISTER.fullmatch(text)
    if match:
        file, number, first, last = match.groups()
        file = "a" if file == "acc" else file  # gfx908's name for them
        low = int(number) if number is not None else symbols.evaluate(first)
        high = symbols.evaluate(last) if last is not None else low
        if not 0 <= low <= high < _FILE_SIZES[file]:
            raise OperandError(f"register {text} does not exist", hint=f"{file}0 to {file}{_FILE_SIZES[file] - 1}")
        return (
            Register("s", TTMP_FIRST + low, high - low + 1) if file == "ttmp" else Register(file, low, high - low + 1)
        )
    if text.startswith("["):
        return _read_list(text, symbols)
    return special_register(text) or special_register(f"src_{text}")


def _read_list(text: str, symbols: SymbolTable) -> Register:
    """Read ``[v0,v1,v2]``: registers in a row, one by one."""
    registers = [_read_register(part, symbols) for part in split_commas(text[1:-1])]
    first = registers[0] if registers else None
    if first is None or any(
        register is None or register.file != first.file or register.index != first.index + at or register.count != 1
        for at, register in enumerate(registers)
    ):
        raise OperandError(f"{text} is no list of registers in a row")
    return Register(first.file, first.index, len(registers))


# -- s_waitcnt -------------------------------------------------------------------------------------------------------


def read_waitcnt(arch: Arch, text: str, symbols: SymbolTable) -> int:
    """Read ``vmcnt(0) & lgkmcnt(1)`` or a plain number; counters that are not named wait for nothing.

    Raises:
        OperandError: an unknown counter, one named twice, or a count above its maximum (LLVM cuts it).
    """
    counts: dict[str, int] = {}
    fields = [field for field in re.split(r"[&,\s]+(?![^(]*\))", text.strip()) if field]
    for field in fields:
        call = _CALL.fullmatch(field)
        if call is None:
            return symbols.evaluate(text)
        name, saturates = call[1].removesuffix("_sat"), call[1].endswith("_sat")
        if name not in _COUNTERS:
            raise OperandError(f"s_waitcnt: unknown counter {name!r}", hint=did_you_mean(name, _COUNTERS))
        limit = arch.expcnt_max if name == "expcnt" else counter_max(arch, name)
        count = symbols.evaluate(call[2])
        if name in counts or count < 0 or (count > limit and not saturates):
            raise OperandError(f"s_waitcnt: {name}({count}) is out of range (0 to {limit}), or named twice")
        counts[name] = min(count, limit)
    return pack_waitcnt(arch, counts.get("vmcnt"), counts.get("lgkmcnt"), counts.get("expcnt"))


# -- modifiers -------------------------------------------------------------------------------------------------------

_SELECTIONS: Final = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_UNUSED: Final = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
_FLAGS: Final = frozenset({"offen", "idxen", "lds", "glc", "sc0", "sc1", "nt", "gds", "clamp"})
_CLEAR: Final = {"noglc": "glc", "nosc0": "sc0", "nosc1": "sc1", "nont": "nt"}
_NUMBERS: Final = frozenset({
    "offset", "offset0", "offset1", "format", "cbsz", "abid", "blgp", "row_mask", "bank_mask", "bitop3", "fi",
})  # fmt: skip
_MOST_ENTRIES: Final = 4
_LISTS: Final = frozenset({"op_sel", "op_sel_hi", "neg_lo", "neg_hi", "neg"})
_FORMAT_HALVES: Final = {"dfmt": (15, 0), "nfmt": (7, 4)}
_ROWS: Final = {"row_shl": 0x100, "row_shr": 0x110, "row_ror": 0x120, "row_newbcast": 0x150}
_WAVES: Final = {"wave_shl": 0x130, "wave_rol": 0x134, "wave_shr": 0x138, "wave_ror": 0x13C}
_MIRRORS: Final = {"row_mirror": 0x140, "row_half_mirror": 0x141}
_BROADCASTS: Final = {15: 0x142, 31: 0x143}
_OUTPUT: Final = {("mul", 2): 1, ("mul", 4): 2, ("div", 2): 3}


def read_modifier(name: str, text: str, symbols: SymbolTable) -> dict[str, int]:
    """Read one modifier word; lists become bits, first entry lowest. ``gds`` says nothing and gives nothing.

    Raises:
        OperandError: a value that the modifier cannot have.
    """
    if name in _CLEAR and not text:
        return {_CLEAR[name]: 0}
    if name in _FLAGS:
        if text:
            raise OperandError(f"{name} takes no value, got {text!r}")
        return {} if name == "gds" else {name: 1}
    if name in _MIRRORS and not text:
        return {"dpp_ctrl": _MIRRORS[name]}
    if not text:
        raise OperandError(f"{name} wants a value, like {name}:1")
    if name in _LISTS:
        bits = _list(name, text, symbols)
        if not 1 <= len(bits) <= _MOST_ENTRIES:
            raise OperandError(f"{name}:{text} wants one to {_MOST_ENTRIES} entries")
        if any(bit not in (0, 1) for bit in bits):
            raise OperandError(f"{name}:{text}: entries are 0 or 1")
        return {name: sum(bit << at for at, bit in enumerate(bits))}
    if name.endswith("_sel") or name == "dst_unused":
        return {name: _choice(name, text, _UNUSED if name == "dst_unused" else _SELECTIONS)}
    if name == "quad_perm":
        lanes = _list(name, text, symbols)
        if len(lanes) != 4 or any(not 0 <= lane <= 3 for lane in lanes):
            raise OperandError(f"quad_perm:{text} wants four lanes from 0 to 3")
        return {"dpp_ctrl": sum(lane << 2 * at for at, lane in enumerate(lanes))}
    if name == "offset" and text.startswith("swizzle"):
        return {"offset": parse_swizzle(text)}
    if name == "format" and text.startswith("["):
        return {"format": parse_buffer_format(text)}
    if name in _FORMAT_HALVES:
        value, (limit, _) = symbols.evaluate(text), _FORMAT_HALVES[name]
        if not 0 <= value <= limit:
            raise OperandError(f"{name}:{value} is out of range (0 to {limit})")
        return {name: value}
    return _number(name, symbols.evaluate(text))


def join_format(mods: dict[str, int]) -> None:
    """Turn `dfmt` and `nfmt`, the two halves of a buffer's format, into the field that holds both."""
    if not _FORMAT_HALVES.keys() & mods.keys():
        return
    if "format" in mods:
        raise OperandError("format is written twice", hint="dfmt and nfmt, or format")
    mods["format"] = sum(
        mods.pop(name, MTBUF_DEFAULT_FORMAT >> at & top) << at for name, (top, at) in _FORMAT_HALVES.items()
    )


def _number(name: str, value: int) -> dict[str, int]:
    if name in _NUMBERS:
        return {name: value}
    if name == "bound_ctrl" and value in (0, 1):
        return {"bound_ctrl": 1}  # both are written for the same bit
    if (name, value) in _OUTPUT:
        return {"omod": _OUTPUT[name, value]}
    if name in _ROWS and (0 if name == "row_newbcast" else 1) <= value <= 15:
        return {"dpp_ctrl": _ROWS[name] + value}
    if name in _WAVES and value == 1:
        return {"dpp_ctrl": _WAVES[name]}
    if name == "row_bcast" and value in _BROADCASTS:
        return {"dpp_ctrl": _BROADCASTS[value]}
    raise OperandError(f"{name}:{value} does not exist")


def _list(name: str, text: str, symbols: SymbolTable) -> list[int]:
    if not (text.startswith("[") and text.endswith("]")):
        raise OperandError(f"{name} wants a list, like {name}:[0,1], got {text!r}")
    return [symbols.evaluate(part) for part in split_commas(text[1:-1])]


def _choice(name: str, text: str, choices: tuple[str, ...]) -> int:
    if text not in choices:
        raise OperandError(
            f"{name}:{text} does not exist", hint=did_you_mean(text, choices) or f"one of {', '.join(choices)}"
        )
    return choices.index(text)

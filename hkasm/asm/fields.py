"""Operand fields of machine words: which register or constant a number stands for.

A reader takes the instruction word and the literal behind it and gives the operand's value; it raises `Refused` when no
operand of its class has the number. Scalar tuples drop the low bits of an unaligned number, as LLVM does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from hkasm.asm.instruction import OperandValue
from hkasm.isa.constants import LITERAL, Const
from hkasm.isa.formats import Format, OperandField, bits_width
from hkasm.isa.registers import EXEC, M0, TTMP_FIRST, TTMP_LAST, VCC, Register
from hkasm.isa.spec import InstSpec, Operand

__all__ = ["F8F6F4_DWORDS", "Reader", "Refused", "excluded_scalars", "operand_reader", "scalar_register"]

Reader = Callable[[int, int], OperandValue]

F8F6F4_DWORDS = {0: 8, 1: 8, 2: 6, 3: 6, 4: 4}
"""Registers of an f8f6f4 operand by the format that cbsz or blgp names."""

_LAST_SGPR = 101
_NULL = 125
_PAIRS = frozenset({102, 104, 106, 126})


class Refused(Exception):  # noqa: N818  (not an error: the next plan is tried)
    """A field holds a number that stands for no operand of its class."""


@cache
def register(file: str, index: int, count: int) -> Register:
    """Return a register slice, the same object for the same slice."""
    return Register(file, index, count)


@cache
def scalar_register(code: int, count: int) -> Register:
    """Return the SGPRs, TTMPs or special registers that a 7-bit code starts; raises Refused."""
    aligned = -2 if count == 2 else -4 if count > 2 else -1
    if code <= _LAST_SGPR:
        first = code & aligned
        if first + count <= _LAST_SGPR + 1:
            return register("s", first, count)
    elif TTMP_FIRST <= code <= TTMP_LAST:
        first = TTMP_FIRST + (code - TTMP_FIRST & aligned)
        if first + count <= TTMP_LAST + 1:
            return register("s", first, count)
    elif (count == 1 and code != _NULL) or (count == 2 and code in _PAIRS):
        return register("s", code, count)
    raise Refused


@cache
def _scalar_source(code: int, count: int) -> OperandValue:
    """Return the value of an 8-bit scalar source code other than a literal's; raises Refused."""
    if code < 128:
        return scalar_register(code, count)
    if code <= 208 or 240 <= code <= 248:
        return Const(code)
    if 235 <= code <= 239:
        return register("s", code, min(count, 2))
    if 251 <= code <= 253:
        return register("s", code, 1)
    raise Refused


def excluded_scalars(spec: InstSpec, operand: Operand) -> frozenset[int]:
    """Return the special scalars that this operand cannot be though they are of its file.

    Lanes are not read into M0; scalar memory moves neither M0 nor EXEC; EXEC is no base of a global access (LLVM's
    register classes).
    """
    if operand.name == "sdst" and "lanes" in spec.flags:
        return frozenset({M0.index})
    if operand.name == "sdata":
        return frozenset({M0.index, EXEC.index, EXEC.index + 1})
    if operand.name == "saddr" and spec.memory is not None and spec.memory.space == "scratch":
        return frozenset({EXEC.index + 1})  # its number says that there is no base
    if operand.name == "saddr" and operand.dwords == 2 and spec.memory is not None and not spec.memory.to_lds:
        return frozenset({EXEC.index})
    return frozenset()


def operand_reader(spec: InstSpec, fmt: Format, operand: Operand, place: OperandField | None, dwords: int) -> Reader:
    """Return what reads an operand of `dwords` registers (0: off) of this instruction in this format."""
    if place is None:
        return lambda word, literal: VCC
    if dwords == 0:
        return lambda word, literal: None
    if "f8f6f4" in spec.flags and operand.name in ("src0", "src1"):
        return _f8f6f4_reader(fmt, operand, place)
    if fmt.name == "VOP2K":
        # The constant K is the literal that a source may share.
        read = _reader(spec, operand, place, dwords)
        return lambda word, literal: read(word, word >> 32 & 0xFFFF_FFFF)
    if not fmt.literal and "l" in operand.files:
        operand = replace(operand, files=operand.files.replace("l", ""))
    return _reader(spec, operand, place, dwords)


def _reader(spec: InstSpec, operand: Operand, place: OperandField, count: int) -> Reader:
    shift, mask = place.bits[1], (1 << bits_width(place.bits)) - 1
    acc = 1 << place.acc if place.acc is not None else 0
    odd = "any_tuple" in spec.flags
    match place.coding:
        case "src9":
            return _source_reader(operand, shift, acc, count)
        case "src8":
            return _scalar_reader(operand, shift, count)
        case "sdwa8":
            return lambda word, literal: (
                _scalar_source(word >> shift & mask, count)
                if word & acc
                else register("v", word >> shift & mask, count)
            )
        case "sdst7" if acc:
            return lambda word, literal: scalar_register(word >> shift & mask, count) if word & acc else VCC
        case "sdst7" | "saddr7":
            return _destination_reader(excluded_scalars(spec, operand), shift, mask, count)
        case "vgpr8":
            return lambda word, literal: register(
                "a" if word & acc else "v", _checked(word >> shift & 0xFF, count, odd), count
            )
        case "agpr8":
            return lambda word, literal: register("a", _checked(word >> shift & 0xFF, count), count)
        case "agpr9":
            return lambda word, literal: register("a", _checked((word >> shift & 0x1FF) - 256, count), count)
        case "pair6" | "quad5":
            step = 2 if place.coding == "pair6" else 4
            return lambda word, literal: scalar_register((word >> shift & mask) * step, count)
    if operand.name == "k":
        return lambda word, literal: Const(LITERAL, word >> shift & mask)
    return lambda word, literal: word >> shift & mask


def _checked(first: int, count: int, odd: bool = False) -> int:
    """Return the first register of a vector tuple, which must be even (unless `odd`) and end within the file."""
    if first < 0 or (count > 1 and ((first & 1 and not odd) or first + count > 256)):
        raise Refused
    return first


def _source_reader(operand: Operand, shift: int, acc: int, count: int) -> Reader:
    files = operand.files

    def read(word: int, literal: int) -> OperandValue:
        code = word >> shift & 0x1FF
        if code >= 256:
            file = "a" if word & acc else "v"
            if file not in files:
                raise Refused
            return register(file, _checked(code - 256, count), count)
        return source(code, literal)

    source = _scalar_source_reader(files, count)
    return read


def _scalar_reader(operand: Operand, shift: int, count: int) -> Reader:
    source = _scalar_source_reader(operand.files, count)
    return lambda word, literal: source(word >> shift & 0xFF, literal)


def _scalar_source_reader(files: str, count: int) -> Callable[[int, int], OperandValue]:
    scalar, constant, wide = "s" in files, "c" in files, "l" in files

    def read(code: int, literal: int) -> OperandValue:
        if code == LITERAL:
            if not wide:
                raise Refused
            return Const(LITERAL, literal)
        value = _scalar_source(code, count)
        if not (scalar if isinstance(value, Register) else constant):
            raise Refused
        return value

    return read


def _destination_reader(excluded: frozenset[int], shift: int, mask: int, count: int) -> Reader:
    def read(word: int, literal: int) -> OperandValue:
        code = word >> shift & mask
        if code in excluded or code > 127:
            raise Refused
        return scalar_register(code, count)

    return read


def _f8f6f4_reader(fmt: Format, operand: Operand, place: OperandField) -> Reader:
    """Read an operand whose registers follow the format that cbsz or blgp names."""
    selector = fmt.mods["cbsz" if operand.name == "src0" else "blgp"][1]
    shift, acc = place.bits[1], 1 << place.acc if place.acc is not None else 0

    def read(word: int, literal: int) -> OperandValue:
        code = word >> shift & 0x1FF
        count = F8F6F4_DWORDS.get(word >> selector & 7, 0)
        if code < 256 or not count:
            raise Refused
        return register("a" if word & acc else "v", _checked(code - 256, count), count)

    return read

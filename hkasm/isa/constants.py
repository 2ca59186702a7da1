"""Constants as operands: the inline codes of the scalar source space and 32-bit literals.

Codes 128 to 208 are the integers 0, 1..64, -1..-16; 240 to 248 are eight floats and 1/(2*pi); 255 announces a literal
dword (CDNA3 ISA, table of scalar source operands; checked against llvm-mc in the tests).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hkasm.errors import OperandError

LITERAL: Final = 255
_FLOATS: Final = {
    240: (0.5, "0.5"),
    241: (-0.5, "-0.5"),
    242: (1.0, "1.0"),
    243: (-1.0, "-1.0"),
    244: (2.0, "2.0"),
    245: (-2.0, "-2.0"),
    246: (4.0, "4.0"),
    247: (-4.0, "-4.0"),
    248: (0.15915494309189532, "0.15915494"),
}
_INV_2PI: Final = {"f16": 0x3118, "bf16": 0x3E22, "f32": 0x3E22F983, "f64": 0x3FC45F306DC9C882}
_INV_2PI_TEXT: Final = 0.15915494
"""How the assembler writes and reads 1/(2*pi) for every type, though no bf16 or f64 is that near to it."""
_CODE_OF_FLOAT: Final = {value: code for code, (value, _) in _FLOATS.items()}
INLINE_FLOATS: Final = {**_CODE_OF_FLOAT, _INV_2PI_TEXT: 248}
"""Inline code of a float as text writes it."""

FLOAT_TYPES: Final = frozenset({"f16", "bf16", "f32", "f64", "pkf16", "pkbf16", "pkf32"})
TYPE_BITS: Final[dict[str, int]] = {
    "f16": 16, "bf16": 16, "u16": 16, "i16": 16, "b16": 16, "u8": 8, "i8": 8,
    "f32": 32, "u32": 32, "i32": 32, "b32": 32, "pkf16": 32, "pkbf16": 32, "pki16": 32, "pku16": 32,
    "f64": 64, "u64": 64, "i64": 64, "b64": 64, "pkf32": 64, "pkb32": 64, "mask": 64,
    "b96": 96, "b128": 128, "b160": 160, "b192": 192, "b256": 256, "b512": 512, "b1024": 1024,
    "bool": 1, "imm2": 2, "imm4": 4, "imm7": 7, "imm8": 8, "imm16": 16, "label": 16,
}  # fmt: skip


def type_dwords(type_name: str) -> int:
    """Registers that a value of this type takes."""
    return -(-TYPE_BITS[type_name] // 32)


@dataclass(frozen=True, slots=True)
class Const:
    """One constant operand: a source code, and the dword behind it when the code is 255."""

    code: int
    literal: int = 0

    @property
    def is_literal(self) -> bool:
        return self.code == LITERAL

    @property
    def is_float(self) -> bool:
        return self.code in _FLOATS

    def value(self) -> int | float:
        """The Python value: an int for integer codes and literals, a float for the float codes."""
        if self.code in _FLOATS:
            return _FLOATS[self.code][0]
        if self.code == LITERAL:
            return self.literal
        return self.code - 128 if self.code <= 192 else 192 - self.code

    def bits(self, type_name: str) -> int:
        """Bits that an operand of this type sees.

        Float codes take the operand's format. Integer codes are sign-extended to the operand's width. A literal is
        zero-extended for u64/b64, sign-extended for i64, the high dword for f64. Of packed types the code gives
        the low element.
        """
        width = TYPE_BITS[type_name]
        if self.code in _FLOATS:
            return _float_bits(self.code, type_name)
        if self.code == LITERAL:
            if type_name == "f64":
                return self.literal << 32
            if type_name == "i64" and self.literal & 0x8000_0000:
                return self.literal | 0xFFFF_FFFF_0000_0000
            return self.literal & _mask(width)
        return int(self.value()) & _mask(width)

    def text(self, type_name: str) -> str:
        """Text as llvm-objdump prints it: decimal ints, short floats, hexadecimal literals.

        A literal that the assembler would make an inline constant is wrapped: ``lit(0x1)``. 16-bit integer operands
        see float constants as bit patterns, 64-bit floats a literal of an inline value as that value.
        """
        if self.code in _FLOATS:
            if type_name in HALF_INTEGERS:
                return hex(_float_bits(self.code, "f16"))
            if self.code == 248 and TYPE_BITS[type_name] == 64 and not type_name.startswith("pk"):
                return "0.15915494309189532"
            return _FLOATS[self.code][1]
        if self.code == LITERAL:
            return self._literal_text(type_name)
        return str(self.value())

    def _literal_text(self, type_name: str) -> str:
        word = self.literal
        if type_name == "f64":
            code = _code_of_bits(word << 32, type_name)
            return Const(code).text(type_name) if code else hex(word)
        if type_name in HALF_INTEGERS:
            inline = _code_of_bits(word, "b32") != 0
        elif type_name in ("f16", "bf16"):
            inline = _code_of_bits(word & 0xFFFF, type_name) != 0
        else:
            inline = _code_of_bits(word, type_name) != 0
        if inline:
            return f"lit({word:#x})"
        return hex(word & 0xFFFF if TYPE_BITS[type_name] == 16 and type_name != "bf16" else word)

    @staticmethod
    def of(value: int | float, type_name: str = "b32") -> Const:
        """Choose the inline code for a Python value, else a literal.

        Ints from -16 to 64 and the eight floats are inline. A float that is not inline becomes the bits of the
        operand's format. Raises OperandError when the value does not fit in 32 bits, or into the float's range.
        """
        # -0.0 == 0.0: one would be taken for the other among the constants that are remembered.
        return _of(value, type_name, value == 0 and str(value) == "-0.0")

    @staticmethod
    def _choose(value: int | float, type_name: str) -> Const:
        if isinstance(value, bool):
            value = int(value)
        if isinstance(value, int):
            if 0 <= value <= 64:
                return Const(128 + value)
            if -16 <= value < 0:
                return Const(192 - value)
            return Const._from_bits(value, type_name)
        if value == _INV_2PI_TEXT and type_name not in HALF_INTEGERS:
            return Const(248)
        if value in _CODE_OF_FLOAT and type_name not in HALF_INTEGERS:
            return Const(_CODE_OF_FLOAT[value])
        if value == 0.0 and struct.pack("<d", value) == bytes(8):
            return Const(128)
        if type_name == "f64":
            bits = struct.unpack("<Q", struct.pack("<d", value))[0]
            if bits & 0xFFFF_FFFF:
                raise OperandError(
                    f"{value!r} has no exact 32-bit literal for an f64 operand", hint="load it into a register pair"
                )
            return Const(LITERAL, bits >> 32)
        if type_name in ("f16", "pkf16") or type_name in HALF_INTEGERS:
            word = _rounded_bits(value, "f16")
        else:
            word = _rounded_bits(value, "f32")
            if type_name in ("bf16", "pkbf16"):
                word = (word + 0x7FFF + ((word >> 16) & 1)) >> 16
        # 0.15915494 is no double that a code stands for, but rounds to one in the operand's format.
        code = 0 if type_name in HALF_INTEGERS else _code_of_bits(word, type_name)
        return Const(code) if code else Const(LITERAL, word)

    @staticmethod
    def _from_bits(value: int, type_name: str) -> Const:
        width = max(TYPE_BITS[type_name], 32) if TYPE_BITS[type_name] <= 64 else 32
        if -(1 << width - 1) <= value < 1 << width:
            code = _code_of_bits(value & _mask(width), type_name)
            if code:
                return Const(code)
        narrow = TYPE_BITS[type_name] == 16
        if not -(1 << (15 if narrow else 31)) <= value < 1 << (16 if narrow else 32):
            hint = None if narrow else "put it in a register pair"
            raise OperandError(f"constant {value:#x} does not fit in {16 if narrow else 32} bits", hint=hint)
        return Const(LITERAL, value & (0xFFFF if narrow else 0xFFFF_FFFF))

    @staticmethod
    def from_code(code: int, literal: int = 0) -> Const:
        return Const(code, literal if code == LITERAL else 0)


@lru_cache(maxsize=4096, typed=True)
def _of(value: int | float, type_name: str, _negative_zero: bool) -> Const:
    return Const._choose(value, type_name)


_SMALLEST_NORMAL: Final = {"f16": 2.0**-14, "f32": 2.0**-126}


def _rounded_bits(value: float, kind: str) -> int:
    """Return the bits of a float rounded to f16 or f32.

    Raises:
        OperandError: it overflows, or loses bits because it is too small for a normal number (as the assembler says).
    """
    floats, words = ("<e", "<H") if kind == "f16" else ("<f", "<I")
    try:
        packed = struct.pack(floats, value)
    except OverflowError:
        raise OperandError(f"{value!r} is too large for {kind}") from None
    if abs(value) < _SMALLEST_NORMAL[kind] and struct.unpack(floats, packed)[0] != value:
        raise OperandError(f"{value!r} is too small for {kind}", hint="give its bits as an integer")
    return int(struct.unpack(words, packed)[0])


def _mask(width: int) -> int:
    return (1 << width) - 1


def _float_bits(code: int, type_name: str) -> int:
    base = {"pkf16": "f16", "pkbf16": "bf16", "pkf32": "f32"}.get(type_name, type_name)
    if base not in _INV_2PI:  # integer operands see the pattern of their width
        base = {16: "f16", 64: "f64"}.get(TYPE_BITS[type_name], "f32")
    if code == 248:
        return _INV_2PI[base]
    value = _FLOATS[code][0]
    if base == "f16":
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    if base == "f64":
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    word = int(struct.unpack("<I", struct.pack("<f", value))[0])
    return word >> 16 if base == "bf16" else word


HALF_INTEGERS: Final = frozenset({"u16", "i16", "b16"})


def _integer_code(value: int, width: int) -> int:
    """Inline code of an integer of this width given as bits; 0 when there is none."""
    signed = value - (1 << width) if value >> (width - 1) & 1 else value
    if 0 <= signed <= 64:
        return 128 + signed
    return 192 - signed if -16 <= signed < 0 else 0


def _code_of_bits(value: int, type_name: str) -> int:
    """Inline code whose bits an operand of this type would see, as the assembler finds it; 0 when there is none.

    Packed 16-bit types see the code in their low half alone, 16-bit integers know no float codes.
    """
    width = TYPE_BITS[type_name]
    packed = type_name.startswith("pk")
    half_float = type_name in ("f16", "bf16")
    code = _integer_code(value, 16 if half_float else 64 if width == 64 and not packed else 32)
    if code or type_name in HALF_INTEGERS:
        return code
    base = {"pkf16": "f16", "pkbf16": "bf16"}.get(type_name, type_name)
    if base not in ("f16", "bf16", "f64"):
        base = "f64" if width == 64 and not packed else "f32"
    return next((code for code in _FLOATS if _float_bits(code, base) == value), 0)

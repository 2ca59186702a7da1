"""Assembler text of what only memory instructions have: offsets, cache bits, buffer formats, swizzle patterns.

Each pattern is written and read by functions that stand side by side, so that text round-trips.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hkasm.asm.instruction import Instruction
from hkasm.errors import OperandError, did_you_mean
from hkasm.isa.formats import MTBUF_DEFAULT_FORMAT
from hkasm.isa.registers import Register

__all__ = [
    "MEMORY_WORDS",
    "buffer_format_text",
    "parse_buffer_format",
    "parse_swizzle",
    "scalar_address",
    "swizzle_text",
]

DATA_FORMATS: Final = (
    "INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32",
    "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15",
)  # fmt: skip
NUMBER_FORMATS: Final = ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT")
_DATA, _NUMBER = "BUF_DATA_FORMAT_", "BUF_NUM_FORMAT_"


def _hex_signed(value: int) -> str:
    return f"-{-value:#x}" if value < 0 else f"{value:#x}"


def buffer_format_text(value: int) -> str:
    """Return ``[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]`` for a 7-bit format; default halves are left out."""
    names = []
    if value & 15 != MTBUF_DEFAULT_FORMAT & 15:
        names.append(_DATA + DATA_FORMATS[value & 15])
    if value >> 4 != MTBUF_DEFAULT_FORMAT >> 4:
        names.append(_NUMBER + NUMBER_FORMATS[value >> 4])
    return f"[{','.join(names)}]"


def parse_buffer_format(text: str) -> int:
    """Return the 7-bit format that ``[...]`` names.

    Raises:
        OperandError: an unknown or doubled name.
    """
    value = {"data": MTBUF_DEFAULT_FORMAT & 15, "number": MTBUF_DEFAULT_FORMAT >> 4}
    seen: set[str] = set()
    for word in text.strip("[] ").split(","):
        name = word.strip()
        kind, prefix, names = (
            ("data", _DATA, DATA_FORMATS) if name.startswith(_DATA) else ("number", _NUMBER, NUMBER_FORMATS)
        )
        if not name.startswith(prefix) or name[len(prefix) :] not in names or kind in seen:
            known = [_DATA + known for known in DATA_FORMATS] + [_NUMBER + known for known in NUMBER_FORMATS]
            raise OperandError(f"unknown buffer format {name!r}", hint=did_you_mean(name, known))
        seen.add(kind)
        value[kind] = names.index(name[len(prefix) :])
    return value["number"] << 4 | value["data"]


# -- ds_swizzle_b32 --------------------------------------------------------------------------------------------------

_QUAD, _ROTATE, _FFT = 0x8000, 0xC000, 0xE000
_LANES = 32


def swizzle_text(offset: int) -> str:
    """Return the pattern that a swizzle's offset means: ``swizzle(QUAD_PERM,1,2,3,0)``; a number if it means none."""
    if offset >= _FFT:
        return f"swizzle(FFT,{offset & 31})"
    if offset >= _ROTATE:
        return f"swizzle(ROTATE,{offset >> 10 & 1},{offset >> 5 & 31})"
    if offset >> 8 == _QUAD >> 8:
        return f"swizzle(QUAD_PERM,{','.join(str(offset >> 2 * lane & 3) for lane in range(4))})"
    if offset & _QUAD:
        return str(offset)
    kept, ones, flipped = offset & 31, offset >> 5 & 31, offset >> 10 & 31
    if kept == 31 and ones == 0 and flipped:
        if flipped & flipped - 1 == 0:
            return f"swizzle(SWAP,{flipped})"
        if flipped & flipped + 1 == 0:
            return f"swizzle(REVERSE,{flipped + 1})"
    group = _LANES - kept
    if flipped == 0 and group > 1 and group & group - 1 == 0 and ones < group:
        return f"swizzle(BROADCAST,{group},{ones})"
    pattern = "".join(_lane_bit(kept >> bit & 1, ones >> bit & 1, flipped >> bit & 1) for bit in (4, 3, 2, 1, 0))
    return f'swizzle(BITMASK_PERM,"{pattern}")'


def _lane_bit(kept: int, one: int, flipped: int) -> str:
    """What becomes of one bit of the lane number: 0, 1, p (kept) or i (inverted)."""
    if one:
        return "0" if flipped else "1"
    if kept:
        return "i" if flipped else "p"
    return "1" if flipped else "0"


def parse_swizzle(text: str) -> int:
    """Return the offset that ``swizzle(...)`` means.

    Raises:
        OperandError: an unknown pattern, or numbers out of range.
    """
    match = re.fullmatch(r"swizzle\(\s*(\w+)\s*,\s*(.*?)\s*\)", text)
    if match is None:
        raise OperandError(
            f"{text!r} is no swizzle pattern", hint='like swizzle(SWAP,16) or swizzle(BITMASK_PERM,"01pip")'
        )
    kind, rest = match.groups()
    if kind == "BITMASK_PERM":
        pattern = rest[1:-1]
        if not re.fullmatch('"[01pi]{5}"', rest):
            raise OperandError(f"swizzle pattern {rest} wants five of 0, 1, p, i in quotes")
        number = {"0": (0, 0, 0), "1": (0, 1, 0), "p": (1, 0, 0), "i": (1, 0, 1)}
        bits = [number[letter] for letter in pattern]
        return sum(
            kept << bit | one << bit + 5 | flipped << bit + 10
            for bit, (kept, one, flipped) in zip((4, 3, 2, 1, 0), bits, strict=True)
        )
    numbers = [int(word, 0) for word in re.split(r"\s*,\s*", rest) if re.fullmatch(r"\w+", word) and word[0].isdigit()]
    match kind, numbers:
        case "QUAD_PERM", [a, b, c, d] if max(numbers) < 4:
            return _QUAD | a | b << 2 | c << 4 | d << 6
        case "BROADCAST", [group, lane] if group in (2, 4, 8, 16, 32) and lane < group:
            return _LANES - group | lane << 5
        case "SWAP", [step] if step in (1, 2, 4, 8, 16):
            return step << 10 | 31
        case "REVERSE", [group] if group in (2, 4, 8, 16, 32):
            return group - 1 << 10 | 31
        case "ROTATE", [direction, step] if direction < 2 and step < 32:
            return _ROTATE | direction << 10 | step << 5
        case "FFT", [step] if step < 32:
            return _FFT | step
    raise OperandError(
        f"{text!r} is no swizzle pattern", hint="QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP, REVERSE, ROTATE, FFT"
    )


# -- words behind the operands ---------------------------------------------------------------------------------------


def _cache_words(inst: Instruction) -> list[str]:
    return [name for name in ("sc0", "nt", "sc1") if inst.mods.get(name)]


def _ds_words(inst: Instruction) -> list[str]:
    mods = inst.mods
    if "swizzle" in inst.spec.flags and mods.get("offset"):
        return [f"offset:{swizzle_text(mods['offset'])}"]
    words = [f"{name}:{mods[name]}" for name in ("offset", "offset0", "offset1") if mods.get(name)]
    return [*words, "gds"] if inst.encoding.format == "DS_GWS" else words


def _buffer_words(inst: Instruction) -> list[str]:
    words = [name for name in ("idxen", "offen") if inst.mods.get(name)]
    if inst.mods.get("offset"):
        words.append(f"offset:{inst.mods['offset']}")
    words += _cache_words(inst)
    return [*words, "lds"] if inst.mods.get("lds") else words


def _typed_buffer_words(inst: Instruction) -> list[str]:
    value = inst.mods["format"]
    shown = [f"format:{buffer_format_text(value)}"] if value != MTBUF_DEFAULT_FORMAT else []
    return shown + _buffer_words(inst)


def _flat_words(inst: Instruction) -> list[str]:
    words = [f"offset:{inst.mods['offset']}"] if inst.mods.get("offset") else []
    return words + _cache_words(inst)


def scalar_address(inst: Instruction) -> str:
    """Return the text of a scalar address's last operand: an SGPR, or the immediate alone."""
    value = inst.operand("soffset")
    return value.text if isinstance(value, Register) else _hex_signed(inst.mods.get("offset", 0))


def _scalar_words(inst: Instruction) -> list[str]:
    words = []
    if "offset" in inst.mods and isinstance(inst.operand("soffset"), Register):
        words.append(f"offset:{_hex_signed(inst.mods['offset'])}")
    return [*words, "glc"] if inst.mods.get("glc") else words


MEMORY_WORDS: Final[dict[str, Callable[[Instruction], list[str]]]] = {
    **dict.fromkeys(("DS", "DS_PERMUTE", "DS_GWS"), _ds_words),
    **dict.fromkeys(("FLAT", "GLOBAL", "SCRATCH"), _flat_words),
    **dict.fromkeys(("MUBUF", "MUBUF_CACHE"), _buffer_words),
    "MTBUF": _typed_buffer_words,
    **dict.fromkeys(("SMEM", "SMEM_PROBE"), _scalar_words),
}
"""The words behind the operands, by format."""

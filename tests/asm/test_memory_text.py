"""Offsets, swizzle patterns and buffer formats as text, and back."""

from __future__ import annotations

import pytest

from hkasm.asm.memory_text import buffer_format_text, parse_buffer_format, parse_swizzle, swizzle_text
from hkasm.errors import OperandError


@pytest.mark.parametrize("value", range(128))
def test_buffer_formats_round_trip(value: int) -> None:
    text = buffer_format_text(value)
    assert (parse_buffer_format(text) if text != "[]" else 1) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("swizzle(QUAD_PERM,1,2,3,0)", 0x8039), ("swizzle(SWAP,16)", 0x401F), ("swizzle(REVERSE,32)", 0x7C1F),
        ("swizzle(BROADCAST,8,3)", 0x0078), ('swizzle(BITMASK_PERM,"01pip")', 0x0907), ("swizzle(FFT,5)", 0xE005),
        ("swizzle(ROTATE,1,4)", 0xC480),
    ],
)  # fmt: skip
def test_swizzle_patterns(text: str, value: int) -> None:
    assert (parse_swizzle(text), swizzle_text(value)) == (value, text)


def test_every_swizzle_reads_back_to_the_same_lanes() -> None:
    def lanes(offset: int) -> list[int]:
        if offset & 0x8000:
            return [lane & ~3 | offset >> 2 * (lane & 3) & 3 for lane in range(32)]
        return [(lane & offset & 31 | offset >> 5 & 31) ^ (offset >> 10 & 31) for lane in range(32)]

    for offset in [*range(0x8000), *range(0x8000, 0x8100)]:
        assert lanes(parse_swizzle(swizzle_text(offset))) == lanes(offset), hex(offset)


@pytest.mark.parametrize(
    "text", ["swizzle(SWAP,3)", "swizzle(QUAD_PERM,1,2,3)", 'swizzle(BITMASK_PERM,"01")', "swizzle(TURN,1)", "swap"]
)
def test_wrong_swizzles(text: str) -> None:
    with pytest.raises(OperandError, match="swizzle"):
        parse_swizzle(text)


def test_wrong_formats() -> None:
    for text in ("[BUF_DATA_FORMAT_33]", "[BUF_DATA_FORMAT_8,BUF_DATA_FORMAT_16]", "[FLOAT]"):
        with pytest.raises(OperandError, match="unknown buffer format"):
            parse_buffer_format(text)

"""Expressions of assembly files have C's and LLVM's values."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.asm.expressions import SymbolTable, parse_number
from hkasm.errors import UsageError


def table(**symbols: str) -> SymbolTable:
    found = SymbolTable()
    for name, text in symbols.items():
        found.set(name, text)
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7),
        ("(1 | 2) + 4", 7),
        ("1+2|4", 7),
        ("10 - 2 - 300", -292),
        ("-7/2", -3),
        ("-7 % 4", -3),
        ("1 << 4 >> 2", 4),
        ("~0 & 0xff", 255),
        ("!5", 0),
        ("3 == 3", -1),
        ("7 < 3", 0),
        ("1 || 0 && 0", 1),
        ("max(1, -2, 3)", 3),
        ("or(1, 4)", 5),
        ("alignto(5, 4)", 8),
        ("totalnumvgprs(3, 5)", 11),
        ("totalnumvgprs(0, 5)", 5),
        ("extrasgprs(1, 1, 1)", 6),
        ("0b11", 3),
        ("017", 15),
        ("0+max(4)", 4),
    ],
)
def test_values(text: str, value: int) -> None:
    assert table().evaluate(text) == value


def test_symbols_may_be_set_later_and_again() -> None:
    symbols = table(a="max(5, b)")
    symbols.set("b", "or(1, 6) + 1")
    assert symbols.evaluate("a") == 8
    symbols.set("b", "1")
    assert symbols.evaluate("a + b") == 6
    symbols.place("b", 40)
    assert "b" in symbols
    assert symbols.evaluate("b - 4") == 36


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b", "symbol 'b' is not set"),
        ("1 +", "'1 +' is no expression"),
        ("foo(1)", "unknown function 'foo'"),
        ("alignto(1)", "alignto takes 2 arguments, got 1"),
        ("1 / 0", "division by zero"),
        ("1 2", "at '2'"),
        ("c", "symbol 'c' is set by itself"),
        ("(" * 99 + "1" + ")" * 99, "is nested too deeply"),
        ("089", "is no number"),
        ("`", "'`' is not understood"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        table(c="d + 1", d="c").evaluate(text)


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_numbers_in_every_base(number: int) -> None:
    for text in (str(number), hex(number), bin(number)):
        assert parse_number(text) == number


@pytest.mark.llvm
def test_values_are_llvms() -> None:
    operators = ("+", "-", "*", "|", "^", "&", "<<", "||", "&&", "==", "<", ">=", "/", "%")
    texts = [f"(13 {a} 6 {b} 3)" for a in operators for b in operators]
    source = "".join(f".long {text}\n" for text in texts)
    run = subprocess.run(
        ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    values = [int(value) & 0xFFFF_FFFF for value in re.findall(r"\.long\s+(-?\d+)", run.stdout)]
    assert values == [table().evaluate(text) & 0xFFFF_FFFF for text in texts]

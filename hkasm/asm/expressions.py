"""Integer expressions of assembly files: numbers, symbols, C's operators, and the functions that clang writes.

Symbols may be set later than they are used (clang sets a kernel's register counts from those of functions that follow),
so that a table keeps the text and values are found when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from hkasm.errors import UsageError, did_you_mean

__all__ = ["SymbolTable", "parse_number"]

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)|(?P<name>[A-Za-z_.$@][\w.$@]*)|(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||<>|[-+*/%&|^~!<>(),]))"
)
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|\d+")
_MAX_DEPTH: Final = 64
_WORD: Final = 1 << 64

# LLVM's binary operators by precedence (MCAsmParser's GNU table), loosest first.
_LEVELS: Final[tuple[dict[str, Callable[[int, int], int]], ...]] = (
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {
        "==": lambda a, b: -int(a == b), "!=": lambda a, b: -int(a != b), "<>": lambda a, b: -int(a != b),
        "<": lambda a, b: -int(a < b), "<=": lambda a, b: -int(a <= b), ">": lambda a, b: -int(a > b),
        ">=": lambda a, b: -int(a >= b),
    },
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b},
    {
        "*": lambda a, b: a * b, "/": lambda a, b: _quotient(a, b), "%": lambda a, b: a - b * _quotient(a, b),
        "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
    },
)  # fmt: skip


def _quotient(a: int, b: int) -> int:
    """Divide towards zero, as C does."""
    if b == 0:
        raise UsageError("division by zero in an expression")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _or(values: list[int]) -> int:
    result = 0
    for value in values:
        result |= value
    return result


def _total_vgprs(values: list[int]) -> int:
    """Registers of the unified file: AGPRs lie behind the VGPRs, from a multiple of 4 on."""
    agprs, vgprs = values
    return -(-vgprs // 4) * 4 + agprs if agprs else vgprs


_FUNCTIONS: Final[dict[str, tuple[int, Callable[[list[int]], int]]]] = {
    # name: (number of arguments, 0 for any; function). SGPRs behind the program's own are six on these archs.
    "max": (0, max),
    "or": (0, _or),
    "alignto": (2, lambda values: -(-values[0] // values[1]) * values[1]),
    "totalnumvgprs": (2, _total_vgprs),
    "extrasgprs": (3, lambda values: 6),
}


def parse_number(text: str) -> int | None:
    """Return the value of a plain number (decimal, 0x, 0b, 0 for octal, with a sign), None for something else."""
    sign, body = (-1, text[1:].strip()) if text.startswith("-") else (1, text)
    if _NUMBER.fullmatch(body) is None:
        return None
    octal = len(body) > 1 and body[0] == "0" and body.isdigit()
    if octal and ("8" in body or "9" in body):
        return None
    return sign * int(body, 8 if octal else 0)


class SymbolTable:
    """Symbols of a file: labels by their value, `.set` ones by the expression that they stand for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._values: dict[str, int] = {}

    def set(self, name: str, text: str) -> None:
        """Give a symbol an expression, or another one than it had."""
        self._values.pop(name, None)
        self._texts[name] = text

    def place(self, name: str, value: int) -> None:
        """Give a symbol a number: a label's offset."""
        self._texts.pop(name, None)
        self._values[name] = value

    def __contains__(self, name: object) -> bool:
        return name in self._texts or name in self._values

    def evaluate(self, text: str) -> int:
        """Return an expression's value.

        Raises:
            UsageError: a symbol that is not set, a circle, or something that is no expression.
        """
        number = parse_number(text.strip())
        return number if number is not None else _Evaluation(text, self._lookup, ()).value()

    def _lookup(self, name: str, asked: tuple[str, ...]) -> int:
        if name in self._values:
            return self._values[name]
        if name not in self._texts:
            known: Mapping[str, object] = {**self._texts, **self._values}
            raise UsageError(f"symbol {name!r} is not set", hint=did_you_mean(name, known))
        if name in asked or len(asked) > _MAX_DEPTH:
            raise UsageError(f"symbol {name!r} is set by itself")
        return _Evaluation(self._texts[name], self._lookup, (*asked, name)).value()


class _Evaluation:
    """A recursive descent over one expression's tokens."""

    def __init__(self, text: str, lookup: Callable[[str, tuple[str, ...]], int], asked: tuple[str, ...]) -> None:
        self.text, self.lookup, self.asked = text, lookup, asked
        self.tokens = _tokens(text)
        self.at = self.depth = 0

    def value(self) -> int:
        result = self._binary(0)
        if self.at < len(self.tokens):
            raise self._wrong()
        return result

    def _next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _take(self, sign: str) -> None:
        if self._next() != sign:
            raise self._wrong()
        self.at += 1

    def _wrong(self) -> UsageError:
        where = f" at {self._next()!r}" if self._next() else ""
        return UsageError(f"{self.text.strip()!r} is no expression{where}")

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.at < len(self.tokens) and self.tokens[self.at][0] == "sign" and self._next() in _LEVELS[level]:
            operation = _LEVELS[level][self._next()]
            self.at += 1
            left = _wrapped(operation(left, self._binary(level + 1)))
        return left

    def _unary(self) -> int:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise UsageError(f"{self.text[:40]!r}... is nested too deeply")
        kind, token = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        self.at += 1
        if kind == "number":
            number = parse_number(token)
            if number is None:
                raise UsageError(f"{token!r} is no number (a leading 0 says octal)")
            result = number
        elif kind == "name":
            result = self._call(token) if self._next() == "(" else self.lookup(token, self.asked)
        elif token == "(":
            result = self._binary(0)
            self._take(")")
        elif token in ("-", "+", "~", "!"):
            inner = self._unary()
            result = {"-": -inner, "+": inner, "~": ~inner, "!": int(not inner)}[token]
        else:
            self.at -= 1
            raise self._wrong()
        self.depth -= 1
        return result

    def _call(self, name: str) -> int:
        if name not in _FUNCTIONS:
            raise UsageError(f"unknown function {name!r} in an expression", hint=did_you_mean(name, _FUNCTIONS))
        self._take("(")
        values = [self._binary(0)]
        while self._next() == ",":
            self.at += 1
            values.append(self._binary(0))
        self._take(")")
        count, function = _FUNCTIONS[name]
        if count and len(values) != count:
            raise UsageError(f"{name} takes {count} arguments, got {len(values)}")
        return function(values)


def _wrapped(value: int) -> int:
    """Keep a value in 64 bits, signed."""
    value %= _WORD
    return value - _WORD if value >= _WORD >> 1 else value


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise UsageError(f"{text.strip()!r} is no expression: {stripped[at:].strip()[:1]!r} is not understood")
        tokens.append((str(match.lastgroup), match[match.lastgroup or 0]))
        at = match.end()
    return tokens

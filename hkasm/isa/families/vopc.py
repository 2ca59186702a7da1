"""Vector compares: VOPC. ``v_cmp`` writes a lane mask to VCC or an SGPR pair, ``v_cmpx`` to EXEC as well.

Opcodes are regular: 16 (float) or 8 (integer) conditions from a base of the type, cmpx 16 behind. Inactive lanes get 0
bits (the emulator ands the mask with EXEC).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hkasm.isa.families._floats import class_bits
from hkasm.isa.families._shapes import vopc
from hkasm.isa.families._types import Array

Compare = Callable[[Array, Array], Array]


def _always(value: bool) -> Compare:
    return lambda a, b: np.full(np.broadcast(a, b).shape, value)


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


def _not(compare: Compare) -> Compare:
    return lambda a, b: ~compare(a, b)


def _differ(a: Array, b: Array) -> Array:
    return (a < b) | (a > b)


_FLOAT: tuple[tuple[str, Compare, str], ...] = (
    ("f", _always(False), "false"),
    ("lt", np.less, "S0 < S1"),
    ("eq", np.equal, "S0 == S1"),
    ("le", np.less_equal, "S0 <= S1"),
    ("gt", np.greater, "S0 > S1"),
    ("lg", _differ, "S0 < S1 or S0 > S1"),
    ("ge", np.greater_equal, "S0 >= S1"),
    ("o", _not(_unordered), "neither is NaN"),
    ("u", _unordered, "S0 or S1 is NaN"),
    ("nge", _not(np.greater_equal), "not S0 >= S1"),
    ("nlg", _not(_differ), "not (S0 < S1 or S0 > S1)"),
    ("ngt", _not(np.greater), "not S0 > S1"),
    ("nle", _not(np.less_equal), "not S0 <= S1"),
    ("neq", _not(np.equal), "not S0 == S1"),
    ("nlt", _not(np.less), "not S0 < S1"),
    ("tru", _always(True), "true"),
)
_INTEGER: tuple[tuple[str, Compare, str], ...] = (
    ("f", _always(False), "false"),
    ("lt", np.less, "S0 < S1"),
    ("eq", np.equal, "S0 == S1"),
    ("le", np.less_equal, "S0 <= S1"),
    ("gt", np.greater, "S0 > S1"),
    ("ne", np.not_equal, "S0 != S1"),
    ("ge", np.greater_equal, "S0 >= S1"),
    ("t", _always(True), "true"),
)
_BASES = (
    ("f16", 0x20, _FLOAT), ("f32", 0x40, _FLOAT), ("f64", 0x60, _FLOAT), ("i16", 0xA0, _INTEGER), ("u16", 0xA8, _INTEGER),
    ("i32", 0xC0, _INTEGER), ("u32", 0xC8, _INTEGER), ("i64", 0xE0, _INTEGER), ("u64", 0xE8, _INTEGER),
)  # fmt: skip


def _twice(compare: Compare) -> Callable[[Array, Array], tuple[Array, Array]]:
    def meaning(a: Array, b: Array) -> tuple[Array, Array]:
        mask = compare(a, b)
        return mask, mask

    return meaning


def _is_class(a: Array, classes: Array) -> Array:
    return (class_bits(a) & classes) != 0


def _declare(name: str, op: int, sources: str, compare: Compare, text: str, flags: tuple[str, ...] = ()) -> None:
    """Declare the pair v_cmp and v_cmpx."""
    sdwa = "64" not in sources
    step = 1 if name.startswith("class") else 16
    vopc(f"v_cmp_{name}", op, f"=sdst:mask {sources}", compare, f"D lane bit = {text}", sdwa=sdwa, flags=flags)
    doc = f"D lane bit, EXEC lane bit = {text}"
    signature = f"=sdst:mask {sources} =[exec]:mask"
    vopc(f"v_cmpx_{name}", op + step, signature, _twice(compare), doc, sdwa=sdwa, flags=flags)


for _type, _base, _conditions in _BASES:
    for _index, (_word, _compare, _text) in enumerate(_conditions):
        _declare(f"{_word}_{_type}", _base + _index, f"src0:{_type} src1:{_type}", _compare, _text)
for _type, _op in (("f32", 0x10), ("f64", 0x12), ("f16", 0x14)):
    _classes = "S0 is in one of the classes S1 (sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf)"
    _declare(f"class_{_type}", _op, f"src0:{_type} src1:b32", _is_class, _classes, ("keeps_denormals",))

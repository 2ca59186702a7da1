"""Read-modify-writes on bytes: lanes that meet at one address take turns in lane order.

Formulas follow the CDNA3 ISA's atomic operations. Float additions round to nearest even; f32 ones flush denormals, f64
and packed ones keep them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.memory import Bytes, Span
from hkasm.errors import EmulatorError
from hkasm.isa.numerics import bf16_to_f32, f32_to_bf16, flush_denormals

__all__ = ["Formula", "atomic_formula", "modify", "modify_spans"]

Array = NDArray[Any]
U32 = NDArray[np.uint32]
Formula = Callable[[Array, Array, Array], Array]
"""Old value, first and second data operand -> new value; arrays of the element's type."""

_DTYPES: Final[dict[str, Any]] = {
    "u32": np.uint32, "i32": np.int32, "b32": np.uint32, "f32": np.float32, "u64": np.uint64, "i64": np.int64,
    "b64": np.uint64, "f64": np.float64, "pkf16": np.uint32, "pkbf16": np.uint32,
}  # fmt: skip


def _halves(function: Callable[[Array, Array], Array], kind: str) -> Formula:
    def formula(old: Array, data: Array, _: Array) -> Array:
        pairs = [np.ascontiguousarray(x).view(np.uint16).reshape(-1, 2) for x in (old, data)]
        if kind == "pkbf16":
            values = [bf16_to_f32(pair) for pair in pairs]
            return f32_to_bf16(function(values[0], values[1])).view(np.uint32)[..., 0]
        halves = [pair.view(np.float16) for pair in pairs]
        words: Array = function(halves[0], halves[1]).view(np.uint32)[..., 0]
        return words

    return formula


def _condxchg(old: Array, data: Array, _: Array) -> Array:
    """Each dword on its own: replaced by the low 31 bits of the data if its top bit is set."""
    mine, new = (np.ascontiguousarray(x).view(np.uint32) for x in (old, data))
    chosen = np.where(new >> np.uint32(31) != 0, new & np.uint32(0x7FFFFFFF), mine)
    return chosen.view(np.uint64)


def atomic_formula(atomic: str, elem: str, *, compare_first: bool) -> tuple[Formula, Any]:
    """Return an atomic's formula and the NumPy type of its element.

    `compare_first`: the first data operand is what memory is compared with (LDS), else the second (buffer, global).
    """
    if atomic == "condxchg":
        return _condxchg, np.uint64
    dtype = _DTYPES[elem]
    if elem in ("pkf16", "pkbf16"):
        return _halves(np.add, elem), dtype
    is_float = elem.startswith("f")
    formulas: dict[str, Formula] = {
        "swap": lambda old, a, b: a,
        "add": (lambda old, a, b: flush_denormals(old + a)) if elem == "f32" else (lambda old, a, b: old + a),
        "sub": lambda old, a, b: old - a,
        "rsub": lambda old, a, b: a - old,
        "inc": lambda old, a, b: np.where(old >= a, dtype(0), old + dtype(1)),
        "dec": lambda old, a, b: np.where((old == 0) | (old > a), a, old - dtype(1)),
        "min": (lambda old, a, b: np.fmin(old, a)) if is_float else (lambda old, a, b: np.minimum(old, a)),
        "max": (lambda old, a, b: np.fmax(old, a)) if is_float else (lambda old, a, b: np.maximum(old, a)),
        "and": lambda old, a, b: old & a,
        "or": lambda old, a, b: old | a,
        "xor": lambda old, a, b: old ^ a,
        "mskor": lambda old, a, b: (old & ~a) | b,
        "wrap": lambda old, a, b: np.where(old >= a, old - a, old + b),
        "cmpst": lambda old, a, b: np.where(old == a, b, old),
        "cmpswap": lambda old, a, b: np.where(old == b, a, old),
    }
    if atomic not in formulas:
        raise EmulatorError(f"the atomic {atomic!r} is not emulated")
    return formulas[atomic], dtype


def modify(store: Bytes, index: NDArray[np.int64], first: Array, second: Array, formula: Formula, dtype: Any) -> Array:
    """Apply an atomic at byte indices [n] in order, data [n]; returns the old values [n]."""
    size = np.dtype(dtype).itemsize
    view: Array = (store.u32 if size == 4 else store.u64).view(dtype)
    place = index >> (2 if size == 4 else 3)
    order = np.argsort(place, kind="stable")
    ranked = place[order]
    starts = np.concatenate(([True], ranked[1:] != ranked[:-1]))
    if starts.all():
        apart: Array = view[place]
        after = formula(apart, first, second)
        if np.ascontiguousarray(after).tobytes() != apart.tobytes():
            store.version += 1
        view[place] = after
        return apart
    begin = np.maximum.accumulate(np.where(starts, np.arange(len(ranked)), 0))
    turn = np.empty(len(ranked), dtype=np.int64)
    turn[order] = np.arange(len(ranked)) - begin
    old = np.empty(len(place), dtype=dtype)
    for number in range(int(turn.max()) + 1):
        mine = turn == number
        before = view[place[mine]]
        old[mine] = before
        after = formula(before, first[mine], second[mine])
        if np.ascontiguousarray(after).tobytes() != before.tobytes():
            store.version += 1
        view[place[mine]] = after
    return old


def modify_spans(
    spans: list[Span], shape: tuple[int, ...], data: U32, second: U32, formula: Formula, dtype: Any
) -> U32:
    """Apply an atomic to every lane of the spans; data and second are [dwords, *shape]. Returns the old dwords."""
    dwords = np.dtype(dtype).itemsize // 4
    old = np.zeros((dwords, *shape), dtype=np.uint32)
    for span in spans:
        if not span.buffer.writable:
            raise EmulatorError(f"an atomic goes to {span.buffer.name}, which is read-only")
        lanes = np.ones(shape, dtype=np.bool_) if span.lanes is None else span.lanes
        span.buffer.touch(span.index[lanes], 4 * dwords)
        operands = [_elements(words[:, lanes], dtype) for words in (data, second)]
        before = modify(span.buffer, span.index[lanes], operands[0], operands[1], formula, dtype)
        old[:, lanes] = np.ascontiguousarray(before).view(np.uint32).reshape(-1, dwords).T
    return old


def _elements(words: U32, dtype: Any) -> Array:
    """Join dwords [k, n] into elements [n]."""
    elements: Array = np.ascontiguousarray(words.T).view(dtype)[..., 0]
    return elements

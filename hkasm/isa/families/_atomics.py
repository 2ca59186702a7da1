"""The integer read-modify-writes that SMEM, buffer, global and flat instructions share.

A row: name in the mnemonic, number from the family's first atomic opcode, `MemSpec.atomic`, element type (its width
filled in: 32, or 64 for `_x2`), formula. The `_x2` opcodes lie 0x20 higher.
"""

from __future__ import annotations

from typing import Final

ATOMIC_ROWS: Final = (
    ("swap", 0, "swap", "b{}", "MEM = DATA"),
    ("cmpswap", 1, "cmpswap", "b{}", "MEM = MEM == DATA[1] ? DATA[0] : MEM"),
    ("add", 2, "add", "u{}", "MEM = MEM + DATA"),
    ("sub", 3, "sub", "u{}", "MEM = MEM - DATA"),
    ("smin", 4, "min", "i{}", "MEM = min(MEM, DATA) signed"),
    ("umin", 5, "min", "u{}", "MEM = min(MEM, DATA) unsigned"),
    ("smax", 6, "max", "i{}", "MEM = max(MEM, DATA) signed"),
    ("umax", 7, "max", "u{}", "MEM = max(MEM, DATA) unsigned"),
    ("and", 8, "and", "b{}", "MEM = MEM & DATA"),
    ("or", 9, "or", "b{}", "MEM = MEM | DATA"),
    ("xor", 10, "xor", "b{}", "MEM = MEM ^ DATA"),
    ("inc", 11, "inc", "u{}", "MEM = MEM >= DATA ? 0 : MEM + 1"),
    ("dec", 12, "dec", "u{}", "MEM = MEM == 0 or MEM > DATA ? DATA : MEM - 1"),
)
WIDE_STEP: Final = 0x20
ATOMIC_FIRST: Final = 0x40
"""Opcode of the first vector memory atomic (buffer, global and flat)."""

FLOAT_ATOMIC_ROWS: Final = (
    ("add_f32", 0x4D, "add", "f32", "MEM = MEM + DATA"),
    ("pk_add_f16", 0x4E, "add", "pkf16", "MEM = MEM + DATA, two f16"),
    ("add_f64", 0x4F, "add", "f64", "MEM = MEM + DATA"),
    ("min_f64", 0x50, "min", "f64", "MEM = min(MEM, DATA)"),
    ("max_f64", 0x51, "max", "f64", "MEM = max(MEM, DATA)"),
    ("pk_add_bf16", 0x52, "add", "pkbf16", "MEM = MEM + DATA, two bf16"),
)


def vector_atomics() -> list[tuple[str, int, str, str, str]]:
    """Every vector memory atomic as (name, opcode, atomic, elem, formula)."""
    rows = [(name, ATOMIC_FIRST + op, atomic, elem.format(32), doc) for name, op, atomic, elem, doc in ATOMIC_ROWS]
    rows += [
        (f"{name}_x2", ATOMIC_FIRST + WIDE_STEP + op, atomic, elem.format(64), doc)
        for name, op, atomic, elem, doc in ATOMIC_ROWS
    ]
    return rows + list(FLOAT_ATOMIC_ROWS)

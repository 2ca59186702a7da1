"""The data that generated programs work on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from support.clangdiff.model import BITS, OWN_BYTES, SHARED_BYTES, UNIFORM_SLOTS, Program

SPECIAL = {
    "f16": (0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x83FF, 0x7BFF, 0x0400, 0x3555),
    "bf16": (0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0x0001, 0x807F, 0x7F7F, 0x0080, 0x3EAB),
    "f32": (
        0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0x7F7FFFFF, 0x00800000,
        0x4F000000,
    ),
    "f64": (
        0, 1 << 63, 0x3FF << 52, 0xBFF << 52, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 1, (1 << 63) | ((1 << 52) - 1),
        0x7FEFFFFFFFFFFFFF, 1 << 52, 0x41E0000000000000,
    ),
}  # fmt: skip
HALVES = {"f16x2": "f16", "f32x2": "f32", "i16x2": "i16", "u16x2": "u16"}


def fill(rng: np.random.Generator, type_: str, count: int) -> NDArray[np.uint64]:
    """Bits of `count` values: small and large numbers, specials, any bits (NaNs are made quiet by the program)."""
    if type_ in HALVES:
        half = HALVES[type_]
        return fill(rng, half, count) | (fill(rng, half, count) << np.uint64(BITS[half]))
    bits = BITS[type_]
    mask = np.uint64((1 << bits) - 1)
    wild = rng.integers(0, 1 << 64, count, np.uint64)
    kind = rng.random(count)
    if type_ in SPECIAL:
        special = np.array(SPECIAL[type_], np.uint64)[rng.integers(0, 12, count)]
        normal = rng.standard_normal(count) * np.exp2(rng.integers(-6, 12, count))
        if type_ == "f64":
            usual = normal.view(np.uint64)
        elif type_ == "f32":
            usual = normal.astype(np.float32).view(np.uint32).astype(np.uint64)
        elif type_ == "f16":
            usual = normal.astype(np.float16).view(np.uint16).astype(np.uint64)
        else:
            usual = (normal.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint64)
        return np.where(kind < 0.6, usual, np.where(kind < 0.8, special, wild)) & mask
    small = rng.integers(-20, 300, count).astype(np.uint64)
    edge = np.uint64(1) << rng.integers(0, bits, count).astype(np.uint64)
    edge = edge - rng.integers(0, 2, count).astype(np.uint64)
    return np.where(kind < 0.35, small, np.where(kind < 0.5, edge, wild)) & mask


@np.errstate(over="ignore")
def inputs(program: Program) -> tuple[bytes, bytes, int, int, float]:
    """Input buffer, memory buffer, and the three arguments k0, k1, k2 of a program."""
    rng = np.random.default_rng(program.seed)
    tables = np.zeros((2, UNIFORM_SLOTS), np.uint64)
    rows = np.zeros((program.lanes, program.row_bytes // 8), np.uint64)
    for variable in program.variables:
        if variable.uniform:
            tables[:, variable.slot] = fill(rng, variable.type, 2)
        else:
            rows[:, variable.slot] = fill(rng, variable.type, program.lanes)
    memory = rng.integers(0, 256, program.lanes * OWN_BYTES, np.uint8).tobytes() + bytes(SHARED_BYTES)
    numbers = (int(rng.integers(0, 1000)), int(rng.integers(0, 1 << 63)), float(np.float32(rng.standard_normal())))
    return tables.tobytes() + rows.tobytes(), memory, *numbers

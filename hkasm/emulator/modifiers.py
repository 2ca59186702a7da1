"""Modifiers: what stands between a register and an instruction's meaning, and between the meaning and a register.

Sources: abs, neg, op_sel, SDWA selection, DPP lane moves, flushing of denormals. Results: omod, clamp, SDWA placement.
Each wraps a fetch or a store, once, when the instruction is compiled (CDNA3 ISA, chapters on VALU modifiers and on the
SDWA and DPP encodings).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch
from hkasm.emulator.operands import DTYPES, PACKED, Fetch, Put
from hkasm.errors import EmulatorError
from hkasm.isa.constants import FLOAT_TYPES, TYPE_BITS
from hkasm.isa.numerics import flush_denormals

__all__ = [
    "clamped", "dpp_source", "dpp_write_mask", "flushed_source", "high_half", "packed_halves", "sdwa_result",
    "sdwa_source", "scaled_result", "signed_source", "with_dpp",
]  # fmt: skip

Array = NDArray[Any]
Mask = NDArray[np.bool_]


# ---- sources --------------------------------------------------------------------------------------------------------


def signed_source(fetch: Fetch, type_name: str, *, negate: bool, absolute: bool) -> Fetch:
    """Apply abs, then neg, to a source. Untyped dwords are taken as f32, as `v_cndmask_b32` does."""
    if not (negate or absolute):
        return fetch
    width = 16 if type_name in ("bf16", "pkbf16") else TYPE_BITS[type_name]
    if type_name in FLOAT_TYPES and type_name not in ("bf16", "pkbf16"):

        def fetch_float(b: Batch) -> Array:
            value = fetch(b)
            if absolute:
                value = np.abs(value)
            negated: Array = -value if negate else value
            return negated

        return fetch_float
    dtype = DTYPES[type_name]
    unsigned = np.dtype(f"u{dtype().itemsize}").type
    sign = unsigned(1 << (width - 1))

    def fetch_bits(b: Batch) -> Array:
        value = fetch(b).view(unsigned)
        if absolute:
            value = value & ~sign
        bits: Array = (value ^ sign if negate else value).view(dtype)
        return bits

    return fetch_bits


def flushed_source(fetch: Fetch) -> Fetch:
    """Flush denormal inputs to zeros of their sign."""
    return lambda b: flush_denormals(fetch(b))


def high_half(fetch_pair: Fetch) -> Fetch:
    """Take the high half of a packed fetch (op_sel of a 16-bit source)."""
    return lambda b: fetch_pair(b)[..., 1]


def packed_halves(fetch: Fetch, low: int, high: int, *, negate_low: bool, negate_high: bool, floating: bool) -> Fetch:
    """Choose and negate the two elements of a packed source: element `low` becomes the first, `high` the second."""
    if (low, high) == (0, 1) and not (negate_low or negate_high):
        return fetch
    signs = np.array([-1 if negate_low else 1, -1 if negate_high else 1])
    plain = not (negate_low or negate_high)

    def fetch_halves(b: Batch) -> Array:
        value = fetch(b)
        if (low, high) != (0, 1):
            value = value[..., [low, high]]
        if plain:
            return value
        if floating:
            return np.where(signs < 0, -value, value)
        return (value.view(np.uint16) ^ np.where(signs < 0, 0x8000, 0).astype(np.uint16)).view(value.dtype)

    return fetch_halves


_SDWA_BYTES = {0: (0, 8), 1: (8, 8), 2: (16, 8), 3: (24, 8), 4: (0, 16), 5: (16, 16)}


def sdwa_source(fetch_bits: Fetch, select: int, extend: bool, type_name: str) -> Fetch:
    """Select a byte or word of a dword source and extend it; a 16-bit operand takes the low half of that."""
    dtype = DTYPES[type_name]
    narrow = TYPE_BITS[type_name] == 16

    def fetch(b: Batch) -> Array:
        value = fetch_bits(b)
        if select in _SDWA_BYTES:
            shift, width = _SDWA_BYTES[select]
            if extend:
                up = 32 - shift - width
                value = ((value << np.uint32(up)).view(np.int32) >> np.int32(32 - width)).view(np.uint32)
            else:
                value = (value >> np.uint32(shift)) & np.uint32((1 << width) - 1)
        elif select != 6:
            raise EmulatorError(f"SDWA selection {select} does not exist")
        if narrow:
            return value.astype(np.uint16).view(dtype)
        return value.view(dtype)

    return fetch


# ---- results --------------------------------------------------------------------------------------------------------


def scaled_result(put: Put, omod: int) -> Put:
    """Multiply a float result by 2, 4 or 1/2."""
    factor = {1: 2.0, 2: 4.0, 3: 0.5}[omod]

    def store(b: Batch, value: Any) -> None:
        put(b, value * value.dtype.type(factor))

    return store


def clamped(put: Put) -> Put:
    """Clamp a float result to 0..1; a NaN becomes 0 (DX10_CLAMP)."""

    def store(b: Batch, value: Any) -> None:
        zero, one = value.dtype.type(0), value.dtype.type(1)
        put(b, np.where(np.isnan(value), zero, np.clip(value, zero, one)))

    return store


def sdwa_result(put: Put, fetch_old: Fetch, select: int, unused: int) -> Put:
    """Place a result in a byte or word of the destination dword; `unused`: 0 clear, 1 sign-extend, 2 keep the rest."""
    if select == 6:
        return put
    shift, width = _SDWA_BYTES[select]
    field = np.uint32(((1 << width) - 1) << shift)

    def store(b: Batch, value: Any) -> None:
        array = np.asarray(value)
        raw = array.view(np.dtype(f"u{array.dtype.itemsize}")).astype(np.uint32)
        placed = (raw << np.uint32(shift)) & field
        if unused == 2:
            placed = placed | (fetch_old(b) & ~field)
        elif unused == 1:
            up = 32 - width
            extended = ((raw << np.uint32(up)).view(np.int32) >> np.int32(up)).view(np.uint32)
            placed = extended << np.uint32(shift)
        put(b, placed)

    return store


# ---- DPP ------------------------------------------------------------------------------------------------------------


@cache
def dpp_source(control: int) -> tuple[NDArray[np.intp], Mask]:
    """Return the source lane of every lane and whether it exists (CDNA3 ISA, DPP_CTRL; rows have 16 lanes)."""
    lane = np.arange(64)
    row, place = lane & ~15, lane & 15
    valid = np.ones(64, dtype=np.bool_)
    if control <= 0xFF:
        select = np.array([control >> 2 * position & 3 for position in range(4)])
        return (lane & ~3) + select[lane & 3], valid
    amount = control & 15
    kind = control & 0x1F0
    if kind == 0x100 and amount:  # row_shl: data moves to lower lanes
        return np.where(place + amount < 16, lane + amount, lane), place + amount < 16
    if kind == 0x110 and amount:  # row_shr
        return np.where(place >= amount, lane - amount, lane), place >= amount
    if kind == 0x120 and amount:  # row_ror
        return row + (place - amount) % 16, valid
    if control == 0x130:  # wave_shl:1
        return np.minimum(lane + 1, 63), lane < 63
    if control == 0x134:  # wave_rol:1
        return (lane + 1) % 64, valid
    if control == 0x138:  # wave_shr:1
        return np.maximum(lane - 1, 0), lane > 0
    if control == 0x13C:  # wave_ror:1
        return (lane - 1) % 64, valid
    if control == 0x140:  # row_mirror
        return row + 15 - place, valid
    if control == 0x141:  # row_half_mirror
        return (lane & ~7) + 7 - (lane & 7), valid
    if control == 0x142:  # row_bcast:15
        return np.maximum(row - 1, 0), lane >= 16
    if control == 0x143:  # row_bcast:31
        return np.full(64, 31), lane >= 32
    if kind == 0x150:  # row_newbcast
        return row + amount, valid
    raise EmulatorError(f"DPP control {control:#x} does not exist")


@cache
def dpp_write_mask(row_mask: int, bank_mask: int) -> Mask:
    """Return the lanes that row_mask and bank_mask let be written."""
    lane = np.arange(64)
    return ((row_mask >> (lane >> 4) & 1) & (bank_mask >> (lane >> 2 & 3) & 1)).astype(np.bool_)


def with_dpp(fetch: Fetch, control: int, bound_zero: bool) -> Fetch:
    """Move a source between lanes; lanes without a source, or whose source is inactive, read 0 or are not written."""
    source, exists = dpp_source(control)

    def moved(b: Batch) -> Array:
        value = np.broadcast_to(fetch(b), (b.waves, 64))[:, source]
        if bound_zero:
            there = exists if b.lanes is None else exists & b.lanes[:, source]
            value = np.where(there, value, value.dtype.type(0))
        return value

    return moved


def dpp_lanes(control: int, row_mask: int, bank_mask: int, bound_zero: bool) -> Any:
    """Return the function that gives the lanes a DPP instruction writes, EXEC included."""
    source, exists = dpp_source(control)
    allowed = dpp_write_mask(row_mask, bank_mask)

    def lanes(b: Batch) -> Mask:
        mask = np.broadcast_to(allowed, (b.waves, 64))
        if not bound_zero:
            mask = mask & exists
            if b.lanes is not None:
                mask = mask & b.lanes[:, source]
        return mask if b.lanes is None else mask & b.lanes

    return lanes


def is_packed(type_name: str) -> bool:
    return type_name in PACKED

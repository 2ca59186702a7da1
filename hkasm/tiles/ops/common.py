"""What all tile operations share: refusals that name what is legal, matching of tiles, temporary registers.

Operations write their instructions in place and nothing else: waits for what they read are the caller's (`k.wait`),
wait states are `k.fix_hazards`'s. An operation that sends values through the LDS unit and back waits for those alone.
Temporaries are allocated for the length of an operation; a kernel that decides every register gives them (`temps`).
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from hkasm.asm.builder import Builder
from hkasm.asm.emitter import caller_origin
from hkasm.errors import RegisterError, UsageError
from hkasm.isa.registers import Register
from hkasm.tiles.register import RegTile, RegVec

Scalar: TypeAlias = float | Register
"""A number, or an SGPR that holds one."""
Rounding: TypeAlias = str

FLOATS = ("f32", "f16", "bf16", "fp8", "bf8")
"""Dtypes that elementwise operations and reductions know."""


def refuse(name: str, what: str, legal: str) -> UsageError:
    """Return the error of an operation that is not legal, naming what is."""
    return UsageError(f"{name}: {what}", where=caller_origin(), hint=f"legal: {legal}")


def require_dtype(name: str, dtype: str, legal: Sequence[str], arch: str) -> None:
    """Raise UsageError for a dtype that an operation does not take on an arch."""
    if dtype not in legal:
        raise refuse(name, f"no {dtype} on {arch}", ", ".join(legal))


def require_vgprs(name: str, *operands: RegTile | RegVec) -> None:
    """Raise UsageError for an operand with a piece in AGPRs, which only moves, memory and matrix instructions reach."""
    for operand in operands:
        if any(piece.file != "v" for piece in operand):
            raise refuse(name, f"{operand.name} is in AGPRs", "VGPRs; copy(k, vgpr_tile, agpr_tile) moves a tile")


def require_same(name: str, first: RegTile, *others: RegTile, dtype: bool = True) -> None:
    """Raise UsageError unless all tiles have the first one's size, base shape and layout (and dtype)."""
    for other in others:
        if _grid(other) != _grid(first):
            raise refuse(name, f"{other.name} is {describe(other)}, {first.name} is {describe(first)}", "equal tiles")
        if dtype and other.dtype != first.dtype:
            raise refuse(
                name, f"{other.name} is {other.dtype}, {first.name} is {first.dtype}", "one dtype; convert() changes it"
            )


def _grid(tile: RegTile) -> tuple[object, ...]:
    return tile.rows, tile.cols, tile.shape, tile.layout


def describe(tile: RegTile) -> str:
    """Return a tile's kind in words: ``32x64 bf16 of rt_16x32, row layout``."""
    return f"{tile.rows}x{tile.cols} {tile.dtype} of {tile.shape.name}, {tile.layout} layout"


def require_vec(name: str, vec: RegVec, tile: RegTile, dtypes: Sequence[str] = ("f32",)) -> None:
    """Raise UsageError unless a vector is f32 and laid out for a tile's rows or columns."""
    if vec.dtype not in dtypes:
        raise refuse(name, f"{vec.name} is a vector of {vec.dtype}", ", ".join(dtypes))
    length = tile.rows if vec.along == "row" else tile.cols
    kind = "ortho" if tile.layout == vec.along else "align"
    if vec.length != length or vec.kind != kind or vec.shape != tile.shape or vec.layout != tile.layout:
        raise refuse(
            name,
            f"{vec.name} ({vec.kind} of {vec.length} for {vec.shape.name}) does not go along {tile.name}",
            f"RegVec.for_rows or for_cols of a tile like it ({describe(tile)})",
        )


@contextmanager
def temporaries(k: Builder, name: str, count: int, given: Register | None = None) -> Iterator[Register]:
    """Lend `count` VGPRs, aligned as tuples are: those given, or freshly allocated and freed behind.

    Raises RegisterError for too few given.
    """
    if given is not None:
        if given.file != "v" or given.count < count or (count > 1 and given.index % 2):
            raise RegisterError(
                f"{name}: wants {count} temporary VGPRs from an even number on, got {given}", where=caller_origin()
            )
        yield given[0:count]
        return
    taken = k.vgpr(f"{name} temporaries", count, align=2)
    try:
        yield taken
    finally:
        k.free(taken)


@contextmanager
def optional_temporaries(k: Builder, name: str, count: int, given: Register | None = None) -> Iterator[Register | None]:
    """Do as `temporaries`, or lend None where none are wanted."""
    if not count:
        yield None
        return
    with temporaries(k, name, count, given) as lent:
        yield lent


@contextmanager
def scalars(k: Builder, name: str, count: int) -> Iterator[Register]:
    """Lend SGPRs for the length of an operation, pairs at even numbers."""
    taken = k.sgpr(f"{name} scalars", count, align=2)
    try:
        yield taken
    finally:
        k.free(taken)


def f32_bits(value: float) -> int:
    """Return a number's bits as f32, rounded to nearest even; infinity beyond its range."""
    if value != value:
        return 0x7FC0_0000
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0x7F80_0000 if value > 0 else 0xFF80_0000


def f16_bits(value: float) -> int:
    """Return a number's bits as f16, rounded to nearest even; infinity beyond its range."""
    if value != value:
        return 0x7E00
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def pair_of(low: Register, high: Register, readable: Container[int]) -> tuple[Register, int, int] | None:
    """Return the even pair that holds two registers and which half each is, or None where there is none.

    Scalar pairs are always readable; of VGPRs both halves must have `readable` numbers (else a neighbour would be
    waited for). `low` and `high` may be the same register, which serves both elements of a packed operation.
    """
    start = low.index & ~1
    if high.file != low.file or high.index & ~1 != start:
        return None
    pair = Register(low.file, start, 2, low.name)
    if low.file != "s" and low == high and not (start in readable and start + 1 in readable):
        return None
    return pair, low.index & 1, high.index & 1

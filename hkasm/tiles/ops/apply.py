"""Elementwise operations on whole tiles, single base tiles (`tile.sub(i, j)`) and vectors.

``add(k, d, x, y)`` writes d = x + y: `d` and `x` are tiles of one kind, `y` a tile like them, a vector of f32 for the
rows or columns of the tile, a number, or an SGPR. The SGPR holds what the arithmetic works on: f32, and for f16 tiles
an f16 in its low half. `d` may be any of the sources. Vectors alone (of f32, one kind) go the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.errors import did_you_mean
from hkasm.isa.registers import Register
from hkasm.tiles.ops.common import (
    FLOATS,
    Scalar,
    describe,
    f32_bits,
    optional_temporaries,
    refuse,
    require_dtype,
    require_same,
    require_vec,
    require_vgprs,
    temporaries,
)
from hkasm.tiles.ops.elementwise import OPERATIONS, Elementwise
from hkasm.tiles.ops.halves import MIXED, emit_f16
from hkasm.tiles.ops.lanes import Lanes, Operand, Values, lanes
from hkasm.tiles.ops.packing import PER_DWORD, Rounder, rounder, widen
from hkasm.tiles.register import RegTile, RegVec

Argument = RegTile | RegVec | Scalar
CHUNK = 4
"""Elements that go through temporaries together: enough to hide a transcendental's wait state."""


def apply(k: Builder, name: str, d: RegTile | RegVec, *arguments: Argument, temps: Register | None = None) -> None:
    """Emit an elementwise operation by name: d = name(arguments).

    `temps` are VGPRs (an even start) to work in; `temporaries_of` says how many.

    Raises:
        UsageError: no such operation, or operands that it does not take; the hint names those it takes.
    """
    op = OPERATIONS.get(name)
    if op is None:
        raise refuse(name, "no such operation", did_you_mean(name, OPERATIONS) or ", ".join(OPERATIONS))
    if len(arguments) != op.arity:
        raise refuse(name, f"{len(arguments)} sources given", f"{op.arity}")
    _check(k, op, d, arguments)
    if name == "div" and not isinstance(arguments[1], (RegTile, int, float)) and isinstance(d, RegTile):
        _divide(k, d, arguments[0], arguments[1], temps)
        return
    if name == "div" and isinstance(arguments[1], (int, float)):
        op, arguments = OPERATIONS["mul"], (arguments[0], _reciprocal(arguments[1]))
    tiles = sum(isinstance(argument, RegTile) for argument in arguments)
    vectors = [register for argument in arguments if isinstance(argument, RegVec) for register in argument.pieces]
    count = temporaries_of(op.name, k.arch.name, d.dtype, tiles, vectors=bool(vectors))
    with (
        optional_temporaries(k, name, count, temps) as work,
        lanes(k, *vectors) as alu,
        rounder(k, name, d.dtype, exact=op.exact and all(map(_is_bf16, arguments))) as rounding,
    ):
        for part in _parts(d, arguments):
            _emit(k, alu, rounding, op, d.dtype, part, work)


def temporaries_of(name: str, arch: str, dtype: str, tiles: int = 1, *, vectors: bool = False) -> int:
    """Return how many temporary VGPRs an operation wants on tiles of a dtype.

    `tiles` of its sources are tiles; `vectors` says whether others are. Rounding to bf16 on gfx942 takes four more,
    which are always allocated.
    """
    op = OPERATIONS[name]
    if dtype == "f16" and (name == "div" or (name in MIXED if vectors else op.f16)):
        return 2 if name == "div" else 0
    if dtype == "f32" or (tiles and _moves_bits(op, dtype, arch)) or _on_bits(op, dtype):
        return CHUNK * op.spare
    return CHUNK * (op.spare + max(tiles, 1))


def _is_bf16(argument: Argument) -> bool:
    """Tell whether every value of an argument of a bf16 operation is a bf16."""
    if isinstance(argument, (int, float)):
        return f32_bits(argument) & 0xFFFF == 0
    return isinstance(argument, RegTile)


# ---- what may be combined ------------------------------------------------------------------------------------------


def _check(k: Builder, op: Elementwise, d: RegTile | RegVec, arguments: Sequence[Argument]) -> None:
    require_dtype(op.name, d.dtype, FLOATS, k.arch.name)
    operands = [argument for argument in arguments if isinstance(argument, (RegTile, RegVec))]
    require_vgprs(op.name, d, *operands)
    if isinstance(d, RegVec):
        _check_vectors(op, d, arguments)
        return
    if not any(isinstance(operand, RegTile) for operand in operands) and op.name != "copy":
        raise refuse(op.name, "no source is a tile", f"{describe(d)} for at least one")
    for argument in arguments:
        if isinstance(argument, RegTile):
            require_same(op.name, d, argument)
        elif isinstance(argument, RegVec):
            require_vec(op.name, argument, d)
        elif isinstance(argument, Register) and (argument.file != "s" or argument.count != 1):
            raise refuse(op.name, f"{argument} as a scalar", "a number, or one SGPR")
    scalars = {argument for argument in arguments if isinstance(argument, Register)}
    numbers = sum(isinstance(argument, (int, float)) for argument in arguments)
    if len(scalars) + numbers > 1:
        raise refuse(op.name, "two scalars", "one number or SGPR (an instruction reads one)")


def _check_vectors(op: Elementwise, d: RegVec, arguments: Sequence[Argument]) -> None:
    require_dtype(op.name, d.dtype, ("f32",), "any arch, for vectors")
    for argument in arguments:
        if isinstance(argument, RegTile):
            raise refuse(op.name, f"{argument.name} is a tile, {d.name} a vector", "vectors and scalars")
        if isinstance(argument, RegVec) and (
            (argument.kind, argument.length, argument.shape, argument.layout, argument.dtype)
            != (d.kind, d.length, d.shape, d.layout, d.dtype)
        ):
            raise refuse(op.name, f"{argument.name} is another kind of vector than {d.name}", "one kind")


# ---- base tile by base tile ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """One base tile: the registers of the result and of each source.

    A tile's are its registers, a vector's the value of each element or one for all.
    """

    d: Register
    sources: tuple[Register | Operand, ...]
    tiles: tuple[bool, ...]


def _parts(d: RegTile | RegVec, arguments: Sequence[Argument]) -> Iterator[Part]:
    if isinstance(d, RegVec):
        for number in range(len(d)):
            sources = tuple(_of_vector(argument, number) for argument in arguments)
            yield Part(d[number], sources, tuple(isinstance(argument, RegVec) for argument in arguments))
        return
    tiles = tuple(isinstance(argument, RegTile) for argument in arguments)
    for i in range(d.height):
        for j in range(d.width):
            yield Part(d[i, j], tuple(_source(argument, i, j) for argument in arguments), tiles)


def _of_vector(argument: Argument, number: int) -> Register | Operand:
    assert not isinstance(argument, RegTile)
    return argument[number] if isinstance(argument, RegVec) else argument


def _source(argument: Argument, i: int, j: int) -> Register | Operand:
    if isinstance(argument, RegTile):
        return argument[i, j]
    if isinstance(argument, RegVec):
        part = argument[i if argument.along == "row" else j]
        return part if argument.kind == "ortho" else list(part)
    return argument


def _emit(
    k: Builder, alu: Lanes, rounding: Rounder, op: Elementwise, dtype: str, part: Part, work: Register | None
) -> None:
    if part.tiles[0] and _moves_bits(op, dtype, k.arch.name):
        assert op.bits is not None
        for target, source in zip(part.d, _registers(part.sources[0]), strict=True):
            op.bits(k, target, source, 32 // PER_DWORD[dtype])
    elif _on_bits(op, dtype):
        for target, source in zip(part.d, _registers(part.sources[0]), strict=True):
            k.v_pk_max_i16(target, source, 0)
    elif dtype == "f32":
        _emit_f32(alu, op, part, work)
    elif dtype == "f16" and emit_f16(alu, op, part.d, part.sources, part.tiles, work):
        return
    else:
        _emit_wide(alu, rounding, op, dtype, part, work)


def _moves_bits(op: Elementwise, dtype: str, arch: str) -> bool:
    """The sign bit alone is NaN in the 8-bit floats of gfx942 (FNUZ), so that no sign can be flipped there."""
    fnuz = dtype in ("fp8", "bf8") and arch == "gfx942"
    return op.bits is not None and not (fnuz and op.name != "copy")


def _on_bits(op: Elementwise, dtype: str) -> bool:
    """bf16 is ordered like an integer of 16 bits, as long as the sign is the same."""
    return op.name == "relu" and dtype == "bf16"


def _emit_f32(alu: Lanes, op: Elementwise, part: Part, work: Register | None) -> None:
    targets = list(part.d)
    step = CHUNK if op.spare else len(targets)
    for first in range(0, len(targets), step):
        chosen = slice(first, min(first + step, len(targets)))
        sources = [_cut(source, chosen, tile) for source, tile in zip(part.sources, part.tiles, strict=True)]
        op.f32(alu, targets[chosen], sources, _spare(op, work, 0, chosen.stop - first))


def _emit_wide(alu: Lanes, rounding: Rounder, op: Elementwise, dtype: str, part: Part, work: Register | None) -> None:
    """Widen, compute in f32, round: a chunk of elements at a time, the result in the first tile's temporaries."""
    per_dword, tiles = PER_DWORD[dtype], sum(part.tiles)
    dwords = max(CHUNK // per_dword, 1)
    for first in range(0, part.d.count, dwords):
        last = min(first + dwords, part.d.count)
        elements = slice(first * per_dword, last * per_dword)
        count = elements.stop - elements.start
        sources: list[Operand] = []
        results: Values = []
        done = 0
        for source, tile in zip(part.sources, part.tiles, strict=True):
            if not tile:
                sources.append(_cut(source, elements, tile))
                continue
            assert work is not None
            values = list(work[done * CHUNK : done * CHUNK + count])
            done += 1
            for dword in range(first, last):
                at = (dword - first) * per_dword
                widen(alu.k, dtype, _registers(source)[dword], values[at : at + per_dword])
            results = results or values
            sources.append(values)
        if not results:
            assert work is not None
            results = list(work[0:count])
        op.f32(alu, results, sources, _spare(op, work, tiles, count))
        for dword in range(first, last):
            at = (dword - first) * per_dword
            rounding.pack(part.d[dword], results[at : at + per_dword])


def _spare(op: Elementwise, work: Register | None, used: int, count: int) -> list[list[Register]]:
    if not op.spare:
        return []
    assert work is not None
    return [list(work[(used + n) * CHUNK : (used + n) * CHUNK + count]) for n in range(op.spare)]


def _cut(source: Register | Operand, chosen: slice, tile: bool) -> Operand:
    if tile:
        return list(_registers(source))[chosen]
    return source[chosen] if isinstance(source, list) else source


def _registers(source: Register | Operand) -> Register:
    assert isinstance(source, Register)
    return source


# ---- division by what is not a tile --------------------------------------------------------------------------------


def _reciprocal(value: float) -> float:
    if value == 0:
        return float("-inf") if str(float(value)).startswith("-") else float("inf")
    return 1 / value


def _divide(k: Builder, d: RegTile, x: Argument, y: RegVec | Register, temps: Register | None) -> None:
    """Take the reciprocals of a vector or an SGPR once, then multiply."""
    pieces = y.pieces if isinstance(y, RegVec) else (y,)
    inverse = sum(piece.count for piece in pieces)
    more = temporaries_of("mul", k.arch.name, d.dtype)
    with temporaries(k, "div", inverse + inverse % 2 + more, temps) as work:
        taken, done = [], 0
        for piece in pieces:
            taken.append(work[done : done + piece.count])
            done += piece.count
            for target, source in zip(taken[-1], piece, strict=True):
                if d.dtype == "f16" and not isinstance(y, RegVec):
                    k.v_cvt_f32_f16(target, source)
                    source = target
                k.v_rcp_f32(target, source)
        rest = work[inverse + inverse % 2 :] if more else None
        apply(k, "mul", d, x, _vector_like(y, d, tuple(taken)), temps=rest)


def _vector_like(y: RegVec | Register, d: RegTile, pieces: tuple[Register, ...]) -> RegVec:
    if isinstance(y, RegVec):
        return RegVec("reciprocals", "f32", y.length, y.kind, y.along, y.shape, y.layout, pieces)
    along = d.layout
    length, count = (d.rows, d.height) if along == "row" else (d.cols, d.width)
    return RegVec("reciprocal", "f32", length, "ortho", along, d.shape, d.layout, pieces * count)

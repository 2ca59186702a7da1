"""Constants and copies: tiles of one value, copies between VGPRs and AGPRs, vectors spread over tiles."""

from __future__ import annotations

from math import inf

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.isa.constants import Const
from hkasm.isa.numerics import encode, format_of
from hkasm.isa.registers import Register
from hkasm.tiles.layout import dtype_bits
from hkasm.tiles.ops.apply import apply
from hkasm.tiles.ops.common import f32_bits, refuse, require_same, scalars
from hkasm.tiles.register import RegTile, RegVec

SIX_BIT_RUN = 3
"""Registers after which a pattern of 6-bit elements repeats."""


def code_of(dtype: str, arch: str, value: float) -> int:
    """Return a number's bits in a dtype, rounded to nearest even. Raises UsageError for one that the dtype lacks."""
    if dtype in ("i32", "i8"):
        bits = dtype_bits(dtype)
        if (
            value != value
            or value in (inf, -inf)
            or value != int(value)
            or not -(1 << bits - 1) <= value < 1 << bits - 1
        ):
            raise refuse("fill", f"{dtype} has no {value}", "whole numbers in its range")
        return int(value) & (1 << bits) - 1
    if dtype in ("f32", "xf32"):
        return f32_bits(value)
    if dtype == "f64":
        return int(np.float64(value).view(np.uint64))
    fmt = format_of(dtype, arch)
    if value != value and fmt.nan_code < 0:
        raise refuse("fill", f"{dtype} has no NaN", "a number")
    if value in (inf, -inf) and fmt.inf_code < 0:
        raise refuse("fill", f"{dtype} has no infinity on {arch}", "a finite number")
    return int(encode(np.array([value]), fmt)[0])


def pattern(dtype: str, arch: str, value: float) -> tuple[int, ...]:
    """Return the registers of a run of one value: one, two for f64, three for 6-bit elements."""
    code, bits = code_of(dtype, arch, value), dtype_bits(dtype)
    if bits == 64:
        return code & 0xFFFF_FFFF, code >> 32
    count = SIX_BIT_RUN if bits == 6 else 1
    whole = sum(code << place for place in range(0, 32 * count, bits))
    return tuple(whole >> 32 * number & 0xFFFF_FFFF for number in range(count))


def fill(k: Builder, d: RegTile | RegVec, value: float) -> None:
    """Set every element to a number, rounded to nearest even; VGPRs and AGPRs.

    Raises:
        UsageError: infinity, NaN or a fraction that the dtype has no bits for.
    """
    words = pattern(d.dtype, k.arch.name, value)
    inline = [not Const.of(word, "b32").is_literal for word in words]
    for piece in d:
        if piece.file == "v":
            _fill_vgprs(k, piece, words)
        elif all(inline):
            for number, register in enumerate(piece):
                k.v_accvgpr_write_b32(register, words[number % len(words)])
        else:
            with scalars(k, "fill", len(words)) as held:
                for register, word in zip(held, words, strict=True):
                    k.s_mov_b32(register, word)
                for number, register in enumerate(piece):
                    k.v_accvgpr_write_b32(register, held[number % len(words)])


def _fill_vgprs(k: Builder, piece: Register, words: tuple[int, ...]) -> None:
    """Write registers, two zeros at a time."""
    number = 0
    while number < piece.count:
        if not any(words) and number + 1 < piece.count and (piece.index + number) % 2 == 0:
            k.v_mov_b64(piece[number : number + 2], 0)
            number += 2
        else:
            k.v_mov_b32(piece[number], words[number % len(words)])
            number += 1


def zero(k: Builder, d: RegTile | RegVec) -> None:
    """Set every element to +0."""
    fill(k, d, 0)


def ones(k: Builder, d: RegTile | RegVec) -> None:
    """Set every element to 1."""
    fill(k, d, 1)


def pos_infty(k: Builder, d: RegTile | RegVec) -> None:
    """Set every element to infinity. Raises UsageError for dtypes that have none."""
    fill(k, d, inf)


def neg_infty(k: Builder, d: RegTile | RegVec) -> None:
    """Set every element to minus infinity. Raises UsageError for dtypes that have none."""
    fill(k, d, -inf)


def copy(k: Builder, d: RegTile | RegVec, s: RegTile | RegVec) -> None:
    """d = s: between tiles or vectors of one kind in any files, or a vector spread over a tile's rows or columns.

    Raises:
        UsageError: tiles of different kinds, or a vector that does not go along the tile.
    """
    if isinstance(d, RegVec) or isinstance(s, RegVec):
        apply(k, "copy", d, s)
        return
    require_same("copy", d, s)
    for target, source in zip(d, s, strict=True):
        _copy_piece(k, target, source)


def _copy_piece(k: Builder, target: Register, source: Register) -> None:
    if target == source:
        return
    if target.file == source.file == "v":
        number = 0
        while number < target.count:
            wide = number + 1 < target.count and not (target.index + number) % 2 and not (source.index + number) % 2
            count = 2 if wide else 1
            (k.v_mov_b64 if wide else k.v_mov_b32)(target[number : number + count], source[number : number + count])
            number += count
        return
    move = {"va": k.v_accvgpr_read_b32, "av": k.v_accvgpr_write_b32, "aa": k.v_accvgpr_mov_b32}[
        target.file + source.file
    ]
    for to, value in zip(target, source, strict=True):
        move(to, value)

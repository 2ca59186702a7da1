"""Cases of moves between LDS and registers: every shared shape, register shape, layout and instruction.

The bytes of LDS are written and read as they are, so that nothing but the move knows the tile's layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.runner import WAVES, Bench, Case

from hkasm.errors import UsageError
from hkasm.tiles.access import LDS_READS, LDS_WRITES, legal_instructions
from hkasm.tiles.layout import DTYPE_BITS, TileForm, base_shape
from hkasm.tiles.ops.shared_moves import load_shared, store_shared
from hkasm.tiles.register import RegVec
from hkasm.tiles.shared import SHARED_SHAPES, SharedShape, SharedTile, shared_shape

Array = npt.NDArray[Any]
LDS_BYTES = 32 << 10
WORDS_A_READ = 256


def stored_shape(name: str, dtype: str) -> SharedShape:
    """Return a named shape, or plain rows ``rows_RxC`` for elements that the named ones are not for."""
    if name.startswith("rows_"):
        rows, cols = map(int, name[5:].split("x"))
        return SharedShape(name, rows, cols, DTYPE_BITS[dtype])
    return shared_shape(name, dtype)


@cache
def _size(shape: str, stored: str, dtype: str) -> tuple[int, int] | None:
    """Return the smallest size of whole tiles of both kinds with at least two base tiles, or None where LDS is full."""
    base = base_shape(shape)
    try:
        other = stored_shape(stored, dtype)
    except UsageError:
        return None
    rows, cols = np.lcm(base.rows, other.rows), np.lcm(base.cols, other.cols)
    if rows * cols == base.rows * base.cols:
        rows *= 2
    return (int(rows), int(cols)) if rows * cols * DTYPE_BITS[dtype] <= LDS_BYTES * 8 and rows * cols <= 8192 else None


def shared_tile(case: Case, offset: int) -> SharedTile | None:
    stored = case.form.split()[0]
    size = _size(case.shape, stored, case.dtype)
    if size is None:
        return None
    return SharedTile("A", case.dtype, *size, stored_shape(stored, case.dtype), offset)


def run(k: Bench, case: Case) -> None:
    """`form` is shared shape and instruction."""
    if not hasattr(k, "region"):
        k.region = k.lds("all", LDS_BYTES)  # type: ignore[attr-defined]
    offset = k.region.offset  # type: ignore[attr-defined]
    shared = shared_tile(case, offset)
    assert shared is not None
    instruction = case.form.split()[1]
    tile = k.tile("tile", case.dtype, shared.rows, shared.cols, base_shape(case.shape), case.layout, case.file)
    codes = k.data("codes", case.dtype, shared.rows, shared.cols)
    image = np.stack([_image(shared, wave) for wave in codes])
    raw = RegVec.naive(k, "raw", image.shape[1])
    address = k.vgpr("address")
    k.v_lshlrev_b32(address, 4, k.lane)
    if case.op == "load":
        k.load_words(raw.pieces, image.reshape(WAVES, -1, 64, 4).transpose(0, 1, 3, 2).reshape(WAVES, -1, 64))
        k.ready()
        for number in range(image.shape[1] // WORDS_A_READ):
            k.ds_write_b128(address, raw[0][4 * number : 4 * number + 4], offset=offset + 1024 * number)
        load_shared(k, tile, shared, instruction=instruction)
        k.wait(*tile.pieces)
        k.expect(tile, codes)
        return
    k.fill(tile, codes)
    k.ready()
    for register in raw[0]:
        k.v_mov_b32(register, 0)
    for number in range(image.shape[1] // WORDS_A_READ):
        k.ds_write_b128(address, raw[0][4 * number : 4 * number + 4], offset=offset + 1024 * number)
    store_shared(k, shared, tile, instruction=instruction)
    for number in range(image.shape[1] // WORDS_A_READ):
        k.ds_read_b128(raw[0][4 * number : 4 * number + 4], address, offset=offset + 1024 * number)
    k.wait(*raw.pieces)

    def judge(got: Array, _: Array) -> Array:
        words = got.reshape(WAVES, -1, 4, 64).transpose(0, 1, 3, 2).reshape(WAVES, -1)
        return np.stack([_matrix(shared, wave) != wanted for wave, wanted in zip(words, codes, strict=True)])

    k.expect(raw, codes, judge=judge)


def _places(shared: SharedTile) -> Array:
    row, col = np.meshgrid(np.arange(shared.rows), np.arange(shared.cols), indexing="ij")
    return shared.bit(row, col)


def _image(shared: SharedTile, codes: Array) -> Array:
    """Return the dwords of LDS from the tile's start, a multiple of a wave's b128 writes."""
    width = shared.shape.bits
    words = -(-shared.bytes // 4 // WORDS_A_READ) * WORDS_A_READ
    bits = np.zeros(words * 32, np.uint8)
    places = _places(shared)
    for bit in range(width):
        bits[places + bit] = codes.astype(np.uint64) >> np.uint64(bit) & np.uint64(1)
    return np.packbits(bits, bitorder="little").view(np.uint32)


def _matrix(shared: SharedTile, words: Array) -> Array:
    bits = unpack_bits_of(words)
    places = _places(shared)
    found = np.zeros(places.shape, np.uint64)
    for bit in range(shared.shape.bits):
        found |= bits[places + bit].astype(np.uint64) << np.uint64(bit)
    return found


def unpack_bits_of(words: Array) -> Array:
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), bitorder="little")


PAIRS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "f32": (("rt_16x16", "rt_32x32"), ("st_16x16", "st_32x32", "rows_16x16")),
    "bf16": (
        ("rt_16x16", "rt_32x32", "rt_32x32_8", "rt_16x32", "rt_32x16", "rt_32x16_4", "rt_16x32_4"),
        (*SHARED_SHAPES[:6], "rows_32x64"),
    ),
    "f16": (("rt_16x32", "rt_32x16"), ("st_16x32", "st_32x32")),
    "fp8": (("rt_16x128", "rt_16x32", "rt_32x64"), ("st_16x128", "rows_32x32", "rows_32x64")),
    "i8": (("rt_16x32", "rt_16x64"), ("rows_16x64",)),
    "fp6": (("rt_16x128_32", "rt_32x64_32"), ("st_16x128", "rows_32x64", "rows_16x128")),
    "fp4": (("rt_16x128_32", "rt_32x64_32"), ("rows_16x128", "rows_32x64")),
}


def form_of(case: Case, shared: SharedTile) -> TileForm:
    layout: Any = case.layout
    return TileForm(case.dtype, shared.rows, shared.cols, base_shape(case.shape), layout)


@cache
def legal(case: Case) -> bool:
    """Legal is what the two layouts allow (`tests/tiles/test_access.py` holds that against addresses)."""
    shared = shared_tile(case, 0)
    instruction = case.form.split()[1]
    if shared is None:
        return False
    if case.file == "a" and instruction in ("ds_read_u16", "ds_read_u8", "ds_write_b16", "ds_write_b8"):
        return False
    return instruction in legal_instructions(case.arch, shared, form_of(case, shared), write=case.op == "store")


def cases(arch: str) -> Iterator[Case]:
    for dtype, (shapes, stored) in PAIRS.items():
        for shape in shapes:
            base = base_shape(shape)
            for name in stored:
                for layout in ("row", "col"):
                    if _size(shape, name, dtype) is None or not base._fits(layout):
                        continue
                    for op, table in (("load", LDS_READS), ("store", LDS_WRITES)):
                        for number, instruction in enumerate(table):
                            file = "va"[number % 4 == 1]
                            yield Case("shared", op, arch, dtype, shape, layout, file, f"{name} {instruction}")


__all__ = ["cases", "legal", "run"]

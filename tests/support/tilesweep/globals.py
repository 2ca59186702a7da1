"""Cases of moves between global memory and registers: sizes that end inside the tile, alignments, both layouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.elementwise import FEW, LAYOUTS, size_of
from support.tilesweep.runner import WAVES, Bench, Case

from hkasm.isa.registers import Register
from hkasm.tiles.layout import DTYPE_BITS, base_shape
from hkasm.tiles.memory import GlobalTile
from hkasm.tiles.ops.global_moves import load_global, store_global
from hkasm.tiles.register import RegVec

Array = npt.NDArray[Any]
DTYPES = ("f32", "bf16", "f16", "fp8", "i8", "fp4")
FORMS = ("whole", "tail", "odd", "runtime")
PATTERN = 0xA5


def run(k: Bench, case: Case) -> None:
    """`form` says how the tensor is: as large as the tile, larger and ending inside, unaligned, sizes in SGPRs."""
    shape: Any = base_shape(case.shape)
    rows, cols = size_of(case, 3)
    bits = DTYPE_BITS[case.dtype]
    per_dword = 32 // bits
    have_rows, have_cols = rows, cols
    pitch = cols + 4 * per_dword
    align = 128 // bits
    if case.form != "whole":
        have_rows, have_cols = rows - 5, max(cols - 2 * align, cols % align or align)
    if case.form == "odd":
        have_cols, pitch, align = cols - 3, cols + 1, 1
    pitch += -pitch % per_dword if case.form != "odd" else 0
    length = -(-rows * pitch // (64 * 4 * per_dword)) * 64 * 4 * per_dword
    image = k.data("image", case.dtype, length)
    tile = k.tile("tile", case.dtype, rows, cols, shape, case.layout, case.file)
    pointer, sizes, scratch = k.sgpr("pointer", 2), k.sgpr("sizes", 4), k.sgpr("scratch", 8)
    descriptor = k.sgpr("view", 4, align=4)
    outputs = case.op == "store"
    base, word = (k.stored, k.stored * 4) if outputs else (k.loaded, k.loaded * 4)
    words = length // per_dword
    _point(k, pointer, k.buffers[1] if outputs else k.buffers[0], word)
    runtime = case.form == "runtime"
    dims: list[Any] = [have_rows, have_cols, pitch * bits // 8]
    if runtime:
        for register, number in zip(sizes, dims, strict=False):
            k.s_mov_b32(register, number)
        dims = list(sizes[0:3])
    tensor = GlobalTile("T", case.dtype, pointer, (1, 1, dims[0], dims[1]), (0, 0, dims[2]), align=align)
    view = tensor.view(k, descriptor, (0, 0, 0, 0), rows, cols, scratch)
    inside = np.zeros((rows, cols), bool)
    inside[:have_rows, :have_cols] = True
    places = np.arange(rows)[:, None] * pitch + np.arange(cols)[None, :]
    if not outputs:
        if not k.dry:
            raw = _bytes_of(image, bits).view(np.uint32).reshape(WAVES, words)
            k.words.append(raw)
            k.loaded += words
        load_global(k, tile, view)
        k.wait(*tile.pieces)
        k.expect(tile, np.where(inside, image[:, np.minimum(places, length - 1)], 0))
        return
    k.stored += words
    k.fill(tile, image[:, : rows * cols].reshape(WAVES, rows, cols))
    blank = RegVec.naive(k, "blank", words)
    for register in blank[0]:
        k.v_mov_b32(register, PATTERN * 0x0101_0101)
    k.ready()
    for number in range(words // 256):
        k.s_mov_b32(k.soffset, word + 1024 * number)
        k.buffer_store_dwordx4(blank[0][4 * number : 4 * number + 4], k.offset, k.buffers[1], k.soffset, offen=True)
    k.wait()
    store_global(k, view, tile)
    codes = image[:, : rows * cols].reshape(WAVES, rows, cols)
    wanted = np.stack([_codes_of(np.full(words * 4, PATTERN, np.uint8), bits) for _ in range(WAVES)])
    wanted[:, places[inside]] = codes[:, inside]
    k.expect_memory(base, _bytes_of(wanted, bits))


def _bytes_of(codes: Array, bits: int) -> Array:
    """Return the bytes of codes [waves, n]."""
    if bits == 4:
        return np.ascontiguousarray(codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)
    return np.ascontiguousarray(codes).view(np.uint8)


def _codes_of(memory: Array, bits: int) -> Array:
    if bits == 4:
        return np.stack((memory & 15, memory >> 4), axis=-1).reshape(-1)
    return memory.view({8: np.uint8, 16: np.uint16, 32: np.uint32}[bits]).copy()


def _point(k: Bench, pointer: Register, buffer: Register, byte: int) -> None:
    k.s_and_b32(pointer[1], buffer[1], 0xFFFF)
    k.s_add_u32(pointer[0], buffer[0], byte)
    k.s_addc_u32(pointer[1], pointer[1], 0)


def legal(case: Case) -> bool:
    """AGPRs take no elements below a dword from a load and give no bytes; small elements move by dwords of a row."""
    if DTYPE_BITS[case.dtype] < 8:
        return case.layout == "row" and case.form != "odd" and base_shape(case.shape).stride >= 8
    alone = (case.layout == "col" or case.form == "odd") and DTYPE_BITS[case.dtype] < 32
    return not (case.file == "a" and alone and (case.op == "load" or DTYPE_BITS[case.dtype] == 8))


def cases(arch: str, dtypes: Any, shapes: Any) -> Iterator[Case]:
    for dtype in dtypes:
        for shape in shapes if dtype != "i8" else FEW:
            for layout in LAYOUTS.get(shape, ("row", "col")):
                for form in FORMS if DTYPE_BITS[dtype] >= 8 else FORMS[:2]:
                    for file in "va":
                        for op in ("load", "store"):
                            yield Case("global", op, arch, dtype, shape, layout, file, form)

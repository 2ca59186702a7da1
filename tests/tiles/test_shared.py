"""Shared tiles: every element has its own bytes, published formulas, padding, views, and what a view would break."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.asm.builder import Builder
from hkasm.errors import RegisterError, UsageError
from hkasm.tiles.shared import SHARED_SHAPES, Padding, SharedShape, SharedTile, shared_shape
from hkasm.tiles.swizzle import Swizzle

DTYPES = ("f32", "bf16", "fp8", "fp6", "fp4")


def tiles() -> list[SharedTile]:
    """Every shape with every dtype it has, as a grid of 2 x 3 subtiles."""
    found = []
    for name in SHARED_SHAPES:
        for dtype in DTYPES:
            try:
                shape = shared_shape(name, dtype)
            except UsageError:
                continue
            found.append(SharedTile(name, dtype, 2 * shape.rows, 3 * shape.cols, shape, 64, 2, 8 * shape.bytes))
    shape = SharedShape("padded", 8, 64, 16, Swizzle(((8, 1, 4),)), Padding(512, 16))
    found.append(SharedTile("padded", "bf16", 32, 128, shape, 64, 2, 16384))
    found.append(SharedTile("dense6", "fp6", 32, 256, SharedShape("dense6", 16, 128, 6), 0))
    return found


def grid(tile: SharedTile) -> tuple[np.ndarray, np.ndarray]:
    return np.meshgrid(np.arange(tile.rows), np.arange(tile.cols), indexing="ij")


@pytest.mark.parametrize("tile", tiles(), ids=lambda tile: f"{tile.name}-{tile.dtype}")
def test_elements_have_their_own_bits_inside_the_buffer_and_back(tile: SharedTile) -> None:
    row, col = grid(tile)
    bit = tile.bit(row, col)
    assert np.unique(bit).size == bit.size
    assert bit.min() >= 0
    assert bit.max() + tile.shape.bits <= 8 * tile.bytes
    order = np.sort(bit.ravel())
    assert (np.diff(order) >= tile.shape.bits).all()
    rng = np.random.default_rng(0)
    for r, c in rng.integers(0, (tile.rows, tile.cols), (60, 2)):
        slot = tile.slots - 1
        byte = tile.address(int(r), int(c), slot)
        assert byte == bit[r, c] // 8 + tile.start(slot)
        if bit[r, c] % 8 == 0:
            assert tile.element(byte, slot) == (r, c)


# HipKittens' st_shape.cuh: what the subtile's bytes are multiplied out to, by rows and columns of bf16.
FORMULAS = {
    "st_16x16": lambda o: o,
    "st_16x16_swizzled": lambda o: o ^ (((o % 512) >> 7) << 3),
    "st_16x32": lambda o: o ^ (((o % 1024) >> 9) << 5),
    "st_32x16": lambda o: o ^ (((o % 1024) >> 9) << 4),
    "st_32x32": lambda o: o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4),
    "st_8x32": lambda o: o,
    "st_16x128": lambda o: o ^ (((o % 2048) >> 8) << 4),
}


@pytest.mark.parametrize("name", SHARED_SHAPES)
def test_published_formulas_and_order_of_subtiles(name: str) -> None:
    size = 1 if name == "st_16x128" else 2
    shape = shared_shape(name, "fp8" if size == 1 else "bf16")
    tile = SharedTile("t", "fp8" if size == 1 else "bf16", 2 * shape.rows, 3 * shape.cols, shape)
    row, col = grid(tile)
    number = row // shape.rows * 3 + col // shape.cols
    inside = FORMULAS[name](size * (row % shape.rows * shape.cols + col % shape.cols))
    assert (tile.address(row, col) == number * shape.bytes + inside).all()
    if size == 2:
        wide = shared_shape(name, "f32")
        assert not wide.swizzle


def test_six_bits_take_twelve_bytes_of_sixteen() -> None:
    shape = shared_shape("st_16x128", "fp6")
    linear = SharedShape("linear", 16, 128, 6, chunked=True)
    assert (shape.row_bytes, shape.bytes) == (128, 2048)
    assert linear.bit(3, 17) == 3 * 1024 + 128 + 6
    offset = linear.bit(np.arange(16)[:, None], np.arange(128)[None, :]) // 8
    moved = shape.bit(np.arange(16)[:, None], np.arange(128)[None, :]) // 8
    assert (moved == offset ^ (((offset % 1024) >> 7) << 4)).all()


def test_four_bit_formula() -> None:
    """hkasm's own, by the solver: chunks of 32 elements move by rows 4 to 7 and 8 to 15 of 64 bytes."""
    shape = shared_shape("st_16x128", "fp4")
    offset = shape.linear_bit(np.arange(16)[:, None], np.arange(128)[None, :]) // 8
    moved = shape.bit(np.arange(16)[:, None], np.arange(128)[None, :]) // 8
    assert (moved == offset ^ (((offset % 512) >> 8) << 5) ^ (((offset % 1024) >> 8) << 4)).all()


# ---- views ----------------------------------------------------------------------------------------------------------


def test_views_are_the_parent_plus_a_constant() -> None:
    tile = SharedTile("A", "bf16", 64, 128, shared_shape("st_16x32", "bf16"), 256, 2, 16384)
    view = tile[1, 2:4]
    assert (view.name, view.rows, view.cols, view.origin) == ("A[16:32, 64:128]", 16, 64, (16, 64))
    row, col = grid(view)
    assert (view.address(row, col, 1) == tile.address(row + 16, col + 64, 1)).all()
    assert len(set((view.bit(row, col) - tile.bit(row, col)).ravel().tolist())) == 1
    assert view.element(tile.address(17, 70)) == (1, 6)
    assert view.element(tile.address(0, 0)) is None
    inner = view.sub(slice(0, 16), slice(32, 64))
    assert inner.origin == (16, 96)


def test_a_swizzle_that_a_view_would_break() -> None:
    tile = SharedTile("A", "bf16", 64, 128, shared_shape("st_16x32", "bf16"))
    with pytest.raises(UsageError) as caught:
        tile.sub(slice(8, 16), slice(0, 32))
    assert "A[8:16, 0:32]: starts inside st_16x32, whose swizzle moves its elements otherwise there" in str(
        caught.value
    )
    assert "start at rows by 16 and columns by 32" in str(caught.value)
    free = SharedTile("B", "bf16", 64, 128, shared_shape("st_8x32", "bf16"))
    assert free.sub(slice(8, 16), slice(0, 32)).origin == (8, 0)
    padded = SharedTile("C", "bf16", 64, 64, SharedShape("rows", 1, 64, 16, padding=Padding(512, 16)))
    assert padded.sub(slice(4, 64), slice(0, 64)).origin == (4, 0)
    with pytest.raises(UsageError, match="whose padding moves"):
        padded.sub(slice(2, 64), slice(0, 64))


def test_bytes_seen_as_another_dtype() -> None:
    tile = SharedTile("A", "bf16", 32, 64, shared_shape("st_16x32", "bf16"))
    octets = tile.as_dtype("fp8")
    assert (octets.cols, octets.shape.cols, octets.shape.bits) == (128, 64, 8)
    assert (octets.address(np.arange(32), 2) == tile.address(np.arange(32), 1)).all()
    words = tile.as_dtype("f32")
    assert (words.address(np.arange(32), 5) == tile.address(np.arange(32), 10)).all()
    fine = SharedTile("B", "bf16", 16, 16, shared_shape("st_16x16_swizzled", "bf16"))
    assert fine.as_dtype("f64").cols == 4
    tiny = SharedTile("C", "fp8", 16, 16, SharedShape("tiny", 16, 16, 8, Swizzle(((6, 1, 2),))))
    with pytest.raises(UsageError, match="the swizzle of tiny keeps 4 bytes together, elements of f64 have 8"):
        tiny.as_dtype("f64")
    with pytest.raises(UsageError, match="6-bit elements have no such view"):
        tile.as_dtype("fp6")


# ---- allocation and errors -------------------------------------------------------------------------------------------


def test_buffers_in_lds() -> None:
    k = Builder("gfx942", "lds")
    a = SharedTile.allocate(k, "A", "bf16", 128, 64, "st_16x32", slots=2)
    b = SharedTile.allocate(k, "B", "bf16", 128, 64, "st_16x32")
    assert (a.start(0), a.start(1), b.start(), a.bytes) == (0, 16384, 32768, 16384)
    assert [(region.name, region.bytes) for region in k.lds_map] == [("A", 32768), ("B", 16384)]
    with pytest.raises(IndexError, match="B: buffer 1 of 1"):
        b.start(1)
    with pytest.raises(RegisterError, match="C: 49152 \\+ 32768 bytes of LDS, gfx942 has 65536"):
        SharedTile.allocate(k, "C", "bf16", 128, 128, "st_16x32")


def test_shapes_that_are_not() -> None:
    with pytest.raises(UsageError, match="no shared tile shape 'st_16x23'"):
        shared_shape("st_16x23", "bf16")
    with pytest.raises(UsageError) as caught:
        shared_shape("st_16x32", "fp8")
    assert str(caught.value) == "st_16x32 is not for fp8 (8 bits)\n  hint: shapes for it: st_16x128"
    with pytest.raises(UsageError, match="A: 24x32 is no whole number of st_16x32"):
        SharedTile("A", "bf16", 24, 32, shared_shape("st_16x32", "bf16"))
    with pytest.raises(UsageError, match="has elements of 16 bits, not fp8"):
        SharedTile("A", "fp8", 16, 32, shared_shape("st_16x32", "bf16"))
    with pytest.raises(UsageError, match="mine: a swizzle of chunks of 2 bytes tears its elements"):
        SharedShape("mine", 16, 32, 32, Swizzle(((10, 1, 1),)))
    with pytest.raises(UsageError, match="a swizzle with a period of 2048 bytes over 1024"):
        SharedShape("mine", 16, 32, 16, Swizzle(((10, 1, 4),)))
    with pytest.raises(UsageError, match="buffers of 1024 bytes, 64 apart"):
        SharedTile("A", "bf16", 16, 32, shared_shape("st_16x32", "bf16"), 0, 2, 64)

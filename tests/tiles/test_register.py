"""Register tiles: pieces, pins across files, views, and one clear error for each way to get them wrong."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.asm.builder import Builder
from hkasm.errors import RegisterError, UsageError
from hkasm.isa.registers import a, v
from hkasm.tiles.layout import DTYPE_BITS, Place, mfma_operand
from hkasm.tiles.register import RegTile, RegVec


@pytest.fixture
def k() -> Builder:
    return Builder("gfx950", "tiles", block=256)


def test_base_tiles_are_row_major_and_views_share_them(k: Builder) -> None:
    tile = RegTile.allocate(k, "A", "bf16", 32, 64, "rt_16x32", pin=8)
    assert (tile.height, tile.width, tile.file) == (2, 2, "v")
    assert [piece.text for piece in tile] == ["v[8:11]", "v[12:15]", "v[16:19]", "v[20:23]"]
    assert tile[1, 0] == v[16:20]
    view = tile[0:2, 1]
    assert (view.rows, view.cols, view.name) == (32, 32, "A[0:2, 1]")
    assert list(view) == [v[12:16], v[20:24]]
    assert view.lease is tile.lease
    assert len(k.items) == 0


def test_transpose_relabels(k: Builder) -> None:
    tile = RegTile.allocate(k, "S", "f32", 32, 64, "rt_16x16", "col", file="a")
    turned = tile.transposed()
    assert (turned.rows, turned.cols, turned.layout, turned.height) == (64, 32, "row", 4)
    assert turned[3, 1] == tile[1, 3]
    for row, col in ((0, 0), (5, 9), (31, 63), (17, 40)):
        old, new = tile.place(row, col), turned.place(col, row)
        assert tile.registers[old.register] == turned.registers[new.register]
        assert (old.lane, old.bit) == (new.lane, new.bit)
    assert turned.transposed() == tile.transposed().transposed()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPE_BITS if dtype != "e8m0"])
def test_places_both_ways_and_packed_words(k: Builder, dtype: str) -> None:
    shape = "rt_16x128_32" if DTYPE_BITS[dtype] < 8 else "rt_16x32"
    tile = RegTile.allocate(k, "T", dtype, 32, 128, shape)
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 1 << DTYPE_BITS[dtype], (32, 128), dtype=np.uint64)
    words = tile.pack(codes)
    assert words.shape == (len(tile.registers), 64)
    assert (tile.unpack(words) == codes).all()
    for row, col in rng.integers(0, (32, 128), (40, 2)):
        place = tile.place(int(row), int(col))
        assert tile.element(place) == (row, col)
        low = int(words[place.register, place.lane])
        high = int(words[min(place.register + 1, len(words) - 1), place.lane])
        mask = (1 << DTYPE_BITS[dtype]) - 1
        assert (low | high << 32) >> place.bit & mask == codes[row, col]


def test_bits_that_hold_no_element(k: Builder) -> None:
    scale = mfma_operand("v_mfma_scale_f32_16x16x128_f8f6f4", "scale-A")
    tile = RegTile.allocate(k, "scales", "e8m0", 16, 4, scale.shape, scale.layout)
    assert tile.element(Place(0, 17, 0)) == (1, 1)
    assert tile.element(Place(0, 17, 8)) is None


def test_pins_to_ranges_of_both_files(k: Builder) -> None:
    tile = RegTile.allocate(k, "K", "bf16", 64, 64, "rt_16x32", pin=[a[0:20], v[62:74]])
    assert tile.file == "va"
    assert tile[0, 0] == a[0:4]
    assert tile[2, 1] == v[62:66]
    assert tile[3, 1] == v[70:74]
    assert tile[2:, :].file == "va"
    assert tile[3, :].file == "v"
    tile.free(k)
    again = RegTile.allocate(k, "K2", "bf16", 64, 64, "rt_16x32", pin=[v[62:74], a[0:20]])
    assert again[0, 0] == v[62:66]


def test_another_meaning_of_the_same_registers(k: Builder) -> None:
    tile = RegTile.allocate(k, "S", "f32", 16, 32, "rt_16x16", "col", pin=10)
    bits = tile.as_dtype("i32")
    assert bits.pieces == tile.pieces
    packed = RegTile.over("P", tile.pieces[0:1], "bf16", 16, 32, "rt_16x32")
    assert packed[0, 0] == v[10:14]
    with pytest.raises(UsageError, match="S: f32 has 32 bits, bf16 has 16"):
        tile.as_dtype("bf16")
    with pytest.raises(RegisterError, match="P: its registers belong to somebody else"):
        packed.free(k)
    whole = RegTile.over("Q", tile, "bf16", 32, 32, "rt_16x32")
    with pytest.raises(RegisterError, match="Q: its registers belong to somebody else"):
        whole.free(k)
    tile.free(k)
    with pytest.raises(RegisterError, match=r"S: used after its registers v\[10:17\] were freed at test_register"):
        whole[0, 0]


def test_vectors_follow_the_layout_of_their_tile(k: Builder) -> None:
    rows = RegTile.allocate(k, "R", "f32", 32, 64, "rt_16x16", "row", file="a")
    cols = RegTile.allocate(k, "C", "f32", 32, 64, "rt_16x16", "col", file="a")
    one = RegVec.for_rows(k, "max", rows)
    assert (one.kind, len(one), one[0].count, one.length) == ("ortho", 2, 1, 32)
    many = RegVec.for_cols(k, "scale", rows)
    assert (many.kind, len(many), many[0].count, many.length) == ("align", 4, 4, 64)
    assert (RegVec.for_cols(k, "m", cols).kind, RegVec.for_rows(k, "n", cols).kind) == ("ortho", "align")
    for lane in range(64):
        assert one.element(lane, 0, 1) == 16 + rows.shape.row_col("row", lane, 0)[0]
        assert [many.element(lane, slot, 3) for slot in range(4)] == [48 + 4 * (lane // 16) + e for e in range(4)]
    plain = RegVec.naive(k, "plain", 256)
    assert (plain.kind, plain[0].count, plain.element(3, 2)) == ("naive", 4, 14)
    for vector in (one, many, plain):
        assert sorted({vector.element(lane, slot, part) for part in range(len(vector)) for lane in range(64)
                       for slot in range(vector.slots)}) == list(range(vector.length))  # fmt: skip


# ---- errors: one line each ------------------------------------------------------------------------------------------


def test_too_many_registers_name_both_owners_and_show_the_map(k: Builder) -> None:
    RegTile.allocate(k, "A", "f32", 64, 128, "rt_16x16", pin=2)
    with pytest.raises(RegisterError) as caught:
        RegTile.allocate(k, "B", "f32", 128, 128, "rt_16x16")
    text = str(caught.value)
    assert text.startswith("test_register.py:")
    assert "B: no 256 free VGPRs in a row (aligned to 2); 129 of 256 in use, most of them by A=v[2:129]" in text
    assert "v: 0 workitem, 1 free, 2-129 A, 130-255 free" in text


def test_overlap_names_both_owners_and_shows_the_map(k: Builder) -> None:
    RegTile.allocate(k, "K", "bf16", 16, 32, "rt_16x32", pin=62)
    with pytest.raises(RegisterError) as caught:
        RegTile.allocate(k, "dP", "f32", 16, 16, "rt_16x16", pin=v[64:68])
    text = str(caught.value)
    assert "dP: v64 belongs to K=v[62:65] (allocated at test_register.py:" in text
    assert "v: 0 workitem, 1-61 free, 62-65 K, 66-255 free" in text
    assert RegTile.allocate(k, "dP", "f32", 16, 16, "rt_16x16", pin=v[66:70])[0, 0] == v[66:70]


def test_a_failed_list_of_ranges_takes_nothing(k: Builder) -> None:
    RegTile.allocate(k, "K", "bf16", 16, 32, "rt_16x32", pin=62)
    with pytest.raises(RegisterError, match=r"P\.1: v62 belongs to K"):
        RegTile.allocate(k, "P", "bf16", 16, 64, "rt_16x32", pin=[a[0:4], v[62:66]])
    assert RegTile.allocate(k, "Q", "bf16", 16, 32, "rt_16x32", pin=a[0:4]).file == "a"


def test_pinning_outside_the_budget() -> None:
    k = Builder("gfx950", "big", block=512)
    RegTile.allocate(k, "A", "f32", 64, 128, "rt_16x16", pin=2)
    with pytest.raises(RegisterError) as caught:
        RegTile.allocate(k, "C", "f32", 64, 128, "rt_16x16", "col", file="a", pin=0)
    text = str(caught.value)
    assert "is outside the budget: 130 VGPRs and 128 AGPRs a wave, a workgroup of 512 work-items leaves 256" in text
    assert "v: 0 workitem, 1 free, 2-129 A" in text
    with pytest.raises(RegisterError, match=r"D: v\[254:257\] is outside the file \(256 VGPRs\)"):
        RegTile.allocate(k, "D", "f32", 16, 16, pin=254)


def test_odd_alignment(k: Builder) -> None:
    with pytest.raises(RegisterError, match="C: v9 is not aligned to 2"):
        RegTile.allocate(k, "C", "f32", 16, 16, pin=9)


@pytest.mark.parametrize("use", [lambda t: t[0, 0], lambda t: t[:, 0], list, lambda t: t.transposed()[0, 0]])
def test_use_after_free(k: Builder, use: object) -> None:
    tile = RegTile.allocate(k, "P", "f32", 16, 32)
    view = tile[0, 0:2]
    tile.free(k)
    for one in (tile, view):
        with pytest.raises(RegisterError, match=r"P: used after its registers v\[2:9\] were freed at test_register.py"):
            use(one)  # type: ignore[operator]
    with pytest.raises(RegisterError, match="used after its registers"):
        tile.free(k)


def test_free_behind_the_tiles_back(k: Builder) -> None:
    tile = RegTile.allocate(k, "P", "f32", 16, 16)
    k.free(tile[0, 0])
    with pytest.raises(RegisterError, match="P: used after its registers"):
        tile[0, 0]


def test_sizes_that_do_not_fit(k: Builder) -> None:
    with pytest.raises(UsageError, match="A: 24x32 is no whole number of rt_16x32"):
        RegTile.allocate(k, "A", "bf16", 24, 32, "rt_16x32")
    with pytest.raises(RegisterError, match="A: 2 base tiles of 4 registers want 8, got 12"):
        RegTile.allocate(k, "A", "bf16", 32, 32, "rt_16x32", pin=v[8:20])
    with pytest.raises(RegisterError, match=r"A: v\[8:13\] does not cut into tuples of 4 registers"):
        RegTile.allocate(k, "A", "bf16", 32, 32, "rt_16x32", pin=[v[8:14], v[20:22]])
    with pytest.raises(UsageError, match="rt_16x128 has no col layout"):
        RegTile.allocate(k, "A", "fp8", 16, 128, "rt_16x128", "col")
    with pytest.raises(UsageError, match="no file 's' for a tile"):
        RegTile.allocate(k, "A", "bf16", 16, 32, "rt_16x32", file="s")
    with pytest.raises(UsageError, match="a naive vector of 65"):
        RegVec.naive(k, "x", 65)
    tile = RegTile.allocate(k, "A", "bf16", 16, 32, "rt_16x32")
    with pytest.raises(IndexError, match=r"A: base tile \(1, 0\) of 1x1"):
        tile[1, 0]
    with pytest.raises(IndexError, match="no base tile in"):
        tile[1:, 0]

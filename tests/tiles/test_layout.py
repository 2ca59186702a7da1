"""Layouts both ways: bijective, by HipKittens' published rule, and as AMD's calculator places every operand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.errors import UsageError
from hkasm.isa.mfma import F8F6F4_FORMATS, MFMA_TABLE, MfmaSpec, gather_raw, gather_scales, mfma_spec
from hkasm.tiles.layout import (
    DTYPE_BITS,
    HIPKITTENS_SHAPES,
    BaseShape,
    Place,
    base_shape,
    mfma_operand,
    pack_tile,
    unpack_tile,
)

DATA = Path(__file__).parents[1] / "data"
SHAPES = sorted(
    {
        (operand.shape, operand.layout)
        for spec in MFMA_TABLE.values()
        for name in "ABD"
        for operand in [mfma_operand(spec, name, fmt) for fmt in (F8F6F4_FORMATS if spec.selects_format else [None])]
    }
    | {(base_shape(name), "row") for name in HIPKITTENS_SHAPES},
    key=str,
)


def formats(spec: MfmaSpec) -> list[str | None]:
    return list(F8F6F4_FORMATS) if spec.selects_format else [None]


@pytest.mark.parametrize(("shape", "layout"), SHAPES, ids=str)
def test_every_element_has_one_place_and_back(shape: BaseShape, layout: str) -> None:
    row, col = np.meshgrid(np.arange(shape.rows), np.arange(shape.cols), indexing="ij")
    lane, slot = shape.lane_slot(layout, row, col)
    assert np.unique(lane * shape.elements + slot).size == row.size == 64 * shape.elements
    assert lane.max() == 63
    assert slot.max() == shape.elements - 1
    back = shape.row_col(layout, lane, slot)
    assert (back[0] == row).all()
    assert (back[1] == col).all()
    turned = shape.transposed().lane_slot("col" if layout == "row" else "row", col, row)
    assert (turned[0] == lane).all()
    assert (turned[1] == slot).all()


# HipKittens' rt_shape.cuh and rt_base.cuh: name, stride, elements a lane, runs, bf16 and f32 registers.
PUBLISHED = (
    ("rt_16x16", 4, 4, 1, 2, 4), ("rt_32x32", 4, 16, 4, 8, 16), ("rt_32x32_8", 8, 16, 2, 8, 16),
    ("rt_16x32", 8, 8, 1, 4, 8), ("rt_32x16", 8, 8, 1, 4, 8), ("rt_32x16_4", 4, 8, 2, 4, 8),
    ("rt_16x32_4", 4, 8, 2, 4, 8),
)  # fmt: skip


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda published: published[0])
def test_hipkittens_shapes_hold_what_was_published(published: tuple[str, int, int, int, int, int]) -> None:
    name, stride, elements, runs, bf16, f32 = published
    shape = base_shape(name)
    assert shape.name == name
    assert (shape.stride, shape.elements, shape.elements // shape.stride) == (stride, elements, runs)
    assert (shape.registers("bf16"), shape.registers("f32")) == (bf16, f32)
    assert base_shape("rt_16x128").registers("fp8") == 8
    reduction = shape.cols
    group = reduction // elements * stride
    for lane in range(64):
        for run in range(runs):
            for e in range(stride):
                expected = lane % shape.rows, stride * (lane // shape.rows) + run * group + e
                assert shape.row_col("row", lane, run * stride + e) == expected


def test_published_operand_tiles() -> None:
    """The table of HipKittens' shapes by matrix instruction; the k-permuted tiles cover the same k."""
    for mnemonic, operand, fmt, name, layout in (
        ("v_mfma_f32_16x16x32_bf16", "A", None, "rt_16x32", "row"),
        ("v_mfma_f32_16x16x32_bf16", "B", None, "rt_32x16", "col"),
        ("v_mfma_f32_16x16x32_bf16", "D", None, "rt_16x16", "col"),
        ("v_mfma_f32_32x32x16_bf16", "A", None, "rt_32x16", "row"),
        ("v_mfma_f32_32x32x16_bf16", "D", None, "rt_32x32", "col"),
        ("v_mfma_scale_f32_16x16x128_f8f6f4", "A", "fp8", "rt_16x128", "row"),
        ("v_mfma_scale_f32_16x16x128_f8f6f4", "A", "fp4", "rt_16x128_32", "row"),
        ("v_mfma_scale_f32_16x16x128_f8f6f4", "scale-A", None, "rt_16x4", "row"),
        ("v_mfma_scale_f32_32x32x64_f8f6f4", "scale-B", None, "rt_2x32", "col"),
        ("v_mfma_f32_16x16x16_f16", "A", None, "rt_16x16", "row"),
    ):
        found = mfma_operand(mnemonic, operand, fmt)
        assert (found.shape.name, found.layout) == (name, layout), (mnemonic, operand)


@cache
def calculator() -> dict[str, np.ndarray]:
    with np.load(DATA / "mfma_layouts_cdna3.npz") as archive:
        return dict(archive)


@pytest.mark.parametrize("name", sorted({key.split("/")[0] for key in calculator()}))
def test_operand_tiles_are_the_calculators(name: str) -> None:
    """AMD's matrix instruction calculator, element by element: register, first bit and lane, both ways."""
    spec = mfma_spec(name)
    for letter in "ABD":
        operand = mfma_operand(spec, letter)
        i, j, block, register, low, _, lane = calculator()[f"{name}/{letter}"].astype(int)
        if letter == "A" and spec.sparse:
            j = j // 4 * 2  # the calculator names the pair of stored elements for each of four k
        row, col = operand.element(i, j, block)
        found_lane, slot = operand.shape.lane_slot(operand.layout, row, col)
        np.testing.assert_array_equal(found_lane, lane)
        np.testing.assert_array_equal(slot * DTYPE_BITS[operand.dtype], 32 * register + low)
        back = operand.shape.row_col(operand.layout, lane, slot)
        np.testing.assert_array_equal(back, (row, col))
        place = Place(int(register[-1]), int(lane[-1]), int(low[-1]))
        assert operand.shape.place(operand.layout, operand.dtype, int(row[-1]), int(col[-1])) == place
        assert operand.shape.element(operand.layout, operand.dtype, place) == (row[-1], col[-1])


@pytest.mark.parametrize("spec", MFMA_TABLE.values(), ids=lambda spec: spec.mnemonic)
def test_tiles_hold_what_the_instruction_reads(spec: MfmaSpec) -> None:
    """The instruction's own gather sees the matrix that `pack_tile` put into registers, every operand and format."""
    rng = np.random.default_rng(1)
    for letter in "ABD":
        for fmt in formats(spec):
            operand = mfma_operand(spec, letter, fmt)
            assert operand.registers == spec.registers(letter, fmt)
            bits = DTYPE_BITS[operand.dtype]
            codes = rng.integers(0, 1 << bits, (operand.shape.rows, operand.shape.cols), dtype=np.uint64)
            words = pack_tile(codes, operand.shape, operand.layout, operand.dtype)
            assert (unpack_tile(words, operand.shape, operand.layout, operand.dtype) == codes).all()
            matrix = gather_raw(spec, letter, words[:, None, :], fmt)[0].astype(np.uint64)
            for block in range(operand.blocks):
                first = operand.element(0, 0, block)
                rows, cols = operand.block_size
                assert (matrix[block] == codes[first[0] : first[0] + rows, first[1] : first[1] + cols]).all()


@pytest.mark.parametrize("byte", range(4))
@pytest.mark.parametrize("lines", [16, 32])
def test_scale_tiles_hold_what_the_instruction_reads(lines: int, byte: int) -> None:
    """Four K steps of scales in a register, one byte each: a tile with stride 1 four times as wide."""
    spec = mfma_spec(f"v_mfma_scale_f32_{lines}x{lines}x{2048 // lines}_f8f6f4")
    rng = np.random.default_rng(byte)
    for letter in "AB":
        one = mfma_operand(spec, f"scale-{letter}")
        blocks = spec.k // 32
        four = BaseShape(lines, 4 * blocks, 1) if letter == "A" else BaseShape(4 * blocks, lines, 1)
        codes = rng.integers(0, 256, (four.rows, four.cols), dtype=np.uint8)
        words = pack_tile(codes, four, one.layout, "e8m0")
        assert words.shape == (1, 64)
        step = slice(byte * blocks, (byte + 1) * blocks)
        expected = codes[:, step] if letter == "A" else codes[step]
        assert (gather_scales(spec, letter, words, byte)[0] == expected).all()
        assert (gather_scales(spec, letter, pack_tile(expected, one.shape, one.layout, "e8m0"))[0] == expected).all()


# ROCm/composable_kernel, test/mx_mfma_op/mx_mfma_op.hpp, "Register Mapping ... for FP6": the k that each group of lanes
# holds, by halves of its six registers; what AMD's test loads on gfx950 and holds against a CPU's product with scales.
SIX_BITS = {
    16: (((0, 16), (16, 32)), ((32, 48), (48, 64)), ((64, 80), (80, 96)), ((96, 112), (112, 128))),
    32: (((0, 16), (16, 32)), ((32, 48), (48, 64))),
}  # fmt: skip


@pytest.mark.parametrize("fmt", ["fp6", "bf6"])
@pytest.mark.parametrize("lines", SIX_BITS)
def test_six_bit_operands_are_where_amds_own_test_puts_them(lines: int, fmt: str) -> None:
    """Element i of a lane's 192 bits is bits 6 i on (`f6_pk_t::pack` in the same repository)."""
    for letter in "AB":
        operand = mfma_operand(f"v_mfma_scale_f32_{lines}x{lines}x{2048 // lines}_f8f6f4", letter, fmt)
        for lane in range(64):
            halves = SIX_BITS[lines][lane // lines]
            for number, k in enumerate(k for first, end in halves for k in range(first, end)):
                element = (lane % lines, k) if letter == "A" else (k, lane % lines)
                place = operand.shape.place(operand.layout, fmt, *element)
                assert (place.lane, 32 * place.register + place.bit) == (lane, 6 * number)
                assert operand.shape.element(operand.layout, fmt, place) == element


# The same repository, test/mx_mfma_op/scale_mapping_*.cpp and .txt of 2025: on a gfx950, each lane's scale another
# power of two, one element of fp8 at a time 1.0, so that the result says whose scale it took. By group of lanes: the
# group of the scale for elements 0-15 of a lane and for 16-31.
SCALED_BY = {16: ((0, 2), (0, 2), (1, 3), (1, 3)), 32: ((0, 1), (0, 1))}


@pytest.mark.parametrize("letter", "AB")
@pytest.mark.parametrize("lines", SCALED_BY)
def test_scales_of_bytes_come_from_the_lanes_that_amd_measured(lines: int, letter: str) -> None:
    mnemonic = f"v_mfma_scale_f32_{lines}x{lines}x{2048 // lines}_f8f6f4"
    data, scale = mfma_operand(mnemonic, letter, "fp8"), mfma_operand(mnemonic, f"scale-{letter}")
    for lane in range(64):
        for slot in range(32):
            row, col = data.shape.row_col(data.layout, lane, slot)
            block = (row, col // 32) if letter == "A" else (row // 32, col)
            source = SCALED_BY[lines][lane // lines][slot // 16] * lines + lane % lines
            assert scale.shape.place(scale.layout, "e8m0", *block) == Place(0, source, 0)


@given(
    shape=st.sampled_from([shape for shape, _ in SHAPES]),
    dtype=st.sampled_from(sorted(DTYPE_BITS)),
    seed=st.integers(0, 1 << 16),
)
def test_places_of_any_dtype(shape: BaseShape, dtype: str, seed: int) -> None:
    """`place` and the packed words agree, six bits across two registers included."""
    layout = "row" if 64 % shape.rows == 0 and shape.cols % shape.group("row") == 0 else "col"
    rng = np.random.default_rng(seed)
    row, col = int(rng.integers(shape.rows)), int(rng.integers(shape.cols))
    bits = DTYPE_BITS[dtype]
    codes = np.zeros((shape.rows, shape.cols), np.uint64)
    codes[row, col] = (1 << bits) - 1
    words = pack_tile(codes, shape, layout, dtype)
    place = shape.place(layout, dtype, row, col)
    number = sum(int(word) << (32 * i) for i, word in enumerate(words[:, place.lane]))
    assert number == ((1 << bits) - 1) << (32 * place.register + place.bit)
    assert np.count_nonzero(words.any(axis=0)) == 1


def test_words_that_are_no_shape() -> None:
    with pytest.raises(UsageError, match="no register tile shape 'rt_16by32'"):
        base_shape("rt_16by32")
    with pytest.raises(UsageError, match="no lane layout for 12x16 elements in runs of 4"):
        base_shape("rt_12x16_4")
    with pytest.raises(UsageError, match="rt_16x128 has no col layout"):
        base_shape("rt_16x128").require("col")
    with pytest.raises(UsageError, match="no operand 'scale-A'"):
        mfma_operand("v_mfma_f32_16x16x32_bf16", "scale-A")
    with pytest.raises(UsageError, match="no tile of dtype 'bf17'"):
        base_shape("rt_16x16").registers("bf17")

"""Bank conflicts of tiles: HipKittens' table to the last entry, and a change of any swizzle shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hkasm.errors import UsageError
from hkasm.isa.banks import bank_cycles
from hkasm.tiles.conflicts import conflicts
from hkasm.tiles.layout import TileForm, base_shape
from hkasm.tiles.shared import SharedShape, SharedTile, shared_shape
from hkasm.tiles.swizzle import LINEAR, Swizzle

SIDE = 64
"""Rows and columns of the tiles below: whole numbers of every shape."""
SHARED = ("st_16x16", "st_16x16_swizzled", "st_32x32", "st_16x32", "st_32x16", "st_8x32")


def worst(register: str, layout: str, stored: SharedShape, instruction: str, dtype: str = "bf16") -> int:
    rows, cols = (SIDE, SIDE) if stored.cols <= SIDE else (SIDE, stored.cols)
    form = TileForm(dtype, rows, cols, base_shape(register), layout)  # type: ignore[arg-type]
    result = conflicts("gfx950", SharedTile("tile", dtype, rows, cols, stored), form, instruction)
    assert result.row.mark == "measured"
    return result.worst


def whole_parts(register: str, shared: str) -> bool:
    """HipKittens loads where one shape is a multiple of the other in both axes."""
    one, other = base_shape(register), shared_shape(shared, "bf16")
    sizes = (one.rows, one.cols), (other.rows, other.cols)
    return any(not a[0] % b[0] and not a[1] % b[1] for a, b in (sizes, sizes[::-1]))


# Facts on HipKittens, section 2: the degree of every pair, None where HipKittens has no such load.
ROW_LOADS = {
    ("rt_16x32", "ds_read_b128"): (1, 3, 1, 1, None, 2),
    ("rt_32x16", "ds_read_b128"): (2, 2, 1, None, 1, None),
    ("rt_32x32_8", "ds_read_b128"): (2, 2, 1, 2, 1, 4),
    ("rt_16x16", "ds_read_b64"): (2, 1, 2, 2, 2, None),
    ("rt_32x32", "ds_read_b64"): (4, 2, 2, 4, 2, 8),
    ("rt_32x16_4", "ds_read_b64"): (4, 2, 2, None, 2, None),
    ("rt_16x32_4", "ds_read_b64"): (2, 1, 2, 2, None, 4),
}
COLUMN_LOADS = {
    "rt_16x32": (2, 2, 1, 1, 2, 1),
    "rt_16x32_4": (2, 2, 1, 1, 2, 1),
    "rt_32x32": (2, 2, 1, 1, 2, 1),
    "rt_32x32_8": (2, 2, 1, 1, 2, 1),
    "rt_32x16": (2, 2, 1, None, 2, None),
    "rt_32x16_4": (1, 1, 2, None, 1, None),
    "rt_16x16": (1, 1, 2, 2, 1, None),
}


@pytest.mark.parametrize(("register", "instruction"), ROW_LOADS)
def test_row_loads(register: str, instruction: str) -> None:
    for shared, expected in zip(SHARED, ROW_LOADS[register, instruction], strict=True):
        assert (expected is not None) == whole_parts(register, shared)
        stored = shared_shape(shared, "bf16")
        if expected is None:
            continue
        if shared == "st_16x16_swizzled" and instruction == "ds_read_b128":
            # Its swizzle moves 8 bytes: what HipKittens would read are 16 bytes from where the first 8 lie.
            with pytest.raises(UsageError, match="16 bytes of a lane are not side by side"):
                worst(register, "row", stored, instruction)
            assert torn(register, stored) == expected
            continue
        assert worst(register, "row", stored, instruction) == expected, shared


def torn(register: str, stored: SharedShape) -> int:
    shape = base_shape(register)
    row, col = shape.map("row")
    tile = SharedTile("tile", "bf16", SIDE, SIDE, stored)
    runs = range(0, shape.elements, 8)
    return max(bank_cycles("gfx950", "ds_read_b128", tile.address(row[run], col[run])).worst for run in runs)


@pytest.mark.parametrize("register", COLUMN_LOADS)
def test_column_loads(register: str) -> None:
    for shared, expected in zip(SHARED, COLUMN_LOADS[register], strict=True):
        stored = shared_shape(shared, "bf16")
        if expected is not None:
            assert worst(register, "col", stored, "ds_read_b64_tr_b16") == expected, shared


def test_row_stores() -> None:
    """8 bytes a lane: free with st_16x16_swizzled from any register tile, 4-way with every other, 8 with st_8x32."""
    for register in ("rt_16x16", "rt_32x32", "rt_16x32_4", "rt_32x16_4", "rt_16x32", "rt_32x16", "rt_32x32_8"):
        for shared in SHARED:
            expected = {"st_16x16_swizzled": 1, "st_8x32": 8}.get(shared, 4)
            assert worst(register, "row", shared_shape(shared, "bf16"), "ds_write_b64") == expected, (register, shared)


def test_eight_bit_rows() -> None:
    stored = shared_shape("st_16x128", "fp8")
    assert worst("rt_16x128", "row", stored, "ds_read_b128", "fp8") == 1
    assert worst("rt_16x128", "row", replace(stored, swizzle=LINEAR), "ds_read_b128", "fp8") == 4


# ---- what the shipped swizzles are for: altering one shows ----------------------------------------------------------

# Shape, dtype, and the accesses that must be free of conflicts with it: register shape, layout, instruction, chip.
SERVED = {
    ("st_16x16_swizzled", "bf16"): (
        ("rt_16x16", "row", "ds_write_b64", "gfx950"), ("rt_16x16", "row", "ds_read_b64", "gfx950"),
        ("rt_32x16_4", "col", "ds_read_b64_tr_b16", "gfx950"),
    ),
    ("st_16x32", "bf16"): (
        ("rt_16x32", "row", "ds_read_b128", "gfx950"), ("rt_16x32", "col", "ds_read_b64_tr_b16", "gfx950"),
    ),
    ("st_32x16", "bf16"): (
        ("rt_32x16", "row", "ds_read_b128", "gfx950"), ("rt_32x16_4", "col", "ds_read_b64_tr_b16", "gfx950"),
    ),
    ("st_32x32", "bf16"): (
        ("rt_16x32", "row", "ds_read_b128", "gfx950"), ("rt_32x16", "row", "ds_read_b128", "gfx950"),
        ("rt_32x32_8", "row", "ds_read_b128", "gfx950"), ("rt_32x32", "col", "ds_read_b64_tr_b16", "gfx950"),
    ),
    ("st_16x128", "fp8"): (("rt_16x128", "row", "ds_read_b128", "gfx950"),),
    ("st_16x128", "fp6"): (("rt_16x128_32", "row", "ds_read_b96", "gfx950"),),
    ("st_16x128", "fp4"): (
        ("rt_16x128_32", "row", "ds_read_b128", "gfx950"), ("rt_128x16_32", "col", "ds_read_b64_tr_b4", "gfx950"),
    ),
}  # fmt: skip


def lost(stored: SharedShape, dtype: str, served: tuple[tuple[str, str, str, str], ...]) -> int:
    total = 0
    for register, layout, instruction, arch in served:
        rows = max(2 * stored.rows, base_shape(register).rows)
        form = TileForm(dtype, rows, 2 * stored.cols, base_shape(register), layout)  # type: ignore[arg-type]
        tile = SharedTile("tile", dtype, form.rows, form.cols, stored)
        total += conflicts(arch, tile, form, instruction).lost
    return total


@pytest.mark.parametrize(("shape", "dtype"), SERVED, ids=lambda value: value)
def test_a_swizzle_without_any_one_part_has_more_conflicts(shape: str, dtype: str) -> None:
    stored = shared_shape(shape, dtype)
    served = SERVED[shape, dtype]
    before = lost(stored, dtype, served)
    assert before == (64 if dtype == "fp4" else 0), "no swizzle serves 4-bit rows and columns without any"
    pairs = stored.swizzle.pairs
    for pair in pairs:
        changed = replace(stored, swizzle=Swizzle.of_pairs(pairs - {pair}))
        assert lost(changed, dtype, served) > before, pair
    assert lost(replace(stored, swizzle=LINEAR), dtype, served) > before


# ---- the result as text and data ----------------------------------------------------------------------------------


def test_zero_conflicts_come_with_their_mark() -> None:
    tile = SharedTile("A", "bf16", 16, 32, shared_shape("st_16x32", "bf16"))
    form = TileForm("bf16", 16, 32, base_shape("rt_16x32"), "row")
    result = conflicts("gfx950", tile, form, "ds_read_b128")
    assert str(result) == "0 conflicts, worst 1-way (measured: HipKittens phase solver, MI355X)"
    assert (result.cycles, result.free_cycles, result.degree.shape) == (4, 4, (1, 4))
    assert "assumed" in str(conflicts("gfx950", tile, form, "ds_write_b128"))
    assert result.as_dict()["mark"] == "measured"
    assert np.all(result.degree == 1)

"""LDS banks: the rule by brute force, published conflict tables, measured strides."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.errors import ArchError, UsageError
from hkasm.isa.banks import BANK_ROWS, bank_cycles, bank_row, describe_rows

LANE = np.arange(64)


def brute_force(
    arch: str, access: str, addresses: np.ndarray, mask: np.ndarray, second: np.ndarray | None
) -> list[int]:
    """The definition: per phase, the most distinct dwords in one bank."""
    row = bank_row(arch, access)
    degrees = []
    for phase in row.phases:
        wanted = defaultdict(set)
        for lane in phase:
            for start in [addresses] if second is None else [addresses, second]:
                for step in range(row.dwords):
                    dword = int(start[lane]) // 4 + step
                    if mask[lane]:
                        wanted[dword % row.banks].add(dword)
        degrees.append(max([1, *(len(dwords) for dwords in wanted.values())]))
    return degrees


@pytest.mark.parametrize("arch", BANK_ROWS)
def test_phases_cover_every_lane_once(arch: str) -> None:
    for row in BANK_ROWS[arch].values():
        assert sorted(lane for phase in row.phases for lane in phase) == list(range(64))
        assert len({len(phase) for phase in row.phases}) == 1
        assert row.mark in ("measured", "assumed")
        assert row.source


@given(st.data())
def test_equals_brute_force(data: st.DataObject) -> None:
    arch = data.draw(st.sampled_from(sorted(BANK_ROWS)))
    access = data.draw(st.sampled_from(sorted(BANK_ROWS[arch])))
    row = bank_row(arch, access)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    align = data.draw(st.sampled_from([1, 4, 4 * row.dwords]))
    span = data.draw(st.sampled_from([64, 1024, 16384]))
    addresses = rng.integers(0, span, (3, 64)) * align
    second = rng.integers(0, span, (3, 64)) * align if "2_" in access else None
    mask = rng.random((3, 64)) < data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    result = bank_cycles(arch, access, addresses, mask, second=second)
    for i in range(3):
        expected = brute_force(arch, access, addresses[i], mask[i], None if second is None else second[i])
        assert result.degree[i].tolist() == expected
        assert result.cycles[i] == sum(expected)
        alone = bank_cycles(arch, access, addresses[i], mask[i], second=None if second is None else second[i])
        assert alone.cycles == result.cycles[i]
    assert result.conflict_free_cycles == len(row.phases)
    assert (result.conflicts == result.cycles - len(row.phases)).all()


def test_measured_strides_of_mi300x() -> None:
    """PyHIP, ds_read_b32: 4, 8, 16, 32 way at these dword strides; odd strides and broadcast are free."""
    ways = {0: 1, 1: 1, 3: 1, 5: 1, 2: 2, 4: 4, 8: 8, 16: 16, 32: 32, 64: 32, 256: 32}
    for stride, way in ways.items():
        result = bank_cycles("gfx942", "ds_read_b32", LANE * 4 * stride)
        assert result.cycles == 2 * way
        assert result.mark == "measured"
    wrapped = bank_cycles("gfx942", "ds_read_b32", LANE * 4 * 1024 % 65536)
    assert wrapped.cycles == 32  # 16 distinct dwords a phase: half of 32-way, as measured


@pytest.mark.parametrize(
    ("arch", "cycles"), [("gfx942", {"b32": 2, "b64": 4, "b128": 8}), ("gfx950", {"b32": 1, "b64": 2, "b128": 4})]
)
def test_linear_reads_are_free_of_conflicts(arch: str, cycles: dict[str, int]) -> None:
    for width, count in cycles.items():
        size = int(width[1:]) // 8
        result = bank_cycles(arch, f"ds_read_{width}", LANE * size)
        assert (result.cycles, result.worst) == (count, 1)
        assert not result.conflicts.any()


def test_raw_tile_is_four_way_on_gfx950() -> None:
    """A row of 128 bytes, 16-row fragments by b128: 64 cycles for four waves (Gluon tutorials), i.e. 16 for one."""
    addresses = LANE % 16 * 128 + LANE // 16 * 16
    assert bank_cycles("gfx950", "ds_read_b128", addresses).cycles == 16
    swizzled = LANE % 16 * 128 + ((LANE // 16) ^ (LANE % 8)) * 16
    for arch in BANK_ROWS:
        assert not bank_cycles(arch, "ds_read_b128", swizzled).conflicts


# ---- HipKittens' table: conflict degree of every pair of shared tile and register tile ------------------------------

SWIZZLES = {  # byte offset inside a subtile of (rows, columns) of bf16
    "st_16x16": ((16, 16), lambda o: o),
    "16x16_sw": ((16, 16), lambda o: o ^ (((o % 512) >> 7) << 3)),
    "st_32x32": ((32, 32), lambda o: o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4)),
    "st_16x32": ((16, 32), lambda o: o ^ (((o % 1024) >> 9) << 5)),
    "st_32x16": ((32, 16), lambda o: o ^ (((o % 1024) >> 9) << 4)),
    "st_8x32": ((8, 32), lambda o: o),
}


def address(shape: str, row: np.ndarray, col: np.ndarray, width: int) -> np.ndarray:
    """Byte address of elements of a wide tile of `width` columns: a row-major grid of contiguous, swizzled subtiles."""
    (rows, cols), swizzle = SWIZZLES[shape]
    tile = row // rows * (width // cols) + col // cols
    return tile * rows * cols * 2 + swizzle(2 * (row % rows * cols + col % cols))


# register tile: rows, columns, elements of a lane in one go (its stride)
ROW_TILES = {
    "rt_16x32": (16, 32, 8), "rt_32x16": (32, 16, 8), "rt_32x32_8": (32, 32, 8),
    "rt_16x16": (16, 16, 4), "rt_32x32": (32, 32, 4), "rt_32x16_4": (32, 16, 4), "rt_16x32_4": (16, 32, 4),
}  # fmt: skip
ROW_DEGREES = {  # HipKittens facts, row loads; None where the pair is illegal
    "rt_16x32": (1, 3, 1, 1, None, 2),
    "rt_32x16": (2, 2, 1, None, 1, None),
    "rt_32x32_8": (2, 2, 1, 2, 1, 4),
    "rt_16x16": (2, 1, 2, 2, 2, None),
    "rt_32x32": (4, 2, 2, 4, 2, 8),
    "rt_32x16_4": (4, 2, 2, None, 2, None),
    "rt_16x32_4": (2, 1, 2, 2, None, 4),
}


@pytest.mark.parametrize("tile", ROW_TILES)
def test_hipkittens_row_loads(tile: str) -> None:
    """Row layout: lane l holds row l % rows, columns stride * (l // rows) + k * group + 0..stride-1."""
    rows, cols, stride = ROW_TILES[tile]
    group = 64 // rows * stride
    for shape, expected in zip(SWIZZLES, ROW_DEGREES[tile], strict=True):
        if expected is None:
            continue
        worst = 0
        for first in range(0, cols, group):
            row, col = LANE % rows, stride * (LANE // rows) + first
            width = 64
            result = bank_cycles("gfx950", f"ds_read_b{16 * stride}", address(shape, row, col, width))
            assert result.mark == "measured"
            worst = max(worst, result.worst)
        assert worst == expected, (tile, shape)


def test_hipkittens_row_stores() -> None:
    """ds_write_b64 of a 16x16 row tile: free with the 8-byte swizzle, 4-way without."""
    row, col = LANE % 16, 4 * (LANE // 16)
    assert bank_cycles("gfx950", "ds_write_b64", address("16x16_sw", row, col, 16)).worst == 1
    for shape in ("st_16x16", "st_16x32", "st_32x16", "st_32x32"):
        assert bank_cycles("gfx950", "ds_write_b64", address(shape, row, col, 64)).worst == 4, shape
    assert bank_cycles("gfx950", "ds_write_b64", address("st_8x32", row, col, 64)).worst == 8


# ---- rows from instructions, and errors ------------------------------------------------------------------------


@dataclass
class Memory:
    op: str
    bytes: int
    transpose: int = 0
    pair: int = 0


@pytest.mark.parametrize(
    ("memory", "access"),
    [
        (Memory("load", 1), "read_b32"),
        (Memory("load", 16), "read_b128"),
        (Memory("load", 8, transpose=16), "read_tr_b16"),
        (Memory("load", 12, transpose=6), "read_tr_b6"),
        (Memory("load", 8, pair=1), "read2_b32"),
        (Memory("store", 16, pair=64), "write2_b64"),
        (Memory("store", 12), "write_b96"),
        (Memory("atomic", 4), "atomic_b32"),
        (Memory("atomic", 8), "atomic_b64"),
    ],
)
def test_row_of_a_memory_specification(memory: Memory, access: str) -> None:
    assert bank_row("gfx950", memory).access == access


def test_errors() -> None:
    with pytest.raises(ArchError, match="did you mean 'gfx950'"):
        bank_row("gfx951", "ds_read_b32")
    with pytest.raises(UsageError, match="did you mean 'ds_read_b128'"):
        bank_row("gfx950", "ds_read_b129")
    with pytest.raises(UsageError, match="no LDS bank row for 'read_tr_b16' on gfx942"):
        bank_row("gfx942", "ds_read_b64_tr_b16")
    with pytest.raises(UsageError, match="64 lanes in the last axis"):
        bank_cycles("gfx950", "ds_read_b32", np.zeros(32))
    with pytest.raises(UsageError, match="two addresses a lane"):
        bank_cycles("gfx950", "ds_read2_b32", LANE)
    with pytest.raises(UsageError, match="one address a lane"):
        bank_cycles("gfx950", "ds_read_b32", LANE, second=LANE)


def test_result_always_prints_its_mark() -> None:
    assert str(bank_cycles("gfx950", "ds_read_b128", LANE * 16)).startswith("0 conflict cycles (measured: HipKittens")
    assert "assumed" in str(bank_cycles("gfx950", "ds_write_b128", LANE * 16))
    assert {row["mark"] for row in describe_rows("gfx942")} == {"measured", "assumed"}

"""The GEMM's index maps: LDS without conflicts, every element once, output columns in one piece."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hkasm.isa.arch import get_arch
from hkasm.isa.banks import bank_cycles
from hkasm.kernels.gemm import layout

LANES = np.arange(64)


def test_b_rows_are_a_permutation_of_columns() -> None:
    columns = layout.b_column(np.arange(layout.HALF))
    assert sorted(columns) == list(range(layout.HALF))


def test_a_lane_holds_eight_consecutive_columns_and_four_lane_groups_64_bytes() -> None:
    """D of a 16x16 product has row 4 * (lane / 16) + register; its rows are columns of C here."""
    for wave_column in range(layout.WAVES_N):
        held = np.stack(
            [
                layout.b_column(layout.b_fragment_row(wave_column, j, 4 * (LANES // 16) + register))
                for j in range(layout.B_FRAGMENTS)
                for register in range(4)
            ]
        )
        assert (np.diff(held, axis=0) == 1).all()
        assert (held[0] % 8 == 0).all()
        first = held[0].reshape(4, 16)[:, 0]
        assert (np.diff(first) == 8).all()
        assert first[0] * layout.ELEMENT_BYTES % 64 == 0


@pytest.mark.parametrize(("arch", "slots"), [("gfx942", 1), ("gfx950", 2)])
def test_tiles_fit_lds_without_overlap(arch: str, slots: int) -> None:
    tiles = layout.shared_tiles(slots)
    ranges = sorted(
        (tile.start(slot), tile.start(slot) + tile.bytes) for tile in tiles.values() for slot in range(slots)
    )
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ranges))
    assert ranges[-1][1] <= get_arch(arch).lds_bytes


@pytest.mark.parametrize(("arch", "slots"), [("gfx942", 1), ("gfx950", 2)])
def test_every_read_of_lds_is_free_of_conflicts(arch: str, slots: int) -> None:
    tiles = layout.shared_tiles(slots)
    for name in layout.REGIONS:
        waves, fragments = (layout.WAVES_M, layout.A_FRAGMENTS) if name[0] == "A" else (layout.WAVES_N, 2)
        row_of = layout.a_fragment_row if name[0] == "A" else layout.b_fragment_row
        for wave in range(waves):
            for i in range(fragments):
                for k_slice in range(layout.K_SLICES):
                    column = layout.fragment_chunk(k_slice, LANES) * layout.CHUNK_ELEMENTS
                    addresses = tiles[name].address(row_of(wave, i, LANES), column, slots - 1)
                    assert bank_cycles(arch, "ds_read_b128", addresses).conflicts == 0


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_commits_are_free_of_conflicts(arch: str) -> None:
    assert bank_cycles(arch, "ds_write_b128", LANES * layout.CHUNK_BYTES).conflicts == 0


def test_reads_cover_a_half_tile_once_a_wave_row() -> None:
    seen = [
        (int(row), int(chunk))
        for wave in range(layout.WAVES_M)
        for i in range(layout.A_FRAGMENTS)
        for k_slice in range(layout.K_SLICES)
        for row, chunk in zip(layout.a_fragment_row(wave, i, LANES), layout.fragment_chunk(k_slice, LANES), strict=True)
    ]
    assert len(seen) == len(set(seen)) == layout.HALF * layout.ROW_BYTES // layout.CHUNK_BYTES

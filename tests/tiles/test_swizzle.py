"""The chunk swizzle is a bijection, its own inverse, and free of bank conflicts for 16x16 fragments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.isa.banks import bank_cycles
from hkasm.tiles.swizzle import ChunkSwizzle

LANES = np.arange(64)


@given(chunks=st.sampled_from([2, 4, 8, 16]), data=st.data())
def test_it_moves_chunks_within_their_row_and_back(chunks: int, data: st.DataObject) -> None:
    swizzle = ChunkSwizzle(chunks * 16, 16, rows=data.draw(st.sampled_from([r for r in (2, 4, 8, 16) if r <= chunks])))
    row, chunk = np.meshgrid(np.arange(64), np.arange(chunks), indexing="ij")
    moved = swizzle.chunk(row, chunk)
    assert (np.sort(moved, axis=1) == np.arange(chunks)).all()
    assert (swizzle.chunk(row, moved) == chunk).all()


def test_addresses_are_a_bijection_that_keeps_bytes_of_a_chunk_together() -> None:
    swizzle = ChunkSwizzle()
    row, byte = np.meshgrid(np.arange(128), np.arange(128), indexing="ij")
    address = swizzle.address(row, byte)
    assert np.unique(address).size == address.size == address.max() + 1
    assert (address // 128 == row).all()
    assert (address % 16 == byte % 16).all()
    assert swizzle.address(3, 17) == address[3, 17]


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("first_row", range(0, 128, 16))
@pytest.mark.parametrize("k_slice", [0, 1])
def test_fragment_reads_are_free_of_conflicts(arch: str, first_row: int, k_slice: int) -> None:
    row, byte = first_row + LANES % 16, (4 * k_slice + LANES // 16) * 16
    result = bank_cycles(arch, "ds_read_b128", ChunkSwizzle().address(row, byte))
    assert result.mark == "measured"
    assert result.conflicts == 0
    assert bank_cycles(arch, "ds_read_b128", row * 128 + byte).conflicts > 0, "without the swizzle there are some"

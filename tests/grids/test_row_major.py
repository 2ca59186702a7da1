"""The row-major grid covers the output once."""

from __future__ import annotations

import pytest
from support.scalar import follow

from hkasm.asm.builder import Builder
from hkasm.grids.row_major import grid_shape, tile_origin


@pytest.mark.parametrize(("m", "n", "shape"), [(1, 1, (1, 1, 1)), (256, 257, (2, 1, 1)), (1025, 512, (2, 5, 1))])
def test_the_grid_has_a_workgroup_a_tile(m: int, n: int, shape: tuple[int, int, int]) -> None:
    assert grid_shape(m, n, 256, 256) == shape


def test_every_tile_is_some_workgroups() -> None:
    k = Builder("gfx950", "grid")
    row, column = k.sgpr("row"), k.sgpr("column")
    tile_origin(k, row, column, 128, 256)
    k.s_endpgm()
    program = k.finish()
    x, y, _ = grid_shape(300, 1000, 128, 256)
    origins = []
    for group in ((i, j) for j in range(y) for i in range(x)):
        state = {k.group_ids[0].index: group[0], k.group_ids[1].index: group[1]}
        follow(program, state)
        origins.append((state[row.index], state[column.index]))
    assert origins == [(r, c) for r in range(0, 300, 128) for c in range(0, 1000, 256)]

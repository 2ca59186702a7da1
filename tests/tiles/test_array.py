"""Register tiles index their tuples row-major and refuse slices that do not fit."""

from __future__ import annotations

import pytest

from hkasm.errors import RegisterError
from hkasm.isa.registers import v
from hkasm.tiles.array import RegArray


def test_tuples_are_row_major() -> None:
    tile = RegArray(v[8:32], (2, 3), 4)
    assert tile[0, 0] == v[8:12]
    assert tile[1, 2] == v[28:32]
    assert list(tile) == [v[8 + 4 * i : 12 + 4 * i] for i in range(6)]


def test_a_slice_of_another_size_is_refused() -> None:
    with pytest.raises(RegisterError, match=r"\(2, 2\) x 4 registers does not fit"):
        RegArray(v[0:8], (2, 2), 4)


@pytest.mark.parametrize("index", [(2, 0), (0, 3), (-1, 0)])
def test_an_index_outside_is_refused(index: tuple[int, int]) -> None:
    with pytest.raises(IndexError):
        _ = RegArray(v[0:24], (2, 3), 4)[index]

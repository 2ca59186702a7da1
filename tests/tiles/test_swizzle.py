"""Swizzles are their own inverse, keep chunks together, and are the published formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.errors import UsageError
from hkasm.tiles.swizzle import LINEAR, Swizzle


@st.composite
def swizzles(draw: st.DrawFn) -> Swizzle:
    border = draw(st.integers(3, 8))
    pairs = draw(st.frozensets(st.tuples(st.integers(border, 11), st.integers(2, border - 1)), max_size=6))
    return Swizzle.of_pairs(pairs)


@given(swizzles())
def test_own_inverse_within_its_period(swizzle: Swizzle) -> None:
    offset = np.arange(3 * swizzle.period)
    moved = swizzle(offset)
    assert (swizzle(moved) == offset).all()
    assert (moved // swizzle.period == offset // swizzle.period).all()
    assert [swizzle(int(o)) for o in offset[:64]] == moved[:64].tolist()
    if swizzle:
        chunk = swizzle.chunk_bytes
        assert (moved % chunk == offset % chunk).all()
        assert (moved[::chunk] % chunk == 0).all()
    assert Swizzle.of_pairs(swizzle.pairs) == swizzle
    namespace = {"o": offset}
    assert (eval(swizzle.formula, namespace) == moved).all()


def test_formula_of_terms() -> None:
    swizzle = Swizzle(((9, 1, 5), (10, 1, 4)))
    assert swizzle.formula == "o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4)"
    assert (swizzle.chunk_bytes, swizzle.period) == (16, 2048)
    assert (LINEAR.formula, LINEAR.period, bool(LINEAR)) == ("o", 1, False)


def test_a_bit_both_read_and_changed_is_refused() -> None:
    with pytest.raises(UsageError, match="changes bit 7, which it also reads"):
        Swizzle(((7, 2, 5), (9, 2, 7)))
    with pytest.raises(UsageError, match="bits count from 0"):
        Swizzle(((7, 0, 3),))

"""What was fitted to which rows: the list is whole, and no row is fitted to and scored."""

from __future__ import annotations

from support.model_rows import ROW_FITS, ROWS

from hkasm.model.constants import TIMINGS, constants_of
from hkasm.model.fits import ASSUMED, FITS


def test_every_fitted_constant_is_listed() -> None:
    marked = {f"{arch} {name}" for arch in TIMINGS for name, one in constants_of(arch).items() if one.fitted}
    names = {f"{arch} {name}" for arch in TIMINGS for name in constants_of(arch)}
    assert {fit.name for fit in FITS} & names == marked


def test_the_loops_that_were_fitted_to_are_those_that_are_marked() -> None:
    labels = {row.label for row in ROWS}
    named = {label for fit in (*FITS, *ROW_FITS) for label in fit.fitted_to if label in labels}
    assert named == {row.label for row in ROWS if row.fitted}


def test_every_fit_says_what_holds_it() -> None:
    assert all(fit.fitted_to and fit.scored_on for fit in (*FITS, *ROW_FITS))
    assert all(choice.why for choice in ASSUMED)
    assert len({one.name for one in (*FITS, *ASSUMED)}) == len(FITS) + len(ASSUMED)


def test_the_tiles_are_fitted_on_even_rows() -> None:
    assert [row.fitted for row in ROWS if row.table == "5.4"] == [False, True] * 4

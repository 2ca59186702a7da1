"""Decode's orders: no LDS, what is loaded is the products' operand; a step's keys and values fly while another runs.

Every wave has keys of its own, so that nothing is shared and no barrier stands in the loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkasm.schedules.phase import Phase, Schedule


class Streamed(Schedule):
    """Keys and values in a row; each is fetched anew as soon as a product has taken it."""

    name = "decode"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(compute="S")
        yield Phase(fetch=("K", k + 1), compute="softmax")
        yield Phase(compute="O")
        yield Phase(fetch=("V", k + 1))


class Paged(Schedule):
    """The same through a block table, whose entries are loaded two steps ahead."""

    name = "decode-paged"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(compute="S")
        yield Phase(commit=("table",), fetch=("K", k + 1), compute="softmax")
        yield Phase(compute="O")
        yield Phase(fetch=(("V", k + 1), ("table", k + 2)))

"""Attention's orders: two products for every block of keys, a softmax between them, loads one block ahead.

K and V are read in halves of a block's keys: V's halves take the registers of K's, as soon as the first product has
used them, so that they arrive while the softmax runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkasm.schedules.phase import Phase, Schedule


class DoubleBuffered(Schedule):
    """Two LDS buffers filled by direct-to-LDS loads; the next block's are dealt out over the step."""

    name = "attention"
    depth = 2

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("K0", "K1"), fetch=("K0", k + 1), compute="S0")
        yield Phase(read=("V0",), fetch=("K1", k + 1), compute="S1")
        yield Phase(read=("V1",), fetch=(("V0", k + 1), ("V1", k + 1)), compute="softmax")
        yield Phase(compute="O0")
        yield Phase(compute="O1")


class Staged(Schedule):
    """One LDS buffer: the next block waits in registers until the second product's reads are done."""

    name = "attention-staged"

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("K0", "K1"), fetch=(("K", k + 1), ("V", k + 1)), compute="S0")
        yield Phase(read=("V0",), compute="S1")
        yield Phase(read=("V1",), compute="softmax")
        yield Phase(compute="O0")
        yield Phase(commit=("K", "V"), compute="O1")

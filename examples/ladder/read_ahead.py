"""A schedule of one's own for the kernel of step 7: fetch two steps ahead, into three buffers. gfx950."""

from __future__ import annotations

from collections.abc import Iterator

from double_buffer import pipeline
from lds_gemm import Tile, show

import hkasm
from hkasm.schedules import Phase, Schedule


class ReadAhead(Schedule):
    """While a step is computed, the one after the next is fetched: one buffer is read, two are filled."""

    name = "read-ahead"
    depth = 3

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("A", "B"), fetch=(("A", k + 2), ("B", k + 2)), compute="C")


@hkasm.kernel(block=256)
def gemm(k: hkasm.Builder) -> None:
    """C[m, n] = A[m, k] B[n, k]^T: the steps of double_buffer.py, a buffer for each that the schedule has."""
    tile = Tile(k, buffers=ReadAhead.depth)
    pipeline(tile, ReadAhead()).lower(k, tile.steps)
    tile.store(k)


if __name__ == "__main__":
    print("three buffers:", show(gemm))

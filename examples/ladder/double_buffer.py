"""Step 7: two LDS buffers. A schedule says what happens together; barriers and waits are derived. gfx950."""

from __future__ import annotations

from collections.abc import Iterator

from lds_gemm import Tile, show

import hkasm
from hkasm.schedules import Phase, Pipeline, Schedule, Step, Steps


class DoubleBuffer(Schedule):
    """While a step is computed, the next one is fetched into the other buffer."""

    name = "double-buffer"
    depth = 2

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("A", "B"), fetch=(("A", k + 1), ("B", k + 1)), compute="C")


def pipeline(tile: Tile, schedule: Schedule) -> Pipeline:
    """Return the acts of step 6 as named steps in the hands of a schedule."""
    fetches = [
        Step(name, "fetch", lambda k, slot, operand=operand: tile.fetch(k, operand, slot), regions=(name,))
        for operand, name in enumerate("AB")
    ]
    reads = [
        Step(name, "read", lambda k, slot, operand=operand: tile.read(k, operand, slot), regions=(name,))
        for operand, name in enumerate("AB")
    ]
    steps = Steps([*fetches, *reads, Step("C", "compute", lambda k, slot: tile.compute(k))])
    return Pipeline(schedule, steps, lambda k, slot: tile.advance(k))


@hkasm.kernel(block=256)
def gemm(k: hkasm.Builder) -> None:
    """C[m, n] = A[m, k] B[n, k]^T as in step 6, in the order of a schedule."""
    tile = Tile(k, buffers=2)
    pipeline(tile, DoubleBuffer()).lower(k, tile.steps)
    tile.store(k)


if __name__ == "__main__":
    print("two buffers:", show(gemm))

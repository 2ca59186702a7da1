"""What watches a run: checks, counters and traces all have this shape.

A listener overrides the methods it needs; the run calls only those, with whole arrays, so that a check that is off
costs nothing and one that is on works on all waves of a batch at once. Byte indices are int64 [W, 64] (LDS: flat over
workgroups); `lanes` is bool [W, 64], None where all lanes take part, and indices of other lanes mean nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from hkasm.emulator.batch import Batch
    from hkasm.emulator.code import Block
    from hkasm.emulator.memory import Span
    from hkasm.emulator.op import Op
    from hkasm.emulator.report import RunReport
    from hkasm.emulator.run import Run
    from hkasm.emulator.scoreboard import Pending

__all__ = ["HOOKS", "I64", "Listener", "Mask"]

I64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
U32 = NDArray[np.uint32]

HOOKS = (
    "issue", "block", "retire", "lds_read", "lds_write", "lds_load", "barrier", "memory", "access", "cache",
    "in_flight", "undefined", "ended",
)  # fmt: skip
"""Names of the methods that a run calls while waves execute."""


class Listener:
    """Base of everything that watches a run. `name` switches it."""

    name = "listener"

    def start(self, run: Run) -> None:
        """Begin a run of some workgroups; called before the first instruction."""

    def issue(self, batch: Batch, op: Op) -> None:
        """An instruction is about to execute (makes every instruction its own step)."""

    def block(self, batch: Batch, block: Block) -> None:
        """A straight run of instructions is about to execute."""

    def retire(self, batch: Batch, done: list[Pending]) -> None:
        """Operations were proven done by a wait."""

    def lds_read(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        """`size` bytes at each index are read."""

    def lds_write(
        self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None, atomic: bool
    ) -> None:
        """`size` bytes at each index are written by the wave itself."""

    def lds_load(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        """A direct-to-LDS load of `size` bytes to each index is issued."""

    def barrier(self, batch: Batch) -> None:
        """A batch's workgroups have all arrived; it goes on behind the barrier."""

    def memory(self, batch: Batch, op: Op, address: I64, size: int, lanes: Mask | None, kind: str) -> None:
        """A `load`, `store` or `atomic` of `size` bytes at each global address is issued."""

    def access(self, batch: Batch, pending: Pending, spans: list[Span], size: int, kind: str, data: U32 | None) -> None:
        """`kind` (a load, a store, an atomic) touches `size` bytes at each place of the spans, about to happen.

        Spans may be of LDS or scratch too. Scalar accesses have spans [W]. `data` [dwords, W, 64] is what is stored.
        """

    def cache(self, batch: Batch, pending: Pending) -> None:
        """A cache control of the vector memory (buffer_wbl2, buffer_inv) is issued."""

    def in_flight(self, batch: Batch, op: Op, pending: Pending, bits: int) -> None:
        """An instruction touches registers (`bits`) that `pending` has yet to write."""

    def undefined(self, batch: Batch, op: Op, bits: int, use: str, lanes: Any) -> None:
        """An undefined value in registers `bits` reaches a use that matters; `lanes` is bool [W] or [W, 64]."""

    def ended(self, batch: Batch) -> None:
        """Waves have executed s_endpgm."""

    def finish(self, report: RunReport) -> None:
        """The launch is over; put counters into the report."""

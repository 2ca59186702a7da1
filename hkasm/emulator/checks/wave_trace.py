"""What each wave executed, instruction by instruction, with the addresses that it touched: input of the cycle model."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import I64, Listener, Mask
from hkasm.emulator.op import Op
from hkasm.emulator.scoreboard import Pending

__all__ = ["Access", "TraceStep", "WaveTrace"]

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Access:
    """One access of one wave.

    `space` is `lds` or `global`, `kind` `load`, `store`, `atomic` or `direct` (the LDS side of a direct-to-LDS load),
    `size` the bytes of a lane. `address` is int64 [64], or [1] for a scalar access: the byte in the workgroup's LDS, or
    the global address; -1 in lanes that take no part.
    """

    space: str
    kind: str
    size: int
    address: NDArray[np.int64]


@dataclass(slots=True)
class TraceStep:
    """One instruction of one wave: `order` counts steps of the launch, `offset` is its byte in the kernel's code."""

    order: int
    offset: int
    accesses: list[Access] = field(default_factory=list)


class WaveTrace(Listener):
    """Keep the instructions of chosen workgroups (dispatch numbers, the first one by default), wave by wave.

    `waves` maps (workgroup number, wave) to its steps. At most `limit` steps of each wave are kept; the waves that had
    more are in `truncated`. Pass it as a listener: `launch(..., probes=[trace])`.
    """

    name = "wave trace"

    def __init__(self, groups: Container[int] = (0,), *, limit: int = 100_000) -> None:
        self.groups, self.limit = groups, limit
        self.waves: dict[tuple[int, int], list[TraceStep]] = {}
        self.truncated: set[tuple[int, int]] = set()
        self._order = 0
        self._open: dict[int, TraceStep] = {}

    def issue(self, batch: Batch, op: Op) -> None:
        self._open = {}
        order = self._order
        self._order += 1
        for row, (group, wave) in enumerate(zip(batch.run.group_numbers()[batch.group], batch.wave, strict=True)):
            if int(group) not in self.groups:
                continue
            key = (int(group), int(wave))
            steps = self.waves.setdefault(key, [])
            if len(steps) >= self.limit:
                self.truncated.add(key)
                continue
            step = TraceStep(order, op.index)
            steps.append(step)
            self._open[row] = step

    def lds_read(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        self._keep("lds", "load", size, index - batch.lds_base, lanes)

    def lds_write(
        self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None, atomic: bool
    ) -> None:
        self._keep("lds", "atomic" if atomic else "store", size, index - batch.lds_base, lanes)

    def lds_load(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        self._keep("lds", "direct", size, index - batch.lds_base, lanes)

    def memory(self, batch: Batch, op: Op, address: I64, size: int, lanes: Mask | None, kind: str) -> None:
        self._keep("global", kind.split()[-1], size, address, lanes)

    def _keep(self, space: str, kind: str, size: int, address: I64, lanes: Any) -> None:
        for row, step in self._open.items():
            mine = np.atleast_1d(address[row]).astype(np.int64)
            if lanes is not None:
                mine = np.where(lanes[row], mine, NOWHERE)
            step.accesses.append(Access(space, kind, size, mine.copy()))

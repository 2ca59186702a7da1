"""What is in flight: memory operations between issue and the wait that proves them done.

Each batch has one scoreboard, for its waves share one history. VMEM operations drain in order, LDS operations in order
among themselves, scalar loads in any order, so that only lgkmcnt(0) says anything about them. A FLAT operation may go
either way and is in both counters, and while one is outstanding a partial count may be its own (CDNA3 ISA, chapter on
data dependency resolution). What proves it done are the counters of where its lanes went: vmcnt for global memory and
scratch, lgkmcnt for LDS. LLVM's SIInsertWaitcnts takes the same view, and waits for one where it knows the space.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.memory import Span, join_spans
from hkasm.emulator.undefined_memory import load_undefined
from hkasm.errors import EmulatorError

if TYPE_CHECKING:
    from hkasm.emulator.batch import Batch
    from hkasm.emulator.op import Op

__all__ = ["LGKM", "VM", "Pending", "Scoreboard", "Selection", "fetch_value"]

VM, LGKM = 1, 2
"""The counters, as bits of `Pending.left`."""
Selection = slice | NDArray[Any]
U32 = NDArray[np.uint32]
Land = Callable[["Batch", "Pending"], None]


class Pending:
    """One memory operation in flight, for all waves of a batch.

    `queue` is `vm`, `lds`, `scalar` or `flat`; `kind` is `load`, `store` or `direct` (to LDS); `mask` has the bits of
    the registers that it will write. `land` moves the data; it runs once, at the latest when the operation retires.
    `take` reads the value again where a read of LDS may still do so, until another LDS operation of the wave writes.
    `size` is the bytes that a lane moves, `event` the LDS event number that checks use, `time` that of global memory.
    `left` are the counters that have yet to prove it done.
    """

    __slots__ = (
        "address", "data", "event", "index", "kind", "land", "landed", "lanes", "left", "mask", "op", "parts", "queue",
        "size", "spans", "take", "time", "undefined",
    )  # fmt: skip

    # Arrays and their wave axis.
    _AXES = (("lanes", 0), ("address", 0), ("index", 0), ("data", 1), ("parts", 1), ("undefined", 1))

    def __init__(self, op: Op, queue: str, kind: str, land: Land, mask: int = 0, size: int = 0) -> None:
        self.op, self.queue, self.kind, self.land, self.mask = op, queue, kind, land, mask
        self.size = size
        self.landed = False
        self.left = {"vm": VM, "flat": VM | LGKM}.get(queue, LGKM)
        self.event = self.time = 0
        self.lanes: NDArray[np.bool_] | None = None
        self.address: NDArray[np.int64] | None = None
        self.index: NDArray[np.int64] | None = None
        self.data: NDArray[np.uint32] | None = None
        self.parts: NDArray[np.bool_] | None = None
        self.undefined: NDArray[np.uint32] | None = None
        self.spans: list[Span] | None = None
        self.take: Land | None = None

    def select(self, waves: Selection) -> Pending:
        """Return the part that belongs to some waves of the batch."""
        part = Pending(self.op, self.queue, self.kind, self.land, self.mask, self.size)
        part.landed, part.left, part.event, part.time = self.landed, self.left, self.event, self.time
        part.take = self.take
        for name, axis in self._AXES:
            array = getattr(self, name)
            if array is not None:
                setattr(part, name, array[waves] if axis == 0 else array[:, waves])
        if self.spans is not None:
            parts = [span.select(waves) for span in self.spans]
            part.spans = [span for span in parts if span.takes_part]
        return part

    def matches(self, other: Pending) -> bool:
        """Tell whether two operations are the same instruction in the same state."""
        return (
            self.op is other.op
            and self.land is other.land
            and self.landed == other.landed
            and self.left == other.left
            and self.take is other.take
            and (self.data is None) == (other.data is None)
        )

    def join(self, other: Pending, counts: tuple[int, int]) -> Pending:
        """Return the operation of both batches; `counts` are their waves."""
        whole = Pending(self.op, self.queue, self.kind, self.land, self.mask, self.size)
        whole.landed, whole.left, whole.take = self.landed, self.left, self.take
        whole.event, whole.time = min(self.event, other.event), min(self.time, other.time)
        for name, axis in self._AXES:
            mine, its = getattr(self, name), getattr(other, name)
            if mine is None and its is None:
                continue
            if mine is None:
                mine = _absent(name, its, axis, counts[0])
            if its is None:
                its = _absent(name, mine, axis, counts[1])
            setattr(whole, name, np.concatenate((mine, its), axis=axis))
        if self.spans is not None and other.spans is not None:
            whole.spans = join_spans(self.spans, other.spans, counts)
        return whole


def _absent(name: str, like: NDArray[Any], axis: int, waves: int) -> NDArray[Any]:
    """Return what a missing array stands for: all lanes, all parts, nothing undefined."""
    shape = list(like.shape)
    shape[axis] = waves
    return np.full(shape, name in ("lanes", "parts"), dtype=like.dtype)


class Scoreboard:
    """The queues of one batch, oldest first, and the registers that they will write."""

    __slots__ = ("lds", "scalar", "vm")

    def __init__(self) -> None:
        self.vm: deque[Pending] = deque()
        self.lds: deque[Pending] = deque()
        self.scalar: list[Pending] = []
        """Scalar loads and the lgkmcnt side of FLAT operations: only a count of zero proves one done."""

    def issue(self, pending: Pending) -> None:
        if pending.queue == "lds":
            self.lds.append(pending)
        elif pending.queue == "vm":
            self.vm.append(pending)
        else:
            if pending.queue == "flat":
                self.vm.append(pending)
            self.scalar.append(pending)

    def wait_vm(self, count: int) -> list[Pending]:
        """Return the operations that `vmcnt(count)` proves done, oldest first."""
        queue = self.vm
        excess = len(queue) - count
        if excess > 0 and count:
            excess -= sum(pending.queue == "flat" for pending in queue)
        return [pending for pending in (queue.popleft() for _ in range(max(excess, 0))) if _is_done(pending, VM)]

    def wait_lgkm(self, count: int) -> list[Pending]:
        """Return the operations that `lgkmcnt(count)` proves done, oldest first."""
        queue = self.lds
        done = [queue.popleft() for _ in range(max(len(queue) - count, 0))]
        if count == 0 and self.scalar:
            done += [pending for pending in self.scalar if _is_done(pending, LGKM)]
            self.scalar = []
        return done

    def __iter__(self) -> Iterator[Pending]:
        """Yield what is not proven done."""
        return (pending for pending in self._counted() if pending.left)

    def _counted(self) -> list[Pending]:
        """Return all that a counter counts, also what the other counter has proven done."""
        return list({id(pending): pending for queue in (self.vm, self.lds, self.scalar) for pending in queue}.values())

    @property
    def is_empty(self) -> bool:
        return not (self.vm or self.lds or self.scalar)

    def mask(self) -> int:
        """Return the bits of all registers that loads in flight will write."""
        bits = 0
        for pending in self:
            bits |= pending.mask
        return bits

    def select(self, waves: Selection) -> Scoreboard:
        parts = {id(pending): pending.select(waves) for pending in self._counted()}
        part = Scoreboard()
        part.vm = deque(parts[id(pending)] for pending in self.vm)
        part.lds = deque(parts[id(pending)] for pending in self.lds)
        part.scalar = [parts[id(pending)] for pending in self.scalar]
        return part

    def matches(self, other: Scoreboard) -> bool:
        return all(
            len(mine) == len(its) and all(a.matches(b) for a, b in zip(mine, its, strict=True))
            for mine, its in ((self.vm, other.vm), (self.lds, other.lds), (self.scalar, other.scalar))
        )

    def join(self, other: Scoreboard, counts: tuple[int, int]) -> Scoreboard:
        """Return the scoreboard of two batches whose boards match."""
        wholes = {id(a): a.join(b, counts) for a, b in zip(self._counted(), other._counted(), strict=True)}
        whole = Scoreboard()
        whole.vm = deque(wholes[id(pending)] for pending in self.vm)
        whole.lds = deque(wholes[id(pending)] for pending in self.lds)
        whole.scalar = [wholes[id(pending)] for pending in self.scalar]
        return whole


def _is_done(pending: Pending, counter: int) -> bool:
    """Take a counter's word for an operation; tells whether that was the last one wanted."""
    before = pending.left
    pending.left &= ~counter
    return before != 0 and pending.left == 0


def fetch_value(b: Batch, pending: Pending) -> U32:
    """Read what a load loads, now: uint32 [dwords, W, 64], zero where it is out of range.

    What is undefined of it goes into `pending`.
    """
    address = pending.address
    if address is None:
        raise EmulatorError("a load has no address")
    memory, parts = b.run.memory, pending.parts
    shape = address.shape
    lanes = pending.lanes
    spans = pending.spans
    if spans is None and (parts is None or pending.size <= 4):
        inside = lanes if parts is None else parts[0] if lanes is None else parts[0] & lanes
        spans = memory.locate(address, pending.size, inside)[0]
    if spans is not None:
        pending.undefined = load_undefined(spans, shape, pending.size)
        return memory.load(spans, shape, pending.size)
    rows: list[U32] = []
    unknown: list[U32 | None] = []
    for dword, part in enumerate(() if parts is None else parts):
        inside = part if lanes is None else part & lanes
        spans = memory.locate(address + 4 * dword, 4, inside)[0]
        unknown.append(load_undefined(spans, shape, 4))
        rows.append(memory.load(spans, shape, 4)[0])
    if any(bits is not None for bits in unknown):
        pending.undefined = np.stack(
            [np.zeros(shape, dtype=np.uint32) if bits is None else bits[0] for bits in unknown]
        )
    return np.stack(rows)

"""What happens when an instruction touches a register that is in flight, undefined or only in the matrix cache.

The fast path is one AND of masks; everything here runs only when it hits. Undefined values are followed to the bit:
an instruction that reads some is executed again with the undefined bits filled in differently, and what differs in its
results is undefined. That holds for any instruction whose whole effect is on registers, whatever its modifiers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch, iterate_bits, pack_lanes
from hkasm.emulator.op import EXEC_BITS, M0_BIT, SCC_BIT, SCC_INDEX, VECTOR_BASE, Execute, Op

__all__ = ["attend", "guarded", "judge_undefined"]

U32 = NDArray[np.uint32]
_FILLS = (0x00000000, 0xFFFFFFFF, 0x3C9A7E55)
"""What undefined bits are replaced with in turn: zeros, ones, and a pattern that is neither small nor a NaN."""


def guarded(op: Op, execute: Execute) -> Execute:
    """Return the instruction with its check in front."""
    op.execute = execute
    mask = op.mask

    def run(batch: Batch) -> None:
        if batch.watch & mask and attend(batch, op):
            return
        execute(batch)

    return run


def attend(batch: Batch, op: Op) -> bool:
    """Settle what an instruction touches; return True if it has been executed here."""
    cached = (batch.stale & op.mask) | (batch.copied & op.writes)
    if cached:
        batch.settle(cached)
    if batch.busy & op.mask:
        _touch_in_flight(batch, op)
    if batch.poison & op.mask and op.execute is not None:
        _propagate(batch, op)
        return True
    return False


def _touch_in_flight(batch: Batch, op: Op) -> None:
    listeners = batch.run.on_in_flight
    if not listeners:
        return
    for pending in list(batch.board):
        bits = pending.mask & op.mask
        if not bits or (pending.queue == op.queue and not bits & op.reads):
            continue  # loads of one queue land in order: the later one simply wins
        lanes = pending.lanes if op.vector_exec and bits >> VECTOR_BASE else None
        if lanes is not None and not (lanes & batch.active()).any():
            continue  # the load fills other lanes
        for listener in listeners:
            listener.in_flight(batch, op, pending, bits)
        # A collecting run goes on as if the wait had been there.
        batch.land(pending)
        pending.mask = 0
    batch.busy = batch.board.mask()
    batch.update_watch()


# ---- undefined values -----------------------------------------------------------------------------------------------


def _propagate(batch: Batch, op: Op) -> None:
    execute = op.execute
    if execute is None:
        return
    if not batch.poison & op.reads and op.whole:
        lanes = batch.lanes if op.vector_exec else None
        execute(batch)
        batch.define(op.writes, lanes)
        return
    _execute_undefined(batch, op, execute)


def _row(batch: Batch, bit: int) -> NDArray[Any]:
    """Return the register of a bit, to be written in place: uint32 [W, 64] or [W], bool [W] for SCC."""
    if bit >= VECTOR_BASE:
        vector: NDArray[Any] = batch.v[bit - VECTOR_BASE]
        return vector
    scalar: NDArray[Any] = batch.scc if bit == SCC_INDEX else batch.s[bit]
    return scalar


def _execute_undefined(batch: Batch, op: Op, execute: Execute) -> None:
    undefined = {bit: batch.undefined(bit) for bit in iterate_bits(batch.poison & op.mask)}
    outputs = iterate_bits(op.writes)
    saved = {bit: _row(batch, bit).copy() for bit in {*undefined, *outputs}}
    active = batch.active() if op.vector_exec else None
    operands: list[NDArray[Any]] = []
    unsure = [np.zeros((), dtype=np.bool_) for _ in op.fetches]
    first: dict[int, NDArray[Any]] = {}
    differs: dict[int, U32] = {}
    for attempt in range(len(_FILLS) + 1):
        if attempt:
            for bit, bits in undefined.items():
                row = _row(batch, bit)
                if bit == SCC_INDEX:
                    row[...] = np.where(bits != 0, bool(_FILLS[attempt - 1] & 1), saved[bit])
                else:
                    row[...] = (saved[bit] & ~bits) | (np.uint32(_FILLS[attempt - 1]) & bits)
        seen = [_as_bits(fetch(batch)) for fetch in op.fetches]
        if not attempt:
            operands = [value.copy() for value in seen]
        else:
            unsure = [old | (now != then) for old, now, then in zip(unsure, seen, operands, strict=True)]
        execute(batch)
        for bit in outputs:
            value = _row(batch, bit)
            if not attempt:
                first[bit] = value.copy()
                differs[bit] = np.zeros(value.shape, dtype=np.uint32)
            else:
                differs[bit] |= value ^ first[bit]
        for bit, value in saved.items():
            _row(batch, bit)[...] = value
        if op.writes & EXEC_BITS:
            batch.refresh_exec()
    if op.fetches:
        _add_comparison(batch, op, unsure, active, differs)
    for bit in outputs:
        _row(batch, bit)[...] = first[bit]
        batch.set_undefined(bit, differs[bit])
    if op.writes & EXEC_BITS:
        batch.refresh_exec()
    batch.update_watch()
    for sink, use in ((EXEC_BITS, "EXEC"), (M0_BIT, "M0")):
        if op.writes & sink & batch.poison:
            judge_undefined(batch, op, op.writes & sink, use, None)


def _as_bits(value: NDArray[Any]) -> NDArray[Any]:
    """Return an operand's bits, so that a NaN equals itself."""
    array = np.ascontiguousarray(value)
    return array if array.dtype == np.bool_ else array.view(f"u{array.dtype.itemsize}")


def _add_comparison(
    batch: Batch, op: Op, unsure: list[NDArray[Any]], active: NDArray[np.bool_] | None, differs: dict[int, U32]
) -> None:
    """A comparison is undefined wherever an operand is: three fills may all compare alike."""
    if op.writes & SCC_BIT:
        for operand in unsure:
            differs[SCC_INDEX] |= operand
        return
    lanes = np.zeros((batch.waves, 64), dtype=np.bool_)
    for operand in unsure:
        lanes |= operand
    if active is not None:
        lanes &= active
    for half, bit in enumerate(iterate_bits(op.writes)):
        differs[bit] |= pack_lanes(lanes)[half & 1]


def judge_undefined(
    batch: Batch, op: Op, bits: int, use: str, lanes: NDArray[np.bool_] | None, width: int = 32
) -> None:
    """Report undefined values that reach a use that matters, and forget them so that each is told once.

    `bits` are the registers used, `lanes` the lanes that use them (vector registers), `width` how many of each
    register's bits are used.
    """
    low = np.uint32((1 << width) - 1)
    found = 0
    where: NDArray[np.bool_] | None = None
    for bit in iterate_bits(batch.poison & bits):
        wrong = (batch.undefined(bit) & low) != 0
        if wrong.ndim == 2 and lanes is not None:
            wrong = wrong & lanes
        if not wrong.any():
            continue
        found |= 1 << bit
        if where is not None and where.ndim != wrong.ndim:
            where, wrong = (x if x.ndim == 2 else np.repeat(x[:, None], 64, axis=1) for x in (where, wrong))
        where = wrong if where is None else where | wrong
    if not found:
        return
    for listener in batch.run.on_undefined:
        listener.undefined(batch, op, found, use, where)
    batch.define(found, None)

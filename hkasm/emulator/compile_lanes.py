"""LDS instructions that move data between lanes, and the few with addresses of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_atomic import nothing
from hkasm.emulator.compile_lds import land_vector, place_in_lds, vector_operand
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.op import M0_BIT, VECTOR_BASE, Op
from hkasm.emulator.scoreboard import Pending
from hkasm.errors import EmulatorError
from hkasm.isa.registers import M0

__all__ = ["compile_lane_move", "compile_own_address"]

U32 = NDArray[np.uint32]
Move = Callable[[Batch, U32], U32]
LANE = np.arange(64)


def compile_lane_move(code: Code, op: Op) -> None:
    """Compile ds_permute, ds_bpermute and ds_swizzle: through LDS's crossbar, without touching its memory.

    Lanes that EXEC turns off give zero (CDNA3 ISA, these instructions' pseudocode).
    """
    memory = op.inst.spec.memory
    if memory is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    first, _, mask = vector_operand(code, values, "vdst")
    address_at, _, _ = vector_operand(code, values, "addr")
    offset = np.uint32(op.inst.mods.get("offset", 0))
    data_at = address_at if memory.op == "swizzle" else vector_operand(code, values, "data0")[0]
    touched = op.mask
    land = land_vector(first, mask)
    if memory.op == "swizzle":
        source, exists = swizzle_source(int(offset))

        def move(b: Batch, data: U32) -> U32:
            return np.where(exists & b.active()[:, source], data[:, source], np.uint32(0))

    elif memory.op == "bpermute":

        def move(b: Batch, data: U32) -> U32:
            lane = (((b.v[address_at] + offset) >> np.uint32(2)) & np.uint32(63)).astype(np.intp)
            moved = np.take_along_axis(data, lane, axis=1)
            if b.lanes is None:
                return moved
            return np.where(np.take_along_axis(b.lanes, lane, axis=1), moved, np.uint32(0))

    else:

        def move(b: Batch, data: U32) -> U32:
            lane = (((b.v[address_at] + offset) >> np.uint32(2)) & np.uint32(63)).astype(np.intp)
            wave, active = np.broadcast_to(np.arange(b.waves)[:, None], lane.shape), b.active()
            moved = np.zeros_like(data)
            moved[wave[active], lane[active]] = data[active]
            return moved

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            if b.poison >> VECTOR_BASE >> address_at & 1 and data_at != address_at:
                judge_undefined(b, op, 1 << (VECTOR_BASE + address_at), "a lane number", b.active())
        pending = Pending(op, "lds", "", land, mask, 4)
        pending.lanes = b.lanes
        pending.data = move(b, b.v[data_at])[None]
        if b.poison >> VECTOR_BASE >> data_at & 1:
            pending.undefined = move(b, b.undefined(VECTOR_BASE + data_at))[None]
        b.issue(pending)

    op.run = run


@cache
def swizzle_source(pattern: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the source lane of every lane under a ds_swizzle pattern, and whether it exists."""
    inside, half = LANE & 31, LANE & 32
    exists = np.ones(64, dtype=np.bool_)
    mask = pattern & 31
    if pattern >= 0xE000:  # bit-reversed order, for FFTs
        reverse = np.array([int(f"{lane:05b}"[::-1], 2) for lane in range(32)])[inside]
        return ((reverse >> mask.bit_count()) | (inside & mask)) | half, exists
    if pattern >= 0xC000:  # rotation
        amount = pattern >> 5 & 31
        amount = -amount if pattern >> 10 & 1 else amount
        return ((inside & mask) | ((inside + amount) & 31 & ~mask)) | half, exists
    if pattern & 0x8000:  # any order within four lanes
        select = np.array([pattern >> 2 * place & 3 for place in range(4)])
        return (LANE & ~3) + select[LANE & 3], exists
    return (((inside & mask) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)) | half, exists


def compile_own_address(code: Code, op: Op) -> None:
    """Compile ds_read_addtid, ds_write_addtid, ds_append and ds_consume, whose address comes from M0."""
    memory = op.inst.spec.memory
    if memory is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    if memory.op in ("append", "consume"):
        _compile_counter(code, op, memory.op == "append")
        return
    values = values_of(op)
    offset = op.inst.mods.get("offset", 0)
    reads = memory.op == "load_addtid"
    first, _, bits = vector_operand(code, values, "vdst" if reads else "data0")
    land, mask = (land_vector(first, bits), bits) if reads else (nothing, 0)
    lane_bytes = (4 * LANE).astype(np.uint32)[None]
    touched = op.mask

    def run(b: Batch) -> None:
        _check(b, op, touched)
        pending = Pending(op, "lds", "load" if reads else "store", land, mask, 4)
        pending.lanes = b.lanes
        address = (b.s[M0.index] & np.uint32(0xFFFF))[:, None] + lane_bytes
        index, lanes, _ = place_in_lds(b, op, address, offset, 4)
        if reads:
            for listener in b.run.on_lds_read:
                listener.lds_read(b, pending, index, 4, lanes)
            data = b.run.lds.gather(index if lanes is None else np.where(lanes, index, 0), 4)
            pending.data = data if lanes is None else np.where(lanes, data, np.uint32(0))
        else:
            for listener in b.run.on_lds_write:
                listener.lds_write(b, pending, index, 4, lanes, False)
            chosen = b.active() if lanes is None else lanes
            b.run.lds.scatter(index[chosen], b.v[first][None][:, chosen], 4)
        b.issue(pending)

    op.run = run


def _check(b: Batch, op: Op, touched: int) -> None:
    if b.watch & touched:
        attend(b, op)
        if b.poison & M0_BIT:
            judge_undefined(b, op, M0_BIT, "M0", None)


def _compile_counter(code: Code, op: Op, plus: bool) -> None:
    first, _, mask = vector_operand(code, values_of(op), "vdst")
    offset = op.inst.mods.get("offset", 0)
    land = land_vector(first, mask)
    touched = op.mask

    def run(b: Batch) -> None:
        _check(b, op, touched)
        pending = Pending(op, "lds", "store", land, mask, 4)
        pending.lanes = b.lanes
        address = np.broadcast_to((b.s[M0.index] & np.uint32(0xFFFF))[:, None], (b.waves, 64)).copy()
        index, lanes, _ = place_in_lds(b, op, address, offset, 4)
        for listener in b.run.on_lds_write:
            listener.lds_write(b, pending, index, 4, lanes, True)
        active = b.active().sum(axis=1).astype(np.uint32)
        old = np.zeros(b.waves, dtype=np.uint32)
        for wave in range(b.waves):  # waves of one workgroup take turns
            place = index[wave, :1]
            before = b.run.lds.gather(place, 4)
            old[wave] = before[0, 0]
            after = before + active[wave] if plus else before - active[wave]
            b.run.lds.scatter(place, after, 4)
        pending.data = np.broadcast_to(old[:, None], (1, b.waves, 64))
        b.issue(pending)

    op.run = run

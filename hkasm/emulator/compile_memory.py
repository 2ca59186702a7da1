"""Vector memory: loads and stores of buffer, global, flat and scratch space, and direct-to-LDS loads.

A load takes its value as late as the waits allow, at its landing; a store takes effect when it is issued, after the
wave's own earlier loads have taken their values, for the memory pipe keeps a wave's operations in order. A load direct
to LDS writes it at its landing: zeros in lanes out of the buffer's range, nothing in lanes that EXEC turns off.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator import faults
from hkasm.emulator.addresses import LANE, Address, buffer_address, global_address, scratch_address
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_lds import extended, land_vector, vector_operand
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.memory import PRIVATE_BASE, SHARED_BASE, Span
from hkasm.emulator.op import M0_BIT, VECTOR_BASE, Execute, Op
from hkasm.emulator.scoreboard import LGKM, VM, Land, Pending, fetch_value
from hkasm.emulator.undefined_memory import store_undefined
from hkasm.errors import EmulatorError
from hkasm.isa.registers import M0
from hkasm.isa.spec import MemSpec

__all__ = ["address_of", "compile_memory", "keep_own_order", "reach", "reach_of", "store_value", "tell_access"]

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
Mask = NDArray[np.bool_]


def compile_memory(code: Code, op: Op) -> None:
    """Compile a buffer, global, flat or scratch instruction that is not an atomic."""
    memory = op.inst.spec.memory
    if memory is None or memory.op not in ("load", "store"):
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    address = address_of(code, op, values, memory)
    if memory.to_lds:
        op.run = _compile_direct(op, memory, address)
    elif memory.op == "load":
        op.run = _compile_load(code, op, memory, values, address)
    else:
        op.run = _compile_store(code, op, memory, values, address)


def address_of(code: Code, op: Op, values: dict[str, OperandValue], memory: MemSpec) -> Address:
    """Return the address function of a memory instruction."""
    if memory.space == "buffer":
        return buffer_address(code, op, values, memory.bytes)
    if memory.space == "scratch":
        return scratch_address(code, op, values)
    return global_address(code, op, values)


def reach(b: Batch, op: Op, pending: Pending, address: I64, parts: Mask | None, kind: str) -> None:
    """Find the bytes behind an access and put them into `pending`; report lanes that hit nothing."""
    pending.address, pending.parts = address, parts
    lanes = b.lanes
    pending.lanes = lanes
    touched: Mask | None = None
    if parts is not None:
        touched = np.asarray(parts.any(axis=0))
        lanes = touched if lanes is None else touched & lanes
    for listener in b.run.on_memory:
        listener.memory(b, op, address, pending.size, lanes, kind)
    low = min(pending.size, 4) - 1
    if low and np.bitwise_or.reduce(address, axis=None) & low:
        wrong = (address & low != 0) & (b.active() if lanes is None else lanes)
        if wrong.any():
            faults.misaligned(b, op, wrong, address, low + 1, always=kind == "an atomic")
    if parts is not None and touched is not None and not np.asarray(parts.all(axis=0))[touched].all():
        return  # some lanes are inside in part: they are moved dword by dword
    spans, missed = b.run.memory.locate(address, pending.size, lanes)
    pending.spans = spans
    if missed is not None:
        faults.memory_outside(b, op, missed, address, pending.size, kind)
        _drop(pending, missed)


def tell_access(b: Batch, pending: Pending, kind: str, data: U32 | None = None) -> None:
    """Tell the listeners which bytes an access touches, before it does."""
    listeners = b.run.on_access
    if not listeners or pending.address is None:
        return
    pieces: list[tuple[list[Span], int, U32 | None]] = []
    if pending.spans is not None:
        pieces.append((pending.spans, pending.size, data))
    else:
        for dword, part in enumerate(() if pending.parts is None else pending.parts):
            inside = part if pending.lanes is None else part & pending.lanes
            spans, _ = b.run.memory.locate(pending.address + 4 * dword, min(pending.size, 4), inside)
            pieces.append((spans, min(pending.size, 4), None if data is None else data[dword : dword + 1]))
    for spans, size, words in pieces:
        for listener in listeners:
            listener.access(b, pending, spans, size, kind, words)


def _drop(pending: Pending, missed: Mask) -> None:
    """Take lanes that hit no buffer out of the access, for runs that go on after a finding."""
    dwords = max(pending.size // 4, 1)
    parts = np.ones((dwords, *missed.shape), dtype=np.bool_) if pending.parts is None else pending.parts
    pending.parts = parts & ~missed


def keep_own_order(b: Batch) -> None:
    """Let the wave's own loads in flight take their values before it stores."""
    for pending in b.board.vm:
        if pending.data is None and pending.kind in ("load", "direct") and pending.address is not None:
            pending.data = fetch_value(b, pending)


def _check_address(b: Batch, op: Op, bits: int) -> None:
    if b.poison & bits:
        judge_undefined(b, op, bits, "an address", b.active())


# ---- loads ----------------------------------------------------------------------------------------------------------


def _compile_load(
    code: Code, op: Op, memory: MemSpec, values: dict[str, OperandValue], address_of_lanes: Address
) -> Execute:
    first, _, mask = vector_operand(code, values, "vdst" if "vdst" in values else "vdata")
    if memory.d16:
        op.reads &= ~mask  # the kept half is not an address
    address_bits = op.reads
    land = _land_load(land_vector(first, mask, memory.d16), memory.elem)
    queue = "flat" if memory.space == "flat" else "vm"
    op.queue = queue if queue == "vm" else ""
    touched, size = op.mask, memory.bytes
    reaches = reach_of(memory.space)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            _check_address(b, op, address_bits)
        pending = Pending(op, queue, "load", land, mask, size)
        address, parts = address_of_lanes(b)
        reaches(b, op, pending, address, parts, "a load")
        tell_access(b, pending, "a load")
        b.issue(pending)

    return run


def _land_load(put: Land, elem: str) -> Land:
    narrow = elem in ("i8", "i16")

    def land(b: Batch, pending: Pending) -> None:
        if pending.data is None:
            pending.data = fetch_value(b, pending)
        if narrow:
            pending.data = extended(pending.data.copy(), elem)
            if pending.undefined is not None:
                pending.undefined = extended(pending.undefined, elem)
        put(b, pending)

    return land


# ---- stores ---------------------------------------------------------------------------------------------------------


def _compile_store(
    code: Code, op: Op, memory: MemSpec, values: dict[str, OperandValue], address_of_lanes: Address
) -> Execute:
    first, count, data_bits = vector_operand(code, values, "vdata")
    address_bits = op.reads & ~data_bits
    queue = "flat" if memory.space == "flat" else "vm"
    touched, size = op.mask, memory.bytes
    shift = np.uint32(16 if memory.d16 == "hi" else 0)
    width = min(8 * size, 32)
    reaches = reach_of(memory.space)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            _check_address(b, op, address_bits)
        pending = Pending(op, queue, "store", _nothing, 0, size)
        address, parts = address_of_lanes(b)
        reaches(b, op, pending, address, parts, "a store")
        if b.poison & data_bits and memory.space != "scratch":
            judge_undefined(b, op, data_bits, "a store", _seen_by_others(b, address, memory.space), width)
        data = b.v[first : first + count]
        bits: U32 | None = None
        if b.poison & data_bits:
            bits = np.stack([b.undefined(VECTOR_BASE + first + number) for number in range(count)]) >> shift
        if shift:
            data = data >> shift
        tell_access(b, pending, "a store", data)
        keep_own_order(b)
        store_value(b, pending, data, bits)
        # Only the place in the counter is left.
        pending.address = pending.parts = pending.lanes = pending.spans = None
        b.issue(pending)

    return run


def store_value(b: Batch, pending: Pending, data: U32, bits: U32 | None) -> None:
    """Put a store's data into memory; `bits` are undefined."""
    memory, address = b.run.memory, pending.address
    if pending.spans is not None or address is None:
        memory.store(pending.spans or [], data, pending.size)
        store_undefined(pending.spans or [], bits, pending.size)
        return
    parts = pending.parts
    if parts is None:
        raise EmulatorError("a store has no bytes")
    for dword, part in enumerate(parts):
        inside = part if pending.lanes is None else part & pending.lanes
        spans, _ = memory.locate(address + 4 * dword, min(pending.size, 4), inside)
        memory.store(spans, data[dword : dword + 1], min(pending.size, 4))
        store_undefined(spans, None if bits is None else bits[dword : dword + 1], min(pending.size, 4))


def _nothing(b: Batch, pending: Pending) -> None:
    """A store has no landing."""


def _seen_by_others(b: Batch, address: I64, space: str) -> Mask:
    """Return the active lanes whose store goes to global memory: compilers spill undefined registers on purpose."""
    window = address >> 48
    if space != "flat":
        return b.active()
    seen: Mask = b.active() & (window != PRIVATE_BASE >> 48) & (window != SHARED_BASE >> 48)
    return seen


# ---- direct to LDS --------------------------------------------------------------------------------------------------


def _compile_direct(op: Op, memory: MemSpec, address_of_lanes: Address) -> Execute:
    size = max(memory.bytes, 4)
    offset = op.inst.mods.get("offset", 0)
    lane_offset = LANE[None] * size + offset
    address_bits = op.reads & ~M0_BIT
    touched = op.mask
    elem = memory.elem

    def land(b: Batch, pending: Pending) -> None:
        data = pending.data if pending.data is not None else fetch_value(b, pending)
        if elem in ("i8", "i16"):
            data = extended(data.copy(), elem)
        if pending.index is None:
            return
        spans = [Span(b.run.lds, pending.index, pending.lanes)]
        b.run.memory.store(spans, data, size)
        store_undefined(spans, pending.undefined, size)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            _check_address(b, op, address_bits)
            if b.poison & M0_BIT:
                judge_undefined(b, op, M0_BIT, "M0", None)
        pending = Pending(op, "vm", "direct", land, 0, memory.bytes)
        address, parts = address_of_lanes(b)
        reach(b, op, pending, address, parts, "a load")
        tell_access(b, pending, "a load")
        local = (b.s[M0.index] & np.uint32(0x3FFFF)).astype(np.int64)[:, None] + lane_offset
        _place_in_lds(b, op, pending, local, size)
        b.issue(pending)

    return run


def _place_in_lds(b: Batch, op: Op, pending: Pending, local: I64, size: int) -> None:
    """Set where in LDS each lane's bytes go; lanes outside the allocation write nothing."""
    pending.index = local + b.lds_base
    limit = b.run.lds.bytes_per_group - size
    if int(local.max()) > limit:
        outside = local > limit
        if b.lanes is not None:
            outside = outside & b.lanes
        if outside.any():
            faults.lds_outside(b, op, outside, local, size)
        pending.lanes = b.active() & (local <= limit)
        pending.index = np.where(local <= limit, pending.index, 0)
    if (local & 3).any():
        faults.misaligned(b, op, (local & 3) != 0, local, 4, space="LDS")
        pending.index = pending.index & ~np.int64(3)
    for listener in b.run.on_lds_load:
        listener.lds_load(b, pending, pending.index, size, pending.lanes)


# ---- scratch and flat -----------------------------------------------------------------------------------------------


def reach_of(space: str) -> Callable[[Batch, Op, Pending, I64, Mask | None, str], None]:
    """Return what finds the bytes behind an access of a space."""
    return {"scratch": reach_scratch, "flat": reach_flat}.get(space, reach)


def scratch_index(b: Batch, offset: I64) -> I64:
    """Return the index into the run's scratch of a byte offset in each lane's own."""
    run = b.run
    slot = (b.group * run.waves_per_group + b.wave)[:, None] * 64 + LANE[None]
    return slot * run.scratch_stride + offset


def reach_scratch(b: Batch, op: Op, pending: Pending, address: I64, parts: Mask | None, kind: str) -> None:
    """Find the scratch bytes behind an access."""
    pending.address, pending.lanes = address, b.lanes
    spans, outside = _scratch_spans(b, address, pending.size, b.active())
    if outside.any():
        faults.memory_outside(b, op, outside, address, pending.size, kind, scratch=True)
    pending.spans = spans


def _scratch_spans(b: Batch, offset: I64, size: int, lanes: Mask) -> tuple[list[Span], Mask]:
    inside = lanes & (offset >= 0) & (offset + size <= b.run.launch.scratch_bytes)
    outside = lanes & ~inside
    if not inside.any():
        return [], outside
    index = scratch_index(b, np.where(inside, offset, 0))
    return [Span(b.run.scratch, index, None if inside.all() else inside)], outside


def reach_flat(b: Batch, op: Op, pending: Pending, address: I64, parts: Mask | None, kind: str) -> None:
    """Send each lane of a flat access to LDS, scratch or global memory by its aperture, which decides the counters."""
    window = address >> 48
    active = b.active()
    in_lds, in_scratch = active & (window == SHARED_BASE >> 48), active & (window == PRIVATE_BASE >> 48)
    if not in_lds.any():
        pending.left = VM
        if not in_scratch.any():
            reach(b, op, pending, address, parts, kind)
            return
    elif (in_lds == active).all():
        pending.left = LGKM
    pending.address, pending.lanes = address, b.lanes
    local = address & 0xFFFFFFFF
    spans, beyond = _scratch_spans(b, local, pending.size, in_scratch)
    if beyond.any():
        faults.memory_outside(b, op, beyond, local, pending.size, kind, scratch=True)
    outside = np.zeros_like(beyond)
    if in_lds.any():
        beyond = in_lds & (local + pending.size > b.run.lds.bytes_per_group)
        if beyond.any():
            faults.lds_outside(b, op, beyond, local, pending.size)
        in_lds &= ~beyond
        index = np.where(in_lds, local + b.lds_base, 0)
        spans.append(Span(b.run.lds, index, in_lds))
        if pending.kind == "load":
            for listener in b.run.on_lds_read:
                listener.lds_read(b, pending, index, pending.size, in_lds)
        else:
            for listener in b.run.on_lds_write:
                listener.lds_write(b, pending, index, pending.size, in_lds, False)
    elsewhere = active & (window != SHARED_BASE >> 48) & (window != PRIVATE_BASE >> 48)
    if elsewhere.any():
        found, missed = b.run.memory.locate(address, pending.size, elsewhere)
        spans += found
        if missed is not None:
            outside |= missed
    if outside.any():
        faults.memory_outside(b, op, outside, address, pending.size, kind)
    pending.spans = spans
    if pending.kind == "load":
        pending.data = fetch_value(b, pending)  # LDS answers in its own order, so that the value is taken now

"""Atomics of vector memory and LDS: done when issued, the old value lands late."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator import faults
from hkasm.emulator.atomics import Formula, atomic_formula, modify_spans
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_lds import check_address, land_vector, offsets_of, place_in_lds, vector_operand
from hkasm.emulator.compile_memory import address_of, keep_own_order, reach_of, tell_access
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.memory import Span
from hkasm.emulator.op import Op
from hkasm.emulator.scoreboard import Land, Pending
from hkasm.emulator.undefined_memory import load_undefined, store_undefined
from hkasm.errors import EmulatorError

__all__ = ["compile_lds_atomic", "compile_vector_atomic", "nothing"]

U32 = NDArray[np.uint32]


def nothing(b: Batch, pending: Pending) -> None:
    """Land what brings nothing back."""


def compile_vector_atomic(code: Code, op: Op) -> None:
    """Compile a buffer, global or flat atomic."""
    memory = op.inst.spec.memory
    if memory is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    formula, dtype = atomic_formula(memory.atomic, memory.elem, compare_first=False)
    dwords = memory.bytes // 4
    address = address_of(code, op, values, memory)
    first, count, data_bits = vector_operand(code, values, "vdata")
    land, mask = _old_value(code, op, values, "vdst" if "vdst" in values else "vdata", dwords, returns=memory.returns)
    address_bits = op.reads & ~data_bits
    queue = "flat" if memory.space == "flat" else "vm"
    op.queue = queue if queue == "vm" else ""
    touched, size = op.mask, memory.bytes
    reaches = reach_of(memory.space)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            if b.poison & address_bits:
                judge_undefined(b, op, address_bits, "an address", b.active())
            if b.poison & data_bits:
                judge_undefined(b, op, data_bits, "an atomic", b.active())
        pending = Pending(op, queue, "store", land, mask, size)
        where, parts = address(b)
        reaches(b, op, pending, where, parts, "an atomic")
        tell_access(b, pending, "an atomic")
        keep_own_order(b)
        data = b.v[first : first + dwords]
        second = b.v[first + dwords : first + 2 * dwords] if count >= 2 * dwords else data
        spans = pending.spans or []
        pending.undefined = load_undefined(spans, (b.waves, 64), size)
        old = _modify(b, op, pending, data, second, formula, dtype)
        if memory.atomic == "swap":
            store_undefined(spans, None, size)
        pending.address = pending.parts = pending.spans = None
        if mask:
            pending.data = old
        b.issue(pending)

    op.run = run


def _modify(b: Batch, op: Op, pending: Pending, data: U32, second: U32, formula: Formula, dtype: type) -> U32:
    spans = pending.spans or []
    low = np.dtype(dtype).itemsize - 1
    for span in spans:
        lanes = b.active() if span.lanes is None else span.lanes
        wrong = (span.index & low != 0) & lanes
        if wrong.any():
            faults.misaligned(b, op, wrong, span.index, low + 1)
    return modify_spans(spans, (b.waves, 64), data, second, formula, dtype)


def _old_value(
    code: Code, op: Op, values: dict[str, OperandValue], name: str, dwords: int, *, returns: bool
) -> tuple[Land, int]:
    """Return the landing of an atomic's old value and the bits of the registers that it fills."""
    if not returns:
        return nothing, 0
    first, count, mask = vector_operand(code, values, name)
    if count > dwords:  # a compare-and-swap of the buffer form returns into the first of its data registers
        mask &= (mask & -mask) * ((1 << dwords) - 1)
    op.writes = mask
    return land_vector(first, mask), mask


def compile_lds_atomic(code: Code, op: Op) -> None:
    """Compile a ds atomic, or the two exchanges of ds_wrxchg2."""
    memory = op.inst.spec.memory
    if memory is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    formula, dtype = atomic_formula(memory.atomic, memory.elem, compare_first=True)
    dwords = np.dtype(dtype).itemsize // 4
    address_at, _, address_bits = vector_operand(code, values, "addr")
    sources = [vector_operand(code, values, name) for name in ("data0", "data1") if name in values]
    data_bits = 0
    for _, _, bits in sources:
        data_bits |= bits
    parts = offsets_of(op, memory)
    land, mask = _old_value(code, op, values, "vdst", dwords * len(parts), returns=memory.returns)
    op.queue = "lds"
    touched = op.mask

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            check_address(b, op, address_bits)
            if b.poison & data_bits:
                judge_undefined(b, op, data_bits, "an atomic", b.active())
        pending = Pending(op, "lds", "store", land, mask, memory.bytes)
        pending.lanes = b.lanes
        old = []
        unknown: list[U32 | None] = []
        for number, (offset, size) in enumerate(parts):
            first = sources[number if len(parts) > 1 else 0][0]
            second = sources[-1][0]
            index, lanes, _ = place_in_lds(b, op, b.v[address_at], offset, size)
            for listener in b.run.on_lds_write:
                listener.lds_write(b, pending, index, size, lanes, True)
            pending.spans = [Span(b.run.lds, index, lanes)]
            data = b.v[first : first + dwords]
            unknown.append(load_undefined(pending.spans, (b.waves, 64), size))
            old.append(_modify(b, op, pending, data, b.v[second : second + dwords], formula, dtype))
        pending.spans = None
        if mask:
            pending.data = old[0] if len(old) == 1 else np.concatenate(old)
            if any(bits is not None for bits in unknown):
                parts_of = [np.zeros_like(old[0]) if bits is None else bits for bits in unknown]
                pending.undefined = np.concatenate(parts_of)
        b.issue(pending)

    op.run = run

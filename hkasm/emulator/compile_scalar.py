"""Scalar memory: one value a wave through the constant path, landing in any order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator import faults
from hkasm.emulator.atomics import atomic_formula, modify_spans
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_memory import tell_access
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.op import Op
from hkasm.emulator.scoreboard import Pending, fetch_value
from hkasm.emulator.undefined_memory import store_undefined
from hkasm.errors import EmulatorError
from hkasm.isa.registers import Register

__all__ = ["compile_cache", "compile_scalar", "compile_time"]

I64 = NDArray[np.int64]
Where = Callable[[Batch, Op, Pending], None]


def compile_scalar(code: Code, op: Op) -> None:
    """Compile scalar loads, stores and atomics; the low two bits of the address are ignored, as the hardware does.

    The SGPR offset of s_scratch_* is in units of 64 bytes (ISA, scalar memory reads).
    """
    memory = op.inst.spec.memory
    if memory is None or memory.op not in ("load", "store", "atomic"):
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    data = values["sdata"]
    if not isinstance(data, Register):
        raise EmulatorError(f"{op.inst.mnemonic} needs SGPRs for its data")
    first, size = data.index, memory.bytes
    find = _address(op, values)
    mask, reads, touched = op.writes, op.reads, op.mask
    dwords = size // 4
    kind = {"load": "a load", "store": "a store", "atomic": "an atomic"}[memory.op]
    formula, dtype = (
        atomic_formula(memory.atomic, memory.elem, compare_first=False) if memory.op == "atomic" else (None, None)
    )

    def land(b: Batch, pending: Pending) -> None:
        if mask:
            value = pending.data if pending.data is not None else fetch_value(b, pending)
            b.put_scalar(first, value, mask)
            if pending.undefined is not None and b.run.on_undefined:
                for number, bits in enumerate(pending.undefined):
                    b.set_undefined(first + number, bits)
                b.update_watch()

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            if b.poison & reads:
                judge_undefined(b, op, reads, "an address" if memory.op == "load" else "a store", None)
        pending = Pending(op, "scalar", memory.op if memory.op == "load" else "store", land, mask, size)
        find(b, op, pending)
        tell_access(b, pending, kind)
        if memory.op == "store":
            b.run.memory.store(pending.spans or [], b.s[first : first + dwords], size)
            store_undefined(pending.spans or [], None, size)
        elif formula is not None:
            words, second = b.s[first : first + dwords], b.s[first + dwords : first + 2 * dwords]
            second = second if memory.atomic == "cmpswap" else words
            pending.data = modify_spans(pending.spans or [], (b.waves,), words, second, formula, dtype)
        b.issue(pending)

    op.run = run


def _address(op: Op, values: dict[str, OperandValue]) -> Where:
    """Return what puts the address of each wave, [W], and the bytes behind it into a pending operation."""
    base, soffset = values["sbase"], values.get("soffset")
    if not isinstance(base, Register):
        raise EmulatorError(f"{op.inst.mnemonic} needs SGPRs for its address")
    at, offset = base.index, op.inst.mods.get("offset", 0)
    offset_at = soffset.index if isinstance(soffset, Register) else -1
    is_buffer = "descriptor" in op.inst.spec.flags
    unit = 64 if "scratch" in op.inst.spec.flags else 1

    def find(b: Batch, op: Op, pending: Pending) -> None:
        s, size = b.s, pending.size
        where: I64 = np.full(b.waves, offset, dtype=np.int64)
        if offset_at >= 0:
            where += s[offset_at].astype(np.int64) * unit
        high = s[at + 1] & np.uint32(0xFFFF) if is_buffer else s[at + 1]
        lanes = None
        if is_buffer:
            stride = ((s[at + 1] >> np.uint32(16)) & np.uint32(0x3FFF)).astype(np.int64)
            limit = s[at + 2].astype(np.int64) * np.maximum(stride, 1)
            inside = where[None] + 4 * np.arange(1, size // 4 + 1)[:, None] <= limit
            if not inside.all():
                pending.parts = inside
                lanes = inside.all(axis=0)
        where = (s[at].astype(np.int64) | high.astype(np.int64) << 32) + where
        if (where & 3).any():
            faults.misaligned(b, op, where & 3 != 0, where, 4)
            where = where & ~np.int64(3)
        pending.address = where
        spans, missed = b.run.memory.locate(where, size, lanes)
        if lanes is None or pending.kind != "load":
            pending.spans = spans
        if missed is not None:
            kind = "a scalar load" if pending.kind == "load" else "a scalar store"
            faults.memory_outside(b, op, missed, where, size, kind)
            pending.parts = np.broadcast_to(~missed, (size // 4, b.waves))
            pending.spans = None if pending.kind == "load" else spans

    return find


def compile_time(code: Code, op: Op) -> None:
    """Compile s_memtime and s_memrealtime: the instructions that the launch has executed stand for cycles."""
    data = values_of(op)["sdata"]
    if not isinstance(data, Register):
        raise EmulatorError(f"{op.inst.mnemonic} needs SGPRs")
    first, mask, touched = data.index, op.writes, op.mask

    def land(b: Batch, pending: Pending) -> None:
        if pending.data is not None:
            b.put_scalar(first, pending.data, mask)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
        pending = Pending(op, "scalar", "load", land, mask, 8)
        now = b.run.limits.instructions
        words = np.array([[now & 0xFFFFFFFF], [now >> 32]], dtype=np.uint32)
        pending.data = np.broadcast_to(words, (2, b.waves))
        b.issue(pending)

    op.run = run


def compile_cache(code: Code, op: Op) -> None:
    """Compile cache control: memory here has no caches, but the operation takes its place in its counter.

    What it would do is the business of listeners (`hkasm.emulator.checks.visibility`).
    """
    queue = "vm" if op.inst.spec.counter == "vmcnt" else "scalar"

    def land(b: Batch, pending: Pending) -> None:
        """Bring nothing back."""

    def run(b: Batch) -> None:
        pending = Pending(op, queue, "", land)
        if queue == "vm":
            for listener in b.run.on_cache:
                listener.cache(b, pending)
        b.issue(pending)

    op.run = run

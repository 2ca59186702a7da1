"""Scalar memory: loads through the constant path, one value a wave, landing in any order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator import faults
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_memory import fetch_value
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.op import Op
from hkasm.emulator.scoreboard import Pending
from hkasm.errors import EmulatorError
from hkasm.isa.registers import Register

__all__ = ["compile_scalar"]

I64 = NDArray[np.int64]


def compile_scalar(code: Code, op: Op) -> None:
    """Compile s_load and s_buffer_load; the low two bits of the address are ignored, as the hardware does."""
    memory = op.inst.spec.memory
    if memory is None or memory.op != "load":
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    target, base = values["sdata"], values["sbase"]
    if not isinstance(target, Register) or not isinstance(base, Register):
        raise EmulatorError(f"{op.inst.mnemonic} needs SGPR operands")
    soffset = values.get("soffset")
    offset_at = soffset.index if isinstance(soffset, Register) else -1
    offset = op.inst.mods.get("offset", 0)
    at, first, size = base.index, target.index, memory.bytes
    is_buffer = "descriptor" in op.inst.spec.flags
    mask, reads, touched = op.writes, op.reads, op.mask

    def land(b: Batch, pending: Pending) -> None:
        data = pending.data if pending.data is not None else fetch_value(b, pending)
        b.put_scalar(first, data, mask)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            if b.poison & reads:
                judge_undefined(b, op, reads, "an address", None)
        pending = Pending(op, "scalar", "load", land, mask, size)
        s = b.s
        where: I64 = np.full(b.waves, offset, dtype=np.int64)
        if offset_at >= 0:
            where += s[offset_at]
        high = s[at + 1] & np.uint32(0xFFFF) if is_buffer else s[at + 1]
        inside = None
        if is_buffer:
            stride = ((s[at + 1] >> np.uint32(16)) & np.uint32(0x3FFF)).astype(np.int64)
            limit = s[at + 2].astype(np.int64) * np.maximum(stride, 1)
            ends = where[None] + 4 * np.arange(1, size // 4 + 1)[:, None]
            inside = ends <= limit
        where = ((s[at].astype(np.int64) | high.astype(np.int64) << 32) + where) & ~np.int64(3)
        pending.address = where
        lanes = None
        if inside is not None and not inside.all():
            pending.parts = inside
            lanes = inside.all(axis=0)
        spans, missed = b.run.memory.locate(where, size, lanes)
        if inside is None or lanes is None:
            pending.spans = spans
        if missed is not None:
            faults.memory_outside(b, op, missed, where, size, "a scalar load")
            pending.spans, pending.parts = None, np.broadcast_to(~missed, (size // 4, b.waves))
        b.issue(pending)

    op.run = run

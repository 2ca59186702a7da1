"""Registers: read or overwritten while a load into them is in flight; undefined values that come to matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from hkasm.emulator import faults
from hkasm.emulator.batch import Batch, iterate_bits
from hkasm.emulator.code import Code
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import VECTOR_BASE, Op
from hkasm.emulator.scoreboard import Pending
from hkasm.isa.counters import counter_max
from hkasm.isa.registers import Register

__all__ = ["RegisterCheck", "UndefinedCheck", "named"]


def registers_of(code: Code, bits: int) -> list[Register]:
    """Join register bits into runs."""
    runs: list[Register] = []
    for bit in iterate_bits(bits):
        register = code.registers.register(bit)
        if runs and runs[-1].file == register.file and runs[-1].end == register.index:
            runs[-1] = Register(register.file, runs[-1].index, runs[-1].count + 1)
        else:
            runs.append(register)
    return runs


def named(code: Code, bits: int, offset: int) -> str:
    """Return register text with the owner's name where it is known: `v2 (xs[0])`."""
    texts = []
    for register in registers_of(code, bits):
        owner = code.owner(register, offset)
        texts.append(f"{register.text} ({owner})" if owner else register.text)
    return ", ".join(texts)


def _counter(pending: Pending) -> str:
    return {"vm": "vmcnt", "flat": "vmcnt and lgkmcnt"}.get(pending.queue, "lgkmcnt")


def _wait_hint(batch: Batch, op: Op, pending: Pending, bits: int) -> str:
    """Return the wait that would have been enough, by name where the kernel has names."""
    code = batch.run.code
    owners = {code.owner(register, op.index).split("[")[0] for register in registers_of(code, pending.mask & bits)} - {
        ""
    }
    if owners:
        return f"k.wait({', '.join(sorted(owners))}) before this line"
    board, arch = batch.board, code.arch
    if pending.queue in ("vm", "lds"):
        queue, counter = (board.vm, "vmcnt") if pending.queue == "vm" else (board.lds, "lgkmcnt")
        count = min(_younger(list(queue), pending), counter_max(arch, counter) - 1)
        return f"s_waitcnt {counter}({count}) before this instruction"
    if pending.queue == "flat":
        return "s_waitcnt vmcnt(0) lgkmcnt(0) before this instruction"
    return "s_waitcnt lgkmcnt(0) before this instruction (scalar loads return in any order)"


def _younger(queue: list[Pending], pending: Pending) -> int:
    return len(queue) - 1 - queue.index(pending) if pending in queue else 0


class RegisterCheck(Listener):
    """Report registers that are touched before the wait that makes them safe."""

    name = "registers"

    def in_flight(self, batch: Batch, op: Op, pending: Pending, bits: int) -> None:
        read = bits & op.reads
        rule = "register-in-flight" if read else "register-overwritten"
        reporter = batch.run.reporter
        if reporter.is_known(rule, op.index, pending.op.index):
            return
        shown = read or bits
        origin = pending.op.inst.origin
        where = f" of {origin}" if origin is not None else ""
        message = (
            f"{'reads' if read else 'writes'} {named(batch.run.code, shown, op.index)} while {pending.op.title}{where} "
            f"is still in flight ({_counter(pending)})"
        )
        lanes = batch.active()
        if pending.lanes is not None and bits >> VECTOR_BASE:
            both = lanes & pending.lanes
            lanes = both if both.any() else pending.lanes
        hit = lanes if bits >> VECTOR_BASE else np.ones(batch.waves, dtype=np.bool_)
        if not hit.any():
            hit = np.ones(batch.waves, dtype=np.bool_)
        finding = faults.make(
            batch, op, rule, message, hit, other=pending.op, hint=_wait_hint(batch, op, pending, bits)
        )
        reporter.add(finding, op.index, pending.op.index)


class UndefinedCheck(Listener):
    """Report values that nobody wrote where they come to matter."""

    name = "uninitialised"

    def undefined(self, batch: Batch, op: Op, bits: int, use: str, lanes: Any) -> None:
        reporter = batch.run.reporter
        if reporter.is_known("uninitialised", op.index, bits):
            return
        text = named(batch.run.code, bits, op.index)
        message = f"{text} decides {use}, but nobody wrote it (or what it was computed from)"
        reporter.add(faults.make(batch, op, "uninitialised", message, lanes), op.index, bits)

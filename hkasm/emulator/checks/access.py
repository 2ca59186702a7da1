"""Arguments that a kernel says it only reads, and writes to."""

from __future__ import annotations

import numpy as np

from hkasm.emulator import faults
from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.memory import U32, Buffer, Span
from hkasm.emulator.run import Run
from hkasm.emulator.scoreboard import Pending

__all__ = ["AccessCheck"]


class AccessCheck(Listener):
    """Find stores and atomics to a buffer that arguments with `access="read"`, and no others, point to.

    What is written there is lost where a host's array stands behind it: it is copied to the device, not back. Only
    hkasm's own code objects declare what they write.
    """

    name = "access"

    def __init__(self) -> None:
        self._read_only: dict[Buffer, str] = {}

    def start(self, run: Run) -> None:
        kernel = run.launch.kernel
        if kernel.hkasm is None:
            return
        named: dict[Buffer, str] = {}
        written: set[Buffer] = set()
        for arg in kernel.args:
            if arg.kind != "pointer":
                continue
            address = int.from_bytes(run.launch.given[arg.offset : arg.offset + arg.size], "little")
            buffer = run.memory.find(address)
            if buffer is None:
                continue
            if arg.access == "read":
                named.setdefault(buffer, arg.name)
            else:
                written.add(buffer)
        self._read_only = {buffer: name for buffer, name in named.items() if buffer not in written}

    def access(self, batch: Batch, pending: Pending, spans: list[Span], size: int, kind: str, data: U32 | None) -> None:
        if not self._read_only or kind not in ("a store", "an atomic"):
            return
        for span in spans:
            name = self._read_only.get(span.buffer) if isinstance(span.buffer, Buffer) else None
            op = pending.op
            if name is None or batch.run.reporter.is_known("read-only-argument", op.index):
                continue
            of = f" of {op.inst.origin}" if op.inst.origin is not None else ""
            message = f'argument {name} is declared access="read", and {op.inst.mnemonic}{of} writes it'
            lanes = np.ones(span.index.shape, dtype=np.bool_) if span.lanes is None else span.lanes
            finding = faults.make(
                batch, op, "read-only-argument", message, lanes, hint=f'k.arg("{name}", ..., access="write")'
            )
            batch.run.reporter.add(finding, op.index)

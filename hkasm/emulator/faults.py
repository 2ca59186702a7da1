"""Findings about addresses and the order of memory: who, where, which bytes, and what would mend it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.analysis.finding import Finding
from hkasm.emulator.batch import Batch
from hkasm.emulator.op import Op

__all__ = ["first_place", "lds_outside", "make", "memory_outside", "misaligned"]

Mask = NDArray[np.bool_]
_NOWHERE = 1 << 31


def first_place(hit: Mask) -> tuple[int, int | None]:
    """Return (wave in the batch, lane) of the first hit of bool [W, 64], or (wave, None) of bool [W]."""
    where = np.nonzero(hit)
    return int(where[0][0]), int(where[1][0]) if len(where) > 1 else None


def make(b: Batch, op: Op, rule: str, message: str, hit: Mask, *, other: Op | None = None, **more: Any) -> Finding:
    """Return a finding about an instruction, with the first place where `hit` holds."""
    wave, lane = first_place(hit)
    return Finding(
        rule,
        message,
        where=op.inst.origin,
        instruction=str(op.inst),
        other=other.inst.origin if other is not None else None,
        workgroup=b.run.group_id(b, wave),
        wave=int(b.wave[wave]),
        lane=lane,
        **more,
    )


def memory_outside(
    b: Batch, op: Op, missed: Mask, address: NDArray[np.int64], size: int, kind: str, *, scratch: bool = False
) -> None:
    """Report lanes whose address is in no buffer, or outside the lane's scratch."""
    reporter = b.run.reporter
    if "bounds" not in b.run.options.checks or reporter.is_known("memory-bounds", op.index):
        return
    wave, lane = first_place(missed)
    place = int(address[wave] if lane is None else address[wave, lane])
    if scratch:
        own = b.run.launch.scratch_bytes
        message = f"{kind} of {size} bytes at {place:#x} goes outside the lane's scratch of {own} bytes"
    else:
        message = f"{kind} of {size} bytes goes outside every buffer: {b.run.memory.describe(place)}"
    count = int(missed.sum())
    if count > 1:
        message += f" (and {count - 1} more {'waves' if lane is None else 'lanes'})"
    reporter.add(make(b, op, "memory-bounds", message, missed, address=place), op.index)


def lds_outside(b: Batch, op: Op, outside: Mask, address: NDArray[np.int64], size: int) -> None:
    """Report lanes whose LDS address is beyond the workgroup's allocation.

    In kernels of others an address in the upper 2 GiB is a remark: hipBLASLt's give lanes that have no element such an
    address (0x80000000) on purpose, at which LDS reads give 0 and writes are dropped.
    """
    reporter = b.run.reporter
    if "bounds" not in b.run.options.checks:
        return
    nowhere = b.run.code.kernel.hkasm is None and int(address[outside].min()) >= _NOWHERE
    severity = "remark" if nowhere else "error"
    if reporter.is_known("lds-bounds", op.index, severity):
        return
    wave, lane = first_place(outside)
    place = int(address[wave] if lane is None else address[wave, lane])
    message = f"touches {size} bytes of LDS at {place:#x}, the workgroup has {b.run.lds.bytes_per_group:#x}"
    hint = "" if b.run.lds.bytes_per_group else "none is declared: for LDS that a launch adds give --lds BYTES"
    finding = make(b, op, "lds-bounds", message, outside, address=place, severity=severity, hint=hint)
    reporter.add(finding, op.index, severity)


def misaligned(
    b: Batch, op: Op, wrong: Mask, address: NDArray[np.int64], needed: int, *, always: bool = True, space: str = ""
) -> None:
    """Report lanes whose address is not a multiple of what the instruction needs.

    `always`: it needs that in any mode of memory; else it is a remark where unaligned access is on.
    """
    reporter, options = b.run.reporter, b.run.options
    if "bounds" not in options.checks or reporter.is_known("misaligned", op.index):
        return
    wave, lane = first_place(wrong)
    place = int(address[wave] if lane is None else address[wave, lane])
    where = f" ({space})" if space else f" ({b.run.memory.describe(place)})" if b.run.memory.find(place) else ""
    message = f"address {place:#x}{where} is not a multiple of {needed}"
    lightly = not always and options.unaligned_access
    hint = "slower than aligned; an error where the driver does not allow unaligned access" if lightly else ""
    severity = "remark" if lightly else "error"
    reporter.add(make(b, op, "misaligned", message, wrong, address=place, severity=severity, hint=hint), op.index)

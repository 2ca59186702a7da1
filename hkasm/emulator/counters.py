"""Counts of wave-instructions under the names that rocprofv3 gives them on these chips.

What of rocprofv3's counters is computed: SQ_WAVES, SQ_INSTS and SQ_INSTS_* by unit (SQ_INSTS_VALU includes matrix
instructions, as the hardware counts), SQ_INSTS_VALU_MFMA_<type> and SQ_INSTS_VALU_MFMA_MOPS_<type> (operations by 512),
SQ_INSTS_VMEM_RD and _WR (atomics count as writes), SQ_INSTS_FLAT, TA_BUFFER_* and TA_FLAT_*_WAVEFRONTS_sum, and
SQ_LDS_BANK_CONFLICT (by the check `banks`). TCC_* and TCP_* depend on caches, which are not here: what can be had of
them is the cache model's (`hkasm.model.caches.Traffic.counters`). Instead `load_segments` and `store_segments` say how
many 64-byte segments each wave's accesses touch.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from hkasm.isa.mfma import MfmaSpec

if TYPE_CHECKING:
    from hkasm.asm.instruction import Instruction
    from hkasm.emulator.code import Code
    from hkasm.emulator.report import RunReport

__all__ = ["count_instructions", "counters_of"]

_BY_UNIT: Final = {
    "SALU": ("SQ_INSTS_SALU",), "VALU": ("SQ_INSTS_VALU",), "TRANS": ("SQ_INSTS_VALU",),
    "MFMA": ("SQ_INSTS_VALU", "SQ_INSTS_MFMA"), "SMEM": ("SQ_INSTS_SMEM",), "VMEM": ("SQ_INSTS_VMEM",),
    "LDS": ("SQ_INSTS_LDS",), "BRANCH": ("SQ_INSTS_BRANCH",), "MSG": ("SQ_INSTS_SENDMSG",),
}  # fmt: skip
_MFMA_TYPES: Final = {
    "f16": "F16", "bf16": "BF16", "f32": "F32", "f64": "F64", "i8": "I8", "fp8": "F8", "bf8": "F8", "xf32": "XF32",
    "f8f6f4": "F6F4",
}  # fmt: skip
MOPS: Final = 512


def counters_of(inst: Instruction) -> list[tuple[str, int]]:
    """Return what one execution by one wave adds to which counters."""
    spec = inst.spec
    found = [("SQ_INSTS", 1), *((name, 1) for name in _BY_UNIT.get(spec.unit, ("SQ_INSTS_OTHER",)))]
    if spec.control == "cbranch":
        found.append(("SQ_INSTS_CBRANCH", 1))
    if spec.mfma is not None:
        found += _of_mfma(spec.mfma)
    memory = spec.memory
    if spec.unit == "VMEM" and memory is not None:
        reads = memory.op.startswith("load")
        found.append(("SQ_INSTS_VMEM_RD" if reads else "SQ_INSTS_VMEM_WR", 1))
        if memory.space == "flat":
            found.append(("SQ_INSTS_FLAT", 1))
        path = "BUFFER" if memory.space == "buffer" else "FLAT"
        kind = "READ" if reads else "ATOMIC" if memory.op == "atomic" else "WRITE"
        found.append((f"TA_{path}_{kind}_WAVEFRONTS_sum", 1))
    return found


@cache
def _of_mfma(spec: MfmaSpec) -> list[tuple[str, int]]:
    name = _MFMA_TYPES.get(spec.a, spec.a.upper())
    return [(f"SQ_INSTS_VALU_MFMA_{name}", 1), (f"SQ_INSTS_VALU_MFMA_MOPS_{name}", spec.flops // MOPS)]


def count_instructions(report: RunReport, code: Code, before: dict[int, int]) -> None:
    """Add the wave-instructions of the blocks, less what earlier launches executed, to the report."""
    for block in code.blocks:
        times = block.executed - before.get(id(block), 0)
        for op in block.ops if times else ():
            for name, amount in counters_of(op.inst):
                report.count(name, amount * times)

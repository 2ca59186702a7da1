"""The wait counters: fields of ``s_waitcnt`` and how each drains.

gfx942 and gfx950 keep vmcnt (6 bits, split), expcnt (3 bits) and lgkmcnt (4 bits). VMEM operations return in order, LDS
operations in order among themselves, scalar loads out of order: while one is outstanding only lgkmcnt(0) says anything
(CDNA3 ISA, chapter on data dependency resolution).
"""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.isa.arch import Arch

COUNTERS = ("vmcnt", "lgkmcnt")


@dataclass(frozen=True, slots=True)
class WaitCounts:
    """Decoded fields of one ``s_waitcnt``; a field at its maximum waits for nothing."""

    vmcnt: int
    lgkmcnt: int
    expcnt: int

    def get(self, counter: str) -> int:
        return self.vmcnt if counter == "vmcnt" else self.lgkmcnt


def counter_max(arch: Arch, counter: str) -> int:
    return arch.vmcnt_max if counter == "vmcnt" else arch.lgkmcnt_max


def pack_waitcnt(arch: Arch, vmcnt: int | None = None, lgkmcnt: int | None = None, expcnt: int | None = None) -> int:
    """Pack fields into simm16; None leaves a field at its maximum. vmcnt is bits 3:0 and 15:14, exp 6:4, lgkm 11:8."""
    vm = arch.vmcnt_max if vmcnt is None else vmcnt
    lgkm = arch.lgkmcnt_max if lgkmcnt is None else lgkmcnt
    exp = arch.expcnt_max if expcnt is None else expcnt
    return (vm & 15) | exp << 4 | lgkm << 8 | (vm >> 4) << 14


def unpack_waitcnt(simm16: int) -> WaitCounts:
    return WaitCounts(simm16 & 15 | (simm16 >> 14 & 3) << 4, simm16 >> 8 & 15, simm16 >> 4 & 7)

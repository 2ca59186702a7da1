"""The clock at which a GPU really runs: one wave reads the shader's clock and the constant one, twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.isa.registers import Register
from hkasm.runtime.hip_device import HipBuffer, HipDevice, HipKernel

__all__ = ["CONSTANT_CLOCK_HZ", "ClockProbe", "clock_mhz", "clock_program"]

CONSTANT_CLOCK_HZ: Final = 100e6
"""What `s_memrealtime` counts on MI300 and MI350 (HIP's hipDeviceAttributeWallClockRate says 100,000 kHz there)."""
_SLEEPS: Final = 48
"""`s_sleep 127` waits 64 * 127 clocks: 48 of them are about 0.2 ms at 2 GHz, some 20,000 counts of the other clock."""


def clock_program(arch: str) -> Program:
    """Write the probe: ``out`` gets shader clock and constant clock at the start, then both at the end (4 x u64)."""
    k = Builder(arch, "clock", block=64)
    k.arg("out", "u64", pointer=True, rank=1, access="write")
    out, turns = k.sgpr("out", 2), k.sgpr("turns left")
    k.s_load_dwordx2(out, k.kernarg, 0)
    before, after = k.sgpr("before", 4), k.sgpr("after", 4)
    k.wait(out)
    _read(k, before)
    k.s_mov_b32(turns, _SLEEPS)
    head = k.place(k.label("sleep"))
    k.s_sleep(127)
    k.s_sub_u32(turns, turns, 1)
    k.s_cmp_lg_u32(turns, 0)
    k.s_cbranch_scc1(head)
    _read(k, after)
    zero, values = k.vgpr("zero"), k.vgpr("values", 4)
    k.v_mov_b32(zero, 0)
    for number, clocks in enumerate((before, after)):
        for register, clock in zip(values, clocks, strict=True):
            k.v_mov_b32(register, clock)
        k.global_store_dwordx4(zero, values, out, offset=16 * number)
        k.wait_counts(vmcnt=0)
    k.s_endpgm()
    k.fix_hazards()
    return k.finish()


def _read(k: Builder, into: Register) -> None:
    k.s_memtime(into[0:2])
    k.s_memrealtime(into[2:4])
    k.wait(into)


@dataclass(frozen=True)
class ClockProbe:
    """The probe, loaded: `enqueue` it behind the work that is timed, then ask `mhz`."""

    kernel: HipKernel
    out: HipBuffer

    @classmethod
    def load(cls, target: HipDevice, assemble: Callable[[Program], bytes]) -> ClockProbe:
        """Load the probe on a GPU. Raises what building and loading raise."""
        out = target.buffer(np.zeros(4, np.uint64))
        kernel = target.load(assemble(clock_program(target.arch))).kernels["clock"]
        return cls(kernel, out)

    def enqueue(self) -> None:
        """Put the probe behind what was put on the default stream."""
        self.kernel.enqueue((1, 1, 1), (64, 1, 1), [self.out])

    def mhz(self) -> float:
        """Return the shader's clock as the last probe saw it; 0 where its clocks did not move."""
        return clock_mhz(self.out.numpy())


def clock_mhz(counts: npt.NDArray[np.uint64]) -> float:
    """Return MHz from the probe's four counts; 0 where a clock did not move."""
    shader, constant = (int(counts[2 + n]) - int(counts[n]) for n in (0, 1))
    return shader / constant * CONSTANT_CLOCK_HZ / 1e6 if shader > 0 and constant > 0 else 0.0

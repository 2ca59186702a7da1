"""Between the small float dtypes and f32: how a dword's elements are widened, and how f32 values are rounded into it.

Widening is exact. Rounding is to nearest even; bf16 has an instruction for it on gfx950 alone (on gfx942 the integer
sequence below, NaN kept quiet), f16 and 8-bit floats on both. Beyond the largest finite value f16 and bf16 give
infinity, bf8 of gfx950 infinity and the other 8-bit floats NaN, as their instructions do with MODE.FP16_OVFL clear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.isa.registers import VCC, Register
from hkasm.tiles.ops.common import scalars, temporaries

PER_DWORD = {"f32": 1, "f16": 2, "bf16": 2, "fp8": 4, "bf8": 4}
"""Elements of a register."""

WORD = (4, 5)
"""SDWA selections of the two halves of a register."""
DWORD = 6
KEEP = 2
"""SDWA: bits that are not selected stay."""
UPPER = 0xFFFF_0000
BIAS = 0x7FFF
"""Added with the lowest kept bit, carries into the upper half exactly when rounding to nearest even goes up."""
QUIET = 0x0040_0000
UPPER_HALVES = 0x0706_0302
"""v_perm_b32 selector: the upper halves of both sources."""
FEEDBACK = 197
"""Polynomial of v_prng_b32's shift register (CDNA4 ISA)."""


def widen(k: Builder, dtype: str, source: Register, values: Sequence[Register]) -> None:
    """Write the elements of one register as f32, one register each; fp8 and bf8 fill even pairs. Exact."""
    if dtype == "bf16":
        k.v_lshlrev_b32(values[0], 16, source)
        k.v_and_b32(values[1], UPPER, source)
    elif dtype == "f16":
        k.v_cvt_f32_f16(values[0], source)
        k.v_cvt_f32_f16(values[1], source, src0_sel=WORD[1])
    else:
        unpack = k.v_cvt_pk_f32_fp8 if dtype == "fp8" else k.v_cvt_pk_f32_bf8
        unpack(_pair(values[0]), source)
        unpack(_pair(values[2]), source, src0_sel=WORD[1])


def _pair(first: Register) -> Register:
    return Register(first.file, first.index, 2)


@dataclass(frozen=True)
class Rounder:
    """Rounds f32 values into registers of a dtype; `work` and `constants` are what its sequences need."""

    k: Builder
    dtype: str
    exact: bool
    work: Register | None
    constants: Register | None

    def pack(self, target: Register, values: Sequence[Register]) -> None:
        """Write one register of the values' roundings, low element first; `target` may be one of the values."""
        k = self.k
        if self.dtype == "bf16":
            self._bf16(target, values[0], values[1])
        elif self.dtype == "f16" and k.arch.name == "gfx950":
            k.v_cvt_pk_f16_f32(target, values[0], values[1])
        elif self.dtype == "f16":
            order = (1, 0) if target == values[1] else (0, 1)
            for half in order:
                k.v_cvt_f16_f32(target, values[half], dst_sel=WORD[half], dst_unused=KEEP, src0_sel=DWORD)
        else:
            pack = k.v_cvt_pk_fp8_f32 if self.dtype == "fp8" else k.v_cvt_pk_bf8_f32
            pack(target, values[0], values[1])
            pack(target, values[2], values[3], op_sel=8)

    def _bf16(self, target: Register, low: Register, high: Register) -> None:
        k = self.k
        if self.exact:
            assert self.constants is not None
            k.v_perm_b32(target, high, low, self.constants[0])
            return
        if k.arch.name == "gfx950":
            k.v_cvt_pk_bf16_f32(target, low, high)
            return
        assert self.work is not None
        assert self.constants is not None
        rounded, quiet, mask = self.work[0:2], self.work[2:4], self.constants[2:4]
        for value, up in zip((low, high), rounded, strict=True):
            k.v_bfe_u32(up, value, 16, 1)
        for value, up in zip((low, high), rounded, strict=True):
            k.v_add3_u32(up, value, up, self.constants[0])
        for value, nan in zip((low, high), quiet, strict=True):
            k.v_or_b32(nan, QUIET, value)
        k.v_cmp_u_f32(mask, high, high)
        k.v_cmp_u_f32(VCC, low, low)
        k.v_cndmask_b32(target, rounded[1], quiet[1], mask)
        k.v_cndmask_b32(
            target, rounded[0], quiet[0], VCC, dst_sel=WORD[0], dst_unused=KEEP, src0_sel=WORD[1], src1_sel=WORD[1]
        )


def work_registers(arch: str, dtype: str) -> int:
    """Return how many temporary VGPRs rounding to a dtype takes."""
    return 4 if arch != "gfx950" and dtype == "bf16" else 0


@contextmanager
def rounder(
    k: Builder, name: str, dtype: str, *, exact: bool = False, work: Register | None = None
) -> Iterator[Rounder]:
    """Prepare rounding f32 to a dtype; `exact` says that every value has a bf16's bits already."""
    if dtype != "bf16" or (k.arch.name == "gfx950" and not exact):
        yield Rounder(k, dtype, exact, None, None)
        return
    with scalars(k, name, 4) as constants:
        if exact:
            k.s_mov_b32(constants[0], UPPER_HALVES)
            yield Rounder(k, dtype, exact, None, constants)
            return
        k.s_movk_i32(constants[0], BIAS)
        with temporaries(k, name, work_registers(k.arch.name, dtype), work) as lent:
            yield Rounder(k, dtype, exact, lent, constants)


def next_noise(k: Builder, noise: Register, work: Register) -> None:
    """Step a lane's random register as v_prng_b32 does: shifted left, 197 xored in when a one fell out."""
    if k.arch.name == "gfx950":
        k.v_prng_b32(noise, noise)
        return
    k.v_ashrrev_i32(work, 31, noise)
    k.v_lshlrev_b32(noise, 1, noise)
    k.v_and_b32(work, FEEDBACK, work)
    k.v_xor_b32(noise, noise, work)

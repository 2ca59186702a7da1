"""The kernel that sums the GEMM's partial products over slices of K, without atomics and always in one order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import EXEC, VCC
from hkasm.kernels.gemm.arguments import array_type
from hkasm.kernels.gemm.finish import ACTIVATIONS, Function
from hkasm.kernels.gemm.formats import F32_STEP, activated, format_of
from hkasm.kernels.gemm.plan import DWORD_BYTES, log2
from hkasm.kernels.gemm.rounding import Rounding
from hkasm.kernels.kernel import Array, Arrays, Comparison, Kernel, Launch, Problem, compare
from hkasm.kernels.parameters import ParameterSet, parameter
from hkasm.tiles.buffer import BufferView

THREADS = 256


@dataclass(frozen=True)
class SumConfig(ParameterSet):
    """What changes the code."""

    out: str = parameter("bf16", "element type of C", choices=("f32", "f16", "bf16"))
    act: str = parameter("none", "activation of the sum; gelu is the tanh form", choices=("none", *ACTIVATIONS))


@dataclass(frozen=True)
class SumProblem(SumConfig, Problem):
    """C[m, n] = the sum of P[z, m, n] over z; C's rows `ldc` elements apart, P without space."""

    m: int = parameter(256, "rows", low=1, high=65535)
    n: int = parameter(256, "columns", low=1, high=1 << 20)
    ldc: int = parameter(0, "elements from row to row of C, 0 for no space", low=0, high=1 << 20)
    count: int = parameter(4, "partial products", low=1, high=65535)

    def __post_init__(self) -> None:
        if self.ldc and self.ldc < self.n:
            raise UsageError(f"ldc={self.ldc}: shorter than a row of C", hint=f"at least {self.n}")

    @property
    def _pitch(self) -> int:
        return self.ldc or self.n

    def inputs(self, seed: int = 0) -> Arrays:
        """Return random partial products."""
        shape = (self.count * self.m * self.n,)
        return {"P": np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)}

    def outputs(self) -> Arrays:
        """Return C, filled with a NaN."""
        kept = format_of(self.out, "gfx950")
        count = (self.m - 1) * self._pitch + self.n
        return {"C": np.full(count, kept.blank, f"u{np.dtype(kept.array).itemsize}").view(kept.array)}

    def launch(self) -> Launch:
        """Return one thread an element, a row of workgroups a row of C."""
        grid = (-(-self.n // THREADS), self.m, 1)
        return Launch(grid, (THREADS, 1, 1), ("C", "P", self.m, self.n, self._pitch, self.count))

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with the sum in float64: half a step of C's type and an f32 step for each addition."""
        parts = inputs["P"].reshape(self.count, self.m, self.n).astype(np.float64)
        total, size, kept = parts.sum(axis=0), np.abs(parts).sum(axis=0), format_of(self.out, "gfx950")
        want, error = activated(self.act, total, self.count * F32_STEP * size)
        error = error * (1 + kept.unit) + kept.unit * (1 + kept.unit) * np.abs(want) + kept.tiny
        flat = outputs["C"]
        strides = (self._pitch * flat.itemsize, flat.itemsize)
        got: Array = np.lib.stride_tricks.as_strided(flat, want.shape, strides)
        return [compare("C", np.ascontiguousarray(got), want, error, "half a step + count f32 steps of the terms")]

    @property
    def bytes(self) -> int:
        return self.count * self.m * self.n * DWORD_BYTES + self.m * self._pitch * DWORD_BYTES

    @property
    def flops(self) -> int:
        return self.count * self.m * self.n


class SumKernel(Kernel[SumConfig, SumProblem]):
    """The sum of partial products over slices of K, rounded to C's type."""

    name = "gemm_sum"
    archs = ("gfx942", "gfx950")
    grid_rule = (f"ceil(n / {THREADS})", "m", "1")
    config_type = SumConfig
    problem_type = SumProblem

    def write(self, arch: str, config: SumConfig, function: Function | None = None) -> Program:
        """Write the program: one element a lane, slice after slice.

        `function` replaces the activation: it is given the builder, the f32 sum to change in place, a register to use.
        """
        k = Builder(arch, self.name, block=THREADS)
        k.arg("C", array_type(config.out, arch), pointer=True, rank=2, access="write")
        k.arg("P", "f32", pointer=True, rank=3)
        for name in ("M", "N", "ldc", "count"):
            k.arg(name, "u32")
        pointers, sizes = k.sgpr("C,P", 4), k.sgpr("M,N,ldc,count", 4)
        k.s_load_dwordx4(pointers, k.kernarg, 0)
        k.s_load_dwordx4(sizes, k.kernarg, 16)
        k.wait(pointers, sizes)
        rows, columns, pitch, count = sizes
        row, temporary, step = k.group_ids[1], k.sgpr("temporary"), k.sgpr("bytes of a product", 2)
        source, target = BufferView(k.sgpr("buffer P", 4)), BufferView(k.sgpr("buffer C", 4))
        shift = 2 if config.out == "f32" else 1
        k.s_mul_hi_u32(step[1], rows, columns)
        k.s_mul_i32(step[0], rows, columns)
        k.s_lshl_b64(step, step, 2)
        width = k.sgpr("bytes of a row")
        k.s_lshl_b32(width, columns, 2)
        source.place(k, pointers[2:4], row, width, temporary)
        k.s_lshl_b32(pitch, pitch, shift)
        target.place(k, pointers[0:2], row, pitch, temporary)
        one = k.sgpr("one")
        k.s_mov_b32(one, 1)
        source.limit(k, one, width, width, temporary)
        k.s_lshl_b32(width, columns, shift)
        target.limit(k, one, pitch, width, temporary)
        column, place, values, free = k.vgpr("column"), k.vgpr("place"), k.vgpr("values", 4), k.vgpr("free", 4)
        packed = k.vgpr("packed", 2)
        k.s_lshl_b32(temporary, k.group_id, log2(THREADS))
        k.v_add_u32(column, temporary, k.lane)
        k.v_lshlrev_b32(place, 2, column)
        for value in values:
            k.v_mov_b32(value, 0)
        head = k.place(k.label("slices"))
        k.buffer_load_dword(free[0], place, source.descriptor, 0)
        k.s_add_u32(source.descriptor[0], source.descriptor[0], step[0])
        k.s_addc_u32(source.descriptor[1], source.descriptor[1], step[1])
        k.wait(free[0])
        k.v_add_f32(values[0], values[0], free[0])
        k.s_sub_u32(count, count, 1)
        k.s_cmp_lg_u32(count, 0)
        k.s_cbranch_scc1(head)
        function = function or ACTIVATIONS.get(config.act)
        if function is not None:
            function(k, list(values[0:1]), list(free[0:1]))
        k.v_lshlrev_b32(place, shift, column)
        k.v_cmp_gt_u32(VCC, columns, column)
        k.s_mov_b64(EXEC, VCC)
        if config.out == "f32":
            k.buffer_store_dword(values[0], place, target.descriptor, 0)
        else:
            rounding = Rounding(k, config.out)
            rounding.setup()
            rounding.pack(list(packed), list(values), list(free))
            k.buffer_store_short(packed[0], place, target.descriptor, 0)
        k.s_endpgm()
        k.fix_hazards()
        return k.finish()

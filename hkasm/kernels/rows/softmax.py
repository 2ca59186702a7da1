"""Softmax over rows: exp(x - max) / sum, in f32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hkasm.asm.program import Program
from hkasm.kernels.kernel import Arrays, Comparison
from hkasm.kernels.rows.engine import NEGATIVE_INFINITY
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.problem import HALF_STEP, HARDWARE, RowsProblem
from hkasm.kernels.rows.spans import RowsConfig, Tensor
from hkasm.tiles.ops.elementwise import LOG2_E
from hkasm.tiles.ops.lanes import lanes

EXPONENT_ROUNDINGS = 3
"""x - max, log2(e) itself and the product with it are rounded, each off by half a step of the exponent."""


@dataclass(frozen=True)
class SoftmaxConfig(RowsConfig):
    """What changes the code."""

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return Y and X."""
        return Tensor("Y", self.dtype, "write"), Tensor("X", self.dtype)


@dataclass(frozen=True)
class SoftmaxProblem(SoftmaxConfig, RowsProblem):
    """Y = softmax of each row of X."""

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with float64; a row with NaN, +inf or nothing but -inf is NaN.

        An exponential is off by `EXPONENT_ROUNDINGS` half steps for each unit of its exponent and by the instruction's
        error, the sum by the mean of that and a half step for each addition, and a reciprocal and a product follow.
        """
        x = self.wide("X", inputs)
        with np.errstate(invalid="ignore"):
            below = x.max(axis=1, keepdims=True) - x
            part = np.exp(-below)
            want = part / part.sum(axis=1, keepdims=True)
            below = np.where(want > 0, below, 0)
            mean = (want * below).sum(axis=1, keepdims=True)
        steps = EXPONENT_ROUNDINGS * (below + mean) + self.additions + 3 * HARDWARE + 1
        return self.judged("Y", outputs, want, want * steps * HALF_STEP, "(3 (d + mean d) + additions + 7) 2^-24")

    @property
    def flops(self) -> int:
        return 5 * self.rows * self.n


class SoftmaxKernel(RowsKernel[SoftmaxConfig, SoftmaxProblem]):
    """Softmax of rows of 1 to 65,536 elements, each read once and written once."""

    name = "softmax"
    config_type = SoftmaxConfig
    problem_type = SoftmaxProblem

    def write(self, arch: str, config: SoftmaxConfig) -> Program:
        """Write the program: one maximum and one sum over a row in registers."""
        rows = self.begin(arch, config)
        k = rows.k
        x = rows.new("x")
        rows.load(*rows.whole("X", x))
        rows.fill_tail(x, NEGATIVE_INFINITY)
        elements = [element for chunk in x for element in chunk]
        best = rows.fold("maximum", k.v_max_f32, elements)
        rows.reduce(k.v_max_f32, best)
        for element in elements:
            k.v_sub_f32(element, element, best)
        with lanes(k, *x) as alu:
            alu.mul(elements, elements, LOG2_E)
        for element in elements:
            k.v_exp_f32(element, element)
        total = rows.fold("sum", k.v_add_f32, elements)
        rows.reduce(k.v_add_f32, total)
        k.v_rcp_f32(total, total)
        for c, chunk in enumerate(x):
            for element in chunk:
                k.v_mul_f32(element, element, total)
            rows.store("Y", c, chunk)
        rows.end()
        return k.finish()

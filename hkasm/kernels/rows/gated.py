"""SiLU-and-mul and GELU-and-mul: the activation of one tensor times another, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hkasm.asm.program import Program
from hkasm.kernels.kernel import Arrays, Comparison
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.problem import HALF_STEP, HARDWARE, SMALLEST, Floats, RowsProblem
from hkasm.kernels.rows.spans import RowsConfig, Tensor
from hkasm.tiles.ops.elementwise import OPERATIONS
from hkasm.tiles.ops.lanes import lanes


@dataclass(frozen=True)
class GatedConfig(RowsConfig):
    """What changes the code."""

    blocks: ClassVar[bool] = True

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return Y, the gate G and the factor U."""
        return Tensor("Y", self.dtype, "write"), Tensor("G", self.dtype), Tensor("U", self.dtype)


@dataclass(frozen=True)
class GatedProblem(GatedConfig, RowsProblem):
    """Y = silu(G) * U; -inf in G gives NaN, as the formula does."""

    exponent_roundings: ClassVar[int] = 2

    def exponent(self, gate: Floats) -> Floats:
        """Return a with act(gate) = gate / (1 + exp(-a))."""
        return gate

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with float64.

        The exponential is off by its instruction's error and by some half steps for each unit of its exponent, behind
        it come a sum, a reciprocal (zero below the smallest normal number) and two products.
        """
        gate, factor = self.wide("G", inputs), self.wide("U", inputs)
        exponent = self.exponent(gate)
        with np.errstate(over="ignore", invalid="ignore"):
            want = gate / (1 + np.exp(-exponent)) * factor
        steps = self.exponent_roundings * np.abs(exponent) + 2 * HARDWARE + 3
        error = np.abs(want) * steps * HALF_STEP + np.abs(gate * factor) * 2 * SMALLEST
        return self.judged("Y", outputs, want, error, f"({self.exponent_roundings} |exponent| + 7) 2^-24")

    @property
    def flops(self) -> int:
        return 6 * self.rows * self.n


class _Gated(RowsKernel[GatedConfig, GatedProblem]):
    """What both share."""

    config_type = GatedConfig
    act: ClassVar[str]

    def write(self, arch: str, config: GatedConfig) -> Program:
        """Write the program: both tensors' chunks in flight, then chunk by chunk."""
        rows = self.begin(arch, config)
        k, operation = rows.k, OPERATIONS[self.act]
        gate, factor = rows.new("gate"), rows.new("factor")
        rows.load(*rows.whole("G", gate), *rows.whole("U", factor))
        spare = [k.vgpr("spare", rows.chunk, align=4) for _ in range(operation.spare)]
        with lanes(k, *gate, *factor, *spare) as alu:
            for c, (chunk, other) in enumerate(zip(gate, factor, strict=True)):
                operation.f32(alu, list(chunk), [list(chunk)], [list(one) for one in spare])
                alu.mul(list(chunk), list(chunk), list(other))
                rows.store("Y", c, chunk)
        rows.end()
        return k.finish()


class SiluMulKernel(_Gated):
    """Y = G / (1 + exp(-G)) * U over rows of any length."""

    name = "silu_mul"
    problem_type = GatedProblem
    act = "silu"


@dataclass(frozen=True)
class GeluMulProblem(GatedProblem):
    """Y = gelu(G) * U, the form with tanh; -inf in G gives NaN, as the formula does."""

    exponent_roundings: ClassVar[int] = 6

    def exponent(self, gate: Floats) -> Floats:
        """Return a with gelu(gate) = gate / (1 + exp(-a))."""
        found: Floats = 2 * np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)
        return found


class GeluMulKernel(_Gated):
    """Y = gelu(G) * U over rows of any length, gelu in the form with tanh."""

    name = "gelu_mul"
    problem_type = GeluMulProblem
    act = "gelu"

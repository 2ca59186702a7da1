"""LayerNorm and RMSNorm over rows, with dropout and a residual that is added before; statistics in f32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hkasm.asm.program import Program
from hkasm.isa.registers import Register
from hkasm.kernels.kernel import Arrays, Comparison
from hkasm.kernels.parameters import parameter
from hkasm.kernels.rows.engine import Rows
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.philox import Dropout, kept
from hkasm.kernels.rows.problem import HALF_STEP, HARDWARE, Floats, RowsProblem
from hkasm.kernels.rows.spans import Extra, RowsConfig, Tensor

RESIDUAL_REGISTERS = 32
"""Registers for the residual: beside 64 of the row they leave a workgroup of 1024 threads enough for the rest."""


@dataclass(frozen=True)
class NormConfig(RowsConfig):
    """What changes the code."""

    affine: str = parameter("weight", "what follows: nothing, * W, or * W + B", choices=("none", "weight", "both"))
    residual: str = parameter(
        "none", "add: X + R (X as dropout left it) is stored as Z and normalised", choices=("none", "add")
    )
    dropout: str = parameter("none", "philox: elements of X are dropped before all else", choices=("none", "philox"))

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Return eps and, for dropout, seed, offset, the threshold of words and the factor of what is kept."""
        names = (("seed", "u64"), ("offset", "u64"), ("threshold", "u32"), ("kept_factor", "f32"))
        return (Extra("eps", "f32"), *(Extra(*one) for one in names if self.dropout == "philox"))

    @property
    def vectors(self) -> tuple[str, ...]:
        """Return the names of the vectors along a row."""
        return {"none": (), "weight": ("W",), "both": ("W", "B")}[self.affine]

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return Y, Z (where a residual is added), X, R, W and B."""
        added = self.residual == "add"
        return (
            Tensor("Y", self.dtype, "write"),
            *([Tensor("Z", self.dtype, "write")] if added else []),
            Tensor("X", self.dtype),
            *([Tensor("R", self.dtype)] if added else []),
            *(Tensor(name, self.dtype, pitched=False) for name in self.vectors),
        )


@dataclass(frozen=True)
class NormProblem(NormConfig, RowsProblem):
    """Y = (dropout(X) + R - mean) / sqrt(variance + eps) * W + B, or without the mean; Z = dropout(X) + R."""

    eps: int = parameter(5, "decimal places of eps: 5 is 1e-5", low=1, high=12)
    drop: int = parameter(10, "percent of X that is dropped", low=0, high=99)
    seed: int = parameter(1234567890123, "key of the random words", low=0, high=(1 << 63) - 1)
    offset: int = parameter(0, "counter of the random words", low=0, high=(1 << 63) - 1)

    centred: ClassVar[bool] = False

    @property
    def extra_values(self) -> tuple[str | int | float, ...]:
        """Return eps and what dropout is told."""
        if self.dropout == "none":
            return (self.epsilon,)
        return self.epsilon, self.seed, self.offset, self.threshold, self.kept_factor

    @property
    def threshold(self) -> int:
        """Return the least random word of an element that is kept."""
        return (self.drop << 32) // 100

    @property
    def kept_factor(self) -> float:
        """Return what kept elements are multiplied by, as f32."""
        return float(np.float32(100 / (100 - self.drop)))

    @property
    def epsilon(self) -> float:
        """Return eps as f32."""
        return float(np.float32(10.0**-self.eps))

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare Y (and Z) with float64; statistics are of X + R before it is rounded to Z's type.

        The bound follows the arithmetic: the mean is off by a half step for each addition and three more on the mean of
        the absolute values, the variance likewise and by what the differences are off, the factor by half of that and
        the instruction's error, and one half step for every product and sum behind it.
        """
        x = self.wide("X", inputs)
        error: Floats = np.zeros_like(x)
        found: list[Comparison] = []
        if self.dropout == "philox":
            mask = kept(self.rows, self.n, self.seed, self.offset, self.threshold)
            x = np.where(mask, x * self.kept_factor, 0)
            error = HALF_STEP * np.abs(x)
        if self.residual == "add":
            x = x + self.wide("R", inputs)
            error = error + HALF_STEP * np.abs(x)
            found = self.judged("Z", outputs, x, error, "2^-24 of the sum, and of a dropped-out X")
        steps = (self.additions + HARDWARE + 3) * HALF_STEP
        if self.centred:
            off = steps * np.abs(x).mean(axis=1, keepdims=True) + error.mean(axis=1, keepdims=True)
            x = x - x.mean(axis=1, keepdims=True)
            error = error + off + HALF_STEP * np.abs(x)
        square = np.square(x).mean(axis=1, keepdims=True)
        under = square + self.epsilon
        factor = 1 / np.sqrt(under)
        share = (steps * square + (2 * np.abs(x) * error + error**2).mean(axis=1, keepdims=True)) / under
        want = x * factor
        error = factor * error + np.abs(want) * (share / 2 * (1 + share) + (HARDWARE + 2) * HALF_STEP)
        if "W" in self.vectors:
            weight = self.wide("W", inputs)
            want, error = want * weight, error * np.abs(weight) + HALF_STEP * np.abs(want * weight)
        if "B" in self.vectors:
            want = want + self.wide("B", inputs)
            error = error + HALF_STEP * np.abs(want)
        return [*self.judged("Y", outputs, want, error, "the bound of its f32 operations"), *found]

    @property
    def flops(self) -> int:
        return 6 * self.rows * self.n


class _Norm(RowsKernel[NormConfig, NormProblem]):
    """What both norms share."""

    config_type = NormConfig

    def write(self, arch: str, config: NormConfig) -> Program:
        """Write the program: the statistics of a row in registers, then its elements times the factor."""
        rows = self.begin(arch, config)
        k = rows.k
        x = rows.new("x")
        names = ("seed", "offset", "threshold", "kept_factor")
        dropout = Dropout(k, rows.row, *(rows.values[one] for one in names)) if config.dropout == "philox" else None
        if config.residual == "add":
            self._add_residual(rows, x, dropout)
        else:
            rows.load(*rows.whole("X", x))
            if dropout:
                for c, chunk in enumerate(x):
                    dropout.apply(list(chunk), rows.column, rows.first(c))
        elements = [element for chunk in x for element in chunk]
        share = k.vgpr("1 / n")
        k.v_cvt_f32_u32(share, rows.values["n"])
        k.v_rcp_f32(share, share)
        if self.problem_type.centred:
            mean = rows.fold("mean", k.v_add_f32, elements)
            rows.reduce(k.v_add_f32, mean)
            k.v_mul_f32(mean, mean, share)
            for element in elements:
                k.v_sub_f32(element, element, mean)
            rows.fill_tail(x, 0)
        factor = k.vgpr("sum of squares, then the factor")
        k.v_mul_f32(factor, elements[0], elements[0])
        for element in elements[1:]:
            k.v_fmac_f32(factor, element, element)
        rows.reduce(k.v_add_f32, factor)
        k.v_fma_f32(factor, factor, share, rows.values["eps"])
        k.v_rsq_f32(factor, factor)
        vectors = {name: k.vgpr(name, rows.chunk, align=4) for name in config.vectors}
        for c, chunk in enumerate(x):
            if vectors:
                rows.load(*((name, c, vector) for name, vector in vectors.items()))
            for number, element in enumerate(chunk):
                k.v_mul_f32(element, element, factor)
                if config.affine == "weight":
                    k.v_mul_f32(element, element, vectors["W"][number])
                elif config.affine == "both":
                    k.v_fma_f32(element, element, vectors["W"][number], vectors["B"][number])
            rows.store("Y", c, chunk)
        rows.end()
        return k.finish()

    def _add_residual(self, rows: Rows, x: list[Register], dropout: Dropout | None) -> None:
        """Add the residual to the row, as many chunks at a time as there are registers for, and store the sum."""
        k = rows.k
        together = min(rows.chunks, RESIDUAL_REGISTERS // rows.chunk)
        held = k.vgpr("residual", together * rows.chunk, align=4)
        for first in range(0, rows.chunks, together):
            numbers = range(first, min(first + together, rows.chunks))
            parts = [held[(c - first) * rows.chunk : (c - first + 1) * rows.chunk] for c in numbers]
            moves = [("R", c, part) for c, part in zip(numbers, parts, strict=True)]
            rows.load(*(rows.whole("X", x) if first == 0 else ()), *moves)
            for c, part in zip(numbers, parts, strict=True):
                if dropout:
                    dropout.apply(list(x[c]), rows.column, rows.first(c))
                for element, other in zip(x[c], part, strict=True):
                    k.v_add_f32(element, element, other)
                rows.store("Z", c, x[c])
        k.free(held)


@dataclass(frozen=True)
class LayerNormProblem(NormProblem):
    """Y = (X - mean) / sqrt(variance + eps) * W + B."""

    centred: ClassVar[bool] = True


class LayerNormKernel(_Norm):
    """LayerNorm of rows of 1 to 65,536 elements: residual, weight and bias as asked for, each element read once."""

    name = "layernorm"
    problem_type = LayerNormProblem


class RmsNormKernel(_Norm):
    """RMSNorm of rows of 1 to 65,536 elements: residual, weight and bias as asked for, each element read once."""

    name = "rmsnorm"
    problem_type = NormProblem

"""Problems of kernels on rows: arrays with pitches, NaN between rows, and what is shared in checking answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from hkasm.errors import UsageError
from hkasm.kernels.gemm.formats import Format, format_of
from hkasm.kernels.kernel import Array, Arrays, Comparison, Launch, Problem, compare
from hkasm.kernels.parameters import parameter
from hkasm.kernels.rows.spans import DEFAULT_LENGTH, MAX_LENGTH, RowsConfig, Tensor

Floats = npt.NDArray[np.float64]
HALF_STEP = 2.0**-24
"""Relative error of one f32 operation, rounded to nearest."""
SHARED = 32
"""Workgroups of a wave each that a compute unit has room for."""
SMALLEST = 2.0**-126
"""Results below are zero where an instruction knows no denormals."""
HARDWARE = 2
"""Error of v_exp_f32, v_rcp_f32 and v_rsq_f32 in half steps (1 ulp, CDNA3 ISA)."""


@dataclass(frozen=True)
class RowsProblem(RowsConfig, Problem):
    """Rows of n elements; inputs `ldx`, outputs `ldy` elements from row to row (0: no space between)."""

    cut = ()  # what a workgroup does, and which code, depends on a row's length

    rows: int = parameter(64, "rows", low=1, high=(1 << 22) - 1)
    n: int = parameter(DEFAULT_LENGTH, "elements of a row", low=1, high=MAX_LENGTH)
    ldx: int = parameter(0, "elements from row to row of inputs, 0 for no space", low=0, high=1 << 24)
    ldy: int = parameter(0, "elements from row to row of outputs, 0 for no space", low=0, high=1 << 24)

    def __post_init__(self) -> None:
        for name, pitch in (("ldx", self.ldx), ("ldy", self.ldy)):
            if pitch and pitch < self.n:
                raise UsageError(f"{name}={pitch}: shorter than a row", hint=f"at least {self.n}")
        for tensor in self.tensors:
            pitch = self.ldx if tensor.access == "read" else self.ldy
            if pitch % tensor.step:
                name = "ldx" if tensor.access == "read" else "ldy"
                raise UsageError(
                    f"{name}={pitch}: rows of {tensor.dtype} would begin within a byte",
                    hint=f"a multiple of {tensor.step}",
                )
        self.held(self.n)

    @property
    def extra_values(self) -> tuple[str | int | float, ...]:
        """Return what the configuration's extras are: numbers, or names of arrays."""
        return ()

    # Arrays.

    def pitch(self, tensor: Tensor) -> int:
        """Return the elements from row to row; without space between, rows still begin with a byte."""
        return (self.ldx if tensor.access == "read" else self.ldy) or -(-self.n // tensor.step) * tensor.step

    def units(self, tensor: Tensor, elements: int) -> int:
        """Return the items of an array that elements take: less than 8 bits are packed in bytes."""
        return tensor.bytes(elements) if tensor.bits < 8 else elements

    def format(self, tensor: Tensor) -> Format:
        """Return how a tensor's elements are kept."""
        return format_of(tensor.dtype if tensor.bits >= 8 else f"mx{tensor.dtype}", self.chip)

    @property
    def chip(self) -> str:
        """Return whose 8-bit floats are meant."""
        return "gfx950"

    def blank(self, tensor: Tensor) -> Array:
        """Return a flat array of the tensor, filled with a NaN."""
        kept = self.format(tensor)
        count = self.units(tensor, self._elements(tensor))
        return np.full(count, kept.blank, f"u{np.dtype(kept.array).itemsize}").view(kept.array)

    def _elements(self, tensor: Tensor) -> int:
        return (self.rows - 1) * self.pitch(tensor) + self.n if tensor.pitched else self.n

    def matrix(self, tensor: Tensor, flat: Array) -> Array:
        """Return the rows of a flat array, a view."""
        if not tensor.pitched:
            return flat
        step = flat.itemsize
        words = flat.view(f"u{step}")
        shape, pitch = (self.rows, self.units(tensor, self.n)), self.units(tensor, self.pitch(tensor))
        return np.lib.stride_tricks.as_strided(words, shape, (pitch * step, step)).view(flat.dtype)

    def wide(self, name: str, arrays: Arrays) -> Floats:
        """Return a tensor in float64."""
        tensor = next(one for one in self.tensors if one.name == name)
        return self.matrix(tensor, arrays[name]).astype(np.float64)

    def inputs(self, seed: int = 0) -> Arrays:
        """Return normally distributed inputs; what lies between rows is NaN."""
        random, arrays = np.random.default_rng(seed), {}
        for tensor in self.tensors:
            if tensor.access == "read":
                flat = self.blank(tensor)
                values = self.matrix(tensor, flat)
                values[:] = random.standard_normal(values.shape, dtype=np.float32).astype(flat.dtype)
                arrays[tensor.name] = flat
        return arrays

    def outputs(self) -> Arrays:
        """Return outputs, filled with a NaN."""
        return {tensor.name: self.blank(tensor) for tensor in self.tensors if tensor.access == "write"}

    def launch(self) -> Launch:
        """Return one workgroup for as many rows as the span has room for."""
        span = self.held(self.n)
        pitches = [self.pitch(tensor) for tensor in self.tensors if tensor.pitched]
        names = [tensor.name for tensor in self.tensors]
        grid = (-(-self.rows // span.rows), -(-self.n // span.elements) if self.blocks else 1, 1)
        return Launch(grid, (span.threads, 1, 1), (*names, self.rows, self.n, *pitches, *self.extra_values))

    def traced(self) -> Self:
        """Return the rows of as many workgroups as may share a compute unit: one is like the other."""
        return replace(self, rows=min(self.rows, SHARED * self.held(self.n).rows))

    # Answers.

    @property
    def additions(self) -> int:
        """Return the additions that one element of a row's sum goes through at most."""
        span = self.held(self.n)
        return span.per_lane + (span.lanes - 1).bit_length()

    def judged(self, name: str, outputs: Arrays, want: Floats, error: Floats, tolerance: str) -> list[Comparison]:
        """Compare an output with its reference: `error` before the last rounding; the space between rows untouched."""
        tensor = next(one for one in self.tensors if one.name == name)
        kept, flat = self.format(tensor), outputs[name]
        bound = kept.unit * np.abs(want) + error * (1 + kept.unit) + kept.tiny + SMALLEST
        got = np.ascontiguousarray(self.matrix(tensor, flat))
        rounding = "" if tensor.dtype == "f32" else f"half a {tensor.dtype} step + "
        with np.errstate(over="ignore"):
            found = [compare(name, got, want, bound, rounding + tolerance)]
        return found + self.between(tensor, flat)

    def between(self, tensor: Tensor, flat: Array) -> list[Comparison]:
        """Compare what lies between the rows of an output with what lay there before."""
        between = np.ones(flat.size, np.uint8)
        self.matrix(tensor, between)[:] = 0
        if not between.any():
            return []
        space = flat.view(f"u{flat.itemsize}")[between.view(bool)].astype(np.float64)
        untouched = np.full(space.shape, float(self.format(tensor).blank))
        return [compare(f"between rows of {tensor.name}", space, untouched, np.zeros(space.shape), "no change")]

    @property
    def bytes(self) -> int:
        return sum(one.bytes(self._elements(one)) for one in self.tensors)

    @property
    def least_bytes(self) -> tuple[int, int]:
        """Return the bytes that must be read and written, each element once; vectors once a row."""
        sides = [
            sum(self.rows * one.bytes(self.n) for one in self.tensors if one.access == access)
            for access in ("read", "write")
        ]
        return sides[0], sides[1]

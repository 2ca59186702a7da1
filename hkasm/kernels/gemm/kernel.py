"""The GEMM as a kernel of the library: parameters, inputs, reference, tolerance."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.grids.row_major import grid_shape
from hkasm.kernels.gemm import layout
from hkasm.kernels.gemm.body import Gemm
from hkasm.kernels.kernel import Array, Arrays, Comparison, Kernel, Launch, Problem, compare
from hkasm.kernels.parameters import ParameterSet, parameter

bfloat16 = np.dtype(ml_dtypes.bfloat16)
MAX_PITCH = 1 << 22
"""Elements a row: 255 rows of it and one more K stay below 2^31 bytes, where a buffer offset still compares right."""
MAX_SIDE = 1 << 24
BF16_UNIT = 2.0**-8
"""Half a unit in the last place of bf16, relative."""
F32_STEP = 2.0**-23
"""One f32 addition or multiplication, truncated."""
UNTOUCHED = 0x7FE5
"""A quiet bf16 NaN with a payload: what outputs and the space behind rows hold before a launch."""
SMALL_INTEGERS = 4


@dataclass(frozen=True)
class GemmConfig(ParameterSet):
    """What changes the code."""

    acc: str = parameter("agpr", "registers of the accumulators", choices=("agpr", "vgpr"))


@dataclass(frozen=True)
class GemmProblem(Problem):
    """C[m, n] = A[m, k] B[n, k]^T with rows `lda`, `ldb`, `ldc` elements apart (0: no space between rows)."""

    m: int = parameter(512, "rows of A and C", low=1, high=MAX_SIDE)
    n: int = parameter(512, "rows of B, columns of C", low=1, high=MAX_SIDE)
    k: int = parameter(256, "columns of A and B", low=1, high=MAX_PITCH)
    lda: int = parameter(0, "elements from row to row of A, 0 for k", low=0, high=MAX_PITCH)
    ldb: int = parameter(0, "elements from row to row of B, 0 for k", low=0, high=MAX_PITCH)
    ldc: int = parameter(0, "elements from row to row of C, 0 for n", low=0, high=MAX_PITCH)
    data: str = parameter("normal", "inputs: N(0, 1) or small integers", choices=("normal", "integers"))

    def __post_init__(self) -> None:
        if self.pitch("C") > MAX_PITCH:
            raise UsageError(f"n={self.n}: rows of C are too long", hint=f"at most {MAX_PITCH} elements")
        for name in "ABC":
            columns = self.shape(name)[1]
            if self.pitch(name) < columns:
                raise UsageError(
                    f"ld{name.lower()}={self.pitch(name)}: shorter than a row of {name}", hint=f"at least {columns}"
                )

    def shape(self, name: str) -> tuple[int, int]:
        """Return rows and columns of ``A``, ``B`` or ``C``."""
        return {"A": (self.m, self.k), "B": (self.n, self.k), "C": (self.m, self.n)}[name]

    def pitch(self, name: str) -> int:
        """Return the elements from row to row of ``A``, ``B`` or ``C``."""
        given = {"A": self.lda, "B": self.ldb, "C": self.ldc}[name]
        return given or self.shape(name)[1]

    def elements(self, name: str) -> int:
        """Return the elements from the first to the last of ``A``, ``B`` or ``C``."""
        rows, columns = self.shape(name)
        return (rows - 1) * self.pitch(name) + columns

    def matrix(self, name: str, flat: Array) -> Array:
        """Return the matrix in an array that ends with its last element, without what lies between rows."""
        step = flat.strides[0]
        return np.lib.stride_tricks.as_strided(flat, self.shape(name), (self.pitch(name) * step, step))

    def inputs(self, seed: int = 0) -> Arrays:
        """Return A and B as flat bf16 arrays; what lies between rows is NaN."""
        random = np.random.default_rng(seed)
        arrays = {}
        for name in "AB":
            flat = self._blank(name)
            values = self.matrix(name, flat)
            if self.data == "integers":
                values[:] = random.integers(-SMALL_INTEGERS, SMALL_INTEGERS + 1, values.shape).astype(bfloat16)
            else:
                values[:] = random.standard_normal(values.shape, dtype=np.float32).astype(bfloat16)
            arrays[name] = flat
        return arrays

    def outputs(self) -> Arrays:
        """Return C, filled with a NaN that no result leaves."""
        return {"C": self._blank("C")}

    def _blank(self, name: str) -> Array:
        return np.full(self.elements(name), UNTOUCHED, np.uint16).view(bfloat16)

    def launch(self) -> Launch:
        """Return grid, block and arguments: one workgroup of 8 waves a tile."""
        pitches = (self.pitch("A"), self.pitch("B"), self.pitch("C"))
        grid = grid_shape(self.m, self.n, layout.TILE_M, layout.TILE_N)
        block = (layout.WAVES * layout.WAVE_SIZE, 1, 1)
        return Launch(grid, block, ("C", "A", "B", self.m, self.n, self.k, *pitches))

    def reference(self, inputs: Arrays) -> npt.NDArray[np.float64]:
        """Return the product in float64."""
        a, b = (self.matrix(name, inputs[name]).astype(np.float64) for name in "AB")
        product: npt.NDArray[np.float64] = a @ b.T
        return product

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare C with the float64 product; the space between rows of C must be untouched.

        Tolerated is one rounding to bf16 of the right answer, and for each element the error bound of a float32 dot
        product: k + 1 operations, each off by one f32 step at most, on the sum of the absolute products.
        """
        want = self.reference(inputs)
        a, b = (np.abs(self.matrix(name, inputs[name]).astype(np.float64)) for name in "AB")
        bound = BF16_UNIT * (1 + BF16_UNIT) * np.abs(want) + (self.k + 1) * F32_STEP * (a @ b.T) * (1 + BF16_UNIT)
        text = "half a bf16 step + (k + 1) f32 steps of the absolute products"
        got = self.matrix("C", outputs["C"])
        found = [compare("C", np.ascontiguousarray(got), want, bound, text)]
        if self.pitch("C") > self.n:
            between = np.ones(outputs["C"].size, bool)
            self.matrix("C", between)[:] = False
            space = outputs["C"].view(np.uint16)[between].astype(np.float64)
            untouched = np.full(space.shape, float(UNTOUCHED))
            found.append(compare("between rows of C", space, untouched, np.zeros(space.shape), "no change"))
        return found

    @property
    def bytes(self) -> int:
        return sum(layout.ELEMENT_BYTES * self.elements(name) for name in "ABC")

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k


class GemmKernel(Kernel[GemmConfig, GemmProblem]):
    """C[m, n] = A[m, k] B[n, k]^T, bf16 in and out, f32 sums: 256x256x64 tile, 8-wave ping-pong."""

    name = "gemm"
    archs = ("gfx942", "gfx950")
    grid_rule = (f"ceil(n / {layout.TILE_N})", f"ceil(m / {layout.TILE_M})", "1")
    config_type = GemmConfig
    problem_type = GemmProblem

    def write(self, arch: str, config: GemmConfig) -> Program:
        """Write the program; hazards are filled with wait states."""
        k = Builder(arch, self.name, block=layout.WAVES * layout.WAVE_SIZE)
        k.config.update(config=config.label, tile=f"{layout.TILE_M}x{layout.TILE_N}x{layout.TILE_K}")
        Gemm(k, config.acc).write()
        k.fix_hazards()
        return k.finish()

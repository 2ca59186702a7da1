"""What matrix instructions compute: exact products, one rounding.

`mfma_exact` is the model that the emulator uses by default: inputs are widened to float64, in which every product of
two inputs of 32 bits or fewer is exact; the k products of an element are summed in float64, C is added, and the sum is
rounded once to float32, to nearest even. The hardware's own bits differ in the last places (`isa.cdna3_bits` has the
published model of CDNA3; none is published for CDNA4). f64 is a chain of fused multiply-adds over ascending k, which
is what CDNA3 does bit for bit. i8 wraps around at 32 bits.

The sum's order inside one matrix is the BLAS's; each matrix is its own BLAS call of a fixed shape, so the bits do not
depend on how many waves are batched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import UsageError
from hkasm.isa.fma import fma64
from hkasm.isa.mfma.layout import (
    LANES,
    gather_into,
    gather_operand,
    gather_scales,
    operand_layout,
    permute_lanes,
    result_view,
    scatter_result,
    sparse_columns,
)
from hkasm.isa.mfma.scratch import scratch
from hkasm.isa.mfma.table import MfmaSpec
from hkasm.isa.numerics import FORMATS, decode, flush_denormals

__all__ = ["accumulate", "expand_sparse", "mfma_exact", "execute_mfma", "scale_operands"]

Array = NDArray[Any]
Words = NDArray[np.uint32]
WAVES_AT_ONCE = 64
"""Waves whose products and sums are alive at once: they stay in the second level of a processor's caches."""


def mfma_exact(spec: MfmaSpec, a: Array, b: Array, c: Array) -> Array:
    """Return D [waves, blocks, m, n] of A [.., m, k], B [.., k, n], C [.., m, n] as `gather_operand` gives them.

    A sparse A must have been expanded (`expand_sparse`), scales applied (`scale_operands`).
    """
    if spec.c_type == "i32":
        # At most 128 products of 2**14 each: exact in float32.
        total: Array = np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(np.int32)
        total += c
        return total
    if spec.c_type == "f64":
        result: Array = c
        for k in range(spec.k):
            result = fma64(a[..., :, k : k + 1], b[..., k : k + 1, :], result)
        return result
    with np.errstate(all="ignore"):
        rounded: Array = (np.matmul(a, b) + c).astype(np.float32)
    return rounded


def expand_sparse(spec: MfmaSpec, a: Array, columns: NDArray[np.intp]) -> Array:
    """Return the dense [waves, 1, m, k] of a stored sparse A [waves, 1, m, k / 2] and its `sparse_columns`.

    Two stored elements with one index both count, as their products with the same element of B do.
    """
    dense = np.zeros((*a.shape[:-1], spec.k), dtype=a.dtype if a.dtype.kind == "f" else np.int16)
    places = columns[:, None]
    np.put_along_axis(dense, places[..., 0::2], a[..., 0::2], axis=-1)
    second = places[..., 1::2]
    np.put_along_axis(dense, second, np.take_along_axis(dense, second, axis=-1) + a[..., 1::2], axis=-1)
    return dense


def scale_operands(spec: MfmaSpec, a: Array, b: Array, scale_a: Array, scale_b: Array) -> tuple[Array, Array]:
    """Multiply A and B (float64) by E8M0 scales [waves, m, k / 32] and [waves, k / 32, n]; code 255 is NaN. Exact."""
    values_a = decode(scale_a, FORMATS["e8m0"], np.float64)
    values_b = decode(scale_b, FORMATS["e8m0"], np.float64)
    with np.errstate(invalid="ignore"):
        return a * np.repeat(values_a, 32, axis=2)[:, None], b * np.repeat(values_b, 32, axis=1)[:, None]


def execute_mfma(
    spec: MfmaSpec,
    a: Words,
    b: Words,
    c: Words,
    *,
    arch: str,
    cbsz: int = 0,
    abid: int = 0,
    blgp: int = 0,
    index: Words | None = None,
    scales: tuple[Words, Words] | None = None,
    scale_bytes: tuple[int, int] = (0, 0),
    negate_c: bool = False,
    absolute_c: bool = False,
    flush_inputs: bool = False,
) -> Words:
    """Execute one matrix instruction on register slices [registers, waves, 64] uint32; return D's registers.

    `index` [waves, 64] is SMFMAC's; `scales` are the two scale operands [waves, 64] and `scale_bytes` the bytes of
    them that op_sel names. `negate_c`, `absolute_c`: neg and abs of f8f6f4's C; for f64 blgp's bits negate A, B and C.
    `flush_inputs` is MODE's f32 denormal rule, which holds for f32 inputs only (CDNA3 ISA 7.5). EXEC plays no part.
    """
    a = permute_lanes(spec, "A", a, cbsz=cbsz, abid=abid)
    b = permute_lanes(spec, "B", b, blgp=blgp)
    left = gather_into("left", spec, "A", a, spec.element_type("A", cbsz), arch)
    right = gather_into("right", spec, "B", b, spec.element_type("B", blgp), arch)
    if spec.sparse:
        if index is None:
            raise UsageError(f"{spec.mnemonic} needs its index register")
        left = expand_sparse(spec, left, sparse_columns(spec, index, cbsz=cbsz, abid=abid))
    if spec.scaled and scales is not None:
        codes_a = gather_scales(spec, "A", scales[0], scale_bytes[0])
        codes_b = gather_scales(spec, "B", scales[1], scale_bytes[1])
        left, right = scale_operands(spec, left, right, codes_a, codes_b)
    if spec.c_type == "f64":
        third = gather_operand(spec, "C", c)
        left, right, third = (-value if blgp >> bit & 1 else value for bit, value in enumerate((left, right, third)))
        return scatter_result(spec, mfma_exact(spec, left, right, third))
    if spec.c_type == "i32":
        return scatter_result(spec, mfma_exact(spec, left, right, gather_operand(spec, "C", c)))
    if flush_inputs and spec.kind == "sgemm":
        left, right = (flush_denormals(value.astype(np.float32)).astype(np.float64) for value in (left, right))
    third = c.view(np.float32) if c.strides[-1] == 4 else np.ascontiguousarray(c).view(np.float32)
    third = np.abs(third) if absolute_c else third
    return accumulate(spec, left, right, -third if negate_c else third)


def accumulate(spec: MfmaSpec, a: Array, b: Array, c: Array | np.float32, *, out: Array | None = None) -> Words:
    """Return D's registers [registers, waves, 64] of A and B (matrices) and C's registers.

    The sums have the type of A and B: float64 gives `mfma_exact`'s bits. `c` is float32 registers or one number for
    all. D is written to `out` where that is given (float32 registers); it may be `c`.
    """
    waves, dtype = a.shape[0], a.dtype.type
    if out is None:
        out = np.empty((operand_layout(spec, "D").slots, waves, LANES), dtype=np.float32)
    into = result_view(spec, out)
    added = result_view(spec, c) if isinstance(c, np.ndarray) else c
    with np.errstate(all="ignore"):
        for first in range(0, waves, WAVES_AT_ONCE):
            part = slice(first, min(first + WAVES_AT_ONCE, waves))
            shape = (part.stop - first, spec.blocks, spec.m, spec.n)
            total = np.matmul(a[part], b[part], out=scratch("product", shape, dtype)).reshape(into[part].shape)
            third = added
            if isinstance(added, np.ndarray):
                third = scratch("third", total.shape, dtype)
                third[...] = added[part]
            np.add(total, third, out=total)
            into[part] = total
    return out.view(np.uint32)

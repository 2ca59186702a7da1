"""The published bit-exact model of CDNA3's matrix products, as an alternative to `isa.mfma`'s exact one.

Source: MMA-Sim (Microsoft, arXiv 2511.10909), whose authors checked their model against MI300X bit by bit; written
anew here over whole arrays. For CDNA4 nothing is published, for SMFMAC nothing either.

- f64 and f32: a chain of fused multiply-adds over ascending k.
- f16, bf16, xf32, fp8, bf8: k is cut into groups (8, 8, 4, 16, 16 products; fewer where k is shorter). Within a group
  each product is aligned to the largest product exponent, cut to 24 fraction bits towards zero, and summed as an
  integer. fp8 and bf8 do so for even and odd k apart and add the two sums after flooring the one of smaller exponent
  to 24 bits. Then the sum (floored to 31 fraction bits) and C (floored to 24) are aligned to the larger of the two
  exponents, added, and rounded to float32 to nearest even; that is the next group's C. For the 8-bit types a C more
  than 25 exponents below is dropped.
- A product of 2**128 or more is infinite. Denormals are kept everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import UsageError
from hkasm.isa.fma import fma32
from hkasm.isa.mfma import MfmaSpec, mfma_exact

__all__ = ["mfma_cdna3_bits"]

Array = NDArray[Any]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

# Products of one group, and the smallest normal exponent of the element type (gfx942: FNUZ 8-bit types).
_GROUP = {"f16": 8, "bf16": 8, "xf32": 4, "fp8": 16, "bf8": 16}
_MIN_EXPONENT = {"f16": -14, "bf16": -126, "xf32": -126, "fp8": -7, "bf8": -15}
_F32_MIN_EXPONENT = -126
_PRODUCT_BITS = 24  # fraction bits kept of an aligned product, and of C
_SUM_BITS = 31  # fraction bits kept of a group's sum
_DROP_C = 25  # 8-bit types: C this many exponents below the sum is dropped


def mfma_cdna3_bits(spec: MfmaSpec, a: Array, b: Array, c: Array) -> Array:
    """Return D [waves, blocks, m, n] as MI300X computes it, of operands as `gather_operand(arch="gfx942")` gives them.

    Raises UsageError for SMFMAC and for instructions that gfx942 lacks: no model of them is published.
    """
    if spec.sparse or "gfx942" not in spec.opcode:
        raise UsageError(f"{spec.mnemonic}: no bit-exact model is published", hint="use mfma_exact")
    if spec.c_type == "i32" or spec.c_type == "f64":
        return mfma_exact(spec, a, b, c)
    if spec.a == "f32":
        result: Array = c
        left, right = a.astype(np.float32), b.astype(np.float32)
        for k in range(spec.k):
            result = fma32(left[..., :, k : k + 1], right[..., k : k + 1, :], result)
        return result
    group = min(_GROUP[spec.a], spec.k)
    result = c
    with np.errstate(all="ignore"):
        for first in range(0, spec.k, group):
            part = slice(first, first + group)
            result = _group(spec, a[..., :, part], b[..., part, :], result.astype(np.float64))
    return result


def _split(values: F64, min_exponent: int) -> tuple[F64, I64]:
    """Return significand in [1, 2) and exponent; denormals of the type keep its smallest exponent, zero has -126."""
    significand, exponent = np.frexp(values)
    significand, exponent = significand * 2, exponent.astype(np.int64) - 1
    below = np.maximum(min_exponent - exponent, 0)
    significand = np.ldexp(significand, -below.astype(np.int32))
    return significand, np.where(values == 0, -126, exponent + below)


def _scaled(values: F64, power: I64) -> F64:
    """Return values * 2**power, exactly for what matters here: powers under -1000 give zero with the sign."""
    clipped: F64 = np.ldexp(values, np.maximum(power, -1000).astype(np.int32))
    return clipped


def _aligned_sum(significand: F64, exponent: I64) -> tuple[F64, I64]:
    """Sum products over the last axis: aligned to the largest exponent, each cut to 24 fraction bits."""
    largest = exponent.max(axis=-1)
    cut = np.trunc(_scaled(significand, _PRODUCT_BITS + exponent - largest[..., None]))
    return cut.sum(axis=-1) * 2.0**-_PRODUCT_BITS, largest


def _group(spec: MfmaSpec, a: F64, b: F64, c: F64) -> NDArray[np.float32]:
    """Return float32(C + the dot product of one group) under the model; a [.., m, g], b [.., g, n], c [.., m, n]."""
    left, right = a[..., :, None, :], b.swapaxes(-1, -2)[..., None, :, :]
    products = left * right
    plain = products.sum(axis=-1) + c
    sig_a, exp_a = _split(left, _MIN_EXPONENT[spec.a])
    sig_b, exp_b = _split(right, _MIN_EXPONENT[spec.b])
    huge = np.abs(products) >= 2.0**128
    significand = np.where(huge, 0.0, sig_a * sig_b)
    exponent = np.broadcast_to(exp_a + exp_b, significand.shape)
    eight_bit = spec.a in ("fp8", "bf8")
    if eight_bit:
        even, even_exponent = _aligned_sum(significand[..., 0::2], exponent[..., 0::2])
        odd, odd_exponent = _aligned_sum(significand[..., 1::2], exponent[..., 1::2])
        sum_exponent = np.maximum(even_exponent, odd_exponent)
        total = _floored(even, even_exponent - sum_exponent, _PRODUCT_BITS)
        total = total + _floored(odd, odd_exponent - sum_exponent, _PRODUCT_BITS)
    else:
        total, sum_exponent = _aligned_sum(significand, exponent)
    sig_c, exp_c = _split(c, _F32_MIN_EXPONENT)
    top = np.maximum(sum_exponent, exp_c)
    kept_c = _floored(sig_c, exp_c - top, _PRODUCT_BITS)
    if eight_bit:
        kept_c = np.where(exp_c >= top - _DROP_C, kept_c, 0.0)
    total = _floored(total, sum_exponent - top, _SUM_BITS) + kept_c
    result = np.ldexp(total, top.astype(np.int32))
    up = (huge & (products > 0)).any(axis=-1)
    down = (huge & (products < 0)).any(axis=-1)
    result = np.where(up, np.inf, np.where(down, -np.inf, result))
    result = np.where(up & down, np.nan, result)
    result = np.where(np.isfinite(plain), result, plain)
    rounded: NDArray[np.float32] = result.astype(np.float32)
    return rounded


def _floored(values: F64, power: I64, bits: int) -> F64:
    """Return values * 2**power rounded down to `bits` fraction bits."""
    floor: F64 = np.floor(_scaled(values, bits + power))
    return floor * 2.0**-bits

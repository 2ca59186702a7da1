"""Operators for people: arrays in, an array out; kernel, build, cache and launch are taken care of."""

from __future__ import annotations

from hkasm.ops.attend import attention
from hkasm.ops.decode import decode
from hkasm.ops.matmul import gemm
from hkasm.ops.rows import gelu_mul, layernorm, quantise, rmsnorm, rope, silu_mul, softmax, transpose

__all__ = [
    "attention", "decode", "gelu_mul", "gemm", "layernorm", "quantise", "rmsnorm", "rope", "silu_mul", "softmax",
    "transpose",
]  # fmt: skip

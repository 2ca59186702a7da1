"""Operators for people: arrays in, an array out; kernel, build, cache and launch are taken care of."""

from __future__ import annotations

from hkasm.ops.attend import attention
from hkasm.ops.matmul import gemm

__all__ = ["attention", "gemm"]

"""Attention forward: O = softmax(scale Q K^T + mask) V and the log-sum-exp."""

from hkasm.kernels.attention.declared import AttentionConfig
from hkasm.kernels.attention.kernel import AttentionKernel
from hkasm.kernels.attention.problem import AttentionProblem

__all__ = ["AttentionConfig", "AttentionKernel", "AttentionProblem"]

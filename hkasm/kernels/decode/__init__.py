"""Decode attention: few queries against many keys, keys dealt to workgroups, partial results combined."""

from hkasm.kernels.decode.combine import CombineConfig, CombineKernel, CombineProblem
from hkasm.kernels.decode.declared import DecodeConfig
from hkasm.kernels.decode.kernel import DecodeKernel
from hkasm.kernels.decode.problem import DecodeProblem

__all__ = ["CombineConfig", "CombineKernel", "CombineProblem", "DecodeConfig", "DecodeKernel", "DecodeProblem"]

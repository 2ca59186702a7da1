"""hkasm's operators as torch's own: `torch.ops.hkasm.gemm`, kept by torch.compile and export, with gradients.

Importing this module registers them; nothing else of hkasm imports torch.
"""

from __future__ import annotations

from typing import Any

import torch

from hkasm.ops.matmul import gemm_into

__all__ = ["gemm"]


@torch.library.custom_op("hkasm::gemm", mutates_args=())  # type: ignore[untyped-decorator]
def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b.T in bf16, summed in f32: `a` [m, k], `b` [n, k]; on the current stream, or on the emulator."""
    out = a.new_empty((a.shape[0], b.shape[0]))
    if a.shape[1] == 0 and b.shape[1] == 0:
        return out.zero_()
    stream = torch.cuda.current_stream(a.device) if a.is_cuda else None
    gemm_into(a.detach(), b.detach(), out, stream=stream)
    return out


@gemm.register_fake  # type: ignore[untyped-decorator]
def _shape(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    torch._check(a.dim() == 2 and b.dim() == 2, lambda: "gemm: a and b have 2 dimensions")
    torch._check(a.shape[1] == b.shape[1], lambda: f"gemm: a is {tuple(a.shape)} and b is {tuple(b.shape)}")
    return a.new_empty((a.shape[0], b.shape[0]))


def _keep(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _gradients(context: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Return the gradients of a, grad @ b, and of b, grad.T @ a."""
    a, b = context.saved_tensors
    to_a, to_b = context.needs_input_grad
    return (
        gemm(grad.contiguous(), b.t().contiguous()) if to_a else None,
        gemm(grad.t().contiguous(), a.t().contiguous()) if to_b else None,
    )


gemm.register_autograd(_gradients, setup_context=_keep)

"""hkasm's operators as torch's own, `torch.ops.hkasm.gemm` and the others, kept by torch.compile and export.

`gemm` has gradients; the others are forward only.

Importing this module registers them; nothing else of hkasm imports torch.
"""

from __future__ import annotations

from typing import Any

import torch

from hkasm.isa.arch import get_arch
from hkasm.kernels.gemm.arguments import array_type
from hkasm.kernels.rows.quantise import BLOCK
from hkasm.kernels.rows.spans import BITS
from hkasm.ops import attention as _attention
from hkasm.ops import decode as _decode
from hkasm.ops import rows as _rows
from hkasm.ops.arrays import torch_name
from hkasm.ops.launcher import EMULATED_ARCH
from hkasm.ops.matmul import gemm_into

__all__ = [
    "attention", "decode", "gelu_mul", "gemm", "layernorm", "quantise", "rmsnorm", "rope", "silu_mul", "softmax",
    "transpose",
]  # fmt: skip


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


@torch.library.custom_op("hkasm::attention", mutates_args=())  # type: ignore[untyped-decorator]
def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False, window: int = 0, scale: float | None = None
) -> torch.Tensor:
    """Return attention of q, k, v [batch, heads, length, d]; `window` keys at most where it is not 0.

    `hkasm.ops.attention(q, k, v, mask=...)` is another: it takes [batch, length, heads, d] unless `layout` says bhsd.
    """
    mask = "window" if window else "causal" if causal else "full"
    operands = (q.detach(), k.detach(), v.detach())
    out: torch.Tensor = _attention(*operands, mask=mask, window=window or 1, scale=scale, layout="bhsd")
    return out


@attention.register_fake  # type: ignore[untyped-decorator]
def _like_q(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False, window: int = 0, scale: float | None = None
) -> torch.Tensor:
    return q.new_empty(q.shape)


@torch.library.custom_op("hkasm::decode", mutates_args=())  # type: ignore[untyped-decorator]
def decode(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    lengths: torch.Tensor,
    table: torch.Tensor | None = None,
    causal: bool = True,
    window: int = 0,
    scale: float | None = None,
    longest: int | None = None,
) -> torch.Tensor:
    """Return attention of q [batch, queries, heads, d] over a cache, in blocks that `table` names or plain."""
    mask = "window" if window else "causal" if causal else "full"
    operands = (q.detach(), k.detach(), v.detach(), lengths, table)
    out: torch.Tensor = _decode(*operands, mask=mask, window=window or 1, scale=scale, longest=longest)
    return out


@torch.library.custom_op("hkasm::softmax", mutates_args=())  # type: ignore[untyped-decorator]
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Return softmax over the last dimension."""
    out: torch.Tensor = _rows.softmax(x.detach())
    return out


@torch.library.custom_op("hkasm::layernorm", mutates_args=())  # type: ignore[untyped-decorator]
def layernorm(
    x: torch.Tensor, weight: torch.Tensor | None = None, bias: torch.Tensor | None = None, eps: float = 1e-5
) -> torch.Tensor:
    """Return layer norm over the last dimension."""
    out: torch.Tensor = _rows.layernorm(x.detach(), _detached(weight), _detached(bias), eps=eps)
    return out


@torch.library.custom_op("hkasm::rmsnorm", mutates_args=())  # type: ignore[untyped-decorator]
def rmsnorm(x: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-5) -> torch.Tensor:
    """Return RMS norm over the last dimension."""
    out: torch.Tensor = _rows.rmsnorm(x.detach(), _detached(weight), eps=eps)
    return out


@torch.library.custom_op("hkasm::silu_mul", mutates_args=())  # type: ignore[untyped-decorator]
def silu_mul(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """Return silu(gate) * up."""
    out: torch.Tensor = _rows.silu_mul(gate.detach(), up.detach())
    return out


@torch.library.custom_op("hkasm::gelu_mul", mutates_args=())  # type: ignore[untyped-decorator]
def gelu_mul(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """Return gelu(gate) * up, gelu in the form with tanh."""
    out: torch.Tensor = _rows.gelu_mul(gate.detach(), up.detach())
    return out


@torch.library.custom_op("hkasm::rope", mutates_args=())  # type: ignore[untyped-decorator]
def rope(
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    positions: torch.Tensor | None = None,
    interleaved: bool = False,
    offset: int = 0,
) -> torch.Tensor:
    """Return x [..., tokens, heads, d] turned by the angles of its tokens' positions."""
    pairs = "interleaved" if interleaved else "half"
    tables = (cos.detach(), sin.detach(), positions)
    out: torch.Tensor = _rows.rope(x.detach(), *tables, pairs=pairs, offset=offset)
    return out


@torch.library.custom_op("hkasm::transpose", mutates_args=())  # type: ignore[untyped-decorator]
def transpose(x: torch.Tensor) -> torch.Tensor:
    """Return the transpose of x [rows, n]."""
    out: torch.Tensor = _rows.transpose(x.detach())
    return out


@transpose.register_fake  # type: ignore[untyped-decorator]
def _turned(x: torch.Tensor) -> torch.Tensor:
    return x.new_empty((x.shape[1], x.shape[0]))


@torch.library.custom_op("hkasm::quantise", mutates_args=())  # type: ignore[untyped-decorator]
def quantise(
    x: torch.Tensor, to: str = "fp8", per: str = "row", factor: float | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return x as small floats and their scales; per tensor there is a factor, and no scale."""
    found: Any = _rows.quantise(x.detach(), to, per=per, factor=factor)
    return (found, x.new_empty(0, dtype=torch.float32)) if per == "tensor" else found


@quantise.register_fake  # type: ignore[untyped-decorator]
def _quantised(
    x: torch.Tensor, to: str = "fp8", per: str = "row", factor: float | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    *leading, n = x.shape
    bits = BITS[to]
    if bits < 8:
        y = x.new_empty((*leading, n * bits // 8), dtype=torch.uint8)
    else:
        arch = torch.cuda.get_device_properties(x.device).gcnArchName.split(":")[0] if x.is_cuda else EMULATED_ARCH
        y = x.new_empty(x.shape, dtype=getattr(torch, torch_name(array_type(to, get_arch(arch).name))))
    if per == "tensor":
        return y, x.new_empty(0, dtype=torch.float32)
    if per == "block":
        return y, x.new_empty((*leading, -(-n // BLOCK)), dtype=torch.uint8)
    return y, x.new_empty(leading, dtype=torch.float32)


def _detached(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.detach()


def _like_first(first: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
    return first.new_empty(first.shape)


for _operator in (decode, softmax, layernorm, rmsnorm, silu_mul, gelu_mul, rope):
    _operator.register_fake(_like_first)

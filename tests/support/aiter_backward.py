"""Cases of AITER's hand-written attention, backward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from support.aiter import Array, Case, Data
from support.aiter_attention import BF16, LOG2_E, NEXT_TILE, TIMING, UNSEEN, normal, softmax_product

__all__ = ["cases"]


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there; there are no more for `every`."""
    for arch in ("gfx942", "gfx950"):
        for case in (*_backward(arch), *_grouped(arch)):
            if (hsa / case.file).is_file():
                yield case


# ---- fmha_v3_bwd: rows' sums of O dO; dQ (in f32, added up by atomics), dK and dV; dQ in bf16 -----------------------


def _backward(arch: str) -> Iterator[Case]:
    for width in (64, 128):
        yield row_sum_case(arch, width)
        yield convert_case(arch, width)
    if arch == "gfx942":
        yield backward_case(arch, "bwd_hd64_bf16_a32_rtne_pssk", 64, 192)
        yield backward_case(arch, "bwd_hd64_bf16_causal_a32_rtna_pssk", 64, 192, causal=True)
        yield backward_case(arch, "bwd_hd128_bf16_a32_rtne_psskddv", 128, 192)
        yield backward_case(arch, "bwd_hd128_bf16_causal_a32_rtne_psskddv", 128, 192, causal=True)
    else:
        yield backward_case(arch, "bwd_hd64_bf16_causal_a32_rtne_pssk", 64, 192, causal=True)
        yield backward_case(arch, "bwd_hd128_bf16_a32_psskddv", 128, 256)
        known = {"lds-read-pending": f"{NEXT_TILE}: {UNSEEN}"}
        yield backward_case(arch, "bwd_hd128_bf16_causal_a32_psskddv", 128, 256, causal=True, known=known)


def row_sum_case(arch: str, width: int) -> Case:
    """delta[head, token] = sum of O dO over `width`, two heads, 300 tokens of [token, head, width]."""
    tokens, heads = 300, 2

    def data() -> Data:
        rng = np.random.default_rng(width)
        out, grad = (normal(rng, (tokens, heads, width), BF16) for _ in range(2))
        product = out.astype(np.float64) * grad.astype(np.float64)
        return Data(
            inputs={"O": out, "dO": grad},
            outputs={"delta": np.zeros((heads, tokens), np.float32)},
            expected={"delta": product.sum(axis=2).T},
            scale={"delta": np.abs(product).sum(axis=2).T},
        )

    row = 2 * heads * width
    strides = (2 * width, tokens * row, row) * 2 + (4 * tokens, 4 * tokens * heads, 4)
    return Case(
        kind="fmha_v3_bwd",
        arch=arch,
        file=f"{arch}/fmha_v3_bwd/bwd_hd{width}_odo_bf16.co",
        label=f"{tokens} tokens",
        grid=(-(-tokens // 128), heads, 1),
        block=(256, 1, 1),
        data=data,
        args=["O", "dO", "delta", *strides, tokens, width, None, None],
        tolerance=1e-5,
        undefined=("delta",),
    )


def convert_case(arch: str, width: int) -> Case:
    """dQ bf16 [token, head, width] of its sums f32 [head, token, width], 100 tokens."""
    tokens, heads = 100, 2
    rounding = "_rtne" if arch == "gfx942" or width == 64 else ""

    def data() -> Data:
        sums = np.random.default_rng(width).standard_normal((heads, tokens, width)).astype(np.float32)
        return Data(
            inputs={"sums": sums},
            outputs={"dQ": np.zeros((tokens, heads, width), BF16)},
            expected={"dQ": sums.astype(BF16).transpose(1, 0, 2)},
        )

    row = 2 * heads * width
    return Case(
        kind="fmha_v3_bwd",
        arch=arch,
        file=f"{arch}/fmha_v3_bwd/bwd_hd{width}_dq_convert_bf16{rounding}.co",
        label=f"{tokens} tokens",
        grid=(-(-tokens // 64), heads, 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "sums", "dQ", 4 * width * tokens, 0, 4 * width, 2 * width, tokens * row, row, tokens, width, None, None
        ],
        tolerance=0.0,
        undefined=("dQ",),
        known={"register-in-flight": f"no wait between LDS reads and the store: {TIMING}"} if arch == "gfx942" else {},
    )  # fmt: skip


def backward_case(
    arch: str, name: str, width: int, columns: int, *, causal: bool = False, known: Mapping[str, str] | None = None
) -> Case:
    """Two heads, arrays [token, head, width]; a workgroup has `columns` keys, of a causal kernel two such tiles."""
    q_tokens, k_tokens, heads = (300, 300, 2) if causal else (200, 300, 2)
    scale = width**-0.5

    def data() -> Data:
        rng = np.random.default_rng(width + causal)
        q, k, v, grad = (normal(rng, (count, heads, width), BF16) for count in (q_tokens, k_tokens, k_tokens, q_tokens))
        exact_q, exact_k, exact_v, exact = (x.astype(np.float64).transpose(1, 0, 2) for x in (q, k, v, grad))
        scores = exact_q @ exact_k.transpose(0, 2, 1) * scale
        if causal:
            scores = np.where(np.arange(k_tokens) <= np.arange(q_tokens)[:, None], scores, -np.inf)
        out, lse = softmax_product(scores, exact_v)
        weights = np.exp(scores - lse[..., None])
        delta = (out * exact).sum(axis=2)
        slopes = weights * (exact @ exact_v.transpose(0, 2, 1) - delta[..., None]) * scale
        return Data(
            inputs={"Q": q, "K": k, "V": v, "dO": grad, "LSE": lse.astype(np.float32), "D": delta.astype(np.float32)},
            outputs={
                "dQ": np.zeros((heads, q_tokens, width), np.float32),
                "dK": np.zeros((k_tokens, heads, width), BF16),
                "dV": np.zeros((k_tokens, heads, width), BF16),
            },
            expected={
                "dQ": slopes @ exact_k,
                "dK": (slopes.transpose(0, 2, 1) @ exact_q).transpose(1, 0, 2),
                "dV": (weights.transpose(0, 2, 1) @ exact).transpose(1, 0, 2),
            },
        )

    head, row = 2 * width, 2 * heads * width
    q_all, k_all = q_tokens * row, k_tokens * row
    tiles = -(-k_tokens // columns)
    return Case(
        kind="fmha_v3_bwd",
        arch=arch,
        file=f"{arch}/fmha_v3_bwd/{name}.co",
        label=f"{q_tokens}x{k_tokens}",
        grid=(-(-tiles // 2) if causal else tiles, heads, 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "dQ", "dK", "dV", "Q", "K", "V", "dO", "LSE", "D", scale, LOG2_E, q_tokens, columns * row, head, q_all, row,
            1, head, k_all, row, row, k_tokens, width, width, heads, head, k_all, row, head, q_all, row, head, k_all,
            head, k_all, row, 4 * q_tokens, None, None, None, None, q_tokens, 0, 0,
        ],
        tolerance=0.02,
        undefined=("dK", "dV"),
        known=known or {},
    )  # fmt: skip


def _grouped(arch: str) -> Iterator[Case]:
    over = {"lds-read-pending": f"tiles are fetched over what other waves still read: {UNSEEN}"}
    for ending, masked in (("", ""), ("_causal", "top"), ("_causal_br", "bottom")):
        yield grouped_backward_case(
            arch, f"bwd_hd64_bf16{ending}_a32_rtne_pssk_group", 64, 192, masked=masked, known=over
        )
        if arch == "gfx942":
            name = f"bwd_hd128_bf16{ending}_a32_rtne_psskddv_group"
            yield grouped_backward_case(arch, name, 128, 192, masked=masked)
        else:
            name = f"bwd_hd128_bf16{ending}_a32_psskddv_group"
            known = {"lds-read-pending": f"{NEXT_TILE}: {UNSEEN}"} if masked else {}
            yield grouped_backward_case(arch, name, 128, 256, masked=masked, known=known)


def grouped_backward_case(
    arch: str, name: str, width: int, columns: int, *, masked: str = "", known: Mapping[str, str] | None = None
) -> Case:
    """Two sequences one behind the other, two heads; `masked` is `top` or `bottom`, where the causal edge ends."""
    q_lengths, k_lengths, heads = (100, 200), (130, 270), 2
    scale = width**-0.5
    q_total, k_total = sum(q_lengths), sum(k_lengths)

    def data() -> Data:
        rng = np.random.default_rng(width)
        q, k, v, grad = (normal(rng, (count, heads, width), BF16) for count in (q_total, k_total, k_total, q_total))
        starts = [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32) for lengths in (q_lengths, k_lengths)]
        found: dict[str, list[Array]] = {name: [] for name in ("dQ", "dK", "dV", "LSE", "D")}
        for (begin, end), (first, last) in zip(*(pairwise(start) for start in starts), strict=True):
            exact_q, exact_k, exact_v, exact = (
                x.astype(np.float64).transpose(1, 0, 2)
                for x in (q[begin:end], k[first:last], v[first:last], grad[begin:end])
            )
            scores = exact_q @ exact_k.transpose(0, 2, 1) * scale
            if masked:
                edge = np.arange(end - begin)[:, None] + (last - first - end + begin) * (masked == "bottom")
                scores = np.where(np.arange(last - first) <= edge, scores, -np.inf)
            out, lse = softmax_product(scores, exact_v)
            weights = np.exp(scores - lse[..., None])
            delta = (out * exact).sum(axis=2)
            slopes = weights * (exact @ exact_v.transpose(0, 2, 1) - delta[..., None]) * scale
            found["dQ"].append(slopes @ exact_k)
            found["dK"].append((slopes.transpose(0, 2, 1) @ exact_q).transpose(1, 0, 2))
            found["dV"].append((weights.transpose(0, 2, 1) @ exact).transpose(1, 0, 2))
            found["LSE"].append(lse)
            found["D"].append(delta)
        sums = {name: np.concatenate(found[name], axis=1).astype(np.float32) for name in ("LSE", "D")}
        return Data(
            inputs={"Q": q, "K": k, "V": v, "dO": grad, **sums, "first rows": starts[0], "first keys": starts[1]},
            outputs={
                "dQ": np.zeros((heads, q_total, width), np.float32),
                "dK": np.zeros((k_total, heads, width), BF16),
                "dV": np.zeros((k_total, heads, width), BF16),
            },
            expected={
                "dQ": np.concatenate(found["dQ"], axis=1),
                "dK": np.concatenate(found["dK"]),
                "dV": np.concatenate(found["dV"]),
            },
        )

    head, row = 2 * width, 2 * heads * width
    tiles = -(-max(k_lengths) // columns)
    return Case(
        kind="fmha_v3_bwd",
        arch=arch,
        file=f"{arch}/fmha_v3_bwd/{name}.co",
        label=f"{'+'.join(map(str, q_lengths))} by {'+'.join(map(str, k_lengths))}",
        grid=(-(-tiles // 2) if masked else tiles, heads, len(q_lengths)),
        block=(256, 1, 1),
        data=data,
        args=[
            "dQ", "dK", "dV", "Q", "K", "V", "dO", "LSE", "D", scale, LOG2_E, q_total, columns * row, head, 0, row, 1,
            head, 0, row, row, k_total, width, width, heads, head, 0, row, head, 0, row, head, 0, head, 0, row,
            4 * q_total, "first rows", "first keys", "first rows", "first keys", max(q_lengths), 0, 0,
        ],
        tolerance=0.02,
        undefined=("dK", "dV"),
        known=known or {},
    )  # fmt: skip

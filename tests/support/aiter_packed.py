"""Cases of AITER's hand-written attention over 8 and fewer bits (fmha_v4_fwd), scaled by tensor or by blocks of 32."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from support.aiter import Case, Data
from support.aiter_attention import BF16, FP8, TIMING, normal, softmax_product
from support.aiter_gemm import FP4

__all__ = ["cases"]

HEAD = 128
BLOCK = 32
"""Elements that share an E8M0 scale."""


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there; there are no more for `every`."""
    for case in _all():
        if (hsa / case.file).is_file():
            yield case


def _all() -> Iterator[Case]:
    read = {"lds-read-pending": f"V is fetched over what other waves still read: {TIMING}"}
    early = {"hazard": "a product's result is another kind's C too early (LLVM pull request 218363)", **read}
    eight = FP8["gfx950"]
    yield tensor_case("gfx942", "MI300/fwd_hd128_i8fp8", np.dtype(np.int8))
    yield tensor_case("gfx950", "fwd_hd128_i8fp8", np.dtype(np.int8), known=read)
    yield tensor_case("gfx950", "fwd_hd128_fp8", eight, known=early)
    yield tensor_case("gfx950", "fwd_hd128_mxfp8", eight, blocks=True, known=early)
    yield four_bit_case("fwd_hd128_mxfp4", known=early)


def tensor_case(
    arch: str,
    name: str,
    dtype: np.dtype[Any],
    *,
    blocks: bool = False,
    known: Mapping[str, str] | None = None,
    order: str = "batch",
) -> Case:
    """Two heads, arrays [1, token, head, 128]; V is fp8.

    With `blocks` Q and K have E8M0 scales of 32, Q holds the softmax's scale and log2(e) too, and the scales of Q are
    read for whole tiles of 256 rows.
    """
    q_tokens, k_tokens, heads = 300, 333, 2
    scale = HEAD**-0.5
    factors = np.array((1.25 / 40, 0.75 / 40, 1.5) if dtype == np.int8 else (1.25, 0.75, 1.5), np.float32)

    def data() -> Data:
        rng = np.random.default_rng(HEAD)
        if dtype == np.int8:
            q, k = (
                np.clip(np.rint(rng.standard_normal((1, n, heads, HEAD)) * 40), -127, 127) for n in (q_tokens, k_tokens)
            )
        else:
            q, k = (normal(rng, (1, n, heads, HEAD), dtype) for n in (q_tokens, k_tokens))
        q, k = q.astype(dtype), k.astype(dtype)
        v = normal(rng, (1, k_tokens, heads, HEAD), FP8[arch])
        scales = [
            rng.integers(126, 129, (1, tokens, heads, HEAD // BLOCK)).astype(np.uint8)
            for tokens in (q_tokens, k_tokens)
        ]
        wide = [x.astype(np.float64) for x in (q, k)]
        if blocks:
            scales[0] -= 3
            wide = [
                x * np.repeat(2.0 ** (s.astype(np.float64) - 127), BLOCK, axis=3)
                for x, s in zip(wide, scales, strict=True)
            ]
            spare = scales[0][:, : -q_tokens % 256]
            inputs = {"Q scale": np.concatenate([scales[0], spare], axis=1), "K scale": scales[1]}
            by = np.log(2.0)
        else:
            inputs = {"Q scale": factors[:1], "K scale": factors[1:2]}
            by = scale * float(factors[0]) * float(factors[1])
        exact_q, exact_k, exact_v = (x.transpose(0, 2, 1, 3) for x in (*wide, v.astype(np.float64) * float(factors[2])))
        out, _ = softmax_product(exact_q @ exact_k.transpose(0, 1, 3, 2) * by, exact_v)
        return Data(
            inputs={"Q": q, "K": k, "V": v, "V scale": factors[2:], **inputs},
            outputs={"O": np.zeros((1, q_tokens, heads, HEAD), BF16)},
            expected={"O": out.transpose(0, 2, 1, 3)},
        )

    row = heads * HEAD
    strides = [q_tokens * heads * 4, 4, k_tokens * heads * 4, 4, 0, 0] if blocks else [0] * 6
    return Case(
        kind="fmha_v4_fwd",
        arch=arch,
        file=f"{arch}/fmha_v4_fwd/{name}.co",
        label=f"{q_tokens}x{k_tokens}",
        grid=(-(-q_tokens // 256), heads, 1),
        block=(512, 1, 1),
        data=data,
        args=[
            "O", "Q", "K", "V", None, scale, q_tokens, row, 256 * row, HEAD, q_tokens * row, 1, row, HEAD,
            k_tokens * row, 5, 0, k_tokens, HEAD, HEAD, heads, row, HEAD, k_tokens * row, 2 * row,
            2 * HEAD, 2 * q_tokens * row, None, None, 0, None, None, "Q scale", "K scale", "V scale", *strides,
        ],
        tolerance=0.1,
        undefined=("O",),
        known=known or {},
        order=order,
    )  # fmt: skip


def four_bit_case(name: str, known: Mapping[str, str] | None = None, order: str = "batch") -> Case:
    """Q and K in FP4 with E8M0 scales of 32 (Q holds the softmax's scale and log2(e)), V in fp8 with a scale a channel.

    K comes in tiles of 128 keys, of these the first 32 elements one behind the other, then the next; its scales are
    read for whole tiles. The kernel drops weights below 2^-7 of a row's largest, so that scores here are close.
    """
    q_tokens, k_tokens, heads = 300, 333, 2
    tiles = -(-k_tokens // 128)

    def data() -> Data:
        rng = np.random.default_rng(HEAD)
        codes, scales, wide = [], [], []
        for tokens, exponent in ((q_tokens, 121), (k_tokens, 125)):
            shape = (1, tokens, heads, HEAD)
            codes.append(rng.integers(0, 16, shape).astype(np.uint8))
            scales.append(rng.integers(exponent - 1, exponent + 2, (*shape[:3], HEAD // BLOCK)).astype(np.uint8))
            wide.append(FP4[codes[-1]] * np.repeat(2.0 ** (scales[-1].astype(np.float64) - 127), BLOCK, axis=3))
        q, k = (pair[..., ::2] | pair[..., 1::2] << 4 for pair in codes)
        padded = np.zeros((tiles * 128, heads, HEAD // 2), np.uint8)
        padded[:k_tokens] = k[0]
        v = normal(rng, (1, k_tokens, heads, HEAD), FP8["gfx950"])
        v_scale = rng.uniform(0.5, 1.5, (1, heads, HEAD)).astype(np.float32)
        exact_q, exact_k, exact_v = (
            x.transpose(0, 2, 1, 3) for x in (*wide, v.astype(np.float64) * v_scale[:, None].astype(np.float64))
        )
        out, _ = softmax_product(exact_q @ exact_k.transpose(0, 1, 3, 2) * np.log(2.0), exact_v)
        return Data(
            inputs={
                "Q": q,
                "K": np.ascontiguousarray(padded.reshape(tiles, 128, heads, 4, 16).transpose(2, 0, 3, 1, 4)),
                "V": v,
                "Q scale": np.concatenate([scales[0], scales[0][:, : -q_tokens % 256]], axis=1),
                "K scale": np.concatenate([scales[1], scales[1][:, : -k_tokens % 128 + 1]], axis=1),
                "V scale": v_scale,
            },
            outputs={"O": np.zeros((1, q_tokens, heads, HEAD), BF16)},
            expected={"O": out.transpose(0, 2, 1, 3)},
        )

    row, half, tile = heads * HEAD, HEAD // 2, tiles * 128 * HEAD // 2
    return Case(
        kind="fmha_v4_fwd",
        arch="gfx950",
        file=f"gfx950/fmha_v4_fwd/{name}.co",
        label=f"{q_tokens}x{k_tokens}",
        grid=(-(-q_tokens // 256), heads, 1),
        block=(512, 1, 1),
        data=data,
        args=[
            "O", "Q", "K", "V", None, HEAD**-0.5, q_tokens, row // 2, 128 * row, half, q_tokens * row // 2, 1, half,
            tile, heads * tile, 5, 0, k_tokens, HEAD, HEAD, heads, row, HEAD, k_tokens * row, 2 * row, 2 * HEAD,
            2 * q_tokens * row, None, None, 0, None, None, "Q scale", "K scale", "V scale",
            q_tokens * heads * 4, 4, k_tokens * heads * 4, 4, heads * HEAD * 4, HEAD * 4,
        ],
        tolerance=0.1,
        undefined=("O",),
        known=known or {},
        order=order,
    )  # fmt: skip

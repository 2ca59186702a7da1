"""Cases of AITER's hand-written attention, forward; and its top-k softmax."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from support.aiter import Array, Case, Data

__all__ = ["cases"]

BF16 = np.dtype(ml_dtypes.bfloat16)
F16 = np.dtype(np.float16)
FP8 = {"gfx942": np.dtype(ml_dtypes.float8_e4m3fnuz), "gfx950": np.dtype(ml_dtypes.float8_e4m3fn)}
LOG2_E = float(np.log2(np.e))

TIMING = "random landings give other numbers"
LATE = "late landings give other numbers"
ORDER = "another order of the waves gives other numbers"
UNSEEN = "read from the code, six runs at random timings give the same numbers"


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """A sample of cases whose code object is there; with `every` the other roundings and the MI308's objects too."""
    for case in _all(every=every):
        if (hsa / case.file).is_file():
            yield case


def _all(*, every: bool) -> Iterator[Case]:
    for arch in ("gfx942", "gfx950"):
        yield from _top_k(arch)
        yield from _forward(arch, every=every)
        yield from _groups(arch, every=every)


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    values: Array = rng.standard_normal(shape).astype(np.float32).astype(dtype)
    return values


def softmax_product(scores: Array, v: Array) -> tuple[Array, Array]:
    """Return softmax(scores [..., q, k]) v [..., k, d], and the natural logarithm of the sum of exponentials."""
    most = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - most)
    total = weights.sum(axis=-1, keepdims=True)
    return (weights / total) @ v, (most + np.log(total))[..., 0]


# ---- topksoftmax: the K largest of each row's softmax, one row a wave ------------------------------------------------


def _top_k(arch: str) -> Iterator[Case]:
    for rows, experts, k, tokens, dtype, renormalised in (
        (4, 128, 4, 18, np.dtype(np.float32), True),
        (4, 256, 8, 18, BF16, False),
        (4, 640, 8, 9, BF16, True),
        (12, 128, 6, 50, BF16, True),
        (12, 256, 8, 50, np.dtype(np.float32), False),
    ):
        yield top_k_case(arch, rows, experts, k, tokens, dtype, renormalised=renormalised)


def top_k_case(
    arch: str, rows: int, experts: int, k: int, tokens: int, dtype: np.dtype[Any], *, renormalised: bool
) -> Case:
    """Weights f32 and indices [tokens, k] of the k most likely experts; a workgroup has `rows` tokens."""

    def data() -> Data:
        logits = normal(np.random.default_rng(tokens * experts), (tokens, experts), dtype)
        exact = logits.astype(np.float64)
        chosen = np.argsort(-exact, axis=1, kind="stable")[:, :k]
        weights = np.exp(exact) / np.exp(exact).sum(axis=1, keepdims=True)
        weights = np.take_along_axis(weights, chosen, axis=1)
        return Data(
            inputs={"A": logits},
            outputs={"T": np.zeros((tokens, k), np.int32), "W": np.zeros((tokens, k), np.float32)},
            expected={"T": chosen, "W": weights / weights.sum(axis=1, keepdims=True) if renormalised else weights},
        )

    return Case(
        kind="topksoftmax",
        arch=arch,
        file=f"{arch}/topksoftmax/topksoftmax_{rows}x{experts}x{k}{'_bf16' if dtype == BF16 else ''}.co",
        label=f"{tokens} tokens{' renormalised' if renormalised else ''}",
        grid=(-(-tokens // rows), 1, 1),
        block=(256, 1, 1),
        data=data,
        args=["T", "W", "A", tokens, experts, k, int(renormalised), 4 * k],
        tolerance=1e-6,
        undefined=("T", "W"),
    )


# ---- fmha_v3_fwd: O = softmax(Q K^T / sqrt(d)) V, arrays [batch, token, head, d], causal from the end on -------------

NEXT_TILE = "no barrier between the workgroup's two tiles"


def _forward(arch: str, *, every: bool) -> Iterator[Case]:
    if arch == "gfx942":
        for chip in ("MI300", "MI308") if every else ("MI300",):
            for rounding in ("rtne", "rtna", "rtz") if every else ("rtne", "rtz"):
                for causal in (False, True):
                    name = f"{chip}/fwd_hd128_bf16_{'causal_' if causal else ''}{rounding}"
                    known = {"lds-read-pending": f"{NEXT_TILE}: {TIMING}"} if causal else {}
                    yield forward_case(arch, name, 128, causal=causal, known=known)
                    name = f"{chip}/fwd_hd192x128_bf16_{'causal_' if causal else ''}{rounding}"
                    yield forward_case(arch, name, 192, causal=causal)
            yield forward_case(arch, f"{chip}/fwd_hd128_fp8", 128)
            # Scales whose product is 1: this kernel applies them once more for its second tile.
            yield forward_case(
                arch,
                f"{chip}/fwd_hd128_fp8_causal",
                128,
                causal=True,
                scales=(2.0, 0.5, 1.5),
                known={"lds-read-pending": f"{NEXT_TILE}: {UNSEEN}"},
            )
        return
    yield forward_case(arch, "fwd_hd128_bf16", 128)
    yield forward_case(
        arch,
        "fwd_hd128_bf16_causal",
        128,
        causal=True,
        known=dict.fromkeys(("lds-read-pending", "lds-race", "lds-in-flight"), f"{NEXT_TILE}: {ORDER}"),
        order="lockstep",
    )
    for causal in (False, True):
        ending = "_causal" if causal else ""
        early = {"lds-read-pending": f"K is fetched over what other waves still read: {TIMING}"}
        yield forward_case(arch, f"fwd_hd192_hd128_bf16{ending}", 192, causal=causal, known=early)
        late = {
            "register-in-flight": f"each wait for V lets four reads too many fly: {TIMING}",
            "lds-read-pending": f"each wait for V lets four reads too many fly: {TIMING}",
        }
        yield forward_case(arch, f"fwd_hd128_fp8{ending}", 128, causal=causal, known=late, order="lockstep")
        # Half of the exponentials are a linear mantissa, up to 6 % off.
        yield forward_case(
            arch, f"fwd_hd256_fp8{ending}", 256, causal=causal, known=late, order="lockstep", lse_tolerance=0.03
        )


def forward_case(
    arch: str,
    name: str,
    width: int,
    *,
    causal: bool = False,
    scales: tuple[float, float, float] = (1.25, 0.75, 1.5),
    known: Mapping[str, str] | None = None,
    order: str = "batch",
    lse_tolerance: float = 1e-3,
) -> Case:
    """Two query heads on one or two of keys; `width` of Q and K, V has 256 where they have, else 128.

    A workgroup has 256 rows (128 where `width` is 192), of a causal kernel two such tiles one after the other.
    """
    q_tokens, k_tokens, q_heads, k_heads = (600, 600, 2, 2) if causal else (300, 333, 2, 1)
    fp8, v_width, rows = "fp8" in name, 256 if width == 256 else 128, 128 if width == 192 else 256
    scale = width**-0.5

    def data() -> Data:
        rng = np.random.default_rng(width + causal)
        dtype = FP8[arch] if fp8 else BF16
        q = normal(rng, (1, q_tokens, q_heads, width), dtype)
        k = normal(rng, (1, k_tokens, k_heads, width), dtype)
        v = normal(rng, (1, k_tokens, k_heads, v_width), dtype)
        share = q_heads // k_heads
        heads = [x.astype(np.float64).transpose(0, 2, 1, 3) for x in (q, k, v)]
        exact_k, exact_v = (np.repeat(x, share, axis=1) for x in heads[1:])
        scores = heads[0] @ exact_k.transpose(0, 1, 3, 2) * scale
        factors = np.array(scales, np.float32)
        if fp8:
            scores *= factors[0] * factors[1]
        if causal:
            last = np.arange(q_tokens)[:, None] + k_tokens - q_tokens
            scores = np.where(np.arange(k_tokens) <= last, scores, -np.inf)
        out, lse = softmax_product(scores, exact_v * (factors[2] if fp8 else 1))
        return Data(
            inputs={"Q": q, "K": k, "V": v, **{f"{x} scale": factors[i : i + 1] for i, x in enumerate("QKV")}},
            outputs={
                "O": np.zeros((1, q_tokens, q_heads, v_width), BF16),
                "LSE": np.zeros((1, q_heads, q_tokens), np.float32),
            },
            expected={"O": out.transpose(0, 2, 1, 3), "LSE": lse},
            scale={"LSE": np.full(lse.shape, lse_tolerance / tolerance)},
        )

    size = 1 if fp8 else 2
    q_row, k_row = size * q_heads * width, size * k_heads * width
    v_row, o_row = size * k_heads * v_width, 2 * q_heads * v_width
    tiles = -(-q_tokens // rows)
    across = arch == "gfx942" and width == 192
    option = 0 if across else 3 if causal else 5
    tolerance = 0.1 if fp8 else 0.03 if "rtz" in name else 0.012
    return Case(
        kind="fmha_v3_fwd",
        arch=arch,
        file=f"{arch}/fmha_v3_fwd/{name}.co",
        label=f"{name.split('/')[0] + ' ' if '/' in name else ''}{q_tokens}x{k_tokens}",
        grid=(q_heads, tiles, 1) if across else (-(-tiles // (2 if causal else 1)), q_heads, 1),
        block=(256 if width == 192 else 512, 1, 1),
        data=data,
        args=[
            "O", "Q", "K", "V", "LSE", scale, q_tokens, q_row, rows * q_row, size * width, q_tokens * q_row,
            q_heads // k_heads, k_row, size * width, k_tokens * k_row, option, 1, k_tokens, width, v_width, q_heads,
            v_row, size * v_width, k_tokens * v_row, o_row, 2 * v_width, q_tokens * o_row, None, None, 4 * q_tokens,
            None, None, *(("Q scale", "K scale", "V scale") if fp8 else (None, None, None)), *[0] * 6,
        ],
        tolerance=tolerance,
        undefined=("O", "LSE"),
        known=known or {},
        order=order,
    )  # fmt: skip


def _groups(arch: str, *, every: bool) -> Iterator[Case]:
    early = {"lds-read-pending": f"K is fetched over what other waves still read: {UNSEEN}"}
    if arch == "gfx942":
        for chip in ("MI300", "MI308") if every else ("MI300",):
            for rounding in ("rtne", "rtna", "rtz") if every else ("rtne", "rtz"):
                for causal in (False, True):
                    ending = f"{'causal_' if causal else ''}{rounding}_group"
                    yield group_case(arch, f"{chip}/fwd_hd128_bf16_{ending}", 128, causal=causal, known=early)
                    yield group_case(arch, f"{chip}/fwd_hd192x128_bf16_{ending}", 192, causal=causal)
            yield group_case(arch, f"{chip}/fwd_hd128_fp8_group", 128, known=early)
            # As without groups, scales whose product is 1.
            name, ones = f"{chip}/fwd_hd128_fp8_causal_group", (2.0, 0.5, 1.5)
            yield group_case(arch, name, 128, causal=True, scales=ones, known=early)
        return
    over = {"lds-read-pending": f"K is fetched over what other waves still read: {TIMING}"}
    late = dict.fromkeys(
        ("register-in-flight", "lds-read-pending"), f"each wait for V lets four reads too many fly: {TIMING}"
    )
    next_tile = dict.fromkeys(("lds-read-pending", "lds-race"), f"{NEXT_TILE}: {UNSEEN}")
    for causal in (False, True):
        ending = "_causal_group" if causal else "_group"
        yield group_case(arch, f"fwd_hd128_bf16{ending}", 128, causal=causal, known=next_tile if causal else {})
        yield group_case(arch, f"fwd_hd192_hd128_bf16{ending}", 192, causal=causal, known=over)
        yield group_case(arch, f"fwd_hd128_fp8{ending}", 128, causal=causal, known=late)
        yield group_case(arch, f"fwd_hd256_fp8{ending}", 256, causal=causal, known=late, lse_tolerance=0.03)


def group_case(
    arch: str,
    name: str,
    width: int,
    *,
    causal: bool = False,
    scales: tuple[float, float, float] = (1.25, 0.75, 1.5),
    known: Mapping[str, str] | None = None,
    order: str = "batch",
    lse_tolerance: float = 1e-3,
) -> Case:
    """Three sequences one behind the other in arrays [token, head, d]; the kernel is given where each begins."""
    q_lengths, k_lengths = ((100, 520, 7), (100, 555, 7)) if causal else ((100, 300, 7), (33, 333, 210))
    q_heads, k_heads = 2, 1
    fp8, v_width, rows = "fp8" in name, 256 if width == 256 else 128, 128 if width == 192 else 256
    q_total, k_total = sum(q_lengths), sum(k_lengths)
    factors = np.array(scales if fp8 else (1, 1, 1), np.float32)
    scale = width**-0.5
    tolerance = 0.1 if fp8 else 0.03 if "rtz" in name else 0.012

    def data() -> Data:
        rng = np.random.default_rng(width + causal)
        dtype = FP8[arch] if fp8 else BF16
        q = normal(rng, (q_total, q_heads, width), dtype)
        k = normal(rng, (k_total, k_heads, width), dtype)
        v = normal(rng, (k_total, k_heads, v_width), dtype)
        starts = [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32) for lengths in (q_lengths, k_lengths)]
        outs, sums = [], []
        for (q_begin, q_end), (k_begin, k_end) in zip(*(pairwise(start) for start in starts), strict=True):
            exact_q, exact_k, exact_v = (
                x.astype(np.float64).transpose(1, 0, 2) for x in (q[q_begin:q_end], k[k_begin:k_end], v[k_begin:k_end])
            )
            scores = exact_q @ exact_k.transpose(0, 2, 1) * (scale * float(factors[0] * factors[1]))
            if causal:
                last = np.arange(q_end - q_begin)[:, None] + (k_end - k_begin) - (q_end - q_begin)
                scores = np.where(np.arange(k_end - k_begin) <= last, scores, -np.inf)
            out, lse = softmax_product(scores, exact_v * float(factors[2]))
            outs.append(out.transpose(1, 0, 2))
            sums.append(lse)
        return Data(
            inputs={
                "Q": q, "K": k, "V": v, "first rows": starts[0], "first keys": starts[1],
                **{f"{x} scale": factors[i : i + 1] for i, x in enumerate("QKV")},
            },
            outputs={
                "O": np.zeros((q_total, q_heads, v_width), BF16),
                "LSE": np.zeros((q_heads, q_total), np.float32),
            },
            expected={"O": np.concatenate(outs), "LSE": np.concatenate(sums, axis=1)},
            scale={"LSE": np.full((q_heads, q_total), lse_tolerance / tolerance)},
        )  # fmt: skip

    size = 1 if fp8 else 2
    q_row, k_row = size * q_heads * width, size * k_heads * width
    v_row, o_row = size * k_heads * v_width, 2 * q_heads * v_width
    tiles = -(-max(q_lengths) // rows)
    alone = arch == "gfx942" and width == 192
    return Case(
        kind="fmha_v3_fwd",
        arch=arch,
        file=f"{arch}/fmha_v3_fwd/{name}.co",
        label=f"{name.split('/')[0] + ' ' if '/' in name else ''}{'+'.join(map(str, q_lengths))}",
        grid=(q_heads, len(q_lengths), -(-tiles // (2 if causal and not alone else 1))),
        block=(256 if width == 192 else 512, 1, 1),
        data=data,
        args=[
            "O", "Q", "K", "V", "LSE", scale, max(q_lengths), q_row, rows * q_row, size * width, 0,
            q_heads // k_heads, k_row, size * width, 0, 0 if alone else 3 if causal else 5, 1, max(k_lengths), width,
            v_width, q_heads, v_row, size * v_width, 0, o_row, 2 * v_width, 0, "first rows", "first keys", 4 * q_total,
            "first rows", "first keys", *(("Q scale", "K scale", "V scale") if fp8 else (None, None, None)), *[0] * 6,
        ],
        tolerance=tolerance,
        undefined=("O", "LSE"),
        known=known or {},
        order=order,
    )  # fmt: skip

"""Cases of AITER's hand-written decode: attention of new tokens over paged keys, and over latent (MLA) ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from support.aiter import Array, Case, Data
from support.aiter_attention import BF16, F16, FP8, LATE, LOG2_E, TIMING, normal, softmax_product

__all__ = ["cases"]


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there; there are no more for `every`."""
    for arch in ("gfx942", "gfx950"):
        for case in (*_paged(arch), *_latent(arch)):
            if (hsa / case.file).is_file():
                yield case


# ---- pa: attention of one or two new tokens over pages of 16 keys ----------------------------------------------------

PAGE, HEAD = 16, 128


def _paged(arch: str) -> Iterator[Case]:
    early = {"register-in-flight": f"the wait for page numbers lets one load too many fly: {TIMING}"}
    loose = {"register-in-flight": f"s_waitcnt vmcnt(0) where lgkmcnt(0) is wanted: {TIMING}"}
    for name, group, tokens, known in (
        ("pa_bf16_noquant_gqa8_1tg_4w", 8, 1, early),
        ("pa_fp16_noquant_gqa8_1tg_4w", 8, 1, early),
        ("pa_bf16_noquant_gqa16_1tg_4w", 16, 1, early),
        ("pa_bf16_noquant_gqa8_1tg_4w_mtp_msk1", 8, 2, early),
        ("pa_bf16_pertokenFp8_gqa8_2tg_4w", 8, 1, {}),
        ("pa_bf16_pertokenFp8_gqa8_2tg_4w_hp", 8, 1, {}),
        ("pa_bf16_pertokenFp8_gqa8_2tg_4w_uhp", 8, 1, {}),
        ("pa_bf16_pertokenFp8_gqa8_1tg_4w_mtp_msk1", 8, 2, {}),
        ("pa_bf16_pertokenFp8_gqa16_2tg_4w", 16, 1, loose),
        ("pa_bf16_pertokenInt8_gqa8_2tg_4w", 8, 1, {}),
        ("pa_fp16_pertokenInt8_gqa16_2tg_4w", 16, 1, loose),
    ):
        yield paged_case(arch, name, group, tokens, known)


def _quantised(values: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return values [..., d] in an 8-bit type with a scale f32 [..., 1] of each row."""
    exact = values.astype(np.float32)
    most = 127.0 if dtype == np.int8 else float(ml_dtypes.finfo(dtype).max)
    scale = np.abs(exact).max(axis=-1, keepdims=True) / np.float32(most)
    scaled = exact / scale
    return (np.rint(scaled) if dtype == np.int8 else scaled).astype(dtype), scale


def paged_case(arch: str, name: str, group: int, tokens: int, known: Mapping[str, str]) -> Case:
    """Three sequences of 37, 700 and 5 keys, two heads of keys, `group` query heads each."""
    lengths, heads = (37, 700, 5), 2
    wide = F16 if "fp16" in name else BF16
    narrow = FP8[arch] if "Fp8" in name else np.dtype(np.int8) if "Int8" in name else wide
    most = -(-max(lengths) // PAGE) + 1
    pages = most * len(lengths) + 3
    block = 16 // narrow.itemsize

    def data() -> Data:
        rng = np.random.default_rng(group + tokens)
        q = normal(rng, (len(lengths) * tokens, heads * group, HEAD), wide)
        keys, values = (normal(rng, (pages, heads, PAGE, HEAD), wide) for _ in "KV")
        k_scale = v_scale = np.ones((pages, heads, PAGE, 1), np.float32)
        if narrow != wide:
            (keys, k_scale), (values, v_scale) = _quantised(keys, narrow), _quantised(values, narrow)
        table = rng.permutation(pages)[: most * len(lengths)].reshape(len(lengths), most).astype(np.int32)
        exact_k, exact_v = keys.astype(np.float64) * k_scale, values.astype(np.float64) * v_scale
        out, terms = np.zeros(q.shape), np.zeros(q.shape)
        for number, length in enumerate(lengths):
            k, v = (x[table[number]].transpose(1, 0, 2, 3).reshape(heads, -1, HEAD) for x in (exact_k, exact_v))
            for token in range(tokens):
                row, seen = number * tokens + token, length - tokens + 1 + token
                scores = q[row].astype(np.float64).reshape(heads, group, HEAD) @ k[:, :seen].transpose(0, 2, 1)
                for sums, of in ((out, v), (terms, np.abs(v))):
                    sums[row] = softmax_product(scores / HEAD**0.5, of[:, :seen])[0].reshape(-1, HEAD)
        return Data(
            inputs={
                "Q": q,
                "K": np.ascontiguousarray(
                    keys.reshape(pages, heads, PAGE, HEAD // block, block).transpose(0, 1, 3, 2, 4)
                ),
                "V": np.ascontiguousarray(
                    values.reshape(pages, heads, PAGE // block, block, HEAD).transpose(0, 1, 2, 4, 3)
                ),
                "table": table,
                "lengths": np.array(lengths, np.int32),
                "K scales": k_scale,
                "V scales": v_scale,
                "first rows": np.arange(len(lengths) + 1, dtype=np.int32) * tokens,
            },
            outputs={"O": np.zeros(q.shape, wide)},
            expected={"O": out},
            scale={"O": terms},
        )

    page_bytes = heads * PAGE * HEAD * narrow.itemsize
    scales = ("K scales", "V scales") if narrow != wide else (None, None)
    return Case(
        kind="pa",
        arch=arch,
        file=f"{arch}/pa/{name}.co",
        label=f"{'+'.join(map(str, lengths))} keys, {tokens} new",
        grid=(heads, len(lengths), 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "O", "Q", "K", "V", "table", "lengths", *scales, LOG2_E / HEAD**0.5, most, heads,
            heads * group * HEAD * wide.itemsize, page_bytes, page_bytes // heads, tokens - 1, group,
            "first rows" if tokens > 1 else None,
        ],
        # Of 8 bits, the query and the probabilities are rounded too, each by up to 2^-4 of itself.
        tolerance=2.0**-7 if narrow == wide else 2 * 2.0**-4,
        undefined=("O",),
        known=known,
    )  # fmt: skip


# ---- mla: latent attention, keys [576] whose first 512 are the values, partial results of shares of the keys ---------

LATENT, ROPE = 512, 64

_EARLY = {"register-in-flight": f"the wait for page numbers lets one load too many fly: {TIMING}"}
_COUNTED = {
    "lds-race": "lgkmcnt(8) before the barrier lets four of the LDS writes in front of four reads fly, by count"
}
_PAGES = {"register-in-flight": f"a page number is used that no wait covers: {LATE}"}
_LOOSE = dict.fromkeys(
    ("register-in-flight", "lds-read-pending", "lds-in-flight", "lds-race"),
    f"waits and barriers around the keys in LDS are missing: {TIMING}",
)
_QUERIES = {
    "lds-read-pending": f"keys are fetched over queries that other waves still read: {LATE}",
    "register-in-flight": f"the last wait for values lets reads fly: {LATE}",
}
_OVER = {"lds-read-pending": f"keys are fetched over what other waves still read: {TIMING}"}


_LATENT: tuple[tuple[str, int, int, int, dict[str, Any]], ...] = (
    ("mla_dec_stage1_bf16_a16w16_subQ16_mqa16", 16, 1, 16, {"known": _COUNTED}),
    ("mla_a16w16_qh8_qseqlen1_gqaratio8_v3", 8, 1, 8, {"known": _COUNTED}),
    ("mla_a16w16_qh8_qseqlen2_gqaratio8", 8, 2, 16, {"spare": 1, "known": _LOOSE, "order": "lockstep"}),
    ("mla_a16w16_qh8_qseqlen2_gqaratio8_causal", 8, 2, 16, {"spare": 1, "known": _LOOSE, "order": "lockstep"}),
    ("mla_a16w16_qh16_m16x4_n16x1_coex0_mask1", 16, 4, 128, {"known": _EARLY}),
    ("mla_a16w16_qh16_m32x4_n16x1_coex0_mask1", 16, 6, 128, {"known": _EARLY}),
    # These two mask nothing: they are for one new token.
    ("MLA_A16W16_1TG_4W_32mx1_16nx1_Coex0_Msk1_QH16", 32, 1, 64, {"known": _PAGES}),
    ("MLA_A16W16_1TG_4W_64mx1_16nx1_Coex0_Msk1_QH16", 64, 1, 64, {"known": _PAGES}),
    ("MLA_A16W16_1TG_4W_16mx4_32nx1_Coex0_Msk1_QH16", 32, 2, 64, {"known": _LOOSE, "order": "lockstep"}),
    ("mla_a16w16_qh64_qseqlen1_gqaratio64_v3", 64, 1, 64, {"known": _LOOSE, "order": "lockstep"}),
    ("mla_dec_stage1_bf16_a16w16_subQ128_mqa128", 128, 1, 128, {"known": _EARLY}),
    ("mla_a8w8_qh8_qseqlen1_gqaratio8_v3", 8, 1, 8, {"known": _LOOSE, "order": "lockstep"}),
    ("mla_a8w8_qh128_m32x4_n16x2_msk0", 128, 1, 128, {"known": {**_EARLY, **_OVER}}),
    ("mla_a8w8_qh128_m32x4_n16x2_msk1", 128, 1, 128, {"known": {**_EARLY, **_OVER}}),
)

_ALONE = (
    "mla_a16w16_qh16_m16x4_n16x1_coex0_mask1",
    "mla_dec_stage1_bf16_a16w16_subQ128_mqa128",
    "mla_a8w8_qh128_m32x4_n16x2_msk1",
)
"""Launched with one share too, the result in bf16."""


def _latent(arch: str) -> Iterator[Case]:
    for name, heads, tokens, rows, more in _LATENT:
        yield latent_case(arch, name, heads, tokens, rows, **more)
        if name in _ALONE:
            yield latent_case(arch, name, heads, tokens, rows, shares=1, **more)
    racy, fewer = _racy(arch), _racy("gfx942")
    for name, heads, tokens, rows, more in (
        ("mla_a8w8_qh16_qseqlen1_gqaratio16", 16, 1, 128, {"known": racy, "order": "lockstep"}),
        ("mla_a8w8_qh16_qseqlen1_gqaratio16_msk0", 16, 1, 128, {"known": racy, "order": "lockstep"}),
        ("mla_a8w8_qh16_qseqlen2_gqaratio16", 16, 2, 128, {"known": fewer, "order": "lockstep"}),
    ):
        yield latent_case(arch, name, heads, tokens, rows, **more)
    if arch == "gfx942":
        yield latent_case(arch, "mla_a8w8_qh64_qseqlen4_gqaratio16", 16, 4, 64, known=_LOOSE, order="lockstep")
        # Its result is not multiplied by the scale of the keys, and it reads 32 bytes past them.
        yield latent_case(arch, "mla_a8w8_qh8_qseqlen1_gqaratio8_v1", 8, 1, 8, scales=(1.25, 1.0), spare=1)
    else:
        # Made for another order of the arguments, and for one share. With more than 192 keys two waves also load a
        # part of the next keys over values that they have yet to multiply: right only where LDS is late.
        for name in ("mla_a8w8_qh64_qseqlen4_gqaratio16", "mla_a8w8_qh64_qseqlen4_gqaratio16_msk0"):
            yield latent_case(arch, name, 16, 4, 64, lengths=(130, 190), shares=1, mark=15, known=_QUERIES)


def _racy(arch: str) -> dict[str, str]:
    rules = ["lds-read-pending", "lds-race", "lds-in-flight"]
    if arch == "gfx950":
        rules += ["register-in-flight", "global-race"]
    return dict.fromkeys(rules, f"two pairs of waves go on without a barrier: {TIMING}")


def latent_case(
    arch: str,
    name: str,
    heads: int,
    tokens: int,
    rows: int,
    *,
    lengths: tuple[int, ...] = (130, 333),
    shares: int = 2,
    scales: tuple[float, float] = (1.25, 0.75),
    spare: int = 0,
    mark: int = 18,
    known: Mapping[str, str] | None = None,
    order: str = "batch",
) -> Case:
    """A sequence of each length, in `shares` of its keys, `tokens` new ones; a workgroup has `rows` pairs of both.

    With one share the result is written in bf16 and needs no second kernel: 1 as argument number `mark` says so. Behind
    queries and keys are `spare` rows.
    """
    fp8, seen_all = "a8w8" in name, "msk0" in name or name.endswith("seqlen2_gqaratio8")
    dtype = FP8[arch] if fp8 else BF16
    width = LATENT + ROPE
    q_scale, k_scale = scales if fp8 else (1.0, 1.0)
    scale = width**-0.5
    total = len(lengths) * tokens

    def data() -> Data:
        rng = np.random.default_rng(heads + tokens)
        q = normal(rng, (total, heads, width), dtype)
        pages = sum(lengths) + 7
        keys = normal(rng, (pages, width), dtype)
        first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        order = rng.permutation(pages)[: first[-1]].astype(np.int32)
        outs, sums = [], []
        for number, (begin, end) in enumerate(pairwise(first)):
            k = keys[order[begin:end]].astype(np.float64) * k_scale
            mine = q[number * tokens : (number + 1) * tokens].astype(np.float64).transpose(1, 0, 2)
            scores = mine @ k.T * (scale * q_scale)
            seen = np.arange(len(k)) <= np.arange(tokens)[:, None] + len(k) - tokens
            out, lse = softmax_product(np.where(seen | seen_all, scores, -np.inf), k[:, :LATENT])
            outs.append(out.transpose(1, 0, 2))
            sums.append(lse.T)
        expected = {"O": np.concatenate(outs), "LSE": np.concatenate(sums)}
        outputs = {
            "parts": np.zeros((total, shares, heads, LATENT), np.float32 if shares > 1 else BF16),
            "sums": np.zeros((total, shares, heads, 1), np.float32),
        }
        return Data(
            inputs={
                "Q": np.concatenate([q, q[:spare]]),
                "keys": np.concatenate([keys, keys[:spare]]),
                "first keys": first,
                "pages": order,
                "last page": np.ones(len(lengths), np.int32),
                "first rows": np.arange(len(lengths) + 1, dtype=np.int32) * tokens,
                "first shares": np.arange(len(lengths) + 1, dtype=np.int32) * shares,
                "Q scale": np.array([q_scale], np.float32),
                "K scale": np.array([k_scale], np.float32),
            },
            outputs=outputs,
            expected=expected if shares > 1 else {"parts": expected["O"][:, None]},
            made=_merged if shares > 1 else dict,
        )

    flat = "qh8_qseqlen2" in name
    args: list[str | int | float | None] = [
        "parts", "sums", "Q", "keys", "first keys", "pages", "last page", scale,
        heads if flat else heads * tokens, shares,
        heads * width * dtype.itemsize * tokens, width * dtype.itemsize, 0, "first rows", "first shares", None,
        *(("Q scale", "K scale") if fp8 else (None, None)), 0, None, None, 1, 0,
    ]  # fmt: skip
    if shares == 1:
        args[mark] = 1
    return Case(
        kind="mla",
        arch=arch,
        file=f"{arch}/mla/{name}.co",
        label=f"{'+'.join(map(str, lengths))} keys in {shares} shares, {tokens} new",
        grid=(-(-heads * tokens // rows), len(lengths), shares),
        block=(256, 1, 1),
        data=data,
        args=args,
        tolerance=0.02 if fp8 else 0.002 if shares > 1 else 0.006,
        undefined=("parts", "sums"),
        known=known or {},
        order=order,
    )


def _merged(outputs: Mapping[str, Array]) -> dict[str, Array]:
    """Put shares together as AITER's second kernel does: weights are their sums of exponentials."""
    parts, sums = outputs["parts"].astype(np.float64), outputs["sums"].astype(np.float64)
    most = sums.max(axis=1, keepdims=True)
    weights = np.exp(sums - most)
    total = weights.sum(axis=1, keepdims=True)
    return {"O": (parts * (weights / total)).sum(axis=1), "LSE": (most + np.log(total))[:, 0, :, 0]}

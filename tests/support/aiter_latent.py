"""Cases of AITER's hand-written latent (MLA) attention: decode, with persistent workgroups or without, and prefill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from support.aiter import Array, Case, Data
from support.aiter_attention import BF16, FP8, LATE, TIMING, normal, softmax_product

__all__ = ["cases"]


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there; with `every` all forms of the persistent kernels."""
    for arch in ("gfx942", "gfx950"):
        persistent = sorted(path.stem for path in (hsa / arch / "mla").glob("*_ps.co"))
        for case in (*_latent(arch), *_persistent(arch, persistent, every=every)):
            if (hsa / case.file).is_file():
                yield case


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
    for heads in (16, 128):
        yield prefill_case(arch, heads, known=_PAGES)
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
        inputs, expected = _latent_arrays(
            rng, dtype, heads, (tokens,) * len(lengths), lengths, (q_scale, k_scale), seen_all=seen_all, spare=spare
        )
        inputs["first shares"] = np.arange(len(lengths) + 1, dtype=np.int32) * shares
        outputs = {
            "parts": np.zeros((total, shares, heads, LATENT), np.float32 if shares > 1 else BF16),
            "sums": np.zeros((total, shares, heads, 1), np.float32),
        }
        return Data(
            inputs=inputs,
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


def _latent_arrays(
    rng: np.random.Generator,
    dtype: np.dtype[Any],
    heads: int,
    q_lengths: tuple[int, ...],
    k_lengths: tuple[int, ...],
    scales: tuple[float, float],
    *,
    seen_all: bool = False,
    spare: int = 0,
    k_type: np.dtype[Any] | None = None,
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return queries, paged keys and where sequences begin; the result and its logarithms of sums [token, head]."""
    width = LATENT + ROPE
    q_scale, k_scale = scales
    q = normal(rng, (sum(q_lengths), heads, width), dtype)
    pages = sum(k_lengths) + 7
    keys = normal(rng, (pages, width), k_type or dtype)
    rows, first = (np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32) for lengths in (q_lengths, k_lengths))
    order = rng.permutation(pages)[: first[-1]].astype(np.int32)
    outs, sums = [], []
    for (q_begin, q_end), (begin, end) in zip(pairwise(rows), pairwise(first), strict=True):
        k = keys[order[begin:end]].astype(np.float64) * k_scale
        mine = q[q_begin:q_end].astype(np.float64).transpose(1, 0, 2)
        scores = mine @ k.T * (width**-0.5 * q_scale)
        tokens = q_end - q_begin
        seen = np.arange(len(k)) <= np.arange(tokens)[:, None] + len(k) - tokens
        out, lse = softmax_product(np.where(seen | seen_all, scores, -np.inf), k[:, :LATENT])
        outs.append(out.transpose(1, 0, 2))
        sums.append(lse.T)
    inputs: dict[str, Array] = {
        "Q": np.concatenate([q, q[:spare]]),
        "keys": np.concatenate([keys, keys[:spare]]),
        "first keys": first,
        "pages": order,
        "last page": np.ones(len(k_lengths), np.int32),
        "first rows": rows,
        "Q scale": np.array([q_scale], np.float32),
        "K scale": np.array([k_scale], np.float32),
    }
    return inputs, {"O": np.concatenate(outs), "LSE": np.concatenate(sums)}


_PERSISTENT: tuple[tuple[str, int, int, dict[str, Any]], ...] = (
    ("a16w16_qh16_m16x4", 16, 4, {"known": _EARLY}),
    ("a16w8_qh16_m16x4", 16, 4, {"known": _LOOSE}),
    ("subQ16", 8, 2, {"known": _COUNTED}),
    ("qh32_qseqlen4_gqaratio32", 32, 4, {"rows": 32}),
    ("qh64_qseqlen1_gqaratio64", 64, 1, {}),
    ("a8w8_qh128", 128, 1, {}),
    ("a8w8_qh16_qseqlen1", 16, 1, {}),
    ("a8w8_qh16_qseqlen2", 16, 2, {}),
    ("a8w8_qh32_qseqlen1", 32, 1, {}),
    ("gqaratio8", 8, 4, {}),
    # As without persistent workgroups: its result is not multiplied by the scale of the keys.
    ("a8w8_qh64_qseqlen4", 16, 4, {"scales": (1.25, 1.0)}),
    # As without: shares of more than 192 keys go wrong, unless the LDS is slow.
    ("a8w8_qh16_qseqlen4_gqaratio16_v3", 16, 4, {"rows": 16, "longest": 190}),
    ("a8w8_qh16_qseqlen4_gqaratio16_lse_v3", 16, 4, {"rows": 16, "longest": 190}),
    ("a8w8_qh16_qseqlen4_gqaratio16_cprr_v3", 16, 4, {"rows": 16, "longest": 190}),
    ("a8w8_qh16_qseqlen4_gqaratio16_lse_cprr_v3", 16, 4, {"rows": 16, "longest": 190}),
    ("a8w8_qh16_qseqlen4_gqaratio16_msk0_", 16, 4, {"rows": 16, "longest": 190}),
)
"""Parts of names, heads and new tokens."""


def _persistent(arch: str, names: list[str], *, every: bool) -> Iterator[Case]:
    """Cases of those that AITER's table names; `_lse` gives the sums too, `_cprr` is for keys dealt to several GPUs.

    gfx950's for 32 heads and one token writes no sums in its form `_lse` either.
    """
    loose = {**_LOOSE, "register-overwritten": _LOOSE["lds-race"]}
    for name in names:
        form = next((one for one in _PERSISTENT if one[0] in name), None)
        plain = not any(part in name for part in ("_lse", "_cprr", "_msk0_"))
        if form is None or name.endswith("gqaratio16_msk0_ps") or not (plain or every or "qh128" in name):
            continue
        _, heads, tokens, more = form
        yield persistent_case(arch, name, heads, tokens, **{"known": loose, "order": "lockstep", **more})


def persistent_case(
    arch: str,
    name: str,
    heads: int,
    tokens: int,
    *,
    rows: int = 0,
    longest: int = 333,
    scales: tuple[float, float] = (1.25, 0.75),
    known: Mapping[str, str] | None = None,
    order: str = "batch",
) -> Case:
    """Two workgroups with a list of works: sequences of 130 and 70 keys whole, a longer one in two shares.

    Whole sequences go to the result in bf16, shares to partial ones in f32. `rows` is what the kernel is told to be the
    queries of a sequence, by default all.
    """
    lengths = (130, longest, 70)
    cut = longest * 2 // 3 // 64 * 64
    fp8 = "a8w8" in name
    q_type, k_type = (FP8[arch] if fp8 else BF16), (FP8[arch] if "w8" in name else BF16)
    q_scale, k_scale = (scales[0] if fp8 else 1.0), (scales[1] if "w8" in name else 1.0)
    width = LATENT + ROPE
    with_sums = "_lse" in name and "qh32_qseqlen1" not in name

    def data() -> Data:
        rng = np.random.default_rng(heads + tokens)
        inputs, expected = _latent_arrays(
            rng, q_type, heads, (tokens,) * 3, lengths, (q_scale, k_scale), seen_all="msk0" in name, k_type=k_type
        )
        middle, end = 130 + cut, 130 + longest
        works = (
            (0, -1, 0, 130, 0),
            (1, 0, 130, middle, longest - cut),
            (1, tokens, middle, end, 0),
            (2, -1, end, end + 70, 0),
        )
        inputs["works"] = np.array(
            [(q, loc, q * tokens, (q + 1) * tokens, begin, stop, left, 0) for q, loc, begin, stop, left in works],
            np.int32,
        )
        inputs["first works"] = np.array([0, 2, 4], np.int32)
        whole = [row for row in range(3 * tokens) if not tokens <= row < 2 * tokens]

        def merged(outputs: Mapping[str, Array]) -> dict[str, Array]:
            shares = {
                key: outputs[key].reshape(2, tokens, heads, -1).swapaxes(0, 1).astype(np.float64)
                for key in ("parts", "sums")
            }
            both = _merged(shares)
            return {
                "shared O": both["O"],
                "shared LSE": both["LSE"],
                "whole O": outputs["O"][whole].astype(np.float64),
                "whole LSE": outputs["LSE"][whole],
            }

        return Data(
            inputs=inputs,
            outputs={
                "O": np.zeros((3 * tokens, heads, LATENT), BF16),
                "LSE": np.zeros((3 * tokens, heads), np.float32),
                "parts": np.zeros((2 * tokens, heads, LATENT), np.float32),
                "sums": np.zeros((2 * tokens, heads), np.float32),
            },
            expected={
                "shared O": expected["O"][tokens : 2 * tokens],
                "shared LSE": expected["LSE"][tokens : 2 * tokens],
                "whole O": expected["O"][whole],
                **({"whole LSE": expected["LSE"][whole]} if with_sums else {}),
            },
            made=merged,
            tables={"table": ("first works", "works")},
        )

    return Case(
        kind="mla",
        arch=arch,
        file=f"{arch}/mla/{name}.co",
        label=f"{'+'.join(map(str, lengths))} keys, {heads} heads, {tokens} new",
        grid=(2, 1, 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "parts", "sums", "Q", "keys", "first keys", "pages", "last page", width**-0.5, rows or heads * tokens, 1,
            heads * width * q_type.itemsize * tokens, width * k_type.itemsize, 0, "first rows", "table", "O",
            "Q scale" if fp8 else None, "K scale" if "w8" in name else None, 1, "LSE" if with_sums else None,
            "first keys" if "cprr" in name else None, 1, 0,
        ],
        tolerance=0.025 if "w8" in name else 0.006,
        undefined=("O", "LSE", "parts", "sums"),
        known=known or {},
        order=order,
    )  # fmt: skip


def prefill_case(arch: str, heads: int, known: Mapping[str, str] | None = None, order: str = "batch") -> Case:
    """Two sequences of a few new tokens behind older ones, causal, the result in bf16; no sums."""
    q_lengths, k_lengths = (40, 9) if heads == 16 else (7, 3), (70, 209)
    width = LATENT + ROPE
    total = sum(q_lengths)

    def data() -> Data:
        rng = np.random.default_rng(heads)
        inputs, expected = _latent_arrays(rng, BF16, heads, q_lengths, k_lengths, (1.0, 1.0))
        return Data(
            inputs=inputs,
            outputs={
                "O": np.zeros((total, heads, LATENT), BF16),
                "LSE": np.zeros((total, heads), np.float32),
            },
            expected={"O": expected["O"]},
        )

    return Case(
        kind="mla",
        arch=arch,
        file=f"{arch}/mla/mla_pfl_bf16_a16w16_causal_subQ{heads}_mqa{heads}.co",
        label=f"{'+'.join(map(str, q_lengths))} of {'+'.join(map(str, k_lengths))}",
        grid=(-(-max(q_lengths) * heads // 128), len(q_lengths), 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "O", "LSE", "Q", "keys", "first keys", "pages", "last page", width**-0.5, heads, 1, 2 * heads * width,
            2 * width, 0, "first rows",
        ],
        tolerance=0.006,
        undefined=("O", "LSE"),
        known=known or {},
        order=order,
    )  # fmt: skip


def _merged(outputs: Mapping[str, Array]) -> dict[str, Array]:
    """Put shares together as AITER's second kernel does: weights are their sums of exponentials."""
    parts, sums = outputs["parts"].astype(np.float64), outputs["sums"].astype(np.float64)
    most = sums.max(axis=1, keepdims=True)
    weights = np.exp(sums - most)
    total = weights.sum(axis=1, keepdims=True)
    return {"O": (parts * (weights / total)).sum(axis=1), "LSE": (most + np.log(total))[:, 0, :, 0]}

"""Cases of AITER's hand-written decode over paged keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from support.aiter import Array, Case, Data
from support.aiter_attention import BF16, F16, FP8, LOG2_E, TIMING, normal, softmax_product

__all__ = ["cases"]


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there; there are no more for `every`."""
    for arch in ("gfx942", "gfx950"):
        for case in _paged(arch):
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

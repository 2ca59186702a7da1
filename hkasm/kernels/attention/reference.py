"""The right answer of attention in float64, how far off an answer may be, and scores that are hard to get right."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import numpy.typing as npt

from hkasm.kernels.kernel import Array

Floats = npt.NDArray[np.float64]

F32_STEP = 2.0**-23
LOG2E = float(np.log2(np.e))
LATE = 20.0
"""Log2 units by which the row maximum grows from one step of the ``late`` keys to the next."""
HUGE = 3.0e4
"""The scores of ``huge`` data, either sign."""
DATA = ("normal", "late", "dominant", "equal", "huge")
"""Kinds of inputs: N(0, 1), row maxima that grow late, one key above all, equal scores, scores of +-3e4."""
ARRAYS: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
BLANK = {"bf16": 0x7FE5, "f16": 0x7E55}
"""Bits of a NaN that no result has."""
UNIT = {"bf16": 2.0**-8, "f16": 2.0**-11}
TINY = {"bf16": 0.0, "f16": 2.0**-25}
"""Half the smallest step, which bounds the rounding of subnormal weights and results."""


class Answer(NamedTuple):
    """O [q, d] and LSE [q] of one head, and how far off each may be."""

    o: Floats
    lse: Floats
    o_off: Floats
    lse_off: Floats


def answer(
    q: Floats, k: Floats, v: Floats, visible: npt.NDArray[np.bool_], scale: float, dtype: str, *, rounded: bool = True
) -> Answer:
    """Return one head's answer for queries [q, d] and keys and values [kv, d] of elements `dtype`.

    A weight's relative error is E: its score's (d products added up in f32, the scale, one fma) and that of exp2. O
    adds to it one rounding of the weights and (where it is `rounded`) one of the result, and f32 sums over the keys;
    numerator and denominator count E once each. LSE's is the sum's and that of the maximum, which is as large as the
    scores.
    """
    c = scale * LOG2E
    scores = np.where(visible, q @ k.T * c, -np.inf)
    top = scores.max(axis=1, keepdims=True, initial=-np.inf)
    safe = np.where(np.isfinite(top), top, 0)
    weights = np.exp2(scores - safe)
    total = weights.sum(axis=1, keepdims=True)
    some = np.where(total > 0, total, 1)
    share = weights / some
    products = (q != 0).astype(np.float64) @ (k != 0).T
    apart = np.where(weights > 0, np.abs(scores - safe), 0)
    error = np.log(2) * F32_STEP * (c * np.maximum(products - 1, 0) * (np.abs(q) @ np.abs(k).T) + 3 * apart)
    error += 4 * F32_STEP
    unit, sums = UNIT[dtype], len(k) * F32_STEP
    off = (share * error).sum(axis=1, keepdims=True)
    o = share @ v
    spread = (share * (error + unit + sums)) @ np.abs(v) + (off + sums + 4 * F32_STEP + unit * rounded) * np.abs(o)
    spread += TINY[dtype] * (np.abs(v).sum(axis=0) / some + rounded)
    with np.errstate(divide="ignore"):
        lse = np.log(total[:, 0]) + safe[:, 0] * np.log(2)
    lse = np.where(total[:, 0] > 0, lse, -np.inf)
    lse_off = off[:, 0] + sums + 4 * F32_STEP * (np.abs(safe[:, 0]) + np.abs(np.where(total[:, 0] > 0, lse, 0)) + 1)
    return Answer(o, lse, spread, lse_off)


def shape_scores(data: str, scale: float, q: Array, k: Array, random: np.random.Generator) -> None:
    """Change queries and keys of a sequence, [heads, length, d], to what `data` says."""
    step, keys = LATE / (scale * LOG2E), k.shape[1]
    if data == "late":
        q[..., 0] = 1
        k[..., 0] = np.arange(keys) * 4 // max(keys, 4) * step
    elif data == "dominant" and keys:
        q[..., 0] = 1
        k[..., 0] = 0
        k[:, random.integers(keys), 0] = 3 * step
    elif data == "equal":
        k[:] = k[:, :1]
    elif data == "huge":
        side = np.sqrt(HUGE / scale)
        for one in (q, k):
            signs = np.where(random.random(one.shape[:-1]) < 0.5, -side, side)
            one[:] = 0
            one[..., 0] = signs

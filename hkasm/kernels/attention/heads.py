"""Arrays of heads in attention's and decode's problems: sizes, views, blanks, and which keys a query sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from hkasm.errors import UsageError
from hkasm.kernels.attention.declared import HEAD_STEP
from hkasm.kernels.attention.reference import ARRAYS, BLANK
from hkasm.kernels.kernel import Array, Comparison


def check_heads(hq: int, hkv: int, gap: int) -> None:
    """Refuse query heads that key heads do not divide, and gaps that move rows off 16 bytes. Raises UsageError."""
    if hq % hkv:
        raise UsageError(f"hq={hq}: no multiple of hkv={hkv}", hint="each key head serves as many heads")
    if gap % HEAD_STEP:
        raise UsageError(f"gap={gap}: no multiple of {HEAD_STEP}", hint="rows start at 16 bytes")


def score_scale(d: int) -> float:
    """Return what scores are multiplied by, 1 / sqrt(d) in f32."""
    return float(np.float32(d**-0.5))


def blank_array(size: int, dtype: str) -> Array:
    """Return a flat array of a NaN that no result has."""
    return np.full(size, BLANK[dtype], np.uint16).view(ARRAYS[dtype])


def view_part(flat: Array, first: int, shape: tuple[int, int, int], head: int, row: int) -> Array:
    """Return a view [heads, rows, d] of a flat array from element `first` on; `head` and `row` are strides."""
    step = flat.itemsize
    words = flat[first:].view(f"u{step}")
    found: Array = np.lib.stride_tricks.as_strided(words, shape, (step * head, step * row, step)).view(flat.dtype)
    return found


def visible_keys(mask: str, q: int, kv: int, window: int) -> npt.NDArray[np.bool_]:
    """Return which keys each query of a sequence sees, [q, kv]; the last query sees the last key."""
    key, own = np.arange(kv)[None, :], np.arange(q)[:, None] + kv - q
    if mask == "full":
        return np.ones((q, kv), bool)
    causal = key <= own
    return causal if mask == "causal" else causal & (key > own - window)


def check_between(o: Array, dtype: str, parts: Callable[[Array], Iterable[Array]]) -> Comparison:
    """Compare what lies between the rows of O with what lay there before; `parts` are views of all rows of an array."""
    left, blank = o.copy(), blank_array(o.size, dtype)
    for part in parts(left):
        part[:] = blank[0]
    wrong = int((left.view(np.uint16) != blank.view(np.uint16)).sum())
    return Comparison("between rows of O", 0.0, 0.0, float(wrong > 0), wrong, o.size, "unchanged", wrong == 0)

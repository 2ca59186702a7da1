"""What attention is declared for: element types, head sizes, masks, and the sizes that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.errors import UsageError
from hkasm.kernels.parameters import ParameterSet, parameter

WAVES = 4
QUERIES = 32
"""Queries of a wave: the columns of a 32x32 matrix instruction, so that a lane owns one."""
BLOCK_Q = WAVES * QUERIES
BLOCK_KV = 64
HEAD_STEP = 8
"""Elements of a 16-byte access: head sizes and strides are multiples of it."""
REACH = 1 << 30
"""Bytes from the first to the last element of one head: lane offsets out of range start behind them."""
ARGUMENTS = (
    "q", "kv", "group_inverse", "window",
    "q_batch", "q_head", "q_row", "k_batch", "k_head", "k_row", "v_batch", "v_head", "v_row",
    "o_batch", "o_head", "o_row", "lse_batch", "lse_head",
)  # fmt: skip
"""The u32 arguments behind the pointers O, Q, K, V, LSE; strides in elements. `scale` (f32) comes last.

Packed sequences have two more pointers behind LSE: the first row of each sequence, and of one more, in Q and in K
(i32); `q` and `kv` are then not read, and strides from sequence to sequence are 0.

``group_inverse`` is 2^32 / (query heads per key head), rounded up, and 0 where that is 1: a head times it, the high
half, is the key head.
"""


@dataclass(frozen=True)
class AttentionConfig(ParameterSet):
    """What the code of an attention kernel depends on."""

    dtype: str = parameter("bf16", "elements of Q, K, V and O", choices=("bf16", "f16"))
    d: int = parameter(128, "head size, a multiple of 8", low=32, high=256)
    mask: str = parameter(
        "full",
        "keys that a query sees: all, up to its own, the last `window` of those",
        choices=("full", "causal", "window"),
    )

    lengths: str = parameter(
        "equal",
        "lengths of the sequences: equal, or packed one behind the other with cu_seqlens",
        choices=("equal", "cu_seqlens"),
    )

    def __post_init__(self) -> None:
        if self.d % HEAD_STEP:
            raise UsageError(f"d={self.d}: no multiple of {HEAD_STEP}", hint="head sizes from 32 to 256 in steps of 8")

    @property
    def padded(self) -> int:
        """Return the head size in LDS and registers: 64, 128 or 256; what lies behind `d` is zero."""
        return next(size for size in (64, 128, 256) if size >= self.d)

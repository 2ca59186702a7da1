"""What decode attention is declared for, the sizes that follow from it, and how keys are dealt to workgroups."""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.errors import UsageError
from hkasm.kernels.parameters import ParameterSet, parameter

WAVES = 4
ROWS = 16
"""Rows of a workgroup: the columns of a 16x16 matrix instruction. A row is one query of one head."""
TILE = 16
"""Keys of a tile: the rows of the instruction. A tile lies in one block of the cache."""
TILES = 2
STEP = TILES * TILE
"""Keys of a wave's step."""
STRIDE = WAVES * STEP
"""Keys of a workgroup's step."""
HEAD_STEP = 8
"""Elements of a 16-byte access: head sizes and strides are multiples of it."""
REACH = 1 << 30
"""Bytes from the first to the last element that one descriptor covers; lane offsets out of range start behind."""
MOST_SPLITS = 1024
MOST_KEYS = 1 << 22
BLOCK_SIZES = tuple(1 << bit for bit in range(4, 13))
WORKGROUPS_A_CU = 2
OVERHEAD_STEPS = 4
"""What a workgroup's entry, its end and its share of the combination count in steps of `STRIDE` keys (assumed)."""
ARGUMENTS = (
    "q", "rows", "group", "group_inverse", "splits", "splits_inverse", "window", "pages", "page_shift", "table_row",
    "q_batch", "q_head", "q_row", "k_batch", "k_head", "k_row", "v_batch", "v_head", "v_row",
    "o_batch", "o_head", "o_row", "o_split", "lse_batch", "lse_head", "lse_split",
)  # fmt: skip
"""The u32 arguments behind the pointers; strides in elements. `scale` (f32) comes last.

``rows`` is q times ``group``, the query heads of a key head. Inverses are 2^32 / n, rounded up, and 0 where n is 1.
``k_batch`` and ``v_batch`` lead from block to block where the cache is paged, from sequence to sequence elsewhere;
``pages`` counts the cache's blocks, ``table_row`` the block table's entries of a sequence. Unpaged, ``table_row`` is
the longest sequence that there is room for.
"""


@dataclass(frozen=True)
class DecodeConfig(ParameterSet):
    """What the code of a decode kernel depends on."""

    dtype: str = parameter("bf16", "elements of Q, K, V and O", choices=("bf16", "f16"))
    d: int = parameter(128, "head size, a multiple of 8", low=32, high=256)
    mask: str = parameter(
        "causal",
        "keys that a query sees: all, up to its own, the last `window` of those",
        choices=("full", "causal", "window"),
    )
    cache: str = parameter("paged", "keys and values: blocks named by a table, or in a row", choices=("paged", "plain"))
    parts: str = parameter(
        "auto",
        "O and LSE whole, or partial ones in f32 for decode_combine; auto: by splits",
        choices=("auto", "no", "yes"),
    )

    def __post_init__(self) -> None:
        if self.d % HEAD_STEP:
            raise UsageError(f"d={self.d}: no multiple of {HEAD_STEP}", hint="head sizes from 32 to 256 in steps of 8")

    @property
    def padded(self) -> int:
        """Return the head size in registers: 64, 128 or 256; what lies behind `d` is zero."""
        return next(size for size in (64, 128, 256) if size >= self.d)


def choose_splits(work: int, keys: int, cus: int) -> int:
    """Return how many workgroups share the keys of each of `work` pieces (sequences, key heads, blocks of rows).

    A workgroup's time is its steps of `STRIDE` keys and `OVERHEAD_STEPS`; `WORKGROUPS_A_CU` run on a CU at a time. Of
    all numbers of splits that leave no workgroup without keys the fastest is taken, and the smallest of those.
    """
    steps = max(-(-keys // STRIDE), 1)

    def seconds(splits: int) -> tuple[int, int]:
        rounds = -(-work * splits // (cus * WORKGROUPS_A_CU))
        return rounds * (-(-steps // splits) + (OVERHEAD_STEPS if splits > 1 else OVERHEAD_STEPS // 2)), splits

    wanted = {-(-steps // -(-steps // splits)) for splits in range(1, min(steps, MOST_SPLITS) + 1)}
    return min(wanted, key=seconds)

"""What attention is declared for: element types, head sizes, masks, schedules, and the sizes that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.errors import UsageError
from hkasm.kernels.chips import OnChip, chip_parameter, reserve_parameter, weights_parameter
from hkasm.kernels.parameters import parameter

WAVES = {"pingpong": 8, "in-step": 4}
QUERIES = 32
"""Queries of a wave: the columns of a 32x32 matrix instruction, so that a lane owns one."""
BLOCK_KV = 64
WIDE_HEAD = 256
"""The head size whose O, Q, and a block of K want a wave's 512 registers: 8 waves have 256 each."""
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
(i32); `q` is then the longest, `kv` is not read, and strides from sequence to sequence are 0.

``group_inverse`` is 2^32 / (query heads per key head), rounded up, and 0 where that is 1: a head times it, the high
half, is the key head.
"""
ORDER_ARGUMENTS = ("hkv", "hkv_magic", "hkv_shift", "group", "group_magic", "group_shift")
"""The u32 arguments behind `scale`, unless grid=plain: key heads and query heads of each, with what divides by them
(`hkasm.grids.order.divisor`); the sixteen numbers of an order follow, and where XCDs have unequal shares the first
rank and the share of each.
"""


@dataclass(frozen=True)
class AttentionConfig(OnChip):
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

    grid: str = parameter(
        "auto",
        "order of the workgroups: by key heads; auto: the cache model says how many at once; plain: a grid of three",
        pattern=r"auto|plain|head([1-9]\d{0,3})?",
        form="auto, plain, or key heads at once: head4",
    )

    schedule: str = parameter(
        "auto",
        "8 waves in two groups, one multiplies while the other makes weights; 4 waves in step; auto: by d and q",
        choices=("auto", *WAVES),
    )
    chip: str = chip_parameter()
    weights: str = weights_parameter()
    reserve: int = reserve_parameter()

    def __post_init__(self) -> None:
        self.check_chip()
        if self.grid == "plain" and self.uneven:
            raise UsageError(
                "grid=plain deals every XCD as many workgroups", hint="another grid for unequal shares, or weights=even"
            )
        if self.grid == "plain" and self.reserve:
            raise UsageError(
                f"grid=plain with reserve={self.reserve}: all of its workgroups compute", hint="another grid"
            )
        if self.d % HEAD_STEP:
            raise UsageError(f"d={self.d}: no multiple of {HEAD_STEP}", hint="head sizes from 32 to 256 in steps of 8")
        if self.schedule == "pingpong" and self.padded == WIDE_HEAD:
            raise UsageError(
                f"d={self.d} with schedule=pingpong: O, Q and a block of K do not fit 256 registers a wave",
                hint="schedule=in-step, or head sizes up to 128",
            )

    @property
    def order(self) -> str:
        """Return the schedule, ``auto`` settled for many queries."""
        return self.order_for(WAVES["pingpong"] * QUERIES)

    def order_for(self, q: int) -> str:
        """Return the schedule for up to `q` queries: ping-pong where 8 waves hold the head and 4 do not hold them."""
        if self.schedule != "auto":
            return self.schedule
        return "in-step" if self.padded == WIDE_HEAD or q <= WAVES["in-step"] * QUERIES else "pingpong"

    @property
    def waves(self) -> int:
        """Return the waves of a workgroup."""
        return WAVES[self.order]

    @property
    def block_q(self) -> int:
        """Return the queries of a workgroup."""
        return self.waves * QUERIES

    @property
    def padded(self) -> int:
        """Return the head size in LDS and registers: 64, 128 or 256; what lies behind `d` is zero."""
        return next(size for size in (64, 128, WIDE_HEAD) if size >= self.d)

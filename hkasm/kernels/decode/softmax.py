"""Decode's softmax: masks, a running maximum with lazy rescale, weights and their sum.

As in attention forward (`hkasm.kernels.attention.softmax`), weights are exp2(c S - c m), m a maximum of the row that
may be stale by `SLACK` log2 units. Here a lane owns a row and a quarter of its keys, and rows are compared with what
they may reach lane by lane: only a wave with a row that outgrew it brings the quarters together.
"""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.attention.softmax import LOG2E, MINUS_INFINITY, SLACK, hide_keys
from hkasm.kernels.decode.declared import STRIDE, TILE
from hkasm.tiles.ops.crosslane import reduce_lanes, temporaries_for

QUARTERS = (4, 5)
"""The lane bits that number the quarters of a row."""


@dataclass(frozen=True)
class Limits:
    """Which keys count: SGPRs of a wave for whole steps, VGPRs of a lane for its own row.

    ``position`` is the first key of the step, ``all_below`` the last such position whose step every row sees to its
    end, ``all_from`` the first key that all of them see; ``below`` and ``start`` are end and first key of a lane's row,
    less where the lane's keys of a tile begin.
    """

    position: Register
    all_below: Register
    all_from: Register | None
    below: Register
    start: Register | None


class Softmax:
    """Owns the statistics of a wave's rows and writes what stands between the products."""

    def __init__(
        self, k: Builder, mask: str, scores: Register, output: Register, limits: Limits, scale: Register
    ) -> None:
        self.mask, self.scores, self.output, self.limits = mask, scores, output, limits
        self.top, self.bound = k.vgpr("row maximum"), k.vgpr("row bound")
        self.shift, self.sum = k.vgpr("minus c times maximum", 2), k.vgpr("row sum", 2)
        self.work = k.vgpr("softmax work", 2)
        self.across = k.vgpr("other quarters", temporaries_for(k.arch.name, 1, QUARTERS))
        self.factor, self.minus, self.slack = k.sgpr("c", 2), k.sgpr("minus c"), k.sgpr("slack")
        first, second = self.work
        k.v_mov_b32(first, scale)
        k.v_mul_f32(first, LOG2E, first)
        k.v_rcp_f32(second, first)
        k.v_mul_f32(second, SLACK, second)
        k.v_readfirstlane_b32(self.factor[0], first)
        k.v_readfirstlane_b32(self.factor[1], first)
        k.v_readfirstlane_b32(self.slack, second)
        k.s_xor_b32(self.minus, self.factor[0], 0x8000_0000)
        k.v_mov_b32(self.top, MINUS_INFINITY)
        k.v_mov_b32(self.bound, MINUS_INFINITY)
        for register in (*self.shift, *self.sum):
            k.v_mov_b32(register, 0)

    def emit(self, k: Builder) -> None:
        """Turn a step's scores into weights, in place, and add them to the row's sum."""
        self._cut(k)
        found = self.work[0]
        k.v_max_f32(found, self.scores[0], self.scores[1])
        for n in range(2, self.scores.count, 2):
            k.v_max3_f32(found, found, self.scores[n], self.scores[n + 1])
        self._rescale(k, found)
        pairs = [self.scores[n : n + 2] for n in range(0, self.scores.count, 2)]
        for pair in pairs:
            k.v_pk_fma_f32(pair, pair, self.factor, self.shift)
        for score in self.scores:
            k.v_exp_f32(score, score)
        for pair in pairs:
            k.v_pk_add_f32(self.sum, self.sum, pair)

    def _cut(self, k: Builder) -> None:
        """Give keys that a row does not see the score -inf, in steps where there are any."""
        limits = self.limits
        whole, cut = k.label("whole_step"), k.label("cut_step")
        k.s_cmp_gt_i32(limits.position, limits.all_below)
        if limits.all_from is not None:
            k.s_cbranch_scc1(cut)
            k.s_cmp_lt_i32(limits.position, limits.all_from)
        k.s_cbranch_scc0(whole)
        k.place(cut)
        hide_keys(k, self._keys(), limits.position, limits.below, limits.start, self.work)
        k.place(whole)
        k.s_add_u32(limits.position, limits.position, STRIDE)

    def _keys(self) -> list[tuple[int, Register]]:
        """Return the key of the step that each score of the first quarter's lanes belongs to."""
        return [(n // 4 * TILE + n % 4, score) for n, score in enumerate(self.scores)]

    def _rescale(self, k: Builder, found: Register) -> None:
        top, kept = self.work[1], k.label("maximum_kept")
        k.v_cmp_lt_f32(VCC, self.bound, found)
        k.s_cbranch_vccz(kept)
        reduce_lanes(k, k.v_max_f32, [found], QUARTERS, self.across)
        factor = self.bound  # written anew at the end
        k.v_max_f32(top, self.top, found)
        k.v_mul_f32(found, self.minus, top)
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, top)
        k.v_cndmask_b32(found, 0, found, VCC)
        k.v_sub_f32(factor, found, self.shift[0])
        k.v_exp_f32(factor, factor)
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, self.top)
        k.v_cndmask_b32(factor, 0, factor, VCC)
        for register in (*self.sum, *self.output):
            k.v_mul_f32(register, factor, register)
        k.v_mov_b32(self.top, top)
        for register in self.shift:
            k.v_mov_b32(register, found)
        k.v_add_f32(self.bound, self.slack, top)
        k.place(kept)

    def sum_up(self, k: Builder) -> None:
        """Leave the row's sum of weights in ``sum[0]`` and its maximum, times c, in ``sum[1]``; -inf without a key."""
        k.v_add_f32(self.sum[0], self.sum[0], self.sum[1])
        reduce_lanes(k, k.v_add_f32, [self.sum[0]], QUARTERS, self.across)
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, self.top)
        k.v_cndmask_b32(self.sum[1], self.top, self.shift[0], VCC)
        k.v_xor_b32(self.across[0], 0x8000_0000, self.sum[1])
        k.v_cndmask_b32(self.sum[1], self.sum[1], self.across[0], VCC)

"""Between the two products: masks, the running maximum with its lazy rescale, weights and their sum.

A lane owns a query and half of its keys, the other half is with the lane 32 away. Weights are exp2(c S - c m), c the
scale times log2(e) and m a maximum of the row that may be stale by `SLACK` log2 units: the sum and O are rescaled only
when some row of the wave has outgrown that, and then before any weight of the new block is made, behind all products of
the old ones (HipKittens' order, which rescales between them, is wrong as soon as it fires: facts/hipkittens 3.7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from hkasm.asm.builder import Builder
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.attention.declared import BLOCK_KV, AttentionConfig
from hkasm.tiles.layout import LANES

SLACK = 8.0
LOG2E = 1.4426950408889634
MINUS_INFINITY = 0xFF80_0000
ROUND_UP = 0x8000
"""Half a bf16 step in the bits of an f32."""
QUARTER = 8
"""Scores of a lane that one operand of the second product holds: those of a quarter of the block's keys."""
AHEAD = 2
"""Arguments of exp2 made ahead of it."""
HIGH_HALVES = 0x0706_0302
"""What v_perm_b32 picks: the high halves of its second and first source."""


@dataclass(frozen=True)
class Limits:
    """Which keys count: SGPRs of a wave for whole blocks, VGPRs of a lane for its own query.

    ``position`` is the first key of the block, ``all_below`` the key from which on some query of the wave sees none,
    ``all_from`` the first that all of them see, plus a block; ``below`` and ``start`` are the same of a lane (end and
    first key of its query, 4 less in the upper lanes), plus a block.
    """

    position: Register
    all_below: Register
    all_from: Register
    below: Register
    start: Register | None


def hide_keys(
    k: Builder,
    keys: Sequence[tuple[int, Register]],
    position: Register,
    below: Register,
    start: Register | None,
    work: Register,
) -> None:
    """Give scores of keys that a lane's row does not see the value -inf: those from `below` on, and before `start`.

    `keys` are the scores with their keys behind the SGPR `position`; both VGPRs of `work` and VCC are overwritten.
    """
    keep, lowest = work
    k.v_mov_b32(lowest, MINUS_INFINITY)
    k.v_subrev_u32(keep, position, below)
    for key, score in keys:
        k.v_cmp_lt_i32(VCC, key, keep)
        k.v_cndmask_b32(score, lowest, score, VCC)
    if start is not None:
        k.v_subrev_u32(keep, position, start)
        for key, score in keys:
            k.v_cmp_ge_i32(VCC, key, keep)
            k.v_cndmask_b32(score, lowest, score, VCC)


class Softmax:
    """Owns the statistics of a wave's rows and writes what stands between the products."""

    def __init__(
        self, k: Builder, config: AttentionConfig, scores: Register, output: Register, limits: Limits, scale: Register
    ) -> None:
        self.config, self.scores, self.output, self.limits = config, scores, output, limits
        self.top, self.bound = k.vgpr("row maximum"), k.vgpr("row bound")
        self.shift, self.sum = k.vgpr("minus c times maximum"), k.vgpr("row sum", 2)
        self.work = k.vgpr("softmax work", 2)
        self.factor, self.minus, self.slack = k.sgpr("c"), k.sgpr("minus c"), k.sgpr("slack")
        self.swaps = k.arch.name == "gfx950"
        self.partner = None if self.swaps else k.vgpr("partner lane")
        self.rounding = None if self.swaps or config.dtype == "f16" else k.sgpr("half a bf16 step, high halves", 2)
        self._start(k, scale)

    def _start(self, k: Builder, scale: Register) -> None:
        first, second = self.work
        k.v_mov_b32(first, scale)
        k.v_mul_f32(first, LOG2E, first)
        k.v_rcp_f32(second, first)
        k.v_mul_f32(second, SLACK, second)
        k.v_readfirstlane_b32(self.factor, first)
        k.v_readfirstlane_b32(self.slack, second)
        k.s_xor_b32(self.minus, self.factor, 0x8000_0000)
        k.v_mov_b32(self.top, MINUS_INFINITY)
        k.v_mov_b32(self.bound, MINUS_INFINITY)
        for register in (self.shift, *self.sum):
            k.v_mov_b32(register, 0)
        if self.partner is not None:
            k.v_xor_b32(self.partner, LANES // 2, k.lane)
            k.v_lshlrev_b32(self.partner, 2, self.partner)
        if self.rounding is not None:
            k.s_mov_b32(self.rounding[0], ROUND_UP)
            k.s_mov_b32(self.rounding[1], HIGH_HALVES)

    def maximum(self, k: Builder, slot: int) -> None:
        """Mask the block's scores, and rescale sum and O where a row's maximum has outgrown the one in use."""
        self._mask(k)
        self._find_maximum(k)
        self._rescale(k)

    def _mask(self, k: Builder) -> None:
        limits = self.limits
        whole, cut = k.label("whole_block"), k.label("cut_block")
        k.s_add_u32(limits.position, limits.position, BLOCK_KV)
        k.s_cmp_gt_i32(limits.position, limits.all_below)
        if limits.start is not None:
            k.s_cbranch_scc1(cut)
            k.s_cmp_lt_i32(limits.position, limits.all_from)
        k.s_cbranch_scc0(whole)
        k.place(cut)
        hide_keys(k, self._keys(), limits.position, limits.below, limits.start, self.work)
        k.place(whole)

    def _keys(self) -> list[tuple[int, Register]]:
        """Return the key of the block that each score of the lower lanes belongs to."""
        return [(n // 16 * 32 + n % 16 // 4 * 8 + n % 4, score) for n, score in enumerate(self.scores)]

    def _find_maximum(self, k: Builder) -> None:
        half = self.scores.count // 2
        for target, start in zip(self.work, (0, half), strict=True):
            k.v_max_f32(target, self.scores[start], self.scores[start + 1])
            for n in range(start + 2, start + half, 2):
                k.v_max3_f32(target, target, self.scores[n], self.scores[n + 1])
        first, second = self.work
        k.v_max_f32(first, first, second)
        self._meet(k, first, second)
        k.v_max_f32(first, first, second)

    def _meet(self, k: Builder, own: Register, other: Register) -> None:
        """Put the values of a query's two lanes into both registers, in either order."""
        if self.partner is None:
            k.v_mov_b32(other, own)
            k.v_permlane32_swap_b32(own, other)
            return
        k.ds_bpermute_b32(other, self.partner, own)
        k.wait(other, reason="the other half of the row")

    def _rescale(self, k: Builder) -> None:
        found, top = self.work
        kept = k.label("maximum_kept")
        k.v_cmp_lt_f32(VCC, self.bound, found)
        k.s_cbranch_vccz(kept)
        factor = self.bound  # written anew at the end
        k.v_max_f32(top, self.top, found)
        k.v_mul_f32(found, self.minus, top)
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, top)
        k.v_cndmask_b32(found, 0, found, VCC)
        k.v_sub_f32(factor, found, self.shift)
        k.v_exp_f32(factor, factor)
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, self.top)
        k.v_cndmask_b32(factor, 0, factor, VCC)
        for register in (*self.sum, *self.output):
            k.v_mul_f32(register, factor, register)
        k.v_mov_b32(self.top, top)
        k.v_mov_b32(self.shift, found)
        k.v_add_f32(self.bound, self.slack, top)
        k.place(kept)

    def weights(self, k: Builder, slot: int) -> None:
        """Make the weights of three quarters of the keys, and pack those of the first."""
        self._make_weights(k, 0, 3 * QUARTER)
        self._add_weights(k, 0, QUARTER)

    def left(self, quarter: int) -> list[Callable[[Builder], None]]:
        """Return, in small pieces, what is left to do of the weights while the products with a quarter of them run.

        Those of the next quarter are packed then; the last quarter's are made meanwhile.
        """
        first, last = (quarter + 1) * QUARTER, (quarter + 2) * QUARTER
        add = [partial(self._add_weights, first=n, last=n + 2) for n in range(first, last, 2)]
        make = [partial(self._make_weights, first=n, last=n + 1) for n in range(3 * QUARTER, 4 * QUARTER)]
        half = len(make) // 2
        found: tuple[list[Callable[[Builder], None]], ...] = ([*add], [*add, *make[:half]], [*make[half:], *add], [])
        return found[quarter]

    def _make_weights(self, k: Builder, first: int, last: int) -> None:
        """Turn scores `first` to `last` - 1 into weights, each one's argument two ahead.

        Packed f32 arithmetic would be half the instructions and as long, but stands still while another wave's matrix
        products run (measured in AMD's gfx950 attention tutorials).
        """
        for number in range(first, last + AHEAD):
            if number < last:
                score = self.scores[number]
                k.v_fma_f32(score, score, self.factor, self.shift)
            if number - AHEAD >= first:
                weight = self.scores[number - AHEAD]
                k.v_exp_f32(weight, weight)

    def _add_weights(self, k: Builder, first: int, last: int) -> None:
        """Add weights `first` to `last` - 1 to the row's sum and pack pairs into the first half of the registers.

        They come in their order: what a pair is packed into was packed before.
        """
        for number in range(first // 2, last // 2):
            pair = self.scores[2 * number : 2 * number + 2]
            for total, weight in zip(self.sum, pair, strict=True):
                k.v_add_f32(total, total, weight)
            pack(k, self.config.dtype, self.scores[number], pair, self.rounding)

    def finish(self, k: Builder) -> None:
        """Normalise O and leave the log-sum-exp in the first work register; rows without a key give 0 and -inf."""
        total, other = self.work
        k.v_add_f32(total, self.sum[0], self.sum[1])
        self._meet(k, total, other)
        k.v_add_f32(total, total, other)
        k.v_rcp_f32(other, total)
        k.v_cmp_lg_f32(VCC, 0, total)
        k.v_cndmask_b32(other, 0, other, VCC)
        for register in self.output:
            k.v_mul_f32(register, other, register)
        k.v_log_f32(total, total)
        k.v_sub_f32(total, total, self.shift)
        k.v_mul_f32(total, 1 / LOG2E, total)

    def pack_output(self, k: Builder) -> None:
        """Round O to the elements' type, pairs packed into the first half of its registers."""
        for n in range(self.output.count // 2):
            pack(k, self.config.dtype, self.output[n], self.output[2 * n : 2 * n + 2], self.rounding)


def pack(k: Builder, dtype: str, target: Register, pair: Register, rounding: Register | None) -> None:
    """Round two f32 to nearest and pack them; `pair` may be overwritten.

    `rounding` is what gfx942's bf16 needs, which rounds ties away from zero: two SGPRs, half a step and a selector.
    """
    if dtype == "f16":
        if k.arch.name == "gfx950":
            k.v_cvt_pk_f16_f32(target, pair[0], pair[1])
            return
        for one in pair:
            k.v_cvt_f16_f32(one, one)
        k.v_pack_b32_f16(target, pair[0], pair[1])
    elif rounding is None:
        k.v_cvt_pk_bf16_f32(target, pair[0], pair[1])
    else:
        for one in pair:
            k.v_add_u32(one, rounding[0], one)
        k.v_perm_b32(target, pair[1], pair[0], rounding[1])

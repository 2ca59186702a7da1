"""The least time that passes between instructions of one wave, in issue slots of 4 clk, for the level `cycles`.

An instruction takes one slot, `s_nop n` n + 1. What takes longer, or has to wait, and who says so:

- A matrix instruction waits until the matrix pipe is free: passes of the one before it (LLVM's scheduling model).
- A VALU instruction right behind a matrix instruction issues a slot later (ROCm's llvm-project, pull request 1614). In
  AITER's flatmm for MI300X the reads behind such a place come out at just the slots of `rules`; without it, one early.
- `v_pk_*_f32` do not run beside a matrix instruction and begin 12 clk after its end (AMD's Gluon tutorials, measured on
  gfx950; assumed on gfx942). AITER's fp8gemm_blockscale reads results two instructions behind the product, by these.
- `v_permlane16_swap`, `v_permlane32_swap`: 20 clk (the same tutorials).
- `v_cvt_pk_fp8_f32`, `v_cvt_pk_bf8_f32`: 16 clk, as transcendental functions (LLVM's scheduling model). AITER's
  attention on fp8 has the product that reads the result right behind them, its MLA a lane swap one wait state behind.
- `v_mov_b64`: 8 clk, the time of two registers (assumed). AITER's attention on 4 to 8 bits clears accumulators with it
  one wait state in front of the product.
- `s_barrier`: 37 clk at least (AMD's Gluon tutorial for gfx942, 37 to 65 clk of four waves in step; assumed on gfx950).
"""

from __future__ import annotations

from collections.abc import Iterable

from hkasm.isa.hazards.facts import HazardFacts

__all__ = ["elapsed_slots"]

_PACKED = frozenset(("v_pk_fma_f32", "v_pk_mul_f32", "v_pk_add_f32", "v_pk_mov_b32"))
_PACKED_BEHIND_MFMA = 12 // 4
_TAKES = {
    "v_permlane16_swap_b32": 20 // 4, "v_permlane32_swap_b32": 20 // 4, "v_cvt_pk_fp8_f32": 16 // 4,
    "v_cvt_pk_bf8_f32": 16 // 4, "v_mov_b64": 8 // 4, "s_barrier": 37 // 4,
}  # fmt: skip
_VALU_BEHIND_MFMA = 1


def elapsed_slots(producer: HazardFacts, following: Iterable[tuple[HazardFacts, int]]) -> int:
    """Return the issue slots between an instruction and the last of those executed behind it.

    `following`: each with the wait states of nops put in right before it; the last one is the consumer.
    """
    now, pipe_free = 0, producer.passes
    last = producer
    for facts, nops in following:
        now += max(last.states, _TAKES.get(last.opcode[0], 1)) + nops
        if facts.passes:
            now = max(now, pipe_free)
            pipe_free = now + facts.passes
        elif "valu" in facts.classes:
            if last.passes and not nops:
                now += _VALU_BEHIND_MFMA
            if pipe_free and facts.opcode[0] in _PACKED:
                now = max(now, pipe_free + _PACKED_BEHIND_MFMA)
        last = facts
    return now - 1

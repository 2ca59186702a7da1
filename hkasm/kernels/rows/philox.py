"""Dropout by Philox4x32-10: counters say which element is meant, so that NumPy makes the same mask.

Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). The key is the seed. The counter
of four consecutive elements of a row is (column / 4, row, offset low, offset high); the block's four words are theirs.
An element is kept where its word is not below the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.isa.registers import VCC, Register

MULTIPLIERS = (0xD251_1F53, 0xCD9E_8D57)
KEY_STEPS = (0x9E37_79B9, 0xBB67_AE85)
ROUNDS = 10
WORDS = 4
WORD = 0xFFFF_FFFF

Words = npt.NDArray[np.uint64]


def philox(counter: Sequence[Words], key: tuple[int, int]) -> list[Words]:
    """Return the four words of every block: counters as four arrays of 32-bit numbers in 64."""
    c0, c1, c2, c3 = counter
    for step in range(ROUNDS):
        keys = [np.uint64((word + step * add) & WORD) for word, add in zip(key, KEY_STEPS, strict=True)]
        first, second = c0 * np.uint64(MULTIPLIERS[0]), c2 * np.uint64(MULTIPLIERS[1])
        c0, c1, c2, c3 = (
            second >> np.uint64(32) ^ c1 ^ keys[0],
            second & np.uint64(WORD),
            first >> np.uint64(32) ^ c3 ^ keys[1],
            first & np.uint64(WORD),
        )
    return [c0, c1, c2, c3]


def kept(rows: int, n: int, seed: int, offset: int, threshold: int) -> npt.NDArray[np.bool_]:
    """Return the mask [rows, n] that kernels apply."""
    blocks = -(-n // WORDS)
    shape = (rows, blocks)
    column = np.broadcast_to(np.arange(blocks, dtype=np.uint64), shape)
    row = np.broadcast_to(np.arange(rows, dtype=np.uint64)[:, None], shape)
    low, high = (np.full(shape, offset >> shift & WORD, np.uint64) for shift in (0, 32))
    words = philox((column, row, low, high), (seed & WORD, seed >> 32 & WORD))
    mask: npt.NDArray[np.bool_] = np.stack(words, axis=-1).reshape(rows, -1)[:, :n] >= np.uint64(threshold)
    return mask


class Dropout:
    """Writes dropout of f32 elements; the arguments are SGPRs, `scale` what kept elements are multiplied by."""

    def __init__(
        self, k: Builder, row: Register, seed: Register, offset: Register, threshold: Register, scale: Register
    ) -> None:
        self.k, self.row, self.offset, self.threshold, self.scale = k, row, offset, threshold, scale
        self._key = seed
        self._multipliers = k.sgpr("Philox multipliers", 2)
        for register, value in zip(self._multipliers, MULTIPLIERS, strict=True):
            k.s_mov_b32(register, value)
        self._registers = list(k.vgpr("Philox", 2 * WORDS))

    def apply(self, elements: Sequence[Register], column: Register, first: int) -> None:
        """Drop some of a lane's elements, which begin at column `column` + `first` of the row (multiples of 4)."""
        for start in range(0, len(elements), WORDS):
            words = self._block(column, first + start)
            for element, word in zip(elements[start : start + WORDS], words, strict=True):
                self.k.v_mul_f32(element, self.scale, element)
                self.k.v_cmp_le_u32(VCC, self.threshold, word)
                self.k.v_cndmask_b32(element, 0, element, VCC)

    def _block(self, column: Register, first: int) -> list[Register]:
        k = self.k
        counter, other = self._registers[:WORDS], self._registers[WORDS:]
        k.v_add_u32(counter[0], first, column)
        k.v_lshrrev_b32(counter[0], 2, counter[0])
        for target, value in zip(counter[1:], (self.row, *self.offset), strict=True):
            k.v_mov_b32(target, value)
        for step in range(ROUNDS):
            for half in (0, 1):
                k.v_mul_hi_u32(other[2 * half], counter[2 * half], self._multipliers[half])
                k.v_mul_lo_u32(other[2 * half + 1], counter[2 * half], self._multipliers[half])
            for high, mixed, key in ((other[2], counter[1], self._key[0]), (other[0], counter[3], self._key[1])):
                k.v_xor_b32(high, mixed, high)
                k.v_xor_b32(high, key, high)
            counter, other = [other[2], other[3], other[0], other[1]], counter
            self._turn_key(1 if step + 1 < ROUNDS else 1 - ROUNDS)
        return counter

    def _turn_key(self, steps: int) -> None:
        for word, add in zip(self._key, KEY_STEPS, strict=True):
            self.k.s_add_u32(word, word, steps * add & WORD)

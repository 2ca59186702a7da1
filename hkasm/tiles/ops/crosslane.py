"""Reduce values over lanes, the result in all of them: DPP within a row of 16, row swaps or the LDS unit across rows.

The bits of the lane number that are summed over say which lanes belong together. Within a row rotations and quad
permutations bring the other value with the instruction itself. Across rows gfx950 exchanges halves of two registers
(`v_permlane32_swap`, `v_permlane16_swap`), which folds two values into one register on the way: two registers cost
four instructions instead of six, and what follows runs on half of them. gfx942 sends registers through the LDS unit
(`ds_swizzle`, `ds_bpermute`) and waits for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.isa.registers import Register

QUAD_SWAP = {0: 0b10_11_00_01, 1: 0b01_00_11_10}
"""quad_perm controls that exchange lanes whose number differs in bit 0, in bit 1."""
ROW_ROR = 0x120
ROW_HALF_MIRROR = 0x141
"""Lane ^ 7 within 8 lanes."""
SWIZZLE_XOR_16 = 16 << 10 | 31
"""ds_swizzle_b32 offset: lane ^ 16 within 32 lanes (bit mode: xor, or, and masks)."""
ROW_BITS = 4

Combine = Callable[..., object]
"""Emits d = x op y; takes dpp_ctrl for the first source."""


def lane_bits(lines: int, along: bool) -> tuple[int, ...]:
    """Return the lane bits to reduce over: those that number the lanes of a line, or (not `along`) the lines."""
    split = lines.bit_length() - 1
    return tuple(range(split, 6)) if along else tuple(range(split))


def temporaries_for(arch: str, registers: int, bits: Sequence[int]) -> int:
    """Return how many temporary VGPRs `reduce_lanes` wants."""
    if not any(bit >= ROW_BITS for bit in bits):
        return 0
    if arch == "gfx950":
        return 1
    return registers + (5 in bits)


def reduce_lanes(
    k: Builder, combine: Combine, registers: Sequence[Register], bits: Sequence[int], work: Register | None
) -> None:
    """Replace every register by its reduction over the lanes that differ in `bits` alone.

    `combine` is a commutative f32 instruction (`k.v_max_f32`). Raises UsageError for bit 2 without its neighbours: DPP
    reaches lane ^ 4 by turning a row of 16 whose halves are equal (bit 3), or by mirroring 8 lanes whose quads are
    uniform (bits 0 and 1).
    """
    if 2 in bits and 3 not in bits and not {0, 1} <= set(bits):
        raise UsageError(
            f"a reduction over lane bits {', '.join(map(str, sorted(bits)))}", hint="bit 2 with bit 3, or with 0 and 1"
        )
    across = sorted((bit for bit in bits if bit >= ROW_BITS), reverse=True)
    within = sorted((bit for bit in bits if bit < ROW_BITS), reverse=3 in bits)
    if across and k.arch.name != "gfx950":
        assert work is not None
        _through_lds(k, combine, registers, across, work)
        across = []
    _fold(k, combine, list(registers), across, within, work)


def _fold(
    k: Builder,
    combine: Combine,
    registers: list[Register],
    across: Sequence[int],
    within: Sequence[int],
    work: Register | None,
) -> None:
    """Reduce across rows by swaps, two registers folded into the first, then within rows, then unfold."""
    if not across:
        for bit in within:
            rotate = ROW_ROR + (1 << bit) if 3 in within else ROW_HALF_MIRROR
            control = QUAD_SWAP.get(bit, rotate)
            for register in registers:
                combine(register, register, register, dpp_ctrl=control)
        return
    bit, rest = across[0], across[1:]
    swap = k.v_permlane32_swap_b32 if bit == 5 else k.v_permlane16_swap_b32
    pairs = [(registers[n], registers[n + 1]) for n in range(0, len(registers) - 1, 2)]
    for low, high in pairs:
        swap(low, high)
    for low, high in pairs:
        combine(low, low, high)
    folded = [low for low, _ in pairs]
    if len(registers) % 2:
        assert work is not None
        last = registers[-1]
        k.v_mov_b32(work[0], last)
        swap(work[0], last)
        combine(last, work[0], last)
        folded.append(last)
    _fold(k, combine, folded, rest, within, work)
    for low, high in pairs:
        k.v_mov_b32(high, low)
    for low, high in pairs:
        swap(low, high)


def _through_lds(
    k: Builder, combine: Combine, registers: Sequence[Register], across: Sequence[int], work: Register
) -> None:
    others = list(work[0 : len(registers)])
    for bit in across:
        if bit == 5:
            address = work[len(registers)]
            lane = others[0]
            k.v_mbcnt_lo_u32_b32(lane, -1, 0)
            k.v_mbcnt_hi_u32_b32(lane, -1, lane)
            k.v_lshlrev_b32(lane, 2, lane)
            k.v_xor_b32(address, 32 * 4, lane)
            for other, register in zip(others, registers, strict=True):
                k.ds_bpermute_b32(other, address, register)
        else:
            for other, register in zip(others, registers, strict=True):
                k.ds_swizzle_b32(other, register, offset=SWIZZLE_XOR_16)
        k.wait(*others, reason="values of other lanes")
        for other, register in zip(others, registers, strict=True):
            combine(register, other, register)

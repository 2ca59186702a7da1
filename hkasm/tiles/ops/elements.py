"""Elements of 8 and 16 bits, each moved by itself: put together after loads, taken apart for stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register

HALF_BITS = 16


def join_elements(k: Builder, piece: Register, loaded: Sequence[Register] | Register, bits: int) -> None:
    """Wait for elements that were loaded into a register each, zero-extended, and put them together in `piece`."""
    values = list(loaded)
    k.wait(*values, reason="elements to be put together")
    count = 32 // bits
    for number, target in enumerate(piece):
        some = values[number * count : (number + 1) * count]
        if len(some) == 1:
            k.v_mov_b32(target, some[0])
        elif bits == HALF_BITS:
            k.v_lshl_or_b32(target, some[1], HALF_BITS, some[0])
        else:
            for high, low in ((1, 0), (3, 2)):
                if high < len(some):
                    k.v_lshl_or_b32(some[low], some[high], bits, some[low])
            if len(some) > 2:
                k.v_lshl_or_b32(target, some[2], HALF_BITS, some[0])
            else:
                k.v_mov_b32(target, some[0])


def store_elements(
    k: Builder, piece: Register, bits: int, count: int, store: Callable[[int, Register, bool], None], work: Register
) -> None:
    """Store `count` elements one by one: ``store(number, register, high)`` stores the low bits of a half.

    Odd bytes are shifted down in `work` first.
    """
    inside = 32 // bits
    for number, register in enumerate(piece):
        first = number * inside
        there = min(inside, count - first)
        if bits == HALF_BITS:
            for half in range(there):
                store(first + half, register, half == 1)
            continue
        for byte in (0, 2):
            if byte < there:
                store(first + byte, register, byte == 2)
        if there > 1:
            k.v_lshrrev_b32(work, bits, register)
        for byte in (1, 3):
            if byte < there:
                store(first + byte, work, byte == 3)

"""Bytes of memory that nobody wrote: which bits of scratch, LDS and buffers are undefined, beside what they hold.

Scratch starts undefined, and so do buffers that are allocated `uninitialised`; LDS has its own check for bytes never
written, which makes them undefined in kernels of others, and gets undefined bits from registers. Loads take the bits
along into their registers, stores leave there what is undefined of their data.
"""

from __future__ import annotations

import numpy as np

from hkasm.emulator.memory import POISON_PATTERN, U32, Buffer, Bytes, Mask, Memory, Span

__all__ = ["load_undefined", "make_undefined", "notice_host", "store_undefined"]


def make_undefined(store: Bytes) -> None:
    """Fill a store with the poison pattern and make every bit of it undefined."""
    store.u32[...] = POISON_PATTERN
    store.undefined = Bytes(store.size)
    store.undefined.u8[...] = 0xFF


def notice_host(memory: Memory) -> None:
    """Count as written what the host has written to undefined buffers: dwords that hold the pattern no more."""
    for buffer in memory.buffers:
        if buffer.undefined is not None:
            buffer.undefined.u32[buffer.u32 != POISON_PATTERN] = 0


def load_undefined(spans: list[Span], shape: tuple[int, ...], size: int) -> U32 | None:
    """Return the undefined bits of `size` bytes for every lane of the spans, None where no bit is."""
    found: U32 | None = None
    for span in spans:
        bits = span.buffer.undefined
        if bits is None:
            continue
        lanes = np.ones(shape, dtype=np.bool_) if span.lanes is None else span.lanes
        values = bits.gather(span.index[lanes], size)
        if values.any():
            if found is None:
                found = np.zeros((-(-size // 4), *shape), dtype=np.uint32)
            found[:, lanes] = values
    return found


def store_undefined(spans: list[Span], bits: U32 | None, size: int) -> None:
    """Note that `size` bytes were stored for every lane of the spans, of which `bits` [dwords, ...] are undefined."""
    for span in spans:
        shadow = span.buffer.undefined
        if shadow is None:
            if bits is None or isinstance(span.buffer, Buffer):
                continue
            shadow = span.buffer.undefined = Bytes(span.buffer.size)
        lanes: Mask = np.ones(span.index.shape, dtype=np.bool_) if span.lanes is None else span.lanes
        index = span.index[lanes]
        now = np.zeros((-(-size // 4), len(index)), dtype=np.uint32) if bits is None else bits[:, lanes]
        shadow.scatter(index, now, size)

"""Memory as NumPy sees it: byte stores with wide views, and a sparse 64-bit space of named buffers.

Every buffer lies between guard zones, so that an address that is off by a little hits nothing. Gather and scatter
work on whole index arrays; the widest element that the alignment allows is moved at once.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import EmulatorError, LaunchError

__all__ = [
    "APERTURES", "POISON_PATTERN", "PRIVATE_BASE", "SHARED_BASE", "Buffer", "Bytes", "Memory", "Span", "join_spans",
    "padded",
]  # fmt: skip

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
I64 = NDArray[np.int64]
Mask = NDArray[np.bool_]

FIRST_ADDRESS = 0x7A5A_0010_0000
ALIGNMENT = 4096
GUARD = 1 << 20
LAST_ADDRESS = 1 << 47
SHARED_BASE = 1 << 48
"""Flat addresses of LDS begin here (the ROCm runtime's choice of aperture)."""
PRIVATE_BASE = 2 << 48
"""Flat addresses of scratch begin here."""
APERTURES = {235: SHARED_BASE, 236: SHARED_BASE | 0xFFFFFFFF, 237: PRIVATE_BASE, 238: PRIVATE_BASE | 0xFFFFFFFF}
"""What the special scalar sources hold, by operand code."""

POISON_PATTERN = 0xFFF5A5A5
"""What registers and memory hold that nobody wrote: a NaN that shows in a dump."""


def padded(size: int) -> int:
    """Return the bytes of the store behind `size` usable ones."""
    return -(-max(size, 1) // 16) * 16


class Bytes:
    """Bytes that are read and written by index arrays.

    `size` bytes are usable; the store behind is padded so that the 16-byte view reaches its end. `version` counts the
    writes by waves; `undefined` has the bits that nobody wrote, None if there are none.
    """

    writable = True
    name = "memory"

    def __init__(self, size: int) -> None:
        self.size = size
        self.version = 0
        self.undefined: Bytes | None = None
        self.look_at(np.zeros(padded(size), dtype=np.uint8))

    def look_at(self, store: U8) -> None:
        """Take other bytes for the store: `padded(size)` of them."""
        self.u8: U8 = store
        self.u16: NDArray[np.uint16] = self.u8.view(np.uint16)
        self.u32: U32 = self.u8.view(np.uint32)
        self.u64: NDArray[np.uint64] = self.u8.view(np.uint64)
        self.u128: NDArray[np.complex128] = self.u8.view(np.complex128)

    def touch(self, index: I64, size: int) -> None:
        """An atomic reads and writes `size` bytes at each byte index."""

    def gather(self, index: I64, size: int) -> U32:
        """Read `size` bytes at each byte index [...]: uint32 [dwords, ...], zero-extended below a dword.

        Indices must lie inside the store.
        """
        if size < 4:
            if size == 1:
                return self.u8.take(index).astype(np.uint32)[None]
            if not _misaligned(index, 1):
                return self.u16.take(index >> 1).astype(np.uint32)[None]
            return self._gather_bytes(index, 2)
        if size == 4 and not _misaligned(index, 3):
            return self.u32.take(index >> 2)[None]
        if size == 16 and not _misaligned(index, 15):
            wide = self.u128.take(index >> 4).view(np.uint32)
            return np.moveaxis(wide.reshape(*index.shape, 4), -1, 0)
        if size == 8 and not _misaligned(index, 7):
            pairs = self.u64.take(index >> 3).view(np.uint32)
            return np.moveaxis(pairs.reshape(*index.shape, 2), -1, 0)
        if size % 4 == 0 and not _misaligned(index, 3):
            first = index >> 2
            out = np.empty((size // 4, *index.shape), dtype=np.uint32)
            for dword in range(size // 4):
                self.u32.take(first + dword, out=out[dword], mode="clip")
            return out
        return self._gather_bytes(index, size)

    def _gather_bytes(self, index: I64, size: int) -> U32:
        out = np.zeros((*index.shape, -(-size // 4) * 4), dtype=np.uint8)
        for byte in range(size):
            out[..., byte] = self.u8.take(index + byte)
        return np.moveaxis(out.view(np.uint32), -1, 0)

    def scatter(self, index: I64, data: U32, size: int) -> None:
        """Write `size` bytes of data [dwords, ...] at each byte index [...]; the last of equal indices wins."""
        self.version += 1
        if size < 4:
            if size == 1:
                self.u8[index] = data[0].astype(np.uint8)
            elif not _misaligned(index, 1):
                self.u16[index >> 1] = data[0].astype(np.uint16)
            else:
                self._scatter_bytes(index, data, 2)
        elif size == 4 and not _misaligned(index, 3):
            self.u32[index >> 2] = data[0]
        elif size == 16 and not _misaligned(index, 15):
            wide = np.ascontiguousarray(np.moveaxis(data, 0, -1)).view(np.complex128)
            self.u128[index >> 4] = wide[..., 0]
        elif size == 8 and not _misaligned(index, 7):
            pairs = np.ascontiguousarray(np.moveaxis(data, 0, -1)).view(np.uint64)
            self.u64[index >> 3] = pairs[..., 0]
        elif size % 4 == 0 and not _misaligned(index, 3):
            first = index >> 2
            for dword in range(size // 4):
                self.u32[first + dword] = data[dword]
        else:
            self._scatter_bytes(index, data, size)

    def _scatter_bytes(self, index: I64, data: U32, size: int) -> None:
        parts = np.ascontiguousarray(np.moveaxis(data, 0, -1)).view(np.uint8)
        for byte in range(size):
            self.u8[index + byte] = parts[..., byte]


def _misaligned(index: I64, low_bits: int) -> bool:
    return bool(np.bitwise_or.reduce(index, axis=None) & low_bits) if index.size else False


class Buffer(Bytes):
    """A named run of device memory at a 64-bit address."""

    def __init__(self, address: int, size: int, name: str, *, writable: bool = True) -> None:
        super().__init__(size)
        self.address = address
        self.name = name
        self.writable = writable

    @property
    def end(self) -> int:
        return self.address + self.size

    def __repr__(self) -> str:
        return f"Buffer({self.name!r}, {self.address:#x}, {self.size} bytes)"


class Span:
    """Where an access goes: one buffer with byte indices, and the lanes that hit nothing.

    An access that meets several buffers is a list of spans over disjoint lanes. `lanes` is None where all take part.
    """

    __slots__ = ("buffer", "index", "lanes")

    def __init__(self, buffer: Bytes, index: I64, lanes: Mask | None) -> None:
        self.buffer, self.index, self.lanes = buffer, index, lanes

    def select(self, waves: slice | NDArray[Any]) -> Span:
        """Return the part of some waves (the first axis)."""
        return Span(self.buffer, self.index[waves], None if self.lanes is None else self.lanes[waves])

    @property
    def takes_part(self) -> bool:
        """Tell whether any lane goes there."""
        return self.lanes is None or bool(self.lanes.any())


def join_spans(mine: list[Span], its: list[Span], counts: tuple[int, int]) -> list[Span]:
    """Return where the waves of two batches go, of `counts` waves: one span for each buffer.

    Waves that part and meet again and again would else gather spans without end.
    """
    both = [*((span, slice(0, counts[0])) for span in mine), *((span, slice(counts[0], None)) for span in its)]
    joined: dict[int, Span] = {}
    for span, waves in both:
        whole = joined.get(id(span.buffer))
        if whole is None:
            shape = (sum(counts), *span.index.shape[1:])
            whole = Span(span.buffer, np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_))
            joined[id(span.buffer)] = whole
        lanes = np.True_ if span.lanes is None else span.lanes
        np.copyto(whole.index[waves], span.index, where=lanes)
        if whole.lanes is not None:
            whole.lanes[waves] |= lanes
    for whole in joined.values():
        if whole.lanes is not None and whole.lanes.all():
            whole.lanes = None
    return list(joined.values())


class Memory:
    """A sparse address space of buffers."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._buffers: list[Buffer] = []
        self._next = FIRST_ADDRESS

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        return tuple(self._buffers)

    def allocate(self, size: int, name: str = "", *, writable: bool = True, limit: int = 1 << 36) -> Buffer:
        """Make a zeroed buffer of `size` bytes between guard zones.

        Raises:
            LaunchError: the size is negative or beyond `limit`.
        """
        if not 0 <= size <= limit:
            raise LaunchError(f"a buffer of {size} bytes cannot be had", hint=f"0 to {limit} bytes")
        try:
            buffer = Buffer(self._next, size, name or f"buffer {len(self._buffers)}", writable=writable)
        except MemoryError:
            raise LaunchError(f"no memory for a buffer of {size} bytes") from None
        self.place(buffer)
        return buffer

    def place(self, buffer: Buffer) -> None:
        """Put a buffer behind all others."""
        self._next = -(-(buffer.end + GUARD) // ALIGNMENT) * ALIGNMENT
        self._bases.append(buffer.address)
        self._buffers.append(buffer)

    @property
    def next_address(self) -> int:
        """Where the next buffer will begin."""
        return self._next

    def begin_at(self, address: int) -> None:
        """Let the next buffer begin there."""
        self._next = address

    def free(self, buffer: Buffer) -> None:
        """Take a buffer out of the space; its addresses are never used again."""
        position = self._buffers.index(buffer)
        del self._buffers[position], self._bases[position]

    def find(self, address: int) -> Buffer | None:
        """Return the buffer that holds the byte at `address`."""
        position = bisect_right(self._bases, address) - 1
        if position < 0:
            return None
        buffer = self._buffers[position]
        return buffer if address < buffer.end else None

    def describe(self, address: int) -> str:
        """Say how an address lies to the nearest buffer, for messages."""
        if not self._buffers:
            return "there are no buffers"
        near = min(self._buffers, key=lambda b: b.address - address if address < b.address else address - b.end)
        if address < near.address:
            return f"{near.address - address} bytes before {near.name} ({near.size} bytes)"
        if address < near.end:
            return f"byte {address - near.address} of {near.name} ({near.size} bytes)"
        return f"{address - near.end} bytes behind the end of {near.name} ({near.size} bytes)"

    def locate(self, address: I64, size: int, lanes: Mask | None) -> tuple[list[Span], Mask | None]:
        """Find the buffers behind `size` bytes at each address [...].

        Returns spans and, when some lanes hit nothing or cross the end of a buffer, the mask of those lanes.
        """
        if lanes is not None:
            if not lanes.any():
                return [], None
            address = np.where(lanes, address, address[lanes].min())
        low, high = int(address.min()), int(address.max())
        buffer = self.find(low)
        if buffer is not None and high + size <= buffer.end:
            return [Span(buffer, address - buffer.address, lanes)], None
        return self._locate_many(address, size, lanes)

    def _locate_many(self, address: I64, size: int, lanes: Mask | None) -> tuple[list[Span], Mask | None]:
        active = np.ones(address.shape, dtype=np.bool_) if lanes is None else lanes
        missed = active.copy()
        position = np.searchsorted(np.array(self._bases, dtype=np.int64), address, side="right") - 1
        spans = []
        for number in np.unique(position[active]):
            if number < 0:
                continue
            buffer = self._buffers[number]
            inside = active & (position == number) & (address <= buffer.end - size)
            if inside.any():
                missed &= ~inside
                index = np.where(inside, address - buffer.address, 0)
                spans.append(Span(buffer, index, None if inside.all() else inside))
        return spans, missed if missed.any() else None

    def load(self, spans: list[Span], shape: tuple[int, ...], size: int) -> U32:
        """Read `size` bytes for every lane of the spans: uint32 [dwords, *shape]; other lanes read zero."""
        if len(spans) == 1 and spans[0].lanes is None:
            return spans[0].buffer.gather(spans[0].index, size)
        out = np.zeros((-(-size // 4), *shape), dtype=np.uint32)
        for span in spans:
            if span.lanes is None:
                out[...] = span.buffer.gather(span.index, size)
            else:
                out[:, span.lanes] = span.buffer.gather(span.index[span.lanes], size)
        return out

    def store(self, spans: list[Span], data: U32, size: int) -> None:
        """Write `size` bytes of data [dwords, ...] for every lane of the spans."""
        for span in spans:
            if not span.buffer.writable:
                raise EmulatorError(f"a store goes to {span.buffer.name}, which is read-only")
            if span.lanes is None:
                span.buffer.scatter(span.index, data, size)
            else:
                span.buffer.scatter(span.index[span.lanes], data[:, span.lanes], size)

    def read(self, address: int, size: int) -> bytes:
        """Read bytes as the host sees them.

        Raises:
            EmulatorError: the bytes are not all in one buffer.
        """
        return self._slice(address, size).tobytes()

    def write(self, address: int, data: bytes | NDArray[Any]) -> None:
        """Write bytes as the host sees them."""
        raw = np.frombuffer(data, dtype=np.uint8) if isinstance(data, bytes) else data.reshape(-1).view(np.uint8)
        self._slice(address, raw.size)[...] = raw

    def _slice(self, address: int, size: int) -> U8:
        buffer = self.find(address)
        if buffer is None or address + size > buffer.end:
            raise EmulatorError(f"no buffer holds {size} bytes at {address:#x}: {self.describe(address)}")
        start = address - buffer.address
        return buffer.u8[start : start + size]

"""The shadow of a buffer: who wrote and read each granule last, as one 64-bit number.

A granule is as small as the smallest access to the buffer so far (1 to 16 bytes); a smaller or misaligned one splits
all. Of reads two are kept, the last by a workgroup of even and of odd number, so that marking one is a single store.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.listener import I64, Mask

__all__ = ["SCOPE_SHIFT", "TIME_SHIFT", "WAVE_MASK", "Shadow"]

WAVE_MASK = (1 << 34) - 1
SCOPE_SHIFT, TIME_SHIFT = 34, 36
"""A mark is time << 36 | scope << 34 | wave; 0 says that nobody was there."""
WIDEST = 4
BYTES_PER_GRANULE = 3 * 8


Read = tuple[I64, int, I64, I64, Mask | None]
"""A read that is put off: index, bytes, mark, the workgroup's parity, lanes."""


class Shadow:
    """Marks of one buffer of `size` bytes: `writer` [granules], `reader` [granules * 2].

    Reads of a buffer that nobody has written race with nothing: they are put off (`later`) until the first write, or
    until the reads put off take too much room, and marked then in their order. `reader` stays empty until one is.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.later: list[Read] | None = []
        self.later_bytes = 0
        self.shift = WIDEST
        self.is_written = False
        self.writer: I64 = np.zeros(0, dtype=np.int64)
        self.reader: I64 = np.zeros(0, dtype=np.int64)

    @property
    def bytes(self) -> int:
        """What the shadow takes, the marks of reads included."""
        return len(self.writer) * BYTES_PER_GRANULE

    def bytes_for(self, index: I64, size: int) -> int:
        """Return what the shadow takes once it has granules for `size` bytes at each index."""
        return ((self.size >> self._shift_for(index, size)) + 1) * BYTES_PER_GRANULE

    def granules(self, index: I64, size: int) -> list[I64]:
        """Return the granule numbers that each access touches, one array for each step through it."""
        shift = self._shift_for(index, size)
        if not len(self.writer):
            self.shift = shift
            self.writer = np.zeros((self.size >> shift) + 1, dtype=np.int64)
        elif shift < self.shift:
            parts = 1 << (self.shift - shift)
            self.writer = np.repeat(self.writer, parts)
            self.reader = np.repeat(self.reader.reshape(-1, 2), parts, axis=0).reshape(-1)
            self.shift = shift
        first = index >> self.shift
        return [first + step if step else first for step in range(max(size >> self.shift, 1))]

    def _shift_for(self, index: I64, size: int) -> int:
        bits = int(np.bitwise_or.reduce(index, axis=None)) | size
        return min(self.shift, (bits & -bits).bit_length() - 1)

    def put_off(self, index: I64, size: int, mark: I64, odd: I64, lanes: Mask | None) -> bool:
        """Keep a read for later; False where reads are marked at once by now."""
        if self.later is None:
            return False
        self.later.append((index, size, mark, odd, lanes))
        self.later_bytes += index.nbytes
        return True

    def last_readers(self, granule: I64) -> tuple[I64, ...]:
        """Return the marks of the two reads that are kept for each granule, nothing where nobody has read."""
        if not len(self.reader):
            return ()
        return tuple(self.reader.take(granule * 2 + odd) for odd in (0, 1))

    def mark_read(self, granule: I64, mark: I64, odd: NDArray[np.int64], lanes: Mask | None) -> None:
        if not len(self.reader):
            self.reader = np.zeros(2 * len(self.writer), dtype=np.int64)
        place = granule * 2 + odd
        if lanes is None:
            self.reader[place] = mark
        else:
            self.reader[place[lanes]] = np.broadcast_to(mark, place.shape)[lanes]

    def mark_written(self, granule: I64, mark: I64, lanes: Mask | None) -> None:
        self.is_written = True
        if lanes is None:
            self.writer[granule] = mark
        else:
            self.writer[granule[lanes]] = np.broadcast_to(mark, granule.shape)[lanes]

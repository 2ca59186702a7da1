"""How well loads and stores use memory's 64-byte segments."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import I64, Listener, Mask
from hkasm.emulator.op import Op
from hkasm.emulator.report import RunReport

__all__ = ["StoreCounter"]

SEGMENT = 64


class StoreCounter(Listener):
    """Count the 64-byte segments that each access of each wave touches, and those that a store writes whole."""

    name = "stores"

    def __init__(self) -> None:
        self.loaded = self.load_segments = self.stored = self.segments = self.whole = 0

    def memory(self, batch: Batch, op: Op, address: I64, size: int, lanes: Mask | None, kind: str) -> None:
        active = batch.waves * 64 if lanes is None else int(lanes.sum())
        if kind != "a store":
            self.loaded += active * size
            self.load_segments += _touched(address, size, lanes)
            return
        self.stored += active * size
        if not active:
            return
        if lanes is None and (self._count_runs(address, size) or self._count_whole(address, size)):
            return
        unit = min(size, 4)
        wave = np.broadcast_to(np.arange(batch.waves)[:, None] << 48, address.shape)
        where = address + wave
        if lanes is not None:
            where = where[lanes]
        cells = np.sort((where.reshape(-1)[:, None] + np.arange(0, size, unit)).reshape(-1) // SEGMENT)
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        counts = np.diff(starts, append=len(cells))
        self.segments += len(starts)
        self.whole += int((counts * unit >= SEGMENT).sum())

    def _count_runs(self, address: I64, size: int) -> bool:
        """Count waves whose lanes store one run of bytes, lane after lane; False if some do not."""
        first = address[:, :1]
        if not (address - first == self._steps(size)).all():
            return False
        begin, end = first[:, 0], first[:, 0] + 64 * size
        touched = (end - 1) // SEGMENT - begin // SEGMENT + 1
        whole = end // SEGMENT - -(-begin // SEGMENT)
        self.segments += int(touched.sum())
        self.whole += int(np.maximum(whole, 0).sum())
        return True

    def _count_whole(self, address: I64, size: int) -> bool:
        """Count waves whose lanes, some next to each other at a time, store whole segments; False if some do not."""
        if SEGMENT % size:
            return False
        together = SEGMENT // size
        cells = address.reshape(len(address), -1, together)
        first = cells[:, :, 0]
        if (first & (SEGMENT - 1)).any() or not (cells - cells[:, :, :1] == self._steps(size)[:, :together]).all():
            return False
        ordered = np.sort(first, axis=1)
        if (ordered[:, 1:] == ordered[:, :-1]).any():
            return False
        self.segments += first.size
        self.whole += first.size
        return True

    @staticmethod
    @cache
    def _steps(size: int) -> I64:
        return np.arange(64, dtype=np.int64)[None] * size

    def finish(self, report: RunReport) -> None:
        report.count("load_bytes", self.loaded)
        report.count("load_segments", self.load_segments)
        report.count("store_bytes", self.stored)
        report.count("store_segments", self.segments)
        report.count("store_segments_whole", self.whole)


def _touched(address: I64, size: int, lanes: Mask | None) -> int:
    """Return how many segments each wave's lanes touch, summed over the waves."""
    if lanes is None:
        apart = address - address[:, :1]
        if (apart == apart[:1]).all():
            # Waves whose lanes stand alike differ only in where in a segment they begin.
            waves = np.bincount(address[:, 0] % SEGMENT)
            pattern = apart[0].tobytes()
            return sum(int(waves[begin]) * _segments(pattern, int(begin), size) for begin in np.flatnonzero(waves))
    first, last = address // SEGMENT, (address + (size - 1)) // SEGMENT
    if lanes is not None:
        # Lanes that take no part count as one segment of their own.
        first, last = np.where(lanes, first, -1), np.where(lanes, last, -1)
    cells = first if np.array_equal(first, last) else np.concatenate((first, last), axis=1)
    ordered = np.sort(cells, axis=1)
    count = len(cells) + int((ordered[:, 1:] != ordered[:, :-1]).sum())
    return count if lanes is None else count - int((~lanes).any(axis=1).sum())


@lru_cache(1024)
def _segments(pattern: bytes, begin: int, size: int) -> int:
    """Return how many segments one wave's lanes touch: the first at `begin`, the pattern says how far off each."""
    address = np.frombuffer(pattern, dtype=np.int64) + begin
    return len(np.unique(np.concatenate((address // SEGMENT, (address + (size - 1)) // SEGMENT))))

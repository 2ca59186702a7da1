"""Which bytes come from where: an L2 for each XCD, the shared memory-side cache (LLC), HBM.

A workgroup *walks*: at every step it reads one block of each of its streams (a row strip of A and a column strip of B
at one K step; the keys and values of one head). Blocks are what a step reads of a stream, so that a block is the same
for all workgroups that share the stream. An XCD runs one workgroup a CU and takes the next of its list when one ends.

Workgroups start together and run in lock step, or drift: each has a speed of its own, drawn from a normal
distribution, and starts one wave launch after its neighbour. An L2 is LRU; with `sets` it is held by its ways, as
lines whose address hash spreads them over sets (one of every `sample` sets is simulated). A block that is asked for
again while its first request is still on its way counts as merged: no second request leaves the L2.

Sources: CDNA3 white paper (16 channels, 16 ways, 128-byte lines), mt4g report (LLC lines, latencies), AMD's Gluon
tutorials (measured requests, `tests/model/test_caches.py`), HipKittens table 4.
"""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hkasm.model.chips import Chip, Xcd
from hkasm.model.streams import Streams

__all__ = ["DRIFT", "Traffic", "estimate", "simulate"]

DRIFT = 0.015
"""Standard deviation of a workgroup's speed: fitted to the first and third row of HipKittens' table 4 at 9216^3."""
START_STEPS = 0.01
"""Steps by which a workgroup starts behind its neighbour: 12 to 16 clocks a wave (SQTT) over some thousand a step."""
FILL_STEPS = 0.35
"""Steps that a block is on its way from memory: 700 clocks of a step of 2048."""
LINE_BYTES = 128
"""Of an L2's line, and of a request of whole lines (CDNA3 white paper)."""
MAX_ROUNDS = 8
"""Rounds (workgroups a CU) that are simulated; later ones are taken to be like these."""


@dataclass(frozen=True)
class Traffic:
    """What a simulation saw. Bytes are of the whole grid; times in seconds follow from `Chip.rates`.

    `l2_hit` counts requests that caused no request to memory (1 - EA reads / TCP reads), `l2_tag_hit` those that found
    their line there already. `llc_hit` is of the requests that left an L2. `finish` is when each XCD ends, in steps.
    """

    requested: int
    l2_missed: int
    merged: int
    llc_missed: int
    finish: tuple[float, ...]
    lower_bound: float
    simulated: float

    @property
    def l2_hit(self) -> float:
        return 1 - self.l2_missed / self.requested

    @property
    def l2_tag_hit(self) -> float:
        return 1 - (self.l2_missed + self.merged) / self.requested

    @property
    def llc_hit(self) -> float:
        return 1 - self.llc_missed / self.l2_missed if self.l2_missed else 1.0

    @property
    def counters(self) -> dict[str, int]:
        """Return what of rocprofv3's counters the simulation stands for, of the whole grid, in requests of a line.

        `TCP_TCC_READ_REQ_sum` is what the CUs ask of the L2s, `TCC_EA0_RDREQ_sum` what the L2s ask of memory. Whether
        `TCC_HIT` counts a request that waits for another's line is not published, so that it and `TCC_MISS` are left
        out; stores are not simulated.
        """
        return {
            "TCP_TCC_READ_REQ_sum": self.requested // LINE_BYTES,
            "TCC_EA0_RDREQ_sum": self.l2_missed // LINE_BYTES,
        }

    @property
    def makespan(self) -> float:
        """Return when the last XCD ends, in steps."""
        return max(self.finish)

    @property
    def balance(self) -> float:
        """Return the makespan over the lower bound (all work over all CUs)."""
        return self.makespan / self.lower_bound

    def bandwidth(self, chip: Chip) -> float:
        """Return the bytes a second that hits bring: L2 rate x L2 hits + LLC rate x LLC hits. It ranks orders.

        HipKittens' measure (its table 4 is this sum to 0.1 TB/s, with 17 and 6 TB/s).
        """
        return chip.rates.l2 * self.l2_hit + chip.rates.llc * self.llc_hit

    def seconds(self, chip: Chip) -> dict[str, float]:
        """Return the time that each level needs for its bytes."""
        rates = chip.rates
        return {
            "l2": self.requested / rates.l2,
            "llc": self.l2_missed / rates.llc,
            "hbm": self.llc_missed / rates.hbm,
        }

    def bound(self, chip: Chip) -> tuple[str, float]:
        """Return the level that needs most time, and that time."""
        return max(self.seconds(chip).items(), key=lambda item: item[1])


class _Lru:
    """A fully associative cache of blocks, least recently used first."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.used = capacity, 0
        self.blocks: OrderedDict[int, int] = OrderedDict()

    def missing(self, block: int, size: int) -> int:
        """Touch a block; returns the bytes of it that were not there."""
        if block in self.blocks:
            self.blocks.move_to_end(block)
            return 0
        self.blocks[block] = size
        self.used += size
        while self.used > self.capacity:
            self.used -= self.blocks.popitem(last=False)[1]
        return size


class _Sets:
    """A set-associative cache of lines, of which one in `sample` sets is looked at."""

    def __init__(self, capacity: int, ways: int, line: int, sample: int) -> None:
        self.ways, self.line, self.sample = ways, line, sample
        self.sets: list[OrderedDict[int, None]] = [
            OrderedDict() for _ in range(max(capacity // (ways * line * sample), 1))
        ]

    def missing(self, block: int, size: int) -> int:
        lines = max(size // (self.line * self.sample), 1)
        missed = 0
        for number in range(lines):
            key = (block * 1_000_003 + number) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
            ways = self.sets[(key >> 40) % len(self.sets)]
            if key in ways:
                ways.move_to_end(key)
                continue
            missed += 1
            ways[key] = None
            if len(ways) > self.ways:
                ways.popitem(last=False)
        return size * missed // lines


def simulate(
    chip: Chip,
    streams: Streams,
    by_xcd: Sequence[npt.NDArray[np.int64]],
    *,
    drift: float = DRIFT,
    sample_sets: int = 0,
    slots_a_cu: int = 1,
    max_rounds: int = MAX_ROUNDS,
    seed: int = 0,
) -> Traffic:
    """Run a grid whose XCDs compute the tiles `by_xcd[x]` in this order.

    `sample_sets` other than 0 simulates sets and ways, one set of so many. `drift` 0 is lock step.
    """
    random = np.random.default_rng(seed)
    finish, times, owners, tiles = [], [], [], []
    for x, (xcd, order) in enumerate(zip(chip.xcds, by_xcd, strict=True)):
        slots = xcd.workers * slots_a_cu
        starts, scales, end = _timing(xcd, order, streams.steps, drift, slots, random)
        finish.append(end)
        count = min(len(order), slots * max_rounds)
        for place in range(count):
            steps = int(streams.steps[order[place]])
            times.append(starts[place] + np.arange(steps) * scales[place])
            owners.append(np.full(steps, x))
            tiles.append(np.full(steps, order[place]))
    counts = [len(part) for part in times]
    step = np.concatenate([np.arange(count) for count in counts])
    time, owner, tile = np.concatenate(times), np.concatenate(owners), np.concatenate(tiles)
    by_time = np.argsort(time, kind="stable")
    requested, missed, merged, llc_missed = _play(
        chip, streams, time[by_time], owner[by_time], tile[by_time], step[by_time], sample_sets
    )
    total = int((streams.block_bytes[streams.walks].sum(axis=1) * streams.steps).sum())
    scale = total / requested
    work = float(streams.steps.sum())
    return Traffic(
        total, int(missed * scale), int(merged * scale), int(llc_missed * scale), tuple(finish),
        max(work / (sum(xcd.share for xcd in chip.xcds) * slots_a_cu), float(streams.steps.max())), 1 / scale,
    )  # fmt: skip


def estimate(chip: Chip, streams: Streams, by_xcd: Sequence[npt.NDArray[np.int64]], *, drift: float = DRIFT) -> Traffic:
    """Return what `simulate` would about find, from what each round's tiles share, in about a millisecond.

    All tiles of a round walk together. A stream that n tiles of an XCD read is fetched ``1 + (n - 1) p`` times, where
    p is the chance that two of them are further apart than the steps that the L2 holds. The LLC still has the streams
    of as many rounds before this one as fit it together.
    """
    dies, names = len(by_xcd), len(streams.block_bytes)
    rounds = min(max(-(-len(o) // x.workers) for x, o in zip(chip.xcds, by_xcd, strict=True)), MAX_ROUNDS)
    length = float(streams.steps.mean())
    # One cell for each round of each XCD; which streams its tiles read, and how many of them read each.
    kept, cells = [], []
    for x, (xcd, order) in enumerate(zip(chip.xcds, by_xcd, strict=True)):
        kept.append(order[: rounds * xcd.workers])
        cells.append(np.arange(len(kept[-1])) // xcd.workers * dies + x)
    where = np.concatenate(cells)
    keys = (where[:, None] * names + streams.walks[np.concatenate(kept)]).ravel()
    read, sharers = np.unique(keys, return_counts=True)
    cell, stream = read // names, read % names
    sizes = streams.block_bytes[stream]
    live = np.bincount(cell, weights=sizes, minlength=rounds * dies)
    apart = np.zeros(rounds * dies)
    for number in range(rounds * dies):
        spread = drift * length * math.sqrt(2 * (number // dies + 0.5))
        window = chip.xcds[number % dies].l2_bytes / max(live[number], 1.0)
        apart[number] = math.erfc(window / (spread * math.sqrt(2))) if spread else 0.0
    missed = float((sizes * (1 + (sharers - 1) * apart[cell])).sum()) * length
    touched = np.zeros((rounds, names), bool)
    touched[cell // dies, stream] = True
    llc_missed = length * sum(
        float(streams.block_bytes[touched[number] & ~_kept_by_llc(chip, streams, touched[:number], length)].sum())
        for number in range(rounds)
    )
    requested = float((streams.block_bytes[streams.walks].sum(axis=1) * streams.steps).sum())
    done = len(where) / streams.tiles
    finish = tuple(_finish(xcd, order, streams.steps) for xcd, order in zip(chip.xcds, by_xcd, strict=True))
    work = float(streams.steps.sum()) / sum(xcd.share for xcd in chip.xcds)
    return Traffic(
        int(requested), int(missed / done), 0, int(min(llc_missed, missed) / done), finish,
        max(work, float(streams.steps.max())), done,
    )  # fmt: skip


def _kept_by_llc(chip: Chip, streams: Streams, before: npt.NDArray[np.bool_], length: float) -> npt.NDArray[np.bool_]:
    """Return the streams of the last rounds that fit the LLC together, of rounds [rounds, streams]."""
    kept = np.zeros(before.shape[1], bool)
    for one in before[::-1]:
        more = kept | one
        if float(streams.block_bytes[more].sum()) * length > chip.llc_bytes:
            break
        kept = more
    return kept


def _finish(xcd: Xcd, order: npt.NDArray[np.int64], steps: npt.NDArray[np.int64]) -> float:
    """Return when an XCD ends whose CUs take the next tile as soon as they are free, in steps."""
    lengths = steps[order]
    if not len(order) or lengths.min() == lengths.max():
        return float(-(-len(order) // xcd.workers) * (int(lengths[0]) if len(order) else 0) / xcd.weight)
    free = [0.0] * xcd.workers
    for length in (lengths / xcd.weight).tolist():
        heapq.heapreplace(free, free[0] + length)
    return max(free)


def _timing(
    xcd: Xcd,
    order: npt.NDArray[np.int64],
    steps: npt.NDArray[np.int64],
    drift: float,
    slots: int,
    random: np.random.Generator,
) -> tuple[list[float], list[float], float]:
    """Return start and time a step of each of an XCD's tiles, and when the last one ends."""
    free = [slot * (START_STEPS if drift else 0.0) for slot in range(slots)]
    starts, scales, end = [], [], 0.0
    speeds = 1 + drift * random.standard_normal(len(order))
    for tile, speed in zip(order.tolist(), speeds.tolist(), strict=True):
        start = heapq.heappop(free)
        scale = max(speed, 0.5) / xcd.weight
        starts.append(start)
        scales.append(scale)
        stop = start + int(steps[tile]) * scale
        end = max(end, stop)
        heapq.heappush(free, stop)
    return starts, scales, end


def _play(
    chip: Chip,
    streams: Streams,
    time: npt.NDArray[np.float64],
    owner: npt.NDArray[np.int64],
    tile: npt.NDArray[np.int64],
    step: npt.NDArray[np.int64],
    sample_sets: int,
) -> tuple[int, int, int, int]:
    """Return the bytes requested, missed in L2, merged with a request on its way, and missed in the LLC."""
    caches = [
        _Sets(xcd.l2_bytes, chip.l2_ways, chip.line_bytes, sample_sets) if sample_sets else _Lru(xcd.l2_bytes)
        for xcd in chip.xcds
    ]
    llc = _Lru(chip.llc_bytes)
    longest = int(streams.steps.max())
    arrival: list[dict[int, float]] = [{} for _ in chip.xcds]
    requested = missed = merged = llc_missed = 0
    blocks = (streams.walks[tile] * longest + step[:, None]).tolist()
    sizes = streams.block_bytes[streams.walks[tile]].tolist()
    for now, x, wanted, bytes_of in zip(time.tolist(), owner.tolist(), blocks, sizes, strict=True):
        cache, on_way = caches[x], arrival[x]
        for block, size in zip(wanted, bytes_of, strict=True):
            requested += size
            lost = cache.missing(block, size)
            if lost:
                missed += lost
                on_way[block] = now + FILL_STEPS
                if llc.missing(block, size):
                    llc_missed += lost
            elif on_way.get(block, 0.0) > now:
                merged += size
    return requested, missed, merged, llc_missed

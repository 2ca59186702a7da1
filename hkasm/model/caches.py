"""Which bytes come from where: an L2 for each XCD, the shared memory-side cache (LLC), HBM.

A workgroup *walks*: at every step it reads one block of each of its streams (a row strip of A and a column strip of B
at one K step; the keys and values of one head). Blocks are what a step reads of a stream, so that a block is the same
for all workgroups that share the stream. An XCD runs one workgroup a CU and takes the next of its list when one ends.

Workgroups start together and run in lock step, or drift: each has a speed of its own, drawn from a normal
distribution, and starts one wave launch after its neighbour. One that waits for what it asks for loses time at each
block that comes from memory, and those behind it, who find the block in L2, catch up. An L2 is LRU, by sets and ways
where the lines of a block are a pitch apart. A block that is asked for again while its first request is still on its
way counts as merged: no second request leaves the L2.

Sources: CDNA3 white paper (16 channels, 16 ways, 128-byte lines), mt4g report (LLC lines, latencies), AMD's Gluon
tutorials (measured requests, `tests/model/test_caches.py`), HipKittens table 4.
"""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hkasm.model.chips import Chip, Xcd
from hkasm.model.streams import LINE_BYTES, Streams

__all__ = ["DRIFT", "Traffic", "estimate", "simulate"]

DRIFT = 0.015
"""Standard deviation of a workgroup's speed: fitted to the first and third row of HipKittens' table 4 at 9216^3."""
START_STEPS = 0.01
"""Steps by which a workgroup starts behind its neighbour: 12 to 16 clocks a wave (SQTT) over some thousand a step."""
FILL_STEPS = 0.35
"""Steps that a block is on its way from memory: 700 clocks of a step of 2048."""
ORDER_RATES = (17e12, 6e12)
"""Bytes a second of L2 and LLC by which HipKittens weighs hits (section 4.1 of its paper); for ranks, on any chip."""
SAMPLE_SETS = 64
"""Sets of an L2 of which one is simulated: 32 of the 2048 of 4 MB; half as many miss whole blocks."""
ESTIMATED_SETS, ESTIMATED_STEPS, ESTIMATED_STREAMS = 128, 16, 2048
"""Sets that an estimate looks at, steps whose lines it counts there, and most streams that it does so for."""
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

        `TCP_TCC_READ_REQ_sum` is what the CUs ask of the L2s, `TCC_EA0_RDREQ_sum` what the L2s ask of memory. `TCC_HIT`
        has requests that wait for another's line among the hits (rocprofiler-compute's documentation), as `l2_hit` has;
        it counts stores too, which are not simulated, so that it and `TCC_MISS` are left out.
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

    @property
    def bandwidth(self) -> float:
        """Return the bytes a second that hits bring, by which orders are ranked: `ORDER_RATES` x each level's hits.

        HipKittens' measure: its table 4 is this sum, to 0.1 TB/s.
        """
        l2, llc = ORDER_RATES
        return l2 * self.l2_hit + llc * self.llc_hit

    def seconds(self, chip: Chip, written: int = 0) -> dict[str, float]:
        """Return the time that each level needs for its bytes, and for those that are written through all of them."""
        rates = chip.rates
        return {
            "l2": (self.requested + written) / rates.l2,
            "llc": (self.l2_missed + written) / rates.llc,
            "hbm": (self.llc_missed + written) / rates.hbm,
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


def fold(lines: npt.NDArray[np.int64], sets: int) -> npt.NDArray[np.int64]:
    """Return the sets of an L2 that hold lines (address over line bytes): all bits of the number, folded by XOR.

    That AMD's caches hash addresses is documented, how is not. Of the simple ways this one has the published sweep of
    windows at 8192^3 in its order: strips a power of two of bytes apart, as the columns of a die are in the plain grid,
    then share a few of the sets, and what they hold is evicted sooner.
    """
    bits = max((sets - 1).bit_length(), 1)
    index = lines.copy()
    for shift in range(bits, 48, bits):
        index ^= lines >> shift
    return (index & (1 << bits) - 1) % sets


class _Sets:
    """A set-associative cache of lines, of which one in `sample` sets is looked at."""

    def __init__(self, capacity: int, ways: int, sample: int, streams: Streams) -> None:
        self.ways, self.streams = ways, streams
        self.count = max(capacity // (ways * LINE_BYTES), 1)
        # Not every so manieth: sets that are used together differ in a few bits.
        mixed = np.arange(self.count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)
        self.looked_at = mixed.argsort() < max(self.count // sample, 1)
        self.weight = LINE_BYTES * self.count // int(self.looked_at.sum())
        self.sets: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(self.count)]
        self.lines: dict[int, list[tuple[int, int]]] = {}

    def missing(self, block: int, size: int) -> int:
        if block not in self.lines:
            self.lines[block] = self._lines_of(block)
        missed = 0
        for index, line in self.lines[block]:
            ways = self.sets[index]
            if line in ways:
                ways.move_to_end(line)
                continue
            missed += 1
            ways[line] = None
            if len(ways) > self.ways:
                ways.popitem(last=False)
        return missed * self.weight

    def _lines_of(self, block: int) -> list[tuple[int, int]]:
        """Return set and number of the lines of a block that are looked at."""
        lines = self.streams.lines(*divmod(block, int(self.streams.steps.max())))
        index = fold(lines, self.count)
        chosen = self.looked_at[index]
        return list(zip(index[chosen].tolist(), lines[chosen].tolist(), strict=True))


def simulate(
    chip: Chip,
    streams: Streams,
    by_xcd: Sequence[npt.NDArray[np.int64]],
    *,
    drift: float = DRIFT,
    sample_sets: int | None = None,
    slots_a_cu: int = 1,
    max_rounds: int = MAX_ROUNDS,
    exposed: float = 0.0,
    seed: int = 0,
) -> Traffic:
    """Run a grid whose XCDs compute the tiles `by_xcd[x]` in this order.

    `drift` 0 is lock step. `exposed` is the part of a block's way from memory that a workgroup loses: 0 for loops that
    fetch far enough ahead, 1 for those that wait for what they have just asked for. An L2 is simulated by sets and
    ways, one set of `sample_sets`, where lines lie a pitch apart; where they follow one another sets fill alike, and an
    L2 is one pool of blocks, as it is with `sample_sets` 0.
    """
    if sample_sets is None:
        sample_sets = SAMPLE_SETS if streams.pitch else 0
    random = np.random.default_rng(seed)
    dies = []
    for xcd, order in zip(chip.xcds, by_xcd, strict=True):
        cache = _Sets(xcd.l2_bytes, chip.l2_ways, sample_sets, streams) if sample_sets else _Lru(xcd.l2_bytes)
        speeds = np.maximum(1 + drift * random.standard_normal(len(order)), 0.5) / xcd.weight
        dies.append(_Die(xcd.workers * slots_a_cu, order.tolist(), speeds.tolist(), cache, max_rounds))
    rounds = _play(chip, streams, dies, START_STEPS if drift else 0.0, exposed)
    total = int((streams.block_bytes[streams.walks].sum(axis=1) * streams.steps).sum())
    played = rounds.sum(axis=0)
    # Rounds that were not played are like the last one that was: what the first ones share for having begun together is
    # lost by then.
    last = rounds[np.flatnonzero(rounds[:, 0])[-1]]
    requested, missed, merged, llc_missed = (played + last * ((total - played[0]) / last[0])).tolist()
    steps = streams.steps.tolist()
    work = float(streams.steps.sum())
    bound = max(work / (sum(xcd.share for xcd in chip.xcds) * slots_a_cu), float(streams.steps.max()))
    return Traffic(
        int(requested), int(missed), int(merged), int(llc_missed), tuple(die.finish(steps) for die in dies),
        bound, float(played[0]) / total,
    )  # fmt: skip


def estimate(chip: Chip, streams: Streams, by_xcd: Sequence[npt.NDArray[np.int64]], *, drift: float = DRIFT) -> Traffic:
    """Return what `simulate` would about find, from what each round's tiles share, in about a millisecond.

    All tiles of a round walk together. A stream that n tiles of an XCD read is fetched ``1 + (n - 1) p`` times, where p
    is the chance that two of them are further apart than the steps that the L2 holds of it. The LLC still has the
    streams of as many rounds before this one as fit it together.
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
    spread = drift * length * np.sqrt(2 * (cell // dies + 0.5))
    kept_steps = _windows(chip, streams, cell, stream)
    apart = [math.erfc(w / (s * math.sqrt(2))) if s else 0.0 for w, s in zip(kept_steps, spread.tolist(), strict=True)]
    missed = float((sizes * (1 + (sharers - 1) * np.array(apart))).sum()) * length
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


def _windows(chip: Chip, streams: Streams, cell: npt.NDArray[np.int64], stream: npt.NDArray[np.int64]) -> list[float]:
    """Return the steps that an L2 holds of a stream: its ways over the lines that a step brings to the stream's sets.

    `cell` is the round and XCD (its rest by the number of dies) in which `stream` is read.
    """
    dies, cells = len(chip.xcds), int(cell.max()) + 1
    live = np.bincount(cell, weights=streams.block_bytes[stream], minlength=cells)
    pools = np.array([xcd.l2_bytes for xcd in chip.xcds], float)[cell % dies] / np.maximum(live[cell], 1.0)
    sizes = {xcd.l2_bytes for xcd in chip.xcds}
    if not streams.pitch or len(streams.block_bytes) > ESTIMATED_STREAMS or len(sizes) > 1:
        return pools.tolist()  # type: ignore[no-any-return]
    loads = _set_loads(tuple((streams.block_bytes // LINE_BYTES).tolist()), streams.pitch, sizes.pop(), chip.l2_ways)
    own = loads[stream]
    together = np.zeros((cells, own.shape[1]))
    np.add.at(together, cell, own)
    beside = (own * together[cell]).sum(axis=1) / np.maximum(own.sum(axis=1), 1e-9)
    return np.where(beside > 0, chip.l2_ways / np.maximum(beside, 1e-9), pools).tolist()  # type: ignore[no-any-return]


@lru_cache(maxsize=8)
def _set_loads(lines: tuple[int, ...], pitch: int, l2_bytes: int, ways: int) -> npt.NDArray[np.float64]:
    """Return how many lines of each stream a step brings to some of an L2's sets: [streams, sets]."""
    count = max(l2_bytes // (ways * LINE_BYTES), 1)
    chosen = np.random.default_rng(0).permutation(count)[:ESTIMATED_SETS]
    place = np.full(count, -1)
    place[chosen] = np.arange(len(chosen))
    loads = np.zeros((len(lines), len(chosen)))
    first = np.concatenate([[0], np.cumsum(lines)])
    for stream, number in enumerate(lines):
        rows = (first[stream] + np.arange(number)) * (pitch // LINE_BYTES)
        found = place[fold((rows[:, None] + np.arange(ESTIMATED_STEPS)).ravel(), count)]
        loads[stream] = np.bincount(found[found >= 0], minlength=len(chosen)) / ESTIMATED_STEPS
    return loads


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


class _Die:
    """An XCD at play: what it computes, in which order, at which time a step; its L2, and what is on its way there."""

    def __init__(self, slots: int, order: list[int], speeds: list[float], cache: _Lru | _Sets, max_rounds: int) -> None:
        self.slots, self.order, self.speeds, self.cache = slots, order, speeds, cache
        self.count = min(len(order), slots * max_rounds)
        self.next = min(slots, self.count)
        self.on_way: dict[int, float] = {}
        self.free: list[float] = []

    def finish(self, steps: list[int]) -> float:
        """Return when the last tile ends; those that were not played lose no time."""
        free = sorted(self.free)
        for place in range(self.count, len(self.order)):
            heapq.heapreplace(free, free[0] + steps[self.order[place]] * self.speeds[place])
        return max(free, default=0.0)


def _play(chip: Chip, streams: Streams, dies: Sequence[_Die], start: float, exposed: float) -> npt.NDArray[np.float64]:
    """Return the bytes requested, missed in L2, merged with a request on its way, and missed in the LLC, by round."""
    llc, longest = _Lru(chip.llc_bytes), int(streams.steps.max())
    walks, steps = streams.walks.tolist(), streams.steps.tolist()
    sizes = streams.block_bytes.tolist()
    sums = [[0.0] * 4 for _ in range(max(-(-die.count // die.slots) for die in dies))]
    # When it asks next, die, place in its list, step.
    heap = [(slot * start, x, slot, 0) for x, die in enumerate(dies) for slot in range(die.next)]
    heapq.heapify(heap)
    while heap:
        now, x, place, step = heap[0]
        die = dies[x]
        tile, cache, on_way, counts = die.order[place], die.cache, die.on_way, sums[place // die.slots]
        ready = now
        for stream in walks[tile]:
            block, size = stream * longest + step, sizes[stream]
            counts[0] += size
            lost = cache.missing(block, size)
            if lost:
                counts[1] += lost
                on_way[block] = ready = now + FILL_STEPS
                if llc.missing(block, size):
                    counts[3] += lost
            elif on_way.get(block, 0.0) > now:
                counts[2] += size
                ready = max(ready, on_way[block])
        now += die.speeds[place] + exposed * (ready - now)
        if step + 1 < steps[tile]:
            heapq.heapreplace(heap, (now, x, place, step + 1))
        elif die.next < die.count:
            heapq.heapreplace(heap, (now, x, die.next, 0))
            die.next += 1
        else:
            heapq.heappop(heap)
            die.free.append(now)
    return np.array(sums)

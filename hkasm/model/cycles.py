"""The cycles of a workgroup's streams: total, prologue, steady loop, epilogue, and where the clocks went.

A loop that repeats often is cut to a few iterations, one that repeats too rarely to be steady gets some more; the
clocks of those that were left out or put in are the steady ones. What nobody knows is in which phase to one another the
SIMDs begin: streams are played with several, and every figure is a range over them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from hkasm.errors import UsageError
from hkasm.model.constants import timing
from hkasm.model.cu import SIMD_ORDER, ComputeUnit, Stream
from hkasm.model.latencies import REFERENCE_HITS, load_latencies
from hkasm.model.uops import Uop

__all__ = ["Cycles", "Phase", "Stall", "Turn", "find_loop", "play"]

KEPT_ITERATIONS, KEPT_OF_SEVERAL = 12, 24
"""Iterations of a loop that are played at least, of one workgroup and of several on a CU, which take longer to settle.

A loop of few loads is played until the steady turns have had every latency of `load_latencies` once: with a part of
them, how many loads HBM answers is luck.
"""
FIRST_STEADY, LAST_STEADY = 4, 2
"""Iterations at the loop's begin and end that are not steady: pipelines fill and drain."""
PHASES = (0, 4, 8, 12)
"""Clocks by which the second pair of SIMDs begins behind the first."""


@dataclass(frozen=True)
class Stall:
    """Clocks that waves lost at one instruction for one reason, in what was played; `by_wave` in the waves' order."""

    index: int
    reason: str
    by_wave: tuple[int, ...]

    @property
    def clk(self) -> float:
        """Return the clocks of a wave, on average."""
        return sum(self.by_wave) / len(self.by_wave)


@dataclass(frozen=True)
class Phase:
    """One play: clocks until the last wave ended, and of the loop's parts.

    Of `iterations` of the loop `played` were played; `matrix_clk` and `stalls` are of these. `turn` is a steady turn of
    the first wave, beside what the other waves of its workgroup on its SIMD do in that time.
    """

    total: int
    prologue: int
    period: float
    iterations: int
    played: int
    epilogue: int
    matrix_clk: float
    stalls: tuple[Stall, ...]
    turn: Turn | None = None


@dataclass(frozen=True)
class Turn:
    """A turn of `clk` clocks: for each wave (its number) the loop's instructions that issued, and when in the turn."""

    clk: int
    issues: Mapping[int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Cycles:
    """What a workgroup (or several together on a CU) takes; figures are of the middle phase, ranges over all.

    `head` is the index of the loop's first instruction (-1: no loop), `period` the clocks of one steady iteration,
    `simds` how many SIMDs have waves, `flops` of matrix instructions in the streams as they were given.
    """

    arch: str
    phases: tuple[Phase, ...]
    head: int
    loop_flops: int
    loop_matrix_clk: float
    flops: int
    simds: int

    @property
    def middle(self) -> Phase:
        """Return the phase with the median total."""
        return sorted(self.phases, key=lambda phase: phase.total)[len(self.phases) // 2]

    @property
    def total(self) -> int:
        return self.middle.total

    @property
    def total_range(self) -> tuple[int, int]:
        totals = [phase.total for phase in self.phases]
        return min(totals), max(totals)

    @property
    def period(self) -> float:
        return self.middle.period

    @property
    def loop_efficiency(self) -> float:
        """Return the part of the loop's clocks in which the matrix units of the SIMDs in use are busy."""
        return self._efficiency(self.period)

    @property
    def loop_efficiency_range(self) -> tuple[float, float]:
        found = [self._efficiency(phase.period) for phase in self.phases]
        return min(found), max(found)

    def _efficiency(self, period: float) -> float:
        return self.loop_matrix_clk / (period * self.simds) if period else 0.0

    @property
    def efficiency(self) -> float:
        """Return the same of the whole run."""
        left_out = (self.middle.iterations - self.middle.played) * self.loop_matrix_clk
        return (self.middle.matrix_clk + left_out) / (self.total * self.simds) if self.total else 0.0

    def at(self, iterations: int) -> float:
        """Return the clocks with another number of iterations of the loop."""
        middle = self.middle
        return middle.total + (iterations - middle.iterations) * middle.period

    def reasons(self) -> dict[str, float]:
        """Return the stall clocks of a wave, on average, by reason, most first."""
        found: defaultdict[str, float] = defaultdict(float)
        for stall in self.middle.stalls:
            found[stall.reason] += stall.clk
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def wave_reasons(self) -> list[dict[str, int]]:
        """Return the stall clocks of every wave by reason."""
        waves: list[dict[str, int]] = [
            {} for _ in range(len(self.middle.stalls[0].by_wave) if self.middle.stalls else 0)
        ]
        for stall in self.middle.stalls:
            for wave, clk in zip(waves, stall.by_wave, strict=True):
                if clk:
                    wave[stall.reason] = wave.get(stall.reason, 0) + clk
        return waves


@dataclass(frozen=True)
class _Loop:
    """A loop of one stream: the index of its first instruction and the places where its turns in a row begin."""

    head: int
    places: tuple[int, ...]

    @property
    def iterations(self) -> int:
        return len(self.places)


def find_loop(stream: Stream) -> _Loop | None:
    """Return the loop of a stream that holds most of its matrix work (most instructions, if there is none).

    A loop's head is where a branch goes back to. Its iterations are the most in a row of the same length: turns that
    take a rare branch, and an outer loop around one that runs often, are not among them.
    """
    heads = {b.index for a, b in pairwise(stream) if b.index <= a.index}
    places: dict[int, list[int]] = defaultdict(list)
    for place, uop in enumerate(stream):
        if uop.index in heads:
            places[uop.index].append(place)
    best: tuple[int, int, _Loop] | None = None
    for head, found in places.items():
        run = _longest_run(found)
        if len(run) < 3:
            continue
        body = stream[run[0] : run[1]]
        work = (sum(uop.flops for uop in body) * len(run), len(body) * len(run))
        if best is None or work > best[:2]:
            best = (*work, _Loop(head, tuple(run)))
    return best[2] if best else None


def _longest_run(places: Sequence[int]) -> Sequence[int]:
    """Return the most places in a row that are equally far apart."""
    best, first = (0, 0), 0
    for place in range(2, len(places) + 1):
        if place == len(places) or places[place] - places[place - 1] != places[place - 1] - places[place - 2]:
            best, first = max(best, (place - first, -first)), place - 1
    return places[-best[1] : best[0] - best[1]]


def play(
    arch: str,
    groups: Sequence[Sequence[Stream]],
    *,
    hits: tuple[float, float] = REFERENCE_HITS,
    phases: Sequence[int] = PHASES,
    launch_clk: int | None = None,
) -> Cycles:
    """Play the streams of workgroups that share a CU.

    `hits` are the hit rates of the L2 and of the LLC, from 0 to 1, `launch_clk` the clocks between two waves' starts.
    Raises UsageError without a wave, or when barriers do not match.
    """
    t = timing(arch)
    waves = [list(stream) for group in groups for stream in group]
    if not waves or not all(waves):
        raise UsageError("nothing to play: a workgroup without waves, or a wave without instructions")
    step = int(t.wave_launch.value) if launch_clk is None else launch_clk
    loops = [find_loop(stream) for stream in waves]
    kept = _kept(waves, loops, len(groups), len(load_latencies(arch, *hits)))
    turns = min((loop.iterations if loop else 0 for loop in loops), default=0)
    cut = turns - kept if turns else 0
    if cut:
        waves = [_without(stream, loop, cut) for stream, loop in zip(waves, loops, strict=True) if loop]
        loops = [find_loop(stream) for stream in waves]
    sizes = [len(group) for group in groups]
    first = loops[0]
    body = [stream[loop.places[0] : loop.places[1]] for stream, loop in zip(waves, loops, strict=True) if loop]
    loop_clk = float(sum(uop.busy for part in body for uop in part if uop.kind == "mfma"))
    simds = len({place % len(SIMD_ORDER) for place in range(len(waves))})
    played = []
    for place, phase in enumerate(phases):
        starts = [step * wave + (phase if SIMD_ORDER[wave % 4] & 2 else 0) for wave in range(len(waves))]
        # Which of the loads HBM answers is as unknown as the phase.
        latencies = load_latencies(arch, *hits)
        first_load = len(latencies) * place // len(phases)
        unit = ComputeUnit(t, _regrouped(waves, sizes), (*latencies[first_load:], *latencies[:first_load]), starts)
        total = unit.run()
        played.append(_phase(unit, total, loops, cut, loop_clk / simds))
    return Cycles(
        arch, tuple(played), first.head if first else -1,
        sum(uop.flops for part in body for uop in part),
        loop_clk,
        sum(uop.flops for group in groups for stream in group for uop in stream),
        simds,
    )  # fmt: skip


def _kept(waves: Sequence[Stream], loops: Sequence[_Loop | None], groups: int, latencies: int) -> int:
    """Return how many iterations are played: until each of so many latencies was taken once in the steady ones."""
    turns = [stream[loop.places[0] : loop.places[1]] for stream, loop in zip(waves, loops, strict=True) if loop]
    loads = sum(uop.kind in ("load", "direct") for turn in turns for uop in turn)
    settled = -(-latencies // loads) + FIRST_STEADY + LAST_STEADY if loads else 0
    return max(KEPT_ITERATIONS if groups == 1 else KEPT_OF_SEVERAL, settled)


def _without(stream: list[Uop], loop: _Loop, count: int) -> list[Uop]:
    """Return a stream without `count` iterations in the middle of its loop; below 0, with one of them so often more."""
    middle = min(FIRST_STEADY, loop.iterations // 2)
    first, following = loop.places[middle], loop.places[middle + (count if count > 0 else 1)]
    if count < 0:
        return stream[:first] + stream[first:following] * -count + stream[first:]
    return stream[:first] + stream[following:]


def _regrouped(waves: list[list[Uop]], sizes: Sequence[int]) -> list[list[list[Uop]]]:
    groups, place = [], 0
    for size in sizes:
        groups.append(waves[place : place + size])
        place += size
    return groups


def _phase(unit: ComputeUnit, total: int, loops: Sequence[_Loop | None], cut: int, busiest: float) -> Phase:
    keys = {key for wave in unit.waves for key in wave.stalls}
    stalls = [Stall(*key, tuple(wave.stalls.get(key, 0) for wave in unit.waves)) for key in keys]
    found = tuple(sorted(stalls, key=lambda stall: (-stall.clk, stall.index, stall.reason)))
    matrix_clk = float(sum(simd.matrix_clk for simd in unit.simds))
    loop = loops[0]
    if loop is None:
        return Phase(total, total, 0.0, 0, 0, 0, matrix_clk, found)
    times = [unit.waves[0].issued[place] for place in loop.places]
    if len(unit.live) > 1:
        period = _joint_period(unit, loops)
    else:
        deltas = [after - before for before, after in pairwise(times)]
        first = min(FIRST_STEADY, len(deltas) // 2)
        period = fmean(deltas[first : max(len(deltas) - LAST_STEADY, first + 1)])
    # A wave that goes first at every turn runs faster than all together do: the matrix units bound the period.
    period = max(period, busiest)
    epilogue = total - times[-1] - round(period)
    return Phase(
        total + round(cut * period), times[0], period, loop.iterations + cut, loop.iterations, max(epilogue, 0),
        matrix_clk, found, _turn(unit, loop),
    )  # fmt: skip


def _turn(unit: ComputeUnit, loop: _Loop) -> Turn:
    """Return the turn in the middle of the first wave's loop."""
    first = unit.waves[0]
    middle = (loop.iterations - 1) // 2
    begin, end = (first.issued[place] for place in loop.places[middle : middle + 2])
    issues = {
        wave.number: tuple(
            (uop.index, clk - begin) for uop, clk in zip(wave.stream, wave.issued, strict=True) if begin <= clk < end
        )
        for wave in unit.waves
        if (wave.group, wave.simd) == (first.group, first.simd)
    }
    return Turn(end - begin, issues)


def _joint_period(unit: ComputeUnit, loops: Sequence[_Loop | None]) -> float:
    """Return the clocks in which all workgroups of a CU together make an iteration each.

    The oldest go first, so that some are in their loop while others are done with it: the whole span counts.
    """
    spans = [
        (wave.issued[loop.places[0]], wave.issued[loop.places[-1]], loop.iterations - 1)
        for wave, loop in zip(unit.waves, loops, strict=True)
        if loop is not None
    ]
    return (max(end for _, end, _ in spans) - min(begin for begin, _, _ in spans)) / max(n for _, _, n in spans)

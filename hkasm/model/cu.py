"""One compute unit, played slot by slot: four SIMDs, LDS behind two pairs of them, the vector cache, barriers.

Every four clocks each SIMD offers its waves, by priority and age, one issue of each class (vector, memory, scalar,
other) and at most one a wave. An instruction issues when what it needs is free; else the wave is asked again when that
is, and the clocks between go to the reason. LDS and the vector cache serve and return in order of issue, so that the
time at which an access is done is known when it issues, and waits are a look at a list.

Sources of the rules: rocprofiler-compute's performance model (slots, classes, buses), AMD's Gluon tutorials (queues,
ports); of the numbers: `hkasm.model.constants`. Not modelled: cold misses of the instruction cache, conflicts of direct
loads with LDS reads, sets of the vector cache.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle

from hkasm.errors import UsageError
from hkasm.model.constants import Timing
from hkasm.model.uops import MEMORY, Uop

__all__ = ["ComputeUnit", "Stream", "Wave"]

FOREVER = 1 << 60
SLOT = 4
SIMD_ORDER = (0, 2, 1, 3)
"""SIMDs in the order in which waves are put on them (SQTT)."""
SIMDS = len(SIMD_ORDER)

Stream = Sequence[Uop]


@dataclass(slots=True)
class _Simd:
    number: int
    waves: list[Wave] = field(default_factory=list)
    next: int = 0
    matrix_free: int = 0
    port_free: int = 0
    vector_free: int = 0
    last_memory: int = -1
    matrix_clk: int = 0


@dataclass(slots=True)
class _Pair:
    """What two SIMDs share of LDS: the issue bus, the queue (when each entry leaves it) and the return bus."""

    bus_free: int = 0
    back_free: int = 0
    queue: deque[int] = field(default_factory=deque)


@dataclass(slots=True, eq=False)
class Wave:
    """A wave with its stream; `issued` are the times of its instructions, `stalls` maps (index, reason) to clk."""

    number: int
    group: int
    simd: int
    stream: Stream
    ready: int
    age: int
    place: int = 0
    priority: int = 0
    vm: deque[int] = field(default_factory=deque)
    lgkm: deque[int] = field(default_factory=deque)
    stalls: dict[tuple[int, str], int] = field(default_factory=dict)
    issued: list[int] = field(default_factory=list)
    arrived: tuple[int, int] = (0, 0)


class ComputeUnit:
    """Plays the streams of some workgroups' waves.

    `latencies` are what successive global loads take behind the vector cache, again from the first after the last;
    `starts` the clock at which each wave begins.
    """

    def __init__(
        self, t: Timing, groups: Sequence[Sequence[Stream]], latencies: Sequence[int], starts: Sequence[int]
    ) -> None:
        self.t, self.latencies = t, cycle(latencies)
        self.simds = [_Simd(number) for number in range(SIMDS)]
        self.pairs = (_Pair(), _Pair())
        self.banks = self.write_free = 0
        self.dma: deque[tuple[int, int]] = deque()
        self.tcp_free = 0
        self.queue: deque[int] = deque()
        self.flying: deque[tuple[int, int]] = deque()
        self.flying_bytes = 0
        self.waves: list[Wave] = []
        self.live = [len(streams) for streams in groups]
        self.waiting: list[list[Wave]] = [[] for _ in groups]
        self.reason = ""
        for group, streams in enumerate(groups):
            for number, stream in enumerate(streams):
                place = len(self.waves)
                simd = self.simds[SIMD_ORDER[place % SIMDS]]
                wave = Wave(number, group, simd.number, stream, starts[place] // SLOT * SLOT, place)
                self.waves.append(wave)
                simd.waves.append(wave)
        self._constants()

    def _constants(self) -> None:
        t = self.t
        self._lds_fifo, self._vmem_fifo = int(t.lds_fifo.value), int(t.vmem_fifo.value)
        self._lds_latency, self._write_latency = int(t.lds_latency.value), int(t.lds_write_latency.value)
        self._inflight, self._store_latency = int(t.inflight_bytes.value), int(t.store_latency.value)
        self._scalar_latency, self._barrier = int(t.scalar_latency.value), int(t.barrier.value)
        self._taken, self._dma_rate = int(t.branch_taken.value), t.dma_write.value
        port = int(t.mfma_port_scaled.value)
        scaled = any(uop.kind == "mfma" and uop.port == port for wave in self.waves for uop in wave.stream)
        self._scaled = port if scaled else 0

    def run(self) -> int:
        """Play to the end; returns the clock at which the last wave has ended.

        Raises:
            UsageError: waves wait for others that have ended or wait elsewhere.
        """
        now, simds = 0, self.simds
        while True:
            soonest = min(simd.next for simd in simds)
            if soonest >= FOREVER:
                break
            now = max(now, -(-soonest // SLOT) * SLOT)
            for simd in sorted(simds, key=_by_last_memory):
                if simd.next <= now:
                    self._slot(simd, now)
            now += SLOT
        if any(self.waiting):
            raise UsageError("the streams deadlock: waves wait at a barrier that others never reach")
        return max((wave.issued[-1] + SLOT for wave in self.waves if wave.issued), default=0)

    def _slot(self, simd: _Simd, now: int) -> None:
        taken = 0
        soonest = FOREVER
        for wave in simd.waves:
            ready = wave.ready
            if ready <= now:
                uop = wave.stream[wave.place]
                bit = 1 << uop.group
                if taken & bit:
                    again, self.reason = now + SLOT, "arbitration"
                else:
                    again = self._issue(simd, wave, uop, now)
                if again:
                    key = (uop.index, self.reason)
                    wave.stalls[key] = wave.stalls.get(key, 0) + again - now
                    wave.ready = again
                else:
                    taken |= bit
                    wave.issued.append(now)
                    wave.place += 1
                    if wave.place == len(wave.stream):
                        self._end(wave, now)
                ready = wave.ready
            soonest = min(soonest, ready)
        simd.next = soonest

    def _issue(self, simd: _Simd, wave: Wave, uop: Uop, now: int) -> int:
        """Issue an instruction and return 0, or return when to ask again."""
        kind = uop.kind
        wave.ready = now + SLOT
        if kind == "mfma":
            return self._matrix(simd, uop, now)
        if kind == "valu":
            return self._vector(simd, uop, now)
        if uop.group == MEMORY:
            if free := simd.port_free if simd.port_free > now else self._scaled_first(simd, now):
                self.reason = "register port"
                return free
            again = self._lds(simd, wave, uop, now) if kind.startswith("lds") else self._global(wave, uop, now)
            if not again:
                simd.last_memory = now
            return again
        if kind == "wait":
            return self._wait(wave, uop, now)
        if kind == "other":
            wave.ready = now + uop.busy
        elif kind == "branch":
            following = wave.stream[wave.place + 1].index if wave.place + 1 < len(wave.stream) else uop.index + 1
            if following != uop.index + 1:
                wave.ready = now + self._taken
        elif kind == "barrier":
            self._arrive(wave, uop, now)
        elif kind == "priority":
            wave.priority = uop.value
            simd.waves.sort(key=_by_priority)
        elif kind == "scalar_load":
            wave.lgkm.append(now + self._scalar_latency)
        return 0

    # ---- vector and matrix unit -------------------------------------------------------------------------------------

    def _matrix(self, simd: _Simd, uop: Uop, now: int) -> int:
        if simd.matrix_free > now:
            self.reason = "matrix unit"
            return simd.matrix_free
        if simd.vector_free > now or simd.port_free > now:
            self.reason = "vector unit"
            return max(simd.vector_free, simd.port_free)
        simd.matrix_free = now + uop.busy
        simd.port_free = now + uop.port
        simd.matrix_clk += uop.busy
        return 0

    def _scaled_first(self, simd: _Simd, now: int) -> int:
        """Return when the register port is free behind a scaled product that can issue in this slot; 0: there is none.

        Its scales are fetched in the slot in which it issues, and it goes first whatever the priorities (AMD's gfx950
        tutorials, a4w4).
        """
        if self._scaled and simd.matrix_free <= now and simd.vector_free <= now:
            for wave in simd.waves:
                if wave.ready <= now and (uop := wave.stream[wave.place]).kind == "mfma" and uop.port == self._scaled:
                    return now + uop.port
        return 0

    def _vector(self, simd: _Simd, uop: Uop, now: int) -> int:
        if simd.port_free > now:
            self.reason = "register port"
            return simd.port_free
        if simd.vector_free > now:
            self.reason = "vector unit"
            return simd.vector_free
        if uop.alone and simd.matrix_free > now:
            self.reason = "matrix unit"
            return simd.matrix_free
        simd.vector_free = now + uop.busy
        return 0

    # ---- LDS --------------------------------------------------------------------------------------------------------

    def _lds(self, simd: _Simd, wave: Wave, uop: Uop, now: int) -> int:
        pair = self.pairs[simd.number & 1]
        if pair.bus_free > now:
            self.reason = "LDS bus"
            return pair.bus_free
        queue = pair.queue
        while queue and queue[0] <= now:
            queue.popleft()
        if len(queue) >= self._lds_fifo:
            self.reason = "LDS queue"
            return queue[0]
        arrival = now + uop.bus
        start = max(arrival, self.banks, pair.back_free)
        if uop.kind == "lds_write":
            start = self._beside_dma(max(start, self.write_free), uop.bank)
            self.write_free = start + uop.bank
            wave.ready = arrival  # its data leave the registers: a b128 write issues in about 20 clk (gfx942 tutorial)
        pair.bus_free = arrival
        pair.back_free = start + uop.back
        # What the banks have yet to do; an access that waits for its return bus leaves them to others.
        self.banks = max(self.banks, arrival) + uop.bank
        queue.append(start)
        latency = self._lds_latency if uop.back else self._write_latency
        wave.lgkm.append(start + max(uop.bank, uop.back) + latency)
        return 0

    def _beside_dma(self, start: int, clk: int) -> int:
        """Return when a write finds the write port free of direct loads, which go first."""
        while self.dma and self.dma[0][1] < start - 4096:
            self.dma.popleft()
        for begin, end in self.dma:
            if begin < start + clk and start < end:
                start = end
        return start

    # ---- global memory ----------------------------------------------------------------------------------------------

    def _global(self, wave: Wave, uop: Uop, now: int) -> int:
        queue = self.queue
        while queue and queue[0] <= now:
            queue.popleft()
        if len(queue) >= self._vmem_fifo:
            self.reason = "VMEM queue"
            return queue[0]
        start = max(now + SLOT, self.tcp_free)
        if uop.kind == "store":
            done = start + uop.service + self._store_latency
        else:
            flying = self.flying
            while flying and (flying[0][0] <= start or self.flying_bytes + uop.bytes > self._inflight):
                start = max(start, flying[0][0])
                self.flying_bytes -= flying.popleft()[1]
            done = start + uop.service + next(self.latencies)
            if flying:
                done = max(done, flying[-1][0])
            flying.append((done, uop.bytes))
            self.flying_bytes += uop.bytes
            if uop.kind == "direct":
                self.dma.append((done, done + round(uop.bytes / self._dma_rate)))
        self.tcp_free = start + uop.service
        queue.append(start)
        wave.vm.append(max(done, wave.vm[-1]) if wave.vm else done)
        return 0

    # ---- waits, barriers, ends --------------------------------------------------------------------------------------

    def _wait(self, wave: Wave, uop: Uop, now: int) -> int:
        for reason, flying, count in (("vmcnt", wave.vm, uop.vm), ("lgkmcnt", wave.lgkm, uop.lgkm)):
            if count < 0:
                continue
            while len(flying) > count:
                if flying[0] > now:
                    self.reason = reason
                    return flying[0]
                flying.popleft()
        return 0

    def _arrive(self, wave: Wave, uop: Uop, now: int) -> None:
        wave.ready, wave.arrived = FOREVER, (uop.index, now)
        waiting = self.waiting[wave.group]
        waiting.append(wave)
        if len(waiting) == self.live[wave.group]:
            self._release(wave.group, now)

    def _release(self, group: int, now: int) -> None:
        release = now + self._barrier
        for wave in self.waiting[group]:
            wave.ready = release
            index, arrived = wave.arrived
            key = (index, "barrier")
            wave.stalls[key] = wave.stalls.get(key, 0) + release - arrived - SLOT
            simd = self.simds[wave.simd]
            simd.next = min(simd.next, release)
        self.waiting[group] = []

    def _end(self, wave: Wave, now: int) -> None:
        wave.ready = FOREVER
        self.live[wave.group] -= 1
        waiting = self.waiting[wave.group]
        if waiting and len(waiting) == self.live[wave.group]:
            self._release(wave.group, now)


def _by_last_memory(simd: _Simd) -> int:
    return simd.last_memory


def _by_priority(wave: Wave) -> tuple[int, int]:
    return -wave.priority, wave.age

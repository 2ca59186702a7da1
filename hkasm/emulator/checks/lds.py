"""LDS races: who wrote and read each LDS granule last, and whether a barrier lies between.

Time is counted in events: one for each LDS instruction of a batch, each landing, each barrier. Per granule the shadow
keeps `writer`, the event and wave of the last write (bit 31: a direct-to-LDS load in flight, bit 30: an atomic), and
per wave of the workgroup `reader`, the event of its last read. Per workgroup and wave two horizons say up to which
event the wave's writes and reads were proven done when it last arrived at a barrier: an access is ordered before
another wave's if its event is not beyond the horizon. LDS operations drain in order, so that one number a wave is
enough; a direct-to-LDS load becomes a write at its landing.

A granule is as small as the smallest access so far (1 to 16 bytes); a smaller or misaligned one splits all granules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator import faults
from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import I64, Listener, Mask
from hkasm.emulator.memory import POISON_PATTERN, Bytes
from hkasm.isa.counters import counter_max

if TYPE_CHECKING:
    from hkasm.emulator.op import Op
    from hkasm.emulator.run import Run
    from hkasm.emulator.scoreboard import Pending

__all__ = ["LdsCheck"]

U32 = NDArray[np.uint32]
IN_FLIGHT = np.uint32(1 << 31)
ATOMIC = np.uint32(1 << 30)
WAVE_BITS = 4
WAVE_MASK = (1 << WAVE_BITS) - 1
EVENT_MASK = (1 << 26) - 1
MAX_EVENT = (1 << 26) - 2
_POISON_BYTES = np.array([POISON_PATTERN], dtype="<u4").view(np.uint8)


class LdsCheck(Listener):
    """Report LDS races, reads of bytes in flight and of bytes never written.

    Kernels of others read rows of a tile that nobody wrote and drop what comes of them (AITER's MLA for 8 heads fills
    half of 16 rows): there such bytes are undefined values, followed like any other, where these are looked for.
    """

    name = "lds"

    def start(self, run: Run) -> None:
        self.run = run
        self.follows = run.code.kernel.hkasm is None and bool(run.on_undefined)
        self.event = 0
        self.ops: list[Op | None] = [None]
        self.shift = 4
        self.waves = run.waves_per_group
        # One more than there are: lanes that take no part look at the first.
        granules = (run.groups * run.lds_stride >> self.shift) + 1
        self.writer: U32 = np.zeros(granules, dtype=np.uint32)
        self.reader: U32 = np.zeros(granules * self.waves, dtype=np.uint32)
        shape = (run.groups, self.waves)
        self.write_horizon: U32 = np.zeros(shape, dtype=np.uint32)
        self.read_horizon: U32 = np.zeros(shape, dtype=np.uint32)

    # ---- events -----------------------------------------------------------------------------------------------------

    def _tick(self, op: Op | None) -> int:
        if self.event >= MAX_EVENT:
            self._restart()
        self.event += 1
        self.ops.append(op)
        return self.event

    def _restart(self) -> None:
        """Begin to count again: everything so far counts as ordered."""
        written = self.writer != 0
        self.writer[written] = 1 << WAVE_BITS
        self.reader[...] = 0
        self.write_horizon[...] = self.read_horizon[...] = 1
        self.ops = [None, None]
        self.event = 1

    def barrier(self, batch: Batch) -> None:
        now = self._tick(None)
        pending_write = pending_read = now
        for pending in batch.board.lds:
            if pending.event and pending.kind == "load":
                pending_read = min(pending_read, pending.event - 1)
            elif pending.event:
                pending_write = min(pending_write, pending.event - 1)
        self.write_horizon[batch.group, batch.wave] = pending_write
        self.read_horizon[batch.group, batch.wave] = pending_read

    # ---- granules ---------------------------------------------------------------------------------------------------

    def _granules(self, index: I64, size: int, lanes: Mask | None) -> list[I64]:
        """Return the granule numbers that each access touches, one array for each step through it."""
        low = (1 << self.shift) - 1
        if low:
            used = index if lanes is None else index[lanes]
            bits = (int(np.bitwise_or.reduce(used, axis=None)) if used.size else 0) | size
            if bits & low:
                self._split((bits & -bits).bit_length() - 1)
        if lanes is not None:
            index = np.where(lanes, index, 0)
        first = index >> self.shift
        return [first + step if step else first for step in range(max(size >> self.shift, 1))]

    def _split(self, shift: int) -> None:
        parts = 1 << (self.shift - shift)
        self.writer = np.repeat(self.writer, parts)
        self.reader = np.repeat(self.reader.reshape(-1, self.waves), parts, axis=0).reshape(-1)
        self.shift = shift

    # ---- accesses ---------------------------------------------------------------------------------------------------

    def lds_read(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        event = self._tick(pending.op)
        pending.event = event
        granules = self._granules(index, size, lanes)
        # One comparison finds what was never written (0 wraps round) and what lies beyond the horizon.
        horizon = self.write_horizon[batch.group].min(axis=1)
        limit = ((horizon << np.uint32(WAVE_BITS)) + np.uint32(WAVE_MASK))[:, None]
        wave = batch.wave[:, None]
        for granule in granules:
            code = self.writer.take(granule)
            code -= np.uint32(1)
            suspect = code >= limit
            if suspect.any():
                self._judge_read(batch, pending, granule, suspect, lanes)
            places = granule * self.waves + wave
            if lanes is None:
                self.reader[places] = event
            else:
                self.reader[places[lanes]] = event

    def lds_write(
        self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None, atomic: bool
    ) -> None:
        event = self._tick(pending.op)
        pending.event = event
        code = (batch.wave + (event << WAVE_BITS)).astype(np.uint32)[:, None]
        if atomic:
            code = code | ATOMIC
        for granule in self._granules(index, size, lanes):
            self._judge_write(batch, pending.op, granule, lanes, atomic=atomic, direct=False)
            self._mark(granule, code, lanes)
            if not atomic:
                self._judge_together(batch, pending.op, granule, code, lanes)

    def lds_load(self, batch: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> None:
        event = self._tick(pending.op)
        pending.event = event
        code = ((batch.wave + (event << WAVE_BITS)).astype(np.uint32) | IN_FLIGHT)[:, None]
        for granule in self._granules(index, size, lanes):
            self._judge_write(batch, pending.op, granule, lanes, atomic=False, direct=True)
            self._mark(granule, code, lanes)
            self._judge_together(batch, pending.op, granule, code, lanes, _source(pending))

    def retire(self, batch: Batch, done: list[Pending]) -> None:
        """A direct-to-LDS load that is proven done counts as a write of its wave from now on."""
        for pending in done:
            if pending.kind != "direct" or pending.index is None or not pending.event:
                continue
            event = self._tick(pending.op)
            code = (batch.wave + (event << WAVE_BITS)).astype(np.uint32)[:, None]
            for granule in self._granules(pending.index, pending.size, pending.lanes):
                self._mark(granule, code, pending.lanes)

    def _mark(self, granule: I64, code: U32, lanes: Mask | None) -> None:
        if lanes is None:
            self.writer[granule] = code
        else:
            self.writer[granule[lanes]] = np.broadcast_to(code, granule.shape)[lanes]

    # ---- judgement --------------------------------------------------------------------------------------------------

    def _judge_read(self, batch: Batch, pending: Pending, granule: I64, suspect: Mask, lanes: Mask | None) -> None:
        """Tell which suspect lanes are at fault: never written, in flight, or another wave's and not ordered."""
        code = self.writer.take(granule)
        if lanes is not None:
            suspect = suspect & lanes
        never = suspect & (code == 0)
        if never.any():
            if self.follows:
                self._make_undefined(granule[never])
            else:
                self._report(batch, pending.op, "lds-uninitialised", never, granule, None)
        flying = suspect & ((code & IN_FLIGHT) != 0)
        if flying.any():
            self._report(batch, pending.op, "lds-in-flight", flying, granule, code)
        raced = suspect & (code != 0) & ((code & IN_FLIGHT) == 0) & self._unordered_writer(batch, code)
        if raced.any():
            self._report(batch, pending.op, "lds-race", raced, granule, code)

    def _make_undefined(self, granules: I64) -> None:
        """Mark bytes that nobody wrote, for the read that is about to fetch them; writes make them defined."""
        lds = self.run.lds
        if lds.undefined is None:
            lds.undefined = Bytes(lds.size)
        places = (granules[:, None] << self.shift) + np.arange(1 << self.shift)
        lds.undefined.u8[places] = 0xFF
        lds.u8[places] = _POISON_BYTES[places & 3]

    def _unordered_writer(self, batch: Batch, code: U32) -> Mask:
        """Tell where the last write is another wave's and lies beyond its horizon."""
        wave = (code & np.uint32(WAVE_MASK)).astype(np.intp)
        event = (code >> np.uint32(WAVE_BITS)) & np.uint32(EVENT_MASK)
        horizon = self.write_horizon[batch.group[:, None], wave]
        result: Mask = (wave != batch.wave[:, None]) & (event > horizon)
        return result

    def _judge_write(
        self, batch: Batch, op: Op, granule: I64, lanes: Mask | None, *, atomic: bool, direct: bool
    ) -> None:
        """Report a write over bytes that somebody else wrote, reads or will write, with no order between."""
        code = self.writer.take(granule)
        if atomic:
            never = code == 0 if lanes is None else (code == 0) & lanes
            if never.any():
                self._report(batch, op, "lds-uninitialised", never, granule, None)
        horizon = self.write_horizon[batch.group].min(axis=1)
        suspect = code >= ((horizon + np.uint32(1)) << np.uint32(WAVE_BITS))[:, None]
        if lanes is not None:
            suspect &= lanes
        if suspect.any():
            self._judge_overwrite(batch, op, granule, code, suspect, atomic=atomic, direct=direct)
        limits = self.read_horizon[batch.group]
        waves = np.arange(batch.waves)
        # One's own ds operations are in order; a direct-to-LDS load is ordered behind none of them.
        limits[waves, batch.wave] = self._own_reads_done(batch) if direct else EVENT_MASK
        readers = self.reader.reshape(-1, self.waves).take(granule, axis=0)
        late = readers > limits[:, None, :]
        if late.any():
            hit: Mask = np.asarray(late.any(axis=-1))
            if lanes is not None:
                hit &= lanes
            if hit.any():
                event = np.where(late, readers, 0).max(axis=-1)
                wave = np.where(late, readers, 0).argmax(axis=-1)
                found = ((event << WAVE_BITS) | wave).astype(np.uint32)
                self._report(batch, op, "lds-read-pending", hit, granule, found)

    def _judge_together(
        self, batch: Batch, op: Op, granule: I64, code: U32, lanes: Mask | None, source: I64 | None = None
    ) -> None:
        """Report granules that several waves of the batch write in this very instruction.

        `source` is where each lane's bytes come from: AITER's attention has every wave fetch the same bytes to the same
        place, which is a remark.
        """
        last = self.writer.take(granule)
        clash = last != code
        if lanes is not None:
            clash &= lanes
        if clash.any():
            same = source is not None and _is_function(granule, source, lanes)
            self._report(batch, op, "lds-race", clash, granule, last, is_same=same)

    def _own_reads_done(self, batch: Batch) -> int:
        """Return the event up to which the batch's own reads are proven done."""
        for pending in batch.board.lds:
            if pending.event and pending.kind == "load":
                return pending.event - 1
        return EVENT_MASK

    def _judge_overwrite(
        self, batch: Batch, op: Op, granule: I64, code: U32, suspect: Mask, *, atomic: bool, direct: bool
    ) -> None:
        flying = suspect & ((code & IN_FLIGHT) != 0)
        if flying.any():
            self._report(batch, op, "lds-in-flight", flying, granule, code)
        raced = suspect & ((code & IN_FLIGHT) == 0) & self._unordered_writer(batch, code)
        if atomic:
            raced &= (code & ATOMIC) == 0
        if direct:
            raced |= suspect & self._own_write_pending(batch, code)
        if raced.any():
            self._report(batch, op, "lds-race", raced, granule, code)

    def _own_write_pending(self, batch: Batch, code: U32) -> Mask:
        """Tell where the batch's own ds write, over which a direct-to-LDS load goes, is not proven done."""
        oldest = EVENT_MASK
        for pending in batch.board.lds:
            if pending.event and pending.kind == "store":
                oldest = pending.event
                break
        own = (code & np.uint32(WAVE_MASK)) == batch.wave[:, None]
        event = (code >> np.uint32(WAVE_BITS)) & np.uint32(EVENT_MASK)
        result: Mask = own & (event >= oldest) & ((code & IN_FLIGHT) == 0)
        return result

    def _report(
        self, batch: Batch, op: Op, rule: str, hit: Mask, granule: I64, code: U32 | None, *, is_same: bool = False
    ) -> None:
        wave, lane = (int(axis[0]) for axis in np.nonzero(hit))
        _, byte = self.run.lds.offset(int(granule[wave, lane]) << self.shift)
        other: Op | None = None
        owner = ""
        if code is not None:
            word = int(code[wave, lane])
            other = self.ops[word >> WAVE_BITS & EVENT_MASK]
            number = word & WAVE_MASK
            owner = "the same wave" if number == int(batch.wave[wave]) else f"wave {number}"
        reporter = self.run.reporter
        severity = "remark" if is_same else "error"
        identity = (op.index, other.index if other is not None else -1, severity)
        if reporter.is_known(rule, *identity):
            return
        message, hint = _describe(rule, op, other, owner, self._region(byte))
        if code is not None and other is not None:
            number = int(code[wave, lane]) & WAVE_MASK
            hint = self._mend(batch, rule, other, int(batch.group[wave]), number, owner) or hint
        message += "; they are the same bytes" if is_same else ""
        finding = faults.make(batch, op, rule, message, hit, other=other, address=byte, severity=severity, hint=hint)
        reporter.add(finding, *identity)

    def _mend(self, batch: Batch, rule: str, other: Op, group: int, wave: int, owner: str) -> str:
        """Return the wait that would have been enough, where the other wave is still on its way to it."""
        run = batch.run
        of_wave = [
            each for each in (batch, *run.ready, *run.waiting) if ((each.group == group) & (each.wave == wave)).any()
        ]
        queue = list(of_wave[0].board.vm if rule == "lds-in-flight" else of_wave[0].board.lds) if of_wave else []
        places = [place for place, pending in enumerate(queue) if pending.op is other]
        if not places:
            is_done = of_wave and rule == "lds-race" and owner != "the same wave"
            return f"s_barrier between the two; {owner} has waited for its write already" if is_done else ""
        counter = "vmcnt" if rule == "lds-in-flight" else "lgkmcnt"
        most = counter_max(run.code.arch, counter) - 1
        wait = f"s_waitcnt {counter}({min(len(queue) - 1 - places[-1], most)})"
        if owner == "the same wave":
            return f"{wait} before this line"
        return f"{owner} waits with {wait}, then s_barrier, then this line"

    def _region(self, byte: int) -> str:
        names = self.run.code.kernel.hkasm
        for region in names["lds"] if names else ():
            if region.offset <= byte < region.offset + region.bytes:
                return f"LDS byte {byte:#x} ({region.name} + {byte - region.offset:#x})"
        return f"LDS byte {byte:#x}"


def _source(pending: Pending) -> I64 | None:
    """Return the address that each lane of a direct-to-LDS load fetches, -1 where it is out of range."""
    if pending.address is None or pending.parts is None:
        return pending.address
    return np.where(pending.parts.all(axis=0), pending.address, -1)


def _is_function(key: I64, value: I64, lanes: Mask | None) -> bool:
    """Tell whether equal keys have equal values."""
    keys, values = (key, value) if lanes is None else (key[lanes], value[lanes])
    order = np.lexsort((values.ravel(), keys.ravel()))
    keys, values = keys.ravel()[order], values.ravel()[order]
    return not ((keys[1:] == keys[:-1]) & (values[1:] != values[:-1])).any()


def _describe(rule: str, op: Op, other: Op | None, owner: str, where: str) -> tuple[str, str]:
    """Return message and hint of a finding."""
    memory = op.inst.spec.memory
    verb = "reads" if memory is not None and memory.op == "load" and not memory.to_lds else "writes"
    by = f"{other.title} of {other.inst.origin}" if other is not None else "an earlier instruction"
    if rule == "lds-uninitialised":
        return f"reads {where}, which nobody wrote", "write it first, or check the address"
    if rule == "lds-in-flight":
        return (
            f"{verb} {where} while {by} ({owner}) is still on its way there (vmcnt)",
            "the wave that issued the load waits for it (vmcnt), then a barrier, then this line",
        )
    if rule == "lds-read-pending":
        return (
            f"writes {where}, which {by} ({owner}) may not have read yet",
            "the reading wave waits (lgkmcnt), then a barrier, then this line",
        )
    return (
        f"{verb} {where}, which {by} ({owner}) wrote, with no wait and barrier between",
        "the writing wave waits for its write, then a barrier, then this line",
    )

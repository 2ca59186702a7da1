"""Races in global memory: two waves at the same bytes, one of them writing, and nothing that orders the two.

One listener watches a whole launch. Time is counted in memory instructions of batches. An access comes before another
wave's when that wave has learnt of a time at which the first was proven done: at a barrier of its workgroup, or through
an atomic. Every atomic, and every load and store of device scope (sc1), is a meeting point: a wave that stores there
leaves what it has finished (by its waits) and what it has learnt; a wave whose load or atomic comes after takes that
along. Accesses that are both atomic in a scope wide enough do not race. What is in order between workgroups must also
get through their caches: the check `visibility` (`hkasm.emulator.checks.visibility`).

What can be missed: of the earlier reads of a byte only two are known (`Shadow`); an atomic whose lanes go to many
addresses orders its wave before all that meet it anywhere, so that nothing is told wrongly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator import faults
from hkasm.emulator.batch import Batch
from hkasm.emulator.checks.shadow import SCOPE_SHIFT, TIME_SHIFT, WAVE_MASK, Shadow
from hkasm.emulator.checks.visibility import STALE, UNWRITTEN, Visibility, reaches_device
from hkasm.emulator.listener import I64, Listener, Mask
from hkasm.emulator.memory import Buffer, Span
from hkasm.emulator.report import RunReport

if TYPE_CHECKING:
    from hkasm.emulator.op import Op
    from hkasm.emulator.run import Run
    from hkasm.emulator.scoreboard import Pending

__all__ = ["RaceCheck"]

U32 = NDArray[np.uint32]
PLAIN, WORKGROUP, DEVICE = 0, 1, 2
MEETING_LANES = 16
"""An atomic of a wave that goes to more addresses than these is data, and no meeting point of its own."""
SHADOW_BYTES = 1 << 30
MEETING_BYTES = 1 << 28
LATER_BYTES = 1 << 28
"""Addresses of reads that are put off, over all buffers."""
ANYWHERE = -1


def scope_of(op: Op) -> int:
    """Return how far an access is atomic (LLVM's memory model for gfx942: sc0 workgroup, sc1 device)."""
    memory, mods = op.inst.spec.memory, op.inst.mods
    if memory is not None and memory.op == "atomic":
        return DEVICE
    if mods.get("sc1") or mods.get("glc"):
        return DEVICE
    return WORKGROUP if mods.get("sc0") else PLAIN


class RaceCheck(Listener):
    """Report races in global memory and, unless `visibility` is False, messages that caches hold up."""

    name = "races"

    def __init__(self, *, visibility: bool = True) -> None:
        self.wants_visibility = visibility
        self.visibility: Visibility | None = None
        self.time = 0
        self.ops: list[Op | None] = [None]
        self.shadows: dict[int, Shadow] = {}
        self.shadow_bytes = self.unwatched = self.later_bytes = 0
        self.scopes: dict[int, int] = {}
        # By address: the times [reads, writes, writes written back; waves] up to which a wave that comes by knows the
        # others done.
        self.left: dict[int, I64] = {}
        self.views: dict[int, I64] = {}
        self.total = 0
        self.trusts = False

    def start(self, run: Run) -> None:
        self.per_group = run.waves_per_group
        if not self.total:
            self.total = run.launch.groups * run.waves_per_group
            self.done: I64 = np.zeros((2, self.total), dtype=np.int64)
            if self.wants_visibility and run.launch.groups > 1:
                self.visibility = Visibility(run.launch.groups)

    def finish(self, report: RunReport) -> None:
        if self.unwatched:
            report.count("race_check_bytes_unwatched", self.unwatched)

    # ---- order ------------------------------------------------------------------------------------------------------

    def _waves(self, batch: Batch) -> I64:
        """Return the numbers of the batch's waves among all of the launch, [W]."""
        return (batch.group + batch.run.numbers.start) * self.per_group + batch.wave

    def _finished(self, batch: Batch) -> tuple[int, int]:
        """Return the times up to which the batch's own reads and writes are proven done."""
        reads = writes = self.time
        for pending in batch.board:
            if pending.time and pending.kind:
                if pending.kind != "store":
                    reads = min(reads, pending.time - 1)
                else:
                    writes = min(writes, pending.time - 1)
        return reads, writes

    def barrier(self, batch: Batch) -> None:
        waves = self._waves(batch)
        self.done[:, waves] = np.array(self._finished(batch))[:, None]
        if not self.views:
            return
        for group in np.unique(waves // self.per_group):
            members = range(int(group) * self.per_group, (int(group) + 1) * self.per_group)
            known = [self.views[wave] for wave in members if wave in self.views]
            if known:
                view: I64 = np.maximum.reduce(known)
                self.views.update(dict.fromkeys(members, view))

    def _knowledge(self, batch: Batch, wave: int) -> I64:
        """Return what a wave can pass on: times [3, waves] up to which each wave is done, as far as it knows."""
        group = wave // self.per_group
        known = self.views[wave].copy() if wave in self.views else np.zeros((3, self.total), dtype=np.int64)
        mates = slice(group * self.per_group, (group + 1) * self.per_group)
        known[:2, mates] = np.maximum(known[:2, mates], self.done[:, mates])
        known[:2, wave] = self._finished(batch)
        if self.visibility is not None:
            known[2, mates] = np.maximum(known[2, mates], self.visibility.written_back[group])
        return known

    def _leave(self, batch: Batch, wave: int, place: int) -> None:
        known = self._knowledge(batch, wave)
        before = self.left.get(place)
        if before is None and (len(self.left) + 1) * known.nbytes > MEETING_BYTES:
            self.trusts = True
            return
        self.left[place] = known if before is None else np.maximum(before, known)

    def _take(self, wave: int, places: list[int]) -> None:
        known = [self.left[place] for place in (*places, ANYWHERE) if place in self.left]
        if known:
            mine = self.views.get(wave)
            self.views[wave] = np.maximum.reduce(known if mine is None else [mine, *known])

    def _meet(self, batch: Batch, address: I64, lanes: Mask | None, *, takes: bool, leaves: bool) -> None:
        """Let each wave take along what was left at its addresses, and leave what it knows there."""
        if not leaves and not self.left:
            return
        address = address.reshape(batch.waves, -1)
        for number, wave in enumerate(self._waves(batch)):
            row = address[number] if lanes is None else address[number][lanes[number]]
            places = [int(place) for place in np.unique(row >> 2)]
            if takes and (len(places) <= MEETING_LANES or not leaves):
                self._take(int(wave), places)
            if leaves:
                for place in places if len(places) <= MEETING_LANES else [ANYWHERE]:
                    self._leave(batch, int(wave), place)

    def cache(self, batch: Batch, pending: Pending) -> None:
        """A write-back counts from when it is proven done, an invalidation for what its wave knows of."""
        if self.visibility is None:
            return
        pending.time = self.time
        if reaches_device(pending.op, "buffer_inv"):
            for wave in map(int, self._waves(batch)):
                if wave in self.views:
                    self.visibility.invalidate(wave // self.per_group, self.views[wave][1])

    def retire(self, batch: Batch, done: list[Pending]) -> None:
        """A load of device scope meets whoever stored there before its value was taken."""
        if self.visibility is not None:
            for pending in done:
                if not pending.kind and reaches_device(pending.op, "buffer_wbl2"):
                    self.visibility.write_back(self._waves(batch) // self.per_group, pending.time)
        if not self.left:
            return
        for pending in done:
            is_load = pending.time > 0 and pending.kind == "load"
            if is_load and pending.address is not None and self._scope(pending.op):
                self._meet(batch, pending.address, pending.lanes, takes=True, leaves=False)

    def _scope(self, op: Op) -> int:
        scope = self.scopes.get(op.index)
        if scope is None:
            scope = self.scopes[op.index] = scope_of(op)
        return scope

    # ---- accesses ---------------------------------------------------------------------------------------------------

    def access(self, batch: Batch, pending: Pending, spans: list[Span], size: int, kind: str, data: U32 | None) -> None:
        op = pending.op
        self.time += 1
        self.ops.append(op)
        pending.time = self.time
        scope = self._scope(op)
        waves = self._waves(batch)
        scalar = bool(spans) and spans[0].index.ndim == 1
        mark = waves + (self.time << TIME_SHIFT | scope << SCOPE_SHIFT)
        if not scalar:
            waves, mark = waves[:, None], mark[:, None]
        is_atomic = kind == "an atomic"
        for span in spans:
            if not isinstance(span.buffer, Buffer):
                continue
            lanes = span.lanes
            index = span.index if lanes is None else np.where(lanes, span.index, span.index[lanes][0])
            if kind == "a load" and self._put_off(span.buffer, index, size, mark, waves, lanes):
                continue
            shadow = self._shadow(span.buffer, index, size)
            if shadow is None:
                continue
            if is_atomic and pending.op.inst.spec.memory is not None:
                self._meet(batch, index + span.buffer.address, lanes, takes=True, leaves=True)
            for step, granule in enumerate(shadow.granules(index, size)):
                place = step << shadow.shift
                if kind == "a load":
                    if shadow.is_written:
                        self._judge(batch, pending, span, shadow.writer.take(granule), waves, 1, place, data)
                    shadow.mark_read(granule, mark, waves // self.per_group & 1, lanes)
                    continue
                if shadow.is_written:
                    self._judge(batch, pending, span, shadow.writer.take(granule), waves, 1, place, data)
                for last in shadow.last_readers(granule):
                    self._judge(batch, pending, span, last, waves, 0, place, data)
                shadow.mark_written(granule, mark, lanes)
                if not is_atomic and batch.waves > 1:
                    self._judge_together(batch, pending, span, granule, shadow.writer.take(granule), waves, place, data)
            if kind == "a store" and scope:
                self._meet(batch, index + span.buffer.address, lanes, takes=False, leaves=True)

    def _put_off(self, buffer: Buffer, index: I64, size: int, mark: I64, waves: I64, lanes: Mask | None) -> bool:
        """Keep a read of a buffer that nobody has written for later; False where it must be marked now."""
        shadow = self.shadows.get(buffer.address)
        if shadow is None:
            shadow = self.shadows[buffer.address] = Shadow(buffer.size)
        if self.later_bytes + index.nbytes > LATER_BYTES:
            return False
        kept = shadow.put_off(index, size, mark, waves // self.per_group & 1, lanes)
        self.later_bytes += index.nbytes if kept else 0
        return kept

    def _shadow(self, buffer: Buffer, index: I64, size: int) -> Shadow | None:
        """Return the buffer's shadow, None where it would take too much memory; reads put off are marked first."""
        shadow = self.shadows.get(buffer.address)
        if shadow is None:
            shadow = self.shadows[buffer.address] = Shadow(buffer.size)
        if shadow.size < 0:
            return None
        if shadow.later is not None:
            later, shadow.later = shadow.later, None
            self.later_bytes -= shadow.later_bytes
            for earlier, size_then, mark, odd, lanes in later:
                if not self._has_room(shadow, earlier, size_then):
                    return None
                for granule in shadow.granules(earlier, size_then):
                    shadow.mark_read(granule, mark, odd, lanes)
        return shadow if self._has_room(shadow, index, size) else None

    def _has_room(self, shadow: Shadow, index: I64, size: int) -> bool:
        """Tell whether the shadow may take what an access needs; one that may not is given up."""
        now, wanted = shadow.bytes, shadow.bytes_for(index, size)
        if wanted > now:
            if self.shadow_bytes + wanted - now > SHADOW_BYTES:
                self.unwatched += shadow.size
                shadow.size = -1
                return False
            self.shadow_bytes += wanted - now
        return True

    def _judge(
        self,
        batch: Batch,
        pending: Pending,
        span: Span,
        last: I64,
        waves: I64,
        writes: int,
        place: int,
        data: U32 | None,
    ) -> None:
        """Report where the marks `last` are another wave's and nothing orders them before this access."""
        if not last.any():
            return
        who = last & WAVE_MASK
        suspect: Mask = (last != 0) & (who != waves)
        if span.lanes is not None:
            suspect &= span.lanes
        if not suspect.any():
            return
        when = last >> TIME_SHIFT
        is_mate = who // self.per_group == waves // self.per_group
        foreign = suspect & ~is_mate
        suspect &= ~is_mate | (when > self.done[writes].take(who))
        scope = self._scope(pending.op)
        if scope and suspect.any():
            needed = np.where(is_mate, WORKGROUP, DEVICE)
            suspect &= (scope < needed) | ((last >> SCOPE_SHIFT & 3) < needed)
        if self.views and suspect.any():
            for number in np.flatnonzero(suspect.reshape(batch.waves, -1).any(axis=1)):
                view = self.views.get(int(waves.flat[number]))
                if view is not None:
                    known = when[number] <= view[writes].take(who[number])
                    suspect[number] &= ~(known | self.trusts)
        if suspect.any():
            self._report(batch, pending, span, suspect, last, writes, place, data)
        if writes and pending.kind != "store" and foreign.any() and not self.trusts:
            self._judge_caches(batch, pending, span, foreign & ~suspect, last, place)

    def _judge_caches(self, batch: Batch, pending: Pending, span: Span, ordered: Mask, last: I64, place: int) -> None:
        """Report reads that are in order behind another workgroup's stores, but get them past no cache."""
        if self.visibility is None:
            return
        who, when = last & WAVE_MASK, last >> TIME_SHIFT
        unwritten = ordered & ((last >> SCOPE_SHIFT & 3) < DEVICE)
        stale = ordered if self._scope(pending.op) < DEVICE else np.zeros_like(ordered)
        for number in np.flatnonzero((unwritten | stale).reshape(batch.waves, -1).any(axis=1)):
            wave = int(self._waves(batch)[number])
            view = self.views.get(wave)
            if view is not None:
                unwritten[number] &= when[number] > view[2].take(who[number])
            stale[number] &= self.visibility.is_stale(wave // self.per_group, who[number], when[number])
        for hit, (fault, hint) in ((unwritten, UNWRITTEN), (stale, STALE)):
            if hit.any():
                self._report_caches(batch, pending, span, hit, last, place, fault, hint)

    def _judge_together(
        self,
        batch: Batch,
        pending: Pending,
        span: Span,
        granule: I64,
        last: I64,
        waves: I64,
        place: int,
        data: U32 | None,
    ) -> None:
        """Report granules that several waves of the batch store to in this very instruction."""
        clash: Mask = (last & WAVE_MASK) != waves
        if span.lanes is not None:
            clash &= span.lanes
        if not clash.any():
            return
        scope = self._scope(pending.op)
        if scope:
            is_mate = (last & WAVE_MASK) // self.per_group == waves // self.per_group
            clash &= scope < np.where(is_mate, WORKGROUP, DEVICE)
        if clash.any():
            same = data is not None and span.index.ndim == 2 and _stores_alike(granule, data, span.lanes)
            self._report(batch, pending, span, clash, last, 1, place, data, same=same)

    def _report(
        self,
        batch: Batch,
        pending: Pending,
        span: Span,
        hit: Mask,
        last: I64,
        writes: int,
        place: int,
        data: U32 | None,
        *,
        same: bool | None = None,
    ) -> None:
        op, run = pending.op, batch.run
        first = tuple(int(axis[0]) for axis in np.nonzero(hit))
        mark = int(last[first])
        other = self.ops[mark >> TIME_SHIFT]
        if same is None:
            same = data is not None and span.index.ndim == 2 and _keeps_bytes(span, hit, data, pending.size)
        severity = "remark" if same else "error"
        identity = (op.index, other.index if other is not None else -1, severity)
        if other is None or run.reporter.is_known("global-race", *identity):
            return
        buffer = span.buffer
        if not isinstance(buffer, Buffer):
            return
        number = mark & WAVE_MASK
        group, wave = divmod(number, self.per_group)
        mine = int(self._waves(batch)[first[0]])
        is_mate = group == mine // self.per_group
        owner = f"wave {wave}" if is_mate else f"wave {wave} of workgroup {run.launch.group_id(group)}"
        address = buffer.address + int(span.index[first]) + place
        verb = "reads" if pending.kind != "store" else "writes"
        did = "wrote" if writes else "reads"
        message = (
            f"{verb} {run.memory.describe(address)}, which {other.title} of {other.inst.origin} ({owner}) {did}, "
            "with nothing to order the two" + ("; it is the same value" if same else "")
        )
        hint = (
            f"wave {wave} waits for it (s_waitcnt vmcnt(0)), then s_barrier, then this line"
            if is_mate
            else "an atomic or sc1 store behind a wait (s_waitcnt vmcnt(0)) there and an atomic or sc1 load before "
            "this line, or a launch of its own"
        )
        run.reporter.add(
            faults.make(
                batch, op, "global-race", message, hit, other=other, address=address, hint=hint, severity=severity
            ),
            *identity,
        )

    def _report_caches(
        self, batch: Batch, pending: Pending, span: Span, hit: Mask, last: I64, place: int, fault: str, hint: str
    ) -> None:
        op, run, buffer = pending.op, batch.run, span.buffer
        first = tuple(int(axis[0]) for axis in np.nonzero(hit))
        mark = int(last[first])
        other = self.ops[mark >> TIME_SHIFT]
        if other is None or not isinstance(buffer, Buffer):
            return
        identity = (op.index, other.index, fault)
        if run.reporter.is_known("visibility", *identity):
            return
        group, wave = divmod(mark & WAVE_MASK, self.per_group)
        address = buffer.address + int(span.index[first]) + place
        message = (
            f"reads {run.memory.describe(address)}, which {other.title} of {other.inst.origin} (wave {wave} of "
            f"workgroup {run.launch.group_id(group)}) wrote: {fault}"
        )
        run.reporter.add(
            faults.make(batch, op, "visibility", message, hit, other=other, address=address, hint=hint), *identity
        )


def _keeps_bytes(span: Span, hit: Mask, data: U32, size: int) -> bool:
    """Tell whether a store leaves memory as it is where it collides."""
    old = span.buffer.gather(span.index[hit], size)
    new = data[: len(old), hit]
    if size < 4:
        new = new & np.uint32((1 << 8 * size) - 1)
    return bool((old == new).all())


def _stores_alike(granule: I64, data: U32, lanes: Mask | None) -> bool:
    """Tell whether all lanes that store to one granule store the same."""
    chosen = np.ones(granule.shape, dtype=np.bool_) if lanes is None else lanes
    places, words = granule[chosen], data[:, chosen]
    order = np.argsort(places, kind="stable")
    again = places[order][1:] == places[order][:-1]
    differs = (words[:, order][:, 1:] != words[:, order][:, :-1]).any(axis=0)
    return not bool((again & differs).any())

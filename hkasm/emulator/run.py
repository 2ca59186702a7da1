"""A run: some workgroups of a launch, resident together, from their first instruction to their last.

The scheduler prefers the batch that is furthest back, so that waves which took different ways meet again and go on as
one; a batch that has run long without ending its turn lets others pass, so that waiting on another wave's store in a
loop ends.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch, Store
from hkasm.emulator.code import Block, Code
from hkasm.emulator.lds import Lds
from hkasm.emulator.listener import HOOKS, Listener
from hkasm.emulator.memory import Memory
from hkasm.emulator.op import Op
from hkasm.emulator.options import Options
from hkasm.emulator.report import Reporter
from hkasm.errors import EmulatorError

if TYPE_CHECKING:
    from hkasm.emulator.launch import Launch
    from hkasm.emulator.scoreboard import Pending

__all__ = ["GroupId", "Progress", "Run"]

GroupId = tuple[int, int, int]
Progress = Callable[[int, int], None]
"""Gets the wave-instructions so far and the waves that have ended, now and then."""

TURN = 2000
"""Blocks that a batch runs before the others get a chance."""
CHECK_EVERY = 4000
"""Wave-instructions between two looks at the clock."""
NOWHERE = 1 << 62


class Limits:
    """Instructions and time that a launch may still use, shared by its runs."""

    def __init__(self, options: Options, progress: Progress | None = None) -> None:
        self.instructions = self.waves_ended = 0
        self.progress = progress
        self.max_instructions = options.max_instructions
        self.max_wave_instructions = options.max_wave_instructions or NOWHERE
        self.max_seconds = options.max_seconds
        self.begun = time.perf_counter()
        self.next_check = 0

    def remaining_seconds(self) -> float:
        """Return the time that is left, 0 for no limit."""
        if not self.max_seconds:
            return 0.0
        return max(self.max_seconds - (time.perf_counter() - self.begun), 1e-3)

    def check(self, run: Run) -> None:
        """Stop a launch that has used up what it may.

        Raises:
            EmulatorError: says where the waves are.
        """
        self.next_check = self.instructions + CHECK_EVERY
        if self.progress is not None:
            self.progress(self.instructions, self.waves_ended)
        if self.max_instructions:
            self.next_check = min(self.next_check, self.max_instructions)
        if self.max_instructions and self.instructions > self.max_instructions:
            limit = f"limit {self.max_instructions}"
            raise EmulatorError(f"stopped after {self.instructions} wave-instructions ({limit})\n{run.whereabouts()}")
        longest = max(run.ready, key=lambda batch: batch.executed, default=None)
        if longest is not None and longest.executed > self.max_wave_instructions:
            raise EmulatorError(
                f"stopped: a wave has executed {longest.executed} instructions (limit {self.max_wave_instructions})\n"
                f"{run.whereabouts()}",
                hint="a loop that never ends? else give Options(max_wave_instructions=...)",
            )
        if self.max_seconds and time.perf_counter() - self.begun > self.max_seconds:
            raise EmulatorError(f"stopped after {self.max_seconds:g} seconds\n{run.whereabouts()}")


class Run:
    """Resident workgroups `groups` (dispatch numbers) with their LDS, and the listeners that watch them.

    `on_<hook>` are the listeners that override a hook (`hkasm.emulator.listener.HOOKS`).
    """

    def __init__(
        self,
        launch: Launch,
        code: Code,
        groups: range,
        listeners: list[Listener],
        reporter: Reporter,
        limits: Limits,
    ) -> None:
        self.launch = launch
        self.code = code
        self.memory: Memory = launch.memory
        self.options: Options = launch.options
        self.reporter = reporter
        self.limits = limits
        self.numbers = groups
        self.groups = len(groups)
        self.waves_per_group = launch.waves_per_group
        self.lds = Lds(self.groups, launch.lds_bytes)
        self.lds_stride = self.lds.stride
        self.scratch_stride = launch.scratch_stride
        self.scratch = launch.make_scratch(self.groups * self.waves_per_group)
        self.random = random.Random(self.options.seed)
        self.live: NDArray[np.int64] = np.full(self.groups, self.waves_per_group, dtype=np.int64)
        self.arrived: NDArray[np.int64] = np.zeros(self.groups, dtype=np.int64)
        self.releases = 0
        self.ready: list[Batch] = []
        self.waiting: list[Batch] = []
        hooks = {hook: [it for it in listeners if _overrides(it, hook)] for hook in HOOKS}
        self.on_issue, self.on_block, self.on_retire = hooks["issue"], hooks["block"], hooks["retire"]
        self.on_lds_read, self.on_lds_write, self.on_lds_load = hooks["lds_read"], hooks["lds_write"], hooks["lds_load"]
        self.on_barrier, self.on_memory = hooks["barrier"], hooks["memory"]
        self.on_access, self.on_cache = hooks["access"], hooks["cache"]
        self.on_in_flight, self.on_undefined = hooks["in_flight"], hooks["undefined"]
        self.on_ended = hooks["ended"]
        self.is_random = "random" in (self.options.order, self.options.landing)
        self.single = bool(self.on_issue) or self.options.order == "lockstep" or self.options.landing == "random"
        for listener in listeners:
            listener.start(self)
        self._begin()

    def _begin(self) -> None:
        """Make the batch of all waves, ordered by wave number, then workgroup."""
        wave = np.repeat(np.arange(self.waves_per_group), self.groups)
        group = np.tile(np.arange(self.groups), self.waves_per_group)
        store = Store.fresh(self.code.registers.total, self.code.mode, wave, group)
        batch = Batch(self, store, 0, len(wave), self.code.entry)
        self.launch.prepare(self, batch)
        self.ready = [batch]
        if self.options.order in ("reversed", "random"):
            self.ready = [batch.select(batch.wave == number) for number in range(self.waves_per_group)]

    # ---- the main loop ----------------------------------------------------------------------------------------------

    def advance(self, turns: int) -> bool:
        """Run for some turns, or until all waves have ended; returns whether they have."""
        turn = {"batch": self._turn, "reversed": self._turn_alone, "random": self._turn_random}.get(
            self.options.order, self._turn_lockstep
        )
        with np.errstate(all="ignore"):
            for _ in range(turns):
                if not self.ready:
                    break
                turn()
        if self.waiting and not self.ready:
            raise EmulatorError(f"deadlock: every wave that is left waits at a barrier\n{self.whereabouts()}")
        return not self.ready

    def _turn(self) -> None:
        """Run the batch that is furthest back until it meets or passes the next one."""
        ready = self.ready
        batch = min(ready, key=_furthest_back) if len(ready) > 1 else ready[0]
        limit = min((other.pc for other in ready if other is not batch), default=NOWHERE)
        turn = batch.turn
        for _ in range(TURN):
            self._step(batch)
            if batch.state != READY or batch.turn != turn:  # stopped, or gone to sleep
                return
            if batch.pc >= limit:
                self._meet(batch)
                return
        batch.turn += 1

    def _turn_alone(self) -> None:
        """Run the batch with the highest waves until it stops; nothing meets."""
        batch = max(self.ready, key=lambda b: (-b.turn, int(b.wave[0])))
        turn = batch.turn
        for _ in range(TURN):
            self._step(batch)
            if batch.state != READY or batch.turn != turn:
                return
        batch.turn += 1

    def _turn_random(self) -> None:
        batch = self.random.choice(self.ready)
        for _ in range(self.random.randrange(1, 12)):
            self._step(batch)
            if batch.state != READY:
                return

    def _turn_lockstep(self) -> None:
        """Advance every batch by one instruction, then let those that meet go on together."""
        for batch in list(self.ready):
            if batch.state == READY:
                self._step(batch)
        if len(self.ready) > 1:
            self._meet_all()

    def _step(self, batch: Batch) -> None:
        limits = self.limits
        if limits.instructions > limits.next_check:
            limits.check(self)
        block: Block = batch.code.block(batch.pc, self.single)
        batch.pc = block.end
        block.executed += batch.waves
        batch.executed += block.count
        limits.instructions += block.count * batch.waves
        for listener in self.on_issue:
            listener.issue(batch, block.ops[0])
        for listener in self.on_block:
            listener.block(batch, block)
        if self.options.landing == "random" and _writes_lds(block.ops[0]):
            batch.take_reads()
        for step in block.steps:
            step(batch)
        if block.tail is not None:
            block.tail(batch)
        if self.options.landing == "random" and batch.state == READY:
            self._land_some(batch)

    # ---- splitting and meeting --------------------------------------------------------------------------------------

    def split(self, batch: Batch, taken: NDArray[np.bool_], target: int) -> tuple[Batch, Batch]:
        """Send the waves `taken` to a place of their own; returns those that stay and those that go."""
        place = self.ready.index(batch)
        stay, go = batch.select(~taken), batch.select(taken)
        stay.pc, go.pc = batch.pc, target
        batch.state = GONE
        self.ready[place : place + 1] = [stay, go]
        return stay, go

    def _meet(self, batch: Batch) -> None:
        if self.options.order != "batch":
            return
        for other in self.ready:
            if other is not batch and other.can_join(batch):
                self._join(other, batch)
                return

    def _meet_all(self) -> None:
        by_place: dict[int, Batch] = {}
        for batch in list(self.ready):
            other = by_place.get(batch.pc)
            if other is not None and other.can_join(batch):
                by_place[batch.pc] = self._join(other, batch)
            else:
                by_place[batch.pc] = batch

    def _join(self, one: Batch, two: Batch) -> Batch:
        whole = one.join(two)
        one.state = two.state = GONE
        self.ready[self.ready.index(one)] = whole
        self.ready.remove(two)
        return whole

    # ---- barriers and ends ------------------------------------------------------------------------------------------

    def arrive(self, batch: Batch) -> None:
        """Stop a batch at a barrier, and release the workgroups that are complete."""
        batch.state = WAITING
        self.ready.remove(batch)
        self.waiting.append(batch)
        np.add.at(self.arrived, batch.group, 1)
        self._release()

    def end(self, batch: Batch) -> None:
        """Take waves that have ended out of the run."""
        for listener in self.on_ended:
            listener.ended(batch)
        batch.state = GONE
        self.limits.waves_ended += batch.waves
        self.ready.remove(batch)
        np.subtract.at(self.live, batch.group, 1)
        if self.waiting:
            self._release()

    def _release(self) -> None:
        complete = (self.arrived == self.live) & (self.live > 0)
        if not complete.any():
            return
        stay, go = [], []
        for batch in self.waiting:
            free = complete[batch.group]
            if free.all():
                go.append(batch)
            elif free.any():
                go.append(batch.select(free))
                rest = batch.select(~free)
                rest.state = WAITING
                stay.append(rest)
            else:
                stay.append(batch)
        self.waiting = stay
        self.arrived[complete] = 0
        self.releases += 1
        for batch in go:
            batch.state = READY
            batch.turn = 0
            batch.barriers += 1
            for listener in self.on_barrier:
                listener.barrier(batch)
        self.ready += go
        if len(self.ready) > 1 and self.options.order in ("batch", "lockstep"):
            self._meet_all()

    # ---- memory in flight -------------------------------------------------------------------------------------------

    def landing(self, batch: Batch, pending: Pending) -> None:
        """Land an operation that was just issued, if the run is eager."""
        if self.options.landing == "eager":
            batch.land(pending)

    def _land_some(self, batch: Batch) -> None:
        """Land a random number of operations, in the order that each queue drains in."""
        board = batch.board
        for queue in (board.vm, board.lds):
            for pending in queue:
                if not pending.landed:
                    if self.random.random() < 0.7:
                        break
                    batch.land(pending)
        for pending in board.scalar:
            if self.random.random() < 0.3:
                batch.land(pending)

    # ---- messages ---------------------------------------------------------------------------------------------------

    def group_id(self, batch: Batch, wave: int) -> GroupId:
        """Return the workgroup id of the batch's wave number `wave`."""
        return self.launch.group_id(self.numbers[int(batch.group[wave])])

    def group_numbers(self) -> NDArray[np.int64]:
        """Return the dispatch numbers of the run's workgroups."""
        return np.arange(self.numbers.start, self.numbers.stop)

    def whereabouts(self, limit: int = 8) -> str:
        """Say where waves are, for messages about runs that do not end."""
        lines = []
        for batch, doing in [(b, "at") for b in self.ready] + [(b, "waits at") for b in self.waiting]:
            op = self.code.op(batch.pc)
            if doing == "waits at":
                lines.append(f"  {_waves(self, batch)} wait at a barrier before {op.inst.origin}: {op.inst}")
            else:
                lines.append(f"  {_waves(self, batch)} at {op.inst.origin}: {op.inst}")
        more = len(lines) - limit
        return "\n".join(lines[:limit] + ([f"  and {more} more"] if more > 0 else []))


def _waves(run: Run, batch: Batch) -> str:
    numbers = sorted({int(wave) for wave in batch.wave})
    waves = f"waves {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"wave {numbers[0]}"
    groups = len({int(group) for group in batch.group})
    where = f"workgroup {run.group_id(batch, 0)}" + (f" and {groups - 1} more" if groups > 1 else "")
    return f"{waves} of {where}"


READY, WAITING, GONE = 0, 1, 2


def _furthest_back(batch: Batch) -> tuple[int, int]:
    return batch.turn, batch.pc


def _overrides(listener: Listener, hook: str) -> bool:
    return getattr(type(listener), hook) is not getattr(Listener, hook)


def _writes_lds(op: Op) -> bool:
    """Tell whether an instruction may write LDS in the order of the wave's LDS operations."""
    memory = op.inst.spec.memory
    return memory is not None and memory.space in ("lds", "flat") and memory.op != "load"

"""Lower a schedule: the steps of a kernel, in the order of a plan, for any number of K steps.

The code for a trip count n that is known only at run time, D the farthest fetch ahead, S the number of buffers::

    n = 0             -> done
    n < D             -> a prologue of the n steps there are, then the last n steps of the drain that starts in buffer 0
    prologue             the fetches of the first D steps, in steady order
    loop                 S copies of the steady step, one per buffer, with an exit behind each
    drain r              the last D steps, first one in buffer r; fetches past the end are left out

The drain in which n steps end is r = (n - D) mod S for short trips too, so that they share it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.errors import ScheduleError
from hkasm.isa.registers import Register
from hkasm.schedules.phase import Schedule
from hkasm.schedules.plan import Act, Advance, Barrier, Item, Plan, Prepare, Priority, Wait
from hkasm.schedules.step import Atom, Emit, Facts, Kind, Steps, merge, record, write


@dataclass(frozen=True)
class Pipeline:
    """A schedule with a kernel's steps, ready to be written into programs.

    ``advance(k, slot)`` moves the kernel's fetch cursor (its offset along K) to the next K step; it starts at step 0.
    """

    schedule: Schedule
    steps: Steps
    advance: Emit

    def facts(self, k: Builder) -> dict[tuple[Kind, str], Facts]:
        """Record every step that the schedule names, once.

        Raises:
            ScheduleError: the kernel has no such step.
        """
        wanted: list[tuple[Kind, str]] = []
        for phase in self.schedule.phases():
            wanted += [("read", name) for name in phase.read]
            wanted += [("commit", name) for name in phase.commit]
            wanted += [("fetch", name) for name, _ in phase.fetches]
            wanted += [("compute", phase.compute)] if phase.compute else []
        return {key: record(k, self.steps.get(*key)).facts for key in dict.fromkeys(wanted)}

    def plan(self, k: Builder) -> Plan:
        prepared = [step.name for step in self.steps if step.kind == "fetch" and step.prepare is not None]
        return Plan(self.schedule, self.facts(k), prepared)

    def lower(self, k: Builder, trips: Register | int, *, late: Register | None = None, name: str = "") -> None:
        """Write the pipeline: prologue, loop, drains, stagger.

        `trips` is an SGPR with the number of K steps (kept; any number from 0 up), or the number itself. `late` is an
        SGPR that is 1 in the waves of the second group and 0 in the others. All LDS buffers must be free when the
        pipeline starts; with two groups they are free again behind it, with one group a barrier must follow first.
        """
        if self.schedule.groups > 1 and late is None:
            raise ScheduleError(
                f"schedule {self.schedule.name} has two groups", hint="give lower() the late group's SGPR"
            )
        _Lowering(k, self, self.plan(k), late, name or self.schedule.name).write(trips)


class _Lowering:
    def __init__(self, k: Builder, pipeline: Pipeline, plan: Plan, late: Register | None, name: str) -> None:
        self.k, self.plan, self.late, self.name = k, plan, late, name
        self.steps, self.advance = pipeline.steps, pipeline.advance
        self._runs: dict[frozenset[Atom], list[Register]] = {}

    def write(self, trips: Register | int) -> None:
        with self.k.mark("section", self.name):
            if isinstance(trips, int):
                self._write_known(trips)
            else:
                self._write_unknown(trips)

    def _write_known(self, trips: int) -> None:
        ahead, slots = self.plan.ahead, self.plan.slots
        if trips < 0:
            raise ScheduleError(f"{self.name}: {trips} K steps", hint="at least 0")
        if trips == 0:
            return
        self._start(trips if trips < ahead else None)
        first, turns = 0, (trips - ahead) // slots
        if turns > 1:
            count = self.k.sgpr(f"{self.name} turns left")
            self.k.s_mov_b32(count, turns - 1)
            self._loop(count, [])
            self.k.free(count)
            first = turns * slots
        for step in range(first, trips):
            self._emit(self.plan.step(step % slots, trips - 1 - step, step))
        self._finish()

    def _write_unknown(self, trips: Register) -> None:
        k, ahead, slots = self.k, self.plan.ahead, self.plan.slots
        done = self._label("done")
        k.s_cmp_eq_u32(trips, 0)
        k.s_cbranch_scc1(done)
        short = {n: self._label(f"steps_{n}") for n in range(1, ahead)}
        for n, label in short.items():
            k.s_cmp_eq_u32(trips, n)
            k.s_cbranch_scc1(label)
        drains = [[self._label(f"drain_{r}_{i}") for i in range(ahead)] for r in range(slots)]
        behind = self._label("behind")
        exits = [drain[0] if drain else behind for drain in drains]

        self._start(None)
        count = k.sgpr(f"{self.name} steps left")
        k.s_sub_u32(count, trips, ahead + 1)
        if ahead:
            k.s_cbranch_scc1(exits[0])  # borrow: no steady step at all
        self._loop(count, exits)
        k.free(count)
        for r, drain in enumerate(drains):
            with k.mark("section", f"drain {r}"):
                for i, label in enumerate(drain):
                    k.place(label)
                    self._emit(self.plan.step((r + i) % slots, ahead - 1 - i))
            if ahead and (r < slots - 1 or short):
                k.s_branch(behind)
        for n, label in short.items():
            k.place(label)
            self._start(n)
            k.s_branch(drains[(n - ahead) % slots][ahead - n])
        k.place(behind)
        self._finish()
        k.place(done)

    def _loop(self, count: Register, exits: list[Label]) -> None:
        """Write the steady loop; falls through behind its last buffer.

        With `exits` (where to go on in buffer r), `count` is the number of steady steps less one; without, it is the
        number of turns through all buffers less one.
        """
        k, last = self.k, self.plan.slots - 1
        with k.mark("loop", self.name):
            head = k.place(self._label("loop"))
            for slot in range(self.plan.slots):
                self._emit(self.plan.step(slot))
                if exits or slot == last:
                    k.s_sub_u32(count, count, 1)
                if exits and slot < last:
                    k.s_cbranch_scc1(exits[slot + 1])
            k.s_cbranch_scc0(head)

    def _start(self, trips: int | None) -> None:
        """Write the prologue and let the late group fall one section behind."""
        with self.k.mark("section", "prologue"):
            self._emit(self.plan.prologue(trips))
            self._barrier_of(late=True)

    def _finish(self) -> None:
        """Let the early group wait for the late one: every wave has then met the same number of barriers."""
        self._barrier_of(late=False)

    def _barrier_of(self, late: bool) -> None:
        if self.late is None or not self.plan.lag:
            return
        k, behind = self.k, self._label("in_step" if late else "together")
        k.s_cmp_eq_u32(self.late, 0 if late else 1)
        k.s_cbranch_scc1(behind)
        k.s_barrier()
        k.place(behind)

    # Items.

    def _emit(self, items: Iterable[Item]) -> None:
        for item in items:
            match item:
                case Act():
                    self._act(item)
                case Prepare():
                    prepare = self.steps.get("fetch", item.name).prepare
                    if prepare is not None:
                        with self.k.mark("step", f"fetch {item.name}"):
                            prepare(self.k, item.slot)
                case Advance():
                    with self.k.mark("step", "advance"):
                        self.advance(self.k, 0)
                case Wait():
                    with self.k.mark("wait", item.reason):
                        self.k.wait(*self._merged(item.registers), *item.regions, reason=item.reason)
                case Barrier():
                    self.k.s_barrier()
                case Priority():
                    self.k.s_setprio(item.level)

    def _merged(self, registers: frozenset[Atom]) -> list[Register]:
        if registers not in self._runs:
            self._runs[registers] = merge(registers)
        return self._runs[registers]

    def _act(self, act: Act) -> None:
        """Write a step, from its recording where that is whole."""
        step = self.steps.get(act.kind, act.name)
        with self.k.mark("step", f"{act.kind} {act.name}"):
            instructions = record(self.k, step, act.slot).instructions
            if instructions is None:
                write(self.k, step, act.slot)
            else:
                self.k.replay(instructions)

    def _label(self, name: str) -> Label:
        return self.k.label(f"{self.name}_{name}".replace("-", "_"))

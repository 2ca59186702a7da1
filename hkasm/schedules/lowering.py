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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction, Label
from hkasm.errors import ScheduleError
from hkasm.isa.registers import Register
from hkasm.schedules.interleaver import Stream, weave
from hkasm.schedules.items import Act, Advance, Barrier, Item, Prepare, Priority, Thread, Wait, Woven
from hkasm.schedules.phase import Schedule
from hkasm.schedules.plan import Plan
from hkasm.schedules.step import Atom, Emit, Facts, Kind, Step, Steps, merge, record, write
from hkasm.schedules.woven import Role, WovenPlan


@dataclass(frozen=True)
class Pipeline:
    """A schedule with a kernel's steps, ready to be written into programs.

    ``advance(k, slot)`` moves the kernel's fetch cursor (its offset along K) to the next K step; it starts at step 0.
    """

    schedule: Schedule
    steps: Steps
    advance: Emit

    def facts(self, k: Builder) -> dict[tuple[Kind, str], Facts]:
        """Record every step that the schedule names, once, for the first buffer.

        Raises:
            ScheduleError: the kernel has no such step.
        """
        return {key: record(k, self.steps.get(*key)).facts for key in self._named()}

    def _named(self) -> list[tuple[Kind, str]]:
        wanted: list[tuple[Kind, str]] = []
        for phase in self.schedule.phases():
            wanted += [("read", name) for name, _ in phase.reads]
            wanted += [("commit", name) for name in phase.commit]
            wanted += [("fetch", name) for name, _ in phase.fetches]
            wanted += [("compute", name) for name in phase.computes]
            wanted += [("finish", name) for name in phase.finish]
        return list(dict.fromkeys(wanted))

    def plan(self, k: Builder, role: Role = "all") -> Plan | WovenPlan:
        """Apply the schedule to the steps; `role` is that of the waves when fetching is specialised."""
        prepared = [step.name for step in self.steps if step.kind == "fetch" and step.prepare is not None]
        slots = range(self.schedule.depth)
        if not (self.schedule.woven or self.schedule.producers):
            plan = Plan(self.schedule, self.facts(k), prepared)
            self._check_sets(k)
            return plan
        facts = {(*key, slot): record(k, self.steps.get(*key), slot).facts for key in self._named() for slot in slots}
        return WovenPlan(self.schedule, facts, prepared, role)

    def _check_sets(self, k: Builder) -> None:
        """Refuse reads and computes that rotate through register sets: sections know those of the first buffer."""
        for kind, name in self._named():
            step = self.steps.get(kind, name)
            for slot in range(1, self.schedule.depth if kind in ("read", "compute") else 1):
                first, other = (record(k, step, one).facts for one in (0, slot))
                if other.loads != first.loads or (kind == "compute" and other.reads != first.reads):
                    raise ScheduleError(
                        f"{kind} {name!r} has other registers in LDS buffer {slot} than in buffer 0",
                        where=f"schedule {self.schedule.name}",
                        hint="only woven schedules rotate through sets of registers: woven = True, or one set",
                    )

    def costs(self, k: Builder) -> dict[str, dict[str, int]]:
        """Return what each step costs, by its name: instructions by unit, read from what it emits."""
        return {f"{kind} {name}": dict(facts.units) for (kind, name), facts in self.facts(k).items()}

    def lower(self, k: Builder, trips: Register | int, *, late: Register | None = None, name: str = "") -> None:
        """Write the pipeline: prologue, loop, drains, stagger, finish.

        `trips` is an SGPR with the number of K steps (kept; any number from 0 up), or the number itself. `late` is an
        SGPR that is 1 in the waves of the second group, or in the producers, and 0 in the others. All LDS buffers must
        be free when the pipeline starts, but for a `guarded` plan and an unknown number of steps; with two groups they
        are free again behind it, without a barrier must follow first. Finish steps that no phase names come last.
        """
        name = name or self.schedule.name
        if late is None and (self.schedule.groups > 1 or self.schedule.producers):
            kind = "two groups" if self.schedule.groups > 1 else "producers"
            raise ScheduleError(f"schedule {self.schedule.name} has {kind}", hint="give lower() the late group's SGPR")
        if late is None or not self.schedule.producers:
            _Lowering(k, self, self.plan(k), late, name).write(trips)
            return
        produce, done = (k.label(f"{name}_{label}".replace("-", "_")) for label in ("produce", "all_done"))
        with k.mark("section", name):
            k.s_cmp_eq_u32(late, 1)
            k.s_cbranch_scc1(produce)
            _Lowering(k, self, self.plan(k, "consumer"), None, f"{name}_consumer").write(trips)
            k.s_branch(done)
            k.place(produce)
            _Lowering(k, self, self.plan(k, "producer"), None, f"{name}_producer", finishes=False).write(trips)
            k.place(done)


class _Lowering:
    def __init__(
        self,
        k: Builder,
        pipeline: Pipeline,
        plan: Plan | WovenPlan,
        late: Register | None,
        name: str,
        finishes: bool = True,
    ) -> None:
        self.k, self.plan, self.late, self.name = k, plan, late, name
        self.steps = pipeline.steps
        self.advance = Step("advance", "fetch", pipeline.advance)
        self.finish = [step.name for step in self.steps if step.kind == "finish" and finishes]
        self._runs: dict[frozenset[Atom], list[Register]] = {}
        self._weaves: dict[Woven, tuple[list[Instruction], list[Act]]] = {}

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
            self._finish(self.finish)
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
        self._meet()
        self._finish(self._left)

    def _write_unknown(self, trips: Register) -> None:
        k, ahead, slots = self.k, self.plan.ahead, self.plan.slots
        nothing, done = self._label("nothing"), self._label("done")
        k.s_cmp_eq_u32(trips, 0)
        k.s_cbranch_scc1(nothing)
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
        self._meet()
        if self._left != self.finish:
            self._finish(self._left)
            k.s_branch(done)
            k.place(nothing)
            self._finish(self.finish)
        else:
            k.place(nothing)
            self._finish(self.finish)
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

    def _meet(self) -> None:
        """Let the early group wait for the late one: every wave has then met the same number of barriers."""
        self._barrier_of(late=False)

    @property
    def _left(self) -> list[str]:
        """The finish steps that no phase names."""
        return [name for name in self.finish if name not in self.plan.finished]

    def _finish(self, names: Iterable[str]) -> None:
        for name in names:
            self._act(Act("finish", name, 0))

    def _barrier_of(self, late: bool) -> None:
        if self.late is None or not self.plan.lag:
            return
        k, behind = self.k, self._label("in_step" if late else "together")
        k.s_cmp_eq_u32(self.late, 0 if late else 1)
        k.s_cbranch_scc1(behind)
        for _ in range(self.plan.lag):
            k.s_barrier(comment="the late group falls behind" if late else "the early group waits")
        k.place(behind)

    # Items.

    def _emit(self, items: Iterable[Item]) -> None:
        for item in items:
            match item:
                case Act():
                    self._act(item)
                case Prepare() | Advance():
                    step, slot, tag = self._step(item)
                    with self.k.mark("step", tag):
                        step.emit(self.k, slot)
                case Woven():
                    self._woven(item)
                case Wait():
                    with self.k.mark("wait", item.reason):
                        self.k.wait(*self._merged(item.registers), *item.regions, reason=item.reason)
                case Barrier():
                    self.k.s_barrier(comment=item.reason)
                case Priority():
                    self.k.s_setprio(item.level)

    def _merged(self, registers: frozenset[Atom]) -> list[Register]:
        if registers not in self._runs:
            self._runs[registers] = merge(registers)
        return self._runs[registers]

    def _step(self, act: Act | Prepare | Advance) -> tuple[Step, int, str]:
        """Return the step that an act stands for, its buffer, and the tag of its instructions."""
        match act:
            case Advance():
                return self.advance, 0, "advance"
            case Prepare():
                step = self.steps.preparation(act.name)
                assert step is not None
                return step, act.slot, f"fetch {act.name}"
        return self.steps.get(act.kind, act.name), act.slot, f"{act.kind} {act.name}"

    def _act(self, act: Act) -> None:
        """Write a step, from its recording where that is whole."""
        step, slot, tag = self._step(act)
        with self.k.mark("step", tag):
            instructions = record(self.k, step, slot).instructions
            if instructions is None:
                write(self.k, step, slot)
            else:
                self.k.replay(instructions)

    # Woven sections.

    def _woven(self, item: Woven) -> None:
        """Write acts as one stream; steps with labels or waits of their own stand behind it."""
        if item not in self._weaves:
            self._weaves[item] = self._weave(item)
        woven, blocks = self._weaves[item]
        acts = [item.compute] if item.compute is not None else []
        acts += [act for thread in item.threads for act in thread.acts if isinstance(act, Act) and act not in blocks]
        if woven:
            with self.k.mark("step", ", ".join(f"{act.kind} {act.name}" for act in acts)):
                self.k.items += [inst.again(inst.tag) for inst in woven]
        for act in blocks:
            self._act(act)

    def _weave(self, item: Woven) -> tuple[list[Instruction], list[Act]]:
        blocks: list[Act] = []
        streams: list[Stream] = []
        if item.compute is not None:
            whole = self._instructions(item.compute)
            if whole is None:
                blocks.append(item.compute)
            else:
                streams.append(Stream(f"compute {item.compute.name}", whole, frozenset()))
        carried = bool(streams)
        for thread in item.threads:
            found, touches = list[Instruction](), set[object]()
            finishes = False
            for act in thread.acts:
                whole = self._instructions(act)
                if whole is not None:
                    found += whole
                elif isinstance(act, Act):
                    blocks.append(act)
                if isinstance(act, Act):
                    finishes = finishes or act.kind == "finish"
                    touches |= {(region, act.slot) for region in self.steps.get(act.kind, act.name).regions}
            if found:
                meets = None if finishes else frozenset(touches)
                streams.append(
                    Stream(_title(thread), tuple(found), meets, slots=thread.slots or None, slack=thread.slack)
                )
        if not carried:
            return [inst for stream in streams for inst in stream.instructions], blocks
        return weave(streams, self.k.arch), blocks

    def _instructions(self, act: Act | Prepare | Advance) -> tuple[Instruction, ...] | None:
        """Return a step's instructions with their tags, or None for one that must be written anew."""
        step, slot, tag = self._step(act)
        instructions = record(self.k, step, slot).instructions
        return None if instructions is None else tuple(inst.again(tag) for inst in instructions)

    def _label(self, name: str) -> Label:
        return self.k.label(f"{self.name}_{name}".replace("-", "_"))


def _title(thread: Thread) -> str:
    return ", ".join(f"{act.kind} {act.name}" for act in _acts(thread))


def _acts(thread: Thread) -> Iterator[Act]:
    return (act for act in thread.acts if isinstance(act, Act))

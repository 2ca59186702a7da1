"""Mutants of machine code, and how each is found out: by a finding, by a wrong result, or not at all.

A mutant is one instruction of a code object replaced in place (a longer one by several s_nop), or an s_nop put behind
what follows it. It is judged by the launches that reach it, with a seeded choice of landing times and wave orders:

* caught by finding: the emulator stops, or the hazard table asks for the wait states that were taken away;
* caught by result: the reference rejects what came out;
* equivalent: every run gave identical bits, *and* a reason why no timing can differ was found for it (`REASONS`) by
  counting the waits again from the instructions alone (`support.replay`);
* missed: everything else.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from support.oracles import Oracle, load_oracles
from support.replay import Journal, Replay

import hkasm
from hkasm.analysis.hazards import check_hazards
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.listener import Listener
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import ORDERS, Options
from hkasm.errors import HkasmError
from hkasm.isa.constants import Const
from hkasm.isa.counters import counter_max, pack_waitcnt, unpack_waitcnt
from hkasm.isa.registers import M0, Register
from hkasm.kernels import get_kernel
from hkasm.runtime.emulated import EmulatedBuffer, EmulatedModule, EmulatorDevice

NOP = (0xBF80_0000).to_bytes(4, "little")
WAITCNT = 0xBF8C_0000
CLASSES = ("wait", "direct-to-LDS wait", "barrier", "nop", "LDS offset", "buffer offset", "descriptor", "M0")
REASONS = {
    "idle": "nothing was outstanding beyond the count at any visit: the wait never waits",
    "stores": "it waits for stores alone, whose registers may be reused and whose bytes nobody reads in the launch",
    "later": "all that it lets by is proven done by a later wait or a full counter before a register, LDS byte or "
    "barrier needs it",
    "alone": "one wave a workgroup: there is nobody to wait for",
    "ordered": "no LDS byte is written by one wave and touched by another between the barriers that are left",
    "m0": "every direct-to-LDS load still goes to the same bytes",
}  # fmt: skip
"""Why no timing can make a difference, by what the replay of the mutant's own run shows."""

LANDED = ("random", "random", "late")
"""Landings to draw from: eager is no other than the soonest random one."""

TIMED = ("registers", "uninitialised", "lds", "bounds", "barriers")
"""Checks whose answer may depend on the order of waves; the others have looked at the first run of every case."""

Outputs = dict[str, bytes]


class _WatchedMachine(Machine):
    """A machine whose launches have listeners of their own."""

    watchers: Iterable[Listener] = ()

    def launch(self, *args: Any, **settings: Any) -> Any:
        return super().launch(*args, **{**settings, "listeners": self.watchers})


class _Bench(EmulatorDevice):
    """A device that runs the given code object, whatever it is asked to load, and compiles it once."""

    def __init__(self, hsaco: bytes, watchers: Iterable[Listener] = ()) -> None:
        super().__init__()
        machine = _WatchedMachine(CodeObject.from_bytes(hsaco), self.memory, "mutant")
        machine.watchers = watchers
        self._module = EmulatedModule(self, machine)
        self._buffers: list[EmulatedBuffer] = []

    def load(self, source: object) -> EmulatedModule:
        return self._module

    def buffer(self, array: ArrayLike, name: str = "") -> EmulatedBuffer:
        self._buffers.append(super().buffer(array, name))
        return self._buffers[-1]

    def run(self, case: Case, options: Options | None = None) -> tuple[Outputs, bool]:
        """Run a case and free what it allocated."""
        try:
            return case.run(self, options)
        finally:
            while self._buffers:
                self._buffers.pop().free()


@dataclass(frozen=True)
class Case:
    """One launch of a subject: run it on a device, get all buffers and whether the reference accepts them."""

    name: str
    run: Callable[[_Bench, Options | None], tuple[Outputs, bool]]


@dataclass
class Subject:
    """A kernel with the launches that are to find its mutants out."""

    name: str
    kernel: str
    hsaco: bytes
    cases: list[Case]
    hazard_level: str = "llvm"
    _baseline: dict[str, Outputs] = field(default_factory=dict)

    @cached_property
    def image(self) -> Any:
        return CodeObject.from_bytes(self.hsaco).kernels[self.kernel]

    @cached_property
    def program(self) -> Program:
        return Program.decode(self.image.arch, bytes(self.image.code), self.kernel)

    @cached_property
    def arch(self) -> str:
        return str(self.image.arch.name)

    @cached_property
    def code_start(self) -> int:
        code = bytes(self.image.code)
        assert self.hsaco.count(code) == 1
        return self.hsaco.find(code)

    @cached_property
    def journals(self) -> dict[str, Replay]:
        """The unmutated kernel's courses by case; raises if it has findings or a wrong result."""
        found = {}
        for case in self.cases:
            journal = Journal()
            outputs, passed = _Bench(self.hsaco, [journal]).run(case)
            assert passed, f"{self.name}, {case.name}: the unmutated kernel is wrong"
            self._baseline[case.name] = outputs
            found[case.name] = Replay(journal, self.program.instructions, self.arch)
            assert not found[case.name].fault(), found[case.name].fault()
        return found

    @cached_property
    def targets(self) -> set[int]:
        """Offsets that branches go to."""
        found = set()
        for inst in self.program.instructions:
            if inst.spec.control in ("branch", "cbranch"):
                distance = inst.operands[-1]
                assert isinstance(distance, int)
                signed = (distance & 0xFFFF ^ 0x8000) - 0x8000
                found.add(inst.offset + inst.size + 4 * signed)
        return found

    @cached_property
    def unmutated_hazards(self) -> int:
        return len(check_hazards(self.program, self.hazard_level))

    def baseline(self, case: Case) -> Outputs:
        _ = self.journals
        return self._baseline[case.name]

    def reaching(self, offset: int) -> list[Case]:
        """The cases that execute an instruction."""
        return [case for case in self.cases if offset in self.reached[case.name]]

    @cached_property
    def reached(self) -> dict[str, set[int]]:
        return {name: replay.journal.offsets for name, replay in self.journals.items()}


@dataclass(frozen=True)
class Mutant:
    """One changed instruction."""

    kind: str
    change: str
    offset: int
    inst: str
    code: bytes

    def __str__(self) -> str:
        return f"+{self.offset:#x} {self.inst}: {self.change}"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and what says so."""

    mutant: Mutant
    outcome: str
    detail: str


# ---- mutants --------------------------------------------------------------------------------------------------------


def mutants_of(subject: Subject) -> Iterator[Mutant]:
    """Every mutant of every reached instruction, in program order."""
    reached = set().union(*subject.reached.values())
    direct = {
        inst.offset
        for inst in subject.program.instructions
        if inst.spec.control == "wait" and any(r.is_direct(inst.offset) for r in subject.journals.values())
    }
    limits = {
        register.index + 2
        for inst in subject.program.instructions
        if inst.spec.memory is not None and inst.spec.memory.space == "buffer"
        for register in [inst.operand("srsrc")]
        if isinstance(register, Register)
    }
    instructions = subject.program.instructions
    for inst, following in zip(instructions, [*instructions[1:], None], strict=True):
        if inst.offset not in reached:
            continue
        kind, changes = "", []
        if inst.spec.control == "wait":
            kind = "direct-to-LDS wait" if inst.offset in direct else "wait"
            changes = list(_wait_changes(inst, subject))
        elif inst.spec.control == "barrier":
            kind, changes = "barrier", [("removed", NOP)]
        elif inst.spec.control == "nop":
            kind, changes = "nop", list(_nop_changes(inst, following, subject))
        elif inst.spec.memory is not None and inst.spec.memory.space in ("lds", "buffer"):
            kind = "LDS offset" if inst.spec.memory.space == "lds" else "buffer offset"
            changes = list(_offset_changes(inst, subject.arch))
        elif M0 in inst.writes():
            kind, changes = "M0", list(_m0_changes(inst, subject.arch))
        elif any(r.file == "s" and r.count == 1 and r.index in limits for r in inst.writes()):
            kind, changes = "descriptor", list(_limit_changes(inst, subject.arch))
        for change, code in changes:
            yield Mutant(kind, change, inst.offset, str(inst), code)


def _wait_changes(inst: Instruction, subject: Subject) -> Iterator[tuple[str, bytes]]:
    arch = subject.image.arch
    simm16 = inst.operands[0]
    assert isinstance(simm16, int)
    counts = unpack_waitcnt(simm16)
    now = {"vmcnt": counts.vmcnt, "lgkmcnt": counts.lgkmcnt}
    for counter, count in now.items():
        most = counter_max(arch, counter)
        for new in sorted({count + 1, most}):
            if count < new <= most:
                changed = {**now, counter: new}
                word = WAITCNT | pack_waitcnt(arch, changed["vmcnt"], changed["lgkmcnt"], counts.expcnt)
                what = "removed" if new == most else f"loosened to {new}"
                yield f"{counter} {what}", word.to_bytes(4, "little")


def _nop_changes(inst: Instruction, following: Instruction | None, subject: Subject) -> Iterator[tuple[str, bytes]]:
    states = inst.operands[0]
    assert isinstance(states, int)
    if states:
        yield "one shorter", (0xBF80_0000 | states - 1).to_bytes(4, "little")
    if following is not None and following.spec.control is None and following.offset not in subject.targets:
        start = inst.offset
        code = bytes(subject.image.code)[start : following.offset + following.size]
        yield "behind the next instruction", code[4:] + code[:4]


def _offset_changes(inst: Instruction, arch: str) -> Iterator[tuple[str, bytes]]:
    memory = inst.spec.memory
    assert memory is not None
    names = ("offset0", "offset1") if memory.pair else ("offset",)
    steps = {1} if memory.pair else {memory.bytes if memory.space == "lds" else min(memory.bytes, 4), 16}
    for name in names:
        for step in sorted(steps):
            mods = {**inst.mods, name: inst.mods.get(name, 0) + step}
            yield from _encoded(replace(inst, mods=mods), arch, f"{name} + {step}")


def _m0_changes(inst: Instruction, arch: str) -> Iterator[tuple[str, bytes]]:
    for place, value in enumerate(inst.operands):
        if isinstance(value, Const) and value.is_literal:
            operands = (*inst.operands[:place], Const(value.code, value.literal + 16), *inst.operands[place + 1 :])
            yield from _encoded(replace(inst, operands=operands), arch, "M0 + 16")
    yield "M0 not set", NOP * (inst.size // 4)


def _limit_changes(inst: Instruction, arch: str) -> Iterator[tuple[str, bytes]]:
    last = inst.operands[-1]
    if inst.mnemonic == "s_mov_b32" and isinstance(last, Const) and last.is_literal and last.literal == 0x7FFFFFFE:
        shrunk = Const(last.code, 256)
    elif inst.mnemonic == "s_add_u32" and isinstance(last, Register):
        shrunk = Const(128)
    elif inst.mnemonic == "s_lshl_b32" and isinstance(last, Const) and last.value() == 2:
        shrunk = Const(129)
    else:
        return
    yield from _encoded(replace(inst, operands=(*inst.operands[:-1], shrunk)), arch, "num_records less")


def _encoded(inst: Instruction, arch: str, change: str) -> Iterator[tuple[str, bytes]]:
    try:
        code = encode_instruction(inst, arch)
    except HkasmError:
        return  # the offset does not fit
    if len(code) == inst.size:
        yield change, code


def sample(mutants: Iterable[Mutant], each: int, seed: int) -> list[Mutant]:
    """At most `each` mutants of every class, in program order; 0 for all."""
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_kind.setdefault(mutant.kind, []).append(mutant)
    chosen = []
    for kind, found in by_kind.items():
        some = random.Random(f"{seed} {kind}").sample(found, min(each or len(found), len(found)))
        chosen += sorted(some, key=lambda m: m.offset)
    return chosen


# ---- judgement ------------------------------------------------------------------------------------------------------


def timings(count: int, seed: int) -> Iterator[Options]:
    """Random landing in random order, eager landing in reverse order, then any mixture by the seed."""
    draw = random.Random(seed)
    for number in range(count):
        if number == 1:
            yield Options(landing="eager", order="reversed", checks=TIMED)
            continue
        landing, order = ("random", "random") if not number else (draw.choice(LANDED), draw.choice(ORDERS))
        yield Options(landing=landing, order=order, seed=seed + number, checks=TIMED)


def judge(subject: Subject, mutant: Mutant, runs: int, seed: int = 0) -> Verdict:
    """Find a mutant out, or say why nothing can."""
    start = subject.code_start + mutant.offset
    hsaco = subject.hsaco[:start] + mutant.code + subject.hsaco[start + len(mutant.code) :]
    if mutant.kind == "nop":
        return _judge_nop(subject, mutant, hsaco)
    cases, bench = subject.reaching(mutant.offset), _Bench(hsaco)
    differs, wrong = False, ""
    for case in cases:
        try:
            outputs, passed = bench.run(case)
        except HkasmError as error:
            return Verdict(mutant, "finding", f"{case.name}: {str(error).splitlines()[0]}")
        differs |= outputs != subject.baseline(case)
        wrong = wrong or ("" if passed else f"{case.name}: the reference rejects the result")
    if wrong:
        return Verdict(mutant, "result", wrong)
    if differs:
        return Verdict(mutant, "missed", "other bits, which the reference accepts")
    reason = _reason(subject, mutant, hsaco, cases)
    if not reason:
        return Verdict(mutant, "missed", "identical bits by default, and no reason why")
    done = 0
    for case in cases:
        for options in timings(-(-runs // len(cases)), seed):
            done += 1
            try:
                outputs, _ = bench.run(case, options)
            except HkasmError as error:
                return Verdict(mutant, "finding", f"{case.name}, {options}: {str(error).splitlines()[0]}")
            if outputs != subject.baseline(case):
                return Verdict(mutant, "missed", f"{case.name}: other bits by {options}")
    return Verdict(mutant, "equivalent", f"{reason} ({done} runs alike)")


def _judge_nop(subject: Subject, mutant: Mutant, hsaco: bytes) -> Verdict:
    """The emulator has no pipeline, so that wait states are the hazard table's to judge."""
    program = Program.decode(subject.arch, bytes(CodeObject.from_bytes(hsaco).kernels[subject.kernel].code))
    hazards = check_hazards(program, subject.hazard_level)
    if len(hazards) > subject.unmutated_hazards:
        return Verdict(mutant, "finding", str(hazards[0]).splitlines()[0])
    return Verdict(mutant, "missed", "no hazard rule asks for it")


def _reason(subject: Subject, mutant: Mutant, hsaco: bytes, cases: list[Case]) -> str:
    program = Program.decode(subject.arch, bytes(CodeObject.from_bytes(hsaco).kernels[subject.kernel].code))
    kinds: set[str] = set()
    for case in cases:
        journal = Journal()
        try:
            _Bench(hsaco, [journal]).run(case, Options(strict=False))
        except HkasmError:
            return ""
        kind = _reason_in(subject.journals[case.name], Replay(journal, program.instructions, subject.arch), mutant)
        if not kind:
            return ""
        kinds.add(kind)
    return "; ".join(REASONS[kind] for kind in sorted(kinds))


def _reason_in(before: Replay, after: Replay, mutant: Mutant) -> str:
    if mutant.kind == "M0":
        return "m0" if before.addresses() == after.addresses() else ""
    if mutant.kind == "barrier":
        waves = {wave for _, wave in after.journal.order}
        if len(waves) == 1:
            return "alone"
        return "" if after.fault() else "ordered"
    if mutant.kind not in ("wait", "direct-to-LDS wait"):
        return ""
    if all(not visit.retired for _, visit in before.waits(mutant.offset)):
        return "idle"
    if before.retired_kinds(mutant.offset) <= {"store"} and _is_last(before, mutant.offset):
        return "stores"
    return "" if after.fault() else "later"


def _is_last(replay: Replay, offset: int) -> bool:
    """Whether no memory is read, and no barrier met, after the wait's last visit."""
    for order in replay.journal.order.values():
        if offset not in order:
            continue
        rest = order[order.index(offset) + 1 :]
        for inst in (replay.at[o] for o in rest):
            memory = inst.spec.memory
            if inst.spec.control == "barrier" or (memory is not None and memory.op != "store"):
                return False
    return True


# ---- subjects -------------------------------------------------------------------------------------------------------


def _axpy(arch: str) -> Subject:
    path = Path(__file__).resolve().parents[2] / "examples" / "axpy.py"
    spec = importlib.util.spec_from_file_location("axpy_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(device: _Bench, options: Options | None) -> tuple[Outputs, bool]:
        n = 1000
        rng = np.random.default_rng(0)
        x, y = (rng.standard_normal(n, dtype=np.float32) for _ in range(2))
        xbuf, ybuf = device.buffer(x), device.buffer(y)
        kernel = device.load("").kernels["axpy"]
        kernel.launch(grid=(4, 1, 1), block=(64, 1, 1), args=[ybuf, xbuf, 2.5, n], options=options)
        got = ybuf.numpy()
        passed = bool(np.abs(got - (y + 2.5 * x.astype(np.float64))).max() <= 1e-6)
        return {"x": xbuf.numpy().tobytes(), "y": got.tobytes()}, passed

    return Subject(f"axpy {arch}", "axpy", build_hsaco(hkasm.build(module.axpy, arch=arch)), [Case("n=1000", run)])


TILE, SCHEDULE = "128x128", "pingpong"
"""Of the GEMMs: the schedule of the largest tile, on the smallest that it has, so that every mutant can be judged."""


def _gemm(arch: str) -> Subject:
    def case(m: int = 128, n: int = 128, **sizes: int) -> Case:
        def run(device: _Bench, options: Options | None) -> tuple[Outputs, bool]:
            problem = get_kernel("gemm").problem(m=m, n=n, **sizes, data="integers", tile=TILE, schedule=SCHEDULE)
            inputs, outputs = problem.inputs(0), problem.outputs()
            buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
            launch = problem.launch()
            args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
            device.load("").kernels["gemm"].launch(launch.grid, launch.block, args, options=options)
            after = {name: buffer.numpy() for name, buffer in buffers.items()}
            checks = problem.check(inputs, {name: after[name] for name in outputs})
            return {n: a.tobytes() for n, a in after.items()}, all(c.passed and c.exact for c in checks)

        return Case(" ".join(f"{name}={size}" for name, size in {"m": m, "n": n, **sizes}.items()), run)

    cases = [
        case(k=64 * steps, lda=64 * steps + extra, ldb=64 * steps + extra)
        for extra, counts in ((0, (3, 4, 2, 5, 1)), (2, (3, 4, 1)), (1, (3, 4, 1)))
        for steps in counts
    ]
    hsaco = build_hsaco(get_kernel("gemm").build(arch, tile=TILE, schedule=SCHEDULE))
    return Subject(f"GEMM {arch}", "gemm", hsaco, [*cases, case(n=127, k=63), case(n=126, k=63)])


def _foreign(oracle: Oracle) -> Subject:
    def case(name: str, oracle: Oracle) -> Case:
        before = oracle.arrays()

        def run(device: _Bench, options: Options | None) -> tuple[Outputs, bool]:
            settings = {} if options is None else {"options": options}
            after, _ = oracle.launch(device, before, **settings)
            try:
                oracle.check(before, after)
                passed = True
            except AssertionError:
                passed = False
            return {name: array.tobytes() for name, array in after.items()}, passed

        return Case(name, run)

    cases = [case("manifest", oracle)]
    if oracle.entry["reference"] == "gemm_nt":
        # The manifest's K ends in the middle of a tile, whose rest reads as zeros; here every byte matters.
        cases.append(case("k=192", Oracle(oracle.folder, _with_k(oracle.entry, 192))))
    return Subject(oracle.label, oracle.entry["kernel"], oracle.path.read_bytes(), cases)


def _with_k(entry: dict[str, Any], k: int) -> dict[str, Any]:
    """A manifest's entry of a GEMM with another K, rows as long."""
    args = []
    for arg in entry["args"]:
        if arg["name"] in ("a", "b"):
            args.append({**arg, "shape": [arg["shape"][0], k]})
        elif arg["name"] in ("k", "lda", "ldb"):
            args.append({**arg, "value": k})
        else:
            args.append(arg)
    return {**entry, "args": args}


FOREIGN = {
    "triton": ("gemm_bf16_nt_128x128x64_w4_gfx950", "attention_bf16_d64_gfx950", "softmax_bf16_w8_gfx942"),
    "clang": ("scan_O2_gfx942",),
}
SUBJECTS = ("axpy gfx950", "GEMM gfx950", "GEMM gfx942", *(label for labels in FOREIGN.values() for label in labels))


@cache
def subject(name: str) -> Subject:
    """One subject of `SUBJECTS`."""
    word, _, arch = name.partition(" ")
    if word == "axpy":
        return _axpy(arch)
    if word == "GEMM":
        return _gemm(arch)
    kind = next(kind for kind, labels in FOREIGN.items() if name in labels)
    return _foreign(next(oracle for oracle in load_oracles(kind) if oracle.label == name))

"""The static wait check: against a walk over all paths of random programs, by mutation, and on code by other hands."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from hkasm.analysis.flow import flow_of
from hkasm.analysis.waits import check_waits
from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.inspect.load import program_of
from hkasm.isa.arch import get_arch
from hkasm.isa.counters import COUNTERS, counter_max, pack_waitcnt, unpack_waitcnt
from hkasm.isa.registers import s, v
from hkasm.kernels import get_kernel

DATA = Path(__file__).parents[1] / "data"
FOREIGN = sorted([*(DATA / "triton").glob("*.hsaco"), *(DATA / "clang").glob("*.hsaco")])


def test_the_finding_names_both_instructions_the_owner_and_the_count() -> None:
    k = Builder("gfx950", "early")
    off, rsrc, xs, ys = k.vgpr("off"), k.sgpr("rsrc", 4), k.vgpr("xs", 4), k.vgpr("ys", 4)
    k.buffer_load_dwordx4(xs, off, rsrc)
    k.buffer_load_dwordx4(ys, off, rsrc)
    k.v_add_f32(v[20], xs[2], 1.0)
    k.s_endpgm()
    (found,) = check_waits(k.finish(checked=False))
    here = Path(__file__).name
    assert found.rule == "register-in-flight"
    assert f"reads v{xs.index + 2} (xs[2]) while buffer_load_dwordx4 v[{xs.index}:{xs.end - 1}]" in found.message
    assert f"{here}:" in str(found.where)
    assert found.message.endswith("may still be in flight (vmcnt)")
    assert found.hint == "s_waitcnt vmcnt(1) before this line, or k.wait(xs[2])"


def test_overwriting_what_is_in_flight_is_a_fault_but_not_by_the_same_queue() -> None:
    k = Builder("gfx942", "over")
    k.buffer_load_dword(v[1], v[0], s[4:8], 0)
    k.buffer_load_dword(v[1], v[0], s[4:8], 0, offset=4)  # lands behind the first
    k.ds_read_b32(v[1], v[0])  # may land between
    k.v_mov_b32(v[2], 0)
    k.s_endpgm()
    found = check_waits(k.finish(checked=False))
    assert [(one.rule, one.hint) for one in found] == [
        ("register-overwritten", "s_waitcnt vmcnt(1) before this line"),
        ("register-overwritten", "s_waitcnt vmcnt(0) before this line"),
    ]


def test_a_partial_count_says_nothing_of_scalar_loads() -> None:
    k = Builder("gfx950", "scalar")
    k.s_load_dword(s[8], s[0:2], 0)
    k.s_load_dword(s[9], s[0:2], 4)
    k.wait_counts(lgkmcnt=1)
    k.s_add_u32(s[10], s[8], 1)
    k.wait_counts(lgkmcnt=0)
    k.s_add_u32(s[10], s[9], 1)
    k.s_endpgm()
    (found,) = check_waits(k.finish(checked=False))
    assert (found.hint, "reads s8" in found.message) == ("s_waitcnt lgkmcnt(0) before this line", True)


@pytest.mark.parametrize(("counter", "most"), [("vmcnt", 63), ("lgkmcnt", 15)])
def test_a_full_counter_holds_the_next_operation_up(counter: str, most: int) -> None:
    """As AMD's own checker takes it (ROCm/rocm-systems, issue 11202)."""
    for younger, want in ((most, []), (most - 1, [f"s_waitcnt {counter}({most - 1}) before this line"])):
        k = Builder("gfx950", "full")
        for register in (1, *[2] * younger):
            if counter == "vmcnt":
                k.buffer_load_dword(v[register], v[0], s[4:8], 0)
            else:
                k.ds_read_b32(v[register], v[0])
        k.s_load_dword(s[20], s[0:2], 0)
        k.v_mov_b32(v[3], v[1])
        k.s_endpgm()
        hints = [one.hint for one in check_waits(k.finish(checked=False))]
        assert hints == ([hint.replace("(14)", "(0)") for hint in want])


def test_a_load_at_the_end_of_a_loop_is_seen_at_its_head() -> None:
    k = Builder("gfx950", "around")
    head = k.place("head")
    k.v_add_u32(v[2], v[1], 1)
    k.global_load_dword(v[1], v[0], s[4:6])
    k.s_cbranch_scc1(head)
    k.s_endpgm()
    (found,) = check_waits(k.finish(checked=False))
    assert found.instruction.startswith("v_add_u32")


# A second opinion on random programs: every path on its own, every counter as a queue.


def _random_program(random: Random) -> Program:
    k = Builder("gfx950", "random")
    labels = [k.label(f"at_{number}") for number in range(4)]
    for label in labels:
        k.place(label)
        for _ in range(random.randrange(1, 6)):
            register = random.randrange(1, 5)
            match random.randrange(6):
                case 0:
                    k.buffer_load_dword(v[register], v[0], s[4:8], 0)
                case 1:
                    k.ds_read_b32(v[register], v[0])
                case 2:
                    k.s_load_dword(s[20 + register], s[0:2], 0)
                case 3:
                    k.wait_counts(**{random.choice(COUNTERS): random.randrange(3)})
                case 4:
                    k.v_add_u32(v[10], v[register], v[register])
                case 5:
                    k.s_add_u32(s[30], s[20 + register], 1)
        if random.random() < 0.6:
            k.s_cbranch_vccz(random.choice(labels))
    k.s_endpgm()
    return k.finish(checked=False)


def _faults(program: Program, steps: int = 60) -> set[tuple[int, int]]:
    """Return (consumer, producer) of every early use on every path of so many instructions."""
    flow, instructions = flow_of(program), program.instructions
    found: set[tuple[int, int]] = set()
    seen: set[tuple[int, tuple[tuple[str, int], ...]]] = set()
    work: list[tuple[int, tuple[tuple[str, int], ...], int]] = [(0, (), 0)]
    while work:
        index, flying, depth = work.pop()
        if (index, flying) in seen or depth > steps:
            continue
        seen.add((index, flying))
        inst = instructions[index]
        queue = list(flying)
        if inst.spec.key == "s_waitcnt":
            fields = unpack_waitcnt(inst.operands[0])  # type: ignore[arg-type]
            for name in COUNTERS:
                queue = _drained(instructions, queue, name, fields.get(name))
        for _, producer in queue:
            load = instructions[producer]
            early = any(one.overlaps(dest) for one in inst.reads() for dest in load.writes())
            over = any(one.overlaps(dest) for one in inst.writes() for dest in load.writes())
            alike = inst.spec.unit == load.spec.unit and inst.spec.unit != "SMEM"
            if early or (over and not alike):
                found.add((index, producer))
        if inst.spec.counter is not None:
            queue.append((inst.spec.counter, index))
        after = [flow.targets[index]] if index in flow.targets else []
        if inst.spec.control not in ("branch", "end"):
            after.append(index + 1)
        work += [(to, tuple(queue[-20:]), depth + 1) for to in after]
    return found


def _drained(
    instructions: list[Instruction], queue: list[tuple[str, int]], name: str, count: int
) -> list[tuple[str, int]]:
    mine = [one for one in queue if one[0] == name]
    others = [one for one in queue if one[0] != name]
    if count == 0:
        return others
    if any(instructions[producer].spec.unit == "SMEM" for _, producer in mine):
        return queue
    kept = mine[-count:]
    return [one for one in queue if one[0] != name or one in kept] if len(set(mine)) == len(mine) else others + kept


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_against_all_paths(seed: int) -> None:
    program = _random_program(Random(seed))
    instructions = program.instructions
    said = {
        (one.instruction, one.message.partition(" while ")[2].partition(" may ")[0]) for one in check_waits(program)
    }
    want = {(str(instructions[to]), f"{instructions[of]} of {instructions[of].origin}") for to, of in _faults(program)}
    assert said == want


# Mutation of derived waits.


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_the_gemm_is_clean_and_every_loosened_register_wait_is_seen(arch: str) -> None:
    program = get_kernel("gemm").build(arch)
    assert check_waits(program) == []
    limits = {name: counter_max(get_arch(arch), name) for name in COUNTERS}
    waits = [n for n, item in enumerate(program.body) if isinstance(item, Instruction) and item.spec.key == "s_waitcnt"]
    seen = 0
    for place in Random(1).sample(waits, 24):
        wait = program.body[place]
        assert isinstance(wait, Instruction)
        fields = unpack_waitcnt(wait.operands[0])  # type: ignore[arg-type]
        for name in COUNTERS:
            if fields.get(name) >= limits[name]:
                continue
            looser = {other: fields.get(other) for other in COUNTERS} | {name: fields.get(name) + 1}
            body = list(program.body)
            body[place] = Instruction(
                wait.spec, wait.encoding, (pack_waitcnt(get_arch(arch), **looser),), {}, wait.origin
            )
            caught = bool(check_waits(program.with_body(body)))
            seen += caught
            following = next(item for item in body[place + 1 :] if isinstance(item, Instruction))
            # Waits in front of a barrier guard LDS, which no register shows.
            assert caught or following.spec.control == "barrier", f"{wait} of {wait.origin} loosened by one of {name}"
    assert seen > 12


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.stem)
def test_compilers_wait_for_everything(path: Path) -> None:
    for image in CodeObject.from_path(path).kernels.values():
        assert check_waits(program_of(image)) == []


def test_without_instructions_there_is_nothing_to_wait_for() -> None:
    assert check_waits(Program.decode("gfx950", b"")) == []

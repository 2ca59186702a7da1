"""Derived waits against a brute-force walk over all paths: never looser than correct, never tighter than needed."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from hkasm.asm.builder import Builder, build
from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.waits import WaitMarker, landing_keys
from hkasm.isa.counters import unpack_waitcnt
from hkasm.isa.registers import M0, v


def waits_of(program):
    return [unpack_waitcnt(i.operands[0]) for i in program.instructions if i.spec.key == "s_waitcnt"]


def test_counts_what_was_issued_after():
    def kernel(k):
        a, b = k.vgpr("a", 4), k.vgpr("b", 4)
        off, rsrc = k.vgpr("off"), k.sgpr("rsrc", 4)
        k.buffer_load_dwordx4(a, off, rsrc)
        k.buffer_load_dwordx4(b, off, rsrc)
        k.wait(a)
        k.wait(b)
        k.wait(a, b)
        k.s_endpgm()

    assert [w.vmcnt for w in waits_of(build(kernel, arch="gfx950"))] == [1, 0]


def test_scalar_loads_come_in_any_order():
    def kernel(k):
        a, b = k.sgpr("a"), k.sgpr("b")
        k.s_load_dword(a, k.kernarg, 0)
        k.s_load_dword(b, k.kernarg, 4)
        k.wait(a)
        k.wait(b)
        k.s_endpgm()

    assert [w.lgkmcnt for w in waits_of(build(kernel, arch="gfx950"))] == [0]


def test_lds_reads_mixed_with_a_scalar_load_wait_for_zero():
    def kernel(k):
        a, b, s = k.vgpr("a"), k.vgpr("b"), k.sgpr("s")
        k.ds_read_b32(a, k.lane)
        k.ds_read_b32(b, k.lane, offset=4)
        k.s_load_dword(s, k.kernarg, 0)
        k.wait(a)
        k.s_endpgm()

    assert [w.lgkmcnt for w in waits_of(build(kernel, arch="gfx942"))] == [0]


def test_a_loop_takes_the_worst_path():
    """The load at the loop's end is one operation old at the head; on entry it is two operations old."""

    def kernel(k):
        a, b = k.vgpr("a"), k.vgpr("b")
        off, rsrc = k.vgpr("off"), k.sgpr("rsrc", 4)
        k.buffer_load_dword(a, off, rsrc)
        k.buffer_load_dword(b, off, rsrc)
        k.buffer_load_dword(b, off, rsrc)
        top = k.place(k.label("top"))
        k.wait(a)
        k.v_add_f32(a, a, a)
        k.buffer_load_dword(a, off, rsrc)
        k.buffer_load_dword(b, off, rsrc)
        k.s_cbranch_scc1(top)
        k.s_endpgm()

    assert [w.vmcnt for w in waits_of(build(kernel, arch="gfx950"))] == [1]


def test_tokens_of_direct_loads():
    def kernel(k):
        off, rsrc = k.vgpr("off"), k.sgpr("rsrc", 4)
        k.s_mov_b32(M0, 0)
        k.s_nop(0)
        k.buffer_load_dwordx4(off, rsrc, lds=True, tokens=("A0",))
        k.buffer_load_dwordx4(off, rsrc, lds=True, tokens=("A0",))
        k.buffer_load_dwordx4(off, rsrc, lds=True, tokens=("B0",))
        k.wait("A0")
        k.wait("A0")
        k.wait()
        k.s_endpgm()

    assert [w.vmcnt for w in waits_of(build(kernel, arch="gfx950"))] == [1, 0]


@dataclass
class Op:
    """One outstanding operation of the brute-force model."""

    keys: frozenset
    counter: str
    unordered: bool


def violated(items, waits):
    """Follow every path (up to five taken branches): is some marker passed while what it names is still in flight?"""
    labels = {item.name: i for i, item in enumerate(items) if isinstance(item, Label)}
    stack = [(0, (), 5)]
    while stack:
        position, outstanding, fuel = stack.pop()
        while position < len(items):
            item = items[position]
            if isinstance(item, WaitMarker):
                for counter, count in waits.get(position, {}).items():
                    outstanding = drained(outstanding, counter, count)
                if any(op.keys & item.keys for op in outstanding):
                    return True
            elif isinstance(item, Instruction):
                if item.spec.counter:
                    op = Op(landing_keys(item), item.spec.counter, item.spec.unit == "SMEM")
                    outstanding = (*outstanding, op)
                if item.spec.control == "cbranch" and fuel > 0:
                    stack.append((labels[item.operands[0].name], outstanding, fuel - 1))
            position += 1
    return False


def drained(outstanding, counter, count):
    """What may be outstanding after a wait: with a scalar load in the queue a partial count proves nothing."""
    queue = [op for op in outstanding if op.counter == counter]
    if count and any(op.unordered for op in queue):
        return outstanding
    kept = queue[len(queue) - count :] if count else []
    return tuple(op for op in outstanding if op.counter != counter or any(op is k for k in kept))


def derived_waits(items, program):
    """Counts by the marker's place; each marker has a reason of its own, which becomes its wait's comment."""
    found = {}
    for inst in program.instructions:
        if inst.spec.key != "s_waitcnt":
            continue
        position = next(
            i for i, item in enumerate(items) if isinstance(item, WaitMarker) and item.reason == inst.comment
        )
        fields = unpack_waitcnt(inst.operands[0])
        found[position] = {c: fields.get(c) for c, top in (("vmcnt", 63), ("lgkmcnt", 15)) if fields.get(c) < top}
    return found


@pytest.mark.parametrize("seed", range(80))
def test_random_programs_against_all_paths(seed):
    """Sound: no path passes a marker too early. Tight: any count loosened by one lets some path through."""
    rng = random.Random(seed)
    k = Builder("gfx950", "random")
    registers = k.vgpr("r", 6, pin=10)
    scalars = k.sgpr("s", 4, pin=20)
    rsrc, off = k.sgpr("rsrc", 4), k.vgpr("off")
    tops = []
    for _ in range(rng.randrange(6, 24)):
        choice = rng.random()
        register = registers[rng.randrange(6)]
        if choice < 0.35:
            k.buffer_load_dword(register, off, rsrc)
        elif choice < 0.5:
            k.ds_read_b32(register, off)
        elif choice < 0.56:
            k.s_load_dword(scalars[rng.randrange(4)], k.kernarg, 0)
        elif choice < 0.85:
            k.wait(*rng.sample([*registers, *scalars], rng.randrange(1, 3)), reason=str(len(k.items)))
        elif choice < 0.93:
            tops.append(k.place(k.label()))
        elif tops:
            k.s_cbranch_scc1(rng.choice(tops))
    k.s_endpgm()
    items = list(k.items)
    waits = derived_waits(items, k.finish(checked=False))
    assert not violated(items, waits)
    for position, counts in waits.items():
        for counter, count in counts.items():
            assert violated(items, {**waits, position: {**counts, counter: count + 1}}), (seed, position, counter)


def test_pinned_registers_are_what_the_wait_names():
    k = Builder("gfx950", "pins")
    data = k.vgpr("data", 4, pin=8)
    assert data == v[8:12]

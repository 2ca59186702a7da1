"""Derived waits and wait states of every schedule beside those of LLVM's own passes on the same instructions."""

from __future__ import annotations

import shutil
from collections import defaultdict
from functools import cache

import pytest
from support.mir import LLC, run_pass
from support.tile_gemm import TileGemm

from hkasm.analysis.waits import check_waits
from hkasm.asm.instruction import Instruction
from hkasm.isa.counters import COUNTERS, counter_max, unpack_waitcnt
from hkasm.schedules import get_schedule

pytestmark = [pytest.mark.llvm, pytest.mark.skipif(shutil.which(LLC) is None, reason=f"needs {LLC}")]

QUICK = [("pingpong", "gfx950"), ("interleave", "gfx950"), ("interleave-staged", "gfx942")]
REST = [
    ("simple", "gfx950"), ("simple", "gfx942"), ("pingpong-staged", "gfx942"), ("interleave-lean", "gfx950"),
    ("specialised", "gfx950"), ("pingpong:apart=3", "gfx950"), ("interleave:depth=3", "gfx950"),
]  # fmt: skip
CASES = [*QUICK, *(pytest.param(*case, marks=pytest.mark.slow) for case in REST)]

LOOSER = {
    ("vmcnt", "ds_read_b128"): "LLVM takes any LDS read to alias any direct-to-LDS load that is in flight",
    ("lgkmcnt", "buffer_load_dwordx4"): "and any direct-to-LDS load to alias any LDS read",
    ("lgkmcnt", "ds_write_b128"): "and LDS writes to alias each other, which one wave's LDS operations do in order",
}
"""Where LLVM waits and hkasm does not, by the counter and by what LLVM waits before; the verifier proves them all."""


@cache
def gemm(label: str, arch: str) -> TileGemm:
    return TileGemm(get_schedule(label), arch=arch)


@pytest.mark.parametrize(("label", "arch"), CASES)
def test_where_llvm_waits_for_more_the_verifier_proves_that_nothing_needs_it(label: str, arch: str) -> None:
    """LLVM is given hkasm's waits, keeps them, and adds what it finds missing."""
    program = gemm(label, arch).program
    own: dict[int, dict[str, int]] = {}
    pending: dict[str, int] = {}
    for inst in program.instructions:
        if inst.mnemonic == "s_waitcnt":
            counts = unpack_waitcnt(inst.operands[0])  # type: ignore[arg-type]
            pending = {name: min(counts.get(name), pending.get(name, 64)) for name in COUNTERS}
        elif inst.mnemonic != "s_nop":
            own[id(inst)], pending = pending, {}
    added: dict[tuple[str, str], list[Instruction]] = defaultdict(list)
    for inst, put in run_pass(program, "si-insert-waitcnts", without="s_nop"):
        waits = [unpack_waitcnt(int(line.split()[1])) for line in put]
        for name in COUNTERS:
            limit = counter_max(program.arch, name)
            wanted = min((wait.get(name) for wait in waits), default=limit)
            if wanted < min(own[id(inst)].get(name, limit), limit):
                added[name, inst.mnemonic].append(inst)
    assert added.keys() <= LOOSER.keys()
    assert not check_waits(program)  # all paths: no register is touched in flight
    for trips in (1, 2, 3, 12, 13):
        proof = gemm(label, arch).course(trips).verify()
        assert proof.findings == ()
    assert proof.repeats


@pytest.mark.parametrize(("label", "arch"), CASES)
def test_llvm_asks_for_no_more_wait_states(label: str, arch: str) -> None:
    """LLVM is given the program without its nops and never puts in more than hkasm did."""
    program = gemm(label, arch).program
    own: dict[int, int] = {}
    states = 0
    for inst in program.instructions:
        if inst.mnemonic == "s_nop":
            states += int(inst.operands[0]) + 1  # type: ignore[call-overload]
        elif inst.mnemonic != "s_waitcnt":
            own[id(inst)], states = states, 0
    for inst, put in run_pass(program, "post-RA-hazard-rec", without="s_nop"):
        wanted = sum(int(line.split()[1]) + 1 for line in put if line.startswith("S_NOP"))
        assert wanted <= own[id(inst)], str(inst)

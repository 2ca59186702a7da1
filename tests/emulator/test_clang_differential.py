"""Random C programs give the same bits on the emulator as on the host, and no check finds anything in them.

A sample of `bench/clang_differential.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.clangdiff.generator import generate
from support.clangdiff.model import Program, Statement
from support.clangdiff.runner import compile_device, find_clang, run_host, run_unit
from support.clangdiff.shrink import shrink

import hkasm
from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import Op
from hkasm.isa.registers import Register

CLANG = find_clang()
needs_clang = pytest.mark.skipif(CLANG is None, reason="no clang that knows gfx950")
SAMPLE = ((1000, "O0"), (1010, "O2"), (1020, "Os"))
"""First seed of ten programs, and their level."""


@pytest.mark.llvm
@needs_clang
@pytest.mark.parametrize(("first", "level"), SAMPLE)
def test_programs_give_the_host_s_bits(first: int, level: str) -> None:
    assert CLANG is not None
    programs = [generate(seed, f"p{seed}") for seed in range(first, first + 10)]
    archs = ("gfx942", "gfx950")
    expected = run_host(CLANG, programs, archs)
    failed = [
        f"seed {outcome.seed} {arch} {level}: {outcome.kind} {outcome.detail}"
        for arch in archs
        for outcome in run_unit(CLANG, programs, arch, level, expected[arch])
        if outcome.kind != "ok"
    ]
    assert not failed


SELECT = """
KERNEL(select, 64)(GLOBAL u32 *out, CONSTANT const u32 *in, u32 s, u32 k) {
  u32 x = in[THREAD];
  out[THREAD] = (s & k) | (~s & (~(x | s)));
}
"""


class _TableSources(Listener):
    """Keep what the first v_bitop3_b32 reads, and its table."""

    name = "table sources"

    def __init__(self) -> None:
        self.table, self.sources = -1, np.zeros((0, 64), np.uint32)

    def issue(self, batch: Batch, op: Op) -> None:
        if op.inst.mnemonic == "v_bitop3_b32" and self.table < 0:
            self.table = op.inst.mods["bitop3"]
            self.sources = np.stack([batch.v[r.index][0] for r in op.inst.operands[1:] if isinstance(r, Register)])


@pytest.mark.llvm
@needs_clang
def test_where_clang_s_truth_table_is_wrong_so_is_the_result() -> None:
    """Seed 1269 at -O0, shrunk: clang 22 writes 0x6c where its own operands want 0xb1 (LLVM's pull request 198556)."""
    assert CLANG is not None
    rng = np.random.default_rng(0)
    x, (s, k) = rng.integers(0, 1 << 32, 64, np.uint32), rng.integers(0, 1 << 32, 2, np.uint32)
    wanted = (s & k) | (~s & ~(x | s))
    results = {}
    for features in ((), ("-bitop3-insts",)):
        source = '#define GFX950 1\n#include "common.h"\n#include "device.h"\n' + SELECT
        device, watch = hkasm.device("emulator"), _TableSources()
        kernel = device.load(compile_device(CLANG, source, "gfx950", "O0", features)).kernels["select"]
        out, into = device.buffer(np.zeros(64, np.uint32)), device.buffer(x)
        kernel.launch((1,), (64,), [out, into, s, k], probes=[watch])
        results[features] = out.numpy(), watch
    without, _ = results[("-bitop3-insts",)]
    assert (without == wanted).all()
    found, watch = results[()]
    # By hand: every bit of the result is the table's bit at the number that the three sources' bits make.
    looked_up = [
        sum((watch.table >> int(a >> i & 1) * 4 + int(b >> i & 1) * 2 + int(c >> i & 1) & 1) << i for i in range(32))
        for a, b, c in watch.sources.T
    ]
    assert found.tolist() == looked_up
    assert {int(s), int(k)} <= set(watch.sources[:, 0].tolist())
    assert x[0] in watch.sources[:, 0]


def test_a_seed_says_everything() -> None:
    assert generate(7, "p").text() == generate(7, "p").text()
    assert generate(7, "p").text() != generate(8, "p").text()


def test_shrinking_keeps_what_fails() -> None:
    program = generate(3, "p")
    guilty = Statement("v0_u32 = 12345u;")
    nested = Statement("if (k0 > 3u)", (Statement("v1_u32 = 1u;"), guilty))
    whole = program.but((*program.statements, nested))

    def fails(candidate: Program) -> bool:
        return guilty.head in candidate.text()

    assert shrink(whole, fails, seconds=20.0).statements == (guilty,)

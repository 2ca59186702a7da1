"""Counters: names as rocprofv3 has them, amounts counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.emulator.checks.stores import SEGMENT, _touched
from hkasm.emulator.counters import counters_of
from hkasm.isa import SPECS
from hkasm.isa.spec import InstSpec


def _body(k: Kit) -> None:
    (data,) = k.pointers("data")
    x, where, acc, a = k.vgpr("x"), k.lane_bytes(), k.vgpr("acc", 4, align=2), k.vgpr("a", 4, align=2)
    over = k.label("over")
    for register in (*acc, *a):
        k.v_mov_b32(register, 0)
    k.global_load_dword(x, where, data)
    k.wait(x)
    k.v_mfma_f32_16x16x32_f16(acc, a, a, acc)
    k.v_exp_f32(x, x)
    k.s_cmp_eq_u32(k.group_id, 99)
    k.s_cbranch_scc1(over)
    k.global_atomic_add(where, a[0], data)
    k.place(over)
    k.s_barrier()


def test_counters_of_a_small_kernel() -> None:
    counters = run(_body, {"data": np.zeros(384, np.uint32)}, block=384).report.counters
    waves = 6
    assert counters["SQ_WAVES"] == waves
    assert counters["SQ_INSTS_MFMA"] == counters["SQ_INSTS_VALU_MFMA_F16"] == waves
    assert counters["SQ_INSTS_VALU_MFMA_MOPS_F16"] == waves * 2 * 16 * 16 * 32 // 512
    assert counters["SQ_INSTS_VALU"] == waves * (1 + 8 + 1 + 1)  # lane bytes, zeros, the matrix and the exponential
    assert counters["SQ_INSTS_VMEM"] == 2 * waves
    assert counters["SQ_INSTS_VMEM_RD"] == counters["SQ_INSTS_VMEM_WR"] == waves
    assert counters["TA_FLAT_READ_WAVEFRONTS_sum"] == counters["TA_FLAT_ATOMIC_WAVEFRONTS_sum"] == waves
    assert counters["SQ_INSTS_CBRANCH"] == waves
    assert counters["SQ_INSTS_SMEM"] == waves
    units = ("SALU", "VALU", "SMEM", "VMEM", "LDS", "BRANCH", "SENDMSG", "OTHER")
    assert counters["SQ_INSTS"] == sum(counters.get(f"SQ_INSTS_{unit}", 0) for unit in units)
    assert counters["load_segments"] == 2 * waves * 64 * 4 // SEGMENT  # the load and the atomic


@pytest.mark.parametrize("spec", [spec for spec in SPECS.values() if spec.mfma is not None], ids=lambda spec: spec.key)
def test_matrix_instructions_count_their_operations(spec: InstSpec) -> None:
    class Inst:
        pass

    inst = Inst()
    inst.spec = spec  # type: ignore[attr-defined]
    found = dict(counters_of(inst))  # type: ignore[arg-type]
    mops = [amount for name, amount in found.items() if "MOPS" in name]
    assert spec.mfma is not None
    assert mops == [spec.mfma.flops // 512]
    assert found["SQ_INSTS_VALU"] == found["SQ_INSTS_MFMA"] == 1


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
@pytest.mark.parametrize("masked", [False, True])
def test_segments_of_a_load(size: int, masked: bool) -> None:
    rng = np.random.default_rng(size)
    address = rng.integers(0, 4096, (5, 64)).astype(np.int64)
    lanes = rng.random((5, 64)) < 0.3 if masked else None
    if lanes is not None:
        lanes[2] = False
    wanted = 0
    for row in range(5):
        used = address[row] if lanes is None else address[row][lanes[row]]
        wanted += len({(int(first) + byte) // SEGMENT for first in used for byte in range(size)})
    assert _touched(address, size, lanes) == wanted


def test_counters_can_be_read_without_checks() -> None:
    assert run(lambda k: k.store(k.lane, *k.pointers("out")), {"out": zeros()}).report.counters["SQ_WAVES"] == 1


def test_segments_count_from_where_each_wave_begins() -> None:
    """Waves whose lanes stand alike, at every place in a segment, against a set of the bytes' segments."""
    begin = np.arange(0, SEGMENT, 4, dtype=np.int64)[:, None] + 4096 * np.arange(SEGMENT // 4)[:, None]
    for step, size in ((4, 4), (16, 16), (64, 4), (0, 4), (12, 8)):
        address = begin + step * np.arange(64)
        wanted = sum(len({(int(a) + b) // SEGMENT for a in row for b in range(size)}) for row in address)
        assert _touched(address, size, None) == wanted

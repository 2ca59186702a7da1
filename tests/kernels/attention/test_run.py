"""Attention on the emulator, strict, against float64: what sizes, masks, strides and hostile data must not break."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from support.attention_runs import Case, declared, random_case, run_attention

from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.kernels import get_kernel

ARCHS = ("gfx942", "gfx950")
ONE_HEAD: Case = {"d": 64, "hq": 1, "hkv": 1, "schedule": "pingpong"}


def check(
    arch: str, case: Case, seed: int = 0, options: Options | None = None, probes: Sequence[Listener] = ()
) -> dict[str, bytes]:
    report, answer = run_attention(arch, case, seed, options, probes)
    comparisons = answer.check()
    assert [one.name for one in comparisons][:2] == ["O", "LSE"]
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    assert report.findings == []
    assert report.counters["SQ_LDS_BANK_CONFLICT"] == 0
    return {name: array.tobytes() for name, array in answer.outputs.items()}


@pytest.mark.parametrize("data", ["late", "dominant", "equal", "huge"])
@pytest.mark.parametrize("arch", ARCHS)
def test_hostile_scores(arch: str, data: str) -> None:
    check(arch, ONE_HEAD | {"q": 40, "kv": 257, "data": data})


@pytest.mark.parametrize("kv", [1, 127, 128, 129])
@pytest.mark.parametrize("arch", ARCHS)
def test_key_lengths_with_one_query(arch: str, kv: int) -> None:
    check(arch, ONE_HEAD | {"q": 1, "kv": kv})


@pytest.mark.parametrize(("q", "kv"), [(150, 70), (70, 150)], ids=["rows_without_keys", "more_keys"])
@pytest.mark.parametrize("arch", ARCHS)
def test_causal_lengths_end_together(arch: str, q: int, kv: int) -> None:
    check(arch, ONE_HEAD | {"mask": "causal", "q": q, "kv": kv, "data": "late"})


@pytest.mark.parametrize(("arch", "mask", "q", "kv"), [("gfx942", "causal", 140, 150), ("gfx950", "window", 40, 190)])
def test_schedules_give_the_same_bits_and_a_random_course_of_events_too(arch: str, mask: str, q: int, kv: int) -> None:
    case: Case = ONE_HEAD | {"mask": mask, "q": q, "kv": kv, "data": "late"}
    random = Options(landing="random", order="random", seed=q)
    found = [
        check(arch, case | {"schedule": name}, 3, options)
        for name, options in (("in-step", None), ("pingpong", random))
    ]
    assert found[0] == found[1]


def test_the_last_causal_queries_come_first() -> None:
    trace = WaveTrace((0, 1))
    case: Case = ONE_HEAD | {"mask": "causal", "q": 512, "kv": 512}
    check("gfx950", case, probes=[trace])
    first, last = (sum(len(steps) for (group, _), steps in trace.waves.items() if group == number) for number in (0, 1))
    assert first > 1.5 * last


@pytest.mark.parametrize("arch", ARCHS)
def test_the_error_is_that_of_the_same_algorithm_in_numpy(arch: str) -> None:
    _, answer = run_attention(arch, ONE_HEAD | {"q": 33, "kv": 200, "mask": "window", "data": "late"}, 5)
    for own, other in answer.beside_numpy().values():
        assert 0 < own <= 1.5 * other


def test_rows_without_a_key_give_zero_and_minus_infinity() -> None:
    problem = get_kernel("attention").problem(**ONE_HEAD, mask="causal", q=150, kv=70)
    inputs = problem.inputs()
    want, lse, _, _ = problem.reference(inputs, 0, 0)
    assert (want[:80] == 0).all()
    assert np.isneginf(lse[:80]).all()
    assert np.isfinite(lse[80:]).all()


@pytest.mark.parametrize("layout", ["bshd", "bhsd"])
@pytest.mark.parametrize("arch", ARCHS)
def test_grouped_heads_batches_and_strides(arch: str, layout: str) -> None:
    case: Case = {"d": 64, "dtype": "f16", "mask": "window", "window": 30, "layout": layout, "gap": 8}
    check(arch, case | {"hq": 7, "hkv": 1, "batch": 3, "q": 9, "kv": 66})
    check(arch, case | {"hq": 16, "hkv": 2, "q": 33, "kv": 65})


@pytest.mark.parametrize("arch", ARCHS)
def test_packed_sequences_some_of_them_empty(arch: str) -> None:
    case: Case = {"d": 64, "lengths": "cu_seqlens", "mask": "causal", "hq": 2, "hkv": 1, "gap": 8}
    check(arch, case | {"batch": 3, "q": 140, "kv": 100})
    check(arch, case | {"batch": 3, "q": 2, "kv": 2, "layout": "bhsd"})


@pytest.mark.slow
@pytest.mark.parametrize(("arch", "config"), declared((32, 64, 72, 128, 256)))
def test_every_kind_of_code(arch: str, config: Case) -> None:
    check(arch, config | {"hq": 2, "hkv": 1, "batch": 2, "q": 130, "kv": 200, "data": "late"})


@pytest.mark.slow
@pytest.mark.parametrize("number", range(24))
def test_random_cases(number: int) -> None:
    check(ARCHS[number % 2], {"d": 64} | random_case(np.random.default_rng([7, number])), number)


@pytest.mark.parametrize(("schedule", "registers"), [("pingpong", 256), ("in-step", 512)])
@pytest.mark.parametrize("arch", ARCHS)
def test_the_loop_uses_one_exponential_a_score_and_no_scratch(arch: str, schedule: str, registers: int) -> None:
    program = get_kernel("attention").build(arch, d=128, mask="window", schedule=schedule)
    (loop,) = [mark for mark in program.marks if mark.kind == "loop"]
    body = program.instructions[loop.first : loop.last]
    products = [inst for inst in body if inst.spec.mfma is not None]
    blocks = 2 if arch == "gfx950" else 1
    assert len(products) == blocks * (32 if arch == "gfx950" else 64)
    # 32 scores a lane, and one factor in the code that rescales
    assert sum(inst.mnemonic == "v_exp_f32" for inst in body) == blocks * 33
    assert not any(inst.mnemonic.startswith(("scratch_", "ds_write")) for inst in body) or arch == "gfx942"
    assert program.vgprs + program.agprs <= registers
    packed = [inst for inst in body if inst.mnemonic.startswith("v_pk_")]
    assert not packed  # they stand still while another wave multiplies

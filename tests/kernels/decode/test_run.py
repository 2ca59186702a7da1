"""Decode attention on the emulator, strict, against float64: caches, tables, masks, splits and hostile data."""

from __future__ import annotations

import numpy as np
import pytest
from support.decode_runs import Case, make_problem, random_case, run_decode
from support.kernel_mutants import DECODE, sample, subject

from hkasm.kernels import get_kernel
from hkasm.kernels.attention.reference import ARRAYS, answer
from hkasm.kernels.decode.declared import ROWS

ARCHS = ("gfx942", "gfx950")
SMALL: Case = {"d": 64, "batch": 1, "hq": 2, "hkv": 1}


def check(arch: str, case: Case, seed: int = 0) -> dict[str, np.ndarray]:
    """Run a case and want right answers, nothing found, and no bank conflict; returns the answers."""
    report, comparisons, outputs = run_decode(arch, case, seed)
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    assert report.findings == []
    assert report.counters["SQ_LDS_BANK_CONFLICT"] == 0
    return outputs


@pytest.mark.parametrize("data", ["late", "dominant", "equal", "huge"])
@pytest.mark.parametrize("arch", ARCHS)
def test_hostile_scores(arch: str, data: str) -> None:
    check(arch, SMALL | {"kv": 400, "data": data, "page": 16, "splits": 2})


@pytest.mark.parametrize("kv", [0, 1, 127, 128, 129, 257])
@pytest.mark.parametrize("arch", ARCHS)
def test_key_lengths(arch: str, kv: int) -> None:
    outputs = check(arch, SMALL | {"hq": 7, "kv": kv, "table": "repeated", "page": 32, "splits": 1})
    if kv == 0:
        assert not outputs["O"].any()
        assert np.isneginf(outputs["LSE"]).all()


@pytest.mark.parametrize(("arch", "page"), [("gfx942", 16), ("gfx942", 128), ("gfx950", 32), ("gfx950", 64)])
def test_blocks_out_of_order_named_twice_and_none_at_all(arch: str, page: int) -> None:
    case: Case = {"d": 64, "batch": 3, "hq": 2, "hkv": 2, "kv": 300, "page": page, "lengths": "mixed"}
    check(arch, case | {"table": "repeated", "splits": 1, "layout": "bhsd", "gap": 8})
    check(arch, case | {"table": "broken", "splits": 2})


@pytest.mark.parametrize("mask", ["causal", "window"])
@pytest.mark.parametrize("arch", ARCHS)
def test_rows_of_several_queries_some_without_a_key(arch: str, mask: str) -> None:
    case: Case = {"d": 64, "cache": "plain", "batch": 3, "hq": 7, "hkv": 1, "q": 5, "kv": 200, "lengths": "mixed"}
    check(arch, case | {"mask": mask, "window": 40, "dtype": "f16", "splits": 2, "gap": 8})
    outputs = check(arch, case | {"mask": mask, "kv": 3, "splits": 1, "lengths": "equal"})
    sums = outputs["LSE"].reshape(3, 7, 5)
    assert np.isneginf(sums[..., :2]).all()
    assert np.isfinite(sums[..., 2:]).all()


def test_the_answer_does_not_depend_on_the_number_of_splits() -> None:
    case: Case = SMALL | {"kv": 1000, "data": "late"}
    whole, *others = (check("gfx950", case | {"splits": splits}) for splits in (1, 5, 70))
    for one in others:
        np.testing.assert_allclose(one["LSE"], whole["LSE"], rtol=1e-6)
        np.testing.assert_allclose(one["O"].astype(np.float32), whole["O"].astype(np.float32), rtol=2**-6, atol=2**-8)


@pytest.mark.parametrize(("arch", "d"), [("gfx942", 128), ("gfx942", 256), ("gfx950", 64), ("gfx950", 256)])
def test_every_key_and_value_is_read_once_in_whole_segments(arch: str, d: int) -> None:
    """What a head's rows have beside: its queries, which every wave loads."""
    case: Case = {"d": d, "batch": 1, "hq": 8, "hkv": 1, "kv": 300, "splits": 1, "page": 64}
    report, _, _ = run_decode(arch, case)
    problem = make_problem(arch, case)
    queries = 4 * 2 * problem.size("Q")
    assert problem.least_bytes == 2 * 2 * 300 * d
    assert report.counters["load_bytes"] - queries == problem.least_bytes
    assert 64 * report.counters["load_segments"] - queries <= 1.02 * problem.least_bytes


@pytest.mark.parametrize("arch", ARCHS)
def test_the_loop_has_no_barrier_no_lds_and_one_exponential_a_score(arch: str) -> None:
    program = get_kernel("decode").build(arch, d=128, parts="yes")
    (loop,) = [mark for mark in program.marks if mark.kind == "loop"]
    body = program.instructions[loop.first : loop.last]
    assert sum(inst.spec.mfma is not None for inst in body) == (16 if arch == "gfx950" else 32)
    # 8 scores a lane, and one factor in the code that rescales
    assert sum(inst.mnemonic == "v_exp_f32" for inst in body) == 9
    rare = ("ds_swizzle_b32", "ds_bpermute_b32")
    assert not any(inst.mnemonic.startswith(("ds_", "s_barrier")) and inst.mnemonic not in rare for inst in body)
    assert ROWS == 16


@pytest.mark.parametrize("label", [*DECODE, "decode_combine"])
@pytest.mark.parametrize("arch", ARCHS)
def test_a_sample_of_wait_and_barrier_mutants_is_reported(arch: str, label: str) -> None:
    one = subject(label, arch)
    for kind, name, hsaco in sample(one, 1, seed=11):
        assert one.verdict(hsaco) == "reported", f"{kind}: {name}"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(40))
def test_random_cases(number: int) -> None:
    check(ARCHS[number % 2], random_case(np.random.default_rng([9, number]), (64, 128, 256, 40, 136)), number)


@pytest.mark.parametrize("arch", ARCHS)
def test_errors_are_those_of_the_same_roundings_in_numpy(arch: str) -> None:
    """Weights rounded to bf16, everything else in f32, the result rounded to bf16; root mean squares within 1.5."""
    case: Case = {"d": 64, "cache": "plain", "batch": 2, "hq": 4, "hkv": 2, "kv": 700, "splits": 1}
    problem = make_problem(arch, case)
    inputs, got = problem.inputs(5), check(arch, case, 5)["O"]
    errors = np.zeros(2)
    for number in range(2):
        q = problem.part("Q", inputs["Q"], number).astype(np.float64)
        k, v = problem.sequence("K", inputs, number), problem.sequence("V", inputs, number)
        for head in range(4):
            want = answer(q[head], k[head // 2], v[head // 2], problem.visible(number), problem.scale, "bf16").o
            scores = (q[head].astype(np.float32) @ k[head // 2].T.astype(np.float32)) * np.float32(problem.scale)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            rounded = weights.astype(ARRAYS["bf16"]).astype(np.float32)
            same = (rounded @ v[head // 2].astype(np.float32) / weights.sum(axis=1, keepdims=True)).astype(
                ARRAYS["bf16"]
            )
            own = problem.part("O", got, number)[head]
            errors += [np.square(one.astype(np.float64) - want).sum() for one in (own, same)]
    assert errors[0] <= 1.5**2 * errors[1]

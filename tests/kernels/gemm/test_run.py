"""The GEMM on the emulator, strict: every shape, pitch and alignment, against float64."""

from __future__ import annotations

import numpy as np
import pytest
from support.gemm_runs import PITCHES, Case, Gemm, built_gemm, is_right, random_case

from hkasm.asm.toolchain import Toolchain
from hkasm.emulator.options import Options

SHAPES = [
    (256, 256, 64),
    (512, 768, 320),
    (1, 1, 1),
    (255, 257, 63),
    (17, 4096, 96),
    (256, 256, 192),
    (256, 512, 128),
]
RANDOM_CASES = 12


@pytest.fixture(scope="module", params=["gfx942", "gfx950"])
def gemm(request: pytest.FixtureRequest, toolchain: Toolchain) -> Gemm:
    return built_gemm(request.param)


@pytest.mark.parametrize("data", ["normal", "integers"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_of_the_shapes_that_must_work(gemm: Gemm, shape: tuple[int, int, int], data: str) -> None:
    case: Case = dict(zip("mnk", shape, strict=True)) | {"data": data}
    report, comparisons = gemm.run(case)
    assert is_right(case, comparisons), [str(one) for one in comparisons]
    assert report.findings == []
    assert report.counters["SQ_LDS_BANK_CONFLICT"] == 0


def test_a_thousand_cubed(gemm: Gemm) -> None:
    for data in ("normal", "integers"):
        case: Case = {"m": 1000, "n": 1000, "k": 1000, "data": data}
        assert is_right(case, gemm.run(case)[1])


@pytest.mark.parametrize("extra", PITCHES.values(), ids=PITCHES)
def test_nan_behind_rows_is_not_read_and_space_behind_rows_of_c_is_not_written(gemm: Gemm, extra: int) -> None:
    case: Case = {"m": 300, "n": 290, "k": 200, "lda": 208 + extra, "ldb": 224 + extra, "ldc": 304}
    _, comparisons = gemm.run(case)
    assert [one.name for one in comparisons] == ["C", "between rows of C"]
    assert is_right(case, comparisons), [str(one) for one in comparisons]


@pytest.mark.parametrize("shift", [1, 2, 4, 8])
def test_tensors_may_start_at_any_element(gemm: Gemm, shift: int) -> None:
    case: Case = {"m": 70, "n": 72, "k": 192, "data": "integers"}
    assert is_right(case, gemm.run(case, shift=shift)[1])


@pytest.mark.parametrize("number", range(RANDOM_CASES))
def test_random_cases(gemm: Gemm, number: int) -> None:
    case, shift = random_case(np.random.default_rng(number))
    _, comparisons = gemm.run(case, shift=shift, seed=number)
    assert is_right(case, comparisons), [str(one) for one in comparisons]


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_accumulators_in_vgprs(arch: str, toolchain: Toolchain) -> None:
    case: Case = {"m": 130, "n": 250, "k": 320, "data": "integers"}
    assert is_right(case, built_gemm(arch, "vgpr").run(case)[1])


@pytest.mark.parametrize("landing", ["eager", "random"])
@pytest.mark.parametrize("order", ["reversed", "random", "lockstep"])
def test_the_order_of_waves_and_loads_changes_nothing(gemm: Gemm, landing: str, order: str) -> None:
    case: Case = {"m": 256, "n": 256, "k": 300, "data": "integers"}
    report, comparisons = gemm.run(case, options=Options(landing=landing, order=order, seed=3))
    assert is_right(case, comparisons)
    assert report.findings == []


def test_not_a_number_and_infinity_go_through(gemm: Gemm, monkeypatch: pytest.MonkeyPatch) -> None:
    from hkasm.kernels.gemm.kernel import GemmProblem

    plain = GemmProblem.inputs

    def special(self: GemmProblem, seed: int = 0) -> dict[str, np.ndarray]:
        arrays = plain(self, seed)
        a = self.matrix("A", arrays["A"])
        a[3, 5], a[7, 1], a[9, 2] = np.nan, np.inf, -np.inf
        return arrays

    monkeypatch.setattr(GemmProblem, "inputs", special)
    with np.errstate(invalid="ignore"):
        _, comparisons = gemm.run({"m": 16, "n": 16, "k": 64})
    assert comparisons[0].passed


@pytest.mark.parametrize("extra", PITCHES.values(), ids=PITCHES)
def test_stores_write_whole_segments(gemm: Gemm, extra: int) -> None:
    report, _ = gemm.run({"m": 256, "n": 512, "k": 64, "lda": 64 + extra, "ldb": 64 + extra})
    assert report.counters["store_segments"] == 256 * 512 * 2 // 64
    assert report.counters["store_segments_whole"] == report.counters["store_segments"]


@pytest.mark.parametrize("pitch", PITCHES)
def test_the_groups_take_turns(gemm: Gemm, pitch: str) -> None:
    """In lock step hardly any MFMA of one group is issued while the other group multiplies: real ping-pong."""
    k = 64 * 8
    case: Case = {"m": 256, "n": 256, "k": k, "lda": k + PITCHES[pitch], "ldb": k + PITCHES[pitch]}
    report, _ = gemm.run(case, options=Options(order="lockstep", trace=True))
    loop = next(mark for mark in gemm.program.marks if (mark.kind, mark.name) == ("loop", pitch))
    first, last = (gemm.program.instructions[index].offset for index in (loop.first, loop.last - 1))
    issued: list[list[int]] = [[], []]
    clusters: list[list[range]] = [[], []]
    start: list[int | None] = [None, None]
    for step, entry in enumerate(report.trace):
        for group in {wave // 4 for _, wave in entry.waves}:
            begun = start[group]
            if entry.mnemonic.startswith("v_mfma"):
                start[group] = step if begun is None else begun
                if first <= entry.offset <= last:
                    issued[group].append(step)
            elif entry.mnemonic == "s_setprio" and begun is not None:
                clusters[group].append(range(begun, step))
                start[group] = None
    for group in (0, 1):
        meanwhile = sum(any(step in cluster for cluster in clusters[1 - group]) for step in issued[group])
        assert len(issued[group]) >= 64 * 6
        assert meanwhile <= 0.1 * len(issued[group])

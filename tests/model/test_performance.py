"""From cycles to TFLOPS: rounds, clock, memory levels, ranges; constants carry their sources."""

from __future__ import annotations

import pytest
from support.model_loops import Tile, interleaved, run, stream

from hkasm.errors import ArchError
from hkasm.grids.order import chunked
from hkasm.grids.reuse import Rectangle
from hkasm.model.caches import Traffic, estimate
from hkasm.model.chips import CHIPS, get_chip
from hkasm.model.constants import TIMINGS, constants_of, timing
from hkasm.model.cycles import Cycles, play
from hkasm.model.latencies import load_latencies
from hkasm.model.performance import CLOCK_LAWS, Performance, clock_mhz, performance

MI355X = get_chip("mi355x")
SIDE = 8192
FLOPS = 2 * SIDE**3


@pytest.fixture(scope="module")
def cycles() -> Cycles:
    return run("gfx950", interleaved(Tile(256, 256)), 4)


def traffic(window: int) -> Traffic:
    reuse = Rectangle(SIDE // 256, SIDE // 256, SIDE // 64, 32768, 32768)
    return estimate(MI355X, reuse.streams(), chunked(*reuse.shape, window, 0).tiles_by_xcd())


def expected(cycles: Cycles, workgroups: int = 1024, window: int = 8, flops: float = FLOPS) -> Performance:
    return performance(
        MI355X, cycles, iterations=SIDE // 64, workgroups=workgroups, resident=1, flops=flops, traffic=traffic(window)
    )


def test_a_perfect_loop_at_8192_is_within_ten_percent_of_the_best_that_was_measured(cycles: Cycles) -> None:
    """HipKittens 1610, AITER 1591, hipBLASLt 1575 TFLOPS (bf16, MI355X)."""
    found = expected(cycles)
    assert found.tflops == pytest.approx(1610, rel=0.1)
    low, high = found.tflops_range
    assert low < found.tflops < high
    assert found.bound == "compute"
    assert found.rounds == 4


def test_a_started_round_takes_as_long_as_a_whole_one(cycles: Cycles) -> None:
    assert expected(cycles, 1024).rounds == 4
    assert expected(cycles, 1025).rounds == 5


def test_memory_bounds_what_is_not_reused(cycles: Cycles) -> None:
    by_window = {window: expected(cycles, window=window).seconds_by["llc"] for window in (2, 4, 8, 32)}
    assert by_window[32] > by_window[2] > by_window[8]
    assert by_window[32] > 2 * by_window[8]


@pytest.mark.parametrize("name", CHIPS)
def test_the_clock_falls_with_work_and_never_exceeds_the_peak(name: str) -> None:
    chip = get_chip(name)
    assert clock_mhz(chip, 0.99) < clock_mhz(chip, 0.6) < clock_mhz(chip, 0.0) <= chip.clock_mhz
    slowest, fastest = chip.clock_of_gemm_mhz
    assert 0.9 * slowest < clock_mhz(chip, 0.95) < fastest
    assert CLOCK_LAWS[name].source


@pytest.mark.parametrize(("l2", "llc", "clk"), [(1.0, 0.5, {288}), (0.0, 0.0, {900}), (0.5, 0.5, {288, 496, 900})])
def test_loads_take_what_the_level_takes_that_answers(l2: float, llc: float, clk: set[int]) -> None:
    found = load_latencies("gfx950", l2, llc)
    assert set(found) == clk
    shares = [sum(one == level for one in found) / len(found) for level in (288, 496, 900)]
    assert shares == pytest.approx([l2, (1 - l2) * llc, (1 - l2) * (1 - llc)], abs=0.003)


def test_what_the_caches_answer_decides_how_fast_a_loop_of_loads_is() -> None:
    """The tile whose matrix and memory time are equal: the more of its loads HBM answers, the slower."""
    body = stream("gfx950", interleaved(Tile(128, 256)))
    periods = [play("gfx950", [[body] * 4], hits=hits).period for hits in ((1.0, 1.0), (0.75, 0.9), (0.3, 0.3))]
    assert periods == sorted(set(periods))


@pytest.mark.parametrize("arch", TIMINGS)
def test_every_constant_says_where_it_is_from(arch: str) -> None:
    constants = constants_of(arch)
    assert len(constants) > 25
    for name, constant in constants.items():
        assert constant.value > 0, name
        assert constant.source, name
        assert constant.unit, name
        assert constant.confidence in ("vendor", "measured", "derived", "assumed"), name
    fitted = {name for name, constant in constants.items() if constant.fitted}
    assert fitted <= {"barrier"}


def test_other_archs_are_refused() -> None:
    with pytest.raises(ArchError, match="no cycle model for 'gfx90a'"):
        timing("gfx90a")

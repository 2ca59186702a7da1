"""Loops: found, cut and extrapolated; published efficiencies within five points, in their order."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from support.model_loops import (
    Tile,
    interleaved,
    pingpong,
    registers_left,
    run,
    run_pingpong,
    run_specialised,
    stream,
)
from support.model_rows import OUTSIDE, ROWS, Row

from hkasm.model.cycles import find_loop, play

TABLES = sorted({row.table for row in ROWS})


@pytest.fixture(scope="module")
def predicted() -> dict[Row, float]:
    return {row: 100 * row.play().loop_efficiency for row in (*ROWS, *OUTSIDE)}


def test_the_mean_absolute_error_is_at_most_five_points(predicted: dict[Row, float]) -> None:
    scored = [abs(predicted[row] - row.measured) for row in ROWS if not row.fitted]
    assert len(scored) >= 18
    assert fmean(scored) <= 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_each_loop(row: Row, predicted: dict[Row, float]) -> None:
    assert abs(predicted[row] - row.measured) <= 7.5


@pytest.mark.parametrize("row", [row for row in ROWS if row.table == "5.4"], ids=lambda row: row.label)
def test_each_tile_is_within_three_points(row: Row, predicted: dict[Row, float]) -> None:
    assert abs(predicted[row] - row.measured) <= 3


@pytest.mark.parametrize("table", [*TABLES, "6.3"])
def test_loops_of_a_table_are_in_their_order(table: str, predicted: dict[Row, float]) -> None:
    rows = [row for row in (*ROWS, *OUTSIDE) if row.table == table]
    for one, other in combinations(rows, 2):
        if abs(one.measured - other.measured) > 3:
            assert (predicted[one] > predicted[other]) == (one.measured > other.measured), (one.name, other.name)


def test_a_long_loop_is_cut_and_extrapolated() -> None:
    body = interleaved(Tile(256, 256))
    short, long = (play("gfx950", [[stream("gfx950", body, times)] * 4], phases=(0,)) for times in (20, 60))
    whole = play("gfx950", [[stream("gfx950", body, 12)] * 4], phases=(0,))
    assert long.middle.iterations == 60
    assert long.period == short.period
    assert long.total == pytest.approx(whole.at(60), rel=0.002)
    assert long.flops == 5 * play("gfx950", [[stream("gfx950", body, 12)] * 4], phases=(0,)).flops


def test_a_loop_of_few_loads_is_played_until_every_latency_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 loads a turn and 610 latencies: twelve turns would have half of them, and by luck more or fewer of HBM's."""
    body = interleaved(Tile(128, 64))
    cycles = run("gfx950", body, 4)
    assert cycles.middle.played == -(-610 // 24) + 6
    monkeypatch.setattr("hkasm.model.cycles.KEPT_ITERATIONS", 100)
    longer = play("gfx950", [[stream("gfx950", body, 110)] * 4])
    assert longer.middle.played == 100
    assert cycles.period == pytest.approx(longer.period, rel=0.02)


def test_a_loop_that_ends_early_is_played_longer() -> None:
    body = interleaved(Tile(128, 64))
    short, long = (play("gfx950", [[stream("gfx950", body, times)] * 4], phases=(0,)) for times in (8, 60))
    assert short.middle.iterations == 8
    assert short.middle.played == long.middle.played == 32
    assert short.period == pytest.approx(long.period, rel=0.02)
    assert short.flops == long.flops * 8 / 60


def test_the_loop_with_the_matrix_work_is_found() -> None:
    outer = stream("gfx950", ["add"] * 3, 5)[:-1] + stream("gfx950", ["add", "mfma"], 6, first=10)
    loop = find_loop(outer)
    assert loop is not None
    assert (loop.head, loop.iterations) == (10, 6)
    assert find_loop(stream("gfx950", ["add", "mfma"], 1)) is None


def test_turns_that_take_a_rare_branch_are_no_part_of_the_loop() -> None:
    turn = stream("gfx950", ["add", "mfma", "add"], 2, first=10)[:3]
    short = [turn[0], *turn[2:]]
    loop = find_loop([*short, *turn * 2, *short, *turn * 5, *short, *turn])
    assert loop is not None
    assert loop.places == (10, 13, 16, 19, 22, 25)  # the last is where a short turn begins


def test_stalls_name_instruction_and_reason() -> None:
    cycles = run("gfx950", ["load", "wait:0:", "mfma"], 1)
    worst = cycles.middle.stalls[0]
    assert (worst.index, worst.reason) == (1, "vmcnt")
    assert next(iter(cycles.reasons())) == "vmcnt"


def test_parts_add_up() -> None:
    cycles = run("gfx950", interleaved(Tile(128, 128)), 4)
    middle = cycles.middle
    parts = middle.prologue + middle.period * middle.iterations + middle.epilogue
    assert parts == pytest.approx(middle.total, rel=0.06)
    low, high = cycles.total_range
    assert low <= cycles.total <= high


def test_waves_that_only_fetch_cost_registers_and_with_them_the_large_tile() -> None:
    """HipKittens' reason against specialised waves: the file is shared out evenly."""
    large, small = Tile(256, 256), Tile(128, 256)
    assert registers_left(large, 8, 8) >= 0 > registers_left(large, 12, 8)
    assert registers_left(small, 12, 8) >= 0
    best = run_pingpong("gfx950", pingpong()).loop_efficiency
    assert run_specialised(small).loop_efficiency < 0.85 * best

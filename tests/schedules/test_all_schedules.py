"""Every schedule carries the same kernel: right for any number of K steps, clean on the strict emulator, same bits."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.tile_attention import LABELS as ATTENTION
from support.tile_gemm import TileGemm

from hkasm.asm.toolchain import Toolchain
from hkasm.errors import RegisterError, ScheduleError, UsageError
from hkasm.schedules import RecordedSchedule, Schedule, diff_schedules, get_schedule, list_schedules

LABELS = (
    "simple", "simple-direct", "gather", "pingpong", "pingpong:depth=3", "pingpong:apart=2", "pingpong:depth=3,apart=3",
    "pingpong-staged", "interleave:depth=3", "interleave-lean:depth=4", "interleave-staged", "specialised",
    "specialised:depth=3", "specialised-staged",
)  # fmt: skip


@cache
def gemm(label: str) -> TileGemm:
    return TileGemm(get_schedule(label))


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("trips", [1, 2, 5])
def test_the_product_is_right_and_the_run_is_clean(label: str, trips: int, toolchain: Toolchain) -> None:
    _, got, want = gemm(label).run(trips)
    assert np.array_equal(got, want)


@pytest.mark.slow
@pytest.mark.parametrize("label", [*LABELS, "interleave", "interleave-lean"])
def test_every_number_of_k_steps_known_or_not(label: str, toolchain: Toolchain) -> None:
    for trips in range(12):
        for one in (gemm(label), TileGemm(get_schedule(label), trips)):
            _, got, want = one.run(trips)
            assert np.array_equal(got, want), f"{trips} K steps"


@pytest.mark.parametrize(
    ("label", "trips"), [("specialised", 3), ("interleave", 1), ("interleave", 6), ("pingpong", 0)]
)
def test_a_known_number_of_k_steps(label: str, trips: int, toolchain: Toolchain) -> None:
    _, got, want = TileGemm(get_schedule(label), trips).run(trips)
    assert np.array_equal(got, want)


def test_every_schedule_is_among_them() -> None:
    """All but attention's, and the one for elements that arrive one to a register: the kernels' own tests run them."""
    named = {label.partition(":")[0] for label in (*LABELS, "interleave", "interleave-lean")}
    here = {name for name in list_schedules() if Schedule._known[name].__module__.startswith("hkasm.schedules")}
    assert here - named == {"pingpong-packed", *ATTENTION}


def test_all_schedules_give_the_same_bits(toolchain: Toolchain) -> None:
    results = {label: gemm(label).run(3, normal=True)[1].tobytes() for label in (*LABELS, "interleave")}
    assert len(set(results.values())) == 1


def test_no_wave_waits_for_more_barriers_than_another() -> None:
    """The programs of producers and consumers hold the same number of barriers on every way."""
    program = TileGemm(get_schedule("specialised"), 4).program
    count = {"": 0, "producer": 0, "consumer": 0}
    for mark in program.marks:
        if mark.kind == "section" and mark.name.startswith("tile_"):
            run = program.instructions[mark.first : mark.last]
            count[mark.name.removeprefix("tile_")] += sum(inst.spec.control == "barrier" for inst in run)
    assert count["producer"] == count["consumer"] > 4


def test_a_depth_that_does_not_fit_is_refused_with_the_sum() -> None:
    with pytest.raises(RegisterError, match=r"B1\[4\]: 163840 \+ 4096 bytes of LDS, gfx950 has 163840"):
        _ = TileGemm(get_schedule("interleave-lean:depth=12")).program


# Waits where the author says.


def waiting(label: str, phase: int, region: str) -> TileGemm:
    """A schedule with a wait for a region in a phase of its own."""
    data = get_schedule(label).as_dict()
    data["phases"][phase]["wait"] = [region]
    return TileGemm(RecordedSchedule(data))


def waits(gemm: TileGemm, region: str) -> list[str]:
    """The computes of the loop behind whose start a region is waited for, one for each K step's copy."""
    loop = next(mark for mark in gemm.program.marks if mark.kind == "loop")
    found: list[str] = []
    last = "compute C11"  # of the turn before
    for inst in gemm.program.instructions[loop.first : loop.last]:
        last = inst.tag.partition(",")[0] if inst.tag.startswith("compute") else last
        if inst.mnemonic == "s_waitcnt" and region in inst.comment.replace(",", " ").split():
            found.append(last)
    return found


@pytest.mark.parametrize(
    ("label", "phase", "region", "usual", "behind"),
    [
        ("pingpong", 0, "A1", {"compute C00"}, {"compute C11"}),
        ("pingpong-staged", 3, "B1", set(), {"compute C10"}),
        ("interleave:depth=3", 2, "A1", {"compute C11"}, {"compute C01"}),
    ],
)
def test_a_region_is_waited_for_where_the_author_says(
    label: str, phase: int, region: str, usual: set[str], behind: set[str], toolchain: Toolchain
) -> None:
    told = waiting(label, phase, region)
    assert (set(waits(gemm(label), region)), set(waits(told, region))) == (usual, behind)
    for trips in (0, 1, 2, 5):
        _, got, want = told.run(trips)
        assert np.array_equal(got, want)
        assert told.course(trips).verify().holds


def test_a_place_where_nothing_can_be_waited_for_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"phase 2 cannot wait for 'A1': between its fill and its read"):
        _ = waiting("interleave-staged", 2, "A1").program
    with pytest.raises(ScheduleError, match=r"nothing reads 'A2', which phase 0 waits for"):
        _ = waiting("pingpong", 0, "A2").program
    with pytest.raises(ScheduleError, match=r"nothing reads 'A2', which phase 1 waits for"):
        _ = waiting("interleave", 1, "A2").program
    data = get_schedule("pingpong").as_dict()
    for phase in (0, 1):
        data["phases"][phase]["wait"] = ["A1"]
    with pytest.raises(ScheduleError, match="phases 0 and 1 both wait for 'A1'"):
        _ = TileGemm(RecordedSchedule(data)).program


# Schedules as data.


@pytest.mark.parametrize("label", [*list_schedules(), "pingpong:depth=3,apart=2"])
def test_a_schedule_survives_json(label: str) -> None:
    schedule = get_schedule(label)
    again = RecordedSchedule(json.loads(json.dumps(schedule.as_dict())))
    assert again.as_dict() == schedule.as_dict()
    assert again.phases() == schedule.phases()
    assert get_schedule(schedule.label).as_dict() == schedule.as_dict()


def test_a_recorded_schedule_writes_the_same_program() -> None:
    recorded = RecordedSchedule(json.loads(json.dumps(get_schedule("interleave").as_dict())))
    assert TileGemm(recorded).program.encode() == gemm("interleave").program.encode()


def test_a_diff_names_what_differs() -> None:
    found = diff_schedules(get_schedule("interleave"), get_schedule("interleave:depth=3"))
    assert found == [
        "parameters.depth: 2 -> 3",
        "depth: 2 -> 3",
        *(f"phases[{p}].fetch: [['{name}', 2]] -> [['{name}', 3]]" for p, name in enumerate(("A0", "B0", "B1", "A1"))),
    ]
    assert diff_schedules(get_schedule("simple"), get_schedule("simple")) == []


def test_labels_that_mean_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match=r"schedule interleave has no parameter 'dept'\n.*depth"):
        get_schedule("interleave:dept=2")
    with pytest.raises(UsageError, match="'depth=x' is not parameter=number"):
        get_schedule("interleave:depth=x")
    for number in ("\u00b2", "--2", "1e3", ""):
        with pytest.raises(UsageError, match="is not parameter=number"):
            get_schedule(f"interleave:depth={number}")
    for number in ("0", "-1", "99999"):
        with pytest.raises(UsageError, match=f"interleave: depth={number} is out of range"):
            get_schedule(f"interleave:depth={number}")
    with pytest.raises(UsageError, match="unknown schedule 'interleaf'"):
        get_schedule("interleaf")
    with pytest.raises(ScheduleError, match="a phase has no 'reed'"):
        RecordedSchedule({"name": "x", "phases": [{"reed": []}]})
    with pytest.raises(ScheduleError, match="wants a name and a list of phases"):
        RecordedSchedule({"name": "x"})


@pytest.mark.parametrize(
    ("change", "place", "what"),
    [
        ({"depth": None}, "depth", "wants a whole number, got None"),
        ({"depth": "two"}, "depth", "wants a whole number, got 'two'"),
        *(({key: math.inf}, key, "wants a whole number, got inf") for key in ("groups", "apart", "priority", "slack")),
        ({"priority": 1.9}, "priority", "wants a whole number, got 1.9"),
        ({"priority": 4}, "priority", "4 is out of range\n  hint: 0 to 3"),
        ({"groups": True}, "groups", "wants a whole number, got True"),
        ({"groups": 3}, "groups", "3 is out of range\n  hint: 1 to 2"),
        ({"depth": 0}, "depth", "0 is out of range\n  hint: 1 to 4096"),
        ({"woven": "x"}, "woven", "wants true or false, got 'x'"),
        ({"parameters": 5}, "parameters", "wants an object, got 5"),
        ({"parameters": {"depth": 2.5}}, "parameters.depth", "wants a whole number, got 2.5"),
        ({"producers": 7}, "producers", "wants a list, got 7"),
        ({"producers": "x"}, "producers", "wants a list, got 'x'"),
        ({"producers": ["fetcher"]}, "producers", "no step is of the kind 'fetcher'\n  hint: did you mean 'fetch'?"),
        ({"phases": ["A0"]}, "phases[0]", "a phase is an object, got 'A0'"),
        ({"phases": [{}, {"reads": []}]}, "phases[1]", "a phase has no 'reads'"),
        ({"phases": [{"read": 3}]}, "phases[0].read", "wants a list, got 3"),
        ({"phases": [{"read": "A0"}]}, "phases[0].read", "wants a list, got 'A0'"),
        ({"phases": [{"commit": ["A0", 1]}]}, "phases[0].commit", "wants a list of names, got 1 in it"),
        ({"phases": [{"compute": 5}]}, "phases[0].compute", "wants the name of a step, got 5"),
        ({"phases": [{"slots": {"read A0": None}}]}, "phases[0].slots['read A0']", "wants a list, got None"),
        ({"phases": [{"slots": {"read A0": [0.5]}}]}, "phases[0].slots['read A0']", "wants a whole number, got 0.5"),
        ({"phases": [{"slots": []}]}, "phases[0].slots", "wants an object, got []"),
        ({"phases": [{"fetch": [["A0", "1"]]}]}, "phases[0].fetch[0]", "fetch wants (name, step) pairs"),
        ({"phases": [{"fetch": [["A0", True]]}]}, "phases[0].fetch[0]", "fetch wants (name, step) pairs"),
    ],
    ids=str,
)  # fmt: skip
def test_data_that_is_no_schedule_is_refused(change: dict[str, Any], place: str, what: str) -> None:
    with pytest.raises(ScheduleError) as raised:
        RecordedSchedule({**get_schedule("interleave").as_dict(), **change}, where="mine.json")
    assert str(raised.value).startswith(f"mine.json: {place}: {what}")


def test_data_of_no_phases_is_no_schedule() -> None:
    with pytest.raises(ScheduleError, match="a schedule wants a name and a list of phases"):
        RecordedSchedule({**get_schedule("interleave").as_dict(), "phases": []})
    with pytest.raises(ScheduleError, match="a schedule is an object with a name and phases, got list"):
        RecordedSchedule([])  # type: ignore[arg-type]

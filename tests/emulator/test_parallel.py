"""Several processes for one launch: the bits, findings and counts of one process, whatever workgroups do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, Outcome, run

from hkasm.emulator import parallel
from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError

GROUPS = 300
"""Workgroups of one wave each."""
SMALL = Options(strict=False, resident_bytes=250_000)
"""Too little for all workgroups at once, so that there are several runs to share out."""


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each attempt of several processes was taken."""
    found: list[bool] = []
    attempt = parallel.run

    def watched(*args: Any) -> bool:
        found.append(attempt(*args))
        return found[-1]

    monkeypatch.setattr(parallel, "run", watched)
    return found


def numbers(k: Kit, first: int = 0) -> tuple[Any, Any]:
    """The pointer x, and the byte of the global work-item's dword."""
    (x,) = k.pointers("x")
    at, base = k.lane_bytes(), k.sgpr("base")
    k.s_lshl_b32(base, k.group_id, 8)
    k.s_add_u32(base, base, first)
    k.v_add_u32(at, base, at)
    return x, at


def doubled(k: Kit) -> None:
    """x[i] += i in place."""
    x, at = numbers(k)
    value = k.vgpr("value")
    k.global_load_dword(value, at, x)
    k.wait(value)
    k.v_add_u32(value, at, value)
    k.global_store_dword(at, value, x)


def counted(k: Kit) -> None:
    """x[i] = the number of work-items that came before."""
    x, at = numbers(k)
    zero, one, old = k.vgpr("zero"), k.vgpr("one"), k.vgpr("old")
    k.v_mov_b32(zero, 0)
    k.v_mov_b32(one, 1)
    k.global_atomic_add(old, zero, one, x, sc0=1)
    k.wait(old)
    k.global_store_dword(at, old, x, offset=256)


def neighbours(k: Kit) -> None:
    """x[i + 64] = x[i]: the next workgroup's bytes."""
    x, at = numbers(k)
    value = k.vgpr("value")
    k.global_load_dword(value, at, x)
    k.wait(value)
    k.global_store_dword(at, value, x, offset=256)


def clocked(k: Kit) -> None:
    """x[i] = the clock."""
    x, at = numbers(k)
    now, value = k.sgpr("now", 2), k.vgpr("value")
    k.s_memtime(now)
    k.wait(now)
    k.v_mov_b32(value, now[0])
    k.global_store_dword(at, value, x)


def both(body: Callable[[Kit], None], dwords: int) -> tuple[Outcome, Outcome]:
    outcomes = []
    for jobs in (1, 2):
        x = np.arange(dwords, dtype=np.uint32)
        outcomes.append(run(body, {"x": x}, grid=(GROUPS,), options=SMALL.but(jobs=jobs)))
    return outcomes[0], outcomes[1]


def told(outcome: Outcome) -> tuple[Any, ...]:
    report = outcome.report
    return (
        {name: array.tobytes() for name, array in outcome.arrays.items()},
        report.counters,
        report.instructions,
        [str(finding) for finding in report.findings],
    )


def test_independent_workgroups_are_shared_out(verdicts: list[bool]) -> None:
    one, several = both(doubled, 64 * GROUPS)
    assert verdicts == [True]
    assert told(one) == told(several)
    assert (one.arrays["x"] == 5 * np.arange(64 * GROUPS)).all()


def test_findings_of_several_processes_are_those_of_one(verdicts: list[bool]) -> None:
    one, several = both(doubled, 64 * 140 + 5)
    assert verdicts == [True]
    assert one.rules == ["memory-bounds", "memory-bounds"]
    assert told(one) == told(several)


@pytest.mark.parametrize("body", [counted, neighbours, clocked])
def test_workgroups_that_depend_on_others_are_run_by_one_process(
    verdicts: list[bool], body: Callable[[Kit], None]
) -> None:
    one, several = both(body, 64 * (GROUPS + 1))
    assert verdicts == [False]
    assert told(one) == told(several)


def test_an_error_is_that_of_one_process(verdicts: list[bool]) -> None:
    texts = []
    for jobs in (1, 2):
        options = SMALL.but(jobs=jobs, max_instructions=2000)
        with pytest.raises(EmulatorError) as caught:
            run(doubled, {"x": np.zeros(64 * GROUPS, np.uint32)}, grid=(GROUPS,), options=options)
        texts.append(str(caught.value))
    assert verdicts == [False]
    assert texts[0] == texts[1]


def test_shares_are_whole_runs() -> None:
    assert parallel.shares(300, 128, 8) == [range(128), range(128, 256), range(256, 300)]
    assert parallel.shares(300, 128, 2) == [range(128), range(128, 300)]
    assert parallel.shares(5, 10, 4) == [range(5)]
    for groups, at_once, jobs in ((1000, 7, 4), (17, 1, 16), (64, 32, 3)):
        found = parallel.shares(groups, at_once, jobs)
        assert [n for part in found for n in part] == list(range(groups))
        assert all(part.start % at_once == 0 for part in found)
        assert len(found) <= jobs


def test_too_little_shared_memory_is_no_reason_to_fail(verdicts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "SPARE_BYTES", 1 << 60)
    one, several = both(doubled, 64 * GROUPS)
    assert verdicts == [False]
    assert told(one) == told(several)

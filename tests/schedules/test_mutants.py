"""Faults put into lowered schedules and into their orders are refused, found, or proved to be none."""

from __future__ import annotations

import random
from functools import cache

import pytest
from support.schedule_mutants import Subject
from support.tile_attention import LABELS

from hkasm.asm.toolchain import Toolchain

SCHEDULES = (
    "simple", "simple-direct", "gather", "pingpong", "pingpong-staged", "interleave", "interleave-lean",
    "interleave-staged", "specialised", "specialised-staged", *LABELS,
)  # fmt: skip
EACH = 3
"""Mutants of a class that the quick tests judge."""


@cache
def subject(label: str) -> Subject:
    return Subject(label)


def outcomes(label: str, kind: str, each: int) -> dict[str, str]:
    one = subject(label)
    mutants = [mutant for mutant in one.mutants() if mutant.kind == kind]
    chosen = random.Random(f"{label} {kind}").sample(mutants, min(each, len(mutants))) if each else mutants
    return {mutant.text: one.judge(mutant).outcome for mutant in chosen}


@pytest.mark.parametrize("label", ["pingpong", "interleave", "attention-pingpong", "attention-pingpong-staged"])
@pytest.mark.parametrize("kind", ["wait loosened", "wait removed"])
def test_every_wait_is_needed(label: str, kind: str, toolchain: Toolchain) -> None:
    assert set(outcomes(label, kind, EACH).values()) == {"verifier"}


@pytest.mark.parametrize("label", ["interleave"])
def test_every_barrier_of_waves_in_step_is_needed(label: str, toolchain: Toolchain) -> None:
    assert set(outcomes(label, "barrier removed", EACH).values()) == {"verifier"}


@pytest.mark.parametrize("kind", ["fetches swapped", "fetch early"])
def test_fetches_that_are_moved(kind: str, toolchain: Toolchain) -> None:
    found = outcomes("interleave", kind, 1)
    assert found
    assert set(found.values()) <= {"refused", "verifier", "result"}


@pytest.mark.slow
@pytest.mark.parametrize("label", SCHEDULES)
def test_no_mutant_is_missed(label: str, toolchain: Toolchain) -> None:
    one = subject(label)
    for mutant in one.mutants():
        verdict = one.judge(mutant)
        allowed = {"verifier"} if mutant.kind.startswith("wait") else {"refused", "verifier", "result", "equivalent"}
        assert verdict.outcome in allowed, f"{mutant.kind}: {mutant.text}: {verdict.detail}"


@pytest.mark.slow
@pytest.mark.parametrize("label", LABELS)
def test_attention_needs_every_barrier_that_does_not_pace_its_groups(label: str, toolchain: Toolchain) -> None:
    one = subject(label)
    for mutant in one.mutants():
        if mutant.kind == "barrier removed":
            idle = mutant.text.partition(": ")[2] == "paces the groups"
            assert one.judge(mutant).outcome == ("equivalent" if idle else "verifier"), mutant.text


@pytest.mark.slow
def test_barriers_that_may_go_pace_the_groups_or_order_what_one_group_has_to_itself(toolchain: Toolchain) -> None:
    """In this kernel each group fetches the rows of A that it reads; the plan does not know that."""
    one = subject("pingpong")
    for mutant in one.mutants():
        if mutant.kind == "barrier removed":
            reason = mutant.text.partition(": ")[2]
            if "paces the groups" in reason:
                assert one.judge(mutant).outcome == "equivalent"
            elif one.judge(mutant).outcome == "equivalent":
                assert "A" in reason

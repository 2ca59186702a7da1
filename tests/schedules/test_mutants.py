"""Faults put into lowered schedules and into their orders are refused, found, or proved to be none."""

from __future__ import annotations

import random
from functools import cache

import pytest
from support.full_gemm import FullGemm
from support.schedule_mutants import Subject
from support.tile_attention import LABELS

from hkasm.asm.toolchain import Toolchain
from hkasm.schedules.plan import PACE

SCHEDULES = (
    "simple", "simple-direct", "gather", "pingpong", "pingpong:apart=2", "pingpong:apart=3", "pingpong-staged",
    "interleave", "interleave-lean", "interleave-staged", "specialised", "specialised-staged", *LABELS,
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


FULL = {
    "pingpong gfx950": FullGemm("gfx950", "schedule=pingpong,tile=256x256"),
    "interleave gfx950": FullGemm("gfx950", "schedule=interleave,tile=256x256"),
    "specialised gfx942": FullGemm("gfx942", "schedule=specialised,tile=128x128"),
}


@pytest.mark.parametrize("name", FULL)
def test_mutants_of_full_size_kernels_are_found(name: str, toolchain: Toolchain) -> None:
    """A sample; `bench/schedule_mutations.py` judges all of them."""
    one = Subject(FULL[name])
    mutants = list(one.mutants())
    # Many barriers of the ping-pong pace its groups.
    kinds = ("wait loosened", "wait removed", *(() if "pingpong" in name else ("barrier removed",)))
    for kind in kinds:
        some = [mutant for mutant in mutants if mutant.kind == kind]
        for mutant in random.Random(f"{name} {kind}").sample(some, EACH):
            assert one.judge(mutant).outcome == "verifier", f"{kind}: {mutant.text}"


def test_barriers_that_may_go_are_run_together(toolchain: Toolchain) -> None:
    one = Subject("pingpong", runs=2)
    spare = [mutant for mutant in one.mutants() if mutant.kind == "barrier removed" and PACE in mutant.text]
    groups = one.together(spare)
    assert sum(map(len, groups)) == len(spare) > 2 * len(groups)
    group = max(groups, key=len)[:3]
    for _, verdict in one.verdicts(group):
        assert verdict.outcome == "equivalent"
        assert verdict.detail.endswith("2 runs alike, without 3 barriers at once")


@pytest.mark.slow
@pytest.mark.parametrize("label", SCHEDULES)
def test_no_mutant_is_missed(label: str, toolchain: Toolchain) -> None:
    one = subject(label)
    for mutant, verdict in one.verdicts(one.mutants()):
        allowed = {"verifier"} if mutant.kind.startswith("wait") else {"refused", "verifier", "result", "equivalent"}
        assert verdict.outcome in allowed, f"{mutant.kind}: {mutant.text}: {verdict.detail}"


@pytest.mark.slow
@pytest.mark.parametrize("label", LABELS)
def test_attention_needs_every_barrier_that_does_not_pace_its_groups(label: str, toolchain: Toolchain) -> None:
    one = subject(label)
    for mutant, verdict in one.verdicts(mutant for mutant in one.mutants() if mutant.kind == "barrier removed"):
        idle = mutant.text.partition(": ")[2] == PACE
        assert verdict.outcome == ("equivalent" if idle else "verifier"), mutant.text


def test_waits_of_groups_three_sections_apart_are_as_loose_as_can_be(toolchain: Toolchain) -> None:
    """Each group fetches the rows of A that it reads, so that it need not wait for A0 as early as for B0."""
    assert set(outcomes("pingpong:apart=3", "wait loosened", 0).values()) == {"verifier"}


@pytest.mark.slow
@pytest.mark.parametrize("label", ["pingpong", "pingpong:apart=2", "pingpong:apart=3", "pingpong-staged"])
def test_barriers_that_may_go_pace_the_groups(label: str, toolchain: Toolchain) -> None:
    one = subject(label)
    for mutant, verdict in one.verdicts(mutant for mutant in one.mutants() if mutant.kind == "barrier removed"):
        idle = mutant.text.partition(": ")[2] == PACE
        assert verdict.outcome == ("equivalent" if idle else "verifier"), mutant.text

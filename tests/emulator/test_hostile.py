"""Damaged and lying code objects end in a result or in a house error; `bench/hostile_objects.py` runs many more."""

from __future__ import annotations

import random

import pytest
from support.hostile import HARMS, bases, run_case

SEEDS = range(120)


@pytest.mark.parametrize("part", range(4))
def test_a_hostile_object_does_no_harm(part: int) -> None:
    verdicts = {seed: run_case(seed) for seed in SEEDS if seed % 4 == part}
    assert not {seed: verdict.detail for seed, verdict in verdicts.items() if verdict.kind == "crash"}


def test_the_sample_has_every_kind_of_harm() -> None:
    seen = set()
    for seed in SEEDS:
        rng = random.Random(seed)
        rng.choice(bases())
        seen.add(rng.choice(HARMS).__name__)
    assert seen == {harm.__name__ for harm in HARMS}

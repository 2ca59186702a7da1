"""Damaged and lying code objects end in a result or in a house error; `bench/hostile_objects.py` runs many more."""

from __future__ import annotations

import pytest
from support.hostile import HARMS, MAX_SECONDS, run_case

SEEDS = range(120)


@pytest.mark.parametrize("part", range(4))
def test_a_hostile_object_does_no_harm(part: int) -> None:
    verdicts = {seed: run_case(seed) for seed in SEEDS if seed % 4 == part}
    crashed = {seed: verdict.detail for seed, verdict in verdicts.items() if verdict.kind == "crash"}
    assert not crashed
    assert MAX_SECONDS < 10


def test_the_sample_has_every_kind_of_harm() -> None:
    import random

    from support.hostile import bases

    seen = set()
    for seed in SEEDS:
        rng = random.Random(seed)
        rng.choice(bases())
        seen.add(rng.choice(HARMS).__name__)
    assert seen == {harm.__name__ for harm in HARMS}

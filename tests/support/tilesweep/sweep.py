"""The whole sweep: which cases there are, which are declared legal, and how they run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from support.tilesweep import conversions, elementwise, layouts, masks, products, reductions, shared
from support.tilesweep import globals as moves
from support.tilesweep.runner import Case, Emit, Outcome, refuse_case, run_cases

ARCHS = ("gfx942", "gfx950")
SHAPES = (
    "rt_16x16", "rt_32x32", "rt_32x32_8", "rt_16x32", "rt_32x16", "rt_32x16_4", "rt_16x32_4", "rt_16x128", "rt_128x16",
)  # fmt: skip
"""HipKittens' shapes; rt_16x128 has a row layout alone, its transpose stands for the column layout."""
SOME = ("rt_16x16", "rt_32x32", "rt_16x32", "rt_16x128", "rt_128x16")
WIDE = ("f32", "bf16", "f16", "fp8", "bf8")


@dataclass(frozen=True)
class Group:
    """Cases of one kind: the generator for an arch, the emitter, and what is declared legal."""

    name: str
    cases: Callable[[str], Iterable[Case]]
    run: Emit
    legal: Callable[[Case], bool]


GROUPS: dict[str, Group] = {
    group.name: group
    for group in (
        Group(
            "elementwise", partial(elementwise.cases, dtypes=WIDE, shapes=SHAPES), elementwise.run, elementwise.legal
        ),
        Group("reduce", partial(reductions.cases, dtypes=WIDE, shapes=SHAPES), reductions.run, elementwise.legal),
        Group("vector", partial(reductions.vector_cases, shapes=SHAPES), reductions.run_vector, elementwise.legal),
        Group("vectors", elementwise.vector_cases, elementwise.run_vector, elementwise.legal),
        Group("convert", partial(conversions.cases, shapes=SOME), conversions.run, conversions.legal),
        Group("mma", products.cases, products.run, products.legal),
        Group("batch", products.batch_cases, products.run_batch, products.legal_batch),
        Group("mask", partial(masks.cases, dtypes=masks.DTYPES, shapes=SHAPES), masks.run, masks.legal),
        Group("fill", partial(masks.fill_cases, dtypes=masks.DTYPES, shapes=SHAPES), masks.run_fill, masks.legal_fill),
        Group("layout", partial(layouts.cases, dtypes=WIDE[:4]), layouts.run, layouts.legal),
        Group("shared", shared.cases, shared.run, shared.legal),
        Group("global", partial(moves.cases, dtypes=moves.DTYPES, shapes=SHAPES), moves.run, moves.legal),
    )
}


def cases_of(name: str, arch: str) -> Iterator[Case]:
    """Yield the cases of a group."""
    yield from GROUPS[name].cases(arch)


def draw(
    name: str, arch: str, *, legal: int | None = None, refused: int | None = None, seed: int = 0
) -> tuple[list[Case], list[Case]]:
    """Return a group's legal cases on an arch and the others, all or, with numbers, so many of each at random."""
    group = GROUPS[name]
    there = list(group.cases(arch))
    if legal is not None or refused is not None:
        random.Random(f"{seed} {name} {arch}").shuffle(there)
    wanted = {True: len(there) if legal is None else legal, False: len(there) if refused is None else refused}
    drawn: dict[bool, list[Case]] = {True: [], False: []}
    for case in there:
        if all(len(drawn[kind]) >= wanted[kind] for kind in drawn):
            break
        kind = group.legal(case)
        if len(drawn[kind]) < wanted[kind]:
            drawn[kind].append(case)
    return drawn[True], drawn[False]


def run_drawn(name: str, arch: str, legal: Sequence[Case], others: Sequence[Case]) -> Outcome:
    """Run a group's legal cases on an arch and refuse the others."""
    group, outcome = GROUPS[name], Outcome()
    run_cases([(case, group.run) for case in legal], arch, outcome)
    for case in others:
        refuse_case(case, group.run, outcome)
    return outcome


def sweep(name: str, arch: str, *, legal: int | None = None, refused: int | None = None, seed: int = 0) -> Outcome:
    """Run cases of a group on an arch, as `draw` chooses them."""
    return run_drawn(name, arch, *draw(name, arch, legal=legal, refused=refused, seed=seed))

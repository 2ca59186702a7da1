"""What the models' numbers were fitted to, and what holds them: every number that a published row of results decided.

A number of which a source says the value needs no entry here; where its source gives a span, `hkasm.model.constants`
has it, and `bench/model_validation.py --spans` says what it matters. `ASSUMED` are choices that no row decided and no
source makes.
"""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.model.caches import DRIFT, FILL_STEPS
from hkasm.model.constants import TIMINGS
from hkasm.model.latencies import REFERENCE_HITS
from hkasm.model.performance import CLOCK_LAWS

__all__ = ["ASSUMED", "FITS", "Choice", "Fit"]


@dataclass(frozen=True)
class Fit:
    """A fitted number: the rows that decided it, by table and name, and what else is held that depends on it.

    `name` is `arch field` for a constant of `hkasm.model.constants`, else words.
    """

    name: str
    value: str
    fitted_to: tuple[str, ...]
    scored_on: str


@dataclass(frozen=True)
class Choice:
    """A number that nobody published and nothing here decided, and why it is what it is."""

    name: str
    value: str
    why: str


def _law(chip: str) -> str:
    law = CLOCK_LAWS[chip]
    return f"{law.top:g} - {law.slope:g} x efficiency"


FITS = (
    Fit(
        "gfx950 barrier",
        f"{TIMINGS['gfx950'].barrier.value:g} clk",
        ("5.1: 8-wave inter, K = 8192",),
        "all other rows of gfx950: 5.1, 5.2, 5.4, 5.7",
    ),
    Fit(
        "drift of workgroups",
        f"{DRIFT:g} of their speed",
        ("table 4: rows, L2", "table 4: w5c25, L2"),
        "table 4: w7c216, and the LLC of all; the sweep of W; the tutorial; attention",
    ),
    Fit(
        "sets of an L2",
        "XOR fold of the line's number",
        ("sweep of W: rows behind w2",),
        "table 4; the other windows of the sweep; the tutorial",
    ),
    Fit(
        "clock law of MI300X",
        f"{_law('mi300x')} MHz",
        ("5.6: 600 TFLOPS at 69.7 %", "5.6: 659 TFLOPS at 86.5 %"),
        "nothing: a line through two points",
    ),
    Fit(
        "clock law of MI355X",
        f"{_law('mi355x')} MHz",
        ("5.7: AMD's own fit over its attention kernels",),
        "nothing here",
    ),
)

ASSUMED = (
    Choice(
        "L2 hit rate where nobody knows it",
        f"{REFERENCE_HITS[0]:g}",
        "counted by AMD's tutorials for 4096 x 4096 x 8192 in the order of dispatch, which their loops up to v8 have "
        "(0.756 for v9's, which the tiles of 5.4 have); other loops are taken to be like these",
    ),
    Choice(
        "LLC hit rate where nobody knows it",
        f"{REFERENCE_HITS[1]:g}",
        "nobody published it for these loops; HipKittens counts 24 to 95 % at 9216^3, by the order. v5 of the "
        "tutorials takes 3585 clk a turn with 0.9, 3540 with 0.93; measured are 3550 to 3590",
    ),
    Choice("time of a block on its way", f"{FILL_STEPS:g} steps", "700 clk, between LLC and HBM, of a step of 2048"),
    Choice("clock of MI325X and MI350X", "cube root of the power limit", "nobody published a clock under load"),
    Choice(
        "which loads HBM answers", "evenly spread", "nobody published it; bursts would hold up fewer of those behind"
    ),
)

"""Every tile operation in every combination that is declared legal, on the emulator; every other one is refused."""

from __future__ import annotations

from collections import Counter

import pytest
from support.tilesweep.sweep import ARCHS, GROUPS, SHAPES, cases_of, sweep

SAMPLE = {"elementwise": 24, "mma": 8}
FLOOR = 2000
"""Legal cases that there must be (issue of the tiles)."""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("group", GROUPS)
def test_sample(group: str, arch: str) -> None:
    outcome = sweep(group, arch, legal=SAMPLE.get(group, 5), refused=5)
    assert not outcome.failures
    assert outcome.run


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("group", GROUPS)
def test_all(group: str, arch: str) -> None:
    outcome = sweep(group, arch)
    assert not outcome.failures[:20]
    assert len(outcome.run) + len(outcome.refused) == sum(1 for _ in cases_of(group, arch))


UNARY = ("copy", "neg", "abs", "relu", "exp2", "exp", "log2", "log", "rcp", "rsqrt", "sqrt", "gelu", "silu")
BINARY = ("add", "sub", "mul", "div", "max", "min")
REDUCTIONS = tuple(f"{along}_{name}" for along in ("row", "col") for name in ("max", "min", "sum", "prod"))
MASKS = ("tril", "triu", "left_fill", "right_fill", "upper_fill", "lower_fill")
BLOCKS = {
    (op, dtype, shape, layout)
    for op in (*UNARY, *BINARY, "fma", *REDUCTIONS, *MASKS, "fill")
    for dtype in ("f32", "bf16", "f16", "fp8")
    for shape in SHAPES
    for layout in ("row", "col")
    if (shape, layout) not in (("rt_16x128", "col"), ("rt_128x16", "row"))
}


@pytest.mark.parametrize("arch", ARCHS)
def test_what_must_be_legal_is_declared(arch: str) -> None:
    """HipKittens' operations on its dtypes, shapes and layouts; products in four forms, small floats with scales."""
    declared = [
        case for name, group in GROUPS.items() if name != "shared" for case in group.cases(arch) if group.legal(case)
    ]
    assert len(declared) >= FLOOR
    assert {(case.op, case.dtype, case.shape, case.layout) for case in declared} >= BLOCKS
    forms = {
        (case.dtype, case.form.split()[0]) for case in declared if case.op == "mma" and case.form.endswith("plain")
    }
    assert {(dtype, form) for dtype in ("f16", "bf16") for form in ("AB", "ABt", "AtB", "AtBt")} <= forms
    scaled = {case.dtype for case in declared if case.op == "mma" and "scales" in case.form and "ABt" in case.form}
    if arch == "gfx950":
        assert {"fp8", "bf8", "fp6", "bf6", "fp4"} <= scaled
    vectors = Counter(case.form for case in declared if case.op in BINARY and case.dtype in ("f32", "bf16", "f16"))
    assert min(vectors[form] for form in ("tile row", "tile col", "tile sgpr")) >= 6 * 3 * 16

"""Forms at the edges of their operands and modifiers, a sample of `bench/isa_conformance.py`."""

from __future__ import annotations

from random import Random

import pytest
from support.conformance import attempt, check
from support.isa_candidates import Candidate, candidates, forms, strangers

from hkasm.isa import ARCHES

SEED = 7
FORMS = 60


def sample(arch: str) -> list[Candidate]:
    """Every candidate of some forms, those of the other arch among them."""
    chosen = Random(SEED).sample(forms(arch), FORMS)
    return [*(candidate for form in chosen for candidate in candidates(form)), *strangers(arch)]


@pytest.mark.parametrize("arch", ARCHES)
def test_mistakes_are_refused_by_name(arch: str) -> None:
    mistakes = [candidate for candidate in sample(arch) if candidate.error]
    assert {candidate.error for candidate in mistakes} >= {
        "width", "alignment", "file", "range", "literal", "constant", "two scalars", "off", "count", "arch"
    }  # fmt: skip
    for candidate in mistakes:
        tried = attempt(candidate, arch)
        assert tried is None or tried.refusal is not None, f"{tried.text} has a mistake: {candidate.error}"
        if tried is not None and tried.refusal is not None:
            assert tried.refusal.message.startswith(candidate.spec.mnemonic)


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHES)
def test_edges_agree_with_llvm(arch: str) -> None:
    report = check(sample(arch), arch)
    assert not report.failures
    assert len(report.forms) == FORMS
    assert sum(report.accepted.values()) > 1500
    assert sum(report.refused.values()) > 500

"""Forms at the edges of their operands and modifiers, a sample of `bench/isa_conformance.py`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from support.conformance import attempt, check
from support.isa_candidates import Candidate, candidates, forms, strangers

from hkasm.asm.builder import Builder, build_instruction
from hkasm.asm.instruction import Instruction
from hkasm.errors import HkasmError
from hkasm.isa import ARCHES, SPECS

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


def outcome(build: Callable[[], Instruction]) -> str:
    """Text of an instruction, or the reason why there is none."""
    try:
        return str(build())
    except HkasmError as error:
        return f"{error.message} {error.hint}"


@pytest.mark.parametrize("arch", ARCHES)
def test_emitters_remember_no_more_than_the_checks_allow(arch: str) -> None:
    """A builder's methods keep what they found right: in any order and again they must say what the checks say."""
    builder = Builder(arch, "edges")
    tried = [candidate for candidate in sample(arch) if arch in candidate.spec.archs]
    Random(SEED).shuffle(tried)
    for candidate in tried * 2:
        e64 = candidate.force == "e64"
        emit = getattr(builder, candidate.spec.mnemonic)
        emitted = outcome(lambda: emit(*candidate.values, e64=e64, **candidate.mods))  # noqa: B023
        variant = SPECS.get(f"{candidate.spec.mnemonic} lds") if candidate.mods.get("lds") else None
        spec = variant or candidate.spec
        force = "e64" if e64 else None
        assert emitted == outcome(
            lambda: build_instruction(spec, builder.arch, candidate.values, candidate.mods, force)  # noqa: B023
        )

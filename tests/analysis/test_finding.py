"""Findings: their text, and the exception of their kind."""

from __future__ import annotations

import pytest

from hkasm.analysis.finding import RULES, Finding
from hkasm.errors import EmulatorError, HkasmError, RaceError, WaitError


def test_a_finding_reads_like_an_error_message() -> None:
    finding = Finding(
        "register-in-flight",
        "reads v2 (xs[0]) while buffer_load_dwordx4 v[2:5] of axpy.py:20 is still in flight (vmcnt)",
        where="axpy.py:23",
        instruction="v_fmac_f32 v6, s12, v2",
        other="axpy.py:20",
        workgroup=(1, 0, 0),
        wave=3,
        lane=5,
        hint="k.wait(xs) before this line",
    )
    assert str(finding) == (
        "axpy.py:23: v_fmac_f32 v6, s12, v2\n"
        "  reads v2 (xs[0]) while buffer_load_dwordx4 v[2:5] of axpy.py:20 is still in flight (vmcnt)\n"
        "  at wave 3 of workgroup (1, 0, 0), lane 5\n"
        "  hint: k.wait(xs) before this line"
    )


@pytest.mark.parametrize(
    ("rule", "kind"),
    [("register-in-flight", WaitError), ("lds-race", RaceError), ("memory-bounds", EmulatorError)],
)
def test_a_finding_becomes_the_error_of_its_kind(rule: str, kind: type[HkasmError]) -> None:
    error = Finding(rule, "what happened", address=0x40, workgroup=(0, 0, 0)).error()
    assert type(error) is kind
    assert str(error) == "what happened\n  at workgroup (0, 0, 0), address 0x40"


def test_every_rule_has_a_kind_and_a_line() -> None:
    for kind, text in RULES.values():
        assert issubclass(kind, HkasmError)
        assert text
        assert not text.endswith(".")

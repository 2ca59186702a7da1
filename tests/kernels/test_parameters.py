"""Parameters know their limits, say what is wrong, and make labels that round-trip."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.errors import UsageError
from hkasm.kernels.parameters import ParameterSet, check_names, parameter


@dataclass(frozen=True)
class Shape(ParameterSet):
    rows: int = parameter(4, "rows", low=1, high=100)
    kind: str = parameter("fast", "how", choices=("fast", "slow"))
    order: str = parameter("rows", "order", pattern="rows|w[1-9]", form="rows or w and a digit")


@given(rows=st.integers(1, 100), kind=st.sampled_from(["fast", "slow"]), order=st.sampled_from(["rows", "w4"]))
def test_labels_round_trip(rows: int, kind: str, order: str) -> None:
    shape = Shape(rows, kind, order)
    assert Shape.from_label(shape.label) == shape
    assert (shape.label == "default") == (shape == Shape())


def test_text_becomes_values() -> None:
    assert Shape.of({"rows": "7", "kind": "slow", "other": 1}) == Shape(7, "slow")


@pytest.mark.parametrize(
    ("values", "message", "hint"),
    [
        ({"rows": "0"}, "rows=0: out of range", "1 to 100"),
        ({"rows": 101}, "rows=101: out of range", "1 to 100"),
        ({"rows": "4.5"}, "rows=4.5: not a whole number", "1 to 100"),
        ({"rows": "1_0"}, "rows=1_0: not a whole number", "1 to 100"),
        ({"rows": "\u0663"}, "rows=\u0663: not a whole number", "1 to 100"),
        ({"rows": 4.0}, "rows=4.0: not a whole number", "1 to 100"),
        ({"rows": True}, "rows=True: not a whole number", "1 to 100"),
        ({"rows": None}, "rows=None: not a whole number", "1 to 100"),
        ({"kind": "fats"}, "kind=fats: not a choice", "did you mean 'fast'?"),
        ({"kind": "zzz"}, "kind=zzz: not a choice", "one of fast, slow"),
        ({"order": "w44"}, "order=w44: no such text", "rows or w and a digit"),
        ({"order": 4}, "order=4: no such text", "rows or w and a digit"),
    ],
)
def test_bad_values_are_refused(values: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        Shape.of(values)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown parameter 'row'\n  hint: did you mean 'rows'"):
        check_names({"row": 1}, Shape.parameters())
    with pytest.raises(UsageError, match="unknown parameter 'zzz'\n  hint: parameters: rows, kind"):
        Shape.from_label("zzz=1")
    with pytest.raises(UsageError, match="'rows' is not NAME=VALUE"):
        Shape.from_label("rows")


def test_a_plain_field_is_no_parameter() -> None:
    @dataclass(frozen=True)
    class Plain(ParameterSet):
        rows: int = field(default=1)

    with pytest.raises(UsageError, match="field 'rows' is not a parameter"):
        Plain.parameters()

"""Every error says where, what, the form and a hint, in that order."""

from __future__ import annotations

import pickle

import pytest

from hkasm import errors
from hkasm.errors import HkasmError, OperandError, did_you_mean


def test_text_has_place_message_form_and_hint() -> None:
    error = OperandError(
        "v_fmac_f32: operand 'vdst' wants v[1], got acc=v[1:4] (4 registers)",
        where="axpy.py:54",
        form="v_fmac_f32 vdst: v[1], src0: src, vsrc1: v[1]",
        hint="take one register: acc[0]",
    )
    assert str(error) == (
        "axpy.py:54: v_fmac_f32: operand 'vdst' wants v[1], got acc=v[1:4] (4 registers)\n"
        "  form: v_fmac_f32 vdst: v[1], src0: src, vsrc1: v[1]\n"
        "  hint: take one register: acc[0]"
    )


def test_what_is_not_known_is_not_printed() -> None:
    assert str(HkasmError("no such kernel", hint="")) == "no such kernel"
    assert str(HkasmError("no such kernel", where="")) == "no such kernel"


def test_survives_pickling() -> None:
    error = OperandError("bad", where="a.py:1", hint="h", form="f")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is OperandError
    assert str(copy) == str(error)


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name.endswith("Error")])
def test_all_are_children_of_one(name: str) -> None:
    assert issubclass(getattr(errors, name), HkasmError)


@pytest.mark.parametrize(
    ("word", "said"),
    [("gfx951", "did you mean 'gfx950'?"), ("GFX942", "did you mean 'gfx942'?"), ("hopper", ""), ("", "")],
)
def test_did_you_mean(word: str, said: str) -> None:
    assert did_you_mean(word, ["gfx942", "gfx950"]) == said

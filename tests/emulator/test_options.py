"""A setting that makes no sense is refused with one clear line, before anything runs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from hkasm.emulator.options import FLAGS, LEAST, Options
from hkasm.errors import UsageError


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"landing": "lat"}, "unknown landing 'lat'\n  hint: did you mean 'late'?"),
        ({"order": 1}, "unknown order 1\n  hint: one of batch, reversed, random, lockstep"),
        ({"arithmetic": None}, "unknown arithmetic None"),
        ({"hazards": ["llvm"]}, "unknown hazard level ['llvm']"),
        ({"checks": "races"}, 'checks are a tuple of names, got \'races\'\n  hint: checks=("races", "lds")'),
        ({"checks": None}, "checks are a tuple of names, got None"),
        ({"checks": ("races", "bank")}, "unknown check 'bank'\n  hint: did you mean 'banks'?"),
        ({"seed": 1.5}, "seed is a whole number from 0 on, got 1.5"),
        ({"max_findings": 0}, "max_findings is a whole number from 1 on, got 0"),
        ({"max_seconds": float("nan")}, "max_seconds is a number of seconds, 0 for no limit, got nan"),
        ({"max_seconds": "60"}, "max_seconds is a number of seconds, 0 for no limit, got '60'"),
    ],
)
def test_a_bad_value_is_named(setting: dict[str, Any], message: str) -> None:
    for refuse in (lambda: Options(**setting), lambda: Options().but(**setting)):
        with pytest.raises(UsageError, match=f"^{re.escape(message)}"):
            refuse()


def test_every_number_and_every_flag_is_looked_at() -> None:
    names = {*LEAST, *FLAGS, "landing", "order", "arithmetic", "hazards", "checks", "max_seconds"}
    assert names == set(Options.__dataclass_fields__)
    for name, least in LEAST.items():
        for wrong in (least - 1, "8", None, 2.5, True):
            with pytest.raises(UsageError, match=rf"^{name} is a whole number from {least} on, got "):
                Options(**{name: wrong})
    for name in FLAGS:
        with pytest.raises(UsageError, match=rf"^{name} is True or False, got 'no'"):
            Options(**{name: "no"})


def test_numbers_may_be_numpy_s_and_checks_any_names() -> None:
    options = Options(seed=np.uint64(7), max_seconds=np.float32(0.5), checks=["races"])  # type: ignore[arg-type]
    assert options == Options(seed=7, max_seconds=0.5, checks=("races",))

"""Kernels in scripts: `FILE.py:FUNCTION`, their parameters and block, and mistakes told at the user's line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Hkasm = Callable[..., Result]
SHOWN = "'hkasm --traceback ...' shows all of it"

SCRIPT = '''\
import hkasm

LIMIT = 3


@hkasm.kernel(block=128)
def fill(k, *, value: int = 7, twice: bool = False):
    """Write a register."""
    register = k.vgpr("value")
    k.v_mov_b32(register, value)
    if twice:
        k.v_add_u32(register, register, register)
    k.s_endpgm()


def plain(k, wanted: float):
    k.v_mov_b32(k.vgpr("wanted"), wanted)
    k.s_endpgm()


def typo(k):
    k.s_nop(LIMT)


def outside(k):
    k.v_mov_b32(k.vgpr("one")[3], 0)
'''


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SCRIPT)
    return path


def test_a_function_is_built_with_its_parameters_and_its_block(hkasm: Hkasm, script: Path, toolchain: None) -> None:
    out = script.parent / "out"
    words = ("build", f"{script}:fill", "--arch", "gfx950", "-o", out, "-p", "value=0x11", "-p", "twice=true")
    result = hkasm(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    manifest = json.loads((out / "fill.json").read_text())
    assert (manifest["block"], manifest["instructions"], manifest["grid"]) == ([128, 1, 1], 3, {})
    assert "v_mov_b32_e32 v1, 17" in (out / "fill.s").read_text()


def test_a_block_that_nobody_states_is_told(hkasm: Hkasm, script: Path) -> None:
    result = hkasm("check", f"{script}:plain", "--arch", "gfx942", "-p", "wanted=1.5")
    assert result.exit_code == 0
    assert result.stderr == "hkasm: plain: a block of 64 is assumed; @hkasm.kernel(block=N) or -p block=N\n"
    again = hkasm("check", f"{script}:plain", "--arch", "gfx942", "-p", "wanted=1.5", "-p", "block=256")
    assert (again.exit_code, again.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((":fil",), "has no function 'fil'; did you mean 'fill'?"),
        ((":fill", "-p", "valu=1"), "fill has no parameter 'valu'; did you mean 'value'?"),
        ((":fill", "-p", "value=x"), "value=x: not a whole number"),
        ((":fill", "-p", "twice=maybe"), "twice=maybe: true or false"),
        ((":fill", "-p", "block=5000"), "block=5000: a workgroup has 1 to 1024 work-items"),
        ((":plain",), "plain wants a value for wanted; -p wanted=..."),
        ((":typo",), "mine.py:22: NameError: name 'LIMT' is not defined"),
        ((":outside",), "mine.py:26: "),
        (("",), "mine.py: names no function; "),
    ],
)
def test_mistakes_are_one_line_with_their_place(hkasm: Hkasm, script: Path, words: tuple[str, ...], said: str) -> None:
    result = hkasm("check", f"{script}{words[0]}", *words[1:], "--arch", "gfx950")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.splitlines()[-1]


def test_a_script_that_does_not_run_is_told(hkasm: Hkasm, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def kernel(k:\n")
    result = hkasm("check", f"{path}:kernel", "--arch", "gfx950")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "SyntaxError" in result.stderr


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("k.v_mow_b32(k.vgpr('x'), 0)", "mine.py:3: unknown instruction 'v_mow_b32'; did you mean 'v_mov_b32'?"),
        ("assert k is None", "mine.py:3: AssertionError: assert k is None"),
        ("helper.give({})", "helper.py:2: KeyError: 'a'"),
        ("helper.load('[')", f"helper.py:6: JSONDecodeError: Expecting value: line 1 column 2 (char 1); {SHOWN}"),
        ("import halves", "halves.py:1: SyntaxError: '(' was never closed"),
    ],
)
def test_a_fault_is_told_at_the_last_line_of_the_users_own(
    hkasm: Hkasm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    for name in ("mine", "helper", "halves"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "mine.py").write_text(f"def write(k):\n    import helper\n    {body}\n")
    (tmp_path / "helper.py").write_text(
        "def give(x):\n    x['a']\n\ndef load(text):\n    import json\n    json.loads(text)\n"
    )
    (tmp_path / "halves.py").write_text("x = (\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    words = ("check", f"{tmp_path}/mine.py:write", "--arch", "gfx950", "-p", "block=64")
    result = hkasm(*words)
    assert (result.exit_code, result.stderr.replace(f"{tmp_path}/", "")) == (2, f"hkasm: {said}\n")


def test_the_traceback_of_a_fault_starts_in_the_script(hkasm: Hkasm, script: Path) -> None:
    lines = hkasm("--traceback", "check", f"{script}:typo", "--arch", "gfx950", "-p", "block=64").stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{script}", line 22, in typo'
    assert lines[-1].endswith("mine.py:22: NameError: name 'LIMT' is not defined")

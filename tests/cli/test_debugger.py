"""`hkasm emulate --break --watch --step`: what stops print, and the answers at the prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.oracles import DATA

import hkasm as package
from hkasm.asm.toolchain import build_hsaco
from hkasm.cli import main

Hkasm = Callable[..., Result]
AXPY = DATA / "triton" / "axpy_gfx950.hsaco"
FOREIGN = ("--grid", "2", "--block", "256", "--arg", "x:ptr:f32[2048]=arange", "--arg", "y:ptr:f32[2048]=ones",
           "--arg", "f32=2", "--arg", "i32=2000", "--arg", "ptr=0", "--arg", "ptr=0")  # fmt: skip


def body(k: package.Builder) -> None:
    """x[lane] = 2 x[lane] + 1."""
    arg = k.arg("x", "f32", pointer=True, rank=1, access="readwrite")
    x, at, value = k.sgpr("x", 2), k.vgpr("at"), k.vgpr("value")
    k.s_load_dwordx2(x, k.kernarg, arg.offset)
    k.v_lshlrev_b32(at, 2, k.lane)
    k.wait(x)
    k.global_load_dword(value, at, x)
    k.wait(value)
    k.v_add_f32(value, value, value)
    k.v_add_f32(value, 1.0, value)
    k.global_store_dword(at, value, x)
    k.s_endpgm()


@pytest.fixture
def own(toolchain: None, tmp_path: Path) -> tuple[object, ...]:
    """An object of hkasm's with names, and the words that launch it."""
    k = package.Builder("gfx942", "double")
    body(k)
    path = tmp_path / "double.hsaco"
    path.write_bytes(build_hsaco(k.finish()))
    return (path, "--grid", "1", "--arg", "ptr:f32[64]=arange")


def asked(answers: str, *words: object) -> Result:
    return CliRunner().invoke(main, ["emulate", *map(str, words)], input=answers, prog_name="hkasm")


def line(mnemonic: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if mnemonic in text and "k." in text)


def test_a_break_prints_registers_by_name(hkasm: Hkasm, own: tuple[object, ...]) -> None:
    place = f"test_debugger.py:{line('v_add_f32(value, 1.0')}"
    result = hkasm("emulate", *own, "--break", place, "--print", "value:f32", "--print", "x")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"stop 1: test_debugger.py:{line('v_add_f32(value, 1.0')}: v_add_f32")
    assert lines[0].endswith("wave 0 of (0, 0, 0)]")
    assert lines[1] == "value=v2 as f32"
    assert lines[3].split() == ["lane", "8:", *(str(2 * n) for n in range(8, 16))]
    assert lines[10].startswith("x=s[")
    assert lines[10].endswith(" = x + 0x0")
    assert lines[-1] == "no findings"


def test_a_foreign_kernel_by_line_and_by_offset(hkasm: Hkasm) -> None:
    image = next(iter(package.CodeObject.from_path(AXPY).kernels.values()))
    offset, _, number = next(row for row in image.lines if row[2] and row[0] > 64)
    for place in (f"triton_kernels.py:{number}", f"axpy+{offset:#x}", str(offset)):
        result = hkasm("emulate", AXPY, *FOREIGN, "--break", place, "--wave", "1,0,0/3", "--json")
        said = json.loads(result.stdout)
        assert said["stops"][0]["offset"] <= offset
        assert {(tuple(stop["workgroup"]), stop["wave"]) for stop in said["stops"]} == {((1, 0, 0), 3)}
        assert "wave 3 of (1, 0, 0)" in result.stderr


def test_watching(hkasm: Hkasm, own: tuple[object, ...]) -> None:
    result = hkasm("emulate", *own, "--watch", "value", "--json")
    stops = json.loads(result.stdout)["stops"]
    assert len(stops) == 3
    assert "value lane 0 was 0x0, is 0x3f800000 and 63 more lanes, changed by" in stops[2]["reason"]
    limited = hkasm("emulate", *own, "--watch", "value", "--stops", 1, "--json")
    assert len(json.loads(limited.stdout)["stops"]) == 1


def test_stepping(own: tuple[object, ...]) -> None:
    place = f"test_debugger.py:{line('v_add_f32(value, 1.0')}"
    answers = f"\nl\np x\np nobody\nb {place}\nw value\nc\np value:f32\nwhat\nc\nc\nc\nc\nc\n"
    result = asked(answers, *own, "--step")
    assert result.exit_code == 0
    text = result.stdout
    assert text.count("(step)") == text.count("\nstop ") + 1 + len(("l", "p", "p", "b", "w", "p", "what"))
    assert text.startswith("stop 1: test_debugger.py:")
    assert "> +0x" in text
    assert "no registers are called 'nobody'" in text
    assert "value=v2 as f32" in text
    assert "b PLACE    stop there too" in text
    assert "changed by test_debugger.py" in text
    assert text.splitlines()[-1] == "no findings"


def test_quitting_and_the_end_of_the_answers(own: tuple[object, ...]) -> None:
    for answers in ("s\nq\n", "s\n"):
        result = asked(answers, *own, "--step")
        assert result.exit_code == 0
        assert result.stdout.splitlines()[-1] == "no findings; the launch did not come to its end"


def test_a_stop_that_is_not_reached_is_told(hkasm: Hkasm, own: tuple[object, ...]) -> None:
    result = hkasm("emulate", *own, "--watch", "exec")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "no stop: the wave never came by, or nothing changed"


REFUSALS = {
    ("--break", "nofile.py:3"): "no line of axpy is in nofile.py",
    ("--break", "axpi+0x10"): "'axpi+0x10' is not in axpy; axpy+0x10",
    ("--print", "v1"): "--print shows registers at stops, and there is none",
    ("--watch", "v1:x33"): "'v1:x33' has the unknown type 'x33'",
    ("--step", "--wave", "x"): "--wave 'x' is no wave",
    ("--step", "--wave", "9"): "there is no wave 9: workgroups of axpy have 4",
    ("--step", "--wave", "5/0"): "there is no workgroup 5: the launch has 2",
}


@pytest.mark.parametrize("words", REFUSALS)
def test_stops_that_make_no_sense_are_one_line(hkasm: Hkasm, words: tuple[str, ...]) -> None:
    result = hkasm("emulate", AXPY, *FOREIGN, *words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert REFUSALS[words] in result.stderr

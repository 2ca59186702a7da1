"""Tables for programs and for terminals, and the line of progress that only a terminal sees."""

from __future__ import annotations

import io
import re
import time

import pytest

from hkasm.cli import output, progress
from hkasm.cli.output import print_facts, print_table
from hkasm.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_table_is_as_wide_as_it_must_be_where_a_program_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", ">count", ""), [("x" * 90, 1, "a"), ("y", 100, "")])
    assert capsys.readouterr().out.splitlines() == [
        "name" + " " * 88 + "count",
        "x" * 90 + "      1  a",
        "y" + " " * 91 + "  100",
    ]


def test_a_table_is_folded_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr(output, "terminal_width", lambda: 40)
    monkeypatch.setenv("COLUMNS", "40")
    print_table(("name", "text"), [("x", "[b]word[/b] " * 8)])
    lines = re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue()).splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 40
    assert "[b]word[/b]" in lines[1]


def test_facts_leave_empty_values_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts({"a": 1, "long": "x", "none": None, "empty": ""})
    assert capsys.readouterr().out == "a     1\nlong  x\n"


def test_progress_is_said_on_a_terminal_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.01)
    monkeypatch.setattr(progress, "_BEAT_SECONDS", 0.01)
    with Progress("first") as shown:
        time.sleep(0.1)
        shown.step("second")
        time.sleep(0.1)
    said = screen.getvalue()
    assert said.startswith("\r\x1b[Kfirst ... 0 s\r\x1b[K")
    assert "second ... 0 s" in said
    assert said.endswith("\r\x1b[K")


def test_progress_of_quick_work_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with Progress("quick"):
        pass
    assert screen.getvalue() == ""


def test_progress_is_not_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr("sys.stderr", file)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_BEAT_SECONDS", 0.001)
    with Progress("slow"):
        time.sleep(0.02)
    assert file.getvalue() == ""

"""The bar: on a terminal only, with a count, a rate and nothing left behind."""

from __future__ import annotations

import io
import sys

import pytest

from hkasm.cli import progress
from hkasm.cli.progress import Bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def drawn(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, **settings: bool) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_BEAT_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Bar("[gemm] on the emulator", 64, "waves", **settings) as bar:
        bar.update(1000, 8)
        bar.update(2_000_000, 32)
    return stream.getvalue()


def test_a_terminal_sees_how_far_it_is_and_how_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(Terminal(), monkeypatch)
    assert "[gemm] on the emulator" in text
    assert "32/64" in text
    assert "instructions/s" in text


def test_nothing_else_sees_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(io.StringIO(), monkeypatch) == ""
    assert drawn(Terminal(), monkeypatch, shown=False) == ""

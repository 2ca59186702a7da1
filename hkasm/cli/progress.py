"""A line or a bar on the terminal while something takes longer than a second, and nothing anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Bar", "Progress"]

DELAY_SECONDS = 1.0
_BEAT_SECONDS = 0.25


class Progress:
    """Says what is being done and for how long, on stderr, if that is a terminal; the line is gone afterwards.

    `step` changes what is said. Use it as a context manager.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._started = time.monotonic()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def step(self, text: str) -> None:
        """Say something else from now on."""
        self._text = text

    def __enter__(self) -> Progress:
        if sys.stderr is not None and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        if self._over.wait(DELAY_SECONDS):
            return
        while not self._over.wait(_BEAT_SECONDS):
            seconds = time.monotonic() - self._started
            sys.stderr.write(f"\r\x1b[K{self._text} ... {seconds:.0f} s")
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class Bar:
    """A bar with a rate, on stderr, if that is a terminal; it is gone afterwards.

    `update(count, done)` is told how much was counted (for the rate) and how much of `total` is done; it may be called
    as often as one likes. Use it as a context manager.
    """

    def __init__(self, text: str, total: int, unit: str, *, rate: str = "instructions/s", shown: bool = True) -> None:
        self._text, self._total, self._unit, self._rate = text, total, unit, rate
        self._started = time.monotonic()
        self._next = self._started + DELAY_SECONDS
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()

    def update(self, count: int, done: int) -> None:
        """Say how far it is."""
        now = time.monotonic()
        if not self._shown or now < self._next:
            return
        self._next = now + _BEAT_SECONDS
        rate = f"{count / (now - self._started):,.{0 if count > 1000 else 1}f} {self._rate}"
        if self._bar is None:
            self._begin()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, rate=rate)

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(self._unit),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._text, total=self._total, rate="")

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

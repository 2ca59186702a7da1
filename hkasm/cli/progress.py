"""A line on the terminal while something takes longer than a second, and nothing anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

__all__ = ["Progress"]

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

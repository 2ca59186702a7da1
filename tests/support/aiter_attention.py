"""Cases of AITER's hand-written attention kernels, of its top-k softmax, and of what lies beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from support.aiter import Case

__all__ = ["cases"]


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there."""
    yield from ()

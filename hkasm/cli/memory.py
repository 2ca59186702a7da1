"""How much memory this machine has, for commands that refuse what it cannot hold."""

from __future__ import annotations

import os

__all__ = ["gibibytes", "memory_bytes"]


def memory_bytes() -> int:
    """Return the bytes of physical memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def gibibytes(count: int) -> str:
    """Return a number of bytes as text."""
    return f"{count / (1 << 30):.1f} GiB"

"""Python's cyclic garbage collector, and when it has nothing to do."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collection"]


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep the collector from running inside ``with``; what was off stays off.

    For work that makes many objects and drops none in cycles, such as building a program: the collector would look
    through all objects of the process again and again, a tenth of a build's time and more where much else is loaded.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

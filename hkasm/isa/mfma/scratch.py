"""Working arrays that are kept between calls, one set a thread.

A matrix instruction of many waves needs a few hundred kilobytes for a moment; fresh pages from the operating system
cost more than the arithmetic.
"""

from __future__ import annotations

from math import prod
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["scratch"]

_buffers = local()


def scratch(purpose: str, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Return this thread's contiguous working array for one purpose; zero when new, else as the last user left it.

    The next call with the same purpose returns the same memory, so nothing of it may reach a caller.
    """
    count = prod(shape)
    name = f"{purpose} {dtype.__name__}"
    buffer: NDArray[Any] | None = getattr(_buffers, name, None)
    if buffer is None or buffer.size < count:
        buffer = np.zeros(max(2 * count, 4096), dtype=dtype)
        setattr(_buffers, name, buffer)
    return buffer[:count].reshape(shape)

"""The counts of a store's 64-byte segments are the same by every way of counting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hkasm.emulator.checks.stores import SEGMENT, StoreCounter


def _by_sets(address: np.ndarray, size: int) -> tuple[int, int]:
    """Segments touched, and written whole, by one wave after the other."""
    touched = whole = 0
    for wave in address:
        written = {int(first) + byte for first in wave for byte in range(size)}
        segments = {byte // SEGMENT for byte in written}
        touched += len(segments)
        whole += sum(all(segment * SEGMENT + byte in written for byte in range(SEGMENT)) for segment in segments)
    return touched, whole


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("mixed", [False, True])
def test_segments_of_a_store(size: int, shift: int, mixed: bool) -> None:
    rng = np.random.default_rng(size + shift)
    together = SEGMENT // size if SEGMENT % size == 0 else 4
    starts = np.stack([rng.permutation(100)[: 64 // together] for _ in range(3)]) * 4 * SEGMENT + shift * size
    address = (starts[:, :, None] + np.arange(together) * size).reshape(3, 64).astype(np.int64)
    if mixed:
        address = address[:, rng.permutation(64)]
    counter = StoreCounter()
    batch, op = SimpleNamespace(waves=3), SimpleNamespace()
    counter.memory(cast(Any, batch), cast(Any, op), address, size, None, "a store")
    assert (counter.segments, counter.whole) == _by_sets(address, size)

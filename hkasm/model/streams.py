"""What the tiles of a grid read, as the cache model takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LINE_BYTES", "Streams"]

LINE_BYTES = 128
"""Of an L2's line, and of a request of whole lines (CDNA3 white paper)."""


@dataclass(frozen=True)
class Streams:
    """What the tiles of a grid read: `walks[tile]` names the streams of a tile, `block_bytes[stream]` a step's bytes.

    `steps[tile]` is the length of a tile's walk (equal for all tiles if it is one number), `cost` the time of a step.
    `pitch` is how many bytes apart the lines of a block are, where each is of another row of a matrix; 0: they follow
    one another.
    """

    walks: npt.NDArray[np.int64]
    block_bytes: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]
    pitch: int = 0

    @property
    def tiles(self) -> int:
        return len(self.walks)

    def lines(self, stream: int, step: int) -> npt.NDArray[np.int64]:
        """Return the numbers (address over line bytes) of the lines of a block, where streams lie one after another."""
        counts = np.maximum(self.block_bytes // LINE_BYTES, 1)
        before, count = int(counts[:stream].sum()), int(counts[stream])
        if self.pitch:
            return (before + np.arange(count)) * (self.pitch // LINE_BYTES) + step
        return before * int(self.steps.max()) + step * count + np.arange(count)

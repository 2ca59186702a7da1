"""What the tiles of a grid read, as the cache model takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Streams"]


@dataclass(frozen=True)
class Streams:
    """What the tiles of a grid read: `walks[tile]` names the streams of a tile, `block_bytes[stream]` a step's bytes.

    `steps[tile]` is the length of a tile's walk (equal for all tiles if it is one number), `cost` the time of a step.
    """

    walks: npt.NDArray[np.int64]
    block_bytes: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]

    @property
    def tiles(self) -> int:
        return len(self.walks)

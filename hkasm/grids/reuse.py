"""What the tiles of a grid share: rectangles of two operands, clusters around one, streams without reuse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hkasm.errors import UsageError
from hkasm.model.streams import LINE_BYTES, Streams

__all__ = ["Clusters", "Rectangle", "Reuse", "Stream"]

MAX_STEPS = 160
"""Steps of a walk that are simulated; a longer K is cut, its steps are alike."""


def _check(**counts: int) -> None:
    for name, value in counts.items():
        if value < 1:
            raise UsageError(f"{name}={value}: at least 1")


@dataclass(frozen=True)
class Rectangle:
    """A matrix product: tile (r, c) reads strip r of one operand and strip c of the other, step by step."""

    rows: int
    columns: int
    steps: int
    row_bytes: int
    column_bytes: int

    def __post_init__(self) -> None:
        _check(rows=self.rows, columns=self.columns, steps=self.steps, row=self.row_bytes, column=self.column_bytes)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the rows and columns of tiles that an order runs over."""
        return self.rows, self.columns

    @property
    def scale(self) -> float:
        """Return how many real steps a simulated one stands for."""
        return self.steps / min(self.steps, MAX_STEPS)

    def streams(self) -> Streams:
        """Return strips of rows as streams 0 .. rows - 1, of columns behind them; a step reads one line of each row."""
        tile = np.arange(self.rows * self.columns)
        walks = np.stack([tile // self.columns, self.rows + tile % self.columns], axis=1)
        block = np.array([self.row_bytes] * self.rows + [self.column_bytes] * self.columns)
        return Streams(walks, block, np.full(len(tile), min(self.steps, MAX_STEPS)), self.steps * LINE_BYTES)


@dataclass(frozen=True)
class Clusters:
    """Attention: all blocks of queries of a head (a group of heads for GQA) read the same keys and values.

    `steps` blocks of keys of `step_bytes` (K and V together); with `causal` block b of `blocks` reads only the first
    ``(b + 1) / blocks`` of them.
    """

    clusters: int
    blocks: int
    steps: int
    step_bytes: int
    causal: bool = False

    def __post_init__(self) -> None:
        _check(clusters=self.clusters, blocks=self.blocks, steps=self.steps, step_bytes=self.step_bytes)

    @property
    def shape(self) -> tuple[int, int]:
        return self.clusters, self.blocks

    @property
    def scale(self) -> float:
        return 1.0

    def streams(self) -> Streams:
        """Return one stream a cluster."""
        tile = np.arange(self.clusters * self.blocks)
        block = tile % self.blocks
        steps = np.full(len(tile), self.steps)
        if self.causal:
            steps = np.maximum((block + 1) * self.steps // self.blocks, 1)
        return Streams((tile // self.blocks)[:, None], np.full(self.clusters, self.step_bytes), steps)


@dataclass(frozen=True)
class Stream:
    """Tiles that share nothing."""

    tiles: int
    steps: int
    step_bytes: int

    def __post_init__(self) -> None:
        _check(tiles=self.tiles, steps=self.steps, step_bytes=self.step_bytes)

    @property
    def shape(self) -> tuple[int, int]:
        return 1, self.tiles

    @property
    def scale(self) -> float:
        return 1.0

    def streams(self) -> Streams:
        """Return one stream a tile."""
        steps = np.full(self.tiles, self.steps)
        return Streams(np.arange(self.tiles)[:, None], np.full(self.tiles, self.step_bytes), steps)


Reuse = Rectangle | Clusters | Stream

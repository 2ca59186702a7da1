"""Arrays of register tuples, for what is no tile: offsets, staged chunks, fragments by number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from hkasm.errors import RegisterError
from hkasm.isa.registers import Register


@dataclass(frozen=True)
class RegArray:
    """An array of equal register tuples over one register slice, row-major: ``tile[i, j]`` is a tuple.

    Raises RegisterError when the slice does not hold exactly `shape` tuples of `width` registers.
    """

    register: Register
    shape: tuple[int, ...]
    width: int
    _known: dict[tuple[int, ...], Register] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.register.count != prod(self.shape) * self.width:
            raise RegisterError(f"a tile of {self.shape} x {self.width} registers does not fit {self.register}")

    def __getitem__(self, index: tuple[int, ...]) -> Register:
        found = self._known.get(index)
        if found is None:
            flat = 0
            for position, extent in zip(index, self.shape, strict=True):
                if not 0 <= position < extent:
                    raise IndexError(f"{index} of a tile of {self.shape}")
                flat = flat * extent + position
            found = self._known[index] = self.register[flat * self.width : (flat + 1) * self.width]
        return found

    def __iter__(self) -> Iterator[Register]:
        """Yield the tuples in order."""
        for flat in range(prod(self.shape)):
            yield self.register[flat * self.width : (flat + 1) * self.width]

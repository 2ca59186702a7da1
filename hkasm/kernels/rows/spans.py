"""How a row is dealt to lanes: how many elements a workgroup holds, and how they lie in its registers."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import ClassVar

from hkasm.errors import UsageError
from hkasm.isa.registers import Register
from hkasm.kernels.parameters import ParameterSet, parameter

WAVE_SIZE = 64
ACCESS_BYTES = 16
BITS = {"f32": 32, "f16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}
DTYPES = ("f32", "f16", "bf16")
MAX_LENGTH = 65536
DEFAULT_LENGTH = 1024
BLOCK = 2048
"""Elements of a workgroup where elements stand alone."""


@dataclass(frozen=True)
class Span:
    """One way to hold rows: `threads` of a workgroup, `per_lane` elements in each; `shared` rows, one for each wave."""

    threads: int
    per_lane: int
    shared: bool = False

    @property
    def waves(self) -> int:
        """Return the waves of a workgroup."""
        return self.threads // WAVE_SIZE

    @property
    def lanes(self) -> int:
        """Return the lanes that hold one row."""
        return WAVE_SIZE if self.shared else self.threads

    @property
    def rows(self) -> int:
        """Return the rows of a workgroup."""
        return self.waves if self.shared else 1

    @property
    def elements(self) -> int:
        """Return the longest row."""
        return self.lanes * self.per_lane


SPANS = {
    str(span.elements): span
    for span in (
        Span(256, 8, shared=True),
        Span(256, 8),
        Span(256, 32),
        Span(1024, 16),
        Span(1024, 64),
    )
}
"""By the longest row. 1024 threads have 128 registers each: 64 for the row, the rest for what is done to it."""


@dataclass(frozen=True)
class Tensor:
    """An argument: rows at a pitch of their own, or (not `pitched`) one row for all."""

    name: str
    dtype: str
    access: str = "read"
    pitched: bool = True

    @property
    def bits(self) -> int:
        """Return the bits of an element."""
        return BITS[self.dtype]

    @property
    def step(self) -> int:
        """Return the fewest elements that are whole bytes."""
        return 8 // gcd(self.bits, 8)

    def bytes(self, elements: int) -> int:
        """Return the bytes of elements: less than 8 bits are packed, the first element in the lowest."""
        return -(-elements * self.bits // 8)

    def words(self, chunk: Register) -> Register:
        """Return the last registers of a chunk, as many as it takes packed: from there it is widened in place."""
        count = len(chunk) * self.bits // 32
        return chunk[len(chunk) - count : len(chunk)]


@dataclass(frozen=True)
class Extra:
    """An argument that the engine only fetches: a value, or (with a rank) a pointer."""

    name: str
    dtype: str
    rank: int = 0
    access: str = "read"


@dataclass(frozen=True)
class RowsConfig(ParameterSet):
    """What changes the code of every kernel on rows."""

    dtype: str = parameter("bf16", "element type; arithmetic is in f32", choices=DTYPES)
    span: str = parameter("auto", "longest row that the code takes", choices=("auto", *SPANS))

    blocks: ClassVar[bool] = False
    """A row is dealt to as many workgroups along y as it takes: for kernels that look at single elements."""

    walked: ClassVar[bool] = False
    """A wave walks over a share of a row and over every `skip`-th row: extras ``tokens``, ``skip`` and ``share``."""

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Return the arguments behind the pitches."""
        return ()

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return the tensors in the order of the kernel's arguments."""
        raise NotImplementedError

    @property
    def usable(self) -> dict[str, Span]:
        """Return the spans that there is code for: elements that stand alone need no long ones."""
        return {name: span for name, span in SPANS.items() if not self.blocks or span.elements <= BLOCK}

    def held(self, length: int | None = None) -> Span:
        """Return how rows of a length are held, or of any length.

        Raises:
            UsageError: the row is longer than the span that was asked for, or there is no code for that.
        """
        usable = self.usable
        if self.span == "auto":
            enough = (span for span in usable.values() if length is not None and span.elements >= length)
            return next(enough, usable[max(usable, key=int)])
        if self.span not in usable:
            raise UsageError(f"span={self.span}: not declared", hint=f"declared: {', '.join(usable)}")
        if length is not None and not self.blocks and usable[self.span].elements < length:
            raise UsageError(f"n={length}: rows longer than span={self.span}", hint="span=auto")
        return usable[self.span]

"""What a plan consists of: the lowering writes these one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.schedules.step import Atom, Kind


@dataclass(frozen=True)
class Act:
    """Emit a step for one buffer."""

    kind: Kind
    name: str
    slot: int


@dataclass(frozen=True)
class Prepare:
    """Emit what must stand before a fetch."""

    name: str
    slot: int


@dataclass(frozen=True)
class Advance:
    """Move the fetch cursor to the next K step."""


@dataclass(frozen=True)
class Thread:
    """Acts that keep their order while they are dealt out between the instructions of a compute.

    ``slots`` tells where each instruction stands; empty: evenly, none behind the last but `slack` of the compute's.
    """

    acts: tuple[Act | Prepare | Advance, ...]
    slots: tuple[int, ...] = ()
    slack: int = 0


@dataclass(frozen=True)
class Woven:
    """Emit acts as one stream: a compute that carries the threads' instructions, or the threads alone."""

    compute: Act | None
    threads: tuple[Thread, ...]


@dataclass(frozen=True)
class Wait:
    """Wait until registers have arrived and LDS regions (name, slot) are filled, as far as this wave goes."""

    registers: frozenset[Atom] = frozenset()
    regions: tuple[tuple[str, int], ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Barrier:
    """Meet the other waves; `reason` says what would collide without it, or that it paces the groups."""

    reason: str = ""


@dataclass(frozen=True)
class Priority:
    """Set the wave's priority."""

    level: int


Item = Act | Prepare | Advance | Woven | Wait | Barrier | Priority

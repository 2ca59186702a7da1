"""Probes: stop a wave where one wants to look, and see its registers as tiles, numbers and addresses.

    probe = Probe(at="gemm.py:45", wave=3, show=["acc:16x16"])
    kernel.launch(grid, block, args, probes=[probe])
    for stopped in probe.stops:
        print(stopped)

A probe stops before the instructions of a place (`at`), after each change of a register (`watch`), or before every
instruction (`step`), in the waves that it is for. At a stop `then` gets the live state, a `Stop`; what `show` names is
kept in `stops` as text. Values in flight and undefined bits are told, not guessed. `hkasm.emulator.views` says how
registers are named.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.codeobject import KernelImage
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.listener import Listener
from hkasm.emulator.op import Op
from hkasm.emulator.run import GroupId, Run
from hkasm.emulator.stop import Stop
from hkasm.errors import UsageError

__all__ = ["Probe", "Stopped", "places_of"]

_LINE = re.compile(r"(.+):(\d+)")
_OFFSET = re.compile(r"(?:(.*)\+)?(0x[0-9a-fA-F]+|\d+)")
NEAREST: Final = 3
"""Lines that the message about a line without code names."""


@dataclass(frozen=True)
class Stopped:
    """What a stop left behind: where and why, and the text of everything that was to be shown."""

    number: int
    title: str
    reason: str
    workgroup: GroupId
    wave: int
    offset: int
    shown: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(
            [f"stop {self.number}: {self.title}", *([f"  {self.reason}"] if self.reason else []), *self.shown]
        )


class Probe(Listener):
    """Stop waves of a launch and show registers.

    Args:
        at: places to stop before: `FILE:LINE` (its first instruction of each run), `KERNEL+OFFSET` or a byte offset.
        wave: the wave inside its workgroup, None for all.
        workgroup: its id (x, y, z), a dispatch number, or None for all.
        show: views to keep the text of at each stop.
        watch: views that stop the wave when they have changed.
        step: stop before every instruction.
        limit: stops after which the probe is silent.
        then: called at each stop with the live state.

    Raises:
        UsageError: when the launch begins, for a place or view that the kernel does not have.
    """

    name = "probe"

    def __init__(
        self,
        at: str | int | Sequence[str | int] = (),
        *,
        wave: int | None = 0,
        workgroup: GroupId | int | None = 0,
        show: Sequence[str] = (),
        watch: Sequence[str] = (),
        step: bool = False,
        limit: int = 1000,
        then: Callable[[Stop], None] | None = None,
    ) -> None:
        self.at: list[str | int] = [at] if isinstance(at, (str, int)) else list(at)
        self.wave, self.workgroup = wave, workgroup
        self.show, self.watch = list(show), list(watch)
        self.step, self.limit, self.then = step, limit, then
        self.stops: list[Stopped] = []
        self._places: set[int] = set()
        self._seen: dict[tuple[int, int], dict[str, NDArray[Any]]] = {}
        self._last: dict[tuple[int, int], str] = {}

    def start(self, run: Run) -> None:
        kernel = run.code.kernel
        self._places = {offset for place in self.at for offset in places_of(kernel, place)}
        for offset in self._places:
            _check_start(run.code, offset)
        groups, waves = run.launch.groups, run.waves_per_group
        number = self._group_number(run)
        if self.wave is not None and self.wave >= waves:
            raise UsageError(f"there is no wave {self.wave}: workgroups of {kernel.name} have {waves}")
        if number is not None and not 0 <= number < groups:
            raise UsageError(f"there is no workgroup {self.workgroup}: the launch has {groups}")

    def stop_at(self, kernel: KernelImage, place: str | int) -> None:
        """Stop at another place from now on. Raises UsageError."""
        self._places |= set(places_of(kernel, place))
        self.at.append(place)

    def _group_number(self, run: Run) -> int | None:
        if not isinstance(self.workgroup, tuple):
            return self.workgroup
        x, y, z = self.workgroup
        grid = run.launch.grid
        return x + grid[0] * (y + grid[1] * z) if x < grid[0] and y < grid[1] else -1

    # ---- at each instruction ----------------------------------------------------------------------------------------

    def issue(self, batch: Batch, op: Op) -> None:
        here = op.index in self._places or self.step
        if not here and not self.watch:
            return
        for row in self._rows(batch):
            self._look(Stop(batch, row, op, self), here)

    def _rows(self, batch: Batch) -> Sequence[int]:
        chosen = np.ones(batch.waves, dtype=np.bool_)
        if self.wave is not None:
            chosen &= batch.wave == self.wave
        number = self._group_number(batch.run)
        if number is not None:
            chosen &= batch.run.group_numbers()[batch.group] == number
        return [int(row) for row in np.flatnonzero(chosen)]

    def _look(self, stop: Stop, here: bool) -> None:
        key = (stop.group_number, stop.wave)
        reasons = self._changes(stop, key) if self.watch else []
        self._last[key] = stop.title
        if (here or reasons) and len(self.stops) < self.limit:
            stop.reason = "; ".join(reasons)
            if self.then is not None:
                self.then(stop)
            shown = tuple(stop.text(view) for view in self.show)
            self.stops.append(
                Stopped(len(self.stops) + 1, stop.title, stop.reason, stop.workgroup, stop.wave, stop.offset, shown)
            )

    def _changes(self, stop: Stop, key: tuple[int, int]) -> list[str]:
        """Return what watched registers changed since the wave's last instruction."""
        before = self._seen.setdefault(key, {})
        found = []
        for view in self.watch:
            now = stop.words(view)
            if now is None:
                before.pop(view, None)
                continue
            old = before.get(view)
            before[view] = now
            if old is not None and old.shape == now.shape and (old != now).any():
                found.append(f"{_change(view, old, now)} by {self._last.get(key, 'nobody')}")
        return found


def _change(view: str, old: NDArray[Any], now: NDArray[Any]) -> str:
    """Say what changed first, and how many lanes did."""
    where = np.argwhere(old != now)
    first = tuple(int(n) for n in where[0])
    lanes = len({int(place[-1]) for place in where}) if now.ndim == 2 else 0
    name = f"{view}[{first[0]}]" if now.shape[0] > 1 else view
    lane = f" lane {first[1]}" if lanes else ""
    more = f" and {lanes - 1} more lanes" if lanes > 1 else ""
    return f"{name}{lane} was {int(old[first]):#x}, is {int(now[first]):#x}{more}, changed"


def places_of(kernel: KernelImage, place: str | int) -> list[int]:
    """Return the byte offsets of a place to stop at.

    Raises:
        UsageError: the kernel has no such line or offset.
    """
    if isinstance(place, int):
        return [_inside(kernel, place, place)]
    offset = _OFFSET.fullmatch(place)
    if offset is not None:
        if offset[1] not in (None, "", kernel.name):
            raise UsageError(f"'{place}' is not in {kernel.name}", hint=f"{kernel.name}+{offset[2]}")
        return [_inside(kernel, int(offset[2], 0), place)]
    line = _LINE.fullmatch(place)
    if line is None:
        raise UsageError(f"'{place}' is no place", hint=f"FILE:LINE or {kernel.name}+0x40")
    file, number = line[1], int(line[2])
    lines = kernel.lines
    if not any(row[2] for row in lines):
        raise UsageError(f"{kernel.name} has no line table", hint=f"name an offset: {kernel.name}+0x40")
    mine = [row for row in lines if row[1] == file or row[1].endswith(f"/{file}") or file.endswith(f"/{row[1]}")]
    if not mine:
        known = ", ".join(sorted({row[1] for row in lines if row[2]})[:8])
        raise UsageError(f"no line of {kernel.name} is in {file}", hint=f"its files: {known}")
    found = [row[0] for row in mine if row[2] == number]
    if not found:
        near = sorted({row[2] for row in mine if row[2]}, key=lambda other: (abs(other - number), other))[:NEAREST]
        raise UsageError(
            f"{place} has no instruction of {kernel.name}", hint=f"lines that have: {', '.join(map(str, sorted(near)))}"
        )
    return found


def _check_start(code: Code, offset: int) -> None:
    """Raise UsageError for a place in the middle of an instruction of the kernel."""
    starts = [inst.offset for inst in code.straight_line]
    at = bisect_right(starts, offset) - 1
    if at >= 0 and starts[at] < offset < starts[at] + code.straight_line[at].size:
        raise UsageError(
            f"{code.kernel.name}+{offset:#x} is inside {code.straight_line[at]}",
            hint=f"it begins at {code.kernel.name}+{starts[at]:#x}",
        )


def _inside(kernel: KernelImage, offset: int, place: object) -> int:
    if not 0 <= offset < len(kernel.code) or offset % 4:
        raise UsageError(f"{place} is no place in {kernel.name}, which has {len(kernel.code)} bytes of code")
    return offset

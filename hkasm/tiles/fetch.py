"""From global memory to LDS: straight, or through registers; the swizzle is on the global side.

A wave's load to LDS writes one run of bytes, lane after lane, from the address in M0 on. So thread t of the workgroup
brings what lies at its linear place in LDS, and the swizzle, its own inverse, says which element that is. Through
registers the same plan serves, and LDS is written linearly and without conflicts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.asm.emitter import caller_origin
from hkasm.errors import UsageError
from hkasm.isa.registers import M0, Register
from hkasm.tiles.lanes import write_table
from hkasm.tiles.layout import LANES
from hkasm.tiles.memory import BUFFER_OFFSET_MAX, Dim, TileView
from hkasm.tiles.shared import SharedTile

__all__ = ["Fetch", "FetchPlan"]

Table = NDArray[np.int64]
DWORD = 4
LOADS = {4: "buffer_load_dword", 8: "buffer_load_dwordx2", 16: "buffer_load_dwordx4"}


@dataclass(frozen=True)
class FetchPlan:
    """Which thread of a workgroup brings which element of a shared tile, load by load, `lane_bytes` of LDS each.

    Load i of wave w fills ``64 * lane_bytes`` bytes from byte ``(i * waves + w) * 64 * lane_bytes`` of the unpadded
    tile on. Raises UsageError where lanes would tear what the swizzle keeps together or cross a row, where the tile is
    no whole number of loads, and for waves that are no power of two.
    """

    shared: SharedTile
    waves: int
    lane_bytes: int

    def __post_init__(self) -> None:
        shape, name = self.shared.shape, self.shared.name
        if self.waves < 1 or self.waves & (self.waves - 1):
            raise UsageError(f"{name}: fetched by {self.waves} waves", hint="1, 2, 4, 8 or 16 waves")
        if self.lane_bytes not in (4, 8, 16):
            raise UsageError(f"{name}: {self.lane_bytes} bytes a lane", hint="4, 8 or 16")
        if shape.chunked and self.lane_bytes != 16:
            raise UsageError(f"{name}: {self.lane_bytes} bytes a lane of chunks of 16", hint="16 bytes a lane")
        together = shape.swizzle.chunk_bytes or self.lane_bytes
        if together % self.lane_bytes or shape.row_bytes % self.lane_bytes:
            raise UsageError(
                f"{name}: {self.lane_bytes} bytes a lane, rows of {shape.row_bytes} bytes whose swizzle keeps "
                f"{together} together",
                hint="fewer bytes a lane",
            )
        if self.shared.origin != (0, 0) or self._linear_bytes % self.load_bytes:
            raise UsageError(
                f"{name}: {self._linear_bytes} bytes are no whole loads of {self.load_bytes} ({self.waves} waves)",
                hint="fewer waves or fewer bytes a lane, and a whole tile",
            )

    @property
    def _linear_bytes(self) -> int:
        grid = self.shared.grid
        return grid[0] * grid[1] * self.shared.shape.bytes

    @property
    def wave_bytes(self) -> int:
        """Return the bytes that one load of one wave fills."""
        return LANES * self.lane_bytes

    @property
    def load_bytes(self) -> int:
        """Return the bytes that one load of all waves fills."""
        return self.waves * self.wave_bytes

    @property
    def loads(self) -> int:
        """Return the loads of a wave."""
        return self._linear_bytes // self.load_bytes

    def linear(self, load: int) -> Table:
        """Return the unpadded byte of the tile at which each thread's bytes begin."""
        thread = np.arange(self.waves * LANES, dtype=np.int64)
        return load * self.load_bytes + thread * self.lane_bytes

    def places(self, load: int) -> tuple[Table, Table]:
        """Return the row of the tile, and the byte of that row in memory, at which each thread fetches."""
        shape, grid = self.shared.shape, self.shared.grid
        number, inside = self.linear(load) // shape.bytes, self.linear(load) % shape.bytes
        linear = shape.swizzle(inside)
        byte = linear % shape.row_bytes
        if shape.chunked:
            byte = byte // 16 * 12
        row = linear // shape.row_bytes + number // grid[1] * shape.rows
        return row, byte + number % grid[1] * (shape.cols * shape.bits // 8)

    def placed(self, load: int) -> Table:
        """Return the byte from the buffer's start that each thread's bytes go to."""
        padding = self.shared.shape.padding
        return padding(self.linear(load)) if padding else self.linear(load)

    @cached_property
    def wave_stride(self) -> int | None:
        """Return the bytes of LDS between the runs of two waves of a load, or None where padding cuts a wave's run."""
        runs = np.stack([self.placed(load).reshape(self.waves, LANES) for load in range(self.loads)])
        if (np.diff(runs, axis=2) != self.lane_bytes).any():
            return None
        steps = np.diff(runs[:, :, 0], axis=1)
        if self.waves == 1:
            return self.wave_bytes
        return int(steps[0, 0]) if (steps == steps[0, 0]).all() else None


class Fetch:
    """Brings tiles of one view's shape into a shared tile: offsets are written once, `load` is what a loop repeats.

    Direct fetches (`load` alone) put 16 or 4 bytes a lane straight into LDS on gfx950, 4 on gfx942; staged ones
    (`load`, wait, `commit`) go through registers. After either the data is in LDS when the wave has waited for it, and
    for other waves behind a barrier. SGPRs and VGPRs are allocated by name; `free` gives them back.
    """

    def __init__(
        self,
        k: Builder,
        shared: SharedTile,
        view: TileView,
        index: Register,
        waves: int,
        *,
        direct: bool = True,
        lane_bytes: int | None = None,
        file: str = "v",
    ) -> None:
        """Choose the widest access that tile, view and chip allow (or take `lane_bytes`) and write the offsets.

        `index` is the thread's number in the workgroup; `file` is where a staged fetch waits, VGPRs or AGPRs (``a``).
        Raises UsageError for tiles of different size or dtype, and accesses that the chip has not, or that rows of the
        view would be cut by.
        """
        if (shared.rows, shared.cols, shared.dtype) != (view.rows, view.cols, view.dtype):
            raise UsageError(
                f"{shared.name} is {shared.rows}x{shared.cols} {shared.dtype}, "
                f"the view {view.rows}x{view.cols} {view.dtype}",
                where=caller_origin(),
            )
        self.view, self.direct = view, direct
        self.plan = _plan(k, shared, view, waves, direct, lane_bytes)
        plan, name = self.plan, shared.name
        # One M0 serves loads as far as the instruction's own offset reaches, which counts in memory as well.
        self._steps = [load * plan.load_bytes if direct else 0 for load in range(plan.loads)]
        self._group = max(BUFFER_OFFSET_MAX // plan.load_bytes + 1, 1) if shared.shape.padding is None else 1
        self.offsets = [k.vgpr(f"{name} fetch offset {load}") for load in range(plan.loads)]
        free = (k.vgpr(f"{name} fetch free"), k.vgpr(f"{name} fetch free"))
        for load, target in enumerate(self.offsets):
            row, byte = plan.places(load)
            view.write_byte_offset(k, target, index, row, byte, free)
            own = self._own_offset(load)
            if own:
                k.v_subrev_u32(target, own, target)
        self._owned: list[Register] = [*self.offsets]
        self.staged: list[Register] = []
        if direct:
            self.base = k.sgpr(f"{name} fetch base")
            k.v_readfirstlane_b32(self.base, index)
            k.s_lshr_b32(self.base, self.base, LANES.bit_length() - 1)
            k.s_mul_i32(self.base, self.base, plan.wave_stride or plan.wave_bytes)
        else:
            dwords = plan.lane_bytes // DWORD
            self.base = k.vgpr(f"{name} commit base")
            write_table(k, self.base, index, plan.placed(0), free[0])
            allocate = k.agpr if file == "a" else k.vgpr
            self.staged = [allocate(f"{name} staged {load}", dwords) for load in range(plan.loads)]
        self._owned += [self.base, *self.staged]
        k.free(*free)

    def _own_offset(self, load: int) -> int:
        """Return the offset in the instruction of a load: what it adds to LDS it adds to memory, too."""
        return self._steps[load] - self._steps[load // self._group * self._group]

    def load(
        self,
        k: Builder,
        slot: int = 0,
        *,
        soffset: Dim = 0,
        descriptor: Register | None = None,
        loads: range | None = None,
    ) -> None:
        """Emit the loads of a tile, to a buffer of LDS or to the staging registers.

        `soffset` is added to the addresses in memory; `descriptor` stands in for the view's, of a tile with the same
        pitch and as many valid columns. `loads` are those to emit, by number, if not all.
        """
        plan, some = self.plan, range(self.plan.loads) if loads is None else loads
        where = descriptor if descriptor is not None else self.view.descriptor
        if not self.direct:
            for load in some:
                _loader(k, plan.lane_bytes)(self.staged[load], self.offsets[load], where, soffset)
            return
        for load in some:
            if load == some[0] or load % self._group == 0:
                first = load // self._group * self._group
                k.s_add_u32(M0, self.base, plan.shared.start(slot) + int(plan.placed(first)[0]))
            _loader(k, plan.lane_bytes)(self.offsets[load], where, soffset, offset=self._own_offset(load), lds=True)

    def commit(self, k: Builder, slot: int = 0) -> None:
        """Emit the writes of the staged registers to a buffer of LDS. Raises UsageError for a direct fetch."""
        if self.direct:
            raise UsageError(f"{self.plan.shared.name}: nothing to commit, its loads go to LDS", where=caller_origin())
        write = {4: k.ds_write_b32, 8: k.ds_write_b64, 16: k.ds_write_b128}[self.plan.lane_bytes]
        first = self.plan.placed(0)
        for load, source in enumerate(self.staged):
            apart = self.plan.placed(load) - first
            write(self.base, source, offset=self.plan.shared.start(slot) + int(apart[0]))

    def free(self, k: Builder) -> None:
        """Give the registers back."""
        k.free(*self._owned)


def _loader(k: Builder, lane_bytes: int) -> Callable[..., object]:
    found: Callable[..., object] = getattr(k, LOADS[lane_bytes])
    return found


def _plan(
    k: Builder, shared: SharedTile, view: TileView, waves: int, direct: bool, lane_bytes: int | None
) -> FetchPlan:
    """Return the plan of the widest legal access, or of the one that was asked for."""
    usual = [4 * dwords for dwords in reversed(k.arch.direct_lds_dwords) if dwords != 3] if direct else [16, 8, 4]
    if lane_bytes is not None and lane_bytes not in usual:
        how = "straight to LDS" if direct else "through registers"
        raise UsageError(
            f"{shared.name}: {lane_bytes} bytes a lane {how} on {k.arch}",
            where=caller_origin(),
            hint=f"{', '.join(map(str, usual))}" + ("; or direct=False" if direct else ""),
        )
    reasons: list[UsageError] = []
    for size in usual if lane_bytes is None else [lane_bytes]:
        # 16 bytes of LDS hold 12 of memory where 6-bit elements leave gaps.
        if view.access_bytes % min(size, 4 if shared.shape.chunked else size):
            text = f"{shared.name}: {size} bytes a lane would cut rows, which are aligned to {view.access_bytes} bytes"
            hint = "tell the tensor's real alignment, or load to registers element by element"
            reasons.append(UsageError(text, hint=hint))
            continue
        try:
            plan = FetchPlan(shared, waves, size)
        except UsageError as error:
            reasons.append(error)
            continue
        apart = [plan.placed(load) - plan.placed(0) for load in range(plan.loads)]
        if (direct and plan.wave_stride is None) or any((one != one[0]).any() for one in apart):
            text = f"{shared.name}: padding cuts the {plan.wave_bytes} bytes that a wave writes in one run"
            reasons.append(UsageError(text, hint="pad behind whole runs, or load through registers in smaller pieces"))
            continue
        return plan
    raise UsageError(reasons[0].message, where=caller_origin(), hint=reasons[0].hint)

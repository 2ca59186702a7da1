"""The registers of the GEMM, allocated once, by what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.kernels.gemm.plan import DWORD_BYTES, HALVES, QUAD, Side, TilePlan
from hkasm.tiles.array import RegArray
from hkasm.tiles.buffer import BufferView

TEMPORARIES = 8
STORE_REGISTERS = 40
"""What the end of the kernel takes of the staging registers at least: values, rounding, offsets, columns left."""


@dataclass(frozen=True)
class Scalars:
    """SGPRs. Pitches are bytes a row in memory; `rows` and `columns` are those of this workgroup's tile."""

    pointers: Register
    sizes: Register
    row: Register
    column: Register
    rows: Register
    columns: Register
    wave: Register
    late: Register
    cursor: Register
    trips: Register
    rest: Register
    fetch_bases: Register
    scratch: Register
    mask: Register

    @cached_property
    def c(self) -> Register:
        return self.pointers[0:2].named("C")

    @cached_property
    def a(self) -> Register:
        return self.pointers[2:4].named("A")

    @cached_property
    def b(self) -> Register:
        return self.pointers[4:6].named("B")

    @cached_property
    def m(self) -> Register:
        return self.pointers[6].named("M")

    @cached_property
    def n(self) -> Register:
        return self.pointers[7].named("N")

    @cached_property
    def k(self) -> Register:
        return self.sizes[0].named("K")

    @cached_property
    def temporary(self) -> Register:
        return self.scratch[0].named("temporary")

    @cached_property
    def other(self) -> Register:
        return self.scratch[1].named("other")

    def pitch(self, tensor: str) -> Register:
        """Return the bytes from line to line of ``A``, ``B`` or ``C`` in memory."""
        return self.sizes[1 + "ABC".index(tensor)].named(f"pitch {tensor}")

    def fetch_base(self, side: str) -> Register:
        """Return where in a half tile of ``A`` or ``B`` this wave's part starts."""
        return self.fetch_bases["AB".index(side)].named(f"fetch base {side}")


@dataclass(frozen=True)
class Registers:
    """All registers of the GEMM; ``offsets`` are the byte offsets at which a lane fetches, by side, half and part."""

    plan: TilePlan
    scalars: Scalars
    a: BufferView
    b: BufferView
    c: BufferView
    thread: Register
    accumulators: RegArray
    fragments: Register
    staging: Register
    offsets: dict[str, RegArray]
    bases: dict[str, RegArray]
    commit_base: dict[str, Register]

    def view(self, side: str) -> BufferView:
        return self.a if side == "A" else self.b

    @cached_property
    def _fragment_tiles(self) -> dict[tuple[str, int], RegArray]:
        found, first = {}, 0
        for region, count in regions_in_registers(self.plan):
            side = self.plan.side(region)
            size = side.fragments * side.fragment_registers
            for number in range(count):
                register = self.fragments[first : first + size].named(region)
                found[region, number] = RegArray(register, (side.fragments,), side.fragment_registers)
                first += size
        return found

    def fragment(self, region: str, slot: int) -> RegArray:
        """Return the fragments of a region that K steps in buffer `slot` use."""
        home = "A0" if region == "A1" and self.plan.shared_a else region
        count = dict(regions_in_registers(self.plan))[home]
        return self._fragment_tiles[home, slot % count]

    @cached_property
    def temporaries(self) -> Register:
        """Eight registers that nothing holds before a pipeline, between pipelines and behind the last."""
        end = self.staging.count
        return self.staging[end - TEMPORARIES : end].named("temporary")


def regions_in_registers(plan: TilePlan) -> list[tuple[str, int]]:
    """Return the regions that have fragment registers of their own, with the number of their sets."""
    counts = list(zip(("A0", "A1", "B0", "B1"), plan.sets, strict=True))
    return [one for one in counts if one[0] != "A1" or not plan.shared_a]


def fragment_registers(plan: TilePlan) -> int:
    """Return how many registers the fragments of a wave take."""
    sizes = {side.name: side.fragments * side.fragment_registers for side in plan.sides}
    return sum(count * sizes[region[0]] for region, count in regions_in_registers(plan))


def gathered_registers(side: Side) -> int:
    """Return how many registers a lane's part of a whole tile side takes, one element (at least a byte) a register."""
    unit_bytes = side.bits // 8 or DWORD_BYTES
    return len(HALVES) * side.parts * (16 // unit_bytes)


def staging_registers(plan: TilePlan) -> int:
    """Return how many registers hold data on its way to LDS, offsets of dword loads and what the end needs."""
    chunks = {side.name: len(HALVES) * side.parts for side in plan.sides}
    wanted = [TEMPORARIES, STORE_REGISTERS]
    if plan.direct and plan.words:
        wanted.append(4 * sum(chunks.values()) + TEMPORARIES)
    if not plan.direct:
        wanted.append(4 * sum(chunks.values()) + (16 if any(side.strided for side in plan.sides) else 0))
    if plan.packs:
        wanted.append(4 * chunks["A"] + 8 * chunks["B"])
    raw = max(gathered_registers(side) for side in plan.sides)
    if raw > fragment_registers(plan):
        wanted.append(raw + TEMPORARIES)
    return max(wanted)


def vgprs(plan: TilePlan) -> dict[str, int]:
    """Return what the VGPRs of a wave are for, accumulators left out; alignment may take one more a row."""
    return {
        "thread and bases": 1 + sum(1 + side.bases for side in plan.sides),
        "fragments": fragment_registers(plan),
        "staging": staging_registers(plan),
        "fetch offsets": sum(len(HALVES) * side.parts for side in plan.sides),
    }


def allocate(k: Builder, plan: TilePlan, accumulators_in: str) -> Registers:
    """Allocate every register of the kernel; accumulators in ``agpr`` or ``vgpr``."""
    pointers, sizes = k.sgpr("C,A,B,M,N", 8), k.sgpr("K,pitches", 4)
    views = [BufferView(k.sgpr(f"buffer {name}", 4)) for name in "ABC"]
    scalars = Scalars(
        pointers=pointers,
        sizes=sizes,
        row=k.sgpr("first row"),
        column=k.sgpr("first column"),
        rows=k.sgpr("rows"),
        columns=k.sgpr("columns"),
        wave=k.sgpr("wave"),
        late=k.sgpr("late group"),
        cursor=k.sgpr("fetch cursor"),
        trips=k.sgpr("K steps"),
        rest=k.sgpr("K rest"),
        fetch_bases=k.sgpr("fetch bases", 2),
        scratch=k.sgpr("scratch", 2),
        mask=k.sgpr("mask", 2),
    )
    allocate_accumulators = k.agpr if accumulators_in == "agpr" else k.vgpr
    halves = len(HALVES)
    return Registers(
        plan=plan,
        scalars=scalars,
        a=views[0],
        b=views[1],
        c=views[2],
        thread=k.lane,
        fragments=k.vgpr("fragments", fragment_registers(plan)),
        staging=k.vgpr("staging", staging_registers(plan)),
        offsets={
            side.name: RegArray(k.vgpr(f"fetch offsets {side.name}", halves * side.parts), (halves, side.parts), 1)
            for side in plan.sides
        },
        bases={
            side.name: RegArray(k.vgpr(f"read bases {side.name}", side.bases), (side.bases,), 1) for side in plan.sides
        },
        commit_base={side.name: k.vgpr(f"commit base {side.name}") for side in plan.sides},
        accumulators=RegArray(
            allocate_accumulators("accumulators", plan.accumulators),
            (halves, halves, plan.a.fragments, plan.b.fragments),
            QUAD,
        ),
    )

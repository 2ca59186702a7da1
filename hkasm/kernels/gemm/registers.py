"""The registers of the GEMM, allocated once, by what they hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.kernels.gemm.plan import HALVES, QUAD, REGIONS, Side, TilePlan
from hkasm.tiles.array import RegArray
from hkasm.tiles.buffer import BufferView

TEMPORARIES = 8
STORE_REGISTERS = 32
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
    cursors: Register
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

    def cursor(self, side: Side) -> Register:
        """Return the byte along K at which a side is fetched; sides of equal lines share one."""
        return self.cursors[0 if side.name == "A" or self.cursors.count == 1 else 1].named("fetch cursor")

    def pitch(self, tensor: str) -> Register:
        """Return the bytes from line to line of ``A``, ``B`` or ``C`` in memory."""
        return self.sizes[1 + "ABC".index(tensor)].named(f"pitch {tensor}")

    def fetch_base(self, side: str) -> Register:
        """Return where in a half tile of ``A`` or ``B`` this wave's part starts."""
        return self.fetch_bases["AB".index(side)].named(f"fetch base {side}")

    def move_pointer(self, k: Builder, pointer: Register, stride: Register, number: Register) -> None:
        """Write the move of a pointer by `number` 64-bit strides of bytes; takes `temporary` and `other`."""
        k.s_mul_hi_u32(self.temporary, stride[0], number)
        k.s_mul_i32(self.other, stride[1], number)
        k.s_add_u32(self.temporary, self.temporary, self.other)
        k.s_mul_i32(self.other, stride[0], number)
        k.s_add_u32(pointer[0], pointer[0], self.other)
        k.s_addc_u32(pointer[1], pointer[1], self.temporary)


@dataclass(frozen=True)
class ScaleRegisters:
    """What block scales take: views, the bytes a row of units, the cursor; by side where each lane fetches and reads.

    ``held`` are the scales of a region's fragments, by region and set, a register a slice of K.
    """

    views: dict[str, BufferView]
    pitch: Register
    cursor: Register
    offsets: dict[str, Register]
    bases: dict[str, Register]
    held: dict[tuple[str, int], Register]


@dataclass(frozen=True)
class Registers:
    """All registers of the GEMM; ``offsets`` are the byte offsets at which a lane fetches, by side, half and part.

    ``fragments`` are VGPRs, free for other things before the pipelines, between them and behind the last; those of
    sides that are in AGPRs lie in ``operands``. ``everyone`` is EXEC where nothing is masked.
    """

    plan: TilePlan
    scalars: Scalars
    a: BufferView
    b: BufferView
    c: BufferView
    thread: Register
    accumulators: RegArray
    fragments: Register
    operands: Register | None
    staging: Register
    offsets: dict[str, RegArray]
    bases: dict[str, RegArray]
    commit_base: dict[str, Register]
    end: Register
    everyone: Register | int
    scales: ScaleRegisters | None

    def view(self, side: str) -> BufferView:
        return self.a if side == "A" else self.b

    @cached_property
    def _fragment_tiles(self) -> dict[tuple[str, int], RegArray]:
        found, firsts = {}, {"v": 0, "a": 0}
        for region, count in regions_in_registers(self.plan):
            side = self.plan.side(region)
            size = side.fragments * side.fragment_registers
            held = self.operands if side.name in self.plan.in_agprs else self.fragments
            assert held is not None
            for number in range(count):
                first = firsts[held.file]
                register = held[first : first + size].named(region)
                found[region, number] = RegArray(register, (side.fragments,), side.fragment_registers)
                firsts[held.file] += size
        return found

    def fragment(self, region: str, slot: int) -> RegArray:
        """Return the fragments of a region that K steps in buffer `slot` use."""
        home = "A0" if region == "A1" and self.plan.shared_a else region
        count = dict(regions_in_registers(self.plan))[home]
        return self._fragment_tiles[home, slot % count]

    def scale(self, region: str, slot: int) -> Register:
        """Return the scales of a region's fragments that K steps in buffer `slot` use."""
        assert self.scales is not None
        return self.scales.held[region, slot % dict(zip(REGIONS, self.plan.sets, strict=True))[region]]

    @cached_property
    def temporaries(self) -> Register:
        """Eight registers that nothing holds before a pipeline, between pipelines and behind the last."""
        end = self.staging.count
        return self.staging[end - TEMPORARIES : end].named("temporary")


def regions_in_registers(plan: TilePlan) -> list[tuple[str, int]]:
    """Return the regions that have fragment registers of their own, with the number of their sets."""
    counts = list(zip(REGIONS, plan.sets, strict=True))
    return [one for one in counts if one[0] != "A1" or not plan.shared_a]


def operand_registers(plan: TilePlan, sides: Collection[str]) -> int:
    """Return how many registers the fragments of some sides take in a wave."""
    sizes = {side.name: side.fragments * side.fragment_registers for side in plan.sides}
    return sum(count * sizes[region[0]] for region, count in regions_in_registers(plan) if region[0] in sides)


def fragment_registers(plan: TilePlan) -> int:
    """Return how many VGPRs the fragments of a wave take: at least what the end needs for its vectors."""
    taken = operand_registers(plan, {"A", "B"} - plan.in_agprs)
    return max(taken, end_vectors(plan)) if plan.in_agprs else taken


def end_vectors(plan: TilePlan) -> int:
    """Return how many registers scales and bias of a wave's rows and columns take."""
    return 4 * plan.runs * plan.run + 4 * plan.a.fragments


def ends_in_fragments(plan: TilePlan) -> bool:
    """Tell whether the fragments' registers have room for the end's beside packed output, or beside its vectors."""
    return fragment_registers(plan) - max(plan.accumulators // 2, end_vectors(plan)) >= STORE_REGISTERS


def gathered_registers(side: Side) -> int:
    """Return how many registers a lane's part of a whole tile side takes, one element (at least a byte) a register."""
    return len(HALVES) * side.parts * (16 // side.gathered_bytes)


def staging_registers(plan: TilePlan) -> int:
    """Return how many registers hold data on its way to LDS, offsets of dword loads and what the end needs."""
    chunks = {side.name: len(HALVES) * side.parts for side in plan.sides}
    wanted = [TEMPORARIES] if ends_in_fragments(plan) else [TEMPORARIES, STORE_REGISTERS]
    if plan.direct and plan.words:
        wanted.append(4 * sum(chunks.values()) + TEMPORARIES)
    if not plan.direct:
        wanted.append(4 * sum(chunks.values()) + (16 if any(side.strided for side in plan.sides) else 0))
    if plan.packs:
        wanted.append(4 * chunks["A"] + 8 * chunks["B"])
    if any(side.rotates for side in plan.sides):
        wanted.append(2 * TEMPORARIES)
    raw = max(gathered_registers(side) for side in plan.sides)
    if raw > fragment_registers(plan):
        wanted.append(raw + 2 * TEMPORARIES)
    return max(wanted)


def vgprs(plan: TilePlan) -> dict[str, int]:
    """Return what the VGPRs of a wave are for, accumulators left out; alignment may take one more a row."""
    return {
        "thread and bases": 1 + sum(1 + side.bases for side in plan.sides),
        "fragments": fragment_registers(plan),
        "staging": staging_registers(plan),
        "fetch offsets": sum(len(HALVES) * side.parts for side in plan.sides),
        "scales": 6 + scale_registers(plan) if plan.scaled else 0,
    }


def agprs(plan: TilePlan, accumulators_in: str) -> dict[str, int]:
    """Return what the AGPRs of a wave are for; accumulators in ``agpr`` or ``vgpr``."""
    found = {"accumulators": plan.accumulators if accumulators_in == "agpr" else 0}
    found["fragments"] = operand_registers(plan, plan.in_agprs)
    return {name: count for name, count in found.items() if count}


def scale_registers(plan: TilePlan) -> int:
    """Return how many registers hold the block scales of fragments."""
    return sum(plan.sets) * plan.a.scale_slices


def _allocate_scales(k: Builder, plan: TilePlan) -> ScaleRegisters | None:
    if not plan.scaled:
        return None
    held, slices, first = k.vgpr("scales", scale_registers(plan)), plan.a.scale_slices, 0
    by_region = {}
    for region, count in zip(REGIONS, plan.sets, strict=True):
        for number in range(count):
            by_region[region, number] = held[first : first + slices].named(f"scales {region}")
            first += slices
    return ScaleRegisters(
        views={side.name: BufferView(k.sgpr(f"buffer scales {side.name}", 4)) for side in plan.sides},
        pitch=k.sgpr("scale pitch"),
        cursor=k.sgpr("scale cursor"),
        offsets={side.name: k.vgpr(f"scale offsets {side.name}", len(HALVES)) for side in plan.sides},
        bases={side.name: k.vgpr(f"scale base {side.name}") for side in plan.sides},
        held=by_region,
    )


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
        cursors=k.sgpr("fetch cursors", 1 if plan.a.line_bytes == plan.b.line_bytes else 2),
        trips=k.sgpr("K steps"),
        rest=k.sgpr("K rest"),
        fetch_bases=k.sgpr("fetch bases", 2),
        scratch=k.sgpr("scratch", 2),
        mask=k.sgpr("mask", 2),
    )
    allocate_accumulators = k.agpr if accumulators_in == "agpr" else k.vgpr
    halves = len(HALVES)
    fragments, staging = k.vgpr("fragments", fragment_registers(plan)), k.vgpr("staging", staging_registers(plan))
    end = fragments[fragments.count - STORE_REGISTERS :] if ends_in_fragments(plan) else staging[0:STORE_REGISTERS]
    return Registers(
        plan=plan,
        scalars=scalars,
        a=views[0],
        b=views[1],
        c=views[2],
        thread=k.lane,
        fragments=fragments,
        operands=k.agpr("fragments", operand_registers(plan, plan.in_agprs)) if plan.in_agprs else None,
        staging=staging,
        end=end.named("end"),
        everyone=k.sgpr("lanes that take part", 2) if plan.producers else -1,
        scales=_allocate_scales(k, plan),
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

"""What the GEMM does where it is left to it: the tile for a shape, and whether workgroups share the K steps (stream-K).

Of the tiles the one is taken that an estimate in clocks says is soonest done, from the matrix instruction's passes, the
bytes that come in and go through LDS, and the cycle model's constants. Where the last round of workgroups leaves the
chip idle, equal shares of all K steps are weighed against that by the same estimate. Where XCDs have unequal shares, a
workgroup a tile, with workgroups that pad the smaller shares, is weighed against tickets, which cost an atomic a tile
but leave the last tiles to whoever is free. (Shares in proportion to CUs never take more rounds than tickets do; other
shares may.) The estimate is for this choice only; `hkasm predict` plays the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from hkasm.errors import UsageError
from hkasm.grids.order import Order, weighted
from hkasm.isa.arch import get_arch
from hkasm.kernels.gemm.declared import GemmConfig, declared_tiles, plan_of, resolved
from hkasm.kernels.gemm.plan import DWORD_BYTES, HALVES, WAVE_SIZE, TilePlan
from hkasm.kernels.gemm.registers import agprs, vgprs
from hkasm.kernels.gemm.shares import MAX_UNITS, Shares
from hkasm.model.chips import Chip
from hkasm.model.constants import Timing, timing
from hkasm.model.latencies import loaded_latency

SIMDS = 4
SGPRS = 64
"""About what the kernel takes; SGPRs never bound its occupancy."""
ENDS = 2
"""Ends of a share, each of which may lie inside a tile."""
PAIRS = 2
"""Pairs of SIMDs, each with a bus to LDS."""
SHARED = 4
"""Exponent of the sum of what a step needs; 4 ranks tiles as the cycle model does (`bench/tile_choice.py`)."""
WORTH = 0.9
"""Shares must take at most this part of the time of tiles: they need memory for partial tiles, and change bits."""


@dataclass(frozen=True)
class Choice:
    """A tile and how work is dealt out, with the estimates in clocks by kind of work and the reason."""

    tile: str
    work: str
    clocks: Mapping[str, float]
    reason: str


@dataclass(frozen=True)
class _Shape:
    m: int
    n: int
    k: int
    count: int
    workers: int

    def shares(self, plan: TilePlan, chip: Chip) -> Shares:
        rows, columns = -(-self.m // plan.a.rows), -(-self.n // plan.b.rows)
        return Shares(rows, columns, self.count, -(-self.k // plan.depth), self.workers or chip.cus)


def choose(config: GemmConfig, sizes: Mapping[str, int], arch: str) -> Choice:
    """Choose what a configuration leaves open for `sizes`: m, n, k, count (products) and workers (0: all CUs).

    Undeclared combinations keep what they ask for, so that the build names what is wrong.
    """
    shape = _Shape(**{name: sizes[name] for name in ("m", "n", "k", "count", "workers")})
    chip, known = config.chip_on(arch).reserve(config.reserve), declared_tiles(config, arch)
    tiles = known if config.tile == "auto" else (config.tile,)
    whole = {tile: _estimate(arch, chip, replace(config, tile=tile, work="tiles"), shape) for tile in tiles}
    plain = min((tile for tile in tiles if whole[tile]), key=lambda tile: whole[tile] or (0, 0), default=tiles[0])
    if config.reserve or config.uneven:
        return _dealt(arch, chip, replace(config, tile=plain), shape)
    base = whole[plain]
    shared = {tile: _estimate(arch, chip, replace(config, tile=tile, work="stream"), shape) for tile in tiles}
    best = min((tile for tile in tiles if shared[tile]), key=lambda tile: shared[tile] or (0, 0), default=plain)
    found = (("tiles", base), ("stream", shared.get(best)))
    clocks = {name: max(estimate) for name, estimate in found if estimate}
    work = config.work
    if work == "auto":
        worth = "stream" in clocks and "tiles" in clocks and clocks["stream"] < WORTH * clocks["tiles"]
        work = "stream" if worth and config.batch != "split" else "tiles"
    tile = best if work == "stream" else plain
    said = [_idle(arch, chip, replace(config, tile=plain, work="tiles"), shape)]
    if work == "stream":
        said.append(_shared(arch, chip, replace(config, tile=tile, work=work), shape))
    if len(clocks) == 2:
        said.append(f"{clocks['stream']:.0f} clk by shares against {clocks['tiles']:.0f} by tiles are expected")
    return Choice(tile, work, clocks, "; ".join(filter(None, said)))


def _dealt(arch: str, chip: Chip, config: GemmConfig, shape: _Shape) -> Choice:
    """Choose between tiles and tickets, where CUs are kept for communication or XCDs have unequal shares."""
    found = {work: _estimate(arch, chip, replace(config, work=work), shape) for work in ("tiles", "tickets")}
    clocks = {name: max(estimate) for name, estimate in found.items() if estimate}
    work, said = config.work, []
    if config.reserve and work != "tiles":
        work = "tickets"
        said.append(f"workgroups that stay leave {config.reserve} CUs of each XCD free, others would fill them")
    elif config.reserve:
        said.append(f"the first {config.reserve} workgroups of each XCD communicate")
    if config.uneven:
        if work == "auto":
            work = "tickets" if clocks and clocks["tickets"] < clocks["tiles"] else "tiles"
        told = {"tiles": "workgroups without a tile pad the smaller XCDs' shares",
                "tickets": "each XCD has its share, and those that are done go on with others'"}  # fmt: skip
        said.append(told[work])
        if clocks:
            said.append(f"{clocks['tiles']:.0f} clk padded against {clocks['tickets']:.0f} by tickets are expected")
    return Choice(config.tile, work, clocks, "; ".join(said))


def _rounds(chip: Chip, config: GemmConfig, tiles: int) -> int:
    """Return the tiles that the busiest CU computes one after another."""
    if config.work == "tickets":
        return -(-tiles // chip.cus)
    return _longest(chip, tiles, config.weights_on(chip) or tuple(xcd.share for xcd in chip.xcds))


def _longest(chip: Chip, workgroups: int, weights: tuple[float, ...]) -> int:
    """Return the workgroups that the busiest CU has, where XCDs are dealt them by weights."""
    shares = weighted(Order(1, workgroups, len(chip.xcds)), weights).shares
    return max(-(-share // xcd.workers) for share, xcd in zip(shares, chip.xcds, strict=True))


def _plan(arch: str, config: GemmConfig) -> TilePlan | None:
    try:
        return plan_of(arch, config)
    except UsageError:
        return None


def _estimate(arch: str, chip: Chip, config: GemmConfig, shape: _Shape) -> tuple[float, float] | None:
    """Return the clocks of a launch and of its compute units alone; None for one that cannot be."""
    plan = _plan(arch, config)
    if plan is None:
        return None
    shares, t = shape.shares(plan, chip), timing(arch)
    step, tile = _step_clk(plan, t), plan.a.rows * plan.b.rows
    around = loaded_latency(t.arch) + t.store_latency.value + tile * config.bits("C") / 8 / t.tcp_bytes.value
    operands = shape.m * shape.k * plan.a.bits + shape.n * shape.k * plan.b.bits
    moved = shape.count * (operands + shape.m * shape.n * config.bits("C")) / 8
    floor = moved / chip.rates.hbm * chip.clock_mhz * 1e6
    if config.work != "stream":
        if config.work == "tickets":
            around += t.latency_llc.value
        full, rest = divmod(_rounds(chip, config, shares.tiles), _resident(plan))
        groups = [_resident(plan)] * full + [rest] * (rest > 0)
        busy = sum(shares.steps * max(step.alone, count * step.flow) + count * around for count in groups)
    elif shares.units > MAX_UNITS:
        return None
    else:
        busy = shares.share * max(step) + -(-shares.share // shares.steps) * around
        # XCDs are dealt as many workgroups each, whatever CUs they have.
        dealt = _longest(chip, shares.workgroups, (1.0,) * len(chip.xcds))
        busy *= dealt / -(-shares.workgroups // chip.cus)
        if shares.share % shares.steps:
            part = tile * DWORD_BYTES
            parts = min(-(-shares.steps // shares.share) + 1, shares.steps)
            busy += ENDS * (part / t.tcp_bytes.value + t.store_latency.value + t.latency_llc.value)
            busy += around + loaded_latency(t.arch) + parts * part / _bytes_a_clk(t)
    launch = sum(chip.launch_us) / 2 * chip.clock_mhz
    return max(busy, floor) + launch, busy


class _Step(NamedTuple):
    """Clocks of a K step: what a lone workgroup takes at least, and what it takes of the compute unit's time."""

    alone: float
    flow: float


def _step_clk(plan: TilePlan, t: Timing) -> _Step:
    """Return what a K step takes: its matrix instructions, the bytes that come in, and LDS; and a load's latency alone.

    The longest of the three bounds it, the others add the more the nearer they come (`SHARED`).
    """
    products = len(HALVES) ** 2 * plan.a.fragments * plan.b.fragments * plan.parts
    matrix = products * plan.multiply.passes_of(plan.arch, *(plan.formats or ())) * t.slot.value * plan.waves / SIMDS
    data = plan.depth * sum(side.rows * side.bits for side in plan.sides) / 8 / _bytes_a_clk(t)
    lds = sum(
        side.rows * side.bits * plan.depth / 8 * (readers + (not plan.direct))
        for side, readers in zip(plan.sides, (plan.waves_n, plan.waves_m), strict=True)
    ) / (PAIRS * t.lds_return.value)
    flow = (matrix**SHARED + data**SHARED + lds**SHARED) ** (1 / SHARED)
    # Registers hold what comes for the next step beside the only buffer; direct loads have to wait for its readers.
    return _Step(loaded_latency(t.arch) + (matrix if plan.direct and plan.slots == 1 else 0), flow)


def _resident(plan: TilePlan) -> int:
    """Return the workgroups that share a compute unit."""
    arch, waves = get_arch(plan.arch), plan.threads // WAVE_SIZE
    held = sum(agprs(plan, "agpr").values())
    found = arch.occupancy(sum(vgprs(plan).values()), held, SGPRS, plan.lds_bytes, waves)
    return max(found.waves_per_simd * arch.simds_per_cu // waves, 1)


def _bytes_a_clk(t: Timing) -> float:
    """Return what a compute unit reads a clock with all lines of its vector L1 in flight."""
    return t.inflight_bytes.value / loaded_latency(t.arch)


def _idle(arch: str, chip: Chip, config: GemmConfig, shape: _Shape) -> str:
    """Return how many compute units the last tiles keep busy."""
    plan = _plan(arch, config)
    if plan is None:
        return ""
    tiles = shape.shares(plan, chip).tiles
    rounds, last = divmod(tiles - 1, chip.cus)
    what = f"the last of {rounds + 1} rounds of {tiles} tiles" if rounds else f"a round of {tiles} tiles"
    return f"{what} {resolved(config).tile} keeps {last + 1} of {chip.cus} compute units busy"


def _shared(arch: str, chip: Chip, config: GemmConfig, shape: _Shape) -> str:
    """Return what each workgroup takes."""
    plan = _plan(arch, config)
    if plan is None:
        return ""
    shares = shape.shares(plan, chip)
    return f"{shares.workgroups} workgroups take {shares.share} K steps each of tiles {config.tile} of {shares.steps}"

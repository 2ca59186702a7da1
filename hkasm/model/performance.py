"""From cycles to a launch: rounds of workgroups, memory levels, clock, TFLOPS, and what bounds it.

The engine clock falls as the matrix units work harder. What is used is a line through published points, an average of
chips and temperatures; a range of ±5 % stands for both (AMD's tutorials: dies differ by 4 %, drift is 2 to 7 %).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hkasm.model.caches import Traffic
from hkasm.model.chips import Chip
from hkasm.model.cycles import Cycles

__all__ = ["CLOCK_LAWS", "ClockLaw", "Performance", "clock_mhz", "performance"]

CLOCK_SPREAD = 0.05


@dataclass(frozen=True)
class ClockLaw:
    """SCLK in MHz = top - slope x matrix efficiency in percent, at the chip's peak at most."""

    top: float
    slope: float
    source: str


_GFX942 = ClockLaw(
    2037, 9.4, "two points of AMD's gfx942 Gluon tutorial: 600 TFLOPS at 69.7 %, 659 TFLOPS at 86.5 % (MI300X, bf16)"
)
_GFX950 = ClockLaw(2714, 12.42, "AMD's gfx950 attention tutorials, fit over their kernels (MI355X, bf16, 1400 W)")


def _at_power(law: ClockLaw, watts: float, of_watts: float) -> ClockLaw:
    """Return a law for another power limit: power goes with the cube of the clock [assumed]."""
    scale = (watts / of_watts) ** (1 / 3)
    return ClockLaw(law.top * scale, law.slope * scale, f"{law.source}, x cbrt({watts:g} W / {of_watts:g} W)")


CLOCK_LAWS = {
    "mi300x": _GFX942,
    "mi325x": _at_power(_GFX942, 1000, 750),
    "mi350x": _at_power(_GFX950, 1000, 1400),
    "mi355x": _GFX950,
}


@dataclass(frozen=True)
class Performance:
    """What a launch is expected to take. Ranges are of the initial phase and of the clock, low to high.

    `seconds_by` are the times that each part alone would need: `compute` (rounds of workgroups), `l2`, `llc`, `hbm`;
    `launch_seconds` comes on top. `rounds` are workgroups that the busiest CU runs one after another.
    """

    chip: str
    clock_mhz: float
    efficiency: float
    rounds: int
    workgroup_clk: float
    seconds: float
    seconds_range: tuple[float, float]
    seconds_by: dict[str, float]
    launch_seconds: float
    tflops: float
    tflops_range: tuple[float, float]
    bound: str
    bytes: int
    """What HBM must move at least, in bytes; 0 where nobody knows."""

    @property
    def gigabytes_s(self) -> float:
        """Return those bytes a second, in GB/s."""
        return self.bytes / self.seconds / 1e9


def clock_mhz(chip: Chip, efficiency: float) -> float:
    """Return the sustained engine clock of a chip whose matrix units are busy for a part (0 to 1) of the time."""
    law = CLOCK_LAWS[chip.name.partition("-")[0]]
    return min(law.top - law.slope * 100 * efficiency, float(chip.clock_mhz))


def performance(
    chip: Chip,
    cycles: Cycles,
    *,
    iterations: int,
    workgroups: int,
    resident: int,
    flops: float,
    traffic: Traffic | None,
    moved: int = 0,
    written: int = 0,
    shares: Sequence[int] | None = (),
    takers: int = 0,
    around: float = 0.0,
) -> Performance:
    """Return the expectation of a launch of `workgroups`, of which `resident` share a CU and were played together.

    `shares` are the workgroups of each XCD, by default dealt out in turn; with None any CU takes the next, or any of
    `takers` that stay. `iterations` is the loop's number in the real problem, `around` what a workgroup takes beside
    what was played, `flops` the job's operations (0: no rate is given), `moved` the bytes that HBM must move, where no
    `traffic` of caches says it, else `written` comes to what that reads.
    """
    clk = cycles.at(iterations) + around
    ends = [phase.total + (iterations - phase.iterations) * phase.period + around for phase in cycles.phases]
    busy = cycles.middle.matrix_clk + (iterations - cycles.middle.played) * cycles.loop_matrix_clk
    full = busy / (clk * cycles.simds)
    dies = len(chip.xcds)
    if shares is None:
        rounds = -(-workgroups // min(chip.cus * resident, takers or workgroups))
    else:
        shares = shares or [workgroups // dies + (x < workgroups % dies) for x in range(dies)]
        rounds = max(-(-share // (xcd.workers * resident)) for share, xcd in zip(shares, chip.xcds, strict=True))
    filled = workgroups / (rounds * chip.cus * resident)
    clock = clock_mhz(chip, full * min(filled, 1.0))
    compute = rounds * clk / (clock * 1e6)
    levels = traffic.seconds(chip, written) if traffic else {"hbm": moved / chip.rates.hbm} if moved else {}
    by = {"compute": compute, **levels}
    launch = sum(chip.launch_us) / 2 * 1e-6
    bound = max(by, key=lambda name: by[name])
    seconds = by[bound] + launch
    spread = [
        max(*levels.values(), rounds * end / (clock * 1e6 * scale)) + extra
        for end, scale, extra in (
            (min(ends), 1 + CLOCK_SPREAD, chip.launch_us[0] * 1e-6),
            (max(ends), 1 - CLOCK_SPREAD, chip.launch_us[1] * 1e-6),
        )
    ]
    return Performance(
        chip.name, clock, full, rounds, clk, seconds, (spread[0], spread[1]), by, launch,
        flops / seconds / 1e12, (flops / spread[1] / 1e12, flops / spread[0] / 1e12), bound,
        traffic.llc_missed + written if traffic else moved,
    )  # fmt: skip

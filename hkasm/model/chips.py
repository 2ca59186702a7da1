"""Chips as data: XCDs with their CUs and L2, the memory-side cache, HBM, clocks, and how workgroups are dealt out.

Sources: CDNA3 and CDNA4 white papers (XCDs, CUs, L2, Infinity Cache, HBM peaks, clocks), ROCm's hardware
specifications page (LDS, register files), AMD's partition documentation (SPX, DPX, QPX, CPX). What no vendor document
gives (bandwidths that kernels reach) is in `Rates`, each with its source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hkasm.errors import UsageError, did_you_mean

__all__ = ["AUTO", "CHIPS", "MAX_XCDS", "PARTITIONS", "Chip", "Rates", "Xcd", "chip_of", "get_chip"]

AUTO = "auto"
"""The chip that an arch usually is (`DEFAULT_CHIP`)."""
MAX_XCDS = 16
"""XCDs of a device that has a name here; the hardware's number of its die (XCC_ID) has four bits."""

PARTITIONS = {"spx": 8, "dpx": 4, "qpx": 2, "cpx": 1}
"""XCDs that one logical device has in each compute partition mode of an eight-XCD chip."""
KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Xcd:
    """One accelerator die: usable CUs, L2 bytes, and its speed relative to the chip's other dies.

    `reserved` CUs are usable but kept for something else than the kernel at hand (communication).
    """

    cus: int
    l2_bytes: int = 4 * MIB
    weight: float = 1.0
    reserved: int = 0

    @property
    def workers(self) -> int:
        """Return the CUs that compute."""
        return self.cus - self.reserved

    @property
    def share(self) -> float:
        """Return the work that the die does in a time, in CUs of weight 1."""
        return self.workers * self.weight


@dataclass(frozen=True)
class Rates:
    """Bytes a second that kernels reach; L2 is of all dies together and follows the engine clock."""

    l2: float
    llc: float
    hbm: float
    source: str


@dataclass(frozen=True)
class Chip:
    """A logical device. Workgroup i goes to XCD i mod (number of XCDs) (ROCm's dispatch; AMD's SHARK guide)."""

    name: str
    arch: str
    xcds: tuple[Xcd, ...]
    llc_bytes: int
    clock_mhz: int
    hbm_peak: float
    rates: Rates
    clock_of_gemm_mhz: tuple[int, int]
    """Slowest and fastest sustained engine clock seen in matrix kernels."""
    l2_channels: int = 16
    l2_ways: int = 16
    llc_line_bytes: int = 64
    launch_us: tuple[float, float] = (2.1, 4.5)
    """Least and most time of a launch before its first instruction (formocast warm start; origami)."""

    @property
    def cus(self) -> int:
        """Return the CUs that compute."""
        return sum(xcd.workers for xcd in self.xcds)

    def xcd_of(self, workgroup: int) -> int:
        """Return the XCD that a workgroup is dealt to."""
        return workgroup % len(self.xcds)

    def partition(self, mode: str) -> Chip:
        """Return one logical device of a compute partition mode; LLC, HBM and their rates are shared out evenly.

        Raises:
            UsageError: no such mode, or the dies do not divide by it.
        """
        size = PARTITIONS.get(mode.lower())
        if size is None:
            raise UsageError(
                f"unknown partition '{mode}'", hint=did_you_mean(mode, PARTITIONS) or f"one of {', '.join(PARTITIONS)}"
            )
        if len(self.xcds) % size or len(self.xcds) < size:
            raise UsageError(f"{self.name}: {len(self.xcds)} XCDs do not make {mode} devices of {size}")
        return self._of(self.xcds[:size], f"{self.name}-{mode.lower()}")

    def with_cus(self, cus: Sequence[int]) -> Chip:
        """Return a device of one XCD for each number, of so many CUs; L2s, LLC and HBM come with the XCDs, evenly.

        Raises:
            UsageError: not 1 to 16 XCDs, or CUs that the chip's dies do not have.
        """
        most = self.xcds[0].cus
        if not 1 <= len(cus) <= MAX_XCDS or not all(1 <= count <= most for count in cus):
            raise UsageError(
                f"{self.name}: no device has XCDs of {':'.join(map(str, cus))} CUs",
                hint=f"1 to {MAX_XCDS} XCDs of 1 to {most} CUs",
            )
        return self._of([replace(self.xcds[0], cus=count) for count in cus], self._name_of(cus))

    def harvest(self, xcd: int, cus: int, l2_bytes: int | None = None) -> Chip:
        """Return the chip with fewer CUs (and L2 bytes) on one die. Raises UsageError for what the die has not."""
        if not 0 <= xcd < len(self.xcds):
            raise UsageError(f"{self.name} has XCDs 0 to {len(self.xcds) - 1}, got {xcd}")
        old = self.xcds[xcd]
        if not 1 <= cus <= old.cus:
            raise UsageError(f"{self.name}: XCD {xcd} has {old.cus} CUs, got {cus}")
        new = replace(old, cus=cus, l2_bytes=old.l2_bytes if l2_bytes is None else l2_bytes)
        xcds = (*self.xcds[:xcd], new, *self.xcds[xcd + 1 :])
        return replace(self, xcds=xcds, name=self._name_of([one.cus for one in xcds]))

    def reserve(self, cus: int) -> Chip:
        """Return the chip with so many CUs of every die kept for communication. Raises UsageError if none is left."""
        if not cus:
            return self
        if cus < 0 or any(cus >= xcd.cus for xcd in self.xcds):
            raise UsageError(f"{self.name}: {cus} reserved CUs a die leave none to compute")
        return replace(self, xcds=tuple(replace(xcd, reserved=cus) for xcd in self.xcds))

    def _name_of(self, cus: Sequence[int]) -> str:
        return f"{self.name.partition('-')[0]}-{':'.join(map(str, cus))}"

    def _of(self, xcds: Sequence[Xcd], name: str) -> Chip:
        """Return a device of other XCDs, with as much of the memory side as their number says."""
        part = len(xcds) / len(self.xcds)
        rates = replace(self.rates, l2=self.rates.l2 * part, llc=self.rates.llc * part, hbm=self.rates.hbm * part)
        return replace(
            self, name=name, xcds=tuple(xcds), llc_bytes=int(self.llc_bytes * part), hbm_peak=self.hbm_peak * part,
            rates=rates,
        )  # fmt: skip


_GFX942_RATES = Rates(
    15.4e12, 6.0e12, 4.1e12, "L2: mt4g read 14365 GiB/s; LLC: mt4g 5.8, HipKittens 6.04 TB/s; HBM: BabelStream, MI300X"
)
_GFX950_RATES = Rates(
    24.6e12,
    6.0e12,
    6.2e12,
    "L2: Gluon tutorials' tile test, 45 B/clk a CU with 128 x 64, at the clock law's 2.13 GHz (origami has 17 TB/s, "
    "which all their smaller tiles exceed); LLC: HipKittens 6.04 TB/s (origami 8.5); "
    "HBM: Gluon tutorials 6.44, origami 6",
)


def _mi300(name: str, hbm_peak: float, rates: Rates) -> Chip:
    return Chip(name, "gfx942", (Xcd(38),) * 8, 256 * MIB, 2100, hbm_peak, rates, (1240, 1520))


def _mi350(name: str, clock_mhz: int) -> Chip:
    return Chip(name, "gfx950", (Xcd(32),) * 8, 256 * MIB, clock_mhz, 8.0e12, _GFX950_RATES, (1300, 1750))


CHIPS: dict[str, Chip] = {
    chip.name: chip
    for chip in (
        _mi300("mi300x", 5.3e12, _GFX942_RATES),
        _mi300("mi325x", 6.0e12, replace(_GFX942_RATES, hbm=4.6e12, source=f"{_GFX942_RATES.source} x 6.0 / 5.3")),
        _mi350("mi350x", 2200),
        _mi350("mi355x", 2400),
    )
}
DEFAULT_CHIP = {"gfx942": "mi300x", "gfx950": "mi355x"}


def get_chip(name: str) -> Chip:
    """Look a device up: `mi355x`, a partition `mi300x-cpx`, or the CUs of each of its XCDs, `mi355x-32:32:32:16`.

    Raises:
        UsageError: no such device.
    """
    base, dash, part = name.lower().partition("-")
    if base not in CHIPS:
        modes = ", ".join(f"-{one}" for one in PARTITIONS)
        known = f"one of {', '.join(CHIPS)}, with {modes} behind it for a partition, or each XCD's CUs: -32:32:32:16"
        raise UsageError(f"unknown chip '{name}'", hint=did_you_mean(base, CHIPS) or known)
    if re.fullmatch(r"[0-9]{1,3}(:[0-9]{1,3})*", part, re.ASCII):
        return CHIPS[base].with_cus([int(count) for count in part.split(":")])
    return CHIPS[base].partition(part) if dash else CHIPS[base]


def chip_of(name: str, arch: str) -> Chip:
    """Return the device called `name`, or the usual one of an arch for ``auto``.

    Raises:
        UsageError: no such device, or one of another arch.
    """
    chip = get_chip(DEFAULT_CHIP[arch] if name == AUTO else name)
    if chip.arch != arch:
        raise UsageError(f"chip={name} is {chip.arch}, not {arch}", hint=f"--arch {chip.arch}, or another chip")
    return chip

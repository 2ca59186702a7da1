"""How a launch is run: landing of memory, order of waves, checks, arithmetic, limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hkasm.errors import UsageError, did_you_mean

__all__ = ["CHECKS", "Options"]

LANDINGS = ("late", "eager", "random")
ORDERS = ("batch", "reversed", "random", "lockstep")
ARITHMETICS = ("exact", "fast", "cdna3")
HAZARDS = ("auto", "llvm", "cycles", "all")
CHECKS = (
    "registers", "uninitialised", "lds", "bounds", "races", "visibility", "barriers", "hazards", "banks", "stores",
    "access",
)  # fmt: skip
"""The checks and counters that a strict run switches on; `visibility` looks at what `races` finds in order."""

FLAGS = ("unaligned_access", "strict", "d16_keeps", "trace")
LEAST = {
    "seed": 0, "max_wave_instructions": 0, "max_instructions": 0, "max_findings": 1, "resident_bytes": 1, "jobs": 1,
}  # fmt: skip
"""The settings that are whole numbers, and the smallest that each may be."""

MAX_WAVE_INSTRUCTIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of one launch.

    Attributes:
        landing: when the value of a load appears: `late` (at the wait), `eager` (at once), `random` (between, by seed).
            An LDS read takes its value when it is issued, with `random` when it lands. Checks judge by the waits alone,
            whichever is chosen.
        order: which waves go first: `batch` (those furthest back, in a fixed order), `reversed`, `random` by seed, or
            `lockstep` (every batch one instruction in turn).
        seed: seeds `random`, a whole number.
        checks: names of `CHECKS` that are on.
        hazards: level of the wait-state rules (`hkasm.isa.hazards`): `llvm`, `cycles` or `all`; `auto` takes `llvm` for
            hkasm's own code objects and `cycles` for those of others.
        unaligned_access: memory takes any address, as ROCm sets up these chips (SH_MEM_CONFIG); what would be faster
            aligned is a remark. False: the strict mode, in which it is an error. Atomics, scalar memory, direct-to-LDS
            loads and transposing LDS reads want their alignment in either.
        strict: the first finding of severity error stops the launch with its exception; else they are collected.
        arithmetic: of matrix instructions: `exact` (float64 sums, one rounding per instruction), `fast` (float32), or
            `cdna3` (the published bit-exact model of MI300X, gfx942 only; slow).
        d16_keeps: a d16 load keeps the other half of its register. With SRAM ECC, which these archs have, it need not
            (LLVM's `d16PreservesUnusedBits`), so that by default the other half is undefined and reads as a pattern.
        max_wave_instructions: instructions that a single wave may execute, 0 for no limit. The default is several times
            what the longest waves of known kernels execute: a persistent bf16 GEMM of 16384 x 16384 x 16384 on 304
            workgroups takes about 2 million a wave, attention over 128 K keys as many.
        max_instructions: wave-instructions that a launch may execute, 0 for no limit.
        max_seconds: wall time that a launch may take, 0 for no limit.
        max_findings: distinct findings kept by a collecting run.
        resident_bytes: state (registers, LDS, shadows) that may be alive at once; more workgroups run in turns.
        trace: keep the order of executed instructions in the report.
        jobs: processes that share a launch's workgroups. Bits and findings are those of one process: a launch whose
            workgroups touch each other's memory is run again by one, as is one that is traced, probed or reads clocks.
            Processes are started as `multiprocessing` does, so that a script needs its `if __name__ == "__main__"`.

    Raises:
        UsageError: a value that a setting cannot have.
    """

    landing: str = "late"
    order: str = "batch"
    seed: int = 0
    checks: tuple[str, ...] = CHECKS
    hazards: str = "auto"
    unaligned_access: bool = True
    strict: bool = True
    arithmetic: str = "exact"
    d16_keeps: bool = False
    max_wave_instructions: int = MAX_WAVE_INSTRUCTIONS
    max_instructions: int = 0
    max_seconds: float = 0.0
    max_findings: int = 100
    resident_bytes: int = 1 << 30
    trace: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", _names(self.checks))
        for name, value, known in (
            ("landing", self.landing, LANDINGS),
            ("order", self.order, ORDERS),
            ("arithmetic", self.arithmetic, ARITHMETICS),
            ("hazard level", self.hazards, HAZARDS),
            *(("check", check, CHECKS) for check in self.checks),
        ):
            if value not in known:
                raise UsageError(
                    f"unknown {name} {value!r}", hint=did_you_mean(str(value), known) or f"one of {', '.join(known)}"
                )
        for name in FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{name} is True or False, got {getattr(self, name)!r}")
        for name, least in LEAST.items():
            object.__setattr__(self, name, _whole(name, getattr(self, name), least))
        object.__setattr__(self, "max_seconds", _seconds(self.max_seconds))

    def but(self, **changes: object) -> Options:
        """Return a copy with some settings changed."""
        unknown = [name for name in changes if name not in self.__dataclass_fields__]
        if unknown:
            known = tuple(self.__dataclass_fields__)
            raise UsageError(
                f"unknown option {unknown[0]!r}", hint=did_you_mean(unknown[0], known) or f"one of {', '.join(known)}"
            )
        return replace(self, **changes)  # type: ignore[arg-type]


def _names(checks: object) -> tuple[str, ...]:
    if isinstance(checks, str) or not isinstance(checks, Iterable):
        raise UsageError(f"checks are a tuple of names, got {checks!r}", hint='checks=("races", "lds")')
    return tuple(checks)


def _whole(name: str, value: object, least: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name} is a whole number from {least} on, got {value!r}")
    return int(value)


def _seconds(value: object) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool) or not value >= 0:
        raise UsageError(f"max_seconds is a number of seconds, 0 for no limit, got {value!r}")
    return float(value)

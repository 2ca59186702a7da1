"""Checks and traces: listeners on the machine, each named and switchable."""

from __future__ import annotations

from hkasm.emulator.checks.access import AccessCheck
from hkasm.emulator.checks.banks import BankCounter
from hkasm.emulator.checks.barriers import BarrierCheck
from hkasm.emulator.checks.hazards import HazardCheck
from hkasm.emulator.checks.lds import LdsCheck
from hkasm.emulator.checks.races import RaceCheck
from hkasm.emulator.checks.registers import RegisterCheck, UndefinedCheck
from hkasm.emulator.checks.stores import StoreCounter
from hkasm.emulator.checks.trace import Trace
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options

__all__ = ["launch_listeners", "make_listeners"]

_KINDS: tuple[type[Listener], ...] = (
    RegisterCheck, UndefinedCheck, LdsCheck, BarrierCheck, HazardCheck, BankCounter, StoreCounter, AccessCheck,
)  # fmt: skip
_BY_NAME = {kind.name: kind for kind in _KINDS}


def make_listeners(options: Options) -> list[Listener]:
    """Return the listeners that watch a run of some workgroups (`bounds` is part of the memory itself)."""
    found = [_BY_NAME[name]() for name in options.checks if name in _BY_NAME]
    return [*found, Trace()] if options.trace else found


def launch_listeners(options: Options) -> list[Listener]:
    """Return the listeners that watch all workgroups of a launch together."""
    return [RaceCheck(visibility="visibility" in options.checks)] if RaceCheck.name in options.checks else []

"""Schedules: named steps in an order, lowered to instructions with prologue, drains, barriers and waits derived."""

from __future__ import annotations

import importlib
import pkgutil

from hkasm.errors import UsageError, did_you_mean
from hkasm.schedules.lowering import Pipeline
from hkasm.schedules.phase import Phase, Schedule
from hkasm.schedules.step import Step, Steps

__all__ = ["Phase", "Pipeline", "Schedule", "Step", "Steps", "get_schedule", "list_schedules"]


def list_schedules() -> list[str]:
    """Return the names of all schedules in this folder, sorted."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return sorted(Schedule._known)


def get_schedule(name: str) -> Schedule:
    """Return a schedule by name; UsageError with the nearest name if there is none."""
    if name not in (known := list_schedules()):
        hint = did_you_mean(name, known) or f"schedules: {', '.join(known)}"
        raise UsageError(f"unknown schedule {name!r}", hint=hint)
    return Schedule._known[name]()

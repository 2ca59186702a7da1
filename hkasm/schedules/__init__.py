"""Schedules: named steps in an order, lowered to instructions with prologue, drains, barriers and waits derived."""

from __future__ import annotations

import importlib
import pkgutil

from hkasm.schedules.lowering import Pipeline
from hkasm.schedules.phase import Phase, RecordedSchedule, Schedule, diff_schedules, make_schedule
from hkasm.schedules.step import Step, Steps

__all__ = [
    "Phase",
    "Pipeline",
    "RecordedSchedule",
    "Schedule",
    "Step",
    "Steps",
    "diff_schedules",
    "get_schedule",
    "list_schedules",
]


def list_schedules() -> list[str]:
    """Return the names of all schedules in this folder, sorted."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return sorted(Schedule._known)


def get_schedule(text: str, **parameters: int) -> Schedule:
    """Return a schedule by its label, `interleave` or `interleave:slack=4`; UsageError for one that there is not."""
    list_schedules()
    return make_schedule(text, Schedule._known, **parameters)

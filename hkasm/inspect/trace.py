"""What waves of an emulator run executed, as a trace that Perfetto and chrome://tracing show.

The format is Google's "Trace Event Format": complete events (`ph` X) on a process a workgroup and a thread a wave and
unit. The emulator has no time: an event lasts one step, and steps are the order in which the batch of the wave issued.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkasm.asm.program import Program
from hkasm.emulator.checks.wave_trace import TraceStep
from hkasm.inspect.timeline import LANES, unit_of

__all__ = ["chrome_trace"]


def chrome_trace(program: Program, waves: Mapping[tuple[int, int], Sequence[TraceStep]]) -> dict[str, object]:
    """Return the trace of waves, given by (workgroup, wave), as what JSON can hold."""
    program.layout()
    by_offset = {inst.offset: inst for inst in program.instructions}
    groups = sorted({group for group, _ in waves})
    events = [_name("process_name", group, 0, f"{program.name}, workgroup {group}") for group in groups]
    for (group, wave), steps in sorted(waves.items()):
        used = set()
        for step in steps:
            inst = by_offset[step.offset]
            unit = unit_of(inst)
            used.add(unit)
            event: dict[str, object] = {
                "name": inst.mnemonic,
                "cat": unit,
                "ph": "X",
                "ts": step.order,
                "dur": 1,
                "pid": group,
                "tid": _thread(wave, unit),
                "args": {"text": str(inst), "where": str(inst.origin or ""), "byte": step.offset},
            }
            events.append(event)
        events += [
            _name("thread_name", group, _thread(wave, unit), f"wave {wave} {unit}") for unit in LANES if unit in used
        ]
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"kernel": program.name, "unit": "issue steps"},
    }


def _thread(wave: int, unit: str) -> int:
    return wave * len(LANES) + LANES.index(unit)


def _name(kind: str, group: int, thread: int, text: str) -> dict[str, object]:
    return {"name": kind, "ph": "M", "pid": group, "tid": thread, "args": {"name": text}}

"""What `hkasm emulate` prints: a launch with its findings and counters, or a replayed one with its differences."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.output import print_facts, print_json, print_table
from hkasm.errors import HkasmError

if TYPE_CHECKING:
    from hkasm.analysis.finding import Finding
    from hkasm.cli.debugger import Debugger
    from hkasm.cli.file_launch import FileLaunch
    from hkasm.emulator.report import RunReport
    from hkasm.runtime.record import Replay

__all__ = ["Launched", "print_launched", "print_replayed"]


@dataclass
class Launched:
    """One launch of a foreign kernel: what was launched, and what came of it."""

    launch: FileLaunch
    report: RunReport
    debugger: Debugger
    quit: bool = False
    fault: HkasmError | None = None
    files: list[Path] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.fault is None and not self.report.errors


def print_launched(done: Launched, as_json: bool) -> None:
    """Print a launch: facts, findings, counters."""
    if as_json:
        print_json(_as_dict(done))
        return
    report = done.report
    rate = f", {report.instructions / report.seconds:,.0f} a second" if report.seconds else ""
    print_facts(
        {
            "kernel": f"{done.launch.image.name} for {done.launch.image.arch.name}",
            "launch": f"grid {_extent(done.launch.grid)}, block {_extent(done.launch.block)}"
            + (f", {done.launch.lds_bytes} bytes of dynamic LDS" if done.launch.lds_bytes else ""),
            "ran": f"{report.instructions:,} wave-instructions in {report.seconds:.2f} s{rate}",
            "wrote": ", ".join(map(str, done.files)),
        }
    )
    if report.counters:
        click.echo()
        print_table(("counter", ">count"), [(name, f"{count:,}") for name, count in sorted(report.counters.items())])
    click.echo()
    stopped = done.fault is not None and str(done.fault) not in [str(finding) for finding in report.findings]
    for number, finding in enumerate(report.findings, 1):
        click.echo(f"{number}. {finding.severity} {finding.rule}: {finding}")
    if stopped:
        click.echo(f"hkasm: {done.fault}", err=True)
    click.echo(_summary(done))
    if not done.quit:
        _tell_of_no_stop(done.debugger)


def _tell_of_no_stop(debugger: Debugger) -> None:
    if debugger.probe is not None and not debugger.probe.stops:
        click.echo("no stop: the wave never came by, or nothing changed")


def _summary(done: Launched) -> str:
    errors = len(done.report.errors)
    remarks = len(done.report.findings) - errors
    counts = [f"{n} {what}{'s' * (n > 1)}" for n, what in ((errors, "finding"), (remarks, "remark")) if n]
    ended = "; the launch did not come to its end" if done.fault is not None or done.quit else ""
    return (", ".join(counts) or "no findings") + ended


def _as_dict(done: Launched) -> dict[str, object]:
    report = done.report
    return {
        "passed": done.passed,
        "kernel": done.launch.image.name,
        "arch": done.launch.image.arch.name,
        "grid": list(done.launch.grid),
        "block": list(done.launch.block),
        "lds_bytes": done.launch.lds_bytes,
        "kernarg": done.launch.prepared.segment.hex(),
        "buffers": [_buffer(name, done) for name in done.launch.prepared.buffers],
        "instructions": report.instructions,
        "seconds": round(report.seconds, 3),
        "counters": dict(sorted(report.counters.items())),
        "findings": [_finding(finding) for finding in report.findings],
        "fault": None if done.fault is None else str(done.fault),
        "stops": done.debugger.as_list(),
        "wrote": [str(path) for path in done.files],
    }


def _buffer(name: str, done: Launched) -> dict[str, object]:
    from hkasm.runtime.tensors import dtype_name

    buffer = done.launch.prepared.buffers[name]
    return {
        "name": name,
        "dtype": dtype_name(buffer.dtype),
        "shape": list(buffer.shape),
        "sha256": hashlib.sha256(buffer.numpy().tobytes()).hexdigest(),
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "where": None if finding.where is None else str(finding.where),
        "instruction": finding.instruction,
        "message": finding.message,
        "other": None if finding.other is None else str(finding.other),
        "workgroup": None if finding.workgroup is None else list(finding.workgroup),
        "wave": finding.wave,
        "lane": finding.lane,
        "address": finding.address,
        "hint": finding.hint,
    }


def print_replayed(done: Replay | None, fault: HkasmError | None, debugger: Debugger, as_json: bool) -> bool:
    """Print what came of a recorded launch; returns whether it went as recorded."""
    passed = done is not None and all(one.equal for one in done.differences)
    if as_json:
        print_json(
            {
                "passed": passed,
                "fault": None if fault is None else str(fault),
                "kernel": done.kernel if done else None,
                "arch": done.arch if done else None,
                "recorded_on": done.device if done else None,
                "ended": done.ended if done else None,
                "memory": [
                    {"name": one.name, "elements": one.count, "wrong": one.wrong, "max_abs": one.max_abs}
                    for one in (done.differences if done else ())
                ],
                "counters": done.report.counters if done else {},
                "stops": debugger.as_list(),
            }
        )
    elif done is not None:
        print_facts(
            {
                "kernel": f"{done.kernel} for {done.arch}",
                "launch": f"grid {_extent(done.grid)}, block {_extent(done.block)}",
                "recorded": f"on {done.device}" + ("" if done.ended else ", where it did not come to its end"),
            }
        )
        for one in done.differences:
            click.echo(str(one))
        if not done.ended:
            click.echo("no fault found here; there is nothing to compare with")
        _tell_of_no_stop(debugger)
    if fault is not None:
        click.echo(f"hkasm: {fault}", err=True)
    return passed


def _extent(extent: tuple[int, ...]) -> str:
    return "x".join(map(str, extent))

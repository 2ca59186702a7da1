"""What a launch tells afterwards: findings, counters, and the order of instructions if it was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

from hkasm.analysis.finding import Finding

__all__ = ["Reporter", "RunReport", "TraceEntry"]


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One instruction of one batch: `step` counts from 0, `waves` are (workgroup number, wave) pairs."""

    step: int
    offset: int
    mnemonic: str
    waves: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class RunReport:
    """The outcome of one launch.

    `counters` holds wave-instructions by unit (`SQ_INSTS_VALU`, ...; rocprofv3's names where it has one) and what the
    checks counted. `seconds` is the emulator's own time. `trace` is filled when the options ask for it.
    """

    kernel: str = ""
    findings: list[Finding] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    instructions: int = 0
    seconds: float = 0.0
    trace: list[TraceEntry] = field(default_factory=list)

    @property
    def errors(self) -> list[Finding]:
        """The findings that are faults, not remarks."""
        return [finding for finding in self.findings if finding.severity == "error"]

    def count(self, name: str, amount: int) -> None:
        self.counters[name] = self.counters.get(name, 0) + amount


class Reporter:
    """Collects findings, each fault once for each pair of instructions; a strict one raises the first error."""

    def __init__(self, report: RunReport, *, strict: bool, limit: int) -> None:
        self.report, self.strict, self.limit = report, strict, limit
        self._seen: set[tuple[object, ...]] = set()
        self.taken: list[tuple[tuple[object, ...], Finding]] = []
        """The findings with what makes each the same as another of its rule, for a launch of several processes."""

    def add(self, finding: Finding, *identity: object) -> None:
        """Take a finding; `identity` says what makes it the same as another of its rule."""
        key = (finding.rule, *identity)
        if key in self._seen:
            return
        self._seen.add(key)
        if self.strict and finding.severity == "error":
            self.report.findings.append(finding)
            raise finding.error()
        if len(self.report.findings) < self.limit:
            self.report.findings.append(finding)
            self.taken.append((identity, finding))

    def is_known(self, rule: str, *identity: object) -> bool:
        """Tell whether such a finding has been taken, to save the work of making it again."""
        return (rule, *identity) in self._seen

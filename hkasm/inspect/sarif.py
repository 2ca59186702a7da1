"""Findings as a SARIF 2.1.0 log, which editors and code hosts show beside the lines.

The format is OASIS's "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

from collections.abc import Sequence

import hkasm
from hkasm.analysis.finding import RULES, Finding
from hkasm.asm.instruction import Origin

__all__ = ["sarif_log"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(findings: Sequence[Finding]) -> dict[str, object]:
    """Return the log as what JSON can hold; findings without a source line have a logical location."""
    rules = sorted({finding.rule for finding in findings})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "hkasm check",
                        "version": hkasm.__version__,
                        "rules": [{"id": rule, "shortDescription": {"text": RULES[rule][1]}} for rule in rules],
                    }
                },
                "results": [_result(finding, rules.index(finding.rule)) for finding in findings],
            }
        ],
    }


def _result(finding: Finding, rule: int) -> dict[str, object]:
    text = f"{finding.instruction} {finding.message}" if finding.instruction else finding.message
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": "error" if finding.severity == "error" else "note",
        "message": {"text": f"{text}; {finding.hint}" if finding.hint else text},
    }
    if finding.where is not None:
        result["locations"] = [_location(finding.where)]
    if finding.other is not None:
        result["relatedLocations"] = [_location(finding.other)]
    return result


def _location(where: object) -> dict[str, object]:
    if isinstance(where, Origin) and where.file:
        return {
            "physicalLocation": {
                "artifactLocation": {"uri": where.file},
                "region": {"startLine": max(where.line, 1)},
            }
        }
    return {"logicalLocations": [{"fullyQualifiedName": str(where)}]}

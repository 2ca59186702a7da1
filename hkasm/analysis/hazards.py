"""Checks the manually inserted wait states of any program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hkasm.analysis.finding import Finding
from hkasm.asm.hazards import Hazard, find_hazards
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program

__all__ = ["check_hazards", "hazard_finding"]


def check_hazards(program: Program, level: str = "all") -> list[Finding]:
    """Return one finding for every instruction that stands too close to an earlier one, on any path.

    `level`: `llvm` is LLVM's strict table, `cycles` counts elapsed issue slots and leaves out the rules that shipped
    kernels live without, `all` counts wait states by every rule. Raises UsageError for another level.
    """
    instructions = program.instructions
    return [hazard_finding(instructions, hazard, level) for hazard in find_hazards(program.body, program.arch, level)]


def hazard_finding(instructions: Sequence[Instruction], hazard: Hazard, level: str, **place: Any) -> Finding:
    """Return the finding for a hazard among instructions; `place` says which wave showed it, if one did."""
    producer, consumer = instructions[hazard.producer], instructions[hazard.consumer]
    return Finding(
        rule="hazard",
        message=hazard.message(instructions, "issue slots" if level == "cycles" else "wait states"),
        where=consumer.origin,
        instruction=str(consumer),
        other=producer.origin,
        hint=hazard.hint,
        **place,
    )

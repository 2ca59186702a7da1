"""What a run of instructions is made of: counts by class, and how much stands beside each matrix instruction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hkasm.analysis.flow import Span, flow_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.isa.arch import Arch

__all__ = ["CLASSES", "Statistics", "class_of", "hot_loop", "statistics"]

CLASSES: Final = (
    "MFMA",
    "VALU",
    "accvgpr copy",
    "LDS read",
    "LDS write",
    "global load",
    "direct to LDS",
    "global store",
    "atomic",
    "scalar load",
    "SALU",
    "M0 write",
    "wait",
    "barrier",
    "priority",
    "nop",
    "branch",
    "other",
)
"""Classes in the order in which tables list them; every instruction is in exactly one."""
_MEMORY: Final = ("LDS read", "LDS write", "global load", "direct to LDS", "global store", "atomic")
_CYCLES_A_PASS: Final = 4
_MATRIX_SHARE: Final = 16
"""Matrix cycles that `others_per_16_cycles` counts against: those of one bf16 16x16x32."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of a run of instructions. `matrix_cycles` are the cycles that its MFMAs hold the matrix pipe."""

    first: int
    last: int
    counts: dict[str, int]
    mnemonics: dict[str, int]
    code_bytes: int
    matrix_cycles: int

    @property
    def instructions(self) -> int:
        return self.last - self.first

    @property
    def per_mfma(self) -> float | None:
        """All instructions for each matrix instruction; None without any."""
        matrix = self.counts.get("MFMA", 0)
        return self.instructions / matrix if matrix else None

    @property
    def others_per_16_cycles(self) -> float | None:
        """Instructions other than MFMA for each 16 matrix cycles: fair between shapes of different length."""
        others = self.instructions - self.counts.get("MFMA", 0)
        return others * _MATRIX_SHARE / self.matrix_cycles if self.matrix_cycles else None

    def as_dict(self) -> dict[str, object]:
        return {
            "first": self.first,
            "last": self.last,
            "instructions": self.instructions,
            "counts": self.counts,
            "mnemonics": self.mnemonics,
            "code_bytes": self.code_bytes,
            "matrix_cycles": self.matrix_cycles,
            "per_mfma": self.per_mfma,
            "others_per_16_matrix_cycles": self.others_per_16_cycles,
        }


def statistics(instructions: Sequence[Instruction], arch: Arch, first: int = 0) -> Statistics:
    """Count a run of laid-out instructions; `first` is the index of its first in the program."""
    counts: Counter[str] = Counter(map(class_of, instructions))
    mnemonics = Counter(inst.mnemonic for inst in instructions)
    return Statistics(
        first,
        first + len(instructions),
        {name: counts[name] for name in CLASSES if counts[name]},
        dict(sorted(mnemonics.items(), key=lambda one: (-one[1], one[0]))),
        sum(inst.size for inst in instructions),
        sum(_matrix_cycles(inst, arch) for inst in instructions),
    )


def hot_loop(program: Program) -> Span | None:
    """Return the innermost loop with the most matrix instructions; None for a program without loops.

    Of loops with as many (a kernel's paths for other alignments) the first is taken; where no loop has any, the one
    with the most memory instructions, then the longest.
    """
    instructions = program.instructions

    def weight(span: Span) -> tuple[int, int, int]:
        classes = Counter(map(class_of, instructions[slice(*span)]))
        if classes["MFMA"]:
            return classes["MFMA"], 0, 0
        return 0, sum(classes[name] for name in _MEMORY), span[1] - span[0]

    return max(flow_of(program).loops, key=weight, default=None)


def class_of(inst: Instruction) -> str:
    """Return which of `CLASSES` an instruction is in."""
    spec = inst.spec
    if spec.mfma is not None:
        return "MFMA"
    if spec.mnemonic.startswith("v_accvgpr_"):
        return "accvgpr copy"
    if spec.control in _CONTROL:
        return _CONTROL[spec.control]
    if spec.memory is not None:
        return _memory_class(inst)
    if any(register.file == "s" and register.index == _M0 for register in inst.writes()):
        return "M0 write"
    return _UNITS.get(spec.unit, "other")


_M0: Final = 124
_CONTROL: Final = {
    "wait": "wait",
    "barrier": "barrier",
    "prio": "priority",
    "nop": "nop",
    "branch": "branch",
    "cbranch": "branch",
    "jump": "branch",
    "call": "branch",
}
_UNITS: Final = {"VALU": "VALU", "TRANS": "VALU", "SALU": "SALU", "SMEM": "scalar load", "LDS": "LDS read"}


def _memory_class(inst: Instruction) -> str:
    memory = inst.spec.memory
    assert memory is not None  # the caller looked
    store = memory.op.startswith("store")
    if memory.op == "atomic":
        return "atomic"
    if memory.to_lds:
        return "direct to LDS"
    if memory.space == "scalar":
        return "global store" if store else "scalar load"
    if memory.space == "lds":
        return "LDS write" if store else "LDS read"
    return "global store" if store else "global load"


def _matrix_cycles(inst: Instruction, arch: Arch) -> int:
    shape = inst.spec.mfma
    if shape is None:
        return 0
    return _CYCLES_A_PASS * shape.passes_of(arch.name, inst.mods.get("cbsz", 0), inst.mods.get("blgp", 0))

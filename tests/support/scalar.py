"""A scalar interpreter: follows a program along its branches by the meanings of its scalar instructions."""

from __future__ import annotations

import numpy as np

from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.isa.constants import Const
from hkasm.isa.registers import SCC, Register


def follow(program: Program, registers: dict[int, int]) -> list[Instruction]:
    """Execute the scalar instructions of a program; return everything that was passed.

    `registers` maps SGPR numbers to values and holds those at the end; what it does not name starts at 0.
    """
    state = registers
    for number in range(128):
        state.setdefault(number, 0)
    scc, passed, index = False, [], 0
    labels, code = program.labels, program.instructions
    while True:
        inst = code[index]
        passed.append(inst)
        index += 1
        if inst.spec.control == "end":
            return passed
        if inst.spec.control in ("branch", "cbranch"):
            label = inst.operands[-1]
            assert isinstance(label, Label)
            if inst.mnemonic == "s_branch" or (inst.mnemonic == "s_cbranch_scc1") == scc:
                index = labels[label.name]
        elif inst.spec.unit == "SALU" and inst.spec.meaning is not None:
            sources = [
                np.array([scc])
                if operand.fixed == SCC
                else np.array([scalar_value(inst, operand.name, state)], np.uint32)
                for operand in inst.spec.reads
            ]
            results = inst.spec.meaning(*sources)
            for operand, result in zip(inst.spec.writes, _tuple(results), strict=True):
                if operand.fixed == SCC:
                    scc = bool(result[0])
                else:
                    target = inst.operand(operand.name)
                    assert isinstance(target, Register)
                    state[target.index] = int(result[0])


def scalar_value(inst: Instruction, name: str, state: dict[int, int]) -> int:
    value = inst.operand(name)
    if isinstance(value, Register):
        return state[value.index]
    assert isinstance(value, Const)
    return int(value.bits("u32"))


def _tuple(results: object) -> tuple[np.ndarray, ...]:
    return results if isinstance(results, tuple) else (results,)  # type: ignore[return-value]

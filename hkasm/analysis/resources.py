"""Buffer resources in the code: word 3 of a descriptor, where the code alone tells its value.

Word 3 has the type in bits 31:30 (0: a buffer), ADD_TID_ENABLE in bit 23, DATA_FORMAT in bits 18:15, of which 0 is
invalid (LLVM's `BUF_DATA_FORMAT_INVALID`), but which holds bits of the stride where ADD_TID_ENABLE is set (CDNA3 ISA,
buffer resource descriptor; LLVM's `getScratchRsrcWords23`). Typed instructions bring their own format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hkasm.analysis.finding import Finding
from hkasm.analysis.flow import Flow
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.isa.constants import Const
from hkasm.isa.registers import Register

__all__ = ["check_resources"]

_DESCRIPTOR_WORDS: Final = 4
_ADD_TID: Final = 1 << 23
_PLAIN: Final = 0x20000
"""DATA_FORMAT 32 and nothing else: word 3 of a plain buffer."""

_Known = dict[int, int | None]
"""Word 3's registers with their value; None: several, or one that the code alone does not tell."""


def check_resources(program: Program, flow: Flow) -> Iterator[Finding]:
    """Yield a finding for each write of a word 3 that makes no sense, at the first buffer instruction that meets it."""
    instructions = program.instructions
    users = {index: word for index, inst in enumerate(instructions) if (word := _word3(inst)) is not None}
    if not users:
        return
    words = frozenset(users.values())
    begins = _at_blocks(instructions, flow, words)
    told: set[tuple[int, int]] = set()
    for number, block in enumerate(flow.blocks):
        known = dict(begins[number])
        for index in range(block.first, block.last):
            inst = instructions[index]
            if index in users:
                value = known.get(users[index])
                wrong = _nonsense(value, typed=inst.encoding.format == "MTBUF") if value is not None else ""
                if value is not None and wrong and (users[index], value) not in told:
                    told.add((users[index], value))
                    yield Finding(
                        "buffer-resource",
                        f"word 3 of its resource, s{users[index]}, is {value:#x}: {wrong}",
                        where=inst.origin,
                        instruction=str(inst),
                        hint=f"{_PLAIN:#x} in a plain buffer's word 3",
                    )
            _write(inst, words, known)


def _word3(inst: Instruction) -> int | None:
    """Return the SGPR that holds word 3 of the resource of a buffer instruction."""
    if not any(one.name == "srsrc" for one in inst.spec.explicit):
        return None
    resource = inst.operand("srsrc")
    if not isinstance(resource, Register) or resource.count != _DESCRIPTOR_WORDS or resource.is_special:
        return None
    return resource.index + _DESCRIPTOR_WORDS - 1


def _at_blocks(instructions: list[Instruction], flow: Flow, words: frozenset[int]) -> list[_Known]:
    """Return what is known of the words where each block begins: what all ways there agree on."""
    begins: list[_Known | None] = [None] * len(flow.blocks)
    work = [0]
    begins[0] = dict.fromkeys(words)
    while work:
        number = work.pop()
        known = dict(begins[number] or {})
        for index in range(flow.blocks[number].first, flow.blocks[number].last):
            _write(instructions[index], words, known)
        for after in flow.blocks[number].successors:
            before = begins[after]
            met = known if before is None else {word: before[word] if before[word] == known[word] else None
                                                for word in words}  # fmt: skip
            if met != before:
                begins[after] = dict(met)
                work.append(after)
    return [dict.fromkeys(words) if known is None else known for known in begins]


def _write(inst: Instruction, words: frozenset[int], known: _Known) -> None:
    for register in inst.writes():
        if register.file != "s":
            continue
        for word in words.intersection(range(register.index, register.end)):
            known[word] = _constant(inst, word)


def _constant(inst: Instruction, word: int) -> int | None:
    """Return what a move of a constant puts into a register."""
    if inst.mnemonic not in ("s_mov_b32", "s_mov_b64", "s_movk_i32"):
        return None
    dest, source = inst.operands[:2]
    if isinstance(source, int):  # s_movk_i32's number, 16 bits with their sign
        return ((source & 0xFFFF) ^ 0x8000) - 0x8000 & 0xFFFFFFFF
    if not isinstance(source, Const) or not isinstance(dest, Register):
        return None
    return source.bits(inst.mnemonic[-3:]) >> 32 * (word - dest.index) & 0xFFFFFFFF


def _nonsense(value: int, *, typed: bool) -> str:
    """Return what is wrong with a word 3, or nothing."""
    if value >> 30:
        return f"type {value >> 30} in bits 31:30 is no buffer's"
    if not value & _ADD_TID and not typed and value >> 15 & 15 == 0:
        return "data format 0 in bits 18:15 is invalid"
    return ""

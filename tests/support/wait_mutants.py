"""Mutants of whole kernels: each lacks one wait or one barrier, or has one counter of one wait looser by one."""

from __future__ import annotations

from collections.abc import Iterator

from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.isa.arch import Arch
from hkasm.isa.counters import pack_waitcnt, unpack_waitcnt

KINDS = ("waits", "loosened", "barriers")
NO_OPERATION = 0xBF80_0000
"""s_nop 0, of the size of a wait or a barrier."""
WAITCNT = 0xBF8C_0000


def wait_mutants(program: Program, hsaco: bytes, kernel: str, kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and code object of every mutant that lacks one of the ``waits`` or one of the ``barriers``.

    Of the kind ``loosened``, one counter of one wait is looser by one. `hsaco` was built from `program`.
    """
    program.layout()
    code = bytes(CodeObject.from_bytes(hsaco).kernels[kernel].code)
    start = hsaco.find(code)
    for index, inst in enumerate(program.instructions):
        place = start + inst.offset
        words = _loosened(inst, program.arch) if kind == "loosened" else [NO_OPERATION]
        if inst.mnemonic == ("s_barrier" if kind == "barriers" else "s_waitcnt"):
            for word in words:
                changed = hsaco[:place] + word.to_bytes(4, "little") + hsaco[place + 4 :]
                yield f"{index} {inst} ({inst.comment}) {word:#x}", changed


def _loosened(inst: Instruction, arch: Arch) -> list[int]:
    """Return the words of a wait with one of its counters looser by one, where that counts."""
    if inst.mnemonic != "s_waitcnt" or not isinstance(inst.operands[0], int):
        return []
    counts, found = unpack_waitcnt(inst.operands[0]), []
    if counts.vmcnt < arch.vmcnt_max:
        found.append(WAITCNT | pack_waitcnt(arch, counts.vmcnt + 1, counts.lgkmcnt))
    if counts.lgkmcnt < arch.lgkmcnt_max:
        found.append(WAITCNT | pack_waitcnt(arch, counts.vmcnt, counts.lgkmcnt + 1))
    return found

"""Running the library's GEMM on the emulator: one launch, random cases, and mutants of its machine code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

import hkasm
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.errors import HkasmError
from hkasm.isa.counters import pack_waitcnt, unpack_waitcnt
from hkasm.kernels import Comparison, get_kernel

Case = dict[str, int | str]
TILE = "256x256"
NO_WAIT = 0xBF80_0000
"""s_nop 0, of the size of s_waitcnt."""
WAITCNT = 0xBF8C_0000

PITCHES = {"wide": 0, "words": 2, "elements": 1}
"""Elements between rows that make each way of fetching the one that is taken."""
K_STEPS = (3, 4, 2, 1, 5, 6)
"""Together they run every copy of a step: loops of both parities, drains and short trips."""


@dataclass
class Gemm:
    """The GEMM of one arch and configuration; `hsaco` may be replaced by a mutant."""

    arch: str
    acc: str = "agpr"

    @cached_property
    def program(self) -> Program:
        program = get_kernel("gemm").build(self.arch, acc=self.acc)
        program.layout()
        return program

    @cached_property
    def hsaco(self) -> bytes:
        return build_hsaco(self.program)

    def run(
        self,
        case: Case,
        *,
        shift: int = 0,
        seed: int = 0,
        hsaco: bytes | None = None,
        options: Options | None = None,
        probes: Sequence[Listener] = (),
    ) -> tuple[RunReport, list[Comparison]]:
        """Launch one case strictly; tensors start `shift` elements behind an aligned address."""
        problem = get_kernel("gemm").problem(**case, tile=TILE, work="tiles")
        inputs, outputs = problem.inputs(seed), problem.outputs()
        device = hkasm.device("emulator")
        buffers = {
            name: device.buffer(np.concatenate([np.zeros(shift, array.dtype), array]), name)
            for name, array in {**inputs, **outputs}.items()
        }
        launch = problem.launch()
        args = [buffers[arg].address + 2 * shift if isinstance(arg, str) else arg for arg in launch.args]
        kernel = device.load(hsaco or self.hsaco).kernels["gemm"]
        report = kernel.launch(launch.grid, launch.block, args, options=options, probes=probes)
        return report, problem.check(inputs, {name: buffers[name].numpy()[shift:] for name in outputs})

    # Mutants.

    @cached_property
    def _code_start(self) -> int:
        kernel = CodeObject.from_bytes(self.hsaco).kernels["gemm"]
        code = bytes(kernel.code)
        start = self.hsaco.find(code)
        assert self.hsaco.count(code) == 1
        return start

    def replaced(self, inst: Instruction, word: int) -> bytes:
        """The code object with one 4-byte instruction replaced."""
        assert inst.size == 4
        place = self._code_start + inst.offset
        return self.hsaco[:place] + word.to_bytes(4, "little") + self.hsaco[place + 4 :]

    def without_waits(self) -> Iterator[Mutant]:
        """Every mutant that lacks one wait."""
        for index, inst in enumerate(self.program.instructions):
            if inst.spec.control == "wait":
                yield self._mutant(index, "removed", NO_WAIT)

    def loosened(self) -> Iterator[Mutant]:
        """Every mutant in which one counter of one wait is looser by one."""
        arch = self.program.arch
        for index, inst in enumerate(self.program.instructions):
            if inst.spec.control != "wait":
                continue
            simm16 = inst.operands[0]
            assert isinstance(simm16, int)
            counts = unpack_waitcnt(simm16)
            if counts.vmcnt < arch.vmcnt_max:
                simm16 = pack_waitcnt(arch, counts.vmcnt + 1, counts.lgkmcnt)
                yield self._mutant(index, "vmcnt + 1", WAITCNT | simm16)
            if counts.lgkmcnt < arch.lgkmcnt_max:
                simm16 = pack_waitcnt(arch, counts.vmcnt, counts.lgkmcnt + 1)
                yield self._mutant(index, "lgkmcnt + 1", WAITCNT | simm16)

    def _mutant(self, index: int, change: str, word: int) -> Mutant:
        inst = self.program.instructions[index]
        marks = [m for m in self.program.marks if m.kind == "section" and m.first <= index < m.last]
        sections = tuple(mark.name for mark in marks)
        return Mutant(f"{index} {inst} ({inst.comment}) {change}", sections, self.replaced(inst, word))

    def verdict(self, mutant: Mutant) -> str:
        """How a mutant is found out by the launches that may reach it: ``reported``, ``wrong`` or ``missed``."""
        result = "missed"
        for case in probes(mutant.sections):
            try:
                _, comparisons = self.run(case, hsaco=mutant.hsaco)
            except HkasmError:
                return "reported"
            if not all(comparison.passed for comparison in comparisons):
                result = "wrong"
        return result


@cache
def built_gemm(arch: str, acc: str = "agpr") -> Gemm:
    """One GEMM for all tests of a process."""
    return Gemm(arch, acc)


@dataclass(frozen=True)
class Mutant:
    """A changed code object: what was changed, and the sections of the program in which that is."""

    name: str
    sections: tuple[str, ...]
    hsaco: bytes


def probes(sections: tuple[str, ...]) -> Iterator[Case]:
    """Launches that together reach every instruction of a section: each way to fetch, to count K steps."""
    if not set(PITCHES) & set(sections):
        yield {"m": 200, "n": 199, "k": 30}
    for name, extra in PITCHES.items():
        if name in sections:
            for steps in K_STEPS:
                k = 64 * steps
                yield {"m": 256, "n": 256, "k": k, "lda": k + extra, "ldb": k + extra}


SIDES = (1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 255, 256, 257, 300)
LENGTHS = (1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 130, 192, 193, 256, 320, 384, 448, 511, 512)
BEHIND_ROWS = (0, 0, 1, 2, 3, 4, 8)
SHIFTS = (0, 0, 1, 2, 4, 8)


def random_case(random: np.random.Generator) -> tuple[Case, int]:
    """A case of any shape, pitch and data, and a shift of its tensors in elements."""

    def pick(values: tuple[int, ...]) -> int:
        return int(random.choice(values))

    m, n, k = pick(SIDES), pick(SIDES), pick(LENGTHS)
    pitches = {"lda": k + pick(BEHIND_ROWS), "ldb": k + pick(BEHIND_ROWS), "ldc": n + pick(BEHIND_ROWS)}
    return {"m": m, "n": n, "k": k, **pitches, "data": str(random.choice(["normal", "integers"]))}, pick(SHIFTS)


def is_right(case: Case, comparisons: list[Comparison]) -> bool:
    """Within the tolerance, and bit-exact on small integers."""
    return all(one.passed for one in comparisons) and (case.get("data") != "integers" or comparisons[0].exact)

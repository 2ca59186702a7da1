"""Run the library and the probes on a device and on the emulator, and lay both side by side."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, is_dataclass

import numpy as np

import hkasm
from hkasm.asm.program import Program
from hkasm.emulator.options import Options
from hkasm.errors import HkasmError
from hkasm.kernels import get_kernel, list_kernels
from hkasm.ops.selftest.probes import LANES, Probe, Words, arch_probes, source_words
from hkasm.runtime import Device, device

__all__ = ["KernelResult", "ProbeResult", "Report", "selftest"]

FORMAT = 1
_UNWRITTEN = 0xDEAD_BEEF

Assemble = Callable[[Program], bytes]
Say = Callable[[str], None]


@dataclass(frozen=True)
class KernelResult:
    """One kernel of the library: held against its float64 reference, and against the emulator's bits."""

    name: str
    problem: str
    passed: bool
    elements: int
    other_bits: int
    error: str = ""


@dataclass(frozen=True)
class ProbeResult:
    """One probe's answer: the device's dwords, the emulator's, and in how many they differ.

    `status` is `assumed` (on the emulator itself), `as assumed`, `differs`, `recorded` (depends on time) or `failed`.
    """

    name: str
    question: str
    assumed: str
    status: str
    differing: int = 0
    words: list[int] = field(default_factory=list)
    emulator: list[int] = field(default_factory=list)
    error: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that a run found; `document` is what is sent home."""

    device: str
    arch: str
    properties: dict[str, object]
    kernels: list[KernelResult]
    probes: list[ProbeResult]

    @property
    def passed(self) -> bool:
        """Whether every kernel is right and every probe ran; an answer that differs from the assumed is no fault."""
        return all(one.passed for one in self.kernels) and all(one.status != "failed" for one in self.probes)

    def document(self) -> dict[str, object]:
        """Return the report as what JSON can hold."""
        return {
            "format": FORMAT,
            "hkasm": hkasm.__version__,
            "python": platform.python_version(),
            "device": self.device,
            "arch": self.arch,
            "properties": self.properties,
            "passed": self.passed,
            "kernels": [asdict(one) for one in self.kernels],
            "probes": [asdict(one) for one in self.probes],
        }


def selftest(target: Device, arch: str, assemble: Assemble, say: Say = lambda text: None) -> Report:
    """Run every kernel at its default problem, then every probe, on `target` and on the emulator.

    A fault of one is kept in its result and does not end the others. `assemble` turns a program into a code object;
    `say` hears what comes next. On the emulator itself the probes tell what hkasm assumes.
    """
    said = getattr(target, "properties", None)
    properties = asdict(said) if is_dataclass(said) and not isinstance(said, type) else {}
    kernels, probes = [], []
    for name in list_kernels():
        if arch in get_kernel(name).archs:
            say(name)
            kernels.append(_kernel(target, name, arch, assemble))
    for probe in arch_probes(arch):
        say(probe.name)
        probes.append(_probe(target, probe, arch, assemble))
    return Report(target.name, arch, properties, kernels, probes)


def _kernel(target: Device, name: str, arch: str, assemble: Assemble) -> KernelResult:
    kernel = get_kernel(name)
    problem = kernel.problem_on(arch, {})
    try:
        program = kernel.build(arch)
        code = assemble(program)
        launch, inputs = problem.launch(), problem.inputs()
        answers = []
        with device("emulator") as emulator:
            for place in (target,) if target.name == emulator.name else (target, emulator):
                outputs = problem.outputs()
                arrays = inputs | outputs
                args = [arrays[arg] if isinstance(arg, str) else arg for arg in launch.args]
                place.load(code).kernels[program.name].launch(launch.grid, launch.block, args)
                answers.append(outputs)
    except HkasmError as error:
        return KernelResult(name, problem.label, False, 0, 0, str(error))
    here, there = answers[0], answers[-1]
    other = sum(
        int((here[label].view(np.uint8) != there[label].view(np.uint8)).reshape(here[label].size, -1).any(1).sum())
        for label in here
    )
    passed = all(one.passed for one in problem.check(inputs, here))
    return KernelResult(name, problem.label, passed, sum(array.size for array in here.values()), other)


def _probe(target: Device, probe: Probe, arch: str, assemble: Assemble) -> ProbeResult:
    try:
        program = probe.program(arch)
        code = assemble(program)
        with device("emulator") as emulator:
            there = _answer(emulator, program, code, probe.words)
            here = there if target.name == emulator.name else _answer(target, program, code, probe.words)
    except HkasmError as error:
        return ProbeResult(probe.name, probe.question, probe.assumed, "failed", error=str(error))
    differing = int((here != there).sum())
    status = "differs" if differing else "as assumed"
    if probe.varies or target.name == "emulator":
        status = "recorded" if probe.varies else "assumed"
    return ProbeResult(probe.name, probe.question, probe.assumed, status, differing, here.tolist(), there.tolist())


def _answer(place: Device, program: Program, code: bytes, words: int) -> Words:
    out = np.full(LANES * words, _UNWRITTEN, np.uint32)
    kernel = place.load(code).kernels[program.name]
    options = None
    if place.name == "emulator":
        # A probe does on purpose what the emulator's checks would stop; of MI300X's products a bit model is published.
        arithmetic = "cdna3" if program.arch.name == "gfx942" else "exact"
        options = Options(strict=False, arithmetic=arithmetic)
    kernel.launch((1,), (LANES,), [out, source_words()], options=options)
    return out

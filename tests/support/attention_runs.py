"""Running the library's attention on the emulator: one strict launch, and random cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from support.attention_numpy import attend

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.kernels import Comparison, get_kernel
from hkasm.kernels.attention.declared import AttentionConfig
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.kernels.communication import Communication
from hkasm.kernels.kernel import Array, Arrays

Case = dict[str, int | str]
HEADS = ((1, 1), (2, 1), (4, 4), (8, 1), (7, 1), (6, 3))
LENGTHS = (1, 2, 31, 63, 64, 65, 127, 128, 129, 190, 257, 300)
DATA = ("normal", "late", "dominant", "equal", "huge")


@cache
def built_attention(arch: str, config: AttentionConfig, communication: Communication | None = None) -> bytes:
    """Return the code object of one configuration."""
    return build_hsaco(get_kernel("attention").write(arch, config, communication=communication))


def run_attention(
    arch: str,
    case: Case,
    seed: int = 0,
    options: Options | None = None,
    probes: Sequence[Listener] = (),
    communication: Communication | None = None,
) -> tuple[RunReport, Answer]:
    """Launch one case with every check of the emulator.

    `communication`, if given, counts in an array with an element for every workgroup (`support.communication`).
    """
    problem = get_kernel("attention").problem(**case)
    inputs, outputs = problem.inputs(seed), problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    counts = np.zeros(np.prod(launch.grid), np.uint32)
    args += [device.buffer(counts, "counts")] if communication else []
    code = built_attention(arch, AttentionConfig.of(case | {"schedule": problem.order}), communication)
    kernel = device.load(code).kernels["attention"]
    report = kernel.launch(launch.grid, launch.block, args, options=options, probes=probes)
    counts = args[-1].numpy() if communication else counts
    return report, Answer(arch, problem, inputs, {name: buffers[name].numpy() for name in outputs}, counts)


@dataclass(frozen=True)
class Answer:
    """What a launch wrote; `counts` is what reserved workgroups wrote, an element for every workgroup."""

    arch: str
    problem: AttentionProblem
    inputs: Arrays
    outputs: Arrays
    counts: Array

    def check(self) -> list[Comparison]:
        """Compare with float64, by what each element may be off."""
        return self.problem.check(self.inputs, self.outputs)

    def beside_numpy(self) -> dict[str, tuple[float, float]]:
        """Return for O and LSE the largest error of the kernel and of the same algorithm in NumPy, in tolerances."""
        outputs = self.problem.outputs()
        attend(self.problem, self.inputs, 16 if self.arch == "gfx950" else 8, outputs)
        pairs = zip(self.check(), self.problem.check(self.inputs, outputs), strict=True)
        return {own.name: (own.worst, other.worst) for own, other in pairs if own.name in outputs}


def declared(sizes: tuple[int, ...]) -> list[tuple[str, Case]]:
    """Return every declared combination of arch and code, of some head sizes."""
    kernel = get_kernel("attention")
    names = ("dtype", "mask", "lengths")
    choices = [next(one.choices for one in AttentionConfig.parameters() if one.name == name) for name in names]
    return [
        (arch, {"d": d, "schedule": schedule, **dict(zip(names, values, strict=True))})
        for arch in kernel.archs
        for d in sizes
        for schedule in (("pingpong", "in-step") if AttentionConfig(d=d).order == "pingpong" else ("in-step",))
        for values in product(*choices)
    ]


def random_case(random: np.random.Generator) -> Case:
    """Draw shapes, strides and data: small, of every kind."""
    hq, hkv = HEADS[random.integers(len(HEADS))]
    batch = int(random.choice([1, 1, 2, 3])) if hq < 6 else 1

    def length() -> int:
        return int(LENGTHS[random.integers(len(LENGTHS))] if random.random() < 0.7 else random.integers(1, 400))

    return {
        "batch": batch,
        "hq": hq,
        "hkv": hkv,
        "q": length(),
        "kv": length(),
        "window": int(random.integers(1, 200)),
        "layout": str(random.choice(["bshd", "bhsd"])),
        "gap": int(random.choice([0, 0, 8, 24, 64])),
        "data": str(random.choice(DATA)),
    }

"""Running the library's decode attention on the emulator: the launch, the combination behind it, and random cases."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.report import RunReport
from hkasm.kernels import Comparison, get_kernel
from hkasm.kernels.attention.reference import DATA
from hkasm.kernels.decode import DecodeProblem

Case = dict[str, int | str]
HEADS = ((1, 1), (2, 1), (4, 4), (8, 1), (7, 1), (14, 2), (6, 3), (32, 2), (40, 2))
LENGTHS = (0, 1, 2, 15, 16, 17, 31, 32, 33, 127, 128, 129, 257, 511, 700, 1030)
CODE = ("dtype", "d", "mask", "cache")


@cache
def built(name: str, arch: str, values: tuple[tuple[str, object], ...]) -> bytes:
    """Return the code object of one configuration."""
    return build_hsaco(get_kernel(name).build(arch, **dict(values)))


def built_decode(arch: str, problem: DecodeProblem) -> bytes:
    """Return the code object for a problem."""
    values = {name: getattr(problem, name) for name in CODE}
    return built("decode", arch, (*values.items(), ("parts", "yes" if problem.partial else "no")))


def make_problem(arch: str, case: Case) -> DecodeProblem:
    """Return a case's problem, whose splits are chosen for the arch."""
    problem = get_kernel("decode").problem_on(arch, case)
    assert isinstance(problem, DecodeProblem)
    return problem


def run_decode(
    arch: str, case: Case, seed: int = 0, hsaco: bytes | None = None
) -> tuple[RunReport, list[Comparison], dict[str, Any]]:
    """Launch one case with every check of the emulator, combine partial results, and return all answers."""
    problem = make_problem(arch, case)
    device, inputs, outputs = hkasm.device("emulator"), problem.inputs(seed), problem.outputs()
    after_it = problem.follow_up()
    if after_it is not None:
        outputs |= after_it.outputs
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}

    def start(kernel: str, code: bytes, launch: Any) -> RunReport:
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        report: RunReport = device.load(code).kernels[kernel].launch(launch.grid, launch.block, args)
        return report

    report = start("decode", hsaco or built_decode(arch, problem), problem.launch())
    after = {name: buffers[name].numpy() for name in outputs}
    comparisons = problem.check(inputs, after)
    if after_it is not None:
        code = built(after_it.kernel, arch, tuple(after_it.values.items()))
        second = start(after_it.kernel, code, after_it.launch)
        assert second.findings == []
        after = {name: buffers[name].numpy() for name in outputs}
        comparisons += after_it.check(inputs, after)
    return report, comparisons, after


def random_case(random: np.random.Generator, sizes: tuple[int, ...] = (64, 128, 256)) -> Case:
    """Draw a case: small, of every kind."""
    hq, hkv = HEADS[random.integers(len(HEADS))]
    page = int(random.choice([16, 16, 32, 64, 128, 256]))
    kv = int(LENGTHS[random.integers(len(LENGTHS))] if random.random() < 0.7 else random.integers(0, 1200))
    return {
        "dtype": str(random.choice(["bf16", "f16"])),
        "d": int(random.choice(sizes)),
        "mask": str(random.choice(["full", "causal", "causal", "window"])),
        "cache": str(random.choice(["paged", "paged", "plain"])),
        "batch": int(random.choice([1, 2, 3])),
        "hq": hq,
        "hkv": hkv,
        "q": int(random.choice([1, 1, 1, 2, 3, 5, 17])),
        "kv": kv,
        "lengths": str(random.choice(["equal", "mixed"])),
        "window": int(random.integers(1, 300)),
        "page": page,
        "table": str(random.choice(["shuffled", "repeated", "broken"])),
        "splits": int(random.choice([0, 0, 1, 2, 3, 5, 70])),
        "layout": str(random.choice(["bshd", "bhsd"])),
        "gap": int(random.choice([0, 0, 8, 24])),
        "data": str(random.choice(DATA)),
    }

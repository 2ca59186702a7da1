"""Running the library's attention on the emulator: one strict launch, and random cases."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from support.wait_mutants import wait_mutants

import hkasm
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.report import RunReport
from hkasm.errors import HkasmError
from hkasm.kernels import Comparison, get_kernel

Case = dict[str, int | str]
HEADS = ((1, 1), (2, 1), (4, 4), (8, 1), (7, 1), (6, 3))
LENGTHS = (1, 2, 31, 63, 64, 65, 127, 128, 129, 190, 257, 300)
DATA = ("normal", "late", "dominant", "equal", "huge")


@cache
def built_attention(arch: str, dtype: str, d: int, mask: str, lengths: str = "equal") -> bytes:
    """Return the code object of one configuration."""
    return build_hsaco(get_kernel("attention").build(arch, dtype=dtype, d=d, mask=mask, lengths=lengths))


def run_attention(
    arch: str, case: Case, seed: int = 0, hsaco: bytes | None = None
) -> tuple[RunReport, list[Comparison]]:
    """Launch one case with every check of the emulator."""
    problem = get_kernel("attention").problem(**case)
    inputs, outputs = problem.inputs(seed), problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    code = hsaco or built_attention(arch, problem.dtype, problem.d, problem.mask, problem.lengths)
    kernel = device.load(code).kernels["attention"]
    report = kernel.launch(launch.grid, launch.block, args)
    return report, problem.check(inputs, {name: buffers[name].numpy() for name in outputs})


PROBE: Case = {"d": 64, "mask": "full", "hq": 1, "hkv": 1, "q": 128, "data": "late"}
PROBE_BLOCKS = (3, 4, 2, 1)
"""Blocks of keys that together run every copy of a step: the loop in both parities, drains, the short course."""


@cache
def probed_program(arch: str) -> Program:
    """Return the program whose mutants are tried, laid out."""
    program = get_kernel("attention").build(arch, d=PROBE["d"])
    program.layout()
    return program


def mutants(arch: str, kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and code object of every mutant of a kind of the probed program."""
    program = probed_program(arch)
    return wait_mutants(program, build_hsaco(program), "attention", kind)


def verdict(arch: str, hsaco: bytes) -> str:
    """Return how a mutant is found out: ``reported``, ``wrong`` or ``missed``."""
    result = "missed"
    for blocks in PROBE_BLOCKS:
        try:
            _, comparisons = run_attention(arch, PROBE | {"kv": 64 * blocks - 1}, hsaco=hsaco)
        except HkasmError:
            return "reported"
        if not all(one.passed for one in comparisons):
            result = "wrong"
    return result


def random_case(random: np.random.Generator, sizes: tuple[int, ...] = (64, 128, 256)) -> Case:
    """Draw a case: small, of every kind; head sizes are few, because each of them is a build."""
    hq, hkv = HEADS[random.integers(len(HEADS))]

    def length() -> int:
        return int(LENGTHS[random.integers(len(LENGTHS))] if random.random() < 0.7 else random.integers(1, 400))

    return {
        "dtype": str(random.choice(["bf16", "f16"])),
        "d": int(random.choice(sizes)),
        "mask": str(random.choice(["full", "causal", "window"])),
        "batch": int(random.choice([1, 1, 2, 3])),
        "hq": hq,
        "hkv": hkv,
        "q": length(),
        "kv": length(),
        "window": int(random.integers(1, 200)),
        "layout": str(random.choice(["bshd", "bhsd"])),
        "gap": int(random.choice([0, 0, 8, 24, 64])),
        "data": str(random.choice(DATA)),
        "lengths": str(random.choice(["equal", "equal", "cu_seqlens"])),
    }

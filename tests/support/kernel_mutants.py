"""Mutants of the kernels on rows and of decode attention, and whether strict launches find them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from support import decode_runs, rows_runs
from support.wait_mutants import KINDS, wait_mutants

import hkasm
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.errors import HkasmError
from hkasm.kernels import Comparison, get_kernel
from hkasm.kernels.rows.problem import RowsProblem

Run = Callable[[bytes], list[Comparison]]
"""Launch a code object strictly and compare its answers; raises what the emulator finds."""
ARCHS = ("gfx942", "gfx950")
SHORT: rows_runs.Values = {"n": 200, "rows": 6}
LONG: rows_runs.Values = {"n": 1500, "rows": 2}
ROWS: dict[str, tuple[rows_runs.Values, ...]] = {
    "softmax": (SHORT, LONG),
    "layernorm": (LONG | {"residual": "add", "affine": "both"},),
    "rmsnorm": (SHORT | {"affine": "weight", "residual": "add", "dropout": "philox"},),
    "silu_mul": (LONG,),
    "gelu_mul": (SHORT | {"dtype": "f32"},),
    "rope": (
        {"n": 512, "rows": 6, "batch": 2, "waves": 1, "head": "64"},
        {"n": 4096, "rows": 2, "waves": 1, "head": "128", "pairs": "interleaved", "dtype": "f16"},
    ),
    "quantise": (
        LONG,
        SHORT | {"per": "tensor", "dtype": "f16"},
        LONG | {"per": "block", "out": "bf8"},
        SHORT | {"n": 208, "per": "block", "out": "fp6"},
    ),
    "transpose": ({"n": 130, "rows": 70}, {"n": 64, "rows": 65, "dtype": "f32"}),
}
"""One code each; together they have every kind of wait and barrier."""
DECODE: dict[str, decode_runs.Case] = {
    "decode paged": {"d": 64, "page": 16, "hq": 7, "hkv": 1, "batch": 1, "data": "late", "parts": "no"},
    "decode plain": {
        "d": 64,
        "cache": "plain",
        "hq": 2,
        "hkv": 2,
        "batch": 1,
        "data": "late",
        "parts": "yes",
        "splits": 2,
    },
}
LENGTHS = (545, 161, 33, 0)
"""Keys of the decode runs: waves with three or more steps, two, one, none; what most mutants fail at comes first."""


@dataclass(frozen=True)
class Subject:
    """One program, its code object, and the launches that run all of it."""

    name: str
    kernel: str
    program: Program
    hsaco: bytes
    runs: tuple[Run, ...]

    def mutants(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield kind, name and code object of every mutant."""
        for kind in KINDS:
            for name, changed in wait_mutants(self.program, self.hsaco, self.kernel, kind):
                yield kind, name, changed

    def verdict(self, hsaco: bytes) -> str:
        """Return how a code object is found out: ``reported``, ``wrong`` or ``missed``."""
        result = "missed"
        for run in self.runs:
            try:
                comparisons = run(hsaco)
            except HkasmError:
                return "reported"
            if not all(one.passed for one in comparisons):
                result = "wrong"
        return result


def labels(arch: str) -> list[str]:
    """Return the names of an arch's subjects."""
    names = [f"{name} {number}" for name, cases in ROWS.items() for number, _ in enumerate(cases)]
    there = [name for name in names if not (arch == "gfx942" and _rows_case(name)[1].get("per") == "block")]
    return [*there, *DECODE, "decode_combine"]


@cache
def subject(label: str, arch: str) -> Subject:
    """Return one of the subjects that `labels` names."""
    if label in DECODE:
        return _decode(label, arch)
    return _combine(arch) if label == "decode_combine" else _rows(label, arch)


def _rows_case(label: str) -> tuple[str, rows_runs.Values]:
    name, number = label.split()
    return name, ROWS[name][int(number)]


def _rows(label: str, arch: str) -> Subject:
    name, values = _rows_case(label)
    problem = get_kernel(name).problem_on(arch, values)
    config = {one.name: getattr(problem, one.name) for one in get_kernel(name).config_type.parameters()}
    if isinstance(problem, RowsProblem):
        config["span"] = str(problem.held(problem.n).elements)
        config["n"] = int(config["span"])
    program = get_kernel(name).build(arch, **config)

    def run(shift: int) -> Run:
        return lambda hsaco: rows_runs.run(name, arch, values, shift=shift, hsaco=hsaco)[1]

    return Subject(label, name, program, build_hsaco(program), (run(0), run(1)))


def _decode(label: str, arch: str) -> Subject:
    case = DECODE[label]
    problem = decode_runs.make_problem(arch, case)
    code = {name: getattr(problem, name) for name in (*decode_runs.CODE, "parts")}
    program = get_kernel("decode").build(arch, **code)

    def run(keys: int) -> Run:
        return lambda hsaco: decode_runs.run_decode(arch, case | {"kv": keys}, hsaco=hsaco)[1]

    return Subject(label, "decode", program, build_hsaco(program), tuple(map(run, LENGTHS)))


def _combine(arch: str) -> Subject:
    kernel = get_kernel("decode_combine")
    program = kernel.build(arch, d=64)

    def run(splits: int) -> Run:
        def launch(hsaco: bytes) -> list[Comparison]:
            problem = kernel.problem(d=64, splits=splits, hq=2, batch=1)
            device, inputs, outputs = hkasm.device("emulator"), problem.inputs(splits), problem.outputs()
            buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
            start = problem.launch()
            args = [buffers[arg] if isinstance(arg, str) else arg for arg in start.args]
            device.load(hsaco).kernels["decode_combine"].launch(start.grid, start.block, args)
            return problem.check(inputs, {name: buffers[name].numpy() for name in outputs})

        return launch

    return Subject("decode_combine", "decode_combine", program, build_hsaco(program), (run(5), run(70)))


def sample(subject: Subject, each: int, seed: int) -> list[tuple[str, str, bytes]]:
    """Return at most `each` mutants of every kind; 0 for all."""
    found: dict[str, list[tuple[str, str, bytes]]] = {}
    for mutant in subject.mutants():
        found.setdefault(mutant[0], []).append(mutant)
    random = np.random.default_rng([seed, *subject.name.encode()])
    chosen = []
    for mutants in found.values():
        some = random.permutation(len(mutants))[: each or len(mutants)]
        chosen += [mutants[number] for number in sorted(some)]
    return chosen

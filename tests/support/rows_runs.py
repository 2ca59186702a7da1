"""Running the library's kernels on rows on the emulator, and random cases of them."""

from __future__ import annotations

from functools import cache

import numpy as np

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.kernels import Comparison, Problem, get_kernel
from hkasm.kernels.kernel import Array, Arrays
from hkasm.kernels.rows.problem import RowsProblem
from hkasm.kernels.rows.quantise import SMALL

ARCHS = ("gfx942", "gfx950")
KERNELS = ("softmax", "layernorm", "rmsnorm", "silu_mul", "gelu_mul", "rope", "quantise", "transpose")
LENGTHS = (1, 2, 7, 63, 64, 65, 255, 256, 513, 1000, 4096, 8192, 8193, 16384, 65536)
Values = dict[str, int | str]
STRICT = Options(unaligned_access=False)


@cache
def _hsaco(name: str, arch: str, values: tuple[tuple[str, object], ...]) -> bytes:
    return build_hsaco(get_kernel(name).build(arch, **dict(values)))


def built(name: str, arch: str, problem: Problem) -> bytes:
    """The code object for a problem, one for all that share the code."""
    config = {one.name: getattr(problem, one.name) for one in get_kernel(name).config_type.parameters()}
    if isinstance(problem, RowsProblem):
        # The build checks n against the span, which is all that the code depends on.
        config["span"] = str(problem.held(problem.n).elements)
        config["n"] = int(config["span"])
    return _hsaco(name, arch, tuple(config.items()))


def run(
    name: str,
    arch: str,
    values: Values,
    *,
    shift: int = 0,
    seed: int = 0,
    inputs: Arrays | None = None,
    hsaco: bytes | None = None,
) -> tuple[RunReport, list[Comparison], Arrays]:
    """Launch one case strictly, maybe of other code; tensors start `shift` elements behind an aligned address."""
    problem = get_kernel(name).problem_on(arch, values)
    inputs = inputs or problem.inputs(seed)
    device = hkasm.device("emulator")
    buffers = {
        label: device.buffer(_behind(array, shift), label) for label, array in {**inputs, **problem.outputs()}.items()
    }
    launch = problem.launch()
    sizes = {label: array.itemsize for label, array in {**inputs, **problem.outputs()}.items()}
    args = [buffers[one].address + sizes[one] * shift if isinstance(one, str) else one for one in launch.args]
    entry = device.load(hsaco or built(name, arch, problem)).kernels[name]
    report = entry.launch(launch.grid, launch.block, args, options=STRICT)
    outputs = {label: buffers[label].numpy()[shift:] for label in problem.outputs()}
    return report, problem.check(inputs, outputs), outputs


def _behind(array: Array, shift: int) -> Array:
    return np.concatenate([np.zeros(shift, array.dtype), array])


def random_case(random: np.random.Generator, name: str, arch: str) -> tuple[Values, int]:
    """One case of a kernel: lengths on both sides of every boundary, pitches, options; and the shift of tensors."""
    kernel = get_kernel(name)
    values: Values = {}
    for one in kernel.config_type.parameters():
        if one.choices and one.name != "span":
            values[one.name] = str(random.choice(one.choices))
    small = values.get("out") in SMALL
    if arch == "gfx942" and (small or values.get("per") == "block"):
        values |= {"per": "row", "out": "bf8"}
    elif small:
        values["per"] = "block"
    n = int(random.choice(LENGTHS) if random.random() < 0.7 else random.integers(1, 3000))
    if "head" in values:
        n = int(values["head"]) * int(random.integers(1, 48))
    rows = int(random.integers(1, 10 if n < 5000 else 3))
    if name == "transpose":
        rows, n = int(random.choice([1, 64, 65, 128, 200])), int(random.choice([1, 64, 63, 65, 128, 192, 500]))
    if name == "rope":  # sequences with the same positions; waves that take all of a row, or a part of it
        values |= {"batch": int(random.integers(1, 4)), "waves": int(random.choice([1, 4, 16, 1216]))}
        rows *= int(values["batch"])
    values |= {"n": n, "rows": rows}
    for pitch, length in (("ldx", n), ("ldy", rows if name == "transpose" else n)):
        values[pitch] = length + int(random.choice([0, 0, 1, 2, 3, 8]))
    if values.get("out") in SMALL:  # rows begin with a byte
        values["ldy"] = -(-int(values["ldy"]) // 4) * 4
    return values, int(random.choice([0, 0, 0, 1, 2, 3]))

"""Random members of the GEMM family: a configuration, a shape, and how the launch went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

import hkasm
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.options import Options
from hkasm.errors import UsageError
from hkasm.kernels import Comparison, get_kernel
from hkasm.kernels.gemm.arguments import SCRATCH
from hkasm.kernels.gemm.declared import SCHEDULES, GemmConfig, plan_of
from hkasm.kernels.kernel import Array, Arrays

Values = dict[str, int | str]
ARCHS = ("gfx942", "gfx950")
SIDES = (1, 15, 16, 17, 63, 64, 65, 127, 255, 256, 257, 512)
LENGTHS_OF_BLOCKS = (32, 64, 96, 128, 160, 256, 288, 512, 544)
"""K of products with block scales: whole blocks of 32."""
BEHIND_ROWS = (0, 0, 0, 1, 2, 4, 8, 16)
SHIFTS = (0, 0, 0, 1, 2, 4, 8, 16)
WORKERS = (1, 2, 3, 5, 8, 13, 0)
PLAIN = (("scale", "none"), ("combine", "product"), ("bias", "none"), ("act", "none"), ("operands", "vgpr"))
"""What parameters are in half of the cases, and one of all choices in the others."""
SMOOTH = ("gelu", "silu")


def declared(arch: str, values: Values) -> bool:
    """Tell whether a configuration is declared on an arch."""
    try:
        plan_of(arch, GemmConfig.of(values))
    except UsageError:
        return False
    return True


def draw(random: np.random.Generator, only: Mapping[str, Sequence[str]] | None = None) -> tuple[str, Values, int]:
    """Draw an arch, a declared configuration with a shape, and a shift of the tensors in elements.

    `only` names values to draw from, by parameter or ``arch``.
    """
    only = only or {}
    choices = {one.name: only.get(one.name, one.choices) for one in GemmConfig.parameters() if one.choices}
    while True:
        arch = str(random.choice(only.get("arch", ARCHS)))
        values: Values = {name: str(random.choice(among)) for name, among in choices.items()}
        for name, plain in PLAIN:
            if random.random() < 0.5 and name not in only:
                values[name] = plain
        if random.random() < 0.7 and "dtype_b" not in only:
            values["dtype_b"] = "same"
        shape: dict[str, int] = {name: int(random.choice(SIDES)) for name in "mnk"}
        mx = str(values["dtype"]).startswith("mx")
        if mx:
            shape["k"] = int(random.choice(LENGTHS_OF_BLOCKS))
        if values["work"] == "stream":
            shape["workers"] = int(random.choice(WORKERS))
        kernel = get_kernel("gemm")
        config = kernel.settled(kernel.config(**values), values | shape | {"arch": arch})
        if declared(arch, {one.name: getattr(config, one.name) for one in config.parameters()}):
            break
    problem = kernel.problem_type
    bare = problem(**values, **shape)  # type: ignore[arg-type]
    for name in "ABC":
        behind = int(random.choice(BEHIND_ROWS)) * (32 if mx and name != "C" else 1)
        values[f"ld{name.lower()}"] = bare.shape(name)[1] + behind
    if values["batch"] == "split":
        values["count"] = int(random.integers(1, -(-shape["k"] // 256) + 1))
    elif values["batch"] == "strided":
        values |= {"count": int(random.integers(1, 4)), "gap": int(random.choice((0, 32) if mx else (0, 1, 8, 16)))}
    values["data"] = str(random.choice(("normal", "integers")))
    return arch, values | shape, int(random.choice((0, 4, 16) if mx else SHIFTS))


@lru_cache(maxsize=64)
def _object(arch: str, config: GemmConfig) -> bytes:
    return build_hsaco(get_kernel("gemm").write(arch, config))


def run(arch: str, values: Values, shift: int = 0, seed: int = 0, program: Program | None = None) -> list[Comparison]:
    """Launch a member of the family, strictly; tensors start `shift` elements behind an aligned address.

    `program` runs in its place.
    """
    problem = get_kernel("gemm").problem_on(arch, values)
    inputs, outputs = launch(arch, values, shift, seed, program)
    return problem.check(inputs, outputs)


def answer(arch: str, values: Values) -> Array:
    """Return C of a launch, flat."""
    return launch(arch, values)[1]["C"]


def launch(
    arch: str,
    values: Values,
    shift: int = 0,
    seed: int = 0,
    program: Program | None = None,
    *,
    options: Options | None = None,
    scratch: Arrays | None = None,
) -> tuple[Arrays, Arrays]:
    """Launch as `run` does; returns the inputs and the outputs. `scratch` are workspace and counters of before."""
    kernel = get_kernel("gemm")
    problem = kernel.problem_on(arch, values)
    code = (
        build_hsaco(program)
        if program
        else _object(arch, kernel.settled(kernel.config(**values), values | {"arch": arch}))
    )
    arrays = problem.inputs(seed) | problem.outputs()
    arrays |= {name: array for name, array in (scratch or {}).items() if name in SCRATCH}
    device = hkasm.device("emulator")
    shifts = {name: 0 if name in SCRATCH else shift for name in arrays}
    buffers = {
        name: device.buffer(np.concatenate([np.zeros(shifts[name], a.dtype), a]), name) for name, a in arrays.items()
    }
    asked = problem.launch()
    args = [
        buffers[arg].address + shifts[arg] * arrays[arg].itemsize if isinstance(arg, str) else arg for arg in asked.args
    ]
    report = device.load(code).kernels["gemm"].launch(asked.grid, asked.block, args, options=options)
    assert report.findings == []
    assert report.counters["SQ_LDS_BANK_CONFLICT"] == 0
    outputs = problem.outputs()
    inputs = {name: array for name, array in arrays.items() if name not in outputs}
    return inputs, {name: buffers[name].numpy()[shifts[name] :] for name in outputs}


def by_schedule(arch: str, values: Values, shift: int = 0, seed: int = 0) -> dict[str, bytes]:
    """Return the bits of C under every schedule that is declared for the tile."""
    kernel = get_kernel("gemm")
    tile = kernel.settled(kernel.config(**values), values | {"arch": arch}).tile
    cases = {schedule: values | {"tile": tile, "schedule": schedule} for schedule in SCHEDULES}
    return {
        schedule: launch(arch, one, shift, seed)[1]["C"].tobytes()
        for schedule, one in cases.items()
        if declared(arch, {name: one[name] for name in (part.name for part in GemmConfig.parameters()) if name in one})
    }


def is_right(values: Values, comparisons: list[Comparison]) -> bool:
    """Within the tolerance; small integers bit for bit, where no activation makes them fractions."""
    exact = values.get("data") == "integers" and values.get("act") not in SMOOTH
    return all(one.passed for one in comparisons) and (not exact or comparisons[0].exact)

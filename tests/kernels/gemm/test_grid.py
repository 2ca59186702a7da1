"""Grid orders of the GEMM: the same products from other workgroups, the same code for every shape."""

from __future__ import annotations

import pytest

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.errors import UsageError
from hkasm.kernels import get_kernel

COMMON = {"tile": "64x64", "k": 64}


def wrong(arch: str, hsaco: bytes, **values: object) -> int:
    """Launch on the emulator and return how many elements are wrong."""
    problem = get_kernel("gemm").problem_on(arch, values)
    inputs, outputs = problem.inputs(), problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    device.load(hsaco).kernels["gemm"].launch(launch.grid, launch.block, args)
    found = problem.check(inputs, {name: buffers[name].numpy() for name in outputs})
    return sum(one.wrong for one in found)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_every_order_computes_every_tile_with_one_code(arch: str) -> None:
    hsaco = build_hsaco(get_kernel("gemm").build(arch, grid="w8c64", **COMMON))
    for grid, m, n in (("w8c64", 200, 330), ("w2c3", 700, 130), ("auto", 64, 64), ("w3call", 450, 200)):
        assert wrong(arch, hsaco, grid=grid, m=m, n=n, **COMMON) == 0


def test_orders_differ_in_launch_data_only() -> None:
    texts = [get_kernel("gemm").build("gfx950", grid=grid, **COMMON).encode() for grid in ("w8c64", "auto", "w2")]
    assert texts[0] == texts[1] == texts[2]
    launch = get_kernel("gemm").problem(grid="w2c16", m=1000, n=1000, **COMMON).launch()
    assert launch.grid == (256, 1, 1)


def test_the_largest_grids_have_an_order() -> None:
    launch = get_kernel("gemm").problem(grid="auto", m=1 << 20, n=1 << 20, tile="256x256", k=64).launch()
    assert launch.grid == (1 << 24, 1, 1)


@pytest.mark.parametrize("grid", ["w0", "best", "w8c", "rows "])
def test_other_orders_are_refused(grid: str) -> None:
    with pytest.raises(UsageError, match="no such text"):
        get_kernel("gemm").problem(grid=grid)

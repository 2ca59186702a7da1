"""Grid orders of the GEMM: the same products from other workgroups, the same code for every shape."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.errors import UsageError
from hkasm.kernels import get_kernel

COMMON = {"tile": "64x64", "k": 64}


def wrong(arch: str, hsaco: bytes, launches: int = 1, **values: object) -> int:
    """Launch on the emulator and return how many elements are wrong, or how many tickets are left out of place."""
    problem = get_kernel("gemm").problem_on(arch, values)
    inputs, outputs = problem.inputs(), problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    for _ in range(launches):
        device.load(hsaco).kernels["gemm"].launch(launch.grid, launch.block, args)
    found = problem.check(inputs, {name: buffers[name].numpy() for name in outputs})
    spent = int((buffers["tickets"].numpy() != inputs["tickets"]).sum()) if "tickets" in inputs else 0
    return sum(one.wrong for one in found) + spent


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


def test_the_cache_model_orders_the_tiles_unless_a_grid_is_named() -> None:
    """On an MI355X W/C = 4/256 is expected to hit more at 16384^3 than the order of HipKittens."""
    shape = {"m": 16384, "n": 16384, "k": 16384, "tile": "256x256"}
    launches = {grid: get_kernel("gemm").problem(**({"grid": grid} if grid else {}), **shape).launch()
                for grid in ("", "auto", "w4c256", "rows")}  # fmt: skip
    assert launches[""] == launches["auto"] == launches["w4c256"]
    assert launches[""].grid == (4096, 1, 1)
    assert launches["rows"].grid == (64, 64, 1)
    assert len(launches["rows"].args) == len(launches[""].args) - 16


def test_a_build_needs_no_cache_model() -> None:
    code = """
import sys
from hkasm.kernels import get_kernel
get_kernel("gemm").build("gfx950")
print([name for name in sys.modules if name.startswith(("hkasm.model", "hkasm.grids.planner"))])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("arch", "workgroups", "more"), [
    ("gfx950", 3, {"tile": "64x64", "m": 300, "n": 330, "k": 96}),
    ("gfx942", 2, {"tile": "128x128", "m": 300, "n": 330, "k": 136, "weights": "4:4:4:4:4:4:4:2", "grid": "w2"}),
    ("gfx950", 9, {"tile": "128x128", "m": 300, "n": 330, "k": 130, "schedule": "specialised", "grid": "rows"}),
    ("gfx950", 2, {"tile": "256x256", "m": 300, "n": 700, "k": 130, "batch": "strided", "count": 2}),
    ("gfx950", 0, {"tile": "128x128", "m": 130, "n": 100, "k": 64, "schedule": "interleave", "reserve": 30}),
])  # fmt: skip
def test_workgroups_that_stay_compute_every_tile(arch: str, workgroups: int, more: dict[str, object]) -> None:
    """Two launches with one table: the last workgroup makes it new."""
    values = {"work": "tickets", "workers": workgroups, **more}
    hsaco = build_hsaco(get_kernel("gemm").build(arch, **values))
    assert wrong(arch, hsaco, launches=2, **values) == 0


def test_as_many_workgroups_take_tickets_as_run_at_once() -> None:
    problem = get_kernel("gemm").problem
    assert problem(work="tickets", tile="256x256", m=4096).launch().grid == (256, 1, 1)
    assert problem(work="tickets", tile="128x128", m=4096, reserve=4).launch().grid == (2 * 28 * 8, 1, 1)
    mine = get_kernel("gemm").problem_on("gfx942", {"work": "tickets", "tile": "256x256"})
    assert mine.launch().grid == (304, 1, 1)


def test_shares_of_xcds_want_workgroups_that_stay() -> None:
    with pytest.raises(UsageError, match="every tile has a workgroup of its own") as error:
        get_kernel("gemm").problem(weights="1:1:1:1:1:1:1:2")
    assert error.value.hint == "work=tickets"


def test_the_largest_grids_have_an_order() -> None:
    launch = get_kernel("gemm").problem(grid="auto", m=1 << 20, n=1 << 20, tile="256x256", k=64).launch()
    assert launch.grid == (1 << 24, 1, 1)


@pytest.mark.parametrize("grid", ["w0", "best", "w8c", "rows "])
def test_other_orders_are_refused(grid: str) -> None:
    with pytest.raises(UsageError, match="no such text"):
        get_kernel("gemm").problem(grid=grid)

"""Grid orders of the GEMM: the same products from other workgroups, the same code for every shape."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.communication import count_themselves

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.errors import UsageError
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.choice import choose
from hkasm.runtime import Device

COMMON = {"tile": "64x64", "k": 64}


def wrong(
    arch: str,
    hsaco: bytes,
    launches: int = 1,
    more: Callable[[Device], Sequence[object]] | None = None,
    device: Device | None = None,
    kept: dict[str, Any] | None = None,
    **values: object,
) -> int:
    """Launch on the emulator and return how many elements are wrong, and how many tickets are not counted back.

    `more` makes arguments behind the kernel's own; buffers of scratch are taken from `kept`, which are of `device`,
    or put there.
    """
    problem = get_kernel("gemm").problem_on(arch, values)
    inputs, outputs = problem.inputs(), problem.outputs()
    device = device or hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
    if kept is not None:
        buffers |= {name: kept.setdefault(name, buffers[name]) for name in problem.scratch()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    args += more(device) if more else ()
    for _ in range(launches):
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
from hkasm.isa.registers import Register
from hkasm.kernels import get_kernel
from hkasm.runtime import Device
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
    """Two launches with one table: the last workgroup counts it back to zero."""
    values = {"work": "tickets", "workers": workgroups, **more}
    hsaco = build_hsaco(get_kernel("gemm").build(arch, **values))
    assert wrong(arch, hsaco, launches=2, **values) == 0


def test_one_table_serves_launches_of_any_shape() -> None:
    """What it counts starts from zero, and all that depends on the shape stands with the arguments."""
    hsaco = build_hsaco(get_kernel("gemm").build("gfx950", work="tickets", **COMMON))
    kept: dict[str, Any] = {}
    device = hkasm.device("emulator")
    for m, n, workers in ((200, 330, 3), (64, 64, 0), (700, 130, 5), (200, 330, 1)):
        values = {"m": m, "n": n, "work": "tickets", "workers": workers, **COMMON}
        assert wrong("gfx950", hsaco, device=device, kept=kept, **values) == 0
    assert list(kept) == ["tickets"]


def test_as_many_workgroups_take_tickets_as_run_at_once() -> None:
    problem = get_kernel("gemm").problem
    assert problem(work="tickets", tile="256x256", m=4096).launch().grid == (256, 1, 1)
    assert problem(work="tickets", tile="128x128", m=4096, reserve=4).launch().grid == (2 * 28 * 8, 1, 1)
    mine = get_kernel("gemm").problem_on("gfx942", {"work": "tickets", "tile": "256x256"})
    assert mine.launch().grid == (304, 1, 1)


DEVICES = {
    "gfx942": ("mi300x-cpx", "mi300x-qpx", "mi300x-38:38:38", "mi300x-38:19:38:38", "mi325x-38:38:20:38:1"),
    "gfx950": ("mi355x-dpx", "mi350x-32:32:32:32:32", "mi355x-32:32:32:32:32:32:32:16", "mi355x" + "-31" + ":31" * 15),
}


@pytest.mark.parametrize(("arch", "chip"), [(arch, chip) for arch, chips in DEVICES.items() for chip in chips])
def test_every_device_computes_every_tile(arch: str, chip: str) -> None:
    """1, 2, 3, 4, 5, 8 and 16 XCDs, with equal shares and with others; 30 tiles, the plain grid in order too."""
    values: dict[str, object] = {"chip": chip, "m": 300, "n": 370, "work": "tiles", **COMMON}
    for grid in ("w2c3", "rows"):
        hsaco = build_hsaco(get_kernel("gemm").build(arch, grid=grid, **values))
        assert wrong(arch, hsaco, grid=grid, **values) == 0


@pytest.mark.parametrize(("chip", "weights", "xcds"), [("auto", "chip", 8), ("mi355x-dpx", "chip", 4),
                                                       ("auto", "9:1:2:3:4:5:6:7", 8)])  # fmt: skip
def test_the_code_is_for_the_xcds_of_the_chip(chip: str, weights: str, xcds: int) -> None:
    """The first mask of the kernel is the one that makes an XCD of a workgroup."""
    kernel, shape = get_kernel("gemm"), {"m": 300, "n": 370, "work": "tiles", "grid": "w2c3", **COMMON}
    program = kernel.build("gfx950", chip=chip, weights=weights, **shape)
    assert program.config["config"] == kernel.config(chip=chip, weights=weights, **shape).label
    first = next(one for one in program.instructions if one.mnemonic == "s_and_b32")
    assert str(first).endswith(f", {xcds - 1}")
    padded = [arg.name for arg in program.args if arg.name.startswith("xcd")]
    assert len(padded) == (0 if weights == "chip" else 2 * xcds)


def test_smaller_shares_are_padded() -> None:
    """30 tiles, one XCD of half the CUs: 4 tiles for seven XCDs and 2 for the last, so that 2 of 32 workgroups idle."""
    shape = {"chip": "mi355x-32:32:32:32:32:32:32:16", "m": 300, "n": 370, "work": "tiles", **COMMON}
    problem = get_kernel("gemm").problem(**shape)
    assert problem.launch().grid == (32, 1, 1)
    assert problem.workgroups == 30
    assert problem.plan().how == "padded"
    assert [len(tiles) for tiles in problem.plan().order.tiles_by_xcd()] == [4] * 7 + [2]
    even = get_kernel("gemm").problem(weights="even", **shape)
    assert even.launch().grid == (30, 1, 1)
    assert even.plan().how == "even"


@pytest.mark.parametrize(("arch", "chip", "weights"), [
    ("gfx950", "mi355x-cpx", "chip"), ("gfx942", "mi300x-38:38:38", "chip"),
    ("gfx950", "mi355x-32:32:32:32:16", "even"),
])  # fmt: skip
def test_every_device_shares_the_k_steps(arch: str, chip: str, weights: str) -> None:
    """Stream-K deals its shares to the XCDs of the device, in the order of its tiles."""
    values = {"chip": chip, "weights": weights, "m": 200, "n": 330, "work": "stream", "workers": 13, **COMMON, "k": 320}
    assert wrong(arch, build_hsaco(get_kernel("gemm").build(arch, **values)), launches=2, **values) == 0


@pytest.mark.parametrize("work", ["tiles", "tickets"])
def test_products_of_a_batch_have_shares_of_their_own(work: str) -> None:
    values = {"chip": "mi355x-32:32:16", "m": 200, "n": 130, "work": work, "batch": "strided", "count": 3, **COMMON}
    assert wrong("gfx950", build_hsaco(get_kernel("gemm").build("gfx950", **values)), **values) == 0


def test_kept_units_are_left_by_workgroups_that_stay() -> None:
    kernel = get_kernel("gemm")
    values = {"reserve": 30, "chip": "mi355x-cpx", "m": 200, "n": 330, **COMMON}
    assert "work=tickets" in str(kernel.build("gfx950", **values).config["config"])
    problem = kernel.problem(**values)
    assert (problem.work, problem.launch().grid) == ("tickets", (4, 1, 1))
    assert (problem.plan().how, problem.plan().chip.cus, problem.plan().reserved) == ("tickets", 2, 30)
    assert kernel.reasons(kernel.config(**values), values)["work"].startswith("tickets: workgroups that stay leave 30")
    assert wrong("gfx950", build_hsaco(kernel.build("gfx950", **values)), launches=2, **values) == 0


@pytest.mark.parametrize(("arch", "more", "rule"), [
    ("gfx950", {"reserve": 2, "chip": "mi355x-32:32:32:16"}, "8 + 4 * the largest share"),
    ("gfx942", {"reserve": 3, "grid": "rows"}, "24 + ceil(n / 64) * ceil(m / 64)"),
    ("gfx950", {"reserve": 1, "batch": "strided", "count": 3}, "8 + ceil(n / 64) * ceil(m / 64)"),
    ("gfx942", {"reserve": 1, "batch": "split", "out": "f32", "k": 1024, "count": 2, "chip": "mi300x-38:19"},
     "2 + 2 * the largest share"),
])  # fmt: skip
def test_reserved_workgroups_do_what_they_are_told(arch: str, more: dict[str, object], rule: str) -> None:
    """They count themselves, once a launch whatever the products are; the others compute every tile."""
    values = {"m": 200, "n": 330, "work": "tiles", **COMMON, **more}
    kernel = get_kernel("gemm")
    problem = kernel.problem_on(arch, values)
    config = kernel.settled(kernel.config(**values), values | {"arch": arch})
    program = kernel.write(arch, config, communication=count_themselves)
    found: list[Any] = []

    def counter(device: Device) -> list[object]:
        found.append(device.buffer(np.zeros(problem.launch().grid[0], np.uint32)))
        return found

    assert wrong(arch, build_hsaco(program), more=counter, **values) == 0
    first, threads = config.reserved_workgroups, problem.launch().block[0]
    assert first <= problem.first_workgroup
    assert found[0].numpy().tolist() == [threads] * first + [0] * (problem.launch().grid[0] - first)
    assert kernel.grid_rule_of(program)[:2] == (rule, "1")


@pytest.mark.parametrize(("values", "text", "hint"), [
    ({"weights": "1:2"}, "2 numbers", "8 XCDs"),
    ({"chip": "mi355x-32:33"}, "XCDs of 32:33 CUs", "1 to 32 CUs"),
    ({"chip": "mi300x-cpx"}, "is gfx942, not gfx950", "--arch gfx942"),
    ({"chip": "mi999x"}, "unknown chip", "mi3"),
    ({"reserve": 2, "work": "tiles"}, "would take those CUs", "work=tickets"),
    ({"reserve": 2, "work": "stream"}, "work=stream with reserve=2", "work=tickets"),
    ({"chip": "mi355x-32:16", "work": "stream"}, "unequal shares is not declared", "weights=even"),
])  # fmt: skip
def test_what_a_device_has_not_is_refused(values: dict[str, object], text: str, hint: str) -> None:
    with pytest.raises(UsageError, match=text) as error:
        get_kernel("gemm").build("gfx950", **values)
    assert hint in str(error.value.hint)


def test_unequal_shares_are_kept_by_what_is_expected_to_take_less() -> None:
    """In proportion to CUs no share takes more rounds than tickets do; an XCD with more than that keeps all waiting."""
    kernel, shape = get_kernel("gemm"), {"m": 8192, "n": 8192, "k": 4096, "tile": "256x256"}
    padded = {"chip": "mi355x-32:32:32:32:32:32:32:16", **shape}
    tickets = {"weights": "1:1:1:1:1:1:1:3", **shape}
    for values, work in ((padded, "tiles"), (tickets, "tickets")):
        said = kernel.reasons(kernel.config(**values), values)["work"]
        assert said.startswith(f"{work}: ")
        assert "clk padded against" in said
        assert kernel.problem(**values).work == ("auto" if work == "tiles" else work)


def test_equal_shares_of_unequal_dies_are_expected_to_take_longer() -> None:
    """240 workgroups that share the K steps are 30 an XCD, of which one has 16 CUs: it takes two rounds."""
    chip = {"chip": "mi355x-32:32:32:32:32:32:32:16", "weights": "even"}
    shape = {"m": 8192, "n": 8192, "k": 8192, "tile": "256x256"}
    config = get_kernel("gemm").config(**chip, tile="256x256")
    sizes = {**shape, "count": 1, "workers": 0}
    del sizes["tile"]
    uneven, even = (
        choose(config, sizes, "gfx950"),
        choose(replace(config, chip="mi355x-30" + ":30" * 7), sizes, "gfx950"),
    )
    assert uneven.clocks["stream"] > 1.8 * even.clocks["stream"]
    assert uneven.clocks["tiles"] > 1.5 * even.clocks["tiles"]


def test_a_label_keeps_the_device() -> None:
    problem = get_kernel("gemm").problem(chip="mi300x-38:19", m=512, n=512)
    assert problem.arch == "gfx942"
    assert type(problem).from_label(problem.label) == problem


def test_the_largest_grids_have_an_order() -> None:
    launch = get_kernel("gemm").problem(grid="auto", m=1 << 20, n=1 << 20, tile="256x256", k=64).launch()
    assert launch.grid == (1 << 24, 1, 1)


@pytest.mark.parametrize("grid", ["w0", "best", "w8c", "rows "])
def test_other_orders_are_refused(grid: str) -> None:
    with pytest.raises(UsageError, match="no such text"):
        get_kernel("gemm").problem(grid=grid)

"""The family of GEMMs: a seeded sample on the emulator, what is declared, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from support.gemm_family import ARCHS, Values, answer, by_schedule, draw, is_right, run

from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import UsageError
from hkasm.isa.registers import Register
from hkasm.kernels import Comparison, get_kernel
from hkasm.kernels.gemm.choice import choose
from hkasm.kernels.gemm.declared import (
    DTYPES,
    SCHEDULES,
    TILES,
    WAVES,
    GemmConfig,
    declared_tiles,
    plan_of,
    resolved,
)
from hkasm.kernels.gemm.finish import Function

CASES = 16
SLOW_CASES = 600


@pytest.mark.parametrize("number", range(CASES))
def test_a_sample_of_the_family(number: int, toolchain: Toolchain) -> None:
    arch, values, shift = draw(np.random.default_rng([7, number]))
    comparisons = run(arch, values, shift, seed=number)
    assert is_right(values, comparisons), f"{arch} {values}: {comparisons[0]}"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SLOW_CASES))
def test_a_large_sample_of_the_family(number: int, toolchain: Toolchain) -> None:
    arch, values, shift = draw(np.random.default_rng([8, number]))
    assert is_right(values, run(arch, values, shift, seed=number)), f"{arch} {values}"


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["f16", "fp8", "i8"])
def test_aligned_products_of_each_type(arch: str, dtype: str, toolchain: Toolchain) -> None:
    """The direct and staged pipelines, three K steps and a rest."""
    values: Values = {"dtype": dtype, "tile": "128x128", "m": 130, "n": 100, "k": 64 * 7, "data": "integers"}
    assert is_right(values, run(arch, values))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("trans", ["NN", "NT", "TT"])
def test_aligned_transposes(arch: str, trans: str, toolchain: Toolchain) -> None:
    values: Values = {"trans": trans, "tile": "128x128", "m": 136, "n": 144, "k": 256, "data": "integers"}
    assert is_right(values, run(arch, values))


@pytest.mark.parametrize("arch", ARCHS)
def test_schedules_and_tiles_give_the_same_bits(arch: str, toolchain: Toolchain) -> None:
    """Every element is summed in one order, whatever the tile and the schedule."""
    for k in (128, 200):
        shape: Values = {"m": 70, "n": 90, "k": k, "out": "f32"}
        answers = {
            (tile, schedule): answer(arch, shape | {"tile": tile, "schedule": schedule}) for tile, schedule in SAME
        }
        first, *others = answers.values()
        assert np.isfinite(first).all()
        for other in others:
            assert (other.view(np.uint32) == first.view(np.uint32)).all()


@pytest.mark.parametrize(("dtype", "trans"), [("f16", "NT"), ("fp8", "TN")])
def test_producers_that_fetch_through_registers_give_the_same_bits(
    dtype: str, trans: str, toolchain: Toolchain
) -> None:
    values: Values = {"m": 72, "n": 88, "k": 392, "out": "f32", "tile": "64x64", "dtype": dtype, "trans": trans}
    found = by_schedule("gfx942", values)
    assert {"specialised", "interleave", "simple"} <= found.keys()
    assert len(set(found.values())) == 1


SAME = [
    ("256x256", "pingpong"),
    ("256x256", "interleave"),
    ("128x128", "interleave-lean"),
    ("128x128", "specialised"),
    ("64x64", "simple"),
]


@pytest.mark.parametrize(
    ("pair", "tile", "schedule", "data"),
    [
        ("mxfp8,mxfp8", "256x256", "interleave", "normal"),
        ("mxfp6,mxfp6", "256x256", "pingpong", "normal"),
        ("mxbf6,mxbf6", "128x128", "specialised", "normal"),
        ("mxfp4,mxfp4", "64x64", "interleave-lean", "normal"),
        ("mxbf8,mxfp4", "128x256", "pingpong", "integers"),
        ("mxbf6,mxfp8", "256x128", "interleave", "integers"),
        ("mxfp4,mxfp6", "64x256", "simple", "integers"),
    ],
)
def test_block_scaled_products(pair: str, tile: str, schedule: str, data: str, toolchain: Toolchain) -> None:
    a, b = pair.split(",")
    shape: Values = {"m": 130, "n": 190, "k": 608, "data": data}
    values = shape | {"dtype": a, "dtype_b": b, "tile": tile, "schedule": schedule}
    assert is_right(values, run("gfx950", values))


def test_schedules_and_tiles_of_block_scaled_products_give_the_same_bits(toolchain: Toolchain) -> None:
    shape: Values = {"dtype": "mxfp6", "dtype_b": "mxfp4", "m": 70, "n": 60, "k": 416, "out": "f32"}
    choices = [("128x128", name) for name in ("pingpong", "interleave", "interleave-lean", "specialised", "simple")]
    first, *others = (
        answer("gfx950", shape | {"tile": tile, "schedule": schedule})
        for tile, schedule in [("64x64", "interleave"), *choices]
    )
    assert np.isfinite(first).all()
    for other in others:
        assert (other.view(np.uint32) == first.view(np.uint32)).all()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.startswith("mx")])
def test_block_scales_have_every_schedule(dtype: str) -> None:
    for schedule in SCHEDULES:
        tiles = declared_tiles(GemmConfig(dtype=dtype, schedule=schedule), "gfx950")
        assert set(tiles) >= ({"128x128"} if schedule == "specialised" else set(TILES[1:5]))
        assert ("64x64" in tiles) == (schedule != "pingpong")


@pytest.mark.parametrize(
    ("arch", "values", "message"),
    [
        ("gfx950", {"dtype": "xf32"}, "dtype=xf32 on gfx950 is not declared"),
        ("gfx942", {"dtype": "fp8", "trans": "NN"}, "dtype=fp8 trans=NN on gfx942 is not declared"),
        ("gfx950", {"dtype": "f32", "trans": "TT"}, "dtype=f32 trans=TT is not declared"),
        ("gfx950", {"dtype": "bf16", "dtype_b": "fp8"}, "dtype=bf16 with dtype_b=fp8 is not declared"),
        ("gfx950", {"dtype": "bf16", "out": "i32"}, "out=i32 with dtype=bf16 is not declared"),
        ("gfx950", {"dtype": "i8", "act": "relu"}, "out=i32 with scales, bias or activation is not declared"),
        (
            "gfx942",
            {"schedule": "specialised", "tile": "256x128"},
            "tile 256x128x64 takes 296 registers in each of 8 waves is not declared\n  hint: 256 are there",
        ),
        (
            "gfx950",
            {"schedule": "specialised", "tile": "256x256"},
            "tile 256x256x64 takes 440 registers in each of 8 waves is not declared\n  hint: 256 are there",
        ),
        ("gfx942", {"dtype": "mxfp4"}, "dtype=mxfp4 on gfx942 is not declared"),
        ("gfx950", {"dtype": "mxfp4", "dtype_b": "fp8"}, "dtype=mxfp4 with dtype_b=fp8 is not declared"),
        ("gfx950", {"tile": "64x64", "schedule": "pingpong"}, "tile=64x64 with schedule=pingpong is not declared"),
        (
            "gfx950",
            {"tile": "256x256", "buffers": 3},
            r"tile 256x256x64 in 3 buffers takes 98304 \(A\) \+ 98304 \(B\) bytes of LDS is not declared\n.*has 163840",
        ),
        ("gfx950", {"tile": "256x128", "buffers": 3}, "98304 bytes of A is not declared\n  hint: an LDS read's offset"),
        (
            "gfx950",
            {"tile": "128x128", "schedule": "interleave", "buffers": 4, "acc": "vgpr"},
            r"takes .* fragments .* VGPRs is not declared",
        ),
        ("gfx950", {"schedule": "simple", "buffers": 2}, "buffers=2 with schedule=simple is not declared"),
        (
            "gfx942",
            {"schedule": "pingpong", "buffers": 2},
            "buffers=2 with schedule=pingpong on gfx942 is not declared",
        ),
        ("gfx950", {"schedule": "pingpong", "buffers": 1}, "buffers=1 .* is not declared\n  hint: 2 and more"),
        (
            "gfx950",
            {"tile": "256x256", "schedule": "simple", "acc": "vgpr"},
            "tile 256x256x64 with acc=vgpr takes .* VGPRs is not declared",
        ),
    ],
)
def test_what_is_not_declared_is_refused(arch: str, values: Values, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        get_kernel("gemm").build(arch, **values)


@pytest.mark.parametrize(
    ("schedule", "tile", "buffers", "more"),
    [
        ("pingpong", "128x128", 3, {}),
        ("pingpong", "256x128", 2, {}),
        ("interleave", "64x64", 3, {"dtype": "fp8"}),
        ("interleave-lean", "128x128", 3, {"dtype": "mxfp4"}),
        ("specialised", "128x128", 3, {"trans": "NN"}),
    ],
)
def test_more_buffers_give_the_same_bits(
    schedule: str, tile: str, buffers: int, more: Values, toolchain: Toolchain
) -> None:
    """K steps from none up, more than buffers, with a rest; rows at whole chunks and, where they may be, at dwords."""
    common: Values = {"tile": tile, "schedule": schedule, "m": 70, "n": 90, **more}
    scaled = str(more.get("dtype", "")).startswith("mx")
    for k, behind in ((32, 0), (512, 0), (64 * 9 + 32, 32 if scaled else 2)):
        values = common | {"k": k} | ({} if more.get("trans") else {"lda": k + behind, "ldb": k + behind})
        values_more = values | {"buffers": buffers}
        assert is_right(values_more, run("gfx950", values_more))
        assert answer("gfx950", values_more).tobytes() == answer("gfx950", values).tobytes()


@pytest.mark.parametrize(("arch", "dtype", "m", "n", "k", "tile"), [
    ("gfx950", "bf16", 8192, 8192, 8192, "256x256"),
    ("gfx950", "fp8", 4096, 2048, 8192, "256x128"),  # 128 tiles of 256 x 256 would leave half of the CUs idle
    ("gfx950", "fp8", 5000, 3000, 4096, "256x256"),  # 240 of them do not, and two rounds of half the size take longer
    ("gfx942", "bf16", 4096, 4096, 4096, "256x256"),
    ("gfx950", "bf16", 512, 512, 4096, "64x64"),
    ("gfx942", "fp8", 32, 4096, 4096, "64x64"),
])  # fmt: skip
def test_the_selector_takes_the_tile_that_is_soonest_done(
    arch: str, dtype: str, m: int, n: int, k: int, tile: str
) -> None:
    """As the cycle model ranks them too: `bench/tile_choice.py`."""
    config = get_kernel("gemm").config(dtype=dtype)
    sizes = {"m": m, "n": n, "k": k, "count": 1, "workers": 0}
    assert choose(replace(config, work="tiles"), sizes, arch).tile == tile


def test_the_selector_keeps_to_the_tiles_of_a_schedule() -> None:
    sizes = {"m": 512, "n": 512, "k": 4096, "count": 1, "workers": 0}
    assert choose(GemmConfig(schedule="pingpong", work="tiles"), sizes, "gfx950").tile == "128x128"


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_selector_takes_only_what_is_declared(arch: str, dtype: str) -> None:
    """A shape of any type that the arch has finds a tile; block scales leave few."""
    if (arch == "gfx942" and dtype.startswith("mx")) or (arch == "gfx950" and dtype == "xf32"):
        pytest.skip("the arch has no such type")
    kernel = get_kernel("gemm")
    for m, n in ((16, 16), (17, 1024), (257, 257), (8192, 8192)):
        values: Values = {"dtype": dtype, "m": m, "n": n, "k": 256}
        config = kernel.settled(kernel.config(**values), values | {"arch": arch})
        assert config.tile == kernel.problem_on(arch, values).tile
        assert plan_of(arch, config)


def test_the_tile_follows_the_shape_where_one_is_given() -> None:
    kernel = get_kernel("gemm")
    assert kernel.build("gfx950").config["tile"] == "256x256x64"
    assert kernel.build("gfx950", m=16, n=8192).config["tile"] == "64x64x64"
    assert kernel.problem(m=16, n=8192).launch().grid == (128, 1, 1)
    assert kernel.build("gfx950", m=16, n=8192, tile="256x128").config["tile"] == "256x128x64"


@pytest.mark.parametrize("arch", ARCHS)
def test_every_declared_tile_has_a_plan(arch: str) -> None:
    for tile, schedule in WAVES:
        if schedule == "specialised":
            continue  # its largest tiles have no room
        plan = plan_of(arch, GemmConfig(tile=tile, schedule=schedule))
        assert plan.label == f"{tile}x64"
        assert (tile, resolved(GemmConfig(tile=tile)).schedule) in WAVES


@pytest.mark.parametrize(
    ("schedule", "tile"), [("auto", "256x256"), ("interleave", "256x256"), ("specialised", "128x128")]
)
def test_without_a_tile_the_largest_that_the_schedule_has_is_taken(schedule: str, tile: str) -> None:
    config = resolved(GemmConfig(schedule=schedule))
    assert config.tile == tile
    for arch in ARCHS:
        plan_of(arch, config)


@pytest.mark.parametrize("arch", ARCHS)
def test_a_function_on_accumulators_replaces_the_activation(arch: str, toolchain: Toolchain) -> None:
    def negative_part(k: Builder, values: list[Register], free: list[Register]) -> None:
        for value, other in zip(values, free, strict=True):
            k.v_mul_f32(other, -1.0, value)
            k.v_max_f32(value, 0, other)

    def run_with(function: Function | None) -> Comparison:
        config = kernel.config(tile="64x64", act="relu")
        return run(arch, values, program=kernel.write(arch, config, function))[0]

    kernel = get_kernel("gemm")
    values: Values = {"tile": "64x64", "act": "relu", "m": 65, "n": 70, "k": 64, "data": "integers"}
    assert run_with(None).passed
    wrong = run_with(negative_part)
    assert wrong.wrong > 65 * 70 // 2, "nearly every sum is not 0"


def positive_part(k: Builder, values: list[Register], free: list[Register]) -> None:
    for value in values:
        k.v_max_f32(value, 0, value)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("out", ["bf16", "f32"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_function_stands_for_an_activation_with_every_schedule(
    arch: str, out: str, schedule: str, toolchain: Toolchain
) -> None:
    """Where C would be the plain product too, whose results need no pass over the accumulators."""
    values: Values = {"tile": "128x128", "schedule": schedule, "out": out, "m": 65, "n": 70, "k": 192}
    program = get_kernel("gemm").write(arch, GemmConfig.of(values), positive_part)
    assert is_right(values, run(arch, values | {"act": "relu", "data": "integers"}, program=program))


def test_a_function_of_what_is_no_sum_yet_is_refused() -> None:
    kernel = get_kernel("gemm")
    with pytest.raises(UsageError, match="a function with batch=split is not declared\n  hint: give it to gemm_sum"):
        kernel.write("gfx950", kernel.config(batch="split", out="f32"), positive_part)
    with pytest.raises(UsageError, match="a function with out=i32 is not declared"):
        kernel.write("gfx950", kernel.config(dtype="i8"), positive_part)


def _floor() -> Iterator[tuple[str, Values]]:
    """Yield arch, types and transposes that must be declared."""
    mx = [dtype for dtype in DTYPES if dtype.startswith("mx")]
    for arch in ARCHS:
        yield from ((arch, {"dtype": d, "trans": t}) for d in ("f16", "bf16") for t in ("TN", "NN", "NT", "TT"))
        some = ("TN", "NN", "NT") if arch == "gfx950" else ("TN",)
        yield from ((arch, {"dtype": d, "trans": t}) for d in ("fp8", "bf8", "i8") for t in some)
    yield from (("gfx950", {"dtype": a, "dtype_b": b}) for a in mx for b in mx)


def test_the_floor_is_declared() -> None:
    """Each with every schedule; epilogues, batches and types of C drawn, five for each (all 196,200 hold)."""
    random = np.random.default_rng(3)
    names = ("scale", "combine", "bias", "act")
    choices = {one.name: one.choices for one in GemmConfig.parameters() if one.name in names}
    for arch, types in _floor():
        for schedule in SCHEDULES * 5:
            values = types | {name: str(random.choice(among)) for name, among in choices.items()}
            if str(types["dtype"]).startswith("mx"):
                values["scale"] = "none"
            values["out"] = str(random.choice(("f32", "f16", "bf16", "fp8", "bf8")))
            values["batch"] = str(random.choice(("none", "strided")))
            values["work"] = str(random.choice(("tiles", "stream")))
            config = GemmConfig.of(values | {"schedule": schedule})
            assert plan_of(arch, replace(config, tile=declared_tiles(config, arch)[0]))

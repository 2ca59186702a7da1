"""What an operation refuses, in words: what it got, and what is legal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hkasm.asm.builder import Builder
from hkasm.errors import RegisterError, UsageError
from hkasm.tiles import ops
from hkasm.tiles.layout import base_shape
from hkasm.tiles.register import RegTile, RegVec
from hkasm.tiles.shared import SharedTile, shared_shape


def tile(k: Builder, dtype: str = "f32", shape: str = "rt_16x16", layout: str = "row", file: str = "v") -> RegTile:
    return RegTile.allocate(k, "t", dtype, 32, 32, shape, layout, file=file)  # type: ignore[arg-type]


def batch(k: Builder, dtype: str, shape: str, layout: str = "row", rows: int = 0) -> RegTile:
    base = base_shape(shape)
    return RegTile.allocate(k, "t", dtype, rows or base.rows, base.cols, shape, layout)  # type: ignore[arg-type]


CASES: dict[str, tuple[Callable[[Builder], object], str]] = {
    "dtype": (
        lambda k: ops.exp2(k, tile(k, "i32"), tile(k, "i32")),
        "exp2: no i32 on gfx942\n  hint: legal: f32, f16, bf16, fp8, bf8",
    ),
    "file": (
        lambda k: ops.mul(k, tile(k), tile(k, file="a"), 2.0),
        "mul: t is in AGPRs\n  hint: legal: VGPRs; copy(k, vgpr_tile, agpr_tile) moves a tile",
    ),
    "shapes": (
        lambda k: ops.add(k, tile(k), tile(k), tile(k, shape="rt_32x32")),
        ("add: t is 32x32 f32 of rt_32x32, row layout, t is 32x32 f32 of rt_16x16, row layout\n"
        "  hint: legal: equal tiles"),
    ),
    "dtypes": (
        lambda k: ops.add(k, tile(k), tile(k), tile(k, "i32")),
        "add: t is i32, t is f32\n  hint: legal: one dtype; convert() changes it",
    ),
    "vector": (
        lambda k: ops.mul(k, tile(k), tile(k), RegVec.for_rows(k, "v", tile(k, layout="col"))),
        ("mul: v (align of 32 for rt_16x16) does not go along t\n"
        "  hint: legal: RegVec.for_rows or for_cols of a tile like it (32x32 f32 of rt_16x16, row layout)"),
    ),
    "scalars": (
        lambda k: ops.fma(k, tile(k), tile(k), 2.0, 3.0),
        "fma: two scalars\n  hint: legal: one number or SGPR (an instruction reads one)",
    ),
    "name": (
        lambda k: ops.apply(k, "expp", tile(k), tile(k)),
        "expp: no such operation\n  hint: legal: did you mean 'exp'?",
    ),
    "form": (
        lambda k: ops.mma(k, tile(k, layout="col"), tile(k, "bf16"), tile(k, "bf16"), form="AB"),
        "mma AB: B is 32x32 bf16 of rt_16x16, row layout\n  hint: legal: B in col layout",
    ),
    "element types": (
        lambda k: ops.mma(k, tile(k, layout="col"), tile(k, "fp6", "rt_16x32"), tile(k, "fp6", "rt_16x32")),
        ("mma: no product of fp6 and fp6 into f32 with 16 lines on gfx942\n"
        "  hint: legal: bf16 into f32, bf8 into f32, f16 into f32, f32 into f32, f64 into f64, fp8 into f32, "
        "i8 into i32, xf32 into f32; 16 or 32 lines; batches for D of rt_64x32_4 (2 blocks of 32x32), "
        "rt_64x16_4 (4 blocks of 16x16), rt_64x4 (16 blocks of 4x4), rt_4x16 (4 blocks of 4x4)"),
    ),
    "accumulator": (
        lambda k: ops.mma(k, tile(k, shape="rt_32x32", layout="col"), tile(k, "bf16"), tile(k, "bf16")),
        "mma: D is of rt_32x32\n  hint: legal: rt_16x16",
    ),
    "batch types": (
        lambda k: ops.mma(k, batch(k, "f32", "rt_64x4", "col"), batch(k, "fp8", "rt_64x4"), batch(k, "fp8", "rt_64x4")),
        ("mma: no product of fp8 and fp8 into f32 with 16 blocks of 4x4 on gfx942\n"
        "  hint: legal: bf16 into f32, f16 into f32, f32 into f32, i8 into i32 for 16 blocks of 4x4"),
    ),
    "batch lines": (
        lambda k: ops.mma(
            k, batch(k, "f32", "rt_64x4", "col"), *[batch(k, "f16", "rt_16x16", rows=64) for _ in range(2)]
        ),
        ("mma ABt: A is of rt_16x16, D of rt_64x4\n  hint: legal: 64 lines for 16 blocks of 4x4"),
    ),
    "batch size": (
        lambda k: ops.mma(
            k, batch(k, "f32", "rt_64x4", "col"), batch(k, "f16", "rt_64x4"), batch(k, "f16", "rt_64x4", rows=128)
        ),
        "mma ABt: A is 64x4, B 128x4, D 64x4\n  hint: legal: A and B with 64 lines and the same k",
    ),
    "blocks of A": (
        lambda k: ops.mma(
            k, batch(k, "f32", "rt_64x16_4", "col"), batch(k, "f16", "rt_64x4"), batch(k, "f16", "rt_64x4"),
            blocks=((0, 1, 1, 1), None),
        ),
        ("mma ABt: blocks 0, 1, 1, 1 of A by v_mfma_f32_16x16x4_4b_f16\n"
        "  hint: legal: one block for each run of 2 or 4, at the same place in every run, such as 0, 0, 2, 2"),
    ),
    "blocks of B": (
        lambda k: ops.mma(
            k, batch(k, "f32", "rt_64x32_4", "col"), batch(k, "f16", "rt_64x4"), batch(k, "f16", "rt_64x4"),
            blocks=(None, (1, 0)),
        ),
        "mma ABt: blocks 1, 0 of B by v_mfma_f32_32x32x4_2b_f16\n  hint: legal: 0, 1; 0, 0; 1, 1",
    ),
    "blocks": (
        lambda k: ops.mma(k, tile(k, layout="col"), tile(k, "bf16"), tile(k, "bf16"), blocks=(0, 1)),
        "mma ABt: blocks (0, 1)\n  hint: legal: one list for A and one for B, or None for its own blocks",
    ),
    "one block": (
        lambda k: ops.mma(k, tile(k, layout="col"), tile(k, "bf16"), tile(k, "bf16"), blocks=((0,), (1,))),
        ("mma ABt: blocks 1 of B by v_mfma_f32_16x16x16_bf16\n"
        "  hint: legal: none to choose; v_mfma_f32_16x16x16_bf16 takes every block as it stands"),
    ),
    "conversion": (
        lambda k: ops.convert(k, tile(k, "fp4"), tile(k)),
        "convert: no f32 to fp4 on gfx942\n  hint: legal: f16, bf16, fp8, bf8, f64, i32, i8",
    ),
    "noise": (
        lambda k: ops.convert(k, tile(k, "fp8"), tile(k), rounding="sr"),
        "convert: rounding sr without noise\n  hint: legal: noise= for sr alone",
    ),
    "LDS": (
        lambda k: ops.load_shared(
            k, tile(k, "bf16"), SharedTile("A", "bf16", 32, 32, shared_shape("st_16x32", "bf16")),
            instruction="ds_read_b128",
        ),
        ("load: ds_read_b128 does not move rt_16x16 row layout of bf16 in st_16x32 on gfx942\n"
        "  hint: legal: ds_read_b64, ds_read2_b32, ds_read_b32, ds_read_u16"),
    ),
    "layout": (
        lambda k: ops.swap_layout(k, tile(k, layout="col"), tile(k)),
        ("swap_layout: 32x32 f32 of rt_16x16, row layout to rt_16x16, col layout, in registers alone\n"
        "  hint: legal: through= LDS (only gfx950 exchanges rows of lanes)"),
    ),
    "infinity": (
        lambda k: ops.neg_infty(k, tile(k, "fp8")),
        "fill: fp8 has no infinity on gfx942\n  hint: legal: a finite number",
    ),
    "reduction": (
        lambda k: ops.row_sum(k, RegVec.for_cols(k, "v", tile(k)), tile(k)),
        "row_sum: v has a value for every col\n  hint: legal: one for every row",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refusals(name: str) -> None:
    build, text = CASES[name]
    with pytest.raises(UsageError) as caught:
        build(Builder("gfx942"))
    message = str(caught.value)
    assert message.startswith("test_errors.py:")
    assert message.split(": ", 1)[1] == text


def test_temporaries_are_checked() -> None:
    k = Builder("gfx950")
    x = tile(k)
    with pytest.raises(RegisterError, match="silu: wants 4 temporary VGPRs from an even number on, got few"):
        ops.silu(k, x, x, temps=k.vgpr("few", 2))


def test_refused_operations_leave_nothing_behind() -> None:
    """Temporaries go back even where an operation is refused half way."""
    k = Builder("gfx942")
    x, y = tile(k), tile(k, layout="col")
    held = {letter: file.in_use for letter, file in k.files.items()}
    with pytest.raises(UsageError):
        ops.swap_layout(k, y, x)
    with pytest.raises(UsageError):
        ops.div(k, x, x, y)
    assert {letter: file.in_use for letter, file in k.files.items()} == held


USES: dict[str, Callable[[Builder, RegTile, RegTile], object]] = {
    "zero": lambda k, gone, held: ops.zero(k, gone),
    "copy": lambda k, gone, held: ops.copy(k, held, gone),
    "add": lambda k, gone, held: ops.add(k, held, held, gone),
    "exp2": lambda k, gone, held: ops.exp2(k, gone, held),
    "sum": lambda k, gone, held: ops.row_sum(k, RegVec.for_rows(k, "v", held), gone),
    "convert": lambda k, gone, held: ops.convert(k, held, gone.as_dtype("i32")),
    "mma": lambda k, gone, held: ops.mma(k, tile(k, layout="col"), held, gone),
    "mma c": lambda k, gone, held: ops.mma(k, gone.transposed(), held, held, gone.transposed()),
    "mask": lambda k, gone, held: ops.tril(k, held, gone),
    "swap": lambda k, gone, held: ops.swap_layout(k, tile(k, shape="rt_16x16_2"), gone),
    "LDS": lambda k, gone, held: ops.load_shared(
        k, gone, SharedTile("A", "f32", 32, 32, shared_shape("st_16x16", "f32"))
    ),
    "LDS store": lambda k, gone, held: ops.store_shared(
        k, SharedTile("A", "f32", 32, 32, shared_shape("st_16x16", "f32")), gone
    ),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_tiles_that_were_freed_are_refused_at_once(use: str) -> None:
    k = Builder("gfx950")
    gone, held = RegTile.allocate(k, "gone", "f32", 32, 32, "rt_16x16"), tile(k)
    gone.free(k)
    with pytest.raises(RegisterError, match=r"gone.*: used after its registers v\[2:17\] were freed at test_errors"):
        USES[use](k, gone, held)

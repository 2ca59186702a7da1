"""The swizzle solver: all of its family searched, never worse than the published swizzles, honest where none exists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hkasm.errors import UsageError
from hkasm.tiles import solver
from hkasm.tiles.conflicts import conflicts
from hkasm.tiles.layout import TileForm, base_shape
from hkasm.tiles.shared import Padding, SharedShape, SharedTile, shared_shape
from hkasm.tiles.solver import Need, solve
from hkasm.tiles.swizzle import Swizzle

ROWS = Need("rt_16x32", "row", "ds_read_b128")
COLUMNS = Need("rt_16x32", "col", "ds_read_b64_tr_b16")
STORES = Need("rt_16x16", "row", "ds_write_b64")


def judged(shape: SharedShape, need: Need, dtype: str = "bf16", arch: str = "gfx950") -> int:
    tile, form = solver._tile(shape, dtype, need)
    return conflicts(arch, tile, form, need.instruction).lost


@pytest.mark.parametrize(
    ("arch", "dtype", "size", "needs"),
    [
        ("gfx950", "bf16", (8, 32), (ROWS, COLUMNS)),
        ("gfx950", "bf16", (16, 16), (Need("rt_16x16", "row", "ds_read_b64"), STORES)),
        ("gfx950", "bf16", (8, 32), (Need("rt_16x16", "col", "ds_read_u16"),)),
        ("gfx942", "f32", (8, 16), (Need("rt_16x16", "col", "ds_write_b32"), Need("rt_16x16", "row", "ds_read_b128"))),
        ("gfx950", "fp6", (4, 128), (Need("rt_16x128_32", "row", "ds_read_b96"),)),
    ],
)
def test_the_search_counts_as_the_analyser_does(
    arch: str, dtype: str, size: tuple[int, int], needs: tuple[Need, ...]
) -> None:
    """A sample of the family, swizzle by swizzle; the solution is the best of all that the search has seen."""
    shape = solve(arch, dtype, *size, needs).shape
    linear = replace(shape, swizzle=Swizzle())
    questions = [solver._question(arch, linear, dtype, need) for need in needs]
    assert solver._lost_linear(questions) == sum(judged(linear, need, dtype, arch) for need in needs)
    low = max(question.chunk for question in questions).bit_length() - 1
    top = max(question.top for question in questions)
    rng = np.random.default_rng(0)
    least = solver._lost_linear(questions)
    for targets, sources in solver._families(low, top, linear.bytes.bit_length() - 1):
        lost = solver._lost(questions, targets, sources)
        least = min(least, int(lost.min()))
        for flat in rng.integers(0, lost.size, min(lost.size, 12)):
            place = np.unravel_index(flat, lost.shape)
            pairs = frozenset(
                (source, target)
                for target, reads in zip(targets, place, strict=True)
                for number, source in enumerate(sources)
                if int(reads) >> number & 1
            )
            swizzled = replace(linear, swizzle=Swizzle.of_pairs(pairs))
            assert lost[place] == sum(judged(swizzled, need, dtype, arch) for need in needs)
    assert sum(judged(shape, need, dtype, arch) for need in needs) == least


# What HipKittens' kernels read and write of each of its shapes.
USED = (
    ("st_16x32", "bf16", (ROWS, COLUMNS)),
    ("st_16x16_swizzled", "bf16", (STORES, Need("rt_32x16_4", "col", "ds_read_b64_tr_b16"))),
    ("st_32x16", "bf16", (Need("rt_32x16", "row", "ds_read_b128"), Need("rt_32x16_4", "col", "ds_read_b64_tr_b16"))),
    ("st_32x32", "bf16", (ROWS, COLUMNS, Need("rt_32x16", "row", "ds_read_b128"),
                          Need("rt_32x32_8", "row", "ds_read_b128"), Need("rt_32x32", "col", "ds_read_b64_tr_b16"))),
    ("st_8x32", "bf16", (COLUMNS,)),
    ("st_16x16", "bf16", (ROWS, Need("rt_16x16", "col", "ds_read_b64_tr_b16"))),
    ("st_16x128", "fp8", (Need("rt_16x128", "row", "ds_read_b128"),)),
    ("st_16x128", "fp6", (Need("rt_16x128_32", "row", "ds_read_b96"),)),
    ("st_16x128", "fp4", (Need("rt_16x128_32", "row", "ds_read_b128"),
                          Need("rt_128x16_32", "col", "ds_read_b64_tr_b4"))),
)  # fmt: skip


@pytest.mark.parametrize(("name", "dtype", "needs"), USED, ids=lambda value: value if isinstance(value, str) else None)
def test_never_worse_than_the_shipped_swizzle(name: str, dtype: str, needs: tuple[Need, ...]) -> None:
    shipped = shared_shape(name, dtype)
    found = solve("gfx950", dtype, shipped.rows, shipped.cols, needs)
    ours, theirs = sum(cost.lost for cost in found.costs), sum(judged(shipped, need, dtype) for need in needs)
    assert ours <= theirs
    if dtype in ("bf16", "fp8", "fp6"):
        assert ours == theirs == 0
        assert found.free


SINGLE = [
    (register, layout, instruction, shared)
    for layout, registers in (
        ("row", {"rt_16x32": "b128", "rt_32x16": "b128", "rt_32x32_8": "b128", "rt_16x16": "b64", "rt_32x32": "b64",
                 "rt_32x16_4": "b64", "rt_16x32_4": "b64"}),
        ("col", dict.fromkeys(("rt_16x32", "rt_16x32_4", "rt_32x32", "rt_32x16", "rt_32x16_4", "rt_16x16"),
                              "b64_tr_b16")),
    )
    for register, suffix in registers.items()
    for instruction in (f"ds_read_{suffix}",)
    for shared in ("st_16x16", "st_32x32", "st_16x32", "st_32x16", "st_8x32")
]  # fmt: skip


def test_never_worse_for_any_single_pair_of_the_published_table() -> None:
    for register, layout, instruction, shared in SINGLE:
        shipped = shared_shape(shared, "bf16")
        need = Need(register, layout, instruction)  # type: ignore[arg-type]
        found = solve("gfx950", "bf16", shipped.rows, shipped.cols, (need,))
        assert found.costs[0].lost <= judged(shipped, need), (need, shared)


def test_rows_columns_and_stores_of_16x32_together() -> None:
    """No XOR swizzle serves all three: b128 rows keep bit 3 of the offset, which 16 rows of 8-byte stores need.

    Nor does any other map that keeps aligned chunks of 16 bytes: a phase of stores writes the same half of a chunk in
    16 rows, so that it meets 8 of the 16 pairs of banks. The next test tries padded rows.
    """
    found = solve("gfx950", "bf16", 16, 32, (ROWS, COLUMNS, STORES))
    assert not found.free
    assert [cost.worst for cost in found.costs] == [1, 1, 2]
    assert found.searched == 1 + sum(
        2 ** (len(targets) * len(sources)) for targets, sources in solver._families(4, 8, 10)
    )
    text = str(found)
    assert text.startswith(
        "none of 3969 XOR swizzles serves 16x32 elements of 16 bits in chunks of 16 bytes without conflicts; best: o ^"
    )
    assert "ds_write_b64 of rt_16x16 row layout: 8 conflicts, worst 2-way (measured" in text
    # Rows read 8 bytes at a time need no chunks of 16: then one swizzle serves everything.
    narrow = solve("gfx950", "bf16", 16, 32, (Need("rt_16x32_4", "row", "ds_read_b64"), COLUMNS, STORES))
    assert narrow.free
    assert str(narrow).startswith("o ^ (((o % 1024) >> 7) << 3) serves 16x32 elements of 16 bits in chunks of 8 bytes")


@pytest.mark.parametrize("padding", range(0, 272, 16))
def test_padded_rows_do_not_serve_rows_and_stores_together_either(padding: int) -> None:
    stored = SharedShape("padded", 1, 32, 16, padding=Padding(64, padding) if padding else None)
    tile = SharedTile("padded", "bf16", 16, 32, stored)
    stores = conflicts("gfx950", tile, TileForm("bf16", 16, 32, base_shape("rt_16x16"), "row"), "ds_write_b64")
    assert stores.worst >= 2


def test_chunks_for_direct_loads() -> None:
    needs = (Need("rt_16x16", "row", "ds_read_b64"),)
    assert solve("gfx950", "bf16", 16, 16, needs).chunk_bytes == 8
    wide = solve("gfx950", "bf16", 16, 16, needs, chunk_bytes=16)
    assert wide.shape.swizzle.chunk_bytes >= 16 or not wide.shape.swizzle
    form = TileForm("bf16", 16, 16, base_shape("rt_16x16"), "row")
    assert (
        conflicts("gfx950", SharedTile("t", "bf16", 16, 16, wide.shape), form, "ds_read_b64").lost == wide.costs[0].lost
    )


def test_questions_without_an_answer() -> None:
    with pytest.raises(UsageError, match="a swizzle for no access"):
        solve("gfx950", "bf16", 16, 32, ())
    with pytest.raises(UsageError, match="rows of 96 bytes"):
        solve("gfx950", "bf16", 16, 48, (ROWS,))
    with pytest.raises(UsageError, match="two addresses a lane"):
        solve("gfx950", "bf16", 16, 32, (Need("rt_16x32", "row", "ds_read2_b64"),))
    with pytest.raises(UsageError, match="swizzles are too many to search"):
        solve("gfx950", "bf16", 128, 64, (STORES,))
    with pytest.raises(UsageError, match="no LDS bank row for 'read_tr_b16' on gfx942"):
        solve("gfx942", "bf16", 16, 32, (COLUMNS,))

"""Tables of lane numbers become code: what runs is the table, in as few instructions as the terms allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.emulate import Kit, run, zeros

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.tiles.access import lds_accesses
from hkasm.tiles.lanes import bit_columns, bit_summands, share_bases, write_bases, write_table
from hkasm.tiles.layout import TileForm, base_shape
from hkasm.tiles.shared import SharedTile, shared_shape


def table_of(base: int, columns: list[int]) -> np.ndarray:
    lane = np.arange(1 << len(columns))
    made = np.full(lane.size, base)
    for bit, column in enumerate(columns):
        made ^= (lane >> bit & 1) * column
    return made


@settings(max_examples=15)
@given(
    tables=st.lists(
        st.tuples(st.integers(0, 4095), st.lists(st.integers(0, 4095), min_size=6, max_size=6)), min_size=1, max_size=4
    )
)
def test_what_runs_is_the_table(tables: list[tuple[int, list[int]]]) -> None:
    made = [table_of(base, columns) for base, columns in tables]
    lane = np.arange(64)
    made += [base + lane % 8 * columns[0] + lane // 8 * columns[1] for base, columns in tables]
    made += [12 * (lane ^ lane // 8) + base for base, _ in tables[:1]]
    for base, columns in tables:  # sums in steps of both signs, and entries below zero
        steps = [step * (-1) ** (base >> bit & 1) * (1 + 2000 * (bit == 3)) for bit, step in enumerate(columns)]
        made.append(base + sum((lane >> bit & 1) * step for bit, step in enumerate(steps)))
        made.append(table_of(base, columns) - 4096)

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        target, free, offset = k.vgpr("target"), k.vgpr("free"), k.lane_bytes()
        for table in made:
            write_table(k, target, k.lane, table, free)
            k.global_store_dword(offset, target, out, offset=0)
            k.v_add_u32(offset, 256, offset)

    outcome = run(body, {"out": zeros(64 * len(made))})
    assert (outcome.arrays["out"].reshape(-1, 64) == (np.array(made) & 0xFFFF_FFFF)).all()


def count(table: np.ndarray) -> int:
    k = Builder("gfx950", "count")
    target, free = k.vgpr("target"), k.vgpr("free")
    write_table(k, target, k.lane, table, free)
    return len(k.items)


def test_how_many_instructions() -> None:
    lane = np.arange(64)
    assert count(lane) == 1
    assert count(lane // 16) == 1
    assert count(lane % 16 * 64) == 2
    assert count(lane % 16 * 64 + lane // 16 * 16) == 3
    assert count(lane * 0 + 7) == 1
    assert count(lane % 16 * 96 + lane // 16 * 24) == 5


@pytest.mark.parametrize("shape", ["st_16x32", "st_32x32", "st_16x16_swizzled"])
def test_bases_of_a_tile(shape: str) -> None:
    """Every access of a tile is a base plus an offset; a second base is one exclusive or away from the first."""
    stored = SharedTile("A", "bf16", 64, 64, shared_shape(shape, "bf16"))
    form = TileForm("bf16", 64, 64, base_shape("rt_16x16"), "row")
    wanted = [access.address for access in lds_accesses(stored, form, "ds_read_b64")]
    bases = share_bases(wanted)
    for table, (number, offset) in zip(wanted, bases.uses, strict=True):
        assert (bases.tables[number] + offset == table).all()
        assert 0 <= offset <= 0xFFFF
    assert len(bases.tables) == {"st_16x32": 2, "st_32x32": 4, "st_16x16_swizzled": 1}[shape]

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        targets, free, offset = [k.vgpr("base") for _ in bases.tables], k.vgpr("free"), k.lane_bytes()
        before = len(k.items)
        write_bases(k, targets, k.lane, bases, free)
        first = len(k.items) - before
        assert first <= 8 + len(targets) - 1
        for number, target in enumerate(targets):
            k.global_store_dword(offset, target, out, offset=256 * number)

    outcome = run(body, {"out": zeros(64 * len(bases.tables))})
    assert (outcome.arrays["out"].reshape(-1, 64) == np.array(bases.tables)).all()


def test_offsets_that_do_not_fit_take_another_base() -> None:
    tables = [np.arange(64) * 16 + start for start in (70000, 0, 65535, 64)]
    assert share_bases(tables).uses == ((1, 0), (0, 0), (0, 65535), (0, 64))
    assert len(share_bases(tables, limit=100).tables) == 3


def test_tables_that_are_no_bits() -> None:
    assert bit_columns(np.arange(64) * 3) is None
    assert bit_summands(np.arange(64) * 3 + 5) == (5, (3, 6, 12, 24, 48, 96))
    k = Builder("gfx950", "bad")
    with pytest.raises(UsageError, match="no exclusive or, and no sum, of the bits"):
        write_table(k, k.vgpr("t"), k.lane, np.arange(64) ** 2, k.vgpr("f"))
    for table, text in (
        (np.arange(64) % 8 * (1 << 24) + np.arange(64) // 8 * 5, "an index map with steps of 16777216"),
        (np.arange(64) // 8 * 5 - np.arange(64) % 8 * 8_388_609, "an index map with steps of -8388609"),
        (100 - 12 * (np.arange(64) ^ np.arange(64) // 8), "no exclusive or, and no sum, of the bits"),
        (np.arange(64) << 27, "an index map with entries from 0 to 8455716864"),
    ):
        with pytest.raises(UsageError, match=text):
            write_table(k, k.vgpr("t"), k.lane, table, k.vgpr("f"))
    with pytest.raises(UsageError, match="an index map of 48 entries"):
        bit_columns(np.arange(48))

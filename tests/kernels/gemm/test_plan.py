"""The GEMM's index maps: LDS without conflicts, every element once, output columns in one piece."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from support.gemm_family import ARCHS, declared

from hkasm.isa.arch import get_arch
from hkasm.isa.banks import bank_cycles
from hkasm.isa.mfma.layout import operand_layout
from hkasm.kernels.gemm.declared import WAVES, GemmConfig, plan_of
from hkasm.kernels.gemm.fetch import commit_table
from hkasm.kernels.gemm.plan import CHUNK_BYTES, FRAGMENT, HALVES, LOAD_BYTES, WAVE_SIZE, Side, TilePlan

DTYPES = ("bf16", "fp8", "i8", "f32", "mxfp8", "mxfp6", "mxfp4")


SAMPLE = 60


def plans() -> list[tuple[str, TilePlan]]:
    found = []
    for arch, (tile, schedule), dtype, trans in itertools.product(ARCHS, WAVES, DTYPES, ("TN", "NN", "NT", "TT")):
        values = {"tile": tile, "schedule": schedule, "dtype": dtype, "trans": trans}
        if declared(arch, values):
            found.append((f"{arch}-{tile}-{schedule}-{dtype}-{trans}", plan_of(arch, GemmConfig.of(values))))
    return found


PLANS = dict(random.Random(3).sample(plans(), SAMPLE))


@pytest.fixture(params=PLANS)
def plan(request: pytest.FixtureRequest) -> TilePlan:
    return PLANS[request.param]


def waves(table: np.ndarray) -> np.ndarray:
    return table.reshape(-1, WAVE_SIZE)


def test_lines_fit_lds_without_overlap(plan: TilePlan) -> None:
    starts = [
        (side.start(half, slot), side.start(half, slot) + side.half_bytes)
        for side in plan.sides
        for slot in range(plan.slots)
        for half in HALVES
    ]
    ranges = sorted(starts)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ranges))
    assert ranges[-1][1] == plan.lds_bytes <= get_arch(plan.arch).lds_bytes


def test_every_read_and_write_of_lds_is_free_of_conflicts(plan: TilePlan) -> None:
    for side in plan.sides:
        for fragment in range(side.fragments):
            for piece in side.pieces(fragment):
                addresses = waves(side.read_base(piece.base)) + piece.offset
                assert not bank_cycles(plan.arch, piece.mnemonic, addresses).conflicts.any()
        if side.scaled:
            addresses = waves(side.scale_read())
            assert not bank_cycles(plan.arch, "ds_read_b32", addresses).conflicts.any()
    assert bank_cycles(plan.arch, "ds_write_b128", np.arange(64) * CHUNK_BYTES).conflicts == 0


def test_threads_fetch_every_chunk_of_a_half_tile_once(plan: TilePlan) -> None:
    for side in plan.sides:
        chunks = [
            (int(line), int(byte))
            for part in range(side.parts)
            for lane, (line, byte) in enumerate(zip(side.fetch_line(part), side.fetch_byte(part), strict=True))
            if lane % WAVE_SIZE < side.lanes_of_part(part)
        ]
        assert len(set(chunks)) == len(chunks) == side.lines * side.line_bytes // CHUNK_BYTES
        assert {line for line, _ in chunks} == set(range(side.lines))
        assert {byte for _, byte in chunks} == set(range(0, side.line_bytes, CHUNK_BYTES))


def element_codes(side: Side) -> np.ndarray:
    """LDS of a half tile: row << 16 | k of the element that each place of an element holds, fetched as planned."""
    unit = side.bits // 8
    lds = np.full(side.half_bytes // unit, -1)
    for part in range(side.parts):
        place = commit_table(side) - side.first_byte + part * LOAD_BYTES
        line, byte = side.fetch_line(part), side.fetch_byte(part)
        for number in range(CHUNK_BYTES // unit):
            along = byte // unit + number
            row, k = (along, line) if side.along_k else (line, along)
            lds[place // unit + number] = row << 16 | k
    return lds


def fragment_codes(side: Side, wave: int, fragment: int) -> np.ndarray:
    """Row << 16 | k of every element [element of a lane, lane] that a wave's fragment holds."""
    unit, lds = side.bits // 8, element_codes(side)
    elements = np.full((side.fragment_registers * 4 // unit, WAVE_SIZE), -1)
    for piece in side.pieces(fragment):
        address = waves(side.read_base(piece.base))[wave] + piece.offset
        size = piece.registers * 4 // unit
        read = np.stack([lds[address // unit + number] for number in range(size)])
        if "_tr_" in piece.mnemonic:  # element j of lane i of 16 is element i % E of lane (16 / E) j + i / E
            lane = np.arange(WAVE_SIZE)
            source = np.arange(size)[:, None] * (16 // size) + (lane & 15) // size + (lane & ~15)
            read = read[np.broadcast_to((lane & 15) % size, source.shape), source]
        first = piece.first * 4 // unit
        elements[first : first + size] = read
    return elements


def test_a_grouped_side_is_read_by_the_half_of_the_waves_that_fetches_it() -> None:
    seen = {True: 0, False: 0}
    for name, plan in plans():
        for side in plan.sides:
            if side.strided or side.scaled:
                assert not side.grouped
                continue
            fetchers = np.empty(side.lines, np.int64)
            for part in range(side.parts):
                line, _ = side._fetched(part, CHUNK_BYTES)
                fetchers[line] = np.arange(side.waves * WAVE_SIZE) // WAVE_SIZE // max(side.waves // 2, 1)
            first = side.read_row()
            readers = np.arange(side.waves * WAVE_SIZE) // WAVE_SIZE // max(side.waves // 2, 1)
            alone = all(
                np.array_equal(fetchers[first + fragment * FRAGMENT], readers) for fragment in range(side.fragments)
            )
            assert side.grouped == alone, f"{name} {side.name}"
            seen[alone] += 1
    assert min(seen.values()) > 10


def test_fragments_hold_the_rows_of_the_output_and_pair_equal_k(plan: TilePlan) -> None:
    """Both operands of every matrix instruction hold the same k in the same place; rows are those that are stored."""
    if min(side.bits for side in plan.sides) < 8:
        pytest.skip("elements of less than a byte are held to the emulator")
    held = {}
    for side in plan.sides:
        codes = fragment_codes(side, 0, 0)
        rows, k = codes >> 16, codes & 0xFFFF
        assert (rows == rows[0]).all()
        assert len(np.unique(codes)) == codes.size
        held[side.name] = k
        if side.name == "A":
            assert (rows[0] == plan.row_base()[:WAVE_SIZE]).all()
    assert (held["A"] == held["B"]).all()
    assert (np.sort(held["A"].reshape(-1, 4, 16)[:, :, 0].ravel()) == np.arange(plan.depth)).all()


def test_eight_bit_fragments_of_gfx950_are_the_instructions_own_layout() -> None:
    """Where scales or mixed formats could tell k apart, k is the true one."""
    plan = plan_of("gfx950", GemmConfig(dtype="fp8", tile="256x256"))
    layout = operand_layout(plan.multiply, "A", "fp8")
    assert (fragment_codes(plan.a, 0, 0) & 0xFFFF == layout.col.reshape(32, WAVE_SIZE)).all()


def test_a_lane_holds_a_run_of_columns_and_lane_groups_whole_segments(plan: TilePlan) -> None:
    """D of a 16x16 product has row 4 * (lane / 16) + register; its rows are columns of C here."""
    lane = np.arange(WAVE_SIZE)
    columns = np.arange(plan.b.half)
    assert sorted(plan.b.row_of_line(columns)) == list(columns)
    base = plan.column_base()[:WAVE_SIZE]
    for run in range(plan.runs):
        held = np.stack(
            [
                plan.b.row_of_line((run * plan.columns_a_run + j) * 16 + 4 * (lane // 16) + register)
                for j in range(plan.columns_a_run)
                for register in range(4)
            ]
        )
        assert (held == base + plan.column_step(run) + np.arange(plan.run)[:, None]).all()

"""Unit behaviour of the compute unit: each row of the published list, with its clocks.

Sources: SQTT trace of a gfx950 GEMM, AMD's gfx950 Gluon tutorials (GLU), PyHIP's stride benchmark (gfx942).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.model_loops import Tile, clustered, interleaved, run, stream, uops, word

from hkasm.errors import UsageError
from hkasm.isa.banks import bank_cycles
from hkasm.model.constants import timing
from hkasm.model.cu import ComputeUnit, Wave
from hkasm.model.cycles import play
from hkasm.model.uops import Uop

LANES = np.arange(64)


def waves_of(arch: str, streams: list[list[Uop]], starts: list[int] | None = None, latency: int = 300) -> list[Wave]:
    unit = ComputeUnit(timing(arch), [streams], (latency,), starts or [0] * len(streams))
    unit.run()
    return unit.waves


def interval(wave: Wave, body: int = 1, first: int = 16, last: int = 48) -> float:
    """Return the clocks of one repetition of a body in the steady part."""
    return (wave.issued[last * body] - wave.issued[first * body]) / (last - first)


def alone(arch: str, *body: str, waves: int = 1) -> float:
    return interval(waves_of(arch, [stream(arch, body, 64)] * waves)[-1], len(body))


def test_dependent_additions_issue_every_four_clocks() -> None:
    assert alone("gfx950", "add") == 4


@pytest.mark.parametrize(("name", "clk"), [("mfma", 16), ("mfma32", 32), ("mfma8", 32), ("mfma4", 16), ("scaled4", 16)])
def test_independent_matrix_products(name: str, clk: int) -> None:
    assert alone("gfx950", name) == clk


@pytest.mark.parametrize(("extra", "count", "clk"), [
    ("add", 1, 32), ("add", 6, 32), ("add", 7, 36), ("add", 9, 44),
    ("exp", 1, 32), ("exp", 3, 32), ("exp", 4, 40), ("exp", 5, 48),
])  # fmt: skip
def test_what_hides_behind_a_32x32x16(extra: str, count: int, clk: int) -> None:
    assert alone("gfx950", "mfma32", *[extra] * count) == clk


def test_packed_f32_does_not_run_beside_products() -> None:
    assert alone("gfx950", "mfma32", "packed") == 32 + 8


@pytest.mark.parametrize(("read", "one", "four"), [(1, 8, 16), (2, 8, 32), (4, 16, 64), (8, 32, 128), (16, 64, 256)])
def test_ds_read_b128_on_gfx950(read: int, one: int, four: int) -> None:
    """A read with 1-, 2-, 4-, 8-way conflicts and unaligned, for one wave and for four on four SIMDs (GLU)."""
    plain = word("gfx950", "read")
    body = [plain.with_banks(read * plain.bank)] * 64 + [word("gfx950", "end")]
    assert interval(waves_of("gfx950", [body])[0]) == one
    assert interval(waves_of("gfx950", [body] * 4)[-1]) == four


def test_first_lds_data_comes_after_50_to_70_clocks() -> None:
    wave = waves_of("gfx950", [stream("gfx950", ["read", "wait::0", "add"], 1)])[0]
    assert 50 <= wave.issued[2] - wave.issued[0] - 4 <= 70


@pytest.mark.parametrize(("stride", "clk"), [(4, 8.07), (8, 16.06), (16, 32.03), (32, 64.0)])
def test_ds_read_b32_strides_on_gfx942(stride: int, clk: float) -> None:
    """A read of a CU takes what the banks take (PyHIP, dword strides)."""
    cost = int(bank_cycles("gfx942", "ds_read_b32", LANES * stride * 4).cycles)
    body = [word("gfx942", "read32").with_banks(cost)] * 64 + [word("gfx942", "end")]
    waves = waves_of("gfx942", [body] * 4)
    assert interval(waves[-1]) / 4 == pytest.approx(clk, rel=0.02)


def test_ds_read_b128_on_gfx942_takes_8_clocks_of_a_cu() -> None:
    assert alone("gfx942", "read", waves=4) / 4 == 8
    assert alone("gfx942", "read") == 16


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_wave_is_held_while_an_lds_write_leaves_its_registers(arch: str) -> None:
    """4 clocks for the address, 16 for the data of 16 bytes a lane: a product of 16 clocks does not hide it."""
    assert alone(arch, "mfma", "write") == 4 + 20
    assert alone(arch, "mfma", "read") == 16


@pytest.mark.parametrize(("row_bytes", "clk"), [(128, 64), (1024 + 32, 16)])
def test_a_raw_tile_of_128_byte_rows_conflicts_four_ways(row_bytes: int, clk: int) -> None:
    """Lane l reads 16 bytes of row l % 16 at chunk l // 16.

    GLU v3 pads 16 elements behind 512; rows that are read together lie in different blocks of 512.
    """
    address = LANES % 16 * row_bytes + LANES // 16 * 16
    cost = int(bank_cycles("gfx950", "ds_read_b128", address).cycles)
    body = [word("gfx950", "read").with_banks(cost)] * 64 + [word("gfx950", "end")]
    assert interval(waves_of("gfx950", [body] * 4)[-1]) == clk


def test_sixteen_loads_a_wave() -> None:
    """The first three or four of each wave go at once, then one in 64 clocks a wave."""
    waves = waves_of("gfx950", [stream("gfx950", ["load"], 16)] * 4)
    for wave in waves:
        gaps = np.diff(wave.issued[:16])
        assert (gaps[:2] == 4).all()
        assert (gaps[4:] == 64).all()


@pytest.mark.parametrize(("skew", "clk"), [(0, 32), (4, 16)])
def test_scaled_products_leave_one_lds_slot_that_pairs_of_simds_share(skew: int, clk: int) -> None:
    """Eight waves, one of a SIMD multiplies and one reads: in phase a read in 32 clocks, with a skew of 4 in 16."""
    products, reads = stream("gfx950", ["scaled4"], 400), stream("gfx950", ["read"], 64)
    waves = waves_of("gfx950", [products] * 4 + [reads] * 4, [0, skew, 0, skew] * 2)
    assert interval(waves[4]) == interval(waves[5]) == clk
    assert interval(waves[0], 1, 16, 64) == 16


def test_scaled_products_go_before_reads_of_a_higher_priority() -> None:
    """In phase a read still takes 32 clocks: the scales of a product are fetched in the slot in which it issues."""
    products, reads = stream("gfx950", ["scaled4"], 400), stream("gfx950", ["high", *["read"] * 64], 1)
    waves = waves_of("gfx950", [products] * 4 + [reads] * 4)
    assert interval(waves[4], 1, 17) == interval(waves[5], 1, 17) == 32
    plain = waves_of("gfx950", [stream("gfx950", ["mfma"], 400)] * 4 + [reads] * 4)
    assert interval(plain[4], 1, 17) == 16


def test_scaled_products_with_a_read_each_fall_out_of_phase_by_themselves() -> None:
    assert alone("gfx950", "scaled4", "read", waves=4) == 16


def test_a_perfectly_interleaved_step_takes_2048_clocks() -> None:
    body = interleaved(Tile(256, 256))[2:]  # without the wait and the barrier, which are one wait and one slot
    cycles = run("gfx950", [word for word in body if word not in ("m0",)], 4)
    assert cycles.period == pytest.approx(2048, rel=0.005)


def test_the_clustered_step_takes_3550_to_3590_clocks() -> None:
    assert 3550 <= run("gfx950", clustered(Tile(256, 256)), 4).period <= 3590


def test_waits_count_in_order_and_resume_in_the_next_slot() -> None:
    body = ["load", "load", "wait:1:", "add", "wait:0:", "add"]
    wave = waves_of("gfx950", [stream("gfx950", body, 1)], latency=400)[0]
    first, second = wave.issued[3], wave.issued[5]
    assert first == pytest.approx(4 + 16 + 400 + 4, abs=4)
    assert second - first == 16  # the second load is served 16 clocks behind the first


def test_a_barrier_holds_the_early_waves() -> None:
    early, late = stream("gfx950", ["barrier", "add"], 1), stream("gfx950", [*["add"] * 100, "barrier", "add"], 1)
    waves = waves_of("gfx950", [early, late])
    assert waves[0].issued[1] == waves[1].issued[101]
    assert waves[0].stalls[0, "barrier"] == pytest.approx(400, abs=8)


def test_priority_goes_before_age() -> None:
    old, young = stream("gfx950", ["mfma"], 40), stream("gfx950", ["high", *["mfma"] * 40], 1)
    idle = stream("gfx950", ["add"], 1)
    waves = waves_of("gfx950", [old, idle, idle, idle, young])
    assert waves[4].issued[-2] < waves[0].issued[-2]


def test_direct_loads_go_before_lds_writes() -> None:
    write = [word("gfx950", "write")] * 20
    loads = [word("gfx950", "direct")] * 8
    end = [word("gfx950", "end")]
    wait = replace(word("gfx950", "wait::0"), index=9)
    writers = [[*write, wait, *end]] * 4
    alone_clk = waves_of("gfx950", writers, latency=20)[0].issued[-1]
    beside = waves_of("gfx950", [*writers, [*loads, *end]], latency=20)[0].issued[-1]
    assert beside > alone_clk


def test_taken_branches_cost_a_refetch() -> None:
    def body(k: object) -> None:
        k.s_cbranch_scc1(k.place("top"))  # type: ignore[attr-defined]

    branch = uops("gfx950", body)[0]  # type: ignore[arg-type]
    taken = [replace(word("gfx950", "add"), index=0), replace(branch, index=1)] * 4
    wave = waves_of("gfx950", [[*taken, replace(word("gfx950", "end"), index=2)]])[0]
    assert wave.issued[2] - wave.issued[1] == 16
    assert wave.issued[8] - wave.issued[7] == 4


def test_an_empty_workgroup_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to play"):
        play("gfx950", [[]])

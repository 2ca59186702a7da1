"""Operations at work together: an online softmax, special values, base tiles; what is emitted, and by which line."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.tilesweep.numbers import to_codes, to_values
from support.tilesweep.runner import WAVES, Bench, Case, Outcome, run_cases, vector_index

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction
from hkasm.tiles import ops
from hkasm.tiles.register import RegTile, RegVec

Array = npt.NDArray[Any]
ARCHS = ("gfx942", "gfx950")


def run(arch: str, emit: Any) -> None:
    """Run one kernel and let its own expectations judge."""
    outcome = Outcome()
    run_cases([(Case("", "sequence", arch, "", "", "", ""), emit)], arch, outcome)
    assert outcome.failures == []


def f32(values: Array) -> Array:
    return to_codes(np.ascontiguousarray(values, np.float32), "f32", "gfx950")


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("layout", ["row", "col"])
@pytest.mark.parametrize("growth", [0.5, 40.0, 200.0])
def test_online_softmax_rescales(arch: str, layout: str, growth: float) -> None:
    """The maximum grows from block to block, by far more than 8 in log2 units: old sums shrink to nothing."""
    rows, cols, blocks = 32, 64, 3
    rng = np.random.default_rng(5)
    scores = [
        (rng.standard_normal((WAVES, rows, cols)) * 3 + growth * block).astype(np.float32) for block in range(blocks)
    ]
    scores[1][:, 3] = -np.inf  # a row that is masked in one block

    def emit(k: Bench, case: Case) -> None:
        tiles = [k.tile(f"s{block}", "f32", rows, cols, "rt_16x16", layout) for block in range(blocks)]
        peak, new, scale, total, part = (
            RegVec.for_rows(k, name, tiles[0]) for name in ("peak", "new", "scale", "total", "part")
        )
        for tile, values in zip(tiles, scores, strict=True):
            k.fill(tile, f32(values))
        k.ready()
        ops.neg_infty(k, peak)
        ops.zero(k, total)
        for tile in tiles:
            ops.row_max(k, new, tile, acc=peak)
            ops.sub(k, scale, peak, new)
            ops.exp2(k, scale, scale)
            ops.sub(k, tile, tile, new)
            ops.exp2(k, tile, tile)
            ops.row_sum(k, part, tile)
            ops.fma(k, total, total, scale, part)
            ops.copy(k, peak, new)
        whole = np.concatenate(scores, axis=2).astype(np.float64)
        top = whole.max(axis=2)
        wanted = np.exp2(whole - top[:, :, None]).sum(axis=2)
        flat = vector_index(total).reshape(-1, 64)
        k.expect(peak, f32(top)[:, flat])
        k.expect(total, f32(wanted)[:, flat], ulp=64)

    run(arch, emit)


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 2.0**-126, 3e38, -3e38], np.float32)
INF, NAN = np.inf, np.nan
ANSWERS: dict[str, list[float]] = {
    # of    0    -0     1     -1    inf  -inf  nan  denormals   2**-126        3e38       -3e38
    "exp2": [1, 1, 2, 0.5, INF, 0, NAN, 1, 1, 1, INF, 0],
    "log2": [-INF, -INF, 0, NAN, INF, NAN, NAN, -INF, -INF, -126, 127.81826, NAN],
    "rcp": [INF, -INF, 1, -1, 0, -0.0, NAN, INF, -INF, 2.0**126, 0, -0.0],
    "rsqrt": [INF, -INF, 1, NAN, 0, NAN, NAN, INF, -INF, 2.0**63, 5.7735027e-20, NAN],
    "sqrt": [0, -0.0, 1, NAN, INF, NAN, NAN, 0, -0.0, 2.0**-63, 1.7320508e19, NAN],
    "relu": [0, 0, 1, 0, INF, 0, 0, 1e-40, 0, 2.0**-126, 3e38, 0],
    "neg": [-0.0, 0, -1, 1, -INF, INF, NAN, -1e-40, 1e-40, -(2.0**-126), -3e38, 3e38],
    "abs": [0, 0, 1, 1, INF, INF, NAN, 1e-40, 1e-40, 2.0**-126, 3e38, 3e38],
    "exp": [1, 1, np.e, 1 / np.e, INF, 0, NAN, 1, 1, 1, INF, 0],
    "silu": [0, -0.0, 0.7310586, -0.26894143, INF, NAN, NAN, 5e-41, -5e-41, 2.0**-127, 3e38, -0.0],
}
"""What special values give in f32, by the ISA's rules (docstrings of `hkasm.tiles.ops.elementwise`)."""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", ANSWERS)
def test_special_values(arch: str, name: str) -> None:
    values = np.resize(SPECIAL, (WAVES, 16, 16))
    wanted = np.resize(np.array(ANSWERS[name], np.float64).astype(np.float32), (WAVES, 16, 16))

    def emit(k: Bench, case: Case) -> None:
        x, d = (k.tile(n, "f32", 16, 16, "rt_16x16", "row") for n in "xd")
        k.fill(x, f32(values))
        k.ready()
        ops.apply(k, name, d, x)

        def judge(got: Array, want: Array) -> Array:
            found = to_values(got, "f32", arch)
            near = np.isclose(found, wanted, rtol=3e-7, atol=0, equal_nan=True) & (
                np.signbit(found) == np.signbit(wanted)
            )
            return ~(near | (np.isnan(found) & np.isnan(wanted)))

        k.expect(d, f32(wanted), judge=judge)

    run(arch, emit)


@pytest.mark.parametrize("arch", ARCHS)
def test_max_prefers_numbers_and_keeps_signs_of_zero(arch: str) -> None:
    x = np.resize(np.array([NAN, 1.0, NAN, 0.0, -0.0, -0.0, INF], np.float32), (WAVES, 16, 16))
    y = np.resize(np.array([2.0, NAN, NAN, -0.0, 0.0, -0.0, -INF], np.float32), (WAVES, 16, 16))
    highest = np.resize(np.array([2.0, 1.0, NAN, 0.0, 0.0, -0.0, INF], np.float32), (WAVES, 16, 16))
    lowest = np.resize(np.array([2.0, 1.0, NAN, -0.0, -0.0, -0.0, -INF], np.float32), (WAVES, 16, 16))

    def emit(k: Bench, case: Case) -> None:
        a, b, high, low = (k.tile(n, "f32", 16, 16, "rt_16x16", "row") for n in ("a", "b", "high", "low"))
        k.fill(a, f32(x))
        k.fill(b, f32(y))
        k.ready()
        ops.max_(k, high, a, b)
        ops.min_(k, low, a, b)
        k.expect(high, f32(highest))
        k.expect(low, f32(lowest))

    run(arch, emit)


def test_the_sweep_sees_a_wrong_result() -> None:
    def emit(k: Bench, case: Case) -> None:
        x = k.tile("x", "bf16", 32, 32, "rt_16x32", "row")
        codes = k.data("x", "bf16", 32, 32)
        k.fill(x, codes)
        k.ready()
        ops.neg(k, x.sub(1, 0), x.sub(1, 0))
        k.expect(x, codes)

    outcome = Outcome()
    run_cases([(Case("", "sequence", "gfx950", "", "", "", ""), emit)], "gfx950", outcome)
    assert len(outcome.failures) == 1
    assert "first at (0, 16, 0)" in outcome.failures[0]


# ---- what is emitted -------------------------------------------------------------------------------------------------


def emitted(arch: str, body: Any) -> list[Instruction]:
    k = Builder(arch)
    k.items.clear()
    body(k)
    return [item for item in k.items if isinstance(item, Instruction)]


def counts(arch: str, body: Any) -> Counter[str]:
    return Counter(inst.mnemonic for inst in emitted(arch, body))


def tiles(k: Builder, dtype: str, shape: str = "rt_16x16", count: int = 2, layout: Any = "row") -> list[RegTile]:
    return [RegTile.allocate(k, f"t{n}", dtype, 32, 32, shape, layout) for n in range(count)]


def test_pairs_of_f32_are_packed() -> None:
    def row_scaled(k: Builder) -> None:
        d, x = tiles(k, "f32")
        ops.mul(k, d, x, RegVec.for_rows(k, "v", x))

    assert counts("gfx942", row_scaled) == {"v_pk_mul_f32": 8}

    def number_added(k: Builder) -> None:
        d, x = tiles(k, "f32")
        ops.add(k, d, x, 0.1)

    assert counts("gfx950", number_added) == {"s_mov_b32": 1, "v_pk_add_f32": 8}


def test_f16_and_bf16_take_what_their_instructions_allow() -> None:
    def product(dtype: str) -> Any:
        def body(k: Builder) -> None:
            d, x, y = tiles(k, dtype, "rt_16x32", 3)
            ops.mul(k, d, x, y)

        return body

    assert counts("gfx942", product("f16")) == {"v_pk_mul_f16": 8}
    bf16 = counts("gfx950", product("bf16"))
    assert bf16 == {"v_lshlrev_b32": 16, "v_and_b32": 16, "v_pk_mul_f32": 8, "v_cvt_pk_bf16_f32": 8}


def test_row_maximum_folds_pairs() -> None:
    """32 values a row and lane: v_max3 takes two each; two rows share the exchanges of lanes."""

    def body(k: Builder) -> None:
        (x,) = tiles(k, "f32", count=1)
        ops.row_max(k, RegVec.for_rows(k, "m", x), x)

    found = counts("gfx950", body)
    assert found["v_max3_f32"] == 6
    assert found["v_permlane32_swap_b32"] == 2
    assert found["v_permlane16_swap_b32"] == 1
    assert sum(found.values()) == 15


def test_columns_are_reduced_within_rows_of_lanes() -> None:
    def body(k: Builder) -> None:
        (x,) = tiles(k, "f32", count=1)
        ops.col_sum(k, RegVec.for_cols(k, "s", x), x)

    found = emitted("gfx942", body)
    assert {inst.mods.get("dpp_ctrl") for inst in found if inst.mnemonic == "v_add_f32"} == {0x128, 0x124, 0x4E, 0xB1}


def test_accumulators_become_operands_in_registers() -> None:
    """f32 16x16 accumulators, rounded to bf16, are the operand of the next product after two exchanges a pair."""

    def body(k: Builder) -> None:
        x = RegTile.allocate(k, "x", "bf16", 16, 64, "rt_16x16", "row")
        d = RegTile.allocate(k, "d", "bf16", 16, 64, "rt_16x32", "row")
        ops.swap_layout(k, d, x)

    found = counts("gfx950", body)
    assert found["v_permlane32_swap_b32"] == found["v_permlane16_swap_b32"] == 4


def test_products_are_single_instructions_for_schedules() -> None:
    def body(k: Builder) -> None:
        a, b = tiles(k, "bf16", "rt_16x32")
        d = RegTile.allocate(k, "d", "f32", 32, 32, "rt_16x16", "col", file="a")
        plan = ops.plan_product(k.arch.name, d, a, b, d)
        for i in range(2):
            for j in range(2):
                plan.emit(k, i, j, 0)
                ops.exp2(k, a.sub(i, 0), a.sub(i, 0))

    found = [inst.mnemonic for inst in emitted("gfx950", body)]
    assert found.count("v_mfma_f32_16x16x32_bf16") == 4
    assert found[0] == "v_mfma_f32_16x16x32_bf16"
    assert found.index("v_exp_f32") < len(found) - 1 - found[::-1].index("v_mfma_f32_16x16x32_bf16")


def test_instructions_remember_the_callers_line() -> None:
    def body(k: Builder) -> None:
        (x,) = tiles(k, "bf16", count=1)
        ops.gelu(k, x, x)

    assert {inst.origin.file for inst in emitted("gfx942", body) if inst.origin} == {"test_sequences.py"}


def test_given_temporaries_are_used() -> None:
    k = Builder("gfx950")
    (x,) = tiles(k, "bf16", count=1)
    temps = k.vgpr("temps", 8)
    before = k.files["v"].in_use
    ops.silu(k, x, x, temps=temps)
    assert k.files["v"].in_use == before
    assert len(k.files["v"].history) == 3  # workitem, tile, temps: nothing else was ever allocated


def test_a_register_that_fp4_does_not_fill_is_cleared_first() -> None:
    """Four elements of 4 bits are half a register, and its bytes are written one at a time."""
    k = Builder("gfx950", "small")
    wide, small = (RegTile.allocate(k, dtype, dtype, 16, 16, "rt_16x16") for dtype in ("f32", "fp4"))
    start = len(k.items)
    ops.convert(k, small, wide)
    emitted = [item for item in k.items[start:] if isinstance(item, Instruction)]
    assert [inst.mnemonic for inst in emitted] == ["v_mov_b32", *["v_cvt_scalef32_pk_fp4_f32"] * 2]
    assert emitted[0].operands[0] == small[0, 0]

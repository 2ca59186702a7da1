"""Wait states along the way that waves really take."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.options import Options
from hkasm.errors import HazardError
from hkasm.isa.registers import M0, VCC


def _too_soon(k: Kit) -> None:
    (out,) = k.pointers("out")
    x, first = k.vgpr("x"), k.sgpr("first")
    k.v_mov_b32(x, 7)
    k.v_readfirstlane_b32(first, x)
    k.store(first, out)


def test_an_instruction_too_soon_behind_another_is_told() -> None:
    with pytest.raises(HazardError) as caught:
        run(_too_soon, {"out": zeros()}, fix_hazards=False)
    text = str(caught.value)
    assert "test_hazards.py:18: v_readfirstlane_b32" in text
    assert "needs 1 wait states after v_mov_b32" in text
    assert "of test_hazards.py:17, has 0" in text
    assert "valu-vgpr-to-readlane" in text
    assert "wave 0 of workgroup (0, 0, 0)" in text
    assert "k.s_nop(0) (1 wait state) before this line" in text


def test_the_check_can_be_switched_off_and_is_silent_on_mended_code() -> None:
    assert run(_too_soon, {"out": zeros()}).rules == []
    rest = tuple(check for check in Options().checks if check != "hazards")
    assert run(_too_soon, {"out": zeros()}, fix_hazards=False, options=Options(checks=rest)).rules == []


def _at_levels(k: Kit) -> None:
    """A compare's mask that the next instruction selects by: LLVM wants two wait states, shipped kernels none."""
    (out,) = k.pointers("out")
    x = k.vgpr("x")
    offset = k.lane_bytes()
    k.v_cmp_lt_u32(VCC, 31, k.lane)
    k.v_cndmask_b32(x, 1, k.lane, VCC)
    k.store(x, out, offset)


def test_levels() -> None:
    for level, rules in (("auto", ["hazard"]), ("llvm", ["hazard"]), ("cycles", []), ("all", ["hazard"])):
        options = COLLECT.but(hazards=level)
        assert run(_at_levels, {"out": zeros()}, fix_hazards=False, options=options).rules == rules, level


@pytest.mark.parametrize(("states", "rules"), [(4, ["hazard"]), (5, [])])
def test_registers_of_a_product_are_read_as_they_appear(states: int, rules: list[str]) -> None:
    """As AMD's hand-written kernels do on gfx950; its last register is read 8 slots behind the product."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        a, b, d, sums = (k.vgpr(name, 4, align=2) for name in ("a", "b", "d", "sums"))
        for register in (*a, *b, *d, *sums):
            k.v_mov_b32(register, 0)
        offset = k.lane_bytes()
        k.s_nop(7)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)
        k.s_nop(states - 1)
        for register, part in zip(sums, d, strict=True):
            k.v_add_f32(register, 1.0, part)
        k.store(sums[3], out, offset)

    options = COLLECT.but(hazards="cycles")
    found = run(body, {"out": zeros()}, fix_hazards=False, options=options)
    assert sorted(set(found.rules)) == rules
    assert len(found.rules) == 4 * len(rules)
    assert found.arrays["out"].view(np.float32)[0] == 1.0


@pytest.mark.parametrize("order", ["batch", "random", "lockstep"])
def test_only_ways_that_are_taken_count(order: str) -> None:
    """The branch over the wait states is taken by wave 1 alone; both ways meet at the reader of M0."""

    def body(k: Kit, *, straight: int) -> None:
        (out,) = k.pointers("out")
        wave, x, y, over = k.sgpr("wave"), k.sgpr("x"), k.sgpr("y"), k.label("over")
        k.s_mov_b32(y, 5)
        k.s_mov_b32(M0, 0)
        k.v_readfirstlane_b32(wave, k.lane)
        k.s_lshr_b32(wave, wave, 6)
        k.s_cmp_eq_u32(wave, straight)
        k.s_cbranch_scc0(over)
        k.s_mov_b32(M0, 0)
        k.place(over)
        k.s_movrels_b32(x, y)
        k.store(x, out)

    options = COLLECT.but(order=order)
    silent = run(lambda k: body(k, straight=2), {"out": zeros(128)}, block=128, fix_hazards=False, options=options)
    assert silent.rules == []
    assert np.array_equal(silent.arrays["out"], np.full(128, 5))
    found = run(lambda k: body(k, straight=1), {"out": zeros(128)}, block=128, fix_hazards=False, options=options)
    # Waves that have met are one batch: which of them came which way is not known any more.
    assert [finding.rule for finding in found.report.findings] == ["hazard"]
    assert found.report.findings[0].wave == (None if order == "batch" else 1)

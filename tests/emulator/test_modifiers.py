"""Modifiers: DPP, SDWA, op_sel, abs, neg, omod and clamp around meanings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.emulator.modifiers import dpp_source
from hkasm.isa.registers import EXEC, VCC, Register

Emit = Callable[[Kit, Register, Register], Any]
LANE = np.arange(64)


def _apply(emit: Emit, source: np.ndarray[Any, Any] | None = None, old: int = 0xAAAAAAAA) -> np.ndarray[Any, Any]:
    """Return D of an instruction on a loaded source, where D began as `old`."""

    def body(k: Kit) -> None:
        values, out = k.pointers("source", "out")
        offset, x, d = k.lane_bytes(), k.vgpr("x"), k.vgpr("d")
        k.global_load_dword(x, offset, values)
        k.v_mov_b32(d, old)
        k.wait(x)
        emit(k, d, x)
        k.store(d, out, offset)

    return run(
        body, {"source": (LANE.astype(np.uint32) if source is None else source).view(np.uint32), "out": zeros()}
    ).arrays["out"]


FULL = {"row_mask": 15, "bank_mask": 15}


@pytest.mark.parametrize(
    ("control", "source"),
    [
        (0b00011011, (LANE & ~3) + (3 - (LANE & 3))),  # quad_perm:[3,2,1,0]
        (0x121, (LANE & ~15) + (LANE - 1) % 16),  # row_ror:1
        (0x134, (LANE + 1) % 64),  # wave_rol:1
        (0x13C, (LANE - 1) % 64),  # wave_ror:1
        (0x140, (LANE & ~15) + 15 - (LANE & 15)),  # row_mirror
        (0x141, (LANE & ~7) + 7 - (LANE & 7)),  # row_half_mirror
        (0x153, (LANE & ~15) + 3),  # row_newbcast:3
    ],
)
def test_dpp_moves_lanes(control: int, source: np.ndarray[Any, Any]) -> None:
    assert np.array_equal(_apply(lambda k, d, x: k.v_mov_b32(d, x, dpp_ctrl=control, **FULL)), source)


@pytest.mark.parametrize(
    ("control", "distance"), [(0x101, 1), (0x10F, 15), (0x111, -1), (0x11F, -15), (0x130, 1), (0x138, -1)]
)
def test_dpp_shifts_leave_or_clear_lanes_without_a_source(control: int, distance: int) -> None:
    rows = 64 if control >= 0x130 else 16
    inside = (LANE % rows + distance >= 0) & (LANE % rows + distance < rows)
    moved = (LANE + distance) % 64
    kept = _apply(lambda k, d, x: k.v_mov_b32(d, x, dpp_ctrl=control, **FULL))
    assert np.array_equal(kept, np.where(inside, moved, 0xAAAAAAAA))
    cleared = _apply(lambda k, d, x: k.v_mov_b32(d, x, dpp_ctrl=control, bound_ctrl=1, **FULL))
    assert np.array_equal(cleared, np.where(inside, moved, 0))


def test_dpp_broadcasts_reach_the_next_rows() -> None:
    source, exists = dpp_source(0x142)
    assert np.array_equal(exists, LANE >= 16)
    assert np.array_equal(source[16:], (LANE[16:] & ~15) - 1)
    source, exists = dpp_source(0x143)
    assert np.array_equal(exists, LANE >= 32)
    assert (source[32:] == 31).all()


def test_dpp_masks_choose_what_is_written() -> None:
    out = _apply(lambda k, d, x: k.v_mov_b32(d, x, dpp_ctrl=0xE4, row_mask=0b0101, bank_mask=0b0011))
    written = (LANE >> 4 & 1 == 0) & (LANE >> 2 & 3 < 2)
    assert np.array_equal(out, np.where(written, LANE, 0xAAAAAAAA))


def test_dpp_treats_inactive_lanes_as_absent() -> None:
    def emit(k: Kit, d: Register, x: Register) -> None:
        saved = k.sgpr("saved", 2)
        k.v_cmp_ne_u32(VCC, 5, x)
        k.s_and_saveexec_b64(saved, VCC)
        k.v_mov_b32(d, x, dpp_ctrl=0x111, **FULL)
        k.s_mov_b64(EXEC, saved)

    out = _apply(emit)
    expected = np.where(LANE % 16 == 0, 0xAAAAAAAA, LANE - 1)
    expected[5] = expected[6] = 0xAAAAAAAA
    assert np.array_equal(out, expected)


WORDS = (LANE * 0x01030507 + 0x80C0E0F0).astype(np.uint32)


@pytest.mark.parametrize("select", range(7))
def test_sdwa_selects_and_extends(select: int) -> None:
    shift, width = {0: (0, 8), 1: (8, 8), 2: (16, 8), 3: (24, 8), 4: (0, 16), 5: (16, 16), 6: (0, 32)}[select]
    field = (WORDS >> np.uint32(shift)) & np.uint32((1 << width) - 1)
    plain = _apply(lambda k, d, x: k.v_mov_b32(d, x, dst_sel=6, src0_sel=select), WORDS)
    assert np.array_equal(plain, field)
    signed = (field.astype(np.int64) ^ (1 << (width - 1))) - (1 << (width - 1))
    extended = _apply(lambda k, d, x: k.v_mov_b32(d, x, dst_sel=6, src0_sel=select, src0_sext=1), WORDS)
    assert np.array_equal(extended, signed.astype(np.int32).view(np.uint32))


@pytest.mark.parametrize(("unused", "expected"), [(0, 0x00009100), (1, 0xFFFF9100), (2, 0xAAAA91AA)])
def test_sdwa_places_a_byte(unused: int, expected: int) -> None:
    out = _apply(
        lambda k, d, x: k.v_mov_b32(d, x, dst_sel=1, dst_unused=unused, src0_sel=6), np.full(64, 0x12345691, np.uint32)
    )
    assert (out == expected).all(), hex(int(out[0]))


FLOATS = np.linspace(-2, 2, 64, dtype=np.float32)


def test_abs_neg_omod_and_clamp() -> None:
    def bits(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return array.astype(np.float32).view(np.uint32)

    def add(k: Kit, d: Register, x: Register, **mods: int) -> None:
        k.v_add_f32(d, x, 1.0, e64=True, **mods)

    assert np.array_equal(_apply(lambda k, d, x: add(k, d, x, neg=1), FLOATS), bits(1 - FLOATS))
    assert np.array_equal(_apply(lambda k, d, x: add(k, d, x, abs=1), FLOATS), bits(np.abs(FLOATS) + 1))
    assert np.array_equal(_apply(lambda k, d, x: add(k, d, x, abs=1, neg=1), FLOATS), bits(1 - np.abs(FLOATS)))
    assert np.array_equal(_apply(lambda k, d, x: add(k, d, x, omod=1), FLOATS), bits((FLOATS + 1) * 2))
    assert np.array_equal(_apply(lambda k, d, x: add(k, d, x, omod=3), FLOATS), bits((FLOATS + 1) / 2))
    assert np.array_equal(_apply(lambda k, d, x: add(k, d, x, clamp=1), FLOATS), bits(np.clip(FLOATS + 1, 0, 1)))


def test_integer_clamp_saturates() -> None:
    out = _apply(lambda k, d, x: k.v_sub_u32(d, x, 10, e64=True, clamp=1))
    assert np.array_equal(out, np.maximum(LANE - 10, 0))


def test_op_sel_takes_and_writes_halves() -> None:
    halves = np.stack((LANE, LANE * 2), axis=-1).astype(np.uint16).view(np.uint32)[:, 0]
    high = _apply(lambda k, d, x: k.v_add_i16(d, x, 1, op_sel=1), halves)
    assert np.array_equal(high, LANE * 2 + 1)
    kept = _apply(lambda k, d, x: k.v_add_i16(d, x, 1, op_sel=8), halves)
    assert np.array_equal(kept, (LANE + 1 << 16) | 0xAAAA)


def test_packed_halves_are_crossed_and_negated() -> None:
    pairs = np.stack((np.arange(64), np.arange(64) * 2 + 1), axis=-1).astype(np.float16)
    words = pairs.view(np.uint32)[:, 0]
    out = _apply(lambda k, d, x: k.v_pk_add_f16(d, x, x, op_sel=2, op_sel_hi=1, neg_hi=1), words)
    low = pairs[:, 0] + pairs[:, 1]
    high = -pairs[:, 1] + pairs[:, 0]
    assert np.array_equal(out.view(np.float16).reshape(64, 2), np.stack((low, high), axis=-1))

"""Atomics: formulas, turns at one address, old values, and lane moves through LDS's crossbar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.atomics import atomic_formula, modify
from hkasm.emulator.compile_lanes import swizzle_source
from hkasm.emulator.memory import Bytes

LANE = np.arange(64)


@pytest.mark.parametrize(
    ("atomic", "elem", "old", "data", "second", "new"),
    [
        ("add", "u32", 0xFFFFFFFF, 2, 0, 1),
        ("sub", "u32", 1, 2, 0, 0xFFFFFFFF),
        ("rsub", "u32", 1, 2, 0, 1),
        ("inc", "u32", 5, 5, 0, 0),
        ("inc", "u32", 4, 5, 0, 5),
        ("dec", "u32", 0, 5, 0, 5),
        ("dec", "u32", 6, 5, 0, 5),
        ("dec", "u32", 3, 5, 0, 2),
        ("min", "i32", -3, 2, 0, -3),
        ("min", "u32", 0xFFFFFFFD, 2, 0, 2),
        ("max", "i64", -3, 2, 0, 2),
        ("mskor", "b32", 0b1111, 0b0110, 0b1010, 0b1011),
        ("wrap", "u32", 7, 5, 3, 2),
        ("wrap", "u32", 4, 5, 3, 7),
        ("add", "f64", 1.5, 2.25, 0, 3.75),
        ("max", "f32", -1.0, 2.0, 0, 2.0),
    ],
)
def test_formulas(atomic: str, elem: str, old: Any, data: Any, second: Any, new: Any) -> None:
    formula, dtype = atomic_formula(atomic, elem, compare_first=True)
    values = [np.array([value]).astype(dtype) for value in (old, data, second)]
    assert formula(*values)[0] == dtype(new)


def test_the_operand_that_memory_is_compared_with_depends_on_the_space() -> None:
    old, a, b = (np.array([value], np.uint32) for value in (7, 7, 9))
    assert atomic_formula("cmpst", "b32", compare_first=True)[0](old, a, b)[0] == 9
    assert atomic_formula("cmpswap", "b32", compare_first=False)[0](old, b, a)[0] == 9


def test_packed_halves_add_on_their_own() -> None:
    for elem, one in (("pkf16", 0x3C00), ("pkbf16", 0x3F80)):
        formula, _ = atomic_formula("add", elem, compare_first=False)
        word = np.array([one | one << 16], np.uint32)
        two = 0x4000
        assert formula(word, word, word)[0] == two | two << 16


def test_lanes_take_turns_in_order() -> None:
    store = Bytes(16)
    formula, dtype = atomic_formula("add", "u32", compare_first=True)
    index = np.array([0, 4, 0, 0, 4])
    data = np.array([1, 10, 2, 3, 20], np.uint32)
    old = modify(store, index, data, data, formula, dtype)
    assert np.array_equal(old, [0, 0, 1, 3, 10])
    assert np.array_equal(store.u32[:2], [6, 30])


def test_global_atomics_return_what_was_there() -> None:
    def body(k: Kit) -> None:
        cell, out = k.pointers("cell", "out")
        zero, x = k.vgpr("zero"), k.vgpr("x")
        k.v_mov_b32(zero, 0)
        k.v_mov_b32(x, 3)
        k.global_atomic_add(x, zero, x, cell, sc0=1)
        k.wait(x)
        k.store(x, out)

    outcome = run(body, {"cell": np.array([5], np.uint32), "out": zeros(128)}, block=128)
    assert outcome.arrays["cell"][0] == 5 + 3 * 128
    assert np.array_equal(np.sort(outcome.arrays["out"]), 5 + 3 * np.arange(128))


def test_the_result_of_an_atomic_is_late() -> None:
    def body(k: Kit) -> None:
        cell, out = k.pointers("cell", "out")
        x = k.vgpr("x")
        k.global_atomic_swap(x, k.lane_bytes(), k.lane, cell, sc0=1)
        k.store(x, out)

    assert run(body, {"cell": zeros(), "out": zeros()}, options=COLLECT).rules == ["register-in-flight"]


def test_lds_compare_and_store() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.lds("cells", 256)
        offset, x, new = k.lane_bytes(), k.vgpr("x"), k.vgpr("new")
        k.v_and_b32(x, 1, k.lane)
        k.ds_write_b32(offset, x)
        k.v_mov_b32(x, 1)
        k.v_mov_b32(new, 9)
        k.ds_cmpst_b32(offset, x, new)
        k.ds_read_b32(x, offset)
        k.wait(x)
        k.store(x, out, offset)

    assert np.array_equal(run(body, {"out": zeros()}).arrays["out"], np.where(LANE & 1, 9, 0))


def test_permutes_push_and_pull() -> None:
    def body(k: Kit, push: bool) -> None:
        (out,) = k.pointers("out")
        where, x = k.vgpr("where"), k.vgpr("x")
        k.v_add_u32(where, 5, k.lane)
        k.v_lshlrev_b32(where, 2, where)
        (k.ds_permute_b32 if push else k.ds_bpermute_b32)(x, where, k.lane)
        k.wait(x)
        k.store(x, out)

    assert np.array_equal(run(lambda k: body(k, True), {"out": zeros()}).arrays["out"], (LANE - 5) % 64)
    assert np.array_equal(run(lambda k: body(k, False), {"out": zeros()}).arrays["out"], (LANE + 5) % 64)


def test_swizzle_patterns() -> None:
    half = LANE & 32
    assert np.array_equal(swizzle_source(0x041F)[0], LANE ^ 1)  # and 31, or 0, xor 1
    assert np.array_equal(swizzle_source(0x0010)[0], LANE & 16 | half)  # and 16
    assert np.array_equal(swizzle_source(0x8000 | 0b00011011)[0], LANE & ~3 | 3 - (LANE & 3))
    assert np.array_equal(swizzle_source(0xC000 | 3 << 5)[0], (LANE & 31) + 3 & 31 | half)
    reverse = np.array([int(f"{lane:05b}"[::-1], 2) for lane in range(32)])
    assert np.array_equal(swizzle_source(0xE000)[0], reverse[LANE & 31] | half)

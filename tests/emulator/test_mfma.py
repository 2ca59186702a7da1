"""Matrix instructions on the machine: registers in and out, kept fragments, EXEC without effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.emulate import Kit, run

from hkasm.emulator.options import Options
from hkasm.errors import UsageError
from hkasm.isa.registers import EXEC, Register

Array = np.ndarray[Any, Any]
LANE = np.arange(64)
RANDOM = np.random.default_rng(3)


def _small(shape: tuple[int, ...]) -> Array:
    """Return small integers, so that every sum is exact."""
    return RANDOM.integers(-4, 5, shape)


def _fragment(matrix: Array, dtype: Any) -> Array:
    """Return the registers [4, 64] of A [16, 32] (or of B transposed): 8 elements of row lane % 16 a lane."""
    elements = np.stack([matrix[LANE % 16, 8 * (LANE // 16) + e] for e in range(8)], axis=-1).astype(dtype)
    return np.ascontiguousarray(elements).view(np.uint32).T


def _accumulator(matrix: Array) -> Array:
    """Return the registers [4, 64] of C or D [16, 16]."""
    return np.stack([matrix[4 * (LANE // 16) + r, LANE % 16] for r in range(4)]).astype(np.float32).view(np.uint32)


A, B, C = _small((16, 32)), _small((16, 32)), _small((16, 16))
Body = Callable[[Kit, Register, Register, Register], None]


def _multiply(body: Body, *, acc: str = "v", dtype: Any = ml_dtypes.bfloat16, options: Options | None = None) -> Array:
    """Load A, B and C, run the body, store the accumulator; returns D [16, 16]."""

    def kernel(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset = k.lane_bytes()
        a, b, c = k.vgpr("a", 4), k.vgpr("b", 4), k.vgpr("c", 4)
        base = k.vgpr("base")
        for number, register in enumerate((*a, *b, *c)):
            k.v_add_u32(base, 256 * number, offset)
            k.global_load_dword(register, base, source)
            k.wait(register)
        d = k.agpr("d", 4) if acc == "a" else c
        if acc == "a":
            for target, value in zip(d, c, strict=True):
                k.v_accvgpr_write_b32(target, value)
        body(k, d, a, b)
        k.s_nop(15)
        for number in range(4):
            if acc == "a":
                k.v_accvgpr_read_b32(c[number], d[number])
            k.global_store_dword(offset, c[number], out, offset=256 * number)

    words = np.concatenate((_fragment(A, dtype), _fragment(B, dtype), _accumulator(C)))
    out = run(kernel, {"source": words, "out": np.zeros((4, 64), np.uint32)}, options=options).arrays["out"]
    d = np.empty((16, 16), np.float32)
    for register in range(4):
        d[4 * (LANE // 16) + register, LANE % 16] = out[register].view(np.float32)
    return d


@pytest.mark.parametrize("acc", ["v", "a"])
@pytest.mark.parametrize("arithmetic", ["exact", "fast"])
def test_products_are_added_to_the_accumulator(acc: str, arithmetic: str) -> None:
    d = _multiply(
        lambda k, d, a, b: k.v_mfma_f32_16x16x32_bf16(d, a, b, d), acc=acc, options=Options(arithmetic=arithmetic)
    )
    assert np.array_equal(d, A @ B.T + C)


def test_half_precision_has_the_same_layout() -> None:
    d = _multiply(lambda k, d, a, b: k.v_mfma_f32_16x16x32_f16(d, a, b, d), dtype=np.float16)
    assert np.array_equal(d, A @ B.T + C)


def test_the_accumulator_may_be_a_constant() -> None:
    assert np.array_equal(_multiply(lambda k, d, a, b: k.v_mfma_f32_16x16x32_bf16(d, a, b, 0)), A @ B.T)
    assert np.array_equal(_multiply(lambda k, d, a, b: k.v_mfma_f32_16x16x32_bf16(d, a, b, 1.0)), A @ B.T + 1)


def test_exec_plays_no_part() -> None:
    def body(k: Kit, d: Register, a: Register, b: Register) -> None:
        saved = k.sgpr("saved", 2)
        k.s_mov_b64(saved, EXEC)
        k.s_mov_b64(EXEC, 1)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)
        k.s_mov_b64(EXEC, saved)

    assert np.array_equal(_multiply(body), A @ B.T + C)


def test_a_written_register_is_converted_again() -> None:
    def body(k: Kit, d: Register, a: Register, b: Register) -> None:
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)
        for register in a:
            k.v_mov_b32(register, 0)
        k.s_nop(1)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)  # adds nothing

    assert np.array_equal(_multiply(body), A @ B.T + C)


def test_a_result_that_lands_on_an_operand_is_seen() -> None:
    def body(k: Kit, d: Register, a: Register, b: Register) -> None:
        zero = k.vgpr("zero", 4)
        for register in zero:
            k.v_mov_b32(register, 0)
        k.s_nop(1)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)
        k.v_mfma_f32_16x16x32_bf16(a, zero, b, 0)  # A becomes zero by a matrix instruction
        k.s_nop(15)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)

    assert np.array_equal(_multiply(body), A @ B.T + C)


def test_a_load_that_lands_on_an_operand_is_seen() -> None:
    def kernel(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, a, b, d = k.lane_bytes(16), k.vgpr("a", 4), k.vgpr("b", 4), k.vgpr("d", 4)
        k.global_load_dwordx4(a, offset, source)
        k.global_load_dwordx4(b, offset, source)
        k.wait(a, b)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, 0)
        k.global_load_dwordx4(a, offset, source, offset=1024)
        k.wait(a)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, d)
        k.s_nop(15)
        k.store(d[0], out)

    ones = np.full((64, 4), 0x3F803F80, np.uint32)
    twos = np.full((64, 4), 0x40004000, np.uint32)
    arrays = {"source": np.concatenate((ones, twos)), "out": np.zeros(64, np.float32)}
    assert (run(kernel, arrays).arrays["out"] == 32 + 64).all()


def test_integer_products_wrap() -> None:
    def kernel(k: Kit) -> None:
        (out,) = k.pointers("out")
        a, b, d = k.vgpr("a", 4), k.vgpr("b", 4), k.vgpr("d", 4)
        for register in (*a, *b):
            k.v_mov_b32(register, 0x81818181)  # -127 four times
        for register in d:
            k.v_mov_b32(register, 0x7FFFFFFF)
        k.s_nop(1)
        k.v_mfma_i32_16x16x64_i8(d, a, b, d)
        k.s_nop(15)
        k.store(d[2], out)

    out = run(kernel, {"out": np.zeros(64, np.int32)}).arrays["out"]
    assert (out == np.int64(0x7FFFFFFF + 64 * 127 * 127 - (1 << 32))).all()


def test_bits_do_not_depend_on_how_waves_are_batched() -> None:
    """One wave alone gives the bits that it gives among eight."""

    def kernel(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, a, b, d = k.lane_bytes(16), k.vgpr("a", 4), k.vgpr("b", 4), k.vgpr("d", 4)
        k.global_load_dwordx4(a, offset, source)
        k.global_load_dwordx4(b, offset, source, offset=16)
        k.wait(a, b)
        k.v_mfma_f32_16x16x32_bf16(d, a, b, 0)
        k.s_nop(15)
        k.global_store_dwordx4(offset, d, out)

    values = RANDOM.standard_normal(8 * 513).astype(ml_dtypes.bfloat16).view(np.uint32)
    arrays = {"source": np.resize(values, 2048 + 4), "out": np.zeros(2048, np.uint32)}
    together = run(kernel, arrays, block=512).arrays["out"]
    apart = run(kernel, arrays, block=512, options=Options(order="reversed")).arrays["out"]
    assert np.array_equal(together, apart)


def _gfx942_product(k: Kit) -> None:
    source, out = k.pointers("source", "out")
    offset, a, b, d = k.lane_bytes(8), k.vgpr("a", 2), k.vgpr("b", 2), k.vgpr("d", 4)
    k.global_load_dwordx2(a, offset, source)
    k.global_load_dwordx2(b, offset, source, offset=512)
    k.wait(a, b)
    k.v_mfma_f32_16x16x16_bf16(d, a, b, 1.0)
    k.s_nop(15)
    k.store(d[1], out)


def test_the_bit_model_of_cdna3_can_be_chosen_on_gfx942() -> None:
    """Products of very different size: MI300X cuts what lies 24 bits below the largest, one rounding would not."""
    a = np.zeros((64, 4), np.float32)
    b = np.ones((64, 4), np.float32)
    a[:16, 0], a[:16, 1], a[:16, 2] = 2.0**30, -(2.0**30), 2.0**-3  # k = 0, 1, 2 of every row
    words = np.concatenate((a, b)).astype(ml_dtypes.bfloat16).view(np.uint32).reshape(-1)
    arrays = {"source": words, "out": np.zeros(64, np.float32)}
    exact = run(_gfx942_product, arrays, arch="gfx942").arrays["out"]
    assert (exact == 1.125).all()
    cdna3 = run(_gfx942_product, arrays, arch="gfx942", options=Options(arithmetic="cdna3")).arrays["out"]
    assert (cdna3 == 0).all()  # C too is cut at the exponent of the largest product


def test_there_is_no_bit_model_of_cdna4() -> None:
    with pytest.raises(UsageError, match="arithmetic 'cdna3' is MI300X's, and kernel is for gfx950"):
        run(lambda k: None, {}, options=Options(arithmetic="cdna3"))

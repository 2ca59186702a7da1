"""Conversions against ml_dtypes, exact rounding by fractions, and the rules for overflow, halves and bytes."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.meanings import evaluate

from hkasm.isa.families.scaled_conversions import next_random
from hkasm.isa.numerics import format_of, pack_bits, unpack_bits

Array = np.ndarray[Any, Any]
INF, NAN = math.inf, math.nan
SMALL = {
    ("fp8", "gfx950"): ml_dtypes.float8_e4m3fn, ("bf8", "gfx950"): ml_dtypes.float8_e5m2,
    ("fp8", "gfx942"): ml_dtypes.float8_e4m3fnuz, ("bf8", "gfx942"): ml_dtypes.float8_e5m2fnuz,
    ("fp6", "gfx950"): ml_dtypes.float6_e2m3fn, ("bf6", "gfx950"): ml_dtypes.float6_e3m2fn,
    ("fp4", "gfx950"): ml_dtypes.float4_e2m1fn,
}  # fmt: skip


def floats(count: int, seed: int, spread: float = 6.0) -> Array:
    random = np.random.default_rng(seed)
    return (random.choice([-1.0, 1.0], count) * 2.0 ** random.uniform(-spread, spread, count)).astype(np.float32)


def as_bf16(values: Array) -> list[int]:
    return values.astype(ml_dtypes.bfloat16).view(np.uint16).tolist()


def small_bits(values: Array, name: str, arch: str = "gfx950") -> Array:
    return values.astype(SMALL[name, arch]).view(np.uint8)


# ---- integers and plain floats -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mnemonic", "value", "expected"),
    [
        ("v_cvt_u32_f32", -1.5, 0),
        ("v_cvt_u32_f32", 5e9, 2**32 - 1),
        ("v_cvt_u32_f32", NAN, 0),
        ("v_cvt_u32_f32", 3.99, 3),
        ("v_cvt_i32_f32", -3.99, -3),
        ("v_cvt_i32_f32", -INF, -(2**31)),
        ("v_cvt_i32_f32", INF, 2**31 - 1),
        ("v_cvt_i32_f64", -2147483648.9, -(2**31)),
        ("v_cvt_u32_f64", 4294967295.5, 2**32 - 1),
        ("v_cvt_i16_f16", -40000.0, -(2**15)),
        ("v_cvt_u16_f16", 60000.0, 60000),
        ("v_cvt_u16_f16", INF, 65535),
        ("v_cvt_rpi_i32_f32", 2.5, 3),
        ("v_cvt_rpi_i32_f32", -2.5, -2),
        ("v_cvt_rpi_i32_f32", 0.49999997, 0),
        ("v_cvt_flr_i32_f32", -0.5, -1),
        ("v_cvt_norm_i16_f16", 1.0, 32767),
        ("v_cvt_norm_i16_f16", -2.0, -32767),
        ("v_cvt_norm_u16_f16", 0.5, 32768),
        ("v_cvt_norm_u16_f16", NAN, 0),
        ("v_cvt_f32_i32", -16777217, -16777216.0),
        ("v_cvt_f32_u32", 2**32 - 1, 2.0**32),
        ("v_cvt_f64_i32", -5, -5.0),
        ("v_cvt_f64_u32", 2**32 - 1, 4294967295.0),
        ("v_cvt_f16_u16", 65535, INF),
        ("v_cvt_f16_i16", -2049, -2048.0),
        ("v_cvt_f32_f64", 1 + 2.0**-24, 1.0),
        ("v_cvt_f64_f32", 1.5, 1.5),
        ("v_cvt_f32_f16", 2.0**-24, 2.0**-24),
        ("v_cvt_f16_f32", 65520.0, INF),
        ("v_cvt_f16_f32", 1 + 2.0**-11, 1.0),
        ("v_cvt_f32_bf16", 0x3FC0, 1.5),
        ("v_cvt_f32_ubyte0", 0x04030201, 1.0),
        ("v_cvt_f32_ubyte1", 0x04030201, 2.0),
        ("v_cvt_f32_ubyte2", 0x04030201, 3.0),
        ("v_cvt_f32_ubyte3", 0xFF030201, 255.0),
        ("v_cvt_off_f32_i4", 0x7, 7 / 16),
        ("v_cvt_off_f32_i4", 0xF8, -0.5),
    ],
)
def test_plain_conversion(mnemonic: str, value: float, expected: float) -> None:
    assert evaluate(mnemonic, [value])[0].tolist() == [expected]


def test_fp16_ovfl_saturates_finite_values_only() -> None:
    (found,) = evaluate("v_cvt_f16_f32", [1e6, -1e6, INF], fp16_ovfl=True)
    assert found.tolist() == [65504.0, -65504.0, INF]
    (pair,) = evaluate("v_cvt_pk_f16_f32", [1e6], [INF], fp16_ovfl=True)
    assert pair.tolist() == [[65504.0, INF]]


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "expected"),
    [
        ("v_cvt_pkrtz_f16_f32", 1 + 2.0**-11 + 2.0**-20, -70000.0, [1.0, -65504.0]),
        ("v_cvt_pk_f16_f32", 1 + 2.0**-11 + 2.0**-20, 2.0, [1 + 2.0**-10, 2.0]),
        ("v_cvt_pknorm_i16_f32", 0.5, -1.5, [16384, -32767]),
        ("v_cvt_pknorm_u16_f32", 2.0, -1.5, [65535, 0]),
        ("v_cvt_pknorm_i16_f16", 0.25, 1.0, [8192, 32767]),
        ("v_cvt_pknorm_u16_f16", 1.0, 0.0, [65535, 0]),
        ("v_pack_b32_f16", 1.0, 2.0, [1.0, 2.0]),
    ],
)
def test_pair(mnemonic: str, a: float, b: float, expected: list[float]) -> None:
    assert evaluate(mnemonic, [a], [b])[0].tolist() == [expected]


def test_pk_bf16_rounds_to_nearest_even() -> None:
    a, b = floats(500, 1, 100.0), floats(500, 2, 100.0)
    (found,) = evaluate("v_cvt_pk_bf16_f32", a, b)
    assert (found & 0xFFFF).tolist() == as_bf16(a)
    assert (found >> 16).tolist() == as_bf16(b)


def test_pk_u8_puts_one_byte() -> None:
    (found,) = evaluate("v_cvt_pk_u8_f32", [2.5, 300.0, -4.0], [0, 1, 2], [0xAABBCCDD] * 3)
    assert [hex(x) for x in found] == ["0xaabbcc02", "0xaabbffdd", "0xaa00ccdd"]
    (found,) = evaluate("v_cvt_pkaccum_u8_f32", [0xAABBCCDD], [7.0], [3])
    assert hex(found[0]) == "0x7bbccdd"


# ---- 8-bit floats --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "arch"), [key for key in SMALL if key[0] in ("fp8", "bf8")])
class TestEightBits:
    def test_every_code_decodes(self, name: str, arch: str) -> None:
        codes = np.arange(256, dtype=np.uint8)
        expected = codes.view(SMALL[name, arch]).astype(np.float32)
        (one,) = evaluate(f"v_cvt_f32_{name}", codes.astype(int) | 0xABCDEF00, arch=arch)
        assert np.array_equal(one, expected, equal_nan=True)
        (two,) = evaluate(f"v_cvt_pk_f32_{name}", codes.astype(int) << 8 | 0xFFFF0000 | codes[::-1], arch=arch)
        assert np.array_equal(two[:, 1], expected, equal_nan=True)
        assert np.array_equal(two[:, 0], expected[::-1], equal_nan=True)

    @pytest.mark.parametrize("half", [0, 1])
    def test_a_pair_rounds_into_one_half(self, name: str, arch: str, half: int) -> None:
        a, b = floats(300, 3), floats(300, 4)
        (found,) = evaluate(f"v_cvt_pk_{name}_f32", [0x11112222] * 300, a, b, arch=arch, op_sel=8 * half)
        pair = small_bits(a, name, arch).astype(int) | small_bits(b, name, arch).astype(int) << 8
        assert (found >> 16 * half & 0xFFFF).tolist() == pair.tolist()
        assert set(found >> 16 * (1 - half) & 0xFFFF) == {0x2222 if half else 0x1111}

    def test_overflow(self, name: str, arch: str) -> None:
        top = float(ml_dtypes.finfo(SMALL[name, arch]).max)
        source = ([0], [1e6], [-1e6])
        for ovfl in (True, False):
            (found,) = evaluate(f"v_cvt_pk_{name}_f32", *source, arch=arch, fp16_ovfl=ovfl)
            low, high = np.array([found[0] & 255, found[0] >> 8 & 255], np.uint8).view(SMALL[name, arch])
            if ovfl:
                assert (float(low), float(high)) == (top, -top)
            else:
                assert not math.isfinite(float(low))
                assert not math.isfinite(float(high))

    def test_stochastic_rounding_takes_the_two_neighbours(self, name: str, arch: str) -> None:
        value = 1 + 2.0**-6
        noise = [int(n) << 12 for n in np.linspace(0, 0xFFFFF, 1000)]
        (found,) = evaluate(f"v_cvt_sr_{name}_f32", [0] * 1000, [value] * 1000, noise, arch=arch, op_sel=4)
        assert set(found & 0xFF) == {0}  # byte 1 was asked for
        codes = (found >> 8).astype(np.uint8).view(SMALL[name, arch]).astype(float)
        step = 2.0 ** -format_of(name, arch).mantissa_bits
        assert set(codes) == {1.0, 1.0 + step}
        share = float(np.mean(codes > 1))
        assert share == pytest.approx(2.0**-6 / step, abs=0.01)


@pytest.mark.parametrize(("name", "keep"), [("f16", 10), ("bf16", 7)])
@pytest.mark.parametrize("half", [0, 1])
def test_stochastic_halves(name: str, keep: int, half: int) -> None:
    value = 1 + 2.0 ** -(keep + 2)
    noise = [int(n) << 10 for n in np.linspace(0, (1 << 22) - 1, 400)]
    (found,) = evaluate(f"v_cvt_sr_{name}_f32", [0xFFFFFFFF] * 400, [value] * 400, noise, op_sel=8 * half)
    codes = found >> 16 * half & 0xFFFF
    assert set(found >> 16 * (1 - half) & 0xFFFF) == {0xFFFF}
    assert len(set(codes.tolist())) == 2
    assert float(np.mean(codes == codes.max())) == pytest.approx(0.25, abs=0.02)


# ---- block-scaled conversions --------------------------------------------------------------------------------------

SCALE, FACTOR = 2.0**3, 8.0
KINDS = ("f32", "f16", "bf16")


def sources_of(values: Array, kind: str) -> list[Any]:
    """Return float values as an operand of pairs of a kind: the list of pairs, bf16 as codes."""
    if kind == "bf16":
        codes = as_bf16(values.ravel())
        return [codes[2 * i : 2 * i + 2] for i in range(len(values))]
    return values.tolist()


@pytest.mark.parametrize("name", ["fp8", "bf8", "fp4"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_scaled_pair_rounds_into_its_field(name: str, kind: str, place: int) -> None:
    bits = 8 if name == "fp4" else 16
    if bits == 16 and place > 1:
        return
    values = (np.round(floats(400, 5, 4.0) * 64) / 64).astype(np.float32).reshape(200, 2)
    op_sel = place << (2 if bits == 8 else 3)
    mnemonic = f"v_cvt_scalef32_pk_{name}_{kind}"
    old, scale = [0x76543210] * 200, [SCALE] * 200
    sources = [values[:, 0], values[:, 1]] if kind == "f32" else [sources_of(values, kind)]
    (found,) = evaluate(mnemonic, old, *sources, scale, op_sel=op_sel)
    exact = values.astype(ml_dtypes.bfloat16).astype(np.float32) if kind == "bf16" else values
    codes = small_bits(exact / FACTOR, name).astype(int)
    pair = codes[:, 0] | codes[:, 1] << bits // 2
    mask = (1 << bits) - 1
    assert (found >> bits * place & mask).tolist() == pair.tolist()
    assert set((found & ~np.uint32(mask << bits * place)).tolist()) == {0x76543210 & ~(mask << bits * place)}


@pytest.mark.parametrize("name", ["fp8", "bf8", "fp4"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_scaled_pair_unpacks(name: str, kind: str, place: int) -> None:
    bits = 8 if name == "fp4" else 16
    if bits == 16 and place > 1:
        return
    width = bits // 2
    codes = np.arange(1 << width, dtype=np.uint8)
    words = [(int(c) | int(c ^ 1) << width) << bits * place for c in codes]
    (found,) = evaluate(f"v_cvt_scalef32_pk_{kind}_{name}", words, [SCALE] * len(codes), op_sel=place)
    pairs = np.stack((codes, codes ^ 1), axis=-1).view(SMALL[name, "gfx950"]).astype(np.float32) * FACTOR
    if kind == "bf16":
        expected: Array = pairs.astype(ml_dtypes.bfloat16).view(np.uint16)
        nan = np.isnan(pairs)
        assert np.array_equal(found[~nan], expected[~nan])
    else:
        with np.errstate(over="ignore"):
            assert np.array_equal(found, pairs.astype(found.dtype), equal_nan=True)


@pytest.mark.parametrize("name", ["fp8", "bf8"])
def test_one_scaled_byte(name: str) -> None:
    word = [0x40383430] * 4
    for place in range(4):
        (f32,) = evaluate(f"v_cvt_scalef32_f32_{name}", word[:1], [0.5], op_sel=place)
        code = np.array([word[0] >> 8 * place & 255], np.uint8).view(SMALL[name, "gfx950"])
        assert f32.tolist() == [float(code[0]) / 2]
        (f16,) = evaluate(f"v_cvt_scalef32_f16_{name}", [0xABCD1234], word[:1], [0.5], op_sel=place | 8)
        assert f16[0] & 0xFFFF == 0x1234
        assert np.uint16(f16[0] >> 16).view(np.float16) == float(code[0]) / 2


@pytest.mark.parametrize("name", ["fp8", "bf8"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_scaled_byte_rounds_stochastically(name: str, kind: str) -> None:
    value, count = 8 * (1 + 2.0**-5), 500
    source = as_bf16(np.full(count, value, np.float32)) if kind == "bf16" else [value] * count
    noise = [int(n) << 12 for n in np.linspace(0, 0xFFFFF, count)]
    (found,) = evaluate(f"v_cvt_scalef32_sr_{name}_{kind}", [0] * count, source, noise, [SCALE] * count, op_sel=8)
    codes = (found >> 16).astype(np.uint8).view(SMALL[name, "gfx950"]).astype(float)
    step = 2.0 ** -format_of(name, "gfx950").mantissa_bits
    assert set(codes) == {1.0, 1 + step}
    assert float(np.mean(codes > 1)) == pytest.approx(2.0**-5 / step, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_stochastic_fp4_pairs_step_the_random_bits(kind: str) -> None:
    values = np.array([[9.0, 9.0]] * 3, np.float32)  # 9/8 lies a quarter of the way from 1 to 1.5
    noise = [0xC0000000, 0x40000000, 0x20000000]
    (found,) = evaluate(
        f"v_cvt_scalef32_sr_pk_fp4_{kind}", [0] * 3, sources_of(values, kind), noise, [SCALE] * 3, op_sel=0
    )
    one, up = 0x2, 0x3
    second = [int(next_random(np.uint32(n))) for n in noise]
    expected = [
        (up if a >> 30 == 3 else one) | (up if b >> 30 == 3 else one) << 4 for a, b in zip(noise, second, strict=True)
    ]
    assert found.tolist() == expected


def six_bit_words(values: Array, name: str) -> list[list[int]]:
    return pack_bits(small_bits(values, name), 6, axis=-1).tolist()


@pytest.mark.parametrize("name", ["fp6", "bf6"])
class TestThirtyTwoOfSixBits:
    random = np.random.default_rng(11)
    values = (np.round(random.uniform(-6, 6, (5, 32)) * 32) / 32).astype(np.float32)

    def words(self, kind: str) -> list[list[int]]:
        if kind == "f32":
            return self.values.view(np.uint32).tolist()
        kept = self.values.astype(np.float16 if kind == "f16" else ml_dtypes.bfloat16).view(np.uint16)
        return pack_bits(kept, 16, axis=-1).tolist()

    def kept(self, kind: str) -> Array:
        types = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
        return self.values.astype(types[kind]).astype(np.float32)

    @pytest.mark.parametrize("kind", ["f16", "bf16"])
    def test_pack(self, name: str, kind: str) -> None:
        (found,) = evaluate(f"v_cvt_scalef32_pk32_{name}_{kind}", self.words(kind), [2.0] * 5)
        assert found.tolist() == six_bit_words(self.kept(kind) / 2, name)

    def test_pack_two_by_sixteen(self, name: str) -> None:
        words = np.array(self.words("f32"), np.uint32)
        even, odd = words[:, 0::2].tolist(), words[:, 1::2].tolist()
        (found,) = evaluate(f"v_cvt_scalef32_2xpk16_{name}_f32", even, odd, [2.0] * 5)
        assert found.tolist() == six_bit_words(self.values / 2, name)

    @pytest.mark.parametrize("kind", KINDS)
    def test_stochastic_pack_rounds_down_without_noise_and_never_beyond_a_neighbour(self, name: str, kind: str) -> None:
        mnemonic = f"v_cvt_scalef32_sr_pk32_{name}_{kind}"
        (low,) = evaluate(mnemonic, self.words(kind), [0] * 5, [1.0] * 5)
        (mixed,) = evaluate(mnemonic, self.words(kind), [0xDEADBEEF] * 5, [1.0] * 5)
        source = self.kept(kind)
        decoded = [unpack_bits(x, 6, axis=-1).view(SMALL[name, "gfx950"]).astype(np.float32) for x in (low, mixed)]
        assert np.all(np.abs(decoded[0]) <= np.abs(source))
        assert np.any(decoded[0] != decoded[1])
        assert np.all(np.abs(decoded[1] - source) < 1.0)

    @pytest.mark.parametrize("kind", KINDS)
    def test_unpack(self, name: str, kind: str) -> None:
        codes = np.arange(64, dtype=np.uint8).reshape(2, 32)
        (found,) = evaluate(f"v_cvt_scalef32_pk32_{kind}_{name}", pack_bits(codes, 6, axis=-1).tolist(), [4.0] * 2)
        expected = codes.view(SMALL[name, "gfx950"]).astype(np.float32) * 4
        if kind == "f32":
            assert np.array_equal(found.view(np.float32), expected)
        else:
            kept = expected.astype(np.float16 if kind == "f16" else ml_dtypes.bfloat16).view(np.uint16)
            assert np.array_equal(unpack_bits(found, 16, axis=-1), kept)

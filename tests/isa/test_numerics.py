"""Number formats against ml_dtypes: every code, and every source of 16 bits or fewer."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.errors import UsageError
from hkasm.isa import numerics
from hkasm.isa.numerics import FORMATS, decode, encode, format_of

PEERS = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "e8m0": ml_dtypes.float8_e8m0fnu,
}
SMALL = [name for name in PEERS if name not in ("bf16", "f16")]


def all_codes(name: str) -> np.ndarray:
    fmt = FORMATS[name]
    return np.arange(1 << fmt.bits).astype(fmt.dtype)


def assert_same_values(ours: np.ndarray, theirs: np.ndarray) -> None:
    nan = np.isnan(theirs)
    np.testing.assert_array_equal(np.isnan(ours), nan)
    np.testing.assert_array_equal(ours[~nan], theirs[~nan])
    np.testing.assert_array_equal(np.signbit(ours[~nan]), np.signbit(theirs[~nan]))


@pytest.mark.parametrize("name", PEERS)
def test_decode_every_code(name: str) -> None:
    codes = all_codes(name)
    with np.errstate(invalid="ignore"):
        theirs = codes.view(PEERS[name]).astype(np.float32)
        wide = theirs.astype(np.float64)
    assert_same_values(decode(codes, FORMATS[name]), theirs)
    assert_same_values(decode(codes, FORMATS[name], np.float64), wide)


@pytest.mark.parametrize("name", PEERS)
def test_encode_gives_back_every_code(name: str) -> None:
    fmt = FORMATS[name]
    codes = all_codes(name)
    values = decode(codes, fmt)
    finite = ~np.isnan(values)
    np.testing.assert_array_equal(encode(values[finite], fmt), codes[finite])
    np.testing.assert_array_equal(encode(values[finite].astype(np.float64), fmt), codes[finite])


@pytest.mark.parametrize("source", ["bf16", "f16"])
@pytest.mark.parametrize("name", PEERS)
def test_encode_every_16_bit_source(name: str, source: str) -> None:
    """RNE of every bf16 and f16 value, through float32 and float64, equals ml_dtypes' cast."""
    values = decode(all_codes(source), FORMATS[source])
    fmt = FORMATS[name]
    with np.errstate(all="ignore"):
        theirs = values.astype(PEERS[name])
        theirs_bits = theirs.view(fmt.dtype)
        wide = values.astype(np.float64)
    ours = encode(values, fmt)
    # payloads of NaN may differ between the paths, nothing else
    assert_same_values(decode(ours, fmt), decode(encode(wide, fmt), fmt))
    if fmt.nan_code < 0:  # NaN into fp6 and fp4: ours keeps the sign and saturates
        peak = fmt.max_code | (np.signbit(values) * fmt.sign_bit)
        bad = np.isnan(values) | np.isinf(values)
        np.testing.assert_array_equal(ours[bad], peak[bad])
        ours, theirs_bits = ours[~bad], theirs_bits[~bad]
        np.testing.assert_array_equal(ours, theirs_bits)
        return
    if name == "e8m0":  # ml_dtypes sends zero to NaN, and denormals of float32 to 2**-126 instead of the nearest
        bad = np.abs(values) < 2.0**-126
        assert (ours[bad & (values == 0)] == 0).all()
        values, ours, theirs = values[~bad], ours[~bad], theirs[~bad]
    assert_same_values(decode(ours, fmt), theirs.astype(np.float32))


@pytest.mark.parametrize("name", PEERS)
def test_encode_float64_does_not_round_twice(name: str) -> None:
    """Just above a midpoint by less than float32 can hold: up; exactly there: to even; just below: down."""
    fmt = FORMATS[name]
    values = decode(np.arange(fmt.max_code, dtype=fmt.dtype), fmt, np.float64)
    above = decode(np.arange(1, fmt.max_code + 1, dtype=fmt.dtype), fmt, np.float64)
    middle = (values + above) / 2
    lower = np.arange(fmt.max_code)
    even = lower + 1 if name == "e8m0" else lower + (lower & 1)
    np.testing.assert_array_equal(encode(middle, fmt), even)
    np.testing.assert_array_equal(encode(middle * (1 + 2.0**-50), fmt), lower + 1)
    np.testing.assert_array_equal(encode(middle * (1 - 2.0**-50), fmt), lower)


@pytest.mark.parametrize("name", SMALL)
def test_encode_random_float32_against_ml_dtypes(name: str) -> None:
    rng = np.random.default_rng(1)
    fmt = FORMATS[name]
    bits = rng.integers(0, 1 << 32, 200_000, dtype=np.uint32)
    near = rng.normal(size=200_000).astype(np.float32) * np.float32(2) ** rng.integers(-12, 10, 200_000)
    values = np.concatenate([bits.view(np.float32), near.astype(np.float32)])
    values = values[np.isfinite(values) & (np.abs(values) >= (2.0**-126 if name == "e8m0" else 0.0))]
    with np.errstate(all="ignore"):
        theirs = values.astype(PEERS[name]).astype(np.float32)
    assert_same_values(decode(encode(values, fmt), fmt), theirs)


@pytest.mark.parametrize("name", ["e4m3fnuz", "e5m2fnuz", "e4m3", "e5m2", "f16", "bf16"])
def test_overflow_and_saturation(name: str) -> None:
    fmt = FORMATS[name]
    large = np.array([1e39, -1e39, np.inf, -np.inf, np.nan], dtype=np.float64)
    plain = decode(encode(large, fmt), fmt)
    clamped = decode(encode(large, fmt, saturate=True), fmt)
    if fmt.inf_code >= 0:
        np.testing.assert_array_equal(plain[:4], [np.inf, -np.inf, np.inf, -np.inf])
        np.testing.assert_array_equal(clamped[2:4], [np.inf, -np.inf])
    else:
        assert np.isnan(plain).all()
        assert np.isnan(clamped[2:]).all()
    np.testing.assert_array_equal(clamped[:2], [fmt.max_value, -fmt.max_value])
    assert np.isnan([plain[4], clamped[4]]).all()


def test_saturation_keeps_what_rounds_into_range() -> None:
    fmt = FORMATS["e4m3"]
    np.testing.assert_array_equal(encode(np.array([464.0, 464.1, 479.0]), fmt), [0x7E, 0x7F, 0x7F])
    np.testing.assert_array_equal(encode(np.array([464.0, 464.1, 479.0]), fmt, saturate=True), [0x7E] * 3)


def test_directed_roundings_bracket_the_value() -> None:
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(size=5000) * 10.0 ** rng.integers(-9, 6, 5000), [0.0, 1e9, -1e9]])
    for fmt in (FORMATS["f16"], FORMATS["bf16"], FORMATS["e5m2"]):
        down, up = (decode(encode(values, fmt, rounding=r), fmt, np.float64) for r in ("rtn", "rtp"))
        zero = decode(encode(values, fmt, rounding="rtz"), fmt, np.float64)
        assert (down <= values).all()
        assert (values <= up).all()
        np.testing.assert_array_equal(zero, np.where(values < 0, up, down))
        assert not np.isinf(zero).any()


def test_stochastic_rounding_extremes_and_mean() -> None:
    fmt = FORMATS["e4m3"]
    values = np.array([1.0, 1.0625, -1.0625, 0.001, 448.0], dtype=np.float32)
    low = encode(values, fmt, rounding="sr", noise=np.uint32(0))
    np.testing.assert_array_equal(low, encode(values, fmt, rounding="rtz"))
    high = encode(values, fmt, rounding="sr", noise=np.uint32(0xFFFFFFFF))
    away = decode(high, fmt)
    np.testing.assert_array_equal(away[:3], [1.0, 1.125, -1.125])
    noise = np.random.default_rng(3).integers(0, 1 << 32, 100_000, dtype=np.uint32)
    for value in (1.03, 300.7, 0.0031):
        mean = decode(encode(np.full(noise.shape, value), fmt, rounding="sr", noise=noise), fmt, np.float64).mean()
        assert abs(mean / value - 1) < 2e-3


def test_stochastic_rounding_uses_the_high_bits_of_the_noise() -> None:
    """1 + 5 * 2**-7 drops 20 bits of float32; it goes up iff noise[31:12] + dropped carries."""
    fmt = FORMATS["e4m3"]
    value = np.float32(1 + 5 * 2**-7)
    dropped = int(value.view(np.uint32)) & 0xFFFFF
    need = (1 << 20) - dropped
    for noise, code in ((need << 12, 0x39), ((need << 12) - 1, 0x38)):
        assert encode(value[None], fmt, rounding="sr", noise=np.uint32(noise))[0] == code


def test_negative_zero() -> None:
    for name, fmt in FORMATS.items():
        if name == "e8m0":
            continue
        code = int(encode(np.array([-0.0]), fmt)[0])
        assert code == (0 if fmt.fnuz else fmt.sign_bit), name
        tiny = int(encode(np.array([-1e-60]), fmt)[0])
        assert tiny == (0 if fmt.fnuz else fmt.sign_bit), name


def test_bf16_fast_paths() -> None:
    rng = np.random.default_rng(4)
    bits = rng.integers(0, 1 << 32, (7, 64), dtype=np.uint32)
    values = bits.view(np.float32)
    ours = numerics.f32_to_bf16(values)
    with np.errstate(all="ignore"):
        theirs = values.astype(ml_dtypes.bfloat16)
    assert_same_values(numerics.bf16_to_f32(ours), theirs.astype(np.float32))
    pair = numerics.unpack_bf16(bits)
    assert pair.shape == (7, 64, 2)
    np.testing.assert_array_equal(pair[..., 0].view(np.uint32), bits << 16)
    np.testing.assert_array_equal(pair[..., 1].view(np.uint32), bits & 0xFFFF0000)
    signalling = np.array([0x7F800001, 0xFF810000], dtype=np.uint32).view(np.float32)
    np.testing.assert_array_equal(numerics.f32_to_bf16(signalling), [0x7FC0, 0xFFC1])


@pytest.mark.parametrize("width", [4, 6, 8, 16, 32, 64])
def test_packing_round_trips(width: int) -> None:
    rng = np.random.default_rng(width)
    words = rng.integers(0, 1 << 32, (6, 3, 64), dtype=np.uint32)
    elements = numerics.unpack_bits(words, width)
    assert elements.shape == (6 * 32 // width, 3, 64)
    np.testing.assert_array_equal(numerics.pack_bits(elements, width), words)
    # the definition: element e is bits [e*width, (e+1)*width) of the lane's dwords as one little-endian number
    lane = sum(int(w) << (32 * i) for i, w in enumerate(words[:, 1, 5]))
    mine = [(lane >> (width * e)) & ((1 << width) - 1) for e in range(len(elements))]
    assert [int(e) for e in elements[:, 1, 5]] == mine


def test_pack_refuses_part_of_a_dword() -> None:
    with pytest.raises(UsageError, match="do not fill whole dwords"):
        numerics.pack_bits(np.zeros((3, 2), np.uint8), 8)


def test_flush_denormals() -> None:
    values = np.array([1e-40, -1e-40, 1.5, 0.0, -0.0, np.nan], dtype=np.float32)
    flushed = numerics.flush_denormals(values)
    np.testing.assert_array_equal(flushed, np.array([0, -0.0, 1.5, 0, -0.0, np.nan], dtype=np.float32))
    np.testing.assert_array_equal(np.signbit(flushed), np.signbit(values))


def test_isa_names_and_errors() -> None:
    assert format_of("fp8", "gfx942").name == "e4m3fnuz"
    assert format_of("bf8", "gfx950").name == "e5m2"
    assert format_of("fp4").name == "e2m1"
    with pytest.raises(UsageError, match="depends on the chip"):
        format_of("fp8")
    with pytest.raises(UsageError, match="did you mean 'bf16'"):
        format_of("bf166")
    with pytest.raises(UsageError, match="did you mean 'rne'"):
        encode(np.zeros(1), FORMATS["f16"], rounding="RNE")
    with pytest.raises(UsageError, match="needs noise"):
        encode(np.zeros(1), FORMATS["f16"], rounding="sr")


@given(st.floats(width=64, allow_nan=False), st.sampled_from(sorted(FORMATS)))
def test_encode_is_nearest(value: float, name: str) -> None:
    """No other finite value of the format is nearer than the one chosen."""
    fmt = FORMATS[name]
    if not fmt.signed and value <= 0:
        return
    with np.errstate(all="ignore"):
        got = float(decode(encode(np.array([value]), fmt, saturate=True), fmt, np.float64)[0])
    if not np.isfinite(got):
        assert np.isinf(value)
        return
    table = decode(all_codes(name), fmt, np.float64)
    finite = table[np.isfinite(table)]
    assert abs(got - value) <= np.abs(finite - value).min()

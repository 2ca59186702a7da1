"""Float instructions: rounding, special values, division steps, transcendentals, packed and mixed forms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.meanings import element_dtype, evaluate

from hkasm.isa import SPECS
from hkasm.isa.families import _floats

INF, NAN = math.inf, math.nan
DENORMAL32, MAX32 = 2.0**-140, 3.4028234663852886e38
F32 = st.floats(width=32)


def bits32(value: Any) -> int:
    return int(np.array([value], np.float32).view(np.uint32)[0])


def same(a: Any, b: Any) -> bool:
    """Equal as IEEE values, zeros by sign, NaNs alike."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and math.copysign(1, a) == math.copysign(1, b)


# ---- sums, products, minimum and maximum ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mnemonic", "sources", "expected"),
    [
        ("v_add_f32", (1.5, 2.25), 3.75),
        ("v_sub_f32", (1.5, 2.25), -0.75),
        ("v_subrev_f32", (1.5, 2.25), 0.75),
        ("v_mul_f32", (1.5, -2.0), -3.0),
        ("v_mul_legacy_f32", (0.0, INF), 0.0),
        ("v_mul_legacy_f32", (3.0, 2.0), 6.0),
        ("v_add_f16", (2048.0, 1.0), 2048.0),
        ("v_add_f64", (1.0, 2.0**-60), 1.0),
        ("v_mul_f64", (3.0, 7.0), 21.0),
        ("v_min_f32", (1.0, NAN), 1.0),
        ("v_min_f32", (NAN, 2.0), 2.0),
        ("v_max_f32", (NAN, NAN), NAN),
        ("v_min_f32", (0.0, -0.0), -0.0),
        ("v_min_f32", (-0.0, 0.0), -0.0),
        ("v_max_f32", (-0.0, 0.0), 0.0),
        ("v_max_f32", (0.0, -0.0), 0.0),
        ("v_max_f16", (3.0, -4.0), 3.0),
        ("v_min_f64", (-INF, 4.0), -INF),
        ("v_min3_f32", (3.0, NAN, 2.0), 2.0),
        ("v_max3_f32", (3.0, 9.0, 2.0), 9.0),
        ("v_med3_f32", (3.0, 9.0, 2.0), 3.0),
        ("v_med3_f32", (NAN, 9.0, 2.0), 2.0),
        ("v_med3_f16", (5.0, 1.0, 2.0), 2.0),
        ("v_minimum3_f32", (3.0, NAN, 2.0), NAN),
        ("v_minimum3_f32", (3.0, 1.0, 2.0), 1.0),
        ("v_maximum3_f32", (3.0, -0.0, 2.0), 3.0),
        ("v_fma_f32", (1 + 2.0**-12, 1 + 2.0**-12, -1.0), 2.0**-11 + 2.0**-24),
        ("v_fma_f64", (1 + 2.0**-30, 1 + 2.0**-30, -1.0), 2.0**-29 + 2.0**-60),
        ("v_fma_f16", (1 + 2.0**-10, 1 + 2.0**-10, -1.0), 2.0**-9),
        ("v_mad_f16", (1 + 2.0**-10, 1 + 2.0**-10, -1.0), 2.0**-9),
        ("v_mad_f16", (1 + 2.0**-5, 1 + 2.0**-5, -1.0), 2.0**-4 + 2.0**-10),
        ("v_fmac_f32", (10.0, 2.0, 3.0), 16.0),
        ("v_fmac_f64", (10.0, 2.0, 3.0), 16.0),
        ("v_mac_f16", (10.0, 2.0, 3.0), 16.0),
        ("v_fmamk_f32", (2.0, 3.0, 4.0), 10.0),
        ("v_fmaak_f32", (2.0, 3.0, 4.0), 10.0),
        ("v_madmk_f16", (2.0, 3.0, 4.0), 10.0),
        ("v_madak_f16", (2.0, 3.0, 4.0), 10.0),
        ("v_fma_mix_f32", (2.0, 3.0, 4.0), 10.0),
        ("v_fma_mixlo_f16", (2.0, 3.0, 2.0**-12), 6.0),
        ("v_ldexp_f32", (1.5, -130), 1.5 * 2.0**-130),
        ("v_ldexp_f32", (1.5, 100000), INF),
        ("v_ldexp_f32", (1.0 + 2.0**-23, -149), 2.0**-149),
        ("v_ldexp_f64", (-1.5, 1024), -INF),
        ("v_ldexp_f64", (3.0, -1074), 3 * 2.0**-1074),
        ("v_ldexp_f16", (1.5, 3), 12.0),
        ("v_ldexp_f16", (1.0, -25), 0.0),
        ("v_fract_f32", (-0.25,), 0.75),
        ("v_fract_f32", (-1e-10,), 1 - 2.0**-24),
        ("v_fract_f64", (2.75,), 0.75),
        ("v_fract_f16", (-1e-4,), 1 - 2.0**-11),
        ("v_trunc_f32", (-2.75,), -2.0),
        ("v_ceil_f32", (-0.75,), -0.0),
        ("v_floor_f64", (-0.25,), -1.0),
        ("v_rndne_f32", (2.5,), 2.0),
        ("v_rndne_f16", (3.5,), 4.0),
        ("v_frexp_mant_f32", (-12.0,), -0.75),
        ("v_frexp_mant_f32", (INF,), INF),
        ("v_frexp_mant_f64", (2.0**-1074,), 0.5),
        ("v_frexp_mant_f16", (0.0,), 0.0),
    ],
)
def test_float_result(mnemonic: str, sources: tuple[float, ...], expected: float) -> None:
    (found,) = evaluate(mnemonic, *[[value] for value in sources])
    assert found.dtype == element_dtype(SPECS[mnemonic].writes[0].type)
    assert same(float(found[0]), expected), found[0]


@pytest.mark.parametrize("mnemonic", ["v_min_f32", "v_max_f32", "v_min3_f32"])
def test_a_signalling_nan_comes_out_quiet(mnemonic: str) -> None:
    signalling = np.array([0x7F800001], np.uint32).view(np.float32)
    sources = [signalling] + [np.array([1.0], np.float32)] * (2 if "min3" in mnemonic else 1)
    meaning = SPECS[mnemonic].meaning
    assert meaning is not None
    if "min3" in mnemonic:
        assert float(meaning(*sources)[0]) == 1.0  # the quiet NaN then loses to a number
    else:
        assert bits32(meaning(*sources)[0]) == 0x7FC00001


@given(F32, F32, F32)
def test_fma_is_rounded_once(a: float, b: float, c: float) -> None:
    (found,) = evaluate("v_fma_f32", [a], [b], [c])
    if all(map(math.isfinite, (a, b, c))):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact:
            assert found[0] == np.float32(_round_to_f32(exact))
    else:
        with np.errstate(all="ignore"):
            assert same(float(found[0]), float(np.float64(a) * np.float64(b) + np.float64(c)))


def _round_to_f32(value: Fraction) -> float:
    """Nearest even by scaling to an integer number of last places."""
    sign, size = (-1 if value < 0 else 1), abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (max(exponent, -126) - 23)
    whole = round(size / step)  # ties to even
    rounded = whole * step
    return sign * (INF if rounded > Fraction(MAX32) else float(rounded))


@given(st.floats(width=16), st.floats(width=16), st.floats(width=16))
def test_half_fma_is_rounded_once(a: float, b: float, c: float) -> None:
    (found,) = evaluate("v_fma_f16", [a], [b], [c])
    if all(map(math.isfinite, (a, b, c))):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        candidates = [float(found[0]), *(float(np.nextafter(found[0], np.float16(side))) for side in (-INF, INF))]
        if math.isfinite(candidates[0]) and exact:
            errors = [abs(Fraction(x) - exact) if math.isfinite(x) else Fraction(10**9) for x in candidates]
            assert errors[0] == min(errors)


# ---- classes and compares ------------------------------------------------------------------------------------------

CLASSES = {
    0x7F800001: 0, 0x7FC00000: 1, 0xFF800000: 2, 0xC0000000: 3, 0x80000001: 4, 0x80000000: 5, 0x00000000: 6,
    0x007FFFFF: 7, 0x3F800000: 8, 0x7F800000: 9, 0xFFC00001: 1,
}  # fmt: skip


@pytest.mark.parametrize(("pattern", "place"), CLASSES.items())
def test_class_f32(pattern: int, place: int) -> None:
    meaning = SPECS["v_cmp_class_f32"].meaning
    assert meaning is not None
    value = np.array([pattern], np.uint32).view(np.float32)
    for number in range(10):
        assert bool(meaning(value, np.array([1 << number], np.uint32))[0]) == (number == place)


@pytest.mark.parametrize(
    ("mnemonic", "value", "place"),
    [("f16", -1.0, 3), ("f16", 2.0**-24, 7), ("f64", 2.0**-1074, 7), ("f64", -INF, 2), ("f64", -0.0, 5)],
)
def test_class_of_other_sizes(mnemonic: str, value: float, place: int) -> None:
    (found,) = evaluate(f"v_cmp_class_{mnemonic}", [value] * 10, [1 << n for n in range(10)])
    assert found.tolist() == [n == place for n in range(10)]


ORDERED = ("lt", "eq", "le", "gt", "lg", "ge", "o")
NEGATED = {"u": "o", "nge": "ge", "nlg": "lg", "ngt": "gt", "nle": "le", "neq": "eq", "nlt": "lt"}


@pytest.mark.parametrize("type_name", ["f16", "f32", "f64"])
def test_float_compares(type_name: str) -> None:
    values = [-INF, -1.0, -0.0, 0.0, 2.5, INF, NAN]
    pairs = [(a, b) for a in values for b in values]
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    truth = {
        "lt": lambda a, b: a < b, "eq": lambda a, b: a == b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
        "lg": lambda a, b: a < b or a > b, "ge": lambda a, b: a >= b,
        "o": lambda a, b: not (math.isnan(a) or math.isnan(b)),
    }  # fmt: skip
    for word in ORDERED:
        (found,) = evaluate(f"v_cmp_{word}_{type_name}", left, right)
        assert found.tolist() == [truth[word](a, b) for a, b in pairs]
        assert [x.tolist() for x in evaluate(f"v_cmpx_{word}_{type_name}", left, right)] == [found.tolist()] * 2
    for word, opposite in NEGATED.items():
        (found,) = evaluate(f"v_cmp_{word}_{type_name}", left, right)
        assert found.tolist() == [not truth[opposite](a, b) for a, b in pairs]
    assert not evaluate(f"v_cmp_f_{type_name}", left, right)[0].any()
    assert evaluate(f"v_cmp_tru_{type_name}", left, right)[0].all()


# ---- exponents, cubes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mnemonic", "value", "expected"),
    [
        ("v_frexp_exp_i32_f32", 1.0, 1),
        ("v_frexp_exp_i32_f32", 2.0**-149, -148),
        ("v_frexp_exp_i32_f32", 0.0, 0),
        ("v_frexp_exp_i32_f32", NAN, 0),
        ("v_frexp_exp_i32_f64", 2.0**1000, 1001),
        ("v_frexp_exp_i16_f16", 0.25, -1),
        ("v_frexp_exp_i16_f16", INF, 0),
    ],
)
def test_exponents(mnemonic: str, value: float, expected: int) -> None:
    assert evaluate(mnemonic, [value])[0].tolist() == [expected]


@pytest.mark.parametrize(
    ("point", "face", "s", "t", "axis"),
    [
        ((3.0, 1.0, 2.0), 0, -2.0, -1.0, 6.0),
        ((-3.0, 1.0, 2.0), 1, 2.0, -1.0, -6.0),
        ((1.0, 3.0, 2.0), 2, 1.0, 2.0, 6.0),
        ((1.0, -3.0, 2.0), 3, 1.0, -2.0, -6.0),
        ((1.0, 2.0, 3.0), 4, 1.0, -2.0, 6.0),
        ((1.0, 2.0, -3.0), 5, -1.0, -2.0, -6.0),
    ],
)
def test_cube_faces(point: tuple[float, ...], face: int, s: float, t: float, axis: float) -> None:
    sources = [[value] for value in point]
    found = [float(evaluate(f"v_cube{part}_f32", *sources)[0][0]) for part in ("id", "sc", "tc", "ma")]
    assert found == [face, s, t, axis]


# ---- transcendentals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reference", "low", "high"),
    [
        ("exp", np.exp2, -120.0, 120.0),
        ("log", np.log2, 1e-30, 1e30),
        ("rcp", lambda x: 1 / x, 1e-30, 1e30),
        ("rsq", lambda x: 1 / np.sqrt(x), 1e-30, 1e30),
        ("sqrt", np.sqrt, 1e-30, 1e30),
        ("sin", lambda x: np.sin(2 * np.pi * np.remainder(x, 1.0)), -200.0, 200.0),
        ("cos", lambda x: np.cos(2 * np.pi * np.remainder(x, 1.0)), -200.0, 200.0),
    ],
)
def test_transcendentals_are_right_to_the_last_place(name: str, reference: Any, low: float, high: float) -> None:
    random = np.random.default_rng(1)
    values = random.uniform(low, high, 500).astype(np.float32)
    (found,) = evaluate(f"v_{name}_f32", values)
    expected = reference(values.astype(np.float64))
    assert np.all(np.abs(found - expected) <= np.maximum(np.spacing(np.abs(expected.astype(np.float32))), 1e-9))
    halves = random.uniform(max(low, -14), min(high, 14), 200).astype(np.float16)
    (half,) = evaluate(f"v_{name}_f16", halves)
    assert half.dtype == np.float16
    assert np.allclose(half.astype(np.float64), reference(halves.astype(np.float64)), rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("mnemonic", "value", "expected"),
    [
        ("v_exp_f32", -INF, 0.0),
        ("v_exp_f32", -140.0, 0.0),  # a denormal result is flushed
        ("v_exp_f32", 128.0, INF),
        ("v_exp_f32", 3.0, 8.0),
        ("v_log_f32", 0.0, -INF),
        ("v_log_f32", DENORMAL32, -INF),  # a denormal source is a zero
        ("v_log_f32", -1.0, NAN),
        ("v_log_f32", 8.0, 3.0),
        ("v_rcp_f32", 0.0, INF),
        ("v_rcp_f32", -0.0, -INF),
        ("v_rcp_f32", MAX32, 0.0),
        ("v_rcp_iflag_f32", 4.0, 0.25),
        ("v_rsq_f32", 0.25, 2.0),
        ("v_rsq_f32", -1.0, NAN),
        ("v_sqrt_f32", -0.0, -0.0),
        ("v_sqrt_f64", 2.0, math.sqrt(2.0)),
        ("v_rcp_f64", 3.0, 1 / 3),
        ("v_rsq_f64", 4.0, 0.5),
        ("v_sin_f32", 0.25, 1.0),
        ("v_sin_f32", 0.5, 0.0),
        ("v_sin_f32", 300.0, 0.0),
        ("v_cos_f32", 0.25, 0.0),
        ("v_cos_f32", 0.5, -1.0),
        ("v_cos_f32", 300.0, 1.0),
        ("v_exp_legacy_f32", 2.0, 4.0),
        ("v_log_legacy_f32", 4.0, 2.0),
    ],
)
def test_transcendental_special_values(mnemonic: str, value: float, expected: float) -> None:
    assert same(float(evaluate(mnemonic, [value])[0][0]), expected)


# ---- division ------------------------------------------------------------------------------------------------------


def divide(kind: str, numerators: np.ndarray[Any, Any], denominators: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The sequence that compilers emit for a correctly rounded quotient, on the meanings alone."""
    dtype = numerators.dtype.type
    one = np.ones_like(numerators)
    with np.errstate(all="ignore"):
        d, _ = _floats.div_scale(denominators, denominators, numerators)
        n, mask = _floats.div_scale(numerators, denominators, numerators)
        r = (one / d).astype(dtype)
        for _ in range(2):
            r = _floats.fma(_floats.fma(-d, r, one), r, r)
        q = n * r
        q = _floats.fma(_floats.fma(-d, q, n), r, q)
        error = _floats.fma(-d, q, n)
        return _floats.div_fixup(_floats.div_fmas(error, r, q, mask), denominators, numerators)


@pytest.mark.parametrize(
    ("kind", "dtype", "unsigned"), [("f32", np.float32, np.uint32), ("f64", np.float64, np.uint64)]
)
def test_the_division_sequence_rounds_right(kind: str, dtype: type, unsigned: type) -> None:
    random = np.random.default_rng(3)
    raw = random.integers(0, np.iinfo(unsigned).max, (2, 4000), dtype=unsigned, endpoint=True)
    n, d = raw.view(dtype)
    specials = np.array([0.0, -0.0, 1.0, -3.0, INF, -INF, NAN, 2.0**-130, 2.0**120], dtype)
    n = np.concatenate((n, np.repeat(specials, len(specials))))
    d = np.concatenate((d, np.tile(specials, len(specials))))
    found = divide(kind, n, d)
    with np.errstate(all="ignore"):
        expected = (n / d).astype(dtype)
    normal = np.isnan(expected) | np.isinf(expected) | (expected == 0) | (np.abs(expected) >= np.finfo(dtype).tiny)
    equal = (found == expected) | (np.isnan(found) & np.isnan(expected))
    assert equal[normal].all()
    assert (np.signbit(found) == np.signbit(expected))[normal & ~np.isnan(expected)].all()
    # Denormal quotients are rounded once more by the last step: at most one last place away.
    step = np.abs(
        found.astype(dtype).view(unsigned)[~normal].astype(np.int64) - expected.view(unsigned)[~normal].astype(np.int64)
    )
    assert step.size == 0 or step.max() <= 1


def test_div_fixup_f16_gives_the_special_cases() -> None:
    quotient = [9.0] * 5
    denominators, numerators = [0.0, INF, 2.0, -2.0, NAN], [0.0, INF, INF, 4.0, 1.0]
    (found,) = evaluate("v_div_fixup_f16", quotient, denominators, numerators)
    assert [same(float(x), y) for x, y in zip(found, [NAN, NAN, INF, -9.0, NAN], strict=True)] == [True] * 5


def test_trig_preop_gives_consecutive_pieces_of_two_over_pi() -> None:
    pieces = [float(evaluate("v_trig_preop_f64", [1.0], [segment])[0][0]) for segment in range(3)]
    total = sum((Fraction(piece) for piece in pieces), Fraction(0))
    # 2/pi to 40 digits.
    two_over_pi = Fraction(6366197723675813430755350534900574481378, 10**40)
    assert abs(total - two_over_pi) < Fraction(1, 10**39)
    assert pieces[0] == math.floor(two_over_pi * 2**53) / 2**53
    large = float(evaluate("v_trig_preop_f64", [2.0**1000], [0])[0][0])
    assert 0 < large < 2.0**-900 * 2.0**128


# ---- packed and dot ------------------------------------------------------------------------------------------------


def test_packed_float_math_works_on_both_elements() -> None:
    a, b, c = [[1.0, -2.0]], [[3.0, 4.0]], [[0.5, 100.0]]
    for kind in ("f16", "f32"):
        assert evaluate(f"v_pk_add_{kind}", a, b)[0].tolist() == [[4.0, 2.0]]
        assert evaluate(f"v_pk_mul_{kind}", a, b)[0].tolist() == [[3.0, -8.0]]
        assert evaluate(f"v_pk_fma_{kind}", a, b, c)[0].tolist() == [[3.5, 92.0]]
    assert evaluate("v_pk_min_f16", a, b)[0].tolist() == [[1.0, -2.0]]
    assert evaluate("v_pk_max_f16", a, b)[0].tolist() == [[3.0, 4.0]]
    assert evaluate("v_pk_minimum3_f16", a, b, c)[0].tolist() == [[0.5, -2.0]]
    assert evaluate("v_pk_maximum3_f16", a, b, c)[0].tolist() == [[3.0, 100.0]]
    assert evaluate("v_pk_fmac_f16", c, a, b)[0].tolist() == [[3.5, 92.0]]


def test_dot_products_of_floats() -> None:
    a, b, c = [[1.5, -2.0]], [[3.0, 4.0]], [0.25]
    as_bf16 = [[int(np.array(x, np.float32).view(np.uint32)) >> 16 for x in pair] for pair in (a[0], b[0])]
    assert evaluate("v_dot2_f32_f16", a, b, c)[0].tolist() == [-3.25]
    assert evaluate("v_dot2c_f32_f16", c, a, b)[0].tolist() == [-3.25]
    assert evaluate("v_dot2_f32_bf16", [as_bf16[0]], [as_bf16[1]], c)[0].tolist() == [-3.25]
    assert evaluate("v_dot2c_f32_bf16", c, [as_bf16[0]], [as_bf16[1]])[0].tolist() == [-3.25]


def test_dot_products_see_denormals_as_zeros() -> None:
    (found,) = evaluate("v_dot2_f32_f16", [[2.0**-24, 0.0]], [[1.0, 0.0]], [DENORMAL32])
    assert found.tolist() == [0.0]

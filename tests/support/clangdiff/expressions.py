"""Random C expressions of a given type, without undefined behaviour and without anything a compiler may choose."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from support.clangdiff.model import BITS

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
PAIRS = ("i16x2", "u16x2", "f16x2", "f32x2")

INTEGER_CONSTANTS = (
    0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
    0x55555555, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0xDEADBEEF, 0x123456789ABCDEF0, 0xFFFFFFFFFFFFFFFF, 1 << 63,
    1 << 32,
)  # fmt: skip
# No zero: LLVM takes 0 - x for -x, whatever the zeros' signs.
REAL_CONSTANTS = {
    "f32": (
        "0.25f",
        "1.0f",
        "-1.0f",
        "0.5f",
        "2.0f",
        "-4.0f",
        "3.14159274f",
        "0.1f",
        "1e30f",
        "1e-40f",
        "-65536.0f",
        "0.15915494f",
    ),
    "f64": ("0.25", "1.0", "-1.0", "0.5", "2.0", "4.0", "3.141592653589793", "0.1", "1e300", "1e-310", "-65536.0"),
    "f16": (
        "(f16)0.25f",
        "(f16)1.0f",
        "(f16)-2.0f",
        "(f16)0.5f",
        "(f16)0.1f",
        "(f16)65504.0f",
        "(f16)6e-5f",
        "(f16)1e-6f",
    ),
    "bf16": ("(bf16)0.25f", "(bf16)1.0f", "(bf16)-2.5f", "(bf16)0.1f", "(bf16)1e30f", "(bf16)1e-39f"),
}

# Calls with a model on the host, by the type they give. {T} is an expression, {T!} a variable,
# {N..M} a number.
CALLS: dict[str, tuple[str, ...]] = {
    "u32": (
        "from_pk_fp8({u32}, {0..1})", "from_pk_bf8({u32}, {0..1})", "to_pk_fp8({f32}, {f32}, {u32}, {0..1})",
        "to_pk_bf8({f32}, {f32}, {u32}, {0..1})", "sr_fp8({u32}, {u32}, {u32}, {0..3})",
        "sr_bf8({u32}, {u32}, {u32}, {0..3})", "sad_u32({u32!}, {u32!}, {u32})",
        "min_u32(max_u32({u32}, 5u), 100u)", "(u32)__builtin_islessgreater({f32}, {f32})",
        "(u32)!__builtin_islessgreater({f64}, {f64})", "(u32)({u16} * (u32){u16} + {u32})",
        "bits_f16x2(pair_f16x2({f16}, (f16)fma_f32((f32){f16}, (f32){f16}, (f32){f16})))",
        "perm({u32}, {u32}, {u32})", "perm({u32}, {u32}, 0x07060302u)", "perm({u32}, {u32}, 0x0c040c01u)",
        "alignbit({u32}, {u32}, {u32})", "alignbit({u32}, {u32}, {0..31})", "alignbyte({u32}, {u32}, {u32})",
        "ubfe({u32}, {u32}, {u32})", "ubfe({u32}, {0..31}, {1..31})", "sbfe({u32}, {u32}, {u32})",
        "sbfe({u32}, {0..31}, {1..31})",
        "sad_u8({u32}, {u32}, {u32})", "sad_hi_u8({u32}, {u32}, {u32})", "sad_u16({u32}, {u32}, {u32})",
        "msad_u8({u32}, {u32}, {u32})", "mqsad4({u64}, {u32}, {u32})", "lerp({u32}, {u32}, {u32})",
        "sdot4({u32}, {u32}, {u32}, {0..1})", "udot4({u32}, {u32}, {u32}, {0..1})",
        "sdot8({u32}, {u32}, {u32}, {0..1})",
        "udot8({u32}, {u32}, {u32}, {0..1})", "sdot2({u32}, {u32}, {u32}, {0..1})",
        "udot2({u32}, {u32}, {u32}, {0..1})",
        "mul_u24({u32}, {u32})", "ADD(u32, u32, mul_u24({u32}, {u32}), {u32})",
        "cvt_pkrtz({f32}, {f32})", "cvt_pk_i16({u32}, {u32})", "cvt_pk_u16({u32}, {u32})",
        "cvt_pknorm_i16(signed_f32({u32}, (f32)({u32} & 1u)), signed_f32({u32}, (f32)({u32} & 3u)))",
        "cvt_pknorm_u16((f32)({u32} & 1u), 0.25f)",
        "cvt_pk_u8(__builtin_rintf({f32}), {0..3}, {u32})", "cvt_pk_u8((f32)({u32} & 511u), {u32}, {u32})",
        "(u32)__builtin_popcount({u32})", "clz32({u32})", "ctz32({u32})", "__builtin_bitreverse32({u32})",
        "__builtin_bswap32({u32})",
        "(u32)__builtin_popcountll({u64})", "clz64({u64})", "ctz64({u64})", "mulhi_u32({u32}, {u32})",
        "(u32)mulhi_i32({i32}, {i32})",
        "(u32)(({u32!} & {u32!}) | (~{u32!} & {u32!}))", "(u32)(({u32!} & {u32!}) | (~{u32!} & {u32}))",
        "({u32} ^ {u32} ^ {u32})",
        "({u32} | {u32} | {u32})", "(({u32} & {u32}) | {u32})", "(({u32} << {0..31}) | {u32})",
        "(({u32} << {0..4}) + {u32})",
        "({u32} + {u32} + {u32})", "(({u32} + {u32}) << {0..31})", "(({u32} ^ {u32}) + {u32})", "(~({u32} ^ {u32}))",
        "(~({u32} & {u32}))",
        "(~({u32} | {u32}))", "({u32} & ~{u32})", "({u32} | ~{u32})", "((1u << ({u32} & 31)) - 1u)",
        "({u32} | (1u << ({u32} & 31)))",
        "({u32} & ~(1u << ({u32} & 31)))", "(({u32} >> {0..24}) & 255u)", "((u32)(u8)({u32} >> 8))",
        "((u32)(i32)(i8)({u32} >> 16))",
        "((u32)(i32)(i16){u32})", "min_u32(max_u32({u32!}, {u32!}), {u32!})", "min_u32(min_u32({u32}, {u32}), {u32})",
        "max_u32(max_u32({u32}, {u32}), {u32})",
        "max_u32(min_u32({u32!}, {u32!}), min_u32(max_u32({u32!}, {u32!}), {u32!}))",
        "frexp_exp_f32({f32})", "frexp_exp_f64({f64})", "class_f32({f32}, {0..1023})", "class_f64({f64}, {0..1023})",
        "class_f16({f16}, {0..1023})",
        "pair_bits({f16}, {f16})", "(u32)(({u64}) >> ({u32} & 63))", "(u32)(i32)({i16} * {i16})",
        "(u32)({u16} | (u32){u16} << 16)",
        "(({u32} & 0xffffu) | ({u32} << 16))", "(({u32} >> 16) | ({u32} & 0xffff0000u))",
         "(u32)__builtin_parity({u32})", "(u32)({u32} * 24u + {u32})",
         "((u32)({i32!} < 0 ? 0 : {i32!} > 255 ? 255 : {i32!}))",
    ),
    "i32": (
        "((i32){i16} * {i16} + ({i32} >> 2))", "max_i32(min_i32({i32}, 300), 20)",
        "mulhi_i32({i32}, {i32})", "abs_i32({i32})", "max_i32(min_i32({i32}, {i32}), {i32})",
        "min_i32(min_i32({i32}, {i32}), {i32})",
        "max_i32(max_i32({i32}, {i32}), {i32})",
        "max_i32(min_i32({i32!}, {i32!}), min_i32(max_i32({i32!}, {i32!}), {i32!}))",
        "(i32)__builtin_clrsb({i32})", "MUL(i32, u32, (i32)((u32){i32} << 8) >> 8, {i16} >> 4)",
        "max_i32(min_i32({i32}, 100), -7)",
        "(i32)ADD(u32, u32, abs_i32({i32}), {i32})", "((i32)({u32} << {1..31}) >> {1..31})",
        "(i32)frexp_exp_f16({f16})",
    ),
    "u64": (
        "qsad({u64}, {u32}, {u64})", "mqsad({u64}, {u32}, {u64})", "mulhi_u64({u64}, {u64})", "((u64){u32} * {u32})",
        "((u64){u32} * {u32} + {u64})",
        "__builtin_bitreverse64({u64})", "__builtin_bswap64({u64})", "(({u64} << {0..4}) + {u64})",
        "({u64} | (u64){u32} << 32)",
        "(~({u64} ^ {u64}))", "(~({u64} & {u64}))", "({u64} & ~{u64})", "({u64} | ~{u64})",
        "((u64)((u128){u64} * {u64} >> ({u32} & 63)))",
        "(({u64} >> {0..40}) & 0xffffffu)", "((1ull << ({u32} & 63)) - 1)", "({u64} | 1ull << ({u32} & 63))",
        "bits_f32x2({f32x2})", "(u64)(((u128){u64} << 64 | {u64}) >> ({u32} & 63))",
    ),
    "i64": (
        "((i64){i32} * {i32})", "((i64){i32} * {i32} + {i64!} / 4)", "mulhi_i64({i64}, {i64})", "abs_i64({i64})",
        "((i64)({u64} << {1..63}) >> {1..63})",
        "(i64)__builtin_clrsbll({i64})",
    ),
    "u16": (
        "__builtin_bitreverse16({u16})", "__builtin_bswap16({u16})", "(u16)({u16} * {u16} + {u16})",
        "(u16)(({u8} << 8) | {u8})",
        "bits_f16({f16})", "frexp_exp_f16({f16})", "(u16)({u16!} < {u16!} ? {u16} : {u16})", "bits_bf16({bf16})",
        "max_u16(min_u16({u16!}, {u16!}), min_u16(max_u16({u16!}, {u16!}), {u16!}))",
        "min_u16(min_u16({u16}, {u16}), {u16})",
    ),
    "i16": (
        "(i16)((u32){i16} * (u32){i16} + (u32){i16})",
        "max_i16(min_i16({i16!}, {i16!}), min_i16(max_i16({i16!}, {i16!}), {i16!}))", "abs_i16({i16})",
        "max_i16(max_i16({i16}, {i16}), {i16})", "(i16)({i16} >> {1..15})", "(i16)({u32} >> 16)",
    ),
    "u8": ("__builtin_bitreverse8({u8})", "(u8)({u32} >> 24)", "(u8)({u16} >> 8)"),
    "i8": ("(i8)({i32} >> 8)", "abs_i8({i8})"),
    "f32": (
        "from_fp8({u32}, {0..3})", "from_bf8({u32}, {0..3})", "min3_f32({f32}, {f32}, {f32})",
        "max3_f32({f32}, {f32}, {f32})", "__builtin_elementwise_maximum({f32}, {f32})",
        "__builtin_elementwise_minimum({f32}, {f32})",
        "fma_f32({f32}, {f32}, {f32})", "fma_f32({f32}, -{f32}, __builtin_fabsf({f32}))", "sqrt_f32({f32})",
        "__builtin_floorf({f32})", "__builtin_ceilf({f32})",
        "__builtin_truncf({f32})", "__builtin_rintf({f32})", "__builtin_roundf({f32})", "min_f32({f32}, {f32})",
        "max_f32({f32}, {f32})",
        "copysign_f32({f32}, {f32})", "ldexp_f32({f32}, {i32})",
        "med3_f32(finite({f32}), finite({f32}), finite({f32}))", "fract_f32(finite({f32}))",
        "frexp_mant_f32({f32})", "cubeid(finite({f32}), finite({f32}), finite({f32}))",
        "cubema(finite({f32}), finite({f32}), finite({f32}))",
        "cubesc(finite({f32}), finite({f32}), finite({f32}))", "cubetc(finite({f32}), finite({f32}), finite({f32}))",
        "cvt_off_f32_i4({u32})",
        "rcp_exact(signed_f32({u32}, power_of_two({u32})))", "rsq_exact(power_of_two({u32} * 2 + 1))",
        "exp2_exact((f32)(i32)(({u32} & 63u) - 32))",
        "log2_exact(power_of_two({u32}))", "sqrt_exact(square({u32}))",
        "nz_f32(sin_exact((f32)({u32} & 63u) * 0.25f))",
        "nz_f32(cos_exact((f32)({u32} & 63u) * 0.25f))", "fma_f32((f32){f16}, (f32){f16}, {f32})",
        "fma_f32((f32){f16}, {f32}, (f32){f16})",
        "fdot2(pair_f16x2((f16){u8}, (f16){i8}), pair_f16x2((f16){i8}, (f16){u8}), (f32){i16})",
        "(f32)({u32} & 255u)", "(f32)(({u32} >> 8) & 255u)",
        "(f32)(({u32} >> 16) & 255u)", "(f32)({u32} >> 24)", "({f32} / {f32})", "(__builtin_fabsf({f32}) * -{f32})",
        "({f32} * {f32} + {f32})",
        "({f32} * 2.0f + 1.0f)", "min_f32(max_f32({f32}, 0.0f), 1.0f)", "max_f32(max_f32({f32}, {f32}), {f32})",
        "min_f32(min_f32({f32}, {f32}), {f32})",
        "(f32){i64}", "(f32){u64}", "(f32){f64}", "(2.0f * ({f32} + {f32}))", "(0.5f * {f32} * {f32})",
    ),
    "f64": (
        "rcp_f64(power_of_two_f64({u32}))", "rsq_f64(power_of_two_f64({u32} * 2))",
        "sqrt_exact_f64((f64)square({u32}))",
        "__builtin_elementwise_maximum({f64}, {f64})",
        "fma_f64({f64}, {f64}, {f64})", "sqrt_f64({f64})", "__builtin_floor({f64})", "__builtin_ceil({f64})",
        "__builtin_trunc({f64})",
        "__builtin_rint({f64})", "min_f64({f64}, {f64})", "max_f64({f64}, {f64})", "copysign_f64({f64}, {f64})",
        "ldexp_f64({f64}, {i32})",
        "fract_f64((f64)finite({f32}) * 0.37)", "frexp_mant_f64({f64})", "(f64){i64}", "(f64){u64}",
        "({f64} / {f64})", "(__builtin_fabs({f64}) - {f64})",
        "({f64} * {f64} + -{f64})", "(f64)({u32} & 255u)",
    ),
    "f16": (
        "fract_f16((f16)(f32)({i32} & 4095) * (f16)0.043f)", "rcp_f16(power_of_two_f16({u32}))",
        "rsq_f16(power_of_two_f16({u32} * 2 + 1))", "nz_f16(sin_f16((f16)(f32)({u32} & 63u) * (f16)0.25f))",
        "nz_f16(cos_f16((f16)(f32)({u32} & 63u) * (f16)0.25f))", "exp2_f16((f16)(f32)(i32)(({u32} & 15u) - 8u))",
        "log2_f16(power_of_two_f16({u32}))", "(f16)fma_f32((f32){f16}, (f32){f16}, (f32){f16})",
        "__builtin_elementwise_maximum({f16}, {f16})",
        "fma_f16({f16}, {f16}, {f16})", "sqrt_f16({f16})", "floor_f16({f16})", "ceil_f16({f16})", "trunc_f16({f16})",
        "rint_f16({f16})",
        "min_f16({f16}, {f16})", "max_f16({f16}, {f16})", "copysign_f16({f16}, {f16})", "frexp_mant_f16({f16})",
        "ldexp_f16({f16}, {i32})",
        "({f16} / {f16})", "nz_f16((f16){f32})", "(f16){f64}", "(f16){i16}", "(f16){u16}",
        "(f16)(-{f16} * {f16})",
        "(f16)((f32){f16} * {f32} + (f32){f16})",
        "min_f16(min_f16({f16}, {f16}), {f16})", "max_f16(max_f16({f16}, {f16}), {f16})",
    ),
    "bf16": ("(bf16){f32}", "(bf16)((f32){bf16} * {f32})", "(bf16)({bf16} / {bf16})", "(bf16)(-{bf16})"),
    "f16x2": (
        "({f16x2} + {f16x2})", "({f16x2} * {f16x2})", "({f16x2} - {f16x2}.yx)",
        "fma_f16x2({f16x2}, {f16x2}, {f16x2})", "min_f16x2({f16x2}, {f16x2})",
        "max_f16x2({f16x2}, {f16x2})", "fma_f16x2({f16x2}.xx, {f16x2}.yx, -{f16x2})",
        "make_f16x2(cvt_pkrtz({f32}, {f32}))", "pair_f16x2({f16}, {f16})",
        "({f16x2!}.yy + -{f16x2!})",
    ),
    "f32x2": (
        "({f32x2} + {f32x2})", "({f32x2} * {f32x2})", "({f32x2} - {f32x2}.yx)", "fma_f32x2({f32x2}, {f32x2}, {f32x2})",
        "fma_f32x2({f32x2}.xx, {f32x2}.yx, -{f32x2})", "pair_f32x2({f32}, {f32})", "({f32x2} * (f32x2)2.0f)",
    ),
    "i16x2": (
        "make_i16x2(bits_u16x2({u16x2}))", "__builtin_elementwise_min({i16x2}, {i16x2})",
        "__builtin_elementwise_max({i16x2}, {i16x2})",
        "__builtin_elementwise_add_sat({i16x2}, {i16x2})", "__builtin_elementwise_sub_sat({i16x2}, {i16x2})",
        "({i16x2} >> ({i16x2} & (i16x2)15))",
        "make_i16x2(bits_u16x2(make_u16x2(bits_i16x2({i16x2})) << ({u16x2} & (u16x2)15)))", "{i16x2}.yx",
        "__builtin_elementwise_abs(__builtin_elementwise_max({i16x2}, (i16x2)-32767))", "pair_i16x2({i16}, {i16})",
    ),
    "u16x2": (
        "({u16x2} + {u16x2})", "({u16x2} - {u16x2})", "({u16x2} * {u16x2})", "({u16x2} * {u16x2} + {u16x2})",
        "({u16x2} << ({u16x2} & (u16x2)15))",
        "({u16x2} >> ({u16x2} & (u16x2)15))", "({u16x2} ^ {u16x2}.yx)", "__builtin_elementwise_min({u16x2}, {u16x2})",
        "__builtin_elementwise_max({u16x2}, {u16x2}.yy)", "__builtin_elementwise_add_sat({u16x2}, {u16x2})",
        "__builtin_elementwise_sub_sat({u16x2}, {u16x2})", "pair_u16x2({u16}, {u16})", "({u16x2} + (u16x2)7)",
        "make_u16x2({u32})",
    ),
}  # fmt: skip

GFX950_CALLS: dict[str, tuple[str, ...]] = {
    "f32": ("scaled_from_fp8({u32}, {u32}, {0..3})", "scaled_from_bf8({u32}, {u32}, {0..3})"),
    "f16x2": (
        "make_f16x2(half_from_fp8({f16x2}, {u32}, {u32}, {0..3}, {0..1}))",
        "make_f16x2(half_from_bf8({f16x2}, {u32}, {u32}, {0..3}, {0..1}))",
        "__builtin_elementwise_maximum({f16x2}, {f16x2})", "__builtin_elementwise_minimum({f16x2}, {f16x2})",
    ),
    "u32": (
        *(f"scaled_pk_{kind}({small}, {{u32}}, {{u32}}, {{0..1}})"
          for kind in ("f32", "f16", "bf16") for small in ("fp8", "bf8", "fp4")),
        *(f"scaled_to_8{kind}({small}, {{f32}}, {{f32}}, {{u32}}, {{u32}}, {{0..1}})"
          for kind in ("", "_f16", "_bf16") for small in ("fp8", "bf8")),
        *(f"to_fp4{kind}({{f32}}, {{f32}}, {{u32}}, {{u32}}, {{0..3}})" for kind in ("", "_f16", "_bf16")),
        *(f"sr_scaled_8{kind}({small}, {{u32}}, {{u32}}, {{u32}}, {{0..3}})"
          for kind in ("", "_f16", "_bf16") for small in ("fp8", "bf8")),
        "sr_fp4({u32}, {u32}, 0)",
        "sr_bf16({u32}, {u32})", "sr_f16({u32}, {u32})",
        *(f"from_six{kind}({small}, {{u32}}, {{u32}}, {{0..31}})"
          for kind in ("", "_f16", "_bf16") for small in ("fp6", "bf6")),
        *(f"to_six_{small}_{kind}({{u32}}, {{u32}})" for kind in ("f16", "bf16") for small in ("fp6", "bf6")),
        "bitop3_32({u32}, {u32}, {u32}, {0..255})", "ashr_pk_i8({u32}, {u32}, {u32})",
        "ashr_pk_u8({u32}, {u32}, {u32})", "prng({u32})",
    ),
    "u16": ("bitop3_16({u16}, {u16}, {u16}, {0..255})",),
}  # fmt: skip

HOLE = re.compile(r"\{(\d+\.\.\d+|[a-z0-9]+!?)\}")


@dataclass
class Scope:
    """What an expression may name: variables by type, plain u32 texts (loop counters), and whether all lanes agree."""

    variables: dict[str, list[str]]
    counters: list[str] = field(default_factory=list)
    uniform: bool = False


class Expressions:
    """Makes expressions from one stream of random numbers; `gfx950` allows what only that arch has."""

    def __init__(self, rng: random.Random, *, gfx950: bool) -> None:
        self.rng = rng
        self.gfx950 = gfx950

    def make(self, type_: str, scope: Scope, depth: int) -> str:
        """An expression of exactly that C type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.leaf(type_, scope)
        dice = rng.random()
        if dice < 0.42 and type_ in CALLS:
            choices = CALLS[type_]
            if self.gfx950 and type_ in GFX950_CALLS and rng.random() < 0.35:
                choices = GFX950_CALLS[type_]
            return f"(({type_})({self.fill(rng.choice(choices), scope, depth - 1)}))"
        if dice < 0.5:
            test = self.condition(scope, depth - 1)
            return f"({test} ? {self.make(type_, scope, depth - 1)} : {self.make(type_, scope, depth - 1)})"
        if type_ in INTEGERS:
            return self.integer(type_, scope, depth)
        if type_ in FLOATS:
            return self.real(type_, scope, depth)
        return self.pair(type_, scope, depth)

    def fill(self, template: str, scope: Scope, depth: int) -> str:
        """Fill a template's holes."""

        def one(match: re.Match[str]) -> str:
            hole = match[1]
            if ".." in hole:
                low, high = map(int, hole.split(".."))
                return str(self.rng.randint(low, high))
            if hole.endswith("!"):
                return self.variable(hole[:-1], scope)
            return self.make(hole, scope, depth)

        return HOLE.sub(one, template)

    def variable(self, type_: str, scope: Scope) -> str:
        """A variable, or a constant where there is none of the type."""
        names = scope.variables.get(type_)
        return self.rng.choice(names) if names else self.constant(type_)

    def leaf(self, type_: str, scope: Scope) -> str:
        rng = self.rng
        names = scope.variables.get(type_, [])
        if type_ == "u32" and scope.counters and rng.random() < 0.25:
            return rng.choice(scope.counters)
        if type_ == "u32" and rng.random() < 0.1:
            return rng.choice(("k0", "GROUP") if scope.uniform else ("k0", "THREAD", "LANE", "gid"))
        if type_ == "u64" and rng.random() < 0.1:
            return "k1"
        if type_ == "f32" and rng.random() < 0.1:
            return "k2"
        if names and rng.random() < 0.8:
            return rng.choice(names)
        if not names and rng.random() < 0.7:
            return self.converted(type_, scope, 0)
        return self.constant(type_)

    def constant(self, type_: str) -> str:
        rng = self.rng
        if type_ in INTEGERS:
            value = rng.choice(INTEGER_CONSTANTS) if rng.random() < 0.7 else rng.getrandbits(BITS[type_])
            value &= (1 << BITS[type_]) - 1
            return f"(({type_}){value}ull)" if BITS[type_] == 64 else f"(({type_}){value}u)"
        if type_ in FLOATS:
            return "(" + rng.choice(REAL_CONSTANTS[type_]) + ")"
        return f"make_{type_}({rng.getrandbits(BITS[type_])}ull)"

    def converted(self, type_: str, scope: Scope, depth: int) -> str:
        """A value of another type, converted."""
        rng = self.rng
        have = [t for t in scope.variables if t != type_ and scope.variables[t]]
        if not have:
            return self.constant(type_)
        if type_ in PAIRS or rng.random() < 0.15:
            raw = "u" + str(BITS[type_])
            if raw == type_:
                source = rng.choice([t for t in have if BITS[t] == BITS[type_]] or ["u32"])
                return f"({type_})bits_{source}({self.make(source, scope, depth)})"
            return f"make_{type_}({self.make(raw, scope, depth)})" if raw in have else self.constant(type_)
        simple = [t for t in have if t in INTEGERS or t in FLOATS]
        if not simple:
            return self.constant(type_)
        source = rng.choice(simple)
        inner = self.make(source, scope, depth)
        if type_ in INTEGERS:
            if source in INTEGERS:
                return f"(({type_}){inner})"
            if source == "bf16":
                return f"f32_to_{type_}((f32){inner})"
            return f"{source}_to_{type_}({inner})"
        if type_ == "f16" and source not in ("f32", "f64", "i8", "u8", "i16", "u16"):
            return f"((f16)(f32){inner})"
        if type_ == "f16" and source == "f32":
            return f"nz_f16((f16){inner})"  # LLVM rounds a product of f32 as a * b + 0
        if type_ == "bf16" and source != "f32":
            return f"((bf16)(f32){inner})"
        if source == "bf16":
            return f"(({type_})(f32){inner})"
        return f"(({type_}){inner})"

    def integer(self, type_: str, scope: Scope, depth: int) -> str:
        rng = self.rng
        bits = BITS[type_]
        wide = "u64" if bits == 64 else "u32"
        dice = rng.random()
        if dice < 0.12:
            return self.converted(type_, scope, depth - 1)
        if dice < 0.2:
            return f"({type_})({self.condition(scope, depth - 1)})"
        a = self.make(type_, scope, depth - 1)
        if dice < 0.26:
            return f"({type_})({rng.choice('~-')}({wide}){a})"
        b = self.make(type_, scope, depth - 1)
        if dice < 0.5:
            return f"{rng.choice(('ADD', 'ADD', 'SUB', 'SUB', 'MUL'))}({type_}, {wide}, {a}, {b})"
        if dice < 0.68:
            return f"(({type_})({a} {rng.choice('&|^')} {b}))"
        if dice < 0.8:
            amount = self.make("u32", scope, depth - 2) if rng.random() < 0.6 else f"{rng.randrange(bits)}u"
            shift = rng.choice(("SHL", "SHR", "rotl"))
            if shift == "SHL":
                return f"SHL({type_}, {wide}, {a}, {amount}, {bits})"
            return f"SHR({type_}, {a}, {amount}, {bits})" if shift == "SHR" else f"rotl_{type_}({a}, {amount})"
        if dice < 0.9:
            return f"{rng.choice(('min', 'max', 'add_sat', 'sub_sat'))}_{type_}({a}, {b})"
        if bits == 64 and rng.random() < 0.7:
            return f"(({type_})({a} ^ {b}))"
        if rng.random() < 0.4:
            return f"(({type_})({a} {rng.choice('/%')} ({type_}){rng.choice((3, 5, 7, 10, 60, 100, 127))}))"
        return f"{rng.choice(('div', 'rem'))}_{type_}({a}, {b})"

    def real(self, type_: str, scope: Scope, depth: int) -> str:
        rng = self.rng
        dice = rng.random()
        if dice < 0.25:
            return self.converted(type_, scope, depth - 1)
        a = self.make(type_, scope, depth - 1)
        if dice < 0.35:
            return f"(({type_})-{a})"
        b = self.make(type_, scope, depth - 1)
        return f"(({type_})({a} {rng.choice('++--**')} {b}))"

    def pair(self, type_: str, scope: Scope, depth: int) -> str:
        rng = self.rng
        if rng.random() < 0.3:
            return self.converted(type_, scope, depth - 1)
        a, b = self.make(type_, scope, depth - 1), self.make(type_, scope, depth - 1)
        if type_ == "i16x2":
            sign = rng.choice("&|^")
            return f"({a} {sign} {b})"
        return f"({a} {rng.choice('+-*')} {b})"

    def condition(self, scope: Scope, depth: int) -> str:
        """An int expression that is 0 or 1."""
        rng = self.rng
        dice = rng.random()
        if depth > 0 and dice < 0.15:
            return f"({self.condition(scope, depth - 1)} {rng.choice(('&&', '||'))} {self.condition(scope, depth - 1)})"
        if depth > 0 and dice < 0.2:
            return f"(!{self.condition(scope, depth - 1)})"
        types = [t for t in scope.variables if scope.variables[t] and t not in PAIRS]
        type_ = rng.choice(types or ["u32"])
        a, b = self.make(type_, scope, depth - 1), self.make(type_, scope, depth - 1)
        if type_ in ("f32", "f64") and rng.random() < 0.25:
            return (
                "("
                + rng.choice(("__builtin_isnan", "__builtin_isfinite", "__builtin_isinf", "__builtin_isnormal"))
                + f"({a}) != 0)"
            )
        if type_ == "bf16":
            a, b = f"(f32){a}", f"(f32){b}"
        if type_ in FLOATS and rng.random() < 0.2:
            return f"(!({a} {rng.choice(('<', '<=', '>', '>=', '=='))} {b}))"
        return f"({a} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {b})"

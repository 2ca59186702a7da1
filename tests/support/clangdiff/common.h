// Types and safe operations shared by the host and the GPU build of generated programs.
// Nothing here has undefined behaviour: arithmetic wraps in unsigned types, shifts are masked, divisors are guarded.
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;
typedef _Float16 f16;
typedef __bf16 bf16;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
typedef u16 u16x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef struct { u32 x, y, z; } u32x3;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef u64 u64x2 __attribute__((ext_vector_type(2)));
typedef f64 f64x2 __attribute__((ext_vector_type(2)));

#define INLINE static inline __attribute__((always_inline))

// T: the type of the result, U: the unsigned type that computes it (u32 or u64).
#define ADD(T, U, a, b) ((T)((U)(a) + (U)(b)))
#define SUB(T, U, a, b) ((T)((U)(a) - (U)(b)))
#define MUL(T, U, a, b) ((T)((U)(a) * (U)(b)))
#define SHL(T, U, a, n, bits) ((T)((U)(a) << ((u32)(n) & ((bits) - 1))))
#define SHR(T, a, n, bits) ((T)((T)(a) >> ((u32)(n) & ((bits) - 1))))

// W computes for T without promotion to a signed type.
#define INTEGERS(T, W, bits)                                                                        \
  INLINE T min_##T(T a, T b) { return a < b ? a : b; }                                              \
  INLINE T max_##T(T a, T b) { return a > b ? a : b; }                                              \
  INLINE T abs_##T(T a) { return a < 0 ? (T)((W)0 - (W)a) : a; }                                    \
  INLINE T rotl_##T(T a, u32 n) {                                                                   \
    W x = (W)a & (W)~0ull >> (8 * sizeof(W) - bits);                                                \
    return (T)(x << (n & (bits - 1)) | x >> ((0u - n) & (bits - 1)));                               \
  }                                                                                                 \
  INLINE T add_sat_##T(T a, T b) { return __builtin_elementwise_add_sat(a, b); }                    \
  INLINE T sub_sat_##T(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }                    \
  INLINE T div_##T(T a, T b) { return b == 0 ? (T)~a : (T)-1 < 0 && b == (T)-1 ? (T)((W)0 - (W)a) : (T)(a / b); } \
  INLINE T rem_##T(T a, T b) { return b == 0 ? a : (T)-1 < 0 && b == (T)-1 ? (T)0 : (T)(a % b); }
INTEGERS(i8, u32, 8)
INTEGERS(u8, u32, 8)
INTEGERS(i16, u32, 16)
INTEGERS(u16, u32, 16)
INTEGERS(i32, u32, 32)
INTEGERS(u32, u32, 32)
INTEGERS(i64, u64, 64)
INTEGERS(u64, u64, 64)

INLINE u32 clz32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
INLINE u32 ctz32(u32 x) { return x ? (u32)__builtin_ctz(x) : 32; }
INLINE u32 clz64(u64 x) { return x ? (u32)__builtin_clzll(x) : 64; }
INLINE u32 ctz64(u64 x) { return x ? (u32)__builtin_ctzll(x) : 64; }
INLINE u32 mulhi_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
INLINE i32 mulhi_i32(i32 a, i32 b) { return (i32)((i64)a * b >> 32); }
INLINE u64 mulhi_u64(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
INLINE i64 mulhi_i64(i64 a, i64 b) { return (i64)((i128)a * b >> 64); }

// ---- floats as bits: every NaN is one NaN, so that payloads and signs of NaN do not matter
INLINE u32 bits_f32(f32 x) {
  u32 b = __builtin_bit_cast(u32, x);
  return (b & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : b;
}
INLINE u64 bits_f64(f64 x) {
  u64 b = __builtin_bit_cast(u64, x);
  return (b & 0x7fffffffffffffffull) > 0x7ff0000000000000ull ? 0x7ff8000000000000ull : b;
}
INLINE u16 bits_f16(f16 x) {
  u16 b = __builtin_bit_cast(u16, x);
  return (b & 0x7fffu) > 0x7c00u ? 0x7e00u : b;
}
INLINE u16 bits_bf16(bf16 x) {
  u16 b = __builtin_bit_cast(u16, x);
  return (b & 0x7fffu) > 0x7f80u ? 0x7fc0u : b;
}
INLINE f32 make_f32(u32 b) { return __builtin_bit_cast(f32, (b & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : b); }
INLINE f64 make_f64(u64 b) {
  return __builtin_bit_cast(f64, (b & 0x7fffffffffffffffull) > 0x7ff0000000000000ull ? 0x7ff8000000000000ull : b);
}
INLINE f16 make_f16(u16 b) { return __builtin_bit_cast(f16, (u16)((b & 0x7fffu) > 0x7c00u ? 0x7e00u : b)); }
INLINE bf16 make_bf16(u16 b) { return __builtin_bit_cast(bf16, (u16)((b & 0x7fffu) > 0x7f80u ? 0x7fc0u : b)); }
INLINE u32 bits_f16x2(f16x2 x) { return bits_f16(x.x) | (u32)bits_f16(x.y) << 16; }
INLINE u64 bits_f32x2(f32x2 x) { return bits_f32(x.x) | (u64)bits_f32(x.y) << 32; }
INLINE f16x2 make_f16x2(u32 b) { return (f16x2){make_f16((u16)b), make_f16((u16)(b >> 16))}; }
INLINE f32x2 make_f32x2(u64 b) { return (f32x2){make_f32((u32)b), make_f32((u32)(b >> 32))}; }
#define bits_same(T, U) \
  INLINE U bits_##T(T x) { return __builtin_bit_cast(U, x); } \
  INLINE T make_##T(U b) { return __builtin_bit_cast(T, b); }
bits_same(i8, u8) bits_same(u8, u8) bits_same(i16, u16) bits_same(u16, u16) bits_same(i32, u32) bits_same(u32, u32)
bits_same(i64, u64) bits_same(u64, u64) bits_same(i16x2, u32) bits_same(u16x2, u32)

#define PAIR(P, T) \
  INLINE P pair_##P(T x, T y) { return (P){x, y}; }
PAIR(f16x2, f16) PAIR(f32x2, f32) PAIR(i16x2, i16) PAIR(u16x2, u16)

// Conversions to integers: 0 for what does not fit (C leaves it open).
#define TO_INT(F, T, low, high) \
  INLINE T F##_to_##T(F x) { return x > (F)(low) && x < (F)(high) ? (T)x : (T)0; }
TO_INT(f32, i8, -129.0f, 128.0f) TO_INT(f32, u8, -1.0f, 256.0f) TO_INT(f32, i16, -32769.0f, 32768.0f)
TO_INT(f32, u16, -1.0f, 65536.0f) TO_INT(f32, i32, -2147483648.0f, 2147483648.0f) TO_INT(f32, u32, -1.0f, 4294967296.0f)
TO_INT(f32, i64, -9223372036854775808.0f, 9223372036854775808.0f) TO_INT(f32, u64, -1.0f, 18446744073709551616.0f)
TO_INT(f64, i8, -129.0, 128.0) TO_INT(f64, u8, -1.0, 256.0) TO_INT(f64, i16, -32769.0, 32768.0)
TO_INT(f64, u16, -1.0, 65536.0) TO_INT(f64, i32, -2147483649.0, 2147483648.0) TO_INT(f64, u32, -1.0, 4294967296.0)
TO_INT(f64, i64, -9223372036854775808.0, 9223372036854775808.0) TO_INT(f64, u64, -1.0, 18446744073709551616.0)
TO_INT(f16, i8, -129.0f, 128.0f) TO_INT(f16, u8, -1.0f, 256.0f) TO_INT(f16, i16, -32768.0f, 32768.0f)
TO_INT(f16, u16, -1.0f, 65504.0f) TO_INT(f16, i32, -65504.0f, 65504.0f) TO_INT(f16, u32, -1.0f, 65504.0f)
TO_INT(f16, i64, -65504.0f, 65504.0f) TO_INT(f16, u64, -1.0f, 65504.0f)

// One zero, where which of the two comes out is open. (LLVM takes x + 0 and 0 - x for x and -x.)
#define ONE_ZERO(T) \
  INLINE T nz_##T(T x) { return x == (T)0 ? (T)0 : x; }
ONE_ZERO(f16) ONE_ZERO(f32) ONE_ZERO(f64)
INLINE f16x2 nz_f16x2(f16x2 x) { return (f16x2){nz_f16(x.x), nz_f16(x.y)}; }

// Minimum and maximum: which zero wins is open, so there is but one zero.
INLINE f32 min_f32(f32 a, f32 b) { return __builtin_fminf(nz_f32(a), nz_f32(b)); }
INLINE f32 max_f32(f32 a, f32 b) { return __builtin_fmaxf(nz_f32(a), nz_f32(b)); }
INLINE f64 min_f64(f64 a, f64 b) { return __builtin_fmin(nz_f64(a), nz_f64(b)); }
INLINE f64 max_f64(f64 a, f64 b) { return __builtin_fmax(nz_f64(a), nz_f64(b)); }
INLINE f32 ldexp_f32(f32 x, i32 n) { return __builtin_ldexpf(x, n % 300); }
INLINE f64 ldexp_f64(f64 x, i32 n) { return __builtin_ldexp(x, n % 2200); }
INLINE f32 copysign_f32(f32 a, f32 b) { return __builtin_copysignf(a, make_f32(bits_f32(b))); }
INLINE f64 copysign_f64(f64 a, f64 b) { return __builtin_copysign(a, make_f64(bits_f64(b))); }
INLINE f16 copysign_f16(f16 a, f16 b) { return make_f16((bits_f16(a) & 0x7fff) | (bits_f16(b) & 0x8000)); }
INLINE f32 finite(f32 x) { return __builtin_fabsf(x) < 3.0e38f ? nz_f32(x) : 0.0f; }
INLINE f32 power_of_two(u32 n) { return __builtin_bit_cast(f32, ((n & 63u) + 96u) << 23); }
INLINE f32 square(u32 n) { return (f32)((n & 1023u) * (n & 1023u)); }
// ---- inputs that small floats and fast functions take without a doubt
INLINE f32 modest(f32 x) { return __builtin_fabsf(x) < 200.0f ? x : 1.5f; }
INLINE f32 tiny_(f32 x) { return __builtin_fabsf(x) < 5.9f ? x : __builtin_fabsf(x) < 200.0f ? x * 0.03125f : -0.75f; }
INLINE f32 scale(u32 n) { return __builtin_bit_cast(f32, ((n & 3u) + 127u) << 23 | (n & 0x700u)); }
INLINE f32 few_bits(u32 n) { return ((n & 7u) + 1.0f) * (n & 8u ? -0.5f : 0.5f); }
INLINE f16 power_of_two_f16(u32 n) { return __builtin_bit_cast(f16, (u16)(((n & 15u) + 8u) << 10)); }
INLINE f64 power_of_two_f64(u32 n) { return __builtin_bit_cast(f64, (u64)((n & 63u) + 992u) << 52); }
INLINE f32 min3_f32(f32 a, f32 b, f32 c) { return __builtin_fminf(min_f32(a, b), nz_f32(c)); }
INLINE f32 max3_f32(f32 a, f32 b, f32 c) { return __builtin_fmaxf(max_f32(a, b), nz_f32(c)); }
INLINE u32 sad_u32(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
INLINE u32 pair_bits(f16 low, f16 high) { return bits_f16(low) | (u32)bits_f16(high) << 16; }
INLINE f32 signed_f32(u32 bit, f32 x) { return bit & 1 ? -x : x; }

typedef u32 u32x8 __attribute__((ext_vector_type(8)));

struct record {
  u8 a;
  i16 b;
  u32 c;
  f32 d;
  u64 e;
  f16 f;
  i8 g;
};
INLINE u64 record_bits(u32 c, u64 e) { return (u64)c * 0x9e3779b97f4a7c15ull ^ e; }
#define FILL_RECORD(r, x)          \
  do {                             \
    (r).a = (u8)(x);               \
    (r).b = (i16)((x) >> 3);       \
    (r).c = (u32)(x);              \
    (r).d = (f32)(i32)(x);         \
    (r).e = (u64)(x) * 0x10001ull; \
    (r).f = (f16)(f32)((x) & 1023); \
    (r).g = (i8)((x) >> 5);        \
  } while (0)

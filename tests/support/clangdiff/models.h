// What the builtins of device.h compute, in plain C, from the ISA's text.
#define bitop3_32(a, b, c, table) hk_bitop3(a, b, c, table)
#define bitop3_16(a, b, c, table) ((u16)hk_bitop3(a, b, c, table))
static u32 hk_bitop3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (int i = 0; i < 32; i++)
    r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return r;
}
static u32 hk_saturate(i64 x, i64 low, i64 high) { return (u32)(x < low ? low : x > high ? high : x); }
#define ashr_pk_i8(a, b, c) hk_ashr_pk(a, b, c, -128, 127)
#define ashr_pk_u8(a, b, c) hk_ashr_pk(a, b, c, 0, 255)
static u16 hk_ashr_pk(u32 a, u32 b, u32 c, int low, int high) {
  return (u16)((hk_saturate((i32)a >> (c & 31), low, high) & 255) | (hk_saturate((i32)b >> (c & 31), low, high) & 255) << 8);
}
static u32 prng(u32 a) { return a << 1 ^ (a >> 31 ? 197u : 0); }
static u32 perm(u32 a, u32 b, u32 selector) {
  u64 data = (u64)a << 32 | b;
  u32 r = 0;
  for (int i = 0; i < 4; i++) {
    u32 s = selector >> (8 * i) & 255, byte;
    if (s < 8)
      byte = data >> (8 * s) & 255;
    else if (s < 12)
      byte = data >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
    else
      byte = s == 12 ? 0 : 255;
    r |= byte << (8 * i);
  }
  return r;
}
static u32 alignbit(u32 a, u32 b, u32 c) { return (u32)(((u64)a << 32 | b) >> (c & 31)); }
static u32 alignbyte(u32 a, u32 b, u32 c) { return (u32)(((u64)a << 32 | b) >> (8 * (c & 3))); }
static u32 ubfe(u32 a, u32 b, u32 c) { return (u32)((a >> (b & 31)) & ((1ull << (c & 31)) - 1)); }
static u32 sbfe(u32 a, u32 b, u32 c) {
  b &= 31, c &= 31;
  if (c == 0)
    return 0;
  if (b + c >= 32)
    return (u32)((i32)a >> b);
  return (u32)((i32)(a << (32 - b - c)) >> (32 - c));
}
static u32 hk_sad(u32 a, u32 b, int bits, int masked) {
  u32 sum = 0;
  for (int i = 0; i < 32; i += bits) {
    i32 x = a >> i & ((1 << bits) - 1), y = b >> i & ((1 << bits) - 1);
    if (!masked || y)
      sum += (u32)(x < y ? y - x : x - y);
  }
  return sum;
}
static u32 sad_u8(u32 a, u32 b, u32 c) { return hk_sad(a, b, 8, 0) + c; }
static u32 sad_hi_u8(u32 a, u32 b, u32 c) { return (hk_sad(a, b, 8, 0) << 16) + c; }
static u32 sad_u16(u32 a, u32 b, u32 c) { return hk_sad(a, b, 16, 0) + c; }
static u32 msad_u8(u32 a, u32 b, u32 c) { return hk_sad(a, b, 8, 1) + c; }
static u64 hk_qsad(u64 a, u32 b, u64 c, int masked) {
  u64 r = 0;
  c &= 0x0fff0fff0fff0fffull;
  for (int i = 0; i < 4; i++)
    r |= (u64)(u16)(hk_sad((u32)(a >> (8 * i)), b, 8, masked) + (u32)(c >> (16 * i) & 0xffff)) << (16 * i);
  return r;
}
static u64 qsad(u64 a, u32 b, u64 c) { return hk_qsad(a, b, c, 0); }
static u64 mqsad(u64 a, u32 b, u64 c) { return hk_qsad(a, b, c, 1); }
static u32 mqsad4(u64 a, u32 b, u32 c) {
  u32 add[4] = {c, c ^ 1, c + 2, ~c}, r = 0;
  for (int i = 0; i < 4; i++)
    r ^= (hk_sad((u32)(a >> (8 * i)), b, 8, 1) + add[i]) << i;
  return r;
}
static u32 lerp(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int i = 0; i < 32; i += 8)
    r |= ((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) >> 1 << i;
  return r;
}
static i64 hk_field(u32 x, int at, int bits, int is_signed) {
  u32 field = x >> at & ((1u << bits) - 1);
  return is_signed && field >> (bits - 1) ? (i64)field - (1 << bits) : (i64)field;
}
static u32 hk_dot(u32 a, u32 b, u32 c, int bits, int is_signed, int clamp) {
  i64 sum = is_signed ? (i64)(i32)c : (i64)c;
  for (int i = 0; i < 32; i += bits)
    sum += hk_field(a, i, bits, is_signed) * hk_field(b, i, bits, is_signed);
  if (clamp)
    return is_signed ? hk_saturate(sum, -2147483648ll, 2147483647ll) : hk_saturate(sum, 0, 4294967295ll);
  return (u32)sum;
}
#define sdot4(a, b, c, clamp) hk_dot(a, b, c, 8, 1, clamp)
#define udot4(a, b, c, clamp) hk_dot(a, b, c, 8, 0, clamp)
#define sdot8(a, b, c, clamp) hk_dot(a, b, c, 4, 1, clamp)
#define udot8(a, b, c, clamp) hk_dot(a, b, c, 4, 0, clamp)
#define sdot2(a, b, c, clamp) hk_dot(a, b, c, 16, 1, clamp)
#define udot2(a, b, c, clamp) hk_dot(a, b, c, 16, 0, clamp)
static f32 fdot2(f16x2 a, f16x2 b, f32 c) { return (f32)((f64)a.x * (f64)b.x + (f64)a.y * (f64)b.y + (f64)c); }
static u32 mul_u24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
static u32 hk_rtz(f32 x) {
  u32 b = bits_f32(x), sign = b >> 16 & 0x8000, e = b >> 23 & 255, m = b & 0x7fffff;
  if (e == 255)
    return m ? 0x7e00 : sign | 0x7c00;
  i32 exponent = (i32)e - 127 + 15;
  if (exponent > 30)
    return sign | 0x7bff;
  if (exponent > 0)
    return sign | (u32)exponent << 10 | m >> 13;
  i32 shift = 14 - exponent;
  return sign | (shift > 30 || e == 0 ? 0 : (m | 0x800000) >> shift);
}
static u32 cvt_pkrtz(f32 a, f32 b) { return hk_rtz(a) | hk_rtz(b) << 16; }
static u32 cvt_pk_i16(u32 a, u32 b) { return (a & 0xffff) | b << 16; }
static u32 cvt_pk_u16(u32 a, u32 b) { return (a & 0xffff) | b << 16; }
static u32 hk_norm(f32 x, f32 low, f32 scale) {
  x = x < low ? low : x > 1.0f ? 1.0f : x;
  return (u32)(i32)__builtin_rintf(x * scale) & 0xffff;
}
static u32 cvt_pknorm_i16(f32 a, f32 b) { return hk_norm(a, -1, 32767) | hk_norm(b, -1, 32767) << 16; }
static u32 cvt_pknorm_u16(f32 a, f32 b) { return hk_norm(a, 0, 65535) | hk_norm(b, 0, 65535) << 16; }
static u32 cvt_pk_u8(f32 x, u32 byte, u32 old) {
  u32 v = x > 255.0f ? 255 : x > 0.0f ? (u32)x : 0, at = 8 * (byte & 3);
  return (old & ~(255u << at)) | v << at;
}
#define HK_CUBE(name, on_x, on_y, on_z)                                       \
  static f32 name(f32 x, f32 y, f32 z) {                                      \
    f32 ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z); \
    return az >= ax && az >= ay ? (on_z) : ay >= ax ? (on_y) : (on_x);        \
  }
HK_CUBE(cubeid, x < 0 ? 1 : 0, y < 0 ? 3 : 2, z < 0 ? 5 : 4)
HK_CUBE(cubema, x * 2, y * 2, z * 2)
HK_CUBE(cubesc, x < 0 ? z : -z, x, z < 0 ? -x : x)
HK_CUBE(cubetc, -y, y < 0 ? -z : z, -y)
static f32 cvt_off_f32_i4(u32 x) { return (f32)((i32)(x << 28) >> 28) / 16.0f; }
static f32 med3_f32(f32 a, f32 b, f32 c) {
  return max_f32(min_f32(a, b), min_f32(max_f32(a, b), c));
}
static f32 fract_f32(f32 x) {
  f32 r = x - __builtin_floorf(x);
  return r > 0x1.fffffep-1f ? 0x1.fffffep-1f : r;
}
static f64 fract_f64(f64 x) {
  f64 r = x - __builtin_floor(x);
  return r > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1 : r;
}
static f64 frexp_mant_f64(f64 x) {
  int n;
  return x - x == 0 ? __builtin_frexp(x, &n) : x;
}
static u32 frexp_exp_f64(f64 x) {
  int n = 0;
  if (x - x == 0)
    (void)__builtin_frexp(x, &n);
  return (u32)n;
}
#define frexp_mant_f32(x) ((f32)frexp_mant_f64((f64)(x)))
#define frexp_mant_f16(x) ((f16)frexp_mant_f64((f64)(x)))
#define frexp_exp_f32(x) frexp_exp_f64((f64)(x))
#define frexp_exp_f16(x) ((u16)frexp_exp_f64((f64)(x)))
static u32 hk_class(u64 b, int mantissa, int exponent, u32 mask) {
  u64 m = b & ((1ull << mantissa) - 1), e = b >> mantissa & ((1ull << exponent) - 1), top = (1ull << exponent) - 1;
  int negative = b >> (mantissa + exponent) & 1;
  int is = e == top ? (m ? (m >> (mantissa - 1) ? 1 : 0) : 9) : e == 0 ? (m ? 7 : 6) : 8;
  if (negative && is >= 6)
    is = 11 - is;
  return mask >> is & 1;
}
#define class_f32(x, mask) hk_class(bits_f32(x), 23, 8, mask)
#define class_f64(x, mask) hk_class(bits_f64(x), 52, 11, mask)
#define class_f16(x, mask) hk_class(bits_f16(x), 10, 5, mask)
#define ldexp_f16(x, n) ((f16)__builtin_ldexp((f64)(x), (n) % 60))
static f16 fract_f16(f16 x) {
  f32 r = (f32)(f16)((f32)x - __builtin_floorf((f32)x));
  return (f16)(r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r);
}
#define rcp_f16(x) ((f16)(1.0f / (f32)(x)))
#define rsq_f16(x) ((f16)(1.0f / __builtin_sqrtf((f32)(x))))
#define sin_f16(x) ((f16)sin_exact((f32)(x)))
#define cos_f16(x) ((f16)cos_exact((f32)(x)))
#define exp2_f16(x) ((f16)__builtin_exp2f((f32)(x)))
#define log2_f16(x) ((f16)__builtin_log2f((f32)(x)))
#define rcp_f64(x) (1.0 / (x))
#define rsq_f64(x) (1.0 / __builtin_sqrt(x))
#define sqrt_exact_f64(x) __builtin_sqrt(x)
#define rcp_exact(x) (1.0f / (x))
#define rsq_exact(x) (1.0f / __builtin_sqrtf(x))
#define exp2_exact(x) __builtin_exp2f(x)
#define log2_exact(x) __builtin_log2f(x)
#define sqrt_exact(x) __builtin_sqrtf(x)
static f32 sin_exact(f32 x) { return ((f32[]){0, 1, 0, -1})[(i32)(x * 4) & 3]; }
static f32 cos_exact(f32 x) { return ((f32[]){1, 0, -1, 0})[(i32)(x * 4) & 3]; }
#define fma_f32(a, b, c) __builtin_fmaf(a, b, c)
#define fma_f64(a, b, c) __builtin_fma(a, b, c)
static f16 fma_f16(f16 a, f16 b, f16 c) {
  f64 p = (f64)a * (f64)b, s = p + (f64)c;  // the product is exact; the sum is rounded to odd, then once more
  f64 back = s - p, error = (p - (s - back)) + ((f64)c - back);
  u64 bits = __builtin_bit_cast(u64, s);
  if (error != 0 && s - s == 0 && !(bits & 1)) {
    bits = (error > 0) == (s > 0) ? bits + 1 : bits - 1;
    s = __builtin_bit_cast(f64, bits);
  }
  return (f16)s;
}
#define fma_f16x2(a, b, c) hk_fma_f16x2(a, b, c)
static f16x2 hk_fma_f16x2(f16x2 a, f16x2 b, f16x2 c) {
  return (f16x2){fma_f16(a.x, b.x, c.x), fma_f16(a.y, b.y, c.y)};
}
static f32x2 fma_f32x2(f32x2 a, f32x2 b, f32x2 c) {
  return (f32x2){__builtin_fmaf(a.x, b.x, c.x), __builtin_fmaf(a.y, b.y, c.y)};
}
#define sqrt_f32(x) __builtin_sqrtf(x)
#define sqrt_f64(x) __builtin_sqrt(x)
#define sqrt_f16(x) ((f16)__builtin_sqrtf((f32)(x)))
#define floor_f16(x) ((f16)__builtin_floorf((f32)(x)))
#define ceil_f16(x) ((f16)__builtin_ceilf((f32)(x)))
#define trunc_f16(x) ((f16)__builtin_truncf((f32)(x)))
#define rint_f16(x) ((f16)__builtin_rintf((f32)(x)))
#define min_f16(a, b) ((f16)min_f32((f32)(a), (f32)(b)))
#define max_f16(a, b) ((f16)max_f32((f32)(a), (f32)(b)))
static f16x2 min_f16x2(f16x2 a, f16x2 b) { return (f16x2){min_f16(a.x, b.x), min_f16(a.y, b.y)}; }
static f16x2 max_f16x2(f16x2 a, f16x2 b) { return (f16x2){max_f16(a.x, b.x), max_f16(a.y, b.y)}; }

// ---- small floats
struct hk_format {
  int exponent, mantissa, bias;
};
static int hk_gfx950;  // the arch whose fp8 and bf8 these are
static const struct hk_format hk_fp6 = {2, 3, 1}, hk_bf6 = {3, 2, 3}, hk_fp4 = {2, 1, 1};
static struct hk_format hk_fp8(void) { return (struct hk_format){4, 3, hk_gfx950 ? 7 : 8}; }
static struct hk_format hk_bf8(void) { return (struct hk_format){5, 2, hk_gfx950 ? 15 : 16}; }
static f64 hk_decode(u32 code, struct hk_format f) {
  u32 m = code & ((1u << f.mantissa) - 1), e = code >> f.mantissa & ((1u << f.exponent) - 1);
  f64 size = e ? __builtin_ldexp(1.0 + __builtin_ldexp(m, -f.mantissa), (int)e - f.bias)
               : __builtin_ldexp(m, 1 - f.bias - f.mantissa);
  return code >> (f.exponent + f.mantissa) & 1 ? -size : size;
}
static u32 hk_encode(f64 x, struct hk_format f) {  // to nearest, ties to even; callers keep x in range
  u32 sign = __builtin_signbit(x) ? 1u << (f.exponent + f.mantissa) : 0, best = 0;
  f64 size = __builtin_fabs(x), distance = 1e300;
  for (u32 code = 0; code < 1u << (f.exponent + f.mantissa); code++) {
    f64 d = __builtin_fabs(hk_decode(code, f) - size);
    if (d < distance || (d == distance && !(code & 1)))
      best = code, distance = d;
  }
  return best || hk_gfx950 || f.exponent + f.mantissa < 7 ? sign | best : 0;  // FNUZ has one zero
}
static u32 hk_put(u32 old, u32 at, u32 bits, u32 value) {
  u32 mask = (bits == 32 ? ~0u : (1u << bits) - 1) << (at * bits);
  return (old & ~mask) | (value << (at * bits) & mask);
}
static u32 hk_two(f64 a, f64 b, struct hk_format f) {
  return hk_encode(a, f) | hk_encode(b, f) << (1 + f.exponent + f.mantissa);
}
#define hk_format_of(F) ((struct hk_format)hk_format_##F)
#define hk_format_fp8 hk_fp8()
#define hk_format_bf8 hk_bf8()
#define hk_format_fp4 hk_fp4
#define hk_format_fp6 hk_fp6
#define hk_format_bf6 hk_bf6
#define HK_BYTE(x, byte) ((x) >> (8 * (byte)) & 0x77u)
#define from_fp8(x, byte) ((f32)hk_decode(HK_BYTE(x, byte), hk_fp8()))
#define from_bf8(x, byte) ((f32)hk_decode(HK_BYTE(x, byte), hk_bf8()))
static u32 hk_from_pk(u32 x, f64 s, struct hk_format f, int at, int kind) {
  int bits = 1 + f.exponent + f.mantissa;
  x = (x & 0x77777777u) >> (2 * bits * at);
  f64 a = hk_decode(x & ((1u << bits) - 1), f) * s, b = hk_decode(x >> bits & ((1u << bits) - 1), f) * s;
  if (kind == 0)
    return bits_f32((f32)a) ^ bits_f32((f32)b) << 1;
  if (kind == 1)
    return bits_f16((f16)a) | (u32)bits_f16((f16)b) << 16;
  return bits_bf16((bf16)(f32)a) | (u32)bits_bf16((bf16)(f32)b) << 16;
}
#define from_pk_fp8(x, word) hk_from_pk(x, 1.0, hk_fp8(), word, 0)
#define from_pk_bf8(x, word) hk_from_pk(x, 1.0, hk_bf8(), word, 0)
#define to_pk_fp8(a, b, old, word) hk_put(old, word, 16, hk_two(modest(a), modest(b), hk_fp8()))
#define to_pk_bf8(a, b, old, word) hk_put(old, word, 16, hk_two(modest(a), modest(b), hk_bf8()))
#define sr_fp8(n, noise, old, byte) hk_put(old, byte, 8, hk_encode(few_bits(n), hk_fp8()))
#define sr_bf8(n, noise, old, byte) hk_put(old, byte, 8, hk_encode(few_bits(n & 3), hk_bf8()))
static f64 hk_scale(u32 s) { return (f64)(1u << (s & 3)); }
#define scaled_from_fp8(x, s, byte) ((f32)(hk_decode(HK_BYTE(x, byte), hk_fp8()) * hk_scale(s)))
#define scaled_from_bf8(x, s, byte) ((f32)(hk_decode(HK_BYTE(x, byte), hk_bf8()) * hk_scale(s)))
#define half_from_fp8(old, x, s, byte, half) \
  hk_put(bits_f16x2(old), half, 16, bits_f16((f16)(hk_decode(HK_BYTE(x, byte), hk_fp8()) * hk_scale(s))))
#define half_from_bf8(old, x, s, byte, half) \
  hk_put(bits_f16x2(old), half, 16, bits_f16((f16)(hk_decode(HK_BYTE(x, byte), hk_bf8()) * hk_scale(s))))
#define scaled_pk_f32(F, x, s, at) hk_from_pk(x, hk_scale(s), hk_format_of(F), at, 0)
#define scaled_pk_f16(F, x, s, at) hk_from_pk(x, hk_scale(s), hk_format_of(F), at, 1)
#define scaled_pk_bf16(F, x, s, at) hk_from_pk(x, hk_scale(s), hk_format_of(F), at, 2)
#define scaled_to_8(F, a, b, old, s, word) \
  hk_put(old, word, 16, hk_two(modest(a) / hk_scale(s), modest(b) / hk_scale(s), hk_format_of(F)))
#define scaled_to_8_f16(F, a, b, old, s, word) \
  hk_put(old, word, 16, hk_two((f64)(f16)modest(a) / hk_scale(s), (f64)(f16)-modest(b) / hk_scale(s), hk_format_of(F)))
#define HK_BF16(x) ((f64)(f32)(bf16)(x))
#define scaled_to_8_bf16(F, a, b, old, s, word) \
  hk_put(old, word, 16, hk_two(HK_BF16(modest(a)) / hk_scale(s), HK_BF16(-modest(b)) / hk_scale(s), hk_format_of(F)))
#define to_fp4(a, b, old, s, byte) hk_put(old, byte, 8, hk_two(tiny_(a) / hk_scale(s), tiny_(b) / hk_scale(s), hk_fp4))
#define to_fp4_f16(a, b, old, s, byte) \
  hk_put(old, byte, 8, hk_two((f64)(f16)tiny_(a) / hk_scale(s), (f64)(f16)-tiny_(b) / hk_scale(s), hk_fp4))
#define to_fp4_bf16(a, b, old, s, byte) \
  hk_put(old, byte, 8, hk_two(HK_BF16(tiny_(a)) / hk_scale(s), HK_BF16(-tiny_(b)) / hk_scale(s), hk_fp4))
#define sr_scaled_8(F, n, noise, old, byte) hk_put(old, byte, 8, hk_encode(few_bits((n) & 3), hk_format_of(F)))
#define sr_scaled_8_f16(F, n, noise, old, byte) sr_scaled_8(F, n, noise, old, byte)
#define sr_scaled_8_bf16(F, n, noise, old, byte) sr_scaled_8(F, n, noise, old, byte)
#define sr_fp4(n, noise, byte) hk_two(few_bits((n) & 1), few_bits((n) >> 1 & 1), hk_fp4)
#define sr_bf16(n, noise) ((u32)bits_bf16((bf16)few_bits(n)))
#define sr_f16(n, noise) ((u32)bits_f16((f16)few_bits(n)))
static f64 hk_sixth(u32 a, u32 s, u32 at, struct hk_format f) {
  u64 words = 0;
  for (u32 i = 0; i < 2; i++)
    words |= (u64)(6 * at / 32 + i < 6 ? a * (2 * (6 * at / 32 + i) + 1) : 0) << (32 * i);
  return hk_decode((u32)(words >> (6 * at % 32) & 63), f) * hk_scale(s);
}
#define from_six(F, x, s, at) bits_f32((f32)hk_sixth(x, s, at, hk_format_of(F)))
#define from_six_f16(F, x, s, at) bits_f16((f16)hk_sixth(x, s, at, hk_format_of(F)))
#define from_six_bf16(F, x, s, at) bits_bf16((bf16)(f32)hk_sixth(x, s, at, hk_format_of(F)))
static u32 hk_to_six(u32 x, u32 s, struct hk_format f) {
  u32 words[7] = {0}, r = 0;
  for (u32 i = 0; i < 32; i++) {
    u64 code = (u64)hk_encode(few_bits(x >> i & 3) / hk_scale(s), f) << (6 * i % 32);
    words[6 * i / 32] |= (u32)code;
    words[6 * i / 32 + 1] |= (u32)(code >> 32);
  }
  for (u32 i = 0; i < 6; i++)
    r ^= words[i] * (2 * i + 1);
  return r;
}
#define to_six_fp6_f16(x, s) hk_to_six(x, s, hk_fp6)
#define to_six_bf6_f16(x, s) hk_to_six(x, s, hk_bf6)
#define to_six_fp6_bf16(x, s) hk_to_six(x, s, hk_fp6)
#define to_six_bf6_bf16(x, s) hk_to_six(x, s, hk_bf6)

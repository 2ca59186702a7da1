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

// The GPU side of generated programs: builtins as they are.
#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#define SHARED(T, name, n) static __attribute__((loader_uninitialized, address_space(3))) T name[n]
#define LDSPTR(T) __attribute__((address_space(3))) T *
#define NOINLINE static __attribute__((noinline))
#define KERNEL(name, size) \
  __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(size, size))) void name
#define THREAD ((u32)__builtin_amdgcn_workitem_id_x())
#define GROUP ((u32)__builtin_amdgcn_workgroup_id_x())
#define LANE ((u32)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)))
#define BARRIER()                                       \
  do {                                                  \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                       \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)
#define MASKED(cond, ...) \
  do {                     \
    if (cond) {            \
      __VA_ARGS__            \
    }                      \
  } while (0)

#define DPP(old, x, ctrl, rows, banks, bound) \
  ((u32)__builtin_amdgcn_update_dpp((int)(old), (int)(x), ctrl, rows, banks, bound))
#define READLANE(x, lane) ((u32)__builtin_amdgcn_readlane((int)(x), (int)(lane)))
#define READFIRST(x) ((u32)__builtin_amdgcn_readfirstlane((int)(x)))
#define BPERMUTE(lane, x) ((u32)__builtin_amdgcn_ds_bpermute((int)((u32)(lane) * 4u), (int)(x)))
#define PERMUTE(lane, x) ((u32)__builtin_amdgcn_ds_permute((int)((u32)(lane) * 4u), (int)(x)))
#define SWIZZLE(x, pattern) ((u32)__builtin_amdgcn_ds_swizzle((int)(x), pattern))
#define BALLOT(cond) ((u64)__builtin_amdgcn_ballot_w64(cond))
#define WAVE_REDUCE(op, x) ((u32)__builtin_amdgcn_wave_reduce_##op(x, 0))
#define MBCNT(mask, x) \
  ((u32)__builtin_amdgcn_mbcnt_hi((u32)((mask) >> 32), __builtin_amdgcn_mbcnt_lo((u32)(mask), (x))))
#define INVERSE_BALLOT(mask) ((u32)__builtin_amdgcn_inverse_ballot_w64(mask))
#define SWAP16(a, b) swap16_(a, b)
#define SWAP32(a, b) swap32_(a, b)
#if GFX950
INLINE u32x2 swap16_(u32 a, u32 b) { return __builtin_bit_cast(u32x2, __builtin_amdgcn_permlane16_swap(a, b, 0, 0)); }
INLINE u32x2 swap32_(u32 a, u32 b) { return __builtin_bit_cast(u32x2, __builtin_amdgcn_permlane32_swap(a, b, 0, 0)); }
#define bitop3_32(a, b, c, table) ((u32)__builtin_amdgcn_bitop3_b32(a, b, c, table))
#define bitop3_16(a, b, c, table) ((u16)__builtin_amdgcn_bitop3_b16((i16)(a), (i16)(b), (i16)(c), table))
#define ashr_pk_i8(a, b, c) ((u16)__builtin_amdgcn_ashr_pk_i8_i32(a, b, c))
#define ashr_pk_u8(a, b, c) ((u16)__builtin_amdgcn_ashr_pk_u8_i32(a, b, c))
#define prng(a) ((u32)__builtin_amdgcn_prng_b32(a))
#endif

#define perm(a, b, c) ((u32)__builtin_amdgcn_perm(a, b, c))
#define alignbit(a, b, c) ((u32)__builtin_amdgcn_alignbit(a, b, c))
#define alignbyte(a, b, c) ((u32)__builtin_amdgcn_alignbyte(a, b, c))
#define ubfe(a, b, c) ((u32)__builtin_amdgcn_ubfe(a, (b) & 31, (c) & 31))
#define sbfe(a, b, c) ((u32)__builtin_amdgcn_sbfe((int)(a), (b) & 31, (c) & 31))
#define sad_u8(a, b, c) ((u32)__builtin_amdgcn_sad_u8(a, b, c))
#define sad_hi_u8(a, b, c) ((u32)__builtin_amdgcn_sad_hi_u8(a, b, c))
#define sad_u16(a, b, c) ((u32)__builtin_amdgcn_sad_u16(a, b, c))
#define msad_u8(a, b, c) ((u32)__builtin_amdgcn_msad_u8(a, b, c))
#define qsad(a, b, c) ((u64)__builtin_amdgcn_qsad_pk_u16_u8(a, b, (c) & 0x0fff0fff0fff0fffull))
#define mqsad(a, b, c) ((u64)__builtin_amdgcn_mqsad_pk_u16_u8(a, b, (c) & 0x0fff0fff0fff0fffull))
INLINE u32 mqsad4(u64 a, u32 b, u32 c) {
  u32x4 r = __builtin_amdgcn_mqsad_u32_u8(a, b, (u32x4){c, c ^ 1, c + 2, ~c});
  return r.x ^ (r.y << 1) ^ (r.z << 2) ^ (r.w << 3);
}
#define lerp(a, b, c) ((u32)__builtin_amdgcn_lerp(a, b, c))
#define sdot4(a, b, c, clamp) ((u32)__builtin_amdgcn_sdot4((int)(a), (int)(b), (int)(c), clamp))
#define udot4(a, b, c, clamp) ((u32)__builtin_amdgcn_udot4(a, b, c, clamp))
#define sdot8(a, b, c, clamp) ((u32)__builtin_amdgcn_sdot8((int)(a), (int)(b), (int)(c), clamp))
#define udot8(a, b, c, clamp) ((u32)__builtin_amdgcn_udot8(a, b, c, clamp))
#define sdot2(a, b, c, clamp) \
  ((u32)__builtin_amdgcn_sdot2(__builtin_bit_cast(i16x2, (u32)(a)), __builtin_bit_cast(i16x2, (u32)(b)), (int)(c), clamp))
#define udot2(a, b, c, clamp) \
  ((u32)__builtin_amdgcn_udot2(__builtin_bit_cast(u16x2, (u32)(a)), __builtin_bit_cast(u16x2, (u32)(b)), c, clamp))
#define fdot2(a, b, c) __builtin_amdgcn_fdot2(a, b, c, 0)
#define mul_u24(a, b) ((u32)(((a) & 0xffffffu) * ((b) & 0xffffffu)))
typedef __fp16 fp16x2 __attribute__((ext_vector_type(2)));
#define cvt_pkrtz(a, b) bits_f16x2(__builtin_bit_cast(f16x2, (fp16x2)__builtin_amdgcn_cvt_pkrtz(a, b)))
#define cvt_pk_i16(a, b) __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pk_i16((i32)(i16)(a), (i32)(i16)(b)))
#define cvt_pk_u16(a, b) __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pk_u16((u32)(u16)(a), (u32)(u16)(b)))
#define cvt_pknorm_i16(a, b) __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pknorm_i16(a, b))
#define cvt_pknorm_u16(a, b) __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pknorm_u16(a, b))
#define cvt_pk_u8(x, byte, old) ((u32)__builtin_amdgcn_cvt_pk_u8_f32(x, byte, old))
#define cubeid(x, y, z) __builtin_amdgcn_cubeid(x, y, z)
#define cubema(x, y, z) __builtin_amdgcn_cubema(x, y, z)
#define cubesc(x, y, z) __builtin_amdgcn_cubesc(x, y, z)
#define cubetc(x, y, z) __builtin_amdgcn_cubetc(x, y, z)
#define cvt_off_f32_i4(x) __builtin_amdgcn_cvt_off_f32_i4((int)(x))
#define med3_f32(a, b, c) __builtin_amdgcn_fmed3f(a, b, c)
#define fract_f32(x) __builtin_amdgcn_fractf(x)
#define fract_f64(x) __builtin_amdgcn_fract(x)
#define frexp_mant_f32(x) __builtin_amdgcn_frexp_mantf(x)
#define frexp_mant_f64(x) __builtin_amdgcn_frexp_mant(x)
#define frexp_mant_f16(x) __builtin_amdgcn_frexp_manth(x)
#define frexp_exp_f32(x) ((u32)__builtin_amdgcn_frexp_expf(x))
#define frexp_exp_f64(x) ((u32)__builtin_amdgcn_frexp_exp(x))
#define frexp_exp_f16(x) ((u16)__builtin_amdgcn_frexp_exph(x))
#define class_f32(x, mask) ((u32)__builtin_amdgcn_classf(x, mask))
#define class_f64(x, mask) ((u32)__builtin_amdgcn_class(x, mask))
#define class_f16(x, mask) ((u32)__builtin_amdgcn_classh(x, mask))
#define ldexp_f16(x, n) ((f16)__builtin_amdgcn_ldexph(x, (n) % 60))
#define rcp_exact(x) __builtin_amdgcn_rcpf(x)
#define rsq_exact(x) __builtin_amdgcn_rsqf(x)
#define exp2_exact(x) __builtin_amdgcn_exp2f(x)
#define log2_exact(x) __builtin_amdgcn_logf(x)
#define sqrt_exact(x) __builtin_amdgcn_sqrtf(x)
#define fract_f16(x) ((f16)__builtin_amdgcn_fracth(x))
#define rcp_f16(x) ((f16)__builtin_amdgcn_rcph(x))
#define rsq_f16(x) ((f16)__builtin_amdgcn_rsqh(x))
#define sin_f16(x) ((f16)__builtin_amdgcn_sinh(x))
#define cos_f16(x) ((f16)__builtin_amdgcn_cosh(x))
#define exp2_f16(x) __builtin_exp2f16(x)
#define log2_f16(x) __builtin_log2f16(x)
#define rcp_f64(x) __builtin_amdgcn_rcp(x)
#define rsq_f64(x) __builtin_amdgcn_rsq(x)
#define sqrt_exact_f64(x) __builtin_amdgcn_sqrt(x)
#define sin_exact(x) __builtin_amdgcn_sinf(x)
#define cos_exact(x) __builtin_amdgcn_cosf(x)
#define fma_f32(a, b, c) __builtin_fmaf(a, b, c)
#define fma_f64(a, b, c) __builtin_fma(a, b, c)
#define fma_f16(a, b, c) __builtin_fmaf16(a, b, c)
#define fma_f16x2(a, b, c) __builtin_elementwise_fma(a, b, c)
#define fma_f32x2(a, b, c) __builtin_elementwise_fma(a, b, c)
#define sqrt_f32(x) __builtin_sqrtf(x)
#define sqrt_f64(x) __builtin_sqrt(x)
#define sqrt_f16(x) __builtin_sqrtf16(x)
#define floor_f16(x) __builtin_floorf16(x)
#define ceil_f16(x) __builtin_ceilf16(x)
#define trunc_f16(x) __builtin_truncf16(x)
#define rint_f16(x) __builtin_rintf16(x)
#define min_f16(a, b) __builtin_fminf16(nz_f16(a), nz_f16(b))
#define max_f16(a, b) __builtin_fmaxf16(nz_f16(a), nz_f16(b))
#define min_f16x2(a, b) __builtin_elementwise_min(nz_f16x2(a), nz_f16x2(b))
#define max_f16x2(a, b) __builtin_elementwise_max(nz_f16x2(a), nz_f16x2(b))

// ---- small floats: fp8 and bf8 by arch (FNUZ on gfx942, OCP on gfx950), fp4, fp6 and bf6
INLINE u32 folded2(f32x2 x) { return bits_f32(x.x) ^ bits_f32(x.y) << 1; }
#define from_fp8(x, byte) __builtin_amdgcn_cvt_f32_fp8((int)((x) & 0x77777777u), byte)
#define from_bf8(x, byte) __builtin_amdgcn_cvt_f32_bf8((int)((x) & 0x77777777u), byte)
#define from_pk_fp8(x, word) folded2(__builtin_amdgcn_cvt_pk_f32_fp8((int)((x) & 0x77777777u), word))
#define from_pk_bf8(x, word) folded2(__builtin_amdgcn_cvt_pk_f32_bf8((int)((x) & 0x77777777u), word))
#define to_pk_fp8(a, b, old, word) ((u32)__builtin_amdgcn_cvt_pk_fp8_f32(modest(a), modest(b), (int)(old), word))
#define to_pk_bf8(a, b, old, word) ((u32)__builtin_amdgcn_cvt_pk_bf8_f32(modest(a), modest(b), (int)(old), word))
#define sr_fp8(n, noise, old, byte) ((u32)__builtin_amdgcn_cvt_sr_fp8_f32(few_bits(n), (int)(noise), (int)(old), byte))
#define sr_bf8(n, noise, old, byte) ((u32)__builtin_amdgcn_cvt_sr_bf8_f32(few_bits(n & 3), (int)(noise), (int)(old), byte))
#if GFX950
typedef bf16 bf16x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x32 __attribute__((ext_vector_type(32)));
typedef bf16 bf16x32 __attribute__((ext_vector_type(32)));
typedef f32 f32x32 __attribute__((ext_vector_type(32)));
typedef u32 u32x6 __attribute__((ext_vector_type(6)));
INLINE u32 folded_bf16x2(bf16x2 x) { return bits_bf16(x.x) | (u32)bits_bf16(x.y) << 16; }
INLINE u32 folded6(u32x6 x) { return x[0] ^ x[1] * 3 ^ x[2] * 5 ^ x[3] * 7 ^ x[4] * 9 ^ x[5] * 11; }
INLINE u32x6 six(u32 a) { return (u32x6){a, a * 3, a * 5, a * 7, a * 9, a * 11}; }
#define scaled_from_fp8(x, s, byte) __builtin_amdgcn_cvt_scalef32_f32_fp8((int)((x) & 0x77777777u), scale(s), byte)
#define scaled_from_bf8(x, s, byte) __builtin_amdgcn_cvt_scalef32_f32_bf8((int)((x) & 0x77777777u), scale(s), byte)
#define half_from_fp8(old, x, s, byte, half) \
  bits_f16x2(__builtin_amdgcn_cvt_scalef32_f16_fp8(old, (int)((x) & 0x77777777u), scale(s), byte, half))
#define half_from_bf8(old, x, s, byte, half) \
  bits_f16x2(__builtin_amdgcn_cvt_scalef32_f16_bf8(old, (int)((x) & 0x77777777u), scale(s), byte, half))
#define scaled_pk_f32(F, x, s, at) folded2(__builtin_amdgcn_cvt_scalef32_pk_f32_##F((x) & 0x77777777u, scale(s), at))
#define scaled_pk_f16(F, x, s, at) bits_f16x2(__builtin_amdgcn_cvt_scalef32_pk_f16_##F((x) & 0x77777777u, scale(s), at))
#define scaled_pk_bf16(F, x, s, at) \
  folded_bf16x2(__builtin_amdgcn_cvt_scalef32_pk_bf16_##F((x) & 0x77777777u, scale(s), at))
// The second of two halves is negated: how an inline constant fills both is open.
#define OLD2(x) __builtin_bit_cast(i16x2, (u32)(x))
#define U32OF(x) __builtin_bit_cast(u32, x)
#define scaled_to_8(F, a, b, old, s, word) \
  U32OF(__builtin_amdgcn_cvt_scalef32_pk_##F##_f32(OLD2(old), modest(a), modest(b), scale(s), word))
#define scaled_to_8_f16(F, a, b, old, s, word) \
  U32OF(__builtin_amdgcn_cvt_scalef32_pk_##F##_f16(OLD2(old), ((f16x2){(f16)modest(a), (f16)-modest(b)}), scale(s), word))
#define scaled_to_8_bf16(F, a, b, old, s, word) \
  U32OF(__builtin_amdgcn_cvt_scalef32_pk_##F##_bf16(OLD2(old), ((bf16x2){(bf16)modest(a), (bf16)-modest(b)}), scale(s), word))
#define to_fp4(a, b, old, s, byte) \
  ((u32)__builtin_amdgcn_cvt_scalef32_pk_fp4_f32(old, tiny_(a), tiny_(b), scale(s), byte))
#define to_fp4_f16(a, b, old, s, byte) \
  ((u32)__builtin_amdgcn_cvt_scalef32_pk_fp4_f16(old, ((f16x2){(f16)tiny_(a), (f16)-tiny_(b)}), scale(s), byte))
#define to_fp4_bf16(a, b, old, s, byte) \
  ((u32)__builtin_amdgcn_cvt_scalef32_pk_fp4_bf16(old, ((bf16x2){(bf16)tiny_(a), (bf16)-tiny_(b)}), scale(s), byte))
#define sr_scaled_8(F, n, noise, old, byte) \
  ((u32)__builtin_amdgcn_cvt_scalef32_sr_##F##_f32((int)(old), few_bits((n) & 3), noise, 1.0f, byte))
#define sr_scaled_8_f16(F, n, noise, old, byte) \
  ((u32)__builtin_amdgcn_cvt_scalef32_sr_##F##_f16((int)(old), (f16)few_bits((n) & 3), noise, 1.0f, byte))
#define sr_scaled_8_bf16(F, n, noise, old, byte) \
  ((u32)__builtin_amdgcn_cvt_scalef32_sr_##F##_bf16((int)(old), (bf16)few_bits((n) & 3), noise, 1.0f, byte))
// clang 22 does not tie the kept bytes of this one, so that only the written byte counts.
#define sr_fp4(n, noise, byte)                                                                                    \
  ((u32)__builtin_amdgcn_cvt_scalef32_sr_pk_fp4_f32(                                                              \
       0, ((f32x2){few_bits((n) & 1), few_bits((n) >> 1 & 1)}), noise, 1.0f, byte) >> (8 * (byte)) & 255u)
#define sr_bf16(n, noise) (folded_bf16x2(__builtin_amdgcn_cvt_sr_bf16_f32((bf16x2)0, few_bits(n), noise, 1)) >> 16)
#define sr_f16(n, noise) (bits_f16x2(__builtin_amdgcn_cvt_sr_f16_f32((f16x2)0, few_bits(n), noise, 1)) >> 16)
#define from_six(F, x, s, at) bits_f32(__builtin_amdgcn_cvt_scalef32_pk32_f32_##F(six(x), scale(s))[at])
#define from_six_f16(F, x, s, at) bits_f16(__builtin_amdgcn_cvt_scalef32_pk32_f16_##F(six(x), scale(s))[at])
#define from_six_bf16(F, x, s, at) bits_bf16(__builtin_amdgcn_cvt_scalef32_pk32_bf16_##F(six(x), scale(s))[at])
#define TO_SIX(F, T)                                                             \
  INLINE u32 to_six_##F##_##T(u32 x, u32 s) {                                    \
    T##x32 v;                                                                    \
    _Pragma("unroll") for (int i = 0; i < 32; i++) v[i] = (T)few_bits(x >> i & 3); \
    return folded6(__builtin_amdgcn_cvt_scalef32_pk32_##F##_##T(v, scale(s)));   \
  }
TO_SIX(fp6, f16) TO_SIX(bf6, f16) TO_SIX(fp6, bf16) TO_SIX(bf6, bf16)
#endif

#define ATOMIC(op, ptr, x) __scoped_atomic_fetch_##op(ptr, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)
#define ATOMIC_DEVICE(op, ptr, x) __scoped_atomic_fetch_##op(ptr, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define EXCHANGE(ptr, x) __scoped_atomic_exchange_n(ptr, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)
#define COMPARE_EXCHANGE(ptr, expected, x) \
  __scoped_atomic_compare_exchange_n(ptr, expected, x, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)
#define ADD_HALVES(ptr, x) bits_f16x2(__builtin_amdgcn_ds_atomic_fadd_v2f16(ptr, x))
#define APPEND(ptr) ((u32)__builtin_amdgcn_ds_append(ptr))
#define CONSUME(ptr) ((u32)__builtin_amdgcn_ds_consume(ptr))
#define ATOMIC_INC(ptr, x) __builtin_amdgcn_atomic_inc32(ptr, x, __ATOMIC_RELAXED, "workgroup")
#define ATOMIC_DEC(ptr, x) __builtin_amdgcn_atomic_dec32(ptr, x, __ATOMIC_RELAXED, "workgroup")
#define ATOMIC_INC64(ptr, x) __builtin_amdgcn_atomic_inc64(ptr, x, __ATOMIC_RELAXED, "workgroup")
#define ATOMIC_DEC64(ptr, x) __builtin_amdgcn_atomic_dec64(ptr, x, __ATOMIC_RELAXED, "workgroup")

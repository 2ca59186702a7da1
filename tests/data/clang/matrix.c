// One matrix instruction a kernel, one wave: D = A B + C with operands laid out by hand in C.
// A is [M][K], B is [N][K] (so that a lane's values are contiguous), C and D are [M][N].
// Layouts: AMD's matrix instruction calculator (CDNA3), AMD's blog on matrix cores (CDNA4).
// Compiled by tools/clang_oracles.py; the launches and references are named there.
typedef short s4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef __bf16 b8 __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i8 __attribute__((ext_vector_type(8)));
typedef double d4 __attribute__((ext_vector_type(4)));

#define KERNEL __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(64, 64))) void
#define GLOBAL __attribute__((address_space(1)))

static int lane(void) { return __builtin_amdgcn_workitem_id_x(); }

// Loads or stores the 16x16 tile of a lane: column = lane % 16, row = 4 * (lane / 16) + register.
#define ROW16(r) (4 * (lane() / 16) + (r))
#define COL16 (lane() % 16)
// ... and the 32x32 tile: column = lane % 32, row = 8 * (register / 4) + 4 * (lane / 32) + register % 4.
#define ROW32(r) (8 * ((r) / 4) + 4 * (lane() / 32) + (r) % 4)
#define COL32 (lane() % 32)

KERNEL mfma_f32_16x16x16_bf16(GLOBAL const short *a, GLOBAL const short *b, GLOBAL const float *c, GLOBAL float *d) {
  s4 va = *(GLOBAL const s4 *)(a + COL16 * 16 + lane() / 16 * 4);
  s4 vb = *(GLOBAL const s4 *)(b + COL16 * 16 + lane() / 16 * 4);
  f4 acc;
  for (int r = 0; r < 4; r++)
    acc[r] = c[ROW16(r) * 16 + COL16];
  acc = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 4; r++)
    d[ROW16(r) * 16 + COL16] = acc[r];
}

KERNEL mfma_f32_32x32x8_f16(GLOBAL const _Float16 *a, GLOBAL const _Float16 *b, GLOBAL const float *c,
                            GLOBAL float *d) {
  h4 va = *(GLOBAL const h4 *)(a + COL32 * 8 + lane() / 32 * 4);
  h4 vb = *(GLOBAL const h4 *)(b + COL32 * 8 + lane() / 32 * 4);
  f16 acc;
  for (int r = 0; r < 16; r++)
    acc[r] = c[ROW32(r) * 32 + COL32];
  acc = __builtin_amdgcn_mfma_f32_32x32x8f16(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 16; r++)
    d[ROW32(r) * 32 + COL32] = acc[r];
}

KERNEL mfma_i32_16x16x32_i8(GLOBAL const signed char *a, GLOBAL const signed char *b, GLOBAL const int *c,
                            GLOBAL int *d) {
  long va = *(GLOBAL const long *)(a + COL16 * 32 + lane() / 16 * 8);
  long vb = *(GLOBAL const long *)(b + COL16 * 32 + lane() / 16 * 8);
  i4 acc;
  for (int r = 0; r < 4; r++)
    acc[r] = c[ROW16(r) * 16 + COL16];
  acc = __builtin_amdgcn_mfma_i32_16x16x32_i8(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 4; r++)
    d[ROW16(r) * 16 + COL16] = acc[r];
}

// The 64-bit tile is laid out otherwise: row = 4 * register + lane / 16.
KERNEL mfma_f64_16x16x4_f64(GLOBAL const double *a, GLOBAL const double *b, GLOBAL const double *c,
                            GLOBAL double *d) {
  double va = a[COL16 * 4 + lane() / 16];
  double vb = b[COL16 * 4 + lane() / 16];
  d4 acc;
  for (int r = 0; r < 4; r++)
    acc[r] = c[(4 * r + lane() / 16) * 16 + COL16];
  acc = __builtin_amdgcn_mfma_f64_16x16x4f64(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 4; r++)
    d[(4 * r + lane() / 16) * 16 + COL16] = acc[r];
}

KERNEL mfma_f32_16x16x32_fp8(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const float *c, GLOBAL float *d) {
  long va = *(GLOBAL const long *)(a + COL16 * 32 + lane() / 16 * 8);
  long vb = *(GLOBAL const long *)(b + COL16 * 32 + lane() / 16 * 8);
  f4 acc;
  for (int r = 0; r < 4; r++)
    acc[r] = c[ROW16(r) * 16 + COL16];
  acc = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 4; r++)
    d[ROW16(r) * 16 + COL16] = acc[r];
}

#ifdef __gfx950__
KERNEL mfma_f32_16x16x32_bf16(GLOBAL const __bf16 *a, GLOBAL const __bf16 *b, GLOBAL const float *c,
                              GLOBAL float *d) {
  b8 va = *(GLOBAL const b8 *)(a + COL16 * 32 + lane() / 16 * 8);
  b8 vb = *(GLOBAL const b8 *)(b + COL16 * 32 + lane() / 16 * 8);
  f4 acc;
  for (int r = 0; r < 4; r++)
    acc[r] = c[ROW16(r) * 16 + COL16];
  acc = __builtin_amdgcn_mfma_f32_16x16x32_bf16(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 4; r++)
    d[ROW16(r) * 16 + COL16] = acc[r];
}

KERNEL mfma_f32_32x32x16_f16(GLOBAL const _Float16 *a, GLOBAL const _Float16 *b, GLOBAL const float *c,
                             GLOBAL float *d) {
  h8 va = *(GLOBAL const h8 *)(a + COL32 * 16 + lane() / 32 * 8);
  h8 vb = *(GLOBAL const h8 *)(b + COL32 * 16 + lane() / 32 * 8);
  f16 acc;
  for (int r = 0; r < 16; r++)
    acc[r] = c[ROW32(r) * 32 + COL32];
  acc = __builtin_amdgcn_mfma_f32_32x32x16_f16(va, vb, acc, 0, 0, 0);
  for (int r = 0; r < 16; r++)
    d[ROW32(r) * 32 + COL32] = acc[r];
}

// fp4 values (two a byte) with an E8M0 scale per row and 32 values of K.
KERNEL mfma_scale_f32_16x16x128_fp4(GLOBAL const char *a, GLOBAL const char *b, GLOBAL const unsigned char *sa,
                                    GLOBAL const unsigned char *sb, GLOBAL const float *c, GLOBAL float *d) {
  i4 qa = *(GLOBAL const i4 *)(a + COL16 * 64 + lane() / 16 * 16);
  i4 qb = *(GLOBAL const i4 *)(b + COL16 * 64 + lane() / 16 * 16);
  i8 va = {qa.x, qa.y, qa.z, qa.w, 0, 0, 0, 0};
  i8 vb = {qb.x, qb.y, qb.z, qb.w, 0, 0, 0, 0};
  int xa = sa[COL16 * 4 + lane() / 16];
  int xb = sb[COL16 * 4 + lane() / 16] << 16;
  f4 acc;
  for (int r = 0; r < 4; r++)
    acc[r] = c[ROW16(r) * 16 + COL16];
  acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(va, vb, acc, 4, 4, 0, xa, 2, xb);
  for (int r = 0; r < 4; r++)
    d[ROW16(r) * 16 + COL16] = acc[r];
}
#endif

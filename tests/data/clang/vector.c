// Kernels whose instructions clang chooses: arithmetic, control flow, LDS, lanes, atomics, private arrays.
// Compiled by tools/clang_oracles.py; the launches and references are named there.
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define KERNEL __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256))) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS static __attribute__((loader_uninitialized, address_space(3)))

static int thread(void) { return __builtin_amdgcn_workitem_id_x(); }
static int global_id(void) { return __builtin_amdgcn_workgroup_id_x() * 256 + thread(); }
static void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL vector_add(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c, int n) {
  int i = global_id();
  if (i < n)
    c[i] = a[i] + b[i];
}

// The block and grid sizes come from the implicit arguments.
KERNEL fill_ids(GLOBAL u32 *out, int n) {
  u32 block = __builtin_amdgcn_workgroup_size_x();
  u32 i = __builtin_amdgcn_workgroup_id_x() * block + thread();
  if (i < (u32)n)
    out[i] = i + (__builtin_amdgcn_grid_size_x() << 16);
}

KERNEL integer_ops(GLOBAL const int *a, GLOBAL const int *b, GLOBAL int *out, int n) {
  int i = global_id();
  if (i >= n)
    return;
  int x = a[i], y = b[i];
  u32 ux = x, uy = y;
  GLOBAL int *o = out + i;
  o[0 * n] = x + y;
  o[1 * n] = x * y;
  o[2 * n] = (int)(((i64)x * y) >> 32);
  o[3 * n] = (int)(((u64)ux * uy) >> 32);
  o[4 * n] = x / y;
  o[5 * n] = x % y;
  o[6 * n] = (int)(ux / uy);
  o[7 * n] = (int)(ux % uy);
  o[8 * n] = x << (y & 31);
  o[9 * n] = x >> (y & 31);
  o[10 * n] = (int)(ux >> (y & 31));
  o[11 * n] = x < y ? x : y;
  o[12 * n] = (int)(ux > uy ? ux : uy);
  o[13 * n] = __builtin_popcount(ux) + 64 * __builtin_clz(ux | 1) + 4096 * __builtin_ctz(ux | 0x80000000u);
  o[14 * n] = (int)__builtin_bitreverse32(ux);
  o[15 * n] = (int)__builtin_bswap32(ux) ^ (int)((ux << 7) | (ux >> 25));
  o[16 * n] = (short)x + (signed char)y;
  o[17 * n] = (int)((unsigned short)ux * (unsigned char)uy);
}

KERNEL integer64_ops(GLOBAL const i64 *a, GLOBAL const i64 *b, GLOBAL i64 *out, int n) {
  int i = global_id();
  if (i >= n)
    return;
  i64 x = a[i], y = b[i];
  u64 ux = x, uy = y;
  GLOBAL i64 *o = out + i;
  o[0 * n] = x + y;
  o[1 * n] = x * y;
  o[2 * n] = x / y;
  o[3 * n] = x % y;
  o[4 * n] = (i64)(ux / uy);
  o[5 * n] = (i64)(ux % uy);
  o[6 * n] = x << (y & 63);
  o[7 * n] = x >> (y & 63);
  o[8 * n] = (i64)(ux >> (y & 63));
  o[9 * n] = x < y ? -x : ~y;
  o[10 * n] = __builtin_popcountll(ux) + 128 * __builtin_clzll(ux | 1);
}

KERNEL float_ops(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
  int i = global_id();
  if (i >= n)
    return;
  float x = a[i], y = b[i];
  GLOBAL float *o = out + i;
  o[0 * n] = x + y;
  o[1 * n] = x - y;
  o[2 * n] = x * y;
  o[3 * n] = x / y;
  o[4 * n] = __builtin_fmaf(x, y, 1.5f);
  o[5 * n] = __builtin_sqrtf(__builtin_fabsf(x));
  o[6 * n] = __builtin_floorf(x) + __builtin_ceilf(y);
  o[7 * n] = __builtin_truncf(x) + __builtin_rintf(y);
  o[8 * n] = __builtin_fminf(x, y);
  o[9 * n] = __builtin_fmaxf(-x, __builtin_fabsf(y));
  o[10 * n] = (float)(int)x;
  o[11 * n] = (float)(u32)__builtin_fabsf(y);
  o[12 * n] = x < y ? x : 2.0f * y;
  o[13 * n] = (float)(i64)(x * 1e6f);
  o[14 * n] = (float)((double)x / (double)y);
  o[15 * n] = (float)((double)x * (double)y + 0.1);
}

KERNEL double_ops(GLOBAL const double *a, GLOBAL const double *b, GLOBAL double *out, int n) {
  int i = global_id();
  if (i >= n)
    return;
  double x = a[i], y = b[i];
  GLOBAL double *o = out + i;
  o[0 * n] = x + y;
  o[1 * n] = x * y;
  o[2 * n] = x / y;
  o[3 * n] = __builtin_fma(x, y, 0.5);
  o[4 * n] = __builtin_floor(x) - __builtin_ceil(y);
  o[5 * n] = x < y ? x : -y;
  o[6 * n] = (double)(i64)(x * 1e6);
  o[7 * n] = (double)(int)(y * 16.0);
  o[8 * n] = __builtin_sqrt(__builtin_fabs(x));
}

// float to bf16 and half and back, packed by the compiler as it likes.
KERNEL narrow(GLOBAL const float *a, GLOBAL __bf16 *b, GLOBAL _Float16 *h, GLOBAL float *back, int n) {
  int i = global_id();
  if (i >= n)
    return;
  float x = a[i];
  __bf16 xb = (__bf16)x;
  _Float16 xh = (_Float16)x;
  b[i] = xb;
  h[i] = xh;
  back[i] = (float)xb;
  back[n + i] = (float)xh;
  back[2 * n + i] = (float)(_Float16)(xh * xh + xh);
}

KERNEL reduce(GLOBAL const float *a, GLOBAL float *out, int n) {
  LDS float part[256];
  int t = thread(), i = global_id();
  part[t] = i < n ? a[i] : 0.0f;
  barrier();
  for (int step = 128; step > 0; step >>= 1) {
    if (t < step)
      part[t] += part[t + step];
    barrier();
  }
  if (t == 0)
    out[__builtin_amdgcn_workgroup_id_x()] = part[0];
}

KERNEL scan(GLOBAL const u32 *a, GLOBAL u32 *out) {
  LDS u32 line[2][256];
  int t = thread(), side = 0;
  line[0][t] = a[global_id()];
  barrier();
  for (int step = 1; step < 256; step <<= 1) {
    u32 x = line[side][t];
    if (t >= step)
      x += line[side][t - step];
    side ^= 1;
    line[side][t] = x;
    barrier();
  }
  out[global_id()] = line[side][t];
}

// Loops with a trip count per lane, break and continue.
KERNEL divergent(GLOBAL const u32 *a, GLOBAL u32 *out, int n) {
  int i = global_id();
  if (i >= n)
    return;
  u32 x = a[i], steps = 0, odd = 0;
  while (x > 1) {
    steps++;
    if (steps == 100)
      break;
    if (x & 1) {
      odd++;
      x = 3 * x + 1;
      if (odd % 5 == 4)
        continue;
    }
    if ((x & 3) == 0)
      x >>= 2;
    else
      x >>= 1;
  }
  out[i] = steps | odd << 16;
}

// A private array indexed by data: scratch memory at every optimisation level.
KERNEL private_sort(GLOBAL const int *a, GLOBAL int *out, int n) {
  int i = global_id();
  if (i >= n)
    return;
  volatile int box[8];
  for (int j = 0; j < 8; j++)
    box[j] = a[i * 8 + j];
  for (int j = 1; j < 8; j++) {
    int x = box[j], k = j;
    while (k > 0 && box[k - 1] > x) {
      box[k] = box[k - 1];
      k--;
    }
    box[k] = x;
  }
  for (int j = 0; j < 8; j++)
    out[i * 8 + j] = box[j] * 16 + box[box[j] & 7] % 16;
}

// Lane operations: bpermute, readlane, DPP, ballot, count of lower lanes.
KERNEL lanes(GLOBAL const int *a, GLOBAL int *out) {
  int i = global_id(), n = 512, lane = thread() & 63;
  int x = a[i];
  out[i] = __builtin_amdgcn_ds_bpermute(((lane * 7 + 3) & 63) * 4, x);
  out[n + i] = __builtin_amdgcn_readlane(x, 17) + __builtin_amdgcn_readfirstlane(x);
  out[2 * n + i] = __builtin_amdgcn_update_dpp(-1, x, 0x111, 0xf, 0xf, 0);   // row_shr:1
  out[3 * n + i] = __builtin_amdgcn_update_dpp(0, x, 0x1b, 0xf, 0xf, 1);     // quad_perm [3,2,1,0]
  out[4 * n + i] = __builtin_amdgcn_update_dpp(x, x, 0x142, 0xa, 0xf, 0);    // row_bcast:15, rows 1 and 3
  u64 votes = __builtin_amdgcn_ballot_w64(x > 0);
  out[5 * n + i] = __builtin_amdgcn_mbcnt_hi((u32)(votes >> 32), __builtin_amdgcn_mbcnt_lo((u32)votes, 0));
  out[6 * n + i] = __builtin_amdgcn_ds_swizzle(x, 0x041f); // xor of the lane number with 1
}

KERNEL atomics(GLOBAL const u32 *a, GLOBAL u32 *bins, GLOBAL u32 *top, GLOBAL float *total, int n) {
  LDS u32 local[16];
  int t = thread(), i = global_id();
  if (t < 16)
    local[t] = 0;
  barrier();
  if (i < n) {
    u32 x = a[i];
    __scoped_atomic_fetch_add(&local[x & 15], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    __scoped_atomic_fetch_max(top, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_add(total, (float)(x & 7), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  }
  barrier();
  if (t < 16)
    __scoped_atomic_fetch_add(&bins[t], local[t], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

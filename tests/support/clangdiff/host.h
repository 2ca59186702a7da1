// The host side of generated programs: every lane of a workgroup is a fiber, and builtins have a model in C.
// Lanes meet at barriers and at operations across lanes, which see the values of the lanes that take part.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define GLOBAL
#define CONSTANT
#define SHARED(T, name, n) static T name[n]
#define LDSPTR(T) T *
#define NOINLINE static __attribute__((noinline))
#define KERNEL(name, size) static void name
#define THREAD ((u32)hk_self)
#define GROUP ((u32)hk_group)
#define LANE ((u32)(hk_self & 63))

// Older compiler runtimes lack it: to the nearest bf16, ties to even.
bf16 __truncsfbf2(f32 x) {
  u32 b = bits_f32(x);
  u16 r = (u16)((b & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : (b + 0x7fffu + (b >> 16 & 1)) >> 16);
  return __builtin_bit_cast(bf16, r);
}

enum { MAX_LANES = 256, STACK = 65536 };
struct meeting {
  int members, arrived, generation;
};
static int hk_self, hk_group, hk_block;
static ucontext_t hk_contexts[MAX_LANES], hk_main;
static int hk_done[MAX_LANES];
static char hk_stacks[MAX_LANES][STACK] __attribute__((aligned(64)));
static struct meeting hk_all, hk_whole[4], hk_part[4], *hk_team[MAX_LANES];
static u64 hk_active[4];
static u64 hk_values[MAX_LANES], hk_second[MAX_LANES];

static void hk_yield(void) {
  int from = hk_self, to = from;
  do
    to = (to + 1) % hk_block;
  while (hk_done[to] && to != from);
  if (hk_done[to]) {
    setcontext(&hk_main);
  }
  if (to == from) {
    fprintf(stderr, "a lane waits for lanes that have ended\n");
    exit(3);
  }
  hk_self = to;
  swapcontext(&hk_contexts[from], &hk_contexts[to]);
}
static void hk_meet(struct meeting *it) {
  if (++it->arrived == it->members) {
    it->arrived = 0;
    it->generation++;
    return;
  }
  int generation = it->generation;
  for (int patience = 1000000; it->generation == generation; patience--) {
    if (!patience) {
      fprintf(stderr, "lanes wait for each other in different places\n");
      exit(3);
    }
    hk_yield();
  }
}
#define WAVE (hk_self >> 6)
static void BARRIER(void) { hk_meet(&hk_all); }
static void hk_share(u64 x) {
  hk_values[hk_self] = x;
  hk_meet(hk_team[hk_self]);
}
#define HK_END(x)                    \
  do {                               \
    __typeof__(x) result = (x);      \
    hk_meet(hk_team[hk_self]);       \
    return result;                   \
  } while (0)
static int hk_lane_active(int lane) { return lane >= 0 && lane < 64 && (hk_active[WAVE] >> lane & 1); }
static u32 hk_of(int lane) { return (u32)hk_values[(hk_self & ~63) + lane]; }

static u64 BALLOT(int cond) {
  hk_share(cond != 0);
  u64 mask = 0;
  for (int lane = 0; lane < 64; lane++)
    if (hk_lane_active(lane) && hk_of(lane))
      mask |= 1ull << lane;
  HK_END(mask);
}
static u64 hk_saved[4];
static void hk_enter(int cond) {
  u64 mask = BALLOT(cond);
  hk_saved[WAVE] = hk_active[WAVE];
  hk_part[WAVE].members = __builtin_popcountll(mask);
  hk_meet(&hk_whole[WAVE]);
  hk_active[WAVE] = mask;
  hk_meet(&hk_whole[WAVE]);
  if (cond)
    hk_team[hk_self] = &hk_part[WAVE];
}
static void hk_leave(void) {
  hk_team[hk_self] = &hk_whole[WAVE];
  hk_meet(&hk_whole[WAVE]);
  hk_active[WAVE] = hk_saved[WAVE];
  hk_meet(&hk_whole[WAVE]);
}
#define MASKED(cond, ...) \
  do {                     \
    int in_ = !!(cond);    \
    hk_enter(in_);         \
    if (in_) {             \
      __VA_ARGS__            \
    }                      \
    hk_leave();            \
  } while (0)

static int hk_dpp_source(int lane, u32 ctrl) {
  int row = lane & ~15, in = lane & 15;
  if (ctrl < 0x100)
    return (lane & ~3) | (ctrl >> (2 * (lane & 3)) & 3);
  int n = ctrl & 15;
  switch (ctrl & ~15u) {
  case 0x100: return in + n < 16 ? lane + n : -1;  // row_shl
  case 0x110: return in - n >= 0 ? lane - n : -1;  // row_shr
  case 0x120: return row | ((in - n) & 15);        // row_ror
  case 0x150: return row | n;                      // row_newbcast
  }
  switch (ctrl) {
  case 0x130: return lane + 1 < 64 ? lane + 1 : -1;  // wave_shl
  case 0x134: return (lane + 1) & 63;                // wave_rol
  case 0x138: return lane - 1;                       // wave_shr
  case 0x13c: return (lane - 1) & 63;                // wave_ror
  case 0x140: return row | (15 - in);                // row_mirror
  case 0x141: return (lane & ~7) | (7 - (lane & 7)); // row_half_mirror
  case 0x142: return lane >= 16 ? row - 1 : -1;      // row_bcast:15
  case 0x143: return lane >= 32 ? 31 : -1;           // row_bcast:31
  }
  return -1;
}
static u32 DPP(u32 old, u32 x, u32 ctrl, u32 rows, u32 banks, int bound) {
  hk_share(x);
  int lane = hk_self & 63, source = hk_dpp_source(lane, ctrl);
  int enabled = (rows >> (lane >> 4) & 1) && (banks >> (lane >> 2 & 3) & 1);
  u32 r = !enabled ? old : hk_lane_active(source) ? hk_of(source) : bound ? 0 : old;
  HK_END(r);
}
static u32 READLANE(u32 x, u32 lane) {
  hk_share(x);
  HK_END(hk_of(lane & 63));
}
static u32 READFIRST(u32 x) {
  hk_share(x);
  HK_END(hk_of(__builtin_ctzll(hk_active[WAVE])));
}
static u32 BPERMUTE(u32 lane, u32 x) {
  hk_share(x);
  HK_END(hk_lane_active(lane & 63) ? hk_of(lane & 63) : 0u);
}
static u32 PERMUTE(u32 lane, u32 x) {
  hk_second[hk_self] = lane & 63;
  hk_share(x);
  u32 r = 0;
  for (int from = 0; from < 64; from++)
    if (hk_lane_active(from) && (int)hk_second[(hk_self & ~63) + from] == (hk_self & 63))
      r = hk_of(from);
  HK_END(r);
}
static u32 SWIZZLE(u32 x, u32 pattern) {
  hk_share(x);
  int lane = hk_self & 63, source;
  if (pattern >> 14 == 3)  // rotate in groups of 32
    source = (lane & 32) | ((((pattern >> 10 & 1) ? lane - (pattern >> 5 & 31) : lane + (pattern >> 5 & 31)) & ~(pattern & 31)) & 31) | (lane & pattern & 31);
  else if (pattern >> 15)
    source = (lane & ~3) | (pattern >> (2 * (lane & 3)) & 3);
  else
    source = (lane & 32) | ((((lane & pattern) | pattern >> 5) ^ pattern >> 10) & 31);
  HK_END(hk_lane_active(source) ? hk_of(source) : 0u);
}
static u32 hk_reduce(int op, u32 x) {
  hk_share(x);
  u32 r = 0;
  int first = 1;
  for (int lane = 0; lane < 64; lane++)
    if (hk_lane_active(lane)) {
      u32 y = hk_of(lane);
      if (first && op != 1)
        r = y;
      else
        switch (op) {
        case 0: r += y; break;
        case 1: r -= y; break;
        case 2: r &= y; break;
        case 3: r |= y; break;
        case 4: r ^= y; break;
        case 5: r = min_u32(r, y); break;
        case 6: r = max_u32(r, y); break;
        case 7: r = (u32)min_i32(r, y); break;
        case 8: r = (u32)max_i32(r, y); break;
        }
      first = 0;
    }
  HK_END(r);
}
enum { hk_add_u32, hk_sub_u32, hk_and_b32, hk_or_b32, hk_xor_b32, hk_min_u32, hk_max_u32, hk_min_i32, hk_max_i32 };
#define WAVE_REDUCE(op, x) hk_reduce(hk_##op, x)
#define MBCNT(mask, x) ((u32)(__builtin_popcountll((mask) & ((1ull << LANE) - 1)) + (x)))
#define INVERSE_BALLOT(mask) ((u32)((mask) >> LANE & 1))
static u32x2 hk_swap(u32 a, u32 b, int width) {
  hk_second[hk_self] = b;
  hk_share(a);
  int lane = hk_self & 63, base = hk_self & ~63;
  u32x2 r = {a, b};  // odd halves of a and even halves of b change places
  if (lane & width)
    r.x = (u32)hk_second[base + lane - width];
  else
    r.y = (u32)hk_values[base + lane + width];
  HK_END(r);
}
#define SWAP16(a, b) hk_swap(a, b, 16)
#define SWAP32(a, b) hk_swap(a, b, 32)

#define ATOMIC(op, ptr, x) hk_##op(ptr, x)
#define ATOMIC_DEVICE(op, ptr, x) hk_##op(ptr, x)
#define HK_ATOMIC(op, expression) \
  ({ __typeof__(*(p_)) old = *p_, v = (x_); *p_ = (expression); old; })
#define hk_add(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(add, old + v); })
#define hk_sub(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(sub, old - v); })
#define hk_and(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(and, old & v); })
#define hk_or(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(or, old | v); })
#define hk_xor(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(xor, old ^ v); })
#define hk_min(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(min, old < v ? old : v); })
#define hk_max(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(max, old > v ? old : v); })
#define EXCHANGE(p, x) ({ __typeof__(p) p_ = (p); __typeof__(*p) x_ = (x); HK_ATOMIC(xchg, v); })
#define COMPARE_EXCHANGE(ptr, expected, x) __atomic_compare_exchange_n(ptr, expected, x, 0, 0, 0)
#define ADD_HALVES(p, x) \
  ({ f16x2 *p_ = (p); f16x2 old_ = *p_; *p_ = old_ + (x); bits_f16x2(old_); })
static u32 hk_count(i32 *p, int sign) {
  u64 active = BALLOT(1);
  hk_share(0);
  u32 old = (u32)*p;
  hk_meet(hk_team[hk_self]);
  if ((hk_self & 63) == __builtin_ctzll(active))
    *p += sign * __builtin_popcountll(active);
  HK_END(old);
}
#define APPEND(p) hk_count(p, 1)
#define CONSUME(p) hk_count(p, -1)
#define ATOMIC_INC(p, x) ({ __typeof__(p) p_ = (p); u32 x_ = (x); HK_ATOMIC(inc, old >= v ? 0 : old + 1); })
#define ATOMIC_DEC(p, x) ({ __typeof__(p) p_ = (p); u32 x_ = (x); HK_ATOMIC(dec, old == 0 || old > v ? v : old - 1); })
#define ATOMIC_INC64(p, x) ({ __typeof__(p) p_ = (p); u64 x_ = (x); HK_ATOMIC(inc, old >= v ? 0 : old + 1); })
#define ATOMIC_DEC64(p, x) ({ __typeof__(p) p_ = (p); u64 x_ = (x); HK_ATOMIC(dec, old == 0 || old > v ? v : old - 1); })

struct hk_arguments {
  u8 *in, *out, *mem;
  u32 k0;
  u64 k1;
  f32 k2;
};
typedef void (*hk_program)(CONSTANT const u8 *, GLOBAL u8 *, GLOBAL u8 *, u32, u64, f32);
static hk_program hk_entry;
static struct hk_arguments hk_arguments;
static void hk_fiber(void) {
  struct hk_arguments *a = &hk_arguments;
  hk_entry(a->in, a->out, a->mem, a->k0, a->k1, a->k2);
  hk_done[hk_self] = 1;
  for (;;) {
    int any = 0;
    for (int i = 0; i < hk_block; i++)
      any |= !hk_done[i];
    if (!any)
      setcontext(&hk_main);
    hk_yield();
  }
}
static void hk_run(hk_program program, int groups, int block) {
  hk_entry = program;
  hk_block = block;
  for (hk_group = 0; hk_group < groups; hk_group++) {
    hk_all = (struct meeting){block, 0, 0};
    for (int wave = 0; wave * 64 < block; wave++) {
      int lanes = block - 64 * wave < 64 ? block - 64 * wave : 64;
      hk_whole[wave] = (struct meeting){lanes, 0, 0};
      hk_part[wave] = (struct meeting){0, 0, 0};
      hk_active[wave] = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
    }
    for (int i = 0; i < block; i++) {
      hk_done[i] = 0;
      hk_team[i] = &hk_whole[i >> 6];
      getcontext(&hk_contexts[i]);
      hk_contexts[i].uc_stack.ss_sp = hk_stacks[i];
      hk_contexts[i].uc_stack.ss_size = STACK;
      makecontext(&hk_contexts[i], hk_fiber, 0);
    }
    hk_self = 0;
    swapcontext(&hk_main, &hk_contexts[0]);
  }
}

// Reads one program's buffers from standard input, runs it and writes them back, for each line of the table.
struct hk_row {
  hk_program program;
  int groups, block;
};
static void hk_read(void *at, size_t size) {
  if (fread(at, 1, size, stdin) != size)
    exit(4);
}
static int hk_serve(const struct hk_row *rows, int count) {
  for (int i = 0; i < count; i++) {
    u32 sizes[3];
    struct hk_arguments *a = &hk_arguments;
    hk_read(sizes, sizeof sizes);
    hk_read(&a->k0, 4);
    hk_read(&a->k1, 8);
    hk_read(&a->k2, 4);
    a->in = malloc(sizes[0]);
    a->out = calloc(1, sizes[1]);
    a->mem = malloc(sizes[2]);
    hk_read(a->in, sizes[0]);
    hk_read(a->mem, sizes[2]);
    hk_run(rows[i].program, rows[i].groups, rows[i].block);
    fwrite(a->out, 1, sizes[1], stdout);
    fwrite(a->mem, 1, sizes[2], stdout);
    free(a->in);
    free(a->out);
    free(a->mem);
  }
  return 0;
}

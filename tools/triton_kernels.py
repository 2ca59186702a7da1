"""Triton kernels that serve as outside oracles for hkasm's emulator.

The source is hkasm's own; what makes the kernels oracles is that Triton, not
hkasm, chooses their instructions, waits, layouts and LDS use. They are
compiled by ``tools/triton_oracles.py`` and never run by Triton itself.
"""

import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, m, n, k, lda, ldb, ldc, NT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A @ B^T (NT, B is [n, k]) or A @ B (B is [k, n]); any m, n, k."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc_type = tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32
    acc = tl.zeros((BM, BN), dtype=acc_type)
    for k0 in range(0, k, BK):
        kk = k0 + rk
        ta = tl.load(a + rm[:, None] * lda + kk[None, :], mask=(rm[:, None] < m) & (kk[None, :] < k), other=0.0)
        if NT:
            tb = tl.load(b + rn[:, None] * ldb + kk[None, :], mask=(rn[:, None] < n) & (kk[None, :] < k), other=0.0)
            acc = tl.dot(ta, tb.T, acc, out_dtype=acc_type)
        else:
            tb = tl.load(b + kk[:, None] * ldb + rn[None, :], mask=(kk[:, None] < k) & (rn[None, :] < n), other=0.0)
            acc = tl.dot(ta, tb, acc, out_dtype=acc_type)
    tl.store(
        c + rm[:, None] * ldc + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n)
    )


@triton.jit
def gemm_even(a, b, c, k, lda, ldb, ldc, NT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A @ B^T or A @ B without masks: m, n, k are multiples of the tile."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * lda + rk[None, :]
    pb = b + (rn[:, None] * ldb + rk[None, :] if NT else rk[:, None] * ldb + rn[None, :])
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, k, BK):
        ta = tl.load(pa)
        tb = tl.load(pb)
        acc = tl.dot(ta, tb.T if NT else tb, acc)
        pa += BK
        pb += BK if NT else BK * ldb
    tl.store(c + rm[:, None] * ldc + rn[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def gemm_scaled(
    a,
    b,
    sa,
    sb,
    c,
    k,
    FA: tl.constexpr,
    FB: tl.constexpr,
    PA: tl.constexpr,
    PB: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """C = (A * scale_a) @ (B * scale_b)^T, E8M0 scales per 32 elements of K.

    PA, PB: elements a byte (2 for e2m1). A is [m, k/PA], B is [n, k/PB], scales [m|n, k/32].
    """
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    ra = tl.arange(0, BK // PA)
    rb = tl.arange(0, BK // PB)
    rs = tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, k, BK):
        ta = tl.load(a + rm[:, None] * (k // PA) + (k0 // PA + ra)[None, :])
        tb = tl.load(b + rn[:, None] * (k // PB) + (k0 // PB + rb)[None, :])
        xa = tl.load(sa + rm[:, None] * (k // 32) + (k0 // 32 + rs)[None, :])
        xb = tl.load(sb + rn[:, None] * (k // 32) + (k0 // 32 + rs)[None, :])
        acc = tl.dot_scaled(ta, xa, FA, tb.T, xb, FB, acc)
    ldc = tl.num_programs(1) * BN
    tl.store(c + rm[:, None] * ldc + rn[None, :], acc)


@triton.jit
def attention(q, k, v, o, scale, length, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """o = softmax(q k^T scale) v with a running maximum; one head a grid row y."""
    pm = tl.program_id(0)
    head = tl.program_id(1) * length * D
    rm = pm * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    tq = tl.load(q + head + rm[:, None] * D + rd[None, :])
    top = tl.full((BM,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    end = (pm + 1) * BM if CAUSAL else length
    factor = scale * 1.4426950408889634
    for n0 in range(0, end, BN):
        rn = n0 + tl.arange(0, BN)
        tk = tl.load(k + head + rn[:, None] * D + rd[None, :])
        s = tl.dot(tq, tk.T) * factor
        if CAUSAL:
            s = tl.where(rm[:, None] >= rn[None, :], s, float("-inf"))
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new_top[:, None])
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(p, 1)
        tv = tl.load(v + head + rn[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tv.dtype), tv, acc * fade[:, None])
        top = new_top
    acc = acc / total[:, None]
    tl.store(o + head + rm[:, None] * D + rd[None, :], acc.to(o.dtype.element_ty))


@triton.jit
def axpy(x, y, alpha, n, BLOCK: tl.constexpr):
    """y += alpha * x."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.load(y + i, mask=inside) + alpha * tl.load(x + i, mask=inside), mask=inside)


@triton.jit
def gelu(x, y, n, BLOCK: tl.constexpr):
    """y = x * 0.5 * (1 + tanh(...)), the tanh written with exp."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    t = tl.load(x + i, mask=inside).to(tl.float32)
    u = 0.7978845608028654 * (t + 0.044715 * t * t * t)
    e = tl.exp(-2.0 * tl.abs(u))
    tanh = tl.where(u < 0, -1.0, 1.0) * (1.0 - e) / (1.0 + e)
    tl.store(y + i, (0.5 * t * (1.0 + tanh)).to(y.dtype.element_ty), mask=inside)


@triton.jit
def transcendental(x, y, n, BLOCK: tl.constexpr):
    """y[0..8, i] = exp, log, exp2, log2, sin, cos, sqrt, rsqrt, erf of x[i]; x is positive."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    t = tl.load(x + i, mask=inside, other=1.0)
    tl.store(y + i, tl.exp(t), mask=inside)
    tl.store(y + n + i, tl.log(t), mask=inside)
    tl.store(y + 2 * n + i, tl.exp2(t), mask=inside)
    tl.store(y + 3 * n + i, tl.log2(t), mask=inside)
    tl.store(y + 4 * n + i, tl.sin(t), mask=inside)
    tl.store(y + 5 * n + i, tl.cos(t), mask=inside)
    tl.store(y + 6 * n + i, tl.sqrt(t), mask=inside)
    tl.store(y + 7 * n + i, tl.rsqrt(t), mask=inside)
    tl.store(y + 8 * n + i, tl.erf(t), mask=inside)


@triton.jit
def softmax(x, y, columns, stride, BLOCK: tl.constexpr):
    """y[row] = softmax(x[row]), one workgroup a row."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    t = tl.load(x + row * stride + i, mask=inside, other=float("-inf")).to(tl.float32)
    e = tl.exp(t - tl.max(t, 0))
    tl.store(y + row * stride + i, (e / tl.sum(e, 0)).to(y.dtype.element_ty), mask=inside)


@triton.jit
def layernorm(x, w, b, y, columns, stride, eps, BLOCK: tl.constexpr):
    """y[row] = (x[row] - mean) / sqrt(variance + eps) * w + b, one workgroup a row."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    t = tl.load(x + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(t, 0) / columns
    d = tl.where(inside, t - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, 0) / columns + eps)
    tw = tl.load(w + i, mask=inside).to(tl.float32)
    tb = tl.load(b + i, mask=inside).to(tl.float32)
    tl.store(y + row * stride + i, (d * rstd * tw + tb).to(y.dtype.element_ty), mask=inside)


@triton.jit
def reduce_rows(x, total, top, where, columns, BLOCK: tl.constexpr):
    """Sum, maximum and index of the maximum of each row."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    t = tl.load(x + row * columns + i, mask=inside, other=float("-inf"))
    tl.store(total + row, tl.sum(tl.where(inside, t, 0.0), 0))
    tl.store(top + row, tl.max(t, 0))
    tl.store(where + row, tl.argmax(t, 0).to(tl.int32))


@triton.jit
def reduce_columns(x, y, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    """y[column] = sum over rows; a reduction across waves."""
    rc = tl.program_id(0) * BC + tl.arange(0, BC)
    acc = tl.zeros((BR, BC), dtype=tl.float32)
    for r0 in range(0, rows, BR):
        rr = r0 + tl.arange(0, BR)
        acc += tl.load(
            x + rr[:, None] * columns + rc[None, :], mask=(rr[:, None] < rows) & (rc[None, :] < columns), other=0.0
        )
    tl.store(y + rc, tl.sum(acc, 0), mask=rc < columns)


@triton.jit
def scan(x, y, BLOCK: tl.constexpr):
    """y[row] = inclusive prefix sum of x[row], int32."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def sort_rows(x, y, BLOCK: tl.constexpr):
    """y[row] = x[row] in ascending order, int32."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.sort(tl.load(x + i)))


@triton.jit
def transpose(x, y, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    """y[column, row] = x[row, column]."""
    rr = tl.program_id(0) * BR + tl.arange(0, BR)
    rc = tl.program_id(1) * BC + tl.arange(0, BC)
    t = tl.load(x + rr[:, None] * columns + rc[None, :], mask=(rr[:, None] < rows) & (rc[None, :] < columns))
    tl.store(y + rc[:, None] * rows + rr[None, :], t.T, mask=(rc[:, None] < columns) & (rr[None, :] < rows))


@triton.jit
def gather(x, index, y, n, BLOCK: tl.constexpr):
    """y[i] = x[index[i]] where index[i] >= 0, else -1."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    j = tl.load(index + i, mask=inside, other=-1)
    tl.store(y + i, tl.load(x + j, mask=inside & (j >= 0), other=-1.0), mask=inside)


@triton.jit
def histogram_atomic(x, bins, n, BLOCK: tl.constexpr):
    """bins[x[i]] += 1 by atomics."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.atomic_add(bins + tl.load(x + i, mask=inside, other=0), 1, mask=inside)


@triton.jit
def atomics(x, z, total, top, low, bits, swap, n, BLOCK: tl.constexpr):
    """Float add, integer maximum, minimum, xor and compare-and-swap on single cells."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    t = tl.load(x + i, mask=inside, other=0.0)
    tl.atomic_add(total + i % 4, t, mask=inside)
    u = tl.load(z + i, mask=inside, other=0)
    tl.atomic_max(top + i * 0, u, mask=inside)
    tl.atomic_min(low + i * 0, u, mask=inside)
    tl.atomic_xor(bits + i * 0, u, mask=inside)
    tl.atomic_cas(swap + tl.program_id(0), 7, tl.program_id(0) + 100)


@triton.jit
def integer_division(x, d, q, r, n, BLOCK: tl.constexpr):
    """q = x // d, r = x % d, truncating; the width is that of the arguments."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    t = tl.load(x + i, mask=inside, other=0)
    by = tl.load(d + i, mask=inside, other=1)
    tl.store(q + i, t // by, mask=inside)
    tl.store(r + i, t % by, mask=inside)


@triton.jit
def convert(x, y, n, BLOCK: tl.constexpr):
    """y = x in another number format, through float32."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    t = tl.load(x + i, mask=inside, other=0.0)
    tl.store(y + i, t.to(tl.float32).to(y.dtype.element_ty), mask=inside)


@triton.jit
def divergent(x, y, n, BLOCK: tl.constexpr):
    """y = length of the Collatz path of x, a loop that ends when every lane has ended."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    t = tl.load(x + i, mask=inside, other=1)
    steps = tl.zeros((BLOCK,), dtype=tl.int32)
    while tl.max((t != 1).to(tl.int32), 0) > 0:
        steps += (t != 1).to(tl.int32)
        t = tl.where(t == 1, 1, tl.where(t % 2 == 0, t // 2, 3 * t + 1))
    tl.store(y + i, steps, mask=inside)


@triton.jit
def random_uniform(y, seed, n, BLOCK: tl.constexpr):
    """y[i] = Philox 4x32-10 random word of counter i, as uint32 (64-bit products)."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.randint(seed, i), mask=i < n)

"""NumPy references of the foreign kernels, by the names that the manifests use.

A reference takes the buffers before the launch, the values of the other arguments and the manifest's record; it
returns what the written buffers must hold, in float64 or exact integers, unless the kernel is exact in its own type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
Values = dict[str, Any]
Entry = dict[str, Any]
Reference = Callable[[Arrays, Values, Entry], Arrays]

REFERENCES: dict[str, Reference] = {}

_FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def reference(function: Reference) -> Reference:
    """Register a reference under its own name."""
    REFERENCES[function.__name__] = function
    return function


def wide(array: Array) -> Array:
    """Integers as int64, all else as float64."""
    return array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)


@reference
def gemm_nt(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"c": wide(x["a"]) @ wide(x["b"]).T}


@reference
def gemm_nn(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"c": wide(x["a"]) @ wide(x["b"])}


@reference
def gemm_nt_xf32(x: Arrays, v: Values, e: Entry) -> Arrays:
    """The matrix units of gfx942 cut float32 sources to 10 fraction bits (MMA-Sim, measured on MI300X)."""
    cut = (np.ascontiguousarray(x[name]).view(np.uint32) & np.uint32(0xFFFFE000) for name in "ab")
    a, b = (wide(bits.view(np.float32)) for bits in cut)
    return {"c": a @ b.T}


def _unscale(values: Array, scales: Array, packed: bool) -> Array:
    if packed:
        values = np.stack([_FP4[values & 15], _FP4[values >> 4]], axis=-1).reshape(values.shape[0], -1)
    factors = np.repeat(2.0 ** (scales.astype(np.float64) - 127), 32, axis=1)
    product: Array = values.astype(np.float64) * factors
    return product


@reference
def gemm_scaled(x: Arrays, v: Values, e: Entry) -> Arrays:
    packed_a, packed_b = e["constexprs"]["PA"] == 2, e["constexprs"]["PB"] == 2
    return {"c": _unscale(x["a"], x["sa"], packed_a) @ _unscale(x["b"], x["sb"], packed_b).T}


def _attention(x: Arrays, v: Values, causal: bool) -> Arrays:
    q, k, w = (x[name].astype(np.float64) for name in "qkv")
    s = q @ k.swapaxes(1, 2) * np.float64(np.float32(v["scale"]))
    if causal:
        s = np.where(np.tri(s.shape[1], dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    return {"o": p / p.sum(-1, keepdims=True) @ w}


@reference
def attention(x: Arrays, v: Values, e: Entry) -> Arrays:
    return _attention(x, v, False)


@reference
def attention_causal(x: Arrays, v: Values, e: Entry) -> Arrays:
    return _attention(x, v, True)


@reference
def axpy(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"y": wide(x["y"]) + v["alpha"] * wide(x["x"])}


@reference
def gelu(x: Arrays, v: Values, e: Entry) -> Arrays:
    t = wide(x["x"])
    return {"y": 0.5 * t * (1 + np.tanh(0.7978845608028654 * (t + 0.044715 * t**3)))}


@reference
def transcendental(x: Arrays, v: Values, e: Entry) -> Arrays:
    t = wide(x["x"])
    erf = np.array([math.erf(float(value)) for value in t])
    rows = (np.exp(t), np.log(t), np.exp2(t), np.log2(t), np.sin(t), np.cos(t), np.sqrt(t), 1 / np.sqrt(t), erf)
    return {"y": np.stack(rows)}


@reference
def softmax(x: Arrays, v: Values, e: Entry) -> Arrays:
    t = wide(x["x"])
    n = v["columns"]
    out = np.zeros_like(t)
    p = np.exp(t[:, :n] - t[:, :n].max(1, keepdims=True))
    out[:, :n] = p / p.sum(1, keepdims=True)
    return {"y": out}


@reference
def layernorm(x: Arrays, v: Values, e: Entry) -> Arrays:
    t = wide(x["x"])
    n = v["columns"]
    out = np.zeros_like(t)
    d = t[:, :n] - t[:, :n].mean(1, keepdims=True)
    out[:, :n] = d / np.sqrt((d * d).mean(1, keepdims=True) + v["eps"]) * wide(x["w"]) + wide(x["b"])
    return {"y": out}


@reference
def reduce_rows(x: Arrays, v: Values, e: Entry) -> Arrays:
    t = wide(x["x"])
    return {"total": t.sum(1), "top": t.max(1), "where": t.argmax(1)}


@reference
def reduce_columns(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"y": wide(x["x"]).sum(0)}


@reference
def scan(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"y": np.cumsum(x["x"], axis=1, dtype=np.int32)}


@reference
def sort_rows(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"y": np.sort(x["x"], axis=1)}


@reference
def transpose(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"y": x["x"].T}


@reference
def gather(x: Arrays, v: Values, e: Entry) -> Arrays:
    index = x["index"]
    return {"y": np.where(index >= 0, x["x"][np.maximum(index, 0)], np.float32(-1))}


@reference
def collatz(x: Arrays, v: Values, e: Entry) -> Arrays:
    t = x["x"].astype(np.int64)
    steps = np.zeros_like(t)
    while (t != 1).any():
        steps += t != 1
        t = np.where(t == 1, 1, np.where(t % 2 == 0, t // 2, 3 * t + 1))
    return {"y": steps}


@reference
def philox(x: Arrays, v: Values, e: Entry) -> Arrays:
    """Philox 4x32-10 (Salmon et al., SC 2011), word 0 of counter (i, 0, 0, 0)."""
    mask = np.uint64(0xFFFFFFFF)
    c0 = np.arange(v["n"], dtype=np.uint64)
    c1 = c2 = c3 = np.zeros_like(c0)
    k0, k1 = int(v["seed"]), 0
    for _ in range(10):
        high, low = np.uint64(0xCD9E8D57) * c2, np.uint64(0xD2511F53) * c0
        c0 = (high >> np.uint64(32)) ^ c1 ^ np.uint64(k0)
        c2 = (low >> np.uint64(32)) ^ c3 ^ np.uint64(k1)
        c1, c3 = high & mask, low & mask
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return {"y": c0}


@reference
def histogram(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"bins": x["bins"] + np.bincount(x["x"], minlength=x["bins"].size)}


@reference
def atomics(x: Arrays, v: Values, e: Entry) -> Arrays:
    total = wide(x["total"])
    np.add.at(total, np.arange(v["n"]) % 4, wide(x["x"]))
    workgroups = np.arange(x["swap"].size)
    return {
        "total": total,
        "top": np.maximum(x["top"], x["z"].max()),
        "low": np.minimum(x["low"], x["z"].min()),
        "bits": x["bits"] ^ np.bitwise_xor.reduce(x["z"]),
        "swap": np.where(x["swap"] == 7, workgroups + 100, x["swap"]),
    }


def _divide(a: Array, b: Array) -> tuple[Array, Array]:
    """Truncating quotient and its remainder, as C has them."""
    q = np.array([abs(int(p)) // abs(int(d)) * (1 if (p < 0) == (d < 0) else -1) for p, d in zip(a, b, strict=True)])
    return q, a.astype(object) - q.astype(object) * b.astype(object)


@reference
def division(x: Arrays, v: Values, e: Entry) -> Arrays:
    q, r = _divide(x["x"], x["d"])
    return {"q": q, "r": r}


@reference
def convert(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"y": x["x"].astype(np.float32).astype(x["y"].dtype)}


# The C kernels of tests/data/clang.


@reference
def vector_add(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"c": x["a"] + x["b"]}


@reference
def fill_ids(x: Arrays, v: Values, e: Entry) -> Arrays:
    grid = e["grid"][0] * e["block"][0]
    return {"out": np.arange(v["n"]) + (grid << 16)}


def _bits(rows: list[list[int]], width: int) -> Array:
    """Columns of Python integers, wrapped to signed words of that width."""
    mask, half = (1 << width) - 1, 1 << (width - 1)
    wrapped = [[((value & mask) ^ half) - half for value in row] for row in rows]
    return np.array(wrapped, np.int64).T


def _quotient(p: int, d: int) -> tuple[int, int]:
    q = abs(p) // abs(d) * (1 if (p < 0) == (d < 0) else -1)
    return q, p - q * d


def _signed(value: int, width: int) -> int:
    half = 1 << (width - 1)
    return ((value & (2 * half - 1)) ^ half) - half


@reference
def integer_ops(x: Arrays, v: Values, e: Entry) -> Arrays:
    rows = []
    for p, d in zip(x["a"].tolist(), x["b"].tolist(), strict=True):
        u, w = p & 0xFFFFFFFF, d & 0xFFFFFFFF
        q, r = _quotient(p, d)
        s = w & 31
        leading = 32 - (u | 1).bit_length()
        z = u | 0x80000000
        trailing = (z & -z).bit_length() - 1
        swapped = int.from_bytes(u.to_bytes(4, "little"), "big")
        halves = (_signed(p, 16) + _signed(d, 8), (u & 0xFFFF) * (w & 0xFF))
        counts = u.bit_count() + 64 * leading + 4096 * trailing
        mixed = swapped ^ ((u << 7 | u >> 25) & 0xFFFFFFFF)
        reverse = int(f"{u:032b}"[::-1], 2)
        row = [p + d, p * d, p * d >> 32, u * w >> 32, q, r, u // w, u % w, p << s, p >> s, u >> s]
        rows.append([*row, min(p, d), max(u, w), counts, reverse, mixed, *halves])
    return {"out": _bits(rows, 32)}


@reference
def integer64_ops(x: Arrays, v: Values, e: Entry) -> Arrays:
    mask = (1 << 64) - 1
    rows = []
    for p, d in zip(x["a"].tolist(), x["b"].tolist(), strict=True):
        u, w = p & mask, d & mask
        q, r = _quotient(p, d)
        s = w & 63
        counts = u.bit_count() + 128 * (64 - (u | 1).bit_length())
        rows.append([p + d, p * d, q, r, u // w, u % w, p << s, p >> s, u >> s, -p if p < d else ~d, counts])
    return {"out": _bits(rows, 64)}


def _fma32(a: Array, b: Array, c: float) -> Array:
    """a * b + c with one rounding: the float64 sum is rounded to odd first, so that the second rounding is exact."""
    product = a.astype(np.float64) * b.astype(np.float64)
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    odd = total.view(np.int64)
    nudge = np.where((error > 0) == (total > 0), 1, -1)
    odd = np.where((error != 0) & (odd & 1 == 0), odd + np.where(nudge > 0, 1, -1), odd)
    rounded: Array = odd.view(np.float64).astype(np.float32)
    return rounded


@reference
def float_ops(x: Arrays, v: Values, e: Entry) -> Arrays:
    a, b = x["a"], x["b"]
    a64, b64, f = a.astype(np.float64), b.astype(np.float64), np.float32
    rows = (
        a + b,
        a - b,
        a * b,
        a / b,
        _fma32(a, b, 1.5),
        np.sqrt(np.abs(a)),
        np.floor(a) + np.ceil(b),
        np.trunc(a) + np.rint(b),
        np.minimum(a, b),
        np.maximum(-a, np.abs(b)),
        a.astype(np.int32).astype(f),
        np.abs(b).astype(np.uint32).astype(f),
        np.where(a < b, a, f(2) * b),
        (a * f(1e6)).astype(np.int64).astype(f),
        (a64 / b64).astype(f),
        (a64 * b64 + 0.1).astype(f),
    )
    return {"out": np.stack(rows)}


@reference
def double_ops(x: Arrays, v: Values, e: Entry) -> Arrays:
    a, b = x["a"], x["b"]
    half = Fraction(1, 2)
    fused = [float(Fraction(p) * Fraction(d) + half) for p, d in zip(a.tolist(), b.tolist(), strict=True)]
    rows = (
        a + b,
        a * b,
        a / b,
        np.array(fused),
        np.floor(a) - np.ceil(b),
        np.where(a < b, a, -b),
        np.trunc(a * 1e6),
        np.trunc(b * 16.0),
        np.sqrt(np.abs(a)),
    )
    return {"out": np.stack(rows)}


@reference
def narrow(x: Arrays, v: Values, e: Entry) -> Arrays:
    b, h = x["a"].astype(ml_dtypes.bfloat16), x["a"].astype(np.float16)
    back = (b.astype(np.float32), h.astype(np.float32), (h * h + h).astype(np.float32))
    return {"b": b, "h": h, "back": np.stack(back)}


@reference
def reduce_blocks(x: Arrays, v: Values, e: Entry) -> Arrays:
    padded = np.zeros(e["grid"][0] * 256)
    padded[: v["n"]] = x["a"]
    return {"out": padded.reshape(-1, 256).sum(1)}


@reference
def scan_rows(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"out": np.cumsum(x["a"], axis=1, dtype=np.uint32)}


@reference
def divergent_steps(x: Arrays, v: Values, e: Entry) -> Arrays:
    out = []
    for value in x["a"].tolist():
        steps = odd = 0
        while value > 1:
            steps += 1
            if steps == 100:
                break
            if value & 1:
                odd += 1
                value = 3 * value + 1
                if odd % 5 == 4:
                    continue
            value >>= 2 if value & 3 == 0 else 1
        out.append(steps | odd << 16)
    return {"out": np.array(out)}


@reference
def private_sort(x: Arrays, v: Values, e: Entry) -> Arrays:
    box = np.sort(x["a"], axis=1).astype(np.int64)
    picked = np.take_along_axis(box, box & 7, axis=1)
    return {"out": box * 16 + np.fmod(picked, 16)}


@reference
def lanes(x: Arrays, v: Values, e: Entry) -> Arrays:
    a = x["a"].reshape(-1, 64)
    lane = np.arange(64)
    shifted = np.where(lane % 16 == 0, -1, a[:, np.maximum(lane - 1, 0)])
    broadcast = np.where(lane // 16 % 2 == 1, a[:, np.maximum(lane // 16 * 16 - 1, 0)], a)
    votes = np.cumsum(a > 0, axis=1) - (a > 0)
    read = np.broadcast_to(a[:, 17:18] + a[:, 0:1], a.shape)
    rows = (a[:, (lane * 7 + 3) & 63], read, shifted, a[:, lane ^ 3], broadcast, votes, a[:, lane ^ 1])
    return {"out": np.stack([row.reshape(-1) for row in rows])}


@reference
def lds_atomics(x: Arrays, v: Values, e: Entry) -> Arrays:
    a = x["a"].astype(np.int64)
    bins = np.bincount(a & 15, minlength=16)
    return {"bins": bins, "top": np.array([a.max()]), "total": np.array([(a & 7).sum()])}


@reference
def mfma(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"d": wide(x["a"]) @ wide(x["b"]).T + wide(x["c"])}


@reference
def mfma_scaled_fp4(x: Arrays, v: Values, e: Entry) -> Arrays:
    return {"d": _unscale(x["a"], x["sa"], True) @ _unscale(x["b"], x["sb"], True).T + wide(x["c"])}

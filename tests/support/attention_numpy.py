"""The attention kernel's algorithm in NumPy with its roundings: what its error is measured against.

Blocks of 64 keys, scores and O added up in f32 once an instruction (16 products on gfx950, 8 on gfx942), weights from
one fma and one exp2 in f32 and rounded once, a row's sum in four parts, the maximum stale by up to 8 log2 units.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hkasm.kernels.attention.declared import BLOCK_KV, QUERIES
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.kernels.attention.softmax import LOG2E, SLACK
from hkasm.kernels.kernel import Array, Arrays

F32 = npt.NDArray[np.float32]
KEYS_OF_SCORE = [n // 16 * 32 + n % 16 // 4 * 8 + n % 4 for n in range(32)]
"""The key of the block that score n of the lower lanes belongs to; the upper lanes have those 4 behind."""


def attend(problem: AttentionProblem, inputs: Arrays, depth: int, outputs: Arrays) -> None:
    """Write O and LSE as the kernel does whose matrix instructions add `depth` products."""
    for number in range(problem.batch):
        seen = problem.visible(number)
        lse = problem._lse(outputs["LSE"], number)
        for head in range(problem.hq):
            group = head // (problem.hq // problem.hkv)
            q, k, v = (problem.sequence(name, inputs[name], number)[head if name == "Q" else group] for name in "QKV")
            for first in range(0, len(q), QUERIES):
                rows = slice(first, first + QUERIES)
                out, sums = _wave(problem.scale, q[rows], k, v, seen[rows], depth)
                problem.sequence("O", outputs["O"], number)[head, rows] = out
                lse[head, rows] = sums


def _ordered(rows: Array, depth: int) -> Array:
    """Return heads as products of `depth` take their elements: of 16, a lane has 8, the upper lanes those behind."""
    size = -(-rows.shape[1] // 16) * 16
    whole = np.zeros((len(rows), size), rows.dtype)
    whole[:, : rows.shape[1]] = rows
    return whole.reshape(len(rows), -1, 2, 16 // depth, depth // 2).swapaxes(2, 3).reshape(len(rows), size)


def _add(into: F32, a: Array, b: Array, depth: int) -> F32:
    """Return into + a b, rounded once for `depth` products."""
    for first in range(0, a.shape[1], depth):
        part = slice(first, first + depth)
        into = (into + a[:, part].astype(np.float64) @ b[part].astype(np.float64)).astype(np.float32)
    return into


def _wave(scale: float, q: Array, k: Array, v: Array, seen: npt.NDArray[np.bool_], depth: int) -> tuple[Array, F32]:
    one, rows = np.float32, len(q)
    c = one(scale) * one(LOG2E)
    slack = one(SLACK) * (one(1) / c)
    top, bound = np.full(rows, -np.inf, one), np.full(rows, -np.inf, one)
    shift, out, total = np.zeros(rows, one), np.zeros((rows, q.shape[1]), one), np.zeros((rows, 2, 2), one)
    for first in range(0, len(k), BLOCK_KV):
        block = slice(first, first + BLOCK_KV)
        keys, values = k[block], v[block]
        scores = _add(np.zeros((rows, len(keys)), one), _ordered(q, depth), _ordered(keys, depth).T, depth)
        scores = np.where(seen[:, block], scores, -np.inf).astype(one)
        found = scores.max(axis=1)
        if (found > bound).any():
            new = np.maximum(top, found)
            with np.errstate(invalid="ignore", over="ignore"):
                moved = np.where(np.isneginf(new), 0, -c * new).astype(one)
                factor = np.where(np.isneginf(top), 0, np.exp2(moved - shift)).astype(one)
            out, total = out * factor[:, None], total * factor[:, None, None]
            top, shift, bound = new, moved, (slack + new).astype(one)
        exact = scores.astype(np.float64) * np.float64(c) + shift[:, None]
        weights = np.exp2(exact.astype(one).astype(np.float64)).astype(one)
        for n, key in enumerate(KEYS_OF_SCORE):
            for upper in (0, 1):
                if key + 4 * upper < len(keys):
                    total[:, upper, n % 2] += weights[:, key + 4 * upper]
        rounded = weights.astype(q.dtype)
        out = _add(out, rounded, values, depth)
    whole = (total[:, 0, 0] + total[:, 0, 1]) + (total[:, 1, 0] + total[:, 1, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.where(whole == 0, 0, one(1) / whole).astype(one)
        lse = (np.log2(whole) - shift) * one(1 / LOG2E)
    return (out * inverse[:, None]).astype(q.dtype), lse.astype(one)

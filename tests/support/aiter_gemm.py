"""Cases of AITER's hand-written matrix products: bf16, i8, fp8 with block scales, MXFP4; and its fused MoE layers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ml_dtypes
import numpy as np
from support.aiter import Array, Case, Data

__all__ = ["cases"]

BF16 = np.dtype(ml_dtypes.bfloat16)


def shuffled_weight(weight: Array) -> Array:
    """Reorder weights [n, k] so that a lane's 16 bytes of a 16 x 64-byte block lie one after the other.

    Blocks of 16 rows and 32 columns of bytes (of 64 for a four-wave read) are cut into columns of 16 bytes, and the 16
    rows of such a column follow each other.
    """
    n, k = weight.shape
    wide = 16 // weight.itemsize
    blocks = weight.reshape(n // 16, 16, k // (2 * wide), 2, wide)
    return np.ascontiguousarray(blocks.transpose(0, 2, 3, 1, 4)).reshape(n, k)


def partial_products(a: Array, b: Array, split: int, step: int) -> list[Array]:
    """Return the products of a and b^T over `split` shares of k, each but the last a multiple of `step`."""
    k = a.shape[1]
    share = -(-k // (split * step)) * step
    return [a[:, start : start + share] @ b[:, start : start + share].T for start in range(0, k, share)]


def cases(hsa: Path) -> Iterator[Case]:
    """Every case whose code object is there."""
    for case in _all():
        if (hsa / case.file).is_file():
            yield case


def _all() -> Iterator[Case]:
    for arch in ("gfx942", "gfx950"):
        yield from _bf16(arch)


# ---- bf16gemm: D[m, n] = A[m, k] B[n, k]^T + bias[n], f32 or bf16 out, K split over the grid's z ---------------------


def _bf16(arch: str) -> Iterator[Case]:
    for stem, tile_m, split, shape in (
        ("bf16gemm_fp32bf16_tn_32x64_pf3_splitk", 32, 1, (70, 128, 256)),
        ("bf16gemm_fp32bf16_tn_64x64_splitk_clean", 64, 3, (100, 128, 512)),
        ("bf16gemm_fp32bf16_tn_96x64_bshuffle_splitk", 96, 1, (130, 128, 320)),
        ("bf16gemm_fp32bf16_tn_48x64_bshuffle_splitk_clean", 48, 2, (50, 192, 256)),
    ):
        for out_bf16, bias in ((True, True), (False, False)):
            yield bf16_case(arch, stem, tile_m, 64, split, shape, out_bf16=out_bf16, bias=bias)


def bf16_case(
    arch: str,
    stem: str,
    tile_m: int,
    tile_n: int,
    split: int,
    shape: tuple[int, int, int],
    *,
    out_bf16: bool,
    bias: bool,
) -> Case:
    """One bf16 product of shape m, n, k; n a multiple of `tile_n`, k of 64."""
    m, n, k = shape
    shuffled = "shuffle" in stem

    def data() -> Data:
        rng = np.random.default_rng(m * n * k)
        a, b = (rng.standard_normal((rows, k)).astype(BF16) for rows in (m, n))
        added = rng.standard_normal(n).astype(BF16)
        parts = partial_products(a.astype(np.float64), b.astype(np.float64), split, 64)
        parts.append(np.broadcast_to(added.astype(np.float64) if bias else np.zeros(n), (m, n)))
        return Data(
            inputs={"A": a, "B": shuffled_weight(b) if shuffled else b, "bias": added},
            outputs={
                "D": np.zeros((m, n), BF16 if out_bf16 else np.float32),
                "semaphore": np.zeros((16, 64), np.uint32),
            },
            expected={"D": np.sum(parts, axis=0), "semaphore": np.zeros((16, 64))},
            scale={"D": 1 + np.sum(np.abs(parts), axis=0)},
        )

    row = n * (2 if out_bf16 else 4)
    args = [
        "D", None, "A", "B", 1.0, 0.0, row, 0, row, 0, k * 2, 0, k * 2, 0, m, n, k, split, int(out_bf16),
        "bias" if bias else None, int(bias), "semaphore" if split > 1 else None,
    ]  # fmt: skip
    return Case(
        kind="bf16gemm",
        arch=arch,
        file=f"{arch}/bf16gemm/{stem}.co",
        label=f"{m}x{n}x{k} split {split} {'bf16' if out_bf16 else 'f32'}{' bias' if bias else ''}",
        grid=(n // tile_n, -(-m // tile_m), split),
        block=(256, 1, 1),
        data=data,
        args=args,
        tolerance=split * 2.0**-8 if out_bf16 else 1e-5,
        undefined=("D",),
    )

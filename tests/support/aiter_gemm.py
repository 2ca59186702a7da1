"""Cases of AITER's hand-written matrix products: bf16, i8, fp8 with block scales, MXFP4; and its fused MoE layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from support.aiter import Array, Case, Data

__all__ = ["cases"]

BF16 = np.dtype(ml_dtypes.bfloat16)
FP8 = {"gfx942": np.dtype(ml_dtypes.float8_e4m3fnuz), "gfx950": np.dtype(ml_dtypes.float8_e4m3fn)}
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
ROUND_BF16 = 2.0**-8
"""Twice the largest relative error of rounding to bf16 once: the sums' own errors are far below it."""
CUT_BF16 = 2.0**-7
"""As much where bits are cut off (v_perm_b32) instead of rounded."""


def shuffled_weight(weight: Array) -> Array:
    """Reorder weights [n, k]: the 16 bytes that each of 16 rows has at one place of k follow each other."""
    n, k = weight.shape
    wide = 16 // weight.itemsize
    return np.ascontiguousarray(weight.reshape(n // 16, 16, k // wide, wide).swapaxes(1, 2)).reshape(n, k)


def shuffled_scales(scales: Array) -> Array:
    """Pad E8M0 scales [rows, k / 32] to multiples of 256 and 8, and reorder them into dwords of 2 x 2 blocks.

    A dword holds rows r and r + 16 of 32, at k-blocks c and c + 4 of 8; r runs over 16 dwords, c over four of these.
    """
    rows, blocks = scales.shape
    padded = np.full((-(-rows // 256) * 256, -(-blocks // 8) * 8), 127, np.uint8)
    padded[:rows, :blocks] = scales
    cut = padded.reshape(padded.shape[0] // 32, 2, 16, padded.shape[1] // 8, 2, 4)
    return np.ascontiguousarray(cut.transpose(0, 3, 5, 2, 4, 1)).reshape(padded.shape)


def partial_products(a: Array, b: Array, split: int, step: int, *, rest_last: bool = False) -> list[Array]:
    """Return the products of a and b^T over `split` shares of k, all but the last a multiple of `step`.

    Shares are rounded up, so that the last is the smallest; with `rest_last` down, so that it is the largest.
    """
    k = a.shape[1]
    share = k // (split * step) * step if rest_last else -(-k // (split * step)) * step
    cuts = [share * number for number in range(split)] + [k]
    return [a[:, start:end] @ b[:, start:end].T for start, end in pairwise(cuts)]


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """A sample of cases whose code object is there; with `every` one case for each code object besides."""
    seen = set()
    for case in _sample():
        if (hsa / case.file).is_file():
            seen.add(case.file)
            yield case
    for case in _others(hsa, seen) if every else ():
        yield case


def _sample() -> Iterator[Case]:
    for arch in ("gfx942", "gfx950"):
        yield from _bf16(arch)
        yield from _i8(arch)
        yield from _fp8(arch)
    yield from _fp4()
    yield flatmm_case((256, 512, 512))


def _others(hsa: Path, seen: set[str]) -> Iterator[Case]:
    """One case for each code object of these kinds that the sample leaves out, of a shape with an edge."""
    for kind in ("bf16gemm", "i8gemm", "fp8gemm_blockscale", "f4gemm"):
        for path in sorted(hsa.glob(f"gfx9[45][20]/{kind}/*.co")):
            arch, stem = path.parts[-3], path.stem
            if path.relative_to(hsa).as_posix() in seen:
                continue
            tile = next(part for part in stem.split("_") if re.fullmatch(r"\d+x\d+", part))
            tile_m, tile_n = (int(number) for number in tile.split("x"))
            m, n = tile_m + 10, 2 * tile_n
            if kind == "bf16gemm":
                split = 2 if stem.endswith("clean") else 1
                yield bf16_case(arch, stem, tile_m, tile_n, split, (m, n, 256), out_bf16=True, bias=True)
            elif kind == "i8gemm":
                yield i8_case(arch, tile, 2, (m, n, 512))
            elif kind == "fp8gemm_blockscale":
                yield fp8_case(arch, tile, 2, (m, n, 512))
            else:
                yield fp4_case("_".join(stem.split("_")[-2:]), 0, (m, n, 512))


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
    for stem in ("bf16gemm_bf16_tn_256x256", "bf16gemm_bf16_tn_256x256_bpreshuffle"):
        yield bf16_case(arch, stem, 256, 256, 1, (300, 512, 320), out_bf16=True, bias=False)


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
        parts = partial_products(a.astype(np.float64), b.astype(np.float64), split, 64, rest_last=True)
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
        tolerance=split * ROUND_BF16 if out_bf16 else 1e-5,
        undefined=("D",),
    )


# ---- i8gemm: D[m, n] = (A[m, k] B[n, k]^T) sa[m] sb[n] + bias[n], K split over the grid's x --------------------------


def _i8(arch: str) -> Iterator[Case]:
    yield i8_case(arch, "16x128", 1, (20, 256, 384))
    yield i8_case(arch, "32x128", 2, (70, 256, 768))
    yield i8_case(arch, "80x128", 1, (90, 384, 512))
    yield i8_case(arch, "128x128", 3, (130, 128, 1152))
    # No barrier stands between the epilogue's LDS reads and the next writes (+0x904, +0x98c): one wave's progress must
    # not run ahead of another's. In any order but lockstep the numbers are wrong.
    race = "other orders of waves give other numbers"
    yield replace(
        i8_case(arch, "112x256", 1, (120, 512, 384)),
        known={"lds-read-pending": race, "lds-race": race},
        order="lockstep",
    )


def i8_case(arch: str, tile: str, split: int, shape: tuple[int, int, int]) -> Case:
    """One product of int8 with a scale of every row and column, bf16 out."""
    (tile_m, tile_n), (m, n, k) = (int(number) for number in tile.split("x")), shape

    def data() -> Data:
        rng = np.random.default_rng(m * n * k)
        a, b = (rng.integers(-128, 128, (rows, k), np.int8) for rows in (m, n))
        sa, sb = (rng.uniform(0.001, 0.02, rows).astype(np.float32) for rows in (m, n))
        bias = rng.standard_normal(n).astype(np.float32)
        parts = [
            part * sa[:, None] * sb for part in partial_products(a.astype(np.float64), b.astype(np.float64), split, 128)
        ]
        parts.append(np.broadcast_to(bias.astype(np.float64), (m, n)))
        return Data(
            inputs={"A": a, "B": shuffled_weight(b), "sa": sa, "sb": sb, "bias": bias},
            outputs={"D": np.zeros((m, n), BF16)},
            expected={"D": np.sum(parts, axis=0)},
            scale={"D": 1 + np.sum(np.abs(parts), axis=0)},
        )

    return Case(
        kind="i8gemm",
        arch=arch,
        file=f"{arch}/i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_{tile}.co",
        label=f"{m}x{n}x{k} split {split}",
        grid=(n // tile_n * split, -(-m // tile_m), 1),
        block=(256, 1, 1),
        data=data,
        args=["D", "A", "B", "sa", "sb", "bias", m, n, k, k, k, 2 * n, split],
        tolerance=split * CUT_BF16,
        undefined=() if split > 1 else ("D",),
    )


# ---- fp8gemm_blockscale: a scale for each 128 of a row of A, for each 128 x 128 of B ---------------------------------


def _fp8(arch: str) -> Iterator[Case]:
    for tile, split, shape in (
        ("32x128", 1, (70, 256, 384)),
        ("48x128", 2, (50, 384, 768)),
        ("128x128", 1, (130, 256, 512)),
    ):
        yield fp8_case(arch, tile, split, shape)


def fp8_case(arch: str, tile: str, split: int, shape: tuple[int, int, int]) -> Case:
    """One product of fp8 (the arch's own e4m3) with block scales, bf16 out."""
    (tile_m, tile_n), (m, n, k) = (int(number) for number in tile.split("x")), shape

    def data() -> Data:
        a, b, sa, sb = blockscale_operands(FP8[arch], shape)
        parts = partial_products(*blockscale_values(a, b, sa, sb), split, 128)
        return Data(
            inputs={
                "A": a,
                "B": shuffled_weight(b),
                "sa": np.ascontiguousarray(sa.T),
                "sb": sb,
                "bias": np.zeros(n, np.float32),
            },
            outputs={"D": np.zeros((m, n), BF16)},
            expected={"D": np.sum(parts, axis=0)},
            scale={"D": 1 + np.sum(np.abs(parts), axis=0)},
        )

    return Case(
        kind="fp8gemm_blockscale",
        arch=arch,
        file=f"{arch}/fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_{tile}.co",
        label=f"{m}x{n}x{k} split {split}",
        grid=(n // tile_n * split, -(-m // tile_m), 1),
        block=(256, 1, 1),
        data=data,
        args=["D", "A", "B", "sa", "sb", "bias", m, n, k, k, k, 2 * n, split, m, n // 128, k // 128],
        tolerance=split * CUT_BF16,
        undefined=() if split > 1 else ("D",),
    )


def blockscale_operands(fp8: Any, shape: tuple[int, int, int]) -> tuple[Array, Array, Array, Array]:
    """Return A [m, k], B [n, k], A's scales [m, k / 128], B's scales [n / 128, k / 128]."""
    m, n, k = shape
    rng = np.random.default_rng(m * n * k)
    a, b = (rng.standard_normal((rows, k)).astype(fp8) for rows in (m, n))
    sa, sb = (rng.uniform(0.1, 2, (rows, k // 128)).astype(np.float32) for rows in (m, n // 128))
    return a, b, sa, sb


def blockscale_values(a: Array, b: Array, sa: Array, sb: Array) -> tuple[Array, Array]:
    """Return A and B in float64 with their scales multiplied in."""
    wide_a = a.astype(np.float64) * np.repeat(sa, 128, axis=1)
    wide_b = b.astype(np.float64) * np.repeat(np.repeat(sb, 128, axis=0), 128, axis=1)
    return wide_a, wide_b


def flatmm_case(shape: tuple[int, int, int]) -> Case:
    """The one code object for fp8 with block scales that has no padded arguments; f16 out.

    m a multiple of 128: of a last tile that is not full the kernel reads A and its scales past their ends.
    """
    m, n, k = shape

    def data() -> Data:
        a, b, sa, sb = blockscale_operands(FP8["gfx942"], shape)
        wide_a, wide_b = blockscale_values(a, b, sa, sb)
        return Data(
            inputs={
                "A": a,
                "B": shuffled_weight(b),
                "sa": np.ascontiguousarray(sa.T),
                "sb": np.ascontiguousarray(sb.T),
            },
            outputs={"D": np.zeros((m, n), np.float16)},
            expected={"D": wide_a @ wide_b.T},
        )

    stem = "flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32"
    return Case(
        kind="flatmm",
        arch="gfx942",
        file=f"gfx942/{stem}.co",
        label=f"{m}x{n}x{k}",
        grid=(-(-n // 256), -(-m // 128), 1),
        block=(256, 1, 1),
        data=data,
        args=["A", "B", None, "sa", "sb", None, "D", None, None, None, None, k, n, m, 0, 0, 0],
        tolerance=2.0**-10,
        undefined=("D",),
        slot=0,
    )


# ---- f4gemm: MXFP4 with an E8M0 scale for each 32 of k, D = alpha A B^T + beta bias ----------------------------------


def _fp4() -> Iterator[Case]:
    yield fp4_case("BpreShuffle_32x128", 0, (70, 256, 512))
    yield fp4_case("BpreShuffle_32x384", 0, (40, 768, 768))
    yield fp4_case("BpreShuffle_96x256", 0, (130, 512, 768))
    yield fp4_case("BpreShuffle_256x256", 1, (300, 512, 1024))
    yield fp4_case("BpreShuffle_128x512", 0, (150, 512, 512))
    # Five LDS reads are still out (lgkmcnt(5)) at the barrier behind which the next tile is loaded over what they read.
    for tile, m in (("160x256", 170), ("192x256", 202), ("224x256", 234)):
        yield replace(
            fp4_case(f"BpreShuffle_{tile}", 0, (m, 512, 512)),
            known={"lds-read-pending": "random landings give other numbers"},
        )
    # The epilogue overwrites data of a wide store right behind it, which LLVM's pull request 197267 says is too soon.
    # It stores whole tiles, past the end of D unless m is a multiple of 256.
    yield replace(
        fp4_case("noBpreShuffle_256x256", 0, (512, 256, 768)),
        known={"hazard": "wide-store-sgpr-overwritten, LLVM pull request 197267"},
    )


def fp4_case(stem: str, log2_split: int, shape: tuple[int, int, int]) -> Case:
    """One product of MXFP4, bf16 out, K split over the grid's z into a power of two."""
    tile_m, tile_n = (int(number) for number in stem.split("_")[1].split("x"))
    (m, n, k), split = shape, 1 << log2_split
    rows = -(-m // 32) * 32

    def data() -> Data:
        rng = np.random.default_rng(m * n * k)
        codes = [rng.integers(0, 16, (count, k), np.uint8) for count in (m, n)]
        scales = [rng.integers(124, 131, (count, k // 32), np.uint8) for count in (m, n)]
        wide = [
            FP4[code] * np.repeat(np.ldexp(1.0, scale.astype(int) - 127), 32, axis=1)
            for code, scale in zip(codes, scales, strict=True)
        ]
        a, b = (code[:, 0::2] | code[:, 1::2] << 4 for code in codes)
        parts = partial_products(wide[0], wide[1], split, 256)
        return Data(
            inputs={
                "A": a,
                "B": b if stem.startswith("no") else shuffled_weight(b),
                "sa": shuffled_scales(scales[0]),
                "sb": shuffled_scales(scales[1]),
            },
            outputs={"D": np.zeros((rows, n), BF16)},
            expected={"D": np.sum(parts, axis=0)},
            scale={"D": 1 + np.sum(np.abs(parts), axis=0)},
        )

    scale_row = -(-k // 256) * 8
    return Case(
        kind="f4gemm",
        arch="gfx950",
        file=f"gfx950/f4gemm/f4gemm_bf16_per1x32Fp4_{stem}.co",
        label=f"{m}x{n}x{k} split {split}",
        grid=(-(-n // tile_n), -(-m // tile_m), split),
        block=(256, 1, 1),
        data=data,
        args=[
            "D", None, "A", "B", 1.0, 0.0, 0, 0, n, 0, k, 0, k, 0, m, n, k,
            "sa", "sb", scale_row, 0, scale_row, 0, log2_split,
        ],
        tolerance=split * ROUND_BF16,
        undefined=() if split > 1 else ("D",),
    )  # fmt: skip

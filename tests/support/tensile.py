"""Cases of hipBLASLt's hand-tuned products (Tensile's custom kernels), assembled from their sources.

D[n, m] = alpha (A B)[m, n] + beta C: Tensile numbers the first dimension fastest. Arguments are Tensile's: sizes,
addresses, strides, alpha and beta; in front of them, or behind, how K is split and tiles are mapped. Which of these
ways a kernel has stands in its `custom.config` (`KernArgsVersion`, `UseUniversalArgs`) and in its first instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from support.aiter import Case, Data

__all__ = ["FOLDER", "cases"]

FOLDER = "tensilelite/Tensile/CustomKernels"
BF16 = np.dtype(ml_dtypes.bfloat16)
F16 = np.dtype(np.float16)
ALPHA, BETA = 1.5, 0.5


def cases(folder: Path) -> Iterator[Case]:
    """Every case whose source is there."""
    for case in _all():
        if (folder / case.file).is_file():
            yield case


def _all() -> Iterator[Case]:
    name = "Custom_Cijk_Alik_Bljk_BBS_BH_MT16x16x128_MI16x16x1_SN_GSUM_K1_MIWT1_1_2_gfx942"
    yield product_case(name, (16, 16), (40, 33, 520), BF16, shares=2, block=64)
    name = "Custom_Cijk_Alik_Bljk_BBS_BH_MT128x16x128_MI16x16x1_SN_GSUM_K1_MIWT2_1_01_gfx942"
    yield product_case(name, (128, 16), (200, 33, 520), BF16, shares=2)
    yield product_case(name, (128, 16), (200, 33, 1032), BF16, shares=4)
    name = "Custom_Cijk_Alik_Bljk_HHS_BH_UserArgs_MT128x16x128_MI16x16x1_SN_K1_MIWT2_1_triple_buffer"
    yield product_case(name, (128, 16), (176, 33, 640), F16, header=(1, 0x101))
    stem = "Custom_Cijk_Alik_Bljk_BBS_BH_Bias_AS_SAV_UserArgs_MT256x"
    tail = (None, None, 0, 0, 0.0, 0.0, 0)  # no vector of scales, no bias, no activation
    name = f"{stem}224x64_MI16x16x1_SN_K1_MIWT4_14_DTVA"
    yield product_case(name, (256, 224), (264, 100, 320), BF16, header=(1, 1, 1, 2), tail=tail, in_line=True)
    name = f"{stem}256x64_MI16x16x1_SN_K1_MIWT4_16_WSGRB2_DTVA"
    yield product_case(name, (256, 256), (264, 300, 320), BF16, header=(1, 0x101), tail=tail)


def product_case(
    name: str,
    tile: tuple[int, int],
    shape: tuple[int, int, int],
    dtype: np.dtype[Any],
    *,
    shares: int = 1,
    block: int = 256,
    header: tuple[int, ...] = (),
    tail: tuple[float | int | None, ...] = (),
    in_line: bool = False,
) -> Case:
    """One product with A [m, k] and B [n, k]; K in `shares` parts, whose sums go to a workspace f32 first.

    `header`: what stands in front of the sizes; `in_line`: the grid is one row of tiles.
    """
    m, n, k = shape
    across, down = -(-m // tile[0]), -(-n // tile[1])

    def data() -> Data:
        rng = np.random.default_rng(m + n + k)
        a, b, c = (rng.standard_normal(size).astype(np.float32).astype(dtype) for size in ((m, k), (n, k), (n, m)))
        product = ALPHA * (b.astype(np.float64) @ a.astype(np.float64).T)
        added = BETA * c.astype(np.float64)
        outputs = {"D": np.zeros((n, m), dtype)}
        if shares > 1:
            outputs |= {"workspace": np.zeros((shares, n, m), np.float32), "counters": np.zeros(409600, np.uint32)}
        return Data(
            inputs={"A": a, "B": b, "C": c},
            outputs=outputs,
            expected={"D": product + added},
            scale={"D": 1 + np.abs(product) + np.abs(added)},
        )

    strides = (m, m * n, m, m * n, k, m * k, k, n * k)
    split = (shares | 1 << 8, "D", "counters", 0) if shares > 1 else ()
    return Case(
        kind="hipblaslt",
        arch="gfx942",
        file=f"{FOLDER}/{name}.s",
        label=f"{m}x{n}x{k}{f' split {shares}' if shares > 1 else ''}",
        grid=(across * down, 1, 1) if in_line else (across, down * shares, 1),
        block=(block, 1, 1),
        data=data,
        args=[
            *header, m, n, 1, k, "workspace" if shares > 1 else "D", "C", "A", "B", *strides, ALPHA, BETA, *split, *tail
        ],
        tolerance=2.0**-8 if dtype == BF16 else 2.0**-11,
        undefined=("D", "workspace") if shares > 1 else ("D",),
        slot=0,
    )  # fmt: skip

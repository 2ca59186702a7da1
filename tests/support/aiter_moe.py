"""Cases of AITER's hand-written fused MoE layers: experts' two products with an activation between, in one kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from support.aiter import Array, Case, Data
from support.aiter_gemm import FP8, shuffled_weight

__all__ = ["cases"]

BF16 = np.dtype(ml_dtypes.bfloat16)
I8 = np.dtype(np.int8)
TOLERANCE = 0.06
"""Relative to the output's deviation: sums in bf16 by atomics, and values beside a step of the 8 bits go either way."""


def cases(hsa: Path, *, every: bool = False) -> Iterator[Case]:
    """Every case whose code object is there; with `every` all first stages."""
    for case in (*_sample(), *_first_stages(hsa, every=every)):
        if (hsa / case.file).is_file():
            yield case


def _sample() -> Iterator[Case]:
    race = "other orders of waves give other numbers"
    wait = "late landings give other numbers"
    for arch in ("gfx942", "gfx950"):
        for tile, persistent in ((128, False), (256, True), (320, False)):
            yield per_token_case(arch, "Int8", tile, persistent=persistent)
        if arch == "gfx942":  # gfx950's object has no LDS write of results in its loop, and adds what it finds there
            yield per_token_case(arch, "Fp8", 128, persistent=False)
        yield per_token_case(arch, "Fp8", 256, persistent=True)
        # Between the LDS reads of the results and the atomics that add them stand waits for vmcnt alone.
        for tile in (320, 384):
            yield replace(
                per_token_case(arch, "Fp8", tile, persistent=False),
                known={"register-in-flight": wait, "uninitialised": wait},
            )
        yield block_case(arch, 128)
        # No barrier between the reads of each wave's largest values and the next writes over them, and the same waits.
        yield replace(
            block_case(arch, 256),
            known={"lds-read-pending": race, "lds-race": race, "register-in-flight": wait},
            order="lockstep",
        )


@dataclass(frozen=True)
class Layer:
    """Tokens, experts each of them goes to, and how they are sorted."""

    tokens: int
    dim: int
    inter: int
    experts: int
    topk: int
    block_m: int = 32
    """Rows of a workgroup: an expert's tokens are padded to a multiple of it."""

    def routing(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return expert numbers and weights, [tokens, topk]."""
        chosen = np.stack([rng.permutation(self.experts)[: self.topk] for _ in range(self.tokens)])
        weights = rng.uniform(0.2, 1, chosen.shape).astype(np.float32)
        return chosen, weights

    def sorted(self, chosen: Array, weights: Array) -> dict[str, Array]:
        """Return what moe_sorting makes: rows by expert, each expert's padded to a multiple of `block_m`.

        An id is the token with its place among the token's experts in the top byte; padding is `tokens` and `topk`.
        """
        ids: list[int] = []
        scales: list[float] = []
        owners: list[int] = []
        padding = self.topk << 24 | self.tokens
        for expert in range(self.experts):
            token, place = np.nonzero(chosen == expert)
            blocks = -(-len(token) // self.block_m)
            ids += [*(int(p) << 24 | int(t) for t, p in zip(token, place, strict=True))]
            scales += [float(weights[t, p]) for t, p in zip(token, place, strict=True)]
            ids += [padding] * (blocks * self.block_m - len(token))
            scales += [0.0] * (blocks * self.block_m - len(token))
            owners += [expert] * blocks
        return {
            "ids": np.array(ids, np.uint32),
            "weights": np.array(scales, np.float32),
            "owners": np.array(owners, np.int32),
            "valid": np.array([len(ids), self.tokens], np.int32),
        }

    def result(self, values: Sequence[Array], chosen: Array, weights: Array, kind: Any, width: int) -> Array:
        """Return the layer's output in float64.

        `values` are x [tokens, dim], up [experts, 2 inter, dim] and down [experts, dim, inter].

        The first half of `up` are the gates. silu(gate) * up is rounded to 8 bits, with a scale for each `width` of
        `inter`, and goes into the second product.
        """
        x, up, down = values
        out = np.zeros((self.tokens, self.dim))
        for token in range(self.tokens):
            for expert, weight in zip(chosen[token], weights[token], strict=True):
                gate, value = np.split(up[expert] @ x[token], 2)
                hidden = in_eight_bits((gate / (1 + np.exp(-gate)) * value).reshape(-1, width), kind)
                out[token] += weight * (down[expert] @ hidden.reshape(-1))
        return out


def in_eight_bits(rows: Array, kind: Any) -> Array:
    """Return rows with 8 bits each, scaled by the row's largest; int8 is cut off, not rounded."""
    top = np.abs(rows).max(axis=1, keepdims=True)
    if kind == I8:
        return np.trunc(rows / top * 127) / 127 * top
    largest = float(ml_dtypes.finfo(kind).max)
    return (rows / top * largest).astype(kind).astype(np.float64) / largest * top


def quantised(rng: np.random.Generator, shape: tuple[int, ...], kind: Any, width: float) -> tuple[Array, Array]:
    """Return elements of a type and float32 scales of the last axis that give them a deviation of `width`."""
    if kind == I8:
        values: Array = np.clip(np.round(rng.standard_normal(shape) * 40), -127, 127).astype(I8)
        deviation = 40.0
    else:
        values, deviation = rng.standard_normal(shape).astype(kind), 1.0
    return values, (rng.uniform(0.7, 1.3, shape[:-1]) * (width / deviation)).astype(np.float32)


def moe_case(
    arch: str,
    file: str,
    label: str,
    layer: Layer,
    tile: int,
    data: Any,
    *,
    strides: tuple[int, int],
    groups: int,
) -> Case:
    """Return a case of the arguments that all these kernels share; `strides` are bytes of an expert's two scales.

    `groups` are the workgroups of a persistent launch, 0 for one a tile.
    """
    parts = -(-layer.inter // tile)
    rng = np.random.default_rng(layer.tokens)
    blocks = len(layer.sorted(*layer.routing(rng))["owners"])
    up_row, down_row = layer.dim, layer.inter
    return Case(
        kind="fmoe",
        arch=arch,
        file=file,
        label=label,
        grid=(groups or parts, 1 if groups else blocks, 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "out", "x", "up", "valid", "down", "x_scale", "up_scale", "down_scale", None, "ids", "weights", "owners",
            layer.dim, layer.inter, layer.tokens, layer.experts, layer.dim, up_row, down_row, 2 * layer.dim,
            2 * layer.inter * up_row, layer.dim * down_row, *strides, 4 * layer.inter, layer.topk,
            groups // parts * parts, parts,
        ],
        tolerance=TOLERANCE,
    )  # fmt: skip


def per_token_case(arch: str, quant: str, tile: int, *, persistent: bool) -> Case:
    """One layer with a scale of every token and of every row of the weights."""
    layer = Layer(tokens=45, dim=512, inter=2 * tile, experts=3, topk=2)
    kind = I8 if quant == "Int8" else FP8[arch]

    def data() -> Data:
        rng = np.random.default_rng(layer.tokens)
        chosen, weights = layer.routing(rng)
        x, x_scale = quantised(rng, (layer.tokens, layer.dim), kind, 1.0)
        up, up_scale = quantised(rng, (layer.experts, 2 * layer.inter, layer.dim), kind, layer.dim**-0.5)
        down, down_scale = quantised(rng, (layer.experts, layer.dim, layer.inter), kind, layer.inter**-0.5)
        wide = [
            array.astype(np.float64) * scale[..., None]
            for array, scale in ((x, x_scale), (up, up_scale), (down, down_scale))
        ]
        expected = layer.result(wide, chosen, weights, kind, tile)
        return moe_data(layer, x, up, down, (x_scale, up_scale, down_scale), chosen, weights, expected)

    stem = f"fmoe_bf16_pertoken{quant}_g1u1_vs_silu_1tg_{'ps_' if persistent else ''}32x{tile}"
    return moe_case(
        arch,
        f"{arch}/fmoe/silu/{stem}.co",
        f"{layer.tokens} tokens",
        layer,
        tile,
        data,
        strides=(8 * layer.inter, 4 * layer.dim),
        groups=4 if persistent else 0,
    )


def moe_data(
    layer: Layer,
    x: Array,
    up: Array,
    down: Array,
    scales: tuple[Array, Array, Array],
    chosen: Array,
    weights: Array,
    expected: Array,
) -> Data:
    """Return the arrays of a launch; the output is added to, so that it begins as zeros."""
    return Data(
        inputs={
            "x": x,
            "up": np.stack([shuffled_weight(one) for one in up]),
            "down": np.stack([shuffled_weight(one) for one in down]),
            "x_scale": scales[0],
            "up_scale": scales[1],
            "down_scale": scales[2],
            **layer.sorted(chosen, weights),
        },
        outputs={"out": np.zeros((layer.tokens, layer.dim), BF16)},
        expected={"out": expected},
        scale={"out": np.full(expected.shape, expected.std())},
    )


def block_case(arch: str, tile: int) -> Case:
    """One layer of fp8 with a scale for each 128 of a token, for each 128 x 128 of the weights."""
    layer = Layer(tokens=45, dim=512, inter=2 * tile, experts=3, topk=2)

    def data() -> Data:
        rng = np.random.default_rng(layer.tokens)
        chosen, weights = layer.routing(rng)
        k, n = layer.dim // 128, layer.inter // 128
        arrays, scales, wide = [], [], []
        for shape, blocks, width in (
            ((layer.tokens, layer.dim), (layer.tokens, k), 1.0),
            ((layer.experts, 2 * layer.inter, layer.dim), (layer.experts, 2 * n, k), layer.dim**-0.5),
            ((layer.experts, layer.dim, layer.inter), (layer.experts, k, n), layer.inter**-0.5),
        ):
            arrays.append(rng.standard_normal(shape).astype(FP8[arch]))
            scales.append((rng.uniform(0.5, 1.5, blocks) * width).astype(np.float32))
            spread = np.repeat(scales[-1], 128, axis=-1)
            wide.append(arrays[-1].astype(np.float64) * (spread if len(shape) == 2 else np.repeat(spread, 128, axis=1)))
        expected = layer.result(wide, chosen, weights, FP8[arch], 128)
        scales[0] = np.ascontiguousarray(scales[0].T)
        return moe_data(layer, *arrays, tuple(scales), chosen, weights, expected)  # type: ignore[arg-type]

    stem = f"fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_32x{tile}"
    k, n = layer.dim // 128, layer.inter // 128
    return moe_case(
        arch,
        f"{arch}/fmoe/silu/{stem}.co",
        f"{layer.tokens} tokens",
        layer,
        tile,
        data,
        strides=(4 * 2 * n * k, 4 * n * k),
        groups=0,
    )


# ---- fmoe_2stages: the first product and the activation alone, in rows of [token, place among its experts] -----------


def _first_stages(hsa: Path, *, every: bool) -> Iterator[Case]:
    for arch in ("gfx942", "gfx950"):
        for path in sorted(hsa.glob(f"{arch}/fmoe_2stages/*.co")):
            if every or any(tile in path.stem for tile in _TILES):
                yield first_stage_case(arch, path.stem)


_TILES = ("g1u1_16x128_4tg_pf2", "g1u1_32x512_pf3", "g1u1_48x256_pf2", "g1u1_64x64", "g1u1_128x128_pf3")


def first_stage_case(arch: str, stem: str) -> Case:
    """silu(gate) * up in bf16, with `doweight` of both times the token's weight; `blockscale` writes it in fp8.

    The scales of that stand behind the rows, one for each 128 of them.
    """
    tile_m, tile_n = (int(number) for number in next(one for one in stem.split("_") if _TILE.fullmatch(one)).split("x"))
    kind = I8 if "Int8" in stem else FP8[arch]
    blocks, weighted = "blockscale" in stem, "doweight" in stem
    layer = Layer(tokens=45, dim=512, inter=tile_n * (1 + (tile_n < 256)), experts=3, topk=2, block_m=tile_m)

    def data() -> Data:
        rng = np.random.default_rng(layer.tokens)
        chosen, weights = layer.routing(rng)
        if blocks:
            x, up = (
                rng.standard_normal(shape).astype(kind)
                for shape in ((layer.tokens, layer.dim), (layer.experts, 2 * layer.inter, layer.dim))
            )
            k, n = layer.dim // 128, layer.inter // 128
            x_scale, up_scale = (
                (rng.uniform(0.5, 1.5, shape) * width).astype(np.float32)
                for shape, width in (((layer.tokens, k), 1.0), ((layer.experts, 2 * n, k), layer.dim**-0.5))
            )
            wide_x = x.astype(np.float64) * np.repeat(x_scale, 128, axis=1)
            wide_up = up.astype(np.float64) * np.repeat(np.repeat(up_scale, 128, axis=2), 128, axis=1)
            x_scale = np.ascontiguousarray(x_scale.T)
        else:
            x, x_scale = quantised(rng, (layer.tokens, layer.dim), kind, 1.0)
            up, up_scale = quantised(rng, (layer.experts, 2 * layer.inter, layer.dim), kind, layer.dim**-0.5)
            wide_x, wide_up = (
                array.astype(np.float64) * scale[..., None] for array, scale in ((x, x_scale), (up, up_scale))
            )
        gate, value = np.split(np.einsum("tpnk,tk->tpn", wide_up[chosen], wide_x), 2, axis=2)
        if weighted:
            gate, value = gate * weights[..., None], value * weights[..., None]
        hidden = gate / (1 + np.exp(-gate)) * value
        shape = hidden.shape
        rows = layer.tokens + (-(-layer.tokens * 4 // 128) if blocks else 0)

        def widened(outputs: Mapping[str, Array]) -> dict[str, Array]:
            rest = outputs["out"][layer.tokens :].reshape(-1).view(np.float32)[: hidden.size // 128]
            spread = np.repeat(rest.reshape(*shape[:2], -1), 128, axis=2)
            return {"hidden": outputs["out"][: layer.tokens].astype(np.float64) * spread}

        return Data(
            inputs={
                "x": x,
                "up": np.stack([shuffled_weight(one) for one in up]),
                "x_scale": x_scale,
                "up_scale": up_scale,
                **layer.sorted(chosen, weights),
            },
            outputs={"out": np.zeros((rows, *shape[1:]), kind if blocks else BF16)},
            expected={"hidden" if blocks else "out": hidden},
            scale={"hidden" if blocks else "out": np.abs(hidden) + (0.01 if blocks else 1e-3) * hidden.std()},
            made=widened if blocks else dict,
        )

    rng = np.random.default_rng(layer.tokens)
    groups = len(layer.sorted(*layer.routing(rng))["owners"])
    up_scales = 4 * 2 * layer.inter // 128 * layer.dim // 128 if blocks else 8 * layer.inter
    return Case(
        kind="fmoe_2stages",
        arch=arch,
        file=f"{arch}/fmoe_2stages/{stem}.co",
        label=f"{layer.tokens} tokens",
        grid=(layer.inter // tile_n, groups, 1),
        block=(256, 1, 1),
        data=data,
        args=[
            "out", "x", "up", "valid", "x_scale", "up_scale", None, "ids", "owners", layer.dim, layer.inter,
            layer.tokens, layer.experts, layer.dim, layer.dim, layer.topk * layer.inter * (1 if blocks else 2),
            2 * layer.inter * layer.dim, up_scales, 4 * layer.inter, layer.topk, 0, 0, "weights" if weighted else None,
        ],
        tolerance=2.0**-4 if blocks else 2.0**-7,
        undefined=("out",),
        known={} if _QUIET.search(stem) else _EPILOGUE,
        order="lockstep",
    )  # fmt: skip


_TILE = re.compile(r"\d+x\d+")
_QUIET = re.compile("blockscale.*(x128_.*pf3|x128_pf3|16x128_4tg_pf2|16x256_2tg_pf3)|16x64_5tg")
_EPILOGUE = dict.fromkeys(
    ("lds-read-pending", "lds-in-flight"),
    "results are written over what the last fetches are on their way to and other waves may still read: "
    "other orders of waves give other numbers for some tiles",
)

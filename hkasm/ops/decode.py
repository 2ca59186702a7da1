"""Decode attention of arrays: few queries over a long cache, plain or paged."""

from __future__ import annotations

import math
from typing import Any

from hkasm.errors import LaunchError, known_keywords
from hkasm.kernels.decode.declared import BLOCK_SIZES, MOST_KEYS, MOST_SPLITS, TILE, DecodeConfig, choose_splits
from hkasm.kernels.decode.launch import Shape, combine_launch, make_launch
from hkasm.model.chips import DEFAULT_CHIP, get_chip
from hkasm.ops.arrays import empty_like, stream_of, view
from hkasm.ops.attend import AXES, fitting_heads, strides_of, view_heads
from hkasm.ops.launcher import Place, place_of, run
from hkasm.runtime import Device
from hkasm.runtime.tensors import View

__all__ = ["decode"]

_NAME = "decode"


@known_keywords()
def decode(
    q: Any,
    k: Any,
    v: Any,
    lengths: Any,
    table: Any = None,
    *,
    mask: str = "causal",
    window: int = 1,
    scale: float | None = None,
    layout: str = "bshd",
    lse: bool = False,
    splits: int | None = None,
    longest: int | None = None,
    device: str | Device = "auto",
    arch: str | None = None,
) -> Any:
    """Return softmax(scale q k^T + mask) v of the last queries of sequences, and with `lse` also the log-sum-exp.

    `q` is [batch, queries, heads, d]; `k` and `v` are [batch, keys, key heads, d], or with a `table` the cache's
    [blocks, keys of a block, key heads, d] (`layout` ``bhsd``: heads before queries and keys). `lengths` [batch] and
    `table` [batch, entries] are i32: how many keys each sequence has, and in which blocks they lie. Entries that name
    no block read as zeros; lengths beyond the room count as full. bf16 or f16, d 32 to 256 in steps of 8, blocks of 16
    to 4096 keys. `mask` is as for `attention`; rows that see no key give 0 and -inf. Keys are dealt to `splits`
    workgroups, by default as many as suit the chip and the `longest` sequence (by default all the room that there is).

    Raises:
        LaunchError: shapes, types, strides or devices do not fit.
        UsageError: an unknown mask or device, or a head size that the kernel does not declare.
        DeviceError: the GPU cannot be used.
        ToolchainError: there is nothing to build the kernel with.
    """
    if layout not in AXES:
        raise LaunchError(f"{_NAME}: no layout {layout!r}", hint=", ".join(AXES))
    views = {name: view_heads(_NAME, name, array) for name, array in zip("QKV", (q, k, v), strict=True)}
    views["lengths"] = _numbers("lengths", lengths, 1)
    if table is not None:
        views["table"] = _numbers("table", table, 2)
    shape, d = _shape(views, layout)
    place = place_of(list(views.values()), device, arch)
    config = DecodeConfig.of(
        {"dtype": views["Q"].dtype, "d": d, "mask": mask, "cache": "paged" if table is not None else "plain"}
    )
    factor = d**-0.5 if scale is None else float(scale)
    if not (math.isfinite(factor) and factor > 0):
        raise LaunchError(f"{_NAME}: scale {factor}", hint="a positive number")
    if not 1 <= window <= MOST_KEYS:
        raise LaunchError(f"{_NAME}: window {window}", hint=f"1 to {MOST_KEYS} keys")
    count = _splits(splits, shape, longest, place)
    out = empty_like(_NAME, q)
    sums = empty_like(_NAME, q, (shape.batch, shape.hq, shape.q), dtype="f32")
    views |= {"O": view_heads(_NAME, "O", out), "LSE": view(_NAME, "LSE", sums, ("f32",), 3)}
    strides = {name: strides_of(_NAME, name, views[name], layout, TILE if name in "KV" else None) for name in "QKVO"}
    rows = shape.batch * shape.hq * shape.q
    code: dict[str, object] = {name: getattr(config, name) for name in ("dtype", "d", "mask", "cache")}
    stream, whole = stream_of(q), strides["O"]
    if count > 1:
        parts = [empty_like(_NAME, q, (count, rows, width), dtype="f32") for width in (d, 1)]
        views |= {name: view(_NAME, name, part, ("f32",)) for name, part in zip("PL", parts, strict=True)}
        strides["O"] = (shape.hq * shape.q * d, shape.q * d, d)
    launch = make_launch(
        shape, strides, (shape.hq * shape.q, shape.q), factor, window, count, (rows * d, rows) if count > 1 else None
    )
    arrays = {name: one.flat() for name, one in views.items()}
    used = {name: arrays[name] for name in launch.args if isinstance(name, str)}
    run(place, "decode", code | {"parts": "yes" if count > 1 else "no"}, launch, used, stream)
    if count > 1:
        again = combine_launch(shape, count, whole)
        used = {name: arrays[name] for name in again.args if isinstance(name, str)}
        run(place, "decode_combine", {"dtype": config.dtype, "d": d}, again, used, stream)
    return (out, sums) if lse else out


def _numbers(name: str, array: object, dimensions: int) -> View:
    """Return lengths or table as a view. Raises LaunchError for another type, or rows that lie apart."""
    found = view(_NAME, name, array, ("i32",), dimensions)
    if not found.contiguous:
        raise LaunchError(f"{_NAME}: {name} has strides of {list(found.strides)} bytes", hint="x.contiguous()")
    return found


def _shape(views: dict[str, View], layout: str) -> tuple[Shape, int]:
    """Return sizes and head size. Raises LaunchError where the arrays do not fit together."""
    table = views.get("table")
    (batch, hq, queries, d), (count, hkv, keys, _) = fitting_heads(_NAME, views, layout, cache=True)
    numbers = {"lengths": views["lengths"].shape[0], **({"k": count} if table is None else {"table": table.shape[0]})}
    if wrong := next((name for name, number in numbers.items() if number != batch), None):
        raise LaunchError(f"{_NAME}: {wrong} is of {numbers[wrong]} sequences, q of {batch}")
    if table is None:
        return Shape(batch, hq, hkv, queries, keys), d
    if keys not in BLOCK_SIZES:
        raise LaunchError(
            f"{_NAME}: blocks of {keys} keys", hint=f"a power of two from {BLOCK_SIZES[0]} to {BLOCK_SIZES[-1]}"
        )
    return Shape(batch, hq, hkv, queries, table.shape[1], count, keys), d


def _splits(given: int | None, shape: Shape, longest: int | None, place: Place) -> int:
    """Return the number of splits. Raises LaunchError for one that is not declared."""
    if given is not None:
        if not 1 <= given <= MOST_SPLITS:
            raise LaunchError(f"{_NAME}: splits {given}", hint=f"1 to {MOST_SPLITS}")
        return given
    room = shape.room * max(shape.page, 1)
    properties = getattr(place.target, "properties", None)
    cus = properties.compute_units if properties is not None else get_chip(DEFAULT_CHIP[place.arch]).cus
    return choose_splits(shape.work, min(room, room if longest is None else longest), cus)

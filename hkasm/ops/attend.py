"""Attention of arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hkasm.errors import LaunchError, known_keywords
from hkasm.kernels.attention.declared import HEAD_STEP, REACH, AttentionConfig
from hkasm.kernels.attention.launch import Shape, Strides, make_launch
from hkasm.ops.arrays import empty_like, stream_of
from hkasm.ops.launcher import place_of, run
from hkasm.runtime import Device
from hkasm.runtime.tensors import View, view_of

__all__ = ["AXES", "attention", "fitting_heads", "strides_of", "view_heads"]

_KERNEL = "attention"
_DTYPES = ("bf16", "f16")
_ALIGNMENT = 16
AXES = {"bshd": (0, 2, 1), "bhsd": (0, 1, 2)}
"""Where batch, heads and rows stand."""


@known_keywords()
def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    mask: str = "full",
    window: int = 1,
    scale: float | None = None,
    layout: str = "bshd",
    lse: bool = False,
    device: str | Device = "auto",
    arch: str | None = None,
) -> Any:
    """Return softmax(scale q k^T + mask) v, and with `lse` also the log-sum-exp [batch, heads, q] in f32.

    `torch.ops.hkasm.attention(q, k, v, causal=...)` is another: it takes [batch, heads, length, d], as torch does.
    `q`, `k`, `v` are [batch, length, heads, d] (`layout` ``bhsd``: [batch, heads, length, d]) in bf16 or f16; k's heads
    divide q's; d is 32 to 256, a multiple of 8, its elements side by side and rows at multiples of 16 bytes. `mask` is
    ``full``, ``causal`` (the last query sees the last key) or ``window`` (the last `window` of those keys); rows that
    see no key give 0 and -inf. `scale` is 1 / sqrt(d) if not given. NumPy arrays give NumPy arrays, torch tensors torch
    tensors; `device` and `arch` as for `gemm`.

    Raises:
        LaunchError: shapes, types, strides or devices do not fit.
        UsageError: an unknown mask or device, or a head size that the kernel does not declare.
        DeviceError: the GPU cannot be used.
        ToolchainError: there is nothing to build the kernel with.
    """
    if layout not in AXES:
        raise LaunchError(f"attention: no layout {layout!r}", hint=", ".join(AXES))
    views = {name: view_heads("attention", name, array) for name, array in zip("QKV", (q, k, v), strict=True)}
    (batch, hq, queries, d), (_, hkv, keys, _) = fitting_heads("attention", views, layout)
    shape = Shape(batch, hq, hkv, queries, keys)
    place = place_of(list(views.values()), device, arch)
    config = AttentionConfig.of(place.values_for(_KERNEL, {"dtype": views["Q"].dtype, "d": d, "mask": mask}))
    config = replace(config, schedule=config.order_for(shape.q))
    factor = d**-0.5 if scale is None else float(scale)
    if not (math.isfinite(factor) and factor > 0):
        raise LaunchError(f"attention: scale {factor}", hint="a positive number")
    if not 1 <= window < 1 << 31:
        raise LaunchError(f"attention: window {window}", hint="at least 1 key")
    out, rows = empty_like("attention", q), empty_like("attention", q, (shape.batch, shape.hq, shape.q), dtype="f32")
    views["O"] = view_heads("attention", "O", out)
    strides = {name: strides_of("attention", name, view, layout) for name, view in views.items()}
    arrays = {name: view.flat() for name, view in views.items()}
    found = view_of(rows)
    assert found is not None  # just made
    launch = make_launch(config, shape, strides, (shape.hq * shape.q, shape.q), factor, window, arch=place.arch)
    given: dict[str, object] = {
        "dtype": config.dtype, "d": config.d, "mask": config.mask, "schedule": config.schedule, "chip": config.chip,
    }  # fmt: skip
    run(place, _KERNEL, given, launch, arrays | {"LSE": found.flat()}, stream_of(q))
    return (out, rows) if lse else out


def view_heads(operator: str, name: str, array: object) -> View:
    """Return an array of heads as a view of four dimensions, f16 or bf16. Raises LaunchError for anything else."""
    view = view_of(array)
    if view is None:
        raise LaunchError(f"{operator}: {name} is a {type(array).__name__}, no array")
    if len(view.shape) != 4 or 0 in view.shape:
        raise LaunchError(f"{operator}: {name} is {list(view.shape)}", hint="four dimensions, none of them empty")
    if view.dtype not in _DTYPES:
        raise LaunchError(
            f"{operator}: {name} is {view.dtype or 'of an unknown type'}, the kernel takes {', '.join(_DTYPES)}"
        )
    return view


def fitting_heads(
    operator: str, views: Mapping[str, View], layout: str, *, cache: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return batch, heads, rows and head size of q and of k; a `cache`'s batch may be blocks, and is left unlooked at.

    Raises LaunchError where q, k and v do not fit together.
    """
    q, k, v = (views[name].shape for name in "QKV")
    if len({views[name].dtype for name in "QKV"}) > 1:
        raise LaunchError(
            f"{operator}: types {', '.join(views[name].dtype for name in 'QKV')}", hint="one type for all"
        )

    def fits(layout: str) -> bool:
        batch, heads, _ = AXES[layout]
        return k == v and (q[batch] == k[batch] or cache) and q[3] == k[3] and not q[heads] % k[heads]

    axes = AXES[layout]
    if not fits(layout):
        other = next((one for one in AXES if fits(one)), None)
        raise LaunchError(
            f"{operator}: q {list(q)}, k {list(k)}, v {list(v)} ({layout})",
            hint=f"k and v alike; {'' if cache else 'batch and '}head size of q; heads that divide q's"
            + (f'; as layout="{other}" they fit' if other else ""),
        )
    return tuple(q[axis] for axis in (*axes, 3)), tuple(k[axis] for axis in (*axes, 3))


def strides_of(operator: str, name: str, view: View, layout: str, rows: int | None = None) -> Strides:
    """Return the strides in elements. Raises LaunchError for what 16-byte accesses of a head cannot reach.

    `rows` are those of a head that one descriptor covers, if not all.
    """
    element = view.strides[3] == view.item_bytes
    steps = [view.strides[axis] if view.shape[axis] > 1 else 0 for axis in AXES[layout]]
    if not element or view.address % _ALIGNMENT or any(step % (HEAD_STEP * view.item_bytes) for step in steps):
        raise LaunchError(
            f"{operator}: {name} has strides of {list(view.strides)} bytes from address {view.address:#x}",
            hint="a head's elements side by side, everything else at multiples of 16 bytes",
        )
    row = steps[2] or view.shape[3] * view.item_bytes
    if row < view.shape[3] * view.item_bytes or (rows or view.shape[AXES[layout][2]]) * row >= REACH:
        raise LaunchError(
            f"{operator}: rows of {name} are {row} bytes apart", hint=f"apart, a head within {REACH} bytes"
        )
    batch, head, row = (step // view.item_bytes for step in (steps[0], steps[1], row))
    return batch, head, row

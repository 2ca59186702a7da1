"""Matrix products of arrays."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from hkasm.errors import LaunchError
from hkasm.kernels import get_kernel
from hkasm.ops.launcher import place_of, run
from hkasm.runtime import Device
from hkasm.runtime.tensors import View, numpy_dtype, view_of

__all__ = ["gemm", "gemm_into"]

_KERNEL, _DTYPE = "gemm", "bf16"


def gemm(
    a: Any, b: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None, **config: object
) -> Any:
    """Return a @ b.T, summed in f32: `a` [m, k] and `b` [n, k] in bf16, as `torch.nn.functional.linear` has them.

    Rows may lie apart, elements of a row may not. NumPy arrays give a NumPy array, torch tensors a torch tensor; of
    other frameworks pass `out` [m, n] too, which is then returned. Arrays on a GPU stay there; for arrays on the host
    `device` says where it is computed: `auto` is a GPU if there is one, else the emulator, which is slow and says so
    once. `arch` is what the emulator shall be (gfx950), `config` what `hkasm kernels gemm` lists under code.

    Raises:
        LaunchError: shapes, types, layouts or devices do not fit, or `out` overlaps an input.
        UsageError: an unknown `config` or `device`.
        DeviceError: the GPU cannot be used.
        ToolchainError: there is nothing to build the kernel with.
    """
    torch: Any = sys.modules.get("torch")
    of_torch = torch is not None and isinstance(a, torch.Tensor)
    if out is None:
        if of_torch:
            out = torch.empty((a.shape[0], b.shape[0]), dtype=a.dtype, device=a.device)
        elif isinstance(a, np.ndarray):
            rows, columns = _view("a", a).shape[0], _view("b", b).shape[0]
            out = np.empty((rows, columns), a.dtype)
        else:
            raise LaunchError(f"gemm: pass out, a {type(a).__name__} cannot be made here")
    stream = torch.cuda.current_stream(a.device) if of_torch and a.is_cuda else None
    gemm_into(a, b, out, device=device, arch=arch, stream=stream, **config)
    return out


def gemm_into(
    a: Any,
    b: Any,
    out: Any,
    *,
    device: str | Device = "auto",
    arch: str | None = None,
    stream: object = None,
    **config: object,
) -> None:
    """Write a @ b.T into `out`; see `gemm`. On a GPU it is put on `stream` and not waited for."""
    views = {name: _view(name, array) for name, array in (("a", a), ("b", b), ("out", out))}
    (m, k), (n, depth) = views["a"].shape, views["b"].shape
    if depth != k:
        raise LaunchError(f"gemm: a is [{m}, {k}] and b is [{n}, {depth}]", hint="a [m, k] and b [n, k] give a @ b.T")
    if views["out"].shape != (m, n):
        raise LaunchError(f"gemm: out is {list(views['out'].shape)}, the product [{m}, {n}]")
    if m == 0 or n == 0:
        return
    if k == 0:
        raise LaunchError("gemm: k is 0, there is nothing to sum")
    pitches = {f"ld{letter}": _pitch(name, views[name]) for letter, name in (("a", "a"), ("b", "b"), ("c", "out"))}
    problem = get_kernel(_KERNEL).problem(m=m, n=n, k=k, **pitches)
    place = place_of(list(views.values()), device, arch)
    arrays = {"A": views["a"].flat(), "B": views["b"].flat(), "C": views["out"].flat()}
    run(place, _KERNEL, config, problem.launch(), arrays, stream)


def _view(name: str, array: object) -> View:
    view = view_of(array)
    if view is None:
        raise LaunchError(f"gemm: {name} is a {type(array).__name__}, no array")
    if len(view.shape) != 2:
        raise LaunchError(f"gemm: {name} has {len(view.shape)} dimensions, not 2")
    if view.dtype != _DTYPE:
        kind = numpy_dtype(_DTYPE)
        raise LaunchError(
            f"gemm: {name} is {view.dtype or 'of an unknown type'}, the kernel takes {_DTYPE}",
            hint=f"convert it: NumPy's {kind} is ml_dtypes.{kind}" if isinstance(array, np.ndarray) else None,
        )
    return view


def _pitch(name: str, view: View) -> int:
    """Return the elements from row to row. Raises LaunchError where a row is not one run of elements."""
    (rows, columns), (row, column) = view.shape, view.strides
    if columns > 1 and column != view.item_bytes:
        raise LaunchError(
            f"gemm: the elements of a row of {name} do not follow each other (strides of {list(view.strides)} bytes)",
            hint="copy it: numpy.ascontiguousarray(x), x.contiguous()",
        )
    if rows == 1:
        return columns
    if row % view.item_bytes or row < columns * view.item_bytes:
        raise LaunchError(f"gemm: rows of {name} overlap (strides of {list(view.strides)} bytes)")
    return row // view.item_bytes

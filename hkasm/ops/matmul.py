"""Matrix products of arrays."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from hkasm.errors import LaunchError, UsageError
from hkasm.kernels import get_kernel
from hkasm.ops.launcher import place_of, run
from hkasm.runtime import Device
from hkasm.runtime.tensors import View, numpy_dtype, view_of

__all__ = ["gemm", "gemm_into"]

_KERNEL = "gemm"
_DTYPES = {
    "bf16": "bf16", "f16": "f16", "f32": "f32", "i8": "i8",
    "f8_e4m3fn": "fp8", "f8_e4m3fnuz": "fp8", "f8_e5m2": "bf8", "f8_e5m2fnuz": "bf8",
}  # fmt: skip
"""The kernel's element types of A and B by those of arrays; whose fp8 it is, the arch decides."""
_FROM_ARRAYS = frozenset(("m", "n", "k", "lda", "ldb", "ldc", "dtype", "dtype_b", "out", "trans", "arch"))
"""Parameters of the kernel that the arrays decide."""
_OUTS = {**_DTYPES, "i32": "i32"}


def gemm(
    a: Any, b: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None, **config: object
) -> Any:
    """Return a @ b.T, summed in f32: `a` [m, k] and `b` [n, k], as `torch.nn.functional.linear` has them.

    Both in bf16, f16, f32, i8 (summed in i32) or an 8-bit float; the answer has the type of `out`, else that of `a`,
    i32 or bf16. Rows may lie apart, and for 16-bit types (and 8-bit ones on gfx950) `a` and `b` may be transposed
    views. NumPy arrays give a NumPy array, torch tensors a torch tensor; of other frameworks pass `out` [m, n] too,
    which is then returned. Arrays on a GPU stay there; for arrays on the host `device` says where it is computed:
    `auto` is a GPU if there is one, else the emulator, which is slow and says so once. `arch` is what the emulator
    shall be (gfx950), `config` are parameters that `hkasm kernels gemm` lists, all but those that the arrays decide
    (sizes, pitches, types, trans): ``tile="128x128"``, ``act="gelu"``.

    Raises:
        LaunchError: shapes, types, layouts or devices do not fit, or `out` overlaps an input.
        UsageError: an unknown `config` or `device`, or a combination that the kernel does not declare.
        DeviceError: the GPU cannot be used.
        ToolchainError: there is nothing to build the kernel with.
    """
    torch: Any = sys.modules.get("torch")
    of_torch = torch is not None and isinstance(a, torch.Tensor)
    if out is None:
        if of_torch:
            out = torch.empty((a.shape[0], b.shape[0]), dtype=_torch_type(torch, a.dtype), device=a.device)
        elif isinstance(a, np.ndarray):
            view, columns = _view("a", a, _DTYPES), _view("b", b, _DTYPES).shape[0]
            name = _out_type(view.dtype)
            out = np.empty((view.shape[0], columns), a.dtype if name == view.dtype else numpy_dtype(name))
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
    views = {"a": _view("a", a, _DTYPES), "b": _view("b", b, _DTYPES), "out": _view("out", out, _OUTS)}
    (m, k), (n, depth) = views["a"].shape, views["b"].shape
    if depth != k:
        raise LaunchError(f"gemm: a is [{m}, {k}] and b is [{n}, {depth}]", hint="a [m, k] and b [n, k] give a @ b.T")
    if views["out"].shape != (m, n):
        raise LaunchError(f"gemm: out is {list(views['out'].shape)}, the product [{m}, {n}]")
    if m == 0 or n == 0:
        return
    if k == 0:
        raise LaunchError("gemm: k is 0, there is nothing to sum")
    kernel = get_kernel(_KERNEL)
    if given := sorted(_FROM_ARRAYS & config.keys()):
        raise UsageError(f"gemm: {given[0]} follows from the arrays", hint="leave it out")
    turned = {name: _is_turned(views[name]) for name in "ab"}
    config |= {
        "dtype": _DTYPES[views["a"].dtype],
        "dtype_b": _DTYPES[views["b"].dtype],
        "out": _OUTS[views["out"].dtype],
        "trans": ("N" if turned["a"] else "T") + ("T" if turned["b"] else "N"),
    }
    place = place_of(list(views.values()), device, arch)
    config = place.values_for(_KERNEL, config)
    pitches = {
        "lda": _pitch("a", views["a"], turned["a"]),
        "ldb": _pitch("b", views["b"], turned["b"]),
        "ldc": _pitch("out", views["out"], False),
    }
    values = {"m": m, "n": n, "k": k, **pitches, **config}
    settled = kernel.settled(kernel.config(**config), {**values, "arch": place.arch})
    config |= {"tile": settled.tile, "work": settled.work}
    problem = kernel.problem_on(place.arch, values)
    arrays = {"A": views["a"].flat(), "B": views["b"].flat(), "C": views["out"].flat()}
    launch = problem.launch()
    scratch = problem.scratch()
    if lacking := [arg for arg in launch.args if isinstance(arg, str) and arg not in (*arrays, *scratch)]:
        raise UsageError(
            f"gemm: this configuration reads the array {lacking[0]} too, and gemm takes a, b and out",
            hint="launch the kernel by itself: hkasm bundle gemm",
        )
    run(place, _KERNEL, config, launch, arrays, stream, scratch)


def _out_type(dtype: str) -> str:
    """Return the type of the answer for inputs of a type."""
    return {"i8": "i32"}.get(dtype, "bf16" if dtype.startswith("f8") else dtype)


def _torch_type(torch: Any, dtype: Any) -> Any:
    if dtype == torch.int8:
        return torch.int32
    return torch.bfloat16 if dtype.itemsize == 1 else dtype


def _view(name: str, array: object, known: dict[str, str]) -> View:
    view = view_of(array)
    if view is None:
        raise LaunchError(f"gemm: {name} is a {type(array).__name__}, no array")
    if len(view.shape) != 2:
        raise LaunchError(f"gemm: {name} has {len(view.shape)} dimensions, not 2")
    if view.dtype not in known:
        raise LaunchError(
            f"gemm: {name} is {view.dtype or 'of an unknown type'}, the kernel takes {', '.join(known)}",
            hint="convert it: NumPy's bfloat16 is ml_dtypes.bfloat16" if isinstance(array, np.ndarray) else None,
        )
    return view


def _is_turned(view: View) -> bool:
    """Tell whether the elements of a column follow each other, and those of a row do not."""
    (rows, columns), (row, column) = view.shape, view.strides
    return rows > 1 and columns > 1 and row == view.item_bytes and column >= rows * view.item_bytes


def _pitch(name: str, view: View, turned: bool) -> int:
    """Return the elements from line to line. Raises LaunchError where a line is not one run of elements."""
    (rows, columns), (row, column) = view.shape, view.strides
    if turned:
        rows, columns, row, column = columns, rows, column, row
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

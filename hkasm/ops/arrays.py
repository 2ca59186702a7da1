"""What operators do with anybody's arrays: read them, make outputs like them, find the stream they are used on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from hkasm.errors import LaunchError
from hkasm.runtime.tensors import View, numpy_dtype, view_of

__all__ = ["empty_like", "rows_of", "stream_of", "torch_name", "view"]


def view(operator: str, name: str, array: object, dtypes: Sequence[str], dimensions: int | None = None) -> View:
    """Return an argument as a view of one of `dtypes`. Raises LaunchError, naming operator and argument."""
    found = view_of(array)
    if found is None:
        raise LaunchError(f"{operator}: {name} is a {type(array).__name__}, no array")
    if dimensions is not None and len(found.shape) != dimensions:
        raise LaunchError(f"{operator}: {name} has {len(found.shape)} dimensions, not {dimensions}")
    if found.dtype not in dtypes:
        raise LaunchError(
            f"{operator}: {name} is {found.dtype or 'of an unknown type'}, the kernel takes {', '.join(dtypes)}",
            hint="convert it: NumPy's bfloat16 is ml_dtypes.bfloat16" if isinstance(array, np.ndarray) else None,
        )
    return found


def empty_like(operator: str, array: Any, shape: Sequence[int] | None = None, *, dtype: str = "") -> Any:
    """Return a new array of the same framework and device, of another type if one is named.

    Raises LaunchError for a framework unknown here.
    """
    wanted = tuple(array.shape if shape is None else shape)
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        kind = getattr(torch, torch_name(dtype)) if dtype else array.dtype
        return torch.empty(wanted, dtype=kind, device=array.device)
    if isinstance(array, np.ndarray):
        return np.empty(wanted, numpy_dtype(dtype) if dtype else array.dtype)
    raise LaunchError(f"{operator}: pass out, a {type(array).__name__} cannot be made here")


def torch_name(dtype: str) -> str:
    """Return torch's name of one of hkasm's element types."""
    for short, name in (("bf", "bfloat"), ("f", "float"), ("u", "uint"), ("i", "int")):
        if dtype.startswith(short):
            return name + dtype[len(short) :]
    return dtype


def stream_of(array: Any) -> object:
    """Return torch's current stream on a tensor's GPU, or None."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor) and array.is_cuda:
        return torch.cuda.current_stream(array.device)
    return None


def rows_of(operator: str, name: str, found: View) -> tuple[int, int, int]:
    """Return rows, elements of a row, and elements from row to row of an array [..., n].

    Raises:
        LaunchError: elements of a row lie apart, rows overlap, or leading dimensions are not one run of rows.
    """
    if not found.shape:
        raise LaunchError(f"{operator}: {name} has no dimension")
    *leading, n = found.shape
    *steps, step = found.strides
    if 0 in found.shape:
        return 0, n, n
    if n > 1 and step != found.item_bytes:
        raise LaunchError(
            f"{operator}: the elements of a row of {name} do not follow each other", hint="x.contiguous()"
        )
    rows, pitch = 1, n * found.item_bytes
    for count, stride in zip(reversed(leading), reversed(steps), strict=True):
        if rows == 1:
            pitch = stride if count > 1 else pitch
        elif count > 1 and stride != rows * pitch:
            raise LaunchError(f"{operator}: the rows of {name} lie at no one distance", hint="x.contiguous()")
        rows *= count
    if rows > 1 and (pitch % found.item_bytes or pitch < n * found.item_bytes):
        raise LaunchError(f"{operator}: rows of {name} overlap (strides of {list(found.strides)} bytes)")
    return rows, n, pitch // found.item_bytes

"""Arrays of anybody's as addresses with shape, strides and element type: NumPy, DLPack, `__cuda_array_interface__`.

Nothing is imported from a framework, and nothing is copied. DLPack's structures are read as its header declares them
(dlpack.h, version 0.8 and the unversioned capsule that every framework still gives).
"""

from __future__ import annotations

import ctypes
import math
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hkasm.errors import LaunchError

__all__ = [
    "CPU",
    "View",
    "dtype_name",
    "element_bytes",
    "empty_array",
    "host_array",
    "numpy_dtype",
    "view_of",
]

CPU: Final = -1
"""The place of host memory; a GPU's place is its number."""

_DLPACK_HOST: Final = (1, 3, 11)  # kDLCPU, kDLCUDAHost, kDLROCMHost
_DLPACK_GPU: Final = (2, 10)  # kDLCUDA, kDLROCM
_NO_SYNCHRONISATION: Final = -1  # a value of DLPack's `stream`
_DLPACK_KINDS: Final = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "bool"}
_DLPACK_F8: Final = {10: "f8_e4m3fn", 11: "f8_e4m3fnuz", 12: "f8_e5m2", 13: "f8_e5m2fnuz", 14: "f8_e8m0fnu"}
_ML_DTYPES: Final = {
    "bf16": "bfloat16",
    "f8_e4m3fn": "float8_e4m3fn",
    "f8_e4m3fnuz": "float8_e4m3fnuz",
    "f8_e5m2": "float8_e5m2",
    "f8_e5m2fnuz": "float8_e5m2fnuz",
    "f8_e8m0fnu": "float8_e8m0fnu",
}
_NAMES: Final = {name: short for short, name in _ML_DTYPES.items()}
_NUMPY_KINDS: Final = {"f": "f", "i": "i", "u": "u"}
_NUMBERS: Final = "?biufcV"
"""Kinds of NumPy types that a buffer may hold; V are ml_dtypes' and structures."""


def host_array(values: ArrayLike) -> NDArray[Any]:
    """Return the array that a buffer begins with.

    Raises:
        LaunchError: the values make no array of numbers.
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise LaunchError(f"a buffer begins as an array, got {reprlib.repr(values)}: {error}") from None
    _check_numbers(array.dtype)
    return array


def empty_array(shape: int | Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array that nobody has written.

    Raises:
        LaunchError: no such shape or type, or no memory for it.
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise LaunchError(f"a buffer's dtype is one of NumPy's or ml_dtypes', got {dtype!r}") from None
    _check_numbers(kind)
    try:
        return np.empty(shape, kind)
    except (TypeError, ValueError):
        raise LaunchError(f"a buffer's shape is a whole number or several, got {shape!r}") from None
    except MemoryError:
        raise LaunchError(f"no memory for a buffer of shape {shape!r} and dtype {kind}") from None


def _check_numbers(dtype: np.dtype[Any]) -> None:
    if dtype.hasobject:
        raise LaunchError(f"a buffer holds numbers, got an array of Python objects ({dtype})")
    if dtype.kind not in _NUMBERS:
        raise LaunchError(f"a buffer holds numbers, got {dtype}")


@dataclass(frozen=True)
class View:
    """Memory with a shape: `address` is that of element 0, `strides` are bytes, `place` is CPU or a GPU's number.

    `owner` keeps the memory alive. `dtype` is hkasm's name of the element type, or empty if it has none.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    item_bytes: int
    place: int
    writable: bool
    owner: object

    @property
    def nbytes(self) -> int:
        """Bytes from the first to the end of the last element; strides are not negative."""
        if 0 in self.shape:
            return 0
        return sum((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True)) + self.item_bytes

    @property
    def contiguous(self) -> bool:
        """Whether the elements follow each other in C order."""
        return 0 in self.shape or all(
            n == 1 or step == want
            for n, step, want in zip(self.shape, self.strides, dense(self.shape, self.item_bytes), strict=True)
        )

    def flat(self) -> View:
        """Return all memory from the first to the last element as one row."""
        return View(
            self.address,
            (self.nbytes // self.item_bytes,),
            (self.item_bytes,),
            self.dtype,
            self.item_bytes,
            self.place,
            self.writable,
            self.owner,
        )

    def host_bytes(self) -> NDArray[np.uint8]:
        """Return the memory from the first to the last element of a view on the CPU, not copied."""
        if not self.nbytes:
            return np.zeros(0, np.uint8)
        return np.ctypeslib.as_array((ctypes.c_uint8 * self.nbytes).from_address(self.address))

    def array(self) -> NDArray[Any]:
        """Return a contiguous view on the CPU as the NumPy array it is; bytes for a type that NumPy lacks."""
        kind = numpy_dtype(self.dtype)
        return self.host_bytes() if kind is None else self.host_bytes().view(kind).reshape(self.shape)


def dense(shape: Sequence[int], item_bytes: int) -> tuple[int, ...]:
    """Return the strides in bytes of a C-contiguous array."""
    return tuple(item_bytes * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def view_of(value: object) -> View | None:
    """Return what an array object holds, or None if it is no array.

    Raises:
        LaunchError: an array that cannot be read: negative strides, a gradient to keep, a device of another kind.
    """
    if isinstance(value, View):
        return value
    if isinstance(value, np.ndarray):
        return _checked(_numpy_view(value))
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _checked(_dlpack_view(value))
    described = _described(value)
    return None if described is None else _checked(_interface_view(value, described))


def numpy_dtype(name: str) -> np.dtype[Any] | None:
    """Return NumPy's (or ml_dtypes') type of one of hkasm's names, or None."""
    if name in _ML_DTYPES:
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))
        return found
    if name == "bool":
        return np.dtype(np.bool_)
    kind, bits = name[:1], name[1:]
    return np.dtype(f"{kind}{int(bits) // 8}") if kind in _NUMPY_KINDS and bits in ("8", "16", "32", "64") else None


def element_bytes(name: str) -> int:
    """Return the bytes of an element by the name of its type, or 0 for a name that says nothing about memory."""
    kind = numpy_dtype(name)
    return 0 if kind is None else kind.itemsize


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Return hkasm's name of a NumPy type, or an empty text."""
    if dtype.name in _NAMES:
        return _NAMES[dtype.name]
    if dtype.kind == "b":
        return "bool"
    native = dtype.isnative and dtype.kind in _NUMPY_KINDS
    return f"{_NUMPY_KINDS[dtype.kind]}{8 * dtype.itemsize}" if native else ""


def _checked(view: View) -> View:
    if any(step < 0 for step in view.strides):
        raise LaunchError("an array with a negative stride cannot be passed", hint="copy it first")
    return view


def _numpy_view(array: NDArray[Any]) -> View:
    flags = array.flags
    name = dtype_name(array.dtype)
    return View(
        array.ctypes.data, array.shape, array.strides, name, array.dtype.itemsize, CPU, bool(flags.writeable), array
    )


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def _dlpack_view(value: Any) -> View:
    kind, number = (int(part) for part in value.__dlpack_device__())
    if kind not in _DLPACK_HOST + _DLPACK_GPU:
        raise LaunchError(f"an array of DLPack's device kind {kind} cannot be passed", hint="CPU and ROCm arrays can")
    on_gpu = kind in _DLPACK_GPU
    try:
        # The launch goes to the framework's own stream, so there is nothing to wait for.
        capsule = value.__dlpack__(stream=_NO_SYNCHRONISATION) if on_gpu else value.__dlpack__()
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise LaunchError(
            f"the {type(value).__name__} cannot be passed: {_first_line(error)}",
            hint="detach() a tensor with gradients",
        ) from None
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(read(capsule, b"dltensor"))
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    bits = tensor.bits * tensor.lanes
    item_bytes = -(-bits // 8)
    if tensor.strides:
        strides = tuple(tensor.strides[axis] * item_bytes for axis in range(tensor.ndim))
    else:
        strides = dense(shape, item_bytes)
    address = (tensor.data or 0) + tensor.byte_offset
    return View(
        address, shape, strides, _dlpack_name(tensor), item_bytes, number if on_gpu else CPU, True, (capsule, value)
    )


def _dlpack_name(tensor: _DLTensor) -> str:
    if tensor.lanes != 1:
        return ""
    if tensor.code in _DLPACK_F8 and tensor.bits == 8:
        return _DLPACK_F8[tensor.code]
    kind = _DLPACK_KINDS.get(tensor.code, "")
    return kind if kind in ("", "bool") else f"{kind}{tensor.bits}"


def _described(value: object) -> dict[str, Any] | None:
    """Return what `__cuda_array_interface__` says, on ROCm as on CUDA; frameworks raise from it for host arrays."""
    try:
        said = getattr(value, "__cuda_array_interface__", None)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        raise LaunchError(f"the {type(value).__name__} cannot be passed: {_first_line(error)}") from None
    return said if isinstance(said, dict) else None


def _interface_view(value: object, said: dict[str, Any]) -> View:
    try:
        kind = np.dtype(said["typestr"])
        address, read_only = said["data"]
        shape = tuple(int(n) for n in said["shape"])
        strides = said.get("strides")
        steps = dense(shape, kind.itemsize) if strides is None else tuple(int(step) for step in strides)
    except (KeyError, TypeError, ValueError) as error:
        raise LaunchError(f"the {type(value).__name__} describes itself wrongly: {error!r}") from None
    device = getattr(value, "device", None)
    number = getattr(device, "index", getattr(device, "id", 0))
    return View(
        int(address or 0),
        shape,
        steps,
        dtype_name(kind),
        kind.itemsize,
        number if isinstance(number, int) else 0,
        not read_only,
        value,
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")

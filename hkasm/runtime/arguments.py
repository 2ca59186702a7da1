"""Kernel arguments: Python values into the bytes of the kernarg segment."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from hkasm.asm.codeobject import KernelImage
from hkasm.asm.program import KernelArg
from hkasm.errors import LaunchError

__all__ = ["pack_arguments"]

_FLOATS: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
_FLOAT_BY_SIZE: dict[int, Any] = {2: np.float16, 4: np.float32, 8: np.float64}


def pack_arguments(kernel: KernelImage, args: Sequence[object]) -> bytes:
    """Return the kernarg segment of values in the kernel's order.

    A pointer takes anything with an `address`, or an integer; a value takes an integer, a float, or a NumPy scalar or
    array of its exact size. Implicit arguments are the launch's business.

    Raises:
        LaunchError: the number of arguments, or one of them, does not fit what the kernel's metadata says.
    """
    wanted = [arg for arg in kernel.args if not arg.kind.startswith("hidden_")]
    if not wanted and args:
        raise LaunchError(
            f"{kernel.name}: the code object does not say what arguments it takes",
            hint="pass the raw segment: kernarg=b'...'",
        )
    if len(wanted) != len(args):
        names = ", ".join(arg.name for arg in wanted)
        raise LaunchError(f"{kernel.name} takes {len(wanted)} arguments ({names}), got {len(args)}")
    segment = bytearray(max((arg.offset + arg.size for arg in wanted), default=0))
    for arg, value in zip(wanted, args, strict=True):
        segment[arg.offset : arg.offset + arg.size] = _pack(kernel, arg, value)
    return bytes(segment)


def _pack(kernel: KernelImage, arg: KernelArg, value: object) -> bytes:
    address = getattr(value, "address", None)
    if address is not None:
        if arg.size != 8:
            raise _mismatch(kernel, arg, "a buffer")
        return struct.pack("<Q", int(address))
    if isinstance(value, (np.generic, np.ndarray)):
        raw = value.tobytes()
        if len(raw) == arg.size and arg.kind != "pointer":
            return raw
        if isinstance(value, np.ndarray):
            hint = "make a buffer of it: dev.buffer(array)" if arg.kind == "pointer" else None
            raise _mismatch(kernel, arg, f"an array of {len(raw)} bytes", hint)
        value = value.item()
    if isinstance(value, (bool, int)):
        return _pack_integer(kernel, arg, int(value))
    if isinstance(value, float) and arg.kind != "pointer":
        kind = _FLOATS.get(arg.dtype) if arg.dtype else _FLOAT_BY_SIZE.get(arg.size)
        if kind is not None and np.dtype(kind).itemsize == arg.size:
            return bytes(kind(value).tobytes())
    raise _mismatch(kernel, arg, f"{type(value).__name__} {value!r}")


def _pack_integer(kernel: KernelImage, arg: KernelArg, value: int) -> bytes:
    if arg.kind != "pointer" and arg.dtype in _FLOATS:
        return bytes(_FLOATS[arg.dtype](value).tobytes())
    if not -(1 << (8 * arg.size - 1)) <= value < 1 << 8 * arg.size:
        raise _mismatch(kernel, arg, f"{value}, which does not fit")
    return (value & ((1 << 8 * arg.size) - 1)).to_bytes(arg.size, "little")


def _mismatch(kernel: KernelImage, arg: KernelArg, got: str, hint: str | None = None) -> LaunchError:
    what = "a pointer" if arg.kind == "pointer" else f"{arg.dtype or 'a value'} of {arg.size} bytes"
    return LaunchError(f"{kernel.name}: argument {arg.name!r} is {what}, got {got}", hint=hint)

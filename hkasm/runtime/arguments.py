"""Kernel arguments: Python values, checked against what the kernel says of itself, into the kernarg segment.

A pointer takes a buffer of the device, an array (NumPy, torch, cupy, jax: anything with DLPack or
`__cuda_array_interface__`) or an address. An array that lies on the device is passed as it is; one on the host is
copied there, and copied back behind the launch if the kernel writes to it.
"""

from __future__ import annotations

import reprlib
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.codeobject import KernelImage
from hkasm.asm.program import KernelArg
from hkasm.errors import HkasmError, LaunchError
from hkasm.runtime.tensors import CPU, View, dtype_name, element_bytes, view_of

__all__ = ["Bound", "Pointer", "bind", "bind_segment", "explicit_arguments", "given_arguments", "pack_arguments"]

_FLOATS: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
_FLOAT_BY_SIZE: dict[int, Any] = {2: np.float16, 4: np.float32, 8: np.float64}


class HostBuffer(Protocol):
    """A buffer as binding needs it."""

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def numpy(self) -> NDArray[Any]: ...

    def free(self) -> None: ...


class Target(Protocol):
    """A device as binding needs it: `place` is its GPU's number, or CPU for one that has none."""

    @property
    def name(self) -> str: ...

    @property
    def place(self) -> int: ...

    def buffer(self, array: NDArray[Any]) -> HostBuffer: ...


@dataclass(frozen=True)
class Pointer:
    """What a pointer argument points to on the device.

    `nbytes` is None for a bare address, `dtype` empty where nobody said. `home` is the caller's own array where this is
    a copy of it.
    """

    arg: KernelArg
    address: int
    nbytes: int | None
    dtype: str = ""
    shape: tuple[int, ...] = ()
    home: View | None = None

    def overlaps(self, other: Pointer) -> bool:
        """Tell whether the memory that the caller named for both shares a byte."""
        if (self.home is None) != (other.home is None):
            return False
        start, size = (self.home.address, self.home.nbytes) if self.home else (self.address, self.nbytes)
        low, more = (other.home.address, other.home.nbytes) if other.home else (other.address, other.nbytes)
        if size is None or more is None:
            return start == low
        return start < low + more and low < start + size


@dataclass(frozen=True)
class Bound:
    """Arguments ready for a launch: the kernarg segment, and where its pointers point."""

    segment: bytes
    pointers: tuple[Pointer, ...]


def explicit_arguments(kernel: KernelImage) -> list[KernelArg]:
    """Return the arguments that a caller gives; implicit ones are the launch's business."""
    return [arg for arg in kernel.args if not arg.kind.startswith("hidden_")]


def given_arguments(kernel: KernelImage, args: object) -> list[object]:
    """Return the arguments that a caller gave as a list; None gives none.

    Raises:
        LaunchError: they are no list or tuple.
    """
    if args is None:
        return []
    if not isinstance(args, (list, tuple)):
        names = ", ".join(arg.name for arg in explicit_arguments(kernel))
        raise LaunchError(
            f"{kernel.name}: args is a list of the kernel's arguments, got {type(args).__name__} {reprlib.repr(args)}",
            hint=f"args=[{names}]",
        )
    return list(args)


@contextmanager
def bind(
    kernel: KernelImage, args: Sequence[object] | None, target: Target, *, allow_aliasing: bool = False
) -> Iterator[Bound]:
    """Check arguments and make the kernarg segment; arrays on the host live on the device inside the `with` block.

    When the block ends without an error, arrays on the host that the kernel writes to are copied back; in any case the
    device's copies are freed.

    Raises:
        LaunchError: the number of arguments, or a type, rank, layout, alignment, device or overlap is not what the
            kernel's metadata allows.
    """
    args = given_arguments(kernel, args)
    wanted = _matched(kernel, args)
    values: list[object] = []
    pointers: list[Pointer] = []
    returns: list[tuple[View, HostBuffer]] = []
    with _freed() as copies:
        for arg, value in zip(wanted, args, strict=True):
            if arg.kind != "pointer":
                values.append(value)
                continue
            view = value if isinstance(value, View) else None if hasattr(value, "address") else view_of(value)
            if view is None:
                pointer = _pointer(kernel, arg, value)
            else:
                _check_view(kernel, arg, view, target)
                pointer = Pointer(arg, view.address, view.nbytes, view.dtype, view.shape)
                if view.place == CPU:
                    copy = target.buffer(view.host_bytes())
                    copies.append(copy)
                    pointer = replace(pointer, address=copy.address, home=view)
                    if arg.access != "read":
                        returns.append((view, copy))
            _check_alignment(kernel, pointer)
            pointers.append(pointer)
            values.append(pointer)
        _check_aliasing(kernel, pointers, allow_aliasing)
        yield Bound(pack_arguments(kernel, values), tuple(pointers))
        for view, copy in returns:
            view.host_bytes()[:] = copy.numpy()


@contextmanager
def _freed() -> Iterator[list[HostBuffer]]:
    """Free what is put into the list, in any case; an error that is under way is the one to tell."""
    buffers: list[HostBuffer] = []
    try:
        yield buffers
    except BaseException:
        for buffer in buffers:
            with suppress(HkasmError):
                buffer.free()
        raise
    for buffer in buffers:
        buffer.free()


def bind_segment(kernel: KernelImage, segment: bytes) -> Bound:
    """Return a raw kernarg segment with the pointers that the kernel's metadata sees in it; only its type is checked.

    Raises:
        LaunchError: it is not bytes.
    """
    try:
        segment = bytes(memoryview(segment))
    except TypeError:
        raise LaunchError(f"kernel arguments are bytes, got {segment!r}", where=kernel.name) from None
    pointers = [
        Pointer(arg, int.from_bytes(segment[arg.offset : arg.offset + 8], "little"), None)
        for arg in explicit_arguments(kernel)
        if arg.kind == "pointer" and arg.offset + 8 <= len(segment)
    ]
    return Bound(segment, tuple(pointers))


def pack_arguments(kernel: KernelImage, args: Sequence[object]) -> bytes:
    """Return the kernarg segment of values in the kernel's order.

    A pointer takes anything with an `address`, or an integer; a value takes an integer, a float, or a NumPy scalar or
    array of its exact size.

    Raises:
        LaunchError: the number of arguments, or one of them, does not fit what the kernel's metadata says.
    """
    wanted = _matched(kernel, args)
    segment = bytearray(max((arg.offset + arg.size for arg in wanted), default=0))
    for arg, value in zip(wanted, args, strict=True):
        segment[arg.offset : arg.offset + arg.size] = _pack(kernel, arg, value)
    return bytes(segment)


def _matched(kernel: KernelImage, args: Sequence[object]) -> list[KernelArg]:
    wanted = explicit_arguments(kernel)
    if not wanted and args:
        raise LaunchError(
            f"{kernel.name}: the code object does not say what arguments it takes",
            hint="pass the raw segment: kernarg=b'...'",
        )
    if len(wanted) != len(args):
        names = ", ".join(arg.name for arg in wanted)
        raise LaunchError(f"{kernel.name} takes {len(wanted)} arguments ({names}), got {len(args)}")
    return wanted


# ---- pointers --------------------------------------------------------------------------------------------------------


def _pointer(kernel: KernelImage, arg: KernelArg, value: object) -> Pointer:
    """Return what a buffer, or an address, points to."""
    if isinstance(value, (bool, float)) or not (isinstance(value, (int, np.integer)) or hasattr(value, "address")):
        raise _mismatch(kernel, arg, f"{type(value).__name__} {reprlib.repr(value)}")
    if isinstance(value, (int, np.integer)):
        if not 0 <= int(value) < 1 << 64:
            raise _mismatch(kernel, arg, f"{value}, which does not fit")
        return Pointer(arg, int(value), None)
    if getattr(value, "freed", False):
        raise LaunchError(f"{kernel.name}: argument {arg.name!r} is a buffer that was freed")
    kind = getattr(value, "dtype", None)
    pointer = Pointer(
        arg,
        int(value.address),
        getattr(value, "nbytes", None),
        dtype_name(kind) if isinstance(kind, np.dtype) else "",
        tuple(getattr(value, "shape", ())),
    )
    _check_dtype(kernel, arg, pointer.dtype)
    return pointer


def _check_view(kernel: KernelImage, arg: KernelArg, view: View, target: Target) -> None:
    _check_dtype(kernel, arg, view.dtype)
    if arg.rank and len(view.shape) not in (arg.rank, 1):
        raise LaunchError(
            f"{kernel.name}: argument {arg.name!r} has {arg.rank} dimensions, got shape {list(view.shape)}"
        )
    if not view.contiguous:
        raise LaunchError(
            f"{kernel.name}: argument {arg.name!r} is not contiguous (strides of {list(view.strides)} bytes)",
            hint="copy it: numpy.ascontiguousarray(x), x.contiguous()",
        )
    if arg.access != "read" and not view.writable:
        raise LaunchError(f"{kernel.name}: argument {arg.name!r} is written to, got a read-only array")
    if view.place not in (CPU, target.place):
        raise LaunchError(f"{kernel.name}: argument {arg.name!r} is on GPU {view.place}, the launch on {target.name}")


def _check_dtype(kernel: KernelImage, arg: KernelArg, got: str) -> None:
    """Raise for elements of another type; bits in unsigned integers of the same size stand for any type."""
    if not got or not arg.dtype or got == arg.dtype:
        return
    want, have = element_bytes(arg.dtype), element_bytes(got)
    bits = got[0] == "u" or (got[0] == "i" and arg.dtype[0] == "u")
    if not want or (want == have and bits):
        return
    raise LaunchError(f"{kernel.name}: argument {arg.name!r} points to {arg.dtype}, got {got}")


def _check_alignment(kernel: KernelImage, pointer: Pointer) -> None:
    align = element_bytes(pointer.arg.dtype)
    if align and pointer.address % align:
        raise LaunchError(
            f"{kernel.name}: argument {pointer.arg.name!r} is at {pointer.address:#x}, "
            f"not at a multiple of {pointer.arg.dtype}'s {align} bytes"
        )


def _check_aliasing(kernel: KernelImage, pointers: Sequence[Pointer], allowed: bool) -> None:
    """Raise where memory that is written to is another argument's too; only hkasm's own objects say who writes."""
    if kernel.hkasm is None:
        return
    for number, one in enumerate(pointers):
        for other in pointers[number + 1 :]:
            if (one.arg.access == "read" and other.arg.access == "read") or not one.overlaps(other):
                continue
            if one.home is not None:
                hint = "make one buffer of it: dev.buffer(array)" if allowed else None
            elif allowed:
                continue
            else:
                hint = "allow_aliasing=True, if the kernel is made for it"
            names = f"{one.arg.name!r} and {other.arg.name!r}"
            raise LaunchError(
                f"{kernel.name}: arguments {names} overlap, and the kernel writes to one of them", hint=hint
            )


# ---- bytes -----------------------------------------------------------------------------------------------------------


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
            raise _mismatch(kernel, arg, f"an array of {len(raw)} bytes")
        value = value.item()
    if isinstance(value, (bool, int)):
        return _pack_integer(kernel, arg, int(value))
    if isinstance(value, float) and arg.kind != "pointer":
        kind = _FLOATS.get(arg.dtype) if arg.dtype else _FLOAT_BY_SIZE.get(arg.size)
        if kind is not None and np.dtype(kind).itemsize == arg.size:
            return _pack_float(kernel, arg, kind, value)
    raise _mismatch(kernel, arg, f"{type(value).__name__} {reprlib.repr(value)}")


def _pack_integer(kernel: KernelImage, arg: KernelArg, value: int) -> bytes:
    if arg.kind != "pointer" and arg.dtype in _FLOATS:
        return _pack_float(kernel, arg, _FLOATS[arg.dtype], value)
    bits = 8 * arg.size  # none, as damaged metadata may have it, hold no value
    if not bits or not -(1 << (bits - 1)) <= value < 1 << bits:
        raise _mismatch(kernel, arg, f"{value}, which does not fit")
    return (value & ((1 << bits) - 1)).to_bytes(arg.size, "little")


def _pack_float(kernel: KernelImage, arg: KernelArg, kind: Any, value: float) -> bytes:
    """Return the bits of a number as the argument's type; one too large for it is refused, infinity is not."""
    try:
        with np.errstate(over="raise"):
            return bytes(kind(value).tobytes())
    except (FloatingPointError, OverflowError):
        raise _mismatch(kernel, arg, f"{reprlib.repr(value)}, which does not fit") from None


def _mismatch(kernel: KernelImage, arg: KernelArg, got: str) -> LaunchError:
    what = "a pointer" if arg.kind == "pointer" else f"{arg.dtype or 'a value'} of {arg.size} bytes"
    return LaunchError(f"{kernel.name}: argument {arg.name!r} is {what}, got {got}")

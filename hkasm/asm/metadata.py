"""Read a code object's metadata note: what the compiler told the runtime about each kernel.

MessagePack in an NT_AMDGPU_METADATA note (code object V3 to V6; LLVM's "User Guide for AMDGPU Backend", Code Object
Metadata). Hand-written objects may have none, or say little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgpack

from hkasm.asm.elf import Note
from hkasm.asm.program import KernelArg
from hkasm.errors import CodeObjectError

__all__ = ["kernel_args", "read_metadata"]

NOTE_OWNER: Final = "AMDGPU"
NOTE_TYPE: Final = 32  # NT_AMDGPU_METADATA
MAX_METADATA_BYTES: Final = 64 << 20
MAX_KERNARG_BYTES: Final = 1 << 16

_ACCESS: Final = {"read_only": "read", "write_only": "write", "read_write": "readwrite"}
_POINTERS: Final = ("global_buffer", "dynamic_shared_pointer")
# `.value_type` went with code object V3, but some compilers still write it.
_VALUE_TYPES: Final = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")


def read_metadata(notes: Iterable[Note]) -> dict[str, Mapping[str, object]]:
    """Return each kernel's metadata by the kernel's name; empty if there is no note.

    Raises CodeObjectError if there is a note that cannot be understood.
    """
    found: dict[str, Mapping[str, object]] = {}
    for note in notes:
        if note.owner != NOTE_OWNER or note.type != NOTE_TYPE:
            continue
        kernels = _unpack(note.data).get("amdhsa.kernels", [])
        if not isinstance(kernels, list):
            raise _damaged("amdhsa.kernels is not a list")
        for kernel in kernels:
            if not isinstance(kernel, dict):
                raise _damaged("a kernel is not a map")
            name = kernel.get(".name")
            symbol = kernel.get(".symbol")
            if not isinstance(name, str) or not isinstance(symbol, str | None):
                raise _damaged("a kernel has no name")
            found[symbol.removesuffix(".kd") if symbol else name] = kernel
    return found


def kernel_args(kernel: Mapping[str, object]) -> tuple[KernelArg, ...]:
    """Return the arguments that a kernel's metadata names, in its order.

    `kind` is `pointer` or `value`, or for what the runtime has to fill in the metadata's own `hidden_...`. Element
    types and ranks are not in the metadata: `dtype` is then empty and `rank` 0. Raises CodeObjectError.
    """
    args = kernel.get(".args", [])
    if not isinstance(args, list):
        raise _damaged(".args is not a list")
    found = []
    for number, arg in enumerate(args):
        if not isinstance(arg, dict):
            raise _damaged(f"argument {number} is not a map")
        offset, size = _size(arg, ".offset"), _size(arg, ".size")
        name, value_kind = _text(arg, ".name"), _text(arg, ".value_kind")
        value_type, access = _text(arg, ".value_type"), _text(arg, ".actual_access") or _text(arg, ".access")
        kind = "pointer" if value_kind in _POINTERS else value_kind if value_kind.startswith("hidden_") else "value"
        found.append(
            KernelArg(
                name=name or f"arg{number}",
                kind=kind,
                dtype=value_type if value_type in _VALUE_TYPES else "",
                offset=offset,
                size=size,
                access=_ACCESS.get(access, "readwrite" if kind == "pointer" else "read"),
            )
        )
    return tuple(found)


def _unpack(data: bytes) -> Mapping[str, object]:
    if len(data) > MAX_METADATA_BYTES:
        raise _damaged(f"it has {len(data)} bytes, at most {MAX_METADATA_BYTES} are read")
    try:
        unpacked = msgpack.unpackb(data, raw=False, strict_map_key=True)
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError, OverflowError) as error:
        raise _damaged(str(error) or type(error).__name__) from None
    if not isinstance(unpacked, dict):
        raise _damaged("it is not a map")
    return unpacked


def _size(entry: Mapping[object, object], key: str) -> int:
    value = entry.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_KERNARG_BYTES:
        raise _damaged(f"{key} is no number of bytes")
    return value


def _text(entry: Mapping[object, object], key: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str):
        raise _damaged(f"{key} is not text")
    return value


def _damaged(what: str) -> CodeObjectError:
    return CodeObjectError(f"the metadata note is damaged: {what}")

"""Load and launch the kernel of this folder on an AMD GPU, with Python's standard library alone.

    from loader import Bundle
    with Bundle() as kernel:                      # picks the code object of GPU 0's architecture
        kernel.launch(grid=(2, 2, 1), args=[c, a, b, 512, 512, 256, 256, 256, 512])   # a gemm of -p grid=rows

Arguments stand in the order of `manifest.json`: pointers are device addresses (integers, or anything with `data_ptr()`,
such as a torch tensor), values are numbers. The launch is asynchronous, on `stream` (an address; 0 is the default one).
"""

from __future__ import annotations

import ctypes
import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["Bundle", "HipError"]

_LIBRARIES = ("libamdhip64.so", "/opt/rocm/lib/libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6")
_PROPERTY_BYTES = 8192
_FORMATS = {"f64": "<d", "f32": "<f", "f16": "<e"}
_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 3


class HipError(RuntimeError):
    """A call of HIP's failed, or there is no HIP."""


class Bundle:
    """The kernel of a folder, loaded on one GPU."""

    def __init__(self, folder: str | Path | None = None, device: int = 0, library: str | None = None) -> None:
        self._folder = Path(__file__).parent if folder is None else Path(folder)
        self.manifest: dict[str, Any] = json.loads((self._folder / "manifest.json").read_text())
        self._hip = _open(library)
        self._call("hipSetDevice", device)
        self.arch = self._arch(device)
        objects = self.manifest["objects"]
        if self.arch not in objects:
            raise HipError(f"GPU {device} is {self.arch}; there is code for {', '.join(objects)}")
        self._module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        data = (self._folder / objects[self.arch]["file"]).read_bytes()
        self._call("hipModuleLoadData", ctypes.byref(self._module), data)
        try:
            name = self.manifest["kernel"].encode()
            self._call("hipModuleGetFunction", ctypes.byref(self._function), self._module, name)
        except HipError:
            self.close()
            raise

    def launch(
        self, grid: Sequence[int], args: Sequence[object], stream: int = 0, block: Sequence[int] | None = None
    ) -> None:
        """Put the kernel on a stream: `grid` in workgroups."""
        segment = self.pack(args)
        buffer = ctypes.create_string_buffer(segment, len(segment))
        size = ctypes.c_size_t(len(segment))
        extra = (ctypes.c_void_p * 5)(
            _BUFFER_POINTER, ctypes.addressof(buffer), _BUFFER_SIZE, ctypes.addressof(size), _END
        )
        groups = [*grid, 1, 1][:3]
        items = list(block or self.manifest["block"])
        numbers = [ctypes.c_uint(n) for n in (*groups, *items, 0)]
        self._call(
            "hipModuleLaunchKernel", self._function, *numbers, ctypes.c_void_p(stream), None, ctypes.byref(extra)
        )

    def pack(self, args: Sequence[object]) -> bytes:
        """Return the argument structure as the kernel reads it."""
        wanted = self.manifest["args"]
        if len(args) != len(wanted):
            raise TypeError(f"{len(wanted)} arguments: {', '.join(arg['name'] for arg in wanted)}; got {len(args)}")
        segment = bytearray(self.manifest["kernarg_bytes"])
        for arg, value in zip(wanted, args, strict=True):
            segment[arg["offset"] : arg["offset"] + arg["size"]] = _bytes(arg, value)
        return bytes(segment)

    def synchronize(self) -> None:
        """Wait until the GPU has nothing to do."""
        self._call("hipDeviceSynchronize")

    def close(self) -> None:
        """Unload the code; a second time does nothing."""
        if self._module.value:
            module, self._module = self._module, ctypes.c_void_p()
            self._call("hipModuleUnload", module)

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _arch(self, device: int) -> str:
        # The structure's layout changed between HIP 5 and 6; the name of the arch is found in either.
        raw = ctypes.create_string_buffer(_PROPERTY_BYTES)
        newer = hasattr(self._hip, "hipGetDevicePropertiesR0600")
        self._call("hipGetDevicePropertiesR0600" if newer else "hipGetDeviceProperties", raw, device)
        found = re.search(rb"gfx[0-9a-f]+", raw.raw)
        if found is None:
            raise HipError(f"HIP does not say what GPU {device} is")
        return found[0].decode()

    def _call(self, name: str, *args: object) -> None:
        status = getattr(self._hip, name)(*args)
        if status != 0:
            self._hip.hipGetErrorString.restype = ctypes.c_char_p
            text = self._hip.hipGetErrorString(status) or b""
            raise HipError(f"{name} failed: {status}, {text.decode(errors='replace')}")


def _open(library: str | None) -> ctypes.CDLL:
    for name in (library,) if library else _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise HipError(f"no HIP runtime: {library or ', '.join(_LIBRARIES)}")


def _bytes(arg: dict[str, Any], value: Any) -> bytes:
    """Return one argument's bytes."""
    size = int(arg["size"])
    if arg["kind"] == "pointer" and hasattr(value, "data_ptr"):
        value = value.data_ptr()
    if arg["dtype"] in _FORMATS and arg["kind"] != "pointer":
        return struct.pack(_FORMATS[arg["dtype"]], value)
    number = int(value)
    if not -(1 << (8 * size - 1)) <= number < 1 << (8 * size):
        raise OverflowError(f"{arg['name']}: {number} does not fit {size} bytes")
    return (number % (1 << (8 * size))).to_bytes(size, "little")

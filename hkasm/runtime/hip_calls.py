"""HIP through hip-python: every call by name, every failure with its code, its call and the kernel it was for.

hip-python imports without ROCm; it looks the library up (the `rocm_sdk` package, `$ROCM_PATH`, then the linker's
search) at its first call and then raises RuntimeError. Its calls return a tuple that begins with the status. The wheels
of 2024 (6.x) and 2026 (10.x) differ in who makes the structure for device properties.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

from hkasm.errors import DeviceError

__all__ = ["BUFFER_POINTER", "HipCalls", "LaunchExtra"]

# hip_runtime_api.h: HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END.
BUFFER_POINTER: Final = 1
_BUFFER_SIZE, _END = 2, 3
_HOW_TO_GET = "pip install 'hkasm[hip]', of the machine's ROCm version"


class HipCalls:
    """hip-python's module, called with names.

    `calls("hipMalloc", 64)` returns what the call gives beside its status: nothing, one value, or a tuple.

    Raises:
        DeviceError: hip-python finds no ROCm, or the call failed.
    """

    def __init__(self, module: Any) -> None:
        self.module = module

    @classmethod
    def find(cls) -> HipCalls:
        """Import hip-python. Raises DeviceError where it is not installed or does not load."""
        try:
            from hip import hip
        except ImportError as error:
            missing = isinstance(error, ModuleNotFoundError) and error.name == "hip"
            what = "hip-python is not installed" if missing else f"hip-python does not load: {_first_line(error)}"
            raise DeviceError(what, hint=_HOW_TO_GET) from None
        return cls(hip)

    def __call__(self, name: str, *args: object, kernel: str = "") -> Any:
        where = kernel or None
        call = getattr(self.module, name, None)
        if call is None:
            raise DeviceError(f"this hip-python has no {name}", where=where, hint=_HOW_TO_GET)
        try:
            answer = call(*args)
        except RuntimeError as error:
            raise DeviceError(
                f"{name}: hip-python finds no ROCm: {_first_line(error)}",
                where=where,
                hint="install ROCm, or set ROCM_PATH",
            ) from None
        except ValueError as error:
            # A status that this hip-python's enumeration lacks: the library is newer than the binding.
            raise DeviceError(f"{name} failed with a status unknown to hip-python: {error}", where=where) from None
        status, *rest = answer if isinstance(answer, tuple) else (answer,)
        if int(status) != 0:
            raise DeviceError(self._failure(name, status), where=where)
        return rest[0] if len(rest) == 1 else tuple(rest) or None

    def _failure(self, name: str, status: Any) -> str:
        """Return call, name, number and text of a status, as one line."""
        try:
            text = self.module.hipGetErrorString(status)
        except (RuntimeError, TypeError, ValueError):
            text = ""
        # Some bindings put a status before the text.
        plain = text[-1] if isinstance(text, tuple) else text
        said = plain.decode(errors="replace") if isinstance(plain, bytes) else str(plain or "")
        return f"{name} failed: {status.name} ({int(status)})" + (f", {said}" if said and said != status.name else "")

    def device_properties(self, number: int) -> Any:
        """Return `hipDeviceProp_t` of a device: newer bindings make it, older ones fill one that they are given."""
        try:
            return self("hipGetDeviceProperties", number)
        except TypeError:
            properties = self.module.hipDeviceProp_t()
            self("hipGetDeviceProperties", properties, number)
            return properties

    def copy_to_device(self, target: int, source: int, size: int, *, kernel: str = "") -> None:
        """Copy `size` bytes from a host address to a device address."""
        kind = self.module.hipMemcpyKind.hipMemcpyHostToDevice
        self("hipMemcpy", ctypes.c_void_p(target), ctypes.c_void_p(source), size, kind, kernel=kernel)

    def copy_to_host(self, target: int, source: int, size: int, *, kernel: str = "") -> None:
        """Copy `size` bytes from a device address to a host address."""
        kind = self.module.hipMemcpyKind.hipMemcpyDeviceToHost
        self("hipMemcpy", ctypes.c_void_p(target), ctypes.c_void_p(source), size, kind, kernel=kernel)


class LaunchExtra:
    """The `extra` of hipModuleLaunchKernel for a packed kernarg segment, alive as long as this object is.

    Five pointers in C: the words BUFFER_POINTER, the segment, BUFFER_SIZE, its size's address, END. Passed as an
    address, so that no generation of the binding repacks or pads the arguments by rules of its own.
    """

    def __init__(self, segment: bytes) -> None:
        self._segment = ctypes.create_string_buffer(segment, max(len(segment), 1))
        self._size = ctypes.c_size_t(len(segment))
        self._words = (ctypes.c_void_p * 5)(
            BUFFER_POINTER,
            ctypes.addressof(self._segment),
            _BUFFER_SIZE,
            ctypes.addressof(self._size),
            _END,
        )

    @property
    def pointer(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(ctypes.addressof(self._words))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

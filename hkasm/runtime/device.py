"""Devices by one small protocol: load code objects, make buffers, launch kernels.

A device is asked for by name. `emulator` runs anywhere; GPUs (`hip:0`, `auto`) register here when there is code for
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike, NDArray

from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.errors import UsageError, did_you_mean

__all__ = ["Buffer", "Device", "Kernel", "Module", "device", "devices", "register_device"]


@runtime_checkable
class Buffer(Protocol):
    """Device memory that began as an array."""

    @property
    def address(self) -> int:
        """Device address of the first byte."""

    @property
    def nbytes(self) -> int:
        """Size in bytes."""

    def numpy(self) -> NDArray[Any]:
        """Return what is there now, in the shape and type of the array that it began as."""

    def free(self) -> None:
        """Give the memory back; the address is dead from then on."""


class Kernel(Protocol):
    """A kernel on a device."""

    @property
    def name(self) -> str: ...

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[object] | None = None,
        *,
        kernarg: bytes | None = None,
        lds_bytes: int = 0,
        options: Options | None = None,
    ) -> RunReport:
        """Run to the end: `grid` in workgroups, `block` in work-items.

        `args` are values in the kernel's order (buffers, integers, floats), `kernarg` the raw segment for objects whose
        metadata says nothing. `lds_bytes` is dynamic LDS.
        """


class Module(Protocol):
    """A code object on a device."""

    @property
    def device(self) -> Device:
        """Where it was loaded."""

    @property
    def kernels(self) -> Mapping[str, Kernel]:
        """Kernels by name."""


class Device(Protocol):
    """Something that runs code objects."""

    @property
    def name(self) -> str: ...

    def load(self, source: str | Path | bytes) -> Module:
        """Load a code object from a path or from bytes."""

    def buffer(self, array: ArrayLike) -> Buffer:
        """Make a buffer with a copy of an array."""


_MAKERS: dict[str, Callable[[str], Device]] = {}


def register_device(kind: str, make: Callable[[str], Device]) -> None:
    """Let `device(kind)` and `device(kind:rest)` make a device; `make` gets the part behind the colon."""
    _MAKERS[kind] = make


def devices() -> tuple[str, ...]:
    """Return the kinds of devices that can be asked for."""
    return tuple(_MAKERS)


def device(name: str = "emulator") -> Device:
    """Return a device by name: `emulator`.

    Raises:
        UsageError: hkasm has no such device.
    """
    kind, _, rest = name.partition(":")
    make = _MAKERS.get(kind)
    if make is None:
        if kind in ("hip", "auto"):
            raise UsageError(
                f"device {name!r} needs a GPU runtime, which this version of hkasm lacks", hint="use 'emulator'"
            )
        raise UsageError(
            f"unknown device {name!r}", hint=did_you_mean(kind, _MAKERS) or f"devices: {', '.join(_MAKERS)}"
        )
    return make(rest)

"""Devices by one small protocol: load code objects, make buffers, launch kernels.

A device is asked for by name: `emulator` runs anywhere, `hip:0` is a GPU, `auto` is a GPU if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike, NDArray

from hkasm.emulator.listener import Listener
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
        stream: object = None,
        allow_aliasing: bool = False,
        record: str | Path | None = None,
        probes: Iterable[Listener] = (),
    ) -> RunReport:
        """Run to the end: `grid` in workgroups, `block` in work-items.

        `args` are values in the kernel's order (buffers, arrays, integers, floats), `kernarg` the raw segment for
        objects whose metadata says nothing. Arrays on the host are copied to the device, and back if the kernel writes
        to them; what it writes to must not be another argument's memory too unless `allow_aliasing`. `lds_bytes` is
        dynamic LDS, `options` are the emulator's. `record` names a folder in which the launch is kept, for
        `hkasm emulate --replay`. `probes` watch the emulator: `hkasm.emulator.probes.Probe`, or any listener.
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

    @property
    def place(self) -> int:
        """The GPU's number, as arrays state it, or -1: the host."""

    def load(self, source: str | Path | bytes) -> Module:
        """Load a code object from a path or from bytes."""

    def buffer(self, array: ArrayLike) -> Buffer:
        """Make a buffer with a copy of an array."""

    @property
    def closings(self) -> int:
        """How often it was closed; what was loaded before the last time is gone."""

    def close(self) -> None:
        """Free what the device still holds; also at the end of a `with` block. It may be used again."""

    def __enter__(self) -> Device: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


_MAKERS: dict[str, Callable[[str], Device]] = {}


def register_device(kind: str, make: Callable[[str], Device]) -> None:
    """Let `device(kind)` and `device(kind:rest)` make a device; `make` gets the part behind the colon."""
    _MAKERS[kind] = make


def devices() -> tuple[str, ...]:
    """Return the kinds of devices that can be asked for."""
    return tuple(_MAKERS)


def device(name: str = "emulator") -> Device:
    """Return a device by name: `emulator`, `hip:0`, or `auto` (`auto:gfx950`), a GPU of that arch or else the emulator.

    `auto` warns, once a process, when it falls back.

    Raises:
        UsageError: hkasm has no such device.
        DeviceError: there is no such GPU, or no way to it.
    """
    if not isinstance(name, str):
        raise UsageError(f"a device is given by its name, got {name!r}", hint=f"devices: {', '.join(_MAKERS)}")
    kind, _, rest = name.partition(":")
    make = _MAKERS.get(kind)
    if make is None:
        raise UsageError(
            f"unknown device {name!r}", hint=did_you_mean(kind, _MAKERS) or f"devices: {', '.join(_MAKERS)}"
        )
    return make(rest)

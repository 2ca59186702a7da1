"""What operators share: where to run, and the library's kernels, built or from the cache, loaded once a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from hkasm.errors import ArchError, LaunchError
from hkasm.isa.arch import get_arch
from hkasm.kernels import Launch, get_kernel
from hkasm.kernels.kernel import Array, Arrays, Kernel
from hkasm.model.chips import DEFAULT_CHIP, get_chip
from hkasm.runtime import Device, choose_device, device
from hkasm.runtime.auto import warn_once
from hkasm.runtime.cache import Cache, cached_hsaco
from hkasm.runtime.tensors import CPU, View, view_of

__all__ = ["EMULATED_ARCH", "Place", "place_of", "run", "values_on"]

EMULATED_ARCH = "gfx950"
"""What the emulator is where nobody says."""

_building = Lock()


class Place:
    """A device with the arch that it runs: a GPU's own, or the one that the emulator shall be."""

    def __init__(self, target: Device, arch: str) -> None:
        self.target, self.arch = target, arch

    def values_for(self, kernel: str, values: Mapping[str, object]) -> dict[str, object]:
        """Return a kernel's parameters with the device as `chip`, where it is a part of a chip and nobody names one."""
        return values_on(self.target, get_kernel(kernel), self.arch, values)


def values_on(target: Device, kernel: Kernel[Any, Any], arch: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return a kernel's parameters with a GPU of fewer XCDs than the usual chip as `chip`, if the kernel has it.

    HIP says a partition's compute units, from which its XCDs follow; each is taken to have as many of them.
    """
    properties = getattr(target, "properties", None)
    usual = get_chip(DEFAULT_CHIP[arch])
    known = any(one.name == "chip" for one in kernel.parameters())
    if properties is None or properties.xcds in (0, len(usual.xcds)) or not known:
        return dict(values)
    cus = min(properties.compute_units // properties.xcds, usual.xcds[0].cus)
    return {"chip": usual.with_cus([cus] * properties.xcds).name, **values}


def place_of(views: Sequence[View], wanted: str | Device, arch: str | None) -> Place:
    """Return where an operator on these arrays runs: on their GPU, or for arrays on the host where `wanted` says.

    Raises:
        LaunchError: the arrays lie on different devices, or not where `wanted` is.
        ArchError: the device is of another arch than `arch`.
    """
    places = {view.place for view in views}
    if len(places) > 1:
        names = " and ".join(sorted("the host" if place == CPU else f"GPU {place}" for place in places))
        raise LaunchError(f"the arrays lie on different devices: {names}")
    (place,) = places
    if place != CPU:
        target: Device = _gpu(place)
    elif isinstance(wanted, str):
        target = _named(wanted, arch or "")
    else:
        target = wanted
    own = getattr(target, "arch", None)
    if arch is not None and own is not None and get_arch(arch).name != own:
        raise ArchError(f"{target.name} is {own}, not {arch}")
    return Place(target, get_arch(arch or own or EMULATED_ARCH).name)


def run(
    place: Place,
    kernel: str,
    config: dict[str, object],
    launch: Launch,
    arrays: dict[str, View],
    stream: object,
    scratch: Arrays | None = None,
    *,
    allow_aliasing: bool = False,
) -> None:
    """Launch a kernel of the library on arrays by the names that its problem gives them.

    `scratch` are arrays of the kernel's own that it leaves fit for the next launch. On a GPU the launch is put on
    `stream` (None: the default one) and not waited for, unless arrays lie on the host. On a GPU what is written may be
    another array's memory where `allow_aliasing` says so.
    """
    entry = _loaded(place.target, place.arch, kernel, tuple(sorted(config.items())))
    own = {name: _scratch(place.target, stream, name, array) for name, array in (scratch or {}).items()}
    args = [own.get(arg) or arrays[arg] if isinstance(arg, str) else arg for arg in launch.args]
    if any(view.place == CPU for view in arrays.values()):
        entry.launch(launch.grid, launch.block, args, stream=stream, allow_aliasing=allow_aliasing)
    else:
        entry.enqueue(launch.grid, launch.block, args, stream=stream, allow_aliasing=allow_aliasing)


_kept: dict[tuple[object, ...], Any] = {}
"""Device memory for scratch, by device, closings, stream and name: launches on one stream follow each other."""


def _scratch(target: Device, stream: object, name: str, array: Array) -> Any:
    """Return memory of a device that began as `array` or as a larger one of this name."""
    if target.place == CPU:
        return view_of(array)
    from hkasm.runtime.hip_device import stream_handle

    key = (target, target.closings, stream_handle(stream), name)
    with _building:
        held = _kept.get(key)
        if held is None or held.nbytes < array.nbytes:
            _kept[key] = target.buffer(array)
            if held is not None:
                held.free()  # HIP waits for what still uses it
        return _kept[key]


def _named(name: str, arch: str) -> Device:
    target = _chosen(arch) if name == "auto" else _opened(name)
    if target.place == CPU:
        warn_once("hkasm's operators run on the emulator here: right, checked, and slow", stacklevel=6)
    return target


@cache
def _opened(name: str) -> Device:
    return device(name)


@cache
def _chosen(arch: str) -> Device:
    found, _ = choose_device(arch)
    return found if found.place != CPU else _opened("emulator")


def _gpu(number: int) -> Device:
    return _opened(f"hip:{number}")


def _loaded(target: Any, arch: str, kernel: str, config: tuple[tuple[str, object], ...]) -> Any:
    # Two threads that ask at once must not load twice.
    with _building:
        return _load(target, target.closings, arch, kernel, config)


@lru_cache(maxsize=64)
def _load(target: Any, closings: int, arch: str, kernel: str, config: tuple[tuple[str, object], ...]) -> Any:
    program = get_kernel(kernel).build(arch, **dict(config))
    return target.load(cached_hsaco(program, Cache())).kernels[program.name]

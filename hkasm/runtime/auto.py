"""The device `auto`: a GPU that runs the code, else the emulator, and a word on which it is and why."""

from __future__ import annotations

import warnings

from hkasm.errors import DeviceError
from hkasm.runtime.device import Device
from hkasm.runtime.emulated import EmulatorDevice

__all__ = ["EmulatorWarning", "choose_device", "choose_device_and_warn", "warn_once"]

_said: set[str] = set()


class EmulatorWarning(UserWarning):
    """Something runs on the emulator, which is slow, because there is no GPU for it."""


def choose_device(arch: str = "") -> tuple[Device, str]:
    """Return the first GPU of an arch (of any that hkasm knows, if none is named) or the emulator, and the reason."""
    from hkasm.isa.arch import ARCHES, get_arch
    from hkasm.runtime.hip_calls import HipCalls
    from hkasm.runtime.hip_device import HipDevice

    wanted = (get_arch(arch).name,) if arch else tuple(ARCHES)
    seen: list[str] = []
    try:
        calls = HipCalls.find()
        for number in range(int(calls("hipGetDeviceCount"))):
            found = HipDevice(str(number), calls)
            if found.arch in wanted:
                return found, f"{found.name}, {found.properties.name} ({found.arch})"
            seen.append(f"{found.name} is {found.arch}")
        why = ", ".join(seen) or "there is no GPU"
    except DeviceError as error:
        why = error.message
    return EmulatorDevice(), f"the emulator, since there is no GPU for {' or '.join(wanted)}: {why}"


def choose_device_and_warn(arch: str = "") -> Device:
    """Return what `choose_device` chooses; an EmulatorWarning says once a process that it is the emulator."""
    found, why = choose_device(arch)
    if isinstance(found, EmulatorDevice):
        warn_once(f"hkasm runs on {why}", stacklevel=5)
    return found


def warn_once(text: str, stacklevel: int) -> None:
    """Give an EmulatorWarning, unless this process gave the same one; `stacklevel` as `warnings.warn` has it."""
    if text not in _said:
        _said.add(text)
        warnings.warn(text, EmulatorWarning, stacklevel=stacklevel)

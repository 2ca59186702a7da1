"""Devices: GPUs through HIP, and the emulator, by one protocol."""

from __future__ import annotations

from hkasm.runtime.auto import choose_device
from hkasm.runtime.device import Buffer, Device, Kernel, Module, device, devices, register_device
from hkasm.runtime.emulated import EmulatorDevice


def _hip(number: str) -> Device:
    from hkasm.runtime.hip_device import HipDevice

    return HipDevice(number)


def _auto(arch: str) -> Device:
    from hkasm.runtime.auto import choose_device_and_warn

    return choose_device_and_warn(arch)


register_device("emulator", EmulatorDevice)
register_device("hip", _hip)
register_device("auto", _auto)

__all__ = [
    "Buffer",
    "Device",
    "EmulatorDevice",
    "Kernel",
    "Module",
    "choose_device",
    "device",
    "devices",
    "register_device",
]

"""Devices: the emulator now, GPUs through the same protocol later."""

from hkasm.runtime.device import Buffer, Device, Kernel, Module, device, devices, register_device
from hkasm.runtime.emulated import EmulatorDevice

register_device("emulator", EmulatorDevice)

__all__ = ["Buffer", "Device", "EmulatorDevice", "Kernel", "Module", "device", "devices", "register_device"]

"""Devices: the emulator now, GPUs through the same protocol later."""

from hkasm.runtime.device import Buffer, Device, Module, device

__all__ = ["Buffer", "Device", "Module", "device"]

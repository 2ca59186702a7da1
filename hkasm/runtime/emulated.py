"""The emulator as a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.emulator import memory
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.errors import LaunchError, UsageError
from hkasm.runtime.arguments import pack_arguments

__all__ = ["EmulatedBuffer", "EmulatedKernel", "EmulatedModule", "EmulatorDevice"]


class EmulatedBuffer:
    """Emulated device memory; `numpy()` is a live view of it, not a copy."""

    def __init__(self, space: memory.Memory, array: NDArray[Any], name: str) -> None:
        self._space = space
        self._named = bool(name)
        self._shape, self._dtype = array.shape, array.dtype
        self._memory = space.allocate(array.nbytes, name)
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._memory.u8[: raw.size] = raw

    def __repr__(self) -> str:
        return f"<EmulatedBuffer {self._dtype}{list(self._shape)} at {self.address:#x}>"

    @property
    def address(self) -> int:
        return self._memory.address

    @property
    def nbytes(self) -> int:
        return self._memory.size

    def numpy(self) -> NDArray[Any]:
        """Return a live view in the shape and type that the buffer began with."""
        return self._memory.u8[: self._memory.size].view(self._dtype).reshape(self._shape)

    def stand_for(self, argument: str) -> None:
        """Take the name of a kernel argument in messages, unless the buffer has one of its own."""
        if not self._named:
            self._memory.name = argument

    def free(self) -> None:
        self._space.free(self._memory)


class EmulatedKernel:
    """A kernel of a loaded code object."""

    def __init__(self, machine: Machine, image: KernelImage) -> None:
        self._machine = machine
        self.image = image

    @property
    def name(self) -> str:
        return self.image.name

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
        """Run to the end; see `hkasm.runtime.device.Kernel.launch`."""
        if kernarg is not None and args is not None:
            raise LaunchError(f"{self.name}: pass args or kernarg, not both")
        for arg, value in zip(self.image.args, args or (), strict=False):
            if isinstance(value, EmulatedBuffer):
                value.stand_for(arg.name)
        segment = kernarg if kernarg is not None else pack_arguments(self.image, args or ())
        return self._machine.launch(self.name, grid, block, segment, lds_bytes=lds_bytes, options=options)


class EmulatedModule:
    """A loaded code object on its device."""

    def __init__(self, device: EmulatorDevice, machine: Machine) -> None:
        self.device = device
        self.machine = machine
        self._kernels = {name: EmulatedKernel(machine, image) for name, image in machine.code_object.kernels.items()}

    @property
    def kernels(self) -> Mapping[str, EmulatedKernel]:
        return self._kernels


class EmulatorDevice:
    """The emulator: one address space, in which modules and buffers live until the device goes."""

    name = "emulator"

    def __init__(self, options: str = "") -> None:
        if options:
            raise UsageError(f"device 'emulator:{options}' does not exist", hint="there is one emulator: 'emulator'")
        self.memory = memory.Memory()

    def load(self, source: str | Path | bytes) -> EmulatedModule:
        """Load a code object from a path or from bytes; CodeObjectError if it is none."""
        if isinstance(source, (bytes, bytearray, memoryview)):
            return EmulatedModule(self, Machine(CodeObject.from_bytes(bytes(source)), self.memory, "from memory"))
        return EmulatedModule(self, Machine(CodeObject.from_path(source), self.memory, Path(source).name))

    def buffer(self, array: ArrayLike, name: str = "") -> EmulatedBuffer:
        """Make a buffer with a copy of an array; `name` appears in messages about addresses."""
        return EmulatedBuffer(self.memory, np.asarray(array), name)

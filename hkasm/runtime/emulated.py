"""The emulator as a device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.emulator import memory
from hkasm.emulator.listener import Listener
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.emulator.undefined_memory import make_undefined
from hkasm.errors import LaunchError, UsageError
from hkasm.runtime.arguments import Bound, bind, bind_segment, given_arguments
from hkasm.runtime.record import Recorder
from hkasm.runtime.table import KernelTable, check_source
from hkasm.runtime.tensors import CPU, empty_array, host_array

__all__ = ["EmulatedBuffer", "EmulatedKernel", "EmulatedModule", "EmulatorDevice"]


MAX_PEERS = 64
"""Devices that share an address space; a node has 8."""


class EmulatedBuffer:
    """Emulated device memory; `numpy()` is a live view of it, not a copy."""

    def __init__(self, space: memory.Memory, array: NDArray[Any], name: str) -> None:
        self._space = space
        self._named = bool(name)
        self.shape, self.dtype = array.shape, array.dtype
        self.freed = False
        self._memory = space.allocate(array.nbytes, name)
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._memory.u8[: raw.size] = raw

    def __repr__(self) -> str:
        return f"<EmulatedBuffer {self.dtype}{list(self.shape)} at {self.address:#x}>"

    @property
    def address(self) -> int:
        return self._memory.address

    @property
    def nbytes(self) -> int:
        return self._memory.size

    def numpy(self) -> NDArray[Any]:
        """Return a live view in the shape and type that the buffer began with."""
        return self._memory.u8[: self._memory.size].view(self.dtype).reshape(self.shape)

    @property
    def space(self) -> memory.Memory:
        """The address space that the buffer lies in."""
        return self._space

    def stand_for(self, argument: str) -> None:
        """Take the name of a kernel argument in messages, unless the buffer has one of its own."""
        if not self._named:
            self._memory.name = argument

    def forget(self) -> None:
        """Count every byte as written by nobody."""
        make_undefined(self._memory)

    def free(self) -> None:
        """Give the memory back; a second time does nothing."""
        if not self.freed:
            self.freed = True
            self._space.free(self._memory)

    def __enter__(self) -> EmulatedBuffer:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


class EmulatedKernel:
    """A kernel of a loaded code object."""

    def __init__(self, module: EmulatedModule, image: KernelImage) -> None:
        self._module = module
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
        stream: object = None,
        allow_aliasing: bool = False,
        record: str | Path | None = None,
        probes: Iterable[Listener] = (),
    ) -> RunReport:
        """Run to the end; see `hkasm.runtime.device.Kernel.launch`. There is one stream: `stream` is ignored."""
        module, device = self._module, self._module.device
        with self._bound(args, kernarg, allow_aliasing) as bound:
            recorder = None
            if record is not None:
                code = module.machine.code_object.data
                recorder = Recorder(record, self.image, code, device.name, grid, block, lds_bytes)
                recorder.before(bound, device.memory.read, device.extent)
            report = module.machine.launch(
                self.name, grid, block, bound.segment, lds_bytes=lds_bytes, options=options, listeners=probes
            )
            if recorder is not None:
                recorder.after(device.memory.read)
        return report

    @contextmanager
    def _bound(self, args: Sequence[object] | None, kernarg: bytes | None, allow_aliasing: bool) -> Iterator[Bound]:
        if kernarg is not None:
            if args is not None:
                raise LaunchError(f"{self.name}: pass args or kernarg, not both")
            yield bind_segment(self.image, kernarg)
            return
        args = given_arguments(self.image, args)
        for arg, value in zip(self.image.args, args, strict=False):
            if isinstance(value, EmulatedBuffer):
                if value.space is not self._module.device.memory:
                    raise LaunchError(
                        f"{self.name}: argument {arg.name!r} is a buffer of another device, or of one that was closed"
                    )
                value.stand_for(arg.name)
        with bind(self.image, args, self._module.device, allow_aliasing=allow_aliasing) as bound:
            yield bound


class EmulatedModule:
    """A loaded code object on its device."""

    def __init__(self, device: EmulatorDevice, machine: Machine) -> None:
        self.device = device
        self.machine = machine
        self._kernels = KernelTable(
            (name, EmulatedKernel(self, image)) for name, image in machine.code_object.kernels.items()
        )

    @property
    def kernels(self) -> Mapping[str, EmulatedKernel]:
        return self._kernels


class EmulatorDevice:
    """The emulator: one address space, in which modules and buffers live until the device goes."""

    place = CPU

    def __init__(self, options: str = "") -> None:
        if options:
            raise UsageError(f"device 'emulator:{options}' does not exist", hint="there is one emulator: 'emulator'")
        self.name = "emulator"
        self.memory = memory.Memory()
        self.closings = 0
        self._shares = False
        self._made: list[EmulatedBuffer] = []

    @classmethod
    def peers(cls, count: int) -> tuple[EmulatorDevice, ...]:
        """Return devices that reach each other's memory: an address means the same bytes on all of them."""
        if count not in range(1, MAX_PEERS + 1):
            raise UsageError(f"1 to {MAX_PEERS} peers can be had, got {count!r}")
        space = memory.Memory()
        found = tuple(cls() for _ in range(count))
        for number, device in enumerate(found):
            device.name, device.memory, device._shares = f"emulator peer {number}", space, True
        return found

    def load(self, source: str | Path | bytes) -> EmulatedModule:
        """Load a code object from a path or from bytes; CodeObjectError if it is none."""
        check_source(source)
        if isinstance(source, (bytes, bytearray, memoryview)):
            return EmulatedModule(self, Machine(CodeObject.from_bytes(bytes(source)), self.memory, "from memory"))
        return EmulatedModule(self, Machine(CodeObject.from_path(source), self.memory, Path(source).name))

    def buffer(self, array: ArrayLike, name: str = "") -> EmulatedBuffer:
        """Make a buffer with a copy of an array; `name` appears in messages about addresses."""
        made = EmulatedBuffer(self.memory, host_array(array), name)
        if self._shares:
            self._made.append(made)
        return made

    def empty(self, shape: int | Sequence[int], dtype: DTypeLike, name: str = "") -> EmulatedBuffer:
        """Make a buffer that nobody has written, as hipMalloc gives: what reads it before it is written is found.

        What the host writes through `numpy()` counts as written.
        """
        array = empty_array(shape, dtype)
        array.reshape(-1).view(np.uint8)[...] = 0
        made = EmulatedBuffer(self.memory, array, name)
        made.forget()
        return made

    def extent(self, address: int) -> tuple[int, int] | None:
        """Return first byte and size of the buffer that holds an address, or None."""
        found = self.memory.find(address)
        return None if found is None else (found.address, found.size)

    def close(self) -> None:
        """Free all memory; what was loaded or made is dead from then on. Peers keep what is theirs."""
        if self._shares:
            for buffer in self._made:
                buffer.free()
            self._made = []
        else:
            self.memory = memory.Memory()
        self.closings += 1

    def __enter__(self) -> EmulatorDevice:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

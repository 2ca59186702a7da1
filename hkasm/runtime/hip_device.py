"""GPUs: `hip:N`, through hip-python. The only place of hkasm that allocates on, copies to and launches on a GPU.

Nothing is loaded or asked before a device is made. What a device hands out is freed by `free()`, by its `with` block,
by the device's `close()`, or when nobody holds it any more, whichever comes first.
"""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.emulator.listener import Listener
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.errors import DeviceError, HkasmError, LaunchError, UsageError
from hkasm.runtime.arguments import Bound, bind, bind_segment
from hkasm.runtime.hip_calls import HipCalls, LaunchExtra
from hkasm.runtime.record import Recorder
from hkasm.runtime.table import KernelTable, check_source
from hkasm.runtime.tensors import host_array

__all__ = ["HipBuffer", "HipDevice", "HipEvent", "HipKernel", "HipModule", "HipProperties", "HipStream"]

_COMPUTE_UNITS_PER_XCD: Final = {"gfx942": 38, "gfx950": 32}
"""Active compute units of a chiplet (CDNA3 and CDNA4 white papers); HIP does not tell the number of chiplets."""
_SEGMENT_ALIGN: Final = 8
_MAX_WORK_ITEMS: Final = 1 << 32
"""hipModuleLaunchKernel takes fewer work-items than this along each of x, y and z."""


@dataclass(frozen=True, slots=True)
class HipProperties:
    """What HIP says of a GPU; `xcds` is derived from its compute units (0 where hkasm does not know the arch)."""

    name: str
    arch: str
    features: str
    compute_units: int
    xcds: int
    clock_mhz: float
    memory_clock_mhz: float
    memory_bits: int
    memory_bytes: int
    lds_bytes: int
    l2_bytes: int
    runtime: str


class _Owned:
    """Something of HIP's that is given back exactly once."""

    def __init__(self, device: HipDevice, call: str, handle: object) -> None:
        self._device = device
        self._release = weakref.finalize(self, _give_back, device.calls, device.number, call, handle)
        # At the end of the process the driver takes everything back; a call then may find the library gone.
        self._release.atexit = False
        device._owned.add(self)

    @property
    def freed(self) -> bool:
        """Whether it was given back."""
        return not self._release.alive

    def free(self) -> None:
        """Give it back; a second time does nothing. Raises DeviceError if HIP refuses."""
        self._device._owned.discard(self)
        self._release()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # After a fault every call may fail: the first error is the one to tell.
        with suppress(DeviceError) if kind else nullcontext():
            self.free()


def _give_back(calls: HipCalls, number: int, call: str, handle: object) -> None:
    calls("hipSetDevice", number)
    calls(call, handle)


class HipBuffer(_Owned):
    """Device memory that began as an array; `numpy()` copies it back."""

    def __init__(self, device: HipDevice, array: NDArray[Any]) -> None:
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self.nbytes, self.shape, self.dtype = array.nbytes, array.shape, array.dtype
        device.select()
        # HIP gives no address for 0 bytes, and a kernel wants one.
        memory = device.calls("hipMalloc", max(array.nbytes, 1))
        self.address = _address(memory)
        super().__init__(device, "hipFree", memory)
        try:
            self._copy_from(raw)
        except DeviceError:
            self.free()
            raise

    def __repr__(self) -> str:
        return f"<HipBuffer {self.dtype}{list(self.shape)} at {self.address:#x} on {self._device.name}>"

    def numpy(self) -> NDArray[Any]:
        """Return a copy of what is there now. Raises LaunchError if it was freed, DeviceError."""
        if self.freed:
            raise LaunchError("the buffer was freed")
        array = np.empty(self.shape, self.dtype)
        if array.nbytes:
            self._device.select()
            self._device.calls.copy_to_host(array.ctypes.data, self.address, array.nbytes)
        return array

    def write(self, array: ArrayLike) -> None:
        """Replace the contents by an array of the same size. Raises LaunchError."""
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if self.freed or raw.nbytes != self.nbytes:
            what = "the buffer was freed" if self.freed else f"the buffer has {self.nbytes} bytes, got {raw.nbytes}"
            raise LaunchError(what)
        self._copy_from(raw)

    def _copy_from(self, raw: NDArray[np.uint8]) -> None:
        if raw.nbytes:
            self._device.select()
            self._device.calls.copy_to_device(self.address, raw.ctypes.data, raw.nbytes)


class HipStream(_Owned):
    """A stream of its own; `handle` is what launches take."""

    def __init__(self, device: HipDevice) -> None:
        device.select()
        self.handle = device.calls("hipStreamCreate")
        super().__init__(device, "hipStreamDestroy", self.handle)

    def synchronize(self) -> None:
        """Wait until everything on the stream is done. Raises DeviceError."""
        self._device.calls("hipStreamSynchronize", self.handle)


class HipEvent(_Owned):
    """A point in a stream, with a time."""

    def __init__(self, device: HipDevice) -> None:
        device.select()
        self.handle = device.calls("hipEventCreate")
        super().__init__(device, "hipEventDestroy", self.handle)

    def record(self, stream: object = None) -> None:
        """Mark the present end of a stream."""
        self._device.select()
        self._device.calls("hipEventRecord", self.handle, stream_handle(stream))

    def synchronize(self) -> None:
        """Wait until the marked point is reached."""
        self._device.calls("hipEventSynchronize", self.handle)

    def seconds_since(self, start: HipEvent) -> float:
        """Return the time between two reached points."""
        return float(self._device.calls("hipEventElapsedTime", start.handle, self.handle)) / 1e3


class HipKernel:
    """A kernel of a loaded code object."""

    def __init__(self, module: HipModule, image: KernelImage) -> None:
        self._module = module
        self.image = image
        self._function: object | None = None

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
        """Run to the end; see `hkasm.runtime.device.Kernel.launch`. `seconds` of the report is the host's time.

        `stream` is a HipStream, an address, or a torch stream; None is the default one.

        Raises:
            LaunchError: grid, block, LDS or arguments do not fit the kernel or the device.
            DeviceError: a call failed, or the kernel did.
        """
        if options is not None or probes:
            what = "options" if options is not None else "probes"
            raise LaunchError(f"{self.name}: {what} are the emulator's", hint="leave them out on a GPU")
        device, started = self._module.device, time.perf_counter()
        with self._bound(args, kernarg, allow_aliasing) as bound:
            recorder = None
            if record is not None:
                recorder = Recorder(record, self.image, self._module.data, device.name, grid, block, lds_bytes)
                recorder.before(bound, device.read, device.extent)
            self._enqueue(grid, block, bound.segment, lds_bytes, stream)
            device.calls("hipStreamSynchronize", stream_handle(stream), kernel=self.name)
            if recorder is not None:
                recorder.after(device.read)
        return RunReport(kernel=self.name, seconds=time.perf_counter() - started)

    def enqueue(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[object] | None = None,
        *,
        kernarg: bytes | None = None,
        lds_bytes: int = 0,
        stream: object = None,
        allow_aliasing: bool = False,
    ) -> None:
        """Put the launch on a stream and return; arrays must lie on the device already.

        Raises:
            LaunchError: as `launch`; also for an array on the host, whose copy would be gone too early.
            DeviceError: a call failed.
        """
        with self._bound(args, kernarg, allow_aliasing) as bound:
            for pointer in bound.pointers:
                if pointer.home is not None:
                    raise LaunchError(
                        f"{self.name}: argument {pointer.arg.name!r} is on the host, and nothing waits for this launch",
                        hint="make a buffer of it: dev.buffer(array)",
                    )
            self._enqueue(grid, block, bound.segment, lds_bytes, stream)

    @contextmanager
    def _bound(self, args: Sequence[object] | None, kernarg: bytes | None, allow_aliasing: bool) -> Iterator[Bound]:
        device = self._module.device
        if kernarg is not None:
            if args is not None:
                raise LaunchError(f"{self.name}: pass args or kernarg, not both")
            yield bind_segment(self.image, kernarg)
            return
        with bind(self.image, args, device, allow_aliasing=allow_aliasing) as bound:
            yield bound

    def _enqueue(
        self, grid: Sequence[int], block: Sequence[int], segment: bytes, lds_bytes: int, stream: object
    ) -> None:
        groups, items = self._checked(grid, block, lds_bytes)
        if segment and not self.image.metadata.get(".args"):
            # ROCm's clr copies from the segment what the metadata names, argument by argument (hip_module.cpp).
            raise LaunchError(
                f"{self.name}: the object's metadata names no arguments, so that HIP would pass none",
                hint="state them under .args in .amdgpu_metadata",
            )
        device = self._module.device
        device.select()
        if self._function is None:
            self._function = device.calls(
                "hipModuleGetFunction", self._module.handle, self.name.encode(), kernel=self.name
            )
        padded = segment + bytes(-len(segment) % _SEGMENT_ALIGN)
        extra = LaunchExtra(padded)
        device.calls(
            "hipModuleLaunchKernel",
            self._function,
            *groups,
            *items,
            lds_bytes,
            stream_handle(stream),
            None,
            extra.pointer,
            kernel=self.name,
        )

    def _checked(
        self, grid: Sequence[int], block: Sequence[int], lds_bytes: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return grid and block as three numbers each. Raises LaunchError for what HIP would refuse or misread."""
        arch, name = self.image.arch, self.name
        groups, items = _extent(name, grid, "grid"), _extent(name, block, "block")
        count = items[0] * items[1] * items[2]
        wanted = self.image.metadata.get(".reqd_workgroup_size")
        if isinstance(wanted, list) and tuple(wanted) != items:
            raise LaunchError(f"{name}: is made for a block of {wanted}, got {list(items)}")
        most = self.image.metadata.get(".max_flat_workgroup_size")
        limit = min(most if isinstance(most, int) else arch.max_workgroup, arch.max_workgroup)
        if count > limit:
            raise LaunchError(f"{name}: a block of {count} work-items, at most {limit} fit")
        for axis, (one, many) in enumerate(zip(items, groups, strict=True)):
            if one * many >= _MAX_WORK_ITEMS:
                raise LaunchError(f"{name}: {many} workgroups of {one} along {'xyz'[axis]} are too many for HIP (2^32)")
        total = self.image.descriptor.lds_bytes + lds_bytes
        if lds_bytes < 0 or total > arch.lds_bytes:
            raise LaunchError(f"{name}: wants {total} bytes of LDS a workgroup, {arch.name} has {arch.lds_bytes}")
        return groups, items


class HipModule(_Owned):
    """A code object on its GPU."""

    def __init__(self, device: HipDevice, data: bytes, path: str) -> None:
        self.device, self.data = device, data
        self.code_object = CodeObject(data, path)
        made_for = self.code_object.arch.name
        if device.arch != made_for:
            raise LaunchError(f"is made for {made_for}, {device.name} is {device.arch}", where=path or None)
        device.select()
        self.handle = device.calls("hipModuleLoadData", data)
        super().__init__(device, "hipModuleUnload", self.handle)
        self._kernels = KernelTable((name, HipKernel(self, image)) for name, image in self.code_object.kernels.items())

    @property
    def kernels(self) -> Mapping[str, HipKernel]:
        return self._kernels


class HipDevice:
    """One GPU.

    Raises:
        UsageError: the name is not `hip:N`.
        DeviceError: no hip-python, no ROCm, no such GPU.
    """

    def __init__(self, number: str = "0", calls: HipCalls | None = None) -> None:
        if not (number or "0").isdecimal():
            raise UsageError(f"device 'hip:{number}' does not exist", hint="hip:0, hip:1, ...")
        self.number = int(number or "0")
        self._owned: weakref.WeakSet[_Owned] = weakref.WeakSet()
        self._properties: HipProperties | None = None
        self.closings = 0
        try:
            self.calls = calls or HipCalls.find()
            count = int(self.calls("hipGetDeviceCount"))
        except DeviceError as error:
            raise DeviceError(f"device '{self.name}': {error.message}", hint=error.hint) from None
        if self.number >= count:
            raise DeviceError(f"device '{self.name}' does not exist, there are {count}")

    def __repr__(self) -> str:
        return f"<HipDevice {self.name}>"

    @property
    def name(self) -> str:
        return f"hip:{self.number}"

    @property
    def place(self) -> int:
        """The GPU's number, as arrays state it."""
        return self.number

    @property
    def arch(self) -> str:
        """The architecture, as `--arch` takes it."""
        return self.properties.arch

    @property
    def properties(self) -> HipProperties:
        """What HIP says of the GPU, asked once."""
        if self._properties is None:
            said = self.calls.device_properties(self.number)
            target, _, features = _text(said.gcnArchName).partition(":")
            units = int(said.multiProcessorCount)
            self._properties = HipProperties(
                _text(said.name),
                target,
                features,
                units,
                round(units / _COMPUTE_UNITS_PER_XCD[target]) if target in _COMPUTE_UNITS_PER_XCD else 0,
                said.clockRate / 1e3,
                said.memoryClockRate / 1e3,
                int(said.memoryBusWidth),
                int(said.totalGlobalMem),
                int(said.sharedMemPerBlock),
                int(said.l2CacheSize),
                _version(int(self.calls("hipRuntimeGetVersion"))),
            )
        return self._properties

    def select(self) -> None:
        """Make this the GPU of the calling thread."""
        self.calls("hipSetDevice", self.number)

    def load(self, source: str | Path | bytes) -> HipModule:
        """Load a code object from a path or from bytes. Raises CodeObjectError, LaunchError for another arch."""
        check_source(source)
        if isinstance(source, (bytes, bytearray, memoryview)):
            return HipModule(self, bytes(source), "")
        return HipModule(self, CodeObject.from_path(source).data, str(source))

    def buffer(self, array: ArrayLike) -> HipBuffer:
        """Make a buffer with a copy of an array."""
        return HipBuffer(self, host_array(array))

    def stream(self) -> HipStream:
        """Make a stream."""
        return HipStream(self)

    def event(self) -> HipEvent:
        """Make an event."""
        return HipEvent(self)

    def synchronize(self) -> None:
        """Wait until the GPU has nothing to do. Raises DeviceError."""
        self.select()
        self.calls("hipDeviceSynchronize")

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of the GPU's memory."""
        data = np.empty(size, np.uint8)
        if size:
            self.select()
            self.calls.copy_to_host(data.ctypes.data, address, size)
        return data.tobytes()

    def extent(self, address: int) -> tuple[int, int] | None:
        """Return first byte and size of the live buffer that holds an address, or None."""
        for one in self._owned:
            if isinstance(one, HipBuffer) and not one.freed and one.address <= address < one.address + one.nbytes:
                return one.address, one.nbytes
        return None

    def close(self) -> None:
        """Free everything that the device still holds; the first failure is raised when all was tried."""
        self.closings += 1
        failure: HkasmError | None = None
        for one in list(self._owned):
            try:
                one.free()
            except DeviceError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def __enter__(self) -> HipDevice:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(DeviceError) if kind else nullcontext():
            self.close()


def stream_handle(stream: object) -> object:
    """Return a stream as HIP takes it: None, an address, a HipStream's handle, or that of a torch stream."""
    if isinstance(stream, HipStream):
        return stream.handle
    handle = getattr(stream, "cuda_stream", stream)
    return ctypes.c_void_p(handle) if isinstance(handle, int) else handle


def _address(pointer: Any) -> int:
    return int(pointer)


def _text(value: Any) -> str:
    raw = value if isinstance(value, bytes) else str(value).encode()
    return raw.split(b"\0")[0].decode(errors="replace")


def _version(number: int) -> str:
    return f"{number // 10_000_000}.{number // 100_000 % 100}.{number % 100_000}"


def _extent(name: str, given: Sequence[int], what: str) -> tuple[int, ...]:
    if not isinstance(given, Sequence):
        raise LaunchError(f"{name}: a {what} is one to three numbers, got {given!r}", hint=f"{what}=({given}, 1, 1)")
    extent = tuple(int(n) for n in given)
    if not 1 <= len(extent) <= 3 or min(extent) < 1:
        raise LaunchError(f"{name}: a {what} is one to three numbers of at least 1, got {list(extent)}")
    return (*extent, *(1,) * (3 - len(extent)))

"""Arrays as arguments: what is checked before a launch, and the one error that each mistake gives."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.emulate import assemble

import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.program import KernelArg
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import LaunchError
from hkasm.runtime.emulated import EmulatedKernel
from hkasm.runtime.tensors import CPU, View, dtype_name, numpy_dtype, view_of

bfloat16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture(scope="module")
def hsaco(toolchain: Toolchain) -> bytes:
    """out[i] = x[i] for one wave of dwords; `m` is there for its type."""
    k = Builder("gfx950", "copy")
    k.arg("out", "f32", pointer=True, rank=1, access="write")
    k.arg("x", "f32", pointer=True, rank=2)
    k.arg("m", "bf16", pointer=True)
    out, x = k.sgpr("out", 2), k.sgpr("x", 2)
    k.s_load_dwordx2(out, k.kernarg, 0)
    k.s_load_dwordx2(x, k.kernarg, 8)
    offset, value = k.vgpr("offset"), k.vgpr("value")
    k.v_lshlrev_b32(offset, 2, k.lane)
    k.wait(out, x)
    k.global_load_dword(value, offset, x)
    k.wait(value)
    k.global_store_dword(offset, value, out)
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    return assemble(text, "gfx950", tuple(origins))


@pytest.fixture
def kernel(hsaco: bytes) -> EmulatedKernel:
    loaded = hkasm.device("emulator").load(hsaco).kernels["copy"]
    assert isinstance(loaded, EmulatedKernel)
    return loaded


X = np.arange(64, dtype=np.float32).reshape(8, 8)
M = np.zeros(4, bfloat16)


def launch(kernel: EmulatedKernel, *args: object, **more: Any) -> None:
    kernel.launch((1,), (64,), args, **more)


def test_arrays_on_the_host_go_there_and_come_back(kernel: EmulatedKernel) -> None:
    out = np.zeros(64, np.float32)
    launch(kernel, out, X, M)
    assert np.array_equal(out, X.reshape(-1))
    assert len(kernel._module.device.memory.buffers) == 1, "only the code is left"


def test_bits_in_integers_stand_for_any_type(kernel: EmulatedKernel) -> None:
    out = np.zeros(64, np.uint32)
    launch(kernel, out, X.view(np.uint32), M.view(np.uint16))
    assert np.array_equal(out.view(np.float32), X.reshape(-1))


def test_a_launch_that_fails_changes_no_array_and_frees_all(kernel: EmulatedKernel) -> None:
    out = np.zeros(8, np.float32)
    with pytest.raises(hkasm.HkasmError, match="global_store_dword"):
        launch(kernel, out, X, M)
    assert not out.any()
    assert len(kernel._module.device.memory.buffers) == 1


OUT = np.zeros(64, np.float32)
FROZEN = np.zeros(64, np.float32)
FROZEN.flags.writeable = False


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((OUT.astype(np.float64), X, M), "copy: argument 'out' points to f32, got f64"),
        ((OUT, X.astype(np.int32), M), "copy: argument 'x' points to f32, got i32"),
        ((OUT, X, M.astype(np.float16)), "copy: argument 'm' points to bf16, got f16"),
        ((OUT, X.reshape(4, 4, 4), M), r"copy: argument 'x' has 2 dimensions, got shape \[4, 4, 4\]"),
        ((OUT, X[:, ::2], M), r"copy: argument 'x' is not contiguous \(strides of \[32, 8\] bytes\)\n  hint: copy it"),
        ((OUT, X.T, M), "copy: argument 'x' is not contiguous"),
        ((OUT, X[::-1], M), "an array with a negative stride cannot be passed"),
        ((FROZEN, X, M), "copy: argument 'out' is written to, got a read-only array"),
        ((X.reshape(-1), X, M), "copy: arguments 'out' and 'x' overlap, and the kernel writes to one of them"),
        ((X.reshape(-1)[32:], X, M), "copy: arguments 'out' and 'x' overlap"),
        ((OUT, 0x1002, M), "copy: argument 'x' is at 0x1002, not at a multiple of f32's 4 bytes"),
        ((0x1000, 0x1000, M), "copy: arguments 'out' and 'x' overlap.*\n  hint: allow_aliasing=True"),
        ((OUT, None, M), "copy: argument 'x' is a pointer, got NoneType None"),
        ((OUT, -4, M), "copy: argument 'x' is a pointer, got -4, which does not fit"),
        ((OUT, True, M), "copy: argument 'x' is a pointer, got bool True"),
        ((OUT, X, M, 1), r"copy takes 3 arguments \(out, x, m\), got 4"),
    ],
)
def test_each_mistake_is_one_clear_error(kernel: EmulatedKernel, args: tuple[object, ...], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        launch(kernel, *args)
    assert len(kernel._module.device.memory.buffers) == 1


@pytest.mark.parametrize("value", [0, 1, -1, 1.5, np.float32(1.5)])
def test_an_argument_of_no_bytes_takes_no_value(kernel: EmulatedKernel, value: object) -> None:
    """Metadata of a damaged object may say so."""
    kernel.image.args = (KernelArg("n", "value", "", 0, 0),)
    with pytest.raises(LaunchError, match="argument 'n' is a value of 0 bytes, got"):
        launch(kernel, value)


def test_buffers_are_checked_too(kernel: EmulatedKernel) -> None:
    device = kernel._module.device
    x, wrong = device.buffer(X), device.buffer(X.astype(np.float64))
    with pytest.raises(LaunchError, match="argument 'x' points to f32, got f64"):
        launch(kernel, OUT, wrong, M)
    with pytest.raises(LaunchError, match="arguments 'out' and 'x' overlap"):
        launch(kernel, x, x, M)
    launch(kernel, x, x, M, allow_aliasing=True)
    x.free()
    x.free()
    with pytest.raises(LaunchError, match="argument 'x' is a buffer that was freed"):
        launch(kernel, OUT, x, M)


def test_an_array_that_overlaps_cannot_be_two_copies(kernel: EmulatedKernel) -> None:
    with pytest.raises(LaunchError, match=r"overlap.*\n  hint: make one buffer of it: dev.buffer\(array\)"):
        launch(kernel, OUT, OUT.reshape(8, 8), M, allow_aliasing=True)


class _Described:
    """An array of a framework's, as `__cuda_array_interface__` describes one on GPU 3."""

    def __init__(self, **entries: object) -> None:
        self.device = type("D", (), {"index": 3})()
        good = {"shape": (2, 8), "typestr": "<f4", "data": (0x1000, True), "version": 3, "strides": None}
        self.__cuda_array_interface__ = good | entries


def test_a_described_array_is_read() -> None:
    view = view_of(_Described())
    assert view is not None
    assert (view.address, view.shape, view.strides, view.dtype, view.place, view.writable) == (
        *(0x1000, (2, 8), (32, 4), "f32", 3),
        False,
    )
    assert view.contiguous
    strided = view_of(_Described(strides=(64, 4)))
    assert strided is not None
    assert (strided.contiguous, strided.nbytes, strided.flat().shape) == (False, 96, (24,))


def test_an_array_on_another_device_is_refused(kernel: EmulatedKernel) -> None:
    with pytest.raises(LaunchError, match="argument 'x' is on GPU 3, the launch on emulator"):
        launch(kernel, OUT, _Described(), M)
    with pytest.raises(LaunchError, match="describes itself wrongly"):
        launch(kernel, OUT, _Described(typestr="nonsense"), M)


def test_what_raises_when_it_is_asked_is_told(kernel: EmulatedKernel) -> None:
    class Gradient:
        @staticmethod
        def __dlpack_device__() -> tuple[int, int]:
            return (1, 0)

        @staticmethod
        def __dlpack__(**_: object) -> object:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach().")

    with pytest.raises(LaunchError, match=r"the Gradient cannot be passed: Can't export .*\n  hint: detach\(\)"):
        launch(kernel, OUT, Gradient(), M)

    class Elsewhere:
        __dlpack__ = Gradient.__dlpack__

        @staticmethod
        def __dlpack_device__() -> tuple[int, int]:
            return (8, 0)

    with pytest.raises(LaunchError, match="DLPack's device kind 8"):
        launch(kernel, OUT, Elsewhere(), M)


class _Exported:
    """A NumPy array that shows only its DLPack side."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    def __dlpack__(self, **more: object) -> object:
        return self._array.__dlpack__(**more)  # type: ignore[arg-type]

    def __dlpack_device__(self) -> object:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8", "u1", "?"])
def test_dlpack_says_the_same_as_numpy(dtype: str) -> None:
    array = np.zeros((4, 6), dtype)[1:, ::2]
    told, known = view_of(_Exported(array)), view_of(array)
    assert told is not None
    assert known is not None
    assert (told.address, told.shape, told.strides, told.dtype) == (
        known.address,
        known.shape,
        known.strides,
        known.dtype,
    )
    assert told.place == CPU


def test_dlpack_arrays_are_launched_on(kernel: EmulatedKernel) -> None:
    out = np.zeros(64, np.float32)
    launch(kernel, _Exported(out), _Exported(X.copy()), M)
    assert np.array_equal(out, X.reshape(-1))


def test_names_of_types_go_both_ways() -> None:
    names = ["f16", "f32", "f64", "bf16", "i8", "u16", "i32", "u64", "f8_e4m3fn", "f8_e5m2fnuz", "bool"]
    for name in names:
        kind = numpy_dtype(name)
        assert kind is not None
        assert dtype_name(kind) == name
    assert numpy_dtype("b128") is None
    assert dtype_name(np.dtype(">f4")) == ""
    assert View(0, (0, 4), (16, 4), "f32", 4, CPU, True, None).nbytes == 0

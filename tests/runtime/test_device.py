"""Devices, buffers, modules and arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.emulate import assemble

import hkasm
from hkasm.asm.builder import Builder
from hkasm.errors import CodeObjectError, HkasmError, LaunchError, UsageError
from hkasm.runtime import Buffer, Device, EmulatorDevice, devices


def _scale() -> bytes:
    """y[i] = a * x[i] + n for one wave."""
    k = Builder("gfx950", "scale")
    for name, access in (("y", "write"), ("x", "read")):
        k.arg(name, "f32", pointer=True, rank=1, access=access)
    k.arg("a", "f32")
    k.arg("n", "u32")
    y, x, a_n = k.sgpr("y", 2), k.sgpr("x", 2), k.sgpr("a n", 2)
    k.s_load_dwordx2(y, k.kernarg, 0)
    k.s_load_dwordx2(x, k.kernarg, 8)
    k.s_load_dwordx2(a_n, k.kernarg, 16)
    offset, value, n = k.vgpr("offset"), k.vgpr("value"), k.vgpr("n as f32")
    k.v_lshlrev_b32(offset, 2, k.lane)
    k.wait(y, x, a_n)
    k.global_load_dword(value, offset, x)
    k.v_cvt_f32_u32(n, a_n[1])
    k.wait(value)
    k.v_mul_f32(value, a_n[0], value)
    k.v_add_f32(value, value, n)
    k.global_store_dword(offset, value, y)
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    return assemble(text, "gfx950", tuple(origins))


X = np.arange(64, dtype=np.float32)


@pytest.fixture(scope="module")
def hsaco() -> bytes:
    return _scale()


def test_a_kernel_runs_with_arrays_and_numbers(hsaco: bytes, tmp_path: Path) -> None:
    path = tmp_path / "scale.hsaco"
    path.write_bytes(hsaco)
    device: Device = hkasm.device("emulator")
    for source in (hsaco, path, str(path)):
        module = device.load(source)
        assert list(module.kernels) == ["scale"]
        assert module.device is device
        x, y = device.buffer(X), device.buffer(np.zeros_like(X))
        assert isinstance(x, Buffer)
        report = module.kernels["scale"].launch(grid=(1, 1, 1), block=(64, 1, 1), args=[y, x, 2.5, 3])
        assert np.array_equal(y.numpy(), 2.5 * X + 3)
        assert report.kernel == "scale"
        assert report.findings == []


def test_numpy_scalars_addresses_and_raw_segments_are_arguments_too(hsaco: bytes) -> None:
    device = hkasm.device("emulator")
    kernel = device.load(hsaco).kernels["scale"]
    x, y = device.buffer(X), device.buffer(np.zeros_like(X))
    kernel.launch((1,), (64,), [y.address, x, np.float32(0.5), np.uint32(1)])
    assert np.array_equal(y.numpy(), 0.5 * X + 1)
    raw = y.address.to_bytes(8, "little") + x.address.to_bytes(8, "little") + np.float32(2).tobytes() + bytes(4)
    kernel.launch((1,), (64,), kernarg=raw)
    assert np.array_equal(y.numpy(), 2 * X)


def test_a_buffer_is_a_copy_of_its_array_and_a_view_of_the_device(hsaco: bytes) -> None:
    device = hkasm.device("emulator")
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    buffer = device.buffer(array)
    array[0, 0] = 99
    view = buffer.numpy()
    assert view.shape == (2, 3)
    assert view.dtype == np.int16
    assert view[0, 0] == 0
    assert buffer.nbytes == 12
    view[1, 2] = 7
    assert buffer.numpy()[1, 2] == 7
    buffer.free()
    empty = device.buffer(np.zeros((0, 4), np.float32))
    assert empty.numpy().shape == (0, 4)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], r"scale takes 4 arguments \(y, x, a, n\), got 0"),
        ([256, 512, 3.0, 4, 5], r"got 5"),
        ([256, 512, "3", 4], r"argument 'a' is f32 of 4 bytes, got str '3'"),
        ([256, 512, 3.0, 1 << 40], r"argument 'n' is u32 of 4 bytes, got 1099511627776, which does not fit"),
        ([256, 512, 1e60, 4], r"argument 'a' is f32 of 4 bytes, got 1e\+60, which does not fit"),
        ([256, 512, 10**400, 4], r"argument 'a' is f32 of 4 bytes, got 1\d*\.\.\.\d*, which does not fit"),
        ([256, [1.0] * 1000, 3.0, 4], r"argument 'x' is a pointer, got list \[[10., ]*\.\.\.\]$"),
        ([256, "x", 3.0, 4], r"argument 'x' is a pointer, got str 'x'"),
        ([256, 2.5, 3.0, 4], r"argument 'x' is a pointer, got float 2.5"),
    ],
)
def test_wrong_arguments_are_named(hsaco: bytes, args: list[object], message: str) -> None:
    kernel = hkasm.device("emulator").load(hsaco).kernels["scale"]
    with pytest.raises(LaunchError, match=message):
        kernel.launch((1,), (64,), args)


def test_args_and_kernarg_exclude_each_other(hsaco: bytes) -> None:
    kernel = hkasm.device("emulator").load(hsaco).kernels["scale"]
    with pytest.raises(LaunchError, match="args or kernarg, not both"):
        kernel.launch((1,), (64,), [], kernarg=b"")


def test_devices_are_asked_for_by_name() -> None:
    assert "emulator" in devices()
    with pytest.raises(UsageError, match=r"unknown device 'emulater'\n  hint: did you mean 'emulator'\?"):
        hkasm.device("emulater")
    with pytest.raises(UsageError, match=r"device 'hip:first' does not exist\n  hint: hip:0, hip:1"):
        hkasm.device("hip:first")
    with pytest.raises(UsageError, match="there is one emulator"):
        hkasm.device("emulator:1")


def test_what_is_no_code_object_is_refused(tmp_path: Path) -> None:
    device = hkasm.device("emulator")
    with pytest.raises(CodeObjectError):
        device.load(b"not an ELF file")
    with pytest.raises(CodeObjectError):
        device.load(tmp_path / "missing.hsaco")


def test_a_buffer_of_another_device_or_a_closed_one_is_refused(hsaco: bytes) -> None:
    device, other = hkasm.device("emulator"), hkasm.device("emulator")
    y, x = device.buffer(np.ones(64, np.float32)), other.buffer(np.ones(64, np.float32))
    kernel = device.load(hsaco).kernels["scale"]
    with pytest.raises(LaunchError, match="argument 'x' is a buffer of another device, or of one that was closed"):
        kernel.launch((1,), (64,), [y, x, 3.0, 4])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([object()]), "a buffer holds numbers, got an array of Python objects"),
        (None, "a buffer holds numbers, got an array of Python objects"),
        ("abc", "a buffer holds numbers, got <U3"),
        ([1, [2, 3]], r"a buffer begins as an array, got \[1, \[2, 3\]\]: "),
    ],
)
def test_a_buffer_of_anything_but_numbers_is_refused(values: object, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        hkasm.device("emulator").buffer(values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "dtype", "message"),
    [
        (-1, "f4", "a buffer's shape is a whole number or several, got -1"),
        ((2, "a"), "f4", r"a buffer's shape is a whole number or several, got \(2, 'a'\)"),
        (4, "float33", "a buffer's dtype is one of NumPy's or ml_dtypes', got 'float33'"),
        (4, object, "a buffer holds numbers"),
        (1 << 50, "f4", "no memory for a buffer of shape 1125899906842624 and dtype float32"),
    ],
)
def test_an_empty_buffer_of_no_shape_or_type_is_refused(shape: Any, dtype: Any, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        EmulatorDevice().empty(shape, dtype)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"options": {"strict": False}}, r"options are the emulator's Options, got .*\n  hint: options=Options\("),
        ({"probes": ["main"]}, r"probes are listeners, got 'main'\n  hint: probes=\[Probe\("),
        ({"probes": 5}, "probes are listeners, got 5"),
        ({"args": 5}, r"args is a list of the kernel's arguments, got int 5\n  hint: args=\[y, x, a, n\]"),
        ({"args": np.zeros(2)}, "args is a list of the kernel's arguments, got ndarray"),
        ({"args": None, "kernarg": "abc"}, "kernel arguments are bytes, got 'abc'"),
        ({"record": 5}, "record is the path of a folder, got 5"),
    ],
)
def test_what_launch_cannot_take_is_named(hsaco: bytes, settings: dict[str, Any], message: str) -> None:
    device = hkasm.device("emulator")
    args = [device.buffer(X), device.buffer(np.zeros_like(X)), 2.0, 1]
    with pytest.raises(HkasmError, match=message):
        device.load(hsaco).kernels["scale"].launch((1,), (64,), **{"args": args, **settings})


def test_kernels_are_asked_for_by_name(hsaco: bytes) -> None:
    kernels = hkasm.device("emulator").load(hsaco).kernels
    with pytest.raises(LaunchError, match=r"no kernel 0 in this object\n  hint: kernels: scale"):
        kernels[0]  # type: ignore[index]


@pytest.mark.parametrize("count", [0, 65, "2", 1.5])
def test_so_many_peers_cannot_be_had(count: Any) -> None:
    with pytest.raises(UsageError, match="1 to 64 peers can be had, got"):
        EmulatorDevice.peers(count)


def test_peers_reach_each_other_and_keep_their_own(hsaco: bytes) -> None:
    one, two = EmulatorDevice.peers(2)
    assert (one.name, two.name) == ("emulator peer 0", "emulator peer 1")
    theirs = one.buffer(np.arange(4, dtype=np.float32), "theirs")
    mine = two.buffer(np.zeros(4, np.float32), "mine")
    assert len({theirs.address, mine.address}) == 2
    assert two.extent(theirs.address) == (theirs.address, 16)
    assert two.memory.read(theirs.address, 16) == theirs.numpy().tobytes()
    x, y = one.buffer(X), one.buffer(np.zeros_like(X))
    for number, device in enumerate((two, one, two), 1):  # in the order of the calls, on memory that persists
        source = x if number == 1 else y
        device.load(hsaco).kernels["scale"].launch((1,), (64,), [y, source, 2.0, number], allow_aliasing=True)
    assert np.array_equal(y.numpy(), 2 * (2 * (2 * X + 1) + 2) + 3)
    two.close()
    assert (two.closings, one.closings) == (1, 0)
    assert one.extent(theirs.address) is not None
    assert one.extent(mine.address) is None


def test_a_device_is_given_by_name() -> None:
    with pytest.raises(UsageError, match=r"a device is given by its name, got None\n  hint: devices: emulator"):
        hkasm.device(None)  # type: ignore[arg-type]

"""GPUs without a GPU: hip-python drives a runtime that writes down what it is asked for."""

from __future__ import annotations

import importlib.util
import json
import struct
from pathlib import Path

import pytest
from support.emulate import assemble
from support.hip import FakeRocm, build_fake, held

from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import Toolchain
from hkasm.runtime.record import replay

if importlib.util.find_spec("hip") is None:
    pytest.skip("hip-python is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> FakeRocm:
    return build_fake(tmp_path_factory.mktemp("rocm"))


@pytest.fixture(scope="module")
def hsaco(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A kernel with two pointers, a float, a byte and a 64-bit integer, so that its arguments have holes."""
    k = Builder("gfx950", "mixed", block=(16, 8, 1))
    k.arg("y", "f32", pointer=True, rank=1, access="write")
    k.arg("x", "f32", pointer=True, rank=1)
    k.arg("a", "f32")
    k.arg("flag", "u8")
    k.arg("n", "u64")
    k.arg("b", "f16")
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    path = tmp_path_factory.mktemp("code") / "mixed.hsaco"
    path.write_bytes(assemble(text, "gfx950", tuple(origins)))
    return str(path)


LAUNCH = """
import json, sys
import numpy as np
import hkasm

x = np.arange(100, dtype=np.float32)
y = np.zeros(100, np.float32)
with hkasm.device("hip:0") as device:
    kernel = device.load(sys.argv[1]).kernels["mixed"]
    with device.buffer(x) as xs, device.buffer(y) as ys, device.stream() as stream:
        try:
            kernel.launch((3, 5), (16, 8), [ys, xs, 1.5, 7, 1 << 40, 0.5], lds_bytes=4096, stream=stream)
        except hkasm.HkasmError as error:
            print(json.dumps(str(error)))
            raise SystemExit(3)
        back = ys.numpy()
print(json.dumps({"y": back[:4].tolist(), "y_address": ys.address, "x_address": xs.address}))
"""


def test_a_launch_reaches_the_runtime_as_it_was_asked_for(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(LAUNCH, hsaco, FAKE_HIP_STORE="8")
    assert (done.exit_code, done.stderr) == (0, "")
    (launch,) = done.named("hipModuleLaunchKernel")
    words = dict(word.split("=") for word in launch.split()[1:])
    assert (words["grid"], words["block"], words["lds"]) == ("3,5,1", "16,8,1", "4096")
    (stream,) = (call.split()[-1] for call in done.named("hipStreamCreate"))
    assert words["stream"] == stream
    # As a C compiler lays the structure out: y, x, a, flag, 3 bytes of hole, n, b, 6 bytes to the alignment's end.
    want = struct.pack("<QQfB3xQe6x", done.said["y_address"], done.said["x_address"], 1.5, 7, 1 << 40, 0.5)
    assert bytes.fromhex(words["kernarg"]) == want
    pattern = struct.unpack("<f", b"\x3f" * 4)[0]
    assert done.said["y"] == [pattern, pattern, 0.0, 0.0]


def test_the_calls_come_in_order_and_all_is_given_back(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(LAUNCH, hsaco)
    names = [call.split()[0] for call in done.calls if call.split()[0] != "hipSetDevice"]
    assert names == [
        "hipModuleLoadData",
        *("hipMalloc", "hipMemcpy") * 2,
        "hipStreamCreate",
        "hipModuleGetFunction",
        "hipModuleLaunchKernel",
        "hipStreamSynchronize",
        "hipMemcpy",
        "hipStreamDestroy",
        "hipFree",
        "hipFree",
        "hipModuleUnload",
    ]
    sizes = [call.split()[1:3] for call in done.named("hipMemcpy")]
    assert sizes == [["size=400", "kind=1"], ["size=400", "kind=1"], ["size=400", "kind=2"]]
    assert held(done.calls) == {}


FAULTS = {
    "hipModuleGetFunction:500": "mixed: hipModuleGetFunction failed: hipErrorNotFound (500), something else",
    "hipModuleLaunchKernel:2": "mixed: hipModuleLaunchKernel failed: hipErrorOutOfMemory (2), out of memory",
    "hipModuleLaunchKernel:719": "mixed: hipModuleLaunchKernel failed: hipErrorLaunchFailure (719), something else",
    "hipStreamSynchronize:700": "mixed: hipStreamSynchronize failed: hipErrorIllegalAddress (700), something else",
    "hipGetDeviceCount:100": "device 'hip:0': hipGetDeviceCount failed: hipErrorNoDevice (100), no ROCm-capable device "
    "is detected",
    "hipSetDevice:101": "hipSetDevice failed: hipErrorInvalidDevice (101), something else",
    "hipGetDevicePropertiesR0600:1": "hipGetDeviceProperties failed: hipErrorInvalidValue (1), something else",
    "hipModuleLoadData:209": "hipModuleLoadData failed: hipErrorNoBinaryForGpu (209), something else",
    "hipMalloc:2": "hipMalloc failed: hipErrorOutOfMemory (2), out of memory",
    "hipMalloc:2:2": "hipMalloc failed: hipErrorOutOfMemory (2), out of memory",
    "hipMemcpy:1": "hipMemcpy failed: hipErrorInvalidValue (1), something else",
    "hipMemcpy:1:2": "hipMemcpy failed: hipErrorInvalidValue (1), something else",
    "hipMemcpy:1:3": "hipMemcpy failed: hipErrorInvalidValue (1), something else",
    "hipStreamCreate:2": "hipStreamCreate failed: hipErrorOutOfMemory (2), out of memory",
    # A fault after which nothing works any more: what is told is the fault, not the failing frees.
    "hipStreamSynchronize:719,hipFree:719,hipModuleUnload:719,hipStreamDestroy:719": "mixed: hipStreamSynchronize "
    "failed: hipErrorLaunchFailure (719), something else",
    "hipMalloc:4242": "hipMalloc failed with a status unknown to hip-python: 4242 is not a valid hipError_t",
}

EACH_FAULT = """
import json, os, sys
import numpy as np
import hkasm

x = np.zeros(100, np.float32)

def run(code):
    with hkasm.device("hip:0") as device:
        kernel = device.load(code).kernels["mixed"]
        xs, ys, stream = device.buffer(x), device.buffer(x), device.stream()
        kernel.launch((3, 5), (16, 8), [ys, xs, 1.5, 7, 1 << 40, 0.5], stream=stream)
        ys.numpy()

said, log = {}, os.environ["FAKE_HIP_LOG"]
for number, fault in enumerate(json.loads(sys.argv[2])):
    os.environ["FAKE_HIP_FAIL"], os.environ["FAKE_HIP_LOG"] = fault, f"{log}.{number}"
    try:
        run(sys.argv[1])
    except hkasm.HkasmError as error:
        said[fault] = str(error)
print(json.dumps(said))
"""


def test_every_failing_call_is_named_and_gives_all_back(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(EACH_FAULT, hsaco, json.dumps(list(FAULTS)))
    assert done.stderr == ""
    assert done.said == FAULTS
    for number, fault in enumerate(FAULTS):
        calls = Path(f"{rocm.root}/calls.log.{number}").read_text().splitlines()
        assert held(calls) == {}, fault


def test_a_failing_free_is_told_and_the_others_are_freed(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(LAUNCH, hsaco, FAKE_HIP_FAIL="hipFree:1:1")
    assert "DeviceError: hipFree failed: hipErrorInvalidValue (1)" in done.stderr
    assert [len(done.named(name)) for name in ("hipFree", "hipModuleUnload")] == [2, 1]


ARRAYS = """
import json, sys
import numpy as np
import hkasm

device = hkasm.device("hip:0")
kernel = device.load(sys.argv[1]).kernels["mixed"]

class OnGpu:
    device = "gpu"
    def __init__(self, address, n):
        self.__cuda_array_interface__ = {"shape": (n,), "typestr": "<f4", "data": (address, False), "version": 3}

x = device.buffer(np.arange(100, dtype=np.float32))
y = np.zeros(100, np.float32)
kernel.launch((1,), (16, 8), [y, OnGpu(x.address, 100), 0.0, 0, 0, 0.0])
said = {"x": x.address, "y": y[:3].tolist()}
try:
    kernel.enqueue((1,), (16, 8), [y, x, 0.0, 0, 0, 0.0])
except hkasm.HkasmError as error:
    said["enqueue"] = str(error)
kernel.enqueue((1,), (16, 8), [x.address + 200, x.address, 0.0, 0, 0, 0.0], stream=0x77)
device.close()
print(json.dumps(said))
"""


def test_host_arrays_are_copied_there_and_back_and_gpu_arrays_are_not(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(ARRAYS, hsaco, FAKE_HIP_STORE="8")
    assert (done.exit_code, done.stderr) == (0, "")
    first, second = done.named("hipModuleLaunchKernel")
    made = [call.split()[-1] for call in done.named("hipMalloc")]
    assert len(made) == 3, "x, the copy of y, and the copy of y that enqueue refused"
    y_address, x_address = struct.unpack("<QQ", bytes.fromhex(first.split("kernarg=")[1])[:16])
    assert (x_address, y_address) == (done.said["x"], int(made[1], 16))
    assert done.said["y"][0] == done.said["y"][1] != 0.0
    assert "argument 'y' is on the host, and nothing waits for this launch" in done.said["enqueue"]
    assert "stream=0x77 " in second
    assert held(done.calls) == {}


WRONG = """
import json, sys
import numpy as np
import hkasm

device = hkasm.device("hip:0")
kernel = device.load(sys.argv[1]).kernels["mixed"]
x, y = device.buffer(np.arange(100, dtype=np.float32)), device.buffer(np.zeros(100, np.float32))
freed = device.buffer(x.numpy())
freed.free()
rest = [0.0, 0, 0, 0.0]
said = []
for grid, block, args, more in (
    ((1,), (64,), [y, x, *rest], {}),
    ((1 << 30,), (16, 8), [y, x, *rest], {}),
    ((0,), (16, 8), [y, x, *rest], {}),
    ((1,), (16, 8), [y, x, *rest], {"lds_bytes": 1 << 20}),
    ((1,), (16, 8), [y, freed, *rest], {}),
    ((1,), (16, 8), [y, y, *rest], {}),
    ((1,), (16, 8), [y, x, *rest], {"options": object()}),
):
    try:
        kernel.launch(grid, block, args, **more)
    except hkasm.HkasmError as error:
        said.append(error.message)
print(json.dumps(said))
device.close()
"""


def test_what_hip_would_misread_is_refused_before_it_is_asked(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(WRONG, hsaco)
    assert done.said == [
        "mixed: is made for a block of [16, 8, 1], got [64, 1, 1]",
        "mixed: 1073741824 workgroups of 16 along x are too many for HIP (2^32)",
        "mixed: a grid is one to three numbers of at least 1, got [0]",
        "mixed: wants 1048576 bytes of LDS a workgroup, gfx950 has 163840",
        "mixed: argument 'x' is a buffer that was freed",
        "mixed: arguments 'y' and 'x' overlap, and the kernel writes to one of them",
        "mixed: options are the emulator's",
    ]
    assert done.named("hipModuleLaunchKernel") == []


NAMELESS = """
import json
import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import build_hsaco

k = Builder("gfx950", "nameless")
k.s_endpgm()
with hkasm.device("hip:0") as device:
    kernel = device.load(build_hsaco(k.finish())).kernels["nameless"]
    kernel.launch((1,), (64,), [])
    try:
        kernel.launch((1,), (64,), kernarg=bytes(8))
    except hkasm.HkasmError as error:
        print(json.dumps(error.message))
"""


def test_a_segment_that_hip_would_not_pass_is_refused(rocm: FakeRocm, toolchain: Toolchain) -> None:
    done = rocm.python(NAMELESS)
    assert done.said == "nameless: the object's metadata names no arguments, so that HIP would pass none"
    assert [call.split("kernarg=")[1] for call in done.named("hipModuleLaunchKernel")] == [""]


RECORD = """
import sys
import numpy as np
import hkasm

with hkasm.device("hip:0") as device:
    kernel = device.load(sys.argv[1]).kernels["mixed"]
    both = device.buffer(np.arange(200, dtype=np.float32))
    kernel.launch((1,), (16, 8), [np.zeros(100, np.float32), both.address + 400, 1.5, 7, 1, 0.5], record=sys.argv[2])
"""


def test_a_recorded_launch_is_what_the_gpu_left(rocm: FakeRocm, hsaco: str, tmp_path: Path) -> None:
    done = rocm.python(RECORD, hsaco, str(tmp_path), FAKE_HIP_STORE="8")
    assert (done.exit_code, done.stderr) == (0, "")
    assert held(done.calls) == {}
    assert (tmp_path / "y.after.bin").read_bytes() == b"\x3f" * 8 + bytes(392)
    again = replay(tmp_path)
    assert (again.device, again.ended) == ("hip:0", True)
    # The kernel does nothing on the emulator; the fake stored two floats.
    assert [(one.name, one.wrong) for one in again.differences] == [("y", 2)]
    assert (tmp_path / "x.before.bin").stat().st_size == 800


PROPERTIES = """
import json
import hkasm
device = hkasm.device("hip:1")
said = device.properties
start, stop = device.event(), device.event()
start.record()
stop.record(5)
stop.synchronize()
print(json.dumps([device.name, device.arch, said.name, said.features, said.compute_units, said.xcds, said.runtime,
                  stop.seconds_since(start)]))
device.synchronize()
device.close()
"""


def test_properties_and_events(rocm: FakeRocm) -> None:
    done = rocm.python(PROPERTIES, FAKE_HIP_DEVICES="2")
    assert done.said == ["hip:1", "gfx950", "Fake Instinct", "sramecc+:xnack-", 256, 8, "7.2.51831", 0.0025]
    assert done.named("hipEventRecord")[1].endswith("stream=0x5")
    assert {call for call in done.calls if call.startswith("hipSetDevice")} == {"hipSetDevice device=1"}
    assert held(done.calls) == {}


DEVICE = "import sys, hkasm\nprint(hkasm.device(sys.argv[1]).name)"


def test_auto_takes_a_gpu_of_the_arch_or_says_why_not(rocm: FakeRocm) -> None:
    assert rocm.python(DEVICE, "auto:gfx950").stdout == "hip:0\n"
    other = rocm.python(DEVICE, "auto:gfx942")
    assert other.stdout == "emulator\n"
    assert (
        "EmulatorWarning: hkasm runs on the emulator, since there is no GPU for gfx942: hip:0 is gfx950" in other.stderr
    )
    none = rocm.python(DEVICE, "auto", FAKE_HIP_DEVICES="0")
    assert none.stdout == "emulator\n"
    assert "hipGetDeviceCount failed: hipErrorNoDevice (100)" in none.stderr


def test_a_gpu_that_is_not_there_is_named(rocm: FakeRocm) -> None:
    assert "DeviceError: device 'hip:3' does not exist, there are 1" in rocm.python(DEVICE, "hip:3").stderr


def test_an_object_for_another_arch_is_refused(rocm: FakeRocm, hsaco: str) -> None:
    done = rocm.python(LAUNCH, hsaco, FAKE_HIP_ARCH="gfx942")
    assert f"LaunchError: {hsaco}: is made for gfx950, hip:0 is gfx942" in done.stderr


def test_without_rocm_every_command_ends_in_one_line(rocm: FakeRocm, tmp_path: Path) -> None:
    empty = FakeRocm(tmp_path)
    text = "hkasm: device 'hip:0': hipGetDeviceCount: hip-python finds no ROCm: failed to dlopen"
    for words in (("run", "gemm", "--arch", "gfx950"), ("bench", "gemm"), ("selftest",)):
        done = empty.hkasm(*words, "--device", "hip:0")
        assert (done.exit_code, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith(text)
        assert "install ROCm, or set ROCM_PATH" in done.stderr
    (gpu,) = (line for line in empty.hkasm("doctor").stdout.splitlines() if line.startswith("GPU  "))
    assert "hip-python finds no ROCm" in gpu

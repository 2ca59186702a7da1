"""hip-python on a real HIP library with no GPU behind it: Debian's libamdhip64-5, unpacked, not installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest
from support.hip import FakeRocm

pytestmark = pytest.mark.download

if importlib.util.find_spec("hip") is None:
    pytest.skip("hip-python is not installed", allow_module_level=True)

_PACKAGES = ("libamdhip64-5", "libhsa-runtime64-1", "libamd-comgr2", "libhsakmt1", "libllvm15")


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> FakeRocm:
    """A folder with the library where hip-python looks for it; skips where apt cannot give the packages."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        pytest.skip("no apt here")
    root = tmp_path_factory.mktemp("debian")
    got = subprocess.run(["apt-get", "download", *_PACKAGES], cwd=root, capture_output=True, text=True, check=False)
    if got.returncode != 0:
        pytest.skip(f"apt cannot download {_PACKAGES[0]}: {got.stderr.strip().splitlines()[-1:]}")
    for package in root.glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(package), str(root / "unpacked")], check=True)
    library = next((root / "unpacked").rglob("libamdhip64.so.5"))
    (root / "lib").mkdir()
    for path in library.parent.glob("*.so*"):
        (root / "lib" / path.name).symlink_to(path)
    (root / "lib" / "libamdhip64.so").symlink_to(library)
    return FakeRocm(root)


CALLS = """
import json
from hkasm.errors import DeviceError
from hkasm.runtime.hip_calls import HipCalls

calls, said = HipCalls.find(), {}
said["hipRuntimeGetVersion"] = calls("hipRuntimeGetVersion")
for name, *args in (("hipGetDeviceCount",), ("hipModuleLoadData", b"\\x7fELF"), ("hipMalloc", 64), ("hipSetDevice", 0)):
    try:
        calls(name, *args)
    except DeviceError as error:
        said[name] = error.message
try:
    calls.device_properties(0)
except DeviceError as error:
    said["hipGetDeviceProperties"] = error.message
print(json.dumps(said))
"""


def test_every_path_ends_in_the_librarys_own_error(rocm: FakeRocm) -> None:
    done = rocm.python(CALLS)
    assert done.exit_code == 0, done.stderr
    assert done.said["hipRuntimeGetVersion"] > 50_000_000
    assert done.said["hipGetDeviceCount"].startswith("hipGetDeviceCount failed: hipErrorNoDevice (100)")
    for name in ("hipModuleLoadData", "hipMalloc", "hipSetDevice"):
        assert done.said[name].startswith(
            (f"{name} failed: hipErrorInvalidDevice (101)", f"{name} failed: hipErrorNoDev")
        )
    # Debian's is older than the structure that the binding knows: its name is not in the library, or there is no GPU.
    assert done.said["hipGetDeviceProperties"].startswith("hipGetDeviceProperties")


@pytest.mark.parametrize("words", [("run", "gemm", "--arch", "gfx950", "--device", "hip:0")])
def test_commands_end_in_one_line(rocm: FakeRocm, words: tuple[str, ...]) -> None:
    done = rocm.hkasm(*words)
    assert done.exit_code == 2
    assert done.stderr.startswith("hkasm: device 'hip:0': hipGetDeviceCount failed: hipErrorNoDevice (100)")
    assert len(done.stderr.splitlines()) == 1


def test_auto_falls_back_and_says_so(rocm: FakeRocm) -> None:
    done = rocm.python("import hkasm\nprint(hkasm.device('auto:gfx950').name)")
    assert done.stdout == "emulator\n"
    assert "hipErrorNoDevice" in done.stderr


def test_the_unpacked_library_is_what_was_loaded(rocm: FakeRocm) -> None:
    assert Path(rocm.root / "lib" / "libamdhip64.so").resolve().name.startswith("libamdhip64.so.5.")

"""What `hkasm doctor` looks at: toolchains, packages, devices, and the emulator by running a kernel on it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import hkasm
from hkasm.asm.toolchain import Toolchain, candidates
from hkasm.errors import DeviceError, EmulatorError, HkasmError, ToolchainError
from hkasm.isa.arch import ARCHES

if TYPE_CHECKING:
    from hkasm.asm.builder import Builder
    from hkasm.settings import Settings

__all__ = ["Part", "ToolchainReport", "check_parts", "check_toolchains", "python_facts"]

_PACKAGES = ("numpy", "ml_dtypes", "pyelftools", "msgpack", "click", "rich")


@dataclass(frozen=True, slots=True)
class ToolchainReport:
    """One candidate: how it is started, what it says of itself, the archs it knows and those it is the first for."""

    origin: str
    clang: tuple[str, ...]
    lld: tuple[str, ...]
    version: str
    knows: tuple[str, ...]
    used_for: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that may be here or not; without a `needed` one nothing can be built and run."""

    name: str
    found: bool
    detail: str
    enables: str
    how: str
    needed: bool = False

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def python_facts() -> dict[str, str]:
    """Return the versions of hkasm, of Python and of the packages that hkasm uses."""
    packages = ", ".join(f"{name} {_version(name) or 'missing'}" for name in _PACKAGES)
    return {
        "hkasm": hkasm.__version__,
        "Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "packages": packages,
    }


def check_toolchains(clang: str | None, settings: Settings) -> list[ToolchainReport]:
    """Start every candidate and return what it says. Raises ToolchainError for a chosen clang that is not there."""
    reports: list[ToolchainReport] = []
    served: set[str] = set()
    for found in candidates(clang, rocm_path=settings.rocm_path):
        knows = tuple(name for name in ARCHES if found.knows(name))
        used_for = tuple(name for name in knows if name not in served)
        served.update(knows)
        reports.append(ToolchainReport(found.origin, found.clang, found.lld, _said_version(found), knows, used_for))
    return reports


def check_parts(toolchains: list[ToolchainReport], settings: Settings) -> list[Part]:
    """Return the parts in the order in which a user needs them."""
    return [*_toolchain_parts(toolchains), _emulator_part(toolchains), _hip_part(), _rocm_part(settings), _gpu_part()]


def _toolchain_parts(toolchains: list[ToolchainReport]) -> list[Part]:
    parts = []
    for arch in ARCHES:
        used = next((one for one in toolchains if arch in one.used_for), None)
        parts.append(
            Part(
                f"clang and lld for {arch}",
                used is not None,
                used.version if used else "no candidate knows it",
                f"hkasm build and hkasm run for {arch}",
                "pip install 'hkasm[clang]' (the ziglang wheel), ROCm, or LLVM 20 or newer (Debian: clang-22 lld-22)",
                needed=True,
            )
        )
    return parts


def _emulator_part(toolchains: list[ToolchainReport]) -> Part:
    used = next((one for one in toolchains if one.used_for), None)
    if used is None:
        found, detail = False, "not tried: there is no toolchain to build a kernel with"
    else:
        try:
            _run_small_kernel(Toolchain(used.clang, used.lld, used.origin), used.used_for[-1])
            found, detail = True, f"built and ran a kernel for {used.used_for[-1]}"
        except HkasmError as error:
            found, detail = False, str(error).splitlines()[0]
    return Part("emulator", found, detail, "hkasm run", "a toolchain, see above", needed=True)


def _run_small_kernel(toolchain: Toolchain, arch: str) -> None:
    """Build a kernel that numbers 64 lanes, run it, and look at the numbers. Raises HkasmError."""
    import numpy as np

    from hkasm.asm.builder import build
    from hkasm.asm.toolchain import build_hsaco
    from hkasm.runtime import device

    target = device("emulator")
    numbers = target.buffer(np.zeros(64, np.uint32))
    module = target.load(build_hsaco(build(_number_lanes, arch=arch), toolchain))
    module.kernels[_number_lanes.__name__].launch(grid=(1, 1, 1), block=(64, 1, 1), args=[numbers])
    if not np.array_equal(numbers.numpy(), np.arange(64, dtype=np.uint32)):
        raise EmulatorError("ran a kernel and got a wrong answer")


def _number_lanes(k: Builder) -> None:
    k.arg("numbers", "u32", pointer=True, rank=1, access="write")
    numbers, offset = k.sgpr("numbers", 2), k.vgpr("offset")
    k.s_load_dwordx2(numbers, k.kernarg, 0)
    k.v_lshlrev_b32(offset, 2, k.lane)
    k.wait(numbers)
    k.global_store_dword(offset, k.lane, numbers)
    k.s_endpgm()


def _hip_part() -> Part:
    version = _version("hip-python") if importlib.util.find_spec("hip") else None
    return Part(
        "hip-python",
        version is not None,
        version or "not installed",
        "launching kernels on an AMD GPU from Python",
        "pip install 'hkasm[hip]', of the machine's ROCm version",
    )


def _rocm_part(settings: Settings) -> Part:
    roots = ([Path(settings.rocm_path)] if settings.rocm_path else []) + sorted(Path("/opt").glob("rocm*"))
    root = next((root for root in roots if root.is_dir()), None)
    version = root / ".info" / "version" if root else None
    said = version.read_text().strip() if version and version.is_file() else ""
    return Part(
        "ROCm",
        root is not None,
        f"{root} {said}".strip() if root else "no /opt/rocm*, and ROCM_PATH names none",
        "the GPU's runtime, its own clang and its profilers",
        "AMD's packages: https://rocm.docs.amd.com",
    )


def _gpu_part() -> Part:
    """Ask HIP for its GPUs; what it answers where there are none is what the part says."""
    from hkasm.runtime.hip_calls import HipCalls
    from hkasm.runtime.hip_device import HipDevice

    found: list[str] = []
    why = "HIP counts none"
    try:
        calls = HipCalls.find()
        for number in range(int(calls("hipGetDeviceCount"))):
            said = HipDevice(str(number), calls).properties
            memory = f"{said.memory_bytes / (1 << 30):.0f} GiB"
            found.append(f"hip:{number} {said.name} ({said.arch}, {said.compute_units} CUs, {memory})")
    except DeviceError as error:
        why = error.message
    return Part(
        "GPU",
        bool(found),
        "; ".join(found) or why,
        "hkasm run --device hip:0",
        "an MI300X, MI325X, MI350X or MI355X, with hip-python and ROCm",
    )


def _said_version(toolchain: Toolchain) -> str:
    try:
        return toolchain.version
    except ToolchainError as error:
        return error.message


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None

"""A HIP runtime for tests: a small shared object that stands in for libamdhip64, and runs of Python against it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hkasm.asm.toolchain import find_toolchain
from hkasm.errors import ToolchainError

_SOURCE = Path(__file__).with_name("fake_hip.c")
_TIME_LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Outcome:
    """What a run of Python printed as JSON, its exit code, its stderr, and the calls that the runtime saw."""

    said: Any
    exit_code: int
    stdout: str
    stderr: str
    calls: list[str]

    def named(self, name: str) -> list[str]:
        """Return the calls of one name."""
        return [call for call in self.calls if call.split()[0] == name]


def held(calls: list[str]) -> dict[str, str]:
    """Return what was made and never given back: handle to the call that made it."""
    found: dict[str, str] = {}
    for call in calls:
        words = call.split()
        if "->" in words:
            found[words[-1]] = words[0]
        elif words[0] in ("hipFree", "hipModuleUnload", "hipStreamDestroy", "hipEventDestroy"):
            del found[words[1]]
    return found


@dataclass(frozen=True)
class FakeRocm:
    """A folder that looks like ROCm's, with the fake runtime in it."""

    root: Path

    def python(self, code: str, *args: str, **settings: str) -> Outcome:
        """Run Python code in a process of its own; what it prints last is read as JSON."""
        return self._run([sys.executable, "-c", code, *args], settings)

    def hkasm(self, *words: str, **settings: str) -> Outcome:
        """Run the command in a process of its own."""
        return self._run([sys.executable, "-m", "hkasm", *words], settings)

    def _run(self, command: list[str], settings: dict[str, str]) -> Outcome:
        log = self.root / "calls.log"
        log.unlink(missing_ok=True)
        environment = os.environ | {
            "ROCM_PATH": str(self.root),
            "LD_LIBRARY_PATH": str(self.root / "lib"),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path) or ".",
            "FAKE_HIP_LOG": str(log),
            **settings,
        }
        result = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_TIME_LIMIT_SECONDS, check=False
        )
        lines = result.stdout.strip().splitlines()
        try:
            said = json.loads(lines[-1]) if lines else None
        except ValueError:
            said = None
        calls = log.read_text().splitlines() if log.exists() else []
        return Outcome(said, result.returncode, result.stdout, result.stderr, calls)


def build_fake(root: Path) -> FakeRocm:
    """Build the fake runtime below `root`; skips the test where no compiler can."""
    (root / "lib").mkdir(parents=True)
    target = root / "lib" / "libamdhip64.so"
    for compiler in _compilers():
        command = [*compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(_SOURCE)]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return FakeRocm(root)
    pytest.skip("no compiler here makes a shared object for this machine")


def _compilers() -> list[list[str]]:
    found = [[path] for path in (shutil.which(name) for name in ("cc", "gcc", "clang")) if path]
    with suppress(ToolchainError):
        found.insert(0, list(find_toolchain().clang))
    return found

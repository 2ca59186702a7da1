"""Settings come from the environment that is given, and an empty variable is no setting."""

from __future__ import annotations

import pytest

from hkasm.settings import Settings


def test_nothing_set() -> None:
    assert Settings.from_environment({"HKASM_CLANG": "", "PATH": "/bin"}) == Settings()


def test_all_set() -> None:
    environment = {
        "HKASM_ARCH": "gfx942",
        "HKASM_CLANG": "clang-22",
        "ROCM_PATH": "/opt/rocm",
        "HKASM_DEVICE": "emulator",
    }
    assert Settings.from_environment(environment) == Settings("gfx942", "clang-22", "/opt/rocm", "emulator")


def test_the_machines_own_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HKASM_ARCH", "gfx950")
    assert Settings.from_environment().arch == "gfx950"

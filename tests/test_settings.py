"""Settings come from the environment that is given, and an empty variable is no setting."""

from __future__ import annotations

import pytest

from hkasm.settings import Settings


def test_nothing_set() -> None:
    assert Settings.from_environment({"HKASM_CLANG": "", "PATH": "/bin"}) == Settings()


def test_all_set() -> None:
    environment = {
        "HKASM_CLANG": "clang-22",
        "ROCM_PATH": "/opt/rocm",
        "HKASM_DEVICE": "emulator",
        "HKASM_ARCH": "gfx942",
    }
    assert Settings.from_environment(environment) == Settings("clang-22", "/opt/rocm", "emulator", "gfx942")


def test_the_process_is_asked_where_no_environment_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HKASM_ARCH", "gfx950")
    assert Settings.from_environment().arch == "gfx950"

"""`hkasm doctor`: what is here, what is missing and what it would enable."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hkasm as package

Hkasm = Callable[..., Result]


def test_a_machine_with_a_toolchain_is_healthy(hkasm: Hkasm, toolchain: None) -> None:
    said = json.loads(hkasm("doctor", "--json").stdout)
    assert said["healthy"] is True
    assert said["versions"]["hkasm"] == package.__version__
    used = [arch for one in said["toolchains"] for arch in one["used_for"]]
    assert sorted(used) == ["gfx942", "gfx950"]
    parts = {part["name"]: part for part in said["parts"]}
    assert parts["emulator"]["found"]
    assert parts["emulator"]["detail"].startswith("built and ran a kernel for ")
    assert {"hip-python", "ROCm"} <= set(parts)


def test_missing_parts_say_what_they_would_enable(
    hkasm: Hkasm, toolchain: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hkasm.cli.checkup._version", lambda package: None if package == "hip-python" else "1")
    said = hkasm("doctor").stdout
    assert "\nhip-python would enable: launching kernels on an AMD GPU from Python\n" in said
    assert "\n  to get it: pip install 'hkasm[hip]'" in said


def test_a_bare_machine_is_told_how_to_become_healthy(
    hkasm: Hkasm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ROCM_PATH", raising=False)
    monkeypatch.setattr("hkasm.asm.toolchain._ROCM_PARENT", tmp_path)
    monkeypatch.setattr("hkasm.asm.toolchain._zig_of_the_wheel", lambda: None)
    result = hkasm("doctor")
    assert result.exit_code == 1
    assert "clang and lld for gfx950 would enable: hkasm build and hkasm run for gfx950" in result.stdout
    assert "to get it: pip install 'hkasm[clang]'" in result.stdout
    assert "emulator                  missing  not tried: there is no toolchain to build a kernel with" in result.stdout


def test_a_clang_that_is_not_there(hkasm: Hkasm) -> None:
    result = hkasm("doctor", "--clang", "/no/clang")
    assert result.exit_code == 2
    assert result.stderr.startswith("hkasm: the clang that was asked for, '/no/clang', is not a program here; ")


def test_a_clang_that_knows_no_gpu_is_listed_and_not_used(hkasm: Hkasm, tmp_path: Path) -> None:
    for name in ("clang", "ld.lld"):
        tool = tmp_path / name
        tool.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "clang version 9" && exit\nexit 1\n')
        tool.chmod(0o755)
    result = hkasm("doctor", "--clang", tmp_path / "clang")
    assert result.exit_code == 1
    assert "toolchain 1 (chosen), not used" in result.stdout
    assert "neither gfx942 nor gfx950" in result.stdout

"""`hkasm emulate --replay` and `hkasm cache`: texts, JSON and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import hkasm as package
from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import build_hsaco
from hkasm.cli import main
from hkasm.runtime.cache import Cache

Hkasm = Callable[..., Result]


@pytest.fixture
def recorded(toolchain: None, tmp_path: Path) -> Path:
    k = Builder("gfx950", "number")
    k.arg("numbers", "u32", pointer=True, rank=1, access="write")
    numbers, offset = k.sgpr("numbers", 2), k.vgpr("offset")
    k.s_load_dwordx2(numbers, k.kernarg, 0)
    k.v_lshlrev_b32(offset, 2, k.lane)
    k.wait(numbers)
    k.global_store_dword(offset, k.lane, numbers)
    k.s_endpgm()
    device = package.device("emulator")
    kernel = device.load(build_hsaco(k.finish())).kernels["number"]
    kernel.launch((1,), (64,), [np.zeros(64, np.uint32)], record=tmp_path / "kept")
    return tmp_path / "kept"


def test_a_recorded_launch_passes(hkasm: Hkasm, recorded: Path) -> None:
    result = hkasm("emulate", "--replay", recorded)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "kernel    number for gfx950",
        "launch    grid 1, block 64",
        "recorded  on emulator",
        "numbers: 64 elements, bit by bit as recorded",
    ]
    said = json.loads(hkasm("emulate", "--replay", recorded, "--json").stdout)
    assert (said["passed"], said["memory"][0]["wrong"]) == (True, 0)


def test_a_run_is_kept_and_replayed(hkasm: Hkasm, toolchain: None, tmp_path: Path) -> None:
    small = ("-p", "m=16", "-p", "n=16", "-p", "k=32")
    assert hkasm("run", "gemm", "--arch", "gfx942", *small, "--record", tmp_path / "kept").exit_code == 0
    result = hkasm("emulate", "--replay", tmp_path / "kept")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "C: 256 elements, bit by bit as recorded")


def test_a_recorded_launch_is_stopped(hkasm: Hkasm, recorded: Path) -> None:
    result = hkasm("emulate", "--replay", recorded, "--watch", "offset")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("stop 1: test_emulate.py:")
    assert "offset" in lines[1]
    assert lines[-1] == "numbers: 64 elements, bit by bit as recorded"
    never = hkasm("emulate", "--replay", recorded, "--watch", "exec")
    assert never.stdout.splitlines()[-1] == "no stop: the wave never came by, or nothing changed"
    said = json.loads(hkasm("emulate", "--replay", recorded, "--watch", "offset", "--json").stdout)
    assert (said["passed"], [stop["wave"] for stop in said["stops"]]) == (True, [0])
    wrong = hkasm("emulate", "--replay", recorded, "--break", "nofile.py:3")
    assert (wrong.exit_code, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)


def test_who_watches_a_recorded_launch_may_end_it(recorded: Path) -> None:
    words = ["emulate", "--replay", str(recorded), "--step"]
    result = CliRunner().invoke(main, words, input="s\nq\n", prog_name="hkasm")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "the launch did not come to its end")


def test_other_bits_fail(hkasm: Hkasm, recorded: Path) -> None:
    (recorded / "numbers.after.bin").write_bytes(bytes(256))
    result = hkasm("emulate", "--replay", recorded)
    assert result.exit_code == 1
    assert "numbers: 63 of 64 elements are not as recorded" in result.stdout


def test_a_fault_fails_and_a_launch_that_never_ended_is_told(hkasm: Hkasm, recorded: Path) -> None:
    document = json.loads((recorded / "launch.json").read_text())
    (recorded / "launch.json").write_text(json.dumps(document | {"ended": False}))
    result = hkasm("emulate", "--replay", recorded)
    assert result.exit_code == 0
    assert result.stdout.endswith("no fault found here; there is nothing to compare with\n")
    (recorded / "launch.json").write_text(json.dumps(document | {"pointers": [], "kernarg": "00" * 8}))
    result = hkasm("emulate", "--replay", recorded)
    assert result.exit_code == 1
    assert "global_store_dword" in result.stderr
    said = json.loads(hkasm("emulate", "--replay", recorded, "--json").stdout)
    assert (said["passed"], said["kernel"]) == (False, None)


def test_what_is_no_recording_is_one_line(hkasm: Hkasm, tmp_path: Path) -> None:
    result = hkasm("emulate", "--replay", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"hkasm: {tmp_path}: is no recorded launch")


def test_the_cache_is_listed_and_cleared(hkasm: Hkasm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hkasm.runtime.cache.default_folder", lambda: tmp_path / "kept")
    assert hkasm("cache", "path").stdout == f"{tmp_path / 'kept'}\n"
    assert json.loads(hkasm("cache", "list", "--json").stdout) == []
    Cache().put("0123456789abcdef", b"object", "gemm gfx950 acc=agpr")
    lines = hkasm("cache", "list").stdout.splitlines()
    assert lines[0].split() == ["key", "bytes", "used", "(UTC)", "what", "it", "is"]
    assert lines[1].split()[0] == "0123456789ab"
    assert lines[1].endswith("gemm gfx950 acc=agpr")
    assert hkasm("cache", "clear").stdout == f"removed 1 code object from {tmp_path / 'kept'}\n"
    assert hkasm("cache", "purge").exit_code == 2

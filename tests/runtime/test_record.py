"""Recorded launches: what is kept, and that the emulator runs it again; damage is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.emulate import assemble

import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import HkasmError, LaunchError, UsageError
from hkasm.runtime.record import replay

X = np.arange(64, dtype=np.float32)


@pytest.fixture(scope="module")
def hsaco(toolchain: Toolchain) -> bytes:
    """y[i] = a * x[i] for one wave."""
    k = Builder("gfx950", "scale")
    k.arg("y", "f32", pointer=True, rank=1, access="write")
    k.arg("x", "f32", pointer=True, rank=1)
    k.arg("a", "f32")
    y, x, a = k.sgpr("y", 2), k.sgpr("x", 2), k.sgpr("a", 1)
    k.s_load_dwordx2(y, k.kernarg, 0)
    k.s_load_dwordx2(x, k.kernarg, 8)
    k.s_load_dword(a, k.kernarg, 16)
    offset, value = k.vgpr("offset"), k.vgpr("value")
    k.v_lshlrev_b32(offset, 2, k.lane)
    k.wait(y, x, a)
    k.global_load_dword(value, offset, x)
    k.wait(value)
    k.v_mul_f32(value, a, value)
    k.global_store_dword(offset, value, y)
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    return assemble(text, "gfx950", tuple(origins))


@pytest.fixture
def recorded(hsaco: bytes, tmp_path: Path) -> Path:
    device = hkasm.device("emulator")
    kernel = device.load(hsaco).kernels["scale"]
    y, x = np.zeros_like(X), device.buffer(X)
    kernel.launch((1,), (64,), [y, x, 3.0], record=tmp_path / "launch")
    assert np.array_equal(y, 3 * X), "an array on the host is copied back"
    return tmp_path / "launch"


def test_a_launch_is_kept_and_runs_again(recorded: Path) -> None:
    assert sorted(path.name for path in recorded.iterdir()) == [
        "launch.json",
        "object.hsaco",
        "x.before.bin",
        "y.after.bin",
        "y.before.bin",
    ]
    done = replay(recorded)
    assert (done.kernel, done.arch, done.device, done.ended) == ("scale", "gfx950", "emulator", True)
    assert [str(one) for one in done.differences] == ["y: 64 elements, bit by bit as recorded"]
    assert done.report.counters["SQ_INSTS_VALU"] > 0


def test_other_bits_are_told(recorded: Path) -> None:
    after = np.fromfile(recorded / "y.after.bin", np.float32)
    after[5] += 0.5
    (recorded / "y.after.bin").write_bytes(after.tobytes())
    (difference,) = replay(recorded).differences
    assert str(difference) == "y: 1 of 64 elements are not as recorded, by 0.5 at most"


def test_pointers_into_one_buffer_and_addresses_are_kept(hsaco: bytes, tmp_path: Path) -> None:
    device = hkasm.device("emulator")
    kernel = device.load(hsaco).kernels["scale"]
    both = device.buffer(np.concatenate([X, X]))
    kernel.launch((1,), (64,), [both.address + 256, both.address, 2.0], record=tmp_path)
    document = json.loads((tmp_path / "launch.json").read_text())
    assert [(one["name"], one["nbytes"]) for one in document["memory"]] == [("y", 512)]
    assert [one["offset"] for one in document["pointers"]] == [256, 0]
    assert replay(tmp_path).differences[0].equal
    kernel.launch((1,), (64,), kernarg=bytes.fromhex(document["kernarg"]), record=tmp_path)
    assert replay(tmp_path).differences[0].equal


def test_memory_that_nobody_knows_cannot_be_kept(hsaco: bytes, tmp_path: Path) -> None:
    device = hkasm.device("emulator")
    with pytest.raises(LaunchError, match="points to 0x1000, which is no buffer of this device and cannot be recorded"):
        device.load(hsaco).kernels["scale"].launch((1,), (64,), [0x1000, device.buffer(X), 1.0], record=tmp_path)


def test_a_folder_that_cannot_be_written_is_named(hsaco: bytes, tmp_path: Path) -> None:
    device = hkasm.device("emulator")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        device.load(hsaco).kernels["scale"].launch(
            (1,), (64,), [device.buffer(X), device.buffer(X), 1.0], record=tmp_path / "file"
        )


def _change(**entries: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        document = json.loads((folder / "launch.json").read_text())
        (folder / "launch.json").write_text(json.dumps(document | entries))

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "launch.json").unlink(), r"is no recorded launch: launch.json cannot be read"),
        (lambda folder: (folder / "launch.json").write_text("{"), "launch.json is not JSON"),
        (lambda folder: (folder / "launch.json").write_text("[]"), "not of format 1"),
        (lambda folder: (folder / "object.hsaco").write_bytes(b"x"), "not the object of the launch"),
        (lambda folder: (folder / "x.before.bin").write_bytes(b"x"), "x.before.bin has 1 bytes, which is not its size"),
        (lambda folder: (folder / "y.after.bin").unlink(), "y.after.bin cannot be read"),
        (_change(kernel=5), "kernel is not text"),
        (_change(kernel="other"), "no kernel 'other'"),
        (_change(grid=[0]), "grid is no extent"),
        (_change(lds_bytes=-1), "lds_bytes is no number"),
        (_change(kernarg="zz"), "kernarg is not hexadecimal"),
        (_change(memory={}), "memory is no list of maps"),
        (_change(memory=[{"name": "../x", "nbytes": 1, "dtype": ""}]), "memory has a name that is none"),
        (_change(memory=[{"name": "x", "nbytes": 1 << 60, "dtype": ""}]), "nbytes is no number"),
        (_change(pointers=[{"kernarg_offset": 100, "memory": 0, "offset": 0}]), "kernarg_offset is no number"),
        (_change(pointers=[{"kernarg_offset": 0, "memory": 7, "offset": 0}]), "memory is no number"),
        (_change(pointers=[{"kernarg_offset": 0, "memory": 0, "offset": 1000}]), "offset is no number"),
    ],
)
def test_damage_is_one_clear_error(recorded: Path, damage: Callable[[Path], object], message: str) -> None:
    damage(recorded)
    with pytest.raises(HkasmError, match=message):
        replay(recorded)

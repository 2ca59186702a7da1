"""gemm on arrays: layouts, errors, cache, and where it runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.hip import build_fake, held

from hkasm.asm.toolchain import Toolchain
from hkasm.errors import ArchError, HkasmError, UsageError
from hkasm.kernels import get_kernel
from hkasm.ops import gemm, launcher
from hkasm.ops.launcher import values_on
from hkasm.runtime import EmulatorDevice, auto
from hkasm.runtime.cache import Cache

bfloat16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of the user's is touched, and every test loads anew."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setattr("hkasm.runtime.cache.default_folder", lambda: folder)
    monkeypatch.setattr(auto, "_said", {"hkasm's operators run on the emulator here: right, checked, and slow"})
    return folder


def _random(rows: int, columns: int, seed: int = 1) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-4, 5, (rows, columns)).astype(bfloat16)


def _product(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return (a.astype(np.float64) @ b.astype(np.float64).T).astype(bfloat16)


def test_numpy_arrays_give_a_numpy_array(toolchain: Toolchain, own_cache: Path) -> None:
    a, b = _random(17, 70), _random(9, 70, 2)
    got = gemm(a, b, device="emulator")
    assert (got.dtype, got.shape) == (bfloat16, (17, 9))
    assert np.array_equal(got, _product(a, b))
    assert ["gemm", "gfx950"] in [entry.label.split()[:2] for entry in Cache(own_cache).entries()]


def test_rows_may_lie_apart(toolchain: Toolchain) -> None:
    a, b, out = _random(20, 100)[:, 3:67], _random(9, 70, 2)[1:, :64], np.zeros((20, 32), bfloat16)
    answer = gemm(a, b, out[:, 4:12], device="emulator", arch="gfx942", acc="vgpr", tile="128x128")
    assert answer.base is out
    want = np.zeros((20, 32), bfloat16)
    want[:, 4:12] = _product(a, b)
    assert np.array_equal(out, want)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (np.dtype(np.float16), np.float16),
        (np.dtype(np.float32), np.float32),
        (np.dtype(np.int8), np.int32),
        (np.dtype(ml_dtypes.float8_e4m3fn), bfloat16),
    ],
)
def test_types_of_arrays_choose_the_kernel(toolchain: Toolchain, kind: Any, answer: Any) -> None:
    a, b = _random(17, 70).astype(np.int8).astype(kind), _random(9, 70, 2).astype(np.int8).astype(kind)
    got = gemm(a, b, device="emulator")
    assert got.dtype == np.dtype(answer)
    assert np.array_equal(got.astype(np.float64), _product(a, b).astype(np.float64).round())
    wide = gemm(a, b, np.empty((17, 9), np.float32), device="emulator", act="relu")
    assert np.array_equal(wide, np.fmax(a.astype(np.float32) @ b.astype(np.float32).T, 0))


def test_transposed_views_are_taken_as_they_are(toolchain: Toolchain) -> None:
    a, b = _random(70, 17).T, _random(9, 70, 2)
    assert np.array_equal(gemm(a, b, device="emulator"), _product(a, b))


def test_empty_outputs_need_no_launch() -> None:
    assert gemm(_random(0, 8), _random(3, 8)).shape == (0, 3)


A, B = _random(4, 8), _random(5, 8)


@pytest.mark.parametrize(
    ("a", "b", "out", "more", "message"),
    [
        (A, _random(5, 7), None, {}, r"gemm: a is \[4, 8\] and b is \[5, 7\]"),
        (A, B, np.zeros((5, 4), bfloat16), {}, r"gemm: out is \[5, 4\], the product \[4, 5\]"),
        (A.astype(np.float64), B, None, {}, r"gemm: a is f64, the kernel takes bf16, .*\n  hint: convert it"),
        (A.astype(np.float32), B, None, {}, "dtype=f32 with dtype_b=bf16 is not declared"),
        (A, B[0], None, {}, "gemm: b has 1 dimensions, not 2"),
        ([[1.0]], B, A, {}, "gemm: a is a list, no array"),
        ([[1.0]], B, None, {}, "gemm: pass out, a list cannot be made here"),
        (A[:, ::2], B[:, :4], None, {}, "the elements of a row of a do not follow each other"),
        (A[::-1], B, None, {}, "negative stride"),
        (A[:, :0], B[:, :0], None, {}, "k is 0"),
        (A, B, None, {"device": "emulater"}, "did you mean 'emulator'"),
        (A, B, None, {"acm": "vgpr"}, "unknown parameter 'acm'"),
        (A, B, None, {"arch": "gfx90a"}, "gfx90a"),
    ],
)
def test_what_does_not_fit_is_named(a: Any, b: Any, out: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(HkasmError, match=message):
        gemm(a, b, out, **{"device": "emulator"} | more)


def test_an_output_that_is_an_input_is_refused(toolchain: Toolchain) -> None:
    square = _random(8, 8)
    with pytest.raises(HkasmError, match=r"gemm: arguments 'C' and 'A' overlap, and the kernel writes to one of them"):
        gemm(square, _random(8, 8, 2), square, device="emulator")
    frozen = np.zeros((8, 8), bfloat16)
    frozen.flags.writeable = False
    with pytest.raises(HkasmError, match=r"argument 'C' is written to, got a read-only array"):
        gemm(square, square, frozen, device="emulator")


def test_the_emulator_is_said_once(toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_said", set())
    with pytest.warns(auto.EmulatorWarning, match="run on the emulator here") as said:
        [gemm(A, B, device="emulator") for _ in range(2)]
    assert len(said) == 1


def test_a_device_that_was_closed_loads_again(toolchain: Toolchain) -> None:
    with EmulatorDevice() as device:
        assert np.array_equal(gemm(A, B, device=device), _product(A, B))
    assert np.array_equal(gemm(A, B, device=device), _product(A, B))


def test_arch_and_device_must_agree() -> None:
    class Gpu:
        name, arch, place = "hip:0", "gfx942", 0

    view: Any = type("V", (), {"place": -1})
    with pytest.raises(ArchError, match="hip:0 is gfx942, not gfx950"):
        launcher.place_of([view], Gpu(), "gfx950")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown device"):
        launcher.place_of([view], "gpu", None)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"m": 4}, "gemm: m follows from the arrays"),
        ({"dtype": "f16"}, "gemm: dtype follows from the arrays"),
        ({"bias": "row"}, "this configuration reads the array bias too"),
        ({"combine": "beta"}, "this configuration reads the array C0 too"),
    ],
)
def test_a_configuration_that_the_arrays_do_not_fit_is_refused(config: dict[str, str], message: str) -> None:
    a = np.ones((8, 16), ml_dtypes.bfloat16)
    with pytest.raises(UsageError, match=message):
        gemm(a, a, device="emulator", **config)


def test_workgroups_share_the_k_steps(toolchain: Toolchain) -> None:
    a, b = _random(70, 900), _random(40, 900, 2)
    got = gemm(a, b, device="emulator", work="stream", tile="64x64")
    assert np.array_equal(got, _product(a, b))


@pytest.mark.parametrize("config", [
    {"work": "tickets"}, {"work": "tickets", "workers": 3}, {"work": "tickets", "weights": "1:1:1:1:1:1:1:3"},
    {"reserve": 30, "chip": "mi355x-cpx"}, {"reserve": 2, "chip": "mi355x-32:32:16"},
    {"reserve": 37, "arch": "gfx942", "work": "tickets", "grid": "w2"},
])  # fmt: skip
def test_workgroups_take_tickets_call_after_call(toolchain: Toolchain, config: dict[str, Any]) -> None:
    for m, n, k in ((300, 130, 96), (300, 130, 96), (64, 200, 70)):
        a, b = _random(m, k), _random(n, k, 2)
        assert np.array_equal(gemm(a, b, device="emulator", tile="64x64", **config), _product(a, b))


@pytest.mark.parametrize(("arch", "units", "xcds", "chip"), [
    ("gfx942", 38, 1, "mi300x-38"), ("gfx950", 64, 2, "mi355x-32:32"), ("gfx950", 127, 4, "mi355x-31:31:31:31"),
    ("gfx950", 256, 8, None), ("gfx942", 300, 8, None), ("gfx942", 0, 0, None),
])  # fmt: skip
def test_a_partition_of_a_gpu_gets_code_for_its_xcds(arch: str, units: int, xcds: int, chip: str | None) -> None:
    gpu = SimpleNamespace(properties=SimpleNamespace(compute_units=units, xcds=xcds))
    for name in ("gemm", "attention"):
        found = values_on(gpu, get_kernel(name), arch, {"dtype": "f16"})
        assert found == {"dtype": "f16"} | ({"chip": chip} if chip else {})
    assert values_on(gpu, get_kernel("gemm"), arch, {"chip": "mi300x-cpx"}) == {"chip": "mi300x-cpx"}
    assert values_on(gpu, get_kernel("softmax"), arch, {}) == {}
    assert values_on(SimpleNamespace(), get_kernel("gemm"), arch, {}) == {}


def test_a_named_chip_changes_who_computes_and_not_the_answer(toolchain: Toolchain) -> None:
    a, b = _random(300, 130), _random(200, 130, 2)
    got = gemm(a, b, device="emulator", chip="mi355x-32:32:16", tile="64x64")
    assert np.array_equal(got, gemm(a, b, device="emulator", tile="64x64"))


CALLS = """
import json
import numpy as np
from hkasm.ops import gemm
a, b = np.ones((70, 900), np.float16), np.ones((40, 900), np.float16)
for count in (900, 900, 128):
    gemm(a[:, :count], b[:, :count], device="hip:0", arch="gfx950", tile="64x64", {config})
print(json.dumps("done"))
"""


@pytest.mark.skipif(importlib.util.find_spec("hip") is None, reason="hip-python is not installed")
def test_a_gpu_keeps_the_workspace_from_launch_to_launch(tmp_path: Path, toolchain: Toolchain) -> None:
    done = build_fake(tmp_path / "rocm").python(CALLS.format(config='work="stream"'))
    assert (done.said, done.exit_code) == ("done", 0), done.stderr
    # Two tiles of 15 K steps in 30 shares, a slot for each part of a tile; a counter for each of four waves.
    sizes = [call.split()[1] for call in done.named("hipMalloc")]
    assert (sizes.count(f"size={30 * 64 * 64 * 4}"), sizes.count(f"size={2 * 4 * 4}")) == (1, 1)
    assert sorted(held(done.calls).values()) == ["hipMalloc", "hipMalloc", "hipModuleLoadData"]


@pytest.mark.skipif(importlib.util.find_spec("hip") is None, reason="hip-python is not installed")
def test_a_gpu_keeps_where_tickets_are_counted(tmp_path: Path, toolchain: Toolchain) -> None:
    """A counter for each of eight XCDs, and one for the workgroups that are done: made and filled once."""
    done = build_fake(tmp_path / "rocm").python(CALLS.format(config='work="tickets", reserve=2'))
    assert (done.said, done.exit_code) == ("done", 0), done.stderr
    assert [call.split()[1] for call in done.named("hipMalloc")].count(f"size={9 * 4}") == 1
    assert sorted(held(done.calls).values()) == ["hipMalloc", "hipModuleLoadData"]

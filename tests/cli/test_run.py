"""`hkasm run`: PASS and FAIL with their exit codes, faults that the emulator finds, and what cannot be run at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from hkasm.errors import LaunchError, WaitError
from hkasm.kernels import Comparison, list_kernels
from hkasm.kernels.gemm.kernel import GemmProblem
from hkasm.runtime.emulated import EmulatedKernel

Hkasm = Callable[..., Result]
SMALL = ("run", "gemm", "--arch", "gfx950", "-p", "m=17", "-p", "n=40", "-p", "k=70")


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_right_product_passes(hkasm: Hkasm, toolchain: None, arch: str) -> None:
    result = hkasm("run", "gemm", "--arch", arch, "-p", "m=33", "-p", "n=7", "-p", "k=130")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == f"kernel  gemm for {arch}, tile=64x64,m=33,n=7,k=130"
    assert lines[1] == "launch  grid 1x1x1, block 256x1x1 on emulator, seed 0"
    assert lines[2].startswith("took    build ")
    assert lines[3].startswith("C: within ")
    assert "largest error" in lines[3]
    assert lines[-1] == "PASS"


def test_small_integers_are_exact_and_the_seed_is_told(hkasm: Hkasm, toolchain: None) -> None:
    said = json.loads(hkasm(*SMALL, "-p", "data=integers", "--seed", "7", "--json").stdout)
    assert (said["passed"], said["fault"], said["seed"], said["grid"]) == (True, None, 7, [1, 1, 1])
    assert (said["problem"]["m"], said["problem"]["data"], said["arch"]) == (17, "integers", "gfx950")
    (c,) = said["comparisons"]
    assert (c["name"], c["exact"], c["wrong"], c["count"], c["passed"]) == ("C", True, 0, 17 * 40, True)
    assert set(said["seconds"]) == {"build", "launch", "check"}


def test_a_workspace_is_told(hkasm: Hkasm, toolchain: None) -> None:
    shape = "m=17 n=40 k=200 work=stream tile=64x64 workers=3 data=integers"
    words = ("run", "gemm", "--arch", "gfx950", *(word for pair in shape.split() for word in ("-p", pair)))
    lines = hkasm(*words).stdout.splitlines()
    # Two shares of two of the four K steps of one tile: a slot for each, a counter for each of four waves.
    assert lines[1] == "launch     grid 2x1x1, block 256x1x1 on emulator, seed 0"
    assert lines[2] == f"workspace  {2 * 64 * 64 * 4 + 16} bytes"
    assert lines[-1] == "PASS"
    said = json.loads(hkasm(*words, "--json").stdout)
    assert (said["workspace_bytes"], said["passed"]) == (32784, True)
    assert [one["name"] for one in said["comparisons"]] == ["C", "counters"]


def test_decode_is_run_to_its_answer(hkasm: Hkasm, toolchain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("run", "decode", "--arch", "gfx950", "-p", "batch=1", "-p", "kv=300", "-p", "splits=3")
    lines = hkasm(*words).stdout.splitlines()
    assert lines[1:3] == [
        "launch  grid 3x2x1, block 256x1x1 on emulator, seed 0", "then    decode_combine, grid 1x8x1, block 64x1x1",
    ]  # fmt: skip
    assert [line.split(":")[0] for line in lines[4:]] == ["P", "L", "O", "LSE", "PASS"]
    said = json.loads(hkasm(*words, "--json").stdout)
    assert said["then"] == {"kernel": "decode_combine", "grid": [1, 8, 1], "block": [64, 1, 1]}
    one = hkasm(*words[:-1], "splits=1").stdout.splitlines()
    assert [line.split(":")[0] for line in one[3:]] == ["O", "LSE", "PASS"]
    assert one[2].startswith("took ")
    launch = EmulatedKernel.launch
    monkeypatch.setattr(  # a combination that does nothing leaves O as it was
        EmulatedKernel, "launch", lambda self, **k: None if self.name == "decode_combine" else launch(self, **k)
    )
    failed = hkasm(*words)
    assert (failed.exit_code, failed.stdout.splitlines()[-1]) == (1, "FAIL")


@pytest.fixture
def off_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is off by one, so every answer is wrong."""
    right = GemmProblem.reference
    monkeypatch.setattr(GemmProblem, "reference", lambda self, inputs, number: right(self, inputs, number) + 1)


@pytest.mark.usefixtures("off_by_one")
def test_a_wrong_product_fails(hkasm: Hkasm, toolchain: None) -> None:
    result = hkasm(*SMALL)
    assert result.exit_code == 1
    assert "elements outside" in result.stdout
    assert result.stdout.endswith("\nFAIL\n")
    result = hkasm(*SMALL, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["passed"] is False


def fail_at_launch(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def launch(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("hkasm.runtime.emulated.EmulatedKernel.launch", launch)


def test_a_fault_in_the_kernel_is_shown_whole_and_fails(
    hkasm: Hkasm, toolchain: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at_launch(monkeypatch, WaitError("v_mov\n  reads v2", where="k.py:3", hint="k.wait(xs)"))
    result = hkasm(*SMALL)
    assert result.exit_code == 1
    assert result.stderr == "hkasm: k.py:3: v_mov\n  reads v2\n  hint: k.wait(xs)\n"
    assert result.stdout.endswith("\nFAIL\n")
    said = json.loads(hkasm(*SMALL, "--json").stdout)
    assert (said["passed"], said["comparisons"]) == (False, [])
    assert said["fault"].startswith("k.py:3: v_mov")


def test_a_launch_that_cannot_be_is_bad_input(hkasm: Hkasm, toolchain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at_launch(monkeypatch, LaunchError("gemm: block of 2048"))
    result = hkasm(*SMALL)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "hkasm: gemm: block of 2048\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("gemm", "--arch", "gfx950", "--device", "emulater"), "unknown device 'emulater'; did you mean 'emulator'?"),
        (("gemm", "--arch", "gfx950", "-p", "n=-1"), "n=-1: out of range; 1 to 16777216"),
        (("gemm", "--arch", "gfx950", "-p", "lda=3", "-p", "k=8"), "lda=3: shorter than a row of A; at least 8"),
        (("gemm", "--arch", "sm_90"), "unknown arch 'sm_90'; known: gfx942, gfx950"),
        (("nothing", "--arch", "gfx950"), f"unknown kernel 'nothing'; kernels: {', '.join(list_kernels())}"),
    ],
)
def test_bad_input_is_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm("run", *words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")


def test_what_memory_cannot_hold_is_refused_at_once(hkasm: Hkasm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hkasm.cli.run.memory_bytes", lambda: 1 << 32)
    result = hkasm("run", "gemm", "--arch", "gfx950", "-p", "m=65536", "-p", "n=65536")
    assert result.exit_code == 2
    assert result.stderr == (
        "hkasm: tile=256x256,m=65536,n=65536 needs about 129.0 GiB of memory, this machine has 4.0 GiB; "
        "choose a smaller problem\n"
    )


def test_the_device_may_come_from_the_environment(hkasm: Hkasm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HKASM_DEVICE", "abacus")
    assert hkasm(*SMALL).stderr.startswith("hkasm: unknown device 'abacus'; ")


def test_comparisons_say_what_is_tolerated() -> None:
    text = str(Comparison("C", 0.5, 0.1, 2.0, 3, 9, "one step", False))
    assert text.startswith("C: 3 of 9 elements outside one step; ")

"""The self-test: the emulator's own answers, a device that gives others, and the report that is sent home."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from hkasm.asm.toolchain import Toolchain, build_hsaco
from hkasm.cli import main
from hkasm.ops.selftest import Report, selftest
from hkasm.ops.selftest import report as report_module
from hkasm.ops.selftest.probes import PROBES, Probe, arch_probes, source_words
from hkasm.runtime import EmulatorDevice

SOURCE = source_words()


def _answers(arch: str, name: str, toolchain: Toolchain) -> np.ndarray[Any, Any]:
    (probe,) = (probe for probe in arch_probes(arch) if probe.name == name)
    result = report_module._probe(EmulatorDevice(), probe, arch, lambda program: build_hsaco(program, toolchain))
    assert (result.status, result.error) == ("assumed", "")
    return np.array(result.words, np.uint32).reshape(probe.words, 64)


def test_names_are_unique_and_the_source_is_ordinary() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    assert (SOURCE.view(np.uint8) != 0x80).all()
    halves = SOURCE.view(np.uint16)
    assert ((halves >> 10 & 31) < 31).all()
    assert ((halves >> 7 & 255) < 255).all()


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_direct_loads_are_answered_as_the_facts_say(arch: str, toolchain: Toolchain) -> None:
    beyond = _answers(arch, "direct_out_of_range", toolchain)[0]
    assert np.array_equal(beyond, np.where(np.arange(64) < 40, SOURCE[:64], 0))
    off = _answers(arch, "direct_inactive", toolchain)[0]
    assert np.array_equal(off, np.where(np.arange(64) < 50, SOURCE[:64], 0x5EEDED))


def test_three_dwords_stand_twelve_bytes_apart(toolchain: Toolchain) -> None:
    lds = _answers("gfx950", "direct_dwordx3_stride", toolchain).reshape(-1)
    assert np.array_equal(lds[:192], SOURCE[:192])
    assert (lds[192:] == 0x5EEDED).all()


def test_a_wait_at_its_maximum_waits(toolchain: Toolchain) -> None:
    kept = _answers("gfx950", "wait_at_maximum", toolchain)
    for number in range(7):
        assert np.array_equal(kept[number], SOURCE[4 * number : 4 * number + 64])


def test_products_are_the_formula(toolchain: Toolchain) -> None:
    """16x16x16 f16: lane l holds row (column) l % 16 and four k from 4 * (l / 16) on."""
    got = _answers("gfx950", "bits_f16_cdna3", toolchain).view(np.float32)
    a, b = (SOURCE[start : start + 128].view(np.float16).astype(np.float64).reshape(64, 4) for start in (0, 1024))
    c = SOURCE[2048 : 2048 + 256].view(np.float32).reshape(64, 4)
    left, right = (x.reshape(4, 16, 4).transpose(1, 0, 2).reshape(16, 16) for x in (a, b))
    want = left @ right.T
    for lane in range(64):
        for number in range(4):
            row, column = 4 * (lane // 16) + number, lane % 16
            assert np.isclose(got[number, lane], want[row, column] + c[lane, number], rtol=1e-6)


@pytest.fixture(scope="module")
def report(toolchain: Toolchain) -> Report:
    return selftest(EmulatorDevice(), "gfx950", lambda program: build_hsaco(program, toolchain))


def test_on_the_emulator_it_says_what_it_assumes(report: Report) -> None:
    assert report.passed
    assert {one.status for one in report.probes} == {"assumed", "recorded"}
    assert all(one.assumed and one.question.endswith("?") for one in report.probes)
    assert [(one.name, one.other_bits) for one in report.kernels if one.name == "gemm"] == [("gemm", 0)]
    document = json.loads(json.dumps(report.document()))
    assert (document["device"], document["arch"], document["passed"]) == ("emulator", "gfx950", True)


class _Other(EmulatorDevice):
    """A device whose direct loads leave LDS alone beyond the end."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "other"


def _changed(monkeypatch: pytest.MonkeyPatch, change: Callable[[np.ndarray[Any, Any]], None]) -> None:
    right = report_module._answer

    def answer(place: Any, *rest: Any) -> Any:
        words = right(place, *rest)
        if place.name == "other":
            change(words)
        return words

    monkeypatch.setattr(report_module, "_answer", answer)


def test_another_answer_is_recorded_and_no_fault(toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    _changed(monkeypatch, lambda words: words.__setitem__(slice(40, 64), 0x5EEDED))
    probe: Probe = arch_probes("gfx950")[0]
    result = report_module._probe(_Other(), probe, "gfx950", lambda program: build_hsaco(program, toolchain))
    assert (result.status, result.differing) == ("differs", 24)
    assert result.words[63] == 0x5EEDED
    assert result.emulator[63] == 0
    assert Report("other", "gfx950", {}, [], [result]).passed


def test_a_probe_that_cannot_run_fails_alone() -> None:
    from hkasm.errors import ToolchainError

    def no_toolchain(_: object) -> bytes:
        raise ToolchainError("no clang")

    result = report_module._probe(EmulatorDevice(), PROBES[0], "gfx950", no_toolchain)
    assert (result.status, result.error) == ("failed", "no clang")
    kernel = report_module._kernel(EmulatorDevice(), "gemm", "gfx950", no_toolchain)
    assert (kernel.passed, kernel.error) == (False, "no clang")
    assert not Report("x", "gfx950", {}, [kernel], [result]).passed


@pytest.mark.gpu
def test_every_kernel_is_right_on_the_gpu() -> None:
    from hkasm.runtime.hip_device import HipDevice

    with HipDevice() as device:
        found = selftest(device, device.arch, build_hsaco)
    assert [(one.name, one.error) for one in found.kernels if not one.passed] == []
    assert [(one.name, one.error) for one in found.probes if one.status == "failed"] == []


def test_the_command_writes_one_json(toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "arch_probes", lambda arch: list(PROBES[:2]))
    monkeypatch.setattr(report_module, "list_kernels", list)
    path = tmp_path / "report.json"
    result = CliRunner().invoke(main, ["selftest", "--arch", "gfx950", "-o", str(path)], prog_name="hkasm")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "emulator as gfx950"
    assert "direct_inactive      assumed  nothing; the others keep their places" in result.stdout
    assert [one["name"] for one in json.loads(path.read_text())["probes"]] == [probe.name for probe in PROBES[:2]]

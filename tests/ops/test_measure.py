"""Measuring: the emulator counts, a GPU is timed by events, a wrong answer is not timed."""

from __future__ import annotations

import importlib.util
import json

import pytest
from click.testing import CliRunner
from support.hip import FakeRocm, build_fake, held

from hkasm.asm.toolchain import Toolchain
from hkasm.cli import main
from hkasm.ops.measure import peak_flops, peak_memory_bytes
from hkasm.runtime.hip_device import HipProperties

SMALL = ("-p", "m=16", "-p", "n=16", "-p", "k=64")


def test_the_emulator_counts(toolchain: Toolchain) -> None:
    words = ["bench", "gemm", "--arch", "gfx950", *SMALL]
    result = CliRunner().invoke(main, words, prog_name="hkasm")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "the emulator tells no time; it counted" in result.stdout
    assert "SQ_INSTS_MFMA" in result.stdout
    said = json.loads(CliRunner().invoke(main, [*words, "--json"], prog_name="hkasm").stdout)
    assert (said["passed"], said["seconds"], said["tflops"]) == (True, {}, None)
    assert said["counters"]["SQ_INSTS_MFMA"] > 0


def test_decode_counts_with_its_combination(toolchain: Toolchain) -> None:
    words = ["bench", "decode", "--arch", "gfx950", "-p", "batch=1", "-p", "kv=300", "-p", "splits=3"]
    said = json.loads(CliRunner().invoke(main, [*words, "--json"], prog_name="hkasm").stdout)
    # Six workgroups of four waves, and a wave for each of eight heads.
    assert (said["then"], said["counters"]["SQ_WAVES"]) == ("decode_combine", 6 * 4 + 8)
    lines = CliRunner().invoke(main, words, prog_name="hkasm").stdout.splitlines()
    assert lines[2] == "then    decode_combine, counted in"
    assert [line.split(":")[0] for line in lines[3:7]] == ["P", "L", "O", "LSE"]


def _chip(arch: str, units: int, clock: float, memory: float) -> HipProperties:
    return HipProperties("chip", arch, "", units, 8, clock, memory, 8192, 1 << 37, 1 << 16, 1 << 22, "7.0.0")


def test_peaks_are_the_data_sheets() -> None:
    mi300x, mi355x = _chip("gfx942", 304, 2100, 2600), _chip("gfx950", 256, 2400, 3900)
    assert peak_flops(mi300x, "bf16") == pytest.approx(1307.4e12, rel=1e-4)
    assert peak_flops(mi355x, "bf16") == pytest.approx(2.5e15, rel=0.01)
    assert peak_flops(mi355x, "f8_e4m3fn") == pytest.approx(5.0e15, rel=0.01)
    assert peak_flops(mi355x, "i64") == 0
    assert peak_memory_bytes(mi300x) == pytest.approx(5.3e12, rel=0.01)
    assert peak_memory_bytes(mi355x) == pytest.approx(8e12, rel=0.01)


needs_hip = pytest.mark.skipif(importlib.util.find_spec("hip") is None, reason="hip-python is not installed")

MEASURE = """
import json
import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.kernel import GemmProblem
from hkasm.ops import measure as measuring

GemmProblem.check = lambda self, inputs, outputs: []
measuring.COLD_BYTES = 20_000
with hkasm.device("hip:0") as device:
    row = measuring.measure(device, get_kernel("gemm"), "gfx950", {"m": 16, "n": 16, "k": 64}, build_hsaco,
                            warmup=3, samples=2, batch=4, cold=True)
print(json.dumps(row.document()))
"""


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> FakeRocm:
    return build_fake(tmp_path_factory.mktemp("rocm"))


@needs_hip
def test_a_gpu_is_timed_by_events_round_batches(rocm: FakeRocm, toolchain: Toolchain) -> None:
    done = rocm.python(MEASURE)
    assert (done.exit_code, done.stderr) == (0, "")
    # The fake's events are always 2.5 ms apart.
    assert done.said["seconds"] == {name: pytest.approx(2.5e-3 / 4) for name in ("median", "low", "high")}
    assert done.said["tflops"] == pytest.approx(2 * 16 * 16 * 64 / (2.5e-3 / 4) / 1e12)
    assert done.said["launches"] == 8
    launches = done.named("hipModuleLaunchKernel")
    probes = [launch for launch in launches if " block=64,1,1 " in launch]
    # The check, warm-up, samples, and a batch right in front of the one clock probe, which nothing follows.
    assert (len(launches) - len(probes), probes) == (1 + 3 + 2 * 4 + 4, launches[-1:])
    bytes_a_set = 2 * (16 * 64 + 16 * 64 + 16 * 16)
    sets = {launch.split("kernarg=")[1][:48] for launch in launches[:-1]}
    assert done.said["measured_mhz"] == 0  # the fake runs nothing
    assert len(sets) == -(-20_000 // bytes_a_set)
    assert held(done.calls) == {}


MEASURE_DECODE = """
import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.kernels import get_kernel
from hkasm.kernels.decode import DecodeProblem
from hkasm.ops.measure import measure

DecodeProblem.check = DecodeProblem._check_answers = lambda self, inputs, outputs: []
with hkasm.device("hip:0") as device:
    measure(device, get_kernel("decode"), "gfx950", {"batch": 1, "kv": 300, "splits": 3}, build_hsaco,
            warmup=1, samples=1, batch=2)
"""


@needs_hip
def test_a_gpu_is_timed_with_the_second_kernel_behind_each_first(rocm: FakeRocm, toolchain: Toolchain) -> None:
    done = rocm.python(MEASURE_DECODE)
    assert (done.exit_code, done.stderr) == (0, "")
    grids = [launch.split(" grid=")[1].split()[0] for launch in done.named("hipModuleLaunchKernel")]
    assert grids[:-1] == ["3,2,1", "1,8,1"] * (1 + 1 + 2 + 2)  # the check, warm-up, a sample, and in front of the probe


@needs_hip
@pytest.mark.parametrize(("words", "units", "chip"), [
    (("bench", "gemm"), "32", "chip=mi355x-32,"),
    (("run", "gemm", "--arch", "gfx950"), "128", "chip=mi355x-32:32:32:32,"),
])  # fmt: skip
def test_a_partition_gets_code_for_its_xcds(
    rocm: FakeRocm, toolchain: Toolchain, words: tuple[str, ...], units: str, chip: str
) -> None:
    done = rocm.hkasm(*words, "--device", "hip:0", *SMALL, FAKE_HIP_UNITS=units)
    assert (done.exit_code, done.stderr) == (1, "")  # the fake computes nothing
    assert chip in done.stdout


@needs_hip
def test_a_wrong_answer_is_not_timed(rocm: FakeRocm, toolchain: Toolchain) -> None:
    done = rocm.hkasm("bench", "gemm", "--device", "hip:0", *SMALL)
    assert (done.exit_code, done.stderr) == (1, "")
    assert done.stdout.endswith("WRONG: no time is told\n")
    assert done.named("hipEventRecord") == []
    assert held(done.calls) == {}

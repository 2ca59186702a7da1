"""The command as a process: interrupted, read in part, started with nothing imported that it does not need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

HKASM = [sys.executable, "-m", "hkasm"]


def test_ctrl_c_is_quiet_and_130(toolchain: None, tmp_path: Path) -> None:
    slow = ["run", "gemm", "--arch", "gfx950", "-p", "m=4096", "-p", "n=4096", "-p", "k=4096"]
    process = subprocess.Popen(
        [*HKASM, *slow],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background jobs ignore the signal, and what they start inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(1.5)
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (130, "", "")


@pytest.mark.parametrize("pauses", [(0.0,), (0.0, 0.05, 0.05, 0.2)])
def test_ctrl_c_ends_a_sweep_and_its_workers(pauses: tuple[float, ...], toolchain: None) -> None:
    """A terminal sends the signal to all processes of a command, however often the keys are hit."""
    sizes = ",".join(str(256 * number) for number in range(1, 201))
    process = subprocess.Popen(
        [*HKASM, "predict", "gemm", "--sweep", f"m={sizes}", "-p", "n=256", "-p", "k=256"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():
        time.sleep(0.1)
    time.sleep(1)
    # One that waits for a point would print a traceback.
    states = [Path(f"/proc/{worker}/status").read_text() for worker in children.read_text().split()]
    ignored = [int(line.split()[1], 16) for state in states for line in state.splitlines() if "SigIgn" in line]
    assert ignored
    assert all(mask >> (signal.SIGINT - 1) & 1 for mask in ignored)
    began = time.monotonic()
    for pause in pauses:
        time.sleep(pause)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (130, "", "")
    assert time.monotonic() - began < 5
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    process = subprocess.Popen([*HKASM, "isa", "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    stderr = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert stderr == ""


@pytest.mark.parametrize("words", [["isa", "--list"], ["kernels"]])
def test_a_closed_stdout_is_no_fault(words: list[str]) -> None:
    code = "import os, sys; os.close(1); os.execv(sys.executable, sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, *HKASM, *words], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [("-h",), ("build", "-h"), ("--version",)])
def test_help_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from hkasm.cli import main; sys.exit = lambda code: None; main(sys.argv[1:]); print(*sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout
    loaded = set(said.splitlines()[-1].split())
    assert loaded.isdisjoint({"numpy", "rich", "elftools", "msgpack", "ml_dtypes", "hkasm.isa"})


def test_a_build_imports_no_emulator_and_no_tables(toolchain: None, tmp_path: Path) -> None:
    code = (
        "import sys; from hkasm.cli import main; sys.exit = lambda code: None; main(sys.argv[1:]); print(*sys.modules)"
    )
    words = ["build", "gemm", "--arch", "gfx950", "-o", str(tmp_path)]
    said = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout
    loaded = set(said.splitlines()[-1].split())
    assert "hkasm.kernels.gemm.kernel" in loaded
    assert loaded.isdisjoint({"rich", "elftools", "hkasm.emulator", "hkasm.runtime", "importlib.metadata"})
    assert loaded.isdisjoint({"hkasm.kernels.attention", "hkasm.kernels.rows", "hkasm.tiles.ops", "hkasm.ops"})

"""`hkasm build`: three files or none, a summary, and one line for whatever cannot be built."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import hkasm as package
from hkasm.asm.codeobject import CodeObject

Hkasm = Callable[..., Result]

LIMITS = "1 to 16777216"
OWN = "of a function in a file: hkasm build FILE.py:FUNCTION, then hkasm emulate, predict, show of its .hsaco"
BAD = [
    (("build", "gem", "--arch", "gfx950"), "unknown kernel 'gem'; did you mean 'gemm'?"),
    (("build", "gemm", "--arch", "gfx95"), "unknown arch 'gfx95'; known: gfx942, gfx950"),
    (("build", "gemm", "--arch", "sm_90"), "unknown arch 'sm_90'; known: gfx942, gfx950"),
    (("build", "gemm"), "no architecture named; --arch gfx942 or --arch gfx950 (or HKASM_ARCH)"),
    (("build", "gemm", "--arch", "gfx950", "-p", "accs=vgpr"), "unknown parameter 'accs'; did you mean 'acc'?"),
    (("build", "gemm", "--arch", "gfx950", "-p", "acc=vgp"), "acc=vgp: not a choice; did you mean 'vgpr'?"),
    (("build", "gemm", "--arch", "gfx950", "-p", "acc"), "a parameter is NAME=VALUE, got 'acc'"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m=1", "-p", "m=2"), "parameter 'm' is set twice: 1 and 2"),
    (("build", "gemm", "--arch", "gfx950", "-p", "arch=gfx942"), "the architecture is no parameter; --arch gfx942"),
    (("run", "a.py:f", "--arch", "gfx950"), f"unknown kernel 'a.py:f'; {OWN}"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m=1.5"), f"m=1.5: not a whole number; {LIMITS}"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m=x"), f"m=x: not a whole number; {LIMITS}"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m="), f"m=: not a whole number; {LIMITS}"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m=0"), f"m=0: out of range; {LIMITS}"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m=-4"), f"m=-4: out of range; {LIMITS}"),
    (("build", "gemm", "--arch", "gfx950", "-p", "m=9999999999999999"), f"m=9999999999999999: out of range; {LIMITS}"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), BAD)
def test_bad_input_is_one_line(
    hkasm: Hkasm, words: tuple[str, ...], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = hkasm(*words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")
    assert list(tmp_path.iterdir()) == []


def test_number_with_thousands_of_digits_is_one_line(hkasm: Hkasm) -> None:
    result = hkasm("build", "gemm", "--arch", "gfx950", "-p", "m=" + "9" * 5000)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_three_files_are_written(built: Path) -> None:
    assert sorted(path.name for path in built.iterdir()) == ["gemm.hsaco", "gemm.json", "gemm.s"]
    assert (built / "gemm.s").read_text().startswith('.amdgcn_target "amdgcn-amd-amdhsa--gfx950"\n')
    assert list(CodeObject.from_path(built / "gemm.hsaco").kernels) == ["gemm"]


def test_manifest_says_what_a_launcher_needs(built: Path) -> None:
    said = json.loads((built / "gemm.json").read_text())
    image = CodeObject.from_path(built / "gemm.hsaco").kernels["gemm"]
    assert (said["kernel"], said["arch"], said["block"]) == ("gemm", "gfx950", [512, 1, 1])
    assert said["grid"] == {"x": "ceil(n / 256) * ceil(m / 256)", "y": "1", "z": "1"}
    args = [(arg["name"], arg["kind"], arg["dtype"], arg["offset"], arg["size"]) for arg in said["args"]]
    assert args == [(arg.name, arg.kind, arg.dtype, arg.offset, arg.size) for arg in image.args]
    assert args[0] == ("C", "pointer", "bf16", 0, 8)
    assert said["kernarg_bytes"] == image.descriptor.kernarg_bytes
    assert said["code_bytes"] == len(image.code)
    use, descriptor = said["resources"], image.descriptor
    assert use["accum_offset"] == descriptor.accum_offset
    assert use["unified_vgprs"] == descriptor.vgprs
    assert use["lds_bytes"] == descriptor.lds_bytes
    assert use["occupancy"]["waves_per_simd"] == 2
    assert said["versions"]["hkasm"] == package.__version__
    assert "clang" in said["versions"]["clang"]


def test_two_builds_are_identical(hkasm: Hkasm, built: Path, tmp_path: Path) -> None:
    assert hkasm("build", "gemm", "--arch", "gfx950", "-o", tmp_path / "deep" / "er").exit_code == 0
    for name in ("gemm.s", "gemm.hsaco", "gemm.json"):
        assert (tmp_path / "deep" / "er" / name).read_bytes() == (built / name).read_bytes()


def test_summary_and_json(hkasm: Hkasm, toolchain: None, tmp_path: Path) -> None:
    result = hkasm("build", "gemm", "--arch", "gfx942", "-o", tmp_path)
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["kernel", "registers", "LDS", "occupancy", "wrote"]
    assert lines[0].startswith("kernel     gemm for gfx942, ")
    assert lines[2] == "LDS        65536 of 65536 bytes"
    said = json.loads(hkasm("build", "gemm", "--arch", "gfx942", "-o", tmp_path, "--json").stdout)
    assert said.pop("files") == [str(tmp_path / f"gemm.{suffix}") for suffix in ("s", "hsaco", "json")]
    assert said == json.loads((tmp_path / "gemm.json").read_text())


def test_arch_from_the_environment_loses_to_the_flag(
    hkasm: Hkasm, toolchain: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HKASM_ARCH", "gfx942")
    assert "gemm for gfx942" in hkasm("build", "gemm", "-o", tmp_path).stdout
    assert "gemm for gfx950" in hkasm("build", "gemm", "-o", tmp_path, "--arch", "gfx950").stdout


def test_output_that_is_a_file(hkasm: Hkasm, toolchain: None, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    result = hkasm("build", "gemm", "--arch", "gfx950", "-o", tmp_path / "out")
    assert (result.exit_code, result.stderr) == (2, f"hkasm: {tmp_path}/out: cannot be written: File exists\n")
    assert (tmp_path / "out").read_text() == "mine"


def test_nothing_is_half_written(hkasm: Hkasm, toolchain: None, tmp_path: Path) -> None:
    (tmp_path / "gemm.json").mkdir()
    result = hkasm("build", "gemm", "--arch", "gfx950", "-o", tmp_path)
    assert (result.exit_code, result.stderr) == (2, f"hkasm: {tmp_path}/gemm.json: cannot be written: is a directory\n")
    assert [path.name for path in tmp_path.iterdir()] == ["gemm.json"]


def test_output_without_permission(hkasm: Hkasm, toolchain: None) -> None:
    result = hkasm("build", "gemm", "--arch", "gfx950", "-o", "/proc/hkasm")
    assert result.exit_code == 2
    assert result.stderr.startswith("hkasm: /proc/hkasm: cannot be written: ")
    assert result.stderr.count("\n") == 1


def test_full_disk(hkasm: Hkasm, toolchain: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        if path.name.startswith(".gemm.hsaco"):
            raise OSError(28, "No space left on device", str(path))
        with path.open("wb") as file:
            return file.write(data)

    monkeypatch.setattr(Path, "write_bytes", full)
    result = hkasm("build", "gemm", "--arch", "gfx950", "-o", tmp_path)
    assert result.stderr == f"hkasm: {tmp_path}/gemm.hsaco: cannot be written: No space left on device\n"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No ROCm, nothing on PATH, no wheel."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ROCM_PATH", raising=False)
    monkeypatch.setattr("hkasm.asm.toolchain._ROCM_PARENT", tmp_path)
    monkeypatch.setattr("hkasm.asm.toolchain._zig_of_the_wheel", lambda: None)


@pytest.mark.usefixtures("bare_machine")
def test_no_toolchain_names_the_ways_to_get_one(hkasm: Hkasm, tmp_path: Path) -> None:
    result = hkasm("build", "gemm", "--arch", "gfx950", "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.startswith("hkasm: no clang and lld for gfx950 found; install the wheel ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("bare_machine")
@pytest.mark.parametrize("flag", [True, False])
def test_a_chosen_clang_that_is_not_there(hkasm: Hkasm, monkeypatch: pytest.MonkeyPatch, flag: bool) -> None:
    monkeypatch.setenv("HKASM_CLANG", "lost" if flag else "gone")
    result = hkasm("build", "gemm", "--arch", "gfx950", *(("--clang", "gone") if flag else ()))
    assert result.exit_code == 2
    assert result.stderr.startswith("hkasm: the clang that was asked for, 'gone', is not a program here; ")


def test_a_chip_says_the_arch(hkasm: Hkasm, toolchain: None, tmp_path: Path) -> None:
    result = hkasm("build", "gemm", "-p", "chip=mi300x-cpx", "-p", "tile=64x64", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("kernel     gemm for gfx942, ")
    refused = hkasm("build", "gemm", "--arch", "gfx950", "-p", "chip=mi300x-cpx")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)

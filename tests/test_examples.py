"""The examples run, and their mistakes are told as the documentation says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from hkasm.asm.toolchain import Toolchain
from hkasm.errors import OperandError, WaitError

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES, README = ROOT / "examples", ROOT / "README.md"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def changed(folder: Path, old: str, new: str) -> ModuleType:
    """axpy with one text replaced."""
    text = (EXAMPLES / "axpy.py").read_text()
    assert text.count(old) == 1
    path = folder / "axpy.py"
    path.write_text(text.replace(old, new))
    return load(path)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("n", [1, 255, 256, 1000])
def test_axpy_runs(arch: str, n: int, toolchain: Toolchain, capsys: pytest.CaptureFixture[str]) -> None:
    load(EXAMPLES / "axpy.py").main(arch, n)
    assert f"{arch}: {n} elements" in capsys.readouterr().out


@pytest.mark.parametrize(("arch", "work"), [("gfx942", "tiles"), ("gfx950", "stream")])
def test_an_epilogue_of_ones_own_sees_the_sums(
    arch: str, work: str, toolchain: Toolchain, capsys: pytest.CaptureFixture[str]
) -> None:
    load(EXAMPLES / "gemm_epilogue.py").main(arch, work)
    assert capsys.readouterr().out == f"{arch}, work={work}: 7200 of 7200 elements are right\n"


def test_the_gemm_takes_an_order_of_ones_own(
    tmp_path: Path, toolchain: Toolchain, capsys: pytest.CaptureFixture[str]
) -> None:
    load(EXAMPLES / "gemm_schedule.py").main(str(tmp_path / "mine.hsaco"))
    assert capsys.readouterr().out == "gfx950: 27200 of 27200 elements are right\n"
    assert (tmp_path / "mine.hsaco").read_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("name", "results"), [("attention", {"O": 115200, "LSE": 1800}), ("gemm", {"C": 99000})])
def test_reserved_workgroups_copy_while_the_others_compute(
    arch: str, name: str, results: dict[str, int], toolchain: Toolchain, capsys: pytest.CaptureFixture[str]
) -> None:
    load(EXAMPLES / "overlap.py").main(arch, name)
    counts = {**results, "copy": 100003}
    lines = [f"{arch}, {what}: {count} of {count} elements are right" for what, count in counts.items()]
    assert capsys.readouterr().out.splitlines() == lines


def test_a_missing_wait_names_both_lines(tmp_path: Path, toolchain: Toolchain) -> None:
    axpy = changed(tmp_path, "    k.wait(xs, ys)\n", "")
    with pytest.raises(WaitError) as caught:
        axpy.main()
    assert str(caught.value) == (
        "axpy.py:46: v_fmac_f32: reads v6 (ys[0]) while buffer_load_dwordx4 v[6:9], v1, s[12:15], 0 offen of "
        "axpy.py:44 may be in flight (vmcnt)\n"
        "  hint: k.wait(ys, xs) before this line"
    )
    assert f"\n{caught.value}\n" in README.read_text()


def test_a_wrong_operand_names_its_line(tmp_path: Path) -> None:
    axpy = changed(tmp_path, "k.v_fmac_f32(dst, a, src)", "k.v_fmac_f32(ys, a, src)")
    with pytest.raises(OperandError, match=r"^axpy\.py:\d+: v_fmac_f32: operand 'vdst' wants v\[1\], got ys=v\["):
        axpy.main()

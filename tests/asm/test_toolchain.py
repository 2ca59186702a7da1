"""The toolchain is found in the order that the README promises, and its errors name the Python line."""

from __future__ import annotations

import stat
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from hkasm.asm import toolchain as module
from hkasm.asm.toolchain import Toolchain, build_hsaco, build_text, candidates, find_toolchain
from hkasm.errors import ToolchainError

TEXT = """\
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.file 1 "kernels/tiny.py"
tiny:
  .loc 1 7 0
  v_mov_b32_e32 v0, 1
  s_endpgm
"""


@dataclass
class Source:
    """A program as the toolchain sees it."""

    text: str
    arch: str = "gfx950"
    origins: tuple[str | None, ...] = ()

    def text_with_origins(self) -> tuple[str, tuple[str | None, ...]]:
        return self.text, self.origins


def program(path: Path, script: str = "exit 0") -> Path:
    """Make an executable that a shell runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty PATH, no ROCm and no wheel; tests put programs into it."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(module, "_ROCM_PARENT", tmp_path / "opt")
    monkeypatch.setattr(module, "_zig_of_the_wheel", lambda: None)
    return tmp_path


def test_none_found_names_two_ways_to_get_one(machine: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        find_toolchain()
    assert str(caught.value) == (
        "no clang and lld with the AMDGPU target found\n"
        "  hint: install the wheel that carries clang and lld (pip install 'hkasm[clang]'), "
        "or ROCm, or clang and lld 20 or newer (Debian: apt install clang-22 lld-22)"
    )


def test_order_is_rocm_then_numbered_newest_first_then_plain_then_wheel(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, default = machine / "my-rocm", machine / "opt" / "rocm"
    for root in (own, default, machine / "opt" / "rocm-6.10.0", machine / "opt" / "rocm-6.9.1"):
        for name in ("clang", "ld.lld"):
            program(root / "llvm" / "bin" / name)
    for name in ("clang-9", "clang-22", "clang", "clang-cpp", "ld.lld-22", "ld.lld"):
        program(machine / "bin" / name)
    zig = str(program(machine / "wheel" / "zig"))
    monkeypatch.setattr(module, "_zig_of_the_wheel", lambda: zig)
    found = list(candidates(rocm_path=str(own)))
    assert [(one.origin, str(Path(one.clang[0]).relative_to(machine))) for one in found] == [
        ("ROCm", "my-rocm/llvm/bin/clang"),
        ("ROCm", "opt/rocm/llvm/bin/clang"),
        ("ROCm", "opt/rocm-6.10.0/llvm/bin/clang"),
        ("ROCm", "opt/rocm-6.9.1/llvm/bin/clang"),
        ("PATH", "bin/clang-22"),
        ("PATH", "bin/clang-9"),
        ("PATH", "bin/clang"),
        ("ziglang wheel", "wheel/zig"),
    ]


def test_lld_of_the_same_number_is_preferred(machine: Path) -> None:
    for name in ("clang-21", "ld.lld-21", "ld.lld-22"):
        program(machine / "bin" / name)
    # The plain name in clang's own folder would win; here only numbered ones are there.
    assert find_toolchain().lld == (str(machine / "bin" / "ld.lld-21"),)


def test_clang_without_any_lld_is_no_candidate(machine: Path) -> None:
    program(machine / "bin" / "clang-22")
    assert list(candidates()) == []


def test_one_that_does_not_know_the_arch_is_passed_over(machine: Path) -> None:
    program(machine / "bin" / "clang-22", 'case "$*" in *gfx950*) exit 1;; esac')
    program(machine / "bin" / "clang-21")
    program(machine / "bin" / "ld.lld")
    assert find_toolchain(arch="gfx950").clang == (str(machine / "bin" / "clang-21"),)
    assert find_toolchain(arch="gfx942").clang == (str(machine / "bin" / "clang-22"),)


def test_building_falls_on_to_the_next_candidate(machine: Path) -> None:
    program(machine / "bin" / "clang-22", "echo 'error: unknown target CPU' >&2; exit 1")
    program(machine / "bin" / "clang-21", "echo made by 21 > kernel.o")
    program(machine / "bin" / "ld.lld", "/bin/cat kernel.o > kernel.hsaco")
    assert build_hsaco(Source(TEXT)) == b"made by 21\n"
    _, used = build_text(TEXT, "gfx950")
    assert used.clang == (str(machine / "bin" / "clang-21"),)


def test_building_with_none_says_whom_it_asked(machine: Path) -> None:
    clang = program(machine / "bin" / "clang-14", "echo 'error: unknown target CPU' >&2; exit 1")
    program(machine / "bin" / "ld.lld")
    with pytest.raises(ToolchainError) as caught:
        build_hsaco(Source(TEXT))
    assert caught.value.message == f"no clang and lld for gfx950 found; {clang} does not know it"


def test_chosen_clang_is_the_only_one(machine: Path) -> None:
    for name in ("clang-22", "ld.lld"):
        program(machine / "bin" / name)
    mine = program(machine / "mine" / "clang")
    program(machine / "mine" / "ld.lld")
    assert list(candidates(str(mine))) == [Toolchain((str(mine),), (str(machine / "mine" / "ld.lld"),), "chosen")]
    assert find_toolchain("clang-22").clang == (str(machine / "bin" / "clang-22"),)


def test_chosen_zig_is_both(machine: Path) -> None:
    zig = str(program(machine / "zig"))
    assert find_toolchain(zig) == Toolchain((zig, "clang"), (zig, "ld.lld"), "chosen")


@pytest.mark.parametrize("name", ["/no/such/clang", "no-such-clang", "."])
def test_chosen_clang_that_is_not_there(machine: Path, name: str) -> None:
    with pytest.raises(ToolchainError, match=r"is not a program here\n  hint: give the path of one, or leave --clang"):
        find_toolchain(name)


def test_chosen_clang_without_lld(machine: Path) -> None:
    clang = program(machine / "clang")
    with pytest.raises(ToolchainError, match=r"has no ld\.lld beside it, and there is none on PATH"):
        find_toolchain(str(clang))


def test_a_clang_that_hangs_is_ended(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clang = program(machine / "clang", "exec /bin/sleep 60")
    monkeypatch.setattr(module, "TIME_LIMIT_SECONDS", 0.2)
    began = time.monotonic()
    with pytest.raises(ToolchainError, match="did not end within"):
        Toolchain((str(clang),), ("lld",), "test").assemble(TEXT, "gfx950")
    assert time.monotonic() - began < 10


def test_where_clang_never_ends_the_alignment_is_named(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """clang 22 goes on for ever at padding of code that is no number of s_nop; a limit of 0.2 s stands for 20."""
    clang = program(machine / "clang", "exec /bin/sleep 60")
    monkeypatch.setattr(module, "TIME_LIMIT_SECONDS", 0.2)
    text = ".text\n.p2align 8\nk:\n  s_nop 0\n  .byte 1 // x\n  .p2align 6\n  s_endpgm\n"
    origins = [f"odd.s:{number}" for number in range(1, 9)]
    with pytest.raises(
        ToolchainError, match=r"^odd\.s:6: .*clang did not end within 0 s\n  hint: .*: pad the data, or "
    ):
        Toolchain((str(clang),), ("lld",), "test").assemble(text, "gfx950", origins)


def test_a_clang_that_cannot_be_started(machine: Path) -> None:
    with pytest.raises(ToolchainError, match="cannot be started"):
        Toolchain((str(machine / "gone"),), ("lld",), "test").assemble(TEXT, "gfx950")


def test_assembles_and_links(toolchain: Toolchain) -> None:
    obj = toolchain.assemble(TEXT, "gfx950")
    linked = toolchain.link(obj)
    assert obj[:4] == linked[:4] == b"\x7fELF"
    assert linked == toolchain.build(TEXT, "gfx950") == build_hsaco(Source(TEXT), toolchain)


def test_bytes_do_not_depend_on_the_folder(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = toolchain.build(TEXT, "gfx950")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    assert toolchain.build(TEXT, "gfx950") == here
    assert str(tmp_path).encode() not in here


def test_error_is_said_of_the_line_that_wrote_it(toolchain: Toolchain) -> None:
    text = "  s_nop 0\n  v_mov_b32_e32 v0, v999\n  v_no_such v1\n"
    with pytest.raises(ToolchainError) as caught:
        toolchain.assemble(text, "gfx950", ["gemm.py:3", "gemm.py:4", None])
    assert str(caught.value).splitlines()[0] == (
        "gemm.py:4: v_mov_b32_e32 v0, v999: register index is out of range (and 1 more)"
    )
    assert "said by" in str(caught.value)


def test_error_without_an_origin_is_said_of_the_text(toolchain: Toolchain) -> None:
    with pytest.raises(ToolchainError) as caught:
        toolchain.assemble("  s_nop 0\n  v_no_such v1", "gfx950", [None, None])
    assert caught.value.where == "kernel.s:2"
    assert caught.value.message == "v_no_such v1: invalid instruction"


def test_unknown_arch_is_no_error_of_the_text(toolchain: Toolchain) -> None:
    assert toolchain.knows("gfx942")
    assert not toolchain.knows("gfx000")
    with pytest.raises(ToolchainError, match="cannot assemble for gfx000"):
        toolchain.assemble(TEXT, "gfx000")


def test_link_of_something_else_fails_in_one_line(toolchain: Toolchain) -> None:
    with pytest.raises(ToolchainError, match="cannot link the kernel") as caught:
        toolchain.link(b"not an object")
    assert "\n" not in str(caught.value)


def test_version_is_clangs_own(toolchain: Toolchain) -> None:
    assert "clang version" in toolchain.version


def test_a_program_that_does_nothing_is_no_clang_and_no_lld(toolchain: Toolchain) -> None:
    with pytest.raises(ToolchainError, match="true assembled nothing: it is no clang\n  hint: give the path of one"):
        Toolchain(("/bin/true",), toolchain.lld, "chosen").build(TEXT, "gfx950")
    with pytest.raises(ToolchainError, match="true linked nothing: it is no lld"):
        Toolchain(toolchain.clang, ("/bin/true",), "chosen").build(TEXT, "gfx950")

"""`hkasm check`: seeded faults are named at their line, clean code of anybody is silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import Result

Hkasm = Callable[..., Result]
DATA = Path(__file__).parents[1] / "data"
CLEAN = sorted([*(DATA / "triton").glob("*.hsaco"), *(DATA / "clang").glob("*.hsaco")])

BASE = """\
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl work
.p2align 8
.type work,@function
work:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx2 s[6:7], s[0:1], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s8, s2, 8
  s_add_u32 s4, s4, s8
  s_addc_u32 s5, s5, 0
  global_load_dword v2, v1, s[4:5]
  global_load_dword v3, v1, s[4:5] offset:4
  s_mov_b32 s9, 4
.Lagain:
  s_waitcnt vmcnt(1)
  v_add_f32_e32 v4, 1.0, v2
  s_waitcnt vmcnt(0)
  v_add_f32_e32 v4, v4, v3
  ds_write_b32 v1, v4
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  v_mul_f32_e32 v5, v5, v5
  v_rcp_f32_e32 v6, v5
  s_nop 0
  v_add_f32_e32 v6, v6, v6
  s_nop 1
  v_mfma_f32_4x4x1_16b_f32 a[0:3], v5, v6, 0
  s_nop 7
  s_nop 7
  v_accvgpr_read_b32 v7, a0
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 .Lagain
  v_readfirstlane_b32 s10, v7
  s_nop 4
  global_store_dword v1, v7, s[6:7]
  v_cmp_lt_f32_e32 vcc, v6, v7
  s_nop 4
  v_div_fmas_f32 v8, v6, v7, v6
  v_mov_b32_e32 v9, v8
  v_mov_b32_e32 v10, v8
  v_mov_b32_e32 v11, v8
  global_store_dwordx4 v1, v[8:11], s[6:7]
  s_nop 1
  v_mov_b32_e32 v8, 0
  s_mov_b32 m0, 0
  s_nop 0
  v_mov_b32_e32 v12, s10
  s_branch .Lend
.Lend:
  s_endpgm
.Lwork_end:
.size work, .Lwork_end-work
.rodata
.p2align 6
.amdhsa_kernel work
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 16
.end_amdhsa_kernel
"""


@dataclass(frozen=True)
class Fault:
    """An edit of the base, the rule that it breaks, and a word on the line that must be named."""

    name: str
    old: str
    new: str
    rule: str
    line: str


FAULTS = (
    Fault("missing vmcnt", "  s_waitcnt vmcnt(1)\n", "", "register-in-flight", "v_add_f32_e32 v4, 1.0, v2"),
    Fault("vmcnt too loose", "vmcnt(1)", "vmcnt(2)", "register-in-flight", "v_add_f32_e32 v4, 1.0, v2"),
    Fault("lgkmcnt under scalar loads", "  s_waitcnt lgkmcnt(0)\n  s_lshl", "  s_waitcnt lgkmcnt(1)\n  s_lshl",
          "register-in-flight", "s_add_u32 s4, s4, s8"),
    Fault("missing LDS wait", "  s_waitcnt lgkmcnt(0)\n  v_mul", "  v_mul", "register-in-flight",
          "v_mul_f32_e32 v5, v5"),
    Fault("overwritten in flight", "  s_mov_b32 s9, 4\n", "  s_mov_b32 s9, 4\n  v_mov_b32_e32 v3, 0\n",
          "register-overwritten", "v_mov_b32_e32 v3, 0"),
    Fault("result of MFMA too soon", "  s_nop 7\n  s_nop 7\n", "", "hazard", "v_accvgpr_read_b32 v7, a0"),
    Fault("transcendental too soon", "  s_nop 0\n  v_add_f32_e32 v6", "  v_add_f32_e32 v6", "hazard",
          "v_add_f32_e32 v6, v6, v6"),
    Fault("VCC too soon for div_fmas", "  s_nop 4\n  v_div", "  s_nop 1\n  v_div", "hazard", "v_div_fmas_f32"),
    Fault("store data overwritten", "  s_nop 1\n  v_mov_b32_e32 v8, 0", "  v_mov_b32_e32 v8, 0", "hazard",
          "v_mov_b32_e32 v8, 0"),
    Fault("SGPR of a VALU too soon for VMEM", "  global_store_dword v1, v7, s[6:7]\n",
          "  v_readfirstlane_b32 s6, v7\n  global_store_dword v1, v7, s[6:7]\n", "hazard", "global_store_dword v1, v7"),
    Fault("LDS too small", "fixed_size 256", "fixed_size 128", "lds-size", "ds_read_b32 v5, v1 offset:200"),
    Fault("VGPR not reserved", "v_mov_b32_e32 v12, s10", "v_mov_b32_e32 v17, s10", "register-budget",
          "v_mov_b32_e32 v17, s10"),
    Fault("AGPR not reserved", "v_accvgpr_read_b32 v7, a0\n",
          "v_accvgpr_read_b32 v7, a0\n  v_accvgpr_read_b32 v7, a9\n", "register-budget", "v_accvgpr_read_b32 v7, a9"),
    Fault("SGPR not reserved", "s_mov_b32 s9, 4\n", "s_mov_b32 s9, 4\n  s_mov_b32 s40, 4\n", "register-budget",
          "s_mov_b32 s40, 4"),
    Fault("unreachable", "  s_branch .Lend\n", "  s_branch .Lend\n  v_mov_b32_e32 v1, 7\n", "unreachable",
          "v_mov_b32_e32 v1, 7"),
    Fault("branch into an instruction", "  s_branch .Lend\n", "  s_branch 1\n  s_mov_b32 s12, 0x12345678\n",
          "branch-target", "s_branch 1"),
    Fault("branch out of the code", "  s_branch .Lend\n", "  s_branch 4000\n", "branch-target", "s_branch 4000"),
    Fault("no end", "  s_endpgm\n", "  s_nop 0\n", "falls-off", "s_nop 0\n.Lwork_end"),
    Fault("arguments too short", "kernarg_size 16", "kernarg_size 8", "kernarg-size", "s_load_dwordx2 s[6:7]"),
    Fault("scratch not reserved", "  s_mov_b32 m0, 0\n", "  scratch_store_dword v1, v7, off\n", "scratch-size",
          "scratch_store_dword"),
    Fault("workgroup id not asked for", "s_lshl_b32 s8, s2, 8", "s_lshl_b32 s8, s3, 8", "sgpr-unset",
          "s_lshl_b32 s8, s3, 8"),
    Fault("M0 too soon", "  s_nop 0\n  v_mov_b32_e32 v12", "  global_load_lds_dword v1, s[6:7]\n  v_mov_b32_e32 v12",
          "hazard", "global_load_lds_dword"),
)  # fmt: skip


def _faulty(fault: Fault) -> str:
    text = BASE
    if fault.rule == "lds-size":
        text = text.replace("ds_read_b32 v5, v1\n", "ds_read_b32 v5, v1 offset:200\n")
    assert text.count(fault.old) == 1, fault.name
    return text.replace(fault.old, fault.new)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "work.s"


def test_the_base_is_clean(hkasm: Hkasm, source: Path, toolchain: None) -> None:
    source.write_text(BASE)
    result = hkasm("check", source, "--level", "llvm")
    assert (result.exit_code, result.stderr, result.stdout) == (
        0,
        "",
        "1 kernel, 46 instructions: no findings in the code; --run launches it too\n",
    )


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_seeded_fault_is_named_at_its_line(hkasm: Hkasm, source: Path, toolchain: None, fault: Fault) -> None:
    text = _faulty(fault)
    source.write_text(text)
    line = text[: text.rindex(fault.line)].count("\n") + 1
    result = hkasm("check", source, "--level", "llvm")
    assert (result.exit_code, result.stderr) == (1, "")
    first = result.stdout.splitlines()[0]
    assert first.startswith(f"{source}:{line}: {fault.rule}: {fault.line.splitlines()[0]}")
    # What a fault entails may be told too: the value is read early again, the code behind a stray branch is dead.
    entailed = {fault.rule, "unreachable"} if fault.rule == "branch-target" else {fault.rule}
    assert {found.split(": ")[1] for found in result.stdout.splitlines()[:-1]} <= entailed


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_clean_code_of_others_is_silent(hkasm: Hkasm, path: Path) -> None:
    result = hkasm("check", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(": no findings in the code; --run launches it too\n")
    assert result.stdout.count("\n") == 1


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_kernel_of_the_library_is_clean_and_runs_clean(hkasm: Hkasm, toolchain: None, arch: str) -> None:
    result = hkasm("check", "gemm", "--arch", arch, "--run", "-p", "m=40", "-p", "n=24", "-p", "k=72")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("instructions: no findings in the code and in a launch\n")


def test_json_and_sarif_say_the_same(hkasm: Hkasm, source: Path, toolchain: None) -> None:
    text = _faulty(FAULTS[0])
    source.write_text(text)
    log = source.with_suffix(".sarif")
    result = hkasm("check", source, "--json", "--sarif", log)
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    (kernel,) = said["kernels"]
    assert said["launched"] is False
    (finding,) = kernel["findings"]
    assert (finding["rule"], finding["where"]) == (
        "register-in-flight",
        f"{source}:{_line(text, 'v_add_f32_e32 v4, 1.0')}",
    )
    (run,) = json.loads(log.read_text())["runs"]
    (said,) = run["results"]
    place = said["locations"][0]["physicalLocation"]
    assert (said["ruleId"], said["level"]) == ("register-in-flight", "error")
    assert place == {
        "artifactLocation": {"uri": str(source)},
        "region": {"startLine": _line(text, "v_add_f32_e32 v4, 1.0")},
    }
    assert said["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == _line(text, "global_load_dword v2")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["register-in-flight"]


def _line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_what_cannot_be_checked_is_one_line(hkasm: Hkasm, tmp_path: Path) -> None:
    path = CLEAN[0]
    for words, said in (
        (("check", path, "--run"), "name one with --kernel"),
        (("check", AXPY, "--run"), "--grid is missing"),
        (("check", path, "--grid", "1"), "are for files, with --run"),
        (("check", "mm.py:mm", "--run", "--grid", "1"), "build it first: hkasm build mm.py:mm -o out"),
        (("check", "gemm", "--arch", "gfx950", "--run", "--grid", "1"), "are for files, with --run"),
        (("check", path, "--kernel", "nobody"), "holds no kernel 'nobody'"),
        (("check", tmp_path / "none.hsaco"), "none.hsaco"),
        (("check", "gem", "--arch", "gfx950"), "gem"),
    ):
        result = hkasm(*words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert said in result.stderr


AXPY = DATA / "triton" / "axpy_gfx950.hsaco"
AXPY_ARGS = ("x:ptr:f32[1024]=normal:2", "y:ptr:f32[{}]=normal:1", "f32=2.5", "i32=1000", "ptr=0", "ptr=0")


def _args(*words: str) -> list[str]:
    return [part for word in words for part in ("--arg", word)]


def test_a_file_is_run_with_its_launch(hkasm: Hkasm) -> None:
    args = _args(*(word.format(1024) for word in AXPY_ARGS))
    result = hkasm("check", AXPY, "--run", "--grid", "4", "--block", "256", *args)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(": no findings in the code and in a launch\n")


def test_a_run_finds_what_code_alone_does_not_tell(hkasm: Hkasm) -> None:
    args = _args(*(word.format(900) for word in AXPY_ARGS))
    result = hkasm("check", AXPY, "--run", "--grid", "4", "--block", "256", *args)
    assert (result.exit_code, result.stderr) == (1, "")
    assert ": memory-bounds: " in result.stdout


RUN = ("--level", "llvm", "--run", "--grid", "1", "--block")
BUFFERS = _args("x:ptr:f32[160]=ones", "y:ptr:f32[1024]=zeros")


def test_a_race_of_an_assembly_file_is_named_at_its_line(hkasm: Hkasm, source: Path, toolchain: None) -> None:
    text = BASE.replace("fixed_size 256", "fixed_size 1024").replace("v5, v1\n", "v5, v1 offset:256\n", 1)
    source.write_text(text)
    silent = hkasm("check", source, "--level", "llvm")
    assert (silent.exit_code, silent.stderr) == (0, "")
    result = hkasm("check", source, *RUN, "128", *BUFFERS)
    assert (result.exit_code, result.stderr) == (1, "")
    line = _line(text, "ds_read_b32 v5")
    assert f"{source}:{line}: lds-race: ds_read_b32 v5, v1 offset:256" in result.stdout


def test_what_both_the_code_and_a_run_tell_is_told_once(hkasm: Hkasm, source: Path, toolchain: None) -> None:
    source.write_text(_faulty(FAULTS[0]))
    alone = hkasm("check", source, "--level", "llvm")
    both = hkasm("check", source, *RUN, "64", *BUFFERS)
    assert (both.exit_code, both.stderr) == (1, "")
    assert [line for line in both.stdout.splitlines() if "register-in-flight" in line] == [
        line for line in alone.stdout.splitlines() if "register-in-flight" in line
    ]

"""`hkasm show`: register maps and loops, of kernels, code objects and assembly, hkasm's own and anybody's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.foreign import foreign_text

Hkasm = Callable[..., Result]

FOREIGN = foreign_text(
    """
      s_mov_b32 s8, 4
    .Lagain:
      v_add_u32_e32 v3, 1, v2
      s_sub_u32 s8, s8, 1
      s_cbranch_scc0 .Lagain
      v_mov_b32_e32 v9, v3
      s_endpgm
    """,
    name="count", next_free_vgpr=10, next_free_sgpr=9, accum_offset=12,
)  # fmt: skip


@pytest.fixture
def foreign(tmp_path: Path, toolchain: None) -> Path:
    path = tmp_path / "count.s"
    path.write_text(FOREIGN)
    return path


def test_registers_by_name_and_by_file_are_the_same(hkasm: Hkasm, built: Path) -> None:
    by_name = hkasm("show", "registers", "gemm", "--arch", "gfx950")
    assert by_name.exit_code == 0
    for path in (built / "gemm.hsaco", built / "gemm.s"):
        assert hkasm("show", "registers", path).stdout == by_name.stdout


def test_registers_say_who_when_where_and_what_limits(hkasm: Hkasm) -> None:
    said = hkasm("show", "registers", "gemm", "--arch", "gfx950").stdout
    assert "occupancy  2 of 8 waves per SIMD, limited by registers" in said
    for file in ("VGPR", "AGPR", "SGPR"):
        assert f"\n{file}: " in said
    assert "at most " in said
    (row,) = (line for line in said.splitlines() if line.startswith("a[0:127]"))
    assert "accumulators" in row
    assert ".py:" in row
    assert "█" in row


def test_registers_as_json(hkasm: Hkasm, built: Path) -> None:
    said = json.loads(hkasm("show", "registers", built / "gemm.hsaco", "--json").stdout)
    assert (said["kernel"], said["arch"], said["named"]) == ("gemm", "gfx950", True)
    holdings = said["files"]["AGPR"]["holdings"]
    assert [(one["registers"], one["owner"]) for one in holdings] == [("a[0:127]", "accumulators")]
    assert said["files"]["AGPR"]["peak"]["registers"] == 128
    assert said["resources"]["occupancy"] == {"waves_per_simd": 2, "limit": "registers"}


def test_registers_at_an_instruction(hkasm: Hkasm, built: Path) -> None:
    said = json.loads(hkasm("show", "registers", built / "gemm.hsaco", "--at", "300", "--json").stdout)
    holdings = [one for file in said["files"].values() for one in file["holdings"]]
    assert holdings
    assert all(one["first"] <= 300 < one["last"] for one in holdings)
    result = hkasm("show", "registers", built / "gemm.hsaco", "--at", "999999")
    assert result.exit_code == 2
    assert result.stderr.startswith("hkasm: --at 999999: gemm has ")


def test_foreign_registers_are_mapped_by_use(hkasm: Hkasm, foreign: Path) -> None:
    said = json.loads(hkasm("show", "registers", foreign, "--json").stdout)
    assert (said["arch"], said["named"], said["instructions"]) == ("gfx942", False, 6)
    vgprs = [(one["registers"], one["first"], one["last"]) for one in said["files"]["VGPR"]["holdings"]]
    assert vgprs == [("v2", 1, 2), ("v3", 1, 5), ("v9", 4, 5)]
    assert hkasm("show", "registers", foreign).exit_code == 0


def test_schedule_shows_loops_in_sections(hkasm: Hkasm, built: Path) -> None:
    said = json.loads(hkasm("show", "schedule", built / "gemm.hsaco", "--json").stdout)
    hot = said["loops"][0]
    assert hot["name"] == "wide"
    assert hot["counts"]["MFMA"] == 128  # two K steps of 64
    acts = [section["acts"] for section in hot["sections"]]
    assert any("compute C00" in section for section in acts)
    assert any("priority 1" in section and "read B1" in section for section in acts)
    assert any(act.startswith("wait vmcnt(") for section in acts for act in section)
    assert "compute C11" in hkasm("show", "schedule", "gemm", "--arch", "gfx950").stdout


def test_schedule_prints_the_phases_of_a_schedule(hkasm: Hkasm) -> None:
    said = hkasm("show", "schedule", "interleave:depth=3").stdout
    assert "interleave:depth=3" in said
    assert "    1  C01      A0 (k + 1)          B0 (k + 3)" in said
    assert json.loads(hkasm("show", "schedule", "pingpong", "--json").stdout)["phases"][3]["compute"] == "C11"


def test_schedule_reads_what_it_wrote(hkasm: Hkasm, tmp_path: Path) -> None:
    data = json.loads(hkasm("show", "schedule", "pingpong", "--json").stdout)
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps(data))
    assert hkasm("show", "schedule", str(mine), "--diff", "pingpong").stdout.endswith("do the same\n")
    data["phases"][0]["wait"] = ["A1"]
    mine.write_text(json.dumps(data))
    assert hkasm("show", "schedule", str(mine), "--diff", "pingpong").stdout == "phases[0].wait: None -> ['A1']\n"
    said = hkasm("show", "schedule", str(mine)).stdout.splitlines()
    assert said[-5].split() == ["phase", "compute", "read", "commit", "fetch", "wait"]
    assert said[-4].split()[-1] == "A1"
    slack = json.dumps(data).replace('"slack": 0', '"slack": 1e400')
    for text, message in (
        ("{", "no JSON"),
        ("[]", "a schedule is an object"),
        ('{"name": 1}', "a schedule wants a name"),
        (slack, "slack: wants a whole number, got inf"),
    ):
        mine.write_text(text)
        failed = hkasm("show", "schedule", str(mine))
        assert failed.exit_code == 2
        assert f"{mine}: {message}" in failed.stderr
        assert failed.stderr.count("\n") == 1


def test_schedule_prints_what_differs(hkasm: Hkasm) -> None:
    said = hkasm("show", "schedule", "interleave:depth=3", "--diff", "interleave").stdout
    assert "phases[0].fetch: [['A0', 2]] -> [['A0', 3]]" in said
    assert hkasm("show", "schedule", "simple", "--diff", "simple").stdout == "simple and simple do the same\n"


def test_schedule_finds_loops_in_foreign_code(hkasm: Hkasm, foreign: Path) -> None:
    (loop,) = json.loads(hkasm("show", "schedule", foreign, "--json").stdout)["loops"]
    assert (loop["name"], loop["first"], loop["last"]) == ("", 1, 4)
    assert loop["counts"] == {"BRANCH": 1, "SALU": 1, "VALU": 1}


def test_schedule_draws_a_turn_and_says_which_wait_waits_for_what(hkasm: Hkasm) -> None:
    said = hkasm("show", "schedule", "gemm", "--arch", "gfx950", "-p", "tile=256x256", "--width", "80").stdout
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line[11:] for line in lines if line.startswith("  MFMA ")]
    # Two groups, one of which multiplies while the other does not; a column may lie on both sides of a barrier.
    assert [len(row) for row in rows] == [69, 69]
    assert sum(a == b == "█" for a, b in zip(*rows, strict=True)) <= 2
    assert sum(row.count("█") for row in rows) > 50
    assert any(line.startswith("buffer_load_dwordx4") and ", +1 turn " in line for line in lines)


def test_schedule_shows_what_stands_around_loops_on_request(hkasm: Hkasm, built: Path) -> None:
    said = json.loads(hkasm("show", "schedule", built / "gemm.hsaco", "--all", "--json").stdout)
    parts = said["loops"]
    assert [part["last"] for part in parts[:-1]] == [part["first"] for part in parts[1:]]
    assert (parts[0]["name"], parts[0]["first"], parts[0]["loop"]) == ("before loop wide", 0, False)
    assert parts[-1]["name"].startswith("behind loop ")
    loads = [one for one in said["loads"] if one["mnemonic"].startswith("buffer_load")]
    assert loads
    assert all(one["wait"] is not None and one["near"] <= one["far"] for one in loads)


def test_schedule_with_the_cycle_models_clocks_and_a_picture(hkasm: Hkasm, tmp_path: Path, toolchain: None) -> None:
    picture = tmp_path / "loop.svg"
    words = ("show", "schedule", "gemm", "--arch", "gfx950", "-p", "tile=256x256", "-p", "m=256", "-p", "n=256")
    result = hkasm(*words, "-p", "k=2048", "--cycles", "-o", picture)
    assert (result.exit_code, result.stderr) == (0, "")
    assert " clk by the cycle model; matrix pipe held " in result.stdout
    assert "wave 4   " in result.stdout
    assert any(line.startswith("wave 0") and "s_barrier" in line for line in result.stdout.splitlines())
    assert "matrix unit" in picture.read_text()
    short = hkasm(*words, "-p", "k=128", "--cycles", "-o", tmp_path / "short.svg")
    assert (short.exit_code, short.stdout, short.stderr.count("\n")) == (2, "", 1)
    assert "played no steady turn of gemm's hot loop; a problem with more turns" in short.stderr
    assert list(tmp_path.iterdir()) == [picture]


def test_schedule_words_that_do_not_fit(hkasm: Hkasm, foreign: Path, tmp_path: Path) -> None:
    for words, said in (
        ((foreign, "--cycles"), "--cycles plays kernels of the library"),
        (("pingpong", "--all"), "are for programs, not for schedules"),
        (("rmsnorm", "--arch", "gfx950", "-o", tmp_path / "x.svg"), "rmsnorm has no loop"),
        (("gemm", "--arch", "gfx950", "--kernel", "gemm"), "gemm: --kernel names a kernel of a file"),
    ):
        result = hkasm("show", "schedule", *words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert said in result.stderr
    assert list(tmp_path.glob("*.svg")) == []


def test_a_program_without_a_loop(hkasm: Hkasm, foreign: Path) -> None:
    foreign.write_text(FOREIGN.replace("s_cbranch_scc0 .Lagain", "s_nop 0"))
    assert hkasm("show", "schedule", foreign).stdout == "count for gfx942, 6 instructions, no loop\n"


def test_several_kernels_want_a_name(hkasm: Hkasm, foreign: Path) -> None:
    second = (
        FOREIGN.partition(".text")[2].replace("count", "other").replace(".Lagain", ".Lmore").replace(".Lend", ".Lout")
    )
    foreign.write_text(f"{FOREIGN}.text{second.replace('.Lmore:', '.Lmore: s_nop 0')}")
    result = hkasm("show", "registers", foreign)
    assert result.stderr == f"hkasm: {foreign}: holds 2 kernels: count, other; name one with --kernel\n"
    assert hkasm("show", "registers", foreign, "--kernel", "other").stdout.startswith("kernel     other for gfx942")
    result = hkasm("show", "registers", foreign, "--kernel", "othr")
    assert (result.exit_code, result.stderr) == (
        2,
        f"hkasm: {foreign}: holds no kernel 'othr'; did you mean 'other'?\n",
    )
    # What is compared names a kernel each; --kernel is for those that do not.
    two = [f"{foreign}:kernel={name}" for name in ("count", "other")]
    rows = json.loads(hkasm("diff", *two, "--json").stdout)["rows"]
    count, other = map(int, rows["instructions"])
    assert other == count + 1
    assert json.loads(hkasm("diff", two[0], foreign, "--kernel", "other", "--json").stdout)["rows"] == rows
    assert hkasm("diff", *two).stdout.splitlines()[0].split() == ["count.s:kernel=count", "count.s:kernel=other"]
    result = hkasm("diff", two[0], f"{foreign}:kernel=othr")
    assert (result.exit_code, result.stderr.count("did you mean 'other'?")) == (2, 1)


def test_bad_files_are_one_line(hkasm: Hkasm, built: Path, tmp_path: Path, toolchain: None) -> None:
    whole = (built / "gemm.hsaco").read_bytes()
    cases = {
        "gone.hsaco": (None, "cannot be read: No such file or directory"),
        "gone.s": (None, "cannot be read: No such file or directory"),
        "empty.hsaco": (b"", ""),
        "text.hsaco": (b"not an object\n" * 9, ""),
        "cut.hsaco": (whole[: len(whole) // 2], ""),
        "bytes.s": (b".text\n\xff\xfe\n", "is no text"),
    }
    for name, (content, said) in cases.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        result = hkasm("show", "registers", path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"hkasm: {path}: {said}")
        assert result.stderr.count("\n") == 1


def test_assembler_errors_name_the_line(hkasm: Hkasm, foreign: Path) -> None:
    foreign.write_text(FOREIGN.replace("v_mov_b32_e32 v9, v3", "v_mow_b32_e32 v9, v3"))
    result = hkasm("show", "registers", foreign)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"hkasm: {foreign}:12: v_mow_b32_e32 v9, v3: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("gem", "--arch", "gfx950"), "unknown kernel 'gem'; did you mean 'gemm'?"),
        (("gemm",), "no architecture named; --arch gfx942 or --arch gfx950 (or HKASM_ARCH)"),
        (("x.hsaco", "-p", "m=1"), "x.hsaco: parameters are for kernels of the library, not for files"),
    ],
)
def test_bad_words_are_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm("show", "registers", *words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")


def test_a_file_that_is_none_of_the_kinds(hkasm: Hkasm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("")
    result = hkasm("show", "registers", "mine.txt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "hkasm: mine.txt: is not a file that can be shown; a .hsaco, .co, .o, .so or .s file\n"


def test_registers_say_what_is_live_and_what_is_idle(hkasm: Hkasm) -> None:
    said = hkasm("show", "registers", "gemm", "--arch", "gfx950").stdout
    assert "one more   88 registers" in said
    assert " live at once, first at instruction " in said
    assert "  idle: kernarg s[0:1] from instruction " in said
    lines = hkasm("show", "registers", "gemm", "--arch", "gfx950", "--width", "80").stdout.splitlines()
    assert max(map(len, lines)) <= 80


def test_args_say_what_a_kernel_wants(hkasm: Hkasm, built: Path) -> None:
    by_name, by_file = hkasm("show", "args", "gemm", "--arch", "gfx950"), hkasm("show", "args", built / "gemm.hsaco")
    assert (by_name.exit_code, by_name.stdout) == (0, by_file.stdout)
    lines = [" ".join(line.split()) for line in by_name.stdout.splitlines()]
    assert "C 0 8 pointer to bf16, 2 dimensions write C:ptr:bf16[?x?]=zeros" in lines
    assert "M 24 4 u32 read M:u32=?" in lines
    said = json.loads(hkasm("show", "args", built / "gemm.hsaco", "--json").stdout)
    manifest = json.loads((built / "gemm.json").read_text())
    assert (said["args"], said["kernarg_bytes"]) == (manifest["args"], manifest["kernarg_bytes"])


def test_args_of_other_peoples_kernels(hkasm: Hkasm, foreign: Path) -> None:
    data = Path(__file__).parents[1] / "data"
    lines = hkasm("show", "args", data / "triton" / "axpy_gfx950.hsaco").stdout.splitlines()
    assert "arg0         0      8  pointer  readwrite  arg0:ptr:?[?]=normal:1" in lines
    assert "arg2        16      4  value    read       arg2:i32=? or f32=?" in lines
    words = ("show", "args", data / "clang" / "vector_O0_gfx942.hsaco", "--kernel", "vector_add", "--width", "80")
    said = hkasm(*words).stdout
    assert "filled in  from byte 32 on: block_count_x, " in said
    assert "hidden" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert "arguments  none are told" in hkasm("show", "args", foreign).stdout


def test_args_leave_out_padding_that_has_a_name(hkasm: Hkasm, tmp_path: Path) -> None:
    """As in AITER's hand-written kernels: every argument in a slot of 16 bytes, the rest of it named as well."""

    def metadata(places: list[tuple[str, int, int]]) -> str:
        return "".join(
            f"""
      - .name: {name}
        .offset: {offset}
        .size: {size}
        .value_kind: {"by_value" if size == 4 else "global_buffer"}"""
            + ("" if size == 4 else "\n        .address_space: global")
            for name, offset, size in places
        )

    def written(places: list[tuple[str, int, int]]) -> Path:
        path = tmp_path / "kernel.s"
        path.write_text(
            foreign_text("s_endpgm", next_free_vgpr=4, next_free_sgpr=8, accum_offset=4)
            + f"""
    .amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 48
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:{metadata(places)}
...
    .end_amdgpu_metadata
    """
        )
        return path

    padding = [("pad", 12, 4), ("pad", 20, 4), ("pad", 24, 4), ("pad", 28, 4)]
    named = [("D", 0, 8), ("pad", 8, 4), padding[0], ("M", 16, 4), *padding[1:], ("N", 32, 4)]
    lines = hkasm("show", "args", written(named)).stdout.splitlines()
    assert "arguments  3" in lines
    assert "slots      16 bytes each: --kernarg-slot 16" in lines
    assert [line.split()[0] for line in lines[-3:]] == ["D", "M", "N"]
    uneven = [("D", 0, 8), ("M", 8, 4), ("pad", 12, 4), ("N", 16, 4), ("K", 20, 4)]
    said = hkasm("show", "args", written(uneven)).stdout
    assert "slots" not in said
    assert "arguments  5" in said


def test_code_at_80_columns_has_its_places_all_the_same(hkasm: Hkasm, built: Path) -> None:
    wide = hkasm("show", "code", built / "gemm.hsaco", "--hot").stdout.splitlines()
    narrow = hkasm("show", "code", built / "gemm.hsaco", "--hot", "--width", "80").stdout.splitlines()
    assert max(map(len, narrow)) <= 80 < max(map(len, wide))
    for lines in (wide, narrow):
        assert sum(line.count(".py:") for line in lines) == sum(line.count(".py:") for line in wide) > 20
        assert sum(line.endswith("  compute C00") for line in lines) > 10
        assert sum("v_mfma" in line for line in lines) == sum("v_mfma" in line for line in wide)


def test_width_folds_tables(hkasm: Hkasm) -> None:
    wide = hkasm("lds", "st_16x32", "--arch", "gfx950").stdout.splitlines()
    assert max(map(len, wide)) > 80
    folded = hkasm("lds", "st_16x32", "--arch", "gfx950", "--width", "60").stdout.splitlines()
    assert max(map(len, folded)) <= 60
    assert len(folded) > len(wide)
    result = hkasm("show", "grid", "gemm", "--width", "12")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)

"""`hkasm predict` and `hkasm show grid`: text and JSON, of kernels and of other people's code objects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import build_hsaco

Hkasm = Callable[..., Result]
LADDER = Path(__file__).parent.parent / "data" / "triton_ladder"
SMALL = ("-p", "m=512", "-p", "n=512", "-p", "k=1024")


def test_predict_says_how_fast_and_why(hkasm: Hkasm, toolchain: None) -> None:
    result = hkasm("predict", "gemm", *SMALL, "--chip", "mi355x", "--stalls", 3)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    facts = dict(line.split(None, 1) for line in lines[:3])
    assert facts["kernel"] == "gemm for mi355x (gfx950)"
    assert "TFLOPS" in facts["speed"]
    assert sum("hkasm/" in line for line in lines) == 3
    assert any(line.startswith("barrier") for line in lines)


def test_predict_prints_json(hkasm: Hkasm, toolchain: None) -> None:
    result = hkasm("predict", "gemm", *SMALL, "--chip", "mi300x", "--json")
    document = json.loads(result.stdout)
    assert document["arch"] == "gfx942"
    low, high = document["performance"]["tflops_range"]
    assert low <= document["performance"]["tflops"] <= high


def test_a_prediction_adds_up_and_names_its_problem(hkasm: Hkasm, toolchain: None) -> None:
    words = ("predict", "gemm", *SMALL[:4], "-p", "k=4096", "-p", "tile=256x256", "--stalls", 0)
    lines = hkasm(*words).stdout.splitlines()
    facts = {line[:12].strip(): line[13:] for line in lines}
    assert facts["problem"] == "m=512,n=512,k=4096,dtype=bf16,tile=256x256"
    whole = int(facts["a workgroup"].split()[0])
    turns, _, period, *_ = facts["loop"].split()
    before, _, _, behind, *_ = facts["around it"].split()
    assert abs(int(turns) * int(period) + int(before) + int(behind) - whole) <= int(turns) / 2 + 1
    assert int(behind) > int(period), "the end is more than one turn"
    heading = next(line for line in lines if line.startswith("stalled"))
    found = re.fullmatch(r"stalled clk a wave, in the (\d+) clk that were played, (\d+) turns of the loop:", heading)
    assert found
    assert abs(whole - int(found[1]) - (int(turns) - int(found[2])) * int(period)) <= int(turns)
    assert json.loads(hkasm(*words, "--json").stdout)["problem"] == facts["problem"]


def test_the_usual_chip_is_that_of_the_arch_that_is_set(hkasm: Hkasm, monkeypatch: pytest.MonkeyPatch) -> None:
    for arch, chip in (("gfx942", "mi300x"), ("gfx950", "mi355x"), ("", "mi355x")):
        monkeypatch.setenv("HKASM_ARCH", arch)
        assert json.loads(hkasm("show", "grid", "gemm", "--json").stdout)["chip"] == chip
        assert json.loads(hkasm("show", "grid", "gemm", "--chip", "mi350x", "--json").stdout)["chip"] == "mi350x"
    monkeypatch.setenv("HKASM_ARCH", "gfx90a")
    result = hkasm("predict", "gemm")
    assert (result.exit_code, result.stderr) == (2, "hkasm: unknown arch 'gfx90a'; known: gfx942, gfx950\n")


def test_a_sweep_is_a_table(hkasm: Hkasm, toolchain: None) -> None:
    result = hkasm("predict", "gemm", "--sweep", "m=256,512", "--sweep", "k=256", "-p", "n=256", "--json")
    assert result.exit_code == 0, result.output
    points = json.loads(result.stdout)["points"]
    assert [point["parameters"]["m"] for point in points] == ["256", "512"]


def test_a_foreign_code_object_is_predicted_from_its_launch(hkasm: Hkasm) -> None:
    pointers = [f"{name}:ptr:bf16[512x512]=zeros" for name in "abc"]
    words = [*pointers, *["i32=512"] * 4, "ptr=0", "ptr=0"]
    path = LADDER / "gemm_even_bf16_nt_128x128x64_w4_s2_gfx950.hsaco"
    given = [part for word in words for part in ("--arg", word)]
    result = hkasm("predict", path, "--grid", "4,4", "--block", "256", *given, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["kernel"] == "gemm_even"
    assert document["stalls"][0]["origin"]


@pytest.fixture
def reader(toolchain: None, tmp_path: Path) -> Path:
    """A kernel whose wave reads 32 KiB, in 32 loads."""
    k = Builder("gfx950", "reader")
    k.arg("x", "u32", pointer=True)
    pointer, where, quad = k.sgpr("pointer", 2), k.vgpr("where"), k.vgpr("quad", 4)
    k.s_load_dwordx2(pointer, k.kernarg, 0)
    k.v_lshlrev_b32(where, 4, k.lane)
    k.wait(pointer)
    for _ in range(32):
        k.global_load_dwordx4(quad, where, pointer)
        k.v_add_u32(where, 1024, where)
    k.wait(quad)
    k.s_endpgm()
    path = tmp_path / "reader.hsaco"
    path.write_bytes(build_hsaco(k.finish()))
    return path


def test_a_file_without_matrix_work_is_bound_by_memory(hkasm: Hkasm, reader: Path) -> None:
    """4096 waves read 32 KiB each of 64 MiB: what several of them read counts once."""
    words = ("predict", reader, "--grid", "4096", "--block", "64", "--arg", "x:ptr:u32[16777216]=zeros")
    result = hkasm(*words, "--stalls", 0)
    assert result.exit_code == 0, result.output
    facts = dict(line.split(None, 1) for line in result.stdout.splitlines() if line.strip())
    assert "TFLOPS" not in result.stdout
    assert facts["bound"].split(None, 1)[1].startswith("memory (")
    assert facts["memory"].startswith("67.1 MB, ")
    assert facts["memory"].endswith(" GB/s; caches are not modelled for a file")
    performance = json.loads(hkasm(*words, "--json").stdout)["performance"]
    assert (performance["bound"], performance["bytes"]) == ("hbm", 1 << 26)
    assert performance["seconds_by"]["hbm"] == pytest.approx((1 << 26) / 6.2e12)


def test_show_grid_lists_every_tile_once(hkasm: Hkasm) -> None:
    result = hkasm("show", "grid", "gemm", "-p", "m=9216", "-p", "n=9216", "-p", "k=512", "--order", "w5c25", "--json")
    document = json.loads(result.stdout)
    places = {(tile["row"], tile["column"]) for tile in document["tiles"]}
    assert len(places) == len(document["tiles"]) == document["rows"] * document["columns"] == 36 * 36
    assert {tile["xcd"] for tile in document["tiles"]} == set(range(8))
    assert {tile["cu"] for tile in document["tiles"]} == set(range(32))
    assert all(tile["workgroup"] % 8 == tile["xcd"] for tile in document["tiles"])


def test_show_grid_draws_the_dies(hkasm: Hkasm) -> None:
    result = hkasm("show", "grid", "gemm", "-p", "m=4096", "-p", "n=4096", "--order", "auto", "--chip", "mi355x")
    assert result.exit_code == 0, result.output
    assert "    0       8" in result.stdout.splitlines()
    assert " 0  0000111122223333" in result.stdout.splitlines()
    assert any(line.startswith("order") and "w8call, best of" in line for line in result.stdout.splitlines())


def test_show_grid_as_a_picture(hkasm: Hkasm, tmp_path: Path) -> None:
    path = tmp_path / "new" / "grid.svg"
    words = ("-p", "m=9216", "-p", "n=2304", "--order", "auto", "--width", "60", "-o", path)
    result = hkasm("show", "grid", "gemm", *words)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith(f"wrote {path}\n")
    picture = ElementTree.parse(path).getroot()
    said = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}title")]
    listed = json.loads(hkasm("show", "grid", "gemm", *words[:6], "--json").stdout)
    assert len(said) == len(listed["tiles"]) == listed["rows"] * listed["columns"]
    first = listed["tiles"][0]
    assert f"tile {first['row']},{first['column']}: XCD {first['xcd']}, CU {first['cu']}, round 0" in said
    # Larger grids are cut, and say so: on paper, and in a terminal of 60 columns.
    result = hkasm("show", "grid", "gemm", "-p", "m=65536", "-p", "n=65536", "--width", "60", "-o", path)
    assert "the first 128 x 128 of 256 x 256" in path.read_text()
    assert "XCD of each tile, 64 x 55 of them" in result.stdout.splitlines()
    assert max(map(len, result.stdout.splitlines()[:-1])) <= 60


def test_show_grid_reserves_and_simulates(hkasm: Hkasm) -> None:
    words = (
        "-p",
        "m=1024",
        "-p",
        "n=1024",
        "-p",
        "tile=256x256",
        "-p",
        "reserve=2",
        "--order",
        "w2",
        "--simulate",
        "--rounds",
        0,
    )
    result = hkasm("show", "grid", "gemm", *words)
    assert result.exit_code == 0, result.output
    facts = dict(line.split(None, 1) for line in result.stdout.splitlines()[:8])
    assert facts["grid"] == "4 x 4 tiles, 240 workgroups"
    assert facts["chip"] == "mi355x, 240 CUs compute"
    assert facts["shares"].startswith("tickets: workgroups stay, 2 tiles an XCD are its own")
    assert facts["reserved"] == "2 CUs of each XCD"
    assert "(simulated)" in result.stdout


@pytest.mark.parametrize(("words", "xcds", "how"), [
    (("--chip", "mi300x-cpx"), 1, "even"),
    (("-p", "chip=mi355x-32:32:16"), 3, "padded"),
    (("--chip", "mi355x-qpx", "-p", "reserve=4"), 2, "tickets"),
    (("-p", "chip=mi355x-32:32:16", "-p", "reserve=4", "-p", "work=tiles"), 3, "padded"),
])  # fmt: skip
def test_show_grid_is_of_the_device(hkasm: Hkasm, words: tuple[str, ...], xcds: int, how: str) -> None:
    result = hkasm("show", "grid", "gemm", "-p", "m=3000", "-p", "n=2000", "-p", "tile=256x256", *words, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["how"] == how
    assert {tile["xcd"] for tile in document["tiles"]} == set(range(xcds))
    assert len({(tile["row"], tile["column"]) for tile in document["tiles"]}) == 12 * 8 == len(document["tiles"])


def test_show_grid_keeps_what_attention_reserves(hkasm: Hkasm) -> None:
    words = ("show", "grid", "attention", "-p", "hq=16", "-p", "hkv=4", "-p", "q=2048", "-p", "reserve=2")
    result = hkasm(*words, "--chip", "mi355x-32:32:32:16", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["reserved"], document["how"], document["workgroups"]) == (8, "padded", 8 + 4 * 37)
    assert min(tile["workgroup"] for tile in document["tiles"]) == 8
    assert len({(tile["row"], tile["column"]) for tile in document["tiles"]}) == 4 * 32 == len(document["tiles"])
    most = [max(tile["cu"] for tile in document["tiles"] if tile["xcd"] == xcd) for xcd in range(4)]
    assert most == [29, 29, 29, 13]
    assert "reserved  2 CUs of each XCD" in hkasm(*words).stdout


def test_a_prediction_says_what_is_reserved(hkasm: Hkasm, toolchain: None) -> None:
    shape = ("-p", "q=512", "-p", "hq=16", "-p", "d=64")
    for words in (("attention", *shape), ("gemm", *SMALL, "-p", "tile=64x64", "-p", "work=tiles")):
        result = hkasm("predict", *words, "-p", "reserve=3", "--stalls", 0)
        assert result.exit_code == 0, result.output
        facts = dict(line.split(None, 1) for line in result.stdout.splitlines() if len(line.split()) > 1)
        assert facts["reserved"] == "3 CUs of each XCD"
        assert ("the first 3 workgroups of each XCD communicate" in result.stdout) == (words[0] == "gemm")
    assert "reserved " not in hkasm("predict", "attention", *shape, "--stalls", 0).stdout


def test_a_prediction_says_how_the_device_shares(hkasm: Hkasm, toolchain: None) -> None:
    words = ("predict", "gemm", *SMALL, "-p", "tile=64x64", "--stalls", 0)
    even, padded = (hkasm(*words, "--chip", chip) for chip in ("mi355x-dpx", "mi355x-32:16"))
    assert padded.exit_code == even.exit_code == 0, padded.output
    assert "gemm for mi355x-dpx (gfx950)" in even.stdout
    assert "padded" not in even.stdout
    assert "gemm for mi355x-32:16 (gfx950)" in padded.stdout
    assert "padded: 43 and 21 tiles an XCD" in padded.stdout
    assert "tiles: workgroups without a tile pad the smaller XCDs' shares" in padded.stdout
    assert "64, 2 a CU at once" in padded.stdout


def test_a_sweep_over_chips(hkasm: Hkasm, toolchain: None) -> None:
    words = ("predict", "gemm", "-p", "m=256", "-p", "k=256", "--sweep", "chip=mi355x-cpx,mi300x-32:16", "--json")
    result = hkasm(*words)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["chip"] == ["mi300x-32:16", "mi355x-cpx"]
    assert [point["chip"] for point in document["points"]] == ["mi355x-cpx", "mi300x-32:16"]


@pytest.mark.parametrize(("words", "line"), [
    (("predict", "gemm", "--chip", "mi355"), "unknown chip 'mi355'"),
    (("predict", "gemm", "--chip", ""), "unknown chip ''"),
    (("predict", "gemm", "--chip", "h100"), "with -spx, -dpx, -qpx, -cpx behind it for a partition"),
    (("predict", "gemm", "--order", "best"), "unknown grid order 'best'"),
    (("predict", "gemm", "--order", ""), "unknown grid order ''"),
    (("show", "grid", "attention", "--order", ""), "unknown grid order ''"),
    (("diff", "gemm", "gemm", "--predict", "--chip", "mi300x", "--arch", "gfx950"), "mi300x is gfx942, not gfx950"),
    (("predict", "gemm", "--grid", "4"), "are for files"),
    (("predict", "gemm", "--arch", "gfx942"), "no such option '--arch'; --chip names the chip, and with it the arch"),
    (("show", "grid", "gemm", "--arch", "gfx942"), "--chip names the chip"),
    (("predict", "mm.py:mm", "--grid", "1"), "build it first: hkasm build mm.py:mm -o out writes out/mm.hsaco"),
    (("predict", "mm.py:mm", "-p", "m=1"), "build it first"),
    (("predict", "a.hsaco", "--sweep", "m=1"), "are for kernels of the library"),
    (("predict", "gemm", "--sweep", "m"), "a parameter is NAME=VALUE"),
    (("predict", "gemm", "--sweep", "m=1,257", "--sweep", "bogus=1"), "unknown parameter 'bogus'"),
    (("predict", "gemm", *(word for axis in "mnk" for word in ("--sweep", f"{axis}={'1,' * 3999}1"))),
     "64000000000 points, at most 100000"),
    (("predict", "gemm", "--sweep", "m=512", "-p", "m=1024"), "'m' is set by -p and by --sweep"),
    (("predict", "gemm", "-p", "order=rows"), "unknown parameter 'order'"),
    (("predict", "gemm", "--sweep", "m=-1,0"), "no point of the sweep can be predicted; the first: "),
    (("show", "grid", "gemm", "-p", "reserve=37"), "37 reserved CUs a die leave none"),
    (("predict", "attention", "-p", "reserve=37"), "37 reserved CUs a die leave none"),
    (("build", "gemm", "--arch", "gfx950", "-p", "reserve=37"), "37 reserved CUs a die leave none"),
    (("run", "attention", "--arch", "gfx950", "-p", "reserve=1"), "would take those CUs; give AttentionKernel.write()"),
    (("build", "gemm", "--arch", "gfx950", "-p", "reserve=1", "-p", "work=tiles"),
     "would take those CUs; work=tickets leaves them free; or give GemmKernel.write()"),
    (("show", "grid", "gemm", "--chip", "mi355x", "-p", "chip=mi350x"), "chip=mi350x, and mi355x is asked for"),
    (("predict", "gemm", "-p", "chip=mi355x-33"), "no device has XCDs of 33 CUs"),
    (("build", "gemm", "--arch", "gfx950", "-p", "chip=mi300x-cpx"), "chip=mi300x-cpx is gfx942, not gfx950"),
    (("show", "grid", "gemm", "--order", "w0"), "unknown grid order 'w0'"),
])  # fmt: skip
def test_mistakes_are_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm(*words)
    assert result.exit_code == 2
    assert line in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1

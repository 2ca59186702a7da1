"""`hkasm lds`: banks, phases and conflicts with their marks; the solver; a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

Hkasm = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("st_16x23:bf16",), "no shared tile shape 'st_16x23'; did you mean"),
        (("st_16x32:fp8",), "st_16x32 is not for fp8 (8 bits); shapes for it: st_16x128"),
        (("st_16x32", "--access", "ds_read_b129"), "ds_read_b129 moves no tile; accesses: ds_read_b128"),
        (
            ("st_16x32", "--access", "ds_read_b64_tr_b16", "--arch", "gfx942"),
            "no LDS bank row for 'read_tr_b16' on gfx942",
        ),
        (
            ("st_16x32", "--access", "ds_read_b128", "--tile", "rt_16x16", "--layout", "row"),
            "ds_read_b128: rt_16x16 row layout of bf16 in st_16x32: a base tile of 2 registers",
        ),
        (("st_16x32", "--svg", "x.svg"), "--svg, --solve, --tile and --layout want an --access"),
        (
            ("st_16x32", "--access", "ds_read_b128", "--tile", "rt_16x32", "--layout", "up"),
            "no layout 'up'; row or col",
        ),
        (("st_16x32:bf16", "--arch", "gfx90"), "unknown arch 'gfx90'"),
    ],
)
def test_bad_input_is_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm("lds", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"hkasm: {line}")
    assert result.stderr.count("\n") == 1


def test_phases_degrees_and_marks(hkasm: Hkasm) -> None:
    said = hkasm("lds", "st_16x32:bf16", "--access", "ds_read_b128", "--arch", "gfx950").stdout.splitlines()
    assert said[2] == "swizzle   byte offset o ^ (((o % 1024) >> 9) << 5)"
    assert said[4] == (
        "ds_read_b128 of rt_16x32 row layout on gfx950: 64 banks of 4 bytes, 4 phases of 16 lanes "
        "(measured: HipKittens phase solver, MI355X)"
    )
    assert said[6].split() == ["0", "0-3,12-15,20-27", "1"]
    assert said[-1] == "0 conflicts, worst 1-way (measured: HipKittens phase solver, MI355X)"
    older = hkasm("lds", "st_16x32:bf16", "--access", "ds_read_b128", "--arch", "gfx942").stdout
    assert "banks 0-3: 0,2; banks 4-7: 20,22" in older
    assert "8 conflicts, worst 2-way (measured" in older
    both = hkasm("lds", "st_16x32:bf16", "--access", "ds_read_b128").stdout
    assert "on gfx942" in both
    assert "on gfx950" in both


def test_overview_marks_every_row(hkasm: Hkasm) -> None:
    said = hkasm("lds", "st_16x16_swizzled:bf16", "--arch", "gfx950").stdout.splitlines()
    rows = [line for line in said if line.startswith("gfx950")]
    assert len(rows) > 10
    assert all("measured:" in row or "assumed:" in row for row in rows)
    assert any(row.split()[1:6] == ["rt_16x16", "row", "ds_write_b64", "1", "0"] for row in rows)


@pytest.mark.parametrize("name", ["st_16x128:fp8", "st_16x128:fp6", "st_16x128:fp4", "st_32x32:f32", "st_8x32"])
def test_every_size_of_element_has_an_overview(hkasm: Hkasm, name: str) -> None:
    found = json.loads(hkasm("lds", name, "--json").stdout)
    assert {one["arch"] for one in found["accesses"]} == {"gfx942", "gfx950"}
    assert all(one["mark"] in ("measured", "assumed") for one in found["accesses"])


def test_json_of_an_access(hkasm: Hkasm) -> None:
    words = ("lds", "st_16x32", "--access", "ds_write_b64", "--tile", "rt_16x16", "--arch", "gfx950", "--json")
    (one,) = json.loads(hkasm(*words).stdout)["accesses"]
    assert (one["register_tile"], one["layout"], one["worst"], one["mark"]) == ("rt_16x16", "row", 4, "measured")
    assert one["conflicts"] == sum(map(sum, one["degree"])) - one["free_cycles"]
    assert len(one["addresses"][0]) == 64


def test_solving_for_several_accesses(hkasm: Hkasm) -> None:
    words = ["lds", "st_16x32:bf16", "--solve", "--arch", "gfx950"]
    for access in ("ds_read_b128", "ds_read_b64_tr_b16"):
        words += ["--access", access]
    assert "without conflicts\n" in hkasm(*words).stdout
    words += ["--access", "ds_write_b64"]
    assert hkasm(*words).stdout.startswith("gfx950: none of 3969 XOR swizzles serves 16x32 elements of 16 bits")
    (found,) = json.loads(hkasm(*words, "--json").stdout)
    assert (found["free"], found["searched"], [one["worst"] for one in found["accesses"]]) == (False, 3969, [1, 1, 2])


def test_picture_frames_conflicts(hkasm: Hkasm, tmp_path: Path) -> None:
    target = tmp_path / "lds.svg"
    hkasm("lds", "st_16x32:bf16", "--access", "ds_read_b128", "--svg", target)
    text = target.read_text()
    ElementTree.fromstring(text)
    framed = text.count('stroke="#c00000"')
    assert framed == 256, "every dword of the gfx942 access, none of the gfx950 one"
    assert "phase 7: 2-way" in text
    assert "phase 3: 1-way" in text

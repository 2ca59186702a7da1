"""`hkasm layout`: runs, one element, one register, JSON of every element, a picture, and one line for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from hkasm.isa.mfma import MFMA_TABLE
from hkasm.tiles.layout import mfma_operand

Hkasm = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("v_mfma_f32_16x16x32_bf1",), "no matrix instruction 'v_mfma_f32_16x16x32_bf1'; did you mean"),
        (("v_mfma_f32_16x16x32_bf16", "--arch", "gfx942"), "v_mfma_f32_16x16x32_bf16 does not exist on gfx942"),
        (
            ("v_mfma_f32_16x16x32_bf16", "--operand", "E"),
            "v_mfma_f32_16x16x32_bf16: no operand 'E'; operands: A, B, C, D",
        ),
        (("v_mfma_f32_16x16x32_bf16", "--operand", "scale-A"), "v_mfma_f32_16x16x32_bf16: no operand 'scale-A'"),
        (("v_mfma_f32_16x16x32_bf16", "--format", "fp4"), "v_mfma_f32_16x16x32_bf16: its formats are fixed"),
        (("rt_16x32", "--operand", "A"), "rt_16x32: operands and formats are for matrix instructions"),
        (("rt_16x128:fp8", "--layout", "col"), "rt_16x128 has no col layout"),
        (("rt_16x32:bf17",), "no tile of dtype 'bf17'; did you mean 'bf16'?"),
        (("rt_16by32",), "no register tile shape 'rt_16by32'"),
        (("st_16x32",), "no matrix instruction or register tile 'st_16x32'; did you mean 'rt_16x32'?"),
        (("rt_16x32", "--element", "3"), "--element wants ROW,COL, got '3'; two numbers: --element 3,17"),
        (("rt_16x32", "--layout", "row", "--element", "16,0"), "rt_16x32 has no element 16,0; it is 16x32"),
        (("rt_16x32", "--layout", "row", "--place", "0,4"), "rt_16x32 has no lane 0, register 4; lanes 0 to 63"),
        (("rt_16x32", "--element", "1,1", "--place", "0,0"), "--element and --place ask for opposite things"),
    ],
)
def test_bad_input_is_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm("layout", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"hkasm: {line}")
    assert result.stderr.count("\n") == 1


def test_runs_of_an_operand(hkasm: Hkasm) -> None:
    said = hkasm("layout", "v_mfma_f32_32x32x16_bf16", "--operand", "D").stdout.splitlines()
    assert said[0] == (
        "v_mfma_f32_32x32x16_bf16 D: 32x32 f32 (m x n), rt_32x32 col layout, 16 registers a lane"
    )  # fmt: skip
    assert said[1].strip() == "lane = col + 32 * (row % 8 // 4); slot = row // 8 * 4 + row % 4"
    assert said[2].split() == ["lanes", "m", "n", "registers"]
    assert said[3].split() == ["0-31", "0-3", "lane", "v[0:3]"]
    assert said[4].split() == ["32-63", "4-7", "lane", "-", "32", "v[0:3]"]
    assert len(said) == 3 + 8


def test_all_operands_formats_blocks_and_scales(hkasm: Hkasm) -> None:
    said = hkasm("layout", "v_mfma_scale_f32_16x16x128_f8f6f4", "--format", "fp6").stdout
    assert "A: 16x128 fp6 (m x k), rt_16x128_32 row layout, 6 registers a lane" in said
    assert "C and D: 16x16 f32" in said
    assert "scale-B: 4x16 e8m0 (k / 32 x n), rt_4x16 col layout, 1 register a lane" in said
    assert "lane = row + 16 * col; slot = 0" in said
    blocks = hkasm("layout", "v_mfma_f32_4x4x4_16b_f16", "--operand", "A").stdout
    assert "16 blocks: block b begins at row 4 * b" in blocks
    assert "columns count stored elements" in hkasm("layout", "v_smfmac_f32_16x16x32_f16", "--operand", "A").stdout


def test_one_element_and_back(hkasm: Hkasm) -> None:
    name = "v_mfma_f32_16x16x32_bf16"
    assert (
        "row 3, column 17: lane 35, v0 bits 16-31"
        in hkasm("layout", name, "--operand", "A", "--element", "3,17").stdout
    )
    assert (
        "lane 35, v0 from bit 16 (16 bits): row 3, column 17"
        in hkasm("layout", name, "--operand", "A", "--place", "35,0").stdout
    )
    six = ("layout", "v_mfma_f32_16x16x128_f8f6f4", "--operand", "A", "--format", "fp6")
    assert "row 0, column 5: lane 0, v0 bit 30 to v1 bit 3" in hkasm(*six, "--element", "0,5").stdout
    found = json.loads(hkasm(*six, "--element", "0,5", "--json").stdout)
    assert found == [{"title": f"{six[1]} A", "element": {"row": 0, "col": 5, "lane": 0, "register": 0, "bit": 30}}]
    held = json.loads(hkasm(*six, "--place", "16,5", "--json").stdout)[0]["place"]["elements"]
    assert held[0] == {"bit": 2, "row": 0, "col": 59}


@pytest.mark.parametrize("name", ["v_mfma_f32_16x16x32_bf16", "v_mfma_i32_32x32x4_2b_i8", "v_mfma_f64_16x16x4_f64"])
def test_json_has_every_element(hkasm: Hkasm, name: str) -> None:
    for view, operand in zip(json.loads(hkasm("layout", name, "--json").stdout), "ABD", strict=True):
        found = mfma_operand(name, operand)
        for row in range(found.shape.rows):
            for col in range(found.shape.cols):
                place = found.shape.place(found.layout, found.dtype, row, col)
                held = tuple(view[part][row][col] for part in ("register", "lane", "bit"))
                assert held == (place.register, place.lane, place.bit)


def test_every_instruction_has_a_page(hkasm: Hkasm) -> None:
    for name in MFMA_TABLE:
        result = hkasm("layout", name)
        assert result.exit_code == 0, name
        assert result.stdout.count("registers") >= 3


def test_both_layouts_of_a_tile_and_a_picture(hkasm: Hkasm, tmp_path: Path) -> None:
    target = tmp_path / "tile.svg"
    said = hkasm("layout", "rt_32x16_4:f16", "--svg", target).stdout
    assert "row layout" in said
    assert "col layout" in said
    tree = ElementTree.fromstring(target.read_text())
    cells = [one for one in tree if one.tag.endswith("rect")]
    assert len(cells) == 1 + 2 * 32 * 16
    texts = [one.text for one in tree if one.tag.endswith("text")]
    assert "1.16" in texts
    again = target.read_bytes()
    hkasm("layout", "rt_32x16_4:f16", "--svg", target)
    assert target.read_bytes() == again
    assert [path.name for path in tmp_path.iterdir()] == ["tile.svg"]

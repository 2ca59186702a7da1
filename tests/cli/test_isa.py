"""`hkasm isa`: one instruction in full, lists, searches, and the nearest name for a wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from hkasm.isa import SPECS, VARIANTS

Hkasm = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("isa",), "isa wants a MNEMONIC, --search WORDS or --list; see 'hkasm isa -h'"),
        (("isa", "v_mov_b32", "--list"), "isa wants a MNEMONIC, --search WORDS or --list; see 'hkasm isa -h'"),
        (("isa", "v_mow_b32"), "unknown instruction 'v_mow_b32'; did you mean 'v_mov_b32'?"),
        (("isa", "ds_write"), "unknown instruction 'ds_write'; hkasm isa --search ds_write"),
        (("isa", "zzzz"), "unknown instruction 'zzzz'; hkasm isa --search zzzz"),
        (
            ("isa", "v_mfma_f32_16x16x32_bf16", "--arch", "gfx942"),
            "v_mfma_f32_16x16x32_bf16 does not exist on gfx942; it is on gfx950",
        ),
        (("isa", "--list", "--arch", "gfx90"), "unknown arch 'gfx90'; known: gfx942, gfx950"),
        (("isa", "--search", "flux capacitor"), "no instruction has 'flux capacitor'"),
        (("isa", "--search", "flux", "--arch", "gfx942"), "no instruction has 'flux' on gfx942"),
    ],
)
def test_bad_input_is_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm(*words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")


def test_one_instruction_in_full(hkasm: Hkasm) -> None:
    said = hkasm("isa", "v_mfma_f32_16x16x32_bf16").stdout.splitlines()
    assert said[0] == SPECS["v_mfma_f32_16x16x32_bf16"].form
    assert said[2].split() == ["on", "gfx950"]
    assert "  matrix  16x16x32, bf16 by bf16 into f32; passes of 4 cycles: 4 on gfx950" in said
    operands = [line.split()[0] for line in said if line.startswith(("  vdst", "  src"))]
    assert operands == ["vdst", "src0", "src1", "src2"]
    encoding = next(line for line in said if line.startswith("  MAI"))
    assert encoding.split()[:5] == ["MAI", "0x35", "on", "gfx950", "cbsz=0..7,"]


def test_every_variant_is_shown(hkasm: Hkasm) -> None:
    forms = json.loads(hkasm("isa", "buffer_load_dwordx4", "--json").stdout)
    assert [form["memory"]["direct_to_lds"] for form in forms] == [False, True]
    assert [form["archs"] for form in forms] == [["gfx942", "gfx950"], ["gfx950"]]
    assert len(json.loads(hkasm("isa", "buffer_load_dwordx4", "--arch", "gfx942", "--json").stdout)) == 1


def test_implicit_operands_are_told(hkasm: Hkasm) -> None:
    (form,) = json.loads(hkasm("isa", "s_add_u32", "--json").stdout)
    implicit = [op for op in form["operands"] if op["implicit"]]
    assert [(op["takes"], op["access"]) for op in implicit] == [("src_scc", "written")]


def test_modifiers_and_literals_are_told_form_by_form(hkasm: Hkasm) -> None:
    (load, _) = json.loads(hkasm("isa", "buffer_load_dword", "--json").stdout)
    assert load["encodings"][0]["modifiers"] == {
        "offset": [0, 4095],
        **{name: [0, 1] for name in ("offen", "idxen", "sc0", "sc1", "nt")},
    }
    said = hkasm("isa", "buffer_load_dword").stdout
    assert "MUBUF   0x14 on gfx942 and gfx950  offset=0..4095, offen, idxen, sc0, sc1, nt\n" in said
    (fma,) = json.loads(hkasm("isa", "v_fma_f32", "--json").stdout)
    assert [form["literal"] for form in fma["encodings"]] == [False]
    (add,) = json.loads(hkasm("isa", "v_add_f32", "--json").stdout)
    assert [(form["format"], form["literal"]) for form in add["encodings"]][:2] == [("VOP2", True), ("VOP3", False)]


def test_list_has_every_mnemonic_of_an_arch(hkasm: Hkasm) -> None:
    for arch in ("gfx942", "gfx950"):
        listed = json.loads(hkasm("isa", "--list", "--arch", arch, "--json").stdout)
        have = sorted({spec.mnemonic for spec in SPECS.values() if arch in spec.archs})
        assert [line["mnemonic"] for line in listed] == have
    assert len(hkasm("isa", "--list").stdout.splitlines()) == len(VARIANTS) + 1


def test_search_wants_every_word(hkasm: Hkasm) -> None:
    found = [line["mnemonic"] for line in json.loads(hkasm("isa", "--search", "MFMA 16x16x32 bf16", "--json").stdout)]
    assert "v_mfma_f32_16x16x32_bf16" in found
    assert all("16x16x32" in name for name in found)


def test_every_instruction_can_be_shown(hkasm: Hkasm) -> None:
    said = hkasm("isa", *sorted(VARIANTS)).stdout
    assert [spec.form for spec in SPECS.values() if f"{spec.form}\n" not in said] == []

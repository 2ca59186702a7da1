"""The assembly file: the texts of shared parts, and an origin for every line."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest
from support.samples import forms, samples

from hkasm.asm.builder import Builder
from hkasm.asm.printer import Printer, instruction_text
from hkasm.asm.toolchain import Toolchain, build_hsaco
from hkasm.isa.registers import v


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_the_printer_writes_what_instruction_text_writes(arch: str) -> None:
    random = Random(3)
    printer = Printer()
    kept = [inst for form in forms(arch) for inst in samples(form, arch, 2, random)]
    assert [printer.text(inst) for inst in kept] == [instruction_text(inst) for inst in kept]


def test_lines_and_origins_go_together() -> None:
    k = Builder("gfx950", "lines")
    with k.mark("section", "start"):
        k.v_mov_b32(v[0], 1, comment="one")
    k.place("here")
    again = [k.v_mov_b32(v[1], 2), k.v_mov_b32(v[2], 2)]
    k.replay(again)
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    lines = text.split("\n")
    assert len(origins) == len(lines) - 1
    written = {line.strip(): origin for line, origin in zip(lines, origins, strict=False) if origin is not None}
    assert set(written) == {
        f"{'v_mov_b32_e32 v0, 1':<70}; one",
        "v_mov_b32_e32 v1, 2",
        "v_mov_b32_e32 v2, 2",
        "s_endpgm",
    }
    first = again[0].origin
    assert first is not None
    assert written["v_mov_b32_e32 v1, 2"] == first
    start = lines.index("here:")
    assert lines[start + 1 : start + 5] == [
        f"  .loc 1 {first.line} 0",
        "  v_mov_b32_e32 v1, 2",
        "  v_mov_b32_e32 v2, 2",
        "  v_mov_b32_e32 v1, 2",
    ]
    assert lines[start - 3 : start] == [
        "  ; section start",
        f"  .loc 1 {first.line - 2} 0",
        f"  {'v_mov_b32_e32 v0, 1':<70}; one",
    ]


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_debuggers_find_the_python_line_through_a_compile_unit(arch: str, tmp_path: Path, toolchain: Toolchain) -> None:
    k = Builder(arch, "lines")
    k.v_mov_b32(v[0], 1)
    k.s_endpgm()
    here = Path(__file__).name
    path = tmp_path / "lines.hsaco"
    path.write_bytes(build_hsaco(k.finish()))

    def tool(*words: str) -> str:
        return subprocess.run([*words, str(path)], capture_output=True, text=True, check=True).stdout

    listing = tool("llvm-objdump-22", "-d", "-l").splitlines()
    at = next(number for number, line in enumerate(listing) if "v_mov_b32" in line)
    assert here in listing[at - 1]
    assert "No errors." in tool("llvm-dwarfdump-22", "--verify")
    unit = tool("llvm-dwarfdump-22", "--debug-info")
    assert all(word in unit for word in ('("hkasm")', '("lines")', "DW_AT_stmt_list", "DW_AT_high_pc"))

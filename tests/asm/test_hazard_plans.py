"""The quick hazard scan against a walk of every path that asks the rules about each instruction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.gemm_runs import built_gemm

from hkasm.asm.codeobject import CodeObject
from hkasm.asm.hazards import _Scan, find_hazards, fix_hazards
from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.isa.arch import Arch

DATA = Path(__file__).parents[1] / "data"
OBJECTS = sorted(path.relative_to(DATA).as_posix() for path in DATA.glob("*/*.hsaco"))
Items = Sequence[Instruction | Label]


def outcome(items: Items, arch: Arch, level: str) -> tuple[list[object], list[tuple[str, str]]]:
    """Every hazard, and the mended program with the reasons of its nops."""
    found = find_hazards(items, arch, level)
    fixed = fix_hazards(items, arch, level)
    return (
        [(hazard.rule.name, hazard.producer, hazard.consumer, hazard.needed, hazard.found) for hazard in found],
        [(str(item), getattr(item, "comment", "")) for item in fixed],
    )


def without_nops(items: Items) -> list[Instruction | Label]:
    return [item for item in items if not (isinstance(item, Instruction) and item.mnemonic == "s_nop")]


def check(items: Items, arch: Arch, level: str, monkeypatch: pytest.MonkeyPatch) -> int:
    quick = outcome(items, arch, level)
    with monkeypatch.context() as patch:
        patch.setattr(_Scan, "_worst_by_states", _Scan._worst_by_slots)
        patch.setattr(_Scan, "candidates", lambda scan: range(len(scan.instructions)))
        assert outcome(items, arch, level) == quick
    return len(quick[0])


@pytest.mark.parametrize(("arch", "level"), [("gfx942", "all"), ("gfx950", "all"), ("gfx950", "llvm")])
def test_gemm_without_its_nops(arch: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = built_gemm(arch).program
    items = [item if isinstance(item, Label) else item.again(item.tag) for item in without_nops(program.body)]
    assert check(items, program.arch, level, monkeypatch) == sum(
        inst.mnemonic == "s_nop" for inst in program.instructions
    )


@pytest.mark.parametrize("name", OBJECTS)
def test_compiled_code_without_its_nops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Branches of decoded code go by offset; those over a nop that was taken out are not followed, in either scan."""
    code = CodeObject.from_path(DATA / name)
    for kernel in code.kernels.values():
        program = Program.decode(code.arch, kernel.code, name=kernel.name)
        if len(program.instructions) < 600:
            check(without_nops(program.body), program.arch, "all", monkeypatch)

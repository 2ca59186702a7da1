"""Wait states between two instructions: LLVM's answers for 200,000 pairs, and the rows LLVM does not know."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.instruction import Instruction, Origin
from hkasm.isa.constants import Const
from hkasm.isa.hazards import (
    HAZARD_RULES,
    LOOK_BACK,
    SEARCHES,
    HazardRule,
    hazard_facts,
    produced_by,
    queries,
    required_wait_states,
)
from hkasm.isa.mfma import MFMA_TABLE
from hkasm.isa.registers import VCC, VCCZ, v
from hkasm.isa.spec import get_spec

DATA = Path(__file__).parents[1] / "data"
ARCHS = ("gfx942", "gfx950")


@cache
def fixture(arch: str) -> dict[str, np.ndarray]:
    """What llc-22 answers (tools/hazard_oracle.py): machine code, pairs with states, sequences with states."""
    with np.load(DATA / "hazards_llvm.npz") as archive:
        return {key.split("/")[1]: archive[key] for key in archive if key.startswith(arch)}


@cache
def instructions(arch: str) -> list[Instruction]:
    codes = fixture(arch)["code"]
    return [decode_instruction(arch, bytes.fromhex(str(code)), 0, Origin("", 0, "pair", 0)) for code in codes]


@cache
def answers(arch: str) -> list[tuple[int, str]]:
    """The table's states, and the rule that gave them, for every pair of the fixture at LLVM's level."""
    facts = [hazard_facts(arch, inst) for inst in instructions(arch)]
    produced = [produced_by(fact) for fact in facts]
    wanted = [queries(arch, fact, "llvm") for fact in facts]
    found = []
    for before, after, _ in fixture(arch)["pairs"]:
        best: tuple[int, HazardRule | None] = (0, None)
        for query in wanted[after]:
            if produced[before].get(query.search, 0) & query.mask:
                best = max(
                    best, query.rule(arch, facts[before], facts[after], "llvm") or best, key=lambda pair: pair[0]
                )
        found.append((best[0], best[1].name if best[1] else ""))
    return found


@pytest.mark.parametrize("arch", ARCHS)
def test_pairs_equal_llvm(arch: str) -> None:
    ours = answers(arch)
    pairs = fixture(arch)["pairs"]
    assert len(pairs) > 60_000
    code = instructions(arch)
    wrong = [
        f"{code[before]}; {code[after]}: LLVM {states}, table {mine[0]} ({mine[1]})"
        for (before, after, states), mine in zip(pairs, ours, strict=True)
        if states != mine[0]
    ]
    assert not wrong, "\n".join(wrong[:20])


def test_every_row_of_llvm_is_used_by_some_pair() -> None:
    """A row that no pair needs would be a row that nothing checks."""
    used = {name for arch in ARCHS for _, name in answers(arch)}
    rows = {
        rule.name
        for rule in HAZARD_RULES
        if rule.level != "beyond" and any(rule.states(arch, passes) for arch in ARCHS for passes in (2, 4, 8, 16))
    }
    assert rows - used == set()


def test_table_is_well_formed() -> None:
    names = [rule.name for rule in HAZARD_RULES]
    assert len(set(names)) == len(names)
    searches = {search.name for search in SEARCHES}
    assert {rule.search for rule in HAZARD_RULES} == searches
    assert {rule.level for rule in HAZARD_RULES} == {"llvm", "cycles", "beyond"}
    assert all(rule.source for rule in HAZARD_RULES)
    assert LOOK_BACK == 20


@pytest.mark.parametrize(
    ("mnemonic", "gfx942", "gfx950"),
    [
        ("v_mfma_f32_4x4x4_16b_f16", 5, 5),
        ("v_mfma_f32_16x16x16_bf16", 7, 8),
        ("v_mfma_f32_32x32x8_f16", 11, 12),
        ("v_mfma_f32_32x32x4_2b_f16", 19, 20),
        ("v_mfma_f32_4x4x1_16b_f32", 4, 4),
        ("v_mfma_f32_32x32x2_f32", 18, 18),
        ("v_mfma_f64_16x16x4_f64", 11, 19),
        ("v_mfma_f64_4x4x4_4b_f64", 6, 6),
    ],
)
def test_states_until_a_result_may_be_read(mnemonic: str, gfx942: int, gfx950: int) -> None:
    """The ISA documents' tables of passes: XDL passes + 3 (+ 1 on gfx950), SGEMM passes + 2, DGEMM its own."""
    for arch, states in (("gfx942", gfx942), ("gfx950", gfx950)):
        found = required_wait_states(arch, matrix(mnemonic, arch), move(arch, v[100], v[0]))
        assert found is not None
        assert found[0] == states


def matrix(mnemonic: str, arch: str, c: int = 0) -> Instruction:
    """D = v[0..], A and B behind it, C at `c`."""
    row = MFMA_TABLE[mnemonic]
    d, a, b = (row.registers(operand) for operand in "DAB")
    spec = get_spec(mnemonic, arch)
    source = v[40 : 40 + a] if a > 1 else v[40]
    other = v[60 : 60 + b] if b > 1 else v[60]
    return Instruction(spec, spec.encodings[0], (v[0:d], source, other, v[c : c + d]))


def move(arch: str, target: object, source: object) -> Instruction:
    spec = get_spec("v_mov_b32", arch)
    return Instruction(spec, spec.encodings[0], (target, source))  # type: ignore[arg-type]


def test_the_widest_format_decides_f8f6f4() -> None:
    spec = get_spec("v_mfma_f32_16x16x128_f8f6f4", "gfx950")
    after = move("gfx950", v[100], v[0])
    for cbsz, blgp, states in ((0, 0, 12), (4, 1, 12), (4, 4, 8), (2, 3, 8)):
        before = Instruction(
            spec, spec.encodings[0], (v[0:4], v[40:48], v[60:68], v[0:4]), {"cbsz": cbsz, "blgp": blgp}
        )
        found = required_wait_states("gfx950", before, after)
        assert found is not None
        assert found[0] == states


def test_other_mfma_on_the_same_accumulator() -> None:
    """Beyond LLVM 22 (pull request 218363): a chain is forwarded only between equal opcodes."""
    first, second = matrix("v_mfma_f32_16x16x32_f16", "gfx950"), matrix("v_mfma_f32_16x16x16_f16", "gfx950")
    assert required_wait_states("gfx950", first, first) is None
    assert required_wait_states("gfx950", first, second, "llvm") is None
    found = required_wait_states("gfx950", first, second)
    assert found is not None
    assert (found[0], found[1].name) == (6, "other-mfma-chain-xdl")


def test_vccz_after_a_compare() -> None:
    """Beyond LLVM: the ISA asks for 5 states before VCCZ or EXECZ is read as a VALU source."""
    spec = get_spec("v_cmp_gt_u32", "gfx942")
    compare = Instruction(spec, spec.encodings[0], (VCC, v[0], v[1]))
    found = required_wait_states("gfx942", compare, move("gfx942", v[9], VCCZ))
    assert found is not None
    assert (found[0], found[1].name) == (5, "valu-vcc-to-vccz")
    assert required_wait_states("gfx942", compare, move("gfx942", v[9], VCCZ), "llvm") is None


def test_vskip() -> None:
    spec = get_spec("s_setreg_imm32_b32", "gfx942")
    for first, hit in ((28, True), (0, False)):
        operands = {"simm16": 1 | first << 6, "imm32": 0}
        setreg = Instruction(spec, spec.encodings[0], tuple(operands[operand.name] for operand in spec.explicit))
        found = required_wait_states("gfx942", setreg, move("gfx942", v[0], v[1]))
        assert (found is not None) == hit


def test_independent_instructions_need_nothing() -> None:
    assert (
        required_wait_states("gfx950", matrix("v_mfma_f32_32x32x8_f16", "gfx950"), move("gfx950", v[100], v[101]))
        is None
    )
    one = Const.of(1, "i32")
    assert required_wait_states("gfx950", move("gfx950", v[0], one), move("gfx950", v[1], v[0])) is None

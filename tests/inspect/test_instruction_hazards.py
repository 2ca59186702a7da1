"""The hazard rules of an instruction, against the table's own answers for pairs of instructions."""

from __future__ import annotations

import json
from functools import cache
from random import Random

import pytest
from click.testing import CliRunner
from support.samples import forms, samples

from hkasm.asm.instruction_parser import instruction_from_text
from hkasm.cli import main
from hkasm.inspect.instruction_hazards import hazard_roles
from hkasm.isa import ARCHES, SPECS
from hkasm.isa.hazards import HAZARD_RULES, required_wait_states


@cache
def roles(key: str) -> dict[tuple[str, str], dict[str, dict[int, int]]]:
    return {(role.role, role.rule.name): role.states for role in hazard_roles(SPECS[key])}


PAIRS = [
    ("v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", "v_add_u32 v20, v0, v21"),
    ("v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], v[0:15]", "global_store_dword v[40:41], v0, off"),
    ("v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]", "v_fma_f64 v[20:21], v[22:23], v[24:25], v[26:27]"),
    ("v_mfma_f64_4x4x4_4b_f64 v[0:1], v[8:9], v[10:11], v[0:1]", "buffer_store_dword v0, off, s[0:3], 0"),
    ("v_add_u32 v8, v1, v2", "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]"),
    ("v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v0, v1, v2, v3"),
    ("v_readlane_b32 s4, v0, 3", "buffer_load_dword v0, off, s[4:7], 0"),
    ("v_exp_f32 v0, v1", "v_add_f32 v2, v0, v0"),
    ("v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD", "v_add_f32 v2, v0, v0"),
    ("v_cmpx_eq_u32 exec, v0, v1", "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf"),
    ("s_mov_b32 m0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)"),
    ("s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0", "s_getreg_b32 s0, hwreg(HW_REG_MODE)"),
    ("s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0", "s_rfe_b64 s[0:1]"),
    ("global_store_dwordx4 v[0:1], v[4:7], off", "v_mov_b32 v4, 0"),
]


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_both_instructions_tell_of_the_rule_between_them(first: str, second: str, arch: str) -> None:
    before, after = instruction_from_text(first, arch), instruction_from_text(second, arch)
    found = required_wait_states(arch, before, after)
    assert found is not None
    states, rule = found
    assert states in roles(before.spec.key)["producer", rule.name][arch].values()
    assert states in roles(after.spec.key)["consumer", rule.name][arch].values()


@pytest.mark.parametrize("arch", ARCHES)
def test_random_pairs_are_told_by_both(arch: str) -> None:
    random = Random(9)
    chosen = [inst for form in random.sample(forms(arch), 160) for inst in samples(form, arch, 1, random)]
    hits = 0
    for before in chosen:
        for after in random.sample(chosen, 40):
            found = required_wait_states(arch, before, after)
            if found is not None:
                hits += 1
                assert found[0] in roles(before.spec.key)["producer", found[1].name][arch].values()
                assert ("consumer", found[1].name) in roles(after.spec.key)
    assert hits > 20


def test_every_rule_has_an_instruction_on_either_side() -> None:
    sides = {key for spec in SPECS.values() for key in roles(spec.key)}
    wanted = {rule.name for rule in HAZARD_RULES if any(rule.states(arch, n) for arch in ARCHES for n in (2, 4, 8, 16))}
    assert {name for role, name in sides if role == "producer"} == wanted
    by_operand = {"valu-vcc-to-vccz", "valu-exec-to-execz"}  # any source that names vccz or execz
    assert {name for role, name in sides if role == "consumer"} == wanted - by_operand


def test_isa_prints_them_at_80_columns() -> None:
    run = CliRunner().invoke(main, ["isa", "v_add_u32"])
    assert run.exit_code == 0
    lines = run.output.split("  hazards, as the earlier")[1].splitlines()
    assert max(map(len, lines)) <= 80
    assert "    valu-result-to-mfma         2       2       cycles  mfma" in lines
    assert "    shifted-result-used         1       1       cycles  valu (SDWA part)" in lines
    assert "    xdl-result-read              5/7/11/19  5/8/12/20  cycles  xdl" in lines
    assert "    valu-sgpr-to-valu            2          2          llvm    valu (not DPP)" in lines
    assert "    with slashes: after a matrix product of 2/4/8/16 passes" in lines
    assert "    source: LLVM 22 hazard recogniser" in lines


def test_isa_gives_them_as_data() -> None:
    run = CliRunner().invoke(main, ["isa", "v_mfma_f64_16x16x4_f64", "--json"])
    (form,) = json.loads(run.output)
    rule = next(one for one in form["hazards"] if one["rule"] == "dgemm16-result-read" and one["role"] == "producer")
    assert rule == {
        "rule": "dgemm16-result-read", "role": "producer", "other": "valu or memory",
        "wait_states": {"gfx942": 11, "gfx950": 19}, "level": "cycles",
        "source": "LLVM 22 hazard recogniser", "formats": [], "only_with_selected_part": False,
    }  # fmt: skip

"""Every form of every instruction against LLVM 22: text, bytes and back.

The fixtures under tests/data/llvm hold LLVM's answers (tools/llvm_opcodes.py and tools/llvm_coverage.py write them);
the marked tests ask LLVM itself, with other samples.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.llvm import assemble, disassemble
from support.opcode_operands import differences
from support.samples import Form, forms, samples

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.encoder import encode_instruction
from hkasm.isa import ARCHES, SPECS

DATA = Path(__file__).parent.parent / "data" / "llvm"
UNSTABLE = frozenset({"ds_swizzle_b32"})
"""LLVM writes some of its offsets as a pattern that assembles to another offset of the same effect."""


@cache
def stored(name: str, part: str = "data") -> Any:
    return json.loads(gzip.decompress((DATA / name).read_bytes()))[part]


@pytest.mark.parametrize("arch", ARCHES)
def test_stored_forms_decode_and_encode_as_llvm_does(arch: str) -> None:
    pairs = stored(f"{arch}_forms.json.gz")
    assert len(pairs) > 4000
    for text, code in pairs:
        data = bytes.fromhex(code)
        inst = decode_instruction(arch, data)
        assert (str(inst), inst.size) == (text, len(data))
        assert encode_instruction(inst, arch) == data, text


@pytest.mark.parametrize("arch", ARCHES)
def test_stored_forms_cover_every_form(arch: str) -> None:
    found = {(inst.spec.key, inst.encoding.format) for inst in _stored_instructions(arch)}
    wanted = {(spec.key, enc.format) for spec, enc in forms(arch) if spec.mnemonic not in UNSTABLE}
    assert wanted - found == set()


def _stored_instructions(arch: str) -> list[Any]:
    return [decode_instruction(arch, bytes.fromhex(code)) for _, code in stored(f"{arch}_forms.json.gz")]


@pytest.mark.parametrize("arch", ARCHES)
def test_every_llvm_opcode_is_declared_and_printed_alike(arch: str) -> None:
    rows = stored(f"{arch}_opcodes.json.gz")
    assert len(rows) > 3000
    masks = ("v_cndmask_b32_e64", "v_addc_co_u32_e64", "v_subb_co_u32_e64", "v_subbrev_co_u32_e64")
    refused = []
    for row in rows:
        text = row["text"]
        if "/*" in text or text.startswith(masks):
            refused.append(row["op"])  # LLVM marks an operand as invalid, or takes a VGPR for a lane mask
            continue
        assert str(decode_instruction(arch, bytes.fromhex(row["bytes"]))) == text
    assert len(refused) < 40


@pytest.mark.parametrize("arch", ARCHES)
def test_operands_are_of_llvms_register_classes(arch: str) -> None:
    rows, classes = stored(f"{arch}_opcodes.json.gz"), stored(f"{arch}_opcodes.json.gz", "classes")
    compared, found = differences(rows, classes, arch)
    assert compared > 9000
    assert not found


@pytest.mark.parametrize("arch", ARCHES)
def test_every_mnemonic_of_llvm_is_declared_and_no_other(arch: str) -> None:
    """LLVM's disassembler lists what it can decode; forms that text alone can name are its assembler's."""
    theirs = {re.sub(r"_(e32|e64|dpp|sdwa)$", "", row["text"].split()[0]) for row in stored(f"{arch}_opcodes.json.gz")}
    ours = {spec.mnemonic for spec in SPECS.values() if arch in spec.archs}
    assert theirs - ours == set()
    assert ours - theirs == set()


# LLVM's scratch forms name flat_scratch, DS M0; the machine has no such dependence on these archs. It lets matrix
# instructions read EXEC, which they do not. The forks' own EXEC it does not know.
_ALU = frozenset(
    [
        "SOP1", "SOP2", "SOPC", "SOPCI", "SOPK", "SOPKL", "SOPP", "VOP1", "VOP1S", "VOP2", "VOP2K", "VOPC", "VOP3",
        "VOP3B", "VOP3S", "VOP3T", "VOP3L", "VOP3P", "VOP1_DPP", "VOP2_DPP", "VOP1_SDWA", "VOP1_SDWA8", "VOP2_SDWA",
    ]
)  # fmt: skip
_OTHERWISE = frozenset({"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join", "s_setvskip", "s_set_gpr_idx_mode"})


@pytest.mark.parametrize("arch", ARCHES)
def test_implicit_registers_are_llvms(arch: str) -> None:
    names = {106: "VCC", 124: "M0", 126: "EXEC", 253: "SCC"}
    differing: dict[str, Any] = defaultdict(list)
    for row in stored(f"{arch}_opcodes.json.gz"):
        if "/*" in row["text"]:
            continue
        try:
            inst = decode_instruction(arch, bytes.fromhex(row["bytes"]))
        except Exception:
            continue
        if inst.encoding.format not in _ALU or inst.spec.mnemonic in _OTHERWISE:
            continue
        explicit = {value for value in inst.operands if row["text"].count(str(value)) and str(value) != "vcc"}
        for found, kind in ((inst.reads(), "impuse"), (inst.writes(), "impdef")):
            ours = {names[reg.index] for reg in found if reg.file == "s" and reg.index in names and reg not in explicit}
            theirs = set(row[kind]) & set(names.values())
            if ours != theirs:
                differing[inst.spec.mnemonic].append((kind, ours, theirs))
    assert not differing


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHES)
def test_random_forms_go_through_llvm_and_back(arch: str) -> None:
    random = Random(20)
    instructions = [inst for form in forms(arch) for inst in samples(form, arch, 6, random)]
    instructions = [inst for inst in instructions if inst.mnemonic not in UNSTABLE]
    assert len(instructions) > 11_000
    texts = [str(inst) for inst in instructions]
    codes = [encode_instruction(inst, arch) for inst in instructions]
    wrong = [pair for pair in zip(texts, codes, assemble(texts, arch), strict=True) if pair[1] != pair[2]]
    assert not wrong
    wrong_text = [pair for pair in zip(texts, disassemble(codes, arch), strict=True) if pair[0] != pair[1]]
    assert not wrong_text


def test_every_form_can_be_built() -> None:
    for arch in ARCHES:
        random = Random(3)
        lost: list[Form] = [form for form in forms(arch) if not list(samples(form, arch, 1, random))]
        assert not lost


def test_declarations_name_their_formula_and_every_arch_has_its_own() -> None:
    assert all(spec.doc for spec in SPECS.values())
    assert sum("gfx950" in spec.archs for spec in SPECS.values()) > sum(
        "gfx942" in spec.archs for spec in SPECS.values()
    )

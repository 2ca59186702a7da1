"""Forms: what an emitter keeps of earlier calls never makes a later one differ from one that is checked anew."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import numpy as np
import pytest
from support.samples import forms, samples

from hkasm.asm.builder import Builder
from hkasm.asm.emitter import build_instruction, make_emit
from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction import Instruction
from hkasm.errors import HkasmError, OperandError
from hkasm.isa.arch import get_arch
from hkasm.isa.formats import FORMATS
from hkasm.isa.registers import Register, s, v
from hkasm.isa.spec import SPECS


def moved(inst: Instruction, random: Random) -> tuple[object, ...]:
    """The operands with other vector registers, low ones, so that some overlap."""

    def move(value: object) -> object:
        if not isinstance(value, Register) or value.file == "s":
            return value
        return Register(value.file, random.randrange(0, 24) * 2 + value.index % 2, value.count)

    return tuple(move(value) for value in inst.operands)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_known_forms_give_what_new_checks_give(arch: str) -> None:
    random = Random(9)
    refused = 0
    for form in forms(arch):
        spec, suffix = form[0], FORMATS[form[1].format].suffix
        force = "e64" if suffix == "_e64" else None
        emit = make_emit(Builder(arch), [spec])
        for inst in samples(form, arch, 1, random):
            for operands in (inst.operands, moved(inst, random), moved(inst, random), inst.operands):
                try:
                    wanted = build_instruction(spec, get_arch(arch), operands, dict(inst.mods), force)  # type: ignore[arg-type]
                except HkasmError as error:
                    refused += 1
                    with pytest.raises(type(error)) as caught:
                        emit(*operands, e64=force is not None, **inst.mods)
                    assert caught.value.message == error.message
                    continue
                got = emit(*operands, e64=force is not None, **inst.mods)
                assert (got.spec, got.encoding, got.operands, got.mods) == (
                    wanted.spec,
                    wanted.encoding,
                    wanted.operands,
                    wanted.mods,
                ), str(wanted)
    assert refused > 5


def test_constants_of_other_types_are_other_kinds() -> None:
    k = Builder("gfx950")
    texts = [str(k.v_add_f32(v[0], value, v[1])) for value in (1, 1.0, True, 1)]
    assert texts == [
        "v_add_f32_e32 v0, 1, v1",
        "v_add_f32_e32 v0, 1.0, v1",
        "v_add_f32_e32 v0, 1, v1",
        "v_add_f32_e32 v0, 1, v1",
    ]


def test_a_form_of_wide_and_odd_registers_is_another() -> None:
    k = Builder("gfx950")
    k.v_pk_add_f32(v[0:2], v[2:4], v[4:6])
    k.v_pk_add_f32(v[10:12], v[2:4], v[4:6])
    with pytest.raises(OperandError, match="aligned tuple"):
        k.v_pk_add_f32(v[11:13], v[2:4], v[4:6])
    with pytest.raises(OperandError, match=r"got v4 \(1 register"):
        k.v_pk_add_f32(v[10:12], v[2:4], v[4])


def test_what_is_no_operand_is_refused_by_the_checks() -> None:
    k = Builder("gfx950")
    with pytest.raises(OperandError, match="got a list"):
        k.v_mov_b32(v[0], [1])  # type: ignore[arg-type]


def test_each_call_keeps_its_own_comment_tokens_and_line() -> None:
    k = Builder("gfx950")
    first = k.v_mov_b32(v[0], v[1], comment="one", tokens=("a",))
    second = k.v_mov_b32(v[2], v[3])
    assert (first.comment, first.tokens, second.comment, second.tokens) == ("one", ("a",), "", ())
    assert first.origin is not None
    assert second.origin is not None
    assert second.origin.line == first.origin.line + 1


def test_builders_do_not_share_modifiers() -> None:
    first, second = (Builder("gfx950").ds_read_b32(v[0], v[1], offset=8) for _ in range(2))
    first.mods["offset"] = 16
    third = Builder("gfx950").ds_read_b32(v[0], v[1], offset=8)
    assert [str(inst) for inst in (second, third)] == ["ds_read_b32 v0, v1 offset:8"] * 2


def test_labels_of_a_form_are_the_callers() -> None:
    k = Builder("gfx950")
    labels = [k.label("one"), k.label("two"), "three"]
    assert [str(k.s_branch(label)) for label in labels] == ["s_branch one", "s_branch two", "s_branch three"]


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0), tuple(map(np.float32, (0.0, -0.0)))], ids=str)
def test_a_form_of_zero_is_not_that_of_negative_zero(zeros: tuple[float, ...]) -> None:
    """They compare equal, and stand for 0 and 0x80000000."""
    k = Builder("gfx950")
    want = {"0.0": "v_add_f32_e32 v0, 0, v1", "-0.0": "v_add_f32_e32 v0, 0x80000000, v1"}
    assert [str(k.v_add_f32(v[0], zero, v[1])) for zero in zeros] == [want[str(float(zero))] for zero in zeros]


def test_new_offsets_and_literals_give_what_the_checks_give() -> None:
    """Only their ranges are looked at when all else was seen: the result is that of the full checks."""
    k = Builder("gfx950")
    random = Random(4)
    edges = [0, 1, 64, 65, 4095, 4096, 65535, 65536, -1, -16, -17, -4096, -4097, 0x3F800000, 0x3E22F983, 1 << 31]
    numbers = [*edges, *(random.randrange(-70000, 70000) for _ in range(200))]
    numbers += [random.randrange(1 << 33) for _ in range(100)]
    random.shuffle(numbers)
    rows: list[tuple[str, tuple[Any, ...], str]] = [
        ("ds_read_b32", (v[0], v[1]), "offset"),
        ("buffer_load_dword", (v[0], v[1], s[0:4], 0), "offset"),
        ("global_load_dword", (v[0], v[2:4], None), "offset"),
        ("scratch_load_dword", (v[0], None, s[2]), "offset"),
        ("s_load_dword", (s[8], s[0:2], 0), "offset"),
        ("v_add_u32", (v[0], "number", v[1]), ""),
        ("v_add_f32", (v[0], "number", v[1]), ""),
        ("v_add_u16", (v[0], "number", v[1]), ""),
        ("v_lshl_add_u64", (v[0:2], v[2:4], "number", v[4:6]), ""),
        ("s_add_u32", (s[8], "number", s[9]), ""),
        ("s_mov_b64", (s[8:10], "number"), ""),
        ("s_movk_i32", (s[8], "number"), ""),
        ("v_fmamk_f32", (v[0], v[1], "number", v[2]), ""),
        ("s_setreg_imm32_b32", (0x1801, "number"), ""),
    ]
    for name, values, modifier in rows:
        for number in numbers:
            operands = tuple(number if value == "number" else value for value in values)
            mods = {modifier: number} if modifier else {}
            try:
                wanted = str(build_instruction(SPECS[name], k.arch, operands, dict(mods)))
            except HkasmError as error:
                with pytest.raises(HkasmError, match=re.escape(error.message)):
                    getattr(k, name)(*operands, **mods)
            else:
                written = getattr(k, name)(*operands, **mods)
                assert str(written) == wanted
                assert encode_instruction(written, "gfx950")

"""Word 3 of buffer resources: nonsense is told where the code alone shows it, anything else is left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hkasm.analysis.check import check_program
from hkasm.analysis.flow import flow_of
from hkasm.analysis.resources import check_resources
from hkasm.asm.builder import Builder, build
from hkasm.asm.directives import kernel_descriptor
from hkasm.asm.program import Program
from hkasm.isa.registers import s, v


def _program(write: Callable[[Builder], object], mnemonic: str = "buffer_load_dword") -> Program:
    def work(k: Builder) -> None:
        k.s_mov_b32(s[12], 0)
        k.s_mov_b32(s[13], 0)
        k.s_mov_b32(s[14], 64)
        write(k)
        typed = {"format": 4 + 16 * 4} if mnemonic.startswith("tbuffer") else {}
        getattr(k, mnemonic)(v[2], v[0], s[12:16], 0, offen=1, **typed)
        k.wait_counts(vmcnt=0)
        k.s_endpgm()

    program = build(work, arch="gfx950", name="work")
    program.layout()
    return program


def _found(program: Program) -> list[str]:
    return [f"{one.instruction}: {one.message}" for one in check_resources(program, flow_of(program))]


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (0, "is 0x0: data format 0 in bits 18:15 is invalid"),
        (0x7000, "is 0x7000: data format 0 in bits 18:15 is invalid"),
        (0x80020000, "is 0x80020000: type 2 in bits 31:30 is no buffer's"),
        (-1, "is 0xffffffff: type 3 in bits 31:30 is no buffer's"),
    ],
)
def test_nonsense_is_told_at_the_access(value: int, what: str) -> None:
    program = _program(lambda k: k.s_mov_b32(s[15], value))
    assert _found(program) == [
        f"buffer_load_dword v2, v0, s[12:15], 0 offen: word 3 of its resource, s15, {what}"
    ]  # fmt: skip
    assert [one.rule for one in check_program(program, kernel_descriptor(program))] == ["buffer-resource"]


@pytest.mark.parametrize("value", [0x20000, 0x27000, 0x110000, 0x00800000])
def test_words_of_shipped_kernels_are_silent(value: int) -> None:
    """hkasm's and CK's, Triton's, HipKittens', and a swizzled one whose format bits are bits of the stride."""
    assert _found(_program(lambda k: k.s_mov_b32(s[15], value))) == []


def test_other_moves_of_constants_are_read() -> None:
    assert _found(_program(lambda k: k.s_movk_i32(s[15], 0x7000))) != []
    assert _found(_program(lambda k: k.s_mov_b64(s[14:16], 64))) != []


def test_what_the_code_alone_does_not_tell_is_silent() -> None:
    def loaded(k: Builder) -> None:
        k.s_mov_b32(s[15], 0)
        k.s_load_dword(s[15], s[0:2], 0)
        k.wait_counts(lgkmcnt=0)

    def either(k: Builder) -> None:
        over = k.label("over")
        k.s_mov_b32(s[15], 0x20000)
        k.s_cbranch_scc1(over)
        k.s_mov_b32(s[15], 0x7000)
        k.place(over)

    def both(k: Builder) -> None:
        over = k.label("over")
        k.s_mov_b32(s[15], 0)
        k.s_cbranch_scc1(over)
        k.s_nop(0)
        k.place(over)

    assert _found(_program(loaded)) == []
    assert _found(_program(either)) == []
    assert len(_found(_program(both))) == 1


def test_typed_instructions_bring_their_own_format() -> None:
    assert _found(_program(lambda k: k.s_mov_b32(s[15], 0), "tbuffer_load_format_x")) == []

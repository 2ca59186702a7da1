"""Lines of LLVM's own assembler tests: what LLVM assembles gives the same bytes here, what it refuses is refused."""

from __future__ import annotations

from functools import cache

import pytest
from support.llvm import assemble
from support.mc_lines import Row, is_refused_on_purpose, read_rows

from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction_parser import instruction_from_text
from hkasm.errors import HkasmError
from hkasm.isa import ARCHES


@cache
def rows() -> list[Row]:
    return read_rows()


def answer(line: str, arch: str) -> tuple[str | None, str]:
    """Bytes, or the reason for refusing."""
    try:
        return encode_instruction(instruction_from_text(line, arch), arch).hex(), ""
    except HkasmError as error:
        return None, str(error)


@pytest.mark.parametrize("arch", ARCHES)
def test_the_same_bytes_or_a_reason(arch: str) -> None:
    differing, reasons = [], []
    for name, line, answers in rows():
        found, reason = answer(line, arch)
        if found != (None if is_refused_on_purpose(line) else answers[arch]):
            differing.append((name, line, found or reason, answers[arch]))
        if reason:
            reasons.append(reason)
    assert not differing
    assert all(len(reason) > 10 and "Traceback" not in reason for reason in reasons)


def test_the_files_that_refuse_and_those_that_assemble_are_there() -> None:
    found = {name: sum(any(answers.values()) for file, _, answers in rows() if file == name) for name, _, _ in rows()}
    refusing = {name for name, count in found.items() if not count}
    assert {"gfx942_err.s", "gfx950_err.s", "mai-err-gfx942.s", "mai-gfx950-err.s", "ds-err.s"} <= refusing
    assert {"gfx942_asm_features.s", "gfx950_asm_features.s", "mai-gfx950.s"} <= set(found) - refusing
    assert len(rows()) > 1500


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHES)
def test_the_stored_answers_are_llvms(arch: str) -> None:
    found = assemble([line for _, line, _ in rows()], arch)
    assert [code.hex() if isinstance(code, bytes) else None for code in found] == [
        answers[arch] for _, _, answers in rows()
    ]

"""Lines of LLVM's own assembler tests: what LLVM assembles gives the same bytes here, what it refuses is refused."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from support.llvm import assemble
from support.mc_lines import Row, answer, read_rows, refused_on_purpose

from hkasm.isa import ARCHES

EVERY = 25
"""The quick tests take one line of so many, and all lines of small files."""
SMALL = 120


@cache
def rows() -> list[Row]:
    return read_rows()


@cache
def sample() -> list[Row]:
    sizes = Counter(name for name, _, _ in rows())
    return [row for at, row in enumerate(rows()) if sizes[row[0]] <= SMALL or at % EVERY == 0]


def check(lines: list[Row], arch: str) -> tuple[int, int]:
    """Compare; return how many gave LLVM's bytes and how many were refused as LLVM does."""
    differing, accepted, refused = [], 0, 0
    for name, line, answers in lines:
        found, reason = answer(line, arch)
        wanted = None if refused_on_purpose(line) else answers[arch]
        if found != wanted:
            differing.append((name, line, found or reason, wanted))
        accepted += found is not None
        if found is None:
            refused += 1
            assert len(reason) > 10, line
            assert "Traceback" not in reason, line
    assert not differing
    return accepted, refused


@pytest.mark.parametrize("arch", ARCHES)
def test_the_same_bytes_or_a_reason(arch: str) -> None:
    accepted, refused = check(sample(), arch)
    assert accepted > 2500
    assert refused > 1500


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHES)
def test_every_line_gives_the_same_bytes_or_a_reason(arch: str) -> None:
    accepted, refused = check(rows(), arch)
    assert accepted > 49_000
    assert refused > 12_000


def test_the_files_that_refuse_and_those_that_assemble_are_there() -> None:
    found = {name: 0 for name, _, _ in rows()}
    for name, _, answers in rows():
        found[name] += any(answers.values())
    refusing = {name for name, count in found.items() if not count}
    assert {"gfx942_err.s", "gfx950_err.s", "mai-err-gfx942.s", "mai-gfx950-err.s"} <= refusing
    whole = {f"gfx9_asm_{name}.s" for name in ("vop1", "vop2", "vop3", "vopc", "sop1", "sop2", "ds", "flat", "mubuf")}
    assert whole | {"gfx942_asm_features.s", "gfx950_asm_features.s", "mai-gfx950.s"} <= set(found) - refusing
    assert len(rows()) > 62_000


def test_what_is_refused_on_purpose_is_assembled_by_llvm_and_little() -> None:
    kinds = Counter(refused_on_purpose(line) for _, line, answers in rows() if any(answers.values()))
    del kinds[""]
    assert sum(kinds.values()) < 100, kinds


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHES)
def test_the_stored_answers_are_llvms(arch: str) -> None:
    found = assemble([line for _, line, _ in rows()], arch)
    assert [code.hex() if isinstance(code, bytes) else None for code in found] == [
        answers[arch] for _, _, answers in rows()
    ]

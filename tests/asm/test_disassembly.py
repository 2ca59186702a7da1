"""Listings are llvm-objdump's, line for line, and every instruction in them encodes back to its bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hkasm.asm.disassembly import CodeLine, disassemble_bytes, disassemble_file, disassemble_object
from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction_parser import instruction_from_text
from hkasm.errors import CodeObjectError

DATA = Path(__file__).parent.parent / "data"
OBJECTS = sorted([*DATA.glob("triton/*.hsaco"), *DATA.glob("clang/*.hsaco")])


def listing(code: bytes, **settings: object) -> list[str]:
    return [str(line) for line in disassemble_bytes(code, "gfx950", **settings)]  # type: ignore[arg-type]


def test_lines_of_every_sort() -> None:
    code = bytes.fromhex("010080bfffffffff" + "00" * 12 + "feff82bfff0080be785634120102")
    assert listing(code, address=0x1000, names=[(0x1000, "kernel")]) == [
        "\ts_nop 1".ljust(60) + "// 000000001000: BF800001",
        "\t.long 0xffffffff".ljust(60) + "// 000000001004: FFFFFFFF",
        "\t\t...",
        "\ts_branch 65534".ljust(60) + "// 000000001014: BF82FFFE <kernel+0x10>",
        "\ts_mov_b32 s0, 0x12345678".ljust(60) + "// 000000001018: BE8000FF 12345678",
        "\t.byte 0x01, 0x02".ljust(60) + "// 000000001020: 01 02",
    ]


def test_a_line_knows_its_instruction() -> None:
    (line,) = disassemble_bytes(bytes.fromhex("000081bf"), "gfx942")
    assert isinstance(line, CodeLine)
    assert (line.address, line.code, line.text, line.target) == (0, bytes.fromhex("000081bf"), "s_endpgm", "")
    assert line.instruction is not None
    assert line.instruction.mnemonic == "s_endpgm"


def test_bare_code_wants_an_arch() -> None:
    assert disassemble_file(bytes.fromhex("000081bf"), arch="gfx942", raw=True)[0].startswith("\ts_endpgm")
    with pytest.raises(CodeObjectError, match="does not say its arch"):
        disassemble_file(bytes(4), raw=True)
    with pytest.raises(CodeObjectError):
        disassemble_file(b"\x7fELF")


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.stem)
def test_fixtures_encode_back(path: Path) -> None:
    arch = "gfx950" if "gfx950" in path.stem else "gfx942"
    count = 0
    for text in disassemble_object(path.read_bytes(), str(path)):
        body, _, tail = text.partition("// ")
        if not tail or body.strip().startswith("."):
            continue
        code = b"".join(int(word, 16).to_bytes(4, "little") for word in tail.split(":")[1].split("<")[0].split())
        inst = instruction_from_text(body, arch)
        assert encode_instruction(inst, arch) == code, text
        count += 1
    assert count > 20


@pytest.mark.llvm
@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.stem)
def test_fixtures_are_listed_as_llvm_objdump_lists_them(path: Path) -> None:
    run = subprocess.run(["llvm-objdump-22", "-d", str(path)], capture_output=True, text=True, check=True)
    assert disassemble_object(path.read_bytes(), str(path)) == run.stdout.rstrip("\n").split("\n")

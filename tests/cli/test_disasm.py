"""`hkasm disasm`: objects, assembly files and bare bytes; damage and nonsense are one line."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from hkasm.asm.codeobject import CodeObject

Hkasm = Callable[..., Result]

S_MOV = bytes.fromhex("8100 80be")  # s_mov_b32 s0, 1
V_MOV = bytes.fromhex("8202 007e")  # v_mov_b32_e32 v0, 2
NOTHING = bytes.fromhex("ffff ffff")


@pytest.mark.llvm
def test_an_object_is_listed_as_llvm_lists_it(hkasm: Hkasm, built: Path) -> None:
    path = str(built / "gemm.hsaco")
    objdump = shutil.which("llvm-objdump-22")
    assert objdump is not None
    want = subprocess.run([objdump, "-d", path], capture_output=True, text=True, check=True).stdout
    assert hkasm("disasm", path).stdout.rstrip("\n") == want.rstrip("\n")


def test_an_assembly_file_is_listed_as_its_object(hkasm: Hkasm, built: Path) -> None:
    of_object, of_source = (hkasm("disasm", built / f"gemm.{suffix}").stdout for suffix in ("hsaco", "s"))
    assert of_source.replace("gemm.s:", "gemm.hsaco:") == of_object


def test_an_object_of_another_arch_is_refused(hkasm: Hkasm, built: Path) -> None:
    path = built / "gemm.hsaco"
    for words in (("disasm", path), ("disasm", path, "--json"), ("show", "registers", path)):
        result = hkasm(*words, "--arch", "gfx942")
        assert (result.exit_code, result.stderr) == (2, f"hkasm: {path}: is for gfx950, not gfx942\n")
    assert hkasm("disasm", path, "--arch", "gfx950").exit_code == 0


def test_an_object_as_json(hkasm: Hkasm, built: Path) -> None:
    said = json.loads(hkasm("disasm", built / "gemm.hsaco", "--json").stdout)
    (kernel,) = said["kernels"]
    image = CodeObject.from_path(built / "gemm.hsaco").kernels["gemm"]
    assert (said["arch"], kernel["name"]) == ("gfx950", "gemm")
    assert "".join(line["code"] for line in kernel["instructions"]) == image.code.hex()
    assert kernel["instructions"][0]["address"] == image.vaddr
    assert kernel["instructions"][-1]["text"] == "s_endpgm"
    assert any(line.get("target", "").startswith("gemm+") for line in kernel["instructions"])


def test_bare_bytes(hkasm: Hkasm, tmp_path: Path) -> None:
    path = tmp_path / "code.bin"
    path.write_bytes(S_MOV + NOTHING + V_MOV + b"\x01\x02")
    lines = hkasm("disasm", path, "--raw", "--arch", "gfx942").stdout.splitlines()
    assert [line.split("//")[0].strip() for line in lines] == [
        "s_mov_b32 s0, 1",
        ".long 0xffffffff",
        "v_mov_b32_e32 v0, 2",
        ".byte 0x01, 0x02",
    ]
    said = json.loads(hkasm("disasm", path, "--raw", "--arch", "gfx942", "--json").stdout)
    assert said["instructions"][0] == {"address": 0, "code": "810080be", "text": "s_mov_b32 s0, 1"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("gone.hsaco",), "gone.hsaco: cannot be read: No such file or directory"),
        (("gone.bin", "--raw", "--arch", "gfx950"), "gone.bin: cannot be read: No such file or directory"),
        (("x.bin", "--raw"), "no architecture named; --arch gfx942 or --arch gfx950 (or HKASM_ARCH)"),
        (("x.bin", "--raw", "--arch", "gfx9"), "unknown arch 'gfx9'; known: gfx942, gfx950"),
        ((), "missing argument 'FILE'; see 'hkasm disasm -h'"),
    ],
)
def test_bad_words_are_one_line(hkasm: Hkasm, words: tuple[str, ...], line: str) -> None:
    result = hkasm("disasm", *words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")


@pytest.mark.parametrize("content", [b"", b"text\n", b"\x7fELF", b"\x7fELF" + bytes(60)])
def test_what_is_no_object_is_one_line(hkasm: Hkasm, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.hsaco"
    path.write_bytes(content)
    result = hkasm("disasm", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"hkasm: {path}: ")
    assert result.stderr.count("\n") == 1

"""LLVM 22's assembler and disassembler as oracles: many lines, many words, one run each."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

_TRIPLE = "amdgcn-amd-amdhsa"
_NOP = bytes.fromhex("000080bf")
_SLOT = 24
_MARKED = re.compile(r"/\*Invalid|/\* DP ALU")


def assemble(lines: list[str], arch: str) -> list[bytes | str]:
    """Assemble each line on its own: its bytes (0 where they wait for a linker), or the assembler's complaint."""
    run = subprocess.run(
        ["llvm-mc-22", f"-triple={_TRIPLE}", f"-mcpu={arch}", "-show-encoding"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    refused: dict[int, str] = {}
    for found in re.finditer(r"<stdin>:(\d+):\d+: error: (.*)", run.stderr):
        refused.setdefault(int(found[1]) - 1, found[2])
    encodings = iter(re.findall(r"encoding: \[(.*?)\]", run.stdout))
    return [refused[number] if number in refused else _bytes(next(encodings)) for number in range(len(lines))]


def _bytes(text: str) -> bytes:
    return bytes(int(part, 16) if part.startswith("0x") else 0 for part in text.split(","))


def disassemble(words: list[bytes], arch: str, chunk: int = 20000) -> list[str | None]:
    """Give llvm-objdump's text of the first instruction of each byte string, None where there is none.

    Operands that LLVM itself marks invalid count as none; so do the words that crash it.
    """
    found: list[str | None] = []
    for start in range(0, len(words), chunk):
        found += _disassemble_safely(words[start : start + chunk], arch)
    return found


def _disassemble_safely(words: list[bytes], arch: str) -> list[str | None]:
    try:
        return _disassemble(words, arch)
    except subprocess.CalledProcessError:
        if len(words) == 1:
            return [None]
        half = len(words) // 2
        return _disassemble_safely(words[:half], arch) + _disassemble_safely(words[half:], arch)


def _disassemble(words: list[bytes], arch: str) -> list[str | None]:
    """Every byte string stands at the start of a slot of its own, filled up with s_nop."""
    with tempfile.TemporaryDirectory() as folder:
        code, source, target = (Path(folder) / name for name in ("code.bin", "code.s", "code.o"))
        code.write_bytes(b"".join(word + _NOP * ((_SLOT - len(word)) // 4) for word in words))
        source.write_text(f'.text\n.incbin "{code}"\n')
        assembler = [
            "llvm-mc-22",
            f"-triple={_TRIPLE}",
            f"-mcpu={arch}",
            "-filetype=obj",
            str(source),
            "-o",
            str(target),
        ]
        subprocess.run(assembler, check=True)
        run = subprocess.run(
            ["llvm-objdump-22", "-d", f"--mcpu={arch}", str(target)], capture_output=True, text=True, check=True
        )
    texts: list[str | None] = [None] * len(words)
    for line in run.stdout.splitlines():
        found = re.match(r"\t(.*?)\s*// ([0-9A-F]{12}): ", line)
        if found is None or int(found[2], 16) % _SLOT:
            continue
        text = found[1].strip()
        if not text.startswith((".long", ".byte", ".short")) and "<unknown>" not in text and not _MARKED.search(text):
            texts[int(found[2], 16) // _SLOT] = text
    return texts

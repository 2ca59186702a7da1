"""Take the lines of LLVM's own assembler tests, ask llvm-mc about each, and compare hkasm's parser and encoder.

    python tools/llvm_mc_lines.py                  # compare the stored answers with the installed llvm-mc and hkasm
    python tools/llvm_mc_lines.py --tests FOLDER   # the same for the lines of a newer LLVM
    python tools/llvm_mc_lines.py --tests FOLDER --write   # ... and store them

FOLDER is ``llvm/test/MC/AMDGPU`` in the sources of the LLVM whose tools are installed. Taken
are the instructions of every ``*.s`` that is assembled for a gfx9 chip, those that must fail among them; left out are
directives, labels, and operands that only a linker knows. Each line is given to llvm-mc for both archs, whichever of
them its file is about: bytes, or nothing where it is refused. Only the instructions and their bytes are stored.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.llvm import assemble  # noqa: E402
from support.mc_lines import Row, answer, read_rows, refused_on_purpose, write_rows  # noqa: E402

from hkasm.isa.arch import ARCHES  # noqa: E402

_FOR_GFX9 = re.compile(r"RUN:.*-mcpu=(gfx9[0-9a-c]{2}|gfx9-(4-)?generic)\b")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"(//|;).*")
_SYMBOL = re.compile(r"\bBB\d|\bloop_")  # labels of the files' own
_INSTRUCTION = re.compile(r"(v|s|ds|buffer|tbuffer|global|flat|scratch|image|exp)\w*(\s|$)")


def lines_of(folder: Path) -> list[tuple[str, str]]:
    """File and text of every instruction, each text once."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.s")):
        text = path.read_text(encoding="utf-8")
        if not _FOR_GFX9.search(text):
            continue
        for line in _BLOCK_COMMENT.sub(" ", text).splitlines():
            instruction = _LINE_COMMENT.sub("", line).strip()
            if _INSTRUCTION.match(instruction) and "=" not in instruction and not _SYMBOL.search(instruction):
                found.setdefault(instruction, path.name)
    return [(name, line) for line, name in found.items()]


def ask(pairs: list[tuple[str, str]]) -> list[Row]:
    """Give every line to llvm-mc."""
    lines = [line for _, line in pairs]
    answers = {arch: assemble(lines, arch) for arch in ARCHES}
    return [
        (name, line, {arch: code.hex() if isinstance(code := answers[arch][at], bytes) else None for arch in ARCHES})
        for at, (name, line) in enumerate(pairs)
    ]


def differing(rows: list[Row], arch: str) -> list[str]:
    """Lines to which hkasm gives another answer."""
    found = []
    for name, line, answers in rows:
        ours, reason = answer(line, arch)
        if ours != (None if refused_on_purpose(line) else answers[arch]):
            found.append(f"{name}: {line}: llvm-mc {answers[arch]}, hkasm {ours or reason}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tests", type=Path, help="folder with LLVM's assembler tests")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    stored = read_rows()
    pairs = lines_of(options.tests) if options.tests else [(name, line) for name, line, _ in stored]
    rows = ask(pairs)
    files = Counter(name for name, _, _ in rows)
    print(f"{len(rows)} lines of {len(files)} files")
    known = {(name, line): answers for name, line, answers in stored}
    changed = [row for row in rows if known.get(row[:2], row[2]) != row[2]]
    for name, line, answers in changed:
        print(f"{name}: {line}: stored {known[name, line]}, llvm-mc {answers}")
    wrong = len(changed)
    for arch in ARCHES:
        found = differing(rows, arch)
        wrong += len(found)
        accepted = sum(answers[arch] is not None for _, _, answers in rows)
        print(f"{arch}: {accepted} assembled, {len(rows) - accepted} refused; hkasm differs in {len(found)}")
        print("\n".join(found[:40]))
    if options.write:
        write_rows(rows)
        return 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

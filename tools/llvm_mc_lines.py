"""Ask LLVM again about the lines of its own assembler tests that hkasm's tests hold.

    python tools/llvm_mc_lines.py                  # compare the stored answers with the installed llvm-mc
    python tools/llvm_mc_lines.py --add NAME FILE  # add a test file's lines (instructions alone, one a line)
    python tools/llvm_mc_lines.py --write          # store the installed llvm-mc's answers

The lines stand in LLVM's ``llvm/test/MC/AMDGPU/NAME`` (llvm-project, Apache-2.0 WITH LLVM-exception). Each is given to
llvm-mc for both archs, whichever of them its file is about: bytes, or nothing where it is refused.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.llvm import assemble  # noqa: E402
from support.mc_lines import STORE, Row, read_rows  # noqa: E402

from hkasm.isa.arch import ARCHES  # noqa: E402

SOURCE = "lines of llvm/test/MC/AMDGPU/* (llvm-project, Apache-2.0 WITH LLVM-exception); answers of llvm-mc 22.1.8"


def ask(pairs: list[tuple[str, str]]) -> list[Row]:
    """Give every line to llvm-mc."""
    lines = [line for _, line in pairs]
    answers = {
        arch: [found.hex() if isinstance(found, bytes) else None for found in assemble(lines, arch)] for arch in ARCHES
    }
    return [(name, line, {arch: answers[arch][at] for arch in ARCHES}) for at, (name, line) in enumerate(pairs)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--add", nargs=2, metavar=("NAME", "FILE"), action="append", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    stored = read_rows()
    pairs = [(name, line) for name, line, _ in stored]
    for name, path in options.add:
        lines = (line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines())
        pairs += [(name, line) for line in dict.fromkeys(lines) if line and (name, line) not in pairs]
    rows = ask(pairs)
    changed = [row for row in rows if row not in stored]
    for name, line, answers in changed:
        print(f"{name}: {line}: {answers}")
    if options.write or options.add:
        text = json.dumps({"source": SOURCE, "data": rows}, indent=0)
        STORE.write_bytes(gzip.compress(text.encode(), mtime=0))
        return 0
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

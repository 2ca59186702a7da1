"""Ask the installed LLVM for every machine opcode of both archs: text, bytes, register classes, implicit registers.

    python tools/llvm_opcodes.py FOLDER      # writes FOLDER/<arch>.opcodes.jsonl, two minutes
    python tools/llvm_coverage.py FOLDER     # compares them with the declarations; --write stores the compact copies

Builds and runs tools/llvm_opcodes.cpp, which walks the opcode fields of every format through LLVM's own disassembler.
Needs LLVM's headers and library (``llvm-config`` of the version wanted) and its clang++. Opcodes that the stored copies
under tests/data/llvm do not have, or have otherwise, are printed: what a newer LLVM brings.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "llvm_opcodes.cpp"
STORED = ROOT / "tests" / "data" / "llvm"
ARCHES = ("gfx942", "gfx950")
COMPARED = ("text", "operands", "impuse", "impdef")


def ask(arch: str, program: Path) -> list[dict[str, Any]]:
    """Return the program's lines: register classes, then opcodes."""
    run = subprocess.run([str(program), arch], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def compile_program(folder: Path, config: str, compiler: str) -> Path:
    """Build the walk against the LLVM that `config` tells of."""

    def told(what: str) -> str:
        return subprocess.run([config, what], capture_output=True, text=True, check=True).stdout.strip()

    program = folder / "llvm_opcodes"
    library = next(Path(told("--libdir")).glob("libLLVM-*.so"))
    words = [compiler, "-std=c++17", "-O1", "-w", f"-I{told('--includedir')}", str(SOURCE), "-o", str(program)]
    subprocess.run([*words, str(library), f"-Wl,-rpath,{library.parent}"], check=True)
    return program


def changes(arch: str, rows: list[dict[str, Any]]) -> list[str]:
    """Return what differs from the stored copy, a line an opcode."""
    data = json.loads(gzip.decompress((STORED / f"{arch}_opcodes.json.gz").read_bytes()))["data"]
    stored = {row["op"]: row for row in data}
    found = {row["op"]: row for row in rows if "op" in row}
    lines = [f"gone: {name}" for name in stored.keys() - found.keys()]
    lines += [f"new: {name}: {found[name]['text']}" for name in found.keys() - stored.keys()]
    for name in stored.keys() & found.keys():
        other = [key for key in COMPARED if stored[name].get(key) != found[name][key]]
        lines += [f"{name}: {key} was {stored[name].get(key)}, is {found[name][key]}" for key in other]
    return sorted(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the lists are written")
    parser.add_argument("--llvm-config", default="llvm-config-22")
    parser.add_argument("--compiler", default="clang++-22")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(Path(folder), options.llvm_config, options.compiler)
        for arch in ARCHES:
            rows = ask(arch, program)
            text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
            (options.folder / f"{arch}.opcodes.jsonl").write_text(text, encoding="utf-8")
            lines = changes(arch, rows)
            print(f"{arch}: {sum('op' in row for row in rows)} opcodes, {len(lines)} differences from the stored ones")
            print("\n".join(lines[:200]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

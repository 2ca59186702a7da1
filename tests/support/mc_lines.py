"""Lines of LLVM's own assembler tests with llvm-mc's answers, as `tools/llvm_mc_lines.py` stores them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

STORE = Path(__file__).parent.parent / "data" / "llvm" / "mc_lines.json.gz"

Row = tuple[str, str, dict[str, str | None]]
"""File, line, and the bytes (hexadecimal) on each arch, None where it is refused."""

_MEANINGLESS = re.compile(r"s_(nop|sleep|setprio|trap|incperflevel|decperflevel) 0x[0-9a-f]{4}")


def read_rows() -> list[Row]:
    if not STORE.exists():
        return []
    return [(name, line, answers) for name, line, answers in json.loads(gzip.decompress(STORE.read_bytes()))["data"]]


def is_refused_on_purpose(line: str) -> bool:
    """Tell whether hkasm refuses what LLVM takes: numbers with bits that the machine does not read."""
    return _MEANINGLESS.fullmatch(line) is not None

"""Lines of LLVM's own assembler tests with llvm-mc's answers, as `tools/llvm_mc_lines.py` stores them."""

from __future__ import annotations

import json
import lzma
import re
from itertools import groupby
from pathlib import Path

from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction_parser import instruction_from_text
from hkasm.errors import HkasmError

STORE = Path(__file__).parent.parent / "data" / "llvm" / "mc_lines.json.xz"
SOURCE = "lines of llvm/test/MC/AMDGPU/* (llvm-project, Apache-2.0 WITH LLVM-exception); answers of llvm-mc 22.1.8"

Row = tuple[str, str, dict[str, str | None]]
"""File, line, and the bytes (hexadecimal) on each arch, None where it is refused."""

_ON_PURPOSE = {
    "bits that the machine does not read": r"s_(nop|sleep|setprio|trap|incperflevel|decperflevel) 0x[0-9a-f]{4}",
    "signs and sext that the packed form passes over": r"v_pk_fmac_f16_sdwa .*(-v|sext\().*",
    "a double whose low half LLVM drops": r"v_(fract|floor)_f64 v\[0:1\], (-3\.1|10{23}\.|3\.40|2\.35|1\.23).*",
    "a literal that VOP3P cannot hold (LLVM leaves the dword out)": r"v_dot2_f32_f16 .*lit\(.*",
    "a sign that LLVM takes off a literal by itself": r"v_sqrt_f32 v2, abs\(lit\(123\)\)",
    "no comma between two operands": r"v_max_f32 v1, v2 v3 .*",
    "register pairs for 16 bits": r"v_add_f16 .*v\[2:3\].*",
    "sub-dword selections of nothing": r"v_nop_sdwa",
}


def read_rows() -> list[Row]:
    if not STORE.exists():
        return []
    files = json.loads(lzma.decompress(STORE.read_bytes()))["files"]
    return [(name, line, {"gfx942": one, "gfx950": other}) for name, lines in files for line, one, other in lines]


def write_rows(rows: list[Row]) -> None:
    files = [
        (name, [(line, answers["gfx942"], answers["gfx950"]) for _, line, answers in group])
        for name, group in groupby(rows, key=lambda row: row[0])
    ]
    text = json.dumps({"source": SOURCE, "files": files}, separators=(",", ":"))
    STORE.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def answer(line: str, arch: str) -> tuple[str | None, str]:
    """Give hkasm's bytes, or its reason for refusing."""
    try:
        return encode_instruction(instruction_from_text(line, arch), arch).hex(), ""
    except HkasmError as error:
        return None, str(error)


def refused_on_purpose(line: str) -> str:
    """Tell why hkasm refuses what LLVM takes; an empty text where it does not."""
    return next((reason for reason, pattern in _ON_PURPOSE.items() if re.fullmatch(pattern, line)), "")

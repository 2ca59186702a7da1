"""Compare the declarations with everything LLVM 22 knows of gfx942 and gfx950.

    python tools/llvm_coverage.py FACTS [--samples 12] [--seed 1] [--write tests/data/llvm]

FACTS holds ``<arch>.opcodes.jsonl`` of `tools/llvm_opcodes.py`: one line an LLVM opcode, with its text, sample bytes,
operands' register classes and implicit registers. Printed for each arch: mnemonics and opcodes covered, operands
compared, forms tried both ways (text -> llvm-mc -> bytes against the encoder; bytes -> llvm-objdump -> text against the
printer) and every difference.
Exit code 1 when anything differs that is not named in `DIFFERENCES`.

``--write`` derives the compact copies that the tests use where there is no LLVM: opcodes, and forms with their bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.llvm import assemble, disassemble
from support.opcode_operands import differences
from support.samples import forms, samples

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction import Instruction
from hkasm.errors import HkasmError
from hkasm.isa import ARCHES, VARIANTS

SUFFIX = re.compile(r"_(e32|e64|dpp|sdwa)$")
DIFFERENCES = {
    "ds_swizzle_b32": "LLVM writes some offsets as a pattern that it assembles to another offset of the same effect",
}
"""Mnemonics whose text LLVM itself does not assemble back to the bytes it came from."""
VGPR_MASKS = ("v_cndmask_b32_e64", "v_addc_co_u32_e64", "v_subb_co_u32_e64", "v_subbrev_co_u32_e64")
"""LLVM's disassembler lets a VGPR stand as their lane mask, which its assembler refuses; so does hkasm's decoder."""


def read_opcodes(facts: Path, arch: str) -> list[dict[str, Any]]:
    lines = (facts / f"{arch}.opcodes.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    keep = ("op", "text", "bytes", "operands", "impuse", "impdef")
    return [{name: row[name] for name in keep} for row in rows if row.get("text")]


def read_classes(facts: Path, arch: str) -> dict[str, dict[str, Any]]:
    """Return LLVM's register classes by name."""
    lines = (facts / f"{arch}.opcodes.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["class"]: row for row in rows if "class" in row}


def mnemonic_of(text: str) -> str:
    return SUFFIX.sub("", text.split()[0])


def undeclared(rows: list[dict[str, Any]], arch: str) -> list[str]:
    """Mnemonics of LLVM's that no declaration of the arch has."""
    names = {mnemonic_of(row["text"]) for row in rows}
    return sorted(name for name in names if not any(arch in spec.archs for spec in VARIANTS.get(name, ())))


def decoded(row: dict[str, Any], arch: str) -> str:
    try:
        return str(decode_instruction(arch, bytes.fromhex(row["bytes"])))
    except HkasmError as error:
        return f"refused: {error.message}"


def compare_opcodes(rows: list[dict[str, Any]], arch: str) -> list[str]:
    """Opcodes whose sample bytes decode to another text; what LLVM marks as invalid must be refused."""
    found = []
    for row in rows:
        text, ours = row["text"], decoded(row, arch)
        marked = "/*" in text or text.startswith(VGPR_MASKS)
        if marked != ours.startswith("refused") or (not marked and ours != text):
            found.append(f"{row['op']}: {text} | {ours}")
    return found


def sampled(arch: str, count: int, seed: int) -> list[Instruction]:
    random = Random(seed)
    return [inst for form in forms(arch) for inst in samples(form, arch, count, random)]


def compare_forms(instructions: list[Instruction], arch: str) -> list[str]:
    texts = [str(inst) for inst in instructions]
    codes = [encode_instruction(inst, arch) for inst in instructions]
    assembled, disassembled = assemble(texts, arch), disassemble(codes, arch)
    found = []
    for inst, text, code, theirs, back in zip(instructions, texts, codes, assembled, disassembled, strict=True):
        if inst.mnemonic in DIFFERENCES:
            continue
        if theirs != code:
            shown = theirs.hex() if isinstance(theirs, bytes) else theirs
            found.append(f"{text} | llvm-mc: {shown} | hkasm: {code.hex()}")
        if back != text:
            found.append(f"{code.hex()} | llvm-objdump: {back} | hkasm: {text}")
    return found


def assembled_pairs(instructions: list[Instruction], arch: str) -> list[list[str]]:
    texts = [str(inst) for inst in instructions]
    return [
        [text, code.hex()] for text, code in zip(texts, assemble(texts, arch), strict=True) if isinstance(code, bytes)
    ]


def write(folder: Path, name: str, source: str, content: Any, **more: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps({"source": source, **more, "data": content}, separators=(",", ":")).encode()
    (folder / name).write_bytes(gzip.compress(data, mtime=0))
    print(f"wrote {folder / name}: {len(gzip.compress(data, mtime=0))} bytes")


def report(title: str, differences: list[str], limit: int = 20) -> int:
    print(f"  {title}: {len(differences)} differences")
    for line in differences[:limit]:
        print(f"    {line}")
    return len(differences)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("facts", type=Path)
    parser.add_argument("--samples", type=int, default=12, help="instructions tried of each form")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, help="folder for the compact copies")
    args = parser.parse_args()
    total = 0
    for arch in ARCHES:
        rows = read_opcodes(args.facts, arch)
        names = {mnemonic_of(row["text"]) for row in rows}
        missing = undeclared(rows, arch)
        print(f"{arch}: {len(names) - len(missing)} of {len(names)} mnemonics declared, {len(rows)} LLVM opcodes")
        total += report("undeclared mnemonics", missing)
        total += report("opcodes' sample text", compare_opcodes(rows, arch))
        classes = read_classes(args.facts, arch)
        compared, found = differences(rows, classes, arch)
        total += report(f"{compared} operands' register classes", found)
        instructions = sampled(arch, args.samples, args.seed)
        by_format = Counter(inst.encoding.format for inst in instructions)
        print(f"  {len(forms(arch))} forms, {len(instructions)} instructions tried both ways")
        print("   ", ", ".join(f"{name} {count}" for name, count in sorted(by_format.items())))
        total += report("forms", compare_forms(instructions, arch))
        if args.write:
            write(args.write, f"{arch}_opcodes.json.gz", "LLVM 22 opcode tables", rows, classes=classes)
            few = [inst for inst in sampled(arch, 2, args.seed) if inst.mnemonic not in DIFFERENCES]
            pairs = assembled_pairs(few, arch)
            write(args.write, f"{arch}_forms.json.gz", "text of hkasm's samples, bytes of llvm-mc-22", pairs)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

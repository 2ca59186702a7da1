"""LLVM's register classes of an opcode's operands against a declaration's files, widths and alignment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.instruction import Instruction
from hkasm.asm.operands import operand_width
from hkasm.errors import HkasmError
from hkasm.isa.formats import FORMATS

Row = dict[str, Any]
Classes = dict[str, dict[str, Any]]


def differences(rows: Iterable[Row], classes: Classes, arch: str) -> tuple[int, list[str]]:
    """Return how many operands were compared, and where a declaration says something else.

    Every class of LLVM's must be an operand's: of its width, its files among the operand's, even where it is; and every
    file that an operand takes in a form must be in a class of that width of some opcode of the form. AGPRs' classes do
    not say that pairs are even: LLVM's assembler looks at that apart.
    """
    found: list[str] = []
    taken: dict[tuple[str, str, str, int], set[str]] = defaultdict(set)
    given: dict[tuple[str, str, str, int], set[str]] = defaultdict(set)
    compared = 0
    for row in rows:
        try:
            inst = decode_instruction(arch, bytes.fromhex(row["bytes"]))
        except HkasmError:
            continue
        if inst.spec.control == "gws":
            continue  # one even register; LLVM's class is of pairs
        loose = inst.encoding.format == "MTBUF"  # LLVM's assembler looks apart at whether the address is even
        ours = _operands(inst)
        theirs = [classes[name] for name in row["operands"] if name != "imm"]
        for one in theirs:
            compared += 1
            dwords, files, even = one["bits"] // 32, set(one["files"]), one["even"]
            fitting = [
                letters
                for _, letters, width, is_even in ours
                if width == dwords
                and files <= letters | {"s"}
                and (width == 1 or "v" not in files or is_even == even or loose)
            ]
            if not fitting:
                found.append(f"{row['op']}: {row['text']}: no operand for {one}")
        for name, letters, width, _ in ours:
            key = inst.spec.key, inst.encoding.format, name, width
            given[key] |= letters
            for one in theirs:
                if one["bits"] // 32 == width:
                    taken[key] |= set(one["files"])
    for key, letters in given.items():
        if not letters <= taken[key]:
            found.append(f"{key}: takes {sorted(letters - taken[key])}, which no opcode of LLVM's does")
    return compared, found


def _operands(inst: Instruction) -> list[tuple[str, set[str], int, bool]]:
    """Name, files, width and evenness of the operands that may be registers, as this form has them."""
    spec, places = inst.spec, FORMATS[inst.encoding.format].operands
    values = dict(zip((operand.name for operand in spec.explicit), inst.operands, strict=True))
    found = []
    for operand in spec.explicit:
        letters = {letter for letter in operand.files if letter in "sva"}
        if not letters or operand.name not in places:
            continue
        if places[operand.name].coding == "vgpr8" and len(letters) > 1:
            letters -= {"s"}
        width = operand_width(spec, operand, values, inst.mods)
        found.append((operand.name, letters, width, "any_tuple" not in spec.flags))
    return found

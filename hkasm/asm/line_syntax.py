"""Lines of assembly text taken apart: comments, labels, and an instruction's operands and modifier words.

Nothing here knows what an instruction is; commas and spaces count only outside brackets, bars and quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hkasm.errors import UsageError
from hkasm.isa.registers import special_register

__all__ = ["Words", "label_fault", "split_commas", "split_instruction", "split_label", "strip_comment"]

_COMMENT: Final = re.compile(r";+|//+")
_GROUPING: Final = re.compile(r'[()\[\]{}|"]')
_OPENING, _CLOSING = "([{", ")]}"
_NAME: Final = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$]*")
_REGISTER_NAME: Final = re.compile(r"(v|s|a|acc|ttmp)\d+|null")
_LABEL: Final = re.compile(r"\s*([A-Za-z_.$][\w.$@]*|\d+)\s*:(?!=)")
_MODIFIERS: Final = frozenset({
    "abid", "bank_mask", "bitop3", "blgp", "bound_ctrl", "cbsz", "clamp", "dfmt", "div", "dst_sel", "dst_unused", "fi",
    "format", "gds", "glc", "idxen", "lds", "mul", "neg", "neg_hi", "neg_lo", "nfmt", "noglc", "nont", "nosc0",
    "nosc1", "nt", "offen", "offset", "offset0", "offset1", "op_sel", "op_sel_hi", "quad_perm", "row_bcast",
    "row_half_mirror", "row_mask", "row_mirror", "row_newbcast", "row_ror", "row_shl", "row_shr", "sc0", "sc1",
    "src0_sel", "src1_sel", "wave_rol", "wave_ror", "wave_shl", "wave_shr",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """An instruction's text in pieces: mnemonic, operands, and modifiers as (name, value or nothing)."""

    mnemonic: str
    operands: tuple[str, ...]
    modifiers: tuple[tuple[str, str], ...]


def label_fault(name: object) -> str:
    """Say why the assembler would not take a label's name where a branch names it; an empty text where it does."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "has other characters than letters, digits and _ . $, or begins with a digit"
    if _REGISTER_NAME.fullmatch(name) or special_register(name) or special_register(f"src_{name}"):
        return "is the name of a register"
    return ""


def strip_comment(line: str) -> tuple[str, str]:
    """Split a line into its code and its comment (behind ``;`` or ``//``; a ``#`` only at the line's start)."""
    if line.lstrip().startswith("#"):
        return "", line.strip()
    if '"' not in line:
        match = _COMMENT.search(line)
        return (line[: match.start()], line[match.end() :].strip()) if match else (line, "")
    quoted = False
    for at, character in enumerate(line):
        if character == '"' and (at == 0 or line[at - 1] != "\\"):
            quoted = not quoted
        elif not quoted and (character == ";" or line.startswith("//", at)):
            return line[:at], line[at:].lstrip(";/").strip()
    return line, ""


def split_label(line: str) -> tuple[str, str]:
    """Take a label off a line's front: (name or "", the rest)."""
    match = _LABEL.match(line)
    return (match[1], line[match.end() :]) if match else ("", line)


def split_commas(text: str) -> list[str]:
    """Split at the commas that stand outside brackets, bars and quotes; an empty text gives no pieces."""
    return [piece.strip() for piece in _split(text, ",")] if text.strip() else []


def split_instruction(text: str) -> Words:
    """Take an instruction apart.

    Raises:
        UsageError: brackets that do not close, an empty operand.
    """
    mnemonic, _, rest = text.replace("\t", " ").strip().partition(" ")
    operands: list[str] = []
    modifiers: list[tuple[str, str]] = []
    for piece in split_commas(rest):
        tokens = _tokens(piece)
        first = next((at for at, token in enumerate(tokens) if _is_modifier(token)), len(tokens))
        if first:
            operands.append(" ".join(tokens[:first]))
        elif not tokens:
            raise UsageError(f"{mnemonic}: an operand is missing between two commas")
        for token in tokens[first:]:
            name, _, value = token.partition(":")
            modifiers.append((name, value.strip()))
    return Words(mnemonic, tuple(operands), tuple(modifiers))


def _is_modifier(token: str) -> bool:
    name, colon, _ = token.partition(":")
    return name in _MODIFIERS and (bool(colon) or name not in ("neg", "mul", "div"))


def _tokens(piece: str) -> list[str]:
    """Words of one comma's piece; a word that ends in a colon takes the next one in."""
    tokens: list[str] = []
    for token in _split(piece, " "):
        if not token.strip():
            continue
        if tokens and (tokens[-1].endswith(":") or token.startswith(":")):
            tokens[-1] += token.strip()
        else:
            tokens.append(token.strip())
    return tokens


def _split(text: str, separator: str) -> list[str]:
    if _GROUPING.search(text) is None:
        return text.split(separator)
    pieces: list[str] = []
    depth, start, bars, quoted = 0, 0, False, False
    for at, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "|":
            bars = not bars
        elif character == separator and depth == 0 and not bars:
            pieces.append(text[start:at])
            start = at + 1
    if depth or quoted or bars:
        raise UsageError(f"{text.strip()!r} has a bracket, bar or quote that does not close")
    pieces.append(text[start:])
    return pieces

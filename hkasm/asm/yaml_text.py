"""The YAML that compilers write between `.amdgpu_metadata` and its end: block mappings and lists, plain scalars.

It is a small part of YAML; what clang, Triton and hkasm write fits, anchors, tags and folded text do not.
"""

from __future__ import annotations

import json
import re
from typing import Final

from hkasm.errors import UsageError

__all__ = ["read_yaml"]

_ENTRY: Final = re.compile(r"(?P<key>\"[^\"]*\"|'[^']*'|[^\s'\"\[{#][^:#]*?)\s*:(?:\s+(?P<value>.*))?$")
_INTEGER: Final = re.compile(r"[-+]?(\d+|0x[0-9a-fA-F]+)")
_MAX_DEPTH: Final = 32
Line = tuple[int, str]


def read_yaml(lines: list[str]) -> object:
    """Return the document: dicts, lists, strings, ints, bools, None.

    Raises:
        UsageError: text that is not of this form.
    """
    rows: list[Line] = []
    for line in lines:
        text = line.rstrip()
        if text.strip() in ("", "---", "...") or text.lstrip().startswith("#"):
            continue
        rows.append((len(text) - len(text.lstrip()), text.strip()))
    if not rows:
        return {}
    value, rest = _block(rows, rows[0][0], 0)
    if rest:
        raise UsageError(f"metadata: {rest[0][1]!r} does not fit its indentation")
    return value


def _block(rows: list[Line], indent: int, depth: int) -> tuple[object, list[Line]]:
    """Read the list or mapping whose entries stand at `indent`; return it and the rows behind it."""
    if depth > _MAX_DEPTH:
        raise UsageError("metadata is nested too deeply")
    return (_list if rows[0][1].startswith("-") else _mapping)(rows, indent, depth)


def _list(rows: list[Line], indent: int, depth: int) -> tuple[object, list[Line]]:
    items: list[object] = []
    while rows and rows[0][0] == indent and rows[0][1].startswith("-"):
        body = rows[0][1][1:]
        text = body.strip()
        if not text:
            inner, rows = _nested(rows[1:], indent, depth)
        elif _ENTRY.fullmatch(text) or text.startswith("- "):
            # The first entry of a nested block stands behind the dash.
            column = indent + 1 + len(body) - len(body.lstrip())
            inner, rows = _block([(column, text), *rows[1:]], column, depth + 1)
        else:
            inner, rows = _scalar(text), rows[1:]
        items.append(inner)
    return items, rows


def _mapping(rows: list[Line], indent: int, depth: int) -> tuple[object, list[Line]]:
    found: dict[str, object] = {}
    while rows and rows[0][0] == indent and not rows[0][1].startswith("- "):
        match = _ENTRY.fullmatch(rows[0][1])
        if match is None:
            raise UsageError(f"metadata: {rows[0][1]!r} is no entry of a mapping")
        key = match["key"].strip("\"'")
        if match["value"]:
            found[key], rows = _scalar(match["value"]), rows[1:]
        else:
            found[key], rows = _nested(rows[1:], indent, depth)
    return found, rows


def _nested(rows: list[Line], indent: int, depth: int) -> tuple[object, list[Line]]:
    """Read what belongs to an entry without a value: a deeper block, or a list at the same column."""
    if rows and (rows[0][0] > indent or (rows[0][0] == indent and rows[0][1].startswith("- "))):
        return _block(rows, rows[0][0], depth + 1)
    return None, rows


def _scalar(text: str) -> object:
    if text.startswith("!str "):  # LLVM's tag for text that looks like a number
        text = text[5:].lstrip()
        if text[:1] not in ("'", '"'):
            return text
    if text[0] in '[{"':
        try:
            return json.loads(text)
        except ValueError:
            raise UsageError(f"metadata: {text!r} is not understood") from None
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    if _INTEGER.fullmatch(text):
        return int(text, 0)
    return {"true": True, "false": False, "null": None, "~": None}.get(text, text)

"""Read `.debug_line`: which source line wrote which machine instruction.

Decodes the line number programs of DWARF 2 to 5 directly from the section, since an object made from assembly with
`.loc` has no compile units to start from. The bytes are not trusted: a unit that makes no sense ends the reading, and
what was understood before it stays, for line numbers are a help and no reason to refuse a kernel.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["LineRow", "LineTable", "read_line_table"]

_MAX_ULEB_BYTES: Final = 10
_ADDRESS_MASK: Final = (1 << 64) - 1

# DW_LNS_*: the standard opcodes that matter here; the others are skipped by their lengths.
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9
# DW_LNE_*: extended opcodes.
_END_SEQUENCE, _SET_ADDRESS, _DEFINE_FILE = 1, 2, 3
# DW_LNCT_*: what an entry of a DWARF 5 table holds.
_PATH, _DIRECTORY_INDEX = 1, 2
# DW_FORM_*: fixed sizes of the forms that such entries use.
_FIXED_FORMS: Final = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}
_STRING, _UDATA, _BLOCK, _STRP, _LINE_STRP = 0x08, 0x0F, 0x09, 0x0E, 0x1F


@dataclass(frozen=True, slots=True)
class LineRow:
    """From `address` on, up to the next row, the code was written by this line; line 0 means by none."""

    address: int
    file: str
    line: int


class LineTable:
    """All rows of a code object, by address."""

    def __init__(self, rows: list[LineRow]) -> None:
        # Where one sequence ends and another begins, the row with a line is the one that holds.
        self._rows = sorted(rows, key=lambda row: (row.address, row.line != 0))
        self._addresses = [row.address for row in self._rows]

    def between(self, start: int, end: int) -> list[LineRow]:
        """Return the rows for addresses from `start` up to `end`, the one that covers `start` first.

        Neighbouring rows of one line are one row, and of several rows at one address the last one counts.
        """
        first = max(bisect_right(self._addresses, start) - 1, 0)
        found: list[LineRow] = []
        for row in self._rows[first : bisect_left(self._addresses, end)]:
            clipped = row if row.address >= start else LineRow(start, row.file, row.line)
            if found and found[-1].address == clipped.address:
                found.pop()
            if not found or (found[-1].file, found[-1].line) != (clipped.file, clipped.line):
                found.append(clipped)
        return found


class _BadUnitError(Exception):
    """A line number program that cannot be read any further."""


class _Cursor:
    """Reads numbers from `data` up to `end`, and refuses to go beyond."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def number(self, size: int) -> int:
        if self.at + size > self.end:
            raise _BadUnitError
        value = int.from_bytes(self.data[self.at : self.at + size], "little")
        self.at += size
        return value

    def uleb(self) -> int:
        value = 0
        for shift in range(0, 7 * _MAX_ULEB_BYTES, 7):
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise _BadUnitError

    def sleb(self) -> int:
        value = 0
        for shift in range(0, 7 * _MAX_ULEB_BYTES, 7):
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value - (1 << shift + 7) if byte & 0x40 else value
        raise _BadUnitError

    def skip(self, size: int) -> None:
        if self.at + size > self.end:
            raise _BadUnitError
        self.at += size

    def text(self) -> str:
        stop = self.data.find(b"\0", self.at, self.end)
        if stop < 0:
            raise _BadUnitError
        value = self.data[self.at : stop].decode("utf-8", "replace")
        self.at = stop + 1
        return value


@dataclass(slots=True)
class _Unit:
    """One unit's header: how its program counts, and its files by number."""

    min_instruction: int
    line_base: int
    line_range: int
    opcode_base: int
    opcode_lengths: bytes
    address_bytes: int
    directories: list[str] = field(default_factory=list)
    files: dict[int, str] = field(default_factory=dict)
    names_from_zero: bool = False

    def path(self, directory: int, name: str) -> str:
        """Join a file's name with its directory; the compilation's own directory (number 0) is left out."""
        index = directory if self.names_from_zero else directory - 1
        if name.startswith("/") or directory == 0 or not 0 <= index < len(self.directories):
            return name
        return f"{self.directories[index].rstrip('/')}/{name}"


def read_line_table(line: bytes, line_str: bytes = b"", debug_str: bytes = b"") -> LineTable:
    """Decode the sections `.debug_line`, `.debug_line_str` and `.debug_str` of a linked code object."""
    rows: list[LineRow] = []
    section = _Cursor(line, 0, len(line))
    try:
        while section.at < section.end:
            length, offset_bytes = section.number(4), 4
            if length == 0xFFFFFFFF:
                length, offset_bytes = section.number(8), 8
            start = section.at
            section.skip(length)
            body = _Cursor(line, start, section.at)
            unit = _read_header(body, offset_bytes, line_str, debug_str)
            # One by one, so that the rows before a broken opcode are kept.
            for row in _run(body, unit):
                rows.append(row)  # noqa: PERF402
    except _BadUnitError:
        pass
    return LineTable(rows)


def _read_header(body: _Cursor, offset_bytes: int, line_str: bytes, debug_str: bytes) -> _Unit:
    version = body.number(2)
    if not 2 <= version <= 5:
        raise _BadUnitError
    address_bytes = 8
    if version >= 5:
        address_bytes = body.number(1)
        body.skip(1)  # segment selectors
    header_bytes = body.number(offset_bytes)
    program_at = body.at + header_bytes
    if program_at > body.end:
        raise _BadUnitError
    min_instruction = body.number(1)
    if version >= 4:
        body.skip(1)  # operations of a VLIW instruction
    body.skip(1)  # whether rows are statements at first
    line_base = body.number(1)
    line_range, opcode_base = body.number(1), body.number(1)
    if line_range == 0 or opcode_base == 0 or address_bytes not in (4, 8):
        raise _BadUnitError
    lengths = bytes(body.number(1) for _ in range(opcode_base - 1))
    unit = _Unit(
        min_instruction,
        line_base - 256 if line_base >= 128 else line_base,
        line_range,
        opcode_base,
        lengths,
        address_bytes,
        names_from_zero=version >= 5,
    )
    names = _Cursor(body.data, body.at, program_at)
    if version >= 5:
        strings = {_STRP: debug_str, _LINE_STRP: line_str}
        unit.directories = [path for path, _ in _entries(names, offset_bytes, strings)]
        for number, (name, directory) in enumerate(_entries(names, offset_bytes, strings)):
            unit.files[number] = unit.path(directory, name)
    else:
        while directory_name := names.text():
            unit.directories.append(directory_name)
        number = 1
        while name := names.text():
            unit.files[number] = unit.path(_file_entry(names), name)
            number += 1
    body.at = program_at
    return unit


def _file_entry(names: _Cursor) -> int:
    """Read what follows a file's name before DWARF 5 and return its directory's number."""
    directory = names.uleb()
    names.uleb()  # time
    names.uleb()  # size
    return directory


def _entries(names: _Cursor, offset_bytes: int, strings: dict[int, bytes]) -> list[tuple[str, int]]:
    """Read one table of DWARF 5: each entry's path and directory number."""
    formats = [(names.uleb(), names.uleb()) for _ in range(names.number(1))]
    count = names.uleb()
    if (count and not formats) or count > names.end - names.at:
        raise _BadUnitError
    found = []
    for _ in range(count):
        path, directory = "", 0
        for content, form in formats:
            value = _form(names, form, offset_bytes, strings)
            if content == _PATH and isinstance(value, str):
                path = value
            elif content == _DIRECTORY_INDEX and isinstance(value, int):
                directory = value
        found.append((path, directory))
    return found


def _form(names: _Cursor, form: int, offset_bytes: int, strings: dict[int, bytes]) -> str | int:
    if form == _STRING:
        return names.text()
    if form in strings:
        offset, table = names.number(offset_bytes), strings[form]
        return _Cursor(table, offset, len(table)).text() if offset < len(table) else ""
    if form == _UDATA:
        return names.uleb()
    if form == _BLOCK:
        names.skip(names.uleb())
        return 0
    if form in _FIXED_FORMS:
        return names.number(_FIXED_FORMS[form])
    raise _BadUnitError


def _run(body: _Cursor, unit: _Unit) -> Iterator[LineRow]:
    """Run one unit's program and yield its rows; an end of sequence is a row with line 0."""
    address, file, line = 0, 1, 1
    const_add = (255 - unit.opcode_base) // unit.line_range * unit.min_instruction
    while body.at < body.end:
        opcode = body.number(1)
        if opcode >= unit.opcode_base:
            special = opcode - unit.opcode_base
            address = address + special // unit.line_range * unit.min_instruction & _ADDRESS_MASK
            line += unit.line_base + special % unit.line_range
            yield LineRow(address, unit.files.get(file, ""), max(line, 0))
        elif opcode == 0:
            size = body.uleb()
            start = body.at
            body.skip(size)
            extended = _Cursor(body.data, start, body.at)
            kind = extended.number(1)
            if kind == _END_SEQUENCE:
                yield LineRow(address, "", 0)
                address, file, line = 0, 1, 1
            elif kind == _SET_ADDRESS:
                address = extended.number(min(size - 1, unit.address_bytes))
            elif kind == _DEFINE_FILE:
                name = extended.text()
                unit.files[max(unit.files, default=0) + 1] = unit.path(_file_entry(extended), name)
        elif opcode == _COPY:
            yield LineRow(address, unit.files.get(file, ""), max(line, 0))
        elif opcode == _ADVANCE_PC:
            address = address + body.uleb() * unit.min_instruction & _ADDRESS_MASK
        elif opcode == _ADVANCE_LINE:
            line += body.sleb()
        elif opcode == _SET_FILE:
            file = body.uleb()
        elif opcode == _CONST_ADD_PC:
            address = address + const_add & _ADDRESS_MASK
        elif opcode == _FIXED_ADVANCE_PC:
            address = address + body.number(2) & _ADDRESS_MASK
        else:
            for _ in range(unit.opcode_lengths[opcode - 1]):
                body.uleb()

"""What commands print: JSON documents, tables, and files that are there whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from hkasm.errors import UsageError

__all__ = [
    "WIDTH_KEY",
    "folds",
    "print_facts",
    "print_json",
    "print_line",
    "print_table",
    "terminal_width",
    "write_files",
]

_COLUMNS = 80
WIDTH_KEY = "hkasm.width"
"""Where a command's context has the columns that `--width` asked for."""


def print_json(document: object) -> None:
    """Print one JSON document, indented, with the keys in the order in which they were put in."""
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_facts(facts: Mapping[str, object]) -> None:
    """Print `name  value` lines with the values in one column; empty ones are left out, long ones folded as tables."""
    said = {name: str(value) for name, value in facts.items() if value is not None and value != ""}
    width = max(map(len, said), default=0)
    for name, value in said.items():
        print_line(f"{name:<{width}}  {value}", width + 2)


def print_line(line: str, indent: int = 2) -> None:
    """Print a line, folded as tables are; what is folded is `indent`ed."""
    room = terminal_width() if folds() else len(line)
    if len(line) > room:
        from textwrap import fill

        line = fill(line, room, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    click.echo(line)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: as wide as it is where a program reads it, folded to the window on a terminal, or to `--width`.

    A column whose name begins with `>` is set to the right.
    """
    texts = [[str(cell) for cell in row] for row in rows]
    right = [column.startswith(">") for column in columns]
    names = [column.removeprefix(">") for column in columns]
    widths = [max(len(row[i]) for row in [names, *texts]) for i in range(len(names))]
    if folds() and sum(widths) + 2 * (len(widths) - 1) > terminal_width():
        _print_folded(names, right, texts)
        return
    for row in [names, *texts]:
        cells = (
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(row, widths, right, strict=True)
        )
        click.echo("  ".join(cells).rstrip())


def terminal_width() -> int:
    """Return the columns that `--width` asked for, or of the terminal that stdout is, or 80."""
    asked = _asked_width()
    if asked is not None:
        return asked
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _COLUMNS
    except (AttributeError, OSError, ValueError):  # stdout is None where it was closed before Python began
        return _COLUMNS


def folds() -> bool:
    """Tell whether lines are folded: on a terminal, or where a width was asked for."""
    return _asked_width() is not None or (sys.stdout is not None and sys.stdout.isatty())


def _asked_width() -> int | None:
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(WIDTH_KEY)


def _print_folded(names: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, flush in zip(names, right, strict=True):
        table.add_column(name, justify="right" if flush else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(highlight=False, width=terminal_width()).print(table)


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write all of `files` (name to content) into `folder`, made if missing, or change nothing.

    Everything is written under temporary names first and renamed when it is all there, so that a reader never sees
    half a file. Returns the paths. Raises UsageError if the folder or a file cannot be written.
    """
    prepared: list[tuple[Path, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            target = folder / name
            if target.is_dir():
                raise UsageError("cannot be written: is a directory", where=str(target))
            temporary = folder / f".{name}.{os.getpid()}.part"
            prepared.append((temporary, target))
            temporary.write_bytes(content)
        for temporary, target in prepared:
            temporary.replace(target)
    except OSError as error:
        place = next((target for temporary, target in prepared if str(temporary) == error.filename), folder)
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(place)) from None
    finally:
        for temporary, _ in prepared:
            temporary.unlink(missing_ok=True)
    return [target for _, target in prepared]

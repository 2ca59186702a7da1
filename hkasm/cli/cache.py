"""`hkasm cache`: the code objects that were built and kept."""

from __future__ import annotations

from datetime import datetime, timezone

import click

from hkasm.cli.app import Group
from hkasm.cli.options import json_option
from hkasm.cli.output import print_json, print_table


@click.group("cache", cls=Group, short_help="List or clear kept code objects.")
def command() -> None:
    """Show or clear the code objects that operators built and kept."""


@command.command("list")
@json_option
def list_entries(as_json: bool) -> None:
    """List what is kept, the last used first."""
    from hkasm.runtime.cache import Cache

    entries = Cache().entries()
    if as_json:
        print_json([{"key": one.key, "label": one.label, "bytes": one.nbytes, "used": one.used} for one in entries])
        return
    rows = [(one.key[:12], one.nbytes, _time(one.used), one.label) for one in entries]
    print_table(("key", ">bytes", "used (UTC)", "what it is"), rows)


@command.command("clear")
@json_option
def clear(as_json: bool) -> None:
    """Remove everything that is kept."""
    from hkasm.runtime.cache import Cache

    cache = Cache()
    count = cache.clear()
    if as_json:
        print_json({"removed": count, "folder": str(cache.folder)})
        return
    click.echo(f"removed {count} code object{'' if count == 1 else 's'} from {cache.folder}")


@command.command("path")
@json_option
def path(as_json: bool) -> None:
    """Print the folder."""
    from hkasm.runtime.cache import Cache

    folder = Cache().folder
    if as_json:
        print_json({"folder": str(folder)})
        return
    click.echo(str(folder))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M")

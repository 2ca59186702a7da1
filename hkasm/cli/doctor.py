"""`hkasm doctor`: what this machine has, and what each missing part would enable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.options import chosen_clang, clang_option, json_option
from hkasm.cli.output import print_facts, print_json, print_table
from hkasm.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hkasm.cli.checkup import Part, ToolchainReport


@click.command("doctor", short_help="Show what was found here and what is missing.")
@clang_option
@json_option
@click.pass_context
def command(ctx: click.Context, clang: str | None, as_json: bool) -> None:
    """Show the toolchains, packages and devices found, and what is missing.

    Exit code 1 says that no kernel can be built and run here.
    """
    from hkasm.cli.checkup import check_parts, check_toolchains, python_facts

    settings = Settings.from_environment()
    toolchains = check_toolchains(chosen_clang(clang, settings), settings)
    parts = check_parts(toolchains, settings)
    facts = python_facts()
    healthy = all(part.found for part in parts if part.needed)
    if as_json:
        print_json(
            {
                "healthy": healthy,
                "versions": facts,
                "toolchains": [one.as_dict() for one in toolchains],
                "parts": [part.as_dict() for part in parts],
            }
        )
    else:
        _print(facts, toolchains, parts)
    if not healthy:
        ctx.exit(EXIT_FAILED)


def _print(facts: Mapping[str, str], toolchains: list[ToolchainReport], parts: list[Part]) -> None:
    print_facts(facts)
    click.echo()
    for number, one in enumerate(toolchains):
        use = "used for " + ", ".join(one.used_for) if one.used_for else "not used"
        click.echo(f"toolchain {number + 1} ({one.origin}), {use}")
        print_facts(
            {
                "  clang": " ".join(one.clang),
                "  lld": " ".join(one.lld),
                "  version": one.version,
                "  knows": ", ".join(one.knows) or "neither gfx942 nor gfx950",
            }
        )
    if toolchains:
        click.echo()
    print_table(
        ("part", "", "what it says"),
        [(part.name, "ok" if part.found else "missing", part.detail) for part in parts],
    )
    missing = [part for part in parts if not part.found]
    if missing:
        click.echo()
    for part in missing:
        click.echo(f"{part.name} would enable: {part.enables}")
        click.echo(f"  to get it: {part.how}")

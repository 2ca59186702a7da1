"""`hkasm kernels`: the library, with every parameter's default and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hkasm.cli.options import json_option
from hkasm.cli.output import print_json, print_table

if TYPE_CHECKING:
    from hkasm.kernels import Kernel
    from hkasm.kernels.parameters import Parameter


@click.command("kernels", short_help="List kernels with their parameters.")
@click.argument("names", metavar="[KERNEL]...", nargs=-1)
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List kernels, or the named ones, with parameters, defaults and limits.

    A parameter is set with -p NAME=VALUE in 'hkasm build' and 'hkasm run'.
    """
    from hkasm.kernels import get_kernel, list_kernels

    kernels = [get_kernel(name) for name in names or list_kernels()]
    if as_json:
        print_json([_as_dict(kernel) for kernel in kernels])
        return
    for number, kernel in enumerate(kernels):
        if number:
            click.echo()
        click.echo(f"{kernel.name} ({', '.join(kernel.archs)})")
        click.echo(f"  {kernel.doc}")
        rows = [(f"  {one.name}", one.default, one.limits, one.doc) for one in _told(kernel)]
        print_table(("  parameter", "default", "limits", "what it is"), rows)


def _as_dict(kernel: Kernel[Any, Any]) -> dict[str, object]:
    problem = {one.name for one in kernel.problem_type.parameters()}
    return {
        "name": kernel.name,
        "doc": kernel.doc,
        "archs": list(kernel.archs),
        "parameters": [
            {
                "name": one.name,
                "of": "problem" if one.name in problem else "code",
                "default": one.default,
                "low": one.low,
                "high": one.high,
                "choices": list(one.choices),
                "form": one.form,
                "doc": one.doc,
            }
            for one in _told(kernel)
        ],
    }


def _told(kernel: Kernel[Any, Any]) -> list[Parameter]:
    """Return the parameters that -p sets: the architecture has an option of its own."""
    return [one for one in kernel.parameters() if one.name != "arch"]

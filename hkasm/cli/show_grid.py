"""`hkasm show grid`: which XCD and compute unit computes which tile, in which order."""

from __future__ import annotations

import math
from pathlib import Path

import click

from hkasm.cli.options import chip_option, parameter_option, parse_parameters, table_options
from hkasm.cli.output import print_facts, print_json, print_table, terminal_width, write_files
from hkasm.errors import UsageError

MAX_LISTED = 1 << 20
_MOST_ROWS, _RULER = 64, 8
"""Rows of tiles that are printed, and columns between two numbers above them."""
_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan", "bright_red", "bright_green")
"""Colours of XCDs that any terminal has."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@click.command("grid", short_help="Which XCD and CU computes which tile, in which order.")
@click.argument("name", metavar="X")
@chip_option
@click.option("--order", metavar="NAME", help="Another order: auto, rows, w8c64, w4call ...")
@click.option("--rounds", metavar="N", type=click.IntRange(0), default=1, help="Rounds to list; 0: all [1].")
@click.option("--simulate", is_flag=True, help="Simulate the caches instead of estimating.")
@click.option("-o", "--out", "path", metavar="FILE", type=click.Path(path_type=Path), help="Draw it as SVG.")
@parameter_option
@table_options
def command(
    name: str,
    chip_name: str | None,
    order: str | None,
    rounds: int,
    simulate: bool,
    path: Path | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the order in which the tiles of kernel X are computed, XCD by XCD.

    Workgroup w goes to XCD w mod 8 (or how many the chip has); within one, CUs
    are filled in turn, which is what a first round does. Where workgroups take
    tickets, the place in an XCD's share stands for them. The picture has the XCD
    of every tile; with colours, tiles of the first round are filled.

    \b
    hkasm show grid gemm -p m=8192 -p n=8192 --chip mi355x -o grid.svg
    hkasm show grid gemm -p m=9216 -p n=9216 --order w5c25 --json
    hkasm show grid gemm -p m=4096 -p n=4096 -p reserve=4 --chip mi300x-cpx
    hkasm show grid attention -p hq=64 -p q=8192 -p reserve=2
    """
    from hkasm.cli.predict import chosen_chip, reserved_of, shares_of
    from hkasm.kernels import get_kernel
    from hkasm.model.caches import simulate as run_caches

    kernel, given = get_kernel(name), parse_parameters(pairs)
    chip = chosen_chip(chip_name, given)
    values = kernel.values_on(chip, given)
    config, problem = kernel.config(**values), kernel.problem_on(chip.arch, values)
    found = problem.plan(order)
    if found is None:
        raise UsageError(f"{name}: nobody said what its tiles share")
    chosen, traffic, used = found.order, found.traffic, found.chip
    if simulate:
        traffic = run_caches(used, found.reuse.streams(), chosen.tiles_by_xcd())
    if chosen.workgroups > MAX_LISTED:
        raise UsageError(f"{chosen.workgroups} workgroups are too many to list", hint=f"at most {MAX_LISTED}")
    xcds = chosen.xcds
    reasons = kernel.reasons(config, {**values, "arch": chip.arch})
    launched = math.prod(problem.launch().grid) if order is None or found.how == "tickets" else chosen.workgroups
    row, column = chosen.tiles(range(chosen.workgroups))
    listed = [
        {
            "workgroup": w, "xcd": w % xcds, "cu": place % used.xcds[w % xcds].workers,
            "round": place // used.xcds[w % xcds].workers, "row": int(row[w]), "column": int(column[w]),
        }
        for w in range(chosen.workgroups)
        if (place := w // xcds - chosen.reserved) >= 0 and row[w] >= 0
    ]  # fmt: skip
    if path is not None:
        from hkasm.inspect.grid import draw_grid

        title = f"{name}, order {chosen.name}, on {used.name}"
        write_files(path.parent, {path.name: draw_grid(title, chosen.rows, chosen.columns, listed).encode()})
    hits = {"l2_hit": traffic.l2_hit, "l2_tag_hit": traffic.l2_tag_hit, "llc_hit": traffic.llc_hit}
    if as_json:
        print_json({
            "kernel": name, "chip": used.name, "order": chosen.name, "how": found.how, "rows": chosen.rows,
            "columns": chosen.columns, "workgroups": launched, "reserved": found.reserved * xcds,
            "hits": hits, "simulated": simulate, "makespan": traffic.makespan, "balance": traffic.balance,
            "numbers": chosen.numbers(),
            "considered": [{"order": one, "bandwidth": bandwidth} for one, bandwidth in found.considered],
            "chosen": reasons, "tiles": listed,
        })  # fmt: skip
        return
    kind = "simulated" if simulate else "estimated"
    print_facts({
        "grid": f"{chosen.rows} x {chosen.columns} tiles, {launched} workgroups",
        "chip": f"{used.name}, {used.cus} CUs compute",
        "order": f"{chosen.name}" + (f", best of {len(found.considered)}" if len(found.considered) > 1 else ""),
        "shares": shares_of(found),
        **reasons,
        "reserved": reserved_of(found),
        "hits": f"L2 {100 * traffic.l2_hit:.0f} %, LLC {100 * traffic.llc_hit:.0f} % ({kind})",
        "balance": f"{traffic.balance:.2f} of the lower bound",
    })  # fmt: skip
    _print_picture(chosen.rows, chosen.columns, listed)
    _print_rounds(listed, rounds)
    if path is not None:
        click.echo(f"\nwrote {path}")


def _print_picture(rows: int, columns: int, listed: list[dict[str, int]]) -> None:
    """Print the XCD of every tile, as many rows and columns as can be read; coloured where the terminal can."""
    from rich.console import Console
    from rich.text import Text

    label = len(str(rows - 1)) + 2
    height, width = min(rows, _MOST_ROWS), min(columns, max(terminal_width() - label, _RULER))
    tiles = {(one["row"], one["column"]): one for one in listed}
    click.echo("\nXCD of each tile" + ("" if (height, width) == (rows, columns) else f", {height} x {width} of them"))
    ruler = "".join(f"{column:<{_RULER}}" for column in range(0, width, _RULER)).rstrip()
    console = Console(highlight=False, soft_wrap=True)
    console.print(" " * label + ruler)
    for row in range(height):
        line = Text(f"{row:>{label - 2}}  ")
        for column in range(width):
            one = tiles.get((row, column))
            if one is None:
                line.append(".")
                continue
            colour = _COLOURS[one["xcd"] % len(_COLOURS)]
            style = f"{colour} reverse" if one["round"] == 0 else colour
            line.append(_DIGITS[one["xcd"] % len(_DIGITS)], style=style)
        console.print(line)


def _print_rounds(listed: list[dict[str, int]], rounds: int) -> None:
    last = rounds or max((one["round"] for one in listed), default=0) + 1
    by_xcd: dict[tuple[int, int], list[str]] = {}
    for one in listed:
        if one["round"] < last:
            by_xcd.setdefault((one["round"], one["xcd"]), []).append(f"{one['row']},{one['column']}")
    click.echo("\ntiles (row,column) by compute unit, from CU 0 on")
    print_table((">round", ">XCD", "tiles"), [(r, x, " ".join(tiles)) for (r, x), tiles in sorted(by_xcd.items())])

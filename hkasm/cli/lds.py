"""`hkasm lds`: banks, phases and conflicts of a shared tile, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.options import arch_option, json_option, width_option
from hkasm.cli.output import print_facts, print_json, print_table, write_files
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.inspect.banks import AccessView
    from hkasm.tiles.shared import SharedShape


@click.command("lds", short_help="Bank conflicts of a shared tile.")
@click.argument("name", metavar="SHAPE:DTYPE")
@click.option("--access", "accesses", metavar="MNEMONIC", multiple=True, help="Only this instruction; may be repeated.")
@click.option("--tile", metavar="RT", help="The register tile that is moved: rt_16x32 [the first that fits].")
@click.option("--layout", "layout", metavar="row|col", help="Its layout.")
@click.option("--solve", "solve", is_flag=True, help="Find the swizzle that serves all --access together.")
@click.option("--svg", "svg", metavar="FILE", help="Draw a picture of each --access.")
@arch_option
@width_option
@json_option
def command(
    name: str,
    accesses: tuple[str, ...],
    tile: str | None,
    layout: str | None,
    solve: bool,
    svg: str | None,
    arch: str | None,
    as_json: bool,
) -> None:
    """Print which lanes of an LDS access meet in a bank, for a tile on paper.

    Without --access all usual register tiles are listed with their widest
    accesses. What a kernel keeps in LDS is shown by 'hkasm show'.

    \b
    hkasm lds st_16x32:bf16 --access ds_read_b128
    hkasm lds st_16x32 --access ds_read_b128 --access ds_write_b64 --solve
    hkasm lds st_16x128:fp8 --arch gfx950
    """
    from hkasm.inspect.banks import access_views, draw_accesses, named_shape, overview
    from hkasm.isa.arch import ARCHES, get_arch

    known = get_arch(arch).name if arch is not None else None
    shape, dtype = named_shape(name)
    if not accesses:
        if svg is not None or solve or tile is not None or layout is not None:
            raise UsageError("--svg, --solve, --tile and --layout want an --access", hint="--access ds_read_b128")
        views = [view for one in ([known] if known else ARCHES) for view in overview(name, one)]
    else:
        views = [
            view for access in accesses for view in access_views(name, access, arch=known, tile=tile, layout=layout)
        ]
    if solve:
        _solve(views, shape, dtype, as_json)
        return
    if svg is not None:
        target = Path(svg)
        write_files(target.parent, {target.name: draw_accesses(views).encode()})
    if as_json:
        print_json({"shape": _facts(shape, dtype), "accesses": [view.as_dict() for view in views]})
        return
    print_facts(_facts(shape, dtype))
    if accesses:
        _print_phases(views)
    else:
        _print_overview(views)


def _facts(shape: SharedShape, dtype: str) -> dict[str, object]:
    padding = f"{shape.padding.bytes} bytes behind every {shape.padding.every}" if shape.padding else None
    return {
        "shape": shape.name,
        "elements": f"{shape.rows}x{shape.cols} {dtype}, {shape.row_bytes} bytes a row, {shape.bytes} bytes",
        "swizzle": f"byte offset {shape.swizzle.formula}",
        "padding": padding,
    }


def _print_phases(views: list[AccessView]) -> None:
    for view in views:
        click.echo(f"\n{view.head}")
        number, count = view.worst_access, len(view.result.accesses)
        if count > 1:
            click.echo(f"access {number} of {count}, {view.form.rows}x{view.form.cols} elements:")
        print_table((">phase", "lanes", ">degree", "who meets"), view.phases())
        click.echo(str(view.result))


def _print_overview(views: list[AccessView]) -> None:
    click.echo()
    print_table(
        ("arch", "register tile", "layout", "access", ">degree", ">conflicts", "known"),
        [
            (
                view.arch, view.form.shape.name, view.form.layout, view.instruction, view.result.worst,
                view.result.lost, f"{view.result.row.mark}: {view.result.row.source}",
            )
            for view in views
        ],
    )  # fmt: skip


def _solve(views: list[AccessView], shape: SharedShape, dtype: str, as_json: bool) -> None:
    from hkasm.tiles.solver import Need
    from hkasm.tiles.solver import solve as find

    documents = []
    for arch in dict.fromkeys(view.arch for view in views):
        needs = [Need(view.form.shape, view.form.layout, view.instruction) for view in views if view.arch == arch]
        found = find(arch, dtype, shape.rows, shape.cols, needs)
        if as_json:
            costs = zip(found.needs, found.costs, strict=True)
            document = {
                "arch": arch,
                "free": found.free,
                "swizzle": found.shape.swizzle.formula,
                "terms": [list(term) for term in found.shape.swizzle.terms],
                "searched": found.searched,
                "chunk_bytes": found.chunk_bytes,
                "accesses": [{"access": str(need), **cost.as_dict()} for need, cost in costs],
            }
            documents.append(document)
        else:
            click.echo(f"{arch}: {found}")
    if as_json:
        print_json(documents)

"""`hkasm layout`: which lane and register holds which element."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.options import arch_option, json_option
from hkasm.cli.output import print_json, print_table, write_files
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.inspect.layouts import LayoutView


@click.command("layout", short_help="Which lane and register holds which element.")
@click.argument("name", metavar="NAME")
@click.option("--operand", metavar="X", help="Only operand A, B, C, D, scale-A or scale-B.")
@click.option("--format", "fmt", metavar="TYPE", help="Format of an f8f6f4 operand: fp8, bf8, fp6, bf6, fp4 [fp8].")
@click.option("--layout", "layout", metavar="row|col", help="Only this layout of a register tile.")
@click.option("--element", metavar="ROW,COL", help="Where one element is.")
@click.option("--place", metavar="LANE,REGISTER", help="What one register of a lane holds.")
@click.option("--svg", "svg", metavar="FILE", help="Draw a picture.")
@arch_option
@json_option
def command(
    name: str,
    operand: str | None,
    fmt: str | None,
    layout: str | None,
    element: str | None,
    place: str | None,
    svg: str | None,
    arch: str | None,
    as_json: bool,
) -> None:
    """Print the layout of a matrix instruction's operands, or of a register tile.

    NAME is a mnemonic, or a tile of rows x columns and, where it is not the
    usual one, its stride: rt_16x32, rt_32x16_4, rt_16x128:fp8.

    \b
    hkasm layout v_mfma_f32_16x16x32_bf16 --operand A
    hkasm layout v_mfma_f32_32x32x16_bf16 --operand D --element 9,3
    hkasm layout rt_16x32:f16 --layout col --svg tile.svg
    """
    from hkasm.inspect.layouts import draw_layouts, layout_views
    from hkasm.isa.arch import get_arch

    known = get_arch(arch).name if arch is not None else None
    if element is not None and place is not None:
        raise UsageError("--element and --place ask for opposite things", hint="give one of them")
    views = layout_views(name, operand=operand, arch=known, fmt=fmt, layout=layout)
    asked = _pair(element, "--element", "ROW,COL") if element is not None else None
    spot = _pair(place, "--place", "LANE,REGISTER") if place is not None else None
    if svg is not None:
        target = Path(svg)
        write_files(target.parent, {target.name: draw_layouts(views).encode()})
    if as_json:
        print_json([_document(view, asked, spot) for view in views])
        return
    said = None if asked is None and spot is None else [_said(view, asked, spot) for view in views]
    for number, view in enumerate(views):
        if number:
            click.echo()
        click.echo(view.head)
        if view.note:
            click.echo(f"  {view.note}")
        if said is not None:
            click.echo("\n".join(f"  {line}" for line in said[number]))
            continue
        click.echo(f"  {view.rule}")
        runs = [(f"  {lanes}", *others) for lanes, *others in view.runs()]
        print_table(("  lanes", *view.axes, "registers"), runs)


def _document(view: LayoutView, asked: tuple[int, int] | None, spot: tuple[int, int] | None) -> dict[str, object]:
    if asked is not None:
        where = view.element(*asked)
        place = {"row": asked[0], "col": asked[1], "lane": where.lane, "register": where.register, "bit": where.bit}
        return {"title": view.title, "element": place}
    if spot is not None:
        held = [{"bit": first, "row": row, "col": col} for first, _, row, col in view.held(*spot)]
        return {"title": view.title, "place": {"lane": spot[0], "register": spot[1], "elements": held}}
    return view.as_dict()


def _said(view: LayoutView, asked: tuple[int, int] | None, spot: tuple[int, int] | None) -> list[str]:
    """Return lines on one element, or on what one register holds."""
    if asked is not None:
        return [view.element_text(*asked)]
    lane, register = spot or (0, 0)
    held = [
        f"lane {lane}, v{register} from bit {first} ({last - first + 1} bits): row {row}, column {col}"
        for first, last, row, col in view.held(lane, register)
    ]
    return held or [f"lane {lane}, v{register}: no element begins there"]


def _pair(text: str, option: str, form: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdigit() for part in parts):
        raise UsageError(f"{option} wants {form}, got '{text}'", hint=f"two numbers: {option} 3,17")
    return int(parts[0]), int(parts[1])

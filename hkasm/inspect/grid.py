"""Which XCD computes which tile, as a picture: a square a tile, a colour an XCD, darker the earlier the round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkasm.inspect.svg import Picture, shade

__all__ = ["MOST_DRAWN", "draw_grid"]

MOST_DRAWN = (128, 128)
"""Rows and columns of tiles that are drawn; a larger grid's first."""
_SIDES = ((32, 24), (64, 15), (128, 9))
"""Tiles in a row or column up to which a tile's side is so many pixels."""
_READABLE = 12
_DARKEST, _LIGHTEST = 0.6, 0.9


def draw_grid(title: str, rows: int, columns: int, tiles: Sequence[Mapping[str, int]]) -> str:
    """Return an SVG picture. Each of `tiles` has row, column, xcd, cu and round, as `hkasm show grid` lists them."""
    height, width = min(rows, MOST_DRAWN[0]), min(columns, MOST_DRAWN[1])
    side = next(pixels for limit, pixels in _SIDES if max(height, width) <= limit)
    drawn = [one for one in tiles if one["row"] < height and one["column"] < width]
    rounds = max((one["round"] for one in tiles), default=0) + 1
    xcds = max((one["xcd"] for one in tiles), default=0) + 1
    picture = Picture()
    left, top = 44, 96
    picture.text(10, 20, title, size=13, bold=True)
    cut = "" if (height, width) == (rows, columns) else f", the first {height} x {width} of {rows} x {columns}"
    picture.text(10, 38, f"which XCD computes which tile{cut}; darker is earlier, of {rounds} rounds")
    for xcd in range(xcds):
        picture.rect(left + 64 * xcd, 50, 14, 14, shade(xcd / xcds, _DARKEST))
        picture.text(left + 64 * xcd + 18, 61, f"XCD {xcd}")
    step = max(1, 8 if side < _READABLE else 4)
    for column in range(0, width, step):
        picture.text(left + column * side, top - 6, str(column), size=10)
    for row in range(0, height, step):
        picture.text(left - 6, top + row * side + min(side, 11), str(row), size=10, anchor="end")
    for one in drawn:
        x, y = left + one["column"] * side, top + one["row"] * side
        light = _DARKEST + (_LIGHTEST - _DARKEST) * one["round"] / max(rounds - 1, 1)
        said = f"tile {one['row']},{one['column']}: XCD {one['xcd']}, CU {one['cu']}, round {one['round']}"
        fill = shade(one["xcd"] / xcds, light)
        picture.rect(x, y, side, side, fill, stroke="#fff", thick=1 if side >= _READABLE else 0.5, said=said)
        if side >= _READABLE:
            picture.text(x + side / 2, y + side / 2 + 4, str(one["xcd"]), size=10, anchor="middle")
    return picture.document()

"""Pictures as SVG: rectangles, text and lines, the same bytes for the same input."""

from __future__ import annotations

from colorsys import hls_to_rgb
from xml.sax.saxutils import escape

__all__ = ["Picture", "shade"]

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"


def shade(part: float, lightness: float = 0.8) -> str:
    """Return a colour of the wheel, `part` from 0 to 1 of the way round."""
    red, green, blue = hls_to_rgb(part % 1.0, lightness, 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


class Picture:
    """A picture that grows to the right and down; sizes in pixels."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._width = self._height = 0.0

    def _reach(self, x: float, y: float) -> None:
        self._width, self._height = max(self._width, x), max(self._height, y)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        *,
        stroke: str = "#888",
        thick: float = 0.5,
        said: str = "",
    ) -> None:
        """Draw a filled rectangle; `said` is what a browser tells where it is pointed at."""
        self._reach(x + width, y + height)
        end = f"><title>{escape(said)}</title></rect>" if said else "/>"
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{thick:g}"{end}'
        )

    def text(
        self, x: float, y: float, words: str, *, size: float = 11, anchor: str = "start", bold: bool = False
    ) -> None:
        """Write text with its baseline at y; `anchor` is start, middle or end."""
        reach = {"start": x + 0.62 * size * len(words), "middle": x + 0.31 * size * len(words), "end": x}[anchor]
        self._reach(reach, y + 0.3 * size)
        weight = ' font-weight="bold"' if bold else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{place}{weight}>{escape(words)}</text>')

    def document(self) -> str:
        """Return the SVG document."""
        width, height = round(self._width) + 10, round(self._height) + 10
        body = "\n".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONT}" fill="#222">\n'
            f'<rect width="{width}" height="{height}" fill="#fff"/>\n{body}\n</svg>\n'
        )

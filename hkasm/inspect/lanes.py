"""A timeline drawn with characters: a row a unit, wave group under wave group, for a terminal and for a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkasm.inspect.timeline import LANES, Bar, SectionBar, Timeline

__all__ = ["lane_rows", "scale_row"]

_FULL, _PART, _NONE = "█", "▒", "·"
_TICKS = 5


def lane_rows(shown: Timeline, width: int) -> Iterator[tuple[str, str]]:
    """Yield (name, characters) a row: each group's title with its sections' names, then its units' lanes.

    A character stands for an equal share of the turn: full where the unit is held at least half of it.
    """
    used = [lane for lane in LANES if any(bar.lane == lane for bar in shown.bars)]
    for group in range(shown.groups):
        title = f"wave {shown.waves[group]}" if shown.waves else f"group {group}" if shown.groups > 1 else "waves"
        yield title, _titles([one for one in shown.sections if one.group == group], shown.cycles, width)
        for lane in used:
            bars = [bar for bar in shown.bars if bar.group == group and bar.lane == lane]
            yield f"  {lane}", _strip(bars, shown.cycles, width)


def scale_row(shown: Timeline, width: int) -> str:
    """Return the row of cycles below the lanes."""
    row = [" "] * width
    for tick in range(_TICKS):
        text = f"{tick * shown.cycles // _TICKS}"
        at = tick * width // _TICKS
        row[at : at + len(text)] = text
    return "".join(row)[:width].rstrip()


def _titles(sections: Sequence[SectionBar], cycles: int, width: int) -> str:
    row = [" "] * width
    for section in sections:
        first = section.start * width // max(cycles, 1)
        room = (section.start + section.cycles) * width // max(cycles, 1) - first
        text = f"|{section.title}"
        if len(text) >= room:
            # What is acted on tells more than the act where there is little room.
            text = "|" + ", ".join(step.partition(" ")[2] or step for step in section.title.split(", "))
        if len(text) >= room:
            text = f"{text[: max(room - 2, 0)]}…" if room > 2 else "|"[:room]
        row[first : first + len(text)] = text
    return "".join(row)[:width].rstrip()


def _strip(bars: Sequence[Bar], cycles: int, width: int) -> str:
    """Return how much of each column's time is held."""
    held = [0.0] * width
    share = max(cycles, 1) / width
    for bar in bars:
        first, last = bar.start / share, min((bar.start + bar.cycles) / share, width)
        for column in range(int(first), min(int(last) + 1, width)):
            held[column] += max(min(last, column + 1) - max(first, column), 0.0)
    return "".join(_FULL if part >= 0.5 else _PART if part > 1e-9 else _NONE for part in held)

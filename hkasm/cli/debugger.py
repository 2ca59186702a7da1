"""Stops of `hkasm emulate`: print what was asked for at each, and with --step ask what to do next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from hkasm.cli.app import one_line
from hkasm.cli.options import one_argument
from hkasm.errors import HkasmError, UsageError

if TYPE_CHECKING:
    from hkasm.asm.codeobject import KernelImage
    from hkasm.emulator.probes import Probe
    from hkasm.emulator.stop import Stop

__all__ = ["DebugWords", "Debugger", "QuitError", "debug_options"]

_WAVE = re.compile(r"(?:(?P<group>\d+(?:,\d+){0,2})/)?(?P<wave>\d+)")
_HELP: Final = """\
s, Enter   go on to the wave's next instruction
c          go on to the next stop
b PLACE    stop there too: FILE:LINE, KERNEL+OFFSET
p VIEW     print registers: v12, acc:16x16, v[0:3]:f16, s[4:5]:ptr
w VIEW     stop when they change
l          list the instructions round this one
q          end the launch"""


class QuitError(Exception):
    """The user has seen enough."""


@dataclass(frozen=True)
class DebugWords:
    """What a command line says of the stops of a wave, unread."""

    places: tuple[str, ...]
    wave: str
    views: tuple[str, ...]
    watched: tuple[str, ...]
    step: bool
    stops: int

    @property
    def wanted(self) -> bool:
        """Tell whether anything stops the wave."""
        return bool(self.places or self.watched or self.step)


debug_options = one_argument(
    "debug",
    DebugWords,
    click.option("--break", "places", metavar="PLACE", multiple=True,
                 help="Stop before FILE:LINE, KERNEL+OFFSET or a byte offset."),
    click.option("--wave", metavar="W", default="0", help="Which wave: W of the first workgroup, or X,Y,Z/W [0]."),
    click.option("--print", "views", metavar="VIEW", multiple=True,
                 help="Print registers at each stop: v12, acc:16x16, v[0:3]:f16."),
    click.option("--watch", "watched", metavar="VIEW", multiple=True, help="Stop when registers have changed."),
    click.option("--step", is_flag=True, help="Ask at each stop what to do."),
    click.option("--stops", type=click.IntRange(1), default=100, metavar="N", help="Stop so often at most [100]."),
)  # fmt: skip
"""Adds the options that stop a wave; the command gets them as `debug`, DebugWords."""


class Debugger:
    """The stops of one launch, on standard error where standard output is a JSON document's."""

    def __init__(self, words: DebugWords, *, to_stderr: bool) -> None:
        self._words, self._to_stderr = words, to_stderr
        self.probe: Probe | None = None
        if words.views and not words.wanted:
            raise UsageError(
                "--print shows registers at stops, and there is none", hint="add --break, --watch or --step"
            )

    def listeners_for(self, image: KernelImage) -> list[Probe]:
        """Return what watches a launch of a kernel: nothing if nothing was asked for. Raises UsageError."""
        self._image, words = image, self._words
        if not words.wanted:
            return []
        from hkasm.emulator.probes import Probe, places_of
        from hkasm.emulator.views import parse_view

        for view in (*words.views, *words.watched):
            parse_view(view)
        for place in words.places:
            places_of(image, place)
        workgroup, number = _chosen(words.wave)
        self.probe = Probe(
            list(words.places),
            wave=number,
            workgroup=workgroup,
            show=words.views,
            watch=words.watched,
            step=words.step and not (words.places or words.watched),
            limit=words.stops,
            then=self._stopped,
        )
        return [self.probe]

    def as_list(self) -> list[dict[str, object]]:
        """Return the stops as JSON has them."""
        return [
            {
                "number": stop.number,
                "where": stop.title,
                "offset": stop.offset,
                "reason": stop.reason,
                "workgroup": list(stop.workgroup),
                "wave": stop.wave,
                "shown": list(stop.shown),
            }
            for stop in (self.probe.stops if self.probe is not None else ())
        ]

    def _stopped(self, stop: Stop) -> None:
        probe = stop.probe
        click.echo(f"stop {len(probe.stops) + 1}: {stop.title}", err=self._to_stderr)
        if stop.reason:
            click.echo(f"  {stop.reason}", err=self._to_stderr)
        for view in probe.show:
            click.echo(stop.text(view), err=self._to_stderr)
        while self._words.step and not self._answered(stop):
            pass

    def _answered(self, stop: Stop) -> bool:
        """Ask once, do it, and say whether the launch goes on."""
        try:
            answer = click.prompt("(step)", default="s", show_default=False, prompt_suffix=" ", err=self._to_stderr)
        except click.Abort:
            click.echo()
            raise QuitError from None
        word, _, rest = str(answer).strip().partition(" ")
        try:
            return self._do(stop, word, rest.strip())
        except HkasmError as error:
            click.echo(one_line(error), err=self._to_stderr)
            return False

    def _do(self, stop: Stop, word: str, rest: str) -> bool:
        from hkasm.emulator.views import parse_view

        probe = stop.probe
        if word in ("q", "quit"):
            raise QuitError
        if word in ("s", "step", "c", "continue"):
            probe.step = word in ("s", "step")
            return True
        if word in ("p", "print") and rest:
            click.echo(stop.text(rest), err=self._to_stderr)
        elif word in ("w", "watch") and rest:
            stop.register(parse_view(rest).registers)
            probe.watch.append(rest)
        elif word in ("b", "break") and rest:
            probe.stop_at(self._image, rest)
        elif word in ("l", "list"):
            click.echo("\n".join(stop.lines()), err=self._to_stderr)
        else:
            click.echo(_HELP, err=self._to_stderr)
        return False


def _chosen(text: str) -> tuple[tuple[int, int, int] | int, int]:
    """Read `W` or `X,Y,Z/W`: the workgroup's id or number, and the wave."""
    match = _WAVE.fullmatch(text)
    if match is None:
        raise UsageError(f"--wave '{text}' is no wave", hint="--wave 3, or --wave 1,0,0/3 of another workgroup")
    if match["group"] is None:
        return 0, int(match["wave"])
    numbers = [int(part) for part in match["group"].split(",")]
    if len(numbers) == 1:
        return numbers[0], int(match["wave"])
    x, y, z = [*numbers, 0][:3]
    return (x, y, z), int(match["wave"])

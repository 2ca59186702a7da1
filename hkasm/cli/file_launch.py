"""A launch of a file's kernel on the emulator, from the words of a command line; commands that run one share it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hkasm.cli.memory import memory_bytes
from hkasm.cli.options import one_argument
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.asm.codeobject import CodeObject, KernelImage
    from hkasm.emulator.listener import Listener
    from hkasm.emulator.machine import Machine
    from hkasm.emulator.options import Options
    from hkasm.emulator.report import RunReport
    from hkasm.runtime.arg_words import Prepared

__all__ = ["FileLaunch", "LaunchWords", "launch_options", "prepare_launch"]

_MAX_LDS = 1 << 20
_MEMORY_SHARE = 4
"""A launch's buffers may take this part of the machine's memory: copies, shadows and results need the rest."""


@dataclass(frozen=True)
class LaunchWords:
    """What a command line says of a file's launch, unread."""

    grid: str | None
    block: str | None
    words: tuple[str, ...]
    lds: int
    slot: int

    def __bool__(self) -> bool:
        """Tell whether anything was said."""
        return any((self.grid, self.block, self.words, self.lds, self.slot))

    def refuse(self, where: str, when: str = "for files") -> None:
        """Raise UsageError if anything was said: a launch is told here only `when`."""
        if self:
            raise UsageError(f"--grid, --block, --arg, --lds and --kernarg-slot are {when}", where=where)


launch_options = one_argument(
    "launch",
    LaunchWords,
    click.option("--grid", metavar="X,Y,Z", help="Workgroups."),
    click.option("--block", metavar="X,Y,Z", help="Work-items of a workgroup."),
    click.option("--arg", "words", metavar="A", multiple=True, help="An argument, in the kernel's order."),
    click.option("--lds", type=click.IntRange(0, _MAX_LDS), default=0, metavar="BYTES", help="Dynamic LDS."),
    click.option("--kernarg-slot", "slot", type=click.IntRange(0, 256), default=0, metavar="BYTES",
                 help="Each argument in a slot of so many bytes."),
)  # fmt: skip
"""Adds the options that say what is launched; the command gets them as `launch`, LaunchWords."""


@dataclass(frozen=True)
class FileLaunch:
    """A launch that is ready: the kernel in its machine, its extents and its arguments in memory."""

    image: KernelImage
    machine: Machine
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lds_bytes: int
    prepared: Prepared

    @property
    def waves(self) -> int:
        x, y, z = self.block
        return self.grid[0] * self.grid[1] * self.grid[2] * -(-x * y * z // 64)

    def run(
        self,
        options: Options,
        report: RunReport,
        *,
        progress: Callable[[int, int], None] | None = None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        """Launch it; findings go to `report`. Raises HkasmError where the launch cannot go on."""
        self.machine.launch(
            self.image.name,
            self.grid,
            self.block,
            self.prepared.segment,
            lds_bytes=self.lds_bytes,
            options=options,
            report=report,
            progress=progress,
            listeners=listeners,
        )


def prepare_launch(code: CodeObject, image: KernelImage, launch: LaunchWords) -> FileLaunch:
    """Load a code object into an emulator of its own and put a kernel's arguments into memory. Raises UsageError."""
    from hkasm.runtime.arg_words import parse_argument, prepare
    from hkasm.runtime.emulated import EmulatorDevice

    arguments = [parse_argument(word) for word in launch.words]
    shape = _extent(launch.grid, "--grid", None), _extent(launch.block, "--block", _stated_block(image))
    device = EmulatorDevice()
    machine = device.load(code.data).machine
    prepared = prepare(image, arguments, device, slot=launch.slot, limit=memory_bytes() // _MEMORY_SHARE)
    return FileLaunch(image, machine, *shape, launch.lds, prepared)


def _extent(text: str | None, option: str, default: Sequence[int] | None) -> tuple[int, int, int]:
    """Read one to three numbers."""
    if text is None:
        if default is None:
            raise UsageError(f"{option} is missing", hint=f"{option} X,Y,Z")
        return default[0], default[1], default[2]
    if not re.fullmatch(r"\d{1,10}([,x]\d{1,10}){0,2}", text):
        raise UsageError(f"{option} '{text}' is not one to three whole numbers", hint=f"{option} X,Y,Z")
    numbers = [*(int(part) for part in re.split("[,x]", text)), 1, 1]
    return numbers[0], numbers[1], numbers[2]


def _stated_block(image: KernelImage) -> Sequence[int] | None:
    """Return the workgroup's size if the object says it."""
    if image.hkasm is not None:
        return image.hkasm["block"]
    required = image.metadata.get(".reqd_workgroup_size")
    if isinstance(required, list) and len(required) == 3 and all(isinstance(n, int) and n > 0 for n in required):
        return required
    return None

"""`hkasm emulate`: run anybody's kernel on the emulator, or a recorded launch again."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.debugger import Debugger, DebugWords, QuitError, debug_options
from hkasm.cli.emulation import Launched, print_launched, print_replayed
from hkasm.cli.file_launch import LaunchWords, launch_options, prepare_launch
from hkasm.cli.options import arch_option, clang_option, json_option, one_argument
from hkasm.cli.output import write_files
from hkasm.cli.progress import Bar, Progress
from hkasm.cli.subject import load_object
from hkasm.errors import EmulatorError, HazardError, HkasmError, RaceError, UsageError, WaitError

if TYPE_CHECKING:
    from hkasm.asm.codeobject import CodeObject, KernelImage
    from hkasm.emulator.options import Options
    from hkasm.runtime.arg_words import Prepared

FAULTS = (WaitError, RaceError, HazardError, EmulatorError)
_ALL_CHECKS = "all"


_run_options = one_argument(
    "run",
    dict,
    click.option("--jobs", type=click.IntRange(1, 256), default=1, metavar="N",
                 help="Processes for workgroups that are independent [1]."),
    click.option("--strict", is_flag=True, help="Stop at the first finding."),
    click.option("--checks", metavar="NAMES", default=_ALL_CHECKS, help="Only these checks, or none."),
    click.option("--hazards", metavar="LEVEL", default="auto", help="llvm, cycles or all [by the object]."),
    click.option("--arithmetic", metavar="NAME", default="exact", help="exact, fast or cdna3 [exact]."),
    click.option("--landing", metavar="NAME", default="late", help="late, eager or random [late]."),
    click.option("--order", metavar="NAME", default="batch", help="batch, reversed, random or lockstep [batch]."),
    click.option("--seed", type=click.IntRange(0), default=0, metavar="N", help="Of random landing and order [0]."),
    click.option("--max-instructions", type=click.IntRange(0), default=0, metavar="N",
                 help="Stop after so many wave-instructions."),
    click.option("--max-wave-instructions", type=click.IntRange(0), default=None, metavar="N",
                 help="Of a single wave; 0: no limit."),
    click.option("--max-seconds", type=click.FloatRange(0), default=0.0, metavar="S", help="Stop after this time."),
    click.option("--max-findings", type=click.IntRange(1), default=20, metavar="N", help="Keep so many [20]."),
)  # fmt: skip
"""Adds the options that say how it is run; the command gets them as `run`, by the names of the emulator's options."""


@click.command("emulate", short_help="Run a kernel of any code object on the emulator.")
@click.argument("path", metavar="[FILE]", required=False)
@click.option(
    "--replay",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A launch kept by launch(..., record=DIR).",
)
@click.option("--kernel", metavar="K", help="The kernel, where FILE holds several.")
@launch_options
@click.option("--out", "outputs", metavar="NAME.npy", multiple=True, help="Write the argument NAME's buffer.")
@_run_options
@debug_options
@arch_option
@clang_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: str | None,
    folder: Path | None,
    kernel: str | None,
    launch: LaunchWords,
    outputs: tuple[str, ...],
    run: Mapping[str, Any],
    debug: DebugWords,
    arch: str | None,
    clang: str | None,
    as_json: bool,
) -> None:
    """Run a kernel of FILE, a code object or a .s file, with all checks on.

    Prints counters and findings; with --out the memory that it wrote. An
    argument is a buffer, a pointer or a value; fills take a seed:

    \b
    ptr:bf16[512x512]=normal:1  zeros, ones, arange, nan, uniform:SEED,
                                integers:SEED:LOW:HIGH, bytes:SEED, A.npy
    ptr:f32[64]+128=zeros       128 bytes into a buffer
    ptr=NAME+256, ptr=0         into another argument's buffer; an address
    i32=512, f32=-1.5, raw=00ff a value of any type; its bytes
    NAME:...                    gives the argument a name

    \b
    hkasm emulate axpy.hsaco --grid 4 --block 64 \\
        --arg y:ptr:f32[1000]=normal:1 --arg ptr:f32[1000]=normal:2 \\
        --arg f32=2.5 --arg i32=1000 --out y.npy

    --break, --watch and --step stop a wave and show its registers: as the tile
    that they are of a matrix instruction, as numbers, as places in buffers.

    \b
    hkasm emulate gemm.hsaco ... --break gemm.py:45 --wave 3 --print acc:16x16

    With --replay a launch that launch(..., record=DIR) kept is run again, and
    its memory compared bit by bit. Exit code 1: a fault was found in the
    kernel, or the memory is not what the recorded launch left.
    """
    from hkasm.inspect.load import choose_kernel

    if (path is None) == (folder is None):
        raise UsageError("wants a code object, or --replay with a recorded launch", hint="see 'hkasm emulate -h'")
    if folder is not None:
        if launch or any((kernel, outputs, arch, clang)):
            raise UsageError("a recorded launch has its own kernel, grid and arguments", where=str(folder))
        passed = _replay(folder, _options(**{**run, "strict": True}), debug, as_json)
    else:
        code = load_object(path or "", arch=arch, clang=clang, lines=True)
        passed = _emulate(code, choose_kernel(code, kernel), launch, outputs, _options(**run), debug, as_json)
    if not passed:
        ctx.exit(EXIT_FAILED)


def _replay(folder: Path, options: Options, debug: DebugWords, as_json: bool) -> bool:
    """Run a recorded launch again; tell whether it went as recorded, or was ended by who watched it."""
    from hkasm.runtime.record import replay

    fault: HkasmError | None = None
    done = None
    debugger = Debugger(debug, to_stderr=as_json)
    with nullcontext() if debug.wanted else Progress(f"running {folder} on the emulator"):
        try:
            done = replay(folder, options, debugger.listeners_for)
        except QuitError:
            click.echo("the launch did not come to its end", err=as_json)
            return True
        except FAULTS as error:
            fault = error
    return print_replayed(done, fault, debugger, as_json)


def _emulate(
    code: CodeObject,
    image: KernelImage,
    launch: LaunchWords,
    outputs: tuple[str, ...],
    options: Options,
    debug: DebugWords,
    as_json: bool,
) -> bool:
    """Launch a file's kernel; tell whether nothing was found."""
    from hkasm.emulator.report import RunReport

    debugger = Debugger(debug, to_stderr=as_json)
    listeners = debugger.listeners_for(image)
    ready = prepare_launch(code, image, launch)
    files = _output_files(outputs, ready.prepared)
    done = Launched(ready, RunReport(), debugger)
    try:
        with Bar(f"{image.name} on the emulator", ready.waves, "waves", shown=not listeners) as bar:
            ready.run(options, done.report, progress=bar.update, listeners=listeners)
    except QuitError:
        done.quit = True
    except FAULTS as error:
        done.fault = error
    done.files = _write(files, ready.prepared)
    print_launched(done, as_json)
    return done.passed


def _options(*, checks: str, **run: Any) -> Options:
    """Return the emulator's options. Raises UsageError."""
    from hkasm.emulator.options import CHECKS, Options

    names = CHECKS if checks == _ALL_CHECKS else tuple(name for name in checks.split(",") if name not in ("", "none"))
    return Options(checks=names, **{name: value for name, value in run.items() if value is not None})


def _output_files(outputs: Sequence[str], prepared: Prepared) -> list[tuple[str, Path]]:
    """Return (argument, path) of each `--out`: NAME.npy, or NAME=PATH. Raises UsageError before anything runs."""
    found = []
    for word in outputs:
        name, equals, path = word.partition("=")
        target = Path(path if equals else word)
        if target.suffix != ".npy":
            raise UsageError(f"--out '{word}' is no .npy file", hint="--out NAME.npy, --out NAME=FILE.npy")
        name = name if equals else target.stem
        prepared.buffer(name)
        found.append((name, target))
    return found


def _write(files: Sequence[tuple[str, Path]], prepared: Prepared) -> list[Path]:
    import numpy as np

    from hkasm.runtime.arg_words import bits_of_array

    written: list[Path] = []
    for name, target in files:
        content = io.BytesIO()
        np.save(content, bits_of_array(prepared.buffer(name).numpy()), allow_pickle=False)
        written += write_files(target.parent, {target.name: content.getvalue()})
    return written

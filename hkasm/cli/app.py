"""The command's frame: finds subcommands, and turns every way to end into an exit code.

0 is success; 1 is a job that ran and whose answer is no (a wrong product, an unusable installation); 2 is input that
hkasm cannot take, said in one line on stderr; 70 is a fault of hkasm's own; 130 is Ctrl-C. Subcommands are files beside
this one, imported when they are asked for: the time of a whole process is part of what `hkasm build` promises.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

import hkasm
from hkasm.errors import HkasmError, UsageError, did_you_mean

__all__ = ["EXIT_FAILED", "EXIT_INTERNAL", "EXIT_INTERRUPTED", "EXIT_USAGE", "App", "Group", "main"]

EXIT_FAILED, EXIT_USAGE, EXIT_INTERNAL, EXIT_INTERRUPTED = 1, 2, 70, 130

# In the order in which the help lists them; each is the module's name and its command's.
_COMMANDS = (
    "build",
    "run",
    "emulate",
    "bundle",
    "kernels",
    "show",
    "diff",
    "check",
    "report",
    "predict",
    "isa",
    "layout",
    "lds",
    "disasm",
    "bench",
    "selftest",
    "cache",
    "doctor",
)


class _InterruptedError(Exception):
    """Ctrl-C, on its way past click, which would print something."""


class Group(click.Group):
    """A click group that says what an unknown command may have meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if not name.startswith("-") and name not in known:
            path = " ".join([*ctx.command_path.split()[1:], name])
            raise UsageError(
                f"unknown command '{path}'", hint=did_you_mean(name, known) or f"one of {', '.join(known)}"
            )
        return super().resolve_command(ctx, args)


class App(Group):
    """The whole command: its subcommands are modules of this package, its errors are one line each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"hkasm.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _InterruptedError from None

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        """Run the command and leave the process with its exit code."""
        extra["standalone_mode"] = False
        status = self._run(args, prog_name, extra)
        if status == EXIT_INTERRUPTED:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process ends, another Ctrl-C changes nothing
        sys.exit(status)

    def _run(self, args: Sequence[str] | None, prog_name: str | None, extra: dict[str, Any]) -> int:
        asked = "--traceback" in (sys.argv if args is None else args)
        try:
            status = super().main(args, prog_name, **extra)
        except HkasmError as error:
            if asked and error.__cause__ is not None:
                click.echo(_told_from_outside(error.__cause__), err=True, nl=False)
            _complain(one_line(error))
        except click.UsageError as error:
            _complain(_usage_line(error))
        except click.ClickException as error:
            _complain(error.format_message())
        except (_InterruptedError, click.Abort, KeyboardInterrupt):
            return EXIT_INTERRUPTED
        except OSError as error:
            _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        except MemoryError:
            _complain("out of memory")
        except Exception as error:
            # A fault of hkasm's own: where it happened is worth a line, the whole traceback is there to be had.
            if asked:
                raise
            _complain(f"internal error, a fault of hkasm: {_fault(error)}; 'hkasm --traceback ...' shows all of it")
            return EXIT_INTERNAL
        else:
            return status if isinstance(status, int) else 0
        return EXIT_USAGE


def one_line(error: HkasmError) -> str:
    """Return an error's text in one line, unless the message itself has several."""
    if "\n" in error.message:
        return str(error)
    text = f"{error.where}: {error.message}" if error.where is not None and str(error.where) else error.message
    parts = (text, f"form: {error.form}" if error.form else "", error.hint or "")
    return "; ".join(part for part in parts if part)


def _usage_line(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx is not None else "hkasm"
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [name for param in error.ctx.command.get_params(error.ctx) for name in param.opts if name[:1] == "-"]
        hint = did_you_mean(error.option_name, known) or f"see '{command} -h'"
        if error.option_name == "--arch" and "--chip" in known:
            hint = "--chip names the chip, and with it the architecture"
        return f"no such option '{error.option_name}'; {hint}"
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and isinstance(error.ctx.command, click.Group):
        names = ", ".join(error.ctx.command.list_commands(error.ctx))
        return f"{error.ctx.command.name} wants to know what; one of {names}"
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; see '{command} -h'"


def _fault(error: Exception) -> str:
    """Return type, text and innermost place of an error in one line."""
    place, where = error.__traceback__, ""
    while place is not None:
        where = f" at {place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
        place = place.tb_next
    return " ".join(f"{type(error).__name__}: {error}".split()) + where


def _told_from_outside(error: BaseException) -> str:
    """Return an error's traceback from the first frame that is not hkasm's own: a script's line comes first."""
    from traceback import format_exception

    inside, first = str(Path(hkasm.__file__).parent), error.__traceback__
    while first is not None and first.tb_frame.f_code.co_filename.startswith((inside, "<frozen ")):
        first = first.tb_next
    return "".join(format_exception(type(error), error, first))


def _complain(text: str) -> None:
    click.echo(f"hkasm: {text}", err=True)


@click.group(
    cls=App,
    name="hkasm",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(hkasm.__version__, message="hkasm %(version)s", help="Show the version and exit.")
@click.option("--traceback", is_flag=True, help="Show a fault of hkasm's own, or of a script, in full.")
@click.help_option("-h", "--help", help="Show this text and exit.")
@click.pass_context
def main(ctx: click.Context, traceback: bool) -> None:
    """Write, check and run AMDGCN assembly for gfx942 and gfx950.

    Every command takes --json. Exit codes: 0 success; 1 the answer is no (a
    wrong product, no usable installation); 2 input that hkasm cannot take;
    130 interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())

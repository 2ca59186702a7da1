"""Errors that a user of hkasm can cause, and nothing else.

Every message says where (the Python line that wrote the instruction, or a place in a code object), what was
wrong and what was got; `form` shows how the thing is written, `hint` gives the one most likely repair.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = [
    "ArchError",
    "CodeObjectError",
    "DecodeError",
    "DeviceError",
    "EmulatorError",
    "EncodingError",
    "HazardError",
    "HkasmError",
    "LaunchError",
    "OperandError",
    "RaceError",
    "RegisterError",
    "ScheduleError",
    "ToolchainError",
    "UsageError",
    "WaitError",
    "did_you_mean",
    "known_keywords",
]


class HkasmError(Exception):
    """Say where something is wrong, what it is, and how to mend it.

    `where` is an `Origin` or any text that stands for a place (`gemm.py:12`, `gemm.hsaco`); it is printed with
    `str` and kept as it was given. `str(error)` is `where: message`, then a line each for `form` and `hint`.
    """

    def __init__(
        self, message: str, *, where: object | None = None, hint: str | None = None, form: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint or None
        self.form = form or None

    def __str__(self) -> str:
        place = "" if self.where is None else str(self.where)
        lines = [f"{place}: {self.message}" if place else self.message]
        if self.form:
            lines.append(f"  form: {self.form}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only fields do not survive Exception's own pickling, which test runners and pools rely on.
        return (_rebuild, (type(self), self.message, self.where, self.hint, self.form))


def _rebuild(
    kind: type[HkasmError], message: str, where: object | None, hint: str | None, form: str | None
) -> HkasmError:
    return kind(message, where=where, hint=hint, form=form)


class ArchError(HkasmError):
    """An architecture is unknown, or lacks what was asked of it."""


class OperandError(HkasmError):
    """An operand of an instruction has the wrong file, width, alignment, range or type."""


class RegisterError(HkasmError):
    """A register cannot be had: the file is full, the number is taken, or the slice does not exist."""


class WaitError(HkasmError):
    """A value is used, or a register overwritten, before the wait that makes it safe."""


class RaceError(HkasmError):
    """Two waves touch the same LDS or memory byte with no order between them, and one of them writes."""


class HazardError(HkasmError):
    """Two instructions stand closer together than the ISA's manually inserted wait states allow."""


class ScheduleError(HkasmError):
    """A schedule names a step that is not there, or orders steps in a way that cannot be lowered."""


class EncodingError(HkasmError):
    """An instruction has no machine code on this architecture, or a field does not fit."""


class DecodeError(HkasmError):
    """Machine code is not an instruction that hkasm knows on this architecture."""


class ToolchainError(HkasmError):
    """clang or lld is missing, does not know the architecture, or refused its input."""


class CodeObjectError(HkasmError):
    """A file is no code object for AMDGCN, or is damaged."""


class EmulatorError(HkasmError):
    """The emulator cannot go on with a program."""


class LaunchError(HkasmError):
    """A kernel cannot be launched with this grid, block or these arguments."""


class DeviceError(HkasmError):
    """A device cannot be had, or one of its calls failed."""


class UsageError(HkasmError):
    """hkasm was asked for something that does not exist or makes no sense."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return `did you mean 'x'?` for the choice nearest to `word`, or an empty string if none is near.

    Case is not compared, so that `GFX950` finds `gfx950`.
    """
    by_folded = {choice.casefold(): choice for choice in choices}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f"did you mean '{by_folded[near[0]]}'?" if near else ""


Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def known_keywords(more: str = "") -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Return a decorator of functions that people call: an unknown keyword is a UsageError with those there are.

    `more` is told behind them.
    """

    def decorate(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        known = list(inspect.signature(function).parameters)

        @wraps(function)
        def call(*args: Given.args, **keywords: Given.kwargs) -> Answer:
            for name in keywords:
                if name not in known:
                    told = f"it takes {', '.join(known)}" + (f"; {more}" if more else "")
                    raise UsageError(f"{function.__name__} takes no {name!r}", hint=told)
            return function(*args, **keywords)

        return call

    return decorate

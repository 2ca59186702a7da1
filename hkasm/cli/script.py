"""Kernels of the user's own: `axpy.py:axpy`, a function in a Python file that takes a builder and writes a kernel."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

import hkasm
from hkasm.errors import HkasmError, UsageError, did_you_mean

if TYPE_CHECKING:
    from hkasm.asm.builder import Builder
    from hkasm.asm.program import Program

__all__ = ["names_a_script", "refuse_script", "script_program"]

_SUBJECT = re.compile(r"(?P<path>.+\.py):(?P<function>\w+)")
_MOST_WORK_ITEMS = 1024


def names_a_script(subject: str) -> bool:
    """Tell whether a word names a function in a Python file. Raises UsageError for a file alone."""
    if subject.endswith(".py"):
        raise UsageError("names no function", where=subject, hint=f"{subject}:FUNCTION")
    return _SUBJECT.fullmatch(subject) is not None


def refuse_script(subject: str) -> None:
    """Raise UsageError for a function in a Python file: the command takes what is built of it."""
    if names_a_script(subject):
        name = subject.rpartition(":")[2]
        hint = f"build it first: hkasm build {subject} -o out writes out/{name}.hsaco"
        raise UsageError("is Python, no code object", where=subject, hint=hint)


def script_program(subject: str, arch: str, values: Mapping[str, str]) -> Program:
    """Run a Python file and build the kernel that its function writes.

    Parameters are the function's keyword parameters, as the type of their default, and `block`, the work-items of a
    workgroup, where `hkasm.kernel` does not state them.

    Raises:
        UsageError: no such file, function or parameter, or the file or the function does not run: then with its line.
        HkasmError: what the kernel's own mistakes raise.
    """
    from hkasm.asm.builder import DEFAULT_BLOCK, build, stated_block

    found = _SUBJECT.fullmatch(subject)
    assert found is not None  # the caller asked
    path, name = Path(found["path"]), found["function"]
    module = _module(path)
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UsageError(f"has no function '{name}'", where=str(path), hint=did_you_mean(name, known))
    given = dict(values)
    block = given.pop("block", None)
    if block is not None and not (block.isdecimal() and 1 <= int(block) <= _MOST_WORK_ITEMS):
        raise UsageError(f"block={block}: a workgroup has 1 to {_MOST_WORK_ITEMS} work-items")
    if block is None and stated_block(function) is None:
        click.echo(
            f"hkasm: {name}: a block of {DEFAULT_BLOCK} is assumed; @hkasm.kernel(block=N) or -p block=N", err=True
        )
    keywords = _keywords(function, name, given)

    def write(k: Builder) -> object:
        return function(k, **keywords)

    wanted = int(block) if block is not None else stated_block(function)
    with _blaming(path):
        return build(write, arch=arch, name=name, block=wanted)


def _keywords(function: Callable[..., object], name: str, given: Mapping[str, str]) -> dict[str, object]:
    """Return keyword arguments from the words of the command line. Raises UsageError."""
    known = {
        key: one
        for key, one in inspect.signature(function).parameters.items()
        if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)
    }
    known = dict(list(known.items())[1:])  # the builder
    keywords: dict[str, object] = {}
    for key, word in given.items():
        if key not in known:
            hint = did_you_mean(key, known) or f"it has {', '.join(['block', *known])}"
            raise UsageError(f"{name} has no parameter '{key}'", hint=hint)
        keywords[key] = _read(key, word, known[key])
    missing = [key for key, one in known.items() if one.default is one.empty and key not in keywords]
    if missing:
        raise UsageError(f"{name} wants a value for {', '.join(missing)}", hint=f"-p {missing[0]}=...")
    return keywords


def _read(key: str, word: str, parameter: inspect.Parameter) -> object:
    """Return a word as the type of a parameter's default, else of its annotation, else as a text."""
    annotation = parameter.annotation
    kind = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    if parameter.default is not parameter.empty:
        kind = type(parameter.default).__name__
    if kind == "bool":
        if word.lower() not in ("true", "false", "1", "0"):
            raise UsageError(f"{key}={word}: true or false")
        return word.lower() in ("true", "1")
    if kind in ("int", "float"):
        try:
            return int(word, 0) if kind == "int" else float(word)
        except ValueError:
            raise UsageError(f"{key}={word}: not {'a whole number' if kind == 'int' else 'a number'}") from None
    return word


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Turn an error of the user's own code into one line that names its place; hkasm's errors pass."""
    try:
        yield
    except HkasmError:
        raise
    except Exception as error:
        if error.args and isinstance(error.args[0], HkasmError):  # a builder's method that is no instruction
            raise error.args[0] from None
        frames = traceback.extract_tb(error.__traceback__)
        places, said = [(frame.filename, frame.lineno) for frame in frames], str(error)
        if isinstance(error, SyntaxError) and error.filename:
            places.append((error.filename, error.lineno))
            said = error.msg
        own = [(name, line) for name, line in places if _is_own(name, path.parent)]
        where = f"{path.parent / os.path.relpath(own[-1][0], path.parent)}:{own[-1][1]}" if own else str(path)
        hint = None if own and own[-1] == places[-1] else "'hkasm --traceback ...' shows all of it"
        said = " ".join(said.split()) or str(frames[-1].line)
        raise UsageError(f"{type(error).__name__}: {said}", where=where, hint=hint) from error


def _is_own(name: str, folder: Path) -> bool:
    """Tell whether a file is the script or another of the user's beside or below it, and no library's."""
    place = Path(name).resolve()
    return (
        place.is_relative_to(folder.resolve())
        and "site-packages" not in place.parts
        and not place.is_relative_to(Path(hkasm.__file__).parent)
    )


def _module(path: Path) -> object:
    """Run a file as a module under its own name, its folder first on the path, as Python runs a script; once."""
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if not path.is_file():
        raise UsageError("cannot be read: No such file", where=str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError("is no Python file", where=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[path.stem] = module
    with _blaming(path):
        spec.loader.exec_module(module)
    return module

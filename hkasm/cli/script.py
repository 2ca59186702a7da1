"""Kernels of the user's own: `axpy.py:axpy`, a function in a Python file that takes a builder and writes a kernel."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hkasm.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from hkasm.asm.program import Program

__all__ = ["names_a_script", "script_program"]

_SUBJECT = re.compile(r"(?P<path>.+\.py):(?P<function>\w+)")
_MOST_WORK_ITEMS = 1024


def names_a_script(subject: str) -> bool:
    """Tell whether a word names a function in a Python file."""
    return _SUBJECT.fullmatch(subject) is not None


def script_program(subject: str, arch: str, values: Mapping[str, str]) -> Program:
    """Run a Python file and build the kernel that its function writes; `block` is the one parameter there is.

    Raises:
        UsageError: no such file or function, or the file does not run.
        HkasmError: what the kernel's own mistakes raise.
    """
    from hkasm.asm.builder import build

    found = _SUBJECT.fullmatch(subject)
    assert found is not None  # the caller asked
    path, name = Path(found["path"]), found["function"]
    unknown = [key for key in values if key != "block"]
    if unknown:
        raise UsageError(f"a script's kernel has no parameter '{unknown[0]}'", hint="block=N")
    block = values.get("block", "64")
    if not block.isdecimal() or not 1 <= int(block) <= _MOST_WORK_ITEMS:
        raise UsageError(f"block={block}: a workgroup has 1 to {_MOST_WORK_ITEMS} work-items")
    function = getattr(_module(path), name, None)
    if not callable(function):
        known = [key for key, value in vars(_module(path)).items() if callable(value) and not key.startswith("_")]
        raise UsageError(f"has no function '{name}'", where=str(path), hint=did_you_mean(name, known))
    return build(function, arch=arch, name=name, block=int(block))


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
    try:
        spec.loader.exec_module(module)
    except (SyntaxError, ImportError) as error:
        raise UsageError(f"does not run: {error}", where=str(path)) from None
    return module

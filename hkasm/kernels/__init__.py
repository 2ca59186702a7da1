"""The library of kernels; every module below this folder is looked through, nobody keeps a list."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from hkasm.errors import UsageError, did_you_mean
from hkasm.kernels.kernel import Comparison, FollowUp, Kernel, Launch, Problem
from hkasm.kernels.parameters import Parameter, ParameterSet, parameter

__all__ = [
    "Comparison",
    "FollowUp",
    "Kernel",
    "Launch",
    "Parameter",
    "ParameterSet",
    "Problem",
    "get_kernel",
    "list_kernels",
    "parameter",
]


def list_kernels() -> list[str]:
    """Return the names of all kernels, sorted."""
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return sorted(Kernel.known)


def get_kernel(name: str) -> Kernel[Any, Any]:
    """Return a kernel by name; UsageError with the nearest name if there is none.

    A kernel that has a folder of its name is found there, so that a build imports no other kernel.
    """
    if name not in Kernel.known and any(one.ispkg and one.name == name for one in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{name}.kernel")
    known = Kernel.known if name in Kernel.known else list_kernels()
    if name not in known:
        own = "of a function in a file: hkasm build FILE.py:FUNCTION, then hkasm emulate, predict, show of its .hsaco"
        hint = did_you_mean(name, known) or f"kernels: {', '.join(known)}"
        raise UsageError(f"unknown kernel {name!r}", hint=own if ".py:" in name else hint)
    return Kernel.known[name]()

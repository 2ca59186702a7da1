"""What a module holds, by name, with an error that says what there is."""

from __future__ import annotations

from typing import TypeVar

from hkasm.errors import LaunchError, UsageError, did_you_mean

__all__ = ["KernelTable", "check_source"]

K = TypeVar("K")


class KernelTable(dict[str, K]):
    """Kernels by name; an unknown name raises LaunchError with the nearest one."""

    def __missing__(self, name: object) -> K:
        known = ", ".join(sorted(self)) or "none"
        near = did_you_mean(name, self) if isinstance(name, str) else ""
        raise LaunchError(f"no kernel {name!r} in this object", hint=near or f"kernels: {known}")


def check_source(source: object) -> None:
    """Refuse what is neither a path nor bytes, before it becomes somebody else's TypeError.

    Raises:
        UsageError: anything else, a Program above all, which must be assembled first.
    """
    if not isinstance(source, (str, bytes, bytearray, memoryview)) and not hasattr(source, "__fspath__"):
        hint = "load(hkasm.build_hsaco(program))" if hasattr(source, "text_with_origins") else None
        raise UsageError(f"load wants a path or the bytes of a code object, got a {type(source).__name__}", hint=hint)

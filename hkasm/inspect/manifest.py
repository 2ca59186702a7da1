"""What a build says about itself: the JSON beside a code object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import hkasm
from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain
from hkasm.inspect.resources import resources_of

__all__ = ["manifest"]

FORMAT = 1


def manifest(program: Program, grid_rule: Sequence[str], toolchain: Toolchain) -> dict[str, object]:
    """Return what a launcher and a reader need to know of `program`; the same build gives the same document.

    Offsets and sizes of arguments are bytes in the kernarg segment of `kernarg_bytes`; `block` is in work-items and
    `grid_rule` (formulas for x, y and z, or nothing where only the launch knows) in workgroups; `toolchain` is what
    assembled it.
    """
    return {
        "format": FORMAT,
        "kernel": program.name,
        "arch": program.arch.name,
        "config": dict(program.config),
        "args": [asdict(arg) for arg in program.args],
        "kernarg_bytes": program.kernarg_bytes,
        "grid": dict(zip("xyz", grid_rule, strict=False)),
        "block": list(program.block),
        "resources": resources_of(program).as_dict(),
        "instructions": len(program.instructions),
        "code_bytes": program.layout(),
        "lds": [asdict(region) for region in program.lds_map],
        "versions": {"hkasm": hkasm.__version__, "clang": toolchain.version},
    }

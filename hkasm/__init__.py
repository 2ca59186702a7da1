"""hkasm writes, checks and runs AMDGCN assembly for AMD's CDNA3 and CDNA4 from Python.

The names below are loaded when they are first asked for, so that `import hkasm` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# The public names, each with the module that defines it; `__init__.pyi` says the same to type checkers.
_HOMES = {
    "build": "hkasm.asm.builder",
    "kernel": "hkasm.asm.builder",
    "Builder": "hkasm.asm.builder",
    "CodeObject": "hkasm.asm.codeobject",
    "Program": "hkasm.asm.program",
    "build_hsaco": "hkasm.asm.toolchain",
    "find_toolchain": "hkasm.asm.toolchain",
    "Arch": "hkasm.isa.arch",
    "get_arch": "hkasm.isa.arch",
    "Register": "hkasm.isa.registers",
    "s": "hkasm.isa.registers",
    "v": "hkasm.isa.registers",
    "a": "hkasm.isa.registers",
    "EXEC": "hkasm.isa.registers",
    "M0": "hkasm.isa.registers",
    "VCC": "hkasm.isa.registers",
    "device": "hkasm.runtime",
    "HkasmError": "hkasm.errors",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'hkasm' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})

"""What the machine's environment says to hkasm: the only place that reads environment variables.

A command-line flag wins over its variable. Library code reads none of this; it takes what it needs as an argument.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set; None where nothing was.

    `clang` (HKASM_CLANG) is the clang to use and no other, `rocm_path` (ROCM_PATH) the folder of a ROCm installation,
    `device` (HKASM_DEVICE) where kernels run and `arch` (HKASM_ARCH) what they are built for if a command does not say.
    """

    clang: str | None = None
    rocm_path: str | None = None
    device: str | None = None
    arch: str | None = None

    @staticmethod
    def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
        """Read the variables, this process's if no others are given; an empty one counts as not set."""
        said = os.environ if environment is None else environment
        return Settings(
            clang=said.get("HKASM_CLANG") or None,
            rocm_path=said.get("ROCM_PATH") or None,
            device=said.get("HKASM_DEVICE") or None,
            arch=said.get("HKASM_ARCH") or None,
        )

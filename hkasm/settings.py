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

    `arch` (HKASM_ARCH) and `device` (HKASM_DEVICE) are what to build for and where to run if a command does not say,
    `clang` (HKASM_CLANG) is the clang to use and no other, `rocm_path` (ROCM_PATH) the folder of a ROCm installation.
    """

    arch: str | None = None
    clang: str | None = None
    rocm_path: str | None = None
    device: str | None = None

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the variables; an empty one counts as not set."""
        return Settings(
            arch=environment.get("HKASM_ARCH") or None,
            clang=environment.get("HKASM_CLANG") or None,
            rocm_path=environment.get("ROCM_PATH") or None,
            device=environment.get("HKASM_DEVICE") or None,
        )

"""Hardware registers that s_getreg and s_setreg name, and the 16-bit constant that picks a field of one.

Source: LLVM 22's names for gfx942 and gfx950 (`hwreg(...)` operands).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hkasm.errors import OperandError, did_you_mean

__all__ = ["HWREGS", "HwregField", "hwreg", "hwreg_text", "unpack_hwreg"]

HWREGS: Final = {
    1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID", 5: "HW_REG_GPR_ALLOC",
    6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS", 15: "HW_REG_SH_MEM_BASES", 16: "HW_REG_TBA_LO", 17: "HW_REG_TBA_HI",
    18: "HW_REG_TMA_LO", 19: "HW_REG_TMA_HI", 20: "HW_REG_XCC_ID", 21: "HW_REG_SQ_PERF_SNAPSHOT_DATA",
    22: "HW_REG_SQ_PERF_SNAPSHOT_DATA1", 23: "HW_REG_SQ_PERF_SNAPSHOT_PC_LO", 24: "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
}  # fmt: skip
_NUMBERS: Final = {name: number for number, name in HWREGS.items()}


@dataclass(frozen=True, slots=True)
class HwregField:
    """A field of a hardware register: number, first bit, width in bits."""

    number: int
    offset: int
    width: int


def hwreg(register: int | str, offset: int = 0, width: int = 32) -> int:
    """Return the constant for a field: register in bits 5:0, offset in 10:6, width - 1 in 15:11.

    Raises:
        OperandError: unknown name, or a number out of its range (register 0..63, offset 0..31, width 1..32).
    """
    if isinstance(register, str):
        name = register if register.startswith("HW_REG_") else f"HW_REG_{register.upper()}"
        if name not in _NUMBERS:
            raise OperandError(f"unknown hardware register {register!r}", hint=did_you_mean(name, _NUMBERS))
        register = _NUMBERS[name]
    for what, value, low, high in (("register", register, 0, 63), ("offset", offset, 0, 31), ("width", width, 1, 32)):
        if not low <= value <= high:
            raise OperandError(f"hwreg: {what} {value} is out of range ({low} to {high})")
    return register | offset << 6 | (width - 1) << 11


def unpack_hwreg(simm16: int) -> HwregField:
    """Return the field that a constant picks."""
    return HwregField(simm16 & 0x3F, simm16 >> 6 & 0x1F, (simm16 >> 11 & 0x1F) + 1)


def hwreg_text(simm16: int) -> str:
    """Write a field as the assembler does: ``hwreg(HW_REG_MODE, 4, 2)``; a whole register stands alone."""
    found = unpack_hwreg(simm16)
    name = HWREGS.get(found.number, str(found.number))
    if (found.offset, found.width) == (0, 32):
        return f"hwreg({name})"
    return f"hwreg({name}, {found.offset}, {found.width})"

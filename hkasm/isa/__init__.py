"""What the machine is: archs, registers, instructions, encodings, layouts, banks, counters, hazards, number formats."""

import hkasm.isa.families  # noqa: F401  (declares the instructions)
from hkasm.isa.arch import ARCHES, GFX942, GFX950, Arch, get_arch
from hkasm.isa.constants import Const
from hkasm.isa.registers import EXEC, M0, SCC, VCC, Register, a, s, v
from hkasm.isa.spec import SPECS, VARIANTS, InstSpec, MemSpec, Operand, get_spec

__all__ = [
    "ARCHES", "EXEC", "GFX942", "GFX950", "M0", "SCC", "SPECS", "VARIANTS", "VCC", "Arch", "Const", "InstSpec",
    "MemSpec", "Operand", "Register", "a", "get_arch", "get_spec", "s", "v",
]  # fmt: skip

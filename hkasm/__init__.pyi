"""The public names for type checkers; `__init__.py` loads them when they are first asked for."""

from hkasm.asm.builder import Builder as Builder
from hkasm.asm.builder import build as build
from hkasm.asm.builder import kernel as kernel
from hkasm.asm.codeobject import CodeObject as CodeObject
from hkasm.asm.program import Program as Program
from hkasm.asm.toolchain import build_hsaco as build_hsaco
from hkasm.asm.toolchain import find_toolchain as find_toolchain
from hkasm.errors import HkasmError as HkasmError
from hkasm.isa.arch import Arch as Arch
from hkasm.isa.arch import get_arch as get_arch
from hkasm.isa.registers import EXEC as EXEC
from hkasm.isa.registers import M0 as M0
from hkasm.isa.registers import VCC as VCC
from hkasm.isa.registers import Register as Register
from hkasm.isa.registers import a as a
from hkasm.isa.registers import s as s
from hkasm.isa.registers import v as v
from hkasm.runtime.device import device as device

__version__: str

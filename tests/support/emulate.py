"""Small kernels for tests of the emulator: written with the builder, assembled once, run on given arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.toolchain import build_text
from hkasm.emulator.listener import Listener
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.isa.registers import Register

Array = npt.NDArray[Any]
Body = Callable[["Kit"], None]
COLLECT = Options(strict=False)


class Kit(Builder):
    """A builder with the few lines that every test kernel begins and ends with."""

    def pointers(self, *names: str) -> list[Register]:
        """Declare pointer arguments, load and wait for them."""
        found = []
        for name in names:
            arg = self.arg(name, "u32", pointer=True, rank=1, access="readwrite")
            pair = self.sgpr(name, 2)
            self.s_load_dwordx2(pair, self.kernarg, arg.offset)
            found.append(pair)
        self.wait(*found)
        return found

    def lane_bytes(self, scale: int = 4) -> Register:
        """Return work-item id times `scale`, in a register of its own."""
        offset = self.vgpr("lane bytes")
        self.v_mul_lo_u32(offset, self.lane, scale)
        return offset

    def store(self, value: Register, base: Register, offset: Register | None = None) -> None:
        """Store a dword a lane (or an SGPR's value in every lane) and wait for nothing."""
        where = offset if offset is not None else self.lane_bytes()
        if value.file == "s":
            copy = self.vgpr("stored")
            self.v_mov_b32(copy, value)
            value = copy
        self.global_store_dword(where, value, base)


@dataclass
class Outcome:
    """What a run left behind."""

    report: RunReport
    arrays: dict[str, Array]

    @property
    def rules(self) -> list[str]:
        return [finding.rule for finding in self.report.findings]


def write(
    body: Body, arch: str = "gfx950", block: int = 64, *, fix_hazards: bool = True, scratch_bytes: int = 0
) -> bytes:
    """Build a kernel from its body, with the wait states that it lacks but not the waits, and return the HSACO."""
    k = Kit(arch, "kernel", block=block)
    body(k)
    k.s_endpgm()
    if fix_hazards:
        k.fix_hazards()
    text, origins = k.finish(checked=False).text_with_origins()
    text = text.replace("private_segment_fixed_size 0", f"private_segment_fixed_size {scratch_bytes}")
    return assemble(text, arch, tuple(origins))


@cache
def assemble(text: str, arch: str, origins: tuple[object, ...] | None = None) -> bytes:
    """Assemble text, once for equal text."""
    return build_text(text, arch, origins)[0]


def run(
    body: Body,
    arrays: dict[str, Array],
    *,
    arch: str = "gfx950",
    grid: Sequence[int] = (1,),
    block: int = 64,
    options: Options | None = None,
    listeners: Sequence[Listener] = (),
    lds_bytes: int = 0,
    fix_hazards: bool = True,
) -> Outcome:
    """Run a kernel whose arguments are pointers to the arrays, in order."""
    machine = Machine(CodeObject.from_bytes(write(body, arch, block, fix_hazards=fix_hazards)))
    buffers = {name: machine.memory.allocate(array.nbytes, name) for name, array in arrays.items()}
    for name, array in arrays.items():
        buffers[name].u8[: array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    kernarg = b"".join(int(buffer.address).to_bytes(8, "little") for buffer in buffers.values())
    report = machine.launch(
        "kernel", grid, (block,), kernarg, lds_bytes=lds_bytes, options=options, listeners=listeners
    )
    after = {
        name: buffers[name].u8[: array.nbytes].view(array.dtype).reshape(array.shape) for name, array in arrays.items()
    }
    return Outcome(report, after)


def zeros(count: int = 64) -> Array:
    """Return an output of so many dwords, filled with a pattern."""
    return np.full(count, 0xDEADBEEF, dtype=np.uint32)

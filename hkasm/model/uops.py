"""Instructions as the cycle model sees them: which port they issue through, and what they hold for how long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hkasm.asm.instruction import Instruction
from hkasm.isa.banks import bank_row
from hkasm.isa.counters import unpack_waitcnt
from hkasm.model.constants import Timing

__all__ = ["CLASSES", "MEMORY", "OTHER", "SCALAR", "VECTOR", "Uop", "make_uop"]

VECTOR, MEMORY, SCALAR, OTHER = range(4)
CLASSES = ("vector", "memory", "scalar", "other")
"""Issue classes: a SIMD issues at most one instruction of each in a slot (rocprofiler-compute's performance model)."""

_NOTHING: Final = -1
_WAVE: Final = 64
_SLEEP_CLK: Final = 64
_LINE: Final = 128


@dataclass(frozen=True, slots=True)
class Uop:
    """One instruction to play; times in clk.

    `kind` is `valu mfma lds_read lds_write load store direct scalar_load wait barrier priority branch end` or `other`.
    `busy` is how long it holds the vector or matrix unit, or the wave (`other`); `port` how long a matrix instruction
    keeps register reads of its SIMD from issuing. `alone`: it waits for the matrix unit to be idle. LDS: `bank` clk of
    the banks, `bus` of the pair's issue bus, `back` of the return bus. VMEM: `service` clk of the vector cache, `bytes`
    of the lines in flight. `vm` and `lgkm` are the counts that a wait wants (-1: none).
    """

    index: int
    group: int
    kind: str
    busy: int = 0
    port: int = 0
    alone: bool = False
    bank: int = 0
    bus: int = 0
    back: int = 0
    service: int = 0
    bytes: int = 0
    vm: int = _NOTHING
    lgkm: int = _NOTHING
    value: int = 0
    flops: int = 0

    def with_banks(self, bank: int) -> Uop:
        """Return the LDS access with the bank cycles that its addresses cost."""
        return self if bank == self.bank else replace(self, bank=bank)

    def with_lines(self, lines: int, t: Timing) -> Uop:
        """Return the global access with the 128-byte lines that its addresses touch."""
        service = max(self.service, round(lines * _LINE / t.tcp_bytes.value))
        return replace(self, service=service, bytes=max(lines * _LINE, self.bytes))


def make_uop(inst: Instruction, index: int, arch: str, t: Timing) -> Uop:
    """Return how an instruction is played when nothing is known of its addresses: no conflicts, whole lines."""
    spec = inst.spec
    if spec.mfma is not None and spec.control is None:
        return _matrix(inst, index, arch, t)
    if spec.unit in ("VALU", "TRANS", "MFMA"):
        return _vector(inst, index, t)
    if spec.unit == "LDS" and spec.memory is not None:
        return _lds(inst, index, arch, t)
    if spec.unit == "VMEM" and spec.memory is not None:
        return _global(inst, index, t)
    if spec.unit == "SMEM" and spec.counter is not None:
        return Uop(index, SCALAR, "scalar_load")
    return _control(inst, index)


def _matrix(inst: Instruction, index: int, arch: str, t: Timing) -> Uop:
    mfma = inst.spec.mfma
    assert mfma is not None
    slot = int(t.slot.value)
    busy = mfma.passes_of(arch, inst.mods.get("cbsz", 0), inst.mods.get("blgp", 0)) * slot
    if mfma.scaled:
        port = t.mfma_port_scaled.value
    elif mfma.kind != "xdl":
        port = busy  # f32 and f64 products let no vector instruction run beside them (AMD's matrix calculator)
    elif mfma.m >= 32 or mfma.selects_format:
        port = t.mfma_port_large.value
    else:
        port = t.mfma_port_small.value
    return Uop(index, VECTOR, "mfma", busy, int(port), flops=mfma.flops)


_PACKED = ("v_pk_fma_f32", "v_pk_mul_f32", "v_pk_add_f32")
_WIDE = ("v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mad_u64_u32", "v_mad_i64_i32", "v_lshlrev_b64", "v_dot")


def _vector(inst: Instruction, index: int, t: Timing) -> Uop:
    name, busy, alone = inst.mnemonic, t.slot, False
    if inst.spec.unit == "TRANS":
        busy = t.trans
    elif name.startswith(_PACKED):
        busy, alone = t.packed, bool(t.packed_alone.value)
    elif name.startswith(_WIDE):
        busy = t.wide_integer
    elif name.endswith("_f64") or "_f64_" in name:
        busy = t.double
    elif name.startswith("v_permlane"):
        busy = t.permlane_swap
    elif name.startswith("v_cvt_scalef32"):
        busy = t.scaled_conversion
    return Uop(index, VECTOR, "valu", int(busy.value), alone=alone)


def _lds(inst: Instruction, index: int, arch: str, t: Timing) -> Uop:
    memory = inst.spec.memory
    assert memory is not None
    address = int(t.lds_address.value)
    size = memory.bytes * _WAVE * (2 if memory.pair else 1)
    if memory.op in ("permute", "bpermute", "swizzle", "append", "consume") or memory.op.endswith("addtid"):
        size = 4 * _WAVE
        phases = len(bank_row(arch, "read_b32").phases)
    else:
        phases = len(bank_row(arch, memory).phases)
    if memory.op == "store" or memory.op == "store_addtid":
        bus = address + round(size / t.lds_write_data.value)
        return Uop(index, MEMORY, "lds_write", bank=phases, bus=bus, bytes=size)
    return Uop(index, MEMORY, "lds_read", bank=phases, bus=address, back=round(size / t.lds_return.value), bytes=size)


def _global(inst: Instruction, index: int, t: Timing) -> Uop:
    memory = inst.spec.memory
    assert memory is not None
    size = memory.bytes * _WAVE
    service = round(size / t.tcp_bytes.value)
    if memory.bytes > 4:
        service = max(service, int(t.tcp_pair_floor.value))
    if memory.op.startswith("store"):
        return Uop(index, MEMORY, "store", service=service, bytes=size)
    return Uop(index, MEMORY, "direct" if memory.to_lds else "load", service=max(service, 1), bytes=size)


def _control(inst: Instruction, index: int) -> Uop:
    control = inst.spec.control
    value = inst.operands[0] if inst.operands and isinstance(inst.operands[0], int) else 0
    if control == "wait" and inst.mnemonic == "s_waitcnt":
        counts = unpack_waitcnt(value)
        vm = counts.vmcnt if counts.vmcnt < 63 else _NOTHING
        lgkm = counts.lgkmcnt if counts.lgkmcnt < 15 else _NOTHING
        return Uop(index, OTHER, "wait", vm=vm, lgkm=lgkm)
    if control == "barrier":
        return Uop(index, OTHER, "barrier")
    if control == "prio":
        return Uop(index, OTHER, "priority", value=value & 3)
    if control in ("branch", "cbranch", "jump", "call"):
        return Uop(index, OTHER, "branch")
    if control == "end":
        return Uop(index, OTHER, "end")
    if control == "nop":
        return Uop(index, OTHER, "other", busy=4 * ((value & 15) + 1))
    if control == "sleep":
        return Uop(index, OTHER, "other", busy=_SLEEP_CLK * max(value & 127, 1))
    return Uop(index, SCALAR, "other", busy=4)

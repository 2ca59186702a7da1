"""Addresses of vector memory instructions: buffer descriptors, global, flat and scratch forms.

Every form yields int64 byte addresses [W, 64]. Buffers also yield what their range check says: `parts` is None when all
lanes are inside, else bool [dwords, W, 64].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.op import Op
from hkasm.emulator.operands import fetch_scalar
from hkasm.errors import EmulatorError
from hkasm.isa.registers import Register

__all__ = ["Address", "buffer_address", "global_address", "scratch_address"]

I64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
Address = Callable[[Batch], tuple[I64, Mask | None]]
LANE = np.arange(64, dtype=np.int64)


def _vector_offset(code: Code, value: OperandValue, which: int) -> Callable[[Batch], NDArray[np.uint32]] | None:
    if value is None:
        return None
    if not isinstance(value, Register) or value.file == "s":
        raise EmulatorError(f"address {value} is not a vector register")
    number = code.registers.physical(value) + which
    return lambda b: b.v[number]


def buffer_address(code: Code, op: Op, values: dict[str, OperandValue], size: int) -> Address:
    """Compile a buffer address: base + soffset + (voffset + offset) + stride * index, with its range check.

    The sum of voffset and offset wraps at 32 bits. Without idxen the buffer is raw: offset + soffset + size must not be
    over num_records (bytes), for each dword of its own; with idxen the index must be below num_records, or with
    stride 0 as raw. Swizzled buffers follow the CDNA3 ISA's formula (chapter on buffer addressing).
    """
    mods = op.inst.mods
    descriptor = values["srsrc"]
    if not isinstance(descriptor, Register) or descriptor.file != "s":
        raise EmulatorError(f"buffer descriptor {descriptor} is not four SGPRs")
    at = descriptor.index
    inst_offset = np.uint32(mods.get("offset", 0))
    idxen, offen = bool(mods.get("idxen")), bool(mods.get("offen"))
    index_of = _vector_offset(code, values["vaddr"], 0) if idxen else None
    offset_of = _vector_offset(code, values["vaddr"], 1 if idxen else 0) if offen else None
    scalar_offset = fetch_scalar(code, values["soffset"], "u32")

    def address(b: Batch) -> tuple[I64, Mask | None]:
        s = b.s
        high = s[at + 1]
        base = (s[at].astype(np.int64) | (high & np.uint32(0xFFFF)).astype(np.int64) << 32)[:, None]
        records = s[at + 2].astype(np.int64)[:, None]
        soffset = scalar_offset(b).astype(np.int64)[:, None]
        if offset_of is not None:
            offset = (offset_of(b) + inst_offset if inst_offset else offset_of(b)).astype(np.int64)
        else:
            offset = np.full((1, 64), int(inst_offset), dtype=np.int64)
        index: I64 | None = None
        if index_of is not None:
            index = index_of(b).astype(np.int64)
        if (s[at + 3] & np.uint32(1 << 23)).any():  # ADD_TID_ENABLE
            index = LANE[None] + (0 if index is None else index)
        if index is None:
            reach = offset + (soffset + size)
            where = offset + (base + soffset)
            if int(reach.max()) <= int(records.min()):
                return _full(b, where), None
            return _full(b, where), _parts_inside(b, offset + soffset, records, size)
        stride = ((high >> np.uint32(16)) & np.uint32(0x3FFF)).astype(np.int64)[:, None]
        swizzled = (high >> np.uint32(31)).astype(np.bool_)[:, None]
        local = offset + index * stride
        if swizzled.any():
            local = np.where(swizzled, _swizzle(index, offset, stride, s[at + 3]), local)
        by_index = (stride != 0) & (index < records)
        if swizzled.any():
            by_index &= ~swizzled | (offset < stride)
        raw = _parts_inside(b, local + soffset, records, size)
        parts = np.broadcast_to(np.where(stride != 0, by_index, raw), raw.shape)
        where = _full(b, local + (base + soffset))
        return where, None if parts.all() else parts

    return address


def _full(b: Batch, array: I64) -> I64:
    return array if array.shape == (b.waves, 64) else np.broadcast_to(array, (b.waves, 64)).copy()


def _parts_inside(b: Batch, offset: I64, records: I64, size: int) -> Mask:
    """Return for each dword (or the whole of a smaller access) which lanes are inside."""
    if size <= 4:
        return np.broadcast_to(offset + size <= records, (b.waves, 64))[None]
    return np.stack([np.broadcast_to(offset + (4 * dword + 4) <= records, (b.waves, 64)) for dword in range(size // 4)])


def _swizzle(index: I64, offset: I64, stride: I64, word3: NDArray[np.uint32]) -> I64:
    index_stride = (8 << ((word3 >> np.uint32(21)) & np.uint32(3)).astype(np.int64))[:, None]
    element = (2 << ((word3 >> np.uint32(19)) & np.uint32(3)).astype(np.int64))[:, None]
    index_high, index_low = index // index_stride, index % index_stride
    offset_high, offset_low = offset // element, offset % element
    result: I64 = (index_high * stride + offset_high * element) * index_stride + index_low * element + offset_low
    return result


def global_address(code: Code, op: Op, values: dict[str, OperandValue]) -> Address:
    """Compile a global or flat address: a 64-bit VGPR pair, or an SGPR pair plus a 32-bit VGPR, plus an offset."""
    vaddr, saddr = values["vaddr"], values.get("saddr")
    offset = op.inst.mods.get("offset", 0)
    low = _vector_offset(code, vaddr, 0)
    if low is None:
        raise EmulatorError(f"{op.inst.mnemonic} has no address register")
    if isinstance(saddr, Register):
        base_at = saddr.index

        def from_scalar(b: Batch) -> tuple[I64, Mask | None]:
            base = (b.s[base_at].astype(np.int64) | b.s[base_at + 1].astype(np.int64) << 32)[:, None]
            return low(b) + (base + offset), None

        return from_scalar
    high = _vector_offset(code, vaddr, 1)
    if high is None:
        raise EmulatorError(f"{op.inst.mnemonic} has no address register")

    def from_vector(b: Batch) -> tuple[I64, Mask | None]:
        wide = np.stack((low(b), high(b)), axis=-1).view(np.int64)[..., 0]
        return wide + offset if offset else wide, None

    return from_vector


def scratch_address(code: Code, op: Op, values: dict[str, OperandValue]) -> Address:
    """Compile an offset into the lane's scratch: SGPR + VGPR + offset, each of the registers optional."""
    offset = op.inst.mods.get("offset", 0)
    vector = _vector_offset(code, values.get("vaddr"), 0)
    saddr = values.get("saddr")
    scalar_at = saddr.index if isinstance(saddr, Register) else -1

    def address(b: Batch) -> tuple[I64, Mask | None]:
        where = np.full((b.waves, 64), offset, dtype=np.int64)
        if vector is not None:
            where += vector(b)
        if scalar_at >= 0:
            where += b.s_i32[scalar_at].astype(np.int64)[:, None]
        return where, None

    return address

"""LDS instructions: reads, writes, pairs and transposing reads.

A read takes its value when it is issued, in LDS order, and lands in its register late; a write takes effect at once.
Where landings are random, a read takes its value at its landing, or before the wave's own next write: so a
direct-to-LDS load, or another wave, that does not wait for the read can change it, as on hardware.
Accesses beyond the workgroup's allocation read zero and write nothing (CDNA3 ISA, LDS chapter).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator import faults
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.memory import POISON_PATTERN, Bytes
from hkasm.emulator.op import VECTOR_BASE, Execute, Op
from hkasm.emulator.scoreboard import Land, Pending
from hkasm.errors import EmulatorError
from hkasm.isa.numerics import pack_bits, unpack_bits
from hkasm.isa.registers import Register
from hkasm.isa.spec import MemSpec

__all__ = [
    "check_address", "compile_lds", "extended", "land_vector", "offsets_of", "place_in_lds", "vector_operand",
]  # fmt: skip

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
Mask = NDArray[np.bool_]


def vector_operand(code: Code, values: dict[str, OperandValue], name: str) -> tuple[int, int, int]:
    """Return (first physical register, count, bits) of a vector operand."""
    value = values[name]
    if not isinstance(value, Register) or value.file == "s":
        raise EmulatorError(f"operand {name} is {value}, not a vector register")
    return code.registers.physical(value), value.count, code.registers.mask(value)


def extended(data: U32, elem: str) -> U32:
    """Sign-extend elements below a dword where their type says so."""
    if elem == "i8":
        data[0] = data[0].astype(np.uint8).view(np.int8).astype(np.int32).view(np.uint32)
    elif elem == "i16":
        data[0] = data[0].astype(np.uint16).view(np.int16).astype(np.int32).view(np.uint32)
    return data


def land_vector(first: int, mask: int, half: str = "") -> Land:
    """Return what puts loaded data into vector registers; `half` is the half of a d16 load."""

    def land(b: Batch, pending: Pending) -> None:
        data = pending.data
        if data is None:
            return
        if half:
            _land_half(b, pending, data, first, mask, half)
            return
        b.put_vector(first, data, pending.lanes, mask)
        if pending.undefined is not None and b.run.on_undefined:
            for number, bits in enumerate(pending.undefined):
                bit = VECTOR_BASE + first + number
                lanes = pending.lanes
                b.set_undefined(bit, bits if lanes is None else np.where(lanes, bits, b.undefined(bit)))
            b.update_watch()

    return land


def _land_half(b: Batch, pending: Pending, data: U32, first: int, mask: int, half: str) -> None:
    b.settle(mask)
    row = b.v_u16[first, :, :, 1 if half == "hi" else 0]
    value = data[0].astype(np.uint16)
    if pending.lanes is None:
        row[...] = value
    else:
        np.copyto(row, value, where=pending.lanes)
    other = np.uint32(0x0000FFFF if half == "hi" else 0xFFFF0000)
    keeps = b.run.options.d16_keeps
    if not keeps:
        _spoil(b.v[first], other, pending.lanes)
    if b.poison & mask or pending.undefined is not None or (not keeps and "uninitialised" in b.run.options.checks):
        bit = VECTOR_BASE + first
        bits = b.undefined(bit)
        now = bits & other if keeps else np.full_like(bits, other)
        if pending.undefined is not None and b.run.on_undefined:
            now = now | (pending.undefined[0] << np.uint32(16 if half == "hi" else 0)) & ~other
        b.set_undefined(bit, now if pending.lanes is None else np.where(pending.lanes, now, bits))
        b.update_watch()


def _spoil(register: U32, other: np.uint32, lanes: Mask | None) -> None:
    """Fill the half of a register that a d16 load leaves undefined with a pattern."""
    spoiled = (register & ~other) | (np.uint32(POISON_PATTERN) & other)
    if lanes is None:
        register[...] = spoiled
    else:
        np.copyto(register, spoiled, where=lanes)


def offsets_of(op: Op, memory: MemSpec) -> list[tuple[int, int]]:
    """Return (byte offset, bytes) of each part of an access."""
    mods = op.inst.mods
    if not memory.pair:
        return [(mods.get("offset", 0), memory.bytes)]
    size = memory.bytes // 2
    return [(mods.get(name, 0) * size * memory.pair, size) for name in ("offset0", "offset1")]


def place_in_lds(b: Batch, op: Op, address: U32, offset: int, size: int) -> tuple[I64, Mask | None, Mask | None]:
    """Return flat indices, the lanes that access LDS (None: all), the active lanes that are outside (None: none)."""
    lds = b.run.lds
    lanes = b.lanes
    index = address + (b.lds_base + offset)
    low = op.alignment - 1
    if low and int(np.bitwise_or.reduce(index, axis=None)) & low:
        wrong = index & low != 0
        if lanes is not None:
            wrong &= lanes
        if wrong.any():
            memory = op.inst.spec.memory
            always = memory is not None and (memory.op == "atomic" or memory.transpose > 0)
            faults.misaligned(b, op, wrong, index - b.lds_base, op.alignment, always=always, space="LDS")
    if int(address.max()) + offset + size <= lds.bytes_per_group:
        return index, lanes, None
    reach = address.astype(np.int64) + (offset + size)
    outside = reach > lds.bytes_per_group
    if lanes is not None:
        outside &= lanes
    if not outside.any():
        return np.where(reach > lds.bytes_per_group, 0, index), lanes, None
    faults.lds_outside(b, op, outside, reach - size, size)
    inside = ~outside if lanes is None else lanes & ~outside
    return np.where(reach > lds.bytes_per_group, 0, index), inside, outside


def check_address(b: Batch, op: Op, bits: int) -> None:
    """Report undefined values in an LDS address."""
    if b.poison & bits:
        judge_undefined(b, op, bits, "an LDS address", b.active())


def compile_lds(code: Code, op: Op) -> None:
    """Compile a ds instruction that is not an atomic."""
    memory = op.inst.spec.memory
    if memory is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    if op.inst.mods.get("gds"):
        raise EmulatorError(f"{op.inst.mnemonic} gds is not emulated: these chips have no GDS")
    if memory.op == "load":
        op.run = _compile_read(code, op, memory)
    elif memory.op == "store":
        op.run = _compile_write(code, op, memory)
    else:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")


def _compile_read(code: Code, op: Op, memory: MemSpec) -> Execute:
    values = values_of(op)
    address_at, _, address_bits = vector_operand(code, values, "addr")
    first, _, mask = vector_operand(code, values, "vdst")
    parts = offsets_of(op, memory)
    if memory.d16:
        op.reads &= ~mask  # the kept half
    op.queue = "lds"
    elem, touched = memory.elem, op.mask
    transpose = _transposed(memory.transpose) if memory.transpose else None
    land = _landing(land_vector(first, mask, memory.d16))

    def finish(pending: Pending, pieces: list[U32]) -> None:
        data = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        if transpose is not None:
            data = transpose(data)
            if pending.undefined is not None:
                pending.undefined = transpose(pending.undefined)
        if elem in ("i8", "i16") and pending.undefined is not None:
            pending.undefined = extended(pending.undefined, elem)
        pending.data = extended(data, elem) if elem in ("i8", "i16") else data

    def take(b: Batch, pending: Pending) -> None:
        """Read the value again, at the places of the first part and those of the others from there."""
        pending.take, pending.undefined = None, None
        places = pending.index
        if places is not None:
            finish(
                pending,
                [_value(b, pending, places + (offset - parts[0][0]), size, pending.lanes) for offset, size in parts],
            )

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            check_address(b, op, address_bits)
        pending = Pending(op, "lds", "load", land, mask, memory.bytes)
        pending.lanes = b.lanes
        finish(pending, [_read_part(b, op, pending, b.v[address_at], offset, size) for offset, size in parts])
        if b.run.options.landing == "random":
            offset, size = max(parts)
            if int(b.v[address_at].max()) + offset + size <= b.run.lds.bytes_per_group:
                pending.index = b.v[address_at].astype(np.int64) + (b.lds_base + parts[0][0])
                pending.take = take
        b.issue(pending)

    return run


def _landing(land: Land) -> Land:
    """Return a landing before which a value is taken that was not taken for good at the issue."""

    def late(b: Batch, pending: Pending) -> None:
        if pending.take is not None:
            pending.take(b, pending)
        land(b, pending)

    return late


def _read_part(b: Batch, op: Op, pending: Pending, address: U32, offset: int, size: int) -> U32:
    index, lanes, outside = place_in_lds(b, op, address, offset, size)
    for listener in b.run.on_lds_read:
        listener.lds_read(b, pending, index, size, lanes)
    data = _value(b, pending, index, size, lanes)
    return data if outside is None else np.where(outside, np.uint32(0), data)


def _value(b: Batch, pending: Pending, index: I64, size: int, lanes: Mask | None) -> U32:
    """Return what lies at flat indices now; what is undefined of it goes into `pending`."""
    if lanes is not None:
        index = np.where(lanes, index, 0)
    data: U32 = b.run.lds.gather(index, size)
    if b.run.lds.undefined is not None:
        bits = b.run.lds.undefined.gather(index, size)
        pending.undefined = bits if pending.undefined is None else np.concatenate((pending.undefined, bits))
    return data


def _transposed(bits: int) -> Any:
    """Return the lane exchange of ds_read_b64_tr_b16 and its kind, on data [dwords, W, 64].

    With E elements a lane, element j of lane i in a group of 16 is element i % E of lane (16 / E) * j + i // E of the
    group, for all four sizes as the GPU test of AMD's rocRoller has it (TransposeLoadsTest.cpp; see tests/emulator).
    """
    count = 16 if bits == 6 else 64 // bits
    lane = np.arange(64)
    place = lane & 15
    step = 16 // count
    source_lane = (lane & ~15)[None, :] + step * np.arange(count)[:, None] + (place // count)[None, :]
    source_element = np.broadcast_to((place % count)[None, :], source_lane.shape)

    def exchange(data: U32) -> U32:
        elements = unpack_bits(data, bits)
        moved = elements[source_element[:, None, :], np.arange(data.shape[1])[None, :, None], source_lane[:, None, :]]
        return pack_bits(moved, bits)

    return exchange


def _compile_write(code: Code, op: Op, memory: MemSpec) -> Execute:
    values = values_of(op)
    address_at, _, address_bits = vector_operand(code, values, "addr")
    sources = [vector_operand(code, values, name) for name in ("data0", "data1") if name in values]
    data_bits = 0
    for _, _, bits in sources:
        data_bits |= bits
    parts = offsets_of(op, memory)
    shift = np.uint32(16 if memory.d16 == "hi" else 0)
    touched = op.mask

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            check_address(b, op, address_bits)
        pending = Pending(op, "lds", "store", _nothing, 0, memory.bytes)
        for (first, count, bits), (offset, size) in zip(sources, parts, strict=True):
            data = b.v[first : first + count]
            if shift:
                data = data >> shift
            undefined = b.poison & bits
            _write_part(b, op, pending, b.v[address_at], offset, size, data)
            if undefined or b.run.lds.undefined is not None:
                _write_undefined(b, op, b.v[address_at], offset, size, first, count, shift)
        b.issue(pending)

    return run


def _nothing(b: Batch, pending: Pending) -> None:
    """A write has no landing."""


def _write_part(b: Batch, op: Op, pending: Pending, address: U32, offset: int, size: int, data: U32) -> None:
    index, lanes, _ = place_in_lds(b, op, address, offset, size)
    for listener in b.run.on_lds_write:
        listener.lds_write(b, pending, index, size, lanes, False)
    if lanes is None:
        b.run.lds.scatter(index, data, size)
    else:
        b.run.lds.scatter(index[lanes], data[:, lanes], size)


def _write_undefined(
    b: Batch, op: Op, address: U32, offset: int, size: int, first: int, count: int, shift: np.uint32
) -> None:
    """Keep which bits of LDS hold undefined values, so that they are still undefined when read."""
    run = b.run
    shadow = run.lds.undefined
    if shadow is None:
        shadow = run.lds.undefined = Bytes(run.lds.size)
    bits = np.stack([b.undefined(VECTOR_BASE + first + number) for number in range(count)]) >> shift
    index, lanes, _ = place_in_lds(b, op, address, offset, size)
    if lanes is None:
        shadow.scatter(index, bits, size)
    else:
        shadow.scatter(index[lanes], bits[:, lanes], size)

"""Typed buffer instructions: loads and stores that convert by a buffer format.

`tbuffer_*` name the format themselves; `buffer_*_format_*` take it, and which component goes where, from their
descriptor. An element out of the buffer's range is read as zeros and not stored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator.addresses import Address, buffer_address
from hkasm.emulator.batch import ALL_ONES, Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_atomic import nothing
from hkasm.emulator.compile_lds import land_vector, vector_operand
from hkasm.emulator.compile_memory import keep_own_order, reach, store_value, tell_access
from hkasm.emulator.guard import attend, judge_undefined
from hkasm.emulator.op import Op
from hkasm.emulator.scoreboard import Land, Pending, fetch_value
from hkasm.errors import EmulatorError
from hkasm.isa.buffer_formats import NUMBER_FORMATS, format_bytes, pack_components, unpack_components
from hkasm.isa.registers import Register

__all__ = ["compile_typed"]

U32 = NDArray[np.uint32]
Format = tuple[int, int, tuple[int, int, int, int]]
"""Data format, number format, and where each component comes from."""
IN_ORDER = (4, 5, 6, 7)
FIRST_COMPONENT = 4
FLOAT_ONE = 0x3F800000


def compile_typed(code: Code, op: Op) -> None:
    """Compile a load or store that converts."""
    memory = op.inst.spec.memory
    if memory is None or memory.to_lds:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    first, registers, data_bits = vector_operand(code, values, "vdata")
    count, narrow = memory.count, memory.elem == "b16"
    loads = memory.op == "load_format"
    address_bits = op.reads & ~data_bits
    if loads and memory.d16:
        op.reads &= ~data_bits
    op.queue = "vm"
    touched = op.mask
    format_of = _format_of(op, values)
    addresses: dict[int, Address] = {}
    put = land_vector(first, data_bits, memory.d16)
    lands: dict[Format, Land] = {}

    def place(b: Batch, pending: Pending, kind: str) -> None:
        size = pending.size
        if size not in addresses:
            addresses[size] = buffer_address(code, op, values, size)
        address, parts = addresses[size](b)
        if parts is not None:  # an element is inside or outside as a whole
            parts = np.repeat(np.asarray(parts.all(axis=0))[None], max(size // 4, 1), axis=0)
        reach(b, op, pending, address, parts, kind)

    def run(b: Batch) -> None:
        if b.watch & touched:
            attend(b, op)
            if b.poison & address_bits:
                judge_undefined(b, op, address_bits, "an address", b.active())
            if not loads and b.poison & data_bits:
                judge_undefined(b, op, data_bits, "a store", b.active())
        dfmt, nfmt, select = form = format_of(b)
        size = format_bytes(dfmt, nfmt)
        if loads:
            if form not in lands:
                lands[form] = partial(_land, put, form, count, narrow)
            pending = Pending(op, "vm", "load", lands[form], data_bits, size)
            place(b, pending, "a load")
            tell_access(b, pending, "a load")
        else:
            pending = Pending(op, "vm", "store", nothing, 0, size)
            place(b, pending, "a store")
            given = _given(b.v[first : first + registers], count, narrow, nfmt, memory.d16)
            chosen = [given[place_of] for place_of in _stored(select, count)]
            data = pack_components(dfmt, nfmt, chosen)
            tell_access(b, pending, "a store", data)
            keep_own_order(b)
            store_value(b, pending, data, None)
            pending.address = pending.parts = pending.lanes = pending.spans = None
        b.issue(pending)

    op.run = run


def _format_of(op: Op, values: dict[str, OperandValue]) -> Callable[[Batch], Format]:
    """Return what gives the format, which all waves of a batch must share."""
    if "format" in op.inst.mods:
        fixed = op.inst.mods["format"] & 15, op.inst.mods["format"] >> 4, IN_ORDER
        return lambda b: fixed
    descriptor = values["srsrc"]
    if not isinstance(descriptor, Register):
        raise EmulatorError(f"buffer descriptor {descriptor} is not four SGPRs")
    at = descriptor.index + 3

    def format_of(b: Batch) -> Format:
        words = b.s[at] & np.uint32(0x7FFFF)
        word = int(words[0])
        if (words != word).any():
            raise EmulatorError(f"{op.inst}: waves whose descriptors differ in format are not emulated together")
        select = (word & 7, word >> 3 & 7, word >> 6 & 7, word >> 9 & 7)
        return word >> 15 & 15, word >> 12 & 7, select

    return format_of


def _stored(select: tuple[int, ...], count: int) -> list[int]:
    """Return which given component each component in memory takes: that whose selector names it, else its own."""
    return [
        next((place for place in range(count) if select[place] == FIRST_COMPONENT + target), min(target, count - 1))
        for target in range(4)
    ]


def _given(registers: U32, count: int, narrow: bool, nfmt: int, half: str) -> list[U32]:
    """Return the components that a store gives, float32 bits or integers."""
    if not narrow:
        return [registers[number] for number in range(count)]
    found = []
    for number in range(count):
        high = half == "hi" or number & 1
        bits = (registers[number // 2] >> np.uint32(16 if high else 0)).astype(np.uint16)
        if NUMBER_FORMATS.get(nfmt) == "UINT":
            found.append(bits.astype(np.uint32))
        elif NUMBER_FORMATS.get(nfmt) == "SINT":
            found.append(bits.view(np.int16).astype(np.int32).view(np.uint32))
        else:
            found.append(bits.view(np.float16).astype(np.float32).view(np.uint32))
    return found


def _land(put: Land, form: Format, count: int, narrow: bool, b: Batch, pending: Pending) -> None:
    raw = pending.data if pending.data is not None else fetch_value(b, pending)
    dfmt, nfmt, select = form
    is_integer = NUMBER_FORMATS[nfmt] in ("UINT", "SINT")
    parts = unpack_components(dfmt, nfmt, raw)
    zero = np.zeros_like(parts[0])
    one = np.full_like(zero, 1 if is_integer else FLOAT_ONE)
    known = {0: zero, 1: one, **{FIRST_COMPONENT + number: part for number, part in enumerate(parts)}}
    missing = {FIRST_COMPONENT + number: zero for number in range(3)} | {FIRST_COMPONENT + 3: one}
    chosen = [known.get(name, missing.get(name, zero)) for name in select[:count]]
    if pending.parts is not None:
        chosen = [np.where(pending.parts[0], value, zero) for value in chosen]
    if narrow:
        chosen = _packed(chosen, is_integer)
    pending.data = np.stack(chosen)
    if pending.undefined is not None:
        unsure = np.where(pending.undefined.any(axis=0), np.uint32(ALL_ONES), np.uint32(0))
        pending.undefined = np.broadcast_to(unsure, pending.data.shape)
    put(b, pending)


def _packed(values: list[U32], is_integer: bool) -> list[U32]:
    halves = [
        value.astype(np.uint16) if is_integer else value.view(np.float32).astype(np.float16).view(np.uint16)
        for value in values
    ]
    found = []
    for number in range(0, len(halves), 2):
        high = halves[number + 1].astype(np.uint32) if number + 1 < len(halves) else np.uint32(0)
        found.append(halves[number].astype(np.uint32) | high << np.uint32(16))
    return found

"""Operands: functions that fetch a source as a typed array and store a result, made once for each instruction.

A vector source is [W, 64], or [W, 1] and [1, 1] where one value serves all lanes or waves; a scalar source is [W] or
[1]. Packed types have a last axis of two. Stores blend by EXEC only where it is not all ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator.batch import Batch, pack_lanes, unpack_lanes
from hkasm.emulator.code import Code
from hkasm.emulator.memory import APERTURES
from hkasm.errors import EmulatorError
from hkasm.isa.constants import TYPE_BITS, Const
from hkasm.isa.registers import EXEC, MODE, SCC, Register

__all__ = ["DTYPES", "Fetch", "Put", "fetch_scalar", "fetch_vector", "put_scalar", "put_vector", "typed"]

Array = NDArray[Any]
Fetch = Callable[[Batch], Array]
Put = Callable[[Batch, Any], None]
Lanes = Callable[[Batch], NDArray[np.bool_]]

# NumPy type of one element of an operand type.
DTYPES: Final[dict[str, Any]] = {
    "f32": np.float32, "u32": np.uint32, "b32": np.uint32, "i32": np.int32, "imm16": np.uint32,
    "f16": np.float16, "bf16": np.uint16, "u16": np.uint16, "b16": np.uint16, "i16": np.int16,
    "u8": np.uint8, "i8": np.int8,
    "f64": np.float64, "u64": np.uint64, "b64": np.uint64, "i64": np.int64,
    "pkf16": np.float16, "pkbf16": np.uint16, "pki16": np.int16, "pku16": np.uint16,
    "pkf32": np.float32, "pkb32": np.uint32,
}  # fmt: skip
PACKED: Final = frozenset(name for name in DTYPES if name.startswith("pk"))


# ---- fetching -------------------------------------------------------------------------------------------------------


def fetch_vector(code: Code, value: OperandValue, type_name: str) -> Fetch:
    """Return the fetch of a source of a vector instruction."""
    if isinstance(value, Register) and value.file != "s":
        return _fetch_vgpr(code.registers.physical(value), value.count, type_name)
    if type_name == "mask":
        return _fetch_mask(value)
    scalar = fetch_scalar(code, value, type_name)
    if type_name in PACKED or TYPE_BITS[type_name] > 64:
        return lambda b: scalar(b)[:, None, :]
    return lambda b: scalar(b)[:, None]


def _fetch_vgpr(first: int, count: int, type_name: str) -> Fetch:
    bits = TYPE_BITS[type_name]
    dtype = DTYPES.get(type_name, np.uint32)
    if type_name in ("b32", "u32"):
        return lambda b: b.v[first]
    if type_name == "f32":
        return lambda b: b.v_f32[first]
    if type_name == "i32":
        return lambda b: b.v_i32[first]
    if bits == 16:
        return lambda b: b.v_u16[first, :, :, 0].view(dtype)
    if bits == 8:
        return lambda b: b.v[first].astype(np.uint8).view(dtype)
    if type_name in PACKED and bits == 32:
        return lambda b: b.v_u16[first].view(dtype)
    if type_name in PACKED:
        return lambda b: _pairs(b.v[first], b.v[first + 1]).view(dtype)
    if bits == 64:
        return lambda b: _pairs(b.v[first], b.v[first + 1]).view(dtype)[..., 0]
    return lambda b: np.moveaxis(b.v[first : first + count], 0, -1)


def _pairs(low: Array, high: Array) -> Array:
    """Return two registers side by side, [..., 2]; np.stack does the same in three times the time."""
    both = np.empty((*low.shape, 2), np.uint32)
    both[..., 0], both[..., 1] = low, high
    return both


def _fetch_mask(value: OperandValue) -> Fetch:
    if isinstance(value, Register):
        low, high = value.index, value.index + 1
        return lambda b: unpack_lanes(b.s[low], b.s[high])
    if isinstance(value, Const):
        bits = value.bits("b64")
        lanes = np.array([[bits >> lane & 1 for lane in range(64)]], dtype=np.bool_)
        return lambda b: lanes
    raise EmulatorError(f"a lane mask cannot be {value}")


def fetch_scalar(code: Code, value: OperandValue, type_name: str) -> Fetch:
    """Return the fetch of a source of a scalar instruction: [W], or [1] for a constant."""
    if isinstance(value, Const):
        constant = typed(value.bits(type_name), type_name)
        return lambda b: constant
    if isinstance(value, int):
        constant = typed(value, type_name)
        return lambda b: constant
    if not isinstance(value, Register) or value.file != "s":
        raise EmulatorError(f"{value} cannot be a scalar source")
    if value.index >= 128:
        return _fetch_special(value, type_name)
    index = value.index
    if type_name in ("b32", "u32", "imm16"):
        return lambda b: b.s[index]
    if type_name == "i32":
        return lambda b: b.s_i32[index]
    if type_name == "f32":
        return lambda b: b.s_f32[index]
    bits = TYPE_BITS[type_name]
    dtype = DTYPES.get(type_name, np.uint32)
    if type_name in PACKED and bits == 32:
        return lambda b: np.ascontiguousarray(b.s[index]).view(np.uint16).reshape(-1, 2).view(dtype)
    if bits <= 16:
        narrow = np.uint16 if bits == 16 else np.uint8
        return lambda b: b.s[index].astype(narrow).view(dtype)
    if type_name in PACKED:
        return lambda b: _pairs(b.s[index], b.s[index + 1]).view(dtype)
    if bits == 64 or type_name == "mask":
        wide = np.uint64 if type_name == "mask" else dtype
        return lambda b: _pairs(b.s[index], b.s[index + 1]).view(wide)[..., 0]
    count = value.count
    return lambda b: np.moveaxis(b.s[index : index + count], 0, -1)


def _fetch_special(register: Register, type_name: str) -> Fetch:
    dtype = DTYPES.get(type_name, np.uint32)
    match register.index:
        case MODE.index:
            return lambda b: b.mode
        case 251:
            return lambda b: ((b.s[106] | b.s[107]) == 0).astype(np.uint32).astype(dtype)
        case 252:
            return lambda b: ((b.s[126] | b.s[127]) == 0).astype(np.uint32).astype(dtype)
        case SCC.index:
            return (lambda b: b.scc) if type_name == "bool" else (lambda b: b.scc.astype(np.uint32).astype(dtype))
        case 235 | 236 | 237 | 238:
            address = APERTURES[register.index]
            constant = typed(address if TYPE_BITS[type_name] == 64 else address >> 32, type_name)
            return lambda b: constant
    raise EmulatorError(f"{register.text} as a source is not emulated")


def typed(bits: int, type_name: str) -> Array:
    """Return a bit pattern as an array [1] of an operand type ([1, 2] for packed ones)."""
    width = TYPE_BITS[type_name]
    size = max(width // 8, 1)
    raw = (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    if type_name.startswith("imm"):
        return np.array([bits & 0xFFFF], dtype=np.uint32)
    if type_name in PACKED:
        return np.frombuffer(raw, dtype=DTYPES[type_name]).reshape(1, 2)
    if type_name in DTYPES:
        return np.frombuffer(raw, dtype=DTYPES[type_name])
    if type_name == "mask":
        return np.frombuffer(raw, dtype=np.uint64)
    return np.frombuffer(raw, dtype=np.uint32).reshape(1, -1)


# ---- storing --------------------------------------------------------------------------------------------------------


def put_vector(code: Code, register: Register, type_name: str, lanes_of: Lanes | None = None, *, half: str = "") -> Put:
    """Return the store of a result into vector registers, blended by EXEC (or by `lanes_of`, which includes it).

    16-bit results clear the high half, unless `half` (`lo` or `hi`) says which half is written and the other kept.
    """
    first = code.registers.physical(register)
    bits = TYPE_BITS[type_name]
    dtype = DTYPES.get(type_name, np.uint32)
    if bits == 16 or type_name in ("u8", "i8"):
        return _put_narrow(first, dtype, lanes_of, half)
    if bits == 32:
        return _put_dword(first, type_name, dtype, lanes_of)
    count = register.count

    def put_wide(b: Batch, value: Any) -> None:
        array = np.asarray(value, dtype=dtype)
        if type_name not in PACKED and bits == 64:
            array = array[..., None]
        if array.dtype.itemsize == 8:
            array = np.ascontiguousarray(array).view(np.uint32)
        words = array.view(np.uint32)
        lanes = b.lanes if lanes_of is None else lanes_of(b)
        for number in range(count):
            if lanes is None:
                b.v[first + number] = words[..., number]
            else:
                np.copyto(b.v[first + number], words[..., number], where=lanes)

    return put_wide


def _put_dword(first: int, type_name: str, dtype: Any, lanes_of: Lanes | None) -> Put:
    if type_name in PACKED:

        def put_packed(b: Batch, value: Any) -> None:
            pair = np.ascontiguousarray(np.asarray(value, dtype=dtype)).view(np.uint32)[..., 0]
            lanes = b.lanes if lanes_of is None else lanes_of(b)
            if lanes is None:
                b.v[first] = pair
            else:
                np.copyto(b.v[first], pair, where=lanes)

        return put_packed
    view = {"f32": "v_f32", "i32": "v_i32"}.get(type_name, "v")

    def put_lanes(b: Batch, value: Any) -> None:
        lanes = b.lanes if lanes_of is None else lanes_of(b)
        row = getattr(b, view)[first]
        if lanes is None:
            row[...] = value
        else:
            np.copyto(row, value, where=lanes, casting="unsafe")

    if lanes_of is not None:
        return put_lanes
    # The three common cases, without the detour.
    if view == "v":

        def put_bits(b: Batch, value: Any) -> None:
            if b.full:
                b.v[first] = value
            else:
                np.copyto(b.v[first], value, where=b.lanes, casting="unsafe")

        return put_bits
    if view == "v_f32":

        def put_float(b: Batch, value: Any) -> None:
            if b.full:
                b.v_f32[first] = value
            else:
                np.copyto(b.v_f32[first], value, where=b.lanes, casting="unsafe")

        return put_float
    return put_lanes


def _put_narrow(first: int, dtype: Any, lanes_of: Lanes | None, half: str) -> Put:
    def put_narrow(b: Batch, value: Any) -> None:
        array = np.asarray(value)
        if array.dtype != dtype:
            array = array.astype(dtype)
        raw = array.view(np.uint16 if dtype().itemsize == 2 else np.uint8)
        lanes = b.lanes if lanes_of is None else lanes_of(b)
        row = b.v_u16[first, :, :, 1 if half == "hi" else 0] if half else b.v[first]
        if lanes is None:
            row[...] = raw
        else:
            np.copyto(row, raw, where=lanes)

    return put_narrow


def put_mask(register: Register, lanes_of: Lanes | None = None) -> Put:
    """Return the store of a lane mask; lanes that take no part get zeros."""
    index = register.index
    is_exec = index == EXEC.index

    def put(b: Batch, value: Any) -> None:
        lanes = b.lanes if lanes_of is None else lanes_of(b)
        bits = value if lanes is None else value & lanes
        if bits.shape != (b.waves, 64):
            bits = np.broadcast_to(bits, (b.waves, 64))
        b.s[index : index + 2] = pack_lanes(bits)
        if is_exec:
            b.refresh_exec()

    return put


def put_scalar(register: Register, type_name: str) -> Put:
    """Return the store of a scalar result [W]."""
    index = register.index
    if type_name == "bool":

        def put_scc(b: Batch, value: Any) -> None:
            b.scc[...] = value

        return put_scc
    if index == MODE.index:

        def put_mode(b: Batch, value: Any) -> None:
            b.mode[...] = value

        return put_mode
    if index >= 128:
        raise EmulatorError(f"{register.text} as a destination is not emulated")
    bits = TYPE_BITS[type_name]
    dtype = DTYPES.get(type_name, np.uint64)
    touches_exec = index <= EXEC.index + 1 and index + max(bits // 32, 1) > EXEC.index
    view = {"f32": "s_f32", "i32": "s_i32"}.get(type_name, "s")
    if bits == 32 and type_name not in PACKED:

        def put_dword(b: Batch, value: Any) -> None:
            getattr(b, view)[index] = value
            if touches_exec:
                b.refresh_exec()

        return put_dword
    if bits < 32:

        def put_narrow(b: Batch, value: Any) -> None:
            b.s[index] = np.asarray(value, dtype=dtype).view(np.uint16 if bits == 16 else np.uint8)

        return put_narrow

    def put_wide(b: Batch, value: Any) -> None:
        words = np.ascontiguousarray(np.asarray(value, dtype=dtype).reshape(-1, 1) if bits == 64 else value)
        b.s[index : index + bits // 32] = words.view(np.uint32).reshape(-1, bits // 32).T
        if touches_exec:
            b.refresh_exec()

    return put_wide

"""Scalar and vector arithmetic: a meaning from `isa`, wrapped in fetches, modifiers and stores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import OperandValue
from hkasm.emulator import modifiers
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.guard import guarded
from hkasm.emulator.op import Execute, Op
from hkasm.emulator.operands import (
    DTYPES,
    PACKED,
    Fetch,
    Put,
    fetch_scalar,
    fetch_vector,
    put_mask,
    put_scalar,
    put_vector,
)
from hkasm.errors import EmulatorError
from hkasm.isa.constants import FLOAT_TYPES, TYPE_BITS
from hkasm.isa.numerics import flush_denormals
from hkasm.isa.registers import Register
from hkasm.isa.rounding import NEAREST, ROUNDINGS, directed
from hkasm.isa.spec import InstSpec, Operand

__all__ = ["compile_salu", "compile_valu", "mode_flushes"]

Array = NDArray[Any]


def values_of(op: Op) -> dict[str, OperandValue]:
    """Return operand values by name, fixed registers included."""
    spec = op.inst.spec
    values: dict[str, OperandValue] = {operand.name: operand.fixed for operand in spec.operands if operand.fixed}
    values.update(zip((operand.name for operand in spec.explicit), op.inst.operands, strict=True))
    return values


def _written(values: dict[str, OperandValue], operand: Operand) -> Register:
    value = values[operand.name]
    if not isinstance(value, Register):
        raise EmulatorError(f"destination {operand.name} is {value}")
    return value


# ---- scalar ---------------------------------------------------------------------------------------------------------


def compile_salu(code: Code, op: Op) -> None:
    """Compile a scalar instruction with a meaning."""
    spec = op.inst.spec
    meaning = spec.meaning
    if meaning is None:
        raise EmulatorError(f"{spec.mnemonic} is not emulated")
    values = values_of(op)
    fetches = [fetch_scalar(code, values[operand.name], operand.type) for operand in spec.reads]
    puts = [put_scalar(_written(values, operand), operand.type) for operand in spec.writes]
    _note_comparison(op, fetches)
    op.run = guarded(op, _compose(fetches, meaning, puts))


def _note_comparison(op: Op, fetches: list[Fetch]) -> None:
    """Keep a comparison's fetches: its answer is undefined where an operand is."""
    if op.inst.spec.writes and all(operand.type in ("mask", "bool") for operand in op.inst.spec.writes):
        op.fetches = tuple(fetches)


def _compose(fetches: list[Fetch], meaning: Any, puts: list[Put]) -> Execute:
    """Return fetch, meaning, store as one function; the shapes that are common go without loops."""
    if len(puts) == 1 and len(fetches) in (1, 2, 3):
        put = puts[0]
        if len(fetches) == 1:
            (first,) = fetches
            return lambda b: put(b, meaning(first(b)))
        if len(fetches) == 2:
            first, second = fetches
            return lambda b: put(b, meaning(first(b), second(b)))
        first, second, third = fetches
        return lambda b: put(b, meaning(first(b), second(b), third(b)))
    if len(puts) == 1:
        put = puts[0]
        return lambda b: put(b, meaning(*[fetch(b) for fetch in fetches]))

    def execute(b: Batch) -> None:
        results = meaning(*[fetch(b) for fetch in fetches])
        # What is a view of a register must survive the store before it.
        kept = [result if result.base is None else result.copy() for result in map(np.asarray, results)]
        for store, result in zip(puts, kept, strict=True):
            store(b, result)

    return execute


def _keywords(code: Code, op: Op) -> dict[str, Any]:
    """Return what a meaning wants to know besides its operands, by the flags of its declaration."""
    known = {
        "arch": code.arch.name,
        "op_sel": op.inst.mods.get("op_sel", 0),
        "fp16_ovfl": bool(code.mode >> 23 & 1),
        "bitop3": op.inst.mods.get("bitop3", 0),
    }
    return {name: known[name] for name in op.inst.spec.flags & known.keys()}


def _everywhere(fetch: Fetch) -> Fetch:
    """Give a source in full, [W, 64]."""

    def everywhere(b: Batch) -> Array:
        value = fetch(b)
        return value if value.shape == (b.waves, 64) else np.broadcast_to(value, (b.waves, 64))

    return everywhere


# ---- vector ---------------------------------------------------------------------------------------------------------


def mode_flushes(mode: int, type_name: str) -> tuple[bool, bool]:
    """Return whether MODE flushes denormal inputs and outputs of a float type (MODE bits 4 to 7)."""
    if type_name in ("f32", "pkf32"):
        field = mode >> 4 & 3
    elif type_name in ("f16", "f64", "pkf16"):
        field = mode >> 6 & 3
    else:
        return False, False
    return not field & 1, not field & 2


def _rounding(mode: int, spec: InstSpec) -> int:
    """Return how MODE rounds the results of a float instruction (bits 0 to 3)."""
    type_name = spec.writes[0].type if spec.writes else ""
    if type_name in ("f32", "pkf32"):
        return mode & 3
    return mode >> 2 & 3 if type_name in ("f16", "f64", "pkf16") else NEAREST


def compile_valu(code: Code, op: Op) -> None:
    """Compile a vector instruction with a meaning."""
    spec = op.inst.spec
    meaning = spec.meaning
    if meaning is None:
        raise EmulatorError(f"{spec.mnemonic} is not emulated")
    mods = op.inst.mods
    fmt = op.inst.encoding.format
    keywords = _keywords(code, op)
    if keywords:
        meaning = partial(meaning, **keywords)
    rounding = _rounding(code.mode, spec)
    if rounding != NEAREST and spec.meaning in ROUNDINGS:
        meaning = directed(meaning, ROUNDINGS[spec.meaning], rounding)
    lanes_of: Any = None
    if "no_exec" in spec.flags:
        lanes_of = _all_lanes
    elif fmt.endswith("_DPP"):
        lanes_of = modifiers.dpp_lanes(
            mods["dpp_ctrl"], mods["row_mask"], mods["bank_mask"], bool(mods.get("bound_ctrl"))
        )
        op.reads |= op.writes  # lanes that are not written keep their value
        op.mask = op.reads | op.writes
    values = values_of(op)
    fetches = [_source(code, op, values, operand) for operand in spec.reads]
    if "lanes" in spec.flags:
        fetches = [_everywhere(fetch) for fetch in fetches]
    puts = [_result(code, op, values, operand, lanes_of) for operand in spec.writes]
    if not puts:
        fetches, meaning, puts = [], tuple, []
    if mods.get("clamp") and any(it.type not in FLOAT_TYPES for it in spec.writes if it.type != "mask"):
        meaning = _saturating(meaning, spec.writes[0].type)
    _note_comparison(op, fetches)
    op.run = guarded(op, _compose(fetches, meaning, puts))


def _all_lanes(b: Batch) -> None:
    """EXEC plays no part."""


def _number(name: str) -> int:
    """Return the source number that modifier bits go by."""
    return int(name[3]) if name.startswith("src") and name[3:4].isdigit() else -1


def _source(code: Code, op: Op, values: dict[str, OperandValue], operand: Operand) -> Fetch:
    mods, fmt = op.inst.mods, op.inst.encoding.format
    value, type_name = values[operand.name], operand.type
    number = _number(operand.name)
    if type_name == "bool" or (number < 0 and not isinstance(value, Register)):
        scalar = fetch_scalar(code, value, type_name)
        return lambda b: scalar(b)[:, None]
    if "_SDWA" in fmt and number in (0, 1):
        bits = fetch_vector(code, value, "b32")
        fetch = modifiers.sdwa_source(
            bits, mods.get(f"src{number}_sel", 6), bool(mods.get(f"src{number}_sext")), type_name
        )
    else:
        fetch = _selected(code, op, value, operand, number)
    if fmt.endswith("_DPP") and number == 0:
        fetch = modifiers.with_dpp(fetch, mods["dpp_ctrl"], bool(mods.get("bound_ctrl")))
    if number >= 0 and (fmt != "VOP3P" or type_name not in PACKED):
        negate = bool((mods.get("neg", 0) | mods.get("neg_lo", 0)) >> number & 1 or mods.get(f"src{number}_neg"))
        absolute = bool(mods.get("abs", 0) >> number & 1 or mods.get(f"src{number}_abs"))
        if "mix" in op.inst.spec.flags:
            absolute = bool(mods.get("neg_hi", 0) >> number & 1)
        fetch = modifiers.signed_source(fetch, type_name, negate=negate, absolute=absolute)
    if mode_flushes(code.mode, type_name)[0] and "keeps_denormals" not in op.inst.spec.flags:
        fetch = modifiers.flushed_source(fetch)
    return fetch


def _selected(code: Code, op: Op, value: OperandValue, operand: Operand, number: int) -> Fetch:
    """Apply op_sel: halves of packed sources, the high half of a 16-bit one."""
    mods, type_name, flags = op.inst.mods, operand.type, op.inst.spec.flags
    if "op_sel" in flags:
        return fetch_vector(code, value, type_name)
    if "mix" in flags and mods.get("op_sel_hi", 0) >> number & 1:
        half = fetch_vector(code, value, "pkf16")
        place = mods.get("op_sel", 0) >> number & 1
        return lambda b: half(b)[..., place].astype(np.float32)
    if op.inst.encoding.format == "VOP3P" and type_name in PACKED and number >= 0:
        ones = (1 << 3) - 1
        return modifiers.packed_halves(
            fetch_vector(code, value, type_name),
            mods.get("op_sel", 0) >> number & 1,
            mods.get("op_sel_hi", ones) >> number & 1,
            negate_low=bool(mods.get("neg_lo", 0) >> number & 1),
            negate_high=bool(mods.get("neg_hi", 0) >> number & 1),
            floating=type_name in FLOAT_TYPES and type_name != "pkbf16",
        )
    if TYPE_BITS[type_name] == 16 and number >= 0 and mods.get("op_sel", 0) >> number & 1:
        packed = {"f16": "pkf16", "i16": "pki16", "bf16": "pkbf16"}.get(type_name, "pku16")
        return modifiers.high_half(fetch_vector(code, value, packed))
    return fetch_vector(code, value, type_name)


def _result(code: Code, op: Op, values: dict[str, OperandValue], operand: Operand, lanes_of: Any) -> Put:
    mods, fmt = op.inst.mods, op.inst.encoding.format
    register, type_name = _written(values, operand), operand.type
    if type_name == "mask":
        return put_mask(register, lanes_of)
    if register.file == "s":
        return put_scalar(register, type_name)
    if "_SDWA" in fmt:
        put = put_vector(code, register, "b32", lanes_of)
        old = fetch_vector(code, register, "b32")
        select, unused = mods.get("dst_sel", 6), mods.get("dst_unused", 0)
        if select != 6 and unused == 2:
            op.reads |= op.writes
        if select == 6:
            put = put_vector(code, register, type_name, lanes_of)
        else:
            put = modifiers.sdwa_result(put, old, select, unused)
    else:
        put = put_vector(code, register, type_name, lanes_of, half=_half(op, type_name))
    if type_name in FLOAT_TYPES and type_name not in ("bf16", "pkbf16"):
        if mode_flushes(code.mode, type_name)[1]:
            put = _flushed(put)
        if mods.get("clamp"):
            put = modifiers.clamped(put)
        if mods.get("omod"):
            put = modifiers.scaled_result(put, mods["omod"])
    return put


def _half(op: Op, type_name: str) -> str:
    """Return which half of the destination a 16-bit result takes, '' if the other half is cleared."""
    if TYPE_BITS[type_name] != 16:
        return ""
    high = bool(op.inst.mods.get("op_sel", 0) & 8) or "writes_high" in op.inst.spec.flags
    if high or "keeps_high" in op.inst.spec.flags:
        op.reads |= op.writes
        op.mask = op.reads | op.writes
        return "hi" if high else "lo"
    return ""


def _flushed(put: Put) -> Put:
    def store(b: Batch, value: Any) -> None:
        put(b, flush_denormals(np.asarray(value)))

    return store


def _saturating(meaning: Any, type_name: str) -> Any:
    """Return an integer meaning that is evaluated wide and clamped to the type's range."""
    dtype = DTYPES[type_name]
    info = np.iinfo(dtype)

    def saturated(*sources: Any) -> Any:
        wide = [source.astype(np.int64) if source.dtype.kind in "iu" else source for source in sources]
        result = meaning(*wide)
        if isinstance(result, tuple):
            return (np.clip(result[0], info.min, info.max).astype(dtype), *result[1:])
        return np.clip(result, info.min, info.max).astype(dtype)

    return saturated

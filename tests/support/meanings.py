"""Calling an instruction's meaning on Python numbers, one lane each, as the emulator does on whole batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.isa import SPECS
from hkasm.isa.constants import TYPE_BITS
from hkasm.isa.spec import InstSpec, Operand, bind_meaning

DTYPES: dict[str, type] = {
    "f32": np.float32, "u32": np.uint32, "b32": np.uint32, "i32": np.int32, "f16": np.float16, "bf16": np.uint16,
    "u16": np.uint16, "i16": np.int16, "b16": np.uint16, "f64": np.float64, "u64": np.uint64, "b64": np.uint64,
    "i64": np.int64, "pkf16": np.float16, "pkbf16": np.uint16, "pki16": np.int16, "pku16": np.uint16,
    "pkf32": np.float32, "pkb32": np.uint32, "bool": np.bool_, "mask": np.bool_,
}  # fmt: skip
"""NumPy type of one element of an operand type; what is missing comes as dwords."""
SCALAR_UNITS = frozenset({"SALU", "BRANCH", "MSG"})
INTEGER_EDGES = (0, 1, 2, 5, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF)


def is_scalar(spec: InstSpec) -> bool:
    return spec.unit in SCALAR_UNITS


def element_dtype(type_name: str) -> type:
    if type_name.startswith("imm") or type_name not in DTYPES:
        return np.uint32
    return DTYPES[type_name]


def as_array(type_name: str, values: Sequence[Any]) -> NDArray[Any]:
    """Return values as an array of an operand's type; integers may be given signed or as bit patterns."""
    dtype = np.dtype(element_dtype(type_name))
    if dtype.kind in "iu":
        bits = 8 * dtype.itemsize
        array = np.array(values, dtype=object) & ((1 << bits) - 1)
        return array.astype(f"u{dtype.itemsize}").view(dtype)
    return np.array(values, dtype=dtype)


def evaluate(mnemonic: str, *sources: Sequence[Any], arch: str = "gfx950", **keywords: Any) -> tuple[NDArray[Any], ...]:
    """Run a meaning on equally long lists of values, one list for each read operand; give an array a write.

    `op_sel` and `bitop3` are modifiers, other keywords go to the meaning (`fp16_ovfl`).
    """
    spec = SPECS[mnemonic]
    modifiers = {name: keywords.pop(name) for name in ("op_sel", "bitop3") if name in keywords}
    meaning = bind_meaning(spec, arch, modifiers)
    assert meaning is not None
    if "fp16_ovfl" in spec.flags:
        keywords.setdefault("fp16_ovfl", False)
    arrays = [as_array(op.type, values) for op, values in zip(spec.reads, sources, strict=True)]
    if not is_scalar(spec):
        arrays = [array[None, ...] for array in arrays]
    with np.errstate(all="ignore"):
        results = meaning(*arrays, **keywords)
    found = results if isinstance(results, tuple) else (results,)
    assert len(found) == max(len(spec.writes), 1)
    return tuple(np.asarray(result) if is_scalar(spec) else np.asarray(result)[0] for result in found)


def random_values(operand: Operand, count: int, random: np.random.Generator) -> list[Any]:
    """Return random and awkward values of an integer operand, as Python ints of its sign."""
    if operand.type in ("bool", "mask"):
        return [bool(x) for x in random.integers(0, 2, count)]
    bits = 16 if operand.type.startswith("imm") else TYPE_BITS[operand.type]
    values = [int.from_bytes(random.bytes(8), "little") & ((1 << bits) - 1) for _ in range(count)]
    edges = [*INTEGER_EDGES, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << bits) - 16]
    for place in random.choice(count, min(count // 2, 2 * len(edges)), replace=False):
        values[place] = edges[int(random.integers(len(edges)))] & ((1 << bits) - 1)
    if operand.type.startswith("i") and not operand.type.startswith("imm"):
        values = [value - (1 << bits) if value >> (bits - 1) else value for value in values]
    return values


def patterns(values: Iterable[int], bits: int) -> list[int]:
    """Return integers as bit patterns."""
    return [int(value) & ((1 << bits) - 1) for value in values]

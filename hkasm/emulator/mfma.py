"""Matrix instructions: operands converted once, products for all waves of a batch at once.

A fragment of A or B is read by several matrix instructions; its matrix in float64 is kept until one of its registers is
written. Each matrix is a BLAS call of its own, so that bits do not depend on how waves are batched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_lds import vector_operand
from hkasm.emulator.guard import attend
from hkasm.emulator.op import Execute, Op
from hkasm.emulator.operands import fetch_vector
from hkasm.errors import EmulatorError
from hkasm.isa.cdna3_bits import mfma_cdna3_bits
from hkasm.isa.constants import Const
from hkasm.isa.mfma import (
    MfmaSpec,
    execute_mfma,
    gather_operand,
    operand_layout,
    permute_lanes,
    scatter_result,
)
from hkasm.isa.mfma.product import accumulate
from hkasm.isa.registers import Register

__all__ = ["Fragments", "compile_mfma"]

Array = NDArray[Any]
U32 = NDArray[np.uint32]
Key = tuple[object, ...]


class Fragments:
    """Operands of one batch in matrix form, each valid until a register of its mask is written."""

    def __init__(self) -> None:
        self._kept: dict[Key, tuple[int, Array]] = {}

    def get(self, b: Batch, key: Key, mask: int, make: Callable[[Batch], Array]) -> Array:
        """Return a fragment, converting it if it is not kept."""
        found = self._kept.get(key)
        if found is not None:
            return found[1]
        matrix = make(b)
        self._kept[key] = (mask, matrix)
        b.copied |= mask
        b.watch |= mask
        return matrix

    def settle(self, b: Batch, mask: int) -> None:
        """Forget the fragments that registers of `mask` belong to."""
        self._kept = {key: entry for key, entry in self._kept.items() if not entry[0] & mask}
        b.copied = 0
        for kept, _ in self._kept.values():
            b.copied |= kept
        b.update_watch()


def compile_mfma(code: Code, op: Op) -> None:
    """Compile a matrix instruction; EXEC plays no part."""
    spec = op.inst.spec.mfma
    if spec is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    op.execute = _general(code, op, spec)
    plain = spec.c_type == "f32" and not (
        spec.sparse or spec.scaled or op.inst.mods.get("neg") or op.inst.mods.get("abs")
    )
    plain = plain and not (spec.kind == "sgemm" and _flushes(code))
    if code.arithmetic == "cdna3" and spec.c_type == "f32":
        if not plain:
            raise EmulatorError(f"{spec.mnemonic}: the bit-exact model of CDNA3 does not cover it", hint="use 'exact'")
        op.execute = _bit_exact(code, op, spec)
        plain = False
    execute = _cached(code, op, spec) if plain else op.execute
    mask, writes = op.mask, op.writes

    def run(b: Batch) -> None:
        if ((b.busy | b.poison) & mask or b.copied & writes) and attend(b, op):
            return
        execute(b)

    op.run = run


def _flushes(code: Code) -> bool:
    """Tell whether MODE flushes f32 inputs, which counts for matrix instructions with f32 operands only."""
    return not code.mode >> 4 & 1


def _general(code: Code, op: Op, spec: MfmaSpec) -> Execute:
    """Return the instruction by the reference function, whatever its kind."""
    values, mods, arch = values_of(op), op.inst.mods, code.arch.name
    first_a, count_a, _ = vector_operand(code, values, "src0")
    first_b, count_b, _ = vector_operand(code, values, "src1")
    first_d, count_d, _ = vector_operand(code, values, "vdst")
    third = values["src2"]
    index_of = fetch_vector(code, third, "b32") if spec.sparse else None
    fetch_c = _fetch_c(code, values["vdst"] if spec.sparse else third, count_d)
    scales = [fetch_vector(code, values[name], "b32") for name in ("scale0", "scale1") if name in values]
    select = mods.get("op_sel", 0), mods.get("op_sel_hi", 0)
    scale_bytes = tuple((select[0] >> bit & 1) | (select[1] >> bit & 1) << 1 for bit in (0, 1))
    flush = _flushes(code)

    def execute(b: Batch) -> None:
        words = [np.broadcast_to(fetch(b), (b.waves, 64)) for fetch in scales]
        b.v[first_d : first_d + count_d] = execute_mfma(
            spec,
            b.v[first_a : first_a + count_a],
            b.v[first_b : first_b + count_b],
            fetch_c(b),
            arch=arch,
            cbsz=mods.get("cbsz", 0),
            abid=mods.get("abid", 0),
            blgp=mods.get("blgp", 0),
            index=index_of(b) if index_of is not None else None,
            scales=(words[0], words[1]) if words else None,
            scale_bytes=(scale_bytes[0], scale_bytes[1]),
            negate_c=bool(mods.get("neg", 0) & 4),
            absolute_c=bool(mods.get("abs", 0) & 4),
            flush_inputs=flush,
        )

    return execute


def _bit_exact(code: Code, op: Op, spec: MfmaSpec) -> Execute:
    """Return the instruction by the published model of MI300X's bits."""
    values, mods, arch = values_of(op), op.inst.mods, code.arch.name
    first_a, count_a, _ = vector_operand(code, values, "src0")
    first_b, count_b, _ = vector_operand(code, values, "src1")
    first_d, count_d, _ = vector_operand(code, values, "vdst")
    fetch_c = _fetch_c(code, values["src2"], count_d)
    cbsz, abid, blgp = mods.get("cbsz", 0), mods.get("abid", 0), mods.get("blgp", 0)

    def execute(b: Batch) -> None:
        left = permute_lanes(spec, "A", b.v[first_a : first_a + count_a], cbsz=cbsz, abid=abid)
        right = permute_lanes(spec, "B", b.v[first_b : first_b + count_b], blgp=blgp)
        result = mfma_cdna3_bits(
            spec,
            gather_operand(spec, "A", left, arch=arch),
            gather_operand(spec, "B", right, arch=arch),
            gather_operand(spec, "C", fetch_c(b), arch=arch),
        )
        b.v[first_d : first_d + count_d] = scatter_result(spec, result)

    return execute


def _fetch_c(code: Code, value: object, count: int) -> Callable[[Batch], U32]:
    """Return the fetch of C's registers [count, W, 64]; an inline constant fills them all."""
    if isinstance(value, Register) and value.file != "s":
        first = code.registers.physical(value)
        return lambda b: b.v[first : first + count]
    if isinstance(value, Const):
        bits = np.uint32(value.bits("b32"))
        return lambda b: np.full((count, b.waves, 64), bits, dtype=np.uint32)
    raise EmulatorError(f"{value} cannot be an accumulator")


def _cached(code: Code, op: Op, spec: MfmaSpec) -> Execute:
    """Return the instruction for f32 accumulators, with kept fragments and sums through views of the registers."""
    values, mods, arch = values_of(op), op.inst.mods, code.arch.name
    cbsz, abid, blgp = mods.get("cbsz", 0), mods.get("abid", 0), mods.get("blgp", 0)
    dtype = np.float32 if code.arithmetic == "fast" else np.float64
    first_d, count_d, _ = vector_operand(code, values, "vdst")
    third = values["src2"]
    constant: np.float32 | None = None
    first_c = first_d
    if isinstance(third, Const):
        constant = np.uint32(third.bits("f32")).view(np.float32)
    else:
        first_c, _, _ = vector_operand(code, values, "src2")

    def operand(letter: str, name: str, fmt: int) -> tuple[Key, int, Callable[[Batch], Array]]:
        first, count, mask = vector_operand(code, values, name)
        layout = operand_layout(spec, letter, fmt if spec.selects_format else None)
        format_number = fmt if spec.selects_format else None
        moves = (0, 0, 0) if spec.selects_format else (cbsz, abid, 0) if letter == "A" else (0, 0, blgp)
        key = (first, id(layout), spec.element_type(letter, format_number), moves)

        def make(b: Batch) -> Array:
            words = permute_lanes(spec, letter, b.v[first : first + count], cbsz=moves[0], abid=moves[1], blgp=moves[2])
            return gather_operand(spec, letter, words, format_number, arch=arch).astype(dtype, copy=False)

        return key, mask, make

    key_a, mask_a, make_a = operand("A", "src0", cbsz)
    key_b, mask_b, make_b = operand("B", "src1", blgp)

    def execute(b: Batch) -> None:
        kept = b.fragments
        if kept is None:
            kept = b.fragments = Fragments()
        left = kept.get(b, key_a, mask_a, make_a)
        right = kept.get(b, key_b, mask_b, make_b)
        third = constant if constant is not None else b.v_f32[first_c : first_c + count_d]
        accumulate(spec, left, right, third, out=b.v_f32[first_d : first_d + count_d])

    return execute

"""Elementwise operations on register tiles: tile with tile, row or column vector, SGPR or number.

f32 is computed as it is, packed where packed instructions exist. f16 has its own packed arithmetic; exp, log, gelu and
silu, and vectors of f32, go by way of f32. bf16 and the 8-bit floats go by way of f32 and are rounded once more to
nearest even at the end (packing.py); sign operations work on the bits.

What special values give is the ISA's: max and min prefer a number to NaN and take -0 below +0; exp2, log2, rcp, rsqrt
and sqrt of f32 see and give denormals as zeros (within 1 ulp elsewhere); div is x * rcp(y), within 2 ulp, so that a
denormal divisor counts as zero, and one above 2**126 as infinity; gelu and silu of -inf are NaN, as their formulas
are. exp and log multiply by log2(e) and ln(2) in f32: a relative error of |x| * 2**-24 comes on top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import e, log2, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.ops.lanes import Lanes, Operand, Values

Array = NDArray[Any]

LOG2_E = log2(e)
LN_2 = 1 / LOG2_E
GELU_INNER = 0.044715
GELU_OUTER = -2 * sqrt(2 / pi) * LOG2_E
"""gelu(x) = x / (1 + 2**(GELU_OUTER * (x + GELU_INNER * x**3))), the form with tanh."""


@dataclass(frozen=True)
class Elementwise:
    """One operation: how many tiles it takes, how it is computed, and what it means.

    `reference` works on float arrays, in f32 or better. `f32` writes element lists in f32 and may use its first
    sources as scratch if it is told where else (`spare` registers an element). `exact` results of bf16 sources are
    bf16s. `ulp` is how far a result may lie from the reference, in units of the last place of its dtype.
    """

    name: str
    arity: int
    reference: Callable[..., Array]
    f32: Callable[[Lanes, Values, Sequence[Operand], Sequence[Values]], None]
    spare: int = 0
    exact: bool = False
    ulp: int = 0
    bf16_reference: Callable[..., Array] | None = None
    """Where bf16 gives something else."""
    f16: str = ""
    """Instruction of f16: packed (`v_pk_..`), or one for each half through SDWA."""
    bits: Callable[[Builder, Register, Register, int], None] | None = None
    """Emit the operation on the bits of a register whose elements have so many bits."""


# ---- the operations in f32 -----------------------------------------------------------------------------------------


def _one(mnemonic: str) -> Callable[[Lanes, Values, Sequence[Operand], Sequence[Values]], None]:
    """One instruction an element."""

    def emit(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
        alu.each(getattr(alu.k, mnemonic), d, *args)

    return emit


def _exp(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
    alu.mul(d, args[0], LOG2_E)
    alu.each(alu.k.v_exp_f32, d, d)


def _log(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
    alu.each(alu.k.v_log_f32, d, args[0])
    alu.mul(d, d, LN_2)


def _silu(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
    (t,) = spare
    alu.mul(t, args[0], -LOG2_E)
    _times_logistic(alu, d, args[0], t)


def _gelu(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
    t, cube = spare
    alu.mul(cube, args[0], args[0])
    alu.mul(t, args[0], GELU_OUTER)
    alu.mul(cube, cube, t)
    alu.fma(t, cube, GELU_INNER, t)
    _times_logistic(alu, d, args[0], t)


def _times_logistic(alu: Lanes, d: Values, x: Operand, t: Values) -> None:
    """d = x / (1 + 2**t)."""
    alu.each(alu.k.v_exp_f32, t, t)
    alu.add(t, t, 1.0)
    alu.each(alu.k.v_rcp_f32, t, t)
    alu.mul(d, x, t)


def _div(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
    (t,) = spare
    alu.each(alu.k.v_rcp_f32, t, args[1])
    alu.mul(d, args[0], t)


def _arith(method: str) -> Callable[[Lanes, Values, Sequence[Operand], Sequence[Values]], None]:
    def emit(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
        getattr(alu, method)(d, *args)

    return emit


# ---- on the bits ---------------------------------------------------------------------------------------------------


def _signs(bits: int) -> int:
    return sum(1 << place for place in range(bits - 1, 32, bits))


def _neg_bits(k: Builder, d: Register, x: Register, bits: int) -> None:
    k.v_xor_b32(d, _signs(bits), x)


def _abs_bits(k: Builder, d: Register, x: Register, bits: int) -> None:
    k.v_and_b32(d, ~_signs(bits) & 0xFFFF_FFFF, x)


def _copy_bits(k: Builder, d: Register, x: Register, bits: int) -> None:
    if d != x:
        k.v_mov_b32(d, x)


def _each_bits(
    emit: Callable[[Builder, Register, Register, int], None],
) -> Callable[[Lanes, Values, Sequence[Operand], Sequence[Values]], None]:
    """Emit an operation on the bits of f32 values."""

    def emit_all(alu: Lanes, d: Values, args: Sequence[Operand], spare: Sequence[Values]) -> None:
        values = args[0]
        assert not isinstance(values, (int, float, Register))
        for target, value in zip(d, values, strict=True):
            emit(alu.k, target, value, 32)

    return emit_all


# ---- references ----------------------------------------------------------------------------------------------------


def _quiet(function: Callable[..., Array]) -> Callable[..., Array]:
    def reference(*args: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(*args)

    return reference


def _flush(x: Array) -> Array:
    return np.where(np.abs(x) < np.finfo(np.float32).smallest_normal, np.copysign(0.0, x), x)


def _wide(function: Callable[..., Array]) -> Callable[..., Array]:
    """Evaluate in float64 what an f32 instruction that knows no denormals computes."""

    def reference(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return _flush(function(_flush(x.astype(np.float64))).astype(np.float32))

    return reference


def larger(x: Array, y: Array) -> Array:
    """Return the maximum as the ISA has it: a number before NaN, +0 before -0."""
    found: Array = np.where(x == y, np.where(np.signbit(x), y, x), np.fmax(x, y))
    return found


def smaller(x: Array, y: Array) -> Array:
    """Return the minimum as the ISA has it: a number before NaN, -0 before +0."""
    found: Array = np.where(x == y, np.where(np.signbit(x), x, y), np.fmin(x, y))
    return found


def _relu_bf16(x: Array) -> Array:
    """A maximum of integers: NaN counts by its sign."""
    found: Array = np.where(np.isnan(x) & ~np.signbit(x), x, larger(x, np.zeros_like(x)))
    return found


_reciprocal = _wide(lambda x: 1 / x)


def _quotient(x: Array, y: Array) -> Array:
    return x * _reciprocal(y)


def _logistic(t: Array) -> Array:
    """1 / (1 + 2**t), as rcp gives it: no denormals."""
    return _flush((1 / (1 + np.exp2(t))).astype(np.float32))


def _gelu_reference(x: Array) -> Array:
    wide = x.astype(np.float64)
    return wide * _logistic(GELU_OUTER * (wide + GELU_INNER * wide**3))


def _silu_reference(x: Array) -> Array:
    wide = x.astype(np.float64)
    return wide * _logistic(-LOG2_E * wide)


OPERATIONS: dict[str, Elementwise] = {
    op.name: op
    for op in (
        Elementwise("copy", 1, lambda x: x, _one("v_mov_b32"), bits=_copy_bits),
        Elementwise("neg", 1, np.negative, _each_bits(_neg_bits), bits=_neg_bits),
        Elementwise("abs", 1, np.abs, _each_bits(_abs_bits), bits=_abs_bits),
        Elementwise(
            "relu",
            1,
            lambda x: larger(x, np.zeros_like(x)),
            lambda alu, d, args, spare: alu.each(alu.k.v_max_f32, d, args[0], 0.0),
            exact=True,
            f16="v_pk_max_f16",
            bf16_reference=_relu_bf16,
        ),
        Elementwise("exp2", 1, _wide(np.exp2), _one("v_exp_f32"), ulp=1, f16="v_exp_f16"),
        Elementwise("log2", 1, _wide(np.log2), _one("v_log_f32"), ulp=1, f16="v_log_f16"),
        Elementwise("rcp", 1, _reciprocal, _one("v_rcp_f32"), ulp=1, f16="v_rcp_f16"),
        Elementwise("rsqrt", 1, _wide(lambda x: 1 / np.sqrt(x)), _one("v_rsq_f32"), ulp=1, f16="v_rsq_f16"),
        Elementwise("sqrt", 1, _wide(np.sqrt), _one("v_sqrt_f32"), ulp=1, f16="v_sqrt_f16"),
        Elementwise("exp", 1, _wide(np.exp), _exp, ulp=128),
        Elementwise("log", 1, _wide(np.log), _log, ulp=2),
        Elementwise("gelu", 1, _quiet(_gelu_reference), _gelu, spare=2, ulp=1024),
        Elementwise("silu", 1, _quiet(_silu_reference), _silu, spare=1, ulp=256),
        Elementwise("add", 2, _quiet(np.add), _arith("add"), f16="v_pk_add_f16"),
        Elementwise("sub", 2, _quiet(np.subtract), _arith("sub"), f16="v_pk_add_f16"),
        Elementwise("mul", 2, _quiet(np.multiply), _arith("mul"), f16="v_pk_mul_f16"),
        Elementwise("div", 2, _quiet(_quotient), _div, spare=1, ulp=2),
        Elementwise("max", 2, larger, _one("v_max_f32"), exact=True, f16="v_pk_max_f16"),
        Elementwise("min", 2, smaller, _one("v_min_f32"), exact=True, f16="v_pk_min_f16"),
        Elementwise(
            "fma", 3, _quiet(lambda x, y, z: x.astype(np.float64) * y + z), _arith("fma"), ulp=1, f16="v_pk_fma_f16"
        ),
    )
}

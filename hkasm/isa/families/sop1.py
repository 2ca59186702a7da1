"""Scalar ALU with one source: SOP1.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents, chapter
"Instructions". A scalar value is an array [waves]; SCC is a bool array [waves].
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._bits import count_ones, first_one, leading_zeros, reverse_bits, sign_run
from hkasm.isa.families._shapes import sop1
from hkasm.isa.families._types import Array, Function

U32, I32, U64 = np.uint32, np.int32, np.uint64


def with_nonzero(function: Function) -> Function:
    """Return the result and SCC = result is not zero."""

    def meaning(*sources: Array) -> tuple[Array, Array]:
        result = function(*sources)
        return result, result != 0

    return meaning


def _whole_quads(a: Array) -> Array:
    """Set all four bits of each group of four that has a bit set."""
    dtype = a.dtype.type
    ones = dtype(0x1111111111111111 & ((1 << 8 * a.dtype.itemsize) - 1))
    return _any_of_quad(a) * dtype(15) & (ones * dtype(15))


def _any_of_quad(a: Array) -> Array:
    """Bit 4q is set when group q of four bits has a bit set."""
    dtype = a.dtype.type
    ones = dtype(0x1111111111111111 & ((1 << 8 * a.dtype.itemsize) - 1))
    halves = a | (a >> dtype(2))
    return (halves | (halves >> dtype(1))) & ones


def _quad_mask(a: Array) -> Array:
    dtype = a.dtype.type
    quads = _any_of_quad(a)
    result = np.zeros_like(a)
    for quad in range(2 * a.dtype.itemsize):
        result |= ((quads >> dtype(4 * quad)) & dtype(1)) << dtype(quad)
    return result


def _replicate(a: Array) -> Array:
    """Each bit twice: spread the 32 bits over the even places, then double."""
    spread = a.astype(U64)
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        spread = (spread | (spread << U64(shift))) & U64(mask)
    return spread | (spread << U64(1))


def _set_bit(value: int) -> Function:
    def meaning(old: Array, place: Array) -> Array:
        dtype = old.dtype.type
        bit = dtype(1) << (place & U32(8 * old.dtype.itemsize - 1)).astype(dtype)
        return old | bit if value else old & ~bit

    return meaning


def _ones_and_any(a: Array) -> tuple[Array, Array]:
    count = count_ones(a)
    return count, count != 0


def _zeros_and_any(a: Array) -> tuple[Array, Array]:
    return _ones_and_any(~a)


def _abs(a: Array) -> Array:
    return np.where(a < 0, -a, a)


_WIDTHS = ((32, 0), (64, 1))
_SCC = " =[scc]:bool"
for _bits, _next in _WIDTHS:
    _type = f"b{_bits}"
    _move = f"=sdst:{_type} src0:{_type}"
    sop1(f"s_mov_{_type}", 0x00 + _next, _move, lambda a: a, "D = S0")
    sop1(
        f"s_cmov_{_type}",
        0x02 + _next,
        f"+sdst:{_type} src0:{_type} [scc]:bool",
        lambda old, a, scc: np.where(scc, a, old),
        "if SCC: D = S0",
    )
    sop1(f"s_not_{_type}", 0x04 + _next, _move + _SCC, with_nonzero(np.invert), "D = ~S0; SCC = D != 0")
    sop1(
        f"s_wqm_{_type}",
        0x06 + _next,
        _move + _SCC,
        with_nonzero(_whole_quads),
        "D = each group of 4 bits all ones when any of S0's is set; SCC = D != 0",
    )
    sop1(f"s_brev_{_type}", 0x08 + _next, _move, reverse_bits, "D = bits of S0 in reverse order")
    _count = f"=sdst:i32 src0:{_type}"
    sop1(f"s_bcnt0_i32_{_type}", 0x0A + _next, _count + _SCC, _zeros_and_any, "D = number of zeros in S0; SCC = D != 0")
    sop1(f"s_bcnt1_i32_{_type}", 0x0C + _next, _count + _SCC, _ones_and_any, "D = number of ones in S0; SCC = D != 0")
    sop1(
        f"s_ff0_i32_{_type}",
        0x0E + _next,
        _count,
        lambda a: first_one(~a),
        "D = place of the lowest zero of S0, -1 when none",
    )
    sop1(f"s_ff1_i32_{_type}", 0x10 + _next, _count, first_one, "D = place of the lowest one of S0, -1 when none")
    sop1(f"s_flbit_i32_{_type}", 0x12 + _next, _count, leading_zeros, "D = zeros above the highest one, -1 when none")
    sop1(f"s_bitset0_{_type}", 0x18 + _next, f"+sdst:{_type} src0:u32", _set_bit(0), f"D[S0[{4 + _next}:0]] = 0")
    sop1(f"s_bitset1_{_type}", 0x1A + _next, f"+sdst:{_type} src0:u32", _set_bit(1), f"D[S0[{4 + _next}:0]] = 1")
    sop1(
        f"s_quadmask_{_type}",
        0x28 + _next,
        _move + _SCC,
        with_nonzero(_quad_mask),
        "D[i] = any of S0[4i+3:4i]; SCC = D != 0",
    )
    sop1(
        f"s_movrels_{_type}",
        0x2A + _next,
        f"=sdst:{_type} src0:{_type}/s [m0]:b32",
        None,
        "D = SGPR[S0's number + M0]",
        control="movrels",
    )
    sop1(
        f"s_movreld_{_type}",
        0x2C + _next,
        f"=sdst:{_type} src0:{_type} [m0]:b32",
        None,
        "SGPR[D's number + M0] = S0",
        control="movreld",
    )

sop1("s_flbit_i32", 0x14, "=sdst:i32 src0:i32", sign_run, "D = copies of the sign from the top, -1 when all bits agree")
sop1(
    "s_flbit_i32_i64",
    0x15,
    "=sdst:i32 src0:i64",
    sign_run,
    "D = copies of the sign from the top, -1 when all bits agree",
)
sop1("s_sext_i32_i8", 0x16, "=sdst:i32 src0:u32", lambda a: a.astype(np.int8).astype(I32), "D = sign-extended S0[7:0]")
sop1(
    "s_sext_i32_i16", 0x17, "=sdst:i32 src0:u32", lambda a: a.astype(np.int16).astype(I32), "D = sign-extended S0[15:0]"
)
sop1("s_getpc_b64", 0x1C, "=sdst:b64", None, "D = address of the next instruction", control="getpc")
sop1("s_setpc_b64", 0x1D, "src0:b64/s", None, "PC = S0", control="jump")
sop1("s_swappc_b64", 0x1E, "=sdst:b64 src0:b64", None, "D = address of the next instruction; PC = S0", control="call")
sop1("s_rfe_b64", 0x1F, "src0:b64/s", None, "return from the trap handler: PC = S0, PRIV = 0", control="trap_return")


def _save_exec(function: Function) -> Function:
    """D keeps the old EXEC, EXEC takes the result."""

    def meaning(source: Array, mask: Array) -> tuple[Array, Array, Array]:
        result = function(source, mask)
        return mask, result, result != 0

    return meaning


def _write_exec(function: Function) -> Function:
    """D and EXEC both take the result."""

    def meaning(source: Array, mask: Array) -> tuple[Array, Array, Array]:
        result = function(source, mask)
        return result, result, result != 0

    return meaning


_EXEC = "=sdst:b64 src0:b64 [exec]:b64 =[exec]:b64 =[scc]:bool"
_MASKS: tuple[tuple[str, int, Function, str], ...] = (
    ("and", 0x20, lambda s, e: s & e, "S0 & EXEC"),
    ("or", 0x21, lambda s, e: s | e, "S0 | EXEC"),
    ("xor", 0x22, lambda s, e: s ^ e, "S0 ^ EXEC"),
    ("andn2", 0x23, lambda s, e: s & ~e, "S0 & ~EXEC"),
    ("orn2", 0x24, lambda s, e: s | ~e, "S0 | ~EXEC"),
    ("nand", 0x25, lambda s, e: ~(s & e), "~(S0 & EXEC)"),
    ("nor", 0x26, lambda s, e: ~(s | e), "~(S0 | EXEC)"),
    ("xnor", 0x27, lambda s, e: ~(s ^ e), "~(S0 ^ EXEC)"),
    ("andn1", 0x33, lambda s, e: ~s & e, "~S0 & EXEC"),
    ("orn1", 0x34, lambda s, e: ~s | e, "~S0 | EXEC"),
)
for _name, _op, _function, _text in _MASKS:
    sop1(f"s_{_name}_saveexec_b64", _op, _EXEC, _save_exec(_function), f"D = EXEC; EXEC = {_text}; SCC = EXEC != 0")
for _name, _op, _function, _text in (
    ("andn1", 0x35, lambda s, e: ~s & e, "~S0 & EXEC"),
    ("andn2", 0x36, lambda s, e: s & ~e, "S0 & ~EXEC"),
):
    sop1(f"s_{_name}_wrexec_b64", _op, _EXEC, _write_exec(_function), f"D = EXEC = {_text}; SCC = EXEC != 0")

sop1(
    "s_cbranch_join",
    0x2E,
    "src0:b32/s =[exec]:b64",
    None,
    "join of a fork: go on when the stack is at S0, else take the other side (legacy divergence stack)",
    control="fork",
)
sop1("s_abs_i32", 0x30, "=sdst:i32 src0:i32 =[scc]:bool", with_nonzero(_abs), "D = |S0|; SCC = D != 0")
sop1(
    "s_set_gpr_idx_idx",
    0x32,
    "src0:b32/scl +[m0]:b32",
    lambda a, m0: (m0 & ~U32(0xFF)) | (a & U32(0xFF)),
    "M0[7:0] = S0[7:0], the index of indexed VGPR access",
)
sop1("s_bitreplicate_b64_b32", 0x37, "=sdst:b64 src0:b32", _replicate, "D[2i+1:2i] = S0[i] twice")

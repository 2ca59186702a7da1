"""Scalar ALU with two sources: SOP2.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents, chapter
"Instructions". A scalar value is an array [waves]; SCC is a bool array [waves].
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._shapes import sop2
from hkasm.isa.families._types import Array, Function

U32, I32, U64, I64 = np.uint32, np.int32, np.uint64, np.int64
_B32 = "=sdst:b32 src0:b32 src1:b32 =[scc]:bool"
_B64 = "=sdst:b64 src0:b64 src1:b64 =[scc]:bool"
_U32 = "=sdst:u32 src0:u32 src1:u32 =[scc]:bool"
_I32 = "=sdst:i32 src0:i32 src1:i32 =[scc]:bool"
_CARRY = "=sdst:u32 src0:u32 src1:u32 [scc]:bool =[scc]:bool"
_SHIFT_64 = "=sdst:b64 src0:b64 src1:u32 =[scc]:bool"


def with_nonzero(function: Function) -> Function:
    """Return the result and SCC = result is not zero."""

    def meaning(*sources: Array) -> tuple[Array, Array]:
        result = function(*sources)
        return result, result != 0

    return meaning


def _add_u32(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    return total, total < a


def _add_i32(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    return total, ((a ^ total) & (b ^ total)) < 0


def _addc(a: Array, b: Array, scc: Array) -> tuple[Array, Array]:
    total = a.astype(U64) + b + scc
    return total.astype(U32), total > 0xFFFFFFFF


def _sub_u32(a: Array, b: Array) -> tuple[Array, Array]:
    return a - b, a < b


def _sub_i32(a: Array, b: Array) -> tuple[Array, Array]:
    total = a - b
    return total, ((a ^ b) & (a ^ total)) < 0


def _subb(a: Array, b: Array, scc: Array) -> tuple[Array, Array]:
    taken = b.astype(U64) + scc
    return (a - taken).astype(U32), a < taken


def _bfm(width: Array, offset: Array, dtype: type, bits: int) -> Array:
    one = dtype(1)
    return ((one << (width & (bits - 1)).astype(dtype)) - one) << (offset & (bits - 1)).astype(dtype)


def _bfe_unsigned(a: Array, field: Array, bits: int) -> Array:
    """Field offset in the low 5 or 6 bits, width in bits 22:16; a width of 0 gives 0."""
    dtype = a.dtype.type
    offset = (field & (bits - 1)).astype(dtype)
    width = (field >> U32(16)) & U32(0x7F)
    kept = (dtype(1) << (width & (bits - 1)).astype(dtype)) - dtype(1)
    return (a >> offset) & np.where(width >= bits, ~dtype(0), kept)


def _bfe_signed(a: Array, field: Array, bits: int) -> Array:
    """As the unsigned one, with the field's top bit repeated above it."""
    dtype = a.dtype.type
    offset = (field & (bits - 1)).astype(dtype)
    width = np.minimum((field >> U32(16)) & U32(0x7F), U32(bits)).astype(dtype)
    up = dtype(bits) - width
    shifted = np.where(width > 0, (a >> offset) << (up & dtype(bits - 1)), dtype(0))
    return shifted >> (up & dtype(bits - 1))


def _absdiff(a: Array, b: Array) -> Array:
    difference = a - b
    return np.where(difference < 0, -difference, difference)


def _shift_left_add(amount: int) -> Function:
    def meaning(a: Array, b: Array) -> tuple[Array, Array]:
        total = (a.astype(U64) << U64(amount)) + b
        return total.astype(U32), total > 0xFFFFFFFF

    return meaning


def _pack(low_shift: int, high_shift: int) -> Function:
    def meaning(a: Array, b: Array) -> Array:
        return ((a >> U32(low_shift)) & U32(0xFFFF)) | ((b >> U32(high_shift)) << U32(16))

    return meaning


sop2("s_add_u32", 0x00, _U32, _add_u32, "D = S0 + S1; SCC = carry out")
sop2("s_sub_u32", 0x01, _U32, _sub_u32, "D = S0 - S1; SCC = borrow")
sop2("s_add_i32", 0x02, _I32, _add_i32, "D = S0 + S1; SCC = signed overflow")
sop2("s_sub_i32", 0x03, _I32, _sub_i32, "D = S0 - S1; SCC = signed overflow")
sop2("s_addc_u32", 0x04, _CARRY, _addc, "D = S0 + S1 + SCC; SCC = carry out")
sop2("s_subb_u32", 0x05, _CARRY, _subb, "D = S0 - S1 - SCC; SCC = borrow")
_MIN_MAX: tuple[tuple[str, int, str, Function, Function, str], ...] = (
    ("s_min_i32", 0x06, _I32, np.minimum, np.less, "D = min(S0, S1) signed; SCC = S0 < S1"),
    ("s_min_u32", 0x07, _U32, np.minimum, np.less, "D = min(S0, S1) unsigned; SCC = S0 < S1"),
    ("s_max_i32", 0x08, _I32, np.maximum, np.greater_equal, "D = max(S0, S1) signed; SCC = S0 >= S1"),
    ("s_max_u32", 0x09, _U32, np.maximum, np.greater_equal, "D = max(S0, S1) unsigned; SCC = S0 >= S1"),
)


def _with_condition(function: Function, condition: Function) -> Function:
    return lambda a, b: (function(a, b), condition(a, b))


for _name, _op, _signature, _function, _condition, _doc in _MIN_MAX:
    sop2(_name, _op, _signature, _with_condition(_function, _condition), _doc)

for _bits, _op in ((32, 0x0A), (64, 0x0B)):
    sop2(
        f"s_cselect_b{_bits}",
        _op,
        f"=sdst:b{_bits} src0:b{_bits} src1:b{_bits} [scc]:bool",
        lambda a, b, scc: np.where(scc, a, b),
        "D = SCC ? S0 : S1",
    )

_LOGIC: tuple[tuple[str, int, Function, str], ...] = (
    ("and", 0x0C, lambda a, b: a & b, "S0 & S1"),
    ("or", 0x0E, lambda a, b: a | b, "S0 | S1"),
    ("xor", 0x10, lambda a, b: a ^ b, "S0 ^ S1"),
    ("andn2", 0x12, lambda a, b: a & ~b, "S0 & ~S1"),
    ("orn2", 0x14, lambda a, b: a | ~b, "S0 | ~S1"),
    ("nand", 0x16, lambda a, b: ~(a & b), "~(S0 & S1)"),
    ("nor", 0x18, lambda a, b: ~(a | b), "~(S0 | S1)"),
    ("xnor", 0x1A, lambda a, b: ~(a ^ b), "~(S0 ^ S1)"),
)
for _name, _op, _function, _text in _LOGIC:
    sop2(f"s_{_name}_b32", _op, _B32, with_nonzero(_function), f"D = {_text}; SCC = D != 0")
    sop2(f"s_{_name}_b64", _op + 1, _B64, with_nonzero(_function), f"D = {_text}; SCC = D != 0")

sop2("s_lshl_b32", 0x1C, _B32, with_nonzero(lambda a, b: a << (b & 31)), "D = S0 << S1[4:0]; SCC = D != 0")
sop2(
    "s_lshl_b64",
    0x1D,
    _SHIFT_64,
    with_nonzero(lambda a, b: a << (b & 63).astype(U64)),
    "D = S0 << S1[5:0]; SCC = D != 0",
)
sop2("s_lshr_b32", 0x1E, _B32, with_nonzero(lambda a, b: a >> (b & 31)), "D = S0 >> S1[4:0]; SCC = D != 0")
sop2(
    "s_lshr_b64",
    0x1F,
    _SHIFT_64,
    with_nonzero(lambda a, b: a >> (b & 63).astype(U64)),
    "D = S0 >> S1[5:0]; SCC = D != 0",
)
sop2(
    "s_ashr_i32",
    0x20,
    "=sdst:i32 src0:i32 src1:u32 =[scc]:bool",
    with_nonzero(lambda a, b: a >> (b & 31).astype(I32)),
    "D = S0 >> S1[4:0] with sign; SCC = D != 0",
)
sop2(
    "s_ashr_i64",
    0x21,
    "=sdst:i64 src0:i64 src1:u32 =[scc]:bool",
    with_nonzero(lambda a, b: a >> (b & 63).astype(I64)),
    "D = S0 >> S1[5:0] with sign; SCC = D != 0",
)
sop2(
    "s_bfm_b32",
    0x22,
    "=sdst:b32 src0:u32 src1:u32",
    lambda a, b: _bfm(a, b, U32, 32),
    "D = ((1 << S0[4:0]) - 1) << S1[4:0]",
)
sop2(
    "s_bfm_b64",
    0x23,
    "=sdst:b64 src0:u32 src1:u32",
    lambda a, b: _bfm(a, b, U64, 64),
    "D = ((1 << S0[5:0]) - 1) << S1[5:0]",
)
sop2("s_mul_i32", 0x24, "=sdst:i32 src0:i32 src1:i32", lambda a, b: a * b, "D = low 32 bits of S0 * S1")
_FIELD = "bits S1[22:16] wide at S1[{}:0] of S0; SCC = D != 0"
for _bits, _op in ((32, 0x25), (64, 0x27)):
    _top = 4 if _bits == 32 else 5
    sop2(
        f"s_bfe_u{_bits}",
        _op,
        f"=sdst:u{_bits} src0:u{_bits} src1:u32 =[scc]:bool",
        with_nonzero(lambda a, b, bits=_bits: _bfe_unsigned(a, b, bits)),
        f"D = {_FIELD.format(_top)}",
    )
    sop2(
        f"s_bfe_i{_bits}",
        _op + 1,
        f"=sdst:i{_bits} src0:i{_bits} src1:u32 =[scc]:bool",
        with_nonzero(lambda a, b, bits=_bits: _bfe_signed(a, b, bits)),
        f"D = sign-extended {_FIELD.format(_top)}",
    )
sop2(
    "s_cbranch_g_fork",
    0x29,
    "src0:b64/sc src1:b64/sc [exec]:b64 =[exec]:b64",
    None,
    "fork on a mask S0 to the address S1, the smaller half first (legacy divergence stack)",
    control="fork",
)
sop2("s_absdiff_i32", 0x2A, _I32, with_nonzero(_absdiff), "D = |S0 - S1|; SCC = D != 0")
sop2(
    "s_rfe_restore_b64",
    0x2B,
    "src0:b64 src1:b32",
    None,
    "return from the trap handler to S0 and restore STATUS.INST_ATC (trap handlers only)",
    control="trap_return",
)
sop2(
    "s_mul_hi_u32",
    0x2C,
    "=sdst:u32 src0:u32 src1:u32",
    lambda a, b: (a.astype(U64) * b >> U64(32)).astype(U32),
    "D = high 32 bits of the unsigned product",
)
sop2(
    "s_mul_hi_i32",
    0x2D,
    "=sdst:i32 src0:i32 src1:i32",
    lambda a, b: (a.astype(I64) * b >> I64(32)).astype(I32),
    "D = high 32 bits of the signed product",
)
for _amount in (1, 2, 3, 4):
    sop2(
        f"s_lshl{_amount}_add_u32",
        0x2D + _amount,
        _U32,
        _shift_left_add(_amount),
        f"D = (S0 << {_amount}) + S1; SCC = carry out of 32 bits",
    )
for _name, _op, _low, _high in (("ll", 0x32, 0, 0), ("lh", 0x33, 0, 16), ("hh", 0x34, 16, 16)):
    _halves = [f"S{i}.{'high' if shift else 'low'}" for i, shift in enumerate((_low, _high))]
    sop2(
        f"s_pack_{_name}_b32_b16",
        _op,
        "=sdst:b32 src0:b32 src1:b32",
        _pack(_low, _high),
        f"D = {{{_halves[1]}, {_halves[0]}}}, 16 bits each",
    )

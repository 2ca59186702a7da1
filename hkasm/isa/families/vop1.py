"""Vector ALU with one source: VOP1, save the conversions.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents. A vector
value is an array [waves, 64]. Transcendentals are computed in float64 and rounded once; the chip's own bits are not
published (1 ulp).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hkasm.isa.families import _floats
from hkasm.isa.families._bits import first_one, leading_zeros, reverse_bits, sign_run
from hkasm.isa.families._shapes import GFX950_ONLY, vop1
from hkasm.isa.families._types import Array, Function
from hkasm.isa.spec import declare

U32 = np.uint32

vop1("v_nop", 0x00, "", lambda: (), "do nothing", forms="e32 e64 dpp", flags=["bare"])
vop1("v_mov_b32", 0x01, "=vdst:b32 src0:b32", lambda a: a, "D = S0")
vop1("v_mov_b64", 0x38, "=vdst:b64 src0:b64", lambda a: a, "D = S0", forms="e32 e64 dpp")
vop1("v_clrexcp", 0x35, "", lambda: (), "clear the wave's exception flags", forms="e32 e64", flags=["bare"])
vop1("v_not_b32", 0x2B, "=vdst:b32 src0:b32", np.invert, "D = ~S0")
vop1("v_bfrev_b32", 0x2C, "=vdst:b32 src0:b32", reverse_bits, "D = bits of S0 in reverse order")
vop1("v_ffbh_u32", 0x2D, "=vdst:i32 src0:u32", leading_zeros, "D = zeros above the highest one of S0, -1 when none")
vop1("v_ffbl_b32", 0x2E, "=vdst:i32 src0:b32", first_one, "D = place of the lowest one of S0, -1 when none")
vop1("v_ffbh_i32", 0x2F, "=vdst:i32 src0:i32", sign_run, "D = copies of the sign from the top, -1 when all bits agree")


def _prng(a: Array) -> Array:
    """One step of a 32-bit linear feedback shift register."""
    return (a << U32(1)) ^ ((a >> U32(31)) * U32(197))


vop1(
    "v_screen_partition_4se_b32", 0x37, "=vdst:b32 src0:b32", None, "D = shader engine masks of the pixel S0 (graphics)"
)
vop1("v_prng_b32", 0x58, "=vdst:b32 src0:b32", _prng, "D = (S0 << 1) ^ (S0[31] ? 197 : 0)", archs=GFX950_ONLY)

_SIZES = (
    ("f32", 0x1B, 0x1C, 0x1D, 0x1E, 0x1F),
    ("f64", 0x32, 0x17, 0x18, 0x19, 0x1A),
    ("f16", 0x48, 0x46, 0x45, 0x47, 0x44),
)
_ROUNDINGS: tuple[tuple[str, Function, str], ...] = (
    ("fract", _floats.fraction, "S0 - floor(S0)"),
    ("trunc", np.trunc, "S0 rounded towards zero"),
    ("ceil", np.ceil, "S0 rounded up"),
    ("rndne", np.rint, "S0 rounded to the nearest integer, ties to even"),
    ("floor", np.floor, "S0 rounded down"),
)
for _type, *_ops in _SIZES:
    _forms = "e32 e64 dpp" if _type == "f64" else "e32 e64 dpp sdwa"
    for (_name, _function, _text), _op in zip(_ROUNDINGS, _ops, strict=True):
        vop1(f"v_{_name}_{_type}", _op, f"=vdst:{_type} src0:{_type}", _function, f"D = {_text}", forms=_forms)

vop1("v_frexp_exp_i32_f64", 0x30, "=vdst:i32 src0:f64", _floats.exponent_of, "D = exponent of S0", forms="e32 e64 dpp")
vop1(
    "v_frexp_exp_i32_f32",
    0x33,
    "=vdst:i32 src0:f32",
    _floats.exponent_of,
    "D = exponent of S0 = fraction * 2**D",
    flags=["no_omod"],
)
vop1(
    "v_frexp_exp_i16_f16",
    0x43,
    "=vdst:i16 src0:f16",
    lambda a: _floats.exponent_of(a).astype(np.int16),
    "D = exponent of S0 = fraction * 2**D",
)
vop1("v_frexp_mant_f64", 0x31, "=vdst:f64 src0:f64", _floats.mantissa_of, "D = S0 in [0.5, 1)", forms="e32 e64 dpp")
vop1("v_frexp_mant_f32", 0x34, "=vdst:f32 src0:f32", _floats.mantissa_of, "D = fraction of S0 in [0.5, 1)")
vop1("v_frexp_mant_f16", 0x42, "=vdst:f16 src0:f16", _floats.mantissa_of, "D = fraction of S0 in [0.5, 1)")

_FUNCTIONS: tuple[tuple[str, Function, str, int, int | None, int], ...] = (
    ("exp", np.exp2, "2**S0", 0x20, None, 0x41),
    ("log", np.log2, "log2(S0)", 0x21, None, 0x40),
    ("rcp", lambda a: 1.0 / a, "1 / S0", 0x22, 0x25, 0x3D),
    ("rsq", lambda a: 1.0 / np.sqrt(a), "1 / sqrt(S0)", 0x24, 0x26, 0x3F),
    ("sqrt", np.sqrt, "sqrt(S0)", 0x27, 0x28, 0x3E),
    ("sin", _floats.sine_of_turns, "sin(2 * pi * S0), S0 within 256 turns", 0x29, None, 0x49),
    ("cos", _floats.cosine_of_turns, "cos(2 * pi * S0), S0 within 256 turns", 0x2A, None, 0x4A),
)
for _name, _function, _text, _op32, _op64, _op16 in _FUNCTIONS:
    _flush = _name not in ("sin", "cos")
    _meaning = _floats.through_f64(_function, flush=_flush)
    vop1(f"v_{_name}_f32", _op32, "=vdst:f32 src0:f32", _meaning, f"D = {_text}, within 1 ulp", unit="TRANS")
    _half = _floats.through_f64(_function)
    vop1(f"v_{_name}_f16", _op16, "=vdst:f16 src0:f16", _half, f"D = {_text}", unit="TRANS")
    if _op64 is not None:
        _wide = f"D = {_text}; the chip's own result is an approximation, to be refined"
        vop1(f"v_{_name}_f64", _op64, "=vdst:f64 src0:f64", _function, _wide, unit="TRANS", forms="e32 e64 dpp")
vop1(
    "v_rcp_iflag_f32",
    0x23,
    "=vdst:f32 src0:f32",
    _floats.through_f64(lambda a: 1.0 / a, flush=True),
    "D = 1 / S0, for integer division (raises integer division by zero only)",
    unit="TRANS",
)
for _name, _op, _function, _text in (
    ("exp_legacy", 0x4B, np.exp2, "2**S0"),
    ("log_legacy", 0x4C, np.log2, "log2(S0)"),
):
    _meaning = _floats.through_f64(_function, flush=True)
    vop1(f"v_{_name}_f32", _op, "=vdst:f32 src0:f32", _meaning, f"D = {_text}, the older unit's", unit="TRANS")

# ---- moves between lanes and registers ------------------------------------------------------------------------------


def _first_lane(a: Array, mask: Array) -> Array:
    """Lane 0 when no lane is active."""
    a, mask = np.broadcast_arrays(a, mask)
    return np.take_along_axis(a, np.argmax(mask, axis=1)[:, None], axis=1)[:, 0]


def _swap_rows(rows: int) -> Any:
    """Exchange the odd runs of `rows` lanes of D with the even runs of S0."""

    def meaning(vdst: Array, src0: Array) -> tuple[Array, Array]:
        upper, lower = (x.reshape(-1, 32 // rows, 2, rows) for x in (vdst, src0))
        new_upper, new_lower = upper.copy(), lower.copy()
        new_upper[:, :, 1], new_lower[:, :, 0] = lower[:, :, 0], upper[:, :, 1]
        return new_upper.reshape(vdst.shape), new_lower.reshape(src0.shape)

    return meaning


declare(
    "v_readfirstlane_b32",
    "=sdst:b32 src0:b32/v [exec]:mask",
    [("VOP1S", 0x02)],
    unit="VALU",
    doc="D = S0 of the first active lane (lane 0 when none)",
    meaning=_first_lane,
    flags=["lanes"],
)
vop1("v_swap_b32", 0x51, "+vdst:b32 +src0:b32/v", lambda d, a: (a, d), "D and S0 change places", forms="e32")
for _rows, _op in ((16, 0x59), (32, 0x5A)):
    vop1(
        f"v_permlane{_rows}_swap_b32",
        _op,
        "+vdst:b32 +src0:b32/v",
        _swap_rows(_rows),
        f"odd rows of {_rows} lanes of D change places with the even rows of S0",
        archs=GFX950_ONLY,
        forms="e32 e64",
        flags=["lanes", "bound_ctrl"],
    )
declare(
    "v_accvgpr_read_b32",
    "=vdst:b32 src0:b32/a",
    [("ACCREAD", 0x58)],
    unit="VALU",
    doc="D (VGPR) = S0 (AGPR)",
    meaning=lambda a: a,
)
declare(
    "v_accvgpr_write_b32",
    "=vdst:b32/a src0:b32/svc",
    [("ACCWRITE", 0x59)],
    unit="VALU",
    doc="D (AGPR) = S0",
    meaning=lambda a: a,
)
declare(
    "v_accvgpr_mov_b32",
    "=vdst:b32/a src0:b32/a",
    [("VOP1A", 0x52)],
    unit="VALU",
    doc="D (AGPR) = S0 (AGPR)",
    meaning=lambda a: a,
)

"""Conversions between number formats, the block-scaled ones aside: VOP1 and VOP3.

Opcodes from LLVM 22 (checked against llvm-mc in the tests); meanings from the CDNA3 and CDNA4 ISA documents. All round
to nearest even unless the name says otherwise. 8-bit floats are FNUZ on gfx942 and OCP on gfx950 (keyword `arch`);
`fp16_ovfl` is MODE.FP16_OVFL: overflow gives the largest finite value.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._floats import to_int
from hkasm.isa.families._shapes import GFX950_ONLY, vop1, vop3
from hkasm.isa.families._types import Array, Function
from hkasm.isa.numerics import FORMATS, bf16_to_f32, decode, encode, f32_to_bf16, f32_to_f16, format_of
from hkasm.isa.rounding import rounds

U32, I32 = np.uint32, np.int32

# ---- integers and floats -------------------------------------------------------------------------------------------


def _cast(dtype: type) -> Function:
    return rounds("convert")(lambda a: a.astype(dtype))


def _to_int(dtype: type) -> Function:
    return lambda a: to_int(a, dtype)


def _byte_to_f32(shift: int) -> Function:
    return lambda a: ((a >> U32(shift)) & U32(255)).astype(np.float32)


def _offset_i4(a: Array) -> Array:
    """Four bits, signed, in sixteenths."""
    return (((a & U32(15)) ^ U32(8)).astype(I32) - 8).astype(np.float32) / np.float32(16)


@rounds("convert")
def _f32_to_f16(a: Array, *, fp16_ovfl: bool) -> Array:
    return f32_to_f16(a, saturate=True).view(np.float16) if fp16_ovfl else a.astype(np.float16)


_NO_SDWA = "e32 e64 dpp"
for _name, _op, _from, _to, _function, _text in (
    ("i32_f64", 0x03, "f64", "i32", _to_int(np.int32), "int(S0), towards zero, saturated, NaN is 0"),
    ("f64_i32", 0x04, "i32", "f64", _cast(np.float64), "float(S0)"),
    ("f32_f64", 0x0F, "f64", "f32", _cast(np.float32), "S0 rounded to f32"),
    ("f64_f32", 0x10, "f32", "f64", _cast(np.float64), "S0"),
    ("u32_f64", 0x15, "f64", "u32", _to_int(np.uint32), "int(S0), towards zero, saturated, NaN is 0"),
    ("f64_u32", 0x16, "u32", "f64", _cast(np.float64), "float(S0)"),
):
    vop1(f"v_cvt_{_name}", _op, f"=vdst:{_to} src0:{_from}", _function, f"D = {_text}", forms=_NO_SDWA)
for _name, _op, _from, _to, _function, _text in (
    ("f32_i32", 0x05, "i32", "f32", _cast(np.float32), "float(S0)"),
    ("f32_u32", 0x06, "u32", "f32", _cast(np.float32), "float(S0)"),
    ("u32_f32", 0x07, "f32", "u32", _to_int(np.uint32), "int(S0), towards zero, saturated, NaN is 0"),
    ("i32_f32", 0x08, "f32", "i32", _to_int(np.int32), "int(S0), towards zero, saturated, NaN is 0"),
    ("f32_f16", 0x0B, "f16", "f32", _cast(np.float32), "S0"),
    ("rpi_i32_f32", 0x0C, "f32", "i32", lambda a: to_int(np.floor(a + np.float64(0.5)), I32), "int(floor(S0 + 0.5))"),
    ("flr_i32_f32", 0x0D, "f32", "i32", lambda a: to_int(np.floor(a), I32), "int(floor(S0))"),
    ("off_f32_i4", 0x0E, "b32", "f32", _offset_i4, "S0[3:0] as a signed number / 16"),
    ("f16_u16", 0x39, "u16", "f16", _cast(np.float16), "float(S0)"),
    ("f16_i16", 0x3A, "i16", "f16", _cast(np.float16), "float(S0)"),
    ("u16_f16", 0x3B, "f16", "u16", _to_int(np.uint16), "int(S0), towards zero, saturated, NaN is 0"),
    ("i16_f16", 0x3C, "f16", "i16", _to_int(np.int16), "int(S0), towards zero, saturated, NaN is 0"),
):
    _flags = ["no_omod"] if _name[:3] in ("rpi", "flr") else []
    vop1(f"v_cvt_{_name}", _op, f"=vdst:{_to} src0:{_from}", _function, f"D = {_text}", flags=_flags)
vop1("v_cvt_f16_f32", 0x0A, "=vdst:f16 src0:f32", _f32_to_f16, "D = S0 rounded to f16", flags=["fp16_ovfl"])
for _byte in range(4):
    vop1(
        f"v_cvt_f32_ubyte{_byte}",
        0x11 + _byte,
        "=vdst:f32 src0:b32",
        _byte_to_f32(8 * _byte),
        f"D = float(S0[{8 * _byte + 7}:{8 * _byte}])",
    )
vop1("v_cvt_f32_bf16", 0x5B, "=vdst:f32 src0:bf16", bf16_to_f32, "D = S0", archs=GFX950_ONLY)

# ---- normalised and packed integers --------------------------------------------------------------------------------


def _normalised(dtype: type, largest: int) -> Function:
    lowest = -1.0 if np.iinfo(dtype).min else 0.0

    def meaning(a: Array) -> Array:
        wide = np.rint(np.clip(a.astype(np.float64), lowest, 1.0) * largest)
        return np.where(np.isnan(wide), 0.0, wide).astype(dtype)

    return meaning


_snorm, _unorm = _normalised(np.int16, 32767), _normalised(np.uint16, 65535)
vop1("v_cvt_norm_i16_f16", 0x4D, "=vdst:i16 src0:f16", _snorm, "D = S0 clamped to -1..1, times 32767, rounded")
vop1("v_cvt_norm_u16_f16", 0x4E, "=vdst:u16 src0:f16", _unorm, "D = S0 clamped to 0..1, times 65535, rounded")


def _pair(function: Function) -> Function:
    """Convert both sources and give the two halves of a dword, S0's low."""
    return lambda a, b: np.stack(np.broadcast_arrays(function(a), function(b)), axis=-1)


def _clamp_to(dtype: type) -> Function:
    info = np.iinfo(dtype)
    return lambda a: np.clip(a, info.min, info.max).astype(dtype)


def _rtz_f16(a: Array) -> Array:
    return encode(a, FORMATS["f16"], rounding="rtz").view(np.float16)


for _name, _op, _from, _to, _function, _text in (
    ("pknorm_i16_f32", 0x294, "f32", "pki16", _snorm, "clamped to -1..1, times 32767, rounded"),
    ("pknorm_u16_f32", 0x295, "f32", "pku16", _unorm, "clamped to 0..1, times 65535, rounded"),
    ("pkrtz_f16_f32", 0x296, "f32", "pkf16", _rtz_f16, "rounded to f16 towards zero"),
    ("pk_u16_u32", 0x297, "u32", "pku16", _clamp_to(np.uint16), "saturated to u16"),
    ("pk_i16_i32", 0x298, "i32", "pki16", _clamp_to(np.int16), "saturated to i16"),
    ("pknorm_i16_f16", 0x299, "f16", "pki16", _snorm, "clamped to -1..1, times 32767, rounded"),
    ("pknorm_u16_f16", 0x29A, "f16", "pku16", _unorm, "clamped to 0..1, times 65535, rounded"),
):
    _flags = [] if _name[:5] == "pkrtz" else ["no_omod", "halves"] if _from == "f16" else ["no_omod"]
    _signature = f"=vdst:{_to} src0:{_from} src1:{_from}"
    vop3(f"v_cvt_{_name}", _op, _signature, _pair(_function), f"D = {{S1, S0}} {_text}", flags=_flags)
vop3(
    "v_cvt_pk_f16_f32",
    0x267,
    "=vdst:pkf16 src0:f32 src1:f32",
    lambda a, b, *, fp16_ovfl: _pair(lambda x: _f32_to_f16(x, fp16_ovfl=fp16_ovfl))(a, b),
    "D = {S1, S0} rounded to f16",
    archs=GFX950_ONLY,
    flags=["fp16_ovfl"],
)
vop3(
    "v_cvt_pk_bf16_f32",
    0x268,
    "=vdst:b32 src0:f32 src1:f32",
    lambda a, b: f32_to_bf16(a).astype(U32) | (f32_to_bf16(b).astype(U32) << U32(16)),
    "D = {S1, S0} rounded to bf16",
    archs=GFX950_ONLY,
    flags=["keeps_denormals", "reserved_sel"],
)
vop3(
    "v_pack_b32_f16",
    0x2A0,
    "=vdst:pkf16 src0:f16 src1:f16",
    lambda a, b: np.stack(np.broadcast_arrays(a, b), axis=-1),
    "D = {S1, S0}, 16 bits each",
    flags=["keeps_denormals", "no_omod", "halves"],
)


def _saturated_bytes(a: Array) -> Array:
    low = np.clip((a & U32(0xFFFF)).astype(np.int16), 0, 255).astype(np.uint16)
    high = np.clip((a >> U32(16)).astype(np.int16), 0, 255).astype(np.uint16)
    return low | (high << np.uint16(8))


def _put_byte(old: Array, number: Array, value: Array) -> Array:
    shift = (number & U32(3)) << U32(3)
    return (old & ~(U32(255) << shift)) | (value.astype(U32) << shift)


def _u8(a: Array) -> Array:
    return to_int(np.rint(a), np.uint8)


vop1("v_sat_pk_u8_i16", 0x4F, "=vdst:b16 src0:b32", _saturated_bytes, "D = {S0[31:16], S0[15:0]} saturated to u8")
vop3(
    "v_cvt_pk_u8_f32",
    0x1DD,
    "=vdst:b32 src0:f32 src1:u32 src2:b32",
    lambda a, number, old: _put_byte(old, number, _u8(a)),
    "D = S2 with byte S1[1:0] = u8(S0), rounded and saturated",
    flags=["no_omod"],
)
vop3(
    "v_cvt_pkaccum_u8_f32",
    0x1F0,
    "+vdst:b32 src0:f32 src1:u32",
    lambda old, a, number: _put_byte(old, number, _u8(a)),
    "byte S1[1:0] of D = u8(S0), rounded and saturated",
    flags=["no_omod"],
)


def _shift_pack(dtype: type) -> Function:
    info = np.iinfo(dtype)

    def meaning(a: Array, b: Array, amount: Array) -> Array:
        steps = (amount & U32(31)).astype(I32)
        low, high = (np.clip(x >> steps, info.min, info.max).astype(np.uint8).astype(np.uint16) for x in (a, b))
        return low | (high << np.uint16(8))

    return meaning


for _type, _op, _dtype in (("i8", 0x265, np.int8), ("u8", 0x266, np.uint8)):
    vop3(
        f"v_ashr_pk_{_type}_i32",
        _op,
        "=vdst:b16 src0:i32 src1:i32 src2:u32",
        _shift_pack(_dtype),
        f"half op_sel[3] of D = {{S1, S0}} >> S2[4:0], saturated to {_type}",
        archs=GFX950_ONLY,
        flags=["halves"],
    )

# ---- 8-bit floats --------------------------------------------------------------------------------------------------


def _decode_byte(name: str) -> Function:
    return lambda a, *, arch: decode(a & U32(255), format_of(name, arch))


def _decode_pair(name: str) -> Function:
    def meaning(a: Array, *, arch: str) -> Array:
        fmt = format_of(name, arch)
        return np.stack((decode(a & U32(255), fmt), decode((a >> U32(8)) & U32(255), fmt)), axis=-1)

    return meaning


def put_field(old: Array, value: Array, place: int, bits: int) -> Array:
    """Return the dword with field number `place` of `bits` bits replaced."""
    shift = U32(place * bits)
    mask = U32((1 << bits) - 1) << shift
    return (old & ~mask) | (value.astype(U32) << shift)


def _encode_pair(name: str) -> Function:
    def meaning(old: Array, a: Array, b: Array, *, arch: str, op_sel: int, fp16_ovfl: bool) -> Array:
        low, high = (encode(x, format_of(name, arch), saturate=fp16_ovfl).astype(U32) for x in (a, b))
        return put_field(old, low | (high << U32(8)), op_sel >> 3, 16)

    return meaning


def _encode_byte(name: str) -> Function:
    def meaning(old: Array, a: Array, noise: Array, *, arch: str, op_sel: int, fp16_ovfl: bool) -> Array:
        value = encode(a, format_of(name, arch), saturate=fp16_ovfl, rounding="sr", noise=noise)
        return put_field(old, value, op_sel >> 2, 8)

    return meaning


_FP8 = ["arch", "op_sel", "fp16_ovfl"]
_FP8_FORMS = "e32 e64 dpp sdwa8"
for _name, _one, _two, _pk, _sr in (("fp8", 0x54, 0x56, 0x2A2, 0x2A4), ("bf8", 0x55, 0x57, 0x2A3, 0x2A5)):
    _from_byte = f"D = {_name} in S0[7:0] (SDWA selects the byte)"
    vop1(
        f"v_cvt_f32_{_name}",
        _one,
        "=vdst:f32 src0:b32",
        _decode_byte(_name),
        _from_byte,
        forms=_FP8_FORMS,
        flags=["arch"],
    )
    _from_word = f"D = the two {_name} in S0[15:0] (SDWA selects the half)"
    vop1(
        f"v_cvt_pk_f32_{_name}",
        _two,
        "=vdst:pkf32 src0:b32",
        _decode_pair(_name),
        _from_word,
        forms=_FP8_FORMS,
        flags=["arch"],
    )
    _to_word = f"half op_sel[3] of D = {{S1, S0}} rounded to {_name}"
    vop3(f"v_cvt_pk_{_name}_f32", _pk, "+vdst:b32 src0:f32 src1:f32", _encode_pair(_name), _to_word, flags=_FP8)
    _to_byte = f"byte op_sel[3:2] of D = S0 to {_name}, rounded stochastically by S1"
    vop3(
        f"v_cvt_sr_{_name}_f32",
        _sr,
        "+vdst:b32 src0:f32 src1:b32",
        _encode_byte(_name),
        _to_byte,
        flags=[*_FP8, "byte_sel"],
    )


def _stochastic_half(name: str) -> Function:
    def meaning(old: Array, a: Array, noise: Array, *, op_sel: int, fp16_ovfl: bool) -> Array:
        value = encode(a, FORMATS[name], saturate=fp16_ovfl, rounding="sr", noise=noise)
        return put_field(old, value, op_sel >> 3, 16)

    return meaning


for _name, _op in (("f16", 0x2A6), ("bf16", 0x2A7)):
    vop3(
        f"v_cvt_sr_{_name}_f32",
        _op,
        "+vdst:b32 src0:f32 src1:b32",
        _stochastic_half(_name),
        f"half op_sel[3] of D = S0 to {_name}, rounded stochastically by S1",
        archs=GFX950_ONLY,
        flags=["op_sel", "fp16_ovfl"],
    )

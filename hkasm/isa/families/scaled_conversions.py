"""Block-scaled conversions of gfx950: ``v_cvt_scalef32_*`` between f32, f16, bf16 and fp8, bf8, fp6, bf6, fp4.

The scale operand is a float of which only the exponent counts: 2**(exponent - 127). Towards small formats the source
is divided by it, from them the value is multiplied. Stochastic forms take random bits from a source and step them with
``v_prng_b32``'s register between elements. Source: CDNA4 ISA document.
"""

from __future__ import annotations

import numpy as np

from hkasm.isa.families._shapes import GFX950_ONLY, vop3
from hkasm.isa.families._types import Array, Function
from hkasm.isa.families.conversions import put_field
from hkasm.isa.numerics import FORMATS, bf16_to_f32, decode, encode, format_of, pack_bits, unpack_bits

U32 = np.uint32
_ARCH = "gfx950"
_WIDTH = {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}


def scale_of(scale: Array) -> Array:
    """Return 2**(exponent field - 127) as float64; field 255 is NaN (as E8M0 has it)."""
    field = (np.ascontiguousarray(scale).view(U32) >> U32(23)) & U32(255)
    return decode(field.astype(np.uint8), FORMATS["e8m0"]).astype(np.float64)


def next_random(bits: Array) -> Array:
    """Step the random dword as ``v_prng_b32`` does."""
    return (bits << U32(1)) ^ ((bits >> U32(31)) * U32(197))


def _to_small(name: str, values: Array, scale: Array, noise: Array | None, saturate: bool) -> Array:
    """Divide in float64 (a power of two, exact) and round once."""
    rounding = "rne" if noise is None else "sr"
    wide = values.astype(np.float64) / scale_of(scale)
    return encode(wide, format_of(name, _ARCH), saturate=saturate, rounding=rounding, noise=noise)


def _from_small(name: str, codes: Array, scale: Array, target: str) -> Array:
    """Multiply in float64 and round once to f32, f16 or bf16 (bf16 as raw codes)."""
    wide = decode(codes, format_of(name, _ARCH)).astype(np.float64) * scale_of(scale)
    if target == "bf16":
        return encode(wide, FORMATS["bf16"])
    return wide.astype(np.float32 if target == "f32" else np.float16)


def _floats(a: Array, kind: str) -> Array:
    """Return f32 or f16 arrays as they are, bf16 codes as float32."""
    return bf16_to_f32(a) if kind == "bf16" else a


# ---- one or two elements -------------------------------------------------------------------------------------------


def _pack_two(name: str, kind: str, *, fields: int) -> Function:
    """Two elements into field op_sel (of 8 or 16 bits) of D; f32 sources are two operands, others one packed dword."""
    bits = 2 * _WIDTH[name]

    def place(old: Array, low: Array, high: Array, scale: Array, op_sel: int, ovfl: bool) -> Array:
        codes = [_to_small(name, x, scale, None, ovfl).astype(U32) for x in (low, high)]
        return put_field(old, codes[0] | (codes[1] << U32(bits // 2)), op_sel >> fields, bits)

    if kind == "f32":
        return lambda old, a, b, scale, *, op_sel, fp16_ovfl: place(old, a, b, scale, op_sel, fp16_ovfl)

    def meaning(old: Array, pair: Array, scale: Array, *, op_sel: int, fp16_ovfl: bool) -> Array:
        values = _floats(pair, kind)
        return place(old, values[..., 0], values[..., 1], scale, op_sel, fp16_ovfl)

    return meaning


def _stochastic_one(name: str, kind: str) -> Function:
    def meaning(old: Array, a: Array, noise: Array, scale: Array, *, op_sel: int, fp16_ovfl: bool) -> Array:
        return put_field(old, _to_small(name, _floats(a, kind), scale, noise, fp16_ovfl), op_sel >> 2, 8)

    return meaning


def _stochastic_two(name: str, kind: str) -> Function:
    def meaning(old: Array, pair: Array, noise: Array, scale: Array, *, op_sel: int, fp16_ovfl: bool) -> Array:
        values = _floats(pair, kind)
        low = _to_small(name, values[..., 0], scale, noise, fp16_ovfl).astype(U32)
        high = _to_small(name, values[..., 1], scale, next_random(noise), fp16_ovfl).astype(U32)
        return put_field(old, low | (high << U32(4)), op_sel >> 2, 8)

    return meaning


def _unpack_two(name: str, target: str, *, bits: int) -> Function:
    """Two elements from field op_sel (of 8 or 16 bits) of S0."""
    width = _WIDTH[name]

    def meaning(a: Array, scale: Array, *, op_sel: int) -> Array:
        place = op_sel & (1 if bits == 16 else 3)
        field = a >> U32(place * bits)
        mask = U32((1 << width) - 1)
        codes = np.stack((field & mask, (field >> U32(width)) & mask), axis=-1)
        return _from_small(name, codes, scale[..., None], target)

    return meaning


def _unpack_byte(name: str) -> Function:
    def meaning(a: Array, scale: Array, *, op_sel: int) -> Array:
        return _from_small(name, (a >> U32((op_sel & 3) * 8)) & U32(255), scale, "f32")

    return meaning


def _unpack_byte_to_half(name: str) -> Function:
    """op_sel[3] says which half of D is written, the other is kept."""

    def meaning(old: Array, a: Array, scale: Array, *, op_sel: int) -> Array:
        value = _from_small(name, (a >> U32((op_sel & 3) * 8)) & U32(255), scale, "f16")
        return put_field(old, value.view(np.uint16), op_sel >> 3, 16)

    return meaning


def _row(name: str, op: int, sig: str, meaning: Function, doc: str, flags: tuple[str, ...] = ()) -> None:
    keep = ("keeps_denormals", *(flags or ("plain",)))
    vop3(f"v_cvt_scalef32_{name}", op, sig, meaning, doc, archs=GFX950_ONLY, flags=keep)


_TO = ("op_sel", "fp16_ovfl")
for _name, _ops in (
    ("fp8", {"f32": 0x235, "f16": 0x240, "bf16": 0x244, "sr_f32": 0x237, "sr_f16": 0x242, "sr_bf16": 0x246}),
    ("bf8", {"f32": 0x236, "f16": 0x241, "bf16": 0x245, "sr_f32": 0x238, "sr_f16": 0x243, "sr_bf16": 0x247}),
):
    _doc = f"half op_sel[3] of D = two {{}} / scale to {_name}"
    _sig = "+vdst:b32 src0:f32 src1:f32 src2:f32"
    _row(f"pk_{_name}_f32", _ops["f32"], _sig, _pack_two(_name, "f32", fields=3), _doc.format("f32"), _TO)
    for _kind in ("f16", "bf16"):
        _sig = f"+vdst:b32 src0:pk{_kind} src1:f32"
        _row(f"pk_{_name}_{_kind}", _ops[_kind], _sig, _pack_two(_name, _kind, fields=3), _doc.format(_kind), _TO)
    for _kind in ("f32", "f16", "bf16"):
        _sig = f"+vdst:b32 src0:{_kind} src1:b32 src2:f32"
        _byte = f"byte op_sel[3:2] of D = S0 / scale to {_name}, stochastically by S1"
        _row(f"sr_{_name}_{_kind}", _ops[f"sr_{_kind}"], _sig, _stochastic_one(_name, _kind), _byte, _TO)

_FOUR = "byte op_sel[3:2] of D = two {} / scale to fp4"
_row(
    "pk_fp4_f32",
    0x23D,
    "+vdst:b32 src0:f32 src1:f32 src2:f32",
    _pack_two("fp4", "f32", fields=2),
    _FOUR.format("f32"),
    _TO,
)
for _kind, _op, _sr in (("f16", 0x24C, 0x24E), ("bf16", 0x24D, 0x24F)):
    _sig = f"+vdst:b32 src0:pk{_kind} src1:f32"
    _row(f"pk_fp4_{_kind}", _op, _sig, _pack_two("fp4", _kind, fields=2), _FOUR.format(_kind), (*_TO, "byte_sel"))
    _sig = f"+vdst:b32 src0:pk{_kind} src1:b32 src2:f32"
    _doc = f"{_FOUR.format(_kind)}, stochastically by S1"
    _row(f"sr_pk_fp4_{_kind}", _sr, _sig, _stochastic_two("fp4", _kind), _doc, _TO)
_row(
    "sr_pk_fp4_f32",
    0x23E,
    "+vdst:b32 src0:pkf32/v src1:b32 src2:f32",
    _stochastic_two("fp4", "f32"),
    f"{_FOUR.format('f32')}, stochastically by S1",
    _TO,
)
for _name, _ops in (
    ("fp8", {"f32": 0x239, "f16": 0x248, "bf16": 0x269}),
    ("bf8", {"f32": 0x23A, "f16": 0x249, "bf16": 0x26A}),
    ("fp4", {"f32": 0x23F, "f16": 0x250, "bf16": 0x251}),
):
    for _kind, _op in _ops.items():
        _bits = 2 * _WIDTH[_name]
        _field = "half op_sel[0]" if _bits == 16 else "byte op_sel[1:0]"
        _doc = f"D = two {_name} in {_field} of S0 * scale as {_kind}"
        _meaning = _unpack_two(_name, _kind, bits=_bits)
        _row(f"pk_{_kind}_{_name}", _op, f"=vdst:pk{_kind} src0:b32 src1:f32", _meaning, _doc, ("op_sel",))
for _name, _op32, _op16 in (("fp8", 0x23B, 0x24A), ("bf8", 0x23C, 0x24B)):
    _doc = f"D = {_name} in byte op_sel[1:0] of S0 * scale"
    _row(f"f32_{_name}", _op32, "=vdst:f32 src0:b32 src1:f32", _unpack_byte(_name), _doc, ("op_sel",))
    _doc = f"half op_sel[3] of D = {_name} in byte op_sel[1:0] of S0 * scale"
    _row(f"f16_{_name}", _op16, "+vdst:b32 src0:b32 src1:f32", _unpack_byte_to_half(_name), _doc, ("op_sel",))

# ---- 32 elements of 6 bits -----------------------------------------------------------------------------------------


def _elements(words: Array, kind: str) -> Array:
    """Split dwords [..., n] into float elements [..., m]."""
    if kind == "f32":
        return np.ascontiguousarray(words).view(np.float32)
    halves = unpack_bits(words, 16, axis=-1)
    return halves.view(np.float16) if kind == "f16" else bf16_to_f32(halves)


def _pack_32(name: str, kind: str) -> Function:
    def meaning(words: Array, scale: Array) -> Array:
        return pack_bits(_to_small(name, _elements(words, kind), scale[..., None], None, False), 6, axis=-1)

    return meaning


def _pack_2x16(name: str) -> Function:
    """Even elements from S0, odd ones from S1."""

    def meaning(even: Array, odd: Array, scale: Array) -> Array:
        both = np.stack((_elements(even, "f32"), _elements(odd, "f32")), axis=-1)
        values = both.reshape(*both.shape[:-2], 32)
        return pack_bits(_to_small(name, values, scale[..., None], None, False), 6, axis=-1)

    return meaning


def _stochastic_32(name: str, kind: str) -> Function:
    def meaning(words: Array, noise: Array, scale: Array) -> Array:
        steps = [noise]
        for _ in range(31):
            steps.append(next_random(steps[-1]))
        codes = _to_small(name, _elements(words, kind), scale[..., None], np.stack(steps, axis=-1), False)
        return pack_bits(codes, 6, axis=-1)

    return meaning


def _unpack_32(name: str, target: str) -> Function:
    def meaning(words: Array, scale: Array) -> Array:
        values = _from_small(name, unpack_bits(words, 6, axis=-1), scale[..., None], target)
        return np.ascontiguousarray(values).view(U32)

    return meaning


_WORDS = {"f32": "b1024", "f16": "b512", "bf16": "b512"}
for _name, _ops in (
    ("fp6", {"f16": 0x258, "bf16": 0x259, "sr_f32": 0x254, "sr_f16": 0x25C, "sr_bf16": 0x25D, "2x": 0x252}),
    ("bf6", {"f16": 0x25A, "bf16": 0x25B, "sr_f32": 0x255, "sr_f16": 0x25E, "sr_bf16": 0x25F, "2x": 0x253}),
):
    _doc = f"D = 32 elements of S0 / scale to {_name}"
    for _kind in ("f16", "bf16"):
        _row(f"pk32_{_name}_{_kind}", _ops[_kind], "=vdst:b192 src0:b512/v src1:f32", _pack_32(_name, _kind), _doc)
    for _kind in ("f32", "f16", "bf16"):
        _sig = f"=vdst:b192 src0:{_WORDS[_kind]}/v src1:b32 src2:f32"
        _meaning = _stochastic_32(_name, _kind)
        _row(f"sr_pk32_{_name}_{_kind}", _ops[f"sr_{_kind}"], _sig, _meaning, f"{_doc}, stochastically by S1")
    _sig = "=vdst:b192 src0:b512/v src1:b512/v src2:f32"
    _row(
        f"2xpk16_{_name}_f32", _ops["2x"], _sig, _pack_2x16(_name), f"D = elements of S0, S1 in turn / scale to {_name}"
    )
for _name, _first, _second in (("fp6", 0x256, 0x260), ("bf6", 0x257, 0x262)):
    for _kind, _op in (("f32", _first), ("f16", _second), ("bf16", _second + 1)):
        _sig = f"=vdst:{_WORDS[_kind]} src0:b192/v src1:f32"
        _row(f"pk32_{_kind}_{_name}", _op, _sig, _unpack_32(_name, _kind), f"D = 32 {_name} of S0 * scale as {_kind}")

"""Conversions between the dtypes of register tiles, every rounding stated.

`rne` (to nearest even) is the default everywhere; `sr` rounds stochastically where the ISA can: from f32 to the 8-bit
floats on both archs, to f16, bf16, fp4, fp6 and bf6 on gfx950 too. Nothing is cut off silently:

- f32 to f16 and bf16, and to 8-bit floats: beyond the largest finite value infinity, NaN where the format has none
  (fp8; bf8 on gfx942), or the largest value with
  `saturate` (from f32; NaN gives the lowest then); fp6, bf6 and fp4 always saturate, and NaN gives their largest
- small floats to wider ones: exact; with a scale rounded once, to nearest even
- f32 to i32 and i8: to nearest even, saturated at the ends; NaN gives 0 (i32) and -128 (i8)
- i32 to f32: to nearest even; i8 to any float: exact; f64 to f32: to nearest even

gfx950's block-scaled instructions divide by the scale on the way to a small format and multiply on the way back; only
the scale's exponent counts. `scale` is a number, an SGPR, or a VGPR with a value for each lane, as f32.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.ops.common import (
    Scalar,
    describe,
    f32_bits,
    optional_temporaries,
    refuse,
    require_same,
    require_vgprs,
)
from hkasm.tiles.ops.lanes import Lanes, is_inline, lanes
from hkasm.tiles.ops.packing import KEEP, PER_DWORD, Rounder, next_noise, rounder, widen
from hkasm.tiles.register import RegTile

SMALL = ("fp8", "bf8", "fp6", "bf6", "fp4")
HALVES = ("f16", "bf16")
BYTE_FLOATS = ("fp8", "bf8")
GROUP = 32
"""Elements that one instruction of the 6-bit formats takes."""
LARGEST = {
    "gfx942": {"fp8": 240.0, "bf8": 57344.0, "f16": 65504.0, "bf16": 3.3895313892515355e38},
    "gfx950": {"fp8": 448.0, "bf8": 57344.0, "f16": 65504.0, "bf16": 3.3895313892515355e38},
}
"""The largest finite values of formats that do not saturate by themselves."""


def targets(arch: str, source: str, rounding: str = "rne") -> tuple[str, ...]:
    """Return the dtypes that a dtype converts to on an arch."""
    small = SMALL if arch == "gfx950" else BYTE_FLOATS
    if rounding == "sr":
        return (*small, *(HALVES if arch == "gfx950" else ())) if source == "f32" else ()
    floats = ("f32", *HALVES, *small)
    if source in floats:
        extra = ("f64", "i32", "i8") if source == "f32" else ("i8",) if source in HALVES else ()
        return tuple(dtype for dtype in (*floats, *extra) if dtype != source)
    return {"f64": ("f32",), "i32": ("f32",), "i8": ("f32", *HALVES)}.get(source, ())


def convert(
    k: Builder,
    d: RegTile,
    s: RegTile,
    *,
    rounding: str = "rne",
    noise: Register | None = None,
    scale: Scalar | None = None,
    saturate: bool = False,
    temps: Register | None = None,
) -> None:
    """Emit d = s in d's dtype; both tiles have one size, base shape and layout. d may lie in s's first registers.

    `noise` is a VGPR of random bits for ``sr``; it is stepped between elements. `temps` are VGPRs to work in:
    `temporaries_of` says how many.

    Raises:
        UsageError: dtypes, shapes, roundings or scales that no sequence serves.
    """
    arch = k.arch.name
    _check(arch, d, s, rounding, noise, scale, saturate)
    count = temporaries_of(arch, d.dtype, s.dtype, rounding=rounding, saturate=saturate)
    with optional_temporaries(k, "convert", count, temps) as work, lanes(k) as alu:
        if arch == "gfx950" and {d.dtype, s.dtype} & set(SMALL):
            scaled = _Scaled(alu, d.dtype, s.dtype, _scale(alu, scale), noise, saturate, work)
            for target, source in zip(d, s, strict=True):
                scaled.emit(target, source, d.shape.elements)
            return
        with rounder(k, "convert", d.dtype) as rounding_to:
            plain = _Plain(alu, d.dtype, s.dtype, rounding_to, noise, saturate, work)
            for target, source in zip(d, s, strict=True):
                plain.emit(target, source)


def temporaries_of(arch: str, target: str, source: str, *, rounding: str = "rne", saturate: bool = False) -> int:
    """Return how many temporary VGPRs a conversion wants; rounding to bf16 on gfx942 takes four more."""
    sixes = target in ("fp6", "bf6")
    if arch == "gfx950" and {target, source} & set(SMALL):
        if source in SMALL and target in SMALL:
            return GROUP // 2
        return GROUP if source == "f32" and (saturate or (sixes and rounding == "rne")) else 0
    wide = "f32" in (target, source) and target not in ("i32", "i8")
    return 0 if wide and not saturate and rounding == "rne" else 8


def _check(
    arch: str,
    d: RegTile,
    s: RegTile,
    rounding: str,
    noise: Register | None,
    scale: Scalar | None,
    saturate: bool,
) -> None:
    if rounding not in ("rne", "sr"):
        raise refuse("convert", f"no rounding {rounding!r}", "rne, sr")
    legal = targets(arch, s.dtype, rounding)
    if d.dtype not in legal:
        suffix = " stochastically" if rounding == "sr" else ""
        raise refuse("convert", f"no {s.dtype} to {d.dtype}{suffix} on {arch}", ", ".join(legal) or "none")
    require_same("convert", s, d, dtype=False)
    require_vgprs("convert", d, s)
    if (rounding == "sr") != (noise is not None):
        raise refuse(
            "convert", f"rounding {rounding} {'without' if noise is None else 'with'} noise", "noise= for sr alone"
        )
    if noise is not None and (noise.file != "v" or noise.count != 1):
        raise refuse("convert", f"noise in {noise}", "one VGPR")
    small = {d.dtype, s.dtype} & set(SMALL)
    if scale is not None and (arch != "gfx950" or len(small) != 1 or (d.dtype in SMALL and s.dtype in SMALL)):
        raise refuse(
            "convert",
            f"a scale for {s.dtype} to {d.dtype} on {arch}",
            "between a small float and f32, f16 or bf16, on gfx950",
        )
    if saturate and (d.dtype not in LARGEST[arch] or s.dtype != "f32" or rounding == "sr"):
        raise refuse(
            "convert", f"saturate for {s.dtype} to {d.dtype} ({rounding})", f"f32 to {', '.join(LARGEST[arch])}, rne"
        )
    if small & {"fp6", "bf6"} and s.shape.elements % GROUP:
        raise refuse(
            "convert", f"{describe(s)} has {s.shape.elements} elements a lane", f"multiples of {GROUP} for 6 bits"
        )


def _scale(alu: Lanes, scale: Scalar | None) -> Register | int:
    """Return a scale as an operand of a VOP3 instruction."""
    if isinstance(scale, Register):
        return scale
    bits = f32_bits(1.0 if scale is None else scale)
    return bits if is_inline(bits) else alu.dword(bits)


class _Plain:
    """Conversions by way of f32, a few elements at a time."""

    def __init__(
        self,
        alu: Lanes,
        target: str,
        source: str,
        rounding: Rounder,
        noise: Register | None,
        saturate: bool,
        work: Register | None,
    ) -> None:
        self.alu, self.k, self.target, self.source = alu, alu.k, target, source
        self.rounding, self.noise, self.work = rounding, noise, work
        self.largest = LARGEST[alu.k.arch.name][target] if saturate else None

    def emit(self, target: Register, source: Register) -> None:
        """Convert the registers of a base tile."""
        if "f64" in (self.target, self.source):
            self._f64(target, source)
            return
        inside, outside = _per_dword(self.source), _per_dword(self.target)
        step = max(inside, outside)
        for first in range(0, source.count * inside, step):
            dwords = source[first // inside : (first + step) // inside]
            values = self._widened(dwords, target[first : first + step] if self.target == "f32" else None)
            if self.target != "f32":
                self._rounded(target[first // outside : (first + step) // outside], values)

    def _f64(self, target: Register, source: Register) -> None:
        for number in range(min(target.count, source.count)):
            pair = slice(2 * number, 2 * number + 2)
            if self.target == "f64":
                last = source.count - 1 - number  # upwards, so that nothing is overwritten before it is read
                self.k.v_cvt_f64_f32(target[2 * last : 2 * last + 2], source[last])
            else:
                self.k.v_cvt_f32_f64(target[number], source[pair])

    def _widened(self, dwords: Register, into: Register | None) -> list[Register]:
        """Return the values of some registers in f32: where they are, in the target, or in temporaries."""
        if self.source == "f32":
            return list(dwords)
        count = _per_dword(self.source)
        place = into if into is not None else self.work
        assert place is not None
        values = list(place[0 : dwords.count * count])
        for number, dword in enumerate(dwords):
            some = values[number * count : (number + 1) * count]
            if self.source == "i32":
                self.k.v_cvt_f32_i32(some[0], dword)
            elif self.source == "i8":
                for byte, value in enumerate(some):
                    self.k.v_cvt_f32_i32(value, dword, src0_sel=byte, src0_sext=True)
            else:
                widen(self.k, self.source, dword, some)
        return values

    def _rounded(self, target: Register, values: Sequence[Register]) -> None:
        k = self.k
        if self.target in ("i32", "i8"):
            self._integers(target, values)
            return
        if self.largest is not None:
            values = self._clamped(values, self.largest)
        count = _per_dword(self.target)
        for number, dword in enumerate(target):
            some = values[number * count : (number + 1) * count]
            if self.noise is None:
                self.rounding.pack(dword, some)
                continue
            assert self.work is not None
            emit = getattr(k, f"v_cvt_sr_{self.target}_f32")
            for place, value in enumerate(some):
                emit(dword, value, self.noise, op_sel=place << 2 if count == 4 else place << 3)
                next_noise(k, self.noise, self.work[0])

    def _clamped(self, values: Sequence[Register], largest: float) -> list[Register]:
        assert self.work is not None
        clamped = list(self.work[0 : len(values)])
        limit = self.alu.constant(largest)
        for value, inside in zip(values, clamped, strict=True):
            self.k.v_med3_f32(inside, value, limit, limit, neg=4)
        return clamped

    def _integers(self, target: Register, values: Sequence[Register]) -> None:
        k = self.k
        assert self.work is not None
        whole = list(self.work[0 : len(values)])
        for value, rounded in zip(values, whole, strict=True):
            k.v_rndne_f32(rounded, value)
        if self.target == "i32":
            for rounded, number in zip(whole, target, strict=True):
                k.v_cvt_i32_f32(number, rounded)
            return
        for rounded in whole:
            k.v_max_f32(rounded, f32_bits(-128.0), rounded)
        for rounded in whole:
            k.v_min_f32(rounded, f32_bits(127.0), rounded)
        for byte, rounded in enumerate(whole):
            k.v_cvt_i32_f32(target[0], rounded, dst_sel=byte, dst_unused=KEEP, src0_sel=6)


class _Scaled:
    """Conversions by gfx950's block-scaled instructions."""

    def __init__(
        self,
        alu: Lanes,
        target: str,
        source: str,
        scale: Register | int,
        noise: Register | None,
        saturate: bool,
        work: Register | None,
    ) -> None:
        self.alu, self.k, self.target, self.source, self.scale = alu, alu.k, target, source, scale
        self.noise, self.work = noise, work
        self.largest = LARGEST["gfx950"][target] if saturate else None

    def emit(self, target: Register, source: Register, elements: int) -> None:
        """Convert the registers of a base tile."""
        if self.target in SMALL and self.source in SMALL:
            assert self.work is not None
            for first in range(0, elements, GROUP):
                count = min(GROUP, elements - first)
                middle = self.work[0 : -(-count // 2)]
                self._widen(middle, _cut(source, self.source, first, count), self.source, "f16", count)
                self._narrow(_cut(target, self.target, first, count), middle, self.target, "f16", count)
        elif self.source in SMALL:
            self._widen(target, source, self.source, self.target, elements)
        else:
            for first in range(0, elements, GROUP):
                count = min(GROUP, elements - first)
                values = self._clamped(_cut(source, self.source, first, count))
                self._narrow(_cut(target, self.target, first, count), values, self.target, self.source, count)

    def _clamped(self, source: Register) -> Register:
        if self.largest is None:
            return source
        assert self.work is not None
        clamped = self.work[0 : source.count]
        limit = self.alu.constant(self.largest)
        for value, inside in zip(source, clamped, strict=True):
            self.k.v_med3_f32(inside, value, limit, limit, neg=4)
        return clamped

    def _widen(self, target: Register, source: Register, small: str, wide: str, elements: int) -> None:
        emit = getattr(self.k, f"v_cvt_scalef32_{'pk32' if small in ('fp6', 'bf6') else 'pk'}_{wide}_{small}")
        if small in ("fp6", "bf6"):
            width = GROUP if wide == "f32" else GROUP // 2
            for group in range(elements // GROUP):
                emit(target[group * width : (group + 1) * width], source[group * 6 : group * 6 + 6], self.scale)
            return
        inside = 2 if small in BYTE_FLOATS else 4
        width = 2 if wide == "f32" else 1
        for pair in range(elements // 2):
            emit(target[pair * width : pair * width + width], source[pair // inside], self.scale, op_sel=pair % inside)

    def _narrow(self, target: Register, source: Register, small: str, wide: str, elements: int) -> None:
        if small in ("fp6", "bf6"):
            self._sixes(target, source, small, wide)
            return
        inside = 2 if small in BYTE_FLOATS else 4
        place = 3 if small in BYTE_FLOATS else 2
        if elements % (2 * inside) and not any(target[-1].overlaps(one) for one in source):
            self.k.v_mov_b32(target[-1], 0)  # bytes of the register are written one at a time, and not all of them
        if self.noise is not None:
            self._stochastic(target, source, small, elements)
            return
        emit = getattr(self.k, f"v_cvt_scalef32_pk_{small}_{wide}")
        for pair in range(elements // 2):
            values = source[2 * pair : 2 * pair + 2] if wide == "f32" else source[pair : pair + 1]
            emit(target[pair // inside], *values, self.scale, op_sel=pair % inside << place)

    def _stochastic(self, target: Register, source: Register, small: str, elements: int) -> None:
        k = self.k
        assert self.noise is not None
        if small in BYTE_FLOATS:
            emit = getattr(k, f"v_cvt_scalef32_sr_{small}_f32")
            for number in range(elements):
                emit(target[number // 4], source[number], self.noise, self.scale, op_sel=number % 4 << 2)
                next_noise(k, self.noise, self.noise)
            return
        for pair in range(elements // 2):
            values = source[2 * pair : 2 * pair + 2]
            k.v_cvt_scalef32_sr_pk_fp4_f32(target[pair // 4], values, self.noise, self.scale, op_sel=pair % 4 << 2)
            for _ in range(2):
                next_noise(k, self.noise, self.noise)

    def _sixes(self, target: Register, source: Register, small: str, wide: str) -> None:
        """Round 32 elements; from f32 the even and the odd ones are put side by side first."""
        k = self.k
        if self.noise is not None:
            getattr(k, f"v_cvt_scalef32_sr_pk32_{small}_f32")(target, source, self.noise, self.scale)
            for _ in range(GROUP):
                next_noise(k, self.noise, self.noise)
            return
        if wide != "f32":
            getattr(k, f"v_cvt_scalef32_pk32_{small}_{wide}")(target, source, self.scale)
            return
        assert self.work is not None
        even, odd = self.work[0 : GROUP // 2], self.work[GROUP // 2 : GROUP]
        for pair in range(0, GROUP // 2, 2):
            low, high = source[2 * pair : 2 * pair + 2], source[2 * pair + 2 : 2 * pair + 4]
            k.v_pk_mov_b32(even[pair : pair + 2], low, high)
            k.v_pk_mov_b32(odd[pair : pair + 2], low, high, op_sel=3)
        getattr(k, f"v_cvt_scalef32_2xpk16_{small}_f32")(target, even, odd, self.scale)


def _per_dword(dtype: str) -> int:
    return {"i32": 1, "i8": 4}.get(dtype) or PER_DWORD[dtype]


def _cut(piece: Register, dtype: str, first: int, count: int) -> Register:
    """Return the registers of `count` elements from number `first` on."""
    bits = {"f32": 32, "f16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}[dtype]
    return piece[first * bits // 32 : -(-(first + count) * bits // 32)]

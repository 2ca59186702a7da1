"""Registers as people want to see them: by name, in a type, as the tile that a matrix instruction makes of them.

A view is written `REGISTERS[:SHAPE][:TYPE]`. REGISTERS is assembler text (`v12`, `a[0:15]`, `vcc`) or an owner's name,
of which Python's slices take parts (`acc[0:4]`). With a shape (`acc:16x16`) the registers are one or several operands
of a matrix instruction: of one in the kernel that names these registers and has that shape, else the accumulator of
that shape. TYPE is `f32`, `f16`, `bf16`, `f64`, an integer type, `hex`, or `ptr` for pairs that hold addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.code import Code
from hkasm.errors import UsageError, did_you_mean
from hkasm.isa.mfma import MFMA_TABLE, TYPE_BITS, MfmaSpec, gather_raw
from hkasm.isa.numerics import decode, format_of, unpack_bits
from hkasm.isa.registers import Register, special_register

__all__ = ["Tile", "View", "bits_of_type", "codes_of", "elements", "find_tile", "parse_view", "resolve", "tiles_of"]

TYPES: Final = ("f64", "f32", "f16", "bf16", "i32", "i16", "i8", "u32", "u16", "u8", "i64", "u64", "fp8", "bf8", "fp6",
                "bf6", "fp4", "hex", "ptr")  # fmt: skip
_TEXT = re.compile(r"([sva])(?:(\d+)|\[(\d+):(\d+)\])")
_SLICED = re.compile(r"(.+)\[(\d+)(?:(:)(\d+))?\]")
_SHAPE = re.compile(r"(\d+)x(\d+)")
_VIEW = re.compile(r"(?P<registers>.+?)(?::(?P<shape>\d+x\d+))?(?::(?P<type>[a-z]\w*))?")
_FILES: Final = {"s": 102, "v": 256, "a": 256}


@dataclass(frozen=True)
class View:
    """What to show: registers by text or name, as tiles of a shape if there is one, in a type if one is named."""

    text: str
    registers: str
    shape: tuple[int, int] | None = None
    type: str = ""


def parse_view(text: str) -> View:
    """Read a view. Raises UsageError for a shape or type that makes no sense."""
    match = _VIEW.fullmatch(text.strip())
    if match is None:
        raise UsageError("a view names registers: v12, acc:16x16, v[0:3]:f16")
    kind = match["type"] or ""
    if kind and kind not in TYPES:
        raise UsageError(
            f"'{text}' has the unknown type '{kind}'", hint=did_you_mean(kind, TYPES) or f"types: {', '.join(TYPES)}"
        )
    shape = _SHAPE.fullmatch(match["shape"] or "")
    return View(text, match["registers"], (int(shape[1]), int(shape[2])) if shape else None, kind)


def resolve(code: Code, name: str, offset: int) -> Register:
    """Return the registers of a view at the instruction at a byte offset.

    Raises:
        UsageError: there are no such registers, or nobody of that name holds any there.
    """
    found = _TEXT.fullmatch(name)
    if found is not None:
        first, last = int(found[2] or found[3]), int(found[2] or found[4])
        if not first <= last < _FILES[found[1]]:
            raise UsageError(f"{name} is outside the register file ({_FILES[found[1]]} registers)")
        return Register(found[1], first, last - first + 1)
    special = special_register(name)
    if special is not None:
        return special
    held = _held(code, name, offset)
    if held is not None:
        return held
    part = _SLICED.fullmatch(name)
    if part is not None:
        whole = _held(code, part[1], offset)
        first = int(part[2])
        last = int(part[4]) if part[3] else first + 1
        if whole is not None and first < last <= whole.count:
            return whole[first:last]
        if whole is not None:
            raise UsageError(f"{name}: {part[1]} has {whole.count} registers there")
    names = sorted({owner.name for owner in _owners(code)})
    if (part[1] if part else name) in names:
        raise UsageError(f"{name} holds no registers at {code.kernel.origin(offset)}")
    raise UsageError(
        f"no registers are called '{name}'",
        hint=did_you_mean(name, names) or ("names: " + ", ".join(names[:12]) if names else "v12, s[0:1], vcc"),
    )


def _owners(code: Code) -> tuple[Any, ...]:
    return code.kernel.hkasm["owners"] if code.kernel.hkasm is not None else ()


def _held(code: Code, name: str, offset: int) -> Register | None:
    number = code.number(offset)
    for owner in _owners(code):
        if owner.name == name and owner.first <= number < owner.last:
            register: Register = owner.register.named(name)
            return register
    return None


# ---- tiles -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tile:
    """One operand of a matrix instruction: which, of what element type, by which instruction of the kernel if any."""

    spec: MfmaSpec
    operand: str
    element: str
    instruction: str = ""

    @property
    def registers(self) -> int:
        """Registers of one tile."""
        return self.spec.registers(self.operand, self.element)

    @property
    def title(self) -> str:
        return f"{self.element}, {self.operand} of {self.instruction or self.spec.mnemonic}"


def find_tile(code: Code, register: Register, shape: tuple[int, int], kind: str) -> Tile:
    """Return the operand that registers are, of a shape (rows, columns) and, if it is named, an element type.

    Raises:
        UsageError: no matrix instruction of the arch has such an operand, or the registers are not whole tiles of it.
    """
    used = [tile for tile in _used(code, register) if _fits(tile, shape, kind)]
    fitting = used or [tile for tile in _known(code) if _fits(tile, shape, kind or "f32")]
    if not fitting:
        raise UsageError(f"no matrix instruction of {code.arch.name} has a {shape[0]}x{shape[1]} operand of that type")
    whole = [tile for tile in fitting if register.count % tile.registers == 0]
    if not whole:
        raise UsageError(
            f"{register.text} are {register.count} registers, a {shape[0]}x{shape[1]} tile of {fitting[0].element} "
            f"takes {fitting[0].registers}"
        )
    return whole[0]


def _fits(tile: Tile, shape: tuple[int, int], kind: str) -> bool:
    spec = tile.spec
    inner = spec.stored_k if tile.operand == "A" else spec.k
    own = {"A": (spec.m, inner), "B": (inner, spec.n), "D": (spec.m, spec.n)}[tile.operand]
    return own == shape and kind in ("", tile.element)


def _used(code: Code, register: Register) -> Iterator[Tile]:
    """Yield the operands of the kernel's matrix instructions that overlap registers."""
    seen: set[tuple[str, str, str]] = set()
    for inst in code.straight_line:
        spec = inst.spec.mfma
        if spec is None:
            continue
        for operand, names in (
            ("D", ("vdst",) if spec.sparse else ("vdst", "src2")),
            ("A", ("src0",)),
            ("B", ("src1",)),
        ):
            for value in (_operand(inst, name) for name in names):
                if not isinstance(value, Register) or not value.overlaps(register):
                    continue
                fmt = inst.mods.get({"A": "cbsz", "B": "blgp"}.get(operand, ""), 0)
                element = spec.element_type(operand, fmt)
                if (spec.mnemonic, operand, element) not in seen:
                    seen.add((spec.mnemonic, operand, element))
                    yield Tile(spec, operand, element, inst.mnemonic)


def _operand(inst: Any, name: str) -> object:
    try:
        return inst.operand(name)
    except KeyError:
        return None


def _known(code: Code) -> Iterator[Tile]:
    """Yield the accumulators of the arch's matrix instructions of one block."""
    for spec in MFMA_TABLE.values():
        if code.arch.name in spec.opcode and spec.blocks == 1:
            yield Tile(spec, "D", spec.c_type)


def tiles_of(tile: Tile, words: NDArray[np.uint32], arch: str) -> NDArray[Any]:
    """Return registers [count, 64] as matrices [tiles * blocks, rows, columns] of numbers."""
    return numbers(codes_of(tile, words), tile.element, arch)


def codes_of(tile: Tile, words: NDArray[np.uint32]) -> NDArray[Any]:
    """Return registers [count, 64] as matrices of bits."""
    fmt = tile.element if tile.spec.selects_format else None
    count = tile.registers
    raw = [
        gather_raw(tile.spec, tile.operand, np.ascontiguousarray(words[first : first + count, None]), fmt)[0]
        for first in range(0, len(words), count)
    ]
    return np.concatenate(raw)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def elements(words: NDArray[np.uint32], kind: str, arch: str) -> NDArray[Any]:
    """Return registers [count, ...] as numbers of a type [elements, ...], low bits first.

    Raises:
        UsageError: registers are not whole elements.
    """
    if kind in ("", "hex"):
        return words
    bits = bits_of_type(kind)
    if len(words) * 32 % bits:
        raise UsageError(f"{len(words)} registers are no whole elements of {kind}")
    return numbers(unpack_bits(words, bits), kind, arch)


def bits_of_type(kind: str) -> int:
    """Return the width of an element."""
    return {"ptr": 64, "hex": 32, "": 32}.get(kind) or TYPE_BITS.get(kind) or int(kind[1:])


def numbers(codes: NDArray[Any], kind: str, arch: str) -> NDArray[Any]:
    """Return codes of an element type as numbers of NumPy's types."""
    plain = {"f64": np.float64, "f32": np.float32, "xf32": np.float32, "f16": np.float16, "ptr": np.uint64}
    if kind in plain:
        return codes.view(plain[kind])
    if kind[0] in "iu" and kind[1:].isdigit():
        return codes.view(f"{kind[0]}{int(kind[1:]) // 8}")
    return decode(codes, format_of(kind, arch))

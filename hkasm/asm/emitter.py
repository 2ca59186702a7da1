"""From a call to an instruction: which variant is meant, whether the operands may stand there, which encoding fits.

Checks are the slow part, and most calls of a kernel repeat what earlier ones asked for with other registers of the same
kind. A *form* is therefore kept for each combination of operand kinds and modifiers that was found right on an arch.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from pathlib import Path
from types import CodeType
from typing import Any, Protocol

import numpy as np

from hkasm.asm.instruction import Instruction, Label, OperandValue, Origin
from hkasm.asm.memory_operands import check_memory, memory_defaults
from hkasm.asm.operands import (
    RawOperand,
    check_constant_bus,
    check_operand,
    check_overlap,
    choose_encoding,
    operand_width,
)
from hkasm.errors import HkasmError, OperandError
from hkasm.isa.arch import Arch
from hkasm.isa.constants import INLINE_FLOATS, LITERAL, Const
from hkasm.isa.formats import FORMATS
from hkasm.isa.modifiers import allowed_modifiers
from hkasm.isa.registers import Register
from hkasm.isa.spec import SPECS, Encoding, InstSpec

__all__ = ["Emit", "Forms", "build_instruction", "caller_origin", "make_emit", "raising_origin"]

Emit = Callable[..., Instruction]
_PACKAGE = Path(__file__).resolve().parent.parent
# Lines of these files, and of the folder of tile operations, are no origins; who called them is. The library's context
# managers stand between where an operation opens one of its own.
_INSIDE = frozenset((__file__, str(Path(__file__).with_name("builder.py")), contextlib.__file__))
_REGISTERS = str(_PACKAGE / "isa" / "registers.py")
_INSIDE_FOLDER = Path(__file__).parent.with_name("tiles")
# By a code object's identity and the place in it, with the code object, which keeps its identity taken.
_origins: dict[tuple[int, int], tuple[Origin, CodeType]] = {}
_ORIGINS_KEPT = 1 << 16


def caller_origin(depth: int = 2) -> Origin:
    """The nearest Python line outside the builder and the tile operations."""
    frame = sys._getframe(depth)
    known = _origins.get((id(frame.f_code), frame.f_lasti))
    if known is not None:
        return known[0]
    while _is_inside(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    origin = Origin(_short_name(code.co_filename), frame.f_lineno)
    if len(_origins) >= _ORIGINS_KEPT:
        _origins.clear()
    return _origins.setdefault((id(code), frame.f_lasti), (origin, code))[0]


def raising_origin(error: BaseException) -> Origin | None:
    """The line outside the builder, the registers and the tile operations from which an error was raised, if any."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        if filename != _REGISTERS and not _is_inside(filename):
            found = Origin(_short_name(filename), line)
    return found


@cache
def _is_inside(filename: str) -> bool:
    return filename in _INSIDE or _INSIDE_FOLDER in Path(filename).parents


@cache
def _short_name(filename: str) -> str:
    """File name for messages and line tables: below hkasm/ from the package on, elsewhere the bare name."""
    path = Path(filename).resolve()
    return path.relative_to(_PACKAGE.parent).as_posix() if path.is_relative_to(_PACKAGE) else path.name


@dataclass(frozen=True, slots=True)
class _Form:
    """How operands of certain kinds become an instruction.

    ``pattern`` holds the instruction's operands, at ``places`` another call's registers and labels (the same places as
    among the caller's operands); None when all operands are the caller's. ``offsets`` are those that a memory
    instruction's form takes, where only its range matters; ``by_offset`` the modifiers with each that was given.
    ``literal`` is the place of the one literal where only that it is one matters.
    """

    spec: InstSpec
    encoding: Encoding
    mods: dict[str, int]
    pattern: tuple[OperandValue, ...] | None
    places: tuple[int, ...]
    offsets: range = range(0)
    by_offset: dict[int, dict[str, int]] = field(default_factory=dict)
    literal: int | None = None

    def with_offset(self, offset: int) -> dict[str, int]:
        """Return the modifiers with another offset."""
        found = self.by_offset.get(offset)
        if found is None:
            found = self.by_offset[offset] = self.mods | {"offset": offset}
        return found

    def fill(self, given: tuple[Any, ...]) -> tuple[OperandValue, ...]:
        if self.pattern is None:
            return given
        if not self.places:
            return self.pattern
        operands = list(self.pattern)
        for place in self.places:
            operands[place] = given[place]
        return tuple(operands)

    def fill_literal(self, given: tuple[Any, ...], place: int) -> tuple[OperandValue, ...]:
        """Return the operands with another literal."""
        operands = list(self.fill(given))
        operands[place] = Const(LITERAL, given[place])
        return tuple(operands)


def _form_of(inst: Instruction, given: tuple[RawOperand, ...]) -> _Form:
    """Return the form of an instruction that was built from the operands given."""
    places = tuple(place for place, value in enumerate(given) if isinstance(value, _BY_KIND))
    pattern = None if len(places) == len(inst.operands) else inst.operands
    literals = [at for at, value in enumerate(inst.operands) if isinstance(value, Const) and value.is_literal]
    plain = [at for at, value in enumerate(given) if _is_plain_literal(value)]
    is_word = len(literals) == 1 and inst.spec.explicit[literals[0]].type in _WORDS
    literal = literals[0] if is_word and plain == literals else None
    return _Form(inst.spec, inst.encoding, inst.mods, pattern, places, _offsets(inst), literal=literal)


_WORDS = ("u32", "i32", "b32")


def _is_plain_literal(value: object) -> bool:
    """Tell whether a number is a literal to every operand of 32 bits, and not an inline constant's bits."""
    return value.__class__ is int and value in _LITERALS and value not in _INLINE_WORDS


def _literal_key(key: tuple[object, ...]) -> tuple[object, ...]:
    """Return a key that any other literal has as well."""
    return tuple(["literal" if part.__class__ is tuple and _is_literal_kind(part) else part for part in key])


def _is_literal_kind(part: Any) -> bool:
    return len(part) == 2 and part[0] is int and _is_plain_literal(part[1])


_LITERALS = range(65, 1 << 31)
_INLINE_WORDS = frozenset(Const(code).bits("f32") for code in INLINE_FLOATS.values())


def _offsets(inst: Instruction) -> range:
    """Return the offsets, 0 apart, that an LDS, buffer or FLAT instruction takes; none for any other."""
    if inst.spec.unit not in ("LDS", "VMEM") or not inst.mods.get("offset"):
        return range(0)
    limit = allowed_modifiers(inst.spec.key, inst.encoding.format)["offset"]
    is_signed = "offset" in FORMATS[inst.encoding.format].signed_mods
    return range(-(limit + 1 >> 1), (limit >> 1) + 1) if is_signed else range(limit + 1)


Forms = dict[tuple[object, ...], _Form]
_BY_KIND = (Register, Label)
"""Operands of which only the `kind` matters to the checks."""
_known_forms: dict[tuple[str, ...], Forms] = {}
_FORMS_KEPT = 1024
"""Forms kept of a mnemonic on an arch for builders to come; a kernel needs a few of each."""


class Sink(Protocol):
    """What an emitter needs of a builder: where instructions go, their tag, and the forms known, by mnemonic."""

    arch: Arch
    items: list[Any]
    tag: str
    forms: dict[str, Forms]


def make_emit(sink: Sink, variants: list[InstSpec]) -> Emit:
    """Make the method of one mnemonic: picks the variant, checks operands, chooses the encoding, appends."""
    plain = variants[0]
    by_variant = {spec.key[len(spec.mnemonic) + 1 :]: spec for spec in variants}
    items, arch, forms = sink.items, sink.arch, sink.forms.setdefault(plain.mnemonic, {})
    known = _known_forms.setdefault((arch.name, *(spec.key for spec in variants)), {})

    def new_form(
        key: tuple[object, ...], operands: tuple[RawOperand, ...], mods: dict[str, Any], force: str | None
    ) -> _Form:
        form = known.get(key)
        if form is None:
            spec = plain
            operands = tuple(map(plain_number, operands))
            if len(by_variant) > 1 or "lds" in mods:
                spec = _select_variant(plain, by_variant, mods)
            form = _form_of(build_instruction(spec, arch, operands, mods, force), operands)
            if len(known) >= _FORMS_KEPT:
                known.clear()
            known[key] = form
        # The instructions of one builder share their modifiers, those of two do not.
        mods = dict(form.mods)
        return _Form(form.spec, form.encoding, mods, form.pattern, form.places, form.offsets, {}, form.literal)

    def emit(
        *operands: RawOperand, e64: bool = False, comment: str = "", tokens: tuple[Hashable, ...] = (), **mods: Any
    ) -> Instruction:
        origin = caller_origin()
        kinds = [value.kind if isinstance(value, _BY_KIND) else _number_key(value) for value in operands]
        offset = mods.get("offset")
        key: tuple[object, ...]
        if offset.__class__ is int and offset:
            key = (e64, *kinds, *[item if item[0] != "offset" else "offset" for item in mods.items()])
        else:
            key, offset = (e64, *kinds, *mods.items()), None
        try:
            form = forms.get(key)
            if offset is not None and (form is None or offset not in form.offsets):
                key = (e64, *kinds, *mods.items())
                form = forms.get(key)
        except TypeError:  # something that is no operand: the checks will say so
            form, key = None, (object(),)
        literal = None
        try:
            if form is None:
                other = _literal_key(key)
                form = forms.get(other) if other != key else None
                literal = form.literal if form is not None else None
            if form is None:
                form = forms[key] = new_form(key, operands, mods, "e64" if e64 else None)
                if form.literal is not None:
                    forms[other] = form
                if offset is not None and form.offsets:
                    any_offset = (e64, *kinds, *[item if item[0] != "offset" else "offset" for item in mods.items()])
                    forms.setdefault(any_offset, form)
            values = form.fill(operands) if literal is None else form.fill_literal(operands, literal)
            if form.spec.mfma is not None:
                _check_relations(form.spec, values)
        except HkasmError as error:
            raise type(error)(error.message, where=origin, form=error.form, hint=error.hint) from None
        found = form.mods if offset is None or not form.offsets else form.with_offset(offset)
        inst = Instruction(form.spec, form.encoding, values, found, origin, comment, -1, 0, sink.tag, tokens)
        items.append(inst)
        return inst

    emit.__name__ = plain.mnemonic
    emit.__doc__ = _doc(tuple(spec.key for spec in variants))
    return emit


@cache
def _doc(keys: tuple[str, ...]) -> str:
    return f"{SPECS[keys[0]].doc}\n\n" + "\n".join(SPECS[key].form for key in keys)


def _number_key(value: object) -> tuple[object, ...]:
    """Return what tells an operand that is no register from others; 0.0 and -0.0 are equal, and two constants."""
    return (type(value), value, str(value)) if isinstance(value, (float, np.generic)) else (type(value), value)


def plain_number(value: Any) -> Any:
    """Turn a NumPy scalar into Python's number; anything else stays as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _select_variant(plain: InstSpec, by_variant: dict[str, InstSpec], mods: dict[str, Any]) -> InstSpec:
    if mods.get("lds"):
        if "lds" not in by_variant:
            raise OperandError(
                f"{plain.mnemonic} has no direct-to-LDS form here",
                hint="gfx942 has 1-dword direct loads only, gfx950 also x3 and x4",
            )
        return by_variant["lds"]
    if "rtn" in by_variant and mods.get("glc" if plain.unit == "SMEM" else "sc0"):
        return by_variant["rtn"]
    return by_variant.get("", plain)


def build_instruction(
    spec: InstSpec, arch: Arch, operands: tuple[RawOperand, ...], mods: dict[str, Any], force: str | None = None
) -> Instruction:
    """Check operands and modifiers of one instruction and choose its encoding (no origin, no place in a program).

    Checks see registers by their `kind`, one at a time, but for `_check_relations`: forms rest on that.

    Raises:
        OperandError: anything that the declaration or the machine does not allow.
    """
    explicit = spec.explicit
    operands = _complete(spec, operands)
    if len(operands) != len(explicit):
        wanted = f"{len(explicit)} operand" + ("" if len(explicit) == 1 else "s")
        hint = "k.wait_counts(vmcnt=..., lgkmcnt=...), or k.wait(...)" if spec.key == "s_waitcnt" else None
        raise OperandError(f"{spec.mnemonic}: wants {wanted}, got {len(operands)}", form=spec.form, hint=hint)
    given = {name: _whole(spec, name, value) for name, value in mods.items() if value or name in _ZERO_COUNTS}
    is_memory = spec.unit in ("SMEM", "VMEM", "LDS")
    if is_memory:
        operands = memory_defaults(spec, given, operands, mods)
    if spec.has_variable_widths:
        values = dict(zip((op.name for op in explicit), operands, strict=True))
        widths = [operand_width(spec, op, values, given) for op in explicit]
    else:
        widths = [op.dwords for op in explicit]
    checked = tuple(map(check_operand, repeat(spec), explicit, operands, widths))
    if spec.unit in ("VALU", "TRANS"):
        check_constant_bus(spec, checked)
    _check_relations(spec, checked)
    if is_memory:
        check_memory(spec, checked, given)
    encoding = choose_encoding(spec, arch, checked, given, force)
    defaults = FORMATS[encoding.format].defaults
    return Instruction(spec, encoding, checked, defaults | given if defaults else given)


def _whole(spec: InstSpec, name: str, value: object) -> int:
    """Return a modifier's value. Raises OperandError for what is no whole number."""
    if not isinstance(value, (int, np.integer, np.bool_)):
        raise OperandError(f"{spec.mnemonic}: {name} wants a whole number, got {value!r}", form=spec.form)
    return int(value)


_ZERO_COUNTS = frozenset(name for fmt in FORMATS.values() for name in fmt.defaults) | {"op_sel_hi"}
"""Modifiers whose 0 is not their default."""


def _complete(spec: InstSpec, operands: tuple[RawOperand, ...]) -> tuple[RawOperand, ...]:
    """Fill in what the caller may leave out: a zero soffset, off addresses, VCC of carry and compare forms."""
    missing = len(spec.explicit) - len(operands)
    if missing != 1:
        return operands
    if spec.key == "s_nop" or "optional" in spec.flags:
        return (*operands, 0)
    last = spec.explicit[-1].name
    if last == "saddr" or (last == "soffset" and spec.unit == "SMEM"):
        return (*operands, None)
    return (*operands, 0) if last == "soffset" else operands


def _check_relations(spec: InstSpec, values: tuple[OperandValue, ...]) -> None:
    """Check registers against each other."""
    if spec.mfma is not None:
        check_overlap(spec, values)

"""Instructions as their declarations say: forms, operands, encodings, counter, matrix shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hkasm.asm.operands import DERIVED_MODIFIERS
from hkasm.errors import ArchError, did_you_mean
from hkasm.inspect.instruction_hazards import hazard_roles
from hkasm.inspect.modifiers import modifier_text
from hkasm.isa import ARCHES, VARIANTS, InstSpec
from hkasm.isa.formats import FORMATS
from hkasm.isa.modifiers import allowed_modifiers

__all__ = ["Line", "describe", "describe_all", "list_instructions", "modifier_texts", "search_instructions"]

_ACCESS = {"r": "read", "w": "written", "rw": "read and written"}
_COUNTERS = {None: (), "both": ("vmcnt", "lgkmcnt")}


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction in a list."""

    mnemonic: str
    unit: str
    archs: tuple[str, ...]
    doc: str

    def as_dict(self) -> dict[str, object]:
        return {"mnemonic": self.mnemonic, "unit": self.unit, "archs": list(self.archs), "doc": self.doc}


def list_instructions(arch: str | None = None) -> list[Line]:
    """Return one line per mnemonic that `arch` has, or that any has, sorted."""
    lines = []
    for mnemonic, variants in sorted(VARIANTS.items()):
        archs = tuple(name for name in ARCHES if any(name in spec.archs for spec in variants))
        if arch is None or arch in archs:
            lines.append(Line(mnemonic, variants[0].unit, archs, variants[0].doc))
    return lines


def search_instructions(words: Iterable[str], arch: str | None = None) -> list[Line]:
    """Return the instructions whose mnemonic, unit or doc holds every one of `words`, whatever their case."""
    wanted = [word.casefold() for word in words]
    return [
        line
        for line in list_instructions(arch)
        if all(word in f"{line.mnemonic} {line.unit} {line.doc}".casefold() for word in wanted)
    ]


def describe_all(mnemonic: str, arch: str | None = None) -> list[dict[str, object]]:
    """Return every form of a mnemonic as plain data, the plain form first.

    Raises:
        ArchError: no such instruction, or not on `arch`.
    """
    variants = VARIANTS.get(mnemonic)
    if variants is None:
        near = did_you_mean(mnemonic, VARIANTS)
        if not near or any(name.startswith(mnemonic) for name in VARIANTS):
            near = f"hkasm isa --search {mnemonic}"
        raise ArchError(f"unknown instruction {mnemonic!r}", hint=near)
    chosen = [spec for spec in variants if arch is None or arch in spec.archs]
    if not chosen:
        archs = sorted({name for spec in variants for name in spec.archs})
        raise ArchError(f"{mnemonic} does not exist on {arch}", hint=f"it is on {', '.join(archs)}")
    return [describe(spec) for spec in chosen]


def _modifiers(spec: InstSpec, format_name: str) -> dict[str, tuple[int, int]]:
    """Return the least and the largest value of each modifier that is given in a form, and not derived."""
    signed = FORMATS[format_name].signed_mods
    return {
        name: (-(limit + 1 >> 1), limit >> 1) if name in signed else (0, limit)
        for name, limit in allowed_modifiers(spec.key, format_name).items()
        if name not in DERIVED_MODIFIERS
    }


def modifier_texts(spec: InstSpec) -> dict[str, str]:
    """Return what the values of each modifier mean that any form of an instruction takes."""
    return {
        name: modifier_text(spec, one.format, name) for one in spec.encodings for name in _modifiers(spec, one.format)
    }


def describe(spec: InstSpec) -> dict[str, object]:
    """Return one form of an instruction as plain data."""
    found: dict[str, object] = {
        "mnemonic": spec.mnemonic,
        "form": spec.form,
        "doc": spec.doc,
        "unit": spec.unit,
        "counters": list(_COUNTERS.get(spec.counter, (spec.counter,))),
        "archs": [name for name in ARCHES if name in spec.archs],
        "operands": [
            {
                "name": op.name,
                "type": op.type,
                "access": _ACCESS[op.access],
                "takes": op.fixed.text if op.fixed is not None else spec.describe(op).partition(": ")[2],
                "implicit": op.fixed is not None,
            }
            for op in spec.operands
        ],
        "encodings": [
            {
                "format": one.format,
                "opcodes": dict(one.opcodes),
                "literal": FORMATS[one.format].literal and any("l" in op.files for op in spec.explicit),
                "modifiers": {name: list(limits) for name, limits in _modifiers(spec, one.format).items()},
            }
            for one in spec.encodings
        ],
        "modifiers": modifier_texts(spec),
        "hazards": [role.as_dict() for role in hazard_roles(spec)],
    }
    if spec.memory is not None:
        memory = spec.memory
        found["memory"] = {
            "space": memory.space,
            "op": memory.op,
            "element": memory.elem,
            "bytes_per_lane": memory.bytes,
            "direct_to_lds": memory.to_lds,
        }
    if spec.mfma is not None:
        shape = spec.mfma
        found["matrix"] = {
            "m": shape.m,
            "n": shape.n,
            "k": shape.k,
            "blocks": shape.blocks,
            "a": shape.a,
            "b": shape.b,
            "c": shape.c_type,
            "passes": dict(shape.passes),
        }
    if spec.source:
        found["source"] = spec.source
    return found

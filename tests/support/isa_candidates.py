"""Operand and modifier values at their edges for every machine form: what must be taken and what must be refused.

A candidate is one written instruction before anybody has checked it. From a plain base one thing at a time is moved to
each of its edges: register numbers, special scalars, AGPRs, inline constants, literals, bounds of modifiers. Those of
an ``error`` kind go one step past the edge: width, file, alignment, range, a literal where none fits, two scalars.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hkasm.asm.operands import RawOperand, operand_width
from hkasm.isa import SPECS
from hkasm.isa.constants import HALF_INTEGERS, TYPE_BITS, Const
from hkasm.isa.formats import FORMATS, Format, bits_width
from hkasm.isa.modifiers import allowed_modifiers
from hkasm.isa.registers import VCC, Register
from hkasm.isa.spec import Encoding, InstSpec, Operand

HIDDEN = frozenset({"imm", "soffset_en", "scaled", "sve", "lds"})
"""Modifiers that follow from operands or from the variant and are never written by themselves."""
MASKS = frozenset({"neg", "abs", "neg_lo", "neg_hi", "op_sel", "op_sel_hi"})
_NUMBERS = frozenset(
    {"offset", "offset0", "offset1", "row_mask", "bank_mask", "dpp_ctrl", "cbsz", "abid", "blgp", "bitop3"}
)
"""Modifiers whose text holds a number, so that a wrong one can be written."""
_SINGLES = (0, 101, 102, 103, 104, 105, 106, 107, 108, 123, 124, 126, 127)
_PAIRS = (0, 100, 102, 104, 106, 108, 122, 126)
_QUADS = {4: (0, 96, 108, 120), 8: (0, 92, 108, 116), 16: (0, 84, 108)}
_SINGLE_SOURCES = (*_SINGLES, 235, 236, 237, 238, 251, 252, 253)
_PAIR_SOURCES = (*_PAIRS, 235, 236, 237, 238)
_INLINE = (128, 129, 192, 193, 208, 240, 241, 242, 243, 244, 245, 246, 247, 248)
_LITERALS = (0x12345678, 0xFFFF0000, 0x41)
_HALF_LITERALS = (0x1234, 0xFE00, 0x41)
_DPP = (
    0x00, 0x1B, 0xFF, 0x101, 0x10F, 0x111, 0x11F, 0x121, 0x12F, 0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143,
    0x150, 0x15F,
)  # fmt: skip
_NO_DPP = (0x100, 0x110, 0x120, 0x131, 0x144, 0x160)

Form = tuple[InstSpec, Encoding]


@dataclass(frozen=True)
class Pick:
    """What stands in one operand's place: a file's letter with the first register, code or number."""

    letter: str
    number: int = 0
    width: int = 0
    """Registers, where other than the operand wants."""


@dataclass(frozen=True)
class Candidate:
    """One written instruction. `error` names the mistake in it; empty where there is none that we know of."""

    spec: InstSpec
    encoding: Encoding
    values: tuple[RawOperand, ...]
    mods: dict[str, int] = field(default_factory=dict)
    error: str = ""
    what: str = ""
    writable: bool = True
    """Tells whether the text can say it: a flag of 2 or a sixth byte selection have no words."""

    @property
    def force(self) -> str | None:
        """The suffix that asks for this encoding, None where there is no choice."""
        suffix = FORMATS[self.encoding.format].suffix
        return suffix[1:] or None


def forms(arch: str) -> list[Form]:
    """Every encoding of every declaration that the arch has."""
    return [(spec, enc) for spec in SPECS.values() for enc in spec.encodings if enc.opcode(arch) is not None]


def candidates(form: Form) -> Iterator[Candidate]:
    """Yield the edges of one form, then the mistakes."""
    spec, encoding = form
    fmt = FORMATS[encoding.format]
    for picks, mods in _bases(spec, fmt):
        yield _candidate(form, picks, mods, "", "base")
        for operand in spec.explicit:
            if operand.name in fmt.operands:
                for pick in _edges(spec, fmt, operand, picks[operand.name]):
                    yield _candidate(form, picks | {operand.name: pick}, mods, "", operand.name)
        for name, number in _mod_edges(spec, fmt, mods):
            yield _candidate(form, picks, mods | {name: number}, "", name)
    picks, mods = _bases(spec, fmt)[0]
    every = {name: max(numbers) for name, numbers in _grouped(_mod_edges(spec, fmt, mods)).items()}
    if len(every) > 1 and "dpp_ctrl" not in every:
        yield _candidate(form, picks, mods | every, "", "all modifiers")
    yield from _mistakes(form, fmt, picks, mods)


def strangers(arch: str) -> Iterator[Candidate]:
    """Yield the plain form of every encoding that only the other arch has."""
    for spec in SPECS.values():
        for encoding in spec.encodings:
            if encoding.opcode(arch) is None:
                picks, mods = _bases(spec, FORMATS[encoding.format])[0]
                yield _candidate((spec, encoding), picks, mods, "arch", "mnemonic")


# -- bases -----------------------------------------------------------------------------------------------------------


def _bases(spec: InstSpec, fmt: Format) -> list[tuple[dict[str, Pick], dict[str, int]]]:
    """The plain ways to write a form: one, or one for each addressing mode."""
    picks = {operand.name: _plain(operand, place) for place, operand in enumerate(spec.explicit)}
    mods: dict[str, int] = {}
    memory = spec.memory
    if memory is not None and memory.op == "atomic" and memory.returns:
        mods |= {name: 1 for name in ("sc0", "glc") if name in fmt.mods}
    if memory is not None and memory.to_lds and "lds" in fmt.mods:
        mods["lds"] = 1
    off = Pick("o")
    names = {operand.name for operand in spec.explicit}
    if fmt.name in ("MUBUF", "MTBUF") and "vaddr" in names:
        return [
            (picks | {"vaddr": Pick("v", 6) if on else off}, mods | dict.fromkeys(on, 1))
            for on in (("offen",), (), ("idxen",), ("offen", "idxen"))
        ]
    if fmt.name == "GLOBAL" and "vaddr" in names:
        return [(picks | {"saddr": off}, mods), (picks | {"saddr": Pick("s", 6)}, mods)]
    if fmt.name == "SCRATCH" and "vaddr" in names:
        return [
            (picks | {"vaddr": vaddr, "saddr": saddr}, mods)
            for vaddr in (Pick("v", 6), off)
            for saddr in (off, Pick("s", 7))
        ]
    if fmt.name.startswith("SMEM") and "soffset" in names:
        by_register = picks | {"soffset": Pick("s", 7)}
        return [(picks | {"soffset": off}, mods), (by_register, mods), (by_register, mods | {"offset": 0x40})]
    if "f8f6f4" in spec.flags:
        return [(picks, {"cbsz": a, "blgp": b} if a or b else {}) for a in range(5) for b in range(5)]
    return [(picks, mods)]


def _plain(operand: Operand, place: int) -> Pick:
    letter = next((letter for letter in "vsaclio" if letter in operand.files), "o")
    number = {"v": 32 * place + 2, "s": 8 * place + 4, "a": 32 * place + 2, "c": 129, "l": 0x12345678, "i": 1}
    return Pick(letter, number.get(letter, 0))


def _candidate(
    form: Form, picks: dict[str, Pick], mods: dict[str, int], error: str, what: str, writable: bool = True
) -> Candidate:
    spec, encoding = form
    placed = FORMATS[encoding.format].operands
    values: dict[str, RawOperand] = {}
    saddr = picks.get("saddr")
    for operand in spec.explicit:
        if operand.name not in placed:
            values[operand.name] = VCC
            continue
        pick = picks[operand.name]
        width = pick.width
        if not width and pick.letter in "sva":
            known = {"saddr": None if saddr is None or saddr.letter == "o" else VCC}
            width = operand_width(spec, operand, known, mods)
        values[operand.name] = _value(pick, width)
    return Candidate(spec, encoding, tuple(values.values()), mods, error, what, writable)


def _value(pick: Pick, width: int) -> RawOperand:
    match pick.letter:
        case "o":
            return None
        case "c":
            return Const(pick.number)
        case "l":
            return Const(255, pick.number)
        case "i":
            return pick.number
    if pick.letter == "s" and pick.number in (251, 252, 253):
        width = 1
    elif pick.letter == "s" and pick.number >= 235:
        width = min(width, 2)
    first = pick.number if pick.number >= 0 else 256 - width
    return Register(pick.letter, first, width)


# -- edges -----------------------------------------------------------------------------------------------------------


def _edges(spec: InstSpec, fmt: Format, operand: Operand, base: Pick) -> Iterator[Pick]:
    """Yield the values at an operand's edges; -1 is the last place that a vector tuple has."""
    coding = fmt.operands[operand.name].coding
    takes_scalar = coding in ("src9", "src8", "sdst7", "saddr7", "sdwa8", "pair6", "quad5")
    if base.letter == "o":
        return
    if "v" in operand.files:
        yield from (Pick("v", 0), Pick("v", -1))
    if "a" in operand.files:
        yield from (Pick("a", 0), Pick("a", -1))
    if "s" in operand.files and takes_scalar:
        yield from (Pick("s", number) for number in _scalars(operand))
    if "c" in operand.files and coding in ("src9", "src8", "sdwa8"):
        integer = operand.type in HALF_INTEGERS  # which see the floats' patterns as literals
        yield from (Pick("c", code) for code in _INLINE if not integer or code < 240)
    if "l" in operand.files and (fmt.literal or coding == "imm"):
        half = TYPE_BITS[operand.type] == 16
        yield from (Pick("l", word) for word in (_HALF_LITERALS if half else _LITERALS))
    if "i" in operand.files:
        top = _top_number(operand, fmt)
        yield from (Pick("i", number) for number in sorted({0, 1, 16, 64, 65, top // 2, top}) if number <= top)


def _scalars(operand: Operand) -> tuple[int, ...]:
    if operand.dwords == 1:
        return _SINGLE_SOURCES if operand.access == "r" else _SINGLES
    if operand.dwords == 2:
        return _PAIR_SOURCES if operand.access == "r" else _PAIRS
    return _QUADS.get(operand.dwords, (0,))


def _top_number(operand: Operand, fmt: Format) -> int:
    return (1 << min(bits_width(fmt.operands[operand.name].bits), TYPE_BITS[operand.type])) - 1


def _mod_edges(spec: InstSpec, fmt: Format, mods: dict[str, int]) -> list[tuple[str, int]]:
    """Return each modifier with the values at its edges, zero among them where that is not the default."""
    found: list[tuple[str, int]] = []
    for name, limit in allowed_modifiers(spec.key, fmt.name).items():
        if name in HIDDEN or name in mods or name in ("offen", "idxen", *_returning(spec)):
            continue
        if "f8f6f4" in spec.flags and name in ("cbsz", "blgp"):
            continue
        if name == "dpp_ctrl":
            found += [(name, control) for control in _DPP]
        elif name in MASKS:
            bits = [1 << bit for bit in range(limit.bit_length()) if limit >> bit & 1]
            found += [(name, number) for number in sorted({*bits, limit, *((0,) if name == "op_sel_hi" else ())})]
        else:
            low, high = mod_range(fmt, name, limit)
            numbers = {1, 2, high // 2, high, low} | ({high - 1, low + 1} if high > 8 else set())
            numbers |= {0} if name in fmt.defaults else set()
            found += [(name, number) for number in sorted(numbers) if low <= number <= high]
    return [(name, number) for name, number in found if number or name in fmt.defaults or name == "op_sel_hi"]


def mod_range(fmt: Format, name: str, limit: int) -> tuple[int, int]:
    """Return the smallest and the largest value of a modifier."""
    return (-(limit + 1 >> 1), limit >> 1) if name in fmt.signed_mods else (0, limit)


def _returning(spec: InstSpec) -> tuple[str, ...]:
    return ("sc0", "glc") if spec.memory is not None and spec.memory.op == "atomic" else ()


def _grouped(pairs: list[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name, number in pairs:
        found.setdefault(name, []).append(number)
    return found


# -- mistakes --------------------------------------------------------------------------------------------------------


def _mistakes(form: Form, fmt: Format, picks: dict[str, Pick], mods: dict[str, int]) -> Iterator[Candidate]:
    spec = form[0]
    for operand in spec.explicit:
        if operand.name in fmt.operands and picks[operand.name].letter != "o":
            for error, pick in _wrong_values(spec, fmt, operand, picks[operand.name], mods):
                # What shows the field's bits alone, a list of counts or 16 bits.
                masked = error == "range" and (fmt.name.startswith("SOPK") or spec.key == "s_waitcnt")
                yield _candidate(form, picks | {operand.name: pick}, mods, error, operand.name, not masked)
    for name, limit in allowed_modifiers(spec.key, fmt.name).items():
        if name in HIDDEN or name in ("offen", "idxen", "cbsz", "blgp", *_returning(spec)):
            continue
        low, high = mod_range(fmt, name, limit)
        wrong = _NO_DPP if name == "dpp_ctrl" else (1 << limit.bit_length(),) if name in MASKS else (high + 1, low - 1)
        for number in wrong:
            yield _candidate(
                form, picks, mods | {name: number}, "range", name, name in _NUMBERS and "swizzle" not in spec.flags
            )
    yield from _constant_bus(form, fmt, picks, mods)
    plain = _candidate(form, picks, mods, "count", "operands")
    yield replace(plain, values=(*plain.values, 1), writable=False)
    if len(plain.values) > 2:
        yield replace(plain, values=plain.values[:-2], writable=False)


def _wrong_values(
    spec: InstSpec, fmt: Format, operand: Operand, base: Pick, mods: dict[str, int]
) -> Iterator[tuple[str, Pick]]:
    if base.letter == "i":
        top = _top_number(operand, fmt)
        yield from (("range", Pick("i", top + 1)), ("range", Pick("i", -1 if top < 0x7FFF else -(top + 1 >> 1) - 1)))
        return
    letters = [letter for letter in "vsa" if letter in operand.files]
    for letter in letters:
        start = 4 if letter != "s" else 8
        width = operand_width(spec, operand, {"saddr": None}, mods)
        yield "width", Pick(letter, start, width + 1)
        if width > 1:
            yield "width", Pick(letter, start, width - 1)
            if "any_tuple" not in spec.flags:
                yield "alignment", Pick(letter, start + 1, width)
        if width > 2 and letter == "s":
            yield "alignment", Pick(letter, start + 2, width)
    for letter in "vsa":
        if letter not in letters:
            yield "file", Pick(letter, 8)
    literal = fmt.literal and "l" in operand.files
    if fmt.operands[operand.name].coding != "imm" and not literal:
        yield "literal", Pick("l", 0x1234 if TYPE_BITS[operand.type] == 16 else 0x87654321)
    if "c" not in operand.files and "l" not in operand.files:
        yield "constant", Pick("c", 129)
    if "o" not in operand.files:
        yield "off", Pick("o")
    if operand.is_written and "s" in operand.files:
        yield "read-only", Pick("s", 235)


def _constant_bus(form: Form, fmt: Format, picks: dict[str, Pick], mods: dict[str, int]) -> Iterator[Candidate]:
    """Yield two scalars in one vector instruction."""
    spec = form[0]
    if spec.unit not in ("VALU", "TRANS"):
        return
    scalar = [
        op.name
        for op in spec.explicit
        if op.is_read and "s" in op.files and op.name in fmt.operands and fmt.operands[op.name].coding != "vgpr8"
    ]
    for first, second in pairwise(scalar):
        yield _candidate(form, picks | {first: Pick("s", 4), second: Pick("s", 8)}, mods, "two scalars", second)
    if scalar and fmt.literal and not any(op.fixed == VCC and op.is_read for op in spec.operands):
        for operand in spec.explicit:
            if operand.name != scalar[0] and "l" in operand.files and operand.name in fmt.operands:
                picked = picks | {scalar[0]: Pick("s", 4), operand.name: Pick("l", 0x12345678)}
                yield _candidate(form, picked, mods, "two scalars", operand.name)

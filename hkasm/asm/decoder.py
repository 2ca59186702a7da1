"""Instructions from machine code, by the same bit fields that encode them.

For each encoding of each instruction plans are made once: which bits must be 0 or 1, how each operand and each modifier
is read. A table by the six top bits finds the formats that may match, the opcode field the plans. What LLVM's
disassembler refuses is refused; so are operands that it lets pass though these archs do not have them (`null`,
`src_lds_direct`, scalar tuples that run past s101).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import hkasm.isa
from hkasm.asm.fields import Reader, Refused, operand_reader
from hkasm.asm.instruction import Instruction, Origin
from hkasm.errors import DecodeError
from hkasm.isa.constants import LITERAL
from hkasm.isa.formats import FORMATS, Bits, Format, OperandField, bits_width
from hkasm.isa.modifiers import ROW_NEWBCAST, allowed_modifiers, is_dpp_control, unread_signs
from hkasm.isa.spec import Encoding, InstSpec

ModReader = tuple[str, tuple[tuple[int, int, int], ...], int, int | None]
"""Name, pieces (shift, mask, place in the number), sign bit of signed ones (else 0), default (None: always kept)."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How to read one encoding of one instruction.

    Bits of `zero` must be 0. When the bits under `mods_mask` are `mods_rest`, every modifier has its default.
    `literals` are the source fields that may announce a literal: (shift, mask).
    """

    spec: InstSpec
    encoding: Encoding
    size: int
    zero: int
    one: int
    readers: tuple[Reader, ...]
    mods: tuple[ModReader, ...]
    mods_mask: int
    mods_rest: int
    check: Callable[[dict[str, int]], bool] | None
    literals: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Formats that share their fixed bits; the opcode field tells the instructions apart.

    Plans are made when an opcode is first met: `waiting` has the encodings of those that were not.
    """

    mask: int
    value: int
    shift: int
    opcodes: int
    waiting: dict[int, list[tuple[InstSpec, Encoding, Format]]]
    table: dict[int, tuple[_Plan, ...]] = field(default_factory=dict)

    def plans(self, opcode: int) -> tuple[_Plan, ...] | None:
        """Return the plans of an opcode, None when no instruction has it."""
        found = self.waiting.get(opcode)
        if found is None:
            return None
        plans = tuple(_plan(*encoding, mode) for encoding in found for mode in _modes(encoding[0], encoding[2]))
        self.table[opcode] = plans
        return plans


@cache
def _groups(arch: str) -> tuple[tuple[_Group, ...], ...]:
    """Groups to try, most fixed bits first, for each value of the six top bits of the first dword."""
    found: dict[tuple[int, int, Bits], dict[int, list[tuple[InstSpec, Encoding, Format]]]] = {}
    for spec in hkasm.isa.SPECS.values():
        for encoding in spec.encodings:
            opcode = encoding.opcode(arch)
            if opcode is None:
                continue
            fmt = FORMATS[encoding.format]
            table = found.setdefault((fmt.match_mask, fmt.match_value, fmt.opcode), {})
            table.setdefault(opcode, []).append((spec, encoding, fmt))
    groups = [
        _Group(mask, value, low, (1 << (high - low + 1)) - 1, table)
        for (mask, value, (high, low)), table in found.items()
    ]
    groups.sort(key=lambda group: -group.mask.bit_count())
    return tuple(
        tuple(group for group in groups if not (top << 26 ^ group.value) & group.mask & 0xFC00_0000)
        for top in range(64)
    )


def decode_instruction(arch: str, code: bytes, offset: int = 0, origin: Origin | None = None) -> Instruction:
    """Decode the instruction at `offset`.

    Raises:
        DecodeError: the bytes end too early or are no instruction of the arch.
    """
    window = code[offset : offset + 16]
    available = len(window)
    if available < 4:
        raise DecodeError(f"code ends inside an instruction at {offset:#x}", where=origin)
    word = int.from_bytes(window, "little")
    for group in _groups(arch)[word >> 26 & 63]:
        if word & group.mask != group.value:
            continue
        opcode = word >> group.shift & group.opcodes
        plans = group.table.get(opcode) or group.plans(opcode)
        if plans is None:
            continue
        for plan in plans:
            if word & plan.zero or ~word & plan.one:
                continue
            size, literal = plan.size, 0
            for shift, mask in plan.literals:
                if word >> shift & mask == LITERAL:
                    literal = word >> 8 * size & 0xFFFF_FFFF
                    size += 4
                    break
            if size > available:
                continue
            try:
                operands = tuple([read(word, literal) for read in plan.readers])
            except Refused:
                continue
            mods = {} if word & plan.mods_mask == plan.mods_rest else _read_mods(plan.mods, word)
            if plan.check is not None and not plan.check(mods):
                continue
            return Instruction(plan.spec, plan.encoding, operands, mods, origin, "", offset, size)
        break  # the formats with fewer fixed bits mean something else by these
    encoding = f"{word & 0xFFFF_FFFF:#010x}"
    raise DecodeError(f"no {arch} instruction has the encoding {encoding} (at offset {offset:#x})", where=origin)


def decode_stream(arch: str, code: bytes) -> Iterator[Instruction]:
    """Decode from the first byte to the last, one instruction after the other."""
    offset = 0
    while offset < len(code):
        inst = decode_instruction(arch, code, offset)
        yield inst
        offset += inst.size


def _read_mods(readers: tuple[ModReader, ...], word: int) -> dict[str, int]:
    mods = {}
    for name, pieces, sign, default in readers:
        number = 0
        for shift, mask, place in pieces:
            number |= (word >> shift & mask) << place
        if number & sign:
            number -= sign << 1
        if number != default:
            mods[name] = number
    return mods


def _choice_check(spec: InstSpec, fmt: Format) -> Callable[[dict[str, int]], bool] | None:
    """Return what tells whether modifiers that number choices, not bits, name one that there is; None without such."""
    limits = {
        name: limit
        for name, limit in allowed_modifiers(spec.key, fmt.name).items()
        if name not in _BIT_MASKS and limit & limit + 1
    }
    if not limits:
        return None
    wide = any(operand.dwords == 2 and operand.type != "mask" for operand in spec.explicit)

    def check(mods: dict[str, int]) -> bool:
        if any(mods.get(name, 0) > limit for name, limit in limits.items()):
            return False
        control = mods.get("dpp_ctrl", 0)
        return is_dpp_control(control) and (not wide or control >> 4 == ROW_NEWBCAST or "dpp_ctrl" not in limits)

    return check


# -- plans -----------------------------------------------------------------------------------------------------------

_HIDDEN_MODS = frozenset({"imm", "soffset_en", "sve"})
_BIT_MASKS = frozenset({"neg", "abs", "neg_lo", "neg_hi", "op_sel"})


@dataclass(frozen=True, slots=True)
class _Mode:
    """One way to read an encoding: bits that say so, operands that are off (width 0) or of another width or place."""

    zero: int = 0
    one: int = 0
    widths: dict[str, int] = field(default_factory=dict)
    places: dict[str, OperandField] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()


def _plan(spec: InstSpec, encoding: Encoding, fmt: Format, mode: _Mode) -> _Plan:
    used = fmt.match_mask | _field_mask(fmt.opcode)
    readers: list[Reader] = []
    literals: list[tuple[int, int]] = []
    for operand in spec.explicit:
        place = mode.places.get(operand.name, fmt.operands.get(operand.name))
        dwords = mode.widths.get(operand.name, operand.dwords)
        readers.append(operand_reader(spec, fmt, operand, place, dwords))
        if place is None:
            continue
        used |= _field_mask(place.bits)
        if place.acc is not None and (place.coding != "vgpr8" or "a" in operand.files):
            used |= 1 << place.acc
        if fmt.literal and place.coding in ("src9", "src8") and "l" in operand.files:
            literals.append((place.bits[1], (1 << bits_width(place.bits)) - 1))
    mods: list[ModReader] = []
    mods_mask = mods_rest = 0
    for name, allowed in _mod_bits(spec, fmt).items():
        used |= fmt.put_mod(name, allowed)
        if name in _HIDDEN_MODS or name in mode.without:
            continue
        default = None if name in mode.keeps or name in fmt.defaults else _mod_default(spec, fmt, name)
        sign = 1 << fmt.mod_width(name) - 1 if name in fmt.signed_mods else 0
        mods.append((name, _mod_pieces(fmt, name, allowed), sign, default))
        mods_mask |= fmt.put_mod(name, allowed)
        mods_rest = -1 if default is None or mods_rest < 0 else mods_rest | fmt.put_mod(name, default & allowed)
    zero = ((1 << 8 * fmt.size) - 1) & ~used & ~_ignored(spec, fmt) | mode.zero
    return _Plan(
        spec,
        encoding,
        fmt.size,
        zero,
        mode.one,
        tuple(readers),
        tuple(mods),
        mods_mask,
        mods_rest,
        _choice_check(spec, fmt),
        tuple(literals),
    )


def _ignored(spec: InstSpec, fmt: Format) -> int:
    """Return the bits that may be anything where nothing uses them."""
    ignored = fmt.ignored
    if "op_sel" in fmt.mods and "op_sel" in allowed_modifiers(spec.key, fmt.name):
        ignored &= ~_field_mask(fmt.mods["op_sel"])
    if "reserved_sel" in spec.flags:
        ignored &= ~(1 << fmt.mods["op_sel"][1] + 2)
    signs = unread_signs(spec, fmt.name)
    if not signs:
        return ignored
    for name in ("neg", "abs"):
        if name in fmt.mods:
            ignored |= signs << fmt.mods[name][1]
        for source in range(2):
            if f"src{source}_{name}" in fmt.mods and signs >> source & 1:
                ignored |= _field_mask(fmt.mods[f"src{source}_{name}"])
    return ignored


def _field_mask(bits: Bits) -> int:
    return ((1 << bits_width(bits)) - 1) << bits[1]


def _mod_pieces(fmt: Format, name: str, allowed: int) -> tuple[tuple[int, int, int], ...]:
    pieces = []
    place = 0
    for bits in (fmt.mods[name], *fmt.more_bits.get(name, ())):
        width = bits_width(bits)
        pieces.append((bits[1], (1 << width) - 1 & allowed >> place, place))
        place += width
    return tuple(pieces)


def _mod_bits(spec: InstSpec, fmt: Format) -> dict[str, int]:
    """Return which bits of each modifier the instruction has in this format."""
    found = {
        name: limit if name in _BIT_MASKS else (1 << limit.bit_length()) - 1
        for name, limit in allowed_modifiers(spec.key, fmt.name).items()
    }
    if fmt.name == "VOP3P" and "op_sel_hi" in found:
        found["op_sel_hi"] = 7  # the bits of sources that are not there are ones
    return found


def _mod_default(spec: InstSpec, fmt: Format, name: str) -> int:
    return 7 if name == "op_sel_hi" and fmt.name == "VOP3P" and "mix" not in spec.flags else 0


def _modes(spec: InstSpec, fmt: Format) -> list[_Mode]:
    names = {operand.name for operand in spec.explicit}
    zero, one = _variant_bits(spec, fmt)
    if fmt.name.startswith("SMEM"):
        return _scalar_modes(fmt, zero, one) if "soffset" in names else [_Mode(zero | _bit(fmt, "imm"), one)]
    if fmt.name in ("MUBUF", "MTBUF"):
        offen, idxen = _bit(fmt, "offen"), _bit(fmt, "idxen")
        return [
            _Mode(zero | (offen | idxen) & ~on, one | on, {"vaddr": on.bit_count()})
            for on in (0, offen, idxen, offen | idxen)
        ]
    if fmt.name == "SCRATCH":
        sve = _bit(fmt, "sve")
        saddr = _field_mask(fmt.operands["saddr"].bits)
        return [
            _Mode(zero | (0 if vaddr else sve), one | (sve if vaddr else 0) | off, {"vaddr": vaddr, "saddr": base})
            for vaddr in (0, 1)
            for base, off in ((0, saddr), (1, 0))
        ]
    if fmt.name == "GLOBAL":
        saddr = _field_mask(fmt.operands["saddr"].bits)
        modes = [_Mode(zero, one | saddr, {"vaddr": 2, "saddr": 0}), _Mode(zero, one, {"vaddr": 1})]
    else:
        modes = [_Mode(zero, one)]
    if "agpr_without_sc1" in spec.flags:
        acc, sc1 = 1 << (fmt.operands["vdata"].acc or 0), _bit(fmt, "sc1")
        modes = [
            replace(mode, zero=mode.zero | off, one=mode.one | on)
            for mode in modes
            for off, on in ((acc, 0), (sc1, acc))
        ]
    return modes


def _scalar_modes(fmt: Format, zero: int, one: int) -> list[_Mode]:
    """Immediate; SGPR with an immediate; SGPR in its own field; SGPR in the offset field."""
    imm, soffset_en = _bit(fmt, "imm"), _bit(fmt, "soffset_en")
    low = OperandField((fmt.mods["offset"][1] + 6, fmt.mods["offset"][1]), "sdst7")
    return [
        _Mode(zero | soffset_en, one | imm, {"soffset": 0}),
        _Mode(zero, one | imm | soffset_en, keeps=("offset",)),
        _Mode(zero | imm, one | soffset_en, without=("offset",)),
        _Mode(zero | imm | soffset_en, one, places={"soffset": low}, without=("offset",)),
    ]


def _bit(fmt: Format, name: str) -> int:
    return _field_mask(fmt.mods[name])


def _variant_bits(spec: InstSpec, fmt: Format) -> tuple[int, int]:
    """Return the bits that must be 0 and 1 for this variant: direct to LDS or not, returning or not."""
    zero = one = 0
    memory = spec.memory
    if memory is None:
        return zero, one
    for name, wanted in (("lds", memory.to_lds), ("sc0", memory.returns), ("glc", memory.returns)):
        if name not in fmt.mods or (name != "lds" and memory.op != "atomic"):
            continue
        zero, one = (zero, one | _bit(fmt, name)) if wanted else (zero | _bit(fmt, name), one)
    return zero, one

"""Random legal instructions of every form, as the builder accepts them.

A form is one machine encoding of one declaration. Operands are drawn from the files and constants that the
declaration allows, modifiers from what `hkasm.isa.modifiers` allows; what the builder refuses (the constant bus, for
one) is drawn again.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hkasm.asm.builder import build_instruction
from hkasm.asm.instruction import Instruction
from hkasm.asm.operands import RawOperand, operand_width
from hkasm.errors import OperandError
from hkasm.isa import SPECS
from hkasm.isa.arch import get_arch
from hkasm.isa.constants import HALF_INTEGERS, TYPE_BITS, Const
from hkasm.isa.formats import FORMATS
from hkasm.isa.modifiers import allowed_modifiers
from hkasm.isa.registers import Register
from hkasm.isa.spec import Encoding, InstSpec, Operand

Form = tuple[InstSpec, Encoding]
_MASKS = frozenset({"neg", "abs", "neg_lo", "neg_hi", "op_sel", "op_sel_hi"})
_USED_BITS = {"s_waitcnt": 0xCF7F, "s_sendmsg": 0x37F, "s_sendmsghalt": 0x37F}
"""Bits of simm16 that the names in its text can say."""
_INLINE_CODES = (*range(128, 209), *range(240, 249))
_SPECIAL_SINGLES = (106, 107, 124, 126, 127, 108, 115, 102, 103)
_SPECIAL_PAIRS = (106, 126, 102, 108)
_DPP_CONTROLS = (0x1B, 0xE4, 0x4E, 0x101, 0x10F, 0x112, 0x123, 0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143)


def forms(arch: str) -> list[Form]:
    """Every encoding of every declaration that the arch has and that text can name.

    v_nop and v_clrexcp are written alike in all their encodings, of which the assembler takes the shortest.
    """
    return [
        (spec, enc)
        for spec in SPECS.values()
        for enc in (spec.encodings[:1] if "bare" in spec.flags else spec.encodings)
        if enc.opcode(arch) is not None
    ]


def samples(form: Form, arch: str, count: int, random: Random, *, tries: int = 40) -> Iterator[Instruction]:
    """Yield up to `count` different legal instructions of a form."""
    seen: set[str] = set()
    for _ in range(count):
        for _ in range(tries):
            inst = _one(form, arch, random)
            if inst is not None and inst.encoding == form[1] and str(inst) not in seen:
                seen.add(str(inst))
                yield inst
                break


def _one(form: Form, arch: str, random: Random) -> Instruction | None:
    spec, encoding = form
    fmt = FORMATS[encoding.format]
    mods = _modifiers(spec, encoding.format, random)
    values: dict[str, RawOperand] = {}
    scalar_budget = [1 if spec.unit in ("VALU", "TRANS") else 8]
    for operand in spec.explicit:
        in_field = operand.name in fmt.operands
        if not in_field:
            values[operand.name] = Register("s", 106, 2)
            continue
        coding = fmt.operands[operand.name].coding
        values[operand.name] = _value(spec, operand, coding, values, mods, fmt.literal, scalar_budget, random)
    force = fmt.suffix[1:] if fmt.suffix in ("_e32", "_e64", "_dpp", "_sdwa") else None
    try:
        return build_instruction(spec, get_arch(arch), tuple(values.values()), dict(mods), force)
    except OperandError:
        return None


def _modifiers(spec: InstSpec, format_name: str, random: Random) -> dict[str, int]:
    fmt = FORMATS[format_name]
    mods: dict[str, int] = {}
    for name, limit in allowed_modifiers(spec.key, format_name).items():
        if name in ("imm", "soffset_en", "scaled", "sve", "nv", "gds", "lds"):
            continue
        if random.random() < 0.55 and name not in fmt.defaults:
            continue
        if name == "dpp_ctrl":
            mods[name] = random.choice(_DPP_CONTROLS) if random.random() < 0.6 else 0x150 + random.randrange(16)
        elif name in fmt.signed_mods:
            mods[name] = random.randrange(-(limit + 1 >> 1), limit + 1 >> 1)
        else:
            mods[name] = random.randint(0, limit) & (limit if name in _MASKS else -1)
    memory = spec.memory
    if memory is not None and memory.op == "atomic":
        for name in ("sc0", "glc"):
            mods.pop(name, None)
            if name in fmt.mods and memory.returns:
                mods[name] = 1
    return mods


def _value(
    spec: InstSpec,
    operand: Operand,
    coding: str,
    values: dict[str, RawOperand],
    mods: dict[str, int],
    literal: bool,
    budget: list[int],
    random: Random,
) -> RawOperand:
    letters = [letter for letter in operand.files if not (letter == "l" and not literal and coding != "imm")]
    if coding == "vgpr8":
        letters = [letter for letter in letters if letter in "vao"]
    if coding == "sdwa8":
        letters = [letter for letter in letters if letter in "sv"]
    if budget[0] <= 0 and len(letters) > 1 and operand.is_read:
        letters = [letter for letter in letters if letter not in "sl"]
    width = operand_width(spec, operand, values, mods)
    match random.choice(letters):
        case "s":
            budget[0] -= operand.is_read
            return _scalar(width, operand, random)
        case "v":
            return _vector("v", width, random)
        case "a":
            return _vector("a", width, random)
        case "c":
            codes = _INLINE_CODES[:81] if operand.type in HALF_INTEGERS else _INLINE_CODES
            return Const(random.choice(codes))
        case "l":
            budget[0] -= 1
            high = 0 if TYPE_BITS[operand.type] == 16 else random.randrange(0x4000, 0xBF00)
            return Const(255, random.randrange(0x1000, 0x3100) | high << 16)
        case "o":
            return None
    number = random.randrange(1 << TYPE_BITS[operand.type])
    return number & _USED_BITS.get(spec.key, -1)


def _vector(file: str, width: int, random: Random) -> Register:
    start = random.randrange(256 - width + 1)
    return Register(file, start & ~1 if width > 1 else start, width)


def _scalar(width: int, operand: Operand, random: Random) -> Register:
    if width == 1 and random.random() < 0.2:
        return Register("s", random.choice(_SPECIAL_SINGLES))
    if width == 2 and random.random() < 0.2:
        return Register("s", random.choice(_SPECIAL_PAIRS), 2)
    align = 1 if width == 1 else 2 if width == 2 else 4
    return Register("s", random.randrange(0, (102 - width) // align + 1) * align, width)

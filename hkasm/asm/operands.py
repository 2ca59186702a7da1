"""Checks of operand values against a declaration, and the choice of an encoding, as the assembler does both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkasm.asm.fields import F8F6F4_DWORDS, excluded_scalars
from hkasm.asm.instruction import Label, OperandValue
from hkasm.errors import OperandError, did_you_mean
from hkasm.isa.arch import Arch
from hkasm.isa.constants import FLOAT_TYPES, LITERAL, TYPE_BITS, Const
from hkasm.isa.formats import FORMATS, Format, bits_width
from hkasm.isa.modifiers import allowed_modifiers, is_dpp_control, source_count, takes_selection
from hkasm.isa.registers import M0, VCC, VCCZ, Register
from hkasm.isa.spec import Encoding, InstSpec, Operand

RawOperand = Register | Const | Label | str | int | float | None
_SDWA_WORDS = frozenset({"dst_sel", "dst_unused", "src0_sel", "src1_sel", "src0_sext", "src1_sext"})
_DPP_WORDS = frozenset({"dpp_ctrl", "row_mask", "bank_mask", "bound_ctrl"})
_LDS_DIRECT = 254
_SMALL_INT = 1 << 16
"""Bits below this are no float that anybody writes: 9e-41 at most in f32."""
_FILE_WORDS = {"s": "an SGPR", "v": "a VGPR", "a": "an AGPR"}


def check_operand(spec: InstSpec, operand: Operand, value: RawOperand, dwords: int) -> OperandValue:
    """Turn what the caller gave into an operand value.

    Raises:
        OperandError: wrong file, width, alignment, or a constant where none may stand.
    """
    if isinstance(value, Register):
        return _check_register(spec, operand, value, dwords)
    if value is None:
        if "o" not in operand.files:
            raise _error(spec, operand, "is missing")
        return None
    if isinstance(value, Label):
        if operand.type != "label":
            raise _error(spec, operand, f"takes no label, got {value}")
        return value
    if isinstance(value, str):
        if operand.type != "label":
            raise _error(spec, operand, f"got the text {value!r}", hint=_text_hint(operand, value))
        return Label(value)
    if isinstance(value, Const):
        return _check_const(spec, operand, value)
    if not isinstance(value, (int, float)):
        raise _error(
            spec,
            operand,
            f"got a {type(value).__name__}",
            hint="give its .offset" if isinstance(getattr(value, "offset", None), int) else None,
        )
    if "i" in operand.files:
        if isinstance(value, float):
            raise _error(spec, operand, f"wants a whole number, got {value!r}")
        return int(value)
    if "c" not in operand.files and "l" not in operand.files:
        raise _error(spec, operand, f"takes no constant, got {value!r}", hint="move it into a register first")
    try:
        const = Const.of(value, operand.type)
    except OperandError as error:
        raise _error(spec, operand, error.message, hint=error.hint) from None
    if operand.files == "l":
        return Const(LITERAL, const.bits(operand.type) & 0xFFFF_FFFF)
    return _check_const(spec, operand, const)


def _text_hint(operand: Operand, text: str) -> str:
    """Return what to give in place of a text that looks like a register's assembler name."""
    if text == "off" and "o" in operand.files:
        return "give None for off"
    return f"give hkasm.{text.upper()}" if text in ("exec", "m0", "vcc") else "give a register or a number"


def _check_const(spec: InstSpec, operand: Operand, value: Const) -> Const:
    if value.is_literal and "l" not in operand.files:
        raise _error(
            spec,
            operand,
            f"takes no literal, got {value.literal:#x}",
            hint="only inline constants (-16..64, 0.5, 1.0, ...) fit",
        )
    if not value.is_literal and "c" not in operand.files:
        raise _error(spec, operand, "takes no constant")
    if TYPE_BITS[operand.type] == 16 and value.literal >> 16:
        raise _error(spec, operand, f"is 16 bits wide, got {value.literal:#x}")
    return value


def _check_register(spec: InstSpec, operand: Operand, value: Register, dwords: int) -> Register:
    if value.file not in operand.files:
        what = f"wants {_wants(operand, dwords)}, got {value} ({_FILE_WORDS[value.file]})"
        raise _error(spec, operand, what, hint=_move_hint(operand, value))
    if value.count != dwords and not (value.is_special and value.index >= 235):
        plural = "s" if value.count != 1 else ""
        raise _error(spec, operand, f"wants {_wants(operand, dwords)}, got {value} ({value.count} register{plural})")
    if value.count > 1:
        align = 2 if value.file != "s" or value.count == 2 else 4
        if value.index % align and not value.is_special and "any_tuple" not in spec.flags:
            raise _error(spec, operand, f"wants an aligned tuple, got {value}", hint=f"start at a multiple of {align}")
    if value.file == "s" and value.index == _LDS_DIRECT:
        raise _error(spec, operand, "cannot be src_lds_direct: these archs have none")
    if value.file == "s" and value.index in excluded_scalars(spec, operand):
        raise _error(spec, operand, f"cannot be {value}")
    if operand.is_written and value.file == "s" and value.index > 127:
        raise _error(spec, operand, f"cannot write {value}")
    return value


def _move_hint(operand: Operand, value: Register) -> str | None:
    """Return the instruction that brings a value that is read into a register of the right file."""
    if operand.is_written:
        return None
    if value.file == "a" and "v" in operand.files:
        return "v_accvgpr_read_b32 moves it into a VGPR first"
    if value.file == "v" and "s" in operand.files:
        return "v_readfirstlane_b32 brings one lane's value into an SGPR first"
    return "v_mov_b32 moves it into a VGPR first" if value.file == "s" and "v" in operand.files else None


def _wants(operand: Operand, dwords: int) -> str:
    kinds = [f"{letter}[{dwords}]" for letter in operand.files if letter in "sva"]
    kinds += [word for letter, word in (("c", "a constant"), ("o", "off")) if letter in operand.files]
    return " or ".join(kinds)


def _error(spec: InstSpec, operand: Operand, what: str, hint: str | None = None) -> OperandError:
    return OperandError(f"{spec.mnemonic}: operand '{operand.name}' {what}", form=spec.form, hint=hint)


def operand_width(spec: InstSpec, operand: Operand, values: Mapping[str, RawOperand], mods: Mapping[str, int]) -> int:
    """Registers that this operand takes here: address widths follow the mode, f8f6f4 operands their format."""
    if operand.name == "vaddr" and spec.memory is not None:
        space = spec.memory.space
        if space == "buffer":
            return 2 if mods.get("offen") and mods.get("idxen") else 1
        if space == "global":
            return 2 if values.get("saddr") is None else 1
        return 2 if space == "flat" else 1
    if operand.name == "saddr" and spec.memory is not None and spec.memory.space == "scratch":
        return 1
    if "f8f6f4" in spec.flags and operand.name in ("src0", "src1"):
        return F8F6F4_DWORDS.get(mods.get("cbsz" if operand.name == "src0" else "blgp", 0), 8)
    return operand.dwords


def choose_encoding(
    spec: InstSpec, arch: Arch, values: Sequence[OperandValue], mods: Mapping[str, int], force: str | None
) -> Encoding:
    """Pick the first encoding that can hold the operands and modifiers.

    Raises:
        OperandError: none can; the message tells what the largest candidate that was meant could not hold.
    """
    reasons: dict[str, str] = {}
    for encoding in spec.encodings:
        fmt = FORMATS[encoding.format]
        if force is not None and fmt.suffix != f"_{force}":
            continue
        if encoding.opcode(arch.name) is None:
            continue
        reason = _obstacle(spec, fmt, values, mods, force is not None)
        if reason is None:
            return encoding
        reasons[fmt.suffix] = reason
    if not reasons:
        what = f"no {force} form" if force else f"does not exist on {arch.name}"
        raise OperandError(f"{spec.mnemonic}: {what}", form=spec.form)
    reason, hint = _reason(reasons, mods), _mods_hint(spec, arch, mods)
    if hint is None and ": no literal in the" in reason:
        hint = _literal_hint(spec, arch, values, mods)
    elif hint is None and "two different literals" in reason:
        hint = "move one of them into a register first"
    raise OperandError(f"{spec.mnemonic}: {reason}", form=spec.form, hint=hint)


def _literal_hint(spec: InstSpec, arch: Arch, values: Sequence[OperandValue], mods: Mapping[str, int]) -> str:
    """Return how a literal may stand after all: in the form that has one, as another source, or in a register."""
    carrying = [
        FORMATS[one.format]
        for one in spec.encodings
        if FORMATS[one.format].literal and one.opcode(arch.name) is not None
    ]
    parts = ["move it into a register first; inline constants (-16..64, 0.5, 1.0, ...) fit"]
    if carrying:
        form = carrying[0].suffix[1:] or carrying[0].name
        parts.insert(0, f"with {', '.join(mods)} no form takes one" if mods else f"the {form} form takes one, as src0")
    given = zip(spec.explicit, values, strict=True)
    whole = next((v for op, v in given if isinstance(v, Const) and _looks_whole(op, v)), None)
    if whole is not None:
        parts.append(f"if a number is meant: {float(whole.literal)}, an int gives the bits")
    return "; ".join(parts)


def _looks_whole(operand: Operand, value: Const) -> bool:
    """Tell whether a float operand's literal was given as a small int: as float bits it is next to nothing."""
    return operand.type in FLOAT_TYPES and value.is_literal and value.literal < _SMALL_INT


def _reason(reasons: Mapping[str, str], mods: Mapping[str, int]) -> str:
    """Return why the form that the modifiers ask for cannot hold the instruction, else the largest plain form."""
    for suffix, words in (("_sdwa", _SDWA_WORDS), ("_dpp", _DPP_WORDS)):
        if suffix in reasons and words & mods.keys():
            return reasons[suffix]
    plain = [reason for suffix, reason in reasons.items() if suffix not in ("_sdwa", "_dpp")]
    return (plain or list(reasons.values()))[-1]


def _mods_hint(spec: InstSpec, arch: Arch, mods: Mapping[str, int]) -> str | None:
    """Return the modifiers that the instruction takes in its forms on this arch, when one is given that none takes."""
    known: dict[str, None] = {}
    for encoding in spec.encodings:
        if encoding.opcode(arch.name) is not None:
            known |= dict.fromkeys(allowed_modifiers(spec.key, encoding.format))
    names = [name for name in known if name not in DERIVED_MODIFIERS]
    unknown = next((name for name in mods if name not in known), None)
    if unknown is None:
        return None
    typo = "" if unknown in _MODIFIERS else did_you_mean(unknown, names)
    return typo or (f"it takes {', '.join(names)}" if names else "it takes none")


_MODIFIERS = frozenset(name for fmt in FORMATS.values() for name in fmt.mods)
DERIVED_MODIFIERS = frozenset({"imm", "soffset_en", "scaled", "sve", "nv"})
"""Modifiers that follow from the operands and are never given."""


def _obstacle(
    spec: InstSpec, fmt: Format, values: Sequence[OperandValue], mods: Mapping[str, int], forced: bool
) -> str | None:
    if not forced and fmt.suffix == "_sdwa" and not _SDWA_WORDS & mods.keys():
        return "no SDWA selection given"
    if not forced and fmt.suffix == "_dpp" and not _DPP_WORDS & mods.keys():
        return "no DPP control given"
    form = fmt.suffix[1:] or fmt.name
    if mods or fmt.suffix == "_dpp":
        reason = _mod_obstacle(spec, fmt, mods, form)
        if reason is not None:
            return reason
    literals = set()
    accumulators: dict[int, Register] = {}
    for position, (operand, value) in enumerate(zip(spec.explicit, values, strict=True)):
        place = fmt.operands.get(operand.name)
        if place is None:
            if value != VCC:
                return f"operand '{operand.name}' must be vcc in the {form} form"
            continue
        if isinstance(value, Const):
            if place.coding not in ("src9", "src8", "sdwa8", "imm"):
                return f"operand '{operand.name}' takes no constant in the {form} form"
            if value.is_literal and place.coding != "imm":
                literals.add(value.literal)
                if not fmt.literal and not (fmt.name == "VOP2K" and value in values[position + 1 :]):
                    return f"operand '{operand.name}': no literal in the {form} form, got {value.literal:#x}"
        elif isinstance(value, Register):
            if value.file == "s" and value.index > 127 and not _reads_upper_half(operand, place.coding, value):
                return f"operand '{operand.name}' cannot be {value} in the {form} form"
            if place.coding == "vgpr8" and value.file == "s":
                return f"operand '{operand.name}' must be a VGPR in the {form} form, got {value}"
            if fmt.name == "DS_GWS" and value.index & 1:
                return f"operand '{operand.name}' must be an even register, got {value}"
            if place.acc is not None and value.file != "s":
                other = accumulators.setdefault(place.acc, value)
                if other.file != value.file:
                    return f"{other} and {value} must both be VGPRs or both AGPRs"
        elif isinstance(value, int):
            width = min(bits_width(place.bits), TYPE_BITS[operand.type])
            lowest = -(1 << width - 1) if width >= 16 and "unsigned" not in spec.flags else 0
            if not lowest <= value < 1 << width:
                return f"operand '{operand.name}'={value} is out of range ({lowest} to {(1 << width) - 1})"
    if len(literals) > 1:
        return f"two different literals ({', '.join(hex(x) for x in sorted(literals))}), one fits"
    return None


def check_overlap(spec: InstSpec, values: Sequence[OperandValue]) -> None:
    """A matrix instruction of more than four result registers reads C in place or clear of the result.

    Raises:
        OperandError: they overlap in part.
    """
    result = values[0] if spec.mfma is not None and not spec.mfma.sparse else None
    if not isinstance(result, Register) or result.count <= 4:
        return
    addend = next(value for operand, value in zip(spec.explicit, values, strict=True) if operand.name == "src2")
    if isinstance(addend, Register) and result.overlaps(addend) and result != addend:
        raise OperandError(f"{spec.mnemonic}: src2={addend} overlaps vdst={result} in part", form=spec.form)


def _reads_upper_half(operand: Operand, coding: str, value: Register) -> bool:
    """Tell whether a field can name a register of the source space's upper half: src_vccz, src_shared_base ...

    Where no constant may stand the apertures may not either (LLVM's classes of SGPR sources).
    """
    return coding in ("src9", "sdwa8") or (coding == "src8" and ("c" in operand.files or value.index >= VCCZ.index))


def _mod_obstacle(spec: InstSpec, fmt: Format, mods: Mapping[str, int], form: str) -> str | None:
    allowed = allowed_modifiers(spec.key, fmt.name)
    for name, number in mods.items():
        limit = allowed.get(name)
        if limit is None:
            return f"takes no {name} in the {form} form"
        if name in _BY_SOURCE:
            if number & ~limit:
                return f"{name}={number:#b} names more than the sources that take it ({limit:#b})"
            continue
        low, high = (-(limit + 1 >> 1), limit >> 1) if name in fmt.signed_mods else (0, limit)
        if not low <= number <= high:
            return f"{name}:{number} is out of range ({low} to {high})"
    if spec.unit == "SMEM" and mods.get("offset", 0) < 0 and any(op.dwords == 4 for op in spec.explicit[1:2]):
        return f"offset:{mods['offset']}: a buffer takes no negative offset"
    every = (1 << source_count(spec)) - 1
    if (mods.get("op_sel") or mods.get("op_sel_hi", every) != every) and not takes_selection(spec, fmt.name):
        return "takes no op_sel"
    control = mods.get("dpp_ctrl", fmt.defaults.get("dpp_ctrl"))
    if control is None:
        return None
    if not is_dpp_control(control):
        return f"dpp_ctrl:{control:#x} does not exist"
    if control >> 4 != 0x15 and any(op.dwords == 2 and op.type != "mask" for op in spec.explicit):
        return "64-bit operands take no DPP control but row_newbcast"
    return None


_BY_SOURCE = frozenset({"neg", "abs", "neg_lo", "neg_hi", "op_sel", "op_sel_hi"})


def check_constant_bus(spec: InstSpec, values: Sequence[OperandValue]) -> None:
    """A VALU instruction reads at most one scalar value: an SGPR (or pair) or a literal (CDNA3 ISA, VALU operands).

    M0 as the lane that v_writelane_b32 writes does not count (LLVM's assembler).

    Raises:
        OperandError: two or more are named.
    """
    scalars = [
        value.text if isinstance(value, Register) else hex(value.literal)
        for operand, value in zip(spec.explicit, values, strict=True)
        if operand.is_read
        and not (value == M0 and operand.name == "src1" and spec.mnemonic == "v_writelane_b32")
        and ((isinstance(value, Register) and value.file == "s") or (isinstance(value, Const) and value.is_literal))
    ]
    scalars += [op.fixed.text for op in spec.operands if op.fixed is not None and op.fixed == VCC and op.is_read]
    scalars = list(dict.fromkeys(scalars))
    if len(scalars) > 1:
        raise OperandError(
            f"{spec.mnemonic}: reads {' and '.join(scalars)}; one SGPR or literal is the limit (constant bus)",
            form=spec.form,
            hint="move one of them into a VGPR first",
        )

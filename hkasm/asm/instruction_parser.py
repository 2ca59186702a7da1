"""One instruction from its assembly text, by the declarations alone.

The text may be llvm-objdump's, clang's or anybody's: the encoding is what the suffix says (`_e32`, `_e64`, `_dpp`,
`_sdwa`) or the first that can hold the operands and modifiers, as LLVM's assembler chooses it. Where LLVM truncates a
number without a word, this refuses it.
"""

from __future__ import annotations

from functools import cache

from hkasm.asm.builder import build_instruction
from hkasm.asm.expressions import SymbolTable
from hkasm.asm.instruction import Instruction, Origin
from hkasm.asm.line_syntax import Words, split_instruction, strip_comment
from hkasm.asm.operand_syntax import Source, join_format, read_modifier, read_operand, read_waitcnt
from hkasm.asm.operands import RawOperand
from hkasm.errors import ArchError, HkasmError, OperandError, did_you_mean
from hkasm.isa.arch import Arch, get_arch
from hkasm.isa.formats import FORMATS
from hkasm.isa.modifiers import allowed_modifiers, source_count, takes_selection
from hkasm.isa.registers import Register
from hkasm.isa.spec import VARIANTS, InstSpec

__all__ = ["instruction_from_text", "parse_instruction", "parse_words", "words_spec"]

_SUFFIXES = ("_e32", "_e64", "_dpp", "_sdwa")
_SOURCES = {"src0": 0, "src1": 1, "src2": 2}
_SDWA_WORDS = ("dst_sel", "dst_unused", "src0_sel", "src1_sel")
_PRESERVE = 2  # the assembler's default for the bits that an SDWA destination does not select
_OLD_KINDS = frozenset({"f32", "xf32", "f16", "bf16", "i8", "f64"})
_NO_SYMBOLS = SymbolTable()


def instruction_from_text(text: str, arch: Arch | str) -> Instruction:
    """Return the instruction that a line of assembly names; a comment behind it is kept.

    Raises:
        ArchError: no such instruction on this arch. OperandError, UsageError: anything else that is wrong.
    """
    code, comment = strip_comment(text)
    inst = parse_instruction(code, get_arch(arch))
    inst.comment = comment
    return inst


def parse_instruction(
    text: str, arch: Arch, symbols: SymbolTable = _NO_SYMBOLS, origin: Origin | None = None
) -> Instruction:
    """Return the instruction of a text without comment, `.set` symbols given; errors say where."""
    try:
        inst = parse_words(split_instruction(text), arch, symbols)
    except HkasmError as error:
        raise type(error)(error.message, where=error.where or origin, form=error.form, hint=error.hint) from None
    inst.origin = origin
    return inst


def words_spec(mnemonic: str, arch: Arch) -> InstSpec | None:
    """Return the plain declaration of a mnemonic as written, suffix and all; None when the arch has none."""
    name, _ = _split_suffix(mnemonic)
    return next((spec for spec in VARIANTS.get(name, ()) if arch.name in spec.archs), None)


def parse_words(words: Words, arch: Arch, symbols: SymbolTable = _NO_SYMBOLS) -> Instruction:
    """Return the instruction of a text taken apart; raises as `instruction_from_text`."""
    name, suffix = _split_suffix(words.mnemonic)
    variants = [spec for spec in VARIANTS.get(name, ()) if arch.name in spec.archs]
    if not variants:
        raise _unknown(words.mnemonic, name, arch)
    mods: dict[str, int] = {}
    for word, value in words.modifiers:
        found = read_modifier(word, value, symbols)
        if mods.keys() & found.keys():
            raise OperandError(f"{name}: {word} is written twice", form=variants[0].form)
        mods |= found
    join_format(mods)
    spec = _variant(variants, mods)
    if spec.control == "wait" and spec.mnemonic == "s_waitcnt":
        return build_instruction(spec, arch, (read_waitcnt(arch, ", ".join(words.operands), symbols),), mods)
    gds, gws = "gds" in dict(words.modifiers), spec.encodings[0].format == "DS_GWS"
    if gds != gws:
        what = "gds is missing behind the operands" if gws else "there is no GDS on these archs"
        raise OperandError(f"{name}: {what}", form=spec.form)
    sources = _read_operands(spec, words.operands, symbols)
    if (suffix == "_sdwa" or any(word in mods for word in _SDWA_WORDS)) and _has_unused(spec):
        mods.setdefault("dst_unused", _PRESERVE)
    _source_modifiers(spec, sources, mods, suffix)
    _selects(spec, mods, suffix)
    values: tuple[RawOperand, ...] = tuple(source.value for source in sources)
    _check_address(spec, values, mods)
    if suffix == "_e32" and spec.unit not in ("VALU", "TRANS", "MFMA"):
        suffix = ""  # true of each of them, so that LLVM takes it
    inst = build_instruction(spec, arch, values, mods, suffix[1:] or None)
    zeros = [name for name, number in mods.items() if not number and name not in inst.mods]
    if not zeros or _takes(inst, zeros):
        return inst
    inst = build_instruction(spec, arch, values, mods, suffix[1:] or "e64")
    if not _takes(inst, zeros):
        raise OperandError(f"{spec.mnemonic}: takes no {' and no '.join(zeros)}", form=spec.form)
    return inst


def _takes(inst: Instruction, names: list[str]) -> bool:
    """Tell whether a form has modifiers, which builders leave out where they are 0."""
    form = inst.encoding.format
    allowed = allowed_modifiers(inst.spec.key, form)
    selects = takes_selection(inst.spec, form)
    # A dot product of halves selects none, but may say so.
    dot_of_halves = form == "VOP3P" and any(op.type.startswith("pk") for op in inst.spec.reads)
    return all(
        name in allowed and (selects or not name.startswith("op_sel") or (dot_of_halves and name == "op_sel"))
        for name in names
    )


def _split_suffix(mnemonic: str) -> tuple[str, str]:
    mnemonic = _aliases().get(mnemonic, mnemonic)
    if mnemonic in VARIANTS:
        return mnemonic, ""
    for suffix in _SUFFIXES:
        if mnemonic.endswith(suffix):
            name = mnemonic.removesuffix(suffix)
            return _aliases().get(name, name), suffix
    return mnemonic, ""


@cache
def _aliases() -> dict[str, str]:
    """Older names of matrix instructions that LLVM still takes: ``v_mfma_f32_4x4x1f32``, ``..._32x32x8bf16_1k``.

    8-bit floats, which are newer, have them in sparse products alone.
    """
    found = {"v_accvgpr_read": "v_accvgpr_read_b32", "v_accvgpr_write": "v_accvgpr_write_b32"}
    for specs in VARIANTS.values():
        for spec in specs:
            row = spec.mfma
            kind = spec.mnemonic.rsplit("_", 1)[1]
            if row is None:
                continue
            shape = f"{row.m}x{row.n}x{row.k}"
            head = spec.mnemonic.split(shape)[0] + shape
            if row.sparse and kind in ("fp8", "bf8"):
                found[head + spec.mnemonic.removeprefix(head).replace("_", "")] = spec.mnemonic
            if kind not in _OLD_KINDS:
                continue
            found[f"{head}{kind}"] = spec.mnemonic
            if kind == "bf16" and not row.sparse and "gfx942" in spec.archs:
                found[f"{head}{kind}_1k"] = spec.mnemonic
    return found


def _unknown(written: str, name: str, arch: Arch) -> ArchError:
    others = VARIANTS.get(name)
    if others:
        archs = ", ".join(sorted({found for spec in others for found in spec.archs}))
        return ArchError(f"{written} does not exist on {arch.name}", hint=f"it is on {archs}")
    known = [mnemonic for mnemonic, specs in VARIANTS.items() if any(arch.name in spec.archs for spec in specs)]
    return ArchError(f"unknown instruction {written!r}", hint=did_you_mean(name, known))


def _variant(variants: list[InstSpec], mods: dict[str, int]) -> InstSpec:
    by_name = {spec.key[len(spec.mnemonic) + 1 :]: spec for spec in variants}
    plain = by_name.get("", variants[0])
    if mods.get("lds"):
        if "lds" not in by_name:
            raise OperandError(f"{plain.mnemonic} has no direct-to-LDS form here", form=plain.form)
        return by_name["lds"]
    if "rtn" in by_name and mods.get("glc" if plain.unit == "SMEM" else "sc0"):
        return by_name["rtn"]
    return plain


def _read_operands(spec: InstSpec, texts: tuple[str, ...], symbols: SymbolTable) -> list[Source]:
    explicit = spec.explicit
    # What a builder's caller may leave out (off, a zero offset) stands in text.
    wants_all = spec.unit == "VMEM" or spec.key == "s_nop"
    if len(texts) > len(explicit) or (wants_all and len(texts) < len(explicit)):
        raise OperandError(f"{spec.mnemonic}: wants {len(explicit)} operands, got {len(texts)}", form=spec.form)
    return [read_operand(spec, operand, text, symbols) for operand, text in zip(explicit, texts, strict=False)]


def _source_modifiers(spec: InstSpec, sources: list[Source], mods: dict[str, int], suffix: str) -> None:
    """Put neg, abs and sext into the modifiers that the form keeps them in."""
    by_name = suffix in ("_dpp", "_sdwa") or "dpp_ctrl" in mods or any(name in mods for name in _SDWA_WORDS)
    mixed = "mix" in spec.flags
    for operand, source in zip(spec.explicit, sources, strict=False):
        if not (source.neg or source.absolute or source.sext):
            continue
        index = _SOURCES.get(operand.name)
        if index is None:
            raise OperandError(f"{spec.mnemonic}: operand '{operand.name}' takes no sign", form=spec.form)
        for flag, name, packed in (
            (source.neg, "neg", "neg_lo"), (source.absolute, "abs", "neg_hi"), (source.sext, "sext", ""),
        ):  # fmt: skip
            if not flag:
                continue
            if by_name or name == "sext":
                mods[f"{operand.name}_{name}"] = 1
            else:
                key = packed if mixed else name
                mods[key] = mods.get(key, 0) | 1 << index


def _has_unused(spec: InstSpec) -> bool:
    return any("dst_unused" in FORMATS[encoding.format].mods for encoding in spec.encodings)


def _selects(spec: InstSpec, mods: dict[str, int], suffix: str) -> None:
    """Turn lists into the fields' bits: the destination's op_sel is bit 3, a matrix of f64 is negated by blgp."""
    formats = {encoding.format for encoding in spec.encodings}
    if "op_sel" in mods and formats & {"VOP3", "VOP3B", "VOP3S", "VOP3T"}:
        count = source_count(spec) + ("byte_sel" in spec.flags)
        bits = mods["op_sel"]
        if bits >> count + 1:
            raise OperandError(f"{spec.mnemonic}: op_sel has {count + 1} entries", form=spec.form)
        mods["op_sel"] = bits & (1 << count) - 1 | (bits >> count & 1) << 3
    if formats & {"MAIX", "MAILD"}:
        for name in ("op_sel", "op_sel_hi"):
            if mods.get(name, 0) > 3:
                raise OperandError(f"{spec.mnemonic}: {name} names more than the two scales", form=spec.form)
    if spec.mfma is not None:
        negated = spec.mfma.a == "f64"
        if ("blgp" if negated else "neg") in mods:
            hint = "f64 sources are negated by neg:[1,0,0]" if negated else None
            raise OperandError(f"{spec.mnemonic}: takes no {'blgp' if negated else 'neg'}", form=spec.form, hint=hint)
        if "neg" in mods:
            mods["blgp"] = mods.pop("neg")


def _check_address(spec: InstSpec, values: tuple[RawOperand, ...], mods: dict[str, int]) -> None:
    """Buffer addresses say their mode in text, they are not guessed as in the builder."""
    if spec.memory is None or spec.memory.space != "buffer":
        return
    address = next((value for op, value in zip(spec.explicit, values, strict=False) if op.name == "vaddr"), None)
    if isinstance(address, Register) and address.file == "v" and not (mods.get("offen") or mods.get("idxen")):
        raise OperandError(f"{spec.mnemonic}: a VGPR address wants offen or idxen", form=spec.form)

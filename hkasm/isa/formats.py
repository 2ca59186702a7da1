"""Machine-code formats: one bit-field description each, used by the encoder and the decoder alike.

Bit positions follow the CDNA3 and CDNA4 ISA documents' microcode chapter; every one is checked against llvm-mc's bytes
in the tests. A field is given as ``(high, low)`` inside the little-endian word of the whole instruction (bit 32 is the
first bit of the second dword).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

Bits = tuple[int, int]


@dataclass(frozen=True, slots=True)
class OperandField:
    """Where an operand's number stands and how it is coded.

    Codings: ``src9`` any VALU source (VGPRs from 256), ``src8`` scalar source, ``sdst7`` scalar destination, ``vgpr8``
    a VGPR number, ``agpr8``/``agpr9`` an AGPR (as destination or source), ``pair6``/``quad5`` an SGPR number divided by 2 or 4, ``saddr7`` an SGPR or off (0x7f), ``imm`` a plain
    number, ``simm`` a signed one. ``acc`` is the bit that says AGPR.
    """

    bits: Bits
    coding: str
    acc: int | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One encoding: size in bytes, fixed bits, opcode field, operand and modifier fields."""

    name: str
    size: int
    match_mask: int
    match_value: int
    opcode: Bits
    operands: dict[str, OperandField]
    mods: dict[str, Bits] = field(default_factory=dict)
    literal: bool = False
    suffix: str = ""
    signed_mods: frozenset[str] = frozenset()
    more_bits: dict[str, tuple[Bits, ...]] = field(default_factory=dict)
    """Further pieces of modifiers that stand in several places, above the bits in `mods`."""
    defaults: dict[str, int] = field(default_factory=dict)
    """Modifiers whose default is not 0; an instruction of this format always names them."""
    ignored: int = 0
    """Bits that LLVM's disassembler does not look at where no operand or modifier uses them; others must be 0 there."""
    implied: int = 0
    """Bits that the assembler sets and the disassembler does not look at."""

    def mod_width(self, name: str) -> int:
        """Return how many bits a modifier has."""
        return sum(bits_width(bits) for bits in (self.mods[name], *self.more_bits.get(name, ())))

    def put_mod(self, name: str, number: int) -> int:
        """Return the bits of a modifier's value (not negative, in range) in their places."""
        word = 0
        for bits in (self.mods[name], *self.more_bits.get(name, ())):
            width = bits_width(bits)
            word |= (number & ((1 << width) - 1)) << bits[1]
            number >>= width
        return word

    def get_mod(self, name: str, word: int) -> int:
        """Return a modifier's value, unsigned."""
        number = shift = 0
        for bits in (self.mods[name], *self.more_bits.get(name, ())):
            number |= get_bits(word, bits) << shift
            shift += bits_width(bits)
        return number


def _fixed(high: int, low: int, value: int) -> tuple[int, int]:
    mask = ((1 << (high - low + 1)) - 1) << low
    return mask, value << low


def _make(
    name: str,
    size: int,
    prefix: tuple[int, int, int],
    opcode: Bits,
    operands: dict[str, OperandField],
    mods: dict[str, Bits] | None = None,
    *,
    literal: bool = False,
    suffix: str = "",
    signed: tuple[str, ...] = (),
    extra: tuple[tuple[int, int, int], ...] = (),
    more: dict[str, tuple[Bits, ...]] | None = None,
    defaults: dict[str, int] | None = None,
    ignored: tuple[Bits, ...] = (),
    implied: tuple[Bits, ...] = (),
) -> Format:
    mask, value = _fixed(*prefix)
    for bits in extra:
        extra_mask, extra_value = _fixed(*bits)
        mask, value = mask | extra_mask, value | extra_value
    open_bits = sum(_fixed(high, low, 0)[0] for high, low in (*ignored, *implied))
    ones = sum(_fixed(high, low, 0)[0] for high, low in implied)
    return Format(
        name, size, mask, value, opcode, operands, mods or {}, literal, suffix, frozenset(signed), more or {},
        defaults or {}, open_bits, ones,
    )  # fmt: skip


def _f(high: int, low: int, coding: str, acc: int | None = None) -> OperandField:
    return OperandField((high, low), coding, acc)


_SSRC0, _SSRC1, _SDST = _f(7, 0, "src8"), _f(15, 8, "src8"), _f(22, 16, "sdst7")
_SIMM16 = _f(15, 0, "imm")
_V_SRC0, _V_SRC1, _V_DST = _f(8, 0, "src9"), _f(16, 9, "vgpr8"), _f(24, 17, "vgpr8")
_3_SRC0, _3_SRC1, _3_SRC2, _3_DST = _f(40, 32, "src9"), _f(49, 41, "src9"), _f(58, 50, "src9"), _f(7, 0, "vgpr8")
_3_SDST = _f(7, 0, "sdst7")
_DPP_SRC0 = _f(39, 32, "vgpr8")
_SDWA_SRC0 = _f(39, 32, "sdwa8", 55)
_SDWA_SRC1 = _f(16, 9, "sdwa8", 63)
_DPP_MODS: Final = {
    "dpp_ctrl": (48, 40), "bound_ctrl": (51, 51), "src0_neg": (52, 52), "src0_abs": (53, 53), "src1_neg": (54, 54),
    "src1_abs": (55, 55), "bank_mask": (59, 56), "row_mask": (63, 60),
}  # fmt: skip
_SDWA_SOURCES: Final = {
    "src0_sel": (50, 48), "src0_sext": (51, 51), "src0_neg": (52, 52), "src0_abs": (53, 53),
    "src1_sel": (58, 56), "src1_sext": (59, 59), "src1_neg": (60, 60), "src1_abs": (61, 61),
}  # fmt: skip
_DPP_DEFAULTS: Final = {"dpp_ctrl": 0xE4, "row_mask": 15, "bank_mask": 15}
_VOP3_MODS: Final = {"clamp": (15, 15), "op_sel": (14, 11), "abs": (10, 8), "omod": (60, 59), "neg": (63, 61)}
_VOP3B_MODS: Final = {"clamp": (15, 15), "omod": (60, 59), "neg": (63, 61)}
_CPOL_MUBUF: Final = {"sc0": (14, 14), "sc1": (15, 15), "nt": (17, 17)}
_BUFFER_OPERANDS: Final = {
    "vdata": _f(47, 40, "vgpr8", 55), "vaddr": _f(39, 32, "vgpr8"), "srsrc": _f(52, 48, "quad5"), "soffset": _f(63, 56, "src8"),
}  # fmt: skip
_FLAT_OPERANDS: Final = {
    "vdst": _f(63, 56, "vgpr8", 55), "vaddr": _f(39, 32, "vgpr8"), "vdata": _f(47, 40, "vgpr8", 55), "saddr": _f(54, 48, "saddr7"),
}  # fmt: skip
_FLAT_MODS: Final = {"offset": (12, 0), "sc0": (16, 16), "nt": (17, 17), "sc1": (25, 25)}
_DS_OPERANDS: Final = {
    "vdst": _f(63, 56, "vgpr8", 25), "addr": _f(39, 32, "vgpr8"), "data0": _f(47, 40, "vgpr8", 25),
    "data1": _f(55, 48, "vgpr8", 25),
}  # fmt: skip
_DS_MODS: Final = {"offset": (15, 0), "offset0": (7, 0), "offset1": (15, 8)}
MTBUF_DEFAULT_FORMAT: Final = 1
"""Data format 8, number format unorm: what the assembler takes where none is written."""
_SMEM_ADDRESS: Final = {"sbase": _f(5, 0, "pair6"), "soffset": _f(63, 57, "sdst7")}
_SMEM_MODS: Final = {"offset": (52, 32), "imm": (17, 17), "glc": (16, 16), "soffset_en": (14, 14)}
_SMEM_IGNORED: Final = ((63, 32), (16, 0))


def _flat(name: str, segment: int) -> Format:
    signed = () if segment == 0 else ("offset",)
    mods = dict(_FLAT_MODS)
    if segment == 0:
        mods["offset"] = (11, 0)
    if segment == 1:
        mods["sve"] = (13, 13)
    return _make(
        name, 8, (31, 26, 0b110111), (24, 18), _FLAT_OPERANDS, mods, signed=signed, extra=((15, 14, segment),),
        ignored=((63, 56), (47, 32)),
    )  # fmt: skip


def _dpp(name: str, prefix: tuple[int, int, int], opcode: Bits, operands: dict[str, OperandField]) -> Format:
    return _make(
        name, 8, prefix, opcode, operands, _DPP_MODS, suffix="_dpp", extra=((8, 0, 0xFA),), defaults=_DPP_DEFAULTS,
        ignored=((50, 49), (39, 32)),
    )  # fmt: skip


def _sdwa(
    name: str, prefix: tuple[int, int, int], opcode: Bits, operands: dict[str, OperandField], selects: tuple[str, ...]
) -> Format:
    """`selects` are those of dst_sel, src0_sel, src1_sel that the form has; DWORD is their default, and fixed in others."""
    mods = dict(_SDWA_SOURCES)
    whole = () if "dst_sel" in selects or "sdst" in operands else ((42, 40, 6),)
    if "sdst" not in operands:
        mods |= {"clamp": (45, 45), "omod": (47, 46)}
    if "dst_sel" in selects:
        mods |= {"dst_sel": (42, 40), "dst_unused": (44, 43)}
    if "src1" not in operands:
        mods = {name: bits for name, bits in mods.items() if not name.startswith("src1")}
    return _make(
        name, 8, prefix, opcode, operands, mods, suffix="_sdwa", extra=((8, 0, 0xF9), *whole),
        defaults=dict.fromkeys(selects, 6), ignored=((62, 62), (54, 54), (44, 43)),
    )  # fmt: skip


_ACC_ONES: Final = ((14, 14), (60, 59))
"""LLVM sets the unused op_sel_hi bits of the accumulator moves."""
_VOP3_IGNORED: Final = ((58, 32), (14, 11))

FORMATS: Final[dict[str, Format]] = {
    fmt.name: fmt
    for fmt in (
        _make("SOP1", 4, (31, 23, 0b101111101), (15, 8), {"sdst": _SDST, "src0": _SSRC0}, literal=True, ignored=((22, 16), (7, 0))),
        _make("SOPC", 4, (31, 23, 0b101111110), (22, 16), {"src0": _SSRC0, "src1": _SSRC1}, literal=True),
        _make("SOPCI", 4, (31, 23, 0b101111110), (22, 16), {"src0": _SSRC0, "kinds": _f(15, 8, "imm")}, literal=True),
        _make("SOPP", 4, (31, 23, 0b101111111), (22, 16), {"simm16": _SIMM16, "kinds": _SIMM16}),
        _make("SOPK", 4, (31, 28, 0b1011), (27, 23), {"sdst": _SDST, "simm16": _SIMM16}),
        _make("SOPKL", 8, (31, 28, 0b1011), (27, 23), {"simm16": _SIMM16, "imm32": _f(63, 32, "imm")}, ignored=((22, 16),)),
        _make("SOP2", 4, (31, 30, 0b10), (29, 23), {"sdst": _SDST, "src0": _SSRC0, "src1": _SSRC1}, literal=True, ignored=((22, 16),)),
        _make(
            "SMEM", 8, (31, 26, 0b110000), (25, 18), {"sdata": _f(12, 6, "sdst7"), **_SMEM_ADDRESS}, _SMEM_MODS,
            signed=("offset",), ignored=_SMEM_IGNORED,
        ),
        _make(
            "SMEM_PROBE", 8, (31, 26, 0b110000), (25, 18), {"probe": _f(12, 6, "imm"), **_SMEM_ADDRESS},
            {name: bits for name, bits in _SMEM_MODS.items() if name != "glc"}, signed=("offset",), ignored=_SMEM_IGNORED,
        ),
        _make("VOP1", 4, (31, 25, 0b0111111), (16, 9), {"vdst": _V_DST, "src0": _V_SRC0}, literal=True, suffix="_e32", ignored=((8, 0),)),
        _make("VOP1S", 4, (31, 25, 0b0111111), (16, 9), {"sdst": _f(24, 17, "sdst7"), "src0": _V_SRC0}, literal=True),
        _make("VOPC", 4, (31, 25, 0b0111110), (24, 17), {"src0": _V_SRC0, "src1": _V_SRC1}, literal=True, suffix="_e32"),
        _make("VOP2", 4, (31, 31, 0), (30, 25), {"vdst": _V_DST, "src0": _V_SRC0, "src1": _V_SRC1}, literal=True, suffix="_e32"),
        _make("VOP2K", 8, (31, 31, 0), (30, 25), {"vdst": _V_DST, "src0": _V_SRC0, "src1": _V_SRC1, "k": _f(63, 32, "imm")}),
        _make(
            "VOP3", 8, (31, 26, 0b110100), (25, 16),
            {"vdst": _3_DST, "src0": _3_SRC0, "src1": _3_SRC1, "src2": _3_SRC2}, _VOP3_MODS, suffix="_e64", ignored=_VOP3_IGNORED,
        ),
        _make(
            "VOP3T", 8, (31, 26, 0b110100), (25, 16),
            {"vdst": _3_DST, "src0": _3_SRC0, "src1": _3_SRC1, "src2": _3_SRC2},
            {"op_sel": (14, 11), "bitop3": (63, 61)}, suffix="_e64", more={"bitop3": ((10, 8), (60, 59))},
        ),
        _make(
            "VOP3L", 8, (31, 26, 0b110100), (25, 16), {"vdst": _3_DST, "src0": _3_SRC0},
            {"fi": (11, 11), "bound_ctrl": (12, 12)}, suffix="_e64", ignored=_VOP3_IGNORED,
        ),
        _make(
            "VOP3S", 8, (31, 26, 0b110100), (25, 16),
            {"sdst": _3_SDST, "src0": _3_SRC0, "src1": _3_SRC1, "src2": _3_SRC2}, _VOP3_MODS, suffix="_e64", ignored=_VOP3_IGNORED,
        ),
        _make(
            "VOP3B", 8, (31, 26, 0b110100), (25, 16),
            {"vdst": _3_DST, "sdst": _f(14, 8, "sdst7"), "src0": _3_SRC0, "src1": _3_SRC1, "src2": _3_SRC2},
            _VOP3B_MODS, suffix="_e64", ignored=((58, 32),),
        ),
        _make(
            "VOP3P", 8, (31, 23, 0b110100111), (22, 16),
            {"vdst": _3_DST, "src0": _3_SRC0, "src1": _3_SRC1, "src2": _3_SRC2},
            {
                "clamp": (15, 15), "op_sel": (13, 11), "neg_hi": (10, 8), "op_sel_hi": (60, 59),
                "neg_lo": (63, 61),
            },
            more={"op_sel_hi": ((14, 14),)}, ignored=((60, 59), (58, 32), (14, 14)),
        ),
        _make(
            "MAI", 8, (31, 23, 0b110100111), (22, 16),
            {
                "vdst": _f(7, 0, "vgpr8", 15), "src0": _f(40, 32, "src9", 59), "src1": _f(49, 41, "src9", 60),
                "src2": _f(58, 50, "src9", 15),
            },
            {"cbsz": (10, 8), "abid": (14, 11), "blgp": (63, 61)},
        ),
        _make(
            "SMFMAC", 8, (31, 23, 0b110100111), (22, 16),
            {
                "vdst": _f(7, 0, "vgpr8", 15), "src0": _f(40, 32, "src9", 59), "src1": _f(49, 41, "src9", 60),
                "src2": _f(58, 50, "src9"),
            },
            {"cbsz": (10, 8), "abid": (14, 11)},
        ),
        _make(
            "MAILD", 8, (31, 23, 0b110100111), (22, 16), {"src0": _3_SRC0, "src1": _3_SRC1},
            {"op_sel": (12, 11), "op_sel_hi": (60, 59)}, ignored=((62, 61), (58, 50), (9, 8)), implied=((14, 14),),
            defaults={"op_sel_hi": 3},
        ),
        _make(
            "ACCREAD", 8, (31, 23, 0b110100111), (22, 16), {"vdst": _3_DST, "src0": _f(40, 32, "agpr9")},
            ignored=((58, 41), (15, 15)), implied=_ACC_ONES,
        ),
        _make(
            "ACCWRITE", 8, (31, 23, 0b110100111), (22, 16), {"vdst": _f(7, 0, "agpr8"), "src0": _3_SRC0},
            ignored=((58, 41), (15, 15)), implied=_ACC_ONES,
        ),
        _make("VOP1A", 4, (31, 25, 0b0111111), (16, 9), {"vdst": _f(24, 17, "agpr8"), "src0": _f(8, 0, "agpr9")}),
        _make(
            "MAIX", 16, (31, 16, 0b1101001110101100), (86, 80),
            {
                "vdst": _f(71, 64, "vgpr8", 79), "src0": _f(104, 96, "src9", 123), "src1": _f(113, 105, "src9", 124),
                "src2": _f(122, 114, "src9", 79), "scale0": _f(40, 32, "src9"), "scale1": _f(49, 41, "src9"),
            },
            {
                "cbsz": (74, 72), "blgp": (127, 125), "op_sel": (12, 11), "op_sel_hi": (60, 59),
            },
            extra=((95, 87, 0b110100111), (75, 75, 1)), ignored=((63, 61), (58, 50), (15, 13), (10, 0)),
        ),
        _make("DS", 8, (31, 26, 0b110110), (24, 17), _DS_OPERANDS, _DS_MODS, ignored=((16, 16),)),
        _make("DS_PERMUTE", 8, (31, 26, 0b110110), (24, 17), _DS_OPERANDS, {"offset": (15, 0)}, extra=((16, 16, 0),)),
        _make("DS_NOP", 8, (31, 26, 0b110110), (24, 17), {}),
        _make(
            "DS_GWS", 8, (31, 26, 0b110110), (24, 17), {"data0": _f(39, 32, "vgpr8", 25)}, {"offset": (15, 0)},
            extra=((16, 16, 1),),
        ),
        _make(
            "MUBUF", 8, (31, 26, 0b111000), (24, 18), _BUFFER_OPERANDS,
            {"offset": (11, 0), "offen": (12, 12), "idxen": (13, 13), "lds": (16, 16), **_CPOL_MUBUF},
            ignored=((54, 53), (47, 32), (25, 25)),
        ),
        _make(
            "MUBUF_CACHE", 8, (31, 26, 0b111000), (24, 18), {}, {"sc0": (14, 14), "sc1": (15, 15)},
            ignored=((63, 56), (54, 32), (25, 25), (17, 17), (11, 0)),
        ),
        _make(
            "MTBUF", 8, (31, 26, 0b111010), (18, 15), _BUFFER_OPERANDS,
            {
                "offset": (11, 0), "offen": (12, 12), "idxen": (13, 13), "sc0": (14, 14), "format": (25, 19),
                "sc1": (53, 53), "nt": (54, 54),
            },
            ignored=((39, 32),), defaults={"format": MTBUF_DEFAULT_FORMAT},
        ),
        _flat("FLAT", 0),
        _flat("SCRATCH", 1),
        _flat("GLOBAL", 2),
        _dpp("VOP1_DPP", (31, 25, 0b0111111), (16, 9), {"vdst": _V_DST, "src0": _DPP_SRC0}),
        _dpp("VOP2_DPP", (31, 31, 0), (30, 25), {"vdst": _V_DST, "src0": _DPP_SRC0, "src1": _V_SRC1}),
        _sdwa("VOP1_SDWA", (31, 25, 0b0111111), (16, 9), {"vdst": _V_DST, "src0": _SDWA_SRC0}, ("dst_sel", "src0_sel")),
        _sdwa("VOP1_SDWA8", (31, 25, 0b0111111), (16, 9), {"vdst": _V_DST, "src0": _SDWA_SRC0}, ("src0_sel",)),
        _sdwa(
            "VOP2_SDWA", (31, 31, 0), (30, 25), {"vdst": _V_DST, "src0": _SDWA_SRC0, "src1": _SDWA_SRC1},
            ("dst_sel", "src0_sel", "src1_sel"),
        ),
        _sdwa(
            "VOPC_SDWA", (31, 25, 0b0111110), (24, 17),
            {"sdst": _f(46, 40, "sdst7", 47), "src0": _SDWA_SRC0, "src1": _SDWA_SRC1}, ("src0_sel", "src1_sel"),
        ),
    )
}  # fmt: skip


def get_bits(word: int, bits: Bits) -> int:
    return (word >> bits[1]) & ((1 << (bits[0] - bits[1] + 1)) - 1)


def bits_width(bits: Bits) -> int:
    return bits[0] - bits[1] + 1

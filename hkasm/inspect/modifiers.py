"""What the values of an instruction's modifiers mean, in a line each.

Sources: CDNA3 ISA, chapters on the vector ALU, DPP, SDWA, memory and matrix instructions; the names behind numbers are
those of LLVM's assembler.
"""

from __future__ import annotations

from typing import Final

from hkasm.isa.buffer_formats import DATA_FORMATS, NUMBER_FORMATS
from hkasm.isa.mfma import F8F6F4_FORMATS
from hkasm.isa.spec import InstSpec

__all__ = ["modifier_text"]

_PARTS: Final = "0 to 3: BYTE_0 to BYTE_3, 4: WORD_0, 5: WORD_1, 6: DWORD, all of it"
_TEXTS: Final = {
    "abs": "bit i: the absolute value of source i",
    "bank_mask": "bit b: lanes 4b to 4b+3 of each row are written [15]",
    "bitop3": "truth table: bit 4*S0 + 2*S1 + S2 of it is the result's bit",
    "bound_ctrl": "a lane whose source is outside reads 0; without it the lane is not written",
    "clamp": "floats are held to 0 to 1, integers saturate",
    "dpp_ctrl": "lane that is read. 0 to 0xff: quad_perm, lane i of four reads lane bits 2i+1:2i; 0x100+n: row_shl:n; "
    "0x110+n: row_shr:n; 0x120+n: row_ror:n; 0x130, 0x134, 0x138, 0x13c: wave_shl:1, wave_rol:1, wave_shr:1, "
    "wave_ror:1; 0x140: row_mirror; 0x141: row_half_mirror; 0x142, 0x143: row_bcast:15, row_bcast:31; "
    "0x150+n: row_newbcast:n [0xe4, itself]",
    "dst_sel": f"part of D that is written. {_PARTS}",
    "dst_unused": "the rest of D. 0: UNUSED_PAD, zeros; 1: UNUSED_SEXT, the sign; 2: UNUSED_PRESERVE, as it was",
    "fi": "lanes that are not active are read too",
    "format": "data format + 16 * number format. Data: "
    + ", ".join(f"{number} {name}" for number, (name, _) in DATA_FORMATS.items())
    + ". Number: "
    + ", ".join(f"{number} {name}" for number, name in NUMBER_FORMATS.items()),
    "glc": "globally coherent: the value is not taken from the cache",
    "idxen": "vaddr has an index of records; with offen the index first, then the offset",
    "lds": "data goes to LDS at M0, not to registers",
    "neg": "bit i: source i with the other sign",
    "neg_hi": "bit i: source i with the other sign, for the high half of D",
    "neg_lo": "bit i: source i with the other sign, for the low half of D",
    "nt": "non-temporal: the line is the first to leave the cache",
    "offen": "vaddr has an offset in bytes",
    "offset": "bytes that are added to the address",
    "offset0": "the first address is ADDR + offset0 * the element's bytes, * 64 with st64",
    "offset1": "the second address is ADDR + offset1 * the element's bytes, * 64 with st64",
    "omod": "the result times 1, 2, 4 or 1/2 (0: as it is, 1: mul:2, 2: mul:4, 3: div:2)",
    "op_sel": "bit i: the high half of source i; bit 3: the high half of D is written",
    "op_sel_hi": "bit i: the high half of source i, for the high half of D [all]",
    "row_mask": "bit r: lanes 16r to 16r+15 are written [15]",
    "sc0": "with sc1 the scope, sc1 sc0. 0: wave, 1: workgroup, 2: GPU, 3: system; atomics: D gets the old value",
    "sc1": "with sc0 the scope, sc1 sc0. 0: wave, 1: workgroup, 2: GPU, 3: system",
    "src0_abs": "the absolute value of src0",
    "src0_neg": "src0 with the other sign",
    "src0_sel": f"part of src0 that is read. {_PARTS}",
    "src0_sext": "the part of src0 is sign-extended",
    "src1_abs": "the absolute value of src1",
    "src1_neg": "src1 with the other sign",
    "src1_sel": f"part of src1 that is read. {_PARTS}",
    "src1_sext": "the part of src1 is sign-extended",
}
_MIX: Final = {
    "op_sel": "bit i: of an f16 source i the high half",
    "op_sel_hi": "bit i: source i is f16, not f32",
    "neg_lo": "bit i: source i with the other sign",
    "neg_hi": "bit i: the absolute value of source i",
}
_PACKED: Final = {"op_sel": "bit i: the high half of source i, for the low half of D"}
_BROADCAST: Final = {
    "cbsz": "A of one block serves 2**cbsz blocks, at most all",
    "abid": "which block of each 2**cbsz serves: its number",
    "blgp": "lanes of B. 0: their own; 1: 0-31 twice; 2: 32-63 twice; 3: rotated by 16; "
    "4 to 7: the 16 from 16*(blgp-4) on, four times",
}
_SPARSE: Final = {
    "cbsz": "not 0: the first set of index bits is used, whatever abid says",
    "abid": "which set of the index register's bits is used, where it holds several",
}
_SWIZZLE: Final = {
    "offset": "pattern of the lane that is read. Below 0x8000: lane ((i & [4:0]) | [9:5]) ^ [14:10] of each 32; "
    "0x8000+n: lane i of four reads bits 2i+1:2i of n; from 0xc000: lane i + [9:5] of each 32, with bit 10 i - [9:5], "
    "but for the bits of i in [4:0], which stay; from 0xe000: bit-reversed order, for FFTs"
}
_GWS: Final = {"offset": "number of the barrier or semaphore, to which M0[21:16] is added"}
_ELEMENTS: Final = ", ".join(f"{number}: {name}" for number, name in enumerate(F8F6F4_FORMATS))
_SELECTED: Final = {"cbsz": f"elements of A. {_ELEMENTS}", "blgp": f"elements of B. {_ELEMENTS}"}
_SCALES: Final = {
    "op_sel": "low bit of the byte that holds the scale: bit 0 for A, bit 1 for B",
    "op_sel_hi": "high bit of the byte that holds the scale: bit 0 for A, bit 1 for B",
}


def modifier_text(spec: InstSpec, format_name: str, name: str) -> str:
    """Return what the values of a modifier mean in a form of an instruction; defaults other than 0 in brackets."""
    return _special(spec, format_name).get(name) or _TEXTS[name]


def _special(spec: InstSpec, format_name: str) -> dict[str, str]:
    """Return the modifiers that mean something of their own here."""
    if format_name in ("MAIX", "MAILD"):
        return {**_SELECTED, **_SCALES}
    if format_name == "SMFMAC":
        return _SPARSE
    if format_name == "MAI":
        if "f8f6f4" in spec.flags:
            return _SELECTED
        if spec.mfma is not None and spec.mfma.a == "f64":
            return {**_BROADCAST, "blgp": "bit i: A, B, C with the other sign"}
        return _BROADCAST
    if "swizzle" in spec.flags:
        return _SWIZZLE
    if format_name == "DS_GWS":
        return _GWS
    if format_name == "VOP3P":
        # Moves of dwords: op_sel picks one of each source's pair.
        if "op_sel" in spec.flags:
            return {"op_sel": "bit i: the high dword of source i's pair"}
        return _MIX if "mix" in spec.flags else _PACKED
    if "op_sel" in spec.flags:
        return {"op_sel": "which part of a source or of D, as the line above says"}
    return {}

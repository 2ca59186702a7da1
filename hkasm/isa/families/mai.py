"""Matrix instructions: one declaration a row of `hkasm.isa.mfma.MFMA_TABLE`."""

from __future__ import annotations

from hkasm.isa.constants import TYPE_BITS
from hkasm.isa.mfma import MFMA_TABLE, MfmaSpec
from hkasm.isa.spec import declare

_WIDTHS = {
    bits // 32: name for name, bits in TYPE_BITS.items() if name.startswith("b") and name[1:].isdigit() and bits >= 32
}


def _declare(row: MfmaSpec) -> None:
    a, b, c = (_WIDTHS[row.registers(operand)] for operand in ("A", "B", "C"))
    accumulate = "+" if row.sparse else "="
    signature = f"{accumulate}vdst:{c}/va src0:{a}/va src1:{b}/va"
    signature += " src2:b32/v" if row.sparse else f" src2:{c}/vac"
    if row.scaled:
        signature += " scale0:b32 scale1:b32"
    shape = f"{row.m}x{row.n}x{row.k}" + (f", {row.blocks} blocks" if row.blocks > 1 else "")
    declare(
        row.mnemonic,
        signature,
        [("MAIX" if row.scaled else "SMFMAC" if row.sparse else "MAI", next(iter(row.opcode.values())))],
        unit="MFMA",
        doc=f"D = A * B + C, {shape}, {row.a} by {row.b} into {row.c_type}" + (", A 4:2 sparse" if row.sparse else ""),
        archs=frozenset(row.opcode),
        mfma=row,
        flags=["f8f6f4"] if row.selects_format else [],
    )


for _row in MFMA_TABLE.values():
    _declare(_row)

declare(
    "v_mfma_ld_scale_b32",
    "src0:b32/svc src1:b32/svc",
    [("MAILD", 0x2C)],
    unit="VALU",
    doc="scales of A and B for the scaled matrix instruction behind it (the first half of its 16 bytes, alone)",
    archs=frozenset({"gfx950"}),
    control="mfma_scale",
)

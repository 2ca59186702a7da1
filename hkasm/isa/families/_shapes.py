"""How a row of each family becomes a declaration: which encodings an opcode has, which unit runs it.

A row gives mnemonic, opcode, signature, meaning and one line of doc. VOP1, VOP2 and VOPC opcodes stand again inside the
VOP3 opcode space at 0x140, 0x100 and 0x000, and as DPP and SDWA forms at the same number (CDNA3 ISA, microcode formats).
"""

from __future__ import annotations

from collections.abc import Iterable

from hkasm.isa.spec import ALL, InstSpec, Meaning, declare

GFX942_ONLY = frozenset({"gfx942"})
GFX950_ONLY = frozenset({"gfx950"})
Flags = Iterable[str]


def sop1(
    name: str, op: int, sig: str, meaning: Meaning | None, doc: str, *, control: str | None = None, flags: Flags = ()
) -> InstSpec:
    return declare(name, sig, [("SOP1", op)], unit="SALU", doc=doc, meaning=meaning, control=control, flags=flags)


def sop2(
    name: str, op: int, sig: str, meaning: Meaning | None, doc: str, *, control: str | None = None, flags: Flags = ()
) -> InstSpec:
    return declare(name, sig, [("SOP2", op)], unit="SALU", doc=doc, meaning=meaning, control=control, flags=flags)


def sopc(name: str, op: int, sig: str, meaning: Meaning | None, doc: str) -> InstSpec:
    return declare(name, f"{sig} =[scc]:bool", [("SOPC", op)], unit="SALU", doc=doc, meaning=meaning)


def sopk(
    name: str, op: int, sig: str, meaning: Meaning | None, doc: str, *, control: str | None = None, flags: Flags = ()
) -> InstSpec:
    return declare(name, sig, [("SOPK", op)], unit="SALU", doc=doc, meaning=meaning, control=control, flags=flags)


def sopp(
    name: str,
    op: int,
    sig: str,
    control: str,
    doc: str,
    *,
    meaning: Meaning | None = None,
    unit: str = "BRANCH",
    flags: Flags = (),
) -> InstSpec:
    return declare(name, sig, [("SOPP", op)], unit=unit, doc=doc, meaning=meaning, control=control, flags=flags)


def vop1(
    name: str,
    op: int,
    sig: str,
    meaning: Meaning | None,
    doc: str,
    *,
    unit: str = "VALU",
    archs: frozenset[str] = ALL,
    forms: str = "e32 e64 dpp sdwa",
    flags: Flags = (),
) -> InstSpec:
    encodings = {
        "e32": ("VOP1", op),
        "e64": ("VOP3L" if "bound_ctrl" in flags else "VOP3", 0x140 + op),
        "dpp": ("VOP1_DPP", op),
        "sdwa": ("VOP1_SDWA", op),
        "sdwa8": ("VOP1_SDWA8", op),
    }
    chosen = [encodings[form] for form in forms.split()]
    return declare(name, sig, chosen, unit=unit, doc=doc, meaning=meaning, archs=archs, flags=flags)


def vop2(
    name: str,
    op: int,
    sig: str,
    meaning: Meaning | None,
    doc: str,
    *,
    unit: str = "VALU",
    archs: frozenset[str] = ALL,
    forms: str = "e32 e64 dpp sdwa",
    flags: Flags = (),
) -> InstSpec:
    e64 = "VOP3B" if "sdst:" in sig else "VOP3"
    encodings = {"e32": ("VOP2", op), "e64": (e64, 0x100 + op), "dpp": ("VOP2_DPP", op), "sdwa": ("VOP2_SDWA", op)}
    chosen = [encodings[form] for form in forms.split()]
    return declare(name, sig, chosen, unit=unit, doc=doc, meaning=meaning, archs=archs, flags=flags)


def vopc(
    name: str, op: int, sig: str, meaning: Meaning | None, doc: str, *, sdwa: bool = True, flags: Flags = ()
) -> InstSpec:
    chosen = [("VOPC", op), ("VOP3S", op), ("VOPC_SDWA", op)][: 2 + sdwa]
    return declare(name, sig, chosen, unit="VALU", doc=doc, meaning=meaning, flags=flags)


def vop3(
    name: str,
    op: int,
    sig: str,
    meaning: Meaning | None,
    doc: str,
    *,
    unit: str = "VALU",
    archs: frozenset[str] = ALL,
    flags: Flags = (),
) -> InstSpec:
    has_vdst, has_sdst = "vdst:" in sig, "sdst:" in sig
    fmt = "VOP3B" if has_vdst and has_sdst else "VOP3S" if has_sdst else "VOP3T" if "bitop3" in flags else "VOP3"
    return declare(name, sig, [(fmt, op)], unit=unit, doc=doc, meaning=meaning, archs=archs, flags=flags)


def vop3p(
    name: str, op: int, sig: str, meaning: Meaning | None, doc: str, *, archs: frozenset[str] = ALL, flags: Flags = ()
) -> InstSpec:
    return declare(name, sig, [("VOP3P", op)], unit="VALU", doc=doc, meaning=meaning, archs=archs, flags=flags)

"""How a row of each family becomes a declaration: which encodings an opcode has, which unit runs it.

A row gives mnemonic, opcode, signature, meaning and one line of doc. VOP1, VOP2 and VOPC opcodes stand again inside the
VOP3 opcode space at 0x140, 0x100 and 0x000, and as DPP and SDWA forms at the same number (CDNA3 ISA, microcode formats).
"""

from __future__ import annotations

from collections.abc import Iterable

from hkasm.isa.spec import ALL, InstSpec, Meaning, declare

GFX942_ONLY = frozenset({"gfx942"})
GFX950_ONLY = frozenset({"gfx950"})


def sop1(name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, control: str | None = None, flags: Iterable[str] = ()) -> InstSpec:
    return declare(name, signature, [("SOP1", op)], unit="SALU", doc=doc, meaning=meaning, control=control, flags=flags)


def sop2(name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, flags: Iterable[str] = ()) -> InstSpec:
    return declare(name, signature, [("SOP2", op)], unit="SALU", doc=doc, meaning=meaning, flags=flags)


def sopc(name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, flags: Iterable[str] = ()) -> InstSpec:
    return declare(name, f"{signature} =[scc]:bool", [("SOPC", op)], unit="SALU", doc=doc, meaning=meaning, flags=flags)


def sopk(name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, control: str | None = None, flags: Iterable[str] = ()) -> InstSpec:
    return declare(name, signature, [("SOPK", op)], unit="SALU", doc=doc, meaning=meaning, control=control, flags=flags)


def sopp(
    name: str, op: int, signature: str, control: str, doc: str, *, meaning: Meaning | None = None, unit: str = "BRANCH", flags: Iterable[str] = ()
) -> InstSpec:
    return declare(name, signature, [("SOPP", op)], unit=unit, doc=doc, meaning=meaning, control=control, flags=flags)


def vop1(
    name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, unit: str = "VALU", archs: frozenset[str] = ALL,
    forms: str = "e32 e64 dpp sdwa", flags: Iterable[str] = (),
) -> InstSpec:  # fmt: skip
    return _vop(name, signature, {"e32": ("VOP1", op), "e64": ("VOP3", 0x140 + op), "dpp": ("VOP1_DPP", op), "sdwa": ("VOP1_SDWA", op)}, meaning, doc, unit, archs, forms, flags)


def vop2(
    name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, unit: str = "VALU", archs: frozenset[str] = ALL,
    forms: str = "e32 e64 dpp sdwa", flags: Iterable[str] = (),
) -> InstSpec:  # fmt: skip
    e64 = "VOP3B" if "sdst:" in signature else "VOP3"
    return _vop(name, signature, {"e32": ("VOP2", op), "e64": (e64, 0x100 + op), "dpp": ("VOP2_DPP", op), "sdwa": ("VOP2_SDWA", op)}, meaning, doc, unit, archs, forms, flags)


def vopc(
    name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, forms: str = "e32 e64 sdwa", flags: Iterable[str] = ()
) -> InstSpec:
    return _vop(name, signature, {"e32": ("VOPC", op), "e64": ("VOP3S", op), "sdwa": ("VOPC_SDWA", op)}, meaning, doc, "VALU", ALL, forms, flags)


def vop3(
    name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, unit: str = "VALU", archs: frozenset[str] = ALL, flags: Iterable[str] = ()
) -> InstSpec:
    has_vdst, has_sdst = "vdst:" in signature, "sdst:" in signature
    fmt = "VOP3B" if has_vdst and has_sdst else "VOP3S" if has_sdst else "VOP3"
    return declare(name, signature, [(fmt, op)], unit=unit, doc=doc, meaning=meaning, archs=archs, flags=flags)


def vop3p(
    name: str, op: int, signature: str, meaning: Meaning | None, doc: str, *, archs: frozenset[str] = ALL, flags: Iterable[str] = ()
) -> InstSpec:
    return declare(name, signature, [("VOP3P", op)], unit="VALU", doc=doc, meaning=meaning, archs=archs, flags=flags)


def _vop(
    name: str, signature: str, by_form: dict[str, tuple[str, int]], meaning: Meaning | None, doc: str, unit: str,
    archs: frozenset[str], forms: str, flags: Iterable[str],
) -> InstSpec:  # fmt: skip
    encodings = [by_form[form] for form in forms.split()]
    return declare(name, signature, encodings, unit=unit, doc=doc, meaning=meaning, archs=archs, flags=flags)

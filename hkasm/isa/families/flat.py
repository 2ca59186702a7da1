"""Flat, global and scratch memory: loads, stores, atomics, and loads direct to LDS.

Opcodes from LLVM 22 (checked against llvm-mc in the tests). A global address is a VGPR pair, or an SGPR pair plus a
32-bit VGPR, plus a signed 13-bit immediate; a scratch one an SGPR, a VGPR, both or neither, plus the immediate; a flat
one a VGPR pair, which may lie in LDS or scratch, plus an unsigned 12-bit immediate. Flat accesses count on vmcnt and on
lgkmcnt.
"""

from __future__ import annotations

from hkasm.isa.families._atomics import vector_atomics
from hkasm.isa.families._shapes import GFX950_ONLY
from hkasm.isa.families._vmem import VECTOR_LOADS, VECTOR_STORES, WIDTH
from hkasm.isa.spec import ALL, MemSpec, declare

_SPACES = {
    # space: (format, wait counter, VGPR address, SGPR base)
    "flat": ("FLAT", "both", "vaddr:b64/v", ""),
    "global": ("GLOBAL", "vmcnt", "vaddr:b64/v", " saddr:b64"),
    "scratch": ("SCRATCH", "vmcnt", "vaddr:b32/vo", " saddr:b32"),
}
_DIRECT = (
    ("ubyte", 0x26, "u8", 1, ALL),
    ("sbyte", 0x27, "i8", 1, ALL),
    ("ushort", 0x28, "u16", 1, ALL),
    ("sshort", 0x29, "i16", 1, ALL),
    ("dword", 0x2A, "b32", 1, ALL),
    ("dwordx4", 0x7D, "b32", 4, GFX950_ONLY),
    ("dwordx3", 0x7E, "b32", 3, GFX950_ONLY),
)
# LLVM has AGPR forms neither of the returning add_f32 and pk_add_f16 of global memory, nor of returning f64 ones with sc1.
_VGPR_ONLY = {("global", "add_f32"), ("global", "pk_add_f16")}


def _flat(
    space: str,
    name: str,
    op: int,
    signature: str,
    doc: str,
    memory: MemSpec,
    *,
    variant: str = "",
    archs: frozenset[str] = ALL,
    flags: tuple[str, ...] = (),
) -> None:
    fmt, counter, _, _ = _SPACES[space]
    declare(
        f"{space}_{name}",
        signature,
        [(fmt, op)],
        unit="VMEM",
        doc=doc,
        archs=archs,
        variant=variant,
        counter=counter,
        memory=memory,
        flags=flags,
    )


def _declare_transfers() -> None:
    for space, (_, _, address, base) in _SPACES.items():
        for suffix, op, elem, count, half in VECTOR_LOADS:
            signature = f"{'+' if half else '='}vdst:{WIDTH[count]}/va {address}{base}"
            doc = f"D = {count} x {elem} of {space} memory"
            _flat(space, f"load_{suffix}", op, signature, doc, MemSpec(space, "load", elem, count, d16=half))
        for suffix, op, elem, count, half in VECTOR_STORES:
            signature = f"{address} vdata:{WIDTH[count]}{base}"
            doc = f"{count} x {elem} of {space} memory = D"
            _flat(space, f"store_{suffix}", op, signature, doc, MemSpec(space, "store", elem, count, d16=half))


def _declare_direct() -> None:
    for space in ("global", "scratch"):
        _, _, address, base = _SPACES[space]
        for suffix, op, elem, count, archs in _DIRECT:
            if space == "scratch" and count > 1:
                continue
            memory = MemSpec(space, "load", elem, count, to_lds=True)
            doc = f"LDS[M0 + offset + lane * {max(memory.bytes, 4)}] = {count} x {elem} of {space} memory"
            _flat(space, f"load_lds_{suffix}", op, f"{address}{base} [m0]:b32", doc, memory, archs=archs)


def _declare_atomics() -> None:
    for space in ("flat", "global"):
        _, _, address, base = _SPACES[space]
        for name, op, atomic, elem, formula in vector_atomics():
            for returns in (False, True):
                memory = MemSpec(space, "atomic", elem, atomic=atomic, returns=returns)
                old = memory.bytes // 4
                data = old * (2 if atomic == "cmpswap" else 1)
                files = "v" if returns and (space, name) in _VGPR_ONLY else "va"
                signature = f"{address} vdata:{WIDTH[data]}/{files}{base}"
                if returns:
                    signature = f"=vdst:{WIDTH[old]}/{files} {signature}"
                doc = f"{formula} in {space} memory" + ("; D = the old value" if returns else "")
                variant = "rtn" if returns else ""
                flags = ("agpr_without_sc1",) if returns and elem == "f64" else ()
                _flat(space, f"atomic_{name}", op, signature, doc, memory, variant=variant, flags=flags)


_declare_transfers()
_declare_direct()
_declare_atomics()

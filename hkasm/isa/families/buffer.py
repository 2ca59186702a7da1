"""Buffer memory: MUBUF and MTBUF, plain, typed, atomic and direct to LDS; cache control.

Opcodes from LLVM 22 (checked against llvm-mc in the tests). An address is the descriptor's base plus SOFFSET, a VGPR
offset (`offen`), a VGPR index (`idxen`) and a 12-bit immediate (CDNA3 ISA, buffer addressing). A direct load writes
LDS[M0 + offset + lane * size], with the fixed size of a lane's element rounded up to a dword.
"""

from __future__ import annotations

from hkasm.isa.families._atomics import vector_atomics
from hkasm.isa.families._shapes import GFX950_ONLY
from hkasm.isa.families._vmem import DIRECT_LOADS, VECTOR_LOADS, VECTOR_STORES, WIDTH
from hkasm.isa.spec import ALL, MemSpec, declare

_ADDRESS = "vaddr:b32 srsrc:b128 soffset:b32"
_COMPONENTS = ("x", "xy", "xyz", "xyzw")
_ARCHS = {"pk_add_bf16": GFX950_ONLY}  # the buffer form only: gfx942 has it as a global and as a flat atomic


def _mubuf(
    name: str,
    op: int,
    signature: str,
    doc: str,
    *,
    memory: MemSpec | None = None,
    variant: str = "",
    archs: frozenset[str] = ALL,
    control: str | None = None,
    fmt: str = "MUBUF",
) -> None:
    declare(
        name,
        signature,
        [(fmt, op)],
        unit="VMEM",
        doc=doc,
        archs=archs,
        variant=variant,
        counter="vmcnt",
        memory=memory,
        control=control,
    )


def _declare_transfers() -> None:
    for suffix, op, elem, count, half in VECTOR_LOADS:
        signature = f"{'+' if half else '='}vdata:{WIDTH[count]} {_ADDRESS}"
        memory = MemSpec("buffer", "load", elem, count, d16=half)
        _mubuf(f"buffer_load_{suffix}", op, signature, f"D = {count} x {elem} of the buffer", memory=memory)
    for suffix, op, elem, count, half in VECTOR_STORES:
        memory = MemSpec("buffer", "store", elem, count, d16=half)
        doc = f"{count} x {elem} of the buffer = D"
        _mubuf(f"buffer_store_{suffix}", op, f"vdata:{WIDTH[count]} {_ADDRESS}", doc, memory=memory)
    for suffix, op, elem, count, archs in DIRECT_LOADS:
        memory = MemSpec("buffer", "load", elem, count, to_lds=True)
        doc = f"LDS[M0 + offset + lane * {max(memory.bytes, 4)}] = {count} x {elem} of the buffer"
        signature = f"{_ADDRESS} [m0]:b32"
        _mubuf(f"buffer_load_{suffix}", op, signature, doc, memory=memory, archs=archs, variant="lds")


def _declare_typed() -> None:
    for prefix, fmt in (("buffer", "MUBUF"), ("tbuffer", "MTBUF")):
        of = "the descriptor's format" if fmt == "MUBUF" else "the instruction's format"
        for number, components in enumerate(_COMPONENTS):
            count = number + 1
            for op, kind in ((0, "load"), (4, "store")):
                access = "=" if kind == "load" else ""
                name = f"{prefix}_{kind}_format_"
                whole = MemSpec("buffer", f"{kind}_format", "b32", count)
                halves = MemSpec("buffer", f"{kind}_format", "b16", count)
                doc = f"{kind} {count} components, converted by {of}"
                signature = f"{access}vdata:{WIDTH[count]} {_ADDRESS}"
                _mubuf(name + components, op + number, signature, doc, memory=whole, fmt=fmt)
                signature = f"{access}vdata:{WIDTH[-(-count // 2)]} {_ADDRESS}"
                doc += ", two in a register"
                _mubuf(f"{name}d16_{components}", 8 + op + number, signature, doc, memory=halves, fmt=fmt)
    doc = "load a component, converted by the descriptor's format, "
    high = MemSpec("buffer", "load_format", "b16", d16="hi")
    _mubuf("buffer_load_format_d16_hi_x", 0x26, f"+vdata:b32 {_ADDRESS}", doc + "into the high half", memory=high)
    to_lds = MemSpec("buffer", "load_format", "b32", to_lds=True)
    _mubuf("buffer_load_format_x", 0x00, f"{_ADDRESS} [m0]:b32", doc + "into LDS", memory=to_lds, variant="lds")
    high = MemSpec("buffer", "store_format", "b16", d16="hi")
    doc = "store the high half as a component, converted by the descriptor's format"
    _mubuf("buffer_store_format_d16_hi_x", 0x27, f"vdata:b32 {_ADDRESS}", doc, memory=high)


def _declare_atomics() -> None:
    for name, op, atomic, elem, formula in vector_atomics():
        for access, variant, tail in (("", "", ""), ("+", "rtn", "; D = the old value")):
            memory = MemSpec("buffer", "atomic", elem, atomic=atomic, returns=variant == "rtn")
            dwords = memory.bytes // 4 * (2 if atomic == "cmpswap" else 1)
            _mubuf(
                f"buffer_atomic_{name}",
                op,
                f"{access}vdata:{WIDTH[dwords]} {_ADDRESS}",
                f"{formula} in the buffer{tail}",
                memory=memory,
                variant=variant,
                archs=_ARCHS.get(name, ALL),
            )


def _declare_cache() -> None:
    _mubuf(
        "buffer_wbl2",
        0x28,
        "",
        "write dirty L2 lines back, in the scope of sc1 sc0",
        control="cache",
        fmt="MUBUF_CACHE",
    )
    doc = "make caches forget lines that others may have written, in the scope of sc1 sc0"
    _mubuf("buffer_inv", 0x29, "", doc, control="cache", fmt="MUBUF_CACHE")


_declare_transfers()
_declare_typed()
_declare_atomics()
_declare_cache()

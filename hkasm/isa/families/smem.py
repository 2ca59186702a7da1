"""Scalar memory: loads, stores, atomics and the scalar data cache.

Opcodes from LLVM 22 (checked against llvm-mc in the tests). An address is SBASE plus an SGPR, a signed 21-bit immediate,
or both; its two low bits are ignored. Results come back out of order: only lgkmcnt(0) says anything. Stores and atomics
stand in LLVM's tables for these archs though no compiler emits them.
"""

from __future__ import annotations

from collections.abc import Iterable

from hkasm.isa.families._atomics import ATOMIC_ROWS, WIDE_STEP
from hkasm.isa.spec import MemSpec, declare

_TYPE = {1: "b32", 2: "b64", 4: "b128", 8: "b256", 16: "b512"}
_SPACES = {
    # prefix: (type of SBASE, what it is in the doc, flags, first load, widths, first store)
    "s": ("b64", "memory at SBASE", (), 0x00, (1, 2, 4, 8, 16), 0x10),
    "s_scratch": ("b64", "scratch at SBASE", ("scratch",), 0x05, (1, 2, 4), 0x15),
    "s_buffer": ("b128", "the buffer SBASE", ("descriptor",), 0x08, (1, 2, 4, 8, 16), 0x18),
}
_STORE_WIDTHS = (1, 2, 4)
_ATOMIC_FIRST = {"s_buffer": 0x40, "s": 0x80}
_ADDRESS = "soffset:b32/so"


def _smem(
    name: str,
    op: int,
    signature: str,
    doc: str,
    *,
    memory: MemSpec | None = None,
    variant: str = "",
    control: str | None = None,
    flags: Iterable[str] = (),
    fmt: str = "SMEM",
) -> None:
    declare(
        name,
        signature,
        [(fmt, op)],
        unit="SMEM",
        doc=doc,
        variant=variant,
        counter="lgkmcnt",
        memory=memory,
        control=control,
        flags=flags,
    )


def _declare_transfers() -> None:
    for prefix, (base, where, flags, load, load_widths, store) in _SPACES.items():
        for op, dwords in enumerate(load_widths, load):
            suffix = f"x{dwords}" if dwords > 1 else ""
            signature = f"=sdata:{_TYPE[dwords]} sbase:{base} {_ADDRESS}"
            memory = MemSpec("scalar", "load", "b32", dwords)
            doc = f"D = {dwords} dwords of {where} + offset"
            _smem(f"{prefix}_load_dword{suffix}", op, signature, doc, memory=memory, flags=flags)
        for op, dwords in enumerate(_STORE_WIDTHS, store):
            suffix = f"x{dwords}" if dwords > 1 else ""
            signature = f"sdata:{_TYPE[dwords]} sbase:{base} {_ADDRESS}"
            memory = MemSpec("scalar", "store", "b32", dwords)
            doc = f"{dwords} dwords of {where} + offset = D"
            _smem(f"{prefix}_store_dword{suffix}", op, signature, doc, memory=memory, flags=flags)


def _declare_atomics() -> None:
    for prefix, first in _ATOMIC_FIRST.items():
        base, where, flags = _SPACES[prefix][:3]
        for step, bits, suffix in ((0, 32, ""), (WIDE_STEP, 64, "_x2")):
            for name, number, atomic, elem, formula in ATOMIC_ROWS:
                type_name = _TYPE[bits // 32 * (2 if atomic == "cmpswap" else 1)]
                for access, variant, tail in (("", "", ""), ("+", "rtn", "; D = the old value")):
                    _smem(
                        f"{prefix}_atomic_{name}{suffix}",
                        first + step + number,
                        f"{access}sdata:{type_name} sbase:{base} {_ADDRESS}",
                        f"{formula} in {where} + offset{tail}",
                        memory=MemSpec("scalar", "atomic", elem.format(bits), atomic=atomic, returns=variant == "rtn"),
                        variant=variant,
                        flags=flags,
                    )


def _declare_cache() -> None:
    _smem("s_dcache_inv", 0x20, "", "make the scalar data cache forget its lines", control="cache")
    _smem("s_dcache_wb", 0x21, "", "write the scalar data cache's dirty lines back", control="cache")
    _smem("s_dcache_inv_vol", 0x22, "", "make the scalar data cache forget its volatile lines", control="cache")
    _smem("s_dcache_wb_vol", 0x23, "", "write the scalar data cache's dirty volatile lines back", control="cache")
    _smem("s_memtime", 0x24, "=sdata:b64", "D = the shader clock's count of cycles", control="time")
    _smem("s_memrealtime", 0x25, "=sdata:b64", "D = the count of the clock of constant frequency", control="time")
    for suffix, op, base in (("", 0x26, "b64"), ("_buffer", 0x27, "b128")):
        signature = f"probe:imm7/i sbase:{base} {_ADDRESS}"
        doc = "fetch the address translation of SBASE + offset ahead of its use"
        _smem(f"s_atc_probe{suffix}", op, signature, doc, control="cache", fmt="SMEM_PROBE")
    for suffix, op, lines in (("", 0x28, "line"), ("_x2", 0x29, "two lines")):
        doc = f"drop the dirty {lines} of 64 bytes at SBASE + offset"
        _smem(f"s_dcache_discard{suffix}", op, f"sbase:b64 {_ADDRESS}", doc, control="cache")


_declare_transfers()
_declare_atomics()
_declare_cache()

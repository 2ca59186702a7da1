"""LDS instructions: reads, writes, pairs, transposing reads, atomics, lane permutes, GWS.

Opcodes from LLVM 22 (checked against llvm-mc in the tests). The address is ADDR plus a 16-bit immediate, or two 8-bit
immediates in units of the element (64 elements for `st64`). A returning form of an atomic lies 0x20 above the plain one,
a 64-bit form 0x40 above the 32-bit one. Neither arch has a GDS; `ds_gws_*` are what is left of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from hkasm.isa.families._shapes import GFX950_ONLY
from hkasm.isa.families._vmem import WIDTH
from hkasm.isa.spec import ALL, MemSpec, declare

_READS = (
    # suffix, opcode, element, count, half of the register
    ("b32", 0x36, "b32", 1, ""),
    ("i8", 0x39, "i8", 1, ""),
    ("u8", 0x3A, "u8", 1, ""),
    ("i16", 0x3B, "i16", 1, ""),
    ("u16", 0x3C, "u16", 1, ""),
    ("u8_d16", 0x56, "u8", 1, "lo"),
    ("u8_d16_hi", 0x57, "u8", 1, "hi"),
    ("i8_d16", 0x58, "i8", 1, "lo"),
    ("i8_d16_hi", 0x59, "i8", 1, "hi"),
    ("u16_d16", 0x5A, "b16", 1, "lo"),
    ("u16_d16_hi", 0x5B, "b16", 1, "hi"),
    ("b64", 0x76, "b32", 2, ""),
    ("b96", 0xFE, "b32", 3, ""),
    ("b128", 0xFF, "b32", 4, ""),
)
_WRITES = (
    ("b32", 0x0D, "b32", 1, ""),
    ("b8", 0x1E, "u8", 1, ""),
    ("b16", 0x1F, "b16", 1, ""),
    ("b8_d16_hi", 0x54, "u8", 1, "hi"),
    ("b16_d16_hi", 0x55, "b16", 1, "hi"),
    ("b64", 0x4D, "b32", 2, ""),
    ("b96", 0xDE, "b32", 3, ""),
    ("b128", 0xDF, "b32", 4, ""),
)
_TRANSPOSING = (
    ("b64_tr_b4", 0xE0, 4, 2),
    ("b96_tr_b6", 0xE1, 6, 3),
    ("b64_tr_b8", 0xE2, 8, 2),
    ("b64_tr_b16", 0xE3, 16, 2),
)

_RTN, _WIDE = 0x20, 0x40
_ATOMICS = (
    # name, opcode of the 32-bit form, element kind, data operands, formula
    ("add", 0x00, "u", 1, "LDS = LDS + DATA"),
    ("sub", 0x01, "u", 1, "LDS = LDS - DATA"),
    ("rsub", 0x02, "u", 1, "LDS = DATA - LDS"),
    ("inc", 0x03, "u", 1, "LDS = LDS >= DATA ? 0 : LDS + 1"),
    ("dec", 0x04, "u", 1, "LDS = LDS == 0 or LDS > DATA ? DATA : LDS - 1"),
    ("min", 0x05, "i", 1, "LDS = min(LDS, DATA) signed"),
    ("max", 0x06, "i", 1, "LDS = max(LDS, DATA) signed"),
    ("min", 0x07, "u", 1, "LDS = min(LDS, DATA) unsigned"),
    ("max", 0x08, "u", 1, "LDS = max(LDS, DATA) unsigned"),
    ("and", 0x09, "b", 1, "LDS = LDS & DATA"),
    ("or", 0x0A, "b", 1, "LDS = LDS | DATA"),
    ("xor", 0x0B, "b", 1, "LDS = LDS ^ DATA"),
    ("mskor", 0x0C, "b", 2, "LDS = (LDS & ~DATA0) | DATA1"),
    ("cmpst", 0x10, "b", 2, "LDS = LDS == DATA0 ? DATA1 : LDS"),
    ("cmpst", 0x11, "f", 2, "LDS = LDS == DATA0 ? DATA1 : LDS, compared as floats"),
    ("min", 0x12, "f", 1, "LDS = min(LDS, DATA)"),
    ("max", 0x13, "f", 1, "LDS = max(LDS, DATA)"),
)
_OTHER_ATOMICS = (
    # mnemonic, opcode, MemSpec.atomic, element, data operands, returns, formula
    ("ds_add_f32", 0x15, "add", "f32", 1, False, "LDS = LDS + DATA"),
    ("ds_add_rtn_f32", 0x35, "add", "f32", 1, True, "LDS = LDS + DATA"),
    ("ds_add_f64", 0x5C, "add", "f64", 1, False, "LDS = LDS + DATA"),
    ("ds_add_rtn_f64", 0x7C, "add", "f64", 1, True, "LDS = LDS + DATA"),
    ("ds_pk_add_f16", 0x17, "add", "pkf16", 1, False, "LDS = LDS + DATA, two f16"),
    ("ds_pk_add_rtn_f16", 0xB7, "add", "pkf16", 1, True, "LDS = LDS + DATA, two f16"),
    ("ds_pk_add_bf16", 0x18, "add", "pkbf16", 1, False, "LDS = LDS + DATA, two bf16"),
    ("ds_pk_add_rtn_bf16", 0xB8, "add", "pkbf16", 1, True, "LDS = LDS + DATA, two bf16"),
    ("ds_wrxchg_rtn_b32", 0x2D, "swap", "b32", 1, True, "LDS = DATA"),
    ("ds_wrxchg_rtn_b64", 0x6D, "swap", "b64", 1, True, "LDS = DATA"),
    ("ds_wrap_rtn_b32", 0x34, "wrap", "u32", 2, True, "LDS = LDS >= DATA0 ? LDS - DATA0 : LDS + DATA1"),
    ("ds_condxchg32_rtn_b64", 0x7E, "condxchg", "b32", 1, True, "each dword: LDS = DATA[31] ? DATA[30:0] : LDS"),
)
_PERMUTES = (
    ("ds_permute_b32", 0x3E, "permute", "lane ADDR / 4 gets DATA of this lane"),
    ("ds_bpermute_b32", 0x3F, "bpermute", "D = DATA of lane ADDR / 4"),
)


def _ds(
    name: str,
    op: int,
    signature: str,
    doc: str,
    *,
    memory: MemSpec | None = None,
    archs: frozenset[str] = ALL,
    control: str | None = None,
    flags: Iterable[str] = (),
    fmt: str = "DS",
) -> None:
    declare(
        name,
        signature,
        [(fmt, op)],
        unit="LDS",
        doc=doc,
        archs=archs,
        counter="lgkmcnt",
        memory=memory,
        control=control,
        flags=flags,
    )


def _declare_transfers() -> None:
    for suffix, op, elem, count, half in _READS:
        memory = MemSpec("lds", "load", elem, count, d16=half)
        signature = f"{'+' if half else '='}vdst:{WIDTH[count]}/va addr:b32"
        _ds(f"ds_read_{suffix}", op, signature, f"D = {count} x {elem} of LDS[ADDR + offset]", memory=memory)
    for suffix, op, elem, count, half in _WRITES:
        memory = MemSpec("lds", "store", elem, count, d16=half)
        signature = f"addr:b32 data0:{WIDTH[count]}"
        _ds(f"ds_write_{suffix}", op, signature, f"{count} x {elem} of LDS[ADDR + offset] = DATA", memory=memory)
    for suffix, op, bits, count in _TRANSPOSING:
        memory = MemSpec("lds", "load", "b32", count, transpose=bits)
        doc = f"D = LDS[ADDR + offset], {bits}-bit elements transposed in groups of 16 lanes"
        signature = f"=vdst:{WIDTH[count]}/va addr:b32"
        flags = ("any_tuple",) if suffix == "b96_tr_b6" else ()  # odd ones too, by LLVM's own tests
        _ds(f"ds_read_{suffix}", op, signature, doc, memory=memory, archs=GFX950_ONLY, flags=flags)
    memory = MemSpec("lds", "load_addtid", "b32")
    _ds("ds_read_addtid_b32", 0xB6, "=vdst:b32/va [m0]:b32", "D = LDS[M0 + offset + lane * 4]", memory=memory)
    memory = MemSpec("lds", "store_addtid", "b32")
    _ds("ds_write_addtid_b32", 0x1D, "data0:b32 [m0]:b32", "LDS[M0 + offset + lane * 4] = DATA", memory=memory)


def _declare_pairs() -> None:
    for words, elem, base in ((1, "b32", 0), (2, "b64", _WIDE)):
        for step, stride, infix in ((0, 1, ""), (1, 64, "st64")):
            unit = f"(units of {4 * words * stride} bytes)"
            both, count = WIDTH[2 * words], 2 * words
            memory = MemSpec("lds", "load", "b32", count, pair=stride)
            doc = f"D = two {elem} of LDS, at ADDR + offset0 and at ADDR + offset1 {unit}"
            _ds(f"ds_read2{infix}_{elem}", base + 0x37 + step, f"=vdst:{both}/va addr:b32", doc, memory=memory)
            memory = MemSpec("lds", "store", "b32", count, pair=stride)
            doc = f"two {elem} of LDS, at ADDR + offset0 and at ADDR + offset1 {unit}, = DATA0, DATA1"
            signature = f"addr:b32 data0:{elem} data1:{elem}"
            _ds(f"ds_write2{infix}_{elem}", base + 0x0E + step, signature, doc, memory=memory)
            memory = MemSpec("lds", "atomic", elem, 2, atomic="swap", returns=True, pair=stride)
            doc = (
                f"two {elem} of LDS, at ADDR + offset0 and at ADDR + offset1 {unit}, = DATA0, DATA1; D = the old values"
            )
            signature = f"=vdst:{both}/va {signature}"
            _ds(f"ds_wrxchg2{infix}_rtn_{elem}", base + 0x2E + step, signature, doc, memory=memory)


def _atomic(name: str, op: int, atomic: str, elem: str, sources: int, returns: bool, doc: str) -> None:
    type_name = WIDTH[2 if "64" in elem or atomic == "condxchg" else 1]
    signature = "addr:b32 " + " ".join(f"data{number}:{type_name}" for number in range(sources))
    if returns:
        signature, doc = f"=vdst:{type_name}/va {signature}", f"{doc}; D = the old value"
    count = 2 if atomic == "condxchg" else 1
    _ds(name, op, signature, doc, memory=MemSpec("lds", "atomic", elem, count, atomic=atomic, returns=returns))


def _declare_atomics() -> None:
    for name, op, kind, sources, doc in _ATOMICS:
        for bits, wide in ((32, 0), (64, _WIDE)):
            elem = f"{kind}{bits}"
            _atomic(f"ds_{name}_{elem}", op + wide, name, elem, sources, False, doc)
            _atomic(f"ds_{name}_rtn_{elem}", op + wide + _RTN, name, elem, sources, True, doc)
    for row in _OTHER_ATOMICS:
        _atomic(*row)
    for name, op, change in (("append", 0xBE, "plus"), ("consume", 0xBD, "minus")):
        doc = f"D = LDS[M0[15:0] + offset], then that {change} the number of active lanes"
        _ds(f"ds_{name}", op, "=vdst:b32/va [m0]:b32", doc, memory=MemSpec("lds", name, "u32", returns=True))


def _declare_lane_moves() -> None:
    for name, op, kind, doc in _PERMUTES:
        signature = "=vdst:b32/va addr:b32 data0:b32"
        _ds(name, op, signature, doc, memory=MemSpec("lds", kind, "b32"), fmt="DS_PERMUTE")
    doc = "D = ADDR of another lane, which the offset's pattern names"
    memory = MemSpec("lds", "swizzle", "b32")
    _ds("ds_swizzle_b32", 0x3D, "=vdst:b32/va addr:b32", doc, memory=memory, flags=["swizzle"])
    _ds("ds_nop", 0x14, "", "do nothing", control="nop", fmt="DS_NOP")


def _declare_gws() -> None:
    for name, op, doc in (
        ("sema_release_all", 0x98, "wake all waves that wait for the semaphore"),
        ("sema_v", 0x9A, "raise the semaphore by one"),
        ("sema_p", 0x9C, "wait until the semaphore is above zero, lower it by one"),
    ):
        _ds(f"ds_gws_{name}", op, "[m0]:b32", doc, control="gws", fmt="DS_GWS")
    for name, op, doc in (
        ("init", 0x99, "set the barrier or semaphore to DATA of the first active lane"),
        ("sema_br", 0x9B, "raise the semaphore by DATA of the first active lane"),
        ("barrier", 0x9D, "wait until DATA + 1 waves are at the barrier"),
    ):
        _ds(f"ds_gws_{name}", op, "data0:b32 [m0]:b32", doc, control="gws", flags=["even"], fmt="DS_GWS")


_declare_transfers()
_declare_pairs()
_declare_atomics()
_declare_lane_moves()
_declare_gws()

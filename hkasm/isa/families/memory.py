"""Memory instructions: scalar loads, LDS, buffer, global, scratch and flat; widths and kinds are rows.

Opcodes from LLVM 22 (checked against llvm-mc in the tests).
"""

from __future__ import annotations

from hkasm.isa.families._shapes import GFX950_ONLY
from hkasm.isa.spec import ALL, MemSpec, declare

_TYPE = {1: "b32", 2: "b64", 3: "b96", 4: "b128", 8: "b256", 16: "b512"}


def _scalar_loads() -> None:
    for op, dwords in enumerate((1, 2, 4, 8, 16)):
        suffix = "" if dwords == 1 else f"x{dwords}"
        memory = MemSpec("scalar", "load", "b32", dwords)
        declare(f"s_load_dword{suffix}", f"=sdata:{_TYPE[dwords]} sbase:b64 soffset:b32/so", [("SMEM", op)], unit="SMEM", counter="lgkmcnt", memory=memory, doc=f"D = {dwords} dwords at SBASE + offset (a multiple of 4)")
        declare(f"s_buffer_load_dword{suffix}", f"=sdata:{_TYPE[dwords]} sbase:b128 soffset:b32/so", [("SMEM", 8 + op)], unit="SMEM", counter="lgkmcnt", memory=memory, flags=["descriptor"], doc=f"D = {dwords} dwords of the buffer at offset")


_VECTOR_LOADS = (
    ("ubyte", 0x10, "u8", 1, ""), ("sbyte", 0x11, "i8", 1, ""), ("ushort", 0x12, "u16", 1, ""), ("sshort", 0x13, "i16", 1, ""),
    ("dword", 0x14, "b32", 1, ""), ("dwordx2", 0x15, "b32", 2, ""), ("dwordx3", 0x16, "b32", 3, ""), ("dwordx4", 0x17, "b32", 4, ""),
    ("ubyte_d16", 0x20, "u8", 1, "lo"), ("ubyte_d16_hi", 0x21, "u8", 1, "hi"), ("sbyte_d16", 0x22, "i8", 1, "lo"),
    ("sbyte_d16_hi", 0x23, "i8", 1, "hi"), ("short_d16", 0x24, "b16", 1, "lo"), ("short_d16_hi", 0x25, "b16", 1, "hi"),
)  # fmt: skip
_VECTOR_STORES = (
    ("byte", 0x18, "u8", 1, ""), ("byte_d16_hi", 0x19, "u8", 1, "hi"), ("short", 0x1A, "b16", 1, ""), ("short_d16_hi", 0x1B, "b16", 1, "hi"),
    ("dword", 0x1C, "b32", 1, ""), ("dwordx2", 0x1D, "b32", 2, ""), ("dwordx3", 0x1E, "b32", 3, ""), ("dwordx4", 0x1F, "b32", 4, ""),
)  # fmt: skip
_SPACES = {"buffer": "MUBUF", "global": "GLOBAL", "flat": "FLAT", "scratch": "SCRATCH"}
_DIRECT = {"ubyte": ALL, "ushort": ALL, "sbyte": ALL, "sshort": ALL, "dword": ALL, "dwordx3": GFX950_ONLY, "dwordx4": GFX950_ONLY}


def _signature(space: str, store: bool, type_name: str, access: str) -> str:
    if space == "buffer":
        return f"{'' if store else access}vdata:{type_name} vaddr:b32 srsrc:b128 soffset:b32"
    address = {"global": "vaddr:b64/v", "flat": "vaddr:b64/v", "scratch": "vaddr:b32/vo"}[space]
    base = {"global": " saddr:b64", "flat": "", "scratch": " saddr:b32"}[space]
    return f"{address} vdata:{type_name}{base}" if store else f"{access}vdst:{type_name}/va {address}{base}"


def _vector_memory() -> None:
    for space, fmt in _SPACES.items():
        counter = "both" if space == "flat" else "vmcnt"
        for suffix, op, elem, count, half in _VECTOR_LOADS:
            access = "+" if half else "="
            memory = MemSpec(space, "load", elem, count, d16=half)
            declare(f"{space}_load_{suffix}", _signature(space, False, _TYPE[count], access), [(fmt, op)], unit="VMEM", counter=counter, memory=memory, doc=f"D = {count} x {elem} from {space} memory")
        for suffix, op, elem, count, half in _VECTOR_STORES:
            memory = MemSpec(space, "store", elem, count, d16=half)
            declare(f"{space}_store_{suffix}", _signature(space, True, _TYPE[count], ""), [(fmt, op)], unit="VMEM", counter=counter, memory=memory, doc=f"{space} memory = {count} x {elem}")
    for suffix, op, elem, count, _ in _VECTOR_LOADS[:8]:
        if suffix in _DIRECT:
            memory = MemSpec("buffer", "load", elem, count, to_lds=True)
            declare(f"buffer_load_{suffix}", "vaddr:b32 srsrc:b128 soffset:b32 [m0]:b32", [("MUBUF", op)], unit="VMEM", counter="vmcnt", memory=memory, archs=_DIRECT[suffix], variant="lds", doc=f"LDS[M0 + offset + lane * {max(count * 4, 4)}] = {count} x {elem} from the buffer")


_LDS_LOADS = (
    ("b32", 0x36, "b32", 1, "b32"), ("i8", 0x39, "i8", 1, "b32"), ("u8", 0x3A, "u8", 1, "b32"), ("i16", 0x3B, "i16", 1, "b32"),
    ("u16", 0x3C, "u16", 1, "b32"), ("b64", 0x76, "b32", 2, "b64"), ("b96", 0xFE, "b32", 3, "b96"), ("b128", 0xFF, "b32", 4, "b128"),
)  # fmt: skip
_LDS_STORES = (
    ("b32", 0x0D, "b32", 1, "b32"), ("b8", 0x1E, "u8", 1, "b32"), ("b16", 0x1F, "b16", 1, "b32"), ("b64", 0x4D, "b32", 2, "b64"),
    ("b96", 0xDE, "b32", 3, "b96"), ("b128", 0xDF, "b32", 4, "b128"),
)  # fmt: skip
_TRANSPOSING = (("b64_tr_b4", 0xE0, 4, 2), ("b96_tr_b6", 0xE1, 6, 3), ("b64_tr_b8", 0xE2, 8, 2), ("b64_tr_b16", 0xE3, 16, 2))


def _lds() -> None:
    for suffix, op, elem, count, type_name in _LDS_LOADS:
        declare(f"ds_read_{suffix}", f"=vdst:{type_name}/va addr:b32", [("DS", op)], unit="LDS", counter="lgkmcnt", memory=MemSpec("lds", "load", elem, count), doc=f"D = LDS[ADDR + offset], {count} x {elem}")
    for suffix, op, elem, count, type_name in _LDS_STORES:
        declare(f"ds_write_{suffix}", f"addr:b32 data0:{type_name}", [("DS", op)], unit="LDS", counter="lgkmcnt", memory=MemSpec("lds", "store", elem, count), doc=f"LDS[ADDR + offset] = {count} x {elem}")
    for suffix, op, bits, count in _TRANSPOSING:
        declare(f"ds_read_{suffix}", f"=vdst:{_TYPE[count]}/va addr:b32", [("DS", op)], unit="LDS", counter="lgkmcnt", memory=MemSpec("lds", "load", "b32", count, transpose=bits), archs=GFX950_ONLY, doc=f"D = LDS[ADDR + offset], {bits}-bit elements transposed in groups of 16 lanes")
    for elem, read, write in (("b32", 0x37, 0x0E), ("b64", 0x77, 0x4E)):
        words = 1 if elem == "b32" else 2
        for stride, name in ((1, ""), (64, "st64")):
            extra = 1 if stride == 64 else 0
            load = MemSpec("lds", "load", "b32", 2 * words, pair=stride)
            store = MemSpec("lds", "store", "b32", 2 * words, pair=stride)
            declare(f"ds_read2{name}_{elem}", f"=vdst:{_TYPE[2 * words]}/va addr:b32", [("DS", read + extra)], unit="LDS", counter="lgkmcnt", memory=load, doc=f"D = two {elem} of LDS at ADDR + offset0 and offset1 (in units of {4 * words * stride} bytes)")
            declare(f"ds_write2{name}_{elem}", f"addr:b32 data0:{elem} data1:{elem}", [("DS", write + extra)], unit="LDS", counter="lgkmcnt", memory=store, doc=f"two {elem} of LDS at ADDR + offset0 and offset1 (in units of {4 * words * stride} bytes)")


_scalar_loads()
_vector_memory()
_lds()

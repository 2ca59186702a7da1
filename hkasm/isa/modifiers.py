"""Which modifiers an instruction takes in each of its machine forms, by rule from its declaration.

The rules are those of LLVM's assembler (checked form by form in the tests): floating-point sources take neg and abs,
floating-point results clamp and omod, integers only what their declaration's flags say.

Flags: ``clamps`` an integer operation that saturates, ``halves`` op_sel picks 16-bit halves, ``no_omod``, ``plain`` no
modifier at all, ``signs`` untyped sources that take neg and abs, ``byte_sel`` op_sel[3:2] is a byte of the destination
though there are two sources, ``reserved_sel`` op_sel[2] must be 0 though there is no op_sel.
"""

from __future__ import annotations

from functools import cache

from hkasm.isa.constants import FLOAT_TYPES
from hkasm.isa.formats import FORMATS
from hkasm.isa.spec import SPECS, InstSpec

__all__ = [
    "ROW_NEWBCAST", "allowed_modifiers", "is_dpp_control", "source_count", "takes_selection", "takes_sign",
    "unread_signs",
]  # fmt: skip

_SOURCES = {"src0": 0, "src1": 1, "src2": 2}
_VOP3 = frozenset({"VOP3", "VOP3B", "VOP3L", "VOP3S", "VOP3T"})
_LAST_F8F6F4 = 4
"""fp4, the last of the element formats that cbsz and blgp name."""
_PACKED = frozenset({"pkf16", "pki16", "pku16", "pkbf16", "pkf32", "pkb32"})


ROW_NEWBCAST = 0x15
"""Upper bits of the DPP controls that give one lane of each row to all: the only ones that 64-bit operands take."""


def is_dpp_control(control: int) -> bool:
    """Tell whether gfx9 has a DPP control: quad_perm, row and wave shifts, mirrors, broadcasts."""
    return (
        0 <= control <= 0xFF
        or (control >> 4 in (0x10, 0x11, 0x12) and control & 15 != 0)
        or control in (0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143)
        or control >> 4 == ROW_NEWBCAST
    )


def source_count(spec: InstSpec) -> int:
    """Return how many operands are sources that modifiers number."""
    return sum(op.name in _SOURCES for op in spec.explicit)


def takes_sign(spec: InstSpec, source: str) -> bool:
    """Tell whether a source takes neg and abs."""
    if "plain" in spec.flags:
        return False
    for op in spec.explicit:
        if op.name == source:
            return op.type in FLOAT_TYPES or ("signs" in spec.flags and op.type == "b32")
    return False


@cache
def allowed_modifiers(key: str, format_name: str) -> dict[str, int]:
    """Return the largest value of each modifier that instruction `key` takes in a format; bits by source in masks."""
    spec, fmt = SPECS[key], FORMATS[format_name]
    if format_name in _VOP3:
        found = _vop3(spec)
    elif format_name == "VOP3P":
        found = _vop3p(spec)
    elif format_name.endswith("_DPP"):
        found = _dpp(spec)
    elif "_SDWA" in format_name:
        found = _sdwa(spec, compare=format_name == "VOPC_SDWA")
    else:
        absent = _absent(spec, format_name)
        limits = {name: (1 << fmt.mod_width(name)) - 1 for name in fmt.mods if name not in absent}
        if "f8f6f4" in spec.flags:
            limits |= {"cbsz": _LAST_F8F6F4, "blgp": _LAST_F8F6F4}
        return limits
    return {name: value for name, value in found.items() if value and name in fmt.mods}


_UNREAD_SIGNS = {
    "v_ashr_pk_i8_i32": 7, "v_ashr_pk_u8_i32": 7, "v_cvt_pk_u8_f32": 6, "v_cvt_sr_bf8_f32": 6, "v_cvt_sr_fp8_f32": 6,
    "v_dot2c_i32_i16": 3, "v_dot4c_i32_i8": 3, "v_dot8c_i32_i4": 3, "v_cvt_scalef32_pk_fp4_bf16": 4,
    "v_cvt_scalef32_pk_fp4_f16": 4, "v_cvt_pkaccum_u8_f32": 2, "v_cvt_sr_bf16_f32": 2, "v_cvt_sr_f16_f32": 2,
    "v_ldexp_f16": 2, "v_ldexp_f32": 2, "v_ldexp_f64": 2, "v_trig_preop_f64": 2,
}  # fmt: skip


def unread_signs(spec: InstSpec, format_name: str) -> int:
    """Return, as bits by source, whose neg and abs bits LLVM's disassembler passes over though they mean nothing."""
    name = spec.mnemonic
    if format_name.endswith("_SDWA"):
        return 3 if name == "v_pk_fmac_f16" else 0
    if name.startswith("v_cvt_scalef32_sr_") and "_pk32_" not in name:
        return 2
    if name.startswith("v_cvt_scalef32_") and name.endswith(("_fp8", "_bf8", "_fp4")):
        return 1
    return _UNREAD_SIGNS.get(name, 0)


def _absent(spec: InstSpec, format_name: str) -> frozenset[str]:
    """Return which modifiers of a memory or matrix format the instruction has no use for."""
    memory = spec.memory
    if format_name.startswith("SMEM"):
        if not any(op.name == "soffset" for op in spec.explicit):
            return frozenset(FORMATS[format_name].mods)
        return frozenset() if memory is not None else frozenset({"glc"})
    if format_name == "DS":
        return frozenset({"offset"} if memory is not None and memory.pair else {"offset0", "offset1"})
    if format_name == "MUBUF":
        return frozenset() if memory is not None and memory.to_lds else frozenset({"lds"})
    return frozenset({"abid"} if "f8f6f4" in spec.flags else ())


def takes_selection(spec: InstSpec, format_name: str) -> bool:
    """Tell whether the assembler takes op_sel and op_sel_hi in a format that has them: not on dot products."""
    if format_name != "VOP3P":
        return True
    return "mix" in spec.flags or any(op.type in _PACKED for op in spec.writes)


def _sign_mask(spec: InstSpec) -> int:
    return sum(1 << index for name, index in _SOURCES.items() if takes_sign(spec, name))


def _floating(spec: InstSpec) -> bool:
    return any(op.type in FLOAT_TYPES for op in spec.explicit)


def _vop3(spec: InstSpec) -> dict[str, int]:
    signs = _sign_mask(spec)
    found = {"neg": signs, "abs": signs, "bitop3": 255}
    if "bound_ctrl" in spec.flags:
        found |= {"bound_ctrl": 1, "fi": 1}
    sources = source_count(spec)
    if "halves" in spec.flags or "op_sel" in spec.flags:
        found["op_sel"] = 8 | (1 << sources) - 1 | ("byte_sel" in spec.flags) << 2
    if "clamps" in spec.flags:
        found["clamp"] = 1
    elif "plain" in spec.flags or "op_sel" in spec.flags:
        pass
    elif any(op.name == "sdst" for op in spec.explicit) and not any(op.name == "vdst" for op in spec.explicit):
        found["clamp"] = int(sources > 0 and signs == (1 << sources) - 1)  # a compare of floats, not of classes
    elif _floating(spec):
        found["clamp"] = 1
        found["omod"] = 0 if "no_omod" in spec.flags else 3
    return found


def _vop3p(spec: InstSpec) -> dict[str, int]:
    every = (1 << source_count(spec)) - 1
    found = {"neg_lo": every, "neg_hi": every, "clamp": 1}
    if "mix" in spec.flags or any(op.type in _PACKED for op in spec.explicit):
        found |= {"op_sel": every, "op_sel_hi": every}
    return found


def _dpp(spec: InstSpec) -> dict[str, int]:
    found = {"dpp_ctrl": 0x15F, "row_mask": 15, "bank_mask": 15, "bound_ctrl": 1}
    for name in ("src0", "src1"):
        if takes_sign(spec, name):
            found |= {f"{name}_neg": 1, f"{name}_abs": 1}
    return found


def _sdwa(spec: InstSpec, *, compare: bool) -> dict[str, int]:
    names = {op.name: op for op in spec.explicit}
    found = {f"{name}_sel": 6 for name in ("src0", "src1") if name in names}
    fp8 = "arch" in spec.flags  # the 8-bit float forms have source selection alone
    if not compare:
        found |= {"clamp": 1, "omod": 3 if names["vdst"].type in FLOAT_TYPES else 0}
        if not fp8:
            found |= {"dst_sel": 6, "dst_unused": 2}
    for name in ("src0", "src1"):
        if name not in names or fp8:
            continue
        if names[name].type in _PACKED:
            continue
        if takes_sign(spec, name):
            found |= {f"{name}_neg": 1, f"{name}_abs": 1}
        else:
            found[f"{name}_sext"] = 1
    return found

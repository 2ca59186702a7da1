"""What the hazard rules ask of one instruction: its classes, its registers by role, its passes.

Which instructions belong to a class (dot products, results that are shifted into place, readers of M0 ...) is LLVM's
view of them, tried with its hazard recogniser (tools/hazard_oracle.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hkasm.isa.mfma import MfmaSpec
from hkasm.isa.registers import EXEC, EXECZ, M0, VCC, VCCZ, Register

__all__ = [
    "PLACE_MODIFIERS",
    "HazardFacts",
    "HazardInstruction",
    "hazard_facts",
    "mask_of",
    "register_mask",
    "wait_states_of",
]

PLACE_MODIFIERS = frozenset(("offset", "offset0", "offset1"))
"""Modifiers that say where in memory; no rule asks for them."""


class _Operand(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def is_read(self) -> bool: ...
    @property
    def is_written(self) -> bool: ...


class _Memory(Protocol):
    @property
    def space(self) -> str: ...
    @property
    def op(self) -> str: ...
    @property
    def to_lds(self) -> bool: ...


class _Spec(Protocol):
    @property
    def mnemonic(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def mfma(self) -> MfmaSpec | None: ...
    @property
    def memory(self) -> _Memory | None: ...
    @property
    def explicit(self) -> Sequence[_Operand]: ...
    @property
    def flags(self) -> frozenset[str]: ...


class _Encoding(Protocol):
    @property
    def format(self) -> str: ...


class HazardInstruction(Protocol):
    """What a rule may ask of an instruction: specification, operand values, modifiers, registers."""

    @property
    def spec(self) -> _Spec: ...
    @property
    def encoding(self) -> _Encoding: ...
    @property
    def operands(self) -> Sequence[Any]: ...
    @property
    def mods(self) -> Mapping[str, int]: ...
    def reads(self) -> list[Register]: ...
    def writes(self) -> list[Register]: ...


# fmt: off
_DOTS = frozenset((
    "v_dot2_f32_f16", "v_dot2_i32_i16", "v_dot2_u32_u16", "v_dot4_i32_i8", "v_dot4_u32_u8", "v_dot8_i32_i4",
    "v_dot8_u32_u4", "v_dot2c_f32_f16", "v_dot2c_i32_i16", "v_dot4c_i32_i8", "v_dot8c_i32_i4", "v_dot2c_f32_bf16",
    "v_dot2_f32_bf16",
))
# Conversions that write one byte chosen by op_sel[3:2]; a byte other than the first is shifted into place.
_BYTE_SELECT = frozenset((
    "v_cvt_sr_fp8_f32", "v_cvt_sr_bf8_f32", "v_cvt_scalef32_sr_fp8_f32", "v_cvt_scalef32_sr_fp8_f16",
    "v_cvt_scalef32_sr_fp8_bf16", "v_cvt_scalef32_sr_bf8_f32", "v_cvt_scalef32_sr_bf8_f16",
    "v_cvt_scalef32_sr_bf8_bf16", "v_cvt_scalef32_pk_fp4_f32", "v_cvt_scalef32_pk_fp4_f16",
    "v_cvt_scalef32_pk_fp4_bf16",
))
# Conversions whose result is always shifted into place.
_ALWAYS_SHIFTED = frozenset((
    "v_cvt_scalef32_sr_pk_fp4_f32", "v_cvt_scalef32_sr_pk_fp4_f16", "v_cvt_scalef32_sr_pk_fp4_bf16",
))
# Packed arithmetic without op_sel.
_NO_OP_SEL = frozenset(("v_dot4_i32_i8", "v_dot4_u32_u8", "v_dot8_i32_i4", "v_dot8_u32_u4"))
_READ_LANE = frozenset(("v_readlane_b32", "v_readfirstlane_b32"))
_LANE_SELECT = frozenset(("v_readlane_b32", "v_writelane_b32"))
_PERMLANE_SWAP = frozenset(("v_permlane16_swap_b32", "v_permlane32_swap_b32"))
_DIV_FMAS = frozenset(("v_div_fmas_f32", "v_div_fmas_f64"))
_FMA_F64 = frozenset(("v_fma_f64", "v_fmac_f64"))
_SETREG = frozenset(("s_setreg_b32", "s_setreg_imm32_b32"))
_M0_READERS = frozenset((
    "s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64", "ds_read_addtid_b32", "ds_write_addtid_b32",
    "s_sendmsg", "s_sendmsghalt", "s_ttracedata", "ds_gws_init", "ds_gws_sema_v", "ds_gws_sema_br", "ds_gws_sema_p",
    "ds_gws_barrier", "ds_gws_sema_release_all",
))
# fmt: on
_MODE, _TRAPSTS = 1, 3
_VSKIP_BIT = 28
_SDWA_DWORD = 6
_DST_HIGH, _DST_BYTE_LOW = 8, 4  # bits of op_sel
_OP_SEL_FORMATS = ("VOP3", "VOP3B", "VOP3S")  # VOP3P's op_sel chooses halves of sources only


@dataclass(frozen=True, slots=True, eq=False)
class HazardFacts:
    """Hold what the rules need of one instruction on one chip; `hazard_facts` fills it.

    `classes` are the row's producer and consumer classes. `uses` are explicit register reads with operand names;
    `defs` explicit register writes; `reads` and `writes` include implicit registers. `passes` is an MFMA's,
    `accumulator` the name of the operand that is added to (matrix and dot products).
    """

    opcode: tuple[str, str]
    classes: frozenset[str]
    uses: tuple[tuple[str, Register], ...]
    defs: tuple[Register, ...]
    reads: tuple[Register, ...]
    writes: tuple[Register, ...]
    passes: int
    states: int
    hwreg: int
    accumulator: str

    def pick(self, selector: str) -> tuple[Register, ...]:
        """Return the registers that a selector of a `Search` names."""
        return _SELECTORS[selector](self)


_FIRST_BIT = {"s": 0, "v": 512, "a": 768}


def register_mask(register: Register) -> int:
    """Return a register's bits in one number over all files: s from bit 0, v from 512, a from 768."""
    return ((1 << register.count) - 1) << (register.index + _FIRST_BIT[register.file])


def mask_of(registers: Sequence[Register]) -> int:
    mask = 0
    for register in registers:
        mask |= register_mask(register)
    return mask


def _vector(registers: Sequence[Register]) -> tuple[Register, ...]:
    return tuple(register for register in registers if register.file != "s")


def _scalar(registers: Sequence[Register]) -> tuple[Register, ...]:
    return tuple(register for register in registers if register.file == "s")


def _explicit_uses(facts: HazardFacts) -> tuple[Register, ...]:
    return tuple(register for _, register in facts.uses)


def _named(facts: HazardFacts, *names: str) -> tuple[Register, ...]:
    return tuple(register for name, register in facts.uses if name in names)


def _inputs(facts: HazardFacts) -> tuple[Register, ...]:
    """Return every register read but the accumulator: A, B, the SMFMAC index and scales of a matrix instruction."""
    return tuple(register for name, register in facts.uses if name != facts.accumulator)


_SELECTORS: dict[str, Callable[[HazardFacts], tuple[Register, ...]]] = {
    "nothing": lambda facts: (),
    "uses": _explicit_uses,
    "vgpr uses": lambda facts: tuple(register for _, register in facts.uses if register.file == "v"),
    "sgpr uses": lambda facts: (
        *_scalar(_explicit_uses(facts)),
        *(register for register in facts.reads if register.overlaps(VCC)),
    ),
    "scalar reads": lambda facts: _scalar(facts.reads),
    "defs": lambda facts: facts.defs,
    "vector defs": lambda facts: _vector(facts.defs),
    "operands": lambda facts: (*facts.reads, *facts.writes),
    "writes": lambda facts: facts.writes,
    "scalar writes": lambda facts: _scalar(facts.writes),
    "vector writes": lambda facts: _vector(facts.writes),
    "exec written": lambda facts: tuple(register for register in facts.writes if register.overlaps(EXEC)),
    "hwreg": lambda facts: (),
    "result": lambda facts: _vector(facts.defs)[:1],
    "accumulator": lambda facts: _named(facts, facts.accumulator),
    "inputs": _inputs,
    "store data": lambda facts: _named(facts, "vdata"),
    "lane source": lambda facts: _named(facts, "src0"),
    "lane select": lambda facts: _scalar(_named(facts, "src1")),
    "exec": lambda facts: (EXEC,),
    "vcc": lambda facts: (VCC,),
    "m0": lambda facts: (M0,),
}


def hazard_facts(arch: str, inst: HazardInstruction) -> HazardFacts:
    """Return what the rules need to know of an instruction."""
    spec = inst.spec
    uses: list[tuple[str, Register]] = []
    defs: list[Register] = []
    for operand, value in zip(spec.explicit, inst.operands, strict=True):
        if isinstance(value, Register):
            if operand.is_read:
                uses.append((operand.name, value))
            if operand.is_written:
                defs.append(value)
    if inst.encoding.format.endswith("_DPP"):
        # Lanes that DPP leaves out keep what the destination held, so it is read.
        uses += [("old", register) for register in defs if register.file == "v"]
    writes = tuple(inst.writes())
    accumulator = ""
    if spec.mfma is not None:
        accumulator = "vdst" if spec.mfma.sparse else "src2"
    elif spec.mnemonic in _DOTS:
        accumulator = "src2" if any(name == "src2" for name, _ in uses) else "vdst"
    simm16 = _number(inst, "simm16")
    passes = 0
    if spec.mfma is not None:
        passes = spec.mfma.passes_of(arch, inst.mods.get("cbsz", 0), inst.mods.get("blgp", 0))
    return HazardFacts(
        opcode=(spec.mnemonic, inst.encoding.format),
        classes=frozenset(_classes(inst, uses, writes, simm16)),
        uses=tuple(uses),
        defs=tuple(defs),
        reads=tuple(inst.reads()),
        writes=writes,
        passes=passes,
        states=wait_states_of(inst),
        hwreg=simm16 & 0x3F,
        accumulator=accumulator,
    )


def wait_states_of(inst: HazardInstruction) -> int:
    """Return the wait states an instruction stands for: n + 1 for `s_nop n`, else 1."""
    if inst.spec.mnemonic == "s_nop":
        return (_number(inst, "simm16") & 15) + 1
    return 1


def _number(inst: HazardInstruction, name: str) -> int:
    for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
        if operand.name == name and isinstance(value, int):
            return value
    return 0


def _classes(
    inst: HazardInstruction, uses: list[tuple[str, Register]], writes: tuple[Register, ...], simm16: int
) -> list[str]:
    spec, mods, name = inst.spec, inst.mods, inst.spec.mnemonic
    found = [name]
    direct = spec.memory is not None and spec.memory.to_lds
    if spec.unit in ("VALU", "TRANS", "MFMA") or direct:
        found.append("valu")
        if spec.mfma is None:
            found.append("valu, no mfma")
            if name not in _DOTS:
                found.append("valu, no mfma, no dot")
    if spec.unit in ("VALU", "TRANS", "VMEM", "LDS"):
        found.append("valu or memory")
    if spec.mfma is not None:
        kind = spec.mfma.kind
        found += ["mfma", kind]
        if kind == "dgemm":
            found.append("dgemm 4x4" if spec.mfma.m == 4 else "dgemm 16x16")
        if kind != "xdl":
            found.append("not xdl")
    found.append("trans" if spec.unit == "TRANS" else "not trans")
    if name in _DOTS:
        found.append("dot")
    if spec.unit in ("VMEM", "LDS"):
        found += ["memory", spec.unit.lower()]
        found += _store_classes(inst, uses)
    if spec.unit == "SALU":
        found.append("salu")
    if inst.encoding.format.endswith("_DPP"):
        found.append("dpp")
    if _is_shifted(inst):
        found.append("shifted result")
    elif (
        inst.encoding.format == "VOP3P"
        and name not in _NO_OP_SEL
        and mods.get("op_sel_hi", 0 if "mix" in spec.flags else 7) & 1
    ):
        found.append("packed result")
    if "valu" in found and inst.encoding.format.startswith(("VOPC", "VOP3S")) and any(r.overlaps(EXEC) for r in writes):
        found.append("v_cmpx")
    if name in _READ_LANE | _LANE_SELECT:
        found.append("read or write lane")
    groups = (
        ("read lane", _READ_LANE), ("lane select", _LANE_SELECT), ("permlane swap", _PERMLANE_SWAP),
        ("div_fmas", _DIV_FMAS), ("fma_f64", _FMA_F64), ("setreg", _SETREG), ("m0 reader", _M0_READERS),
    )  # fmt: skip
    found += [group for group, names in groups if name in names]
    if direct:
        found.append("lds dma")
    found += _mode_classes(name, simm16)
    named = [register for _, register in uses]
    found += [group for group, source in (("reads vccz", VCCZ), ("reads execz", EXECZ)) if source in named]
    return found


def _store_classes(inst: HazardInstruction, uses: list[tuple[str, Register]]) -> list[str]:
    """Classify stores (and atomics) of more than 64 bits of data; buffer ones with an SGPR offset are apart."""
    memory = inst.spec.memory
    if memory is None or memory.op == "load" or inst.spec.unit != "VMEM":
        return []
    wide = any(name == "vdata" and register.count > 2 for name, register in uses)
    if not wide:
        return []
    by_sgpr = memory.space == "buffer" and any(name == "soffset" for name, _ in uses)
    return ["wide store, sgpr offset"] if by_sgpr else ["wide store"]


def _is_shifted(inst: HazardInstruction) -> bool:
    """Tell whether a VALU result is shifted into place, which its forwarding path cannot do."""
    name, mods = inst.spec.mnemonic, inst.mods
    if inst.spec.unit not in ("VALU", "TRANS"):
        return False
    if inst.encoding.format.endswith("_SDWA"):
        return mods.get("dst_sel", _SDWA_DWORD) != _SDWA_DWORD
    op_sel = (
        mods.get("op_sel", 0) if inst.encoding.format.startswith("VOP3") and "VOP3P" not in inst.encoding.format else 0
    )
    return bool(op_sel & _DST_HIGH or (name in _BYTE_SELECT and op_sel & _DST_BYTE_LOW) or name in _ALWAYS_SHIFTED)


def _mode_classes(name: str, simm16: int) -> list[str]:
    if name == "s_setvskip":
        return ["sets vskip"]
    if name == "s_getreg_b32":
        return ["getreg mode"] if simm16 & 0x3F == _MODE else []
    if name not in _SETREG:
        return []
    register, first, size = simm16 & 0x3F, simm16 >> 6 & 0x1F, (simm16 >> 11 & 0x1F) + 1
    if register == _TRAPSTS:
        return ["setreg trapsts"]
    return ["sets vskip by mode"] if register == _MODE and first <= _VSKIP_BIT < first + size else []

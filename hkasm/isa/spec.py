"""What an instruction is: operands, encodings, unit, counter, meaning. Everything else is derived from it.

A declaration is one call in a family's file (``sop.py``, ``vop.py`` ...). The signature string lists the operands in
assembler order, each ``field:type`` with the access before it: ``=`` written, ``+`` read and written, nothing for read.
A register in brackets is implicit: ``=[scc]:bool``.

**Meanings.** ``meaning(*reads)`` gives the written operands in declared order: one array, or a tuple when there are
several. It is called under ``np.errstate(all="ignore")``. A read-write operand is among the reads. Arrays have the
operand's type: a scalar instruction sees [waves] or [1]; a vector instruction [waves, 64], or [waves, 1] and [1, 1]
where one value serves all; packed types have a last axis of 2, types above 64 bits a last axis of dwords; ``mask``
is bool [waves, 64] in vector instructions (a mask result is anded with EXEC by the emulator); SCC is bool [waves];
simm16 and the like are uint32 [1]. ``[mode]`` is the MODE register as uint32 [waves].

Source and result modifiers (neg, abs, clamp, omod, op_sel, SDWA, DPP), denormal flushing and the EXEC blend are put
round the meaning by the emulator. Integer meanings are plain arithmetic: run on int64 they give the exact result, which
`clamp` then saturates.

**Flags** that change how a meaning is called:

- ``arch``, ``op_sel``, ``bitop3``, ``fp16_ovfl``: the meaning takes this keyword (the arch's name; the 4-bit op_sel
  field, which the emulator then leaves alone; the truth table; MODE.FP16_OVFL as a bool). `bind_meaning` binds all but
  the last.
- ``lanes``: the meaning crosses lanes. Vector sources are whole [waves, 64] arrays, lanes that are not active
  included; a vector result is blended by EXEC as always, a scalar one is [waves]. EXEC is an operand where it matters.
- ``no_exec``: EXEC is neither read nor obeyed (readlane, writelane).
- ``mix``: sources are f32, or one half of the register as f16 where op_sel_hi says so (op_sel: which half); neg_lo
  negates, neg_hi takes the absolute value.
- ``keeps_high``: a 16-bit result leaves the other half of the register alone; ``writes_high``: it goes to the high
  half.
- ``keeps_denormals``: inputs are not flushed.

Flags about modifiers stand in `hkasm.isa.modifiers`. Others: ``bare`` written without an encoding suffix, ``optional``
the operand may be left out (0), ``separate_vdst`` the destination must not overlap a source, ``any_tuple`` tuples may
start at odd registers, ``unsigned`` the number has no sign, ``hwreg`` and ``message`` the constant has names
(`hkasm.isa.hwregs`, `hkasm.isa.messages`).

**Control** names what the program counter or the machine does, for instructions whose meaning is not (only) arithmetic:
``end branch cbranch jump call getpc fork barrier wait nop sleep prio message halt trap trap_return kill getreg setreg
movrels movreld gpr_idx_on gpr_idx_off gpr_idx_mode vskip debug_branch cache time gws mfma_scale``. A
``debug_branch`` is never taken; ``cache`` writes back or invalidates, ``time`` reads a clock, ``mfma_scale`` is half a
scaled matrix product on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from hkasm.errors import ArchError, HkasmError, did_you_mean
from hkasm.isa.arch import ARCHES, Arch
from hkasm.isa.constants import type_dwords
from hkasm.isa.formats import FORMATS
from hkasm.isa.mfma import MfmaSpec
from hkasm.isa.registers import Register, special_register

Meaning = Callable[..., Any]
ALL = frozenset(ARCHES)


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: the bit field that holds it, its type, what may stand there.

    ``files``: ``s`` SGPR or special scalar, ``v`` VGPR, ``a`` AGPR, ``c`` inline constant, ``l`` literal, ``o`` off
    (no register), ``i`` a plain number. ``fixed`` operands are implicit and never written in assembler text.
    """

    name: str
    type: str
    access: str
    files: str
    dwords: int
    fixed: Register | None = None

    @property
    def is_read(self) -> bool:
        return "r" in self.access

    @property
    def is_written(self) -> bool:
        return "w" in self.access

    def describe(self) -> str:
        """Short text for error messages: ``vdst: v[1]``, ``src0: s|v|const``."""
        if self.files == "i":
            return f"{self.name}: {self.type}"
        kinds = [f"{letter}[{self.dwords}]" for letter in self.files if letter in "sva"]
        kinds += [word for letter, word in (("c", "const"), ("l", "literal"), ("o", "off")) if letter in self.files]
        return f"{self.name}: {'|'.join(kinds)}"


@dataclass(frozen=True, slots=True)
class Encoding:
    """One machine form of an instruction: the format's name and the opcode on each arch that has it."""

    format: str
    opcodes: tuple[tuple[str, int], ...]

    def opcode(self, arch: str) -> int | None:
        for name, op in self.opcodes:
            if name == arch:
                return op
        return None


@dataclass(frozen=True, slots=True)
class MemSpec:
    """What a memory instruction moves.

    ``elem`` is the element in memory (``u8 i8 u16 i16 b32 b64 f32 pkf16 ...``), ``count`` how many of them a lane
    moves. ``pair`` is the offset unit multiplier of ds read2/write2 (1 or 64), ``transpose`` the element width in bits
    of the transposing LDS reads, ``to_lds`` marks direct-to-LDS loads, ``d16`` the half of the register that a 16-bit
    load fills or a store takes. ``atomic`` names the read-modify-write; ``returns`` says that the old value comes back.

    ``op`` is ``load``, ``store`` or ``atomic``; ``load_format`` and ``store_format`` convert by a buffer format;
    ``load_addtid`` and ``store_addtid`` address LDS by M0 and the lane; ``append`` and ``consume`` count in LDS;
    ``permute``, ``bpermute`` and ``swizzle`` move between lanes and touch no memory.
    """

    space: str
    op: str
    elem: str
    count: int = 1
    atomic: str = ""
    returns: bool = False
    d16: str = ""
    transpose: int = 0
    pair: int = 0
    to_lds: bool = False

    @property
    def bytes(self) -> int:
        return _ELEM_BYTES[self.elem] * self.count


_ELEM_BYTES = {
    "u8": 1, "i8": 1, "u16": 2, "i16": 2, "b16": 2, "b32": 4, "f32": 4, "u32": 4, "i32": 4, "pkf16": 4, "pkbf16": 4,
    "b64": 8, "f64": 8, "u64": 8, "i64": 8, "b96": 12, "b128": 16,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class InstSpec:
    """One instruction, derived from its declaration.

    ``key`` is the mnemonic, with `` lds`` or `` rtn`` behind it for the variants whose operands differ. ``unit`` is one
    of SALU VALU TRANS MFMA SMEM VMEM LDS BRANCH MSG; ``counter`` the wait counter that tells its completion.
    """

    mnemonic: str
    key: str
    operands: tuple[Operand, ...]
    encodings: tuple[Encoding, ...]
    unit: str
    doc: str
    meaning: Meaning | None = field(default=None, compare=False)
    counter: str | None = None
    memory: MemSpec | None = None
    mfma: MfmaSpec | None = None
    control: str | None = None
    flags: frozenset[str] = frozenset()
    source: str = ""
    explicit: tuple[Operand, ...] = field(init=False)
    reads: tuple[Operand, ...] = field(init=False)
    writes: tuple[Operand, ...] = field(init=False)
    archs: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        # Lists, and no properties: this runs for every instruction whenever hkasm is loaded.
        set_field(self, "explicit", tuple([op for op in self.operands if op.fixed is None]))
        set_field(self, "reads", tuple([op for op in self.operands if "r" in op.access]))
        set_field(self, "writes", tuple([op for op in self.operands if "w" in op.access]))
        set_field(self, "archs", frozenset([name for enc in self.encodings for name, _ in enc.opcodes]))

    @property
    def has_variable_widths(self) -> bool:
        """Tell whether an operand's width follows modes or modifiers: vector addresses, f8f6f4 sources."""
        return "f8f6f4" in self.flags or (self.memory is not None and self.unit == "VMEM")

    @property
    def form(self) -> str:
        """The written form: ``v_fmac_f32 vdst: v[1], src0: s|v|const, src1: v[1]``."""
        return f"{self.mnemonic} {', '.join(map(self.describe, self.explicit))}".rstrip()

    def describe(self, operand: Operand) -> str:
        """Short text of an operand, with the widths that modes and modifiers give it."""
        note = self._other_width(operand)
        return f"{operand.describe()} ({note})" if note else operand.describe()

    def _other_width(self, operand: Operand) -> str:
        if "f8f6f4" in self.flags and operand.name in ("src0", "src1"):
            return f"6 or 4 by {'cbsz' if operand.name == 'src0' else 'blgp'}"
        if operand.name != "vaddr" or self.memory is None:
            return ""
        return {"global": "v[1] with saddr", "buffer": "v[2] with offen idxen"}.get(self.memory.space, "")

    @property
    def has_suffix(self) -> bool:
        """LLVM writes _e32/_e64/_dpp/_sdwa only where a 32-bit form and another one exist."""
        if len(self.encodings) == 1 or "bare" in self.flags:
            return False
        return any(FORMATS[enc.format].suffix == "_e32" for enc in self.encodings)


SPECS: dict[str, InstSpec] = {}
"""Every instruction by key."""
VARIANTS: dict[str, list[InstSpec]] = {}
"""All specs of a mnemonic, plain form first."""


@cache
def parse_signature(signature: str, scalar: bool = False) -> tuple[Operand, ...]:
    """Turn ``=vdst:f32 src0:f32 =[scc]:bool`` into operands; ``/files`` behind a type overrides the default.

    The sources of a `scalar` instruction are scalar by default.
    """
    return tuple(_parse_operand(token, scalar) for token in signature.split())


_SCALAR_UNITS = frozenset({"SALU", "BRANCH", "MSG"})
_DEFAULT_FILES = {
    "src0": "svcl", "src1": "svcl", "src2": "svcl", "vdst": "v", "sdst": "s", "sdata": "s", "sbase": "s", "srsrc": "s",
    "soffset": "sc", "vaddr": "vo", "vdata": "va", "saddr": "so", "addr": "v", "data0": "va", "data1": "va",
    "simm16": "i", "imm32": "i", "kinds": "i", "k": "l", "scale0": "v", "scale1": "v",
}  # fmt: skip


def _parse_operand(token: str, scalar: bool) -> Operand:
    access = {"=": "w", "+": "rw"}.get(token[0], "r")
    body = token.lstrip("=+")
    name, _, type_name = body.partition(":")
    type_name, _, files = type_name.partition("/")
    if name.startswith("["):
        register = special_register(name[1:-1])
        if register is None:
            raise HkasmError(f"declaration names unknown implicit register {name}")
        return Operand(name[1:-1], type_name, access, "", register.count, register)
    files = files or _DEFAULT_FILES[name]
    if scalar and name.startswith("src"):
        files = files.replace("v", "")
    return Operand(name, type_name, access, files, type_dwords(type_name))


def declare(
    mnemonic: str,
    signature: str,
    encodings: Iterable[tuple[str, int]],
    *,
    unit: str,
    doc: str,
    meaning: Meaning | None = None,
    archs: frozenset[str] = ALL,
    variant: str = "",
    counter: str | None = None,
    memory: MemSpec | None = None,
    mfma: MfmaSpec | None = None,
    control: str | None = None,
    flags: Iterable[str] = (),
    source: str = "",
) -> InstSpec:
    """Declare one instruction; a second declaration of the same key is an error."""
    key = f"{mnemonic} {variant}".rstrip()
    if key in SPECS:
        raise HkasmError(f"instruction {key} is declared twice")
    names = sorted(archs)
    spec = InstSpec(
        mnemonic=mnemonic,
        key=key,
        operands=parse_signature(signature, unit in _SCALAR_UNITS),
        encodings=tuple([Encoding(fmt, tuple([(arch, op) for arch in names])) for fmt, op in encodings]),
        unit=unit,
        doc=doc,
        meaning=meaning,
        counter=counter,
        memory=memory,
        mfma=mfma,
        control=control,
        flags=frozenset(flags),
        source=source,
    )
    SPECS[key] = spec
    VARIANTS.setdefault(mnemonic, []).append(spec)
    return spec


def bind_meaning(spec: InstSpec, arch: str, mods: Mapping[str, int]) -> Meaning | None:
    """Return the meaning with the keywords bound that an instruction's arch and modifiers decide."""
    keywords: dict[str, Any] = {}
    if "arch" in spec.flags:
        keywords["arch"] = arch
    for name in ("op_sel", "bitop3"):
        if name in spec.flags:
            keywords[name] = mods.get(name, 0)
    if spec.meaning is None or not keywords:
        return spec.meaning
    return partial(spec.meaning, **keywords)


def get_spec(key: str, arch: Arch | str) -> InstSpec:
    """Look an instruction up.

    Raises:
        ArchError: no such instruction, or not on this arch.
    """
    arch_name = arch if isinstance(arch, str) else arch.name
    spec = SPECS.get(key)
    if spec is None:
        raise ArchError(f"unknown instruction {key!r}", hint=did_you_mean(key, SPECS))
    if arch_name not in spec.archs:
        raise ArchError(f"{key} does not exist on {arch_name}", hint=f"it is on {', '.join(sorted(spec.archs))}")
    return spec

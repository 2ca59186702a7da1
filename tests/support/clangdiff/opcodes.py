"""Which opcodes of the vector, scalar and LDS units the programs reached, of those that clang can emit.

What clang cannot emit is told by rule, each with its reason; everything else that the ISA has counts as possible, so
that the share reached is a lower bound. A rule that names something that was reached is a mistake and is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hkasm import isa

UNITS = {"VALU": "VALU", "TRANS": "VALU", "SALU": "SALU", "LDS": "DS"}

NEVER = {
    r"v_cmpx_.*": "code generation for gfx9 writes EXEC with scalar instructions",
    r"[vs]_cmpx?_(f|t|tru)_.*": "a constant comparison is folded",
    r"v_cmp_(eq|ne)_i(16|32|64)": "equality is written with the unsigned form",
    r"s_cmp_(eq|lg)_i32": "equality is written with the unsigned form",
    r"v_(mad|fma|div_fixup)_legacy_[fi]16": "gfx8's form, which gfx9 keeps for assembly",
    r"v_(exp|log|mul|mad)_legacy_f32": "no source construct of C asks for it",
    r"v_(mac|madak|madmk|mad)_f16": "unfused, and denormals are kept",
    r"v_(screen_partition_4se_b32|clrexcp|nop|cvt_pkaccum_u8_f32|cvt_(rpi|flr)_i32_f32)": "assembly only",
    r"v_cvt_(norm|pknorm)_[iu]16_f16": "assembly only",
    r"v_mfma_ld_scale_b32": "part of a scaled matrix product",
    r"s_(cbranch_[gi]_fork|cbranch_join|setvskip|rfe.*|trap|call_b64|bitreplicate.*|quadmask.*|wqm.*)": "not from C",
    r"s_(andn1|orn1|nand|nor|xnor|orn2)_saveexec_b64|s_andn[12]_wrexec_b64": "control flow uses and, or, andn2",
    r"s_(movreld|movrels).*|s_set_gpr_idx_(idx|mode)": "scalar registers are not indexed",
    r"s_(bcnt0|ff0)_.*|s_cmovk?_.*|s_setreg_b32": "no pattern selects it",
    r"ds_(gws_.*|nop|mskor.*|rsub.*|wrap.*|condxchg.*|wrxchg2.*|.*_addtid_b32|cmpst_(rtn_)?f(32|64))": "not from C",
    r"ds_read_[iu](8|16)_d16(_hi)?": "these chips do not keep the other half, so whole registers are loaded",
    r"ds_read_b(64|96)_tr_b\d+": "a builtin without a model here; kernels of Triton reach them",
}
"""Pattern of mnemonics that clang does not emit from the C and the builtins used here -> why."""


def never_emitted(mnemonic: str) -> bool:
    """Tell whether a rule says that clang does not emit it."""
    return any(re.fullmatch(pattern, mnemonic) for pattern in NEVER)


def coverage_lines(reached: Mapping[str, set[str]], *, names: bool) -> Iterator[str]:
    """One line for each unit and arch, with the names of what was not reached if wanted."""
    for arch, seen in reached.items():
        hits = possible = 0
        for unit in ("VALU", "SALU", "DS"):
            there = {m for m, spec in isa.SPECS.items() if UNITS.get(spec.unit) == unit and arch in spec.archs}
            excluded = {m for m in there if never_emitted(m)}
            hit, could = there & seen, there - excluded | (there & seen)
            hits, possible = hits + len(hit), possible + len(could)
            yield (
                f"{arch} {unit}: {len(hit)} of {len(could)} opcodes that clang can emit "
                f"({100 * len(hit) / len(could):.0f} %), {len(there - could)} more in the ISA"
            )
            if wrong := excluded & seen:
                yield f"  reached against a rule: {' '.join(sorted(wrong))}"
            if names:
                yield f"  not reached: {' '.join(sorted(could - hit))}"
        yield f"{arch}: {hits} of {possible} ({100 * hits / max(possible, 1):.0f} %)"

"""Scalar instructions against references on Python's own integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.meanings import evaluate, is_scalar, patterns, random_values

from hkasm.isa import SPECS
from hkasm.isa.constants import TYPE_BITS

Reference = Callable[..., Any]
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def bits_of(value: int, width: int) -> str:
    """Most significant first."""
    return format(value & ((1 << width) - 1), f"0{width}b")


def find(text: str, wanted: str) -> int:
    return text.find(wanted)


def sign_run(value: int, width: int) -> int:
    text = bits_of(value, width)
    other = "1" if text[0] == "0" else "0"
    return text.find(other)


def field(value: int, place: int, width: int) -> int:
    return value >> place & ((1 << width) - 1)


def quads(value: int, width: int) -> list[bool]:
    return [bool(value >> 4 * i & 15) for i in range(width // 4)]


def whole_quads(value: int, width: int) -> int:
    return sum(15 << 4 * i for i, any_set in enumerate(quads(value, width)) if any_set)


def quad_mask(value: int, width: int) -> int:
    return sum(1 << i for i, any_set in enumerate(quads(value, width)) if any_set)


def bfe(value: int, control: int, width: int, sign: bool) -> int:
    size = control >> 16 & 0x7F
    found = field(value, control & (width - 1), size)
    top = min(size, width)
    return signed(found, top) if sign and top else found


REFERENCES: dict[str, Reference] = {
    "s_add_u32": lambda a, b: (a + b, a + b > M32),
    "s_sub_u32": lambda a, b: (a - b, b > a),
    "s_add_i32": lambda a, b: (a + b, a + b != signed(a + b, 32)),
    "s_sub_i32": lambda a, b: (a - b, a - b != signed(a - b, 32)),
    "s_addc_u32": lambda a, b, c: (a + b + c, a + b + c > M32),
    "s_subb_u32": lambda a, b, c: (a - b - c, b + c > a),
    "s_min_i32": lambda a, b: (min(a, b), a < b),
    "s_min_u32": lambda a, b: (min(a, b), a < b),
    "s_max_i32": lambda a, b: (max(a, b), a >= b),
    "s_max_u32": lambda a, b: (max(a, b), a >= b),
    "s_cselect_b32": lambda a, b, c: a if c else b,
    "s_cselect_b64": lambda a, b, c: a if c else b,
    "s_ashr_i32": lambda a, b: (a >> (b & 31), a >> (b & 31) != 0),
    "s_ashr_i64": lambda a, b: (a >> (b & 63), a >> (b & 63) != 0),
    "s_bfm_b32": lambda a, b: ((1 << (a & 31)) - 1) << (b & 31),
    "s_bfm_b64": lambda a, b: ((1 << (a & 63)) - 1) << (b & 63),
    "s_mul_i32": lambda a, b: a * b,
    "s_mul_hi_u32": lambda a, b: a * b >> 32,
    "s_mul_hi_i32": lambda a, b: a * b >> 32,
    "s_absdiff_i32": lambda a, b: (abs(signed(a - b, 32)), signed(a - b, 32) != 0),
    "s_pack_ll_b32_b16": lambda a, b: a & 0xFFFF | (b & 0xFFFF) << 16,
    "s_pack_lh_b32_b16": lambda a, b: a & 0xFFFF | b >> 16 << 16,
    "s_pack_hh_b32_b16": lambda a, b: a >> 16 | b >> 16 << 16,
    "s_flbit_i32": lambda a: sign_run(a, 32),
    "s_flbit_i32_i64": lambda a: sign_run(a, 64),
    "s_sext_i32_i8": lambda a: signed(a, 8),
    "s_sext_i32_i16": lambda a: signed(a, 16),
    "s_abs_i32": lambda a: (abs(a), a != 0),
    "s_bitreplicate_b64_b32": lambda a: int("".join(bit * 2 for bit in bits_of(a, 32)), 2),
    "s_cmp_eq_u64": lambda a, b: a == b,
    "s_cmp_lg_u64": lambda a, b: a != b,
    "s_movk_i32": lambda k: signed(k, 16),
    "s_cmovk_i32": lambda old, k, scc: signed(k, 16) if scc else old,
    "s_addk_i32": lambda old, k: (old + signed(k, 16), old + signed(k, 16) != signed(old + signed(k, 16), 32)),
    "s_mulk_i32": lambda old, k: old * signed(k, 16),
    "s_set_gpr_idx_idx": lambda a, m0: m0 & ~0xFF | a & 0xFF,
    "s_set_gpr_idx_on": lambda a, k, m0, mode: (m0 & ~0xF0FF | a & 0xFF | (k & 15) << 12, mode | 1 << 27),
    "s_set_gpr_idx_off": lambda mode: mode & ~(1 << 27),
    "s_set_gpr_idx_mode": lambda k, m0, mode: (m0 & ~0xF000 | (k & 15) << 12, mode),
}
LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
    "andn1": lambda a, b: ~a & b,
    "orn1": lambda a, b: ~a | b,
}
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


def _with_nonzero(function: Reference, mask: int) -> Reference:
    return lambda *sources: (function(*sources) & mask, function(*sources) & mask != 0)


def _register_families() -> None:
    for width, mask in ((32, M32), (64, M64)):
        for name in ("and", "or", "xor", "andn2", "orn2", "nand", "nor", "xnor"):
            REFERENCES[f"s_{name}_b{width}"] = _with_nonzero(LOGIC[name], mask)
        low = width - 1
        REFERENCES.update(
            {
                f"s_lshl_b{width}": _with_nonzero(lambda a, b, low=low: a << (b & low), mask),
                f"s_lshr_b{width}": _with_nonzero(lambda a, b, low=low: a >> (b & low), mask),
                f"s_bfe_u{width}": _with_nonzero(lambda a, b, width=width: bfe(a, b, width, False), mask),
                f"s_bfe_i{width}": _with_nonzero(lambda a, b, width=width: bfe(a, b, width, True), mask),
                f"s_mov_b{width}": lambda a: a,
                f"s_cmov_b{width}": lambda old, a, scc: a if scc else old,
                f"s_not_b{width}": _with_nonzero(lambda a: ~a, mask),
                f"s_wqm_b{width}": _with_nonzero(lambda a, width=width: whole_quads(a, width), mask),
                f"s_quadmask_b{width}": _with_nonzero(lambda a, width=width: quad_mask(a, width), mask),
                f"s_brev_b{width}": lambda a, width=width: int(bits_of(a, width)[::-1], 2),
                f"s_bcnt0_i32_b{width}": _with_nonzero(lambda a, width=width: bits_of(a, width).count("0"), mask),
                f"s_bcnt1_i32_b{width}": _with_nonzero(lambda a, width=width: bits_of(a, width).count("1"), mask),
                f"s_ff0_i32_b{width}": lambda a, width=width: find(bits_of(a, width)[::-1], "0"),
                f"s_ff1_i32_b{width}": lambda a, width=width: find(bits_of(a, width)[::-1], "1"),
                f"s_flbit_i32_b{width}": lambda a, width=width: find(bits_of(a, width), "1"),
                f"s_bitset0_b{width}": lambda old, a, low=low: old & ~(1 << (a & low)),
                f"s_bitset1_b{width}": lambda old, a, low=low: old | 1 << (a & low),
                f"s_bitcmp0_b{width}": lambda a, b, low=low: not a >> (b & low) & 1,
                f"s_bitcmp1_b{width}": lambda a, b, low=low: bool(a >> (b & low) & 1),
            }
        )
    for amount in (1, 2, 3, 4):
        REFERENCES[f"s_lshl{amount}_add_u32"] = lambda a, b, n=amount: ((a << n) + b, (a << n) + b > M32)
    for name, compare in COMPARE.items():
        REFERENCES[f"s_cmp_{name}_i32"] = REFERENCES[f"s_cmp_{name}_u32"] = compare
        REFERENCES[f"s_cmpk_{name}_i32"] = lambda a, k, f=compare: f(a, signed(k, 16))
        REFERENCES[f"s_cmpk_{name}_u32"] = lambda a, k, f=compare: f(a, k & 0xFFFF)
    for name, function in LOGIC.items():
        REFERENCES[f"s_{name}_saveexec_b64"] = lambda a, e, f=function: (e, f(a, e) & M64, f(a, e) & M64 != 0)
    for name in ("andn1", "andn2"):
        function = LOGIC[name]
        REFERENCES[f"s_{name}_wrexec_b64"] = lambda a, e, f=function: (f(a, e) & M64, f(a, e) & M64, f(a, e) & M64 != 0)


_register_families()


def test_every_scalar_meaning_has_a_reference() -> None:
    wanted = {key for key, spec in SPECS.items() if is_scalar(spec) and spec.meaning and spec.control != "cbranch"}
    assert wanted == set(REFERENCES)


@pytest.mark.parametrize("mnemonic", sorted(REFERENCES))
def test_scalar_meaning(mnemonic: str) -> None:
    spec = SPECS[mnemonic]
    random = np.random.default_rng(len(mnemonic))
    count = 1 if any(op.type.startswith("imm") for op in spec.reads) else 200
    for _ in range(200 // count):
        sources = [random_values(op, count, random) for op in spec.reads]
        found = evaluate(mnemonic, *sources)
        expected = [REFERENCES[mnemonic](*lane) for lane in zip(*sources, strict=True)]
        for number, operand in enumerate(spec.writes):
            want = [lane[number] if isinstance(lane, tuple) else lane for lane in expected]
            width = TYPE_BITS[operand.type]
            assert patterns(found[number].tolist(), width) == patterns(want, width), (mnemonic, operand.name, sources)


@pytest.mark.parametrize(
    ("mnemonic", "value", "taken"),
    [
        ("s_cbranch_scc0", False, True),
        ("s_cbranch_scc1", False, False),
        ("s_cbranch_vccz", 0, True),
        ("s_cbranch_vccz", 1 << 63, False),
        ("s_cbranch_vccnz", 1 << 63, True),
        ("s_cbranch_execz", 0, True),
        ("s_cbranch_execnz", 1, True),
        ("s_cbranch_execnz", 0, False),
    ],
)
def test_conditional_branches_tell_which_waves_take_them(mnemonic: str, value: int, taken: bool) -> None:
    meaning = SPECS[mnemonic].meaning
    assert meaning is not None
    source = np.array([value], dtype=np.bool_ if isinstance(value, bool) else np.uint64)
    assert meaning(source).tolist() == [taken]

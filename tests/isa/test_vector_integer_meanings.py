"""Vector integer instructions against references on Python's own integers, clamped forms included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.meanings import as_array, element_dtype, evaluate, patterns, random_values

from hkasm.isa import SPECS
from hkasm.isa.constants import FLOAT_TYPES, TYPE_BITS
from hkasm.isa.spec import bind_meaning

Reference = Callable[..., Any]
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def octets(value: int) -> list[int]:
    return list((value & M32).to_bytes(4, "little"))


def nibbles(value: int) -> list[int]:
    return [value >> 4 * i & 15 for i in range(8)]


def halves(value: int) -> list[int]:
    return [value & 0xFFFF, value >> 16 & 0xFFFF]


def dword(parts: list[int]) -> int:
    return int.from_bytes(bytes(part & 0xFF for part in parts), "little")


def count_run(text: str, wanted: str) -> int:
    return text.find(wanted)


def sign_run(value: int) -> int:
    text = format(value & M32, "032b")
    return text.find("1" if text[0] == "0" else "0")


def permute(high: int, low: int, selector: int) -> int:
    both = octets(low) + octets(high)
    result = []
    for pick in octets(selector):
        if pick < 8:
            result.append(both[pick])
        elif pick < 12:
            result.append(255 if both[2 * (pick - 8) + 1] & 0x80 else 0)
        else:
            result.append(0 if pick == 12 else 255)
    return dword(result)


def sad(a: int, b: int, c: int) -> int:
    return c + sum(abs(x - y) for x, y in zip(octets(a), octets(b), strict=True))


def masked_sad(a: int, b: int, c: int) -> int:
    return c + sum(abs(x - y) for x, y in zip(octets(a), octets(b), strict=True) if y)


def quad(function: Reference) -> Reference:
    def reference(a: int, b: int, c: int) -> int:
        return sum((function(a >> 8 * i & M32, b, c >> 16 * i & 0xFFFF) & 0xFFFF) << 16 * i for i in range(4))

    return reference


def quad_dwords(a: int, b: int, c: list[int]) -> list[int]:
    return [masked_sad(a >> 8 * i & M32, b, c[i]) & M32 for i in range(4)]


def dot(split: Callable[[int], list[int]], bits: int, is_signed: bool) -> Reference:
    def part(value: int) -> list[int]:
        return [signed(x, bits) if is_signed else x for x in split(value & M32)]

    return lambda a, b, c: c + sum(x * y for x, y in zip(part(a), part(b), strict=True))


def bfe(a: int, offset: int, width: int, is_signed: bool) -> int:
    size = width & 31
    found = a >> (offset & 31) & ((1 << size) - 1)
    return signed(found, size) if is_signed and size else found


def saturate(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def mad_carry_i64(a: int, b: int, c: int) -> tuple[int, bool]:
    return a * b + c, bool(a * b + c >> 64 & 1)


def low24(value: int, is_signed: bool) -> int:
    return signed(value, 24) if is_signed else value & 0xFFFFFF


REFERENCES: dict[str, Reference] = {
    "v_mov_b32": lambda a: a,
    "v_mov_b64": lambda a: a,
    "v_accvgpr_read_b32": lambda a: a,
    "v_accvgpr_write_b32": lambda a: a,
    "v_accvgpr_mov_b32": lambda a: a,
    "v_not_b32": lambda a: ~a,
    "v_bfrev_b32": lambda a: int(format(a, "032b")[::-1], 2),
    "v_ffbh_u32": lambda a: format(a, "032b").find("1"),
    "v_ffbl_b32": lambda a: format(a, "032b")[::-1].find("1"),
    "v_ffbh_i32": sign_run,
    "v_prng_b32": lambda a: a << 1 ^ (197 if a >> 31 else 0),
    "v_swap_b32": lambda d, a: (a, d),
    "v_sat_pk_u8_i16": lambda a: saturate(signed(a, 16), 0, 255) | saturate(signed(a >> 16, 16), 0, 255) << 8,
    "v_cndmask_b32": lambda a, b, m: b if m else a,
    "v_mul_i32_i24": lambda a, b: low24(a, True) * low24(b, True),
    "v_mul_hi_i32_i24": lambda a, b: low24(a, True) * low24(b, True) >> 32,
    "v_mul_u32_u24": lambda a, b: low24(a, False) * low24(b, False),
    "v_mul_hi_u32_u24": lambda a, b: low24(a, False) * low24(b, False) >> 32,
    "v_mad_i32_i24": lambda a, b, c: low24(a, True) * low24(b, True) + c,
    "v_mad_u32_u24": lambda a, b, c: low24(a, False) * low24(b, False) + c,
    "v_lshrrev_b32": lambda a, b: b >> (a & 31),
    "v_ashrrev_i32": lambda a, b: b >> (a & 31),
    "v_lshlrev_b32": lambda a, b: b << (a & 31),
    "v_lshrrev_b16": lambda a, b: b >> (a & 15),
    "v_ashrrev_i16": lambda a, b: b >> (a & 15),
    "v_lshlrev_b16": lambda a, b: b << (a & 15),
    "v_lshrrev_b64": lambda a, b: b >> (a & 63),
    "v_ashrrev_i64": lambda a, b: b >> (a & 63),
    "v_lshlrev_b64": lambda a, b: b << (a & 63),
    "v_and_b32": lambda a, b: a & b,
    "v_or_b32": lambda a, b: a | b,
    "v_xor_b32": lambda a, b: a ^ b,
    "v_xnor_b32": lambda a, b: ~(a ^ b),
    "v_add_co_u32": lambda a, b: (a + b, a + b > M32),
    "v_sub_co_u32": lambda a, b: (a - b, b > a),
    "v_subrev_co_u32": lambda a, b: (b - a, a > b),
    "v_addc_co_u32": lambda a, b, c: (a + b + c, a + b + c > M32),
    "v_subb_co_u32": lambda a, b, c: (a - b - c, b + c > a),
    "v_subbrev_co_u32": lambda a, b, c: (b - a - c, a + c > b),
    "v_mul_lo_u16": lambda a, b: a * b,
    "v_mul_lo_u32": lambda a, b: a * b,
    "v_mul_hi_u32": lambda a, b: a * b >> 32,
    "v_mul_hi_i32": lambda a, b: a * b >> 32,
    "v_mad_u32_u16": lambda a, b, c: a * b + c,
    "v_mad_i32_i16": lambda a, b, c: a * b + c,
    "v_mad_u64_u32": lambda a, b, c: (a * b + c, a * b + c > M64),
    "v_mad_i64_i32": mad_carry_i64,
    "v_add_i32": lambda a, b: a + b,
    "v_sub_i32": lambda a, b: a - b,
    "v_add_i16": lambda a, b: a + b,
    "v_sub_i16": lambda a, b: a - b,
    "v_bfe_u32": lambda a, b, c: bfe(a, b, c, False),
    "v_bfe_i32": lambda a, b, c: bfe(a, b, c, True),
    "v_bfi_b32": lambda a, b, c: a & b | ~a & c,
    "v_bfm_b32": lambda a, b: ((1 << (a & 31)) - 1) << (b & 31),
    "v_lshl_add_u32": lambda a, b, c: (a << (b & 31)) + c,
    "v_add_lshl_u32": lambda a, b, c: (a + b & M32) << (c & 31),
    "v_add3_u32": lambda a, b, c: a + b + c,
    "v_lshl_or_b32": lambda a, b, c: a << (b & 31) | c,
    "v_and_or_b32": lambda a, b, c: a & b | c,
    "v_or3_b32": lambda a, b, c: a | b | c,
    "v_xad_u32": lambda a, b, c: (a ^ b) + c,
    "v_lshl_add_u64": lambda a, b, c: (a << (b & 7)) + c,
    "v_perm_b32": permute,
    "v_alignbit_b32": lambda a, b, c: (a << 32 | b) >> (c & 31),
    "v_alignbyte_b32": lambda a, b, c: (a << 32 | b) >> 8 * (c & 3),
    "v_lerp_u8": lambda a, b, c: dword(
        [x + y + (z & 1) >> 1 for x, y, z in zip(octets(a), octets(b), octets(c), strict=True)]
    ),
    "v_sad_u8": sad,
    "v_sad_hi_u8": lambda a, b, c: (sad(a, b, 0) << 16) + c,
    "v_sad_u16": lambda a, b, c: c + sum(abs(x - y) for x, y in zip(halves(a), halves(b), strict=True)),
    "v_sad_u32": lambda a, b, c: abs(a - b) + c,
    "v_msad_u8": masked_sad,
    "v_qsad_pk_u16_u8": quad(sad),
    "v_mqsad_pk_u16_u8": quad(masked_sad),
    "v_bcnt_u32_b32": lambda a, b: a.bit_count() + b,
    "v_dot2c_i32_i16": lambda d, a, b: d + a[0] * b[0] + a[1] * b[1],
    "v_dot2_i32_i16": lambda a, b, c: c + a[0] * b[0] + a[1] * b[1],
    "v_dot2_u32_u16": lambda a, b, c: c + a[0] * b[0] + a[1] * b[1],
    "v_dot4c_i32_i8": lambda d, a, b: dot(octets, 8, True)(a, b, d),
    "v_dot4_i32_i8": dot(octets, 8, True),
    "v_dot4_u32_u8": dot(octets, 8, False),
    "v_dot8c_i32_i4": lambda d, a, b: dot(nibbles, 4, True)(a, b, d),
    "v_dot8_i32_i4": dot(nibbles, 4, True),
    "v_dot8_u32_u4": dot(nibbles, 4, False),
    "v_cvt_pk_u16_u32": lambda a, b: [saturate(a, 0, 0xFFFF), saturate(b, 0, 0xFFFF)],
    "v_cvt_pk_i16_i32": lambda a, b: [saturate(a, -0x8000, 0x7FFF), saturate(b, -0x8000, 0x7FFF)],
    "v_ashr_pk_i8_i32": lambda a, b, c: (
        saturate(a >> (c & 31), -128, 127) & 0xFF | (saturate(b >> (c & 31), -128, 127) & 0xFF) << 8
    ),
    "v_ashr_pk_u8_i32": lambda a, b, c: saturate(a >> (c & 31), 0, 255) | saturate(b >> (c & 31), 0, 255) << 8,
    "v_mqsad_u32_u8": quad_dwords,
}
ORDER = {"lt": 1, "eq": 2, "le": 3, "gt": 4, "ne": 5, "ge": 6}
PACKED: dict[str, Callable[..., int]] = {
    "mad_i16": lambda a, b, c: a * b + c,
    "mad_u16": lambda a, b, c: a * b + c,
    "mul_lo_u16": lambda a, b: a * b,
    "add_i16": lambda a, b: a + b,
    "add_u16": lambda a, b: a + b,
    "sub_i16": lambda a, b: a - b,
    "sub_u16": lambda a, b: a - b,
    "lshlrev_b16": lambda a, b: b << (a & 15),
    "lshrrev_b16": lambda a, b: b >> (a & 15),
    "ashrrev_i16": lambda a, b: b >> (a & 15),
    "max_i16": max,
    "min_i16": min,
    "max_u16": max,
    "min_u16": min,
}


def _compare(word: str, a: int, b: int) -> bool:
    return {
        "f": False, "t": True, "lt": a < b, "eq": a == b, "le": a <= b, "gt": a > b, "ne": a != b, "ge": a >= b,
    }[word]  # fmt: skip


def _register_families() -> None:
    for type_name in ("i16", "u16", "i32", "u32", "i64", "u64"):
        for word in ("f", "t", *ORDER):
            REFERENCES[f"v_cmp_{word}_{type_name}"] = lambda a, b, w=word: _compare(w, a, b)
            REFERENCES[f"v_cmpx_{word}_{type_name}"] = lambda a, b, w=word: (_compare(w, a, b),) * 2
    for type_name in ("i16", "u16", "i32", "u32"):
        REFERENCES[f"v_min_{type_name}"] = min
        REFERENCES[f"v_max_{type_name}"] = max
        REFERENCES[f"v_min3_{type_name}"] = min
        REFERENCES[f"v_max3_{type_name}"] = max
        REFERENCES[f"v_med3_{type_name}"] = lambda *sources: sorted(sources)[1]
    for type_name in ("u16", "u32"):
        REFERENCES[f"v_add_{type_name}"] = lambda a, b: a + b
        REFERENCES[f"v_sub_{type_name}"] = lambda a, b: a - b
        REFERENCES[f"v_subrev_{type_name}"] = lambda a, b: b - a
    for type_name in ("u16", "i16"):
        for infix in ("", "legacy_"):
            REFERENCES[f"v_mad_{infix}{type_name}"] = lambda a, b, c: a * b + c
    for name, function in PACKED.items():
        REFERENCES[f"v_pk_{name}"] = lambda *sources, f=function: [f(*lane) for lane in zip(*sources, strict=True)]


_register_families()
LANE_CROSSING = {
    "v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32", "v_permlane16_swap_b32", "v_permlane32_swap_b32",
    "v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32",
}  # fmt: skip
OTHERS = {"v_nop", "v_clrexcp", "v_bitop3_b32", "v_bitop3_b16", "v_pk_mov_b32"}


def _is_integer(key: str) -> bool:
    spec = SPECS[key]
    if spec.meaning is None or spec.unit not in ("VALU", "TRANS") or "arch" in spec.flags:
        return False
    return not any(op.type in FLOAT_TYPES for op in spec.operands) and "cvt_scalef32" not in key


def test_every_integer_meaning_has_a_reference() -> None:
    wanted = {key for key in SPECS if _is_integer(key)} - LANE_CROSSING - OTHERS
    assert wanted - set(REFERENCES) - {"v_cvt_off_f32_i4"} == set()
    assert set(REFERENCES) - wanted == set()


def _values(type_name: str, operand: Any, count: int, random: np.random.Generator) -> list[Any]:
    if type_name in ("pki16", "pku16"):
        signs = type_name == "pki16"
        flat = [int(x) for x in random.integers(0, 1 << 16, 2 * count)]
        flat = [signed(x, 16) if signs else x for x in flat]
        return [flat[2 * i : 2 * i + 2] for i in range(count)]
    if type_name == "b128":
        return [[int(x) for x in random.integers(0, 1 << 32, 4)] for _ in range(count)]
    return random_values(operand, count, random)


@pytest.mark.parametrize("mnemonic", sorted(REFERENCES))
def test_integer_meaning(mnemonic: str) -> None:
    spec = SPECS[mnemonic]
    random = np.random.default_rng(len(mnemonic))
    sources = [_values(op.type, op, 200, random) for op in spec.reads]
    found = evaluate(mnemonic, *sources)
    expected = [REFERENCES[mnemonic](*lane) for lane in zip(*sources, strict=True)]
    for number, operand in enumerate(spec.writes):
        want = [lane[number] if isinstance(lane, tuple) else lane for lane in expected]
        if operand.type in ("pki16", "pku16", "b128"):
            width = 32 if operand.type == "b128" else 16
            flat = [x for lane in want for x in lane]
            assert patterns(found[number].ravel().tolist(), width) == patterns(flat, width)
            continue
        width = TYPE_BITS[operand.type]
        assert patterns(found[number].tolist(), width) == patterns(want, width), (mnemonic, operand.name)


CLAMPED = sorted(
    key
    for key, spec in SPECS.items()
    if "clamps" in spec.flags
    and key in REFERENCES
    and spec.writes[0].type in ("u16", "i16", "u32", "i32", "pki16", "pku16")
    and not any(op.type == "mask" for op in spec.operands)
)


@pytest.mark.parametrize("mnemonic", CLAMPED)
def test_integer_meanings_are_exact_on_wide_integers(mnemonic: str) -> None:
    """The emulator runs a clamped integer instruction on int64 and saturates the result."""
    spec = SPECS[mnemonic]
    meaning = bind_meaning(spec, "gfx950", {})
    assert meaning is not None
    random = np.random.default_rng(7)
    sources = [_values(op.type, op, 100, random) for op in spec.reads]
    wide = [as_array(op.type, values)[None].astype(np.int64) for op, values in zip(spec.reads, sources, strict=True)]
    found = np.asarray(meaning(*wide))[0]
    expected = np.array([REFERENCES[mnemonic](*lane) for lane in zip(*sources, strict=True)], dtype=np.int64)
    if mnemonic in ("v_alignbit_b32", "v_alignbyte_b32"):
        expected &= M32
    assert found.tolist() == expected.tolist()
    assert element_dtype(spec.writes[0].type) is not np.int64


@pytest.mark.parametrize("selector", [0x07060302, 0x0C0D0408, 0x090A0B00, 0xFF0C0103])
def test_perm_with_one_selector_for_all_lanes(selector: int) -> None:
    random = np.random.default_rng(selector)
    high, low = (random.integers(0, 1 << 32, (3, 64), dtype=np.uint32) for _ in range(2))
    meaning = SPECS["v_perm_b32"].meaning
    assert meaning is not None
    found = meaning(high, low, np.full((3, 1), selector, dtype=np.uint32))
    expected = [permute(int(a), int(b), selector) for a, b in zip(high.ravel(), low.ravel(), strict=True)]
    assert found.ravel().tolist() == expected


@pytest.mark.parametrize("mnemonic", ["v_bitop3_b32", "v_bitop3_b16"])
@pytest.mark.parametrize("table", [0, 1, 0x8A, 0x96, 0xCA, 0xE8, 0xFF])
def test_bitop3_looks_every_bit_up(mnemonic: str, table: int) -> None:
    spec = SPECS[mnemonic]
    width = TYPE_BITS[spec.writes[0].type]
    random = np.random.default_rng(table)
    sources = [random_values(op, 50, random) for op in spec.reads]
    (found,) = evaluate(mnemonic, *sources, bitop3=table)
    for result, a, b, c in zip(found.tolist(), *sources, strict=True):
        bits = [(a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1 for i in range(width)]
        assert result == sum((table >> row & 1) << i for i, row in enumerate(bits))


@pytest.mark.parametrize("mnemonic", ["v_bitop3_b32", "v_bitop3_b16"])
def test_bitop3_of_counted_rows_is_its_table(mnemonic: str) -> None:
    rows = [np.array([bits], dtype=np.uint32) for bits in (0xF0, 0xCC, 0xAA)]  # bit i of row r: bit r of the number i
    sources = [row.astype(np.uint16) for row in rows] if mnemonic.endswith("b16") else rows
    for table in range(256):
        (found,) = evaluate(mnemonic, *sources, bitop3=table)
        assert int(found[0]) & 0xFF == table


@pytest.mark.parametrize(("op_sel", "expected"), [(0, [1, 3]), (1, [2, 3]), (2, [1, 4]), (3, [2, 4])])
def test_pk_mov_takes_one_dword_of_each_source(op_sel: int, expected: list[int]) -> None:
    (found,) = evaluate("v_pk_mov_b32", [[1, 2]], [[3, 4]], op_sel=op_sel)
    assert found.tolist() == [expected]


class TestLanes:
    """Instructions that move values between lanes; every source is a whole wave."""

    lanes = tuple(range(100, 164))

    def test_readlane(self) -> None:
        (found,) = evaluate("v_readlane_b32", self.lanes, [64 + 5])
        assert found == 105

    def test_writelane(self) -> None:
        (found,) = evaluate("v_writelane_b32", self.lanes, [7], [63])
        assert found.tolist() == [*self.lanes[:63], 7]

    @pytest.mark.parametrize(("active", "lane"), [([3, 9], 3), ([63], 63), ([], 0)])
    def test_readfirstlane(self, active: list[int], lane: int) -> None:
        (found,) = evaluate("v_readfirstlane_b32", self.lanes, [i in active for i in range(64)])
        assert found == 100 + lane

    @pytest.mark.parametrize("rows", [16, 32])
    def test_permlane_swap(self, rows: int) -> None:
        other = list(range(200, 264))
        vdst, src0 = evaluate(f"v_permlane{rows}_swap_b32", self.lanes, other)
        for lane in range(64):
            odd = lane // rows % 2
            assert vdst[lane] == (other[lane - rows] if odd else self.lanes[lane])
            assert src0[lane] == (other[lane] if odd else self.lanes[lane + rows])

    def test_mbcnt_counts_lower_lanes(self) -> None:
        mask = 0xF0F0_1234_8000_0003
        (low,) = evaluate("v_mbcnt_lo_u32_b32", [mask & M32] * 64, [5] * 64)
        (both,) = evaluate("v_mbcnt_hi_u32_b32", [mask >> 32] * 64, low.tolist())
        assert both.tolist() == [5 + (mask & ((1 << lane) - 1)).bit_count() for lane in range(64)]

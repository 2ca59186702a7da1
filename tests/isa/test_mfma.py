"""Matrix instructions: table, layouts against AMD's calculator (CDNA3), products against plain float64 and integers."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hkasm.errors import ArchError, UsageError
from hkasm.isa.mfma import (
    MFMA_TABLE,
    TYPE_BITS,
    MfmaSpec,
    accumulate,
    execute_mfma,
    gather_operand,
    gather_raw,
    gather_scales,
    mfma_exact,
    mfma_spec,
    operand_layout,
    permute_lanes,
    scatter_result,
    sparse_columns,
)
from hkasm.isa.mfma.product import WAVES_AT_ONCE
from hkasm.isa.numerics import FORMATS, decode, encode, format_of, pack_bits

DATA = Path(__file__).parents[1] / "data"
SPECS = list(MFMA_TABLE.values())
DENSE = [spec for spec in SPECS if not spec.sparse]
RNG_SEED = 7


@cache
def calculator() -> dict[str, np.ndarray]:
    """AMD's matrix instruction calculator 1.3.2, cdna3 (tools/derive_mfma_layouts.py)."""
    with np.load(DATA / "mfma_layouts_cdna3.npz") as archive:
        return dict(archive)


def calculator_names() -> list[str]:
    return sorted({key.split("/")[0] for key in calculator()})


def formats_of(spec: MfmaSpec) -> list[int | None]:
    return list(range(5)) if spec.selects_format else [None]


def random_registers(spec: MfmaSpec, operand: str, fmt: int | None, waves: int, seed: int, arch: str) -> np.ndarray:
    """Registers of moderate finite values of the operand's type, and what the emulator would be given."""
    rng = np.random.default_rng(seed)
    element = spec.element_type(operand, fmt)
    slots = operand_layout(spec, operand, fmt).slots
    shape = (slots, waves, 64)
    if element in ("i8", "i32"):
        codes = rng.integers(0, 1 << TYPE_BITS[element], shape, dtype=np.uint64)
    elif element == "f64":
        codes = rng.normal(size=shape).view(np.uint64)
    elif element in ("f32", "xf32"):
        codes = rng.normal(size=shape).astype(np.float32).view(np.uint32)
    else:
        codes = encode(rng.normal(size=shape), format_of(element, arch))
    return pack_bits(codes.astype(np.uint64), TYPE_BITS[element])


# ---- table -----------------------------------------------------------------------------------------------------


def test_every_calculator_instruction_is_in_the_table_with_its_shape() -> None:
    assert len(calculator_names()) == 46
    for name in calculator_names():
        m, n, k, blocks, cycles, sparse = (int(value) for value in calculator()[f"{name}/info"])
        spec = mfma_spec(name, "gfx942")
        assert (spec.m, spec.n, spec.k, spec.blocks, spec.sparse) == (m, n, k, blocks, bool(sparse))
        assert 4 * spec.passes_of("gfx942") == cycles
    on_gfx942 = {spec.mnemonic for spec in SPECS if "gfx942" in spec.opcode}
    assert on_gfx942 == set(calculator_names())


def test_counts_by_arch_and_unique_opcodes() -> None:
    for arch, count in (("gfx942", 46), ("gfx950", 68)):
        rows = [spec for spec in SPECS if arch in spec.opcode]
        assert len(rows) == count
        plain = [spec.opcode[arch] for spec in rows if not spec.scaled]
        assert len(set(plain)) == len(plain)


def test_passes_of_f8f6f4_follow_the_formats() -> None:
    small = mfma_spec("v_mfma_f32_16x16x128_f8f6f4")
    large = mfma_spec("v_mfma_scale_f32_32x32x64_f8f6f4")
    for cbsz in range(5):
        for blgp in range(5):
            wide = cbsz < 2 or blgp < 2
            assert small.passes_of("gfx950", cbsz, blgp) == (8 if wide else 4)
            assert large.passes_of("gfx950", cbsz, blgp) == (16 if wide else 8)


def test_kinds_and_registers() -> None:
    assert mfma_spec("v_mfma_f32_16x16x4_f32").kind == "sgemm"
    assert mfma_spec("v_mfma_f32_16x16x8_xf32").kind == "xdl"
    assert mfma_spec("v_mfma_f64_4x4x4_4b_f64").kind == "dgemm"
    assert mfma_spec("v_mfma_f32_16x16x32_bf16").flops == 2 * 16 * 16 * 32
    scaled = mfma_spec("v_mfma_scale_f32_32x32x64_f8f6f4")
    assert [scaled.registers("A", fmt) for fmt in range(5)] == [8, 8, 6, 6, 4]
    assert (scaled.registers("B", "fp4"), scaled.registers("D"), scaled.registers("scale")) == (4, 16, 1)
    sparse = mfma_spec("v_smfmac_f32_16x16x64_bf16")
    assert [sparse.registers(operand) for operand in ("A", "B", "C", "index")] == [4, 8, 4, 1]
    assert mfma_spec("v_mfma_f64_16x16x4_f64").registers("D") == 8


def test_errors_and_identity() -> None:
    with pytest.raises(UsageError, match="did you mean 'v_mfma_f32_16x16x32_bf16'"):
        mfma_spec("v_mfma_f32_16x16x32_bf166")
    with pytest.raises(ArchError, match="does not exist on gfx942"):
        mfma_spec("v_mfma_f32_16x16x32_bf16", "gfx942")
    spec = mfma_spec("v_mfma_f32_16x16x128_f8f6f4")
    with pytest.raises(UsageError, match="operand A has no format 5"):
        spec.element_type("A", 5)
    with pytest.raises(UsageError, match="did you mean 'fp4'"):
        spec.element_type("B", "fp44")
    with pytest.raises(UsageError, match="no operand 'E'"):
        spec.element_type("E")
    with pytest.raises(UsageError, match="operand A wants 4 registers, got 2"):
        gather_operand(mfma_spec("v_mfma_f32_16x16x32_bf16"), "A", np.zeros((2, 1, 64), np.uint32))
    assert pickle.loads(pickle.dumps(spec)) is spec


# ---- layouts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", calculator_names())
def test_layout_equals_the_calculator(name: str) -> None:
    spec = mfma_spec(name)
    for operand in ("A", "B", "D"):
        layout = operand_layout(spec, operand)
        i, j, block, register, low, _, lane = calculator()[f"{name}/{operand}"].astype(int)
        if operand == "A" and spec.sparse:
            j = j // 4 * 2  # the calculator names the pair of stored elements for each of four k
        slot = layout.slot_of[block, i, j]
        np.testing.assert_array_equal(layout.lane_of[block, i, j], lane)
        np.testing.assert_array_equal(slot * layout.bits, 32 * register + low)
        np.testing.assert_array_equal(layout.row[slot, lane], i)
        np.testing.assert_array_equal(layout.col[slot, lane], j)
        np.testing.assert_array_equal(layout.block[slot, lane], block)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.mnemonic)
@pytest.mark.parametrize("operand", ["A", "B", "C", "D"])
def test_layout_is_a_bijection_and_gather_follows_it(spec: MfmaSpec, operand: str) -> None:
    for fmt in formats_of(spec):
        layout = operand_layout(spec, operand, fmt)
        assert layout.registers == spec.registers(operand, fmt)
        slots, lanes = np.meshgrid(np.arange(layout.slots), np.arange(64), indexing="ij")
        np.testing.assert_array_equal(layout.slot_of[layout.block, layout.row, layout.col], slots)
        np.testing.assert_array_equal(layout.lane_of[layout.block, layout.row, layout.col], lanes)
        assert layout.slot_of.size == layout.slots * 64
        rng = np.random.default_rng(RNG_SEED)
        codes = rng.integers(0, 1 << min(layout.bits, 63), (layout.slots, 3, 64), dtype=np.uint64)
        raw = gather_raw(spec, operand, pack_bits(codes, layout.bits), fmt)
        expected = codes.transpose(1, 0, 2)[:, layout.slot_of, layout.lane_of]
        np.testing.assert_array_equal(raw.astype(np.uint64), expected)


def test_place_of_a_slot_tells_register_and_bits() -> None:
    layout = operand_layout(mfma_spec("v_mfma_f32_16x16x128_f8f6f4"), "A", "fp6")
    assert layout.place(0) == (0, 0, 5)
    assert layout.place(5) == (0, 30, 35)  # runs into register 1
    assert layout.place(31) == (5, 26, 31)


def test_gfx950_formulas() -> None:
    """bf16 16x16x32: k = 8 * (lane // 16) + slot; f8f6f4: fp4 32 k in a row, fp8 16 of each half of k."""
    lane, slot = np.arange(64)[None, :], np.arange(32)[:, None]
    bf16 = operand_layout(mfma_spec("v_mfma_f32_16x16x32_bf16"), "A")
    np.testing.assert_array_equal(bf16.col, 8 * (lane // 16) + slot[:8])
    wide = mfma_spec("v_mfma_f32_16x16x128_f8f6f4")
    np.testing.assert_array_equal(operand_layout(wide, "B", "fp4").row, 32 * (lane // 16) + slot)
    fp8 = 64 * (slot // 16) + 16 * (lane // 16) + slot % 16
    np.testing.assert_array_equal(operand_layout(wide, "B", "fp8").row, fp8)
    tall = mfma_spec("v_mfma_f32_32x32x64_f8f6f4")
    np.testing.assert_array_equal(
        operand_layout(tall, "A", "bf8").col, 32 * (slot // 16) + 16 * (lane // 32) + slot % 16
    )


@pytest.mark.parametrize("name", calculator_names())
def test_broadcasts_equal_the_calculator(name: str) -> None:
    spec = mfma_spec(name)
    if spec.c_type == "f64":
        return  # the calculator shows lane maps; the ISA and LLVM make them sign bits
    lane = np.arange(64, dtype=np.uint32)
    width = 64 // spec.blocks
    for key, expected in calculator().items():
        if not key.startswith(name + "/") or " " not in key:
            continue
        kind, control = key.split("/")[1].split(" ")
        if kind == "blgp":
            moved = permute_lanes(spec, "B", lane, blgp=int(control))
            np.testing.assert_array_equal(moved, expected)
        else:
            cbsz, abid = (int(part) for part in control.split(","))
            moved = permute_lanes(spec, "A", lane, cbsz=cbsz, abid=abid)
            np.testing.assert_array_equal(moved, expected[lane // width] * width + lane % width)


def test_broadcast_out_of_range() -> None:
    spec = mfma_spec("v_mfma_f32_32x32x4_2b_bf16")
    lane = np.arange(64, dtype=np.uint32)
    for controls in ({"cbsz": 2}, {"cbsz": 1, "abid": 2}):
        with pytest.raises(UsageError, match="with 2 blocks"):
            permute_lanes(spec, "A", lane, **controls)


@pytest.mark.parametrize("name", [name for name in calculator_names() if "smfmac" in name])
def test_sparse_index_equals_the_calculator(name: str) -> None:
    """For every set: the four index bits of a row's four k are where the calculator says."""
    spec = mfma_spec(name)
    index = np.random.default_rng(RNG_SEED).integers(0, 1 << 32, (2, 64), dtype=np.uint32)
    sets = [key for key in calculator() if key.startswith(f"{name}/K")]
    for key in sets:
        columns = sparse_columns(spec, index, abid=int(key[-1]))
        i, k, _, register, low, high, lane = calculator()[key].astype(int)
        assert (register == 0).all()
        assert (high - low == 3).all()
        nibble = (index[:, lane] >> low.astype(np.uint32)) & 15
        np.testing.assert_array_equal(columns[:, i, k // 4 * 2], k // 4 * 4 + (nibble & 3))
        np.testing.assert_array_equal(columns[:, i, k // 4 * 2 + 1], k // 4 * 4 + (nibble >> 2))
    np.testing.assert_array_equal(sparse_columns(spec, index, cbsz=1, abid=1), sparse_columns(spec, index))


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.sparse], ids=lambda spec: spec.mnemonic)
def test_sparse_operands_come_in_sixteen_bytes(spec: MfmaSpec) -> None:
    """hipBLASLt's LDS reads of sparse products: 16 bytes of B a lane group, then the next 16; A is contiguous."""
    b = operand_layout(spec, "B")
    group, slot = np.arange(64) // spec.n, np.arange(b.slots)[:, None]
    wide = 128 // b.bits
    np.testing.assert_array_equal(b.row, slot // wide * wide * (64 // spec.n) + group * wide + slot % wide)
    a = operand_layout(spec, "A")
    np.testing.assert_array_equal(a.col, np.arange(64) // spec.m * a.slots + np.arange(a.slots)[:, None])


# ---- products --------------------------------------------------------------------------------------------------


def by_hand(spec: MfmaSpec, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The definition, element by element in float64 or integers."""
    if spec.c_type == "i32":
        total = np.einsum("wbik,wbkj->wbij", a.astype(np.int64), b.astype(np.int64)) + c.astype(np.int64)
        return (total & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    return np.einsum("wbik,wbkj->wbij", a, b) + c


@pytest.mark.parametrize("spec", DENSE, ids=lambda spec: spec.mnemonic)
def test_dense_products(spec: MfmaSpec) -> None:
    """Small integers, so that every sum is exact and the answer the only right one; all layouts at once."""
    arch = "gfx942" if "gfx942" in spec.opcode else "gfx950"
    rng = np.random.default_rng(RNG_SEED)
    for fmt in formats_of(spec):
        regs, values = {}, {}
        for operand in ("A", "B", "C"):
            element = spec.element_type(operand, fmt)
            layout = operand_layout(spec, operand, fmt)
            numbers = rng.integers(-2, 3, (layout.slots, 2, 64)).astype(np.float64)
            if element in ("i8", "i32"):
                codes = numbers.astype(np.int64)
            elif element == "f64":
                codes = numbers.view(np.uint64)
            elif element in ("f32", "xf32"):
                codes = numbers.astype(np.float32).view(np.uint32)
            else:
                codes = encode(numbers, format_of(element, arch))
            bits = TYPE_BITS[element]
            regs[operand] = pack_bits(codes.astype(np.uint64) & np.uint64((1 << bits) - 1), bits)
            values[operand] = numbers.transpose(1, 0, 2)[:, layout.slot_of, layout.lane_of]
        controls = {"cbsz": fmt, "blgp": fmt} if fmt is not None else {}
        result = execute_mfma(spec, regs["A"], regs["B"], regs["C"], arch=arch, **controls)
        d = gather_operand(spec, "D", result)
        np.testing.assert_array_equal(d, by_hand(spec, values["A"], values["B"], values["C"]))


@pytest.mark.parametrize("spec", DENSE, ids=lambda spec: spec.mnemonic)
def test_bits_do_not_depend_on_the_batch(spec: MfmaSpec) -> None:
    """Full-range random inputs: one call for 19 waves, calls of 1, 2, 16, and mfma_exact give the same bits."""
    arch = "gfx950" if "gfx950" in spec.opcode else "gfx942"
    a, b = (random_registers(spec, operand, None, 19, seed, arch) for seed, operand in enumerate("AB"))
    c = random_registers(spec, "C", None, 19, 2, arch)
    if spec.c_type == "f32":  # spread the exponents so that sums are not exact
        c = (c.view(np.float32) * np.float32(2) ** np.arange(-9, 10, dtype=np.float32)[None, :, None]).view(np.uint32)
    whole = execute_mfma(spec, a, b, c, arch=arch)
    parts = [slice(0, 1), slice(1, 3), slice(3, 19)]
    pieces = [execute_mfma(spec, a[:, part], b[:, part], c[:, part], arch=arch) for part in parts]
    np.testing.assert_array_equal(whole, np.concatenate(pieces, axis=1))
    matrices = (gather_operand(spec, operand, regs, arch=arch) for operand, regs in (("A", a), ("B", b), ("C", c)))
    np.testing.assert_array_equal(whole, scatter_result(spec, mfma_exact(spec, *matrices)))


@pytest.mark.parametrize("name", ["v_mfma_f32_16x16x32_bf16", "v_mfma_f32_16x16x16_bf16", "v_mfma_f32_32x32x16_f16"])
def test_one_rounding(name: str) -> None:
    """Against integers of any size: the sum of products and C, rounded once to float32."""
    from fractions import Fraction

    spec = mfma_spec(name)
    a, b, c = (random_registers(spec, operand, None, 1, seed, "gfx950") for seed, operand in enumerate("ABC"))
    left, right, third = (gather_operand(spec, o, r) for o, r in (("A", a), ("B", b), ("C", c)))
    d = gather_operand(spec, "D", execute_mfma(spec, a, b, c, arch="gfx950"))
    for i, j in ((0, 0), (3, 7), (15, 1)):
        exact = sum(
            (Fraction(x) * Fraction(y) for x, y in zip(left[0, 0, i], right[0, 0, :, j], strict=True)), Fraction(0)
        )
        exact += Fraction(float(third[0, 0, i, j]))
        near = np.float32(float(exact))
        assert d[0, 0, i, j] == near


def test_special_values() -> None:
    spec = mfma_spec("v_mfma_f32_16x16x16_f16")
    a = np.zeros((2, 1, 64), np.uint32)
    a[0, 0, 0] = 0x7C00  # A[0, 0] = inf
    b = np.zeros((2, 1, 64), np.uint32)
    b[0, 0, 1] = 0x3C00  # B[0, 1] = 1
    b[0, 0, 2] = 0xBC00  # B[0, 2] = -1
    c = np.zeros((4, 1, 64), np.uint32)
    d = gather_operand(spec, "D", execute_mfma(spec, a, b, c, arch="gfx942"))[0, 0]
    assert np.isnan(d[0, 0])  # inf * 0
    assert (d[0, 1], d[0, 2]) == (np.inf, -np.inf)
    assert (d[1] == 0).all()


def test_integer_wraps_around() -> None:
    spec = mfma_spec("v_mfma_i32_16x16x32_i8")
    ones = np.full((2, 1, 64), 0x01010101, np.uint32)
    c = np.full((4, 1, 64), 0x7FFFFFFF, np.uint32)
    d = execute_mfma(spec, ones, ones, c, arch="gfx942")
    assert (d == 0x7FFFFFFF + 32).all()


def test_f64_is_a_chain_of_fused_multiply_adds_and_blgp_negates() -> None:
    spec = mfma_spec("v_mfma_f64_4x4x4_4b_f64")
    one = pack_bits(np.full((1, 1, 64), 1.0 + 2.0**-30).view(np.uint64), 64)
    c = pack_bits(np.full((1, 1, 64), -1.0).view(np.uint64), 64)
    exact_product = (1.0 + 2.0**-30) ** 2  # 1 + 2**-29 + 2**-60: the last term is lost unless fused with -1
    d = gather_operand(spec, "D", execute_mfma(spec, one, one, c, arch="gfx942"))
    first = 2.0**-29 + 2.0**-60
    expected = first
    for _ in range(3):
        expected = expected + exact_product
    assert d[0, 0, 0, 0] == expected
    for bits, sign in ((1, -1), (2, -1), (3, 1)):
        zero = np.zeros_like(c)
        negated = gather_operand(spec, "D", execute_mfma(spec, one, one, zero, arch="gfx942", blgp=bits))
        plain = gather_operand(spec, "D", execute_mfma(spec, one, one, zero, arch="gfx942"))
        np.testing.assert_array_equal(negated, sign * plain)
    flipped = gather_operand(spec, "D", execute_mfma(spec, np.zeros_like(one), one, c, arch="gfx942", blgp=4))
    assert (flipped == 1.0).all()


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.sparse], ids=lambda spec: spec.mnemonic)
def test_sparse_products(spec: MfmaSpec) -> None:
    arch = "gfx942" if "gfx942" in spec.opcode else "gfx950"
    rng = np.random.default_rng(RNG_SEED)
    pairs = np.array([4, 8, 12, 9, 13, 14], dtype=np.uint64)  # (0,1) (0,2) (0,3) (1,2) (1,3) (2,3): second << 2 | first
    index = pack_bits(pairs[rng.integers(0, 6, (8, 2, 64))], 4)[0]
    a, b, c = (random_registers(spec, operand, None, 2, seed, arch) for seed, operand in enumerate("ABC"))
    if spec.c_type == "f32":
        a, b, c = (
            regs & np.uint32(mask) for regs, mask in ((a, _coarse(spec.a)), (b, _coarse(spec.b)), (c, 0xFFFF0000))
        )
    for abid in (0, 1):
        d = gather_operand(spec, "D", execute_mfma(spec, a, b, c, arch=arch, index=index, abid=abid))
        stored = gather_operand(spec, "A", a, arch=arch)
        columns = sparse_columns(spec, index, abid=abid)
        dense = np.zeros((2, 1, spec.m, spec.k))
        for w in range(2):
            for i in range(spec.m):
                dense[w, 0, i, columns[w, i]] = stored[w, 0, i]
        expected = by_hand(spec, dense, gather_operand(spec, "B", b, arch=arch), gather_operand(spec, "C", c))
        if spec.c_type == "f32":
            np.testing.assert_allclose(d, expected, rtol=1e-6, atol=1e-6)
        else:
            np.testing.assert_array_equal(d, expected)
    with pytest.raises(UsageError, match="needs its index register"):
        execute_mfma(spec, a, b, c, arch=arch)


def _coarse(element: str) -> int:
    return 0xFFFFFFFF if TYPE_BITS[element] == 8 else 0xFF80FF80


@pytest.mark.parametrize("shape", ["16x16x128", "32x32x64"])
@pytest.mark.parametrize("fmt", range(5))
def test_scaled_products(shape: str, fmt: int) -> None:
    """Scales multiply each row's (column's) blocks of 32 k; op_sel's byte is used; 255 is NaN."""
    spec = mfma_spec(f"v_mfma_scale_f32_{shape}_f8f6f4")
    a, b = (random_registers(spec, operand, fmt, 2, seed, "gfx950") for seed, operand in enumerate("AB"))
    c = np.zeros((spec.registers("C"), 2, 64), np.uint32)
    rng = np.random.default_rng(RNG_SEED)
    scale_a, scale_b = (rng.integers(120, 135, (4, 2, 64), dtype=np.uint64) for _ in range(2))
    scale_a[2, 1, 5] = 255
    registers = tuple(pack_bits(scale, 8)[0] for scale in (scale_a, scale_b))
    d = gather_operand(
        spec,
        "D",
        execute_mfma(spec, a, b, c, arch="gfx950", cbsz=fmt, blgp=fmt, scales=registers, scale_bytes=(2, 1)),
    )
    left, right = (gather_operand(spec, o, r, fmt) for o, r in (("A", a), ("B", b)))
    expected = np.zeros((2, 1, spec.m, spec.n))
    for k in range(spec.k):
        lane_a = np.arange(spec.m) + spec.m * (k // 32)
        lane_b = np.arange(spec.n) + spec.n * (k // 32)
        factor_a = decode(scale_a[2][:, lane_a].astype(np.uint8), FORMATS["e8m0"], np.float64)
        factor_b = decode(scale_b[1][:, lane_b].astype(np.uint8), FORMATS["e8m0"], np.float64)
        expected += (left[..., k] * factor_a[:, None])[..., None] * (right[..., k, :] * factor_b[:, None])[:, :, None]
    nan = np.isnan(expected)
    assert nan[1, 0, 5].all()
    assert nan.sum() == spec.n
    np.testing.assert_array_equal(np.isnan(d), nan)
    np.testing.assert_allclose(d[~nan], expected[~nan].astype(np.float32), rtol=2e-7, atol=1e-30)
    assert gather_scales(spec, "A", registers[0], 2).shape == (2, spec.m, spec.k // 32)


def test_neg_and_abs_of_c() -> None:
    spec = mfma_spec("v_mfma_f32_16x16x128_f8f6f4")
    zero = np.zeros((4, 1, 64), np.uint32)
    c = np.random.default_rng(1).normal(size=(4, 1, 64)).astype(np.float32)
    for options, expected in (
        ({"negate_c": True}, -c),
        ({"absolute_c": True}, abs(c)),
        ({"negate_c": True, "absolute_c": True}, -abs(c)),
    ):
        d = execute_mfma(spec, zero, zero, c.view(np.uint32), arch="gfx950", cbsz=4, blgp=4, **options)
        np.testing.assert_array_equal(d.view(np.float32), expected)


def test_denormal_inputs_flush_for_f32_only() -> None:
    spec = mfma_spec("v_mfma_f32_4x4x1_16b_f32")
    tiny = np.full((1, 1, 64), 1, np.uint32)
    large = np.full((1, 1, 64), 2.0**100, np.float32).view(np.uint32)
    zero = np.zeros((4, 1, 64), np.uint32)
    kept = execute_mfma(spec, tiny, large, zero, arch="gfx942").view(np.float32)
    flushed = execute_mfma(spec, tiny, large, zero, arch="gfx942", flush_inputs=True).view(np.float32)
    assert (kept == np.float32(2.0**-49)).all()
    assert (flushed == 0).all()


@pytest.mark.parametrize("mnemonic", ["v_mfma_f32_16x16x16_bf16", "v_mfma_f32_4x4x4_16b_f16"])
def test_every_wave_of_many_gets_its_own_result(mnemonic: str) -> None:
    """Sums are made some waves at a time: each must be what the wave gets alone, in place too."""
    spec, waves = mfma_spec(mnemonic), 2 * WAVES_AT_ONCE + 3
    a, b, c = (random_registers(spec, operand, None, waves, seed, "gfx942") for seed, operand in enumerate("ABC"))
    alone = [execute_mfma(spec, *(x[:, w : w + 1] for x in (a, b, c)), arch="gfx942") for w in range(waves)]
    np.testing.assert_array_equal(execute_mfma(spec, a, b, c, arch="gfx942"), np.concatenate(alone, axis=1))
    left, right = (gather_operand(spec, o, r) for o, r in (("A", a), ("B", b)))
    into = c.view(np.float32).copy()
    accumulate(spec, left, right, into, out=into)
    np.testing.assert_array_equal(into.view(np.uint32), np.concatenate(alone, axis=1))


def test_constant_c_needs_no_registers() -> None:
    """An inline constant comes as a broadcast array."""
    spec = mfma_spec("v_mfma_f32_16x16x16_bf16")
    a, b = (random_registers(spec, operand, None, 5, seed, "gfx942") for seed, operand in enumerate("AB"))
    constant = np.broadcast_to(np.float32(1.0).view(np.uint32), (4, 5, 64))
    full = np.ascontiguousarray(constant)
    np.testing.assert_array_equal(
        execute_mfma(spec, a, b, constant, arch="gfx942"), execute_mfma(spec, a, b, full, arch="gfx942")
    )
    left, right = (gather_operand(spec, o, r) for o, r in (("A", a), ("B", b)))
    np.testing.assert_array_equal(
        accumulate(spec, left, right, np.float32(1.0)), execute_mfma(spec, a, b, full, arch="gfx942")
    )


def test_slices_of_a_register_file_need_no_copy_first() -> None:
    """Operands come as slices [registers, waves, 64] of a larger file, of some of its waves only."""
    spec = mfma_spec("v_mfma_f32_16x16x32_bf16")
    file = random_registers(spec, "A", None, 8, 3, "gfx950").repeat(3, axis=0)
    view = file[2:6, 1::2]
    c = file[4:8, 1::2]
    expected = execute_mfma(spec, view.copy(), view.copy(), c.copy(), arch="gfx950")
    np.testing.assert_array_equal(execute_mfma(spec, view, view, c, arch="gfx950"), expected)

"""The CDNA3 bit model against MMA-Sim's vectors (checked by its authors against MI300X)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hkasm.errors import UsageError
from hkasm.isa.cdna3_bits import mfma_cdna3_bits
from hkasm.isa.mfma import gather_operand, mfma_exact, mfma_spec, operand_layout
from hkasm.isa.numerics import decode, format_of, pack_bits

DATA = Path(__file__).parents[1] / "data"


@cache
def vectors() -> dict[str, np.ndarray]:
    """Two cases of each input mode for every instruction (tools/derive_mma_sim_vectors.py)."""
    with np.load(DATA / "mma_sim_cdna3.npz") as archive:
        return dict(archive)


NAMES = sorted({key.split("/")[0] for key in vectors()})


def values(raw: np.ndarray, element: str) -> np.ndarray:
    """Raw bits [cases, rows, cols] as the float64 that gather_operand would give, [cases, 1, rows, cols]."""
    if element == "f64":
        wide = raw.view(np.float64)
    elif element in ("f32", "xf32"):
        kept = raw & np.uint32(0xFFFFE000) if element == "xf32" else raw
        with np.errstate(invalid="ignore"):
            wide = kept.view(np.float32).astype(np.float64)
    else:
        wide = decode(raw, format_of(element, "gfx942"), np.float64)
    return wide[:, None]


def inputs(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    spec = mfma_spec(name)
    a, b, c = (vectors()[f"{name}/{operand}"] for operand in "ABC")
    result = np.float64 if spec.c_type == "f64" else np.float32
    return values(a, spec.a), values(b, spec.b), c.view(result)[:, None]


def test_every_dense_float_instruction_is_covered() -> None:
    assert len(NAMES) == 27


@pytest.mark.parametrize("name", NAMES)
def test_bits_equal_mma_sim(name: str) -> None:
    d = mfma_cdna3_bits(mfma_spec(name), *inputs(name))[:, 0]
    expected = vectors()[f"{name}/D"]
    theirs = expected.view(d.dtype)
    nan = np.isnan(theirs)
    np.testing.assert_array_equal(np.isnan(d), nan)
    np.testing.assert_array_equal(d.view(expected.dtype)[~nan], expected[~nan])


@pytest.mark.parametrize("name", NAMES)
def test_exact_model_is_near(name: str) -> None:
    """Default and model differ by rounding: on normal inputs (the first cases) within 2**-20 of the largest term."""
    a, b, c = (operand[:2] for operand in inputs(name))
    spec = mfma_spec(name)
    with np.errstate(all="ignore"):
        ours, model = mfma_exact(spec, a, b, c), mfma_cdna3_bits(spec, a, b, c)
        scale = np.maximum(np.abs(a[..., :, None, :] * b.swapaxes(-1, -2)[..., None, :, :]).max(axis=-1), np.abs(c))
        near = np.abs(ours.astype(np.float64) - model) <= scale * 2.0**-20 + 2.0**-149
    assert near.all()


def test_gathered_registers_feed_the_model() -> None:
    """Registers laid out by the layout give the vectors' matrices back, so the two parts fit together."""
    name = "v_mfma_f32_32x32x8_bf16"
    spec = mfma_spec(name)
    regs = {}
    for operand in "ABC":
        layout = operand_layout(spec, operand)
        raw = vectors()[f"{name}/{operand}"][:, None]
        elements = raw[:, layout.block, layout.row, layout.col].transpose(1, 0, 2)
        regs[operand] = pack_bits(elements, layout.bits)
    a, b, c = (gather_operand(spec, operand, regs[operand], arch="gfx942") for operand in "ABC")
    d = mfma_cdna3_bits(spec, a, b, c)[:, 0]
    expected = vectors()[f"{name}/D"].view(np.float32)
    np.testing.assert_array_equal(d, expected)


def test_integers_are_exact() -> None:
    spec = mfma_spec("v_mfma_i32_16x16x32_i8")
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (2, 1, 1, 16, 32)).astype(np.int8)
    b = b.swapaxes(-1, -2)
    c = np.zeros((1, 1, 16, 16), np.int32)
    np.testing.assert_array_equal(mfma_cdna3_bits(spec, a, b, c), mfma_exact(spec, a, b, c))


@pytest.mark.parametrize("name", ["v_smfmac_f32_16x16x32_bf16", "v_mfma_f32_16x16x32_bf16"])
def test_unpublished_instructions_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no bit-exact model is published"):
        mfma_cdna3_bits(mfma_spec(name), *(np.zeros((1, 1, 1, 1)),) * 3)

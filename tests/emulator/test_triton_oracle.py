"""Kernels that Triton compiled run on the emulator and give NumPy's results."""

from __future__ import annotations

import pytest
from support.oracles import Oracle, load_oracles

import hkasm
from hkasm.asm.codeobject import CodeObject
from hkasm.emulator.options import Options
from hkasm.inspect.load import program_of
from hkasm.isa.mfma import MFMA_TABLE

ORACLES = load_oracles("triton")
ORDERS = (
    Options(landing="eager"),
    Options(landing="random", order="random", seed=1),
    Options(landing="random", order="reversed", seed=2),
    Options(order="lockstep"),
)
# One of each way to use memory: direct-to-LDS loads, loads through registers, transposing reads, reductions, exchanges.
TIMED = (
    "gemm_bf16_nt_128x128x64_w4_gfx950",
    "gemm_bf16_nt_128x128x64_w4_gfx942",
    "gemm_even_bf16_nn_128x128x64_w8_s3_gfx950",
    "attention_bf16_d64_gfx950",
    "softmax_bf16_w8_gfx942",
    "sort_rows_gfx950",
)


@pytest.mark.parametrize("oracle", ORACLES, ids=[oracle.label for oracle in ORACLES])
def test_triton_kernel_gives_the_reference_result(oracle: Oracle) -> None:
    before = oracle.arrays()
    after, report = oracle.launch(hkasm.device("emulator"), before)
    oracle.check(before, after)
    assert not report.findings


@pytest.mark.parametrize("label", TIMED)
def test_triton_kernel_gives_the_same_bits_at_any_timing(label: str) -> None:
    oracle = next(oracle for oracle in ORACLES if oracle.label == label)
    before = oracle.arrays()
    late, _ = oracle.launch(hkasm.device("emulator"), before)
    for options in ORDERS:
        other, report = oracle.launch(hkasm.device("emulator"), before, options=options)
        assert not report.findings, options
        assert {name: array.tobytes() for name, array in other.items()} == {
            name: array.tobytes() for name, array in late.items()
        }, options


def test_triton_uses_every_dense_shape_that_gfx950_adds() -> None:
    """So that their layouts, scales included, rest on what another compiler does with them."""
    used = {
        inst.spec.mfma.mnemonic
        for oracle in ORACLES
        for image in CodeObject.from_path(oracle.path).kernels.values()
        for inst in program_of(image).instructions
        if inst.spec.mfma is not None
    }
    added = {spec.mnemonic for spec in MFMA_TABLE.values() if tuple(spec.opcode) == ("gfx950",) and not spec.sparse}
    assert len(added) == 10
    assert added <= used

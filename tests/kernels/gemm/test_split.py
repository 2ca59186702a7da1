"""K in slices: partial products, their sum, and both together."""

from __future__ import annotations

import numpy as np
import pytest
from support.gemm_family import ARCHS, Values, is_right, launch, run

import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import Toolchain, build_hsaco
from hkasm.errors import UsageError
from hkasm.isa.registers import Register
from hkasm.kernels import Comparison, get_kernel
from hkasm.kernels.gemm.finish import Function
from hkasm.kernels.kernel import Arrays


def run_sum(
    arch: str, values: Values, parts: np.ndarray | None = None, function: Function | None = None
) -> tuple[Comparison, Arrays]:
    kernel, device = get_kernel("gemm_sum"), hkasm.device("emulator")
    problem = kernel.problem(**values)
    inputs = problem.inputs(1) if parts is None else {"P": parts}
    buffers = {name: device.buffer(array, name) for name, array in (inputs | problem.outputs()).items()}
    asked = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in asked.args]
    entry = device.load(build_hsaco(kernel.write(arch, kernel.config(**values), function))).kernels["gemm_sum"]
    assert entry.launch(asked.grid, asked.block, args).findings == []
    outputs = {"C": buffers["C"].numpy()}
    return problem.check(inputs, outputs)[0], outputs


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("out", ["f32", "f16", "bf16"])
def test_partial_products_are_summed_and_rounded(arch: str, out: str, toolchain: Toolchain) -> None:
    comparison, outputs = run_sum(arch, {"m": 3, "n": 300, "ldc": 310, "count": 5, "out": out})
    assert comparison.passed, str(comparison)
    assert np.isnan(outputs["C"].astype(np.float32)[300:310]).all(), "between rows"


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("act", ["relu", "gelu", "silu"])
def test_an_activation_sees_the_sum(arch: str, act: str, toolchain: Toolchain) -> None:
    for out in ("f32", "bf16"):
        comparison, _ = run_sum(arch, {"m": 2, "n": 70, "count": 4, "out": out, "act": act})
        assert comparison.passed, str(comparison)


def test_a_function_sees_the_sum(toolchain: Toolchain) -> None:
    def negated(k: Builder, values: list[Register], free: list[Register]) -> None:
        for value, other in zip(values, free, strict=True):
            k.v_mul_f32(other, -1.0, value)
            k.v_mov_b32(value, other)

    values: Values = {"m": 2, "n": 70, "count": 4, "out": "f32"}
    (_, plain), (_, other) = (run_sum("gfx950", values, function=one) for one in (None, negated))
    assert np.array_equal(plain["C"], -other["C"])


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("trans", ["TN", "NT"])
def test_slices_of_k(arch: str, trans: str, toolchain: Toolchain) -> None:
    """Three slices of 256 and a last one that is shorter; their sum is the product."""
    shape: Values = {"m": 40, "n": 70, "k": 900, "data": "integers", "tile": "64x64", "trans": trans}
    values = shape | {"out": "f32", "batch": "split", "count": 4}
    assert is_right(values, run(arch, values))
    inputs, outputs = launch(arch, values)
    _, summed = run_sum(arch, {"m": 40, "n": 70, "count": 4, "out": "bf16"}, outputs["C"])
    whole = get_kernel("gemm").problem(**shape)
    assert whole.check(inputs, summed)[0].exact


def test_more_slices_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match=r"count=4: k=512 has no so many slices\n  hint: at most 2 of 256"):
        get_kernel("gemm").problem(batch="split", count=4, k=512, out="f32")
    with pytest.raises(UsageError, match="batch=split is not declared"):
        get_kernel("gemm").build("gfx950", batch="split", out="bf16")

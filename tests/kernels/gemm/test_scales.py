"""Block scales: the layout, and the kernel that makes it."""

from __future__ import annotations

import numpy as np
import pytest

import hkasm
from hkasm.asm.toolchain import Toolchain, build_hsaco
from hkasm.isa.mfma import mfma_spec
from hkasm.isa.mfma.layout import gather_scales
from hkasm.isa.numerics import decode, format_of
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.scales import decoded, drawn_codes, shuffle_scales, unshuffle_scales


@pytest.mark.parametrize(("rows", "blocks"), [(1, 1), (64, 8), (65, 9), (300, 17)])
def test_the_layout_goes_forth_and_back(rows: int, blocks: int) -> None:
    scales = np.random.default_rng(rows).integers(0, 255, (2, rows, blocks)).astype(np.uint8)
    shuffled = shuffle_scales(scales)
    assert shuffled.size % 256 == 0
    assert (unshuffle_scales(shuffled, 2, rows, blocks) == scales).all()
    assert (shuffled == 127).sum() >= shuffled.size - scales.size


def test_a_dword_holds_what_the_instruction_wants_for_four_fragments() -> None:
    scales = np.random.default_rng(1).integers(0, 255, (64, 8)).astype(np.uint8)
    words = shuffle_scales(scales).view(np.uint32).reshape(2, 1, 64)
    spec = mfma_spec("v_mfma_scale_f32_16x16x128_f8f6f4")
    r = np.arange(16)
    for unit in range(2):
        for i in range(4):
            rows = 32 * (i // 2) + 8 * (r // 4) + 4 * (i % 2) + r % 4
            got = gather_scales(spec, "A", words[unit], byte=i)[0]
            assert (got == scales[rows, 4 * unit : 4 * unit + 4]).all()


@pytest.mark.parametrize("dtype", ["mxfp4", "mxfp6", "mxbf6"])
def test_packed_elements_are_decoded_in_order(dtype: str) -> None:
    packed = drawn_codes(np.random.default_rng(3), (3, 32), dtype, None)
    fmt = format_of(dtype[2:], "gfx950")
    assert packed.shape == (3, 32 * fmt.bits // 8)
    number = int.from_bytes(packed[1].tobytes(), "little")
    codes = np.array([number >> fmt.bits * i & (1 << fmt.bits) - 1 for i in range(32)], np.uint8)
    assert (decoded(packed, dtype)[1] == decode(codes, fmt, np.float64)).all()


@pytest.mark.parametrize("values", [{"rows": 1, "blocks": 1}, {"rows": 130, "blocks": 17, "pitch": 24}])
def test_the_kernel_makes_the_layout(values: dict[str, int], toolchain: Toolchain) -> None:
    kernel = get_kernel("mx_scales")
    problem, device = kernel.problem(**values), hkasm.device("emulator")
    inputs = problem.inputs(1)
    buffers = {name: device.buffer(array, name) for name, array in (inputs | problem.outputs()).items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    entry = device.load(build_hsaco(kernel.build("gfx950", **values))).kernels["mx_scales"]
    assert entry.launch(launch.grid, launch.block, args).findings == []
    (comparison,) = problem.check(inputs, {"U": buffers["U"].numpy()})
    assert comparison.passed, str(comparison)

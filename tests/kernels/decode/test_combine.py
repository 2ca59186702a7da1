"""The combination of partial results: every number of splits, rows without a key, both types."""

from __future__ import annotations

import numpy as np
import pytest
from support.decode_runs import built

import hkasm
from hkasm.kernels import get_kernel


@pytest.mark.parametrize(("dtype", "d"), [("bf16", 128), ("f16", 40)])
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_partial_results_of_any_number_are_combined(arch: str, dtype: str, d: int) -> None:
    kernel = get_kernel("decode_combine")
    for splits in (1, 9, 65):
        problem = kernel.problem(dtype=dtype, d=d, splits=splits, hq=3, q=1)
        device, inputs, outputs = hkasm.device("emulator"), problem.inputs(splits), problem.outputs()
        buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
        launch = problem.launch()
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        code = built("decode_combine", arch, (("dtype", dtype), ("d", d)))
        report = device.load(code).kernels["decode_combine"].launch(launch.grid, launch.block, args)
        after = {name: buffers[name].numpy() for name in outputs}
        comparisons = problem.check(inputs, after)
        assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
        assert report.findings == []
        empty = np.isneginf(inputs["L"].reshape(splits, -1)).all(axis=0)
        assert (np.isneginf(after["LSE"]) == empty).all()
        assert report.counters["load_bytes"] == problem.least_bytes[0]

"""Attention beside Triton's flash attention: same inputs, both on the emulator, errors against float64."""

from __future__ import annotations

import numpy as np
import pytest
from support.attention_runs import built_attention
from support.oracles import load_oracles

import hkasm
from hkasm.kernels import get_kernel
from hkasm.kernels.attention.declared import AttentionConfig

CASES = [one for one in load_oracles("triton") if one.label.startswith("attention_")]
SLACK = 1.25
"""Allowed ratio of root mean square errors: the same roundings, in another order."""


@pytest.mark.parametrize("label", [one.label for one in CASES])
def test_errors_are_those_of_the_same_algorithm_compiled_by_triton(label: str) -> None:
    oracle = next(one for one in CASES if one.label == label)
    arrays = oracle.arrays()
    heads, length, d = arrays["q"].shape
    problem = get_kernel("attention").problem(
        d=d, hq=heads, hkv=heads, q=length, kv=length, layout="bhsd", mask="causal" if "causal" in label else "full"
    )
    assert oracle.values()["scale"] == pytest.approx(problem.scale)
    device = hkasm.device("emulator")
    after, _ = oracle.launch(device, arrays)
    inputs = {name.upper(): arrays[name].reshape(-1) for name in "qkv"}
    outputs = problem.outputs()
    buffers = {name: device.buffer(array) for name, array in {**inputs, **outputs}.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    hsaco = built_attention(oracle.entry["arch"], AttentionConfig(d=d, mask=problem.mask))
    device.load(hsaco).kernels["attention"].launch(launch.grid, launch.block, args)
    own = {name: buffers[name].numpy() for name in outputs}
    assert all(one.passed for one in problem.check(inputs, own))
    want = np.stack([problem.reference(inputs, 0, head)[0] for head in range(heads)])
    errors = [
        float(np.sqrt(np.mean((one.reshape(want.shape).astype(np.float64) - want) ** 2)))
        for one in (own["O"], after["o"])
    ]
    assert errors[0] <= SLACK * errors[1]
    assert errors[1] <= SLACK * errors[0]

"""Attention beside Triton's flash attention: same inputs, both on the emulator, errors against float64."""

from __future__ import annotations

import numpy as np
import pytest
from support.attention_runs import built_attention
from support.oracles import load_oracles

import hkasm
from hkasm.analysis.flow import flow_of
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.program import Program
from hkasm.inspect.load import program_of
from hkasm.inspect.statistics import hot_loop, statistics
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


@pytest.mark.parametrize("label", [one.label for one in CASES])
def test_matrix_work_has_a_larger_share_of_the_loop_than_in_tritons(label: str) -> None:
    """By work, not by count: Triton's product of heads of 64 takes twice as many instructions of half the size."""
    oracle = next(one for one in CASES if one.label == label)
    arch, d = str(oracle.entry["arch"]), oracle.arrays()["q"].shape[2]
    own = get_kernel("attention").build(arch, d=d)
    own.layout()
    other = program_of(CodeObject.from_bytes(oracle.path.read_bytes()).kernels["attention"])
    shares = [_share(program) for program in (own, other)]
    assert shares[0] >= 1.2 * shares[1]


def _share(program: Program) -> float:
    """Return the matrix cycles an instruction of the hot loop's straight way, rare blocks left out."""
    span = hot_loop(program)
    assert span is not None
    targets, place, found = flow_of(program).targets, span[0], []
    while place < span[1]:
        found.append(program.instructions[place])
        target = targets.get(place, -1)
        place = target if place < target < span[1] else place + 1
    whole = statistics(found, program.arch)
    return whole.matrix_cycles / whole.instructions

"""A kernel that copies an array, such as a peer's, while it computes: two compute units of every XCD do nothing else.

python examples/overlap.py [gfx950] [attention|gemm]
"""

from __future__ import annotations

import sys
from math import prod

import numpy as np

import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import build_hsaco
from hkasm.isa.registers import Register
from hkasm.kernels import get_kernel
from hkasm.tiles.buffer import RAW_BUFFER

RESERVE, XCDS = 2, 8
LANE_BYTES = 16
SHAPES = {
    "attention": {"q": 300, "kv": 130, "d": 64, "hq": 6, "hkv": 3, "mask": "causal"},
    "gemm": {"m": 300, "n": 330, "k": 96, "tile": "64x64", "work": "tiles"},
}


def copy(k: Builder, vectors: Register) -> None:
    """Copy `size` bytes from `source` to `target`; `vectors` are eight VGPRs to use freely.

    A chunk is 16 bytes for each lane of a workgroup. ``k.group_id`` counts the reserved workgroups, which take chunks
    in turn.
    """
    named = [
        k.arg("source", "u32", pointer=True, rank=1),
        k.arg("target", "u32", pointer=True, rank=1, access="write"),
        k.arg("size", "u32"),
    ]
    pointers, size = [k.sgpr(arg.name, 2) for arg in named[:2]], k.sgpr("size")
    for register, arg in zip(pointers, named, strict=False):
        k.s_load_dwordx2(register, k.kernarg, arg.offset)
    k.s_load_dword(size, k.kernarg, named[2].offset)
    k.wait(*pointers, size)

    views = [k.sgpr(f"{arg.name} buffer", 4) for arg in named[:2]]
    for view, pointer in zip(views, pointers, strict=True):
        k.s_mov_b64(view[0:2], pointer)
        k.s_mov_b32(view[2], size)  # a lane past the end reads zero, its store is dropped
        k.s_mov_b32(view[3], RAW_BUFFER)

    chunk = prod(k.block) * LANE_BYTES
    first, offset, data = k.sgpr("first byte"), vectors[0], vectors[2:6]
    k.s_mul_i32(first, k.group_id, chunk)
    k.v_lshlrev_b32(offset, LANE_BYTES.bit_length() - 1, k.lane)
    again, done = k.label("copy"), k.label("copied")
    k.place(again)
    k.s_cmp_ge_u32(first, size)
    k.s_cbranch_scc1(done)
    k.buffer_load_dwordx4(data, offset, views[0], first)
    k.wait(data)
    k.buffer_store_dwordx4(data, offset, views[1], first)
    k.s_add_u32(first, first, RESERVE * XCDS * chunk)
    k.s_branch(again)
    k.place(done)


def main(arch: str = "gfx950", name: str = "attention") -> None:
    """Build, launch on the emulator, compare both results with NumPy."""
    kernel, values = get_kernel(name), SHAPES[name] | {"reserve": RESERVE}
    problem = kernel.problem_on(arch, values)
    inputs, outputs = problem.inputs(), problem.outputs()
    source = np.random.default_rng(0).integers(1 << 32, size=100_003, dtype=np.uint32)
    device = hkasm.device("emulator")
    buffers = {label: device.buffer(array) for label, array in {**inputs, **outputs}.items()}
    target = device.buffer(np.zeros_like(source))
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    program = kernel.write(arch, kernel.settled(kernel.config(**values), values), communication=copy)
    entry = device.load(build_hsaco(program)).kernels[name]
    entry.launch(launch.grid, launch.block, [*args, device.buffer(source), target, source.nbytes])
    for one in problem.check(inputs, {label: buffers[label].numpy() for label in outputs}):
        print(f"{arch}, {one.name}: {one.count - one.wrong} of {one.count} elements are right")
    print(f"{arch}, copy: {(target.numpy() == source).sum()} of {source.size} elements are right")


if __name__ == "__main__":
    main(*sys.argv[1:])

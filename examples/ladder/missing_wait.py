"""Step 2: a wait is missing, and a barrier. The first is found when the kernel is finished, the second when it runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import launch

import hkasm

WAVE = 64


@hkasm.kernel(block=WAVE)
def scale(k: hkasm.Builder) -> None:
    """y[i] = 2 * x[i], one float a lane."""
    offset, value, x, y = begin(k)
    k.global_load_dword(value, offset, x)
    # k.wait(value) is missing here
    k.v_add_f32(value, value, value)
    k.global_store_dword(offset, value, y)
    k.s_endpgm()


@hkasm.kernel(block=2 * WAVE)
def exchange(k: hkasm.Builder) -> None:
    """y[i] = x[i ^ 64]: two waves exchange their values through LDS."""
    offset, value, x, y = begin(k)
    other = k.vgpr("other")
    k.lds("values", 2 * WAVE * 4)
    k.global_load_dword(value, offset, x)
    k.wait(value)
    k.ds_write_b32(offset, value)
    k.wait_counts(lgkmcnt=0)
    # k.s_barrier() is missing here
    k.v_xor_b32(other, WAVE * 4, offset)
    k.ds_read_b32(value, other)
    k.wait(value)
    k.global_store_dword(offset, value, y)
    k.s_endpgm()


def begin(k: hkasm.Builder) -> tuple[hkasm.Register, ...]:
    """Load the two pointers; return this lane's byte offset, a register for its value, x and y."""
    k.arg("y", "f32", pointer=True, rank=1, access="write")
    k.arg("x", "f32", pointer=True, rank=1)
    pointers = k.sgpr("y,x", 4)
    k.s_load_dwordx4(pointers, k.kernarg, 0)
    k.wait(pointers)
    offset = k.vgpr("offset")
    k.v_lshlrev_b32(offset, 2, k.lane)
    return offset, k.vgpr("value"), pointers[2:4], pointers[0:2]


def attempt(kernel: Callable[[hkasm.Builder], None], lanes: int) -> None:
    """Build and launch a kernel; print what is wrong with it."""
    x = np.arange(lanes, dtype=np.float32)
    try:
        launch(kernel, (1, 1, 1), (lanes, 1, 1), np.zeros_like(x), x)
    except hkasm.HkasmError as error:
        print(error)


if __name__ == "__main__":
    attempt(scale, WAVE)
    attempt(exchange, 2 * WAVE)

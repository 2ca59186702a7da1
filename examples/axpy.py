"""y += a * x, written with hkasm, run on the emulator, compared with NumPy. Run it: python examples/axpy.py [gfx942]"""

from __future__ import annotations

import sys

import numpy as np

import hkasm

FLOATS_A_LANE = 4
WAVE = 64
RAW_BUFFER = 0x20000


@hkasm.kernel(block=WAVE)
def axpy(k: hkasm.Builder) -> None:
    """y[i] += a * x[i], four floats a lane, one wave a workgroup."""
    for name, access in (("y", "readwrite"), ("x", "read")):
        k.arg(name, "f32", pointer=True, rank=1, access=access)
    k.arg("a", "f32")
    k.arg("n", "u32")

    y, x, a_n = k.sgpr("y", 2), k.sgpr("x", 2), k.sgpr("a,n", 2)
    k.s_load_dwordx2(y, k.kernarg, 0)
    k.s_load_dwordx2(x, k.kernarg, 8)
    k.s_load_dwordx2(a_n, k.kernarg, 16)
    k.wait(y, x, a_n)  # says what must be here; the count is derived (scalar loads: 0)
    a, n = a_n

    ybuf, xbuf = k.sgpr("ybuf", 4), k.sgpr("xbuf", 4)
    for buffer, pointer in ((ybuf, y), (xbuf, x)):
        k.s_mov_b64(buffer[0:2], pointer)
        k.s_lshl_b32(buffer[2], n, 2)  # bytes: a lane past the end reads zero, its store is dropped
        k.s_mov_b32(buffer[3], RAW_BUFFER)

    first, off = k.sgpr("first lane"), k.vgpr("off")
    k.s_mul_i32(first, k.group_id, WAVE)
    k.v_add_u32(off, first, k.lane)
    k.v_lshlrev_b32(off, 4, off)

    xs, ys = k.vgpr("xs", FLOATS_A_LANE), k.vgpr("ys", FLOATS_A_LANE)
    k.buffer_load_dwordx4(xs, off, xbuf)
    k.buffer_load_dwordx4(ys, off, ybuf)
    k.wait(xs, ys)
    for dst, src in zip(ys, xs, strict=True):
        k.v_fmac_f32(dst, a, src)
    k.buffer_store_dwordx4(ys, off, ybuf)
    k.s_endpgm()


def main(arch: str = "gfx950", n: int = 1000) -> None:
    """Build, run and check."""
    program = hkasm.build(axpy, arch=arch)
    module = hkasm.device("emulator").load(hkasm.build_hsaco(program))
    random = np.random.default_rng(0)
    x, y = (random.standard_normal(n, dtype=np.float32) for _ in range(2))
    device = module.device
    ybuf, xbuf = device.buffer(y), device.buffer(x)
    groups = -(-n // (WAVE * FLOATS_A_LANE))
    module.kernels["axpy"].launch(grid=(groups, 1, 1), block=(WAVE, 1, 1), args=[ybuf, xbuf, 2.5, n])
    want = y.astype(np.float64) + 2.5 * x.astype(np.float64)
    error = float(np.abs(ybuf.numpy() - want).max())
    print(f"{arch}: {n} elements in {groups} workgroups, largest error {error:.2g}")
    if error > 1e-6:
        raise SystemExit("wrong")


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""Memory that nobody wrote: followed through registers, told where it comes to matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, write

import hkasm
from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError
from hkasm.isa.registers import EXEC, M0, VCC
from hkasm.runtime.emulated import EmulatedBuffer


def _run(body: Any, given: list[str], *, written: int = 0, checks: tuple[str, ...] | None = None) -> EmulatedBuffer:
    """Run on `out` and the named buffers of 64 dwords that nobody wrote but for the first `written` dwords."""
    device = hkasm.device("emulator")
    out = device.buffer(np.zeros(64, np.uint32), "out")
    buffers = [device.empty(64, np.uint32, name) for name in given]
    for buffer in buffers:
        buffer.numpy()[:written] = 5
    kernel = device.load(write(body, scratch_bytes=16)).kernels["kernel"]
    options = Options() if checks is None else Options(checks=checks)
    kernel.launch(grid=(1,), block=(64,), args=[out, *buffers], options=options)
    return out


def _copy(k: Kit) -> None:
    out, data = k.pointers("out", "data")
    x, where = k.vgpr("x"), k.lane_bytes()
    k.global_load_dword(x, where, data)
    k.wait(x)
    k.v_add_u32(x, 1, x)
    k.store(x, out, where)


def test_what_nobody_wrote_must_not_be_stored() -> None:
    with pytest.raises(EmulatorError) as caught:
        _run(_copy, ["data"], written=10)
    text = str(caught.value)
    assert "x) decides a store, but nobody wrote it" in text
    assert "lane 10" in text


def test_what_the_host_wrote_is_written() -> None:
    assert (_run(_copy, ["data"], written=64).numpy() == 6).all()


def test_the_check_can_be_switched_off() -> None:
    _run(_copy, ["data"], checks=())


def test_reading_it_is_no_fault_in_itself() -> None:
    def body(k: Kit) -> None:
        out, data = k.pointers("out", "data")
        x, where = k.vgpr("x"), k.lane_bytes()
        k.global_load_dword(x, where, data)
        k.wait(x)
        k.v_cmp_gt_u32(VCC, 10, k.lane)
        k.s_and_b64(EXEC, EXEC, VCC)
        k.store(x, out, where)

    _run(body, ["data"], written=10)
    with pytest.raises(EmulatorError):
        _run(body, ["data"], written=9)


def test_a_store_defines_it() -> None:
    def body(k: Kit) -> None:
        out, data = k.pointers("out", "data")
        x, y, where = k.vgpr("x"), k.vgpr("y"), k.lane_bytes()
        k.v_mov_b32(x, 3)
        k.global_store_short(where, x, data)
        k.global_load_ushort(y, where, data)
        k.wait(y)
        k.store(y, out, where)

    assert (_run(body, ["data"]).numpy() == 3).all()


def test_a_narrow_store_leaves_the_rest_undefined() -> None:
    def body(k: Kit) -> None:
        out, data = k.pointers("out", "data")
        x, y, where = k.vgpr("x"), k.vgpr("y"), k.lane_bytes()
        k.v_mov_b32(x, 3)
        k.global_store_short(where, x, data)
        k.global_load_dword(y, where, data)
        k.wait(y)
        k.store(y, out, where)

    with pytest.raises(EmulatorError, match="decides a store"):
        _run(body, ["data"])


@pytest.mark.parametrize("use", ["address", "branch", "exec", "scalar"])
def test_every_use_that_matters_is_told(use: str) -> None:
    def body(k: Kit) -> None:
        out, data = k.pointers("out", "data")
        x, y, where, seen, end = k.vgpr("x"), k.vgpr("y"), k.lane_bytes(), k.sgpr("seen"), k.label("end")
        if use == "scalar":
            k.s_load_dword(seen, data, 0)
            k.wait(seen)
            k.store(seen, out)
            return
        k.global_load_dword(x, where, data)
        k.wait(x)
        k.v_readfirstlane_b32(seen, x)
        if use == "address":
            k.v_and_b32(x, 0xFC, x)
            k.global_load_dword(y, x, out)
        elif use == "branch":
            k.s_cmp_eq_u32(seen, 0)
            k.s_cbranch_scc1(end)
        else:
            k.v_cmp_eq_u32(VCC, 0, x)
            k.s_mov_b64(EXEC, VCC)
        k.place(end)

    says = {"address": "an address", "branch": "a branch", "exec": "EXEC", "scalar": "a store"}[use]
    with pytest.raises(EmulatorError, match=f"decides {says}"):
        _run(body, ["data"])


def test_direct_loads_take_it_to_lds() -> None:
    def body(k: Kit) -> None:
        out, data = k.pointers("out", "data")
        lds = k.lds("row", 256)
        x, where = k.vgpr("x"), k.lane_bytes()
        k.s_mov_b32(M0, lds.offset)
        k.global_load_lds_dword(where, data)
        k.wait()
        k.ds_read_b32(x, where)
        k.wait(x)
        k.store(x, out, where)

    assert (_run(body, ["data"], written=64).numpy() == 5).all()
    with pytest.raises(EmulatorError, match="decides a store"):
        _run(body, ["data"], written=63)


def test_scratch_starts_undefined() -> None:
    def body(k: Kit, *, stored: bool) -> None:
        (out,) = k.pointers("out")
        x, y, z = k.vgpr("x"), k.vgpr("y"), k.vgpr("undefined")
        k.v_mov_b32(x, 9)
        k.scratch_store_dword(None, z, None)  # spilling an undefined register is no fault
        if stored:
            k.scratch_store_dword(None, x, None, offset=4)
        k.scratch_load_dword(y, None, None, offset=4)
        k.wait(y)
        k.store(y, out)

    assert (_run(lambda k: body(k, stored=True), []).numpy() == 9).all()
    with pytest.raises(EmulatorError, match="decides a store"):
        _run(lambda k: body(k, stored=False), [])

"""Addresses that are not multiples of what an instruction wants, in every space."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError
from hkasm.isa.registers import M0

STRICT_MODE = Options(unaligned_access=False)


def _lds_read(name: str, registers: int, shift: int) -> object:
    def body(k: Kit) -> None:
        k.pointers("out")
        lds = k.lds("rows", 4096, align=16)
        x, where = k.vgpr("x", registers, align=2 if registers > 1 else 1), k.vgpr("where")
        for row in range(3):
            k.v_lshlrev_b32(where, 4, k.lane)
            k.ds_write_b128(where, _zero(k), offset=lds.offset + 1024 * row)
        k.wait()
        k.s_barrier()
        k.v_add_u32(where, shift, where)
        getattr(k, name)(x, where, offset=lds.offset)
        k.wait(x)

    return body


def _zero(k: Kit) -> object:
    zero = k.vgpr("zero", 4, align=2)
    for register in zero:
        k.v_mov_b32(register, 0)
    return zero


@pytest.mark.parametrize(
    ("name", "registers", "needs"), [("ds_read_b32", 1, 4), ("ds_read_b64", 2, 8), ("ds_read_b128", 4, 16),
                                     ("ds_read_b96", 3, 16), ("ds_read_u16", 1, 2)],
)  # fmt: skip
def test_lds_reads_are_remarked_or_errors_by_the_mode(name: str, registers: int, needs: int) -> None:
    body = _lds_read(name, registers, needs // 2)
    (found,) = run(body, {"out": zeros()}).report.findings
    assert (found.rule, found.severity) == ("misaligned", "remark")
    assert f"(LDS) is not a multiple of {needs}" in found.message
    assert "an error where the driver does not allow unaligned access" in found.hint
    with pytest.raises(EmulatorError, match=f"is not a multiple of {needs}"):
        run(body, {"out": zeros()}, options=STRICT_MODE)
    assert run(_lds_read(name, registers, needs), {"out": zeros()}, options=STRICT_MODE).rules == []


@pytest.mark.parametrize(("name", "registers", "needs"), [("ds_read_b64_tr_b16", 2, 8), ("ds_read_b96_tr_b6", 3, 16)])
def test_transposing_reads_want_their_alignment_always(name: str, registers: int, needs: int) -> None:
    with pytest.raises(EmulatorError, match=f"is not a multiple of {needs}"):
        run(_lds_read(name, registers, needs // 2), {"out": zeros()})


def test_lds_atomics_want_their_alignment_always() -> None:
    def body(k: Kit) -> None:
        k.pointers("out")
        lds = k.lds("cell", 64)
        where, one = k.vgpr("where"), k.vgpr("one")
        k.v_mov_b32(one, 0)
        k.v_mov_b32(where, 0)
        k.ds_write_b32(where, one, offset=lds.offset)
        k.ds_write_b32(where, one, offset=lds.offset + 4)
        k.v_mov_b32(where, 2)
        k.ds_add_u32(where, one, offset=lds.offset)

    with pytest.raises(EmulatorError, match=r"\(LDS\) is not a multiple of 4"):
        run(body, {"out": zeros()})


@pytest.mark.parametrize("form", ["global", "buffer"])
@pytest.mark.parametrize(("name", "registers", "needs"), [("dword", 1, 4), ("dwordx4", 4, 4), ("ushort", 1, 2)])
def test_global_loads(form: str, name: str, registers: int, needs: int) -> None:
    def body(k: Kit, shift: int) -> None:
        data, _ = k.pointers("data", "out")
        x, where = k.vgpr("x", registers, align=2 if registers > 1 else 1), k.lane_bytes(16)
        k.v_add_u32(where, shift, where)
        if form == "global":
            getattr(k, f"global_load_{name}")(x, where, data)
            return
        buffer = k.sgpr("buffer", 4, align=4)
        k.s_mov_b64(buffer[0:2], data)
        k.s_mov_b32(buffer[2], 4096)
        k.s_mov_b32(buffer[3], 0)
        getattr(k, f"buffer_load_{name}")(x, where, buffer, 0, offen=1)

    arrays = {"data": zeros(512), "out": zeros()}
    (found,) = run(lambda k: body(k, 1), arrays).report.findings
    assert (found.rule, found.severity) == ("misaligned", "remark")
    assert f"(byte 1 of data (2048 bytes)) is not a multiple of {needs}" in found.message
    with pytest.raises(EmulatorError, match=f"is not a multiple of {needs}"):
        run(lambda k: body(k, 1), arrays, options=STRICT_MODE)
    assert run(lambda k: body(k, needs), arrays, options=STRICT_MODE).rules == []


def test_global_atomics_want_their_alignment_always() -> None:
    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        where, one = k.lane_bytes(8), k.vgpr("one", 2, align=2)
        k.v_mov_b32(one[0], 1)
        k.v_mov_b32(one[1], 0)
        k.v_add_u32(where, 4, where)
        k.global_atomic_add_x2(where, one, out)

    with pytest.raises(EmulatorError, match="is not a multiple of 8"):
        run(body, {"out": zeros(256)})


def test_scalar_and_direct_loads_want_dwords_always() -> None:
    def scalar(k: Kit) -> None:
        (out,) = k.pointers("out")
        k.s_add_u32(out[0], out[0], 2)
        k.s_load_dword(k.sgpr("x"), out, 0)

    def direct(k: Kit) -> None:
        (out,) = k.pointers("out")
        lds = k.lds("row", 512)
        k.s_mov_b32(M0, lds.offset + 2)
        k.s_nop(0)
        k.global_load_lds_dword(k.lane_bytes(), out)

    for body in (scalar, direct):
        with pytest.raises(EmulatorError, match="is not a multiple of 4"):
            run(body, {"out": np.zeros(64, np.uint32)})

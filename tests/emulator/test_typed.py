"""Typed buffer instructions on the machine: formats, missing components, halves, range, descriptors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.errors import EmulatorError
from hkasm.isa.registers import Register

D_8_8_8_8, D_16_16, D_32, D_32_32 = 10, 5, 4, 11
UNORM, UINT, SINT, FLOAT = 0, 4, 5, 7


def _descriptor(k: Kit, base: Register, records: int, word3: int = 0) -> Register:
    found = k.sgpr("descriptor", 4, align=4)
    k.s_mov_b64(found[0:2], base)
    k.s_mov_b32(found[2], records)
    k.s_mov_b32(found[3], word3)
    return found


def _load(name: str, registers: int, format_number: int, *, records: int = 1 << 20, word3: int = 0) -> Any:
    def body(k: Kit) -> None:
        data, out = k.pointers("data", "out")
        buffer = _descriptor(k, data, records, word3)
        x, where = k.vgpr("x", registers, align=2 if registers > 1 else 1), k.lane_bytes()
        mods = {"format": format_number} if name.startswith("tbuffer") else {}
        getattr(k, name)(x, where, buffer, 0, offen=1, **mods)
        k.wait(x)
        for number in range(registers):
            k.global_store_dword(where, x[number], out, offset=256 * number)

    return body


def _loaded(name: str, registers: int, format_number: int, data: np.ndarray, **how: int) -> np.ndarray:
    out = run(_load(name, registers, format_number, **how), {"data": data, "out": zeros(64 * registers)}).arrays["out"]
    return out.reshape(registers, 64)


BYTES = np.arange(256, dtype=np.uint8)


def test_a_load_converts_bytes_to_floats() -> None:
    out = _loaded("tbuffer_load_format_xyzw", 4, D_8_8_8_8 | UNORM << 4, BYTES).view(np.float32)
    assert np.array_equal(out, (BYTES.reshape(64, 4).T / 255).astype(np.float32))


def test_missing_components_read_zero_and_one() -> None:
    data = np.random.default_rng(1).standard_normal(128).astype(np.float16)
    out = _loaded("tbuffer_load_format_xyzw", 4, D_16_16 | FLOAT << 4, data).view(np.float32)
    assert np.array_equal(out[:2], data.reshape(64, 2).T.astype(np.float32))
    assert (out[2] == 0).all()
    assert (out[3] == 1).all()
    out = _loaded("tbuffer_load_format_xyzw", 4, D_16_16 | SINT << 4, data)
    assert (out[3] == 1).all()


def test_halves_are_packed() -> None:
    out = _loaded("tbuffer_load_format_d16_xyzw", 2, D_8_8_8_8 | UNORM << 4, BYTES)
    wanted = (BYTES.reshape(64, 4) / 255).astype(np.float32).astype(np.float16).view(np.uint32).T
    assert np.array_equal(out, wanted)


def test_elements_out_of_range_read_zeros() -> None:
    out = _loaded("tbuffer_load_format_xyzw", 4, D_8_8_8_8 | UNORM << 4, BYTES, records=130)
    assert (out[:, 32:] == 0).all()
    assert out[3, 31] == np.float32(127 / 255).view(np.uint32)


def test_a_descriptor_names_format_and_order() -> None:
    """BGRA: X comes from the third component."""
    word3 = 6 | 5 << 3 | 4 << 6 | 7 << 9 | UINT << 12 | D_8_8_8_8 << 15
    out = _loaded("buffer_load_format_xyzw", 4, 0, BYTES, word3=word3)
    assert np.array_equal(out, BYTES.reshape(64, 4).T[[2, 1, 0, 3]])


def test_a_format_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(EmulatorError, match="data format 32_32 has no number format UNORM"):
        _loaded("tbuffer_load_format_x", 1, D_32_32 | UNORM << 4, BYTES)


@pytest.mark.parametrize("half", [False, True])
def test_a_store_converts_back(half: bool) -> None:
    random = np.random.default_rng(2)
    values = random.uniform(-0.2, 1.2, (64, 4)).astype(np.float16 if half else np.float32)
    registers = 2 if half else 4

    def body(k: Kit) -> None:
        data, out = k.pointers("data", "out")
        buffer = _descriptor(k, out, 256)
        x, where, wide = k.vgpr("x", registers, align=2), k.lane_bytes(), k.vgpr("wide")
        k.v_mul_u32_u24(wide, 4 * registers, k.lane)
        getattr(k, f"global_load_dwordx{registers}")(x, wide, data)
        k.wait(x)
        name = "tbuffer_store_format_d16_xyzw" if half else "tbuffer_store_format_xyzw"
        getattr(k, name)(x, where, buffer, 0, offen=1, format=D_8_8_8_8 | UNORM << 4)

    out = run(body, {"data": values, "out": zeros()}).arrays["out"].view(np.uint8).reshape(64, 4)
    assert np.array_equal(out, np.rint(np.clip(values.astype(np.float64), 0, 1) * 255).astype(np.uint8))

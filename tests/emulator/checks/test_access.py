"""Arguments that are declared as read only, and written to."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from support.emulate import assemble

import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.emulator.options import Options
from hkasm.errors import EmulatorError
from hkasm.isa.registers import Register

Write = Callable[[Builder, Register, Register], object]


def _store(k: Builder, offset: Register, y: Register) -> object:
    return k.global_store_dword(offset, k.lane, y)


def _add(k: Builder, offset: Register, y: Register) -> object:
    return k.global_atomic_add(offset, k.lane, y)


def _write_lanes(write: Write, access: str) -> bytes:
    """y[i] = i, or y[i] += i, for one wave; x is only read."""
    k = Builder("gfx950", "lanes")
    k.arg("y", "u32", pointer=True, rank=1, access=access)
    k.arg("x", "u32", pointer=True, rank=1)
    y, x = k.sgpr("y", 2), k.sgpr("x", 2)
    k.s_load_dwordx2(y, k.kernarg, 0)
    k.s_load_dwordx2(x, k.kernarg, 8)
    offset, value = k.vgpr("offset"), k.vgpr("value")
    k.v_lshlrev_b32(offset, 2, k.lane)
    k.wait(y, x)
    k.global_load_dword(value, offset, x)
    write(k, offset, y)
    k.s_endpgm()
    text, origins = k.finish().text_with_origins()
    return assemble(text, "gfx950", tuple(origins))


def _launch(code: bytes, options: Options | None = None) -> tuple[np.ndarray, list[str]]:
    y = np.zeros(64, np.uint32)
    kernel = hkasm.device("emulator").load(code).kernels["lanes"]
    report = kernel.launch((1, 1, 1), (64, 1, 1), [y, np.zeros(64, np.uint32)], options=options)
    return y, [finding.rule for finding in report.findings]


@pytest.mark.parametrize(("write", "mnemonic"), [(_store, "global_store_dword"), (_add, "global_atomic_add")])
def test_a_write_to_an_argument_declared_as_read_is_told(write: Write, mnemonic: str) -> None:
    code = _write_lanes(write, "read")
    with pytest.raises(EmulatorError) as error:
        _launch(code)
    text = re.sub(r"test_access\.py:\d+", "test_access.py:N", str(error.value))
    assert f'\n  argument y is declared access="read", and {mnemonic} of test_access.py:N writes it\n' in text
    assert text.endswith('\n  hint: k.arg("y", ..., access="write")')
    assert _launch(code, Options(strict=False))[1] == ["read-only-argument"]


@pytest.mark.parametrize("access", ["write", "readwrite"])
def test_a_write_to_an_argument_declared_as_written_comes_back(access: str) -> None:
    y, rules = _launch(_write_lanes(_store, access))
    assert rules == []
    np.testing.assert_array_equal(y, np.arange(64))


def test_objects_of_others_declare_nothing() -> None:
    code = _write_lanes(_store, "read")
    (image,) = CodeObject.from_bytes(code).kernels.values()
    assert image.hkasm is not None
    foreign = code.replace(b".hkasm\0", b".other\0")
    (image,) = CodeObject.from_bytes(foreign).kernels.values()
    assert image.hkasm is None
    assert _launch(foreign)[1] == []


def test_memory_that_is_also_another_argument_may_be_written() -> None:
    """The same buffer as x (read) and y (written), where the caller allows it."""
    device = hkasm.device("emulator")
    buffer = device.buffer(np.zeros(64, np.uint32))
    kernel = device.load(_write_lanes(_store, "write")).kernels["lanes"]
    report = kernel.launch((1, 1, 1), (64, 1, 1), [buffer, buffer], allow_aliasing=True, options=Options(strict=False))
    assert "read-only-argument" not in {finding.rule for finding in report.findings}

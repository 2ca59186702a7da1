"""The address space, gathers and scatters of every width, and the range rules of buffers."""

from __future__ import annotations

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.memory import GUARD, Bytes, Memory
from hkasm.errors import EmulatorError, LaunchError
from hkasm.isa.registers import Register


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
@pytest.mark.parametrize("aligned", [True, False])
def test_gather_and_scatter_move_the_same_bytes(size: int, aligned: bool) -> None:
    store = Bytes(4096)
    store.u8[:] = np.random.default_rng(size).integers(0, 256, store.u8.size)
    before = store.u8.copy()
    index = (np.random.default_rng(1).permutation(100)[:64] * 32 + (0 if aligned else 3)).reshape(2, 32)
    data = store.gather(index, size)
    assert data.shape == (-(-size // 4), 2, 32)
    for place in np.ndindex(2, 32):
        start = int(index[place])
        expected = bytes(before[start : start + size]).ljust(4 * len(data), b"\0")
        assert data[(slice(None), *place)].tobytes() == expected
    other = Bytes(4096)
    other.scatter(index, data, size)
    assert all(bytes(other.u8[i : i + size]) == bytes(before[i : i + size]) for i in index.reshape(-1))
    assert np.count_nonzero(other.u8) <= 64 * size


def test_buffers_lie_between_guard_zones_and_are_found_by_address() -> None:
    memory = Memory()
    first, second = memory.allocate(100, "first"), memory.allocate(50, "second")
    assert second.address - first.end >= GUARD
    assert memory.find(first.address) is first
    assert memory.find(first.end - 1) is first
    assert memory.find(first.end) is None
    assert memory.find(first.address - 1) is None
    assert memory.describe(first.end + 4) == "4 bytes behind the end of first (100 bytes)"
    assert memory.describe(second.address - 8) == "8 bytes before second (50 bytes)"
    memory.free(first)
    assert memory.find(first.address) is None
    with pytest.raises(LaunchError, match="a buffer of -1 bytes cannot be had"):
        memory.allocate(-1)


def test_the_host_reads_and_writes_inside_buffers_only() -> None:
    memory = Memory()
    buffer = memory.allocate(16, "small")
    memory.write(buffer.address + 4, np.array([7], np.uint32))
    assert memory.read(buffer.address + 4, 4) == b"\7\0\0\0"
    with pytest.raises(EmulatorError, match="no buffer holds 8 bytes"):
        memory.read(buffer.address + 12, 8)


def test_one_access_may_meet_several_buffers() -> None:
    memory = Memory()
    buffers = [memory.allocate(64, name) for name in "ab"]
    for number, buffer in enumerate(buffers):
        buffer.u32[:] = number + 1
    address = np.array([[buffers[0].address, buffers[1].address + 60, buffers[1].address + 62]])
    spans, missed = memory.locate(address, 4, None)
    assert np.array_equal(missed, [[False, False, True]])
    assert np.array_equal(memory.load(spans, address.shape, 4), [[[1, 2, 0]]])


def _buffer(k: Kit, pointer: Register, records: int, *, stride: int = 0) -> Register:
    buffer = k.sgpr("descriptor", 4)
    k.s_mov_b32(buffer[0], pointer[0])
    k.s_or_b32(buffer[1], pointer[1], stride << 16)
    k.s_mov_b32(buffer[2], records)
    k.s_mov_b32(buffer[3], 0x20000)
    return buffer


SOURCE = np.arange(1, 129, dtype=np.uint32)


def test_loads_out_of_range_read_zero_and_stores_are_dropped() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.buffer_load_dword(x, offset, _buffer(k, source, 4 * 40), offen=1)
        k.wait(x)
        k.buffer_store_dword(x, offset, _buffer(k, out, 4 * 50), offen=1)

    out = run(body, {"source": SOURCE, "out": zeros()}).arrays["out"]
    lane = np.arange(64)
    assert np.array_equal(out, np.where(lane < 40, lane + 1, np.where(lane < 50, 0, 0xDEADBEEF)))


def test_wide_accesses_are_checked_dword_by_dword() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x, plain = k.lane_bytes(16), k.vgpr("x", 4), k.lane_bytes(16)
        k.buffer_load_dwordx4(x, offset, _buffer(k, source, 4 * 102), offen=1)
        k.wait(x)
        k.buffer_store_dwordx4(x, plain, _buffer(k, out, 4 * 255), offen=1)

    out = run(body, {"source": SOURCE, "out": zeros(256)}).arrays["out"]
    assert np.array_equal(out[:102], SOURCE[:102])
    assert not out[102:255].any()
    assert out[255] == 0xDEADBEEF


def test_the_scalar_offset_counts_in_the_range_check() -> None:
    def body(k: Kit, soffset: int) -> None:
        source, out = k.pointers("source", "out")
        offset, x, scalar = k.lane_bytes(), k.vgpr("x"), k.sgpr("soffset")
        k.s_mov_b32(scalar, soffset)
        k.buffer_load_dword(x, offset, _buffer(k, source, 256), scalar, offen=1)
        k.wait(x)
        k.store(x, out, offset)

    arrays = {"source": SOURCE, "out": zeros()}
    out = run(lambda k: body(k, 64), arrays).arrays["out"]
    assert np.array_equal(out, np.where(np.arange(64) < 48, SOURCE[16:80], 0))


def test_the_vector_offset_wraps_at_32_bits() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x, plain = k.lane_bytes(), k.vgpr("x"), k.lane_bytes()
        k.v_subrev_u32(offset, 64, offset)  # lanes 0 to 15 are negative
        k.buffer_load_dword(x, offset, _buffer(k, source, 256), offen=1, offset=64)
        k.wait(x)
        k.store(x, out, plain)

    assert np.array_equal(run(body, {"source": SOURCE, "out": zeros()}).arrays["out"], SOURCE[:64])


def test_the_index_is_checked_against_records() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        x = k.vgpr("x")
        k.buffer_load_dword(x, k.lane, _buffer(k, source, 10, stride=8), idxen=1, offset=4)
        k.wait(x)
        k.store(x, out)

    out = run(body, {"source": SOURCE, "out": zeros()}).arrays["out"]
    lane = np.arange(64)
    assert np.array_equal(out, np.where(lane < 10, 2 * lane + 2, 0))


def test_addresses_outside_every_buffer_are_errors_that_name_the_nearest() -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        k.global_load_dword(x, offset, source, offset=8)
        k.wait(x)
        k.store(x, out, offset)

    arrays = {"source": SOURCE[:64], "out": zeros()}
    with pytest.raises(EmulatorError) as caught:
        run(body, arrays)
    text = str(caught.value)
    assert "a load of 4 bytes goes outside every buffer: 0 bytes behind the end of source (256 bytes)" in text
    assert "(and 1 more lanes)" in text
    assert "wave 0 of workgroup (0, 0, 0), lane 62, address 0x" in text
    outcome = run(body, arrays, options=COLLECT)
    assert outcome.rules == ["memory-bounds"]
    assert np.array_equal(outcome.arrays["out"], [*SOURCE[2:64], 0, 0])


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ("global_load_ubyte", 0x80),
        ("global_load_sbyte", 0xFFFFFF80),
        ("global_load_ushort", 0x9080),
        ("global_load_sshort", 0xFFFF9080),
    ],
)
def test_narrow_loads_extend(load: str, expected: int) -> None:
    def body(k: Kit) -> None:
        source, out = k.pointers("source", "out")
        offset, x = k.lane_bytes(), k.vgpr("x")
        getattr(k, load)(x, offset, source)
        k.wait(x)
        k.store(x, out, offset)

    out = run(body, {"source": np.full(64, 0xB0A09080, np.uint32), "out": zeros()}).arrays["out"]
    assert (out == expected).all()

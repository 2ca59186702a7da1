"""Global tiles: descriptors of tensors of any size, tails in every dimension, offsets of lanes."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.emulate import Kit, run
from support.scalar import follow

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.isa.registers import Register, s
from hkasm.tiles.buffer import RAW_BUFFER
from hkasm.tiles.memory import OUT_OF_RANGE, GlobalTile, buffer_offset

POINTER = 0x7F12_3456_7890


def expected(
    shape: list[int], strides: list[int], coords: list[int], rows: int, cols: int, axis: int, bits: int
) -> tuple[int, int, int]:
    """Base, bytes and valid columns by plain numbers."""
    starts = [*coords[:3], coords[3] * cols]
    starts[axis] *= rows
    base = POINTER + sum(start * stride for start, stride in zip(starts, strides, strict=False))
    base += starts[3] * bits // 8
    valid = min(shape[axis] - starts[axis], rows)
    columns = min(shape[3] - starts[3], cols)
    outside = any(starts[i] >= shape[i] for i in range(3)) or columns < 1
    size = 0 if outside else (valid - 1) * strides[axis] + -(-columns * bits // 8)
    return base & 0xFFFF_FFFF_FFFF, size, columns


@settings(max_examples=60)
@given(data=st.data())
def test_descriptors_of_any_mixture_of_numbers_and_registers(data: st.DataObject) -> None:
    """64-bit starts, sizes that end with the last valid row, nothing for tiles outside."""
    dtype, bits = data.draw(st.sampled_from([("bf16", 16), ("f32", 32), ("fp8", 8), ("fp4", 4)]))
    rows, cols = data.draw(st.sampled_from([(16, 32), (128, 64), (1, 256)]))
    axis = data.draw(st.sampled_from([1, 2, 0]))
    shape = [data.draw(st.integers(1, 40)) for _ in range(3)] + [data.draw(st.integers(1, 40)) * 32 // bits * 8]
    shape[axis] = data.draw(st.integers(1, 5000))
    pitch = data.draw(st.sampled_from([0, 64, 8192, 1 << 20]))
    strides = [data.draw(st.sampled_from([64, 1 << 24, 1 << 30, 0xC000_0000])) for _ in range(3)]
    strides[axis] = pitch
    coords = [data.draw(st.integers(0, 41)) for _ in range(4)]
    k = Builder("gfx950", "view")
    state: dict[int, int] = {}

    def known(value: int) -> int | Register:
        if data.draw(st.booleans()):
            return value
        register = k.sgpr("value")
        state[register.index] = value
        return register

    pointer = k.sgpr("pointer", 2)
    state |= {pointer.index: POINTER & 0xFFFF_FFFF, pointer.index + 1: POINTER >> 32}
    tensor = GlobalTile("T", dtype, pointer, *map(tuple, ([*map(known, shape)], [*map(known, strides)])), axis, 2)  # type: ignore[arg-type]
    descriptor, scratch = k.sgpr("descriptor", 4), k.sgpr("scratch", 5)
    view = tensor.view(k, descriptor, tuple(map(known, coords)), rows, cols, scratch)  # type: ignore[arg-type]
    k.s_endpgm()
    follow(k.finish(), state)
    base, size, columns = expected(shape, strides, coords, rows, cols, axis, bits)
    words = [state[descriptor.index + i] for i in range(4)]
    assert (words[0] | words[1] << 32, words[2], words[3]) == (base, size, RAW_BUFFER)
    assert size < OUT_OF_RANGE
    held = view.columns
    assert (held if isinstance(held, int) else np.int32(np.uint32(state[held.index]))) == columns


def copy(
    dtype: str, shape: tuple[int, int, int, int], axis: int, rows: int, cols: int, align: int, *, runtime: bool
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Copy a tensor on the emulator by whole tiles, some of them outside; return it, and the tiles as read."""
    size = {"f32": 4, "bf16": 2, "fp8": 1}[dtype]
    starts = [1, 1, 1, -(-shape[3] // cols)]
    for i in range(3):
        starts[i] = -(-shape[i] // rows) if i == axis else shape[i] + (i == 0)
    x = np.random.default_rng(0).integers(1, 256, prod(shape) * size).astype(np.uint8)
    tiles = np.full(prod(starts) * rows * cols * size, 0xEE, np.uint8)

    def body(k: Kit) -> None:
        source, target, out = k.pointers("source", "target", "tiles")
        descriptor, scratch = k.sgpr("descriptor", 4), k.sgpr("scratch", 5)
        to_descriptor, to_scratch = k.sgpr("to", 4), k.sgpr("to scratch", 5)
        sizes: tuple[int | Register, ...] = shape
        strides: list[int | Register] = [shape[1] * shape[2] * shape[3] * size, shape[2] * shape[3] * size]
        strides.append(shape[3] * size)
        if runtime:
            held = [k.sgpr(f"size {i}") for i in range(7)]
            for register, value in zip(held, (*shape, *strides), strict=True):
                k.s_mov_b32(register, value)
            sizes, strides = tuple(held[:4]), list(held[4:])
        x_tile = GlobalTile("X", dtype, source, sizes, tuple(strides), axis, align)  # type: ignore[arg-type]
        y_tile = GlobalTile("Y", dtype, target, sizes, tuple(strides), axis, align)  # type: ignore[arg-type]
        load = {16: k.buffer_load_dwordx4, 4: k.buffer_load_dword, 2: k.buffer_load_ushort, 1: k.buffer_load_ubyte}
        store = {16: k.buffer_store_dwordx4, 4: k.buffer_store_dword, 2: k.buffer_store_short, 1: k.buffer_store_byte}
        keep = {
            16: k.global_store_dwordx4, 4: k.global_store_dword, 2: k.global_store_short, 1: k.global_store_byte
        }  # fmt: skip
        free, offset, other = (k.vgpr("f"), k.vgpr("f")), k.vgpr("offset"), k.vgpr("other")
        value = k.vgpr("value", 4)
        for number, coords in enumerate(np.ndindex(*starts)):
            view = x_tile.view(k, descriptor, coords, rows, cols, scratch)
            to_view = y_tile.view(k, to_descriptor, coords, rows, cols, to_scratch)
            width = view.access_bytes
            lanes_a_row = cols * size // width
            for first in range(0, rows * lanes_a_row, 64):
                lane = np.arange(first, first + 64)
                row, col = lane // lanes_a_row, lane % lanes_a_row * (width // size)
                data = value if width == 16 else value[0]
                view.write_offset(k, offset, k.lane, row, col, free)
                load[width](data, offset, descriptor, 0)
                to_view.write_offset(k, other, k.lane, row, col, free)
                k.wait(data)
                store[width](data, other, to_descriptor, 0)
                k.v_lshlrev_b32(offset, width.bit_length() - 1, k.lane)
                k.v_add_u32(offset, (number * rows * lanes_a_row + first) * width, offset)
                keep[width](offset, data, out)
                k.wait()

    y = np.full(x.size + 64, 0x55, np.uint8)
    outcome = run(body, {"source": x, "target": y, "tiles": tiles})
    assert (outcome.arrays["target"][: x.size] == x).all(), "every element once"
    assert (outcome.arrays["target"][x.size :] == 0x55).all(), "nothing behind the tensor"
    return x.reshape(*shape, size), outcome.arrays["tiles"], outcome.rules


@pytest.mark.parametrize(
    ("dtype", "shape", "axis", "rows", "cols", "align", "runtime"),
    [
        ("bf16", (2, 1, 21, 40), 2, 16, 32, 8, False),
        ("bf16", (1, 2, 21, 40), 2, 16, 32, 8, True),
        ("f32", (1, 19, 3, 18), 1, 16, 16, 1, True),
        ("bf16", (1, 1, 5, 19), 2, 16, 16, 1, False),
        ("fp8", (1, 1, 17, 33), 2, 16, 32, 1, True),
    ],
)
def test_tails_read_zero_and_are_not_written(
    dtype: str, shape: tuple[int, int, int, int], axis: int, rows: int, cols: int, align: int, runtime: bool
) -> None:
    x, tiles, rules = copy(dtype, shape, axis, rows, cols, align, runtime=runtime)
    assert not rules
    size = x.shape[-1]
    moved = np.moveaxis(x, axis, 2)  # batch axes first, rows, columns
    starts = [1, 1, 1, -(-shape[3] // cols)]
    for i in range(3):
        starts[i] = -(-shape[i] // rows) if i == axis else shape[i] + (i == 0)
    found = tiles.reshape(*starts, rows, cols, size)
    others = [i for i in range(3) if i != axis]
    for coords in np.ndindex(*starts):
        first, second = (coords[i] for i in others)
        want = np.zeros((rows, cols, size), np.uint8)
        if first < shape[others[0]] and second < shape[others[1]]:
            part = moved[first, second][
                coords[axis] * rows : (coords[axis] + 1) * rows, coords[3] * cols : (coords[3] + 1) * cols
            ]
            want[: part.shape[0], : part.shape[1]] = part
        assert (found[coords] == want).all(), coords


@pytest.mark.parametrize("runtime", [False, True])
def test_a_tensor_over_four_gigabytes_is_read_where_it_lies(runtime: bool) -> None:
    """Tile (5, 0, 3, 1) of a tensor with strides of 3 GiB and 48 MiB: its bytes are all that is there."""
    batch, pitch, at = 0xC000_0000, 48 << 20, (5, 0, 3, 1)
    rows, cols = 4, 16
    away = at[0] * batch + at[2] * rows * pitch + at[3] * cols * 4

    def body(k: Kit) -> None:
        out, source = k.pointers("out", "source")
        k.s_sub_u32(source[0], source[0], away & 0xFFFF_FFFF)
        k.s_subb_u32(source[1], source[1], away >> 32)
        where: list[int | Register] = list(at)
        if runtime:
            where = [k.sgpr("coordinate") for _ in at]
            for register, value in zip(where, at, strict=True):
                k.s_mov_b32(register, value)
        tensor = GlobalTile("T", "f32", source, (8, 1, 64, 64), (batch, batch, pitch), align=4)
        descriptor = k.sgpr("d", 4)
        view = tensor.view(k, descriptor, tuple(where), rows, cols, k.sgpr("t", 5))  # type: ignore[arg-type]
        offset, value = k.vgpr("offset"), k.vgpr("value")
        lane = np.arange(64)
        view.write_offset(k, offset, k.lane, lane // cols * 0, lane % cols, (k.vgpr("f"), k.vgpr("f")))
        for step in range(2):
            k.buffer_load_dword(value, offset, descriptor, 0)
            k.wait(value)
            k.global_store_dword(k.lane_bytes(), value, out, offset=256 * step)
            view.move(k, 4 * cols)

    x = np.arange(64, dtype=np.uint32) + 7
    outcome = run(body, {"out": np.zeros(128, np.uint32), "source": x})
    found = outcome.arrays["out"].reshape(2, 4, cols)
    assert (found == np.stack([x[:cols], x[cols : 2 * cols]])[:, None, :]).all()


def test_offsets_beyond_the_instructions_twelve_bits() -> None:
    k = Builder("gfx950", "offsets")
    scratch = k.sgpr("scratch")
    assert buffer_offset(k, 4095, scratch) == (0, 4095)
    assert not k.items
    assert buffer_offset(k, 70001, scratch) == (scratch, 70001 & 4095)
    assert k.items[0].mnemonic == "s_mov_b32"
    with pytest.raises(UsageError, match="buffer offset -1"):
        buffer_offset(k, -1, scratch)


def test_widest_access_that_no_row_cuts() -> None:
    k = Builder("gfx950", "width")
    descriptor, scratch = k.sgpr("d", 4), k.sgpr("t", 5)
    for align, width in ((8, 16), (4, 8), (1, 2), (6, 4), (64, 16)):
        tensor = GlobalTile.packed("T", "bf16", s[20:22], (1024, 3 * 64 * align), align=align)
        assert tensor.view(k, descriptor, (0, 0, 0, 0), 16, 32, scratch).access_bytes == width


def test_tensors_that_cannot_be() -> None:
    k = Builder("gfx950", "bad")
    descriptor, scratch, pointer = k.sgpr("d", 4), k.sgpr("t", 5), k.sgpr("p", 2)
    with pytest.raises(
        UsageError, match=r"T: alignment of 8 elements with strides \(1640, 1640, 164\) bytes, 82 columns"
    ):
        GlobalTile.packed("T", "bf16", pointer, (10, 82), align=8)
    with pytest.raises(UsageError, match="T: row axis 3"):
        GlobalTile("T", "bf16", pointer, (1, 1, 1, 64), (128, 128, 128), 3)
    with pytest.raises(UsageError, match="T: pointer"):
        GlobalTile("T", "bf16", s[20], (1, 1, 1, 64), (128, 128, 128))
    with pytest.raises(UsageError, match="1 elements of fp4 are no whole bytes"):
        GlobalTile.packed("T", "fp4", pointer, (10, 64))
    with pytest.raises(UsageError, match="rows of 5 elements of fp6 are no whole bytes"):
        GlobalTile.packed("T", "fp6", pointer, (10, 5))
    wide = GlobalTile("T", "bf16", pointer, (1, 1, 512, 64), (0, 0, 1 << 25))
    with pytest.raises(UsageError, match="128 rows of 33554432 bytes span 2 GiB or more"):
        wide.view(k, descriptor, (0, 0, 0, 0), 128, 64, scratch)
    with pytest.raises(UsageError, match="view wants 4 and 5 SGPRs"):
        wide.view(k, descriptor, (0, 0, 0, 0), 16, 64, descriptor)

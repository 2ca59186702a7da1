"""Buffer views start and end where they should, for tensors of any size."""

from __future__ import annotations

import pytest
from support.scalar import follow

from hkasm.asm.builder import Builder
from hkasm.tiles.buffer import RAW_BUFFER, BufferView

POINTER = 0x7F12_3456_7890


@pytest.mark.parametrize("row", [0, 1, 256, 1 << 24])
@pytest.mark.parametrize("pitch", [2, 8192, 1 << 23])
def test_a_view_starts_at_its_row_and_ends_with_its_last(row: int, pitch: int) -> None:
    k = Builder("gfx950", "view")
    pointer, view = k.sgpr("pointer", 2), BufferView(k.sgpr("view", 4))
    first, step, rows, last, on, temporary = (k.sgpr(name) for name in ("first", "step", "rows", "last", "on", "t"))
    view.place(k, pointer, first, step, temporary)
    view.move(k, on)
    view.limit(k, rows, step, last, temporary)
    k.s_endpgm()
    state = {
        pointer.index: POINTER & 0xFFFF_FFFF, pointer.index + 1: POINTER >> 32, first.index: row, step.index: pitch,
        rows.index: 100, last.index: 34, on.index: 0xFFFF_FF00,
    }  # fmt: skip
    follow(k.finish(), state)
    words = [state[view.descriptor.index + i] for i in range(4)]
    assert words[0] | words[1] << 32 == (POINTER + row * pitch + 0xFFFF_FF00) & 0xFFFF_FFFF_FFFF
    assert words[2] == 99 * pitch + 34
    assert words[3] == RAW_BUFFER

"""Layouts to look at: every element once in the runs, formulas that compute what they say, pictures of all of it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from hkasm.inspect.layouts import LayoutView, draw_layouts, layout_views
from hkasm.isa.mfma import MFMA_TABLE
from hkasm.tiles.layout import DTYPE_BITS


def views() -> list[LayoutView]:
    found = [view for name in MFMA_TABLE for view in layout_views(name)]
    return found + [view for name in ("rt_32x32_8", "rt_16x32_4:f16", "rt_16x128:fp8") for view in layout_views(name)]


def numbers(text: str, lane: int) -> range:
    """The rows or columns that a word of a run means for a lane."""
    if text.startswith("lane"):
        at = lane - int(text[len("lane - ") :] or 0)
        return range(at, at + 1)
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def bits(text: str) -> tuple[int, int]:
    """First bit and the one behind the last, over all registers, of what `bits_text` says."""
    if match := re.fullmatch(r"v\[(\d+):(\d+)\]", text):
        return 32 * int(match[1]), 32 * int(match[2]) + 32
    if match := re.fullmatch(r"v(\d+)", text):
        return 32 * int(match[1]), 32 * int(match[1]) + 32
    if match := re.fullmatch(r"v(\d+) bits (\d+)-(\d+)", text):
        return 32 * int(match[1]) + int(match[2]), 32 * int(match[1]) + int(match[3]) + 1
    match = re.fullmatch(r"v(\d+) bit (\d+) to v(\d+) bit (\d+)", text)
    assert match is not None, text
    return 32 * int(match[1]) + int(match[2]), 32 * int(match[3]) + int(match[4]) + 1


@pytest.mark.parametrize("view", views()[::3], ids=lambda view: view.title)
def test_runs_and_formulas_say_where_every_element_is(view: LayoutView) -> None:
    form, width = view.form, DTYPE_BITS[view.form.dtype]
    row, col = np.meshgrid(np.arange(form.rows), np.arange(form.cols), indexing="ij")
    lane, slot = form.shape.lane_slot(form.layout, row, col)
    lane_text, slot_text = re.fullmatch(r"lane = (.*); slot = (.*)", view.rule).groups()  # type: ignore[union-attr]
    assert (eval(lane_text, {"row": row, "col": col}) == lane).all()
    assert (np.broadcast_to(eval(slot_text, {"row": row, "col": col}), slot.shape) == slot).all()
    seen = set()
    for lanes, rows, cols, registers in view.runs():
        first, behind = bits(registers)
        assert behind - first == form.shape.stride * width
        for one in numbers(lanes, 0):
            cells = [(r, c) for r in numbers(rows, one) for c in numbers(cols, one)]
            for number, (r, c) in enumerate(cells):
                assert (lane[r, c], slot[r, c] * width) == (one, first + number * width)
                seen.add((r, c))
    assert len(seen) == form.rows * form.cols


def test_an_element_and_what_its_register_holds_are_inverse() -> None:
    for view in layout_views("v_mfma_scale_f32_16x16x128_f8f6f4", fmt="bf6"):
        place = view.element(3, 2)
        assert (place.bit, 3, 2) in [(first, r, c) for first, _, r, c in view.held(place.lane, place.register)]


def test_the_picture_has_a_cell_for_every_element() -> None:
    found = layout_views("v_mfma_f32_16x16x16_f16")
    tree = ElementTree.fromstring(draw_layouts(found))
    rects = [one for one in tree if one.tag.endswith("rect")]
    assert len(rects) == 1 + sum(view.form.rows * view.form.cols for view in found)
    right = max(float(one.get("x", 0)) + float(one.get("width", 0)) for one in rects)
    assert right <= float(tree.get("width", 0))

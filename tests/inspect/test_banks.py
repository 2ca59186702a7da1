"""LDS accesses to look at: who meets where is what the bank model counts; pictures frame what conflicts."""

from __future__ import annotations

import re

import pytest

from hkasm.inspect.banks import access_views, draw_accesses, overview

ACCESSES = (
    ("st_16x32", "ds_read_b128"), ("st_16x32", "ds_write_b64"), ("st_16x16", "ds_read_b64"),
    ("st_8x32", "ds_write_b128"), ("st_32x32:f32", "ds_read_b128"), ("st_16x128:fp8", "ds_read_b64"),
    ("st_16x32", "ds_read2_b64"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "instruction"), ACCESSES)
def test_who_meets_says_as_many_as_the_degree(name: str, instruction: str) -> None:
    for view in access_views(name, instruction):
        number = view.worst_access
        for phase, _, degree, meetings in view.phases():
            assert degree == view.result.degree[number, phase]
            sizes = [len(one.split(": ")[1].split(",")) for one in meetings.split("; ") if one]
            assert (degree == 1) == (not sizes)
            wanted = view.wanted(view.result.accesses[number], view.result.row.phases[phase])
            assert max(len(dwords) for dwords in wanted.values()) == degree


def test_overview_has_every_usual_tile_with_its_widest_access() -> None:
    found = {(view.form.shape.name, view.form.layout, view.instruction) for view in overview("st_16x32", "gfx950")}
    assert ("rt_16x32", "row", "ds_read_b128") in found
    assert ("rt_32x32", "col", "ds_read_b64_tr_b16") in found
    assert ("rt_16x16", "row", "ds_write_b64") in found


def test_the_picture_frames_what_conflicts() -> None:
    (view,) = access_views("st_16x16", "ds_write_b64", arch="gfx950", tile="rt_16x16")
    text = draw_accesses([view])
    number = view.worst_access
    crowded = sum(
        len(dwords)
        for lanes in view.result.row.phases
        for dwords in view.wanted(view.result.accesses[number], lanes).values()
        if len(dwords) > 1
    )
    assert text.count('stroke="#c00000"') == crowded > 0
    assert len(re.findall(r"phase \d: 4-way", text)) == 4

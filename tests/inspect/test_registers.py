"""Register maps: owners with their ranges, the peak and where it is, uses where nobody has a name."""

from __future__ import annotations

from dataclasses import replace

from hkasm.asm.builder import Builder, build
from hkasm.asm.program import Program
from hkasm.inspect.registers import FileMap, activity, register_map
from hkasm.inspect.resources import resources_of


def small(k: Builder) -> None:
    first = k.vgpr("first", 2)
    k.v_mov_b32(first[0], 1)
    k.v_mov_b32(first[1], 2)
    k.free(first)
    second = k.vgpr("second", 4)
    k.v_mov_b32(second[3], 3)
    k.s_endpgm()


def program() -> Program:
    return build(small, arch="gfx950")


def vgprs(of: Program) -> FileMap:
    (found,) = (file for file in register_map(of).files if file.letter == "v")
    return found


def test_owners_have_their_ranges() -> None:
    found = vgprs(program())
    held = [(one.name, one.register.text, one.first, one.last) for one in found.holdings]
    assert held == [("workitem", "v0", 0, 4), ("first", "v[2:3]", 0, 2), ("second", "v[2:5]", 2, 4)]


def test_peak_is_of_what_is_held_at_once_and_says_where() -> None:
    found = vgprs(program())
    assert (found.used, found.peak, found.peak_at) == (6, 5, 2)
    assert found.peak_where == str(program().instructions[2].origin)


def test_map_at_an_instruction_has_only_what_is_held_there() -> None:
    at = register_map(program()).at(3)
    names = [one.name for file in at.files for one in file.holdings]
    assert "second" in names
    assert "first" not in names


def test_without_owners_neighbours_of_one_span_are_grouped() -> None:
    bare = Program.decode("gfx950", program().encode())
    whole = register_map(bare)
    assert not whole.named
    held = [(one.register.text, one.first, one.last) for one in vgprs(bare).holdings]
    assert held == [("v2", 0, 1), ("v3", 1, 2), ("v5", 2, 3)]


def test_activity_is_drawn_where_a_register_is_used() -> None:
    drawn = dict(zip(["workitem", "first", "second"], activity(program(), vgprs(program()).holdings, 4), strict=True))
    assert drawn == {"workitem": "░░░░", "first": "██··", "second": "··█░"}


def test_as_dict_is_plain_data() -> None:
    said = register_map(program()).as_dict()
    assert said["instructions"] == 4
    assert said["named"] is True


def test_resources_follow_the_archs_rules() -> None:
    found = resources_of(program())
    assert (found.vgprs, found.agprs, found.unified_vgprs, found.waves_per_simd, found.limit) == (
        6,
        0,
        8,
        8,
        "wave slots",
    )
    assert found.facts()["registers"].startswith("6 VGPR + 0 AGPR, ")
    assert found.as_dict()["occupancy"] == {"waves_per_simd": 8, "limit": "wave slots"}
    assert found.one_more == "there are no more wave slots"


def leaking(k: Builder) -> None:
    kept = k.vgpr("kept", 4)
    for part in range(4):
        k.v_mov_b32(kept[part], part)
    forgotten = k.vgpr("forgotten", 32)  # the line that is named
    k.v_mov_b32(forgotten[0], kept[0])
    k.v_add_u32(kept[1], forgotten[0], kept[1])
    again = k.label("again")
    k.place(again)
    for part in range(20):
        k.v_add_u32(kept[part % 4], kept[1], kept[2])
    k.s_cbranch_scc1(again)
    other = k.vgpr("other", 8)
    k.v_add_u32(other[0], kept[0], kept[3])
    k.v_mov_b32(kept[0], other[0])
    k.s_endpgm()


def test_a_leak_is_named_with_the_line_that_allocated_it() -> None:
    found = vgprs(build(leaking, arch="gfx942"))
    (leak,) = (one for one in found.idle if one.held.name != "workitem")
    line = leaking.__code__.co_firstlineno + 4
    assert leak.held.where.endswith(f"test_registers.py:{line}")
    assert (leak.held.name, leak.held.register.count, leak.since, leak.at_peak) == ("forgotten", 32, 6, True)
    # What is written anew in each turn and read in it or behind the loop is not idle.
    assert (found.peak, found.live) == (45, 4)


def test_one_wave_more_needs_what_the_limit_lacks() -> None:
    found = resources_of(build(leaking, arch="gfx942"))
    assert (found.waves_per_simd, found.one_more) == (8, "there are no more wave slots")
    heavy = replace(found, unified_vgprs=264, waves_per_simd=1, lds_bytes=40960, waves_per_workgroup=4)
    assert (
        heavy.one_more
        == "8 registers of the unified file less (256 at most) and 8192 bytes of LDS less (32768 at most)"
    )

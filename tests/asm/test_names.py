"""The `.hkasm` section is written the same way twice, and nothing that stands in one can do harm."""

from __future__ import annotations

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.asm.names import FORMAT, pack_names, unpack_names
from hkasm.asm.program import KernelArg, LdsRegion, Mark, OwnerRange, Program
from hkasm.errors import CodeObjectError
from hkasm.isa.arch import GFX950
from hkasm.isa.registers import Register

PROGRAM = Program(
    GFX950,
    "k",
    [],
    args=(KernelArg("x", "pointer", "f32", 0, 8, 1, "readwrite"),),
    block=(64, 2, 1),
    owners=(OwnerRange("acc", Register("a", 0, 256), 0, 10), OwnerRange("i", Register("s", 6), 2, 3, "k.py:9")),
    marks=(Mark("loop", "main", 0, 9),),
    lds_map=(LdsRegion("tile", 0, 64),),
)


def section(**changes: object) -> bytes:
    """One good section with some entries of its kernel changed."""
    good = msgpack.unpackb(pack_names(PROGRAM))
    good["kernels"]["k"] |= changes
    packed: bytes = msgpack.packb(good)
    return packed


def test_round_trip() -> None:
    names = unpack_names(pack_names(PROGRAM))["k"]
    assert names["owners"] == PROGRAM.owners
    assert names["owners"][0].register.name == "acc"
    assert (names["marks"], names["args"], names["lds"]) == (PROGRAM.marks, PROGRAM.args, PROGRAM.lds_map)
    assert names["block"] == (64, 2, 1)


def test_equal_programs_give_equal_bytes() -> None:
    assert pack_names(PROGRAM) == pack_names(PROGRAM)


def test_linked_sections_stand_one_behind_the_other() -> None:
    other = Program(GFX950, "other", [])
    assert set(unpack_names(pack_names(PROGRAM) + pack_names(other))) == {"k", "other"}


def test_nothing_is_no_names() -> None:
    assert unpack_names(b"") == {}


def test_a_newer_format_is_passed_over() -> None:
    newer = msgpack.packb({"format": FORMAT + 1, "kernels": 7})
    assert set(unpack_names(newer + pack_names(PROGRAM))) == {"k"}


@pytest.mark.parametrize(
    "changes",
    [
        {"owners": None},
        {"owners": [["acc"]]},
        {"owners": [["acc", "q", 0, 1, 0, 1, ""]]},
        {"owners": [["acc", "v", 255, 2, 0, 1, ""]]},
        {"owners": [["acc", "v", 0, 0, 0, 1, ""]]},
        {"owners": [["acc", "v", -1, 1, 0, 1, ""]]},
        {"owners": [["acc", "v", True, 1, 0, 1, ""]]},
        {"marks": [["step", "x" * 5000, 0, 1]]},
        {"args": [["x", "pointer", "f32", 0, 1 << 60, 1, "read"]]},
        {"lds": {"tile": 1}},
        {"block": [1, 2]},
        {"config": []},
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(changes: dict[str, object]) -> None:
    with pytest.raises(CodeObjectError, match=r"\.hkasm section is damaged") as caught:
        unpack_names(section(**changes))
    assert "\n" not in str(caught.value)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(CodeObjectError):
        unpack_names(b"\x91" * 100_000)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        unpack_names(data)
    except CodeObjectError as error:
        assert "\n" not in str(error)


@given(st.data())
def test_a_damaged_section_is_read_or_refused(data: st.DataObject) -> None:
    packed = bytearray(pack_names(PROGRAM))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(packed)))
    try:
        unpack_names(bytes(packed[:end]))
    except CodeObjectError as error:
        assert "\n" not in str(error)

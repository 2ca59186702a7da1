"""Line number programs of every DWARF version are read; nonsense ends the reading and does no harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.asm.codeobject import CodeObject
from hkasm.asm.linetable import LineRow, LineTable, read_line_table
from hkasm.asm.toolchain import Toolchain

TEXT = """\
.text
.globl k
.type k,@function
.file {first} "kernels" "a.py"{more}
k:
  s_nop 0
  .loc {first} 7 0
  s_nop 1
  s_nop 2
  .loc {second} 70000 5
  s_nop 3
  .loc {first} 2 0
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 8
  .amdhsa_accum_offset 4
.end_amdhsa_kernel
"""


def unit(program: bytes, version: int = 4) -> bytes:
    """One unit with one file, d/f.py, instructions of 4 bytes, and that program."""
    lengths = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
    names = b"d\0\0" + b"f.py\0\x01\0\0" + b"\0"
    head = bytes((4,)) + (b"\x01" if version >= 4 else b"") + bytes((1, 0xFB, 14, 13)) + lengths + names
    body = version.to_bytes(2, "little") + len(head).to_bytes(4, "little") + head + program
    return len(body).to_bytes(4, "little") + body


def set_address(address: int) -> bytes:
    return b"\0\x09\x02" + address.to_bytes(8, "little")


END = b"\0\x01\x01"


@pytest.mark.parametrize("version", [2, 3, 4])
def test_old_versions(version: int) -> None:
    # advance_line 9, copy, advance_pc 2, special (line +1, address +1), end
    program = set_address(0x100) + b"\x03\x09\x01" + b"\x02\x02" + bytes((13 + 14 + 6,)) + b"\x02\x01" + END
    table = read_line_table(unit(program, version))
    assert table.between(0x100, 0x200) == [
        LineRow(0x100, "d/f.py", 10),
        LineRow(0x10C, "d/f.py", 11),
        LineRow(0x110, "", 0),
    ]


def test_version_5_as_clang_writes_it(toolchain: Toolchain) -> None:
    text = TEXT.format(first=1, second=2, more='\n.file 2 "/lib" "b.py"')
    kernel = CodeObject.from_bytes(toolchain.build(text, "gfx950")).kernels["k"]
    assert kernel.lines == [(4, "kernels/a.py", 7), (12, "/lib/b.py", 70000), (16, "kernels/a.py", 2)]
    assert [kernel.origin(offset).line for offset in (0, 4, 8, 12, 16)] == [0, 7, 7, 70000, 2]


def test_a_sequence_that_ends_where_another_begins() -> None:
    first = set_address(0x200) + b"\x03\x04\x01" + b"\x02\x01" + END
    second = set_address(0x1F8) + b"\x03\x08\x01" + b"\x02\x02" + END
    assert read_line_table(unit(first + second)).between(0x1F8, 0x204) == [
        LineRow(0x1F8, "d/f.py", 9),
        LineRow(0x200, "d/f.py", 5),
    ]


def test_the_row_that_covers_the_start_is_clipped_to_it() -> None:
    table = LineTable([LineRow(0, "f", 1), LineRow(64, "f", 2), LineRow(68, "f", 2), LineRow(72, "f", 3)])
    assert table.between(16, 72) == [LineRow(16, "f", 1), LineRow(64, "f", 2)]
    assert table.between(72, 72) == []


def test_several_units_stand_one_behind_the_other() -> None:
    units = [unit(set_address(8 * n) + bytes((3, n, 1, 2, 2)) + END) for n in range(3)]
    assert [(row.address, row.line) for row in read_line_table(b"".join(units)).between(0, 24)] == [
        (0, 1),
        (8, 2),
        (16, 3),
    ]


def test_what_was_read_before_the_damage_is_kept() -> None:
    good = unit(set_address(0x100) + b"\x01" + b"\x02\x01" + END)
    assert read_line_table(good + b"\xff\xff").between(0x100, 0x104) == [LineRow(0x100, "d/f.py", 1)]
    assert read_line_table(good + unit(b"", version=9)).between(0x100, 0x104) == [LineRow(0x100, "d/f.py", 1)]


def test_no_section_is_no_rows() -> None:
    assert read_line_table(b"").between(0, 1 << 32) == []


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_any_bytes_are_survived(data: bytes, strings: bytes) -> None:
    read_line_table(data, strings, strings).between(0, 1 << 32)


@given(st.data())
def test_damaged_units_are_survived(data: st.DataObject) -> None:
    damaged = bytearray(unit(set_address(0x100) + b"\x03\x09\x01\x02\x02\x21\x02\x01" + END, 4))
    damaged[4] = data.draw(st.sampled_from((2, 3, 4, 5)))
    for _ in range(data.draw(st.integers(0, 5))):
        damaged[data.draw(st.integers(6, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    read_line_table(bytes(damaged)).between(0, 1 << 32)

"""Registers and archs: two slice conventions, special names, budgets."""

from __future__ import annotations

import pytest

from hkasm.errors import ArchError, RegisterError
from hkasm.isa import EXEC, GFX942, GFX950, M0, VCC, a, get_arch, s, v
from hkasm.isa.registers import Register, special_register


def test_python_slices_print_as_assembler_slices():
    xs = v[4:8].named("xs")
    assert (xs.text, len(xs)) == ("v[4:7]", 4)
    assert xs[0:2].text == "v[4:5]"
    assert xs[-1].text == "v7"
    assert str(xs[1:3]) == "xs[1:3]=v[5:6]"
    assert [r.text for r in a[0:2]] == ["a0", "a1"]


def test_special_scalars():
    assert (VCC.text, EXEC.text, M0.text, VCC[1].text) == ("vcc", "exec", "m0", "vcc_hi")
    assert special_register("ttmp3").text == "ttmp3"
    assert special_register("nope") is None


def test_overlap_and_cover():
    assert v[0:4].overlaps(v[3:5])
    assert not v[0:4].overlaps(a[0:4])
    assert v[0:4].covers(v[1:3])


@pytest.mark.parametrize("bad", [slice(0, 0), slice(0, 4, 2), slice(250, 300)])
def test_bad_slices_are_refused(bad):
    with pytest.raises(RegisterError):
        v[bad]


def test_a_register_outside_its_slice():
    with pytest.raises(RegisterError, match=r"^register 2 of s\[0:1\], which has 2 registers\n"):
        s[0:2][2]
    with pytest.raises(RegisterError, match=r"^register -2 of s1, which has 1 register\n"):
        s[1][-2]


def test_names_take_no_part_in_equality():
    assert Register("v", 3, 1, "x") == Register("v", 3, 1, "y")


def test_unknown_arch():
    with pytest.raises(ArchError, match="unknown arch 'gfx95'") as error:
        get_arch("gfx95")
    assert "gfx950" in str(error.value)


@pytest.mark.parametrize(
    ("vgprs", "agprs", "waves"),
    [(64, 0, 8), (65, 0, 7), (128, 0, 4), (128, 128, 2), (129, 128, 1), (256, 256, 1), (1, 0, 8)],
)
def test_occupancy_by_registers(vgprs, agprs, waves):
    assert GFX950.occupancy(vgprs, agprs, 40, 0, 1).waves_per_simd == waves


def test_occupancy_by_lds():
    found = GFX942.occupancy(64, 0, 40, 65536, 8)
    assert (found.waves_per_simd, found.limit) == (2, "LDS")
    assert GFX950.occupancy(64, 0, 40, 65536, 8).waves_per_simd == 4


@pytest.mark.parametrize(("chip", "arch"), [("mi300x", "gfx942"), ("MI355X", "gfx950")])
def test_a_chip_is_told_its_arch(chip: str, arch: str) -> None:
    with pytest.raises(ArchError) as error:
        get_arch(chip)
    assert str(error.value) == f"unknown arch '{chip}'\n  hint: {chip} is {arch}"


@pytest.mark.parametrize("name", [None, 942, ["gfx942"]])
def test_an_arch_is_a_name(name: object) -> None:
    with pytest.raises(ArchError, match="unknown arch"):
        get_arch(name)  # type: ignore[arg-type]

"""Chips as data: the vendor's numbers, partitions, harvested and reserved CUs."""

from __future__ import annotations

import pytest

from hkasm.errors import UsageError
from hkasm.grids.tickets import XCDS
from hkasm.model.chips import CHIPS, DEFAULT_CHIP, PARTITIONS, chip_of, get_chip


@pytest.mark.parametrize(("name", "cus", "arch"), [("mi300x", 304, "gfx942"), ("mi325x", 304, "gfx942"),
                                                   ("mi350x", 256, "gfx950"), ("mi355x", 256, "gfx950")])  # fmt: skip
def test_white_paper_counts(name: str, cus: int, arch: str) -> None:
    chip = get_chip(name)
    assert (chip.cus, chip.arch, len(chip.xcds), chip.llc_bytes) == (cus, arch, 8, 256 << 20)


@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("mode", PARTITIONS)
def test_partitions_share_a_chip_out(name: str, mode: str) -> None:
    whole, part = get_chip(name), get_chip(f"{name}-{mode}")
    devices = len(whole.xcds) // len(part.xcds)
    assert part.cus * devices == whole.cus
    assert part.llc_bytes * devices == whole.llc_bytes
    assert part.rates.hbm * devices == pytest.approx(whole.rates.hbm)


@pytest.mark.parametrize(("name", "cus"), [("mi355x-32:32:32:16", (32, 32, 32, 16)), ("MI300X-7", (7,)),
                                           ("mi350x-1" + ":32" * 15, (1, *(32,) * 15))])  # fmt: skip
def test_a_name_says_the_cus_of_each_xcd(name: str, cus: tuple[int, ...]) -> None:
    chip, whole = get_chip(name), get_chip(name.partition("-")[0])
    assert tuple(xcd.cus for xcd in chip.xcds) == cus
    assert chip.llc_bytes * 8 == whole.llc_bytes * len(cus)
    assert chip.rates.hbm * 8 == pytest.approx(whole.rates.hbm * len(cus))
    assert get_chip(chip.name) == chip
    assert get_chip("mi355x").harvest(7, 16) == get_chip("mi355x-32:32:32:32:32:32:32:16")


def test_the_chip_of_an_arch() -> None:
    assert chip_of("auto", "gfx942") == get_chip("mi300x")
    assert chip_of("mi350x-cpx", "gfx950") == get_chip("mi350x-cpx")
    assert all(len(get_chip(name).xcds) == XCDS for name in DEFAULT_CHIP.values())


def test_workgroups_go_round_the_dies() -> None:
    chip = get_chip("mi355x")
    assert [chip.xcd_of(w) for w in range(10)] == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]


def test_harvested_and_reserved_cus_do_not_compute() -> None:
    chip = get_chip("mi300x").harvest(3, 19).reserve(2)
    assert chip.cus == 7 * 36 + 17
    assert chip.xcds[3].share == 17


@pytest.mark.parametrize(("make", "text"), [
    (lambda: get_chip("mi355"), "unknown chip 'mi355'"),
    (lambda: get_chip(""), "unknown chip ''"),
    (lambda: get_chip("mi355x-"), "unknown partition ''"),
    (lambda: get_chip("mi355x-tpx"), "unknown partition 'tpx'"),
    (lambda: get_chip("mi355x").partition("cpx").partition("spx"), "do not make"),
    (lambda: get_chip("mi355x").harvest(8, 1), "XCDs 0 to 7"),
    (lambda: get_chip("mi355x").harvest(0, 33), "has 32 CUs"),
    (lambda: get_chip("mi355x").reserve(32), "leave none"),
    (lambda: get_chip("mi355x-32:33"), "no device has XCDs of 32:33 CUs"),
    (lambda: get_chip("mi355x-0"), "no device has XCDs of 0 CUs"),
    (lambda: get_chip("mi355x-8" + ":8" * 16), "no device has XCDs of"),
    (lambda: get_chip("mi355x-32:"), "unknown partition '32:'"),
    (lambda: chip_of("mi300x-cpx", "gfx950"), "chip=mi300x-cpx is gfx942, not gfx950"),
])  # fmt: skip
def test_what_a_chip_has_not_is_refused(make: object, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        make()  # type: ignore[operator]

"""Buffer formats: fields in place, numbers as the graphics standards define them, and there and back."""

from __future__ import annotations

import numpy as np
import pytest

from hkasm.errors import EmulatorError
from hkasm.isa.buffer_formats import DATA_FORMATS, NUMBER_FORMATS, format_bytes, pack_components, unpack_components

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 0, 1, 2, 3, 4, 5, 7


def _exists(dfmt: int, nfmt: int) -> bool:
    try:
        format_bytes(dfmt, nfmt)
    except EmulatorError:
        return False
    return True


PAIRS = [(dfmt, nfmt) for dfmt in range(16) for nfmt in range(8) if _exists(dfmt, nfmt)]


def test_which_formats_exist() -> None:
    assert len(DATA_FORMATS) == 14
    assert not any(_exists(dfmt, nfmt) for dfmt in (0, 15) for nfmt in range(8))
    assert not any(_exists(dfmt, 6) for dfmt in range(16))
    assert {nfmt for dfmt, nfmt in PAIRS if dfmt == 14} == {UINT, SINT, FLOAT}
    assert {dfmt for dfmt, nfmt in PAIRS if nfmt == FLOAT} == {2, 4, 5, 6, 7, 11, 12, 13, 14}
    with pytest.raises(EmulatorError, match="data format 32_32 has no number format UNORM"):
        format_bytes(11, UNORM)


def test_components_lie_with_x_lowest() -> None:
    word = np.array([[0xC0000000 | 3 << 20 | 2 << 10 | 1]], np.uint32)
    assert [int(part[0]) for part in unpack_components(9, UINT, word)] == [1, 2, 3, 3]
    assert [int(part[0]) for part in unpack_components(10, UINT, np.array([[0x04030201]], np.uint32))] == [1, 2, 3, 4]
    word = np.array([[1 | 2 << 11 | 3 << 22]], np.uint32)
    assert [int(part[0]) for part in unpack_components(6, UINT, word)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("nfmt", "raw", "value"),
    [
        (UNORM, [0, 255, 128, 51], [0, 1, 128 / 255, 0.2]),
        (SNORM, [0, 127, 0x81, 0x80], [0, 1, -1, -1]),
        (USCALED, [0, 255, 128, 7], [0, 255, 128, 7]),
        (SSCALED, [0, 255, 128, 7], [0, -1, -128, 7]),
    ],
)
def test_numbers_of_eight_bits(nfmt: int, raw: list[int], value: list[float]) -> None:
    word = np.array([[sum(byte << 8 * place for place, byte in enumerate(raw))]], np.uint32)
    parts = [float(part.view(np.float32)[0]) for part in unpack_components(10, nfmt, word)]
    assert np.array_equal(np.float32(parts), np.float32(value))


def test_small_floats() -> None:
    """1.0, 1.5 and the largest of 11 and 10 bits; infinity."""
    word = np.array([[0x3C0 | (0x3C0 | 0x20) << 11 | 0x1E0 << 22]], np.uint32)
    assert [float(part.view(np.float32)[0]) for part in unpack_components(6, FLOAT, word)] == [1.0, 1.5, 1.0]
    word = np.array([[0x7BF | 0x7C0 << 11 | 0x3DF << 22]], np.uint32)
    assert [float(p.view(np.float32)[0]) for p in unpack_components(6, FLOAT, word)] == [65024.0, np.inf, 64512.0]


@pytest.mark.parametrize(("dfmt", "nfmt"), PAIRS, ids=[f"{DATA_FORMATS[d][0]}-{NUMBER_FORMATS[n]}" for d, n in PAIRS])
def test_there_and_back(dfmt: int, nfmt: int) -> None:
    random = np.random.default_rng(dfmt * 8 + nfmt)
    size = format_bytes(dfmt, nfmt)
    words = random.integers(0, 1 << 32, (-(-size // 4), 500), dtype=np.uint32)
    if size < 4:
        words &= np.uint32((1 << 8 * size) - 1)
    again = pack_components(dfmt, nfmt, unpack_components(dfmt, nfmt, words))
    first, second = unpack_components(dfmt, nfmt, words), unpack_components(dfmt, nfmt, again)
    for one, two in zip(first, second, strict=True):
        same = one == two
        if nfmt == FLOAT:
            same |= np.isnan(one.view(np.float32)) & np.isnan(two.view(np.float32))
        assert same.all()


def test_stored_numbers_are_clamped_and_rounded() -> None:
    values = [np.array([value], np.float32).view(np.uint32) for value in (-1.0, 2.0, 0.5, np.nan)]
    assert int(pack_components(10, UNORM, values)[0, 0]) == 0x0080FF00
    values = [np.array([value], np.uint32) for value in (300, 255, 1, 0)]
    assert int(pack_components(10, UINT, values)[0, 0]) == 0x0001FFFF

"""Reductions over any set of lane bits: what every lane gets, and the sets that are refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.tiles.ops.crosslane import reduce_lanes, temporaries_for

SETS = [bits for count in range(7) for bits in combinations(range(6), count)]
REFUSED = [bits for bits in SETS if 2 in bits and 3 not in bits and not {0, 1} <= set(bits)]


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("registers", [1, 3])
def test_every_set_of_lane_bits(arch: str, registers: int) -> None:
    """Sums of whole numbers, exact in any order, from exactly the lanes of the set."""
    legal = [bits for bits in SETS if bits not in REFUSED]
    given = np.random.default_rng(7).integers(0, 1 << 17, (registers, 64))

    def body(k: Kit) -> None:
        out, inputs = k.pointers("out", "inputs")
        offset, work, values = k.lane_bytes(), k.vgpr("work", 4), k.vgpr("values", registers)
        loaded, address = k.vgpr("loaded", registers), k.vgpr("address")
        for number, value in enumerate(loaded):
            k.global_load_dword(value, offset, inputs, offset=256 * number)
        k.wait(loaded)
        k.v_mov_b32(address, offset)
        for bits in legal:
            for value, start in zip(values, loaded, strict=True):
                k.v_mov_b32(value, start)
            assert temporaries_for(arch, registers, bits) <= work.count
            reduce_lanes(k, k.v_add_f32, list(values), bits, work)
            for value in values:
                k.global_store_dword(address, value, out)
                k.v_add_u32(address, 256, address)

    arrays = {"out": zeros(64 * registers * len(legal)), "inputs": given.astype(np.float32).view(np.uint32)}
    got = run(body, arrays, arch=arch).arrays["out"].view(np.float32).reshape(len(legal), registers, 64)
    for bits, found in zip(legal, got, strict=True):
        want = given
        for bit in bits:
            want = want + want[:, np.arange(64) ^ 1 << bit]
        np.testing.assert_array_equal(found, want, err_msg=f"{bits}")


@pytest.mark.parametrize("bits", REFUSED)
def test_bit_2_without_its_neighbours_is_refused(bits: tuple[int, ...]) -> None:
    k = Builder("gfx950", "refused")
    with pytest.raises(UsageError, match=r"a reduction over lane bits .*\n  hint: bit 2 with bit 3, or with 0 and 1"):
        reduce_lanes(k, k.v_max_f32, [k.vgpr("x")], bits, k.vgpr("work", 2))

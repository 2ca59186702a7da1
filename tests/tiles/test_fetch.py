"""Global memory to LDS: what lands there is the swizzled tile, straight and through registers, tails as zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.isa.numerics import pack_bits
from hkasm.isa.registers import Register
from hkasm.tiles.fetch import Fetch, FetchPlan
from hkasm.tiles.layout import DTYPE_BITS
from hkasm.tiles.memory import GlobalTile
from hkasm.tiles.shared import Padding, SharedShape, SharedTile, shared_shape

MINE = {
    "padded": SharedShape("padded", 1, 128, 16, padding=Padding(1024, 32)),
    "dense6": SharedShape("dense6", 16, 128, 6),
}
# arch, dtype, tile, shape, tensor, tile's coordinates, waves, direct, lane bytes that must be chosen
CASES = (
    ("gfx950", "bf16", (64, 64), "st_16x32", (128, 128), (1, 1), 4, True, 16),
    ("gfx950", "bf16", (64, 64), "st_16x32", (120, 104), (1, 1), 4, True, 16),
    ("gfx950", "bf16", (128, 64), "st_32x32", (128, 64), (0, 0), 1, True, 16),
    ("gfx950", "bf16", (32, 64), "st_16x32", (40, 66), (1, 1), 2, True, 4),
    ("gfx950", "bf16", (32, 32), "st_16x16_swizzled", (32, 64), (0, 1), 2, True, 4),
    ("gfx942", "bf16", (32, 64), "st_16x32", (64, 128), (1, 0), 4, True, 4),
    ("gfx942", "bf16", (64, 64), "st_16x32", (100, 72), (1, 1), 4, False, 16),
    ("gfx942", "bf16", (32, 32), "st_16x16_swizzled", (32, 64), (0, 1), 2, False, 8),
    ("gfx950", "bf16", (32, 128), "padded", (32, 128), (0, 0), 2, True, 16),
    ("gfx942", "bf16", (32, 128), "padded", (32, 128), (0, 0), 2, False, 16),
    ("gfx950", "fp8", (32, 128), "st_16x128", (32, 256), (0, 1), 4, True, 16),
    ("gfx950", "fp6", (32, 256), "st_16x128", (48, 512), (1, 1), 4, True, 16),
    ("gfx950", "fp4", (32, 256), "st_16x128", (32, 256), (0, 0), 2, True, 16),
    ("gfx942", "f32", (32, 32), "st_16x16", (40, 40), (1, 1), 1, False, 16),
)  # fmt: skip


def packed_rows(codes: np.ndarray, bits: int) -> np.ndarray:
    """Bytes of a matrix in memory, rows without gaps."""
    words = pack_bits(np.ascontiguousarray(codes.T), bits)
    return np.ascontiguousarray(words.T).view(np.uint8)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_the_tile_lands_swizzled(case: Any) -> None:
    arch, dtype, size, stored, shape, at, waves, direct, lane_bytes = case
    slot = CASES.index(case) % 2
    bits = DTYPE_BITS[dtype]
    codes = np.random.default_rng(8).integers(1, 1 << bits, shape, dtype=np.uint64)
    chosen = MINE.get(stored) or shared_shape(stored, dtype)
    align = 32 if shape[1] % 32 == 0 else 8 if shape[1] % 8 == 0 else 2
    round_bytes = 256 * waves
    length = -(-SharedTile("A", dtype, *size, chosen).bytes // round_bytes) * round_bytes

    def body(k: Kit) -> None:
        out, source = k.pointers("out", "source")
        tile = SharedTile.allocate(k, "A", dtype, *size, chosen, slots=2)
        k.lds("rest", round_bytes)
        place, value = k.vgpr("place"), k.vgpr("value")
        k.v_lshlrev_b32(place, 2, k.lane)
        k.v_mov_b32(value, 0)
        for first in range(0, length, round_bytes):
            k.ds_write_b32(place, value, offset=tile.start(slot) + first)
        k.wait()
        k.s_barrier()
        tensor = GlobalTile.packed("A", dtype, source, shape, align=align)
        view = tensor.view(k, k.sgpr("d", 4), (0, 0, *at), *size, k.sgpr("t", 5))
        fetch = Fetch(k, tile, view, k.lane, waves, direct=direct)
        assert fetch.plan.lane_bytes == lane_bytes
        fetch.load(k, slot)
        k.wait()
        if not direct:
            fetch.commit(k, slot)
            k.wait()
        k.s_barrier()
        for _ in range(0, length, round_bytes):
            k.ds_read_b32(value, place, offset=tile.start(slot))
            k.wait(value)
            k.global_store_dword(place, value, out)
            k.v_add_u32(place, round_bytes, place)
            k.wait()
        fetch.free(k)
        k.fix_hazards()

    arrays = {"out": zeros(length // 4), "source": packed_rows(codes, bits).reshape(-1)}
    outcome = run(body, arrays, arch=arch, block=64 * waves)
    tile = SharedTile("A", dtype, *size, chosen)
    row, col = np.meshgrid(np.arange(size[0]), np.arange(size[1]), indexing="ij")
    first_bit = tile.bit(row, col)
    stream = np.unpackbits(outcome.arrays["out"].view(np.uint8), bitorder="little").astype(np.uint64)
    found = sum(stream[first_bit + step] << np.uint64(step) for step in range(bits))
    want = np.zeros(size, np.uint64)
    part = codes[at[0] * size[0] : (at[0] + 1) * size[0], at[1] * size[1] : (at[1] + 1) * size[1]]
    want[: part.shape[0], : part.shape[1]] = part
    assert (found == want).all()


def test_one_m0_serves_loads_within_reach_of_the_offset() -> None:
    k = Builder("gfx950", "m0", block=64)
    tile = SharedTile.allocate(k, "A", "bf16", 128, 64, "st_16x32")
    tensor = GlobalTile.packed("A", "bf16", k.sgpr("p", 2), (128, 64), align=64)
    view = tensor.view(k, k.sgpr("d", 4), (0, 0, 0, 0), 128, 64, k.sgpr("t", 5))
    fetch = Fetch(k, tile, view, k.lane, 1)
    before = len(k.items)
    fetch.load(k)
    emitted = [item.mnemonic for item in k.items[before:]]
    assert emitted == (["s_add_u32"] + ["buffer_load_dwordx4"] * 4) * 4
    assert [item.mods.get("offset", 0) for item in k.items[before + 1 : before + 5]] == [0, 1024, 2048, 3072]


@pytest.mark.parametrize("waves", [1, 2, 4, 8])
@pytest.mark.parametrize("shape", ["st_16x32", "st_32x32", "st_16x16"])
def test_every_byte_is_brought_once(shape: str, waves: int) -> None:
    plan = FetchPlan(SharedTile("A", "bf16", 64, 128, shared_shape(shape, "bf16")), waves, 16)
    seen = set()
    for load in range(plan.loads):
        row, byte = plan.places(load)
        seen |= set(zip(row.tolist(), byte.tolist(), strict=True))
        for r, b, place in zip(row, byte, plan.placed(load), strict=True):
            assert plan.shared.address(int(r), int(b) // 2) == place
    assert seen == {(row, byte) for row in range(64) for byte in range(0, 256, 16)}


def test_fetches_that_cannot_be() -> None:
    def fetch(arch: str, stored: str | SharedShape, *, columns: int = 64, align: int = 64, **options: Any) -> Fetch:
        k = Builder(arch, "bad", block=256)
        tile = SharedTile.allocate(k, "A", "bf16", 32, 64, stored)
        tensor = GlobalTile.packed("A", "bf16", k.sgpr("p", 2), (64, columns), align=align)
        view = tensor.view(k, k.sgpr("d", 4), (0, 0, 0, 0), 32, 64, k.sgpr("t", 5))
        return Fetch(k, tile, view, k.lane, options.pop("waves", 4), **options)

    assert fetch("gfx942", "st_16x32").plan.lane_bytes == 4
    with pytest.raises(UsageError, match="A: 16 bytes a lane straight to LDS on gfx942"):
        fetch("gfx942", "st_16x32", lane_bytes=16)
    with pytest.raises(UsageError, match="A: 16 bytes a lane, rows of 32 bytes whose swizzle keeps 8 together"):
        fetch("gfx950", "st_16x16_swizzled", lane_bytes=16)
    with pytest.raises(UsageError, match="A: 4096 bytes are no whole loads of 8192"):
        fetch("gfx950", "st_16x32", lane_bytes=16, waves=8)
    with pytest.raises(UsageError, match="fetched by 3 waves"):
        fetch("gfx950", "st_16x32", waves=3)
    with pytest.raises(UsageError, match="would cut rows, which are aligned to 2 bytes"):
        fetch("gfx950", "st_16x32", columns=65, align=1)
    with pytest.raises(UsageError, match="padding cuts the 1024 bytes that a wave writes in one run"):
        fetch("gfx950", SharedShape("rows", 1, 64, 16, padding=Padding(512, 16)), lane_bytes=16)
    direct = fetch("gfx950", "st_16x32")
    with pytest.raises(UsageError, match="nothing to commit, its loads go to LDS"):
        direct.commit(Builder("gfx950", "other"))


def test_registers_are_given_back() -> None:
    k = Builder("gfx950", "free", block=128)
    held = {name: file.in_use for name, file in k.files.items()}
    tile = SharedTile.allocate(k, "A", "bf16", 64, 64, "st_16x32")
    tensor = GlobalTile.packed("A", "bf16", k.sgpr("p", 2), (64, 64), align=64)
    descriptor, scratch = k.sgpr("d", 4), k.sgpr("t", 5)
    view = tensor.view(k, descriptor, (0, 0, 0, 0), 64, 64, scratch)
    for direct in (True, False):
        Fetch(k, tile, view, k.lane, 2, direct=direct).free(k)
    k.free(tensor.pointer, descriptor, scratch)
    assert {name: file.in_use for name, file in k.files.items()} == held
    assert isinstance(view.descriptor, Register)
